"""The fewest moves of collections and spaces, against a small model of the service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations, product
from random import Random

import pytest

from copydesk.domain.layout import TOP
from copydesk.domain.order import kept
from copydesk.domain.tree_moves import NoAnchorError, TreeMove, tree_moves

State = tuple[tuple[str, ...], ...]
"""What is in each level of a service, collections and spaces among each other."""


class RefusedError(Exception):
    """The service does not do it."""


def is_space(item: str) -> bool:
    return item[0] == "s"


class Service:
    """Collections and spaces in one sequence per level, as nobody is told."""

    def __init__(self, levels: Mapping[str, Sequence[str]]) -> None:
        self.levels = {level: list(ids) for level, ids in levels.items()}

    def send(self, move: TreeMove) -> None:
        home = next(level for level, ids in self.levels.items() if move.id in ids)
        above = move.level
        while above != TOP:
            if above == move.id:
                raise RefusedError("into itself")
            above = next(level for level, ids in self.levels.items() if above in ids)
        before = list(self.levels[home])
        assert move.entering == (home != move.level)
        if not move.side and home == move.level:
            raise RefusedError("nothing changes")
        self.levels[home].remove(move.id)
        target = self.levels[move.level]
        if move.side:
            if not is_space(move.anchor) or move.anchor not in target:
                self.levels[home] = before
                raise RefusedError("no such position")
            target.insert(target.index(move.anchor) + (move.side == "after"), move.id)
        else:
            target.append(move.id)
        if home == move.level and target == before and not move.idle:
            raise RefusedError("nothing changes")

    def told(self) -> dict[str, list[str]]:
        """What its lists say: collections in their order, spaces in theirs."""
        return {level: sorted(ids, key=is_space) for level, ids in self.levels.items()}


def interleavings(ids: Sequence[str]) -> Iterator[tuple[str, ...]]:
    spaces = [item for item in ids if is_space(item)]
    others = [item for item in ids if not is_space(item)]
    for places in combinations(range(len(ids)), len(spaces)):
        rest, mine = iter(others), iter(spaces)
        yield tuple(next(mine) if at in places else next(rest) for at in range(len(ids)))


def some_tree(random: Random, items: Sequence[str]) -> dict[str, list[str]]:
    """Return any tree of these items, collections first in every level."""
    levels: dict[str, list[str]] = {TOP: []}
    levels |= {item: [] for item in items if not is_space(item)}
    placed = [TOP]
    for item in random.sample(list(items), len(items)):
        levels[random.choice(placed)].append(item)
        if not is_space(item):
            placed.append(item)
    return {level: sorted(ids, key=is_space) for level, ids in levels.items()}


def plan(
    before: Mapping[str, Sequence[str]],
    after: Mapping[str, Sequence[str]],
    spaces: set[str],
    made: set[str],
) -> list[TreeMove] | None:
    """Return the moves; None where there is no space to order collections by."""
    try:
        return tree_moves(before, after, spaces, made=made)
    except NoAnchorError as error:
        return None if not any(map(is_space, after[error.level])) else []


def test_any_plan_makes_the_wanted_tree_however_the_service_has_them_stand() -> None:
    random = Random(7)
    refused = 0
    for round_ in range(400):
        size = random.randint(1, 9)
        items = [f"{random.choice('cs')}{at}" for at in range(size)]
        before, after = some_tree(random, items), some_tree(random, items)
        made = {ids[-1] for ids in before.values() if ids and is_space(ids[-1]) and round_ % 3 == 0}
        spaces = {item for item in items if is_space(item)}
        deleted = {item for item in spaces if random.random() < 0.15}
        after = {
            level: [item for item in ids if item not in deleted] for level, ids in after.items()
        }
        moves = plan(before, after, spaces, made)
        if moves is None:
            refused += 1
            continue
        for _ in range(4):
            hidden = {
                level: random.choice(list(interleavings(ids))) for level, ids in before.items()
            }
            for level, ids in hidden.items():  # what was just made stands last
                hidden[level] = tuple(sorted(ids, key=made.__contains__))
            service = Service(hidden)
            for move in moves:
                service.send(move)
            told = service.told().items()
            assert after == {
                level: [item for item in ids if item not in deleted] for level, ids in told
            }
        home = {item: level for level, ids in before.items() for item in ids}
        entering = sum(home[item] != level for level, ids in after.items() for item in ids)
        assert len(moves) >= entering
        assert {move.id for move in moves if move.entering} == {
            item for level, ids in after.items() for item in ids if home[item] != level
        }
    assert 0 < refused < 200


def test_spaces_take_as_many_moves_as_are_not_in_order_already() -> None:
    random = Random(3)
    spaces = [f"s{at}" for at in range(1000)]
    before = random.sample(spaces, 1000)
    moves = tree_moves({TOP: ["c", *before], "c": []}, {TOP: ["c", *spaces], "c": []}, set(spaces))
    assert len(moves) == 1000 - len(kept(before, spaces))
    # What changes its collection takes one request, wherever it goes.
    half = {TOP: ["c", *spaces[::2]], "c": spaces[1::2]}
    moves = tree_moves({TOP: ["c", *spaces], "c": []}, half, set(spaces))
    assert len(moves) == 500
    assert moves[0] == TreeMove("s1", "c", entering=True)
    assert moves[1] == TreeMove("s3", "c", "after", "s1", entering=True)


def _choices(
    before: Mapping[str, Sequence[str]], after: Mapping[str, Sequence[str]]
) -> list[TreeMove]:
    home = {item: level for level, ids in before.items() for item in ids}
    found = []
    for level, ids in after.items():
        for item in ids:
            if home[item] != level:
                found.append(TreeMove(item, level, entering=True))
            for anchor, side in product(filter(is_space, ids), ("before", "after")):
                if anchor != item:
                    found.append(TreeMove(item, level, side, anchor))  # type: ignore[arg-type]
    return found


def _shortest(
    before: Mapping[str, Sequence[str]], after: Mapping[str, Sequence[str]], most: int
) -> int | None:
    """Return the fewest requests that surely make a tree, by trying all but detours; or None."""
    levels = list(before)

    def worlds() -> Iterator[State]:
        return product(*(list(interleavings(before[level])) for level in levels))

    wanted = {level: list(ids) for level, ids in after.items()}

    def done(belief: frozenset[State]) -> bool:
        return all(
            sorted(ids, key=is_space) == wanted[level]
            for state in belief
            for level, ids in zip(levels, state, strict=True)
        )

    def sent(belief: frozenset[State], move: TreeMove) -> frozenset[State] | None:
        found = set()
        for state in belief:
            new = [[item for item in ids if item != move.id] for ids in state]
            target = new[levels.index(move.level)]
            if not move.side:
                if move.id in state[levels.index(move.level)]:
                    return None
                target.append(move.id)
            elif move.anchor in target:
                target.insert(target.index(move.anchor) + (move.side == "after"), move.id)
            else:
                return None
            found.add(tuple(map(tuple, new)))
        return frozenset(found)

    front = {frozenset(worlds())}
    seen = set(front)
    choices = _choices(before, after)
    for count in range(most + 1):
        if any(map(done, front)):
            return count
        following = {new for belief in front for move in choices if (new := sent(belief, move))}
        front = following - seen
        seen |= front
    return None


def _cases() -> Iterator[tuple[dict[str, list[str]], dict[str, list[str]]]]:
    """Every order of up to three collections beside up to two spaces, some of them arriving."""
    for collections, spaces, away in (
        (["c1", "c2"], ["s1"], []), (["c1", "c2", "c3"], ["s1"], []),
        (["c1", "c2"], ["s1", "s2"], []), (["c1", "c2"], ["s1"], ["s2"]),
        (["c1", "c2", "c3"], ["s1"], ["s2"]), (["c1", "c2", "c3"], [], ["s1"]),
        (["c1", "c2"], ["s1"], ["c3"]),
    ):  # fmt: skip
        there = {TOP: ["c0", *collections, *spaces], "c0": away}
        names = [*collections, *(item for item in away if not is_space(item))]
        for order in permutations(names):
            for spaced in permutations([*spaces, *filter(is_space, away)]):
                yield there, {TOP: ["c0", *order, *spaced], "c0": []}
        if len(collections) == 2:
            for order in permutations(["c0", *names]):
                yield there, {TOP: [*order, *spaces, *filter(is_space, away)], "c0": []}


def test_no_shorter_plan_is_certain() -> None:
    for before, after in _cases():
        # The collection that things come from is left alone, and stands first.
        spaces = {item for ids in before.values() for item in ids if is_space(item)}
        plan = tree_moves(before, after, spaces)
        assert _shortest(before, after, min(len(plan), 3) - 1) is None, (before, after, plan)


def test_without_a_space_collections_cannot_be_ordered_but_one_may_come_last() -> None:
    before = {TOP: ["c1", "c2"], "c1": ["c3"], "c2": [], "c3": []}
    with pytest.raises(NoAnchorError) as error:
        tree_moves(before, {**before, TOP: ["c2", "c1"]}, set())
    assert error.value.level == TOP
    moves = tree_moves(before, {**before, TOP: ["c1", "c2", "c3"], "c1": []}, set())
    assert moves == [TreeMove("c3", TOP, entering=True)]
    # What was inside goes out first, so that nothing is ever put into itself.
    turned = {TOP: ["c2", "c3"], "c3": ["c1"], "c1": [], "c2": []}
    assert tree_moves(before, turned, set()) == [
        TreeMove("c3", TOP, entering=True),
        TreeMove("c1", "c3", entering=True),
    ]

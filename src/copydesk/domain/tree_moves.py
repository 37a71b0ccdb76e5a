"""The fewest requests that put collections and spaces elsewhere, or in another order.

A move names a parent, or a position before or after a *space* of the level that it goes to, or
both; without a position it goes last there. So spaces are ordered among spaces as any list is, and
what goes elsewhere takes one request.

Collections can only be ordered with the help of a space, and no answer says how collections and
spaces stand among each other. What is moved next to a space may therefore come before or after any
collection that was left alone: it is sure to come after only those that were moved there before it,
or that were there when the space arrived last. Hence a plan that is certain leaves alone only
collections that begin the wanted order, in their own order, and moves all others, one by one,
before one space:

* before a space that arrives in the level (or is made there) and so is known to come after all;
* without such a space, before any, with none left alone;
* and without a position where all that follow those left alone arrive from elsewhere.

That no plan with fewer requests is certain is tested by trying them all on small trees.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.layout import TOP
from copydesk.domain.order import kept

Orders = Mapping[str, Sequence[str]]
"""Ids in their order, by collection."""


@dataclass(frozen=True, slots=True)
class TreeMove:
    """One request: ``id`` goes to ``level``, before or after the space ``anchor``, or last there.

    ``entering`` says that it comes from another level. ``idle`` says that it may stand there
    already, which the service refuses and which is as good as done: where a collection stands
    among spaces is not known beforehand.
    """

    id: str
    level: str
    side: Literal["before", "after", ""] = ""
    anchor: str = ""
    entering: bool = False
    idle: bool = False


class NoAnchorError(ValueError):
    """Collections of ``level`` would have to be ordered, and there is no space to help."""

    def __init__(self, level: str) -> None:
        self.level = level


@dataclass(frozen=True, slots=True)
class _Level:
    """One kind in one level: how it stands, and how it is wanted."""

    was: tuple[str, ...]
    wanted: tuple[str, ...]

    @property
    def arriving(self) -> list[str]:
        """Things that come from elsewhere, in the wanted order."""
        there = set(self.was)
        return [item for item in self.wanted if item not in there]

    @property
    def staying(self) -> tuple[str, ...]:
        """Things that are in the level now and stay in it, in their present order."""
        wanted = set(self.wanted)
        return tuple(item for item in self.was if item in wanted)


def tree_moves(
    before: Orders,
    after: Orders,
    spaces: Collection[str],
    *,
    made: Collection[str] = (),
    touched: Collection[str] = (),
) -> list[TreeMove]:
    """Return the fewest moves from one tree to another, to be sent in this order.

    Both hold collections and ``spaces`` by their levels, each level in its order, in which only
    those of one kind count among each other. ``made`` are spaces that were just made last in their
    level. Of several plans it is the one that moves more of ``touched``. What is in one of the two
    only is left out. Parents come before what goes into them, so that no collection is ever put
    into itself. Raises `NoAnchorError` where no request makes the wanted order.
    """
    held = {item for ids in before.values() for item in ids}
    target = {item: level for level, ids in after.items() for item in ids}
    done: set[str] = set()
    moves: list[TreeMove] = []
    for level in top_down(after):
        if tuple(before.get(level, ())) == tuple(after[level]):
            done.add(level)
            continue
        kinds = []
        for of_spaces in (False, True):
            was, wanted = (
                tuple(item for item in ids if (item in spaces) == of_spaces and item in held)
                for ids in (before.get(level, ()), after[level])
            )
            kinds.append(_Level(was, wanted))
        # What goes on to a level further down, or is only deleted afterwards, is still there.
        leaving = next((item for item in kinds[1].was if target.get(item) not in done), None)
        moves += _level_moves(level, kinds[0], kinds[1], leaving, frozenset(made), touched)
        done.add(level)
    return moves


def top_down(levels: Orders) -> Iterator[str]:
    """Yield the levels of a tree, each after its parent."""
    waiting = [TOP]
    while waiting:
        level = waiting.pop()
        yield level
        waiting.extend(item for item in reversed(levels.get(level, ())) if item in levels)


def _left_alone(order: _Level) -> int:
    """Return how many rows at the start of the wanted order are in place already."""
    staying = iter(order.staying)
    count = 0
    for item in order.wanted:
        if item not in staying:  # goes on from where it stopped
            break
        count += 1
    return count


def _level_moves(
    level: str,
    collections: _Level,
    spaces: _Level,
    leaving: str | None,
    made: frozenset[str],
    touched: Collection[str],
) -> list[TreeMove]:
    alone = _left_alone(collections)
    rest = collections.wanted[alone:]
    arriving = set(collections.arriving)
    if all(item in arriving for item in rest):
        last = [TreeMove(item, level, entering=True) for item in rest]
        return [*last, *_space_moves(level, spaces, None, touched)]
    staying = spaces.staying
    after_all = next((item for item in staying if item in made), None)
    enters: str | None = None
    if after_all is None and spaces.arriving:
        # The later it is wanted, the more of the others come before it anyhow.
        enters = spaces.arriving[-1] if staying else spaces.arriving[0]
        more = len(kept((*staying, enters), spaces.wanted)) - len(kept(staying, spaces.wanted))
        if not more and alone < 2:
            enters = None  # its own way to its place would cost what it saves
        after_all = enters
    anchor = after_all
    if anchor is None:
        anchor, alone = next((item for item in spaces.wanted if item in set(staying)), leaving), 0
    if anchor is None:
        raise NoAnchorError(level)
    moves = [] if enters is None else [TreeMove(enters, level, entering=True)]
    moves += [
        TreeMove(
            item, level, "before", anchor, entering=item in arriving, idle=item not in arriving
        )
        for item in collections.wanted[alone:]
    ]
    return moves + _space_moves(level, spaces, enters, touched)


def _space_moves(
    level: str, spaces: _Level, entered: str | None, touched: Collection[str]
) -> list[TreeMove]:
    """Return the moves of the spaces of a level; ``entered`` stands last there already."""
    standing = spaces.staying if entered is None else (*spaces.staying, entered)
    arriving = set(spaces.arriving) - {entered}
    stay = kept(standing, spaces.wanted, touched)
    first = next((item for item in spaces.wanted if item in stay), None)
    moves: list[TreeMove] = []
    for at, item in enumerate(spaces.wanted):
        if item in stay:
            continue
        entering = item in arriving
        if at:
            moves.append(TreeMove(item, level, "after", spaces.wanted[at - 1], entering=entering))
        elif first is not None:
            moves.append(TreeMove(item, level, "before", first, entering=entering))
        else:
            moves.append(TreeMove(item, level, entering=entering))
    return moves

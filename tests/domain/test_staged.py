"""A staged order: moved, taken back, planned with the fewest requests, put on another one."""

from __future__ import annotations

import itertools
import random

import pytest

from copydesk.domain.order import Move, applied
from copydesk.domain.order import kept as longest_kept
from copydesk.domain.staged import MoveError, Staged, kept, plan_around

GROUPED = {"": ("a", "G", "b", "c"), "G": ("x", "y")}


def test_moves_are_staged_taken_back_and_staged_again() -> None:
    staged = Staged.on({"": ("a", "b", "c")})
    down = staged.move("", ["a"], 1)
    assert down.now[""] == ("b", "a", "c")
    assert [step.move for step in down.plan()] == [Move("a", "after", "b")]
    assert down.undo().now == staged.now
    assert not down.undo().dirty
    assert down.undo().redo().now == down.now
    assert down.drop().undo().now == down.now
    with pytest.raises(MoveError, match="first already"):
        staged.move("", ["a"], -1)
    with pytest.raises(MoveError, match="last"):
        staged.move("", ["c"], 1)
    with pytest.raises(MoveError, match="stands alone"):
        Staged.on({"": ("a",)}).move("", ["a"], 1)


def test_the_plan_moves_what_was_moved_by_hand() -> None:
    staged = Staged.on({"": ("a", "b")})
    assert [step.move.id for step in staged.move("", ["a"], 1).plan()] == ["a"]
    assert [step.move.id for step in staged.move("", ["b"], -1).plan()] == ["b"]


def test_nothing_is_moved_next_to_a_group() -> None:
    staged = Staged.on(GROUPED, ["G"])
    with pytest.raises(MoveError, match="no operation that moves a group"):
        staged.move("", ["G"], 1)
    # Behind the group, b is there to stand before.
    moved = staged.move("", ["a"], 1)
    assert moved.now[""] == ("G", "a", "b", "c")
    assert [step.move for step in moved.plan()] == [Move("a", "before", "b")]
    # Before the group nobody stays, but a is there to stand before until it leaves.
    first = moved.move("", ["b"], -2)
    assert [step.move for step in first.plan()] == [
        Move("b", "before", "a"),
        Move("a", "before", "c"),
    ]
    inside = staged.move("G", ["y"], -1)
    assert [(step.level, step.move.id) for step in inside.plan()] == [("G", "y")]


def test_places_that_no_request_reaches_are_passed_by() -> None:
    levels = {"": ("a", "b", "G", "H", "c"), "G": ("x",), "H": ("y",)}
    staged = Staged.on(levels, ["G", "H"])
    assert staged.move("", ["b"], 1).now[""] == ("a", "G", "H", "b", "c")


def test_to_a_position() -> None:
    staged = Staged.on({"": ("a", "b", "c")})
    assert staged.place("", "c", 1).now[""] == ("c", "a", "b")
    with pytest.raises(MoveError, match="1 to 3"):
        staged.place("", "c", 4)


def test_every_plan_gives_the_order_and_is_the_shortest() -> None:
    chance = random.Random(7)
    for before in itertools.permutations("abcd"):
        for after in itertools.permutations("abcd"):
            moves = plan_around(before, after)
            assert moves is not None
            assert applied(before, moves) == list(after)
            assert len(moves) == 4 - len(longest_kept(before, after))
    for _ in range(300):
        order = [str(number) for number in range(12)]
        mixed = chance.sample(order, 12)
        touched = set(chance.sample(order, 3))
        stay = kept(order, mixed, touched)
        assert len(stay) == len(longest_kept(order, mixed))
        assert [item for item in mixed if item in stay] == sorted(stay, key=int)


def test_plans_around_groups_give_the_order_in_a_flat_list() -> None:
    chance = random.Random(11)
    fixed = ["G", "H"]
    for _ in range(500):
        before = chance.sample([*"abcde", *fixed], 7)
        if before.index("G") > before.index("H"):
            continue
        after = chance.sample(before, 7)
        if after.index("G") > after.index("H"):
            continue
        moves = plan_around(before, after, fixed)
        if moves is None:
            continue
        assert applied(before, moves) == after
        assert not {move.id for move in moves} & set(fixed)
        assert not {move.anchor for move in moves} & set(fixed)


def test_every_step_can_be_taken_back() -> None:
    chance = random.Random(3)
    order = tuple("abcdefgh")
    for _ in range(100):
        wanted = tuple(chance.sample(order, len(order)))
        staged = Staged({"": order}, {"": wanted})
        backs = staged.backs()
        now = list(wanted)
        for back in reversed(backs):
            assert back is not None
            now = applied(now, [back.move])
        assert now == list(order)


def test_a_move_from_between_two_groups_cannot_be_taken_back() -> None:
    staged = Staged.on({"": ("G", "a", "H", "b")}, ["G", "H"]).move("", ["a"], 1)
    assert staged.backs() == [None]


def test_on_top_of_what_others_did() -> None:
    staged = Staged.on({"": ("a", "b", "c", "d")}).move("", ["d"], -1).move("", ["a"], 1)
    same = staged.rebase(staged.base)
    assert not same.changed
    assert same.staged is staged
    other = staged.rebase({"": ("b", "a", "new", "c", "d")})
    assert other.changed
    assert other.dropped == ()
    assert other.staged.now[""] == ("b", "a", "d", "new", "c")
    carried = Staged.on({"": ("a", "b", "c", "d")}).move("", ["d"], -1)
    assert carried.rebase({"": ("c", "a", "b", "d")}).staged.now[""] == ("c", "a", "b", "d")
    gone = staged.rebase({"": ("a", "b", "c")})
    assert [step.move.id for step in gone.dropped] == ["d"]
    assert gone.staged.undo().now == {"": ("a", "b", "c")}


def test_it_is_kept_as_text() -> None:
    staged = Staged.on(GROUPED, ["G"]).move("", ["c"], -1)
    again = Staged.from_text(staged.to_text(), ["G"])
    assert again is not None
    assert again.now == staged.now
    assert not again.undo().dirty
    for broken in (
        "",
        "[]",
        "{}",
        '{"base": {"": [1]}, "now": {"": [1]}}',
        '{"base": {"": ["a"]}, "now": {"": ["b"]}}',
    ):
        assert Staged.from_text(broken) is None

"""Screens that were visited, gone back to and kept for the next start."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from copydesk.local import browser
from copydesk.local.snapshot import Snapshots
from copydesk.session.target import LEFT, MOST, Target, Visit, Visits


def visit(name: str) -> Visit:
    return Visit(name, Target(space=name))


def test_back_and_forth_goes_through_what_was_left() -> None:
    visits = Visits()
    assert visits.step(visit("a"), forward=False) is None
    for name in "ab":
        visits.leave(visit(name))
    assert visits.step(visit("c"), forward=False) == visit("b")
    assert visits.step(visit("b"), forward=False) == visit("a")
    assert visits.step(visit("a"), forward=False) is None
    assert visits.step(visit("a"), forward=True) == visit("b")
    assert [each.name for each in visits.ahead] == ["c"]
    visits.leave(visit("d"))
    assert visits.ahead == []
    assert [each.name for each in visits.back] == ["a", "d"]
    assert visits.step(None, forward=False) == visit("d")
    assert visits.ahead == []


def test_only_so_many_are_remembered() -> None:
    visits = Visits()
    for number in range(MOST + 5):
        visits.leave(visit(str(number)))
    assert (len(visits.back), visits.back[0].name) == (MOST, "5")


def test_the_last_screen_is_kept_for_the_next_start() -> None:
    snapshot = Snapshots()
    assert Visit.kept(snapshot) is None
    left = Visit("review", Target(space="s", change_request="r"), "row")
    left.keep(snapshot)
    assert Visit.kept(snapshot) == left
    snapshot.write(LEFT, [{"name": "review", "colour": "red"}])
    assert Visit.kept(snapshot) == Visit("review", Target())
    for broken in ([{"cursor": "x"}], [{"name": 5}], [{"name": "a", "space": 1}]):
        snapshot.write(LEFT, broken)
        assert Visit.kept(snapshot) is None


def test_a_target_with_other_fields() -> None:
    target = Target(space="s", page="p")
    assert target.but(page=None, thread="t") == Target(space="s", thread="t")


def test_a_window_of_a_browser_has_its_own_last_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot, other = Snapshots(), Snapshots(desk="other")
    terminal, mine = visit("terminal"), visit("mine")
    terminal.keep(snapshot)
    window = SimpleNamespace(left=None)
    window.keep = lambda left: setattr(window, "left", left)
    monkeypatch.setattr(browser, "window", window)
    assert Visit.kept(snapshot) == terminal
    mine.keep(snapshot)
    visit("elsewhere").keep(Snapshots(desk="other"))
    assert Visit.kept(snapshot) == mine, "that of another desk is not its own"
    mine.keep(snapshot)
    snapshot.write(LEFT, [{"name": "terminal"}])
    assert Visit.kept(snapshot) == mine, "a terminal was left later"
    terminal_again = Snapshots()
    terminal.keep(terminal_again)
    window.left = {"desk": terminal_again.desk, "row": {"name": "mine", "space": "mine"}}
    assert Visit.kept(terminal_again) == mine
    for odd in (None, {"desk": terminal_again.desk, "row": 3}, {"desk": "x", "row": {"name": "y"}}):
        window.left = odd
        assert Visit.kept(terminal_again) == terminal
    assert Visit.kept(other) is None

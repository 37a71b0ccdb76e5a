"""What sleeps, on disk: private, of one desk, back at the next start, and never in its way."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from copydesk.domain.snooze import LENGTHS, Snooze, next_snooze
from copydesk.local import marks
from copydesk.local.marks import DeskSnoozes
from copydesk.local.state import State

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def test_what_sleeps_is_there_at_the_next_start_and_wakes_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "state" / "state.db"
    store = DeskSnoozes(State(path), "desk")
    assert dict(store.read()) == dict(store.looks()) == {}
    assert not path.exists(), "nothing is made before it is needed"
    snoozes: list[Snooze | None] = [None]
    for _ in range(len(LENGTHS) + 1):
        snoozes.append(next_snooze(snoozes[-1], NOON, NOON))
    *held, awake = snoozes[1:]
    assert awake is None, "after the last length it is awake"
    for number, snooze in enumerate(held):
        store.put(f"cr{number}", snooze)
    store.look("cr0", NOON)
    later = DeskSnoozes(State(path), "desk")
    assert later.read() == {f"cr{number}": snooze for number, snooze in enumerate(held)}
    assert later.looks() == {"cr0": NOON}
    # What is known of no revision was not read; what was, is told once it is another.
    assert later.edited({"cr0": "r2"}) == set()
    store.look("cr0", NOON, "r1")
    store.look("cr0", NOON)
    assert later.edited({"cr0": "r2", "cr1": "r2"}) == {"cr0"}
    assert later.edited({"cr0": "r1"}) == later.edited({"cr0": ""}) == later.edited({}) == set()
    assert DeskSnoozes(State(path), "another desk").edited({"cr0": "r2"}) == set()
    assert dict(DeskSnoozes(State(path), "another desk").read()) == {}
    assert path.stat().st_mode & 0o777 == 0o600
    later.put("cr0", None)
    assert "cr0" not in store.read()
    for_ever, a_day = held[0], held[1]
    assert for_ever is not None
    assert a_day is not None
    assert for_ever.asleep(NOON, NOON + timedelta(days=900))
    assert not for_ever.asleep(NOON + timedelta(seconds=1), NOON), "it changed"
    assert a_day.asleep(NOON, NOON + timedelta(hours=23))
    assert not a_day.asleep(NOON, NOON + timedelta(hours=24))


def test_what_one_wrote_oneself_is_read_and_what_others_wrote_is_not() -> None:
    store = DeskSnoozes(State(), "desk")
    store.wrote("cr", "r1", "r2")
    assert not store.is_read("cr", "r2"), "what was never read is not read by that"
    store.look("cr", NOON, "r1")
    store.wrote("cr", "r1", "r2")
    assert store.is_read("cr", "r2")
    assert store.edited({"cr": "r2"}) == set()
    store.wrote("cr", "r3", "r4")
    assert not store.is_read("cr", "r4")
    assert store.edited({"cr": "r4"}) == {"cr"}


def test_so_many_views_are_kept_those_that_were_the_latest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(marks, "VIEWS", 3)
    state = State()
    store, other = DeskSnoozes(state, "desk"), DeskSnoozes(state, "other")
    other.look("a", NOON, "r1")
    for thing in ("a", "b", "c", "a", "d"):
        store.look(thing, NOON, "r1")
    assert set(store.looks()) == {"c", "a", "d"}
    assert [thing for thing in "abcd" if store.is_read(thing, "r1")] == ["a", "c", "d"]
    assert other.is_read("a", "r1")


def test_a_disk_that_refuses_is_told(tmp_path: Path) -> None:
    (tmp_path / "in the way").write_text("", encoding="ascii")
    store = State(tmp_path / "in the way" / "state.db")
    with pytest.raises(OSError, match="in the way"):
        DeskSnoozes(store, "desk").put("cr", Snooze(NOON))

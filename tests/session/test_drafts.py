"""Drafts that are counted while the disk is read, and kept while it refuses."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.local.drafts import DeskDrafts
from copydesk.local.state import State
from copydesk.session.drafts import SLOW, TWO_WINDOWS, CountedDrafts
from tests.session.full_disk import Full


def test_what_is_kept_while_the_disk_is_read_is_counted() -> None:
    class Read(DeskDrafts):
        """Drafts of which others are kept when they have just been read."""

        def keys(self) -> set[str]:
            found = super().keys()
            counted.save("new", "Typed meanwhile")
            counted.drop("old")
            return found

    store = Read(State())
    counted = CountedDrafts(store, lambda: None)
    store.save("old", "Kept before")
    counted.load_keys()
    assert (counted.count, counted.typed) == (1, True)
    store.save("other", "Of another window")
    counted._seen = -1
    assert counted.follow()
    assert (counted.count, counted.typed) == (2, True)


def test_counting_follows_saving_dropping_and_restoring() -> None:
    store, told = DeskDrafts(State()), []
    store.save("old", "text")
    counted = CountedDrafts(store, lambda: told.append(counted.count))
    counted.load_keys()
    assert counted.count == 1
    counted.save("new", "a")
    counted.save("new", "ab")
    counted.drop("old")
    assert counted.restore("old") == "text"
    assert counted.restore("old", "text") is None
    assert told == [2, 1, 2]


def test_a_draft_whose_field_is_open_does_not_wait() -> None:
    told: list[int] = []
    drafts = CountedDrafts(DeskDrafts(State()), lambda: told.append(drafts.count))
    drafts.opened("field")
    drafts.save("field", "Typed")
    drafts.save("other", "Kept")
    drafts.closed("field")
    assert told == [0, 0, 1, 2]
    assert (drafts.count_besides("other"), drafts.count_besides("none")) == (1, 2)


def test_what_the_disk_refuses_stays_in_memory_until_it_does_not() -> None:
    store, changes = Full(State()), []
    drafts = CountedDrafts(store, lambda: changes.append(drafts.trouble))
    assert drafts.flush()  # nothing waits
    drafts.save("a", "first")
    store.full = True
    drafts.save("a", "second")
    drafts.save("b", "other")
    assert (drafts.trouble, store.load("a"), drafts.load("a")) == (
        "No space left on device",
        "first",
        "second",
    )
    assert drafts.refused("a") == drafts.trouble
    assert drafts.texts() == {"a": "second", "b": "other"} == drafts.unsaved
    assert [key for key, _, _ in drafts.dated()] == ["a", "b"]
    drafts.drop("b")
    assert (drafts.load("b"), drafts.texts(), drafts.trouble) == (
        None,
        {"a": "second"},
        "No space left on device",
    )
    drafts.again()
    assert drafts.unsaved == {"a": "second"}
    store.full = False
    drafts.again()
    assert (drafts.trouble, drafts.unsaved, store.texts()) == ("", {}, {"a": "second"})
    assert changes[-1] == ""


async def test_what_is_dropped_as_soon_as_it_is_typed_comes_back() -> None:
    drafts = CountedDrafts(DeskDrafts(State()), lambda: None)
    drafts.save("a", "Typed")
    drafts.drop("a")
    assert drafts.load("a") is None
    assert await asyncio.to_thread(drafts.restore, "a") == "Typed"
    assert drafts.load("a") == "Typed"


@given(st.lists(st.sampled_from(["drop", "full", "free", "A", "B", "C"])))
def test_every_dropped_text_can_come_back_whatever_the_disk_did(did: list[str]) -> None:
    disk = State()
    store = Full(disk)
    drafts = CountedDrafts(store, lambda: None)
    typed, dropped = "", []
    for each in (*did, "free", "drop"):
        match each:
            case "full" | "free":
                store.full = each == "full"
                drafts.again()
            case "drop":
                drafts.drop("a")
                dropped += [typed] * bool(typed)
                typed = ""
            case text:
                drafts.save("a", text)
                typed = text
        assert drafts.load("a") == (typed or None)
    rows = disk.rows("SELECT text FROM dropped ORDER BY number")
    assert [json.loads(text) for (text,) in rows] == dropped
    assert drafts.restore("a") == (dropped[-1] if dropped else None)


@pytest.mark.parametrize("way", ["restore", "discard"])
def test_on_a_full_disk_no_text_is_lost_by_bringing_back_or_putting_aside(
    way: Literal["restore", "discard"],
) -> None:
    store = Full(State())
    drafts = CountedDrafts(store, lambda: None)
    drafts.save("a", "Older")
    drafts.drop("a")
    store.full = True
    drafts.save("a", "Newer")
    with pytest.raises(OSError, match="No space left"):
        getattr(drafts, way)("a")
    assert drafts.load("a") == "Newer"
    store.full = False
    drafts.discard("a")
    assert (drafts.trouble, drafts.restore("a")) == ("", "Newer")


class Slow(DeskDrafts):
    """A store on a disk that waits."""

    def __init__(self, store: State) -> None:
        super().__init__(store)
        self.goes = threading.Event()

    def save(self, key: str, text: str) -> None:
        self.goes.wait()
        super().save(key, text)


async def test_a_disk_that_is_slow_is_not_waited_for_without_end() -> None:
    store = Slow(State())
    drafts = CountedDrafts(store, lambda: None)
    kept = asyncio.Event()
    drafts.save("a", "Typed", kept.set)
    assert not drafts.flush(0.01)
    assert (drafts.trouble, drafts.refused("a"), drafts.refused("b")) == (SLOW, SLOW, "")
    assert (drafts.load("a"), drafts.own_text("a"), drafts.unsaved) == (
        "Typed", "Typed", {"a": "Typed"},
    )  # fmt: skip
    store.goes.set()
    await kept.wait()
    assert drafts.flush()
    assert (drafts.trouble, drafts.unsaved, store.load("a")) == ("", {}, "Typed")


async def test_on_the_event_loop_who_waits_is_told_after_the_disk_has_it() -> None:
    store, told = DeskDrafts(State()), list[dict[str, str]]()
    drafts = CountedDrafts(store, lambda: None)
    ended = asyncio.Event()
    drafts.save("a", "A", lambda: told.append(store.texts()))
    drafts.save("a", "AB", lambda: told.append(store.texts()))
    drafts.when_kept(ended.set)
    await ended.wait()
    assert told == [{"a": "AB"}] * 2
    drafts.save("a", "", lambda: told.append(store.texts()))
    assert (drafts.texts(), drafts.keys(), drafts.dated()) == ({}, set(), [])
    assert await asyncio.to_thread(drafts.flush)
    assert store.texts() == {}


async def test_a_text_that_moves_to_another_draft_is_there_before_it_leaves_its_own() -> None:
    class Noted(DeskDrafts):
        """Drafts that note what the disk is asked for."""

        def save(self, key: str, text: str) -> None:
            did.append(f"save {key}")
            super().save(key, text)

        def drop(self, key: str) -> None:
            did.append(f"drop {key}")
            super().drop(key)

    did: list[str] = []
    drafts, kept = CountedDrafts(Noted(State()), lambda: None), asyncio.Event()
    drafts.save("old", "One")
    drafts.save("new", "One")
    drafts.drop("old")
    drafts.when_kept(kept.set)
    await asyncio.wait_for(kept.wait(), 20)
    assert did.index("save new") < did.index("drop old"), "else a crash between them loses it"
    assert (drafts.load("new"), drafts.load("old")) == ("One", None)


def test_without_a_loop_a_text_is_on_the_disk_before_it_is_told() -> None:
    store, told = DeskDrafts(State()), list[str | None]()
    drafts = CountedDrafts(store, lambda: None)
    drafts.save("a", "A", lambda: told.append(store.load("a")))
    drafts.drop("a", lambda: told.append(store.load("a")))
    assert told == ["A", None]


def test_what_two_windows_typed_in_one_field_is_kept_and_said(tmp_path: Path) -> None:
    one, other = (
        CountedDrafts(DeskDrafts(State(tmp_path / "state.db"), "desk"), lambda: None)
        for _ in range(2)
    )
    one.load_keys()
    assert one.load("a") is other.load("a") is None
    one.save("a", "Mine")
    assert not one.shared("a")
    other.save("a", "Theirs")
    own = other.key_of("a")
    assert own != "a"
    assert one.shared("a") == other.shared("a") == f"{TWO_WINDOWS}."
    assert (one.others("a"), other.own_text("a"), one.own_text("a")) == (1, "Theirs", "Mine")
    assert one.count == 1
    assert one.follow()
    assert not one.follow()
    assert (one.count, other.count, other.typed) == (2, 2, True)
    assert one.keys() == other.keys() == {"a", own}
    one.choose(own)
    assert one.load("a") == "Theirs"
    one.discard(own)
    assert one.texts() == {"a": "Mine"}


class Unread(DeskDrafts):
    """A store that nobody can read."""

    broken = True

    def _row(self, key: str) -> tuple[str, str] | None:
        self._fail()
        return super()._row(key)

    def _fail(self) -> None:
        if self.broken:
            raise OSError(5, "Input/output error")

    def load(self, key: str) -> str | None:
        self._fail()
        return super().load(key)

    def others(self, key: str) -> int:
        self._fail()
        return super().others(key)

    def keys(self) -> set[str]:
        self._fail()
        return super().keys()

    def dated(self) -> list[tuple[str, str, float]]:
        self._fail()
        return super().dated()

    def touched(self) -> int:
        self._fail()
        return super().touched()


def test_what_cannot_be_read_is_not_there_and_the_reason_is_said_until_it_can() -> None:
    store, changes = Unread(State()), list[str]()
    drafts = CountedDrafts(store, lambda: changes.append(drafts.trouble))
    assert (drafts.load("a"), drafts.own_text("a"), drafts.others("a")) == (None, None, 0)
    assert (drafts.texts(), drafts.keys(), drafts.dated(), drafts.touched()) == ({}, set(), [], -1)
    assert changes == ["Input/output error"], "said once"
    drafts.again()
    assert (drafts.trouble, drafts.begins_anew) == ("Input/output error", False)
    store.broken = False
    drafts.again()
    assert (drafts.trouble, drafts.begins_anew, changes[-1]) == ("", True, "")
    assert drafts.load("a") is None


def test_a_disk_that_refused_at_the_start_is_asked_until_it_does_not() -> None:
    tries: list[OSError] = [OSError(30, "Read-only file system"), OSError("odd")]

    def begin() -> None:
        if tries:
            raise tries.pop(0)

    drafts = CountedDrafts(DeskDrafts(State()), lambda: None)
    drafts.refuse("No space left on device", begin)
    said = []
    while drafts.trouble:
        drafts.again()
        said.append(drafts.trouble)
    assert said == ["Read-only file system", "odd", ""]
    assert drafts.begins_anew

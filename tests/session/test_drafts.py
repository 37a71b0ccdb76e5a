"""Drafts that are counted while the disk is read, and kept while it refuses."""

from __future__ import annotations

import asyncio
import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.local.drafts import DeskDrafts
from copydesk.local.state import State
from copydesk.session.drafts import CountedDrafts
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
    assert counted.restore("old") is None
    assert told == [2, 1, 2]


def test_a_draft_whose_field_is_open_does_not_wait() -> None:
    told: list[int] = []
    drafts = CountedDrafts(DeskDrafts(State()), lambda: told.append(drafts.count))
    drafts.opened("field")
    drafts.save("field", "Typed")
    drafts.save("other", "Kept")
    drafts.closed("field")
    assert told == [0, 0, 1, 2]


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

"""Typed text on the disk: whole, private, found again, and never replaced by another window."""

from __future__ import annotations

import json
import multiprocessing
import sqlite3
import stat
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.local.drafts import ALSO, KEPT_SECONDS, DeskDrafts, field_of
from copydesk.local.state import State

T = TypeVar("T")

KEY = "S/C/page-1/block-4"


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@pytest.fixture
def drafts(tmp_path: Path) -> DeskDrafts:
    return window(tmp_path)


def window(folder: Path, clock: Clock | None = None, desk: str = "desk") -> DeskDrafts:
    """Return the drafts as another process has them."""
    return DeskDrafts(State(folder / "state.db", clock=clock or Clock()), desk)


def test_a_draft_outlives_the_process(drafts: DeskDrafts, tmp_path: Path) -> None:
    drafts.save(KEY, "Could we\r\nsay \ud83d why?\x00 ☕")
    assert window(tmp_path).dated() == [(KEY, "Could we\r\nsay \ud83d why?\x00 ☕", 1_000_001.0)]


@given(st.lists(st.tuples(st.text(), st.text()), max_size=8))
def test_keys_and_desks_do_not_meet(keys: list[tuple[str, str]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = State(Path(folder) / "state.db")
        for desk, key in keys:
            DeskDrafts(store, desk).save(key, f"{desk} {key} ")
        found = [DeskDrafts(store, desk).load(key) for desk, key in keys]
        assert found == [f"{desk} {key} " for desk, key in keys]
        store.close()


def test_drafts_are_listed_newest_first_and_by_desk(drafts: DeskDrafts, tmp_path: Path) -> None:
    there = window(tmp_path, desk="there")
    for each, key in ((drafts, "a"), (there, "b"), (drafts, "c")):
        each.save(key, "text")
    assert list(drafts.texts()) == ["c", "a"]
    assert list(there.texts()) == ["b"]
    assert there.restore("a") is None


def test_dropping_is_undone_also_after_a_restart(drafts: DeskDrafts, tmp_path: Path) -> None:
    drafts.save(KEY, "first")
    drafts.drop(KEY)
    drafts.save(KEY, "second")
    drafts.save(KEY, "")
    assert drafts.load(KEY) is None
    assert drafts.texts() == {}
    later = window(tmp_path)
    assert later.restore(KEY) == (KEY, "second")
    assert later.restore(KEY, "second") is None, "the same is there"
    assert later.load(KEY) == "second"
    later.drop(KEY)
    assert [later.restore(KEY), later.load(KEY)] == [(KEY, "second"), "second"]
    later.drop("nothing is there")
    assert later.restore("nothing is there") is None


def test_what_comes_back_is_beside_what_was_typed_since(drafts: DeskDrafts) -> None:
    for text in ("first", "second"):
        drafts.save(KEY, text)
        drafts.drop(KEY)
    drafts.save(KEY, "typed since")
    found = drafts.restore(KEY, "first")
    assert found is not None
    assert field_of(found[0]) == KEY
    assert sorted(drafts.texts().values()) == ["first", "typed since"]
    assert drafts.load(KEY) == "typed since", "the field goes on with that"
    assert drafts.others(KEY) == 1
    assert drafts.restore(KEY, "first") is None, "an undo that was cut off is gone on with"
    found = drafts.restore(KEY, "of no drop")
    assert found is not None
    assert found[1] == "of no drop"
    assert sorted(drafts.texts().values()) == ["first", "of no drop", "typed since"]


def test_drops_within_one_moment_keep_their_order(tmp_path: Path) -> None:
    drafts = DeskDrafts(State(tmp_path / "state.db", clock=lambda: 5.0), "desk")
    for text in ("one", "two", "three"):
        drafts.save(KEY, text)
        drafts.drop(KEY)
    restored = []
    for _ in range(3):
        found = drafts.restore(KEY)
        restored.append(found and found[1])
        drafts.save("elsewhere", "x")
        drafts._store.write(lambda database: database.execute("DELETE FROM draft"))
    assert restored == ["three", "two", "one"]


def test_the_last_drop_is_undone_first_though_the_clock_was_set_back(tmp_path: Path) -> None:
    now = [10_000.0]
    drafts = DeskDrafts(State(tmp_path / "state.db", clock=lambda: now[0]), "desk")
    for text in ("first", "last"):
        drafts.save("key", text)
        drafts.drop("key")
        now[0] = 10.0
    assert drafts.restore("key") == ("key", "last")


def test_dropped_drafts_go_after_a_month(drafts: DeskDrafts, tmp_path: Path) -> None:
    drafts.save(KEY, "old")
    drafts.drop(KEY)
    clock = Clock()
    for later, left in ((KEPT_SECONDS - 60, 2), (120, 1)):
        clock.now += later
        again = window(tmp_path, clock)
        again.save("other", "text")
        again.drop("other")
        rows = again._store.rows("SELECT * FROM dropped WHERE key = ?", json.dumps(KEY))
        assert len(rows) == left - 1


def test_only_the_writer_can_read(drafts: DeskDrafts, tmp_path: Path) -> None:
    drafts.save(KEY, "secret plans")
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
    deep = window(tmp_path / "home" / "state")
    deep.save(KEY, "secret plans")
    assert stat.S_IMODE((tmp_path / "home" / "state").stat().st_mode) == 0o700


def test_threads_that_keep_one_text_leave_one(drafts: DeskDrafts) -> None:
    together = threading.Barrier(5)

    def typing(name: str) -> None:
        together.wait()
        for number in range(25):
            drafts.save(KEY, f"{name} {number}")

    def reading() -> None:
        together.wait()
        for _ in range(100):
            drafts.load(KEY)

    threads = [threading.Thread(target=typing, args=(name,)) for name in "abcd"]
    threads.append(threading.Thread(target=reading))
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert drafts.keys() == {KEY}
    assert drafts.others(KEY) == 0


def test_a_thread_that_keeps_a_text_between_writing_and_noting_leaves_one(tmp_path: Path) -> None:
    class Interrupted(State):
        """A store in whose first write another thread begins to keep something."""

        def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
            result = super().write(work)
            if other.ident is None:
                other.start()
                other.join(0.5)  # it waits, if all is well
            return result

    drafts = DeskDrafts(Interrupted(tmp_path / "state.db"), "desk")
    other = threading.Thread(target=drafts.save, args=(KEY, "there"))
    drafts.save(KEY, "here")
    other.join()
    assert drafts.texts() == {KEY: "there"}


# Two windows


def test_what_two_windows_type_in_one_field_is_kept_both(tmp_path: Path) -> None:
    here, there = window(tmp_path), window(tmp_path)
    for each in (here, there):
        assert each.load(KEY) is None
    here.save(KEY, "Mine")
    before = there.touched()
    there.save(KEY, "Yours")
    here.save(KEY, "Mine, all of it")
    there.save(KEY, "Yours, all of it")
    assert sorted(window(tmp_path).texts().values()) == ["Mine, all of it", "Yours, all of it"]
    assert here.own_text(KEY) == "Mine, all of it"
    assert there.own_text(KEY) == there.load(KEY) == "Yours, all of it"
    own = there.key_of(KEY)
    assert own.startswith(ALSO)
    assert field_of(own) == KEY
    assert (here.others(KEY), there.others(KEY), there.others("other")) == (1, 1, 0)
    assert there.touched() != before, "who asks learns that another window typed"
    # Each sends its own, and drops that alone.
    there.drop(KEY)
    assert here.texts() == {KEY: "Mine, all of it"}
    assert there.load(KEY) == "Mine, all of it"
    found = there.restore(KEY)
    assert found is not None
    assert found[1] == "Yours, all of it"


def test_a_text_is_taken_up_by_another_window_and_back(tmp_path: Path) -> None:
    here, there = window(tmp_path), window(tmp_path)
    here.save(KEY, "One")
    assert there.load(KEY) == "One"
    there.save(KEY, "One, two")
    assert here.own_text(KEY) is None, "that is none of this window"
    assert here.load(KEY) == "One, two"
    here.save(KEY, "One, two, three")
    assert here.texts() == {KEY: "One, two, three"}
    # What arrived is dropped; what another window typed since is not.
    there.load(KEY)
    here.save(KEY, "Four")
    there.drop(KEY)
    assert here.texts() == {KEY: "Four"}
    there.discard(KEY)
    assert here.texts() == {}
    assert here.own_text(KEY) is None
    here.save(KEY, "Four and more")
    assert here.texts() == {KEY: "Four and more"}
    # The same text is one draft.
    there.save(KEY, "Four and more")
    assert here.others(KEY) == 0


def test_after_a_restart_either_text_is_gone_on_with(tmp_path: Path) -> None:
    here, there = window(tmp_path), window(tmp_path)
    here.save(KEY, "Mine")
    there.save(KEY, "Yours")
    also = there.key_of(KEY)
    later = window(tmp_path)
    assert later.load(KEY) == "Mine"
    later.choose(also)
    assert later.load(KEY) == "Yours"
    later.save(KEY, "Yours, and on")
    assert later.texts() == {also: "Yours, and on", KEY: "Mine"}
    later.choose(KEY)
    assert later.load(KEY) == "Mine"
    later.drop(KEY)
    # It is all that there is for the field now.
    assert window(tmp_path).load(KEY) == "Yours, and on"


def _type(folder: Path, name: str, began: object) -> None:
    drafts = DeskDrafts(State(folder / "state.db"), "desk")
    number = 0
    while True:
        number += 1
        drafts.save(KEY, f"{name} {number} " + "x" * 50_000)
        drafts.save(f"{name} {number % 20}", f"{number} " + "y" * 500)
        if number == 30:
            began.set()  # type: ignore[attr-defined]  # an Event of the spawn context


@pytest.mark.long
def test_two_processes_that_are_killed_while_they_save_leave_both_texts_whole(
    tmp_path: Path,
) -> None:
    context = multiprocessing.get_context("spawn")
    events = [context.Event() for _ in "ab"]
    processes = [
        context.Process(target=_type, args=(tmp_path, name, event))
        for name, event in zip("ab", events, strict=True)
    ]
    for process in processes:
        process.start()
    try:
        assert all(event.wait(60) for event in events)
    finally:
        for process in processes:
            process.kill()
            process.join()
    kept = window(tmp_path).texts()
    texts = [text for key, text in kept.items() if field_of(key) == KEY]
    assert sorted(text[0] for text in texts) == ["a", "b"]
    for text in texts:
        _, number, rest = text.split(" ", 2)
        assert int(number) >= 30
        assert rest == "x" * 50_000
    # And what each said was saved of its own is there, as it was saved last or just before.
    for name in "ab":
        last = max(int(kept[f"{name} {at}"].split()[0]) for at in range(20))
        assert last >= 29
        assert window(tmp_path).load(f"{name} {last % 20}") == f"{last} " + "y" * 500

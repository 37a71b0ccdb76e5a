"""The record of writes: noted before and after, whoever is killed meanwhile."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from copydesk.local import journal as journals
from copydesk.local.journal import UNDOABLE_SECONDS, Entry, Journal, Notes, entry_of
from copydesk.local.state import State

PROGRAM = """
import sys
from pathlib import Path
from copydesk.local.journal import Journal, Notes
from copydesk.local.state import State
journal = Journal(State(Path(sys.argv[1])), "d")
journal.opened()
journal.begin("merge", "#1")
journal.begin("comment", "#2", Notes(request={"name": "x"}))
print(journal.claim(), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "state.db"


def journal_at(path: Path, desk: str | None = "d", at: float = 5.0) -> Journal:
    return Journal(State(path, clock=lambda: at), desk)


def test_a_write_is_noted_before_it_is_sent_and_when_it_ends(path: Path) -> None:
    journal = journal_at(path)
    entry = journal.begin("merge", "change request 118 “é\n\ud83d”")
    assert [one.state for one in journal_at(path).entries()] == ["unknown"]
    assert [one.state for one in journal.entries()] == ["sending"]
    done = journal.settle(entry, "done", request_id="r-1", sentence="Merged.")
    assert journal_at(path).entries() == [done]
    assert (done.desk, done.request_id, done.at, done.ended) == ("d", "r-1", 5.0, 5.0)


def test_an_end_that_the_disk_refuses_is_noted_as_soon_as_it_can_be(path: Path) -> None:
    journal = journal_at(path)
    entry = journal.begin("comment", "#1", Notes(request={"name": "x"}, text="Why?"))
    pages = journal.store.rows("PRAGMA page_count")[0][0]
    journal.store.write(lambda database: database.execute(f"PRAGMA max_page_count = {pages}"))
    with pytest.raises(OSError, match="No space left") as full:
        journal.settle(entry, "queued", sentence="x" * 100_000)
    assert full.value.strerror == "No space left on device"
    journal.owe(replace(entry, state="failed"))
    assert [one.state for one in journal.entries()] == ["failed"]
    assert not journal.waiting()
    assert [one.state for one in journal_at(path).entries()] == ["unknown"]
    journal.store.write(lambda database: database.execute("PRAGMA max_page_count = 100000"))
    journal.closed()
    assert [one.state for one in journal_at(path).entries()] == ["failed"]


def test_what_a_crash_interrupted_is_reported_until_it_is_settled(path: Path) -> None:
    crashed = journal_at(path)
    lost = crashed.begin("merge", "118")
    crashed.settle(crashed.begin("react", "c"), "unknown", sentence="No answer.")
    started = journal_at(path)
    started.begin("reply", "mine, under way")
    assert [entry.id for entry in started.interrupted()] == [lost.id]
    started.settle(started.interrupted()[0], "done", sentence="Looked: it was merged.")
    assert journal_at(path).interrupted()[0].what == "reply"


def insert(put: str, row: tuple[object, ...], database: sqlite3.Connection) -> None:
    database.execute(put, row)


def test_what_is_none_is_passed_over(path: Path) -> None:
    journal = journal_at(path)
    kept = journal.begin("a", "b")
    for number, value in enumerate(("{", "5", '{"id": 5}', "[" * 100_000, b"\xff\x00", "null")):
        put = "INSERT INTO entry (id, desk, at, open, value) VALUES (?, '\"d\"', 1, 1, ?)"
        journal.store.write(partial(insert, put, (f"x{number}", value)))
    assert journal.entries() == [kept]
    start = {"id": "i", "run": "r", "at": 1, "what": "w", "target": "t", "state": "done"}
    for wrong in ({"text": 5}, {"ended": "x"}, {"state": "flying"}, {"at": "now"}):
        assert entry_of({**start, **wrong}) is None
    assert entry_of({**start, "later": "field"}) == Entry("i", "r", 1, "w", "t", "done")
    # A reason to wait that is not known yet is one: a person decides.
    held = entry_of({**start, "held": "?"})
    assert held is not None
    assert held.held == "untold"


def test_entries_can_be_asked_for_by_time_and_desk(path: Path) -> None:
    for at, desk in [(1.0, "a"), (2.0, "b"), (3.0, "a")]:
        journal_at(path, desk, at).begin("w", "t")
    assert [entry.at for entry in journal_at(path, None).entries(since=2.0)] == [2.0, 3.0]
    assert [entry.at for entry in journal_at(path, "a").entries()] == [1.0, 3.0]


def test_a_long_journal_forgets_what_is_settled_and_old(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "KEPT", 2)
    first = journal_at(path)
    first.settle(first.begin("old", "#1", Notes(reversal={"back": []})), "done")
    first.begin("lost", "#2")
    waits = first.begin("comment", "#3", Notes(request={"name": "x"}))
    first.settle(waits, "queued")
    later = journal_at(path, at=UNDOABLE_SECONDS + 6)
    for number in range(3):
        later.settle(later.begin("new", str(number)), "done")
    later.opened()
    assert [one.what for one in later.entries()] == ["lost", "comment", "new", "new", "new"]


def test_threads_and_windows_do_not_mix_their_writes(path: Path) -> None:
    journal, other = journal_at(path), journal_at(path)

    def write(name: str) -> None:
        for number in range(20):
            each = journal if name == "a" else other
            each.settle(each.begin(name, str(number), Notes(text=name * 500)), "done")

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [each.state for each in journal.entries()] == ["done"] * 60


def test_a_process_that_is_killed_lets_go_of_all_that_it_was_at(path: Path) -> None:
    here = journal_at(path)
    assert not here.crashed()
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as other:  # fmt: skip
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        # It is running: what it has under way is its own to settle, and to send.
        assert not here.crashed()
        assert not here.interrupted()
        assert not here.waiting()
        assert [each.state for each in here.entries()] == ["sending", "sending"]
        assert not here.claim()
        other.kill()
        other.wait()
        assert here.crashed()
        assert [each.state for each in here.entries()] == ["unknown", "unknown"]
        assert [each.what for each in here.interrupted()] == ["merge", "comment"]
        assert [each.what for each in here.waiting()] == ["comment"]
        assert here.claim()
    here.opened()
    here.closed()
    here.store.close()
    again = journal_at(path)
    again.opened()
    assert len(list((path.parent / "running").iterdir())) == 1
    again.closed()
    again.store.close()
    assert not journal_at(path).crashed()
    assert list((path.parent / "running").iterdir()) == []
    assert journal_at(path).claim(), "who ends lets go as well"

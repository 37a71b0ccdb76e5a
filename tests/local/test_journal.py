import os
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.local import journal as journals
from copydesk.local.journal import Journal, Notes


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "journal.jsonl"


def test_a_write_is_noted_before_it_is_sent_and_when_it_ends(path: Path) -> None:
    journal = Journal(path, clock=lambda: 5.0)
    entry = journal.begin("merge", "change request 118", desk="d", body='{"a": "é\\n"}')
    assert [one.state for one in Journal(path).entries()] == ["unknown"]
    assert [one.state for one in journal.entries()] == ["sending"]
    done = journal.settle(entry, "done", request_id="r-1", sentence="Merged.")
    assert Journal(path).entries() == [done]
    assert (done.body, done.request_id, done.at, done.ended) == ('{"a": "é\\n"}', "r-1", 5.0, 5.0)


def test_an_end_that_the_disk_refuses_is_noted_as_soon_as_it_can_be(path: Path) -> None:
    journal = Journal(path)
    entry = journal.begin("comment", "#1", notes=Notes(request={"name": "x"}, text="Why?"))
    away = path.parent.rename(path.parent.with_name("away"))
    with pytest.raises(OSError, match="No such file"):
        journal.settle(entry, "queued")
    journal.owe(replace(entry, state="failed"))
    assert [one.state for one in journal.entries()] == ["failed"]
    assert not journal.waiting()
    away.rename(path.parent)
    journal.closed()
    assert [one.state for one in Journal(path).entries()] == ["failed"]
    # A reason to wait that is not known yet is one: a person decides.
    path.write_text(path.read_text().replace('"state": "failed"', '"state": "queued", "held": "?"'))
    assert [one.held for one in Journal(path).waiting()] == ["untold"]


def test_a_write_that_has_ended_is_one_line(path: Path) -> None:
    journal = Journal(path, clock=lambda: 5.0)
    entry = journal.finished("comment", "page", "failed", at=2.0, sentence="No.")
    assert Journal(path).entries() == [entry]
    assert len(path.read_bytes().splitlines()) == 1


def test_what_a_crash_interrupted_is_reported_until_it_is_settled(path: Path) -> None:
    crashed = Journal(path)
    lost = crashed.begin("merge", "118")
    crashed.settle(crashed.begin("react", "c"), "unknown", sentence="No answer.")
    started = Journal(path)
    started.begin("reply", "mine, under way")
    assert [entry.id for entry in started.interrupted()] == [lost.id]
    started.settle(started.interrupted()[0], "done", sentence="Looked: it was merged.")
    assert Journal(path).interrupted()[0].what == "reply"


def test_any_torn_end_costs_at_most_its_own_line(path: Path) -> None:
    journal = Journal(path)
    kept = [journal.finished("a", str(number), "done") for number in range(2)]
    whole = path.read_bytes()
    journal.finished("torn", "x", "done")
    longer = path.read_bytes()
    for end in range(len(whole), len(longer) - 1):
        path.write_bytes(longer[:end])
        later = Journal(path)
        assert later.entries() == kept
        after = later.finished("after", "y", "done")
        assert later.entries() == [*kept, after]


@given(st.lists(st.binary(max_size=30) | st.just(b'{"id": 5}'), max_size=5))
def test_lines_of_nonsense_are_passed_over(lines: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "j"
        path.write_bytes(b"\n".join(lines))
        journal = Journal(path)
        entry = journal.finished("a", "b", "done")
        assert journal.entries() == [entry]


def test_fields_of_the_wrong_kind_are_nonsense(path: Path) -> None:
    journal = Journal(path)
    start = '{"id": "i", "run": "r", "at": 1, "what": "w", "target": "t", "state": '
    path.write_text(
        f'{start}"done", "body": 5}}\n{start}"done", "ended": "x"}}\n{start}"flying"}}\n'
        f'{start}"done", "later": "field"}}\n'
    )
    assert [entry.id for entry in journal.entries()] == ["i"]


def test_entries_can_be_asked_for_by_time_and_desk(path: Path) -> None:
    journal = Journal(path)
    for at, desk in [(1.0, "a"), (2.0, "b"), (3.0, "a")]:
        journal.finished("w", "t", "done", at=at, desk=desk)
    assert [entry.at for entry in journal.entries(since=2.0)] == [2.0, 3.0]
    assert [entry.at for entry in journal.entries(desk="a")] == [1.0, 3.0]


def test_a_long_journal_is_turned_over_and_one_older_is_kept(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "ROTATE_BYTES", 100)
    first = Journal(path).finished("one", "x" * 100, "done")
    journal = Journal(path)
    second = journal.finished("two", "t", "done")
    assert journal.entries() == [first, second]
    assert len(path.read_bytes().splitlines()) == 1


def test_threads_do_not_mix_their_lines(path: Path) -> None:
    journal = Journal(path)

    def write(name: str) -> None:
        for number in range(20):
            journal.finished(name, str(number), "done", body=name * 500)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(journal.entries()) == 60


def test_what_can_be_taken_back_outlives_its_file(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "ROTATE_BYTES", 100)
    way = Notes(reversal={"back": []}, group="g")
    first = Journal(path)
    kept = first.settle(first.begin("archive", "#1", notes=way), "done")
    undone = first.settle(
        first.begin("Undo: archive", "#1", notes=Notes(kind="undo", of=kept.id)), "done"
    )
    lost = first.begin("merge", "#2")
    first.finished("comment", "#3", "done")
    for _ in range(2):
        journal = Journal(path)
        journal.finished("filling", "x" * 200, "done")
    found = {entry.id: entry for entry in journal.entries()}
    assert found[kept.id] == kept
    assert found[undone.id] == undone
    assert found[lost.id].state == "unknown"
    assert [entry.id for entry in journal.interrupted()] == [lost.id]
    assert "comment" not in {entry.what for entry in found.values()}


def test_a_run_that_did_not_say_that_it_ended_has_crashed(path: Path) -> None:
    first = Journal(path)
    assert not first.crashed("d")
    first.opened("d")
    entry = first.begin("merge", "#1")
    other = Journal(path)
    other.opened("other")
    # This process is there still: what it has under way is its own to settle.
    assert not other.crashed("d")
    assert not other.interrupted()
    text = path.read_text().replace(f'"process": {os.getpid()}', f'"process": {2**22 + 1}')
    path.write_text(text)
    assert other.crashed("d")
    assert [one.id for one in other.interrupted()] == [entry.id]
    first.closed()
    assert not other.crashed("d")

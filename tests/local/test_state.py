"""The one file of what must not be lost: damaged, refused, older, and used by many at once."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from copydesk.cli import main
from copydesk.domain.arrange_run import ArrangeRun
from copydesk.domain.merge_run import MergeRun
from copydesk.domain.snooze import Snooze
from copydesk.local.drafts import DeskDrafts
from copydesk.local.journal import Journal, Notes
from copydesk.local.marks import DeskSeen, DeskSnoozes
from copydesk.local.runs import Arrangements, Runs
from copydesk.local.state import State, Taken, locked
from copydesk.local.takeover import clear

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "state.db"


def fill(path: Path) -> None:
    store = State(path)
    drafts, seen = DeskDrafts(store, "d"), DeskSeen(store, "d")
    for number in range(60):
        drafts.save(f"key {number}", f"{number} " + "typed " * 400)
        seen.mark("cr", f"page {number}", os.urandom(3000).hex())
    store.close()


def damage_all(path: Path) -> None:
    path.write_bytes(b"This was not a database, and it is long enough to be looked at." * 200)


def damage_a_part(path: Path) -> None:
    with path.open("r+b") as file:
        size = path.stat().st_size
        for at in range(size // 2, size - 4096, 4096):
            file.seek(at)
            file.write(b"\xff" * 4096)


def fill_more(path: Path) -> None:
    """Keep of each kind what stands before the damage of `damage_drafts`."""
    store = State(path, clock=lambda: 5.0)
    journal, runs = Journal(store, "d"), Arrangements(store, "d")
    for number in range(3):
        journal.begin(f"Write {number}", "#1", Notes(text="Why?"))
    DeskDrafts(store, "d").save("gone", "Dropped")
    DeskDrafts(store, "d").drop("gone")
    plan = replace(ArrangeRun.of("p", "s", "S", ()), id="plan")
    runs.save(plan)
    runs.save(replace(plan, state="stopped"))
    DeskSnoozes(store, "d").put("cr", Snooze(NOON))
    store.close()
    fill(path)


def damage_drafts(path: Path) -> None:
    """Damage a page of the drafts in the middle of them; nothing else is touched."""
    content = path.read_bytes()
    at = content.index(b'"30 typed') // 4096 * 4096
    with path.open("r+b") as file:
        file.seek(at)
        file.write(b"\xff" * 4096)


def shown(store: State) -> tuple[object, ...]:
    plan = Arrangements(store, "d").load("plan")
    return (
        sorted(DeskDrafts(store, "d").texts()),
        [each.what for each in Journal(store, "d").entries()],
        None if plan is None else plan.state,
        DeskSnoozes(store, "d").read(),
        store.rows("SELECT key, text FROM dropped"),
    )


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


# Damage


@pytest.mark.parametrize("damage", [damage_all, damage_a_part, cut])
def test_a_damaged_file_is_set_aside_and_what_can_be_read_of_it_stays(
    path: Path, damage: Callable[[Path], None]
) -> None:
    fill(path)
    damage(path)
    content = path.read_bytes()
    store = State(path)
    drafts = DeskDrafts(store, "d")
    kept = drafts.texts()
    drafts.save("new", "What is on the screen")
    DeskSeen(store, "d").mark("cr", "page", "text")
    store.close()
    aside = path.with_name("state.db.broken")
    assert aside.read_bytes() == content
    assert store.damage.startswith(f"state.db was damaged: it is kept as {aside}")
    assert DeskDrafts(State(path), "d").texts() == {**kept, "new": "What is on the screen"}
    if damage is damage_a_part:
        assert len(kept) > 5, "what stands before the damage is read"
    # Another time it has another name.
    damage_all(path)
    assert DeskDrafts(State(path), "d").texts() == {}
    assert path.with_name("state.db.broken-2").exists()


def test_of_each_kind_what_can_be_read_is_taken_over_once(path: Path) -> None:
    fill_more(path)
    damage_drafts(path)
    content = path.read_bytes()
    store = State(path)
    drafts, writes, state, asleep, dropped = before = shown(store)
    assert isinstance(drafts, list)
    assert 5 < len(drafts) < 60
    assert (writes, state) == (["Write 0", "Write 1", "Write 2"], "stopped")
    assert asleep == {"cr": Snooze(NOON)}
    assert dropped == [('"gone"', '"Dropped"')]
    store.close()
    # One that ended before the damaged file had its last name does it again, to no effect.
    aside = path.with_name("state.db.broken")
    assert aside.read_bytes() == content
    aside.rename(path.with_name("state.db.damaged"))
    again = State(path)
    assert shown(again) == before
    assert again.rows("SELECT count(*) FROM run_change") == [(1,)]
    assert not path.with_name("state.db.damaged").exists()


def test_numbers_that_the_new_file_has_too_cost_no_row(path: Path) -> None:
    fill_more(path)
    path.rename(path.with_name("state.db.damaged"))
    elsewhere = State(path.with_name("elsewhere.db"), clock=lambda: 9.0)
    Journal(elsewhere, "d").begin("Another", "#2")
    mine = DeskDrafts(elsewhere, "d")
    for key, text in (("also gone", "Dropped here"), ("key 1", "Another text")):
        mine.save(key, text)
    mine.drop("also gone")
    elsewhere.close()
    path.with_name("elsewhere.db").rename(path)
    store = State(path)
    assert sorted(each.what for each in Journal(store, "d").entries()) == [
        "Another", "Write 0", "Write 1", "Write 2",
    ]  # fmt: skip
    assert store.rows("SELECT text FROM dropped") == [('"Dropped here"',), ('"Dropped"',)]
    drafts = DeskDrafts(store, "d")
    assert len(drafts.texts()) == 61
    assert drafts.load("key 1") == "Another text"
    assert drafts.others("key 1") == 1


REFUSED = """
import json, resource, sys
from pathlib import Path
from copydesk.local.drafts import DeskDrafts
from copydesk.local.journal import Journal
from copydesk.local.state import State

resource.setrlimit(resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
store = State(Path(sys.argv[1]))
drafts = DeskDrafts(store, "d")
found = [len(drafts.texts()), len(Journal(store, "d").entries())]
try:
    drafts.save("new", "text")
except OSError as error:
    found += [type(error).__name__]
found += [len(drafts.texts()), len(Journal(store, "d").entries()), store.damage]
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
sys.stdout.write(json.dumps(found))
"""


@pytest.mark.parametrize("open_elsewhere", [False, True])
def test_a_damaged_file_on_a_full_disk_is_read_and_taken_over_later(
    path: Path, open_elsewhere: bool
) -> None:
    fill_more(path)
    damage_drafts(path)
    other = sqlite3.connect(path)
    if open_elsewhere:
        other.execute("SELECT count(*) FROM entry").fetchone()
    said = subprocess.run(
        [sys.executable, "-c", REFUSED, str(path)], check=True, capture_output=True, text=True
    ).stdout
    other.close()
    drafts, writes, refused, *then = json.loads(said)
    assert drafts > 5
    assert (writes, refused) == (3, "OSError")
    assert then == [drafts, 3, ""]
    # Another process finds it when there is room again.
    store = State(path)
    assert len(DeskDrafts(store, "d").texts()) == drafts
    assert len(Journal(store, "d").entries()) == 3
    assert store.damage.startswith("state.db was damaged: it is kept as")
    left = {each.name for each in path.parent.glob("state.db.*")}
    assert {name for name in left if not name.endswith(("-wal", "-shm"))} == {
        "state.db.broken", "state.db.lock",
    }  # fmt: skip


def test_what_is_written_while_a_file_is_set_aside_goes_into_the_new_one(path: Path) -> None:
    fill_more(path)
    here, there = State(path), State(path)
    DeskDrafts(there, "d").save("there", "Typed there")
    begins = threading.Event()
    here._opened().set_trace_callback(lambda _: begins.set())
    waits = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    waits.execute("BEGIN IMMEDIATE")  # as who sets it aside holds it
    writing = threading.Thread(target=DeskDrafts(here, "d").save, args=("late", "Typed"))
    writing.start()
    assert begins.wait(60)
    path.rename(path.with_name("state.db.damaged"))
    for end in ("-wal", "-shm"):
        path.with_name(f"state.db{end}").rename(path.with_name(f"state.db.damaged{end}"))
    waits.execute("ROLLBACK")
    waits.close()
    writing.join()
    kept = DeskDrafts(State(path), "d").texts()
    assert (kept["late"], kept["there"]) == ("Typed", "Typed there")
    assert DeskDrafts(there, "d").texts() == kept


def test_a_file_that_is_damaged_while_it_is_open_costs_no_text(path: Path) -> None:
    fill(path)
    store, other = State(path), State(path)
    here, there = DeskDrafts(store, "d"), DeskDrafts(other, "d")
    assert here.load("key 1")
    assert there.load("key 2")
    damage_all(path)
    here.save("key 1", "What is on the screen")
    there.save("key 2", "And there")
    store.close()
    other.close()
    kept = DeskDrafts(State(path), "d").texts()
    assert kept["key 1"] == "What is on the screen"
    assert kept["key 2"] == "And there"


def test_a_file_that_is_deleted_or_moved_away_is_begun_anew(path: Path) -> None:
    drafts = DeskDrafts(State(path), "d")
    drafts.save("a", "one")
    shutil.rmtree(path.parent)
    assert drafts.texts() == {}
    drafts.save("a", "one, two")
    assert DeskDrafts(State(path), "d").texts() == {"a": "one, two"}


def test_commands_say_that_it_was_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COPYDESK_HOME", str(tmp_path))
    path = tmp_path / "state" / "state.db"
    fill(path)
    damage_all(path)
    main(["doctor"])
    assert f"{path}: damaged (file is not a database)" in capsys.readouterr().out
    assert main(["log"]) == 0
    out, error = capsys.readouterr()
    assert out == "Nothing was sent from this machine yet.\n"
    assert "state.db was damaged: it is kept as" in error
    assert "Look in copydesk whether a draft is missing (:drafts)." in error
    assert "g d" not in error
    assert main(["outbox"]) == 0
    assert capsys.readouterr() == ("Nothing waits to be sent.\n", "")
    main(["doctor"])
    said = capsys.readouterr().out
    assert "damaged (" not in said
    assert f"{path}.broken: was damaged, kept aside" in said


# Refusals


def test_another_process_that_keeps_it_busy_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("copydesk.local.state.BUSY_SECONDS", 0)
    store = State(path)
    DeskDrafts(store, "d").save("key", "text")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(OSError, match="another copydesk is using"):
        DeskDrafts(store, "d").save("key", "more")
    assert DeskDrafts(store, "d").load("key") == "text", "reading waits for no one"
    other.execute("ROLLBACK")
    other.close()


def test_a_full_disk_leaves_what_was_there(path: Path) -> None:
    store = State(path)
    drafts = DeskDrafts(store, "d")
    drafts.save("key", "text")
    pages = store.rows("PRAGMA page_count")[0][0]
    store.write(lambda database: database.execute(f"PRAGMA max_page_count = {pages}"))
    with pytest.raises(OSError, match="No space") as full:
        drafts.save("key", "x" * 100_000)
    assert full.value.strerror == "No space left on device"
    assert drafts.load("key") == "text"
    store.write(lambda database: database.execute("PRAGMA max_page_count = 10000"))
    drafts.save("key", "x" * 100_000)
    assert drafts.others("key") == 0


# What older versions have left


def older(folder: Path) -> None:
    """Write what the version before this one had on the disk."""
    (folder / "drafts").mkdir(parents=True)

    def draft(name: str, key: str, text: str) -> None:
        value = {"key": ["d", key, ""], "text": text, "saved": 5.0, "label": ""}
        (folder / "drafts" / name).write_text(json.dumps(value))

    draft("aa.json", "one", "First \ud83d")
    draft("bb.json", "two", "Second")
    draft("bb.7000.dropped", "three", "Dropped")
    (folder / "drafts" / "cc.json").write_text("{ half")
    (folder / "drafts" / ".dd.json.12.part").write_text("{")
    lines = [
        {"run": "r1", "opened": 1.0, "desk": "d", "process": 2**22 + 1, "started": ""},
        {"id": "e0", "run": "r1", "at": 1.0, "what": "Old", "target": "#0", "state": "done",
         "desk": "d"},
        {"id": "e1", "run": "r1", "at": 2.0, "what": "Merge", "target": "#1", "state": "sending",
         "desk": "d"},
        {"id": "e2", "run": "r1", "at": 3.0, "what": "Comment", "target": "#2", "state": "sending",
         "desk": "d", "request": {"name": "x"}, "text": "Why?"},
        {"id": "e2", "run": "r1", "at": 3.0, "what": "Comment", "target": "#2", "state": "queued",
         "desk": "d", "request": {"name": "x"}, "text": "Why?", "ended": 4.0},
    ]  # fmt: skip
    written = [json.dumps(line) for line in lines]
    (folder / "journal.jsonl.1").write_text("\n".join(written[:2]) + "\n")
    (folder / "journal.jsonl").write_text("\n".join(written[2:]) + '\n{"id": "torn')
    (folder / "journal.jsonl.lock").touch()
    (folder / "runs").mkdir()
    run = {"id": "run", "items": [], "state": "stopped", "made": 2.0}
    desk = Runs(State(folder / "none.db"), "d")._desk
    (folder / "runs" / f"{desk}-1234.json").write_text(json.dumps(run) + "\n")
    (folder / "runs" / f"{desk}-1234.lock").touch()
    (folder / "runs" / f"{desk}-5678.json").write_text(json.dumps({**run, "id": "held"}) + "\n")
    (folder / "runs" / f"{desk}-5678.lock").touch()
    (folder / "arrangements").mkdir()
    plan = replace(ArrangeRun.of("p", "s", "S", ()), id="plan")
    (folder / "arrangements" / f"{desk}-9.json").write_bytes(
        TypeAdapter(ArrangeRun).dump_json(plan, exclude_defaults=True)
        + b'\n{"state": "stopped"}\n{"sta'
    )
    with sqlite3.connect(folder / "snoozed.db") as database:
        database.executescript(
            "CREATE TABLE snooze (desk, object, updated, until, step);"
            "CREATE TABLE look (desk, object, at);"
            f"INSERT INTO snooze VALUES ('d', 'cr', '{NOON.isoformat()}', NULL, 0);"
        )
    database.close()
    damage_all(folder / "seen.db")


def test_what_older_versions_left_is_taken_over_once_and_goes_then(path: Path) -> None:
    folder = path.parent
    older(folder)
    held = locked(next(folder.glob("runs/*-5678.lock")))
    assert held is not None, "an older copydesk is at that run"
    store = State(path)
    drafts, journal = DeskDrafts(store, "d"), Journal(store, "d")
    assert drafts.texts() == {"one": "First \ud83d", "two": "Second"}
    assert drafts.restore("three") == ("three", "Dropped")
    assert [(each.id, each.state) for each in journal.entries()] == [
        ("e0", "done"), ("e1", "unknown"), ("e2", "queued"),
    ]  # fmt: skip
    assert journal.crashed()
    assert [each.id for each in journal.interrupted()] == ["e1"]
    assert [each.text for each in journal.waiting()] == ["Why?"]
    assert Runs(store, "d").all() == [MergeRun("run", state="stopped", made=2.0)]
    plan = Arrangements(store, "d").load("plan")
    assert plan is not None
    assert plan.state == "stopped"
    assert DeskSnoozes(store, "d").read() == {"cr": Snooze(NOON)}
    # What could not be read, or is somebody's, stays; the rest is in one place alone.
    left = {str(each.relative_to(folder)) for each in folder.rglob("*") if each.is_file()}
    left = {name for name in left if not name.startswith("state.db")}
    desk = Runs(store, "d")._desk
    assert left == {
        "drafts/cc.json", "seen.db.broken", f"runs/{desk}-5678.json", f"runs/{desk}-5678.lock",
    }  # fmt: skip
    held.close()
    # What an older copydesk writes later is taken over too, beside what was typed here since.
    drafts.load("two")
    drafts.save("two", "Second, and on")
    journal.settle(journal.interrupted()[0], "done")
    drafts.drop("one")
    older_again = folder / "drafts" / "bb.json"
    value = {"key": ["d", "two", ""], "text": "Second there", "saved": 9.0, "label": ""}
    older_again.write_text(json.dumps(value))
    line = {"id": "e1", "run": "r1", "at": 2.0, "what": "Merge", "target": "#1", "state": "sending",
            "desk": "d"}  # fmt: skip
    (folder / "journal.jsonl").write_text(json.dumps(line) + "\n")
    store.close()
    store = State(path)
    assert sorted(DeskDrafts(store, "d").texts().values()) == [
        "Dropped", "Second there", "Second, and on",
    ]  # fmt: skip
    assert not older_again.exists()
    assert [each.state for each in Journal(store, "d").entries()] == ["done", "done", "queued"]
    assert [run.id for run in Runs(store, "d").all()] == ["run", "held"]


@pytest.mark.parametrize("name", ["outbox-abc.lock", "journal.jsonl.lock"])
def test_a_journal_that_an_older_copydesk_is_at_is_left_alone(path: Path, name: str) -> None:
    folder = path.parent
    older(folder)
    (folder / name).touch()
    held = locked(folder / name)
    assert held is not None
    store = State(path)
    assert Journal(store, "d").waiting() == []
    assert (folder / "journal.jsonl").exists()
    assert (folder / name).exists()
    assert len(DeskDrafts(store, "d").texts()) == 2, "that is no one's"
    store.close()
    held.close()
    # It cannot begin to send either while its journal is taken over.
    seen: list[object] = []

    def look(folder: Path, done: Taken) -> None:
        seen.append(locked(folder / name))
        clear(folder, done)

    store = State(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("copydesk.local.takeover.clear", look)
        assert [each.text for each in Journal(store, "d").waiting()] == ["Why?"]
    assert seen == [None]
    assert not (folder / name).exists()
    assert not (folder / "journal.jsonl").exists()


def test_a_take_over_that_is_cut_off_is_done_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older(path.parent)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as end:
        end.setattr("copydesk.local.takeover.clear", killed)
        with pytest.raises(KeyboardInterrupt):
            DeskDrafts(State(path), "d").texts()
    store = State(path)
    assert DeskDrafts(store, "d").texts() == {"one": "First \ud83d", "two": "Second"}
    assert len(Journal(store, "d").entries()) == 3
    assert len(store.rows("SELECT * FROM dropped")) == 1
    assert not (path.parent / "journal.jsonl").exists()


def test_reading_on_a_disk_that_takes_nothing_shows_what_older_versions_left(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older(path.parent)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as full:
        full.setattr(Path, "touch", refuse)
        store = State(path)
        assert len(DeskDrafts(store, "d").texts()) == 2
        assert len(Journal(store, "d").entries()) == 3
        with pytest.raises(OSError, match="Read-only"):
            DeskDrafts(store, "d").save("four", "text")
    assert (path.parent / "journal.jsonl").exists()
    DeskDrafts(store, "d").save("four", "text")
    assert len(DeskDrafts(State(path), "d").texts()) == 3


# One among many


def test_nothing_is_made_before_something_is_kept(path: Path) -> None:
    store = State(path)
    assert DeskDrafts(store, "d").texts() == {}
    assert Journal(store).entries() == []
    assert Runs(store, "d").all() == []
    assert not path.parent.exists()


def test_all_of_it_is_private(path: Path) -> None:
    store = State(path)
    Journal(store, "d").opened()
    Journal(store, "d").begin("Comment", "#1", Notes(text="secret plans"))
    found = [path.parent, *path.parent.rglob("*")]
    modes = {stat.S_IMODE(each.stat().st_mode) for each in found if each.is_file()}
    assert modes == {0o600}
    assert {stat.S_IMODE(each.stat().st_mode) for each in found if each.is_dir()} == {0o700}


def test_columns_that_a_later_version_added_are_in_the_way_of_nothing(path: Path) -> None:
    folder = path.parent
    folder.mkdir(parents=True)
    (folder / "drafts").mkdir()
    store = State(path)
    DeskDrafts(store, "d").save("first", "one")
    store.close()
    with sqlite3.connect(path) as database:
        tables = database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        for (table,) in tables:
            if not table.startswith("sqlite_"):
                database.execute(f"ALTER TABLE {table} ADD COLUMN later TEXT")
    database.close()
    store = State(path)
    drafts, seen, snoozes = (DeskDrafts(store, "d"), DeskSeen(store, "d"), DeskSnoozes(store, "d"))
    drafts.save("key", "typed")
    drafts.drop("key")
    assert drafts.restore("key") == ("key", "typed")
    for text in ("text", "other"):
        seen.mark("cr", "page", text)
    assert set(seen.pages("cr")) == {"page"}
    snoozes.put("cr", Snooze(NOON, None, 1))
    snoozes.look("cr", NOON)
    assert set(snoozes.read()) == set(snoozes.looks()) == {"cr"}
    runs = Runs(store, "d")
    assert runs.claim("one")
    runs.save(MergeRun("one", ()))
    assert [run.id for run in runs.all()] == ["one"]
    store.close()

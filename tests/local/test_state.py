"""The one file of what must not be lost: damaged, refused, older, and used by many at once."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
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
from copydesk.local.runs import Arrangements, Runs
from copydesk.local.seen import DeskSeen
from copydesk.local.snooze import DeskSnoozes
from copydesk.local.state import State, locked

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
    path.write_bytes(b"This was no database, and it is long enough to be looked at." * 200)


def damage_a_part(path: Path) -> None:
    with path.open("r+b") as file:
        size = path.stat().st_size
        for at in range(size // 2, size - 4096, 4096):
            file.seek(at)
            file.write(b"\xff" * 4096)


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
    kept = drafts.kept()
    drafts.save("new", "What is on the screen")
    DeskSeen(store, "d").mark("cr", "page", "text")
    store.close()
    aside = path.with_name("state.db.broken")
    assert aside.read_bytes() == content
    assert store.said.startswith(f"state.db was damaged: it is kept as {aside}")
    assert DeskDrafts(State(path), "d").kept() == {**kept, "new": "What is on the screen"}
    if damage is damage_a_part:
        assert len(kept) > 5, "what stands before the damage is read"
    # Another time it has another name.
    damage_all(path)
    assert DeskDrafts(State(path), "d").kept() == {}
    assert path.with_name("state.db.broken-2").exists()


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
    kept = DeskDrafts(State(path), "d").kept()
    assert kept["key 1"] == "What is on the screen"
    assert kept["key 2"] == "And there"


def test_a_file_that_is_deleted_or_moved_away_is_begun_anew(path: Path) -> None:
    drafts = DeskDrafts(State(path), "d")
    drafts.save("a", "one")
    shutil.rmtree(path.parent)
    assert drafts.kept() == {}
    drafts.save("a", "one, two")
    assert DeskDrafts(State(path), "d").kept() == {"a": "one, two"}


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
    assert out == ""
    assert "state.db was damaged: it is kept as" in error
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
    with pytest.raises(OSError, match="another copydesk keeps"):
        DeskDrafts(store, "d").save("key", "more")
    assert DeskDrafts(store, "d").load("key") == "text", "reading waits for nobody"
    other.execute("ROLLBACK")
    other.close()


def test_a_full_disk_leaves_what_was_there(path: Path) -> None:
    store = State(path)
    drafts = DeskDrafts(store, "d")
    drafts.save("key", "text")
    pages = store.rows("PRAGMA page_count")[0][0]
    store.rows(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(OSError, match="No space") as full:
        drafts.save("key", "x" * 100_000)
    assert full.value.strerror == "No space left on device"
    assert drafts.load("key") == "text"
    store.rows("PRAGMA max_page_count = 10000")
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
    assert drafts.kept() == {"one": "First \ud83d", "two": "Second"}
    assert drafts.restore("three") == "Dropped"
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
    assert sorted(DeskDrafts(store, "d").kept().values()) == [
        "Dropped", "Second there", "Second, and on",
    ]  # fmt: skip
    assert not older_again.exists()
    assert [each.state for each in Journal(store, "d").entries()] == ["done", "done", "queued"]
    assert [run.id for run in Runs(store, "d").all()] == ["run", "held"]


def test_a_take_over_that_is_cut_off_is_done_again(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older(path.parent)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as end:
        end.setattr("copydesk.local.takeover.clear", killed)
        with pytest.raises(KeyboardInterrupt):
            DeskDrafts(State(path), "d").kept()
    store = State(path)
    assert DeskDrafts(store, "d").kept() == {"one": "First \ud83d", "two": "Second"}
    assert len(Journal(store, "d").entries()) == 3
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
        assert len(DeskDrafts(store, "d").kept()) == 2
        assert len(Journal(store, "d").entries()) == 3
        with pytest.raises(OSError, match="Read-only"):
            DeskDrafts(store, "d").save("four", "text")
    assert (path.parent / "journal.jsonl").exists()
    DeskDrafts(store, "d").save("four", "text")
    assert len(DeskDrafts(State(path), "d").kept()) == 3


# One among many


def test_nothing_is_made_before_something_is_kept(path: Path) -> None:
    store = State(path)
    assert DeskDrafts(store, "d").kept() == {}
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

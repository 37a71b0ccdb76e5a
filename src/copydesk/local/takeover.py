"""What versions before the database kept in files of their own, taken over into it.

It is read again each time that such a file is there: an older copydesk may still be open, or be
used again. What is in the database already is not taken twice. A file goes once what was in it is
on the disk; what cannot be read stays where it is.
"""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from copydesk.local.journal import LAST_MOMENT, entry_of, row_of
from copydesk.local.state import COPIES, Taken, locked


def take_over(folder: Path, database: sqlite3.Connection) -> Taken:
    """Take over what is in a folder, in the transaction under way; return what is done with."""
    # As they are before they are read: an older copydesk may go on writing to them.
    before = {path: _sign(path) for path in (*folder.glob("*"), *folder.glob("*/*"))}
    kinds = (
        _drafts(folder / "drafts", database),
        _journal(folder, database),
        _runs(folder / "runs", "merge", database),
        _runs(folder / "arrangements", "arrange", database),
        _database(folder / "seen.db", ("text", "seen", "former"), database),
        _database(folder / "snoozed.db", ("snooze", "look"), database),
    )
    done: list[Path] = []
    for kind in kinds:
        with suppress(ValueError, OverflowError, sqlite3.IntegrityError):  # none that we wrote
            done.extend(kind)
    return {path: before[path] for path in done if path in before}


def clear(folder: Path, done: Taken) -> None:
    """Delete files that were taken over, and folders that are empty then."""
    locks = [*folder.glob("outbox-*.lock"), folder / "journal.jsonl.lock"]
    with suppress(OSError):  # they are taken over again, to no effect
        for path in (*(path for path in done if _sign(path) == done[path]), *locks):
            path.unlink(missing_ok=True)
        for name in ("drafts", "runs", "arrangements"):
            for path in (folder / name).glob(".*.part"):
                path.unlink(missing_ok=True)
            with suppress(OSError):
                (folder / name).rmdir()


def _sign(path: Path) -> tuple[int, ...] | None:
    """Return what is another once a file was written to; None where it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _drafts(folder: Path, database: sqlite3.Connection) -> Iterator[Path]:
    for path in folder.glob("*.*"):
        match _value(_content(path)):
            case {
                "key": [str(desk), str(thing), str(anchor)],
                "text": str(text),
                "saved": float() | int() as saved,
            } if not anchor:
                row = (json.dumps(desk), json.dumps(thing))
                if path.suffix == ".json":
                    version = secrets.token_hex(8)
                    if not _there(database, row, text):
                        # Where there is another one by now, this is what another window typed.
                        taken = database.execute(
                            "SELECT 1 FROM draft WHERE desk = ? AND key = ?", row
                        ).fetchone()
                        key = json.dumps(f"also {version} {thing}") if taken else row[1]
                        database.execute(
                            "INSERT INTO draft VALUES (?, ?, ?, ?, ?, ?)",
                            (row[0], key, row[1], json.dumps(text), _moment(saved), version),
                        )
                    yield path
                elif path.suffix == ".dropped":
                    moment = path.name.split(".")[1]
                    at = _moment(int(moment) / 1000 if moment.isdecimal() else saved)
                    database.execute(
                        "INSERT INTO dropped (desk, key, text, at) VALUES (?, ?, ?, ?)",
                        (*row, json.dumps(text), at),
                    )
                    yield path


def _moment(seconds: float) -> float:
    """Return a moment as a calendar has it: one of a damaged clock is the first."""
    return float(seconds) if 0 <= seconds < LAST_MOMENT else 0.0


def _there(database: sqlite3.Connection, row: tuple[str, str], text: str) -> bool:
    found = database.execute(
        "SELECT 1 FROM draft WHERE desk = ? AND field = ? AND text = ?", (*row, json.dumps(text))
    )
    return found.fetchone() is not None


def _journal(folder: Path, database: sqlite3.Connection) -> Iterator[Path]:
    found: dict[str, Any] = {}
    paths = [
        path for name in ("journal.jsonl.1", "journal.jsonl") if (path := folder / name).exists()
    ]
    for path in paths:
        for line in _content(path).split(b"\n"):
            match value := _value(line):
                case {"run": str(run), "opened": _, "desk": str(desk)}:
                    database.execute(
                        "INSERT OR IGNORE INTO start (run, desk, closed) VALUES (?, ?, 0)",
                        (run, json.dumps(desk)),
                    )
                case {"run": str(run), "closed": _}:
                    database.execute("UPDATE start SET closed = 1 WHERE run = ?", (run,))
                case _ if (entry := entry_of(value)) is not None:
                    if not (entry.id in found and "carried" in value):
                        found[entry.id] = entry
    for entry in found.values():
        # Of one that is here already, this may be how it ended.
        database.execute(
            "INSERT INTO entry (id, desk, at, open, value) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET open = excluded.open, value = excluded.value"
            " WHERE open AND NOT excluded.open",
            row_of(entry),
        )
    yield from paths


def _runs(folder: Path, kind: str, database: sqlite3.Connection) -> Iterator[Path]:
    for path in folder.glob("*.json"):
        lock = path.with_suffix(".lock")
        held = locked(lock) if lock.exists() else None
        if held is None and lock.exists():
            continue  # an older copydesk is at it
        if held is not None:
            held.close()
        first, *added = _content(path).split(b"\n")
        match _value(first):
            case {"id": str(run)}:
                row = (kind, path.name.partition("-")[0], run)
                version = secrets.token_hex(8)
                fresh = database.execute(
                    "INSERT OR IGNORE INTO run VALUES (?, ?, ?, ?, ?)",
                    (*row, version, json.dumps(_value(first))),
                ).rowcount
                changes = [value for line in added if isinstance(value := _value(line), dict)]
                database.executemany(
                    "INSERT INTO run_change (kind, desk, id, value) VALUES (?, ?, ?, ?)",
                    [(*row, json.dumps(change)) for change in changes] if fresh else (),
                )
                yield path
                yield lock


def _database(path: Path, tables: tuple[str, ...], database: sqlite3.Connection) -> Iterator[Path]:
    if not path.exists():
        return
    try:
        address = f"file:{quote(str(path.absolute()))}?mode=rw"  # it makes none
        with closing(sqlite3.connect(address, uri=True)) as older:
            for read, put in (COPIES[table] for table in tables):
                database.executemany(put, older.execute(read))
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):  # which a full disk had no room for
            return  # another time
    except sqlite3.DatabaseError:
        with suppress(OSError):  # what was seen, or sleeps, is a convenience
            path.replace(path.with_name(f"{path.name}.broken"))
        return
    yield from (path.with_name(path.name + end) for end in ("", "-wal", "-shm"))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it is gone, or none of ours
        return b""


def _value(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None

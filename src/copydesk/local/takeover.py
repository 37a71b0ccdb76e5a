"""Takeover into the database: readable rows of a damaged one, and files of older versions.

Older files are read again whenever one is there: an older copydesk may still be open, or be used
again. Nothing is taken over twice. A file is deleted once its content is durable; unreadable files,
and those that an older copydesk holds, stay.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from copydesk.local.drafts import ALSO, field_of
from copydesk.local.journal import LAST_MOMENT, entry_of, row_of
from copydesk.local.state import Taken, locked, token

TABLES = (
    "entry", "start", "draft", "dropped", "run_change", "run", "text", "seen", "former", "snooze",
    "look", "read_revision", "mark", "staged", "staged_step", "hidden_finding", "table_columns",
)  # fmt: skip
"""The tables copied from a damaged database, without claims. A run comes after its changes."""


def salvage(damaged: sqlite3.Connection, database: sqlite3.Connection) -> None:
    """Add the readable rows of a damaged database: of each table, those before the damage."""
    for table in TABLES:
        _copy(table, _before_damage(_rows(damaged, table)), database)


def _before_damage(rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    with suppress(sqlite3.DatabaseError):
        yield from rows


def _rows(source: sqlite3.Connection, table: str) -> Iterator[dict[str, Any]]:
    """Return the rows of a table, in their order, without their row numbers.

    Another row may have the same number in the other file.
    """
    found = source.execute(" ".join(("SELECT * FROM", table)))
    names = [column[0] for column in found.description]
    for row in found:
        yield {name: value for name, value in zip(names, row, strict=True) if name != "number"}


def _copy(table: str, rows: Iterable[dict[str, Any]], database: sqlite3.Connection) -> None:
    """Add rows to a table, without existing ones and unknown columns."""
    columns = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
    for each in rows:
        row = {name: value for name, value in each.items() if name in columns}
        if table == "draft":
            with suppress(KeyError, ValueError, TypeError):  # nobody could show that
                _keep_draft(database, **row)
            continue
        put = f"INSERT OR IGNORE INTO {table} ({', '.join(row)}) SELECT {', '.join('?' * len(row))}"
        values = [*row.values()]
        if table == "dropped":
            put += " WHERE (?, ?, ?, ?) NOT IN (SELECT desk, key, text, at FROM dropped)"
            values += [row.get(name) for name in ("desk", "key", "text", "at")]
        elif table == "run_change":  # a run that is there already has its own
            put += " WHERE (?, ?, ?) NOT IN (SELECT kind, desk, id FROM run)"
            values += [row.get(name) for name in ("kind", "desk", "id")]
        database.execute(put, values)


def _keep_draft(
    database: sqlite3.Connection, desk: str, key: str, text: str, saved: float, **_: object
) -> None:
    """Save a draft; beside another text under its key, if there is one."""
    json.loads(desk), json.loads(text)
    field = json.dumps(field_of(json.loads(key)))
    there = database.execute(
        "SELECT 1 FROM draft WHERE (desk, field, text) = (?, ?, ?)", (desk, field, text)
    )
    if there.fetchone():
        return
    version = token()
    taken = database.execute("SELECT 1 FROM draft WHERE (desk, key) = (?, ?)", (desk, key))
    if taken.fetchone():  # this is what another window typed
        key = json.dumps(f"{ALSO}{version} {json.loads(field)}")
    database.execute(
        "INSERT INTO draft (desk, key, field, text, saved, version) VALUES (?, ?, ?, ?, ?, ?)",
        (desk, key, field, text, saved, version),
    )


def take_over(folder: Path, database: sqlite3.Connection, held: ExitStack | None) -> Taken:
    """Copy a folder's state files into the database, in the open transaction; return them.

    Files that an older copydesk has locked are left alone. The others are locked in ``held``, so
    that no older copydesk writes them before it closes. Without ``held`` nothing is changed.
    """
    # Their signatures before the read: an older copydesk may go on writing to them.
    before = {path: _sign(path) for path in (*folder.glob("*"), *folder.glob("*/*"))}
    kinds = (
        _drafts(folder / "drafts", database),
        _journal(folder, database, held),
        _runs(folder / "runs", "merge", database, held),
        _runs(folder / "arrangements", "arrange", database, held),
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
    with suppress(OSError):  # they are taken over again, without effect
        for path in (path for path in done if _sign(path) == done[path]):
            path.unlink(missing_ok=True)
        for name in ("drafts", "runs", "arrangements"):
            for path in (folder / name).glob(".*.part"):
                path.unlink(missing_ok=True)
            with suppress(OSError):
                (folder / name).rmdir()


def _sign(path: Path) -> tuple[int, ...] | None:
    """Return the signature of a file, which changes with every write; None without a file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _drafts(folder: Path, database: sqlite3.Connection) -> Iterator[Path]:
    for path in sorted(folder.glob("*.*"), key=_dropped_at):
        match _value(_content(path)):
            case {
                "key": [str(desk), str(thing), str(anchor)],
                "text": str(text),
                "saved": float() | int() as saved,
            } if not anchor:
                row = (json.dumps(desk), json.dumps(thing))
                if path.suffix == ".json":
                    _keep_draft(database, *row, json.dumps(text), _moment(saved))
                    yield path
                elif path.suffix == ".dropped":
                    at = _moment(_dropped_at(path) / 1000 or saved)
                    values = {"desk": row[0], "key": row[1], "text": json.dumps(text), "at": at}
                    _copy("dropped", [values], database)
                    yield path


def _dropped_at(path: Path) -> int:
    """Return the time of a drop in milliseconds, from the name of its file; 0 if unknown."""
    moment = path.name.split(".")[1]
    return int(moment) if moment.isdecimal() else 0


def _moment(seconds: float) -> float:
    """Return a time within the calendar: one of a damaged clock becomes the first moment."""
    return float(seconds) if 0 <= seconds < LAST_MOMENT else 0.0


def _journal(folder: Path, database: sqlite3.Connection, held: ExitStack | None) -> Iterator[Path]:
    locks = [*folder.glob("outbox-*.lock"), folder / "journal.jsonl.lock"]
    if not _nobody_at(locks, held):
        return
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
        # For a known entry, this may be its end.
        database.execute(
            "INSERT INTO entry (id, desk, at, open, value) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET open = excluded.open, value = excluded.value"
            " WHERE open AND NOT excluded.open",
            row_of(entry),
        )
    yield from (*paths, *locks)


def _nobody_at(locks: Iterable[Path], held: ExitStack | None) -> bool:
    """Whether no older copydesk holds one of these; none can from now on, until ``held`` ends."""
    for lock in locks:
        if held is not None and lock.exists():
            taken = locked(lock)
            if taken is None:
                return False
            held.enter_context(closing(taken))
    return True


def _runs(
    folder: Path, kind: str, database: sqlite3.Connection, held: ExitStack | None
) -> Iterator[Path]:
    for path in folder.glob("*.json"):
        lock = path.with_suffix(".lock")
        if not _nobody_at([lock], held):
            continue
        first, *added = _content(path).split(b"\n")
        match _value(first):
            case {"id": str(run)}:
                row = (kind, path.name.partition("-")[0], run)
                version = token()
                fresh = database.execute(
                    "INSERT OR IGNORE INTO run (kind, desk, id, version, value) "
                    "VALUES (?, ?, ?, ?, ?)",
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
            for table in tables:
                _copy(table, _rows(older, table), database)
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):  # which a full disk had no room for
            return  # another time
    except sqlite3.DatabaseError:
        with suppress(OSError):  # seen pages and snoozes are a convenience
            path.replace(path.with_name(f"{path.name}.broken"))
        return
    yield from (path.with_name(path.name + end) for end in ("", "-wal", "-shm"))


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:  # it is gone, or not ours
        return b""


def _value(line: bytes) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None

"""What a person put aside, and what they looked at last and when: kept on this machine."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from copydesk.domain.age import instant
from copydesk.domain.snooze import Snooze
from copydesk.local.durable import PRIVATE
from copydesk.local.paths import private_folder

_SCHEMA = """
CREATE TABLE IF NOT EXISTS snooze (
    desk TEXT NOT NULL, object TEXT NOT NULL,
    updated TEXT NOT NULL, until TEXT, step INTEGER NOT NULL,
    PRIMARY KEY (desk, object)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS look (
    desk TEXT NOT NULL, object TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (desk, object)
) WITHOUT ROWID;
"""


class DeskSnoozes:
    """What sleeps of one desk, in the database at ``path``, which is created at the first use.

    Safe to use from several threads and processes. A file that is no database is set aside as
    ``.broken``: nothing is lost but that things wake. Raises ``OSError`` when the disk refuses.
    """

    def __init__(self, path: Path, desk: str) -> None:
        self._path = path
        self._desk = desk
        self._lock = threading.Lock()

    def read(self) -> dict[str, Snooze]:
        """Return all that sleeps by id, also what woke by itself since."""
        if not self._is_begun():
            return {}
        with self._opened() as database:
            rows = database.execute(
                "SELECT object, updated, until, step FROM snooze WHERE desk = ?", (self._desk,)
            ).fetchall()
        found: dict[str, Snooze] = {}
        for thing, updated, until, step in rows:
            at = instant(updated)
            if at is not None and isinstance(step, int):
                found[thing] = Snooze(at, instant(until), step)
        return found

    def put(self, thing: str, snooze: Snooze | None) -> None:
        """Let something sleep, or wake it; it is on the disk when this returns."""
        with self._opened() as database, database:
            if snooze is None:
                database.execute(
                    "DELETE FROM snooze WHERE desk = ? AND object = ?", (self._desk, thing)
                )
            else:
                database.execute(
                    "INSERT OR REPLACE INTO snooze VALUES (?, ?, ?, ?, ?)",
                    (
                        self._desk,
                        thing,
                        snooze.updated.isoformat(),
                        _text(snooze.until),
                        snooze.step,
                    ),
                )

    def looks(self) -> dict[str, datetime]:
        """Return when what was looked at last, by id."""
        if not self._is_begun():
            return {}
        with self._opened() as database:
            rows = database.execute(
                "SELECT object, at FROM look WHERE desk = ?", (self._desk,)
            ).fetchall()
        found = ((thing, instant(at)) for thing, at in rows)
        return {thing: at for thing, at in found if at is not None}

    def look(self, thing: str, at: datetime) -> None:
        """Note that something was looked at; it is on the disk when this returns."""
        with self._opened() as database, database:
            database.execute(
                "INSERT OR REPLACE INTO look VALUES (?, ?, ?)", (self._desk, thing, at.isoformat())
            )

    def _is_begun(self) -> bool:
        """Whether there is something: a full disk may have left a file with nothing in it."""
        return self._path.exists() and self._path.stat().st_size > 0

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                database = _open(self._path)
            except sqlite3.OperationalError as error:
                raise OSError(f"what sleeps cannot be kept: {error}") from error
            except sqlite3.DatabaseError:
                self._path.replace(self._path.with_name(f"{self._path.name}.broken"))
                database = _open(self._path)
            try:
                yield database
            except sqlite3.Error as error:
                raise OSError(f"what sleeps cannot be kept: {error}") from error
            finally:
                database.close()


def _open(path: Path) -> sqlite3.Connection:
    private_folder(path.parent)
    path.touch(mode=PRIVATE)
    database = sqlite3.connect(path, timeout=5)
    try:
        database.execute("PRAGMA synchronous = FULL")
        database.executescript(_SCHEMA)
    except BaseException:
        database.close()
        raise
    return database


def _text(time: datetime | None) -> str | None:
    return None if time is None else time.isoformat()

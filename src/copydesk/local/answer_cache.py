"""The cache of a service's answers on this machine: there at once, and without a network.

It may be deleted at any time, and where a disk refuses, nothing is cached and nobody waits. Queries
are stored as digests only, because a search is typed text; answers are stored unchanged, in a
private file.
"""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

from copydesk.database_lock import when_free
from copydesk.domain.cached_answers import Held, Kept
from copydesk.domain.known_name import MOST, Kind, KnownName, names_in
from copydesk.local.durable import PRIVATE, private_file
from copydesk.local.paths import private_folder
from copydesk.local.state import closed_with

T = TypeVar("T")

LIMIT_BYTES = 64 * 1024 * 1024
"""The size of the cache of one service. The least recently used answers go first."""

ANSWER_BYTES = 4 * 1024 * 1024
"""A larger answer is not cached."""

ROW_BYTES = 128
"""The approximate overhead of an answer."""

VERSION = 2
"""The version of the format; a file of another version is replaced."""

WAIT_SECONDS = 2.0
"""The longest wait for another writing process."""

_SCHEMA = """
CREATE TABLE about (desk TEXT NOT NULL);
CREATE TABLE answer (
    key BLOB PRIMARY KEY, at REAL NOT NULL, used REAL NOT NULL, size INTEGER NOT NULL,
    content BLOB NOT NULL
);
CREATE INDEX answer_by_use ON answer (used, size, at);
CREATE TABLE name (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL,
    space TEXT NOT NULL, counted INTEGER NOT NULL, UNIQUE (kind, id)
);
CREATE INDEX name_by_kind ON name (kind, number);
"""

NAMES = 20_000
"""How many names are kept; those that were read longest ago go."""

_log = logging.getLogger("copydesk.answers")


def answers_file(folder: Path, desk: str) -> Path:
    """Return the file of one service in the folder; ``desk`` identifies the service."""
    name = hashlib.sha256(desk.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return folder / f"{name}.db"


def all_answers(folder: Path) -> list[Answers]:
    """Return the caches of all services in the folder."""
    return [Answers(path) for path in sorted(folder.glob("*.db"))]


class Answers:
    """The answers in the database at ``path``, which is created with the first one.

    Safe to use from several threads and processes. ``desk`` is the owner in `Held`. A broken file,
    or one of another version, is replaced. Reading and caching raise nothing: failures are logged,
    without a word of the content.
    """

    def __init__(
        self,
        path: Path,
        *,
        desk: str = "",
        limit_bytes: int = LIMIT_BYTES,
        clock: Callable[[], float] = time.time,
        wait_seconds: float = WAIT_SECONDS,
    ) -> None:
        self._path = path
        self._desk = desk
        self._limit = limit_bytes
        self._clock = clock
        self._wait = wait_seconds
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._used: dict[bytes, float] = {}

    def read(self, target: str) -> Kept | None:
        """Return the cached answer of a target, or None."""
        key = _key(target)

        def find(database: sqlite3.Connection) -> Kept | None:
            row = database.execute(
                "SELECT content, at FROM answer WHERE key = ?", (key,)
            ).fetchone()
            if row is None:
                return None
            # Written with the next answers: a read must not wait for the disk.
            self._used[key] = self._clock()
            return Kept(bytes(row[0]), float(row[1]))

        return self._try(find, None, make=False)

    def keep(self, answers: Mapping[str, Kept]) -> None:
        """Cache these answers by target, in place of older ones."""
        rows = [
            (_key(target), kept.at, kept.at, len(kept.content) + ROW_BYTES, kept.content)
            for target, kept in answers.items()
            if len(kept.content) <= ANSWER_BYTES
        ]
        if rows:
            # By what they name: a space is in each of its change requests.
            names = {
                (name.kind, name.id): name
                for target, kept in answers.items()
                if len(kept.content) <= ANSWER_BYTES
                for name in names_in(target, kept.content)
            }
            gone = [
                target.rpartition("/")[2] for target, kept in answers.items() if not kept.content
            ]

            def put(database: sqlite3.Connection) -> None:
                self._put(database, rows)
                with database:
                    when_free(database, "BEGIN IMMEDIATE", self._wait)
                    _put_names(database, names.values(), gone)

            self._try(put, None)

    def names(self, kind: Kind) -> list[KnownName]:
        """Return the names of a kind that the answers had, those read last first."""

        def find(database: sqlite3.Connection) -> list[KnownName]:
            rows = database.execute(
                "SELECT kind, id, title, space, counted FROM name WHERE kind = ? "
                "ORDER BY number DESC LIMIT ?",
                (kind, MOST),
            )
            return [KnownName(*row) for row in rows]

        return self._try(find, [], make=False)

    def forget(self) -> None:
        """Empty the cache; nothing of it is left in the file. Raises ``OSError``."""
        with self._lock:
            self._used.clear()
            if not self._path.exists():
                self._close()
                return
            try:
                database = self._opened()
                database.execute("DELETE FROM answer")
                database.execute("DELETE FROM name")
                # The file is rewritten: deleting rows alone leaves them in the free pages.
                database.execute("VACUUM")
                (busy, *_) = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                if busy:
                    raise OSError(f"{self._path}: what is kept is being read by another copydesk")
            except sqlite3.OperationalError as error:
                if _damaged(error):
                    self._delete()
                    return
                raise OSError(f"{self._path}: what is saved cannot be cleared: {error}") from error
            except sqlite3.DatabaseError:
                self._delete()

    def held(self) -> Held:
        """Return the size and age of the cache."""
        nothing = Held(self._desk, 0, 0)

        def look(database: sqlite3.Connection) -> Held:
            (desk,) = database.execute("SELECT desk FROM about").fetchone()
            row = database.execute(
                "SELECT count(*), coalesce(sum(size), 0), min(at), max(at) FROM answer"
            ).fetchone()
            return Held(desk, *row)

        return self._try(look, nothing, make=False)

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._close()

    def _put(
        self, database: sqlite3.Connection, rows: list[tuple[bytes, float, float, int, bytes]]
    ) -> None:
        used, self._used = self._used, {}
        with database:
            when_free(database, "BEGIN IMMEDIATE", self._wait)
            database.executemany(
                "UPDATE answer SET used = max(used, ?) WHERE key = ?",
                ((at, key) for key, at in used.items()),
            )
            # An answer to a later request stays, unless its time is in the future.
            now = self._clock()
            rows = [row for row in rows if not self._newer(database, row[0], row[1], now)]
            database.executemany("DELETE FROM answer WHERE key = ?", ((row[0],) for row in rows))
            # Room is made first, so that the file does not grow beyond the limit.
            self._make_room(database, sum(row[3] for row in rows))
            database.executemany("INSERT INTO answer VALUES (?, ?, ?, ?, ?)", rows)
            self._make_room(database, 0)

    @staticmethod
    def _newer(database: sqlite3.Connection, key: bytes, at: float, now: float) -> bool:
        row = database.execute(
            "SELECT 1 FROM answer WHERE key = ? AND at > ? AND at <= ?", (key, at, now)
        ).fetchone()
        return row is not None

    def _make_room(self, database: sqlite3.Connection, size: int) -> None:
        (held,) = database.execute("SELECT coalesce(sum(size), 0) FROM answer").fetchone()
        over = held + size - self._limit
        if over <= 0:
            return
        going: list[tuple[int]] = []
        for row, freed in database.execute("SELECT rowid, size FROM answer ORDER BY used"):
            going.append((row,))
            over -= freed
            if over <= 0:
                break
        database.executemany("DELETE FROM answer WHERE rowid = ?", going)

    def _try(
        self, work: Callable[[sqlite3.Connection], T], otherwise: T, *, make: bool = True
    ) -> T:
        """Do ``work``; a broken file is deleted, and a new one is empty."""
        with self._lock:
            for _ in range(2):
                try:
                    if not make and not self._path.exists():
                        return otherwise
                    return work(self._opened())
                except (sqlite3.DatabaseError, OSError) as error:
                    if isinstance(error, OSError) or not _damaged(error):
                        # Locked, full or not to be written: another time.
                        _log.warning("what was read is not kept: %s", _reason(error))
                        self._close()
                        return otherwise
                    _log.warning("the cache is broken and begun again: %s", _reason(error))
                    try:
                        self._delete()
                    except OSError as refused:
                        _log.warning("what was kept cannot be deleted: %s", _reason(refused))
                        return otherwise
        return otherwise

    def _opened(self) -> sqlite3.Connection:
        if self._database is not None and not self._path.exists():
            # Somebody deleted it, as a cache may be: the next answers begin a new one.
            self._close()
        if self._database is None:
            private_folder(self._path.parent)
            private_file(self._path)
            self._path.chmod(PRIVATE)
            self._database = closed_with(self, _open(self._path, self._desk, self._wait))
        return self._database

    def _close(self) -> None:
        database, self._database = self._database, None
        if database is not None:
            database.close()

    def _delete(self) -> None:
        self._close()
        for extra in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + extra).unlink(missing_ok=True)


def _open(path: Path, desk: str, wait: float) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=wait, isolation_level=None, check_same_thread=False)
    try:
        when_free(database, "PRAGMA journal_mode = WAL", wait)
        # A power cut may lose copies: no need to wait for the disk.
        database.execute("PRAGMA synchronous = OFF")
        database.execute(f"PRAGMA journal_size_limit = {ANSWER_BYTES}")
        when_free(database, "BEGIN IMMEDIATE", wait)
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version == 0:
            for statement in _SCHEMA.split(";"):
                database.execute(statement)
            database.execute("INSERT INTO about VALUES (?)", (desk,))
            database.execute(f"PRAGMA user_version = {VERSION}")
        elif version != VERSION:
            raise sqlite3.DatabaseError("it is of another version")
        database.execute("COMMIT")
    except BaseException:
        database.close()
        raise
    return database


def _put_names(
    database: sqlite3.Connection, names: Iterable[KnownName], gone: Iterable[str]
) -> None:
    database.executemany("DELETE FROM name WHERE id = ?", ((key,) for key in gone))
    database.executemany(
        "INSERT OR REPLACE INTO name (kind, id, title, space, counted) VALUES (?, ?, ?, ?, ?)",
        (
            (*(_text(part) for part in (name.kind, name.id, name.title, name.space)), name.number)
            for name in names
            if name.number < 2**63
        ),
    )
    database.execute(
        "DELETE FROM name WHERE number <= (SELECT max(number) FROM name) - ?", (NAMES,)
    )


def _text(text: str) -> str:
    # Half of a character may come in an answer; SQLite takes none.
    return text.encode("utf-8", "replace").decode()


def _key(target: str) -> bytes:
    return hashlib.sha256(target.encode("utf-8", "surrogatepass")).digest()


def _damaged(error: sqlite3.DatabaseError) -> bool:
    # An OperationalError is the disk's or the lock's, unless a statement does not fit the tables.
    return (
        not isinstance(error, sqlite3.OperationalError)
        or getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR
    )


def _reason(error: Exception) -> str:
    # SQLite names no values; the path in an error of the system is left out.
    return (error.strerror or "") if isinstance(error, OSError) else str(error)

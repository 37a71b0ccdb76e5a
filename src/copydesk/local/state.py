"""What must not be lost on this machine: one SQLite file, with real transactions.

Drafts, the journal of writes with its outbox, runs, what was seen and what sleeps are in it, each
under the desk that it is about; their modules say what is in their tables. What older versions kept
in files of their own is taken over when it is found (`copydesk.local.takeover`).

Several processes work with one file: a transaction that writes waits for another. What one process
at a time may be at is claimed: a row names the process, and that process holds a lock of the system
on a file of its own for as long as it lives. A transaction cannot last that long, and a row alone
would outlive a process that is killed.
"""

from __future__ import annotations

import errno
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from copydesk.local.durable import private_file
from copydesk.local.paths import private_folder

T = TypeVar("T")

MEMORY = Path(":memory:")
"""The path of what is kept for one run alone."""

BUSY_SECONDS = 5.0
"""How long a transaction waits for that of another process."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS entry (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, desk TEXT NOT NULL, at REAL NOT NULL,
    open INTEGER NOT NULL, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS start (
    number INTEGER PRIMARY KEY, run TEXT NOT NULL UNIQUE, desk TEXT NOT NULL,
    closed INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS draft (
    desk TEXT NOT NULL, key TEXT NOT NULL, field TEXT NOT NULL, text TEXT NOT NULL,
    saved REAL NOT NULL, version TEXT NOT NULL, PRIMARY KEY (desk, key));
CREATE INDEX IF NOT EXISTS draft_of ON draft (desk, field);
CREATE TABLE IF NOT EXISTS dropped (
    number INTEGER PRIMARY KEY, desk TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL,
    at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS run (
    kind TEXT NOT NULL, desk TEXT NOT NULL, id TEXT NOT NULL, version TEXT NOT NULL,
    value TEXT NOT NULL, PRIMARY KEY (kind, desk, id));
CREATE TABLE IF NOT EXISTS run_change (
    number INTEGER PRIMARY KEY, kind TEXT NOT NULL, desk TEXT NOT NULL, id TEXT NOT NULL,
    value TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS run_change_of ON run_change (kind, desk, id);
CREATE TABLE IF NOT EXISTS claim (name TEXT PRIMARY KEY, holder TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS text (digest TEXT PRIMARY KEY, body BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS seen (
    desk TEXT NOT NULL, object TEXT NOT NULL, page TEXT NOT NULL, digest TEXT NOT NULL,
    at REAL NOT NULL, PRIMARY KEY (desk, object, page));
CREATE INDEX IF NOT EXISTS seen_by_digest ON seen (digest);
CREATE TABLE IF NOT EXISTS former (digest TEXT PRIMARY KEY, at REAL NOT NULL);
CREATE TABLE IF NOT EXISTS snooze (
    desk TEXT NOT NULL, object TEXT NOT NULL, updated TEXT NOT NULL, until TEXT,
    step INTEGER NOT NULL, PRIMARY KEY (desk, object));
CREATE TABLE IF NOT EXISTS look (
    desk TEXT NOT NULL, object TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (desk, object));
PRAGMA user_version = 1;
"""
"""What a later version adds is added where it is missing: columns are never taken away."""

COPIES = {
    "entry": ("SELECT * FROM entry", "INSERT OR IGNORE INTO entry VALUES (?, ?, ?, ?, ?, ?)"),
    "start": ("SELECT * FROM start", "INSERT OR IGNORE INTO start VALUES (?, ?, ?, ?)"),
    "draft": ("SELECT * FROM draft", "INSERT OR IGNORE INTO draft VALUES (?, ?, ?, ?, ?, ?)"),
    "dropped": ("SELECT * FROM dropped", "INSERT OR IGNORE INTO dropped VALUES (?, ?, ?, ?, ?)"),
    "run": ("SELECT * FROM run", "INSERT OR IGNORE INTO run VALUES (?, ?, ?, ?, ?)"),
    "run_change": (
        "SELECT * FROM run_change", "INSERT OR IGNORE INTO run_change VALUES (?, ?, ?, ?, ?)"
    ),
    "text": ("SELECT * FROM text", "INSERT OR IGNORE INTO text VALUES (?, ?)"),
    "seen": ("SELECT * FROM seen", "INSERT OR IGNORE INTO seen VALUES (?, ?, ?, ?, ?)"),
    "former": ("SELECT * FROM former", "INSERT OR IGNORE INTO former VALUES (?, ?)"),
    "snooze": ("SELECT * FROM snooze", "INSERT OR IGNORE INTO snooze VALUES (?, ?, ?, ?, ?)"),
    "look": ("SELECT * FROM look", "INSERT OR IGNORE INTO look VALUES (?, ?, ?)"),
}  # fmt: skip
"""How the rows of a table are read from another file, and put into this one."""

_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})

_REFUSALS = {
    sqlite3.SQLITE_FULL: (errno.ENOSPC, os.strerror(errno.ENOSPC)),
    sqlite3.SQLITE_READONLY: (errno.EACCES, "{} cannot be written"),
    sqlite3.SQLITE_CANTOPEN: (errno.EACCES, "{} cannot be opened"),
    sqlite3.SQLITE_BUSY: (errno.EBUSY, "another copydesk keeps {} busy"),
    sqlite3.SQLITE_IOERR: (errno.EIO, "{} cannot be read or written"),
}
"""What is said where the database refuses, by its code."""


class State:
    """The database at ``path``, which is created, for its user alone, when something is kept.

    Safe to use from several threads and processes. ``clock`` gives seconds since the epoch.
    ``run`` tells this start of the program from others. Everything raises ``OSError``, with a
    sentence, when the disk refuses. A damaged file is set aside under another name, and what can
    still be read of it goes into the new one. That is said by ``tell``, else noted in ``said``.
    """

    def __init__(
        self,
        path: Path,
        *,
        clock: Callable[[], float] = time.time,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self.path = path
        self.clock = clock
        self._tell = tell or self._note
        self.run = secrets.token_hex(6)
        self.said = ""
        self._lock = threading.RLock()
        self._database: sqlite3.Connection | None = None
        self._file: tuple[int, int] | None = None
        self._life: sqlite3.Connection | None = None
        self._aside: list[Path] = []

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do something in one transaction; it is on the disk when this returns.

        ``work`` may be done twice, and must change nothing else. One within another is part of it.
        """

        def transact() -> T:
            database = self._opened()
            if database.in_transaction:
                return work(database)
            database.execute("BEGIN IMMEDIATE")
            try:
                result = work(database)
                database.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # it may have ended the transaction itself
                    database.execute("ROLLBACK")
                raise
            return result

        return self._mended(transact)

    def rows(self, query: str, *values: Any) -> list[Any]:
        """Return the rows of a query.

        Reading needs no room on the disk, and no right to write there.
        """

        def read() -> list[Any]:
            with self._readable() as database:
                return database.execute(query, values).fetchall()

        return self._mended(read)

    def touched(self) -> int:
        """Return a number that is another once another process has changed something."""
        return int(self.rows("PRAGMA data_version")[0][0]) if self._is_begun() else 0

    def close(self) -> None:
        """Close the file, and let go of what is claimed."""
        with self._lock:
            self._close()
            if self._life is not None:
                self._life.close()
                self._life = None
                self._life_of(self.run).unlink(missing_ok=True)

    def _note(self, said: str) -> None:
        self.said = said

    # Who is at what

    def live(self) -> None:
        """Be known to other processes as running, until this one ends or `close`."""
        if self._life is None and self.path != MEMORY:
            # Within a transaction: nobody takes the file for that of an ended process meanwhile.
            self.write(lambda database: self._begin_life())

    def lives(self, run: str) -> bool:
        """Whether the process of a run is there still."""
        if run == self.run:
            return self._life is not None
        path = self._life_of(run)
        if not path.exists():
            return False
        with suppress(OSError):  # where nothing can be written, nobody else is at anything
            held = locked(path)
            if held is None:
                return True
            held.close()
        return False

    def claim(self, name: str) -> bool:
        """Take something for this process until `release`; False while another is at it."""
        self.live()

        def take(database: sqlite3.Connection) -> bool:
            if not self.is_free(name):
                return False
            database.execute("INSERT OR REPLACE INTO claim VALUES (?, ?)", (name, self.run))
            return True

        return self.write(take)

    def is_free(self, name: str) -> bool:
        """Whether no other process is at something."""
        held = self.rows("SELECT holder FROM claim WHERE name = ?", name)
        return not held or held[0][0] == self.run or not self.lives(held[0][0])

    def release(self, name: str) -> None:
        """Give something back."""
        with suppress(OSError):  # else it ends with this process
            self.write(
                lambda database: database.execute(
                    "DELETE FROM claim WHERE name = ? AND holder = ?", (name, self.run)
                )
            )

    def _life_of(self, run: str) -> Path:
        return self.path.parent / "running" / f"{run}.lock"

    def _begin_life(self) -> None:
        if self._life is not None:
            return
        path = self._life_of(self.run)
        private_folder(path.parent)
        for each in path.parent.glob("*.lock"):
            if not self.lives(each.stem):
                each.unlink(missing_ok=True)
        private_file(path)
        self._life = locked(path)

    # The file

    def _mended(self, do: Callable[[], T]) -> T:
        """Do something with the file; once more where it turns out to be damaged."""
        with self._lock:
            inside = self._database is not None and self._database.in_transaction
            try:
                try:
                    return do()
                except sqlite3.DatabaseError as error:
                    if inside or _code(error) not in _DAMAGE:
                        raise
                    self._set_aside()
                return do()
            except sqlite3.Error as error:
                if inside:
                    raise
                number, said = _REFUSALS.get(_code(error), (errno.EIO, f"{{}}: {error}"))
                raise OSError(number, said.format(self.path.name)) from error

    def _opened(self) -> sqlite3.Connection:
        """Return the database, as it is at its path now: who deletes it begins a new one."""
        if self.path == MEMORY:
            if self._database is None:
                self._database = _in_memory()
        elif self._database is None or _file(self.path) != self._file:
            self._close()
            private_folder(self.path.parent)
            if not self.path.exists():
                private_file(self.path)
            self._file = _file(self.path)
            database = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                database.execute("PRAGMA journal_mode = WAL")
                database.execute("PRAGMA synchronous = FULL")
                _fill(database, self.path.parent, self._aside)
            except BaseException:
                database.close()
                raise
            self._database = database
        assert self._database is not None
        return self._database

    @contextmanager
    def _readable(self) -> Iterator[sqlite3.Connection]:
        """Give the database to read it, also where nothing can be written."""
        try:
            opened = self._opened() if self._is_begun() else None
        except (OSError, sqlite3.OperationalError):
            opened = None
        if opened is not None:
            yield opened
            return
        database = _open_to_read(self.path)
        try:
            yield database
        finally:
            database.close()

    def _is_begun(self) -> bool:
        made = self.path == MEMORY or self.path.exists() or bool(self._aside)
        return made or _is_older(self.path.parent)

    def _close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None

    def _set_aside(self) -> None:
        """Give a damaged file another name, unless another process did so meanwhile."""
        self._close()
        guard = self.path.with_name(f"{self.path.name}.lock")
        private_file(guard)
        lock = locked(guard)
        try:
            if lock is None or _file(self.path) != self._file:
                return
            aside = _free(self.path.with_name(f"{self.path.name}.broken"))
            self.path.replace(aside)
            for end in ("-wal", "-shm"):
                with suppress(FileNotFoundError):
                    Path(f"{self.path}{end}").replace(f"{aside}{end}")
            self._aside.append(aside)
            self._tell(
                f"{self.path.name} was damaged: it is kept as {aside}, and what could still be "
                "read of it is here. Look whether a draft is missing (g d)."
            )
        finally:
            if lock is not None:
                lock.close()
                guard.unlink(missing_ok=True)


def locked(path: Path) -> sqlite3.Connection | None:
    """Return what holds the lock of a file that is there, until it is closed.

    None while another process, or another holder in this one, has it. Raises ``OSError`` when the
    disk refuses.
    """
    try:
        connection = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
    except sqlite3.Error as error:
        raise OSError(f"{path.name} cannot be opened: {error}") from error
    try:
        connection.execute("PRAGMA journal_mode = MEMORY")  # no file beside it
        # A lock of the system, which it takes back from a process that is no more.
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        connection.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            return None
        raise OSError(f"{path.name} cannot be claimed: {error}") from error
    return connection


def _fill(database: sqlite3.Connection, folder: Path, aside: list[Path]) -> None:
    """Make the tables that are missing, and take over what is kept elsewhere."""
    version = database.execute("PRAGMA user_version").fetchone()[0]
    older = _is_older(folder)
    if version and not older and not aside:
        return
    database.execute("BEGIN IMMEDIATE")
    for statement in _SCHEMA.split(";"):
        database.execute(statement)
    done: Taken = {}
    if older:
        from copydesk.local.takeover import take_over

        done = take_over(folder, database)
    for path in aside:
        _salvage(path, database)
    database.execute("COMMIT")
    aside.clear()
    if done:  # on the disk by now
        from copydesk.local.takeover import clear

        clear(folder, done)


def _is_older(folder: Path) -> bool:
    """Whether there are files of versions that kept each kind of thing for itself."""
    return any((folder / name).exists() for name in OLDER)


Taken = dict[Path, tuple[int, ...] | None]
"""Files that were taken over, and as what they were there then."""

OLDER = (
    "drafts", "journal.jsonl", "journal.jsonl.1", "runs", "arrangements", "seen.db", "snoozed.db",
)  # fmt: skip
"""What older versions called it, beside the database."""


def _salvage(path: Path, database: sqlite3.Connection) -> None:
    """Take over what can still be read of a damaged file."""
    for read, put in COPIES.values():
        with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as damaged:
            for row in damaged.execute(read):
                database.execute(put, row)


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Open what there is without writing anything, be it the list of who reads it."""
    if path.exists() and path.stat().st_size:
        for mode in ("mode=ro", "mode=ro&immutable=1"):
            database = sqlite3.connect(
                f"file:{quote(str(path.absolute()))}?{mode}", uri=True, isolation_level=None
            )
            try:
                if database.execute("SELECT 1 FROM sqlite_master").fetchone():
                    return database
            except sqlite3.OperationalError as error:
                # Without room for that list the file itself is read, as it was left last.
                failed: sqlite3.Error | None = error
            else:
                failed = None
            database.close()
        if failed is not None:
            raise failed
    # It was begun when the disk had no room for it, or was not: nothing is kept but the older.
    database = _in_memory()
    if _is_older(path.parent):
        from copydesk.local.takeover import take_over

        take_over(path.parent, database)
    return database


def _in_memory() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    database.executescript(_SCHEMA)
    return database


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _file(path: Path) -> tuple[int, int] | None:
    """Return which file is at a path at the moment; None where there is none."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def _free(path: Path) -> Path:
    """Return a path that nothing is at: this one, or one with a number."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free

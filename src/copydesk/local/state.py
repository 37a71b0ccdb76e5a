"""The state that must not be lost: one SQLite file, with real transactions.

It holds drafts, staged edits of pages, the journal of writes with its outbox, runs, seen pages and
snoozes, each under its desk; their modules describe the tables. Files of older versions are taken
over when found (`copydesk.local.takeover`).

Several processes share one file: a writing transaction waits for another. Work for one process at a
time is claimed: a row names the process, which holds a system lock on a file of its own for as long
as it lives. A transaction cannot last that long, and a row alone would outlive a killed process.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from copydesk.database_lock import when_free
from copydesk.local.durable import private_file
from copydesk.local.paths import private_folder

T = TypeVar("T")

MEMORY = Path(":memory:")
"""The path of a state in memory, for one run."""

BUSY_SECONDS = 5.0
"""How long a transaction waits for another process."""

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
CREATE TABLE IF NOT EXISTS mark (
    desk TEXT NOT NULL, object TEXT NOT NULL, kind TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (desk, object, kind));
CREATE TABLE IF NOT EXISTS look (
    desk TEXT NOT NULL, object TEXT NOT NULL, at TEXT NOT NULL, PRIMARY KEY (desk, object));
CREATE TABLE IF NOT EXISTS read_revision (
    desk TEXT NOT NULL, object TEXT NOT NULL, revision TEXT NOT NULL,
    PRIMARY KEY (desk, object));
CREATE TABLE IF NOT EXISTS staged (
    number INTEGER PRIMARY KEY, desk TEXT NOT NULL, space TEXT NOT NULL, request TEXT NOT NULL,
    page TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (desk, space, request, page));
CREATE TABLE IF NOT EXISTS staged_step (
    number INTEGER PRIMARY KEY, batch TEXT NOT NULL, desk TEXT NOT NULL, space TEXT NOT NULL,
    request TEXT NOT NULL, page TEXT NOT NULL, before TEXT, after TEXT, ended INTEGER NOT NULL,
    at REAL NOT NULL, UNIQUE (batch, page));
CREATE TABLE IF NOT EXISTS used (
    desk TEXT NOT NULL, kind TEXT NOT NULL, object TEXT NOT NULL, count INTEGER NOT NULL,
    at REAL NOT NULL, PRIMARY KEY (desk, kind, object));
CREATE TABLE IF NOT EXISTS hidden_finding (
    desk TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (desk, key));
CREATE TABLE IF NOT EXISTS table_columns (key TEXT PRIMARY KEY, columns TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS staged_step_of ON staged_step (desk, space, request);
"""
"""Later versions add tables: none is removed, and no column."""

VERSION = _SCHEMA.count("CREATE TABLE")
"""How many tables there are. A file that has fewer is given the others when it is opened."""

DAMAGED = ".damaged"
"""The ending of a damaged file until its readable content is in the database."""

_DAMAGE = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})

_REFUSALS = {
    sqlite3.SQLITE_FULL: (errno.ENOSPC, os.strerror(errno.ENOSPC)),
    sqlite3.SQLITE_READONLY: (errno.EACCES, "{} cannot be written"),
    sqlite3.SQLITE_CANTOPEN: (errno.EACCES, "{} cannot be opened"),
    sqlite3.SQLITE_BUSY: (errno.EBUSY, "another copydesk is using {}"),
    sqlite3.SQLITE_IOERR: (errno.EIO, "{} cannot be read or written"),
}
"""The messages for refusals of the database, by its code."""


def token(size: int = 8) -> str:
    """Return so many random bytes as hexadecimal digits: a name that nothing else has."""
    return os.urandom(size).hex()


def closed_with(owner: object, connection: sqlite3.Connection) -> sqlite3.Connection:
    """Return a connection that is closed at the latest when its owner is gone.

    Newer Pythons warn of one that nobody closed.
    """
    weakref.finalize(owner, connection.close).atexit = False
    return connection


class State:
    """The database at ``path``, which is created privately with the first write.

    Safe to use from several threads and processes. ``clock`` gives seconds since the epoch. ``run``
    identifies this start of the program. Everything raises ``OSError``, with a sentence, when the
    disk refuses. A damaged file is renamed, and its readable content goes into a new one: ``tell``
    is given the report, or else ``damage`` has it. Until it could be written, reads go to the
    damaged file each time.
    """

    def __init__(
        self,
        path: Path = MEMORY,
        *,
        clock: Callable[[], float] = time.time,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self.path = path
        self.clock = clock
        self._tell = tell or self._note
        self.run = token(6)
        self.damage = ""
        self._lock = threading.RLock()
        self._database: sqlite3.Connection | None = None
        self._reading = threading.Lock()
        self._reader: sqlite3.Connection | None = None
        self._writing: int | None = None
        self._file: tuple[int, int] | None = None
        self._folder: Path | None = None
        self._life: sqlite3.Connection | None = None

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run ``work`` in one transaction, which is durable on return.

        ``work`` may run twice, and must change nothing else. A nested call is part of the outer
        transaction.
        """

        def transact() -> T:
            database = self._opened()
            if database.in_transaction:
                return work(database)
            when_free(database, "BEGIN IMMEDIATE", BUSY_SECONDS)
            if self.path != MEMORY and _file(self.path) != self._file:
                database.execute("ROLLBACK")  # the file was renamed while this waited
                return transact()
            self._writing = threading.get_ident()
            try:
                result = work(database)
                database.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # it may have ended the transaction itself
                    database.execute("ROLLBACK")
                raise
            finally:
                self._writing = None
            return result

        return self._mended(transact)

    def rows(self, query: str, *values: Any) -> list[Any]:
        """Return the rows of a query; none before anything was written.

        Reading needs no room on the disk, no right to write there, and waits for no write, even of
        another thread: uncommitted rows are read only within `write`.
        """
        if self._reader is not None and self._writing != threading.get_ident():
            with suppress(sqlite3.Error), self._reading:
                # A replaced or damaged file is recognized below.
                if self._reader is not None and _file(self.path) == self._file:
                    return self._reader.execute(query, values).fetchall()

        def read() -> list[Any]:
            with self._readable() as database:
                return database.execute(query, values).fetchall() if database else []

        def read_damaged() -> list[Any]:
            damaged = [self.path, *_damaged(self.path)]
            with closing(_salvaged(self.path.parent, damaged)) as database:
                return database.execute(query, values).fetchall()

        return self._mended(read, read_damaged)

    def touched(self) -> int:
        """Return a number that changes with every change by another process."""

        def read() -> int:
            with self._readable() as database:  # the reader's number changes with our own writes
                return database.execute("PRAGMA data_version").fetchone()[0] if database else 0

        return self._mended(read)

    def close(self) -> None:
        """Close the file, and release all claims."""
        with self._lock:
            self._close()
            if self._life is not None:
                self._life.close()
                self._life = None
                self._life_of(self.run).unlink(missing_ok=True)

    def _note(self, said: str) -> None:
        self.damage = said

    @property
    def folder(self) -> Path:
        """The folder of the file; of a state in memory a temporary one, which goes with it."""
        if self.path != MEMORY:
            return self.path.parent
        from shutil import rmtree
        from tempfile import mkdtemp

        with self._lock:
            if self._folder is None:
                self._folder = Path(mkdtemp(prefix="copydesk-"))
                weakref.finalize(self, rmtree, self._folder, ignore_errors=True)
            return self._folder

    # Who is at what

    def live(self) -> None:
        """Show other processes that this one is running, until it ends or `close`."""
        if self._life is None and self.path != MEMORY:
            # Within a transaction, so that nobody takes the lock file for an ended process's.
            self.write(lambda database: self._begin_life())

    def lives(self, run: str) -> bool:
        """Whether the process of a run is still running."""
        if run == self.run:
            return self._life is not None
        path = self._life_of(run)
        if not path.exists():
            return False
        with suppress(OSError):  # where nothing can be written, no other process has a claim
            held = locked(path)
            if held is None:
                return True
            held.close()
        return False

    def claim(self, name: str) -> bool:
        """Claim a name for this process until `release`; False while another process has it."""
        self.live()

        def take(database: sqlite3.Connection) -> bool:
            if not self.is_free(name):
                return False
            put = "INSERT OR REPLACE INTO claim (name, holder) VALUES (?, ?)"
            database.execute(put, (name, self.run))
            return True

        return self.write(take)

    def is_free(self, name: str) -> bool:
        """Whether no other process has a claim."""
        held = self.rows("SELECT holder FROM claim WHERE name = ?", name)
        return not held or held[0][0] == self.run or not self.lives(held[0][0])

    def release(self, name: str) -> None:
        """Release a claim."""
        with suppress(OSError):  # otherwise the claim ends with this process
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
        if self._life is not None:
            closed_with(self, self._life)

    # The file

    def _mended(self, do: Callable[[], T], instead: Callable[[], T] | None = None) -> T:
        """Use the file; a second time if it turns out to be damaged.

        ``instead`` runs where the disk refuses a new file.
        """
        with self._lock:
            inside = self._database is not None and self._database.in_transaction
            try:
                try:
                    return do()
                except sqlite3.DatabaseError as error:
                    if inside or _code(error) not in _DAMAGE:
                        raise
                try:
                    self._set_aside()
                    return do()
                except (OSError, sqlite3.DatabaseError):
                    if instead is None:
                        raise
                return instead()
            except sqlite3.Error as error:
                if inside:
                    raise
                number, said = _REFUSALS.get(_code(error), (errno.EIO, f"{{}}: {error}"))
                raise OSError(number, said.format(self.path.name)) from error

    def _opened(self) -> sqlite3.Connection:
        """Return the database at its path now; a deleted file is created anew."""
        if self.path == MEMORY:
            if self._database is None:
                self._database = closed_with(self, _in_memory())
        elif self._database is None or _file(self.path) != self._file:
            self._close()
            private_folder(self.path.parent)
            if not self.path.exists():
                with self._guarded():  # not before a damaged one is renamed completely
                    private_file(self.path)
            self._file = _file(self.path)
            database = sqlite3.connect(
                self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                when_free(database, "PRAGMA journal_mode = WAL", BUSY_SECONDS)
                database.execute("PRAGMA synchronous = FULL")
                if salvaged := _fill(database, self.path):
                    self._finish(salvaged)
                self._reader = sqlite3.connect(
                    self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
                )
            except BaseException:
                database.close()
                raise
            self._database = closed_with(self, database)
            closed_with(self, self._reader)
        assert self._database is not None
        return self._database

    @contextmanager
    def _readable(self) -> Iterator[sqlite3.Connection | None]:
        """Yield the database for a read, also where nothing can be written; None without one."""
        if not self._is_begun():
            yield None
            return
        opened = None
        with suppress(OSError, sqlite3.OperationalError):
            opened = self._opened()
        if opened is not None:
            yield opened
            return
        with closing(_open_to_read(self.path)) as database:
            yield database

    def _is_begun(self) -> bool:
        if self.path == MEMORY:
            return self._database is not None
        return self.path.exists() or _is_older(self.path.parent) or bool(_damaged(self.path))

    def _close(self) -> None:
        with self._reading:
            if self._reader is not None:
                self._reader.close()
                self._reader = None
        if self._database is not None:
            self._database.close()
            self._database = None

    def _set_aside(self) -> None:
        """Rename a damaged file, unless another process did so meanwhile.

        The next process that opens the database takes over the readable content.
        """
        self._close()
        with self._guarded(), ExitStack() as held:
            if _file(self.path) != self._file:
                return
            with suppress(sqlite3.Error):  # no other process can write to it meanwhile
                damaged = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None)
                held.enter_context(closing(damaged))
                damaged.execute("BEGIN IMMEDIATE")
            _rename(self.path, free_path(self.path.with_name(f"{self.path.name}{DAMAGED}")))

    def _finish(self, salvaged: list[Path]) -> None:
        """Rename files whose content is in the database now, and report them."""
        for path in salvaged:
            with suppress(OSError):  # otherwise it is taken over again, without effect
                with self._guarded():
                    aside = free_path(self.path.with_name(f"{self.path.name}.broken"))
                    _rename(path, aside)
                self._tell(
                    f"{self.path.name} was damaged: it is kept as {aside}, and what could still be "
                    "read of it is here."
                )

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """Let one process at a time rename files. Raises ``OSError``."""
        guard = self.path.with_name(f"{self.path.name}.lock")
        private_file(guard)
        lock = locked(guard, BUSY_SECONDS)
        if lock is None:
            raise OSError(errno.EBUSY, f"another copydesk keeps {self.path.name} busy")
        with closing(lock):
            yield  # the lock file stays: if deleted, two processes could hold two of them


def locked(path: Path, seconds: float = 0) -> sqlite3.Connection | None:
    """Return a connection that locks an existing file until it is closed.

    None while another holder has the lock, after ``seconds``. Raises ``OSError`` when the disk
    refuses.
    """
    try:
        connection = sqlite3.connect(
            path, timeout=seconds, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise OSError(f"{path.name} cannot be opened: {error}") from error
    try:
        connection.execute("PRAGMA journal_mode = MEMORY")  # no file beside it
        # A lock of the system, which ends with the process.
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        connection.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            return None
        raise OSError(f"{path.name} cannot be claimed: {error}") from error
    return connection


def _fill(database: sqlite3.Connection, path: Path) -> list[Path]:
    """Create missing tables and take over the files of older versions.

    Returns the damaged files among them, which the caller renames.
    """
    version = database.execute("PRAGMA user_version").fetchone()[0]
    folder = path.parent
    older = _is_older(folder)
    if version >= VERSION and not older and not _damaged(path):
        return []
    with ExitStack() as held:
        when_free(database, "BEGIN IMMEDIATE", BUSY_SECONDS)
        for statement in (*_SCHEMA.split(";"), f"PRAGMA user_version = {VERSION}"):
            database.execute(statement)
        done: Taken = {}
        if older:
            from copydesk.local.takeover import take_over

            done = take_over(folder, database, held)
        damaged = _damaged(path)
        _salvage(damaged, database, _AS_IT_IS)
        database.execute("COMMIT")
        if done:  # on the disk by now
            from copydesk.local.takeover import clear

            clear(folder, done)
    return damaged


def _damaged(path: Path) -> list[Path]:
    """Return the damaged files whose content was not taken over yet."""
    return sorted(
        each
        for each in path.parent.glob(f"{path.name}{DAMAGED}*")
        if not each.name.endswith(("-wal", "-shm"))
    )


def _is_older(folder: Path) -> bool:
    """Whether there are files of older versions."""
    return any((folder / name).exists() for name in OLDER)


Taken = dict[Path, tuple[int, ...] | None]
"""The files taken over, and their signatures then."""

OLDER = (
    "drafts", "journal.jsonl", "journal.jsonl.1", "runs", "arrangements", "seen.db", "snoozed.db",
)  # fmt: skip
"""The names of older versions' files, beside the database."""


def _salvage(damaged: list[Path], database: sqlite3.Connection, modes: tuple[str, ...]) -> None:
    """Take over the readable content of damaged files."""
    for path in damaged:
        from copydesk.local.takeover import salvage

        try:
            found = _connected(path, modes)
        except sqlite3.DatabaseError as error:
            if _code(error) not in _DAMAGE:
                raise  # it was not read yet
        else:
            with closing(found):
                salvage(found, database)


def _salvaged(folder: Path, damaged: list[Path]) -> sqlite3.Connection:
    """Return a database in memory with older versions' files and the readable content of damaged
    ones.
    """
    database = _in_memory()
    if _is_older(folder):
        from copydesk.local.takeover import take_over

        take_over(folder, database, None)
    _salvage(damaged, database, _ANYHOW)
    return database


_AS_IT_IS = ("mode=ro",)
_ANYHOW = ("mode=ro", "mode=ro&immutable=1")
"""The ways to open a file for reading. The first creates a list of readers beside it; without room
for that, the file itself is read in its last state."""


def _connected(path: Path, modes: tuple[str, ...]) -> sqlite3.Connection:
    """Open a database for reading, in the first way that works. Raises ``sqlite3.Error``."""
    for mode in modes:
        database = sqlite3.connect(
            f"file:{quote(str(path.absolute()))}?{mode}", uri=True, isolation_level=None
        )
        try:
            database.execute("SELECT 1 FROM sqlite_master").fetchone()
        except sqlite3.Error as error:
            database.close()
            if mode == modes[-1] or not isinstance(error, sqlite3.OperationalError):
                raise
        else:
            break
    return database


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Open the file without writing anything, not even the list of readers."""
    if path.exists() and path.stat().st_size:
        database = _connected(path, _ANYHOW)
        if database.execute("SELECT 1 FROM sqlite_master").fetchone():
            return database
        database.close()
    # The file was begun when the disk was full, or is missing.
    return _salvaged(path.parent, _damaged(path))


def _in_memory() -> sqlite3.Connection:
    database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    database.executescript(_SCHEMA)
    return database


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _file(path: Path) -> tuple[int, int] | None:
    """Return the identity of the file at a path; None without one."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_dev, found.st_ino


def _rename(path: Path, name: Path) -> None:
    """Rename a database, with the files beside it."""
    path.replace(name)
    for end in ("-wal", "-shm"):
        with suppress(FileNotFoundError):
            Path(f"{path}{end}").replace(f"{name}{end}")


def free_path(path: Path) -> Path:
    """Return a free path: this one, or one with a number."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}-{number}")
    return free

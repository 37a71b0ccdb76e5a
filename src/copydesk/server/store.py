"""One desk file: connections, transactions, identifiers and time.

SQLite in WAL mode. Every operation runs whole in one transaction on a thread of the desk's own;
reads have a connection per thread, writes take turns on one connection and commit to disk before
they are acknowledged. Several processes may share a file: SQLite's own lock orders their writes,
and a busy one is waited for.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sqlite3
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from copydesk.database_lock import when_free
from copydesk.server.desk_file import (
    BUSY_SECONDS,
    complaint,
    open_unchanging,
    said_by,
    state_of,
    unwritable,
)
from copydesk.server.migrations import VERSION, migrate
from copydesk.server.transaction import LONG as LONG
from copydesk.server.transaction import Answers, Known, LongWorkError, Reader
from copydesk.server.transaction import Row as Row
from copydesk.server.transaction import Tx as Tx
from copydesk.server.transaction import Value as Value
from copydesk.server.transaction import columns as columns
from copydesk.server.transaction import random_id as random_id
from copydesk.server.transaction import timestamp as timestamp

if sys.platform == "linux":
    from resource import RUSAGE_THREAD, getrusage

    def _waits() -> float:
        """Return how often this thread has waited for something so far."""
        return getrusage(RUSAGE_THREAD).ru_nvcsw

else:
    _waits = time.monotonic  # it is not counted there: as if a slow read had always waited

T = TypeVar("T")

_READERS = 4

_READER_CACHE_KIB = 512
"""How many KiB of the file each connection that reads caches; the system caches it as well.

With SQLite's usual 2,000 on each of five connections a list is read no faster.
"""

_TOGETHER = 0.01
"""How long writes are taken into one transaction, in seconds; the last of them may take longer."""

_MOST_APART = 10
"""So often a write begins again for what takes long; what is changed more often is not waited for,
and nor is a write that would never end."""

_Done = asyncio.Future[Any]
_Tell = Callable[[_Done], None]
"""Tells who waits for a write what came of it, on their event loop."""

_SLOW = 0.02
"""A short read that waited and took longer, in seconds, met a slow disk: others wait elsewhere for
a while. One that did not wait was only kept from the processor by other programs."""

_WARY = 10.0
"""How long that while is, in seconds."""

UNWRITABLE = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
)
"""SQLite's errors of a disk that is full or cannot be written, rather than of the file."""


class DeskError(Exception):
    """A desk file that cannot be used; the message says which, why, and what to do."""


class UnwritableError(DeskError):
    """A desk that cannot be written, or has no room for it; it may be one that can be read."""


def utc_now() -> datetime:
    """Return the time as the desk sees it."""
    return datetime.now(UTC)


def to_json(value: object) -> str:
    """Return compact JSON with sorted keys: equal values have equal text."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def from_json(text: str | None) -> Any:
    """Return what a column holds as JSON, or None where it holds nothing."""
    return None if text is None else json.loads(text)


def _outcome(work: Callable[[], Any]) -> _Tell:
    try:
        result = work()
    except BaseException as error:  # noqa: BLE001 - whatever it is, it goes to who waits
        return _failed(error)
    return lambda done: done.set_result(result)


def _failed(error: BaseException) -> _Tell:
    if isinstance(error, StopIteration):  # a future takes none, and those after it would wait on
        failure = RuntimeError("the write ended early")
        failure.__cause__ = error
        return lambda done: done.set_exception(failure)
    return lambda done: done.set_exception(error)


def _tell(several: list[tuple[_Done, _Tell]]) -> None:
    for done, tell in several:
        if not done.done():  # who has gone waits no more
            tell(done)


class Store:
    """A desk file, or a desk in memory when ``path`` is None.

    ``clock`` and ``new_id`` are the world's time and identifiers; tests and the sample give their
    own.

    ``reads``: nothing is written, to the file or beside it, and who tries gets SQLite's refusal; so
    a desk can be read that nobody here may write, or that has no room.

    Raises ``DeskError`` when the file is not a desk, is damaged, was written by a newer copydesk,
    or cannot be opened, and ``UnwritableError`` when it cannot be written. Such a file is never
    changed.
    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        clock: Callable[[], datetime] = utc_now,
        new_id: Callable[[], str] = random_id,
        durable: bool = True,
        reads: bool = False,
    ) -> None:
        self.path = path
        self.reads = reads
        self.clock = clock
        self.new_id = new_id
        self._durable = durable
        self._local = threading.local()
        self._wary_until = 0.0
        self._changes = -1
        self._answers = Answers()
        self._write_lock = threading.Lock()
        self._waiting_lock = threading.Lock()
        self._waiting: deque[tuple[_Done, Callable[[], Any]]] = deque()
        self._together: threading.Thread | None = None
        """The thread that does several writes in one transaction, while it does."""
        self._connections: list[sqlite3.Connection] = []
        self._before_closing: list[Callable[[], None]] = []
        self._closed = False
        self._threads: tuple[ThreadPoolExecutor, ...] = ()
        """Those that read, the one that writes, and the one for what takes long."""
        if path is not None and (reason := complaint(path, VERSION, writes=False)) is not None:
            raise self._refusal(reason)
        if path is not None and not reads:
            if path.exists() and (reason := unwritable(path)) is not None:
                raise self._refusal(reason, UnwritableError)
            path.parent.mkdir(parents=True, exist_ok=True)
            if not path.exists():
                path.touch(mode=0o600)
                path.chmod(0o600)  # a umask may have taken what its owner needs
        try:
            self._writer = self._connect()
            if reads:
                self._expect_present()
            else:
                self._prepare()
            self._known = Known(self._writer)
        except sqlite3.DatabaseError as error:
            self.close()
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in UNWRITABLE:
                raise UnwritableError(
                    f"{self.name} cannot be opened: its disk is full, or cannot be written "
                    f"({error}). It was left as it is; make room, or name another file with --desk."
                ) from error
            raise self._refusal(f"is not a usable desk ({said_by(error)})") from error
        except BaseException:
            self.close()
            raise

    @property
    def name(self) -> str:
        """What messages call this desk."""
        return str(self.path) if self.path else "the desk in memory"

    def read(self, work: Callable[[Tx], T]) -> T:
        """Run ``work`` on a consistent view of the desk, in this thread."""
        if self.path is None:
            with self._write_lock:
                return work(Tx(self._writer, self.clock(), self.new_id))
        reader: Reader | None = getattr(self._local, "reader", None)
        if reader is not None and self.reads and reader.state != self._state():
            self._local.reader = None  # first: what follows may fail, and be tried again
            reader.connection.close()
            self._connections.remove(reader.connection)
            reader = None
        if reader is None:
            reader = self._local.reader = self._reader()
        with reader as known:
            return work(Tx(reader.connection, self.clock(), self.new_id, known))

    def end_reads(self) -> None:
        """Close what this thread read the desk through, before it ends."""
        reader: Reader | None = getattr(self._local, "reader", None)
        if reader is not None and reader.connection in self._connections:
            self._connections.remove(reader.connection)
            reader.connection.close()
            self._local.reader = None

    def write(self, work: Callable[[Tx], T]) -> T:
        """Run ``work`` in a transaction of its own and return once it is on disk.

        Anything that ``work`` raises undoes all of it. As one of several that are written together
        it is on disk when all are. What takes long in it is done on a view of the desk, and then
        it begins again (`Tx.apart`); on the thread that others wait for it raises
        ``LongWorkError`` instead.
        """
        apart: dict[Hashable, Any] = {}
        while True:
            try:
                return self._write(work, apart if len(apart) < _MOST_APART else None)
            except LongWorkError as long:
                if getattr(self._local, "waited_for", False):
                    raise
                apart[long.key] = self.read(long.work)

    def _write(self, work: Callable[[Tx], T], apart: dict[Hashable, Any] | None) -> T:
        if self._together is threading.current_thread():
            return self._within(work)
        with self._write_lock:
            self._begin()
            try:
                result = work(self._writing(apart))
                self._writer.execute("COMMIT")
            except BaseException:
                self._undo("ROLLBACK")
                raise
            return result

    def _begin(self) -> None:
        when_free(self._writer, "BEGIN IMMEDIATE", BUSY_SECONDS)
        self._known.look()
        self._known.bound()

    def _undo(self, statement: str) -> None:
        """Roll a write back, and drop what was cached during it."""
        self._known.forget()
        # A full disk may have ended the transaction already; a commit that failed has not.
        if self._writer.in_transaction:
            self._writer.execute(statement)

    def _within(self, work: Callable[[Tx], T]) -> T:
        """Run ``work`` as a part of the transaction that is under way, undone alone if it fails."""
        self._writer.execute("SAVEPOINT work")
        try:
            return work(self._writing({}))
        except BaseException:
            self._undo("ROLLBACK TO work")
            raise
        finally:
            if self._writer.in_transaction:
                self._writer.execute("RELEASE work")

    def _writing(self, apart: dict[Hashable, Any] | None) -> Tx:
        return Tx(self._writer, self.clock(), self.new_id, self._known, apart)

    async def in_thread(self, work: Callable[[], T], *, writes: bool) -> T:
        """Run ``work`` on one of the desk's threads, off the event loop.

        Writes have a thread of their own: however many wait for their turn, or for another process
        that is writing, reads go on beside them. Those that wait at the same time are committed
        together; such ``work`` is a ``write``, with what makes its answer. One for which something
        long has to be done goes on beside both, one at a time. Raises ``CancelledError`` once the
        desk is closed.
        """
        if self._closed:  # what else a command asked goes on until its loop ends
            raise asyncio.CancelledError
        self._threads = self._threads or (
            ThreadPoolExecutor(_READERS, "desk-reader"),
            ThreadPoolExecutor(1, "desk-writer", partial(setattr, self._local, "waited_for", True)),
            ThreadPoolExecutor(1, "desk-long"),
        )
        readers, one_writer, long = self._threads
        if not writes:
            return await asyncio.get_running_loop().run_in_executor(readers, work)
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        with self._waiting_lock:
            self._waiting.append((done, work))
            alone = len(self._waiting) == 1
        if alone:  # else somebody is coming for those before it, who goes on while there are any
            one_writer.submit(self._write_waiting)
        try:
            return await done
        except LongWorkError:
            if self._closed:
                raise asyncio.CancelledError from None
            return await asyncio.get_running_loop().run_in_executor(long, work)

    def _write_waiting(self) -> None:
        """Do the writes that wait: one alone, or several with one commit."""
        while self._waiting:
            several = self._write_together() if len(self._waiting) > 1 else []
            if not several and self._waiting:
                alone, work = self._waiting.popleft()
                several = [] if alone.cancelled() else [(alone, _outcome(work))]
            # Each event loop at once: every call would wake it.
            for loop in {done.get_loop() for done, _ in several}:
                told = [each for each in several if each[0].get_loop() is loop]
                with contextlib.suppress(RuntimeError):  # the loop has ended: nobody waits there
                    loop.call_soon_threadsafe(_tell, told)

    def _write_together(self) -> list[tuple[_Done, _Tell]]:
        """Do several writes in one transaction; return what to tell now that it is on disk.

        Where the transaction as a whole fails nothing was done: each has to be done alone.
        """
        taken: list[tuple[_Done, Callable[[], Any]]] = []
        several: list[tuple[_Done, _Tell]] = []
        with self._write_lock:
            try:
                self._begin()
            except sqlite3.Error as error:
                return [(self._waiting.popleft()[0], _failed(error))]
            self._together = threading.current_thread()
            try:
                end = time.monotonic() + _TOGETHER
                while self._waiting and self._writer.in_transaction and time.monotonic() < end:
                    done, work = self._waiting.popleft()
                    if not done.cancelled():
                        taken.append((done, work))
                        several.append((done, _outcome(work)))
                self._writer.execute("COMMIT")
            except sqlite3.Error:
                self._undo("ROLLBACK")
                self._waiting.extendleft(reversed(taken))
                return []
            finally:
                self._together = None
        return several

    async def soon(self, work: Callable[[], T]) -> T:
        """Run ``work``, a read of a few rows by their keys, here, if nothing is in its way.

        Going to another thread and back would take longer than such a read. A log is read beside
        whoever writes; what would have to wait all the same goes to a thread of the desk's own, as
        everything does for a while where a disk turned out to be slow.
        """
        if self.path is not None and time.monotonic() >= self._wary_until:
            if getattr(self._local, "reader", None) is None:
                await self._reader_here()
            waits, started = _waits(), time.monotonic()
            try:
                return work()
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
                    raise
            finally:
                ended = time.monotonic()
                if ended - started > _SLOW and _waits() != waits:
                    self._wary_until = ended + _WARY
        return await self.in_thread(work, writes=False)

    async def answers(self) -> Answers | None:
        """Return the answers cached for the state that the desk is in now, for this thread.

        None if looking would have to wait, or would say nothing about other writers.
        """
        if self.path is None:
            # All that is written goes through this one connection.
            if self._changes != (changes := self._writer.total_changes):
                self._changes, self._answers = changes, Answers()
            return self._answers
        if self.reads:
            return None
        try:
            # What SQLite looks at for that is in memory, also where the disk is slow.
            return (await self._reader_here()).answers()
        except sqlite3.DatabaseError:
            return None  # who reads the desk is told

    async def _reader_here(self) -> Reader:
        """Return the reader of this thread, which is an event loop's; it waits for nobody."""
        reader: Reader | None = getattr(self._local, "reader", None)
        if reader is None:
            # Opening a file and reading its schema takes milliseconds: that is not done here.
            reader = await self.in_thread(self._reader, writes=False)
            reader.connection.execute("PRAGMA busy_timeout = 0")
            self._local.reader = reader
        return reader

    def before_closing(self, end: Callable[[], None]) -> None:
        """Have something called when the desk is closed, while it can still be used."""
        self._before_closing.append(end)

    def close(self) -> None:
        """Close every connection. The desk cannot be used afterwards."""
        for end in self._before_closing:
            end()
        self._closed = True
        for threads in self._threads:
            threads.shutdown(wait=True)
        self._threads = ()
        for connection in self._connections:
            with contextlib.suppress(sqlite3.Error):
                connection.close()
        self._connections.clear()

    def _reader(self) -> Reader:
        state = self._state()
        connection = self._connect()
        try:
            connection.execute("PRAGMA query_only = ON")
            connection.execute(f"PRAGMA cache_size = -{_READER_CACHE_KIB}")
            return Reader(connection, state)
        except sqlite3.Error:  # of a file that is no desk any more
            connection.close()
            self._connections.remove(connection)
            raise

    def _state(self) -> Hashable:
        """Return what tells that somebody else wrote a file that nobody is thought to write.

        SQLite does not look then, and so it is opened again.
        """
        return state_of(self.path) if self.reads and self.path is not None else None

    def _connect(self) -> sqlite3.Connection:
        try:
            connection = (
                open_unchanging(self.path)
                if self.reads and self.path is not None
                else sqlite3.connect(
                    str(self.path) if self.path else ":memory:",
                    isolation_level=None,
                    check_same_thread=False,
                    timeout=BUSY_SECONDS,
                    cached_statements=512,
                )
            )
        except sqlite3.OperationalError as error:
            raise DeskError(
                f"{self.name} cannot be opened ({error}). Check the folder's permissions, "
                "or name another file with --desk."
            ) from error
        self._connections.append(connection)
        if self.reads:
            connection.execute("PRAGMA query_only = ON")
            # What is sorted or joined would otherwise go to a file, too.
            connection.execute("PRAGMA temp_store = MEMORY")
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        # SQLite's own lower() knows ASCII only.
        connection.create_function("casefold", 1, str.casefold, deterministic=True)
        return connection

    def _expect_present(self) -> None:
        """Raise ``DeskError`` for a file of another schema: it would have to be written."""
        if self._writer.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            self.close()
            raise DeskError(
                f"{self.name} is empty, or of an older copydesk: it can only be read once this "
                "one has written it. Open it where it can be written."
            )

    def _prepare(self) -> None:
        """Bring the file to the present schema, once, whoever else is opening it too."""
        writer = self._writer
        if self.path is not None:
            when_free(writer, "PRAGMA journal_mode = WAL", BUSY_SECONDS)
        # FULL: a commit returns once the log is on disk, so what was acknowledged outlives a crash.
        writer.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'OFF'}")
        if writer.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            # A step may make a table anew, which with foreign keys on would empty those below it.
            writer.execute("PRAGMA foreign_keys = OFF")
            self._migrate(writer)
            writer.execute("PRAGMA foreign_keys = ON")
            # Into the file itself: of a large write that a full disk refuses nothing stays beside
            # it then. Where there is no room for that either, the next to close it tries again.
            with contextlib.suppress(sqlite3.OperationalError):
                writer.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def _migrate(self, writer: sqlite3.Connection) -> None:
        migrate(writer)

    def _refusal(self, reason: str, kind: type[DeskError] = DeskError) -> DeskError:
        return kind(f"{self.name} {reason}. It was left as it is; name another file with --desk.")

"""One transaction, as handlers see it, and the connections on which transactions only read."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, TypeVar

T = TypeVar("T")

Row = sqlite3.Row
Value = str | int | float | bytes | None

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

LONG = 50_000
"""So many characters of text are parsed or merged in a tenth of a second."""

_MOST_KNOWN = 1000
"""How much is remembered of one state of the desk."""

_MOST_BYTES = 2 * 1024 * 1024
"""How many bytes of answers are remembered of it."""

_LETTERS = (ALPHABET * 5)[:256].encode()
"""The letter for each byte."""

_UNEVEN = bytes(range(len(ALPHABET) * 4, 256))
"""The bytes that no letter is made of: with them some letters would come more often."""


def columns(row: Row | Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return some columns of a row by their names, for a model that has them as they are."""
    return {name: row[name] for name in names}


def random_id() -> str:
    """Return a new identifier: 20 letters and digits, about 119 bits."""
    letters = b""
    while len(letters) < 20:
        letters += secrets.token_bytes(32).translate(_LETTERS, _UNEVEN)
    return letters[:20].decode()


def timestamp(moment: datetime) -> str:
    """Return the form in which times are stored: text that sorts as the times do."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


Tables = tuple[str, ...]
"""Names of tables whose writes ``written`` notes."""


class Known:
    """What was read before and is still true: of the state that the desk is in, or of tables.

    The table ``written`` says in each state which of its tables were written to since an earlier
    one, by whatever program; so it says, too, what the transaction under way has written itself.
    """

    __slots__ = ("_changes", "_columns", "_connection", "_parts", "_written")

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._parts: dict[Tables, dict[Hashable, Any]] = {}
        self._written: tuple[int, ...] = ()
        self._columns: dict[str, int] = {}
        self._changes = -1
        """How many rows this connection had changed when it was looked, -1 to look in any case."""

    def of(self, tables: Tables) -> dict[Hashable, Any]:
        """Return the cache of some tables, to add to; without tables, that of this state."""
        if self._changes != self._connection.total_changes:
            self._look()
        part = self._parts.get(tables)
        if part is None:
            part = self._parts[tables] = {}
        return part

    def look(self) -> None:
        """Look, before anything is used, what need not be true in the state that begins now."""
        self._changes = -1

    def forget(self) -> None:
        """Drop the whole cache after a rollback."""
        self._parts.clear()
        self._written, self._changes = (), -1

    def _look(self) -> None:
        row = self._connection.execute("SELECT * FROM written").fetchone()
        self._changes = self._connection.total_changes
        before, self._written = self._written, tuple(row)
        self._parts.pop((), None)
        if self._written == before:
            return
        columns = self._columns = self._columns or {n: i for i, n in enumerate(row.keys())}
        touched = {
            name for name, at in columns.items() if not before or before[at] != self._written[at]
        }
        for tables in list(self._parts):
            if any(f"{table}_table" in touched for table in tables):
                del self._parts[tables]

    def bound(self) -> None:
        """Forget everything where it has become too much."""
        if sum(map(len, self._parts.values())) > _MOST_KNOWN:
            self._parts.clear()


class LongWorkError(Exception):
    """What a write needs has to be made first, while others write: ``work`` makes it on a view."""

    def __init__(self, key: Hashable, work: Callable[[Tx], Any]) -> None:
        super().__init__()
        self.key = key
        self.work = work


class Tx:
    """One transaction: a connection with short words for what handlers do.

    ``now`` is the same moment for everything the transaction writes. ``timed`` says whether the
    time was asked for: what was read then may differ a moment later, whoever writes or not.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        now: datetime,
        new_id: Callable[[], str] = random_id,
        known: Known | None = None,
        apart: Mapping[Hashable, Any] | None = None,
    ) -> None:
        self.connection = connection
        self.new_id = new_id
        self.timed = False
        self._moment = now
        self._known = known
        self._apart = apart
        self._changes = connection.total_changes

    @property
    def has_written(self) -> bool:
        """Whether it changed any row: no view shows that before it ends."""
        return self.connection.total_changes != self._changes

    @property
    def moment(self) -> datetime:
        """The moment of the transaction."""
        self.timed = True
        return self._moment

    @cached_property
    def now(self) -> str:
        """The moment of the transaction as it is stored."""
        return timestamp(self.moment)

    def kept(self, key: Hashable, read: Callable[[], T], of: Tables = ()) -> T:
        """Return what ``read`` reads, or read before from the very same state of the desk.

        ``of`` are the tables that it is read from, if ``written`` notes writes to all of them: then
        it is kept for as long as nobody writes to those. It may come to others too: do not change
        it.
        """
        if self._known is None:
            return read()
        known = self._known.of(of)
        if key not in known:
            known[key] = read()
        found: T = known[key]
        return found

    def kept_all(
        self,
        kind: Hashable,
        keys: Iterable[str],
        read: Callable[[list[str]], Mapping[str, T]],
        of: Tables = (),
    ) -> dict[str, T]:
        """Return values by key; ``read`` reads those of all keys that are not cached yet at once.

        As ``kept`` does one by one; a key without a value is left out.
        """
        known = {} if self._known is None else self._known.of(of)
        wanted = dict.fromkeys(keys)
        missing = [key for key in wanted if (kind, key) not in known]
        if missing:
            known.update({(kind, key): each for key, each in read(missing).items()})
        return {key: known[kind, key] for key in wanted if (kind, key) in known}

    def apart(self, key: Hashable, size: int, work: Callable[[Tx], T]) -> T:
        """Return what ``work`` makes, which takes long and needs nothing that this has written.

        ``size`` is how many characters it reads. For more than a few a write ends here, as if it
        had never begun, and begins again once the work was done outside of it (`Store.write`).
        ``key`` has all that the result depends on: it is used only where that is still the same.
        """
        if self._apart is None or size < LONG:
            return work(self)
        if key not in self._apart:
            raise LongWorkError(key, work)
        found: T = self._apart[key]
        return found

    def one(self, sql: str, *values: Value) -> Row | None:
        """Return the first row, or None."""
        row: Row | None = self.connection.execute(sql, values).fetchone()
        return row

    def all(self, sql: str, *values: Value) -> list[Row]:
        """Return every row."""
        return self.connection.execute(sql, values).fetchall()

    def value(self, sql: str, *values: Value) -> Any:
        """Return the first column of the first row, or None."""
        row = self.connection.execute(sql, values).fetchone()
        return None if row is None else row[0]

    def get(self, table: str, **values: Value) -> Row | None:
        """Return the row of a table with these values, or None.

        ``table`` and the names come from code, never from a request.
        """
        where = " AND ".join(f"{column} = ?" for column in values)
        return self.one(f"SELECT * FROM {table} WHERE {where}", *values.values())  # noqa: S608 - names are ours

    def row(self, table: str, key: str | int) -> Row:
        """Return the row whose ``id`` is ``key``, of what the desk itself says is there."""
        row = self.get(table, id=key)
        assert row is not None, f"{table} {key} is referenced but not there"
        return row

    def run(self, sql: str, *values: Value) -> int:
        """Execute a statement and return how many rows it changed."""
        return self.connection.execute(sql, values).rowcount

    def run_many(self, sql: str, rows: Iterator[tuple[Value, ...]]) -> None:
        """Execute a statement once per row."""
        self.connection.executemany(sql, rows)

    def insert(self, table: str, **values: Value) -> None:
        """Insert one row. ``table`` and the names come from code, never from a request."""
        names = ", ".join(values)
        marks = ", ".join("?" * len(values))
        self.connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({marks})",  # noqa: S608 - names are ours
            tuple(values.values()),
        )

    def add(self, table: str, **values: Value) -> str:
        """Insert one row with an id of its own, and return that."""
        key = self.new_id()
        self.insert(table, id=key, **values)
        return key

    def put(self, table: str, key: Mapping[str, Value], **values: Value) -> None:
        """Insert one row, or give these values to the one that has the key already."""
        row = {**key, **values}
        changes = ", ".join(f"{name} = excluded.{name}" for name in values)
        self.connection.execute(
            f"INSERT INTO {table} ({', '.join(row)}) "  # noqa: S608 - names are ours
            f"VALUES ({', '.join('?' * len(row))}) "
            f"ON CONFLICT ({', '.join(key)}) DO UPDATE SET {changes}",
            tuple(row.values()),
        )

    def update(self, table: str, key: str, **values: Value) -> None:
        """Set columns of the row whose ``id`` is ``key``; no columns, no statement."""
        if values:
            names = ", ".join(f"{name} = ?" for name in values)
            self.connection.execute(
                f"UPDATE {table} SET {names} WHERE id = ?",  # noqa: S608 - names are ours
                (*values.values(), key),
            )


class Answers:
    """Answers to reads of one state of the desk, by everything that they depend on besides.

    Whoever looked here before reading may put an answer here afterwards, however long that took:
    once the desk is in another state, these answers are given to nobody.
    """

    __slots__ = ("_found", "_size")

    def __init__(self) -> None:
        self._found: dict[Hashable, Any] = {}
        self._size = 0

    def get(self, key: Hashable) -> Any:
        """Return the answer, or None."""
        return self._found.get(key)

    def keep(self, key: Hashable, answer: object, size: int) -> None:
        """Keep an answer of so many bytes; there is room for those of the last minutes, no more."""
        if self._size + size > _MOST_BYTES or len(self._found) >= _MOST_KNOWN:
            self._found.clear()
            self._size = 0
        if size <= _MOST_BYTES // 8:
            self._found[key] = answer
            self._size += size


class Reader:
    """A read-only connection with its cache for the state of the desk it last saw.

    ``PRAGMA data_version`` says whether anyone, in whatever process, has committed anything since;
    asked inside a transaction, it speaks of what the transaction sees. As the connection itself
    changes nothing, the same version is the same state of every table.
    """

    __slots__ = (
        "_answers",
        "_answers_version",
        "_asking",
        "_known",
        "_known_version",
        "connection",
        "state",
    )

    def __init__(self, connection: sqlite3.Connection, state: Hashable = None) -> None:
        self.connection = connection
        self.state = state
        self._known_version = self._answers_version = -1
        self._known = Known(connection)
        self._answers = Answers()
        self._asking = connection.cursor()
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()  # reads the schema

    def __enter__(self) -> Known:
        """Begin a transaction and return the values cached for its snapshot."""
        self.connection.execute("BEGIN")
        try:
            if (version := self._version()) != self._known_version:
                self._known.look()
                self._known_version = version
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        self._known.bound()
        return self._known

    def __exit__(self, *_: object) -> None:
        """End the transaction, unless an error has ended it."""
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def answers(self) -> Answers:
        """Return the answers cached for the state that the desk is in now."""
        if (version := self._version()) != self._answers_version:
            self._answers_version, self._answers = version, Answers()
        return self._answers

    def _version(self) -> int:
        version: int = self._asking.execute("PRAGMA data_version").fetchone()[0]
        return version

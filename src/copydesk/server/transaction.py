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

_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

_MOST_KNOWN = 1000
"""How much is remembered of one state of the desk."""

_MOST_BYTES = 2 * 1024 * 1024
"""How many bytes of answers are remembered of it."""


def random_id() -> str:
    """Return a new identifier: 20 letters and digits, about 119 bits."""
    number, letters = secrets.randbits(192), []  # at once: each letter would ask the system
    for _ in range(20):
        number, letter = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[letter])
    return "".join(letters)


def timestamp(moment: datetime) -> str:
    """Return the form in which times are stored: text that sorts as the times do."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


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
        known: dict[Hashable, Any] | None = None,
    ) -> None:
        self.connection = connection
        self.new_id = new_id
        self.timed = False
        self._moment = now
        self._known = known

    @property
    def moment(self) -> datetime:
        """The moment of the transaction."""
        self.timed = True
        return self._moment

    @cached_property
    def now(self) -> str:
        """The moment of the transaction as it is stored."""
        return timestamp(self.moment)

    def kept(self, key: Hashable, read: Callable[[], T]) -> T:
        """Return what ``read`` reads, or read before from the very same state of the desk.

        It may come to others too: do not change it. In a transaction that writes it is read each
        time.
        """
        if self._known is None:
            return read()
        if key not in self._known:
            self._known[key] = read()
        found: T = self._known[key]
        return found

    def kept_all(
        self, kind: Hashable, keys: Iterable[str], read: Callable[[list[str]], Mapping[str, T]]
    ) -> dict[str, T]:
        """Return values by key; ``read`` reads those of all keys that are not cached yet at once.

        As ``kept`` does one by one; a key without a value is left out.
        """
        known = {} if self._known is None else self._known
        wanted = dict.fromkeys(keys)
        missing = [key for key in wanted if (kind, key) not in known]
        if missing:
            known.update({(kind, key): each for key, each in read(missing).items()})
        return {key: known[kind, key] for key in wanted if (kind, key) in known}

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

    def row(self, table: str, key: str | int) -> Row:
        """Return the row whose ``id`` is ``key``, of what the desk itself says is there.

        ``table`` comes from code, never from a request.
        """
        row = self.one(f"SELECT * FROM {table} WHERE id = ?", key)  # noqa: S608 - a table of ours
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
    """A connection that only reads, and what was read from the state of the desk that it last saw.

    ``PRAGMA data_version`` says whether anyone, in whatever process, has committed anything since;
    asked inside a transaction, it speaks of what the transaction sees. As the connection itself
    changes nothing, the same version is the same state of every table.
    """

    __slots__ = ("_answers", "_known", "_version", "connection", "state")

    def __init__(self, connection: sqlite3.Connection, state: Hashable = None) -> None:
        self.connection = connection
        self.state = state
        self._version = -1
        self._known: dict[Hashable, Any] = {}
        self._answers = Answers()
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()  # reads the schema

    def __enter__(self) -> dict[Hashable, Any]:
        """Begin a transaction and return the values cached for its snapshot."""
        self.connection.execute("BEGIN")
        try:
            self._look()
        except BaseException:
            self.connection.execute("ROLLBACK")
            raise
        if len(self._known) > _MOST_KNOWN:
            self._known = {}
        return self._known

    def __exit__(self, *_: object) -> None:
        """End the transaction, unless an error has ended it."""
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def answers(self) -> Answers:
        """Return the answers cached for the state that the desk is in now."""
        self._look()
        return self._answers

    def _look(self) -> None:
        """Forget everything about a state in which the desk is no longer."""
        (version,) = self.connection.execute("PRAGMA data_version").fetchone()
        if version != self._version:
            self._version, self._known, self._answers = version, {}, Answers()

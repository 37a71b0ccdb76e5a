"""The conversations that were handed in from this machine, so that none is handed in twice.

One database per organization of a desk. A batch is noted before it is sent, and again when the
answer is known: whatever ends the program in between, the next run knows what to find out first.
Only ids and digests are stored, never the text.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from copydesk.domain.late_dataclass import dataclass
from copydesk.local.durable import private_file
from copydesk.local.paths import private_folder
from copydesk.local.state import free_path

_SCHEMA = """
CREATE TABLE IF NOT EXISTS conversation (
    id TEXT PRIMARY KEY, arrived BLOB, pending BLOB
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS refused (
    id TEXT PRIMARY KEY, digest BLOB
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS began (
    id TEXT PRIMARY KEY, at INTEGER, words BLOB
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS latest (
    one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT
);
"""


class InUse(Exception):  # noqa: N818 - says what happened
    """Another process is handing in conversations to the same organization at the moment."""


@dataclass(frozen=True, slots=True)
class Known:
    """The digests of arrived conversations, and of those without an answer.

    ``refused`` are those that a service declined. ``began`` says when the one that was sent last
    began, in seconds since 1970, and ``words`` is a digest of what was said first.
    """

    arrived: bytes | None = None
    pending: bytes | None = None
    refused: bytes | None = None
    began: int | None = None
    words: bytes | None = None


NOTHING = Known()


class Ingested:
    """The conversations handed in to one organization of one desk, held by this process until
    closed.

    A damaged file is renamed to ``.broken``, ``broken`` says so, and a new one begins. Raises
    `InUse`, and ``OSError`` when the disk refuses.
    """

    def __init__(self, folder: Path, desk: str, organization: str) -> None:
        name = hashlib.sha256(f"{desk}\n{organization}".encode("utf-8", "surrogatepass"))
        path = private_folder(folder) / f"{name.hexdigest()[:32]}.db"
        self.broken = False
        try:
            self._database = _open(path)
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                raise InUse from error
            raise _refused(error) from error
        except sqlite3.DatabaseError:
            path.replace(free_path(path.with_name(f"{path.name}.broken")))
            self.broken = True
            self._database = _open(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def find(self, conversation: str) -> Known:
        """Return the state of a conversation."""
        try:
            row = self._database.execute(
                "SELECT arrived, pending, (SELECT digest FROM refused WHERE id = ?1), "
                "at, words FROM conversation LEFT JOIN began USING (id) WHERE id = ?1",
                (conversation,),
            ).fetchone()
        except sqlite3.Error as error:
            raise _refused(error) from error
        return NOTHING if row is None else Known(*row)

    def latest(self) -> str | None:
        """Return the conversation that arrived last, None while there is none."""
        try:
            row = self._database.execute(
                "SELECT id FROM latest JOIN conversation USING (id) WHERE arrived IS NOT NULL"
            ).fetchone()
        except sqlite3.Error as error:
            raise _refused(error) from error
        return None if row is None else str(row[0])

    def sending(self, items: Iterable[tuple[str, bytes, int | None, bytes]]) -> None:
        """Note durably the conversations about to be sent.

        Of each its id and digest, when it began, and a digest of what was said first.
        """
        sent = list(items)
        put = (
            "INSERT INTO conversation (id, pending) VALUES (?, ?) "
            "ON CONFLICT (id) DO UPDATE SET pending = excluded.pending"
        )
        began = "INSERT OR REPLACE INTO began (id, at, words) VALUES (?, ?, ?)"
        self._all(
            (put, ((key, digest) for key, digest, _, _ in sent)),
            (began, ((key, at, words) for key, _, at, words in sent)),
        )

    def arrived(self, conversations: Iterable[str]) -> None:
        """Note durably that the batch under way has arrived."""
        ids = [(each,) for each in conversations]
        self._each(
            "UPDATE conversation SET arrived = pending, pending = NULL "
            "WHERE id = ? AND pending IS NOT NULL",
            ids,
        )
        self._each("INSERT OR REPLACE INTO latest (one, id) VALUES (1, ?)", ids[-1:])

    def doubt(self) -> None:
        """Note that all arrived conversations have to be looked up again."""
        self._each(
            "UPDATE conversation SET pending = coalesce(pending, arrived), arrived = NULL", [()]
        )

    def declined(self, conversation: str, digest: bytes) -> None:
        """Note that a service declined a conversation with this digest."""
        self.refused([conversation])
        put = "INSERT OR REPLACE INTO refused (id, digest) VALUES (?, ?)"
        self._each(put, [(conversation, digest)])

    def refused(self, conversations: Iterable[str]) -> None:
        """Note that the batch under way has not arrived."""
        self._each(
            "UPDATE conversation SET pending = NULL WHERE id = ?",
            ((each,) for each in conversations),
        )

    def _each(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        self._all((statement, rows))

    def _all(self, *steps: tuple[str, Iterable[tuple[object, ...]]]) -> None:
        try:
            with self._database:
                self._database.execute("BEGIN IMMEDIATE")
                for statement, rows in steps:
                    self._database.executemany(statement, rows)
        except sqlite3.Error as error:
            raise _refused(error) from error


def _refused(error: sqlite3.Error) -> OSError:
    return OSError(f"what was sent cannot be saved on this machine: {error}")


def _open(path: Path) -> sqlite3.Connection:
    private_file(path)
    database = sqlite3.connect(path, timeout=0, isolation_level=None)
    try:
        # Once locked it stays so until it is closed, or the process is no more.
        database.execute("PRAGMA locking_mode = EXCLUSIVE")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("BEGIN EXCLUSIVE")
        for statement in _SCHEMA.split(";"):
            database.execute(statement)
        database.execute("COMMIT")
        if (found := database.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise sqlite3.DatabaseError(found)
    except BaseException:
        database.close()
        raise
    return database

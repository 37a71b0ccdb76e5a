"""The marks of threads and change requests on this machine: a value of each kind."""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import instant
from copydesk.domain.snooze import Snooze

if TYPE_CHECKING:
    from copydesk.local.state import State


class _OfDesk:
    """A part of this machine's state that each desk has of its own.

    Safe to use from several threads and processes. Raises ``OSError`` when the disk refuses.
    """

    def __init__(self, store: State, desk: str = "") -> None:
        self._store, self._desk = store, desk


class DeskMarks(_OfDesk):
    """The marks of one desk."""

    def read(self) -> dict[str, dict[str, str]]:
        """Return the marks of each thing: values by kind."""
        found: dict[str, dict[str, str]] = {}
        query = "SELECT object, kind, value FROM mark WHERE desk = ?"
        for thing, kind, value in self._store.rows(query, self._desk):
            found.setdefault(thing, {})[kind] = value
        return found

    def put(self, thing: str, marks: Mapping[str, str]) -> None:
        """Set marks of a thing durably, in one step; an empty value takes a mark away."""

        def put(database: sqlite3.Connection) -> None:
            for kind, value in marks.items():
                row = self._desk, thing, kind
                database.execute("DELETE FROM mark WHERE (desk, object, kind) = (?, ?, ?)", row)
                if value:
                    database.execute(
                        "INSERT INTO mark (desk, object, kind, value) VALUES (?, ?, ?, ?)",
                        (*row, value),
                    )

        self._store.write(put)


VIEWS = 10_000
"""How many views of change requests are kept of a desk."""

_LOOKED = (
    "INSERT OR REPLACE INTO look (desk, object, at) VALUES (?, ?, ?)",
    "DELETE FROM look WHERE rowid IN "
    "(SELECT rowid FROM look WHERE desk = ? ORDER BY rowid DESC LIMIT -1 OFFSET ?)",
)
_READ = (
    "INSERT OR REPLACE INTO read_revision (desk, object, revision) VALUES (?, ?, ?)",
    "DELETE FROM read_revision WHERE rowid IN "
    "(SELECT rowid FROM read_revision WHERE desk = ? ORDER BY rowid DESC LIMIT -1 OFFSET ?)",
)
"""What notes a view, and what forgets all but the latest: one that is replaced gets a new number,
the greatest."""


class DeskSnoozes(_OfDesk):
    """The snoozed and viewed requests of one desk."""

    def read(self) -> dict[str, Snooze]:
        """Return all snoozes by id, also ended ones."""
        rows = self._store.rows(
            "SELECT object, updated, until, step FROM snooze WHERE desk = ?", self._desk
        )
        found: dict[str, Snooze] = {}
        for thing, updated, until, step in rows:
            at = instant(updated)
            if at is not None and isinstance(step, int):
                found[thing] = Snooze(at, instant(until), step)
        return found

    def put(self, thing: str, snooze: Snooze | None) -> None:
        """Snooze a request, or wake it (None), durably."""
        if snooze is None:
            self._write("DELETE FROM snooze WHERE desk = ? AND object = ?", thing)
        else:
            until = None if snooze.until is None else snooze.until.isoformat()
            self._write(
                "INSERT OR REPLACE INTO snooze (desk, object, updated, until, step) "
                "VALUES (?, ?, ?, ?, ?)",
                thing, snooze.updated.isoformat(), until, snooze.step,
            )  # fmt: skip

    def looks(self) -> dict[str, datetime]:
        """Return the times of the last views, by id."""
        rows = self._store.rows("SELECT object, at FROM look WHERE desk = ?", self._desk)
        found = ((thing, instant(at)) for thing, at in rows)
        return {thing: at for thing, at in found if at is not None}

    def look(self, thing: str, at: datetime, revision: str = "") -> None:
        """Note durably that a request was viewed, with the ``revision`` that was read, if any.

        Of each desk the `VIEWS` viewed last are kept.
        """

        noted = [(*_LOOKED, at.isoformat())] + [(*_READ, revision)] * bool(revision)

        def put(database: sqlite3.Connection) -> None:
            for note, forget, value in noted:
                database.execute(note, (self._desk, thing, value))
                database.execute(forget, (self._desk, VIEWS))

        self._store.write(put)

    def wrote(self, thing: str, before: str, after: str) -> None:
        """Note durably that one made a revision ``after`` of one that was read, ``before``.

        Where another one was read last, others wrote since, and nothing changes.
        """
        self._store.write(
            lambda database: database.execute(
                "UPDATE read_revision SET revision = ? WHERE (desk, object, revision) = (?, ?, ?)",
                (after, self._desk, thing, before),
            )
        )

    def is_read(self, thing: str, revision: str) -> bool:
        """Whether this is the revision of a request that was read last, or made of it."""
        query = "SELECT 1 FROM read_revision WHERE (desk, object, revision) = (?, ?, ?)"
        return bool(self._store.rows(query, self._desk, thing, revision))

    def edited(self, now: Mapping[str, str]) -> set[str]:
        """Return which requests of these are not as they were read last; ``now`` has revisions.

        What was never read is none of them.
        """
        query = "SELECT object, revision FROM read_revision WHERE desk = ?"
        return {
            thing
            for thing, revision in self._store.rows(query, self._desk)
            if now.get(thing, revision) not in ("", revision)
        }

    def _write(self, statement: str, *values: object) -> None:
        self._store.write(lambda database: database.execute(statement, (self._desk, *values)))


SeenState = Literal["unseen", "seen", "changed"]
"""``changed``: seen, but its text changed since."""

FORMER = 200
"""The number of unused texts kept for undo."""


@dataclass(frozen=True, slots=True)
class SeenPage:
    """The time of a mark (seconds since the epoch), and the digest of the seen text."""

    at: float
    digest: str


class DeskSeen(_OfDesk):
    """The marks of one desk. Safe to use from several threads and processes.

    A mark belongs to an object (the change request or space in which the page was read) and a page.
    Raises ``OSError`` when the disk refuses.
    """

    def mark(self, thing: str, page: str, text: str) -> None:
        """Mark a page as seen with this text, durably."""
        seen = SeenPage(self._store.clock(), digest(text))

        def keep(database: sqlite3.Connection) -> None:
            before = self.held(thing, page)
            database.execute(
                "INSERT INTO text (digest, body) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (seen.digest, zlib.compress(_bytes(text), 6)),
            )
            self._put(database, thing, page, seen)
            self._forget(database, before)

        self._store.write(keep)

    def unmark(self, thing: str, page: str) -> None:
        """Remove the mark of a page."""

        def take(database: sqlite3.Connection) -> None:
            before = self.held(thing, page)
            database.execute(
                "DELETE FROM seen WHERE desk = ? AND object = ? AND page = ?",
                (self._desk, thing, page),
            )
            self._forget(database, before)

        self._store.write(take)

    def held(self, thing: str, page: str) -> str | None:
        """Return the digest of the seen text, None for an unmarked page."""
        rows = self._store.rows(
            "SELECT digest FROM seen WHERE desk = ? AND object = ? AND page = ?",
            self._desk, thing, page,
        )  # fmt: skip
        return str(rows[0][0]) if rows else None

    def put(self, thing: str, page: str, digest: str | None) -> bool:
        """Mark a page with a former text, or unmark it (None).

        False, and nothing is changed, when that text is not stored any more.
        """
        if digest is None:
            self.unmark(thing, page)
            return True
        again = SeenPage(self._store.clock(), digest)

        def keep(database: sqlite3.Connection) -> bool:
            if not self._store.rows("SELECT 1 FROM text WHERE digest = ?", digest):
                return False
            before = self.held(thing, page)
            self._put(database, thing, page, again)
            self._forget(database, before)
            return True

        return self._store.write(keep)

    def state(self, thing: str, page: str, text: str) -> SeenState:
        """Return whether a page that has this text now was seen."""
        before = self.held(thing, page)
        if before is None:
            return "unseen"
        return "seen" if before == digest(text) else "changed"

    def text(self, thing: str, page: str) -> str | None:
        """Return the seen text of a page, None for an unmarked page."""
        rows = self._store.rows(
            "SELECT body FROM seen JOIN text USING (digest)"
            " WHERE desk = ? AND object = ? AND page = ?",
            self._desk, thing, page,
        )  # fmt: skip
        return zlib.decompress(rows[0][0]).decode("utf-8", "surrogatepass") if rows else None

    def pages(self, thing: str) -> dict[str, SeenPage]:
        """Return the marks within one object by page: one look-up for "3 of 8 seen"."""
        rows = self._store.rows(
            "SELECT page, at, digest FROM seen WHERE desk = ? AND object = ?", self._desk, thing
        )
        return {page: SeenPage(at, digest) for page, at, digest in rows}

    def _put(self, database: sqlite3.Connection, thing: str, page: str, seen: SeenPage) -> None:
        database.execute(
            "INSERT OR REPLACE INTO seen (desk, object, page, digest, at) VALUES (?, ?, ?, ?, ?)",
            (self._desk, thing, page, seen.digest, seen.at),
        )

    def _forget(self, database: sqlite3.Connection, unused: str | None) -> None:
        """Keep a text that was taken from a page for a while; forget the oldest of those."""
        if unused is None:
            return
        database.execute(
            "INSERT OR REPLACE INTO former (digest, at) VALUES (?, ?)",
            (unused, self._store.clock()),
        )
        old = database.execute(
            "SELECT digest FROM former ORDER BY at DESC, digest LIMIT -1 OFFSET ?", (FORMER,)
        ).fetchall()
        database.executemany("DELETE FROM former WHERE digest = ?", old)
        database.executemany(
            "DELETE FROM text WHERE digest = ?1"
            " AND NOT EXISTS (SELECT 1 FROM seen WHERE digest = ?1)",
            old,
        )


def digest(text: str) -> str:
    """Return the digest of a text, equal only for equal texts."""
    return hashlib.sha256(_bytes(text)).hexdigest()


def _bytes(text: str) -> bytes:
    # JSON may hold half a surrogate pair, which is stored unchanged.
    return text.encode("utf-8", "surrogatepass")


MOST = 1_000
"""How many are remembered of a desk; those used longest ago go."""


class DeskUses(_OfDesk):
    """The counters of one desk."""

    def read(self) -> dict[tuple[str, str], int]:
        """Return how often each was used, by kind and id, the latest first."""
        query = "SELECT kind, object, count FROM used WHERE desk = ? ORDER BY at DESC"
        return {(kind, key): count for kind, key, count in self._store.rows(query, self._desk)}

    def add(self, kind: str, key: str) -> None:
        """Count one more use, durably."""

        def put(database: sqlite3.Connection) -> None:
            database.execute(
                "INSERT INTO used (desk, kind, object, count, at) VALUES (?, ?, ?, 1, ?) "
                "ON CONFLICT DO UPDATE SET count = count + 1, at = excluded.at",
                (self._desk, kind, key, self._store.clock()),
            )
            database.execute(
                "DELETE FROM used WHERE desk = ? AND rowid IN (SELECT rowid FROM used "
                "WHERE desk = ? ORDER BY at DESC LIMIT -1 OFFSET ?)",
                (self._desk, self._desk, MOST),
            )

        self._store.write(put)


class DeskHidden(_OfDesk):
    """The findings that were hidden, by their keys."""

    def read(self) -> set[str]:
        """Return the keys of the hidden findings."""
        rows = self._store.rows("SELECT key FROM hidden_finding WHERE desk = ?", self._desk)
        return {key for (key,) in rows}

    def hide(self, keys: list[str]) -> None:
        """Hide findings, durably."""
        values = [(self._desk, key) for key in keys]
        self._store.write(
            lambda database: database.executemany(
                "INSERT INTO hidden_finding (desk, key) VALUES (?, ?) ON CONFLICT DO NOTHING",
                values,
            )
        )

    def show(self, keys: list[str]) -> None:
        """Show hidden findings again."""
        values = [(self._desk, key) for key in keys]
        self._store.write(
            lambda database: database.executemany(
                "DELETE FROM hidden_finding WHERE desk = ? AND key = ?", values
            )
        )

"""The pages that a person has marked as seen, with the text that was seen.

The text is kept so that "since my last review" can be shown without the service's help, and so
that a page whose text changes counts as not seen again. Equal texts are stored once, compressed.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import quote

from copydesk.local.durable import PRIVATE
from copydesk.local.paths import private_folder

SeenState = Literal["unseen", "seen", "changed"]
"""``changed``: seen, but its text is another one now."""

FORMER = 200
"""Texts that no page is marked with any more and that are kept, so that it can be undone."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS text (digest TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS seen (
    desk TEXT NOT NULL, object TEXT NOT NULL, page TEXT NOT NULL,
    digest TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (desk, object, page)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS seen_by_digest ON seen (digest);
CREATE TABLE IF NOT EXISTS former (digest TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class SeenPage:
    """When a page was marked (seconds since the epoch), and the digest of its text then."""

    at: float
    digest: str


class Seen:
    """The marks in the database at ``path``, which is created. Safe to use from several threads.

    A mark belongs to a desk, an object (the change request or space in which the page was read)
    and a page. A file that is no database is set aside as ``.broken`` and a new one begun: marks
    are a convenience, and must not keep copydesk from starting. ``read_only`` is for a file that is
    there, on a disk that takes nothing. Raises ``OSError`` or ``sqlite3.Error`` when the disk
    refuses.
    """

    def __init__(
        self, path: Path, *, clock: Callable[[], float] = time.time, read_only: bool = False
    ) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self.set_aside: Path | None = None
        if read_only:
            self._database = _open_to_read(path)
            return
        private_folder(path.parent)
        try:
            self._database = _open(path)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise
            self.set_aside = path.with_name(f"{path.name}.broken")
            path.replace(self.set_aside)
            for extra in ("-wal", "-shm"):
                path.with_name(path.name + extra).unlink(missing_ok=True)
            self._database = _open(path)

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._database.close()

    def mark(self, desk: str, thing: str, page: str, text: str) -> SeenPage:
        """Mark a page as seen with this text; it is on the disk when this returns."""
        seen = SeenPage(self._clock(), digest(text))
        with self._lock, self._database:
            before = self._find(desk, thing, page)
            self._database.execute(
                "INSERT INTO text VALUES (?, ?) ON CONFLICT DO NOTHING",
                (seen.digest, zlib.compress(_bytes(text), 6)),
            )
            self._database.execute(
                "INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?, ?)",
                (desk, thing, page, seen.digest, seen.at),
            )
            self._forget(before)
        return seen

    def unmark(self, desk: str, thing: str, page: str) -> None:
        """Take the mark of a page away."""
        with self._lock, self._database:
            before = self._find(desk, thing, page)
            self._database.execute(
                "DELETE FROM seen WHERE desk = ? AND object = ? AND page = ?", (desk, thing, page)
            )
            self._forget(before)

    def held(self, desk: str, thing: str, page: str) -> str | None:
        """Return the digest of the text that a page is marked with, or None when it is not."""
        with self._lock:
            return self._find(desk, thing, page)

    def put(self, desk: str, thing: str, page: str, digest: str | None) -> bool:
        """Mark a page with a text it was marked with before, or with None not at all.

        False, and nothing is changed, when that text is not kept any more.
        """
        if digest is None:
            self.unmark(desk, thing, page)
            return True
        with self._lock, self._database:
            kept = self._database.execute("SELECT 1 FROM text WHERE digest = ?", (digest,))
            if kept.fetchone() is None:
                return False
            before = self._find(desk, thing, page)
            self._database.execute(
                "INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?, ?)",
                (desk, thing, page, digest, self._clock()),
            )
            self._forget(before)
        return True

    def state(self, desk: str, thing: str, page: str, text: str) -> SeenState:
        """Return whether a page that has this text now was seen."""
        with self._lock:
            before = self._find(desk, thing, page)
        if before is None:
            return "unseen"
        return "seen" if before == digest(text) else "changed"

    def text(self, desk: str, thing: str, page: str) -> str | None:
        """Return the text of a page as it was when it was marked, or None when it is not."""
        with self._lock:
            row = self._database.execute(
                "SELECT body FROM seen JOIN text USING (digest)"
                " WHERE desk = ? AND object = ? AND page = ?",
                (desk, thing, page),
            ).fetchone()
        return None if row is None else zlib.decompress(row[0]).decode("utf-8", "surrogatepass")

    def pages(self, desk: str, thing: str) -> dict[str, SeenPage]:
        """Return the marks within one object by page: one look-up for "3 of 8 seen"."""
        with self._lock:
            rows = self._database.execute(
                "SELECT page, at, digest FROM seen WHERE desk = ? AND object = ?", (desk, thing)
            ).fetchall()
        return {page: SeenPage(at, digest) for page, at, digest in rows}

    def _find(self, desk: str, thing: str, page: str) -> str | None:
        row = self._database.execute(
            "SELECT digest FROM seen WHERE desk = ? AND object = ? AND page = ?",
            (desk, thing, page),
        ).fetchone()
        return None if row is None else str(row[0])

    def _forget(self, unused: str | None) -> None:
        """Keep a text that was taken from a page for a while; forget the oldest of those."""
        if unused is None:
            return
        self._database.execute(
            "INSERT OR REPLACE INTO former VALUES (?, ?)", (unused, self._clock())
        )
        old = self._database.execute(
            "SELECT digest FROM former ORDER BY at DESC, digest LIMIT -1 OFFSET ?", (FORMER,)
        ).fetchall()
        self._database.executemany("DELETE FROM former WHERE digest = ?", old)
        self._database.executemany(
            "DELETE FROM text WHERE digest = ?1"
            " AND NOT EXISTS (SELECT 1 FROM seen WHERE digest = ?1)",
            old,
        )


class DeskSeen:
    """The marks of one desk: what the screens need to know. The file is opened at the first use.

    Reading needs no room on the disk, and no right to write there: what is marked is then read from
    the file as it is, and where there is none, nothing is. Raises ``OSError`` when the disk refuses
    what is to be kept, or to read, whatever the database calls it.
    """

    def __init__(self, path: Path, desk: str) -> None:
        self._path = path
        self._desk = desk
        self._seen: Seen | None = None
        self._opening = threading.Lock()

    def mark(self, thing: str, page: str, text: str) -> None:
        """Mark a page as seen with this text; it is on the disk when this returns."""
        with _disk_errors():
            self._opened().mark(self._desk, thing, page, text)

    def unmark(self, thing: str, page: str) -> None:
        """Take the mark of a page away."""
        with _disk_errors():
            self._opened().unmark(self._desk, thing, page)

    def state(self, thing: str, page: str, text: str) -> SeenState:
        """Return whether a page that has this text now was seen."""
        with _disk_errors(), self._reading() as seen:
            return seen.state(self._desk, thing, page, text) if seen else "unseen"

    def text(self, thing: str, page: str) -> str | None:
        """Return a page's text as it was when it was marked, or None when it is not."""
        with _disk_errors(), self._reading() as seen:
            return seen.text(self._desk, thing, page) if seen else None

    def held(self, thing: str, page: str) -> str | None:
        """Return what stands for the text that a page is marked with, or None."""
        with _disk_errors(), self._reading() as seen:
            return seen.held(self._desk, thing, page) if seen else None

    def put(self, thing: str, page: str, digest: str | None) -> bool:
        """Mark a page with a text it was marked with before, or with None not at all."""
        with _disk_errors():
            return self._opened().put(self._desk, thing, page, digest)

    def pages(self, thing: str) -> list[str]:
        """Return the pages that are marked."""
        with _disk_errors(), self._reading() as seen:
            return list(seen.pages(self._desk, thing)) if seen else []

    def close(self) -> None:
        """Close the file, if it was opened."""
        with self._opening:
            if self._seen is not None:
                self._seen.close()
                self._seen = None

    @contextmanager
    def _reading(self) -> Iterator[Seen | None]:
        """Give the marks to read them, None where there are none."""
        if self._seen is None and not self._path.exists():
            yield None
            return
        try:
            seen = self._opened()
        except (OSError, sqlite3.OperationalError):
            if not self._path.is_file():
                raise
            seen = Seen(self._path, read_only=True)
            try:
                yield seen
            finally:
                seen.close()
        else:
            yield seen

    def _opened(self) -> Seen:
        with self._opening:
            if self._seen is None:
                self._seen = Seen(self._path)
            return self._seen


@contextmanager
def _disk_errors() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise OSError(f"the marks of seen pages cannot be kept: {error}") from error


def digest(text: str) -> str:
    """Return what stands for a text: two texts with one digest are equal."""
    return hashlib.sha256(_bytes(text)).hexdigest()


def _bytes(text: str) -> bytes:
    # JSON may carry half a surrogate pair; it is kept as it came.
    return text.encode("utf-8", "surrogatepass")


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Open a file of marks without writing anything, be it the list of who reads it."""
    for mode in ("mode=ro", "mode=ro&immutable=1"):
        database = sqlite3.connect(
            f"file:{quote(str(path.absolute()))}?{mode}", uri=True, check_same_thread=False
        )
        try:
            database.execute("SELECT count(*) FROM seen").fetchone()
        except sqlite3.OperationalError as error:
            # Without room for that list the file itself is read, as it was left last.
            database.close()
            failed = error
        else:
            return database
    if "no such table" in str(failed):
        # It was begun when the disk had no room for it: nothing is marked.
        database = sqlite3.connect(":memory:", check_same_thread=False)
        database.executescript(_SCHEMA)
        return database
    raise failed


def _open(path: Path) -> sqlite3.Connection:
    path.touch(mode=PRIVATE)
    database = sqlite3.connect(path, check_same_thread=False)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.executescript(_SCHEMA)
    except BaseException:
        database.close()
        raise
    return database

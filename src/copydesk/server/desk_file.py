"""Judging a file before it is opened as a desk, without changing it.

SQLite writes to a file that it opens: it replays what a crash left, and copies its log into the
file when the last connection closes. So a file that will be refused must be looked at first, over a
connection that cannot write.
"""

from __future__ import annotations

import os
import re
import sqlite3
from pathlib import Path
from urllib.parse import quote

APPLICATION_ID = 0x636F7079
"""``PRAGMA application_id`` of a desk file, so that another program's database is never changed."""

EXAMINED_BYTES = 32 * 1024 * 1024
"""Files up to this size are read whole for damage each time they are opened, which takes about
1 ms for each MiB. Of larger ones only the head and the schema are; ``desk check`` reads everything.
"""

BUSY_SECONDS = 30.0
"""How long a connection waits for another one that is writing."""

_MAGIC = b"SQLite format 3\0"

MOST_LOOKS = 3
"""So often a file is read again that seems bad and was written meanwhile."""


def log_of(path: Path) -> Path:
    """Return the path of SQLite's write-ahead log of a file."""
    return path.with_name(path.name + "-wal")


def open_unchanging(path: Path) -> sqlite3.Connection:
    """Return a connection that reads a database file and writes neither it nor anything beside it.

    Where a log lies beside the file its contents are read too, and other processes may go on
    writing. Raises ``sqlite3.OperationalError`` when the file cannot be opened.
    """
    # Without a log nobody has the file open, or they have just begun to; locking would create one.
    log = log_of(path)
    if not log.exists():
        return _connection(path, "mode=ro&immutable=1")
    connection = _connection(path, "mode=ro")
    try:
        # An empty one says nothing, and is what a full disk leaves where a log was to be made. Then
        # there is no room either for what SQLite needs beside it.
        if not log.stat().st_size:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        return _connection(path, "mode=ro&immutable=1")
    except BaseException:
        connection.close()
        raise
    return connection


def _connection(path: Path, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?{mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_SECONDS,
    )
    connection.row_factory = sqlite3.Row
    return connection


def unwritable(path: Path, *, folder: bool = True) -> str | None:
    """Return why a file that is there cannot be written as a desk, and its ``folder`` with it."""
    # As the user who opens it, who under setuid is not the one who called.
    effective = os.access in os.supports_effective_ids
    if not os.access(path, os.W_OK, effective_ids=effective):
        return "is not writable for you"
    if folder and not os.access(path.absolute().parent, os.W_OK, effective_ids=effective):
        return "is in a folder that is not writable for you, and its log has to be written there"
    return None


def complaint(path: Path, newest: int, *, examine: bool = True, writes: bool = True) -> str | None:
    """Return why a file cannot be used as a desk, or None when it can be.

    ``newest`` is the latest schema version that is known here. The answer goes on after the file's
    name ("is a folder"). An empty file and none at all can be used: both become a new desk. Raises
    ``OSError`` when the file cannot be looked at. Without ``examine`` damage is left to be found;
    one that nobody ``writes`` may be one that cannot be written.
    """
    if path.is_dir():
        return "is a folder, not a desk"
    if not path.exists() or not path.stat().st_size:
        return None
    if writes and (reason := unwritable(path, folder=examine)) is not None:
        return reason
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            return "is not a usable desk (it is not a SQLite database)"
    for _ in range(MOST_LOOKS):
        before = state_of(path)
        found = _look(path, newest, examine)
        # Another process that wrote in between may have shown a torn file.
        if found is None or state_of(path) == before:
            break
    return found


def _look(path: Path, newest: int, examine: bool) -> str | None:
    connection = None
    try:
        connection = open_unchanging(path)
        return _judge(connection, path, newest, examine)
    except sqlite3.DatabaseError as error:
        if not examine and error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_CORRUPT:
            return None
        return f"is not a usable desk ({said_by(error)})"
    except UnicodeDecodeError:
        # Python reads what SQLite says as UTF-8, which it is not where it quotes damage.
        return "is not a usable desk (its schema is damaged)" if examine else None
    finally:
        if connection is not None:
            connection.close()


def _judge(connection: sqlite3.Connection, path: Path, newest: int, examine: bool) -> str | None:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if tables and application != APPLICATION_ID:
        return "is a database of another program"
    if version > newest:
        return (
            f"was written by a newer copydesk (schema {version}, this one knows {newest}); "
            "update copydesk"
        )
    if examine and path.stat().st_size <= EXAMINED_BYTES:
        of_file, _ = damage(connection, "quick_check")
        if of_file:
            return f"is damaged ({of_file[0]})"
    return None


def damage(
    connection: sqlite3.Connection, check: str = "integrity_check"
) -> tuple[list[str], list[str]]:
    """Return what a check of SQLite finds wrong with a database file, and with its search index.

    Newer versions of SQLite look at that too. It can be made anew: no desk stays shut for it.
    """
    of_file: list[str] = []
    of_index: list[str] = []
    for (found,) in connection.execute(f"PRAGMA {check}"):
        # One finding may be many lines; the first names the database.
        for line in str(found).splitlines():
            if found != "ok" and not line.startswith("***"):
                (of_index if "fts5" in line.lower() else of_file).append(line)
    return of_file, of_index


def said_by(error: sqlite3.DatabaseError) -> str:
    """Return what SQLite says is wrong, without what it quotes: that may be what people wrote."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None and is_damage(error):
        return "something in it is not text"
    if code is not None and code & 0xFF == sqlite3.SQLITE_CORRUPT:
        return "it is damaged"
    return re.split(r" \(|: ", str(error))[0]


def is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether an error says that a file is damaged."""
    code = getattr(error, "sqlite_errorcode", None)
    if code is None:
        # Python's own complaint, with the text behind it.
        return str(error).startswith("Could not decode")
    return code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) or str(error).startswith(
        "malformed database schema"
    )


def state_of(path: Path) -> tuple[int, int, bool]:
    """Return what differs once a file was written: its time, its size, whether it has a log."""
    stat = path.stat()
    return stat.st_mtime_ns, stat.st_size, log_of(path).exists()

"""Waiting for the lock of a database that other processes write too: the desk, and local state."""

from __future__ import annotations

import random
import sqlite3
import time

_PAUSE = (0.0005, 0.002)
"""Seconds between two attempts."""


def when_free(connection: sqlite3.Connection, statement: str, seconds: float) -> None:
    """Execute a statement that takes a lock, as soon as nobody else holds it.

    SQLite itself waits longer and longer between its attempts, so that a process which writes all
    the time keeps others out for seconds; and it does not wait at all to switch to a log. Raises
    ``sqlite3.OperationalError`` after so many seconds.
    """
    end = time.monotonic() + seconds
    waits = connection.execute("PRAGMA busy_timeout").fetchone()[0]
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                connection.execute(statement)
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                    raise
                # At random, so that two who wait do not keep step.
                time.sleep(random.uniform(*_PAUSE))  # noqa: S311 - nothing is secret about it
            else:
                return
    finally:
        connection.execute(f"PRAGMA busy_timeout = {waits}")

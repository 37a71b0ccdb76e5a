"""A thing that one process at a time may be at, until that process ends, however it does."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

from copydesk.local.durable import PRIVATE
from copydesk.local.paths import private_folder


class Claim:
    """The claim that the file at ``path`` stands for. Safe to use from several threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._held: sqlite3.Connection | None = None

    def take(self) -> bool:
        """Take it until `release`; False while another process, or another claim, has it.

        Raises ``OSError`` when the disk refuses.
        """
        with self._lock:
            if self._held is None:
                private_folder(self._path.parent)
                self._path.touch(mode=PRIVATE)
                self._held = locked(self._path)
            return self._held is not None

    def release(self) -> None:
        """Give it back."""
        with self._lock:
            if self._held is not None:
                self._held.close()
                self._held = None


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
        # A lock of the system, which it takes back from a process that is no more.
        connection.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        connection.close()
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            return None
        raise OSError(f"{path.name} cannot be claimed: {error}") from error
    return connection

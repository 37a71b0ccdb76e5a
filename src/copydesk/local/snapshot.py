"""The rows of the last screens, so that the first frame of the next start shows something real.

A snapshot is a convenience: one that is missing, broken, too large or of another version is
ignored.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from copydesk.local.durable import write_file
from copydesk.local.paths import private_folder
from copydesk.local.preface import ENDING, keep

VERSION = 1
"""The version of the format; snapshots of other versions are ignored."""

ROW_LIMIT = 200
"""Rows kept: more than any screen shows."""

BYTE_LIMIT = 1024 * 1024
"""A larger file is not read: it would cost the time that a snapshot saves."""


class Snapshots:
    """The last screens of one desk, in ``folder`` (None: in memory). ``desk`` tells desks apart."""

    def __init__(self, folder: Path | None = None, desk: str = "") -> None:
        self._folder = folder
        self.desk = desk
        self._memory: dict[str, bytes] = {}

    def read(self, key: str) -> list[dict[str, Any]]:
        """Return the rows saved under ``key``; empty without usable ones."""
        try:
            value = json.loads(self._content(key))
        except (OSError, ValueError, RecursionError):
            return []
        match value:
            case {"version": version, "desk": desk, "key": kept_key, "rows": list(rows)} if (
                version,
                desk,
                kept_key,
            ) == (VERSION, self.desk, key) and all(isinstance(row, dict) for row in rows):
                return rows
        return []

    def write(self, key: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Save the first ``ROW_LIMIT`` rows under ``key``; their values are JSON.

        What is there already is not written again, so that no disk wakes up for it. Where the disk
        refuses, the next start shows nothing before its first read. Raises ``TypeError`` for a
        value that JSON has no form for.
        """
        value = {
            "version": VERSION,
            "desk": self.desk,
            "key": key,
            "rows": [dict(row) for row in rows[:ROW_LIMIT]],
        }
        content = json.dumps(value).encode("ascii")
        if self._folder is None:
            self._memory[key] = content
            return
        with suppress(OSError):
            if self._content(key) == content:
                return
        with suppress(OSError):
            private_folder(self._folder)
            write_file(self._path(self._folder, key), content)

    def keep_screen(self, columns: int, rows: int, wanted: str, frame: str) -> None:
        """Keep the drawn screen for starts under the conditions ``wanted`` (`local.preface`)."""
        if self._folder is not None:
            name = f"{_name(self.desk)}-{columns}x{rows}{ENDING}"
            keep(self._folder / name, wanted, frame)

    def forget_screens(self) -> None:
        """Delete the kept screens: the next start opens another one."""
        if self._folder is not None:
            with suppress(OSError):
                for path in self._folder.glob(f"{_name(self.desk)}-*{ENDING}"):
                    path.unlink(missing_ok=True)

    def forget(self) -> None:
        """Delete the screens of this desk, as when its token is taken away."""
        self._memory.clear()
        if self._folder is not None:
            forget_screens(self._folder, self.desk)

    def _content(self, key: str) -> bytes:
        if self._folder is None:
            return self._memory.get(key, b"")
        path = self._path(self._folder, key)
        return b"" if path.stat().st_size > BYTE_LIMIT else path.read_bytes()

    def _path(self, folder: Path, key: str) -> Path:
        return folder / f"{_name(self.desk)}-{_name(key)}.json"


def forget_screens(folder: Path, desk: str | None = None) -> int:
    """Delete the last screens of a desk, or of all desks; return their number."""
    begins = "" if desk is None else f"{_name(desk)}-"
    found = [path for ending in (".json", ENDING) for path in folder.glob(f"{begins}*{ending}")]
    for path in found:
        path.unlink(missing_ok=True)
    return len(found)


def _name(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

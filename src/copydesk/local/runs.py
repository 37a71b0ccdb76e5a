"""Merge runs on this machine: each as it was last, whole on the disk before ``save`` returns.

A run that is being gone through is claimed. A claim ends with the process that holds it, however
that ends, so that the next start can tell a run that was cut off from one that somebody else is at.
"""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from copydesk.local.durable import PRIVATE, write_file
from copydesk.local.paths import private_folder

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from copydesk.domain.merge_run import MergeRun

KEPT = 100
"""Runs kept of one desk, the newest; older ones that have ended are deleted at the next save."""

BYTE_LIMIT = 16 * 1024 * 1024
"""A larger file is none of ours."""


class Runs:
    """The merge runs of one desk, in ``folder``, which is created.

    Safe to use from several threads and processes. Raises ``OSError`` when the disk refuses.
    """

    def __init__(self, folder: Path, desk: str) -> None:
        self._folder = folder
        self._prefix = _name(desk)
        self._claims: dict[str, sqlite3.Connection] = {}
        self._lock = threading.Lock()

    def save(self, run: MergeRun) -> None:
        """Keep a run as it is; it is on the disk when this returns."""
        private_folder(self._folder)
        path = self._path(run.id)
        new = not path.exists()
        write_file(path, _adapter().dump_json(run, exclude_defaults=True))
        if new:
            self._prune()

    def load(self, run_id: str) -> MergeRun | None:
        """Return a run as it was saved last, or None when it cannot be read."""
        return _read(self._path(run_id))

    def all(self) -> list[MergeRun]:
        """Return the runs, the newest first. Files that cannot be read are passed over."""
        runs = [run for path in self._files() if (run := _read(path)) is not None]
        return sorted(runs, key=lambda run: (run.made, run.id), reverse=True)

    def drop(self, run_id: str) -> None:
        """Forget a run, as one that was planned and never begun."""
        for path in (self._path(run_id), self._path(run_id).with_suffix(".lock")):
            path.unlink(missing_ok=True)

    def claim(self, run_id: str) -> bool:
        """Take a run for this process until `release`; False while another process is at it."""
        with self._lock:
            if run_id in self._claims:
                return True
            private_folder(self._folder)
            path = self._path(run_id).with_suffix(".lock")
            path.touch(mode=PRIVATE)
            connection = sqlite3.connect(
                path, timeout=0, isolation_level=None, check_same_thread=False
            )
            try:
                # A lock of the system, which it takes back from a process that is no more.
                connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                connection.close()
                if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
                    return False
                raise OSError(f"the merge run cannot be claimed: {error}") from error
            self._claims[run_id] = connection
            return True

    def release(self, run_id: str) -> None:
        """Give a run back."""
        with self._lock:
            connection = self._claims.pop(run_id, None)
            if connection is not None:
                connection.close()

    def _prune(self) -> None:
        for run in self.all()[KEPT:]:
            if run.state == "finished":
                self.drop(run.id)

    def _files(self) -> Iterable[Path]:
        return self._folder.glob(f"{self._prefix}-*.json") if self._folder.is_dir() else ()

    def _path(self, run_id: str) -> Path:
        return self._folder / f"{self._prefix}-{_name(run_id)}.json"


@cache
def _adapter() -> TypeAdapter[MergeRun]:
    # Imported when they are first needed: the screens start without them (speed.md).
    from pydantic import TypeAdapter

    from copydesk.domain.merge_run import MergeRun

    return TypeAdapter(MergeRun)


def _read(path: Path) -> MergeRun | None:
    try:
        if path.stat().st_size > BYTE_LIMIT:
            return None
        return _adapter().validate_json(path.read_bytes())
    except (OSError, ValueError):
        return None


def _name(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

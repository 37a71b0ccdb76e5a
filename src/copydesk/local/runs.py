"""Runs on this machine: each as it was last, on the disk before ``save`` returns.

A file begins with the whole run, in one line. A kind of run that can tell what has changed of it
adds a line for that with each ``save``, so that a step of a long run costs no more than one of a
short run; a last line that a crash cut off is passed over. The file is replaced whole when there is
no telling, or when it is not as this process left it.

A run that is being gone through is claimed. A claim ends with the process that holds it, however
that ends, so that the next start can tell a run that was cut off from one that somebody else is at.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from errno import EFBIG
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from copydesk.local.claim import locked
from copydesk.local.durable import PRIVATE, append_file, write_file
from copydesk.local.paths import private_folder

if TYPE_CHECKING:
    import sqlite3

    from pydantic import TypeAdapter

    from copydesk.domain.arrange_run import ArrangeRun
    from copydesk.domain.merge_run import MergeRun

R = TypeVar("R")

KEPT = 100
"""Runs kept of one desk, the newest; older ones that have ended are deleted at the next save."""

BYTE_LIMIT = 64 * 1024 * 1024
"""A larger file is none of ours. A run has half of that, the lines that are added the rest."""


@dataclass(frozen=True, slots=True)
class _Left(Generic[R]):
    """A run as this process put it on the disk last, and the file as it was then."""

    run: R
    file: tuple[int, int] | None


class RunFiles(Generic[R]):
    """The runs of one kind of one desk, in ``folder``, which is created.

    Safe to use from several threads and processes. Raises ``OSError`` when the disk refuses.
    """

    def __init__(self, folder: Path, desk: str) -> None:
        self._folder = folder
        self._prefix = _name(desk)
        self._claims: dict[str, sqlite3.Connection] = {}
        self._left: dict[str, _Left[R]] = {}
        self._lock = threading.Lock()

    def adapter(self) -> TypeAdapter[R]:
        """Return what reads and writes a run as JSON."""
        raise NotImplementedError

    def describe(self, run: R) -> tuple[str, float, bool]:
        """Return the id of a run, when it was made, and whether it has ended."""
        raise NotImplementedError

    def changes(self, before: R, run: R) -> dict[str, Any] | None:
        """Return what has changed of a run, as JSON; None where that is not told."""
        return None

    def changed(self, run: dict[str, Any], lines: Iterable[dict[str, Any]]) -> dict[str, Any]:
        """Return a run as JSON with what has changed of it. Raises ``ValueError``."""
        raise ValueError("nothing is added to these")

    def save(self, run: R) -> None:
        """Keep a run as it is; it is on the disk when this returns.

        Raises ``OSError`` when the disk refuses, or when it is so long that it could not be read.
        """
        private_folder(self._folder)
        run_id = self.describe(run)[0]
        path = self._path(run_id)
        there = _file(path)
        if (line := self._line(run_id, run, there)) is not None:
            append_file(path, line, alone=True)
        else:
            content = self.adapter().dump_json(run, exclude_defaults=True)
            if len(content) > BYTE_LIMIT // 2:
                raise OSError(EFBIG, "the plan is too long")
            write_file(path, content + b"\n")
        self._left[run_id] = _Left(run, _file(path))
        if there is None:
            self._prune()

    def _line(self, run_id: str, run: R, there: tuple[int, int] | None) -> bytes | None:
        """Return what is added to the file of a run; None where it is to be written whole."""
        left = self._left.get(run_id)
        if left is None or there is None or left.file != there:
            return None
        changes = self.changes(left.run, run)
        if changes is None:
            return None
        line = json.dumps(changes).encode("ascii") + b"\n"
        return line if there[1] + len(line) <= BYTE_LIMIT else None

    def load(self, run_id: str) -> R | None:
        """Return a run as it was saved last, or None when it cannot be read."""
        return self._read(self._path(run_id))

    def all(self) -> list[R]:
        """Return the runs, the newest first. Files that cannot be read are passed over."""
        runs = [run for path in self._files() if (run := self._read(path)) is not None]
        return sorted(runs, key=self._newest, reverse=True)

    def _newest(self, run: R) -> tuple[float, str]:
        run_id, made, _ = self.describe(run)
        return made, run_id

    def drop(self, run_id: str) -> bool:
        """Forget a run; False, and it stays, while another process is at it."""
        return self._drop(run_id, ended=False)

    def drop_ended(self, run_id: str) -> bool:
        """Forget a run if it has ended by now and nobody is at it; whether that is so."""
        return self._drop(run_id, ended=True)

    def _drop(self, run_id: str, *, ended: bool) -> bool:
        held = run_id in self._claims
        if not self.claim(run_id):
            return False
        try:
            run = self.load(run_id) if ended else None
            if run is not None and not self.describe(run)[2]:
                return False
            self._path(run_id).unlink(missing_ok=True)
            self._left.pop(run_id, None)
            if not held:  # whoever has opened this file meanwhile finds that it is another by now
                self._path(run_id).with_suffix(".lock").unlink(missing_ok=True)
            return True
        finally:
            if not held:
                self.release(run_id)

    def claim(self, run_id: str) -> bool:
        """Take a run for this process until `release`; False while another process is at it."""
        with self._lock:
            if run_id in self._claims:
                return True
            private_folder(self._folder)
            path = self._path(run_id).with_suffix(".lock")
            while True:
                path.touch(mode=PRIVATE)
                file = _file(path)
                connection = locked(path)
                if connection is None:
                    return False
                now = _file(path)
                if file is not None and now is not None and now[0] == file[0]:
                    self._claims[run_id] = connection
                    return True
                connection.close()  # the run was dropped meanwhile, and this file with it

    def release(self, run_id: str) -> None:
        """Give a run back."""
        with self._lock:
            self._left.pop(run_id, None)  # others may write to it from now on
            connection = self._claims.pop(run_id, None)
            if connection is not None:
                connection.close()

    def _prune(self) -> None:
        for run in self.all()[KEPT:]:
            run_id, _, ended = self.describe(run)
            if ended:
                self.drop_ended(run_id)

    def _read(self, path: Path) -> R | None:
        try:
            if path.stat().st_size > BYTE_LIMIT:
                return None
            first, *added = path.read_bytes().split(b"\n")
            lines = [line for each in added if (line := _read_line(each)) is not None]
            if not lines:
                return self.adapter().validate_json(first)
            return self.adapter().validate_python(self.changed(json.loads(first), lines))
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return None

    def _files(self) -> Iterable[Path]:
        return self._folder.glob(f"{self._prefix}-*.json") if self._folder.is_dir() else ()

    def _path(self, run_id: str) -> Path:
        return self._folder / f"{self._prefix}-{_name(run_id)}.json"


class Runs(RunFiles["MergeRun"]):
    """The merge runs of one desk."""

    def adapter(self) -> TypeAdapter[MergeRun]:
        """Return what reads and writes a merge run as JSON."""
        # Imported when they are first needed: the screens start without them (speed.md).
        from copydesk.domain.merge_run import MergeRun

        return _adapter(MergeRun)

    def describe(self, run: MergeRun) -> tuple[str, float, bool]:
        """Return the id of a run, when it was made, and whether it has ended."""
        return run.id, run.made, run.state == "finished"


class Arrangements(RunFiles["ArrangeRun"]):
    """The runs of one desk that rearrange sites and organizations: one for each of these."""

    def adapter(self) -> TypeAdapter[ArrangeRun]:
        """Return what reads and writes such a run as JSON."""
        from copydesk.domain.arrange_run import ArrangeRun

        return _adapter(ArrangeRun)

    def changes(self, before: ArrangeRun, run: ArrangeRun) -> dict[str, Any] | None:
        """Return what has changed of a run; None where it is another plan."""
        from copydesk.domain.run_changes import changes_between

        try:
            return changes_between(before, run)
        except ValueError:
            return None

    def changed(self, run: dict[str, Any], lines: Iterable[dict[str, Any]]) -> dict[str, Any]:
        """Return a run as JSON with what has changed of it."""
        from copydesk.domain.run_changes import with_changes

        return with_changes(run, lines)

    def describe(self, run: ArrangeRun) -> tuple[str, float, bool]:
        """Return the id of a run, when it began, and whether it has ended."""
        return run.id, run.began, run.state == "finished"


def _file(path: Path) -> tuple[int, int] | None:
    """Return which file a path is at the moment, and its size; None where there is none."""
    try:
        found = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return found.st_ino, found.st_size


def _read_line(line: bytes) -> dict[str, Any] | None:
    """Return a line that was added; None for one that is empty, or was cut off."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def _name(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]

"""The runs on this machine: each in its last state, durable when ``save`` returns.

A run is stored whole when it begins. A kind of run that has ``changes`` adds one row for them with
each ``save``, so that a step of a long run costs no more than one of a short run.

A running run is claimed. A claim ends with its process, however that ends, so that the next start
can tell an interrupted run from another process's.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import suppress
from errno import EFBIG
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from copydesk.local.state import token

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from copydesk.domain.arrange_run import ArrangeRun
    from copydesk.domain.merge_run import MergeRun
    from copydesk.domain.settlement import Settling
    from copydesk.domain.suggestion import ApplyRun
    from copydesk.local.state import State

R = TypeVar("R")

KEPT = 100
"""The number of runs kept of one desk; older ended runs are deleted at the next save."""

CHARACTER_LIMIT = 32 * 1024 * 1024
"""A longer run is not stored: reading it would take too long."""


FORGET_CHANGES = "DELETE FROM run_change WHERE kind = ? AND desk = ? AND id = ?"


class KeptRuns(ABC, Generic[R]):
    """The runs of one kind of one desk.

    Safe to use from several threads and processes. Raises ``OSError`` when the disk refuses.
    """

    KIND = ""

    def __init__(self, store: State, desk: str = "") -> None:
        self._store = store
        self._desk = hashlib.sha256(desk.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        self._left: dict[str, tuple[R, str]] = {}
        """The runs as this process saved them last, with the versions of their rows."""

    @abstractmethod
    def adapter(self) -> TypeAdapter[R]:
        """Return the JSON adapter of a run."""

    @abstractmethod
    def describe(self, run: R) -> tuple[str, float, bool]:
        """Return the id of a run, when it was made, and whether it has ended."""

    def changes(self, before: R, run: R) -> dict[str, Any] | None:
        """Return the changes of a run as JSON; None where it has to be stored whole."""
        return None

    def changed(self, run: dict[str, Any], changes: Iterable[dict[str, Any]]) -> dict[str, Any]:
        """Return a run as JSON with its changes. Raises ``ValueError``."""
        raise ValueError("nothing is added to these")

    def save(self, run: R) -> None:
        """Save a run durably.

        Raises ``OSError`` when the disk refuses, or when it is too long.
        """
        run_id = self.describe(run)[0]
        row, version = self._row(run_id), token()
        left = self._left.get(run_id)
        changes = None if left is None else self.changes(left[0], run)

        def keep(database: sqlite3.Connection) -> bool:
            there = database.execute(
                "SELECT version FROM run WHERE kind = ? AND desk = ? AND id = ?", row
            ).fetchone()
            # The changes apply only to the version that this process saved.
            if changes is not None and left is not None and there == (left[1],):
                database.execute(
                    "UPDATE run SET version = ? WHERE kind = ? AND desk = ? AND id = ?",
                    (version, *row),
                )
                database.execute(
                    "INSERT INTO run_change (kind, desk, id, value) VALUES (?, ?, ?, ?)",
                    (*row, json.dumps(changes)),
                )
                return False
            content = self.adapter().dump_json(run, exclude_defaults=True).decode("utf-8")
            if len(content) > CHARACTER_LIMIT:
                raise OSError(EFBIG, "the plan is too long")
            database.execute(FORGET_CHANGES, row)
            database.execute(
                "INSERT OR REPLACE INTO run (kind, desk, id, version, value) "
                "VALUES (?, ?, ?, ?, ?)",
                (*row, version, content),
            )
            return there is None

        fresh = self._store.write(keep)
        self._left[run_id] = run, version
        if fresh:
            for old in self.all()[KEPT:]:
                run_id, _, ended = self.describe(old)
                if ended:
                    self.drop_ended(run_id)

    def load(self, run_id: str) -> R | None:
        """Return a run as it was saved last, or None when it cannot be read."""
        row = self._row(run_id)
        # In one query, so that both are of one moment.
        found = self._store.rows(
            "SELECT 0, value FROM run WHERE kind = ? AND desk = ? AND id = ? UNION ALL"
            " SELECT number, value FROM run_change WHERE kind = ? AND desk = ? AND id = ?"
            " ORDER BY 1",
            *row, *row,
        )  # fmt: skip
        return self._read([value for _, value in found]) if found and not found[0][0] else None

    def all(self) -> list[R]:
        """Return the runs, the newest first. Unreadable ones are passed over."""
        ids = self._store.rows("SELECT id FROM run WHERE kind = ? AND desk = ?", *self._row("")[:2])
        runs = [run for (run_id,) in ids if (run := self.load(run_id)) is not None]
        return sorted(runs, key=lambda run: self.describe(run)[1::-1], reverse=True)

    def any(self) -> bool:
        """Whether there is one, readable or not."""
        query = "SELECT 1 FROM run WHERE kind = ? AND desk = ? LIMIT 1"
        return bool(self._store.rows(query, *self._row("")[:2]))

    def drop(self, run_id: str) -> bool:
        """Delete a run; False, and it stays, while another process has it."""
        return self._drop(run_id, ended=False)

    def drop_ended(self, run_id: str) -> bool:
        """Delete a run if it has ended and no process has it; whether that happened."""
        return self._drop(run_id, ended=True)

    def _drop(self, run_id: str, *, ended: bool) -> bool:
        row = self._row(run_id)

        def drop(database: sqlite3.Connection) -> bool:
            if not self._store.is_free(self._claim(run_id)):
                return False
            run = self.load(run_id) if ended else None
            if run is not None and not self.describe(run)[2]:
                return False
            database.execute(FORGET_CHANGES, row)
            database.execute("DELETE FROM run WHERE kind = ? AND desk = ? AND id = ?", row)
            return True

        gone = self._store.write(drop)
        if gone:
            self._left.pop(run_id, None)
        return gone

    def claim(self, run_id: str) -> bool:
        """Claim a run for this process until `release`; False while another process has it."""
        return self._store.claim(self._claim(run_id))

    def release(self, run_id: str) -> None:
        """Release a run."""
        self._left.pop(run_id, None)  # others may write to it from now on
        self._store.release(self._claim(run_id))

    def _claim(self, run_id: str) -> str:
        return " ".join(self._row(run_id))

    def _row(self, run_id: str) -> tuple[str, str, str]:
        return self.KIND, self._desk, run_id

    def _read(self, values: list[str]) -> R | None:
        with suppress(ValueError, LookupError, TypeError, AttributeError, RecursionError):
            if len(values) == 1:
                return self.adapter().validate_json(values[0])
            first, *changes = map(json.loads, values)
            return self.adapter().validate_python(self.changed(first, changes))
        return None


class Runs(KeptRuns["MergeRun"]):
    """The merge runs of one desk."""

    KIND = "merge"

    def adapter(self) -> TypeAdapter[MergeRun]:
        # Imported when they are first needed: the screens start without them.
        from copydesk.domain.merge_run import MergeRun

        return _adapter(MergeRun)

    def describe(self, run: MergeRun) -> tuple[str, float, bool]:
        return run.id, run.made, run.state == "finished"


class WaitingRuns(Runs):
    """The requests of one desk that are merged once their rules hold: a run for each."""

    KIND = "waiting"


class Arrangements(KeptRuns["ArrangeRun"]):
    """The runs of one desk that rearrange sites and organizations: one for each of these."""

    KIND = "arrange"

    def adapter(self) -> TypeAdapter[ArrangeRun]:
        from copydesk.domain.arrange_run import ArrangeRun

        return _adapter(ArrangeRun)

    def changes(self, before: ArrangeRun, run: ArrangeRun) -> dict[str, Any] | None:
        from copydesk.domain.arrange_run import changes_between

        try:
            return changes_between(before, run)
        except ValueError:
            return None

    def changed(self, run: dict[str, Any], changes: Iterable[dict[str, Any]]) -> dict[str, Any]:
        from copydesk.domain.arrange_run import with_changes

        return with_changes(run, changes)

    def describe(self, run: ArrangeRun) -> tuple[str, float, bool]:
        return run.id, run.began, run.state == "finished"


class Settlings(KeptRuns["Settling"]):
    """What is chosen of change requests that conflict with main, and the runs that send it."""

    KIND = "settle"

    def adapter(self) -> TypeAdapter[Settling]:
        from copydesk.domain.settlement import Settling

        return _adapter(Settling)

    def describe(self, run: Settling) -> tuple[str, float, bool]:
        return run.id, run.made, run.state == "sent"


class Applications(KeptRuns["ApplyRun"]):
    """The suggestions of one desk that are being applied."""

    KIND = "apply"

    def adapter(self) -> TypeAdapter[ApplyRun]:
        from copydesk.domain.suggestion import ApplyRun

        return _adapter(ApplyRun)

    def describe(self, run: ApplyRun) -> tuple[str, float, bool]:
        return run.id, run.began, False


@cache
def _adapter(kind: type[Any]) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)

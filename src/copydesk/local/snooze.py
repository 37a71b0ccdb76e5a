"""The snoozed change requests of this machine, and the last views of requests."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from copydesk.domain.age import instant
from copydesk.domain.snooze import Snooze

if TYPE_CHECKING:
    from copydesk.local.state import State


class DeskSnoozes:
    """The snoozed and viewed requests of one desk.

    Safe to use from several threads and processes. Raises ``OSError`` when the disk refuses.
    """

    def __init__(self, store: State, desk: str = "") -> None:
        self._store = store
        self._desk = desk

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

    def look(self, thing: str, at: datetime) -> None:
        """Note durably that a request was viewed."""
        put = "INSERT OR REPLACE INTO look (desk, object, at) VALUES (?, ?, ?)"
        self._write(put, thing, at.isoformat())

    def _write(self, statement: str, *values: object) -> None:
        self._store.write(lambda database: database.execute(statement, (self._desk, *values)))

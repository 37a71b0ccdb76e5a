"""The marks of threads and change requests on this machine: a value of each kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

    from copydesk.local.state import State


class DeskMarks:
    """The marks of one desk.

    Safe to use from several threads and processes. Raises ``OSError`` when the disk refuses.
    """

    def __init__(self, store: State, desk: str = "") -> None:
        self._store = store
        self._desk = desk

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

"""How often something was gone to by its name, on this machine."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from copydesk.local.state import State

MOST = 1_000
"""How many are remembered of a desk; those used longest ago go."""


class DeskUses:
    """The counters of one desk. Raises ``OSError`` when the disk refuses."""

    def __init__(self, store: State, desk: str = "") -> None:
        self._store = store
        self._desk = desk

    def read(self) -> dict[tuple[str, str], int]:
        """Return how often each was used, by kind and id, the latest first."""
        query = "SELECT kind, object, count FROM used WHERE desk = ? ORDER BY at DESC"
        return {(kind, key): count for kind, key, count in self._store.rows(query, self._desk)}

    def add(self, kind: str, key: str) -> None:
        """Count one more use, durably."""

        def put(database: sqlite3.Connection) -> None:
            database.execute(
                "INSERT INTO used (desk, kind, object, count, at) VALUES (?, ?, ?, 1, ?) "
                "ON CONFLICT DO UPDATE SET count = count + 1, at = excluded.at",
                (self._desk, kind, key, self._store.clock()),
            )
            database.execute(
                "DELETE FROM used WHERE desk = ? AND rowid IN (SELECT rowid FROM used "
                "WHERE desk = ? ORDER BY at DESC LIMIT -1 OFFSET ?)",
                (self._desk, self._desk, MOST),
            )

        self._store.write(put)

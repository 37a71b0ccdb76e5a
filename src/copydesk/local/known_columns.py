"""Which columns of a table say what, as it was told once for all tables with the same header."""

from __future__ import annotations

from copydesk.local.state import State


class KnownColumns:
    """The columns by the key of a table's shape. Everything raises ``OSError``."""

    def __init__(self, store: State) -> None:
        self._store = store

    def find(self, key: str) -> str | None:
        """Return what was told of a table; None where nothing was."""
        rows = self._store.rows("SELECT columns FROM table_columns WHERE key = ?", key)
        return str(rows[0][0]) if rows else None

    def keep(self, key: str, columns: str) -> None:
        """Remember what was told of a table."""
        put = "INSERT OR REPLACE INTO table_columns (key, columns) VALUES (?, ?)"
        self._store.write(lambda database: database.execute(put, (key, columns)))

"""The pages of a space in the order in which they are read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from copydesk.domain.filter import fold
from copydesk.session.page_rows import PageRow


class PageOrder:
    """All rows of a tree by id, from its top; those with text can be read one after the other."""

    def __init__(self, rows: Iterable[PageRow] = ()) -> None:
        self.rows = {row.id: row for row in rows}
        self.readable: Sequence[str] = [row.id for row in self.rows.values() if row.readable]
        """Ids of the pages with text."""
        self._places = {row_id: at for at, row_id in enumerate(self.readable)}

    def place_of(self, page: str) -> int | None:
        """Return the place of a page among those with text, from 0; None when it has none."""
        return self._places.get(page)

    def named(self, wanted: str) -> str | None:
        """Return the id of the row with an id or a path, if there is one."""
        if wanted in self.rows:
            return wanted
        path = wanted.strip("/")
        return next((row.id for row in self.rows.values() if row.path == path), None)

    def with_words(self, text: str) -> str | None:
        """Return the first page with text whose title or path has these words."""
        words = fold(text).split()
        for row_id in self.readable:
            row = self.rows[row_id]
            if all(word in fold(f"{row.where} {row.path}") for word in words):
                return row_id
        return None

    def beside(self, row: str, by: int) -> str | None:
        """Return the page with text after a row (``by`` 1) or before it (-1), if there is one.

        On a group or a link it is the next one from where that stands.
        """
        at = self._places.get(row)
        if at is not None:
            return self.readable[at + by] if 0 <= at + by < len(self.readable) else None
        ids = list(self.rows)
        start = ids.index(row) if row in self.rows else 0
        way = ids[start:] if by > 0 else ids[start::-1]
        return next((row_id for row_id in way if row_id in self._places), None)

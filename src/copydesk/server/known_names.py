"""The names on an embedded desk, read from its file alone: the store is not opened for them."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from copydesk.domain.known_name import LONGEST, MOST, Kind, KnownName

WAIT_SECONDS = 0.05
"""The longest wait for one who writes to the desk."""

_SELECT: Mapping[Kind, str] = {
    "space": "SELECT 'space', id, title, '', 0 FROM space WHERE deleted_at IS NULL "
    "ORDER BY updated_at DESC",
    "site": "SELECT 'site', id, title, '', 0 FROM site ORDER BY title",
    "change-request": "SELECT 'change-request', id, subject, space_id, number "
    "FROM change_request ORDER BY updated_at DESC",
    "page": "SELECT 'page', page_id, search.title, space_id, 0 "
    "FROM search_page JOIN search ON search.rowid = search_page.id ORDER BY search_page.id DESC",
    "person": "SELECT 'person', id, display_name, '', 0 FROM user ORDER BY display_name",
}


def desk_names(desk: Path, kind: Kind) -> list[KnownName]:
    """Return the names of a kind on a desk, the newest first; none of a file of no use."""
    try:
        address = f"{desk.as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, timeout=WAIT_SECONDS)) as database:
            rows = database.execute(f"{_SELECT[kind]} LIMIT ?", (MOST,))
            return [KnownName(of, key, title[:LONGEST], space, number)
                    for of, key, title, space, number in rows]  # fmt: skip
    except (sqlite3.Error, ValueError):
        return []

"""Whether a desk is the sample and nothing else."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from copydesk.server.store import Tx

SPACES = "sample_spaces"
"""The key in a desk's ``meta`` of how many spaces it had when the sample was in it and no more."""


def note_spaces(tx: Tx) -> None:
    """Note that the desk is the sample and nothing else."""
    tx.insert("meta", key=SPACES, value=str(tx.value("SELECT count(*) FROM space")))


def is_untouched(path: Path) -> bool:
    """Whether nothing was brought into the desk at ``path`` since it was filled with the sample.

    It is read by itself, so that nobody waits; a desk that cannot be read now is not untouched.
    """
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as desk:
            asked = "SELECT value = (SELECT count(*) FROM space) FROM meta WHERE key = ?"
            found = desk.execute(asked, (SPACES,)).fetchone()
    except sqlite3.Error:
        return False
    return bool(found == (1,))

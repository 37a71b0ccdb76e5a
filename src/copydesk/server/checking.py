"""Reading a whole desk for anything that should not be: damage, and rules that do not hold.

Nothing here writes. What it says are sentences for a person; a desk without any is as sound as this
version of copydesk can tell. What may be asked for again (counts, defaults) is checked against what
it is derived from.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from copydesk.domain.text import plural
from copydesk.server.checking_content import Contents
from copydesk.server.desk_file import MOST_LOOKS, complaint, open_unchanging, state_of
from copydesk.server.migrations import VERSION
from copydesk.server.rules import RULES
from copydesk.server.store import DeskError

MOST = 20
"""So many problems of one kind are named; the rest are counted."""


def problems(path: Path) -> Iterator[str]:
    """Yield what is wrong with a desk file, most fundamental first; nothing is written.

    Other processes may go on using the desk: what is read is one moment of it. Raises ``DeskError``
    for what is no desk at all, or one of another version, whose rules are not known here.
    """
    if (reason := complaint(path, VERSION, examine=False)) is not None:
        raise DeskError(f"{path} {reason}. It was left as it is; name another file with --desk.")
    for _ in range(MOST_LOOKS):
        before = state_of(path)
        found = list(_read(path))
        # Nobody had it open: whoever opened it in between may have shown a torn file.
        if not found or state_of(path) == before:
            break
    yield from found


def _read(path: Path) -> Iterator[str]:
    with closing(open_unchanging(path)) as connection:
        connection.execute("BEGIN")
        try:
            yield from _problems(connection, path)
        except sqlite3.DatabaseError as error:
            yield f"SQLite cannot read on: {error}"


def damage(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield what SQLite finds wrong with a database file, whatever is in it."""
    for (found,) in connection.execute(f"PRAGMA integrity_check({MOST})"):
        if found != "ok":
            yield f"SQLite: {' '.join(str(found).split())}"


def _problems(connection: sqlite3.Connection, path: Path) -> Iterator[str]:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    damaged = False
    for problem in damage(connection):
        damaged = True
        yield problem
    if damaged:
        return  # what else is read would say the same in other words
    if version != VERSION:
        raise DeskError(
            f"{path} is a desk of an older copydesk (schema {version}, this one has {VERSION}). "
            "Nothing in it is damaged; open it once, then check it again."
        )
    yield from _first(_dangling(connection))
    for rule in RULES:
        yield from _first(rule.sentence.format(**dict(row)) for row in connection.execute(rule.sql))
    for kind in Contents(connection).problems():
        yield from _first(kind)


def _first(sentences: Iterator[str]) -> Iterator[str]:
    """Yield the first of many sentences, and how many more there are."""
    more = 0
    for number, sentence in enumerate(sentences):
        if number < MOST:
            yield sentence
        else:
            more += 1
    if more:
        yield f"… and {more} more like the last one"


def _dangling(connection: sqlite3.Connection) -> Iterator[str]:
    found: dict[tuple[str, str], int] = {}
    for row in connection.execute("PRAGMA foreign_key_check"):
        key = (row["table"], row["parent"])
        found[key] = found.get(key, 0) + 1
    for (table, parent), count in found.items():
        yield f"{plural(count, 'row')} of {table} name a {parent} that is not there"

"""Reading a whole desk for anything that should not be: damage, and rules that do not hold.

Nothing here writes. What it says are sentences for a person; a desk without any is as sound as this
version of copydesk can tell. What may be asked for again (counts, defaults) is checked against what
it is derived from.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from copydesk.domain.text import plural
from copydesk.server.content_integrity import Contents
from copydesk.server.desk_file import MOST_LOOKS, complaint, open_unchanging, said_by, state_of
from copydesk.server.integrity_rules import RULES
from copydesk.server.migrations import VERSION
from copydesk.server.store import DeskError

MOST = 20
"""So many problems of one kind are named; the rest are counted."""


@dataclass(slots=True)
class Findings:
    """What is wrong with a desk, as sentences, most fundamental first.

    ``damage`` is of the file and of what is written; ``rules`` are kept counts and the like that do
    not hold; ``index`` is where the search index is not what it is made from.
    """

    damage: list[str] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    index: list[str] = field(default_factory=list)

    @property
    def all(self) -> list[str]:
        """Every sentence."""
        return [*self.damage, *self.rules, *self.index]


def examine(path: Path) -> Findings:
    """Read a whole desk file and return what is wrong; nothing is written.

    Other processes may go on using the desk: what is read is one moment of it. Raises ``DeskError``
    for what is no desk at all, or one of another version, whose rules are not known here.
    """
    if (reason := complaint(path, VERSION, examine=False)) is not None:
        raise DeskError(f"{path} {reason}. It was left as it is; name another file with --desk.")
    for _ in range(MOST_LOOKS):
        before = state_of(path)
        found = _read(path)
        # Nobody had it open: whoever opened it in between may have shown a torn file.
        if not found.all or state_of(path) == before:
            break
    return found


def _read(path: Path) -> Findings:
    found = Findings()
    with closing(open_unchanging(path)) as connection:
        connection.execute("BEGIN")
        try:
            _fill(found, connection, path)
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # Python reads what SQLite says as UTF-8, which it is not where it quotes damage.
            said = said_by(error) if isinstance(error, sqlite3.Error) else "its schema is damaged"
            found.damage.append(f"SQLite cannot read on: {said}")
    return found


def damage(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield what SQLite finds wrong with a database file, whatever is in it."""
    for (found,) in connection.execute(f"PRAGMA integrity_check({MOST})"):
        # One finding may be many lines, the first of which names the database.
        for line in str(found).splitlines():
            if found != "ok" and not line.startswith("***"):
                yield f"SQLite: {line}"


def _fill(found: Findings, connection: sqlite3.Connection, path: Path) -> None:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    found.damage.extend(_first(damage(connection)))
    if found.damage:
        return  # what else is read would say the same in other words
    if version != VERSION:
        raise DeskError(
            f"{path} is a desk of an older copydesk (schema {version}, this one has {VERSION}). "
            "Nothing in it is damaged; open it once, then check it again."
        )
    found.damage.extend(_first(_dangling(connection)))
    for rule in RULES:
        found.rules.extend(
            _first(rule.sentence.format(**dict(row)) for row in connection.execute(rule.sql))
        )
    contents = Contents(connection)
    for kind in contents.problems():
        found.damage.extend(_first(kind))
    for kind in contents.problems_of_index():
        found.index.extend(_first(kind))


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

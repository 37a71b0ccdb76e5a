"""Threads that wait on the reader, as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from copydesk.domain.age import instant
from copydesk.domain.text import clean
from copydesk.domain.waiting import WHYS, Why
from copydesk.tui.glyphs import glyphs

if TYPE_CHECKING:
    from copydesk.tui.session import Snapshot

KEPT = 200
"""Rows kept for the next start."""

VIEWS: Mapping[str, str] = {
    "all": "All",
    "named": "Mentions",
    "answered": "Answers",
    "yours": "On my requests",
    "asked": "To review",
}
"""The views, by id: everything, and one for each reason."""

WORDS: Mapping[Why, tuple[str, str]] = {
    "named": ("@ names you", "accent"),
    "answered": ("answered you", ""),
    "yours": ("your request", ""),
    "asked": ("to review", "muted"),
}
"""Each reason as the column says it, and its tone."""

SORTS: Mapping[str, str] = {
    "newest": "last word, newest first",
    "longest": "waiting longest",
    "space": "space",
    "why": "why it waits",
}
"""How the rows can be in order, by id."""


@dataclass(frozen=True, slots=True)
class InboxRow:
    """A thread that waits. ``request`` is "" on a space itself; all text is clean.

    ``last`` had the last word ``at`` that time. ``done`` says what the reader did about it since:
    it stays where it is until the list is read again.
    """

    id: str
    space: str
    space_title: str
    request: str
    number: int
    subject: str
    page: str
    text: str
    last: str
    at: datetime
    why: Why
    replies: int = 0
    done: str = ""

    @property
    def where(self) -> str:
        """What it is on: the number of the request, or the space."""
        return f"#{self.number}" if self.number else "space"

    @property
    def about(self) -> str:
        """The subject of the request, else what the space is called."""
        return self.subject or self.space_title


def why_words(row: InboxRow) -> Text:
    """Return why a thread waits, or what was done about it."""
    if row.done:
        return Text(f"{glyphs().passed} {row.done}", style="good")
    words, tone = WORDS[row.why]
    return Text(words, style=tone)


def in_order(rows: Iterable[InboxRow], sort: str, *, backwards: bool = False) -> list[InboxRow]:
    """Return rows in the order of one of `SORTS`; among equals the newest comes first."""
    newest = sorted(rows, key=lambda row: (row.at, row.id), reverse=True)
    keys: dict[str, Callable[[InboxRow], Any]] = {
        "longest": lambda row: row.at,
        "space": lambda row: (row.space_title.casefold(), row.space, row.number),
        "why": lambda row: WHYS.index(row.why),
    }
    found = sorted(newest, key=keys[sort]) if sort in keys else newest
    return found[::-1] if backwards else found


def keep(snapshot: Snapshot, organization: str, rows: Iterable[InboxRow]) -> None:
    """Keep the first rows for the first frame of the next start. Raises ``OSError``."""
    kept = [asdict(row) | {"at": row.at.isoformat()} for row in list(rows)[:KEPT] if not row.done]
    snapshot.write(f"inbox {organization}", kept)


_KINDS: Final[Mapping[str, type]] = {
    **dict.fromkeys(
        ("id", "space", "space_title", "request", "subject", "page", "text", "last", "done"), str
    ),
    "number": int,
    "replies": int,
}


def recall(snapshot: Snapshot, organization: str) -> list[InboxRow]:
    """Return the rows that were kept; what cannot be read is left out."""
    rows = []
    for value in snapshot.read(f"inbox {organization}"):
        at = instant(value.get("at")) if isinstance(value.get("at"), str) else None
        given = {name: value.get(name) for name in _KINDS}
        fits = all(type(given[name]) is kind for name, kind in _KINDS.items())
        why = value.get("why")
        if at is not None and fits and why in WHYS:
            told: dict[str, Any] = {
                name: clean(held) if isinstance(held, str) else held for name, held in given.items()
            }
            rows.append(InboxRow(**told, at=at, why=why))
    return rows

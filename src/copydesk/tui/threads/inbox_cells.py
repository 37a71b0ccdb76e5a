"""Threads that wait on the reader, as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from rich.text import Text

from copydesk.domain.inbox import WHYS, Why
from copydesk.session.glyphs import glyphs
from copydesk.session.inbox_rows import InboxRow

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

"""Threads that wait for somebody, as rows of a list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from copydesk.domain.inbox import WHYS, Why
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import instant
from copydesk.domain.text import clean

if TYPE_CHECKING:
    from copydesk.local.snapshot import Snapshots


KEPT = 200
"""Rows saved for the next start."""


@dataclass(frozen=True, slots=True)
class InboxRow:
    """A thread that waits. ``request`` is "" on a space itself; all text is clean.

    ``last`` wrote the last message, ``at`` that time. ``author`` opened the request. ``done`` names
    the reader's answer to it: the row stays in place until the list is read again.
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
    author: str = ""

    @property
    def where(self) -> str:
        """The number of the request, or "space"."""
        return f"#{self.number}" if self.number else "space"

    @property
    def about(self) -> str:
        """The subject of the request, else the title of the space."""
        return self.subject or self.space_title


def keep(snapshot: Snapshots, organization: str, rows: Iterable[InboxRow]) -> None:
    """Save the first rows for the first frame of the next start."""
    kept = [asdict(row) | {"at": row.at.isoformat()} for row in list(rows)[:KEPT] if not row.done]
    snapshot.write(f"inbox {organization}", kept)


_KINDS: Final[Mapping[str, type]] = {
    **dict.fromkeys(
        (
            "id",
            "space",
            "space_title",
            "request",
            "subject",
            "page",
            "text",
            "last",
            "done",
            "author",
        ),
        str,
    ),
    "number": int,
    "replies": int,
}


def recall(snapshot: Snapshots, organization: str) -> list[InboxRow]:
    """Return the saved rows; unreadable ones are left out."""
    rows = []
    for value in snapshot.read(f"inbox {organization}"):
        at = instant(value.get("at")) if isinstance(value.get("at"), str) else None
        kept = {"author": "", **value}  # which former versions did not keep
        given = {name: kept.get(name) for name in _KINDS}
        fits = all(type(given[name]) is kind for name, kind in _KINDS.items())
        why = value.get("why")
        if at is not None and fits and why in WHYS:
            told: dict[str, Any] = {
                name: clean(held) if isinstance(held, str) else held for name, held in given.items()
            }
            rows.append(InboxRow(**told, at=at, why=why))
    return rows

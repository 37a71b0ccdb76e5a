"""What screens need to know of the pages that a person has marked as seen."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, Protocol

SeenState = Literal["unseen", "seen", "changed"]
"""``changed``: seen, but its text is another one now."""


class SeenMarks(Protocol):
    """The marks of one desk. ``thing`` is the change request in which the pages are read."""

    def mark(self, thing: str, page: str, text: str) -> None:
        """Mark a page as seen with this text, durably before returning."""

    def unmark(self, thing: str, page: str) -> None:
        """Take the mark of a page away."""

    def state(self, thing: str, page: str, text: str) -> SeenState:
        """Return whether a page that has this text now was seen."""

    def text(self, thing: str, page: str) -> str | None:
        """Return a page's text as it was when it was marked, or None when it is not."""

    def pages(self, thing: str) -> Iterable[str]:
        """Return the pages that are marked."""


class MemorySeen:
    """Marks of a run that keeps nothing on disk."""

    def __init__(self) -> None:
        self._texts: dict[tuple[str, str], str] = {}

    def mark(self, thing: str, page: str, text: str) -> None:
        """Mark a page for this run."""
        self._texts[thing, page] = text

    def unmark(self, thing: str, page: str) -> None:
        """Take the mark of a page away."""
        self._texts.pop((thing, page), None)

    def state(self, thing: str, page: str, text: str) -> SeenState:
        """Return whether a page that has this text now was seen."""
        before = self._texts.get((thing, page))
        if before is None:
            return "unseen"
        return "seen" if before == text else "changed"

    def text(self, thing: str, page: str) -> str | None:
        """Return a page's text as it was when it was marked."""
        return self._texts.get((thing, page))

    def pages(self, thing: str) -> Iterable[str]:
        """Return the pages that are marked."""
        return [page for marked, page in self._texts if marked == thing]

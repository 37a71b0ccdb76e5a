"""What screens need to know of the pages that a person has marked as seen."""

from __future__ import annotations

import asyncio
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


class SeenPages:
    """What is marked of one change request; the disk is only touched in a thread.

    The methods that await raise ``OSError`` when the disk refuses.
    """

    def __init__(self, marks: SeenMarks, thing: str) -> None:
        self._marks = marks
        self.thing = thing
        self._states: dict[str, SeenState] = {}

    async def read(self) -> None:
        """Read which pages are marked; whether their text changed since shows when it is read."""
        marked = await asyncio.to_thread(lambda: set(self._marks.pages(self.thing)))
        self._states = {page: self._states.get(page, "seen") for page in marked}

    def state(self, page: str) -> SeenState:
        """Return what is known of a page."""
        return self._states.get(page, "unseen")

    async def compare(self, page: str, text: str) -> None:
        """Find out whether a marked page still has the text that was seen."""
        if page in self._states:
            self._states[page] = await asyncio.to_thread(self._marks.state, self.thing, page, text)

    async def text(self, page: str) -> str | None:
        """Return a page's text as it was when it was marked, or None when it is not."""
        return await asyncio.to_thread(self._marks.text, self.thing, page)

    async def mark(self, page: str, text: str) -> None:
        """Mark a page as seen with this text."""
        await asyncio.to_thread(self._marks.mark, self.thing, page, text)
        self._states[page] = "seen"

    async def unmark(self, page: str) -> None:
        """Take the mark of a page away."""
        await asyncio.to_thread(self._marks.unmark, self.thing, page)
        self._states.pop(page, None)

    def count(self, pages: Iterable[str]) -> int:
        """Return how many of some pages are marked and unchanged since."""
        return sum(self._states.get(page) == "seen" for page in pages)

"""The pages that a person has marked as seen, for screens, and the undo of a mark."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from copydesk.local.seen_pages import DeskSeen, SeenState

if TYPE_CHECKING:
    from copydesk.domain.reversal import Reversal
    from copydesk.session.writes.undo import LocalStep


class SeenPages:
    """The seen pages of one change request; the disk is only touched in a thread.

    ``trouble`` says why marks could not be read: reading goes on without them. Changing them raises
    ``OSError`` when the disk refuses, and so do `held` and `text`.
    """

    def __init__(self, marks: DeskSeen, thing: str) -> None:
        self._marks = marks
        self.thing = thing
        self.trouble = ""
        self._states: dict[str, SeenState] = {}

    async def read(self) -> None:
        """Read which pages are marked; `compare` finds out whether their text changed."""
        try:
            marked = await asyncio.to_thread(lambda: set(self._marks.pages(self.thing)))
        except OSError as error:
            self.trouble = error.strerror or str(error)
            return
        self.trouble = ""
        self._states = {page: self._states.get(page, "seen") for page in marked}

    def state(self, page: str) -> SeenState:
        """Return the seen state of a page."""
        return self._states.get(page, "unseen")

    async def compare(self, page: str, text: str) -> None:
        """Find out whether a marked page still has the text that was seen."""
        if page in self._states:
            with suppress(OSError):  # it stays as it was
                self._states[page] = await asyncio.to_thread(
                    self._marks.state, self.thing, page, text
                )

    async def held(self, page: str) -> str | None:
        """Return the digest of the text that a page is marked with, None for an unmarked page."""
        return await asyncio.to_thread(self._marks.held, self.thing, page)

    async def text(self, page: str) -> str | None:
        """Return the text that a page is marked with, None for an unmarked page."""
        return await asyncio.to_thread(self._marks.text, self.thing, page)

    async def mark(self, page: str, text: str) -> None:
        """Mark a page as seen with this text."""
        await asyncio.to_thread(self._marks.mark, self.thing, page, text)
        self._states[page] = "seen"

    async def unmark(self, page: str) -> None:
        """Remove the mark of a page."""
        await asyncio.to_thread(self._marks.unmark, self.thing, page)
        self._states.pop(page, None)

    def count(self, pages: Iterable[str]) -> int:
        """Return how many of these pages are marked and unchanged."""
        return sum(self._states.get(page) == "seen" for page in pages)


# The way back


def seen_steps(marks: DeskSeen) -> Mapping[str, LocalStep]:
    """Return the local steps of reversals with marks, by name."""

    async def put(thing: str, page: str, digest: str | None) -> None:
        if not await asyncio.to_thread(marks.put, thing, page, digest):
            raise OSError("what was seen of this page is not kept any more")

    async def tell(thing: str, page: str) -> dict[str, str | None]:
        return {"digest": await asyncio.to_thread(marks.held, thing, page)}

    return {"put_seen": put, "seen": tell}


def reversal_of(thing: str, page: str, before: str | None, after: str | None) -> Reversal:
    """Return the reversal of marking or unmarking a page."""
    from copydesk.domain.reversal import Expectation, Reversal, Step

    def step(digest: str | None) -> Step:
        return Step("local.put_seen", {"thing": thing, "page": page, "digest": digest})

    def expect(digest: str | None) -> Expectation:
        told = Step("local.seen", {"thing": thing, "page": page})
        return Expectation(told, {"digest": digest}, said="its mark is another one by now")

    return Reversal((step(before),), (step(after),), expect(after), expect(before))

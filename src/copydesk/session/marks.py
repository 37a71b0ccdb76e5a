"""What the reader keeps of threads and change requests, on this machine only, and its undo.

Of a thread: that it is done until somebody writes, muted or followed. Of a change request: a star,
labels and a note.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Final

from copydesk.domain.age import instant
from copydesk.local.marks import DeskMarks

if TYPE_CHECKING:
    from copydesk.domain.reversal import Reversal
    from copydesk.session.writes.undo import LocalStep

DONE: Final = "done"
"""The mark of a thread that is done; its value is when the last word was said."""

MUTED: Final = "muted"

FOLLOWED: Final = "followed"

STARRED: Final = "starred"

LABELS: Final = "labels"
"""The mark of a request that has labels; its value are these, with a blank between."""

NOTE: Final = "note"

MOST_LABELS, LONGEST_LABEL, LONGEST_NOTE = 20, 40, 2_000
"""How many labels a request has at most, and the characters of one and of a note."""

YES: Final = "yes"
"""The value of a mark that has no other."""

NONE: Final[Mapping[str, str]] = {}


class Marks:
    """The marks in memory; the disk is only touched in a thread.

    The methods that await raise ``OSError`` when the disk refuses.
    """

    def __init__(self, store: DeskMarks) -> None:
        self.store = store
        self.held: dict[str, dict[str, str]] = {}
        """The marks of each thing: values by kind."""

    async def read(self) -> None:
        """Read the marks."""
        self.held = await asyncio.to_thread(self.store.read)

    def of(self, thing: str) -> Mapping[str, str]:
        """Return the marks of a thing."""
        return self.held.get(thing, NONE)

    async def put(self, thing: str, marks: Mapping[str, str]) -> None:
        """Set marks of a thing; an empty value takes one away."""
        await asyncio.to_thread(self.store.put, thing, marks)
        left = {kind: value for kind, value in {**self.of(thing), **marks}.items() if value}
        self.held.pop(thing, None)
        if left:
            self.held[thing] = left

    @property
    def labels(self) -> list[str]:
        """All labels that some request has, in their order, each once however it is written."""
        held = sorted(label for marks in self.held.values() for label in labels_of(marks))
        return sorted({label.casefold(): label for label in held}.values(), key=str.casefold)

    @property
    def followed(self) -> frozenset[str]:
        """The ids of the threads that are followed."""
        return frozenset(thing for thing, marks in self.held.items() if FOLLOWED in marks)

    def put_away(self, thread: str, at: datetime) -> str:
        """Return how a thread whose last word was said then is put away; "" if it is not."""
        marks = self.of(thread)
        if MUTED in marks:
            return MUTED
        done = instant(marks[DONE]) if DONE in marks else None
        return DONE if done is not None and at <= done else ""

    # The way back

    @property
    def steps(self) -> Mapping[str, LocalStep]:
        """The local steps of reversals, by name."""
        return {"mark": self.put, "marked": self._tell}

    async def _tell(self, thing: str, kinds: list[str]) -> dict[str, str]:
        await self.read()
        return {kind: self.of(thing).get(kind, "") for kind in kinds}


def labels_of(marks: Mapping[str, str]) -> tuple[str, ...]:
    """Return the labels among the marks of a request."""
    return tuple(marks.get(LABELS, "").split())


def read_labels(text: str) -> str:
    """Return typed labels as they are kept: without commas, each once as it was typed first."""
    found: dict[str, str] = {}
    for label in text.replace(",", " ").split():
        found.setdefault(label.casefold(), label)
    return " ".join(found.values())


def labels_wrong(text: str) -> str | None:
    """Return what is wrong with typed labels, as a sentence."""
    labels = read_labels(text).split()
    if len(labels) > MOST_LABELS:
        return f"At most {MOST_LABELS} labels."
    if any(len(label) > LONGEST_LABEL for label in labels):
        return f"A label has at most {LONGEST_LABEL} characters; a blank ends it."
    return None


def note_wrong(text: str) -> str | None:
    """Return what is wrong with a typed note, as a sentence."""
    return f"At most {LONGEST_NOTE:,} characters." if len(text) > LONGEST_NOTE else None


def reversal_of(thing: str, before: Mapping[str, str], after: Mapping[str, str]) -> Reversal:
    """Return the reversal of setting marks; both have the same kinds, "" for none."""
    from copydesk.domain.reversal import Expectation, Reversal, Step

    def step(marks: Mapping[str, str]) -> Step:
        return Step("local.mark", {"thing": thing, "marks": dict(marks)})

    def expect(marks: Mapping[str, str]) -> Expectation:
        told = Step("local.marked", {"thing": thing, "kinds": list(marks)})
        return Expectation(told, dict(marks), said="it was marked anew since")

    return Reversal((step(before),), (step(after),), expect(after), expect(before))

"""What the reader keeps of threads and change requests, on this machine only, and its undo.

Of a thread: that it is done until somebody writes, muted or followed. Of a change request: a star,
labels and a note.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from copydesk.domain.moments import instant
from copydesk.domain.snooze import LENGTHS, Snooze
from copydesk.local.marks import DeskMarks, DeskSeen, DeskSnoozes, SeenState

if TYPE_CHECKING:
    from copydesk.domain.reversal import Expectation, Reversal
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


def relabelled(before: Mapping[str, str], words: str) -> dict[str, str]:
    """Return the marks that typed words change: a label to add, "-label" to remove, "*" the star.

    Both ways what a request has stays in its order; nothing where it is so already.
    """
    labels = {label.casefold(): label for label in labels_of(before)}
    star = before.get(STARRED, "")
    for word in read_labels(words).split():
        label, away = word.removeprefix("-"), word.startswith("-")
        if label == "*":
            star = "" if away else YES
        elif away:
            labels.pop(label.casefold(), None)
        else:
            labels.setdefault(label.casefold(), label)
    after = {STARRED: star, LABELS: " ".join(labels.values())}
    return {kind: mark for kind, mark in after.items() if mark != before.get(kind, "")}


def labels_wrong(text: str) -> str | None:
    """Return what is wrong with typed labels, as a sentence."""
    labels = read_labels(text).split()
    if len(labels) > MOST_LABELS:
        return f"At most {MOST_LABELS} labels."
    if any(len(label) > LONGEST_LABEL for label in labels):
        return f"A label has at most {LONGEST_LABEL} characters, without spaces."
    return None


def note_wrong(text: str) -> str | None:
    """Return what is wrong with a typed note, as a sentence."""
    return f"At most {LONGEST_NOTE:,} characters." if len(text) > LONGEST_NOTE else None


def marks_reversal(thing: str, before: Mapping[str, str], after: Mapping[str, str]) -> Reversal:
    """Return the reversal of setting marks; both have the same kinds, "" for none."""
    from copydesk.domain.reversal import Expectation, Reversal, Step

    def step(marks: Mapping[str, str]) -> Step:
        return Step("local.mark", {"thing": thing, "marks": dict(marks)})

    def expect(marks: Mapping[str, str]) -> Expectation:
        told = Step("local.marked", {"thing": thing, "kinds": list(marks)})
        return Expectation(told, dict(marks), said="it was marked again since")

    return Reversal((step(before),), (step(after),), expect(after), expect(before))


CHANGED = "changed since you read it: read it again first"
"""What speaks against the merge of what `Snoozes.edited` tells of."""


class Snoozes:
    """Snoozed and viewed requests, in memory; the disk is only touched in a thread.

    The methods that await raise ``OSError`` when the disk refuses.
    """

    def __init__(self, store: DeskSnoozes) -> None:
        self._store = store
        self.held: dict[str, Snooze] = {}
        self.looks: dict[str, datetime] = {}
        self._keeping: set[asyncio.Task[None]] = set()

    async def read(self) -> None:
        """Read the snoozed requests and the times of the last views."""
        self.held = dict(await asyncio.to_thread(self._store.read))
        self.looks = {**await asyncio.to_thread(self._store.looks), **self.looks}

    def look(self, thing: str, at: datetime, revision: str = "") -> None:
        """Note that a request was viewed, and save that in the background.

        With the ``revision``, where its pages are there to be read.
        """
        self.looks[thing] = at
        task = asyncio.create_task(self._keep_look(thing, at, revision))
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)

    async def _keep_look(self, thing: str, at: datetime, revision: str) -> None:
        # A mark that cannot be saved is no reason to bother anybody.
        with suppress(OSError):
            await asyncio.to_thread(self._store.look, thing, at, revision)

    async def edited(self, now: Mapping[str, str]) -> set[str]:
        """Return which of these requests were edited since their pages were read on this machine.

        ``now`` has their revisions.
        """
        await self._kept()
        with suppress(OSError):  # as if it had never been read
            return await asyncio.to_thread(self._store.edited, now)
        return set()

    async def is_read(self, thing: str, revision: str) -> bool:
        """Whether a revision of a request was read last on this machine, or made of that."""
        await self._kept()
        with suppress(OSError):
            return await asyncio.to_thread(self._store.is_read, thing, revision)
        return False

    async def wrote(self, thing: str, before: str, after: str) -> None:
        """Take what one wrote oneself for read, where the revision ``before`` it was read."""
        await self._kept()
        with suppress(OSError):
            await asyncio.to_thread(self._store.wrote, thing, before, after)

    async def made(self, found: Expectation | None, results: Iterable[Any]) -> None:
        """Take for read what writes made of a request that was ``found`` at a revision before.

        ``results`` are what they came to, read or as it was answered.
        """
        if found is None or found.read.operation != "get_change_request":
            return
        request, before = found.read.arguments["change_request_id"], found.fields.get("revision")
        for thing, after in map(_id_and_revision, results):
            if thing == request and before is not None:
                await self.wrote(thing, before, after)

    async def _kept(self) -> None:
        """Wait until what was read just now is on the disk."""
        if self._keeping:
            await asyncio.wait(self._keeping)

    def asleep(self, thing: str, updated: datetime, now: datetime) -> bool:
        """Return whether a request last changed at ``updated`` is snoozed."""
        found = self.held.get(thing)
        return found is not None and found.asleep(updated, now)

    async def put(self, thing: str, snooze: Snooze | None) -> None:
        """Snooze a request, or wake it (None)."""
        await asyncio.to_thread(self._store.put, thing, snooze)
        if snooze is None:
            self.held.pop(thing, None)
        else:
            self.held[thing] = snooze

    # The way back

    @property
    def steps(self) -> Mapping[str, LocalStep]:
        """The local steps of reversals, by name."""
        return {"snooze": self._take, "snoozed": self._tell}

    async def _take(self, thing: str, snooze: dict[str, Any] | None) -> None:
        await self.put(thing, None if snooze is None else _read(snooze))

    async def _tell(self, thing: str) -> dict[str, Any]:
        await self.read()
        return {"snooze": _write(self.held.get(thing))}


def _id_and_revision(result: Any) -> tuple[str, str]:
    """Return the id and revision of the change request that a write came to; "" for another."""
    if hasattr(result, "content"):
        with suppress(ValueError):
            result = json.loads(result.content)
    if isinstance(result, dict):
        now = result.get("changeRequest", result)
        return (now.get("id", ""), now.get("revision", "")) if isinstance(now, dict) else ("", "")
    now = getattr(result, "change_request", result)
    return getattr(now, "id", ""), getattr(now, "revision", "")


def snooze_reversal(thing: str, before: Snooze | None, after: Snooze | None) -> Reversal:
    """Return the reversal of snoozing or waking a request."""
    from copydesk.domain.reversal import put_here

    was, now = {"snooze": _write(before)}, {"snooze": _write(after)}
    said = "it was snoozed again or woken"
    note = "Not snoozed." if before is None else f"Snoozed {LENGTHS[before.step][0]}."
    return put_here("snooze", "snoozed", was, now, said, note=note, thing=thing)


def _write(snooze: Snooze | None) -> dict[str, Any] | None:
    if snooze is None:
        return None
    return {
        "updated": snooze.updated.isoformat(),
        "until": None if snooze.until is None else snooze.until.isoformat(),
        "step": snooze.step,
    }


def _read(value: dict[str, Any]) -> Snooze | None:
    at = instant(str(value.get("updated", "")))
    until = value.get("until")
    if at is None:
        return None
    return Snooze(at, instant(until) if isinstance(until, str) else None, int(value.get("step", 0)))


class SeenPages:
    """The seen pages of one change request; the disk is only touched in a thread.

    ``trouble`` says why marks could not be read: reading goes on without them. Changing them raises
    ``OSError`` when the disk refuses, and so do `held` and `text`.
    """

    trouble = ""

    def __init__(self, marks: DeskSeen, thing: str) -> None:
        self._marks = marks
        self.thing = thing
        self._states: dict[str, SeenState] = {}

    async def read(self) -> None:
        """Read which pages are marked; `compare` finds out whether their text changed."""
        try:
            marked = await asyncio.to_thread(lambda: set(self._marks.pages(self.thing)))
        except OSError as error:
            self.trouble = f"{error.strerror or error}"
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
            raise OSError("what was read of this page is no longer saved")

    async def tell(thing: str, page: str) -> dict[str, str | None]:
        return {"digest": await asyncio.to_thread(marks.held, thing, page)}

    return {"put_seen": put, "seen": tell}


def seen_reversal(thing: str, page: str, before: str | None, after: str | None) -> Reversal:
    """Return the reversal of marking or unmarking a page."""
    from copydesk.domain.reversal import put_here

    said = "its mark was changed since"
    was, now = {"digest": before}, {"digest": after}
    return put_here("put_seen", "seen", was, now, said, thing=thing, page=page)

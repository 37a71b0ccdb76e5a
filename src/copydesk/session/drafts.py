"""Where typed text is kept, as the screens see it, and how many such texts there are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from threading import Lock
from time import time
from typing import TypeVar

from copydesk.local.drafts import DeskDrafts

T = TypeVar("T")

TWO_WINDOWS = "Another window typed here too: both texts are kept (g d)"

FLUSH_SECONDS = 3.0
"""How long the program waits for the disk at most when it ends, or sends what was typed."""

SLOW = "it takes longer than it should"
"""Why a text is not on the disk yet when that is waited for no longer."""

KEPT_AGAIN = "The disk takes it again: what you type is kept."


def refusal(why: str) -> str:
    """Return the sentence for a draft that the disk refuses."""
    return (
        f"Not kept on disk: {why}. Until it is, what you type is on screen only, and no write "
        "is sent that cannot be noted first."
    )


class CountedDrafts:
    """A store that knows how many texts it keeps without asking the disk at every frame.

    ``changed`` is called when the number may be another. `load_keys` reads it once. On the event
    loop `save` and `drop` return at once: one thread writes, in the order of the calls, of each key
    what is newest, and ``told`` is called on the loop after that. Without a loop, as in a thread,
    it is written when they return. `flush` waits for it. What is not written yet is read from
    here, and so is what the disk refuses to keep: that is kept as soon as it can be (`again`), and
    ``trouble`` says why it is not, for as long as that is so. Nothing here raises ``OSError`` for a
    text that was typed; `discard` and `restore` do.
    """

    def __init__(self, store: DeskDrafts, changed: Callable[[], None]) -> None:
        self._store = store
        self._changed = changed
        self._keys: set[str] = set()
        self._counting = Lock()
        self._noted: dict[str, bool] = {}
        """Keys written while the disk is read: for these, memory is newer than the disk."""
        self._seen = 0
        self._typed: set[str] = set()
        self._unsaved: dict[str, str] = {}
        """What is not on the disk yet, by key; empty for what is to be dropped."""
        self._queue: dict[str, None] = {}
        """The keys of it that are to be written, in this order; others were refused."""
        self._queued = Lock()
        self._keeping = Lock()
        self._written: set[asyncio.Task[None]] = set()
        self._refused: Callable[[], object] | None = None
        self.trouble = ""
        self.begins_anew = False
        """Whether the disk takes by now what it refused when the program began."""

    @property
    def count(self) -> int:
        """The last known number of drafts."""
        return len(self._keys)

    @property
    def unsaved(self) -> Mapping[str, str]:
        """The texts that are in memory only, by key."""
        return {key: text for key, text in dict(self._unsaved).items() if text}

    @property
    def typed(self) -> bool:
        """Whether there is text that was kept in this run, on the disk or not."""
        return bool(self._typed & self._keys)

    def refused(self, key: str) -> str:
        """Return why the last draft under ``key`` is not on disk; empty when it is."""
        return self.trouble if key in self._unsaved else ""

    def shared(self, key: str) -> str:
        """Say so where another window typed for the same field; else empty."""
        return "" if self.refused(key) or not self.others(key) else f"{TWO_WINDOWS}."

    def load_keys(self) -> None:
        """Read which texts there are. Reads the disk; call it in a thread."""
        self._seen = self.touched()
        self._count()

    def save(self, key: str, text: str, told: Callable[[], None] | None = None) -> None:
        """Keep ``text``; empty text drops it. ``told`` is called once the disk has answered."""
        if not text:
            self.drop(key, told)
            return
        own = self._store.key_of(key)
        self._typed.add(own)
        self._note(own, there=True)
        self._keep(key, text, told)

    def flush(self, seconds: float = FLUSH_SECONDS) -> bool:
        """Wait until everything is written, or refused; False where the disk is too slow.

        ``trouble`` says so then. Blocks: on the event loop only where the program ends.
        """
        if not self._unsaved:
            return True
        ended = self._writer.submit(self._write)
        try:
            ended.result(seconds)
        except TimeoutError:
            self.trouble = self.trouble or SLOW
            return False
        return True

    def load(self, key: str) -> str | None:
        """Return the text kept under ``key``, or None."""
        if (text := self._unsaved.get(key)) is not None:
            return text or None
        return self._ask(None, lambda: self._store.load(key))

    def own_text(self, key: str) -> str | None:
        """Return what this window has kept under ``key``: not what another typed there since."""
        if (text := self._unsaved.get(key)) is not None:
            return text or None
        return self._ask(None, lambda: self._store.own_text(key))

    def key_of(self, key: str) -> str:
        """Return the key under which this window keeps the draft of a field."""
        return self._store.key_of(key)

    def choose(self, key: str) -> None:
        """Go on with the text under ``key`` in its field, where several windows typed."""
        self._store.choose(key)

    def others(self, key: str) -> int:
        """Return how many texts other windows typed for the same field."""
        return self._ask(0, lambda: self._store.others(key))

    def drop(self, key: str, told: Callable[[], None] | None = None) -> None:
        """Put the text under ``key`` aside; what another window typed there since stays."""
        self._note(self._store.key_of(key), there=False)
        self._keep(key, "", told)

    def discard(self, key: str) -> None:
        """Put the text under ``key`` aside, whichever window it is of. Writes; call in a thread."""
        self.flush()
        with self._queued:
            self._queue.pop(key, None)
            self._unsaved.pop(key, None)
        self._store.discard(key)
        self._note(key, there=False)

    def touched(self) -> int:
        """Return a number that changes whenever another window changes a draft."""
        return self._ask(-1, self._store.touched)

    def damage_report(self) -> str:
        """Return the report on a damaged file the first time it is asked for, then an empty one."""
        return self._store.damage_report()

    def follow(self) -> bool:
        """Learn what other windows have changed since; whether they have. Reads the disk."""
        before, self._seen = self._seen, self.touched()
        if before == self._seen:
            return False
        if self._count():
            self._changed()
        return True

    def _count(self) -> bool:
        """Read which texts there are; whether they are others than was known."""
        with self._counting:
            self._noted = {}
        keys = self.keys()
        with self._counting:
            there = {key for key in keys | self._noted.keys() if self._noted.get(key, True)}
            changed, self._keys = there != self._keys, there
        return changed

    def restore(self, key: str) -> str | None:
        """Undo the last drop under ``key`` and return the text that is back, or None.

        Writes to the disk; call it in a thread.
        """
        self.flush()
        text = self._store.restore(key)
        if text is not None:
            self._note(key, there=True)
        return text

    def texts(self) -> Mapping[str, str]:
        """Return all texts by key."""
        unsaved = dict(self._unsaved)
        none: Mapping[str, str] = {}
        there = self._ask(none, self._store.texts)
        kept = {**unsaved, **there, **unsaved}
        return {key: text for key, text in kept.items() if text}

    def keys(self) -> set[str]:
        """Return the keys of all texts."""
        unsaved = dict(self._unsaved)
        none: set[str] = set()
        there = self._ask(none, self._store.keys)
        return {key for key in there | unsaved.keys() if unsaved.get(key, "there")}

    def dated(self) -> Sequence[tuple[str, str, float]]:
        """Return (key, text, when it was saved), newest first."""
        none: Sequence[tuple[str, str, float]] = ()
        there = self._ask(none, self._store.dated)
        kept = [each for each in there if each[0] not in self._unsaved]
        return [*((key, text, time()) for key, text in self.unsaved.items()), *kept]

    def refuse(self, why: str, again: Callable[[], object] | None = None) -> None:
        """Note before anything is typed that the disk refuses drafts.

        ``again`` is what was refused; it raises ``OSError`` for as long as it is.
        """
        self.trouble, self._refused = why, again
        self._changed()

    def again(self) -> None:
        """Try again to keep what the disk refused. Writes to the disk; call it in a thread."""
        with self._queued:
            self._queue |= dict.fromkeys(self._unsaved)
        if self._write():
            self._changed()
        refused = self._refused
        if refused is None or self._unsaved:
            return
        try:
            refused()
        except OSError as error:
            trouble = error.strerror or str(error)
        else:
            trouble, self._refused, self.begins_anew = "", None, True
        if trouble != self.trouble:
            self.trouble = trouble
            self._changed()

    def _ask(self, none: T, read: Callable[[], T]) -> T:
        """Read from the store; what cannot be read is not there, and why is said."""
        try:
            return read()
        except OSError as error:
            if not self.trouble:
                self.refuse(error.strerror or str(error), self._store.texts)
            return none

    @cached_property
    def _writer(self) -> ThreadPoolExecutor:
        """The one thread that writes the drafts put on the event loop. It ends with this."""
        return ThreadPoolExecutor(1, "drafts")

    def _keep(self, key: str, text: str, told: Callable[[], None] | None) -> None:
        with self._queued:
            self._queue.pop(key, None)  # its newest text comes after what was kept before that
            self._queue[key], self._unsaved[key] = None, text
        try:
            self.when_kept(told or (lambda: None))
        except RuntimeError:  # there is no loop
            if self._write():
                self._changed()
            if told is not None:
                told()

    def when_kept(self, told: Callable[[], None]) -> None:
        """Call something on the event loop once the disk has taken or refused the drafts so far."""
        task = asyncio.get_running_loop().create_task(self._write_soon(told), name="drafts")
        self._written.add(task)
        task.add_done_callback(self._written.discard)

    async def _write_soon(self, told: Callable[[], None]) -> None:
        if await asyncio.get_running_loop().run_in_executor(self._writer, self._write):
            self._changed()
        told()

    def _write(self) -> bool:
        """Write the waiting drafts until the disk refuses one: that one and the rest go on waiting.

        Returns whether ``trouble`` is another now.
        """
        before = self.trouble
        with self._keeping:
            while self._queue:
                with self._queued:
                    key = next(iter(self._queue))
                    del self._queue[key]
                    text = self._unsaved[key]
                try:
                    if text:
                        self._store.save(key, text)
                        own = self._store.key_of(key)
                        if own != key and key not in self._queue:  # beside another window's
                            self._typed.add(own)
                            self._note(own, there=True)
                    else:
                        self._store.drop(key)
                        self._seen = -1  # what another window typed there is counted then
                except OSError as error:
                    with self._queued:
                        self._queue.clear()
                    self.trouble = error.strerror or str(error)
                else:
                    with self._queued:
                        if key not in self._queue:  # else it is another text by now
                            self._unsaved.pop(key, None)
                    if not self._unsaved.keys() - self._queue.keys():
                        self.trouble = ""
        return before != self.trouble

    def _note(self, key: str, *, there: bool) -> None:
        with self._counting:
            self._noted[key] = there
            changed = (key in self._keys) != there
            (self._keys.add if there else self._keys.discard)(key)
        if changed:
            self._changed()

"""The drafts of a session: counted, and written to the disk in the background."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from errno import EIO
from functools import cache
from threading import Lock
from time import time
from typing import TYPE_CHECKING, TypeVar

from copydesk.local.drafts import DeskDrafts, field_of

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

T = TypeVar("T")

TWO_WINDOWS = "Another text was typed here too: both are kept (g d)"

FLUSH_SECONDS = 3.0
"""The longest wait for the disk when the program ends, or sends typed text."""

SLOW = "it takes longer than it should"
"""Why a text is not on the disk yet, once the wait is over."""

KEPT_AGAIN = "The disk can be written again: what you type is saved."


def refusal(why: str) -> str:
    """Return the sentence for a draft that the disk refuses."""
    return (
        f"Not saved on disk: {why}. Until it is, what you type is on screen only, and no write "
        "is sent that cannot be noted first."
    )


@cache
def _writer() -> ThreadPoolExecutor:
    """Return the one thread that writes the drafts put on the event loop.

    It is of the process: a thread of the drafts would keep the program that began it for ever.
    """
    from concurrent.futures import ThreadPoolExecutor

    return ThreadPoolExecutor(1, "drafts")


class CountedDrafts:
    """A store that knows the number of drafts without asking the disk at every frame.

    ``changed`` is called when the number may have changed. `load_keys` reads it once. On the event
    loop `save` and `drop` return at once: one thread writes, in the order of the calls and only the
    newest text of each key, and ``told`` is called on the loop after that. Without a loop, as in a
    thread, the text is written when they return. `flush` waits for the writes. Unwritten text is
    read from memory, and so is text that the disk refuses: it is written as soon as the disk takes
    it (`again`), and meanwhile ``trouble`` says why not. No ``OSError`` is raised for typed text;
    `discard` and `restore` do raise it.
    """

    trouble = ""
    begins_anew = False
    """Whether the disk accepts now what it refused when the program began."""
    _seen = 0
    _refused: Callable[[], object] | None = None

    def __init__(self, store: DeskDrafts, changed: Callable[[], None]) -> None:
        self._store = store
        self._changed = changed
        self._keys: set[str] = set()
        self._counting = Lock()
        self._noted: dict[str, bool] = {}
        """Keys written during a read of the disk: for these, memory is newer."""
        self._typed: set[str] = set()
        self._open: set[str] = set()
        """Keys whose field is open in front."""
        self._unsaved: dict[str, str] = {}
        """Texts that are not on the disk yet, by key; "" for one to be dropped."""
        self._before: dict[str, list[str]] = {}
        """By key what is written before that: a text that is dropped since, so that it can come
        back, or the drop of another."""
        self._queue: dict[str, None] = {}
        """The keys that wait to be written, in order; the others were refused."""
        self._queued = Lock()
        self._keeping = Lock()
        self._written: set[asyncio.Task[None]] = set()

    @property
    def count(self) -> int:
        """The last known number of drafts that wait: without those whose field is open."""
        return len(self._keys - set(map(self._store.key_of, self._open)))

    def count_besides(self, key: str) -> int:
        """The `count` without the draft under ``key``, where one is told of already."""
        return self.count - (self._store.key_of(key) in self._keys)

    def begun(self, key: str) -> bool:
        """Return whether there is a draft for the field ``key``, of any window, as last known."""
        return key in map(field_of, tuple(self._keys))

    def opened(self, key: str) -> None:
        """Note that the field of a draft is open: its text waits for nobody."""
        self._open.add(key)
        self._changed()

    def closed(self, key: str) -> None:
        """Note that the field of a draft is closed: what is left of it waits."""
        self._open.discard(key)
        self._changed()

    @property
    def unsaved(self) -> Mapping[str, str]:
        """The texts that are in memory only, by key."""
        return {key: text for key, text in dict(self._unsaved).items() if text}

    @property
    def typed(self) -> bool:
        """Whether text was typed in this run and is still a draft, on the disk or not."""
        return bool(self._typed & self._keys)

    def refused(self, key: str) -> str:
        """Return why the last draft under ``key`` is not on disk; "" when it is."""
        return self.trouble if key in self._unsaved else ""

    def shared(self, key: str) -> str:
        """Return the warning that another text was typed in the same field, "" for none."""
        return "" if self.refused(key) or not self.others(key) else f"{TWO_WINDOWS}."

    def load_keys(self) -> None:
        """Read the keys of all drafts from the disk; call it in a thread."""
        self._seen = self.touched()
        self._count()

    def save(self, key: str, text: str, told: Callable[[], None] | None = None) -> None:
        """Save ``text``; empty text drops the draft. ``told`` is called after the write."""
        if not text:
            self.drop(key, told)
            return
        own = self._store.key_of(key)
        self._typed.add(own)
        self._note(own, there=True)
        self._keep(key, text, told)

    def flush(self, seconds: float = FLUSH_SECONDS) -> bool:
        """Wait until everything is written or refused; False where the disk is too slow.

        ``trouble`` says so then. Blocks: on the event loop only at the end of the program.
        """
        if not self._unsaved:
            return True
        ended = _writer().submit(self._write)
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
        """Return this window's text under ``key``, not another window's."""
        if (text := self._unsaved.get(key)) is not None:
            return text or None
        return self._ask(None, lambda: self._store.own_text(key))

    def key_of(self, key: str) -> str:
        """Return this window's key for the draft of a field."""
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

    def drop_text(self, key: str, text: str) -> None:
        """Put ``text`` aside where it is a draft for the field ``key``; other texts stay there."""
        if self.own_text(key) == text:
            self.drop(key)
            return
        for each, there in self.texts().items():
            if field_of(each) == key and there == text:
                self.drop(each)

    def discard(self, key: str) -> None:
        """Put the text under ``key`` aside, whichever window it is of. Writes; call in a thread."""
        self._catch_up(key)
        self._store.discard(key)
        self._note(key, there=False)

    def touched(self) -> int:
        """Return a number that changes whenever another window changes a draft."""
        return self._ask(-1, self._store.touched)

    def damage_report(self) -> str:
        """Return the report on a damaged file once, and "" afterwards."""
        return self._store.damage_report()

    def follow(self) -> bool:
        """Read the changes of other windows; return whether there are any. Reads the disk."""
        before, self._seen = self._seen, self.touched()
        if before == self._seen:
            return False
        if self._count():
            self._changed()
        return True

    def _count(self) -> bool:
        """Read the keys of all drafts; return whether they changed."""
        with self._counting:
            self._noted = {}
        keys = self.keys()
        with self._counting:
            there = {key for key in keys | self._noted.keys() if self._noted.get(key, True)}
            changed, self._keys = there != self._keys, there
        return changed

    def restore(self, key: str, text: str = "") -> str | None:
        """Undo the last drop under ``key``, or bring ``text`` back; return what is back, or None.

        What was typed there since stays beside it. Writes to the disk; call it in a thread.
        """
        self._catch_up(key)
        found = self._store.restore(key, text)
        if found is None:
            return None
        self._note(found[0], there=True)
        return found[1]

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
        return {key for key in there | unsaved.keys() if unsaved.get(key) != ""}

    def dated(self) -> Sequence[tuple[str, str, float]]:
        """Return (key, text, when it was saved), newest first."""
        unsaved = dict(self._unsaved)  # before the disk: what is written meanwhile is of both
        none: Sequence[tuple[str, str, float]] = ()
        there = self._ask(none, self._store.dated)
        kept = [each for each in there if each[0] not in unsaved]
        return [*((key, text, time()) for key, text in unsaved.items() if text), *kept]

    def refuse(self, why: str, again: Callable[[], object] | None = None) -> None:
        """Note before anything is typed that the disk refuses drafts.

        ``again`` is the refused operation; it raises ``OSError`` as long as the disk refuses.
        """
        self.trouble, self._refused = why, again
        self._changed()

    def again(self) -> None:
        """Try again to write the refused texts. Writes to the disk; call it in a thread."""
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
            trouble = f"{error.strerror or error}"
        else:
            trouble, self._refused, self.begins_anew = "", None, True
        if trouble != self.trouble:
            self.trouble = trouble
            self._changed()

    def _ask(self, none: T, read: Callable[[], T]) -> T:
        """Read from the store; return ``none`` for what cannot be read, and note why."""
        try:
            return read()
        except OSError as error:
            if not self.trouble:
                self.refuse(f"{error.strerror or error}", self._store.texts)
            return none

    def _catch_up(self, key: str) -> None:
        """Write what waits under ``key``. Raises ``OSError`` when the disk refuses it."""
        with self._queued:
            if key in self._unsaved:
                self._queue.setdefault(key)
        if self._write():
            self._changed()
        if key in self._unsaved and key not in self._queue:
            raise OSError(EIO, self.trouble)

    def _keep(self, key: str, text: str, told: Callable[[], None] | None) -> None:
        with self._queued:
            before = self._unsaved.get(key, text)
            if bool(before) != bool(text):
                self._before.setdefault(key, []).append(before)
            self._queue.pop(key, None)  # to the end: what it moved to is kept before it goes
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
        task = asyncio.get_running_loop().create_task(self._write_soon(told))
        self._written.add(task)
        task.add_done_callback(self._written.discard)

    async def _write_soon(self, told: Callable[[], None]) -> None:
        if await asyncio.get_running_loop().run_in_executor(_writer(), self._write):
            self._changed()
        told()

    def _write(self) -> bool:
        """Write the waiting drafts until the disk refuses one: that one and the rest go on waiting.

        Returns whether ``trouble`` changed.
        """
        trouble = self.trouble
        with self._keeping:
            while self._queue:
                with self._queued:
                    key = next(iter(self._queue))
                    del self._queue[key]
                    text = self._unsaved[key]
                try:
                    while before := self._before.get(key):
                        self._put(key, before[0])
                        before.pop(0)
                    self._put(key, text)
                except OSError as error:
                    with self._queued:
                        self._queue.clear()
                    self.trouble = f"{error.strerror or error}"
                else:
                    with self._queued:
                        if key not in self._queue:  # unless a newer text waits
                            self._unsaved.pop(key, None)
                    if not self._unsaved.keys() - self._queue.keys():
                        self.trouble = ""
        return trouble != self.trouble

    def _put(self, key: str, text: str) -> None:
        """Write a text, or drop that which is there. Raises ``OSError``."""
        if not text:
            self._store.drop(key)
            self._seen = -1  # so that another window's text is counted
            return
        self._store.save(key, text)
        own = self._store.key_of(key)
        if own != key and key not in self._queue:  # kept beside another window's
            self._typed.add(own)
            self._note(own, there=True)

    def _note(self, key: str, *, there: bool) -> None:
        with self._counting:
            self._noted[key] = there
            changed = (key in self._keys) != there
            (self._keys.add if there else self._keys.discard)(key)
        if changed:
            self._changed()

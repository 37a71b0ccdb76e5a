"""The items of answers that could not be understood, kept for the screen that asked for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from copydesk.domain.text import plural

MOST_ANSWERS = 50
"""Items are kept of so many answers, the last ones."""

NOT_SHOWN = "not shown, for it may hold a secret"
"""Says instead of an item what it was, where the answer may hold a credential."""


class Misread:
    """What a screen asked for and could not be understood, by the request that it came from."""

    def __init__(self) -> None:
        self._items: dict[str, Sequence[Any]] = {}
        self._distinct: Sequence[Any] | None = ()

    def note(self, request: str, items: Sequence[Any]) -> None:
        """Take the items, as they came, that the last answer to a request was read without."""
        if self._items.pop(request, None) or items:
            self._distinct = None
        if items:
            self._items[request] = items
            while len(self._items) > MOST_ANSWERS:
                del self._items[next(iter(self._items))]

    def forget(self) -> None:
        """Begin anew: all is asked for again."""
        self._items.clear()
        self._distinct = ()

    @property
    def items(self) -> Sequence[Any]:
        """All of them, as JSON has them; what several requests answered with is there once."""
        if self._distinct is None:  # worked out once: every frame asks
            import json

            found = {json.dumps(item): item for items in self._items.values() for item in items}
            self._distinct = list(found.values())
        return self._distinct

    @property
    def said(self) -> str:
        """How many there are, in a sentence; "" without any."""
        count = len(self.items)
        return f"{plural(count, 'item')} could not be read." if count else ""


ELSEWHERE = Misread()
"""What no screen has asked for: what a command of the command line reads."""

MISREAD: ContextVar[Misread] = ContextVar("misread", default=ELSEWHERE)
"""Where the client puts them; it follows tasks, as `cause.ASKER` does."""

WHOLE: ContextVar[bool] = ContextVar("whole", default=False)
"""Whether an answer that is not understood in all its parts is refused."""


@contextmanager
def whole_answers() -> Iterator[None]:
    """Have the client raise ``Garbled`` for an answer that it cannot read completely.

    For reads that decide what is written next: an object that could not be read is not one that is
    missing.
    """
    before = WHOLE.set(True)
    try:
        yield
    finally:
        WHOLE.reset(before)

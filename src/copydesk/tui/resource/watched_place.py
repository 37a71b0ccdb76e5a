"""A list of things that the service works on: read again quietly while it does."""

from __future__ import annotations

from typing import TypeVar

from textual.timer import Timer

from copydesk.session.target import Target
from copydesk.tui.resource.place import ResourcePlace

T = TypeVar("T")

WATCH_SECONDS = 2.0
"""How often a list is read while the service works on something in it."""


class WatchedPlace(ResourcePlace[T], scope="watched_place"):
    """A list of a resource whose items take the service a while."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.bell: Timer | None = None
        """Rings when the list is read again because something in it was under way."""
        self._under_way: frozenset[str] = frozenset()
        self._begun: set[str] = set()
        """What was begun here and has not been seen since, by its key."""

    def under_way(self, item: T) -> bool:
        """Whether the service works on an item, or is about to."""
        raise NotImplementedError

    def stands(self) -> bool:
        """Whether it is left as it was read: not while the service works on something in it."""
        return not self._under_way and super().stands()

    def ended(self, item: T) -> tuple[str, str]:
        """Return what came of an item that was under way, as a sentence, and its tone."""
        raise NotImplementedError

    def read_begun(self, key: str) -> None:
        """Read again once something was begun: its end is told, also one that has come by then."""
        self._begun.add(key)
        self.read_written(key)

    def came(self) -> None:
        """Say what has come to its end, and watch what has not."""
        super().came()
        key = self.resource.key
        before, working = self._under_way | self._begun, set()
        for item in self.rows.source.base.shown():
            if self.under_way(item):
                working.add(key(item))
            elif key(item) in before:
                # A poll says nothing of its own; what somebody saw begin is waited for.
                self.call_later(self.say, *self.ended(item))
            self._begun.discard(key(item))
        self._under_way = frozenset(working)
        if self.bell is not None:
            self.bell.stop()
        self.bell = self.set_timer(WATCH_SECONDS, self.look_again) if working else None

    def look_again(self) -> None:
        """Read the list again, unless that disturbs somebody or nobody sees it."""
        self.bell = None
        if self.app.screen is self and self.may_poll:
            self.read_again(by_hand=False)
        else:
            self.bell = self.set_timer(WATCH_SECONDS, self.look_again)

"""The palette: every action, command and place that can be used here, found by a few letters."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from copydesk.tui.dispatch import keys_of, run
from copydesk.tui.keys import shown
from copydesk.tui.places import ENTRIES

if TYPE_CHECKING:
    from copydesk.tui.app import CopydeskApp


class ActionProvider(Provider):
    """Feeds Textual's palette from the declarations."""

    async def _entries(self) -> AsyncIterator[tuple[str, str, Callable[[], Any]]]:
        app = cast("CopydeskApp", self.app)
        keyboard = app.keyboard
        for owner in keyboard.chain(self.screen):
            for action in owner.ACTIONS.values():
                if action.group == "Move" or action.reason(owner) is not None:
                    continue
                keys = keys_of(action, keyboard.keymap)
                title = f"{action.label.capitalize()}  ({shown(keys[0])})"
                yield title, action.summary, partial(run, owner, action)
        for entry in ENTRIES.values():
            keys = keys_of(entry.action, keyboard.keymap)
            key = f"  ({shown(keys[0])})" if keys else ""
            yield f"Go to {entry.title}{key}", entry.action.doc, partial(app.go, entry.name)

    async def discover(self) -> Hits:
        """Offer everything."""
        async for title, about, do in self._entries():
            yield DiscoveryHit(title, do, help=about)

    async def search(self, query: str) -> Hits:
        """Offer what matches."""
        matcher = self.matcher(query)
        async for title, about, do in self._entries():
            score = max(matcher.match(title), matcher.match(about) * 0.6)
            if score > 0:
                yield Hit(score, matcher.highlight(title), do, help=about)

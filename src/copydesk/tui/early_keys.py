"""Keys that must not do what they would do here: what was typed for a field that was refused.

Who presses the key of a comment and types on has not seen that it was refused. The words are no
commands: they are kept in the log until there is a pause.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from textual import events
from textual.screen import Screen

from copydesk.domain.text import clean, plural
from copydesk.tui.typing_ahead import PASS, Typed, text_of

if TYPE_CHECKING:
    from copydesk.tui.app import CopydeskApp

PAUSE_SECONDS = 1.0
"""How long a pause ends what is typed for a field that was refused."""


@dataclass(eq=False)
class Refused:
    """A field that was not opened over ``screen``, and what was typed for it all the same."""

    label: str
    why: str
    screen: Screen[Any]
    until: float
    """When a pause is long enough, on the clock of the keys."""
    keys: list[Typed] = field(default_factory=list)


class EarlyKeys:
    """Keeps keys of one app from doing what they were not typed for."""

    def __init__(self, app: CopydeskApp) -> None:
        self._app = app
        self._refused: Refused | None = None
        self._timer: asyncio.TimerHandle | None = None

    def refuse(self, label: str, why: str, at: float) -> None:
        """Run nothing of what is typed next: a field was refused, by a key that came at ``at``."""
        self._end()
        self._refused = Refused(label, why, self._app.screen, at + PAUSE_SECONDS)
        self._end_later()

    def take(self, event: Typed) -> bool:
        """Take a key, or what is pasted, if it must not be acted on."""
        refused, pressed = self._refused, event.key if isinstance(event, events.Key) else ""
        if refused is None or pressed in PASS:
            return False
        over = event.time > refused.until or self._app.screen is not refused.screen
        if over or pressed == "escape":
            self._end()
            return not over
        refused.keys.append(event)
        refused.until = event.time + PAUSE_SECONDS
        self._end_later()
        if (place := self._app.here) is not None:
            place.say(_said(refused), "warn")
        return True

    def _end_later(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(PAUSE_SECONDS, self._end)

    def _end(self) -> None:
        """Act on keys again. The text that was typed is in the log."""
        if self._timer is not None:
            self._timer.cancel()
        refused, self._refused, self._timer = self._refused, None, None
        if refused is not None and (text := text_of(refused.keys)).strip():
            what = f"“{refused.label}” was refused. Typed after that, and not run: {clean(text)}"
            self._app.session.note(what)
            self._app.session.touched()


def _said(refused: Refused) -> str:
    keys = plural(len(refused.keys), "key")
    verb = "was" if len(refused.keys) == 1 else "were"
    kept = " (the text is in the log, @)" if text_of(refused.keys).strip() else ""
    why = f" {refused.why}" if refused.why else ""
    return f"“{refused.label}” was refused; {keys} typed after it {verb} not run{kept}.{why}"

"""Whether the terminal's background is light, as the terminal itself tells.

It is asked once, as the screens take it, and nobody waits: its answer comes among the keys that are
read, and is taken out of them there, however late it comes. So is what terminals that know mode
2031 tell by themselves whenever their colours changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from time import monotonic

QUESTION = "\x1b]11;?\x1b\\"
"""Asks for the background. Terminals that do not know it say nothing, and some answer twice."""

FOLLOWS = "\x1b[?2031h"
"""Has terminals that know it tell when their colours changed."""

LIMIT_SECONDS = 0.15
"""An answer that comes later is for the next start: the screens are looked at by then."""

HOLD_SECONDS = 1.0
"""For how long a lone Escape may be the beginning of the answer."""

_ANSWER = re.compile(
    r"\x1b\]11;(?:rgba?:(?P<rgb>[0-9A-Fa-f/]{1,40})|[^\x07\x1b]{0,40})(?:\x07|\x1b\\)"
)
_CHANGED = re.compile(r"\x1b\[\?997;([12])n")
_BEGUN = re.compile(
    r"\x1b(?:\](?:1(?:1(?:;[^\x07\x1b]{0,40}\x1b?)?)?)?|\[\?9(?:9(?:7(?:;[12]?)?)?)?)\Z"
)
"""What may be the beginning of an answer whose rest comes with what is read next."""


class Background:
    """What the terminal answers to `QUESTION`, and tells after `FOLLOWS`.

    ``told`` is called, in the thread that reads, with whether the background is light, and whether
    that came in time: what is told of a change always does.
    """

    def __init__(
        self, told: Callable[[bool, bool], None], clock: Callable[[], float] = monotonic
    ) -> None:
        self._told = told
        self._clock = clock
        self._asked_at = clock()
        self._held = ""

    def take(self, text: str) -> str:
        """Return what was read without the answers in it."""
        text, self._held = self._held + text, ""
        text = _CHANGED.sub(self._changed, _ANSWER.sub(self._answered, text))
        begun = _BEGUN.search(text)
        young = self._clock() - self._asked_at < HOLD_SECONDS
        at = begun.start() if begun else len(text) - (young and text.endswith("\x1b"))
        self._held = text[at:]
        return text[:at]

    def release(self) -> str:
        """Return the Escape, or alt+], that was no beginning: nothing came behind it."""
        if self._held not in ("\x1b", "\x1b]"):
            return ""
        held, self._held = self._held, ""
        return held

    def _changed(self, found: re.Match[str]) -> str:
        self._told(found[1] == "2", True)
        return ""

    def _answered(self, found: re.Match[str]) -> str:
        if found["rgb"] is not None and (light := is_light(found["rgb"])) is not None:
            self._told(light, self._clock() - self._asked_at <= LIMIT_SECONDS)
        return ""


def is_light(rgb: str) -> bool | None:
    """Return whether a colour as terminals tell it (``ffff/ffff/ffff``) is light; None for none."""
    parts = rgb.split("/")
    if len(parts) not in (3, 4) or not all(1 <= len(part) <= 4 for part in parts):
        return None
    red, green, blue = (int(part, 16) / int("f" * len(part), 16) for part in parts[:3])
    return 0.299 * red + 0.587 * green + 0.114 * blue > 0.5

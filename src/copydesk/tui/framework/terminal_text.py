"""The last step before the terminal: no text of a frame holds anything but drawn characters.

Texts of strangers are cleaned where they become parts of a screen (`domain.text.clean`). What was
forgotten there ends here: every frame passes `only_text` just before it becomes the codes that are
written. Codes come from styles and from where a text stands, and never out of a text.
"""

from __future__ import annotations

import re
from functools import lru_cache

from rich.segment import Segment
from textual.strip import Strip

from copydesk.domain.text import typed
from copydesk.tui.framework.drawn import Difference
from copydesk.tui.framework.inside_textual import ChopsUpdate, CompositorUpdate, LayoutUpdate

KEPT_TEXTS = 8192
"""How many texts of segments are remembered as looked through: those of many frames."""

_PLAIN = re.compile("[ -~\xa0-\xac\xae-\u02ff\u2010-\u2027\u2190-\u2bff]*").fullmatch
"""What most texts and all lines of frames are made of: nothing of it is hidden or a mark."""


def only_text(update: CompositorUpdate) -> None:
    """Take out of the texts of a frame, or of a part of one, all that a terminal might act on.

    Control characters, what turns the direction, what has no width, halves of characters and links
    go (`domain.text.typed`: what joins letters in a field stays); each strip keeps its width.
    Raises ``TypeError`` for what is no frame: it cannot be looked through.
    """
    match update:
        case Difference():
            update.parts = [(x, y, _safe(strip)) for x, y, strip in update.parts]
        case LayoutUpdate():
            update.strips = [[_safe(strip) for strip in line] for line in update.strips]
        case ChopsUpdate():
            update.chops = [
                {at: strip and _safe(strip) for at, strip in line.items()} for line in update.chops
            ]
        case _:
            raise TypeError(f"{type(update).__name__} is no frame that can be looked through")


def _safe(strip: Strip) -> Strip:
    if all(map(_is_safe, strip)):
        return strip
    segments = [
        Segment(_drawn(text), None if style is None else style.update_link(None))
        for text, style, control in strip
        if not control
    ]
    # What stands to the right of it on the line stays where it is.
    return Strip(segments).adjust_cell_length(strip.cell_length)


def _is_safe(segment: Segment) -> bool:
    text, style, control = segment
    if control or (style is not None and style.link):
        return False
    return _PLAIN(text) is not None or _drawn(text) == text


@lru_cache(maxsize=KEPT_TEXTS)
def _drawn(text: str) -> str:
    return typed(text)

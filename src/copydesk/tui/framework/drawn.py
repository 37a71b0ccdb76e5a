"""What goes to the terminal: only what differs from what it shows, and nothing but text.

A list that was read again draws all its lines although none is another, and a line of the header
all its cells for one second more. Textual writes what was drawn; here that is compared first.

Texts of strangers are cleaned where they become parts of a screen (`domain.text.clean`). What was
forgotten there ends here: every frame passes `finished` just before it becomes the codes that are
written. Codes come from styles and from where a text stands, and never out of a text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import accumulate, product
from math import dist
from os.path import commonprefix
from typing import TYPE_CHECKING, cast

from rich.cells import cell_len
from rich.color import Color
from rich.console import Console
from rich.control import Control
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import typed
from copydesk.tui.framework.inside_textual import ChopsUpdate, CompositorUpdate, LayoutUpdate

if TYPE_CHECKING:
    from rich.console import ConsoleOptions, RenderResult

SHADES = (0, 95, 135, 175, 215, 255)
"""How much of red, green or blue is in the mixed colours of a terminal of 256."""

GREYS = range(8, 248, 10)
"""How light its greys are beside those."""

KEPT_TEXTS = 8192
"""How many texts of segments are remembered as looked through: those of many frames."""

_PLAIN = re.compile("[ -~\xa0-\xac\xae-\u02ff\u2010-\u2027\u2190-\u2bff]*").fullmatch
"""What most texts and all lines of frames are made of: nothing of it is hidden or a mark."""

_EMOJI = "\u2600-\u27bf\U0001f000-\U0001ffff"
_NOT_ASCII = re.compile(f"[{_EMOJI}][{_EMOJI}\u200d\ufe0e\ufe0f]*|[^\0-\x7f\u2500-\u25ff{_EMOJI}]+")
_DOUBTFUL = frozenset(("Mn", "Mc", "Me", "Cf", "Sk"))
"""Kinds of characters that terminals draw in cells of their own, or in those before them."""


class FrameDifference(CompositorUpdate):
    """The parts of a frame that the terminal does not show yet: (column, line, strip)."""

    def __init__(self, parts: list[tuple[int, int, Strip]]) -> None:
        self.parts = parts

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for x, y, strip in self.parts:
            yield _move_to(x, y)
            yield from strip

    def render_segments(self, console: Console) -> str:
        """Return what is written to the terminal."""
        return "".join(
            f"{_move_to(x, y).text}{strip.render(console)}" for x, y, strip in self.parts
        )


@lru_cache(maxsize=4096)  # most lines begin where they began before
def _move_to(x: int, y: int) -> Segment:
    """Return what moves the terminal's cursor: to make it takes longer than to compare a line."""
    return Control.move_to(x, y).segment


def is_nothing(update: CompositorUpdate) -> bool:
    """Whether an update has nothing to write."""
    return isinstance(update, FrameDifference) and not update.parts


@dataclass(slots=True)
class _Line:
    """One line: the columns at which its strips end, and each strip by where it begins."""

    ends: list[int] = field(default_factory=list)
    strips: dict[int, Strip] = field(default_factory=dict)


class Drawn:
    """What was written last, by line."""

    def __init__(self) -> None:
        self._lines: dict[int, _Line] = {}
        self._screen: object = None
        self.on_background: Callable[[bool, bool], None] | None = None
        """Told whether the terminal is light, and whether in time; None: it is not asked."""
        self.ask_background: Callable[[], None] = lambda: None
        """Asks the terminal that, once something is to be told."""

    def forget(self) -> None:
        """Know nothing of what is shown: something else wrote on the terminal."""
        self._lines.clear()

    def difference(self, screen: object, update: CompositorUpdate) -> CompositorUpdate:
        """Return what of an update is not shown yet, and take it for shown from now on.

        A whole frame is written whole. What lies on a ``screen`` that was not in front before is
        not compared with what was in its place.
        """
        if screen is not self._screen:
            self._screen = screen
            self._lines.clear()
        if isinstance(update, ChopsUpdate):
            return FrameDifference(list(self._changed(update)))
        self._lines.clear()
        if isinstance(update, LayoutUpdate):
            for y, strips in enumerate(cast("list[list[Strip]]", update.strips)):
                if all(strips):
                    ends = list(accumulate(strip.cell_length for strip in strips))
                    self._lines[y] = _Line(ends, dict(zip((0, *ends), strips, strict=False)))
        return update

    def _changed(self, update: ChopsUpdate) -> Iterator[tuple[int, int, Strip]]:
        for y, first, last in update.spans:
            ends = update.chop_ends[y]
            line = self._lines.get(y)
            if line is None or line.ends != ends:
                line = self._lines[y] = _Line(ends)
            for end, (x, strip) in zip(ends, update.chops[y].items(), strict=False):
                if strip is None or x >= last or end <= first:
                    continue
                if x < first or end > last:  # as Textual does: from where it begins to the edge
                    line.strips.pop(x, None)
                    yield x, y, strip.crop(0, min(end, last) - x)
                    continue
                before = line.strips.get(x)
                line.strips[x] = strip
                if before is None:
                    yield x, y, strip
                elif before is not strip and before != strip:
                    yield _without_beginning(x, y, before, strip)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable()


def _without_beginning(x: int, y: int, before: Strip, now: Strip) -> tuple[int, int, Strip]:
    """Leave out what a line begins with as it did before.

    Only ASCII that is seen: where a terminal draws a sign wider or narrower than it is taken for,
    what follows stands elsewhere, and has to be written with it.
    """
    segments, cells = list(now), 0
    for old, new in zip(before, now, strict=False):
        if old.style != new.style or not (_is_plain(old.text) and _is_plain(new.text)):
            break
        if old.text != new.text:
            same = len(commonprefix([old.text, new.text]))
            left = new.text[same:]  # nothing, where there are only fewer blanks
            segments[:1] = [Segment(left, new.style)] if left else []
            cells += same
            break
        del segments[0]
        cells += len(new.text)
    return x + cells, y, Strip(segments, now.cell_length - cells)


def only_text(update: CompositorUpdate) -> None:
    """Take out of the texts of a frame, or of a part of one, all that a terminal might act on.

    Control characters, what turns the direction, what has no width, halves of characters and links
    go (`domain.text.typed`: what joins letters in a field stays); each strip keeps its width.
    Raises ``TypeError`` for what is no frame: it cannot be looked through.
    """
    _change(update, _safe)


def in_its_colours(update: CompositorUpdate, console: Console) -> None:
    """Give a frame the nearest colours that a terminal of 256 has, if it is for such a one.

    Rich takes a dark grey with a little blue for navy, and a light warm one for yellow.
    """
    if console.color_system == "256":
        _change(update, _near)


def finished(update: CompositorUpdate, console: Console) -> CompositorUpdate:
    """Return a frame made ready for a terminal: of `only_text`, `in_its_colours`."""
    only_text(update)
    in_its_colours(update, console)
    return update


def _change(update: CompositorUpdate, changed: Callable[[Strip], Strip]) -> None:
    """Change each strip of a frame, or of a part of one."""
    match update:
        case FrameDifference():
            update.parts = [(x, y, changed(strip)) for x, y, strip in update.parts]
        case LayoutUpdate():
            update.strips = [[changed(strip) for strip in line] for line in update.strips]
        case ChopsUpdate():
            update.chops = [
                {at: strip and changed(strip) for at, strip in line.items()}
                for line in update.chops
            ]
        case _:
            raise TypeError(f"{type(update).__name__} is not a frame that can be looked through")


def _near(strip: Strip) -> Strip:
    near = [Segment(text, style and near_style(style), each) for text, style, each in strip]
    return Strip(near, strip.cell_length)


@lru_cache(maxsize=4096)
def near_style(style: Style) -> Style:
    """Return a style in colours that a terminal of 256 has."""
    return style + Style.from_color(_near_colour(style.color), _near_colour(style.bgcolor))


@lru_cache(maxsize=1024)
def _near_colour(colour: Color | None) -> Color | None:
    """Return the nearest of 24 greys and of the 216 mixed of six shades of red, green and blue."""
    if colour is None or colour.triplet is None:
        return colour
    parts = tuple(colour.triplet)
    grey = _nearest(sum(parts) / 3, GREYS)[0]
    found: dict[int, tuple[int, ...]] = {232 + GREYS.index(grey): (grey,) * 3}
    for mixed in product(*(_nearest(part, SHADES)[:2] for part in parts)):
        red, green, blue = map(SHADES.index, mixed)
        found[16 + 36 * red + 6 * green + blue] = mixed
    seen = _seen(parts)
    return Color.from_ansi(min(found, key=lambda number: dist(_seen(found[number]), seen)))


def _nearest(part: float, among: Sequence[int]) -> list[int]:
    """Return shades, the nearest first."""
    return sorted(among, key=lambda each: abs(each - part))


def _seen(parts: Sequence[int]) -> tuple[float, ...]:
    """Return what two colours are compared by: also how light each is, and whether it is a red."""
    red, green, blue = parts
    light = 0.299 * red + 0.587 * green + 0.114 * blue
    return red, green, blue, red - green, green - blue, blue - red, 3 * light


def _safe(strip: Strip) -> Strip:
    for text, style, control in strip:  # of each line of each frame: told without a call for each
        if control or (style is not None and style.link):
            break
        if _PLAIN(text) is None and _held(_drawn(text)) != text:
            break
    else:
        return strip
    segments = [
        Segment(_drawn(text), None if style is None else style.update_link(None))
        for text, style, control in strip
        if not control
    ]
    # What stands to the right of it on the line stays where it is.
    fitted = Strip(segments).adjust_cell_length(strip.cell_length)
    return Strip([Segment(_held(text), style) for text, style, _ in fitted], strip.cell_length)


_drawn = lru_cache(maxsize=KEPT_TEXTS)(typed)


@lru_cache(maxsize=KEPT_TEXTS)
def _held(text: str) -> str:
    """Put the cursor behind letters with marks: a terminal may draw them wider or narrower."""
    return text if text.isascii() else _NOT_ASCII.sub(_hold, text)


def _hold(found: re.Match[str]) -> str:
    run, width = found[0], cell_len(found[0])
    if not width or not any(unicodedata.category(each) in _DOUBTFUL for each in run):
        return run
    return f"\x1b7{' ' * width}\x1b8\x1b7{run}\x1b8\x1b[{width}C"

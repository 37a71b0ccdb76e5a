"""What the terminal shows, so that only what differs from it is drawn and written.

A list that was read again draws all its lines although none is another, and a line of the header
all its cells for one second more. Textual writes what was drawn; here that is compared first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from functools import lru_cache
from itertools import accumulate
from os.path import commonprefix
from typing import TYPE_CHECKING, cast

from rich.console import Console
from rich.control import Control
from rich.segment import Segment
from textual.strip import Strip

from copydesk.domain.late_dataclass import dataclass
from copydesk.tui.framework.inside_textual import ChopsUpdate, CompositorUpdate, LayoutUpdate

if TYPE_CHECKING:
    from rich.console import ConsoleOptions, RenderResult


class Difference(CompositorUpdate):
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
    return isinstance(update, Difference) and not update.parts


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
            return Difference(list(self._changed(update)))
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

"""A page of text, drawn line by line: a megabyte opens at once and scrolls like a short one.

The page is cut into blocks by a cheap scan. Blocks are laid out as they come into view; how high
the others are is measured in slices between key presses, until the scroll bar is exact.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from itertools import chain, repeat
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

from rich.cells import cell_len
from textual import events
from textual.geometry import Region
from textual.strip import Strip

from copydesk.domain.filter import fold
from copydesk.domain.slug import named, slugify
from copydesk.domain.text import clean
from copydesk.present.blame import Authors
from copydesk.present.markdown import (
    Line,
    Look,
    MarkdownBlock,
    blocks,
    columns_of,
    draw,
    wrap_exact,
)
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.pane import Found
from copydesk.tui.widgets.wrapped_list import SpanPane, TableKeys

if TYPE_CHECKING:  # few pages have tables
    from copydesk.present.tables import TableColumns

SLICE_SECONDS = 0.004
"""How long measuring may hold up a key press."""

PAUSE_SECONDS = 0.008
"""What measuring leaves to keys and drawing between two slices."""

SETTLE_SECONDS = 0.3
"""How often the scroll bar follows while measuring: each time lays the screen out again."""

CUT_AT_ONCE = 1 << 16
"""Characters that are cut into blocks before the first frame; the rest is cut in a thread."""

READ_CELLS = 80
"""The width of a text that is only read, where none is drawn."""

KEPT_BLOCKS = 256
"""Blocks whose lines are kept for the next frame."""


_NO_PICTURES = ("code", "math", "front")
"""The blocks in which no picture is shown, whatever they say."""


class Below(Protocol):
    """What is drawn below the lines of a block: its pictures."""

    def see(self, text: str) -> None:
        """Take notice that a text is on screen, and call back once it has more to draw."""

    def lines(self, text: str, width: int) -> list[Line]:
        """Return what is drawn below a text now."""


class TextView(SpanPane):
    """Shows Markdown (or plain lines with ``plain=True``).

    ``literal`` shows all HTML as it was written, as in a message.
    """

    def __init__(
        self,
        source: str = "",
        *,
        title: str = "",
        empty: str = "This page is empty.",
        plain: bool = False,
        literal: bool = False,
        id: str | None = None,
    ) -> None:
        super().__init__(title=title, empty=empty, id=id)
        self._plain = plain
        self._literal = literal
        self._blocks: list[MarkdownBlock] = []
        self._starts: list[int] = [0]
        """First line of every measured block, and where the next one will start."""
        self._lines: dict[int, list[Line]] = {}
        self._coloured: dict[int, list[Line] | None] = {}
        """The code of blocks with its colours; None while, and where, it has none."""
        self._width = self._room = 0
        self._measuring: asyncio.Task[None] | None = None
        self._cutting: asyncio.Task[None] | None = None
        self._to_end = False
        self._keep: tuple[int, int] | None = None
        self._source = source
        self.first = (TableKeys(self),)
        self.below: Below | None = None
        self._noticed: set[int] = set()
        """The blocks that ``below`` has seen."""
        self._authors: Sequence[tuple[int, str]] = ()
        """Who wrote it from which line (from 0) on, for the width that it has."""
        self._told: tuple[Sequence[int], Authors | None] = (), None
        """Who wrote it, from which line on."""

    def on_mount(self) -> None:
        self.set_text(self._source)

    def on_unmount(self) -> None:
        self._stop()

    def set_text(self, source: str, *, top: bool = True) -> None:
        """Show another text, from its top or from where the reader is."""
        self._stop()
        self._source = source
        self._coloured.clear()
        self._noticed.clear()
        self._told = (), None
        keep = None if top else self._position()
        self._found = ""
        self._blocks = self._cut(source[:CUT_AT_ONCE])
        if len(source) > CUT_AT_ONCE:
            # Whatever the cut fell into is cut again with the rest.
            del self._blocks[-1:]
            self._cutting = asyncio.create_task(self._cut_all(source, keep), name="cut text")
        self._lay_out(keep)

    def _cut(self, source: str) -> list[MarkdownBlock]:
        safe = clean(source, lines=True)
        if self._plain:
            lines = safe.split("\n") if safe else []
            cut = [MarkdownBlock("code", at, (line,)) for at, line in enumerate(lines)]
        else:
            cut = blocks(safe, literal=self._literal)
        while cut and cut[-1].kind == "blank":
            cut.pop()
        return cut

    async def _cut_all(self, source: str, keep: tuple[int, int] | None) -> None:
        """Cut a long text whole, beside the keys, and go on from where the reader is."""
        cut = await asyncio.to_thread(self._cut, source)
        self._cutting = None
        shown = len(self._blocks)
        if self._blocks == cut[:shown]:
            # What is measured and drawn already stays so.
            self._blocks = cut
            if self._keep is None:
                self._keep = keep
            self._go_on()
        else:
            self._blocks = cut
            self._coloured.clear()
            self._noticed.clear()
            self._lay_out(keep or self._position())

    def _stop(self) -> None:
        self._to_end = False
        if self._cutting is not None:
            self._cutting.cancel()
            self._cutting = None
        if self._measuring is not None:
            self._measuring.cancel()
            self._measuring = None

    # Layout

    def _position(self) -> tuple[int, int]:
        """Return the block at the top of the screen and the line within it."""
        y = self.scroll_offset.y
        at = min(bisect_right(self._starts, y) - 1, max(0, len(self._blocks) - 1))
        return at, max(0, y - self._starts[at])

    @property
    def _text_width(self) -> int:
        """How many cells a line of the text has."""
        beside = cell_len(self._authors[0][1]) + 1 if self._authors else 0
        return max(8, self.scrollable_content_region.width - 2 - beside)

    def tell_authors(self, lines: Sequence[int], authors: Authors | None) -> None:
        """Say beside the text who wrote it from these lines (from 0) on."""
        position = self._position()
        self._told = lines, authors
        self._lay_out(position)

    def _author_of(self, line: int) -> str:
        at = bisect_right(self._authors, line, key=lambda each: each[0]) - 1
        return self._authors[at][1] if at >= 0 else ""

    def _forget_lines(self) -> None:
        """Begin to lay out for the room that there is."""
        self._room = self.content_region.width
        lines, authors = self._told
        said = () if authors is None else authors(self._room)
        self._authors = sorted(zip(lines, said, strict=True))
        self._width = self._text_width
        self._starts, self._lines = [0], {}
        self.forget_styles()

    def _lay_out(self, keep: tuple[int, int] | None) -> None:
        self._forget_lines()
        if self._measuring is not None:
            self._measuring.cancel()
            self._measuring = None
        if self.size.width <= 0:
            self._keep = keep
            return
        self._measure_for(SLICE_SECONDS * 3, until=self.size.height * 2)
        self._keep = keep
        self._settle()
        if keep is None:
            self.scroll_to(y=0, animate=False, force=True)
        self._go_on()

    def _go_on(self) -> None:
        """Measure the remaining lines in the background."""
        if not self._measured and self._measuring is None:
            self._measuring = asyncio.create_task(self._measure_on(), name="measure text")
        self.refresh()

    @property
    def _measured(self) -> bool:
        return self._cutting is None and len(self._starts) > len(self._blocks)

    @property
    def running(self) -> asyncio.Task[None] | None:
        """The cutting or measuring under way, for those who must wait for it."""
        task = self._cutting or self._measuring
        return task if task is not None and not task.done() else None

    def _measure_for(self, seconds: float, *, until: int = 1 << 62) -> None:
        stop = perf_counter() + seconds
        while len(self._starts) <= len(self._blocks) and self._starts[-1] < until:
            at = len(self._starts) - 1
            self._starts.append(self._starts[-1] + len(self._drawn(at, keep=False)))
            if at % 8 == 7 and perf_counter() > stop:
                break

    async def _measure_on(self) -> None:
        settled = perf_counter()
        while len(self._starts) <= len(self._blocks):
            await asyncio.sleep(PAUSE_SECONDS)
            self._measure_for(SLICE_SECONDS)
            if self._keep is not None or perf_counter() - settled > SETTLE_SECONDS:
                self._settle()
                settled = perf_counter()
        self._measuring = None
        self._settle()
        self.refresh()

    def _settle(self) -> None:
        """Size the scroll bar by the measured lines and a guess of the rest."""
        done = len(self._starts) - 1
        total = self._starts[-1]
        if done < len(self._blocks):
            total += int((len(self._blocks) - done) * max(1.0, total / max(1, done)))
        self.resize_lines(max(total, 1))
        if self._keep is not None and self._keep[0] < len(self._starts) - 1:
            (at, line), self._keep = self._keep, None
            height = self._starts[at + 1] - self._starts[at]
            self.scroll_to(y=self._starts[at] + min(line, height - 1), animate=False, force=True)
        if self._to_end and self._measured:
            self._to_end = False
            self.scroll_to(y=self.max_scroll_y, animate=False)

    def _drawn(self, at: int, *, keep: bool = True) -> list[Line]:
        lines = self._lines.get(at)
        if lines is None:
            block = self._blocks[at]
            lines = draw(
                block,
                self._width,
                literal=self._literal,
                look=self.look,
                coloured=self._coloured.get(at),
            )
            if self.below is not None and block.kind not in _NO_PICTURES:
                lines = [*lines, *self.below.lines(block.text, self._width)]
            if self._authors:
                blank = " " * (cell_len(self._authors[0][1]) + 1)
                said = self._author_of(block.line) if block.kind not in ("blank", "front") else ""
                leads = chain([f"{said} " if said else blank], repeat(blank))
                lines = [[(lead, "muted"), *line] for lead, line in zip(leads, lines, strict=False)]
            if keep:
                if len(self._lines) >= KEPT_BLOCKS:
                    self._lines.clear()
                self._lines[at] = lines
        return lines

    @property
    def passages(self) -> list[str]:
        """What it says, a block each, as it is drawn and in one line; before it who wrote it."""
        found = []
        for each in self._blocks:
            if each.kind == "blank":
                continue
            drawn = draw(each, self._width or READ_CELLS, literal=self._literal, look=self.look)
            said = " ".join(" ".join("".join(text for text, _ in line) for line in drawn).split())
            who = " ".join(self._author_of(each.line).split()) if each.kind != "front" else ""
            found.append(f"{who}: {said}" if who and said else said)
        return [said for said in found if said]

    # Tables, front matter, code

    def _in_view(self) -> range:
        """Return the blocks that are at least partly on screen."""
        top = self.scroll_offset.y
        first = bisect_right(self._starts, top) - 1
        stop = bisect_right(self._starts, top + self.page_lines - 1)
        return range(max(0, first), min(stop, len(self._blocks), len(self._starts) - 1))

    def tables_in_view(self) -> list[TableColumns]:
        found = (self._blocks[at] for at in self._in_view())
        return [columns_of(each, self._width, self.look) for each in found if each.kind == "table"]

    def table_blocks(self) -> list[MarkdownBlock]:
        """Return the blocks of the first table in view."""
        shown = (self._blocks[at].table for at in self._in_view())
        table = next((each for each in shown if each is not None), None)
        return [each for each in self._blocks if table is not None and each.table is table]

    def texts_in_view(self) -> list[str]:
        """Return the texts of the blocks in view that are no code, as Markdown."""
        found = (self._blocks[at] for at in self._in_view())
        return [each.text for each in found if each.kind not in _NO_PICTURES]

    def draw_again(self) -> None:
        """Lay out what is drawn below the blocks, staying at the same passage."""
        self._lay_out(self._position())

    def _notice(self, at: int) -> None:
        """Have what belongs below a block read, once it is on screen."""
        if self.below is None or at in self._noticed or self._blocks[at].kind in _NO_PICTURES:
            return
        self._noticed.add(at)
        self.below.see(self._blocks[at].text)

    @property
    def turns(self) -> bool:
        return any(self._blocks[at].kind in ("table", "front") for at in self._in_view())

    def show_as(self, look: Look) -> None:
        self.look = look
        self._lay_out(self._position())

    def _colour(self, at: int) -> None:
        """Have the code of a block coloured in a thread, and draw it again."""
        block = self._blocks[at]
        if block.kind != "code" or not block.mark or at in self._coloured:
            return
        self._coloured[at] = None

        async def colour() -> None:
            from copydesk.present.code_colours import coloured  # only pages with code need it

            found = await asyncio.to_thread(coloured, block.mark, block.lines)
            if found is not None and at < len(self._blocks) and self._blocks[at] is block:
                self._coloured[at] = found
                self._lines.pop(at, None)
                self.refresh()

        begin(self, colour, group="colours")

    def refresh_rows(self) -> None:
        self.forget_styles()
        self.refresh()

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for another width and stay at the same passage."""
        if self._text_width != self._width:
            self._lay_out(self._position() if self._keep is None else self._keep)

    # Moving and searching

    def move_last(self) -> bool:
        """Go to the end, once it is measured."""
        self._to_end = True
        self._settle()
        return True

    def stop_reading(self) -> bool:
        """Stop a way to the end."""
        going, self._to_end = self._to_end, False
        return going

    def find(self, text: str) -> bool:
        """Search: light every match, and go to the first one from here."""
        self._found = fold(text)
        here, line = self._position()
        found = not self._found or self._jump(1, here, line - 1) is not None
        self.refresh()
        return found

    def find_next(self, direction: int) -> Found:
        """Go to the next (1) or previous (-1) line that matches, around the end."""
        before = self._position()
        # At the end nothing more comes to the top: the matches below it are on screen already.
        at_end = direction > 0 and self._measured and self.scroll_offset.y >= self.max_scroll_y
        found = self._jump(direction, *((0, -1) if at_end else before)) if self._found else None
        if found is None:
            return ""
        beyond = found > before if direction > 0 else found < before
        return "beyond" if beyond and not at_end else "around"

    def find_clear(self) -> bool:
        was, self._found = self._found, ""
        self.refresh()
        return bool(was)

    def _jump(self, direction: int, here: int, line: int) -> tuple[int, int] | None:
        """Go to the nearest match beyond a line of a block, around the end; return its place."""
        count = len(self._blocks)
        for step in range(count + 1):
            at = (here + step * direction) % count if count else 0
            if at >= count or self._found not in fold(self._blocks[at].text):
                continue
            hits = [
                number
                for number, drawn in enumerate(self._drawn(at))
                if self._found in fold("".join(text for text, _ in drawn))
            ] or [0]
            if step == 0:
                hits = [hit for hit in hits if (hit - line) * direction > 0]
            if hits:
                found = at, hits[0] if direction > 0 else hits[-1]
                self.go_to_block(*found)
                return found
        return None

    def go_to_heading(self, anchor: str) -> bool:
        """Put the heading with this anchor at the top of the screen; False where there is none."""
        taken: dict[str, int] = {}
        wanted = slugify(anchor)
        for at, block in enumerate(self._blocks):
            if block.kind == "heading":
                words, name = named(block.text)
                slug = slugify(words)
                taken[slug] = count = taken.get(slug, -1) + 1
                if (name and anchor == name) or wanted == (f"{slug}-{count}" if count else slug):
                    self._come_to(at)
                    return True
        return False

    def _come_to(self, at: int, frames: int = 4) -> None:
        """Go to a block, and again while the text, just shown, is still being laid out."""
        if at >= len(self._blocks):
            return  # another text is shown by now
        if self.size.width > 0:
            self.go_to_block(at)
        else:
            self._keep = (at, 0)
        if frames:
            self.call_after_refresh(self._come_to, at, frames - 1)

    def go_to_block(self, at: int, line: int = 0) -> None:
        """Put a line of a block at the top of the screen."""
        while at >= len(self._starts) - 1 and not self._measured:
            self._measure_for(SLICE_SECONDS)
        self._settle()
        self.scroll_to(y=self._starts[at] + line, animate=False)

    # Drawing

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw lines, laid out for the room that there is.

        Textual sends no `Resize` to what is shown again if somebody asked where it is before the
        screen was laid out: until it is drawn nothing tells that it has room.
        """
        if self.content_region.width != self._room:
            keep = self._position() if self._keep is None else self._keep
            self._forget_lines()
            self.call_later(self._lay_out, keep)
        return super().render_lines(crop)

    def render_line(self, y: int) -> Strip:
        """Draw one visible line."""
        width = self.scrollable_content_region.width
        base = self.base
        line = self.first_line + y
        if not self._blocks:
            said = [(self.nothing_said(self.empty), "muted")]
            lines = wrap_exact(said, max(8, width - 2))
            shown: Line = lines[y] if y < len(lines) else []
        else:
            if line >= self._starts[-1] and not self._measured:
                self._measure_for(SLICE_SECONDS, until=line + 1)
            at = bisect_right(self._starts, line) - 1
            if at >= len(self._blocks) or line >= self._starts[-1]:
                return self.blank(width, base)
            self._colour(at)
            self._notice(at)
            shown = self._drawn(at)[line - self._starts[at]]
        return self.strip_of([(" ", ""), *shown], base, width)

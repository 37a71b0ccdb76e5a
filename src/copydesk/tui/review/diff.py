"""The change of one page, row by row: only what is on screen is compared by word and drawn."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events

from copydesk.domain.page_text import PageText
from copydesk.domain.picture import may_show
from copydesk.present.diff import Row, gutter_of, rows
from copydesk.present.diff_rows import (
    SIDES,
    draw_beside,
    draw_fold,
    draw_line,
    draw_note,
    table_room,
)
from copydesk.present.markdown import Line, Look
from copydesk.tui.content.pictures import Pictures, Sides, sides_of
from copydesk.tui.framework.actions import NotYet, action
from copydesk.tui.framework.workers import begin
from copydesk.tui.widgets.spans import TableKeys
from copydesk.tui.widgets.wrapped_list import WrappedList

if TYPE_CHECKING:
    from copydesk.present.diff_tables import DiffTable, DiffTables
    from copydesk.present.tables import Columns

Mark = tuple[str, bool]
"""What is drawn beside a line with threads ("[2]"), and whether one of them is open."""


def nothing_folded(view: DiffView) -> str | None:
    """Say so when there is nothing to fold or unfold."""
    return None if view.page is not None and view.page.folds else "Nothing is folded here."


def nothing_shown(view: DiffView) -> str | None:
    """Say so when no page is shown."""
    return None if view.page is not None else NotYet("The page is not read yet.")


def no_line_here(view: DiffView) -> str | None:
    """Say so when the cursor is on no line."""
    return nothing_shown(view) or (None if view.line is not None else "Put the cursor on a line.")


class DiffView(WrappedList, scope="diff"):
    """Shows a `PageText`. The cursor is on a line of the diff, and keeps to it over refreshes."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"diff--added", "diff--removed", "diff--range"}

    def __init__(self, *, title: str = "", id: str | None = None) -> None:
        super().__init__(title=title, empty="Reading…", id=id)
        self.page: PageText | None = None
        self.marks: Mapping[int, Mark] = {}
        self._rows: list[Row] = []
        self._unfolded: set[int] = set()
        self._all = False
        self.sides = False
        """Whether the reader wants the two texts side by side."""
        self.blocks = False
        """Whether blocks are numbered, and not lines."""
        self._paired = False
        self._comparing: set[int] = set()
        self._tables: DiffTables | None = None
        """The tables of the page, from when one is drawn on."""
        self._coloured: dict[int, Mapping[int, Line] | None] = {}
        """The rows of code that have colours, by its block in the text after; None until then."""
        self.first = (TableKeys(self),)
        self.pictures: Pictures | None = None
        """What draws the pictures of changed rows below them."""
        self.of_file: Callable[[], Sequence[Sides]] = tuple
        """Returns the changed file in front as a picture."""
        self._range_from: int | None = None
        """The row of the diff at which a range begins."""

    # What is shown

    def show(
        self, page: PageText | None, marks: Mapping[int, Mark], *, keep_place: bool = False
    ) -> None:
        """Show a page; with ``keep_place`` the cursor stays on its line."""
        place = self.line if keep_place else None
        self.page, self.marks = page, marks
        self._range_from = None
        if not keep_place:
            self._unfolded.clear()
            self._all = False
        self._comparing.clear()
        self._tables = None
        self._coloured.clear()
        self._lay_out()
        self.changed(top=not keep_place)
        if place is not None:
            self.go_to_line(place)
        elif not keep_place and page is not None:
            self.step_change(1, quiet=True, from_start=True)
            # What is said of the page is read before the page.
            self.go_to_top()

    def mark(self, marks: Mapping[int, Mark]) -> None:
        """Show other threads beside the lines."""
        line = self.line
        self.marks = marks
        self._lay_out()
        self.changed()
        if line is not None:
            self.go_to_line(line)

    def _lay_out(self) -> None:
        self._paired = self.sides and self.fits
        if self.page is None:
            self._rows = []
        else:
            self._rows = rows(
                self.page,
                keep=self.marks,
                unfolded=self._unfolded,
                all_lines=self._all,
                pairs=self._paired,
            )

    @property
    def fits(self) -> bool:
        """Whether there is room for two texts side by side."""
        return self._width >= SIDES

    @property
    def room(self) -> int:
        """How many cells a row has."""
        return self._width

    def on_resize(self, event: events.Resize) -> None:
        """Go side by side, or one above the other, as the room now is."""
        if self.page is not None and (self.sides and self.fits) != self._paired:
            line = self.line
            self._lay_out()
            self.changed()
            if line is not None:
                self.go_to_line(line)

    def show_sides(self, sides: bool) -> None:
        """Put the two texts side by side where there is room, or one above the other."""
        line = self._here()
        self.sides = sides
        self._again(line)

    @property
    def line(self) -> int | None:
        """The row of the diff under the cursor, of a pair the one as it is now; None on a fold."""
        return self._line_at(self.cursor)

    def _line_at(self, at: int) -> int | None:
        """Return the row of the diff that is shown at a place, as `line` does."""
        row = self._rows[at] if at < len(self._rows) else None
        if row is None or row.kind not in ("line", "pair"):
            return None
        return row.at if row.kind == "line" else row.at + 1

    @property
    def text_line(self) -> int | None:
        """The row of the diff under the cursor, or where that is blank the nearest with words.

        None on a fold, and where no row has any.
        """
        here = self.line
        if self.page is None or here is None:
            return None
        for step in range(self.rows):
            for at in (self.cursor + step, self.cursor - step):
                line = self._line_at(at) if 0 <= at < self.rows else None
                if line is not None and self.page.line_text(line).strip():
                    return line
        return None

    @property
    def texts_here(self) -> tuple[str | None, str | None]:
        """The row of the diff under the cursor as it was and as it is; None where it was not."""
        return (None, None) if self.line is None else self._texts_at(self.line)

    def _texts_at(self, line: int) -> tuple[str | None, str | None]:
        """Return a row of the diff as it was and as it is; None where it was not."""
        if self.page is None:
            return None, None
        was: str | None = None
        now: str | None = None
        for at in self.page.pair(line):
            kind, text = self.page.diff[at].kind, self.page.line_text(at)
            was = text if kind in ("removed", "same") else was
            now = text if kind in ("added", "same") else now
        return was, now

    @property
    def chosen(self) -> range:
        """The rows of the diff that a range has, or the one with words under the cursor."""
        here, start = self.text_line, self._range_from
        if here is None:
            return range(0)
        if start is None:
            return range(here, here + 1)
        low, high = sorted((start, here if self.line is None else self.line))
        return range(low, high + 1)

    @action("v", "range", unless=no_line_here, show=2, group="Threads")
    def begin_range(self) -> None:
        """Begin a range of lines here, to suggest others for them; again ends it."""
        self._range_from = self.line if self._range_from is None else None
        self.refresh()

    def end_range(self) -> bool:
        """Mark a line at a time again; whether there was a range."""
        was, self._range_from = self._range_from, None
        self.refresh()
        return was is not None

    def find_clear(self) -> bool:
        return self.end_range() or super().find_clear()

    def _row(self) -> Row | None:
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    def _place_of(self, line: int) -> int:
        """Return the place of what shows a row of the diff, or would if it were unfolded."""
        notes = len(self.page.notes) if self.page is not None else 0
        found = bisect_right(self._rows, line, lo=notes, key=lambda row: row.at) - 1
        return max(found, 0)

    def go_to_line(self, line: int) -> bool:
        """Put the cursor on a row of the diff, unfolding what hides it."""
        at = self._place_of(line)
        if at >= len(self._rows):
            return False
        row = self._rows[at]
        if row.kind == "fold" and row.at <= line < row.stop:
            self._unfolded.add(row.at)
            self._lay_out()
            self.changed()
            at = self._place_of(line)
            row = self._rows[at]
        if row.kind in ("line", "pair") and row.at <= line < max(row.stop, row.at + 1):
            self.go_to(at, center=True)
            return True
        return False

    def step_change(self, by: int, *, quiet: bool = False, from_start: bool = False) -> bool:
        """Go to the next (1) or previous (-1) change; False at the last."""
        if self.page is None:
            return False
        here = -1 if from_start else self._here()
        starts = self.page.diff.changes
        at = bisect_right(starts, here) if by > 0 else bisect_left(starts, here) - 1
        if not 0 <= at < len(starts):
            return False
        self.go_to_line(starts[at])
        return True

    @property
    def change_at(self) -> tuple[int, int]:
        """The number of the change that the cursor is in or below, and of all there are."""
        if self.page is None:
            return 0, 0
        starts = self.page.diff.changes
        row = self._row()
        stop = -1 if row is None else row.at if row.kind != "pair" else row.at + 1
        return bisect_right(starts, stop) if row and row.kind != "note" else 0, len(starts)

    def _here(self) -> int:
        """Return the line that the cursor is on, or the nearest one below it."""
        for row in self._rows[self.cursor :]:
            if row.kind in ("line", "pair"):
                return row.at
            if row.kind == "fold":
                return row.stop - 1
        return -1

    @action("#", "block numbers", unless=nothing_shown, show=False, group="Look")
    def number(self) -> None:
        """Number the blocks of both texts, or their lines."""
        self.blocks = not self.blocks
        self.changed()

    # Folding

    @action("z", "unfold", unless=nothing_folded, show=6, group="Look")
    def fold(self) -> None:
        """Unfold the unchanged lines under the cursor; on any other line fold all again."""
        row = self._row()
        line = self.line
        if row is not None and row.kind == "fold":
            self._unfolded.add(row.at)
            line = row.at
        else:
            self._unfolded.clear()
            self._all = False
        self._again(line)

    @action("z R", "unfold all", unless=nothing_folded, show=False, group="Look")
    def unfold_all(self) -> None:
        """Show every line of the page."""
        line, self._all = self._here(), True
        self._again(line)

    @action("z M", "fold all", unless=nothing_folded, show=False, group="Look")
    def fold_all(self) -> None:
        """Show only changed lines and what is around them."""
        line, self._all = self._here(), False
        self._unfolded.clear()
        self._again(line)

    def _again(self, line: int | None) -> None:
        self._lay_out()
        self.changed()
        if line is None or line < 0:
            return
        self.go_to(self._place_of(line))

    def _jump(self, direction: int, start: int) -> bool:
        """Go to the next match, and unfold what it is in."""
        for step in range(self.rows):
            at = (start + step * direction) % self.rows
            row = self._rows[at]
            if row.kind == "fold":
                line = self._match_in(row, direction)
                if line is not None:
                    return self.go_to_line(line)
            elif self.stops(at) and self._found in self.row_text(at).casefold():
                self.go_to(at, center=True)
                return True
        return False

    def _match_in(self, fold: Row, direction: int) -> int | None:
        assert self.page is not None
        for line in range(fold.at, fold.stop)[::direction]:
            if self._found in self.page.line_text(line).casefold():
                return line
        return None

    # Drawing

    @property
    def rows(self) -> int:
        return len(self._rows)

    def stops(self, row: int) -> bool:
        """Notes are only read, and a blank line between blocks has nothing to act on."""
        kind, at, _ = self._rows[row]
        if kind == "note":
            return self._rows[-1].kind == "note"
        if kind != "line" or self.page is None or at in self.marks:
            return True
        starts = self.page.diff.changes
        begins = starts[bisect_left(starts, at) : bisect_right(starts, at)]  # J stops there
        return bool(begins) or not self.page.diff.is_blank(at)

    def tint(self, row: int) -> str:
        """Added and removed rows stand on a ground of their own."""
        if self.page is None or row < 0 or self._rows[row].kind != "line":
            return ""
        at = self._rows[row].at
        if self._range_from is not None and at in self.chosen:
            return "diff--range"
        kind = self.page.diff[at].kind
        return f"diff--{kind}" if kind in ("added", "removed") else ""

    def row_text(self, row: int) -> str:
        """Return the text that a search is lit in; `_jump` searches folded lines."""
        kind, at, stop = self._rows[row]
        if self.page is None or kind in ("fold", "note"):
            return ""
        return "\n".join(self.page.line_text(each) for each in range(at, max(stop, at + 1)))

    def draw(self, row: int, width: int) -> list[Line]:
        assert self.page is not None
        sides = self._sides_at(row)
        if self.pictures is None or not sides:
            return self._row_lines(row, width)
        self.pictures.see_sides(sides)
        lead = gutter_of(self.page, width, blocks=self.blocks).cells
        below = self.pictures.lines_of(sides, max(8, width - lead - 1))
        return [*self._row_lines(row, width), *([(" " * lead, ""), *line] for line in below)]

    def _sides_at(self, row: int) -> Sequence[Sides]:
        """Return the pictures of a changed row, of two that are one edited the lower one's."""
        assert self.page is not None
        kind, at, _ = self._rows[row]
        if kind == "note":
            return self.of_file() if row == len(self._rows) - 1 else ()
        diff = self.page.diff
        near = range(at, at + 2) if kind == "pair" else range(max(0, at - 1), at + 1)
        if kind == "fold" or not any(may_show(diff.text_of(each)) for each in near):
            return ()
        if kind == "line" and (diff[at].kind not in ("added", "removed") or
                               self.page.pair(at)[-1] != at):  # fmt: skip
            return ()
        return sides_of(self._texts_at(near[-1]))

    def _row_lines(self, row: int, width: int) -> list[Line]:
        assert self.page is not None
        kind, at, stop = self._rows[row]
        gutter = gutter_of(self.page, width, blocks=self.blocks)
        if kind == "note":
            return draw_note(self.page.notes[at], width)
        if kind == "fold":
            return draw_fold(self.page.diff, at, stop, gutter)
        diff = self.page.diff
        if diff.words_wait(at):
            self._compare(at)
        mark, is_open = self.marks.get(at, ("", False))
        if kind == "pair" and not mark:
            mark, is_open = self.marks.get(at + 1, ("", False))
        tone = "accent" if is_open else "muted"
        line = diff[at]
        table = self._table_of(at) if line.table else None
        code = self._code_of(at) if line.within == "code" and line.kind == "same" else None
        if not self._paired or line.kind in ("from", "to"):
            mine = self.page.is_mine(at)
            return draw_line(
                line, width, gutter=gutter, mark=mark, mark_tone=tone, mine=mine, table=table,
                code=code,
            )  # fmt: skip
        old = line if line.kind != "added" else None
        new = diff[at + 1] if kind == "pair" else line if line.kind != "removed" else None
        return draw_beside(old, new, width, gutter=gutter, mark=mark, mark_tone=tone, table=table)

    # Code and tables

    def _code_of(self, at: int) -> Line | None:
        """Return a row of code with its colours, which a thread finds out the first time."""
        assert self.page is not None
        diff = self.page.diff
        segment, step = diff.place(at)
        block = diff.after.block_of(segment.after + step)
        if block is None:
            return None
        if block not in self._coloured:
            self._coloured[block] = None

            async def colour() -> None:
                from copydesk.present.code_colours import rows_coloured  # few pages have code

                found = await asyncio.to_thread(rows_coloured, diff.after, block)
                if found and self.page is not None and self.page.diff is diff:
                    self._coloured[block] = found
                    self.changed()

            begin(self, colour, group="colours")
        return (self._coloured[block] or {}).get(segment.after + step)

    def _table_of(self, at: int) -> DiffTable | None:
        """Return the table that a row of the diff is of."""
        assert self.page is not None
        if self._tables is None:
            from copydesk.present.diff_tables import DiffTables  # few pages have tables

            self._tables = DiffTables(self.page.diff)
        return self._tables.of(at, self.look)

    def tables_in_view(self) -> list[Columns]:
        if self.page is None:
            return []
        from copydesk.present.diff_tables import columns_of

        rows = (self._rows[at] for at in self.in_view)
        shown = [row.at for row in rows if row.kind in ("line", "pair")]
        found = [self._table_of(at) for at in shown if self.page.diff[at].table]
        gutter = gutter_of(self.page, self._width, blocks=self.blocks)
        room = table_room(self._width, gutter, beside=self._paired)
        return [columns_of(each, room) for each in found if each is not None]

    def show_as(self, look: Look) -> None:
        self.look = look
        self.changed()

    def _compare(self, at: int) -> None:
        """Compare the words of a long row in a thread, and show them when that is done."""
        assert self.page is not None
        diff = self.page.diff
        if at in self._comparing:
            return
        self._comparing.add(at)

        async def compare() -> None:
            await asyncio.to_thread(diff.find_words, at)
            if self.page is not None and self.page.diff is diff:
                self.changed()

        begin(self, compare, group="words")

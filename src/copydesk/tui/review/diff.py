"""The changes of pages, row by row: only what is on screen is compared by word and drawn.

Pages follow each other in one scroll: those above and below the page of the cursor are held while
they are near, so that nothing moves on screen when the cursor passes an end.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar

from textual import events

from copydesk.domain.filter import fold
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_text import PageText
from copydesk.domain.picture import may_show
from copydesk.present.blame import Authors, author_cells
from copydesk.present.diff import (
    SIDES,
    DiffLine,
    Gutter,
    draw_beside,
    draw_finding,
    draw_fold,
    draw_head,
    draw_line,
    draw_note,
    gutter_of,
    rows,
    table_room,
)
from copydesk.present.markdown import Line, Look
from copydesk.session.page_changes import UNSHOWN_FILE
from copydesk.session.reads import review as reading
from copydesk.tui.dialogs.pictures import Pictures, PictureSides, sides_of
from copydesk.tui.framework.actions import Acts, NotYet, action
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.pane import Found, PaneActs, offered
from copydesk.tui.widgets.wrapped_list import TableKeys, WrappedList

if TYPE_CHECKING:
    from copydesk.domain.checks import Finding
    from copydesk.present.diff import DiffTable, DiffTables
    from copydesk.present.tables import TableColumns

NO_TEXT = "This page has no text."

SEEN_BEFORE = "Edited after you marked it as read: = shows what is new, space marks it again."
"""Stands above a page that changed after it was marked as seen."""

WITH_KEYS = (reading.SINCE, reading.NOT_TOLD, SEEN_BEFORE)
"""The notes above a page that name keys; others tell what it is called."""


Mark = tuple[str, bool]
"""What is drawn beside a line with threads ("[2]"), and whether one of them is open."""


@dataclass(frozen=True, slots=True)
class RowFindings:
    """What checks say of a row: of what the request changed, and of ``older`` text."""

    new: tuple[Finding, ...] = ()
    older: tuple[Finding, ...] = ()


def nothing_folded(view: DiffView) -> str | None:
    """Say so when there is nothing to fold or unfold."""
    return None if view.page is not None and view.page.folds else "Nothing is collapsed here."


def nothing_shown(view: DiffView) -> str | None:
    """Say so when no page is shown."""
    return None if view.page is not None else NotYet("The page is not read yet.")


def texts_here(view: DiffView) -> tuple[str | None, str | None]:
    """Return the row under the cursor as it was and as it is; None where it was not."""
    if view.page is None or view.line is None:
        return None, None
    return _texts_at(view.page, view.line)


def no_line_here(view: DiffView) -> str | None:
    """Say so when the cursor is on no line."""
    return nothing_shown(view) or (None if view.line is not None else "Put the cursor on a line.")


def _texts_at(page: PageText, line: int) -> tuple[str | None, str | None]:
    """Return a row of a diff as it was and as it is; None where it was not."""
    was: str | None = None
    now: str | None = None
    for at in page.pair(line):
        kind, text = page.diff[at].kind, page.line_text(at)
        was = text if kind in ("removed", "same") else was
        now = text if kind in ("added", "same") else now
    return was, now


KEPT_AUTHORS = 8
"""Pages of which it is kept who wrote them."""


class Margin(PaneActs, scope="beside"):
    """What stands beside the rows of a change: the numbers of lines or blocks, or who wrote it."""

    def __init__(self, pane: DiffView) -> None:
        super().__init__(pane)
        self._pane = pane
        self._blocks = False
        """Whether blocks are numbered, and not lines."""
        self.tells_authors = False
        """Whether it says beside each block who wrote it."""
        self.wants_authors: Callable[[], None] | None = None
        """Called when it has to be known who wrote the page; None where nobody can tell."""
        self._known: Sequence[tuple[PageText, Sequence[int], Authors]] = ()
        """Who wrote the blocks with these numbers, of pages that were shown."""
        self._labels: tuple[object, Mapping[int, str]] = None, {}
        """What is said by the number of a block, and of which page and width that is."""

    @action(
        "#", "who wrote", word="who_wrote", unless=lambda here: nothing_shown(here._pane), show=3,
        group="Look", uses=("get_space", "get_space_page", "get_revision", "get_revision_changes",
              "get_revision_page"),
    )  # fmt: skip
    def number(self) -> None:
        """Tell beside the text who wrote each block, then number the blocks, then the lines.

        Initials and the number of the change request, in wide panes names and ages too. Two texts
        beside each other have numbers only.
        """
        if self._pane.paired or self.wants_authors is None:  # no room for names, or none are known
            self.tells_authors, self._blocks = False, not self._blocks
        else:
            names = self.tells_authors
            self.tells_authors, self._blocks = not (names or self._blocks), names
        self._pane.changed()
        self.ask()

    def ask(self) -> None:
        """Have it found out who wrote the page of the cursor, where that is told and not known."""
        page, wants = self._pane.page, self.wants_authors if self.tells_authors else None
        if wants is not None and page is not None and self._authors_of(page, 0) is None:
            wants()

    def _authors_of(self, page: PageText, width: int) -> Mapping[int, str] | None:
        for known, blocks, authors in self._known:
            if known is page:
                labels = authors(width)
                if self._labels[0] is not labels:
                    self._labels = labels, dict(zip(blocks, labels, strict=True))
                return self._labels[1]
        return None

    def tell(self, page: PageText, blocks: Sequence[int], authors: Authors) -> None:
        """Say who wrote the blocks of the new text that have these numbers."""
        self._known = [*self._known[1 - KEPT_AUTHORS :], (page, blocks, authors)]
        self._pane.changed()

    def gutter(self, page: PageText, width: int) -> Gutter:
        """Return the columns before the rows of a page, in a pane of this width."""
        gutter = gutter_of(page, width, blocks=self._blocks)
        authors = self._authors_of(page, width) if self.tells_authors else None
        if authors is None:
            return gutter
        return gutter._replace(authors=authors, author_cells=author_cells(width))


class PageRows:
    """A page in the scroll: its rows, which of them are unfolded, and what drawing them takes.

    ``key`` tells it from other pages. ``head`` is the line above it, where another page is above.
    """

    def __init__(
        self,
        view: DiffView,
        page: PageText,
        marks: Mapping[int, Mark],
        *,
        key: str = "",
        head: str = "",
    ) -> None:
        self._view = view
        self.page, self.marks, self.key, self.head = page, marks, key, head
        self.headed = False
        self.alone = True
        """Whether no other page is held: without a text it has no row then."""
        self.of_file: Sequence[PictureSides] = ()
        """The changed file that it is, as a picture."""
        self.said = view.findings.of(key, page)
        """What checks say of its rows."""
        self.rows: list[DiffLine] = []
        self.unfolded: set[int] = set()
        self.all = False
        self._comparing: set[int] = set()
        self._tables: DiffTables | None = None
        """The tables of the page, from when one is drawn on."""
        self._coloured: dict[int, Mapping[int, Line] | None] = {}
        """The rows of code that have colours, by its block in the text after; None until then."""

    @property
    def height(self) -> int:
        """How many rows it has with its head."""
        return len(self.rows) + self.headed

    def lay_out(self) -> None:
        """Make its rows. Between others a page without text says so in one."""
        self.rows = rows(
            self.page,
            keep=(*self.marks, *self.found),
            unfolded=self.unfolded,
            all_lines=self.all,
            pairs=self._view.paired,
        )
        if not self.rows and not self.alone:
            self.rows = [DiffLine("note", -1)]

    @property
    def found(self) -> Sequence[int]:
        """The rows of the diff that the request changed and checks say something of."""
        return sorted(row for row, said in self.said.items() if said.new)

    def findings(self, *rows: int) -> list[Finding]:
        """Return what checks say of rows of the diff; of older text where all of it is shown."""
        whole = self.all or not self.page.folds
        found = [self.said[row] for row in rows if row in self.said]
        return [each for said in found for each in (*said.new, *(said.older if whole else ()))]

    def stops(self, place: int) -> bool:
        """Notes are only read, and a blank line between blocks has nothing to act on."""
        kind, at, _ = self._row(place)
        if kind == "note":
            return place >= 0 and self.rows[-1].kind == "note"
        diff = self.page.diff
        if kind != "line" or at in self.marks or self.findings(at):
            return True
        starts = diff.changes
        begins = starts[bisect_left(starts, at) : bisect_right(starts, at)]  # J stops there
        return bool(begins) or not diff.is_blank(at)

    def _row(self, place: int) -> DiffLine:
        """Return a row; that of the head is one that is only read."""
        return self.rows[place] if place >= 0 else DiffLine("note", -1)

    def line_at(self, place: int) -> int | None:
        """Return the row of the diff that is drawn alone at a place; None for others."""
        kind, at, _ = self._row(place)
        return at if kind == "line" else None

    def text(self, place: int) -> str:
        """Return the text that a search is lit in; what is folded is searched apart."""
        kind, at, stop = self._row(place)
        if kind in ("fold", "note"):
            return ""
        return "\n".join(self.page.line_text(each) for each in range(at, max(stop, at + 1)))

    def folded(self, place: int) -> range:
        """Return the rows of the diff that a fold hides; none where no fold is."""
        kind, at, stop = self._row(place)
        return range(at, stop) if kind == "fold" else range(0)

    # Drawing

    def draw(self, place: int, width: int) -> list[Line]:
        """Return the lines of a row, with the pictures that it names below them."""
        if place < 0:
            return [draw_head(self.head, width)]
        sides, view = self._sides_at(place), self._view
        lines = [*self._row_lines(place, width), *self._finding_lines(place, width)]
        if view.pictures is None or not sides:
            return lines
        view.pictures.see_sides(sides)
        lead = view.beside.gutter(self.page, width).cells
        below = view.pictures.lines_of(sides, max(8, width - lead - 1))
        kind, at, _ = self.rows[place]
        if below and kind == "note" and at >= 0 and self.page.notes[at] == UNSHOWN_FILE:
            lines = []  # it is shown, or why not is said there
        return [*lines, *([(" " * lead, ""), *line] for line in below)]

    def _finding_lines(self, place: int, width: int) -> list[Line]:
        kind, at, stop = self.rows[place]
        if not self.said or kind not in ("line", "pair"):
            return []
        found = self.findings(*range(at, max(stop, at + 1)))
        return [line for each in found for line in draw_finding(each.said, width)]

    def _sides_at(self, place: int) -> Sequence[PictureSides]:
        """Return the pictures of a changed row, of two that are one edited the lower one's."""
        kind, at, _ = self.rows[place]
        if kind == "note":
            if self.page is self._view.page:
                self.of_file = self._view.of_file()
            return self.of_file if place == len(self.rows) - 1 else ()
        diff = self.page.diff
        near = range(at, at + 2) if kind == "pair" else range(max(0, at - 1), at + 1)
        if kind == "fold" or not any(may_show(diff.text_of(each)) for each in near):
            return ()
        if kind == "line" and (diff[at].kind not in ("added", "removed") or
                               self.page.pair(at)[-1] != at):  # fmt: skip
            return ()
        return sides_of(_texts_at(self.page, near[-1]))

    def _row_lines(self, place: int, width: int) -> list[Line]:
        page, view = self.page, self._view
        kind, at, stop = self.rows[place]
        gutter = view.beside.gutter(page, width)
        if kind == "note":
            note = page.notes[at] if at >= 0 else NO_TEXT
            return draw_note(offered(view, note) if note in WITH_KEYS else note, width)
        if kind == "fold":
            return draw_fold(page.diff.sentence(at, stop), offered(view, "(z expands)"), gutter)
        diff = page.diff
        if diff.words_wait(at):
            self._compare(at)
        mark, is_open = self.marks.get(at, ("", False))
        if kind == "pair" and not mark:
            mark, is_open = self.marks.get(at + 1, ("", False))
        tone = "accent" if is_open else "muted"
        line = diff[at]
        table = self._table_of(at) if line.table else None
        code = self._code_of(at) if line.within == "code" and line.kind == "same" else None
        if not view.paired or line.kind in ("from", "to"):
            mine = page.is_mine(at)
            return draw_line(
                line, width, gutter=gutter, mark=mark, mark_tone=tone, mine=mine, table=table,
                code=code,
            )  # fmt: skip
        old = line if line.kind != "added" else None
        new = diff[at + 1] if kind == "pair" else line if line.kind != "removed" else None
        return draw_beside(old, new, width, gutter=gutter, mark=mark, mark_tone=tone, table=table)

    def _code_of(self, at: int) -> Line | None:
        """Return a row of code with its colours, which a thread finds out the first time."""
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
                if found:
                    self._coloured[block] = found
                    self._view.changed()

            begin(self._view, colour, group="colours")
        return (self._coloured[block] or {}).get(segment.after + step)

    def _table_of(self, at: int) -> DiffTable | None:
        """Return the table that a row of the diff is of."""
        if self._tables is None:
            from copydesk.present.diff import DiffTables  # few pages have tables

            self._tables = DiffTables(self.page.diff)
        return self._tables.of(at, self._view.look)

    def columns(self, place: int, width: int) -> TableColumns | None:
        """Return what is shown of the table that a row is of; None where it is of none."""
        from copydesk.present.diff import columns_of

        kind, at, _ = self._row(place)
        if kind not in ("line", "pair") or not self.page.diff[at].table:
            return None
        table = self._table_of(at)
        gutter = self._view.beside.gutter(self.page, width)
        room = table_room(width, gutter, beside=self._view.paired)
        return None if table is None else columns_of(table, room)

    def _compare(self, at: int) -> None:
        """Compare the words of a long row in a thread, and show them when that is done."""
        if at in self._comparing:
            return
        self._comparing.add(at)

        async def compare() -> None:
            await asyncio.to_thread(self.page.diff.find_words, at)
            self._view.changed()

        begin(self._view, compare, group="words")


class CheckFindings:
    """What checks say of the pages that a pane holds."""

    def __init__(self, pane: DiffView) -> None:
        self._pane = pane
        self.of: Callable[[str, PageText], Mapping[int, RowFindings]] = lambda key, page: {}
        """Returns what they say of the rows of a page, by its key."""
        self.keys: Sequence[Acts] = ()
        """What acts on those of a row, while the cursor is on one that has some."""

    def changed(self) -> None:
        """Show what they say by now."""
        for held in self._pane.held:
            held.said = self.of(held.key, held.page)
        self._pane.mark(self._pane.marks)

    @property
    def rows(self) -> Sequence[int]:
        """The rows of the page of the cursor that were changed and something is said of."""
        return next((held.found for held in self._pane.held), ())

    @property
    def here(self) -> Sequence[Finding]:
        """What is said of the row under the cursor, as far as that is shown."""
        line, page = self._pane.line, self._pane.page
        if line is None or page is None:
            return ()
        return self._pane.held[0].findings(*page.pair(line))

    @property
    def acting(self) -> Sequence[Acts]:
        """What acts on the row under the cursor for what is said of it."""
        return self.keys if self.here else ()


class DiffView(WrappedList, scope="diff"):
    """Shows `PageText`s. The cursor is on a line of the diff, and keeps to it over refreshes.

    Rows of the list are those of all pages that are held, with their heads; places within the page
    of the cursor count from its first row.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"diff--added", "diff--removed", "diff--range"}

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(empty="Reading…", id=id)
        self._held: list[PageRows] = []
        self._starts: list[int] = []
        """The row at which each page begins, with its head."""
        self._front = 0
        self.goes_on: Callable[[int], object] = lambda by: None
        """Called when the cursor would pass the end (1) or the beginning (-1) of what is held."""
        self.finds_on: Callable[[int], bool] = lambda by: False
        """Called when a search has passed one: True where it goes on in other pages."""
        self.enters: Callable[[str], object] = lambda key: None
        """Called with the key of the page that the cursor came to."""
        self.sides = False
        """Whether the reader wants the two texts side by side."""
        self.paired = False
        """Whether the two texts stand side by side: where there is room."""
        self.beside = Margin(self)
        self.first = (TableKeys(self), self.beside)
        self.pictures: Pictures | None = None
        """What draws the pictures of changed rows below them."""
        self.of_file: Callable[[], Sequence[PictureSides]] = tuple
        """Returns the changed file in front as a picture."""
        self.findings = CheckFindings(self)
        self._range_from: int | None = None
        """The row of the diff at which a range begins."""

    # What is shown

    @property
    def page(self) -> PageText | None:
        """The page of the cursor."""
        return self._held[self._front].page if self._held else None

    @property
    def marks(self) -> Mapping[int, Mark]:
        """What is drawn beside its lines."""
        return self._held[self._front].marks if self._held else {}

    @property
    def _rows(self) -> Sequence[DiffLine]:
        """The rows of the page of the cursor."""
        return self._held[self._front].rows if self._held else ()

    @property
    def _begin(self) -> int:
        """The row of the list that its first row is."""
        return self._starts[self._front] + self._held[self._front].headed if self._held else 0

    @property
    def _here_at(self) -> int:
        """The place of the cursor in the page."""
        return self.cursor - self._begin

    def _held_at(self, row: int) -> tuple[PageRows, int]:
        """Return the page that a row of the list is of, and its place there; -1 for the head."""
        at = bisect_right(self._starts, row) - 1
        held = self._held[at]
        return held, row - self._starts[at] - held.headed

    def show(
        self,
        page: PageText | None,
        marks: Mapping[int, Mark],
        *,
        keep_place: bool = False,
        key: str = "",
        head: str = "",
    ) -> None:
        """Show a page alone; with ``keep_place`` the cursor stays on its line."""
        place = self.line if keep_place else None
        before = self._held[self._front] if self._held else None
        self._held = [] if page is None else [PageRows(self, page, marks, key=key, head=head)]
        self._front = 0
        if keep_place and before is not None and self._held:
            self._held[0].unfolded, self._held[0].all = before.unfolded, before.all
        self._range_from = None
        self._renew(place, top=not keep_place)
        if not keep_place and page is not None:
            self.step_change(1, from_start=True)
            # What is said of the page is read before the page.
            self.go_to_top()
        self.beside.ask()

    def join(
        self, page: PageText, marks: Mapping[int, Mark], *, key: str, head: str, by: int
    ) -> None:
        """Hold a page below (1) or above (-1) the one of the cursor, which comes to its near end.

        What is on screen stays where it is. Pages beyond the one that is left are held no longer,
        but for those on screen.
        """
        joined = PageRows(self, page, marks, key=key, head=head)
        joined.alone = False
        joined.lay_out()
        left = self._held[self._front]
        if left.alone:
            left.alone = False
            left.lay_out()
        if by > 0:
            del self._held[self._front + 1 :]
            joined.headed = True
            self._held.append(joined)
            gone = 0
            while gone < self._front and self._starts[gone + 1] <= self._top:
                gone += 1
            self._shift(-self._starts[gone])
            del self._held[:gone]
            self._front = len(self._held) - 1
        else:
            del self._held[self._front + 2 :]
            below = self._held[0]
            self._shift(joined.height + (not below.headed))
            below.headed = True
            self._held.insert(0, joined)
            self._front = 0
        self._count()
        self._range_from = None
        self._kept.clear()
        places = range(self._begin, self._begin + len(joined.rows))[::by]
        super().go_to(next(filter(self.stops, places), places[0]))
        self.beside.ask()

    def _shift(self, by: int) -> None:
        """Count rows anew from the top, for so many came or went there."""
        self._at, self._top = self._at + by, self._top + by

    def mark(self, marks: Mapping[int, Mark]) -> None:
        """Show other threads beside the lines of the page of the cursor."""
        line = self.line
        if self._held:
            self._held[self._front].marks = marks
        self._renew(line)

    def _renew(self, line: int | None, *, top: bool = False) -> None:
        """Lay out what changed, with the cursor on a row of the diff; nothing else scrolls."""
        self._lay_out()
        self.changed(top=top)
        if line is not None and self.line != line:
            self.go_to_line(line)

    @property
    def owners(self) -> Sequence[Acts]:
        return (*self.findings.acting, *super().owners)

    @property
    def held(self) -> Sequence[PageRows]:
        """The pages that are held, that of the cursor first."""
        return [*self._held[self._front :], *self._held[: self._front]]

    def _lay_out(self) -> None:
        self.paired = self.sides and self.fits
        for held in self._held:
            held.lay_out()
        self._count()

    def _count(self) -> None:
        """Find out where each page begins."""
        heights = [held.height for held in self._held]
        self._starts = [0, *accumulate(heights)][: len(heights)]

    def changed(self, *, top: bool = False) -> None:
        super().changed(top=top)
        if self._held and self._rows:  # rows of pages above may have come or gone
            low = self._begin
            if not low <= self._at < low + len(self._rows):
                self._at = max(low, min(self._at, low + len(self._rows) - 1))
                self._settle()

    def go_to(self, row: int, *, center: bool = False) -> None:
        super().go_to(row, center=center)
        if not self._held:
            return
        at = bisect_right(self._starts, self.cursor) - 1
        if at != self._front:
            self._front, self._range_from = at, None
            self.enters(self._held[at].key)

    def move(self, lines: int) -> bool:
        """Move by so many rows, and past the end of the page into the next."""
        here = self.cursor, self._skip
        at_edge = lines > 0 or self._top == 0
        moved = super().move(lines)
        if at_edge and (self.cursor, self._skip) == here:
            self.goes_on(1 if lines > 0 else -1)
        return moved

    def move_page(self, pages: float) -> bool:
        """Move by so many screens, and past the end of the page into the next."""
        here = self.cursor
        moved = super().move_page(pages)
        if self.cursor == here:
            self.goes_on(1 if pages > 0 else -1)
        return moved

    def move_first(self) -> bool:
        """Go to the beginning of the page."""
        if self._front == 0:
            return super().move_first()
        self.go_to(self._begin)
        return True

    def move_last(self) -> bool:
        """Go to the end of the page."""
        self.go_to(self._begin + len(self._rows) - 1)
        return True

    @property
    def fits(self) -> bool:
        """Whether there is room for two texts side by side."""
        return self._width >= SIDES

    def on_resize(self, event: events.Resize) -> None:
        """Go side by side, or one above the other, as the room now is."""
        if self.page is not None and (self.sides and self.fits) != self.paired:
            self._renew(self.line)

    def show_sides(self, sides: bool) -> None:
        """Put the two texts side by side where there is room, or one above the other."""
        line = self._here()
        self.sides = sides
        self._again(line)

    @property
    def line(self) -> int | None:
        """The row of the diff under the cursor, of a pair the one as it is now; None on a fold."""
        return self._line_at(self._here_at)

    def _line_at(self, at: int) -> int | None:
        """Return the row of the diff that is shown at a place, as `line` does."""
        row = self._rows[at] if 0 <= at < len(self._rows) else None
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
        for step in range(len(self._rows)):
            for at in (self._here_at + step, self._here_at - step):
                line = self._line_at(at)
                if line is not None and self.page.line_text(line).strip():
                    return line
        return None

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
    def mark_range(self) -> None:
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

    def _row(self) -> DiffLine | None:
        return self._rows[self._here_at] if 0 <= self._here_at < len(self._rows) else None

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
            self._held[self._front].unfolded.add(row.at)
            self._lay_out()
            self.changed()
            at = self._place_of(line)
            row = self._rows[at]
        if row.kind in ("line", "pair") and row.at <= line < max(row.stop, row.at + 1):
            self.go_to(self._begin + at, center=True)
            return True
        return False

    def step_change(self, by: int, *, from_start: bool = False) -> bool:
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
        for row in self._rows[max(0, self._here_at) :]:
            if row.kind in ("line", "pair"):
                return row.at
            if row.kind == "fold":
                return row.stop - 1
        return -1

    # Folding

    @action("z", "expand", word="toggle", unless=nothing_folded, show=6, group="Look")
    def fold(self) -> None:
        """Expand the unchanged lines under the cursor; on any other line collapse all."""
        row, line, held = self._row(), self.line, self._held[self._front]
        if row is not None and row.kind == "fold":
            held.unfolded.add(row.at)
            line = row.at
        else:
            held.unfolded.clear()
            held.all = False
        self._again(line)

    @action("z R", "expand all", unless=nothing_folded, show=False, group="Look")
    def expand_all(self) -> None:
        """Show every line of the page."""
        line, self._held[self._front].all = self._here(), True
        self._again(line)

    @action("z M", "collapse all", unless=nothing_folded, show=False, group="Look")
    def collapse_all(self) -> None:
        """Show only changed lines and what is around them."""
        line, self._held[self._front].all = self._here(), False
        self._held[self._front].unfolded.clear()
        self._again(line)

    def _again(self, line: int | None) -> None:
        self._lay_out()
        self.changed()
        if line is None or line < 0:
            return
        self.go_to(self._begin + self._place_of(line))

    def find_next(self, direction: int) -> Found:
        """Go to the next match, of all pages: around the end once the others have none."""
        ahead = range(self.cursor + direction, self.rows if direction > 0 else -1, direction)
        on = bool(self._found) and (self._jump(direction, ahead) or self.finds_on(direction))
        return "beyond" if on else super().find_next(direction)

    def _jump(self, direction: int, rows: Iterable[int]) -> bool:
        """Go to the next match, and unfold what it is in."""
        for at in rows:
            held, place = self._held_at(at)
            if folded := held.folded(place):
                texts = ((line, held.page.line_text(line)) for line in folded[::direction])
                line = next((line for line, text in texts if self._found in fold(text)), None)
                if line is not None:
                    self.go_to(at)
                    return self.go_to_line(line)
            elif self.stops(at) and self._found in fold(self.row_text(at)):
                self.go_to(at, center=True)
                return True
        return False

    # Drawing

    @property
    def rows(self) -> int:
        return self._starts[-1] + self._held[-1].height if self._held else 0

    def stops(self, row: int) -> bool:
        held, place = self._held_at(row)
        return held.stops(place)

    def tint(self, row: int) -> str:
        """Added and removed rows stand on a ground of their own."""
        if not self._held or row < 0:
            return ""
        held, place = self._held_at(row)
        at = held.line_at(place)
        if at is None:
            return ""
        in_front = held is self._held[self._front]
        if in_front and self._range_from is not None and at in self.chosen:
            return "diff--range"
        kind = held.page.diff[at].kind
        return f"diff--{kind}" if kind in ("added", "removed") else ""

    def row_text(self, row: int) -> str:
        held, place = self._held_at(row)
        return held.text(place)

    def draw(self, row: int, width: int) -> list[Line]:
        held, place = self._held_at(row)
        return held.draw(place, width)

    def tables_in_view(self) -> list[TableColumns]:
        shown = map(self._held_at, self.in_view if self._held else ())
        found = (held.columns(place, self._width) for held, place in shown)
        return [each for each in found if each is not None]

    def show_as(self, look: Look) -> None:
        self.look = look
        self.changed()

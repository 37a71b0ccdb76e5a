"""The change of one page, line by line: only what is on screen is compared by word and drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from copydesk.tui.actions import action
from copydesk.tui.markdown_lines import Line
from copydesk.tui.present.diff import PageText, Row, draw_fold, draw_line, draw_note, rows
from copydesk.tui.widgets.wrapped_list import WrappedList

Mark = tuple[str, bool]
"""What is drawn beside a line with threads ("[2]"), and whether one of them is open."""


def nothing_folded(view: DiffView) -> str | None:
    """Say so when there is nothing to fold or unfold."""
    return None if view.page is not None and view.page.diff.changed else "Nothing is folded here."


class DiffView(WrappedList, scope="diff"):
    """Shows a `PageText`. The cursor is on a line of the diff, and keeps to it over refreshes."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"diff--added", "diff--removed"}

    def __init__(self, *, title: str = "", id: str | None = None) -> None:
        super().__init__(title=title, empty="Reading…", id=id)
        self.page: PageText | None = None
        self.marks: Mapping[int, Mark] = {}
        self._rows: list[Row] = []
        self._unfolded: set[int] = set()
        self._all = False

    # What is shown

    def show(
        self, page: PageText | None, marks: Mapping[int, Mark], *, keep_place: bool = False
    ) -> None:
        """Show a page; with ``keep_place`` the cursor stays on its line."""
        place = self.line if keep_place else None
        self.page, self.marks = page, marks
        if not keep_place:
            self._unfolded.clear()
            self._all = False
        self._lay_out()
        self.changed(top=not keep_place)
        if place is not None:
            self.go_to_line(place)
        elif not keep_place and page is not None:
            self.step_change(1, quiet=True, from_start=True)

    def mark(self, marks: Mapping[int, Mark]) -> None:
        """Show other threads beside the lines."""
        line = self.line
        self.marks = marks
        self._lay_out()
        self.changed()
        if line is not None:
            self.go_to_line(line)

    def _lay_out(self) -> None:
        if self.page is None:
            self._rows = []
        else:
            self._rows = rows(
                self.page, keep=self.marks, unfolded=self._unfolded, all_lines=self._all
            )

    @property
    def line(self) -> int | None:
        """The line of the diff under the cursor; None on a fold or a note."""
        row = self._row()
        return row.at if row is not None and row.kind == "line" else None

    def _row(self) -> Row | None:
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    def go_to_line(self, line: int) -> bool:
        """Put the cursor on a line of the diff, unfolding what hides it."""
        for at, row in enumerate(self._rows):
            if row.kind == "line" and row.at == line:
                self.go_to(at, center=True)
                return True
            if row.kind == "fold" and row.at <= line < row.stop:
                self._unfolded.add(row.at)
                self._lay_out()
                self.changed()
                return self.go_to_line(line)
        return False

    def step_change(self, by: int, *, quiet: bool = False, from_start: bool = False) -> bool:
        """Go to the next (1) or previous (-1) stretch of changed lines; False at the last."""
        if self.page is None:
            return False
        here = -1 if from_start else self._here()
        starts = self.page.diff.changes
        found = (
            next((at for at in starts if at > here), None)
            if by > 0
            else next((at for at in reversed(starts) if at < here), None)
        )
        if found is None:
            return False
        self.go_to_line(found)
        return True

    def _here(self) -> int:
        """Return the line that the cursor is on, or the nearest one below it."""
        for row in self._rows[self.cursor :]:
            if row.kind == "line":
                return row.at
            if row.kind == "fold":
                return row.stop - 1
        return -1

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
        for at, row in enumerate(self._rows):
            if (row.kind == "line" and row.at >= line) or (row.kind == "fold" and row.stop > line):
                self.go_to(at)
                return

    # Drawing

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    def stops(self, row: int) -> bool:
        """Notes are only read."""
        return self._rows[row].kind != "note" or self._rows[-1].kind == "note"

    def tint(self, row: int) -> str:
        """Added and removed lines stand on a ground of their own."""
        if self.page is None or row < 0 or self._rows[row].kind != "line":
            return ""
        kind = self.page.diff[self._rows[row].at].kind
        return "" if kind == "same" else f"diff--{kind}"

    def row_text(self, row: int) -> str:
        """Search looks at the text of lines, not at folds."""
        if self.page is None or self._rows[row].kind != "line":
            return ""
        return self.page.line_text(self._rows[row].at)

    def draw(self, row: int, width: int) -> list[Line]:
        """Return the lines of a row."""
        assert self.page is not None
        kind, at, stop = self._rows[row]
        if kind == "note":
            return draw_note(self.page.notes[at], width)
        if kind == "fold":
            return draw_fold(stop - at, self.page.gutter(width))
        mark, is_open = self.marks.get(at, ("", False))
        return draw_line(
            self.page.diff[at],
            width,
            gutter=self.page.gutter(width),
            mark=mark,
            mark_tone="accent" if is_open else "muted",
        )

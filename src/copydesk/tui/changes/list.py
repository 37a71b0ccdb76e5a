"""The list of change requests: a view narrows it, a filter narrows that, and marks hold.

What is on screen stays: a row that no longer belongs to the view, or that only now turns out to,
waits for ``.``. A row of which not enough is known to judge it is not
shown until that has been read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.session.change_rows import ChangeRow
from copydesk.tui.framework.filtered_source import FilteredSource
from copydesk.tui.framework.sources import Source
from copydesk.tui.widgets.list import VirtualList
from copydesk.tui.widgets.marks import Marking

if TYPE_CHECKING:
    from copydesk.tui.changes.triage import Triage

Judge = Callable[[ChangeRow], bool | None]
"""Whether a row belongs to the view; None when that is not known yet."""


class TriageSource(FilteredSource[ChangeRow]):
    """The rows of a view: those that are judged to belong there, and those that did until now."""

    def __init__(self, base: Source[ChangeRow]) -> None:
        self._judge: Judge | None = None
        self._kept: set[str] = set()
        self._refused: set[str] = set()
        self._late: set[str] = set()
        self._left: set[str] = set()
        self.unjudged: dict[str, None] = {}
        """Ids of rows of which not enough is known, in the order of the list."""
        super().__init__(base)

    def judge_by(self, judge: Judge | None, text: str, *, keep: bool = False) -> None:
        """Show other rows: a view or a filter was chosen. ``text`` is what was typed.

        With ``keep`` what is shown stays until it is folded.
        """
        shown = {row.id for row in self.shown()} if keep else set()
        self._judge = judge
        self._forget()
        self._kept |= shown
        self.where(None if judge is None else self._admit, text)

    def _forget(self) -> None:
        for ids in (self._kept, self._refused, self._late, self._left):
            ids.clear()
        self.unjudged.clear()

    def _admit(self, row: ChangeRow) -> bool:
        assert self._judge is not None
        row_id, found = row.id, self._judge(row)
        if found is None:
            self.unjudged[row_id] = None
            return row_id in self._kept
        self.unjudged.pop(row_id, None)
        if row_id in self._kept:
            self._left.discard(row_id) if found else self._left.add(row_id)
            return True
        if found and row_id in self._refused:
            self._late.add(row_id)
            return False
        (self._kept if found else self._refused).add(row_id)
        self._late.discard(row_id)
        return found

    def again(self) -> None:
        """Judge every row anew, a slice at a time; what is shown stays until it is folded."""
        if self.filtering:
            self._again()

    def learned(self, rows: Iterable[ChangeRow]) -> None:
        """Judge rows anew of which more is known now; the others stay as they are."""
        if self._judge is None:
            return
        place = self.base.index_of
        for row in rows:
            at = place(row.id)
            now = None if at is None else self.base.row(at)
            if at is None or now is None or at >= self._scanned:
                continue
            if not self._admit(now) or row.id in self._index:
                continue
            where = bisect_left(self._rows, at, key=lambda each: place(each.id) or 0)
            self._rows.insert(where, now)
            for index in range(where, len(self._rows)):
                self._index[self._rows[index].id] = index
        self.notify("grown")

    def belongs(self, row_id: str) -> bool:
        """Return whether a row that is shown still belongs there."""
        return row_id not in self._left

    @property
    def matching(self) -> int | None:
        """How many rows belong to the view; None while that is not known."""
        if self._judge is None:
            return self.base.count
        if self.unjudged or not self._done:
            return None
        return len(self._rows) - len(self._left) + len(self._late)

    @property
    def checked(self) -> tuple[int, int]:
        """How many rows have been judged, of how many."""
        return self.base.loaded - len(self.unjudged), self.base.count or self.base.loaded

    @property
    def waiting(self) -> int:
        """How many rows came to the view or left it, and wait to be folded in."""
        return self.base.waiting + len(self._late) + len(self._left)

    def fold(self) -> None:
        """Show the view as it is now."""
        self._forget()
        waited = self.base.waiting
        self.base.fold()
        if not waited and self.filtering:
            self._again()


class ChangesList(Marking, VirtualList[ChangeRow]):
    """The widget."""

    judge: Triage
    """Says how rows are judged, how far that is, and what is not shown."""

    def _adopt(self, source: Source[ChangeRow]) -> None:
        super()._adopt(source if isinstance(source, TriageSource) else TriageSource(source))

    @property
    def triage(self) -> TriageSource:
        """The rows."""
        source = self.source
        assert isinstance(source, TriageSource)
        return source

    # The filter

    def find(self, text: str, *, keep: bool = False) -> bool:
        """Filter as you type. Raises ValueError with the sentence of a filter that is wrong.

        With ``keep`` what is shown stays until it is folded.
        """
        judge = self.judge.judge_for(text)
        self.triage.judge_by(judge, text.strip(), keep=keep)
        return True

    def find_clear(self) -> bool:
        """Show the whole view again."""
        return bool(self.found) and self.find("")

    def find_next(self, direction: int) -> bool:
        """Step through the matches."""
        return self.move(direction) if self.found else False

    @property
    def found(self) -> str:
        """The text of the filter."""
        return self.source.text

    # What is said around the rows

    def title_line(self) -> str:
        """Return the view, the filter, the order, how many of how many, and the marks."""
        source = self.source
        parts = [self.title]
        if source.text:
            parts.append(f"filter: {source.text}")
        if self.note:
            parts.append(self.note)
        if source.text:
            parts.append(source.says)
        elif source.filtering and source.base.count is not None:
            parts.append(f"{source.loaded} of {source.base.count}")
        elif source.count is not None and source.base.loaded < source.count:
            parts.append(f"{source.base.loaded} of {source.count} read")
        parts.append(self.judge.progress())
        if self.marks:
            parts.append(self.count_marks())
        return "   ".join(part for part in parts if part)

    def _nothing_line(self, width: int) -> list[str]:
        source = self.source
        if source.busy or not source.filtering or not (source.text or self.triage.unjudged):
            text = self.reading if source.busy else self.nothing_said(self.empty)
        elif self.triage.unjudged:
            text = self.judge.progress() or self.reading
        else:
            meant = self.sought_as_text or self.judge.nearest()
            text = f"{source.says}. Esc clears the filter. {meant}".rstrip()
        return [line.plain.rstrip() for line in Text(text).wrap(self.app.console, width)]

    @property
    def tail(self) -> Sequence[str]:
        """What is said after the last row."""
        return self.judge.last_lines() if self.source.base.complete else ()

    def rows_around(self, lines: int) -> list[ChangeRow]:
        """Return the rows on screen, those nearest to the cursor first."""
        top, cursor = self.scroll_offset.y, self.cursor
        at = sorted(range(top, top + lines), key=lambda index: abs(index - cursor))
        return [row for row in map(self.source.row, at) if row is not None]

    def unjudged(self, most: int) -> list[ChangeRow]:
        """Return the next rows of which not enough is known to judge them."""
        base = self.source.base
        found: list[ChangeRow] = []
        for row_id in islice(self.triage.unjudged, most):
            at = base.index_of(row_id)
            row = None if at is None else base.row(at)
            if row is not None:
                found.append(row)
        return found

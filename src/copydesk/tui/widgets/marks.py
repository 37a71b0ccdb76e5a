"""Marks on the rows of a list: tick one, a range, or all that are shown.

What is done to marked rows are writes: who may write nothing has no marks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from copydesk.tui.framework.actions import Acts, action
from copydesk.tui.framework.place import place_of
from copydesk.tui.widgets.list import VirtualList, no_row


def nothing_to_mark(rows: Any) -> str | None:
    """Say so when the cursor is on no row."""
    return no_row(rows, "There is nothing here to mark.")


def nothing_marked(rows: Any) -> str | None:
    """Say so when no row is marked."""
    return None if rows.marks else "Nothing is marked."


def unless_marked(*guards: Callable[[Any], str | None]) -> tuple[Callable[[Any], str | None], ...]:
    """Return guards of the row under the cursor that say nothing while rows are marked."""

    def unmarked(guard: Callable[[Any], str | None]) -> Callable[[Any], str | None]:
        def guarded(here: Any) -> str | None:
            return None if here.rows.marks else guard(here)

        guarded.__doc__ = guard.__doc__
        return guarded

    return tuple(map(unmarked, guards))


class Marking(Acts, scope="marks"):
    """Mix it in before a list: ``class Requests(Marking, VirtualList[Row])``."""

    _range_from: str | None = None
    """The id of the row that a range begins at: rows may move before it ends."""

    def on_mount(self) -> None:
        """Tell the place where its marks are: actions for one row ask there."""
        place_of(self._rows).marking = self._rows

    @property
    def _rows(self) -> VirtualList[Any]:
        return cast("VirtualList[Any]", self)

    @action(
        "space", "mark", unless=nothing_to_mark, show=6, group="Mark", stages=True, takes="none"
    )
    def mark(self) -> None:
        """Mark or unmark the row, and go on to the next."""
        rows = self._rows
        if rows.selected_id is not None:
            rows.set_marks(rows.marks ^ {rows.selected_id})
            rows.move(1)

    @action(
        "v", "mark range", unless=nothing_to_mark, show=False, group="Mark", stages=True,
        takes="none",
    )  # fmt: skip
    def mark_range(self) -> None:
        """Begin a range here; the second time, mark everything from there to here."""
        rows = self._rows
        start = None if self._range_from is None else rows.source.index_of(self._range_from)
        if start is None:
            self._range_from = rows.selected_id
            place_of(rows).say("The range begins here. Move, then v marks up to there.")
            return
        low, high = sorted((start, rows.cursor))
        self._range_from = None
        found = (rows.source.row(index) for index in range(low, high + 1))
        rows.set_marks(rows.marks | {rows.source.key(row) for row in found if row is not None})

    @action(
        "*", "mark all shown", unless=nothing_to_mark, show=False, group="Mark", stages=True,
        takes="none",
    )  # fmt: skip
    def mark_all(self) -> None:
        """Mark every row that is shown and has been read."""
        rows = self._rows
        rows.set_marks(rows.marks | {rows.source.key(row) for row in rows.source.shown()})

    @action(
        "ctrl+\\", "clear marks", unless=nothing_marked, show=False, group="Mark", stages=True,
        takes="none",
    )  # fmt: skip
    def clear_marks(self) -> None:
        """Unmark everything."""
        self._range_from = None
        self._rows.set_marks(())

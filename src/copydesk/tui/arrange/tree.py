"""A tree whose rows can be picked up and dropped elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from copydesk.tui.arrange.cells import Row
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.trees import Twig
from copydesk.tui.widgets.list import VirtualList
from copydesk.tui.widgets.marks import Marking, nothing_to_mark
from copydesk.tui.widgets.tree import TreeList


def nothing_here(rows: ArrangedTree) -> str | None:
    """Say so when the cursor is on no row."""
    return None if rows.selected is not None else "There is nothing here to open."


def nothing_picked(rows: ArrangedTree) -> str | None:
    """Say so when no row is picked."""
    return None if rows.marks else "Nothing is picked."


def enter_label(rows: ArrangedTree) -> str:
    """Return what Enter does now."""
    return "drop here" if rows.marks else "open"


class ArrangedTree(Marking, TreeList[Row], scope="arranged_tree"):
    """A `TreeList` of rows; marks are picks. ``Opened`` is posted for Enter, picks or not.

    ``pickable`` returns why a row cannot be picked, or None. A range and ``*`` stay within one
    level: rows of several levels cannot be dropped as one block.
    """

    DEEPEST = 6
    MARKED = "picked"

    pickable: Callable[[Row], str | None] = staticmethod(lambda row: None)

    @action("space", "pick", unless=nothing_to_mark, show=37, group="Order", override=True,
            stages=True, takes="none")  # fmt: skip
    def mark(self) -> None:
        """Pick the row up, or put it back, and go on to the next."""
        row = self.selected_item
        if row is None:
            return
        why = self.pickable(row)
        if why is not None and row.id not in self.marks:
            self.place.say(why, "warn")
            return
        self.set_marks(self.marks ^ {row.id})
        self.move(1)

    @action("v", "pick range", unless=nothing_to_mark, show=False, group="Order", override=True,
            stages=True, takes="none")  # fmt: skip
    def mark_range(self) -> None:
        """Begin a range here; the second time, pick all of this level from there to here."""
        start = None if self._range_from is None else self.source.index_of(self._range_from)
        if start is None:
            self._range_from = self.selected_id
            self.place.say("The range begins here. Move, then v picks up to there.")
            return
        low, high = sorted((start, self.cursor))
        self._range_from = None
        first = self.source.row(start)
        level = first.item.level if first is not None else ""
        twigs = [self.source.row(at) for at in range(low, high + 1)]
        self._pick(twig for twig in twigs if twig is not None and twig.item.level == level)

    @action("*", "pick all", unless=nothing_to_mark, show=False, group="Order", override=True,
            stages=True, takes="none")  # fmt: skip
    def mark_all(self) -> None:
        """Pick every row that is shown of the level of the cursor."""
        here = self.selected_item
        if here is not None and (why := self.pickable(here)) is not None:
            self.place.say(why, "warn")
        elif here is not None:
            self._pick(twig for twig in self.source.shown() if twig.item.level == here.level)

    def _pick(self, twigs: Iterable[Twig[Row]]) -> None:
        self.set_marks(self.marks | {twig.id for twig in twigs if self.pickable(twig.item) is None})

    @action("ctrl+\\", "put back", unless=nothing_picked, show=False, group="Order", override=True,
            stages=True, takes="none")  # fmt: skip
    def clear_marks(self) -> None:
        """Pick nothing any more."""
        super().clear_marks()

    @action(
        "enter", "open", unless=nothing_here, show=30, group="Order", override=True, now=enter_label
    )
    def open_row(self) -> None:
        """Drop the picked rows below the cursor as one block; with none, fold or open the row."""
        self.post_message(VirtualList.Opened(self, self.selected_id, self.selected))

    @property
    def marks_line(self) -> str:
        """What the status line says of picks."""
        if not self.marks:
            return ""
        return f"{self.count_marks()}: J K move them as one block, enter drops them here"

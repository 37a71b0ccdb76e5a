"""The panes of an order that is changed: its tree, the plan, and the latest writes to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from copydesk.tui.arrange.cells import (
    NOTHING,
    Row,
    Rows,
    Shown,
    only_staged,
    plan_facts,
    plan_title,
    shown_of,
    sign,
    written_facts,
)
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.place import place_of
from copydesk.tui.framework.trees import TreeSource, Twig
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList
from copydesk.tui.widgets.marks import nothing_to_mark
from copydesk.tui.widgets.tree import TreeList

if TYPE_CHECKING:
    from copydesk.domain.arrangement import Arrangement
    from copydesk.domain.call import Call
    from copydesk.domain.reversal import Step
    from copydesk.session.session import Session
    from copydesk.session.writes.undo import Past

LOOKED_BACK = 2000
"""So many of its writes are listed by action at most."""

WRITTEN = 12
"""So many actions of this machine are listed beside the tree."""

Showing = Literal["now", "base", "changed"]

VIEWS: dict[Showing, str] = {
    "now": "staged order",
    "base": "current order",
    "changed": "only what changed",
}
"""What ``=`` steps through."""


def nothing_here(rows: ArrangedTree) -> str | None:
    """Say so when the cursor is on no row."""
    return None if rows.selected is not None else "There is nothing here to open."


def nothing_picked(rows: ArrangedTree) -> str | None:
    """Say so when no row is picked."""
    return None if rows.marks else "Nothing is picked."


def enter_label(rows: ArrangedTree) -> str:
    """Return what Enter does now."""
    return "drop here" if rows.marks else "open"


class ShownOrder:
    """What of an arrangement is on screen: the staged order, the current one, or the changes."""

    def __init__(self) -> None:
        self.shown: Shown = NOTHING
        self.showing: Showing = "now"
        self._rows = Rows()

    def sign(self, row: Row) -> str:
        """Return the sign of the staged change of a row."""
        return sign(row, self.shown)

    def show(
        self,
        tree: ArrangedTree,
        arrangement: Arrangement,
        further: Sequence[Row],
        cursor: str | None = None,
    ) -> None:
        """Show an arrangement; the cursor stays on its row, or goes to ``cursor``.

        ``further`` are rows below it that have no order.
        """
        self.shown = shown_of(arrangement, self.shown)
        if not arrangement.dirty:
            self.showing = "now"  # which is what is published as well
        layout = self.shown.layout
        if self.showing == "base":
            layout = arrangement.base
        elif self.showing == "changed":
            layout = only_staged(self.shown)
        top, here = tree.scroll_offset.y, cursor or tree.selected_id
        below = further if self.showing == "now" else ()
        tree.tree_source.set_roots((*self._rows.of(layout), *below))
        if here is not None:
            tree.select(here)
        # The list keeps a row on its line by scrolling; here the row moves and the list stays.
        at, height = tree.cursor, max(1, tree.page_lines - 1)
        tree.scroll_to(y=min(max(top, at - height + 1), at), animate=False, force=True)
        if any(row not in layout for row in tree.marks):
            tree.set_marks(row for row in tree.marks if row in layout)


class ArrangedTree(TreeList[Row], scope="arranged_tree"):
    """A `TreeList` of rows; marks are picks. ``Opened`` is posted for Enter, picks or not.

    ``pickable`` returns why a row cannot be picked, or None. A range and ``*`` stay within one
    level: rows of several levels cannot be dropped as one block.
    """

    DEEPEST = 6
    MARKED = "picked"

    def __init__(
        self,
        columns: Sequence[Column[Row]],
        *,
        title: str,
        empty: str,
        order: ShownOrder,
        pickable: Callable[[Row], str | None],
        id: str,
    ) -> None:
        super().__init__(_source(), columns, title=title, empty=empty, sign=order.sign, id=id)
        self.pickable = pickable
        self._range_from: str | None = None
        """The id of the row that a range begins at: rows may move before it ends."""

    def on_mount(self) -> None:
        """Have the place know where its picks are: actions on one row ask there."""
        place_of(self).marking = self

    def picked(self) -> list[str]:
        """Return the picked rows, or else the one under the cursor."""
        here = self.selected_item
        return self.marked() or ([here.id] if here is not None else [])

    @action("space", "pick", unless=nothing_to_mark, show=37, group="Order",
            stages=True, takes="none")  # fmt: skip
    def mark(self) -> None:
        """Pick the row up, or put it back, and go on to the next."""
        row = self.selected_item
        if row is None:
            return
        if row.id not in self.marks and (why := self.pickable(row)) is not None:
            place_of(self).say(why, "warn")
            return
        self.set_marks(self.marks ^ {row.id})
        self.move(1)

    @action("v", "pick range", unless=nothing_to_mark, show=False, group="Order",
            stages=True, takes="none")  # fmt: skip
    def mark_range(self) -> None:
        """Begin a range here; the second time, pick all of this level from there to here."""
        start = None if self._range_from is None else self.source.index_of(self._range_from)
        if start is None:
            self._range_from = self.selected_id
            place_of(self).say("The range begins here. Move, then v picks up to there.")
            return
        low, high = sorted((start, self.cursor))
        self._range_from = None
        first = self.source.row(start)
        level = first.item.level if first is not None else ""
        twigs = [self.source.row(at) for at in range(low, high + 1)]
        self._pick(twig for twig in twigs if twig is not None and twig.item.level == level)

    @action("*", "pick all", unless=nothing_to_mark, show=False, group="Order",
            stages=True, takes="none")  # fmt: skip
    def mark_all(self) -> None:
        """Pick every row that is shown of the level of the cursor."""
        here = self.selected_item
        if here is not None and (why := self.pickable(here)) is not None:
            place_of(self).say(why, "warn")
        elif here is not None:
            self._pick(twig for twig in self.source.shown() if twig.item.level == here.level)

    def _pick(self, twigs: Iterable[Twig[Row]]) -> None:
        self.set_marks(self.marks | {twig.id for twig in twigs if self.pickable(twig.item) is None})

    @action("ctrl+\\", "put back", unless=nothing_picked, show=False, group="Order",
            stages=True, takes="none")  # fmt: skip
    def clear_marks(self) -> None:
        """Pick nothing any more."""
        self._range_from = None
        self.set_marks(())

    @action(
        "enter", "open", unless=nothing_here, show=30, group="Order", override=True, now=enter_label
    )
    def open_row(self) -> None:
        """Drop the picked rows below the cursor as one block; with none, fold or open the row."""
        self.post_message(VirtualList.Opened(self, self.selected_id, self.selected))


class PlanPane(Facts):
    """The requests that make the staged changes; ``nothing`` is shown while there are none."""

    def __init__(self, nothing: Sequence[str], *, id: str) -> None:
        super().__init__(title="Plan", id=id, classes="drawer-hidden")
        self._nothing = nothing

    def show_plan(self, calls: Sequence[Call], after: Sequence[str], *, read_only: bool) -> None:
        """Show the requests; ``after`` is what to know about them."""
        self.title = plan_title(calls)
        nothing = self._nothing[: 1 if read_only else None]
        self.show(plan_facts(calls, nothing=nothing, after=after))
        self.set_class(not calls, "drawer-hidden")


class WrittenPane(Facts):
    """The latest writes of this machine to what the place shows, newest first.

    ``is_of`` tells by a step of its undo whether a write is one of them.
    """

    def __init__(self, is_of: Callable[[Step], bool], *, id: str) -> None:
        super().__init__(
            title="Changes made from this machine", empty="None that can be taken back.", id=id
        )
        self._is_of = is_of
        self._pasts: list[Past] = []
        self._looked = -1
        """How many writes the run had when they were found."""

    def look_back(self, session: Session) -> None:
        """Find the writes that can be taken back."""
        self._looked = len(session.log)
        known = session.history.known.values()
        mine = [past for past in known if any(map(self._is_of, past.reversal.back))]
        mine.sort(key=lambda past: (past.entry.at, past.number), reverse=True)
        self._pasts = mine[:LOOKED_BACK]

    def show_written(self, session: Session, target: str) -> None:
        """Show them; ``target`` is the id of the site or organization."""
        if self._looked != len(session.log):
            self.look_back(session)
        lasting = session.history.lasting_in(target)
        self.show(written_facts(self._pasts, session.clock(), lasting)[:WRITTEN])


def _source() -> TreeSource[Row]:
    return TreeSource(
        key=lambda row: row.id,
        children=lambda row: row.children,
        foldable=lambda row: bool(row.children),
        values=True,
    )

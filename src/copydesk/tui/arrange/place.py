"""Putting things in another order and changing them: staged here, shown as a plan, then sent.

`ArrangingPlace` is the base of the places that show something to be arranged: the structure of a
site, and the tree of collections and spaces. It has the keys and what is on screen. The draft on
this machine is a `StagedDraft`, the way from what is staged to what is sent a `Sender`. What is
arranged and how it is read the places say; they have the `sender` begin with what was read first,
and take in what came later.
"""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from textual.timer import Timer

from copydesk.domain.arrangement import Arrangement, StagingError
from copydesk.domain.filter import fold
from copydesk.domain.layout import TOP, Item, Layout
from copydesk.domain.text import clean, plural, shorten
from copydesk.session.errors import with_key
from copydesk.session.target import Target
from copydesk.tui.arrange.cells import NOTHING, Row, Rows, Shown, only_staged, shown_of
from copydesk.tui.arrange.draft import StagedDraft
from copydesk.tui.arrange.sender import Sender
from copydesk.tui.arrange.tree import ArrangedTree
from copydesk.tui.framework.actions import NoRowYet, NotYet, action, command
from copydesk.tui.framework.commands import nothing_to_redo as no_write_to_redo
from copydesk.tui.framework.commands import nothing_to_undo
from copydesk.tui.framework.details import HasDetails
from copydesk.tui.framework.workers import begin
from copydesk.tui.widgets.list import VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.arrange_run import ArrangeRun
    from copydesk.domain.call import Call

SORTS = ("title", "path")
"""What ``:sort`` sorts by."""

PLAN_SECONDS = 0.1
"""How long after the last step a long plan is worked out: no key waits for it."""

LONG = 400
"""From how many rows on a plan counts as long."""

Showing = Literal["now", "base", "changed"]

VIEWS: dict[Showing, str] = {
    "now": "staged order",
    "base": "current order",
    "changed": "only what changed",
}
"""What ``=`` steps through."""


class ArrangedRead(Protocol):
    """What was read of something to be arranged."""

    @property
    def layout(self) -> Layout:
        """Its rows as they are published."""

    @property
    def refused(self) -> str:
        """Why the reader may not change it; empty when they may."""


R = TypeVar("R", bound=ArrangedRead)


def plan_of(arrangement: Arrangement) -> Sequence[Call]:
    """Return the requests that make what is staged."""
    return arrangement.calls() if arrangement.dirty else ()


def not_allowed(here: ArrangingPlace[Any]) -> str | None:
    """Say why the reader may not change what is shown here."""
    if not here.known:
        return NotYet(here.not_read)
    return here.refused or None


def no_row(here: ArrangingPlace[Any]) -> str | None:
    """Say so when the cursor is on no row."""
    why = "There is no row here."
    if here.row is not None:
        return None
    return why if here.known else NoRowYet(why)


def hidden_rows(here: ArrangingPlace[Any]) -> str | None:
    """Say so while rows are hidden between which one would move, or another order is shown."""
    if here.rows.tree_source.filtering:
        return "Clear the filter to move: Esc."
    return here.beyond or not_staged_order(here)


def not_staged_order(here: ArrangingPlace[Any]) -> str | None:
    """Say so while something else is shown than the staged order."""
    if here.showing != "now":
        return f"On screen: {VIEWS[here.showing]}. = goes back to the staged order."
    return None


def nothing_to_order(here: ArrangingPlace[Any]) -> str | None:
    """Say so where there is nothing that could change places."""
    if not any(len(rows) > 1 for rows in here.arrangement.now.levels.values()):
        return "Nothing to order."
    return None


def nothing_picked(here: ArrangingPlace[Any]) -> str | None:
    """Say so when no row is picked."""
    return None if here.rows.marks else "Nothing is picked. Space picks a row up."


def nothing_staged(here: ArrangingPlace[Any]) -> str | None:
    """Say so when what is on screen is what is published."""
    return None if here.arrangement.dirty else "Nothing is staged. J and K move a row."


def nothing_to_take_back(here: ArrangingPlace[Any]) -> str | None:
    """Say so when there is neither a staged step nor a write to take back."""
    return None if here.step_is_newest else nothing_to_undo(here)


def nothing_to_redo(here: ArrangingPlace[Any]) -> str | None:
    """Say so when neither a staged step nor a write was taken back."""
    return None if here.arrangement.future else no_write_to_redo(here)


class ArrangingPlace(HasDetails, Generic[R], scope="arranging"):
    """A place in which something is arranged: ``R`` is what it reads. Subclasses say what it is."""

    what_it_is = "The structure"
    """What is arranged, as the beginning of a sentence."""
    boxes: Collection[str] = ("group",)
    """The kinds of rows that ``>`` puts others into."""
    sorts: Sequence[str] = SORTS

    LIVE = "Readers see it at once; there is no draft of it on the service."
    """What to know before anything is sent."""

    EXACT = False
    """Whether nothing but what was sent is another afterwards, unless others changed it."""

    rows: ArrangedTree

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.read: R | None = None
        self.known = False
        """Whether what is arranged has been read."""
        self.behind = False
        """Whether others changed it since it was read."""
        self.refused = ""
        """Why the reader may not change it; empty when they may, or nobody knows."""
        self.arrangement: Arrangement = Arrangement.on(Layout({}, {TOP: ()}))
        """What is published, and what is staged on it."""
        self.calls: Sequence[Call] = ()
        """The requests that would make what is staged, as far as they are worked out."""
        self._planned: Arrangement | None = None
        """What they are the requests of."""
        self._planning: Timer | None = None
        self.draft = StagedDraft(self)
        self.sender = Sender(self)
        self.asked = False
        """Whether the sheet of the plan is open, which says itself how far it is."""
        self.shown: Shown = NOTHING
        self.showing: Showing = "now"
        """What ``=`` shows."""
        self._rows_of = Rows()
        self._staged_after = 0
        """How many writes there were when the last step was staged."""
        self._write_undone = False
        """Whether a write was taken back later than any staged step."""

    # What a place says

    @property
    @abstractmethod
    def draft_key(self) -> str:
        """The key under which what is staged is kept."""

    @property
    @abstractmethod
    def about(self) -> str:
        """What is arranged, as a sentence names it: the title of the site."""

    @abstractmethod
    def fresh(self, layout: Layout) -> Arrangement:
        """Return nothing staged, on a published order."""

    @abstractmethod
    async def read_layout(self, api: Api) -> Layout:
        """Read what is published again, and take note of all else that came with it. May raise."""

    @property
    @abstractmethod
    def run_target(self) -> str:
        """The id of what is arranged: of a site, or of an organization."""

    def modern(self, text: str, layout: Layout) -> str | None:
        """Return what an earlier version kept in today's format; None where it is nothing such."""
        return None

    @abstractmethod
    async def read_all(self, api: Api) -> R | None:
        """Read what is arranged; None when nobody knows which. May raise."""

    def draw(self) -> None:
        """Show what goes with the rows: the plan, the details. The rows are there already."""

    @property
    def beyond(self) -> str:
        """Why the row under the cursor is not arranged at all; empty when it is."""
        return ""

    def further_rows(self) -> Sequence[Row]:
        """Return rows that stand below and are not arranged."""
        return ()

    # Reading

    async def read_first(self, api: Api) -> tuple[R, ArrangeRun | None] | None:
        """Read it with the run that an earlier start left; that is asked about once only."""
        found = await self.read_all(api)
        if found is None:
            return None
        return found, None if self.known else await self.sender.unfinished()

    def poll(self) -> None:
        """Read again quietly. What others changed waits for R: nothing moves by itself."""
        if self.known:
            self.load("poll", self.read_all, self._polled, what="Reading again")
        else:
            super().poll()

    def _polled(self, found: R | None) -> None:
        if found is None or self.read is None:
            return
        if self.look_again(found.layout):
            self.read, self.refused = found, found.refused
        self.show_arrangement()

    def not_arrived(self, text: str) -> None:
        """Say why it could not be read, where nothing else is to be seen."""
        if self.read is None:
            self.rows.say_instead(with_key(text))

    def resume_draft(self, part: str) -> None:
        """Open the form of a row again, with what was typed in it."""
        self.resuming = part if not self.known else ""
        if self.known and self.rows.reveal(part):
            self.do_soon("edit")

    def on_virtual_list_marks_changed(self, event: VirtualList.MarksChanged) -> None:
        """Say how many rows are picked."""
        self.refresh_frame()

    # Keeping

    def keep_typed(self) -> None:
        """Keep what is staged, because everything may end now."""
        self.draft.keep_now()

    def on_screen_suspend(self) -> None:
        """Keep what is staged before another place is in front, and say there that it is kept."""
        self.draft.leave()

    def on_unmount(self) -> None:
        """Keep what is staged."""
        self.draft.keep_now()

    # What is on screen

    def show_arrangement(self, cursor: str | None = None) -> None:
        """Show what is staged; the cursor stays on its row."""
        if not self.known:
            return
        self.shown = shown_of(self.arrangement, self.shown)
        if not self.arrangement.dirty:
            self.showing = "now"  # which is what is published as well
        layout = self.shown.layout
        if self.showing == "base":
            layout = self.arrangement.base
        elif self.showing == "changed":
            layout = only_staged(self.shown)
        rows = self.rows
        top, here = rows.scroll_offset.y, cursor or rows.selected_id
        rows.tree_source.set_roots((*self._rows_of.of(layout), *self.further_rows()))
        if here is not None:
            rows.select(here)
        # The list keeps a row on its line by scrolling; here the row moves and the list stays.
        at, height = rows.cursor, max(1, rows.page_lines - 1)
        rows.scroll_to(y=min(max(top, at - height + 1), at), animate=False, force=True)
        if any(row not in layout for row in rows.marks):
            rows.set_marks(row for row in rows.marks if row in layout)
        if self._planning is not None:
            self._planning.stop()
            self._planning = None
        if len(layout.items) < LONG:
            self.requests()
        elif self._planned is not self.arrangement:
            self._planning = self.set_timer(PLAN_SECONDS, self._work_out)
        self._drawn()

    @property
    def planning(self) -> bool:
        """Whether a long plan is being worked out, or is about to be."""
        return self._planning is not None

    def _work_out(self) -> None:
        begin(self, self._plan_apart, self.arrangement, group="plan", exclusive=True)

    async def _plan_apart(self, arrangement: Arrangement) -> None:
        """Work out a long plan apart from the keys, and show all that goes with it."""
        calls = await asyncio.to_thread(plan_of, arrangement)
        if arrangement is self.arrangement:
            self._planning = None
            self.planned(arrangement, calls)
            self._drawn()

    def _drawn(self) -> None:
        notes = [VIEWS[self.showing]] * bool(self.arrangement.dirty or self.showing != "now")
        notes += ["changed by others: R shows it"] * self.behind
        self.rows.note = "   ".join(notes)
        self.rows.retitle()
        self.draw()
        self.refresh_frame()

    def look_again(self, layout: Layout) -> bool:
        """Take in what a poll read, if no row moves by that and nothing is staged; say if so.

        Texts that changed show at once then; all else waits for R.
        """
        base = self.arrangement.base
        taken = layout.levels == base.levels and not self.arrangement.dirty
        if taken and not layout.same(base):
            self.sender.take(layout)
        self.behind = not layout.same(self.arrangement.base)
        return taken

    def status_left(self) -> str:
        """What is staged, and that nothing was sent."""
        if self.refused:
            return self.refused
        if picked := self.rows.marks_line:
            return picked
        if self.calls:
            them = "it" if len(self.calls) == 1 else "them"
            count = plural(len(self.calls), "request")
            if self.asked:
                return f"{count} in the plan"
            return f"{count} staged, nothing sent: ctrl+s sends {them}"
        return super().status_left() or (VIEWS["base"] if self.known else "")

    @property
    def staged_note(self) -> str:
        """How much is staged, for the breadcrumb; empty when nothing is."""
        return f"{len(self.calls)} staged" if self.calls else ""

    # The requests

    def requests(self) -> Sequence[Call]:
        """Return the requests that make what is staged; worked out if they are not yet."""
        if self._planned is not self.arrangement:
            self.planned(self.arrangement, plan_of(self.arrangement))
        return self.calls

    def planned(self, arrangement: Arrangement, calls: Sequence[Call]) -> None:
        """Take note of the requests that make what is staged."""
        self._planned, self.calls = arrangement, calls

    # The row and what is picked

    @property
    def row(self) -> Row | None:
        """The row under the cursor."""
        return self.rows.selected_item

    def picked(self) -> list[str]:
        """Return the picked rows, or else the one under the cursor."""
        here = self.row
        return self.rows.marked() or ([here.id] if here is not None else [])

    # Staging

    def stage(self, change: Callable[[Arrangement], Arrangement]) -> bool:
        """Stage a change; False when it cannot be, and then that is said."""
        try:
            arrangement = change(self.arrangement)
        except StagingError as stuck:
            self.say(str(stuck), "warn")
            return False
        self.staged(arrangement)
        return True

    def staged(self, arrangement: Arrangement) -> None:
        """Take over another state of what is staged, show it, and keep it soon."""
        if arrangement is self.arrangement:
            return
        cursor = self.rows.selected_id
        self._staged_after, self._write_undone = len(self.session.log), False
        self.arrangement = arrangement
        self.draft.keep_soon()
        self.show_arrangement(cursor)

    @property
    def not_read(self) -> str:
        """What is said of what is asked before anything is there."""
        return f"{self.what_it_is} has not been read yet."

    @action(
        "J", "move down", unless=(not_allowed, no_row, nothing_to_order, hidden_rows),
        show=40, group="Order", also=("alt+down",), stages=True, takes="marked",
    )  # fmt: skip
    def order_down(self) -> None:
        """Move the row, or the picked ones as one block, down in its level. Nothing is sent."""
        self.stage(lambda it: it.move(self.picked(), 1))

    @action(
        "K", "move up", unless=(not_allowed, no_row, nothing_to_order, hidden_rows),
        show=39, group="Order", also=("alt+up",), stages=True, takes="marked",
    )  # fmt: skip
    def order_up(self) -> None:
        """Move the row, or the picked ones as one block, up in its level. Nothing is sent."""
        self.stage(lambda it: it.move(self.picked(), -1))

    def drop_picked(self, *, after: bool = True) -> None:
        """Put the picked rows below the cursor as one block, or above it."""
        here = self.row
        why = not_allowed(self) or no_row(self) or nothing_picked(self) or hidden_rows(self)
        if why is not None or here is None:
            self.say(why or "", "warn")
            return
        picked = self.rows.marked()
        if self.stage(lambda it: it.place(picked, here.id, after=after)):
            self.rows.set_marks(())
            self.rows.select(picked[0])

    @action(
        "O", "drop above", unless=(not_allowed, no_row, nothing_picked, hidden_rows),
        show=False, group="Order", stages=True, takes="marked",
    )  # fmt: skip
    def drop_above(self) -> None:
        """Drop the picked rows above the cursor as one block; Enter drops them below it."""
        self.drop_picked(after=False)

    @action(
        ">", "into", unless=(not_allowed, no_row, hidden_rows), show=16, group="Order",
        stages=True, takes="marked",
    )  # fmt: skip
    def move_into(self) -> None:
        """Move the row, or the picked ones, into the group or collection above."""
        picked = self.picked()
        box = self._box_above(picked[0])
        if box is None:
            self.no_box(picked)
        elif self.stage(lambda it: it.shift(picked, box)):
            self.rows.tree_source.unfolded.add(box)
            self.show_arrangement(picked[0])

    def no_box(self, picked: Sequence[str]) -> None:
        """Say that nothing stands above that the picked rows could go into."""
        self.say(f"There is no {' or '.join(self.boxes)} above it here to move into.", "warn")

    def _box_above(self, row: str) -> str | None:
        now = self.arrangement.now
        rows = now.levels[now.level_of(row)] if row in now else ()
        above = rows[: rows.index(row)] if row in rows else ()
        return next((each for each in reversed(above) if now.items[each].kind in self.boxes), None)

    @action(
        "<", "out", unless=(not_allowed, no_row, hidden_rows), show=15, group="Order",
        stages=True, takes="marked",
    )  # fmt: skip
    def move_out(self) -> None:
        """Move the row, or the picked ones, out of the group or collection that they are in."""
        picked = self.picked()
        self.stage(lambda it: it.out(picked))

    @command("move", "POSITION", stages=True)
    def move_to(self, rest: str) -> None:
        """Move the row to a position of its level: ``:move 3``."""
        row = self.row
        why = not_allowed(self) or no_row(self) or hidden_rows(self)
        if why is not None or row is None:
            self.say(why or "", "warn")
        elif not (rest.isascii() and rest.isdecimal()):
            wrong = f"“{shorten(clean(rest), 24)}” is no position. " if rest else ""
            self.say(f"{wrong}:move N makes the row the Nth of its level, as in :move 3.", "warn")
        else:
            self.stage(lambda it: it.put(row.id, int(rest)))

    @command(
        "sort", "title|path|reverse", complete=lambda here: [*here.sorts, "reverse"], stages=True
    )
    def sort_level(self, rest: str) -> None:
        """Sort the level of the row: ``:sort title``, ``:sort path reverse``, ``:sort reverse``."""
        row, words = self.row, rest.split()
        by = [word for word in words if word in self.sorts]
        why = not_allowed(self) or no_row(self) or hidden_rows(self)
        if why is not None or row is None:
            self.say(why or "", "warn")
        elif not words or len(by) > 1 or set(words) - {*self.sorts, "reverse"}:
            ways = ", ".join(f":sort {word}" for word in (*self.sorts, "reverse"))
            self.say(f"Say by what: {ways}", "warn")
        else:
            key, reverse = self.sort_key(by[0] if by else "", row.level), "reverse" in words
            before = self.arrangement
            fits = self.stage(lambda it: it.sort(row.level, key, reverse=reverse))
            if fits and self.arrangement is before:
                self.say("It is in that order already.")

    def sort_key(self, by: str, level: str) -> Callable[[Item], Any]:
        """Return what a level is sorted by; "" keeps its order."""
        if not by:
            at = {row: place for place, row in enumerate(self.arrangement.now.levels[level])}
            return lambda item: at[item.id]
        return lambda item: fold(item.title if by == "title" else str(item.values.get(by) or ""))

    # Taking steps back

    @property
    def step_is_newest(self) -> bool:
        """Whether a staged step is what ``u`` takes back: it came after all that was sent."""
        line = self.session.undoable()
        newer = line is not None and line.number > self._staged_after
        return bool(self.arrangement.past) and not newer and not self.session.waits

    def status_right(self) -> str:
        """What ``u`` takes back of what was sent; nothing while that is a staged step."""
        return "" if self.step_is_newest else super().status_right()

    def _called(self, row: str) -> str:
        """Return what a row is called."""
        for layout in (self.arrangement.now, self.arrangement.base):
            if row in layout.items:
                return layout.items[row].title
        return "another"

    @action("u", "undo", unless=nothing_to_take_back, show=12, group="Order", override=True)
    async def undo(self) -> None:
        """Take back the last staged step; what was sent since it after showing that and asking."""
        if self.step_is_newest:
            self.staged(self.arrangement.undo())
            return
        from copydesk.tui.system.undo import undo

        undone = len(self.session.log)
        await undo(self, asking=self._called)
        self._write_undone = self._write_undone or len(self.session.log) > undone

    @action(
        "ctrl+r", "redo", unless=nothing_to_redo, show=11, group="Order", also=("Z",), override=True
    )
    async def redo(self) -> None:
        """Stage again what was undone last; a write that was taken back since after asking."""
        if self.arrangement.future and not (self._write_undone and self.session.redoable()):
            self.staged(self.arrangement.redo())
            return
        from copydesk.tui.system.undo import redo

        await redo(self, asking=self._called)

    @action("X", "drop staged", unless=nothing_staged, danger=2, show=13, group="Order")
    async def drop_staged(self) -> None:
        """Drop all that is staged. It asks, and ``u`` brings it back."""
        from copydesk.tui.dialogs.dialog import Confirm

        self.session.asks()
        facts = [
            *(call.line for call in self.requests()),
            "",
            *await self.draft.overtaken_facts(),
            "The order becomes what it is without that. u brings it back.",
        ]
        if await self.desk.push_screen_wait(Confirm("Drop what is staged?", facts, verb="drop")):
            self.staged(self.arrangement.drop())
            self.tell("Dropped. u brings it back.")

    @action("=", "compare", show=14, group="Look")
    def compare(self) -> None:
        """Show the staged order, the current one, or only what something is staged of."""
        if not self.known:
            self.say(self.not_read, "warn")
            return
        if self.showing == "now" and not self.arrangement.dirty:
            self.say("Nothing is staged: this is the current order.")
            return
        order = list(VIEWS)
        self.showing = order[(order.index(self.showing) + 1) % len(order)]
        self.show_arrangement()
        self.say(f"On screen: {VIEWS[self.showing]}.")

    # Sending

    @action(
        "ctrl+s", "send", unless=(not_allowed, nothing_staged), danger=2, show=38, group="Order",
        stages=True, takes="none",
    )  # fmt: skip
    async def apply(self) -> None:
        """Send what is staged, after reading again how it is now. It shows the plan first."""
        await self.sender.send_staged()

    @command("w", stages=True, takes="none")
    async def write(self, rest: str) -> None:
        """Send what is staged, as ctrl+s does."""
        why = not_allowed(self) or nothing_staged(self)
        if why is not None:
            self.say(why, "warn")
        else:
            await self.apply()

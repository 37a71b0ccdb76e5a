"""Putting things in another order and changing them: staged here, shown as a plan, then sent.

`ArrangingPlace` is the base of the two screens with an order to change: the structure of a site,
and the tree of collections and spaces. `ArrangeCommands` are its keys, a `StagedDraft` holds the
staged changes, a `Sender` plans and sends them. The two screens say what they read, and how.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

from textual import events

from copydesk.domain.filter import fold
from copydesk.domain.layout import Item, Layout
from copydesk.domain.own_command import Thing
from copydesk.domain.reversal import NEW
from copydesk.domain.text import clean, ordinal, plural, shorten
from copydesk.present.facts import hint
from copydesk.session.errors import with_key
from copydesk.session.target import Target
from copydesk.tui.arrange.cells import (
    VIEWS,
    ArrangedRow,
    ArrangedTree,
    PlanPane,
    ShownOrder,
    WrittenPane,
)
from copydesk.tui.arrange.draft import Sender, StagedDraft
from copydesk.tui.dialogs.dialog import Confirm, Fact
from copydesk.tui.framework.actions import Commands, NoRowYet, NotYet, action, command
from copydesk.tui.framework.commands import DetailsCommands, nothing_to_undo
from copydesk.tui.framework.commands import nothing_to_redo as no_write_to_redo
from copydesk.tui.framework.place import Place
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.arrange_run import ArrangeRun
    from copydesk.domain.arrangement import Arrangement

SORTS = ("title", "path")
"""What ``:sort`` sorts by."""

READING = "structure"
"""The name of the first read."""


class ArrangedRead(Protocol):
    """An order as it was read."""

    @property
    def layout(self) -> Layout:
        """Its rows as they are published."""

    @property
    def refused(self) -> str:
        """Why the reader may not change it; empty when they may."""


R = TypeVar("R", bound=ArrangedRead)


def not_allowed(here: ArrangingPlace[Any]) -> str | None:
    """Say why the reader may not change anything here."""
    if not here.known:
        return NotYet(here.not_read)
    return here.refused or None


def no_row(here: ArrangingPlace[Any]) -> str | None:
    """Say so when the cursor is on no row."""
    why = "No row selected."
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
    if here.order.showing != "now":
        return f"On screen: {VIEWS[here.order.showing]}. = goes back to the staged order."
    return None


def nothing_to_order(here: ArrangingPlace[Any]) -> str | None:
    """Say so where there is nothing that could change places."""
    if not any(len(rows) > 1 for rows in here.draft.arrangement.now.levels.values()):
        return "Nothing to order."
    return None


def nothing_picked(here: ArrangingPlace[Any]) -> str | None:
    """Say so when no row is picked."""
    return None if here.rows.marks else "Nothing is picked. Space picks a row up."


def nothing_staged(here: ArrangingPlace[Any]) -> str | None:
    """Say so when nothing is staged."""
    return None if here.draft.arrangement.dirty else "Nothing is staged. J and K move a row."


def nothing_to_take_back(here: ArrangingPlace[Any]) -> str | None:
    """Say so when there is neither a staged step nor a write to take back."""
    return None if here.draft.step_is_newest else nothing_to_undo(here)


def nothing_to_redo(here: ArrangingPlace[Any]) -> str | None:
    """Say so when neither a staged step nor a write was taken back."""
    return None if here.draft.arrangement.future else no_write_to_redo(here)


def why_not(here: Any, *guards: Callable[[Any], str | None]) -> str | None:
    """Return what the first of some guards says that says anything."""
    return next((why for guard in guards if (why := guard(here)) is not None), None)


def handed_over(
    here: ArrangingPlace[Any], fields: Callable[[Item], Mapping[str, str]] = lambda item: {}
) -> list[Thing]:
    """Return the chosen rows as one's own commands know them; one only staged has no id."""
    items = here.draft.arrangement.now.items
    return [
        Thing(
            item.kind.replace("-", " "),
            {
                "id": "" if item.id.startswith(NEW) else item.id,
                "title": item.title,
                "url": "",
                **fields(item),
            },
        )
        for item in (items[row] for row in here.rows.picked() if row in items)
    ]


class ArrangeCommands(Commands, scope="arranging"):
    """Moving rows, taking steps back, looking at the staged changes, and sending them."""

    place: ArrangingPlace[Any]

    def things(self) -> Sequence[Thing]:
        return handed_over(self.place)

    @action(
        "J", "move down", unless=(not_allowed, no_row, nothing_to_order, hidden_rows),
        show=40, group="Order", also=("alt+down",), stages=True, takes="marked",
    )  # fmt: skip
    def order_down(self) -> None:
        """Move the row, or the picked ones as one block, down in its level. Nothing is sent."""
        self.place.draft.stage(lambda it: it.move(self.place.rows.picked(), 1))

    @action(
        "K", "move up", unless=(not_allowed, no_row, nothing_to_order, hidden_rows),
        show=39, group="Order", also=("alt+up",), stages=True, takes="marked",
    )  # fmt: skip
    def order_up(self) -> None:
        """Move the row, or the picked ones as one block, up in its level. Nothing is sent."""
        self.place.draft.stage(lambda it: it.move(self.place.rows.picked(), -1))

    def drop_picked(self, *, after: bool = True) -> None:
        """Put the picked rows below the cursor as one block, or above it."""
        here = self.place.row
        why = why_not(self.place, not_allowed, no_row, nothing_picked, hidden_rows)
        if why is not None or here is None:
            self.place.say(why or "", "warn")
            return
        picked = self.place.rows.marked()
        if self.place.draft.stage(lambda it: it.place(picked, here.id, after=after)):
            self.place.rows.set_marks(())
            self.place.rows.select(picked[0])

    @action(
        "O", "put above", unless=(not_allowed, no_row, nothing_picked, hidden_rows),
        show=False, group="Order", stages=True, takes="marked",
    )  # fmt: skip
    def put_above(self) -> None:
        """Put the picked rows above the cursor as one block; Enter puts them below it."""
        self.drop_picked(after=False)

    @action(
        ">", "into", word="into", unless=(not_allowed, no_row, hidden_rows), show=16, group="Order",
        stages=True, takes="marked",
    )  # fmt: skip
    def move_into(self) -> None:
        """Move the row, or the picked ones, into the group or collection above."""
        picked = self.place.rows.picked()
        box = self._box_above(picked[0])
        if box is None:
            self.place.no_box(picked)
        elif self.place.draft.stage(lambda it: it.shift(picked, box)):
            self.place.rows.tree_source.unfolded.add(box)
            self.place.show_arrangement(picked[0])

    def _box_above(self, row: str) -> str | None:
        now = self.place.draft.arrangement.now
        rows = now.levels[now.level_of(row)] if row in now else ()
        above = rows[: rows.index(row)] if row in rows else ()
        boxes = self.place.boxes
        return next((each for each in reversed(above) if now.items[each].kind in boxes), None)

    @action(
        "<", "out", word="out", unless=(not_allowed, no_row, hidden_rows), show=15, group="Order",
        stages=True, takes="marked",
    )  # fmt: skip
    def move_out(self) -> None:
        """Move the row, or the picked ones, out of the group or collection that they are in."""
        picked = self.place.rows.picked()
        self.place.draft.stage(lambda it: it.out(picked))

    @command("move", "POSITION", stages=True)
    def move_to(self, rest: str) -> None:
        """Move the row to a position of its level: ``:move 3``."""
        row = self.place.row
        why = why_not(self.place, not_allowed, no_row, hidden_rows)
        if why is not None or row is None:
            self.place.say(why or "", "warn")
        elif not (rest.isascii() and rest.isdecimal()):
            said = f"“{shorten(clean(rest), 24)}” is not a position. " if rest else ""
            said += ":move N makes the row the Nth of its level, as in :move 3."
            self.place.say(said, "warn")
        else:
            self.place.draft.stage(lambda it: it.put(row.id, ordinal(rest)))

    @command(
        "sort", "title|path|reverse", complete=lambda here: [*here.sorts, "reverse"], stages=True
    )
    def sort_level(self, rest: str) -> None:
        """Sort the level of the row: ``:sort title``, ``:sort path reverse``, ``:sort reverse``."""
        row, words = self.place.row, rest.split()
        by = [word for word in words if word in self.place.sorts]
        why = why_not(self.place, not_allowed, no_row, hidden_rows)
        if why is not None or row is None:
            self.place.say(why or "", "warn")
        elif not words or len(by) > 1 or set(words) - {*self.place.sorts, "reverse"}:
            ways = ", ".join(f":sort {word}" for word in (*self.place.sorts, "reverse"))
            self.place.say(f"Sort by what? {ways}", "warn")
        else:
            draft, before = self.place.draft, self.place.draft.arrangement
            key, reverse = self._sort_key(by[0] if by else "", row.level), "reverse" in words
            fits = draft.stage(lambda it: it.sort(row.level, key, reverse=reverse))
            if fits and draft.arrangement is before:
                self.place.say("The rows are in that order already.")

    def _sort_key(self, by: str, level: str) -> Callable[[Item], Any]:
        """Return what a level is sorted by; "" keeps its order."""
        if not by:
            order = self.place.draft.arrangement.now.levels[level]
            at = {row: place for place, row in enumerate(order)}
            return lambda item: at[item.id]
        return lambda item: fold(item.title if by == "title" else str(item.values.get(by) or ""))

    # Taking steps back

    @action("u", "undo", unless=nothing_to_take_back, show=12, group="Order", override=True)
    async def undo(self) -> None:
        """Undo the last staged step; a write sent after it is shown and asked about first."""
        draft, before = self.place.draft, len(self.place.session.log)
        if draft.step_is_newest:
            draft.staged(draft.arrangement.undo())
            return
        from copydesk.tui.system.undo import undo

        await undo(self.place, asking=draft.title_of)
        draft.writes_undone(before)

    @action("ctrl+r", "redo", unless=nothing_to_redo, show=11, group="Order", also=("Z",),
            override=True)  # fmt: skip
    async def redo(self) -> None:
        """Redo the step undone last; a write undone after it is asked about first."""
        draft = self.place.draft
        if draft.step_is_undone:
            draft.staged(draft.arrangement.redo())
            return
        from copydesk.tui.system.undo import redo

        await redo(self.place, asking=draft.title_of)

    @action("X", "discard staged", unless=nothing_staged, danger=2, show=13, group="Order")
    async def discard_staged(self) -> None:
        """Discard all that is staged. It asks, and ``u`` brings it back."""
        draft = self.place.draft
        self.place.session.asks()
        facts: list[Fact] = [
            *(call.line for call in draft.requests()),
            "",
            *await draft.overtaken_facts(),
            hint("The order becomes what it is without that. u brings it back.", ""),
        ]
        sheet = Confirm("Discard what is staged?", facts, verb="discard")
        if await self.place.desk.push_screen_wait(sheet):
            draft.staged(draft.arrangement.drop())
            self.place.tell("Discarded. u brings it back.")

    @action("=", "compare", show=14, group="Look")
    def compare(self) -> None:
        """Show the staged order, the current one, or only what something is staged of."""
        here, shown = self.place, self.place.order
        if not here.known:
            here.say(here.not_read, "warn")
            return
        if shown.showing == "now" and not here.draft.arrangement.dirty:
            here.say("Nothing is staged: this is the current order.")
            return
        order = list(VIEWS)
        shown.showing = order[(order.index(shown.showing) + 1) % len(order)]
        here.show_arrangement()
        here.say(f"On screen: {VIEWS[shown.showing]}.")

    # Sending

    @action(
        "ctrl+s", "send", unless=(not_allowed, nothing_staged), danger=2, show=38, group="Order",
        word="send", stages=True, takes="none",
    )  # fmt: skip
    async def apply(self) -> None:
        """Send the staged changes after reading the structure again. It shows the plan first."""
        await self.place.send()

    @command("w", stages=True, takes="none")
    async def write(self, rest: str) -> None:
        """Send the staged changes, as ctrl+s does."""
        why = why_not(self.place, not_allowed, nothing_staged)
        if why is not None:
            self.place.say(why, "warn")
        else:
            await self.place.send()


class ArrangingPlace(Place, Generic[R]):
    """A place with an order to change, which it reads as ``R``."""

    COMMAND_CLASSES: ClassVar[Sequence[type[Commands]]] = (ArrangeCommands, DetailsCommands)

    what_it_is = "The structure"
    """The thing with an order, as the beginning of a sentence."""
    boxes: Collection[str] = ("group",)
    """The kinds of rows that ``>`` puts others into."""
    sorts: Sequence[str] = SORTS
    counted = "call"
    """What each line of the plan is."""

    WHICH = ""
    """Shown where it is not known what to read."""

    EXACT = False
    """Whether requests change nothing else: other differences afterwards are by others."""

    rows: ArrangedTree
    facts: Facts
    plan: PlanPane
    written: WrittenPane

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.read: R | None = None
        self.known = False
        """Whether the order has been read."""
        self.refused = ""
        """Why the reader may not change it; empty when they may, or nobody knows."""
        self.order = ShownOrder()
        self.draft = StagedDraft(self)
        self.sender = Sender(self)

    # What a place says

    @property
    @abstractmethod
    def draft_key(self) -> str:
        """The key of the draft."""

    @property
    @abstractmethod
    def about(self) -> str:
        """The title of the site or organization."""

    @property
    @abstractmethod
    def run_target(self) -> str:
        """The id of the site or organization."""

    @property
    def live(self) -> str:
        """What to know before anything is sent."""
        return "Readers see it at once; there is no draft of it on the service."

    @property
    @abstractmethod
    def after_plan(self) -> Sequence[str]:
        """What to know below the requests of the plan."""

    @property
    def beyond(self) -> str:
        """Why the row under the cursor has no order; empty when it has."""
        return ""

    def further_rows(self) -> Sequence[ArrangedRow]:
        """Return rows below the others that have no order."""
        return ()

    @abstractmethod
    def fresh(self, layout: Layout) -> Arrangement:
        """Return an arrangement of a published order without staged changes."""

    def modern(self, text: str, layout: Layout) -> str | None:
        """Return a draft of an earlier version in today's format; None where it is none."""
        return None

    def allowed(self, arrangement: Arrangement) -> Arrangement:
        """Return it, unless the reader's roles do not reach. Raises `StagingError`."""
        return arrangement

    @abstractmethod
    async def read_all(self, api: Api) -> R | None:
        """Read the order; None when its subject is not known. May raise."""

    @abstractmethod
    async def read_layout(self, api: Api) -> Layout:
        """Read the published order again, with all that comes with it. May raise."""

    @property
    @abstractmethod
    def no_rows(self) -> str:
        """Shown where there are no rows."""

    def begun(self, found: R) -> None:
        """Prepare the tree for the first order that was read."""

    @abstractmethod
    def show_details(self) -> None:
        """Show the details of the row under the cursor."""

    @abstractmethod
    def open_row(self, row: ArrangedRow) -> None:
        """Go where a row without rows below it leads."""

    def no_box(self, picked: Sequence[str]) -> None:
        """Say that nothing stands above that the picked rows could go into."""
        self.say(f"There is no {' or '.join(self.boxes)} above it here to move into.", "warn")

    async def send(self) -> None:
        """Send the staged changes, after the plan was shown."""
        await self.sender.send_staged()

    def standing(self) -> Iterable[str]:
        """Yield for the breadcrumb whether it may be changed, or how much is staged."""
        if self.refused:
            yield "read-only"
        elif self.draft.calls:
            yield f"{len(self.draft.calls)} staged"

    # Reading

    def reload(self) -> None:
        self.reads.load(
            READING, self.sender.read_first, self.arrived,
            what=f"Reading {self.what_it_is.lower()}", failed=self._unread,
        )  # fmt: skip

    def _unread(self, text: str) -> None:
        if self.read is None:
            self.rows.say_instead(with_key(text))

    def arrived(self, read: tuple[R, ArrangeRun | None] | None) -> None:
        """Show the order, with the run that an earlier start left."""
        if read is None:
            self.rows.say_instead(self.WHICH)
            return
        found, unfinished = read
        first = not self.known
        self.read, self.refused = found, found.refused
        self.rows.empty = self.no_rows
        self.sender.arrived(found.layout, unfinished)
        if first:
            self.unsay(self.not_read)
            self.begun(found)
        self.written.look_back(self.session)
        self.show_arrangement()
        self.resume_draft(self.resuming)

    def poll(self) -> None:
        """Read again quietly. What others changed waits for R: nothing moves by itself."""
        if self.known:
            self.sender.polls()
            self.reads.load("poll", self.read_all, self._polled, what="Reading again")
        else:
            super().poll()

    def _polled(self, found: R | None) -> None:
        if found is None or self.read is None:
            return
        if self.sender.look_again(found.layout):
            self.read, self.refused = found, found.refused
        self.show_arrangement()

    @property
    def not_read(self) -> str:
        """Why nothing can be done yet."""
        return f"{self.what_it_is} has not been read yet."

    def resume_draft(self, part: str) -> None:
        self.resuming = part if not self.known else ""
        if self.known and part and self.rows.reveal(part):
            self.do_soon("edit")

    # Keeping

    def keeps(self) -> bool:
        """Keep the staged changes in the place's own store; False where they are a draft."""
        return False

    def keep_typed(self) -> None:
        """Save the draft, because everything may end now."""
        self.draft.keep_now()

    def on_screen_suspend(self) -> None:
        """Save the draft before another place is in front, and say there that it is kept."""
        self.draft.leave()

    def on_unmount(self) -> None:
        self.draft.keep_now()

    # What is on screen

    @property
    def row(self) -> ArrangedRow | None:
        """The row under the cursor."""
        return self.rows.selected_item

    def show_arrangement(self, cursor: str | None = None) -> None:
        """Show the arrangement; the cursor stays on its row."""
        if self.known:
            self.order.show(self.rows, self.draft.arrangement, self.further_rows(), cursor)
            self.draft.plan()
            self.draw()

    def draw(self) -> None:
        """Show the plan, the details and the latest writes beside the rows."""
        calls, showing = self.draft.calls, self.order.showing
        notes = [VIEWS[showing]] * bool(self.draft.arrangement.dirty or showing != "now")
        notes += ["changed by others: R shows it"] * self.sender.behind
        self.rows.note = "   ".join(notes)
        self.rows.retitle()
        self.plan.show_plan(calls, self.after_plan, read_only=self.session.read_only)
        # A narrow drawer has room for one: the plan matters more than a row's details.
        self.facts.set_class(bool(calls), "drawer-hidden")
        if self.has_class("-wide"):
            self.written.show_written(self.session, self.run_target)
        self.show_details()
        self.refresh_frame()

    def status_left(self) -> str:
        if self.refused:
            return self.refused
        if self.rows.marks:
            picked = self.rows.count_marks()
            return f"{picked}: J K move them as one block, enter puts them here"
        if calls := self.draft.calls:
            count = plural(len(calls), self.counted)
            if self.sender.asked:
                return f"{count} in the plan"
            them = "it" if len(calls) == 1 else "them"
            return f"{count} staged, nothing sent: ctrl+s sends {them}"
        return super().status_left() or (VIEWS["base"] if self.known else "")

    def status_right(self) -> str:
        """Nothing while ``u`` takes back a staged step."""
        return "" if self.draft.step_is_newest else super().status_right()

    def on_resize(self, event: events.Resize) -> None:
        if self.known:
            self.call_after_refresh(self.draw)

    def on_virtual_list_marks_changed(self, event: VirtualList.MarksChanged) -> None:
        self.refresh_frame()

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        row = self.row
        if row is None:
            return
        if self.rows.marks:
            self.commands_of(ArrangeCommands).drop_picked()
        elif row.children:
            self.rows.toggle()
        else:
            self.open_row(row)

"""What is staged on an order, as rows, cells and sentences: of a site, and of a tree of spaces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import datetime
from functools import partial
from itertools import starmap, zip_longest
from typing import TYPE_CHECKING, Any, Literal

from rich.console import Console
from rich.text import Text

from copydesk.domain.arrangement import State
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.layout import TOP, WORDS, Item, Layout, said
from copydesk.domain.moments import moment
from copydesk.domain.text import clean, plural
from copydesk.present.facts import Fact, hint
from copydesk.session.glyphs import glyphs
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.place import place_of
from copydesk.tui.framework.source import TreeSource, Twig
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList, nothing_to_mark
from copydesk.tui.widgets.tree_list import TreeList

if TYPE_CHECKING:
    from copydesk.domain.arrangement import Arrangement, Clash, Rebased
    from copydesk.domain.reversal import Call, Step
    from copydesk.local.journal import Entry
    from copydesk.session.session import Session
    from copydesk.session.writes.undo import PastWrite

GAP = 3
"""Cells between what stands beside each other."""

DOTS = 3
"""So many dots stand before a number at most."""

PLAN_LINES = 200
"""So many requests of a plan are listed beside the tree; all are in the sheet that sends them."""


@dataclass(frozen=True, slots=True, eq=False)
class ArrangedRow:
    """One row of a tree that is being arranged, with the rows below it."""

    item: Item
    level: str
    children: tuple[ArrangedRow, ...] = ()

    @property
    def id(self) -> str:
        """The id of its item."""
        return self.item.id

    @property
    def kind(self) -> str:
        """What it shows: "section", "space" …"""
        return self.item.kind

    @property
    def title(self) -> str:
        """Its title, clean."""
        return self.item.title


EMPTY = Layout({}, {TOP: ()})


@dataclass(frozen=True)
class ShownLayout:
    """What is on screen of an arrangement: ``now`` and ``was`` number rows in their level, from 1.

    ``layout`` has removed rows where they stood; ``states`` has the staged changes of rows.
    """

    layout: Layout
    now: Mapping[str, int] = field(default_factory=dict)
    was: Mapping[str, int] = field(default_factory=dict)
    states: Mapping[str, State] = field(default_factory=dict)
    base: Layout = EMPTY
    numbered: Layout = EMPTY
    """What ``now`` numbers."""
    published: bool = False
    """Whether the published order is on screen, and not the staged one."""

    def state(self, row: ArrangedRow) -> State:
        """Return the staged changes of a row."""
        return self.states.get(row.id, UNTOUCHED)


UNTOUCHED = State()

NOTHING = ShownLayout(EMPTY)
"""Shown before anything was read."""


def shown_of(arrangement: Arrangement, before: ShownLayout = NOTHING) -> ShownLayout:
    """Return the rows shown of an arrangement; unchanged parts of ``before`` are used again."""
    now, base = arrangement.now, arrangement.base
    return ShownLayout(
        arrangement.shown,
        _numbers(now, before.numbered, before.now),
        before.was if before.base is base else _numbers(base, NOTHING.numbered, {}),
        arrangement.states,
        base,
        now,
    )


def _numbers(layout: Layout, before: Layout, numbered: Mapping[str, int]) -> Mapping[str, int]:
    """Return the place of every row in its level, from 1; ``numbered`` are those of ``before``."""
    if layout.levels is before.levels:
        return numbered
    # What is gone keeps its number, which nobody asks for.
    found = dict(numbered)
    was = before.levels
    for level, rows in layout.levels.items():
        if was.get(level) is not rows:
            found.update((row, at) for at, row in enumerate(rows, start=1))
    return found


def only_staged(shown: ShownLayout) -> Layout:
    """Return only the rows with staged changes, and the rows above them."""
    layout = shown.layout
    kept: set[str] = set()
    for row in shown.states:
        at = row
        while at in layout.items and at not in kept:
            kept.add(at)
            at = layout.level_of(at)
    return Layout(
        {row: layout.items[row] for row in kept},
        {
            level: tuple(row for row in rows if row in kept)
            for level, rows in layout.levels.items()
            if level == TOP or level in kept
        },
    )


class Rows:
    """Builds the rows of layouts; a row that moves must not build thousands of others anew."""

    def __init__(self) -> None:
        self._layout = EMPTY
        self._rows: dict[str, ArrangedRow] = {}
        self._levels: dict[str, tuple[ArrangedRow, ...]] = {TOP: ()}

    def of(self, layout: Layout) -> tuple[ArrangedRow, ...]:
        """Return the rows of a layout as a tree."""
        before, levels = self._layout, layout.levels
        if layout.items is before.items and levels.keys() == before.levels.keys():
            other = [level for level, rows in levels.items() if before.levels[level] is not rows]
        else:
            other = [TOP]
            for level in other:  # grows while it is gone through: what is in each, after it
                other.extend(row for row in levels.get(level, ()) if row in levels)
                if len(other) > len(levels):
                    break  # a service that says that something is in itself
        self._layout = layout
        if other == [TOP] and layout.items is before.items and layout.items:
            self._levels[TOP] = tuple(map(self._rows.__getitem__, levels[TOP]))
        else:
            self._build(layout, other)
        return self._levels[TOP]

    def _build(self, layout: Layout, other: list[str]) -> None:
        """Build the rows of some levels, the innermost last, and of their ancestors."""
        inner = dict.fromkeys(other)
        for level in other:
            above = level
            while above in layout.items and (above := layout.level_of(above)) not in inner:
                inner[above] = None
        depths = {level: _depth(layout, level) for level in inner}
        for level in sorted(inner, key=depths.__getitem__, reverse=True):
            self._levels[level] = tuple(
                self._row(layout, row, level) for row in layout.levels.get(level, ())
            )

    def _row(self, layout: Layout, row: str, level: str) -> ArrangedRow:
        item = layout.items[row]
        children = self._levels.get(row, ()) if row in layout.levels else ()
        old = self._rows.get(row)
        if (
            old is None
            or old.item is not item
            or old.level != level
            or (old.children is not children and not _same(old.children, children))
        ):
            old = self._rows[row] = ArrangedRow(item, level, children)
        return old


def _same(one: Sequence[ArrangedRow], other: Sequence[ArrangedRow]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def _depth(layout: Layout, level: str) -> int:
    """Return how deep a level is; any number for one that is in itself."""
    depth = 0
    while level in layout.items and depth <= len(layout.items):
        level, depth = layout.level_of(level), depth + 1
    return depth


# Cells


def now_cell(row: ArrangedRow, shown: ShownLayout) -> Text | str:
    """Return where a row stands: ``3`` at the top, ``.3`` below it; nowhere once removed."""
    if shown.published:
        return _number(row, shown.was, shown.base)
    return "" if shown.state(row).removed else _number(row, shown.now, shown.layout)


def was_cell(row: ArrangedRow, shown: ShownLayout) -> Text | str:
    """Return where a row stood in the published order; dim where that is the same."""
    if shown.state(row).new:
        return Text("new", style="accent")
    same = shown.now.get(row.id) == shown.was.get(row.id)
    layout = shown.base if row.id in shown.base else shown.layout
    return Text(_number(row, shown.was, layout), style="muted" if same else "moved")


def _number(row: ArrangedRow, numbers: Mapping[str, int], layout: Layout) -> str:
    """Return the number of a row in its level, behind a dot for each level that this is down."""
    at = numbers.get(row.id)
    if at is None:
        return ""
    level = layout.level_of(row.id) if row.id in layout else row.level
    return f"{'.' * min(_depth(layout, level), DOTS)}{at}"


def shift(row: ArrangedRow, shown: ShownLayout) -> Text | str:
    """Return how far a row that was moved has come: an arrow and a number, of one level."""
    if not shown.state(row).moved:
        return ""
    by = shown.now.get(row.id, 0) - shown.was.get(row.id, 0)
    signs = glyphs()
    if not by or (row.id in shown.base and shown.base.level_of(row.id) != row.level):
        return Text(signs.dot, style="moved")
    return Text(f"{signs.down if by > 0 else signs.up}{abs(by)}", style="moved")


def was_told(row: ArrangedRow, said: str, shown: ShownLayout) -> str:
    """Return where a row was in words, from its cell; nothing of one that was not moved."""
    return f"was {said.lstrip('.')}" if said and shown.state(row).moved else ""


def sign(row: ArrangedRow, shown: ShownLayout) -> str:
    """Return the sign of a staged row: new, to be removed, changed, moved."""
    state = shown.state(row)
    if state.removed:
        return "-"
    if state.new:
        return "+"
    if state.changed:
        return "~"
    return glyphs().shifted if state.moved else ""


def signs() -> list[tuple[str, str]]:
    """Return the signs that trees being arranged draw, and what they mean."""
    marks = glyphs()
    return [
        ("+", "to be added, not sent yet"),
        ("-", "to be removed, not sent yet"),
        ("~", "changed, not sent yet"),
        (marks.shifted, "moved, not sent yet"),
        (f"{marks.up}2 {marks.down}1", "how far it was moved"),
        (marks.marked, "picked: enter puts it below the cursor, O puts it above"),
    ]


def title(row: ArrangedRow, shown: ShownLayout, plain: Text | str) -> Text | str:
    """Return a title with its staged change: ``{+new+}``, ``[-removed-]``, another title.

    ``plain`` is how the place writes it where nothing is staged.
    """
    state = shown.state(row)
    if state.removed:
        return Text(f"[-{row.title}-]", style="removed")
    if state.new:
        return Text(f"{{+{row.title}+}}", style="added")
    if "title" in state.changed:
        return Text(row.title, style="changed")
    return plain


def cell(row: ArrangedRow, shown: ShownLayout, name: str, plain: Text | str) -> Text | str:
    """Return a cell, lit where the setting ``name`` that it shows is staged."""
    if name in shown.state(row).changed:
        return Text(plain if isinstance(plain, str) else plain.plain, style="changed")
    return plain


# The plan


def plan_title(calls: Sequence[Call]) -> str:
    """Return the title of the plan: how many requests it takes."""
    if not calls:
        return "Plan"
    return f"Plan   {plural(len(calls), 'call')}, the fewest for this"


LASTING = "cannot be undone"
"""What stands behind a request that nothing undoes."""


def plan_facts(
    calls: Sequence[Call], *, nothing: Sequence[str], after: Sequence[str]
) -> list[Fact]:
    """Return the plan, a line for each request; ``nothing`` is said where there is none."""
    if not calls:
        return [Fact("", hint(line)) for line in nothing]
    found = [Fact(str(at), _planned(call)) for at, call in enumerate(calls[:PLAN_LINES], start=1)]
    if len(calls) > PLAN_LINES:
        found.append(Fact("", Text(f"and {len(calls) - PLAN_LINES} more", style="muted")))
    notes = list(dict.fromkeys(call.note for call in calls if call.note))[:PLAN_LINES]
    found += [Fact("", Text(clean(note), style="warn")) for note in notes]
    return found + [Fact("", Text(line, style="muted")) for line in after]


def _planned(call: Call) -> Text:
    text = Text(call.line, style="bad" if call.lasting else "")
    return text.append(f"  {LASTING}", style="warn") if call.lasting else text


def kept_lines(calls: Iterable[Call]) -> list[str]:
    """Return the plan as the lines of a draft that people read."""
    return [f"- {call.line}" for call in calls]


# What others did


def others_lines(
    rebased: Rebased[Any], ours: Sequence[str], width: int, console: Console, *, beside: bool
) -> list[Text]:
    """Return theirs beside (or above) ours, what both changed, and what no longer fits."""
    theirs = [each.line for each in rebased.theirs] or ["nothing that is in the way"]
    mine = list(ours) or ["nothing: it is so already, or no longer fits"]
    lines: list[Text] = []
    heads = "THEIRS, by now on the service", "OURS, on top of it"
    if beside:
        lines += _columns(heads, (theirs, mine), width, console)
    else:
        for head, side in zip(heads, (theirs, mine), strict=True):
            lines += [Text(head, style="muted"), *_wrapped(side, width, console), Text()]
    if rebased.clashes:
        lines += [] if lines[-1:] == [Text()] else [Text()]
        lines.append(Text("BOTH CHANGED", style="warn"))
        for clash in rebased.clashes:
            lines += _wrapped([clash_line(clash)], width, console)
    if rebased.lost:
        lines += [Text(), Text("NO LONGER FITS", style="bad")]
        lines += _wrapped([f"{lost.line}: {lost.why}" for lost in rebased.lost], width, console)
    return lines


def clash_line(clash: Clash) -> str:
    """Return a clash in a line: the value before, theirs, and the one staged here."""
    word = WORDS.get(clash.field, clash.field)
    if clash.field == "place":
        was, theirs, ours = (said(value) for value in (clash.base, clash.theirs, clash.ours))
        return f"{clash.title}: was {was}; theirs {theirs}; ours {ours}"
    return (
        f"{clash.title}, {word}: was {said(clash.base)}; "
        f"theirs {said(clash.theirs)}; ours {said(clash.ours)}"
    )


def _wrapped(lines: Iterable[str], width: int, console: Console) -> list[Text]:
    found: list[Text] = []
    for line in lines:
        parts = Text(line).wrap(console, max(8, width - 2))
        for at, part in enumerate(parts):
            found.append(Text(f"{glyphs().bullet if not at else ' '} ").append_text(part))
    return found


def _columns(
    heads: tuple[str, str], sides: tuple[Sequence[str], Sequence[str]], width: int, console: Console
) -> list[Text]:
    column = (width - GAP) // 2
    left, right = (_wrapped(side, column, console) for side in sides)
    lines = [_beside(Text(heads[0], "muted"), Text(heads[1], "muted"), column)]
    none = Text()
    lines.extend(starmap(partial(_beside, column=column), zip_longest(left, right, fillvalue=none)))
    return lines


def _beside(left: Text, right: Text, column: int) -> Text:
    line = left.copy()
    line.append(" " * max(0, column - line.cell_len + GAP))
    return line.append_text(right)


# What was written from this machine


def written_facts(
    pasts: Iterable[PastWrite], now: datetime, lasting: Iterable[Entry] = ()
) -> list[Fact]:
    """Return what this machine changed here, newest first: a line an action.

    ``lasting`` are writes that cannot be taken back; those stand in the line of their action, and
    in one of their own where all of it is for good.
    """
    writes = [(past.entry, str(past.standing)) for past in pasts]
    writes += [(each, "done") for each in lasting]
    writes.sort(key=lambda write: write[0].at, reverse=True)  # else as they are
    actions: dict[str, list[tuple[Entry, str]]] = {}
    for write in writes:
        actions.setdefault(write[0].group or write[0].id, []).append(write)
    found: list[Fact] = []
    for (newest, standing), *others in actions.values():
        said = f"{clean(newest.what).lower()} {clean(newest.target)}"
        standings = {standing, *(other for _, other in others)}
        said += f" and {len(others)} more" if others else ""
        if standings != {"done"}:
            said += f"   {standing if len(standings) == 1 else 'in part'}"
        style = "muted" if "done" not in standings else ""
        found.append(Fact(moment(newest.moment, now), Text(said, style=style)))
    return found


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
    """Return the label of Enter by what it does now."""
    return "put here" if rows.marks else "open"


class ShownOrder:
    """What of an arrangement is on screen: the staged order, the current one, or the changes."""

    def __init__(self) -> None:
        self.shown: ShownLayout = NOTHING
        self.showing: Showing = "now"
        self._rows = Rows()

    def sign(self, row: ArrangedRow) -> str:
        """Return the sign of the staged change of a row."""
        return sign(row, self.shown)

    def show(
        self,
        tree: ArrangedTree,
        arrangement: Arrangement,
        further: Sequence[ArrangedRow],
        cursor: str | None = None,
    ) -> None:
        """Show an arrangement; the cursor stays on its row, or goes to ``cursor``.

        ``further`` are rows below it that have no order.
        """
        if not arrangement.dirty:
            self.showing = "now"  # which is what is published as well
        shown = shown_of(arrangement, self.shown)
        self.shown = replace(shown, published=self.showing == "base")
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


class ArrangedTree(TreeList[ArrangedRow], scope="arranged_tree"):
    """A `TreeList` of rows; marks are picks. ``Opened`` is posted for Enter, picks or not.

    ``pickable`` returns why a row cannot be picked, or None. A range and ``*`` stay within one
    level: rows of several levels cannot be dropped as one block.
    """

    DEEPEST = 6
    MARKED = "picked"

    def __init__(
        self,
        columns: Sequence[Column[ArrangedRow]],
        *,
        title: str,
        empty: str,
        order: ShownOrder,
        pickable: Callable[[ArrangedRow], str | None],
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

    def _pick(self, twigs: Iterable[Twig[ArrangedRow]]) -> None:
        self.set_marks(self.marks | {twig.id for twig in twigs if self.pickable(twig.item) is None})

    @action("ctrl+\\", "put back", unless=nothing_picked, show=False, group="Order",
            stages=True, takes="none")  # fmt: skip
    def clear_marks(self) -> None:
        """Pick nothing any more."""
        self._range_from = None
        self.set_marks(())

    @action("enter", "open", unless=nothing_here, show=30, group="Order", override=True,
            word="open", now=enter_label)  # fmt: skip
    def open_row(self) -> None:
        """Put the picked rows below the cursor as one block; with none, open or close the row."""
        self.post_message(VirtualList.Opened(self, self.selected_id, self.selected))


class PlanPane(Facts):
    """The requests that make the staged changes; ``nothing`` is shown while there are none."""

    KEEPS = 48

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
            title="Changes made from this machine", empty="None that can be undone.", id=id
        )
        self._is_of = is_of
        self._pasts: list[PastWrite] = []
        self._looked = -1, -1
        """How many writes the run had, and how many can be taken back, when they were found."""

    def look_back(self, session: Session) -> None:
        """Find the writes that can be taken back."""
        self._looked = self._counts(session)
        known = session.history.known.values()
        mine = [past for past in known if any(map(self._is_of, past.reversal.back))]
        mine.sort(key=lambda past: (past.entry.at, past.number), reverse=True)
        self._pasts = mine[:LOOKED_BACK]

    @staticmethod
    def _counts(session: Session) -> tuple[int, int]:
        # A write is in the log as it is begun, and can be taken back once it has arrived.
        return len(session.log), len(session.history.known)

    def newest(self, session: Session) -> int:
        """Return when the last of them was made, taken back or done again, as `PastWrite.when`."""
        if self._looked != self._counts(session):
            self.look_back(session)
        return max((past.when for past in self._pasts), default=0)

    def show_written(self, session: Session, target: str) -> None:
        """Show them; ``target`` is the id of the site or organization."""
        if self._looked != self._counts(session):
            self.look_back(session)
        lasting = session.history.lasting_in(target)
        self.show(written_facts(self._pasts, session.clock(), lasting)[:WRITTEN])


def _source() -> TreeSource[ArrangedRow]:
    return TreeSource(
        key=lambda row: row.id,
        children=lambda row: row.children,
        values=True,
    )


def value(row: ArrangedRow, name: str) -> str:
    """Return a setting of a row as text, clean."""
    return clean(str(row.item.values.get(name) or ""))

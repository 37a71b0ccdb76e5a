"""The merge run: several change requests merged in a chosen order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual import events
from textual.app import ComposeResult

from copydesk.domain.merge_run import MergeRun, RunItem
from copydesk.domain.text import listed, plural
from copydesk.present.facts import Fact
from copydesk.session.glyphs import glyphs
from copydesk.session.target import Target
from copydesk.tui.framework.commands import DetailsCommands
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place, View
from copydesk.tui.framework.sources import ListSource
from copydesk.tui.framework.styles import style_path
from copydesk.tui.merge import run_cells as present
from copydesk.tui.merge.run_commands import MergeRunCommands
from copydesk.tui.widgets.columns import by_content
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.session.runs.merge import MergeRunner

EMPTY = (
    "No merge run is planned. gc lists change requests: Space marks them there, then m plans it."
)

WHAT_CELLS, WIDE_WHAT_CELLS = 22, 34
"""How wide the remark on a request gets, and where the list is at least `WIDE` cells wide: subjects
are what one orders by."""

WIDE = 132
"""The width of a terminal that shows the details beside the list (`Place`)."""

NO_FORMER = "No merge run has ended yet. What came of each is kept here."


@dataclass(frozen=True, slots=True)
class Row:
    """A request of the run, or a run that has ended."""

    id: str
    number: int
    run: MergeRun
    item: RunItem | None = None


@place("merge-run", key="m", title="Merge run")
class MergeRunPlace(Place, scope="merge_run_place"):
    """The merge run that is planned or goes on, and the ones that have ended."""

    COMMAND_CLASSES = (MergeRunCommands, DetailsCommands)
    CSS_PATH = style_path("merge_run")

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._former: Sequence[MergeRun] = ()
        self._shown = -1
        self._stopped_at = ""
        """The request that it stopped at, as far as that was shown."""
        self._stop: Callable[[], None] = lambda: None
        if self.view not in ("run", "former"):
            self.view = "run"

    # What there is

    @property
    def runner(self) -> MergeRunner:
        """What goes through the run."""
        return self.desk.merging

    @property
    def run(self) -> MergeRun | None:
        """The run that is shown; None in the list of former ones."""
        return self.runner.run if self.view == "run" else None

    @property
    def selected(self) -> RunItem | None:
        """The request under the cursor, as it is now."""
        row = self.rows.selected
        run = self.run
        return None if row is None or row.item is None or run is None else run.item(row.id)

    def panes(self) -> ComposeResult:
        """The requests in their order, and what there is to know of the one under the cursor."""
        self.rows: VirtualList[Row] = VirtualList(
            ListSource(key=lambda row: row.id),
            self._columns(),
            title="Merge run",
            empty=EMPTY,
            dim=lambda row: row.item is not None and row.item.state in ("removed", "skipped"),
            id="merge-run",
        )
        self.facts = Facts(title="Details", empty="No change request is selected.", id="run-facts")
        yield Part("main", self.rows)
        yield Part("side", self.facts)

    def _columns(self) -> list[Column[Row]]:
        if self.view == "former":
            return [
                Column("when", "WHEN", lambda row: present.when(row.run), 16),
                Column("what", "WHAT CAME OF IT", lambda row: present.summary(row.run), flex=1),
                Column(
                    "first", "REQUESTS",
                    lambda row: listed([item.label for item in row.run.listed]), flex=1, drop=1,
                ),
            ]  # fmt: skip
        run = self.run
        items = () if run is None else run.items
        rows = [] if run is None else [Row(item.key, 0, run, item) for item in items]
        spaces = {item.space for item in items}
        wide = self.app.size.width >= WIDE
        columns: list[Column[Row]] = [
            Column("at", "", lambda row: Text(str(row.number or ""), style="muted"), 2,
                   align="right"),
            Column("number", "#", lambda row: _item(row).label.removeprefix("#"), 4),
            Column("subject", "SUBJECT", lambda row: _item(row).subject, flex=1, minimum=18),
            Column(
                "space", "SPACE", lambda row: _item(row).space_title, 9, drop=2,
                most=16 if wide else 9,
            ),
            by_content(
                Column("state", "STATE", lambda row: present.state_text(_item(row)), 7), rows, 14
            ),
            by_content(Column("what", "", self._what, 8, drop=1), rows, WHAT_CELLS),
        ]  # fmt: skip
        if wide:
            columns[-1] = by_content(replace(columns[-1], width=8), rows, WIDE_WHAT_CELLS)
        # Of one space all have the same: its name is in the details.
        return [column for column in columns if column.key != "space" or len(spaces) > 1]

    def _what(self, row: Row) -> Text:
        item, runner = _item(row), self.runner
        if row.run.state == "finished" and item.state == "waiting":
            return Text("not begun", style="muted")
        if row.run.cut and item.sent:
            return Text("may have arrived: read first", style="warn")
        return present.what(
            item,
            runner.forecast().get(item.key),
            runner.standings.get(item.key),
            runner.unread.get(item.key, ""),
        )

    def trail(self) -> Iterable[str]:
        yield self.session.organization_title or "no organization"
        yield "Merge run"

    def url(self) -> str | None:
        """Return the address of the request under the cursor."""
        item = self.selected
        return item.url or None if item is not None else None

    def copies(self) -> Sequence[tuple[str, str]]:
        """Offer the report as Markdown."""
        row = self.rows.selected
        run = row.run if row is not None else self.run
        if run is None:
            return []
        url = self.url()
        address = [("address", url)] if url else []
        return [("report as Markdown", present.report(run)), *address]

    def status_left(self) -> str:
        """Say how far it is, and what can be done about it."""
        run = self.run
        if run is None:
            return ""
        item = run.current
        if self.runner.trouble:
            return self.runner.trouble
        if self.runner.elsewhere:
            return f"Another copydesk is at {run.far} of this run. R looks again."
        if item is not None and run.state == "running":
            pauses = "Pauses after it" if run.pausing else "p pauses after it, Esc leaves it going"
            return f"{run.far}: {item.label} {present.STATES[item.state][0]}. {pauses}"
        if run.state == "planned":
            return f"{plural(len(run.listed), 'request')}, nothing is sent yet. ctrl+s starts."
        if run.stopped is not None:
            again = "merge it all the same" if run.stopped.at_news else "try again"
            return f"Stopped at {run.far}. ctrl+s: skip it and go on, {again}, or end."
        if run.state == "paused":
            if run.cut:
                return f"Cut off at {run.far}. ctrl+s goes on: what was sent is read first."
            return f"Paused at {run.far}. ctrl+s goes on."
        return f"{_capital(present.summary(run))}. Y copies the report."

    def signs(self) -> Sequence[tuple[str, str]]:
        return [
            (glyphs().passed, "merged"),
            (glyphs().failed, "stopped here"),
            ("!", "touches a page that another request of the run touches too"),
            (glyphs().outdated, "is or will be out of date: updated from main when its turn comes"),
        ]

    # Showing it

    def opened(self) -> None:
        self._stop = self.session.watch(self._follow)
        self._name_views()
        self._show()
        run = self.run
        here = None if run is None else run.current or run.stopped
        if here is not None:
            self.rows.select(here.key)

    def on_resize(self, event: events.Resize) -> None:
        """Give subjects and remarks the room that there is now."""
        if self.framed:
            self._show()

    def on_unmount(self) -> None:
        """Stop following it; it goes on."""
        self._stop()

    def reload(self) -> None:
        """Read how the requests of a plan stand, and the runs that have ended."""
        run = self.runner.run
        if run is not None and not self.runner.active and not self.runner.elsewhere:
            # Also of a run that was cut off: one wants to know what is ahead before going on.
            self.runner.read()
        self._read_runs()

    def poll(self) -> None:
        """Look at a run that another copydesk goes through; what goes on here shows itself."""
        if self.runner.elsewhere:
            self._read_runs()

    def _read_runs(self) -> None:
        self.reads.load(
            "runs", lambda api: self._read(), self._came, what="Reading merge runs", local=True
        )

    async def _read(self) -> Sequence[MergeRun]:
        await self.runner.look_elsewhere()
        return await self.runner.former()

    def _came(self, former: Sequence[MergeRun]) -> None:
        self._former = former
        self._name_views()
        self._show()

    def _name_views(self) -> None:
        run = self.runner.run
        count = None if run is None else len(run.listed)
        self.set_views(
            [View("run", "This run", count), View("former", "Former runs", len(self._former))]
        )

    def view_changed(self) -> None:
        """Show the run, or those that have ended."""
        cast("ListSource[Row]", self.rows.source.base).set([])  # its rows have other columns
        self.rows.columns = tuple(self._columns())
        self.rows.refresh_rows()
        self.rows.empty = EMPTY if self.view == "run" else NO_FORMER
        self._show()
        self.rows.move_first()

    def _follow(self) -> None:
        if self.is_attached and self._shown != self.runner.changes:
            run = self.runner.run
            ended = run.id if run is not None and run.state == "finished" else None
            self._show()
            stopped = "" if self.run is None or self.run.stopped is None else self.run.stopped.key
            if stopped != self._stopped_at:
                self._stopped_at = stopped
                self.rows.select(stopped)  # what it stopped at is what there is to look at now
            self._name_views()
            if ended is not None and all(each.id != ended for each in self._former):
                self._read_runs()

    def _show(self) -> None:
        self._shown = self.runner.changes
        base = cast("ListSource[Row]", self.rows.source.base)
        run = self.run
        if self.view == "former":
            base.set(Row(each.id, at, each) for at, each in enumerate(self._former))
            self.rows.title, self.rows.note = "Former runs", ""
        elif run is None:
            base.set([])
            self.rows.title, self.rows.note = "Merge run", ""
        else:
            columns = tuple(self._columns())
            now = [(each.key, each.width, each.most) for each in self.rows.columns]
            if [(each.key, each.width, each.most) for each in columns] != now:
                self.rows.columns = columns
                self.rows.refresh_rows()
            places = {item.key: at for at, item in enumerate(run.listed, 1)}
            base.set(Row(item.key, places.get(item.key, 0), run, item) for item in run.items)
            self.rows.title, self.rows.note = "Merge run", present.summary(run)
        self.rows.retitle()
        self._look()
        self.refresh_frame()

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show what there is to know of it."""
        self._look()

    def _look(self) -> None:
        row = self.rows.selected
        if row is None:
            self.facts.show([], title="Details")
        elif row.item is None:
            self.facts.show(present.report_lines(row.run), title="Report")
        else:
            self.facts.show(self._details(row.run, row.item), title=row.item.label)

    def _details(self, run: MergeRun, item: RunItem) -> list[Fact]:
        runner = self.runner
        clashes: Sequence[Text] = ()
        if item.key in runner.clashes and item.reason == "conflict":
            from copydesk.present.review import conflict_lines

            clashes = conflict_lines(runner.clashes[item.key])
        return present.details(
            run,
            item,
            runner.forecast().get(item.key),
            runner.standings.get(item.key),
            runner.unread.get(item.key, ""),
            clashes,
        )

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Open the review of a request; go to the report of a former run."""
        row = self.rows.selected
        if row is not None and row.item is not None:
            self.open_review(row.item, "overview")
        elif row is not None:
            self.commands_of(DetailsCommands).details()

    def open_review(self, item: RunItem, view: str) -> None:
        """Open the review of a request."""
        organization = self.target.organization or self.session.organization
        target = Target(organization, space=item.space, change_request=item.request, view=view)
        self.desk.go_soon("review", target)


def _item(row: Row) -> RunItem:
    assert row.item is not None
    return row.item


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

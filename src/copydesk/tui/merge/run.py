"""The merge run: several change requests merged in a chosen order, and what can be done with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.widgets import Label, Static

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.merge_run import IN_FLIGHT, STOPS, MergeRun, Reason, RunItem
from copydesk.domain.own_command import Thing
from copydesk.domain.text import capital, few, listed, plural
from copydesk.present.facts import Fact, hint
from copydesk.session.glyphs import glyphs
from copydesk.session.options import Option
from copydesk.session.runs.merge import FOUND_BY
from copydesk.session.runs.waiting import OTHERS, reversal_of
from copydesk.session.target import Target
from copydesk.tui.dialogs.choice import Choices
from copydesk.tui.dialogs.dialog import Confirm, ScrollingSheet, TypeToConfirm, fact_lines, scrolled
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.framework.commands import DetailsCommands
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place, View
from copydesk.tui.framework.source import ListSource
from copydesk.tui.merge import run_cells as present
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList, by_content, nothing_to_open

if TYPE_CHECKING:
    from copydesk.session.runs.merge import MergeRunner

NAMED = 10
"""So many requests a sheet names of those that it counts."""

LIVE = "Each goes live at once; :revert reverts one."


def no_run(here: MergeRunPlace) -> str | None:
    """Say so when there is nothing to go through, or somebody else is at it."""
    if here.runner.elsewhere:
        return "Another copydesk is going through this run. R looks how far it is."
    return None if here.run is not None else "No merge run is planned."


def nothing_selected(here: MergeRunPlace) -> str | None:
    """Say so when the cursor is on no change request."""
    return None if here.selected else "Put the cursor on a change request of the run first."


def not_waiting(here: MergeRunPlace) -> str | None:
    """Say so when the request under the cursor has begun, or waits for its rules."""
    item = here.selected
    if item is None:
        return nothing_selected(here)
    if here.waiting is not None:
        return f"{item.label} is in no order: it is merged once its rules hold."
    return None if item.state == "waiting" else f"{item.label} {_stands(item)}."


def not_removable(here: MergeRunPlace) -> str | None:
    """Say so when the request can neither be taken out nor put back."""
    item = here.selected
    if here.waiting is not None:
        return None
    if (why := no_run(here)) is not None:
        return why
    if item is not None and item.state == "removed" and here.run and here.run.state != "finished":
        return None
    if item is not None and here.run is not None and here.run.stopped == item:
        return None
    return not_waiting(here)


def not_ready(here: MergeRunPlace) -> str | None:
    """Say so when there is nothing to start or to go on with."""
    run = here.run
    if run is None:
        return None
    match run.state:
        case "running":
            return "The run goes on: p pauses it after the current one."
        case "finished":
            return "The run has ended. Y copies its report."
        case "planned":
            return here.runner.why_not_ready()
    return None


def not_running(here: MergeRunPlace) -> str | None:
    """Say so when nothing runs."""
    run = here.run
    if run is not None and run.state == "running":
        return None
    return "The run is not going on. ctrl+s starts or resumes it."


def not_stopped(here: MergeRunPlace) -> str | None:
    """Say so when there is nothing to try again."""
    if (waiting := here.waiting) is not None:
        if here.session.waiting_merges.is_others(waiting):
            return OTHERS
        return None if waiting.stopped is not None else "Not stopped: the run waits for its rules."
    if (why := no_run(here)) is not None:
        return why
    stopped = None if here.run is None else here.run.stopped
    if stopped is None:
        return "The run has not stopped at anything."
    return f"{stopped.label} is merged." if stopped.state == "done" else None


def going(here: MergeRunPlace) -> str | None:
    """Say so when it runs, or there is nothing to end."""
    run = here.run
    if run is None or run.state == "finished":
        return "The run has ended."
    return "The run goes on: p pauses it first." if here.runner.active else None


def _stands(item: RunItem) -> str:
    said = present.STATES[item.state][0]
    return f"is {said}" if item.state not in IN_FLIGHT else f"is at “{said}”"


def start_label(here: MergeRunPlace) -> str:
    """Return the label of ctrl+s by what it does now."""
    run = here.run
    if run is None or run.state in ("running", "finished"):
        return ""
    if run.state == "planned":
        return "start"
    return "skip, again or end" if run.state == "stopped" and not goes_on(run) else "go on"


def goes_on(run: MergeRun) -> bool:
    """Whether nothing is left to be chosen of what it stopped at: it was settled since."""
    return run.stopped is not None and run.stopped.settled


def out_label(here: MergeRunPlace) -> str:
    """Return the label of x by what it does now."""
    item, run = here.selected, here.run
    if here.waiting is not None:
        return "take out"
    if item is not None and item.state == "removed":
        return "put back"
    if run is not None and item is not None and run.stopped == item:
        return "skip"
    return "take out" if item is not None and item.state == "waiting" else ""


def pause_label(here: MergeRunPlace) -> str:
    """Return the label of p by what it does now; "" when nothing runs."""
    if here.run is None or here.run.state != "running":
        return ""
    return "go on after it" if here.run.pausing else "pause"


def again_label(here: MergeRunPlace) -> str:
    """Return the label of r by what it does now; "" when nothing has stopped."""
    if not_stopped(here) is not None:
        return ""
    if here.waiting is not None:
        return "wait again"
    stopped = None if here.run is None else here.run.stopped
    return "merge all the same" if stopped is not None and stopped.at_news else "try again"


def earlier_label(here: MergeRunPlace) -> str:
    """Return the label of K by what it does now; "" for what has begun."""
    return "move up" if not_waiting(here) is None else ""


def stops_label(here: MergeRunPlace) -> str:
    """Return the label of , by what it does now; "" when there is nothing to stop."""
    return "stop at…" if here.run is not None and here.run.state != "finished" else ""


def end_label(here: MergeRunPlace) -> str:
    """Return the label of X by what it does now."""
    if here.run is None or here.run.state in ("running", "finished"):
        return ""
    return "discard plan" if here.run.state == "planned" else "end run"


class MergeRunCommands(Commands, scope="merge_run"):
    """What can be done with the merge run."""

    place: MergeRunPlace

    @action("d", "diff", word="diff", unless=nothing_selected, show=False, group="Go")
    def open_changes(self) -> None:
        """Open the review of the change request straight on what changes."""
        item = self.place.selected
        if item is not None:
            self.place.open_review(item, "changes")

    # The plan

    @action("J", "move down", word="order_down", unless=(no_run, not_waiting), show=17,
            also=("alt+down",), now=lambda here: "move down" if not_waiting(here) is None else "",
            stages=True)  # fmt: skip
    async def later(self) -> None:
        """Merge it later: one down among those that wait."""
        await self._put(1)

    @action(
        "K", "move up", unless=(no_run, not_waiting), show=16, also=("alt+up",), now=earlier_label,
        word="order_up", stages=True,
    )  # fmt: skip
    async def earlier(self) -> None:
        """Merge it earlier: one up among those that wait."""
        await self._put(-1)

    async def _put(self, by: int) -> None:
        item = self.place.selected
        if item is not None:
            await self.place.runner.move(item.key, by)

    @action(
        "x", "take out", unless=not_removable, show=18, now=out_label,
        stages=True,
    )  # fmt: skip
    async def take_out(self) -> None:
        """Take it out of the run, or put it back at its end; skip the one that it stopped at.

        One that waits for its rules waits no more; ``u`` undoes that.
        """
        if self.place.waiting is not None:
            await self._wait_no_more(self.place.waiting)
            return
        item, run = self.place.selected, self.place.run
        if item is None or run is None:
            return
        if run.stopped == item:
            await self._after_stop(run, item)
        else:
            await self.place.runner.take_out(item.key)

    async def _wait_no_more(self, run: MergeRun) -> None:
        merges, item = self.place.session.waiting_merges, run.items[0]
        await self.place.writer.perform(
            "Merge no more when ready",
            item.name,
            lambda api: merges.put(run.id, None),
            reversal=reversal_of(run.id, merges.as_json(run), None),
            done=f"{item.label} waits no more.",
        )

    @command("ready", stages=True)
    async def take_out_others(self, rest: str) -> None:
        """Take everything out of the plan that something is in the way of."""
        run = self.place.run
        if run is None or run.state != "planned":
            self.place.say("There is no plan.", "warn")
            return
        others = [item for item in run.listed if self._in_the_way(item)]
        for item in others:
            await self.place.runner.take_out(item.key)
        self.place.say(f"{plural(len(others), 'change request')} taken out. x puts one back.")

    @action(",", "stop at…", unless=(no_run, going), show=12, now=stops_label, stages=True)
    async def stop_at(self) -> None:
        """Choose what the run stops at: a conflict, a failed rule, a comment or an edit since."""
        run = self.place.run
        if run is None:
            return
        options = [Option(stop, said) for stop, said in STOPS.items()]
        ticked = [stop for stop in STOPS if stop in run.stops]
        chosen = await self.app.push_screen_wait(Choices("Stop at", options, ticked=ticked))
        if chosen is not None:
            await self.place.runner.stop_at(cast("frozenset[Reason]", chosen))

    # Going

    @action(
        "ctrl+s", "start", unless=(no_run, not_ready), danger=3, show=30, now=start_label,
        uses=(
            "merge_change_request", "pull_change_request_updates", "get_change_request_revision",
            "list_change_request_comment_replies", *FOUND_BY,
        ),
    )  # fmt: skip
    async def start(self) -> None:
        """Start the run; where it was paused, stopped or cut off, go on."""
        run = self.place.run
        if run is None:
            return
        if run.state == "planned":
            await self._start(run)
        elif goes_on(run):
            await self.place.runner.again()
        elif run.stopped is not None:
            await self._after_stop(run, run.stopped)
        else:
            await self._go_on(run)

    async def _start(self, run: MergeRun) -> None:
        count = len(run.listed)
        sheet = TypeToConfirm(
            f"Merge {plural(count, 'change request')}",
            self._what_starts(run),
            expect=str(count),
            verb="start",
            what="how many they are",
        )
        if await self.app.push_screen_wait(sheet):
            await self.place.runner.start()

    def _what_starts(self, run: MergeRun) -> list[str | Text]:
        ahead = self.place.runner.forecast()
        several = len({item.space for item in run.listed}) > 1

        def label(item: RunItem) -> str:
            """Name it so that it is told from one of another space with its number."""
            return f"{item.label} of {item.space_title or 'a space'}" if several else item.label

        titles = list(dict.fromkeys(item.space_title or "a space" for item in run.listed))
        facts: list[str | Text] = [
            f"One after the other, in this order, into {few(titles, present.SHOWN)}:",
            few([label(item) for item in run.listed], NAMED),
        ]
        same = [label(item) for item in run.listed if item.key in ahead and ahead[item.key].same]
        if same:
            facts.append(Text(f"! touch the same pages: {few(same, NAMED)}", style="warn"))
        off = [label(item) for item in run.listed if self._in_the_way(item)]
        if off:
            named = few(off, NAMED)
            facts.append(Text(f"! something is in the way of {named} (:ready)", style="warn"))
        stops = [said for stop, said in STOPS.items() if stop in run.stops]
        facts.append(f"Stops at {listed(stops, 'or')}." if stops else "Stops at no rule.")
        return [*facts, "", Text(LIVE, style="warn")]

    def _in_the_way(self, item: RunItem) -> bool:
        """Whether it is known that the run would stop at it."""
        standing = self.place.runner.standings.get(item.key)
        return standing is not None and (
            bool(standing.in_the_way) or present.changed(item, standing)
        )

    async def _go_on(self, run: MergeRun) -> None:
        if run.cut:
            left = run.count("waiting", *IN_FLIGHT)
            here = run.current
            first = f"{here.name} is read first: what was sent may have arrived." if here else ""
            sheet = Confirm(
                "Go on with the merge run",
                [
                    f"The run was cut off at {run.far}; {plural(left, 'change request')} left.",
                    *([first] if first else []),
                    "Each is read again before anything is sent. What is merged stays as it is.",
                ],
                verb="go on",
                warning=LIVE,
            )
            if not await self.app.push_screen_wait(sheet):
                return
        await self.place.runner.go_on()

    async def _after_stop(self, run: MergeRun, item: RunItem) -> None:
        chosen = await self.app.push_screen_wait(StoppedSheet(run, item))
        if chosen == "skip":
            await self.place.runner.skip()
        elif chosen == "again":
            await self.place.runner.again()
        elif chosen == "end":
            await self.place.runner.end()

    @action("p", "pause", unless=(no_run, not_running), show=20, override=True, now=pause_label,
            stages=True)  # fmt: skip
    async def pause(self) -> None:
        """Pause after the current change request; the second time, go on after it all the same."""
        await self.place.runner.pause()

    @action("r", "try again", word="retry", unless=not_stopped, show=19, now=again_label,
            uses=("pull_change_request_updates", *FOUND_BY))  # fmt: skip
    async def again(self) -> None:
        """Try the change request again that it stopped at: it is read before a merge. Asks.

        One that no longer waited for its rules waits again; what stopped it is taken as read.
        """
        if self.place.waiting is not None:
            await self.place.session.waiting_merges.again(self.place.waiting.id)
            return
        run = self.place.run
        if run is None or run.stopped is None:
            return
        if goes_on(run):
            await self.place.runner.again()
        else:
            await self._after_stop(run, run.stopped)

    @action("X", "end run", unless=(no_run, going), danger=2, show=11, now=end_label,
            stages=True)  # fmt: skip
    async def end(self) -> None:
        """End the run where it is, or discard the plan. What is merged stays merged. Asks."""
        run = self.place.run
        if run is None:
            return
        if run.state == "planned":
            facts = [f"{plural(len(run.listed), 'change request')}: none of them is touched."]
            if await self.app.push_screen_wait(
                Confirm("Discard the plan", facts, verb="discard it")
            ):
                await self.place.runner.forget()
            return
        facts = [present.summary(run), "What is merged stays merged; the rest is left as it is."]
        if await self.app.push_screen_wait(Confirm("End the merge run", facts, verb="end it")):
            await self.place.runner.end()


def is_live(sheet: StoppedSheet) -> str | None:
    """Say so when it is merged: then there is nothing to try again."""
    return "It is merged." if sheet.item.state == "done" else None


class StoppedSheet(ScrollingSheet[str], scope="stopped_sheet"):
    """Level 2: why it stopped and what follows. The result is "skip", "again", "end", or None."""

    DANGER = 2

    def __init__(self, run: MergeRun, item: RunItem) -> None:
        super().__init__(f"Stopped at {run.far}")
        self.item = item
        self._left = run.count("waiting")
        self._passed = item.at_news
        """Whether going on with it takes what it stopped at as seen."""

    def body(self) -> ComposeResult:
        left = plural(self._left, "change request")
        follows = f"{left} wait{'s' if self._left == 1 else ''} behind it."
        facts: list[str | Text] = [
            Text(self.item.name, style="strong"),
            Text(self.item.said, style="bad"),
            "",
            f"{follows} {LIVE}",
        ]
        if self._passed:
            facts[2:2] = [hint("esc, then enter reads it; r takes it as read and merges it.", "")]
        elif self.item.to_settle:
            facts[2:2] = [hint("esc, then enter settles it.", "")]
        yield scrolled(Static(self.paint(fact_lines(facts))))
        yield Label(self.paint(self._keys()), classes="keys")

    def _keys(self) -> Text:
        live = self.item.state == "done"
        text = Text()
        text.append("x", style="accent").append(" go on   " if live else " skip, go on   ")
        if not live:
            verb = " merge it all the same   " if self._passed else " try again   "
            text.append("r", style="accent").append(verb)
        text.append("X", style="accent").append(" end   ")
        return text.append("esc", style="accent").append(" leave it")

    @action("x", "skip it and go on", danger=2)
    def skip(self) -> None:
        """Pass over it and go on with the next."""
        self.dismiss("skip")

    @action("r", "try it again", word="retry", unless=is_live, danger=2)
    def again(self) -> None:
        """Read it again, and merge it if nothing else is in the way; news it stopped at is read."""
        self.dismiss("again")

    @action("X", "end the run", danger=2)
    def end(self) -> None:
        """End the run here; what waits is left as it is."""
        self.dismiss("end")

    @action("q", "leave it", show=False)
    def leave(self) -> None:
        """Leave it as it is."""
        self.dismiss(None)


EMPTY = (
    "No merge run is planned. gc lists change requests: Space marks them there, then m plans it."
)


WHAT_CELLS, WIDE_WHAT_CELLS, SUBJECT_CELLS = 22, 34, 28
"""How wide the remark on a request gets, and where the list is at least `WIDE` cells wide: subjects
are what one orders by."""


WIDE = 132
"""The width of a terminal that shows the details beside the list (`Place`)."""


NO_FORMER = "No merge run has ended yet. What came of each is saved here."


@dataclass(frozen=True, slots=True)
class RunRow:
    """A request of the run, or a run that has ended."""

    id: str
    number: int
    run: MergeRun
    item: RunItem | None = None


class RunList(VirtualList[RunRow], scope="run_list"):
    """The change requests of the run, or the runs that have ended."""

    opens = "open"
    """What enter does with the row under the cursor."""

    @action(
        "enter", "open", unless=nothing_to_open, show=30, inline=True, group="Go", override=True,
        word="open", now=lambda rows: rows.opens,
    )  # fmt: skip
    def open_row(self) -> asyncio.Future[None] | None:
        """Open its review; settle the conflict that the run stopped at."""
        return super().open_row()


@place("merge-run", key="m", title="Merge run")
class MergeRunPlace(Place, scope="merge_run_place"):
    """The merge run that is planned or goes on, and the ones that have ended."""

    COLUMNS = (
        "at", "number", "subject", "space", "state", "what", "when", "first",
    )  # fmt: skip
    COMMAND_CLASSES = (MergeRunCommands, DetailsCommands)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._former: Sequence[MergeRun] = ()
        self._shown = (-1, -1)
        self._waited: frozenset[str] = frozenset()
        """The ids of those that waited for their rules when that was shown last."""
        self._stopped_at = ""
        """The key of the request that it stopped at, once that was shown."""
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
        if row is None or row.item is None:
            return None
        run = self.waiting or self.run
        return None if run is None else run.item(row.item.key)

    def things(self) -> Sequence[Thing]:
        item = self.selected
        if item is None:
            return []
        told = {"id": item.request, "number": item.label.removeprefix("#"), "title": item.subject}
        more = {"space": item.space_title, "url": item.url}
        return [Thing("change request", {**told, **more})]

    @property
    def waiting(self) -> MergeRun | None:
        """The request under the cursor if it waits for its rules, as it is now."""
        row = self.rows.selected
        if row is None or not row.run.waits or self.view != "run":
            return None
        return self.session.waiting_merges.run(row.run.id)

    def panes(self) -> ComposeResult:
        self.rows = RunList(
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

    def _columns(self) -> list[Column[RunRow]]:
        if self.view == "former":
            return [
                Column("when", "WHEN", lambda row: present.when(row.run), 16),
                Column("what", "WHAT CAME OF IT", lambda row: present.summary(row.run), flex=1),
                Column(
                    "first", "REQUESTS",
                    lambda row: listed([item.label for item in row.run.listed]), flex=1, drop=1,
                ),
            ]  # fmt: skip
        rows = self._run_rows()
        spaces = {_item(row).space for row in rows}
        wide = self.app.size.width >= WIDE
        columns: list[Column[RunRow]] = [
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
            # Subjects come first: the details tell all of what is cut here.
            more = max(0, by_content(columns[2], rows, SUBJECT_CELLS).width - columns[2].minimum)
            columns[-1] = by_content(replace(columns[-1], width=8), rows, WIDE_WHAT_CELLS - more)
        # Of one space all have the same: its name is in the details.
        return [column for column in columns if column.key != "space" or len(spaces) > 1]

    def _run_rows(self) -> list[RunRow]:
        """Return the requests of the run, and those that wait for their rules after them."""
        run, rows = self.run, []
        if run is not None:
            places = {item.key: at for at, item in enumerate(run.listed, 1)}
            rows = [RunRow(item.key, places.get(item.key, 0), run, item) for item in run.items]
        waiting = self.session.waiting_merges.runs
        return rows + [RunRow(f"waits {run.id}", 0, run, run.items[0]) for run in waiting]

    def _what(self, row: RunRow) -> Text:
        item, runner = _item(row), self.runner
        if row.run.waits and row.run.state != "finished":
            return present.waits_for(row.run)
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

    def url(self) -> str | None:
        item = self.selected
        return item.url or None if item is not None else None

    def copies(self) -> Sequence[tuple[str, str]]:
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
        if (waiting := self.waiting) is not None:
            merges = self.session.waiting_merges
            if merges.is_others(waiting):
                return OTHERS
            return merges.trouble or present.how_it_waits(waiting)
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
            return (
                f"{plural(len(run.listed), 'change request')}, nothing is sent yet. ctrl+s starts."
            )
        if run.stopped is not None:
            if goes_on(run):
                return f"{run.stopped.label} is settled. ctrl+s goes on with it; x skips it."
            if run.stopped.to_settle and self.selected == run.stopped:
                return (
                    f"Stopped at {run.far}. enter settles it. ctrl+s: skip it, try again, or end."
                )
            again = "merge it all the same" if run.stopped.at_news else "try again"
            return f"Stopped at {run.far}. ctrl+s: skip it and go on, {again}, or end."
        if run.state == "paused":
            if run.cut:
                return f"Cut off at {run.far}. ctrl+s goes on: what was sent is read first."
            return f"Paused at {run.far}. ctrl+s goes on."
        return f"{capital(present.summary(run))}. Y copies the report."

    def signs(self) -> Sequence[tuple[str, str]]:
        return [
            (glyphs().passed, "merged"),
            (glyphs().failed, "stopped here"),
            ("!", "touches a page that another change request of the run touches too"),
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
        run = self.runner.run
        if run is not None and not self.runner.active and not self.runner.elsewhere:
            # Also of a run that was cut off: one wants to know what is ahead before going on.
            self.runner.read()
        self._read_runs()

    def on_screen_resume(self) -> None:
        """Look at what was settled meanwhile."""
        super().on_screen_resume()
        if self.framed:
            self._read_runs()

    def poll(self) -> None:
        """Look at a run that another copydesk goes through; what goes on here shows itself."""
        if self.runner.elsewhere or self.session.waiting_merges.runs:
            self._read_runs()

    def _read_runs(self) -> None:
        self.reads.load(
            "runs", lambda api: self._read(), self._came, what="Reading merge runs", local=True
        )

    async def _read(self) -> Sequence[MergeRun]:
        await self.runner.look_elsewhere()
        await self.runner.look_whether_settled()
        waiting = self.session.waiting_merges
        await waiting.read()
        former = [*await self.runner.former(), *await waiting.former()]
        return sorted(former, key=lambda run: run.made, reverse=True)

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
        cast("ListSource[RunRow]", self.rows.source.base).set([])  # its rows have other columns
        self.rows.columns = tuple(self._columns())
        self.rows.refresh_rows()
        self.rows.empty = EMPTY if self.view == "run" else NO_FORMER
        self._show()
        self.rows.move_first()

    @property
    def _changes(self) -> tuple[int, int]:
        return self.runner.changes, self.session.waiting_merges.changes

    def _follow(self) -> None:
        if self.is_attached and self._shown != self._changes:
            run = self.runner.run
            ended = run.id if run is not None and run.state == "finished" else None
            self._show()
            stopped = "" if self.run is None or self.run.stopped is None else self.run.stopped.key
            if stopped != self._stopped_at:
                self._stopped_at = stopped
                self.rows.select(stopped)  # people want to look at the request that stopped it
            self._name_views()
            known, waited = {each.id for each in self._former}, self._waited
            self._waited = frozenset(each.id for each in self.session.waiting_merges.runs)
            if (ended is not None and ended not in known) or waited - self._waited - known:
                self._read_runs()

    def _show(self) -> None:
        self._shown = self._changes
        base = cast("ListSource[RunRow]", self.rows.source.base)
        run = self.run
        if self.view == "former":
            base.set(RunRow(each.id, at, each) for at, each in enumerate(self._former))
            self.rows.title, self.rows.note = "Former runs", ""
        else:
            columns = tuple(self._columns())
            now = [(each.key, each.width, each.most) for each in self.rows.columns]
            if [(each.key, each.width, each.most) for each in columns] != now:
                self.rows.columns = columns
                self.rows.refresh_rows()
            base.set(self._run_rows())
            waiting = self.session.waiting_merges.note()
            said = "" if run is None else present.summary(run)
            self.rows.title = "Merge run"
            self.rows.note = "; ".join(filter(None, [said, waiting]))
        self.rows.retitle()
        self.show_details()
        self.refresh_frame()

    def show_details(self) -> None:
        row = self.rows.selected
        item = self.selected
        self.rows.opens = "settle" if item is not None and item.to_settle else "open"
        if row is None:
            self.facts.show([], title="Details")
        elif row.item is None:
            self.facts.show(present.report_lines(row.run), title="Report")
        else:
            self.facts.show(self._details(row.run, row.item), title=row.item.label)

    def _details(self, run: MergeRun, item: RunItem) -> list[Fact]:
        runner = self.runner
        clashes: Sequence[Fact] = ()
        if item.key in runner.clashes and item.reason == "conflict":
            from copydesk.present.review import conflict_facts

            clashes = conflict_facts(runner.clashes[item.key])
        return present.details(
            run,
            item,
            runner.forecast().get(item.key),
            runner.standings.get(item.key),
            runner.unread.get(item.key, ""),
            clashes,
        )

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Open the review of a request, or settle its conflict; go to a former run's report."""
        row, item = self.rows.selected, self.selected
        if item is not None and item.to_settle:
            ids = Target(self.organization, space=item.space, change_request=item.request)
            self.desk.go_soon("settle", ids)
        elif row is not None and row.item is not None:
            self.open_review(row.item, "overview")
        elif row is not None:
            self.commands_of(DetailsCommands).details()

    def open_review(self, item: RunItem, view: str) -> None:
        """Open the review of a request."""
        organization = self.organization
        target = Target(organization, space=item.space, change_request=item.request, view=view)
        self.desk.go_soon("review", target)


def _item(row: RunRow) -> RunItem:
    assert row.item is not None
    return row.item

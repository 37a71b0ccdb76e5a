"""What can be done with a merge run: order it, start it, pause it, and go on after a stop."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from rich.text import Text

from copydesk.domain.merge_run import IN_FLIGHT, STOPS, MergeRun, Reason, RunItem
from copydesk.domain.text import listed, plural
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.merge import run_cells as present

if TYPE_CHECKING:
    from copydesk.tui.merge.run import MergeRunPlace

NAMED = 10
"""So many requests a sheet names of those that it counts."""

LIVE = "Each goes live at once and cannot be undone here."

READS = (
    "get_change_request", "get_space", "list_change_request_comments",
    "list_change_request_reviews", "list_requested_reviewers",
)  # fmt: skip
"""The operations that a request is read with before anything is sent for it."""


def no_run(here: MergeRunPlace) -> str | None:
    """Say so when there is nothing to go through, or somebody else is at it."""
    if here.runner.elsewhere:
        return "Another copydesk is going through this run. R looks how far it is."
    return None if here.run is not None else "No merge run is planned."


def nothing_selected(here: MergeRunPlace) -> str | None:
    """Say so when the cursor is on no change request."""
    return None if here.selected else "Put the cursor on a change request of the run first."


def not_waiting(here: MergeRunPlace) -> str | None:
    """Say so when the request under the cursor has begun."""
    item = here.selected
    if item is None:
        return nothing_selected(here)
    return None if item.state == "waiting" else f"{item.label} {_stands(item)}."


def not_removable(here: MergeRunPlace) -> str | None:
    """Say so when the request can neither be taken out nor put back."""
    item = here.selected
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
            return "It is running: p pauses it after the current one."
        case "finished":
            return "It has ended. Y copies its report."
        case "planned":
            return here.runner.why_not_ready()
    return None


def not_running(here: MergeRunPlace) -> str | None:
    """Say so when nothing runs."""
    run = here.run
    if run is not None and run.state == "running":
        return None
    return "It is not running. ctrl+s starts it, or goes on."


def not_stopped(here: MergeRunPlace) -> str | None:
    """Say so when there is nothing to try again."""
    stopped = None if here.run is None else here.run.stopped
    if stopped is None:
        return "It has not stopped at anything."
    return f"{stopped.label} is merged." if stopped.state == "done" else None


def going(here: MergeRunPlace) -> str | None:
    """Say so when it runs, or there is nothing to end."""
    run = here.run
    if run is None or run.state == "finished":
        return "It has ended."
    return "It is running: p pauses it first." if here.runner.active else None


def _stands(item: RunItem) -> str:
    said = present.STATES[item.state][0]
    return f"is {said}" if item.state not in IN_FLIGHT else f"is at “{said}”"


def start_label(here: MergeRunPlace) -> str:
    """Return what ctrl+s does now."""
    run = here.run
    if run is None or run.state in ("running", "finished"):
        return ""
    if run.state == "planned":
        return "start"
    return "skip, again or end" if run.state == "stopped" else "go on"


def out_label(here: MergeRunPlace) -> str:
    """Return what x does now."""
    item, run = here.selected, here.run
    if item is not None and item.state == "removed":
        return "put back"
    if run is not None and item is not None and run.stopped == item:
        return "skip"
    return "take out" if item is not None and item.state == "waiting" else ""


def pause_label(here: MergeRunPlace) -> str:
    """Return what p does now; nothing in the footer when nothing runs."""
    if here.run is None or here.run.state != "running":
        return ""
    return "go on after it" if here.run.pausing else "pause"


def again_label(here: MergeRunPlace) -> str:
    """Return what r does now; nothing in the footer when nothing has stopped."""
    if not_stopped(here) is not None:
        return ""
    stopped = None if here.run is None else here.run.stopped
    return "merge all the same" if stopped is not None and stopped.at_news else "try again"


def later_label(here: MergeRunPlace) -> str:
    """Return what J does now; nothing in the footer for what has begun."""
    return "move down" if not_waiting(here) is None else ""


def earlier_label(here: MergeRunPlace) -> str:
    """Return what K does now; nothing in the footer for what has begun."""
    return "move up" if not_waiting(here) is None else ""


def stops_label(here: MergeRunPlace) -> str:
    """Return what , does now; nothing in the footer when there is nothing to stop."""
    return "stop at…" if here.run is not None and here.run.state != "finished" else ""


def end_label(here: MergeRunPlace) -> str:
    """Return what X does now."""
    if here.run is None or here.run.state in ("running", "finished"):
        return ""
    return "drop plan" if here.run.state == "planned" else "end run"


class MergeRunCommands(Commands, scope="merge_run"):
    """What can be done with the merge run."""

    place: MergeRunPlace

    @action("d", "diff", unless=nothing_selected, show=False, group="Go")
    def open_changes(self) -> None:
        """Open the review of the request straight on what changes."""
        item = self.place.selected
        if item is not None:
            self.place.open_review(item, "changes")

    # The plan

    @action(
        "J", "move down", unless=(no_run, not_waiting), show=17, also=("alt+down",),
        now=later_label, stages=True,
    )  # fmt: skip
    async def later(self) -> None:
        """Merge it later: one down among those that wait."""
        await self._put(1)

    @action(
        "K", "move up", unless=(no_run, not_waiting), show=16, also=("alt+up",), now=earlier_label,
        stages=True,
    )  # fmt: skip
    async def earlier(self) -> None:
        """Merge it earlier: one up among those that wait."""
        await self._put(-1)

    async def _put(self, by: int) -> None:
        item = self.place.selected
        if item is not None:
            await self.place.runner.move(item.key, by)

    @action(
        "x", "take out", unless=(no_run, not_removable), show=18, now=out_label,
        stages=True,
    )  # fmt: skip
    async def take_out(self) -> None:
        """Take it out of the run, or put it back at its end; skip the one that it stopped at."""
        item, run = self.place.selected, self.place.run
        if item is None or run is None:
            return
        if run.stopped == item:
            await self._after_stop(run, item)
        else:
            await self.place.runner.take_out(item.key)

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
        self.place.say(f"{plural(len(others), 'request')} taken out. x puts one back.")

    @action(",", "stop at…", unless=(no_run, going), show=12, now=stops_label, stages=True)
    async def choose_stops(self) -> None:
        """Choose what the run stops at: a conflict, a failed rule, a comment or an edit since."""
        from copydesk.session.options import Option
        from copydesk.tui.dialogs.choice import Choices

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
            "list_change_request_comment_replies", *READS,
        ),
    )  # fmt: skip
    async def start(self) -> None:
        """Start the run; where it was paused, stopped or cut off, go on."""
        run = self.place.run
        if run is None:
            return
        if run.state == "planned":
            await self._start(run)
        elif run.stopped is not None:
            await self._after_stop(run, run.stopped)
        else:
            await self._go_on(run)

    async def _start(self, run: MergeRun) -> None:
        from copydesk.tui.dialogs.dialog import TypeToConfirm

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
            f"One after the other, in this order, into {present.some(titles)}:",
            present.some([label(item) for item in run.listed], NAMED),
        ]
        same = [label(item) for item in run.listed if item.key in ahead and ahead[item.key].same]
        if same:
            facts.append(Text(f"! touch the same pages: {present.some(same, NAMED)}", style="warn"))
        off = [label(item) for item in run.listed if self._in_the_way(item)]
        if off:
            named = present.some(off, NAMED)
            facts.append(Text(f"! something is in the way of {named} (:ready)", style="warn"))
        stops = [said for stop, said in STOPS.items() if stop in run.stops]
        facts.append(f"It stops at {listed(stops, 'or')}." if stops else "It stops at no rule.")
        return [*facts, "", Text(LIVE, style="warn")]

    def _in_the_way(self, item: RunItem) -> bool:
        """Whether it is known that the run would stop at it."""
        standing = self.place.runner.standings.get(item.key)
        return standing is not None and (
            bool(standing.in_the_way) or present.changed(item, standing)
        )

    async def _go_on(self, run: MergeRun) -> None:
        from copydesk.tui.dialogs.dialog import Confirm

        if run.cut:
            left = run.count("waiting", *IN_FLIGHT)
            here = run.current
            first = f"{here.name} is read first: what was sent may have arrived." if here else ""
            sheet = Confirm(
                "Go on with the merge run",
                [
                    f"It was cut off at {run.far}; {plural(left, 'change request')} left.",
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
        from copydesk.tui.merge.stopped_dialog import StoppedSheet

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
        """Pause after the current request; the second time, go on after it all the same."""
        await self.place.runner.pause()

    @action("r", "try again", unless=(no_run, not_stopped), show=19, now=again_label,
            uses=("pull_change_request_updates", *READS))  # fmt: skip
    async def again(self) -> None:
        """Try the request again that it stopped at: it is read before anything is sent. Asks."""
        run = self.place.run
        if run is not None and run.stopped is not None:
            await self._after_stop(run, run.stopped)

    @action("X", "end run", unless=(no_run, going), danger=2, show=11, now=end_label,
            stages=True)  # fmt: skip
    async def end(self) -> None:
        """End the run where it stands, or drop the plan. What is merged stays merged. Asks."""
        from copydesk.tui.dialogs.dialog import Confirm

        run = self.place.run
        if run is None:
            return
        if run.state == "planned":
            facts = [f"{plural(len(run.listed), 'change request')}: none of them is touched."]
            if await self.app.push_screen_wait(Confirm("Drop the plan", facts, verb="drop it")):
                await self.place.runner.forget()
            return
        facts = [present.summary(run), "What is merged stays merged; the rest is left as it is."]
        if await self.app.push_screen_wait(Confirm("End the merge run", facts, verb="end it")):
            await self.place.runner.end()

"""From what is staged to what is published: read again, theirs beside ours, the plan, the run.

A base of the places in which something is arranged, apart from `ArrangingPlace` for length.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from copydesk.domain.layout import Layout, differences
from copydesk.domain.text import plural
from copydesk.session.offline import reads_kept
from copydesk.session.target import Target
from copydesk.tui.arrange.draft import KeptStaged
from copydesk.tui.framework.keyboard import tell_failures

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.arrange_run import ArrangeRun, Outcome
    from copydesk.domain.arrangement import Arrangement, Rebased


BEFORE_SENDING = "before sending"
"""The name of the read before anything is sent."""


class SendsStaged(KeptStaged):
    """A place that sends what is staged in it."""

    LIVE = "Readers see it at once; there is no draft of it on the service."
    """What to know before anything is sent."""

    EXACT = False
    """Whether nothing but what was sent is another afterwards, unless others changed it."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.known = False
        """Whether what is arranged has been read."""
        self.behind = False
        """Whether others changed it since it was read."""
        self.asked = False
        """Whether the sheet of the plan is open, which says itself how far it is."""

    # What a place says

    def fresh(self, layout: Layout) -> Arrangement:
        """Return nothing staged, on a published order."""
        raise NotImplementedError

    async def read_layout(self, api: Api) -> Layout:
        """Read what is published again, and take note of all else that came with it. May raise."""
        raise NotImplementedError

    @property
    def run_target(self) -> str:
        """The id of what is arranged: of a site, or of an organization."""
        raise NotImplementedError

    def show_arrangement(self, cursor: str | None = None) -> None:
        """Show what is staged; the cursor stays on its row."""
        raise NotImplementedError

    # Beginning, and reading again

    async def unfinished(self) -> ArrangeRun | None:
        """Return the run of what is arranged that is not over, if there is one. May raise."""
        found = await self.session.arranging.find(self.PLACE, self.run_target)
        if found is not None and reads_kept():
            from copydesk.client.errors import NotKept

            raise NotKept("What became of a run is asked of the service.")
        return found

    def begin(self, layout: Layout, run: ArrangeRun | None = None) -> None:
        """Begin with what is published, and with what was staged on it in an earlier run.

        ``run`` is one that is `unfinished`: it is asked about.
        """
        self.known = True
        self.arrangement = self.fresh(layout)
        rebased = self.bring_back(layout, run)
        if rebased is not None:
            self.arrangement = self.staged_then = rebased.arrangement
            if self.arrangement.dirty:
                count = plural(len(self.requests()), "staged change")
                shared = self.session.counted.shared(self.draft_key)
                self.say(
                    shared or f"{count} of last time restored. X drops them.",
                    "warn" if shared else "",
                )
            if run is None:
                self._tell_rebased(rebased)
        if run is not None and self.session.read_only:
            self.say(f"{run.standing()}. Nothing goes on or back here: it is read-only.", "warn")
        elif run is not None:
            self._ask(self._settle_first(run, rebased))

    async def _settle_first(self, run: ArrangeRun, rebased: Rebased[Arrangement] | None) -> None:
        """Settle a run that an earlier start left; only then tell what others changed meanwhile."""
        await self._go_on_with(run)
        lost = () if rebased is None else rebased.lost
        if lost:
            gone = "; ".join(f"{each.line}: {each.why}" for each in lost)
            self.tell(f"Others changed it since, and this went away: {gone}.", "warn")

    def take(self, layout: Layout) -> Rebased[Arrangement]:
        """Put what is staged on top of what is published by now."""
        rebased = self.arrangement.rebase(layout)
        self.arrangement, self.behind = rebased.arrangement, False
        if not self.arrangement.dirty and not self.arrangement.future:
            self.arrangement = self.fresh(layout)
        return rebased

    def read_anew(self, layout: Layout) -> None:
        """Take in what was read again by hand, with what is staged on top of it."""
        self._tell_rebased(self.take(layout))

    def _tell_rebased(self, rebased: Rebased[Arrangement]) -> None:
        """Say what others changed, and ask where that touches what is staged."""
        if rebased.clashes or rebased.lost:
            self._ask(self._show_others(rebased, verb="keep ours on top"))
        elif rebased.theirs and self.arrangement.dirty:
            more = len(rebased.theirs) - 1
            others = f", and {more} more" if more else ""
            said = f"Others changed it since: {rebased.theirs[0].line}{others}."
            self.say(f"{said} What is staged is on top of it.")

    def _ask(self, asking: Awaitable[Any]) -> None:
        """Ask something in a sheet, once what goes on now is over."""
        self.run_worker(tell_failures(self, asking), name="ask", group="ask")

    # Sending

    async def send_staged(self, *facts: str) -> None:
        """Read again, show what others changed, then the plan with what to know, and send it."""
        self.session.asks()
        run = await self.unfinished()
        if run is not None and run.begun:
            await self._go_on_with(run)
            return
        if run is not None:  # it had ended, but it could not be read again then
            await self._take_in(run)
        api = await self.session.ready()
        self.say("")
        read = partial(self.read_layout, api)
        layout = await self.read_now(
            BEFORE_SENDING, read, "Reading it again before anything is sent"
        )
        if layout is None:
            self.tell("Stopped reading: nothing was sent; it stays staged.")
            return
        rebased = self.take(layout)
        self.session.fresh()
        self.show_arrangement()
        if rebased.changed:
            if not rebased.clashes:
                self.keep_now()
            if not await self._show_others(rebased):
                more = ", on top of what others changed."
                if rebased.clashes:
                    more = ". What both changed is asked again."
                self.tell(f"Nothing was sent; it stays staged{more}")
                return
        if not self.arrangement.dirty:
            self.keep_now()
            self.tell("Nothing is left to send: it is so already.", "good")
        else:
            await self._send(*facts)

    async def _show_others(
        self, rebased: Rebased[Arrangement], verb: str = "go on with ours"
    ) -> bool:
        """Show what others changed beside what is staged; True when it may go on."""
        from copydesk.tui.arrange.others_dialog import OthersSheet

        ours = [call.line for call in self.requests()]
        facts = await self.overtaken_facts()
        sheet = OthersSheet("Others changed it since it was read", rebased, ours, facts, verb=verb)
        ours_on_top, before = self.arrangement, rebased.before
        if rebased.clashes and before is not None:
            # Until it is answered all is as it was: who leaves, or is cut off, is asked again.
            self.arrangement = self._as_here(before)
        answer: str | None = await self.desk.push_screen_wait(sheet)
        if answer is not None:
            self.arrangement, self.behind = ours_on_top, False
            if answer == "theirs":
                self.arrangement = self._as_here(rebased.taking_theirs())
        elif rebased.clashes:
            self.behind = True
        self.show_arrangement()
        self.keep_now()
        return answer is not None

    def _as_here(self, arrangement: Arrangement) -> Arrangement:
        """Return what is staged as this place knows it, whatever text it was read from."""
        return replace(
            self.fresh(arrangement.base), now=arrangement.now, past=arrangement.past,
            future=arrangement.future, touched=arrangement.touched, count=arrangement.count,
        )  # fmt: skip

    async def _send(self, *facts: str) -> None:
        from copydesk.domain.arrange_run import ArrangeRun, lasting_fact

        calls = self.requests()
        run = ArrangeRun.of(
            self.PLACE, self.run_target, self.about, calls,
            organization=self.target.organization or "", staged=self.arrangement.to_text(()),
        )  # fmt: skip
        said = [*facts, *await self.overtaken_facts(), self.LIVE, lasting_fact(calls)]
        self.sending = self.staged_then = self.arrangement
        self.keep_now()
        await self._ask_about(run, said, later="Nothing was sent; it stays staged.")

    async def _go_on_with(self, run: ArrangeRun) -> None:
        """Ask about a run that an earlier start left; take in one that had ended."""
        if run.begun:
            await self._ask_about(run, (), later="It is as it was left: ctrl+s asks again.")
            return
        self.keep_now()
        await self.session.arranging.taken_in(run)

    async def _ask_about(self, run: ArrangeRun, facts: Sequence[str], *, later: str) -> None:
        """Show a plan, or what became of it so far; then go on from what it came to."""
        from copydesk.tui.arrange.plan_dialog import ArrangeSheet

        sheet = ArrangeSheet(run, facts, None if run.begun else self._as_planned)
        self.asked = True
        self.refresh_frame()
        try:
            outcome: Outcome | None = await self.desk.push_screen_wait(sheet)
        finally:
            self.asked = False
            self.refresh_frame()
        if sheet.overtaken:
            await self.send_staged("Others changed it meanwhile: this is the plan now.")
            return
        if outcome is None:
            self.tell(later)
            return
        before = self.sending
        rebased = await self._take_in(sheet.run)
        said = outcome.sentence
        if before is not None and outcome.complete and not outcome.back:
            said += self._meanwhile(before, sheet.run)
        if run.begun:  # it was begun in an earlier run of the program
            said = said.replace(" u takes ", " :undo takes ")
        if outcome.left and not outcome.rolled_back and not self.arrangement.dirty:
            said = f"{plural(outcome.sent, 'request')} sent. Nothing is left of the rest: "
            said += "others changed what it was about."
        self.tell(said, "good" if outcome.complete else "warn")
        if rebased.clashes or rebased.lost:
            await self._show_others(rebased, verb="keep ours on top")

    def _meanwhile(self, before: Arrangement, run: ArrangeRun) -> str:
        """Say what is not as it was sent: others changed it while the run went on."""
        if not self.EXACT:
            return ""
        made, now = {*run.made.values()}, before.bound(run.made).now
        found = [each for each in differences(now, self.arrangement.base) if each.id not in made]
        if not found:
            return ""
        more = f" and {len(found) - 1} more" if len(found) > 1 else ""
        return f" Others changed it meanwhile: {found[0].line}{more}."

    async def _as_planned(self) -> bool:
        """Read whether what is published is still what the plan is for. May raise."""
        layout = await self.read_layout(await self.session.ready())
        return layout.same(self.arrangement.base)

    async def _take_in(self, run: ArrangeRun) -> Rebased[Arrangement]:
        """Go on from what a run came to, which is over: read again, and forget it."""
        layout = await self.read_layout(await self.session.ready())
        before = self._before(run)
        if before is None:
            self.arrangement = self.arrangement.bound(run.made)
        else:
            self.arrangement = self._as_here(run.still_staged(before, layout))
        rebased = self.take(layout)
        self.sending = None
        if not self.arrangement.dirty:
            # What is published is what was wanted: there is no step left to undo here.
            self.arrangement = self.fresh(self.arrangement.base)
        self.keep_now()
        await self.session.arranging.taken_in(run)
        self.show_arrangement()
        return rebased

    def _before(self, run: ArrangeRun) -> Arrangement | None:
        """Return what was staged before a run; None where something else was staged since."""
        if self.sending is not None and self.arrangement.now.same(self.staged_then.now):
            return self.sending
        if run.staged and not self.arrangement.dirty:
            return type(self.arrangement).from_text(run.staged, *self.arrangement.ids)
        return None

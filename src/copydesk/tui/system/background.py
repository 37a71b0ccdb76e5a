"""Work behind the screens: merge runs, rearrangements, and the news."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from datetime import datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING

from copydesk.present.news import notice_codes, notice_text
from copydesk.session.reachability import seconds
from copydesk.tui.framework import navigation
from copydesk.tui.framework.workers import begin

if TYPE_CHECKING:
    from copydesk.session.news import NewsItem
    from copydesk.session.runs.merge import MergeRunner
    from copydesk.session.session import Session
    from copydesk.tui.framework.desk_app import DeskApp

NOBODY_SECONDS = 60.0
"""After how long without a key nobody is taken to look, where a terminal does not tell."""

NOTICE_SECONDS = 30
"""At most one notice is given in so many seconds."""


class Runs:
    """At most one merge run, and the rearrangements: they go on whatever place is in front."""

    def __init__(self, app: DeskApp) -> None:
        self._app = app
        self._runner: MergeRunner | None = None
        self._ticks: Callable[[], None] = lambda: None

    @property
    def merging(self) -> MergeRunner:
        """What goes through the merge run."""
        if self._runner is None:
            from copydesk.session.runs.merge import MergeRunner

            self._runner = MergeRunner(self._app.session, self._tell)
        return self._runner

    @property
    def merges(self) -> bool:
        """Whether a merge run is in progress."""
        return self._runner is not None and self._runner.active

    @property
    def note(self) -> tuple[str, str]:
        """What the header says of the merge run, and its tone; empty when there is none."""
        return ("", "") if self._runner is None else self._runner.note

    async def find_run(self) -> str:
        """Find the run of an earlier start that has not ended; return where it stopped."""
        await asyncio.to_thread(import_module, "copydesk.session.runs.merge")
        return await self.merging.find_interrupted()

    async def find_waiting(self) -> str:
        """Find the requests that wait for their rules; return how many there are."""
        await asyncio.to_thread(import_module, "copydesk.session.runs.waiting")
        waiting = self._app.session.waiting_merges
        try:
            await waiting.read()
        except OSError as error:
            return f"It cannot be read what waits to be merged: {error}"
        self._ticks = waiting.tick
        return f"{note}: M shows it." if (note := waiting.note()) else ""

    def tick(self) -> None:
        """Look at the requests that wait for their rules, if it is time to."""
        self._ticks()

    async def find_settling(self) -> str:
        """Find what an earlier start was settling; return what leads back to it."""
        settling = await asyncio.to_thread(import_module, "copydesk.session.settling")
        return str(await settling.find_cut_off(self._app.session))

    async def finish_applying(self) -> str:
        """Finish the suggestions that an earlier start was applying; return what came of it."""
        try:
            if not await asyncio.to_thread(self._app.session.applications.all):
                return ""
            suggestions = await asyncio.to_thread(import_module, "copydesk.session.suggestions")
            return str(await suggestions.finish_all_applying(self._app.session))
        except OSError as error:
            return f"It cannot be read which suggestions were being applied: {error}"

    async def rearranged(self) -> set[str]:
        """Return the groups of the writes by which an earlier start was rearranging something."""
        await asyncio.to_thread(import_module, "copydesk.session.runs.arrange")
        return await self._app.session.arranging.groups()

    async def find_rearranging(self) -> str:
        """Find what an earlier start was rearranging; return where that stopped."""
        left, said = await self._app.session.arranging.find_interrupted()
        stopped = []
        for run in left:
            entry = await asyncio.to_thread(navigation.find, run.place)
            keys = () if entry is None else entry.action.keys
            how = keys[0].replace(" ", "") if keys else "gt, then enter on it,"
            stopped.append(f"{run.standing()}: {how} goes on.")
        return " ".join([*stopped, said]).strip()

    def ask_to_leave(self) -> None:
        """Ask before the program ends in the middle of a run."""
        asks = self._ask_to_leave if self.merges else self._ask_to_stop
        begin(self._app, asks, name="leave the run")

    async def _ask_to_stop(self) -> None:
        """Ask before the program ends while something is rearranged."""
        from copydesk.tui.dialogs.dialog import Confirm

        sheet = Confirm(
            "Something is being rearranged",
            [
                "Quitting stops it where it is. What is under way may still arrive: the next "
                "start reads that first, and repeats nothing. It goes on from there, or back.",
            ],
            verb="quit",
        )
        if await self._app.push_screen_wait(sheet):
            self._app.exit()

    async def _ask_to_leave(self) -> None:
        from copydesk.tui.dialogs.dialog import Confirm

        run = self.merging.run
        if run is None:
            return
        sheet = Confirm(
            "A merge run is in progress",
            [
                f"It is at {run.far}: {run.count('done')} merged, {run.count('waiting')} wait.",
                "Quitting stops it where it is. What is under way may still arrive: the next "
                "start reads that first, and repeats nothing. M goes on then.",
            ],
            verb="quit",
        )
        if await self._app.push_screen_wait(sheet):
            self._app.exit()

    def _tell(self, said: str, tone: str) -> None:
        place = self._app.here
        if place is not None:
            # There M does nothing: what goes on is named by its footer.
            there = place.PLACE == "merge-run"
            place.say(said.replace(" M goes on.", " ctrl+s goes on.") if there else said, tone)


class Newsreader:
    """Has the news read when that is due, and tells of it outside of the screen.

    ``notices`` is the setting: "notice", "bell" or "quiet". ``ring`` and ``write`` reach the
    terminal.
    """

    def __init__(
        self,
        session: Session,
        notices: str,
        ring: Callable[[], None],
        write: Callable[[str], None],
    ) -> None:
        self._session, self._notices = session, notices
        self._ring, self._write = ring, write
        self._told_at: datetime | None = None

    def tick(self) -> None:
        """Read the news when they are due."""
        news = self._session.news
        if news.due():
            before = news.newest
            news.read_soon().add_done_callback(lambda done: self._came(before, done))

    def _came(self, before: NewsItem | None, done: asyncio.Task[None]) -> None:
        """Ring and show a notice to somebody who looks elsewhere, as the setting allows it."""
        news, now = self._session.news, self._session.clock()
        if done.cancelled() or news.newest in (None, before) or self._notices == "quiet":
            return
        contact = self._session.contact
        pressed_at = contact.pressed_at
        there = pressed_at is not None and seconds(pressed_at, now) < NOBODY_SECONDS
        if there and not contact.away:
            return  # the header is looked at
        often = timedelta(seconds=NOTICE_SECONDS)
        if self._told_at is not None and timedelta() <= now - self._told_at < often:
            return
        self._told_at = now
        self._ring()
        if self._notices == "notice":
            said = notice_text(news.items[: news.unseen])
            self._write(notice_codes(said, tmux=bool(os.environ.get("TMUX"))))

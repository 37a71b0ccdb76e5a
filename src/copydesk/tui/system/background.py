"""What the program does behind its screens: account, runs, news, drafts the disk refused."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from copydesk.present.news import notice_codes, notice_text
from copydesk.session.drafts import KEPT_AGAIN, refusal
from copydesk.session.errors import NotDoneError
from copydesk.session.reachability import (
    IDLE_SHARE,
    LONGEST_IDLE,
    WAITING_SECONDS,
    interval,
    seconds,
)
from copydesk.tui.framework import navigation
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.place import Place

if TYPE_CHECKING:
    from copydesk.local.runs import KeptRuns
    from copydesk.session.news import NewsItem
    from copydesk.session.profiles import Offers, ServiceOffer, Welcome
    from copydesk.session.runs.merge import MergeRunner
    from copydesk.session.session import Session
    from copydesk.tui.framework.desk_app import DeskApp

NOBODY_SECONDS = 60.0
"""After how long without a key nobody is taken to look, where a terminal does not tell."""

AWAY_SECONDS = 60.0
"""The interval between two reads of the news while nobody looks at the terminal."""

NOTICE_SECONDS = 30
"""At most one notice is given in so many seconds."""

MOST_TICKS = 30
"""How many seconds pass at most between two tries to keep what the disk refused."""


class OngoingRuns:
    """At most one merge run, and the rearrangements: they go on whatever place is in front."""

    def __init__(self, app: DeskApp) -> None:
        self._app = app
        self._runner: MergeRunner | None = None
        self._looked_at: datetime | None = None
        self.looking: asyncio.Task[None] | None = None
        """The last look at the requests that wait for their rules."""

    @property
    def merging(self) -> MergeRunner:
        """What goes through the merge run."""
        if self._runner is None:
            from copydesk.session.runs.merge import MergeRunner

            self._runner = MergeRunner(self._app.session, self.tell)
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
        if not await _has_any(self._app.session.runs):
            return ""
        await asyncio.to_thread(import_module, "copydesk.session.runs.merge")
        said = await self.merging.find_interrupted()
        place = self._app.here
        if self.merging.run is not None and place is not None and place.PLACE == "merge-run":
            place.read_again()  # it was opened before there was a run to read
        return said

    async def find_waiting(self) -> str:
        """Find the requests that wait for their rules; return how many there are."""
        if not await _has_any(self._app.session.waiting_runs):
            return ""
        await asyncio.to_thread(import_module, "copydesk.session.runs.waiting")
        waiting = self._app.session.waiting_merges
        try:
            await waiting.read()
        except OSError as error:
            return f"What waits to be merged cannot be read: {error}"
        self._looked_at = None  # what an earlier start left is looked at soon
        return f"{note}: M shows it." if (note := waiting.note()) else ""

    def tick(self) -> None:
        """Look in the background at the requests that wait for their rules, if it is time to."""
        session, now = self._app.session, self._app.session.clock()
        if session.read_only or session.held or session.contact.refused:
            return
        if self.looking is not None and not self.looking.done():
            return
        last = self._looked_at
        if last is not None and 0 <= seconds(last, now) < WAITING_SECONDS:
            return
        self._looked_at = now
        if last is not None or session.merges_when_ready:
            self.looking = asyncio.create_task(self._look())

    async def _look(self) -> None:
        session = self._app.session
        if not session.merges_when_ready and not await _has_any(session.waiting_runs):
            return
        await asyncio.to_thread(import_module, "copydesk.session.runs.waiting")
        with suppress(NotDoneError):  # another program looks at them
            await session.waiting_merges.look()

    async def find_settling(self) -> str:
        """Find what an earlier start was settling; return what leads back to it."""
        if not await _has_any(self._app.session.settlings):
            return ""
        settlement = await asyncio.to_thread(import_module, "copydesk.session.settlement")
        return str(await settlement.find_cut_off(self._app.session))

    async def finish_applying(self) -> str:
        """Finish the suggestions that an earlier start was applying; return what came of it."""
        if not await _has_any(self._app.session.applications):
            return ""
        try:
            suggestions = await asyncio.to_thread(import_module, "copydesk.session.suggestions")
            return str(await suggestions.finish_all_applying(self._app.session))
        except OSError as error:
            return f"The suggestions that were being applied cannot be read: {error}"

    async def rearranged(self) -> set[str]:
        """Return the groups of the writes by which an earlier start was rearranging something."""
        if not await _has_any(self._app.session.arrangements):
            return set()
        await asyncio.to_thread(import_module, "copydesk.session.runs.arrange")
        return await self._app.session.arranging.groups()

    async def find_rearranging(self) -> str:
        """Find what an earlier start was rearranging; return where that stopped."""
        if not await _has_any(self._app.session.arrangements):
            return ""
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
        from copydesk.present.facts import hint
        from copydesk.tui.dialogs.dialog import Confirm

        run = self.merging.run
        if run is None:
            return
        sheet = Confirm(
            "A merge run is in progress",
            [
                f"At {run.far}: {run.count('done')} merged, {run.count('waiting')} wait.",
                hint(
                    "Quitting stops it where it is. What is under way may still arrive: the next "
                    "start reads that first, and repeats nothing. M goes on then.",
                    "",
                ),
            ],
            verb="quit",
        )
        if await self._app.push_screen_wait(sheet):
            self._app.exit()

    def tell(self, said: str, tone: str = "") -> None:
        """Say what became of a run, on the place that is in front."""
        place = self._app.here
        if place is not None:
            # There M does nothing: what goes on is named by its footer.
            there = place.PLACE == "merge-run"
            if there:
                said = said.replace(" M goes on.", " ctrl+s goes on.")
                said = said.replace(" M, then enter", " enter")
            place.say(said, tone)


async def _has_any(kept: KeptRuns[Any]) -> bool:
    """Whether any runs of a kind are kept: without any, what goes through them is not loaded.

    Where that cannot be read, whoever reads them says so.
    """
    try:
        return await asyncio.to_thread(kept.any)
    except OSError:
        return True


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
        self._read_at: datetime | None = None
        self.reading: asyncio.Task[None] | None = None
        """The last read, which may be under way."""

    def tick(self) -> None:
        """Read the news when they are due, but not for a window that would show nothing of them."""
        session = self._session
        quiet = self._notices == "quiet" and not session.awaited("on_news")
        if quiet and session.contact.away:
            return
        if self._due():
            before = session.unseen_news[:1]
            self._read_at = session.clock()
            self.reading = asyncio.create_task(session.news.read())
            self.reading.add_done_callback(lambda done: self._came(before, done))

    def _due(self) -> bool:
        """Whether it is time to read; the first time comes one interval after the start."""
        session, now = self._session, self._session.clock()
        contact = session.contact
        if session.me is None or not session.organization or session.held:
            return False
        if contact.refused or not session.may_spend:
            return False
        if self._read_at is None:
            self._read_at = now
            return False
        idle = 0.0 if contact.pressed_at is None else seconds(contact.pressed_at, now)
        away = contact.away or idle > LONGEST_IDLE / IDLE_SHARE
        wait = AWAY_SECONDS if away else interval(session.share)
        reading = self.reading is not None and not self.reading.done()
        return not reading and not 0 <= seconds(self._read_at, now) < wait

    def _came(self, before: Sequence[NewsItem], done: asyncio.Task[None]) -> None:
        """Ring and show a notice to somebody who looks elsewhere, as the setting allows it."""
        news, now = self._session.unseen_news, self._session.clock()
        if done.cancelled() or not news or news[:1] == before or self._notices == "quiet":
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
            self._write(notice_codes(notice_text(news), tmux=bool(os.environ.get("TMUX"))))


class DraftKeeper:
    """Has drafts kept that the disk refused, and shows what other windows typed."""

    def __init__(self, app: DeskApp) -> None:
        self._app = app
        self._trouble = ""
        self._untold = False
        self.trying: asyncio.Task[None] | None = None
        """The last try to keep what the disk refused."""
        self._following: asyncio.Task[None] | None = None
        self._ticks = self._ticks_left = 0

    def tick(self) -> None:
        """Tell when the disk begins to refuse drafts, and try again while it does.

        Called every second: what is refused is tried after 1, 2, 4 … `MOST_TICKS` of them. An
        error that has just been said, as what of this was not kept, is read first.
        """
        app = self._app
        drafts = app.session.drafts
        if drafts.trouble != self._trouble:
            self._trouble, self._ticks, self._ticks_left = drafts.trouble, 1, 0
            self._untold = True
        if self._untold and not (self._trouble and app.here is not None and app.here.shows_error):
            self._untold = False
            if self._trouble:
                app.session.report(refusal(self._trouble), "bad")
            else:
                app.session.report(KEPT_AGAIN, "good")
        if drafts.begins_anew:
            drafts.begins_anew = False
            app.recover_soon()
        if self._following is None or self._following.done():
            self._following = asyncio.create_task(self._follow(), name="follow")
        if not drafts.trouble or (self.trying is not None and not self.trying.done()):
            return
        self._ticks_left -= 1
        if self._ticks_left < 0:
            self._ticks_left, self._ticks = self._ticks - 1, min(MOST_TICKS, 2 * self._ticks)
            self.trying = asyncio.create_task(asyncio.to_thread(drafts.again), name="drafts")

    async def _follow(self) -> None:
        """Show what other windows have kept or sent meanwhile, and what became of the file."""
        app = self._app
        drafts = app.session.drafts
        with suppress(OSError):  # which is said as soon as something is to be kept
            if await asyncio.to_thread(drafts.follow) and app.here is not None:
                app.here.others_typed()
        if said := drafts.damage_report():
            said = f"{said} Look whether a draft is missing (g d)."
            app.session.note(said)
            app.session.report(said, "bad")


CLOSING_SECONDS = 1.0
"""How long the end of the program may take for letting go of a service."""


class CurrentAccount:
    """Whom the program goes on as: its token can be replaced, and its profile left for another."""

    def __init__(self, app: DeskApp) -> None:
        self._desk = app
        self.offers: Offers | None = None
        """What ``:profile`` leads to; None where there is nothing."""
        self.bound_for: str | None = None
        """The id of the offer that it was left for; None where it was simply left."""
        self.back: str | None = None
        """What ``q`` leaves the first screen for, as `bound_for`; None ends the program."""
        self.welcome: Welcome | None = None
        """What is told in the first runs; None where there is nothing."""
        self.lasting: Sequence[str] = ()
        """What is said until Esc hides it, in several lengths: that settings are not used."""
        self.opens_with = ""
        """The first message: where the screen came from, mistakes in the settings."""
        self.points = ""
        """What follows that, but where the settings are in front."""
        self._typing_token = False
        self._hints: Sequence[str] = ()

    async def close(self) -> None:
        """Close the connection; its cached data stay."""
        api = self._desk.session.api
        if api is not None and (api.caches or self.bound_for is not None):
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSING_SECONDS):
                    await api.aclose()

    # The first run

    async def find_hints(self) -> None:
        """Find out whether something is to be told in this run."""
        if self.welcome is not None:
            self._hints = await asyncio.to_thread(self.welcome.hints)
            self._desk.session.touched()

    def hint(self, width: int) -> str:
        """Return the hint for a line of ``width`` cells; that of first runs until one writes."""
        hints = self.lasting or (() if self._desk.session.log else self._hints)
        if self.lasting and self._in_settings:
            return ""
        return next((each for each in hints if cell_len(each) <= width), "")

    def first_words(self) -> str:
        """Return what is said first."""
        return self.opens_with if self._in_settings else self.opens_with + self.points

    @property
    def _in_settings(self) -> bool:
        """Whether the settings are in front, which tell their mistakes themselves."""
        places = (getattr(each, "PLACE", "") for each in reversed(self._desk.screen_stack))
        return next(filter(None, places), "") == "settings"

    def hide_hint(self) -> None:
        """Tell it no more."""
        if self.lasting:
            self.lasting = ()
        elif self.welcome is not None:
            self._hints = ()
            begin(self._desk, asyncio.to_thread, self.welcome.hide, name="hide the hint")
        self._desk.session.touched()

    # Who it is

    async def show_me(self) -> None:
        """Show who is signed in, and at which service. Raises what the client raises."""
        from copydesk.tui.dialogs.dialog import Notice
        from copydesk.tui.system.account import who_i_am

        session = self._desk.session
        facts = await who_i_am(session, await session.ready())
        await self._desk.push_screen_wait(Notice("Who is signed in", facts))

    # Another token

    def open_token(self) -> None:
        """Ask for another token, over whatever is in front; nothing under it is touched."""
        if not self._typing_token:
            self._typing_token = True
            begin(self._desk, self._change_token, name="token")

    async def _change_token(self) -> None:
        from copydesk.tui.system.account import TokenSheet

        app, session = self._desk, self._desk.session
        assert session.token is not None
        try:
            said = await app.push_screen_wait(TokenSheet(session, session.token))
        finally:
            self._typing_token = False
        place = app.here
        if said is None or place is None:
            return
        place.say(said, "good")
        if isinstance(place, Place) and place.reads.may_poll:
            # What could not be read is read now; nothing that was to be sent is sent again.
            place.read_again(by_hand=place.reads.unread or place.reads.read_at is None)

    def read_for_another(self) -> None:
        """Read anew what every place shows: it was kept for somebody else."""
        app = self._desk
        app.session.left.clear()
        for screen in app.screen_stack:
            if isinstance(screen, Place):
                screen.reads.doubt()
        if app.here is not None:
            app.here.read_again()

    # Another profile

    @property
    def profile_names(self) -> Sequence[str]:
        """The names that ``:profile`` takes, for its completion; none where they are not read."""
        try:
            known = self.offers.known() if self.offers is not None else ()
        except NotDoneError:
            return ()
        return [each.name for each in known if each.name]

    async def change_profile(self, name: str, *, manual: bool = False) -> None:
        """Leave for the profile of that name, or for one that is chosen where none is given.

        Or for the ``manual``.

        Raises `NotDoneError`: then all stays as it is.
        """
        from copydesk.tui.system.account import choose_offer, offer_named

        if self.offers is None:
            raise NotDoneError(f"There {'is no manual' if manual else 'are no profiles'} here.")
        if manual:
            await self._leave_for(self.offers, self.offers.manual)
            return
        known = await asyncio.to_thread(self.offers.known)
        offer = offer_named(known, name) if name else await choose_offer(self._desk, known)
        if offer is not None:
            await self._leave_for(self.offers, offer)

    async def _leave_for(self, offers: Offers, offer: ServiceOffer) -> None:
        if offer.current:
            raise NotDoneError(f"{offer.title} is open already.")
        await asyncio.to_thread(offers.prepare, offer)
        self._desk.leave(bound_for=offer.id)

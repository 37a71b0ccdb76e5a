"""How a place reads: in the background, by hand and again by itself."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Sequence
from contextvars import Context, copy_context
from datetime import datetime
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from copydesk.domain.moments import DAY, HOUR, MINUTE, time_or_date
from copydesk.domain.request_context import ASKER, MISREAD, Asker, Misread, Why
from copydesk.session.cached_reads import read_cached
from copydesk.session.errors import NOT_CACHED, failure_types, sentence, silence_types
from copydesk.session.reachability import LATE_SECONDS, Contact, interval, seconds
from copydesk.tui.framework.actions import lack
from copydesk.tui.framework.desk_app import Pause, begin
from copydesk.tui.framework.frame import NAMED_WIDTH, STOPS, Said
from copydesk.tui.framework.paged_source import PagedSource
from copydesk.tui.framework.source import ListSource, Source

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.tui.framework.actions import Action
    from copydesk.tui.framework.pane import Pane
    from copydesk.tui.framework.place import Place

T = TypeVar("T")

Kept = Literal["first", "away", "never"]
"""When the cached answer of a read is shown: until the answer, without one, or never."""

SLOW_SECONDS = 2.0
"""After how long a read says that it is slow."""

FRAME_SECONDS = 0.1
"""How long keys must pause before the footer, and what else belongs to the row, follows."""

REST_SECONDS = 0.2
"""How long no key was pressed when what nobody waits for is read."""


class Reads:
    """The reads of a place, by group, and how old and how sound what it shows is."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.misread = Misread()
        """The items of what it shows that could not be understood."""
        self._reads: dict[str, asyncio.Task[bool]] = {}
        self._aside: set[str] = set()
        """The groups of reads beside which the place is read again by itself all the same."""
        self.way_here: Action | None = None
        """What opened the place by its name; None where it was not opened so."""
        self.shown_at = 0.0
        """When the place was in front for the first time, on the clock of the keys; 0 before."""
        self.read_at: datetime | None = None
        """When all of what the place shows was read; None before that."""
        self.sound_at: datetime | None = None
        """When a read last ended without a failure and without being stopped."""
        self.asked_at: datetime | None = None
        """When that was last asked for, whatever came of it."""
        self.unread = False
        """Whether the last read failed whole."""
        self.useless = 0
        """How many times in a row some of it was answered, but not so that it can be used."""
        self.hushed = False
        """Whether the current read is automatic, and shows no progress."""
        self._kept: dict[str, datetime] = {}
        """When the service sent the shown data, by group, where these are cached.

        What was left before the service answered is here under a name of its own (`_left`).
        """
        self._read_behind: dict[str, str] = {}
        """The label of the read that runs behind the cached data of each group."""
        self._failing: set[str] = set()
        """The groups whose last read the service did not answer, or not so that it can be used."""
        self._live: dict[str, datetime] = {}
        """When the last read of a group that the service answered was begun."""
        self.pause = Pause(FRAME_SECONDS, place.refresh_frame)
        """Waits for keys to pause, and has the frame brought up to date then."""
        self._moved: dict[Pane, Context] = {}
        """The lists whose row under the cursor is not followed yet, by where they were moved."""

    @property
    def misread_note(self) -> str:
        """That items of what it shows could not be read, and the key that shows them; or ""."""
        said = self.misread.said
        return f"{said} g j shows which." if said else ""

    @property
    def kept_at(self) -> datetime | None:
        """The age of the oldest cached answer on screen; None if there is none."""
        sources = (source.kept_at for source in self.paged_sources())
        return min((at for at in (*self._kept.values(), *sources) if at is not None), default=None)

    @property
    def failing(self) -> bool:
        """Whether the last read of something on screen failed."""
        return bool(self._failing) or any(source.silent for source in self.paged_sources())

    def doubt(self) -> None:
        """Have all of it read again once it is in front: nothing of it is known to be so."""
        self._kept["doubt"], self._live = self._place.session.clock(), {}
        self.read_at = None

    def poll(self) -> None:
        """Refresh the lists of the place that are read page by page."""
        paged = self.paged_sources()
        if paged:
            self.load(
                "poll", lambda api: self._refresh_paged(paged), lambda _: None, what="Reading again"
            )
        elif (contact := self._place.session.contact).offline or contact.limited:
            # Nobody else would find out that the service is back.
            self._place.reload()

    def paged_sources(self) -> list[PagedSource[Any]]:
        """Return the lists of the place that are on screen and are read page by page."""
        bases = (getattr(source, "base", source) for source in self._sources())
        return [source for source in bases if isinstance(source, PagedSource)]

    def _news(self) -> int:
        """Return how many changes on screen others made since it was seen."""
        bases = (getattr(source, "base", source) for source in self._sources())
        return sum(base.waiting + len(base.fresh) for base in bases if isinstance(base, Source))

    def _sources(self) -> list[Any]:
        shown = (pane for pane in self._place.mounted_panes if pane.display)
        return [getattr(pane, "source", None) for pane in shown]

    async def _refresh_paged(self, sources: Sequence[PagedSource[Any]]) -> None:
        for source in sources:
            await source.refresh()

    def again(self, *, by_hand: bool = True) -> None:
        """Read what the place shows: `reload` by hand, else a quiet `poll`.

        What is shown of what was kept, or could not be read, is read whole by itself as well.
        """
        if self._place.nowhere:
            begin(self._place, self._find_organization, name="organization", exclusive=True)
        before, marked, news = set(self._reads.values()), dict(self._kept), self._news()
        again = self.asked_at is not None
        self.hushed, self.asked_at = not by_hand, self._place.session.clock()
        whole, ailing = by_hand or self.kept_at is not None or self.failing, set(self._failing)
        if by_hand and again:
            self._place.session.contact.told = False  # who asks is answered
        try:
            if whole:
                self.misread.forget()
                self._place.reload()
            else:
                self._place.poll()
        finally:
            self.hushed = False
        begun = {group: task for group, task in self._reads.items() if task not in before}
        waiting, asked, good, some, failed = set(begun), self.asked_at, True, False, False

        def ended(group: str, task: asyncio.Task[bool]) -> None:
            nonlocal good, some, failed
            stopped = task.cancelled()
            newer = self._reads.get(group)
            if stopped and newer is not None and newer is not task:
                # It was begun anew, as by rows that came: that one tells how it ends.
                newer.add_done_callback(partial(ended, group))
                return
            waiting.discard(group)
            answered = not stopped and not task.exception() and task.result()
            good, some = good and answered, some or answered or stopped
            failed = failed or not (answered or stopped)
            if not waiting and self.unread == some:
                self.unread = not some
                self._place.refresh_frame()
            if waiting:
                return
            if not by_hand and self._news() > news:
                self._place.session.contact.changed_at = asked
            if some and not (failed or self._place.session.offline):
                self.sound_at = asked
            if whole and not failed:
                self._failing -= ailing
                # What was marked before and was not asked for again is shown no more.
                self._kept = {g: at for g, at in self._kept.items() if marked.get(g) != at}
                self._place.refresh_frame()
            # Of what is out of reach the session knows how soon to ask.
            useless = self.failing and not self._place.session.offline
            self.useless = self.useless + 1 if useless else 0
            if not good:
                self._place.refresh_head()
                return
            if self._place.session.offline:
                return  # what was read is on this machine: the service has said nothing since
            # It is as old as the question: the answer may tell of any moment since.
            lacking = any(source.error or source.kept_at for source in self.paged_sources())
            if not (lacking or self._failing):
                self.read_at = asked
            self._place.refresh_frame()

        for group, task in begun.items():
            task.add_done_callback(partial(ended, group))

    async def _find_organization(self) -> None:
        """Look whether the reader is in an organization by now, and read what it has."""
        session = self._place.session
        if session.api is None:
            return
        try:
            await session.identify(session, session.api)
        except failure_types() as error:
            session.learn(error, quiet=True)
            return
        if session.organization is not None and self._place.is_attached:
            self._place.target = self._place.target.but(organization=session.organization)
            self._place.reload()
            self._place.refresh_frame()

    @property
    def may_poll(self) -> bool:
        """Whether reading again disturbs nobody: not while something is typed or being read."""
        typing = bool(self._place.query("Prompt")) or getattr(
            self._place.focused, "TYPES_TEXT", False
        )
        reads = (task for group, task in self._reads.items() if group not in self._aside)
        return not typing and all(task.done() for task in reads) and self._place.is_attached

    def notice_failures(self) -> None:
        """Take note of lists that could not be read, which fail by themselves."""
        for source in self.paged_sources():
            error, source.failure = source.failure, None
            if error is not None:
                self._take_failure(error, quiet=False)

    def moved(self, rows: Pane) -> None:
        """Have what belongs to the row under the cursor of a list follow it once keys pause.

        What is read then is still read for the action that moved the cursor.
        """
        self._moved[rows] = copy_context()
        self.pause.ask()

    def follow(self, *, at_once: bool = False) -> None:
        """Have the place follow the cursors that moved, if keys paused, or else ``at_once``."""
        if self._moved and (at_once or not self.pause.asked):
            moved, self._moved = self._moved, {}
            for rows, context in moved.items():
                context.run(self._place.follow_cursor, rows)

    def load(
        self,
        group: str,
        read: Callable[[Api], Awaitable[T]],
        then: Callable[[T], None],
        *,
        what: str,
        failed: Callable[[str], None] | None = None,
        after: float = 0.0,
        local: bool = False,
        quiet: bool = False,
        kept: Kept = "first",
        of: str = "",
    ) -> None:
        """Read something and hand it to ``then``, on the event loop.

        What is kept of it on this machine is handed to ``then`` before. With "away" that is done
        only where the service cannot be asked now, as for what is taken down while it is read; with
        "never" not even then, for what is decided by and what nobody has asked for yet.

        A newer read of the same ``group`` cancels the older. ``of`` tells what is read from others
        of the group, where ``what`` does not: see `left_behind`. ``what`` names it while it is slow
        ("Reading spaces"); ``after`` waits that many seconds first, and until keys pause, so that a
        cursor passing by reads nothing. A failure is said in the status line, and to ``failed`` if
        given. What a poll loads says nothing, neither that it is slow nor that it failed, and
        neither does what is ``quiet``, which nobody has asked for yet. What is ``local`` is
        read on this machine, without the client: that says nothing of the service.
        """
        failing = group in self._failing
        asker = self._asker(after, quiet=quiet)
        self.cancel(group)
        if failing:  # until there is an answer
            self._failing.add(group)
        self._reads[group] = asyncio.create_task(
            self._load(
                group,
                read,
                then,
                what,
                failed,
                after,
                quiet=quiet or self.hushed,
                local=local,
                kept="never" if local or self.hushed else kept,
                of=of or what,
                asker=asker,
            ),
            name=f"load {group}",
        )
        self._reads[group].add_done_callback(partial(self._over, group))

    def ask_for(self, asker: Asker) -> None:
        """Tag the requests of this task and of its children as read for the place."""
        ASKER.set(asker)
        MISREAD.set(self.misread)

    def _asker(self, after: float, *, quiet: bool) -> Asker:
        """Return for whom something is read now; what follows from a read is for the same."""
        if self.hushed:
            why = Why.AHEAD if ASKER.get().why is Why.AHEAD else Why.POLLING
        else:
            why = Why.AHEAD if quiet else Why.VISIBLE if after else Why.KEY
        return Asker(self._place.PLACE, why)

    def _over(self, group: str, task: asyncio.Task[bool]) -> None:
        if self._reads.get(group) is task:
            del self._reads[group]  # it keeps its result, and the context that it began in
        # Nothing else tells the header that what failed is not being read any more.
        if self.failing and not self.loads:
            self._place.refresh_head()

    async def now(
        self, group: str, read: Callable[[], Awaitable[T]], what: str, *, long: bool = False
    ) -> T | None:
        """Read what an action goes on with, said at once; None when the reader stopped it.

        What the read raises goes on to the caller. Keys that come meanwhile wait for where the
        action leads. Of a ``long`` one it is said for how long it goes on already, and polls and
        keys go on beside it.
        """
        found: list[T] = []
        early = self._place.desk.keyboard.early
        early.frees() if long else early.reads(self._place)

        async def reading() -> bool:
            found.append(await read())
            return True

        self.cancel(group)
        task = self._reads[group] = asyncio.create_task(reading(), name=f"load {group}")
        self._slow(group, f"{what}…{STOPS}")
        clock, ages = None, itertools.count(1)
        if long:
            self._aside.add(group)
            clock = self._place.set_interval(
                1, lambda: self.progress(group, f"{what}, for {next(ages)} s now")
            )
        try:
            await asyncio.wait((task,))
        finally:
            if clock is not None:
                clock.stop()
                self._aside.discard(group)
            task.cancel()  # which does nothing to one that is over
            if self._reads.get(group) is task:
                del self._reads[group]
            self._slow(group, "")
        if task.cancelled():
            return None
        task.result()
        return found[0]

    async def rested(self) -> None:
        """Wait until keys pause: reads of many requests that nobody asked for give way to them."""
        keyboard = self._place.desk.keyboard
        while True:
            left = keyboard.key_at + REST_SECONDS - monotonic()
            if left <= 0:
                return
            await asyncio.sleep(left)

    @property
    def slow(self) -> bool:
        """Whether something is read for so long that it is said."""
        return self._place.framed and bool(self._place.status.slow)

    def progress(self, group: str, text: str) -> None:
        """Say how far a read is, where it is slow enough to be shown."""
        if self._place.framed and group in self._place.status.slow:
            self._slow(group, f"{text}…{STOPS}")

    def cancel(self, group: str) -> bool:
        """Stop a read; False when there is none."""
        task = self._reads.pop(group, None)
        self._slow(group, "")
        self._failing.discard(group)
        of = self._read_behind.pop(group, None)
        if of is not None and group in self._kept:
            # Whatever the place remembers of it came from what is kept.
            self._kept[_left(group, of)] = self._kept.pop(group)
        return task is not None and not task.done() and task.cancel()

    def left_behind(self, group: str, of: str) -> bool:
        """Whether only a cached read of it was shown: the service has not answered yet.

        A place that remembers what it has read asks for this before it trusts its memory.
        """
        return _left(group, of) in self._kept or self._read_behind.get(group) == of

    def under_way(self, group: str) -> bool:
        """Whether a read of this group is under way."""
        task = self._reads.get(group)
        return task is not None and not task.done()

    @property
    def loads(self) -> list[asyncio.Task[bool]]:
        """The reads under way."""
        return [task for task in self._reads.values() if not task.done()]

    @property
    def reading(self) -> bool:
        """Whether what the place shows is being read, or is about to be for the first time."""
        return self.asked_at is None or bool(self.loads)

    @property
    def unread_yet(self) -> bool:
        """Whether something of it is being read: what lacks now may be there soon.

        A read that has just ended is one until it is known what came of it.
        """
        if self.asked_at is None or self._reads:
            return True
        return any(getattr(source, "busy", False) for source in self._sources())

    async def _load(
        self,
        group: str,
        read: Callable[[Api], Awaitable[T]],
        then: Callable[[T], None],
        what: str,
        failed: Callable[[str], None] | None,
        after: float,
        *,
        quiet: bool,
        local: bool,
        kept: Kept,
        of: str,
        asker: Asker,
    ) -> bool:
        self.ask_for(asker)
        if after:
            await asyncio.sleep(after)
            await self.rested()
        slow = asyncio.get_running_loop().call_later(  # as in `Pause`
            SLOW_SECONDS, self._slow, group, "" if quiet else f"{what}…{STOPS}"
        )
        failures = failure_types()
        session = self._place.session
        begun, recalled, keeps = session.clock(), False, False
        try:
            # What is on this machine waits for nobody, also before the service has answered.
            api = cast("Api", session.api) if local else await session.ready()
            if self._place.IN_ORGANIZATION and self._place.nowhere and not local:
                if failed is not None:
                    failed(self._place.nowhere)
                return True
            keeps = not local and api.caches and kept != "never"
            # Who passes by reads nothing that was kept while the service answers: it would be taken
            # for what is known, and not be read.
            first = not after or session.unanswered if kept == "first" else session.held
            if keeps and first:
                recalled = await self._recall(group, of, lambda: read(api), then, quiet=quiet)
                begun = session.clock()
            answers = 0 if local else api.answers
            result = await read(api)
            # What swallows a failure, or asks for nothing, says nothing of the service.
            answered = not local and (not api.caches or api.answers > answers)
        except failures as error:
            from copydesk.client.errors import Unreachable

            away, silent = isinstance(error, Unreachable), isinstance(error, silence_types())
            if silent and not local:
                self._failing.add(group)
            if keeps and silent and not recalled:
                recalled = await self._recall(group, of, lambda: read(api), then, quiet=quiet)
            if (away or session.contact.limited) and self.kept_at is not None:
                # The header says it, and since when: that is told in full only once.
                quiet = quiet or session.contact.told
                session.contact.told = session.contact.told or not quiet
            lacking = keeps and away and not recalled and group not in self._live
            self._failed(
                error, None if recalled and silent else failed, quiet=quiet, lacking=lacking
            )
            return False
        finally:
            slow.cancel()
            if self._reads.get(group) is asyncio.current_task():
                self._read_behind.pop(group, None)
                self._slow(group, "")
        self._failing.discard(group)
        if answered:
            session.fresh(tell=False)
        if answered or not recalled:
            self._kept.pop(group, None)
            self._kept.pop(_left(group, of), None)
            self._live[group] = begun
        waiting = self._waiting() if recalled else ()
        try:
            if self._place.is_attached:
                if not local:
                    self._place.cached = False
                self._hand(then, result, quiet=quiet)
                for source in self._waiting() if recalled else ():
                    if source not in waiting:
                        source.fold()  # it takes the place of what was kept: nobody waits for it
        finally:
            session.touched()  # once for the answer and for what came of it
        return True

    def _hand(self, then: Callable[[T], None], result: T, *, quiet: bool) -> None:
        self.hushed = quiet
        try:
            then(result)
        finally:
            self.hushed = False

    async def _recall(
        self,
        group: str,
        of: str,
        read: Callable[[], Awaitable[T]],
        then: Callable[[T], None],
        *,
        quiet: bool,
    ) -> bool:
        """Show the cached read unless a newer one is shown; return whether it does."""
        session = self._place.session
        found = await read_cached(read)
        if found is None or found.at is None or not self._place.is_attached:
            return False
        if not session.may_recall(found.at):
            return False
        if (live := self._live.get(group)) is not None and found.at >= live:
            return False  # it is what is shown already
        self._kept[group], self._read_behind[group] = found.at, of
        self._hand(then, found.result, quiet=quiet)
        session.touched()
        return True

    def _waiting(self) -> list[ListSource[Any]]:
        """Return the lists on screen that have rows which wait to be folded in."""
        bases = (getattr(source, "base", source) for source in self._sources())
        return [base for base in bases if isinstance(base, ListSource) and base.waiting]

    def _failed(
        self,
        error: Exception,
        failed: Callable[[str], None] | None,
        *,
        quiet: bool,
        lacking: bool = False,
    ) -> None:
        """Tell of a failure; it is ``lacking`` where it might have been kept, and is not."""
        self._take_failure(error, quiet=quiet)
        text = sentence(error)
        if not quiet:
            self._place.tell(text, "bad")
        if failed is not None and self._place.is_attached:
            failed(f"{NOT_CACHED}{text}" if lacking else text)

    def turn_back(self) -> None:
        """Go back where the service turns out to have nothing for the place.

        The way here is refused once that is known. Where nothing is below, the place stays.
        """
        app, way = self._place.desk, self.way_here
        first = sum(hasattr(screen, "reads") for screen in app.screen_stack) < 2
        if way is None or first or app.screen is not self._place:
            return
        if (why := lack(app.session, way)) is not None:
            self.way_here = None
            app.call_later(self._turned_back, why)

    def _turned_back(self, why: str) -> None:
        app = self._place.desk
        if app.screen is self._place:
            app.pop_screen()
        if app.here is not None:
            app.here.say(why, "warn")
        app.keyboard.early.drop(why)

    def _take_failure(self, error: Exception, *, quiet: bool) -> None:
        """Learn from a failure how soon to ask again by itself."""
        session = self._place.session
        refused = session.contact.refused
        session.learn(error, quiet=quiet)
        if session.lacks_any:
            self.turn_back()
        if quiet and session.contact.refused and not refused:
            self._place.tell(sentence(error), "bad")

    def _slow(self, group: str, text: str) -> None:
        if not self._place.framed:
            return
        status = self._place.status
        if text:
            status.slow[group] = text
        elif status.slow.pop(group, None) is None:
            return  # it was not said, so there is nothing to take back
        status.update()

    def stop_reading(self) -> bool:
        """Stop the reads that are shown as slow; False when there are none."""
        status = self._place.status
        stopped = [self.cancel(group) for group in list(status.slow)]
        return any(stopped)

    def stop_all(self) -> None:
        """Stop every read: the place goes away."""
        for task in self._reads.values():
            task.cancel()


def _left(group: str, of: str) -> str:
    """Return the name of the note that a row was left while only its cached read was shown."""
    return f"{group}, left: {of}"


def age_line(place: Place, width: int) -> Said:
    """Return how old what a place shows is; live only while it is younger than its interval."""
    session = place.session
    now, kept = session.clock(), place.reads.kept_at
    read_at = kept or place.reads.read_at or session.read_at
    since = f", data from {time_or_date(read_at, now)}" if read_at else ""
    if session.contact.refused:
        how = " (ctrl+g)" if width >= 80 else ""
        return "bad", (f"token refused{since}{how}", f"token refused{how}", "token refused")
    if session.offline:
        said = f"offline{since}, retry in {session.contact.wait(now)} s"
        hint = [f"{said} (R now)"] if width >= 80 else []
        return "bad", (*hint, said, f"offline{since}", "offline")
    if session.contact.limited:
        if place.reads.read_at is None and kept is None:
            since = ""  # of what is shown here nothing is read
        why = session.contact.limited
        said = f"{why}{since}, again {_again(session.contact, now)}"
        hint = [f"{said} (R now)"] if width >= 80 else []
        return "bad", (*hint, said, f"{why}{since}", why)
    if kept is not None:
        old = f"saved {_ago(seconds(kept, now))}"
        if place.reads.reading:
            return "warn", (f"{old}, reading", old, "saved")
        return "warn", (*_tries(f"{old}, not read", place, now, width), old, "saved")
    never = place.reads.read_at is None and place.reads.sound_at is None
    if place.reads.unread and never and not place.reads.loads:
        unread = "cached, not read" if place.cached else "not read"
        if not place.reads.failing:  # it was refused: read again, it comes to the same
            return "bad", (unread, "not read")
        return "bad", (*_tries(unread, place, now, width), "not read")
    if read_at is None:
        return "warn", ("cached, connecting" if place.cached else "connecting", "connecting")
    if place.AGED and place.reads.read_at is None and place.reads.loads:
        # What the service said of other things makes this no younger.
        return "warn", (f"reading the {place.AGED}", "reading")
    if never and place.reads.slow:
        return "warn", ("reading",)  # what was read of other things is no news of this
    if place.reads.failing:
        # Something of it is not as the service has it now, whatever else was answered.
        sound = place.reads.read_at or place.reads.sound_at
        if sound is None:
            return ("bad", ("not read",)) if place.reads.unread else ("warn", ("partly read",))
        since = f"read {_ago(seconds(sound, now))}"
        return "warn", (f"{since}, not all since", since)
    age = max(0.0, seconds(read_at, now))
    live = age <= interval(session.share) + LATE_SECONDS
    brief = ("live " if live else "read ") + short_age(age) + ("" if live else " ago")
    long = brief
    if place.AGED and width >= NAMED_WIDTH:
        since = short_age(age)
        long = f"{place.AGED} read {since}{'' if since == 'now' else ' ago'}"
    return ("good" if live else ""), (long, brief)


def _tries(said: str, place: Place, now: datetime, width: int) -> Sequence[str]:
    """Return the age texts of a place, the longest (with the time of the next read) first."""
    session = place.session
    wait = session.contact.wait(
        now, place.reads.asked_at, share=session.share, failures=place.reads.useless
    )
    again = f"{said}, again in {wait} s"
    return (*([f"{again} (R now)"] if width >= 80 else ()), again, said)


def _again(contact: Contact, now: datetime) -> str:
    """Return when a service is asked again that says so itself: it may be days from now."""
    wait, at = contact.wait(now), contact.retry_at
    if at is None or wait < 2 * MINUTE:
        return f"in {wait} s"
    return f"at {time_or_date(at, now)}" if wait < DAY else f"on {time_or_date(at, now)}"


AGE_STEP = 10
"""Ages below a minute are shown in steps of so many seconds: each one is drawn."""


def short_age(age: float) -> str:
    """Return seconds as the header says them: ``now``, ``20s``, ``5 min``, ``3 h``."""
    whole = int(age)
    if whole < MINUTE:
        step = whole // AGE_STEP * AGE_STEP
        return f"{step}s" if step else "now"
    return f"{whole // MINUTE} min" if whole < HOUR else f"{whole // HOUR} h"


def _ago(age: float) -> str:
    if age < MINUTE:
        return "a moment ago"
    return f"{int(age // DAY)} days ago" if age >= 2 * DAY else f"{short_age(age)} ago"

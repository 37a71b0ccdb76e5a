"""The application: places on a stack, keys, themes, the first paint, the last word on errors."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import ref

from textual import events
from textual.binding import Binding
from textual.geometry import NULL_SIZE as NO_SIZE
from textual.geometry import Size
from textual.screen import Screen
from textual.theme import BUILTIN_THEMES

from copydesk.domain.request_context import CAUSE
from copydesk.domain.sure import sure
from copydesk.domain.text import plural, shorten, typed
from copydesk.local import browser
from copydesk.local.child_processes import run
from copydesk.local.memory import PAUSE_SECONDS, Garbage, share_memory, trim
from copydesk.session import glyphs as signs
from copydesk.session.errors import failure_types
from copydesk.session.reachability import RESTING_SECONDS
from copydesk.session.session import Session
from copydesk.session.target import Target, Visit, Visits
from copydesk.tui.framework import navigation
from copydesk.tui.framework.actions import lack
from copydesk.tui.framework.desk_app import DeskApp, Ticks, begin
from copydesk.tui.framework.drawn import Drawn
from copydesk.tui.framework.early_keys import LOOK_SECONDS
from copydesk.tui.framework.keyboard import BEGAN_ON, Keyboard, left_behind
from copydesk.tui.framework.pane import Pane, draw_bars
from copydesk.tui.framework.place import Place, later_styles, style_path
from copydesk.tui.framework.theme import DARK, all_themes, tones, with_derived
from copydesk.tui.sudden_end import SuddenEnd
from copydesk.tui.system.background import CurrentAccount, DraftKeeper, Newsreader, OngoingRuns
from copydesk.tui.terminal_driver import TerminalDriver

if TYPE_CHECKING:
    from datetime import datetime

    from rich.console import RenderableType
    from textual.await_complete import AwaitComplete
    from textual.driver import Driver

    from copydesk.domain.own_command import OwnCommand
    from copydesk.present.raw_json import Raw
    from copydesk.session.options import Option
    from copydesk.session.runs.merge import MergeRunner
    from copydesk.session.writes.log import LogEntry
    from copydesk.tui.framework.line_field import Prompt
    from copydesk.tui.system.reference import Reference

R = TypeVar("R")

AGAIN_QUITS = "Press ctrl+c again at once to quit."
"""Stands as long as it is so."""

TWICE_SECONDS = 2.0
"""Within which ctrl+c must come again to quit."""

HELD_SECONDS = 1.5
"""How long the preface stays at most on a program that could draw."""

REST_SECONDS = 20.0
"""How long nobody presses a key before the screen is kept for the next start."""

TICK_SECONDS = 1.0
"""How often due work is looked for. A tick that changes nothing writes nothing."""

NEXT = {"spaces": ("changes", "pages"), "changes": ("review",)}
"""What people go to from a place: imported once they are there, before they press the key."""

KEYS = events.Key, events.Paste, events.MouseDown, events.MouseScrollDown, events.MouseScrollUp
"""What shows that somebody is at the keys."""

TRIM_SECONDS = 5.0
"""The least time between two returns of freed memory to the system."""

IDLE_TRIM_SECONDS = 60.0
"""How often that is done when no key was pressed, for what polls have read."""

NOT_COPIED = "escape sequences, control or invisible ones"
"""Names the characters that are left out of a copy."""

CLIPBOARD_BYTES = 74_000
"""What terminals accept by OSC 52 without dropping it silently."""


class CopydeskApp(DeskApp):
    """The terminal desk.

    ``first`` and ``target`` say where it opens; ``crash`` receives an unexpected error, with a
    sentence on what became of what was typed, and returns what to tell the user (where the log
    is); ``background`` receives errors that end nothing. ``preload`` imports what the first frame
    did not need, in a thread. ``utf8``: the terminal shows more than ASCII. ``driver`` talks to it.
    """

    TITLE = "copydesk"
    CSS_PATH = style_path("base")
    BINDINGS = [
        Binding("ctrl+q", "quit", "Quit", show=False, priority=True, id="app.quit"),
        Binding("ctrl+g", "token", "Token", show=False, priority=True, id="app.token"),
    ]
    ENABLE_COMMAND_PALETTE = False  # ours is made of the declared actions

    def __init__(
        self,
        session: Session,
        first: str,
        target: Target | None = None,
        *,
        theme: str = DARK.name,
        glyphs: str = "unicode",
        keymap: Mapping[str, Sequence[str]] | None = None,
        crash: Callable[[BaseException, str], str] | None = None,
        background: Callable[[BaseException], str] | None = None,
        utf8: bool = True,
        driver: type[Driver] | None = None,
        preload: Callable[[], None] = lambda: None,
    ) -> None:
        super().__init__(driver_class=driver)
        signs.use(glyphs)
        draw_bars(glyphs)
        self.set_class(glyphs == "ascii", "-ascii")
        for each in all_themes():
            self.register_theme(each)
        self.session = session
        self.account = CurrentAccount(self)
        self.runs = OngoingRuns(self)
        self.draft_keeper = DraftKeeper(self)
        self.notices = "quiet"
        """How news is told beside the screen (`local.settings`)."""
        self.pictures = "auto"
        session.report = self._report
        session.others = self.account.read_for_another
        self.keyboard = Keyboard(self)
        session.asks, session.sends = self.keyboard.early.asks, self.keyboard.early.frees
        self.first = first
        self.first_target = target or Target()
        self.visits = Visits()
        self.goes_on = False
        """Whether it opens where the last run was left, unless its user is quicker."""
        self.kept_for = ""
        """The conditions under which the next start opens this (`local.preface`); "" for none."""
        self._held: Size | None = None
        """The size of the preface while that stays, until the screen of the last run is there."""
        self._kept_at = 0.0
        """When the screen was kept for the next start."""
        self._reopening: Place | None = None
        """The screen of the last run, until it was drawn."""
        self._left: Visit | None = None
        """The screen that the next start goes on with, kept or about to be."""
        self._left_lock = Lock()
        self.begin_with(theme)
        self.sudden_end = SuddenEnd(self, crash, background)
        self.utf8 = utf8
        self.drawn = Drawn()
        """What the terminal shows."""
        self.garbage = Garbage()
        self._preload = preload
        self._interrupted = self._trimmed_at = 0.0
        self._ticked_at: datetime | None = None
        self.ticks = Ticks(TICK_SECONDS, self.tick)
        self._tones_pushed = False
        self.awake: asyncio.Task[None] | None = None
        """What goes on behind the first paint, for those who must wait for it."""
        if keymap:
            self.use_keys(keymap)

    # Start

    def get_default_screen(self) -> Place:
        """Open on the first place, so that its rows are in the first frame."""
        place = self._make(self.first, self.first_target)
        last = self.last_visit if self.goes_on else None
        if last is not None and last.name == self.first:
            place.begins_at = last.cursor
        if place.css_path:  # Textual reads it for screens that are pushed, and not for this one
            self.stylesheet.read_all(place.css_path)
            self.stylesheet.parse()
        return place

    @cached_property
    def last_visit(self) -> Visit | None:
        """The screen that the last run was left on; None where that is unknown."""
        return Visit.kept(self.session.snapshot)

    def on_mount(self) -> None:
        """Go on where the last run was left, and wake the rest once the first frame is out."""
        self.sudden_end.listen_to_errors()
        self.session.contact.pressed_at = self.session.clock()  # who starts it is there
        self.theme_changed_signal.subscribe(self, lambda _: self._use_tones())
        self._use_tones()
        if self.goes_on:
            begin(self, self.go_on, name="go on")
        self.call_after_refresh(self._wake)
        self.ticks.begin()
        if self._held:
            self.set_timer(HELD_SECONDS, self._held_long)

    def tick(self) -> None:
        """Do what time asks for: bring ages up to date, read the place in front again when due.

        The only clock-work there is; what is due depends on the session's clock alone.
        """
        self.garbage.collect(monotonic() - self.keyboard.key_at)
        place = self.here
        if place is None or not place.is_attached:
            return
        session = self.session
        now = session.clock()
        if not (session.writes.waits or session.drafts.trouble):
            if session.contact.rests(now, now):
                self.ticks.rest(RESTING_SECONDS)
            if session.contact.rests(now, self._ticked_at):
                return
        self._ticked_at = now
        self.newsreader.tick()  # also under a sheet: it changes nothing but the header
        self.runs.tick()
        self.draft_keeper.tick()
        self.keep_visit()
        if self._rests:
            self.keep_screen()
        self._trim_soon()
        place.reads.notice_failures()
        place.refresh_head()
        if session.writes.waits:
            place.refresh_frame()
        asked_at = place.reads.asked_at
        if asked_at is None or not session.read_due(asked_at, place.reads.useless):
            return
        if place is self.screen and place.reads.may_poll:
            place.read_again(by_hand=False)
        elif (session.offline or session.contact.limited) and not place.reads.loads:
            # Under a sheet, or while something is typed, nothing is read: but who waits for the
            # service is told when it is back, and what waits to be sent goes then.
            session.probe()

    @cached_property
    def newsreader(self) -> Newsreader:
        """What has the news read."""
        session, ring = self.session, self.bell
        return Newsreader(session, self.notices, ring, lambda code: sure(self.terminal).write(code))

    def on_app_blur(self) -> None:
        """Note that the terminal lost the focus: nothing is read for somebody who is away."""
        self.session.contact.focused(self.session.clock(), focus=False)

    def on_app_focus(self) -> None:
        """Note that somebody is back, and read what has become old."""
        self.session.contact.focused(self.session.clock(), focus=True)
        self.tick()

    def _wake(self) -> None:
        if self.awake is None:
            share_memory()
            self.awake = asyncio.create_task(self._awaken(), name="awaken")

    async def _awaken(self) -> None:
        await self._read_styles()
        await asyncio.to_thread(self.session.drafts.load_keys)
        self.session.touched()
        self.recover_soon()
        await asyncio.to_thread(self._preload)
        await self._import_next()
        await self.account.find_hints()
        self.garbage.settle()
        await asyncio.to_thread(trim)

    async def _import_next(self) -> None:
        for name in NEXT.get("" if self.here is None else self.here.PLACE, ()):
            await asyncio.to_thread(navigation.find, name)

    async def _read_styles(self) -> None:
        """Parse what the first frame did not need, a file at a time: a key waits for one at most.

        Textual would parse all of them anew for the first screen that has a file of its own.
        """
        for path in later_styles():
            if not self.stylesheet.has_source(str(path)):
                self.stylesheet.read(path)
                self.stylesheet.parse()
                await asyncio.sleep(0)

    def _trim_soon(self) -> None:
        """Give freed memory back to the system, in a thread, while nobody presses a key."""
        now, pressed = monotonic(), self.keyboard.key_at
        due = TRIM_SECONDS if pressed > self._trimmed_at else IDLE_TRIM_SECONDS
        if not self.waking and now - pressed > TICK_SECONDS and now - self._trimmed_at > due:
            self._trimmed_at = now
            begin(self, asyncio.to_thread, trim, name="trim", exit_on_error=False)

    def recover_soon(self) -> None:
        """Settle what the last run left open, in a worker."""
        begin(self, self._recover, name="recover")

    def _report(self, said: str, tone: str) -> None:
        if self.here is not None:
            self.here.say(said, tone)

    async def _recover(self) -> None:
        """Settle the writes that the last run left open, and tell the result."""
        from copydesk.session.writes.recovery import recover

        told = [
            self.account.first_words(),
            await recover(self.session, await self.runs.rearranged()),
            await self.runs.find_run(),
            await self.runs.find_waiting(),
            await self.runs.find_rearranging(),
            await self.runs.find_settling(),
            await self.runs.finish_applying(),
        ]
        with suppress(OSError):  # a place that shows marks says so
            await self.session.marks.read()
        if any(told):
            self.runs.tell(" ".join(filter(None, told)))

    @property
    def waking(self) -> bool:
        """Whether what the first frame did not need is still being imported."""
        return self.awake is None or not self.awake.done()

    def collect_garbage(self) -> None:
        """Look for garbage if no key comes; while a screen that was left waits, again soon."""
        self.garbage.collect(monotonic() - self.keyboard.key_at)
        if self.garbage.left:
            self.set_timer(PAUSE_SECONDS, self.collect_garbage)

    def pop_screen(self) -> AwaitComplete:
        """Leave the screen in front, and free it in the next pause."""
        if not self.garbage.left:
            self.set_timer(PAUSE_SECONDS, self.collect_garbage)
        self.garbage.left += 1
        return super().pop_screen()

    def get_css_variables(self) -> dict[str, str]:
        """Return the colours, with those that a theme of somebody else does not say."""
        return with_derived(super().get_css_variables())

    def _use_tones(self) -> None:
        if self._tones_pushed:
            self.console.pop_theme()
        self.console.push_theme(tones(self.current_theme))
        self._tones_pushed = True
        for pane in self.screen.query(Pane):
            pane.refresh_rows()

    # Keys

    def use_keys(self, keymap: Mapping[str, Sequence[str]]) -> None:
        """Use the user's keys, by the ids of their actions; a chord has blanks between its keys."""
        self.keyboard.use(keymap)
        self.set_keymap(
            {
                action: ",".join(key for key in keys if " " not in key)
                for action, keys in keymap.items()
            }
        )

    async def on_event(self, event: events.Event) -> None:
        """Answer keys by the declared actions first."""
        if self._held:
            if isinstance(event, events.Key):
                if self.keyboard.takes(event):
                    return  # it is for what the preface shows
                self.let_frames_go()
            elif isinstance(event, events.Resize) and event.size != self._held:
                self.let_frames_go()
        if isinstance(event, KEYS) and not event.is_forwarded:
            # Not every terminal tells that it has the focus again, as after a detached session.
            self.session.contact.focused(self.session.clock(), focus=True)
            self.app_focus = True  # what had the focus has it again, before the key comes to it
            self.ticks.go_on()
        if (
            isinstance(event, events.Key)
            and not event.is_forwarded
            and await self.keyboard.press(event)
        ):
            return
        if (
            isinstance(event, events.Paste)
            and not event.is_forwarded
            and (self.keyboard.takes(event) or await self._pasted(event))
        ):
            return
        await super().on_event(event)

    async def _pasted(self, event: events.Paste) -> bool:
        """Offer an address that is pasted where no field is: enter opens it. False in a field."""
        place = self.here
        if place is None or self.screen is not place or self.keyboard.is_text(event):
            return False
        from copydesk.session.reads.addresses import is_address

        if is_address(event.text):
            await self.open_command_line(event.text.strip())
        else:
            place.say("Nothing here takes a pasted text. Only an address may be pasted.", "warn")
        return True

    # Going places

    def _make(self, name: str, target: Target) -> Place:
        entry = navigation.find(name)
        if entry is None:
            raise LookupError(f"no screen has the name {name!r}")
        if entry.view is not None and target.view is None:
            target = target.but(view=entry.view)
        return entry.place(target)

    @property
    def here(self) -> Place | None:
        for screen in reversed(self.screen_stack):
            if isinstance(screen, Place):
                return screen
        return None

    async def go(
        self, name: str, target: Target | None = None, *, back: bool = False, cursor: str = ""
    ) -> None:
        """Go to a place: back to it when it is open already, else on top of this one.

        With ``back`` one that is open stays where it was left; otherwise it goes to what is meant.
        One that is opened anew has its cursor on the id ``cursor``, if it has that.
        """
        # What the place reads is read for the way to it, and not for the ways before that.
        led = [each for each in CAUSE.get() if not each.startswith(navigation.GO)]
        before = CAUSE.set((*led, f"{navigation.GO}{name}"))
        try:
            await self._go(name, target, back=back, cursor=cursor)
        finally:
            CAUSE.reset(before)
            BEGAN_ON.set(ref(self.screen))

    def go_soon(self, name: str, target: Target | None = None) -> None:
        self.soon(self.go, name, target)

    def soon(self, work: Callable[..., Awaitable[object]], *args: object) -> None:
        self.keyboard.early.going += 1
        self.call_later(self._do_now, work, args)

    async def _do_now(
        self, work: Callable[..., Awaitable[object]], args: tuple[object, ...]
    ) -> None:
        try:
            await work(*args)
        finally:
            self.keyboard.early.going -= 1

    async def _go(self, name: str, target: Target | None, *, back: bool, cursor: str = "") -> None:
        entry = navigation.find(name)
        here = self.here
        if entry is None:
            said = f"No screen has the name {name!r}."
            if here is not None:
                here.say(said, "warn")
            self.keyboard.early.drop(said)
            return
        if here is not None and (why := lack(self.session, entry.action)) is not None:
            here.say(why, "warn")
            self.keyboard.early.drop(why)
            return
        by_name = target is None
        if target is None:
            site = here.site_at_hand() if here is not None and entry.place.OF_SITE else None
            space = here.space_at_hand() if here is not None and entry.place.OF_SPACE else None
            target = Target(organization=self.session.organization, site=site, space=space)
            if here is not None and (at := navigation.TARGETS.get(entry.place.PLACE)) is not None:
                target = at(here).but(organization=here.organization)
        if entry.view is not None and target.view is None:
            target = target.but(view=entry.view)
        for screen in self.screen_stack:
            if isinstance(screen, Place) and _same(screen, entry.place, target):
                if screen is not here:
                    self._remember(here)
                self._unwind(screen)
                if not back:
                    screen.gone_to()
                if target.view is not None:
                    self._turn(screen, target.view)
                elif by_name and screen is here and screen.views:
                    # Who asks for the place that is in front asks for what it opens with.
                    self._turn(screen, screen.first_view)
                return
        self._remember(here)
        place = entry.place(target)
        place.begins_at = cursor
        place.reads.way_here = entry.action
        await self.push_screen(place)
        if not self.waking and not navigation.PLACES.keys() >= set(NEXT.get(place.PLACE, ())):
            begin(self, self._import_next, name="import next", exit_on_error=False)

    @staticmethod
    def _turn(place: Place, view: str) -> None:
        """Show a view by its name: the thing searched for is in another one."""
        if view != place.view:
            for pane in tuple(place.mounted_panes):
                pane.find_clear()
        place.choose_view(view)

    def _unwind(self, until: Place) -> None:
        # Not awaited: who asks is often a worker of the place that goes, and ends with it. What it
        # awaits would be stopped with it, and with that the program, which awaits the same.
        while self.screen is not until:
            self.pop_screen()

    def _remember(self, place: Place | None) -> None:
        visit = None if place is None else place.visit()
        if visit is not None:
            self.visits.leave(visit)

    async def step_visit(self, *, forward: bool) -> None:
        here = self.here
        visit = self.visits.step(None if here is None else here.visit(), forward=forward)
        if visit is not None:
            kept, self.visits = self.visits, Visits()
            try:
                await self.go(visit.name, visit.target, back=True, cursor=visit.cursor)
            finally:
                self.visits = kept

    def keep_visit(self, *, cursor: bool = False) -> None:
        """Keep which screen is in front for the next start, where it changed.

        With ``cursor`` also what its cursor is on, and on the disk when this returns, for the end;
        otherwise in a thread.
        """
        visit = None if self.here is None else self.here.visit()
        waits = self.goes_on and (not self.keyboard.pressed or self.here is self.screen_stack[0])
        if visit is None or waits:
            return  # there is none yet, or that of the last run is about to be in front
        before = self._left
        if before is None or (before if cursor else replace(before, cursor=visit.cursor)) != visit:
            self._left = visit
            if cursor:
                self._write_left()
            else:
                begin(self, asyncio.to_thread, self._write_left, name="left", exit_on_error=False)

    def _write_left(self, lines: str = "", size: Size = NO_SIZE) -> None:
        # The newest by then: a thread that comes late undoes nothing of what the end has kept.
        with self._left_lock:
            if (visit := self._left) is not None:
                snapshot = self.session.snapshot
                visit.keep(snapshot)
                if lines:
                    snapshot.keep_screen(size.width, size.height, self.kept_for, lines)
                else:
                    snapshot.forget_screens()  # they are of another visit

    @property
    def _rests(self) -> bool:
        """Whether keys were pressed since the screen was kept, and none is now."""
        now, pressed = monotonic(), self.keyboard.key_at
        return pressed > self._kept_at and now - pressed > REST_SECONDS < now - self._kept_at

    def keep_screen(self, *, ends: bool = False) -> None:
        """Keep the screen and its target for the next start; in a thread until the end."""
        place = self.here
        if not self.kept_for or self.goes_on or place is None or self.screen is not place:
            return
        from copydesk.tui.kept_screen import lines_of

        visit, lines = place.visit(), lines_of(place)
        if visit is None or not lines:
            return
        self._left, self._kept_at = visit, monotonic()
        if ends:
            self._write_left(lines, self.size)
        else:
            begin(
                self, asyncio.to_thread, self._write_left, lines, self.size, name="screen",
                exit_on_error=False,
            )  # fmt: skip

    def exit(
        self, result: None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        """Keep where its user is, and end."""
        if self.is_running:
            self.keep_visit(cursor=True)
            self.keep_screen(ends=True)
        super().exit(result, return_code, message)

    async def go_on(self) -> None:
        """Go to the screen that the last run was left on; tell if it is gone.

        At once where what was kept names the organization: the service is asked behind it.
        """
        try:
            await self._go_on()
        finally:
            self.goes_on = False
            self.let_frames_go()

    async def _go_on(self) -> None:
        first, visit = self.here, self.last_visit
        if first is None or visit is None or (visit.name, visit.cursor) == (first.PLACE, ""):
            return
        session = self.session
        await asyncio.to_thread(navigation.find, visit.name)
        if session.organization is None:
            try:
                await session.ready()
            except failure_types():
                return
        at = session.organization
        if self.keyboard.pressed or self._front is not first:
            return  # its user is somewhere already
        if visit.name == first.PLACE:
            first.start_at(visit.cursor)
            return
        said = first.said
        await self.go(visit.name, visit.target, cursor=visit.cursor)
        place = self.here
        if place is None or place is first:
            return
        self._reopening = place
        place.call_after_refresh(self._has_reopened)
        while place.is_attached and place.reads.unread_yet:
            if getattr(place.pane, "selected", None) is not None:
                self.let_frames_go()  # its rows are there; the rest of it is still being read
            await asyncio.sleep(LOOK_SECONDS)
            if said and place.framed:
                place.say(said)
                said = ""
        moved = session.organization != at  # it may be seen no more
        if place is self._front and (place.reads.unread or moved) and not session.offline:
            what = place.title or visit.name
            self.pop_screen()
            first.say(f"{what}, where you were last, could not be opened again.", "warn")

    @property
    def _front(self) -> object:
        """The screen in front; None once the program ends."""
        return next(reversed(self.screen_stack), None)

    def _has_reopened(self) -> None:
        self._reopening = None

    def stay(self) -> None:
        place, self._reopening = self._reopening, None
        if place is not None and place is self.screen:
            self.visits.back.clear()
            self.pop_screen()

    async def step_back(self, *, quits: bool) -> None:
        """Step back once: a slow read, a way to the end, a search, a hint, then the place."""
        place = self.here
        if place is None or place is not self.screen:
            return
        pane = place.pane
        stop = getattr(pane, "stop_reading", None)
        if self.keyboard.early.stop():
            place.say("Stopped.")
        elif place.reads.stop_reading():
            place.say("Stopped reading.")
        elif (stop is not None and stop()) or (pane is not None and pane.find_clear()):
            place.refresh_frame()
        elif not quits and not place.reads.misread_note and self.hint(place.size.width - 2):
            self.account.hide_hint()
        elif sum(isinstance(screen, Place) for screen in self.screen_stack) > 1:
            self._remember(place)
            self.pop_screen()  # not awaited, as in `_unwind`
        elif quits:
            self.leave(bound_for=self.account.back)
        else:
            place.say(
                f"This is the first screen. q {'goes back' if self.account.back else 'quits'}."
            )

    def leave(self, *, bound_for: str | None = None) -> None:
        """Quit, unless writes are under way or to follow: say so then, and quit at the second time.

        Ask while a merge run or rearrangement goes on. ``bound_for`` a profile, wait for writes.
        """
        self.account.bound_for = bound_for
        if self.runs.merges or self.session.rearranges:
            self.runs.ask_to_leave()
            return
        pending = self.session.writes.writes_pending or len(self.session.writes.writing)
        if pending and bound_for is not None:
            begin(self, self._leave_when_sent, name="leave when sent")
            if self.here is not None:
                self.here.say(f"Sending {pending} first, then the profile opens.", "warn")
            return
        if pending and monotonic() - self._interrupted > TWICE_SECONDS:
            if self.session.writes.waits:
                begin(self, self._leave_when_sent, name="leave when sent")
            self._once_more(f"Sending {pending}. Press it again at once to quit now.", "warn")
            return
        self.exit()

    @property
    def merging(self) -> MergeRunner:
        return self.runs.merging

    @property
    def merge_note(self) -> tuple[str, str]:
        return self.runs.note

    async def on_unmount(self) -> None:
        self.ticks.stop()
        await self.account.close()

    def hint(self, width: int) -> str:
        return self.account.hint(width)

    def open_token(self) -> None:
        self.account.open_token()

    def action_token(self) -> None:
        """Ask for another token: ctrl+g over a sheet, or in a field, comes here."""
        if self.session.token is None:
            self.bell()
        else:
            self.open_token()

    async def show_me(self) -> None:
        """Show who is signed in, and at which service. Raises what the client raises."""
        await self.account.show_me()

    @property
    def profile_names(self) -> Sequence[str]:
        return self.account.profile_names

    async def change_profile(self, name: str, *, manual: bool = False) -> None:
        await self.account.change_profile(name, manual=manual)

    async def action_quit(self) -> None:
        """Quit as `leave` does: ctrl+q over a sheet, or in a field, comes here."""
        self.leave()

    async def _leave_when_sent(self) -> None:
        """Send what waits, also what follows it, and quit; stay where something did not arrive."""
        while writes := self.session.writes.writing:
            self.session.writes.send_now()
            await asyncio.wait(writes)
            if any(write.cancelled() or write.exception() for write in writes):
                self.account.bound_for = None
                return
        self.exit()

    def interrupt(self) -> None:
        """Quit at the second ctrl+c; while a merge run is in progress, ask first."""
        if monotonic() - self._interrupted <= TWICE_SECONDS:
            if self.runs.merges and self.screen is self.here:
                self.runs.ask_to_leave()
            elif self.session.writes.waits:
                self._interrupted = 0.0
                self.leave()
            else:
                self.account.bound_for = None
                self.exit()
            return
        self._once_more(AGAIN_QUITS)

    def _once_more(self, said: str, tone: str = "") -> None:
        """Say that the same key quits, for as long as it does."""
        self._interrupted = monotonic()
        if (place := self.here) is not None:
            place.say(said, tone)
            place.set_timer(TWICE_SECONDS, lambda: place.unsay(said))

    def step_pane(self, by: int) -> None:
        """Focus the next pane, showing its part if it was hidden for lack of room."""
        place = self.here
        if place is None:
            return
        panes = [
            pane
            for pane in tuple(place.mounted_panes)
            if pane.can_focus and not pane.disabled and pane.display
        ]
        if not panes:
            return
        at = panes.index(place.pane) if place.pane in panes else -1
        pane = panes[(at + by) % len(panes)]
        place.show_pane(pane)

    # Overlays

    async def push_screen_wait(
        self, screen: Screen[R] | str, *, mode: str | None = None
    ) -> R | Any:
        """Open a sheet and wait for what it comes to; None, as for esc, where the user went on.

        An action may read for long before it asks. Who has gone elsewhere, or opened another sheet,
        types for that: a sheet that comes over it would take a key that was never meant for it.
        What only tells something, and asks nothing, opens all the same.
        """
        if getattr(screen, "ASKS", False) and left_behind(self):
            if self.here is not None:
                asked = shorten(getattr(screen, "heading", ""), 40)
                said = f"“{asked}” was not opened: you had gone on meanwhile."
                self.session.note(said)
                self.session.touched()
                self.here.say(said, "warn")
            return None
        return await super().push_screen_wait(screen, mode=mode)

    async def open_search(self) -> None:
        from copydesk.tui.system.find import SearchPrompt

        place = self.here
        if place is not None and place.pane is not None:
            await self.open_prompt(place, SearchPrompt(place.pane))

    async def open_command_line(self, text: str = "") -> None:
        from copydesk.tui.system.command_line import CommandPrompt

        place = self.here
        if place is not None:
            prompt = CommandPrompt(place)
            # What is given is the beginning of the line: the first letter goes behind it.
            prompt.input.select_on_focus = not text
            await self.open_prompt(place, prompt)
            if text:
                prompt.input.value = text
                prompt.input.cursor_position = len(text)

    async def open_prompt(self, place: Screen[Any], prompt: Prompt) -> None:
        # Shielded: who asks may be a worker of a place that goes. It stops what it waits for, and
        # with the task of a line the place ends, and with that the program.
        await asyncio.shield(place.query("Prompt").remove())
        await place.mount(prompt, before="#status")
        place.set_focus(prompt.input)

    async def open_palette(self) -> None:
        from copydesk.tui.system.help import open_palette

        await open_palette(self)

    async def open_json(self, target: Target, raw: Raw) -> None:
        from copydesk.tui.system.raw import RawPlace

        await self.push_screen(RawPlace(target, raw))

    async def choose(self, title: str, options: Sequence[Option]) -> str | None:
        from copydesk.tui.dialogs.choice import Choice

        return await self.push_screen_wait(Choice(title, options))

    async def confirm_again(self, line: LogEntry) -> bool:
        from copydesk.tui.system.activity import confirm_again

        return await confirm_again(self, line)

    async def undo(self) -> None:
        from copydesk.tui.system.undo import undo

        if self.here is not None:
            await undo(self.here)

    async def redo(self) -> None:
        from copydesk.tui.system.undo import redo

        if self.here is not None:
            await redo(self.here)

    def open_help(self) -> None:
        from copydesk.tui.system.help import Help

        if self.here is not None:
            self.push_screen(Help(self.keyboard.chain(), self.keyboard))

    def open_activity(self) -> None:
        from copydesk.tui.system.activity import Activity

        self.push_screen(Activity(self.session))

    def open_requests(self) -> None:
        from copydesk.tui.system.activity import RequestLog

        self.push_screen(RequestLog(self.session))

    # The world outside

    def copy(self, text: str, shown: str = "") -> None:
        """Copy text: the system's own tool first, the terminal (OSC 52) otherwise.

        What may not stand in a field is left out, and counted: it would be pasted into a shell.
        ``shown`` is what is said to be copied, where the text itself is a secret.
        """
        place = self.here
        if place is None:
            return
        before, text = len(text.replace("\r\n", "\n")), typed(text, lines=True)
        left_out = plural(before - len(text), "character")
        way = None if self.is_headless else _native_copy(text)
        if way is None:
            if len(text.encode()) > CLIPBOARD_BYTES:
                place.say("Too long for the terminal's clipboard, and no tool for it here.", "bad")
                return
            way = "the terminal"
        self.copy_to_clipboard(text)
        first = shown or f"“{text.partition(chr(10))[0]}”"
        if len(text) < before:
            place.say(f"Copied {first}   ({left_out} left out: {NOT_COPIED})", "warn")
        else:
            place.say(f"Copied {first}")

    def redraw(self) -> None:
        self.drawn.forget()
        self.screen.refresh(repaint=True, layout=True)

    # The end (`SuddenEnd`), and what Textual does otherwise

    def keep_soon(self) -> str:
        return self.sudden_end.keep_soon()

    def run_to_the_end(self, *, mouse: bool = True) -> None:
        """Show the screens until they are left, and survive also what goes wrong while they are."""
        sudden_end = self.sudden_end
        with sudden_end.listening():
            try:
                self.run(mouse=mouse)
            except Exception as error:
                if sudden_end.explain is None:
                    raise
                self.end_as_failed()
                if not sudden_end.explained:
                    sudden_end.take(error)
            finally:
                self.session.drafts.flush()  # what the screens kept at last

    @property
    def explains(self) -> bool:
        return self.sudden_end.explain is not None

    def take(self, error: BaseException) -> None:
        self.sudden_end.take(error)

    def note(self, error: BaseException) -> None:
        self.sudden_end.note(error)

    def panic(self, *renderables: RenderableType) -> None:
        """End with these renderables, or with a sentence that explains the error."""
        super().panic(*(() if self.sudden_end.explained else renderables))

    def get_driver_class(self) -> type[Driver]:
        """Return what talks to the terminal."""
        if sys.platform == "win32" or "TEXTUAL_DRIVER" in os.environ:
            return super().get_driver_class()
        return TerminalDriver

    def hold_frames(self, size: Size, *, over_preface: bool) -> None:
        """Draw nothing on a terminal of this size until the screen of the last run is there.

        The preface stays until then. Without it, nothing has to wait for the first screen.
        """
        last = self.last_visit
        opens_other = last is not None and last.name != self.first
        if self.goes_on and self._held is None and (over_preface or opens_other):
            self._held = size
            self.keyboard.early.going += 1

    def let_frames_go(self) -> None:
        """Draw from now on, and act on the keys that came meanwhile."""
        if self._held:
            self._held = None
            self.keyboard.early.going -= 1
            self.redraw()

    def _held_long(self) -> None:
        """Draw the screen; drop keys that were pressed for the screen of the last run."""
        if self._held and self.goes_on and self.here is self.screen_stack[0]:
            if self.session.organization is not None:
                self.set_timer(LOOK_SECONDS, self._held_long)  # nothing asks the service before it
                return
            self.keyboard.early.drop("The last screen is still being read.")
        self.let_frames_go()

    @property
    def holds_frames(self) -> bool:
        return bool(self._held)


def theme_names() -> Sequence[str]:
    """Return the names of all themes, Textual's own too."""
    return sorted({*BUILTIN_THEMES, *(theme.name for theme in all_themes())})


def use_own_commands(app: CopydeskApp, commands: Sequence[OwnCommand]) -> None:
    """Have a person's own commands on the screens; nothing is imported where there are none."""
    if commands:
        from copydesk.tui.system.own_commands import OwnCommands

        app.keyboard.yours = OwnCommands(app, commands).of


def linear_driver() -> type[Driver]:
    """Return what tells in words what the screens show, which imports many of them."""
    from copydesk.tui.linear_driver import LinearDriver

    return LinearDriver


def pressed_keys() -> Sequence[str]:
    """Return the keys that a person presses, by their names, once they want no more named."""
    from copydesk.tui.system.key_names import KeyNames

    app = KeyNames()
    app.run(mouse=False)
    return app.names


def reference() -> type[Reference]:
    """Return the reference of all actions, which imports every screen."""
    from copydesk.tui.system.reference import Reference

    return Reference


def _same(screen: Place, cls: type[Place], target: Target) -> bool:
    return type(screen) is cls and screen.target.but(view=None) == target.but(view=None)


COPY_TOOLS: Sequence[tuple[str, str, Sequence[str]]] = (
    ("", "pbcopy", ("pbcopy",)),
    ("WAYLAND_DISPLAY", "wl-copy", ("wl-copy",)),
    ("DISPLAY", "xclip", ("xclip", "-selection", "clipboard")),
    ("DISPLAY", "xsel", ("xsel", "--clipboard", "--input")),
)
"""(environment variable that must be set, program, command), in the order they are tried."""


def _native_copy(text: str) -> str | None:
    """Copy with a program of the desktop; return its name, or None when there is none.

    A browser has a clipboard of its own.
    """
    if browser.window is not None:
        return None
    for variable, program, command in COPY_TOOLS:
        path = shutil.which(program)
        if path is None or (variable and not os.environ.get(variable)):
            continue
        try:
            if run([path, *command[1:]], given=text, seconds=2):
                continue
        except (OSError, subprocess.SubprocessError):
            continue
        return program
    return None

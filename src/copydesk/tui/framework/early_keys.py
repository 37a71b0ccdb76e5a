"""Keys that come before a field is there: kept while an action opens it, and given to it.

Who presses the key of a comment and types on means the comment, however long its field takes to
come: nothing of it may act as commands. It is on the disk within a second, as a draft of its own
until its field has it; what does not open after all leaves it there, and in the log.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from textual import events
from textual.screen import Screen
from textual.worker import NoActiveWorker, Worker, get_current_worker

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.request_context import CAUSE
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, plural
from copydesk.tui.framework.actions import SCOPES, Action, Acts, Commands, NoRowYet, NotYet, asked
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.inside_textual import forward

if TYPE_CHECKING:
    from textual.timer import Timer
    from textual.widget import Widget

    from copydesk.tui.framework.actions import Command
    from copydesk.tui.framework.base_app import BaseApp, Here

_log = logging.getLogger("copydesk.writes")

OPENS_SECONDS = 0.5
"""How long a draft may take to open once its place has been read."""


@dataclass(eq=False)
class OpeningAction:
    """An action that is about to open a field, over the ``screen`` that it began on."""

    id: str
    label: str
    screen: Screen[Any]
    cause: tuple[str, ...]
    worker: Worker[Any] | None
    before: Screen[Any] | None = None
    """What it asks before it opens the field."""
    waits: bool = False
    """Whether its subject is not read yet, so that it has not begun."""
    waited: bool = False
    """Whether that was so once."""
    blind: bool = False
    """Whether nobody knew which row it would be about when its key was pressed."""
    resumes: Here | None = None
    """The place that opens a draft again, by whatever action does that; None for an action."""
    came: bool = False
    """Whether its field is open, and about to get the text typed for it."""
    keys: list[Typed] = field(default_factory=list)
    draft: str = ""
    """The key of the draft that holds the typed text until the field has it; empty for none."""
    told: tuple[Here, str] | None = None
    """Where it was said last that it opens, and how: no longer so once it has, or will not."""


_MINE: ContextVar[OpeningAction | None] = ContextVar("opening", default=None)
"""The way to a field that goes on here."""


class TypingAhead:
    """Keeps the keys of one app that come before their field."""

    def __init__(
        self,
        app: BaseApp,
        early: EarlyKeys,
        may_send: Callable[[Typed, Screen[Any]], bool],
        run: Callable[[Acts, Action], Awaitable[None]],
        clock: Callable[[], float],
    ) -> None:
        self._app, self._early, self._run, self._clock = app, early, run, clock
        self._may_send = may_send
        self.opening: OpeningAction | None = None
        self._timer: Timer | None = None

    async def follow(self, screen: Screen[Any], action: Action, result: Awaitable[Any]) -> Any:
        """Await an action that opens a field; text typed until then is for that field."""
        before, keys, draft = self.opening, list[Typed](), ""
        if before is not None and before.resumes is not None and before.screen is screen:
            keys, draft, self.opening = before.keys, before.draft, None
            self._unsay(before)
        self._end()
        try:
            worker: Worker[Any] | None = get_current_worker()
        except NoActiveWorker:
            worker = None
        self.opening = mine = OpeningAction(
            action.id, action.label, screen, CAUSE.get(), worker, keys=keys, draft=draft,
            blind=self._early.giving,
        )  # fmt: skip
        _MINE.set(mine)
        try:
            return await result
        finally:
            if self.opening is mine:
                self._end()

    def resume(self, place: Here, part: str) -> None:
        """Open a draft again in its place, as soon as that has been read.

        What is typed until its field is there is for it.
        """
        self._end()
        opening = OpeningAction("", "the draft", place.screen, (), None, waits=True, resumes=place)

        async def until_it_opens() -> None:
            while True:
                await asyncio.sleep(LOOK_SECONDS)
                if not place.resuming:
                    break
            # What opens it was begun by now; the field itself comes a moment later.
            await asyncio.sleep(OPENS_SECONDS)
            if self.opening is opening:
                opening.waits = False
                self._end()

        self.opening = opening
        from copydesk.session.draft_keys import ahead_action

        if ahead_action(part):
            self._resume_typed(place, part, opening)
        else:
            commands = (each for each in _owners(place) if isinstance(each, Commands))
            if not any(each.resume_draft(part) for each in commands):
                place.resume_draft(part)
        if self.opening is opening:
            opening.worker = begin(place.screen, until_it_opens, name="resume draft")

    def _resume_typed(self, place: Here, draft: str, opening: OpeningAction) -> None:
        """Do the action again that a text was typed ahead for, which is typed for it again."""
        from copydesk.session.draft_keys import ahead_action

        wanted, text = ahead_action(draft), self._app.session.drafts.load(draft) or ""
        for owner in (*_owners(place), *place.screen.walk_children()):
            actions = owner.ACTIONS.values() if isinstance(owner, Acts) else ()
            if (found := next((each for each in actions if each.id == wanted), None)) is not None:
                opening.keys, opening.draft = [events.Paste(text)], draft
                opening.label = found.label
                self._app.call_later(self._run, owner, found)
                return

    async def once_read(self, owner: Any, action: Action) -> None:
        """Run an action as soon as its row has been read, unless a guard refuses it then.

        Awaited by `follow`: its user may type meanwhile.
        """
        opening, screen = sure(self.opening), owner.screen
        opening.waits = opening.waited = True
        opening.blind |= any(isinstance(guard(asked(owner)), NoRowYet) for guard in action.unless)
        self._say(_waiting(action.label), opening)
        # Guards ask of many things, which do not tell when they change.
        while isinstance(why := action.reason(owner), NotYet):
            await asyncio.sleep(LOOK_SECONDS)
            if self.opening is not opening:
                return
        opening.waits = False
        if self._app.screen is not screen:
            self._end()
        elif why is not None:
            self._end(why)
            self._early.refuse(opening.label, why, self._clock(), opening.id)
        else:
            self._unsay(opening)  # it is read: Esc is for what opens
            await getattr(owner, action.method)()

    @property
    def waited(self) -> bool:
        """Whether the action that goes on here had to wait for its row to be read.

        What was typed meanwhile is for its field: it asks nothing before that it can do without.
        """
        opening = _MINE.get()
        return opening is not None and opening is self.opening and opening.waited

    def take(self, event: Typed) -> bool:
        """Take a key or paste that is for a field that is not there yet."""
        opening, front = self.opening, self._app.screen
        pressed = event.key if isinstance(event, events.Key) else ""
        if opening is not None and opening.resumes is not None and pressed in PASS:
            self._end()
        if opening is None or pressed in PASS:
            return False
        if opening.came:
            self._add(opening, event)
            return True
        if front is not opening.screen:
            if not self._is_its(front, opening):
                self._end()  # its user has gone on: what is typed is meant for that
                return False
            if front is opening.before or (front.focused is not None and not opening.keys):
                return False
        elif pressed == "escape":
            self._stop(opening)
            return True
        if opening.waits:
            self._say(_waiting(opening.label), opening)
        elif not opening.keys:
            self._say(f"“{opening.label}” opens: what you type is for it. Esc stops it.", opening)
        self._add(opening, event)
        return True

    def _add(self, opening: OpeningAction, event: Typed) -> None:
        opening.keys.append(event)
        if self._timer is None:  # not put off by the keys that follow
            self._timer = self._app.set_timer(KEEP_SECONDS, self.keep_typed)

    def again(self, label: str) -> None:
        """Keep the keys for another field, which the action that goes on here opens next."""
        cause, place = CAUSE.get(), self._app.here
        if cause and place is not None:
            self._end()
            self.opening = OpeningAction(cause[-1], label, place.screen, cause, None)

    def holds(self, sheet: Screen[Any], text: str) -> bool:
        """Keep words that were typed in a list to choose from, before the field they are for.

        Empty takes back what was kept. False where the list is on the way to no field.
        """
        opening = self.opening
        if opening is None or opening.before is not sheet:
            return False
        opening.keys = []
        if text:
            self._add(opening, events.Paste(text))
        elif opening.draft:
            self._app.session.drafts.drop(opening.draft)
        return True

    def keep_typed(self) -> None:
        """Save the text typed for a field that is not open yet, in a draft of its own."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._early.keep_typed()
        if (opening := self.opening) is not None:
            self._keep(opening, opening.keys)

    def _keep(self, opening: OpeningAction, keys: list[Typed]) -> None:
        # Not before the first paint, as all that knows of drafts.
        from copydesk.session.draft_keys import ahead_key

        text = text_of(keys).strip()
        on = self._on(opening)
        if text and on is not None:
            opening.draft = opening.draft or ahead_key(on.PLACE, on.target, opening.id)
            self._app.session.drafts.save(opening.draft, text)

    def _on(self, opening: OpeningAction) -> Any:
        return opening.screen if hasattr(opening.screen, "PLACE") else self._app.here

    def _offer_kept(self, sheet: Any, opening: OpeningAction) -> None:
        """Give an empty field the text typed ahead for it that has not reached it yet."""
        from copydesk.session.draft_keys import ahead_for

        field, on = getattr(sheet, "composer", None), self._on(opening)
        if opening.keys or field is None or field.text or on is None:
            return
        drafts = self._app.session.drafts
        for key in ahead_for(sorted(drafts.keys()), on.PLACE, opening.id, field.draft_key):
            if text := drafts.load(key):
                opening.keys, opening.draft = [events.Paste(text)], key
                return

    def _given(self, draft: str) -> None:
        """Drop the draft of text typed ahead once its field has saved it."""
        self._app.keep_soon()
        self._app.session.drafts.drop(draft)

    def came(self, sheet: Screen[Any], *, field: bool, drawn: bool = False) -> None:
        """Give the typed keys to a dialog that has opened; ``field``: it is the awaited one."""
        opening = self.opening
        typed = field or (opening is not None and opening.keys)
        if typed and not (drawn or sheet.focused):  # it has no focus yet
            sheet.call_after_refresh(self.came, sheet, field=field, drawn=True)
            return
        if opening is None or not self._is_its(sheet, opening):
            return
        opening.before = sheet
        if getattr(sheet, "DECIDES", False):
            return  # what was typed is for the field that comes after it
        if field:
            self._offer_kept(sheet, opening)
        if opening.blind:
            opening.keys = self._unsent(opening, opening.keys, sheet)
        if field:
            # As from the terminal: what follows a key that sends is for what is in front then.
            opening.came = True
            self._unsay(opening)
            self._app.call_later(self._give, opening)
            return
        keys = opening.keys
        while keys and self._early.is_text(keys[0]):
            key = keys.pop(0)
            forward(key, sheet.focused or sheet)

    async def _give(self, opening: OpeningAction) -> None:
        """Deliver the keys typed for a field to the screen in front, in order."""
        if self.opening is opening:
            self.opening = None
            for key in opening.keys:
                await self._app.on_event(key)
            if opening.draft:
                front = self._app.screen
                # Behind the keys: a field that is gone by then has sent them, or kept them.
                if not (front.focused or front).call_later(self._given, opening.draft):
                    self._given(opening.draft)

    def _unsent(self, opening: OpeningAction, keys: list[Typed], sheet: Screen[Any]) -> list[Typed]:
        """Return the keys before the first that may send something; the rest is in the log.

        None sends what nobody could see when it came.
        """
        at = next((at for at, key in enumerate(keys) if self._may_send(key, sheet)), None)
        if at is None:
            return keys
        what = f"“{opening.label}” opened only now: look what it is about, then send it."
        said = text_of(keys[at:])
        if said.strip():  # what comes before it is given to the field
            self._keep(replace(opening, draft=""), keys[at:])
        self._app.session.note(f"{what} Typed after that: {clean(said)}" if said.strip() else what)
        self._app.session.touched()
        return keys[:at]

    def sends(self) -> None:
        """Note that an action sends something: it opens no field first, if it has not yet."""
        if self.opening is not None and self.opening is _MINE.get():
            self._end()

    @staticmethod
    def _is_its(front: Screen[Any], opening: OpeningAction) -> bool:
        if opening.resumes is not None:
            return bool(getattr(front, "TAKES_TEXT", False))
        return getattr(front, "cause", None) == opening.cause

    @staticmethod
    def check(cause: tuple[str, ...]) -> None:
        """Report an action that opens a field and does not declare it: a mistake of the program."""
        name = cause[-1] if cause else ""
        owners = SCOPES.get(name.rpartition(".")[0], ())
        actions = (each for owner in owners for each in owner.ACTIONS.values())
        action = next((each for each in actions if each.id == name), None)
        if action is not None and not action.types:
            _log.error("%s opens a field, and does not say so", action.id)

    def _stop(self, opening: OpeningAction) -> None:
        if opening.resumes is not None:
            opening.resumes.resuming = ""
        if opening.worker is not None:
            opening.worker.cancel()
        self._end(f"Stopped: “{opening.label}” was not opened.", stopped=True)

    def _end(self, said: str = "", *, stopped: bool = False) -> None:
        """Stop waiting for a field; its text is not lost."""
        opening, self.opening = self.opening, None
        if opening is None:
            return
        self._unsay(opening)
        if opening.waits and opening.worker is not None:
            opening.worker.cancel()
        if (typed := text_of(opening.keys)).strip():
            session = self._app.session
            session.note(f"“{opening.label}” did not open. Typed for it: {clean(typed)}")
            self._keep(opening, opening.keys)
            session.touched()
            told = f"{said} What you typed for “{opening.label}” is kept as a draft (g d).".strip()
            if self._app.screen is opening.screen and not stopped:
                # Its user may be in the middle of a word: the rest of it is no command either.
                self._early.refuse(opening.label, said, opening.keys[-1].time, opening.id)
            said = told
        if said:
            self._say(said)

    def _say(self, said: str, opening: OpeningAction | None = None) -> None:
        place = self._app.here
        if place is not None and place.is_attached:
            place.say(said, "warn")
            if opening is not None:
                opening.told = place, said

    @staticmethod
    def _unsay(opening: OpeningAction) -> None:
        told, opening.told = opening.told, None
        if told is not None:
            place, said = told
            place.unsay(said)


def _owners(place: Here) -> Sequence[Acts]:
    return place.screen.owners if isinstance(place.screen, Acts) else ()


def _waiting(label: str) -> str:
    return f"“{label}” opens once this is read: what you type is for it. Esc stops it."


Typed = events.Key | events.Paste
"""What a user types: a key, or a text at once."""

LOOK_SECONDS = 0.05
"""How often it is looked whether what an action waits for has been read."""

KEEP_SECONDS = 0.7
"""How long after a key typed text is on disk."""

PASS = frozenset({"ctrl+c", "ctrl+q", "ctrl+g", "ctrl+z"})
"""Keys that are never for a field."""

PAUSE_SECONDS = 1.0
"""How long a pause ends the text typed for a refused field."""

READ_SECONDS = 0.15
"""Seconds after a question appears in which a key cannot be an answer to it: no one has read it."""


@dataclass(eq=False)
class RefusedField:
    """A field that did not open over ``screen``, and the text that was typed for it."""

    label: str
    why: str
    screen: Screen[Any]
    until: float
    """When a pause is long enough, on the clock of the keys."""
    action: str = ""
    """The id of the action that opens it."""
    keys: list[Typed] = field(default_factory=list)
    draft: str = ""
    """The key of the draft that has the text; empty for none yet."""
    how: str = "was refused"
    """What became of it, for a sentence."""


@dataclass(eq=False)
class ReadingAction:
    """An action that reads before it goes on, and the ``screen`` that it began on."""

    worker: Worker[Any]
    screen: Screen[Any]
    focused: Widget | None
    action: Action | Command | None
    told: bool = False
    """Whether Esc stops what it reads, which the action is told."""


class EarlyKeys:
    """Keeps keys of one app from doing what they were not typed for."""

    def __init__(self, app: BaseApp, is_text: Callable[[Typed], bool]) -> None:
        self._app = app
        self.is_text = is_text
        """Whether the field in focus takes a key or paste as text."""
        self._refused: RefusedField | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._keeping: asyncio.TimerHandle | None = None
        self._keys: list[Typed] = []
        self._until: Callable[[], bool] | None = None
        """Whether what the first of the keys is about can be seen; None once its screen is."""
        self._said: tuple[Here, str] | None = None
        self.going = 0
        """How many screens are about to be gone to."""
        self._leading: ReadingAction | None = None
        self._followed: WeakKeyDictionary[Worker[Any], Action | Command] = WeakKeyDictionary()
        """The actions that go on, and have not begun to send anything."""
        self._led_to: tuple[Any, ReadingAction] | None = None
        """The dialog that keys waited for which were typed after an action, and that came."""
        self.giving = False
        """Whether keys that waited are acted on: nobody had seen what they are about."""
        self._failed = ""
        """Why a key could not be acted on."""
        self.task: asyncio.Task[None] | None = None
        """What keys wait in."""

    def take(self, event: Typed) -> bool:
        """Take a key or a paste that must not act, or not yet."""
        pressed = event.key if isinstance(event, events.Key) else ""
        if pressed in PASS:
            return False
        if self._take_refused(event, pressed) or self._agrees_unseen(event, pressed):
            return True
        if self.giving or not (self._keys or (self._coming and pressed != "escape")):
            return False
        if pressed == "escape":
            self.drop("Stopped.")
        else:
            self.wait([event])
        return True

    # What waits

    @property
    def _coming(self) -> bool:
        """Whether another screen is about to be in front, or the one in front is not there yet."""
        front = self._app.screen
        reads = getattr(front, "reads", None)
        unopened = reads is not None and reads.asked_at is None
        under_way = getattr(front, "under_way", False) is True
        return bool(self.going) or unopened or under_way or self._leads

    @property
    def _leads(self) -> bool:
        """Whether an action may still leave the screen in front, or open a dialog over it."""
        leading = self._leading
        if leading is None:
            return False
        return leading.worker.is_running and self._app.screen is leading.screen

    def follow(self, worker: Worker[Any], action: Action | Command) -> None:
        """Hold keys once an action reads what it goes on with: it may lead elsewhere, or ask."""
        self._followed[worker] = action

    def asks(self) -> None:
        """Note that what goes on here reads something that an action goes on with.

        Keys wait until it has gone elsewhere, asked something, begun to send, or ended.
        """
        with suppress(NoActiveWorker):  # what is done inline keeps the keys away by itself
            if (worker := get_current_worker()) in self._followed:
                self._leads_on(worker, worker.node.screen)

    def reads(self, screen: Screen[Any]) -> None:
        """Note the same of what goes on here over a screen, though no key has begun it.

        Esc stops what it reads, and it is told.
        """
        with suppress(NoActiveWorker):
            worker = get_current_worker()
            self._leads_on(worker, screen)
            if self._leading is not None and self._leading.worker is worker:
                self._leading.told = True

    def _leads_on(self, worker: Worker[Any], screen: Screen[Any]) -> None:
        before = self._leading
        if screen is self._app.screen and (before is None or before.worker is not worker):
            action = self._followed.get(worker)
            self._leading = ReadingAction(worker, screen, screen.focused, action)

    def frees(self) -> None:
        """Note that the action that goes on here leads nowhere for long: keys are for this.

        It sends something, or reads for so long that others go on beside it.
        """
        with suppress(NoActiveWorker):
            worker = get_current_worker()
            self._followed.pop(worker, None)
            if self._leading is not None and self._leading.worker is worker:
                self._leading = None

    def stop(self) -> bool:
        """Stop the action that keys wait for, or would; False without one, or where it is told."""
        if not self._leads or self._leading is None or self._leading.told:
            return False
        self._leading.worker.cancel()
        self._leading = None
        return True

    def wait(self, keys: Sequence[Typed], until: Callable[[], bool] | None = None) -> None:
        """Keep keys until their screen is there, and ``until`` is so of the first of them."""
        if not self._keys:
            self._until = until
        self._keys += keys
        many, it = plural(len(self._keys), "key"), "it" if len(self._keys) == 1 else "them"
        self._say(f"{many} typed ahead: run once this is read. Esc discards {it}.")
        if not self.giving and (self.task is None or self.task.done()):
            self.task = asyncio.create_task(self._wait(), name="keys wait")

    async def _wait(self) -> None:
        stack, leading = self._app.screen_stack, self._leading if self._leads else None
        front = stack[-1] if stack else None
        while True:
            if not self._app.screen_stack:
                return  # the program ended meanwhile
            sheet: Any = self._app.screen if hasattr(self._app.screen, "seen_at") else None
            waits = self._coming or self._reads_rows or (self._lacks and self._reads_more)
            ready = not waits and (self._until is None or self._until())
            if not self._keys:
                return  # Esc dropped them; what they waited for goes on
            if ready and (sheet is None or leading is None or sheet.seen_at is not None):
                break
            await asyncio.sleep(LOOK_SECONDS)  # nobody tells when a guard would say another thing
        if getattr(front, "under_way", None) is False and self._app.screen is front:
            self.drop("It was not sent.")  # they were meant for what comes after it
        elif self._led_nowhere(leading):
            place = self._app.here
            said = "" if place is None else place.said
            self.drop(said if self._said is None or said != self._said[1] else "Nothing opened.")
        elif self._lacks:
            self.drop("This could not be read.")
        elif self._keys:
            came = sheet is not None and sheet is not front
            self._led_to = (sheet, leading) if came and leading is not None else None
            self._app.call_later(self._give)

    def _led_nowhere(self, leading: ReadingAction | None) -> bool:
        """Whether the action that the keys waited for is over, and nothing came of it."""
        if leading is None or self._leading is not leading:
            return False
        front, self._leading = self._app.screen, None
        return front is leading.screen and front.focused is leading.focused

    @property
    def _reads_rows(self) -> bool:
        """Whether the first rows of the screen in front are being read: keys would find nothing."""
        pane = getattr(self._app.screen, "pane", None)
        busy = getattr(getattr(pane, "source", None), "busy", False)
        return bool(busy) and getattr(pane, "selected", None) is None

    @property
    def _reads_more(self) -> bool:
        """Whether the screen in front reads anything still: why that fails would be said later,
        in place of what is said of the keys."""
        return bool(getattr(getattr(self._app.screen, "reads", None), "loads", ()))

    @property
    def _lacks(self) -> bool:
        """Whether the screen in front could not be read at all."""
        front = self._app.screen
        pane = getattr(front, "pane", None)
        failed = getattr(getattr(pane, "source", None), "error", "")
        nothing = getattr(pane, "selected", None) is None
        return bool(failed and nothing) or getattr(getattr(front, "reads", None), "unread", False)

    async def _give(self) -> None:
        """Act on the keys that waited, as when they come from the terminal now."""
        keys, self._keys = self._keys, []
        self._unsay()
        self.giving = True
        try:
            while keys:
                if self._is_no_text(keys[0]):
                    self._keep_from_sheet(keys)
                    return
                await self._app.on_event(keys.pop(0))
                if self._keys or (keys and self._coming):
                    self.wait(keys, self._until)
                    keys = []
                elif not self.giving:
                    self._keys = keys
                    self.drop(self._failed)
                    return
        finally:
            self.giving = False
        if self._keys:
            self.task = asyncio.create_task(self._wait(), name="keys wait")

    def _is_no_text(self, key: Typed) -> bool:
        """Whether a key is for a sheet that nobody had seen, and no text for a field of it."""
        front = self._app.screen
        if self._led_to is None or front is not self._led_to[0]:
            return False
        return not self.is_text(key)

    def _keep_from_sheet(self, keys: list[Typed]) -> None:
        """Keep keys typed before a dialog opened from acting in it: they may be text."""
        assert self._led_to is not None
        (sheet, leading), self._led_to = self._led_to, None
        label, named = sheet.heading, ""
        if leading.action is not None:
            label, named = leading.action.label, leading.action.id
        self.refuse(label, "", keys[-1].time, named, how="opened only now")
        if self._refused is not None:
            self._refused.keys = keys
            self._tell_refused(self._refused)

    def failed(self, why: str) -> None:
        """Note that a key was refused: keys typed ahead after it are dropped too."""
        self.giving, self._failed = False, why

    def drop(self, why: str) -> None:
        """Act on none of the keys that wait."""
        keys, self._keys = self._keys, []
        self._unsay()
        place = self._app.here
        if keys and place is not None:
            verb = "was" if len(keys) == 1 else "were"
            said = f"{plural(len(keys), 'key')} typed ahead {verb} not run."
            place.say(f"{why} {said}", "warn")

    def _say(self, said: str) -> None:
        place = self._app.here
        if place is not None and place.is_attached:
            place.say(said)
            self._said = place, said

    def _unsay(self) -> None:
        if self._said is not None:
            place, said = self._said
            place.unsay(said)
        self._said = None

    def _agrees_unseen(self, event: Typed, pressed: str) -> bool:
        """Whether a key came before the question in front can have been read: it is no answer."""
        front = self._app.screen
        asks = getattr(front, "DECIDES", False) or getattr(front, "DANGER", 0) > 1
        if not asks or pressed == "escape":
            return False
        seen = getattr(front, "seen_at", None)
        if seen is not None and event.time >= seen + READ_SECONDS:
            return False
        if (place := self._app.here) is not None:
            place.say("A key typed before the question appeared does not answer it.", "warn")
        return True

    # What was refused

    def refuse(
        self, label: str, why: str, at: float, action: str, how: str = "was refused"
    ) -> None:
        """Run no words that are typed next: a field was refused, by a key that came at ``at``.

        ``action`` is the id of what opens it, with which a draft of the text is opened again; empty
        for what opens none, after which keys are no text.
        """
        self._end()
        until = at + PAUSE_SECONDS
        self._refused = RefusedField(label, why, self._app.screen, until, action, how=how)
        self._end_later()

    def _take_refused(self, event: Typed, pressed: str) -> bool:
        refused = self._refused
        if refused is None:
            return False
        over = event.time > refused.until or self._app.screen is not refused.screen
        if over or pressed == "escape":
            self._end()
            return not over
        if not is_word(event) or (pressed == "question_mark" and not refused.keys):
            if not refused.keys:
                self._end()  # who moves on, or asks for help, types no words
            return False
        refused.keys.append(event)
        refused.until = event.time + PAUSE_SECONDS
        if self._keeping is None:  # not put off by the keys that follow
            self._keeping = asyncio.get_running_loop().call_later(KEEP_SECONDS, self.keep_typed)
        self._tell_refused(refused)
        return True

    def _tell_refused(self, refused: RefusedField) -> None:
        self._end_later()
        if (place := self._app.here) is not None:
            place.say(_said(refused), "warn")

    def keep_typed(self) -> None:
        """Keep words that were typed for a field that was refused, as a draft."""
        from copydesk.session.draft_keys import ahead_key  # not before the first paint

        if self._keeping is not None:
            self._keeping.cancel()
        self._keeping, refused, place = None, self._refused, self._app.here
        text = "" if refused is None else text_of(refused.keys).strip()
        # One word is rather a few keys that were meant for the screen: that is in the log alone.
        is_text = refused is not None and refused.action and len(text.split()) > 1
        if refused is not None and place is not None and is_text:
            refused.draft = refused.draft or ahead_key(place.PLACE, place.target, refused.action)
            self._app.session.drafts.save(refused.draft, text)

    def _end_later(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(PAUSE_SECONDS, self._end)

    def _end(self) -> None:
        """Act on keys again. The text that was typed is in the log, and words are a draft."""
        self.keep_typed()
        if self._timer is not None:
            self._timer.cancel()
        refused, self._refused, self._timer = self._refused, None, None
        if refused is not None and (text := text_of(refused.keys)).strip():
            what = f"“{refused.label}” {refused.how}. Typed after that, and not run: {clean(text)}"
            self._app.session.note(what)
            self._app.session.touched()


def text_of(keys: list[Typed]) -> str:
    """Return the text that keys come to."""
    text = ""
    for each in keys:
        if isinstance(each, events.Paste):
            text += each.text
        elif each.key == "backspace":
            text = text[:-1]
        elif each.key == "enter":
            text += "\n"
        elif each.is_printable:
            text += each.character or ""
    return text


def is_word(event: Typed) -> bool:
    """Whether a key or a paste writes or corrects text: arrows and the like do not."""
    if not isinstance(event, events.Key):
        return True
    return event.is_printable or event.key in ("enter", "backspace")


def _said(refused: RefusedField) -> str:
    keys = plural(len(refused.keys), "key")
    verb = "was" if len(refused.keys) == 1 else "were"
    text = text_of(refused.keys)
    kept = ", the text is in the log (@)" if text.strip() else ""
    if refused.action and len(text.split()) > 1:
        kept = ", the text is a draft (g d)"
    why = f" {refused.why}" if refused.why else ""
    return f"“{refused.label}” {refused.how}; {keys} typed after it {verb} not run{kept}.{why}"

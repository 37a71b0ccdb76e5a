"""Text typed ahead, while an action opens its field: kept, and given to that field.

Who presses the key of a comment and types on means the comment, however long its field takes to
come: nothing of it may act as commands. It is on the disk within a second, as a draft of its own
until its field has it; what does not open after all leaves it there, and in the log.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextvars import ContextVar
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

from textual import events
from textual.screen import Screen
from textual.worker import NoActiveWorker, Worker, get_current_worker

from copydesk.domain.cause import CAUSE
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean
from copydesk.tui.framework.actions import SCOPES, Action, Acts, Commands, NoRowYet, NotYet, asked
from copydesk.tui.framework.early_keys import (
    KEEP_SECONDS,
    LOOK_SECONDS,
    PASS,
    EarlyKeys,
    Typed,
    text_of,
)
from copydesk.tui.framework.inside_textual import forward
from copydesk.tui.framework.workers import begin

if TYPE_CHECKING:
    from textual.timer import Timer

    from copydesk.tui.framework.base_app import BaseApp, Here

_log = logging.getLogger("copydesk.writes")

OPENS_SECONDS = 0.5
"""How long a draft may take to open once its place has been read."""

SENDS = frozenset({"ctrl+s", "enter"})
"""Keys that may send what a field holds: none does of what nobody could see when they came."""


@dataclass(eq=False)
class Opening:
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


_MINE: ContextVar[Opening | None] = ContextVar("opening", default=None)
"""The way to a field that goes on here."""


class TypingAhead:
    """Keeps the keys of one app that come before their field."""

    def __init__(
        self,
        app: BaseApp,
        early: EarlyKeys,
        run: Callable[[Acts, Action], Awaitable[None]],
        clock: Callable[[], float],
    ) -> None:
        self._app, self._early, self._run, self._clock = app, early, run, clock
        self.opening: Opening | None = None
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
        self.opening = mine = Opening(
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
        opening = Opening("", "the draft", place.screen, (), None, waits=True, resumes=place)

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

    def _resume_typed(self, place: Here, draft: str, opening: Opening) -> None:
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
        opening, screen = self.opening, owner.screen
        assert opening is not None
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

    def _add(self, opening: Opening, event: Typed) -> None:
        opening.keys.append(event)
        if self._timer is None:  # not put off by the keys that follow
            self._timer = self._app.set_timer(KEEP_SECONDS, self.keep_typed)

    def again(self, label: str) -> None:
        """Keep the keys for another field, which the action that goes on here opens next."""
        cause, place = CAUSE.get(), self._app.here
        if cause and place is not None:
            self._end()
            self.opening = Opening(cause[-1], label, place.screen, cause, None)

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

    def _keep(self, opening: Opening, keys: list[Typed]) -> None:
        # Not before the first paint, as all that knows of drafts.
        from copydesk.session.draft_keys import ahead_key

        text = text_of(keys).strip()
        on = self._on(opening)
        if text and on is not None:
            opening.draft = opening.draft or ahead_key(on.PLACE, on.target, opening.id)
            self._app.session.drafts.save(opening.draft, text)

    def _on(self, opening: Opening) -> Any:
        return opening.screen if hasattr(opening.screen, "PLACE") else self._app.here

    def _offer_kept(self, sheet: Any, opening: Opening) -> None:
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
            opening.keys = self._unsent(opening, opening.keys)
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

    async def _give(self, opening: Opening) -> None:
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

    def _unsent(self, opening: Opening, keys: list[Typed]) -> list[Typed]:
        """Return the keys before the first that may send something; the rest is in the log."""
        sends = (isinstance(key, events.Key) and key.key in SENDS for key in keys)
        at = next((at for at, sent in enumerate(sends) if sent), None)
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
    def _is_its(front: Screen[Any], opening: Opening) -> bool:
        if opening.resumes is not None:
            return bool(getattr(front, "TAKES_TEXT", False))
        return getattr(front, "cause", None) == opening.cause

    @staticmethod
    def check(cause: tuple[str, ...]) -> None:
        """Report an action that opens a field and does not declare it: a mistake of the program."""
        scope, _, method = cause[-1].rpartition(".") if cause else ("", "", "")
        actions = (owner.ACTIONS.get(method) for owner in SCOPES.get(scope, ()))
        action = next(filter(None, actions), None)
        if action is not None and not action.types:
            _log.error("%s opens a field, and does not say so", action.id)

    def _stop(self, opening: Opening) -> None:
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

    def _say(self, said: str, opening: Opening | None = None) -> None:
        place = self._app.here
        if place is not None and place.is_attached:
            place.say(said, "warn")
            if opening is not None:
                opening.told = place, said

    @staticmethod
    def _unsay(opening: Opening) -> None:
        told, opening.told = opening.told, None
        if told is not None:
            place, said = told
            place.unsay(said)


def _owners(place: Here) -> Sequence[Acts]:
    return place.screen.owners if isinstance(place.screen, Acts) else ()


def _waiting(label: str) -> str:
    return f"“{label}” opens once this is read: what you type is for it. Esc stops it."

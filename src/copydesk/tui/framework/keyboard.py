"""From a key press to the action it means here.

The widget in focus is asked first, then what holds it, then the place, then the jumps that work
everywhere. Tables are built once per combination of classes and keymap, so a press costs one
look-up. Keys that mean nothing here are answered with a sentence.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import ref

from rich.text import Text
from textual import events
from textual.app import App
from textual.binding import Binding
from textual.screen import Screen
from textual.widgets import Input

from copydesk.domain.keymap import keys_renamed, with_keys
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.request_context import ASKER, CAUSE, Asker
from copydesk.session.declarations import DeclaredAction, actions, declared_keys, part_keys
from copydesk.session.errors import failure_types, sentence
from copydesk.session.writes.log import QueuedError, RecalledError, WriteError
from copydesk.tui.framework.actions import (
    JUMPS,
    Action,
    Acts,
    Command,
    NotYet,
    actions_of,
    away,
    chord,
    declared_name,
    refusal,
    shown,
)
from copydesk.tui.framework.desk_app import heard
from copydesk.tui.framework.early_keys import PASS, EarlyKeys, Typed, TypingAhead
from copydesk.tui.framework.inside_textual import hurry

if TYPE_CHECKING:
    from textual.widget import Widget

    from copydesk.tui.framework.base_app import BaseApp, Here

SOFT_CHORD_SECONDS = 0.8
"""How long a key that acts at once (``z``) may still begin a chord (``z R``)."""

LISTED = 100
"""A list of chords is said after a wrong one if it has no more characters than these."""

STEPS = 4
"""Turns of the event loop in which an action goes on once its dialog is left."""

LEAVES = frozenset({"enter", "escape"})
"""Declared keys of the actions by which a field is left."""

FIELD_SECONDS = 1.0
"""How long keys wait for a field that still takes in the keys before them."""

BEGAN_ON: ContextVar[ref[Screen[Any]] | None] = ContextVar("began_on", default=None)
"""What was in front when the action began that goes on here, or where it went itself since.

Every task that begins here keeps its own copy, and the screens that it opens begin theirs in that:
were it not a weak reference, each screen would keep the one before it for as long as the program
runs.
"""


OVER_DIALOGS = frozenset({"place.interrupt", "place.suspend"})
"""Actions of a place that a dialog over it leaves as they are."""

MOVE = "Move"
"""The group of the actions that move a cursor."""


def _is_told(event: events.Key) -> bool:
    """Whether it is said of a key that it does nothing: not of those that Textual may act on."""
    name = event.key
    known = name in ("backspace", "delete", "insert") or name.strip("f").isdigit()
    return event.is_printable or name.startswith("ctrl+") or known


def left_behind(app: App[Any]) -> bool:
    """Whether the user has gone on since the action began that goes on here.

    Something else is in front then, and what is typed is meant for that.
    """
    noted, front = BEGAN_ON.get(), app.screen
    began = None if noted is None else noted()
    own = getattr(front, "cause", None) == CAUSE.get()
    return began is not None and began in app.screen_stack and not (front is began or own)


@dataclass(frozen=True, slots=True)
class Meaning:
    """An action and which owner of the chain has it (-1: the jumps)."""

    level: int
    action: Action


@dataclass(slots=True)
class KeyNode:
    """What a key does: an action, the beginning of chords, or both."""

    meaning: Meaning | None
    following: dict[str, KeyNode]


def build(
    chain: Sequence[type[Acts]], keymap: Mapping[str, Sequence[str]], *, jumps: bool
) -> dict[str, KeyNode]:
    """Return the key table of a chain of classes, nearest first."""
    root: dict[str, KeyNode] = {}
    found = list(actions_of(chain))
    if jumps:
        found += [(-1, jump) for jump, _ in JUMPS.values()]
    for level, action in found:
        for keys in keys_of(action, keymap):
            _put(root, chord(keys), Meaning(level, action))
    return root


def keys_of(action: Action | DeclaredAction, keymap: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """Return the keys of an action in this user's keymap."""
    return keymap.get(action.id, action.keys)


def _put(root: dict[str, KeyNode], presses: Sequence[str], meaning: Meaning) -> None:
    node = root.setdefault(presses[0], KeyNode(None, {}))
    for press in presses[1:]:
        node = node.following.setdefault(press, KeyNode(None, {}))
    if node.meaning is None:
        node.meaning = meaning


async def run(owner: Any, action: Action) -> None:
    """Do an action, or say why it is off. An async one goes on in a worker."""
    if not owner.is_attached or owner.screen not in owner.app.screen_stack:
        return  # it was left between the key and its turn
    place: Here | None = owner.screen if hasattr(owner.screen, "say") else None
    reads = getattr(owner.screen, "reads", None)
    if reads is not None and action.group != MOVE:
        reads.follow(at_once=True)  # it is for the row under the cursor, and what shows of that
    session = owner.app.session
    if away(session, action):
        why: str | None = refusal(session, action.label)
    else:
        why = action.reason(owner)
    waits = isinstance(why, NotYet) and action.types and place is not None
    keyboard: Keyboard = owner.app.keyboard
    unseen = action.writes and action.danger < 2 and not action.types
    unread = False
    if place is not None and keyboard.presses and not waits:
        known = partial(_known, owner, action, place)
        unread = isinstance(why, NotYet) and not known()
        if unread and not unseen:
            keyboard.early.wait(keyboard.presses, known)
            return
    shown_at = 0.0 if reads is None else reads.shown_at
    early = any(press.time < shown_at for press in keyboard.presses) or keyboard.early.giving
    if why is None and unseen and early:
        why = f"“{action.label}” was typed before this could be seen: press it again."
    if why is not None and not waits:
        keyboard.early.failed(why)
        if place is not None:
            place.say(why, "warn")
        else:
            owner.app.bell()
            keyboard._say(why)
        if action.types:
            keyboard.early.refuse(action.label, why, keyboard.pressed_at, action.id)
        elif unread or (unseen and early and not keyboard.early.giving):
            # What follows, as after a mark, would be about another row than was meant.
            keyboard.early.refuse(action.label, why, keyboard.pressed_at, "")
        return
    if _is_under_way(owner, action):
        if place is not None:
            place.say(f"{action.label.capitalize()} is still under way.", "warn")
        return
    with because(owner, action.id):
        method = getattr(owner, action.method)
        ahead = keyboard.ahead
        result = ahead.once_read(owner, action) if waits else method()
        if action.types and inspect.isawaitable(result):
            result = ahead.follow(owner.screen, action, result)
        if action.inline and inspect.isawaitable(result):
            await tell_failures(place, result)
        else:
            await _follow(owner, place, action, result)


def _known(owner: Any, action: Action, place: Here) -> bool:
    """Whether it is known what an action is about, or nothing more of it is being read."""
    return not (place.unread_yet and isinstance(action.reason(owner), NotYet))


def _is_under_way(owner: Any, action: Action) -> bool:
    """Whether an action is still being done, so that it is not begun a second time.

    Where text is typed that is so until its field has opened: what is sent from there is another
    text then, or is kept from being sent twice by itself.
    """
    ahead: TypingAhead = owner.app.keyboard.ahead
    if action.types:
        return ahead.opening is not None and ahead.opening.id == action.id
    return any(
        worker.name == action.id
        and worker.is_running
        and worker.node is owner.screen
        and not owner.app.session.writes.waits_for(worker)
        for worker in owner.app.workers
    )


async def run_command(owner: Any, command: Command, rest: str) -> None:
    """Do a word of the command line."""
    place: Here | None = owner.screen if hasattr(owner.screen, "say") else None
    if away(owner.app.session, command):
        if place is not None:
            place.say(refusal(owner.app.session, command.label), "warn")
        return
    if (why := command.reason(owner)) is not None:
        if place is not None:
            place.say(why, "warn")
        return
    with because(owner, command.id):
        await _follow(owner, place, command, getattr(owner, command.method)(rest))


@contextmanager
def because(owner: Any, name: str) -> Iterator[None]:
    """Tag the requests sent meanwhile, also by tasks that begin meanwhile, with their action.

    What is done in a sheet is done for the action that opened it, too.
    """
    opener: tuple[str, ...] = getattr(owner.screen, "cause", ())
    before, where = CAUSE.set((*opener, name)), BEGAN_ON.set(ref(owner.screen))
    front = owner.app.here
    asker = ASKER.set(Asker("" if front is None else front.PLACE))
    try:
        yield
    finally:
        CAUSE.reset(before)
        ASKER.reset(asker)
        BEGAN_ON.reset(where)


async def _follow(owner: Any, place: Here | None, each: Action | Command, result: Any) -> None:
    if inspect.isawaitable(result):
        failing = tell_failures(place, result)
        worker = owner.screen.run_worker(failing, name=each.id, group=each.id)
        owner.app.keyboard.early.follow(worker, each)
        # The first step runs before the next key is read: an action binds to what is under the
        # cursor when its key was pressed.
        await asyncio.sleep(0)
    if place is not None and place.is_attached:
        place.frame_soon()


async def tell_failures(place: Here | None, result: Any) -> None:
    """Await what an action began; what the service refused is said on the place."""
    try:
        await result
    except (QueuedError, RecalledError) as error:
        if place is not None:
            place.tell(str(error), "warn")
    except WriteError as error:
        if place is not None:
            place.tell(str(error), "bad")
    except failure_types() as error:
        if place is not None:
            place.session.learn(error)
            place.tell(sentence(error), "bad")
    finally:
        if place is not None and place.is_attached:
            place.refresh_frame()


def _sends(meaning: Meaning | None) -> bool:
    return meaning is not None and bool(meaning.action.danger)


def _leaves(meaning: Meaning | None) -> bool:
    return meaning is not None and not LEAVES.isdisjoint(meaning.action.keys)


def _has_key(field: Widget, key: str) -> bool:
    """Whether Textual has an action of a field for a key, which comes before all of ours."""
    kinds = type(field).__mro__
    own = (each for kind in kinds for each in vars(kind).get("BINDINGS", ()))
    return any(key in each.key.split(",") for each in own if isinstance(each, Binding))


def _takes_text(focused: Widget) -> bool:
    return not isinstance(focused, Acts) or focused.TYPES_TEXT


class Keyboard:
    """Reads key presses for an app."""

    def __init__(self, app: BaseApp) -> None:
        self.app = app
        self.run = run
        self.yours: Callable[[Screen[Any]], Sequence[Acts]] = lambda screen: ()
        """Returns the reader's own commands on a screen, whose keys come before its own."""
        self.early = EarlyKeys(app, self.is_text)
        self.ahead = TypingAhead(app, self.early, self.may_send, run, lambda: self.clock())
        self.pressed = False
        """Whether any key came."""
        self.key_at = monotonic()
        """When the last key came, whatever became of it, on the clock of `time.monotonic`."""
        self.clock = monotonic
        """The clock of the keys."""
        self.pressed_at = monotonic()
        """When the last key came that was acted on."""
        self.presses: tuple[events.Key, ...] = ()
        """The key that is acted on, or all of its chord."""
        self._begun: tuple[events.Key, ...] = ()
        self.keymap: dict[str, Sequence[str]] = {}
        self._tables: dict[tuple[Any, ...], dict[str, KeyNode]] = {}
        self._renamed: dict[tuple[type[Acts], ...], dict[str, str]] = {}
        self._pending: KeyNode | None = None
        self._pressed = ""
        self.key = ""
        """The last key that was acted on, as declared."""
        self._soft_until = 0.0

    def use(self, keymap: Mapping[str, Sequence[str]]) -> None:
        """Use another keymap."""
        self.keymap = dict(keymap)
        self._tables.clear()
        self._renamed.clear()

    def renamed(self, where: Widget) -> Mapping[str, str]:
        """Return which keys of our texts are others in this user's keymap.

        Those of the actions of the screen that shows the text; of all others, which it may name
        too, those that have one key in their place. A dialog has fields that are not there yet.
        """
        if not self.keymap:
            return {}
        chain = self.chain(where.screen)
        kinds = tuple(type(owner) for owner in chain)
        if kinds not in self._renamed:
            parts = {} if hasattr(where.screen, "say") else part_keys()
            here = {each.id: each.keys for _, each in actions_of(chain)}
            found: dict[str, str] = {}
            for each in declared_keys(), parts, here:
                now = keys_renamed(
                    (keys[0], self.keymap.get(name, keys)) for name, keys in each.items() if keys
                )
                found |= {form: shown(key) for first, key in now.items()
                          for form in (first, shown(first))}  # fmt: skip
            self._renamed[kinds] = found
        return self._renamed[kinds]

    def said(self, text: str, where: Widget) -> str:
        """Return a text of ours with this user's keys in place of those declared."""
        return with_keys(text, self.renamed(where)) if self.keymap else text

    def table(self, chain: Sequence[Acts], *, jumps: bool) -> dict[str, KeyNode]:
        """Return the key table for these owners."""
        key = (*(type(owner) for owner in chain), jumps, len(JUMPS))
        table = self._tables.get(key)
        if table is None:
            table = build([type(owner) for owner in chain], self.keymap, jumps=jumps)
            self._tables[key] = table
        return table

    def chain(self, screen: Screen[Any] | None = None) -> list[Acts]:
        """Return who may answer a key on a screen (the one in front), nearest first."""
        screen = screen or self.app.screen
        focused = screen.focused
        nodes = [screen] if focused is None else focused.ancestors_with_self
        chain: list[Acts] = []
        for node in nodes:
            if node is screen:
                chain.extend(self.yours(screen))
            if isinstance(node, Acts):
                chain.extend(node.owners)
            if node is screen:
                break
        return chain

    def takes(self, event: Typed) -> bool:
        """Whether a key or paste is for another screen than the one in front."""
        return self.ahead.take(event) or self.early.take(event)

    def is_text(self, event: Typed) -> bool:
        """Whether the field in focus takes a key or paste as text."""
        focused = self.app.screen.focused
        if focused is None or not _takes_text(focused):
            return False
        if not isinstance(event, events.Key):
            return True
        acts = isinstance(focused, Acts) and event.key in self.table([focused], jumps=False)
        return (event.is_printable or event.key == "backspace") and not acts

    async def press(self, event: events.Key) -> bool:
        """Act on a key; False leaves it to Textual."""
        self.pressed = True
        self.key_at = monotonic()
        self.app.stay()
        if self.takes(event):
            self._pending = None
            return True
        self.pressed_at = event.time
        front = self.app.screen
        hurry(front)
        try:
            return await self._press(event)
        finally:
            self.presses = ()
            if self.app.screen is not front:
                await self.gone_on()

    async def gone_on(self) -> None:
        """Let actions that waited for the closed screen go on before the next key is acted on."""
        for _ in range(STEPS):
            await asyncio.sleep(0)

    async def _press(self, event: events.Key) -> bool:
        screen = self.app.screen
        focused = screen.focused
        if not isinstance(screen, Acts):
            return False
        if focused is not None and _takes_text(focused):
            return await self._in_field(event, focused)
        chain = self.chain()
        on_place = hasattr(screen, "say")
        table = self.table(chain, jumps=on_place)
        pending, self._pending = self._pending, None
        soft = pending is not None and pending.meaning is not None
        self.presses = (event,) if pending is None or soft else (*self._begun, event)
        if pending is not None and soft and monotonic() > self._soft_until:
            pending = None
        if pending is not None:
            if event.key == "escape" and not soft:
                self._hint(None)
                return True
            node = pending.following.get(event.key)
            if node is None and not soft:
                self._mean_nothing(pending, event)
                return True
            if node is not None:
                self._hint(None)
                return await self._take(node, chain, event.key)
        node = table.get(event.key)
        if node is None:
            return self._explain(event, chain) if on_place else await self._over_dialog(event)
        return await self._take(node, chain, event.key)

    async def _over_dialog(self, event: events.Key) -> bool:
        """Quit or stop the program, or tell that a key has no action in a dialog."""
        here: Any = self.app.here
        below = [] if here is None else self.chain(here)
        node = self.table(below, jumps=False).get(event.key)
        meaning = None if node is None else node.meaning
        if meaning is not None and meaning.action.id in OVER_DIALOGS:
            await self.do(meaning, below)
        elif event.key == "enter" and getattr(self.app.screen, "DANGER", 0) > 1:
            self._say("Enter confirms nothing.")
        elif event.key in PASS or not _is_told(event):
            return False
        else:
            self._say(f"{shown(declared_name(event.key))} does nothing here.")
        return True

    def may_send(self, event: Typed, screen: Screen[Any]) -> bool:
        """Whether a key may send what the field in focus on a screen holds, or begins to."""
        if not isinstance(event, events.Key) or event.is_printable:
            return False
        node = self.table(self.chain(screen), jumps=False).get(event.key)
        sends = node is not None and (bool(node.following) or _sends(node.meaning))
        return sends or event.key == "enter"

    async def _in_field(self, event: events.Key, focused: Widget) -> bool:
        """Act on a key by which a field sends or is left, once it has all that was typed before.

        Textual would ask the field first, and knows no chords. The keys that follow would come into
        it meanwhile; now they wait, and are for what is in front then. A form has more fields than
        the one in focus: what was typed before may still be on its way to another.
        """
        chain, key, pending = self.chain(), event.key, self._pending
        self._pending = None
        if pending is not None and self._begun[-1].is_printable:
            pending = None  # it began elsewhere
        table = self.table(chain, jumps=False) if pending is None else pending.following
        node = table.get(key)
        if pending is not None and node is None:
            if key == "escape":
                self._hint(None)
            else:
                self._mean_nothing(pending, event)
            return True
        if pending is not None:
            self.presses = (*self._begun, event)
        if node is not None and node.following and not event.is_printable:
            self.presses = self.presses or (event,)
            await heard(focused)
            return await self._take(node, chain, key)
        meaning = None if node is None else node.meaning
        # Textual would take a letter with alt for that letter, and has keys of its own for a field.
        taken = key not in LEAVES and _sends(meaning) and _has_key(focused, key)
        ours = meaning is not None and (pending is not None or key.startswith("alt+") or taken)
        if meaning is not None and meaning.level and not ours:
            meaning = None
        submits = key == "enter" and meaning is None and isinstance(focused, Input)
        ends = _sends(meaning) or _leaves(meaning)
        if not (submits or ours or (ends and not event.is_printable)):
            return False
        self._hint(None)
        typed = asyncio.Event()
        focused.call_later(typed.set)
        try:
            await asyncio.wait_for(typed.wait(), FIELD_SECONDS)
        except TimeoutError:  # it is busy, or is taken away: this comes behind what was typed
            return False
        await heard(focused)
        if key in LEAVES and getattr(focused, "offers", False):
            return False  # the key is about what it offers
        if meaning is not None:
            await self.do(meaning, chain)
        elif isinstance(focused, Input):
            await focused.action_submit()
        await heard(focused)
        return True

    async def _take(self, node: KeyNode, chain: Sequence[Acts], key: str) -> bool:
        if node.following:
            self._pending, self._begun = node, self.presses
            self._pressed = declared_name(key)
            if node.meaning is None:
                self._hint(node)
                return True
            self._soft_until = monotonic() + SOFT_CHORD_SECONDS
        if node.meaning is None:
            return False
        self.key = declared_name(key)
        screen = self.app.screen
        if hasattr(screen, "clear_message"):
            screen.clear_message()
        await self.do(node.meaning, chain)
        return True

    async def do(self, meaning: Meaning, chain: Sequence[Acts]) -> None:
        """Run a meaning for the owner it belongs to; nothing where that is not there any more.

        A footer that is clicked may have been drawn for what had the focus before.
        """
        level, action = meaning.level, meaning.action
        if level < 0:
            await self.app.go(action.method)
        elif level < len(chain) and chain[level].ACTIONS.get(action.method) is action:
            await run(chain[level], action)

    def _mean_nothing(self, begun: KeyNode, event: events.Key) -> None:
        self._hint(None)
        keys = shown(f"{self._pressed} {declared_name(event.key)}")
        meant = self._list(begun).plain
        if len(meant) > LISTED:
            meant = f"{shown(self._pressed)} shows what does."
        self._say(f"{keys} means nothing here. {meant}")

    def _hint(self, node: KeyNode | None) -> None:
        screen = self.app.screen
        if hasattr(screen, "show_keys"):
            screen.show_keys("" if node is None else self._list(node))

    def _list(self, node: KeyNode) -> Text:
        """Return what a begun chord may become, each key before what it does."""
        parts = [
            Text.assemble((shown(f"{self._pressed} {declared_name(key)}"), "bold"), f" {label}")
            for key, child in node.following.items()
            if child.meaning is not None and not away(self.app.session, child.meaning.action)
            for label in (child.meaning.action.label,)
        ]
        return Text("  ").join(parts)

    def _say(self, text: str) -> None:
        screen = self.app.screen
        if hasattr(screen, "say"):
            screen.say(text, "warn")
        elif hasattr(screen, "say_of_key"):
            screen.say_of_key(text)

    def _explain(self, event: events.Key, chain: Sequence[Acts]) -> bool:
        """Tell that a key has no action here, and name a near one: ? lists all."""
        name = declared_name(event.key)
        near = name.swapcase() if len(name) == 1 else ""
        here = {
            chord(keys)[0]: action
            for _, action in actions_of(chain)
            for keys in keys_of(action, self.keymap)
            if len(chord(keys)) == 1
        }
        elsewhere = next(
            (
                action
                for action in actions().all.values()
                for keys in keys_of(action, self.keymap)
                if chord(keys) == (event.key,)
            ),
            None,
        )
        parts = [f"{shown(name)} does nothing here."]
        if elsewhere is None and not _is_told(event):
            return False
        if near and (action := here.get(near)) is not None:
            parts.append(f"{near} is “{action.label}”.")
        else:
            parts.append("? lists the keys.")
        said = " ".join(parts)
        self._say(said)
        self.early.failed(said)
        if elsewhere is not None and elsewhere.types:
            self.early.refuse(shown(name), said, event.time, elsewhere.id)
        return True

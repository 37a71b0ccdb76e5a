"""Somebody who presses keys without reading: on the sample desk, and on one whose network is bad.

`press_keys` opens the whole program, with its files, and presses keys, chords, words of the command
line, text, pastes, the mouse and sizes of the terminal, by chance and by a seed. It raises
`MonkeyError`, with the last things that were done, where something came to an end that should not:
an exception, a program that no longer turns, a character on the screen that no terminal should see,
a write that is called done and is not.
"""

from __future__ import annotations

import asyncio
import random
import re
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.message_pump import MessagePump
from textual.worker import WorkerFailed

from copydesk.cli.connection import Connection, session_for
from copydesk.client.api import Api
from copydesk.client.carrier import Timeouts
from copydesk.local.journal import Journal
from copydesk.local.paths import Paths
from copydesk.local.state import State
from copydesk.server.app import create_app, mint_token
from copydesk.server.desk_file import damage
from copydesk.server.sample import build_sample
from copydesk.server.store import Store
from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework import navigation
from copydesk.tui.framework.actions import declared, declared_commands
from copydesk.tui.system.reference import load_everything
from tests import faults
from tests.drive import Driver, drive, screen_text
from tests.faulty import FaultyServer, by_chance, serving

FORBIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\ufff9-\ufffb\U000e0000\U000e0001]"
)
"""What no terminal should be given: control codes, directions, no width, broken characters."""

TEXTS = (
    "ok",
    "Why is this here?",
    "42",
    "/",
    "*",
    "a b",
    "é漢字🧵",
    "[red]x[/red]",
    "-1",
    "2026-02-30",
    "x" * 300,
    "",
)
HOSTILE = (
    "\x1b]0;owned\x07\x1b[2J",
    "\u202egnp.exe",
    "e" + "\u0301" * 400,
    "\ud800 \x00 \x9b31m",
    "line\r\nline\tline\u2028line\n" * 40,
    "[/][bold @click=app.bell]x",
    "\u200b\ufeff",
)
PLAIN = (
    "enter", "enter", "enter", "escape", "escape", "tab", "shift+tab", "up", "down", "down", "left",
    "right", "pageup", "pagedown", "home", "end", "space", "backspace", "delete", "shift+down",
    "shift+end", "f1", "y", "n", *(f"ctrl+{letter}" for letter in "aeksuw"),
)  # fmt: skip
SIZES = ((80, 24), (140, 40), (80, 24), (20, 5), (1, 1), (200, 50), (3, 40), (61, 13))

STALL_SECONDS = 60.0
"""After so long without an end a step is taken to hang. No step needs one second of that."""


TURN_SECONDS = 20.0
"""After so long without a turn the program is taken to be stuck."""


def awaited() -> str:
    """Return where tasks wait, other than for a message: functions with their lines."""
    lines = []
    for task in asyncio.all_tasks():
        chain = []
        waits: Any = task.get_coro()
        while waits is not None:
            frame = getattr(waits, "cr_frame", None) or getattr(waits, "gi_frame", None)
            if frame is not None:
                code = frame.f_code
                chain.append(f"{Path(code.co_filename).name}:{frame.f_lineno} {code.co_name}")
            waits = getattr(waits, "cr_await", None) or getattr(waits, "gi_yieldfrom", None)
        if not any(each.endswith("_get_message") for each in chain):
            lines.append(f"{task.get_name()}: " + " > ".join(chain))
    return "\n".join(lines)


class MonkeyError(AssertionError):
    """What went wrong, with how it came to it."""


class Monkey:
    """Does something by chance, again and again, and remembers what."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.done: deque[str] = deque(maxlen=80)
        load_everything()
        self._keys = sorted({key for action in declared() for key in action.keys})
        names = {word.name for word in declared_commands()} | set(navigation.ENTRIES)
        self._words = sorted(names)
        self._ways: tuple[tuple[Callable[[Driver], Awaitable[None]], int], ...] = (
            (self._key, 45),
            (self._plain, 25),
            (self._burst, 5),
            (self._type, 7),
            (self._paste, 2),
            (self._word, 6),
            (self._mouse, 7),
            (self._resize, 1),
            (self._look_away, 2),
        )

    async def step(self, driver: Driver) -> None:
        """Do one thing."""
        ways, weights = zip(*self._ways, strict=True)
        (way,) = self.chance.choices(ways, weights)
        await way(driver)

    def _note(self, what: str) -> None:
        self.done.append(what)

    async def _press(self, driver: Driver, key: str) -> None:
        self._note(key)
        for each in key.split(" "):
            driver._key(each)
            await driver._run()
        if self.chance.random() < 0.3:  # else nothing is laid out and drawn between two keys
            await driver.settle()

    async def _key(self, driver: Driver) -> None:
        await self._press(driver, self.chance.choice(self._keys))

    async def _plain(self, driver: Driver) -> None:
        await self._press(driver, self.chance.choice(PLAIN))

    async def _burst(self, driver: Driver) -> None:
        """Press several keys before the program can act on the first."""
        keys = [self.chance.choice((*self._keys, *PLAIN)) for _ in range(6)]
        self._note(f"burst {keys}")
        for key in keys:
            for each in key.split(" "):
                driver._key(each)
        await driver.settle()

    async def _type(self, driver: Driver) -> None:
        text = self.chance.choice(TEXTS)[:40]
        self._note(f"type {text!r}")
        for letter in text:
            driver._key("space" if letter == " " else letter)
        await driver.settle()

    async def _paste(self, driver: Driver) -> None:
        text = self.chance.choice((*TEXTS, *HOSTILE))
        self._note(f"paste {text[:40]!r}")
        event = events.Paste(text)
        event.set_sender(driver.app)
        driver.app.post_message(event)
        await driver.settle()

    async def _word(self, driver: Driver) -> None:
        word = self.chance.choice(self._words)
        if self.chance.random() < 0.5:
            word += " " + self.chance.choice(TEXTS)[:12]
        self._note(f":{word}")
        await driver.send("escape")
        await driver.send(":")
        for letter in word:
            driver._key("space" if letter == " " else letter)
        await driver.settle()
        await driver.send("enter")

    async def _mouse(self, driver: Driver) -> None:
        width, height = driver.app.size
        x, y = self.chance.randrange(max(1, width)), self.chance.randrange(max(1, height))
        kinds: tuple[tuple[type[events.MouseEvent], ...], ...] = (
            (events.MouseDown, events.MouseUp),
            (events.MouseDown, events.MouseUp, events.MouseDown, events.MouseUp),
            (events.MouseScrollDown,),
            (events.MouseScrollUp,),
            (events.MouseMove,),
            (events.MouseDown,),
            (events.MouseUp,),
        )
        for kind in self.chance.choice(kinds):
            self._note(f"{kind.__name__} {x},{y}")
            event = kind(
                widget=None, x=x, y=y, delta_x=0, delta_y=0, button=1, shift=False, meta=False,
                ctrl=False, screen_x=x, screen_y=y,
            )  # fmt: skip
            event.set_sender(driver.app)
            assert driver.app._driver is not None
            driver.app._driver.send_message(event)
        await driver.settle()

    async def _resize(self, driver: Driver) -> None:
        width, height = self.chance.choice(SIZES)
        self._note(f"{width}x{height}")
        app, size = driver.app, Size(width, height)
        assert app._driver is not None
        app._driver._size = size
        app.post_message(events.Resize(size, size))
        await driver.settle()

    async def _look_away(self, driver: Driver) -> None:
        """Go to another window and come back; time passes."""
        self._note("look away")
        for event in (events.AppBlur(), events.AppFocus()):
            event.set_sender(driver.app)
            driver.app.post_message(event)
        driver.app.tick()
        await driver.settle()


class WatchedApp(CopydeskApp):
    """The program, with a browser that opens nothing."""

    def open_url(self, url: str, *, new_tab: bool = True) -> None:
        """Look at the address only."""
        assert not FORBIDDEN.search(url), url


@contextmanager
def cancellations(errors: list[BaseException]) -> Iterator[None]:
    """Note what cancels the task of a screen or of the program, other than their own end.

    A handler that awaits what somebody else cancels is cancelled with it, and with it all keys; a
    screen that ended so ends the program, without a word, when it is left.
    """
    dispatch = MessagePump._dispatch_message

    async def watched(pump: MessagePump, message: Message) -> None:
        try:
            await dispatch(pump, message)
        except asyncio.CancelledError as error:
            if pump.is_running and not pump.app._exit:
                error.add_note(f"in {pump!r}, by {message!r}")
                errors.append(error)
            raise

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(MessagePump, "_dispatch_message", watched)
        yield


class Round:
    """One monkey on one desk. ``home`` has the program's files; they outlive a quit."""

    def __init__(self, home: Path, seed: int) -> None:
        self.monkey = Monkey(random.Random(seed))
        self.pressed = 0
        self.opened = 0
        self.errors: list[BaseException] = []
        self._seed = seed
        self._clients: list[Api] = []
        self._server: FaultyServer | None = None
        self._paths = Paths(*(home / name for name in ("config", "data", "state", "cache")))
        self._paths.make()
        self._store = Store(durable=False)
        self._owner = build_sample(self._store)
        self.desk = create_app(self._store)
        self.token = self._store.write(lambda tx: mint_token(tx, self._owner, "monkey"))

    def close(self) -> None:
        """Close the desk."""
        self._store.close()

    async def run(self, keys: int, server: FaultyServer | None) -> None:
        """Press so many keys, opening the program anew whenever it was left."""
        self._server = server
        place = "spaces"
        while self.pressed < keys:
            try:
                with cancellations(self.errors):
                    async with self._opened(server, place) as driver:
                        await self._play(driver, keys, server)
            except MonkeyError:
                raise
            except Exception as error:
                raise self._fail(error) from error
            finally:
                while self._clients:
                    await self._clients.pop().aclose()
            if self.errors:
                raise self._fail(self.errors[0])
            if server is not None and not await server.left(STALL_SECONDS):
                raise self._fail(AssertionError("a connection was left open"))
            place = self.monkey.chance.choice(sorted(navigation.ENTRIES))
        await self._check(server)

    def _opened(self, server: FaultyServer | None, place: str) -> Any:
        def client() -> Api:
            if server is None:
                transport = httpx.ASGITransport(self.desk, raise_app_exceptions=False)
                made = Api("http://desk", self.token, transport=transport)
            else:
                brief = Timeouts(connect=2, read=0.2, whole=0.5)
                made = Api(server.url, self.token, timeouts=brief)
            self._clients.append(made)
            return made

        kind = "desk:monkey" if server is None else "service:monkey"
        connection = Connection(kind, "monkey", client)
        session = session_for(
            connection,
            self._paths,
            Journal(State(self._paths.store), kind),
            connect=lambda: connection.connect(keeping=self._paths.answers),
        )
        app = WatchedApp(session, place, crash=self._crashed, background=self._crashed)
        self.monkey._note(f"OPEN {place}")
        self.opened += 1
        return drive(app, draws=True)

    def _crashed(self, error: BaseException, kept: str = "") -> str:
        self.errors.append(error)
        return ""

    async def _play(self, driver: Driver, keys: int, server: FaultyServer | None) -> None:
        monkey, app = self.monkey, driver.app
        while self.pressed < keys and not (app._exit or self.errors):
            try:
                async with asyncio.timeout(STALL_SECONDS):
                    await monkey.step(driver)
                    if app._exit or self.errors:
                        break
                    if monkey.chance.random() < 0.12:
                        await driver.idle()
                        await self._answers(app)
                        if monkey.chance.random() < 0.4:
                            self._look(app)
            except (TimeoutError, AssertionError) as error:
                raise self._fail(error) from error
            self.pressed += 1
            if server is not None:
                await self._weather(server)
        if not (app._exit or self.errors):
            if server is not None:
                await server.up()
            await driver.idle()

    async def _answers(self, app: CopydeskApp) -> None:
        """See that the program and its screen in front take their turn."""
        for pump in (app, app.screen):
            turned = asyncio.Event()
            if not pump.call_later(turned.set):
                continue
            try:
                async with asyncio.timeout(TURN_SECONDS):
                    await turned.wait()
            except TimeoutError:
                if pump in (app, app.screen):
                    raise AssertionError(f"{pump!r} waits for ever:\n{awaited()}") from None

    def _look(self, app: CopydeskApp) -> None:
        """Look for what no terminal should be given."""
        if app.is_running and (bad := FORBIDDEN.search(screen_text(app))) is not None:
            raise AssertionError(f"{bad[0]!r} is on the screen:\n{screen_text(app)}")

    async def _weather(self, server: FaultyServer) -> None:
        """Let the network go and come back, now and then."""
        chance = self.monkey.chance.random()
        if chance < 0.01:
            self.monkey._note("NETWORK down")
            await server.down()
        elif chance < 0.03:
            await server.up()

    def _fail(self, error: BaseException) -> MonkeyError:
        steps = "\n  ".join(self.monkey.done)
        asked = [] if self._server is None else self._server.asked[-20:]
        lines = "\n  ".join(
            f"{each.method} {each.target} {each.status} {each.fault and each.fault.name}"
            for each in asked
        )
        inner = error.error if isinstance(error, WorkerFailed) else error
        where = "".join(traceback.format_exception(inner))
        made = MonkeyError(
            f"seed {self._seed}, after {self.pressed}: {error}\n{where}\n  {steps}\n  {lines}"
        )
        made.__cause__ = error
        return made

    async def _check(self, server: FaultyServer | None) -> None:
        """Hold what was said to be done against what is there."""
        complaints, _ = damage(self._store._writer)
        if complaints:
            raise self._fail(AssertionError(f"the desk is damaged: {complaints[:5]}"))
        if server is None:
            return
        arrived = {
            (each.method, each.target, each.body.decode())
            for each in server.arrived
            if each.status is not None and each.status < 300
        }
        for entry in Journal(State(self._paths.store)).entries():
            if entry.state != "done" or entry.request is None:
                continue
            sent = (
                entry.request["method"],
                entry.request["target"],
                entry.request.get("body") or "",
            )
            if sent not in arrived and entry.sentence == "":
                raise self._fail(AssertionError(f"called done, and never arrived: {sent}"))


@contextmanager
def round_of(home: Path, seed: int) -> Iterator[Round]:
    """Yield a round, and close its desk."""
    made = Round(home, seed)
    try:
        yield made
    finally:
        made.close()


async def press_keys(home: Path, seed: int, keys: int, *, faulty: bool) -> Round:
    """Press so many keys on a sample desk. Raises `MonkeyError`."""
    with round_of(home, seed) as made:
        if not faulty:
            await made.run(keys, None)
            return made
        async with serving(made.desk) as server:
            server.plan = by_chance(seed, 0.15, (*faults.QUICK, *faults.HANGS))
            await made.run(keys, server)
        return made

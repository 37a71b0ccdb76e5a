"""Every place over a service whose every text is hostile: nothing of it reaches the terminal.

What is drawn is looked at twice: the cells of the screen, which hold what was cleaned where it
became a part of a screen, and the bytes that are written, behind the last step.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import TypeAlias

import httpx
import pytest
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.drivers.headless_driver import HeadlessDriver
from textual.strip import Strip
from textual.widget import Widget

from copydesk.client.api import Api
from copydesk.local.snapshot import Snapshots
from copydesk.session.session import Session
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework import navigation
from copydesk.tui.framework.place import Place
from copydesk.tui.system.reference import load_everything
from tests.drive import drive
from tests.hostile import FORBIDDEN, KEPT, POISON, RETURNED, Made
from tests.tui.sample_desk import PARTS, SIZES, Sample, back, targets

EVERY_KEY = os.environ.get("HYPOTHESIS_PROFILE") == "long"
"""Whether every key of a place is pressed there, instead of the few that show most."""

FEW = {"changes": ("Y",), "members": ("e",)}
"""The keys that are pressed otherwise: a sheet with what there is to copy, and a form."""

OURS = re.compile(
    r"\x1b\[(?:[0-9;]*m|[0-9]+;[0-9]+H|\?2026[hl])"  # a style, a place on the screen, a frame
    r"|\x1b[78]|\x1b\[[0-9]+C"  # letters with marks, and the place behind them
    r"|\x1b\]22;[a-z-]+\x07"  # the form of the pointer
    r"|\x1b\]52;c;[A-Za-z0-9+/]*=*\x07"  # the clipboard
    r"|[\n\x07]"  # the end of a line, and the bell
)
"""All that is ever written to the terminal beside the texts."""

VIEWS = {"review": 4, "changes": 7, "inbox": 4, "findings": 7}
"""How many other views these have: the tabs of a request, lists by need, kinds of things."""


def but_hostile(target: Target) -> Target:
    """Return the ids as a hostile service gives them."""
    named = {name: getattr(target, name) for name in target.__dataclass_fields__}
    return target.but(**{name: each + RETURNED for name, each in named.items() if each is not None})


class Written:
    """What is written to the terminal."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.characters = 0

    def take(self, data: str) -> None:
        """Take what the driver is given."""
        self._parts.append(data)

    def look(self, when: str) -> None:
        """Fail where something was written since that is no text, and nothing of ours."""
        data = "".join(self._parts)
        self._parts.clear()
        self.characters += len(data)
        left = OURS.sub("", data)
        found = FORBIDDEN.search(left)
        assert found is None, (when, left[max(0, found.start() - 60) : found.end() + 20])
        data.encode()  # no half of a character, which would end the program


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Written:
    """What is written to a terminal, by programs that take theirs for one."""
    found = Written()
    monkeypatch.setattr(HeadlessDriver, "is_headless", False)
    monkeypatch.setattr(HeadlessDriver, "write", lambda driver, data: found.take(data))
    monkeypatch.setattr("copydesk.tui.app._native_copy", lambda text: None)
    return found


def look(app: CopydeskApp, written: Written, when: str) -> None:
    """Fail where a cell of the screen, or what is written, has what no terminal should get."""
    app.screen.refresh(repaint=True)
    under = app._background_screens
    app._display(app.screen, app.screen._compositor.render_update(full=True, screen_stack=under))
    written.look(when)
    for strip in app.screen._compositor.render_strips(app.size):
        assert cell_len(strip.text) == app.size.width, f"{when}: {strip.text!r}"
        for text, style, control in strip:
            assert not FORBIDDEN.search(text), f"{when}: {text!r}"
            assert not control, when
            assert style is None or not (style.link or style.meta.get("@click")), when


Connect: TypeAlias = Callable[[], Api]
"""How a program of a test gets its client."""


async def look_everywhere(
    connect: Connect,
    written: Written,
    wanted: dict[str, Target],
    part: int,
    size: tuple[int, int] = SIZES[-1],
) -> None:
    """Open one part of all places, press keys there, and look at what was drawn and written."""

    async def connected() -> Api:
        return connect()

    app = CopydeskApp(Session(connected, snapshot=Snapshots(), host="desk.test"), "spaces")
    async with drive(app, size=size) as driver:
        look(app, written, "at first")
        for name, entry in sorted(navigation.ENTRIES.items())[part::PARTS]:
            if name != entry.place.PLACE or not entry.place.__module__.startswith("copydesk."):
                continue  # another way to the same place, or one that tests made
            await app.go(name, but_hostile(wanted.get(name, wanted[""])))
            await driver.idle()
            look(app, written, name)
            for _ in range(VIEWS.get(name, 0)):
                await driver.press("]")
                look(app, written, f"a view of {name}")
            for key in sorted(keys_of(entry.place)) if EVERY_KEY else FEW.get(name, ()):
                await driver.press(key)
                assert not app._exit, f"{name}, {key} ends the program"
                look(app, written, f"{name}, {key}")
                await driver.press("escape")
                if not isinstance(app.screen, entry.place):
                    await back(driver)
                    await app.go(name, but_hostile(wanted.get(name, wanted[""])))
                    await driver.idle()
            await back(driver)
    assert written.characters > 50_000  # the places were drawn


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("part", range(PARTS))
async def test_nothing_hostile_reaches_the_terminal(
    sample: Sample, written: Written, part: int, size: tuple[int, int]
) -> None:
    load_everything()
    async with sample.api() as api:
        wanted = await targets(api)
    await look_everywhere(lambda: sample.api(POISON), written, wanted, part, size)


@pytest.mark.parametrize("seed", range(12 if EVERY_KEY else 1))
@pytest.mark.parametrize(
    "kept",
    [pytest.param(KEPT, marks=pytest.mark.long, id="known kinds"),
     pytest.param(frozenset(), id="nothing known")],
)  # fmt: skip
@pytest.mark.parametrize("part", range(PARTS))
async def test_no_field_of_any_answer_reaches_the_terminal_as_it_is(
    written: Written, part: int, kept: frozenset[str], seed: int
) -> None:
    load_everything()
    service = Made(kept, seed)
    text = "text"
    at = Target(text, text, change_request=text, page=text, site=text, section=text, item=text)
    await look_everywhere(
        lambda: Api("http://desk", "token", transport=httpx.MockTransport(service.answer)),
        written, {"": at}, part,
    )  # fmt: skip
    assert len(service.asked) > 20


class Careless(Widget):
    """A part of a screen that cleans nothing."""

    DEFAULT_CSS = "Careless { width: 80; height: 3; }"

    def render_line(self, y: int) -> Strip:
        """Return a line of all that no terminal should get."""
        evil = Style(link="file:///etc/passwd\x1b]0;owned\x07")
        moved = Segment("\x1b[9;9H", None, [])
        line = Strip([Segment("before "), moved, Segment(POISON * 2, evil), Segment(" after")])
        return line.adjust_cell_length(80)


async def test_what_nobody_cleaned_ends_before_the_terminal(
    sample: Sample, written: Written
) -> None:
    async def connect() -> Api:
        return sample.api()

    app = CopydeskApp(Session(connect, snapshot=Snapshots(), host="desk.test"), "spaces")
    async with drive(app, size=(80, 24), draws=True) as driver:
        written.look("at first")
        await driver.place.mount(Careless())
        await driver.idle()
        app.redraw()
        await driver.idle()
        data = "".join(written._parts)
        written.look("a careless part")
        assert "before" in data
        assert "\x1b]8;" not in data
        assert "\x1b[9;9H" not in data


async def test_what_is_copied_can_be_pasted_into_a_shell(sample: Sample, written: Written) -> None:
    async def connect() -> Api:
        return sample.api()

    app = CopydeskApp(Session(connect, snapshot=Snapshots(), host="desk.test"), "spaces")
    async with drive(app, draws=True) as driver:
        kept = "two\n\tlines"
        app.copy(f"{kept}{POISON}")
        await driver.idle()
        assert app.clipboard.startswith("two\n\tlines")
        assert not FORBIDDEN.search(re.sub(r"[\n\t]", "", app.clipboard))
        written.look("copied")
        dropped = len(f"{kept}{POISON}".replace("\r\n", "\n")) - len(app.clipboard)
        assert f"Copied “two”   ({dropped} characters left out: escape seq" in driver.screen
        app.copy("one\r\n\ttwo \U0001f469\u200d\U0001f4bb")
        await driver.idle()
        assert app.clipboard == "one\n\ttwo \U0001f469\u200d\U0001f4bb", "nothing is left out"
        assert "Copied “one”" in driver.screen
        assert "left out" not in driver.screen


def keys_of(place: type[Place]) -> set[str]:
    """Return the keys of a place, but those that leave the program or ask another."""
    owners = place.owner_classes()
    keys = {key for owner in owners for each in owner.ACTIONS.values() for key in each.keys}
    return keys - {"q", "Q", "ctrl+c", "ctrl+q", "ctrl+z", "o"}

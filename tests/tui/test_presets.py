"""Screens with other keys than the declared ones."""

from __future__ import annotations

import re
import socket
from collections.abc import Mapping

import pytest

from copydesk.client.api import Api
from copydesk.domain.keymap import OwnKeys, with_keys
from copydesk.local import browser
from copydesk.local.snapshot import Snapshots
from copydesk.present.facts import hint
from copydesk.session.declarations import declared_keys, keymap
from copydesk.session.session import Session
from copydesk.session.writes.log import WriteError
from copydesk.tui.app import CopydeskApp
from copydesk.tui.dialogs.composer import WriteSheet
from copydesk.tui.dialogs.dialog import Confirm, Notice, TypeToConfirm
from copydesk.tui.dialogs.form import Form
from copydesk.tui.dialogs.form_fields import Field
from copydesk.tui.dialogs.run import RunSheet
from copydesk.tui.framework import navigation
from copydesk.tui.framework.place import Place
from copydesk.tui.system.reference import load_everything
from tests.drive import drive
from tests.tui.opening import open_world
from tests.tui.sample_desk import SIZES, Sample, back, targets
from tests.world import World


def opened(world: World, own: OwnKeys) -> CopydeskApp:
    """Return a program with keys of one's own, which are in order."""
    app = open_world(world, "spaces")
    keys, mistakes = keymap(own)
    assert not mistakes
    app.use_keys(keys)
    return app


async def test_arrows_and_function_keys_are_enough(world: World) -> None:
    world.space("Guide", {"a": "# A\n"})
    world.space("Handbook", {"a": "# A\n"})
    async with drive(opened(world, OwnKeys("arrows")), size=(140, 40)) as driver:
        assert "f8 new" in driver.screen
        assert "f1 help" in driver.screen
        first = driver.selected
        await driver.press("j")
        assert driver.selected == first
        await driver.press("down")
        assert driver.selected != first
        await driver.press("f7", "c")
        assert driver.place.PLACE == "changes"
        assert "Nothing is open. f8 starts a change request." in driver.screen
        await driver.press("q", "f1")
        assert "f3 /" in driver.line("filter language")
        assert driver.line(" expand ").split()[1] == "right"
        await driver.press("escape", "f3")
        await driver.type("Guide")
        await driver.press("enter")
        assert "Handbook" not in driver.screen
        await driver.press("f8", "enter")
        assert "f9 " in driver.line("esc")
        assert "ctrl+" not in driver.screen


async def test_lists_are_moved_through_as_in_emacs_and_new_has_another_key(world: World) -> None:
    world.space("Guide", {"a": "# A\n"})
    world.space("Handbook", {"a": "# A\n"})
    async with drive(opened(world, OwnKeys("emacs")), size=(140, 40)) as driver:
        first = driver.selected
        await driver.press("ctrl+n")
        assert driver.selected != first
        await driver.press("ctrl+p")
        assert driver.selected == first
        assert "alt+n new" in driver.screen
        await driver.press("alt+x")
        assert "type" in driver.screen
        await driver.press("ctrl+g")
        assert driver.place.PLACE == "spaces"
        await driver.press("ctrl+s")
        await driver.type("Guide")
        await driver.press("enter")
        assert "Handbook" not in driver.screen
        # A chord sends in a field too, and its first key cuts nothing there.
        await driver.press("alt+n", "enter")
        assert "ctrl+x ctrl+s" in driver.line("esc")
        await driver.type("New")
        await driver.press("ctrl+x", "x")
        assert "ctrl+x x means nothing here. ctrl+x ctrl+s save" in driver.screen
        await driver.press("ctrl+g")
        assert isinstance(driver.app.screen, Place), "it leaves a field, and asks for no token"
        await driver.press("alt+n", "enter", "ctrl+x", "ctrl+s")
        assert "New" in driver.screen
        assert isinstance(driver.app.screen, Place)


async def test_dialogs_leave_the_words_of_others_alone_and_tell_own_keys(world: World) -> None:
    theirs, told = "Press ctrl+n; ctrl+s sends it", hint("Nothing is sent until ctrl+s.", "")
    async with drive(opened(world, OwnKeys("emacs")), size=(100, 30)) as driver:
        for sheet in (
            Confirm("Remove it", [theirs, told], verb="remove", warning=theirs),
            TypeToConfirm("Delete it", [theirs, told], expect="it", verb="delete"),
            Notice("Removed", [theirs, told]),
            Form("Edit it", [Field("name", "Name")], draft_key="a", facts=[theirs, told],
                 send=nothing),
            WriteSheet("Answer it", "b", facts=(theirs, told)),
        ):  # fmt: skip
            driver.app.push_screen(sheet)
            await driver.idle()
            shown = 2 if isinstance(sheet, Confirm) else 1
            assert driver.screen.count(theirs) == shown, driver.screen
            assert "Nothing is sent until ctrl+x ctrl+s." in driver.screen
            if isinstance(sheet, Form):
                await driver.press("enter")
                assert "Enter sends nothing: ctrl+x ctrl+s does (save)." in driver.screen
            await driver.press("ctrl+g")
            assert isinstance(driver.app.screen, Place)


async def test_what_failed_names_own_keys_beside_the_words_of_the_service(world: World) -> None:
    own = OwnKeys("vim", {"refresh": ("f6",), "run.retry": ("f5",), "go.outbox": ("f4",)})
    said = "The service refused it: R is taken. R tries again. Waits in the outbox (g x)."

    async def send(at: int) -> None:
        raise WriteError(said)

    async with drive(opened(world, own), size=(100, 30)) as driver:
        driver.app.push_screen(RunSheet("Send it", ["a", "b"], send, verb="send"))
        await driver.idle()
        await driver.press("y")
        words = " ".join(driver.screen.replace("┃", " ").replace("│", " ").split())
        assert "refused it: R is taken. f6 tries again. Waits in the outbox (f4)." in words
        assert "f5 try again" in words


async def test_what_is_copied_names_no_key_of_ours(world: World) -> None:
    async with drive(opened(world, OwnKeys("arrows")), size=(100, 30)) as driver:
        driver.app.copy("ctrl+n saves it")
        await driver.idle()
        assert "Copied “ctrl+n saves it”" in driver.screen
        driver.place.say("Staged: “What ctrl+n does”. ctrl+n makes it.")
        await driver.idle()
        assert "Staged: “What ctrl+n does”. f8 makes it." in driver.screen


def _other(key: str) -> str:
    first, *rest = key.split(" ")
    if len(first) > 1:
        return key.replace("ctrl+", "ctrl+alt+") if first.startswith("ctrl+") else key
    return " ".join([f"alt+{first}", *rest])


ALIKE = {"comparison": "two lines part the key of a chord", "inbox": "@ is no key there"}
"""The places where a line begins with what is no key of ours, and why."""


@pytest.mark.parametrize(
    "part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in range(1, 8))]
)
async def test_no_screen_names_a_key_that_is_another_one(sample: Sample, part: int) -> None:
    load_everything()
    keys = {
        name: tuple(map(_other, each))
        for name, each in declared_keys().items()
        if not name.startswith("list.")
    }
    letters = [*"abcdefghijklmnopqrstuvwxyz", *"ABCDEFGHIJKLMNOPQRSTUVWXYZ<>=.,:"]
    named = dict.fromkeys((*letters, *(f"g {key}" for key in letters)), "?")
    named |= {f"ctrl+{key}": "?" for key in letters}
    async with sample.api() as api:
        wanted = await targets(api)

    async def connect() -> Api:
        return sample.api()

    app = CopydeskApp(Session(connect, snapshot=Snapshots(), host="desk.test"), "spaces")
    app.use_keys(keys)
    async with drive(app, size=SIZES[1]) as driver:
        for name, entry in sorted(navigation.ENTRIES.items())[part::8]:
            ours = entry.place.__module__.startswith("copydesk.")
            if name != entry.place.PLACE or not ours or name in ALIKE:
                continue  # another way to the same place, or one that tests made
            await app.go(name, wanted.get(name, wanted[""]))
            await driver.idle()
            for _ in range(max(1, len(driver.place.views))):
                for strip in app.screen._compositor.render_strips(app.size):
                    for said in re.split(r"[│┃]| {4,}", strip.text):
                        assert with_keys(said.strip(), named) == said.strip(), name
                await driver.press("alt+]")
            await back(driver)


async def nothing(values: Mapping[str, str]) -> None:
    """Send nothing."""


async def test_an_action_has_the_keys_that_the_settings_give_it_and_no_other(world: World) -> None:
    world.space("Guide", {"a": "# A\n"})
    world.space("Handbook", {"a": "# A\n"})
    own = OwnKeys(
        "vim", {"place.last": ("f4",), "help": (), "changes.new": ("f6",), "send": ("f7",)}
    )
    async with drive(opened(world, own)) as driver:
        assert "? help" not in driver.screen
        first = driver.selected
        await driver.press("G", "?")
        assert (driver.place.PLACE, driver.selected) == ("spaces", first)
        await driver.press("f4")
        assert driver.selected != first
        await driver.press("g c")
        assert "Nothing is open. f6 starts a change request." in driver.screen
        await driver.press("f6", "enter")
        assert "f7 " in driver.line("esc")
        await driver.type("Better")
        await driver.press("ctrl+s")
        assert not isinstance(driver.app.screen, Place)
        await driver.press("f7")
        assert "Better" in driver.screen
        assert isinstance(driver.app.screen, Place)


async def test_a_browser_is_told_keys_that_its_pages_get(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    world.change_request(space, {"a": "# B\n"}, subject="Better")
    world.organization("Beta", world.ana)
    with socket.socket() as wire:  # whose other end is gone
        window = browser.Window(wire, {"address": "http://127.0.0.1:1", "left": None})
    monkeypatch.setattr(browser, "window", window)
    keys, _ = keymap(OwnKeys(), browser=True)
    app = open_world(world, "teams")
    app.use_keys(keys)
    async with drive(app, size=(140, 40)) as driver:
        assert "There are no teams yet. alt+n makes one." in driver.screen
        await driver.press("g c", "a")
        assert "ctrl+s" in driver.screen
        await driver.press("escape", "enter", "C")
        assert "alt+t preview" in driver.screen
        for kept in ("ctrl+t", "ctrl+n", "$EDITOR"):
            assert kept not in driver.screen
        await driver.press("alt+t", "alt+t")
        await driver.type("as ever")
        assert "as ever" in driver.screen

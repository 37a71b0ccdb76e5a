"""What copydesk takes from inside Textual and argparse, none of which they promise to keep.

A test that fails here names what a new version of the library lacks: look at who uses it.
"""

from __future__ import annotations

from argparse import ArgumentError, ArgumentParser

import pytest
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.widget import Widget

from copydesk.cli.parser import Parser
from copydesk.tui.widgets.text_field import TextField
from tests.drive import drive
from tests.tui.opening import open_world
from tests.world import World

OVERRIDDEN = [
    (App, "_display _fatal_error _handle_exception"),
    (MessagePump, "_dispatch_message _flush_next_callbacks"),
    (Screen, "_forward_event _on_timer_update _refresh_layout _screen_resized"),
    (Widget, "_post_register"),
    (LinuxDriver, "_get_terminal_size _run_input_thread _sigcont_application _sigtstp_application"),
]


@pytest.mark.parametrize(("owner", "names"), OVERRIDDEN)
def test_what_is_overridden_is_there(owner: type, names: str) -> None:
    assert [name for name in names.split() if not callable(getattr(owner, name, None))] == []


async def test_textual_keeps_who_watches_the_theme_where_fields_are_taken_out(world: World) -> None:
    async with drive(open_world(world, "spaces")) as driver:
        field = TextField("text")
        await driver.app.screen.mount(field)
        watching = getattr(driver.app, "__watchers")["theme"]
        assert field in [each[0] for each in watching]
        await field.remove()
        assert field not in [each[0] for each in watching]


def test_argparse_keeps_its_actions_and_asks_for_choices_where_they_are_looked_at() -> None:
    plain = ArgumentParser()
    commands = plain.add_subparsers()
    option = plain.add_argument("--how", choices=["one"])
    assert commands in plain._actions
    assert type(commands).__name__ == "_SubParsersAction"
    assert plain._option_string_actions["--how"] is option
    parser = Parser(prog="copydesk", exit_on_error=False)
    parser.add_argument("--how", choices=["one"])
    with pytest.raises(ArgumentError, match="it cannot be 'oen': did you mean one"):
        parser.parse_args(["--how", "oen"])

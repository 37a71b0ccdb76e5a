"""What copydesk takes from inside Textual and argparse, none of which they promise to keep.

A test that fails here names what a new version of the library lacks: look at who uses it.
"""

from __future__ import annotations

import ast
import os
import sys
from argparse import ArgumentError, ArgumentParser
from inspect import getsource, isfunction
from pathlib import Path

import pytest
from textual._compositor import Compositor
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.message_pump import MessagePump
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.widget import Widget

import copydesk.tui
from copydesk.cli.parser import Parser
from copydesk.tui.widgets.text_field import TextField
from tests.drive import drive
from tests.test_structure import own_classes
from tests.tui.opening import open_world
from tests.world import World

TUI = Path(copydesk.tui.__file__).parent

OVERRIDDEN = [
    (App, "_display _fatal_error _handle_exception"),
    (MessagePump, "_dispatch_message _flush_next_callbacks _message_loop_exit"),
    (Screen, "_forward_event _on_timer_update _refresh_layout _screen_resized"),
    (Widget, "_post_register"),
    (Compositor, "_get_renders"),
    (LinuxDriver, "_get_terminal_size _run_input_thread _sigcont_application _sigtstp_application"),
]
"""What each does otherwise, beside what it would do: tests/tui/framework/test_inside_textual.py,
test_ending.py, tests/terminal."""

USED = {
    "framework/base_app.py": "_batch_count _driver _exception _loop _next_callbacks "
    "_previous_cursor_position _refresh_truecolor_filter _running",
    "framework/base_screen.py": "_get_breakpoint_classes _get_virtual_dom _pruning "
    "_push_result_callback _result_callbacks _size _styles_cache _update_timer",
    "framework/drawn.py": "_dirty_regions",
    "framework/pane.py": "_start_widget _styles_cache",
    "kept_screen.py": "_compositor _dirty_regions",
    "terminal_driver.py": "_auto_restart _debug _loop _writer_thread",
}
"""What is read or called besides, by module: of a program, a screen, a pane and the terminal."""

SET = {
    "framework/base_screen.py": "_compositor",
    "framework/pane.py": "_border_title",
    "kept_screen.py": "_dirty_regions",
}
"""What is given another value than Textual gives it, by module."""


@pytest.mark.parametrize(("owner", "names"), OVERRIDDEN)
def test_what_is_overridden_is_there(owner: type, names: str) -> None:
    assert [name for name in names.split() if not callable(getattr(owner, name, None))] == []


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def test_nothing_else_is_overridden() -> None:
    found = {
        name
        for kind in own_classes()
        for base in kind.__mro__
        if base.__module__.startswith("textual.")
        for name in vars(kind).keys() & vars(base).keys()
        if is_private(name) and isfunction(vars(kind)[name])
    }
    assert found == {name for _, names in OVERRIDDEN for name in names.split()}


def names_in(source: str) -> tuple[set[str], set[str]]:
    """Return the private names that a module makes, and those that it reads or calls."""
    made, read = set[str](), set[str]()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Load()):
                read.add(name)
            case (
                ast.Attribute(attr=name)
                | ast.Name(id=name, ctx=ast.Store())
                | ast.FunctionDef(name=name)
                | ast.AsyncFunctionDef(name=name)
            ):
                made.add(name)
    return set(filter(is_private, made)), set(filter(is_private, read))


def test_nothing_else_is_used() -> None:
    bases = {base for kind in (App, ScrollView, Screen, LinuxDriver) for base in kind.__mro__}
    modules = {base.__module__ for base in bases if base.__module__.startswith("textual.")}
    theirs = set().union(*(names_in(getsource(sys.modules[each]))[0] for each in modules))
    ours = {path: names_in(path.read_text()) for path in TUI.rglob("*.py")}
    given = {name for names in SET.values() for name in names.split()}
    theirs -= ({name for made, _ in ours.values() for name in made} - given) | vars(os).keys()
    found = {
        path.relative_to(TUI).as_posix(): names
        for path, (_, read) in ours.items()
        if (names := read & theirs)
    }
    assert found == {module: set(names.split()) for module, names in USED.items()}
    assert given <= theirs
    stored = {
        path.relative_to(TUI).as_posix(): names
        for path, (made, _) in ours.items()
        if (names := made & given)
    }
    assert stored == {module: set(names.split()) for module, names in SET.items()}


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

"""What copydesk takes from inside Textual and argparse, none of which they promise to keep.

Textual's is taken by one module alone; that each of its methods does what it is there for is held
by tests/tui/framework/test_inside_textual.py. A test that fails here names what a new version of
the library lacks, or what another module takes.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
import sys
from argparse import ArgumentError, ArgumentParser
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.screen import Screen
from textual.scroll_view import ScrollView

import copydesk.tui
from copydesk.cli.parser import Parser
from copydesk.tui.framework import inside_textual
from copydesk.tui.widgets.text_field import TextField
from tests.drive import drive
from tests.test_structure import own_classes
from tests.tui.opening import open_world
from tests.world import World

TUI = Path(copydesk.tui.__file__).parent
INSIDE = Path(inside_textual.__file__)

PRIVATE_MODULE = re.compile(r"^\s*(from|import) textual\.(\w+\.)*_", re.MULTILINE)


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def overridden(kind: type) -> Iterator[str]:
    """Yield the private methods of Textual that a class has others for."""
    for base in kind.__mro__:
        if base.__module__.startswith("textual."):
            for name in vars(kind).keys() & vars(base).keys():
                if is_private(name) and inspect.isfunction(vars(kind)[name]):
                    yield name


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


def names_of_textual() -> set[str]:
    """Return the private names that are made by what ours stand on, and by their bases."""
    bases = {
        base
        for kind in (App, ScrollView, Screen, LinuxDriver, XTermParser)
        for base in kind.__mro__
    }
    for kind in (inside_textual.PartCompositor, inside_textual.FrameClock):
        bases |= set(kind.__mro__)
    modules = {base.__module__ for base in bases if base.__module__.startswith("textual.")}
    return set().union(*(names_in(inspect.getsource(sys.modules[each]))[0] for each in modules))


def test_each_private_method_of_the_one_module_overrides_one_of_textual() -> None:
    kinds = [kind for kind in vars(inside_textual).values() if inspect.isclass(kind)]
    ours = [kind for kind in kinds if kind.__module__ == inside_textual.__name__]
    found = {
        f"{kind.__name__}.{name}"
        for kind in ours
        for name, value in vars(kind).items()
        if is_private(name) and inspect.isfunction(value)
    }
    assert len(found) > 10
    assert found == {f"{kind.__name__}.{name}" for kind in ours for name in overridden(kind)}


def test_each_override_says_what_it_stands_on() -> None:
    lines = INSIDE.read_text().splitlines()
    for at, line in enumerate(lines):
        if re.match(r"    (async )?def _[a-z]", line):
            before = at - 1
            while re.match("    [#@]", lines[before]) and "Stands on: " not in lines[before]:
                before -= 1
            assert lines[before].startswith("    # Stands on: "), line


def test_no_other_class_overrides_what_is_private() -> None:
    others = [kind for kind in own_classes() if kind.__module__ != inside_textual.__name__]
    assert [(kind.__name__, name) for kind in others for name in overridden(kind)] == []


@pytest.mark.long
def test_no_other_module_imports_or_uses_what_is_private() -> None:
    texts = {path: path.read_text() for path in TUI.rglob("*.py")}
    assert [path for path, text in texts.items() if PRIVATE_MODULE.search(text)] == [INSIDE]
    names = {path.name: names_in(text) for path, text in texts.items() if path != INSIDE}
    theirs = names_of_textual() - vars(os).keys()
    foreign = theirs - {name for made, _ in names.values() for name in made}
    assert [(name, found) for name, (_, read) in names.items() if (found := read & foreign)] == []


def set_on_self(node: ast.AST) -> set[str]:
    """Return the private names that a class sets on its objects."""
    return {
        each.attr
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute)
        and isinstance(each.ctx, ast.Store)
        and isinstance(each.value, ast.Name)
        and each.value.id == "self"
        and is_private(each.attr)
    }


@pytest.mark.long
def test_no_other_class_sets_by_chance_what_textual_keeps_under_that_name() -> None:
    @cache
    def set_in(module: str) -> dict[str, set[str]]:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
        kinds = (each for each in ast.walk(tree) if isinstance(each, ast.ClassDef))
        return {each.name: set_on_self(each) for each in kinds}

    def set_by(kind: type) -> set[str]:
        return set_in(kind.__module__)[kind.__name__]

    assert [
        (kind.__name__, found)
        for kind in own_classes()
        for base in kind.__mro__
        if kind.__module__ != inside_textual.__name__ and base.__module__.startswith("textual.")
        if (found := set_by(kind) & set_by(base))
    ] == []


def test_what_the_one_module_reads_and_sets_is_there() -> None:
    made, read = names_in(INSIDE.read_text())
    own = {
        "_beginnings", "_begun", "_cursor_at", "_ends_badly", "_held", "_last", "_parts",
        "_pasting", "_prepares", "_was_shown", "_without_escapes",
    }  # fmt: skip
    assert (made | read) - own - names_of_textual() == set()
    assert len((made | read) & names_of_textual()) > 30


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
    with pytest.raises(ArgumentError, match="it cannot be oen: did you mean one"):
        parser.parse_args(["--how", "oen"])

"""Declarations of the screens, for code that may not import a screen, or should not yet.

``screens.json``, ``actions.json``, ``parts.json`` and ``columns.json`` beside this are generated
from the declarations by ``make generate`` (`tui.system.reference`): each screen is imported when
somebody first goes there.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.nearest_word import did_you_mean
from copydesk.domain.text import clean

if TYPE_CHECKING:
    from copydesk.domain.keymap import OwnKeys
    from copydesk.domain.list_columns import ListColumns
    from copydesk.domain.own_command import OwnCommand

HERE = Path(__file__).parent
SCREENS_FILE, ACTIONS_FILE = HERE / "screens.json", HERE / "actions.json"
PARTS_FILE, COLUMNS_FILE = HERE / "parts.json", HERE / "columns.json"

DANGERS: dict[str, int] = {}
"""The danger of each action (0 to 3), by its id: filled as the modules of screens are imported.

The command line imports none: its commands count as harmless.
"""


class Destination(NamedTuple):
    """A way to a screen: the word after ``:``, its title, key after ``g``, view and module, and the
    first operation that it uses, which gives its rows.
    """

    name: str
    title: str
    key: str
    view: str | None
    module: str
    reads: str = ""


@dataclass(frozen=True, slots=True)
class DeclaredAction:
    """The declaration of an action whose screen may not be imported yet."""

    id: str
    keys: Sequence[str]
    label: str
    types: bool


@dataclass(frozen=True, slots=True)
class Actions:
    """The actions of all screens, and by the word after ``:`` the scopes of those of each.

    ``words`` are the commands of the line of ``:``, with the screens that have each.
    """

    all: Mapping[str, DeclaredAction]
    words: Mapping[str, Sequence[str]]
    scopes: Mapping[str, Sequence[str]]


@cache
def ways() -> Sequence[Destination]:
    """Return every way to a screen, in the order in which they are listed."""
    return [Destination(*each) for each in _read(SCREENS_FILE)]


@cache
def actions() -> Actions:
    """Return the actions of all screens."""
    *rows, words, scopes = _read(ACTIONS_FILE)
    return Actions({each[0]: DeclaredAction(*each) for each in rows}, words, scopes)


def keymap(
    own: OwnKeys, *, browser: bool = False
) -> tuple[Mapping[str, Sequence[str]], Mapping[str, str]]:
    """Return the keys that a person has in place of declared ones, by action, and the mistakes.

    ``browser``: whether a window of one shows the screens.
    """
    from copydesk.domain.keymap import keymap_of

    screens: dict[str, Sequence[str]] = {
        name: (*scopes, "go") for name, scopes in actions().scopes.items()
    }
    screens |= {(scope := name.rpartition(".")[0]): (scope,) for name in part_keys()}
    fields = {name for name, _, typed in _read(PARTS_FILE) if typed}
    return keymap_of(declared_keys(), screens, own, fields, browser=browser)


@cache
def declared_keys() -> Mapping[str, Sequence[str]]:
    """Return the keys of all actions, of lists, dialogs and fields too, and of the ways."""
    declared: dict[str, Sequence[str]]
    declared = {name: tuple(each.keys) for name, each in actions().all.items()}
    declared |= part_keys()
    return declared | {f"go.{way.name}": (f"g {way.key}",) for way in ways() if way.key}


@cache
def part_keys() -> Mapping[str, Sequence[str]]:
    """Return the keys of the actions of lists, dialogs and fields."""
    return {name: tuple(keys) for name, keys, _ in _read(PARTS_FILE)}


def own_command_mistakes(
    commands: Sequence[OwnCommand], keymap: Mapping[str, Sequence[str]]
) -> Mapping[str, str]:
    """Return what is wrong with the names and keys of a person's own commands, by their names.

    ``keymap`` has the keys of actions that are not those declared.
    """
    from copydesk.domain.keymap import former, nearest_action

    known = {name: keymap.get(name, each.keys) for name, each in actions().all.items()}
    screens = {way.name for way in ways()}
    wrong: dict[str, str] = {}
    for each in commands:
        ids = [name for name in known if each.replaces in (name, name.rpartition(".")[2])]
        if each.name in screens:
            wrong[each.name] = f"command {each.name}: :{each.name} is a screen: choose another name"
        elif each.replaces and not ids and (said := former(each.replaces, known)):
            wrong[each.name] = f"command {each.name}: replaces: {said}"
        elif each.replaces and not ids and _of_part(each.replaces):
            said = f"replaces takes actions of screens, and {each.replaces} is not one of these: "
            wrong[each.name] = f"command {each.name}: {said}it is of a list, a dialog or a field"
        elif each.replaces and not ids:
            said = f"replaces is {clean(each.replaces, limit=60)!r}, which is not an action of a"
            meant = nearest_action(each.replaces, known)
            wrong[each.name] = f"command {each.name}: {said} screen: {meant}"
        elif each.replaces and not any(each.key in known[name] for name in ids):
            has = ", ".join(dict.fromkeys(key for name in ids for key in known[name]))
            said = f"{each.replaces} has not the key {clean(each.key, limit=20)}, but {has}"
            wrong[each.name] = f"command {each.name}: {said}"
    return wrong


def _of_part(name: str) -> bool:
    """Whether a list, a dialog or a field has an action of that name."""
    return any(name in (each, each.rpartition(".")[2]) for each in part_keys())


def list_mistakes(lists: Sequence[ListColumns]) -> Mapping[str, str]:
    """Return which lists are of no screen, and which want columns that they lack, by their names.

    Lists that have other columns for other rows are held against all of them.
    """
    from copydesk.domain.list_columns import unknown_columns

    known = [way.name for way in ways() if way.view is None]
    columns = known_columns()
    wrong: dict[str, str] = {}
    for each in lists:
        if each.name not in known:
            meant = did_you_mean(each.name, known, "docs/places.md names them")
            said = f"list {clean(each.name, limit=60)}: there is no such screen: {meant}"
            wrong[each.name] = said
        elif each.name in columns and (lacks := unknown_columns(each, columns[each.name])):
            wrong[each.name] = " ".join(lacks).removesuffix(".")
    return wrong


@cache
def known_columns() -> Mapping[str, Sequence[str]]:
    """Return the columns of the lists of screens, by the words after ``:``."""
    return dict(_read(COLUMNS_FILE))


def label(name: str, method: str) -> str | None:
    """Return the label of an action on the screen of that word; None without.

    It is known by its word or, as keys of drafts have it, by its method.
    """
    from copydesk.domain.keymap import words_now

    known = actions()
    scopes = known.scopes.get(name, ())
    words = ((scope, (*words_now(f"{scope}.{method}"), method)) for scope in scopes)
    ids = (f"{scope}.{word}" for scope, now in words for word in now)
    return next((known.all[each].label for each in ids if each in known.all), None)


def _read(path: Path) -> Any:
    return json.loads(path.read_bytes())

"""A person's own themes: the tables ``[themes.NAME]`` of the settings.

[themes.sea]
base = "dark"
here = "#66ccdd"
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from copydesk.domain.nearest_word import did_you_mean
from copydesk.domain.own_theme import BASES, ROLES, TAKEN, OwnTheme
from copydesk.domain.text import clean
from copydesk.local.settings_lines import Keys, read_tables

KEYS: Keys = {
    "base": ((str,), f"one of {', '.join(BASES)}"),
    **{role: ((str,), f"a colour such as `#66ccdd`: {means}") for role, means in ROLES.items()},
}
"""The keys of a theme."""

_NAME = re.compile(r"[A-Za-z][\w-]{0,39}")
_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")


def own_themes_of(value: object, text: str) -> tuple[tuple[OwnTheme, ...], list[tuple[int, str]]]:
    """Return the themes of the settings, and every mistake with its line.

    ``value`` is the content under ``themes``, ``text`` the whole file.
    """

    def made(name: str, given: Mapping[str, Any]) -> OwnTheme:
        colours = {role: each for role, each in given.items() if role != "base"}
        return OwnTheme(name, given.get("base", BASES[0]), colours)

    return read_tables("themes", value, text, _mistakes, made)


def _mistakes(name: str, given: object) -> Iterator[str]:
    lead = f"theme {clean(name, limit=60)}"
    if not _NAME.fullmatch(name) or name in TAKEN:
        yield f"{lead}: a name has letters, digits, _ and -, and is not {', '.join(TAKEN)}"
    if not isinstance(given, dict):
        yield f"{lead} is not a table: it begins with [themes.NAME]"
        return
    for key, value in given.items():
        if key not in KEYS:
            meant = did_you_mean(key, KEYS, f"the keys are {', '.join(KEYS)}")
            yield f"{lead}: {clean(key, limit=60)} is not a key of a theme: {meant}"
        elif key == "base" and value not in BASES:
            yield f"{lead}: base must be {KEYS['base'][1]}"
        elif key != "base" and not (isinstance(value, str) and _COLOUR.fullmatch(value)):
            yield f'{lead}: {key} must be a colour such as "#66ccdd"'

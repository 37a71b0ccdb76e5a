"""A person's own themes: the tables ``[themes.NAME]`` of the settings.

[themes.sea]
base = "dark"
here = "#66ccdd"
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches

from copydesk.domain.own_theme import BASES, ROLES, TAKEN, OwnTheme
from copydesk.domain.text import clean
from copydesk.local.settings_lines import line_in_table

KEYS: dict[str, tuple[type, str]] = {
    "base": (str, f"one of {', '.join(BASES)}"),
    **{role: (str, f"a colour such as `#66ccdd`: {means}") for role, means in ROLES.items()},
}
"""The keys of a theme, with their types and how they are written."""

_NAME = re.compile(r"[A-Za-z][\w-]{0,39}")
_COLOUR = re.compile(r"#[0-9A-Fa-f]{6}")


def own_themes_of(value: object, text: str) -> tuple[tuple[OwnTheme, ...], list[tuple[int, str]]]:
    """Return the themes of the settings, and every mistake with its line.

    ``value`` is the content under ``themes``, ``text`` the whole file.
    """
    if not isinstance(value, dict):
        line = line_in_table("themes", "", text)
        return (), [(line, "themes are tables: each begins with [themes.NAME]")]
    themes: list[OwnTheme] = []
    wrong: list[tuple[int, str]] = []
    for name, given in value.items():
        mistakes = list(_mistakes(name, given))
        wrong += [(line_in_table("themes", name, text), sentence) for sentence in mistakes]
        if not mistakes:
            colours = {role: each for role, each in given.items() if role != "base"}
            themes.append(OwnTheme(name, given.get("base", BASES[0]), colours))
    return tuple(themes), wrong


def _mistakes(name: str, given: object) -> Iterator[str]:
    lead = f"theme {clean(name, limit=60)}"
    if not _NAME.fullmatch(name) or name in TAKEN:
        yield f"{lead}: a name has letters, digits, _ and -, and is not {', '.join(TAKEN)}"
    if not isinstance(given, dict):
        yield f"{lead} is not a table: it begins with [themes.NAME]"
        return
    for key, value in given.items():
        if key not in KEYS:
            near = get_close_matches(key, KEYS, n=1)
            meant = f"did you mean {near[0]}?" if near else f"the keys are {', '.join(KEYS)}"
            yield f"{lead}: {clean(key, limit=60)} is not a key of a theme: {meant}"
        elif key == "base" and value not in BASES:
            yield f"{lead}: base must be {KEYS['base'][1]}"
        elif key != "base" and not (isinstance(value, str) and _COLOUR.fullmatch(value)):
            yield f'{lead}: {key} must be a colour such as "#66ccdd"'

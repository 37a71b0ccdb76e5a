"""The keys that the settings have: a preset, and keys by the names of actions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from copydesk.domain.keymap import PRESETS, OwnKeys
from copydesk.local.settings_lines import line_in_table


def own_keys_of(value: object, text: str) -> tuple[OwnKeys, list[tuple[int, str]]]:
    """Return the keys of ``[keys]`` in a settings file, and what is wrong with its lines.

    Whether there is such an action, and whether its key is free, is not known here: see
    `copydesk.domain.keymap.keymap_of`.
    """
    if not isinstance(value, Mapping):
        return OwnKeys(), [(line_in_table("keys", "", text), "keys is a table: write it as [keys]")]
    wrong, keys, preset = list[tuple[int, str]](), dict[str, tuple[str, ...]](), "vim"
    for name, given in _by_ids(value):
        written = [given] if isinstance(given, str) else given
        if name == "preset":
            if given in PRESETS:
                preset = str(given)
            else:
                wrong.append((line_in_keys(name, text), f"preset is {', '.join(PRESETS)}"))
        elif isinstance(written, list) and all(isinstance(each, str) for each in written):
            keys[name] = tuple(written)
        else:
            said = f'{name} is a key, or a list such as ["m", "f5"]'
            wrong.append((line_in_keys(name, text), said))
    return OwnKeys(preset, keys), wrong


def _by_ids(value: Mapping[str, object], above: str = "") -> Iterator[tuple[str, object]]:
    """Yield keys by the ids of actions: without quotes, TOML reads the dot of an id as a table."""
    for name, given in value.items():
        if isinstance(given, Mapping) and name != "preset":
            yield from _by_ids(given, f"{above}{name}.")
        else:
            yield f"{above}{name}", given


_PART = r"""(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')"""
_PATH = rf"{_PART}(?:\s*\.\s*{_PART})*"
_BEGINS = re.compile(rf"\s*(?:\[+\s*(?P<table>{_PATH})\s*\]|(?P<key>{_PATH})\s*=)")


def line_in_keys(name: str, text: str) -> int:
    """Return the line of a name in ``keys``, however that is written; 0 where it is not found.

    In a table that is written in one line it is that of the table.
    """
    table, found = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if not (begins := _BEGINS.match(line)):
            continue
        named = re.findall(_PART, begins["table"] or begins["key"])
        path = ".".join(part.strip("\"'") for part in named)
        if begins["table"]:
            table = f"{path}."
        elif f"{table}{path}" == f"keys.{name}":
            return number
        elif f"keys.{name}".startswith(f"{table}{path}."):
            found = found or number
    return found

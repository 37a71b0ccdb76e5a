"""The keys that the settings have: a preset, and keys by the names of actions."""

from __future__ import annotations

import re
from collections.abc import Mapping

from copydesk.domain.keymap import PRESETS, OwnKeys


def own_keys_of(value: object, text: str) -> tuple[OwnKeys, list[tuple[int, str]]]:
    """Return the keys of ``[keys]`` in a settings file, and what is wrong with its lines.

    Whether there is such an action, and whether its key is free, is not known here: see
    `copydesk.domain.keymap.keymap_of`.
    """
    if not isinstance(value, Mapping):
        return OwnKeys(), [(0, "keys is a table: write it as [keys]")]
    wrong, keys, preset = list[tuple[int, str]](), dict[str, tuple[str, ...]](), "vim"
    for name, given in value.items():
        written = [given] if isinstance(given, str) else given
        if name == "preset":
            if given in PRESETS:
                preset = str(given)
            else:
                wrong.append((line_in_keys(name, text), f"preset is {', '.join(PRESETS)}"))
        elif isinstance(written, list) and all(isinstance(each, str) for each in written):
            keys[str(name)] = tuple(written)
        else:
            said = f'{name} is a key, or a list such as ["m", "f5"]'
            wrong.append((line_in_keys(name, text), said))
    return OwnKeys(preset, keys), wrong


def line_in_keys(name: str, text: str) -> int:
    """Return the line of a name in ``[keys]``; 0 where it is not found."""
    inside = False
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r"\s*\[+\s*([^\]]+?)\s*\]", line):
            inside = found[1] == "keys"
        elif inside and re.match(rf"\s*[\"']?{re.escape(name)}[\"']?\s*=", line):
            return number
    return 0

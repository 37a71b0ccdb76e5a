"""Names of keys: how they are declared, how Textual calls them, how they are shown.

Actions declare keys as people type them (``"?"``, ``"ctrl+\\\\"``, ``"g s"``); Textual reports them
by Unicode name (``question_mark``). Everything between the two is here.
"""

from __future__ import annotations

import string
import unicodedata
from functools import lru_cache

from textual.keys import KEY_NAME_REPLACEMENTS

SHOWN = {"escape": "esc", "pagedown": "pgdn", "pageup": "pgup", "delete": "del"}
"""Short forms for the eye; every other key is shown as it is declared."""


@lru_cache(maxsize=512)
def textual_name(key: str) -> str:
    """Return Textual's name of one declared key, such as ``colon`` for ``:``."""
    modifiers, plus, last = key.rpartition("+")
    if plus and not last:  # "+" itself, or "ctrl++"
        modifiers, last = modifiers.removesuffix("+"), "+"
    if len(last) == 1 and not last.isalnum():
        name = unicodedata.name(last).lower().replace("-", "_").replace(" ", "_")
        last = KEY_NAME_REPLACEMENTS.get(name, name)
    return f"{modifiers}+{last}" if modifiers else last


@lru_cache(maxsize=512)
def chord(keys: str) -> tuple[str, ...]:
    """Split declared keys into the presses they need, in Textual's names: ``"g s"`` is two."""
    return tuple(textual_name(key) for key in keys.split(" "))


def shown(keys: str) -> str:
    """Return declared keys as the footer and the help write them: ``"g s"`` is ``gs``."""
    parts = [SHOWN.get(key, key) for key in keys.split(" ")]
    return "".join(parts) if all(len(part) == 1 for part in parts) else " ".join(parts)


_SIGNS = {textual_name(sign): sign for sign in string.punctuation}


def declared_name(textual_key: str) -> str:
    """Return the form people type for a key that Textual reported (``:`` for ``colon``)."""
    modifiers, plus, last = textual_key.rpartition("+")
    return f"{modifiers}{plus}{_SIGNS.get(last, last)}"

"""What one types in linear mode: words, keys, and which of them a line is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from copydesk.tui.framework.actions import chord

WORDS: Mapping[str, str] = MappingProxyType(
    {
        "next": "goes on: to the next row, change or field; so does an empty line",
        "back": "steps back: out of a dialog, a field, a screen",
        "open": "opens what the cursor is on, as enter does",
        "read": "reads all of what has the focus; read 7 goes to the seventh row first",
        "list": "reads the next ten rows with their numbers; a number goes to a row",
        "more": "goes on with what was too long to be read at once",
        "where": "says which screen this is, which view, and what has the focus",
        "what": "says what can be done here and by which key, then what cannot and why; what "
        "merge only what has to do with merge",
        "help": "explains linear mode",
        "do": "does an action by its name: do merge",
        "yes": "agrees to what a dialog asks, and sends what a form or a text holds",
        "quit": "quits",
    }
)
"""The words, each with what it does."""

_LONG_KEY = re.compile(
    r"(?:ctrl\+|alt\+|shift\+)*(?:enter|esc|escape|tab|space|up|down|left|right|home|end|pageup"
    r"|pagedown|delete|backspace|insert|f\d{1,2})|(?:ctrl\+|alt\+).",
    re.IGNORECASE,
)

_ALSO = MappingProxyType({"esc": "escape"})


def keys_in(line: str) -> Sequence[str]:
    """Return the keys that a line names, by the names that the keyboard has for them; or none.

    A single sign is a key, and so is a name like ``enter`` or ``ctrl+s``; a chord has blanks.
    """
    parts = line.split()
    keys: list[str] = []
    for part in parts:
        if len(part) > 1 and not _LONG_KEY.fullmatch(part):
            return ()
        named = part if len(part) == 1 else _ALSO.get(part.lower(), part.lower())
        keys += chord(named)
    return keys

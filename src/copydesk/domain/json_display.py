"""JSON as text that a terminal may show, and that is still that JSON."""

from __future__ import annotations

import json
import re
from typing import Any

from copydesk.domain.text import clean_long, unseen

_BEYOND = re.compile(r"[^\x20-\x7e\n]")


def json_text(value: Any) -> str:
    """Return a JSON value as indented text.

    A character that would not be drawn as it is stands there as its escape, so that reading the
    text gives the same value again.
    """
    text = json.dumps(value, ensure_ascii=False, indent=2)
    if text.isascii() and "\x7f" not in text:
        return text
    text = _BEYOND.sub(lambda found: _escaped(found.group()), text)
    # What is left are accents heaped on a letter: each of them is drawn, not all of them together.
    return text if clean_long(text) == text else json.dumps(value, indent=2).replace("\x7f", DELETE)


DELETE = "\\u007f"
"""The one character of ASCII that is neither drawn nor escaped in JSON."""


def _escaped(letter: str) -> str:
    if not unseen(letter) and clean_long(letter) == letter:
        return letter
    return DELETE if letter == "\x7f" else json.dumps(letter)[1:-1]

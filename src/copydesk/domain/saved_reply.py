"""Replies that a person has written once: names, and texts with fields that are filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import listed

FIELDS = ("author", "me", "number", "page", "space", "subject")
"""What stands in braces and is filled in."""

_FIELD = re.compile(rf"\{{({'|'.join(FIELDS)})\}}")


@dataclass(frozen=True, slots=True)
class SavedReply:
    """A reply: its name, and its text or why that cannot be used."""

    name: str
    text: str
    trouble: str = ""


def filled(text: str, values: Mapping[str, str]) -> tuple[str, str]:
    """Return a text with its fields filled in, and a sentence on those that are not known.

    Those stay as they are. What is filled in is not looked at again, whatever stands in it.
    """
    missing: dict[str, None] = {}

    def value(found: re.Match[str]) -> str:
        if not values.get(found[1]):
            missing[found[0]] = None
        return values.get(found[1]) or found[0]

    said = _FIELD.sub(value, text)
    return said, f"Not known here: {listed([*missing])}." if missing else ""

"""Replies that a person has written once: names, and texts with fields that are filled in."""

from __future__ import annotations

import re
from collections.abc import Mapping

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.nearest_word import did_you_mean
from copydesk.domain.text import listed

FIELDS = ("author", "me", "number", "page", "space", "subject")
"""What stands in braces and is filled in."""

SLIP = 0.8
"""How much of a word is that of a field where it is taken for a slip: many words are of neither."""

_BRACED = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class SavedReply:
    """A reply: its name, and its text or why that cannot be used."""

    name: str
    text: str
    trouble: str = ""


def filled(text: str, values: Mapping[str, str]) -> tuple[str, str]:
    """Return a text with its fields filled in, and a sentence on those that are not known.

    Those stay as they are, and so do other words in braces; the sentence names those that are
    nearly a field. What is filled in is not looked at again, whatever it holds.
    """
    missing: dict[str, None] = {}
    mistaken: dict[str, None] = {}

    def value(found: re.Match[str]) -> str:
        known = values.get(found[1]) if found[1] in FIELDS else ""
        if known:
            return known
        if found[1] in FIELDS:
            missing[found[0]] = None
        elif meant := did_you_mean(found[1], FIELDS, "", alike=SLIP):
            mistaken[f"{found[0]} is not a field: {meant}"] = None
        return found[0]

    said = _BRACED.sub(value, text)
    return said, " ".join([f"Not known here: {listed([*missing])}."] * bool(missing) + [*mistaken])

"""Spans of time that end now, as people type them: 4w."""

from __future__ import annotations

import re
from datetime import timedelta

_SPAN = re.compile(r"([0-9]{1,3})\s*([hdwmy])")

_UNITS = {"h": 1 / 24, "d": 1, "w": 7, "m": 30, "y": 365}
"""How many days each unit has; a month has 30."""

SPAN_RULE = "write a number and h, d, w, m or y, such as 4w"


def span(text: str) -> timedelta:
    """Return a length of time such as "4w". Raises ``ValueError`` with a sentence."""
    found = _SPAN.fullmatch(text.strip().lower())
    if found is None or not int(found[1]):
        raise ValueError(SPAN_RULE)
    return timedelta(days=int(found[1]) * _UNITS[found[2]])

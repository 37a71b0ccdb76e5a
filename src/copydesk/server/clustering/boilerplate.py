"""Texts without the form that they were written into: what it asks is in all of them.

A form of a help desk or the template of an issue brings lines that many texts have: headings, boxes
to tick, names of fields. They would pull texts together that have nothing else in common. Only what
is filled in tells a problem, and of that what is more than a version or a name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

SHARE = 0.1
"""The share of the texts that have a line of a form, at least."""

FEWEST = 6
"""And so many texts."""

_LABEL = re.compile(r"\A(.{1,60}?)[:：](?!//)(.*)\Z")
_WORD = re.compile(r"\w+")
_FILLED = 4  # words of a field that tell something
_LEFT = 3  # words of a text that is more than its form


def without_forms(texts: Sequence[str]) -> list[str]:
    """Return texts without the lines that many of them have, and without names of fields.

    A text that has nothing else stays as it is.
    """
    having: Counter[str] = Counter()
    for text in texts:
        having.update({key for line in text.splitlines() for key in _keys(line)})
    least = max(FEWEST, SHARE * len(texts))
    usual = {key for key, count in having.items() if count >= least}
    return [_filled_in(text, usual) for text in texts] if usual else list(texts)


def _keys(line: str) -> list[str]:
    """Return what a line has in common with others: all its words, and those before a colon."""
    words = _plain(line)
    if not words:
        return []
    label = _LABEL.match(line)
    return [words, f"{_plain(label[1])}:"] if label is not None else [words]


def _plain(line: str) -> str:
    return " ".join(_WORD.findall(line.casefold()))


def _filled_in(text: str, usual: set[str]) -> str:
    kept: list[str] = []
    for line in text.splitlines():
        keys = _keys(line)
        if not keys or keys[0] in usual:
            continue
        if keys[-1] in usual:
            line = _LABEL.sub(r"\2", line)
            if len(_WORD.findall(line)) < _FILLED:
                continue
        kept.append(line.strip())
    said = "\n".join(kept)
    return said if len(_WORD.findall(said)) >= _LEFT else text

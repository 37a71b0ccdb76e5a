"""The names of what was read before (spaces, sites, requests, pages, people), and what fits them.

They complete words in a shell and are found in the palette, so that nothing is asked of a service
for it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Literal

from copydesk.domain.filter import WORD, fold
from copydesk.domain.late_dataclass import dataclass

Kind = Literal["space", "site", "change-request", "page", "person"]

MOST = 2_000
"""How many names of a kind are offered at once, the newest first."""

LONGEST = 200
"""Characters of a title that are kept."""

_OF_SPACE = re.compile(r"/spaces/([^/?]+)/content(?:/|\?|$)")
_MARKS = (b'"object"', b'"displayName"', b'"pages"')
"""One of them is in each answer that names something."""


@dataclass(frozen=True, slots=True)
class KnownName:
    """A title with what it names, as it came: it is cleaned where it is shown.

    ``space`` is that of a change request or page, ``number`` that of a change request.
    """

    kind: Kind
    id: str
    title: str
    space: str = ""
    number: int = 0


def names_in(target: str, content: bytes) -> Iterator[KnownName]:
    """Yield what an answer names; ``target`` is the quoted path that it was asked for with.

    Of pages only those of main: a change request has its own.
    """
    if not any(mark in content for mark in _MARKS):
        return
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return
    found = _OF_SPACE.search(target)
    space = found[1] if found else ""
    waiting: list[Any] = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            if (name := _name(each, space)) is not None:
                yield name
            # Long texts name nothing: only what holds further objects is looked through.
            waiting += [below for below in each.values() if isinstance(below, (dict, list))]
        elif isinstance(each, list):
            waiting += [below for below in each if isinstance(below, (dict, list))]


def _name(each: dict[str, Any], space: str) -> KnownName | None:
    match each:
        case {"object": "space", "deletedAt": str()}:
            return None
        case {"object": "space" | "site" as kind, "id": str(key), "title": str(title)}:
            return KnownName(kind, key, title[:LONGEST])
        case {"object": "change-request", "id": str(key), "number": int(number), "space": str(of)}:
            subject = each.get("subject")
            title = subject if isinstance(subject, str) else ""
            return KnownName("change-request", key, title[:LONGEST], of, number)
        case {"object": "user", "id": str(key), "displayName": str(title)}:
            return KnownName("person", key, title[:LONGEST])
        case {"type": "document", "id": str(key), "title": str(title), "path": str()} if space:
            return KnownName("page", key, title[:LONGEST], space)
    return None


def rank(typed: str, title: str) -> int | None:
    """Return how well a title fits, the least first; None where it does not.

    What begins with it comes first, then what has its words, then what only has its letters: those
    of the name (what stands before a colon), near each other and from the start of a word, or the
    first of each word.
    """
    wanted, whole = fold(typed).split(), fold(title)
    if not wanted:
        return 0
    name = whole.partition(": ")[0]
    if name.startswith(" ".join(wanted)):
        return 0
    for at, text in enumerate((name, whole), 1):
        starts = WORD.findall(text)
        if all(any(word.startswith(each) for word in starts) for each in wanted):
            return at
    for at, text in enumerate((name, whole), 3):
        if all(each in text for each in wanted):
            return at
    letters = "".join(wanted)
    initials = "".join(word[0] for word in WORD.findall(name))
    if len(letters) > 1 and letters in initials:
        return 5
    return 6 if len(letters) > 1 and _near(letters, name) else None


def _near(letters: str, name: str) -> bool:
    """Whether the letters come in this order from the start of a word, with few others between."""
    room = len(letters) + len(letters) // 2
    for word in WORD.finditer(name):
        if word.group()[0] != letters[0]:
            continue
        at = word.start()
        for letter in letters:
            at = name.find(letter, at) + 1
            if not at:
                break
        if 0 < at <= word.start() + room:
            return True
    return False

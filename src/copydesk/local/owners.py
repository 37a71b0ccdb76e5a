"""The owners of pages: the table ``[owners]`` of the settings.

[owners]
"guides/**" = "ana@example.com"
"guides/billing" = ["bo@example.com", "Kim Li"]
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from copydesk.domain.owners import Owned
from copydesk.domain.text import clean
from copydesk.local.settings_lines import line_in_table

_line = partial(line_in_table, "owners")


WRITTEN = 'an address or a name in quotes, or a list such as ["ana@example.com", "Kim Li"]'


def owners_of(value: object, text: str) -> tuple[tuple[Owned, ...], list[tuple[int, str]]]:
    """Return the rules of the settings in their order, and every mistake with its line.

    ``value`` is the content under ``owners``, ``text`` the whole file.
    """
    if not isinstance(value, dict):
        return (), [(_line("", text), "owners are a table: it begins with [owners]")]
    rules: list[Owned] = []
    wrong: list[tuple[int, str]] = []
    for pattern, given in value.items():
        people = (given,) if isinstance(given, str) else tuple(_texts(given))
        if people and all(each.strip() for each in people) and pattern.strip("/ "):
            rules.append(Owned(pattern, tuple(each.strip() for each in people)))
        else:
            named = clean(pattern, limit=60) or repr(pattern)
            wrong.append((_line(pattern, text), f"owners of {named}: {WRITTEN}"))
    return tuple(rules), wrong


def _texts(given: object) -> Iterator[str]:
    """Yield the texts of a list; an empty one for what is none."""
    for each in given if isinstance(given, list) else [None]:
        yield each if isinstance(each, str) else ""

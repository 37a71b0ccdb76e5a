"""The columns of lists: the tables ``[lists.NAME]`` of the settings.

    [lists.changes]
    columns = ["number", "subject", "age"]

Which lists and columns there are is not known here: see `copydesk.session.declarations` and
`copydesk.domain.list_columns`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from copydesk.domain.list_columns import ListColumns
from copydesk.domain.text import clean
from copydesk.local.settings_lines import Keys, read_tables

KEYS: Keys = {"columns": ((list,), 'a list such as ["number", "subject"]')}


def list_columns_of(
    value: object, text: str
) -> tuple[tuple[ListColumns, ...], list[tuple[int, str]]]:
    """Return the columns of lists in the settings, and every mistake with its line.

    ``value`` is the content under ``lists``, ``text`` the whole file.
    """

    def made(name: str, given: Mapping[str, Any]) -> ListColumns:
        return ListColumns(name, tuple(dict.fromkeys(given["columns"])))

    return read_tables("lists", value, text, _mistakes, made)


def _mistakes(name: str, given: object) -> Iterator[str]:
    lead = f"list {clean(name, limit=60)}"
    if not isinstance(given, dict):
        yield f"{lead} is not a table: it begins with [lists.NAME]"
        return
    yield from (f"{lead} has columns, and no {clean(each, limit=60)}" for each in given
                if each != "columns")  # fmt: skip
    columns = given.get("columns")
    texts = isinstance(columns, list) and all(isinstance(each, str) for each in columns)
    if not texts or not columns:
        yield f"{lead}: columns must be {KEYS['columns'][1]}"

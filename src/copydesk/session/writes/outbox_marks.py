"""Marks of waiting writes on the rows of their objects, and the words beside them.

Computed once for all waiting writes, however many rows look them up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from copydesk.domain.text import clean, listed
from copydesk.session.ages import moment

if TYPE_CHECKING:
    from copydesk.local.journal import Entry


Marks = Mapping[str, Sequence["Entry"]]
"""The waiting writes, oldest first, by the ids of their objects."""

NOTHING: Marks = MappingProxyType({})

MEANS = "Something about it waits in the outbox (g x); its details say what, and since when."
"""The meaning of the mark of a row."""


def marks_of(entries: Iterable[Entry]) -> Marks:
    """Return the waiting writes by the ids in the paths of their requests.

    The organization and the space of an object are left out: their rows stand for themselves.
    """

    found: dict[str, list[Entry]] = {}
    for entry in entries:
        ids = ids_of(entry)
        home = ids.get("organization", "")
        for whole in ("organization", "space"):
            if len(ids) > 1:
                ids.pop(whole, None)
        for name, each in ids.items():
            key = by_slug(home, each) if name.endswith("_slug") else each
            found.setdefault(key, []).append(entry)
    return found or NOTHING


def by_slug(organization: str, slug: str) -> str:
    """Return the key of an object that addresses name by its slug, which may not be unique."""
    return f"{organization}/{slug}"


def waiting_about(app: Any, *ids: str | None) -> str:
    """Return the sentence for the waiting writes on some objects, "" for none.

    ``app`` may be another program, as in tests of a widget: it has no outbox.
    """
    session = getattr(app, "session", None)
    if session is None or not session.outbox.marks:
        return ""
    marks: Marks = session.outbox.marks
    entries = {entry.id: entry for each in ids if each for entry in marks.get(each, ())}
    if not entries:
        return ""
    names = dict.fromkeys(clean(entry.what).lower() for entry in entries.values())
    first = datetime.fromtimestamp(min(entry.at for entry in entries.values()), UTC)
    return f"waits in the outbox: {listed(list(names))}, since {moment(first, session.clock())}"


def ids_of(entry: Entry) -> dict[str, str]:
    """Return the ids in the address of a request, by the names of their parameters."""
    from urllib.parse import unquote

    from copydesk.contract.operations import CATALOGUE

    request = entry.request or {}
    operation = CATALOGUE.get(str(request.get("name")))
    if operation is None:
        return {}
    pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/?]+)", operation.path)
    found = re.search(rf"{pattern}(?:\?|$)", str(request.get("target")))
    if found is None:
        return {}
    return {name.removesuffix("_id"): unquote(each) for name, each in found.groupdict().items()}

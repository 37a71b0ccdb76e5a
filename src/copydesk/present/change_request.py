"""Change requests as rows of a list: what a row keeps, the orders, the cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from copydesk.domain.age import age
from copydesk.domain.filter import fold
from copydesk.present.change_filter import open_threads
from copydesk.session.change_rows import PAGES, RULES, THREADS, ChangeRow, Titles
from copydesk.session.glyphs import glyphs
from copydesk.session.views import SERVED, Listing

if TYPE_CHECKING:
    # Models are not loaded for the sake of an annotation: a place draws its frame without them.
    from copydesk.session.change_rows import Details


UNKNOWN = "."
"""What a cell shows that has not been read yet: never a zero."""


SORTS: Mapping[str, str] = {
    "updated": "updated",
    "created": "opened",
    "waiting": "waiting longest",
    "number": "number",
    "subject": "subject",
    "space": "space",
    "author": "author",
    "threads": "open threads",
    "pages": "pages",
    "rules": "rules",
}
"""How the list may be ordered, and what each order is called. The first is the service's own."""

SORT_NEEDS: Mapping[str, frozenset[str]] = {
    "waiting": frozenset({RULES, THREADS}),
    "threads": frozenset({THREADS}),
    "pages": frozenset({PAGES}),
    "rules": frozenset({RULES}),
}
"""What must be read of every row for an order."""

DESCENDING = frozenset({"updated", "created", "number", "threads", "pages", "rules"})
"""The orders in which the later or higher comes first unless they are reversed."""


Known = Callable[["ChangeRow"], "Details | None"]
"""Takes a row and returns what was read of it, if anything."""

SORT_KEYS: Mapping[str, Callable[[ChangeRow, Titles, Details | None], Any]] = {
    "updated": lambda row, title, found: (row.updated, row.id),
    "created": lambda row, title, found: (row.created, row.id),
    "waiting": lambda row, title, found: (waiting_since(row, found), row.id),
    "number": lambda row, title, found: (row.number, row.id),
    "subject": lambda row, title, found: (fold(row.subject), row.number),
    "space": lambda row, title, found: (fold(title(row.space)), -row.number),
    "author": lambda row, title, found: (fold(row.author), -row.number),
    "threads": lambda row, title, found: (open_threads(row, found) or 0, row.id),
    "pages": lambda row, title, found: (_many(found), row.id),
    "rules": lambda row, title, found: (_met(found), row.id),
}
"""What each order compares. What is not known comes last, or first when it is turned round."""


def _many(found: Details | None) -> int:
    if found is None or found.pages is None:
        return -1
    return len(found.pages) + found.more_pages


def _met(found: Details | None) -> float:
    if found is None or found.rules is None:
        return -1.0
    return found.passed / len(found.rules) if found.rules else 1.0


def waiting_since(row: ChangeRow, found: Details | None) -> datetime:
    """Return since when it waits on somebody: asked, or spoken to; else when it last changed."""
    if found is None:
        return row.updated
    waiting = found.waiting
    said = [found.asked_since]
    if waiting is not None:
        said += [waiting.mine, waiting.author]
    said += [each.at for each in found.verdicts or () if not each.approved and not each.outdated]
    return min((at for at in said if at is not None), default=row.updated)


def sorted_rows(
    rows: Iterable[ChangeRow],
    sort: str,
    title: Titles,
    *,
    backwards: bool,
    known: Known = lambda row: None,
) -> list[ChangeRow]:
    """Return rows in an order of ``SORTS``, turned round if asked."""
    compare = SORT_KEYS[sort]
    return sorted(
        rows,
        key=lambda row: compare(row, title, known(row)),
        reverse=(sort in DESCENDING) != backwards,
    )


NAME_CELLS = 10
"""How wide the column of names is at least."""

MOST_NAME_CELLS = 16
"""How wide it grows for the names that are read."""


def short_name(name: str, cells: int = NAME_CELLS, among: frozenset[str] = frozenset()) -> str:
    """Return a name as a narrow column shows it: whole if it fits, else "Priya R".

    Where that reads like somebody else ``among`` whom it is shown, it is cut so that it does not.
    """
    if cell_len(name) <= cells:
        return name
    more = glyphs().more
    rivals = _written(among | {name}, cells, more)
    forms = _name_forms(name, cells, more)
    return next((form for form in forms if rivals[form] == 1), forms[-1])


@lru_cache(maxsize=8)
def _written(names: frozenset[str], cells: int, more: str) -> Counter[str]:
    """Return how many people each short form of these names could stand for."""
    return Counter(form for name in names for form in set(_name_forms(name, cells, more)))


def _name_forms(name: str, cells: int, more: str) -> list[str]:
    """Return the ways to write a name in so many cells, the nicest first."""
    if cell_len(name) <= cells:
        return [name]
    first, _, rest = name.partition(" ")
    forms = []
    if rest and cell_len(first) <= cells - 2:
        forms.append(f"{first} {rest.split()[-1][:1]}")
    forms.append(set_cell_size(name, cells - 1).rstrip() + more)
    for letters in range(2, cells - 2):
        tail = name[-letters:]
        if cell_len(tail) < cells - 1:
            forms.append(set_cell_size(name, cells - 1 - cell_len(tail)).rstrip() + more + tail)
    return forms


def name_cells(names: Iterable[str]) -> int:
    """Return how wide a column must be for these names, within its bounds."""
    return max(NAME_CELLS, *(min(MOST_NAME_CELLS, cell_len(name)) for name in (*names, "")))


# Cells


TIMES: Mapping[str, str] = {"created": "AGE", "waiting": "WAITING"}
"""What the column of times is called by the order of the list; else it is UPDATED."""


def since(row: ChangeRow, now: datetime, sort: str = SERVED, found: Details | None = None) -> str:
    """Return how long ago it last changed; was opened, or waits, in a list of that order."""
    if sort == "created":
        return age(row.created, now)
    return age(waiting_since(row, found) if sort == "waiting" else row.updated, now)


def subject(row: ChangeRow, listing: Listing, *, asleep: bool = False) -> str | Text:
    """Return the subject; with its status where that is no longer the one of the view."""
    if asleep:
        return Text.assemble(("[snoozed] ", "muted"), row.subject)
    if row.status in listing.statuses and len(listing.statuses) == 1:
        return row.subject
    text = Text(row.subject)
    if row.status not in listing.statuses:
        text = Text.assemble((f"[{row.status}] ", "warn"), text)
    elif row.status == "draft":
        text = Text.assemble(("[draft] ", "muted"), text)
    return text


def threads(row: ChangeRow, found: Details | None = None) -> str | Text:
    """Return how many threads are open, with ``!`` when one waits on the reader; none is dim."""
    count = open_threads(row, found)
    if not count:
        return Text(UNKNOWN if count is None else "0", style="muted")
    if found is not None and found.waiting is not None and found.waiting.mine is not None:
        return Text(f"{count}!", style="accent")
    return str(count)

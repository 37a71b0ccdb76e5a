"""Change requests as rows of a list: the orders and the cells."""

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
    # Models are not loaded for annotations: the first frame needs none.
    from copydesk.session.change_rows import Details


UNKNOWN = "."
"""The text of an unread cell: never a zero."""


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
"""The orders of the list, with their names. The first is the service's own."""

SORT_NEEDS: Mapping[str, frozenset[str]] = {
    "waiting": frozenset({RULES, THREADS}),
    "threads": frozenset({THREADS}),
    "pages": frozenset({PAGES}),
    "rules": frozenset({RULES}),
}
"""The parts of every row that an order needs."""

DESCENDING = frozenset({"updated", "created", "number", "threads", "pages", "rules"})
"""The orders that show the later or higher first unless reversed."""


Known = Callable[["ChangeRow"], "Details | None"]
"""Returns the details of a row, if they were read."""

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
"""The sort key of each order. Unknown values come last, or first when reversed."""


def _many(found: Details | None) -> int:
    if found is None or found.pages is None:
        return -1
    return len(found.pages) + found.more_pages


def _met(found: Details | None) -> float:
    if found is None or found.rules is None:
        return -1.0
    return found.passed / len(found.rules) if found.rules else 1.0


def waiting_since(row: ChangeRow, found: Details | None) -> datetime:
    """Return since when it waits on somebody; else its last change."""
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
    """Return rows in an order of ``SORTS``, reversed on demand."""
    compare = SORT_KEYS[sort]
    return sorted(
        rows,
        key=lambda row: compare(row, title, known(row)),
        reverse=(sort in DESCENDING) != backwards,
    )


NAME_CELLS = 10
"""The minimum width of the column of names."""

MOST_NAME_CELLS = 16
"""The maximum width of the column of names."""


def short_name(name: str, cells: int = NAME_CELLS, among: frozenset[str] = frozenset()) -> str:
    """Return a name for a narrow column: whole if it fits, else "Priya R".

    Where that looks like somebody else's ``among`` these names, it is cut differently.
    """
    if cell_len(name) <= cells:
        return name
    more = glyphs().more
    rivals = _written(among | {name}, cells, more)
    forms = _name_forms(name, cells, more)
    return next((form for form in forms if rivals[form] == 1), forms[-1])


@lru_cache(maxsize=8)
def _written(names: frozenset[str], cells: int, more: str) -> Counter[str]:
    """Return the number of people with each short form."""
    return Counter(form for name in names for form in set(_name_forms(name, cells, more)))


def _name_forms(name: str, cells: int, more: str) -> list[str]:
    """Return the short forms of a name for this width, the best first."""
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
    """Return the width of a column for these names, within its bounds."""
    return max(NAME_CELLS, *(min(MOST_NAME_CELLS, cell_len(name)) for name in (*names, "")))


# Cells


TIMES: Mapping[str, str] = {"created": "AGE", "waiting": "WAITING"}
"""The headings of the column of times by order; else it is UPDATED."""


def since(row: ChangeRow, now: datetime, sort: str = SERVED, found: Details | None = None) -> str:
    """Return its age by the order of the list: since the last change, the opening, or waiting."""
    if sort == "created":
        return age(row.created, now)
    return age(waiting_since(row, found) if sort == "waiting" else row.updated, now)


WAITS, STOPPED = "M", "M!"
"""Stand before the subject of a request that is merged when ready, and of one that stopped so."""


def subject(
    row: ChangeRow,
    listing: Listing,
    *,
    asleep: bool = False,
    starred: bool = False,
    waits: bool | None = None,
) -> str | Text:
    """Return the subject, with its status where that is no longer the view's.

    ``waits`` says that it is merged when ready; False that this was stopped.
    """
    if waits is not None:
        sign = (f"{WAITS} ", "good") if waits else (f"{STOPPED} ", "bad")
        return Text.assemble(sign, subject(row, listing, asleep=asleep, starred=starred))
    if starred:
        star = Text(f"{glyphs().starred} ", style="accent")
        return Text.assemble(star, subject(row, listing, asleep=asleep))
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
    """Return the number of open threads, with ``!`` when one waits on the reader; 0 is dim."""
    count = open_threads(row, found)
    if not count:
        return Text(UNKNOWN if count is None else "0", style="muted")
    if found is not None and found.waiting is not None and found.waiting.mine is not None:
        return Text(f"{count}!", style="accent")
    return str(count)

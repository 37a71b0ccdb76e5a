"""Change requests as rows of a list: what a row keeps, the views, the orders, the cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from copydesk.domain.address import web_address
from copydesk.domain.age import age
from copydesk.domain.filter import Fields, fold
from copydesk.domain.text import clean
from copydesk.tui.glyphs import glyphs

if TYPE_CHECKING:
    # Models are not loaded for the sake of an annotation: a place draws its frame without them.
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.user import User

UNKNOWN = "."
"""What a cell shows that has not been read yet: never a zero (interaction.md 3.4)."""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """What a list keeps of a change request; its texts are clean."""

    id: str
    number: int
    subject: str
    status: str
    space: str
    author: str
    author_id: str
    created: datetime
    updated: datetime
    threads: int
    outdated: bool
    cluster: str
    url: str

    @property
    def label(self) -> str:
        """How a sentence names it."""
        return f"#{self.number}"


@dataclass(frozen=True, slots=True)
class Listing:
    """One view: which change requests it holds, and what to say when there are none.

    ``who`` is the query parameter that the reader's own id goes into, empty for none. The lists of
    several ``statuses`` follow one another.
    """

    id: str
    title: str
    statuses: tuple[str, ...]
    empty: str
    who: str = ""


LISTINGS: Sequence[Listing] = (
    Listing("open", "Open", ("open",), "Nothing is open. ctrl+n starts a change request."),
    Listing("draft", "Draft", ("draft",), "No drafts. ctrl+n starts a change request."),
    Listing("merged", "Merged", ("merged",), "Nothing has been merged yet."),
    Listing("archived", "Archived", ("archived",), "Nothing is archived."),
    Listing(
        "mine", "Mine", ("open", "draft"),
        "You have nothing open and no drafts. ctrl+n starts a change request.", "creator",
    ),
    Listing(
        "needs-me", "Needs me", ("open",),
        "Nothing waits on you. 1 shows everything that is open.", "requested_reviewer",
    ),
)  # fmt: skip
"""The views, in the order of their keys."""

STATUSES: Sequence[str] = tuple(dict.fromkeys(s for each in LISTINGS for s in each.statuses))
"""What a change request can be."""

SORTS: Mapping[str, str] = {
    "updated": "updated",
    "created": "opened",
    "number": "number",
    "subject": "subject",
    "space": "space",
}
"""How the list may be ordered, and what each order is called. The first is the service's own."""

SERVED = "updated"
"""The order that lists come in; any other needs the whole list."""

DESCENDING = frozenset({"updated", "created", "number"})
"""The orders in which the later or higher comes first unless they are reversed."""

Titles = Callable[[str], str]
"""Takes the id of a space and returns its title, "" while that is not known."""

SORT_KEYS: Mapping[str, Callable[[ChangeRow, Titles], Any]] = {
    "updated": lambda row, title: (row.updated, row.id),
    "created": lambda row, title: (row.created, row.id),
    "number": lambda row, title: (row.number, row.id),
    "subject": lambda row, title: (fold(row.subject), row.number),
    "space": lambda row, title: (fold(title(row.space)), -row.number),
}
"""What each order compares."""


def sorted_rows(
    rows: Iterable[ChangeRow], sort: str, title: Titles, *, backwards: bool
) -> list[ChangeRow]:
    """Return rows in an order of ``SORTS``, turned round if asked."""
    compare = SORT_KEYS[sort]
    return sorted(
        rows, key=lambda row: compare(row, title), reverse=(sort in DESCENDING) != backwards
    )


def row_of(request: ChangeRequest) -> ChangeRow:
    """Return a change request as a row."""
    return ChangeRow(
        id=request.id,
        number=request.number,
        subject=clean(request.subject).strip() or "(no subject)",
        status=clean(request.status),
        space=request.space,
        author=person(request.created_by),
        author_id=request.created_by.id if request.created_by else "",
        created=request.created_at,
        updated=request.updated_at,
        threads=request.comments,
        outdated=request.outdated,
        cluster=request.conversations_issues_cluster or "",
        url=web_address(request.urls.app),
    )


def person(user: User | None) -> str:
    """Return what a person is called; nobody is known when an account is gone."""
    if user is None:
        return "someone"
    return clean(user.display_name or user.email or user.id).strip() or "someone"


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


def _marks(row: ChangeRow) -> list[str]:
    facts = [(row.outdated, "outdated"), (row.threads > 0, "discussed"), (True, row.status)]
    return [word for true, word in facts if true]


def _has(row: ChangeRow) -> list[str]:
    return [w for true, w in ((row.threads > 0, "threads"), (row.cluster != "", "cluster")) if true]


def fields(title: Titles) -> Fields[ChangeRow]:
    """Return what the list can be filtered by."""
    return Fields(
        words=lambda row: f"#{row.number} {row.subject} {title(row.space)} {row.author}",
        keys={
            "author": lambda row: row.author,
            "by": lambda row: row.author,
            "subject": lambda row: row.subject,
            "space": lambda row: title(row.space),
            "status": lambda row: row.status,
            "number": lambda row: str(row.number),
            "is": _marks,
            "has": _has,
        },
        values={
            "status": STATUSES,
            "is": ("outdated", "discussed", *STATUSES),
            "has": ("threads", "cluster"),
        },
    )


# Cells


def since(row: ChangeRow, now: datetime) -> str:
    """Return how long ago it last changed."""
    return age(row.updated, now)


def subject(row: ChangeRow, listing: Listing) -> str | Text:
    """Return the subject; with its status where that is no longer the one of the view."""
    if row.status in listing.statuses and len(listing.statuses) == 1:
        return row.subject
    text = Text(row.subject)
    if row.status not in listing.statuses:
        text = Text.assemble((f"[{row.status}] ", "warn"), text)
    elif row.status == "draft":
        text = Text.assemble(("[draft] ", "muted"), text)
    return text


def threads(row: ChangeRow) -> str | Text:
    """Return how many threads are open; none is dim."""
    return str(row.threads) if row.threads else Text("0", style="muted")

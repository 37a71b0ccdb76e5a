"""A view of a list that a person has given a name: which rows, in what order, which columns."""

from __future__ import annotations

from copydesk.domain.late_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SavedView:
    """A view under a name. ``filter`` is in the language of `copydesk.domain.filter`.

    ``statuses`` are those of change requests; ``sort`` "" is the order of the service; no
    ``columns`` are all of them. ``line`` is where it begins in the file it came from, 0 for none.
    """

    name: str
    statuses: tuple[str, ...] = ("open",)
    filter: str = ""
    sort: str = ""
    reverse: bool = False
    columns: tuple[str, ...] = ()
    line: int = 0

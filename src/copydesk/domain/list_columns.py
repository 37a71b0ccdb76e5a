"""The columns of lists as a person wants them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean


@dataclass(frozen=True, slots=True)
class ListColumns:
    """The columns of the list of a screen, in their order; ``name`` is the word after ``:``."""

    name: str
    columns: tuple[str, ...]


def unknown_columns(wanted: ListColumns, known: Iterable[str]) -> Sequence[str]:
    """Return a sentence for each column that a list does not have, with the one that is meant."""
    ids = list(known)
    said = []
    for column in wanted.columns:
        if column not in ids:
            near = get_close_matches(column, ids, n=1)
            meant = f"Did you mean {near[0]}?" if near else f"It has {', '.join(ids)}."
            named = clean(column, limit=40) or repr(column)
            said.append(f"lists.{wanted.name} has no column {named}. {meant}")
    return said

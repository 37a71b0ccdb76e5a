"""Choices with a label, for every list that offers some."""

from __future__ import annotations

from copydesk.domain.late_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """Something to choose: its id, its title, and a note at the right.

    Where the title names it and says more of it, ``named`` is how many characters are its name.
    """

    id: str
    title: str
    note: str = ""
    named: int = 0

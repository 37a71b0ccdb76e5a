"""Choices with a label, for every list that offers some."""

from __future__ import annotations

from copydesk.domain.late_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Option:
    """Something to choose: its id, its title, and a note at the right."""

    id: str
    title: str
    note: str = ""

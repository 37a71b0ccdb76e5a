"""A fact: a label and its text, for every pane that shows details."""

from __future__ import annotations

from typing import NamedTuple

from rich.text import Text


class Fact(NamedTuple):
    """One fact: its label (empty for a line of its own) and its text."""

    label: str
    text: Text | str

"""A fact: a label and its text, for every pane that shows details."""

from __future__ import annotations

from typing import NamedTuple

from rich.text import Text


class Fact(NamedTuple):
    """One thing to know: its label (empty for a line of its own) and what there is to say."""

    label: str
    text: Text | str

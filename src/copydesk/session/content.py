"""Whose content a screen shows: a space, a change request, a page of either."""

from __future__ import annotations

from dataclasses import dataclass

from copydesk.domain.text import shorten

NAME_CELLS = 40
"""Cells of a name in the title of a dialog."""


@dataclass(frozen=True, slots=True)
class Content:
    """Whose content is in front; clean. ``request`` None is what the space itself has.

    ``refused`` says why the reader may not edit it.
    """

    space: str
    title: str
    request: str | None = None
    numbered: str = ""
    page: str = ""
    page_title: str = ""
    refused: str = ""

    @property
    def name(self) -> str:
        """What it is called in a sentence."""
        return self.numbered or shorten(self.title, NAME_CELLS)

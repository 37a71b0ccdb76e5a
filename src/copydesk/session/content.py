"""The owner of the content on screen: a space, a change request, or a page of either."""

from __future__ import annotations

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import shorten

NAME_CELLS = 40
"""Cells of a name in the title of a dialog."""


@dataclass(frozen=True, slots=True)
class ContentOwner:
    """The owner of the content on screen; clean. ``request`` None means the space itself.

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
        """Its name in a sentence."""
        return self.numbered or shorten(self.title, NAME_CELLS)

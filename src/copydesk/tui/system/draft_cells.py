"""Drafts as rows: what was typed, where it belongs, and how old it is."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from rich.text import Text

from copydesk.domain.text import clean
from copydesk.session.draft_keys import Belonging, belonging
from copydesk.session.glyphs import glyphs

FIRST_LINE_CELLS = 200
"""How much of a first line a row keeps."""


@dataclass(frozen=True, slots=True)
class DraftRow:
    """A kept text. ``about`` names the change request or space it is on, once that is known.

    ``why`` is the reason if it was sent in vain, ``home`` the organization it belongs to, where
    there are several.
    """

    key: str
    first_line: str
    saved: datetime
    belongs: Belonging | None
    about: str = ""
    why: str = ""
    home: str = ""

    @property
    def words(self) -> Text:
        """How it begins, with a sign where it could not be sent."""
        sign = (f"{glyphs().failed} ", "bad") if self.why else ""
        return Text.assemble(sign, self.first_line)

    @property
    def where(self) -> str:
        """Where it belongs, in words."""
        words = self.belongs.words if self.belongs is not None else "something else"
        said = f"{words}: {self.about}" if self.about else words
        return f"{said}, {self.home}" if self.home else said


def draft_rows(
    drafts: Iterable[tuple[str, str, float]],
    about: Mapping[tuple[str, str], str],
    unsent: Mapping[str, str],
    organizations: Mapping[str, str],
) -> list[DraftRow]:
    """Return the rows of (key, text, seconds since the epoch) drafts in their order.

    ``about`` names change requests and spaces, ``unsent`` says by key why a text could not be sent.
    ``organizations`` are the titles of those that there are, by their ids.
    """
    rows = []
    for key, text, saved in drafts:
        belongs = belonging(key)
        said = readable(belongs, text)
        first = next((line.strip() for line in said.splitlines() if line.strip()), "")
        request = request_of(belongs)
        rows.append(
            DraftRow(
                key, clean(first, limit=FIRST_LINE_CELLS), datetime.fromtimestamp(saved, UTC),
                belongs, about.get(request, "") if request is not None else "",
                clean(unsent.get(key, "")),
                _home(belongs, organizations),
            )
        )  # fmt: skip
    return rows


def _home(belongs: Belonging | None, organizations: Mapping[str, str]) -> str:
    home = belongs.target.organization if belongs is not None else None
    return organizations.get(home or "", "") if len(organizations) > 1 else ""


def readable(belongs: Belonging | None, text: str) -> str:
    """Return a kept text as a person reads it."""
    return text if belongs is None else belongs.summary(text)


def request_of(belongs: Belonging | None) -> tuple[str, str] | None:
    """Return (space, change request) that a draft is about; "" for a space itself, else None."""
    if belongs is None:
        return None
    space, request = belongs.target.space, belongs.target.change_request
    return (space, request or "") if space is not None else None

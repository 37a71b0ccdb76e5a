"""Conversations as rows of a list, and where they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.address import web_address
from copydesk.domain.age import age_or_ahead
from copydesk.domain.filter import fold
from copydesk.domain.text import clean
from copydesk.present.conversation import NAME_LIMIT
from copydesk.session.cluster_rows import IssueRow, shown
from copydesk.session.glyphs import glyphs

if TYPE_CHECKING:
    from copydesk.contract.models.conversation import Conversation

SUBJECT_LIMIT = 500
"""Characters of a subject that are read."""

NO_SUBJECT = "No subject"
"""Stands for a subject that is missing."""


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """One conversation of a list; texts are clean, nothing is masked yet."""

    id: str
    subject: str
    source: str
    created: datetime | None
    analysed: bool
    address: str


def conversation_row(conversation: Conversation) -> ConversationRow:
    """Return the row of a conversation."""
    return ConversationRow(
        conversation.id,
        clean(conversation.subject or "", limit=SUBJECT_LIMIT).strip(),
        clean(conversation.source or "", limit=NAME_LIMIT).strip(),
        conversation.created_at,
        conversation.processed_at is not None,
        web_address(conversation.urls.source),
    )


def subject(row: ConversationRow, *, masked: bool) -> Text:
    """Return what a conversation is about."""
    if row.subject:
        return Text(shown(row.subject, masked=masked))
    return Text(NO_SUBJECT, "muted")


def state(row: ConversationRow) -> Text:
    """Return whether issues have been looked for in a conversation."""
    return Text("") if row.analysed else Text("analysing", "warn")


def since(row: ConversationRow, now: datetime) -> str:
    """Return how long ago a conversation began."""
    return age_or_ahead(row.created, now)


def cluster_cell(row: IssueRow, labels: Mapping[str, str], *, masked: bool) -> Text:
    """Return the cluster of an issue: its name where it is known."""
    if not row.cluster:
        return Text("none", "muted")
    label = labels.get(row.cluster)
    return Text(glyphs().more, "muted") if label is None else Text(shown(label, masked=masked))


class Sources:
    """Where conversations come from, as far as that is known: the API lists no sources.

    Each has a name that is clean, masked and its own; the service is asked by what it calls it.
    """

    def __init__(self) -> None:
        self._called: dict[str, str] = {}
        """What the service calls them, by name."""

    def learn(self, sources: Iterable[str | None]) -> None:
        """Take note of sources."""
        known = set(self._called.values())
        for source in sources:
            if source and source not in known:
                known.add(source)
                name = said = named(source, masked=True) or "no name"
                nth = 1
                while name in self._called:
                    nth += 1
                    name = f"{said} ({nth})"
                self._called[name] = source

    @property
    def names(self) -> Sequence[str]:
        """Their names in order."""
        return sorted(self._called, key=fold)

    def called(self, name: str) -> str | None:
        """Return what the service calls a source, by its name or that itself; None: not known."""
        if name in self._called:
            return self._called[name]
        folded = fold(name)
        return next(
            (
                source
                for known, source in self._called.items()
                if name == source or fold(known) == folded
            ),
            None,
        )

    def name_of(self, source: str) -> str:
        """Return the name of a known source."""
        return next(name for name, each in self._called.items() if each == source)


def named(source: str, *, masked: bool) -> str:
    """Return a source as it may be seen now."""
    return shown(clean(source, limit=NAME_LIMIT).strip(), masked=masked)

"""A change request's subject and description as one text, and back."""

from __future__ import annotations

from typing import Any

from copydesk.contract.models.change_request import ChangeRequest, ChangeRequestUpdate
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.plain_documents import document_of, document_text
from copydesk.domain.text import typed


@dataclass(frozen=True, slots=True)
class About:
    """The subject and description of a change request."""

    subject: str
    description: str


def about_text(request: ChangeRequest) -> str:
    """Return subject and description for an editor: a line, a blank one, the rest."""
    description = document_text(request.description).strip()
    return f"{request.subject}\n\n{description}" if description else request.subject


def read_about(text: str) -> About:
    """Parse them: the first line, with or without the mark of a heading, is the subject."""
    first, _, rest = text.strip().partition("\n")
    return About(first.removeprefix("#").strip(), rest.strip())


def update_of(
    request: ChangeRequest, about: About, *, sent: About | None = None, back: bool = False
) -> ChangeRequestUpdate | None:
    """Return the update to ``about`` with only the differences; None without any.

    ``sent`` is the result of an edit that is being sent: an edit that reverts it differs too.
    ``back`` returns the update that restores the request as it was, or will be by then.
    """
    changed: dict[str, Any] = {}
    was = read_about(typed(about_text(request), lines=True))  # as the field showed it at first
    now = sent or was
    if {was.subject, now.subject} != {about.subject}:
        before = request.subject if now.subject == was.subject else now.subject
        changed["subject"] = before if back else about.subject
    if {was.description, now.description} != {about.description}:
        old = request.description or document_of("")
        if now.description != was.description:
            old = document_of(now.description)
        changed["description"] = old if back else document_of(about.description)
    return ChangeRequestUpdate(**changed) if changed else None

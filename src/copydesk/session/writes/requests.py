"""Writes on a change request as a whole: a verdict, its subject, description and status, a new one.

Also the known reasons why one of them would be refused, as sentences, and its subject and
description as one text.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from copydesk.contract.models.change_request import ChangeRequest, ChangeRequestUpdate
from copydesk.domain.inverses import (
    begun_trace,
    request_begun,
    request_changed,
    still_judged,
    verdict_trace,
)
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.plain_documents import document_of, document_text
from copydesk.domain.text import clean, typed
from copydesk.session.errors import failure_types
from copydesk.session.operations import ops
from copydesk.session.writes.log import WriteError
from copydesk.session.writes.sender import Write

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.enumerations import ReviewStatus
    from copydesk.contract.models.change_request import (
        ChangeRequest,
        ChangeRequestCreate,
        ChangeRequestUpdate,
    )
    from copydesk.contract.models.review import Review
    from copydesk.contract.models.space import Space, SpacePermissions
    from copydesk.contract.models.user import User
    from copydesk.domain.reversal import JSON
    from copydesk.session.change_rows import ChangeRow
    from copydesk.session.session import Session

SUBJECT_LENGTH = 100
"""The longest subject that the service takes."""

VERBS: Mapping[ReviewStatus, str] = {
    "approved": "Approve",
    "changes-requested": "Ask for changes",
}
"""What giving a verdict is called."""

FINAL = "A review cannot be undone, only replaced by another."

OWN = "You wrote it: what you say of it counts for no rule."

ONLY_REVIEWS = "You may review here, not edit."

NO_REVIEWS = "This service has no reviews."


def subject_wrong(subject: str) -> str | None:
    """Return what is wrong with a subject, or None."""
    if not subject:
        return "A subject is needed."
    if len(subject) > SUBJECT_LENGTH:
        return f"{len(subject)} characters: at most {SUBJECT_LENGTH} fit."
    return None


def subject_made(text: str) -> str:
    """Return a subject that copydesk words from a text of strangers, cut to what a service takes.

    The limit counts characters, not cells: marks on letters count, and a wide letter counts once.
    """
    said = " ".join(clean(text).split())
    return said if len(said) <= SUBJECT_LENGTH else f"{said[: SUBJECT_LENGTH - 1].rstrip()}…"


def right_missing(space: Space, may: Callable[[SpacePermissions], bool], do: str) -> str | None:
    """Return that the reader may not ``do`` something in a space, or None."""
    if space.permissions is None or may(space.permissions):
        return None
    return f"You may not {do} in {clean(space.title)}."


def why_no_change(request: ChangeRequest, space: Space, me: User | None) -> str | None:
    """Return why the reader may not change what a change request says of itself, or None."""
    if me is not None and request.created_by is not None and request.created_by.id == me.id:
        return right_missing(space, lambda granted: granted.edit, "edit")
    why = right_missing(space, lambda granted: granted.merge, "merge")
    return why and not_yours(why)


def not_yours(why: str) -> str:
    """Return why the reader may not change a change request of someone else, nor merge it."""
    return f"The change request is not yours, and y{why.removeprefix('Y')}"


def why_no_verdict(request: ChangeRequest, space: Space) -> str | None:
    """Return the known reason why a verdict would be refused, or None."""
    if request.status not in ("open", "draft"):
        return f"#{request.number} is {clean(request.status)} and takes no review."
    return right_missing(space, lambda granted: granted.review, "review")


NO_CONTENT = "This service cannot write content: c comments, o opens the page in the app."


def takes_no_content(session: Session) -> str | None:
    """Return that the service is known to have no way to write content, or None."""
    return None if session.has(ops.update_change_request_content) else NO_CONTENT


async def ask_for_content(session: Session) -> str | None:
    """Return that the service has no way to write content, or None, before anything is typed.

    Where that is not known the service is asked for its description, at most once a day.
    """
    if not session.offline:
        await (await session.ready()).routes.lacks(ops.update_change_request_content)
    return takes_no_content(session)


def why_no_edit(request: ChangeRequest, space: Space) -> str | None:
    """Return the known reason why the pages of a change request cannot be edited, or None."""
    if request.status not in ("open", "draft"):
        return f"#{request.number} is {clean(request.status)}: its pages stay as they are."
    if space.permissions is not None and not space.permissions.edit:
        return ONLY_REVIEWS
    return None


def verdict(row: ChangeRow, status: ReviewStatus, said: str, me: User | None) -> Write[Review]:
    """Return the write of a verdict on a change request, with words or without."""
    from copydesk.contract.models.comment import MarkdownBody
    from copydesk.contract.models.review import ReviewCreate

    ids = (row.space, row.id, row.revision)
    body = ReviewCreate(status=status)
    if said:
        body.comment = MarkdownBody(markdown=said)
    done = "Approved" if status == "approved" else "Asked for changes in"
    return Write(
        VERBS[status],
        row.named,
        lambda api: api(ops.create_change_request_review, row.space, row.id, body),
        f"{done} {row.label}; a review cannot be undone.",
        expects=still_judged(*ids, subject=row.said, status=row.status),
        trace=None if me is None else verdict_trace(*ids, me=me.id, status=status, words=said),
    )


async def is_as_read(session: Session, row: ChangeRow, *, warned: bool = False) -> bool:
    """Whether a change request is as it was read for a verdict; False where nothing tells.

    The outbox looks again then. Raises `WriteError` where it was edited since, unless the reader
    was ``warned`` of that.
    """
    if session.held:
        return False  # who is known not to answer is not waited for
    try:
        now = await (await session.ready())(ops.get_change_request, row.space, row.id)
    except failure_types():
        return False
    known = warned or row.revision in ("", now.revision)
    if not (known or await session.snoozed.is_read(row.id, now.revision)):
        said = f"Not sent: {row.label} was edited since you read it here."
        raise WriteError(f"{said} R reads it; what you wrote is kept.")
    return True


def changing(
    row: ChangeRow,
    what: str,
    body: ChangeRequestUpdate,
    back: Mapping[str, JSON],
    *,
    is_so: Callable[[ChangeRequest], bool],
    done: str = "",
) -> Write[ChangeRequest]:
    """Return the write of new values; ``back`` has the former ones of the same fields.

    ``is_so`` says whether a change request has the new values.
    """

    async def look(api: Api) -> ChangeRequest | None:
        now = await api(ops.get_change_request, row.space, row.id)
        return now if is_so(now) else None

    after = body.model_dump(mode="json", exclude_unset=True)
    return Write(
        what,
        row.named,
        lambda api: api(ops.update_change_request, row.space, row.id, body),
        done,
        reversal=request_changed(row.space, row.id, back, after),
        expects=row.judged_by if "status" in after else None,
        look=look,
    )


def beginning(space: str, body: ChangeRequestCreate, me: User | None) -> Write[ChangeRequest]:
    """Return the write that begins a change request, which is a draft then."""
    subject = body.subject or ""
    return Write(
        "Start",
        f"“{subject}”",
        lambda api: api(ops.create_change_request, space, body),
        reversal=lambda request: request_begun(space, request.id),
        trace=begun_trace(space, me=me.id, subject=subject) if me else None,
    )


async def begin_request(
    send: Callable[..., Awaitable[ChangeRequest]],
    space: str,
    body: ChangeRequestCreate,
    me: User | None,
    **given: str,
) -> ChangeRequest:
    """Begin a change request, and describe it where the service left its description out.

    The API names none for a new one. ``send`` performs a `Write`, the first with what is ``given``.
    Both are one action. Raises what ``send`` raises.
    """
    from copydesk.contract.models.change_request import ChangeRequestUpdate

    group = "" if body.description is None else secrets.token_hex(8)
    made = await send(beginning(space, body, me), group=group, **given)
    if body.description is None or made.description is not None:
        return made
    update = ChangeRequestUpdate(description=body.description)
    write = Write(
        "Describe",
        f"#{made.number}",
        lambda api: api(ops.update_change_request, made.space, made.id, update),
    )
    return await send(write, group=group)


def begun_as(request: ChangeRequest) -> str:
    """Return what a change request was begun as: a draft, or what the service calls it."""
    return "a draft" if request.status == "draft" else clean(request.status)


@dataclass(frozen=True, slots=True)
class RequestWords:
    """The subject and description of a change request."""

    subject: str
    description: str


def about_text(request: ChangeRequest) -> str:
    """Return subject and description for an editor: a line, a blank one, the rest."""
    description = document_text(request.description).strip()
    return f"{request.subject}\n\n{description}" if description else request.subject


def read_about(text: str) -> RequestWords:
    """Parse them: the first line, with or without the mark of a heading, is the subject."""
    first, _, rest = text.strip().partition("\n")
    return RequestWords(first.removeprefix("#").strip(), rest.strip())


def update_of(
    request: ChangeRequest,
    about: RequestWords,
    *,
    sent: RequestWords | None = None,
    back: bool = False,
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

"""Comments and replies on a change request or a space: sent from drafts, changed, deleted.

Drafts are sent from here, alone or several together, as from the field they were typed in: with a
reversal, and found again after a crash.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from copydesk.domain.inverses import (
    message_sent,
    message_trace,
    still_discussed,
    still_open,
    still_says,
    thread_resolved,
)
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.suggestion import suggestions_in
from copydesk.domain.text import clean, shorten
from copydesk.session.draft_keys import belonging, review_key
from copydesk.session.glyphs import glyphs
from copydesk.session.operations import ops
from copydesk.session.writes.sender import Write

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.contract.models.user import User
    from copydesk.domain.reversal import Reversal, Trace
    from copydesk.session.session import Session


Ids = tuple[str, str]
"""The space and the change request; on a space itself the second is ""."""


LINE = 60
"""Cells of a draft's text in a list."""


@dataclass(frozen=True, slots=True)
class PendingDraft:
    """A comment or a reply that waits to be sent.

    On a space itself ``request`` is "". ``page`` and ``node`` are the object of a comment (None:
    the whole page, or the whole request), ``thread`` is the thread of a reply. ``why`` is the
    reason of a failed try. ``saved`` is in seconds since the epoch.
    """

    space: str
    request: str
    part: str
    words: str
    text: str
    saved: float = 0.0
    page: str | None = None
    node: str | None = None
    thread: str | None = None
    why: str = ""

    @property
    def key(self) -> str:
        """The key of the draft."""
        return review_key(self.space, self.request, self.part)


def pending(
    space: str, request: str, part: str, text: str, saved: float = 0.0, why: str = ""
) -> PendingDraft | None:
    """Return the pending comment or reply of a draft; None if it is neither.

    An edit belongs to its message, and the text of a verdict to the verdict.
    """
    belongs = belonging(review_key(space, request, part))
    if belongs is None or not text.strip():
        return None
    page, _, node = part.partition("/")
    match part.split(" "):
        case ["verdict" | "edit", _]:
            return None
        case ["reply", thread]:
            on: dict[str, str | None] = {"thread": thread}
        case _ if not node:
            on = {}
        case _:
            on = {"page": page, "node": None if node == "page" else node}
    return PendingDraft(space, request, part, belongs.words, text.strip(), saved, why=why, **on)


def review_drafts(session: Session, space: str, request: str) -> list[PendingDraft]:
    """Return the pending comments and replies that are not on their way, oldest first.

    Reads the disk.
    """
    lead = review_key(space, request, "")
    found = (
        pending(space, request, key.removeprefix(lead), text, saved, session.unsent.get(key, ""))
        for key, text, saved in session.drafts.dated()
        if key.startswith(lead) and not session.writes.is_on_its_way(key, text)
    )
    return sorted((draft for draft in found if draft is not None), key=lambda draft: draft.saved)


def pending_line(draft: PendingDraft) -> str:
    """Return a draft as one line: its kind, its first words, and whether it failed before."""
    first = next((line.strip() for line in draft_words(draft).splitlines() if line.strip()), "")
    failed = f"  {glyphs().failed} not sent last time" if draft.why else ""
    return f"{draft.words}: {shorten(clean(first), LINE, glyphs().more)}{failed}"


def draft_words(draft: PendingDraft) -> str:
    """Return what a draft says, for a list: of a suggestion the lines that it suggests."""
    found = suggestions_in(draft.text)
    return f"suggests: {' '.join(found[0].lines) or 'to delete it'}" if found else draft.text


async def send_draft(api: Api, draft: PendingDraft) -> Comment | CommentReply:
    """Send a draft and return the new comment or reply. Raises ``ApiError``."""
    from copydesk.contract.models.comment import CommentCreate, MarkdownBody, ReplyCreate

    body = MarkdownBody(markdown=draft.text)
    if draft.thread is not None and not draft.request:
        reply = ReplyCreate(body=body)
        return await api(ops.create_space_comment_reply, draft.space, draft.thread, reply)
    if draft.thread is not None:
        return await api(
            ops.create_change_request_comment_reply,
            draft.space,
            draft.request,
            draft.thread,
            ReplyCreate(body=body),
        )
    comment = CommentCreate(body=body)
    if draft.page is not None:
        comment.page = draft.page
    if draft.node is not None:
        comment.node = draft.node
    if not draft.request:
        return await api(ops.create_space_comment, draft.space, comment)
    return await api(ops.create_change_request_comment, draft.space, draft.request, comment)


def way_back(draft: PendingDraft) -> Callable[[Comment | CommentReply], Reversal]:
    """Return the function from the new comment or reply to its reversal."""

    def of(sent: Comment | CommentReply) -> Reversal:
        ids = (sent.id, None) if draft.thread is None else (draft.thread, sent.id)
        # As the service has it, which may format the text differently.
        text = sent.body.markdown or draft.text
        key, words = draft.key, draft.text
        return message_sent(draft.space, draft.request, *ids, text=text, draft=key, words=words)

    return of


def way_back_later(key: str, text: str, answer: Any) -> Reversal | None:
    """Return the reversal of a comment or reply that a later run sent.

    ``key`` is the key of its draft, ``answer`` the service's answer, as a model or as bytes. None
    for anything but a comment or a reply.
    """
    space, _, rest = key.partition("/")
    request, _, part = rest.partition("/")
    draft = pending(space, request, part, text) if part else None
    if draft is None:
        return None
    try:
        made = json.loads(answer.content) if hasattr(answer, "content") else answer.to_dict()
        made_id = made["id"]
        said = made.get("body", {}).get("markdown") or draft.text
    except (AttributeError, ValueError, LookupError, TypeError):
        return None
    if not isinstance(made_id, str) or not isinstance(said, str):
        return None
    ids = (made_id, None) if draft.thread is None else (draft.thread, made_id)
    return message_sent(space, request, *ids, text=said, draft=key, words=text)


def trace(me: User | None, draft: PendingDraft) -> Trace | None:
    """Return the trace of a draft that may have arrived; None while the caller is unknown."""
    if me is None:
        return None
    return message_trace(
        draft.space, draft.request, draft.thread, me=me.id, page=draft.page, node=draft.node
    )


def sending(
    draft: PendingDraft,
    name: str,
    me: User | None,
    *,
    thread: Comment | None = None,
    closed: bool = False,
) -> Write[Comment | CommentReply]:
    """Return the write of a comment or a reply.

    ``name`` is for the log, ``thread`` the comment that is answered, where that is known, and
    ``closed`` says that its change request is merged or archived.
    """
    return Write(
        "Comment" if draft.thread is None else "Reply",
        name,
        lambda api: send_draft(api, draft),
        reversal=way_back(draft),
        trace=trace(me, draft),
        expects=still_discussed(
            draft.space,
            draft.request,
            draft.thread,
            over=thread is not None and thread.status == "resolved",
            closed=closed,
            words=None if thread is None else thread.body.markdown,
        ),
    )


def resolving(
    ids: Ids, thread: Comment, name: str, *, resolved: bool, closed: bool = False, done: str = ""
) -> Write[Comment | CommentReply]:
    """Return the write that resolves a thread, or (``resolved`` False) opens it again."""

    async def look(api: Api) -> Comment | None:
        from copydesk.session.reads.inbox import read_comment

        now = await read_comment(api, *ids, thread.id)
        return now if now is not None and (now.status == "resolved") == resolved else None

    judged = still_says(*ids, thread.id, words=thread.body.markdown, replies=thread.replies)
    return Write(
        "Resolve" if resolved else "Reopen",
        name,
        lambda api: change_message(api, ids, thread.id, None, {"resolved": resolved}),
        done,
        reversal=thread_resolved(*ids, thread.id, resolved=resolved),
        expects=still_open(judged, *ids, closed=closed),
        look=look,
    )


CHANGES = (
    "update_change_request_comment",
    "update_change_request_comment_reply",
    "update_space_comment",
    "update_space_comment_reply",
)
"""The operations that `change_message` uses."""


DELETES = (
    "delete_change_request_comment",
    "delete_change_request_comment_reply",
    "delete_space_comment",
    "delete_space_comment_reply",
)
"""The operations that `delete_message` uses."""


async def change_message(
    api: Api, ids: Ids, comment: str, reply: str | None, fields: Mapping[str, Any]
) -> Comment | CommentReply:
    """Change a comment, or a ``reply`` in it; ``fields`` are those of the body.

    Raises ``ApiError``.
    """
    from copydesk.contract.models.comment import CommentUpdate, ReplyUpdate, SpaceReplyUpdate

    space, request = ids
    if reply is None:
        body = CommentUpdate.model_validate(fields)
        if request:
            return await api(ops.update_change_request_comment, space, request, comment, body)
        return await api(ops.update_space_comment, space, comment, body)
    if request:
        update = ReplyUpdate.model_validate(fields)
        return await api(
            ops.update_change_request_comment_reply, space, request, comment, reply, update
        )
    change = SpaceReplyUpdate.model_validate(fields)
    return await api(ops.update_space_comment_reply, space, comment, reply, change)


async def delete_message(api: Api, ids: Ids, comment: str, reply: str | None) -> None:
    """Delete a comment with its replies, or a ``reply`` in it. Raises ``ApiError``."""
    space, request = ids
    if reply is None and request:
        await api(ops.delete_change_request_comment, space, request, comment)
    elif reply is None:
        await api(ops.delete_space_comment, space, comment)
    elif request:
        await api(ops.delete_change_request_comment_reply, space, request, comment, reply)
    else:
        await api(ops.delete_space_comment_reply, space, comment, reply)

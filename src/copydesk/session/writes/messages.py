"""The requests that change or delete a comment or a reply, of a change request or of a space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.comment import Comment, CommentReply

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

Ids = tuple[str, str]
"""The space and the change request; of a thread on a space itself the second is ""."""


async def change_message(
    api: Api, ids: Ids, comment: str, reply: str | None, fields: Mapping[str, Any]
) -> Comment | CommentReply:
    """Change a comment, or a ``reply`` in it; ``fields`` are those of the body.

    Raises ``ApiError``.
    """
    from copydesk.contract import operations as ops
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
    from copydesk.contract import operations as ops

    space, request = ids
    if reply is None and request:
        await api(ops.delete_change_request_comment, space, request, comment)
    elif reply is None:
        await api(ops.delete_space_comment, space, comment)
    elif request:
        await api(ops.delete_change_request_comment_reply, space, request, comment, reply)
    else:
        await api(ops.delete_space_comment_reply, space, comment, reply)

"""Where the raw JSON of an object is read from, for `g j`; nothing is drawn here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any

from copydesk.domain.late_dataclass import dataclass

if TYPE_CHECKING:
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.domain.space_tree import SpaceNode

OF_NODE = ("get_space", "get_collection")
"""The operations of `node_raw`."""

OF_MESSAGE = (
    "get_change_request_comment",
    "get_change_request_comment_reply",
    "get_space_comment",
    "get_space_comment_reply",
)
"""The operations of `message_raw`."""

_MARKDOWN = {"format": "markdown"}


@dataclass(frozen=True)
class Raw:
    """The source of an object's raw JSON: a read with its arguments, or a known value.

    ``value`` is for objects without a read: an item of a list, or state of this machine; ``source``
    says which.
    """

    title: str
    operation: str = ""
    arguments: tuple[Any, ...] = ()
    query: Mapping[str, Any] = field(default_factory=dict)
    value: Any = None
    source: str = "as its list gave it"
    masked: bool = False
    """Whether e-mail addresses and phone numbers in it are masked."""


def node_raw(node: SpaceNode | None) -> Raw | None:
    """Return the source of a space or a collection."""
    if node is None or node.kind not in ("space", "collection"):
        return None
    return Raw(f"{node.kind} {node.title}", f"get_{node.kind}", (node.id,))


def request_raw(space: str, request: str, name: str) -> Raw:
    """Return the source of a change request."""
    return Raw(f"change request {name}", "get_change_request", (space, request))


def page_raw(space: str, request: str | None, page: str, title: str) -> Raw:
    """Return the source of a page of a space, or of a change request."""
    if request is None:
        return Raw(f"page {title}", "get_space_page", (space, page), _MARKDOWN)
    return Raw(f"page {title}", "get_change_request_page", (space, request, page), _MARKDOWN)


def thread_raw(space: str, request: str, comment: str, reply: str | None = None) -> Raw:
    """Return the source of a comment or a reply; on a space itself ``request`` is ""."""
    name = "get_change_request_comment" if request else "get_space_comment"
    ids = tuple(each for each in (space, request, comment) if each)
    if reply is None:
        return Raw("comment", name, ids, _MARKDOWN)
    return Raw("reply", f"{name}_reply", (*ids, reply), _MARKDOWN)


def message_raw(
    ids: tuple[str, str], comment: str, message: Comment | CommentReply | None
) -> Raw | None:
    """Return the source of a message in a thread."""
    if message is None:
        return None
    return thread_raw(*ids, comment, message.id if message.id != comment else None)


def issue_raw(organization: str, issue: str, *, masked: bool) -> Raw:
    """Return the source of an issue."""
    return Raw("issue", "get_conversation_issue", (organization, issue), masked=masked)


def conversation_raw(organization: str, conversation: str, *, masked: bool) -> Raw:
    """Return the source of a conversation."""
    return Raw("conversation", "get_conversation", (organization, conversation), masked=masked)


def cluster_raw(organization: str, cluster: str, *, masked: bool) -> Raw:
    """Return the source of a cluster."""
    return Raw("cluster", "get_issues_cluster", (organization, cluster), masked=masked)

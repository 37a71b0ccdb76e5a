"""Threads on spaces and change requests: comments, replies, reactions."""

from typing import Literal, TypeAlias

from pydantic import Field

from copydesk.contract.enumerations import CommentStatus
from copydesk.contract.models.base import (
    Always,
    Body,
    Count,
    Emoji,
    Few,
    Open,
    Resource,
    Shape,
    Timestamp,
    Urls,
)
from copydesk.contract.models.document import Document, WrittenDocument
from copydesk.contract.models.user import User


class CommentBody(Shape):
    """The text of a comment or reply, in the format that was asked for."""

    markdown: str | None = None
    document: Document | None = None


class Reactor(Shape):
    """Somebody who reacted."""

    user: User
    reacted_at: Always[Timestamp] = None


class Reaction(Shape):
    """An emoji, and who put it there."""

    emoji: str = ""
    count: Count = 0
    users: list[Reactor] = []


class Replier(Shape):
    """Somebody who replied, and how often."""

    updated_at: Always[Timestamp] = None
    count: Count = 0
    user: User


class NodeTarget(Shape):
    """The node of a document that a comment is about."""

    id: str


class PageTarget(Shape):
    """The page that a comment is about."""

    id: str


class TableCellTarget(Shape):
    """The cell of a table that a comment is about."""

    record: Always[str] = None
    definition: Always[str] = None


class CommentTarget(Shape):
    """What a comment is about."""

    node: NodeTarget | None = None
    table_cell: TableCellTarget | None = None
    change_request: str | None = None
    review: str | None = None
    page: PageTarget | None = None
    space: Always[str] = None
    revision: Always[str] = None


class CommentPermissions(Shape):
    """What the caller may do with a comment or reply. Services may not say who may ``reply``."""

    view: bool = False
    edit: bool = False
    reply: bool | None = None
    delete: bool = False


class Comment(Resource):
    """The start of a thread. ``replies`` is a count."""

    object: Open[Literal["comment"]] = "comment"
    id: str
    posted_by: Always[User] = None
    posted_at: Timestamp
    edited_at: Timestamp | None = None
    reactions: list[Reaction] = []
    replies: Count = 0
    repliers: list[Replier] = []
    body: CommentBody = Field(default_factory=CommentBody)
    target: CommentTarget = Field(default_factory=CommentTarget)
    urls: Urls = Field(default_factory=Urls)
    permissions: Always[CommentPermissions] = None
    status: Open[CommentStatus] = "open"
    resolved_at: Timestamp | None = None
    resolved_by: User | None = None


class CommentReply(Resource):
    """An answer in a thread."""

    object: Open[Literal["comment-reply"]] = "comment-reply"
    id: str
    posted_by: Always[User] = None
    posted_at: Timestamp
    edited_at: Timestamp | None = None
    reactions: list[Reaction] = []
    body: CommentBody = Field(default_factory=CommentBody)
    urls: Urls = Field(default_factory=Urls)
    permissions: Always[CommentPermissions] = None


class MarkdownBody(Body):
    """Text written as Markdown."""

    markdown: str


class DocumentBody(Body):
    """Text written as a document."""

    document: WrittenDocument


WrittenBody: TypeAlias = MarkdownBody | DocumentBody
"""The text of a comment, reply or review in a request."""


class TableCell(Body):
    """The cell of a table that a new comment is about."""

    record: str
    definition: str


class CommentCreate(Body):
    """A new thread, on the whole or on a page, a node of it or a cell in it."""

    node: str | None = None
    page: str | None = None
    body: WrittenBody
    table_cell: TableCell | None = None


class CommentUpdate(Body):
    """Changes of a comment; reactions are the caller's own. ``resolved`` False opens it again."""

    resolved: bool | None = None
    body: WrittenBody | None = None
    added_reactions: Few[Emoji] | None = None
    removed_reactions: Few[Emoji] | None = None


class ReplyCreate(Body):
    """A new reply in a thread."""

    body: WrittenBody


class SpaceReplyUpdate(Body):
    """Changes of a reply to a space comment; reactions are the caller's own."""

    body: WrittenBody | None = None
    added_reactions: Few[Emoji] | None = None
    removed_reactions: Few[Emoji] | None = None


class ReplyUpdate(SpaceReplyUpdate):
    """Changes of a reply in a change request, which may also resolve the thread."""

    resolved: bool | None = None

"""Support conversations that were handed in, and the issues found in them."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, RootModel, StringConstraints

from copydesk.contract.enumerations import PartRole
from copydesk.contract.models.base import Always, Body, Open, Resource, Shape
from copydesk.contract.models.parts import Timestamp, Urls, WebAddress


class Conversation(Resource):
    """A conversation; ``source`` names where it came from."""

    object: Open[Literal["conversation"]] = "conversation"
    id: str
    subject: str | None = None
    created_at: Always[Timestamp] = None
    processed_at: Timestamp | None = None
    source: Always[str] = None
    urls: Urls = Field(default_factory=Urls)


class ConversationIssue(Resource):
    """Something that a person struggled with; ``conversation`` and ``cluster`` are ids."""

    object: Open[Literal["conversation-issue"]] = "conversation-issue"
    id: str
    title: str = ""
    summary: str | None = None
    created_at: Always[Timestamp] = None
    ingested_at: Always[Timestamp] = None
    conversation: Always[str] = None
    cluster: str | None = None
    urls: Urls = Field(default_factory=Urls)


class ConversationPart(Shape):
    """Something that somebody said."""

    type: Open[Literal["message"]] = "message"
    role: Open[PartRole] = "user"
    body: str = ""


class ConversationMetadata(Shape):
    """What is known about a conversation besides its words."""

    url: str | None = None
    attributes: dict[str, str] = {}
    created_at: Timestamp | None = None


class ConversationDetail(Shape):
    """A conversation with its parts."""

    conversation: Conversation
    parts: list[ConversationPart] = []
    metadata: Always[ConversationMetadata] = None


class ConversationIssueItem(Shape):
    """An issue with the conversation that it was found in."""

    issue: ConversationIssue
    conversation: Always[Conversation] = None


class PartIngest(Body):
    """Something that somebody said, to hand in."""

    type: Literal["message"]
    role: PartRole
    body: str


class MetadataIngest(Body):
    """What is known about a conversation to hand in."""

    url: WebAddress | None = None
    attributes: dict[str, str] | None = None
    created_at: Timestamp | None = None


class ConversationIngest(Body):
    """A conversation to hand in; ``id`` is the sender's own, so that it is not counted twice."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    subject: Annotated[str, StringConstraints(max_length=512)] | None = None
    metadata: MetadataIngest | None = None
    parts: list[PartIngest]


class ConversationBatch(RootModel[list[ConversationIngest]]):
    """Several conversations to hand in at once: a JSON list."""

    def to_json(self) -> bytes:
        """Return the JSON list, with the fields that were set."""
        return self.__pydantic_serializer__.to_json(self, by_alias=True, exclude_unset=True)


IngestBody: TypeAlias = ConversationIngest | ConversationBatch
"""One conversation or several."""

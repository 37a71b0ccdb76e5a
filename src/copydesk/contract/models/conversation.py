"""Support conversations that were handed in, and the issues found in them."""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.enumerations import AnalysisState, PartRole
from copydesk.contract.models.base import (
    Always,
    Batch,
    Body,
    Count,
    FewByName,
    Open,
    Resource,
    Shape,
    Timestamp,
    Urls,
    WebAddress,
)


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


class SearchHit(Shape):
    """The first words of a conversation that were looked for, with a few before and after them.

    ``part`` counts from the first thing that was said, 0; None is the subject.
    """

    part: Count | None = None
    before: str = ""
    words: str = ""
    after: str = ""


class ConversationHit(Shape):
    """A conversation that was found, with the ids of its issues.

    ``hit`` is None where no words were looked for.
    """

    conversation: Conversation
    issues: list[str] = []
    hit: SearchHit | None = None


class ConversationsAnalysis(Resource):
    """How far the search for clusters is, in numbers of issues.

    ``waiting`` are in no cluster yet, and so many of them were ``looked`` at by now. The others are
    ``clustered`` or not; ``suggestions`` of the latter are similar to a cluster. ``message`` is a
    sentence for a person.
    """

    object: Open[Literal["conversations-analysis"]] = "conversations-analysis"
    state: Open[AnalysisState] = "idle"
    waiting: Count = 0
    looked: Count = 0
    clustered: Count = 0
    unclustered: Count = 0
    suggestions: Count = 0
    message: str | None = None
    finished_at: Timestamp | None = None


IssueIds = Annotated[list[str], Field(max_length=500)]
"""The ids of at most 500 issues."""


class IssueMove(Body):
    """Issues to move into the cluster with an id, or out of the one that they are in (None)."""

    nullable: ClassVar[tuple[str, ...]] = ("cluster",)

    issues: Annotated[IssueIds, Field(min_length=1)]
    cluster: str | None


class IssuesMoved(Shape):
    """How many issues were somewhere else before."""

    object: Open[Literal["conversation-issues-moved"]] = "conversation-issues-moved"
    moved: Count = 0


class PartIngest(Body):
    """Something that somebody said, to hand in."""

    type: Literal["message"]
    role: PartRole
    body: str


class MetadataIngest(Body):
    """What is known about a conversation to hand in."""

    url: WebAddress | None = None
    attributes: FewByName[str] | None = None
    created_at: Timestamp | None = None


class ConversationIngest(Body):
    """A conversation to hand in; ``id`` is the sender's own, so that it is not counted twice."""

    id: Annotated[str, StringConstraints(min_length=1, max_length=255)]
    subject: Annotated[str, StringConstraints(max_length=512)] | None = None
    metadata: MetadataIngest | None = None
    parts: list[PartIngest]


class ConversationBatch(Batch[ConversationIngest]):
    """Several conversations to hand in at once: a JSON list."""


IngestBody: TypeAlias = ConversationIngest | ConversationBatch
"""One conversation or several."""

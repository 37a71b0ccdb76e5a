"""Clusters of issues: what people struggle with most."""

from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, StringConstraints

from copydesk.contract.enumerations import ClusterChange, ClusterNaming
from copydesk.contract.models.base import (
    Always,
    Body,
    Count,
    Open,
    Real,
    Resource,
    Shape,
    Timestamp,
    Urls,
)
from copydesk.contract.models.conversation import (
    Conversation,
    ConversationIssue,
    IssueIds,
    SearchHit,
)


class ClusterStats(Shape):
    """How many issues a cluster holds, from how many conversations.

    Services count tasks as well (``tasksTotal`` and others): those are kept as they are named.
    ``suggestions`` are issues that may belong to it, where the service finds clusters itself.
    """

    model_config = ConfigDict(extra="allow")

    issues: Count = 0
    conversations: Count = 0
    suggestions: Count | None = None

    @property
    def tasks(self) -> dict[str, float]:
        """The counts of tasks by kind: "total"."""
        return {
            name.removeprefix("tasks").lower() or "all": value
            for name, value in (self.model_extra or {}).items()
            if name.startswith("tasks") and type(value) in (int, float)
        }


class ClusterEvent(Shape):
    """A cluster that was ``joined`` with this one, or into which part of this one was ``split``.

    ``other`` is the id of that cluster, which may be gone, and ``label`` what it was called.
    """

    at: Always[Timestamp] = None
    kind: Open[ClusterChange] = "joined"
    other: str | None = None
    label: str = ""


class IssuesCluster(Resource):
    """Issues about one thing.

    ``weekly_pulse`` counts issues in each of the past 13 weeks, the latest last; ``sources``
    counts by the source of the conversation. ``first_seen_at`` is when its first issue was told.
    ``closed_at`` is there when a person closed it, which keeps new issues out. ``named`` says
    whether a person made it, changed it or joined others with it. ``history`` has the last five
    joins and splits, the latest first.
    """

    object: Open[Literal["issues-cluster"]] = "issues-cluster"
    id: str
    label: str = ""
    created_at: Always[Timestamp] = None
    updated_at: Always[Timestamp] = None
    icon: str | None = None
    summary: str | None = None
    weekly_pulse: list[Count | Real] = []
    sources: dict[str, Count | Real] = {}
    stats: ClusterStats = Field(default_factory=ClusterStats)
    first_seen_at: Timestamp | None = None
    closed_at: Timestamp | None = None
    named: Open[ClusterNaming] | None = None
    history: list[ClusterEvent] = []
    urls: Urls = Field(default_factory=Urls)


class ClusterSuggestion(Shape):
    """An issue that may belong to a cluster; ``similarity`` is between 0 and 1."""

    issue: ConversationIssue
    conversation: Always[Conversation] = None
    similarity: Real = 0.0


class ClusterHit(Shape):
    """A cluster in which conversations were found, and how many.

    ``issue`` is the id of the latest issue in it that one of them tells, and ``hit`` are the words
    that were looked for, in that conversation: None where none were.
    """

    cluster: IssuesCluster
    conversations: Count = 0
    issue: str | None = None
    hit: SearchHit | None = None


ClusterLabel = Annotated[
    str, StringConstraints(min_length=1, max_length=120, strip_whitespace=True)
]
"""What a person calls a cluster: one to 120 characters."""

ClusterSummary = Annotated[str, StringConstraints(max_length=4000)]
"""What a cluster is about, at most 4,000 characters."""

ClusterIcon = Annotated[str, StringConstraints(min_length=1, max_length=50)]
"""The name of an icon."""


class IssuesClusterCreate(Body):
    """A cluster to make by hand; ``issues`` are the ids of those that move into it."""

    label: ClusterLabel
    summary: ClusterSummary | None = None
    icon: ClusterIcon | None = None
    issues: IssueIds | None = None


class IssuesClusterUpdate(Body):
    """Changes of a cluster. A closed one keeps its issues and takes no new ones."""

    nullable: ClassVar[tuple[str, ...]] = ("icon",)

    label: ClusterLabel | None = None
    summary: ClusterSummary | None = None
    icon: ClusterIcon | None = None
    closed: bool | None = None


class ClusterJoin(Body):
    """The ids of the clusters that end in another one."""

    clusters: Annotated[list[str], Field(min_length=1, max_length=50)]

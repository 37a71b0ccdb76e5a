"""Clusters of issues: what people struggle with most."""

from typing import Literal

from pydantic import ConfigDict, Field

from copydesk.contract.models.base import Always, Count, Open, Real, Resource, Shape
from copydesk.contract.models.parts import Timestamp, Urls


class ClusterStats(Shape):
    """How many issues a cluster holds, from how many conversations.

    Services count tasks as well (``tasksTotal`` and others): those are kept as they are named.
    """

    model_config = ConfigDict(extra="allow")

    issues: Count = 0
    conversations: Count = 0

    @property
    def tasks(self) -> dict[str, float]:
        """The counts of tasks by kind: "total"."""
        return {
            name.removeprefix("tasks").lower() or "all": value
            for name, value in (self.model_extra or {}).items()
            if name.startswith("tasks") and type(value) in (int, float)
        }


class IssuesCluster(Resource):
    """Issues about one thing.

    ``weekly_pulse`` counts issues in each of the past 13 weeks, the latest last; ``sources``
    counts by the source of the conversation.
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
    urls: Urls = Field(default_factory=Urls)

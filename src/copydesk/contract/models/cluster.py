"""Clusters of issues: what people struggle with most."""

from typing import Literal

from pydantic import Field

from copydesk.contract.models.base import Count, Open, Real, Resource, Shape
from copydesk.contract.models.parts import Timestamp, Urls


class ClusterStats(Shape):
    """How many issues a cluster holds, from how many conversations."""

    issues: Count = 0
    conversations: Count = 0


class IssuesCluster(Resource):
    """Issues about one thing.

    ``weekly_pulse`` counts issues in each of the past 13 weeks, the latest last; ``sources``
    counts by the source of the conversation.
    """

    object: Open[Literal["issues-cluster"]] = "issues-cluster"
    id: str
    label: str = ""
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None
    icon: str | None = None
    summary: str | None = None
    weekly_pulse: list[Count | Real] = []
    sources: dict[str, Count | Real] = {}
    stats: ClusterStats = Field(default_factory=ClusterStats)
    urls: Urls = Field(default_factory=Urls)

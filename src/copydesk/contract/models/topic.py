"""Topics of a site: what its questions, records and findings are about."""

from typing import Literal

from pydantic import Field

from copydesk.contract.models.base import (
    Always,
    Body,
    Count,
    Open,
    Resource,
    Shape,
    Timestamp,
    Urls,
)
from copydesk.contract.models.document import Document
from copydesk.contract.models.question import QuestionStats


class TopicParent(Shape):
    """The topic above another."""

    id: str
    label: str = ""


class TopicUsage(Shape):
    """What a topic is used for: whether change requests are begun for its findings."""

    change_requests: bool = False


class TopicFindings(Shape):
    """How many findings a topic has, and how many of them are open."""

    open: Count = 0
    total: Count = 0


class SiteTopic(Resource):
    """A topic with the numbers of its findings and questions."""

    object: Open[Literal["context-topic"]] = "context-topic"
    id: str
    label: str = ""
    parent: TopicParent | None = None
    created_at: Always[Timestamp] = None
    updated_at: Always[Timestamp] = None
    icon: str = ""
    summary: Always[Document] = None
    usage_settings: TopicUsage = Field(default_factory=TopicUsage)
    pages: Count = 0
    records: Count = 0
    findings: TopicFindings = Field(default_factory=TopicFindings)
    questions: QuestionStats = Field(default_factory=QuestionStats)
    urls: Urls = Field(default_factory=Urls)


class TopicUsageUpdate(Body):
    """What a topic shall be used for."""

    change_requests: bool


class SiteTopicUpdate(Body):
    """Changes of a topic."""

    usage_settings: TopicUsageUpdate

"""Findings of a site: what its content gets wrong, or lacks, and who noticed."""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.enumerations import (
    FindingSeverity,
    FindingStatus,
    FindingType,
    OutboundLinkFailure,
    OutboundLinkStatus,
    PageType,
)
from copydesk.contract.models.base import (
    Always,
    Body,
    Count,
    KeepsNull,
    Open,
    Real,
    Resource,
    Shape,
    Timestamp,
    Urls,
)
from copydesk.contract.models.document import Document

TriageSource: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^(?:questions|connection:.+)$")
]
"""What findings are from: ``questions``, or the records of a ``connection:NAME``."""


class BrokenLinkPath(Shape):
    """The path in a space that a broken link could lead to."""

    kind: Open[Literal["path"]] = "path"
    space_id: str
    path: str


class BrokenLinkAction(Shape):
    """The redirect that would mend a broken link."""

    source: str
    capture_wildcard: bool = False
    destination: BrokenLinkPath


class OutboundLink(Shape):
    """The outside address that a finding is about, and its last check."""

    url: str
    status: Open[OutboundLinkStatus] = "pending"
    failure_kind: Open[OutboundLinkFailure] | None = None
    http_status: Count | None = None
    checked_at: Timestamp | None = None


class SiteFinding(Resource, KeepsNull):
    """A finding, with how many pages it is about and how many records and questions tell of it.

    ``scan`` is what found it, ``topic`` the id of what it is about, None for none.
    """

    nullable: ClassVar[tuple[str, ...]] = ("topic",)

    object: Open[Literal["site-finding"]] = "site-finding"
    id: str
    scan: Always[str] = None
    topic: Always[str] = None
    title: str = ""
    change_requests: Count = 0
    pages: Count = 0
    records: Count = 0
    questions: Count = 0
    status: Open[FindingStatus] = "candidate"
    type: Open[FindingType] = "other"
    severity: Open[FindingSeverity] = "low"
    description: Always[Document] = None
    auto_fixable: bool = False
    broken_link_action: BrokenLinkAction | None = None
    outbound_link: OutboundLink | None = None
    created_at: Always[Timestamp] = None
    updated_at: Always[Timestamp] = None
    urls: Urls = Field(default_factory=Urls)


class SiteFindingUpdate(Body):
    """Changes of a finding."""

    status: FindingStatus


class FindingPagePart(Shape):
    """The page that a finding is about."""

    id: str
    type: Open[PageType] = "document"
    title: str = ""
    path: str | None = None


class SiteFindingPage(Resource):
    """A page that a finding is about, with its space."""

    object: Open[Literal["site-finding-page"]] = "site-finding-page"
    space_id: str
    page: FindingPagePart


class FindingStatusCounts(Shape):
    """How many findings have each status; candidates are in none."""

    open: Count = 0
    done: Count = 0
    canceled: Count = 0


class FindingSeverityCounts(Shape):
    """How many findings there are of each severity."""

    low: Count = 0
    medium: Count = 0
    high: Count = 0


class SiteFindingStats(Shape):
    """The numbers of a site's findings; ``connectors`` counts them by what brought records."""

    total: Count = 0
    statuses: FindingStatusCounts = Field(default_factory=FindingStatusCounts)
    severities: FindingSeverityCounts = Field(default_factory=FindingSeverityCounts)
    connectors: dict[str, Count | Real] = {}
    questions: Count = 0
    merged_change_requests: Count = 0

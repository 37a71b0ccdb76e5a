"""Links out of pages, and backlinks to pages and files."""

from typing import Literal

from pydantic import Field

from copydesk.contract.enumerations import LinkStatus
from copydesk.contract.models.base import Count, Open, Page, Shape
from copydesk.contract.models.content import ContentPage, File
from copydesk.contract.models.organization import Organization
from copydesk.contract.models.parts import ContentReference
from copydesk.contract.models.space import Space


class Link(Shape):
    """A link, where it leads and where it stands."""

    status: Open[LinkStatus] = "ok"
    relation: Open[Literal["reference"]] | None = None
    target_reference: ContentReference | None = None
    location_references: list[ContentReference] = []


class BrokenStats(Shape):
    """How many links are broken, in all and because of the change request."""

    total: Count = 0
    change_request: Count = 0


class LinkStats(Shape):
    """How many links there are, and how many of them are broken."""

    total: Count = 0
    broken: BrokenStats = Field(default_factory=BrokenStats)


class Links(Page[Link]):
    """A page of a list of links, with the numbers of the whole list."""

    stats: LinkStats = Field(default_factory=LinkStats)


class VersionContext(Shape):
    """The version of a space that a backlink was found in."""

    type: Open[Literal["revision"]] = "revision"
    revision: str | None = None


class Backlink(Shape):
    """Something that points here; ``kind`` says which of ``file`` and ``page`` it is."""

    kind: Open[Literal["file", "page"]]
    organization: Organization | None = None
    space: Space | None = None
    version_context: VersionContext | None = None
    file: File | None = None
    page: ContentPage | None = None

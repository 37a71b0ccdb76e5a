"""Links out of pages, and backlinks to pages and files."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from copydesk.contract.enumerations import LinkStatus
from copydesk.contract.models.base import Always, ContentReference, Count, Open, Page, Shape, id_of
from copydesk.contract.models.content import ContentPage, File
from copydesk.contract.models.organization import Organization
from copydesk.contract.models.space import Space


class FileTarget(Shape):
    """A file that a link leads to, as a service gives it: whole, with all that it is in."""

    kind: Open[Literal["file"]] = "file"
    file: File
    space: Space
    organization: Organization


class Link(Shape):
    """A link, where it leads and where it stands. Who reads takes ``target``."""

    status: Open[LinkStatus] = "ok"
    relation: Always[Open[Literal["reference"]]] = None
    # What is read becomes the first, which needs no more than ids.
    target_reference: Always[ContentReference | FileTarget] = Field(
        default=None, union_mode="left_to_right"
    )
    location_references: list[ContentReference] = []

    @property
    def target(self) -> ContentReference | None:
        """Where it leads, by ids."""
        target = self.target_reference
        if isinstance(target, FileTarget):
            return ContentReference(kind="file", file=target.file.id, space=target.space.id)
        return target


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
    revision: Always[Annotated[str, BeforeValidator(id_of)]] = None


class Backlink(Shape):
    """Something that points here; ``kind`` says which of ``file`` and ``page`` it is."""

    kind: Open[Literal["file", "page"]]
    organization: Always[Organization] = None
    space: Always[Space] = None
    version_context: VersionContext | None = None
    file: File | None = None
    page: ContentPage | None = None

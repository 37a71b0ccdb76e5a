"""Sections of a site: tabs, each with one or more variants."""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.models.base import Body, Icon, Open, Resource, SomeUrls
from copydesk.contract.models.position import SiteSectionPosition
from copydesk.contract.models.site_space import Condition, SiteSpace

SectionTitle: TypeAlias = Annotated[str, StringConstraints(min_length=2, max_length=128)]
"""2 to 128 characters."""

SectionDescription: TypeAlias = Annotated[str, StringConstraints(max_length=256)]
"""At most 256 characters."""


class SiteSection(Resource):
    """A section of a site; ``condition`` decides who sees it. Readers do not get a draft."""

    object: Open[Literal["site-section"]] = "site-section"
    id: str
    title: str = ""
    description: str | None = None
    default: bool = False
    draft: bool = False
    path: str = ""
    condition: str | None = None
    section_group: str | None = None
    site_spaces: list[SiteSpace] = []
    urls: SomeUrls = Field(default_factory=SomeUrls)
    icon: str | None = None


class SiteSectionCreate(Body):
    """A new section; the space becomes its first variant."""

    nullable: ClassVar[tuple[str, ...]] = ("title", "icon")

    space_id: str
    title: SectionTitle | None = None
    icon: Icon | None = None


class SiteSectionUpdate(Body):
    """Changes of a section; a ``condition`` of None shows it to everyone."""

    nullable: ClassVar[tuple[str, ...]] = ("condition", "icon", "description")

    title: SectionTitle | None = None
    path: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = None
    default_site_space: str | None = None
    condition: Condition | None = None
    icon: Icon | None = None
    description: SectionDescription | None = None


class SiteSectionMove(Body):
    """Where a section goes."""

    position: SiteSectionPosition

"""Published sites, their adaptive content, and how they look to a reader."""

import re
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import BeforeValidator, Discriminator, Field, StringConstraints, Tag

from copydesk.contract.enumerations import AgentsContext, DefaultLevel, SiteType, SiteVisibility
from copydesk.contract.models.base import (
    Address,
    Always,
    Body,
    Count,
    Emoji,
    KeepsNull,
    Open,
    Resource,
    ResourceUrls,
    Shape,
    Timestamp,
)
from copydesk.contract.models.site_section import SiteSection
from copydesk.contract.models.site_space import SiteSpace

SiteTitle: TypeAlias = Annotated[str, StringConstraints(min_length=2, max_length=128)]
"""2 to 128 characters."""


class ThemedImage(Shape):
    """A picture for light and one for dark themes, by URL."""

    light: str | None = None
    dark: str | None = None


class SiteIcon(Shape):
    """The icon of a site: a picture, an icon by its name, an emoji (or its code), or none."""

    icon: ThemedImage | str | None = None
    emoji: Emoji | None = None


def _bare(address: Any) -> Any:
    # As a request has it: some answers begin it with https://.
    return re.sub(r"^https?://", "", address).rstrip("/") if isinstance(address, str) else address


class SiteProxy(Shape):
    """An address of one's own that a site is shown under.

    ``origin`` is that address, a host and a path, where readers find the site and which requests
    set; ``target`` is where it passes requests on to: the site's address at the service.
    """

    origin: Always[Annotated[str, BeforeValidator(_bare)]] = None
    target: Always[str] = None


class AdaptiveContent(Shape):
    """Whether a site shows visitors different things."""

    enabled: bool = False


class SiteAds(Shape):
    """Whether a site shows advertisements."""

    status: str | None = None
    submittable: bool = False


class SiteFeature(Shape):
    """Something that a site can do, and the plan that it needs."""

    id: str
    plan: Open[SiteType] | None = None
    frozen: bool = False
    customizations: list[str] = []


class SitePermissions(Shape):
    """What the caller may do in a site."""

    view: bool = False
    access: bool = False
    edit: bool = False
    create: bool = False
    admin: bool = False
    install_integration: bool = False
    view_adaptive_schema: bool = False
    edit_adaptive_schema: bool = False


class SiteUrls(ResourceUrls):
    """The addresses of a site: also where it is looked at before it is published."""

    preview: Always[Address] = None


class Site(Resource, KeepsNull):
    """A published site. ``site_spaces`` is a count; ``applied_type`` is the type that holds now."""

    nullable: ClassVar[tuple[str, ...]] = ("default_level",)

    object: Open[Literal["site"]] = "site"
    id: str
    type: Open[SiteType] = "basic"
    applied_type: Always[Open[SiteType]] = None
    title: str = ""
    icon: SiteIcon | str | None = None
    hostname: str | None = None
    basename: str | None = None
    proxy: SiteProxy | None = None
    visibility: Open[SiteVisibility] = "public"
    default_level: Always[Open[DefaultLevel]] = None
    permissions: Always[SitePermissions] = None
    published: bool = False
    site_spaces: Count = 0
    created_at: Always[Timestamp] = None
    adaptive_content: AdaptiveContent | None = None
    ads: SiteAds | None = None
    agents_context: Always[Open[AgentsContext]] = None
    features: list[SiteFeature] = []
    urls: SiteUrls = Field(default_factory=SiteUrls)


class SiteCreate(Body):
    """A new site, not published; ``spaces`` are the ids of spaces to add."""

    type: SiteType | None = None
    title: SiteTitle | None = None
    visibility: SiteVisibility | None = None
    spaces: list[str] | None = None


class AdaptiveContentWrite(Body):
    """Whether a site shall show visitors different things."""

    enabled: bool


class SiteUpdate(Body):
    """Changes of a site; a ``proxy`` is the origin of one, None removes it."""

    nullable: ClassVar[tuple[str, ...]] = ("proxy",)

    title: SiteTitle | None = None
    visibility: SiteVisibility | None = None
    basename: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = None
    adaptive_content: AdaptiveContentWrite | None = None
    agents_context: AgentsContext | None = None
    default_site_space: str | None = None
    default_site_section: str | None = None
    proxy: (
        Annotated[
            str,
            StringConstraints(max_length=512, pattern=r"^[A-Za-z0-9][A-Za-z0-9.\-]*(/[^/\s]+)+$"),
        ]
        | None
    ) = None


class AdaptiveSchema(Resource):
    """The visitor attributes that a site knows, as a JSON Schema (draft 07)."""

    object: Open[Literal["site-adaptive-schema"]] = "site-adaptive-schema"
    json_schema: dict[str, Any] = {}
    updated_at: Timestamp | None = None


class AdaptiveSchemaUpdate(Body):
    """The new JSON Schema (draft 07) of a site's visitor attributes."""

    json_schema: dict[str, Any]


class TemplateCondition(Shape):
    """A ready-made condition."""

    description: str = ""
    condition: str = ""


class TemplateConditions(Shape):
    """The ready-made conditions of a site."""

    items: list[TemplateCondition] = []


class SectionsStructure(Shape):
    """A published site laid out in sections."""

    type: Literal["sections"]
    structure: list[SiteSection] = []


class SiteSpacesStructure(Shape):
    """A published site without sections."""

    type: Literal["siteSpaces"]
    structure: list[SiteSpace] = []


class UnknownStructure(Shape):
    """A published site laid out in a way unknown to this version."""

    type: Annotated[str, Field(json_schema_extra={"not": {"enum": ["sections", "siteSpaces"]}})]
    structure: list[Any] = []


def _laid_out(structure: Any) -> str:
    """Return in which of the ways known to this version a published site is laid out."""
    kind = getattr(structure, "type", None)
    if isinstance(structure, dict):
        kind = structure.get("type")
    return kind if kind in ("sections", "siteSpaces") else "unknown"


class PublishedSite(Resource):
    """A site as its readers get it."""

    object: Open[Literal["published-content-site"]] = "published-content-site"
    site: Site
    structure: Annotated[
        Annotated[SectionsStructure, Tag("sections")]
        | Annotated[SiteSpacesStructure, Tag("siteSpaces")]
        | Annotated[UnknownStructure, Tag("unknown")],
        Discriminator(_laid_out),
    ]

"""Published sites, their adaptive content, and how they look to a reader."""

from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.enumerations import AgentsContext, SiteType, SiteVisibility
from copydesk.contract.models.base import Body, Count, KeepsNull, Open, Resource, Shape
from copydesk.contract.models.parts import Timestamp, Urls
from copydesk.contract.models.site_section import SiteSection
from copydesk.contract.models.site_space import SiteSpace

SiteTitle: TypeAlias = Annotated[str, StringConstraints(min_length=2, max_length=128)]
"""2 to 128 characters."""


class ThemedImage(Shape):
    """A picture for light and one for dark themes, by URL."""

    light: str | None = None
    dark: str | None = None


class SiteIcon(Shape):
    """The icon of a site."""

    icon: ThemedImage


class SiteProxy(Shape):
    """The address of one's own that a site is shown under."""

    origin: str | None = None
    target: str | None = None


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


class Site(Resource, KeepsNull):
    """A published site. ``site_spaces`` is a count."""

    nullable: ClassVar[tuple[str, ...]] = ("icon",)

    object: Open[Literal["site"]] = "site"
    id: str
    type: Open[SiteType] = "basic"
    title: str = ""
    icon: SiteIcon | str | None = None
    hostname: str | None = None
    basename: str | None = None
    proxy: SiteProxy | None = None
    visibility: Open[SiteVisibility] = "public"
    published: bool = False
    site_spaces: Count = 0
    created_at: Timestamp | None = None
    adaptive_content: AdaptiveContent | None = None
    ads: SiteAds | None = None
    agents_context: Open[AgentsContext] | None = None
    features: list[SiteFeature] = []
    urls: Urls = Field(default_factory=Urls)


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
    """Changes of a site; a ``proxy`` is a host and a path, None removes it."""

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

    type: str
    structure: list[Any] = []


class PublishedSite(Resource):
    """A site as its readers get it."""

    object: Open[Literal["published-content-site"]] = "published-content-site"
    site: Site
    structure: Annotated[
        SectionsStructure | SiteSpacesStructure | UnknownStructure,
        Field(union_mode="left_to_right"),
    ]

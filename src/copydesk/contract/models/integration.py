"""Integrations, where they are installed, and the events that they got."""

from typing import Any, Literal

from pydantic import ConfigDict, Field

from copydesk.contract.enumerations import (
    EventStatus,
    InstallationSelection,
    InstallationStatus,
    IntegrationCategory,
    IntegrationRuntime,
    IntegrationTarget,
    IntegrationVisibility,
    LogLevel,
)
from copydesk.contract.models.base import (
    Address,
    Always,
    Body,
    Count,
    Few,
    FewByName,
    Open,
    Resource,
    ResourceUrls,
    Shape,
    Timestamp,
    Urls,
    WebAddress,
)
from copydesk.contract.models.organization import Organization
from copydesk.contract.models.site import Site
from copydesk.contract.models.space import Space

EXTERNAL_IDS = 5
"""How many external ids an installation has at most."""


class _Declared(Shape):
    """A part that an integration's author declares: read and published alike, and kept whole."""

    model_config = ConfigDict(extra="allow")


class BlockMarkdown(_Declared):
    """How a block is written in Markdown."""

    codeblock: str | None = None
    body: str | None = None


class IntegrationBlock(_Declared):
    """A block that an integration adds to pages."""

    id: str
    title: str | None = None
    description: str | None = None
    icon: str | None = None
    url_unfurl: Few[str] | None = None
    markdown: BlockMarkdown | None = None


class ContentSource(_Declared):
    """Something that an integration can make pages from."""

    id: str
    title: str | None = None
    description: str | None = None
    icon: str | None = None
    configuration: FewByName[Any] | None = None


class ConfigurationProperty(_Declared):
    """One thing that an installation is asked for."""

    type: str | None = None
    title: str | None = None
    description: str | None = None
    default: Any = None
    completion_url: str | None = Field(default=None, alias="completion_url")
    enum: Few[str] | None = None


class Configuration(_Declared):
    """What an installation is asked for at one level."""

    properties: FewByName[ConfigurationProperty] = {}
    required: Few[str] = []


class Configurations(_Declared):
    """What an installation is asked for, by level."""

    account: Configuration | None = None
    space: Configuration | None = None
    site: Configuration | None = None


class ExternalLink(_Declared):
    """A link that an integration shows."""

    url: Always[str] = None
    label: Always[str] = None


class ExternalLinkPublish(ExternalLink):
    """The same as it is published: every answer has both."""

    url: str
    label: str


class IntegrationPermissions(Shape):
    """What the caller may do with an integration."""

    admin: bool = False


class InstallationUrls(ResourceUrls):
    """The addresses of an integration where it is installed, and where it answers itself."""

    public_endpoint: Always[Address] = None
    public_content_endpoint: Always[Address] = None


class IntegrationUrls(InstallationUrls):
    """The addresses of an integration: of its pictures too."""

    assets: Always[Address] = None


class Integration(Resource):
    """A published integration."""

    object: Open[Literal["integration"]] = "integration"
    name: str
    version: Count = 0
    title: str = ""
    description: str | None = None
    summary: str | None = None
    preview_images: list[str] = []
    target: Open[IntegrationTarget] = "all"
    verified: bool = False
    visibility: Open[IntegrationVisibility] = "public"
    scopes: list[str] = []
    categories: list[Open[IntegrationCategory]] = []
    blocks: list[IntegrationBlock] | None = None
    content_sources: list[ContentSource] | None = None
    configurations: Configurations | None = None
    external_links: list[ExternalLink] = []
    owner: Always[Organization] = None
    urls: IntegrationUrls = Field(default_factory=IntegrationUrls)
    permissions: Always[IntegrationPermissions] = None
    content_security_policy: str | dict[str, Any] | None = None


class IntegrationPublish(Body):
    """An integration to publish or its new version; pictures are base64, ``script`` its code."""

    runtime: IntegrationRuntime | None = Field(
        default=None, description="What the script is written for; v1 when nothing is said."
    )
    icon: str | None = Field(default=None, description="The picture of the integration, in base64.")
    title: str | None = Field(default=None, description="Its name in lists.")
    description: str | None = Field(default=None, description="What it does, in a sentence.")
    summary: str | None = Field(
        default=None, description="What there is to know about it, as long as it takes: Markdown."
    )
    preview_images: Few[str] | None = Field(
        default=None, description="Pictures of it at work, each in base64."
    )
    visibility: IntegrationVisibility | None = Field(
        default=None, description="Found by everyone, its owner only, or who knows its name."
    )
    target: IntegrationTarget | None = Field(
        default=None, description="Where it can be installed; everywhere when nothing is said."
    )
    scopes: Few[str] | None = Field(
        default=None, description="What it may do where it is installed, as space:content:read."
    )
    categories: Few[IntegrationCategory] | None = Field(
        default=None, description="What it is for: the headings that it is under."
    )
    blocks: Few[IntegrationBlock] | None = Field(
        default=None,
        description="Blocks that it adds to pages: id, title, description, icon, urlUnfurl, "
        "markdown.",
    )
    content_sources: Few[ContentSource] | None = Field(
        default=None,
        description="What it can make pages from: id, title, description, icon, configuration.",
    )
    external_links: Few[ExternalLinkPublish] | None = Field(
        default=None, description="Links that are shown with it: url and label of each."
    )
    configurations: Configurations | None = Field(
        default=None,
        description="What it asks for when it is installed: properties and those required, "
        "for account, space and site.",
    )
    script: str | None = Field(default=None, description="Its code.")
    organization: str | None = Field(
        default=None, description="The organization that owns it, by its id or its subdomain."
    )
    secrets: FewByName[str] | None = Field(
        default=None, description="Texts that its script needs and no one is shown, by name."
    )
    content_security_policy: str | None = Field(
        default=None,
        description="The policy that goes as a header with what its script and blocks answer.",
    )


class InstallationTarget(Shape):
    """Where an integration is installed."""

    organization: Always[str] = None


class PlaceUrls(Urls):
    """The addresses of an integration on a space or a site."""

    public_endpoint: Always[Address] = None
    public_content_endpoint: Always[Address] = None


class Installation(Shape):
    """An integration in an organization; ``spaces`` is a count."""

    id: str
    status: Open[InstallationStatus] = "active"
    # The document writes these two with an underscore.
    space_selection: Always[Open[InstallationSelection]] = Field(
        default=None, alias="space_selection"
    )
    site_selection: Always[Open[InstallationSelection]] = Field(
        default=None, alias="site_selection"
    )
    spaces: Count = 0
    configuration: dict[str, Any] = {}
    created_at: Always[Timestamp] = None
    updated_at: Always[Timestamp] = None
    urls: InstallationUrls = Field(default_factory=InstallationUrls)
    external_ids: list[str] = []
    target: Always[InstallationTarget] = None


class InstallationCreate(Body):
    """The organization to install an integration in."""

    organization: str = Field(description="The organization that it is installed in, by its id.")


class InstallationUpdate(Body):
    """What to change of an installation; ``configuration`` takes the place of the former one."""

    space_selection: InstallationSelection | None = Field(
        default=None,
        alias="space_selection",
        description="Works on all spaces, new ones too, or on those that were chosen.",
    )
    site_selection: InstallationSelection | None = Field(
        default=None,
        alias="site_selection",
        description="Works on all sites, new ones too, or on those that were chosen.",
    )
    external_ids: list[str] | None = Field(
        default=None,
        max_length=EXTERNAL_IDS,
        description="Its name where it comes from; the integration finds it by these.",
    )
    configuration: FewByName[Any] | None = Field(
        default=None, description="What it was asked for when it was installed."
    )


class OrganizationInstallation(Shape):
    """An integration that an organization has, and how it is installed there."""

    installation: Installation
    integration: Integration


class _PlaceInstallation(Shape):
    integration: str = ""
    installation: str = ""
    status: Open[InstallationStatus] = "active"
    configuration: dict[str, Any] = {}
    external_ids: list[str] = []
    urls: PlaceUrls = Field(default_factory=PlaceUrls)


class SpaceInstallation(_PlaceInstallation):
    """An integration in a space; the space itself when it was asked for, else its id."""

    space: Space | str


class SiteInstallation(_PlaceInstallation):
    """An integration on a site; the site itself when it was asked for, else its id."""

    site: Site | str


class PreviousInstallation(Shape):
    """How an installation was before an event."""

    status: str | None = None
    configuration: dict[str, Any] | None = None


class EventPayload(Shape):
    """What happened. Events of other types carry more, which is kept."""

    model_config = ConfigDict(extra="allow")

    event_id: str | None = None
    type: Always[Open[Literal["installation_setup"]]] = None
    installation_id: str | None = None
    status: str | None = None
    previous: PreviousInstallation | None = None


class IntegrationEvent(Shape):
    """Something that an integration was told."""

    id: str
    integration_id: Always[str] = None
    installation_id: str | None = None
    created_at: Always[Timestamp] = None
    payload: Always[EventPayload] = None
    status: Always[Open[EventStatus]] = None


class EventLog(Shape):
    """A line that an integration wrote while it handled an event."""

    message: str = ""
    timestamp: Always[Timestamp] = None
    level: Open[LogLevel] = "info"


class EventTrace(Shape):
    """What an integration wrote while it handled an event."""

    logs: list[EventLog] = []


class IntegrationEventDetail(Shape):
    """An event with its trace."""

    event: IntegrationEvent
    trace: EventTrace | None = None


class IntegrationDevMode(Body):
    """Where events go while an integration is being written.

    ``all`` sends every organization's events there, not only those of the owning one.
    """

    tunnel_url: WebAddress = Field(description="Where its events go while it is being written.")
    all: bool = Field(
        default=False, description="Every organization's events go there, not only its owner's."
    )

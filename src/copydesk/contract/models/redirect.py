"""Redirects of a site: where an address that is gone, or short, leads."""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.models.base import Always, Body, Open, Resource, Shape, Timestamp, WebAddress

SOURCE_LIMIT = 512
"""Characters of a source path."""

SOURCE_PATTERN = (
    r"^/(?:[A-Za-z0-9\-._~+]|%[0-9A-Fa-f]{2})+"
    r"(?:/(?:[A-Za-z0-9\-._~+]|%[0-9A-Fa-f]{2})+)*(?:/\*|\*)?$"
)
"""A path without empty parts; the last may be, or end in, ``*``."""

BULK_LIMIT = 500
"""How many redirects go with one request at most."""

SourcePath: TypeAlias = Annotated[
    str, StringConstraints(max_length=SOURCE_LIMIT, pattern=SOURCE_PATTERN)
]
"""A path on a site, at most 512 characters; with ``*`` at its end it stands for what goes on."""


class RedirectDestination(Shape):
    """Where a redirect leads: a section, a site space or a page of the site, or an address."""

    kind: Open[Literal["site-section", "site-space", "site-page", "external"]]
    site_section_id: str | None = None
    site_space_id: str | None = None
    page_id: str | None = None
    url: str | None = None


class SiteRedirect(Resource):
    """A redirect of a site.

    A draft is without effect. ``capture_wildcard`` hangs what stands for the ``*`` of the source
    onto the destination.
    """

    object: Open[Literal["site-redirect"]] = "site-redirect"
    id: str
    source: str
    draft: bool = False
    capture_wildcard: bool = False
    permanent: bool = False
    destination: RedirectDestination
    created_at: Always[Timestamp] = None
    updated_at: Timestamp | None = None


class FoundRedirect(Shape):
    """What holds for a path: the redirect, and the address that it leads to."""

    redirect: SiteRedirect
    target: str


class ToSection(Body):
    """To a section of the site."""

    kind: Literal["site-section"]
    site_section_id: str


class ToSiteSpace(Body):
    """To a space that the site shows."""

    kind: Literal["site-space"]
    site_space_id: str


class ToPage(Body):
    """To a page of a space that the site shows."""

    kind: Literal["site-page"]
    site_space_id: str
    page_id: str


class ToAddress(Body):
    """To an address of the web."""

    kind: Literal["external"]
    url: WebAddress


class ToPath(Body):
    """To the page that has a path in a space of the site; it stays the page's when that moves."""

    kind: Literal["path"]
    space_id: str
    path: str


RedirectDestinationWrite: TypeAlias = Annotated[
    ToSection | ToSiteSpace | ToPage | ToAddress, Field(discriminator="kind")
]
"""Where a redirect leads, in a request."""

NewRedirectDestination: TypeAlias = Annotated[
    ToSection | ToSiteSpace | ToPage | ToAddress | ToPath, Field(discriminator="kind")
]
"""Where a new redirect leads: also the path of a page."""


class SiteRedirectCreate(Body):
    """A new redirect."""

    source: SourcePath
    capture_wildcard: bool = False
    draft: bool = False
    permanent: bool = False
    destination: NewRedirectDestination


class SiteRedirectUpdate(Body):
    """Changes of a redirect."""

    source: SourcePath | None = None
    capture_wildcard: bool | None = None
    draft: bool | None = None
    permanent: bool | None = None
    destination: RedirectDestinationWrite | None = None


class RedirectPublish(Body):
    """A draft that goes live, in place of the redirect that the path has."""

    source: SourcePath
    intent: Literal["publish"]


class RedirectUpsert(Body):
    """The redirect that a path shall have; a destination of None removes it."""

    nullable: ClassVar[tuple[str, ...]] = ("destination",)

    source: SourcePath
    intent: Literal["live", "draft"] = "live"
    capture_wildcard: bool = False
    permanent: bool | None = None
    destination: NewRedirectDestination | None


class SiteRedirectsPut(Body):
    """What up to 500 paths shall lead to."""

    redirects: Annotated[
        list[RedirectPublish | RedirectUpsert], Field(min_length=1, max_length=BULK_LIMIT)
    ]


class RedirectResult(Shape):
    """What became of one of them; ``error`` says why nothing did."""

    status: Open[Literal["created", "updated", "deleted", "published", "error"]]
    source: str
    draft: bool = False
    id: str | None = None
    error: str | None = None


class RedirectResults(Shape):
    """What became of each, in the order of the request."""

    results: list[RedirectResult] = []

"""Searching a space, a site or an organization: queries and results."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.models.base import Address, Always, Body, Count, Open, Real, Shape, ShownUrls

SearchText: TypeAlias = Annotated[str, StringConstraints(max_length=512)]
"""What to look for, at most 512 characters."""


class SearchSection(Shape):
    """A section of a page that was found; ``body`` is an excerpt."""

    id: str
    title: str = ""
    path: str = ""
    score: Always[Real] = None
    result_type: Open[Literal["page", "section"]] | None = None
    body: Always[str] = None
    urls: ShownUrls = Field(default_factory=ShownUrls)


class SearchAncestor(Shape):
    """A page above one that was found."""

    title: str = ""


class SpaceSearchItem(Shape):
    """A page that was found, the best of its space with ``rank`` 1."""

    id: str
    title: str = ""
    description: Always[str] = None
    path: str = ""
    score: Always[Real] = None
    rank: Always[Count] = None
    result_type: Open[Literal["page", "section"]] | None = None
    sections: list[SearchSection] = []
    ancestors: list[SearchAncestor] = []
    urls: ShownUrls = Field(default_factory=ShownUrls)


class OrganizationSearchItem(Shape):
    """What was found: a space with its ``pages``, or in a site also a record with its ``url``.

    A ``score`` is higher the better it fits.
    """

    type: Open[Literal["space", "record"]] = "space"
    id: str
    title: str = ""
    score: Always[Real] = None
    pages: list[SpaceSearchItem] = []
    description: str | None = None
    url: Address | None = None


SiteSpaceIds: TypeAlias = Annotated[list[str], Field(min_length=1)]


class DefaultScope(Body):
    """The default space of each section, or of ``current_site_space``'s its own variant.

    ``restrict_to`` leaves that one or all others.
    """

    mode: Literal["default"]
    current_site_space: str | None = None
    restrict_to: Literal["currentSiteSpace", "otherSiteSpaces"] | None = None


class SpecificScope(Body):
    """Some spaces of the site."""

    mode: Literal["specific"]
    site_space_ids: SiteSpaceIds


class AllScope(Body):
    """Every space of the site."""

    mode: Literal["all"]


SearchScope: TypeAlias = Annotated[
    DefaultScope | SpecificScope | AllScope, Field(discriminator="mode")
]
"""Where in a site is searched."""


class SiteSearch(Body):
    """What is searched for in a site, and where.

    Where is said in one of two ways: by ``scope``, or by ``mode`` with ``site_space_ids``
    (``specific``, also without a mode), with ``site_space_id`` (``current``), or alone (``all``).
    """

    query: SearchText
    scope: SearchScope | None = None
    mode: Literal["specific", "current", "all"] | None = None
    site_space_ids: SiteSpaceIds | None = None
    site_space_id: str | None = None

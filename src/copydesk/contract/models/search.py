"""Results of searching a space or an organization."""

from pydantic import Field

from copydesk.contract.models.base import Always, Shape
from copydesk.contract.models.parts import ShownUrls


class SearchSection(Shape):
    """A section of a page that was found; ``body`` is an excerpt."""

    id: str
    title: str = ""
    path: str = ""
    body: Always[str] = None
    urls: ShownUrls = Field(default_factory=ShownUrls)


class SearchAncestor(Shape):
    """A page above one that was found."""

    title: str = ""


class SpaceSearchItem(Shape):
    """A page that was found."""

    id: str
    title: str = ""
    path: str = ""
    sections: list[SearchSection] = []
    ancestors: list[SearchAncestor] = []
    urls: ShownUrls = Field(default_factory=ShownUrls)


class OrganizationSearchItem(Shape):
    """A space with the pages that were found in it."""

    id: str
    title: str = ""
    pages: list[SpaceSearchItem] = []

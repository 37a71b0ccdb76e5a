"""Positions in requests that move something: before or after a sibling."""

from typing import Literal, Self

from pydantic import ConfigDict, model_validator

from copydesk.contract.models.base import Body
from copydesk.contract.models.parts import Tagged


class SpaceAnchor(Tagged, Body):
    """The space that something moves next to."""

    type: Literal["space"] = "space"
    space: str


class CollectionAnchor(Tagged, Body):
    """The collection that something moves next to."""

    type: Literal["collection"] = "collection"
    collection: str


class SiteSectionAnchor(Tagged, Body):
    """The site section that another one moves next to."""

    type: Literal["site-section"] = "site-section"
    site_section: str


class SiteSpaceAnchor(Tagged, Body):
    """The site space that another one moves next to."""

    type: Literal["site-space"] = "site-space"
    site_space: str


class _Position(Body):
    # The rule below in the words of JSON Schema.
    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["before"]}, {"required": ["after"]}]}
    )

    @model_validator(mode="after")
    def _one_side(self) -> Self:
        if (getattr(self, "before", None) is None) == (getattr(self, "after", None) is None):
            raise ValueError("a position is either before or after something")
        return self


class SpacePosition(_Position):
    """Before or after a space or a collection."""

    before: SpaceAnchor | CollectionAnchor | None = None
    after: SpaceAnchor | CollectionAnchor | None = None


class SiteSectionPosition(_Position):
    """Before or after a site section."""

    before: SiteSectionAnchor | None = None
    after: SiteSectionAnchor | None = None


class SiteSpacePosition(_Position):
    """Before or after a site space."""

    before: SiteSpaceAnchor | None = None
    after: SiteSpaceAnchor | None = None


class StructurePointer(Body):
    """What is moved, or what it goes next to."""

    type: Literal["site-space", "site-section", "site-section-group", "site-external-link"]
    id: str


class StructurePosition(_Position):
    """Before or after an entry of a structure."""

    before: StructurePointer | None = None
    after: StructurePointer | None = None

"""Positions in requests that move something: before or after a sibling."""

from typing import Generic, Literal, Self, TypeVar

from pydantic import ConfigDict, model_validator

from copydesk.contract.models.base import Body, Tagged


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


A = TypeVar("A")


class _Position(Body, Generic[A]):
    before: A | None = None
    after: A | None = None

    # The rule below in the words of JSON Schema.
    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["before"]}, {"required": ["after"]}]}
    )

    @model_validator(mode="after")
    def _one_side(self) -> Self:
        if (self.before is None) == (self.after is None):
            raise ValueError("a position is either before or after something")
        return self

    @property
    def anchor(self) -> A:
        """What it is next to."""
        anchor = self.before if self.after is None else self.after
        assert anchor is not None
        return anchor

    @property
    def is_after(self) -> bool:
        """Whether it is after that, and not before."""
        return self.after is not None


class SpacePosition(_Position[SpaceAnchor | CollectionAnchor]):
    """Before or after a space or a collection."""


class SiteSectionPosition(_Position[SiteSectionAnchor]):
    """Before or after a site section."""


class SiteSpacePosition(_Position[SiteSpaceAnchor]):
    """Before or after a site space."""


class StructurePointer(Body):
    """What is moved, or what it goes next to."""

    type: Literal["site-space", "site-section", "site-section-group", "site-external-link"]
    id: str


class StructurePosition(_Position[StructurePointer]):
    """Before or after an entry of a structure."""

"""Site spaces: spaces as variants of a site or of one of its sections."""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.models.base import Body, Open, Resource, SomeUrls
from copydesk.contract.models.position import SiteSpacePosition
from copydesk.contract.models.space import Space

Condition: TypeAlias = Annotated[str, StringConstraints(max_length=1024)]
"""An expression over visitor attributes, at most 1024 characters."""


class SiteSpace(Resource):
    """A space shown on a site; a hidden one is left out of the navigation.

    Readers do not get a draft.
    """

    object: Open[Literal["site-space"]] = "site-space"
    id: str
    path: str = ""
    section: str | None = None
    space: Space
    title: str = ""
    default: bool = False
    draft: bool = False
    condition: str | None = None
    has_advanced_customization_feature: bool = False
    urls: SomeUrls = Field(default_factory=SomeUrls)
    hidden: bool = False


class SiteSpaceCreate(Body):
    """A space to show; without ``section_id`` in the default section, or at the root."""

    space_id: str
    section_id: str | None = None


class SiteSpaceUpdate(Body):
    """Changes of a site space; a ``condition`` of None shows it to everyone."""

    nullable: ClassVar[tuple[str, ...]] = ("condition",)

    path: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = None
    condition: Condition | None = None
    space_id: str | None = None
    hidden: bool | None = None


class SiteSpaceMove(Body):
    """Where a site space goes."""

    position: SiteSpacePosition

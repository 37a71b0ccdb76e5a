"""Collections: folders of spaces."""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.enumerations import DefaultLevel
from copydesk.contract.models.base import (
    Always,
    Body,
    KeepsNull,
    Open,
    Resource,
    ResourceUrls,
    Shape,
)
from copydesk.contract.models.position import SpacePosition

CollectionTitle: TypeAlias = Annotated[str, StringConstraints(max_length=50)]
"""At most 50 characters."""


class CollectionPermissions(Shape):
    """What the caller may do with a collection."""

    view: bool = False
    admin: bool = False
    view_invite_links: bool = False
    create: bool = False


class Collection(Resource, KeepsNull):
    """A folder of spaces and collections; ``parent`` is absent at the root of the organization."""

    nullable: ClassVar[tuple[str, ...]] = ("default_level",)

    object: Open[Literal["collection"]] = "collection"
    id: str
    title: str = ""
    description: str | None = None
    organization: str = ""
    parent: str | None = None
    default_level: Always[Open[DefaultLevel]] = None
    urls: ResourceUrls = Field(default_factory=ResourceUrls)
    permissions: Always[CollectionPermissions] = None


class CollectionCreate(Body):
    """A new collection; without ``parent`` it is at the root of the organization."""

    title: CollectionTitle | None = None
    parent: str | None = None


class CollectionUpdate(Body):
    """Changes of a collection; a ``default_level`` of None takes everyone's role away."""

    nullable: ClassVar[tuple[str, ...]] = ("default_level",)

    title: CollectionTitle | None = None
    description: Annotated[str, StringConstraints(max_length=100)] | None = None
    default_level: DefaultLevel | None = None


class CollectionMove(Body):
    """Where a collection goes: into ``parent`` (None is the root), before or after a space."""

    nullable: ClassVar[tuple[str, ...]] = ("parent",)

    parent: str | None = None
    position: SpacePosition | None = None


class CollectionTransfer(Body):
    """The organization that a collection goes to."""

    organization: str

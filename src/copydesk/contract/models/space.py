"""Spaces: containers of content."""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.enumerations import DefaultLevel, EditMode, Language, SpaceVisibility
from copydesk.contract.models.base import (
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
from copydesk.contract.models.git_sync import GitSyncState
from copydesk.contract.models.merge_rules import MergeRules, MergeRulesWrite
from copydesk.contract.models.position import SpacePosition

SpaceTitle: TypeAlias = Annotated[str, StringConstraints(max_length=50)]
"""At most 50 characters."""


class VisitorAuth(Shape):
    """How visitors of a space prove who they are."""

    backend: Always[Open[Literal["custom"]]] = None


class SpacePermissions(Shape):
    """What the caller may do in a space."""

    view: bool = False
    access: bool = False
    admin: bool = False
    view_invite_links: bool = False
    edit: bool = False
    trigger_git_sync: bool = False
    comment: bool = False
    merge: bool = False
    review: bool = False
    install_integration: bool = False


class Space(Resource, KeepsNull):
    """A container of content.

    ``revision`` is the id of the active revision; ``comments`` and the three ``change_requests``
    are counts; a ``default_level`` of None gives nobody a role by default.
    """

    nullable: ClassVar[tuple[str, ...]] = ("default_level",)

    object: Open[Literal["space"]] = "space"
    id: str
    title: str = ""
    emoji: str = ""
    visibility: Open[SpaceVisibility] = "private"
    created_at: Timestamp
    updated_at: Timestamp
    deleted_at: Timestamp | None = None
    edit_mode: Open[EditMode] | None = None
    merge_rules: MergeRules = Field(default_factory=MergeRules)
    urls: ResourceUrls = Field(default_factory=ResourceUrls)
    organization: str = ""
    parent: str | None = None
    language: Open[Language] | None = None
    git_sync: GitSyncState | None = None
    visitor_auth: VisitorAuth | None = None
    revision: str = ""
    default_level: Always[Open[DefaultLevel]] = None
    comments: Count = 0
    change_requests: Count = 0
    change_requests_open: Count = 0
    change_requests_draft: Count = 0
    permissions: Always[SpacePermissions] = None


class SpaceCreate(Body):
    """A new, ``empty`` space (extension E3); without ``parent`` at the root of the organization."""

    title: SpaceTitle | None = None
    emoji: Emoji | None = None
    parent: str | None = None
    language: Language | None = None
    edit_mode: EditMode | None = None
    empty: bool | None = None


class SpaceUpdate(Body):
    """Changes of a space; a ``default_level`` of None takes everyone's role away."""

    nullable: ClassVar[tuple[str, ...]] = ("default_level", "emoji")

    edit_mode: EditMode | None = None
    title: SpaceTitle | None = None
    default_level: DefaultLevel | None = None
    language: Language | None = None
    merge_rules: MergeRulesWrite | None = None
    emoji: Emoji | None = None


class SpaceMove(Body):
    """Where a space goes: into ``parent`` (None is the root), before or after another space."""

    nullable: ClassVar[tuple[str, ...]] = ("parent",)

    parent: str | None = None
    position: SpacePosition | None = None


class SpaceTransfer(Body):
    """The organization that a space goes to."""

    organization: str

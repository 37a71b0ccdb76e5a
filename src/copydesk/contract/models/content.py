"""Content of a space: revisions, their page trees, pages and files."""

from typing import Any, Literal, TypeAlias

from pydantic import AliasChoices, Field

from copydesk.contract.enumerations import PageType, RevisionType
from copydesk.contract.models.base import (
    Always,
    Body,
    ContentReference,
    Count,
    Open,
    Real,
    Resource,
    Shape,
    ShownUrls,
    Timestamp,
    WrittenReference,
)
from copydesk.contract.models.change_request import ChangeRequest
from copydesk.contract.models.document import Document
from copydesk.contract.models.user import User

Variable: TypeAlias = str | bool | Count | Real
"""The value of a variable."""


class GitObject(Shape):
    """The file of a synchronized repository that something comes from."""

    oid: Always[str] = None
    path: Always[str] = None


class GitCommit(Shape):
    """The commit that a revision was made from, or that was made from it."""

    oid: Always[str] = None
    message: Always[str] = None
    created_by_service: Always[bool] = Field(
        default=None,
        # Public services use the second name (docs/api-notes.md, Fields).
        validation_alias=AliasChoices("createdByService", "createdByGitBook"),
        serialization_alias="createdByService",
    )
    url: str | None = None
    ref: str | None = None


class Dimensions(Shape):
    """The size of an image, in pixels."""

    width: Always[Real] = None
    height: Always[Real] = None


class File(Shape):
    """A file of a revision; ``size`` is in bytes."""

    id: str
    name: str = ""
    content_type: Always[str] = None
    download_url: Always[str] = Field(default=None, alias="downloadURL")
    size: Always[Count] = None
    dimensions: Dimensions | None = None
    git: GitObject | None = None


class PageLayout(Shape):
    """Which parts of a page are shown, and how wide it is."""

    width: Always[Open[Literal["default", "wide"]]] = None
    cover: Always[bool] = None
    cover_size: Always[Open[Literal["full", "hero", "background"]]] = None
    cover_mask: Always[Open[Literal["none", "radial"]]] = None
    title: Always[bool] = None
    description: Always[bool] = None
    table_of_contents: Always[bool] = None
    outline: Always[bool] = None
    pagination: Always[bool] = None
    metadata: Always[bool] = None
    tags: Always[bool] = None
    actions: Always[bool] = None
    anchors: Always[bool] = None


class PageCover(Shape):
    """The picture above a page, for light and dark themes."""

    ref: ContentReference | None = None
    ref_dark: ContentReference | None = None
    y_pos: Real | None = None
    height: Real | None = None


class PageMetaLinks(Shape):
    """The other addresses of a page, for search engines."""

    canonical: ContentReference | None = None
    alternates: list[ContentReference] | None = None


class ComputedDependency(Shape):
    """Something that a computed page is made from."""

    ref: ContentReference | None = None


class PageComputed(Shape):
    """How a page, or a part of the tree, is made from something else."""

    type: str | None = None
    dependencies: dict[str, ComputedDependency] = {}
    props: dict[str, Any] = {}


class PageTag(Shape):
    """A tag that a page has."""

    tag: ContentReference
    primary: bool | None = None


class ContentPage(Shape):
    """A page of a revision, with the pages below it.

    Its text is in ``markdown`` or in ``document``, by the format asked for, and in neither in a
    page tree. ``path`` is from the root of the space and has no slash at its start. ``target``
    says where a page of type link leads; the document has no field for it.
    """

    id: str
    title: str = ""
    emoji: str | None = None
    icon: str | None = None
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None
    markdown: str | None = None
    document: Document | None = None
    type: Open[PageType] = "document"
    urls: ShownUrls = Field(default_factory=ShownUrls)
    slug: str = ""
    path: str = ""
    description: str | None = None
    pages: "list[ContentPage]" = []
    git: GitObject | None = None
    layout: PageLayout | None = None
    cover: PageCover | None = None
    variables: dict[str, Variable] | None = None
    hidden: bool | None = None
    no_index: bool | None = None
    no_robots_index: bool | None = None
    meta_links: PageMetaLinks | None = None
    computed: PageComputed | None = None
    computed_seed: str | None = None
    target: ContentReference | None = None
    kind: Always[Open[Literal["sheet", "group", "link"]]] = None
    tags: Always[list[PageTag]] = None
    condition: str | None = None


class PageTree(Shape):
    """The pages at the root of a revision, each with those below it."""

    pages: list[ContentPage] = []


class ReusableContent(Shape):
    """A text that several pages show.

    ``document`` is the id of the text. ``markdown`` is the text itself, of one that was asked for
    alone; it is beyond the published API.
    """

    id: str
    title: str = ""
    git: GitObject | None = None
    document: str | None = None
    markdown: str | None = None


class Tag(Shape):
    """A tag that pages of a space may have."""

    slug: str
    label: str = ""
    color: str | None = None
    emoji: str | None = None
    icon: str | None = None


class Revision(Resource):
    """The content of a space at one moment; never changed once made.

    ``merged_from`` is the change request that it merged. ``created_by`` is who made it, beyond the
    published API: without it, a merged change request alone says who that was.
    """

    object: Open[Literal["revision"]] = "revision"
    id: str
    parents: list[str] = []
    pages: list[ContentPage] = []
    files: list[File] = []
    reusable_contents: list[ReusableContent] = []
    variables: dict[str, Variable] = {}
    created_at: Always[Timestamp] = None
    git: GitCommit | None = None
    urls: ShownUrls = Field(default_factory=ShownUrls)
    type: Open[RevisionType] = "edits"
    tags: Always[list[Tag]] = None
    merged_from: ChangeRequest | None = None
    created_by: User | None = None


class TemplateParams(Body):
    """What a template's placeholders stand for."""

    content_refs: dict[str, WrittenReference] | None = Field(
        default=None,
        description='What placeholders lead to, as in {"logo": {"kind": "file", "file": "ID"}}; '
        "other kinds are page and openapi.",
    )


class TemplateApply(Body):
    """A template to fill a space with, directly or inside a change request."""

    id: str = Field(description="The template: the id of the space whose pages are added.")
    params: TemplateParams | None = None
    change_request_id: str | None = Field(
        default=None,
        description="The change request that the pages are added in; without one they are added "
        "to what the space has now.",
    )


class TreePage(Shape):
    """A page in a tree with the fields of ``ContentPage`` by which two revisions are compared.

    A tree has thousands of pages, and each takes a sixth of the memory.
    """

    id: str
    title: str = ""
    updated_at: Timestamp | None = None
    type: Open[PageType] = "document"
    slug: str = ""
    path: str = ""
    pages: "list[TreePage]" = []
    git: GitObject | None = None


class RevisionTree(Shape):
    """The parts of a revision by which it is compared with another."""

    id: str
    pages: list[TreePage] = []
    files: list[File] = []

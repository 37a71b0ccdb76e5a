"""Content of a space: revisions, their page trees, pages and files."""

from typing import Any, Literal

from pydantic import AliasChoices, Field

from copydesk.contract.enumerations import PageType, RevisionType
from copydesk.contract.models.base import Body, Count, Open, Real, Resource, Shape
from copydesk.contract.models.document import Document
from copydesk.contract.models.parts import ContentReference, Timestamp, Urls, WrittenReference


class GitObject(Shape):
    """The file of a synchronized repository that something comes from."""

    oid: str | None = None
    path: str | None = None


class GitCommit(Shape):
    """The commit that a revision was made from, or that was made from it."""

    oid: str | None = None
    message: str | None = None
    created_by_service: bool | None = Field(
        default=None,
        # Public services use the second name (docs/api-notes.md, Fields).
        validation_alias=AliasChoices("createdByService", "createdByGitBook"),
        serialization_alias="createdByService",
    )
    url: str | None = None
    ref: str | None = None


class Dimensions(Shape):
    """The size of an image, in pixels."""

    width: Real | None = None
    height: Real | None = None


class File(Shape):
    """A file of a revision; ``size`` is in bytes."""

    id: str
    name: str = ""
    content_type: str | None = None
    download_url: str | None = Field(default=None, alias="downloadURL")
    size: Count | None = None
    dimensions: Dimensions | None = None
    git: GitObject | None = None


class PageLayout(Shape):
    """Which parts of a page are shown, and how wide it is."""

    width: Open[Literal["default", "wide"]] | None = None
    cover: bool | None = None
    cover_size: Open[Literal["full", "hero"]] | None = None
    title: bool | None = None
    description: bool | None = None
    table_of_contents: bool | None = None
    outline: bool | None = None
    pagination: bool | None = None
    metadata: bool | None = None


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
    urls: Urls = Field(default_factory=Urls)
    slug: str = ""
    path: str = ""
    description: str | None = None
    pages: "list[ContentPage]" = []
    git: GitObject | None = None
    layout: PageLayout | None = None
    cover: PageCover | None = None
    variables: dict[str, str] | None = None
    hidden: bool | None = None
    no_index: bool | None = None
    no_robots_index: bool | None = None
    meta_links: PageMetaLinks | None = None
    computed: PageComputed | None = None
    computed_seed: str | None = None
    target: ContentReference | None = None


class PageTree(Shape):
    """The pages at the root of a revision, each with those below it."""

    pages: list[ContentPage] = []


class ReusableContent(Shape):
    """A block that several pages show."""

    id: str
    title: str = ""
    git: GitObject | None = None


class Revision(Resource):
    """The content of a space at one moment; never changed once made."""

    object: Open[Literal["revision"]] = "revision"
    id: str
    parents: list[str] = []
    pages: list[ContentPage] = []
    files: list[File] = []
    reusable_contents: list[ReusableContent] = []
    variables: dict[str, str] = {}
    created_at: Timestamp | None = None
    git: GitCommit | None = None
    urls: Urls = Field(default_factory=Urls)
    type: Open[RevisionType] = "edits"


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

"""Writing the content of a change request, and what an address shows (extension E10)."""

from typing import Annotated, ClassVar, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.models.base import Body, Emoji, Icon, Open, Shape, Tagged, Urls, WebAddress
from copydesk.contract.models.change_request import ChangeRequest
from copydesk.contract.models.collection import Collection
from copydesk.contract.models.comment import WrittenBody
from copydesk.contract.models.content import ContentPage, File
from copydesk.contract.models.site_space import Condition
from copydesk.contract.models.space import Space

Slug: TypeAlias = Annotated[str, StringConstraints(max_length=100)]
"""A page's part of its path, at most 100 characters; an empty one is made from the title."""

Title: TypeAlias = Annotated[str, StringConstraints(min_length=1)]

Ref: TypeAlias = Annotated[str, StringConstraints(min_length=1)]

Place: TypeAlias = Annotated[int, Field(ge=0)]
"""How many pages stand before it; more than there are puts it last."""


class PageUpdate(Body):
    """The metadata of a page. The front matter of its Markdown text takes precedence."""

    title: Title | None = None
    slug: Slug | None = None
    emoji: Emoji | None = None
    icon: Icon | None = None
    description: str | None = None
    hidden: bool | None = None
    no_index: bool | None = None
    no_robots_index: bool | None = None
    condition: Condition | None = None


class UpdatePage(Tagged, PageUpdate):
    """A change of a page: its text, metadata and place.

    ``into`` is the page above, null the top; without it the page stays where it is.
    """

    tag: ClassVar[str] = "operation"
    nullable: ClassVar[tuple[str, ...]] = ("into",)

    operation: Literal["update_page"] = "update_page"
    page: str
    document: WrittenBody | None = None
    into: str | None = None
    at: Place | None = None


class InsertPage(Tagged, PageUpdate):
    """A new page, at the top unless ``into`` says below which one.

    Links of the same request lead to it by ``ref``.
    """

    tag: ClassVar[str] = "operation"

    operation: Literal["insert_page"] = "insert_page"
    document: WrittenBody
    into: str | None = None
    at: Place | None = None
    ref: Ref | None = None


class DeletePage(Tagged, Body):
    """Takes a page out, with those below it."""

    tag: ClassVar[str] = "operation"

    operation: Literal["delete_page"] = "delete_page"
    page: str


class RevertPage(Tagged, Body):
    """Makes a page what it was in a revision, or only the blocks of its document with these keys.

    Without ``revision`` that is the one that the change request started from, or was last updated
    to.
    """

    tag: ClassVar[str] = "operation"

    operation: Literal["revert_page"] = "revert_page"
    page: str
    revision: str | None = None
    block: list[str] | None = None


class _NewFile(Body):
    """What there is to say of a file. Links of the same request lead to it by ``ref``."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=256)] | None = None
    content_type: Annotated[str, StringConstraints(pattern=r"^[!-~]+/[ -~]+$")] | None = None
    ref: Ref | None = None


class FileAtUrl(_NewFile):
    """A file to be fetched."""

    url: WebAddress


class FileBytes(_NewFile):
    """The bytes of a file."""

    base64: str


class InsertFiles(Tagged, Body):
    """New files, 1 to 20."""

    tag: ClassVar[str] = "operation"

    operation: Literal["insert_files"] = "insert_files"
    files: Annotated[list[FileAtUrl | FileBytes], Field(min_length=1, max_length=20)]


ContentChange: TypeAlias = Annotated[
    UpdatePage | InsertPage | DeletePage | RevertPage | InsertFiles,
    Field(discriminator="operation"),
]


class ContentWrite(Body):
    """Changes of the content of a change request, 1 to 50, made in this order, all or none."""

    changes: Annotated[list[ContentChange], Field(min_length=1, max_length=50)]


class WrittenPage(Shape):
    """A page that was written; ``urls.location`` is where it is read."""

    object: Open[Literal["page"]] = "page"
    id: str
    urls: Urls = Field(default_factory=Urls)


class ContentUpdateChange(Shape):
    """The result of one change: a page, or the id of a deleted one."""

    object: Open[Literal["created_page", "updated_page", "deleted_page"]]
    ref: str | None = None
    page: WrittenPage | str


class ContentUpdate(Shape):
    """What writing content came to: the pages that were written, in the order of the changes."""

    change_request: ChangeRequest
    changes: list[ContentUpdateChange] = []
    inserted_files: list[File] | None = None


class ContentAtUrl(Shape):
    """What an address shows: a collection; or a space, of it a change request and a page."""

    collection: Collection | None = None
    space: Space | None = None
    change_request: ChangeRequest | None = None
    page: ContentPage | None = None

"""Operations on the content of spaces and change requests: revisions, pages, files."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias, TypedDict, Unpack

from pydantic import StringConstraints

from copydesk.contract import models
from copydesk.contract.enumerations import ContentFormat
from copydesk.contract.models.base import Limit, Page, Paging
from copydesk.contract.operation import Default, Wire, operation

_CHANGED = "/spaces/{space_id}/change-requests/{change_request_id}/content"

References: TypeAlias = Annotated[Literal["relative", "stable"], Wire("format.markdown.refs")]
"""How Markdown names what it links to: by paths, or by ids, which hold whatever is moved."""


class Shown(TypedDict, total=False):
    """What is answered of content, as ``get_space_revision`` says."""

    metadata: Annotated[bool, Default(True)]
    computed: Annotated[bool, Default(True)]


class PageOfShown(Paging, Shown, total=False):
    """What is answered of a list in content, and which page of it."""


class AsText(Shown, total=False):
    """How the text of a page is answered, and whether expressions and includes are filled in."""

    format: ContentFormat | None
    evaluated: Annotated[bool | Literal["deterministic-only"], Default(False)]
    dereferenced: Annotated[bool | Literal["reusable-contents"], Default(False)]


LookedUpAddress: TypeAlias = Annotated[str, StringConstraints(max_length=2048)]
"""The address of something in the application, at most 2048 characters."""


@operation("GET", "/spaces/{space_id}/content")
def get_space_revision(space_id: str, **shown: Unpack[Shown]) -> models.content.Revision:
    """Get the active revision of a space.

    Without ``metadata`` mutable git metadata is left out; without ``computed`` content is not
    computed.
    """


@operation("GET", "/spaces/{space_id}/content/pages")
def list_space_pages(space_id: str, **shown: Unpack[Shown]) -> models.content.PageTree:
    """Get the page tree of a space."""


@operation("GET", "/spaces/{space_id}/content/files")
def list_space_files(space_id: str, **shown: Unpack[PageOfShown]) -> Page[models.content.File]:
    """List the files of a space."""


@operation("GET", "/spaces/{space_id}/content/files/{file_id}")
def get_space_file(space_id: str, file_id: str, **shown: Unpack[Shown]) -> models.content.File:
    """Get a file of a space."""


@operation("GET", "/spaces/{space_id}/content/page/{page_id}")
def get_space_page(
    space_id: str, page_id: str, **text: Unpack[AsText]
) -> models.content.ContentPage:
    """Get a page of a space with its text."""


@operation("GET", _CHANGED)
def get_change_request_revision(
    space_id: str, change_request_id: str, **shown: Unpack[Shown]
) -> models.content.Revision:
    """Get the active revision of a change request.

    Without ``metadata`` mutable git metadata is left out; without ``computed`` content is not
    computed.
    """


@operation("GET", _CHANGED + "/pages")
def list_change_request_pages(
    space_id: str, change_request_id: str, **shown: Unpack[Shown]
) -> models.content.PageTree:
    """Get the page tree of a change request."""


@operation("GET", _CHANGED + "/files")
def list_change_request_files(
    space_id: str, change_request_id: str, **shown: Unpack[PageOfShown]
) -> Page[models.content.File]:
    """List the files of a change request."""


@operation("GET", _CHANGED + "/files/{file_id}")
def get_change_request_file(
    space_id: str, change_request_id: str, file_id: str, **shown: Unpack[Shown]
) -> models.content.File:
    """Get a file of a change request."""


@operation("GET", _CHANGED + "/page/{page_id}")
def get_change_request_page(
    space_id: str, change_request_id: str, page_id: str, **text: Unpack[AsText]
) -> models.content.ContentPage:
    """Get a page of a change request with its text."""


@operation("GET", "/spaces/{space_id}/revisions/{revision_id}", extension="E10")
def get_revision(
    space_id: str, revision_id: str, **shown: Unpack[Shown]
) -> models.content.Revision:
    """Get a revision of a space, also an older one: its page tree and its files."""


@operation("GET", "/spaces/{space_id}/revisions/{revision_id}/page/{page_id}", extension="E10")
def get_revision_page(
    space_id: str,
    revision_id: str,
    page_id: str,
    *,
    refs: References = "relative",
    **text: Unpack[AsText],
) -> models.content.ContentPage:
    """Get a page of a revision with its text."""


@operation("GET", "/spaces/{space_id}/revisions/{revision_id}/pages", extension="E10")
def list_revision_pages(
    space_id: str, revision_id: str, **shown: Unpack[Shown]
) -> models.content.PageTree:
    """Get the page tree of a revision."""


@operation("GET", "/spaces/{space_id}/revisions/{revision_id}/files", extension="E10")
def list_revision_files(
    space_id: str, revision_id: str, **shown: Unpack[PageOfShown]
) -> Page[models.content.File]:
    """List the files of a revision."""


@operation("GET", "/spaces/{space_id}/revisions/{revision_id}/files/{file_id}", extension="E10")
def get_revision_file(
    space_id: str, revision_id: str, file_id: str, **shown: Unpack[Shown]
) -> models.content.File:
    """Get a file of a revision."""


@operation("GET", "/spaces/{space_id}/revisions/{revision_id}/changes", extension="E10")
def get_revision_changes(
    space_id: str, revision_id: str, *, limit: Limit | None = None, **shown: Unpack[Shown]
) -> models.change_request.Changes:
    """Get what a revision changes in the one that it was made from, its first parent."""


@operation(
    "GET",
    "/spaces/{space_id}/revisions/{revision_id}/reusable-contents/{reusable_content_id}",
    extension="E10",
)
def get_revision_reusable_content(
    space_id: str, revision_id: str, reusable_content_id: str, **shown: Unpack[Shown]
) -> models.content.ReusableContent:
    """Get a reusable content of a revision."""


@operation(
    "GET", "/spaces/{space_id}/content/reusable-contents/{reusable_content_id}", extension="E10"
)
def get_space_reusable_content(
    space_id: str, reusable_content_id: str, **shown: Unpack[Shown]
) -> models.content.ReusableContent:
    """Get a reusable content of a space."""


@operation("GET", _CHANGED + "/reusable-contents/{reusable_content_id}", extension="E10")
def get_change_request_reusable_content(
    space_id: str, change_request_id: str, reusable_content_id: str, **shown: Unpack[Shown]
) -> models.content.ReusableContent:
    """Get a reusable content of a change request."""


@operation("GET", "/spaces/{space_id}/content/path/{page_path}", extension="E10")
def get_space_page_by_path(
    space_id: str,
    page_path: str,
    *,
    refs: References = "relative",
    cached_metadata: bool = False,
    **text: Unpack[AsText],
) -> models.content.ContentPage:
    """Get a page of a space by its path."""


@operation("GET", _CHANGED + "/path/{page_path}", extension="E10")
def get_change_request_page_by_path(
    space_id: str,
    change_request_id: str,
    page_path: str,
    *,
    refs: References = "relative",
    cached_metadata: bool = False,
    **text: Unpack[AsText],
) -> models.content.ContentPage:
    """Get a page of a change request by its path."""


@operation("GET", "/urls/content", extension="E10")
def get_content_by_url(*, url: LookedUpAddress) -> models.content_update.ContentAtUrl:
    """Get what an address of the application shows: a collection, or a space, or a page of it."""

"""Operations on the content of spaces and change requests: revisions, pages, files."""

from __future__ import annotations

from typing import Literal

from copydesk.contract.enumerations import ContentFormat
from copydesk.contract.models.base import Limit, Page
from copydesk.contract.models.content import ContentPage, File, PageTree, Revision, TemplateApply
from copydesk.contract.operation import operation


@operation("GET", "/spaces/{space_id}/content")
def get_space_revision(space_id: str, *, metadata: bool = True, computed: bool = True) -> Revision:
    """Get the active revision of a space.

    Without ``metadata`` mutable git metadata is left out; without ``computed`` content is not
    computed.
    """
    ...


@operation("GET", "/spaces/{space_id}/content/pages")
def list_space_pages(space_id: str, *, metadata: bool = True, computed: bool = True) -> PageTree:
    """Get the page tree of a space."""
    ...


@operation("GET", "/spaces/{space_id}/content/files")
def list_space_files(
    space_id: str,
    *,
    page: str | None = None,
    limit: Limit | None = None,
    metadata: bool = True,
    computed: bool = True,
) -> Page[File]:
    """List the files of a space."""
    ...


@operation("GET", "/spaces/{space_id}/content/files/{file_id}")
def get_space_file(
    space_id: str,
    file_id: str,
    *,
    metadata: bool = True,
    computed: bool = True,
) -> File:
    """Get a file of a space."""
    ...


@operation("GET", "/spaces/{space_id}/content/page/{page_id}")
def get_space_page(
    space_id: str,
    page_id: str,
    *,
    format: ContentFormat | None = None,
    evaluated: bool | Literal["deterministic-only"] = False,
    dereferenced: bool | Literal["reusable-contents"] = False,
    metadata: bool = True,
    computed: bool = True,
) -> ContentPage:
    """Get a page of a space with its text."""
    ...


@operation("GET", "/spaces/{space_id}/change-requests/{change_request_id}/content")
def get_change_request_revision(
    space_id: str,
    change_request_id: str,
    *,
    metadata: bool = True,
    computed: bool = True,
) -> Revision:
    """Get the active revision of a change request.

    Without ``metadata`` mutable git metadata is left out; without ``computed`` content is not
    computed.
    """
    ...


@operation("GET", "/spaces/{space_id}/change-requests/{change_request_id}/content/pages")
def list_change_request_pages(
    space_id: str,
    change_request_id: str,
    *,
    metadata: bool = True,
    computed: bool = True,
) -> PageTree:
    """Get the page tree of a change request."""
    ...


@operation("GET", "/spaces/{space_id}/change-requests/{change_request_id}/content/files")
def list_change_request_files(
    space_id: str,
    change_request_id: str,
    *,
    page: str | None = None,
    limit: Limit | None = None,
    metadata: bool = True,
    computed: bool = True,
) -> Page[File]:
    """List the files of a change request."""
    ...


@operation("GET", "/spaces/{space_id}/change-requests/{change_request_id}/content/files/{file_id}")
def get_change_request_file(
    space_id: str,
    change_request_id: str,
    file_id: str,
    *,
    metadata: bool = True,
    computed: bool = True,
) -> File:
    """Get a file of a change request."""
    ...


@operation("GET", "/spaces/{space_id}/change-requests/{change_request_id}/content/page/{page_id}")
def get_change_request_page(
    space_id: str,
    change_request_id: str,
    page_id: str,
    *,
    format: ContentFormat | None = None,
    evaluated: bool | Literal["deterministic-only"] = False,
    dereferenced: bool | Literal["reusable-contents"] = False,
    metadata: bool = True,
    computed: bool = True,
) -> ContentPage:
    """Get a page of a change request with its text."""
    ...


@operation("GET", "/spaces/{space_id}/revisions/{revision_id}", extension="E10")
def get_revision(
    space_id: str, revision_id: str, *, metadata: bool = True, computed: bool = True
) -> Revision:
    """Get a revision of a space, also an older one: its page tree and its files."""
    ...


@operation("GET", "/spaces/{space_id}/revisions/{revision_id}/page/{page_id}", extension="E10")
def get_revision_page(
    space_id: str,
    revision_id: str,
    page_id: str,
    *,
    format: ContentFormat | None = None,
    evaluated: bool | Literal["deterministic-only"] = False,
    dereferenced: bool | Literal["reusable-contents"] = False,
    metadata: bool = True,
    computed: bool = True,
) -> ContentPage:
    """Get a page of a revision with its text."""
    ...


@operation("POST", "/spaces/{space_id}/content/template", status=201)
def apply_space_template(space_id: str, body: TemplateApply) -> None:
    """Fill a space, or a change request in it, from a template."""
    ...

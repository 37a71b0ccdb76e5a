"""Operations on links out of content and backlinks to it."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.enumerations import LinkStatus
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation

_CHANGED = "/spaces/{space_id}/change-requests/{change_request_id}/content"


@operation("GET", "/spaces/{space_id}/links", ended=True)
def list_space_links(
    space_id: str, *, status: LinkStatus | None = None, **paging: Unpack[Paging]
) -> models.link.Links:
    """List the links of a space."""


@operation("GET", "/spaces/{space_id}/content/page/{page_id}/links", ended=True)
def list_space_page_links(
    space_id: str, page_id: str, *, status: LinkStatus | None = None, **paging: Unpack[Paging]
) -> models.link.Links:
    """List the links of a page of a space."""


@operation("GET", "/spaces/{space_id}/content/page/{page_id}/backlinks", ended=True)
def list_space_page_backlinks(
    space_id: str, page_id: str, **paging: Unpack[Paging]
) -> Page[models.link.Backlink]:
    """List what points at a page of a space."""


@operation("GET", "/spaces/{space_id}/content/files/{file_id}/backlinks", ended=True)
def list_space_file_backlinks(
    space_id: str, file_id: str, **paging: Unpack[Paging]
) -> Page[models.link.Backlink]:
    """List what points at a file of a space."""


@operation("GET", _CHANGED + "/page/{page_id}/links", ended=True)
def list_change_request_page_links(
    space_id: str, change_request_id: str, page_id: str, **paging: Unpack[Paging]
) -> models.link.Links:
    """List the links of a page of a change request."""


@operation("GET", _CHANGED + "/files/{file_id}/backlinks", ended=True)
def list_change_request_file_backlinks(
    space_id: str, change_request_id: str, file_id: str, **paging: Unpack[Paging]
) -> Page[models.link.Backlink]:
    """List what points at a file of a change request."""

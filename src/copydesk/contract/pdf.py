"""Where the pages of a space or a change request can be had as a PDF."""

from __future__ import annotations

from copydesk.contract import models
from copydesk.contract.operation import operation


@operation("GET", "/spaces/{space_id}/pdf", extension="E10", secret=True)
def get_space_pdf(
    space_id: str, *, only: bool | None = None, page: str | None = None
) -> models.change_request.PDF:
    """Make a PDF of a space, or with ``only`` of one ``page`` of it."""


@operation("GET", "/spaces/{space_id}/change-requests/{change_request_id}/pdf", secret=True)
def get_change_request_pdf(
    space_id: str, change_request_id: str, *, only: bool | None = None, page: str | None = None
) -> models.change_request.PDF:
    """Make a PDF of a change request, or with ``only`` of one ``page`` of it."""

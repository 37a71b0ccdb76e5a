"""PDFs of spaces and change requests."""

from __future__ import annotations

from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import PDF
from copydesk.server.errors import invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.pdf_address import print_address
from copydesk.server.queries.change_request import find_change_request
from copydesk.server.queries.page import find_page


@implements(ops.get_change_request_pdf, writes=True)
def get_change_request_pdf(
    call: Call,
    space_id: str,
    change_request_id: str,
    *,
    only: bool | None = None,
    page: str | None = None,
) -> PDF:
    """Answer with the address of a PDF of a change request as it is now; it lasts an hour.

    With ``page`` it prints that page and those below it, with ``only`` the page alone. Raises a 400
    for ``only`` without a page and for more than a PDF takes, a 404 for a page that is not there.
    """
    _, row = find_change_request(call, space_id, change_request_id)
    return _printed(call, row["id"], row["revision_id"], page, only=bool(only))


@implements(ops.get_space_pdf, writes=True)
def get_space_pdf(
    call: Call, space_id: str, *, only: bool | None = None, page: str | None = None
) -> PDF:
    """Answer with the address of a PDF of a space as it is now, as of a change request."""
    space = call.access.space(space_id)
    return _printed(call, None, space["revision_id"], page, only=bool(only))


def _printed(
    call: Call, change_request_id: str | None, revision_id: str, page: str | None, *, only: bool
) -> PDF:
    if page is not None:
        find_page(call, revision_id, page)
    elif only:
        raise invalid("query parameter only: name the page that should be printed alone")
    return PDF(url=print_address(call, change_request_id, revision_id, page, only=only))

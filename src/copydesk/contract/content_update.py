"""Writing the content of a change request."""

from __future__ import annotations

from copydesk.contract import models
from copydesk.contract.operation import operation


@operation(
    "POST", "/spaces/{space_id}/change-requests/{change_request_id}/content", extension="E10"
)
def update_change_request_content(
    space_id: str,
    change_request_id: str,
    body: models.content_update.ContentWrite,
    *,
    compat: bool = True,
) -> models.change_request.ChangeRequest | models.content_update.ContentUpdate:
    """Write the content of a change request: all of the changes, in their order, or none.

    Without ``compat`` the answer also says which pages and files were written.
    """

"""Writing the content of a change request."""

from __future__ import annotations

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Urls
from copydesk.contract.models.change_request import ChangeRequest
from copydesk.contract.models.content_update import (
    ContentUpdate,
    ContentUpdateChange,
    ContentWrite,
    WrittenPage,
)
from copydesk.server.change_requests import base_of, write_branch
from copydesk.server.content_update import ContentWriter
from copydesk.server.errors import blocked
from copydesk.server.implementation import Call, implements
from copydesk.server.queries.change_request import change_request_model, find_change_request
from copydesk.server.queries.file import file_model, find_file


@implements(ops.update_change_request_content, takes="edit")
def update_change_request_content(
    call: Call, space_id: str, change_request_id: str, body: ContentWrite, *, compat: bool = True
) -> ChangeRequest | ContentUpdate:
    """Write the content of a change request that is a draft or open; another takes none (412).

    What would change nothing makes no revision.
    """
    _, row = find_change_request(call, space_id, change_request_id, "edit")
    if row["status"] not in ("draft", "open"):
        raise blocked(f"This change request is {row['status']} and takes no changes.")
    writer = ContentWriter(base_of(row), body.changes)
    revision = write_branch(call.tx, row["id"], call.user_id, writer)
    found = change_request_model(call, *find_change_request(call, space_id, row["id"]))
    if compat:
        return found
    location = call.url("spaces", space_id, "change-requests", row["id"], "content", "page")
    return ContentUpdate(
        change_request=found,
        changes=[
            ContentUpdateChange(
                object=each.kind,
                ref=each.ref,
                page=each.page
                if each.kind == "deleted_page"
                else WrittenPage(id=each.page, urls=Urls(location=f"{location}/{each.page}")),
            )
            for each in writer.outcomes
        ],
        inserted_files=[
            file_model(call, space_id, revision, find_file(call, revision, key))
            for key in writer.files
        ]
        or None,
    )

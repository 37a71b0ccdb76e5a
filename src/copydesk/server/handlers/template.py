"""Filling a space from a template."""

from __future__ import annotations

from copydesk.contract import operations as ops
from copydesk.contract.models.content import TemplateApply
from copydesk.server import change_requests, desk_writes
from copydesk.server.errors import blocked
from copydesk.server.implementation import Call, implements
from copydesk.server.queries.change_request import find_change_request
from copydesk.server.templates import template_edit


@implements(ops.apply_space_template, takes="edit")
def apply_space_template(call: Call, space_id: str, body: TemplateApply) -> None:
    """Add a template's pages to a space, or to a change request of it.

    Raises a 400 when there is no such template or a reference of it leads nowhere, a 404 for an
    unknown change request, a 412 when the space takes no direct edits or the change request is
    merged or archived.
    """
    space = call.access.space(space_id, "edit")
    references = None if body.params is None else body.params.content_refs
    if body.change_request_id is None:
        if space["edit_mode"] == "locked":
            raise blocked(
                f"The space {space['title']!r} is locked: apply the template in a change request."
            )
        edit = template_edit(call, space, space["revision_id"], body.id, references, where="body")
        desk_writes.commit(call.tx, space_id, edit, author=call.user_id)
        call.location = call.url("spaces", space_id, "content")
        return
    _, request = find_change_request(call, space_id, body.change_request_id)
    if request["status"] not in ("draft", "open"):
        raise blocked(f"This change request is {request['status']} and takes no edits.")
    edit = template_edit(call, space, request["revision_id"], body.id, references, where="body")
    change_requests.edit_branch(call.tx, request["id"], call.user_id, edit)
    call.location = call.url("spaces", space_id, "change-requests", request["id"], "content")

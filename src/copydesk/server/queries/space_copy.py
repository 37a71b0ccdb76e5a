"""Copies of spaces, and who runs what they make."""

from __future__ import annotations

import json
from dataclasses import replace

from copydesk.domain.space_tree import TITLE_LENGTH
from copydesk.server import content
from copydesk.server.content import Draft
from copydesk.server.desk_writes import Editor, add_space, grant
from copydesk.server.implementation import Call
from copydesk.server.queries.collection import check_target
from copydesk.server.queries.position import place_after
from copydesk.server.queries.space import purge_trash


def run_by_maker(call: Call, space_id: str, organization_id: str) -> None:
    """Let the caller run a space that they made, if their role does not do that."""
    if call.access.role(organization_id) != "admin":
        grant(call.tx, space_id, call.user_id, "admin")


def copy_space(call: Call, space_id: str) -> str:
    """Copy a space right after itself and return the id of the copy.

    Raises as reading it and as making one there do.
    """
    purge_trash(call.tx)
    row = call.access.space(space_id)
    check_target(call, row["organization_id"], row["parent_id"])
    original = content.open_draft(call.tx, content.load(call.tx, row["revision_id"]))
    suffix = " (copy)"
    copy_id = add_space(
        call.tx,
        row["organization_id"],
        row["title"][: TITLE_LENGTH - len(suffix)] + suffix,
        lambda editor: _copy(original, editor),
        parent=row["parent_id"],
        author=call.user_id,
        emoji=row["emoji"],
        visibility=row["visibility"],
        edit_mode=row["edit_mode"],
        language=row["language"],
        default_level=row["default_level"],
        merge_rules=json.loads(row["merge_rules"]),
    )
    call.tx.update("space", copy_id, position=place_after(call.tx, row, copy_id))
    run_by_maker(call, copy_id, row["organization_id"])
    return copy_id


def _copy(original: Draft, editor: Editor) -> None:
    """Write every page and file of a draft into a new space, each as one of its own."""
    ids = {page: content.new_page_id(editor.tx, editor.space_id, None) for page in original.pages}
    draft = editor.draft
    draft.pages = {ids[key]: replace(page, id=ids[key]) for key, page in original.pages.items()}
    draft.children = {
        None if parent is None else ids[parent]: [ids[page] for page in pages]
        for parent, pages in original.children.items()
    }
    draft.files = {
        path: replace(file, id=editor.tx.new_id()) for path, file in original.files.items()
    }

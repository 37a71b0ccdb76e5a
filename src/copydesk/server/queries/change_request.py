"""Change requests: finding one by id or number, and showing it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from copydesk.contract.models.base import ResourceUrls
from copydesk.contract.models.change_request import ChangeRequest, MovedOut, SiteTopicLink
from copydesk.contract.models.document import Document
from copydesk.contract.models.user import User
from copydesk.server import content
from copydesk.server.change_requests import is_outdated
from copydesk.server.implementation import Call
from copydesk.server.queries.user import remember_users, user_by_id
from copydesk.server.shared_models import shared
from copydesk.server.source_content import source_of
from copydesk.server.sources.document import read_document
from copydesk.server.sources.model import Blob
from copydesk.server.store import Row

_FIELDS = set(ChangeRequest.model_fields)

_LONGEST_NUMBER = 15
"""So many digits may be a number; more would not fit what the desk counts with."""


def find_change_request(
    call: Call, space_id: str, id_or_number: str, permission: str = "view"
) -> tuple[Row, Row]:
    """Return the rows of a space and of its change request with this id or number.

    Raises a 404 when the caller may see no such space or it has no such change request, a 403 when
    they lack the permission on the space.
    """
    space = call.access.space(space_id, permission)
    if id_or_number.isascii() and id_or_number.isdecimal() and len(id_or_number) <= _LONGEST_NUMBER:
        row = call.tx.get("change_request", space_id=space_id, number=int(id_or_number))
        if row is not None:
            return space, row
    row = call.find("change request", "change_request", id_or_number, space_id=space_id)
    return space, row


def change_request_model(call: Call, space: Row, row: Row) -> ChangeRequest:
    """Return a change request as the API shows it.

    It may come to others too: do not change it.
    """
    author = user_by_id(call, row["created_by"])
    merger = _merger(call, row) if row["status"] == "merged" else None
    key = "begun for", row["id"]
    if key not in call.remembered:
        _remember_begun(call, [row["id"]])
    begun = call.remembered[key]
    shows = tuple(row), space["revision_id"], call.base_url, begun
    return shared(
        # Everything that is shown; of the space whether its content has moved on.
        ("change request", *shows, id(author), id(merger)),
        lambda: _model(call, is_outdated(space, row), author, merger, row, begun),
        (author, merger),
    )


_BEGUN = (
    "SELECT change_request_id, site_id, cluster_id, finding_id FROM finding_request "
    "JOIN finding ON finding.id = finding_id WHERE cluster_id IS NOT NULL "
    "AND change_request_id IN (SELECT value FROM json_each(?))"
)
_BEGUN_FOR_ONE = _BEGUN.replace("IN (SELECT value FROM json_each(?))", "= ?")
"""The same without a list to take apart, which costs more than to look for one."""


def _remember_begun(call: Call, ids: Sequence[str]) -> None:
    """Read site, topic and finding for which change requests were begun, where there is a topic.

    A broken link is about none, and then the API has no place for its finding.
    """
    if len(ids) == 1:
        rows = call.tx.all(_BEGUN_FOR_ONE, ids[0])
    else:
        rows = call.tx.all(_BEGUN, json.dumps(ids))
    call.remembered.update((("begun for", key), None) for key in ids)
    call.remembered.update((("begun for", row[0]), (row[1], row[2], row[3])) for row in rows)


def _merger(call: Call, row: Row) -> User | None:
    """Return who merged a change request: who made the revision, if it is still there."""
    key: str | None = call.tx.value(
        "SELECT author_id FROM revision WHERE id = ?", row["revision_merged"]
    )
    return None if key is None else user_by_id(call, key)


def _model(
    call: Call,
    outdated: bool,
    author: User,
    merger: User | None,
    kept: Row,
    begun: tuple[str, str, str] | None,
) -> ChangeRequest:
    space_id, description = kept["space_id"], kept["description"]
    return _made(
        {
            "object": "change-request",
            "id": kept["id"],
            "number": kept["number"],
            "status": kept["status"],
            "subject": kept["subject"],
            "description": description and Document.model_validate_json(description),
            "created_by": author,
            "created_at": datetime.fromisoformat(kept["created_at"]),
            "updated_at": datetime.fromisoformat(kept["updated_at"]),
            "space": space_id,
            "revision": kept["revision_id"],
            "revision_initial": kept["revision_initial"],
            "revision_merged_ancestor": kept["revision_merged_ancestor"],
            "revision_merged": kept["revision_merged"],
            "merged_by": merger,
            "merged_at": kept["merged_at"] and datetime.fromisoformat(kept["merged_at"]),
            "comments": kept["comments"],
            "outdated": outdated,
            "conversations_issues_cluster": kept["cluster_id"],
            "site_topic": begun and SiteTopicLink(site=begun[0], topic=begun[1], finding=begun[2]),
            "urls": ResourceUrls(
                location=call.url("spaces", space_id, "change-requests", kept["id"]),
                app=change_request_screen(call, kept),
            ),
        }
    )


def change_request_screen(call: Call, row: Mapping[str, Any] | Row) -> str:
    """Return the address of the screen of a change request."""
    home, space, number = row["organization_id"], row["space_id"], str(row["number"])
    return call.app_url("o", home, "s", space, "~", "changes", number)


def _made(fields: dict[str, Any]) -> ChangeRequest:
    """Return the change request with these fields, which are all there and known to be right.

    What ``model_construct`` does, without what it does about defaults and other names, which takes
    longer than checking every field.
    """
    made = ChangeRequest.__new__(ChangeRequest)
    put = object.__setattr__
    put(made, "__dict__", fields)
    put(made, "__pydantic_fields_set__", _FIELDS.copy())
    put(made, "__pydantic_extra__", None)
    put(made, "__pydantic_private__", None)
    return made


def prepare_models(call: Call, rows: Sequence[Row]) -> None:
    """Read at once what the change requests of a page name: their authors and spaces."""
    remember_users(call, (row["created_by"] for row in rows))
    _remember_begun(call, [row["id"] for row in rows])
    spaces = call.tx.kept_all(
        "row", (row["space_id"] for row in rows), partial(_spaces, call), ("space",)
    )
    call.remembered.update({("space row", key): row for key, row in spaces.items()})


def _spaces(call: Call, ids: list[str]) -> dict[str, Row]:
    rows = call.tx.all(
        "SELECT * FROM space WHERE id IN (SELECT value FROM json_each(?))", json.dumps(ids)
    )
    return {row["id"]: row for row in rows}


def space_row(call: Call, space_id: str) -> Row:
    """Return the row of a space that the desk itself refers to; remembered for the request."""
    key = ("space row", space_id)
    if key not in call.remembered:
        call.remembered[key] = call.tx.row("space", space_id)
    found: Row = call.remembered[key]
    return found


def moved_out(call: Call, space: Row, row: Row) -> dict[str, MovedOut]:
    """Return where a change request that was imported puts pages that its space has no more.

    By page id. Of a page in a space that the caller may not see only the path is told.
    """
    remembered = source_of(space)
    branches: dict[str, Any] = remembered.get("changes", {})
    key = next((key for key, each in branches.items() if each["id"] == row["id"]), "")
    found: dict[str, MovedOut] = {}
    for page, moved in branches.get(key, {}).get("moved", {}).items():
        found[page] = MovedOut(path=moved["path"])
        if moved["folder"] in (None, remembered.get("folder")):
            own = space["id"] if moved["folder"] is not None else None
            text = _file_text(call, row["revision_id"], moved["path"])
            broken = moved.get("broken") or None
            found[page] = MovedOut(path=moved["path"], space=own, text=text, broken=broken)
            continue
        for other in call.tx.all(
            "SELECT * FROM space WHERE organization_id = ? AND deleted_at IS NULL "
            "AND json_extract(source, '$.path') = ? AND json_extract(source, '$.folder') = ?",
            space["organization_id"],
            remembered.get("path"),
            moved["folder"],
        ):
            there = source_of(other).get("changes", {}).get(key)
            if there is not None and call.access.may(other, "view"):
                found[page] = _in_other_space(call, other, there["id"], moved)
    return found


def _in_other_space(
    call: Call, space: Row, change_request_id: str, moved: Mapping[str, str]
) -> MovedOut:
    row = call.tx.row("change_request", change_request_id)
    page_id = call.tx.value(
        "SELECT id FROM page WHERE space_id = ? AND source_key = ?", space["id"], moved["key"]
    )
    versions = content.load(call.tx, row["revision_id"]).versions()
    if page_id not in versions:
        text = _file_text(call, row["revision_id"], moved["path"])
        return MovedOut(
            path=moved["path"], space=space["id"], space_title=space["title"], text=text
        )
    (page,) = content.versions(call.tx, [versions[page_id]]).values()
    text = content.text(call.tx, page.text)
    return MovedOut(
        path=moved["path"],
        space=space["id"],
        space_title=space["title"],
        number=row["number"],
        merged=row["status"] == "merged",
        text=text,
    )


def _file_text(call: Call, revision: str, path: str) -> str | None:
    """Return the Markdown of a file that a revision keeps beside its pages."""
    file = next((file for file in content.load(call.tx, revision).files if file.path == path), None)
    if file is None:
        return None
    document = read_document(Blob.of(content.blob(call.tx, file.blob)))
    return None if document.refusal else document.markdown

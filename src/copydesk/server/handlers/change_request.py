"""Change requests: lists, opening, changing, updating, merging, what they change."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.change_request import WantedRequests
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.change_request import (
    ChangeRequest,
    ChangeRequestCreate,
    ChangeRequestUpdate,
    Changes,
    Contributor,
    FilesTaken,
    MergeResult,
    UpdateResult,
)
from copydesk.contract.models.document import Document
from copydesk.domain.merge_rules import blocking
from copydesk.server import change_requests, content
from copydesk.server.access import RIGHTS
from copydesk.server.change_requests import FileSide
from copydesk.server.changes import changes_of, conflict_model, limited_changes
from copydesk.server.errors import blocked, conflict, invalid
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.change_request import (
    change_request_model,
    find_change_request,
    moved_out,
    prepare_models,
    space_row,
)
from copydesk.server.queries.contribution import contributions
from copydesk.server.queries.review import rule_results
from copydesk.server.queries.user import remember_users, user_by_id
from copydesk.server.queries.written import fitting_document
from copydesk.server.store import Row, Value
from copydesk.server.templates import template_edit


@implements(ops.list_space_change_requests)
def list_space_change_requests(
    call: Call, space_id: str, **wanted: Unpack[WantedRequests]
) -> Page[ChangeRequest]:
    space = call.access.space(space_id)
    which, sign = _filters(wanted)
    # The space keeps these counts, so that a long list is not counted for each page.
    count = None if which.where else space[change_requests.COUNTED[wanted["status"]]]
    which.also(f"{sign}space_id = ? AND {sign}status = ?", space_id, wanted["status"])
    return _list(call, which, count, wanted)


@implements(ops.list_organization_change_requests)
def list_organization_change_requests(
    call: Call, organization_id: str, **wanted: Unpack[WantedRequests]
) -> Page[ChangeRequest]:
    """List the change requests of all spaces that the caller may see, the latest changed first."""
    call.access.organization(organization_id)
    which, sign = _filters(wanted)
    status = wanted["status"]
    unseen = call.access.hidden_spaces(organization_id) + call.tx.kept(
        ("deleted", organization_id), partial(_deleted_spaces, call, organization_id), ("space",)
    )
    count: int | None = None
    if not which.where:
        # Every page of the list says it again; only the first has to add up all spaces.
        count = call.tx.kept(
            ("change requests", call.user_id, organization_id, status),
            lambda: call.tx.value(
                f"SELECT coalesce(sum({change_requests.COUNTED[status]}), 0) FROM space "  # noqa: S608 - a column of ours
                "WHERE organization_id = ? AND id NOT IN (SELECT value FROM json_each(?))",
                organization_id,
                json.dumps(unseen),
            ),
            RIGHTS,
        )
    if unseen:
        which.also("space_id NOT IN (SELECT value FROM json_each(?))", json.dumps(unseen))
    which.also(f"{sign}organization_id = ? AND {sign}status = ?", organization_id, status)
    return _list(call, which, count, wanted)


def _deleted_spaces(call: Call, organization_id: str) -> list[str]:
    rows = call.tx.all(
        "SELECT id FROM space WHERE organization_id = ? AND deleted_at IS NOT NULL", organization_id
    )
    return [row["id"] for row in rows]


@implements(ops.create_change_request, takes="edit")
def create_change_request(call: Call, space_id: str, body: ChangeRequestCreate) -> ChangeRequest:
    """Open a change request on a space's current content. It is a draft until it is made open.

    A template's pages are its first commit; one that cannot be applied is a 400.
    """
    space = call.access.space(space_id, "edit")
    said = fitting_document(body.description, "body.description")
    edit = None
    if body.template is not None:
        edit = template_edit(
            call,
            space,
            space["revision_id"],
            body.template.id,
            None if body.template.params is None else body.template.params.content_refs,
            where="body.template",
        )
    cluster = body.conversations_issues_cluster
    if cluster is not None:
        home = call.tx.value("SELECT organization_id FROM cluster WHERE id = ?", cluster)
        if home != space["organization_id"]:
            raise invalid(f"body.conversationsIssuesCluster: there is no cluster {cluster[:100]!r}")
    key = change_requests.open_branch(
        call.tx,
        space_id,
        call.user_id,
        body.subject or "",
        edit,
        status="draft",
        description=None if said is None else said.to_dict(),
        cluster=cluster,
    )
    return _current(call, space_id, key)


@implements(ops.get_change_request, short=True)
def get_change_request(call: Call, space_id: str, change_request_id: str) -> ChangeRequest:
    return change_request_model(call, *find_change_request(call, space_id, change_request_id))


@implements(ops.update_change_request, takes="merge")
def update_change_request(
    call: Call, space_id: str, change_request_id: str, body: ChangeRequestUpdate
) -> ChangeRequest:
    """Change subject, status or description: the creator with edit, others with merge.

    A merged change request keeps its status (412).
    """
    space, row = find_change_request(call, space_id, change_request_id)
    own = row["created_by"] == call.user_id
    call.access.space(space_id, "edit" if own else "merge")
    changes: dict[str, Value] = {}
    for name in body.model_fields_set:
        if name == "subject":
            changes["subject"] = body.subject or ""
        elif name == "description":
            changes["description"] = _stored(fitting_document(body.description, "body.description"))
        elif body.status is None:
            raise invalid("body.status: say draft, open or archived")
    if body.status is not None and body.status != row["status"]:
        if row["status"] == "merged":
            raise blocked("This change request is merged; its status can no longer change.")
        change_requests.set_status(call.tx, row["id"], body.status)
    if changes:
        call.tx.update("change_request", row["id"], updated_at=call.tx.now, **changes)
    return _current(call, space["id"], row["id"])


@implements(ops.pull_change_request_updates, takes="edit")
def pull_change_request_updates(call: Call, space_id: str, change_request_id: str) -> UpdateResult:
    """Merge primary content into a change request; with a conflict nothing changes."""
    return _updated(call, space_id, change_request_id, {})


@implements(ops.pull_change_request_updates_with_files, takes="edit")
def pull_change_request_updates_with_files(
    call: Call, space_id: str, change_request_id: str, body: FilesTaken
) -> UpdateResult:
    """Merge primary content into a change request; files that conflict are those of one side.

    Raises a 400 for a file that neither side has, nor had.
    """
    return _updated(call, space_id, change_request_id, body.files)


def _updated(
    call: Call, space_id: str, change_request_id: str, files: Mapping[str, FileSide]
) -> UpdateResult:
    space, row = find_change_request(call, space_id, change_request_id, "edit")
    if row["status"] not in ("draft", "open"):
        raise blocked(
            f"Only a draft or open change request can be updated; this one is {row['status']}."
        )
    if files:
        revisions = (change_requests.base_of(row), row["revision_id"], space["revision_id"])
        known = {file.id for each in revisions for file in content.load(call.tx, each).files}
        if missing := sorted(files.keys() - known):
            raise invalid(f"body.files: no side has the file {missing[0][:100]!r}")
    joined = change_requests.update_branch(call.tx, row["id"], call.user_id, files)
    if joined.revision is None:
        return UpdateResult(
            result="conflicts",
            conflicts=[conflict_model(call.tx, c, row, "ours") for c in joined.conflicts],
        )
    return UpdateResult(result="update", revision=joined.revision)


@implements(ops.merge_change_request, takes="merge")
def merge_change_request(call: Call, space_id: str, change_request_id: str) -> MergeResult:
    """Merge a change request into primary content (docs/api-notes.md, Merging).

    A 412 says which rules are not met; with a conflict nothing changes. Raises a 409 when it says
    nothing that primary content does not.
    """
    space, row = find_change_request(call, space_id, change_request_id, "merge")
    if row["status"] != "open":
        raise blocked(f"Only an open change request can be merged; this one is {row['status']}.")
    reason = blocking(rule_results(call, space, row))
    if reason is not None:
        raise blocked(reason)
    joined = change_requests.merge_branch(call.tx, row["id"], call.user_id)
    if joined.revision is None and not joined.conflicts:
        raise conflict("There is nothing to merge: main would stay as it is.")
    if joined.revision is None:
        return MergeResult(
            result="conflicts",
            conflicts=[conflict_model(call.tx, c, row, "theirs") for c in joined.conflicts],
        )
    return MergeResult(result="merge", revision=joined.revision)


@implements(ops.get_change_request_changes)
def get_change_request_changes(
    call: Call, space_id: str, change_request_id: str, *, limit: int | None = None
) -> Changes:
    """Return what a change request changes, pages in reading order and then files."""
    space, row = find_change_request(call, space_id, change_request_id)
    found = changes_of(call.tx, row, partial(moved_out, call, space, row))
    downloads = f"{call.base_url}/files/{space['id']}"
    base = change_requests.base_of(row)
    return limited_changes(found, limit, downloads, base, row["revision_id"])


@implements(ops.list_change_request_contributors)
def list_change_request_contributors(
    call: Call, space_id: str, change_request_id: str
) -> Page[Contributor]:
    _, row = find_change_request(call, space_id, change_request_id)
    found = contributions(call.tx, row)
    remember_users(call, (each.user for each in found))
    return Page[Contributor](
        items=[
            Contributor(
                updated_at=each.latest,
                count=each.count,
                user=user_by_id(call, each.user),
                action_type=each.kind,
            )
            for each in found
        ],
        count=len(found),
    )


def _filters(wanted: WantedRequests) -> tuple[Conditions, str]:
    """Return the list filters that are set, and what stands before the column of every other.

    Where few are asked for, begin at those: a plus sign keeps SQLite from the index that would walk
    the whole list for the sake of its order.
    """
    contributor, reviewer = wanted["contributor"], wanted["requested_reviewer"]
    sign = "" if contributor is None and reviewer is None else "+"
    which = Conditions()
    which.also("created_by = ?", wanted["creator"])
    which.also(
        "id IN (SELECT change_request_id FROM contributor WHERE contributor.user_id = ?)",
        contributor,
    )
    which.also(
        "id IN (SELECT change_request_id FROM requested_reviewer "
        "WHERE requested_reviewer.user_id = ?)",
        reviewer,
    )
    which.also("cluster_id = ?", wanted["conversations_issues_cluster"])
    return which, sign


def _list(call: Call, which: Conditions, count: int | None, paging: Paging) -> Page[ChangeRequest]:
    def make(row: Row) -> ChangeRequest:
        return change_request_model(call, space_row(call, row["space_id"]), row)

    return paginate(
        call.tx,
        make,
        source="change_request",
        which=which,
        keys=("updated_at", "id"),
        count=count,
        prepare=lambda rows: prepare_models(call, rows),
        paging=paging,
    )


def _current(call: Call, space_id: str, key: str) -> ChangeRequest:
    """Return a change request as it is after this call's write."""
    return change_request_model(call, *find_change_request(call, space_id, key))


def _stored(document: Document | None) -> str | None:
    return None if document is None else document.to_json().decode()

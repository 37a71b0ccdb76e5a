"""Change requests as branches: opening, editing, updating from primary content, merging.

A branch starts at a revision of its space's primary content and knows the last one that it contains
(``base_of``). Both ways of joining are three-way merges from there; a conflict changes nothing
(docs/api-notes.md, Merging). Who may do it and which rules hold is for the callers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Literal, TypeAlias

from copydesk.contract.enumerations import RevisionType
from copydesk.domain.late_dataclass import dataclass
from copydesk.server import content
from copydesk.server.content import Draft
from copydesk.server.content_merge import MergeConflict, Side, merge
from copydesk.server.desk_writes import Edit, advance, put_edit
from copydesk.server.store import Row, Tx, to_json

FileSide: TypeAlias = Literal["change", "primary"]
"""Whether a file is taken from the change request or from primary content."""

COUNTED: dict[str, str] = {
    "open": "change_requests_open",
    "draft": "change_requests_draft",
    "archived": "change_requests_archived",
    "merged": "change_requests_merged",
}
"""The column of the space that counts its change requests of a status."""


@dataclass(frozen=True, slots=True)
class Joined:
    """What a merge or an update came to: a new revision, or the conflicts that stopped it.

    Neither is a merge that would change nothing.
    """

    revision: str | None
    conflicts: tuple[MergeConflict, ...] = ()


def open_branch(
    tx: Tx,
    space_id: str,
    author: str,
    subject: str,
    edit: Edit | None = None,
    *,
    status: str = "open",
    number: int | None = None,
    description: Mapping[str, Any] | None = None,
    cluster: str | None = None,
    base: str | None = None,
    git: dict[str, Any] | None = None,
) -> str:
    """Open a change request on a space and return its id.

    ``edit`` is the author's first commit on it. ``base`` is the revision it starts from, the
    space's current one by default. ``number`` is used when it is free in the space, the next
    number otherwise. ``description`` is a rich text document, ``status`` draft, open or archived.
    """
    space = tx.row("space", space_id)
    start = base or space["revision_id"]
    if number is None or tx.get("change_request", space_id=space_id, number=number) is not None:
        number = space["next_number"]
    change_request_id = tx.add(
        "change_request",
        space_id=space_id,
        organization_id=space["organization_id"],
        number=number,
        status=status,
        subject=subject,
        description=None if description is None else to_json(description),
        created_by=author,
        created_at=tx.now,
        updated_at=tx.now,
        revision_id=start,
        revision_initial=start,
        cluster_id=cluster,
    )
    tx.run(
        "UPDATE space SET next_number = max(next_number, ? + 1), "
        "change_requests = change_requests + 1 WHERE id = ?",
        number,
        space_id,
    )
    _count(tx, space_id, status, 1)
    if edit is not None:
        edit_branch(tx, change_request_id, author, edit, git=git)
    return change_request_id


def edit_branch(
    tx: Tx,
    change_request_id: str,
    author: str,
    edit: Edit,
    *,
    git: dict[str, Any] | None = None,
    contains: str | None = None,
) -> str:
    """Commit an edit to a change request and return its new revision. The author contributed.

    ``contains`` is the last revision of primary content that it holds from now on, where the edit
    took another in than the request held before.
    """
    row = tx.row("change_request", change_request_id)
    revision = put_edit(tx, row["space_id"], row["revision_id"], edit, author=author, git=git)
    tx.update(
        "change_request",
        change_request_id,
        revision_id=revision,
        revision_merged_ancestor=contains or row["revision_merged_ancestor"],
        updated_at=tx.now,
    )
    add_contributors(tx, change_request_id, (author,))
    return revision


def write_branch(tx: Tx, change_request_id: str, author: str, edit: Edit) -> str:
    """Commit an edit to a change request, as ``edit_branch``, unless it changes nothing."""
    row = tx.row("change_request", change_request_id)
    before: str = row["revision_id"]
    made = edit_branch(tx, change_request_id, author, edit)
    if content.tree_hash(tx, made) != content.tree_hash(tx, before):
        return made
    tx.update("change_request", change_request_id, revision_id=before, updated_at=row["updated_at"])
    tx.run("DELETE FROM revision WHERE id = ?", made)
    return before


def add_contributors(tx: Tx, change_request_id: str, users: Iterable[str]) -> None:
    """Count users among those who wrote a change request."""
    tx.run_many(
        "INSERT OR IGNORE INTO contributor (change_request_id, user_id) VALUES (?, ?)",
        iter([(change_request_id, user) for user in users]),
    )


def set_status(tx: Tx, change_request_id: str, status: str) -> None:
    """Make a change request draft, open, archived or merged, and keep the space's counts."""
    row = tx.row("change_request", change_request_id)
    if row["status"] != status:
        _count(tx, row["space_id"], row["status"], -1)
        _count(tx, row["space_id"], status, 1)
        tx.update("change_request", change_request_id, status=status, updated_at=tx.now)


def base_of(change_request: Row | Mapping[str, Any]) -> str:
    """Return the last revision of primary content that a change request contains."""
    base: str = change_request["revision_merged_ancestor"] or change_request["revision_initial"]
    return base


def is_outdated(space: Row, change_request: Row | Mapping[str, Any]) -> bool:
    """Return whether primary content changed since; a merged request is never outdated."""
    main: str = space["revision_id"]
    return change_request["status"] != "merged" and base_of(change_request) != main


def is_contained(tx: Tx, change_request: Row) -> bool:
    """Say whether primary content has all that a change request changes, and that is something."""
    main = tx.row("space", change_request["space_id"])["revision_id"]
    head = content.load(tx, change_request["revision_id"])
    if head == content.load(tx, base_of(change_request)):
        return False
    draft, conflicts, _ = _merged(tx, change_request, main, change_request["revision_id"])
    return not conflicts and draft == content.open_draft(tx, content.load(tx, main))


def update_branch(
    tx: Tx, change_request_id: str, author: str, files: Mapping[str, FileSide] | None = None
) -> Joined:
    """Merge primary content into a change request. One that is up to date stays as it is.

    ``files`` says by id from which side a file is that both changed.
    """
    row = tx.row("change_request", change_request_id)
    main = tx.row("space", row["space_id"])["revision_id"]
    if base_of(row) == main:
        return Joined(row["revision_id"])
    sides: dict[str, Side] = {
        file: "ours" if side == "change" else "theirs" for file, side in (files or {}).items()
    }
    joined = _join(tx, row, into=row["revision_id"], other=main, kind="update", author=author,
                   files=sides)  # fmt: skip
    if joined.revision is not None:
        tx.update(
            "change_request",
            change_request_id,
            revision_id=joined.revision,
            revision_merged_ancestor=main,
            updated_at=tx.now,
        )
    return joined


def merge_branch(tx: Tx, change_request_id: str, author: str) -> Joined:
    """Merge a change request into the primary content of its space."""
    row = tx.row("change_request", change_request_id)
    main = tx.row("space", row["space_id"])["revision_id"]
    joined = _join(tx, row, into=main, other=row["revision_id"], kind="merge", author=author)
    if joined.revision is not None:
        advance(tx, row["space_id"], joined.revision)
        record_merge(tx, change_request_id, joined.revision)
    return joined


def record_merge(tx: Tx, change_request_id: str, revision: str) -> None:
    """Record the revision of primary content that a change request was merged as."""
    set_status(tx, change_request_id, "merged")
    tx.update("change_request", change_request_id, revision_merged=revision, merged_at=tx.now)


def _join(
    tx: Tx,
    row: Row,
    *,
    into: str,
    other: str,
    kind: RevisionType,
    author: str,
    files: Mapping[str, Side] | None = None,
) -> Joined:
    base = base_of(row)
    sides = tuple(sorted((files or {}).items()))
    draft, conflicts, texts = tx.apart(
        ("merge", base, into, other, sides),
        # A view has no revision that was made just now.
        0 if tx.has_written else _size_of_texts(tx, (base, into, other)),
        lambda tx: _merged(tx, row, into, other, files),
    )
    if conflicts:
        return Joined(None, conflicts)
    for text in texts:
        content.put_text(tx, text)
    made = content.close_draft(tx, draft)
    # An update is worth noting all the same: the change request then contains what it joined.
    if kind == "merge" and made == content.load(tx, into):
        return Joined(None)
    return Joined(
        content.put_revision(
            tx, row["space_id"], made, parents=(into, other), kind=kind, author=author
        )
    )


def _merged(
    tx: Tx, row: Row, into: str, other: str, files: Mapping[str, Side] | None = None
) -> tuple[Draft, tuple[MergeConflict, ...], list[str]]:
    """Merge in memory: the tree, what clashes, and the texts that are new in it."""
    written: dict[str, str] = {}

    def write(text: str) -> str:
        digest = sha256(text.encode()).hexdigest()
        written[digest] = text
        return digest

    base, ours, theirs = (
        content.open_draft(tx, content.load(tx, revision))
        for revision in (base_of(row), into, other)
    )
    merged = merge(
        base,
        ours,
        theirs,
        read_text=lambda digest: content.text(tx, digest),
        write_text=write,
        files=files or {},
    )
    return merged.draft, merged.conflicts, list(written.values())


def _size_of_texts(tx: Tx, revisions: Iterable[str]) -> int:
    """Return how many bytes of text a merge of some revisions may read: of pages that differ."""
    first, *others = (set(content.load(tx, revision).versions().values()) for revision in revisions)
    differing = first.union(*others) - first.intersection(*others)
    texts = {page.text for page in content.versions(tx, differing).values()}
    found: int = tx.value(
        "SELECT coalesce(sum(size), 0) FROM blob WHERE hash IN (SELECT value FROM json_each(?))",
        json.dumps(list(texts)),
    )
    return found


def _count(tx: Tx, space_id: str, status: str, change: int) -> None:
    column = COUNTED[status]
    tx.run(
        f"UPDATE space SET {column} = {column} + ? WHERE id = ?",  # noqa: S608 - a column of ours
        change,
        space_id,
    )

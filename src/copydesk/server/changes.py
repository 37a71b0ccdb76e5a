"""What a change request changes (extension E6), and what clashes when it joins, as the API says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Literal

from copydesk.contract.enumerations import ConflictKind
from copydesk.contract.models.change_request import (
    Change,
    ChangedFile,
    ChangedPage,
    Conflict,
    ConflictLines,
    MovedOut,
    Placement,
)
from copydesk.domain.page_tree import PageChange, PageNode, compare_trees
from copydesk.server import content
from copydesk.server.change_requests import base_of
from copydesk.server.content import Draft, FileData, PageData
from copydesk.server.content_merge import Clash, MergeConflict
from copydesk.server.store import Row, Tx

Side = Literal["ours", "theirs"]
"""Which side of a merge the change request was."""


def changes_of(
    tx: Tx, change_request: Row, moved: Mapping[str, MovedOut] | None = None
) -> list[Change]:
    """Return what a change request does to the primary content that it contains.

    ``moved`` says of pages that it takes out of the space where they are then.

    Pages come in the reading order of the change request, files after them by path. What primary
    content did since is not in it, for the comparison starts from the last revision of it that the
    change request was opened on or updated to.
    """
    before = content.load(tx, base_of(change_request))
    after = content.load(tx, change_request["revision_id"])
    if before == after:
        return []
    old, new = content.open_draft(tx, before), content.open_draft(tx, after)
    found: list[Change] = []
    for change in compare_trees(
        _nodes(old),
        _nodes(new),
        changed=lambda was, now: _differs(old.pages[was.id], new.pages[now.id]),
    ):
        found.extend(_page_changes(change, old, new, moved or {}))
    found.extend(_file_changes(old.files, new.files))
    return found


def conflict_model(tx: Tx, conflict: MergeConflict, change_request: Row, side: Side) -> Conflict:
    """Return a conflict as the API shows it, the change request's side named first.

    ``side`` says which side of the merge that found it the change request was.
    """
    head = content.open_draft(tx, content.load(tx, change_request["revision_id"]))
    if conflict.page is None:
        base = content.load(tx, base_of(change_request))
        file = head.files.get(conflict.path)
        known = file or next((f for f in base.files if f.path == conflict.path), None)
        return Conflict(
            kind=_file_clash(conflict.path, base, head),
            file=_file(known) if known else ChangedFile(id="", path=conflict.path),
        )
    clashing = conflict.page
    if conflict.other is not None and not _has_slug(head, clashing):
        clashing = (
            conflict.other
        )  # of two at one address, the one that the change request put there
    path = content.paths(head).get(clashing.id, clashing.slug)
    page = head.pages.get(clashing.id, clashing)
    return Conflict(
        kind=_page_clash(conflict, head),
        page=ChangedPage(id=page.id, title=page.title, path=path, type=page.type),
        lines=[_clash_lines(clash, side) for clash in conflict.lines] or None,
    )


def _has_slug(head: Draft, page: PageData) -> bool:
    return page.id in head.pages and head.pages[page.id].slug == page.slug


def _page_clash(conflict: MergeConflict, head: Draft) -> ConflictKind:
    if conflict.kind == "deleted":
        assert conflict.page is not None
        return "edited-deleted" if conflict.page.id in head.pages else "deleted-edited"
    if conflict.kind == "position":
        return "moved"
    if conflict.kind == "address":
        return "added"
    return "renamed" if conflict.field in ("title", "slug") else "edited"


def _file_clash(path: str, base: content.Content, head: Draft) -> ConflictKind:
    if path not in head.files:
        return "deleted-edited"
    return "edited" if any(file.path == path for file in base.files) else "added"


def _clash_lines(clash: Clash, side: Side) -> ConflictLines:
    change, primary = (clash.ours, clash.theirs) if side == "ours" else (clash.theirs, clash.ours)
    return ConflictLines(
        start=clash.ours_start if side == "ours" else clash.theirs_start,
        base=_bare(clash.base),
        primary=_bare(primary),
        change=_bare(change),
    )


def _bare(lines: tuple[str, ...]) -> list[str]:
    return [line.removesuffix("\n").removesuffix("\r") for line in lines]


def _nodes(draft: Draft) -> list[PageNode]:
    """Lay a tree out in reading order, as comparing takes it."""
    paths = content.paths(draft)
    found: list[PageNode] = []

    def walk(parent: str | None) -> None:
        for position, page_id in enumerate(draft.children.get(parent, ())):
            page = draft.pages[page_id]
            found.append(
                PageNode(
                    id=page_id,
                    title=page.title,
                    slug=page.slug,
                    path=paths[page_id],
                    type=page.type,
                    parent=parent,
                    position=position,
                )
            )
            walk(page_id)

    walk(None)
    return found


def _differs(was: PageData, now: PageData) -> bool:
    return _plain(was) != _plain(now) or bool(_file_moved(was, now))


def _file_moved(was: PageData, now: PageData) -> bool:
    """Whether an export puts a page into another file. What was made here has none yet."""
    return None not in (was.git_path, now.git_path) and was.git_path != now.git_path


def _plain(page: PageData) -> PageData:
    """Return a page without what only says where it was imported from."""
    return replace(page, git_path=None, git_oid=None)


def _page_changes(
    change: PageChange, old: Draft, new: Draft, moved: Mapping[str, MovedOut]
) -> list[Change]:
    before, after = _page_place(change.before), _page_place(change.after)
    page = ChangedPage(
        id=change.id, title=change.page.title, path=change.page.path, type=change.page.type
    )
    if "added" in change.kinds:
        return [Change(type="page_created", page=page, after=after)]
    if "deleted" in change.kinds:
        out = moved.get(change.id)
        return [Change(type="page_deleted", page=page, before=before, moved_out=out)]
    found = []
    was, now = old.pages[change.id], new.pages[change.id]
    if before is not None and after is not None and _file_moved(was, now):
        before = before.model_copy(update={"file": was.git_path})
        after = after.model_copy(update={"file": now.git_path})
    if "moved" in change.kinds:
        found.append(Change(type="page_moved", page=page, before=before, after=after))
    if "renamed" in change.kinds or "edited" in change.kinds:
        found.append(
            Change(
                type="page_edited",
                page=page,
                before=before,
                after=after,
                text_changed=was.text != now.text,
            )
        )
    return found


def _page_place(page: PageNode | None) -> Placement | None:
    if page is None:
        return None
    return Placement(title=page.title, path=page.path, parent=page.parent, position=page.position)


def _file_changes(old: Mapping[str, FileData], new: Mapping[str, FileData]) -> list[Change]:
    """Compare the files that readers see; what is only kept for export follows the pages."""
    before = {path: file for path, file in old.items() if file.kind == "file"}
    after = {path: file for path, file in new.items() if file.kind == "file"}
    lost: dict[str, list[FileData]] = {}
    for path, file in sorted(before.items(), reverse=True):
        if path not in after:
            lost.setdefault(file.blob, []).append(file)
    found: list[Change] = []
    for path, file in sorted(after.items()):
        was = before.get(path)
        if was is None and lost.get(file.blob):
            was = lost[file.blob].pop()
            found.append(
                Change(
                    type="file_moved",
                    file=_file(file),
                    before=_file_place(was),
                    after=_file_place(file),
                )
            )
        elif was is None:
            found.append(Change(type="file_created", file=_file(file), after=_file_place(file)))
        elif was.blob != file.blob:
            found.append(
                Change(
                    type="file_edited",
                    file=_file(file),
                    before=_file_place(was),
                    after=_file_place(file),
                )
            )
    found.extend(
        Change(type="file_deleted", file=_file(file), before=_file_place(file))
        for file in sorted(chain.from_iterable(lost.values()), key=lambda file: file.path)
    )
    return found


def _file(file: FileData) -> ChangedFile:
    return ChangedFile(id=file.id, name=file.name, path=file.path, content_type=file.content_type)


def _file_place(file: FileData) -> Placement:
    return Placement(title=file.name, path=file.path)

"""What a change request changes (extension E6), and what clashes when it joins, as the API says."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import chain
from sys import intern
from threading import Lock
from typing import Any, NamedTuple

from pydantic.alias_generators import to_camel

from copydesk.contract.enumerations import ConflictKind
from copydesk.contract.models.change_request import (
    Change,
    ChangedFile,
    ChangedPage,
    ChangedReusableContent,
    Changes,
    Conflict,
    ConflictLines,
    Difference,
    MovedOut,
    ParentDifference,
    Placement,
)
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_tree import PageChange, PageNode, compare_trees
from copydesk.domain.text_merge import Clash
from copydesk.server import content, substitution
from copydesk.server.change_requests import base_of
from copydesk.server.content import Draft, FileData, PageData
from copydesk.server.content_merge import MergeConflict, Side
from copydesk.server.queries.page import page_layout
from copydesk.server.store import Row, Tx

MOST_CHANGES = 1000
"""How many changes are answered when the request does not say."""


def changes_of(
    tx: Tx, change_request: Row, moved: Callable[[], Mapping[str, MovedOut]] = dict
) -> list[Change]:
    """Return what a change request does to the primary content that it contains.

    ``moved`` says of pages that it takes out of the space where they are then; it is asked if there
    are any.

    Pages come in the reading order of the change request, files after them by path. What primary
    content did since is not in it, for the comparison starts from the last revision of it that the
    change request was opened on or updated to.
    """
    found = changes_between(tx, base_of(change_request), change_request["revision_id"])
    if not any(change.type == "page_deleted" for change in found):
        return list(found)
    out = moved()
    return [_with_way_out(change, out) for change in found]


def changes_between(tx: Tx, before: str | None, after: str) -> Sequence[Change]:
    """Return what a revision changes in another one; None is the one that holds nothing."""
    old, new = before and content.tree_hash(tx, before), content.tree_hash(tx, after)
    if old == new:
        return []
    found = _COMPARED.get((old or "", new))
    if found is None:
        found = _compare(tx, _laid_out(tx, old), _laid_out(tx, new))
        _COMPARED.keep((old or "", new), found)
    return found


def limited_changes(
    found: Sequence[Change], limit: int | None, downloads: str, before: str | None, after: str
) -> Changes:
    """Return changes as they are answered: no more than the limit, with how many are left out.

    ``downloads`` is where files of the space are fetched, ``before`` and ``after`` are revisions.
    """
    most = MOST_CHANGES if limit is None else limit
    told = [
        _with_download(change, f"{downloads}/{before if change.type == 'file_deleted' else after}")
        for change in found[:most]
    ]
    return Changes(changes=told, more=len(found) - most if len(found) > most else None)


def _with_download(change: Change, at: str) -> Change:
    if change.file is None:
        return change
    file = change.file.model_copy(update={"download_url": f"{at}/{change.file.id}"})
    return change.model_copy(update={"file": file})


def _with_way_out(change: Change, moved: Mapping[str, MovedOut]) -> Change:
    if change.type != "page_deleted" or change.page is None or change.page.id not in moved:
        return change
    return change.model_copy(update={"moved_out": moved[change.page.id]})


class _Compared:
    """What the trees that were compared last differ in, by their hashes.

    What is found by the hash of its content never changes: whoever writes, this stays true.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], Sequence[Change]] = {}
        self._size = 0
        self._lock = Lock()

    def get(self, trees: tuple[str, str]) -> Sequence[Change] | None:
        """Return the kept comparison of two trees, or None."""
        with self._lock:
            found = self._found.pop(trees, None)
            if found is not None:
                self._found[trees] = found  # the newest again
            return found

    def keep(self, trees: tuple[str, str], found: Sequence[Change]) -> None:
        """Keep the comparison of two trees; the least recently used one is dropped."""
        if len(found) > _MOST_COMPARED:
            return
        with self._lock:
            if self._found.pop(trees, None) is None:
                self._size += len(found) + 1
            self._found[trees] = found
            while self._size > _MOST_COMPARED:
                oldest = next(iter(self._found))
                self._size -= len(self._found.pop(oldest)) + 1


_MOST_COMPARED = 1000
"""How many changes are kept, of all trees together; each takes about 3 kB."""

_COMPARED = _Compared()


@dataclass(frozen=True, slots=True)
class _Tree:
    """A stored tree laid flat: the pages in reading order, and the files as they are stored."""

    pages: dict[str, _Place]
    files: list[dict[str, Any]]

    def above(self, page_id: str) -> Iterator[str]:
        """Yield a page and those above it, to the top."""
        above: str | None = page_id
        while above is not None:
            yield above
            above = self.pages[above].parent


class _Place(NamedTuple):
    version: str
    parent: str | None
    position: int


def _laid_out(tx: Tx, tree_hash: str | None) -> _Tree:
    return _laid_flat(_NOTHING if tree_hash is None else content.tree_data(tx, tree_hash))


_NOTHING = '{"pages":[],"files":[]}'


@lru_cache(maxsize=4)  # most change requests of a space start from the same tree
def _laid_flat(data: str) -> _Tree:
    value = json.loads(data)
    pages: dict[str, _Place] = {}
    waiting: list[tuple[Any, str | None, int]] = [
        (node, None, place) for place, node in enumerate(value["pages"])
    ]
    waiting.reverse()
    while waiting:
        (name, version, below), parent, position = waiting.pop()
        page_id = intern(name)  # as in the trees of `content`
        pages[page_id] = _Place(intern(version), parent, position)
        if below:
            waiting += reversed([(node, page_id, place) for place, node in enumerate(below)])
    return _Tree(pages, value["files"])


def _compare(tx: Tx, before: _Tree, after: _Tree) -> list[Change]:
    """Compare two trees; only pages that differ and their ancestors are read."""
    differing = _differing(before, after)
    old, new = (
        {page_id: place for page_id, place in tree.pages.items() if page_id in differing}
        for tree in (before, after)
    )
    wanted = [
        tree.pages[each].version
        for tree, pages in ((before, old), (after, new))
        for page_id in pages
        for each in tree.above(page_id)
    ]
    versions = content.versions(tx, wanted)
    found: list[Change] = []
    parents = [_parents(tree, pages, versions) for tree, pages in ((before, old), (after, new))]
    for change in compare_trees(
        _nodes(before, old, versions),
        _nodes(after, new, versions),
        changed=lambda was, now: _differs(
            versions[old[was.id].version], versions[new[now.id].version]
        ),
    ):
        was, now = (
            versions[pages[change.id].version] if change.id in pages else None
            for pages in (old, new)
        )
        found.extend(_page_changes(change, was, now, *parents))
    if before.files != after.files:
        found.extend(_file_changes(*_differing_files(before.files, after.files)))
        found.extend(_included_changes(tx, before, after))
    return found


def _differing(before: _Tree, after: _Tree) -> set[str]:
    """Return the pages that a comparison of two trees is about.

    Those that are not the same in both; all that stay below a page whose pages stand in another
    order; and those behind which a deleted one stood.
    """
    old, new = before.pages, after.pages
    found = {
        page_id
        for page_id, place in new.items()
        if (was := old.get(page_id)) is None or was[:2] != place[:2]
    }
    stayed = [i for i, p in new.items() if (was := old.get(i)) is not None and was[1] == p[1]]
    orders: dict[str | None, int] = {}
    moved: set[str | None] = set()
    for page_id in stayed:  # siblings come in their order, whatever stands between them
        was = old[page_id]
        if was.position < orders.get(was.parent, -1):
            moved.add(was.parent)
        orders[was.parent] = was.position
    if moved:
        found.update(page_id for page_id in stayed if old[page_id].parent in moved)
    anchor: str | None = None
    for page_id in old:
        if page_id in new:
            anchor = page_id
        else:
            found.add(page_id)
            if anchor is not None:
                found.add(anchor)
    return found


def _nodes(
    tree: _Tree, pages: Mapping[str, _Place], versions: Mapping[str, PageData]
) -> list[PageNode]:
    """Return some pages of a tree as comparing takes them."""
    return [
        PageNode(
            id=page_id,
            title=page.title,
            slug=page.slug,
            path="/".join(
                reversed([versions[tree.pages[each].version].slug for each in tree.above(page_id)])
            ),
            type=page.type,
            parent=place.parent,
            position=place.position,
        )
        for page_id, place in pages.items()
        for page in (versions[place.version],)
    ]


def _parents(
    tree: _Tree, pages: Mapping[str, _Place], versions: Mapping[str, PageData]
) -> dict[str, ChangedPage]:
    """Return the pages above some pages of a tree, by their ids."""
    above = {place.parent: tree.pages[place.parent] for place in pages.values() if place.parent}
    return {
        node.id: ChangedPage(id=node.id, title=node.title, path=node.path, type=node.type)
        for node in _nodes(tree, above, versions)
    }


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
        clashing = conflict.other  # of two at one address, the change request's own
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


def _differs(was: PageData, now: PageData) -> bool:
    return _plain(was) != _plain(now) or bool(_file_moved(was, now))


def _file_moved(was: PageData, now: PageData) -> bool:
    """Whether an export puts a page into another file. What was made here has none yet."""
    return None not in (was.git_path, now.git_path) and was.git_path != now.git_path


def _plain(page: PageData) -> PageData:
    """Return a page without what only says where it was imported from."""
    return replace(page, git_path=None, git_oid=None)


def _page_changes(
    change: PageChange,
    was: PageData | None,
    now: PageData | None,
    old: Mapping[str, ChangedPage],
    new: Mapping[str, ChangedPage],
) -> list[Change]:
    """Return the changes of one page; None stands for the side that lacks it.

    ``old`` and ``new`` are the pages that it may stand below on either side.
    """
    before, after = _page_place(change.before), _page_place(change.after)
    page = ChangedPage(
        id=change.id, title=change.page.title, path=change.page.path, type=change.page.type
    )
    if "added" in change.kinds:
        return [Change(type="page_created", page=page, after=after)]
    if "deleted" in change.kinds:
        return [Change(type="page_deleted", page=page, before=before)]
    found = []
    assert was is not None
    assert now is not None
    if before is not None and after is not None and _file_moved(was, now):
        before = before.model_copy(update={"file": was.git_path})
        after = after.model_copy(update={"file": now.git_path})
    if "moved" in change.kinds:
        found.append(
            Change(
                type="page_moved",
                page=page,
                before=before,
                after=after,
                parent=ParentDifference(
                    before=_above(change.before, old), after=_above(change.after, new)
                ),
            )
        )
    if "renamed" in change.kinds or "edited" in change.kinds:
        found.append(
            Change(
                type="page_edited",
                page=page,
                before=before,
                after=after,
                text_changed=was.text != now.text,
                attributes=_attributes(was, now),
            )
        )
    return found


_DESCRIBED = {
    name: to_camel(name)
    for name in (
        *("title", "slug", "description", "emoji", "icon", "href", "hidden", "no_index"),
        *("no_robots_index", "condition", "cover", "variables", "meta_links"),
    )
}
"""The attributes of a page that are told as they are kept, with their names in answers."""


def _attributes(was: PageData, now: PageData) -> dict[str, Difference]:
    """Return what differs between two versions of a page, by the names that it has in answers."""
    sides = [
        {told: getattr(page, name) or None for name, told in _DESCRIBED.items()}
        | {"document": page.text, "layout": page_layout(page).to_dict()}
        for page in (was, now)
    ]
    return {
        name: Difference(before=value, after=sides[1][name])
        for name, value in sides[0].items()
        if value != sides[1][name]
    }


def _above(page: PageNode | None, pages: Mapping[str, ChangedPage]) -> ChangedPage | None:
    return None if page is None or page.parent is None else pages.get(page.parent)


def _page_place(page: PageNode | None) -> Placement | None:
    if page is None:
        return None
    return Placement(title=page.title, path=page.path, parent=page.parent, position=page.position)


def _differing_files(
    old: list[dict[str, Any]], new: list[dict[str, Any]]
) -> tuple[dict[str, FileData], dict[str, FileData]]:
    """Return the files that readers see and that are not the same in both, by path.

    What is only kept for export follows the pages.
    """
    before, after = (
        {each["path"]: each for each in files if each.get("kind", "file") == "file"}
        for files in (old, new)
    )
    return (
        {path: FileData(**each) for path, each in before.items() if after.get(path) != each},
        {path: FileData(**each) for path, each in after.items() if before.get(path) != each},
    )


def _file_changes(before: Mapping[str, FileData], after: Mapping[str, FileData]) -> list[Change]:
    """Compare files by their paths."""
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
                    attributes=_file_attributes(was, file),
                    before=_file_place(was),
                    after=_file_place(file),
                )
            )
    found.extend(
        Change(type="file_deleted", file=_file(file), before=_file_place(file))
        for file in sorted(chain.from_iterable(lost.values()), key=lambda file: file.path)
    )
    return found


def _included_changes(tx: Tx, before: _Tree, after: _Tree) -> Iterator[Change]:
    """Yield what changes in the texts that pages include, and in the variables of the space."""
    old, new = (
        content.Content(files=tuple(FileData(**each) for each in tree.files))
        for tree in (before, after)
    )
    was, now = (
        {each.id: each for each in substitution.reusable_contents(tx, held, metadata=False)}
        for held in (old, new)
    )
    for key in dict.fromkeys([*now, *was]):
        one, other = was.get(key), now.get(key)
        if one == other:
            continue
        named = other or one
        assert named is not None
        differing = {
            name: Difference(before=getattr(one, name), after=getattr(other, name))
            for name in ("title", "document")
            if one and other and getattr(one, name) != getattr(other, name)
        }
        yield Change(
            type="reusable_content_edited"
            if one and other
            else ("reusable_content_created" if other else "reusable_content_deleted"),
            reusable_content=ChangedReusableContent(id=named.id, title=named.title),
            attributes=differing or None,
        )
    values, others = (substitution.space_variables(tx, held) for held in (old, new))
    changed = {
        name: Difference(before=values.get(name), after=others.get(name))
        for name in sorted({*values, *others})
        if values.get(name) != others.get(name)
    }
    if changed:
        yield Change(type="variables_edited", variables=changed)


def _file(file: FileData) -> ChangedFile:
    return ChangedFile(id=file.id, name=file.name, path=file.path, content_type=file.content_type)


def _file_attributes(was: FileData, now: FileData) -> dict[str, Difference]:
    return {
        to_camel(name): Difference(before=getattr(was, name), after=getattr(now, name))
        for name in ("name", "size", "content_type")
        if getattr(was, name) != getattr(now, name)
    }


def _file_place(file: FileData) -> Placement:
    return Placement(title=file.name, path=file.path)

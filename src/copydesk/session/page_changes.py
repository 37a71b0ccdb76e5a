"""What a change request changes, read and told: pages, their settings, files, and what else."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from copydesk.client.errors import OperationMissing
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_tree import ChangeKind, PageNode, compare_trees
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, plural, shown_title
from copydesk.session.operations import ops
from copydesk.session.page_rows import tag_names

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import ContentReference
    from copydesk.contract.models.change_request import (
        Change,
        ChangedPage,
        Changes,
        MovedOut,
        Placement,
    )
    from copydesk.contract.models.content import (
        ContentPage,
        File,
        PageCover,
        PageLayout,
        ReusableContent,
    )


MOST_CHANGES = 1000
"""The largest number of changes of a request that are compared."""

FILE = "file:"
"""The prefix of ids of files in the tree, which they share with pages."""


_KINDS: Mapping[str, ChangeKind] = {
    "created": "added",
    "deleted": "deleted",
    "moved": "moved",
    "edited": "edited",
}

REUSABLE = "reusable content"

THINGS: Mapping[str, str] = {
    "file": "Files",
    REUSABLE: "Reusable content",
    "variable": "Variables",
    "tag": "Tags",
}
"""What a change request changes besides pages, with the title of its branch in the tree."""


@dataclass(frozen=True, slots=True)
class ReviewChange:
    """A page, or what else a change request changes: ``thing`` says what ("" for a page).

    ``text`` is False where the text is known to be unchanged. ``moved`` is the new place of a page
    that left the space, ``files`` the old and the new file in the repository where the file moves.
    ``notes`` are what the service says of the change, where no two states can be compared.
    """

    id: str
    kinds: tuple[ChangeKind, ...]
    before: PageNode | None
    after: PageNode | None
    thing: str = ""
    text: bool | None = None
    note: str = ""
    moved: MovedOut | None = None
    files: tuple[str, str] | None = None
    notes: tuple[str, ...] = ()

    @property
    def file(self) -> bool:
        """Whether it is a file."""
        return self.thing == "file"

    @property
    def node(self) -> PageNode:
        """The page as it is now, or as it was if it is deleted."""
        node = self.after or self.before
        assert node is not None
        return node


async def read_changes(api: Api, space: str, request: str) -> Changes | None:
    """Read the changes of a change request; None where the service does not list them (E6).

    Raises ``ApiError``.
    """
    try:
        return await api(ops.get_change_request_changes, space, request, limit=MOST_CHANGES)
    except OperationMissing:
        return None


def changed_pages(
    before: Sequence[PageNode],
    after: Sequence[PageNode],
    hint: Changes | None,
    *,
    told_only: bool = False,
) -> list[ReviewChange]:
    """Return the changed pages in reading order; with ``told_only`` only those the service lists.

    Two trees show the differences from primary content as it is now. Where the service also lists
    the changes of the request (E6), its list decides which pages are shown: later changes of
    primary content are not the author's.
    """
    found = {
        change.id: ReviewChange(change.id, change.kinds, change.before, change.after)
        for change in compare_trees(before, after)
    }
    if hint is None or (hint.more and not told_only):
        return list(found.values())
    old, new = {node.id: node for node in before}, {node.id: node for node in after}
    told: dict[str, ReviewChange] = {}
    for change in hint.changes:
        page = change.page
        if page is None:
            continue
        kind = _kind(change)
        was, now = _node(page.id, change.before), _node(page.id, change.after)
        slug = page.path.rpartition("/")[2]
        stub = PageNode(page.id, page.title, slug=slug, path=page.path, type=page.type)
        entry = told.get(page.id) or ReviewChange(
            page.id,
            (),
            None if kind == "added" else old.get(page.id) or was or stub,
            None if kind == "deleted" else new.get(page.id) or now or stub,
        )
        if entry.before is not None and page.id not in old:
            entry = replace(entry, before=_as_it_was(change, entry.before))
        if entry.after is not None and page.id not in new and change.parent is not None:
            entry = replace(entry, after=_below(entry.after, change.parent.after))
        kinds = list(entry.kinds)
        if kind != "edited":
            kinds.append("moved out" if change.moved_out is not None else kind)
        else:
            files = _files_moved(change.before, change.after)
            names = None if change.attributes is None else set(change.attributes)
            text = change.text_changed
            if names:
                renamed = bool(names & _NAMES)
                text = bool(names - _NAMES)
            elif was is not None and now is not None:
                renamed = (was.title, was.slug) != (now.title, now.slug)
            else:
                renamed = page.id in found and "renamed" in found[page.id].kinds
            if renamed:
                kinds.append("renamed")
            if files is not None:
                kinds.append("file moved")
            if text is not False or not (renamed or files):
                kinds.append("edited")
            entry = replace(
                entry,
                text="document" in names if names else change.text_changed,
                files=files,
                notes=entry.notes + tuple(_attribute_notes(change, _NAMES | {"document"})),
            )
        told[page.id] = replace(
            entry, kinds=tuple(dict.fromkeys(kinds)), moved=change.moved_out or entry.moved
        )
    return list(told.values())


_NAMES = frozenset({"title", "slug"})
"""The attributes of a page that it is named and found by."""


def _kind(change: Change) -> ChangeKind:
    """Return the kind of a change; an unknown kind counts as an edit."""
    return _KINDS.get(change.type.rpartition("_")[2], "edited")


def _as_it_was(change: Change, page: PageNode) -> PageNode:
    """Return a page as it was before a change, where the service tells that by what differs."""
    if change.parent is not None:
        page = _below(page, change.parent.before)
    was = {name: each.before for name, each in (change.attributes or {}).items()}
    if isinstance(title := was.get("title"), str):
        page = replace(page, title=title)
    if isinstance(slug := was.get("slug"), str) and page.path:
        above = page.path.rpartition("/")[0]
        page = replace(page, slug=slug, path=f"{above}/{slug}" if above else slug)
    return page


def _below(page: PageNode, parent: ChangedPage | None) -> PageNode:
    """Return a page as one that stands below another, or at the root."""
    if parent is None:
        return replace(page, path=page.slug, parent=None, trail=())
    path = f"{parent.path}/{page.slug}" if parent.path and page.slug else page.path
    trail = (parent.title or parent.path,)
    return replace(page, path=path, parent=parent.id, trail=trail)


def _files_moved(before: Placement | None, after: Placement | None) -> tuple[str, str] | None:
    if before is None or after is None or not before.file or not after.file:
        return None
    return before.file, after.file


def _node(page_id: str, placed: Placement | None) -> PageNode | None:
    if placed is None:
        return None
    path = placed.path or ""
    return PageNode(
        page_id,
        placed.title or "",
        slug=path.rpartition("/")[2],
        path=path,
        parent=placed.parent,
        position=placed.position or 0,
    )


def changed_things(
    before: Sequence[File] | None, after: Sequence[File] | None, hint: Changes | None
) -> list[ReviewChange]:
    """Return the changes besides pages: as the service lists them, else by comparing the files."""
    if hint is not None:
        told: dict[str, ReviewChange] = {}
        for number, change in enumerate(hint.changes):
            if change.page is None:
                for each in _things(change, number):
                    known = told.get(each.id)
                    told[each.id] = each if known is None else _together(known, each)
        return list(told.values())
    found: list[ReviewChange] = []
    old = {file.id: file for file in before or ()}
    new = {file.id: file for file in after or ()}
    for file_id, file in new.items():
        was_there = old.get(file_id)
        kinds: tuple[ChangeKind, ...] = ()
        if was_there is None:
            kinds = ("added",)
        elif content_of(was_there) != content_of(file):
            kinds = ("edited",)
        if kinds:
            old_node = None if was_there is None else _file_node(was_there)
            found.append(
                ReviewChange(
                    FILE + file_id, kinds, old_node, _file_node(file), "file", note=_about(file)
                )
            )
    found.extend(
        ReviewChange(
            FILE + file_id, ("deleted",), _file_node(file), None, "file", note=_about(file)
        )
        for file_id, file in old.items()
        if file_id not in new
    )
    return found


def _together(one: ReviewChange, other: ReviewChange) -> ReviewChange:
    """Return two entries about one thing as one, such as that a file moved and was edited."""
    before, after = (
        one.before if one.before != one.after else other.before,
        one.after and other.after,
    )
    return replace(
        one,
        kinds=tuple(dict.fromkeys([*one.kinds, *other.kinds])),
        before=before or (None if after else other.node),  # one that came and went again
        after=after,
        note=one.note or other.note,
        notes=one.notes + other.notes,
    )


def changed_parts(
    before: Sequence[ReusableContent], after: Sequence[ReusableContent]
) -> list[ReviewChange]:
    """Return the reusable contents that are not the same in two revisions."""
    was, now = ({each.id: each for each in side} for side in (before, after))
    found: list[ReviewChange] = []
    for key in dict.fromkeys([*now, *was]):
        old, new = was.get(key), now.get(key)
        if old and new and (old.title, old.document) == (new.title, new.document):
            continue
        named = sure(new or old)
        kind: ChangeKind = "edited" if old and new else "added" if new else "deleted"
        found.append(_thing(REUSABLE, key, named.title, kind, (old or named).title))
    return found


def _things(change: Change, number: int) -> Iterator[ReviewChange]:
    """Yield what an entry is about that is about no page.

    A kind of thing that this version does not know, or that is not named, is told all the same:
    what changes it is not empty.
    """
    if change.variables:
        for name, value in change.variables.items():
            kind: ChangeKind = "edited"
            if value.before is None or value.after is None:
                kind = "added" if value.before is None else "deleted"
            notes: tuple[str, ...] = (
                _difference("value", _worded(value.before), _worded(value.after)),
            )
            yield _thing("variable", name, name, kind, notes=notes)
        return
    kind = _kind(change)
    notes = tuple(_attribute_notes(change, {"downloadURL"}))
    if change.file is not None:
        file, was = change.file, change.before
        title = file.path or file.name or file.id
        former = (was.path or was.title) if was is not None else _former(change, "name")
        about = file.content_type or ""
        yield _thing("file", file.id, title, kind, former, notes=notes, note=about)
    elif (content := change.reusable_content) is not None:
        former = _former(change, "title")
        yield _thing(REUSABLE, content.id, content.title, kind, former, notes=notes)
    elif (tag := change.tag) is not None:
        former = _former(change, "label")
        yield _thing("tag", tag.slug, tag.label or tag.slug, kind, former, notes=notes)
    else:
        thing, _, done = change.type.rpartition("_")
        thing = clean(thing if done in _KINDS else change.type).replace("_", " ").strip()
        thing = thing or "thing"  # without a word it would be a page
        yield _thing(thing, str(number), thing, kind, notes=(*notes, NOT_NAMED))


NOT_NAMED = "The service does not say which one, or this version of copydesk does not know it."


def _thing(
    thing: str,
    thing_id: str,
    title: str,
    kind: ChangeKind,
    former: str | None = None,
    *,
    notes: tuple[str, ...] = (),
    note: str = "",
) -> ReviewChange:
    node = PageNode(f"{thing}:{thing_id}", title or thing_id, type=thing)
    return ReviewChange(
        node.id,
        (kind,),
        None if kind == "added" else replace(node, title=former or node.title),
        None if kind == "deleted" else node,
        thing,
        note=note,
        notes=notes,
    )


def _former(change: Change, name: str) -> str:
    value = (change.attributes or {}).get(name)
    return value.before if value is not None and isinstance(value.before, str) else ""


MOST_NOTES = 20
"""How many attributes of one change are told: a stranger's service may name any number."""


def _attribute_notes(change: Change, without: Collection[str]) -> Iterator[str]:
    """Yield a sentence for each attribute that the service says differs, and that there are more.

    The attributes ``without`` which it is told are those that its title and place say already.
    """
    said = _differences(change, without)
    yield from islice(said, MOST_NOTES)
    if any(True for _ in said):
        yield "other attributes differ too"


def _differences(change: Change, without: Collection[str]) -> Iterator[str]:
    for name, value in (change.attributes or {}).items():
        said = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", clean(name)).lower()
        was, now = value.before, value.after
        if name in without:
            continue
        if name == "document":
            yield "its content changed"
        elif _has_parts(was) or _has_parts(now):
            old, new = (each if _has_parts(each) else {} for each in (was, now))
            for part in dict.fromkeys([*old, *new]):
                if old.get(part) != new.get(part):
                    both = _worded(old.get(part)), _worded(new.get(part))
                    yield _difference(f"{said} {clean(part)}", *both)
        else:
            yield _difference(said, _worded(was), _worded(now))


def _has_parts(value: Any) -> bool:
    return isinstance(value, dict) and "kind" not in value


def _worded(value: Any) -> str:
    """Return a value of JSON in words: of a reference what it leads to."""
    match value:
        case None:
            return ""
        case str():
            return value
        case {"kind": str(kind)}:
            found = value.get(kind) or value.get("spec") or value.get("url") or ""
            return str(found) if kind == "url" else f"{kind} {found}".strip()
    return json.dumps(value, ensure_ascii=False)


def touched_by(changes: Changes) -> dict[str, str]:
    """Return all that a list of changes is about, by its id: pages by their titles."""
    told = [*changed_pages([], [], changes, told_only=True), *changed_things(None, None, changes)]
    return {
        each.id.removeprefix(FILE): shown_title(f"{each.thing} {each.node.title}") for each in told
    }


def content_of(file: File) -> tuple[object, ...]:
    """Return what tells whether two revisions have a file alike, as far as a service says."""
    return (file.git.oid if file.git else None, file.size, file.name, file.content_type)


def _file_node(file: File) -> PageNode:
    return PageNode(FILE + file.id, file.name or file.id, type="file")


def _about(file: File) -> str:
    size = "" if file.size is None else plural(file.size, "byte")
    return ", ".join(part for part in (file.content_type, size) if part)


UNSHOWN_FILE = "What is in a file is not shown here."
UNSHOWN_PART = "What is in reusable content is not shown here."


def page_notes(change: ReviewChange, *, gone_in_main: bool = False) -> list[str]:
    """Return the notes above a page's text: added, moved, renamed, gone."""
    before, after = change.before, change.after
    what = clean(change.thing) or "page"
    notes: list[str] = []
    if "added" in change.kinds:
        notes.append(f"New {what}.")
    if change.moved is not None:
        notes.append(f"This page is {whereto(change.moved)}.")
    elif "deleted" in change.kinds:
        notes.append(f"This {what} is deleted.")
    if before is not None and after is not None:
        if "moved" in change.kinds:
            notes.append(f"moved: {_whereabouts(before, after)}")
        if "renamed" in change.kinds:
            if before.title != after.title:
                notes.append(f"renamed: was “{clean(before.title)}”, now “{clean(after.title)}”")
            if before.slug != after.slug and before.slug and after.slug:
                notes.append(f"address: was “{clean(before.slug)}”, now “{clean(after.slug)}”")
    if change.files is not None:
        was, now = map(clean, change.files)
        notes.append(f"file moved: was {was}, now {now}")
    notes += change.notes
    if change.thing:
        if change.note:
            notes.append(clean(change.note))
        if change.thing in ("file", REUSABLE):
            notes.append(UNSHOWN_FILE if change.file else UNSHOWN_PART)
    elif change.node.type not in ("document", ""):
        notes.append(f"This page is a {clean(change.node.type)}, which has no text.")
    if gone_in_main:
        notes.append("Main no longer has this page: someone deleted it since.")
    return notes


def whereto(moved: MovedOut) -> str:
    """Return the new place of a page that left its space: "moved to guides/b.md, which …"."""
    path = clean(moved.path)
    if moved.number is None:
        if moved.space is None:
            return f"moved to {path}, which is in no space here"
        if moved.space_title is not None:
            where = clean(moved.space_title)
            return f"moved to {path} in {where}, which no table of contents lists"
        out = "taken out of the table of contents"
        out += ", which has broken lines" if moved.broken else ""
        return f"{out}, and {path} is kept without a page"
    added = "added" if moved.merged else "adds"
    where = clean(moved.space_title or "another space")
    return f"moved to {path} in {where}, where #{moved.number} {added} it"


def losses(changes: Changes | None) -> list[str]:
    """Return the pages that readers would lose with a merge although their texts move elsewhere.

    A page that another space already has is not lost, nor one that only left the table of contents,
    unless that has broken lines.
    """
    found: list[str] = []
    for change in () if changes is None else changes.changes:
        moved = change.moved_out
        if moved is None or change.page is None or moved.merged:
            continue
        if moved.number or moved.space_title is not None or moved.space is None or moved.broken:
            found.append(f"{clean(change.page.title) or 'a page'} is {whereto(moved)}")
    return found


def not_looked_at(changes: Changes | None) -> str:
    """Return the sentence for an incomplete list of changes; "" for a complete one."""
    if changes is None or not changes.more:
        return ""
    told = len(changes.changes)
    return f"only the first {told:,} of {told + changes.more:,} changes were looked at"


def _whereabouts(before: PageNode, after: PageNode) -> str:
    was, now = _named(before), _named(after)
    if was != now:
        return f"was under {was}, now under {now}"
    if before.position == after.position:
        return f"to another place under {now}"
    return f"now at place {after.position + 1} under {now}, was at {before.position + 1}"


def _named(node: PageNode) -> str:
    return f"“{' / '.join(map(clean, node.trail))}”" if node.trail else "the top"


_LIMIT = 200
"""Characters of a setting in a sentence."""


def settings_notes(before: ContentPage | None, after: ContentPage | None) -> list[str]:
    """Return one sentence for each setting that differs.

    For a new page only the settings that hide it from readers. `page_notes` has the title and the
    slug.
    """
    if after is None:
        return []
    notes: list[str] = []
    if bool(after.hidden) != bool(before is not None and before.hidden):
        notes.append(
            "hidden: readers do not find it in the table of contents"
            if after.hidden
            else "no longer hidden: readers find it in the table of contents"
        )
    searched = not (after.no_index or after.no_robots_index)
    if searched == bool(before is not None and (before.no_index or before.no_robots_index)):
        notes.append("search engines may list it" if searched else "kept from search engines")
    if before is None:
        return notes
    if before.path != after.path and before.slug == after.slug and before.path and after.path:
        notes.append(f"address: was “{_said(before.path)}”, now “{_said(after.path)}”")
    for name, *sides in (
        ("description", before.description, after.description),
        ("icon", before.icon, after.icon),
        ("emoji", before.emoji, after.emoji),
        ("cover", _cover(before.cover), _cover(after.cover)),
        ("leads to", _leads(before.target), _leads(after.target)),
        ("tags", ", ".join(tag_names(before)), ", ".join(tag_names(after))),
    ):
        was, now = (side or "" for side in sides)
        if was != now:
            notes.append(_difference(name, was, now))
    notes += _layout(before.layout, after.layout)
    # As JSON: a flag is no number there.
    old, new = (
        {name: json.dumps(value) for name, value in (page.variables or {}).items()}
        for page in (before, after)
    )
    if names := sorted(name for name in {*old, *new} if old.get(name) != new.get(name)):
        notes.append(f"variables: {', '.join(map(_said, names))} changed")
    return notes


def _difference(name: str, was: str, now: str) -> str:
    if not was:
        return f"{name}: now “{_said(now)}”"
    if not now:
        return f"{name}: was “{_said(was)}”, now none"
    return f"{name}: was “{_said(was)}”, now “{_said(now)}”"


def _said(text: str) -> str:
    return clean(text, limit=_LIMIT)


def _cover(cover: PageCover | None) -> str:
    if cover is None or (cover.ref is None and cover.ref_dark is None):
        return ""
    parts = [_leads(cover.ref)]
    if cover.ref_dark is not None:
        parts.append(f"dark {_leads(cover.ref_dark)}")
    if cover.y_pos:
        parts.append(f"at {cover.y_pos:g}")
    if cover.height:
        parts.append(f"{cover.height:g} high")
    return ", ".join(part for part in parts if part)


def _leads(reference: ContentReference | None) -> str:
    if reference is None:
        return ""
    about = reference.url or reference.file or reference.page or reference.space or reference.spec
    return about if reference.url and about else " ".join(filter(None, (reference.kind, about)))


def _layout(before: PageLayout | None, after: PageLayout | None) -> list[str]:
    old = {} if before is None else before.model_dump(exclude_none=True, by_alias=False)
    new = {} if after is None else after.model_dump(exclude_none=True, by_alias=False)
    return [
        f"layout: {name.replace('_', ' ')} was {_state(old.get(name))}, now {_state(new.get(name))}"
        for name in dict.fromkeys([*old, *new])
        if old.get(name) != new.get(name)
    ]


def _state(value: object) -> str:
    if value is None:
        return "as usual"
    if isinstance(value, bool):
        return "shown" if value else "not shown"
    return _said(str(value))

"""The changes of a change request to the pages and files of a space, and to page settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from copydesk.domain.page_tree import ChangeKind, PageNode, compare_trees
from copydesk.domain.text import clean, plural

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import Changes, MovedOut, Placement
    from copydesk.contract.models.content import ContentPage, File, PageCover, PageLayout
    from copydesk.contract.models.parts import ContentReference


FILE = "file:"
"""The prefix of ids of files in the tree, which they share with pages."""


_KINDS: Mapping[str, ChangeKind] = {
    "created": "added",
    "deleted": "deleted",
    "moved": "moved",
    "edited": "edited",
}


@dataclass(frozen=True, slots=True)
class Changed:
    """A page or a file that a change request changes.

    ``text`` is False where the text is known to be unchanged. ``moved`` is the new place of a page
    that left the space, ``files`` the old and the new file in the repository where the file moves.
    """

    id: str
    kinds: tuple[ChangeKind, ...]
    before: PageNode | None
    after: PageNode | None
    file: bool = False
    text: bool | None = None
    note: str = ""
    moved: MovedOut | None = None
    files: tuple[str, str] | None = None

    @property
    def node(self) -> PageNode:
        """The page as it is now, or as it was if it is deleted."""
        node = self.after or self.before
        assert node is not None
        return node


def changed_pages(
    before: Sequence[PageNode],
    after: Sequence[PageNode],
    hint: Changes | None,
    *,
    told_only: bool = False,
) -> list[Changed]:
    """Return the changed pages in reading order; with ``told_only`` those that the service names.

    Two trees show the differences from primary content as it is now. Where the service also lists
    the changes of the request (E6), its list decides which pages are shown: later changes of
    primary content are not the author's.
    """
    found = {
        change.id: Changed(change.id, change.kinds, change.before, change.after)
        for change in compare_trees(before, after)
    }
    if hint is None or (hint.more and not told_only):
        return list(found.values())
    old, new = {node.id: node for node in before}, {node.id: node for node in after}
    told: dict[str, Changed] = {}
    for change in hint.changes:
        kind = _KINDS.get(change.type.partition("_")[2])
        if change.page is None or kind is None or not change.type.startswith("page_"):
            continue
        page = change.page
        was, now = _node(page.id, change.before), _node(page.id, change.after)
        stub = PageNode(page.id, page.title, path=page.path, type=page.type)
        entry = told.get(page.id) or Changed(
            page.id,
            (),
            None if kind == "added" else old.get(page.id) or was or stub,
            None if kind == "deleted" else new.get(page.id) or now or stub,
        )
        kinds = list(entry.kinds)
        if kind != "edited":
            kinds.append("moved out" if change.moved_out is not None else kind)
        else:
            files = _files_moved(change.before, change.after)
            if was is not None and now is not None:
                renamed = (was.title, was.slug) != (now.title, now.slug)
            else:
                renamed = page.id in found and "renamed" in found[page.id].kinds
            if renamed:
                kinds.append("renamed")
            if files is not None:
                kinds.append("file moved")
            if change.text_changed is not False or not (renamed or files):
                kinds.append("edited")
            entry = replace(entry, text=change.text_changed, files=files)
        told[page.id] = replace(entry, kinds=tuple(kinds), moved=change.moved_out or entry.moved)
    return list(told.values())


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


def changed_files(
    before: Sequence[File] | None, after: Sequence[File] | None, hint: Changes | None
) -> list[Changed]:
    """Return the changed files: as the service lists them, else from the two lists of files."""
    found: list[Changed] = []
    if hint is not None:
        for change in hint.changes:
            kind = _KINDS.get(change.type.removeprefix("file_"))
            if change.file is None or kind is None:
                continue
            title = change.file.path or change.file.name or change.file.id
            node = PageNode(FILE + change.file.id, title, type="file")
            was = None
            if change.before is not None:
                was = replace(node, title=change.before.path or change.before.title or title)
            found.append(
                Changed(
                    node.id,
                    (kind,),
                    None if kind == "added" else was or node,
                    None if kind == "deleted" else node,
                    file=True,
                    note=change.file.content_type or "",
                )
            )
        return found
    old = {file.id: file for file in before or ()}
    new = {file.id: file for file in after or ()}
    for file_id, file in new.items():
        was_there = old.get(file_id)
        kinds: tuple[ChangeKind, ...] = ()
        if was_there is None:
            kinds = ("added",)
        elif _content(was_there) != _content(file):
            kinds = ("edited",)
        if kinds:
            old_node = None if was_there is None else _file_node(was_there)
            found.append(
                Changed(FILE + file_id, kinds, old_node, _file_node(file), True, note=_about(file))
            )
    found.extend(
        Changed(FILE + file_id, ("deleted",), _file_node(file), None, True, note=_about(file))
        for file_id, file in old.items()
        if file_id not in new
    )
    return found


def _content(file: File) -> tuple[object, ...]:
    return (file.git.oid if file.git else None, file.size, file.name, file.content_type)


def _file_node(file: File) -> PageNode:
    return PageNode(FILE + file.id, file.name or file.id, type="file")


def _about(file: File) -> str:
    size = "" if file.size is None else plural(file.size, "byte")
    return ", ".join(part for part in (file.content_type, size) if part)


def page_notes(change: Changed, *, gone_in_main: bool = False) -> list[str]:
    """Return the notes above a page's text: added, moved, renamed, gone."""
    before, after = change.before, change.after
    what = "file" if change.file else "page"
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
    if change.file:
        if change.note:
            notes.append(clean(change.note))
        notes.append("What is in a file is not shown here.")
    elif change.node.type not in ("document", ""):
        notes.append(f"This page is a {clean(change.node.type)}, which has no text.")
    if gone_in_main:
        notes.append("Main no longer has this page: somebody deleted it since.")
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
    for name, was, now in (
        ("description", before.description, after.description),
        ("icon", before.icon, after.icon),
        ("emoji", before.emoji, after.emoji),
        ("cover", _cover(before.cover), _cover(after.cover)),
        ("leads to", _leads(before.target), _leads(after.target)),
    ):
        if (was or "") != (now or ""):
            notes.append(_difference(name, was or "", now or ""))
    notes += _layout(before.layout, after.layout)
    if (before.variables or {}) != (after.variables or {}):
        names = sorted(
            name
            for name in {*(before.variables or {}), *(after.variables or {})}
            if (before.variables or {}).get(name) != (after.variables or {}).get(name)
        )
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
    old = {} if before is None else before.model_dump(exclude_none=True)
    new = {} if after is None else after.model_dump(exclude_none=True)
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

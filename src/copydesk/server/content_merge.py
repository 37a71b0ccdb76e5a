"""Three-way merge of content: per page first, then per line inside a page changed on both sides.

``base`` is the common ancestor, ``ours`` what the change goes into, ``theirs`` the change. A
conflict names the page and what clashes; with any conflict there is no merged tree
(docs/api-notes.md, Merging).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from dataclasses import fields, replace
from typing import Any, Literal

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text_merge import Clash, merge_text
from copydesk.server.content import Draft, FileData, PageData

ConflictKind = Literal["text", "settings", "deleted", "position", "address", "file"]

Side = Literal["ours", "theirs"]
"""Which side of a merge something is on."""


@dataclass(frozen=True, slots=True)
class MergeConflict:
    """Two changes that cannot both hold.

    ``lines`` are the clashing stretches of a text; ``field`` names a clashing page setting;
    ``other`` is the page that would have the same address.
    """

    kind: ConflictKind
    page: PageData | None
    path: str
    field: str | None = None
    lines: tuple[Clash, ...] = ()
    other: PageData | None = None


@dataclass(frozen=True, slots=True)
class Merged:
    """The outcome: the merged tree, and what clashes.

    Where something clashes the tree holds ours; a page that one side deleted and the other edited
    is in it as edited.
    """

    draft: Draft
    conflicts: tuple[MergeConflict, ...]


_SETTINGS = tuple(f.name for f in fields(PageData) if f.name not in ("id", "text", "git_oid"))


def merge(
    base: Draft,
    ours: Draft,
    theirs: Draft,
    *,
    read_text: Callable[[str | None], str],
    write_text: Callable[[str], str],
    files: Mapping[str, Side] | None = None,
) -> Merged:
    """Merge ``theirs`` into ``ours``.

    ``read_text`` turns a text's hash into the text and ``write_text`` the other way round.
    ``files`` says by id which side's file stands where both changed it.
    """
    merging = _Merging(base, ours, theirs, read_text, write_text, files or {})
    return merging.run()


class _Merging:
    def __init__(
        self,
        base: Draft,
        ours: Draft,
        theirs: Draft,
        read_text: Callable[[str | None], str],
        write_text: Callable[[str], str],
        files: Mapping[str, Side],
    ) -> None:
        self.base, self.ours, self.theirs = base, ours, theirs
        self.read_text, self.write_text = read_text, write_text
        self.files = files
        self.conflicts: list[MergeConflict] = []
        self.parents = [_parents(draft) for draft in (base, ours, theirs)]

    def run(self) -> Merged:
        result = Draft()
        # The same whichever side is ours, for it is the order in which clashes are told.
        new = {*self.ours.pages, *self.theirs.pages} - {*self.base.pages}
        for page_id in (*self.base.pages, *sorted(new)):
            page = self._page(page_id)
            if page is not None:
                result.pages[page_id] = page
        parents = self._merged_parents(result)
        self._order(result, parents)
        self._addresses(result)
        self._files(result)
        return Merged(result, tuple(self.conflicts))

    def _page(self, page_id: str) -> PageData | None:
        base = self.base.pages.get(page_id)
        ours = self.ours.pages.get(page_id)
        theirs = self.theirs.pages.get(page_id)
        survivor = ours or theirs
        if base is not None and survivor is not None and (ours is None or theirs is None):
            # To put a page elsewhere is to keep it, also where nothing in it was edited.
            before, *sides = (side.get(page_id, _ABSENT) for side in self.parents)
            if any(side not in (before, _ABSENT) for side in sides):
                self._clash("deleted", survivor)
                return survivor
        if ours == theirs or theirs == base:
            return ours
        if ours == base:
            return theirs
        if ours is None or theirs is None:
            if survivor is not None:
                self._clash("deleted", survivor)
            return survivor
        return self._both(base, ours, theirs)

    def _both(self, base: PageData | None, ours: PageData, theirs: PageData) -> PageData:
        settings: dict[str, Any] = {}
        for name in _SETTINGS:
            mine, yours = getattr(ours, name), getattr(theirs, name)
            before = getattr(base, name) if base else None
            if mine != yours and yours != before:
                if mine != before:
                    self._clash("settings", ours, field=name)
                else:
                    settings[name] = yours
        before_text = base.text if base else None
        if theirs.text not in (ours.text, before_text):
            text = theirs.text
            if ours.text != before_text:
                text = self._text(before_text, ours, theirs)
            known = {ours.text: ours.git_oid, theirs.text: theirs.git_oid}
            settings |= {"text": text, "git_oid": known.get(text)}
        return replace(ours, **settings)

    def _text(self, base: str | None, ours: PageData, theirs: PageData) -> str | None:
        merged, clashes = merge_text(
            self.read_text(base), self.read_text(ours.text), self.read_text(theirs.text)
        )
        if clashes:
            self._clash("text", ours, lines=clashes)
            return ours.text
        return self.write_text(merged)

    def _merged_parents(self, result: Draft) -> dict[str, str | None]:
        base, ours, theirs = self.parents
        parents: dict[str, str | None] = {}
        for page_id, page in result.pages.items():
            before, mine, yours = (side.get(page_id, _ABSENT) for side in (base, ours, theirs))
            if mine is _ABSENT or (mine == before and yours is not _ABSENT):
                parents[page_id] = yours  # type: ignore[assignment] # absent on one side at most
                continue
            if yours is not _ABSENT and yours not in (before, mine):
                self._clash("position", page)
                if mine not in result.pages:
                    # Whether that page is gone is no second clash: it would be told only where
                    # the side that put this one there is ours.
                    mine = None
            parents[page_id] = mine  # type: ignore[assignment] # absent on one side at most
        for page_id, parent in parents.items():
            if parent is not None and parent not in result.pages:
                # One side removed the page that the other put this one under.
                gone = self.ours.pages.get(parent) or self.theirs.pages[parent]
                self._clash("deleted", gone)
                parents[page_id] = None
        self._break_cycles(result, parents)
        return parents

    def _break_cycles(self, result: Draft, parents: dict[str, str | None]) -> None:
        for page_id in sorted(parents):  # the same of a circle, whichever side is ours
            seen = {page_id}
            above = parents[page_id]
            while above is not None and above not in seen:
                seen.add(above)
                above = parents[above]
            if above is not None:
                self._clash("position", result.pages[page_id])
                parents[page_id] = None

    def _order(self, result: Draft, parents: dict[str, str | None]) -> None:
        members: dict[str | None, list[str]] = {}
        for page_id, parent in parents.items():
            members.setdefault(parent, []).append(page_id)
        for parent, ids in members.items():
            result.children[parent] = self._siblings(parent, set(ids))
        result.children.setdefault(None, [])

    def _siblings(self, parent: str | None, members: set[str]) -> list[str]:
        base, ours, theirs = (
            [page for page in side.children.get(parent, ()) if page in members]
            for side in (self.base, self.ours, self.theirs)
        )
        common = set(base) & set(ours) & set(theirs)
        kept = [[page for page in side if page in common] for side in (base, ours, theirs)]
        # The side that reordered leads; when both did, what is merged into keeps its order.
        first, second = (theirs, ours) if kept[1] == kept[0] != kept[2] else (ours, theirs)
        order, placed = list(first), set(first)
        before: str | None = None
        for page in second:
            if page not in placed:
                order.insert(0 if before is None else order.index(before) + 1, page)
                placed.add(page)
            before = page
        return order + sorted(members - placed)

    def _addresses(self, result: Draft) -> None:
        """Find pages that would share an address: links and readers reach only one of them."""
        for siblings in result.children.values():
            first: dict[str, str] = {}
            for page_id in siblings:
                pair = {page_id, first.setdefault(result.pages[page_id].slug, page_id)}
                if len(pair) > 1 and not self._stand_so_already(pair):
                    page, other = (result.pages[key] for key in sorted(pair))
                    self._clash("address", page, other=other)

    def _stand_so_already(self, pages: Set[str]) -> bool:
        """Say whether pages have one address on one of the sides."""
        return any(
            pages <= side.pages.keys()
            and len({(side.pages[page].slug, parents[page]) for page in pages}) == 1
            for side, parents in zip((self.ours, self.theirs), self.parents[1:], strict=True)
        )

    def _files(self, result: Draft) -> None:
        for path in sorted({*self.ours.files, *self.theirs.files}):
            base, ours, theirs = (
                side.files.get(path) for side in (self.base, self.ours, self.theirs)
            )
            same_as = {_blob(base), _blob(ours), _blob(theirs)}
            chosen: FileData | None
            if _blob(ours) == _blob(theirs) or _blob(theirs) == _blob(base):
                chosen = ours
            elif _blob(ours) == _blob(base):
                chosen = theirs
            else:
                chosen = (
                    self._source_file(path, base, ours, theirs) if None not in same_as else None
                )
                taken = {self.files[each.id] for each in (base, ours, theirs)
                         if each is not None and each.id in self.files}  # fmt: skip
                if chosen is None and len(taken) == 1:
                    chosen = ours if taken == {"ours"} else theirs
                elif chosen is None:
                    self.conflicts.append(MergeConflict("file", None, path))
                    chosen = ours
            if chosen is not None:
                result.files[path] = chosen

    def _source_file(
        self, path: str, base: FileData | None, ours: FileData | None, theirs: FileData | None
    ) -> FileData | None:
        """Merge a text that is only kept for export, such as SUMMARY.md, by line."""
        if base is None or ours is None or theirs is None or ours.kind == "file":
            return None
        try:
            texts = [self.read_text(file.blob) for file in (base, ours, theirs)]
        except UnicodeDecodeError:
            return None
        merged, clashes = merge_text(*texts)
        if clashes:
            # A table of contents only mirrors the page tree, which is merged on its own.
            return ours if ours.kind == "summary" else None
        return replace(ours, blob=self.write_text(merged), size=len(merged.encode()), git_oid=None)

    def _clash(
        self,
        kind: ConflictKind,
        page: PageData,
        *,
        field: str | None = None,
        lines: tuple[Clash, ...] = (),
        other: PageData | None = None,
    ) -> None:
        conflict = MergeConflict(kind, page, page.git_path or page.slug, field, lines, other)
        if conflict not in self.conflicts:
            self.conflicts.append(conflict)


_ABSENT = object()


def _parents(draft: Draft) -> dict[str, object]:
    return {page: parent for parent, ids in draft.children.items() for page in ids}


def _blob(file: FileData | None) -> str | None:
    return None if file is None else file.blob

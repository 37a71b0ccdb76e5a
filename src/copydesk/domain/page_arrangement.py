"""The pages of a change request in another order, staged here: which edits of pages that makes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Self

from copydesk.domain.address import PATH_RULE, is_path_part
from copydesk.domain.arrangement import Arrangement, StagingError
from copydesk.domain.layout import TOP, Item, Layout, Values, differences, set_values
from copydesk.domain.page_edits import PageEdit
from copydesk.domain.page_places import PageLevels, levels_of, staged_levels, walk
from copydesk.domain.page_source import page_update, read_page_source, with_settings
from copydesk.domain.page_tree import PageNode
from copydesk.domain.reversal import Call, Reversal, Step
from copydesk.domain.yaml_lines import FileError

SETTINGS = ("title", "slug", "icon")
"""What is changed of a page besides its place."""

LONGEST_SLUG = 100


class PageArrangement(Arrangement):
    """The pages of a change request as they are and as they are wanted; ``ids`` name the space and
    the request."""

    def check(self, item: Item, values: Values) -> None:
        """Raise `StagingError` for values that a page cannot have."""
        if "title" in values and not str(values["title"] or "").strip():
            raise StagingError("A title cannot be empty.")
        slug = str(values.get("slug") or "")
        if "slug" in values and (not is_path_part(slug) or len(slug) > LONGEST_SLUG):
            raise StagingError(f"An address takes {PATH_RULE}, {LONGEST_SLUG} characters at most.")

    def why_not(self, after: Layout, picked: Collection[str]) -> str | None:
        """Say why a page cannot stand there, or None."""
        for row in picked:
            level = after.level_of(row) if row in after else TOP
            if level == TOP:
                continue
            if after.items[row].values.get("type") == "group":
                return "A group of pages stays at the top."
            if after.items[level].values.get("type") == "link":
                return f"{after.items[level].title} is a link: it has no pages below it."
        for level in dict.fromkeys(after.level_of(row) for row in picked if row in after):
            slugs: dict[str, str] = {}
            for row in after.levels[level]:
                item = after.items[row]
                slug = str(item.values.get("slug") or "")
                if slug and slug in slugs and (row in picked or slugs[slug] in picked):
                    other = after.items[slugs[slug] if row in picked else row]
                    return f"{other.title} has the same address there, /{slug}."
                slugs.setdefault(slug, row)
        return None

    def calls(self) -> list[Call]:
        """Return the staged changes as calls with their lines; edited texts go with them."""
        space, request = self.ids
        ids = {"space_id": space, "change_request_id": request}
        step = Step("update_change_request_content", ids)
        return [
            Call(f"{each.what}:{each.id}:{each.field}", "Edit", each.title, each.line, step,
                 Reversal((step,), ()))
            for each in differences(self.base, self.now)
        ]  # fmt: skip

    @classmethod
    def of(
        cls, layout: Layout, tree: Sequence[PageNode], edits: Mapping[str, PageEdit], *ids: str
    ) -> Self:
        """Return the staged moves and settings of pages as an arrangement."""
        known = {node.id for node in tree}
        levels = staged_levels(levels_of(tree), edits)
        there = [page for page, _ in walk(levels)]
        items = {
            page: _staged_item(layout.items.get(page), page, edits.get(page))
            for page in there
            if page in known or page in edits
        }
        now = Layout(items, _levels(levels, items))
        return cls(layout, layout if now.same(layout) else now, ids)

    def edits(
        self, edits: Mapping[str, PageEdit], sources: Mapping[str, str], revision: str
    ) -> dict[str, PageEdit | None]:
        """Return the edits staged after this, by page; None where nothing is staged any more.

        ``edits`` are those that are or were staged, ``sources`` the texts of the pages whose
        settings were changed here, at a ``revision`` of the request.
        """
        found: dict[str, PageEdit | None] = {}
        for page in {**self.now.items, **edits}:
            if page in self.now:
                found[page] = self._edit_of(page, edits.get(page), sources, revision)
            elif page not in self.base:
                found[page] = None  # a new page that is not wanted any more
        return found

    def _edit_of(
        self, page: str, edit: PageEdit | None, sources: Mapping[str, str], revision: str
    ) -> PageEdit | None:
        moved, level = self.state(page).moved, self.now.level_of(page)
        into, at = level or None, self.now.levels[level].index(page)
        if edit is not None and edit.kind == "insert":
            return replace(self._set(page, edit), into=into, at=at)
        if edit is None or edit.kind == "delete":
            text = sources.get(page, "")
            title = self.base.items[page].title
            edit = PageEdit("update", revision, text, text, title=title)
        elif page in sources and not edit.base_text:
            edit = replace(edit, base_text=sources[page], text=sources[page])
        edit = self._set(page, edit)
        edit = replace(edit, moved=moved, into=into if moved else None, at=at if moved else None)
        return None if edit.idle else edit

    def _set(self, page: str, edit: PageEdit) -> PageEdit:
        """Return an edit whose text has the settings that are staged here, and no others."""
        wanted = self.now.items[page].values
        was = self.base.items[page].values if page in self.base else {}
        changed = {name: str(wanted.get(name) or "") for name in SETTINGS
                   if wanted.get(name) != was.get(name)}  # fmt: skip
        if not edit.text:
            return edit
        try:
            if edit.kind == "update":
                first = read_page_source(edit.base_text).settings
                before = page_update(edit.base_text, edit.text)
                changed = {
                    name: str(first.get(name) or "") for name in SETTINGS if name in before
                } | changed
            return replace(edit, text=with_settings(edit.text, changed)) if changed else edit
        except FileError:
            return edit

    def knowing(self, page: str, settings: Mapping[str, str]) -> Self:
        """Return it with settings of a page that the tree does not tell of, on both sides."""

        def known(layout: Layout) -> Layout:
            item = layout.items.get(page)
            if item is None:
                return layout
            return layout.with_items(
                [replace(item, values=set_values({**settings, **item.values}))]
            )

        return replace(
            self, base=known(self.base), now=known(self.now), past=tuple(map(known, self.past))
        )


def layout_of(tree: Sequence[PageNode]) -> Layout:
    """Return the pages of a change request as a layout."""
    items = {
        node.id: Item(
            node.id, "page", set_values({"title": node.title, "slug": node.slug, "type": node.type})
        )
        for node in tree
    }
    return Layout(items, _levels(levels_of(tree), items))


def _levels(levels: PageLevels, items: Mapping[str, Item]) -> dict[str, tuple[str, ...]]:
    return {
        level or TOP: tuple(page for page in rows if page in items)
        for level, rows in levels.items()
        if level is None or level in items
    }


def _staged_item(item: Item | None, page: str, edit: PageEdit | None) -> Item:
    """Return a page with its staged settings."""
    if edit is None:
        assert item is not None
        return item
    told: dict[str, str] = {}
    with suppress(FileError):
        if edit.kind == "insert":
            said = read_page_source(edit.text).settings
        else:
            said = page_update(edit.base_text, edit.text) if edit.text else {}
        told = {name: str(said[name]) for name in SETTINGS if name in said}
    if item is None:
        return Item(page, "page", set_values({"title": edit.named, "type": "document", **told}))
    return replace(item, values=set_values({**item.values, **told})) if told else item

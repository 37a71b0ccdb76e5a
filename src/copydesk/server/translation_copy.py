"""Carrying a space's content over into its translation, page by page.

A page that is new, or that changed since it was carried over last, is written anew. A page or file
that somebody changed in the translation, or took out of it, is theirs: it is left alone. So are
pages that they added. The order of pages follows the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from copydesk.server import content
from copydesk.server.content import Content, Draft, Node, PageData
from copydesk.server.desk_seed import Editor


@dataclass(frozen=True, slots=True)
class Carried:
    """One page of a translation: where it came from and what it was made into.

    The versions are hashes of ``page_version``: of the source's page, and of the result's.
    """

    source_version: str
    target_page: str
    target_version: str


@dataclass(slots=True)
class Carrying:
    """One run over a space. ``known`` are the pages of earlier runs by the source page's id.

    ``before`` is what the source held at the run before, for files. After ``edit`` was applied,
    ``written`` has the target page's id of each source page that was carried over this time.
    """

    source: Content
    before: Content
    known: Mapping[str, Carried]
    written: dict[str, str] = field(default_factory=dict)
    words: int = 0

    def edit(self, editor: Editor) -> None:
        """Bring the translation's content up to the source's."""
        draft = editor.draft
        places = self._write_pages(editor)
        self._remove_gone(draft)
        self._arrange(draft, places)
        self._copy_files(editor)

    def _write_pages(self, editor: Editor) -> dict[str, str]:
        """Write what is new or changed; return the target page of each source page that has one."""
        draft = editor.draft
        pages = content.versions(editor.tx, self.source.versions().values())
        places: dict[str, str] = {}
        for node in self.source.nodes():
            known = self.known.get(node.page)
            if known is None:
                target = content.new_page_id(editor.tx, editor.space_id)
            elif known.target_page not in draft.pages:
                continue
            else:
                target = known.target_page
            places[node.page] = target
            if known is None or (known.source_version != node.version and _untouched(draft, known)):
                self._write(editor, node, pages[node.version], target)
        return places

    def _write(self, editor: Editor, node: Node, page: PageData, target: str) -> None:
        editor.draft.pages[target] = replace(page, id=target)
        self.written[node.page] = target
        self.words += len(content.text(editor.tx, page.text).split())

    def _remove_gone(self, draft: Draft) -> None:
        """Take out what the source no longer has, where nobody changed it."""
        for page in self.known.keys() - self.source.versions().keys():
            if _untouched(draft, self.known[page]):
                del draft.pages[self.known[page].target_page]

    def _arrange(self, draft: Draft, places: Mapping[str, str]) -> None:
        """Put the pages in the order of the source; pages of the translation's own come after."""
        arranged: dict[str | None, list[str]] = {}

        def place(nodes: tuple[Node, ...], parent: str | None) -> None:
            for node in nodes:
                target = places.get(node.page)
                if target is not None:
                    arranged.setdefault(parent, []).append(target)
                place(node.children, parent if target is None else target)

        place(self.source.pages, None)
        placed = set(places.values())
        for parent, pages in draft.children.items():
            above = parent if parent in draft.pages else None
            for page in pages:
                if page in draft.pages and page not in placed:
                    siblings = arranged.setdefault(above, [])
                    _keep_apart(draft, page, siblings)
                    siblings.append(page)
        draft.children = arranged

    def _copy_files(self, editor: Editor) -> None:
        earlier = {file.path: file.blob for file in self.before.files}
        files = editor.draft.files
        for file in self.source.files:
            there = files.get(file.path)
            if there is None and file.path not in earlier:
                files[file.path] = replace(file, id=editor.tx.new_id())
            elif there is not None and there.blob == earlier.get(file.path):
                files[file.path] = replace(file, id=there.id)


def _untouched(draft: Draft, known: Carried) -> bool:
    """Say whether a page of the translation is there as the last run left it."""
    opened = draft.opened.get(known.target_page)
    return opened is not None and opened[1] == known.target_version


def _keep_apart(draft: Draft, page: str, siblings: list[str]) -> None:
    """Give a page another slug when one of its siblings has the same."""
    taken = {draft.pages[sibling].slug for sibling in siblings}
    slug, number = draft.pages[page].slug, 1
    while draft.pages[page].slug in taken:
        number += 1
        draft.edit(page, slug=f"{slug}-{number}")

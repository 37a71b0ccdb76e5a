"""Running translations: pending, then running, then completed.

This desk has no machine that translates. A run makes the space of the translation, marks it with
the language, and carries the source's pages and files over unchanged, for people to translate
there; later runs carry over what is new or changed and leave alone what people changed. The counts
say what was carried. A run is one transaction: it is there whole or, after a crash, run again.

A page or file that somebody changed in the translation, or took out of it, is theirs: it is left
alone. So are pages that they added. The order of pages follows the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from datetime import datetime

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.space_tree import TITLE_LENGTH
from copydesk.server import content
from copydesk.server.access import Access
from copydesk.server.background import Worker, lease_limit
from copydesk.server.content import Content, Draft, Node, PageData
from copydesk.server.desk_writes import Editor, add_space, advance, grant
from copydesk.server.queries.position import place_after
from copydesk.server.store import Row, Tx


def run_next_translation(worker: Worker) -> bool:
    """Run one translation that waits; say whether there was one."""
    row = worker.write(_take)
    if row is None:
        return False
    key: str = row["id"]
    worker.write(lambda tx: run(tx, key))
    return True


def source_of(tx: Tx, translation: Row) -> Row | None:
    """Return the space that is translated, None once it is deleted."""
    return _space(tx, translation["source_space_id"])


def result_of(tx: Tx, translation: Row) -> Row | None:
    """Return the space that a translation is written to, None where there is none (any more)."""
    return _space(tx, translation["result_space_id"])


def _space(tx: Tx, space_id: str | None) -> Row | None:
    return tx.one("SELECT * FROM space WHERE id = ? AND deleted_at IS NULL", space_id)


def _take(tx: Tx) -> Row | None:
    """Begin the run of the translation that has waited longest."""
    row = tx.one(
        "SELECT id FROM translation WHERE status <> 'completed' "
        "AND (status = 'pending' OR taken_at < ?) ORDER BY updated_at, id LIMIT 1",
        lease_limit(tx),
    )
    if row is not None:
        tx.update("translation", row["id"], status="running", taken_at=tx.now)
    return row


def run(tx: Tx, translation_id: str) -> None:
    """Run a translation that was begun, unless another process ended the run or it was deleted.

    When the source is gone, or somebody locked the result, nothing is carried over.
    """
    row = tx.one("SELECT * FROM translation WHERE id = ? AND status = 'running'", translation_id)
    if row is None:
        return
    source, result = source_of(tx, row), result_of(tx, row)
    pages = words = 0
    if source is not None and (result is None or result["edit_mode"] != "locked"):
        pages, words = _carry(tx, row, source, result)
    seconds = (tx.moment - datetime.fromisoformat(row["taken_at"])).total_seconds()
    tx.run(
        "UPDATE translation SET status = 'completed', updated_at = ?2, runs = runs + 1, "
        "total_pages = total_pages + ?3, total_words = total_words + ?4, "
        "total_duration = total_duration + ?5, latest_pages = ?3, latest_words = ?4, "
        "latest_duration = ?5 WHERE id = ?1",
        translation_id,
        tx.now,
        pages,
        words,
        max(0.0, seconds),
    )


def _carry(tx: Tx, row: Row, source: Row, result: Row | None) -> tuple[int, int]:
    """Bring the result up to the source; return how many pages and words were carried over."""
    key: str = row["id"]
    before = Content()
    if result is None:
        tx.run("DELETE FROM translation_page WHERE translation_id = ?", key)
        result = _make_result(tx, row, source)
    elif row["source_revision_id"] is not None:
        before = content.load(tx, row["source_revision_id"])
    carrying = Carrying(content.load(tx, source["revision_id"]), before, _known(tx, key))
    there = content.load(tx, result["revision_id"])
    editor = Editor(tx, result["id"], content.open_draft(tx, there))
    carrying.edit(editor)
    made = content.close_draft(tx, editor.draft)
    revision_id = result["revision_id"]
    if made != there:
        revision_id = content.put_revision(
            tx, result["id"], made, parents=(revision_id,), author=row["run_by"]
        )
        advance(tx, result["id"], revision_id)
    _remember(tx, key, carrying, made)
    tx.update(
        "translation",
        key,
        source_revision_id=source["revision_id"],
        result_space_id=result["id"],
        result_revision_id=revision_id,
    )
    return len(carrying.written), carrying.words


def _make_result(tx: Tx, row: Row, source: Row) -> Row:
    """Make the space of a translation: beside its source, for the same people, and still empty."""
    suffix = f" ({row['language']})"
    made = add_space(
        tx,
        row["organization_id"],
        source["title"][: TITLE_LENGTH - len(suffix)] + suffix,
        parent=source["parent_id"],
        author=row["run_by"],
        emoji=source["emoji"],
        visibility="private" if source["parent_id"] is None else "in-collection",
        language=row["language"],
        default_level=source["default_level"],
    )
    for granted in tx.all("SELECT * FROM access_grant WHERE container_id = ?", source["id"]):
        grant(tx, made, granted["subject_id"], granted["level"])
    if Access(tx, row["run_by"]).role(row["organization_id"]) != "admin":
        grant(tx, made, row["run_by"], "admin")  # as whoever creates a space administers it
    space = tx.row("space", made)
    tx.update("space", made, position=place_after(tx, source, made))
    return space


def _known(tx: Tx, translation_id: str) -> dict[str, Carried]:
    rows = tx.all("SELECT * FROM translation_page WHERE translation_id = ?", translation_id)
    return {
        row["source_page_id"]: Carried(
            row["source_version"], row["target_page_id"], row["target_version"]
        )
        for row in rows
    }


def _remember(tx: Tx, translation_id: str, carrying: Carrying, made: Content) -> None:
    """Keep which pages were made from which, for the next run."""
    sources, targets = carrying.source.versions(), made.versions()
    tx.run_many(
        "DELETE FROM translation_page WHERE translation_id = ? AND source_page_id = ?",
        ((translation_id, page) for page in carrying.known.keys() - sources.keys()),
    )
    tx.run_many(
        "INSERT OR REPLACE INTO translation_page (translation_id, source_page_id, source_version, "
        "target_page_id, target_version) VALUES (?, ?, ?, ?, ?)",
        (
            (translation_id, page, sources[page], target, targets[target])
            for page, target in carrying.written.items()
        ),
    )


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
        """Write new and changed pages; return the target page of each source page that has one."""
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

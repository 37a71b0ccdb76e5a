"""What a change request changes in the files of its space, as they are exported, byte for byte."""

from __future__ import annotations

from copydesk.domain.git_patch import Side, file_patch
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_tree import ChangeKind
from copydesk.server import content
from copydesk.server.change_requests import base_of
from copydesk.server.source_content import files_of, source_of, source_space
from copydesk.server.sources.model import SourceSpace
from copydesk.server.sources.writer import contents_of
from copydesk.server.store import Store, Tx


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that a change request changes, as a patch. ``page`` is the page in it, if it is one.

    ``path`` is where it is afterwards, or was if it is gone.
    """

    path: str
    page: str | None
    patch: bytes
    kinds: tuple[ChangeKind, ...]


def changed_files(store: Store, change_request_id: str) -> list[ChangedFile]:
    """Return what a change request changes since the revision that it began with, by path."""

    def work(tx: Tx) -> list[ChangedFile]:
        request = tx.row("change_request", change_request_id)
        space = tx.row("space", request["space_id"])
        remembered = source_of(space)

        def as_source(revision: str) -> SourceSpace:
            return source_space(tx, space, content.load(tx, revision), remembered)

        imported = as_source(remembered["revision"]) if remembered else None
        before, after = as_source(base_of(request)), as_source(request["revision_id"])
        ids = {
            row["source_key"] or row["id"]: row["id"]
            for row in tx.all("SELECT id, source_key FROM page WHERE space_id = ?", space["id"])
        }
        return _compared(before, after, imported, ids)

    return store.read(work)


def _compared(
    before: SourceSpace, after: SourceSpace, imported: SourceSpace | None, ids: dict[str, str]
) -> list[ChangedFile]:
    old = dict(contents_of(before, imported, []))
    new = dict(contents_of(after, imported, []))
    old_pages, new_pages = files_of(before), files_of(after)
    moved = {
        path: old_pages[key]
        for key, path in new_pages.items()
        # A path that both sides have is a file of its own on each.
        if key in old_pages and path not in old and old_pages[key] not in new
    }
    pages = {path: ids.get(key) for files in (old_pages, new_pages) for key, path in files.items()}
    found: list[ChangedFile] = []
    for path in sorted({*old, *new} - set(moved.values())):
        was = moved.get(path, path)
        before_it, after_it = Side(was, old.get(was)), Side(path, new.get(path))
        if patch := b"".join(file_patch(before_it, after_it)):
            kinds = _kinds(before_it, after_it)
            found.append(ChangedFile(path, pages.get(path), patch, kinds))
    return found


def _kinds(was: Side, now: Side) -> tuple[ChangeKind, ...]:
    if was.data is None or now.data is None:
        return ("added",) if was.data is None else ("deleted",)
    happened: tuple[tuple[bool, ChangeKind], ...] = (
        (was.path != now.path, "moved"),
        (was.data != now.data, "edited"),
    )
    return tuple(kind for true, kind in happened if true)

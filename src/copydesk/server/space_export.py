"""Exporting a space as a folder of Markdown, laid out with SUMMARY.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from copydesk.domain.text import few, plural, same_name
from copydesk.server import content
from copydesk.server.source_content import source_of, source_space
from copydesk.server.sources.git import committed
from copydesk.server.sources.model import Progress, SourceSpace, silent
from copydesk.server.sources.writer import Written, contents_of, write_space
from copydesk.server.store import DeskError, Row, Store, Tx

LOOKED_THROUGH = 200
"""Revisions among which is looked for what a file holds, newest first."""

NAMED = 8
"""How many files a refusal names."""


def export_space(
    store: Store, space: str, folder: Path, *, force: bool = False, progress: Progress = silent
) -> Written:
    """Write the primary content of a space, named by id or title, below ``folder``.

    A space that was imported keeps the files' places and bytes; into a checkout of its repository
    this writes exactly what changed on the desk since. A file that was changed by hand, or by a
    commit that no import has read, is only overwritten with ``force``.

    Raises ``DeskError`` when no space or several have that name, and when a file would be lost;
    ``OSError`` when the folder cannot be made.
    """

    def work(tx: Tx) -> Written:
        row = find_space(tx, space)
        remembered = source_of(row)

        def at_revision(revision: str) -> content.Content:
            return content.load(tx, revision)

        def as_source(revision: str) -> SourceSpace:
            return source_space(tx, row, at_revision(revision), remembered)

        current = as_source(row["revision_id"])
        base = as_source(remembered["revision"]) if remembered else None

        revisions = [
            each["id"]
            for each in tx.all(
                "SELECT id FROM revision WHERE space_id = ? ORDER BY created_at DESC LIMIT ?",
                row["id"],
                LOOKED_THROUGH,
            )
        ]

        def gone() -> Iterator[tuple[str, bytes]]:
            seen = set(at_revision(row["revision_id"]).versions())
            for revision in revisions:
                if left := at_revision(revision).versions().keys() - seen:
                    seen |= left
                    yield from contents_of(as_source(revision), base, [])

        def known(there: Mapping[str, bytes]) -> set[str]:
            found: set[str] = set()
            for revision in revisions:
                for path, data in contents_of(as_source(revision), base, []):
                    if there.get(path) == data:
                        found.add(path)
                if len(found) == len(there):
                    break
            return found

        def allow(there: Mapping[str, bytes]) -> None:
            if not there or force:
                return
            lost = set(there) - committed(folder, there, remembered.get("commit"))
            if lost:
                lost -= known({path: there[path] for path in lost})
            if by_hand := lost - committed(folder, {path: there[path] for path in lost}):
                raise DeskError(_would_be_lost(folder, sorted(by_hand)))
            if lost:
                raise DeskError(_would_be_undone(folder, sorted(lost)))

        return write_space(
            folder, current, base=base, gone=gone() if remembered else (), progress=progress,
            allow=allow,
        )  # fmt: skip

    return store.read(work)


def _would_be_lost(folder: Path, paths: list[str]) -> str:
    return (
        f"{folder} has {plural(len(paths), 'file')} changed by hand, as neither this desk nor a "
        f"commit there has it: {few(paths, NAMED)}. Nothing was written. "
        "Commit or move your changes first; --force overwrites them."
    )


def _would_be_undone(folder: Path, paths: list[str]) -> str:
    return (
        f"{folder} has {plural(len(paths), 'file')} changed by commits that this desk has not "
        f"read: {few(paths, NAMED)}. Nothing was written. Import {folder} first; "
        "--force overwrites them."
    )


def find_space(tx: Tx, name: str) -> Row:
    """Return the space with an id or a title.

    Raises ``DeskError`` when there is none, and when several have the title.
    """
    spaces = tx.all(
        "SELECT s.*, o.title AS organization FROM space s "
        "JOIN organization o ON o.id = s.organization_id WHERE s.deleted_at IS NULL"
    )
    found = [row for row in spaces if row["id"] == name or same_name(row["title"], name)]
    if len(found) == 1:
        return found[0]
    if found:
        each = "; ".join(f"{row['id']} in {row['organization']}" for row in found)
        raise DeskError(f"Several spaces have the name {name!r}. Use an id: {each}.")
    titles = sorted(row["title"] for row in spaces)
    known = f" It has: {', '.join(titles[:12])}." if titles else " It has none."
    raise DeskError(f"There is no space {name!r} on this desk.{known}")

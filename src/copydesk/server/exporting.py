"""Exporting a space as a folder of Markdown, laid out with SUMMARY.md."""

from __future__ import annotations

from pathlib import Path

from copydesk.server import content
from copydesk.server.source_content import source_of, source_space
from copydesk.server.sources.model import Progress
from copydesk.server.sources.writer import Written, write_space
from copydesk.server.store import DeskError, Row, Store, Tx


def export_space(
    store: Store, space: str, folder: Path, *, progress: Progress | None = None
) -> Written:
    """Write the primary content of a space, named by id or title, below ``folder``.

    A space that was imported keeps the files' places and bytes; into a checkout of its repository
    this writes exactly what changed on the desk since.

    Raises ``DeskError`` when no space or several have that name, ``OSError`` when the folder cannot
    be made.
    """

    def work(tx: Tx) -> Written:
        row = find_space(tx, space)
        remembered = source_of(row)

        def at_revision(revision: str) -> content.Content:
            return content.load(tx, revision)

        current = source_space(
            tx,
            row["id"],
            row["title"],
            at_revision(row["revision_id"]),
            folder=remembered.get("folder", ""),
            summary_path=remembered.get("summary"),
        )
        base = None
        if remembered:
            base = source_space(
                tx,
                row["id"],
                row["title"],
                at_revision(remembered["revision"]),
                folder=remembered["folder"],
                summary_path=remembered["summary"],
            )
        return write_space(folder, current, base=base, progress=progress)

    return store.read(work)


def find_space(tx: Tx, name: str) -> Row:
    """Return the space with an id or a title.

    Raises ``DeskError`` when there is none, and when several have the title.
    """
    found = tx.all(
        "SELECT s.*, o.title AS organization FROM space s "
        "JOIN organization o ON o.id = s.organization_id "
        "WHERE s.deleted_at IS NULL AND (s.id = ?1 OR s.title = ?1 COLLATE NOCASE)",
        name,
    )
    if len(found) == 1:
        return found[0]
    if found:
        each = "; ".join(f"{row['id']} in {row['organization']}" for row in found)
        raise DeskError(f"Several spaces are called {name!r}. Name one by its id: {each}.")
    titles = [row["title"] for row in tx.all("SELECT title FROM space WHERE deleted_at IS NULL")]
    known = f" It has: {', '.join(sorted(titles)[:12])}." if titles else " It has none."
    raise DeskError(f"There is no space {name!r} on this desk.{known}")

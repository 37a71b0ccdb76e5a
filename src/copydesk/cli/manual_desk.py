"""``copydesk manual`` and ``:manual``: the manual in the screens, without a network.

The pages that come with the program are imported into a desk in the cache, once for each edition of
them. That desk is only read, and the person's own is not touched.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from copydesk.cli.connection import Connection, chosen
from copydesk.cli.errors import UsageError
from copydesk.domain.profile import EMBEDDED
from copydesk.local.paths import find_paths, private_folder
from copydesk.session.target import Target

if TYPE_CHECKING:
    from copydesk.server.store import Store, Tx

CALLED = "the manual"


def pages_folder() -> Path:
    """Return the folder of the manual: in the package, or beside the sources of a checkout."""
    package = Path(__file__).parent.parent
    inside = package / "manual"
    return inside if inside.is_dir() else package.parent.parent / "docs"


def manual(pages: Path | None = None) -> Connection:
    """Return the manual as a desk that is only read, made where it is not there yet.

    ``pages`` is the folder of another one than that of the program.

    Raises ``UsageError`` where it cannot be made.
    """
    from copydesk.cli.embedded import open_store
    from copydesk.server.sources.model import SourceError
    from copydesk.server.store import DeskError

    try:
        file = _desk(pages or pages_folder())
        # Nothing is to be filled: an empty desk would get the sample.
        store = open_store(file, fill=False, make=False, reads=True)
        try:
            begins = store.read(_first)
        finally:
            store.close()
    except (DeskError, SourceError, OSError) as error:
        raise UsageError(f"the manual cannot be opened ({error})") from error
    found = chosen(file, None, EMBEDDED, read_only=True)
    return replace(found, host=CALLED, profile="manual", read_only_by=CALLED, begins=begins)


def open_manual(*, theme: str | None = None, linear: bool | None = None) -> int:
    """Open the screens on the manual, and return the exit status once they are closed."""
    from copydesk.cli.open import open_connection

    return open_connection(manual(), theme, linear)


def _first(tx: Tx) -> Target:
    row = tx.one("SELECT id, organization_id FROM space")
    assert row is not None, "a desk of the manual has its space"
    return Target(organization=row["organization_id"], space=row["id"])


def _desk(pages: Path) -> Path:
    """Return the desk of the manual, made and those of other editions removed if it is missing.

    Raises ``DeskError``, ``SourceError`` and ``OSError``.
    """
    from hashlib import sha256
    from tempfile import TemporaryDirectory

    told = sha256()
    for page in sorted(pages.rglob("*.md")):
        told.update(page.relative_to(pages).as_posix().encode() + b"\0" + page.read_bytes())
    folder = private_folder(find_paths().manual)
    file = folder / f"{told.hexdigest()[:16]}.db"
    if file.exists():
        return file
    from copydesk.cli.embedded import ensure_owner, open_store
    from copydesk.server.repository_import import import_source

    with TemporaryDirectory(dir=folder) as beside:
        made = Path(beside) / file.name
        store: Store = open_store(made, fill=False)
        try:
            import_source(store, pages, owner=ensure_owner, organization="copydesk", space="Manual")
        finally:
            store.close()
        # Whole or not at all: two programs may make it at once.
        made.replace(file)
    for other in folder.glob("*.db*"):
        if not other.name.startswith(file.name):
            other.unlink(missing_ok=True)
    return file

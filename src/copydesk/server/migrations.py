"""The steps from one version of a desk's schema to the next.

Each is an SQL script below ``schema``. A step is only ever added at the end; one that a desk may
have taken is never changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from copydesk.database_lock import when_free
from copydesk.server.desk_file import APPLICATION_ID, BUSY_SECONDS

MIGRATIONS: tuple[str, ...] = (
    "01_tables",
    "02_connections",
    "03_search",
    "04_openapi_specs",
    "05_translations",
    "06_change_request_counts",
    "07_tree_names",
    "08_trash",
    "09_openapi_documents",
    "10_blob_names",
    "11_issue_order",
    "12_written",
    "13_comment_filters",
    "14_redirects",
    "15_merged_revisions",
    "16_site_structure",
    "17_invitations",
    "18_audit_git_traffic",
    "19_glossary_and_sign_in",
    "20_findings",
    "21_clustering",
    "22_clustering_progress",
)
"""The scripts below ``schema``, one per version, in the order in which they are applied."""

VERSION = len(MIGRATIONS)
"""The schema that this version of copydesk reads and writes (``PRAGMA user_version``)."""


def script(name: str) -> str:
    """Return the text of one of ``MIGRATIONS``."""
    from importlib.resources import files  # only for a new or an older desk

    return (files("copydesk.server") / "schema" / f"{name}.sql").read_text(encoding="utf-8")


def migrate(writer: sqlite3.Connection) -> None:
    """Bring a desk to the present schema in one transaction; all of it is undone if it fails.

    Raises ``sqlite3.DatabaseError`` when the desk turns out to be newer, or does not fit together.
    """
    when_free(writer, "BEGIN IMMEDIATE", BUSY_SECONDS)
    try:
        # Now that nobody else writes: another process may have migrated meanwhile.
        version = writer.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise sqlite3.DatabaseError("a newer copydesk has just taken it over")
        for name in MIGRATIONS[version:]:
            for statement in _statements(script(name)):
                writer.execute(statement)
        if version and writer.execute("PRAGMA foreign_key_check").fetchone() is not None:
            raise sqlite3.IntegrityError("its rows do not fit together; see desk check")
        writer.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        writer.execute(f"PRAGMA user_version = {VERSION}")
        writer.execute("COMMIT")
    except BaseException:
        if writer.in_transaction:
            writer.execute("ROLLBACK")
        raise


def _statements(text: str) -> Iterator[str]:
    """Yield the statements of a script; ``executescript`` would commit the transaction."""
    statement = ""
    for line in text.splitlines():
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""

"""The steps from one version of a desk's schema to the next.

A step is only ever added at the end; one that a desk may have taken is never changed.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from copydesk.server.desk_file import when_free
from copydesk.server.schema import APPLICATION_ID, TABLES
from copydesk.server.schema_blob_names import BLOBS_NAMED
from copydesk.server.schema_integration import CONNECTIONS
from copydesk.server.schema_openapi_spec import OPENAPI_DOCUMENTS, OPENAPI_SPECS
from copydesk.server.schema_search import SEARCH_TABLES
from copydesk.server.schema_translation import TRANSLATIONS

CHANGE_REQUEST_COUNTS = """
    ALTER TABLE space ADD COLUMN change_requests_archived INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE space ADD COLUMN change_requests_merged INTEGER NOT NULL DEFAULT 0;
    UPDATE space SET
        change_requests_archived = (
            SELECT count(*) FROM change_request WHERE space_id = space.id AND status = 'archived'
        ),
        change_requests_merged = (
            SELECT count(*) FROM change_request WHERE space_id = space.id AND status = 'merged'
        );
    """
"""Counts kept for every status, so that no page of a long list counts all of it."""

TREES_NAMED = """
    CREATE INDEX revision_tree ON revision(tree_hash);
    """
"""Whether a tree is named, found without reading every revision."""

TRASH = """
    CREATE INDEX space_deleted ON space(organization_id) WHERE deleted_at IS NOT NULL;
    """
"""What is in the trash, found without reading every space: each list leaves it out."""

ISSUES_IN_ORDER = """
    DROP INDEX issue_conversation;
    CREATE INDEX issue_conversation ON issue(organization_id, conversation_id, created_at, id);
    """
"""The issues of one conversation in their order, found without reading those of all others."""

MIGRATIONS: tuple[str, ...] = (
    TABLES,
    CONNECTIONS,
    SEARCH_TABLES,
    OPENAPI_SPECS,
    TRANSLATIONS,
    CHANGE_REQUEST_COUNTS,
    TREES_NAMED,
    TRASH,
    OPENAPI_DOCUMENTS,
    BLOBS_NAMED,
    ISSUES_IN_ORDER,
)
"""One script per version, applied in order; the index plus one is the version it leads to."""

VERSION = len(MIGRATIONS)
"""The schema that this version of copydesk reads and writes (``PRAGMA user_version``)."""


def migrate(writer: sqlite3.Connection) -> None:
    """Bring a desk to the present schema in one transaction; all of it is undone if it fails.

    Raises ``sqlite3.DatabaseError`` when the desk turns out to be newer, or does not fit together.
    """
    when_free(writer, "BEGIN IMMEDIATE")
    try:
        # Now that nobody else writes: another process may have migrated meanwhile.
        version = writer.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise sqlite3.DatabaseError("a newer copydesk has just taken it over")
        for script in MIGRATIONS[version:]:
            for statement in _statements(script):
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


def _statements(script: str) -> Iterator[str]:
    """Yield the statements of a script; ``executescript`` would commit the transaction."""
    statement = ""
    for line in script.splitlines():
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""

"""The steps from one version of a desk's schema to the next.

A step is only ever added at the end; one that a desk may have taken is never changed.
"""

from __future__ import annotations

from copydesk.server.schema import TABLES
from copydesk.server.schema_integration import CONNECTIONS
from copydesk.server.schema_naming import BLOBS_NAMED
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

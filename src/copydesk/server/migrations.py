"""The steps from one version of a desk's schema to the next.

A step is only ever added at the end; one that a desk may have taken is never changed.
"""

from __future__ import annotations

from copydesk.server.schema import TABLES
from copydesk.server.schema_integration import CONNECTIONS
from copydesk.server.schema_openapi_spec import OPENAPI_SPECS
from copydesk.server.schema_search import SEARCH_TABLES
from copydesk.server.schema_translation import TRANSLATIONS

MIGRATIONS: tuple[str, ...] = (TABLES, CONNECTIONS, SEARCH_TABLES, OPENAPI_SPECS, TRANSLATIONS)
"""One script per version, applied in order; the index plus one is the version it leads to."""

VERSION = len(MIGRATIONS)
"""The schema that this version of copydesk reads and writes (``PRAGMA user_version``)."""

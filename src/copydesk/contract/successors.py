"""What services have in the place of operations that they lack: method and path of each."""

from __future__ import annotations

_SITE = "/orgs/{organization_id}/sites/{site_id}"

FINDINGS = f"GET {_SITE}/findings"
RECORDS = f"PUT {_SITE}/context-records"
SORT = f"PATCH {_SITE}/structure/sort"

CLUSTERS = "GET /orgs/{organization_id}/conversations-clusters"
"""What older services have in the place of findings."""

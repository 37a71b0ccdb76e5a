"""The change requests that answer clusters: how many there are, and those of one.

A mixin of the place, apart from it for length.
"""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.tui import cluster_reading as reading
from copydesk.tui.cluster_talks import REST_SECONDS, ClusterTalks
from copydesk.tui.places import Target
from copydesk.tui.present.cluster import ClusterRow, RequestRow


class ClusterRequests(ClusterTalks):
    """The place of the clusters, as far as their change requests go."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.counts: dict[str, str] = {}
        """Open change requests by cluster, as they are shown."""
        self.requests: dict[str, Sequence[RequestRow]] = {}
        """The change requests of the clusters that were looked at."""
        self._counting: set[str] = set()
        self._stale: set[str] = set()

    def show_about(self) -> None:
        """Show what is known of the cluster under the cursor."""
        raise NotImplementedError

    def requests_of(self, row: ClusterRow) -> Sequence[RequestRow]:
        """Return the change requests that are known to answer a cluster."""
        return self.requests.get(row.id, ())

    def read_requests_of(self, row: ClusterRow) -> None:
        """Read the change requests of a cluster once the cursor rests on it, if nobody has."""
        organization = self.organization
        if row.id in self.requests or not organization or self.session.api is None:
            return

        def arrived(found: Sequence[RequestRow]) -> None:
            self.requests[row.id] = found
            self.show_about()

        self.load(
            "requests", lambda api: reading.read_requests(api, organization, row.id), arrived,
            what="Reading change requests", after=REST_SECONDS,
        )  # fmt: skip

    def count_again(self) -> None:
        """Count anew what comes on screen; until then the old counts show."""
        self._stale = set(self.counts)

    def count_on_screen(self, first: int = 0, last: int = 0) -> None:
        """Count the change requests of the clusters on screen, those that nobody counts yet."""
        rows = self.clusters
        top = rows.scroll_offset.y
        seen = [rows.source.row(at) for at in range(top, top + max(1, rows.page_lines))]
        missing = {
            row.id
            for row in seen
            if row is not None and (row.id not in self.counts or row.id in self._stale)
        }
        organization = self.organization
        if missing <= self._counting or organization is None or self.session.api is None:
            return
        self._counting = missing

        def counted(cluster: str, count: str) -> None:
            self.counts[cluster] = count
            self._stale.discard(cluster)
            if self.is_attached:
                self.clusters.refresh_rows()

        self.load(
            "counts",
            lambda api: reading.count_requests(api, organization, sorted(missing), counted),
            lambda _: self._counting.clear(),
            what="Counting change requests",
            failed=lambda _: self._counting.clear(),
            after=REST_SECONDS,
        )

"""The change requests that answer clusters: how many there are, those of one, what was merged."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.filter import UNKNOWN, Number
from copydesk.present import cluster as present
from copydesk.present.cluster import merge_weeks
from copydesk.present.conversation import shown_address
from copydesk.session.cluster_rows import (
    WEEKS,
    ClusterRow,
    Merge,
    RequestRow,
    merge_of,
    request_row,
)
from copydesk.session.readiness import readiness
from copydesk.session.reads import clusters as reading
from copydesk.tui.conversations.reader import REST_SECONDS, ConversationReader

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.present.facts import Fact
    from copydesk.tui.framework.place import Place
    from copydesk.tui.widgets.list import VirtualList

STAY_SECONDS = 0.4
"""How long the cursor stays on a cluster before the rules of its open requests are read."""


class ClusterRequests:
    """What is known of the change requests of the clusters of a place, read as it is needed."""

    rows: VirtualList[ClusterRow]
    """The list of the clusters, which shows the counts."""

    def __init__(
        self, place: Place, reader: ConversationReader, changed: Callable[[], None]
    ) -> None:
        self._place = place
        self._reader = reader
        self._changed = changed
        """Shows what is known of the cluster under the cursor."""
        self.counts: dict[str, str] = {}
        """Open change requests by cluster, as they are shown."""
        self.drafts: Mapping[str, int] = {}
        """How many drafts there are, by cluster."""
        self.width = 3
        """Cells that the counts take."""
        self._found: dict[str, Sequence[RequestRow]] = {}
        """The change requests of the clusters that were looked at."""
        self.merges: dict[str, dict[str, Merge]] = {}
        """What was merged for clusters, by the id of the request."""
        self.analysed = (0, 0)
        """How many of the latest conversations are being analysed, and of how many."""
        self._refused: dict[str, str] = {}
        """Why the change requests of a cluster could not be read."""
        self._unread: dict[str, Sequence[ChangeRequest]] = {}
        """Change requests of clusters whose rules are still to be read."""
        self._more: dict[str, str] = {}
        """How many of a cluster's change requests are not listed."""
        self._old: set[str] = set()
        """Clusters whose change requests may have changed since they were read."""
        self._left = False
        self._counting: set[str] = set()
        self._stale: set[str] = set()

    def facts_of(self, row: ClusterRow) -> list[Fact]:
        """Return what is known of a cluster, with its change requests."""
        reader = self._reader
        return present.cluster_facts(
            replace(row, address=shown_address(row.address, masked=reader.masked)),
            reader.now,
            self._found.get(row.id, self._refused.get(row.id)),
            self.merges.get(row.id, {}).values(),
            reader.shown,
            self._more.get(row.id, ""),
        )

    def of(self, row: ClusterRow) -> Sequence[RequestRow]:
        """Return the change requests that are known to answer a cluster."""
        return self._found.get(row.id, ())

    def cell(self, cluster: str) -> Text:
        """Return how many change requests a cluster has: open ones, drafts, and what was merged."""
        drafts, merged = self.drafts.get(cluster, 0), len(self.merges.get(cluster, ()))
        return present.requests_cell(self.counts.get(cluster), drafts, merged)

    def _show_counts(self, *told: ClusterRow) -> None:
        """Draw the counts, as wide as they are by now: those of clusters, or all."""
        shown = [each.id for each in told] or self.counts
        width = max((self.cell(each).cell_len for each in shown), default=0)
        if width > self.width:
            self.width = width
            self.rows.columns = tuple(
                replace(each, width=width) if each.key == "requests" else each
                for each in self.rows.columns
            )
            self.rows.refresh_rows()
        elif told:
            self.rows.redraw(told)
        else:
            self.rows.refresh_rows()

    def count_open(self, cluster: str) -> Number:
        """Return the number of a cluster's open change requests, unknown until they are counted."""
        count = self.counts.get(cluster)
        if count is None:
            return UNKNOWN
        return int(count.rstrip("+")) if count[:1].isdigit() else None

    def merged_in(self, row: ClusterRow) -> Collection[int]:
        """Return the weeks of a pulse in which something was merged for its cluster."""
        merges = self.merges.get(row.id)
        if not merges:
            return ()
        return merge_weeks(merges.values(), self._reader.now, len(row.pulse))

    def read_of(self, row: ClusterRow) -> None:
        """Read the change requests of a cluster once the cursor rests on it, if nobody has.

        They show as soon as they are there; the rules of open ones are read once it stays.
        """
        organization = self._reader.organization
        known = row.id in self._found and row.id not in self._old
        known = known and not self._place.reads.left_behind("requests", row.id)
        if known or not organization or self._place.session.api is None:
            if row.id in self._unread:
                self._read_readiness(row)
            return

        def arrived(found: reading.Found) -> None:
            self._old.discard(row.id)
            self._refused.pop(row.id, None)
            self._unread.pop(row.id, None)
            self._more[row.id] = found.more
            self.counts[row.id] = found.opened
            self._stale.discard(row.id)
            # How ready it was shows until that is known anew.
            ready = {old.id: old.ready for old in self.of(row) if old.status == "open"}
            self._found[row.id] = [
                request_row(request, ready.get(request.id)) for request in found.requests
            ]
            self._take_merges(row.id, found.requests)
            self._show_counts(row)
            if any(request.status == "open" for request in found.requests):
                self._unread[row.id] = found.requests
                self._read_readiness(row)
            self._changed()

        def failed(said: str) -> None:
            self._refused[row.id] = said
            self._changed()

        self._place.reads.load(
            "requests", lambda api: reading.find_requests(api, organization, row.id), arrived,
            what="Reading change requests", of=row.id, failed=failed, after=REST_SECONDS,
        )  # fmt: skip

    def _take_merges(self, cluster: str, requests: Sequence[ChangeRequest]) -> None:
        found = [merge for request in requests if (merge := merge_of(request)) is not None]
        if found:
            known = self.merges.setdefault(cluster, {})
            known.update((merge.id, merge) for merge in found)

    def _read_readiness(self, row: ClusterRow) -> None:
        requests = self._unread[row.id]

        def arrived(found: Sequence[RequestRow]) -> None:
            self._unread.pop(row.id, None)
            self._found[row.id] = found
            self._changed()

        def failed(_: str) -> None:
            unknown = readiness("open", None, outdated=False, keys=False)
            arrived([request_row(each, unknown) for each in requests])

        self._place.reads.load(
            "readiness",
            lambda api: reading.read_readiness(api, requests, self._place.session.stuck), arrived,
            what="Reading merge rules", of=row.id, failed=failed, after=STAY_SECONDS,
        )  # fmt: skip

    def read_besides(self) -> None:
        """Read the latest merges and the drafts of all clusters, and what is being analysed."""
        organization = self._reader.organization
        if not organization:
            return
        since = self._reader.now - timedelta(weeks=WEEKS)

        def merged(found: dict[str, list[Merge]]) -> None:
            for cluster, merges in found.items():
                self.merges.setdefault(cluster, {}).update((each.id, each) for each in merges)
            self._show_counts()
            self._changed()

        def analysed(found: tuple[int, int]) -> None:
            self.analysed = found
            self._place.refresh_frame()

        async def merges(api: Api) -> dict[str, list[Merge]]:
            return await reading.read_merges(api, organization, since)

        def drafted(found: Mapping[str, int]) -> None:
            self.drafts = found
            self._show_counts()

        async def drafts(api: Api) -> Mapping[str, int]:
            return await reading.count_drafts(api, organization)

        async def waiting(api: Api) -> tuple[int, int]:
            return await reading.count_analysed(api, organization)

        self._place.reads.load("merges", merges, merged, what="Reading what was merged")
        self._place.reads.load("drafts", drafts, drafted, what="Counting drafts")
        self._place.reads.load("analysed", waiting, analysed, what="Counting conversations")

    def analysing_said(self) -> str:
        """Say how many conversations are being analysed; a service that tells of none says none.

        Where there is no cluster yet, none may have been processed at all.
        """
        waiting, looked = self.analysed
        if not waiting or (waiting == looked and self.rows.source.count):
            return ""
        more = "+" if waiting >= reading.LOOKED_AT else ""
        return f"{waiting}{more} being analysed: numbers may rise"

    def doubt(self) -> None:
        """Read the change requests of clusters anew where the cursor is; the old ones show."""
        self._old = set(self._found)
        row = self.rows.selected
        if row is not None:
            self.read_of(row)

    def leave(self) -> None:
        """Take note of whether another place is gone to, where requests may be changed."""
        self._left = self._place.desk.here is not self._place

    def come_back(self) -> None:
        """Follow what became of the change requests meanwhile."""
        if self._left:
            self._left = False
            self.count_again()
            self.count_on_screen()
            self.doubt()

    def count_again(self) -> None:
        """Count anew what comes on screen; until then the old counts show."""
        self._stale = set(self.counts)

    def count_on_screen(self) -> None:
        """Count the change requests of the clusters on screen, those that nobody counts yet.

        Those of the one under the cursor come with its change requests.
        """
        rows = self.rows
        top = rows.scroll_offset.y
        seen = [rows.source.row(at) for at in range(top, top + max(1, rows.page_lines))]
        missing = {
            row.id: row
            for row in seen
            if row is not None and (row.id not in self.counts or row.id in self._stale)
        }
        if self._place.reads.under_way("requests") and rows.selected_id is not None:
            missing.pop(rows.selected_id, None)
        organization = self._reader.organization
        if organization is None or self._place.session.api is None:
            return
        if missing.keys() <= self._counting:
            return
        self._counting = set(missing)

        def counted(cluster: str, count: str) -> None:
            self.counts[cluster] = count
            self._stale.discard(cluster)
            if self._place.is_attached:
                self._show_counts(missing[cluster])

        self._place.reads.load(
            "counts",
            lambda api: reading.count_requests(api, organization, sorted(missing), counted),
            lambda _: self._counting.clear(),
            what="Counting change requests",
            of=" ".join(sorted(missing)),
            failed=lambda _: self._counting.clear(),
            after=REST_SECONDS,
        )

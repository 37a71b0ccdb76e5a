"""``copydesk clusters``: what users struggle with, for people and for scripts.

E-mail addresses and phone numbers in what people wrote are masked, as on the screens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import quote

from copydesk.cli.clustering_wait import await_analysis
from copydesk.cli.connection import OWN, Service
from copydesk.cli.errors import DONE, FAILED, LACKING, UsageError, say
from copydesk.cli.lookup import PAGE, candidates, find_organizations, said_name
from copydesk.cli.output import Column, put, put_facts, put_json, put_table
from copydesk.cli.output_file import check_form, give_json, give_table
from copydesk.client.errors import OperationMissing
from copydesk.contract.enumerations import ClusterOrder
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, same_name, shorten
from copydesk.present.cluster import SORTS, chart, cluster_facts, in_order, trend_cell
from copydesk.present.cluster_tables import clusters_table
from copydesk.present.conversation import shown_address
from copydesk.session.cluster_rows import WEEKS, ClusterMerge, ClusterRow, cluster_row, shown
from copydesk.session.operations import ops
from copydesk.session.reads.cluster_report import MERGED_PAGES
from copydesk.session.reads.clusters import find_requests, read_merges, read_readiness

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.cluster import IssuesCluster
    from copydesk.contract.models.organization import Organization


FINDINGS_INSTEAD = (
    "This service has no clusters: its sites have findings. “copydesk findings” lists them, g q "
    "shows them, “copydesk clusters report” tells of them."
)
"""What to say, and what to do, where a service has no clusters."""


@dataclass(frozen=True, slots=True)
class FoundCluster:
    """A cluster as it came, as a row, and where it is."""

    model: IssuesCluster
    row: ClusterRow
    place: Organization

    @property
    def named(self) -> str:
        """Its name and its id, as a sentence names it."""
        label = shorten(shown(self.row.label, masked=True))
        return f"{label} ({clean(self.row.id)})"


def orders() -> list[str]:
    """Return the orders that there are: those of the service, then those made here."""
    return [*get_args(ClusterOrder), *(each for each in SORTS if each != "server")]


def list_clusters(
    *,
    sort: str | None = None,
    organization: str | None = None,
    unmask: bool = False,
    as_csv: bool = False,
    output: Path | None = None,
    force: bool = False,
    wait: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print the clusters of every organization, or of one, in an order of `orders`."""
    if sort is not None and sort not in orders():
        said = shorten(clean(sort))
        raise UsageError(f"--sort: there is no order {said}. There are: {', '.join(orders())}.")
    check_form(output, as_csv=as_csv, as_json=as_json)

    async def run(api: Api) -> int:
        places = await find_organizations(api, organization)
        await await_analysis(api, places, wait=wait)
        found = await _clusters(api, places, sort)
        now, merges = api.now, dict[str, list[ClusterMerge]]()
        for place in {each.place.id for each in found} if as_csv else ():
            merges |= await read_merges(api, place, now - timedelta(weeks=WEEKS), MERGED_PAGES)
        hide = _hiding(unmask=unmask)
        if as_json:
            values = [_value(each, masked=not unmask) for each in found]
            return give_json(values, output, force=force)
        if as_csv:
            rows = [each.row for each in found]
            return give_table(clusters_table(rows, now, merges, hide), output, force=force)
        if not found:
            say("There are no clusters.")
            return DONE
        top = max((week for each in found for week in each.row.pulse), default=0.0)
        columns = [
            Column[FoundCluster]("CLUSTER", lambda each: hide(each.row.label), gives=True),
            Column("13 WEEKS", lambda each: chart(each.row, top)),
            Column("ISSUES", lambda each: str(each.row.issues), right=True),
            Column("CONVERSATIONS", lambda each: str(each.row.conversations), right=True),
            Column("TREND", lambda each: trend_cell(each.row), right=True),
        ]
        if len({each.place.id for each in found}) > 1:
            columns.append(Column("ORGANIZATION", lambda each: each.place.title, gives=True))
        put_table([*columns, Column("ID", lambda each: each.row.id)], found)
        return DONE

    return service.connection().run(run)


def show_cluster(
    *,
    cluster: str,
    organization: str | None = None,
    unmask: bool = False,
    as_json: bool = False,
    sort: str | None = None,
    service: Service = OWN,
) -> int:
    """Print one cluster, with the change requests that answer it."""
    if sort is not None:
        raise UsageError("--sort is for the list of clusters: leave it out")

    async def run(api: Api) -> int:
        hide = _hiding(unmask=unmask)
        found = await find_cluster(api, cluster, organization)
        row, place = found.row, found.place
        answers = await find_requests(api, place.id, row.id, limit=PAGE if as_json else None)
        if as_json:
            requests = [request.to_dict() for request in answers.requests]
            put_json({**_value(found, masked=not unmask), "changeRequests": requests})
            if answers.more:
                say(f"Of its change requests these are not listed: {answers.more}.")
            return DONE
        now = api.now
        answering = await read_readiness(api, answers.requests, ())
        since = row.seen or now
        merges = (await read_merges(api, place.id, since)).get(row.id, [])
        put(hide(row.label), "strong")
        put("")
        facts = cluster_facts(row, now, answering or "none yet", merges, masked=not unmask)
        put_facts([*facts, ("trend", trend_cell(row))])
        if answers.more:
            put(f"There are {answers.more}; --json lists them.")
        return DONE

    return service.connection().run(run)


async def _clusters(
    api: Api, places: Sequence[Organization], sort: str | None = None
) -> list[FoundCluster]:
    """Return all clusters in an order; each organization after the other in one of the service."""
    served: Any = sort if sort in get_args(ClusterOrder) else None
    try:
        found = [
            FoundCluster(model, cluster_row(model), place)
            for place in places
            async for model in api.pages(ops.list_issues_clusters, place.id, order_by=served)
        ]
    except OperationMissing as error:
        raise UsageError(FINDINGS_INSTEAD, LACKING) from error
    if sort is None or served is not None:
        return found
    by_row = {id(each.row): each for each in found}
    rows = in_order([each.row for each in found], sort, backwards=False)
    return [by_row[id(row)] for row in rows]


async def find_cluster(api: Api, wanted: str, organization: str | None) -> FoundCluster:
    """Return the cluster with an id, or a name: all of it, or words that only one has.

    Raises ``UsageError`` for none or several.
    """
    said = said_name("cluster", wanted)
    everything = await _clusters(api, await find_organizations(api, organization))
    found = [each for each in everything if each.row.id == wanted.strip()]
    found = found or [each for each in everything if same_name(each.row.label, wanted)]
    words = set() if found else set(_words(wanted))
    if words:
        found = [each for each in everything if words <= set(_words(each.row.label))]
    if len(found) == 1:
        return found[0]
    known = found or everything
    named = candidates(wanted, [(each.row.label, each.named) for each in known])
    if found:
        same = "these words" if words else f"the name {said}"
        raise UsageError(f"several clusters have {same}: {named}. Use an id.")
    there = f" There are: {named}." if known else " There are none."
    raise UsageError(f"no cluster has the name {said}.{there}", FAILED)


def _words(name: str) -> list[str]:
    return re.findall(r"\w+", name.casefold())


def _hiding(*, unmask: bool) -> Callable[[str], str]:
    return lambda text: shown(text, masked=not unmask)


def _value(found: FoundCluster, *, masked: bool) -> dict[str, Any]:
    """Return a cluster as the service has it, with personal data masked.

    Besides: where it is, its trend, and what ``copydesk api GET`` lists its issues and change
    requests with.
    """
    hide = _hiding(unmask=not masked)
    value = found.model.to_dict()
    for name in ("label", "summary"):
        if name in value:
            value[name] = hide(clean(value[name], lines=True))
    value["sources"] = {hide(clean(name)): count for name, count in found.model.sources.items()}
    trend, lists = found.row.trend, f"/orgs/{found.place.id}"
    cluster = quote(found.row.id, safe="")
    links = {
        "issues": f"{lists}/conversations-issues?cluster={cluster}",
        "changeRequests": f"{lists}/change-requests?conversationsIssuesCluster={cluster}",
    }
    if found.row.address:
        links["app"] = shown_address(found.row.address, masked=masked)
    return {
        **value,
        "organization": found.place.id,
        "trend": {"text": trend.text, "percent": trend.percent},
        "links": links,
    }

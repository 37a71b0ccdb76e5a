"""Clusters of issues."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.cluster import WantedConversations
from copydesk.contract.enumerations import ClusterOrder, Order
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.cluster import (
    ClusterHit,
    ClusterJoin,
    ClusterSuggestion,
    IssuesCluster,
    IssuesClusterCreate,
    IssuesClusterUpdate,
)
from copydesk.server import clusters
from copydesk.server.conversation_writes import add_cluster
from copydesk.server.errors import blocked, invalid, not_found
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.change_request import find_change_request
from copydesk.server.queries.cluster import (
    changing_organization,
    check_issues,
    cluster_model,
    cluster_to_change,
    find_cluster,
    go_on,
    issue_item,
    reading_organization,
)
from copydesk.server.queries.conversation_search import Search
from copydesk.server.store import Row, Value

_COLUMNS: dict[ClusterOrder, str] = {
    "updatedAt": "updated_at",
    "issues": "issues",
    "conversations": "conversations",
}


@implements(ops.list_issues_clusters, takes="read")
def list_issues_clusters(
    call: Call,
    organization_id: str,
    *,
    order: Order = "desc",
    order_by: ClusterOrder = "updatedAt",
    **paging: Unpack[Paging],
) -> Page[IssuesCluster]:
    reading_organization(call, organization_id)
    go_on(call, organization_id)
    return paginate(
        call.tx,
        lambda row: cluster_model(call, row),
        source="cluster",
        which=Conditions("organization_id = ?", organization_id),
        keys=(_COLUMNS[order_by], "id"),
        descending=order == "desc",
        paging=paging,
    )


@implements(ops.get_issues_cluster, takes="read")
def get_issues_cluster(call: Call, organization_id: str, cluster_id: str) -> IssuesCluster:
    return cluster_model(call, find_cluster(call, organization_id, cluster_id))


@implements(ops.create_issues_cluster, takes="createContent")
def create_issues_cluster(
    call: Call, organization_id: str, body: IssuesClusterCreate
) -> IssuesCluster:
    """Make a cluster; the issues that are named move into it, from wherever they are."""
    changing_organization(call, organization_id)
    issues = check_issues(call, organization_id, body.issues or [])
    from_where = clusters.sources_of(call.tx, issues)
    key = add_cluster(
        call.tx, organization_id, body.label, icon=body.icon, summary=body.summary or ""
    )
    clusters.place(call.tx, issues, key, "hand")
    for each in from_where:
        clusters.tell(call.tx, each, "split", key, body.label)
    return cluster_model(call, call.tx.row("cluster", key))


@implements(ops.update_issues_cluster, takes="createContent")
def update_issues_cluster(
    call: Call, organization_id: str, cluster_id: str, body: IssuesClusterUpdate
) -> IssuesCluster:
    """Change a cluster, by hand from then on; a closed one gets no more suggestions."""
    row = cluster_to_change(call, organization_id, cluster_id)
    changes: dict[str, Value] = {}
    for name in body.model_fields_set & {"label", "summary", "icon"}:
        if getattr(body, name) != row[name]:
            changes[name] = getattr(body, name)
    if body.closed is not None and body.closed != (row["closed_at"] is not None):
        changes["closed_at"] = call.tx.now if body.closed else None
    if changes:
        call.tx.update("cluster", cluster_id, updated_at=call.tx.now, named="hand", **changes)
    if body.closed:
        call.tx.run("DELETE FROM suggestion WHERE cluster_id = ?", cluster_id)
    return cluster_model(call, call.tx.row("cluster", cluster_id))


@implements(ops.delete_issues_cluster, takes="createContent")
def delete_issues_cluster(call: Call, organization_id: str, cluster_id: str) -> None:
    """End a cluster; nothing puts its issues together again but a person."""
    changing_organization(call, organization_id)
    row = call.tx.get("cluster", id=cluster_id, organization_id=organization_id)
    if row is None:
        call.was_missing()
    else:
        clusters.end(call.tx, row, "hand")


@implements(ops.join_issues_clusters, takes="createContent")
def join_issues_clusters(
    call: Call, organization_id: str, cluster_id: str, body: ClusterJoin
) -> IssuesCluster:
    """Put clusters into one, which is by hand then, with the change requests that answer them."""
    row = cluster_to_change(call, organization_id, cluster_id)
    if row["closed_at"] is not None:
        raise blocked(f"The cluster {row['label'][:100]!r} is closed: open it first.")
    for number, each in enumerate(dict.fromkeys(body.clusters)):
        where = f"body.clusters[{number}]"
        if each == cluster_id:
            raise invalid(f"{where}: a cluster cannot be joined with itself")
        other = call.tx.get("cluster", id=each, organization_id=organization_id)
        if other is None:
            raise invalid(f"{where}: there is no cluster {each[:100]!r}")
        clusters.join(call.tx, other, cluster_id, "hand")
    call.tx.update("cluster", cluster_id, named="hand")
    return cluster_model(call, call.tx.row("cluster", cluster_id))


@implements(ops.restore_issues_cluster, takes="createContent")
def restore_issues_cluster(call: Call, organization_id: str, cluster_id: str) -> IssuesCluster:
    """Bring back a cluster that ended, with its id; one that did not stays as it is."""
    changing_organization(call, organization_id)
    if call.tx.get("cluster", id=cluster_id, organization_id=organization_id) is None:
        ended = call.find("cluster", "ended_cluster", cluster_id, organization_id=organization_id)
        clusters.restore(call.tx, ended)
    return cluster_model(call, call.tx.row("cluster", cluster_id))


@implements(ops.list_cluster_suggestions, takes="read")
def list_cluster_suggestions(
    call: Call, organization_id: str, cluster_id: str, **paging: Unpack[Paging]
) -> Page[ClusterSuggestion]:
    """List issues that are in no cluster and similar to this one."""
    find_cluster(call, organization_id, cluster_id)

    def suggestion(row: Row) -> ClusterSuggestion:
        item = issue_item(call, call.tx.row("issue", row["issue_id"]))
        return ClusterSuggestion(
            issue=item.issue, conversation=item.conversation, similarity=row["similarity"]
        )

    return paginate(
        call.tx,
        suggestion,
        source="suggestion",
        which=Conditions("cluster_id = ?", cluster_id),
        keys=("similarity", "issue_id"),
        paging=paging,
    )


@implements(ops.search_issues_clusters, takes="read")
def search_issues_clusters(
    call: Call,
    organization_id: str,
    *,
    order: Order = "desc",
    order_by: ClusterOrder = "updatedAt",
    **wanted: Unpack[WantedConversations],
) -> Page[ClusterHit]:
    """Find clusters by conversations whose issues are in them."""
    reading_organization(call, organization_id)
    search = Search(call, organization_id, wanted)
    found, told, count = search.find_clusters()
    return paginate(
        call.tx,
        search.cluster_hit,
        source=found,
        values=(told,),
        keys=(_COLUMNS[order_by], "id"),
        descending=order == "desc",
        paging=wanted,
        count=count,
        prepare=search.prepare_clusters,
    )


@implements(ops.link_cluster_change_request, takes="read")
def link_cluster_change_request(
    call: Call, organization_id: str, cluster_id: str, change_request_id: str
) -> None:
    """Link a change request that the caller may edit; it answers one cluster at a time."""
    find_cluster(call, organization_id, cluster_id)
    row = _request(call, organization_id, change_request_id)
    call.tx.update("change_request", row["id"], cluster_id=cluster_id)


@implements(ops.unlink_cluster_change_request, takes="read")
def unlink_cluster_change_request(
    call: Call, organization_id: str, cluster_id: str, change_request_id: str
) -> None:
    """Take the link of a change request away, if it answers this cluster."""
    find_cluster(call, organization_id, cluster_id)
    row = _request(call, organization_id, change_request_id)
    if row["cluster_id"] == cluster_id:
        call.tx.update("change_request", row["id"], cluster_id=None)
    else:
        call.was_missing()


def _request(call: Call, organization_id: str, change_request_id: str) -> Row:
    """Return a change request of an organization that the caller may edit."""
    space_id = call.tx.value(
        "SELECT space_id FROM change_request WHERE id = ? AND organization_id = ?",
        change_request_id,
        organization_id,
    )
    if space_id is None:
        raise not_found("change request", change_request_id)
    _, row = find_change_request(call, space_id, change_request_id)
    call.access.space(space_id, "edit")
    return row

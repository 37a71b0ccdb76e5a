"""Clusters of issues."""

from __future__ import annotations

from copydesk.contract import operations as ops
from copydesk.contract.enumerations import ClusterOrder, Order
from copydesk.contract.models.base import Page
from copydesk.contract.models.cluster import IssuesCluster
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import paginate
from copydesk.server.queries.cluster import cluster_model, find_cluster, reading_organization

_COLUMNS: dict[ClusterOrder, str] = {
    "updatedAt": "updated_at",
    "issues": "issues",
    "conversations": "conversations",
}


@implements(ops.list_issues_clusters)
def list_issues_clusters(
    call: Call,
    organization_id: str,
    *,
    page: str | None = None,
    limit: int | None = None,
    order: Order = "desc",
    order_by: ClusterOrder = "updatedAt",
) -> Page[IssuesCluster]:
    """List the clusters of an organization in the order asked for."""
    reading_organization(call, organization_id)
    return paginate(
        call.tx,
        lambda row: cluster_model(call, row),
        source="cluster",
        where=("organization_id = ?",),
        values=(organization_id,),
        keys=(_COLUMNS[order_by], "id"),
        descending=order == "desc",
        page=page,
        limit=limit,
    )


@implements(ops.get_issues_cluster)
def get_issues_cluster(call: Call, organization_id: str, cluster_id: str) -> IssuesCluster:
    return cluster_model(call, find_cluster(call, organization_id, cluster_id))

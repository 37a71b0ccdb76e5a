"""Operations on clusters of issues."""

from __future__ import annotations

from copydesk.contract.enumerations import ClusterOrder, Order
from copydesk.contract.models.base import Limit, Page
from copydesk.contract.models.cluster import IssuesCluster
from copydesk.contract.operation import operation
from copydesk.contract.successors import FINDINGS


@operation("GET", "/orgs/{organization_id}/conversations-clusters", ended=True, successor=FINDINGS)
def list_issues_clusters(
    organization_id: str,
    *,
    page: str | None = None,
    limit: Limit | None = None,
    order: Order = "desc",
    order_by: ClusterOrder = "updatedAt",
) -> Page[IssuesCluster]:
    """List the clusters of an organization's issues."""
    ...


@operation(
    "GET",
    "/orgs/{organization_id}/conversations-clusters/{cluster_id}",
    extension="E8",
    ended=True,
    successor=FINDINGS,
)
def get_issues_cluster(organization_id: str, cluster_id: str) -> IssuesCluster:
    """Get a cluster of issues."""
    ...

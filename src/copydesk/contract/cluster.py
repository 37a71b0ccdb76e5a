"""Operations on clusters of issues."""

from __future__ import annotations

from functools import partial
from typing import Unpack

from copydesk.contract import models
from copydesk.contract.enumerations import ClusterOrder, Order
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation
from copydesk.contract.successors import FINDINGS

_CLUSTER = "/orgs/{organization_id}/conversations-clusters/{cluster_id}"

of_desk = partial(operation, extension="E22", ended=True, successor=FINDINGS)
"""Declares what a desk has that finds clusters itself; newer services have none of it."""


class WantedConversations(Paging, total=False):
    """Which conversations are looked for, and which page of what is found.

    An ``attribute`` is a name and a value, such as "plan=team"; all of them have to hold.
    """

    query: models.search.SearchText | None
    source: str | None
    language: str | None
    since: models.base.Timestamp | None
    until: models.base.Timestamp | None
    attribute: list[str] | None


@operation("GET", "/orgs/{organization_id}/conversations-clusters", ended=True, successor=FINDINGS)
def list_issues_clusters(
    organization_id: str,
    *,
    order: Order = "desc",
    order_by: ClusterOrder = "updatedAt",
    **paging: Unpack[Paging],
) -> Page[models.cluster.IssuesCluster]:
    """List the clusters of an organization's issues."""


@operation("GET", _CLUSTER, extension="E8", ended=True, successor=FINDINGS)
def get_issues_cluster(organization_id: str, cluster_id: str) -> models.cluster.IssuesCluster:
    """Get a cluster of issues."""


@of_desk("POST", "/orgs/{organization_id}/conversations-clusters", status=201)
def create_issues_cluster(
    organization_id: str, body: models.cluster.IssuesClusterCreate
) -> models.cluster.IssuesCluster:
    """Make a cluster of issues by hand."""


@of_desk("PATCH", _CLUSTER)
def update_issues_cluster(
    organization_id: str, cluster_id: str, body: models.cluster.IssuesClusterUpdate
) -> models.cluster.IssuesCluster:
    """Rename, describe, close or open a cluster of issues."""


@of_desk("DELETE", _CLUSTER)
def delete_issues_cluster(organization_id: str, cluster_id: str) -> None:
    """Delete a cluster; its issues stay, in no cluster."""


@of_desk("POST", _CLUSTER + "/join")
def join_issues_clusters(
    organization_id: str, cluster_id: str, body: models.cluster.ClusterJoin
) -> models.cluster.IssuesCluster:
    """Put the issues of other clusters into this one; the others end."""


@of_desk("POST", _CLUSTER + "/restore")
def restore_issues_cluster(organization_id: str, cluster_id: str) -> models.cluster.IssuesCluster:
    """Bring back a cluster that was deleted or joined, with its issues and change requests."""


@of_desk("GET", _CLUSTER + "/suggestions")
def list_cluster_suggestions(
    organization_id: str, cluster_id: str, **paging: Unpack[Paging]
) -> Page[models.cluster.ClusterSuggestion]:
    """List issues that may belong to a cluster, the most similar first."""


@of_desk("GET", "/orgs/{organization_id}/conversations-clusters-search")
def search_issues_clusters(
    organization_id: str,
    *,
    order: Order = "desc",
    order_by: ClusterOrder = "updatedAt",
    **wanted: Unpack[WantedConversations],
) -> Page[models.cluster.ClusterHit]:
    """Find the clusters with a conversation in which something was said, or that is so.

    Conversations are found as ``search_conversations`` finds them.
    """


@of_desk("PUT", _CLUSTER + "/change-requests/{change_request_id}", status=204)
def link_cluster_change_request(
    organization_id: str, cluster_id: str, change_request_id: str
) -> None:
    """Say that a change request answers a cluster."""


@of_desk("DELETE", _CLUSTER + "/change-requests/{change_request_id}")
def unlink_cluster_change_request(
    organization_id: str, cluster_id: str, change_request_id: str
) -> None:
    """Say that a change request does not answer a cluster."""

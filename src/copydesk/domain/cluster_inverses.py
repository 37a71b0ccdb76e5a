"""The undo of writes to clusters and to the issues in them.

A cluster that was deleted or joined comes back with its id, so nothing that names it has to follow.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from copydesk.domain.reversal import JSON, Expectation, Reversal, Step, changed

LOOKED_AT = 5
"""Issues of which is read whether they are where they were left, before many are moved back."""


def _named(organization: str, cluster: str) -> dict[str, JSON]:
    return {"organization_id": organization, "cluster_id": cluster}


def _moves(organization: str, where: Mapping[str, str]) -> tuple[Step, ...]:
    """Return the steps that put issues into clusters ("" for none): one for each cluster."""
    by_cluster: dict[str, list[str]] = {}
    for issue, cluster in where.items():
        by_cluster.setdefault(cluster, []).append(issue)
    return tuple(
        Step(
            "move_conversation_issues",
            {"organization_id": organization},
            {"issues": issues, "cluster": cluster or None},
        )
        for cluster, issues in by_cluster.items()
    )


def _placed(organization: str, where: Mapping[str, str]) -> Expectation | None:
    found: Expectation | None = None
    for issue, cluster in islice(where.items(), LOOKED_AT):
        read = Step("get_conversation_issue", {"organization_id": organization, "issue_id": issue})
        found = Expectation(
            read, {"issue.cluster": cluster or None}, said="an issue was moved since", also=found
        )
    return found


def issues_moved(organization: str, before: Mapping[str, str], cluster: str) -> Reversal:
    """Return the way back of moving issues into a cluster, or out of theirs ("").

    ``before`` has the cluster of each issue, "" for none.
    """
    after = dict.fromkeys(before, cluster)
    return Reversal(
        _moves(organization, before),
        _moves(organization, after),
        _placed(organization, after),
        _placed(organization, before),
    )


def cluster_made(
    organization: str, cluster: str, label: str, before: Mapping[str, str]
) -> Reversal:
    """Return the way back of a new cluster: its issues go back where they were, and it is deleted.

    ``before`` has the cluster of each of its issues, "" for none.
    """
    ids = _named(organization, cluster)
    read = Step("get_issues_cluster", ids)
    return Reversal(
        (*_moves(organization, before), Step("delete_issues_cluster", ids)),
        (
            Step("restore_issues_cluster", ids),
            *_moves(organization, dict.fromkeys(before, cluster)),
        ),
        Expectation(
            read, {"label": label, "stats.issues": len(before)}, said="it was changed since"
        ),
        Expectation(read, gone=True),
    )


def cluster_changed(
    organization: str, cluster: str, before: Mapping[str, JSON], after: Mapping[str, JSON]
) -> Reversal:
    """Return the way back of another name, summary or icon, or of closing it."""
    return changed(
        "update_issues_cluster",
        "get_issues_cluster",
        _named(organization, cluster),
        before,
        after,
        shown=lambda values: {
            ("closedAt~set" if name == "closed" else name): value for name, value in values.items()
        },
    )


def cluster_deleted(organization: str, cluster: str) -> Reversal:
    """Return the way back of deleting a cluster: it comes back with its issues and requests."""
    ids = _named(organization, cluster)
    read = Step("get_issues_cluster", ids)
    return Reversal(
        (Step("restore_issues_cluster", ids),),
        (Step("delete_issues_cluster", ids),),
        Expectation(read, gone=True),
        Expectation(read, {"id": cluster}),
    )


def clusters_joined(organization: str, cluster: str, others: Sequence[str]) -> Reversal:
    """Return the way back of joining others into a cluster: each comes back with what it had."""
    ids = _named(organization, cluster)
    gone: Expectation | None = None
    there: Expectation | None = None
    for other in others[:LOOKED_AT]:
        read = Step("get_issues_cluster", _named(organization, other))
        gone, there = Expectation(read, gone=True, also=gone), Expectation(read, {}, also=there)
    return Reversal(
        tuple(Step("restore_issues_cluster", _named(organization, other)) for other in others),
        (Step("join_issues_clusters", ids, {"clusters": [*others]}),),
        gone,
        there,
    )


def request_linked(
    organization: str, space: str, request: str, before: str, after: str
) -> Reversal:
    """Return the way back of saying which cluster a change request answers ("" for none)."""
    read = Step("get_change_request", {"space_id": space, "change_request_id": request})

    def turn(old: str, new: str) -> tuple[Step, ...]:
        name = "link_cluster_change_request" if new else "unlink_cluster_change_request"
        return (Step(name, {**_named(organization, new or old), "change_request_id": request}),)

    def there(cluster: str) -> Expectation:
        fields = {"conversationsIssuesCluster": cluster or None}
        return Expectation(read, fields, said="it was linked to another cluster since")

    return Reversal(turn(after, before), turn(before, after), there(after), there(before))

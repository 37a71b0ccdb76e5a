"""Rows of issues and their conversations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from copydesk.contract.models.change_request import ChangeRequest as Request
from copydesk.contract.models.cluster import ClusterHit, ClusterSuggestion
from copydesk.contract.models.cluster import IssuesCluster as Cluster
from copydesk.contract.models.conversation import ConversationIssueItem, SearchHit
from copydesk.contract.models.finding import SiteFinding
from copydesk.domain.trend import rate, trend
from copydesk.session.cluster_rows import (
    HIT_LIMIT,
    WEEKS,
    ClusterMerge,
    IssueRow,
    cluster_row,
    finding_row,
    found_cluster_row,
    issue_row,
    merge_of,
    request_row,
    suggestion_row,
    words_of,
)
from tests.session.rows import NOW


def item(issue: dict[str, Any], conversation: dict[str, Any] | None = None) -> IssueRow:
    found = {"issue": {"id": "i", "title": "", **issue}, "conversation": conversation}
    return issue_row(ConversationIssueItem.model_validate(found))


def test_words_that_were_found_and_the_weeks_of_a_cluster() -> None:
    assert words_of(None) is None
    hit = SearchHit(before="It \x07", words="fails", after=" now\n")
    assert words_of(hit) == ("It ", "fails", " now ")
    longest = words_of(SearchHit(before="x" * 999))
    assert longest is not None
    assert len(longest[0]) == HIT_LIMIT
    cluster = Cluster.model_validate(
        {"id": "c", "label": " ", "createdAt": "2026-03-02T12:00:00Z", "status": "open"}
    )
    row = cluster_row(cluster)
    assert row.seen == row.created
    assert replace(row, first=NOW).seen == NOW
    assert replace(row, pulse=(1.0,) * 13).rate == rate((1.0,) * 13)
    assert replace(row, pulse=(1.0,) * 13, issues=13).trend == trend((1.0,) * 13, 13)


def test_what_is_told_of_a_cluster_and_of_a_finding() -> None:
    stats = {"issues": 3, "conversations": 2, "suggestions": 4, "tasksTotal": 5}
    joined = {"at": NOW, "kind": "split", "other": "d", "label": " "}
    cluster = Cluster.model_validate(
        {"id": "c", "label": "Sign-in\x07", "summary": "One.\nTwo.", "createdAt": NOW,
         "updatedAt": NOW, "weeklyPulse": [1, 2], "sources": {" ": 1, "\x07": 2, "api": 4},
         "stats": stats, "history": [joined], "urls": {"app": "https://app.test/c"}}
    )  # fmt: skip
    row = cluster_row(cluster)
    assert (row.id, row.label, row.summary) == ("c", "Sign-in", "One.\nTwo.")
    assert row.pulse == (0,) * (WEEKS - 2) + (1, 2)
    assert (row.issues, row.conversations, row.suggestions) == (3, 2, 4)
    assert (row.sources, row.tasks) == ((("api", 4), ("unknown", 3)), (("total", 5),))
    assert (row.created, row.updated, row.closed, row.first) == (NOW, NOW, None, None)
    assert row.address == "https://app.test/c"
    assert row.history == (("split", "Untitled", NOW),)
    hit = SearchHit(before="It ", words="fails", after=".")
    found = found_cluster_row(ClusterHit(cluster=cluster, conversations=2, issue="i", hit=hit))
    assert (found.id, found.found, found.found_issue, found.hit) == ("c", 2, "i", words_of(hit))
    assert found_cluster_row(ClusterHit(cluster=cluster)).found_issue == ""
    finding = SiteFinding.model_validate(
        {"id": "f", "title": " ", "records": 2, "status": "done", "createdAt": NOW,
         "updatedAt": NOW}
    )  # fmt: skip
    one = finding_row(finding, [1.0] * (WEEKS + 1))
    assert (one.id, one.label, one.summary, one.pulse) == ("f", "Untitled", "", (1.0,) * WEEKS)
    assert (one.issues, one.conversations, one.closed) == (WEEKS, 2, NOW)
    for status, closed in (("candidate", None), ("done", NOW), ("canceled", NOW)):
        assert finding_row(finding.model_copy(update={"status": status}), []).closed == closed


def test_of_a_summary_so_much_is_shown() -> None:
    long = "x" * 5_000
    told = {"id": "c", "createdAt": NOW, "updatedAt": NOW}
    node = {"object": "text", "leaves": [{"object": "leaf", "text": long}]}
    said = {"nodes": [{"object": "block", "type": "paragraph", "nodes": [node]}]}
    finding = SiteFinding.model_validate({**told, "title": "F", "description": said})
    cluster = Cluster.model_validate({**told, "label": "C", "summary": long})
    shown = cluster_row(cluster), finding_row(finding, []), item({"summary": long})
    assert [len(row.summary) for row in shown] == [4_000] * 3


def test_a_request_of_a_cluster_is_called_by_its_subject() -> None:
    request = Request(id="1", number=7, subject=" \x07", created_at=NOW, updated_at=NOW, space="s")
    merged = request.model_copy(update={"status": "merged"})
    row = request_row(merged)
    assert merge_of(merged) == ClusterMerge("1", "#7", NOW)
    assert merge_of(request) is None
    assert (row.id, row.space) == ("1", "s")
    assert (row.subject, row.number, row.status, row.changed) == ("(no subject)", 7, "merged", NOW)
    assert row.ready is not None, "of one that is over nothing is read"
    assert request_row(request.model_copy(update={"status": "open"})).ready is None


def test_an_issue_without_its_conversation_has_a_row() -> None:
    assert item({"title": " \x07 "}) == IssueRow("i", "Untitled", "", "", "", None, "")
    assert item({"conversation": "c"}).conversation == "c"


def test_of_a_conversation_its_source_and_address_are_told() -> None:
    found = {
        "id": "c", "source": "integration:zendesk:4f2", "urls": {"source": "https://help.test/1"},
        "createdAt": "2026-03-02T12:00:00Z",
    }  # fmt: skip
    row = item({"title": "Sign-in\x1b[2J", "summary": "One.\nTwo.", "cluster": "k"}, found)
    assert (row.title, row.summary, row.cluster) == ("Sign-in", "One.\nTwo.", "k")
    assert (row.conversation, row.source, row.address) == ("c", "zendesk", "https://help.test/1")


def test_a_suggested_issue_tells_how_alike_it_is_in_bounds() -> None:
    found = {"issue": {"id": "i", "title": "Sign-in"}, "similarity": 7.0}
    row = suggestion_row(ClusterSuggestion.model_validate(found))
    assert (row.id, row.title, row.likeness) == ("i", "Sign-in", 1.0)

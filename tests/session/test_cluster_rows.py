"""Rows of issues and their conversations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from copydesk.contract.models.change_request import ChangeRequest as Request
from copydesk.contract.models.cluster import ClusterSuggestion
from copydesk.contract.models.cluster import IssuesCluster as Cluster
from copydesk.contract.models.conversation import ConversationIssueItem, SearchHit
from copydesk.domain.trend import rate, trend
from copydesk.session.cluster_rows import (
    IssueRow,
    cluster_row,
    issue_row,
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
    cluster = Cluster.model_validate(
        {"id": "c", "label": " ", "createdAt": "2026-03-02T12:00:00Z", "status": "open"}
    )
    row = cluster_row(cluster)
    assert row.seen == row.created
    assert replace(row, first=NOW).seen == NOW
    assert replace(row, pulse=(1.0,) * 13).rate == rate((1.0,) * 13)
    assert replace(row, pulse=(1.0,) * 13, issues=13).trend == trend((1.0,) * 13, 13)


def test_a_request_of_a_cluster_is_called_by_its_subject() -> None:
    request = Request(id="1", number=7, subject=" \x07", created_at=NOW, updated_at=NOW, space="s")
    row = request_row(request.model_copy(update={"status": "merged"}))
    assert (row.subject, row.number, row.status, row.changed) == ("No subject", 7, "merged", NOW)
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

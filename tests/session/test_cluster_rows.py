"""Rows of issues and their conversations."""

from __future__ import annotations

from typing import Any

from copydesk.contract.models.cluster import ClusterSuggestion
from copydesk.contract.models.conversation import ConversationIssueItem
from copydesk.session.cluster_rows import IssueRow, issue_row, suggestion_row


def item(issue: dict[str, Any], conversation: dict[str, Any] | None = None) -> IssueRow:
    found = {"issue": {"id": "i", "title": "", **issue}, "conversation": conversation}
    return issue_row(ConversationIssueItem.model_validate(found))


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

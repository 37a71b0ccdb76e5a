"""Reviews of change requests, who was asked for one, and what merge rules make of them."""

from __future__ import annotations

import json
from typing import Any

from copydesk.contract.enumerations import ContentFormat
from copydesk.contract.models.merge_rules import MergeRules
from copydesk.contract.models.review import RequestedReviewer, Review
from copydesk.domain.merge_rules import MergeFacts, RuleResult, Verdict, effective, evaluate
from copydesk.server.change_requests import is_outdated
from copydesk.server.implementation import Call
from copydesk.server.queries.comment import Place, comment_model
from copydesk.server.queries.user import user_by_id
from copydesk.server.store import Row, columns


def review_model(call: Call, place: Place, row: Row, format: ContentFormat | None = None) -> Review:
    """Return a review of the change request that ``place`` is, as the API shows it."""
    change_request = place.change_request
    assert change_request is not None
    comment = call.tx.get("comment", change_request_id=change_request["id"], review_id=row["id"])
    above = ("spaces", place.space["id"], "change-requests", change_request["id"])
    return Review.model_validate(
        {
            **columns(row, "id", "status", "created_at"),
            "revision": row["revision_id"],
            "reviewer": user_by_id(call, row["reviewer"]),
            "outdated": row["revision_id"] != change_request["revision_id"],
            "comment": comment and comment_model(call, place, comment, format).to_dict(),
            "updated_at": row["created_at"],
            "urls": {"location": call.url(*above, "reviews", row["id"])},
        }
    )


def requested_reviewer_model(call: Call, row: Row) -> RequestedReviewer:
    """Return somebody who was asked for a review as the API shows it."""
    head = call.tx.row("change_request", row["change_request_id"])["revision_id"]
    then = call.tx.value(_ASKED_OF, head, row["created_at"], row["created_at"])
    return RequestedReviewer.model_validate(
        {
            "kind": "user",
            "revision": then or head,
            "user": user_by_id(call, row["user_id"]),
            "requested_by": user_by_id(call, row["requested_by"]),
            "created_at": row["created_at"],
        }
    )


_ASKED_OF = (
    "WITH RECURSIVE back (id, at, parents) AS ("
    "SELECT id, created_at, parents FROM revision WHERE id = ? UNION ALL "
    "SELECT revision.id, created_at, revision.parents FROM back JOIN revision "
    "ON revision.id = json_extract(back.parents, '$[0]') WHERE back.at > ?) "
    "SELECT id FROM back WHERE at <= ?"
)
"""What a change request was when somebody was asked: the first of its revisions, going back."""


def rule_results(call: Call, space: Row, change_request: Row) -> list[RuleResult]:
    """Return how each merge rule that holds in the space comes out for a change request."""
    organization_rules = call.tx.value(
        "SELECT merge_rules FROM organization WHERE id = ?", space["organization_id"]
    )
    rules = effective(
        MergeRules.model_validate_json(space["merge_rules"]),
        MergeRules.model_validate_json(organization_rules),
    )
    if not rules:
        return []
    key = change_request["id"]
    reviews = call.tx.all(
        "SELECT * FROM review WHERE change_request_id = ? ORDER BY created_at, id", key
    )
    requested = call.tx.all(
        "SELECT user_id FROM requested_reviewer WHERE change_request_id = ? ORDER BY created_at",
        key,
    )
    people = {
        *(row["reviewer"] for row in reviews),
        *(row["user_id"] for row in requested),
        *(user for rule in rules for user in rule.users or ()),
    }
    return evaluate(
        rules,
        MergeFacts(
            subject=change_request["subject"],
            described=change_request["description"] is not None
            and _shows(json.loads(change_request["description"])),
            outdated=is_outdated(space, change_request),
            verdicts=[
                Verdict(
                    row["reviewer"],
                    row["status"],
                    row["revision_id"] != change_request["revision_id"],
                    # Rows are in the order of their times already, and sorting is stable.
                )
                for row in reviews
            ],
            requested=[row["user_id"] for row in requested],
            names=_names(call, people),
            author=change_request["created_by"],
        ),
    )


def _shows(value: Any) -> bool:
    if isinstance(value, list):
        return any(_shows(part) for part in value)
    if not isinstance(value, dict):
        return False
    text = value.get("text")
    if (isinstance(text, str) and text.strip()) or value.get("isVoid") is True:
        return True
    return any(_shows(value.get(name)) for name in ("nodes", "leaves"))


def _names(call: Call, people: set[str]) -> dict[str, str]:
    found = {}
    for user_id in people:
        name = call.tx.value("SELECT display_name FROM user WHERE id = ?", user_id)
        if name is not None:
            found[user_id] = name
    return found

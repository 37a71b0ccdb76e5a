"""The undo of writes to findings and topics of a site."""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.domain.reversal import Expectation, Reversal, Step, changed


def finding_turned(ids: tuple[str, str], finding: str, before: str, after: str) -> Reversal:
    """Return the way back of another status of a finding."""
    named = {"organization_id": ids[0], "site_id": ids[1], "site_finding_id": finding}
    return changed(
        "update_site_finding", "get_site_finding", named, {"status": before}, {"status": after}
    )


def topic_used(ids: tuple[str, str], topic: str, before: bool) -> Reversal:
    """Return the way back of beginning change requests for a topic, or no longer."""
    named = {"organization_id": ids[0], "site_id": ids[1], "site_topic_id": topic}
    return changed(
        "update_site_topic",
        "get_site_topic",
        named,
        {"usageSettings": {"changeRequests": before}},
        {"usageSettings": {"changeRequests": not before}},
        shown=lambda values: {
            "usageSettings.changeRequests": values["usageSettings"]["changeRequests"]
        },
    )


def requests_begun(made: Sequence[tuple[str, str]]) -> Reversal | None:
    """Return the way back of change requests that a service began: they are archived.

    ``made`` are their spaces and ids; None where none is known.
    """
    if not made:
        return None
    each = [{"space_id": space, "change_request_id": request} for space, request in made]

    def all_are(status: str) -> Expectation | None:
        found: Expectation | None = None
        for ids in reversed(each):
            found = Expectation(Step("get_change_request", ids), {"status": status}, also=found)
        return found

    return Reversal(
        tuple(Step("update_change_request", ids, {"status": "archived"}) for ids in each),
        (),
        all_are("draft"),
        all_are("archived"),
    )

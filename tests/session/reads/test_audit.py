"""Where the events of an audit lead."""

from __future__ import annotations

import pytest

from copydesk.contract.models.audit_event import AuditEventTarget
from copydesk.session.reads.audit import way_to
from copydesk.session.target import Target


@pytest.mark.parametrize(
    ("kind", "ids", "place", "target"),
    [
        ("change-request", {"spaceId": "s"}, "review", {"space": "s", "change_request": "x"}),
        ("comment", {"spaceId": "s"}, "pages", {"space": "s"}),
        ("page", {"spaceId": "s"}, "pages", {"space": "s", "page": "x"}),
        ("space", {}, "pages", {"space": "x"}),
        ("site", {}, "site-structure", {"site": "x"}),
        ("site-redirect", {"siteId": "t"}, "redirects", {"site": "t"}),
        ("share-link", {"siteId": "t"}, "share-links", {"site": "t"}),
        ("collection", {}, "collection-spaces", {"item": "x"}),
        ("team", {}, "team-members", {"item": "x"}),
        ("member", {}, "member", {"item": "x"}),
        ("installation", {"integrationName": "charts"}, "integration", {"item": "charts"}),
        ("openapi-spec", {}, "openapi-specs", {}),
        ("organization", {}, "organization", {}),
    ],
)
def test_an_event_leads_to_the_screen_of_what_it_was_done_to(
    kind: str, ids: dict[str, str], place: str, target: dict[str, str]
) -> None:
    found = way_to("home", AuditEventTarget(type=kind, id="x"), ids)
    assert found == (place, Target("home").but(**target))


def test_an_event_of_something_without_a_screen_leads_nowhere() -> None:
    assert way_to("home", AuditEventTarget(type="weather", id="x"), {}) is None

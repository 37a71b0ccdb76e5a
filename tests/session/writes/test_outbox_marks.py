"""What waits in the outbox, marked on what it is about."""

from __future__ import annotations

from copydesk.local.journal import Entry
from copydesk.session.writes.outbox_marks import marks_of


def test_what_waits_of_an_organization_itself_is_marked_in_its_row() -> None:
    def row(name: str, target: str) -> list[str]:
        request = {"name": name, "target": target}
        return list(marks_of([Entry("i", "r", 1.0, "Change", "it", "queued", request=request)]))

    assert row("update_organization", "/v1/orgs/o") == ["o"]
    assert row("update_site", "/v1/orgs/o/sites/s") == ["s"]
    assert row("update_change_request", "/v1/spaces/p/change-requests/c") == ["c"]

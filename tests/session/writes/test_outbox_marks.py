"""What waits in the outbox, marked on what it is about."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace

from copydesk.local.journal import Entry
from copydesk.session.writes.outbox_marks import by_slug, ids_of, marks_of, waiting_about


def entry(name: str, target: str, row: str = "i", at: float = 1.0, what: str = "Change") -> Entry:
    return Entry(row, "r", at, what, "it", "queued", request={"name": name, "target": target})


def test_what_waits_of_an_organization_itself_is_marked_in_its_row() -> None:
    def row(name: str, target: str) -> list[str]:
        return list(marks_of([entry(name, target)]))

    assert row("update_organization", "/v1/orgs/o") == ["o"]
    assert row("update_site", "/v1/orgs/o/sites/s") == ["s"]
    assert row("update_change_request", "/v1/spaces/p/change-requests/c") == ["c"]
    assert row("update_change_request", "/v1/spaces/p/change-requests/c%20d?x=1") == ["c d"]
    assert row("update_change_request", "/v1/spaces/p") == row("odd", "/v1/spaces/p") == []
    assert ids_of(Entry("i", "r", 1.0, "Change", "it", "queued")) == {}
    assert by_slug("o", "pets") == "o/pets"


def test_what_waits_on_some_objects_is_a_sentence() -> None:
    noon = datetime(2026, 3, 2, 12, tzinfo=UTC)
    change = "/v1/spaces/p/change-requests/"
    waiting = [
        entry("update_change_request", f"{change}c", "1", noon.timestamp() - 90, "Rename\x07"),
        entry("update_change_request", f"{change}c", "2", noon.timestamp() - 60, "Archive"),
        entry("update_change_request", f"{change}d", "3", noon.timestamp() - 3600, "Rename"),
    ]
    outbox = SimpleNamespace(marks=marks_of(waiting))
    app = SimpleNamespace(session=SimpleNamespace(outbox=outbox, clock=lambda: noon))
    at = datetime.fromtimestamp(noon.timestamp() - 90, UTC).astimezone()
    assert waiting_about(app, "c", None) == (
        f"waits in the outbox: rename and archive, since {at:%H:%M}"
    )
    hour = datetime.fromtimestamp(noon.timestamp() - 3600, UTC).astimezone()
    assert waiting_about(app, "d", "c", "d").endswith(f"since {hour:%H:%M}")
    assert waiting_about(app, "x", None) == ""
    assert waiting_about(object(), "c") == ""
    outbox.marks = marks_of([])
    assert waiting_about(app, "c") == ""

"""Rows of change requests for tests."""

from __future__ import annotations

from datetime import UTC, datetime

from copydesk.session.change_rows import ChangeRow

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)


def row(number: int = 118, **changes: object) -> ChangeRow:
    given: dict[str, object] = {
        "id": f"id{number}", "number": number, "subject": "Fix samples", "status": "open",
        "space": "s", "author": "Priya Raman", "author_id": "p", "created": NOW,
        "updated": NOW, "threads": 0, "outdated": False, "cluster": "", "url": "",
    } | changes  # fmt: skip
    return ChangeRow(**given)  # type: ignore[arg-type]  # a test names only what it is about


def title(space: str) -> str:
    return {"s": "Platform", "t": "API"}.get(space, "")

"""The rows of the last time, for the first frame of the next: plain data, no model, no service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any

from copydesk.domain.age import instant
from copydesk.domain.text import clean
from copydesk.session.change_rows import ChangeRow, Titles

if TYPE_CHECKING:
    from copydesk.local.snapshot import Snapshots
    from copydesk.session.target import Target

KEPT = 100
"""Rows kept of a view: more than a screen shows."""

MOMENTS = ("created", "updated")


def name_of(target: Target, organization: str, view: str) -> str:
    """Return the name of the snapshot of a view."""
    return " ".join(["changes", organization, target.space or "-", target.cluster or "-", view])


def keep(snapshot: Snapshots, name: str, rows: Iterable[ChangeRow], title: Titles) -> None:
    """Keep the first rows of a view, with what their spaces are called. Raises ``OSError``."""
    kept: list[dict[str, Any]] = []
    for row in list(rows)[:KEPT]:
        value = asdict(row) | {name: getattr(row, name).isoformat() for name in MOMENTS}
        kept.append(value | {"title": title(row.space)})
    snapshot.write(name, kept)


def recall(snapshot: Snapshots, name: str) -> tuple[list[ChangeRow], dict[str, str]]:
    """Return the rows kept, and the titles of their spaces; what cannot be read is left out."""
    rows: list[ChangeRow] = []
    titles: dict[str, str] = {}
    for value in snapshot.read(name):
        row = _row(value)
        if row is not None:
            rows.append(row)
            titles[row.space] = clean(str(value.get("title", "")))
    return rows, titles


def _row(value: Mapping[str, Any]) -> ChangeRow | None:
    given: dict[str, Any] = {}
    for name, kind in ChangeRow.__annotations__.items():
        held: Any = value.get(name)
        if name in MOMENTS:
            held = instant(held) if isinstance(held, str) else None
        elif isinstance(held, str):
            held = clean(held)
        if type(held) is not KINDS[kind]:
            return None
        given[name] = held
    return ChangeRow(**given)


KINDS: Mapping[str, type] = {"str": str, "int": int, "bool": bool, "datetime": datetime}
"""The types of a row's fields by their annotations."""

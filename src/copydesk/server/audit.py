"""The audit: an event for each write of an operation, in the same transaction.

What is noted is who asked for which operation, on what, and which fields of the body were given;
never what was in them. Imports, and what came of a job of git, are noted too: with the name of the
repository and the branch.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from typing import Any

from pydantic import BaseModel
from pydantic.alias_generators import to_camel

from copydesk.contract import operations as ops
from copydesk.contract.operation import Operation
from copydesk.server.implementation import Call, Implementation
from copydesk.server.store import Tx, timestamp, to_json

KEPT = timedelta(days=365)
"""For how long an event is kept."""

IMPORTED = "import_space"
"""The action of an import of files on the command line."""

OTHERS = (IMPORTED, "git_import_done", "git_import_failed", "git_export_done", "git_export_failed")
"""The actions that are no operations."""

_field_name = cache(to_camel)
"""Returns how a field of a path or a body is written in JSON."""

_LABELS: dict[str, tuple[str, str]] = {
    "organization": ("organization", "title"),
    "collection": ("collection", "title"),
    "space": ("space", "title"),
    "site": ("site", "title"),
    "site-section": ("site_section", "title"),
    "site-space": ("site_space", "title"),
    "site-redirect": ("site_redirect", "source"),
    "change-request": ("change_request", "subject"),
    "team": ("team", "title"),
    "user": ("user", "display_name"),
}
"""The table and the column that say how a target is called."""


def is_audited(implementation: Implementation) -> bool:
    """Whether an operation leaves an event: it writes, and in an organization."""
    operation = implementation.operation
    if operation is ops.ping_organization:  # it says only that somebody is there
        return False
    return implementation.writes and operation.method != "GET" and bool(operation.path_parameters)


def words(action: str) -> str:
    """Return what an action does, for people: "Merge change request"."""
    return action.replace("_", " ").capitalize()


def note(
    tx: Tx,
    home: str,
    action: str,
    actor: str,
    target: tuple[str, str, str | None],
    payload: Mapping[str, Any],
) -> None:
    """Add an audit event to an organization; delete events that are too old.

    The ``target`` is its type, its id and what it is called.
    """
    tx.run(
        "DELETE FROM audit_event WHERE organization_id = ? AND occurred_at < ?",
        home,
        timestamp(tx.moment - KEPT),
    )
    tx.run(
        "INSERT INTO audit_event (id, organization_id, occurred_at, action, actor_id, "
        "target_type, target_id, target_label, payload) "
        "SELECT ?, id, ?, ?, ?, ?, ?, ?, ? FROM organization WHERE id = ?",
        str(uuid.uuid4()),
        tx.now,
        action,
        actor,
        *target,
        to_json(dict(payload)),
        home,
    )


def note_of_space(tx: Tx, space: str, action: str, actor: str, payload: Mapping[str, Any]) -> None:
    """Note that something was done to a space."""
    row = tx.row("space", space)
    target = ("space", space, row["title"])
    note(tx, row["organization_id"], action, actor, target, {"spaceId": space, **payload})


class Audit:
    """The event of one call, begun before the write: its subject may be gone afterwards."""

    def __init__(
        self, call: Call, operation: Operation[..., Any], arguments: dict[str, Any]
    ) -> None:
        self._call = call
        self._operation = operation
        self._body: object = arguments.get("body")
        self._path = {each.name: arguments[each.name] for each in operation.path_parameters}
        *_, (last, self._id) = self._path.items()
        self._type = last.removesuffix("_id").removesuffix("_name").replace("_", "-")
        self._label = self._called()
        self._organization = self._home()

    def _called(self) -> str | None:
        if self._type not in _LABELS:
            return None
        table, column = _LABELS[self._type]
        named: str | None = self._call.tx.value(
            f"SELECT {column} FROM {table} WHERE id = ?",  # noqa: S608 - both are ours
            self._id,
        )
        return named

    def _home(self) -> str | None:
        """Return the organization of the call by its path and body; None where they do not tell."""
        path, tx = self._path, self._call.tx
        if "organization_id" in path:
            return str(path["organization_id"])
        for table in ("space", "collection"):
            if (key := path.get(f"{table}_id")) is not None:
                found: str | None = tx.value(
                    f"SELECT organization_id FROM {table} WHERE id = ?",  # noqa: S608 - ours
                    key,
                )
                return found
        if (key := path.get("installation_id")) is not None:
            home: str | None = tx.value(
                "SELECT organization_id FROM installation WHERE id = ?", key
            )
            return home
        given: str | None = getattr(self._body, "organization", None)
        return given or tx.value(
            "SELECT owner FROM integration WHERE id = ?", path.get("integration_name")
        )

    def record(self, result: object) -> None:
        """Write the event; not for a removal that removed nothing."""
        call, tx = self._call, self._call.tx
        nothing = self._operation.method == "DELETE" and call.status != self._operation.status
        home = self._home() if self._organization is None else self._organization
        if nothing or home is None:
            return
        kind, key = getattr(result, "object", None), getattr(result, "id", None)
        named = getattr(result, "title", None) or getattr(result, "subject", None)
        if isinstance(kind, str) and isinstance(key, str):
            self._type, self._id, self._label = kind, key, named or self._label
        payload: dict[str, Any] = {_field_name(name): key for name, key in self._path.items()}
        if isinstance(self._body, BaseModel):
            payload["fields"] = sorted(_field_name(name) for name in self._body.model_fields_set)
        payload |= call.noted
        target = (self._type, self._id, self._label)
        note(tx, home, self._operation.name, call.user_id, target, payload)

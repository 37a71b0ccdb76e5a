"""Audit events of an organization, for its administrators."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from copydesk.contract import operations as ops
from copydesk.contract.models.audit_event import (
    AuditEvent,
    AuditEventAction,
    AuditEventActions,
    AuditEventActor,
    AuditEventDetails,
    AuditEventTarget,
)
from copydesk.contract.models.base import Page, Urls
from copydesk.contract.operations import CATALOGUE
from copydesk.server.audit import OTHERS, is_audited, words
from copydesk.server.handlers import implementation_of
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.store import Row, columns

_DEFAULT_LIMIT = 20

_EVENTS = (
    "(SELECT audit_event.*, user.display_name AS actor_label, space.title AS space_title "
    "FROM audit_event LEFT JOIN user ON user.id = actor_id "
    "LEFT JOIN space ON space.id = json_extract(payload, '$.spaceId'))"
)


@implements(ops.list_organization_audit_event_actions, takes="admin")
def list_organization_audit_event_actions(call: Call, organization_id: str) -> AuditEventActions:
    """List the actions that leave an event: operations that write, and others."""
    call.access.organization(organization_id, "admin")
    audited = [each.name for each in CATALOGUE.values() if is_audited(implementation_of(each))]
    return AuditEventActions(
        items=[AuditEventAction(id=each, label=words(each)) for each in sorted([*audited, *OTHERS])]
    )


@implements(ops.list_organization_audit_events, takes="admin")
def list_organization_audit_events(
    call: Call,
    organization_id: str,
    *,
    page: str | None = None,
    limit: int | None = None,
    from_: datetime | None = None,
    to: datetime | None = None,
    action: str | None = None,
    actor: str | None = None,
    target: str | None = None,
) -> Page[AuditEvent]:
    call.access.organization(organization_id, "admin")
    which = Conditions("organization_id = ?", organization_id)
    which.also("occurred_at >= ?", from_)
    which.also("occurred_at < ?", to)
    which.also("action = ?", action)
    which.also("actor_id = ?", actor)
    which.also("target_id = ?", target)
    return paginate(
        call.tx,
        lambda row: AuditEvent.model_validate(_fields(call, row)),
        source=_EVENTS,
        which=which,
        keys=("occurred_at", "seq"),
        paging={"page": page, "limit": _DEFAULT_LIMIT if limit is None else limit},
    )


@implements(ops.get_organization_audit_event, takes="admin")
def get_organization_audit_event(
    call: Call, organization_id: str, audit_event_id: str
) -> AuditEventDetails:
    """Get an event with the ids of its path, and the names of the fields that were given."""
    call.access.organization(organization_id, "admin")
    row = call.find("audit event", _EVENTS, audit_event_id, organization_id=organization_id)
    return AuditEventDetails.model_validate(
        _fields(call, row) | {"payload": json.loads(row["payload"])}
    )


def _fields(call: Call, row: Row) -> dict[str, Any]:
    home = row["organization_id"]
    return {
        **columns(row, "id", "occurred_at", "action"),
        "actor": AuditEventActor(id=row["actor_id"], label=row["actor_label"]),
        "source": "api",
        "space": row["space_title"],
        "target": AuditEventTarget(
            type=row["target_type"], id=row["target_id"], label=row["target_label"]
        ),
        "urls": Urls(location=call.url("orgs", home, "audit-events", row["id"])),
    }

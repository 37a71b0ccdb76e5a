"""Operations on audit events: who did what in an organization."""

from __future__ import annotations

from typing import Annotated

from copydesk.contract import models
from copydesk.contract.models.base import Page
from copydesk.contract.operation import Wire, operation


@operation("GET", "/orgs/{organization_id}/audit-event-actions", extension="E16")
def list_organization_audit_event_actions(
    organization_id: str,
) -> models.audit_event.AuditEventActions:
    """List the kinds of actions that audit events tell of."""


@operation("GET", "/orgs/{organization_id}/audit-events", extension="E16")
def list_organization_audit_events(
    organization_id: str,
    *,
    page: str | None = None,
    limit: models.audit_event.AuditLimit | None = None,
    from_: Annotated[models.base.Timestamp | None, Wire("from")] = None,
    to: models.base.Timestamp | None = None,
    action: str | None = None,
    actor: str | None = None,
    target: str | None = None,
) -> Page[models.audit_event.AuditEvent]:
    """List the audit events of an organization, the latest first.

    ``action`` is the id of a kind, ``actor`` and ``target`` are ids.
    """


@operation(
    "GET", "/orgs/{organization_id}/audit-events/{audit_event_id}", extension="E16", secret=True
)
def get_organization_audit_event(
    organization_id: str, audit_event_id: str
) -> models.audit_event.AuditEventDetails:
    """Get an audit event with its details."""

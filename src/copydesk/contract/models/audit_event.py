"""Audit events: who did what in an organization, and when."""

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field

from copydesk.contract.models.base import Always, Count, Open, Resource, Shape, Timestamp, Urls

AuditLimit: TypeAlias = Annotated[int, Field(ge=1, le=100)]
"""How many audit events a page holds; 20 when omitted."""


class AuditEventAction(Resource):
    """A kind of action, by its id and in words."""

    object: Open[Literal["audit-event-action"]] = "audit-event-action"
    id: str
    label: str = ""


class AuditEventActions(Shape):
    """The kinds of actions, all of them."""

    items: list[AuditEventAction] = []


class AuditEventActor(Shape):
    """Who did something: a user, or what did it in place of one."""

    type: Open[Literal["user", "integration", "installation", "system", "support"]] = "user"
    id: str
    label: str | None = None


class AuditEventTarget(Shape):
    """What something was done to."""

    type: str
    id: str
    label: str | None = None


class AuditEvent(Resource):
    """One thing that was done.

    ``space`` is the title of the space that it was done in; it is beyond the published API.
    """

    object: Open[Literal["audit-event"]] = "audit-event"
    id: str
    occurred_at: Timestamp
    action: str
    actor: AuditEventActor
    source: Always[
        Open[Literal["ui", "api", "integration", "webhook", "workflow", "script", "support"]]
    ] = None
    target: AuditEventTarget
    space: str | None = None
    urls: Urls = Field(default_factory=Urls)


class AuditEventDetails(AuditEvent):
    """An audit event with its details.

    ``payload`` has a form of its own for each action.
    """

    execution_id: str | None = None
    correlation_id: str | None = None
    caused_by_event_id: str | None = None
    schema_version: Count = 1
    payload: dict[str, Any] = {}

"""Who did what in an organization, and when."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from copydesk.domain.moments import instant, moment
from copydesk.domain.span import span
from copydesk.domain.text import clean
from copydesk.present.facts import Fact
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads.audit import Way, read_facts, read_way
from copydesk.session.reads.organization import people_offered
from copydesk.session.target import Target
from copydesk.tui.framework.actions import command
from copydesk.tui.framework.navigation import place
from copydesk.tui.resource.place import REST_SECONDS, ResourcePlace
from copydesk.tui.resource.resource import Condition, Facet, ListQuery, Resource

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.audit_event import AuditEvent, AuditEventActor, AuditEventTarget
    from copydesk.contract.models.base import Page

SPANS = ("1d", "1w", "4w", "1y")
"""What ``:range`` completes."""


def action_words(event: AuditEvent) -> str:
    """Return what was done, in words: the id of an action is made of them."""
    return event.action.replace("_", " ").replace(".", " ")


def actor_name(actor: AuditEventActor) -> str:
    """Return who did it; what is no person is said to be none."""
    name = (actor.label or "").strip() or actor.id
    return name if actor.type == "user" else f"{name} ({actor.type})"


def target_name(target: AuditEventTarget) -> str:
    """Return what it was done to, never empty."""
    return (target.label or "").strip() or f"{target_kind(target)} without a name"


def target_kind(target: AuditEventTarget) -> str:
    """Return what kind of thing it was done to, in words."""
    return target.type.replace("-", " ")


def space_of(event: AuditEvent) -> str | None:
    """Return the title of the space that it was done in, where the target is not that itself."""
    return None if event.target.type == "space" else event.space


def _moment(text: str) -> datetime:
    found = instant(text)
    if found is None:
        raise ValueError("write a date, such as 2026-03-01")
    return found


async def _pages(api: Api, target: Target, asked: ListQuery) -> Page[AuditEvent]:
    conditions = dict(asked.conditions)
    return await api.page(
        ops.list_organization_audit_events,
        target.organization or "",
        page=asked.token,
        limit=min(asked.limit, 100),
        from_=conditions.pop("from", None),
        **conditions,
    )


async def _actions(api: Api, organization: str) -> list[Option]:
    """Return the kinds of actions as options. Raises ``ApiError``."""
    found = await api(ops.list_organization_audit_event_actions, organization)
    return [Option(each.id, clean(each.label) or clean(each.id)) for each in found.items]


AUDIT: Resource[AuditEvent] = Resource(
    noun="event",
    title="Audit",
    pages=_pages,
    key=lambda event: event.id,
    label=lambda event: f"{action_words(event)}: {target_name(event.target)}",
    shown=(
        Facet("when", "WHEN", lambda event, now: moment(event.occurred_at, now), 12,
              filters=False),
        Facet("who", "WHO", lambda event, now: actor_name(event.actor), 12, drop=1, most=15),
        Facet("what", "WHAT", lambda event, now: action_words(event), flex=2, minimum=24),
        Facet("space", "SPACE", lambda event, now: space_of(event), 12, drop=2, most=16),
        Facet("target", "TARGET", lambda event, now: target_name(event.target), flex=1,
              minimum=12),
        Facet("kind", "KIND", lambda event, now: target_kind(event.target)),
        Facet("source", "BY WAY OF", lambda event, now: event.source),
    ),
    empty="No changes have been noted yet.",
    get="get_organization_audit_event",
    arguments=lambda target, event: (target.organization or "", event.id),
    conditions=(
        Condition("action", "events of one kind", offers=_actions,
                  uses=("list_organization_audit_event_actions",)),
        Condition("actor", "what a member did", offers=people_offered, uses=("list_members",)),
        Condition("target", "what was done to the object with this id"),
        Condition("from", "what was done since a date", read=_moment),
        Condition("to", "what was done before a date", read=_moment),
    ),
    copies=lambda event: (("target id", event.target.id), ("actor id", event.actor.id)),
    contents=lambda: (DONE_TO_IT,),
    inside=lambda event: event.target.id,
)  # fmt: skip
"""Audit events, as an organization lists them: the last first."""


DONE_TO_IT: Resource[AuditEvent] = replace(
    AUDIT,
    title="All that was done to it",
    pages=lambda api, target, asked: _pages(
        api, target, replace(asked, conditions={"target": target.item})
    ),
    label=lambda event: f"{action_words(event)}, {actor_name(event.actor)}",
    beside=0,
)
"""The events of one target."""


@place(
    "audit",
    key="E",
    title="Audit",
    uses=("list_organization_audit_events", "get_organization_audit_event"),
)
class AuditPlace(ResourcePlace["AuditEvent"], scope="audit"):
    """What was done in the organization; Enter follows to what it was done to."""

    RESOURCE = AUDIT

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._told: dict[str, list[tuple[str, str]]] = {}
        """What the details of events say, by their ids: an event never changes."""

    def show_item(self) -> None:
        """Show the details; what the event itself says besides is read once it is rested on."""
        super().show_item()
        item, home = self.item, self.organization
        if item is None or home is None or item.id in self._told:
            return

        def arrived(found: list[tuple[str, str]]) -> None:
            self._told[item.id] = found
            super(AuditPlace, self).show_item()

        self.reads.load(
            "told", lambda api: read_facts(api, home, item), arrived, what="Reading the event",
            of=item.id, after=REST_SECONDS, kept="away", quiet=True,
        )  # fmt: skip

    def facts_of(self, item: AuditEvent) -> list[Fact]:
        told = self._told.get(item.id, ())
        return [*super().facts_of(item), *(Fact(name, text) for name, text in told)]

    @command("range", "4w", complete=lambda here: SPANS)
    def show_range(self, rest: str) -> None:
        """Show what was done in a span of time up to now, too (:range 4w). Alone it ends that."""
        said = {name: text for name, text in self.limits.chosen.items() if name != "from"}
        if rest:
            try:
                since = self.session.now - span(rest)
            except ValueError as error:
                self.say(f":range: {error}.", "warn")
                return
            said["from"] = f"{since.astimezone(UTC):%Y-%m-%dT%H:%MZ}"
        self.limits.limit(said, back=":range alone takes that away, :where alone all.")

    def open_item(self, item: AuditEvent) -> None:
        home = self.organization
        if home is None:
            return

        def go(way: Way | None) -> None:
            if way is None:
                self.say(f"There is no screen of a {clean(item.target.type)}. g j shows the event.")
            else:
                self.desk.go_soon(*way)

        self.reads.load(
            "way", lambda api: read_way(api, home, item), go, what="Reading the event", kept="never"
        )

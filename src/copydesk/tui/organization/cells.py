"""Organizations as rows of a list and as facts."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.address import web_address
from copydesk.domain.age import age, instant
from copydesk.domain.space_tree import RuleList, rule_list
from copydesk.domain.text import clean, listed
from copydesk.present.facts import Fact
from copydesk.tui.spaces.cells import rule_words

if TYPE_CHECKING:
    from copydesk.contract.models.member import Member
    from copydesk.contract.models.organization import Organization

RIGHTS = (
    ("create_content", "create content"),
    ("list_members", "list members"),
    ("ingest_conversations", "ingest conversations"),
    ("install_integration", "install integrations"),
    ("admin", "administer"),
)
"""Permissions worth telling, and what they let a person do."""


@dataclass(frozen=True, slots=True)
class OrganizationRow:
    """An organization; ``role`` and ``spaces`` are the reader's there, None while not known."""

    id: str
    title: str
    role: str | None = None
    spaces: int | None = None
    plan: str = ""
    type: str = ""
    created: str = ""
    host: str = ""
    url: str = ""
    rules_type: str = ""
    rules: RuleList = ()
    rights: tuple[str, ...] | None = None
    blocked: str = ""


def organization_row(organization: Organization, member: Member | None = None) -> OrganizationRow:
    """Return an organization as a row, with what the reader is in it where that is known."""
    kind, rules = rule_list(organization.merge_rules)
    granted = organization.permissions
    blocked = organization.blocked
    return OrganizationRow(
        id=organization.id,
        title=clean(organization.title).strip() or "Untitled",
        role=None if member is None else clean(member.role or "guest"),
        spaces=None if member is None else member.spaces,
        plan=clean(organization.plan or ""),
        type=clean(organization.type),
        created=organization.created_at.isoformat() if organization.created_at else "",
        host=clean(organization.custom_hostname or organization.hostname or ""),
        url=web_address(organization.urls.app or organization.urls.published),
        rules_type=kind,
        rules=rules,
        rights=None
        if granted is None
        else tuple(words for right, words in RIGHTS if getattr(granted, right)),
        blocked="" if blocked is None else clean(blocked.reason or "blocked"),
    )


def administers(row: OrganizationRow) -> bool | None:
    """Whether the reader administers an organization; None while that is not known."""
    return None if row.rights is None else dict(RIGHTS)["admin"] in row.rights


def role(row: OrganizationRow) -> Text | str:
    """Return the reader's role; a dot while it is not known."""
    return Text(".", style="muted") if row.role is None else row.role


def spaces(row: OrganizationRow) -> Text | str:
    """Return how many spaces the reader reaches; a dot while that is not known."""
    return Text(".", style="muted") if row.spaces is None else str(row.spaces)


def facts(row: OrganizationRow, now: datetime) -> list[Fact]:
    """Return what to know about an organization, what matters most first."""
    found = [
        Fact("your role", role(row)),
        Fact("spaces", spaces(row)),
        Fact("rules", rule_words(row.rules) if row.rules_type == "rules" else "none"),
    ]
    if row.rights is not None:
        found.append(Fact("you may", listed(row.rights) or "read"))
    if row.plan:
        found.append(Fact("plan", row.plan))
    if row.type:
        found.append(Fact("type", row.type))
    if row.host:
        found.append(Fact("address", row.host))
    if since := age(instant(row.created), now):
        found.append(Fact("made", "just now" if since == "now" else f"{since} ago"))
    if row.blocked:
        found.append(Fact("closed", Text(row.blocked, style="bad")))
    if row.url:
        found.append(Fact("app", Text(row.url, style="link")))
    return found

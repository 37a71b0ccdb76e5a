"""Members of an organization as cells and facts."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.address import web_address
from copydesk.domain.age import age
from copydesk.domain.text import clean
from copydesk.session.glyphs import glyphs

if TYPE_CHECKING:
    from copydesk.contract.models.member import Member, MemberSpace, MemberTeam

GUEST = "guest"
"""What somebody without a role is called, and the filter of the service for them."""

Told = list[tuple[str, str | Text]]
"""Details beyond the columns: what they are called, and what they say."""


def role(member: Member) -> str:
    """Return the role in the organization."""
    return member.role or GUEST


def state(member: Member) -> str | None:
    """Say so where the account is switched off."""
    return "switched off" if member.disabled else None


def sign_on(member: Member) -> str:
    """Say how somebody signs in."""
    return "single sign-on" if member.sso else "on their own"


def ago(then: datetime | None, now: datetime) -> str | None:
    """Return how long ago something was, None where that is not told."""
    since = age(then, now)
    return since if since in ("", "now") else f"{since} ago"


def seen(member: Member, now: datetime) -> str | Text:
    """Return when somebody was there last."""
    return ago(member.last_seen_at, now) or Text("never", style="muted")


def about(member: Member) -> Told:
    """Return what else is known of a member."""
    found: Told = []
    if url := web_address(member.user.urls.app):
        found.append(("app", Text(url, style="link")))
    return found


def space_name(reached: MemberSpace) -> str:
    """Return the title of a space that a member reaches."""
    return reached.space.title.strip() or "Untitled"


def space_role(reached: MemberSpace) -> str:
    """Return the role that a member has in a space."""
    return reached.permission or GUEST


def space_address(reached: MemberSpace) -> str | None:
    """Return the address of a space: in the application, else where it is read."""
    urls = reached.space.urls
    return web_address(urls.app) or web_address(urls.published) or None


def team_part(joined: MemberTeam) -> str | Text:
    """Return what a member is in a team; its owners stand out."""
    part = clean(joined.member.role)
    return Text(part, style="strong") if part == "owner" else part


def claims_facts(token: str, *, shown: bool) -> list[Text]:
    """Return what a ping gave back: that there is a token, and itself only where it is shown."""
    facts = [
        Text("The organization gave back a token with your claims as a visitor."),
        Text("Whoever has it reads what you may read: give it to nobody.", style="warn"),
    ]
    said = clean(token) if shown else f"{glyphs().dot * 12}  {len(token):,} characters, hidden"
    return [*facts, Text(""), Text(said, style="code" if shown else "muted")]

"""Finding out, once connected, who I am and which organization I was in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.domain.text import clean

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.tui.session import Session

REMEMBERED = "session"
"""The snapshot that keeps the organization of the last run."""


async def identify(session: Session, api: Api) -> None:
    """Fill in the caller and the organization of a session.

    The caller is an extension (E1): without it nobody is "me". The organization is the one of the
    last run when it is still there, else the first. Raises what the client raises.
    """
    from copydesk.client.errors import ExtensionMissing
    from copydesk.contract import operations as ops

    try:
        session.me = await api(ops.get_current_user)
    except ExtensionMissing:
        session.me = None
    remembered = next(iter(session.snapshot.read(REMEMBERED)), {}).get("organization")
    page = await api(ops.list_organizations, limit=100)
    session.organization_titles.update({each.id: clean(each.title) for each in page.items})
    if page.items:
        chosen = next((o for o in page.items if o.id == remembered), page.items[0])
        choose(session, chosen.id, chosen.title)


def choose(session: Session, organization: str, title: str) -> None:
    """Be in an organization from now on, and at the next start."""
    session.organization = organization
    session.organization_title = clean(title)
    session.snapshot.write(REMEMBERED, [{"organization": organization}])
    session.touched()

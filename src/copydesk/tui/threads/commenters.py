"""Who commented on a change request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.domain.age import age
from copydesk.session.operations import ops
from copydesk.session.target import Target
from copydesk.tui.framework.navigation import place
from copydesk.tui.resource.place import ResourcePlace
from copydesk.tui.resource.resource import Asked, Resource, Shown

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.member import Member


async def _pages(api: Api, target: Target, asked: Asked) -> Page[Member]:
    ids = (target.space or "", target.change_request or "")
    return await api.page(ops.list_change_request_commenters, *ids, **asked.paging)


COMMENTERS: Resource[Member] = Resource(
    noun="person",
    title="Who commented",
    pages=_pages,
    key=lambda member: member.id,
    label=lambda member: member.user.display_name,
    shown=(
        Shown("name", "NAME", lambda member, now: member.user.display_name, flex=1, minimum=20,
              sort=lambda member: member.user.display_name),
        Shown("email", "E-MAIL", lambda member, now: member.user.email, 28, drop=2),
        Shown("role", "ROLE", lambda member, now: member.role or "guest", 8),
        Shown("joined", "JOINED", lambda member, now: age(member.joined_at, now), 8, drop=1,
              sort=lambda member: member.joined_at),
    ),
    empty="Nobody has commented on this change request.",
    of="space",
)  # fmt: skip
"""The members who wrote a comment or a reply on a change request."""


@place("commenters", title="Who commented", uses="list_change_request_commenters")
class CommentersPlace(ResourcePlace["Member"], scope="commenters"):
    """Who commented on a change request; :commenters in its review opens this."""

    RESOURCE = COMMENTERS
    OF_SPACE = False

    def missing(self) -> str | None:
        """Say where this is asked for, when it is asked for elsewhere."""
        if self.target.change_request is None:
            return "Open a change request first: :commenters there lists who commented."
        return super().missing()

"""One member: the spaces that they reach, and the teams that they are in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from copydesk.domain.text import clean
from copydesk.session.people import member_name
from copydesk.session.target import Target
from copydesk.tui.framework.navigation import place
from copydesk.tui.organization.member_resources import KINDS, SPACES, TEAMS
from copydesk.tui.resource.place import ResourcePlace
from copydesk.tui.resource.resource import Resource

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.member import Member


@place(
    "member",
    title="Member",
    uses=("list_member_spaces", "list_member_teams", "get_member"),
)
class MemberPlace(ResourcePlace[Any], scope="member"):
    """What one member reaches, and with whom."""

    RESOURCE = SPACES
    RAW = (TEAMS.get,)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._name = ""

    def resource_of(self, view: str) -> Resource[Any]:
        return KINDS.get(view, SPACES)

    def within(self) -> Iterable[str]:
        yield "Members"
        yield self._name or clean(self.target.item or "nobody")

    def opened(self) -> None:
        """Find out what the member is called."""
        super().opened()
        if self.target.item is not None:
            self.reads.load("name", self._read_member, self._named, what="Reading the member")

    async def _read_member(self, api: Api) -> Member:
        from copydesk.contract import operations as ops

        return await api(ops.get_member, self.organization or "", self.target.item or "")

    def _named(self, member: Member) -> None:
        self._name = clean(member_name(member))
        self.refresh_frame()

    def open_item(self, item: Any) -> None:
        """Go to the pages of the space, or to the members of the team."""
        if self.resource is SPACES:
            name, target = "pages", Target(organization=self.organization, space=item.space.id)
        else:
            name = "team-members"
            target = Target(organization=self.organization, item=item.team.id)
        self.desk.go_soon(name, target)

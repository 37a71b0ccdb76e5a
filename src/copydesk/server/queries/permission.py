"""Access to a space, a collection or a site: the thing itself, and the level of each there."""

from __future__ import annotations

from collections.abc import Mapping

from copydesk.contract.models.permission import PermissionOrigin
from copydesk.domain.access import rank
from copydesk.domain.late_dataclass import dataclass
from copydesk.server.access import Link, Standing, site_chain, standings
from copydesk.server.errors import forbidden, or_not_found
from copydesk.server.implementation import Call
from copydesk.server.queries.member import member_id
from copydesk.server.store import Row


@dataclass(frozen=True, slots=True)
class Holder:
    """A space, a collection or a site that the caller may see, and the caller's level on it."""

    kind: str
    row: Row
    chain: list[Link]
    level: str | None

    @property
    def id(self) -> str:
        """Its id, by which levels are granted on it."""
        key: str = self.row["id"]
        return key

    @property
    def organization(self) -> str:
        """The id of its organization."""
        key: str = self.row["organization_id"]
        return key

    def check_lists(self, call: Call, permission: str) -> None:
        """Raise a 403 unless the caller may list people or teams, or administers the thing."""
        if rank(self.level) < rank("admin"):
            call.access.organization(self.organization, permission)

    def check_admin(self) -> None:
        """Raise a 403 unless the caller administers the thing."""
        if rank(self.level) < rank("admin"):
            raise forbidden("admin", f"the {self.kind} {self.row['title']!r}")

    def standings(self, call: Call) -> Mapping[str, Standing]:
        """Return what each member of the organization has on it."""
        return standings(call.tx, self.organization, self.chain)


def space_holder(call: Call, space_id: str) -> Holder:
    """Return a space that the caller may see."""
    row = call.access.space(space_id)
    return Holder("space", row, list(call.access.chain(row)), call.access.level(row))


def collection_holder(call: Call, collection_id: str) -> Holder:
    """Return a collection that the caller may see."""
    row = call.access.collection(collection_id)
    return Holder("collection", row, list(call.access.chain(row)), call.access.level(row))


def site_holder(call: Call, organization_id: str, site_id: str) -> Holder:
    """Return a site of an organization that the caller is in."""
    row = call.access.site(organization_id, site_id)
    return Holder("site", row, site_chain(row), call.access.site_level(row))


def site_origin(holder: Holder, standing: Standing) -> PermissionOrigin:
    """Return where a level on a site comes from: the organization, where that gives as much."""
    if rank(standing.level) <= rank(standing.role):
        return PermissionOrigin(type="organization", organization=holder.organization)
    if standing.own == standing.level:
        return PermissionOrigin(type="site", site=holder.id, reason="member")
    return PermissionOrigin(type="site", site=holder.id, reason="team", team=standing.through)


def find_user(call: Call, organization_id: str, id_or_email: str) -> str:
    """Return the id of a member, named by user id or e-mail address. Raises a 404."""
    return or_not_found(member_id(call, organization_id, id_or_email), "member", id_or_email)


def find_subject_team(call: Call, organization_id: str, team_id: str) -> str:
    """Return the id of a team of the organization. Raises a 404."""
    return str(call.find("team", "team", team_id, organization_id=organization_id)["id"])

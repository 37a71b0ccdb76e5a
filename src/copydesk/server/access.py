"""Who may do what: the level a user has on a space, collection or site, and what each level allows.

An organization's administrators have every permission. Anyone else has the highest of: what was
granted to them or their teams on the container or on a collection above it, and the default level
of the container (``inherit`` asks the collection above and, at the top, the user's role in the
organization; null is nothing, which is a guest's default too). A site inherits the role.

``level_on`` is that rule: it decides what a caller may do, and what is listed of everyone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from copydesk.domain.access import LEVELS, rank
from copydesk.domain.late_dataclass import dataclass
from copydesk.server.errors import forbidden, not_found, or_not_found
from copydesk.server.store import Row, Tx

RIGHTS = ("member", "access_grant", "team_member", "collection", "space")
"""The tables that say who may do what."""

SPACE_PERMISSIONS: dict[str, str] = {
    "view": "read",
    "access": "read",
    "comment": "comment",
    "review": "review",
    "edit": "edit",
    "merge": "edit",
    "triggerGitSync": "edit",
    "viewInviteLinks": "admin",
    "installIntegration": "admin",
    "admin": "admin",
}
"""The lowest level that has each permission of a space."""

COLLECTION_PERMISSIONS: dict[str, str] = {
    "view": "read",
    "create": "create",
    "viewInviteLinks": "admin",
    "admin": "admin",
}
"""The lowest level that has each permission of a collection."""

ORGANIZATION_PERMISSIONS: dict[str, str] = {
    "view": "read",
    "access": "read",
    "listMembers": "read",
    "listTeams": "read",
    "listIntegrations": "read",
    "listInstallations": "read",
    "createContent": "create",
    "createOpenAPISpec": "create",
    "ingestConversations": "create",
    "ownTeam": "admin",
    "viewBilling": "admin",
    "installIntegration": "admin",
    "admin": "admin",
}
"""The lowest role that has each permission of an organization; a guest may view it, no more."""

SITE_PERMISSIONS: dict[str, str] = {
    "view": "read",
    "access": "read",
    "viewAdaptiveSchema": "read",
    "edit": "create",
    "create": "create",
    "editAdaptiveSchema": "create",
    "installIntegration": "admin",
    "admin": "admin",
}
"""The lowest level that has each permission of a site; a guest may view it."""


def highest(levels: Iterable[str | None]) -> str | None:
    """Return the highest level, None when there is none."""
    best = max((rank(level) for level in levels), default=-1)
    return None if best < 0 else LEVELS[best]


def permissions(table: dict[str, str], level: str | None) -> dict[str, bool]:
    """Return each permission of a table as the level has it, by wire name."""
    have = rank(level)
    return {name: have >= LEVELS.index(needed) for name, needed in table.items()}


Link = tuple[str, str | None]
"""The id of a container and its default level."""


def level_on(
    chain: Iterable[Link], role: str | None, granted: Mapping[str, str | None]
) -> str | None:
    """Return the level that a member of an organization has on the first container of a chain.

    The others are the collections above it. ``granted`` is the highest level granted to the member
    or a team of theirs, by container.
    """
    if role == "admin":
        return "admin"
    default: str | None = "inherit"
    levels: list[str | None] = []
    for container, own in chain:
        levels.append(granted.get(container))
        if default == "inherit":
            default = own
    return highest((*levels, role if default == "inherit" else default if role else None))


@dataclass(frozen=True, slots=True)
class Standing:
    """A member's rights on a container: the level, the role, and their own grant.

    ``own`` was granted to them; ``through`` is the team that gives them most.
    """

    level: str | None
    role: str | None
    own: str | None = None
    through: str | None = None


def standings(tx: Tx, organization_id: str, chain: Sequence[Link]) -> Mapping[str, Standing]:
    """Return what every member has on the first container of a chain, by user id.

    A disabled member has nothing. It is kept for as long as nobody changes a right.
    """
    return tx.kept(
        ("standings", organization_id, chain[0][0]),
        lambda: _standings(tx, organization_id, chain),
        RIGHTS,
    )


def _standings(tx: Tx, organization_id: str, chain: Sequence[Link]) -> dict[str, Standing]:
    granted: dict[str, dict[str, str | None]] = {}
    own: dict[str, str] = {}
    teams: dict[str, tuple[str, str]] = {}
    rows = tx.all(
        "SELECT container_id, level, user_id, NULL AS team_id FROM access_grant "
        "JOIN member ON user_id = subject_id AND organization_id = ?1 "
        "WHERE container_id IN (SELECT value FROM json_each(?2)) UNION ALL "
        "SELECT container_id, level, user_id, team_id FROM access_grant "
        "JOIN team_member ON team_id = subject_id "
        "WHERE container_id IN (SELECT value FROM json_each(?2)) ORDER BY team_id",
        organization_id,
        json.dumps([container for container, _ in chain]),
    )
    for row in rows:
        user, container, level = row["user_id"], row["container_id"], row["level"]
        theirs = granted.setdefault(user, {})
        theirs[container] = highest((theirs.get(container), level))
        if container != chain[0][0]:
            continue
        if row["team_id"] is None:
            own[user] = level
        elif user not in teams or rank(level) > rank(teams[user][0]):
            teams[user] = level, row["team_id"]
    members = tx.all(
        "SELECT user_id, role, disabled FROM member WHERE organization_id = ?", organization_id
    )
    return {
        row["user_id"]: Standing(
            None
            if row["disabled"]
            else level_on(chain, row["role"], granted.get(row["user_id"], {})),
            row["role"],
            own.get(row["user_id"]),
            teams.get(row["user_id"], (None, None))[1],
        )
        for row in members
    }


def site_chain(site: Row) -> list[Link]:
    """Return the chain of a site: nothing is above it, and it inherits the role."""
    return [(site["id"], "inherit")]


class Access:
    """What one user may do, answered from one transaction and remembered for its length.

    Reads remember it for as long as nobody changes the desk.
    """

    def __init__(self, tx: Tx, user_id: str) -> None:
        self.tx = tx
        self.user_id = user_id
        self._roles: dict[str, str | None] | None = None
        self._levels: dict[str, str | None] = tx.kept(("levels", user_id), dict, RIGHTS)

    @property
    def memberships(self) -> dict[str, str | None]:
        """The user's role by organization; disabled memberships do not count."""
        # Not a cached property, whose lock costs more than what it keeps.
        if self._roles is None:
            self._roles = self.tx.kept(
                ("memberships", self.user_id), self._memberships, ("member",)
            )
        return self._roles

    def _memberships(self) -> dict[str, str | None]:
        rows = self.tx.all(
            "SELECT organization_id, role FROM member WHERE user_id = ? AND NOT disabled",
            self.user_id,
        )
        return {row["organization_id"]: row["role"] for row in rows}

    @cached_property
    def grants(self) -> dict[str, str | None]:
        """The highest level granted to the user or a team of theirs, by container."""
        return self.tx.kept(("grants", self.user_id), self._grants, ("access_grant", "team_member"))

    def _grants(self) -> dict[str, str | None]:
        rows = self.tx.all(
            "SELECT container_id, level FROM access_grant WHERE subject_id = ?1 OR subject_id IN "
            "(SELECT team_id FROM team_member WHERE user_id = ?1)",
            self.user_id,
        )
        found: dict[str, str | None] = {}
        for row in rows:
            found[row["container_id"]] = highest((found.get(row["container_id"]), row["level"]))
        return found

    def role(self, organization_id: str) -> str | None:
        """Return the user's role in an organization, None for guests and strangers."""
        return self.memberships.get(organization_id)

    def organization(self, organization_id: str, permission: str = "view") -> Row:
        """Return the organization if the user has the permission there.

        Raises a 404 when they are no member, a 403 when they lack the permission.
        """
        row = self._row("organization", organization_id)
        if row is None or organization_id not in self.memberships:
            raise not_found("organization", organization_id)
        if permission != "view" and not self.may_in(organization_id, permission):
            raise forbidden(permission, f"the organization {row['title']!r}")
        return row

    def may_in(self, organization_id: str, permission: str) -> bool:
        """Say whether the user's role in an organization has one of its permissions."""
        return rank(self.role(organization_id)) >= rank(ORGANIZATION_PERMISSIONS[permission])

    def level(self, container: Row) -> str | None:
        """Return the user's level on a space or a collection (a row of either table)."""
        organization_id = container["organization_id"]
        if organization_id not in self.memberships:
            return None
        key: str = container["id"]
        if key not in self._levels:
            self._levels[key] = level_on(
                self.chain(container), self.role(organization_id), self.grants
            )
        return self._levels[key]

    def chain(self, container: Row) -> Iterator[Link]:
        """Yield a space or a collection and the collections above it."""
        # A loop, for collections may be nested deeper than Python calls.
        above: Row | None = container
        while above is not None:
            yield above["id"], above["default_level"]
            above = self._above(above)

    def site_level(self, site: Row) -> str | None:
        """Return the user's level on a site (a row of its table)."""
        if site["organization_id"] not in self.memberships:
            return None
        return level_on(site_chain(site), self.role(site["organization_id"]), self.grants)

    def site(self, organization_id: str, site_id: str, permission: str = "view") -> Row:
        """Return a site of an organization if the user has the permission there.

        Whoever is in the organization may view it; for anything else counts the level on the site.
        Raises a 404 when there is none that they may see, a 403 when they lack the permission.
        """
        self.organization(organization_id)
        site = self.tx.get("site", id=site_id, organization_id=organization_id)
        row = or_not_found(site, "site", site_id)
        needed = ORGANIZATION_PERMISSIONS[permission]
        if permission != "view" and rank(self.site_level(row)) < rank(needed):
            raise forbidden(permission, f"the site {row['title']!r}")
        return row

    def space(self, space_id: str, permission: str = "view", *, deleted: bool = False) -> Row:
        """Return the space if the user has the permission on it.

        Raises a 404 when there is none that they may see (one in the trash only with ``deleted``),
        a 403 when they lack the permission.
        """
        row = self._row("space", space_id)
        if row is None or (row["deleted_at"] and not deleted):
            raise not_found("space", space_id)
        self._require(row, "space", SPACE_PERMISSIONS, permission)
        return row

    def collection(self, collection_id: str, permission: str = "view") -> Row:
        """Return the collection if the user has the permission on it; as ``space`` does."""
        row = or_not_found(self._row("collection", collection_id), "collection", collection_id)
        self._require(row, "collection", COLLECTION_PERMISSIONS, permission)
        return row

    def may(self, container: Row, permission: str) -> bool:
        """Say whether the user has a permission of a space on it."""
        return rank(self.level(container)) >= rank(SPACE_PERMISSIONS[permission])

    def hidden_spaces(self, organization_id: str) -> list[str]:
        """Return the ids of the organization's spaces that the user may not see."""
        if self.role(organization_id) == "admin":
            return []
        hidden = self.tx.kept(
            ("hidden", self.user_id, organization_id),
            lambda: self._hidden_spaces(organization_id),
            RIGHTS,
        )
        return list(hidden)

    def _hidden_spaces(self, organization_id: str) -> list[str]:
        rows = self.tx.all(
            "SELECT id, organization_id, parent_id, default_level FROM space "
            "WHERE organization_id = ?",
            organization_id,
        )
        return [row["id"] for row in rows if self.level(row) is None]

    def _row(self, table: str, key: str) -> Row | None:
        statement = f"SELECT * FROM {table} WHERE id = ?"  # noqa: S608 - a table of ours
        # A caller names the key: a plain one could be that of something else that is kept.
        return self.tx.kept(("row", key), lambda: self.tx.one(statement, key), (table,))

    def _require(self, row: Row, kind: str, table: dict[str, str], permission: str) -> None:
        level = self.level(row)
        if level is None:
            raise not_found(kind, row["id"])
        if rank(level) < rank(table[permission]):
            raise forbidden(permission, f"the {kind} {row['title']!r}")

    def _above(self, container: Row) -> Row | None:
        parent = container["parent_id"]
        return None if parent is None else self._row("collection", parent)

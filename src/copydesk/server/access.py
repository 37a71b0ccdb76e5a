"""Who may do what: the level a user has on a space or collection, and what each level allows.

An organization's administrators have every permission. Anyone else has the highest of: what was
granted to them or their teams on the container or on a collection above it, and the default level
of the container (``inherit`` asks the collection above and, at the top, the user's role in the
organization; null is nothing, which is a guest's default too).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from copydesk.server.errors import forbidden, not_found
from copydesk.server.store import Row, Tx

RIGHTS = ("member", "access_grant", "team_member", "collection", "space")
"""The tables that say who may do what."""

LEVELS = ("read", "comment", "review", "edit", "create", "admin")
"""The levels from lowest to highest; each includes the ones before it."""

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


def rank(level: str | None) -> int:
    """Return a number that orders levels; no level is -1."""
    return LEVELS.index(level) if level in LEVELS else -1


def highest(levels: Iterable[str | None]) -> str | None:
    """Return the highest level, None when there is none."""
    best = max((rank(level) for level in levels), default=-1)
    return None if best < 0 else LEVELS[best]


def permissions(table: dict[str, str], level: str | None) -> dict[str, bool]:
    """Return each permission of a table as the level has it, by wire name."""
    have = rank(level)
    return {name: have >= LEVELS.index(needed) for name, needed in table.items()}


class Access:
    """What one user may do, answered from one transaction and remembered for its length.

    Reads remember it for as long as nobody changes the desk.
    """

    def __init__(self, tx: Tx, user_id: str) -> None:
        self.tx = tx
        self.user_id = user_id
        self._roles: dict[str, str | None] | None = None
        self._levels: dict[str, str | None] = tx.kept(("levels", user_id), dict, RIGHTS)
        self._collections: dict[str, Row | None] = tx.kept("collections", dict, ("collection",))

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
        role = self.role(organization_id)
        if role == "admin":
            return "admin"
        # A loop, for collections may be nested deeper than Python calls.
        asked: list[Row] = []
        above: Row | None = container
        while above is not None and above["id"] not in self._levels:
            asked.append(above)
            above = self._above(above) if above["default_level"] == "inherit" else None
        for each in reversed(asked):
            self._levels[each["id"]] = self._own_level(each, role)
        return self._levels[container["id"]]

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
        row = self._row("collection", collection_id)
        if row is None:
            raise not_found("collection", collection_id)
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

    def _own_level(self, container: Row, role: str | None) -> str | None:
        """Return the level on a container; the one above it is known where it inherits."""
        granted = self.grants.get(container["id"])
        above, default = self._above(container), container["default_level"]
        if default == "inherit":
            inherited = role if above is None else self._levels[above["id"]]
            return highest((granted, inherited))
        return highest((granted, default if role else None, self._granted(above)))

    def _above(self, container: Row) -> Row | None:
        parent = container["parent_id"]
        if parent is not None and parent not in self._collections:
            self._collections[parent] = self.tx.one("SELECT * FROM collection WHERE id = ?", parent)
        return self._collections.get(parent)

    def _granted(self, collection: Row | None) -> str | None:
        """Return what was granted on a collection or one above it, defaults aside."""
        levels: list[str | None] = []
        while collection is not None:
            levels.append(self.grants.get(collection["id"]))
            collection = self._above(collection)
        return highest(levels)

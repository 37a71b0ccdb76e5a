"""People with an account."""

from __future__ import annotations

from copydesk.contract.models.parts import Urls
from copydesk.contract.models.user import User
from copydesk.server.implementation import Call
from copydesk.server.store import Row


def user_by_id(call: Call, user_id: str) -> User:
    """Return a user whose id comes from the desk itself; remembered for the request."""
    user: User | None = call.remembered.get(("user", user_id))
    if user is None:
        row = call.tx.one("SELECT * FROM user WHERE id = ?", user_id)
        assert row is not None, f"user {user_id} is referenced but not there"
        user = user_model(call, row)
    return user


def user_model(call: Call, row: Row) -> User:
    """Return the user of a row that has the columns of ``user`` (joined ones too)."""
    key = ("user", row["id"])
    if key not in call.remembered:
        call.remembered[key] = User(
            id=row["id"],
            display_name=row["display_name"],
            email=row["email"],
            photo_url=row["photo_url"],
            urls=Urls(location=_location(call, row["id"])),
        )
    user: User = call.remembered[key]
    return user


def _location(call: Call, user_id: str) -> str | None:
    """Return where the caller can read this user: as themselves, or as a fellow member."""
    if user_id == call.user_id:
        return call.url("user")
    shared = call.tx.all("SELECT organization_id FROM member WHERE user_id = ?", user_id)
    for row in shared:
        if call.access.role(row["organization_id"]) is not None:
            return call.url("orgs", row["organization_id"], "members", user_id)
    return None

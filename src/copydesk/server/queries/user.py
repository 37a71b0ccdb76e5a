"""People with an account."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache, partial

from copydesk.contract.models.base import Urls
from copydesk.contract.models.user import User
from copydesk.server.implementation import Call
from copydesk.server.store import Row


def user_by_id(call: Call, user_id: str) -> User:
    """Return a user whose id comes from the desk itself; remembered for the request."""
    key = ("user", user_id)
    user: User | None = call.remembered.get(key)
    if user is None:
        user = call.remembered[key] = call.tx.kept(
            (_looking(call), user_id), lambda: _read(call, [user_id])[user_id], _SHOWN_OF
        )
    return user


def remember_users(call: Call, ids: Iterable[str]) -> None:
    """Read users whose ids come from the desk itself at once, as ``user_by_id`` does one."""
    missing = [key for key in dict.fromkeys(ids) if ("user", key) not in call.remembered]
    found = call.tx.kept_all(_looking(call), missing, partial(_read, call), _SHOWN_OF)
    call.remembered.update({("user", key): user for key, user in found.items()})


_SHOWN_OF = ("user", "member")
"""The tables that users are shown from."""


def _looking(call: Call) -> tuple[str, str]:
    """Return the caller and the address they use: what they see of a user depends on both."""
    return call.user_id, call.base_url


def _read(call: Call, ids: list[str]) -> dict[str, User]:
    rows = call.tx.all(
        "SELECT *, (SELECT organization_id FROM member WHERE user_id = user.id "
        "AND organization_id IN (SELECT value FROM json_each(?1)) "
        "ORDER BY organization_id LIMIT 1) AS shared "
        "FROM user WHERE id IN (SELECT value FROM json_each(?2))",
        json.dumps([key for key, role in call.access.memberships.items() if role is not None]),
        json.dumps(ids),
    )
    return {row["id"]: _user_of(row, _address(call, row["id"], row["shared"])) for row in rows}


def user_model(call: Call, row: Row) -> User:
    """Return the user of a row that has the columns of ``user`` (joined ones too)."""
    key = ("user", row["id"])
    if key not in call.remembered:
        call.remembered[key] = _user_of(row, _location(call, row["id"]))
    user: User = call.remembered[key]
    return user


def _user_of(row: Row, location: str | None) -> User:
    return _user(row["id"], row["display_name"], row["email"], row["photo_url"], location)


@lru_cache(maxsize=1024)  # a page names the same people again and again, whatever was written
def _user(key: str, name: str, email: str | None, photo: str | None, location: str | None) -> User:
    return User(
        id=key, display_name=name, email=email, photo_url=photo, urls=Urls(location=location)
    )


def _location(call: Call, user_id: str) -> str | None:
    """Return where the caller can read this user: as themselves, or as a fellow member."""
    shared = call.tx.all("SELECT organization_id FROM member WHERE user_id = ?", user_id)
    homes = (row["organization_id"] for row in shared)
    return _address(
        call, user_id, next((home for home in homes if call.access.role(home) is not None), None)
    )


def _address(call: Call, user_id: str, organization_id: str | None) -> str | None:
    if user_id == call.user_id:
        return call.url("user")
    return organization_id and call.url("orgs", organization_id, "members", user_id)

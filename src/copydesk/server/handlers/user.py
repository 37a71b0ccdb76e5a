"""People with an account."""

from __future__ import annotations

from copydesk.contract import operations as ops
from copydesk.contract.models.user import User
from copydesk.server.errors import not_found
from copydesk.server.implementation import Call, implements
from copydesk.server.queries.user import user_by_id


@implements(ops.get_current_user, short=True)
def get_current_user(call: Call) -> User:
    return user_by_id(call, call.user_id)


@implements(ops.get_user, short=True)
def get_user(call: Call, user_id: str) -> User:
    """Answer with oneself, or with a person of an organization that one lists the members of."""
    if call.tx.value("SELECT 1 FROM user WHERE id = ?", user_id):
        found = user_by_id(call, user_id)
        if found.urls.location is not None:
            return found
    raise not_found("user", user_id)

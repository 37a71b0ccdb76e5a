"""Who the caller is."""

from __future__ import annotations

from copydesk.contract import operations as ops
from copydesk.contract.models.user import User
from copydesk.server.implementation import Call, implements
from copydesk.server.queries.user import user_by_id


@implements(ops.get_current_user, short=True)
def get_current_user(call: Call) -> User:
    return user_by_id(call, call.user_id)

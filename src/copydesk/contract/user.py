"""Operations on people with an account."""

from __future__ import annotations

from copydesk.contract.models.user import User
from copydesk.contract.operation import operation


@operation("GET", "/user", extension="E1")
def get_current_user() -> User:
    """Get the user that the token belongs to."""
    ...


@operation("GET", "/users/{user_id}", extension="E13")
def get_user(user_id: str) -> User:
    """Get a person with an account."""
    ...

"""Operations on people with an account."""

from __future__ import annotations

from copydesk.contract import models
from copydesk.contract.operation import operation


@operation("GET", "/user", extension="E1")
def get_current_user() -> models.user.User:
    """Get the user that the token belongs to."""


@operation("GET", "/users/{user_id}", extension="E13")
def get_user(user_id: str) -> models.user.User:
    """Get a person with an account."""

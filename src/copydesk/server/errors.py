"""How the desk refuses: one exception, one body (docs/api-notes.md, Errors)."""

from __future__ import annotations

import json
from typing import TypeVar

T = TypeVar("T")


class Refusal(Exception):  # noqa: N818 - an answer, not a fault
    """An answer other than success. ``message`` is one sentence for a person."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message

    def body(self) -> bytes:
        """Return the error body that every 4xx and 5xx has."""
        return json.dumps({"error": {"code": self.status, "message": self.message}}).encode()


def invalid(message: str) -> Refusal:
    """Return a 400: the input is not what the operation takes."""
    return Refusal(400, message)


def unauthorized(message: str) -> Refusal:
    """Return a 401: no credential, or one that is not valid."""
    return Refusal(401, message)


def forbidden(permission: str, what: str) -> Refusal:
    """Return a 403 that names the missing permission and the object."""
    return Refusal(403, f"You need the permission {permission!r} on {what}.")


def not_found(kind: str, key: str) -> Refusal:
    """Return a 404: no such thing, or none that the caller may see."""
    return Refusal(404, f"There is no {kind} {key[:100]!r}.")


def or_not_found(value: T | None, kind: str, key: str) -> T:
    """Return a value that is there, or raise ``not_found``."""
    if value is None:
        raise not_found(kind, key)
    return value


def conflict(message: str) -> Refusal:
    """Return a 409: the operation would change nothing, or clashes with existing things."""
    return Refusal(409, message)


def blocked(message: str) -> Refusal:
    """Return a 412: a rule or a state forbids it."""
    return Refusal(412, message)

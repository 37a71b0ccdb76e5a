"""The errors of failed requests, with sentences."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from http import HTTPStatus

from copydesk.client.budget import retry_time
from copydesk.client.errors import (
    MESSAGE_LIMIT,
    ApiError,
    Redirected,
    bounded,
    error_class,
)
from copydesk.client.request import Outgoing

ERROR_LIMIT = 1024 * 1024
"""The largest error body that is parsed, in bytes."""

Hide = Callable[[str], str]
"""Removes credentials from a text."""


def request_id(headers: Mapping[str, str]) -> str:
    """Return the service's id of a request, "" without one."""
    name = headers.get("x-request-id") or headers.get("cf-ray")
    return bounded(name, 100) if name else ""


def refusal(
    request: Outgoing,
    status: int,
    headers: Mapping[str, str],
    content: bytes,
    now: float,
    hide: Hide,
) -> ApiError:
    """Return the error for an unsuccessful answer; ``now`` is in seconds since 1970."""
    kind = error_class(status)
    said = _said(content)
    if kind is Redirected:
        elsewhere = headers.get("location", "another address")
        message = f"The service has moved to {elsewhere}: set that as its base URL."
    else:
        message = said or f"The service answered {status} {_phrase(status)}."
    return kind(
        # Cleaned first: control codes inside a token must not hide it from the replacement.
        hide(bounded(message, 4 * MESSAGE_LIMIT)),
        status=status,
        operation=request.name,
        request_id=hide(request_id(headers)),
        retry_at=retry_time(headers, now, limited=status == 429),
        from_service=bool(said),
    )


def _said(content: bytes) -> str:
    """Return the message of the API's error body, "" for any other body."""
    if len(content) > ERROR_LIMIT:
        return ""
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        return ""
    error = answer.get("error") if isinstance(answer, dict) else None
    message = error.get("message") if isinstance(error, dict) else None
    return message if isinstance(message, str) else ""


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""

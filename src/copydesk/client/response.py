"""What an answer means: the result of an operation, or the error of a failed request."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from http import HTTPStatus
from types import NoneType
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import from_json

from copydesk.client.budget import retry_time
from copydesk.client.errors import (
    ApiError,
    CheckoutNeeded,
    Garbled,
    Redirected,
    bounded,
    error_class,
)
from copydesk.client.request import Outgoing
from copydesk.contract.models.base import MOST_FAULTS, Dropped, read_leniently
from copydesk.contract.operation import Operation
from copydesk.domain.text import clean

THREAD_BYTES = 131_072
"""An answer larger than this is validated in a thread, so that no key press waits for it.

About a hundred change requests; they hold a key for 2 ms, and going to a thread takes half as long.
"""

ERROR_LIMIT = 1024 * 1024
"""The largest error body that is parsed, in bytes."""

HIDDEN_LIMIT = 256 * 1024
"""The first characters of a text that are searched for credentials; far fewer are shown."""

Hide = Callable[[str], str]
"""Removes credentials from a text."""


class Answer(NamedTuple):
    """A successful answer: status, body, the service's request id, and ``Location``."""

    status: int
    content: bytes
    request_id: str = ""
    location: str = ""


def request_id(headers: Mapping[str, str], hide: Hide) -> str:
    """Return the service's id of a request, "" without one. A gateway may echo what it was sent."""
    name = headers.get("x-request-id") or headers.get("cf-ray")
    return bounded(hidden(name, hide), 100) if name else ""


def hidden(text: str, hide: Hide) -> str:
    """Return a text without control codes and credentials, before anything cuts either in two."""
    return hide(clean(text, limit=HIDDEN_LIMIT))


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
        hidden(message, hide),
        status=status,
        operation=request.name,
        request_id=request_id(headers, hide),
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


def read_answer(operation: Operation[..., Any], answer: Answer) -> tuple[Any, list[Dropped]]:
    """Return the result, and the parts of the answer that it was read without.

    Raises ``Garbled`` for an answer of which nothing is left, and ``CheckoutNeeded`` for one that
    leads to a checkout instead of being what was asked for.
    """
    if operation.result is NoneType:
        _expect_nothing(operation, answer)
        return None, []
    try:
        return _understood(operation, answer.content or b"null")
    except ValidationError as error:
        if (url := _checkout(answer.content)) is not None:
            raise CheckoutNeeded(
                url, status=answer.status, operation=operation.name, request_id=answer.request_id
            ) from None
        if error.error_count() > MOST_FAULTS:
            why = f"{error.error_count():,} parts of it do not fit"
            raise not_understood(operation, answer, "", why) from None
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise not_understood(operation, answer, field, first["msg"]) from error


def not_understood(operation: Operation[..., Any], answer: Answer, field: str, why: str) -> Garbled:
    """Return the error for an answer with a part that does not fit, and ``why`` it does not."""
    return Garbled(
        f"The answer to {operation.name} is not understood: {f'{field}: ' if field else ''}{why}.",
        field=field,
        status=answer.status,
        operation=operation.name,
        request_id=answer.request_id,
    )


def _checkout(content: bytes) -> str | None:
    try:
        value = from_json(content)
    except ValueError:
        return None
    match value:
        case {"type": "checkout", **rest}:  # services also name a session instead of an address
            return str(rest.get("url") or "")
    return None


def _expect_nothing(operation: Operation[..., Any], answer: Answer) -> None:
    """Raise ``Garbled`` where something between here and the service seems to have answered.

    The API promises no body (docs/api-notes.md, Success codes); a service may still answer in JSON.
    A network that wants a login answers with a page.
    """
    if not answer.content.strip():
        return
    try:
        from_json(answer.content)
    except ValueError as error:
        raise Garbled(
            f"The answer to {operation.name} is not one of this API: "
            "a proxy on the way may have sent it.",
            status=answer.status,
            operation=operation.name,
            request_id=answer.request_id,
        ) from error


def _understood(operation: Operation[..., Any], content: bytes) -> tuple[Any, list[Dropped]]:
    if len(content) > THREAD_BYTES:
        content = with_short_names(content)
    try:
        return read_leniently(operation.result_adapter, content)
    except ValidationError:
        mended = without_halves(content)
        if mended == content:
            raise
        return read_leniently(operation.result_adapter, mended)


LONGEST_NAME = 4096
"""The longest name, in bytes of JSON. A service limits titles to a line. One that does not may send
a megabyte of accents, and every row, header and dialog would have to measure them."""

MORE = "…".encode()

_NAME = re.compile(
    rb'"(?:title|subject|displayName|name|label|email|slug|hostname|basename)"\s*:\s*"'
    rb'(?P<name>[^"\\]*+(?:(?=(?P<part>(?:\\.[^"\\]*+){1,1000}))(?P=part))*)"',
    re.DOTALL,
)
"""What is looked ahead to keeps no place of each escape: a name may be as long as an answer."""

_WHOLE = re.compile(rb'[^"\\]*+(?:\\(?:u[0-9a-fA-F]{4}|[^u])[^"\\]*+)*', re.DOTALL)


def with_short_names(content: bytes) -> bytes:
    """Return JSON with names cut to ``LONGEST_NAME``; texts and descriptions stay."""
    return _NAME.sub(_cut, content)


def _cut(found: re.Match[bytes]) -> bytes:
    name = found["name"]
    if len(name) <= LONGEST_NAME:
        return found[0]
    whole = _WHOLE.match(name[:LONGEST_NAME])
    start = b"" if whole is None else whole[0].decode(errors="ignore").encode()
    return found[0][: found.start("name") - found.start()] + start + MORE + b'"'


_UP_TO_HALF = re.compile(
    rb"(?P<whole>[^\\]*+(?:\\(?:"
    rb"u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"  # both halves
    rb"|u(?![dD][89a-fA-F][0-9a-fA-F]{2})"
    rb"|[^u])[^\\]*+){0,1000})(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})?",
    re.DOTALL,
)
"""Goes on after so many escapes: it keeps the place of each of them until it is through."""

_REPLACED = rb"\ufffd"


def without_halves(content: bytes) -> bytes:
    """Return JSON with the replacement character in place of each unpaired surrogate.

    Programs that count in UTF-16 cut titles in the middle of an emoji, and a JSON parser refuses
    the whole answer then. Returns the same bytes without any.
    """
    if b"\\ud" not in content and b"\\uD" not in content:
        return content
    return _UP_TO_HALF.sub(
        lambda found: found["whole"] + _REPLACED if found["half"] else found["whole"], content
    )

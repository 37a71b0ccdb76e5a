"""The errors between a call and its answer, as one tree of exceptions.

The client raises these and nothing else for a failed request; one place at the edge turns them into
sentences. The module needs no HTTP library, so that screens can name its classes before one is
loaded. Codes: docs/api-notes.md, Errors.
"""

# ruff: noqa: N818 - the names say what happened; every one is caught as an ApiError.

from __future__ import annotations

from datetime import datetime

from copydesk.domain.text import clean

MESSAGE_LIMIT = 500
"""The longest message of a service, in characters. The rest is cut."""


class ApiError(Exception):
    """A request without its result.

    ``message`` is a sentence that is safe to draw (control codes removed, bounded). ``status`` is
    the HTTP status, None when no answer came. ``operation`` names the operation, or the method and
    path of a raw request. ``request_id`` is the service's id of the request, "" without one.
    ``sent`` says whether a write may have taken effect; then look before sending again.
    ``retry_at`` is the time of the next try, in UTC. ``from_service`` says whether the message is
    the service's own, from the error body of the API.
    """

    sent = False

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        operation: str = "",
        request_id: str = "",
        retry_at: datetime | None = None,
        sent: bool | None = None,
        from_service: bool = False,
    ) -> None:
        self.message = bounded(message)
        self.status = status
        self.operation = operation
        self.request_id = bounded(request_id, 100)
        self.retry_at = retry_at
        self.from_service = from_service
        if sent is not None:
            self.sent = sent
        super().__init__(self.message)

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}({self.operation}: {self.status or 'no answer'}: {self.message})"
        )


class Refused(ApiError):
    """A 4xx of the classes below, or of none: the service does not do this request as it is."""


class Invalid(Refused):
    """400, or 413 or 422: the service does not accept the input. The message says which part."""


class Unauthorized(ApiError):
    """401: the token is missing, wrong or no longer valid."""


class Forbidden(Refused):
    """403: the token is fine, but its user may not do this."""


class NotFound(ApiError):
    """404: no such thing, or none that this user may see.

    ``lacking``: what the service may lack instead ("clusters"); "" where it is known to have it.
    """

    lacking = ""


class OperationMissing(NotFound):
    """The service does not have this operation (docs/service.md, What a service may lack).

    ``Api.has`` says the same without a request. ``lacking`` says what it is ("clusters");
    ``successor`` is the route of what the service has in its place, "" for nothing. Of an extension
    callers use the fallback that docs/api-notes.md names.
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        operation: str = "",
        request_id: str = "",
        lacking: str = "",
        successor: str = "",
    ) -> None:
        self.lacking = lacking
        self.successor = successor
        super().__init__(message, status=status, operation=operation, request_id=request_id)


class Conflict(Refused):
    """409: the operation would change nothing, or someone was faster."""


class Blocked(Refused):
    """412: a rule forbids it, such as a merge rule. The message says which."""


class CheckoutNeeded(ApiError):
    """The service did nothing: it wants a plan bought first, at ``url`` where it tells one."""

    def __init__(self, url: str, *, status: int, operation: str, request_id: str = "") -> None:
        self.url = bounded(url, 2048)
        said = "Nothing was done: this takes another subscription"
        said += f", sold at {self.url}" if self.url else "."
        super().__init__(said, status=status, operation=operation, request_id=request_id)


class RateLimited(ApiError):
    """429: the budget of requests is used up until ``retry_at``. Nothing was done."""


class ServerFault(ApiError):
    """5xx: the service failed. A write may have taken effect before it did."""

    sent = True


class Unreachable(ApiError):
    """No answer: no connection, a broken one, or none in time. ``sent`` says what that means for a
    write.
    """


class Untrusted(Unreachable):
    """The service did not prove who it is: its certificate is not good. Nothing was sent."""


class Intercepted(Unreachable):
    """3xx, 407 or 511: a proxy or a network answered in the service's place, or sends elsewhere.

    A redirect is not followed: the token stays with the host that it was given for. Nothing was
    done, and it is not sent again by itself.
    """


class NotCached(Unreachable):
    """An answer is not cached, and only the cache was asked (``cached_answers``)."""


class ReadOnly(ApiError):
    """A write in a read-only client. Nothing was sent."""


class Garbled(ApiError):
    """An invalid answer. ``field`` says where, "" for the whole answer.

    The service did accept the request: a write has taken effect.
    """

    sent = True

    def __init__(
        self,
        message: str,
        *,
        field: str = "",
        status: int | None = None,
        operation: str = "",
        request_id: str = "",
    ) -> None:
        self.field = bounded(field, 200)
        super().__init__(message, status=status, operation=operation, request_id=request_id)


def bounded(text: str, limit: int = MESSAGE_LIMIT) -> str:
    """Return a message of a service as one line that is safe to draw, at most ``limit`` long."""
    line = clean(text, limit=4 * limit).strip()
    return line if len(line) <= limit else line[: limit - 1] + "…"


_PASSING = 408, 425
"""The statuses below 500, beside 429, after which the same request may well succeed."""

_BY_STATUS: dict[int, type[ApiError]] = {
    400: Invalid,
    401: Unauthorized,
    403: Forbidden,
    404: NotFound,
    407: Intercepted,
    409: Conflict,
    412: Blocked,
    413: Invalid,
    422: Invalid,
    429: RateLimited,
    511: Intercepted,
}


def error_class(status: int) -> type[ApiError]:
    """Return the exception class for an HTTP status of 300 and above."""
    if status < 400:
        return Intercepted
    others = ServerFault if status >= 500 else ApiError if status in _PASSING else Refused
    return _BY_STATUS.get(status, others)

"""Calls on the wire: the request of one, what its answer means, and how many may still be sent."""

from __future__ import annotations

import json
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from datetime import UTC, date, datetime
from enum import Enum
from functools import lru_cache
from http import HTTPStatus
from inspect import Parameter as Declared
from types import NoneType
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from pydantic import ValidationError
from pydantic_core import from_json

from copydesk.client.errors import (
    ApiError,
    CheckoutNeeded,
    Garbled,
    Intercepted,
    NotFound,
    bounded,
    error_class,
)
from copydesk.contract.models.base import MOST_FAULTS, Body, Dropped, Shape, read_leniently
from copydesk.contract.operation import Operation, Parameter
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import service_time
from copydesk.domain.request_context import Asker
from copydesk.domain.text import clean

_PARAMETER = re.compile(r"\{(\w+)\}")

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
"""The methods that the API has."""

PROXY_LOGIN = (
    "A proxy wants a name and a password: write its address as http://NAME:PASSWORD@HOST:PORT in "
    "HTTPS_PROXY or HTTP_PROXY."
)
"""The sentence for status 407, whether the proxy answers a request or a tunnel with it."""

Scalar = str | int | float | bool | Enum | date | datetime
"""The types of values in a path or a query."""


class Outgoing(NamedTuple):
    """A request without its host: ``target`` is the quoted path and query, ``body`` the JSON or
    None.

    ``name`` is the operation's name, or method and path of a raw request. ``creates``: each
    delivery creates a new object, whatever the method. ``secret``: it, or its answer, may hold a
    credential and is not stored; so may any raw request. ``asks``: it reads, whatever the method.
    """

    name: str
    method: str
    target: str
    body: bytes | None = None
    creates: bool = False
    secret: bool = False
    asks: bool = False

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return self.method == "GET" or self.asks

    @property
    def idempotent(self) -> bool:
        """Whether sending it twice has the same effect (docs/api-notes.md, Sending again)."""
        return self.reads or (self.method in {"PUT", "DELETE"} and not self.creates)

    @property
    def keepable(self) -> bool:
        """Whether its answer may be cached on this machine."""
        return self.reads and not self.secret

    @property
    def kept_as(self) -> str:
        """What its answer is cached under: everything that it depends on."""
        return self.target if self.body is None else f"{self.target} {self.body.decode()}"

    def to_dict(self) -> dict[str, Any]:
        """Return the request as JSON, to be stored and sent later: see ``outgoing_of``."""
        return {
            "name": self.name,
            "method": self.method,
            "target": self.target,
            "body": None if self.body is None else self.body.decode(),
            "creates": self.creates,
            "secret": self.secret,
        }


def outgoing_of(value: Mapping[str, Any]) -> Outgoing:
    """Return the request of ``Outgoing.to_dict``.

    It may come from a damaged or edited file: raises ``ValueError`` for an invalid one.
    """
    name, method, target, body, creates, secret = (
        value.get(key) for key in ("name", "method", "target", "body", "creates", "secret")
    )
    if not isinstance(name, str) or not isinstance(target, str) or method not in METHODS:
        raise ValueError("not a call: name, method or target is missing")
    if not isinstance(body, str | None) or not isinstance(creates, bool):
        raise ValueError("not a call: its body or what it makes is wrong")
    content = None if body is None else body.encode()
    return Outgoing(name, method, raw(method, target).target, content, creates, secret is not False)


def outgoing(operation: Operation[..., Any], *args: Any, **kwargs: Any) -> Outgoing:
    """Return the request for a call of ``operation`` with these arguments.

    Raises ``TypeError`` when the arguments do not fit the operation's signature, as calling the
    stub would, and ``ValueError`` for an id that cannot stand in a path.
    """
    plan = _plan(operation)
    given = plan.given(args, kwargs)
    path = "".join(
        [part if isinstance(part, str) else _segment(part, given[part.name]) for part in plan.path]
    )
    pairs = [
        (parameter.wire, text)
        for parameter in operation.query_parameters
        if (value := given.get(parameter.name)) is not None
        for text in _texts(value)
    ]
    body = None
    if operation.body is not None and (value := given.get("body")) is not None:
        body = _json(operation.body, value)
    return Outgoing(
        operation.name,
        operation.method,
        with_query(path, pairs),
        body,
        creates=operation.creates,
        secret=operation.secret,
        asks=operation.reads,
    )


@dataclass(frozen=True, slots=True)
class _Plan:
    """The common parts of all calls of one operation.

    ``positional`` are the parameters that may be given by position, ``path`` is the path's text
    with parameters in their places.
    """

    operation: Operation[..., Any]
    positional: tuple[str, ...]
    known: frozenset[str]
    required: frozenset[str]
    path: tuple[str | Parameter, ...]

    def given(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the arguments by name. Raises ``TypeError`` when they do not fit."""
        given = {**dict(zip(self.positional, args, strict=False)), **kwargs}
        if (
            len(args) <= len(self.positional)
            and len(given) == len(args) + len(kwargs)
            and self.required <= given.keys() <= self.known
        ):
            return given
        # This names the mistake; it also checks everything again, which takes longer.
        bound: Mapping[str, Any] = self.operation.signature.bind(*args, **kwargs).arguments
        return bound


@lru_cache(maxsize=512)
def _plan(operation: Operation[..., Any]) -> _Plan:
    declared = operation.signature.parameters
    by_name = {parameter.name: parameter for parameter in operation.path_parameters}
    # Literal parts and names take turns.
    parts = _PARAMETER.split(operation.path)
    return _Plan(
        operation,
        tuple(n for n, each in declared.items() if each.kind is not Declared.KEYWORD_ONLY),
        frozenset(declared),
        frozenset(n for n, each in declared.items() if each.default is Declared.empty),
        tuple(by_name[part] if index % 2 else part for index, part in enumerate(parts)),
    )


def raw(
    method: str, path: str, query: Iterable[tuple[str, Scalar]] = (), body: bytes | None = None
) -> Outgoing:
    """Return a request for a path given as text, such as ``/v1/spaces/abc``.

    Raises ``ValueError`` for a path that is not absolute or that steps upwards.
    """
    if not path.startswith("/") or not path.isascii() or not path.isprintable() or " " in path:
        raise ValueError(f"{path!r} is not a path: start with / and quote special characters")
    if "#" in path or any(part in {".", ".."} for part in path.partition("?")[0].split("/")):
        raise ValueError(f"{path!r} is not a path: leave out . and .. and #")
    method = method.upper()
    pairs = [(name, text) for name, value in query for text in _texts(value)]
    return Outgoing(f"{method} {path}", method, with_query(path, pairs), body, secret=True)


def with_query(path: str, pairs: list[tuple[str, str]]) -> str:
    """Return ``path`` with ``pairs`` as its query; a repeated name is an array."""
    if not pairs:
        return path
    return f"{path}{'&' if '?' in path else '?'}{urlencode(pairs, quote_via=quote)}"


def _segment(parameter: Parameter, value: Any) -> str:
    text = _text(value)
    if text in {"", ".", ".."}:
        # An id may come from a broken or hostile service: its object cannot exist.
        raise NotFound(f"{parameter.name} is {text!r}, which is not an id")
    try:
        return _quoted(text)
    except UnicodeEncodeError as error:
        raise NotFound(f"{parameter.name} is not text: give an id") from error


@lru_cache(maxsize=1024)  # the same few ids are in most addresses
def _quoted(text: str) -> str:
    return quote(text, safe="")


def _texts(value: Any) -> list[str]:
    texts = [_text(item) for item in value] if _several(value) else [_text(value)]
    # Input of a terminal need not be valid text: it is searched, and not found.
    return [text.encode(errors="replace").decode() for text in texts]


def _several(value: Any) -> bool:
    return isinstance(value, list | tuple | set | frozenset)


def _text(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case Enum():
            return _text(value.value)
        case datetime() | date():
            return value.isoformat()
        case str() | int() | float():
            return str(value)
    raise TypeError(f"a {type(value).__name__} cannot stand in an address")


def _json(parameter: Parameter, value: Any) -> bytes:
    if isinstance(value, Body | Shape):
        return value.to_json()
    return parameter.adapter.dump_json(value, by_alias=True, exclude_unset=True)


_ALLOWED = frozenset(string.ascii_letters + string.digits + string.punctuation)


class Secret:
    """A credential. It shows itself only to who calls ``reveal``.

    ``repr``, ``str``, format and tracebacks that show values print dots instead, and pickling is
    refused, so that no log, error or cache holds it. White space around the value is dropped,
    because a pasted token often ends in a line end. Raises ``ValueError`` for an empty value and
    for one that no HTTP header can carry; the message does not repeat the value.
    """

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        value = value.strip()
        if not value:
            raise ValueError("the token is empty: paste it again, or unset COPYDESK_TOKEN")
        if not _ALLOWED.issuperset(value):
            raise ValueError(
                "the token holds a space or a character that no token has: paste it again, alone"
            )
        self._value = value

    def reveal(self) -> str:
        """Return the credential itself: for the request header and for nothing else."""
        return self._value

    def hide(self, text: str) -> str:
        """Return ``text`` with every occurrence of the credential replaced by dots."""
        return text.replace(self._value, "…")

    def __repr__(self) -> str:
        return "Secret(…)"

    def __str__(self) -> str:
        return "…"

    def __reduce__(self) -> str:
        raise TypeError("a secret is not written anywhere")


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
    message = said or f"The service answered {status} {_phrase(status)}."
    if kind is Intercepted:
        message = _on_the_way(status, headers.get("location", "")) or message
    return kind(
        hidden(message, hide),
        status=status,
        operation=request.name,
        request_id=request_id(headers, hide),
        retry_at=retry_time(headers, now, limited=status == 429),
        from_service=bool(said),
    )


def _on_the_way(status: int, location: str) -> str:
    if status == 407:
        return PROXY_LOGIN
    if status == 511:
        return "The network wants a login: open any page in a browser, and log in there."
    if not location:
        return ""
    return (
        f"It is sent on to {location}. Where your network wants a login, log in with a browser; "
        "where the service has moved, set that as its base URL."
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
        why = _no_answer(answer.content)
        if not why and error.error_count() > MOST_FAULTS:
            why = f"{error.error_count():,} parts of it do not fit"
        if why:
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
        why = _no_answer(answer.content) or "it is not JSON"
        raise not_understood(operation, answer, "", why) from error


def _no_answer(content: bytes) -> str:
    """Return the reason why content is no answer of this API; "" where it may be one."""
    match content.lstrip()[:1]:
        case b"":
            return "it is empty"
        case b"<":
            return "it is a web page. A proxy, or a login that your network wants, may have sent it"
    return ""


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


USUAL_LIMIT = 3600
"""The requests in `USUAL_SECONDS` that are taken for allowed where the service names no limit."""

USUAL_SECONDS = 3600.0

_TOLD = ("x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset")


@dataclass(frozen=True, slots=True)
class Budget:
    """How many requests may be sent (docs/api-notes.md, Sending again).

    ``remaining`` of ``limit`` requests are left until ``reset``, the end of the period by this
    machine's clock, in UTC (None: unknown). ``told`` says whether the service says so; otherwise
    what is sent here is counted against the usual limit.
    """

    limit: int = USUAL_LIMIT
    remaining: int = USUAL_LIMIT
    reset: datetime | None = None
    told: bool = False

    @property
    def share(self) -> float:
        """The remaining share of the budget, 0.0 to 1.0."""
        return min(1.0, max(0.0, self.remaining / self.limit)) if self.limit > 0 else 0.0

    def by(self, now: datetime) -> Budget:
        """Return the budget at a time: all of it once its period is over."""
        if self.reset is None or now < self.reset:
            return self
        return self.renewed()

    def renewed(self) -> Budget:
        """Return the budget as a period begins with it."""
        return Budget(self.limit, self.limit, None, self.told)

    def after(self, status: int, headers: Mapping[str, str], now: float) -> Budget:
        """Return the budget after an answer; unreadable headers change nothing.

        ``now`` are this machine's seconds since the epoch.
        """
        given = tuple(map(headers.get, _TOLD))
        if status < 400 and "date" not in headers and (told := _by_itself(*given)) is not None:
            return told
        limit, remaining, reset = map(_number, given)
        before = self.by(_moment(now))
        if limit is remaining is reset is None:
            found = before if self.told else before._counted(now)
        else:
            most = before.limit if limit is None else limit
            left = min(before.remaining, most) if remaining is None else remaining
            if remaining is None and not self.told:
                left = most
            end = before.reset if reset is None else _here(_moment(reset), headers, now)
            found = Budget(max(most, left), left, end, told=True)
        if status == 429:
            again = retry_time(headers, now)
            return replace(found, remaining=0, reset=found.reset if again is None else again)
        if status < 400 and not before.remaining and remaining is None:
            return before.renewed()  # there is some again, and it does not say how much
        return found

    def _counted(self, now: float) -> Budget:
        end = _moment(now + USUAL_SECONDS) if self.reset is None else self.reset
        return replace(
            self, remaining=max(1, self.remaining - 1), reset=end
        )  # 0 is what a 429 says


@lru_cache(maxsize=16)  # a service without a limit says the same with every answer
def _by_itself(limit: str | None, remaining: str | None, reset: str | None) -> Budget | None:
    """Return the budget that the headers of an answer give, None where they do not say it all."""
    most, left, end = _number(limit), _number(remaining), _number(reset)
    if most is None or left is None or end is None:
        return None
    return Budget(max(most, left), left, _moment(end), told=True)


def retry_time(headers: Mapping[str, str], now: float, *, limited: bool = True) -> datetime | None:
    """Return the time of the next try (UTC), or None when unknown.

    ``Retry-After`` (seconds, or an HTTP date) takes precedence over ``X-RateLimit-Reset``
    (docs/api-notes.md, Sending again), which counts only for a refusal by the rate limit
    (``limited``).
    """
    after = headers.get("retry-after", "").strip()
    if (seconds := _number(after)) is not None:
        return _moment(now + seconds)
    if after:
        try:
            return _here(dated(after), headers, now)
        except (ValueError, OverflowError):
            pass
    reset = _number(headers.get("x-ratelimit-reset")) if limited else None
    return None if reset is None else _here(_moment(reset), headers, now)


def _here(moment: datetime, headers: Mapping[str, str], now: float) -> datetime:
    """Return a time of the service by this machine's clock."""
    if not (date := headers.get("date")):
        return moment
    try:
        ahead = dated(date) - _moment(now)
        return service_time(moment, -ahead)
    except (ValueError, OverflowError):
        return moment


def dated(text: str) -> datetime:
    """Return the moment of an HTTP date. Raises ``ValueError`` and ``OverflowError``."""
    # Imported here: a desk in this process dates nothing, and this loads the parser of e-mail.
    from email.utils import parsedate_to_datetime

    moment = parsedate_to_datetime(text)
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


def _number(value: str | None) -> int | None:
    # Ten digits hold every count and every second of this century; more is nonsense.
    if value is None or not (value := value.strip()).isascii() or not value.isdigit():
        return None
    return int(value) if len(value) <= 10 else None


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


KEPT_MINUTES = 10
"""For how many whole minutes, and the one that has begun, requests are counted."""


class SentRequest(NamedTuple):
    """A sent request, for a recorder; each try counts.

    ``name`` is the operation's name, or method and path of a raw request. ``status`` is None
    without an answer. ``seconds`` is its duration, ``at`` when it had ended, in seconds since the
    epoch.
    """

    name: str
    method: str
    target: str
    status: int | None
    request_id: str
    seconds: float
    at: float
    asker: Asker


Recorder = Callable[[SentRequest], None]
"""Called after each request; must be quick and must not raise."""


@dataclass(slots=True)
class Count:
    """The requests of one minute that have a name, a screen and a reason in common."""

    asker: Asker
    name: str
    method: str
    last: float = 0.0
    """When the last of them had ended, in seconds since the epoch."""
    seconds: float = 0.0
    """How long all of them took together."""
    statuses: Counter[int | None] = field(default_factory=Counter)
    """How many got which status; None for no answer."""


class RequestTally:
    """Counts requests by minute and kind; its size grows with the kinds, not with the requests."""

    def __init__(self) -> None:
        self._minutes: dict[int, dict[tuple[Asker, str, str], Count]] = {}

    def add(self, sent: SentRequest) -> None:
        """Count a request, and drop the minutes that are too old."""
        minute = int(sent.at // 60)
        if minute not in self._minutes:
            self._minutes[minute] = {}
            for old in [each for each in self._minutes if each < minute - KEPT_MINUTES]:
                del self._minutes[old]
        key = sent.asker, sent.name, sent.method
        count = self._minutes[minute].get(key)
        if count is None:
            count = self._minutes[minute][key] = Count(*key)
        count.last = max(count.last, sent.at)
        count.seconds += sent.seconds
        count.statuses[sent.status] += 1

    def since(self, moment: float) -> Iterator[Count]:
        """Yield the counts whose last request ended after a time (seconds since the epoch)."""
        for counts in self._minutes.values():
            yield from (count for count in counts.values() if count.last >= moment)

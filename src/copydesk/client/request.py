"""Requests from the arguments of a call: path, query and body."""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from enum import Enum
from functools import lru_cache
from inspect import Parameter as Declared
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from copydesk.client.errors import NotFound
from copydesk.contract.models.base import Body, Shape
from copydesk.contract.operation import Operation, Parameter
from copydesk.domain.late_dataclass import dataclass

_PARAMETER = re.compile(r"\{(\w+)\}")

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
"""The methods that the API has."""

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

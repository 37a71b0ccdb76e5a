"""What a request says, read strictly: path, query and body against an operation's signature.

Everything that does not fit is a 400 whose message names where it is and the bound that it breaks
(docs/api-notes.md, Errors). Types are not guessed: ``"7"`` is no number in a body, ``yes`` no
boolean in a query.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NoReturn
from urllib.parse import parse_qsl

from pydantic import ValidationError
from starlette.types import Receive, Scope

from copydesk.contract.models.base import OWN_DESK
from copydesk.contract.operation import Operation, Parameter
from copydesk.domain.late_dataclass import dataclass
from copydesk.server.answer import JSON
from copydesk.server.errors import invalid

BODY_LIMIT = 10 * 1024 * 1024
"""The longest request body in bytes."""

DEPTH_LIMIT = 100
"""How deep the lists and objects of a body may be nested, the outermost one counted."""

MOST_PARTS = 200_000
"""How many names, values and items a body may have: what does not fit takes kilobytes for each."""

INTEGER_LIMIT = 2**63
"""Integers in a body are below this in size: the desk's file keeps 64 bits."""

_NUMBER = re.compile(r"-?[0-9]{1,30}", re.ASCII)
"""What a body is that does not say it."""

JSON_TYPE = re.compile(r"application/(?:[a-z0-9.-]+\+)?json", re.IGNORECASE)
_PYDANTIC_PREFIX = "Value error, "
_KIND = "function-after["
_UNUSUAL = re.compile(r"\\u|[0-9]{18}|[0-9][eE]")
"""What stands in every JSON with a NUL, half a surrogate pair, or a number that is too large."""

_MOST_PROBLEMS = 100
"""So many problems of a body are looked at; there may be one for every byte of it."""

_Problem = tuple[tuple[int | str, ...], str, str]
"""Where pydantic found what kind of problem, and its message."""


def header(scope: Scope, name: bytes) -> str:
    """Return a header of a request, or an empty text."""
    for key, value in scope["headers"]:
        if key == name:
            return str(value, "latin-1")
    return ""


class ClientGoneError(Exception):
    """The connection was closed before a request had come whole."""


async def read_body(scope: Scope, receive: Receive) -> bytes:
    """Return the body of a request, read no further than it may be long.

    Raises a 400 for one that is too long, or that says it is compressed or something else than
    JSON, and ``ClientGoneError`` where the rest of it never comes.
    """
    length = header(scope, b"content-length")
    if length.isdecimal() and int(length[:20]) > BODY_LIMIT:
        raise _too_long()
    parts: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        part = message.get("body", b"")
        more = message.get("more_body", False)
        size += len(part)
        if size > BODY_LIMIT:
            raise _too_long()
        parts.append(part)
    if size:
        declared = (value for name, value in scope["headers"] if name == b"content-type")
        _check_type(next(declared, JSON).decode("latin-1"))
        if header(scope, b"content-encoding").strip().lower() not in ("", "identity"):
            raise invalid("body: send it as it is; one with a Content-Encoding is not read")
    return b"".join(parts)


def read_arguments(
    op: Operation[..., Any], path: Mapping[str, str], query: str, body: bytes
) -> dict[str, Any]:
    """Return the arguments of an operation's handler by their Python names.

    ``path`` are its path parameters, ``query`` is what stands after the question mark. Raises a 400
    for the first part of the request that does not fit.
    """
    arguments = dict(_of_address(op, tuple(path.items()), query))
    if op.body is not None:
        arguments["body"] = _read_json(op.body, body or b"{}")
    return arguments


@lru_cache(maxsize=512)  # the same is read again after every write
def _of_address(
    op: Operation[..., Any], path: tuple[tuple[str, str], ...], query: str
) -> Mapping[str, Any]:
    """Return what the address of a request says; it comes to many requests."""
    of_path, of_query = _plan(op)
    said = dict(path)
    arguments: dict[str, Any] = {
        each.parameter.name: _checked(each, said[each.parameter.name]) for each in of_path
    }
    given: dict[str, list[str]] = {}
    if query:
        for name, value in parse_qsl(query, keep_blank_values=True):
            given.setdefault(name, []).append(value)
    for each in of_query:
        parameter = each.parameter
        raw = given.get(parameter.wire)
        if raw is None:
            if parameter.required:
                raise invalid(f"{each.where}: it is required")
            arguments[parameter.name] = parameter.default
        elif each.repeated:
            arguments[parameter.name] = _checked(each, raw)
        elif len(raw) > 1:
            raise invalid(f"{each.where}: it is given {len(raw)} times, not once")
        else:
            arguments[parameter.name] = _checked(each, raw[0])
    return arguments


@dataclass(frozen=True, slots=True)
class _Read:
    """How a parameter of the address is read.

    ``where`` is what messages call it; ``text`` says whether a text can be its value at all, and
    ``moment`` that the text is a date and time.
    """

    parameter: Parameter
    where: str
    repeated: bool
    text: bool
    moment: bool


@lru_cache(maxsize=512)
def _plan(op: Operation[..., Any]) -> tuple[tuple[_Read, ...], tuple[_Read, ...]]:
    """Return how the path and the query of an operation are read."""
    return (
        tuple(_reading(each, "path parameter") for each in op.path_parameters),
        tuple(_reading(each, "query parameter") for each in op.query_parameters),
    )


def _reading(parameter: Parameter, kind: str) -> _Read:
    core = parameter.adapter.core_schema
    while core["type"] in ("default", "nullable", "function-after"):
        core = core["schema"]
    return _Read(
        parameter,
        f"{kind} {parameter.wire}",
        parameter.repeated,
        text=core["type"] not in ("int", "bool"),
        moment=core["type"] == "datetime",
    )


def _too_long() -> Exception:
    return invalid(f"body: longer than {BODY_LIMIT} bytes")


def _check_type(declared: str) -> None:
    """Raise a 400 for anything but JSON in UTF-8."""
    kind, _, parameters = declared.partition(";")
    if not JSON_TYPE.fullmatch(kind.strip()):
        raise invalid("body: send JSON, with the Content-Type application/json")
    charset = parameters.lower().partition("charset=")[2].strip(' "')
    if charset and charset not in ("utf-8", "utf8"):
        raise invalid("body: JSON is sent in UTF-8; leave out the charset")


def _checked(reading: _Read, raw: str | list[str]) -> Any:
    if "\0" in raw if isinstance(raw, str) else any("\0" in each for each in raw):
        raise invalid(f"{reading.where}: it holds a NUL character")
    validator = reading.parameter.adapter.validator
    literal = _literal(raw)
    if reading.text or literal is None:
        try:
            if reading.moment:
                return reading.parameter.adapter.validate_strings(raw, strict=True)
            return validator.validate_python(raw, strict=True)
        except ValidationError as error:
            if literal is None:
                raise invalid(_explain(reading.where, error)) from None
    try:
        return validator.validate_python(literal, strict=True)
    except ValidationError as error:
        raise invalid(_explain(reading.where, error)) from None


def _literal(raw: str | list[str]) -> bool | int | None:
    """Return the boolean or integer that a text of the address stands for, if any."""
    if raw == "true":
        return True
    if raw == "false":
        return False
    if isinstance(raw, str) and _NUMBER.fullmatch(raw):
        return int(raw)
    return None


def _read_json(parameter: Parameter, body: bytes) -> Any:
    try:
        text = body.decode()
        value = _DECODER.decode(text)
    except UnicodeDecodeError as error:
        raise invalid(f"body: byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        at = f"line {error.lineno}, column {error.colno}"
        raise invalid(f"body: this is not JSON ({error.msg}, {at})") from None
    except ValueError as error:  # from the hooks, and for numbers longer than Python reads
        said = str(error)
        said = "a number is too long" if said.startswith("Exceeds the limit") else said
        raise invalid(f"body: {said}") from None
    except RecursionError:
        raise _too_deep() from None
    nests = text.count("[") + text.count("{") > DEPTH_LIMIT
    if nests or _UNUSUAL.search(text) or text.count(",") >= MOST_PARTS:
        _check_values(value)
    try:
        return parameter.adapter.validate_json(text, strict=True, context=OWN_DESK)
    except ValidationError as error:
        raise invalid(_explain("body", error)) from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name, count in Counter(n for n, _ in pairs).items() if count > 1)
        raise ValueError(f"the name {twice[:100]!r} is written twice in one object")
    return found


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a JSON number")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_no_number)


def _check_values(value: Any) -> None:
    """Refuse what JSON can write and a desk cannot keep, wherever in the body it is."""
    waiting: list[tuple[str, int, Any]] = [("body", 1, value)]
    parts = 0
    while waiting:
        where, depth, each = waiting.pop()
        if isinstance(each, dict | list):
            if depth > DEPTH_LIMIT:
                raise _too_deep()
            parts += len(each)
            if parts > MOST_PARTS:
                raise invalid(f"body: it has more than {MOST_PARTS:,} parts: send it as several")
            inside = each.items() if isinstance(each, dict) else enumerate(each)
            for name, part in inside:
                if isinstance(name, str):
                    _check_text(where, name)
                waiting.append((f"{where}.{name}", depth + 1, part))
        elif isinstance(each, str):
            _check_text(where, each)
        elif isinstance(each, float):
            if not math.isfinite(each):
                raise invalid(f"{where}: the number is too large")
        elif isinstance(each, int) and not -INTEGER_LIMIT <= each < INTEGER_LIMIT:
            raise invalid(f"{where}: the number needs more than 64 bits")


def _check_text(where: str, text: str) -> None:
    if "\0" in text:
        raise invalid(f"{where}: the text holds a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise invalid(f"{where}: the text holds half a surrogate pair") from None


def _too_deep() -> Exception:
    return invalid(f"body: it is nested deeper than {DEPTH_LIMIT} levels")


def _explain(where: str, error: ValidationError) -> str:
    """Return a sentence for each problem with its place, five at most."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    del problems[_MOST_PROBLEMS:]
    sentences: dict[str, None] = {}
    for place, message in _as_meant(
        [(each["loc"], each["type"], each["msg"]) for each in problems]
    ):
        at = "" if where.startswith("query") else ".".join(str(part)[:100] for part in place)
        sentences[f"{where}{'.' if at else ''}{at}: {message.removeprefix(_PYDANTIC_PREFIX)}"] = (
            None
        )
    return "; ".join(list(sentences)[:5])


def _as_meant(problems: list[_Problem]) -> Iterator[tuple[tuple[int | str, ...], str]]:
    """Yield where the problems are and what they are, as one of the kinds that a value may be of.

    Where it may be of several, pydantic names its faults as each of them, and puts the kind into
    the place: ``function-after[…]``. The kind that was meant is the one that it fits best.
    """
    forks = {
        place[:at]
        for place, _, _ in problems
        for at, part in enumerate(place)
        if isinstance(part, str) and part.startswith(_KIND)
    }
    for place, what, message in problems:
        fork = next((place[:at] for at in range(len(place)) if place[:at] in forks), None)
        if fork is None:
            yield place, message
            continue
        at = len(fork)
        kinds: dict[int | str, list[_Problem]] = {}
        for other in problems:
            if other[0][:at] == fork and len(other[0]) > at:
                kinds.setdefault(other[0][at], []).append(other)
        least = min(_misfit(each, at) for each in kinds.values())
        best = [each for each in kinds.values() if _misfit(each, at) == least]
        mine = kinds[place[at]]
        if mine not in best:
            continue
        named = [str(each[0][0][-1]) for each in best if len(each) == 1]
        if len(named) > 1 and all(each[0][1] == what for each in best):
            if what == "missing":
                yield fork, f"It needs {' or '.join(named)}"
                continue
            if what == "extra_forbidden":
                yield fork, f"It takes either {' or '.join(sorted(named))}"
                continue
        inside = [(problem[0][at + 1 :], *problem[1:]) for problem in mine if problem[0] == place]
        for rest, text in _as_meant(inside):
            yield (*fork, *rest), text


def _misfit(problems: list[_Problem], at: int) -> int:
    """Return how little a value is of a kind, by its problems: 0 is that only bounds are broken."""
    if any(what.endswith("_type") and len(place) == at + 1 for place, what, _ in problems):
        return 100
    return sum(what in ("missing", "extra_forbidden") for _, what, _ in problems)

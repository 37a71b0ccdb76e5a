"""``copydesk api``: any request to the service, for scripts.

The path is sent as it was given, whether this version knows such an operation or not. It goes to
the service that was chosen and nowhere else, with its token, which is never printed.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, get_args
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from copydesk.cli.connection import OWN, Service
from copydesk.cli.errors import DONE, FAILED, UsageError
from copydesk.cli.given_file import named, read_bytes
from copydesk.cli.output import plain_json, put, put_bytes, put_json
from copydesk.cli.terminal import is_terminal
from copydesk.domain.json_display import json_text
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, shorten

if TYPE_CHECKING:
    from copydesk.client.api import Api

_SAFE = "%/?&=:@!$'()*+,;~[]"
"""Beside letters, digits and ``-._``, what stays as it is in a path that was typed."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
"""How an address begins; in a query there may be another one."""

_LONGEST = 80


def send_request(
    *,
    method: str,
    path: str,
    fields: Sequence[GivenField] = (),
    body: str | None = None,
    paginate: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Send one request and print its answer; with ``paginate`` the items of every page of a list.

    ``body`` is a file with the body as JSON ("-": standard input). ``as_json`` prints one JSON
    value in any case: null where an answer has no body, one list for all pages.

    Raises ``UsageError`` for a request that cannot be sent; nothing was sent then.
    """
    method = _method(method)
    reads = method == "GET"
    if body is not None and reads:
        raise UsageError("--input: a GET has no body. Its query is given with -f, or in the path.")
    if paginate and not reads:
        raise UsageError("--paginate reads a list: use it with GET only")
    given = None if body is None else _body(body)
    in_query = reads or given is not None
    pairs = query_of(fields) if in_query else []
    if not in_query and fields:
        given = json.dumps(body_of(fields)).encode()
    connection = service.connection(writes=not reads)

    async def run(api: Api) -> int:
        target = _target(path, api.base_url, pairs)
        if paginate:
            return await _all_pages(api, target, as_json=as_json)
        if reads:
            _answer((await _raw(api, method, target)).content, as_json=as_json)
            return DONE
        from copydesk.cli.writes import CommandWrites

        async with CommandWrites(connection, api) as writes:
            answer = await writes.perform(
                method, target.partition("?")[0], lambda: _raw(api, method, target, given)
            )
        _answer(answer.content, as_json=as_json)
        return DONE

    return connection.run(run)


def _method(given: str) -> str:
    from copydesk.contract.operation import Method

    known = get_args(Method)
    if given.upper() not in known:
        said = shorten(clean(given), _LONGEST)
        raise UsageError(
            f"{said} is not a method: write one of {', '.join(known)}, then the path, as in "
            "copydesk api GET /orgs"
        )
    return given.upper()


def _body(name: str) -> bytes:
    """Return the body that a file holds, which has to be JSON."""
    from copydesk.domain.json_text import place_of

    where = named(name)
    try:
        text = read_bytes(name).decode("utf-8-sig")
        _loaded(text)
    except json.JSONDecodeError as error:
        line, column = place_of(text, error.pos)
        raise UsageError(f"{where}, line {line}, column {column}: {error.msg}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{where} is not UTF-8 text") from error
    except OSError as error:
        raise UsageError(f"{where} cannot be read: {error.strerror or error}") from error
    except RecursionError as error:
        raise UsageError(f"{where} has more lists in lists than can be read") from error
    except ValueError as error:
        raise UsageError(f"{where} is not JSON: {error}") from error
    return text.encode()


def _loaded(text: str | bytes) -> Any:
    """Read JSON. Raises ``ValueError`` for other text, and for numbers that are too large."""

    def number(digits: str) -> float:
        value = float(digits)
        if not math.isfinite(value):
            raise ValueError(f"{digits} is too large a number")
        return value

    def constant(word: str) -> float:
        raise ValueError(f"{word} is not a JSON value")

    return json.loads(text, parse_float=number, parse_constant=constant)


def _target(path: str, base_url: str, pairs: Sequence[tuple[str, str]]) -> str:
    """Return the path with its query, from ``/v1`` on.

    Raises ``UsageError`` for an address of another service: the token is not sent there.
    """
    text = path.strip()
    if _ADDRESS.match(text):
        wanted, own = _origin(text), _origin(base_url)
        prefix = urlsplit(base_url).path.rstrip("/")
        there = urlsplit(text)
        if wanted is None or wanted != own or not f"{there.path}/".startswith(f"{prefix}/"):
            raise UsageError(
                f"{shorten(clean(text), _LONGEST)} is not of {base_url}, which is asked here; "
                "another service is named with --base-url"
            )
        text = there.path.removeprefix(prefix) + (f"?{there.query}" if there.query else "")
    text = quote(text, safe=_SAFE)
    if not text.startswith("/"):
        text = f"/{text}"
    bare = text.partition("?")[0]
    if bare != "/v1" and not bare.startswith("/v1/"):
        text = f"/v1{text}"
    if pairs:
        text += ("&" if "?" in text else "?") + urlencode(pairs, quote_via=quote)
    return text


def _origin(address: str) -> tuple[str, str, int | None] | None:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    if "@" in parts.netloc or not parts.hostname:
        return None
    usual = {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, port if port is not None else usual


async def _raw(api: Api, method: str, target: str, body: bytes | None = None) -> Any:
    try:
        return await api.raw(method, target, body=body)
    except ValueError as error:  # the path is none
        raise UsageError(str(error)) from error


async def _all_pages(api: Api, target: str, *, as_json: bool) -> int:
    """Print the items of all pages: one a line as they come, or as one list at the end."""
    from copydesk.client.api import MOST_PAGES, PageGuard
    from copydesk.client.errors import Garbled

    path, _, query = target.partition("?")
    fixed = [pair for pair in parse_qsl(query, keep_blank_values=True) if pair[0] != "page"]
    token: str | None = dict(parse_qsl(query)).get("page")
    kept: list[Any] = []
    guard, read = PageGuard(f"GET {path}", MOST_PAGES), 0
    while True:
        pairs = [*fixed, *([("page", token)] if token is not None else [])]
        asked = f"{path}?{urlencode(pairs, quote_via=quote)}" if pairs else path
        content = (await _raw(api, "GET", asked)).content
        value = _value(content)
        if not isinstance(value, dict) or not isinstance(value.get("items"), list):
            if read:
                raise Garbled("a page of the list is not a list", operation=f"GET {path}")
            _answer(content, as_json=as_json)  # no list: there are no pages of it
            return DONE
        if as_json:
            kept += value["items"]
        else:
            for item in value["items"]:
                put(plain_json(item))
        following = value.get("next")
        token = following.get("page") if isinstance(following, dict) else None
        if not isinstance(token, str):
            break
        guard.check(value["items"], token)
        read += 1
    if as_json:
        put_json(kept)
    return DONE


def _value(content: bytes) -> Any:
    try:
        return _loaded(content)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the answer is not JSON: {error}", FAILED) from error


def _answer(content: bytes, *, as_json: bool) -> None:
    """Print an answer: byte by byte for a script, laid out and made safe on a terminal."""
    if not content.strip():
        if as_json:
            put("null")
        return
    if as_json:
        _value(content)
    if not is_terminal(sys.stdout):
        put_bytes(content)
        return
    try:
        put(json_text(_loaded(content)))
    except (ValueError, RecursionError):
        put(content.decode(errors="replace"))


MOST_PARTS = 32
"""How deep a field may reach into others."""


_KEY = re.compile(r"(?P<name>[^\[\]]+)(?P<rest>(?:\[[^\[\]]*\])*)")


_WHOLE_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,18})")


_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


@dataclass(frozen=True, slots=True)
class GivenField:
    """A field as it was typed. A ``typed`` one says numbers, true, false, null, and @files."""

    text: str
    typed: bool = False


class _Empty:
    """What ``a[]`` alone is given: nothing, in a list."""


def query_of(fields: Iterable[GivenField]) -> list[tuple[str, str]]:
    """Return fields as parts of a query; those of ``a[]`` repeat the name (the API's arrays).

    Raises ``UsageError`` for a field that cannot be there.
    """
    pairs: list[tuple[str, str]] = []
    for field in fields:
        key, sign, value = field.text.partition("=")
        if not sign:
            raise UsageError(f"-f {field.text}: in a query it takes a value: {key or 'key'}=value")
        parts = _parts(key, field)
        if len(parts) > 1 and parts[1:] != [""]:
            raise UsageError(f"-f {key}: a query has no fields inside of others")
        reads = field.typed and value.startswith("@")
        pairs.append((parts[0], _read(value[1:], field) if reads else value))
    return pairs


def body_of(fields: Iterable[GivenField]) -> dict[str, Any]:
    """Return the JSON object that fields make. Raises ``UsageError`` for those that make none."""
    body: dict[str, Any] = {}
    for field in fields:
        key, sign, text = field.text.partition("=")
        parts = _parts(key, field)
        value: Any = text
        if not sign:
            if parts[-1] != "" or len(parts) == 1:
                raise UsageError(f"-f {field.text}: it takes a value: {key or 'key'}=value")
            value = _Empty()
        elif field.typed:
            value = _typed(text, field)
        _put(body, parts, value, key)
    return body


def _parts(key: str, field: GivenField) -> list[str]:
    found = _KEY.fullmatch(key)
    if found is None:
        raise UsageError(f"-f {field.text}: {key!r} is not a name: write a=1, a[b]=1 or a[]=1")
    inside = re.findall(r"\[([^\[\]]*)\]", found["rest"])
    if len(inside) > MOST_PARTS:
        raise UsageError(f"-f {found['name']}…: it reaches more than {MOST_PARTS} deep")
    return [found["name"], *inside]


def _typed(text: str, field: GivenField) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE_NUMBER.fullmatch(text):
        return int(text)
    return _read(text[1:], field) if text.startswith("@") else text


def _read(name: str, field: GivenField) -> str:
    try:
        return read_bytes(name).decode()
    except UnicodeDecodeError as error:
        raise UsageError(f"-F {field.text}: {name} is not UTF-8 text") from error
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"-F {field.text}: {name} cannot be read: {said}") from error


def _put(into: dict[str, Any], parts: Sequence[str], value: Any, key: str) -> None:
    """Put a value where the parts of a key lead."""
    name, *rest = parts
    if not rest:
        if name in into:
            raise UsageError(f"-f {key} is given twice; {key}[]=… makes a list")
        into[name] = value
        return
    wanted = list if rest[0] == "" else dict
    there = into.setdefault(name, wanted())
    if type(there) is not wanted:
        raise UsageError(f"-f {key}: {name} has another type already")
    if isinstance(there, dict):
        _put(there, rest, value, key)
        return
    more = rest[1:]
    if not more:
        if not isinstance(value, _Empty):
            there.append(value)
        return
    if more[0] == "":
        raise UsageError(f"-f {key}: there are no lists right inside of lists")
    if not there or not isinstance(there[-1], dict) or _taken(there[-1], more):
        there.append({})
    _put(there[-1], more, value, key)


def _taken(item: dict[str, Any], parts: Sequence[str]) -> bool:
    """Whether an item has a member already, so that another item begins."""
    if parts[0] not in item:
        return False
    inside = item[parts[0]]
    if len(parts) == 1:
        return True
    return isinstance(inside, dict) and parts[1] != "" and _taken(inside, parts[1:])

"""A service whose every text is hostile, for the screens and for the commands.

    api = Api(BASE_URL, token, transport=HostileTransport(world.app))
    server.plan = hostile       # over TCP, for `tests.faulty`
    api = Api(BASE_URL, token, transport=httpx.MockTransport(Made().answer))

Each text of an answer, each id and each message of an error, is followed by everything that could
harm a terminal or who reads it (`POISON`). In requests that is taken off again, so that the desk
knows its ids; so a program that loses a character of an id is found out as well. `Made` has no
desk behind it: it answers every operation of the catalogue with all that the models of its answer
declare, so that nothing is safe because no sample has it.
"""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any
from urllib.parse import quote

import httpx

from copydesk.contract.operations import CATALOGUE
from tests.contract.odd import answer_with
from tests.faulty import Asked, Fault, Line, Said

POISON = (
    "\x1b[2J\x1b]0;owned\x07\x1b]52;c;ZXZpbA==\x07\x1b]8;;http://evil.example\x1b\\x\x1b]8;;\x1b\\"
    "\x9b31m\x9d0;owned\x9c\x1bPq\x1b\\\x1bc\x05\x00\x07\x08\x7f\x85"
    "[red]m[/red][@click=app.quit]q[/][/][link=file:///etc/passwd]l[/link]\\[b"
    "\u202egnp.exe\u202c\u2066i\u2069\u200b\u200d\u2060\ufeff\u00ad\u180e\ufff9\u3164"
    "\r\n\t\v\f\x1c\u2028\u2029"
    "e" + "\u0301" * 60 + "\u20dd" * 9 + "\U000e0041\U0001f3f4\U000e0067\ufe0f"
    "漢字🧵\ud800\ud83d ../../../../../etc/owned%2e%2e%2f\\..\\x `$(id)`; {0} %s {{x}} "
)
"""Escapes, markup, directions, what has no width, heaps of accents, paths, halves of characters."""

RETURNED = re.sub("[\ud800-\udfff]", "\ufffd", POISON)
"""What comes back of it: a half of a character is no character, and cannot be sent."""

FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\U000e0000-\U000e0fff]"
    "|[\u0300-\u036f\u20d0-\u20ff]{7}"
)
"""What no cell of a terminal may hold."""

KEPT = frozenset(
    {
        "object", "type", "kind", "status", "role", "level", "visibility", "result", "edition",
        "page",
    }
)  # fmt: skip
"""Names under which an answer says what it is: without them no place would show anything of it."""

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
_QUOTED = quote(RETURNED, safe="")


def poisoned(value: Any, poison: str = POISON, kept: frozenset[str] = KEPT) -> Any:
    """Return JSON with poison behind each text but those of the names that are ``kept``."""
    match value:
        case dict():
            return {
                key: each if key in kept and isinstance(each, str) else poisoned(each, poison, kept)
                for key, each in value.items()
            }
        case list():
            return [poisoned(each, poison, kept) for each in value]
        case str() if not _MOMENT.fullmatch(value):
            return value + poison
        case _:
            return value


def poisoned_body(body: bytes, poison: str = POISON, kept: frozenset[str] = KEPT) -> bytes:
    """Return the body of an answer with poison behind each text, if it is JSON."""
    try:
        value = json.loads(body)
    except ValueError:
        return body
    return json.dumps(poisoned(value, poison, kept)).encode()


def cured(text: str) -> str:
    """Return a target, or JSON, of a request without the poison in it."""
    return text.replace(_QUOTED, "").replace(json.dumps(RETURNED, ensure_ascii=False)[1:-1], "")


class HostileTransport(httpx.ASGITransport):
    """The way to a desk, on which each text of an answer is poisoned."""

    poison = POISON

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Ask the desk for what is meant; answer with more than it says."""
        target = cured(request.url.raw_path.decode())
        request.url = request.url.copy_with(raw_path=target.encode())
        content = cured(await _content(request)).encode()
        request.stream = httpx.ByteStream(content)
        request.headers["content-length"] = str(len(content))
        answer = await super().handle_async_request(request)
        body = poisoned_body(await answer.aread(), self.poison)
        return httpx.Response(answer.status_code, content=body)


async def _content(request: httpx.Request) -> str:
    return (await request.aread()).decode()


async def _give(line: Line, said: Said, asked: Asked) -> None:
    said.body = poisoned_body(said.body, kept=KEPT | {"id", "urls"})
    said.headers["Content-Length"] = str(len(said.body))
    await line.answer(said)


_HOSTILE = Fault("each text hostile", _give)


def hostile(asked: Asked) -> Fault:
    """Do the same over TCP, as a plan of `tests.faulty`; ids of things stay as they are, so that a
    command can name them.
    """
    asked.target = cured(asked.target)
    asked.body = cured(asked.body.decode()).encode()
    return _HOSTILE


class Made:
    """A service that answers each operation with all that its models declare, poisoned.

    Only texts under the names that are ``kept`` are what the contract says. Which of the values of
    an enumeration comes goes by ``seed``; the same request has the same answer.
    """

    def __init__(self, kept: frozenset[str] = KEPT, seed: int = 0) -> None:
        self._ways = [(op, re.compile(_pattern(op.wire_path))) for op in CATALOGUE.values()]
        self._kept = kept
        self._seed = seed
        self.asked: set[str] = set()
        """The names of the operations that were answered."""

    def answer(self, request: httpx.Request) -> httpx.Response:
        """Answer a request; what no operation is called so is not there, in hostile words."""
        path = request.url.raw_path.decode().partition("?")[0]
        # The longest pattern knows most of the path.
        for op, pattern in sorted(self._ways, key=lambda way: -len(way[1].pattern)):
            if op.method == request.method and pattern.fullmatch(path):
                self.asked.add(op.name)
                value = answer_with(op, Random(f"{self._seed} {path}").choice)
                if isinstance(value, dict) and isinstance(value.get("items"), list):
                    value = {**value, "next": None}  # or the list would have no end
                body = json.dumps(poisoned(value, kept=self._kept))
                return httpx.Response(op.status, content=b"" if value is None else body)
        error = {"error": {"code": 404, "message": POISON}}
        return httpx.Response(404, content=json.dumps(error))


def _pattern(path: str) -> str:
    parts = re.split(r"\{\w+\}", path)
    return "[^/]+".join(re.escape(part) for part in parts)

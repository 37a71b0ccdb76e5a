"""The ways in which `tests.faulty` fails: one constant or maker for each, and `ALL` of them."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, timedelta
from email.utils import format_datetime, parsedate_to_datetime
from functools import cache
from typing import Any

from tests.faulty import AGAIN, Asked, Fault, Line, Said

PAUSE = 0.002
"""Seconds between two pieces of an answer that drips."""

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


# The connection


async def _reset(line: Line, said: Said, asked: Asked) -> None:
    line.reset()


async def _end(line: Line, said: Said, asked: Asked) -> None:
    line.end()


async def _hang(line: Line, said: Said, asked: Asked) -> None:
    await line.wait()


RESET_UNREAD = Fault("reset, the change request lost", _reset, arrives=False)
RESET_UNANSWERED = Fault("reset, the answer lost", _reset)
CLOSED_UNREAD = Fault("closed, the change request lost", _end, arrives=False)
CLOSED_UNANSWERED = Fault("closed, the answer lost", _end)
HANG_UNREAD = Fault("no answer, the change request lost", _hang, arrives=False)
HANG_UNANSWERED = Fault("no answer, the change request done", _hang)


def delay(seconds: float) -> Fault:
    """Answer well, and late."""

    async def give(line: Line, said: Said, asked: Asked) -> None:
        await asyncio.sleep(seconds)
        await line.answer(said)

    return Fault(f"{seconds} s late", give)


def _cut(where: Callable[[Said], int], how: Callable[[Line], Awaitable[None]]) -> Any:
    async def give(line: Line, said: Said, asked: Asked) -> None:
        await line.say((said.head() + said.body)[: where(said)])
        # Else a reset overtakes what was written.
        await asyncio.sleep(PAUSE)
        await how(line)

    return give


async def _resets(line: Line) -> None:
    line.reset()


async def _ends(line: Line) -> None:
    line.end()


async def _stalls(line: Line) -> None:
    await line.wait()


def _mid_headers(said: Said) -> int:
    return len(said.head()) // 2


def _mid_body(said: Said) -> int:
    # An answer without a body is cut in its last blank line.
    return len(said.head()) + (len(said.body) // 2 if len(said.body) > 1 else -1)


RESET_MID_HEADERS = Fault("reset in the headers", _cut(_mid_headers, _resets))
RESET_MID_BODY = Fault("reset in the body", _cut(_mid_body, _resets))
CLOSED_MID_HEADERS = Fault("closed in the headers", _cut(_mid_headers, _ends))
CLOSED_MID_BODY = Fault("closed in the body", _cut(_mid_body, _ends))
STALLED_MID_BODY = Fault("stalled in the body", _cut(_mid_body, _stalls))


async def _drip(line: Line, said: Said, asked: Asked) -> None:
    data = said.head() + said.body
    size = len(data) // 30 + 1
    for at in range(0, len(data), size):
        await line.say(data[at : at + size])
        await asyncio.sleep(PAUSE)


async def _drip_for_ever(line: Line, said: Said, asked: Asked) -> None:
    await line.say(replace(said, headers=_chunked(said)).head())
    while True:
        await line.say(b"1\r\n \r\n")
        await asyncio.sleep(PAUSE)


async def _continue_for_ever(line: Line, said: Said, asked: Asked) -> None:
    while True:
        await line.say(b"HTTP/1.1 102 Processing\r\n\r\n")
        await asyncio.sleep(PAUSE)


def _chunked(said: Said) -> dict[str, str]:
    kept = {name: value for name, value in said.headers.items() if name != "Content-Length"}
    return {**kept, "Transfer-Encoding": "chunked"}


DRIP = Fault("a slow drip", _drip)
ENDLESS_DRIP = Fault("a drip without end", _drip_for_ever)
ENDLESS_PROCESSING = Fault("still processing, for ever", _continue_for_ever)


# Refusals


def refusal(
    status: int, *, arrives: bool = False, body: bytes | None = None, **headers: str
) -> Fault:
    """Answer with a status and headers (``Retry_After="1"``) and the error body of the API."""
    said = json.dumps({"error": {"code": status, "message": f"No ({status})."}}).encode()
    content = said if body is None else body

    async def give(line: Line, was: Said, asked: Asked) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        kept = {
            "Content-Type": "application/json",
            "Date": was.headers["Date"],
            "Content-Length": str(len(content)),
        }
        await line.answer(Said(status, {**kept, **named}, content))

    told = "".join(f" {name}={value}" for name, value in headers.items())
    return Fault(f"{status}{', the change request done' if arrives else ''}{told}", give, arrives)


LIMITED = refusal(429)
LIMITED_BRIEFLY = refusal(429, Retry_After="0")
LIMITED_LONG = refusal(429, Retry_After="3600", X_RateLimit_Limit="100", X_RateLimit_Remaining="0")
LIMITED_ODDLY = refusal(429, Retry_After="-1e999", X_RateLimit_Reset="soon")
SERVER_ERROR = refusal(500)
SERVER_ERROR_AFTER = refusal(500, arrives=True)
BAD_GATEWAY = refusal(502, body=b"<html><h1>Bad gateway</h1></html>")
BAD_GATEWAY_AFTER = refusal(502, arrives=True, body=b"<html><h1>Bad gateway</h1></html>")
UNAVAILABLE = refusal(503)
UNAVAILABLE_A_WHILE = refusal(503, Retry_After="3600")
GATEWAY_TIMEOUT = refusal(504, arrives=True, body=b"")
UNAUTHORIZED = refusal(401)
FORBIDDEN = refusal(403)
GONE = refusal(404)
CONFLICT = refusal(409)
BLOCKED = refusal(412)
TEAPOT = refusal(418)
MOVED = refusal(302, Location="http://127.0.0.1:1/elsewhere")
PROXY_LOGIN = refusal(407, body=b"<html><h1>Who are you?</h1></html>")
NETWORK_LOGIN = refusal(511, body=b"<html><h1>Welcome to the Wi-Fi</h1></html>")
STRANGE_STATUS = refusal(799)


# Answers that are no answers


def _said(name: str, change: Callable[[Said, Asked], Said], *, keep_length: bool = False) -> Fault:
    async def give(line: Line, said: Said, asked: Asked) -> None:
        other = change(said, asked)
        if not keep_length and "Content-Length" in other.headers:
            other.headers["Content-Length"] = str(len(other.body))
        await line.answer(other)

    return Fault(name, give)


def _raw(name: str, data: Callable[[Said], bytes]) -> Fault:
    async def give(line: Line, said: Said, asked: Asked) -> None:
        await line.say(data(said))
        await asyncio.sleep(PAUSE)
        line.end()

    return Fault(name, give)


def _body(name: str, change: Callable[[bytes], bytes]) -> Fault:
    return _said(name, lambda said, asked: replace(said, body=change(said.body)))


def _headers(name: str, *, keep_length: bool = False, **headers: str) -> Fault:
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return _said(
        name,
        lambda said, asked: replace(said, headers={**said.headers, **named}),
        keep_length=keep_length,
    )


TRUNCATED_JSON = _body("truncated JSON", lambda body: body[: len(body) // 2])
EMPTY_BODY = _body("an empty body", lambda body: b"")
HTML = _body("a page of HTML", lambda body: b"<!doctype html><title>Sign in to the Wi-Fi</title>")
OTHER_JSON = _body("other JSON", lambda body: b'{"hello": [1, null, "\\ud800"]}')
NULL = _body("null", lambda body: b"null")
LIST = _body("a list", lambda body: b"[[]]")
DEEP_JSON = _body("deep JSON", lambda body: b"[" * 100_000)
HUGE_NUMBER = _body("a huge number", lambda body: b"9" * 100_000)
BROKEN_UTF8 = _body("broken UTF-8", lambda body: body.replace(b'"', b'"\xff\xfe', 4))
UTF16 = _body("UTF-16", lambda body: body.decode().encode("utf-16"))
WRONG_ENCODING = _headers("no gzip that is called so", Content_Encoding="gzip")
STRANGE_ENCODING = _headers("an encoding unheard of", Content_Encoding="zopfli")
WRONG_TYPE = _headers("another media type", Content_Type="text/plain; charset=klingon")
LENGTH_TOO_LONG = _headers("a length too long", keep_length=True, Content_Length="9999999")
LENGTH_TOO_SHORT = _headers("a length too short", keep_length=True, Content_Length="1")
LENGTH_NONSENSE = _headers("a length that is none", keep_length=True, Content_Length="many")
BROKEN_HEADER = _raw("a broken header", lambda said: b"HTTP/1.1 200 OK\r\nno colon\x00\r\n\r\n{}")
MANY_HEADERS = _raw(
    "headers without end", lambda said: b"HTTP/1.1 200 OK\r\n" + b"X-More: more\r\n" * 20_000
)
NO_HTTP = _raw("no HTTP at all", lambda said: b"SSH-2.0-OpenSSH_9.6\r\n" + said.body)
CHUNK_NONSENSE = _raw(
    "chunks of nonsense",
    lambda said: replace(said, headers=_chunked(said)).head() + b"zz\r\nwhat\r\n-1\r\n",
)
CHUNKS_CUT = _raw(
    "chunks that break off",
    lambda said: (
        replace(said, headers=_chunked(said)).head() + b"%x\r\n" % (len(said.body) + 10) + said.body
    ),
)


@cache
def _bomb() -> bytes:
    return gzip.compress(bytes(80 * 1024 * 1024), 1)


async def _huge(line: Line, said: Said, asked: Asked) -> None:
    body = _bomb()
    headers = {"Content-Encoding": "gzip", "Content-Length": str(len(body))}
    await line.answer(Said(said.status, {**said.headers, **headers}, body))


HUGE_BODY = Fault("80 MiB in a small parcel", _huge)


def _changed_json(name: str, change: Callable[[Any, random.Random], Any]) -> Fault:
    """Answer with changed JSON; by chance, but the same for the same number of the request."""

    def change_body(said: Said, asked: Asked) -> Said:
        try:
            value = json.loads(said.body)
        except ValueError:
            return said
        return replace(said, body=json.dumps(change(value, random.Random(asked.number))).encode())

    return _said(name, change_body)


_OTHERS: tuple[Any, ...] = (None, True, -1, 1e300, "", "x\x1b[31m\u202e", [], {}, [{}], {"id": 5})


def _wrong(value: Any) -> Any:
    match value:
        case dict():
            return {key: _wrong(each) for key, each in value.items()}
        case list():
            return {"0": [_wrong(each) for each in value]}
        case str():
            return len(value)
        case bool() | None:
            return "yes"
        case _:
            return [str(value)]


def _mangled(value: Any, chance: random.Random) -> Any:
    """Return JSON with one thing in it, at any depth, put in another's place or taken out."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(list(value))
        if chance.random() < 0.1:
            return {name: each for name, each in value.items() if name != key}
        return {**value, key: _mangled(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.85:
        at = chance.randrange(len(value))
        if chance.random() < 0.1:
            return [*value, value[at]]
        return [*value[:at], _mangled(value[at], chance), *value[at + 1 :]]
    return chance.choice(_OTHERS)


WRONG_TYPES = _changed_json("wrong types everywhere", lambda value, chance: _wrong(value))
MANGLED = _changed_json("one thing of a wrong type", _mangled)


# Lists without end


def _list(name: str, token: Callable[[Asked], str], *, items: bool = True) -> Fault:
    def change(said: Said, asked: Asked) -> Said:
        try:
            value = json.loads(said.body)
        except ValueError:
            return said
        if not isinstance(value, dict) or "items" not in value:
            return said
        value["next"] = {"page": AGAIN + token(asked)}
        if not items:
            value["items"] = []
        return replace(said, body=json.dumps(value).encode())

    return _said(name, change)


ENDLESS_PAGES = _list("the same page under ever new names", lambda asked: str(asked.number))
ENDLESS_EMPTY_PAGES = _list("empty pages", lambda asked: str(asked.number), items=False)
SAME_TOKEN = _list("a page that is its own next", lambda asked: "same")


# Clocks


def skew(by: timedelta) -> Fault:
    """Answer with a clock that goes wrong: the ``Date`` header and every time of an answer."""

    def later(found: re.Match[str]) -> str:
        try:
            moment = datetime.fromisoformat(found[0]) + by
        except (ValueError, OverflowError):
            return found[0]
        return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def change(said: Said, asked: Asked) -> Said:
        date = parsedate_to_datetime(said.headers["Date"]) + by
        headers = {**said.headers, "Date": format_datetime(date, usegmt=True)}
        return replace(said, headers=headers, body=_MOMENT.sub(later, said.body.decode()).encode())

    return _said(f"a clock {by} ahead", change)


CLOCK_AHEAD = skew(timedelta(days=400))
CLOCK_BEHIND = skew(timedelta(days=-20_000))
CLOCK_NONSENSE = _headers("a date that is none", Date="yesterday")


GOOD = (DRIP, delay(0.02), CLOCK_AHEAD, CLOCK_BEHIND, CLOCK_NONSENSE, WRONG_TYPE)
"""What is slow or odd and yet an answer."""

ENDLESS = (ENDLESS_PAGES, ENDLESS_EMPTY_PAGES, SAME_TOKEN)
"""Good answers, one by one; lists that have no end."""

HANGS = (HANG_UNREAD, HANG_UNANSWERED, STALLED_MID_BODY, ENDLESS_DRIP, ENDLESS_PROCESSING)
"""What ends by a time-out."""

ALL: tuple[Fault, ...] = (
    *(each for each in globals().values() if isinstance(each, Fault)),
    delay(0.02),
)
"""Every fault."""

QUICK = tuple(each for each in ALL if each not in HANGS and each is not HUGE_BODY)
"""Those that cost no time, to be met by chance."""

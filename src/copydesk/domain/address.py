"""Addresses of the application and of share links, read leniently: from the browser to the desk."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import parse_qs, quote, unquote, urlsplit, urlunsplit

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean

LONGEST = 2048
"""Characters of an address that are read."""

PATH_RULE = "only letters, digits, '-', '_', '.' and '~', with a letter, digit or '_' first"
"""What one part of a path in a published address is made of."""

PATH_PART = re.compile(r"\w[\w.~-]*")
_ID = re.compile(r"[\w-]+", re.ASCII)
_NAME = re.compile(r"[\w.-]+", re.ASCII)

_HOST = re.compile(r"[\w.-]+|[0-9a-f:.]+")
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_IN_ADDRESS = "%/:?@!$&()*+,;=~"
"""Beside letters and digits, what stays as it is behind the host."""

APP = "/app"
"""Where the application is on a desk."""

_PLACES = {"o": "organization", "s": "space", "sites": "site", "site": "site"}
"""Path segments that are followed by an id."""

_OF_ORGANIZATION = {"c": "collection", "openapi": "spec", "integrations": "integration"}
"""Path segments that are followed by an id or a name, below an organization."""

_MODES = {"changes": "change_request", "revisions": "revision", "comments": "comment"}
"""What follows ``~`` with an id; any other word there is a way of looking, such as ``edit``."""


def is_mark(character: str) -> bool:
    """Whether it is a mark, as a vowel of Hindi or Thai behind its letter; that is no letter."""
    return unicodedata.category(character) in ("Mn", "Mc")


def is_path_part(text: str) -> bool:
    """Whether a text can be one part of the path of a published address (see `PATH_RULE`)."""
    bare = "".join(each for each in text if not is_mark(each))
    return text[:1] == bare[:1] and clean(text) == text and PATH_PART.fullmatch(bare) is not None


@dataclass(frozen=True, slots=True)
class Address:
    """What an address points at; None where it does not say.

    ``change_request`` is a number or an id, the API takes both. ``page`` is the path of a page in
    its space, without a slash at either end. ``spec`` is a slug, ``integration`` a name.
    """

    organization: str | None = None
    space: str | None = None
    change_request: str | None = None
    revision: str | None = None
    comment: str | None = None
    site: str | None = None
    page: str | None = None
    collection: str | None = None
    spec: str | None = None
    integration: str | None = None
    installation: str | None = None


def parse_app_url(url: str) -> Address | None:
    """Return what an address of the application points at, or None when it names nothing known.

    Any host is taken, and none: ``app.example.com/o/acme/s/guide/~/changes/118/limits``. Unknown
    parts are left out.
    """
    found: dict[str, str] = {}
    page: list[str] = []
    segments = _segments(url)
    place = 0
    while place < len(segments):
        word = segments[place]
        following = segments[place + 1] if place + 1 < len(segments) else ""
        named = _ID.fullmatch(following) is not None
        if word == "~":
            # The mode after it, and the mode's id where there is one.
            mode = _MODES.get(following)
            value = segments[place + 2] if place + 2 < len(segments) else ""
            if mode and _ID.fullmatch(value):
                found[mode] = value
                place += 1
            place += 2
        elif word in _PLACES and named and "space" not in found:
            found[_PLACES[word]] = following
            place += 2
        elif word in _OF_ORGANIZATION and found.keys() == {"organization"} and _is_name(following):
            found[_OF_ORGANIZATION[word]] = following
            place += 2
        elif word == "installations" and "integration" in found and named:
            found["installation"] = following
            place += 2
        else:
            # Before the space is known, a segment is a place of the application that we lack.
            if "space" in found:
                page.append(word)
            place += 1
    if page:
        found["page"] = "/".join(page)
    if not found.keys() & {"organization", "space", "site"}:
        return None
    return Address(**found)


def web_address(url: str | None) -> str:
    """Return an address of the web as it may be opened, copied and pasted; empty when it is none.

    Addresses come from a service and hold ids and titles of strangers. Only http and https with a
    plain host pass, without a user before the host, which makes one look like another. Blanks,
    quotes and other characters that no address may hold are quoted, so that it ends where it seems
    to.
    """
    text = clean(url or "", limit=LONGEST + 1).strip()
    if not text or len(text) > LONGEST:
        return ""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not host or "@" in parts.netloc:
        return ""
    if _HOST.fullmatch(host) is None:
        return ""
    if ":" in host:
        host = f"[{host}]"
    rest = [_STRAY_PERCENT.sub("%25", part) for part in (parts.path, parts.query, parts.fragment)]
    path, query, fragment = (quote(part, safe=_IN_ADDRESS) for part in rest)
    where = host if port is None else f"{host}:{port}"
    return urlunsplit((parts.scheme, where, path, query, fragment))


def is_unserved(url: str) -> bool:
    """Whether an address is of a desk in the process: its name can never be looked up."""
    return (urlsplit(url).hostname or "").endswith(".invalid")


def shown_at(*urls: str | None) -> str:
    """Return the first of some addresses that a browser can open, else the first of them."""
    found = [url for each in urls if (url := web_address(each))]
    return next((url for url in found if not is_unserved(url)), found[0] if found else "")


def markdown_link(title: str, url: str) -> str:
    """Return a Markdown link that no title and no address can break out of."""
    shown = re.sub(r"([\\\[\]`*_<>])", r"\\\1", title)
    return f"[{shown}]({url.replace('(', '%28').replace(')', '%29')})"


def _is_name(segment: str) -> bool:
    return _NAME.fullmatch(segment) is not None


def _segments(url: str) -> list[str]:
    text = url.strip()[:LONGEST]
    if "://" not in text:
        text = "https://" + text
    try:
        parts = urlsplit(text)
    except ValueError:
        return []
    if parts.scheme not in {"http", "https"}:
        return []
    return [unquote(part) for part in parts.path.split("/") if part]


_SERVICE_HOST = re.compile(r"[\w-]{1,63}(?:\.[\w-]{1,63})*\.?|[\w.-]*:[\w.:-]*", re.ASCII)
"""A name, whose parts are bounded, or a number with colons."""

_SHOWN = 100


def service_url(text: str) -> str:
    """Return the base URL of a service, without a slash at the end and without ``/v1``.

    Raises ``ValueError``, with a sentence, for what is not an http or https URL with a host, and
    for one that carries a user, a query or a fragment.
    """
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname or "", parts.port
        if not host.isascii():
            # The codec and its tables are loaded only for names that need them.
            host = host.encode("idna").decode()
    except ValueError:  # brackets, a port or a name that are none
        parts, host, port = urlsplit(""), "", None
    if parts.scheme not in {"http", "https"} or not _SERVICE_HOST.fullmatch(host):
        shown = clean(text, limit=_SHOWN).strip()
        raise ValueError(f"{shown!r} is not a base URL: write it as https://api.example.com")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("the base URL holds more than a host and a path: leave out user, ? and #")
    place = (f"[{host}]" if ":" in host else host) + ("" if port is None else f":{port}")
    return f"{parts.scheme}://{place}{parts.path}".rstrip("/").removesuffix("/v1").rstrip("/")


def share_key(address: str) -> str:
    """Return the key that the address of a share link holds, empty when it holds none.

    It is the query's ``shareKey``, else the last part of the path.
    """
    try:
        parts = urlsplit(address.strip())
        named = parse_qs(parts.query).get("shareKey")
    except ValueError:
        return ""
    if named:
        return named[-1]
    return unquote(next((part for part in reversed(parts.path.split("/")) if part), ""))

"""The base URL of a service, as people write it. Read before any HTTP library is loaded."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from copydesk.domain.text import clean

_HOST = re.compile(r"[\w-]{1,63}(?:\.[\w-]{1,63})*\.?|[\w.-]*:[\w.:-]*", re.ASCII)
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
    if parts.scheme not in {"http", "https"} or not _HOST.fullmatch(host):
        shown = clean(text, limit=_SHOWN).strip()
        raise ValueError(f"{shown!r} is no base URL: write it as https://api.example.com")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("the base URL holds more than a host and a path: leave out user, ? and #")
    place = (f"[{host}]" if ":" in host else host) + ("" if port is None else f":{port}")
    return f"{parts.scheme}://{place}{parts.path}".rstrip("/").removesuffix("/v1").rstrip("/")

"""The few pages that a browser gets: a heading and a little text, without a script."""

from __future__ import annotations

import base64
import html
from hashlib import sha256

from starlette.responses import Response

_STYLE = "body{font:1rem/1.5 sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}"
_STYLE += "pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid;padding:.5rem}"

HEADERS = {
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
"""The headers of every page; what it may load is its own."""

_POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    f"style-src 'sha256-{base64.b64encode(sha256(_STYLE.encode()).digest()).decode()}'"
)


def page(heading: str, body: str, status: int = 200) -> Response:
    """Return a page. Its heading is a text, its body HTML in which each text is quoted."""
    title = html.escape(f"copydesk: {heading[:1].lower()}{heading[1:]}")
    content = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width">'
        f"<title>{title}</title><style>{_STYLE}</style></head>"
        f"<body><h1>{html.escape(heading)}</h1>{body}</body></html>\n"
    )
    headers = {**HEADERS, "content-security-policy": _POLICY}
    return Response(content, status, headers, "text/html")

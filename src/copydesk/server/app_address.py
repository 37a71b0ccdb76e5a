"""The addresses that things have in the application (``urls.app``), as a browser is answered there.

The desk has no web pages: what a browser gets says what kind of thing is there, and how it is
opened in the terminal. A browser sends no token, so that the answer says nothing else of it. What
has an id or a number is looked for; names and paths are not, which somebody could try out.
"""

from __future__ import annotations

import html
from shlex import quote

from starlette.requests import Request
from starlette.responses import Response

from copydesk.domain.address import APP, Address, parse_app_url, web_address
from copydesk.server.store import Store, Tx
from copydesk.server.web_page import page

PATH = APP + "/{rest:path}"
"""What the addresses begin with, and all that may follow."""

_KINDS = (
    ("page", "A page"),
    ("change_request", "A change request"),
    ("revision", "A revision"),
    ("space", "A space"),
    ("collection", "A collection"),
    ("site", "A site"),
    ("installation", "An installation of an integration"),
    ("integration", "An integration"),
    ("spec", "An OpenAPI specification"),
    ("organization", "An organization"),
)
"""The kinds of addresses by the ids that they name, inner kinds before outer ones."""

_LOOKED_FOR: tuple[tuple[str, str, str | None], ...] = (
    ("organization", "SELECT 1 FROM organization WHERE id = ? AND ? IS NULL", None),
    ("space", "SELECT 1 FROM space WHERE id = ? AND organization_id = ?", "organization"),
    ("collection", "SELECT 1 FROM collection WHERE id = ? AND organization_id = ?", "organization"),
    ("site", "SELECT 1 FROM site WHERE id = ? AND organization_id = ?", "organization"),
    (
        "installation",
        "SELECT 1 FROM installation WHERE id = ? AND organization_id = ?",
        "organization",
    ),
    ("revision", "SELECT 1 FROM revision WHERE id = ? AND space_id = ?", "space"),
    (
        "change_request",
        "SELECT 1 FROM change_request WHERE (id = ?1 OR number = ?1) AND space_id = ?2",
        "space",
    ),
)
"""The things that an address may name: the word for one, its query, and what holds it."""


async def answer(store: Store, request: Request, *, has_api: bool = True) -> Response:
    """Answer a browser: with a page, which is a 404 where nothing has this address.

    ``has_api``: whether the desk answers a client at this address too.
    """
    base_url = str(request.base_url).rstrip("/")
    url = web_address(base_url + request.url.path)
    pointed = parse_app_url(url)
    kind = None
    if pointed is not None:
        kind = await store.in_thread(
            lambda: store.read(lambda tx: _kind(tx, pointed)), writes=False
        )
    if kind is None:
        return page("Not found", "<p>Nothing on this desk has this address.</p>", 404)
    command = f"copydesk {quote(url)}"
    body = f"<p>It opens in a terminal. On your own desk:</p><pre>{html.escape(command)}</pre>"
    if has_api:
        elsewhere = f"copydesk --base-url {quote(web_address(base_url))} {quote(url)}"
        body += (
            f"<p>With a token, also from another machine:</p><pre>{html.escape(elsewhere)}</pre>"
        )
    return page(kind, body)


def _kind(tx: Tx, pointed: Address) -> str | None:
    """Return the kind of an address; None where something that it names does not exist."""
    for name, query, above in _LOOKED_FOR:
        key = getattr(pointed, name)
        if key is not None and tx.value(query, key, above and getattr(pointed, above)) is None:
            return None
    return next(kind for name, kind in _KINDS if getattr(pointed, name) is not None)

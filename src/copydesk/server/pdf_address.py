"""The address of a PDF, and its answers.

The address says itself what is printed and until when, signed with the desk's key: nothing is kept
on the desk, and it is made when it is fetched, from a revision, which never changes. Whoever has
the address may read it (an address lasts an hour).
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hmac
import json
import secrets
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple
from datetime import timedelta
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from copydesk.domain.late_dataclass import dataclass
from copydesk.server.errors import Refusal, invalid
from copydesk.server.implementation import Call
from copydesk.server.queries.page import PlacedPage, placed_pages
from copydesk.server.store import Store, Tx, to_json

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

PATH = "/pdf/{ticket}"
"""Where PDFs are fetched; outside of ``/v1``, for it is no operation of the API."""

LASTS = timedelta(hours=1)
"""How long an address is good for."""

MOST_PAGES = 1000
"""So many pages of a space are printed at once; that takes about ten seconds."""

MOST_TEXT = 1_000_000
"""So many bytes of Markdown are printed at once; that takes half a minute."""

_PRINTER = ThreadPoolExecutor(1, thread_name_prefix="desk-printer")
"""One PDF at a time, so that whoever asks for many does not hold up the rest of the desk."""

_SIGNING_KEY = "signing_key"
"""The key in a desk's ``meta`` of what addresses are signed with; nobody is ever told it."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """What a PDF prints: a change request at a revision, of it a page with those below or alone.

    Without a change request it is what its space had at the revision.
    """

    change_request_id: str | None
    revision_id: str
    page_id: str | None
    only: bool
    expires: int

    def signed(self, tx: Tx) -> str:
        """Return the ticket as a segment of a URL."""
        data = base64.urlsafe_b64encode(to_json(astuple(self)).encode()).decode().rstrip("=")
        return f"{data}.{_signature(tx, data)}.pdf"


def print_address(
    call: Call, change_request_id: str | None, revision_id: str, page_id: str | None, *, only: bool
) -> str:
    """Return an address where a PDF can be fetched for an hour, without a token.

    The first one gives the desk its key. Raises as ``pages_to_print`` does.
    """
    pages_to_print(call, placed_pages(call, revision_id), page_id, only=only)
    if call.tx.one("SELECT 1 FROM meta WHERE key = ?", _SIGNING_KEY) is None:
        call.tx.insert("meta", key=_SIGNING_KEY, value=secrets.token_hex(32))
    expires = int((call.tx.moment + LASTS).timestamp())
    ticket = Ticket(change_request_id, revision_id, page_id, only, expires)
    return call.base_url + PATH.replace("{ticket}", ticket.signed(call.tx))


def pages_to_print(
    call: Call, pages: Iterable[PlacedPage], page_id: str | None, *, only: bool
) -> list[PlacedPage]:
    """Return the pages that are printed: all, or ``page_id`` with those below it, or ``only`` it.

    Raises a 400 when that is more than a PDF may be.
    """
    chosen = [
        page
        for page in pages
        if page_id is None
        or page.data.id == page_id
        or (not only and any(above.id == page_id for above in page.ancestors))
    ]
    if len(chosen) > MOST_PAGES:
        raise _too_much(f"{len(chosen):,} pages", f"{MOST_PAGES:,}")
    texts = [page.data.text for page in chosen]
    length: int = call.tx.value(  # a text that several pages have is printed as often
        "SELECT coalesce(sum(size), 0) FROM json_each(?) JOIN blob ON blob.hash = value",
        json.dumps(texts),
    )
    if length > MOST_TEXT:
        raise _too_much(f"{length:,} bytes of text", f"{MOST_TEXT:,}")
    return chosen


def _too_much(what: str, most: str) -> Refusal:
    return invalid(
        f"query parameter page: that would print {what}, and a PDF takes at most {most}; "
        "name a page to print it with those below it, or alone with only=true"
    )


async def answer(store: Store, request: Request) -> Response:
    """Answer with the PDF of a ticket; with a 404 when it is no ticket of this desk, or too old."""
    signed = request.path_params["ticket"]
    base_url = str(request.base_url).rstrip("/")
    await store.in_thread(lambda: store.read(lambda tx: _read(tx, signed)), writes=False)
    data = await asyncio.get_running_loop().run_in_executor(
        # Gathered when it is its turn: what waits holds nothing.
        _PRINTER,
        lambda: store.read(lambda tx: _gather(tx, signed, base_url))(),
    )
    from starlette.responses import Response

    return Response(
        data,
        media_type="application/pdf",
        headers={
            "content-disposition": 'inline; filename="pages.pdf"',
            "cache-control": "private, no-store",
            "x-content-type-options": "nosniff",
        },
    )


def _gather(tx: Tx, signed: str, base_url: str) -> Callable[[], bytes]:
    """Return what prints a ticket's pages, without the desk."""
    # fpdf2 and its fonts take a second to import, which only those wait for who print.
    from copydesk.server.pdf import make_pdf
    from copydesk.server.queries.pdf import printed_pages

    ticket = _read(tx, signed)
    row = tx.one(
        "SELECT c.number, c.subject, s.id, s.title, o.title AS organization, r.created_at "
        "FROM revision r JOIN space s ON s.id = r.space_id "
        "JOIN organization o ON o.id = s.organization_id "
        "LEFT JOIN change_request c ON c.id = ? AND c.space_id = s.id "
        "WHERE r.id = ? AND s.deleted_at IS NULL",
        ticket.change_request_id,
        ticket.revision_id,
    )
    if row is None or (ticket.change_request_id is not None and row["number"] is None):
        raise _gone()
    call = Call(tx, "", base_url, 200)
    pages = printed_pages(
        call, row["id"], ticket.revision_id, page_id=ticket.page_id, only=ticket.only
    )
    request = "" if row["number"] is None else f"#{row['number']} {row['subject']}".strip()
    lines = tuple(line for line in (request, row["organization"], row["created_at"][:10]) if line)
    return partial(make_pdf, row["title"], lines, pages)


def _read(tx: Tx, signed: str) -> Ticket:
    data, _, signature = signed.removesuffix(".pdf").partition(".")
    if not hmac.compare_digest(signature.encode(), _signature(tx, data).encode()):
        raise _gone()
    try:
        padded = data.encode() + b"=" * (-len(data) % 4)
        ticket = Ticket(*json.loads(base64.urlsafe_b64decode(padded)))
    except (binascii.Error, ValueError, TypeError):
        raise _gone() from None
    if ticket.expires < tx.moment.timestamp():
        raise _gone()
    return ticket


def _signature(tx: Tx, data: str) -> str:
    key: str | None = tx.value("SELECT value FROM meta WHERE key = ?", _SIGNING_KEY)
    if key is None:
        raise _gone()
    return hmac.new(key.encode(), f"pdf {data}".encode(), sha256).hexdigest()


def _gone() -> Refusal:
    return Refusal(404, "There is no PDF here, or it has expired after an hour: ask for it again.")

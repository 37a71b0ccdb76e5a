"""What the desk answers besides operations: its description, files, PDFs, pages for a browser.

Loaded with the first request for any of it; the screens seldom send one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from copydesk.contract.operation import PREFIX
from copydesk.server import app_address, downloads, pdf_address
from copydesk.server.answer import Answer, failed, no_method, refused
from copydesk.server.api_description import openapi_json
from copydesk.server.editions import Edition
from copydesk.server.errors import Refusal
from copydesk.server.store import Store, Tx

DESCRIPTION = PREFIX + "/openapi.json"
"""Where the desk says what the API is. It says nothing about the desk, so everyone may read it."""

SignIn = Callable[[Tx, str], str]
"""Returns the id of the user whose credential it is, or raises a 401."""

Endpoint = Callable[[Request], Awaitable[Response | Answer]]


def extra_routes(store: Store, edition: Edition, sign_in: SignIn) -> Starlette:
    """Return the app that answers all this, and that there is nothing else."""
    handlers: dict[Any, Callable[..., Any]] = {HTTPException: _unrouted, Exception: _unexpected}
    app = Starlette(
        routes=[
            Route(DESCRIPTION, _describing(edition), methods=["GET"]),
            Route(pdf_address.PATH, _printing(store), methods=["GET"]),
            Route(app_address.PATH, partial(app_address.answer, store), methods=["GET"]),
            *(
                Route(path, _downloading(answer, store, sign_in), methods=["GET"])
                for path, answer in downloads.ANSWERS.items()
            ),
        ],
        exception_handlers=handlers,
    )
    # A redirect would send a client wherever its Host header says.
    app.router.redirect_slashes = False
    return app


def _printing(store: Store) -> Endpoint:
    async def answer(request: Request) -> Response | Answer:
        try:
            return await pdf_address.answer(store, request)
        except Refusal as refusal:
            return refused(refusal)

    return answer


def _downloading(download: downloads.Answer, store: Store, sign_in: SignIn) -> Endpoint:
    async def answer(request: Request) -> Response | Answer:
        credential = request.headers.get("authorization", "")
        try:
            return await download(store, request, lambda tx: sign_in(tx, credential))
        except Refusal as refusal:
            return refused(refusal)

    return answer


def _describing(edition: Edition) -> Endpoint:
    async def answer(request: Request) -> Response:
        description = await asyncio.to_thread(openapi_json, edition)
        return Response(description, media_type="application/json")

    return answer


async def _unrouted(request: Request, error: Exception) -> Answer:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        return no_method(request.method, (error.headers or {}).get("Allow", "").split(", "))
    return refused(Refusal(error.status_code, "There is no such path in this API."))


async def _unexpected(request: Request, error: Exception) -> Answer:
    # Starlette raises on, and the HTTP server then ends the connection: a client must not reuse it.
    return failed(f"{request.method} {request.url.path}", error)

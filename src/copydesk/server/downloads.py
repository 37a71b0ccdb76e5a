"""The bytes of files: their address, and its answers.

A file of a revision never changes, so its address does not either. It takes the same token as the
API and is for whoever may view the space.
"""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from copydesk.server import content
from copydesk.server.errors import not_found
from copydesk.server.implementation import Call
from copydesk.server.queries.file import find_file
from copydesk.server.store import Store, Tx

PATH = "/files/{space_id}/{revision_id}/{file_id}"
"""Where files are fetched; outside of ``/v1``, for it is no operation of the API."""


async def answer(store: Store, request: Request, caller: Callable[[Tx], str]) -> Response:
    """Answer with a file; ``caller`` says whose request it is, or raises a 401.

    Raises a 404 when there is no such file, or none that the caller may see.
    """
    space_id, revision_id, file_id = (
        request.path_params[name] for name in ("space_id", "revision_id", "file_id")
    )

    def read(tx: Tx) -> Response:
        call = Call(tx, caller(tx), "", 200)
        call.access.space(space_id)
        if not tx.value(
            "SELECT 1 FROM revision WHERE id = ? AND space_id = ?", revision_id, space_id
        ):
            raise not_found("revision", revision_id)
        file = find_file(call, revision_id, file_id)
        return Response(
            content.blob(tx, file.blob),
            media_type=file.content_type,
            headers={
                # What somebody put into a space must not run as if it came from the desk.
                "content-disposition": f"attachment; filename*=utf-8''{quote(file.name, safe='')}",
                "content-security-policy": "sandbox; default-src 'none'",
                "x-content-type-options": "nosniff",
                "cache-control": "private, no-store",
            },
        )

    return await store.in_thread(lambda: store.read(read), writes=False)

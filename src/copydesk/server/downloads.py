"""The bytes of files and of OpenAPI documents: their addresses, and the answers.

A file of a revision never changes, so its address does not either; nor does a version of a
specification. Both take the same token as the API: a file is for whoever may view the space, a
document for the organization. That of a public specification is for whoever has its address.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from copydesk.server import content
from copydesk.server.errors import not_found
from copydesk.server.implementation import Call
from copydesk.server.queries.file import find_file
from copydesk.server.queries.openapi_spec import DOCUMENTS
from copydesk.server.store import Store, Tx

Answer = Callable[[Store, Request, Callable[[Tx], str]], Awaitable[Response]]
"""What answers: ``Callable[[Tx], str]`` says whose request it is, or raises a 401."""

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
        call.find("revision", "revision", revision_id, space_id=space_id)
        file = find_file(call, revision_id, file_id)
        return _download(content.blob(tx, file.blob), file.content_type, file.name)

    return await store.in_thread(lambda: store.read(read), writes=False)


async def answer_document(store: Store, request: Request, caller: Callable[[Tx], str]) -> Response:
    """Answer with the document of a version of a specification; as ``answer`` does for a file."""
    version_id = request.path_params["version_id"]

    def read(tx: Tx) -> Response:
        row = tx.one(
            "SELECT organization_id, slug, visibility, data FROM openapi_version v "
            "JOIN openapi_spec ON openapi_spec.id = spec_id "
            "JOIN openapi_document ON hash = document_hash WHERE v.id = ?",
            version_id,
        )
        if row is None or row["visibility"] != "public":
            call = Call(tx, caller(tx), "", 200)
            if row is None or row["organization_id"] not in call.access.memberships:
                raise not_found("version", version_id)
        kind = "json" if row["data"].lstrip()[:1] == b"{" else "yaml"
        return _download(row["data"], f"application/{kind}", f"{row['slug']}.{kind}")

    return await store.in_thread(lambda: store.read(read), writes=False)


def _download(data: bytes, media_type: str, name: str) -> Response:
    return Response(
        data,
        media_type=media_type,
        headers={
            # What somebody put into a desk must not run as if it came from the desk.
            "content-disposition": f"attachment; filename*=utf-8''{quote(name, safe='')}",
            "content-security-policy": "sandbox; default-src 'none'",
            "x-content-type-options": "nosniff",
            "cache-control": "private, no-store",
        },
    )


ANSWERS: Mapping[str, Answer] = {PATH: answer, DOCUMENTS: answer_document}
"""The function that answers each address."""

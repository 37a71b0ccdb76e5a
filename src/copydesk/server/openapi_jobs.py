"""Reading OpenAPI specifications: pending, then progress, then complete with a version or an error.

Each step is a transaction of its own, so that every state can be seen. Between them the document is
fetched and judged, outside of any. A specification that was given another source meanwhile is not
touched by the result, for its ``attempt`` has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from copydesk.contract.enumerations import ProcessingErrorCode
from copydesk.server.background import Worker, lease_limit
from copydesk.server.openapi_documents import problems_of
from copydesk.server.store import Row, Tx, to_json

SECONDS = 15.0
"""How long a document may take, from looking up the name to the last byte, redirects included."""

VERSIONS = 20
"""So many versions of a specification are kept, the newest."""

Fetch = Callable[[str], bytes]
"""A function that reads the document at a URL. Raises ``FetchError``."""


class FetchError(Exception):
    """A document that could not be read; ``code`` is what the specification says about it."""

    def __init__(self, message: str, code: ProcessingErrorCode = "FETCH_ERROR") -> None:
        super().__init__(message)
        self.code = code


def read_next_spec(worker: Worker, *, fetch: Fetch | None) -> bool:
    """Read one specification that waits; say whether there was one.

    Without ``fetch`` a specification that is somewhere else cannot be read, and says so.
    """
    row = worker.write(_take)
    if row is None:
        return False
    data: bytes | None = None
    code: ProcessingErrorCode | None = None
    problems: list[str] = []
    try:
        data = row["data"] if row["source_url"] is None else _fetched(row["source_url"], fetch)
        problems = problems_of(data)
        code = "PARSE_ERROR" if problems else None
    except FetchError as error:
        code, problems = error.code, [str(error)]
    worker.write(lambda tx: finish(tx, row, data, code, problems))
    return True


def _fetched(url: str, fetch: Fetch | None) -> bytes:
    if fetch is None:
        raise FetchError(
            "This desk does not fetch documents. Serve it with `copydesk serve --fetch`, or give "
            "the document itself as source.text."
        )
    return fetch(url)


def _take(tx: Tx) -> Row | None:
    """Begin with the specification that has waited longest."""
    key: str | None = tx.value(
        "SELECT id FROM openapi_spec WHERE state <> 'complete' "
        "AND (state = 'pending' OR taken_at < ?) ORDER BY updated_at, id LIMIT 1",
        lease_limit(tx),
    )
    return None if key is None else begin(tx, key)


def begin(tx: Tx, spec_id: str) -> Row:
    """Begin the reading of a specification; return its source and the number of the attempt."""
    tx.run(
        "UPDATE openapi_spec SET state = 'progress', taken_at = ?, attempt = attempt + 1 "
        "WHERE id = ?",
        tx.now,
        spec_id,
    )
    row = tx.one(
        "SELECT openapi_spec.id, attempt, source_url, data FROM openapi_spec "
        "LEFT JOIN openapi_document ON hash = source_text WHERE openapi_spec.id = ?",
        spec_id,
    )
    assert row is not None, "what is begun is there"
    return row


def put_document(tx: Tx, data: bytes) -> str:
    """Store a document once and return its hash; it goes with the last source or version of it."""
    digest = sha256(data).hexdigest()
    tx.run("INSERT OR IGNORE INTO openapi_document (hash, data) VALUES (?, ?)", digest, data)
    return digest


def finish(
    tx: Tx, row: Row, data: bytes | None, code: ProcessingErrorCode | None, problems: list[str]
) -> None:
    """Write down what a reading found, unless the specification has another source by now.

    A document that could be read is the version from now on, unless it is the same as the last one.
    """
    spec = tx.one(
        "SELECT openapi_spec.id, version_id, document_hash FROM openapi_spec "
        "LEFT JOIN openapi_version ON openapi_version.id = version_id "
        "WHERE openapi_spec.id = ? AND attempt = ? AND state = 'progress'",
        row["id"],
        row["attempt"],
    )
    if spec is None:
        return
    version_id = spec["version_id"]
    if code is None:
        assert data is not None, "what could be read was read"
        digest = put_document(tx, data)
        if digest != spec["document_hash"]:
            version_id = tx.add(
                "openapi_version", spec_id=row["id"], document_hash=digest, created_at=tx.now
            )
            tx.run(
                "DELETE FROM openapi_version WHERE id IN (SELECT id FROM openapi_version "
                "WHERE spec_id = ? ORDER BY created_at DESC, id = ? DESC, id LIMIT -1 OFFSET ?)",
                *(row["id"], version_id, VERSIONS),
            )
    errors = [{"code": code, "message": problem} for problem in problems]
    tx.update(
        "openapi_spec",
        row["id"],
        state="complete",
        version_id=version_id,
        processed_at=tx.now,
        error_code=code,
        errors=to_json(errors) if errors else None,
    )

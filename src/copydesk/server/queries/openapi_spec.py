"""OpenAPI specifications of an organization."""

from __future__ import annotations

from copydesk.contract.models.base import ResourceUrls, Urls
from copydesk.contract.models.openapi_spec import (
    OpenAPISource,
    OpenAPISourceText,
    OpenAPISpec,
    OpenAPISpecPermissions,
    OpenAPISpecVersion,
    ProcessingError,
)
from copydesk.server.errors import or_not_found
from copydesk.server.implementation import Call
from copydesk.server.openapi_jobs import put_document
from copydesk.server.store import Row, Tx, from_json

DOCUMENTS = "/specifications/{version_id}"
"""Where the document of a version is fetched; outside of ``/v1``, for it is no operation."""


def find_spec(call: Call, organization_id: str, spec_slug: str) -> Row:
    """Return the specification of a slug, whoever asks. Raises a 404 when there is none."""
    return or_not_found(
        call.tx.get("openapi_spec", organization_id=organization_id, slug=spec_slug),
        "OpenAPI specification",
        spec_slug,
    )


def spec_model(call: Call, row: Row) -> OpenAPISpec:
    """Return the specification of a row of ``openapi_spec``.

    Reading one that is not read yet sees to it that it will be.
    """
    if row["state"] != "complete":
        call.goes_on = True
    errors = from_json(row["errors"])
    return OpenAPISpec(
        id=row["id"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        slug=row["slug"],
        source_url=row["source_url"],
        processing_state=row["state"],
        visibility=row["visibility"],
        last_version=row["version_id"],
        last_processed_at=row["processed_at"],
        last_process_error_code=row["error_code"],
        last_processed_errors=None
        if errors is None
        else [ProcessingError.model_validate(error) for error in errors],
        last_processed_error_count=len(errors or ()),
        permissions=OpenAPISpecPermissions(
            view=True, edit=call.access.may_in(row["organization_id"], "createOpenAPISpec")
        ),
        urls=ResourceUrls(
            location=call.url("orgs", row["organization_id"], "openapi", row["slug"]),
            app=call.app_url("o", row["organization_id"], "openapi", row["slug"]),
        ),
    )


def version_model(call: Call, spec: Row, row: Row) -> OpenAPISpecVersion:
    """Return the version of a row of ``openapi_version``.

    A version has no address of its own in the API: that of the list stands for it.
    """
    latest = ("latest",) if row["id"] == spec["version_id"] else ()
    return OpenAPISpecVersion(
        id=row["id"],
        created_at=row["created_at"],
        size=call.tx.value(
            "SELECT length(data) FROM openapi_document WHERE hash = ?", row["document_hash"]
        ),
        url=call.base_url + DOCUMENTS.replace("{version_id}", row["id"]),
        urls=Urls(
            location=call.url(
                "orgs", spec["organization_id"], "openapi", spec["slug"], "versions", *latest
            )
        ),
    )


def add_spec(tx: Tx, organization_id: str, slug: str, source: OpenAPISource) -> str:
    """Add a specification that waits to be read and return its id."""
    spec_id = tx.add(
        "openapi_spec",
        organization_id=organization_id,
        slug=slug,
        created_at=tx.now,
        updated_at=tx.now,
    )
    set_source(tx, spec_id, source)
    return spec_id


def set_source(tx: Tx, spec_id: str, source: OpenAPISource) -> None:
    """Give a specification a source, to be read from the start.

    The version read last stays until another could be read; what was wrong with it is forgotten.
    """
    text = source.text if isinstance(source, OpenAPISourceText) else None
    tx.run(
        "UPDATE openapi_spec SET source_url = ?, source_text = ?, state = 'pending', "
        "attempt = attempt + 1, taken_at = NULL, error_code = NULL, errors = NULL, updated_at = ? "
        "WHERE id = ?",
        None if isinstance(source, OpenAPISourceText) else source.url,
        None if text is None else put_document(tx, text.encode()),
        tx.now,
        spec_id,
    )

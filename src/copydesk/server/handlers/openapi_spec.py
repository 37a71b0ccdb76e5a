"""OpenAPI specifications: adding, giving a source, reading how far the desk is with them."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import operations as ops
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.models.openapi_spec import (
    OpenAPISpec,
    OpenAPISpecCreate,
    OpenAPISpecPut,
    OpenAPISpecUpdate,
    OpenAPISpecVersion,
)
from copydesk.server.errors import conflict, not_found
from copydesk.server.implementation import Call, implements
from copydesk.server.pagination import Conditions, paginate
from copydesk.server.queries.openapi_spec import (
    add_spec,
    find_spec,
    set_source,
    spec_model,
    version_model,
)

_PERMISSION = "createOpenAPISpec"


@implements(ops.list_openapi_specs)
def list_openapi_specs(
    call: Call, organization_id: str, **paging: Unpack[Paging]
) -> Page[OpenAPISpec]:
    call.access.organization(organization_id)
    return paginate(
        call.tx,
        lambda row: spec_model(call, row),
        source="openapi_spec",
        which=Conditions("organization_id = ?", organization_id),
        paging=paging,
    )


@implements(ops.create_openapi_spec, takes="createOpenAPISpec")
def create_openapi_spec(call: Call, organization_id: str, body: OpenAPISpecCreate) -> OpenAPISpec:
    """Add a specification. Takes createOpenAPISpec; raises a 409 for a slug that is taken."""
    call.access.organization(organization_id, _PERMISSION)
    if call.tx.get("openapi_spec", organization_id=organization_id, slug=body.slug) is not None:
        raise conflict(
            f"There is an OpenAPI specification {body.slug!r} already; choose another slug, "
            "or give that one a new source."
        )
    add_spec(call.tx, organization_id, body.slug, body.source)
    return spec_model(call, find_spec(call, organization_id, body.slug))


@implements(ops.get_openapi_spec)
def get_openapi_spec(call: Call, organization_id: str, spec_slug: str) -> OpenAPISpec:
    call.access.organization(organization_id)
    return spec_model(call, find_spec(call, organization_id, spec_slug))


@implements(ops.put_openapi_spec, takes="createOpenAPISpec")
def put_openapi_spec(
    call: Call, organization_id: str, spec_slug: str, body: OpenAPISpecPut
) -> OpenAPISpec:
    """Give a specification a source, also the one that it has, and read it from the start.

    One that is not there is added, which is a 201.
    """
    call.access.organization(organization_id, _PERMISSION)
    row = call.tx.get("openapi_spec", organization_id=organization_id, slug=spec_slug)
    if row is not None:
        set_source(call.tx, row["id"], body.source)
    else:
        add_spec(call.tx, organization_id, spec_slug, body.source)
        call.status = 201
    return spec_model(call, find_spec(call, organization_id, spec_slug))


@implements(ops.update_openapi_spec, takes="createOpenAPISpec")
def update_openapi_spec(
    call: Call, organization_id: str, spec_slug: str, body: OpenAPISpecUpdate
) -> OpenAPISpec:
    call.access.organization(organization_id, _PERMISSION)
    row = find_spec(call, organization_id, spec_slug)
    call.tx.update("openapi_spec", row["id"], visibility=body.visibility, updated_at=call.tx.now)
    return spec_model(call, find_spec(call, organization_id, spec_slug))


@implements(ops.delete_openapi_spec, takes="createOpenAPISpec")
def delete_openapi_spec(call: Call, organization_id: str, spec_slug: str) -> None:
    """Delete a specification with every version of it."""
    call.access.organization(organization_id, _PERMISSION)
    row = call.tx.get("openapi_spec", organization_id=organization_id, slug=spec_slug)
    if row is None:
        return call.was_missing()
    call.tx.run("DELETE FROM openapi_spec WHERE id = ?", row["id"])
    return None


@implements(ops.list_openapi_spec_versions)
def list_openapi_spec_versions(
    call: Call, organization_id: str, spec_slug: str, **paging: Unpack[Paging]
) -> Page[OpenAPISpecVersion]:
    call.access.organization(organization_id)
    spec = find_spec(call, organization_id, spec_slug)
    return paginate(
        call.tx,
        lambda row: version_model(call, spec, row),
        source="openapi_version",
        which=Conditions("spec_id = ?", spec["id"]),
        paging=paging,
    )


@implements(ops.get_latest_openapi_spec_version)
def get_latest_openapi_spec_version(
    call: Call, organization_id: str, spec_slug: str
) -> OpenAPISpecVersion:
    """Get the version that was read last. A 404 for a specification that could not be read yet."""
    call.access.organization(organization_id)
    spec = find_spec(call, organization_id, spec_slug)
    row = call.tx.get("openapi_version", id=spec["version_id"])
    if row is None:
        raise not_found("version of the OpenAPI specification", spec_slug)
    return version_model(call, spec, row)

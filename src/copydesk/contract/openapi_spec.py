"""Operations on OpenAPI specifications."""

from __future__ import annotations

from typing import Unpack

from copydesk.contract import models
from copydesk.contract.models.base import Page, Paging
from copydesk.contract.operation import operation


@operation("GET", "/orgs/{organization_id}/openapi")
def list_openapi_specs(
    organization_id: str, **paging: Unpack[Paging]
) -> Page[models.openapi_spec.OpenAPISpec]:
    """List the OpenAPI specifications of an organization."""


@operation("POST", "/orgs/{organization_id}/openapi", status=201)
def create_openapi_spec(
    organization_id: str, body: models.openapi_spec.OpenAPISpecCreate
) -> models.openapi_spec.OpenAPISpec:
    """Add an OpenAPI specification."""


@operation("GET", "/orgs/{organization_id}/openapi/{spec_slug}")
def get_openapi_spec(organization_id: str, spec_slug: str) -> models.openapi_spec.OpenAPISpec:
    """Get an OpenAPI specification."""


@operation("PUT", "/orgs/{organization_id}/openapi/{spec_slug}", also=(201,))
def put_openapi_spec(
    organization_id: str,
    spec_slug: models.openapi_spec.Slug,
    body: models.openapi_spec.OpenAPISpecPut,
) -> models.openapi_spec.OpenAPISpec:
    """Give an OpenAPI specification a new source, or add it (then the status is 201)."""


@operation("PATCH", "/orgs/{organization_id}/openapi/{spec_slug}")
def update_openapi_spec(
    organization_id: str, spec_slug: str, body: models.openapi_spec.OpenAPISpecUpdate
) -> models.openapi_spec.OpenAPISpec:
    """Change who may read an OpenAPI specification."""


@operation("DELETE", "/orgs/{organization_id}/openapi/{spec_slug}")
def delete_openapi_spec(organization_id: str, spec_slug: str) -> None:
    """Delete an OpenAPI specification."""


@operation("GET", "/orgs/{organization_id}/openapi/{spec_slug}/versions", extension="E20")
def list_openapi_spec_versions(
    organization_id: str, spec_slug: str, **paging: Unpack[Paging]
) -> Page[models.openapi_spec.OpenAPISpecVersion]:
    """List the versions of an OpenAPI specification that could be read."""


@operation("GET", "/orgs/{organization_id}/openapi/{spec_slug}/versions/latest", extension="E20")
def get_latest_openapi_spec_version(
    organization_id: str, spec_slug: str
) -> models.openapi_spec.OpenAPISpecVersion:
    """Get the version of an OpenAPI specification that pages are made from."""

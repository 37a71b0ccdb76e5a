"""OpenAPI specifications that pages are made from."""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, StringConstraints

from copydesk.contract.enumerations import OpenAPIVisibility, ProcessingErrorCode, ProcessingState
from copydesk.contract.models.base import (
    Always,
    Body,
    Count,
    Open,
    Resource,
    ResourceUrls,
    Shape,
    Timestamp,
    Uri,
    Urls,
)

Slug: TypeAlias = Annotated[
    str,
    StringConstraints(min_length=1, max_length=100, pattern=r"^[a-zA-Z0-9]+(?:-[a-zA-Z0-9]+)*$"),
]
"""Words of letters and digits joined by hyphens, 1 to 100 characters."""


class ProcessingError(Shape):
    """Something that is wrong with a specification."""

    message: str = ""
    code: str | None = None


class OpenAPISpecPermissions(Shape):
    """What the caller may do with a specification."""

    view: bool = False
    edit: bool = False


class OpenAPISpec(Resource):
    """An OpenAPI specification; ``last_version`` is the id of the version read last."""

    object: Open[Literal["openapi-spec"]] = "openapi-spec"
    id: str
    created_at: Always[Timestamp] = None
    updated_at: Always[Timestamp] = None
    slug: str = ""
    source_url: str | None = Field(default=None, alias="sourceURL")
    processing_state: Open[ProcessingState] = "pending"
    visibility: Open[OpenAPIVisibility] | None = None
    last_version: str | None = None
    last_processed_at: Timestamp | None = None
    last_process_error_code: Open[ProcessingErrorCode] | None = None
    last_processed_errors: list[ProcessingError] | None = None
    last_processed_error_count: Count = 0
    permissions: Always[OpenAPISpecPermissions] = None
    urls: ResourceUrls = Field(default_factory=ResourceUrls)


class OpenAPISpecVersion(Resource):
    """A version of a specification; ``url`` is where its document is fetched.

    ``size`` is that of the document in bytes; it is beyond the published API.
    """

    object: Open[Literal["openapi-spec-version"]] = "openapi-spec-version"
    id: str
    created_at: Timestamp | None = None
    size: Count | None = None
    url: Always[str] = None
    urls: Urls = Field(default_factory=Urls)


class OpenAPISourceURL(Body):
    """A specification to fetch."""

    url: Uri = Field(description="It is fetched from there.")


class OpenAPISourceText(Body):
    """A specification given as it is."""

    text: str = Field(description="The document itself, JSON or YAML.")


OpenAPISource: TypeAlias = OpenAPISourceURL | OpenAPISourceText
"""Where a specification comes from."""


class OpenAPISpecCreate(Body):
    """A new specification; its slug names it in paths."""

    slug: Slug = Field(
        description="What pages call it: words of letters and digits with hyphens between."
    )
    source: OpenAPISource = Field(description="Where the document comes from.")


class OpenAPISpecPut(Body):
    """A specification to create, or its new source."""

    source: OpenAPISource = Field(description="Where the document comes from, from now on.")


class OpenAPISpecUpdate(Body):
    """Who may read a specification."""

    visibility: OpenAPIVisibility = Field(
        description="Private is for no one outside; public for whoever has the link."
    )

"""Parts that several resources share: addresses, moments, references, kinds always written."""

from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from copydesk.contract.enumerations import ReferenceKind
from copydesk.contract.models.base import Body, Open, Shape

EARLIEST = datetime(1, 1, 3, tzinfo=UTC)
LATEST = datetime(9999, 12, 29, tzinfo=UTC)
"""Between these every zone of the world has a time for a moment. Services that say "never" with the
first or the last moment that there is are read so."""


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    if moment < EARLIEST:
        return EARLIEST
    if moment > LATEST:
        return LATEST
    return moment.astimezone(UTC) if moment.utcoffset() else moment


Timestamp: TypeAlias = Annotated[datetime, AfterValidator(_in_utc)]
"""An ISO 8601 moment, always aware and in UTC; one without an offset is taken as UTC."""

Uri: TypeAlias = Annotated[
    str, StringConstraints(max_length=2048, pattern=r"^[A-Za-z][A-Za-z0-9+.\-]*:\S+$")
]
"""An absolute URI, at most 2048 characters."""

WebAddress: TypeAlias = Annotated[
    str, StringConstraints(max_length=2048, pattern=r"^[Hh][Tt][Tt][Pp][Ss]?://[^\s/?#]\S*$")
]
"""Where a browser may be sent: http or https, at most 2048 characters."""

Icon: TypeAlias = Annotated[str, StringConstraints(max_length=50)]
"""The name of an icon, at most 50 characters."""


class Tagged(BaseModel):
    """A model whose kind is written even though requests write only what was set."""

    tag: ClassVar[str] = "type"

    def model_post_init(self, context: Any, /) -> None:
        """Count the kind among the fields that were set."""
        self.model_fields_set.add(self.tag)


class Urls(Shape):
    """Where a resource can be seen. ``location`` is the API's own address, ``app`` the editor's."""

    location: str | None = None
    app: str | None = None
    published: str | None = None
    public: str | None = None
    icon: str | None = None
    logo: str | None = None
    assets: str | None = None
    public_endpoint: str | None = None
    source: str | None = None


class ContentReference(Shape):
    """A kind-tagged pointer to content. One of a kind unknown here is kept whole."""

    model_config = ConfigDict(extra="allow")

    kind: Open[ReferenceKind]
    file: str | None = None
    page: str | None = None
    space: str | None = None
    spec: str | None = None
    url: str | None = None


class FileReference(Tagged, Body):
    """A file of a space, as requests name it."""

    tag: ClassVar[str] = "kind"

    kind: Literal["file"] = "file"
    file: str
    space: str | None = None


class PageReference(Tagged, Body):
    """A page of a space, as requests name it."""

    tag: ClassVar[str] = "kind"

    kind: Literal["page"] = "page"
    page: str
    space: str | None = None


class SpecReference(Tagged, Body):
    """An OpenAPI specification, as requests name it."""

    tag: ClassVar[str] = "kind"

    kind: Literal["openapi"] = "openapi"
    spec: str


WrittenReference: TypeAlias = Annotated[
    FileReference | PageReference | SpecReference, Field(discriminator="kind")
]
"""A content reference in a request: only the kinds of the document."""

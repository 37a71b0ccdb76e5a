"""Parts that several resources share: addresses, moments, references, kinds always written."""

from datetime import UTC, datetime
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    StringConstraints,
    WithJsonSchema,
    model_validator,
)

from copydesk.contract.enumerations import ReferenceKind
from copydesk.contract.models.base import Always, Body, Open, Shape
from copydesk.contract.operation import Wire

EARLIEST = datetime(1, 1, 3, tzinfo=UTC)
LATEST = datetime(9999, 12, 29, tzinfo=UTC)
"""Between these every zone of the world has a time for a moment. Services that say "never" with the
first or the last moment that there is are read so."""


def _in_utc(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    if not EARLIEST.year < moment.year < LATEST.year:  # most need no comparison, which is slow
        if moment < EARLIEST:
            return EARLIEST
        if moment > LATEST:
            return LATEST
    return moment.astimezone(UTC) if moment.utcoffset() else moment


Timestamp: TypeAlias = Annotated[datetime, AfterValidator(_in_utc)]
"""An ISO 8601 moment, always aware and in UTC; one without an offset is taken as UTC."""

Since: TypeAlias = Annotated[Timestamp | None, Wire("from")]
"""The start of a span of time in a query. Its name in the API is a keyword of Python."""

_NEVER = r"\s\x00-\x1f\x7f-\x9f"
"""What no address has: blanks and control characters. Letters of any language are common in it."""

Uri: TypeAlias = Annotated[
    str, StringConstraints(max_length=2048, pattern=rf"^[A-Za-z][A-Za-z0-9+.\-]*:[^{_NEVER}]+$")
]
"""An absolute URI, at most 2048 characters."""

WEB_ADDRESS = rf"[Hh][Tt][Tt][Pp][Ss]?://[^{_NEVER}/?#][^{_NEVER}]*"

WebAddress: TypeAlias = Annotated[
    str, StringConstraints(max_length=2048, pattern=f"^{WEB_ADDRESS}$")
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


Address: TypeAlias = Annotated[str, WithJsonSchema({"type": "string", "format": "uri"})]
"""An absolute URI in an answer, made by the service; who reads takes any text. One that people gave
is plain text: it may have letters that a URI writes otherwise."""


class SomeUrls(Shape):
    """Where a resource can be seen: ``location`` is the API's own address, ``app`` the editor's.

    The classes below say which of them every answer has.
    """

    location: Address | None = None
    app: Address | None = None
    published: Address | None = None
    public: Address | None = None
    icon: Address | None = None
    logo: Address | None = None
    assets: Address | None = None
    public_endpoint: Address | None = None
    source: str | None = None


class Urls(SomeUrls):
    """The addresses of what the API has by itself."""

    location: Always[Address] = None


class ShownUrls(SomeUrls):
    """The addresses of what the application shows."""

    app: Always[Address] = None


class ResourceUrls(SomeUrls):
    """The addresses of what the API has by itself and the application shows."""

    location: Always[Address] = None
    app: Always[Address] = None


def id_of(value: Any) -> Any:
    """Return the id of what a service may write out whole in place of its id."""
    return value.get("id") if isinstance(value, dict) else value


class ContentReference(Shape):
    """A kind-tagged pointer to content. One of a kind unknown here is kept whole.

    What it points at is an id; a service may write it out whole, and then it is ``called`` by its
    own name.
    """

    model_config = ConfigDict(extra="allow")

    _called: dict[str, str] = PrivateAttr(default_factory=dict)

    kind: Open[ReferenceKind]
    file: str | None = None
    page: str | None = None
    space: str | None = None
    spec: str | None = None
    url: str | None = None

    @model_validator(mode="wrap")
    @classmethod
    def _by_ids(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        names: dict[str, str] = {}
        if isinstance(value, dict):
            whole = {name: each for name, each in value.items() if isinstance(each, dict)}
            value = {name: each for name, each in value.items() if name not in whole}
            for name, each in whole.items():
                value[name] = each.get("id") or each.get("slug")
                said = each.get("title") or each.get("name") or each.get("label")
                if isinstance(said, str):
                    names[name] = said
        made = handler(value)
        if names:
            made._called = names
        return made

    def called(self, part: str) -> str:
        """Return the name of the ``page``, ``file``, … that it leads to; empty if not told."""
        return self._called.get(part, "")


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

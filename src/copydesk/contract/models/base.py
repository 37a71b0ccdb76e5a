"""What every model shares: wire names, lenient reading, strict writing, pages, kinds of fields."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    Self,
    TypeAlias,
    TypedDict,
    TypeVar,
)

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    RootModel,
    SerializerFunctionWrapHandler,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
    WithJsonSchema,
    model_serializer,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails, PydanticKnownError, from_json, to_json

from copydesk.contract.enumerations import ReferenceKind
from copydesk.contract.operation import Wire

T = TypeVar("T")

Open: TypeAlias = T | str
"""An enumeration read leniently: ``Open[Role]`` also takes values unknown to this version."""

ALWAYS = "always"
"""Marks a field that every answer has, though who reads does without it."""

Always: TypeAlias = Annotated[T | None, ALWAYS]
"""A field that the API requires in answers: ``Always[str]`` reads leniently all the same."""

Count = Annotated[int, Field(ge=-(2**63), lt=2**63), WithJsonSchema({"type": "integer"})]
"""A whole number of 64 bits, as programs have them: JSON has larger ones, with which to calculate
fails."""

Real = Annotated[float, Field(ge=-(2**63), lt=2**63), WithJsonSchema({"type": "number"})]
"""A number within the same bounds: neither endless nor none at all."""

Emoji = Annotated[str, StringConstraints(max_length=50)]
"""An emoji, at most 50 characters."""


class Shape(BaseModel):
    """A part of a resource, or an answer with no kind of its own.

    Reads leniently: unknown fields are dropped and known ones are found by either name. Optional
    fields are None when absent and are left out again when written (docs/api-notes.md, Fields).
    """

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        extra="ignore",
        defer_build=True,  # a start builds the models it uses, not all of them
    )

    def to_json(self) -> bytes:
        """Return the JSON of this value as it goes over the wire, absent fields left out."""
        return self.__pydantic_serializer__.to_json(self, by_alias=True, exclude_none=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON value of this model, absent fields left out."""
        value: dict[str, Any] = self.model_dump(mode="json", exclude_none=True)
        return value


class Resource(Shape):
    """An object of the API. ``object`` names its kind."""

    object: str


class KeepsNull(Shape):
    """A model with fields for which null says something, such as a role (null is a guest).

    The fields named in ``nullable`` are written as null when they were set to None.
    """

    nullable: ClassVar[tuple[str, ...]] = ()

    @model_serializer(mode="wrap")
    def _keep_null(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = handler(self)
        for name in self.nullable:
            if name in self.model_fields_set and getattr(self, name) is None:
                written.setdefault(type(self).model_fields[name].alias or name, None)
        return written


MOST_IN_ONE = 100
"""How many of something a thing on one's own desk has at most that is always answered with all."""

OWN_DESK = "own desk"
"""The context in which one's own desk validates a request."""

Several = TypeVar("Several", list[Any], dict[str, Any])


def few_enough(value: Several, info: ValidationInfo) -> Several:
    """Refuse too many on one's own desk; other services know how many they take."""
    if info.context == OWN_DESK and len(value) > MOST_IN_ONE:
        kind, number = "List" if isinstance(value, list) else "Object", len(value)
        bound = {"field_type": kind, "max_length": MOST_IN_ONE, "actual_length": number}
        raise PydanticKnownError("too_long", bound)
    return value


Few: TypeAlias = Annotated[list[T], AfterValidator(few_enough)]
"""Of a request: a list that belongs to one thing (docs/api-notes.md, Length limits)."""

FewByName: TypeAlias = Annotated[dict[str, T], AfterValidator(few_enough)]
"""Of a request: what belongs to one thing, by name or by language."""


class Body(BaseModel):
    """A request body. Strict: an unknown field or a broken limit raises ``ValidationError``.

    A field that was never set is not sent; one set to None is sent as null, so that "leave it" and
    "remove it" stay apart. Null is refused for fields not named in ``nullable``.
    """

    nullable: ClassVar[tuple[str, ...]] = ()

    model_config = ConfigDict(
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        extra="forbid",
        defer_build=True,
    )

    @model_validator(mode="after")
    def _null_only_where_it_means_something(self) -> Self:
        for name in self.model_fields_set:
            if name not in self.nullable and getattr(self, name) is None:
                # A field beyond the declared ones is called what the body calls it.
                field = type(self).model_fields.get(name)
                wire = (field and field.alias) or name
                raise ValueError(f"{wire} cannot be null: leave it out to keep it as it is")
        return self

    def to_json(self) -> bytes:
        """Return the JSON of the fields that were set."""
        return self.__pydantic_serializer__.to_json(self, by_alias=True, exclude_unset=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON value of the fields that were set."""
        value: dict[str, Any] = self.model_dump(mode="json", exclude_unset=True)
        return value


class Batch(RootModel[list[T]], Generic[T]):
    """Several bodies at once: a JSON list."""

    def to_json(self) -> bytes:
        """Return the JSON list, with the fields that were set."""
        return self.__pydantic_serializer__.to_json(self, by_alias=True, exclude_unset=True)


class Next(Shape):
    """Where a list goes on: the token to pass as ``page``."""

    page: str


class Page(Shape, Generic[T]):
    """One page of a list. ``next`` is absent on the last page."""

    items: list[T]
    next: Next | None = None
    count: Count | None = None


Limit = Annotated[int, Field(ge=0, le=1000)]
"""How many items a page holds at most (docs/api-notes.md, Pages of a list)."""


class Paging(TypedDict, total=False):
    """Which page of a list is asked for: what every operation takes that answers a ``Page``.

    In a signature: ``**paging: Unpack[Paging]``.
    """

    page: str | None
    limit: Limit | None


Way: TypeAlias = tuple[str | int, ...]
"""The names and numbers that lead to a part of a JSON value."""

LENIENT = {"lenient": True}
"""The context of a model that is read without parts that did not fit: some say what is missing."""

MOST_ROUNDS = 40
"""How often an answer is tried without the parts that did not fit; each try goes a level up."""


MOST_FAULTS = 100_000
"""An answer with more faults is refused whole: to describe each takes a kilobyte."""


class Dropped(NamedTuple):
    """A part that was dropped: its path, the reason, and its value."""

    way: Way
    why: str
    value: Any

    @property
    def item(self) -> bool:
        """Whether it is an item of the list, or of the tree, that was asked for."""
        names = {step for step in self.way if isinstance(step, str)}
        return isinstance(self.way[-1], int) and len(names) <= 1

    @property
    def place(self) -> str:
        """Where it stood, such as ``items.3``."""
        return ".".join(map(str, self.way))

    @property
    def field(self) -> str:
        """Where it stood, in whichever item of a list, such as ``items.*.icon``."""
        return ".".join("*" if isinstance(step, int) else step for step in self.way)


def read_leniently(adapter: TypeAdapter[T], content: bytes) -> tuple[T, list[Dropped]]:
    """Return what JSON says, and what of it had to be left out.

    Raises ``ValidationError``, for the whole, where it is no JSON or nothing of it fits.
    """
    try:
        return adapter.validator.validate_json(content), []
    except ValidationError as error:
        failed = first = error
    if first.error_count() > MOST_FAULTS:
        raise first
    try:
        value, whole = from_json(content), from_json(content)
    except ValueError:
        raise first from None
    came = dict(_pairs(value, whole))
    dropped: list[Dropped] = []
    for _ in range(MOST_ROUNDS):
        faults = _deepest(value, failed.errors(include_url=False, include_context=False))
        # From the end: what stands before it in a list keeps its number.
        for way in sorted(faults, key=_place, reverse=True):
            part = _take_out(value, way)
            dropped.append(Dropped(way, faults[way], came.get(id(part), part)))
        if not faults:
            break
        try:
            left = to_json(value, inf_nan_mode="constants")
            return adapter.validate_json(left, context=LENIENT), dropped
        except ValidationError as error:
            failed = error
    raise first


def _pairs(value: Any, whole: Any) -> Iterator[tuple[int, Any]]:
    """Yield each object and list in a value, by its id, with the same one in its copy."""
    if isinstance(value, dict | list):
        yield id(value), whole
        steps = value if isinstance(value, dict) else range(len(value))
        for step in steps:
            yield from _pairs(value[step], whole[step])


def _deepest(value: Any, errors: Iterable[ErrorDetails]) -> dict[Way, str]:
    """Return the parts that errors are about, with the reason, but for those that hold others.

    What holds another part may fit without that.
    """
    found = {_way(value, error["loc"]): error["msg"] for error in errors}
    above = {way[:length] for way in found for length in range(len(way))}
    return {way: why for way, why in found.items() if way and way not in above}


def _way(value: Any, location: Way) -> Way:
    """Return the way to the part with an error.

    For a missing field that is the object without it. A location also names the kinds of a union,
    which the value does not have: they are left out.
    """
    way: list[str | int] = []
    for step in location:
        known = isinstance(value, dict) and step in value
        if known or (isinstance(value, list) and isinstance(step, int) and step < len(value)):
            way.append(step)
            value = value[step]
    return tuple(way)


def _place(way: Way) -> tuple[str, ...]:
    return tuple(f"{step:012}" if isinstance(step, int) else step for step in way)


def _take_out(value: Any, way: Way) -> Any:
    for step in way[:-1]:
        value = value[step]
    return value.pop(way[-1])


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

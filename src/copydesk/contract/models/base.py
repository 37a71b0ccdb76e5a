"""What every model shares: wire names, lenient reading, strict writing, pages of a list."""

from typing import Annotated, Any, ClassVar, Generic, Self, TypeAlias, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    WithJsonSchema,
    model_serializer,
    model_validator,
)
from pydantic.alias_generators import to_camel

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

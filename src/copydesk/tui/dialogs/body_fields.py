"""The values that a body of the contract has: how each is typed, limited and read from its text.

Everything is taken from the model: the name on the wire, the kind, the limits, what it says by
being null, and the words of help.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NoReturn, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from copydesk.contract.models.base import Body
from copydesk.domain.json_display import json_text
from copydesk.domain.text import unseen
from copydesk.tui.dialogs.body_limits import limits_of

Kind: TypeAlias = Literal["text", "choice", "number", "moment", "list", "ticks", "json"]
"""How a value is typed: as it is, one of a few, a list of texts, several of a few, or as JSON."""

MOST_INNER = 4
"""A part of a body with more fields than this is typed as JSON."""

DEEPEST = 4
"""How deep a body is looked into."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+")
_SHORT = frozenset({"ai", "api", "id", "json", "saml", "sso", "uri", "url"})


_NONE_HELD: Mapping[str, Sequence[str]] = {}


class NotReadableError(ValueError):
    """What is typed is no value at all; the message says why."""


def words_of(name: str) -> str:
    """Return a wire name as a label: ``defaultRole`` is "Default role"."""
    said: list[str] = []
    for part in name.split("."):
        words = [
            word.upper() if word.lower() in _SHORT or word.isupper() else word.lower()
            for word in _WORDS.findall(part)
        ]
        line = " ".join(words) or part
        said.append(f"{line[0].upper()}{line[1:]}" if not said else line)
    return ": ".join(said)


@dataclass(frozen=True)
class Slot:
    """A value in a body: the place where it is, and what the model says of it.

    ``path`` are wire names. ``needed`` says that the part of the body that it is in is invalid
    without it, ``required`` that the body is.
    """

    path: tuple[str, ...]
    kind: Kind
    annotation: Any
    needed: bool
    required: bool
    nullable: bool
    schema: Mapping[str, Any]
    about: str
    default: Any = None

    @property
    def name(self) -> str:
        """Its name in the form: the place, as a refusal of the service writes it."""
        return ".".join(self.path)

    @cached_property
    def values(self) -> tuple[str, ...]:
        """The values of an enumeration, as texts; of a list, those of its items."""
        inner = get_args(self.annotation)[0] if self.kind == "ticks" else self.annotation
        inner = bare(inner)[0]
        if inner is bool:
            return ("true", "false")
        return tuple(str(each) for each in get_args(inner)) if self.kind != "json" else ()

    @property
    def limits(self) -> str:
        """Its limits in words, and how it is typed where that is not plain."""
        how = {
            "list": "One per line, or separated by commas.",
            "ticks": "Separated by commas; ctrl+o ticks them.",
            "json": "JSON.",
            "moment": "Such as 2026-03-01T08:30:00Z; UTC where no offset is given.",
            "choice": "Left, right or a letter choose; ctrl+o lists them.",
        }.get(self.kind, "")
        kinds = _kinds(self.annotation)
        if self.kind == "json" and str in kinds:
            how = "A text, or JSON."
        limits = limits_of(self.schema) if self.kind != "json" else ""
        return " ".join(part for part in (limits, how) if part)

    @property
    def longest(self) -> int | None:
        """How many characters a text may have at most."""
        longest: int | None = self.schema_of("maxLength")
        return longest

    @property
    def shaped(self) -> bool:
        """Whether a text has to look like something, as an address does."""
        return self.schema_of("pattern") is not None

    def schema_of(self, word: str) -> Any:
        """Return what its JSON Schema says of it by a word, or None."""
        parts = self.schema.get("anyOf", (self.schema,))
        return next((part[word] for part in parts if word in part), None)

    def titled(self, value: str) -> str:
        """Return a value of an enumeration as it is shown."""
        if bare(self.annotation)[0] is bool:
            return {"true": "yes", "false": "no"}.get(value, value)
        return value

    def fits(self, value: Any) -> bool:
        """Whether a value that was read is one that a field of this kind can hold.

        A resource may say something else by the same name, such as how many there are.
        """
        match self.kind:
            case _ if value is None:
                return True
            case "text" | "moment":
                return isinstance(value, str)
            case "choice":
                return isinstance(value, bool) == (bare(self.annotation)[0] is bool) and (
                    isinstance(value, str | bool)
                )
            case "number":
                return isinstance(value, int | float) and not isinstance(value, bool)
            case "list" | "ticks":
                return _all_texts(value)
        return True

    def written(self, value: Any) -> str:
        """Return a value of the wire as the text to be edited."""
        if value is None:
            return ""
        match self.kind:
            case "list" if _all_texts(value):
                return "\n".join(value)
            case "ticks" if _all_texts(value):
                return ", ".join(value)
            case "json":
                return self._json_text(value)
            case "choice" if isinstance(value, bool):
                return "true" if value else "false"
        if isinstance(value, str):
            return value
        return json.dumps(value, ensure_ascii=False)

    def _json_text(self, value: Any) -> str:
        """Return a value as JSON, a text as it is where it would be read as itself."""
        if isinstance(value, str) and str in _kinds(self.annotation):
            try:
                if not unseen(value) and _json(value, plain=True) == value:
                    return value
            except NotReadableError:
                pass
        return json_text(value)

    def read(self, text: str, held: Mapping[str, Sequence[str]] = _NONE_HELD) -> Any:
        """Return the value that a text stands for, unchecked.

        ``held`` are the items that a list has, by how they are shown: a line like that is the item
        itself, whatever commas or unseen signs are in it, and the next such line the next of them.
        Raises `NotReadableError` for a text that is none.
        """
        match self.kind:
            case "choice" if bare(self.annotation)[0] is bool:
                return {"true": True, "false": False}.get(text, text)
            case "number":
                return _number(text)
            case "list":
                return list(_items(text, held))
            case "ticks":
                return [part.strip() for part in text.split(",") if part.strip()]
            case "json":
                return _json(text, plain=str in _kinds(self.annotation))
        return text


def _all_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _items(text: str, held: Mapping[str, Sequence[str]]) -> Iterator[str]:
    alike = {line: list(items) for line, items in held.items()}
    for line in text.split("\n"):
        if same := alike.get(item := line.strip()):
            yield same.pop(0) if len(same) > 1 else same[0]
        elif item.startswith("data:"):
            yield item
        else:
            yield from (part.strip() for part in item.split(",") if part.strip())


def _number(text: str) -> Any:
    if re.fullmatch(r"[+-]?\d{1,300}", text):
        return int(text)
    if re.fullmatch(r"[+-]?\d{0,300}\.?\d{1,300}(?:[eE][+-]?\d{1,4})?", text):
        return float(text)
    return text


def _json(text: str, *, plain: bool) -> Any:
    try:
        return json.loads(text, parse_constant=_no_number)
    except json.JSONDecodeError as error:
        if plain and text[:1] not in '{["':
            return text
        why = f"{error.msg[0].lower()}{error.msg[1:]}"
        at = f"line {error.lineno}, column {error.colno}"
        raise NotReadableError(f"this is not JSON: {why}, {at}") from None
    except RecursionError:
        raise NotReadableError("it is nested too deep") from None
    except ValueError as error:
        raise NotReadableError(f"this is not JSON: {error}") from None


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def bare(annotation: Any) -> tuple[Any, bool]:
    """Return a type without its constraints and without None, and whether it took None."""
    nothing = False
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif get_origin(annotation) in (Union, UnionType):
            parts = [part for part in get_args(annotation) if part is not NoneType]
            nothing = nothing or len(parts) < len(get_args(annotation))
            if len(parts) > 1:
                return annotation, nothing
            annotation = parts[0]
        else:
            return annotation, nothing


def _kinds(annotation: Any) -> list[Any]:
    """Return what a value may be: the parts of a union, without their constraints."""
    inner = bare(annotation)[0]
    if get_origin(inner) in (Union, UnionType):
        return [bare(part)[0] for part in get_args(inner) if part is not NoneType]
    return [inner]


def _kind(inner: Any) -> Kind:
    if inner is bool or get_origin(inner) is Literal:
        return "choice"
    if inner in (int, float):
        return "number"
    if inner is datetime:
        return "moment"
    if inner is str:
        return "text"
    if get_origin(inner) is list:
        item = bare(get_args(inner)[0])[0]
        if item is str:
            return "list"
        if get_origin(item) is Literal:
            return "ticks"
    return "json"


def wire_name(model: type[BaseModel], name: str) -> str:
    """Return what a field of a model is called on the wire."""
    field = model.model_fields[name]
    return field.serialization_alias or field.alias or name


@cache
def slots_of(
    model: type[Body], above: tuple[str, ...] = (), *, required: bool = True
) -> tuple[Slot, ...]:
    """Return the values that a body has, those of its small parts by their places in it.

    What can only be one thing is none of them: `with_constants` puts it into a body. ``required``
    says that the part of the body that is looked at has to be there.
    """
    schemas = model.model_json_schema(by_alias=True).get("properties", {})
    found: list[Slot] = []
    for name, field in model.model_fields.items():
        wire = wire_name(model, name)
        path = (*above, wire)
        inner, _ = bare(field.annotation)
        if _only_value(field) is not None:
            continue
        must = field.is_required()
        if isinstance(inner, type) and issubclass(inner, Body) and len(path) < DEEPEST:
            parts = slots_of(inner, path, required=required and must)
            if 0 < len(parts) <= MOST_INNER and name not in model.nullable:
                found.extend(parts)
                continue
        schema = schemas.get(wire, {})
        found.append(
            Slot(
                path,
                _kind(inner),
                inner,
                must,
                must and required,
                name in model.nullable,
                schema,
                field.description or "",
                None if must else field.get_default(call_default_factory=False),
            )
        )
    return tuple(found)


def _only_value(field: FieldInfo) -> Any:
    """Return the one value that a field can have, or None."""
    inner, takes_none = bare(field.annotation)
    values = get_args(inner) if get_origin(inner) is Literal else ()
    return values[0] if len(values) == 1 and not takes_none else None


def with_constants(model: type[BaseModel], value: dict[str, Any]) -> dict[str, Any]:
    """Return JSON of a body with what has to be there and can only be one thing, in parts too."""
    whole = dict(value)
    for name, field in model.model_fields.items():
        wire = wire_name(model, name)
        only = _only_value(field)
        if only is not None and field.is_required():
            whole.setdefault(wire, only)
        inner = bare(field.annotation)[0]
        part = whole.get(wire)
        if isinstance(part, dict) and isinstance(inner, type) and issubclass(inner, Body):
            whole[wire] = with_constants(inner, part)
    return whole

"""The values that a body of the contract has: how each is typed, limited and read from its text.

Everything is taken from the model: the name on the wire, the kind, the limits, what it says by
being null, and the words of help.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NoReturn, TypeAlias, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from copydesk.contract.models.base import Body
from copydesk.domain.json_display import json_text
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, listed, plural, unseen

SAMPLES = (
    "https://example.com/docs",
    "mailto:docs@example.com",
    "example.com/docs",
    "acme-docs",
    "Acme",
    "/guides/start",
)
"""Texts by which a pattern is explained: who reads it sees what it takes, not how it is written."""

TOLD = 200
"""How many characters of a value are repeated in a message about it."""

_MOMENT = "it has to be a date and a time, such as 2026-03-01T08:30:00Z"

_KINDS: Mapping[str, str] = {
    "missing": "it has to be filled in",
    "string_type": "it has to be a text",
    "string_unicode": "it holds half a sign, which cannot be sent",
    "int_type": "it has to be a whole number",
    "int_parsing": "it has to be a whole number",
    "int_from_float": "it has to be a whole number",
    "float_type": "it has to be a number",
    "finite_number": "the number is too large",
    "bool_type": "it has to be true or false",
    "datetime_type": _MOMENT,
    "datetime_parsing": _MOMENT,
    "datetime_from_date_parsing": _MOMENT,
    "datetime_object_invalid": _MOMENT,
    "extra_forbidden": "there is no such field",
    "dict_type": "it has to be a JSON object",
    "model_type": "it has to be a JSON object",
    "model_attributes_type": "it has to be a JSON object",
    "list_type": "it has to be a list",
    "union_tag_not_found": "it has to say of which kind it is",
}
"""What is wrong, by pydantic's name for it, where no bound is to be told."""


def alike(pattern: str) -> str:
    """Return what a text of a pattern looks like: one or two that match it."""
    found = [sample for sample in SAMPLES if re.search(pattern, sample)]
    return listed(found[:2], "or")


def limits_of(schema: Mapping[str, Any]) -> str:
    """Return the limits that a JSON Schema sets, as one sentence; empty where there are none.

    Beside null it may be of one kind only: the limits of several are told once they are broken.
    """
    kinds = [part for part in schema.get("anyOf", (schema,)) if part.get("type") != "null"]
    if len(kinds) != 1:
        return ""
    limits = kinds[0]
    least = limits.get("minLength") or None
    if least == 1 and "maxLength" not in limits:
        least = None  # that it cannot be empty is told once it is
    fewest = limits.get("minItems") or None
    if fewest == 1 and "maxItems" not in limits:
        fewest = None  # nor that a list cannot be, which may be left out
    said = [
        _between(least, limits.get("maxLength"), "character"),
        _between(fewest, limits.get("maxItems"), "item"),
        _between(limits.get("minimum"), limits.get("maximum"), ""),
        f"more than {limits['exclusiveMinimum']:,}" if "exclusiveMinimum" in limits else "",
        f"less than {limits['exclusiveMaximum']:,}" if "exclusiveMaximum" in limits else "",
    ]
    if "pattern" in limits and (sample := alike(limits["pattern"])):
        said.append(f"such as {sample}")
    told = ", ".join(part for part in said if part)
    return f"{told[0].upper()}{told[1:]}." if told else ""


def _between(least: float | None, most: float | None, noun: str) -> str:
    """Return bounds in words, with the counted noun."""

    def counted(bound: float) -> str:
        return plural(int(bound), noun) if noun else f"{bound:,}"

    match least, most:
        case None, None:
            return ""
        case None, bound if bound is not None:
            return f"{counted(bound)} at most"
        case bound, None if bound is not None:
            return f"{counted(bound)} at least"
    assert least is not None
    assert most is not None
    return f"{least:,} to {counted(most)}"


def what_is_wrong(error: ErrorDetails) -> str:
    """Return what is wrong with a value: "64 characters at most, this has 70".

    Where in the value it is belongs before it.
    """
    context, value = error.get("ctx", {}), error["input"]
    match error["type"]:
        case "string_too_long":
            return f"{plural(context['max_length'], 'character')} at most, this has {len(value):,}"
        case "string_too_short":
            return f"{plural(context['min_length'], 'character')} at least, this has {len(value):,}"
        case "too_long":
            return f"{plural(context['max_length'], 'item')} at most, this has {len(value):,}"
        case "too_short":
            return f"{plural(context['min_length'], 'item')} at least, this has {len(value):,}"
        case "less_than_equal" | "less_than":
            than = "" if error["type"].endswith("_equal") else "less than "
            bound = context.get("le", context.get("lt"))
            return f"{than}{bound:,}{'' if than else ' at most'}, this is {value}"
        case "greater_than_equal" | "greater_than":
            than = "" if error["type"].endswith("_equal") else "more than "
            bound = context.get("ge", context.get("gt"))
            return f"{than}{bound:,}{'' if than else ' at least'}, this is {value}"
        case "string_pattern_mismatch":
            sample = alike(context["pattern"])
            return f"it has to look like {sample}" if sample else "it has not the form asked for"
        case "literal_error" | "enum":
            return f"it has to be {clean(str(context['expected']).replace(chr(39), ''))}"
        case "value_error":
            return clean(str(context["error"]), limit=TOLD)
    if (said := _KINDS.get(error["type"])) is not None:
        return said
    told = clean(error["msg"], limit=TOLD)
    return re.sub(r"^(?:Value|Input|String) should", "it should", told)


def first_of(errors: Sequence[ErrorDetails], depth: int) -> ErrorDetails:
    """Return the error to tell, of those of a value that is ``depth`` deep in its body.

    Where it may be of several kinds, that is the kind that it fits best: pydantic tells what is
    wrong with it as each of them, and puts the kind into the place.
    """
    return min(errors, key=lambda error: _misfit(error, depth))


def _misfit(error: ErrorDetails, depth: int) -> tuple[bool, bool, int]:
    strange = error["type"].endswith("_type") and len(error["loc"]) <= depth + 1
    return strange, error["type"] in ("missing", "extra_forbidden"), -len(error["loc"])


def sentence_of(error: ErrorDetails, depth: int) -> str:
    """Return the fault as it is shown at a field: the place within it, and the problem."""
    inside = [
        str(part) for part in error["loc"][depth:] if not (isinstance(part, str) and "[" in part)
    ]
    # The kinds of a union are named by their classes; names on the wire begin with a small letter.
    # A text with limits has no class: pydantic calls it "constrained-str".
    named = [part for part in inside if not (part[:1].isupper() or part.startswith("constrained-"))]
    where = clean(".".join(named), limit=TOLD)
    return f"{where}: {what_is_wrong(error)}" if where else what_is_wrong(error)


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
    raise ValueError(f"{text} is not a number")


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

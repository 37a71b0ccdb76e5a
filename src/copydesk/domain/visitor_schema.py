"""Visitor attributes of a site: the JSON Schema that declares them, and conditions over them.

The schema is a JSON Schema (draft 07) of an object whose properties are booleans, plus an
``unsigned`` object of booleans, and nothing else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from copydesk.domain.json_text import JSON, Path
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import unseen

UNSIGNED = "unsigned"
"""The property that holds claims which nobody has signed."""

CLAIMS = "visitor.claims"
"""What a condition calls the attributes of the visitor."""

ATTRIBUTE_LIMIT = 200
"""How many attributes a schema declares at most."""

BOOLEAN = "must be 'boolean', the only type known"

CHOICES = 12
"""So many of the values are named that an attribute can have."""

EMPTY_SCHEMA: Mapping[str, JSON] = {
    "type": "object",
    "properties": {},
    "additionalProperties": False,
}
"""The schema of a site that knows no visitor attribute yet."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DRAFT = re.compile(r"https?://json-schema\.org/draft-07/schema#?")
_MEMBER = (
    r"""\s*\??\.\s*[A-Za-z_$][\w$]*|\s*(?:\?\.)?\[\s*(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\s*\]"""
)
_CLAIM = re.compile(rf"\bvisitor\s*\??\.\s*claims((?:{_MEMBER})+)")
_EACH = re.compile(_MEMBER)


@dataclass(frozen=True, slots=True)
class Attribute:
    """One thing that a site may know of a visitor: yes or no. Texts are as the service has them.

    A signed one comes from whoever signs visitors in; an ``unsigned`` one from the visitor's side.
    ``holds`` describes its values where they are not yes or no, if the schema does.
    """

    name: str
    unsigned: bool = False
    description: str = ""
    title: str = ""
    default: JSON = None
    holds: str = ""

    @property
    def key(self) -> tuple[bool, str]:
        """What tells it from others: a signed one may be called like an unsigned one."""
        return self.unsigned, self.name

    @property
    def expression(self) -> str:
        """What a condition calls it."""
        inner = f".{UNSIGNED}" if self.unsigned else ""
        return f"{CLAIMS}{inner}{_member(self.name)}"


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault of a schema, and the path to it; no full stop.

    ``certain`` says that it is no JSON Schema. Else the API document does not have it: the embedded
    desk refuses it, another service perhaps does not.
    """

    path: Path
    said: str
    certain: bool = False

    @property
    def where(self) -> str:
        """The path as people write it; empty for the schema itself."""
        return ".".join(str(step)[:100] for step in self.path)


@dataclass(frozen=True, slots=True)
class Changes:
    """What another schema makes of the attributes. ``elsewhere``: something else changed too."""

    added: tuple[Attribute, ...] = ()
    removed: tuple[Attribute, ...] = ()
    changed: tuple[tuple[Attribute, Attribute], ...] = ()
    elsewhere: bool = False

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed or self.elsewhere)


def attributes(schema: JSON) -> list[Attribute]:
    """Return the attributes that a schema declares, signed ones first; others are skipped."""
    properties = _members(schema)
    found = [
        _attribute(name, value, False)
        for name, value in properties.items()
        if name != UNSIGNED and isinstance(value, dict)
    ]
    inner = _members(properties.get(UNSIGNED))
    found += [
        _attribute(name, value, True) for name, value in inner.items() if isinstance(value, dict)
    ]
    return found


def _members(schema: JSON) -> Mapping[str, JSON]:
    found = schema.get("properties") if isinstance(schema, dict) else None
    return found if isinstance(found, dict) else {}


def _attribute(name: str, value: Mapping[str, JSON], unsigned: bool) -> Attribute:
    texts = (value.get(field) for field in ("description", "title"))
    description, title = (text if isinstance(text, str) else "" for text in texts)
    return Attribute(name, unsigned, description, title, value.get("default"), _holds(value))


def _holds(value: Mapping[str, JSON]) -> str:
    """Return what an attribute holds that is not yes or no: its type, and what it can be."""
    kind, choices = value.get("type"), value.get("enum")
    if kind == "boolean":
        return ""
    said = kind if isinstance(kind, str) else "not said"
    if isinstance(choices, list) and choices:
        said += f": {', '.join(str(each) for each in choices[:CHOICES])}"
        said += ", …" if len(choices) > CHOICES else ""
    return said


def _member(name: str) -> str:
    """Return the access to a member: by a dot where its name allows, else in quotes."""
    if _NAME.fullmatch(name):
        return "." + name
    escaped = json.dumps(name, ensure_ascii=False)
    for sign in set(unseen(escaped)):
        # Nobody would see it, and whoever copies the expression would lose it.
        escaped = escaped.replace(sign, json.dumps(sign)[1:-1])
    return f"[{escaped}]"


def claims_in(condition: str) -> frozenset[tuple[bool, str]]:
    """Return the keys of the attributes that a condition names."""
    found = set()
    for match in _CLAIM.finditer(condition):
        names = [_named(each[0]) for each in _EACH.finditer(match[1])]
        if names[0] != UNSIGNED:
            found.add((False, names[0]))
        elif len(names) > 1:
            found.add((True, names[1]))
    return frozenset(found)


def _named(access: str) -> str:
    inner = access.strip().removeprefix("?").removeprefix(".").strip()
    if not inner.startswith("["):
        return inner
    inside = inner[1:-1].strip()
    try:
        return str(json.loads(inside))
    except ValueError:  # in single quotes
        return re.sub(r"\\(.)", r"\1", inside[1:-1])


def changes(before: JSON, after: JSON) -> Changes:
    """Return what ``after`` makes of the attributes of ``before``."""
    old = {each.key: each for each in attributes(before)}
    new = {each.key: each for each in attributes(after)}
    declared = {each.key: _declared(before, each) for each in old.values()}
    changed = tuple(
        (old[key], each)
        for key, each in new.items()
        if key in old and _declared(after, each) != declared[key]
    )
    return Changes(
        tuple(each for key, each in new.items() if key not in old),
        tuple(each for key, each in old.items() if key not in new),
        changed,
        _rest(before) != _rest(after),
    )


def _declared(schema: JSON, attribute: Attribute) -> JSON:
    """Return what a schema says of one of its attributes."""
    properties = _members(schema)
    if attribute.unsigned:
        properties = _members(properties.get(UNSIGNED))
    return properties.get(attribute.name)


def _rest(schema: JSON) -> JSON:
    """Return what a schema says beside its attributes."""
    if not isinstance(schema, dict):
        return schema
    properties = dict(_members(schema))
    inner = properties.get(UNSIGNED)
    if isinstance(inner, dict):
        inner = {name: value for name, value in inner.items() if name != "properties"}
    return {name: value for name, value in schema.items() if name != "properties"}, inner or None


def problems(schema: JSON) -> Iterator[Problem]:
    """Yield what keeps a value from being a schema of visitor attributes."""
    if not isinstance(schema, dict):
        yield Problem((), "must be a JSON Schema, an object in braces", certain=True)
        return
    draft = schema.get("$schema")
    if draft is not None and not (isinstance(draft, str) and _DRAFT.fullmatch(draft)):
        yield Problem(("$schema",), "only JSON Schema draft 07 is understood", certain=True)
    yield from _object_problems(schema, ())
    if len(attributes(schema)) > ATTRIBUTE_LIMIT:
        yield Problem((), f"more than {ATTRIBUTE_LIMIT} attributes")
    for name, value in _members(schema).items():
        at: Path = ("properties", name)
        if name != UNSIGNED:
            yield from _boolean_problems(value, at)
        elif not isinstance(value, dict):
            yield Problem(at, "must be the schema of an object of booleans")
        else:
            yield from _object_problems(value, at)
            for inner, claim in _members(value).items():
                yield from _boolean_problems(claim, (*at, "properties", inner))


def _object_problems(schema: Mapping[str, JSON], at: Path) -> Iterator[Problem]:
    if schema.get("type") != "object":
        yield Problem((*at, "type"), "must be 'object'")
    if not isinstance(schema.get("properties"), dict):
        yield Problem((*at, "properties"), "must be an object, one entry per attribute")
    if schema.get("additionalProperties") is not False:
        yield Problem((*at, "additionalProperties"), "must be false")
    known = {"$schema", "type", "properties", "additionalProperties"}
    yield from _unknown(schema, known | {"title", "description", "required"}, at)


def _boolean_problems(value: JSON, at: Path) -> Iterator[Problem]:
    if not isinstance(value, dict) or value.get("type") != "boolean":
        yield Problem((*at, "type"), BOOLEAN)
    if not isinstance(value, dict):
        return
    yield from _unknown(value, {"type", "title", "description", "default"}, at)
    if not isinstance(value.get("description", ""), str):
        yield Problem((*at, "description"), "must be a text")


def _unknown(schema: Mapping[str, JSON], known: set[str], at: Path) -> Iterator[Problem]:
    for name in sorted(schema.keys() - known):
        yield Problem((*at, name), f"{name[:100]!r} is not understood here")


def draft_problems(schema: JSON) -> Iterator[Problem]:
    """Yield what keeps a value from being a JSON Schema (draft 07) at all."""
    from jsonschema import Draft7Validator

    validator: Any = Draft7Validator(Draft7Validator.META_SCHEMA)
    # The library goes through names as a set has them: each time otherwise.
    errors = validator.iter_errors(schema)
    for error in sorted(errors, key=lambda each: list(map(str, each.absolute_path))):
        path = tuple(error.absolute_path)
        shown = json.dumps(error.instance, ensure_ascii=False)
        shown = shown if len(shown) <= 40 else f"{shown[:39]}…"
        said = f"{shown} is not allowed here in JSON Schema draft 07"
        if error.validator == "type":
            kinds = error.validator_value
            wanted = kinds if isinstance(kinds, str) else " or ".join(kinds)
            said = f"must be of the type {wanted} in JSON Schema draft 07, not {shown}"
        elif path[-1:] == ("type",):
            said = f"{shown} is not a type in JSON Schema draft 07, as 'boolean' is"
        yield Problem(path, said, certain=True)


def all_problems(schema: JSON) -> list[Problem]:
    """Return all that is wrong with a schema; where it is no JSON Schema, that alone is told."""
    ours = list(problems(schema))
    if not isinstance(schema, dict):
        return ours
    certain = [*(each for each in ours if each.certain), *draft_problems(schema)]

    def is_told(path: Path) -> bool:
        """Whether there is a problem with a part, with one inside it or with one around it."""
        return any(
            each.path == path
            or (path and each.path and each.path[: len(path)] == path[: len(each.path)])
            for each in certain
        )

    return [*certain, *(each for each in ours if not is_told(each.path))]

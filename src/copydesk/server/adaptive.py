"""Visitor attributes of a site: the JSON Schema that declares them, and conditions over them.

The schema is a JSON Schema (draft 07) of an object whose properties are booleans, plus an
``unsigned`` object of booleans, and nothing else (platform-api.md, Adaptive schema).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from copydesk.contract.models.site import TemplateCondition
from copydesk.server.errors import invalid

EMPTY_SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {},
    "additionalProperties": False,
}
"""The schema of a site that knows no visitor attribute yet."""

UNSIGNED = "unsigned"
"""The property that holds claims which nobody has signed."""

ATTRIBUTE_LIMIT = 200
"""How many attributes a schema declares at most."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DRAFT = re.compile(r"https?://json-schema\.org/draft-07/schema#?")


def check_schema(schema: dict[str, object]) -> None:
    """Raise a 400 that says what keeps a schema from being one of visitor attributes."""
    where = "body.jsonSchema"
    draft = schema.get("$schema")
    if draft is not None and not (isinstance(draft, str) and _DRAFT.fullmatch(draft)):
        raise invalid(f"{where}.$schema: only JSON Schema draft 07 is understood")
    properties = _check_object(schema, where)
    if len(list(_attributes(schema))) > ATTRIBUTE_LIMIT:
        raise invalid(f"{where}: more than {ATTRIBUTE_LIMIT} attributes")
    for name, value in properties.items():
        at = f"{where}.properties.{name[:100]}"
        if name == UNSIGNED:
            if not isinstance(value, dict):
                raise invalid(f"{at}: must be the schema of an object of booleans")
            for inner, claim in _check_object(value, at).items():
                _check_boolean(claim, f"{at}.properties.{inner[:100]}")
        else:
            _check_boolean(value, at)


def template_conditions(schema: dict[str, object]) -> list[TemplateCondition]:
    """Return for each attribute the condition that it holds and the one that it does not."""
    found = []
    for path, name, description in _attributes(schema):
        label = description or name
        found.append(TemplateCondition(description=f"{label}: yes", condition=f"{path} == true"))
        found.append(TemplateCondition(description=f"{label}: no", condition=f"{path} != true"))
    return found


def _attributes(schema: dict[str, object]) -> Iterator[tuple[str, str, str]]:
    """Yield (expression, name, description) of each attribute, signed ones first."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return
    for name, value in properties.items():
        if name != UNSIGNED and isinstance(value, dict):
            yield "visitor.claims" + _member(name), name, str(value.get("description") or "")
    unsigned = properties.get(UNSIGNED)
    claims = unsigned.get("properties") if isinstance(unsigned, dict) else None
    if isinstance(claims, dict):
        for name, value in claims.items():
            if isinstance(value, dict):
                description = str(value.get("description") or "")
                yield f"visitor.claims.{UNSIGNED}{_member(name)}", name, description


def _member(name: str) -> str:
    """Return the access to a member: by a dot where its name allows, else in quotes."""
    if _NAME.fullmatch(name):
        return "." + name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'["{escaped}"]'


def _check_object(schema: dict[str, object], where: str) -> dict[str, object]:
    if schema.get("type") != "object":
        raise invalid(f"{where}.type: must be 'object'")
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        raise invalid(f"{where}.properties: must be an object, one entry per attribute")
    if schema.get("additionalProperties") is not False:
        raise invalid(f"{where}.additionalProperties: must be false")
    unknown = schema.keys() - {"$schema", "type", "properties", "additionalProperties"}
    unknown -= {"title", "description", "required"}
    if unknown:
        raise invalid(f"{where}: {sorted(unknown)[0][:100]!r} is not understood here")
    return properties


def _check_boolean(value: object, where: str) -> None:
    if not isinstance(value, dict) or value.get("type") != "boolean":
        raise invalid(f"{where}.type: must be 'boolean'")
    if unknown := value.keys() - {"type", "title", "description", "default"}:
        raise invalid(f"{where}: {sorted(unknown)[0][:100]!r} is not understood here")
    if not isinstance(value.get("description", ""), str):
        raise invalid(f"{where}.description: must be a text")

"""The JSON Schema of ``config.toml``, made of the same declarations that read it."""

from __future__ import annotations

import json
from dataclasses import Field, fields
from typing import Any

from copydesk.domain.keymap import PRESETS
from copydesk.local import (
    check_settings,
    clusters,
    list_columns,
    own_commands,
    own_themes,
    profiles,
    saved_views,
)
from copydesk.local.settings import ONCE, SIMPLE, Settings, of_profiles
from copydesk.local.settings_lines import Keys
from copydesk.local.variables import variable_of

TYPES: dict[type, dict[str, Any]] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    list: {"type": "array", "items": {"type": "string"}},
}

KEYS: dict[str, Keys] = {
    "views": saved_views.KEYS,
    "profiles": profiles.KEYS,
    "checks": check_settings.KEYS,
    "clusters": clusters.KEYS,
    "commands": own_commands.KEYS,
    "lists": list_columns.KEYS,
    "themes": own_themes.KEYS,
}
"""The keys of tables, by the setting."""

_NEEDED = {
    "views": "name",
    "profiles": "base_url",
    "checks": "command",
    "commands": "run",
    "lists": "columns",
}

SCHEMA_FILE = "config.schema.json"
"""The file beside the settings that editors complete by; the first line of those names it."""


def schema() -> dict[str, Any]:
    """Return the schema (2020-12); an unknown key is a mistake in it."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of copydesk",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            each.name: {**_value(each), "description": _described(each)}
            for each in fields(Settings)
        },
    }


def also_said(setting: Field[Any]) -> str:
    """Return how else than at the top of the file a setting is said; "" for no other way."""
    ways = [variable_of(setting.name)] if type(setting.default) in SIMPLE else []
    return ", ".join([*ways, *([] if setting.name in ONCE else ["[profiles.NAME]"])])


def _described(setting: Field[Any]) -> str:
    also = also_said(setting)
    return f"{setting.metadata['says']}{f' (also in: {also})' if also else ''}"


def schema_text() -> str:
    """Return the schema as a file has it."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


def _value(setting: Field[Any]) -> dict[str, Any]:
    match setting.name:
        case "views":
            return {"type": "array", "items": _table("views")}
        case "profiles":
            below = _table("profiles")
            below["properties"] |= {each.name: _value(each) for each in of_profiles()}
            return {"type": "object", "additionalProperties": below}
        case "clusters":
            return _table("clusters")
        case "checks" | "commands" | "lists" | "themes":
            return {"type": "object", "additionalProperties": _table(setting.name)}
        case "keys":
            written = [TYPES[str], TYPES[list]]
            below = {"type": "object", "additionalProperties": {"anyOf": written}}
            return {
                "type": "object",
                "properties": {"preset": {"enum": list(PRESETS), "default": "vim"}},
                "additionalProperties": {"anyOf": [*written, below]},
            }
        case "hooks":
            runs = {"type": "array", "items": TYPES[list]}
            return {
                "type": "object",
                "additionalProperties": False,
                "properties": dict.fromkeys(own_commands.EVENTS, runs),
            }
        case "owners":
            return {"type": "object", "additionalProperties": {"anyOf": [TYPES[str], TYPES[list]]}}
    found: dict[str, Any] = {**TYPES[type(setting.default)], "default": setting.default}
    if choices := setting.metadata.get("choices"):
        found["enum"] = list(choices)
    if "range" in setting.metadata:
        found["minimum"], found["maximum"] = setting.metadata["range"]
    return found


def _any_of(*kinds: type) -> dict[str, Any]:
    return TYPES[kinds[0]] if len(kinds) == 1 else {"anyOf": [TYPES[kind] for kind in kinds]}


def _table(name: str) -> dict[str, Any]:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [_NEEDED[name]] if name in _NEEDED else [],
        "properties": {key: _any_of(*kinds) for key, (kinds, _) in KEYS[name].items()},
    }


def choices_of(setting: Field[Any]) -> tuple[str, ...]:
    """Return all values of a setting as they are typed, where they are few."""
    switch = ("false", "true") if isinstance(setting.default, bool) else ()
    choices: tuple[str, ...] = setting.metadata.get("choices", switch)
    return choices


def shown_values(setting: Field[Any]) -> str:
    """Return which values a setting takes, for people."""
    if choices := choices_of(setting):
        return ", ".join(f"`{each}`" for each in choices)
    if "range" in setting.metadata:
        low, high = setting.metadata["range"]
        return f"{low} to {high}"
    return "text"

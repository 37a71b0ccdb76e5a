"""Whether a text is an OpenAPI document: JSON or YAML, version 2 or 3, with what every one has.

The text is anybody's. YAML is read as texts, lists and mappings only, so that no scalar runs code,
overflows a number or is a date of no calendar, and merge keys multiply nothing. Its nesting is
measured on the event stream first, because the C loader keeps its place on the C stack.
"""

from __future__ import annotations

import json
import re
from typing import Any

import yaml

DEPTH_LIMIT = 200
"""How deep a document may be nested."""

PROBLEM_LIMIT = 20
"""How many problems of one document are told."""

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_VERSION = re.compile(r"3\.\d+\.\d+(?:-.+)?")


def problems_of(data: bytes) -> list[str]:
    """Return what is wrong with a document, as sentences; none for an OpenAPI document."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return [f"The document is not UTF-8 text (byte {error.start + 1})."]
    try:
        value = _read(text)
    except (ValueError, yaml.YAMLError) as error:
        return [_one_line(str(error))]
    except RecursionError:
        return [f"The document is nested more than {DEPTH_LIMIT} levels deep."]
    return _problems(value)[:PROBLEM_LIMIT]


def _read(text: str) -> object:
    if text.lstrip()[:1] == "{":
        return json.loads(text, parse_int=str, parse_float=str)
    depth = 0
    for event in yaml.parse(text, Loader=yaml.CBaseLoader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEPTH_LIMIT:
                raise ValueError(f"The document is nested more than {DEPTH_LIMIT} levels deep.")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
    return yaml.load(text, Loader=yaml.CBaseLoader)  # noqa: S506 - it makes texts and lists only


def _problems(value: object) -> list[str]:
    if not isinstance(value, dict):
        return ["The document is not a mapping of names to values."]
    version = value.get("openapi", value.get("swagger"))
    if not isinstance(version, str) or not (
        version == "2.0" if "openapi" not in value else _VERSION.fullmatch(version)
    ):
        return ["The document names no version: it needs `openapi: 3.x.y` or `swagger: 2.0`."]
    found = _problems_of_info(value.get("info"))
    if "paths" not in value:
        newer = not version.startswith(("2.", "3.0."))
        if not (newer and ("components" in value or "webhooks" in value)):
            found.append("The document has no `paths`.")
    elif not isinstance(value["paths"], dict):
        found.append("`paths` is not a mapping.")
    else:
        found += _problems_of_paths(value["paths"])
    return found


def _problems_of_info(info: object) -> list[str]:
    if not isinstance(info, dict):
        return ["The document has no `info` with a title and a version."]
    return [
        f"`info.{name}` is missing or empty."
        for name in ("title", "version")
        if not isinstance(info.get(name), str) or not info[name].strip()
    ]


def _problems_of_paths(paths: dict[Any, Any]) -> list[str]:
    found: list[str] = []
    for path, item in paths.items():
        if str(path).startswith("x-"):
            continue
        where = f"`paths.{_short(path)}`"
        if not str(path).startswith("/"):
            found.append(f"{where} does not start with a slash.")
        elif not isinstance(item, dict):
            found.append(f"{where} is not a mapping.")
        else:
            found += [
                f"{where}: `{method}` is not a mapping."
                for method, operation in item.items()
                if method in _METHODS and not isinstance(operation, dict)
            ]
        if len(found) >= PROBLEM_LIMIT:
            break
    return found


def _short(name: object) -> str:
    text = str(name)
    return text if len(text) <= 60 else text[:59] + "…"


def _one_line(message: str) -> str:
    return "The document cannot be read: " + " ".join(message.split())[:300]

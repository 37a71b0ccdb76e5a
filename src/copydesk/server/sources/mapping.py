"""Mappings from untrusted files: small, and never more than plain values.

They are in YAML, in TOML or in JSON.
"""

from __future__ import annotations

import json
import re
from typing import Any

MAX_DEPTH = 100
"""How deep brackets may be nested: reading takes time with the square of it."""

MAX_YAML = 256 * 1024
"""Longest YAML text that is read, in characters: configuration and front matter are far smaller."""

MAX_JSON = 4 * 1024 * 1024
"""Longest JSON text that is read, which takes far less time than YAML."""


class BadYamlError(ValueError):
    """A text that is not a mapping in YAML, or in TOML. ``line`` counts from 1, if known."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def read_mapping(text: str, *, lenient: bool = False) -> dict[str, Any]:
    """Return the mapping that a YAML text holds; an empty text is an empty mapping.

    ``lenient``: values with unknown tags are None. Raises ``BadYamlError`` when it is too long, not
    YAML, or another kind of value.
    """
    if len(text) > MAX_YAML:
        raise BadYamlError(f"is longer than {MAX_YAML // 1024} KiB")
    if _depth(text) > MAX_DEPTH:
        raise BadYamlError(f"is nested more than {MAX_DEPTH} levels deep")
    import yaml

    from copydesk.server.sources.yaml_loaders import LenientLoader, PlainLoader

    loader = None
    try:
        loader = (LenientLoader if lenient else PlainLoader)(text)
        value = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise BadYamlError(
            f"is not valid YAML: {error.problem or 'it cannot be read'}",
            None if mark is None else mark.line + 1,
        ) from error
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise BadYamlError(f"is not valid YAML: {first}") from error
    finally:
        if loader is not None:
            loader.dispose()
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadYamlError("is not a mapping of names to values")
    return {str(name): item for name, item in value.items()}


def decoded(data: bytes) -> str:
    """Return a text in UTF-8, without the mark before it. Raises ``BadYamlError`` if it is none."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadYamlError(f"is not UTF-8 (byte {error.start + 1})") from error


def read_json(text: str) -> dict[str, Any]:
    """Return the object that a JSON text holds. Raises ``BadYamlError`` for anything else."""
    if len(text) > MAX_JSON:
        raise BadYamlError(f"is longer than {MAX_JSON // 1024} KiB")
    if _depth(text) > MAX_DEPTH:
        raise BadYamlError(f"is nested more than {MAX_DEPTH} levels deep")
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadYamlError(f"is not valid JSON: {error.msg}", error.lineno) from error
    except (ValueError, RecursionError) as error:
        raise BadYamlError("is not valid JSON") from error
    if not isinstance(value, dict):
        raise BadYamlError("is not an object of names and values")
    return value


def read_toml(text: str) -> dict[str, Any]:
    """Return what a TOML text holds. Raises ``BadYamlError`` when it is too long, or not TOML."""
    if len(text) > MAX_YAML:
        raise BadYamlError(f"is longer than {MAX_YAML // 1024} KiB")
    # A key of many parts is read in time with the square of them.
    if max(line.count(".") for line in text.split("\n")) > MAX_DEPTH:
        raise BadYamlError(f"has more than {MAX_DEPTH} dots in a line")
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        line = re.search(r"at line (\d+)", str(error))
        raise BadYamlError("is not valid TOML", int(line[1]) if line else None) from error


def _depth(text: str) -> int:
    """Return how many brackets are open at once at most, also where they are only words."""
    depth = deepest = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth = depth + 1 if bracket in "[{" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest

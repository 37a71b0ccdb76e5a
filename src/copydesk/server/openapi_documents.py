"""Whether a text is an OpenAPI document: JSON or YAML, version 2 or 3, with what every one has.

The text is anybody's, and long. YAML is read from its events, so that nothing is built that is not
looked at: scalars are texts, which run no code and overflow no number, merge keys multiply nothing,
and what is nested deep stands on no stack but ours.
"""

from __future__ import annotations

import json
import re
from typing import Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import shorten

DEPTH_LIMIT = 200
"""How deep a document may be nested."""

PROBLEM_LIMIT = 20
"""How many problems of one document are told."""

_LOOKED_AT = 3
"""How many levels are looked into: the document, its paths, each path."""

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_VERSION = re.compile(r"3\.\d+\.\d+(?:-.+)?")


def problems_of(data: bytes) -> list[str]:
    """Return the problems of a document, as sentences; none for an OpenAPI document."""
    import yaml  # few desks have one

    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return [f"The document is not UTF-8 text (byte {error.start + 1})."]
    try:
        value = _read(text)
    except (ValueError, yaml.YAMLError) as error:
        return ["The document cannot be read: " + " ".join(str(error).split())[:300]]
    except RecursionError:
        return [f"The document is nested more than {DEPTH_LIMIT} levels deep."]
    return _problems(value)[:PROBLEM_LIMIT]


def _read(text: str) -> object:
    if text.lstrip()[:1] == "{":
        return json.loads(text, parse_int=str, parse_float=str)
    return _Shallow().read(text)


@dataclass(slots=True)
class _Open:
    """A collection whose end has not come; ``whole`` ones keep everything below them."""

    value: dict[str, object] | list[object]
    kept: bool
    whole: bool
    name: str | None = None

    def add(self, value: object) -> None:
        """Take the next node: an item, a name, or what the name before it stands for."""
        if not self.kept:
            return
        if isinstance(self.value, list):
            self.value.append(value)
        elif self.name is None:
            if not isinstance(value, str):
                raise ValueError("a mapping has a name that is not text")
            self.name = value
        else:
            self.value[self.name] = value
            self.name = None


class _Shallow:
    """Builds values of YAML down to the methods of a path; deeper levels stay empty.

    What has an anchor is kept whole, for an alias may put it anywhere.
    """

    def __init__(self) -> None:
        self._open: list[_Open] = []
        self._anchors: dict[str, object] = {}
        self._root: object = None

    def read(self, text: str) -> object:
        """Return the value of a text. Raises ``ValueError`` or ``YAMLError``."""
        import yaml

        documents = 0
        for event in yaml.parse(text, Loader=yaml.CBaseLoader):
            if isinstance(event, yaml.ScalarEvent):
                self._node(event.anchor, event.value)
            elif isinstance(event, yaml.AliasEvent):
                if event.anchor not in self._anchors:
                    raise ValueError(f"there is no anchor {shorten(str(event.anchor), 60)!r}")
                self._node(None, self._anchors[event.anchor])
            elif isinstance(event, yaml.CollectionStartEvent):
                self._begin(event.anchor, isinstance(event, yaml.MappingStartEvent))
            elif isinstance(event, yaml.CollectionEndEvent):
                self._open.pop()
            elif isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    raise ValueError("it holds more than one document")
        return self._root

    def _node(self, anchor: str | None, value: object) -> None:
        if anchor is not None:
            self._anchors[anchor] = value
        if self._open:
            self._open[-1].add(value)
        else:
            self._root = value

    def _begin(self, anchor: str | None, mapping: bool) -> None:
        value: dict[str, object] | list[object] = {} if mapping else []
        self._node(anchor, value)
        whole = anchor is not None or (bool(self._open) and self._open[-1].whole)
        self._open.append(_Open(value, whole or len(self._open) < _LOOKED_AT, whole))
        if len(self._open) > DEPTH_LIMIT:
            raise RecursionError


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
        where = f"`paths.{shorten(str(path), 60)}`"
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

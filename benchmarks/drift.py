"""Hold the contract against a description of a service: what is gone, new or changed.

    python -m benchmarks.drift FILE        (or: make drift SPEC=FILE)

FILE is an OpenAPI 3 document, JSON or YAML. Or a list of some operations alone, as a JSON object
``{"operations": {group: [{"method", "path", "query"}]}}``: then nothing is called gone, and only
queries are compared. Printed is one difference a line, the worst first:

    breaks      copydesk needs it, or cannot send or read it as it is there
    may break   a field that copydesk sends or reads is gone, or of another type
    known       gone, and copydesk does without (docs/service.md)
    new         there is more than copydesk knows

Exit status: 0 nothing breaks or may break, 1 something does, 2 the file cannot be read.

Plain code: the libraries in Python that compare descriptions ask questions or are not kept up.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import NoneType
from typing import Any

import yaml
from pydantic import TypeAdapter
from pydantic.json_schema import JsonSchemaMode

from copydesk.contract.operation import PREFIX
from copydesk.contract.operations import CATALOGUE
from copydesk.domain.text import clean, listed, plural
from copydesk.server.api_description import openapi

Json = dict[str, Any]

BREAKS, MAY_BREAK, KNOWN, NEW = "breaks", "may break", "known", "new"
RANKS = (BREAKS, MAY_BREAK, KNOWN, NEW)

DEPTH = 3
"""So far down fields of fields are compared."""

_PLACEHOLDER = re.compile(r"\{[^{}/]*\}")


class NoDescriptionError(Exception):
    """The file is no description; the message says why."""


@dataclass(frozen=True, slots=True, order=True)
class Drift:
    """One difference: its rank (an index of `RANKS`), the route, and what is different."""

    rank: int
    route: str
    said: str


@dataclass(slots=True)
class Fields:
    """The fields of a body or an answer by their paths ("items[].id")."""

    types: dict[str, frozenset[str]] = field(default_factory=dict)
    required: set[str] = field(default_factory=set)


def read(path: Path) -> Json:
    """Return the document of a file. Raises `NoDescriptionError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise NoDescriptionError(f"{path}: {why}") from error
    try:
        found = json.loads(text)
    except RecursionError as error:
        raise NoDescriptionError(f"{path}: it is nested too deep") from error
    except ValueError:
        try:
            found = yaml.safe_load(text)
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise NoDescriptionError(f"{path}: neither JSON nor YAML") from error
    if not isinstance(found, dict):
        raise NoDescriptionError(f"{path}: no object, but a description is one")
    if not routes_of(found):
        raise NoDescriptionError(f"{path}: no paths: give an OpenAPI document")
    return found


def routes_of(document: Json) -> dict[str, Json]:
    """Return the operations of a document by method and path, placeholders without names."""
    found: dict[str, Json] = {}
    groups = document.get("operations")
    if isinstance(groups, dict):  # the short form
        for group in groups.values():
            for each in filter(_is_short, group if isinstance(group, list) else ()):
                query = each.get("query")
                names = list(query) if isinstance(query, dict) else []
                parameters = [
                    {"in": "query", "name": str(name).rstrip("?"), "required": name[-1:] != "?"}
                    for name in names
                ]
                found[_route(each["method"], each["path"])] = {"parameters": parameters}
    paths = document.get("paths")
    for path, methods in (paths if isinstance(paths, dict) else {}).items():
        shared = _parts(methods, "parameters")
        for method, operation in (methods if isinstance(methods, dict) else {}).items():
            if method in {"get", "post", "put", "patch", "delete"} and isinstance(operation, dict):
                parameters = [*shared, *_parts(operation, "parameters")]
                found[_route(method, str(path))] = {**operation, "parameters": parameters}
    return found


def _parts(holder: object, *keys: str) -> list[Any]:
    """Return what the lists of an object hold, whatever else it is."""
    values = [holder.get(key) for key in keys] if isinstance(holder, dict) else []
    return [part for value in values if isinstance(value, list) for part in value]


def _is_short(each: object) -> bool:
    return isinstance(each, dict) and all(isinstance(each.get(k), str) for k in ("method", "path"))


def _route(method: str, path: str) -> str:
    shape = _PLACEHOLDER.sub("{}", path)
    return f"{method.upper()} {shape if shape.startswith(f'{PREFIX}/') else PREFIX + shape}"


def compare(ours: Json, theirs: Json) -> list[Drift]:
    """Return the differences of two documents, the worst first."""
    mine, other = routes_of(ours), routes_of(theirs)
    known = {each.route for each in CATALOGUE.values() if each.optional}
    found: set[tuple[str, str, str]] = set()
    for route in mine.keys() - other.keys() if "paths" in theirs else ():
        found.add((KNOWN if route in known else BREAKS, route, "gone"))
    for route in other.keys() - mine.keys():
        found.add((NEW, route, "new"))
    for route in mine.keys() & other.keys():
        if other[route].get("deprecated"):
            found.add((MAY_BREAK, route, "deprecated"))
        differences = _changes(ours, mine[route], theirs, other[route])
        found.update((rank, route, said) for rank, said in differences)
    return sorted(Drift(RANKS.index(rank), route, said) for rank, route, said in found)


def _changes(ours: Json, mine: Json, theirs: Json, other: Json) -> Iterator[tuple[str, str]]:
    yield from _query(_parameters(ours, mine), _parameters(theirs, other))
    if "responses" not in other and "requestBody" not in other:
        return  # the short form
    sent, taken = _body(ours, mine), _body(theirs, other)
    for name in sorted(taken.types.keys() | sent.types.keys()):
        if name not in taken.types:
            if taken.types and _new_parent(name, taken):
                yield MAY_BREAK, f"body: {name} is not taken any more"
        elif name not in sent.types:
            if _new_parent(name, sent):
                wanted = name in taken.required
                yield BREAKS if wanted else NEW, f"body: {name}{' is required' if wanted else ''}"
        elif name in taken.required and name not in sent.required:
            yield BREAKS, f"body: {name} is required"
        else:
            yield from _types("body", name, sent, taken, BREAKS)
    read, told = _answer(ours, mine), _answer(theirs, other)
    needed = _needed().get(mine.get("operationId", ""), set())
    for name in sorted(read.types.keys() | told.types.keys()):
        if name not in told.types:
            if told.types and _new_parent(name, told):
                yield (
                    BREAKS if name in needed else MAY_BREAK,
                    f"answer: {name} is not told any more",
                )
        elif name not in read.types:
            if _new_parent(name, read):
                yield NEW, f"answer: {name}"
        elif name in needed and name not in told.required:
            yield MAY_BREAK, f"answer: {name} may be absent"
        else:
            yield from _types("answer", name, read, told, MAY_BREAK)


def _new_parent(name: str, fields: Fields) -> bool:
    """Whether what a field is in is in the other description, so that the field alone differs."""
    parent = name.rpartition(".")[0].removesuffix("[]")
    return not parent or parent in fields.types


def _types(where: str, name: str, ours: Fields, theirs: Fields, rank: str) -> Iterator[Any]:
    mine, other = ours.types[name], theirs.types[name]
    if mine and other and "any" not in mine | other and not mine & other:
        yield rank, f"{where}: {name} is {listed(sorted(other))}, and not {listed(sorted(mine))}"


def _query(ours: Mapping[str, Json], theirs: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    for name in sorted(theirs.keys() - ours.keys()):
        required = bool(theirs[name].get("required"))
        yield BREAKS if required else NEW, f"query: {name}{' is required' if required else ''}"
    for name in sorted(ours.keys() - theirs.keys()):
        yield MAY_BREAK, f"query: {name} is not taken any more"
    for name in sorted(ours.keys() & theirs.keys()):
        if theirs[name].get("required") and not ours[name].get("required"):
            yield BREAKS, f"query: {name} is required"


def _parameters(document: Json, operation: Json) -> dict[str, Json]:
    found = [_resolved(document, each) for each in _parts(operation, "parameters")]
    return {str(each.get("name")): each for each in found if each.get("in") == "query"}


def _body(document: Json, operation: Json) -> Fields:
    return _fields(document, _schema(_resolved(document, operation.get("requestBody"))))


def _answer(document: Json, operation: Json) -> Fields:
    answers = operation.get("responses")
    for status, answer in sorted((answers if isinstance(answers, dict) else {}).items(), key=str):
        if str(status).startswith("2"):
            return _fields(document, _schema(_resolved(document, answer)))
    return Fields()


@cache
def _needed() -> dict[str, set[str]]:
    """Return the fields of answers, by operation, without which copydesk shows no object."""
    wanted: list[tuple[str, JsonSchemaMode, TypeAdapter[Any]]] = [
        (name, "validation", each.result_adapter)
        for name, each in CATALOGUE.items()
        if each.result is not NoneType
    ]
    found, shared = TypeAdapter.json_schemas(wanted)
    return {name: _fields(shared, schema).required for (name, _), schema in found.items()}


def _schema(holder: Json) -> Any:
    content = holder.get("content")
    kinds = content.values() if isinstance(content, dict) else ()
    return next((each.get("schema") for each in kinds if isinstance(each, dict)), None)


def _resolved(document: Json, value: Any, seen: frozenset[str] = frozenset()) -> Json:
    """Return what a ``$ref`` of this document leads to."""
    if not isinstance(value, dict):
        return {}
    ref = value.get("$ref")
    if not isinstance(ref, str) or not ref.startswith("#/") or ref in seen:
        return value
    target: Any = document
    for part in ref[2:].split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        target = target.get(key) if isinstance(target, dict) else None
    return _resolved(document, target, seen | {ref})


def _fields(document: Json, schema: Any) -> Fields:
    found = Fields()
    _gather(document, schema, "", found, required=True, depth=DEPTH)
    return found


def _gather(
    document: Json, schema: Any, at: str, found: Fields, *, required: bool, depth: int
) -> None:
    """Add the fields of a schema at a path; of alternatives each may be absent."""
    here = _resolved(document, schema)
    if at and (kinds := _kinds(document, here)):
        found.types[at] = found.types.get(at, frozenset()) | kinds
    if depth == 0:
        return
    for part in _parts(here, "allOf"):
        _gather(document, part, at, found, required=required, depth=depth)
    for part in _parts(here, "oneOf", "anyOf"):
        _gather(document, part, at, found, required=False, depth=depth)
    if isinstance(here.get("items"), dict):
        _gather(document, here["items"], f"{at}[]", found, required=required, depth=depth)
    properties = here.get("properties")
    wanted = _parts(here, "required")
    for name, part in (properties if isinstance(properties, dict) else {}).items():
        path = f"{at}.{name}" if at else str(name)
        found.types.setdefault(path, frozenset())
        needed = required and name in wanted
        if needed:
            found.required.add(path)
        _gather(document, part, path, found, required=needed, depth=depth - 1)


_NUMBERS = {"integer": "number"}


def _kinds(document: Json, schema: Json) -> frozenset[str]:
    """Return the types that a schema allows, without null."""
    kind = schema.get("type")
    kinds = {each for each in [*_parts(schema, "type"), kind] if isinstance(each, str)}
    if not kinds and isinstance(schema.get("properties"), dict):
        kinds.add("object")
    for value in [*_parts(schema, "enum"), *([schema["const"]] if "const" in schema else ())]:
        kinds.add("string" if isinstance(value, str) else "any")
    for part in _parts(schema, "allOf", "oneOf", "anyOf"):
        kinds |= _kinds(document, _resolved(document, part))
    return frozenset(_NUMBERS.get(each, each) for each in kinds - {"null"})


def main(arguments: list[str]) -> int:
    """Print the differences; see the module."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        found = compare(openapi(), read(Path(arguments[0])))
    except NoDescriptionError as error:
        print(f"drift: {clean(str(error))}", file=sys.stderr)
        return 2
    except RecursionError:
        print("drift: a schema there is made of itself", file=sys.stderr)
        return 2
    for each in found:
        print(f"{RANKS[each.rank]:<10}  {clean(each.route)}  {clean(each.said)}")
    counts = Counter(each.said if each.said in ("gone", "new") else "changed" for each in found)
    changed = len({each.route for each in found if each.said not in ("gone", "new")})
    print(
        f"{plural(counts['gone'], 'operation')} gone, {counts['new']} new, {changed} changed; "
        f"{sum(RANKS[each.rank] == BREAKS for each in found)} of {plural(len(found), 'difference')}"
        " break something."
    )
    return int(any(RANKS[each.rank] in (BREAKS, MAY_BREAK) for each in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

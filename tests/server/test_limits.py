"""Every bound that the contract declares, from both sides, and bodies that no desk should keep.

The cases are made from the declarations: a new field or a new bound is tested once it is declared.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import annotated_types
import httpx
import pytest
from pydantic import BaseModel, RootModel, StringConstraints

from copydesk.contract import operations as ops
from copydesk.contract.models.base import MOST_IN_ONE, Body, few_enough
from copydesk.contract.operation import Operation
from copydesk.contract.operations import CATALOGUE
from copydesk.server.arguments import BODY_LIMIT, DEPTH_LIMIT, MOST_PARTS
from tests.contract.examples import MATCHING, least, sendable, wire_name
from tests.server.desk_of_one import DeskOfOne
from tests.world import World

DONE = list(CATALOGUE.values())
WITH_BODY = [op for op in DONE if op.body is not None]


@dataclass(frozen=True)
class Case:
    """A value with something at one place in it: taken, or refused with these words."""

    at: tuple[str, ...]
    value: Any
    refused: tuple[str, ...] | None


def name_of(op: Operation[..., Any]) -> str:
    return op.name


# What each declaration takes and refuses


def strings(metadata: list[Any]) -> Iterator[tuple[Any, str | None]]:
    """Yield values of a string field, each with the bound that it breaks, None when it is fine."""
    yield 7, "string"
    shortest, longest, pattern = 0, None, None
    for part in metadata:
        if isinstance(part, StringConstraints):
            shortest, longest = part.min_length or shortest, part.max_length or longest
            pattern = part.pattern or pattern
        elif isinstance(part, annotated_types.MinLen):
            shortest = part.min_length
        elif isinstance(part, annotated_types.MaxLen):
            longest = part.max_length
        else:
            pattern = getattr(part, "pattern", None) or pattern
    stem = "x"
    if pattern is not None:
        stem = next(each for each in MATCHING if re.search(str(pattern), each))
        yield stem, None
        yield "no match", "pattern"
    if longest is not None:
        yield stem + stem[-1] * (longest - len(stem)), None
        yield stem + stem[-1] * (longest + 1 - len(stem)), str(longest)
    if shortest:
        yield stem[0] * (shortest - 1), str(shortest)
        if pattern is None:
            yield stem * shortest, None


def most(metadata: list[Any]) -> int | None:
    """Return how many items a list or an object may have."""
    if any(getattr(m, "func", None) is few_enough for m in metadata):
        return MOST_IN_ONE
    return next((n for m in metadata if (n := getattr(m, "max_length", None))), None)


def values(annotation: Any, metadata: list[Any], above: tuple[Any, ...]) -> Iterator[Case]:
    """Yield cases of a field's values, addressed from the field."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        yield from values(arguments[0], [*metadata, *arguments[1:]], above)
    elif origin in (Union, UnionType):
        parts = [part for part in arguments if part is not NoneType]
        if len(parts) == 1:
            yield from values(parts[0], metadata, above)
        elif all(isinstance(part, type) and issubclass(part, BaseModel) for part in parts):
            for part in parts:
                yield from fields(part, above)
    elif origin is Literal:
        yield from (Case((), each, None) for each in (arguments[0], arguments[-1]))
        yield Case((), "no such value", tuple(map(str, arguments)))
    elif origin is list:
        smallest = next((m.min_length for m in metadata if hasattr(m, "min_length")), 0)
        if smallest:
            yield Case((), [], (str(smallest),))
        yield Case((), "text", ("array",))
        longest = most(metadata)
        for case in values(arguments[0], [], above):
            if not case.at:
                yield Case((), [case.value], case.refused)
                if longest is not None and case.refused is None:
                    yield Case((), [case.value] * (longest + 1), (str(longest),))
    elif origin is dict and (longest := most(metadata)) is not None:
        inside = values(arguments[1], [], above)
        sound = next((each.value for each in inside if each.refused is None), "x")
        yield Case((), {f"name{n}": sound for n in range(longest + 1)}, (str(longest),))
    elif annotation is str:
        for value, bound in strings(metadata):
            yield Case((), value, None if bound is None else (bound,))
    elif annotation is bool:
        yield from (Case((), value, None) for value in (True, False))
        yield from (Case((), value, ("boolean",)) for value in (1, "true", "yes"))
    elif annotation is int:
        yield Case((), 7, None)
        yield from (Case((), value, ("integer",)) for value in ("7", 1.5, True))
    elif isinstance(annotation, type) and issubclass(annotation, Body):
        yield from fields(annotation, above)


def fields(model: type[BaseModel], above: tuple[Any, ...] = ()) -> Iterator[Case]:
    """Yield cases of every field of a body model and of the models in it."""
    if model in above:
        return
    nullable: tuple[str, ...] = getattr(model, "nullable", ())
    sound = sendable(least(model))
    for name, field in model.model_fields.items():
        wire = wire_name(model, name)
        yield Case((wire,), sound | {wire: None}, None if name in nullable else (wire,))
        for case in values(field.annotation, list(field.metadata), (*above, model)):
            yield Case((wire, *case.at), sound | {wire: case.value}, case.refused)
    if model.model_config.get("extra") == "forbid":
        yield Case(("noSuchField",), sound | {"noSuchField": 1}, ("noSuchField",))


def body_models(op: Operation[..., Any]) -> list[type[BaseModel]]:
    assert op.body is not None
    parts = get_args(op.body.annotation) or (op.body.annotation,)
    return [part for part in parts if not issubclass(part, RootModel)]


# Rules of handlers, beyond the declared bounds: an organization has nothing to inherit from, and
# what is printed alone has a name.
ELSEWHERE = {
    ("create_space", "body.empty"),
    ("update_organization", "body.mergeRules.type"),
    ("get_change_request_pdf", "only"),
    ("get_space_pdf", "only"),
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DeskOfOne]:
    path = tmp_path_factory.mktemp("desk") / "desk.db"
    world = World(path)
    made = asyncio.run(DeskOfOne.make(world, path))
    yield made
    made.close()
    world.close()


def message(answer: httpx.Response) -> str:
    """Return the sentence of a refusal, the empty text of anything else."""
    return str(answer.json()["error"]["message"]) if answer.is_error else ""


@pytest.mark.long
@pytest.mark.parametrize("op", WITH_BODY, ids=name_of)
async def test_every_bound_of_a_body_from_both_sides(
    desk: DeskOfOne, op: Operation[..., Any]
) -> None:
    wrong = []
    async with desk.client(desk.world.token(desk.have.ana)) as client:
        for model in body_models(op):
            for case in fields(model):
                answer = await client.request(op.method, desk.path_of(op), json=case.value)
                said, place = message(answer), "body." + ".".join(case.at)
                if case.refused is None:
                    fine = answer.status_code < 500 and f"{place}:" not in said
                    fine = fine or (op.name, place) in ELSEWHERE
                else:
                    words = (case.at[-1], *case.refused)
                    fine = answer.status_code == 400 and all(word in said for word in words)
                if not fine:
                    wrong.append((place, case.value, case.refused, answer.status_code, said[:200]))
    assert wrong == [], "\n".join(map(str, wrong))


def queries(op: Operation[..., Any]) -> Iterator[tuple[str, str, tuple[str, ...] | None]]:
    """Yield a parameter, a value of it, and the words of its refusal, None when it is fine."""
    for parameter in op.query_parameters:
        schema = parameter.adapter.json_schema()
        for part in schema.get("anyOf", [schema]):
            if part.get("type") == "boolean":
                yield from ((parameter.wire, value, None) for value in ("true", "false"))
                yield from ((parameter.wire, value, ("boolean",)) for value in ("1", "yes", ""))
            if "enum" in part:
                yield parameter.wire, part["enum"][-1], None
                yield parameter.wire, "no such value", tuple(part["enum"])
            for bound, step in (("minimum", -1), ("maximum", 1)):
                if bound in part:
                    yield parameter.wire, str(part[bound]), None
                    yield parameter.wire, str(part[bound] + step), (str(part[bound]),)
                    yield parameter.wire, "1.5", ("integer",)
            if "maxLength" in part:
                stem = "/" if "pattern" in part else "x"
                yield parameter.wire, stem + "x" * (part["maxLength"] - 1), None
                yield parameter.wire, stem + "x" * part["maxLength"], (str(part["maxLength"]),)
        if parameter.wire == "page" and op.pages:
            for token in ("x", "", "bnVsbA", "é", "W10", "9" * 3000):
                yield "page", token, ("token",)
        if not parameter.repeated:
            yield parameter.wire, "a\0b", ("NUL",)


@pytest.mark.long
@pytest.mark.parametrize("op", [op for op in DONE if op.query_parameters], ids=name_of)
async def test_every_bound_of_a_query_from_both_sides(
    desk: DeskOfOne, op: Operation[..., Any]
) -> None:
    wrong = []
    path, required = desk.path_of(op), desk.query_of(op)
    async with desk.client(desk.world.token(desk.have.ana)) as client:
        for name, value, refused in queries(op):
            answer = await client.request(
                op.method, path, params=required | {name: value}, json=desk.body_of(op)
            )
            said = message(answer)
            if refused is None:
                fine = answer.status_code < 500 and f"query parameter {name}:" not in said
                fine = fine or (op.name, name) in ELSEWHERE
            else:
                words = (f"query parameter {name}:", *refused)
                fine = answer.status_code == 400 and all(word in said for word in words)
            if not fine:
                wrong.append((name, value, refused, answer.status_code, said[:200]))
        single = next((p for p in op.query_parameters if not p.repeated), None)
        if single is not None:
            twice = required | {single.wire: ["1", "2"]}
            answer = await client.request(op.method, path, params=twice)
            assert answer.status_code == 400
            assert "times" in message(answer)
        for name in required:
            answer = await client.request(op.method, path)
            assert (answer.status_code, name in message(answer)) == (400, True)
    assert wrong == [], "\n".join(map(str, wrong))


HOSTILE: dict[str, tuple[str | bytes, str]] = {
    "not a number": ('{"description": {"data": {"x": NaN}}}', "NaN is not a JSON number"),
    "no end": ('{"description": {"data": {"x": -Infinity}}}', "not a JSON number"),
    "beyond floats": ('{"description": {"data": {"x": 1e999}}}', "data.x: the number is too large"),
    "beyond integers": ('{"description": {"data": {"x": 9223372036854775808}}}', "64 bits"),
    "a number of a million digits": ('{"subject": ' + "9" * 1_000_000 + "}", "number is too long"),
    "a NUL": (r'{"subject": "a\u0000b"}', "body.subject: the text holds a NUL"),
    "a NUL in a name": (r'{"a\u0000b": 1}', "NUL"),
    "half a pair": (r'{"subject": "\ud800"}', "body.subject: the text holds half a surrogate"),
    "a name twice": ('{"subject": "a", "subject": "b"}', "'subject' is written twice"),
    "another encoding": ('{"subject": "é"}'.encode("latin-1"), "byte 13 is not UTF-8"),
    "two bytes a character": ('{"subject": "a"}'.encode("utf-16"), "not UTF-8"),
    "a byte order mark": ('\ufeff{"subject": "a"}', "not JSON"),
    "two values": ("{} {}", "line 1, column 4"),
    "a comma too many": ('{"subject": "a",}', "not JSON"),
    "deep lists": ('{"x": ' + "[" * 100_000, "deeper than 100 levels"),
    "one level too deep": (
        '{"x": ' + "[" * DEPTH_LIMIT + "]" * DEPTH_LIMIT + "}",
        "deeper than 100 levels",
    ),
    "many items": ('{"x": [' + "1," * MOST_PARTS + "1]}", "more than 200,000 parts"),
    "many objects": ('{"x": [' + "{}," * MOST_PARTS + "{}]}", "more than 200,000 parts"),
    "deep objects": ('{"x":' * 3000 + "1" + "}" * 3000, "deeper than 100 levels"),
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_hostile_body_is_refused_cleanly(desk: DeskOfOne, name: str) -> None:
    body, words = HOSTILE[name]
    async with desk.client(desk.world.token(desk.have.ana)) as client:
        answer = await client.post(f"/v1/spaces/{desk.have.space}/change-requests", content=body)
    assert answer.status_code == 400
    assert words in message(answer)


async def test_what_is_wrong_is_said_of_the_kind_that_was_meant(desk: DeskOfOne) -> None:
    many = [{"id": "", "parts": []}] * 300
    async with desk.client(desk.world.token(desk.have.ana)) as client:
        for op, body, said in (
            (ops.create_space_comment, {"body": "hi"}, "body.body: Input should be an object"),
            (ops.create_space_comment, {"body": {}}, "body.body: It needs markdown or document"),
            (
                ops.create_space_comment,
                {"body": {"markdown": "x", "more": 1}},
                "body.body.more: Extra inputs are not permitted",
            ),
            (
                ops.put_openapi_spec,
                {"source": {"url": "https://a.example", "text": "b"}},
                "body.source: It takes either text or url",
            ),
            (
                ops.ingest_conversation,
                {"id": "x" * 256, "parts": []},
                "body.id: String should have at most 255 characters",
            ),
            (
                ops.ingest_conversation,
                many,
                "; ".join(
                    f"body.{n}.id: String should have at least 1 character" for n in range(5)
                ),
            ),
        ):
            answer = await client.request(op.method, desk.path_of(op), json=body)
            assert (answer.status_code, message(answer)) == (400, said)


async def test_what_is_large_and_sound_is_kept(desk: DeskOfOne) -> None:
    deep: Any = 1
    for _ in range(DEPTH_LIMIT - 3):
        deep = [deep]
    data = {"deep": deep, "large": 2**63 - 1, "small": -(2**63), "pair": "\U0001f600"}
    async with desk.client(desk.world.token(desk.have.ana)) as client:
        for body in (json.dumps({"description": {"data": data, "nodes": []}}),):
            answer = await client.post(
                f"/v1/spaces/{desk.have.space}/change-requests", content=body
            )
            assert answer.status_code == 201, answer.text
            assert answer.json()["description"]["data"] == data


@pytest.mark.parametrize(
    ("kind", "taken"),
    [
        ("application/json", True),
        ("Application/JSON; charset=UTF-8", True),
        ("application/merge-patch+json", True),
        (None, True),
        ("application/x-www-form-urlencoded", False),
        ("text/plain", False),
        ("", False),
        ("application/json; charset=latin-1", False),
        ("application/jsonp", False),
    ],
)
async def test_only_json_is_taken(desk: DeskOfOne, kind: str | None, taken: bool) -> None:
    headers = {} if kind is None else {"content-type": kind}
    path = f"/v1/spaces/{desk.have.space}/change-requests"
    async with desk.client(desk.world.token(desk.have.ana)) as client:
        answer = await client.post(path, content=b"{}", headers=headers)
        assert answer.status_code == (201 if taken else 400)
        assert taken or "body" in message(answer)


@pytest.mark.parametrize(("coding", "taken"), [("identity", True), ("gzip", False), ("br", False)])
async def test_a_compressed_body_is_refused_as_one(
    desk: DeskOfOne, coding: str, taken: bool
) -> None:
    path = f"/v1/spaces/{desk.have.space}/change-requests"
    sent = b"{}" if taken else gzip.compress(b"{}")
    async with desk.client(desk.world.token(desk.have.ana)) as client:
        answer = await client.post(path, content=sent, headers={"content-encoding": coding})
        assert answer.status_code == (201 if taken else 400)
        assert taken or "Content-Encoding" in message(answer)


async def test_a_body_that_is_too_long_is_not_read_to_its_end(desk: DeskOfOne) -> None:
    piece, sent = b"x" * (1024 * 1024), 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal sent
        for _ in range(1000):
            sent += len(piece)
            yield piece

    path = f"/v1/spaces/{desk.have.space}/change-requests"
    async with desk.client(desk.world.token(desk.have.ana)) as client:
        answer = await client.post(path, content=endless())
        assert answer.status_code == 400
        assert str(BODY_LIMIT) in message(answer)
        assert sent <= BODY_LIMIT + 2 * len(piece)
        answer = await client.post(path, content=b"{}", headers={"content-length": "9" * 40})
        assert answer.status_code == 400


@pytest.mark.parametrize(
    "sent",
    [
        {"content": b"{"},
        {"content": b"{}", "headers": {"content-type": "text/plain"}},
        {"content": b"x" * (BODY_LIMIT + 1)},
        {"json": {"noSuchField": 1}},
    ],
    ids=["no JSON", "another type", "too long", "unknown field"],
)
async def test_who_calls_is_the_first_question(desk: DeskOfOne, sent: dict[str, Any]) -> None:
    async with desk.client("desk_forged") as client:
        answer = await client.patch(f"/v1/spaces/{desk.have.space}?x=%00", **sent)
    assert answer.status_code == 401


@pytest.mark.long
@pytest.mark.parametrize("key", ["9" * 30, "%00", "%ed%a0%80", "٣", "x" * 5000])
async def test_no_id_is_a_failure(desk: DeskOfOne, key: str) -> None:
    async with desk.client(desk.world.token(desk.have.ana)) as client:
        for op in DONE:
            declared, real = op.path.split("/"), desk.path_of(op).split("/")
            last = max((i for i, part in enumerate(declared) if part.startswith("{")), default=0)
            if last:
                path = "/".join([*real[:last], key, *real[last + 1 :]])
                answer = await client.request(
                    op.method, path, params=desk.query_of(op), json=desk.body_of(op)
                )
                # A thing can be made under such a name, where names are the caller's to choose.
                assert answer.status_code in (201, 204, 400, 404), (op.name, answer.text)

"""The OpenAPI document: valid, complete, and saying what the desk does."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import validator_for
from openapi_spec_validator.schemas import get_schema_content_v31

from copydesk.cli import main
from copydesk.contract.operations import CATALOGUE
from copydesk.server.api_description import openapi
from tests.server.desk_of_one import DeskOfOne
from tests.world import World

Json = dict[str, Any]


def operations() -> dict[str, Json]:
    return {
        described["operationId"]: described
        for methods in openapi()["paths"].values()
        for described in methods.values()
    }


def schema(name: str) -> Json:
    found: Json = openapi()["components"]["schemas"][name]
    return found


def test_it_is_a_valid_document() -> None:
    # The form and every reference; the validator's slow rest is in the long run of schemathesis.
    document = json.loads(json.dumps(openapi()))
    problems = validator_for(dict(get_schema_content_v31())).iter_errors(document)
    assert [problem.message for problem in problems] == []
    for reference in references(document):
        found = document
        for step in reference.removeprefix("#/").split("/"):
            found = found[step]


def references(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


def test_it_has_every_operation_and_every_parameter() -> None:
    described = operations()
    assert described.keys() == CATALOGUE.keys()
    for name, op in CATALOGUE.items():
        methods = openapi()["paths"][op.wire_path]
        assert methods[op.method.lower()] is described[name]
        parameters = {p["name"]: p["in"] for p in described[name].get("parameters", [])}
        assert parameters == {p.wire: "path" for p in op.path_parameters} | {
            p.wire: "query" for p in op.query_parameters
        }
        assert ("requestBody" in described[name]) == (op.body is not None)
        assert {int(s) for s in described[name]["responses"] if s < "3"} == set(op.statuses)


def test_bounds_defaults_and_nulls_are_those_of_the_declarations() -> None:
    listing = operations()["list_space_comments"]
    limit = next(p for p in listing["parameters"] if p["name"] == "limit")
    assert limit["schema"] == {"type": "integer", "minimum": 0, "maximum": 1000, "default": 50}
    status = next(p for p in listing["parameters"] if p["name"] == "status")
    assert status["schema"]["enum"] == ["all", "open", "resolved"]
    assert status["schema"]["default"] == "all"
    # A body's field is null only where that says something; what is not known is refused.
    update = schema("SpaceUpdate")
    assert update["additionalProperties"] is False
    assert update["properties"]["title"] == {"type": "string", "maxLength": 50}
    assert {"type": "null"} in update["properties"]["defaultLevel"]["anyOf"]
    # An answer's field may be absent, and is never null then.
    space = schema("Space")
    assert space["properties"]["deletedAt"] == {"type": "string", "format": "date-time"}
    assert {"id", "title", "changeRequestsOpen", "urls"} <= set(space["required"])
    assert "deletedAt" not in space["required"]
    assert "photoURL" in schema("User")["properties"]
    # Tools name their classes by the titles, and know names of the wire only.
    titles = [each.get("title") for each in openapi()["components"]["schemas"].values()]
    assert len({*titles} - {None}) == len(titles) - 1  # all but the error's
    assert "a `defaultLevel` of null" in update["description"]
    assert "``" not in json.dumps(openapi())
    assert operations()["create_space_comment"]["requestBody"]["required"] is True
    assert operations()["create_change_request"]["requestBody"]["required"] is False
    assert set(operations()["delete_space"]["responses"]) >= {"205", "204", "403"}
    assert "Location" in operations()["create_space"]["responses"]["201"]["headers"]


@pytest.mark.long
async def test_every_answer_is_as_described(tmp_path: Path) -> None:
    world = World(tmp_path / "desk.db")
    desk = await DeskOfOne.make(world, tmp_path / "desk.db")
    components = json.loads(json.dumps(openapi()["components"]))
    async with desk.client(world.token(world.ana)) as client:
        for op in CATALOGUE.values():
            described = operations()[op.name]["responses"]
            answer = await client.request(
                op.method, desk.path_of(op), params=desk.query_of(op), json=desk.body_of(op)
            )
            assert str(answer.status_code) in described, (op.name, answer.text)
            if answer.is_error:
                # On a desk of one some things are as they should be already.
                assert answer.status_code in (400, 409, 412), (op.name, answer.text)
                continue
            response = described[str(answer.status_code)]
            assert ("location" in answer.headers) == (answer.status_code == 201), op.name
            if "content" not in response:
                assert answer.content == b""
                continue
            wanted = response["content"]["application/json"]["schema"]
            problems = validator_for(wanted | {"components": components}).iter_errors(answer.json())
            assert [problem.message for problem in problems] == [], op.name
    desk.close()
    world.close()


async def test_a_desk_answers_with_it_without_a_token(world: World) -> None:
    async with world.client(token="") as client:
        answer = await client.get("/openapi.json")
        assert answer.status_code == 200
        assert answer.headers["content-type"] == "application/json"
        assert answer.json() == json.loads(json.dumps(openapi()))
        assert (await client.post("/openapi.json")).status_code == 405


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "--openapi"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(openapi()))


@pytest.mark.long
def test_many_who_ask_for_it_first_get_the_same() -> None:
    program = """
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from copydesk.server.api_description import openapi_json
begin = Barrier(4)
def ask(_):
    begin.wait()
    return openapi_json()
with ThreadPoolExecutor(4) as threads:
    assert len(set(threads.map(ask, range(4)))) == 1
"""
    # A program of its own: here the models are complete by now.
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0

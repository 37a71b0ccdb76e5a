"""The contract held against the description of a service: what is gone, new and changed."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from benchmarks.drift import RANKS, compare, main, read

from copydesk.server.api_description import openapi

Json = dict[str, Any]


def run(path: Path, document: object, capsys: pytest.CaptureFixture[str]) -> tuple[int, list[str]]:
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    status = main([str(path)])
    said = capsys.readouterr()
    return status, (said.out + said.err).splitlines()


def described(*kept: str) -> Json:
    """Return the description of the desk with some paths."""
    whole = openapi()
    return {**whole, "paths": {path: whole["paths"][path] for path in kept}}


def test_a_desk_differs_in_nothing_and_today_s_only_in_what_is_known() -> None:
    kept = "/v1/spaces/{spaceId}/links", "/v1/spaces/{spaceId}", "/v1/orgs", "/v1/user"
    ours = described(*kept)
    assert compare(ours, ours) == []
    found = compare(ours, described(*kept[1:3]))
    assert {RANKS[each.rank] for each in found} == {"known"}
    assert "GET /v1/spaces/{}/links" in {each.route for each in found}


def test_what_differs_is_told_the_worst_first(tmp_path: Path) -> None:
    kept = "/v1/spaces/{spaceId}", "/v1/orgs/{organizationId}/conversations", "/v1/orgs"
    ours = described(*kept)
    document: Json = deepcopy(ours)
    paths, schemas = document["paths"], document["components"]["schemas"]
    del paths["/v1/spaces/{spaceId}"]["delete"]
    del paths["/v1/orgs/{organizationId}/conversations"]
    paths["/v1/spaces/{spaceId}/weather"] = {"get": {"responses": {}}}
    paths["/v1/spaces/{spaceId}"]["get"]["deprecated"] = True
    paths["/v1/orgs"]["get"]["parameters"] = [{"$ref": "#/components/parameters/since"}]
    document["components"]["parameters"] = {
        "since": {"in": "query", "name": "since", "required": True, "schema": {"type": "string"}}
    }
    space, update = schemas["Space"], schemas["SpaceUpdate"]
    space["properties"]["title"] = {"type": "integer"}
    space["properties"]["weather"] = {"anyOf": [{"type": "string"}, {"type": "null"}]}
    del space["properties"]["emoji"], space["properties"]["createdAt"]
    update["required"] = ["reason"]
    update["properties"]["reason"] = {"type": "string"}
    # Other names of placeholders, and an address without the prefix, are no difference.
    for path in list(paths):
        paths[path.removeprefix("/v1").replace("{spaceId}", "{id}")] = paths.pop(path)

    needed = {"Space", "SpaceUpdate", "Organization"}
    document["components"]["schemas"] = {
        name: schema
        for name, schema in schemas.items()
        if name in needed or name in json.dumps([paths, space, update])
    }
    (tmp_path / "spec.yaml").write_text(yaml.safe_dump(document))
    found = compare(ours, read(tmp_path / "spec.yaml"))
    lines = [f"{RANKS[each.rank]}: {each.route} {each.said}" for each in found]
    for line in (
        "breaks: DELETE /v1/spaces/{} gone",
        "breaks: GET /v1/orgs query: since is required",
        "breaks: PATCH /v1/spaces/{} body: reason is required",
        "breaks: GET /v1/spaces/{} answer: createdAt is not told any more",
        "may break: GET /v1/spaces/{} answer: title is number, and not string",
        "may break: GET /v1/spaces/{} answer: emoji is not told any more",
        "may break: GET /v1/orgs query: page is not taken any more",
        "may break: GET /v1/spaces/{} deprecated",
        "known: GET /v1/orgs/{}/conversations gone",
        "new: GET /v1/spaces/{}/weather new",
        "new: GET /v1/spaces/{} answer: weather",
    ):
        assert line in lines, "\n".join(lines)
    assert [each.rank for each in found] == sorted(each.rank for each in found)


def test_some_operations_alone_are_read_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = {
        "operations": {
            "E0 weather": [
                {"method": "GET", "path": "/spaces/{spaceId}/weather", "query": {"day?": "string"}},
                {"method": "GET", "path": "/orgs", "query": {"page?": "x", "limit?": "x"}},
                {"path": 5},
            ]
        }
    }
    status, lines = run(tmp_path / "some.json", some, capsys)
    assert (status, lines[0]) == (0, "new         GET /v1/spaces/{}/weather  new")
    assert len(lines) == 2


@pytest.mark.parametrize("text", ["", "[]", "{}", "a: [", "\x00", '{"paths": 5}', "[" * 100_000])
def test_what_is_no_description_is_said(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, lines = run(tmp_path / "spec", text, capsys)
    assert status == 2
    assert len(lines) == 1
    assert lines[0].startswith(f"drift: {tmp_path / 'spec'}: ")
    assert main([]) == 2
    assert main([str(tmp_path / "gone")]) == 2
    hostile = {"paths": {"/x": {"get": {"parameters": 5, "responses": {"200": {"$ref": "#/a"}}}}}}
    document = described("/v1/orgs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("benchmarks.drift.openapi", lambda: document)
        status, lines = run(tmp_path / "spec", hostile | {"a": {"$ref": "#/a"}}, capsys)
        assert status == 1
        orgs = {"/orgs": {"get": {"responses": {"200": {"content": {"x": {"schema": "S"}}}}}}}
        again = json.dumps({"paths": orgs, "S": {"allOf": [{"$ref": "#/S"}]}})
        status, lines = run(tmp_path / "spec", again.replace(': "S"', ': {"$ref": "#/S"}'), capsys)
        assert (status, lines) == (2, ["drift: a schema there is made of itself"])

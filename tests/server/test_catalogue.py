"""Every declared operation against the running desk: routes, credentials, errors, gaps."""

from __future__ import annotations

import json
import pkgutil
import re
from collections.abc import Iterator
from typing import Any, get_args

import httpx
import pytest

from copydesk.contract.operation import Operation
from copydesk.contract.operations import CATALOGUE
from copydesk.server import handlers
from copydesk.server.implementation import HANDLERS
from tests.contract.examples import body_example, example
from tests.world import World

EVERY = sorted(CATALOGUE)


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """One desk for all of these requests: it refuses them."""
    made = World()
    yield made
    made.close()


def address(operation: Operation[..., Any], value: str = "unknown") -> str:
    return re.sub(r"\{\w+\}", value, operation.path.removeprefix("/v1"))


def body_of(operation: Operation[..., Any]) -> Any:
    if operation.body is None:
        return None
    # Of bodies of several kinds, the first.
    model = next(iter(get_args(operation.body.annotation)), operation.body.annotation)
    return body_example(model, example)


def query_of(operation: Operation[..., Any]) -> dict[str, str]:
    return {
        p.wire: "/word" if p.wire == "source" else "word"
        for p in operation.query_parameters
        if p.required
    }


async def send(
    client: httpx.AsyncClient, operation: Operation[..., Any], **more: Any
) -> httpx.Response:
    given: dict[str, Any] = {"params": query_of(operation), "json": body_of(operation)} | more
    return await client.request(operation.method, address(operation), **given)


def sentence(answer: httpx.Response) -> str:
    """Return the message of an error body, after checking that it is one."""
    assert answer.headers["content-type"] == "application/json"
    body = answer.json()
    assert body.keys() == {"error"}
    assert body["error"].keys() == {"code", "message"}
    assert body["error"]["code"] == answer.status_code
    message = body["error"]["message"]
    assert isinstance(message, str)
    assert message
    return message


def test_every_operation_is_implemented() -> None:
    assert [handlers.implementation_of(each).operation for each in CATALOGUE.values()] == list(
        CATALOGUE.values()
    )
    loaded = {name.name for name in pkgutil.iter_modules(handlers.__path__)}
    assert loaded == {each.noun for each in CATALOGUE.values()}
    assert CATALOGUE.keys() == HANDLERS.keys()


def test_a_handler_that_could_not_be_loaded_is_loaded_when_it_is_asked_for_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    operation, known = CATALOGUE["get_space"], dict(HANDLERS)
    monkeypatch.setattr(handlers, "HANDLERS", known)

    def half(name: str) -> None:
        known[operation.name] = known[CATALOGUE["update_space"].name]
        raise OSError("too many open files")

    handlers.load_all()
    known.update(HANDLERS)
    with monkeypatch.context() as broken:
        broken.setattr(handlers, "import_module", half)
        with pytest.raises(OSError, match="too many"):
            handlers.implementation_of(operation)
    assert {name for name in HANDLERS if name not in known} == {
        each.name for each in CATALOGUE.values() if each.noun == "space"
    }


@pytest.mark.parametrize("name", EVERY)
async def test_every_operation_is_routed_and_wants_a_token(world: World, name: str) -> None:
    for token in ("", "wrong"):
        async with world.client(token=token) as client:
            answer = await send(client, CATALOGUE[name])
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
        assert "token" in sentence(answer)


@pytest.mark.parametrize("name", [n for n in EVERY if CATALOGUE[n].path_parameters])
async def test_an_unknown_id_is_a_404(world: World, name: str) -> None:
    operation = CATALOGUE[name]
    async with world.client() as client:
        answer = await send(client, operation)
    if operation.method == "DELETE" and len(operation.path_parameters) == 1:
        # What should be gone is gone (docs/api-notes.md, Success codes).
        assert (answer.status_code, answer.content) == (204, b"")
        return
    assert answer.status_code == 404, answer.text
    assert "unknown" in sentence(answer)


@pytest.mark.parametrize(
    "name", [n for n in EVERY if any(p.wire == "limit" for p in CATALOGUE[n].query_parameters)]
)
async def test_a_limit_out_of_bounds_is_a_400(world: World, name: str) -> None:
    operation = CATALOGUE[name]
    async with world.client() as client:
        for limit in ("1001", "-1", "ten", ""):
            answer = await send(client, operation, params={**query_of(operation), "limit": limit})
            assert answer.status_code == 400
            assert "limit" in sentence(answer)


@pytest.mark.parametrize("name", [n for n in EVERY if CATALOGUE[n].body is not None])
async def test_a_body_that_is_none_is_a_400(world: World, name: str) -> None:
    async with world.client() as client:
        for body in (b"{", b"\xff", b"17", b'"x"', b"[" * 100_000):
            answer = await send(client, CATALOGUE[name], json=None, content=body)
            assert answer.status_code == 400, body[:9]
            assert "body" in sentence(answer), body[:9]


async def test_a_body_that_is_too_long_is_a_400(world: World) -> None:
    space = world.space()
    body = json.dumps({"body": {"markdown": "x" * (11 * 1024 * 1024)}})
    async with world.client() as client:
        answer = await client.post(f"/spaces/{space}/comments", content=body)
    assert answer.status_code == 400
    assert "longer" in sentence(answer)


async def test_paths_and_methods_outside_the_api_have_the_error_body_too(world: World) -> None:
    async with world.client() as client:
        answer = await client.get("/nothing/here")
        assert answer.status_code == 404
        sentence(answer)
        answer = await client.patch("/orgs")
        assert answer.status_code == 405
        sentence(answer)

"""Lists that have no end: whatever reads one, stops."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from copydesk.client import api as client_api
from copydesk.client.api import Api
from copydesk.client.errors import ApiError
from copydesk.contract.operation import Operation
from copydesk.contract.operations import CATALOGUE
from copydesk.session.session import Session
from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework import navigation
from copydesk.tui.system.reference import load_everything
from tests.contract.odd import answer_of
from tests.drive import drive
from tests.tui.sample_desk import PARTS, Sample, back, targets
from tests.world import BASE_URL

MOST = 12
"""Pages that are read of a list at most here."""

NAMES = ("id", "name", "page", "file", "spec")
"""What things are told apart by."""

TOKEN = "endless-"


class Endless(httpx.ASGITransport):
    """A desk whose lists go on for ever: each page has another one, with other things on it."""

    def __init__(self, sample: Sample) -> None:
        super().__init__(sample.app, raise_app_exceptions=False)
        self.deepest: dict[str, int] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        token = request.url.params.get("page", "")
        if not token.startswith(TOKEN):
            answer = await super().handle_async_request(request)
            return endless(request, answer.status_code, json_of(await answer.aread()), 0)
        depth = int(token.removeprefix(TOKEN))
        path = request.url.path
        self.deepest[path] = max(depth, self.deepest.get(path, 0))
        first = request.url.copy_remove_param("page")
        asked = httpx.Request(request.method, first, headers=request.headers)
        answer = await super().handle_async_request(asked)
        return endless(request, answer.status_code, json_of(await answer.aread()), depth)


def json_of(content: bytes) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def endless(request: httpx.Request, status: int, value: Any, depth: int) -> httpx.Response:
    """Return a list with a further page, unless that is far more than anybody should ask for."""
    if isinstance(value, dict) and "items" in value:
        value["items"] = [renamed(item, depth) for item in value["items"]]
        value.pop("count", None)
        value["next"] = {"page": f"{TOKEN}{depth + 1}"}
        if depth > 4 * MOST:
            del value["next"]
    if value is None:
        return httpx.Response(status, request=request)
    return httpx.Response(status, json=value, request=request)


def renamed(value: Any, depth: int) -> Any:
    """Return a thing as another one: with other ids."""
    if isinstance(value, list):
        return [renamed(each, depth) for each in value]
    if not isinstance(value, dict) or not depth:
        return value
    return {
        name: f"{each}-{depth}" if name in NAMES and isinstance(each, str) else renamed(each, depth)
        for name, each in value.items()
    }


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let so few pages make a list endless that a test can read them."""
    monkeypatch.setattr(client_api, "MOST_PAGES", MOST)
    monkeypatch.setattr(client_api, "WHOLE_PAGES", MOST)


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
async def test_no_place_reads_a_list_for_ever(few: None, part: int) -> None:
    load_everything()
    sample = Sample()
    async with sample.api() as api:
        wanted = await targets(api)
    way = Endless(sample)

    async def connect() -> Api:
        return Api(BASE_URL, sample.token, transport=way)

    app = CopydeskApp(Session(connect, host="desk.test"), "spaces")
    async with drive(app, size=(140, 40)) as driver:
        for name, entry in sorted(navigation.ENTRIES.items())[part::PARTS]:
            if name != entry.place.PLACE or not entry.place.__module__.startswith("copydesk."):
                continue
            await app.go(name, wanted.get(name, wanted[""]))
            await driver.idle()
            await driver.press("G", "s", "escape", "/")
            await driver.burst(*"zzz")
            await driver.press("enter")
            assert not app._exit, name
            await back(driver)
    sample.close()
    assert way.deepest  # lists were read on
    assert {path for path, depth in way.deepest.items() if depth > MOST} == set()


LISTS = [each for each in CATALOGUE.values() if each.pages and each.method == "GET"]


@pytest.mark.parametrize("operation", LISTS, ids=[each.name for each in LISTS])
async def test_no_list_is_read_for_ever(few: None, operation: Operation[..., Any]) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.params.get("page", ""))
        value = answer_of(operation) | {"next": {"page": str(len(asked))}, "count": None}
        value["items"] = renamed(value["items"], len(asked))
        return httpx.Response(200, json=value)

    api = Api("https://desk.test", "token", transport=httpx.MockTransport(answer))
    names = [each.name for each in operation.path_parameters]
    query = {"query": "x"} if operation.name.startswith("search") else {}
    with pytest.raises(ApiError, match="no end"):
        async for _ in api.pages(operation, *names, **query):
            pass
    await api.aclose()
    assert len(asked) == len(set(asked)) == MOST

"""What main has changed of a change request's pages, read of a service that tells only some."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.domain.page_tree import PageChange, PageNode, compare_trees
from copydesk.session.change_rows import row_of
from copydesk.session.reads import base_revision
from copydesk.session.reads.base_revision import read_both_sides
from tests.world import BASE_URL, World


class _Telling(httpx.AsyncBaseTransport):
    """A desk that answers for revisions and changes with a status of its own while it has one."""

    def __init__(self, world: World) -> None:
        self._desk = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        self.revisions = self.changes = 0
        self.asked: Counter[str] = Counter()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        self.asked[path.rpartition("/")[2]] += 1
        status = self.revisions if "/revisions/" in path else 0
        status = self.changes if path.endswith("/changes") else status
        if status == 403:
            error = {"code": 403, "message": "You may not."}
            return httpx.Response(403, json={"error": error})
        if status:
            return httpx.Response(status, text="Not found")
        return await self._desk.handle_async_request(request)


async def test_the_pages_of_main_are_read_once_for_all_requests_of_a_space(world: World) -> None:
    space = world.space("Guide", {"a": "One.\n", "b": "One.\n", "c": "One.\n"})
    requests = [world.change_request(space, {each: "Two.\n"}) for each in "abc"]
    world.commit(space, {"b": "Three.\n"})
    way = _Telling(world)
    way.revisions = 404
    async with Api(BASE_URL, world.token(world.ana), transport=way) as api:
        found = []
        for _ in range(2):
            now = await api(ops.get_space, space)
            for each in requests:
                request = await api(ops.get_change_request, space, each)
                found.append(await read_both_sides(api, row_of(request), now.revision))
    assert found == [[], ["B"], []] * 2
    assert way.asked["pages"] == 1
    assert way.asked["changes"] == 3


async def test_what_may_not_be_read_now_is_asked_for_again(world: World) -> None:
    space = world.space("Guide", {"a": "One.\n", "b": "One.\n"})
    made = world.change_request(space, {"a": "Two.\n"})
    world.commit(space, {"b": "Three.\n"})
    way = _Telling(world)
    async with Api(BASE_URL, world.token(world.ana), transport=way) as api:
        request = await api(ops.get_change_request, space, made)
        main = (await api(ops.get_space, space)).revision
        way.revisions, way.changes = 403, 404
        assert await read_both_sides(api, row_of(request), main) is None
        way.revisions = 0
        assert await read_both_sides(api, row_of(request), main) == []


async def test_what_main_changed_is_compared_once_for_all_requests(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = world.space("Guide", {"a": "One.\n", "b": "One.\n", "c": "One.\n"})
    requests = [world.change_request(space, {each: "Two.\n"}) for each in "abc"]
    world.commit(space, {"b": "Three.\n"})
    compared: list[int] = []

    def counted(*trees: Sequence[PageNode]) -> list[PageChange]:
        compared.append(1)
        return compare_trees(*trees)

    monkeypatch.setattr(base_revision, "compare_trees", counted)
    async with world.api() as api:
        now = await api(ops.get_space, space)
        found = []
        for each in requests:
            request = await api(ops.get_change_request, space, each)
            found.append(await read_both_sides(api, row_of(request), now.revision))
    assert found == [[], ["B"], []]
    assert len(compared) == 1

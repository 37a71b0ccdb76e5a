"""A service that answers otherwise than the embedded desk: its answers, changed on their way."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx

from copydesk.client.api import Api
from tests.world import BASE_URL, World


class Strange(httpx.ASGITransport):
    """The embedded desk, with the JSON of some answers changed before they are sent.

    ``change`` changes an answer in place, or returns another one. Paths with ``lacks`` in them are
    not there.
    """

    def __init__(
        self,
        world: World,
        path: str,
        change: Callable[[Any], Any],
        method: str = "GET",
        lacks: str = "",
    ) -> None:
        super().__init__(world.app)
        self._path, self._method, self.change = path, method, change
        self._lacks = lacks

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if self._lacks and self._lacks in request.url.path:
            return httpx.Response(404, text="Not found", request=request)
        answer = await super().handle_async_request(request)
        if request.method != self._method or not request.url.path.endswith(self._path):
            return answer
        value = json.loads(await answer.aread())
        changed = self.change(value)
        value = value if changed is None else changed
        return httpx.Response(answer.status_code, json=value, request=request)


def strange(
    world: World,
    path: str,
    change: Callable[[Any], Any],
    *,
    method: str = "GET",
    lacks: str = "",
) -> Api:
    """Return a client of a service that answers requests of a path otherwise."""
    transport = Strange(world, path, change, method, lacks)
    return Api(BASE_URL, world.token(world.ana), transport=transport)

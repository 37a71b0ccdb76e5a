"""A way to the desk that loses answers to writes."""

from __future__ import annotations

import httpx

from tests.tui.review_world import Faults
from tests.world import World


class Lossy(Faults):
    """A way to the desk that loses answers to writes while ``losing``.

    While ``swallowing`` is set the write is lost as well, and while ``broken`` nothing can be read:
    with ``breaking`` that begins with the first answer that is lost.
    """

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.losing = self.swallowing = self.broken = self.breaking = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            if self.broken:
                return httpx.Response(500, json={"error": {"code": 500, "message": "Broken."}})
            return await super().handle_async_request(request)
        if not self.swallowing:
            answer = await super().handle_async_request(request)
            if not self.losing:
                return answer
        self.broken = self.broken or self.breaking
        raise httpx.ReadError("Cut off.", request=request)

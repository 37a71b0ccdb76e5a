"""Finding the route of a request among very many, without trying them one after the other."""

from __future__ import annotations

from collections.abc import Iterable

from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send


class Shelves(BaseRoute):
    """Routes sorted by how many segments their path has and what its second one says.

    That segment (``orgs`` in ``/v1/orgs/…``) is a literal in every path of the API. What matches is
    decided by the routes, in the order given.
    """

    def __init__(self, routes: Iterable[Route]) -> None:
        self._shelves: dict[tuple[int, str], list[Route]] = {}
        for route in routes:
            self._shelves.setdefault(_shelf(route.path), []).append(route)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return how well a request fits, and what its path says."""
        partial: tuple[Match, Scope] = (Match.NONE, {})
        if scope["type"] != "http":
            return partial
        for route in self._shelves.get(_shelf(scope["path"]), ()):
            match, child = route.matches(scope)
            if match is Match.FULL:
                return match, {**child, "copydesk.route": route}
            if match is Match.PARTIAL and partial[0] is Match.NONE:
                partial = match, {**child, "copydesk.route": route}
        return partial

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the route that was found answer."""
        route: Route = scope["copydesk.route"]
        await route.handle(scope, receive, send)


def _shelf(path: str) -> tuple[int, str]:
    parts = path.split("/")
    return len(parts), parts[2] if len(parts) > 2 else ""

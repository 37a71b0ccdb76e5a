"""What a read returned and asked for, as JSON has it, to be compared with what was kept."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime, timedelta
from typing import Any, cast
from urllib.parse import unquote

from pydantic import BaseModel

from copydesk.client.api import Api
from copydesk.client.errors import ApiError, NotFound
from copydesk.client.in_process import AppTransport
from copydesk.domain.diff import TextDiff
from copydesk.domain.page_text import PageText
from copydesk.session.errors import NotDoneError
from tests.world import BASE_URL, World


def plain(value: Any, depth: int = 0) -> Any:
    """Return a value as JSON has it, without what is as it is by default."""
    match value:
        case str() | int() | float() | None:
            return value
        case datetime():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case BaseModel():
            kept = value.model_dump(mode="json", exclude_defaults=True)
            names = ("id", "number", "title", "subject", "status", "path", "body", "main", "mine")
            return {name: kept[name] for name in names if name in kept}
        case TextDiff():
            return [f"{line.kind} {line.text}" for line in value]
        case PageText():
            return plain(value.diff) + list(value.notes)
        case Mapping():
            return {str(key): plain(each, depth + 1) for key, each in value.items()}
        case frozenset() | set():
            return sorted(json.dumps(plain(each, depth + 1)) for each in value)
        case Sequence():
            return [plain(each, depth + 1) for each in value]
    assert is_dataclass(value), value
    told = {each.name: plain(getattr(value, each.name), depth + 1) for each in fields(value)}
    return {name: each for name, each in told.items() if each not in (None, "", [], {}, False, 0)}


async def read(reading: Any) -> Any:
    """Return what a read came to: its value, or the error that it raised."""
    try:
        return plain(await reading)
    except (ApiError, NotDoneError) as error:
        return f"{type(error).__name__}: {error}"


_TREE = re.compile(r"GET \S+(?:/content|/content/pages|/revisions/[^/ ]+)(?: (.*))?")

BARE = "metadata=false computed=false"
"""How a tree is asked for of which the pages are all that is needed."""


class Desk:
    """The desk of a world in this process, which notes what it is asked."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._noted: set[str] = set()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            query = unquote(scope["query_string"].decode()).replace("&", " ")
            path = scope["path"].removeprefix("/v1")
            self._noted.add(f"{scope['method']} {path} {query}".rstrip())
        await self._world.app(scope, receive, send)

    def api(self, user: str | None = None) -> Api:
        """Return a typed client of a person (``ana`` when not said)."""
        token = self._world.token(user or self._world.ana)
        return Api(BASE_URL, token, transport=AppTransport(self))

    def asked(self) -> list[str]:
        """Return what was asked for since the last time."""
        noted, self._noted = self._noted, set()
        return sorted(noted)

    def trees(self) -> set[str]:
        """Return how whole trees of pages were asked for since the last time: their queries."""
        found = (_TREE.fullmatch(each) for each in self.asked())
        return {match[1] or "" for match in found if match is not None}


class Lacking:
    """A client of a service that refuses operations, or all that names some id, with an error."""

    def __init__(self, api: Api, *lacks: Any, error: type[ApiError] = NotFound) -> None:
        self._api, self._lacks, self._error = api, lacks, error
        self.has = api.has

    def _refuse(self, *asked: Any) -> None:
        if any(each in self._lacks for each in asked):
            raise self._error("It is gone.", status=404)

    async def __call__(self, operation: Any, *given: Any, **more: Any) -> Any:
        self._refuse(operation, *given)
        return await self._api(operation, *given, **more)

    async def find(self, operation: Any, *given: Any, **more: Any) -> Any:
        """Ask, or find nothing."""
        return await Api.find(cast("Api", self), operation, *given, **more)

    async def page(self, operation: Any, *given: Any, **more: Any) -> Any:
        """Read a page, or refuse it."""
        self._refuse(operation, *given)
        return await self._api.page(operation, *given, **more)

    async def pages(self, operation: Any, *given: Any, **more: Any) -> AsyncIterator[Any]:
        """Read pages, or refuse them."""
        self._refuse(operation, *given)
        async for each in self._api.pages(operation, *given, **more):
            yield each

    async def every(self, operation: Any, *given: Any, **more: Any) -> Any:
        """Read all pages, or refuse them."""
        return await Api.every(cast("Api", self), operation, *given, **more)

    @property
    def api(self) -> Api:
        """It, as what takes a client takes it."""
        return cast("Api", self)

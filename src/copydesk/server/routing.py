"""Finding what answers a request among very many operations, segment by segment of its path."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

from copydesk.contract.operation import Operation

Endpoint = Callable[[Scope, Receive, Send], Awaitable[None]]
"""Answers a request; ``path_params`` of the scope are what its path says."""

Answering = Callable[[str], Endpoint]
"""Gives what answers the operation of that name."""

_ENDPOINT = "copydesk.endpoint"


@dataclass(slots=True)
class _Node:
    """A segment of paths: what may follow it, and by method what answers a path that ends here.

    ``ways`` hold the names of the operation and, in their order, of the path's placeholders.
    """

    literals: dict[str, _Node] = field(default_factory=dict)
    placeholder: _Node | None = None
    ways: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)


class Tree(BaseRoute):
    """The operations by the segments of their paths.

    A literal segment goes before a placeholder in the same place. A path that is there, but not for
    the method, is a 405 that names every method of it. HEAD is answered as GET is.
    """

    def __init__(self, operations: Iterable[Operation[..., Any]], answering: Answering) -> None:
        self._root = _grown(tuple((op.method, op.path, op.name) for op in operations))
        self._answering = cache(answering)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Return how well a request fits, and what its path says."""
        if scope["type"] != "http":
            return Match.NONE, {}
        allowed: dict[str, None] = {}
        for node, values in _ends(self._root, scope["path"].split("/"), 0, ()):
            way = node.ways.get(scope["method"])
            if way is not None:
                params = dict(zip(way[1], values, strict=True))
                return Match.FULL, {"path_params": params, _ENDPOINT: self._answering(way[0])}
            allowed.update(dict.fromkeys(node.ways))
        return (Match.PARTIAL, {_ENDPOINT: _refusing(allowed)}) if allowed else (Match.NONE, {})

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let what was found answer."""
        endpoint: Endpoint = scope[_ENDPOINT]
        await endpoint(scope, receive, send)


@cache
def _grown(paths: tuple[tuple[str, str, str], ...]) -> _Node:
    """Return the tree of some methods, paths and names: the same for every desk of a process."""
    root = _Node()
    for method, path, name in paths:
        node = root
        names: list[str] = []
        for segment in path.split("/"):
            if segment.startswith("{"):
                names.append(segment[1:-1])
                node.placeholder = node.placeholder or _Node()
                node = node.placeholder
            else:
                node = node.literals.setdefault(segment, _Node())
        node.ways[method] = way = (name, tuple(names))
        if method == "GET":
            node.ways["HEAD"] = way
    return root


def _ends(
    node: _Node, segments: list[str], at: int, values: tuple[str, ...]
) -> Iterator[tuple[_Node, tuple[str, ...]]]:
    """Yield where a path ends, and what stands for its placeholders."""
    if at == len(segments):
        yield node, values
        return
    segment = segments[at]
    literal = node.literals.get(segment)
    if literal is not None:
        yield from _ends(literal, segments, at + 1, values)
    if segment and node.placeholder is not None:
        yield from _ends(node.placeholder, segments, at + 1, (*values, segment))


def _refusing(methods: Iterable[str]) -> Endpoint:
    async def refuse(scope: Scope, receive: Receive, send: Send) -> None:
        raise HTTPException(405, headers={"Allow": ", ".join(methods)})

    return refuse

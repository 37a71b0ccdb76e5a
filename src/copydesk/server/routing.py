"""Finding what answers a request among very many operations, segment by segment of its path."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import field
from functools import cache, lru_cache
from typing import Any

from starlette.types import Receive, Scope, Send

from copydesk.contract.operation import Operation
from copydesk.domain.late_dataclass import dataclass

Endpoint = Callable[[Scope, Receive, Send], Awaitable[None]]
"""Answers a request; ``path_params`` of the scope are what its path says."""

Answering = Callable[[str], Endpoint]
"""Gives what answers the operation of that name."""


@dataclass(slots=True, eq=False)
class _Node:
    """A segment of paths: what may follow it, and by method what answers a path that ends here.

    ``ways`` hold the names of the operation and, in their order, of the path's placeholders.
    ``rest`` is a placeholder for all that follows, whose value may hold slashes.
    """

    literals: dict[str, _Node] = field(default_factory=dict)
    placeholder: _Node | None = None
    rest: _Node | None = None
    ways: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)


class Tree:
    """The operations by the segments of their paths.

    A literal segment goes before a placeholder in the same place. HEAD is answered as GET is.
    """

    def __init__(self, operations: Iterable[Operation[..., Any]], answering: Answering) -> None:
        self._root = _grown(tuple((op.method, op.path, op.name) for op in operations))
        self._answering = cache(answering)

    def find(self, method: str, path: str) -> tuple[Endpoint, dict[str, str]] | None:
        """Return what answers a request, and what its path says."""
        way = _way(self._root, method, path)
        return None if way is None else (self._answering(way[0]), dict(way[1]))

    def methods(self, path: str) -> list[str]:
        """Return the methods that a path has; none for a path that is none."""
        ends = _ends(self._root, path.split("/"), 0, ())
        return list(dict.fromkeys(method for node, _ in ends for method in node.ways))


@lru_cache(maxsize=512)  # the same is asked again and again
def _way(root: _Node, method: str, path: str) -> tuple[str, dict[str, str]] | None:
    """Return the operation that answers a request, and what its path says."""
    for node, values in _ends(root, path.split("/"), 0, ()):
        way = node.ways.get(method)
        if way is not None:
            return way[0], dict(zip(way[1], values, strict=True))
    return None


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
                if segment.endswith("_path}"):
                    node.rest = node.rest or _Node()
                    node = node.rest
                else:
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
    if segment and node.rest is not None:
        yield node.rest, (*values, "/".join(segments[at:]))

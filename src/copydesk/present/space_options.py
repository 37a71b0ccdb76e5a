"""Spaces to choose from: the likely one first, then by name, each with its collection."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from copydesk.domain.filter import fold
from copydesk.domain.space_tree import SpaceNode
from copydesk.session.options import Option


def may_edit(space: SpaceNode) -> bool:
    """Whether the reader may edit a space; True where unknown."""
    return space.permissions is None or "edit" in space.permissions


def space_options(
    nodes: Iterable[SpaceNode],
    at_hand: str | None = None,
    *,
    keep: Callable[[SpaceNode], bool] = may_edit,
) -> list[Option]:
    """Return the spaces of a tree that ``keep`` accepts, as options.

    ``at_hand`` is the id of the likely one. Each has its collection as a note, which distinguishes
    spaces of the same name.
    """
    known = list(nodes)
    titles = {node.id: node.title for node in known if node.kind == "collection"}

    def order(space: SpaceNode) -> tuple[bool, str, str]:
        return space.id != at_hand, fold(space.title), fold(titles.get(space.parent or "", ""))

    spaces = sorted((node for node in known if node.kind == "space" and keep(node)), key=order)
    return [Option(node.id, node.title, titles.get(node.parent or "", "")) for node in spaces]

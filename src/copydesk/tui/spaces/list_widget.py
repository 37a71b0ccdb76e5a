"""The tree of collections and spaces, with its columns, its order and its filter."""

from __future__ import annotations

from collections.abc import Callable, Set
from datetime import datetime

from copydesk.domain.filter import Query
from copydesk.domain.space_tree import (
    DESCENDING,
    SORTS,
    TRASH,
    SpaceNode,
    build_tree,
    trash_title,
    walk,
)
from copydesk.tui.framework.trees import TreeSource
from copydesk.tui.spaces import cells as present
from copydesk.tui.widgets.list import Column
from copydesk.tui.widgets.tree import TreeList


class SpaceTree(TreeList[SpaceNode]):
    """Shows ``nodes``; a branch that was never shown before is unfolded.

    ``clock`` tells the time, for ages. ``partial`` says that ``nodes`` are only the first rows of
    the last run.
    """

    def __init__(self, clock: Callable[[], datetime], *, id: str | None = None) -> None:
        source: TreeSource[SpaceNode] = TreeSource(
            key=lambda node: node.id,
            children=lambda node: node.children,
            foldable=lambda node: bool(node.children),
        )
        super().__init__(
            source,
            [
                Column("title", "NAME", present.name, flex=1, minimum=20),
                Column(
                    "open", "OPEN", lambda node: present.counted(node, node.open), 5,
                    align="right",
                ),
                Column(
                    "draft", "DRAFT", lambda node: present.counted(node, node.draft), 6,
                    align="right", drop=4,
                ),
                Column(
                    "comments", "CMT", lambda node: present.counted(node, node.comments), 5,
                    align="right", drop=2,
                ),
                Column("rules", "  RULES", present.rules, 9, drop=3),
                Column(
                    "updated", "UPDATED", lambda node: present.updated(node, clock()), 8,
                    align="right", drop=1,
                ),
            ],
            title="Spaces",
            empty="",
            dim=present.no_access,
            id=id,
        )  # fmt: skip
        self.filter_items(_matching)
        self.fields = present.FIELDS
        self.nodes: tuple[SpaceNode, ...] = ()
        self.partial = False
        self.trashed = 0
        """How many deleted spaces are known; a last row leads to them."""
        self.order = "open"
        self.backwards = False
        self._seen: set[str] = set()

    def show_nodes(
        self,
        nodes: tuple[SpaceNode, ...],
        *,
        refresh: bool = False,
        partial: bool = False,
        folded: Set[str] = frozenset(),
    ) -> None:
        """Show other nodes, in published order; a ``refresh`` of the same moves nothing."""
        self.nodes, self.partial = nodes, partial
        roots = build_tree(nodes, self.order, backwards=self.backwards, partial=partial)
        if self.trashed and roots:
            roots = (*roots, SpaceNode("loose", TRASH, trash_title(self.trashed)))
        source = self.tree_source
        branches = {node.id for node in walk(roots) if node.kind != "space"}
        source.unfolded |= branches - self._seen - folded
        self._seen |= branches
        # While a filter is on, what matches is shown as it is; nothing waits behind it.
        if refresh and not source.filtering:
            source.merge_roots(roots)
        else:
            source.set_roots(roots)
        self.sort = (self.order, (self.order in DESCENDING) != self.backwards)
        self.note = f"sort: {SORTS[self.order]}" + (", reversed" if self.backwards else "")
        if self.is_attached:
            self.retitle()

    def sort_by(self, order: str, *, backwards: bool) -> None:
        """Show the nodes in another order; the cursor stays on its row."""
        self.order, self.backwards = order, backwards
        self.show_nodes(self.nodes, partial=self.partial)

    def forget(self) -> None:
        """Show nothing, as before the first node."""
        self.find_clear()
        self._seen.clear()
        self.tree_source.unfolded.clear()
        self.show_nodes(())
        self.move_first()

    def select_first_space(self) -> None:
        """Put the cursor on the first space, not on the collection above it."""
        first = next((twig for twig in self.source.shown() if twig.item.kind == "space"), None)
        if first is not None:
            self.select(first.id)

    @property
    def folded(self) -> frozenset[str]:
        """The ids of what is folded."""
        return frozenset(self._seen - self.tree_source.unfolded)

    def count(self, kind: str) -> int:
        """Return how many nodes of a kind there are."""
        return sum(node.kind == kind for node in self.nodes)


def _matching(text: str) -> Callable[[SpaceNode], bool]:
    query = Query.parse(text, present.FIELDS)
    if query.wrong is not None:
        raise ValueError(query.wrong)
    return query.matches

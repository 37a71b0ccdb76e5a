"""A site as its readers get it, beside the admins' view: hidden parts, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.layout import TOP
from copydesk.domain.site_tree import SiteNode, Structure, structure_of
from copydesk.domain.text import clean

if TYPE_CHECKING:
    from copydesk.contract.models.site import PublishedSite

Standing = Literal["shown", "conditional", "hidden", "trashed", "empty", "left-out", "unseen"]
"""How a row stands with readers.

They get it ("shown"); if a condition holds; but not in the navigation ("hidden"). They do not get
it: its space is in the trash, it shows nothing, or the service leaves it out without saying why.
They get it, and the admin does not see it ("unseen").
"""

REACHED: frozenset[Standing] = frozenset({"shown", "conditional", "hidden", "unseen"})
"""The standings of the sections and spaces that readers get."""


@dataclass(frozen=True, slots=True)
class ReaderNode:
    """One row: as readers get it, or as admins see what readers do not get.

    ``alone`` says that nothing else stands beside it.
    """

    node: SiteNode
    standing: Standing
    alone: bool = False
    children: tuple[ReaderNode, ...] = ()

    @property
    def id(self) -> str:
        """The id of the section or the site space."""
        return self.node.id

    @property
    def reached(self) -> bool:
        """Whether readers get it."""
        return self.standing in REACHED


@dataclass(frozen=True)
class Reading:
    """What readers get; ``unknown`` names a layout that this version does not know."""

    structure: Structure
    unknown: str = ""


def reading_of(published: PublishedSite) -> Reading:
    """Return what a published site shows, whichever way it is laid out."""
    from copydesk.contract.models.site import SectionsStructure, SiteSpacesStructure

    match published.structure:
        case SectionsStructure(structure=sections):
            return Reading(structure_of(sections))
        case SiteSpacesStructure(structure=shown):
            return Reading(structure_of((), shown))
        case other:
            nodes = dict(_loose(other.structure))
            kind = clean(other.type, limit=60).strip() or "(no name)"
            return Reading(Structure(nodes, {TOP: tuple(nodes)}), kind)


def _loose(items: Iterable[object]) -> Iterator[tuple[str, SiteNode]]:
    """Yield what can be told of the parts of a layout that is not known."""
    for at, item in enumerate(items):
        part = item if isinstance(item, dict) else {}
        row = f"{at}:{part.get('id', '')}"
        title = clean(str(part.get("title") or part.get("id") or ""), limit=200).strip()
        urls = part.get("urls")
        address = urls.get("published") if isinstance(urls, dict) else None
        yield (
            row,
            SiteNode(
                row,
                "section",
                title or "Untitled",
                path=clean(str(part.get("path") or ""), limit=200),
                address=web_address(address) if isinstance(address, str) else "",
            ),
        )


def readers_tree(
    published: Structure, seen: Structure | None, *, adaptive: bool = True
) -> tuple[ReaderNode, ...]:
    """Return what readers get in their order, with what else admins see where it would stand.

    ``seen`` is None where nobody knows what admins see. Without ``adaptive`` conditions have no
    effect.
    """
    known = seen.nodes if seen is not None else published.nodes
    levels = _joined(published.levels, seen.levels if seen is not None else {})

    def below(level: str) -> tuple[ReaderNode, ...]:
        rows = levels.get(level, ())
        return tuple(branch(row, alone=len(rows) == 1) for row in rows)

    def branch(row: str, *, alone: bool) -> ReaderNode:
        children = below(row)
        node = published.nodes.get(row)
        if node is not None:
            standing = _reached(node, unseen=row not in known, adaptive=adaptive)
            return ReaderNode(node, standing, alone, children)
        return ReaderNode(known[row], _kept_out(known[row], children), alone, children)

    return below(TOP)


def _reached(node: SiteNode, *, unseen: bool, adaptive: bool) -> Standing:
    if unseen:
        return "unseen"
    if node.hidden:
        return "hidden"
    return "conditional" if node.condition and adaptive else "shown"


def _kept_out(node: SiteNode, children: Sequence[ReaderNode]) -> Standing:
    if node.trashed:
        return "trashed"
    if node.kind != "site-space" and not any(child.reached for child in children):
        return "empty"
    return "left-out"


def _joined(
    first: Mapping[str, tuple[str, ...]], second: Mapping[str, tuple[str, ...]]
) -> Mapping[str, tuple[str, ...]]:
    """Return the levels of ``first``, with what only ``second`` has behind its neighbour there."""
    placed = {row for rows in first.values() for row in rows}
    joined = {level: list(rows) for level, rows in first.items()}
    for level, rows in second.items():
        here = joined.setdefault(level, [])
        before = None
        for row in rows:
            if row not in placed:
                at = here.index(before) + 1 if before in here else 0
                here.insert(at, row)
            before = row
    return {level: tuple(rows) for level, rows in joined.items()}


def standings(tree: Iterable[ReaderNode]) -> Counter[Standing]:
    """Return how many sections and site spaces stand how; groups are not counted."""
    found: Counter[Standing] = Counter()
    rows = list(tree)
    while rows:
        row = rows.pop()
        rows += row.children
        if row.node.kind != "group":
            found[row.standing] += 1
    return found

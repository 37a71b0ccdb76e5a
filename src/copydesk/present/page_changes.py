"""The changed pages and files of a change request, and their tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import get_args

from rich.text import Text

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.page_tree import ChangeKind, PageNode
from copydesk.domain.text import clean, shorten_middle
from copydesk.session.glyphs import glyphs
from copydesk.session.page_changes import THINGS, ReviewChange

OTHERS = "Other changes"
"""The branch of things that this version does not know."""


@dataclass(frozen=True, slots=True)
class PageTreeLine:
    """A line of the tree of pages: a changed page, or an unchanged one around it."""

    id: str
    title: str
    change: ReviewChange | None
    children: tuple[PageTreeLine, ...] = ()


# The tree


def entries(
    after: Sequence[PageNode], changes: Sequence[ReviewChange], *, everything: bool = False
) -> list[PageTreeLine]:
    """Return the tree of changed pages with their parents; ``everything`` keeps all pages.

    Removed pages keep their place. What is changed besides pages stands at the end, in branches.
    """
    by_id = {change.id: change for change in changes}
    nodes = {node.id: node for node in after}
    lost = [c.node for c in changes if not c.thing and c.id not in nodes]
    order = [*after, *lost]
    nodes.update((node.id, node) for node in lost)
    below: dict[str | None, list[str]] = {}
    for node in after:
        below.setdefault(_parent(node, nodes), []).append(node.id)
    for node in lost:
        siblings = below.setdefault(_parent(node, nodes), [])
        siblings.insert(min(node.position, len(siblings)), node.id)
    made: dict[str, PageTreeLine] = {}
    # Parents come before their children, so that from the end on all children exist already.
    for node in reversed(order):
        children = tuple(made[child] for child in below.get(node.id, ()) if child in made)
        if children or everything or node.id in by_id:
            change = by_id.get(node.id)
            named = node if change is None else change.node  # staged titles are in the changes
            made[node.id] = PageTreeLine(node.id, clean(named.title), change, children)
    roots = [made[page] for page in below.get(None, ()) if page in made]
    things: dict[str, list[PageTreeLine]] = {}
    for c in changes:
        if c.thing:
            things.setdefault(THINGS.get(c.thing, OTHERS), []).append(
                PageTreeLine(c.id, clean(c.node.title), c)
            )
    for title in sorted(things, key=[*THINGS.values(), OTHERS].index):
        below_it = tuple(things[title])
        roots.append(PageTreeLine(f"branch:{title}", f"{title} ({len(below_it)})", None, below_it))
    return roots


def _parent(node: PageNode, nodes: Mapping[str, PageNode]) -> str | None:
    return node.parent if node.parent in nodes else None


def in_order(roots: Sequence[PageTreeLine]) -> list[ReviewChange]:
    """Return the changed pages and files in the order of the tree."""
    found: list[ReviewChange] = []
    waiting = list(reversed(roots))
    while waiting:
        entry = waiting.pop()
        if entry.change is not None:
            found.append(entry.change)
        waiting.extend(reversed(entry.children))
    return found


def sign(change: ReviewChange) -> tuple[str, str]:
    """Return the sign of a change and its tone: ``~`` edited, ``+`` added, ``-`` deleted, moved."""
    if "added" in change.kinds:
        return "+", "good"
    if change.moved is not None:
        return glyphs().right, "moved"
    if "deleted" in change.kinds:
        return "-", "bad"
    if "edited" in change.kinds or "renamed" in change.kinds:
        return "~", "changed"
    return glyphs().right, "moved"


def page_signs() -> list[tuple[str, str]]:
    """Return the signs beside changed pages with their meanings."""
    signs = glyphs()
    return [
        (signs.passed, "read"),
        (signs.changed, "changed since you read it"),
        ("~", "edited"),
        ("+", "added"),
        ("-", "deleted"),
        (signs.right, "moved"),
        ("m", "staged by me, not sent"),
    ]


def entry_title(entry: PageTreeLine) -> Text:
    """Return a line of the tree: the sign and the title."""
    if entry.change is None:
        return Text(entry.title or "(untitled)", style="muted")
    mark, tone = sign(entry.change)
    style = "removed" if tone == "bad" else ""
    moved = bool({"moved", "file moved"} & set(entry.change.kinds)) and tone == "changed"
    text = Text.assemble((f"{mark} ", tone), (entry.title or "(untitled)", style))
    return text.append(f" {glyphs().right}", style="moved") if moved else text


def counted(kinds: Iterable[Collection[str]]) -> str:
    """Return the numbers of changes by kind: "1 moved out, 3 edited"."""
    counts = Counter(kind for each in kinds for kind in each)
    said = ", ".join(f"{counts[kind]} {kind}" for kind in get_args(ChangeKind) if counts[kind])
    return said if counts["file moved"] == 1 else said.replace(" file moved", " files moved")


def place_of(change: ReviewChange) -> str:
    """Return the path of a changed page: "Reference / Webhooks / Retries"."""
    thing = "" if change.file or change.thing == change.node.title else f"{change.thing} "
    return clean(f"{thing}{change.node.place}".strip())


def place_within(change: ReviewChange, cells: int) -> str:
    """Return the path of a changed page in at most so many cells: its own name is cut last."""
    return shorten_middle(place_of(change), cells, glyphs().more)

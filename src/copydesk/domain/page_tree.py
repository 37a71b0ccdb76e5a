"""Page trees: laid flat, what changed between two of them, and what changed on both sides.

Pages are known by their id, so a page that was moved and renamed and edited is one page with three
kinds of change, not one gone and one new.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, TypeVar

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.order import kept

if TYPE_CHECKING:
    from copydesk.contract.models.content import ContentPage, TreePage

AnyPage = TypeVar("AnyPage", "ContentPage", "TreePage")

ChangeKind: TypeAlias = Literal[
    "added", "deleted", "moved out", "moved", "renamed", "file moved", "edited"
]
"""What happens to a page, in the words that are shown, the weightiest first.

Trees do not tell that a page is moved out of its space, nor that its file is moved: services do.
"""

Version: TypeAlias = tuple[str | None, str | None]
"""What tells two states of a page's text apart: the id of its content, and when it was updated."""


@dataclass(frozen=True, slots=True)
class PageNode:
    """A page in a laid-out tree.

    ``parent`` is the id of the page above it and None at the root, ``position`` its place among its
    siblings from 0, ``trail`` the titles of the pages above it, outermost first.
    """

    id: str
    title: str
    slug: str = ""
    path: str = ""
    type: str = "document"
    parent: str | None = None
    position: int = 0
    trail: tuple[str, ...] = ()
    version: Version = (None, None)

    @property
    def place(self) -> str:
        """Where a person finds it: "Reference / Webhooks / Retries"."""
        return " / ".join([*self.trail, self.title])


@dataclass(frozen=True, slots=True)
class PageChange:
    """What happened to one page. ``kinds`` are in the order of ``ChangeKind``, at least one.

    ``before`` is None for an added page, ``after`` for a deleted one.
    """

    id: str
    kinds: tuple[ChangeKind, ...]
    before: PageNode | None
    after: PageNode | None

    @property
    def page(self) -> PageNode:
        """The page as it is now, or as it was when it is gone."""
        page = self.after or self.before
        if page is None:
            raise ValueError("a change is of a page that was, or is")
        return page


def flatten(pages: Iterable[AnyPage]) -> tuple[PageNode, ...]:
    """Lay a page tree out in reading order: a page, then those below it.

    A page whose id was there before is left out: one id is one page. Any depth is taken.
    """
    found: dict[str, PageNode] = {}
    # Each entry: a page, its parent's id, its place, and the titles above it.
    waiting: list[tuple[AnyPage, str | None, int, tuple[str, ...]]] = [
        (page, None, place, ()) for place, page in enumerate(pages)
    ]
    waiting.reverse()
    trail: tuple[str, ...]
    while waiting:
        page, parent, position, trail = waiting.pop()
        if page.id in found:
            continue
        found[page.id] = PageNode(
            id=page.id,
            title=page.title,
            slug=page.slug or page.path.rpartition("/")[2],
            path=page.path,
            type=page.type,
            parent=parent,
            position=position,
            trail=trail,
            version=(
                page.git.oid if page.git else None,
                page.updated_at.isoformat() if page.updated_at else None,
            ),
        )
        titles = (*trail, page.title)  # siblings share them
        below = [(child, page.id, place, titles) for place, child in enumerate(page.pages)]
        waiting.extend(reversed(below))
    return tuple(found.values())


def version_changed(before: PageNode, after: PageNode) -> bool:
    """Tell by their versions whether a page's text differs.

    The id of the content decides where both have one; then the time of the last update. Where
    neither is known the page counts as not edited.
    """
    for old, new in zip(before.version, after.version, strict=True):
        if old is not None and new is not None:
            return old != new
    return False


def compare_trees(
    before: Sequence[PageNode],
    after: Sequence[PageNode],
    *,
    changed: Callable[[PageNode, PageNode], bool] = version_changed,
) -> list[PageChange]:
    """Return what happened to each page, in the reading order of the new tree.

    A page is ``moved`` when it has another parent, or stands in another order among the siblings
    that it had before; pages that only made room for it are not. It is ``renamed`` when its title
    or slug differ; a path that differs through a page above it is not. ``changed`` tells whether
    it was ``edited``. A deleted page is listed where it stood: behind the page that came before it.
    """
    old = {page.id: page for page in before}
    new = {page.id: page for page in after}
    shifted = _shifted(old, new)
    changes: dict[str, PageChange] = {}
    for page in after:
        was = old.get(page.id)
        kinds: list[ChangeKind] = []
        if was is None:
            kinds.append("added")
        else:
            if was.parent != page.parent or page.id in shifted:
                kinds.append("moved")
            if (was.title, was.slug) != (page.title, page.slug):
                kinds.append("renamed")
            if changed(was, page):
                kinds.append("edited")
        if kinds:
            changes[page.id] = PageChange(page.id, tuple(kinds), was, page)
    gone: dict[str | None, list[PageNode]] = {}
    anchor: str | None = None
    for page in before:
        if page.id in new:
            anchor = page.id
        else:
            gone.setdefault(anchor, []).append(page)
    found: list[PageChange] = [_deleted(page) for page in gone.get(None, ())]
    for page in after:
        if page.id in changes:
            found.append(changes[page.id])
        found.extend(_deleted(lost) for lost in gone.get(page.id, ()))
    return found


def _deleted(page: PageNode) -> PageChange:
    return PageChange(page.id, ("deleted",), page, None)


def _shifted(old: Mapping[str, PageNode], new: Mapping[str, PageNode]) -> set[str]:
    """Return the pages that changed their order among the siblings that they kept."""
    stayed = [
        page for page in new.values() if page.id in old and old[page.id].parent == page.parent
    ]
    before: dict[str | None, list[str]] = {}
    after: dict[str | None, list[str]] = {}
    for page in sorted(stayed, key=lambda page: old[page.id].position):
        before.setdefault(page.parent, []).append(page.id)
    for page in sorted(stayed, key=lambda page: page.position):
        after.setdefault(page.parent, []).append(page.id)
    return {
        page
        for parent, siblings in before.items()
        if siblings != after[parent]
        for page in set(siblings) - kept(siblings, after[parent])
    }


def on_both_sides(mine: Sequence[PageChange], main: Sequence[PageChange]) -> list[PageChange]:
    """Return the changes of a request that may not go together with those of primary content.

    These are pages that both have changed, pages whose new place primary content has moved, removed
    or taken, and pages that the request removes while primary content has put others below them.
    """
    pages = {change.id: change for change in main}
    placed = [change.after for change in main if change.after and _places(change)]
    addresses = {node.path: node.id for node in placed if node.path}
    parents = {node.parent for node in placed}

    def meets(change: PageChange) -> bool:
        if change.id in pages:
            return True
        if change.after is None:
            return change.id in parents
        if not _places(change):
            return False
        if addresses.get(change.after.path, change.id) != change.id:
            return True
        above = pages.get(change.after.parent or "")
        return above is not None and bool({"deleted", "moved"} & set(above.kinds))

    return [change for change in mine if meets(change)]


def _places(change: PageChange) -> bool:
    """Whether a change gives a page a place or an address."""
    return bool({"added", "moved", "renamed"} & set(change.kinds))

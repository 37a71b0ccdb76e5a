"""The tree of collections and spaces: built from flat lists, summed up, sorted, kept as plain data.

A node is small and holds clean text only, so that a list of thousands stays light and the rows of
the last run can be drawn before any model is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from copydesk.domain.address import web_address
from copydesk.domain.filter import fold
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, shown_title

if TYPE_CHECKING:
    # Models are not loaded for the sake of an annotation: the first screen starts without them.
    from copydesk.contract.models.collection import Collection
    from copydesk.contract.models.merge_rules import MergeRules
    from copydesk.contract.models.space import Space

Kind: TypeAlias = Literal["collection", "space", "loose"]
"""``loose`` is the group of spaces that are in no collection."""

LOOSE = "loose"
"""The id of that group: no identifier of the API looks like it."""

TRASH = "trash:"
"""The id of the group of deleted spaces, which is none either."""

TITLE_LENGTH = 50
"""The longest title of a collection or a space, in characters."""

TRASH_DAYS = 7
"""How long a deleted space can be restored."""

RuleList: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""Merge rules: the kind of each, and the ids of the people whom it names."""

SORTS: Mapping[str, str] = {
    "open": "open change requests",
    "title": "title",
    "updated": "last updated",
    "comments": "comments",
    "published": "as arranged",
}
"""How siblings may be ordered, and what each order is called."""

DESCENDING = frozenset({"open", "updated", "comments"})
"""The orders in which more, or later, comes first unless they are reversed."""


@dataclass(frozen=True, slots=True)
class SpaceNode:
    """A collection, a space, or the group of spaces in no collection.

    The counts of a collection are those of everything below it; only it has a ``description``.
    ``updated`` is an ISO 8601 time or "". ``rules`` are its own merge rules where ``rules_type`` is
    ``rules``. ``permissions`` names what the caller may do; None is not known. ``raw`` are those of
    its texts, by wire name, that are otherwise as the service has them: never to be drawn.
    """

    kind: Kind
    id: str
    title: str
    parent: str | None = None
    open: int = 0
    draft: int = 0
    comments: int = 0
    updated: str = ""
    emoji: str = ""
    spaces: int = 0
    description: str = ""
    visibility: str = ""
    language: str = ""
    edit_mode: str = ""
    rules_type: str = ""
    rules: RuleList = ()
    permissions: tuple[str, ...] | None = None
    app_url: str = ""
    published_url: str = ""
    git: str = ""
    git_updated: str = ""
    children: tuple[SpaceNode, ...] = field(default=(), repr=False)
    raw: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)


_GROUP = SpaceNode("loose", LOOSE, "(no collection)")


def trash_title(count: int) -> str:
    """Return what the group of deleted spaces is called. No list tells of them all."""
    return f"Trash ({count} known, kept {TRASH_DAYS} days)"


def space_node(space: Space) -> SpaceNode:
    """Return a space as a node of the tree."""
    kind, rules = rule_list(space.merge_rules)
    granted = space.permissions
    git = space.git_sync
    source = git and (git.repo_name or git.url or git.installation_provider)
    return SpaceNode(
        kind="space",
        id=space.id,
        title=shown_title(space.title),
        parent=space.parent,
        open=space.change_requests_open,
        draft=space.change_requests_draft,
        comments=space.comments,
        updated=space.updated_at.isoformat(),
        emoji=clean(space.emoji),
        spaces=1,
        visibility=clean(space.visibility),
        language=clean(space.language or ""),
        edit_mode=clean(space.edit_mode or ""),
        rules_type=kind,
        rules=rules,
        permissions=None
        if granted is None
        else tuple(name for name, given in granted if given is True),
        app_url=web_address(space.urls.app),
        published_url=web_address(space.urls.published or space.urls.public),
        git=clean(source or ""),
        git_updated=git.updated_at.isoformat() if git is not None and git.updated_at else "",
        raw=_raw(title=space.title, emoji=space.emoji),
    )


def collection_node(collection: Collection) -> SpaceNode:
    """Return a collection as a node without its children."""
    granted = collection.permissions
    return SpaceNode(
        kind="collection",
        id=collection.id,
        title=shown_title(collection.title),
        parent=collection.parent,
        description=clean(collection.description or ""),
        permissions=None
        if granted is None
        else tuple(name for name, given in granted if given is True),
        app_url=web_address(collection.urls.app),
        raw=_raw(title=collection.title, description=collection.description or ""),
    )


def _raw(**texts: str) -> dict[str, str]:
    """Return the texts that are not drawn as they are; hardly any space has such."""
    return {
        name: text
        for name, text in texts.items()
        if clean(text).strip() != text or (name == "title" and not text)
    }


def rule_list(rules: MergeRules | None) -> tuple[str, RuleList]:
    """Return merge rules as plain data: their type, and the rules themselves."""
    if rules is None:
        return "inherit", ()
    kind = rules.type if rules.type in ("inherit", "none") else "rules"
    return kind, tuple(
        (clean(rule.rule), tuple(map(clean, rule.users or ()))) for rule in rules.rules or ()
    )


def build_tree(
    nodes: Iterable[SpaceNode],
    sort: str = "open",
    *,
    backwards: bool = False,
    partial: bool = False,
) -> tuple[SpaceNode, ...]:
    """Return the roots of the tree of ``nodes``, given in published order.

    Collections and spaces are ordered together; spaces in no collection come last, in a group of
    their own where there are collections. A node whose parent is not there, or that is among its
    own parents, is taken to be at the root, so that nothing is ever lost. ``backwards`` turns the
    order round. With ``partial`` not all nodes are there, and what collections say of their sums
    is kept.
    """
    given = list(nodes)
    flat = {node.id: replace(node, children=()) for node in given if node.kind != "loose"}
    group = next((node for node in given if node.kind == "loose"), _GROUP)
    below: dict[str | None, list[str]] = {}
    for node in flat.values():
        above = node.parent
        holder = flat.get(above) if above is not None else None
        lost = holder is None or holder.kind != "collection" or _circular(node, flat)
        below.setdefault(None if lost else above, []).append(node.id)

    def grown(node_id: str) -> SpaceNode:
        return _holding(flat[node_id], done.pop(node_id, ()), partial)

    # Deepest first, without recursion: the depth is the service's to choose.
    order: list[str] = []
    waiting = list(below.get(None, ()))
    while waiting:
        node_id = waiting.pop()
        order.append(node_id)
        waiting.extend(below.get(node_id, ()))
    done: dict[str, tuple[SpaceNode, ...]] = {}
    for node_id in reversed(order):
        if node_id in below:
            done[node_id] = _sorted([grown(child) for child in below[node_id]], sort, backwards)
    roots = [grown(node_id) for node_id in below.get(None, ())]
    collections = [node for node in roots if node.kind == "collection"]
    loose = _sorted([node for node in roots if node.kind == "space"], sort, backwards)
    if not collections:
        return loose
    tree = _sorted(collections, sort, backwards)
    if not loose:
        return tree
    return (*tree, _holding(group, loose, partial and group is not _GROUP))


def _circular(node: SpaceNode, flat: Mapping[str, SpaceNode]) -> bool:
    seen = {node.id}
    above = node.parent
    while above is not None and above in flat:
        if above in seen:
            # Only the ring itself is opened; what hangs on it stays where it is.
            return above == node.id
        seen.add(above)
        above = flat[above].parent
    return False


def _holding(node: SpaceNode, children: tuple[SpaceNode, ...], keep_sums: bool) -> SpaceNode:
    if node.kind == "space":
        return node
    if keep_sums:
        return replace(node, children=children)
    return replace(
        node,
        children=children,
        open=sum(child.open for child in children),
        draft=sum(child.draft for child in children),
        comments=sum(child.comments for child in children),
        spaces=sum(child.spaces for child in children),
        updated=max((child.updated for child in children), default=""),
    )


def _sorted(nodes: Sequence[SpaceNode], sort: str, backwards: bool) -> tuple[SpaceNode, ...]:
    ordered = list(nodes)
    if sort == "published":
        # How collections and spaces stand among each other is in no answer of the API.
        ordered.sort(key=lambda node: node.kind != "collection")
        if backwards:
            ordered.reverse()
    else:
        # By title among equals, whichever way the order goes.
        ordered.sort(key=lambda node: fold(node.title))
        down = (sort in DESCENDING) != backwards
        if sort == "title":
            ordered.sort(key=lambda node: fold(node.title), reverse=down)
        else:
            name = sort if sort in DESCENDING else "open"
            ordered.sort(key=lambda node: getattr(node, name), reverse=down)
    return tuple(ordered)


def walk(roots: Iterable[SpaceNode]) -> list[SpaceNode]:
    """Return every node in the order of the tree."""
    found: list[SpaceNode] = []
    waiting = list(roots)[::-1]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting.extend(reversed(node.children))
    return found


# Rows of the last run

_TEXTS = frozenset(
    each.name
    for each in fields(SpaceNode)
    if each.name not in {"children", "rules", "permissions", "raw"}
)


def to_row(node: SpaceNode) -> dict[str, Any]:
    """Return a node, without its children, as plain data that JSON can hold."""
    row: dict[str, Any] = {name: value for name in _TEXTS if (value := getattr(node, name))}
    row["rules"] = [[rule, list(users)] for rule, users in node.rules]
    if node.permissions is not None:
        row["permissions"] = list(node.permissions)
    return row


def from_row(row: Mapping[str, Any]) -> SpaceNode | None:
    """Return the node that was kept, or None for a row that is none: files get damaged."""
    try:
        values: dict[str, Any] = {}
        for each in fields(SpaceNode):
            if each.name in _TEXTS and each.name in row:
                value = row[each.name]
                values[each.name] = clean(value) if isinstance(value, str) else int(value)
        values["rules"] = tuple(
            (clean(rule), tuple(map(clean, users))) for rule, users in row.get("rules", ())
        )
        if row.get("permissions") is not None:
            values["permissions"] = tuple(map(clean, row["permissions"]))
        node = SpaceNode(**values)
    except (TypeError, ValueError, AttributeError):
        return None
    return node if node.kind in get_args(Kind) and node.id else None

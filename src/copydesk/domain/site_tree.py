"""The structure of a site as a tree: groups, sections and site spaces, in an order of each level.

A level is a list with an order of its own: the top of the site, what is in a group, the site spaces
of a section. On a service that answers the structure in one, groups have names, may be in each
other, and move as sections and links do. On others they are known only by the id that their
sections carry (`GROUP`): they have no name, and no operation moves them.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote
from zlib import crc32

from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.layout import (
    GROUP,
    TOP,
    Item,
    Layout,
    Levels,
    Values,
    change_line,
    default_at,
    place_line,
    put_as,
    set_values,
)
from copydesk.domain.order import Move
from copydesk.domain.rebase import Lost
from copydesk.domain.reversal import JSON, NEW
from copydesk.domain.text import clean, shown_title

if TYPE_CHECKING:
    from copydesk.contract.models.site_section import SiteSection
    from copydesk.contract.models.site_space import SiteSpace
    from copydesk.contract.models.site_structure import (
        SiteExternalLink,
        SiteSectionGroup,
        SiteStructure,
    )
    from copydesk.domain.site_arrangement import SiteArrangement
    from copydesk.domain.site_moves import EntryMove

Kind = Literal["group", "section", "link", "site-space"]


@dataclass(frozen=True, slots=True)
class SiteNode:
    """One row of a site's structure. Texts are clean.

    ``level`` is where its order counts. ``default`` says that readers land on it first. ``space``
    is the id of the space that a site space shows, ``trashed`` that this space is in the trash.
    ``url`` is where a link leads. Readers do not get a ``draft``.
    ``raw`` are its texts by wire name as the service gave them, to be sent and never to be drawn.
    """

    id: str
    kind: Kind
    title: str
    level: str = TOP
    path: str = ""
    description: str = ""
    condition: str = ""
    default: bool = False
    hidden: bool = False
    trashed: bool = False
    space: str = ""
    audience: str = ""
    address: str = ""
    group: str = ""
    icon: str = ""
    url: str = ""
    draft: bool = False
    raw: Mapping[str, JSON] = field(default_factory=dict, compare=False, repr=False)
    children: tuple[SiteNode, ...] = ()


@dataclass(frozen=True)
class Structure:
    """What a site shows: its nodes by id, without children, and the published order."""

    nodes: Mapping[str, SiteNode]
    levels: Levels
    sorts: bool = False
    """Whether the service moves any entry, and has groups and links (extension E11)."""

    @property
    def sectioned(self) -> bool:
        """Whether the site has sections; otherwise it shows site spaces at its top."""
        return any(node.kind == "section" for node in self.nodes.values())

    def tree(self) -> tuple[SiteNode, ...]:
        """Return the tree in the published order."""

        def branch(row: str) -> SiteNode:
            node = self.nodes[row]
            return replace(node, children=below(row)) if row in self.levels else node

        def below(level: str) -> tuple[SiteNode, ...]:
            return tuple(branch(row) for row in self.levels[level])

        return below(TOP)


def with_titles(structure: Structure, titles: Mapping[str, str], untitled: str) -> Structure:
    """Return a structure whose groups have titles, by their ids; ``untitled`` those without."""
    named = {
        row: replace(node, title=titles.get(row.removeprefix(GROUP), untitled))
        for row, node in structure.nodes.items()
        if row.startswith(GROUP)
    }
    return replace(structure, nodes={**structure.nodes, **named})


class _Nodes:
    """Puts nodes into their levels as they are listed."""

    def __init__(self) -> None:
        self.nodes: dict[str, SiteNode] = {}
        self.levels: dict[str, list[str]] = {TOP: []}

    def put(self, node: SiteNode) -> bool:
        """Put a node where it is; False for one that is there already.

        An answer that lists something twice shows it once. What has no id cannot be named to any
        operation, and would be taken for the top itself.
        """
        if node.id == TOP or node.id in self.nodes:
            return False
        self.nodes[node.id] = node
        self.levels.setdefault(node.level, []).append(node.id)
        return True

    def put_section(self, section: SiteSection, level: str) -> None:
        """Put a section, and what it shows."""
        self.put(_section(section, level))
        self.levels.setdefault(section.id, [])
        for shown in section.site_spaces:
            self.put(_site_space(shown, section.id))

    def structure(self, *, sorts: bool) -> Structure:
        """Return them as a structure."""
        levels = {level: tuple(ids) for level, ids in self.levels.items()}
        return Structure(self.nodes, levels, sorts)


def structure_of(
    sections: Sequence[SiteSection], site_spaces: Iterable[SiteSpace] = ()
) -> Structure:
    """Return the structure of a site from its sections, or from what it shows without any."""
    found = _Nodes()
    groups: dict[str, int] = {}
    for section in sections:
        group = f"{GROUP}{section.section_group}" if section.section_group else ""
        if group and group not in groups:
            groups[group] = len(groups) + 1
            found.put(SiteNode(group, "group", f"Group {groups[group]}"))
        found.put_section(section, group or TOP)
    if not sections:
        for shown in site_spaces:
            found.put(_site_space(shown, TOP))
    return found.structure(sorts=False)


def structure_in(answer: SiteStructure) -> Structure:
    """Return the structure of a site from a service that answers it in one."""
    from copydesk.contract.models.site_section import SiteSection
    from copydesk.contract.models.site_space import SiteSpace
    from copydesk.contract.models.site_structure import SiteExternalLink, SiteSectionGroup

    found = _Nodes()
    waiting = [(each, TOP) for each in reversed(answer.structure)]
    while waiting:
        item, level = waiting.pop()
        match item:
            case SiteSection():
                found.put_section(item, level)
            case SiteSpace():
                found.put(_site_space(item, level))
            case SiteExternalLink():
                found.put(_link(item, level))
            case SiteSectionGroup() if found.put(_group(item, level)):
                found.levels.setdefault(item.id, [])
                waiting += [(each, item.id) for each in reversed(item.children)]
    return found.structure(sorts=True)


def _group(group: SiteSectionGroup, level: str) -> SiteNode:
    return SiteNode(
        group.id,
        "group",
        shown_title(group.title),
        level,
        icon=clean(group.icon or ""),
        draft=group.draft,
        group=level,
        raw={"title": group.title, "icon": group.icon, "localizedTitle": group.localized_title},
    )


def _link(link: SiteExternalLink, level: str) -> SiteNode:
    return SiteNode(
        link.id,
        "link",
        shown_title(link.title),
        level,
        description=clean(link.description or ""),
        condition=clean(link.condition or ""),
        icon=clean(link.icon or ""),
        url=clean(link.url),
        address=web_address(link.url),
        draft=link.draft,
        group=level,
        raw=_raw(link, "title", "url", "description", "condition", "icon"),
    )


def _section(section: SiteSection, level: str) -> SiteNode:
    return SiteNode(
        section.id,
        "section",
        shown_title(section.title),
        level,
        path=clean(section.path),
        description=clean(section.description or ""),
        condition=clean(section.condition or ""),
        default=section.default,
        address=web_address(section.urls.published),
        group=level,
        icon=clean(section.icon or ""),
        raw=_raw(section, "title", "path", "description", "condition", "icon"),
    )


def _site_space(shown: SiteSpace, level: str) -> SiteNode:
    space = shown.space
    return SiteNode(
        shown.id,
        "site-space",
        clean(shown.title).strip() or clean(space.title or "").strip() or "Untitled",
        level,
        path=clean(shown.path),
        condition=clean(shown.condition or ""),
        default=shown.default,
        hidden=shown.hidden,
        trashed=space.deleted_at is not None,
        space=space.id,
        audience=clean(str(space.visibility or "")),
        address=web_address(shown.urls.published),
        raw={"title": shown.title or space.title, "path": shown.path, "condition": shown.condition},
    )


def _raw(thing: SiteSection | SiteExternalLink, *names: str) -> dict[str, JSON]:
    """Return texts of a thing, whose wire names are those that they have here."""
    return {name: getattr(thing, name) for name in names}


PATH, REST = "path", "rest"
"""The parts of a request that others wait for, and that wait for others."""


@dataclass
class Op:
    """One request to be, not yet put in order."""

    key: str
    kind: Literal["add", "set", "default", "move", "remove", "redirect"]
    row: str
    phase: int
    index: float
    values: dict[str, JSON] = field(default_factory=dict)
    level: str = ""
    move: Move | None = None
    entry: EntryMove | None = None
    """The move of a section, a group or a link, where the service moves those alike."""
    needs: list[tuple[str, str, str]] = field(default_factory=list)
    """What it waits for: its own part that does, the key of the other, and its part."""
    wishes: list[str] = field(default_factory=list)
    """The keys of requests that come before it where possible."""


def in_order(ops: dict[str, Op], staged: SiteArrangement) -> Iterable[Op]:
    """Yield the requests to send, each as early as its kind, after those that it waits for."""
    waiting: dict[str, set[str]] = {}
    blocks: dict[str, set[str]] = {}

    def note(op: Op) -> None:
        others = (*(key for _, key, _ in op.needs), *op.wishes)
        waiting[op.key] = {key for key in others if key in left}
        for key in waiting[op.key]:
            blocks.setdefault(key, set()).add(op.key)
        if not waiting[op.key]:
            heapq.heappush(ready, (op.phase, op.index, op.key))

    left = dict(ops)
    ready: list[tuple[int, float, str]] = []
    for op in ops.values():
        note(op)
    while left:
        if not ready:
            left.update((op.key, op) for op in _opened(left, staged))
            ready, blocks = [], {}
            for op in left.values():
                note(op)
            continue
        _, _, key = heapq.heappop(ready)
        yield left.pop(key)
        for other_key in sorted(blocks.pop(key, ())):
            waiting[other_key].discard(key)
            if not waiting[other_key]:
                op = left[other_key]
                heapq.heappush(ready, (op.phase, op.index, op.key))


def _opened(left: dict[str, Op], staged: SiteArrangement) -> list[Op]:
    """Return the requests of a ring with one that opens it.

    It waits no longer for what it only should, or is sent in two parts, or with another path.
    """
    needing = _ringed(left)
    if not needing:
        op = min(
            (op for op in left.values() if op.wishes), key=lambda each: (each.phase, each.index)
        )
        op.wishes = []
        return [op]
    trail: list[tuple[Op, str, str]] = []  # each with its waiting part, and the part waited for
    at: dict[str, int] = {}
    op = min(needing.values(), key=lambda each: (each.phase, each.index))
    while op.key not in at:
        at[op.key] = len(trail)
        part, key, other = next(need for need in op.needs if need[1] in needing)
        trail.append((op, part, other))
        op = left[key]
    ring = trail[at[op.key] :]
    for place, (each, waits, _) in enumerate(ring):
        wanted = ring[place - 1][2]  # the part of it that the one before waits for
        if each.kind == "set" and waits != wanted and "path" in each.values:
            return split(each, left, {"path": each.values.pop("path")}, "path")
    each = next(each for each, _, _ in ring if each.kind == "set" and "path" in each.values)
    return split(each, left, {"path": _spare(each, staged)}, "free")


def _ringed(left: dict[str, Op]) -> dict[str, Op]:
    """Return the requests in a circle of needs, and those that wait for one of these."""
    needing = dict(left)
    needs = {key: {other for _, other, _ in op.needs if other in left} for key, op in left.items()}
    waiters: dict[str, list[str]] = {}
    for key, others in needs.items():
        for other in others:
            waiters.setdefault(other, []).append(key)
    free = [key for key, others in needs.items() if not others]
    for key in free:  # grows while it is gone through
        del needing[key]
        for waiter in waiters.get(key, ()):
            needs[waiter].discard(key)
            if not needs[waiter]:
                free.append(waiter)
    return needing


def split(op: Op, left: dict[str, Op], values: dict[str, JSON], name: str) -> list[Op]:
    """Return a request of its own for a path, which what waits for the path waits for.

    The other part of ``path`` waits no longer for what only the path had to; a path to be ``free``
    waits only until the row it belongs to is added.
    """
    new = Op(f"{name}:{op.row}", "set", op.row, op.phase, op.index, values, op.level)
    if name == "path":
        new.needs = [need for need in op.needs if need[0] == PATH]
        op.needs = [need for need in op.needs if need[0] != PATH]
        new.needs.append((PATH, op.key, REST))
    else:
        new.needs = [need for need in op.needs if need[1].startswith("add:")]
        op.needs.append((PATH, new.key, PATH))
    for each in left.values():
        if each is not op:
            each.needs = [
                (part, new.key if key == op.key and other == PATH else key, other)
                for part, key, other in each.needs
            ]
            if name == "path" and op.key in each.wishes:
                each.wishes.append(new.key)
    return [op, new]


def _spare(op: Op, staged: SiteArrangement) -> str:
    """Return a path for the time being, that nothing has and that the service gives to nothing."""
    path = str(staged.now.items[op.row].values.get("path") or "moved")[:80]
    return f"{path}-{crc32(f'{op.row} {path}'.encode()):08x}"


FIELDS: Mapping[str, tuple[str, ...]] = {
    "group": ("title", "icon", "draft"),
    "section": ("title", "path", "icon", "description", "condition"),
    "link": ("title", "url", "icon", "description", "condition", "draft"),
    "site-space": ("path", "condition", "hidden"),
}
"""What can be changed of each kind, by wire name; the default apart."""

REDIRECT = "redirect"
"""The former address, with ``/*``, that a redirect leads from once the path is another one."""


def former_path(source: str) -> str:
    """Return the path that a thing had at the address that such a redirect leads from."""
    return unquote(source.removesuffix("/*").rpartition("/")[2])


REQUIRED = ("title", "path", "url")
"""What cannot be unset."""

DEEPEST = 10
"""So many groups may be within each other, on the embedded desk; of others nobody knows."""

TOO_DEEP = f"At most {DEEPEST} groups are within each other."

NO_ADDRESS = "A link leads to an address that begins with https:// or http://."


def adopting(base: Layout, now: Layout) -> str | None:
    """Return the new section that takes over what a site without any shows: the first added."""
    if any(item.kind == "section" for item in base.items.values()):
        return None
    sections = now.sections()
    root = set(base.levels[TOP])
    with_root = (row for row in sections if root.intersection(now.levels[row]))
    return next(with_root, None) or next(iter(sections), None)


def made_along(layout: Layout, section: str) -> str | None:
    """Return the site space that a new section is made with; None where it takes it over."""
    space = layout.items[section].values.get("space")
    for row in layout.levels.get(section, ()):
        if row.startswith(NEW) and layout.items[row].values.get("space") == space:
            return row
    return None


def why_not_valid(kind: str, values: Values) -> str | None:
    """Return what the contract does not allow in values, as a sentence, or None."""
    if not values:
        return None
    from pydantic import ValidationError

    from copydesk.contract.models.base import Body
    from copydesk.contract.models.site_section import SiteSectionUpdate
    from copydesk.contract.models.site_space import SiteSpaceUpdate
    from copydesk.contract.models.site_structure import ExternalLinkUpdate, SectionGroupUpdate

    models: dict[str, type[Body]] = {
        "group": SectionGroupUpdate,
        "section": SiteSectionUpdate,
        "link": ExternalLinkUpdate,
        "site-space": SiteSpaceUpdate,
    }
    try:
        models[kind].model_validate(dict(values))
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]) if first["loc"] else "value"
        if name == "url":
            return NO_ADDRESS
        said = str(first["msg"]).replace("String should have", "has to have")
        return f"The {name} {said}."
    return None


def settle(after: Layout, theirs: Layout, base: Layout) -> tuple[Layout, tuple[Lost, ...]]:
    """Return a layout that requests can make of ``theirs``, and the changes given up for it.

    ``base`` is what it was staged on.
    """
    lost: list[Lost] = []
    items = dict(after.items)
    levels = {level: list(rows) for level, rows in after.levels.items()}
    _keep_in_place(after, theirs, levels, lost)
    _fill_again(items, levels, theirs, lost)
    _show_once(items, levels)
    after = Layout(items, {level: tuple(rows) for level, rows in levels.items()})
    while (free := _free_paths(after, theirs, lost)) is not after:
        after = free  # a path that was given back may be one that something else of ours takes
    after = _lead_from_theirs(after, theirs, base, lost)
    return _show_defaults(after, lost), tuple(lost)


def _keep_in_place(
    after: Layout, theirs: Layout, levels: dict[str, list[str]], lost: list[Lost]
) -> None:
    """Leave everything where the service has it, unless a first section takes it over."""
    sections = [row for row in after.sections() if row not in theirs]
    sectioned = bool(theirs.sections())
    first = sections[0] if sections and not sectioned else None
    for row in theirs.items:
        if row not in after or after.items[row].kind != "site-space":
            continue
        there, wanted = theirs.level_of(row), after.level_of(row)
        to = first if first is not None and there == TOP else there
        if wanted != to and to in levels:
            levels[wanted].remove(row)
            put_as(theirs.levels[there], levels[to], row)
            if wanted.startswith(NEW):
                lost.append(Lost(f"{after.items[row].title}: {place_line(after, row)}", "it moved"))


def _fill_again(
    items: dict[str, Item], levels: dict[str, list[str]], theirs: Layout, lost: list[Lost]
) -> None:
    """Keep the last thing of a section, and drop spaces that a site with sections cannot show."""
    for level, rows in theirs.levels.items():
        if level in items and items[level].kind == "section" and rows and not levels[level]:
            back = rows[0]
            items[back] = theirs.items[back]
            levels[level].append(back)
            lost.append(Lost(f"{items[back].title}: removed", "nothing else is in there by now"))
    if any(item.kind == "section" for item in items.values()):
        for row in [row for row in levels[TOP] if items[row].kind == "site-space"]:
            levels[TOP].remove(row)
            title = items.pop(row).title
            lost.append(Lost(f"{title}: new", "the site has sections by now"))


def _show_once(items: dict[str, Item], levels: dict[str, list[str]]) -> None:
    """Leave out what others show there by now; a new section comes with its space once."""
    for level, rows in levels.items():
        shown = {items[row].values.get("space"): row for row in rows if not row.startswith(NEW)}
        for row in [row for row in rows if row.startswith(NEW)]:
            if items[row].kind == "site-space" and items[row].values.get("space") in shown:
                rows.remove(row)
                del items[row]
        section = items.get(level)
        if section is None or section.kind != "section" or not level.startswith(NEW):
            continue
        space = section.values.get("space")
        if all(items[row].values.get("space") != space for row in rows):
            number = max(int(row.removeprefix(NEW)) for row in items if row.startswith(NEW)) + 1
            title = section.values.get("spaceTitle") or section.values.get("title")
            values = set_values({"title": title, "space": space})
            items[f"{NEW}{number}"] = Item(f"{NEW}{number}", "site-space", values)
            rows.append(f"{NEW}{number}")


def _free_paths(after: Layout, theirs: Layout, lost: list[Lost]) -> Layout:
    """Give up paths of ours that others gave to something else."""
    taken: dict[tuple[str, object], str] = {}
    changed: list[Item] = []
    ours: list[Item] = []
    for row, item in after.items.items():
        path = item.values.get("path")
        if not path or item.kind == "group":
            continue
        was = theirs.items.get(row)
        if was is None or was.values.get("path") != path:
            ours.append(item)
        else:
            taken[after.scope_of(row), path] = row
    for item in ours:
        path = item.values["path"]
        holder = taken.setdefault((after.scope_of(item.id), path), item.id)
        if holder == item.id:
            continue
        was = theirs.items.get(item.id)
        back = was.values.get("path") if was is not None else None
        changed.append(replace(item, values=set_values({**item.values, "path": back})))
        line = f"{item.title}: {change_line('path', back, path)}"
        lost.append(Lost(line, f"{after.items[holder].title} has that path by now"))
    return after.with_items(changed) if changed else after


def _lead_from_theirs(after: Layout, theirs: Layout, base: Layout, lost: list[Lost]) -> Layout:
    """Lead from the addresses that things have by now, and from none that has a holder.

    Where the path stays that of the others, it still leads from the address before theirs.
    """
    changed: list[Item] = []
    for row, item in after.items.items():
        source, there = str(item.values.get(REDIRECT) or ""), theirs.items.get(row)
        if not source or there is None:
            continue
        parts, at, each = source.split("/"), -2, row
        stays = item.values.get("path") == there.values.get("path")
        if stays:
            at, each = at - 1, theirs.level_of(row)
        while each in base and each in theirs and -at < len(parts):
            was, is_ = (layout.items[each].values.get("path") for layout in (base, theirs))
            if was and is_ and unquote(parts[at]) == was:
                parts[at], at = str(is_), at - 1
            each = theirs.level_of(each)
        led = "/".join(parts)
        if stays and (holders := after.paths.get((after.scope_of(row), former_path(led)))):
            line = f"{item.title}: {change_line(REDIRECT, None, source)}"
            lost.append(Lost(line, f"{after.items[holders[0]].title} has that path by now"))
            led = ""
        if led != source:
            changed.append(replace(item, values=set_values({**item.values, REDIRECT: led})))
    return after.with_items(changed) if changed else after


def _show_defaults(after: Layout, lost: list[Lost]) -> Layout:
    """Show what readers land on, and have one of all that is side by side."""
    landing: dict[str, list[str]] = {}
    for row, item in after.items.items():
        if item.values.get("default"):
            landing.setdefault(after.scope_of(row), []).append(row)
    for rows in landing.values():
        if len(rows) > 1:  # two levels became one
            after = default_at(after, min(rows, key=lambda row: row.startswith(NEW)))
    for row, item in after.items.items():
        if item.kind in ("section", "site-space") and after.scope_of(row) not in after.defaults:
            beside = after.levels[after.level_of(row)] if item.kind == "site-space" else (row,)
            told = (each for each in beside if not after.items[each].values.get("hidden"))
            after = default_at(after, next(told, row), show=True)
    for row in after.defaults.values():
        if after.items[row].values.get("hidden"):
            lost.append(Lost(f"{after.items[row].title}: hidden", "it is the default by now"))
            after = default_at(after, row, show=True)
    return after

"""The structure of a site as a tree: groups, sections and site spaces, in an order of each level.

A level is a list with an order of its own: the top of the site, what is in a group, the site spaces
of a section. On a service that answers the structure in one, groups have names, may be in each
other, and move as sections and links do. On others they are known only by the id that their
sections carry (`GROUP`): they have no name, and no operation moves them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Literal

from copydesk.domain.address import web_address
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.layout import GROUP, TOP, Levels
from copydesk.domain.reversal import JSON
from copydesk.domain.text import clean

if TYPE_CHECKING:
    from copydesk.contract.models.site_section import SiteSection
    from copydesk.contract.models.site_space import SiteSpace
    from copydesk.contract.models.site_structure import (
        SiteExternalLink,
        SiteSectionGroup,
        SiteStructure,
    )

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
    _branches: dict[str, SiteNode] = field(default_factory=dict, compare=False, repr=False)
    """Branches as they were built last: a moved row must not build 2,000 others anew."""

    @property
    def sectioned(self) -> bool:
        """Whether the site has sections; otherwise it shows site spaces at its top."""
        return any(node.kind == "section" for node in self.nodes.values())

    def tree(self, levels: Levels | None = None) -> tuple[SiteNode, ...]:
        """Return the tree in the published order, or in that of ``levels``."""
        order = self.levels if levels is None else levels

        def below(level: str) -> tuple[SiteNode, ...]:
            return tuple(branch(row) if row in order else self.nodes[row] for row in order[level])

        def branch(row: str) -> SiteNode:
            children = below(row)
            built = self._branches.get(row, self.nodes[row])
            if len(built.children) != len(children) or any(
                old is not new for old, new in zip(built.children, children, strict=True)
            ):
                built = self._branches[row] = replace(built, children=children)
            return built

        return below(TOP)

    def sections(self) -> list[SiteNode]:
        """Return the sections in their published order, groups opened up."""
        found: list[SiteNode] = []
        waiting = [*reversed(self.levels.get(TOP, ()))]
        while waiting:
            node = self.nodes[waiting.pop()]
            if node.kind == "group":
                waiting += reversed(self.levels.get(node.id, ()))
            elif node.kind == "section":
                found.append(node)
        return found


def with_titles(structure: Structure, titles: Mapping[str, str], untitled: str) -> Structure:
    """Return a structure whose groups have titles, by their ids; ``untitled`` those without."""
    named = {
        row: replace(node, title=titles.get(row.removeprefix(GROUP), untitled))
        for row, node in structure.nodes.items()
        if row.startswith(GROUP)
    }
    return replace(structure, nodes={**structure.nodes, **named}, _branches={})


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
        clean(group.title).strip() or "Untitled",
        level,
        icon=clean(group.icon or ""),
        draft=group.draft,
        group=level,
        raw={
            "title": group.title,
            "icon": group.icon,
            "localizedTitle": group.localized_title,
        },
    )


def _link(link: SiteExternalLink, level: str) -> SiteNode:
    return SiteNode(
        link.id,
        "link",
        clean(link.title).strip() or "Untitled",
        level,
        description=clean(link.description or ""),
        condition=clean(link.condition or ""),
        icon=clean(link.icon or ""),
        url=clean(link.url),
        address=web_address(link.url),
        draft=link.draft,
        group=level,
        raw={
            "title": link.title,
            "url": link.url,
            "description": link.description,
            "condition": link.condition,
            "icon": link.icon,
        },
    )


def _section(section: SiteSection, level: str) -> SiteNode:
    return SiteNode(
        section.id,
        "section",
        clean(section.title).strip() or "Untitled",
        level,
        path=clean(section.path),
        description=clean(section.description or ""),
        condition=clean(section.condition or ""),
        default=section.default,
        address=web_address(section.urls.published),
        group=level,
        icon=clean(section.icon or ""),
        raw={
            "title": section.title,
            "path": section.path,
            "description": section.description,
            "condition": section.condition,
            "icon": section.icon,
        },
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
        raw={
            "title": shown.title or space.title,
            "path": shown.path,
            "condition": shown.condition,
        },
    )

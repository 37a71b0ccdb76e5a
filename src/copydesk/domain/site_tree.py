"""The structure of a site as a tree: groups, sections and site spaces, in an order of each level.

A level is a list with an order of its own: the top of the site, the sections of a group, the site
spaces of a section. Groups are known only by the id that their sections carry: they have no name,
and no operation moves them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from copydesk.domain.address import web_address
from copydesk.domain.layout import TOP, Levels
from copydesk.domain.text import clean

if TYPE_CHECKING:
    from copydesk.contract.models.site_section import SiteSection
    from copydesk.contract.models.site_space import SiteSpace

Kind = Literal["group", "section", "site-space"]

GROUP = "group:"
"""What the ids of groups begin with here, and nowhere else."""


@dataclass(frozen=True, slots=True)
class SiteNode:
    """One row of a site's structure. Texts are clean.

    ``level`` is where its order counts. ``default`` says that readers land on it first. ``space``
    is the id of the space that a site space shows, ``trashed`` that this space is in the trash.
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
    raw: Mapping[str, str | None] = field(default_factory=dict, compare=False, repr=False)
    children: tuple[SiteNode, ...] = ()


@dataclass(frozen=True)
class Structure:
    """What a site shows: its nodes by id, without children, and the published order."""

    nodes: Mapping[str, SiteNode]
    levels: Levels
    _branches: dict[str, SiteNode] = field(default_factory=dict, compare=False, repr=False)
    """Branches as they were built last: a moved row must not build 2,000 others anew."""

    @property
    def sectioned(self) -> bool:
        """Whether the site has sections; otherwise it shows site spaces at its top."""
        return any(node.kind == "section" for node in self.nodes.values())

    @property
    def groups(self) -> frozenset[str]:
        """The ids of the groups: what no operation moves, or moves something next to."""
        return frozenset(node.id for node in self.nodes.values() if node.kind == "group")

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
        for row in self.levels.get(TOP, ()):
            inside = self.levels.get(row, ()) if self.nodes[row].kind == "group" else (row,)
            found.extend(self.nodes[each] for each in inside)
        return [node for node in found if node.kind == "section"]


def structure_of(
    sections: Sequence[SiteSection], site_spaces: Iterable[SiteSpace] = ()
) -> Structure:
    """Return the structure of a site from its sections, or from what it shows without any."""
    nodes: dict[str, SiteNode] = {}
    levels: dict[str, list[str]] = {TOP: []}

    def put(node: SiteNode) -> None:
        # An answer that lists something twice shows it once. What has no id cannot be named to
        # any operation, and would be taken for the top itself.
        if node.id != TOP and node.id not in nodes:
            nodes[node.id] = node
            levels.setdefault(node.level, []).append(node.id)

    groups: dict[str, int] = {}
    for section in sections:
        group = f"{GROUP}{section.section_group}" if section.section_group else ""
        if group and group not in groups:
            groups[group] = len(groups) + 1
            put(SiteNode(group, "group", f"Group {groups[group]}"))
        put(_section(section, group or TOP))
        levels.setdefault(section.id, [])
        for shown in section.site_spaces:
            put(_site_space(shown, section.id))
    if not sections:
        for shown in site_spaces:
            put(_site_space(shown, TOP))
    return Structure(nodes, {level: tuple(ids) for level, ids in levels.items()})


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


def numbers(levels: Levels) -> dict[str, int]:
    """Return the place of every row in its level, from 1."""
    return {row: at for ids in levels.values() for at, row in enumerate(ids, start=1)}

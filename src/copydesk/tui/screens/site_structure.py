"""Place 4: the sections and site spaces of a site, and their order (interaction.md 3.6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from copydesk.domain.site_tree import SiteNode, Structure, numbers
from copydesk.domain.text import plural
from copydesk.tui.dispatch import run
from copydesk.tui.glyphs import glyphs
from copydesk.tui.place import Part
from copydesk.tui.places import Target, place
from copydesk.tui.present import site as present
from copydesk.tui.site_ordering import SiteOrdering
from copydesk.tui.site_reading import SiteRead
from copydesk.tui.trees import TreeSource
from copydesk.tui.widgets.columns import by_content
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.tree_list import TreeList
from copydesk.tui.widgets.virtual_list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api

UNFOLD_LIMIT = 60
"""In a structure of at most so many rows, sections with several variants open unfolded."""


TITLE_CELLS = 28
"""Cells that titles take before anything else is shown of a row."""

STATE_CELLS = 44
"""Cells that a row's states may take where there is room."""


@place("site-structure", title="Site structure")
class SiteStructurePlace(SiteOrdering, scope="site_structure"):
    """What readers see at the top of a site, in order. A new order is staged, then sent."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._now: dict[str, int] = {}
        self._was: dict[str, int] = {}
        self._moved: set[str] = set()
        self._fitted: Structure | None = None
        """The structure that the columns are as wide as."""
        self._behind = False
        """Whether others changed the order since it was read."""
        self._resumed = ""
        """The row whose form is to be opened once the structure is there."""

    # What a place says of itself

    def panes(self) -> ComposeResult:
        """The tree, the row under the cursor, and the plan."""
        source: TreeSource[SiteNode] = TreeSource(
            key=lambda node: node.id,
            children=lambda node: node.children,
            foldable=lambda node: bool(node.children),
        )
        self.rows: TreeList[SiteNode] = TreeList(
            source,
            self._columns(self.structure),
            title="Structure",
            empty="Reading the structure…",
            sign=lambda node: glyphs().marked if node.id in self._moved else "",
            id="structure",
        )  # fmt: skip
        self.facts = Facts(title="Row", id="site-row")
        self.plan = Facts(title="Plan", id="site-plan")
        yield Part("main", self.rows)
        yield Part("side", self.facts, self.plan)

    def _columns(self, structure: Structure) -> list[Column[SiteNode]]:
        """Return the columns; what a site has in them says how wide they are. Titles come first."""
        nodes = structure.nodes.values()
        longest = max((present.name_cells(node, structure) for node in nodes), default=0)
        titles = max(18, min(longest, TITLE_CELLS))
        path: Column[SiteNode] = Column("path", "PATH", present.path, 5, drop=2)
        state: Column[SiteNode] = Column("state", "SHOWN", present.state, 5, drop=1)
        # What is particular about a row is not cut while the titles have blanks to give.
        longest = by_content(state, nodes, most=STATE_CELLS).width
        state = replace(state, width=min(longest, 20), most=longest)
        return [
            Column("now", "NOW", lambda node: present.now_cell(node, self._now), 4),
            Column("was", "WAS", lambda node: present.was_cell(node, self._now, self._was), 4),
            Column("title", "SECTION", present.name, flex=1, minimum=titles),
            Column(
                "shift", "",
                lambda node: present.shift(node, self._now, self._was, self._moved), 4,
            ),
            by_content(path, nodes, most=14),
            Column("holds", "HOLDS", present.holds, 5, drop=3),
            state,
        ]  # fmt: skip

    def trail(self) -> Iterable[str]:
        """The organization, the site, and that this is its structure."""
        yield self.session.organization_title or "no organization"
        yield self.read.site.title if self.read is not None else "site"
        yield "Structure"
        if self.refused:
            yield "read-only"
        elif self.steps:
            yield f"{len(self.steps)} staged"

    def signs(self) -> Sequence[tuple[str, str]]:
        """Return the signs of the tree."""
        return [
            (glyphs().marked, "moved, not sent yet"),
            (f"{glyphs().up}2 {glyphs().down}1", "how far it was moved"),
        ]

    def status_left(self) -> str:
        """What is staged, and that nothing was sent."""
        if self.refused:
            return self.refused
        if self.steps:
            them = "it" if len(self.steps) == 1 else "them"
            return f"{plural(len(self.steps), 'move')} staged, nothing sent: ctrl+s sends {them}"
        return super().status_left() or ("published order" if self._now else "")

    # Reading

    def reload(self) -> None:
        """Read the structure; staged moves are put on top of it."""
        self.load(
            "structure", self._read, self._arrived, what="Reading the structure",
            failed=self._unread,
        )  # fmt: skip

    def poll(self) -> None:
        """Read again quietly. An order that others changed waits for R: nothing moves by itself."""
        if self.read is not None:
            self.load("poll", self._read, self._polled, what="Reading again")
        else:
            super().poll()

    def _polled(self, found: SiteRead | None) -> None:
        if found is None or self.read is None:
            return
        self._behind = found.structure.levels != self.read.structure.levels
        if not self._behind:
            self.read, self.refused = found, found.refused
        self.show_order()

    def _unread(self, text: str) -> None:
        if self.read is None:
            self.rows.empty = f"{text} R reads it again."
            self.rows.refresh()

    async def _read(self, api: Api) -> SiteRead | None:
        from copydesk.tui import site_reading as reading

        organization = self.target.organization or self.session.organization
        if organization is None:
            return None
        site = self.target.site
        if site is None:
            only = await reading.read_only_site(api, organization)
            if only is None:
                return None
            site = only.id
        me = self.session.me.id if self.session.me is not None else None
        found = await reading.read_site(api, organization, site, me)
        self.target = self.target.but(organization=organization, site=site)
        return found

    def _arrived(self, found: SiteRead | None) -> None:
        if found is None:
            self.rows.empty = "Which site? gt lists them, Enter opens the structure of one."
            self.rows.refresh()
            return
        first, self._behind = self.read is None, False
        self.read, self.refused = found, found.refused
        structure = found.structure
        self.rows.empty = (
            "This site shows nothing yet."
            if self.refused
            else "This site shows nothing yet. ctrl+n adds a section or a space."
        )
        if first:
            self._first(structure)
        else:
            self.say_rebased(self.rebase(structure))
        revealed, self.revealing = self.revealing, None
        self.show_order()
        if revealed is not None:
            self.rows.reveal(revealed)
        if self._resumed:
            self.resume_draft(self._resumed)

    def _first(self, structure: Structure) -> None:
        source = self.rows.tree_source
        several = {level for level, ids in structure.levels.items() if len(ids) > 1}
        few = len(structure.nodes) <= UNFOLD_LIMIT
        source.unfolded |= structure.groups | (several if few else set())
        self.begin(structure)

    # What is on screen

    def show_order(self, cursor: str | None = None) -> None:
        """Show the staged order; the cursor stays on its row."""
        if self.read is None:
            return
        structure, staged = self.read.structure, self.staged
        self._now, self._was = numbers(staged.now), numbers(staged.base)
        self.steps = staged.plan()
        self._moved = {step.move.id for step in self.steps}
        top = self.rows.scroll_offset.y
        here = cursor or self.rows.selected_id
        self.rows.tree_source.set_roots(structure.tree(staged.now))
        if self._fitted is not structure:
            self._fitted = structure
            self.rows.show_columns(self._columns(structure))
        if here is not None:
            self.rows.select(here)
        # The list keeps a row on its line by scrolling; here the row moves and the list stays.
        at, height = self.rows.cursor, max(1, self.rows.page_lines - 1)
        y = min(max(top, at - height + 1), at)
        self.rows.scroll_to(y=y, animate=False, force=True)
        notes = ["staged order"] * bool(self.steps)
        notes += ["changed by others: R shows it"] * self._behind
        self.rows.note = "   ".join(notes)
        self.rows.retitle()
        self.plan.title = present.plan_title(self.steps)
        self.plan.show(present.plan_facts(staged, self.steps, structure))
        # A narrow drawer has room for one: what was staged matters more than a row's details.
        self.facts.set_class(bool(self.steps), "drawer-hidden")
        self.plan.set_class(not self.steps, "drawer-hidden")
        self._look()
        self.refresh_frame()

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show what is known of the row."""
        self._look()

    def _look(self) -> None:
        node = self.node
        if node is None or self.read is None:
            self.facts.show([], title="Row")
        else:
            self.facts.show(present.node_facts(node, self.read.structure), title=node.title)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Fold or unfold; read the pages of a site space."""
        node = self.node
        if node is None:
            return
        if node.children:
            self.rows.toggle()
        elif node.kind == "site-space":
            organization = self.target.organization
            target = Target(organization=organization, space=node.space)
            self.desk.call_later(self.desk.go, "pages", target)

    def resume_draft(self, part: str) -> None:
        """Open the form of a row again, with what was typed in it."""
        self._resumed = part if self.read is None else ""
        if self.read is not None and self.rows.reveal(part):
            self.app.call_later(run, self, self.ACTIONS["edit"])

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers."""
        node = self.node
        if node is None:
            return []
        choices = [
            ("address", node.address),
            ("path", node.path),
            ("title", node.title),
            ("id", node.id),
        ]
        return [(name, text) for name, text in choices if text]

    def on_unmount(self) -> None:
        """Keep what is staged."""
        with suppress(OSError):
            self._keep()
        super().on_unmount()

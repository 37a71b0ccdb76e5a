"""The structure of a site, as it is published and as it is staged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from copydesk.domain.layout import TOP, Kind, Layout
from copydesk.domain.legacy_order import modern
from copydesk.domain.site_arrangement import SiteArrangement, layout_of
from copydesk.domain.site_plan import seen_fact
from copydesk.domain.site_tree import SiteNode, Structure
from copydesk.present.json_views import Raw
from copydesk.session.draft_keys import structure_key
from copydesk.session.reads.sites import SiteRead
from copydesk.session.target import Target
from copydesk.tui.arrange import cells as staged
from copydesk.tui.arrange.cells import EMPTY, Row
from copydesk.tui.arrange.panes import ArrangedTree, PlanPane, WrittenPane
from copydesk.tui.arrange.place import READING, ArrangingPlace
from copydesk.tui.arrange.sender import BEFORE_SENDING
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, style_path
from copydesk.tui.sites import structure_cells as present
from copydesk.tui.sites.commands import KEYED, PublicationCommands
from copydesk.tui.sites.editor import EditCommands
from copydesk.tui.sites.structure_cells import navigation_facts, site_columns
from copydesk.tui.sites.tabs import WHICH, SiteTabs
from copydesk.tui.widgets.facts import Facts, Stacked, stack, unstack
from copydesk.tui.widgets.list import Column

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.arrangement import Arrangement
    from copydesk.session.site_rows import SiteRow

RAW_OF: Mapping[Kind, tuple[str, str]] = {
    "section": ("section", "list_site_sections"),
    "site-space": ("site space", "list_site_spaces"),
    "group": ("group", "list_site_section_groups"),
    "link": ("link", "get_site_structure"),
}
"""What a row is called where its JSON is shown, and the read that has it."""

UNFOLD_LIMIT = 60
"""In a structure of at most so many rows, sections with several variants open unfolded."""

NOTHING_STAGED = (
    "Nothing is staged: this is how it is.",
    "J and K move a row, e changes it; nothing is sent until ctrl+s.",
)

AFTER_MOVES = "Addresses do not change when the order does."

AFTER_PLAN = "If a request fails, it stops and asks."


@place(
    "site-structure",
    title="Site structure",
    uses=("get_site", "get_site_structure", "list_site_sections", "list_site_spaces"),
)
class SiteStructurePlace(ArrangingPlace[SiteRead]):
    """What readers see at the top of a site, in order. What is changed is staged, then sent."""

    OF_SITE = True
    CSS_PATH = style_path("site_structure")
    AGED = "structure"
    RAW = (
        "list_site_sections", "list_site_spaces", "list_site_section_groups", "get_site_structure",
    )  # fmt: skip
    COMMAND_CLASSES = (EditCommands, PublicationCommands)
    EXACT = True
    WHICH = WHICH

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.tabs = SiteTabs(self)
        self._fitted: object = None
        """The rows that the columns are as wide as: another order changes no width."""

    # What a place says of itself

    def panes(self) -> ComposeResult:
        self.rows = ArrangedTree(
            self._columns(EMPTY),
            title="Structure",
            empty="Reading the structure…",
            order=self.order,
            pickable=self._not_pickable,
            id="structure",
        )
        self.facts = Facts(title="Row", id="site-row")
        self.navigation = Facts(title="Top navigation as readers will see it", id="site-navigation")
        self.plan = PlanPane(NOTHING_STAGED, id="site-plan")
        self.written = WrittenPane(
            lambda step: step.arguments.get("site_id") == self.target.site, id="site-written"
        )
        yield Part("main", self.rows)
        yield Part("side", self.facts, self.navigation, self.plan, self.written)

    def _columns(self, layout: Layout) -> list[Column[Row]]:
        return site_columns(lambda: self.order.shown, lambda: self.structure.nodes, layout)

    def _not_pickable(self, row: Row) -> str | None:
        if self.refused:
            return self.refused
        if row.id in self.draft.arrangement.now.groups:
            return "This service does not move groups. Move what is around it."
        if self.order.shown.state(row).removed:
            return f"{row.title} is going to be removed. u brings it back."
        return None

    def trail(self) -> Iterable[str]:
        yield from self.tabs.trail("Structure")
        yield from self.standing()

    def views_note(self) -> str:
        return "= before/after" + ("" if self.session.read_only else "   ctrl+s send")

    def signs(self) -> Sequence[tuple[str, str]]:
        return staged.signs()

    # What is arranged

    @property
    def structure(self) -> Structure:
        """What the site shows, as read last."""
        return self.read.structure if self.read is not None else Structure({}, {TOP: ()})

    @property
    def moves_any(self) -> bool:
        """Whether the service has groups and links, and moves them as it moves sections."""
        return self.structure.sorts

    @property
    def node(self) -> SiteNode | None:
        """What the service told of the row under the cursor; None of one that is only staged."""
        return self.structure.nodes.get(self.row.id) if self.row is not None else None

    def raw(self) -> Raw | None:
        """Return where the JSON of the level comes from; the service gives no row alone."""
        node = self.node
        if node is None:
            return None
        if node.kind == "group" and not self.moves_any:
            return None
        kind, listed = RAW_OF[node.kind]
        return Raw(f"{kind} {node.title} among all", listed, self.tabs.ids)

    def url(self) -> str | None:
        node = self.node
        return (node.address or None) if node is not None else None

    @property
    def draft_key(self) -> str:
        return structure_key(self.target.site or "")

    @property
    def about(self) -> str:
        return self.read.site.title if self.read is not None else "the site"

    @property
    def run_target(self) -> str:
        return self.target.site or ""

    def fresh(self, layout: Layout) -> Arrangement:
        return replace(SiteArrangement.on(layout, *self.tabs.ids), sorts=self.moves_any)

    def modern(self, text: str, layout: Layout) -> str | None:
        return modern(text, layout)

    async def read_layout(self, api: Api) -> Layout:
        from copydesk.session.reads.sites import read_arranged

        structure = await read_arranged(api, *self.tabs.ids, self._progress)
        assert self.read is not None
        self.read = SiteRead(self.read.site, structure, self.read.refused)
        return layout_of(structure)

    # Reading

    async def read_all(self, api: Api) -> SiteRead | None:
        from copydesk.session.reads import sites as reading

        organization = self.organization
        if organization is None:
            return None
        site = self.target.site
        if site is None:
            only = await reading.read_only_site(api, organization)
            if only is None:
                return None
            site = only.id
        me = self.session.me.id if self.session.me is not None else None
        found = await reading.read_site(
            api, organization, site, me, known=self._found, progress=self._progress, arranging=True
        )
        self.target = self.target.but(organization=organization, site=site)
        self.tabs.publication.published, self.tabs.title = found.site.published, found.site.title
        return found

    def _found(self, site: SiteRow) -> None:
        """Say which site it is while what it shows is still being read."""
        if self.read is None and self.framed:
            self.tabs.title = site.title
            self.refresh_frame()

    def _progress(self, read: int) -> None:
        """Say how much of the structure has been read."""
        said = f"Reading sections, {read:,} so far"
        for group in (READING, BEFORE_SENDING):
            self.reads.progress(group, said)
        if not self.known and self.is_attached:
            self.rows.say_instead(f"{said}…")

    @property
    def no_rows(self) -> str:
        return f"This site has no sections.{'' if self.refused else ' ctrl+n adds one.'}"

    def begun(self, found: SiteRead) -> None:
        layout = found.layout
        few = len(layout.items) <= UNFOLD_LIMIT
        self.rows.tree_source.unfolded.update(
            level
            for level, rows in layout.levels.items()
            if level in layout and (layout.items[level].kind == "group" or (few and len(rows) > 1))
        )

    # What is on screen

    @property
    def live(self) -> str:
        return seen_fact(self.draft.requests())

    @property
    def after_plan(self) -> Sequence[str]:
        moves = [AFTER_MOVES] * all(call.what == "Move" for call in self.draft.calls)
        return [" ".join([*moves, AFTER_PLAN])]

    def draw(self) -> None:
        arrangement = self.draft.arrangement
        if self._fitted is not arrangement.now.items:
            self._fitted = arrangement.now.items
            self.rows.show_columns(self._columns(arrangement.now))
        super().draw()
        self.facts.set_class(bool(self.draft.calls), "plan-first")
        touched = [row for row, state in self.order.shown.states.items() if state]
        self.navigation.show(navigation_facts(arrangement.base, arrangement.now, changed=touched))
        self._share_side()

    def _share_side(self) -> None:
        """Give the panes at the side what they need, the plan first; a drawer shows one of them."""
        stacked = (
            Stacked(self.plan, 3, 40),
            Stacked(self.navigation, 3, 16),
            Stacked(self.facts, 2, 7, steady=True),
            Stacked(self.written, 1, 6),
        )
        room = self.rows.outer_size.height  # which has the other half for itself
        if self.has_class("-wide") and not (self.has_class("-short") or self.has_class("-tiny")):
            if room:  # none before it was laid out
                stack(room, stacked)
        else:
            unstack(stacked)

    def look(self) -> None:
        row = self.row
        if row is None or self.read is None:
            self.facts.show([], title="Row")
            return
        facts = present.row_facts(row, self.order.shown, self.structure.nodes)
        self.facts.show(facts, title=row.title)

    def open_row(self, row: Row) -> None:
        if row.kind == "link":
            self.say(f"It leads to {present.value(row, 'url')}: y copies that, o opens it.")
        elif row.kind == "site-space":
            space = str(row.item.values.get("space") or "") or None
            target = Target(organization=self.target.organization, space=space)
            self.desk.go_soon("pages", target)

    def resume_draft(self, part: str) -> None:
        if self.known and part.startswith("new "):
            self.resuming = ""
            self.do_soon("add")
        else:
            super().resume_draft(part)

    def copy_note(self) -> str:
        keyed = self.read is not None and self.read.site.visibility == "share-link"
        return KEYED if keyed else ""

    def copies(self) -> Sequence[tuple[str, str]]:
        row, node = self.row, self.node
        if row is None:
            return []
        choices = [
            ("address", node.address if node is not None else ""),
            ("path", present.value(row, "path")),
            ("link", present.value(row, "url")),
            ("title", row.title),
            ("id", node.id if node is not None else ""),
        ]
        return [(name, text) for name, text in choices if text]

"""The structure of a site, as it is published and as it is staged."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.layout import TOP, Item, Kind, Layout, change_line
from copydesk.domain.legacy_order import modern
from copydesk.domain.reversal import NEW
from copydesk.domain.site_arrangement import SiteArrangement, layout_of
from copydesk.domain.site_plan import seen_fact
from copydesk.domain.site_tree import SiteNode, Structure
from copydesk.domain.text import clean, few, plural, shorten
from copydesk.present.facts import Fact, hint
from copydesk.present.raw_json import Raw
from copydesk.session.draft_keys import structure_key
from copydesk.session.glyphs import glyphs
from copydesk.session.reads.sites import SiteRead
from copydesk.session.target import Target
from copydesk.tui.arrange import cells as staged
from copydesk.tui.arrange.cells import (
    EMPTY,
    ArrangedRow,
    ArrangedTree,
    PlanPane,
    ShownLayout,
    WrittenPane,
    cell,
    title,
    value,
)
from copydesk.tui.arrange.draft import BEFORE_SENDING
from copydesk.tui.arrange.place import READING, ArrangingPlace
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, style_path
from copydesk.tui.sites.editor import StructureEditCommands
from copydesk.tui.sites.tabs import KEYED, WHICH, PublicationCommands, SiteTabs
from copydesk.tui.widgets.facts import Facts, Stacked, stack, unstack
from copydesk.tui.widgets.list import Column, by_content, unspoken

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
    "Nothing is staged: this is the current structure.",
    "J and K move a row, e changes it; nothing is sent until ctrl+s.",
)

AFTER_MOVES = "Addresses do not change when the order does."

AFTER_PLAN = "If a call fails, it stops and asks."


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
    COMMAND_CLASSES = (StructureEditCommands, PublicationCommands)
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

    def _columns(self, layout: Layout) -> list[Column[ArrangedRow]]:
        return site_columns(lambda: self.order.shown, lambda: self.structure.nodes, layout)

    def _not_pickable(self, row: ArrangedRow) -> str | None:
        if self.refused:
            return self.refused
        if row.id in self.draft.arrangement.now.groups:
            return "This service does not move groups. Move what is around it."
        if self.order.shown.state(row).removed:
            return f"{row.title} is going to be removed. u brings it back."
        return None

    def trail(self) -> Iterable[str]:
        yield from self.tabs.trail()
        yield from self.standing()

    def views_note(self) -> str:
        sends = self.draft.calls and not self.session.read_only
        return "= before/after" + ("   ctrl+s send" if sends else "")

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
                self.tabs.ask_which()
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

    def show_details(self) -> None:
        row = self.row
        if row is None or self.read is None:
            self.facts.show([], title="Row")
            return
        facts = row_facts(row, self.order.shown, self.structure.nodes)
        self.facts.show(facts, title=row.title)

    def open_row(self, row: ArrangedRow) -> None:
        if row.kind == "link":
            self.say(f"The link leads to “{value(row, 'url')}”: y copies that, o opens it.")
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
        return [
            ("address", node.address if node is not None else ""),
            ("path", value(row, "path")),
            ("link", value(row, "url")),
            ("title", row.title),
            ("id", node.id if node is not None else ""),
        ]


Nodes = Mapping[str, SiteNode]
"""The rows as the service has them, by id; rows that are only staged are not among them."""

SAID_KINDS = frozenset({"group", "link"})
"""The kinds that are named behind a title: all other rows are sections, or in one."""

SHOWN_TITLES = 20
"""So many titles of the rows inside are listed in the details of one."""


def name(row: ArrangedRow, shown: ShownLayout, nodes: Nodes) -> Text | str:
    """Return the title of a row; groups, which have no name, are told from sections."""
    plain: Text | str = row.title
    if row.kind in SAID_KINDS:
        named = title(row, shown, Text(row.title, style="emphasis"))
        return Text.assemble(named, (f" ({row.kind})", "muted"))
    if row.item.values.get("hidden") or trashed(row, nodes):
        plain = Text(row.title, style="muted")
    elif row.kind == "section":
        plain = Text(row.title, style="strong")
    return title(row, shown, plain)


def name_cells(layout: Layout, row: str) -> int:
    """Return how many cells a row takes in the tree up to the end of its title."""
    depth, above = 1, layout.level_of(row)
    while above in layout.items and depth < 9:
        depth, above = depth + 1, layout.level_of(above)
    item = layout.items[row]
    new = 4 if row.startswith(NEW) else 0
    return (
        2 * depth
        + new
        + cell_len(item.title)
        + (len(item.kind) + 3 if item.kind in SAID_KINDS else 0)
    )


def trashed(row: ArrangedRow, nodes: Nodes) -> bool:
    """Whether the space that a row shows is in the trash."""
    node = nodes.get(row.id)
    return node is not None and node.trashed


def path(row: ArrangedRow, shown: ShownLayout) -> Text | str:
    """Return the part of the address that a row adds; the default adds none."""
    if row.kind in SAID_KINDS:
        return Text("-", style="muted")
    said = value(row, "path")
    if not said and shown.state(row).new:
        return Text("later", style="muted")
    plain: Text | str = f"/{said}"
    if row.item.values.get("default"):
        plain = Text(f"/{said}", style="muted")
    return cell(row, shown, "path", plain)


def variants(row: ArrangedRow, shown: ShownLayout) -> Text | str:
    """Return how many spaces a section shows."""
    if row.kind != "section":
        return ""
    count = len(shown.layout.levels.get(row.id, ()))
    return str(count) if count else Text("0", style="warn")


def state(row: ArrangedRow, shown: ShownLayout, nodes: Nodes) -> Text | str:
    """Return the states of a row: in the trash, the default, hidden, conditional."""
    said = Text()
    condition, changed = value(row, "condition"), shown.state(row).changed
    if shown.layout.items.get(row.id) is not row.item:
        changed = ()  # it is shown as it is published

    def add(words: str, tone: str, field: str = "") -> None:
        said.append(" " if said.plain else "")
        said.append(words, style="changed" if field in changed else tone)

    # First, as an address may take all of the cell.
    if row.item.values.get("draft"):
        add("draft", "warn", "draft")
    elif row.kind in SAID_KINDS and "draft" in changed:
        add("shown", "warn", "draft")
    if row.kind == "group":
        inside = shown.layout.levels.get(row.id, ())
        only = all(shown.layout.items[each].kind == "section" for each in inside)
        holds = plural(len(inside), "section" if only else "entry") if inside else "empty"
        add(holds, "muted")
    elif row.kind == "link":
        add(bare(value(row, "url")), "link", "url")
    for field, true, words, tone in (
        ("", trashed(row, nodes), "in trash", "bad"),
        ("default", row.item.values.get("default"), "default", "good"),
        ("hidden", row.item.values.get("hidden"), "hidden", "muted"),
        ("condition", condition, f"if {condition}", "accent"),
    ):
        if true:
            add(words, tone, field)
    if not said.plain and changed:
        names = {
            "default": "no default",
            "hidden": "shown",
            "condition": "for everyone",
        }
        told = [words for field, words in names.items() if field in changed]
        said.append(", ".join(told), style="changed")
    return said


def row_facts(row: ArrangedRow, shown: ShownLayout, nodes: Nodes) -> list[Fact]:
    """Return the details of a row of the structure, staged changes first."""
    found = _staged_facts(row, shown)
    if row.kind in SAID_KINDS:
        return [*found, *_entry_facts(row, told=row.id in shown.layout.groups)]
    node, default = nodes.get(row.id), bool(row.item.values.get("default"))
    said = f"/{value(row, 'path')}" + " (the default: not in the address)" * default
    if node is not None or value(row, "path"):
        found.append(Fact("path", said))
    if node is not None and node.address:
        found.append(Fact("address", Text(node.address, style="link")))
    if row.kind == "section":
        if icon := value(row, "icon"):
            found.append(Fact("icon", icon))
        if about := value(row, "description"):
            found.append(Fact("about", about))
        found.append(Fact("shows", _titles(row.children) or "nothing"))
    else:
        if node is not None and node.audience:
            found.append(Fact("audience", node.audience))
        hidden = row.item.values.get("hidden")
        found.append(
            Fact("shown", Text("hidden from the navigation", style="muted"))
            if hidden
            else Fact("shown", "in the navigation")
        )
    if default:
        where = "the site" if row.level == TOP or row.kind == "section" else "its section"
        found.append(Fact("default", f"readers land on it first in {where}"))
    if condition := value(row, "condition"):
        found.append(Fact("shown if", condition))
    if node is not None and node.trashed:
        found.append(Fact("", Text("Its space is in the trash: readers do not get it.", "bad")))
    return found


def _entry_facts(row: ArrangedRow, *, told: bool) -> Iterator[Fact]:
    """Yield the details of a group or a link; ``told``: only its sections tell of the group."""
    if row.kind == "group":
        yield Fact("holds", _titles(row.children) or "nothing")
    if told:
        yield Fact("order", "its sections can be moved among themselves; it stays where it is")
        yield Fact("", Text("This service gives a group no name and no operation.", style="muted"))
    if row.kind == "link":
        yield Fact("leads to", Text(value(row, "url"), style="link"))
    for name, label in (("icon", "icon"), ("description", "about"), ("condition", "shown if")):
        if said := value(row, name):
            yield Fact(label, said)
    if row.item.values.get("draft"):
        with_it = " and what is in it" if row.children else ""
        yield Fact("shown", Text(f"a draft: readers do not get it{with_it}", style="warn"))


def bare(url: str) -> str:
    """Return an address without what every one begins with."""
    return url.partition("://")[2].rstrip("/") or url


def _titles(rows: Sequence[ArrangedRow]) -> str:
    return few([each.title for each in rows], SHOWN_TITLES)


def _staged_facts(row: ArrangedRow, shown: ShownLayout) -> list[Fact]:
    state, base = shown.state(row), shown.base
    said: list[str] = []
    if state.removed:
        gone = "removed: the site stops showing it, its content is kept. u brings it back"
        return [Fact("staged", hint(gone, "warn"))]
    if state.new:
        said = ["added"]
    else:
        before = base.items[row.id].values if row.id in base else {}
        said = [
            change_line(field, before.get(field), row.item.values.get(field))
            for field in state.changed
        ]
        if state.moved:
            said.append(f"moved from place {shown.was.get(row.id)} to {shown.now.get(row.id)}")
    return [Fact("staged", Text("; ".join(said), style="warn"))] if said else []


BAR_LIMIT = 30
"""So many entries of the top are looked at for their particulars."""

BAR_ENTRIES = 12
"""So many entries are drawn; of more, those around the first one that differs."""

BEFORE_IT = 3
"""So many are drawn before that one."""

CONDITION_CELLS = 60
"""A condition longer than this is cut where it is told."""

NAMED = 8
"""So many titles are named in one sentence."""


def bar(layout: Layout, changed: Collection[str] = (), start: int = 0) -> Text:
    """Return the top of a site as readers see it: ``Guides | Products ▾ | Legal``.

    ``changed`` are the ids of lit entries. A long one is drawn from ``start`` on.
    """
    text, level = Text(), layout.levels.get(TOP, ())
    if start:
        text.append(glyphs().more, style="muted")
    for row in level[start : start + BAR_ENTRIES]:
        item = layout.items[row]
        if not _seen(layout, item):
            continue
        if text.plain:
            text.append(f" {glyphs().bar} ", style="muted")
        text.append(item.title, style="moved" if row in changed else "")
        if item.kind == "group":
            text.append(f" {glyphs().unfolded}", style="muted")
    more = len(level) - start - BAR_ENTRIES
    if more > 0:
        text.append(f" {glyphs().more} and {more} more", style="muted")
    return text if text.plain else Text("nothing", style="muted")


def _start(base: Layout, now: Layout) -> int:
    """Return where the drawn part of two long bars begins."""
    before, after = base.levels.get(TOP, ()), now.levels.get(TOP, ())
    if max(len(before), len(after)) <= BAR_ENTRIES:
        return 0
    pairs = enumerate(zip(before, after, strict=False))
    first = next((at for at, (one, other) in pairs if one != other), 0)
    return max(0, first - BEFORE_IT)


def navigation_facts(base: Layout, now: Layout, changed: Collection[str] = ()) -> list[Fact]:
    """Return the top as readers see it, before and after, and its particulars."""
    start = _start(base, now)
    before, after = bar(base, start=start), bar(now, changed, start)
    if before.plain == after.plain:
        found = [
            Fact("", Text("AS IT IS" if base is now else "THE TOP IS AS BEFORE", "muted")),
            Fact("", after),
        ]
    else:
        found = [
            Fact("", Text("BEFORE", "muted")), Fact("", before),
            Fact("", Text("AFTER", "muted")), Fact("", after),
        ]  # fmt: skip
    found += _menus(base, now, changed)
    told = list(islice(_particulars(base, now), 2 * NAMED))
    return [*found, Fact("", ""), *told] if told else found


def _menus(base: Layout, now: Layout, changed: Collection[str]) -> list[Fact]:
    """Return the menus of groups and sections that are not as they were, before and after."""
    above = dict.fromkeys(
        layout.level_of(row) for row in changed for layout in (now, base) if row in layout
    )
    found: list[Fact] = []
    for row in above:
        before, after = _menu(base, row), _menu(now, row)
        if row in base and row in now and before != after:
            title = (f"{now.items[row].title} {glyphs().unfolded}  ", "strong")
            found.append(Fact("", Text.assemble(title, before, (" → ", "muted"), (after, "moved"))))
        if len(found) == NAMED:
            break
    return found


def _menu(layout: Layout, row: str) -> str:
    """Return what a group or a section shows as its readers choose from it."""
    shown = [layout.items[each] for each in layout.levels.get(row, ())[:BAR_LIMIT]]
    seen = [each for each in shown if _seen(layout, each)]
    first = " (first)" if len(seen) > 1 and seen[0].kind == "site-space" else ""
    titles = [f"{each.title}{first if each.values.get('default') else ''}" for each in seen]
    return ", ".join(titles) or "nothing"


def _seen(layout: Layout, item: Item) -> bool:
    """Whether readers get an entry: a section with everything hidden shows nothing."""
    if any(item.values.get(name) for name in ("trashed", "hidden", "draft")):
        return False
    if item.kind == "group":
        return any(_seen(layout, layout.items[row]) for row in layout.levels.get(item.id, ()))
    if item.kind == "section":
        inside = layout.levels.get(item.id, ())
        return not inside or any(_seen(layout, layout.items[row]) for row in inside)
    return True


def _particulars(base: Layout, now: Layout) -> Iterator[Fact]:
    """Yield what the bar alone does not tell."""
    first = _first(now)
    if first:
        was = _first(base)
        since = f", so far on {was}" if was and was != first else ""
        yield Fact("", f"Readers land on {first} first{since}.")
    for row in now.levels.get(TOP, ())[:BAR_LIMIT]:
        item = now.items[row]
        inside = now.levels.get(row, ())
        if item.kind == "group" and not _seen(now, item):
            why = "a draft" if item.values.get("draft") else "empty"
            yield Fact("", f"{item.title} is {why}: readers do not get it.")
        elif item.kind == "group":
            seen = [each for each in inside[:BAR_LIMIT] if _seen(now, now.items[each])]
            named = ", ".join(now.items[each].title for each in seen[:NAMED])
            more = f" {glyphs().more}" if len(seen) > NAMED or len(inside) > BAR_LIMIT else ""
            if row not in base or _menu(base, row) == _menu(now, row):  # else it is told above
                title = (f"{item.title} {glyphs().unfolded}", "strong")
                yield Fact("", Text.assemble(title, f"  {named}{more}"))
            for each in inside[:NAMED]:
                yield from _about(now, now.items[each])
        else:
            yield from _about(now, item)


def _first(layout: Layout) -> str:
    """Return what readers land on first; empty where nothing says so."""
    tops = layout.levels.get(TOP, ())
    for row in islice(_open(layout, tops), BAR_LIMIT):
        if layout.items[row].values.get("default"):
            return layout.items[row].title
    return ""


def _open(layout: Layout, tops: Collection[str]) -> Iterator[str]:
    for row in tops:
        if layout.items[row].kind == "group":
            yield from _open(layout, layout.levels.get(row, ()))
        else:
            yield row


def _about(layout: Layout, item: Item) -> Iterator[Fact]:
    condition = str(item.values.get("condition") or "")
    if condition:
        said = shorten(clean(condition), CONDITION_CELLS)
        yield Fact("", f"{item.title} is shown only when its condition ({said}) is true.")
    if item.values.get("draft"):
        yield Fact("", f"{item.title} is a draft: readers do not get it.")
    elif item.values.get("trashed"):
        yield Fact("", f"{item.title} is in the trash: readers do not get it.")
    elif item.values.get("hidden"):
        yield Fact("", f"{item.title} is hidden: only its address leads there.")
    elif item.kind == "section":
        inside = [layout.items[row] for row in layout.levels.get(item.id, ())[:BAR_LIMIT]]
        hidden = [each.title for each in inside if not _seen(layout, each)]
        if inside and len(hidden) == len(inside):
            yield Fact("", f"{item.title} is not shown: {_all_of(hidden)} hidden.")
        elif hidden:
            yield Fact("", f"{item.title} keeps {few(hidden, NAMED)} out of its menu.")
        for each in inside:
            if each.values.get("condition"):
                said = shorten(clean(str(each.values["condition"])), CONDITION_CELLS)
                yield Fact(
                    "",
                    f"{each.title} in {item.title} is shown only when ({said}) is true.",
                )


def _all_of(hidden: Collection[str]) -> str:
    return (
        "what it holds is" if len(hidden) == 1 else f"all {plural(len(hidden), 'space')} in it are"
    )


TITLE_CELLS = 24
"""Cells that titles take before anything else is shown of a row."""

STATE_CELLS = 44
"""Cells that a row's states may take where there is room."""


def site_columns(
    shown: Callable[[], ShownLayout], nodes: Callable[[], Nodes], layout: Layout
) -> list[Column[ArrangedRow]]:
    """Return the columns; what a site has in them says how wide they are. Titles come first."""
    rows = [ArrangedRow(item, layout.level_of(row)) for row, item in layout.items.items()]
    longest = max((name_cells(layout, row.id) for row in rows), default=0)
    titles = max(18, min(longest, TITLE_CELLS))
    part: Column[ArrangedRow] = Column("path", "PATH", lambda row: path(row, shown()), 5, drop=2)
    visible: Column[ArrangedRow] = Column(
        "state", "VISIBLE", lambda row: state(row, shown(), nodes()), 7, drop=1
    )
    # What is particular about a row is not cut while the titles have blanks to give.
    longest = by_content(visible, rows, most=STATE_CELLS).width
    return [
        Column("now", "NOW", lambda row: staged.now_cell(row, shown()), 4, spoken=unspoken),
        Column("was", "WAS", lambda row: staged.was_cell(row, shown()), 4, spoken=unspoken),
        Column(
            "title", "SECTION", lambda row: name(row, shown(), nodes()),
            flex=1, minimum=titles,
        ),
        Column(
            "shift", "", lambda row: staged.shift(row, shown()), 4,
            spoken=lambda row, _: staged.was_told(
                row, str(staged.was_cell(row, shown())), shown()
            ),
        ),
        by_content(part, rows, most=12),
        Column("variants", "HOLDS", lambda row: variants(row, shown()), 5, drop=3),
        replace(visible, width=min(longest, 16), most=longest),
    ]  # fmt: skip

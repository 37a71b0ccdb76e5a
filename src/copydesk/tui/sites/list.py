"""The published sites of an organization, and making one more."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, get_args

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.own_command import Thing
from copydesk.domain.site_inverses import site_made
from copydesk.domain.text import clean, few, plural
from copydesk.present import site as present
from copydesk.present.facts import Fact
from copydesk.present.raw_json import Raw
from copydesk.present.space_options import space_options
from copydesk.present.traffic import per_week, short_count, week_words
from copydesk.session.draft_keys import new_site_key, staged_moves
from copydesk.session.glyphs import glyphs
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads.sites import read_arranged
from copydesk.session.reads.spaces import Desk, read_desk
from copydesk.session.reads.traffic import USUAL, read_site_views
from copydesk.session.site_rows import SiteRow, site_row
from copydesk.session.target import Target
from copydesk.tui.dialogs.choice import Choice, OrderedChoices
from copydesk.tui.dialogs.dialog import Sheet
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.framework.commands import DetailsCommands
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.paged_source import PagedSource
from copydesk.tui.framework.place import VAST, Part, Place, View
from copydesk.tui.resource.place import HeldItems
from copydesk.tui.resource.resource import Facet, ListQuery, Resource
from copydesk.tui.sites.settings import check
from copydesk.tui.sites.settings_cells import TYPES, readers, title_of
from copydesk.tui.sites.tabs import KEYED, PublicationCommands, SiteDeletionCommands
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.site import Site
    from copydesk.domain.site_tree import SiteNode

NEW_KEY = new_site_key()
"""The key of the title of a site that is about to be made."""

COMPARED = 250
"""The title of a new site is compared with those of so many sites."""

NAMED = 6
"""How many of the chosen spaces are named before the others are counted."""

REST_SECONDS = 0.15
"""How long the list rests before the views of its sites are counted."""

STAGED = "changes staged, not sent"
"""What the sign beside a site means."""

TITLE_CELLS = 20
"""So much of a title is seen before an address takes more than it needs at least."""

EMPTY = {
    "all": "No sites here yet. ctrl+n makes one.",
    "published": "No site is published yet.",
    "unpublished": "Every site is published.",
}
"""What a view says when it has no rows."""

VIEWS = (
    View("all", "All"),
    View("published", "Published"),
    View("unpublished", "Not published"),
)
"""Each asks the service for its own list."""


@dataclass(frozen=True, slots=True)
class PlanQuestion:
    """A question of a new site, before that for its title.

    ``name`` is the field of the site that it fills; ``usual`` is chosen at first. ``sheet`` asks it
    under a head, with what is chosen so far and the spaces there are, by their ids. With the title
    the answer is told behind ``label``, as ``said`` has it.
    """

    name: str
    asks: str
    label: str
    usual: str | list[str]
    sheet: Callable[[str, Any, Mapping[str, Option]], Sheet[Any]]
    said: Callable[[Any, Mapping[str, Option]], str]


def _types(head: str, chosen: Any, spaces: Mapping[str, Option]) -> Sheet[Any]:
    from copydesk.contract.enumerations import SiteType

    types = [Option(each, each, TYPES.get(each, "")) for each in get_args(SiteType)]
    return Choice(head, types, current=chosen)


def _audiences(head: str, chosen: Any, spaces: Mapping[str, Option]) -> Sheet[Any]:
    from copydesk.contract.enumerations import SiteVisibility

    audiences = [Option(each, each, readers(each)) for each in get_args(SiteVisibility)]
    return Choice(head, audiences, current=chosen)


def _spaces(head: str, chosen: Any, spaces: Mapping[str, Option]) -> Sheet[Any]:
    ticked = tuple(each for each in map(str, chosen) if each in spaces)
    return OrderedChoices(head, list(spaces.values()), ticked=ticked)


def _spaces_said(chosen: Any, spaces: Mapping[str, Option]) -> str:
    return few([spaces[each].title for each in chosen], NAMED) or "nothing yet"


QUESTIONS = (
    PlanQuestion("type", "its plan", "plan", "basic", _types, lambda chosen, spaces: str(chosen)),
    PlanQuestion(
        "visibility", "who can read it once it is published", "read by", "public",
        _audiences, lambda chosen, spaces: readers(chosen),
    ),
    PlanQuestion("spaces", "what it shows", "shows", [], _spaces, _spaces_said),
)  # fmt: skip
"""What is asked of a new site, in order; the title comes last, and the site is made with it."""

Plan: TypeAlias = dict[str, Any]
"""The answers to `QUESTIONS` so far, as the request for the site has them."""


def new_plan() -> Plan:
    """Return a plan with what is chosen at first."""
    return {each.name: each.usual for each in QUESTIONS}


def kept_plan(text: str | None) -> Plan | None:
    """Return the plan in the draft of a new site; None where there is none."""
    try:
        kept = json.loads(text or "")
    except ValueError:
        return None
    if not isinstance(kept, dict):
        return None
    known = all(isinstance(kept.get(each.name), type(each.usual)) for each in QUESTIONS)
    return {each.name: kept[each.name] for each in QUESTIONS} if known else None


def _head(step: int, asks: str) -> str:
    return f"New site, {step + 1} of {len(QUESTIONS) + 1}: {asks}"


class SiteCreationCommands(Commands, scope="sites"):
    """Making a site, question by question."""

    place: SitesPlace

    def __init__(self, here: SitesPlace) -> None:
        super().__init__(here)
        self._begun = new_plan()
        """The plan of a new site, until it is made."""

    def things(self) -> Sequence[Thing]:
        row = self.place.rows.selected
        if row is None:
            return []
        named = {"id": row.id, "title": row.title, "site": row.title, "url": row.address}
        return [Thing("site", named)]

    @action(
        "ctrl+n",
        "new site",
        word="new",
        unless=lambda here: here.publication.may.make or None,
        danger=1,
        show=20,
        group="Change",
        uses=("create_site", "list_organization_spaces", "list_sites"),
    )
    async def make(self) -> None:
        """Make a site: its plan, who can read it, what it shows, its title. It is not published."""
        organization = self.place.organization
        if organization is None:
            self.place.say("Which organization? “g o” lists them.", "warn")
            return
        api = await self.place.session.ready()

        async def read() -> tuple[str, tuple[Desk, frozenset[str]] | None]:
            why = (await self.place.publication.know_rights(api, organization)).make
            if why:
                return why, None
            return "", await asyncio.gather(
                read_desk(api, organization), _titles(api, organization)
            )

        why, found = await self.place.reads.now("plan", read, "Reading spaces") or ("", None)
        if why:
            self.place.tell(why, "warn")
        if found is None:
            return
        desk, titles = found
        spaces = {each.id: each for each in space_options(desk.nodes, keep=lambda space: True)}
        plan = self._begun = kept_plan(self.place.session.drafts.load(NEW_KEY)) or self._begun
        step = 0
        # Esc goes one question back, and leaves at the first.
        while 0 <= step <= len(QUESTIONS):
            if step < len(QUESTIONS):
                answered = await self._ask(plan, step, spaces)
                self._keep(plan)
            else:
                answered = await self._title(organization, plan, spaces, titles)
            step += 1 if answered else -1

    def _keep(self, plan: Plan) -> None:
        """Keep what was chosen with the title that was typed before, if one was."""
        drafts = self.place.session.drafts
        if (text := drafts.load(NEW_KEY)) and kept_plan(text) is not None:
            drafts.save(NEW_KEY, json.dumps(json.loads(text) | plan))

    async def _ask(self, plan: Plan, step: int, spaces: Mapping[str, Option]) -> bool:
        """Ask one question of a new site; False goes back."""
        question = QUESTIONS[step]
        sheet = question.sheet(_head(step, question.asks), plan[question.name], spaces)
        chosen = await self.place.desk.push_screen_wait(sheet)
        if chosen is not None:
            plan[question.name] = list(chosen) if isinstance(chosen, tuple) else chosen
        return chosen is not None

    async def _title(
        self,
        organization: str,
        plan: Plan,
        spaces: Mapping[str, Option],
        taken: Collection[str],
    ) -> bool:
        """Ask for the title, and make the site; False goes back."""
        from copydesk.contract.models.site import SiteCreate

        width = max(len(each.label) for each in QUESTIONS) + 2
        facts: list[Text | str] = [
            *(
                Text.assemble(
                    (each.label.ljust(width), "muted"), each.said(plan[each.name], spaces)
                )
                for each in QUESTIONS
            ),
            "",
            "The site is not published: no one can read it until you publish it with W.",
        ]
        made: list[Site] = []

        async def send(values: Mapping[str, str]) -> None:
            body = SiteCreate.model_validate({**plan, "title": values["title"]})
            deletes = (
                self.place.publication.rights is not None
                and not self.place.publication.rights.delete
            )
            made.append(
                await self.place.writer.perform(
                    "Make site",
                    clean(values["title"]),
                    lambda api: api(ops.create_site, organization, body),
                    reversal=(
                        lambda site: (
                            site_made((organization, site.id), title=site.title)
                            if deletes
                            else None
                        )
                    ),
                    draft=NEW_KEY,
                )
            )

        def note(typed: str) -> str:
            return "There is a site of that title." if clean(typed) in taken else ""

        field = Field("title", "Title", "", check("title"), note)
        form = Form(
            _head(len(QUESTIONS), "its title"), [field],
            draft_key=NEW_KEY, facts=facts, send=send, verb="make it",
            beside=plan, leaves="back",
        )  # fmt: skip
        await self.place.desk.push_screen_wait(form)
        if not made:
            return False
        site, self._begun = made[0], new_plan()
        self.place.reveal_site(site.id)
        target = Target(organization=organization, site=site.id)
        await self.place.desk.go("site-structure", target)
        self.place.tell(
            f"“{title_of(site)}” is made, with {plural(site.site_spaces, 'space')}, "
            "and not published. W publishes it.",
            "good",
        )
        return True


async def _entries(api: Api, target: Target, asked: ListQuery) -> Page[tuple[int, SiteNode]]:
    """Read the structure of a site, and return its entries with how deep they are."""
    from copydesk.contract.models.base import Next, Page

    def walk(nodes: Iterable[SiteNode], depth: int) -> Iterator[tuple[int, SiteNode]]:
        for node in nodes:
            yield depth, node
            if len(node.children) > 1 or node.kind != "section":  # a lone space is the section
                yield from walk(node.children, depth + 1)

    structure = await read_arranged(api, target.organization or "", target.item or "")
    found = list(walk(structure.tree(), 0))
    following = Next(page="") if len(found) > asked.limit else None
    return Page[Any].model_construct(items=found[: asked.limit], next=following, count=len(found))


ENTRIES: Resource[tuple[int, SiteNode]] = Resource(
    noun="entry",
    title="Structure",
    pages=_entries,
    key=lambda entry: entry[1].id,
    label=lambda entry: (
        "  " * entry[0] + (entry[1].title or "Untitled") + (" (hidden)" if entry[1].hidden else "")
    ),
    shown=(Facet("path", "PATH", lambda entry, now: entry[1].path),),
    empty="This site shows nothing yet.",
    of="item",
    beside=0,
)
"""What readers see at the top of a site, in order."""


@place(
    "sites",
    key="t",
    title="Sites",
    uses=("list_sites", "aggregate_site_events", "get_site_structure"),
)
class SitesPlace(Place, scope="sites"):
    """A list of sites; Enter opens the structure of one."""

    COLUMNS = ("views",)
    HORIZONTAL_BREAKPOINTS = VAST
    RAW = ("get_site",)
    COMMAND_CLASSES = (
        SiteDeletionCommands,
        SiteCreationCommands,
        PublicationCommands,
        DetailsCommands,
    )

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.publication = self.commands_of(PublicationCommands)
        self.publication.at_hand = self._published_at_hand
        self._written = 0
        self._longest = (12, 0)
        """Cells of the longest title and the longest address read so far."""
        self._views: dict[str, int] = {}
        """How often sites were viewed in four weeks, as far as that is known."""
        self._staged: dict[str, int] = {}
        """How many changes are kept staged on this machine, by site."""
        self._stopped: dict[str, str] = {}
        """How far the sending was that was cut off, by site."""
        self._revealed = ""
        """The site that the cursor is to go to once it is in the list."""

    def panes(self) -> ComposeResult:
        self.rows: VirtualList[SiteRow] = VirtualList(
            PagedSource(self._page, key=lambda row: row.id, caches=lambda: self.session.caches()),
            self._columns(*self._longest),
            title="Sites",
            empty=EMPTY["all"],
            reading="Reading sites…",
            sign=lambda row: glyphs().marked if row.id in self._staged else "",
            id="sites",
        )
        self.facts = Facts(title="Site", empty="No site is selected.", id="site-details")
        yield Part("main", self.rows)
        self.contents = HeldItems(
            self, lambda: (self.rows.selected, self.rows.selected_id or "", (ENTRIES,))
        )
        yield Part("side", self.facts, self.contents)

    def _columns(self, title: int, address: int) -> list[Column[SiteRow]]:
        """Return the columns; addresses take up to so many cells where the titles leave them."""
        views = Column("views", "VIEWS", self._views_cell, 7, align="right", drop=2)
        return [
            Column("title", "SITE", lambda row: row.title, flex=1, minimum=title),
            *([views] if any(self._views.values()) else []),
            Column("published", "STATE", present.published, 13),
            Column("visibility", "AUDIENCE", lambda row: row.visibility, 12, drop=2),
            Column("spaces", "SPACES", lambda row: str(row.spaces), 6, align="right", drop=1),
            Column("address", "ADDRESS", present.address, 14, most=min(address, 48), drop=3),
        ]

    def _views_cell(self, row: SiteRow) -> str:
        views = self._views.get(row.id)
        return "" if views is None else f"{short_count(per_week(views, USUAL.days))}/w"

    def _count_views(self, rows: Sequence[SiteRow]) -> None:
        """Count the views of sites, once for each, when there is time."""
        sites = [row.id for row in rows if row.published and row.id not in self._views]
        home = self.organization
        if not sites or home is None:
            return

        def came(found: dict[str, int]) -> None:
            self._views |= found
            self.rows.columns = tuple(self._columns(*self._longest))
            self.rows.refresh_rows()
            self.show_details()

        self.reads.load(
            "views",
            lambda api: read_site_views(api, home, self.session.now, sites),
            came,
            what="Counting views",
            quiet=True,
            after=REST_SECONDS,
        )

    def _published_at_hand(self) -> bool | None:
        row = self.rows.selected
        return row.published if row is not None else None

    def site_at_hand(self) -> str | None:
        return self.rows.selected_id

    def raw(self) -> Raw | None:
        row = self.rows.selected
        ids = (self.organization or "", row.id if row else "")
        return None if row is None else Raw(f"site {row.title}", "get_site", ids)

    def url(self) -> str | None:
        row = self.rows.selected
        return row.address if row is not None and row.published and row.address else None

    def copy_note(self) -> str:
        row = self.rows.selected
        return KEYED if row is not None and row.visibility == "share-link" else ""

    def copies(self) -> Sequence[tuple[str, str]]:
        row = self.rows.selected
        if row is None:
            return []
        return [("address", row.address), ("title", row.title), ("id", row.id)]

    def reveal_site(self, site: str) -> None:
        """Put the cursor on a site that was made, once the list has it."""
        self._revealed = site

    def opened(self) -> None:
        self.set_views(VIEWS)
        organization = self.organization
        if organization is not None:
            self.reads.load(
                "rights", lambda api: self.publication.know_rights(api, organization),
                lambda rights: self.refresh_frame(), what="Reading your role",
            )  # fmt: skip

    def resume_draft(self, part: str) -> None:
        if part == "new":
            self.do_soon("make")

    def view_changed(self) -> None:
        self.rows.empty = EMPTY[self.view]
        self._source.reset()

    @property
    def _source(self) -> PagedSource[SiteRow]:
        source = self.rows.source.base
        assert isinstance(source, PagedSource)
        return source

    def poll(self) -> None:
        super().poll()
        self._look_for_staged()

    def _look_for_staged(self) -> None:
        async def read(api: Api) -> tuple[dict[str, int], dict[str, str]]:
            kept = staged_moves(await asyncio.to_thread(self.session.drafts.texts))
            runs = await asyncio.to_thread(self.session.arrangements.all)
            return kept, {run.target: run.far for run in runs if run.begun}

        self.reads.load(
            "staged", read, self._show_staged, what="Reading what is staged", local=True
        )

    def _show_staged(self, found: tuple[dict[str, int], dict[str, str]]) -> None:
        if found != (self._staged, self._stopped):
            self._staged, self._stopped = found
            self.rows.refresh_rows()
            self.show_details()
            self.refresh_frame()

    def reload(self) -> None:
        self.contents.forget()
        self._look_for_staged()
        # What this hand has made or deleted is not news that waits for a key.
        own, self._written = len(self.session.log) != self._written, len(self.session.log)

        async def refresh(api: Api) -> None:
            await self._source.refresh()
            if own:
                self._source.fold()
                self._source.fresh.clear()
                if self._revealed and self.rows.select(self._revealed):
                    self._revealed = ""

        self.reads.load("sites", refresh, lambda _: None, what="Reading sites")

    def on_screen_resume(self) -> None:
        self._look_for_staged()
        if len(self.session.log) != self._written and self.reads.asked_at is not None:
            self.read_again()

    async def _page(
        self, token: str | None, limit: int
    ) -> tuple[list[SiteRow], str | None, int | None]:
        api = await self.session.ready()
        organization = self.organization
        if organization is None:
            return [], None, 0
        wanted = {"published": True, "unpublished": False}.get(self.view)
        page = await api.page(
            ops.list_sites, organization, page=token, limit=limit, published=wanted
        )
        self.session.fresh()
        rows = [site_row(site) for site in page.items]
        title = max((min(TITLE_CELLS, cell_len(row.title)) for row in rows), default=0)
        address = max((present.address(row).cell_len for row in rows), default=0)
        longest = max(title, self._longest[0]), max(address, self._longest[1])
        if longest != self._longest and self.is_attached:
            self._longest = longest
            self.rows.columns = tuple(self._columns(*longest))
            self.rows.refresh_rows()
        if self.is_attached:
            self._count_views(rows)
        return rows, page.next.page if page.next else None, page.count

    def show_details(self) -> None:
        row = self.rows.selected
        if row is None:
            self.facts.show([], title="Site")
        else:
            staged = self._staged.get(row.id, 0)
            facts = present.site_facts(row, self.session.now, staged, self._stopped.get(row.id, ""))
            if views := self._views.get(row.id):
                facts.append(Fact("viewed", week_words(views, USUAL.days)))
            self.facts.show(facts, title=row.title, about=row.id)
        self.contents.look()

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        if event.id is not None:
            self.desk.go_soon("site-structure", self._site(event.id))

    def _site(self, site: str) -> Target:
        organization = self.organization
        return Target(organization=organization, site=site)

    @action(
        "l",
        "structure",
        word="right",
        unless=lambda here: (
            None if here.rows.selected is not None else "Put the cursor on a site first."
        ),
        show=False,
        group="Go",
        also=("right",),
    )
    async def open_structure(self) -> None:
        """Go to the structure of the site, as Enter does."""
        if self.rows.selected_id is not None:
            await self.desk.go("site-structure", self._site(self.rows.selected_id))

    def signs(self) -> Sequence[tuple[str, str]]:
        return [*super().signs(), (glyphs().marked, STAGED)]

    def status_left(self) -> str:
        count = self.rows.source.count
        said = super().status_left() or ("" if count is None else plural(count, "site"))
        loaded = self.rows.source.index_of
        if any(loaded(site) is not None for site in self._staged):
            said += f"   {glyphs().marked} {STAGED}"
        return said.strip()


async def _titles(api: Api, organization: str) -> frozenset[str]:
    """Return the titles of the first sites of an organization."""
    page = await api.page(ops.list_sites, organization, limit=COMPARED)
    return frozenset(title_of(site) for site in page.items)

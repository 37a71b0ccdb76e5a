"""The pages of a change request, put in another order: staged with the edits of their texts."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from textual.app import ComposeResult

from copydesk.domain.arrangement import Arrangement
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.layout import Layout
from copydesk.domain.page_arrangement import SETTINGS, PageArrangement, layout_of
from copydesk.domain.page_edits import PageEdit
from copydesk.domain.page_source import read_page_source
from copydesk.domain.page_tree import PageNode, flatten
from copydesk.domain.text import clean, plural
from copydesk.domain.yaml_lines import FileError
from copydesk.present.facts import Fact, hint
from copydesk.session.draft_keys import SEND, row_key
from copydesk.session.operations import ops
from copydesk.session.page_edits import StagedPages, read_source
from copydesk.session.target import Target
from copydesk.session.writes.requests import why_no_edit
from copydesk.tui.arrange import cells
from copydesk.tui.arrange.cells import ArrangedRow, ArrangedTree, PlanPane, WrittenPane
from copydesk.tui.arrange.place import (
    ArrangingPlace,
    no_row,
    not_allowed,
    not_staged_order,
)
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.framework.navigation import NO_REQUEST, place
from copydesk.tui.framework.place import Part, Place, style_path
from copydesk.tui.resource.rich_text import stage_edits
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, unspoken

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.reversal import Step

NOTHING_STAGED = (
    "The pages are in the order in which they are sent.",
    "J and K move a page, > and < below another and out, e changes title, address and icon.",
    "Nothing is sent until ctrl+s.",
)


@dataclass(frozen=True, slots=True)
class PagesRead:
    """The pages of a change request as they were read, and why they may not be edited."""

    layout: Layout
    tree: Sequence[PageNode]
    revision: str
    title: str
    refused: str


class PageSettings(Commands, scope="page_arrangement"):
    """What is changed of a page besides its place."""

    place: PagesArrangementPlace

    @action(
        "e", "edit", unless=(not_allowed, no_row, not_staged_order), show=30, group="Change",
        uses=("get_change_request", "get_change_request_page"), stages=True, types=True,
    )  # fmt: skip
    async def edit(self) -> None:
        """Change the title, the address and the icon of a page. Staged here, nothing is sent."""
        row, here = self.place.row, self.place
        if row is None:
            return
        if not await here.know(row.id):
            return
        item = here.draft.arrangement.now.items[row.id]
        before = {name: clean(str(item.values.get(name) or "")) for name in SETTINGS}
        labels = {"title": "Title", "slug": "Address", "icon": "Icon"}
        fields = [Field(name, labels[name], before[name]) for name in SETTINGS]

        async def stage(values: Mapping[str, str]) -> None:
            changes = {name: text for name, text in values.items() if text != before[name]}
            here.draft.stage_or_refuse(lambda: here.draft.arrangement.change(row.id, changes))

        key = row_key(*here.ids, row.id)
        form = Form(f"Edit {row.title}", fields, draft_key=key, facts=[hint(LIVE, "")], send=stage,
                    verb="stage")  # fmt: skip
        await here.desk.push_screen_wait(form)


LIVE = "Staged with the other edits of the change request; ctrl+s in its review sends all."


@place(
    "page-arrangement",
    title="Order of pages",
    uses=("get_change_request", "get_space", "get_change_request_revision"),
)
class PagesArrangementPlace(ArrangingPlace[PagesRead]):
    """The tree of the pages of a change request. What is changed in it is staged, then sent."""

    COMMAND_CLASSES = (PageSettings,)
    CSS_PATH = style_path("page_arrangement")
    WHICH = NO_REQUEST
    what_it_is = "The tree of pages"
    boxes = ("page",)
    sorts = ("title",)
    counted = "change"

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.staged: StagedPages | None = None
        self.texts: dict[str, str] = {}
        """The texts of pages whose settings were asked for, with their front matter."""
        self._seen: dict[str, PageEdit] = {}
        """What is or was staged of pages while this was open."""
        self._kept: Arrangement | None = None
        """The arrangement that was staged last, or is being staged."""

    def panes(self) -> ComposeResult:
        self.rows = ArrangedTree(
            [
                Column(
                    "now",
                    "NO",
                    lambda row: cells.now_cell(row, self.order.shown),
                    5,
                    spoken=unspoken,
                ),
                Column(
                    "was",
                    "WAS",
                    lambda row: cells.was_cell(row, self.order.shown),
                    5,
                    drop=1,
                    spoken=lambda row, said: cells.was_told(row, said, self.order.shown),
                ),
                Column(
                    "shift", "", lambda row: cells.shift(row, self.order.shown), 3, spoken=unspoken
                ),
                Column("title", "PAGE", self._title, flex=1, minimum=16),
                Column("slug", "ADDRESS", self._slug, 24, drop=2),
            ],
            title="Pages",
            empty="Reading the pages…",
            order=self.order,
            pickable=self._not_pickable,
            id="page-tree",
        )
        self.facts = Facts(title="Page", id="page-row")
        self.plan = PlanPane(NOTHING_STAGED, id="page-plan")
        yield Part("main", self.rows)
        self.written = WrittenPane(self._is_of_request, id="page-written")
        yield Part("side", self.facts, self.plan, self.written)

    def _is_of_request(self, step: Step) -> bool:
        """Whether a step is about the content of the change request."""
        request = step.arguments.get("change_request_id")
        return step.operation == "update_change_request_content" and request == self.ids[1]

    def _title(self, row: ArrangedRow) -> Any:
        return cells.title(row, self.order.shown, row.title)

    def _slug(self, row: ArrangedRow) -> Any:
        slug = clean(str(row.item.values.get("slug") or ""))
        return cells.cell(row, self.order.shown, "slug", f"/{slug}" if slug else "")

    def _not_pickable(self, row: ArrangedRow) -> str | None:
        removed = self.order.shown.state(row).removed
        return f"{row.title} is staged to be deleted; X there undoes that." if removed else None

    def trail(self) -> Iterable[str]:
        yield self.about
        yield "Order of pages"
        yield from self.standing()

    # What is arranged

    @property
    def ids(self) -> tuple[str, str]:
        """The space and the change request."""
        return self.target.space or "", self.target.change_request or ""

    @property
    def pages(self) -> PageArrangement:
        """What is staged of the order."""
        return cast("PageArrangement", self.draft.arrangement)

    @property
    def draft_key(self) -> str:
        return f"page order {'/'.join(self.ids)}"

    @property
    def about(self) -> str:
        return "the change request" if self.read is None else self.read.title

    @property
    def run_target(self) -> str:
        return self.ids[1]

    @property
    def live(self) -> str:
        return LIVE

    @property
    def after_plan(self) -> Sequence[str]:
        return (LIVE,)

    def fresh(self, layout: Layout) -> Arrangement:
        if self.read is None:
            return PageArrangement.on(layout, *self.ids)
        return PageArrangement.of(layout, self.read.tree, self._seen, *self.ids)

    async def read_layout(self, api: Api) -> Layout:
        found = await self._read(api)
        return found.layout

    async def read_all(self, api: Api) -> PagesRead | None:
        return await self._read(api) if self.target.change_request else None

    async def _read(self, api: Api) -> PagesRead:
        request = await api(ops.get_change_request, *self.ids)
        space = await api(ops.get_space, request.space)
        now = await api(ops.get_change_request_revision, *self.ids, metadata=False, computed=False)
        if self.staged is None:
            self.staged = StagedPages.of(self.session, *self.ids)
        await self.staged.read()
        self._seen |= self.staged.edits
        tree = flatten(now.pages)
        named = f"#{request.number} {clean(request.subject)}".rstrip()
        return PagesRead(layout_of(tree), tree, now.id, named, why_no_edit(request, space) or "")

    @property
    def no_rows(self) -> str:
        return "There is no page yet."

    def begun(self, found: PagesRead) -> None:
        unfolded = {page.parent for page in found.tree if page.parent is not None}
        self.rows.tree_source.unfolded |= unfolded
        self._kept = self.draft.arrangement
        if self.target.page is not None:
            self.call_after_refresh(self.rows.reveal, self.target.page)

    async def know(self, page: str) -> bool:
        """Read the settings of a page that the tree does not tell; False where that was left."""
        assert self.staged is not None
        edit = self._seen.get(page)
        text = edit.text if edit is not None and edit.text else self.texts.get(page)
        if text is None:
            api = await self.session.ready()

            async def read() -> tuple[str, str]:
                return await read_source(api, *self.ids, page)

            found = await self.reads.now("plan", read, "Reading the page")
            if found is None:
                return False
            text = self.texts[page] = found[1]
        try:
            source = read_page_source(text)
        except FileError:
            source = None
        if source is None or "title" not in source.settings:
            self.say("Its settings are in its own text: e in the review edits them.", "warn")
            return False
        told = {name: str(source.settings.get(name) or "") for name in SETTINGS}
        self.draft.arrangement = self.pages.knowing(page, told)
        return True

    def keeps(self) -> bool:
        """Stage it with the other edits, which is not cut off where the screen is left."""
        if self.known and self._kept is not self.draft.arrangement:
            self._kept = self.draft.arrangement
            self.session.writes.hold_open(asyncio.create_task(self._keep()))
        return True

    async def send(self) -> None:
        """Go to the review, and send all that is staged there."""
        await self.desk.go("review", self.target.but(view="changes"))
        here = self.desk.here
        if isinstance(here, Place) and here is not self:
            any(each.resume_draft(SEND) for each in here.commands)

    async def _keep(self) -> None:
        """Stage on this machine what the order makes of the edits."""
        if self.staged is None or self.read is None:
            return
        wanted = self.pages.edits(self._seen, self.texts, self.read.revision)
        await stage_edits(self, self.staged, wanted)
        self._seen |= self.staged.edits

    # What is on screen

    def draw(self) -> None:
        super().draw()
        count = len(self.draft.calls)
        self.plan.title = f"Staged   {plural(count, 'change')}" if count else "Staged"
        self.plan.refresh()

    def show_details(self) -> None:
        row = self.row
        facts: list[Fact] = []
        if row is not None:
            facts = [
                Fact(name, clean(str(row.item.values.get(name) or "none")))
                for name in ("title", "slug", "icon")
                if name in row.item.values
            ]
            below = len(row.children)
            facts.append(Fact("below it", plural(below, "page") if below else "nothing"))
        self.facts.show(facts, title="Page" if row is None else row.title)

    def open_row(self, row: ArrangedRow) -> None:
        self.desk.go_soon("review", self.target.but(page=row.id, view="changes"))

"""The traffic of a site: how often its pages are viewed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

from textual.app import ComposeResult

from copydesk.domain.filter import fold
from copydesk.domain.span import span
from copydesk.domain.text import clean, plural
from copydesk.present.facts import Fact
from copydesk.present.traffic import chart, intervals, numbers, per_week, short_count, span_words
from copydesk.session.options import Option
from copydesk.session.reads.traffic import (
    MOST_PAGES,
    USUAL,
    Chart,
    PageViews,
    Traffic,
    read_chart,
    read_traffic,
)
from copydesk.session.target import Target
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.actions import Commands, NoRowYet, action, command
from copydesk.tui.framework.commands import DetailsCommands
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.framework.source import ListSource
from copydesk.tui.sites.tabs import PublicationCommands, SiteTabs
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.site import Site

SORTS = {"views": "views", "visitors": "visitors", "title": "title"}
"""The orders of the pages."""

SPANS = ("1w", "4w", "13w", "1y")
"""What ``:range`` completes."""

LONGEST = timedelta(days=366 * 2)
"""A span longer than this is asked for by nobody who wants to see a chart."""

REST_SECONDS = 0.15
"""How long the cursor rests on a page before its chart is read."""

NONE = "No traffic: nothing was counted on this site in {}. :range 1y looks further back."


def no_pages(here: TrafficPlace) -> str | None:
    """Say so when there is nothing to show otherwise."""
    if here.read is None:
        return NoRowYet("The traffic has not been read yet.")
    return None if here.read.pages else "There is no traffic to show."


def in_order(pages: Sequence[PageViews], sort: str) -> list[PageViews]:
    """Return pages in one of the orders."""
    if sort == "title":
        return sorted(pages, key=lambda row: (fold(row.title), row.id))
    if sort == "visitors":
        return sorted(pages, key=lambda row: (-row.visitors, row.id))
    return sorted(pages, key=lambda row: (-row.views, row.id))


class LookCommands(Commands, scope="traffic"):
    """How the traffic is shown: its order, charts or numbers, its span."""

    place: TrafficPlace

    @action("s", "sort", unless=no_pages, takes="none", show=22, group="Look")
    async def sort(self) -> None:
        """Choose the order of the pages."""
        here = self.place
        options = [Option(name, title) for name, title in SORTS.items()]
        chosen = await here.desk.push_screen_wait(Choice("Sort by", options, current=here.sort))
        if chosen:
            here.sort_by(chosen)

    @action("#", "numbers", word="numbers", unless=no_pages, takes="none", show=20, group="Look")
    def turn_numbers(self) -> None:
        """Show charts as numbers, or as charts again."""
        self.place.numbers = not self.place.numbers
        self.place.show_details()

    @command("range", "4w", complete=lambda here: SPANS, takes="none")
    def show_range(self, rest: str) -> None:
        """Count the views of another span that ends today: :range 4w. Alone it is 4 weeks."""
        try:
            length = span(rest) if rest else USUAL
        except ValueError as error:
            self.place.say(f":range: {error}.", "warn")
            return
        self.place.length = min(length, LONGEST)
        self.place.read_again()


@place(
    "traffic",
    title="Traffic",
    uses=("get_site", "aggregate_site_events", "list_site_spaces", "list_space_pages"),
)
class TrafficPlace(Place, scope="traffic"):
    """How often the pages of a site are viewed, the most viewed first."""

    OF_SITE = True
    COMMAND_CLASSES = (LookCommands, DetailsCommands, PublicationCommands)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.tabs = SiteTabs(self)
        self.read: Traffic | None = None
        self.length = USUAL
        self.sort = "views"
        self.numbers = False
        self._charts: dict[str, Chart] = {}
        """The charts of pages that were read, by their rows."""

    def panes(self) -> ComposeResult:
        self.rows: VirtualList[PageViews] = VirtualList(
            ListSource(key=lambda row: row.id),
            [
                Column("title", "PAGE", lambda row: row.title, flex=1, minimum=20),
                Column("where", "SPACE", lambda row: row.where, flex=1, minimum=16, drop=2),
                Column("visitors", "VISITORS", lambda row: f"{row.visitors:,}", 9, align="right",
                       drop=1),
                Column("views", "VIEWS", lambda row: f"{row.views:,}", 9, align="right"),
                Column("week", "A WEEK", self._a_week, 6, align="right"),
            ],
            title="Traffic",
            empty="Reading the traffic…",
            id="traffic",
        )  # fmt: skip
        self.facts = Facts(title="Views", empty="No page is selected.", id="views")
        yield Part("main", self.rows)
        yield Part("side", self.facts)

    def _a_week(self, row: PageViews) -> str:
        days = self.read.days if self.read is not None else 7
        return short_count(per_week(row.views, days))

    def trail(self) -> Iterable[str]:
        return self.tabs.trail()

    def status_left(self) -> str:
        if self.read is None or not self.read.pages:
            return ""
        views, pages = sum(self.read.chart.views), len(self.read.pages)
        said = f"{plural(views, 'view')} of {plural(pages, 'page')} in"
        most = ", the most viewed only" if pages == MOST_PAGES else ""
        return f"{said} {span_words(self.read.days)}{most}"

    # Reading

    def reload(self) -> None:
        self._charts.clear()
        self.tabs.read("Reading the traffic", self._read, self._arrived)

    def poll(self) -> None:
        """Read nothing again: counts hardly change within a day."""

    async def _read(self, api: Api, site: Site) -> Traffic:
        return await read_traffic(api, self.tabs.ids, self.session.now, self.length)

    def _arrived(self, found: Traffic) -> None:
        self.read = found
        self.rows.say_instead(NONE.format(span_words(found.days)))
        self.sort_by(self.sort)
        self.refresh_frame()

    def sort_by(self, order: str) -> None:
        """Show the pages in an order; the cursor stays on its page."""
        self.sort = order
        source = self.rows.source.listed
        pages = self.read.pages if self.read is not None else ()
        source.set(in_order(pages, order))
        said = [] if order == "views" else [f"sort: {SORTS[order]}"]
        if self.read is not None and self.read.pages:
            said.append(f"in {span_words(self.read.days)}")
        self.rows.note = "   ".join(said)
        self.rows.retitle()
        self.show_details()

    # Details

    def show_details(self) -> None:
        """Show the views of the site, and those of the page under the cursor."""
        found, row = self.read, self.rows.selected
        if found is None:
            return
        facts = [*self._charted("site", found.chart), Fact("", "")]
        if row is not None:
            facts += [
                Fact("page", row.title),
                Fact("path", row.path or row.page),
                Fact("space", row.where),
            ]
            page = self._charts.get(row.id)
            if page is None:
                self._read_page(row)
            else:
                facts += self._charted("views", page)
                counted = intervals(page.begins, page.views, page.interval)
                facts += [Fact("", ""), *(Fact(when, count) for when, count in counted)]
        self.facts.show(facts, title=row.title if row is not None else "Views")

    def _charted(self, label: str, shown: Chart) -> list[Fact]:
        drawn = numbers(shown.views) if self.numbers else chart(shown.views)
        most = f"{max(shown.views, default=0):,} in a {shown.interval} at most"
        return [Fact(label, drawn), Fact("", most)]

    def _read_page(self, row: PageViews) -> None:
        ids, now, length = self.tabs.ids, self.session.now, self.length

        def came(found: Chart) -> None:
            if length == self.length:  # else another span is being read, in which this is wrong
                self._charts[row.id] = found
                self.show_details()

        self.reads.load(
            "page",
            lambda api: read_chart(api, ids, now, length, (row.space, row.page)),
            came,
            what=f"Counting {row.title}",
            of=row.id,
            after=REST_SECONDS,
            quiet=True,
        )

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        row = self.rows.selected
        if row is not None:
            target = Target(organization=self.target.organization, space=row.space)
            self.desk.go_soon("pages", target.but(page=row.page))

    def copies(self) -> Sequence[tuple[str, str]]:
        row = self.rows.selected
        if row is None:
            return []
        return [("title", row.title), ("path", row.path), ("id", clean(row.page))]

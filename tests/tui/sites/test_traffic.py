"""The traffic of a site: its pages by views, charts, spans; views beside sites and pages."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.domain.span import span
from copydesk.present.traffic import per_week, short_count, span_words, week_words
from copydesk.server import site_writes
from copydesk.server.store import Tx
from copydesk.session.target import Target
from copydesk.tui.content.pages import PagesPlace
from copydesk.tui.sites.traffic import TrafficPlace
from tests.drive import Driver, drive
from tests.tui.opening import open_world, typed
from tests.tui.review_world import Faults
from tests.tui.site_world import Published, publish
from tests.world import BASE_URL, World

HOSTILE = "Install\x1b[2J\u202e [bold]film"


def viewed(docs: Published) -> tuple[str, str]:
    """Have readers view two pages of a space; return the space and the page viewed most."""
    world = docs.world
    space = world.space("Manual", {"start": "# Start\n", "install": f"# {HOSTILE}\n"})
    pages = [world.page_id(space, path) for path in ("start", "install")]

    def write(tx: Tx) -> None:
        site_writes.add_site_space(tx, docs.site, space, section=docs.ids["Guides"])
        today = tx.moment.date()
        for page, often in zip(pages, (700, 20), strict=True):
            for days in range(0, 60, 2):
                day = (today - timedelta(days=days)).isoformat()
                views = often + days
                site_writes.add_events(
                    tx, docs.site, space, page, day, events=views, visitors=views // 2
                )
        gone = "gone\x1b[2J [bold]"
        site_writes.add_events(tx, docs.site, space, gone, today.isoformat(), events=5, visitors=5)

    world.write(write)
    return space, pages[0]


async def line(driver: Driver, text: str) -> None:
    await driver.press(":")
    await driver.burst(*typed(text))
    await driver.press("enter")


async def test_pages_of_a_site_are_shown_by_views_sorted_counted_and_opened(
    world: World, update_golden: bool
) -> None:
    docs = publish(world)
    space, page = viewed(docs)
    target = Target(organization=world.home, site=docs.site)
    async with drive(open_world(world, "site-settings", target), size=(140, 40)) as driver:
        await line(driver, "traffic")
        driver.golden("traffic", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("traffic", update=update_golden)
        assert driver.selected == f"{space} {page}"
        assert "page gone [bold]" in driver.screen
        await driver.press("#")
        assert "0 772 0 768" in driver.screen
        await driver.press("#", "s", *typed("title"), "enter")
        assert "sort: title" in driver.screen
        await line(driver, "range 1w")
        assert "in the last week" in driver.screen
        await line(driver, "range 13w")
        assert "in a week at most" in driver.screen
        await line(driver, "range 99y")
        assert "in a month at most" in driver.screen
        await line(driver, "range soon")
        assert "such as 4w" in driver.screen
        await driver.press("G")
        await driver.press("enter")
        assert isinstance(driver.app.screen, PagesPlace)
        assert "a week" in driver.screen
        await driver.press("g t")
        assert "2.6k/w" in driver.line("docs.acme.test")
        await driver.resize(140, 40)
        assert "2.6k a week" in driver.line("viewed")


async def test_a_chart_of_another_span_that_comes_late_is_not_kept(world: World) -> None:
    docs = publish(world)
    viewed(docs)
    target = Target(organization=world.home, site=docs.site)
    asked = asyncio.Event()

    class Waiting(Faults):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if request.method == self.slow:
                asked.set()
            return await super().handle_async_request(request)

    service = Waiting(world)
    api = Api(BASE_URL, world.token(world.ana), transport=service)
    app = open_world(world, "traffic", target, api=api)
    async with drive(app, size=(140, 40)) as driver:
        place = driver.place
        assert isinstance(place, TrafficPlace)
        service.slow = "POST"
        await driver.send("j")
        await asked.wait()
        place.length = timedelta(weeks=1)
        place.read_again()
        service.let.set()
        await driver.idle()
        charts = [place.read.chart, *place._charts.values()] if place.read else []
        assert {len(each.views) for each in charts} == {7}


async def test_a_site_that_nobody_viewed_says_so(world: World) -> None:
    docs = publish(world)
    target = Target(organization=world.home, site=docs.site)
    async with drive(open_world(world, "traffic", target), size=(80, 24)) as driver:
        assert "No traffic: nothing was counted on this site in the last 4 weeks" in driver.screen
        await driver.press("#")
        assert "There is no traffic to show." in driver.screen


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0"), (999, "999"), (1000, "1.0k"), (12_440, "12.4k"), (999_949, "999.9k"),
     (999_950, "1.0M"), (3_140_000, "3.1M"), (2_000_000_000, "2G")],
)  # fmt: skip
def test_counts_take_few_cells(count: int, said: str) -> None:
    assert short_count(count) == said


def test_views_are_told_by_the_week() -> None:
    assert per_week(28, 28) == 7
    assert per_week(10, 0) == 0
    assert week_words(49_600, 28) == "12.4k a week"
    assert [span_words(days) for days in (1, 7, 28, 30)] == [
        "today", "the last week", "the last 4 weeks", "the last 30 days",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "days"), [("4w", 28), (" 12 H ", 0.5), ("1d", 1), ("2m", 60), ("1y", 365)]
)
def test_spans_are_read(text: str, days: float) -> None:
    assert span(text) == timedelta(days=days)


@pytest.mark.parametrize("text", ["", "w", "0w", "4", "-1d", "1000d", "4 weeks", "٤w"])
def test_what_is_no_span_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="such as 4w"):
        span(text)

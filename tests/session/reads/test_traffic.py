"""Views of the pages of a site, as an aggregate of a desk's events."""

from __future__ import annotations

from datetime import UTC, timedelta
from itertools import pairwise
from typing import Any

from copydesk.server import site_writes
from copydesk.server.store import Tx
from copydesk.session.reads.traffic import (
    USUAL,
    PageViews,
    bounds,
    interval_of,
    read_chart,
    read_page_views,
    read_site_views,
    read_traffic,
    read_views,
)
from tests.session.reads import told
from tests.tui.strange import strange
from tests.world import World


async def test_views_are_counted_by_page_site_space_and_week(world: World) -> None:
    space = world.space("Manual", {"start": "# Start\n", "install": "# Install\x1b[2J\n"})
    pages = [world.page_id(space, path) for path in ("start", "install")]
    now = world.clock.now

    def write(tx: Tx) -> list[str]:
        sites = [
            site_writes.add_site(
                tx, world.home, title, hostname=f"{title}.test", published=title != "three"
            )
            for title in ("one", "two", "three")
        ]
        for site in sites:
            site_writes.add_site_space(tx, site, space, title="The manual")
            for page, often in zip([*pages, "gone\x07"], (20, 700, 5), strict=True):
                for days in (0, 3, 90):
                    day = (now.date() - timedelta(days=days)).isoformat()
                    site_writes.add_events(
                        tx, site, space, page, day, events=often, visitors=often // 2
                    )
        return sites

    one, two, _ = world.write(write)
    service = told.Desk(world)
    async with service.api() as api:
        found = await read_traffic(api, (world.home, one), now, USUAL)
        assert service.trees() == {told.BARE}
        assert found.pages == (
            PageViews(space, pages[1], "Install", "install", "The manual", 1400, 700),
            PageViews(space, pages[0], "Start", "start", "The manual", 40, 20),
            PageViews(space, "gone\x07", "page gone", "", "The manual", 10, 4),
        )
        assert found.days == USUAL.days
        assert sum(found.chart.views) == 1450
        by_page = {(space, pages[0]): 40, (space, pages[1]): 1400, (space, "gone\x07"): 10}
        assert await read_page_views(api, (world.home, one), now) == by_page
        assert await read_site_views(api, world.home, now, [two, one]) == {one: 1450, two: 1450}
        views = await read_views(api, world.home, now, space)
        assert views == {pages[0]: 80, pages[1]: 2800, "gone\x07": 20}
        assert await read_views(api, world.home, now, "other") == {}
        of_one = await read_chart(api, (world.home, one), now, USUAL, (space, pages[0]))
        assert sum(of_one.views) == 40
        quarter = await read_traffic(api, (world.home, one), now, timedelta(days=90))
        weeks = {after - before for before, after in pairwise(quarter.chart.begins)}
        assert weeks == {timedelta(days=7)}
        begins = quarter.chart.begins[0]
        assert begins.weekday() == 0
        assert now - timedelta(days=97) < begins <= now - timedelta(days=89)
        year = await read_traffic(api, (world.home, one), now, timedelta(days=365))
        assert sum(year.chart.views) == 2175
        assert [each.month for each in year.chart.begins] == [3, *range(4, 13), 1, 2, 3]
        assert {each.day for each in year.chart.begins} == {1}

    def odd(answer: Any) -> None:
        [column] = [each for each in answer["columns"] if each["column"] == "page"]
        column["values"][:2] = ["odd", {"page": 5, "space": space}]
        [counts] = [each for each in answer["columns"] if each["column"] == "eventsCount"]
        counts["values"][2] = -3

    async with strange(world, "/aggregate", odd, method="POST") as api:
        assert [*(await read_page_views(api, (world.home, one), now)).values()] == [0]


def test_a_chart_has_some_thirty_bars() -> None:
    days = [interval_of(days) for days in (1, 31, 32, 217, 218)]
    assert days == ["day", "day", "week", "week", "month"]


def test_a_span_is_of_whole_days_and_ends_with_today(world: World) -> None:
    begin, end = bounds(world.clock.now, timedelta(hours=30))
    assert end - begin == timedelta(days=1)
    assert begin.date() == world.clock.now.date()
    assert begin.tzinfo is UTC
    late = world.clock.now.replace(minute=59, second=58, microsecond=57)
    assert bounds(late, timedelta(days=7)) == bounds(world.clock.now, timedelta(days=7))
    begin, end = bounds(world.clock.now, timedelta(days=7))
    assert (end - begin, begin.hour, end.hour) == (timedelta(days=7), 0, 0)


async def test_a_page_is_told_with_its_space_though_the_site_shows_many(world: World) -> None:
    spaces = [world.space(f"Manual {nth}", {"start": "# Start\n"}) for nth in range(60)]

    def write(tx: Tx) -> str:
        site = site_writes.add_site(tx, world.home, "Docs", hostname="docs.test", published=True)
        for nth, space in enumerate(spaces):
            site_writes.add_site_space(tx, site, space, title=f"The manual {nth}")
        return site

    site, last = world.write(write), spaces[-1]
    page, day = world.page_id(last, "start"), world.clock.now.date().isoformat()
    world.write(lambda tx: site_writes.add_events(tx, site, last, page, day, events=3, visitors=2))
    async with world.api() as api:
        found = await read_traffic(api, (world.home, site), world.clock.now, USUAL)
    assert found.pages == (PageViews(last, page, "Start", "start", "The manual 59", 3, 2),)

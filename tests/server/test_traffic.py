"""Traffic of a site over HTTP: counted by columns, for spans, filtered, sorted; and rights."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from copydesk.server import site_writes
from copydesk.server.store import Tx
from tests.world import World

Json = dict[str, Any]

PAGE = {"column": "page"}
VIEWS = {"column": "eventsCount"}


class Read:
    """A site with two sections, whose pages were read in the first days of March."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.start = world.space("Start", {"index": "Hello.\n", "install": "Do.\n"})
        self.staff = world.space("Staff", {"index": "Psst.\n"}, default_level=None)
        pages = {
            "index": world.page_id(self.start, "index"),
            "install": world.page_id(self.start, "install"),
            "staff": world.page_id(self.staff, "index"),
        }
        self.pages = {key: name for name, key in pages.items()}

        def build(tx: Tx) -> tuple[str, str, str]:
            site = site_writes.add_site(tx, world.home, "Docs")
            section = site_writes.add_section(tx, site, "Start")
            shown = site_writes.add_site_space(tx, site, self.start, section=section)
            site_writes.add_site_space(tx, site, self.staff, section=section)
            for space, page, day, events in (
                (self.start, "index", "2026-02-23", 5),
                (self.start, "index", "2026-03-01", 10),
                (self.start, "index", "2026-03-02", 20),
                (self.start, "install", "2026-03-02", 40),
                (self.staff, "staff", "2026-03-01", 100),
            ):
                site_writes.add_events(
                    tx, site, space, pages[page], day, events=events, visitors=events // 5
                )
            site_writes.add_events(
                tx, site, self.start, pages["index"], "2026-03-02",
                type="link_click", events=3, visitors=1,
            )  # fmt: skip
            return site, section, shown

        self.site, self.section, self.shown = world.write(build)

    async def ask(self, client: httpx.AsyncClient, **body: Any) -> httpx.Response:
        url = f"/orgs/{self.world.home}/sites/{self.site}/insights/events/aggregate"
        return await client.post(url, json={"range": "last30Days"} | body)

    async def rows(self, client: httpx.AsyncClient, **body: Any) -> list[tuple[Any, ...]]:
        answer = await self.ask(client, **body)
        assert answer.is_success, answer.text
        columns = answer.json()["columns"]
        found = zip(*(each["values"] for each in columns), strict=True)
        return [
            tuple(self.pages[v["page"]] if isinstance(v, dict) else v for v in row) for row in found
        ]


@pytest.fixture
def read(world: World) -> Read:
    return Read(world)


async def test_events_are_counted_by_columns_the_most_first(read: Read) -> None:
    async with read.world.client() as client:
        assert await read.rows(client, groupBy=[PAGE]) == [
            ("staff", 100), ("install", 40), ("index", 38),
        ]  # fmt: skip
        assert await read.rows(client) == [(178,)]
        both = [{"column": "eventType"}, {"column": "visitorsCount"}]
        assert await read.rows(client, select=both) == [("page_view", 35), ("link_click", 1)]
        days = [{"column": "datetime", "interval": "week"}, {"column": "sessionsCount"}]
        assert await read.rows(client, select=days, groupBy=days[:1]) == [
            ("2026-02-23T00:00:00Z", 23), ("2026-03-02T00:00:00Z", 13),
        ]  # fmt: skip
        month = [{"column": "datetime", "interval": "month"}, {"column": "siteSection"}]
        assert await read.rows(client, groupBy=month) == [
            ("2026-02-01T00:00:00Z", read.section, 5), ("2026-03-01T00:00:00Z", read.section, 173),
        ]  # fmt: skip
        weekday = [{"column": "dayOfWeek"}]
        assert await read.rows(client, groupBy=weekday) == [(7, 110), (1, 68)]


async def test_spans_filters_order_and_limit(read: Read) -> None:
    def only(column: str, *values: Any, operator: str = "in") -> Json:
        return {"where": [{"column": column, "values": list(values), "operator": operator}]}

    index = next(key for key, name in read.pages.items() if name == "index")
    of_index = {"page": index, "space": read.start}
    march = "2026-03-01T12:00:00Z"
    async with read.world.client() as client:
        for asked, total in (
            ({"range": "last24Hours"}, 63),
            ({"range": "last7Days"}, 173),
            ({"range": "lastYear"}, 178),
            ({"range": {"from": "2026-02-01T00:00:00Z", "to": "2026-03-01T00:00:00Z"}}, 5),
            ({"range": {"from": march, "to": "2026-03-01T13:00:00Z"}}, 110),
            (only("eventType", "link_click"), 3),
            (only("eventType", "link_click", operator="notIn"), 175),
            (only("page", of_index), 38),
            (only("siteSpace", read.shown), 78),
            (only("siteSection", None), None),
            (only("datetime", march, operator="lessThan"), 5),
            (only("dayOfWeek", 1, operator="greaterThan"), 110),
        ):
            found = await read.rows(client, **asked)
            assert found == ([] if total is None else [(total,)]), asked
        most = only("eventsCount", 39, operator="greaterThan")
        assert await read.rows(client, groupBy=[PAGE], **most) == [("staff", 100), ("install", 40)]
        order = {"by": VIEWS, "direction": "asc"}
        assert await read.rows(client, groupBy=[PAGE], order=order, limit=1) == [("index", 38)]


async def test_what_the_desk_does_not_count_is_refused_and_not_made_up(read: Read) -> None:
    async with read.world.client() as client:
        for body in (
            {"groupBy": [{"column": "visitorBrowser"}]},
            {"groupBy": [{"column": "visitorClaim", "claim": "plan"}]},
            {"groupBy": [{"column": "datetime", "interval": "hour"}]},
            {"groupBy": [{"column": "colour"}]},
            {"where": [{"column": "utmSource", "values": ["x"]}]},
            {"where": [{"column": "datetime", "values": ["noon"]}]},
            {"where": [{"column": "eventType", "values": [{}]}]},
            {"where": [{"column": "eventsCount", "values": [1, 2], "operator": "lessThan"}]},
            {"limit": 1001},
            {"range": "everything"},
            {"range": {"from": "2026-03-02T00:00:00Z", "to": "2026-03-01T00:00:00Z"}},
        ):
            assert (await read.ask(client, **body)).status_code == 400, body
        said = (await read.ask(client, groupBy=[{"column": "visitorBrowser"}])).json()
    assert "visitorBrowser: this desk does not count by it" in said["error"]["message"]


async def test_pages_of_spaces_that_one_may_not_see_are_not_counted(read: Read) -> None:
    reader = read.world.user("rea", "read")
    stranger = read.world.user("sam", member=False)
    async with read.world.client(reader) as client, read.world.client(stranger) as other:
        assert await read.rows(client, groupBy=[PAGE]) == [("install", 40), ("index", 38)]
        assert (await read.ask(other)).status_code == 404

"""Reading how often the pages of a site are viewed.

A span ends with today, in whole days, so that the same is asked all day and is known meanwhile.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import instant
from copydesk.domain.text import clean
from copydesk.domain.trend import sane
from copydesk.session.errors import failure_types
from copydesk.session.operations import ops
from copydesk.session.page_rows import page_rows
from copydesk.session.reads.pages import walk

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.traffic import EventsAggregate, Interval

USUAL = timedelta(weeks=4)
"""The span that is shown unless another is asked for."""

MOST_SPACES = 40
"""Of how many spaces the titles of pages are read; others show as their ids."""

MOST_SITES = 12
"""Of how many sites the views are counted beside other things: a request each."""

MOST_PAGES = 1000
"""How many pages are counted: those with the most views."""


@dataclass(frozen=True, slots=True)
class PageViews:
    """How often a page was viewed in a span, and by how many visitors; texts are clean.

    ``where`` is the title of its space on the site.
    """

    space: str
    page: str
    title: str
    path: str
    where: str
    views: int
    visitors: int

    @property
    def id(self) -> str:
        """The id of its row."""
        return f"{self.space} {self.page}"


@dataclass(frozen=True, slots=True)
class Chart:
    """Views by the intervals of a span, the oldest first; gaps are zeros."""

    interval: Interval
    begins: tuple[datetime, ...]
    views: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Traffic:
    """The traffic of a site in a span of ``days``: its most viewed pages, and a chart."""

    days: int
    pages: tuple[PageViews, ...]
    chart: Chart


def bounds(now: datetime, length: timedelta) -> tuple[datetime, datetime]:
    """Return the first moment of a span of whole days that ends with today, and the one after."""
    today = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    end = today + timedelta(days=1)
    return end - timedelta(days=max(1, round(length / timedelta(days=1)))), end


def interval_of(days: int) -> Interval:
    """Return the interval with which a chart of so many days has some 30 bars at most."""
    return "day" if days <= 31 else "week" if days <= 31 * 7 else "month"


async def read_traffic(api: Api, ids: tuple[str, str], now: datetime, length: timedelta) -> Traffic:
    """Return the traffic of a site by page. Raises ``ApiError``."""
    begin, end = bounds(now, length)
    days = (end - begin).days
    by_page, chart, titles = await asyncio.gather(
        count(api, ids, (begin, end), ["page"], ["eventsCount", "visitorsCount"]),
        read_chart(api, ids, now, length),
        _titles(api, ids),
    )
    found = _rows(by_page)
    spaces = list(dict.fromkeys(row["page"]["space"] for row in found))[:MOST_SPACES]
    names = dict(zip(spaces, await asyncio.gather(*(_names(api, s) for s in spaces)), strict=True))
    pages = []
    for row in found:
        space, page = str(row["page"]["space"]), str(row["page"]["page"])
        title, path = names.get(space, {}).get(page, ("", ""))
        pages.append(
            PageViews(
                space, page, title or clean(f"page {page}"), path, titles.get(space, ""),
                _whole(row.get("eventsCount")), _whole(row.get("visitorsCount")),
            )
        )  # fmt: skip
    return Traffic(days, tuple(pages), chart)


async def read_chart(
    api: Api,
    ids: tuple[str, str],
    now: datetime,
    length: timedelta,
    page: tuple[str, str] | None = None,
) -> Chart:
    """Return the views of a site by day, week or month, or of one page (space, page).

    Raises ``ApiError``.
    """
    begin, end = bounds(now, length)
    interval = interval_of((end - begin).days)
    only = [] if page is None else [_of_page(*page)]
    found = await count(
        api, ids, (begin, end), [f"datetime {interval}"], ["eventsCount"], where=only
    )
    views = {
        at: _whole(row.get("eventsCount"))
        for row in _rows(found, "datetime")
        if (at := instant(str(row["datetime"]))) is not None
    }
    begins = _begins(begin, end, interval)
    return Chart(interval, begins, tuple(views.get(at, 0) for at in begins))


async def read_views(api: Api, organization: str, now: datetime, space: str) -> dict[str, int]:
    """Return how often each page of a space was viewed in the usual span, on all sites.

    Only the first sites that are published are asked. Raises ``ApiError``.
    """
    sites = await api.page(ops.list_sites, organization, limit=MOST_SITES, published=True)
    found = await asyncio.gather(
        *(read_page_views(api, (organization, each.id), now) for each in sites.items[:MOST_SITES])
    )
    views: Counter[str] = Counter()
    for (there, page), often in (pair for each in found for pair in each.items()):
        if there == space:
            views[page] += often
    return dict(views)


async def read_page_views(
    api: Api, ids: tuple[str, str], now: datetime
) -> dict[tuple[str, str], int]:
    """Return how often each page (space, page) of a site was viewed in the usual span.

    Raises ``ApiError``.
    """
    found = await count(api, ids, bounds(now, USUAL), ["page"], ["eventsCount"])
    views: Counter[tuple[str, str]] = Counter()
    for row in _rows(found):
        views[row["page"]["space"], row["page"]["page"]] += _whole(row.get("eventsCount"))
    return dict(views)


async def read_site_views(
    api: Api, organization: str, now: datetime, sites: Sequence[str]
) -> dict[str, int]:
    """Return how often the pages of some sites were viewed in the usual span.

    Of many only the first. Raises ``ApiError``.
    """
    some, span = sites[:MOST_SITES], bounds(now, USUAL)
    found = await asyncio.gather(
        *(count(api, (organization, each), span, [], ["eventsCount"]) for each in some)
    )
    return {
        site: sum(_whole(value) for column in each.columns for value in column.values)
        for site, each in zip(some, found, strict=True)
    }


async def count(
    api: Api,
    ids: tuple[str, str],
    span: tuple[datetime, datetime],
    groups: Sequence[str],
    counts: Sequence[str],
    where: Sequence[Mapping[str, Any]] = (),
) -> EventsAggregate:
    """Ask for the views of pages by some columns ("datetime week"). Raises ``ApiError``."""
    from copydesk.contract.models.traffic import EventsAggregation

    columns = [_column(each) for each in groups]
    views = {"column": "eventType", "values": ["page_view"], "operator": "in"}
    body = {
        "select": [*columns, *({"column": name} for name in counts)],
        "groupBy": columns,
        "where": [views, *where],
        "range": {"from": span[0], "to": span[1]},
        "limit": MOST_PAGES,
    }
    if groups == ["page"]:
        body["order"] = {"by": {"column": "eventsCount"}, "direction": "desc"}
    return await api(ops.aggregate_site_events, *ids, EventsAggregation.model_validate(body))


def _column(name: str) -> dict[str, str]:
    column, _, interval = name.partition(" ")
    return {"column": column, "interval": interval} if interval else {"column": column}


def _of_page(space: str, page: str) -> dict[str, Any]:
    return {"column": "page", "values": [{"page": page, "space": space}], "operator": "in"}


def _rows(found: EventsAggregate, group: str = "page") -> list[dict[str, Any]]:
    """Return the rows of an answer that say what they are about; columns may differ in length."""
    columns = {each.column: each.values for each in found.columns}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=False)]
    if group != "page":
        return [row for row in rows if row.get(group) is not None]
    return [
        row
        for row in rows
        if isinstance(row.get("page"), dict)
        and isinstance(row["page"].get("page"), str)
        and isinstance(row["page"].get("space"), str)
    ]


def _whole(value: object) -> int:
    return int(sane(value)) if isinstance(value, int | float) else 0


def _begins(begin: datetime, end: datetime, interval: Interval) -> tuple[datetime, ...]:
    at = begin
    if interval == "week":
        at -= timedelta(days=at.weekday())
    elif interval == "month":
        at = at.replace(day=1)
    found = []
    while at < end:
        found.append(at)
        if interval == "month":
            at = (at + timedelta(days=31)).replace(day=1)
        else:
            at += timedelta(days=7 if interval == "week" else 1)
    return tuple(found)


async def _titles(api: Api, ids: tuple[str, str]) -> dict[str, str]:
    """Return the titles of the first spaces of a site. Raises ``ApiError``."""
    page = await api.page(ops.list_site_spaces, *ids, limit=250)
    return {each.space.id: clean(each.title or each.space.title) for each in page.items}


async def _names(api: Api, space: str) -> dict[str, tuple[str, str]]:
    """Return the title and the path of each page of a space; none where it cannot be read."""
    try:
        tree = await api(ops.list_space_pages, space, metadata=False, computed=False)
    except failure_types():
        return {}
    rows = await asyncio.to_thread(page_rows, tree.pages)
    return {row.id: (row.title, row.path) for row in walk(rows)}

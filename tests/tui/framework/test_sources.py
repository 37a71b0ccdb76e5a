"""Rows that are paged, refreshed and filtered without moving under the cursor."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from copydesk.client.errors import Unreachable
from copydesk.tui.framework.paged_source import PagedSource
from copydesk.tui.framework.source import Change, FilteredSource, ListSource, TreeSource


@dataclass(frozen=True)
class Row:
    id: str
    title: str


class Pages:
    """Rows served page by page, as the API does."""

    def __init__(self, count: int, *, total: bool = True) -> None:
        self.rows = [Row(str(i), f"row {i}") for i in range(count)]
        self.total = total
        self.asked: list[str | None] = []
        self.limits: list[int] = []
        self.failure: Exception | None = None
        self.gate: asyncio.Event | None = None

    async def fetch(
        self, token: str | None, limit: int
    ) -> tuple[Sequence[Row], str | None, int | None]:
        self.asked.append(token)
        self.limits.append(limit)
        if self.gate is not None:
            await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        start = int(token or 0)
        end = start + limit
        following = str(end) if end < len(self.rows) else None
        return self.rows[start:end], following, len(self.rows) if self.total else None


def source_of(pages: Pages, limit: int = 10, keep: int = 40) -> PagedSource[Row]:
    return PagedSource(pages.fetch, key=lambda row: row.id, limit=limit, keep=keep)


async def settle(source: PagedSource[Row]) -> None:
    while source.running is not None:
        await asyncio.wait([source.running])


async def test_pages_load_as_the_window_nears_the_end() -> None:
    pages = Pages(200)
    source = source_of(pages)
    source.want(0, 10)
    await settle(source)
    assert 30 <= source.loaded <= 50
    assert (source.count, source.length) == (200, 200)
    assert source.row(100) is None
    source.want(90, 100)
    await settle(source)
    assert source.row(100) == Row("100", "row 100")
    assert len(pages.asked) == len(set(pages.asked))


@pytest.mark.parametrize("begins", ["before", "after"])
async def test_a_first_page_is_read_though_the_read_that_waited_for_it_gave_way_to_another(
    begins: str,
) -> None:
    pages = Pages(30)
    pages.gate = asyncio.Event()
    source = source_of(pages)
    source.want(0, 10)
    older = asyncio.create_task(source.refresh())
    await asyncio.sleep(0)
    if begins == "after":
        older.cancel()
    newer = asyncio.create_task(source.refresh())
    if begins == "before":
        await asyncio.sleep(0)
        older.cancel()
    pages.gate.set()
    await asyncio.wait([older, newer])
    await settle(source)
    assert (older.cancelled(), newer.exception(), source.loaded) == (True, None, 30)


async def test_a_first_page_that_nobody_waits_for_any_more_is_not_read_on() -> None:
    pages = Pages(30)
    pages.gate = asyncio.Event()
    source = source_of(pages)
    source.want(0, 10)
    only = asyncio.create_task(source.refresh())
    await asyncio.sleep(0)
    only.cancel()
    await asyncio.wait([only])
    assert source.running is None
    assert not source.loaded


async def test_without_a_total_one_more_line_is_shown_until_the_end() -> None:
    source = source_of(Pages(15, total=False))
    source.want(0, 5)
    await settle(source)
    assert source.complete
    assert (source.count, source.length) == (15, 15)


async def test_to_the_end_and_stopped_on_the_way() -> None:
    pages = Pages(5000)
    source = source_of(pages)
    source.want(0, 10)
    await settle(source)
    source.want_all()
    source.cancel()
    await settle(source)
    assert source.loaded < 100
    source.want_all()
    begun = len(pages.asked)
    await settle(source)
    assert source.complete
    assert len(pages.asked) - begun < 5000 / 40
    # What was dropped comes back in pages of the sizes that it was read in.
    for top in (2000, 0, 4980):
        source.want(top, top + 10)
        await settle(source)
        assert [source.row(at) for at in (top, top + 9)] == [pages.rows[top], pages.rows[top + 9]]
        assert sum(source.row(at) is not None for at in range(5000)) <= 450
    assert set(pages.limits) == {10, 50}


class BothWays(Pages):
    """Rows that are served in the opposite order as well; a service may take no notice of that."""

    def __init__(self, count: int, *, heeds: bool = True) -> None:
        super().__init__(count)
        self.heeds = heeds
        self.asked_back: list[str | None] = []

    async def reverse(
        self, token: str | None, limit: int
    ) -> tuple[Sequence[Row], str | None, int | None]:
        self.asked_back.append(token)
        rows = self.rows[::-1] if self.heeds else self.rows
        end = int(token or 0) + limit
        following = str(end) if end < len(rows) else None
        return rows[int(token or 0) : end], following, len(rows)

    def source(self) -> PagedSource[Row]:
        return PagedSource(self.fetch, key=lambda row: row.id, limit=10, reverse=self.reverse)


async def test_the_end_is_read_from_there_and_what_is_above_it_too() -> None:
    pages = BothWays(5000)
    source = pages.source()
    source.want(0, 10)
    await settle(source)
    begun = len(pages.asked)
    assert source.ends_at_once
    source.want(4990, 5000)
    await settle(source)
    assert (len(pages.asked), source.row(4999)) == (begun, Row("4999", "row 4999"))
    assert source.row(4970) == Row("4970", "row 4970")
    assert source.index_of("4999") == 4999
    assert source.index_of("4000") is None
    assert len(pages.asked_back) <= 4
    source.want(4960, 4970)
    await settle(source)
    assert source.row(4950) == Row("4950", "row 4950")
    # Something new above moves all of it down, and a refresh tells so.
    pages.rows.insert(0, Row("new", "new"))
    await source.refresh()
    source.fold()
    await settle(source)
    assert [source.index_of(each) for each in ("new", "4999")] == [0, 5000]
    # What needs all rows reads them from the top, and then knows one list.
    source.hold(True)
    source.want_all()
    await settle(source)
    assert source.complete
    assert [row.id for row in source.shown()] == [row.id for row in pages.rows]


async def test_a_way_up_from_the_end_meets_what_was_read_from_the_top() -> None:
    pages = BothWays(200)
    source = pages.source()
    source.want(0, 10)
    await settle(source)
    for top in range(190, -1, -10):
        source.want(top, top + 10)
        await settle(source)
        assert source.row(top) == pages.rows[top]
    assert [source.row(at) for at in range(200)] == pages.rows
    assert len(pages.asked) + len(pages.asked_back) <= 22


async def test_a_service_that_takes_no_notice_of_the_order_is_read_from_the_top() -> None:
    pages = BothWays(300, heeds=False)
    source = pages.source()
    source.want(0, 10)
    await settle(source)
    source.want(290, 300)
    await settle(source)
    assert not source.ends_at_once
    assert [source.row(at) for at in range(290, 300)] == pages.rows[290:]


@pytest.mark.parametrize("heeds", [True, False])
async def test_a_last_page_that_meets_the_first_one_has_the_last_rows(heeds: bool) -> None:
    for count in range(100, 300, 10):
        pages = BothWays(count, heeds=heeds)
        source = PagedSource(pages.fetch, key=lambda row: row.id, reverse=pages.reverse)
        source.want(0, 5)
        await settle(source)
        source.want(count - 5, count)
        await settle(source)
        assert [source.row(at) for at in range(count - 5, count)] == pages.rows[-5:]


async def test_far_pages_are_dropped_and_read_again() -> None:
    pages = Pages(1000)
    source = source_of(pages, keep=5)
    source.want(0, 10)
    source.want_all()
    await settle(source)
    assert source.index_of("999") is None
    source.want(990, 999)
    await settle(source)
    assert source.row(995) == Row("995", "row 995")
    assert source.row(0) is None
    source.want(0, 10)
    await settle(source)
    assert source.row(0) == Row("0", "row 0")
    assert source.index_of("5") == 5


async def test_an_error_is_kept_and_retried() -> None:
    pages = Pages(30)
    pages.failure = Unreachable("No answer.")
    source = source_of(pages)
    source.want(0, 10)
    await settle(source)
    assert "Offline" in source.error
    source.want(0, 10)
    assert source.running is None
    pages.failure = None
    source.retry()
    await settle(source)
    assert source.loaded == 30
    assert source.error == ""


async def test_a_refresh_changes_in_place_and_lets_the_new_wait() -> None:
    pages = Pages(25)
    source = source_of(pages)
    source.want(0, 10)
    await settle(source)
    pages.rows[3] = Row("3", "renamed")
    pages.rows.insert(0, Row("new", "new one"))
    await source.refresh()
    assert source.row(3) == Row("3", "renamed")
    assert source.index_of("new") is None
    assert source.waiting == 1
    assert source.fresh == {"3"}
    source.fold()
    await settle(source)
    assert source.index_of("new") == 0
    assert source.index_of("3") == 4
    assert source.waiting == 0
    assert source.fresh == {"3", "new"}


async def test_a_filter_looks_at_every_page() -> None:
    pages = Pages(500)
    source = source_of(pages, keep=5)
    filtered = FilteredSource(source)
    changes: list[Change] = []
    filtered.subscribe(changes.append)
    filtered.want(0, 10)
    await settle(source)
    filtered.where(lambda row: row.id.endswith("99"), "99")
    await settle(source)
    while filtered.running is not None:
        await asyncio.wait([filtered.running])
    assert [row.id for row in filtered.shown()] == ["99", "199", "299", "399", "499"]
    assert filtered.says == "5 of 500 match"
    assert "grown" in changes
    filtered.where(None)
    assert filtered.length == 500


def test_a_list_merges_by_id() -> None:
    source = ListSource([Row("a", "1"), Row("b", "2")], key=lambda row: row.id)
    source.merge([Row("c", "3"), Row("a", "changed"), Row("b", "2")])
    assert [row.id for row in source.shown()] == ["a", "b"]
    assert source.row(0) == Row("a", "changed")
    assert source.waiting == 1
    source.fold()
    assert [row.id for row in source.shown()] == ["c", "a", "b"]
    source.update(Row("b", "again"))
    assert [row.title for row in source.shown()] == ["3", "changed", "again"]


@dataclass(frozen=True)
class Leaf:
    id: str
    below: tuple[Leaf, ...] = ()


FOREST = (Leaf("guides", (Leaf("start"), Leaf("auth", (Leaf("oauth"),)))), Leaf("legal"))


def tree_of(roots: Sequence[Leaf]) -> TreeSource[Leaf]:
    tree: TreeSource[Leaf] = TreeSource(key=lambda leaf: leaf.id, children=lambda leaf: leaf.below)
    tree.set_roots(roots)
    return tree


def ids(tree: TreeSource[Leaf]) -> list[str]:
    return [twig.id for twig in tree.shown()]


def test_a_tree_unfolds_folds_and_reveals() -> None:
    tree = tree_of(FOREST)
    assert ids(tree) == ["guides", "legal"]
    tree.unfold("guides")
    assert ids(tree) == ["guides", "start", "auth", "legal"]
    tree.unfold("auth")
    tree.collapse("guides")
    assert ids(tree) == ["guides", "legal"]
    assert tree.reveal("oauth")
    assert ids(tree) == ["guides", "start", "auth", "oauth", "legal"]
    assert not tree.reveal("nowhere")


def test_a_branch_stays_while_something_below_it_matches() -> None:
    tree = tree_of(FOREST)
    tree.where(lambda leaf: leaf.id == "oauth", "oauth")
    assert ids(tree) == ["guides", "auth", "oauth"]
    assert tree.matches == 1
    tree.where(None)
    assert ids(tree) == ["guides", "legal"]


def test_a_refreshed_tree_waits_to_be_folded_in() -> None:
    tree = tree_of(FOREST)
    tree.merge_roots((Leaf("new"), *FOREST))
    assert ids(tree) == ["guides", "legal"]
    assert tree.waiting == 1
    tree.fold()
    assert ids(tree) == ["new", "guides", "legal"]


def test_a_tree_of_many_and_of_deep_nodes() -> None:
    deep = Leaf("0")
    for level in range(1, 3000):
        deep = Leaf(str(level), (deep,))
    tree = tree_of((deep,))
    tree.expand_all()
    assert tree.loaded == 3000
    tree.expand_all(unfolded=False)
    assert tree.loaded == 1

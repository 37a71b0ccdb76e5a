"""Clusters and their issues: how far the search is, what one is called, whose issues are read."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any, cast

import pytest

from copydesk.client.api import Api
from copydesk.client.errors import Forbidden, OperationMissing
from copydesk.contract import operations as ops
from copydesk.contract.models.base import Next, Page
from copydesk.contract.models.change_request import ChangeRequest
from copydesk.server.store import Tx
from copydesk.session.reads import clusters
from copydesk.session.reads.clusters import (
    Analysis,
    count_requests,
    find_requests,
    find_said,
    read_all,
    read_analysis,
    read_every_issue,
    read_issues,
    read_label,
    read_page,
    read_readiness,
    read_suggestions,
)
from tests.session.reads.test_site_reads import Sites
from tests.session.reads.told import Lacking
from tests.tui.strange import strange
from tests.world import START, World


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (Analysis("unavailable", 3, 0), ""),
        (Analysis("idle", 0, 9), ""),
        (Analysis("waiting", 1_200, 0), "1,200 to analyse, once no more come"),
        (Analysis("running", 1_000, 234), "analysing 234 of 1,234"),
    ],
)
def test_how_far_the_search_is_is_said_while_it_is_under_way(found: Analysis, said: str) -> None:
    assert found.said == said


async def test_only_the_issues_that_are_asked_for_are_read(world: World) -> None:
    desk = Sites(world)
    first, second, empty = desk.labels
    async with world.api() as api:
        found = {
            cluster: [x.title for x in await read_every_issue(api, world.home, None, **limits)]
            for cluster, limits in (
                (first, {"cluster": first}), (second, {"cluster": second}),
                (empty, {"cluster": empty}), ("", {}),
            )
        }  # fmt: skip
        assert {key: sorted(titles) for key, titles in found.items()} == {
            first: ["Issue 0", "Issue 1", "Issue 2"],
            second: ["Issue 3"],
            empty: [],
            "": [f"Issue {nth}" for nth in range(5)],
        }
        begin = START - timedelta(days=10)
        since = await read_every_issue(api, world.home, begin, cluster=first)
        assert sorted(issue.title for issue in since) == ["Issue 0", "Issue 1"]
        rows, token, count = await read_issues(api, world.home, None, 2, cluster=first)
        assert (len(rows), count) == (2, 3)
        more, token, _ = await read_issues(api, world.home, token, 2, cluster=first)
        assert (len(more), token) == (1, None)
        analysis = await read_analysis(api, world.home)
        assert analysis.done + analysis.waiting == 5


async def test_a_cluster_is_called_by_its_label_or_by_what_is_known_of_it(world: World) -> None:
    desk = Sites(world)
    async with world.api() as api:
        said = [await read_label(api, world.home, each) for each in (*desk.labels, "gone")]
    assert said[0] == "OAuth fails"
    assert "kim@" not in said[1]
    assert said[2:] == ["Nothing", "one that is gone, or that you may not see"]

    def bare(value: Any) -> None:
        value["label"] = " \x07"

    async with strange(world, desk.labels[0], bare) as api:
        assert await read_label(api, world.home, desk.labels[0]) == "one without a name"


def _answers(request: str, cluster: str, tx: Tx) -> None:
    tx.update("change_request", request, cluster_id=cluster)


async def test_the_requests_of_each_cluster_are_counted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Sites(world)
    first, second, _ = desk.labels
    for nth in range(11):
        request = world.change_request(desk.fees, {"a": f"# {nth}\n"})
        world.write(partial(_answers, request, first))
    counted: dict[str, str] = {}
    async with world.api() as api:
        await count_requests(api, world.home, [first, second], counted.__setitem__)
        monkeypatch.setattr(clusters, "PAGE", 4)
        assert await clusters.find_taken(api, world.home, 3) == {first}
        assert await clusters.find_taken(api, world.home, 2) is None
    assert counted == {first: "11", second: "0"}


async def test_what_of_clusters_may_not_be_read_is_left_out(world: World) -> None:
    desk = Sites(world)
    first, *_ = desk.labels
    request = world.change_request(desk.fees, {"a": "# A\n"})
    world.write(partial(_answers, request, first))
    counted: dict[str, str] = {}
    requests = ops.list_organization_change_requests
    async with world.api() as api:
        bare = Lacking(api, requests, error=Forbidden).api
        await count_requests(bare, world.home, [first], counted.__setitem__)
        assert counted == {first: "-"}
        found = await find_requests(api, world.home, first)
        assert ([each.id for each in found.requests], found.opened, found.more) == (
            [request], "1", "",
        )  # fmt: skip
        for lacks in (desk.fees, ops.list_change_request_reviews):
            bare = Lacking(api, lacks, error=Forbidden).api
            [row] = await read_readiness(bare, found.requests, ())
            assert (row.number, row.subject) == (1, "A change")
            assert row.ready is not None
            assert row.ready.why == "its rules are not known"
        assert await read_label(Lacking(api, first, error=Forbidden).api, world.home, first) == (
            "one that is gone, or that you may not see"
        )


async def test_a_cluster_is_named_from_the_list_where_none_is_read_by_itself(world: World) -> None:
    desk = Sites(world)
    first, *_ = desk.labels
    one, every = ops.get_issues_cluster, ops.list_issues_clusters
    async with world.api() as api:
        bare = Lacking(api, one, error=OperationMissing).api
        assert await read_label(bare, world.home, first) == "OAuth fails"
        assert await read_label(bare, world.home, "gone") == "one without a name"
        bare = Lacking(api, one, every, error=OperationMissing).api
        assert await read_label(bare, world.home, first) == "It is gone."


async def test_clusters_and_their_conversations_are_found_by_what_was_said(world: World) -> None:
    desk = Sites(world)
    first, *_ = desk.labels
    async with world.api() as api:
        every = await read_all(api, world.home, "issues")
        assert {row.id for row in every} == {*desk.labels}
        found = await read_all(api, world.home, "issues", {"query": "Words 0"})
        assert first in [row.id for row in found]
        assert len(found) < len(every)
        said = await find_said(api, world.home, first, {"query": "Words 0"})
        assert [*said.values()] == ["0"]


async def test_clusters_and_what_is_suggested_for_them_are_read_page_by_page(world: World) -> None:
    desk = Sites(world)
    given: list[dict[str, Any]] = []

    class Paged:
        async def page(self, *_: object, **query: Any) -> Page[Any]:
            given.append(query)
            return Page[Any](items=[], next=Next(page="3"), count=7)

    async with world.api() as api:
        rows, token, count = await read_page(api, world.home, "issues", None, 2)
        assert (len(rows), count) == (2, 3)
        last, end, _ = await read_page(api, world.home, "issues", token, 2)
        assert ([row.id in desk.labels for row in last], end) == ([True], None)
        turned, _, _ = await read_page(api, world.home, "issues", None, 3, backwards=True)
        assert [row.id for row in turned] == [row.id for row in [*rows, *last]][::-1]
    assert await read_suggestions(cast("Api", Paged()), "o", "c", "2", 5) == ([], "3", 7)
    assert given == [{"page": "2", "limit": 5}]


def test_more_requests_than_are_listed_are_counted_as_far_as_they_are() -> None:
    page = Page[ChangeRequest]
    at = {"space": "s", "createdAt": START, "updatedAt": START}
    some = [ChangeRequest.model_validate({"id": each, "number": 1, **at}) for each in "ab"]
    assert clusters._counted(page(items=some, count=7)) == "7"
    assert clusters._counted(page(items=some, next=Next(page="2"))) == "2+"
    assert clusters._counted(page(items=some)) == "2"

"""Long lists: none reads the whole to find a few, or asks again for each of its rows."""

from __future__ import annotations

from functools import partial

import pytest

from copydesk.server import site_seed
from copydesk.server.store import Tx
from tests.world import World


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ({}, "change_request_organization (organization_id=? AND status=?)"),
        ({"creator": "ana"}, "change_request_creator (created_by=? AND organization_id=?"),
        ({"conversationsIssuesCluster": "x"}, "change_request_cluster (cluster_id=?"),
        ({"contributor": "ana"}, "PRIMARY KEY (id=?)"),
        ({"requestedReviewer": "ana"}, "PRIMARY KEY (id=?)"),
    ],
)
async def test_a_list_of_change_requests_begins_at_what_it_asks_for(
    world: World, query: dict[str, str], index: str
) -> None:
    space = world.space("Handbook", {"intro": "One.\n"})
    world.change_request(space, {"intro": "Two.\n"})
    world.space("Hidden", default_level=None)
    reader = world.user("bo")
    given = {name: world.ana if value == "ana" else value for name, value in query.items()}
    connection = world.store.read(lambda tx: tx.connection)
    said: list[str] = []
    async with world.client(reader) as client:
        connection.set_trace_callback(said.append)
        answer = await client.get(f"/orgs/{world.home}/change-requests", params=given)
        connection.set_trace_callback(None)
    assert answer.status_code == 200
    lists = [sql for sql in said if "FROM change_request WHERE" in sql]
    assert len(lists) == (2 if query else 1)  # without a filter the count is kept
    for sql in lists:
        plan = [row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
        assert any(index in step for step in plan), (sql, plan)
        if "count(*)" in sql and index.startswith("change_request_"):
            assert any("COVERING" in step for step in plan), plan


async def test_what_a_site_shows_costs_as_many_statements_however_much_that_is(
    world: World,
) -> None:
    spaces = [world.space(f"Space {number}") for number in range(3)]

    def build(tx: Tx, count: int) -> str:
        site = site_seed.add_site(tx, world.home, "Docs", hostname="a.test", published=True)
        for number in range(count):
            section = site_seed.add_section(tx, site, f"Section {number}")
            for space in spaces[: 2 + number % 2]:
                site_seed.add_site_space(tx, site, space, section=section)
        return site

    sites = [world.write(partial(build, count=count)) for count in (4, 24)]
    reader = world.user("bo")
    connection = world.store.read(lambda tx: tx.connection)
    async with world.client(reader) as client:
        for rest in ("sections", "site-spaces", "published"):
            counts = []
            for site in sites:
                said: list[str] = []
                connection.set_trace_callback(said.append)
                answer = await client.get(f"/orgs/{world.home}/sites/{site}/{rest}")
                connection.set_trace_callback(None)
                assert answer.status_code == 200
                counts.append(len(said))
            assert counts[0] == counts[1] < 30, (rest, counts)

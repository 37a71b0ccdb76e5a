"""Long lists: no filter of change requests reads the whole list to find a few."""

from __future__ import annotations

import pytest

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

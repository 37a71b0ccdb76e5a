"""Long lists: none reads the whole to find a few, or asks again for each of its rows."""

from __future__ import annotations

from functools import partial

import pytest

from copydesk.server import site_writes
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
    async with world.client(reader) as client:
        with world.statements() as said:
            answer = await client.get(f"/orgs/{world.home}/change-requests", params=given)
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
        site = site_writes.add_site(tx, world.home, "Docs", hostname="a.test", published=True)
        for number in range(count):
            section = site_writes.add_section(tx, site, f"Section {number}")
            for space in spaces[: 2 + number % 2]:
                site_writes.add_site_space(tx, site, space, section=section)
        return site

    sites = [world.write(partial(build, count=count)) for count in (4, 24)]
    reader = world.user("bo")
    async with world.client(reader) as client:
        for rest in ("sections", "site-spaces", "published"):
            counts = []
            for site in sites:
                with world.statements() as said:
                    answer = await client.get(f"/orgs/{world.home}/sites/{site}/{rest}")
                assert answer.status_code == 200
                counts.append(len(said))
            assert counts[0] == counts[1] < 30, (rest, counts)


@pytest.mark.parametrize(
    "query",
    [{}, {"status": "resolved"}, {"targetPage": "x"}, {"authors": "ana"}, {"order": "asc"}],
)
@pytest.mark.parametrize("on_change_request", [True, False])
async def test_a_page_of_comments_reads_no_comment_that_is_not_on_it(
    world: World, query: dict[str, str], on_change_request: bool
) -> None:
    space = world.space("Handbook", {"intro": "One.\n"})
    key = world.change_request(space, {"intro": "Two.\n"})
    path = f"/spaces/{space}" + (f"/change-requests/{key}" if on_change_request else "")
    connection = world.store.read(lambda tx: tx.connection)
    async with world.client() as client:
        with world.statements() as said:
            answer = await client.get(f"{path}/comments", params=query)
    assert answer.status_code == 200
    lists = [sql for sql in said if "FROM comment WHERE" in sql]
    assert len(lists) == 2
    for sql in lists:
        plan = [row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
        assert any("USING COVERING INDEX comment_" in step for step in plan), (sql, plan)


async def test_open_comments_are_counted_as_they_come_and_go(world: World) -> None:
    space = world.space("Handbook", {"intro": "One.\n"})
    key = world.change_request(space, {"intro": "Two.\n"})
    text = {"body": {"markdown": "Why?"}}
    for path in (f"/spaces/{space}/comments", f"/spaces/{space}/change-requests/{key}/comments"):
        async with world.client() as client:
            made = [(await client.post(path, json=text)).json()["id"] for _ in range(4)]
            await client.put(f"{path}/{made[0]}", json={"resolved": True})
            await client.put(f"{path}/{made[1]}", json={"resolved": True})
            await client.put(f"{path}/{made[1]}", json={"resolved": False})
            await client.delete(f"{path}/{made[2]}")
            for status, count in (("open", 2), ("resolved", 1), ("all", 3)):
                found = (await client.get(path, params={"status": status})).json()
                assert found["count"] == len(found["items"]) == count


async def test_issues_of_a_cluster_are_found_without_those_of_others(world: World) -> None:
    connection = world.store.read(lambda tx: tx.connection)
    async with world.client() as client:
        with world.statements() as said:
            path = f"/orgs/{world.home}/conversations-issues"
            answer = await client.get(path, params={"cluster": "x"})
    assert answer.status_code == 200, answer.text
    lists = [sql for sql in said if "FROM issue WHERE" in sql]
    assert len(lists) == 2
    for sql in lists:
        plan = [row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
        assert any("issue_cluster (cluster_id=?)" in step for step in plan), (sql, plan)


async def test_people_of_a_page_of_comments_are_read_at_once(world: World) -> None:
    space = world.space("Handbook", {"intro": "One.\n"})
    writers = [world.user(f"writer{number}") for number in range(5)]
    for writer in writers:
        world.comment(space, by=writer)
    async with world.client() as client:
        with world.statements() as said:
            found = (await client.get(f"/spaces/{space}/comments")).json()["items"]
    assert {each["postedBy"]["id"] for each in found} == set(writers)
    assert sum("FROM user WHERE" in sql for sql in said) == 1


async def test_somebody_is_found_by_a_name_without_reading_all_members(world: World) -> None:
    connection = world.store.read(lambda tx: tx.connection)
    async with world.client() as client:
        with world.statements() as said:
            body = {"title": "Writers", "members": [world.ana]}
            answer = await client.put(f"/orgs/{world.home}/teams", json=body)
    assert answer.status_code == 201
    (found,) = [sql for sql in said if "OR email" in sql]
    plan = [row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {found}")]
    assert any("(user_id=? AND organization_id=?)" in step for step in plan), plan
    assert not any(step.startswith("SCAN") for step in plan), plan

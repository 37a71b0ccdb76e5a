"""Audit events over HTTP: what leaves one, what it says and does not, filters, who reads them."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx

from copydesk.server.audit import KEPT
from tests.server.imported import read
from tests.server.sources.making import Making
from tests.world import World

Json = dict[str, Any]


def at(world: World, *rest: str) -> str:
    return "/".join(["/orgs", world.home, *rest])


async def events(client: httpx.AsyncClient, world: World, **query: str) -> list[Json]:
    answer = await client.get(at(world, "audit-events"), params=query)
    assert answer.is_success, answer.text
    found: list[Json] = answer.json()["items"]
    return found


async def test_each_write_leaves_one_event_with_who_what_and_on_what(world: World) -> None:
    space, lee = world.space("Guide", {"intro": "One.\n"}), world.user("lee", "create")
    number = world.change_request(space, {"intro": "Two.\n"}, subject="Say more")
    async with world.client() as client, world.client(lee) as other:
        url = f"/spaces/{space}/change-requests/{number}"
        assert (await client.post(f"{url}/merge")).is_success
        made = (await other.post(at(world, "collections"), json={"title": "Shelf"})).json()
        path = f"/collections/{made['id']}"
        assert (await client.delete(path)).status_code == 205
        # What reads, is refused, finds nothing or only says that somebody is there leaves none.
        assert (await client.delete(path)).status_code == 204
        assert (await client.get(at(world))).is_success
        assert (await client.post(at(world, "ping"), json={})).is_success
        assert (await client.post(f"{url}/merge")).status_code == 412
        assert (await other.patch(at(world), json={"title": "Mine"})).status_code == 403
        found = await events(client, world)
        detail = (await client.get(at(world, "audit-events", found[2]["id"]))).json()
        created = (await client.get(at(world, "audit-events", found[1]["id"]))).json()
        missing = await client.get(at(world, "audit-events", "none"))
    assert [
        (each["action"], each["actor"]["label"], each["target"]["type"], each["target"]["label"])
        for each in found
    ] == [
        ("delete_collection", "Ana Silva", "collection", "Shelf"),
        ("create_collection", "Lee", "collection", "Shelf"),
        ("merge_change_request", "Ana Silva", "change-request", "Say more"),
    ]
    assert found[1]["target"]["id"] == made["id"]
    assert detail == found[2] | {
        "schemaVersion": 1,
        "payload": {"spaceId": space, "changeRequestId": number},
    }
    assert found[2]["urls"]["location"].endswith(f"/audit-events/{found[2]['id']}")
    assert created["payload"] == {"organizationId": world.home, "fields": ["title"]}
    assert missing.status_code == 404


async def test_imports_and_what_came_of_a_job_of_git_are_noted(tmp_path: Path) -> None:
    making = Making(tmp_path / "docs.git")
    making.commit({"README.md": b"# Home\n"})
    world = World(repositories=tmp_path)
    space = world.space("Guide")
    report = read(world, making.path, organization="Acme")
    async with world.client() as client:
        for branch in ("main", "none"):
            body = {"url": making.path.as_uri(), "ref": f"refs/heads/{branch}"}
            assert (await client.post(f"/spaces/{space}/git/import", json=body)).is_success
            world.settle()
        found = await events(client, world)
        told = [
            (await client.get(at(world, "audit-events", each["id"]))).json()["payload"]
            for each in found
        ]
        actions = (await client.get(at(world, "audit-event-actions"))).json()["items"]
    world.close()
    assert [(each["action"], each["space"]) for each in found] == [
        ("git_import_failed", "Guide"),
        ("import_git_repository", "Guide"),
        ("git_import_done", "Guide"),
        ("import_git_repository", "Guide"),
        ("import_space", report.spaces[0].title),
    ]
    assert [(each["repository"], each["branch"]) for each in told] == [
        *[("docs", "none")] * 2,
        *[("docs", "main")] * 3,
    ]
    assert "no branch 'none'" in told[0]["reason"]
    assert str(tmp_path) not in str(told)
    assert {each["action"] for each in found} <= {each["id"] for each in actions}


async def test_no_event_holds_what_was_sent(world: World) -> None:
    space = world.space("Guide", {"intro": "One.\n"})
    async with world.client() as client:
        body = {"body": {"markdown": "the secret word"}}
        assert (await client.post(f"/spaces/{space}/comments", json=body)).is_success
    stored = world.store.read(lambda tx: tx.value("SELECT group_concat(payload) FROM audit_event"))
    assert "body" in stored
    assert "secret" not in stored


async def test_events_are_filtered_by_action_actor_target_and_time_and_paged(world: World) -> None:
    lee = world.user("lee", "create")
    async with world.client() as client, world.client(lee) as other:
        first = (await client.post(at(world, "collections"), json={"title": "A"})).json()["id"]
        noon = world.clock.now + timedelta(seconds=1)
        await other.post(at(world, "collections"), json={"title": "B"})
        await client.patch(f"/collections/{first}", json={"title": "A2"})

        async def labels(**query: str) -> list[str]:
            return [each["target"]["label"] for each in await events(client, world, **query)]

        assert await labels() == ["A2", "B", "A"]
        assert await labels(action="update_collection") == ["A2"]
        assert await labels(actor=lee) == ["B"]
        assert await labels(target=first) == ["A2", "A"]
        assert await labels(to=noon.isoformat()) == ["A"]
        assert await labels(**{"from": noon.isoformat()}) == ["A2", "B"]
        url = at(world, "audit-events")
        page = (await client.get(url, params={"limit": 2})).json()
        rest = (await client.get(url, params={"limit": 2, "page": page["next"]["page"]})).json()
        wrong = [
            (await client.get(url, params=query)).status_code
            for query in ({"limit": "0"}, {"limit": "101"}, {"from": "noon"}, {"page": "x"})
        ]
        actions = (await client.get(at(world, "audit-event-actions"))).json()["items"]
    assert page["count"] == 3
    assert [each["target"]["label"] for each in page["items"] + rest["items"]] == ["A2", "B", "A"]
    assert wrong == [400, 400, 400, 400]
    assert {"object": "audit-event-action", "id": "update_collection",
            "label": "Update collection"} in actions  # fmt: skip
    assert not any(each["id"] in ("get_space", "ping_organization") for each in actions)


async def test_other_organizations_and_other_people_see_none(world: World) -> None:
    elsewhere = world.organization("Elsewhere", world.ana)
    space = world.space("Guide")
    writer = world.user("lee", "create")
    async with world.client() as client, world.client(writer) as other:
        await client.patch(f"/spaces/{space}", json={"title": "Manual"})
        theirs = (await client.get(f"/orgs/{elsewhere}/audit-events")).json()
        event = (await events(client, world))[0]["id"]
        unseen = await client.get(f"/orgs/{elsewhere}/audit-events/{event}")
        refused = [
            (await other.get(at(world, path))).status_code
            for path in ("audit-events", "audit-event-actions", f"audit-events/{event}")
        ]
    assert theirs == {"items": [], "count": 0}
    assert unseen.status_code == 404
    assert refused == [403, 403, 403]


async def test_an_event_is_kept_for_a_year(world: World) -> None:
    async with world.client() as client:
        await client.post(at(world, "collections"), json={"title": "Old"})
        world.clock.now += KEPT - timedelta(minutes=1)
        await client.post(at(world, "collections"), json={"title": "New"})
        assert len(await events(client, world)) == 2
        world.clock.now += timedelta(minutes=2)
        await client.post(at(world, "collections"), json={"title": "Newer"})
        found = await events(client, world)
    assert [each["target"]["label"] for each in found] == ["Newer", "New"]

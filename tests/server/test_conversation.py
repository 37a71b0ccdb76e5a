"""Clusters, conversations and issues over HTTP, and what taking a conversation in does."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from copydesk.server import conversation_writes
from copydesk.server.store import Tx
from tests.world import BASE_URL, World


def url(world: World, *rest: str) -> str:
    return "/".join(["", "orgs", world.home, *rest])


def cluster(world: World, label: str, **settings: Any) -> str:
    home = world.home
    return world.write(lambda tx: conversation_writes.add_cluster(tx, home, label, **settings))


def issue(
    world: World, cluster_id: str | None, *, days_ago: float = 0, source: str = "intercom"
) -> tuple[str, str]:
    """Put an issue of a conversation of its own on the desk; return both ids."""
    home = world.home

    def work(tx: Tx) -> tuple[str, str]:
        when = tx.moment - timedelta(days=days_ago)
        said = conversation_writes.add_conversation(
            tx, home, [("user", "It broke")], source=source, created_at=when
        )
        made = conversation_writes.add_issue(
            tx, home, said, "It broke", cluster_id=cluster_id, created_at=when
        )
        return made, said

    return world.write(work)


def conversation(key: str, *said: str, **more: Any) -> dict[str, Any]:
    parts = [{"type": "message", "role": "user", "body": text} for text in said]
    return {"id": key, "parts": parts, **more}


async def test_cluster(world: World) -> None:
    made = cluster(world, "OAuth sample fails", icon="key", summary="The sample is out of date.")
    for days_ago in (0, 6.9, 7.1, 90.9, 91.1, 400):
        issue(world, made, days_ago=days_ago)
    issue(world, made, days_ago=20, source="zendesk")
    async with world.client() as client:
        found = (await client.get(url(world, "conversations-clusters", made))).json()
        assert found == {
            "object": "issues-cluster",
            "id": made,
            "label": "OAuth sample fails",
            "createdAt": found["createdAt"],
            "updatedAt": found["updatedAt"],
            "icon": "key",
            "summary": "The sample is out of date.",
            "weeklyPulse": [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2],
            "sources": {"intercom": 6, "zendesk": 1},
            "stats": {"issues": 7, "conversations": 7, "suggestions": 0},
            "firstSeenAt": found["firstSeenAt"],
            "named": "hand",
            "history": [],
            "urls": {"location": f"{BASE_URL}/v1{url(world, 'conversations-clusters', made)}"},
        }
        assert found["updatedAt"] > found["createdAt"]
        # 400 days before this desk's clock: when its first issue was told.
        assert found["firstSeenAt"].startswith("2025-01-26T09:00")
        assert (await client.get(url(world, "conversations-clusters", "x"))).status_code == 404


async def test_an_issue_from_the_future_is_of_the_latest_week(world: World) -> None:
    made = cluster(world, "Clocks")
    issue(world, made, days_ago=-3)
    async with world.client() as client:
        found = (await client.get(url(world, "conversations-clusters", made))).json()
        assert found["weeklyPulse"] == [0] * 12 + [1]


async def test_clusters_are_ordered_as_asked(world: World) -> None:
    few, many, none = (cluster(world, label) for label in ("Few", "Many", "None"))
    for _ in range(3):
        issue(world, many)
    _, said = issue(world, few)
    home = world.home
    for _ in range(4):
        world.write(
            lambda tx: conversation_writes.add_issue(tx, home, said, "Again", cluster_id=few)
        )
    async with world.client() as client:

        async def order(**query: Any) -> list[str]:
            seen: list[str] = []
            while True:
                page = await client.get(url(world, "conversations-clusters"), params=query)
                assert page.json()["count"] == 3
                seen += [item["label"] for item in page.json()["items"]]
                if "next" not in page.json():
                    return seen
                query["page"] = page.json()["next"]["page"]

        assert await order() == ["Few", "Many", "None"]
        assert await order(order="asc", limit=1) == ["None", "Many", "Few"]
        assert await order(orderBy="issues", limit=2) == ["Few", "Many", "None"]
        assert await order(orderBy="conversations", limit=1) == ["Many", "Few", "None"]
        wrong = await client.get(url(world, "conversations-clusters"), params={"orderBy": "label"})
        assert wrong.status_code == 400
        assert (await client.get(url(world, "conversations-clusters", none))).json()["stats"] == {
            "issues": 0,
            "conversations": 0,
            "suggestions": 0,
        }


async def test_ingest_one(world: World) -> None:
    cluster(world, "OAuth sample returns 401")
    async with world.client() as client:
        body = conversation(
            "front:1",
            "The OAuth sample on your page\nreturns a 401 for me.",
            subject="Cannot log in with curl",
            metadata={
                "url": "https://inbox.example/1",
                "attributes": {"source": "Intercom", "plan": "pro"},
                "createdAt": "2026-02-27T10:00:00Z",
            },
        )
        body["parts"].append({"type": "message", "role": "team-member", "body": "Sorry!"})
        answer = await client.post(url(world, "conversations"), json=body)
        assert (answer.status_code, answer.content) == (204, b"")

        detail = (await client.get(url(world, "conversations", "front:1"))).json()
        assert (
            detail["conversation"].items()
            >= {
                "object": "conversation",
                "id": "front:1",
                "subject": "Cannot log in with curl",
                "source": "intercom",
            }.items()
        )
        assert detail["conversation"]["urls"]["source"] == "https://inbox.example/1"
        assert detail["parts"] == body["parts"]
        assert detail["metadata"]["attributes"] == {"source": "Intercom", "plan": "pro"}
        location = detail["conversation"]["urls"]["location"]
        assert (await client.get(location)).json() == detail

        (item,) = (await client.get(url(world, "conversations-issues"))).json()["items"]
        assert item["conversation"] == detail["conversation"]
        assert (
            item["issue"].items()
            >= {
                "object": "conversation-issue",
                "title": "Cannot log in with curl",
                "summary": "The OAuth sample on your page returns a 401 for me.",
                "conversation": "front:1",
            }.items()
        )
        # Which cluster it belongs to is found out in the background.
        assert "cluster" not in item["issue"]
        assert item["issue"]["createdAt"] == detail["conversation"]["createdAt"]
        assert (await client.get(item["issue"]["urls"]["location"])).json() == item


async def test_ingest_again_replaces(world: World) -> None:
    oauth = cluster(world, "OAuth sample")
    async with world.client() as client:

        async def send(*said: str) -> list[dict[str, Any]]:
            body = conversation("one", *said)
            answer = await client.post(url(world, "conversations"), json=body)
            assert answer.status_code == 204
            items = (await client.get(url(world, "conversations-issues"))).json()["items"]
            found = sorted((item["issue"] for item in items), key=lambda each: each["title"])
            stats = (await client.get(url(world, "conversations-clusters", oauth))).json()["stats"]
            assert stats["issues"] == sum(each.get("cluster") == oauth for each in found)
            return found

        (first,) = await send("The OAuth sample is broken")
        (again,) = await send("The OAuth sample is broken")
        assert again["id"] == first["id"]
        # What says nothing of when it was held was held when it was first handed in.
        assert again["createdAt"] == first["createdAt"] < again["ingestedAt"]
        body = {"issues": [first["id"]], "cluster": oauth}
        await client.post(url(world, "conversations-issues", "move"), json=body)
        (kept,) = await send("Nothing to do with that")
        assert (kept["id"], kept["title"]) == (first["id"], "Nothing to do with that")
        assert kept["cluster"] == oauth
        two = "1. The export fails and does not work\n2. Nothing to do with that fails today"
        same, added = await send("Hello,\n" + two)
        assert [each["id"] for each in (added, same)].count(first["id"]) == 1
        assert [each.get("cluster") for each in (added, same)].count(oauth) == 1
        (left,) = await send("Nothing to do with that fails today")
        assert left["id"] == same["id"]
        # A machine's answer tells no problem.
        assert await send("This is an automatic reply: I am out of office until Monday.") == []
        assert (await client.get(url(world, "conversations"))).json()["count"] == 1


async def test_ingest_many_and_filter(world: World) -> None:
    oauth = cluster(world, "OAuth sample")
    batch = [
        conversation("a", "OAuth sample", metadata={"attributes": {"source": "slack"}}),
        conversation("b", "Something else"),
        conversation("a", "The OAuth sample, again", metadata={"attributes": {"source": "slack"}}),
    ]
    async with world.client() as client:
        assert (await client.post(url(world, "conversations"), json=batch)).status_code == 204

        async def keys(noun: str, **query: str) -> list[str]:
            items = (await client.get(url(world, noun), params=query)).json()["items"]
            return sorted(item.get("conversation", item)["id"] for item in items)

        assert await keys("conversations") == ["a", "b"]
        assert await keys("conversations", source="slack") == ["a"]
        assert await keys("conversations", source="api") == ["b"]
        assert await keys("conversations-issues") == ["a", "b"]
        listed = (await client.get(url(world, "conversations-issues"))).json()["items"]
        moved = [item["issue"]["id"] for item in listed if item["issue"]["conversation"] == "a"]
        body = {"issues": moved, "cluster": oauth}
        await client.post(url(world, "conversations-issues", "move"), json=body)
        assert await keys("conversations-issues", cluster=oauth) == ["a"]
        assert await keys("conversations-issues", conversation="b") == ["b"]
        assert await keys("conversations-issues", cluster=oauth, conversation="b") == []
        assert (await client.post(url(world, "conversations"), json=[])).status_code == 204


async def test_what_is_there_already_is_not_read_for_each_that_comes(world: World) -> None:
    batch = [conversation(f"{n % 6}", f"The export number {n % 6} stops") for n in range(12)]
    connection = world.store.read(lambda tx: tx.connection)
    async with world.client() as client:
        with world.statements() as seen:
            assert (await client.post(url(world, "conversations"), json=batch)).status_code == 204
            found = await client.get(
                url(world, "conversations-issues"), params={"conversation": "0"}
            )
    assert found.json()["count"] == 1
    for sql in seen:
        if " FROM issue WHERE" in sql:
            plan = [row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")]
            about = "question_id=?" if "question_id = " in sql else "conversation_id=?"
            narrow = "(id=?)" if sql.startswith("DELETE") else about
            about_issues = [step for step in plan if " issue " in step]
            assert [narrow in step for step in about_issues] == [True], (sql, plan)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"id": "", "parts": [{"type": "message", "role": "user", "body": "x"}]},
        {"id": "x" * 256, "parts": [{"type": "message", "role": "user", "body": "x"}]},
        conversation("a/b", "x"),
        conversation("..", "x"),
        {"id": "a", "parts": []},
        {"id": "a", "parts": [{"type": "message", "role": "user", "body": "  \n"}]},
        {"id": "a", "parts": [{"type": "message", "role": "robot", "body": "x"}]},
        conversation("a", "x", subject="x" * 513),
        conversation("a", "x", metadata={"url": "javascript:alert(1)"}),
        [conversation("a", "x"), {"id": "b"}],
    ],
)
async def test_ingest_refuses_whole(world: World, body: Any) -> None:
    async with world.client() as client:
        answer = await client.post(url(world, "conversations"), json=body)
        assert answer.status_code == 400
        assert (await client.get(url(world, "conversations"))).json()["count"] == 0


async def test_lists_page_latest_first(world: World) -> None:
    made = [issue(world, None, days_ago=day) for day in range(7)]
    async with world.client() as client:
        for noun, expected in (
            ("conversations-issues", [key for key, _ in made]),
            ("conversations", [said for _, said in made]),
        ):
            seen: list[str] = []
            query: dict[str, Any] = {"limit": 3}
            while True:
                page = (await client.get(url(world, noun), params=query)).json()
                assert page["count"] == 7
                seen += [item.get("issue", item)["id"] for item in page["items"]]
                if "next" not in page:
                    break
                query["page"] = page["next"]["page"]
            assert seen == expected


async def test_who_may(world: World) -> None:
    made = cluster(world, "OAuth sample")
    key, said = issue(world, made)
    reads = [
        ["conversations-clusters"],
        ["conversations-clusters", made],
        ["conversations"],
        ["conversations", said],
        ["conversations-issues"],
        ["conversations-issues", key],
    ]
    for name, role, read, write in [
        ("ben", "read", 200, 403),
        ("cleo", "create", 200, 204),
        ("gus", None, 403, 403),
    ]:
        async with world.client(world.user(name, role)) as client:
            for rest in reads:
                assert (await client.get(url(world, *rest))).status_code == read, rest
            sent = await client.post(url(world, "conversations"), json=conversation(name, "Help"))
            assert sent.status_code == write
    async with world.client(world.user("eve", member=False)) as client:
        for rest in reads:
            assert (await client.get(url(world, *rest))).status_code == 404, rest
    async with world.client() as client:
        for noun in ("conversations", "conversations-issues"):
            assert (await client.get(url(world, noun, "nowhere"))).status_code == 404

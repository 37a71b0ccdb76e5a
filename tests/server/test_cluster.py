"""Clusters by hand: made, changed, joined, split, ended, brought back; suggestions and search."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import httpx
import pytest

from copydesk.server import conversation_writes, desk_writes
from copydesk.server.integrity import RULES
from copydesk.server.store import Tx
from tests.world import World


@pytest.fixture
def world() -> World:
    return World()


def talks(world: World, *said: str, cluster: str | None = None, **more: Any) -> list[str]:
    """Add a conversation with an issue for each text; return the ids of the issues."""
    home = world.home

    def work(tx: Tx) -> list[str]:
        made = []
        for text in said:
            talk = conversation_writes.add_conversation(
                tx, home, [("user", text)], source="zendesk", subject="Help", **more
            )
            made.append(conversation_writes.add_issue(tx, home, talk, text, cluster_id=cluster))
        return made

    return world.write(work)


def cluster(world: World, label: str) -> str:
    home = world.home
    return world.write(lambda tx: conversation_writes.add_cluster(tx, home, label))


class Desk:
    """A client with the paths of an organization's clusters, and what they are at present."""

    def __init__(self, world: World, client: httpx.AsyncClient) -> None:
        self.world, self.client = world, client

    async def send(self, method: str, path: str, status: int, **body: Any) -> Any:
        """Send a request below the organization, expect a status, return what came."""
        address = f"/orgs/{self.world.home}/conversations{path}"
        answer = await self.client.request(method, address, json=body or None)
        assert answer.status_code == status, answer.text
        self.check()
        return answer.json() if answer.content else None

    async def members(self) -> dict[str, list[str]]:
        """Return the titles of the issues of each cluster, by its label; "" for none."""
        items = (await self.send("GET", "-clusters", 200))["items"]
        labels = {None: "", **{item["id"]: item["label"] for item in items}}
        found: dict[str, list[str]] = {label: [] for label in labels.values()}
        for item in (await self.send("GET", "-issues", 200))["items"]:
            found[labels[item["issue"].get("cluster")]].append(item["issue"]["title"])
        return {label: sorted(titles) for label, titles in found.items() if label or titles}

    def check(self) -> None:
        """Fail where a count is not what the rows say."""
        for rule in RULES:
            assert self.world.store.read(partial(Tx.all, sql=rule.sql)) == [], rule.sentence


async def test_a_split_that_was_taken_back_is_not_told(world: World) -> None:
    late = cluster(world, "Webhooks late")
    one, two = talks(world, "one", "two", cluster=late)
    async with world.client() as client:
        desk = Desk(world, client)

        async def told() -> list[tuple[str, str]]:
            found = await desk.send("GET", f"-clusters/{late}", 200)
            return [(each["kind"], each["label"]) for each in found.get("history", [])]

        made = await desk.send("POST", "-clusters", 201, label="Retries", issues=[two])
        path = f"-clusters/{made['id']}"
        assert await told() == [("split", "Retries")]
        await desk.send("POST", "-issues/move", 200, issues=[two], cluster=late)
        await desk.send("DELETE", path, 205)
        assert await told() == []
        # Done again, it is told again; one that is deleted with issues in it had been split off.
        await desk.send("POST", f"{path}/restore", 200)
        await desk.send("POST", "-issues/move", 200, issues=[two], cluster=made["id"])
        assert await told() == [("split", "Retries")]
        await desk.send("DELETE", path, 205)
        assert await told() == [("split", "Retries")]
        assert one


async def test_clusters_are_made_changed_joined_ended_and_brought_back(world: World) -> None:
    late = cluster(world, "Webhooks late")
    one, two, _ = talks(world, "one", "two", "three", cluster=late)
    (alone,) = talks(world, "alone")
    async with world.client() as client:
        desk = Desk(world, client)
        made = await desk.send(
            "POST", "-clusters", 201, label=" Retries ", summary="None.", issues=[two, alone, two]
        )
        assert (made["label"], made["summary"], made["named"]) == ("Retries", "None.", "hand")
        assert made["stats"]["issues"] == 2
        assert await desk.members() == {
            "Webhooks late": ["one", "three"],
            "Retries": ["alone", "two"],
        }
        old = await desk.send("GET", f"-clusters/{late}", 200)
        (split,) = old["history"]
        assert (split["kind"], split["other"], split["label"]) == ("split", made["id"], "Retries")

        moved = await desk.send("POST", "-issues/move", 200, issues=[one, two], cluster=made["id"])
        assert moved["moved"] == 1
        assert (await desk.send("POST", "-issues/move", 200, issues=[one], cluster=None)) == {
            "object": "conversation-issues-moved",
            "moved": 1,
        }
        assert await desk.members() == {
            "": ["one"],
            "Webhooks late": ["three"],
            "Retries": ["alone", "two"],
        }

        path = f"-clusters/{made['id']}"
        named = await desk.send("PATCH", path, 200, label="Retry", icon="bug", closed=True)
        assert (named["label"], named["icon"], "closedAt" in named) == ("Retry", "bug", True)
        # What was in a closed cluster comes back where a move out of it is taken back.
        for place in (made["id"], None):
            moved = await desk.send("POST", "-issues/move", 200, issues=[one], cluster=place)
            assert moved["moved"] == 1
        refused = await desk.send("POST", f"{path}/join", 412, clusters=[late])
        assert refused["error"]["message"] == "The cluster 'Retry' is closed: open it first."
        opened = await desk.send("PATCH", path, 200, icon=None, closed=False)
        assert opened.keys().isdisjoint({"closedAt", "icon"})

        joined = await desk.send("POST", f"{path}/join", 200, clusters=[late, late])
        assert [(each["kind"], each["label"]) for each in joined["history"]] == [
            ("joined", "Webhooks late")
        ]
        assert await desk.members() == {"": ["one"], "Retry": ["alone", "three", "two"]}
        await desk.send("GET", f"-clusters/{late}", 404)

        again = await desk.send("POST", f"-clusters/{late}/restore", 200)
        assert (again["id"], again["label"]) == (late, "Webhooks late")
        assert [each["kind"] for each in again["history"]] == []
        assert await desk.send("POST", f"-clusters/{late}/restore", 200) == again
        assert (await desk.members())["Webhooks late"] == ["three"]
        assert (await desk.send("GET", path, 200))["history"] == []

        await desk.send("DELETE", path, 205)
        await desk.send("DELETE", path, 204)
        assert (await desk.members())[""] == ["alone", "one", "two"]
        await desk.send("POST", "-issues/move", 200, issues=[two], cluster=late)
        await desk.send("POST", f"{path}/restore", 200)
        # What was moved since stays where it was put.
        assert await desk.members() == {
            "": ["one"],
            "Webhooks late": ["three", "two"],
            "Retry": ["alone"],
        }


async def test_change_requests_go_with_the_cluster_that_they_answer(world: World) -> None:
    space = world.space("Guide", {"a": "One."})
    first, other = cluster(world, "First"), cluster(world, "Other")
    asked = world.change_request(space, {"a": "Two."})
    async with world.client() as client:
        desk = Desk(world, client)

        async def answers() -> str | None:
            path = f"/spaces/{space}/change-requests/{asked}"
            found: str | None = (await client.get(path)).json().get("conversationsIssuesCluster")
            return found

        await desk.send("PUT", f"-clusters/{first}/change-requests/{asked}", 204)
        assert await answers() == first
        await desk.send("POST", f"-clusters/{other}/join", 200, clusters=[first])
        assert await answers() == other
        await desk.send("POST", f"-clusters/{first}/restore", 200)
        assert await answers() == first
        await desk.send("DELETE", f"-clusters/{first}", 205)
        assert await answers() is None
        await desk.send("POST", f"-clusters/{first}/restore", 200)
        assert await answers() == first
        await desk.send("DELETE", f"-clusters/{other}/change-requests/{asked}", 204)
        await desk.send("DELETE", f"-clusters/{first}/change-requests/{asked}", 205)
        assert await answers() is None
        await desk.send("PUT", f"-clusters/{first}/change-requests/nowhere", 404)
        await desk.send("PUT", f"-clusters/nowhere/change-requests/{asked}", 404)


async def test_what_is_not_there_is_refused_by_its_place(world: World) -> None:
    known = cluster(world, "Known")
    (issue,) = talks(world, "one")
    async with world.client() as client:
        desk = Desk(world, client)
        for path, body, place in (
            ("-clusters", {"label": "x", "issues": [issue, "gone"]}, "body.issues[1]"),
            ("-issues/move", {"issues": ["gone"], "cluster": None}, "body.issues[0]"),
            ("-issues/move", {"issues": [issue], "cluster": "gone"}, "body.cluster"),
            ("-issues/move", {"issues": [issue]}, "body.cluster"),
            ("-issues/move", {"issues": [], "cluster": None}, "body.issues"),
            (f"-clusters/{known}/join", {"clusters": [known]}, "body.clusters[0]"),
            (f"-clusters/{known}/join", {"clusters": ["gone"]}, "body.clusters[0]"),
            ("-clusters", {"label": " "}, "body.label"),
            ("-clusters", {"label": "x", "colour": "red"}, "body.colour"),
        ):
            answer = await desk.send("POST", path, 400, **body)
            assert answer["error"]["message"].startswith(place), answer
        await desk.send("POST", "-clusters/gone/restore", 404)
        await desk.send("PATCH", "-clusters/gone", 404, label="x")
        await desk.send("GET", "-clusters/gone/suggestions", 404)


async def test_suggestions_are_listed_taken_and_refused(world: World) -> None:
    late = cluster(world, "Webhooks late")
    talks(world, "in", cluster=late)
    near, far, odd = talks(world, "near", "far", "odd")

    def suggest(tx: Tx) -> None:
        for key, similarity in ((near, 0.9), (far, 0.4), (odd, 0.5)):
            tx.update("issue", key, placed="none")
            tx.insert("suggestion", issue_id=key, cluster_id=late, similarity=similarity)

    world.write(suggest)
    async with world.client() as client:
        desk = Desk(world, client)
        path = f"-clusters/{late}/suggestions"
        first = await desk.send("GET", f"{path}?limit=2", 200)
        assert [(each["issue"]["id"], each["similarity"]) for each in first["items"]] == [
            (near, 0.9),
            (odd, 0.5),
        ]
        assert (first["count"], first["items"][0]["conversation"]["source"]) == (3, "zendesk")
        assert (await desk.send("GET", f"-clusters/{late}", 200))["stats"]["suggestions"] == 3
        await desk.send("POST", "-issues/move", 200, issues=[near], cluster=late)
        await desk.send("POST", "-issues/move", 200, issues=[odd], cluster=None)
        assert [each["issue"]["id"] for each in (await desk.send("GET", path, 200))["items"]] == [
            far
        ]
        analysis = await desk.send("GET", "-analysis", 200)
        assert analysis.items() >= {"clustered": 2, "unclustered": 2, "suggestions": 1}.items()
        await desk.send("PATCH", f"-clusters/{late}", 200, closed=True)
        assert (await desk.send("GET", path, 200))["items"] == []


async def test_conversations_are_found_by_words_and_fields(world: World) -> None:
    late = cluster(world, "Webhooks late")
    body: dict[str, Any] = {
        "id": "b",
        "subject": "Invoices",
        "parts": [
            {"type": "message", "role": "user", "body": "Hello there.\n\n" + "word " * 40},
            {
                "type": "message",
                "role": "user",
                "body": 'The CAFÉ\'s "webhooks" come too late\nsince Monday, ' + "and so on " * 20,
            },
        ],
        "metadata": {"attributes": {"plan": "team", "language": "de", "source": "front"}},
    }
    async with world.client() as client:
        desk = Desk(world, client)
        await desk.send("POST", "", 204, **body)
        world.clock.now += timedelta(days=2)
        await desk.send(
            "POST",
            "",
            204,
            id="a",
            parts=[{"type": "message", "role": "user", "body": "東京で請求書"}],
        )
        (issue,) = [
            each["issue"]["id"]
            for each in (await desk.send("GET", "-issues", 200))["items"]
            if each["issue"]["conversation"] == "b"
        ]
        await desk.send("POST", "-issues/move", 200, issues=[issue], cluster=late)

        async def found(**query: Any) -> list[str]:
            address = f"/orgs/{world.home}/conversations-search"
            page = (await client.get(address, params=query)).raise_for_status().json()
            assert page["count"] == len(page["items"])
            return [item["conversation"]["id"] for item in page["items"]]

        assert await found() == ["a", "b"]
        assert await found(query="cafe WEBHOOK") == ["b"]
        assert await found(query="webhooks tokyo") == []
        assert await found(query="請求") == ["a"]
        for hostile in ('"', "'", "*", "NEAR(", "a AND", "-", "subject:x", "\\", "^", "🙂", "()"):
            assert await found(query=hostile) == []
        assert await found(source="front", language="de", attribute="plan=team") == ["b"]
        assert await found(attribute=["plan=team", "plan=pro"]) == []
        assert await found(attribute="PLAN=team") == ["b"]
        assert await found(cluster=late, query="late") == ["b"]
        now = world.clock.now
        assert await found(since=(now - timedelta(days=1)).isoformat()) == ["a"]
        assert await found(until=(now - timedelta(days=1)).isoformat()) == ["b"]
        address = f"/orgs/{world.home}/conversations-search"
        query = {"since": (now - timedelta(days=9)).isoformat(), "limit": "1"}
        first = (await client.get(address, params=query)).json()
        rest = await client.get(address, params=query | {"page": first["next"]["page"]})
        assert [each["conversation"]["id"] for each in rest.json()["items"]] == ["b"]
        wrong = await client.get(
            f"/orgs/{world.home}/conversations-search", params={"attribute": "plan"}
        )
        assert wrong.status_code == 400

        async def hit(query: str) -> Any:
            address = f"/orgs/{world.home}/conversations-search"
            return (await client.get(address, params={"query": query})).json()["items"][0]

        item = await hit("webhooks")
        assert item["issues"] == [issue]
        assert item["hit"] == {
            "part": 1,
            "before": "The CAFÉ's \"",
            "words": "webhooks",
            "after": '" come too late since Monday, and so on and so on and so on…',
        }
        assert (await hit("invoice"))["hit"] == {"before": "", "words": "Invoices", "after": ""}
        assert (await hit("東京"))["hit"] == {
            "part": 0,
            "before": "",
            "words": "東京",
            "after": "で請求書",
        }
        # What is handed in again is found by its new words only.
        await desk.send("POST", "", 204, **body | {"parts": body["parts"][:1]})
        assert await found(query="webhooks") == []
        assert await found(query="hello", attribute="plan=team") == ["b"]


async def test_words_are_looked_for_once_for_a_page_and_issues_read_of_it_only(
    world: World,
) -> None:
    talks(world, "The webhooks are late", "A webhook is missing", "Nothing")
    connection = world.store.read(lambda tx: tx.connection)
    async with world.client() as client:
        with world.statements() as seen:
            address = f"/orgs/{world.home}/conversations-search"
            found = (await client.get(address, params={"query": "webhook"})).json()
    assert (found["count"], len(found["items"])) == (2, 2)
    steps = [
        row["detail"]
        for sql in seen
        if "conversation" in sql and sql.startswith("SELECT")
        for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}")
    ]
    assert not [step for step in steps if "INDEX 0:=M" in step]
    of_issues = [step for step in steps if step.startswith(("SEARCH issue", "SCAN issue"))]
    assert ["conversation_id=?" in step for step in of_issues] == [True]


async def test_words_and_a_cluster_are_found_without_trying_each_with_each(world: World) -> None:
    made = cluster(world, "Late")
    talks(world, "The webhooks are late", cluster=made, attributes={"plan": "team"})
    connection = world.store.read(lambda tx: tx.connection)
    query = {"query": "webhooks", "cluster": made, "attribute": "plan=team"}
    async with world.client() as client:
        with world.statements() as seen:
            address = f"/orgs/{world.home}/conversations-search"
            found = (await client.get(address, params=query)).json()
    assert found["count"] == 1
    counts = [sql for sql in seen if sql.startswith("SELECT count(*) FROM conversation_search")]
    assert len(counts) == 1
    plan = [row["detail"] for row in connection.execute(f"EXPLAIN QUERY PLAN {counts[0]}")]
    assert not [step for step in plan if "rowid=?" in step], plan


async def test_a_cluster_of_another_organization_finds_nothing(world: World) -> None:
    def elsewhere(tx: Tx) -> str:
        other = desk_writes.add_organization(tx, "Other")
        theirs = conversation_writes.add_cluster(tx, other, "Theirs")
        conversation_writes.add_conversation(
            tx, other, [("user", "Hello")], source="zendesk", conversation_id="1"
        )
        conversation_writes.add_issue(tx, other, "1", "Hello", cluster_id=theirs)
        return theirs

    theirs = world.write(elsewhere)
    talks(world, "Hello", conversation_id="1")
    async with world.client() as client:
        address = f"/orgs/{world.home}/conversations-search"
        found = (await client.get(address, params={"cluster": theirs})).json()
        assert found["items"] == []


async def test_clusters_are_found_by_what_was_said_in_their_conversations(world: World) -> None:
    late, lost = cluster(world, "Late"), cluster(world, "Lost")
    talks(world, "The webhooks are late", cluster=late, attributes={"plan": "team"})
    talks(world, "One webhook is lost", "Two webhooks are lost", cluster=lost)
    talks(world, "A webhook of nobody")
    async with world.client() as client:

        async def found(**query: Any) -> list[Any]:
            address = f"/orgs/{world.home}/conversations-clusters-search"
            page = (await client.get(address, params=query)).raise_for_status().json()
            assert page["count"] == len(page["items"])
            return [(each["cluster"]["id"], each["conversations"]) for each in page["items"]]

        assert await found(query="webhook", orderBy="issues") == [(lost, 2), (late, 1)]
        assert await found(query="webhook", orderBy="issues", order="asc") == [(late, 1), (lost, 2)]
        assert await found(attribute="plan=team") == [(late, 1)]
        assert await found(attribute="plan=team", query="lost") == []
        assert await found(language="de") == []
        assert len(await found()) == 2
        address = f"/orgs/{world.home}/conversations-clusters-search"
        query = {"query": "lost", "limit": "1"}
        (item,) = (await client.get(address, params=query)).json()["items"]
        said = f"/orgs/{world.home}/conversations-issues/{item['issue']}"
        issue = (await client.get(said)).json()["issue"]
        assert issue["cluster"] == lost
        assert item["hit"]["words"] == "lost"
        assert "webhook" in item["hit"]["before"]
        assert "hit" not in (await client.get(address)).json()["items"][0]
        wrong = await client.get(address, params={"attribute": "plan"})
        assert wrong.status_code == 400

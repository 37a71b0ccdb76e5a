"""Findings, topics, questions and records of a site over HTTP: what the desk makes them of."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.server import conversation_writes, findings
from copydesk.server import site_writes as seed
from copydesk.server.queries import finding as finding_queries
from copydesk.server.store import Tx
from copydesk.session.reads.findings import begin_requests
from tests.world import BASE_URL, World

Json = dict[str, Any]


class Support:
    """A site with two spaces, one of them hidden from bo, and two clusters of conversations."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.guide = world.space(
            "Guide",
            {
                "webhooks": "Webhooks arrive late. See [replay](replay.md).\n",
                "setup": "Begin with [replay](replay.md), then [go on](webhooks.md).\n",
            },
        )
        self.secret = world.space("Secret", {"plan": "[old](gone.md)\n"}, default_level=None)

        def build(tx: Tx) -> tuple[str, str, str]:
            site = seed.add_site(tx, world.home, "Docs")
            for space in (self.guide, self.secret):
                seed.add_site_space(tx, site, space)
            late = conversation_writes.add_cluster(
                tx, world.home, "Webhooks arrive late", summary="They wait."
            )
            invoice = conversation_writes.add_cluster(tx, world.home, "Invoice without currency")
            for number in range(6):
                self._tell(tx, f"late-{number}", "Why are webhooks late?", late, "slack")
            self._tell(tx, "late-6", "why are WEBHOOKS late?", late, "email", came_back=True)
            self._tell(tx, "invoice-0", "How do I set a currency?", invoice, "zendesk", said=False)
            self._tell(tx, "other-0", "Hello", None, "email")
            return site, late, invoice

        self.site, self.late, self.invoice = world.write(build)
        self.bo = world.user("bo", "create")

    def _tell(
        self, tx: Tx, key: str, title: str, cluster: str | None, source: str,
        *, said: bool = True, came_back: bool = False,
    ) -> None:  # fmt: skip
        parts: list[Any] = [("user", title)]
        parts += [("assistant", "Like this.")] if said else []
        parts += [("user", "No."), ("team-member", "So.")] if came_back else []
        home = self.world.home
        conversation_writes.add_conversation(
            tx, home, parts, source=source, subject=title, conversation_id=key,
            attributes={"language": "pt"} if came_back else {},
        )  # fmt: skip
        conversation_writes.add_issue(tx, home, key, title, cluster_id=cluster)

    def url(self, *rest: str) -> str:
        return "/".join(["/orgs", self.world.home, "sites", self.site, *rest])

    async def put_into(self, client: httpx.AsyncClient, cluster: str, *talks: str) -> None:
        """Move the issues of some conversations into a cluster by hand."""
        home = f"/orgs/{self.world.home}/conversations-issues"
        items = (await client.get(home)).json()["items"]
        issues = [each["issue"]["id"] for each in items if each["issue"]["conversation"] in talks]
        body = {"issues": issues, "cluster": cluster}
        assert (await client.post(f"{home}/move", json=body)).is_success

    async def found(self, client: httpx.AsyncClient, **params: Any) -> dict[str, Json]:
        answer = await client.get(self.url("findings"), params=params)
        assert answer.is_success, answer.text
        return {item["title"]: item for item in answer.json()["items"]}


@pytest.fixture
def support(world: World) -> Support:
    return Support(world)


def text_of(document: Json) -> str:
    return "".join(
        leaf["text"]
        for block in document["nodes"]
        for node in block["nodes"]
        for leaf in node["leaves"]
    )


async def listed(client: httpx.AsyncClient, path: str, **params: Any) -> list[Json]:
    answer = await client.get(path, params=params)
    assert answer.is_success, answer.text
    items: list[Json] = answer.json()["items"]
    return items


async def test_findings_are_made_of_clusters_and_broken_links(support: Support) -> None:
    async with support.world.client() as client:
        found = await support.found(client, orderBy="sources")
        assert list(found) == [
            "Webhooks arrive late",
            "Broken link to replay.md",
            *sorted(set(found) - {"Webhooks arrive late", "Broken link to replay.md"},
                    key=lambda title: found[title]["id"], reverse=True),
        ]  # fmt: skip
        told = {
            title: (each["type"], each["severity"], each["status"], each["pages"],
                    each["records"], each["questions"], each.get("topic"))
            for title, each in found.items()
        }  # fmt: skip
        assert told == {
            "Webhooks arrive late": ("other", "medium", "open", 1, 7, 1, support.late),
            "Invoice without currency": (
                "content-gap", "low", "candidate", 0, 1, 1, support.invoice
            ),
            "Broken link to replay.md": ("broken-link", "medium", "open", 2, 0, 0, None),
            "Broken link to gone.md": ("broken-link", "low", "open", 1, 0, 0, None),
        }  # fmt: skip
        late, replay = found["Webhooks arrive late"], found["Broken link to replay.md"]
        assert text_of(late["description"]) == "They wait."
        assert (
            text_of(replay["description"]) == "Pages of Guide link to replay.md, where nothing is."
        )
        assert (await client.get(replay["urls"]["location"])).json() == replay
        pages = await listed(client, support.url("findings", replay["id"], "pages"))
        assert [each["page"]["path"] for each in pages] == ["webhooks", "setup"]
        page = support.world.page_id(support.guide, "webhooks")
        assert pages[0] == {
            "object": "site-finding-page",
            "spaceId": support.guide,
            "page": {"id": page, "type": "document", "title": "Webhooks", "path": "webhooks"},
        }
        records = await listed(client, support.url("findings", late["id"], "records"))
        assert [each["id"] for each in records] == [f"late-{n}" for n in range(6, -1, -1)]
        questions = await listed(client, support.url("findings", late["id"], "questions"))
        assert [(each["question"], each["stats"]["answers"]) for each in questions] == [
            ("Why are webhooks late?", 7)
        ]
        assert await listed(client, support.url("findings", replay["id"], "records")) == []
    async with support.world.client(support.bo) as client:
        # A link on a page that they may not see is in no finding of theirs.
        assert set(await support.found(client)) == set(told) - {"Broken link to gone.md"}
        secret = support.url("findings", found["Broken link to gone.md"]["id"])
        assert (await client.get(secret)).status_code == 404
    # Nor once the site does not show that space any more.
    support.world.write(
        lambda tx: tx.run("DELETE FROM site_space WHERE space_id = ?", support.secret)
    )
    async with support.world.client(support.bo) as client:
        assert set(await support.found(client)) == set(told) - {"Broken link to gone.md"}
        assert (await client.get(secret)).status_code == 404


async def test_guests_change_nothing_that_they_may_not_read(support: Support) -> None:
    world, guest = support.world, support.world.user("gus", None)
    world.grant(support.site, guest, "create")
    async with world.client() as client:
        finding = (await support.found(client))["Webhooks arrive late"]["id"]
    async with world.client(guest) as client:
        for path, body in (
            (support.url("findings", finding), {"status": "done"}),
            (support.url("topics", support.late), {"usageSettings": {"changeRequests": True}}),
        ):
            assert (await client.get(path)).status_code == 403
            assert (await client.patch(path, json=body)).status_code == 403


async def test_findings_follow_what_they_are_made_of_and_keep_what_was_said_of_them(
    support: Support,
) -> None:
    world = support.world
    async with world.client() as client:
        found = await support.found(client)
        invoice = support.url("findings", found["Invoice without currency"]["id"])
        late = support.url("findings", found["Webhooks arrive late"]["id"])
        replay = support.url("findings", found["Broken link to replay.md"]["id"])
        done = await client.patch(late, json={"status": "done"})
        assert (done.json()["status"], done.json()["title"]) == ("done", "Webhooks arrive late")
        assert (await client.patch(late, json={"status": "gone"})).status_code == 400
        # A candidate that was done by mistake is one again, and opens like any other.
        for status in ("done", "candidate"):
            assert (await client.patch(invoice, json={"status": status})).is_success
        # The link leads somewhere now, and the cluster has grown.
        world.commit(support.guide, {"replay": "Again.\n"})
        records = [
            {"id": f"more-{n}", "type": "ticket", "title": "Invoice without currency", "body": "?"}
            for n in range(4)
        ]
        answer = await client.put(support.url("context-records"), json=records)
        assert (answer.status_code, answer.content) == (204, b"")
        await support.put_into(client, support.invoice, *(each["id"] for each in records))
        assert (await client.get(replay)).json()["status"] == "done"
        grown = (await client.get(invoice)).json()
        assert (grown["status"], grown["severity"], grown["records"]) == ("open", "medium", 5)
        assert (await client.get(late)).json()["status"] == "done"
        # It breaks again: what was settled by itself is open again.
        world.commit(support.guide, {"replay": None})
        assert (await client.get(replay)).json()["status"] == "open"
        assert (await client.patch(replay, json={"status": "canceled"})).is_success
        world.commit(support.guide, {"replay": "Once more.\n"})
        assert (await client.get(replay)).json()["status"] == "canceled"


async def test_links_are_read_again_only_where_pages_changed(support: Support) -> None:
    record = {"id": "new", "type": "ticket", "title": "Webhooks arrive late", "body": "?"}
    reads: list[int] = []
    async with support.world.client() as client:
        await support.found(client)
        for change in ("records", "pages"):
            if change == "pages":
                support.world.commit(support.guide, {"replay": "Again.\n"})
            else:
                await client.put(support.url("context-records"), json=[record])
                await support.put_into(client, support.late, "new")
            with support.world.statements() as said:
                found = await support.found(client)
            reads.append(sum("FROM text_link" in sql for sql in said))
            assert found["Webhooks arrive late"]["records"] == 8
    assert reads == [0, 1]


@pytest.mark.parametrize("most", ["MOST_TEXTS", "MOST_BYTES"])
async def test_texts_are_read_a_few_at_a_time_and_the_worker_reads_the_rest(
    support: Support, monkeypatch: pytest.MonkeyPatch, most: str
) -> None:
    monkeypatch.setattr(findings, most, 1)
    async with support.world.client() as client:
        found = await support.found(client)
        assert set(found) == {"Webhooks arrive late", "Invoice without currency"}
        support.world.settle()
        assert "Broken link to gone.md" in await support.found(client)


async def test_a_site_may_be_deleted_before_its_findings_are_made(
    support: Support, monkeypatch: pytest.MonkeyPatch
) -> None:
    def meanwhile(tx: Tx, site_id: str) -> None:
        tx.run("DELETE FROM site WHERE id = ?", site_id)
        findings.scan(tx, site_id)

    monkeypatch.setattr(finding_queries, "scan", meanwhile)
    async with support.world.client() as client:
        assert (await client.get(support.url("findings"))).status_code == 404


@pytest.mark.parametrize(
    ("params", "titles"),
    [
        ({"status": "candidate"}, {"Invoice"}),
        ({"type": ["broken-link", "content-gap"], "severity": "low"}, {"Invoice", "gone.md"}),
        ({"severity": "medium"}, {"Webhooks", "replay.md"}),
        ({"topic": "late"}, {"Webhooks"}),
        ({"question": "late"}, {"Webhooks"}),
        ({"source": "questions"}, {"Webhooks", "Invoice"}),
        ({"source": "connection:zendesk"}, {"Invoice"}),
        ({"hasChangeRequests": "true"}, {"replay.md"}),
        ({"hasChangeRequests": "false"}, {"Webhooks", "Invoice", "gone.md"}),
        ({"updatedAfter": "2126-03-02T10:00:00Z"}, set()),
        ({"updatedBefore": "2126-03-02T10:00:00Z", "severity": "low"}, {"Invoice", "gone.md"}),
    ],
)
async def test_findings_are_listed_by_what_is_asked_for(
    support: Support, params: Json, titles: set[str]
) -> None:
    async with support.world.client() as client:
        every = await support.found(client)
        begun = support.url("findings", every["Broken link to replay.md"]["id"], "change-requests")
        assert (await client.post(begun)).status_code == 202
        (question,) = await listed(client, support.url("questions"), topic=support.late)
        ids = {"topic": support.late, "question": question["id"]}
        given = {name: ids.get(name, value) for name, value in params.items()}
        found = await support.found(client, **given)
        short = {title.removeprefix("Broken link to ").split(" ")[0] for title in found}
        assert short == titles
        given = {name: value for name, value in given.items() if name in (
            "topic", "status", "type", "severity", "hasChangeRequests", "source")}  # fmt: skip
        stats = (await client.get(support.url("stats", "findings"), params=given)).json()
        assert stats["total"] == len(await support.found(client, **given))


async def test_a_change_request_is_begun_where_the_finding_is_and_both_name_each_other(
    support: Support,
) -> None:
    async with support.world.client() as client:
        found = await support.found(client)
        for title in ("Webhooks arrive late", "Broken link to replay.md"):
            path = support.url("findings", found[title]["id"])
            answer = await client.post(f"{path}/change-requests")
            assert (answer.status_code, answer.content) == (202, b"")
            (request,) = await listed(client, f"{path}/change-requests")
            assert (request["subject"], request["status"]) == (title, "draft")
            assert request["space"] == support.guide
            assert request.get("conversationsIssuesCluster") == found[title].get("topic")
            topic = {"site": support.site, "topic": found[title].get("topic")}
            named = topic | {"finding": found[title]["id"]} if topic["topic"] else None
            assert request.get("siteTopic") == named
            assert (await client.get(path)).json()["changeRequests"] == 1
        stats = (await client.get(support.url("stats", "findings"))).json()
        assert stats == {
            "total": 4,
            "statuses": {"open": 3, "done": 0, "canceled": 0},
            "severities": {"low": 2, "medium": 2, "high": 0},
            "connectors": {"builtin:api": 1, "builtin:email": 1, "builtin:zendesk": 1},
            "questions": 2,
            "mergedChangeRequests": 0,
        }
    # One in a space that the caller may not see is none, for a filter as for the number.
    support.world.change_request(support.secret, cluster=support.invoice)
    # What is about no page goes on where its latest one is, and not on the first page of the site.
    async with support.world.client() as client:
        path = support.url("findings", found["Invoice without currency"]["id"])
        assert (await client.post(f"{path}/change-requests")).status_code == 202
        spaces = [each["space"] for each in await listed(client, f"{path}/change-requests")]
        assert spaces == [support.secret] * 2
        # One that was archived is listed, and counts no more.
        world, late = support.world, found["Webhooks arrive late"]
        world.write(
            lambda tx: tx.run(
                "UPDATE change_request SET status = 'archived' WHERE cluster_id = ?", support.late
            )
        )
        again = support.url("findings", late["id"])
        assert (await client.get(again)).json()["changeRequests"] == 0
        assert len(await listed(client, f"{again}/change-requests")) == 1
        assert late["title"] not in await support.found(client, hasChangeRequests="true")
        path = support.url("findings", found["Broken link to replay.md"]["id"])
    for caller, titles in (
        (support.world.ana, {"Broken", "Invoice"}),
        (support.bo, {"Broken"}),
    ):
        async with support.world.client(caller) as client:
            begun = await support.found(client, hasChangeRequests="true")
            assert {title.split(" ")[0] for title in begun} == titles
            assert all(each["changeRequests"] for each in begun.values())
    reader = support.world.user("rea", "read")
    async with support.world.client(reader) as client:
        answer = await client.post(f"{path}/change-requests")
        assert (answer.status_code, "edit" in answer.text) == (403, True)


async def test_a_request_that_others_change_meanwhile_is_not_taken_for_one_that_was_begun(
    support: Support,
) -> None:
    world = support.world
    old = [world.change_request(support.guide, cluster=support.late) for _ in range(51)]
    way = world._transport()

    async def others(request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            world.write(lambda tx: tx.update("change_request", old[0], updated_at=tx.now))
        return await way.handle_async_request(request)

    async with world.client() as client:
        finding = (await support.found(client))["Webhooks arrive late"]["id"]
    async with Api(BASE_URL, world.token(world.ana), transport=httpx.MockTransport(others)) as api:
        made = await begin_requests(api, (world.home, support.site), finding)
    assert [each.number for each in made] == [52]


async def test_topics_have_the_numbers_of_their_questions(support: Support) -> None:
    async with support.world.client() as client:
        topics = {each["label"]: each for each in await listed(client, support.url("topics"))}
        late = topics["Webhooks arrive late"]
        assert (late["pages"], late["records"], late["findings"]) == (1, 7, {"open": 1, "total": 1})
        asked = late["questions"]
        assert (asked["total"], asked["answers"], asked["weeklyPulse"]) == (1, 7, [0] * 12 + [7])
        assert asked["answered"] == {"yes": 6, "partially": 1, "no": 0}
        assert asked["channelTypes"] == {"api": 1, "builtin:slack": 6}
        assert topics["Invoice without currency"]["questions"]["answered"]["no"] == 1
        early = await listed(client, support.url("topics"), to="2020-01-01T00:00:00Z")
        assert {each["questions"]["answers"] for each in early} == {0}
        path = support.url("topics", support.late)
        assert (await client.get(path)).json() == late
        wanted = {"usageSettings": {"changeRequests": True}}
        assert (await client.patch(path, json=wanted)).json() == late | wanted
        assert (await client.get(path)).json()["usageSettings"] == {"changeRequests": True}
        assert (await client.get(support.url("topics", "none"))).status_code == 404


async def test_conversations_with_the_same_title_ask_the_same_question(support: Support) -> None:
    async with support.world.client() as client:
        most = await listed(client, support.url("questions"), sort="stats.answers")
        assert most[0]["question"] == "Why are webhooks late?"
        late = most[0]
        assert {each["question"]: each["type"] for each in most} == {
            "Why are webhooks late?": "unknown",
            "How do I set a currency?": "how-to",
            "Hello": "unknown",
        }
        assert (await client.get(late["urls"]["location"])).json() == late
        again = await listed(client, support.url("questions"), answered="partially")
        assert [(each["id"], each["stats"]["answers"]) for each in again] == [(late["id"], 1)]
        unclear = await listed(client, support.url("questions"), relevance=["unclear", "spam"])
        assert [each["question"] for each in unclear] == ["Hello"]
        assert await listed(client, support.url("questions"), relevance="spam") == []
        how = await listed(client, support.url("questions"), type="how-to", channelType="api")
        assert [each["question"] for each in how] == ["How do I set a currency?"]
        stats = (await client.get(support.url("question-stats"))).json()
        assert (stats["total"], stats["answers"], stats["weeklyPulse"][-1]) == (3, 9, 9)
        assert stats["relevance"] == {"relevant": 8, "spam": 0, "off-topic": 0, "unclear": 1}
        sources = await listed(client, support.url("questions", late["id"], "sources"))
        assert [each["record"] for each in sources] == [f"late-{n}" for n in range(6, -1, -1)]
        # What is handed in again under its id asks what it says now.
        body = {"id": "late-0", "subject": "Hello", "parts": [
            {"type": "message", "role": "user", "body": "Hello"}]}  # fmt: skip
        assert (
            await client.post(f"/orgs/{support.world.home}/conversations", json=body)
        ).is_success
        counts = {
            each["question"]: each["stats"]["answers"]
            for each in await listed(client, support.url("questions"))
        }
        assert counts == {"Why are webhooks late?": 6, "How do I set a currency?": 1, "Hello": 2}


async def test_an_answer_says_what_was_asked_and_what_it_came_to(support: Support) -> None:
    async with support.world.client() as client:
        answers = await listed(client, support.url("answers"), answered="partially")
        (answer,) = answers
        assert answer["input"] == {
            "text": "why are WEBHOOKS late?",
            "raw": "why are WEBHOOKS late?\n\nNo.",
        }
        assert (answer["helpfulness"], answer["relevance"], answer["language"]) == (
            "medium", "relevant", "pt",
        )  # fmt: skip
        # What nothing was asked before is in no thread: a thread names what came before.
        assert "thread" not in answer
        whole = (await client.get(answer["urls"]["location"])).json()
        assert {name: whole[name] for name in answer} == answer
        assert text_of(whole["response"]["steps"][0]["content"]) == "Like this.So."
        path = support.url("answers", answer["id"])
        assert (await client.get(f"{path}/thread")).json() == [whole]
        (source,) = await listed(client, f"{path}/sources")
        assert (source["type"], source["record"], source["connector"]) == (
            "record", "late-6", "builtin:email",
        )  # fmt: skip
        for params, many in (
            ({"helpfulness": "low"}, 1),
            ({"language": "pt"}, 1),
            ({"question.type": "how-to"}, 1),
            ({"question": answer["question"]["id"]}, 7),
            ({"thread": "late-3"}, 1),
            ({"topic": support.late, "channelType": "builtin:slack"}, 6),
            ({"to": "2020-01-01T00:00:00Z"}, 0),
        ):
            assert len(await listed(client, support.url("answers"), **params)) == many, params


async def test_a_finding_is_called_what_its_cluster_is(support: Support) -> None:
    async with support.world.client() as client:
        await support.found(client)
        path = f"/orgs/{support.world.home}/conversations-clusters/{support.late}"
        assert (await client.patch(path, json={"label": "Webhooks wait"})).is_success
        assert "Webhooks wait" in await support.found(client)


async def test_records_are_conversations_and_documents_beside_them(support: Support) -> None:
    async with support.world.client() as client:
        path = support.url("context-records")
        document = {
            "id": "paper", "type": "document", "title": "Payments", "description": "All of them.",
            "body": "Webhooks arrive late.", "url": "urn:papers:7", "metadata": {"pages": 7},
            "createdAt": "2026-01-02T03:04:05Z",
        }  # fmt: skip
        ticket = {"id": "t-1", "type": "ticket", "title": "Webhooks arrive late", "body": "Why?"}
        assert (await client.put(path, json=[document, ticket])).status_code == 204
        await support.put_into(client, support.late, "t-1")
        (found,) = await listed(client, path, type="document")
        assert (found["title"], found["description"]) == ("Payments", "All of them.")
        assert (found["connector"], found["connection"]) == ("builtin:api", "api")
        assert (found["createdAt"], found["urls"]["source"]) == (
            "2026-01-02T03:04:05Z", "urn:papers:7",
        )  # fmt: skip
        assert (await client.get(found["urls"]["location"])).json() == found
        latest = (await listed(client, path))[0]
        assert (latest["id"], latest["topics"]) == ("t-1", [support.late])
        assert len(await listed(client, path, topic=support.late)) == 8
        for params, many in (({"connector": "builtin:zendesk"}, 1), ({"connection": "slack"}, 6)):
            assert len(await listed(client, path, **params)) == many
        # A ticket is a conversation, a document is none.
        home = f"/orgs/{support.world.home}/conversations"
        keys = [each["id"] for each in await listed(client, home)]
        assert ("t-1" in keys, "paper" in keys, len(keys)) == (True, False, 10)
        assert (await client.get(f"{home}/paper")).status_code == 404
        # It may become one, and the other way round.
        other = [document | {"type": "ticket"}, ticket | {"type": "document"}]
        assert (await client.put(path, json=other)).is_success
        keys = [each["id"] for each in await listed(client, home)]
        assert ("t-1" in keys, "paper" in keys, len(keys)) == (False, True, 10)
        refused = await client.put(path, json=[ticket | {"id": "a/b"}])
        assert (refused.status_code, "address" in refused.text) == (400, True)

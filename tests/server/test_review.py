"""Reviews of change requests and requests for them, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from copydesk.server.queries.question import paragraphs
from tests.world import World


@pytest.fixture
def path(world: World) -> str:
    space = world.space("Handbook", {"intro": "x"})
    world.change_request(space, {"intro": "y"}, by=world.user("lee"))
    return f"/spaces/{space}/change-requests/1"


async def test_a_review_is_outdated_once_the_change_request_moves_on(
    world: World, path: str
) -> None:
    rita = world.user("rita", "review")
    async with world.client(rita) as client:
        answer = await client.post(f"{path}/reviews", json={"status": "approved"})
        assert answer.status_code == 201
        assert (await client.get(answer.headers["location"])).json() == answer.json()
        made = answer.json()
        change_request = (await client.get(path)).json()
        assert made["object"] == "change-request-review"
        assert (made["status"], made["outdated"]) == ("approved", False)
        assert made["reviewer"]["id"] == rita
        assert made["revision"] == change_request["revision"]
        assert "comment" not in made
        world.edit_change_request(change_request["id"], {"intro": "z"})
        listed = (await client.get(f"{path}/reviews")).json()
    assert listed["count"] == 1
    assert listed["items"] == [{**made, "outdated": True}]


async def test_what_a_review_says_starts_a_thread(world: World, path: str) -> None:
    async with world.client() as client:
        body = {"status": "changes-requested", "comment": {"markdown": "Say why."}}
        made = (await client.post(f"{path}/reviews", json=body)).json()
        threads = (await client.get(f"{path}/comments")).json()["items"]
        assert (await client.get(path)).json()["comments"] == 1
        listed = [
            (await client.get(f"{path}/reviews", params=asked)).json()["items"]
            for asked in ({"format": "document"}, {"outdated": True}, {"outdated": False})
        ]
    # The comment is the thread, and says its words by themselves too.
    assert made["comment"] == {**threads[0], "markdown": "Say why."}
    assert "document" in listed[0][0]["comment"]["body"]
    assert listed[1:] == [[], [made]]
    assert [(t["body"]["markdown"], t["target"]["review"]) for t in threads] == [
        ("Say why.", made["id"])
    ]


async def test_reviews_come_newest_first_in_pages(world: World, path: str) -> None:
    async with world.client() as client:
        made = [
            (await client.post(f"{path}/reviews", json={"status": "approved"})).json()["id"]
            for _ in range(3)
        ]
        first = (await client.get(f"{path}/reviews", params={"limit": 2})).json()
        params = {"limit": 2, "page": first["next"]["page"]}
        rest = (await client.get(f"{path}/reviews", params=params)).json()
    assert [item["id"] for item in first["items"] + rest["items"]] == made[::-1]


@pytest.mark.parametrize(
    "body", [{}, {"status": "liked"}, {"status": "approved", "comment": {"markdown": " "}}]
)
async def test_what_is_no_review_is_a_400(world: World, path: str, body: Any) -> None:
    async with world.client() as client:
        assert (await client.post(f"{path}/reviews", json=body)).status_code == 400
        assert (await client.get(f"{path}/reviews")).json()["count"] == 0


async def test_who_may_review_and_when(world: World, path: str) -> None:
    async with world.client(world.user("mo", "comment")) as client:
        assert (await client.get(f"{path}/reviews")).status_code == 200
        answer = await client.post(f"{path}/reviews", json={"status": "approved"})
        assert answer.status_code == 403
    async with world.client() as client:
        await client.post(f"{path}/merge")
        answer = await client.post(f"{path}/reviews", json={"status": "approved"})
        assert answer.status_code == 412


async def test_people_are_asked_and_asked_no_more(world: World, path: str) -> None:
    mo, zoe = world.user("mo", "comment"), world.user("zoe", "review")
    async with world.client(world.user("lee")) as client:
        asked = await client.post(f"{path}/requested-reviewers", json={"users": [mo]})
        assert asked.status_code == 200
        asked = await client.post(f"{path}/requested-reviewers", json={"users": [zoe, mo]})
        items = asked.json()["items"]
        assert [item["user"]["id"] for item in items] == [mo, zoe]
        assert items[0]["requestedBy"]["id"] == world.user("lee")
        assert items[0]["createdAt"] < items[1]["createdAt"]
        assert asked.json()["users"] == items
        assert items == (await client.get(f"{path}/requested-reviewers")).json()["items"]
        before = (await client.get(path)).json()
        assert {item["revision"] for item in items} == {before["revision"]}
        said = {
            "users": [zoe],
            "subject": "Prices",
            "description": paragraphs(["Look at these."]).to_dict(),
        }
        await client.post(f"{path}/requested-reviewers", json=said)
        after = (await client.get(path)).json()
        assert (after["subject"], "Look at these." in str(after["description"])) == ("Prices", True)
        await client.patch(path, json={"status": "archived"})
        late = await client.post(f"{path}/requested-reviewers", json={"users": [mo]})
        assert (late.status_code, "archived" in late.text) == (412, True)
        await client.patch(path, json={"status": "open"})
        one = f"{path}/requested-reviewers/{mo}"
        assert (await client.delete(one)).status_code == 205
        assert (await client.delete(one)).status_code == 204
        left = (await client.get(f"{path}/requested-reviewers")).json()
        assert [item["user"]["id"] for item in left["items"]] == [zoe]


async def test_who_cannot_be_asked(world: World, path: str) -> None:
    stranger, guest = world.user("sam", member=False), world.user("gus", None)
    for wrong in ([], [stranger], [guest], [world.user("lee")], ["nobody"]):
        async with world.client() as client:
            answer = await client.post(f"{path}/requested-reviewers", json={"users": wrong})
            assert answer.status_code == 400, wrong
            assert (await client.get(f"{path}/requested-reviewers")).json()["items"] == []


async def test_who_may_ask(world: World, path: str) -> None:
    rita, mo = world.user("rita", "review"), world.user("mo")
    async with world.client(rita) as client:
        answer = await client.post(f"{path}/requested-reviewers", json={"users": [mo]})
        assert answer.status_code == 403
        assert (await client.delete(f"{path}/requested-reviewers/{mo}")).status_code == 403

"""Threads over HTTP, on spaces and on change requests alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from copydesk.server.queries.written import MOST_CHARACTERS
from copydesk.server.store import Row
from tests.world import World


@dataclass
class Place:
    """A space or a change request to comment on."""

    world: World
    space: str
    change_request: str | None

    def path(self, *more: str) -> str:
        above = f"/change-requests/{self.change_request}" if self.change_request else ""
        return "/".join([f"/spaces/{self.space}{above}/comments", *more])

    def comment(self, text: str = "A thought", **settings: Any) -> str:
        return self.world.comment(self.space, text, change_request=self.change_request, **settings)

    def open_comments(self) -> int:
        count: int = self._row()["comments"]
        return count

    def revision(self) -> str:
        found: str = self._row()["revision_id"]
        return found

    def _row(self) -> Row:
        if self.change_request:
            return self.world.row("change_request", self.change_request)
        return self.world.row("space", self.space)


@pytest.fixture(params=["space", "change request"])
def place(world: World, request: pytest.FixtureRequest) -> Place:
    space = world.space("Handbook", {"intro": "# Intro\n"})
    change_request = world.change_request(space, {"intro": "# Other\n"})
    return Place(world, space, change_request if request.param == "change request" else None)


async def test_a_thread_from_start_to_end(world: World, place: Place) -> None:
    lee, mo = world.user("lee"), world.user("mo", "comment")
    page = world.page_id(place.space, "intro")
    async with world.client(lee) as client, world.client(mo) as other:
        body = {"page": page, "node": "block-1", "body": {"markdown": "Is this **so**?"}}
        answer = await client.post(place.path(), json=body)
        assert answer.status_code == 200
        made = answer.json()
        assert place.open_comments() == 1
        assert made["body"] == {"markdown": "Is this **so**?"}
        assert made["postedBy"]["id"] == lee
        assert made["permissions"] == {"view": True, "edit": True, "reply": True, "delete": True}
        assert made["urls"]["location"] == f"http://desk/v1{place.path(made['id'])}"
        assert (await client.get(made["urls"]["location"])).json() == made
        target = made["target"]
        assert (target["page"], target["node"]) == ({"id": page}, {"id": "block-1"})
        nowhere = await client.post(place.path(), json={**body, "node": ""})
        assert "node" not in nowhere.json()["target"]
        await client.delete(place.path(nowhere.json()["id"]))
        assert target["space"] == place.space
        assert target["revision"] == place.revision()
        assert target.get("changeRequest") == place.change_request
        assert (made["status"], made["replies"], made["repliers"]) == ("open", 0, [])

        reply = await other.post(
            place.path(made["id"], "replies"), json={"body": {"markdown": "It is."}}
        )
        assert reply.status_code == 200
        assert (await client.get(reply.json()["urls"]["location"])).json()["postedBy"]["id"] == mo
        seen = (await other.get(place.path(made["id"]))).json()
        assert seen["replies"] == 1
        assert [(r["user"]["id"], r["count"]) for r in seen["repliers"]] == [(mo, 1)]
        assert seen["permissions"] == {"view": True, "edit": False, "reply": True, "delete": False}

        done = (await other.put(place.path(made["id"]), json={"resolved": True})).json()
        assert (done["status"], done["resolvedBy"]["id"]) == ("resolved", mo)
        assert "resolvedAt" in done
        assert place.open_comments() == 0
        again = (await client.put(place.path(made["id"]), json={"resolved": True})).json()
        assert again["resolvedBy"]["id"] == mo
        back = (await client.put(place.path(made["id"]), json={"resolved": False})).json()
        assert back["status"] == "open"
        assert "resolvedAt" not in back
        assert "resolvedBy" not in back
        assert place.open_comments() == 1

        edited = await client.put(place.path(made["id"]), json={"body": {"markdown": "So?"}})
        assert edited.json()["body"] == {"markdown": "So?"}
        assert "editedAt" in edited.json()

        gone = await client.delete(place.path(made["id"]))
        assert (gone.status_code, gone.content) == (205, b"")
        assert place.open_comments() == 0
        assert (await client.delete(place.path(made["id"]))).status_code == 204
        assert (await client.get(place.path(made["id"]))).status_code == 404
        assert (await client.get(place.path(made["id"], "replies"))).status_code == 404


async def test_list_order_filters_and_pages(world: World, place: Place) -> None:
    lee = world.user("lee")
    page = world.page_id(place.space, "intro")
    made = [place.comment(f"{n}", by=lee if n % 2 else None) for n in range(5)]
    on_page = place.comment("here", page=page)
    async with world.client() as client:
        await client.put(place.path(made[1]), json={"resolved": True})

        async def ids(**params: Any) -> list[str]:
            answer = await client.get(place.path(), params=params)
            assert answer.status_code == 200
            return [item["id"] for item in answer.json()["items"]]

        assert await ids() == [on_page, *reversed(made)]
        assert await ids(order="asc") == [*made, on_page]
        assert await ids(status="resolved") == [made[1]]
        assert await ids(status="open", order="asc") == [made[0], *made[2:], on_page]
        assert await ids(targetPage=page) == [on_page]
        assert await ids(authors=[lee]) == [made[3], made[1]]
        assert await ids(authors=[lee, world.ana]) == [on_page, *reversed(made)]
        assert await ids(authors=["nobody"]) == []
        first = (await client.get(place.path(), params={"limit": 4})).json()
        assert (first["count"], len(first["items"])) == (6, 4)
        rest = await ids(limit=4, page=first["next"]["page"])
        assert rest == [made[1], made[0]]
        for wrong in ({"order": "up"}, {"status": "new"}, {"format": "html"}, {"limit": -1}):
            assert (await client.get(place.path(), params=wrong)).status_code == 400


async def test_lists_of_a_space_and_its_change_request_are_apart(
    world: World, place: Place
) -> None:
    here = place.comment()
    other = Place(world, place.space, None if place.change_request else "1")
    async with world.client() as client:
        assert (await client.get(other.path())).json()["count"] == 0
        assert (await client.get(other.path(here))).status_code == 404
        assert (await client.put(other.path(here), json={"resolved": True})).status_code == 404
        assert (await client.delete(other.path(here))).status_code == 204
        assert (await client.get(place.path(here))).status_code == 200


async def test_texts_come_as_documents_when_asked_for(world: World, place: Place) -> None:
    key = place.comment("Some **text**")
    reply = world.reply(key, "More")
    async with world.client() as client:
        for path in (place.path(key), place.path(key, "replies", reply)):
            body = (await client.get(path, params={"format": "document"})).json()["body"]
            assert body.keys() == {"document"}
            assert body["document"]["object"] == "document"
        listed = await client.get(place.path(), params={"format": "document"})
        assert listed.json()["items"][0]["body"].keys() == {"document"}
        document = body["document"]
        answer = await client.post(place.path(), json={"body": {"document": document}})
        assert answer.json()["body"]["markdown"].strip() == "More"


async def test_a_comment_has_so_many_characters_and_no_more(world: World, place: Place) -> None:
    key = place.comment()
    long = "x" * (MOST_CHARACTERS + 1)
    paragraph = {"object": "block", "type": "paragraph", "nodes": [
        {"object": "text", "leaves": [{"object": "leaf", "text": long, "marks": []}]}
    ]}  # fmt: skip
    document = {"object": "document", "data": {"schemaVersion": 1}, "nodes": [paragraph]}
    async with world.client() as client:
        said = {"body": {"markdown": long[1:]}}
        assert (await client.post(place.path(), json=said)).is_success
        for body in ({"markdown": long}, {"document": document}):
            for answer in (
                await client.post(place.path(), json={"body": body}),
                await client.put(place.path(key), json={"body": body}),
                await client.post(place.path(key, "replies"), json={"body": body}),
            ):
                assert answer.status_code == 400
                assert "at most 100,000 fit" in answer.json()["error"]["message"]


async def test_reactions_count_once_for_each_person(world: World, place: Place) -> None:
    key = place.comment()
    lee = world.user("lee")
    async with world.client() as client, world.client(lee) as other:
        await client.put(place.path(key), json={"addedReactions": ["👍", "🎉"]})
        both = {"addedReactions": ["👍", "👍", "🧐"], "removedReactions": ["🧐"]}
        await other.put(place.path(key), json=both)
        shown = (await client.get(place.path(key))).json()["reactions"]
        assert [(r["emoji"], r["count"]) for r in shown] == [("🎉", 1), ("👍", 2)]
        assert [who["user"]["id"] for who in shown[1]["users"]] == [world.ana, lee]
        shown = (await client.put(place.path(key), json={"removedReactions": ["👍"]})).json()
        assert [(r["emoji"], r["count"]) for r in shown["reactions"]] == [("🎉", 1), ("👍", 1)]
        for wrong in ([" "], ["x" * 51], "👍"):
            answer = await client.put(place.path(key), json={"addedReactions": wrong})
            assert answer.status_code == 400


async def test_a_comment_has_a_hundred_different_emoji_at_most(world: World, place: Place) -> None:
    """Whoever reads the comment gets them all, each with who took it."""
    key = place.comment()
    many = [f"emoji {number}" for number in range(100)]
    async with world.client() as client, world.client(world.user("lee")) as other:
        await client.put(place.path(key), json={"addedReactions": many})
        answer = await other.put(place.path(key), json={"addedReactions": [*many[:2], "👍"]})
        assert answer.status_code == 400
        assert "100 different emoji" in answer.json()["error"]["message"]
        assert (await other.put(place.path(key), json={"addedReactions": many})).is_success
        swapped = {"addedReactions": ["👍"], "removedReactions": many}
        assert (await client.put(place.path(key), json=swapped)).status_code == 400
        assert (await other.put(place.path(key), json={"removedReactions": many})).is_success
        assert (await client.put(place.path(key), json=swapped)).is_success
        shown = (await client.get(place.path(key))).json()["reactions"]
        assert [each["emoji"] for each in shown] == ["👍"]


async def test_replies_in_the_order_of_the_talk(world: World, place: Place) -> None:
    key = place.comment()
    lee = world.user("lee")
    replies = [world.reply(key, str(n), by=lee if n else None) for n in range(4)]
    async with world.client() as client, world.client(lee) as author:
        first = (await client.get(place.path(key, "replies"), params={"limit": 3})).json()
        assert [item["id"] for item in first["items"]] == replies[:3]
        assert first["count"] == 4
        token = first["next"]["page"]
        rest = await client.get(place.path(key, "replies"), params={"limit": 3, "page": token})
        assert [item["id"] for item in rest.json()["items"]] == replies[3:]

        one = place.path(key, "replies", replies[1])
        assert (await client.put(one, json={"body": {"markdown": "no"}})).status_code == 403
        edited = (await author.put(one, json={"body": {"markdown": "yes"}})).json()
        assert edited["body"]["markdown"] == "yes"
        reacted = (await client.put(one, json={"addedReactions": ["👀"]})).json()
        assert [r["emoji"] for r in reacted["reactions"]] == ["👀"]
        assert (await author.delete(one)).status_code == 205
        assert (await author.delete(one)).status_code == 204
        assert (await author.get(one)).status_code == 404
        assert (await client.get(place.path(key))).json()["replies"] == 3
        assert (await client.delete(place.path(key))).status_code == 205
    rows = world.store.read(lambda tx: tx.value("SELECT count(*) FROM reply"))
    reactions = world.store.read(lambda tx: tx.value("SELECT count(*) FROM reaction"))
    assert (rows, reactions) == (0, 0)


async def test_a_reply_of_a_change_request_may_resolve_its_thread(world: World) -> None:
    space = world.space("Handbook", {"intro": "x"})
    place = Place(world, space, world.change_request(space))
    key = place.comment()
    reply = world.reply(key)
    async with world.client() as client:
        answer = await client.put(place.path(key, "replies", reply), json={"resolved": True})
        assert answer.status_code == 200
        assert (await client.get(place.path(key))).json()["status"] == "resolved"
        plain = Place(world, space, None)
        other = plain.comment()
        answer = await client.put(
            plain.path(other, "replies", world.reply(other)), json={"resolved": True}
        )
        assert answer.status_code == 400


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"body": {}},
        {"body": {"markdown": "  \n"}},
        {"body": {"markdown": "x"}, "page": "nowhere"},
        {"body": {"markdown": "x"}, "unknown": 1},
        {"body": "x"},
        {"body": {"markdown": "x"}, "tableCell": {"record": "r"}},
        {"body": {"markdown": "x"}, "tableCell": {"record": "r", "definition": "d"}},
        {"body": {"markdown": "x"}, "node": "block-1"},
    ],
)
async def test_what_is_no_comment_is_a_400(world: World, place: Place, body: Any) -> None:
    async with world.client() as client:
        answer = await client.post(place.path(), json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]["message"]
    assert place.open_comments() == 0


async def test_a_table_cell_is_kept(world: World, place: Place) -> None:
    cell = {"record": "row", "definition": "column"}
    body = {"body": {"markdown": "x"}, "page": world.page_id(place.space, "intro")}
    async with world.client() as client:
        made = await client.post(place.path(), json={**body, "tableCell": cell})
    assert made.json()["target"]["tableCell"] == cell


async def test_who_may_do_what(world: World, place: Place) -> None:
    key = place.comment(by=world.user("lee"))
    reply = world.reply(key, by=world.user("lee"))
    reader, mo, ana = world.user("rob", "read"), world.user("mo", "comment"), world.ana
    new = {"body": {"markdown": "x"}}
    one = place.path(key)
    calls: list[tuple[str, str, Any, dict[str, int]]] = [
        ("GET", one, None, {reader: 200, mo: 200, ana: 200}),
        ("POST", place.path(), new, {reader: 403, mo: 200}),
        ("POST", place.path(key, "replies"), new, {reader: 403, mo: 200}),
        ("PUT", one, {"resolved": True}, {reader: 403, mo: 200}),
        ("PUT", one, {"addedReactions": ["👍"]}, {reader: 403, mo: 200}),
        ("PUT", one, new, {reader: 403, mo: 403, ana: 403}),
        ("PUT", place.path(key, "replies", reply), new, {mo: 403, ana: 403}),
        ("DELETE", place.path(key, "replies", reply), None, {reader: 403, mo: 403, ana: 205}),
        ("DELETE", one, None, {reader: 403, mo: 403, ana: 205}),
    ]
    for method, path, body, expected in calls:
        for user, status in expected.items():
            async with world.client(user) as client:
                answer = await client.request(method, path, json=body)
            assert answer.status_code == status, (method, path, answer.text)
    async with world.client(world.user("zoe", member=False)) as client:
        assert (await client.get(place.path())).status_code == 404
        assert (await client.post(place.path(), json=new)).status_code == 404


async def test_a_deleted_page_of_a_change_request_can_be_spoken_of(world: World) -> None:
    space = world.space("Handbook", {"intro": "x", "old": "y"})
    page = world.page_id(space, "old")
    place = Place(world, space, world.change_request(space, {"old": None}))
    async with world.client() as client:
        answer = await client.post(
            place.path(), json={"page": page, "body": {"markdown": "Keep it?"}}
        )
    assert answer.status_code == 200


async def test_commenters_are_members_who_commented_or_replied(world: World) -> None:
    space = world.space("Handbook", {"intro": "x"})
    key = world.change_request(space)
    lee, mo, away = world.user("lee"), world.user("mo"), world.user("zoe", member=False)
    world.user("silent")
    comment = world.comment(space, by=mo, change_request=key)
    world.comment(space, by=away, change_request=key)
    world.reply(comment, by=lee)
    world.reply(comment, by=lee)
    world.comment(space)
    async with world.client() as client:
        answer = (await client.get(f"/spaces/{space}/change-requests/1/commenters")).json()
        of_space = (await client.get(f"/spaces/{space}/commenters")).json()
    assert [item["user"]["id"] for item in of_space["items"]] == [world.ana]
    assert answer["count"] == 2
    assert [(item["object"], item["user"]["id"]) for item in answer["items"]] == [
        ("member", lee),
        ("member", mo),
    ]


async def test_the_counts_show_on_the_space_and_the_change_request(world: World) -> None:
    space = world.space("Handbook", {"intro": "x"})
    key = world.change_request(space)
    world.comment(space)
    for _ in range(2):
        world.comment(space, change_request=key)
    async with world.client() as client:
        assert (await client.get(f"/spaces/{space}")).json()["comments"] == 1
        assert (await client.get(f"/spaces/{space}/change-requests/1")).json()["comments"] == 2


async def test_a_comment_asks_once_who_writes_it_and_each_time_whether_they_may(
    world: World,
) -> None:
    space = world.space()
    path, body = f"/spaces/{space}/comments", {"body": {"markdown": "Hello"}}
    async with world.client(token=world.token(world.ana)) as client:
        assert (await client.post(path, json=body)).status_code == 200
        with world.statements() as asked:
            assert (await client.post(path, json=body)).status_code == 200
        for table in ("token", "member", "access_grant", "user"):
            assert not [said for said in asked if f"FROM {table} " in said], table
        world.write(lambda tx: tx.run("DELETE FROM access_grant"))
        world.write(lambda tx: tx.run("DELETE FROM token"))
        assert (await client.post(path, json=body)).status_code == 401

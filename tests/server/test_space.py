"""Spaces, over HTTP."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from copydesk.server.desk_writes import Editor
from copydesk.server.queries.space import remove_space
from copydesk.server.store import Tx
from tests.world import World


async def listed(world: World, user: str | None = None) -> list[str]:
    async with world.client(user) as client:
        found = (await client.get(f"/orgs/{world.home}/spaces")).json()
    return [item["id"] for item in found["items"]]


def left_over(world: World) -> dict[str, int]:
    """Return how many rows of spaces and what belongs to them a desk has."""

    def count(tx: Tx) -> dict[str, int]:
        tables = ("space", "change_request", "comment", "reply", "reaction", "revision", "page")
        counts = {table: tx.value(f"SELECT count(*) FROM {table}") for table in tables}
        return {table: number for table, number in counts.items() if number}

    return world.store.read(count)


def beside(side: str, space: str) -> dict[str, Any]:
    return {side: {"type": "space", "space": space}}


async def test_a_space_shows_every_field(world: World) -> None:
    shelf = world.collection("Shelf")
    space = world.space("Handbook", {"intro": "Hi.\n"}, parent=shelf, emoji="1f4d6", language="en")
    world.change_request(space, {"intro": "Hello.\n"})
    world.comment(space)
    async with world.client() as client:
        found = (await client.get(f"/spaces/{space}")).json()
    assert found.pop("createdAt") <= found.pop("updatedAt")
    assert all(found.pop("permissions").values())
    assert found == {
        "object": "space",
        "id": space,
        "title": "Handbook",
        "emoji": "1f4d6",
        "visibility": "private",
        "editMode": "live",
        "mergeRules": {"type": "inherit"},
        "urls": {
            "location": f"http://desk/v1/spaces/{space}",
            "app": f"http://desk/app/o/{world.home}/s/{space}",
        },
        "organization": world.home,
        "parent": shelf,
        "language": "en",
        "revision": world.row("space", space)["revision_id"],
        "defaultLevel": "inherit",
        "comments": 1,
        "changeRequests": 1,
        "changeRequestsOpen": 1,
        "changeRequestsDraft": 0,
    }


async def test_permissions_are_the_callers(world: World) -> None:
    space = world.space()
    reviewer = world.user("rosa", "review")
    async with world.client(reviewer) as client:
        found = (await client.get(f"/spaces/{space}")).json()["permissions"]
    allowed = {name for name, held in found.items() if held}
    assert allowed == {"view", "access", "comment", "review"}


async def test_the_list_leaves_out_what_is_hidden_or_deleted(world: World) -> None:
    bo = world.user("bo")
    seen = world.space("Seen")
    hidden = world.space("Hidden", default_level=None)
    deleted = world.space("Deleted")
    async with world.client() as client:
        await client.delete(f"/spaces/{deleted}")
    assert await listed(world) == [seen, hidden]
    assert await listed(world, bo) == [seen]
    async with world.client(bo) as client:
        assert (await client.get(f"/spaces/{hidden}")).status_code == 404
        assert (await client.get(f"/orgs/{world.organization('O')}/spaces")).status_code == 404


async def test_the_list_pages_through_every_space_once(world: World) -> None:
    made = [world.space(f"Space {number}") for number in range(7)]
    found: list[str] = []
    query: dict[str, str | int] = {"limit": 3}
    async with world.client() as client:
        while True:
            page = (await client.get(f"/orgs/{world.home}/spaces", params=query)).json()
            found += [item["id"] for item in page["items"]]
            assert page["count"] == 7
            if "next" not in page:
                break
            query["page"] = page["next"]["page"]
    assert found == made


async def test_creating_takes_the_right_to(world: World) -> None:
    creator, editor = world.user("cy", "create"), world.user("ed", "edit")
    shelf = world.collection("Shelf")
    path = f"/orgs/{world.home}/spaces"
    async with world.client(creator) as client:
        body = {
            "title": "New",
            "emoji": "1f4d6",
            "parent": shelf,
            "language": "pt-br",
            "editMode": "locked",
        }
        made = await client.post(path, json=body)
        plain = await client.post(path, json={"empty": True})
        filled = await client.post(path, json={"empty": False})
        pages = await client.get(f"/spaces/{plain.json()['id']}/content/pages")
        located = await client.get(made.headers["location"])
        long = await client.post(path, json={"title": "x" * 51})
        wrong = await client.post(path, json={"language": "klingon"})
        nowhere = await client.post(path, json={"parent": "none"})
    async with world.client(editor) as client:
        refused = await client.post(path, json={"title": "New"})
    assert filled.status_code == 400
    assert "without pages only" in filled.json()["error"]["message"]
    assert made.status_code == 201
    assert {name: made.json()[name] for name in body} == body
    assert made.json()["permissions"]["admin"]
    assert located.json() == made.json()
    assert plain.json()["title"] == "Untitled"
    assert pages.json() == {"pages": []}
    codes = [a.status_code for a in (long, wrong, nowhere, refused)]
    assert codes == [400, 400, 404, 403]


async def test_settings_change_and_stay(world: World) -> None:
    bo = world.user("bo")
    space = world.space()
    changes: dict[str, Any] = {
        "title": "Renamed",
        "emoji": "1f600",
        "editMode": "locked",
        "language": "de",
        "defaultLevel": None,
        "mergeRules": {
            "type": "rules",
            "rules": [{"rule": "require_one_of_specific_reviewers", "users": [bo]}],
        },
    }
    async with world.client() as client:
        before = (await client.get(f"/spaces/{space}")).json()
        answer = await client.patch(f"/spaces/{space}", json=changes)
        found = (await client.get(f"/spaces/{space}")).json()
        bare = await client.patch(f"/spaces/{space}", json={"emoji": None})
    assert bare.json()["emoji"] == ""
    assert answer.status_code == 200
    assert answer.json() == found
    assert {name: found[name] for name in changes} == changes
    assert found["updatedAt"] > before["updatedAt"]


@pytest.mark.parametrize(
    "body",
    [
        {"title": "x" * 51},
        {"title": None},
        {"emoji": "x" * 51},
        {"editMode": "open"},
        {"language": "xx"},
        {"mergeRules": {"type": "rules"}},
        {
            "mergeRules": {
                "type": "rules",
                "rules": [{"rule": "require_specific_reviewers", "users": ["nobody"]}],
            }
        },
    ],
)
async def test_bad_settings_are_refused(world: World, body: dict[str, Any]) -> None:
    space = world.space()
    async with world.client() as client:
        assert (await client.patch(f"/spaces/{space}", json=body)).status_code == 400


async def test_administration_takes_administrators(world: World) -> None:
    bo = world.user("bo", "create")
    space, home = world.space(), world.home
    async with world.client(bo) as client:
        answers = [
            await client.patch(f"/spaces/{space}", json={"title": "Mine"}),
            await client.delete(f"/spaces/{space}"),
            await client.post(f"/spaces/{space}/move", json={"parent": None}),
            await client.post(f"/spaces/{space}/transfer", json={"organization": home}),
        ]
    async with world.client() as client:
        await client.delete(f"/spaces/{space}")
    async with world.client(bo) as client:
        answers.append(await client.post(f"/spaces/{space}/restore"))
    assert [answer.status_code for answer in answers] == [403] * 5
    assert "'admin'" in answers[0].json()["error"]["message"]


async def test_a_deleted_space_can_only_be_restored(world: World) -> None:
    space, editor = world.space("Handbook", {"intro": "Hi.\n"}), world.user("ed", "edit")
    async with world.client() as client, world.client(editor) as other:
        deleted = await client.delete(f"/spaces/{space}")
        again = await client.delete(f"/spaces/{space}")
        # Who may restore it reads until when.
        trashed = (await client.get(f"/spaces/{space}")).json()
        assert trashed["deletedAt"] == trashed["updatedAt"]
        assert {name for name, held in trashed["permissions"].items() if held} == {"admin"}
        assert (await other.get(f"/spaces/{space}")).status_code == 404
        keyed = await client.get(f"/spaces/{space}", params={"shareKey": "any"})
        assert (keyed.status_code, "'any'" in keyed.text) == (404, True)
        reads = [
            await client.get(f"/spaces/{space}/content"),
            await client.patch(f"/spaces/{space}", json={"title": "X"}),
            await client.post(f"/spaces/{space}/duplicate"),
        ]
        restored = await client.post(f"/spaces/{space}/restore")
        twice = await client.post(f"/spaces/{space}/restore")
        pages = (await client.get(f"/spaces/{space}/content/pages")).json()["pages"]
    assert (deleted.status_code, deleted.content, again.status_code) == (205, b"", 204)
    assert [answer.status_code for answer in reads] == [404] * 3
    assert restored.status_code == 200
    assert "deletedAt" not in restored.json()
    assert twice.status_code == 409
    assert [page["path"] for page in pages] == ["intro"]


async def test_an_unknown_space_is_not_there(world: World) -> None:
    async with world.client() as client:
        assert (await client.get("/spaces/none")).status_code == 404
        assert (await client.post("/spaces/none/restore")).status_code == 404
        assert (await client.delete("/spaces/none")).status_code == 204


async def test_the_trash_is_emptied_after_seven_days(world: World) -> None:
    space = world.space("Old", {"intro": "Hi.\n"})
    request = world.change_request(space, {"intro": "Hello.\n"})
    comment = world.comment(space, change_request=request)
    world.reply(comment)
    other = world.space("Other")
    async with world.client() as client:
        await client.delete(f"/spaces/{space}")
        world.clock.now += timedelta(days=6, hours=23)
        await client.delete(f"/spaces/{other}")
        assert (await client.post(f"/spaces/{space}/restore")).status_code == 200
        await client.delete(f"/spaces/{space}")
        world.clock.now += timedelta(days=7, seconds=1)
        assert (await client.get(f"/spaces/{space}")).status_code == 404
        assert (await client.post(f"/spaces/{space}/restore")).status_code == 404
        # A refusal undoes its own cleaning; the next write cleans for good.
        assert (await client.post(f"/orgs/{world.home}/spaces", json={})).status_code == 201
    assert left_over(world) == {"space": 1, "revision": 1}


def test_what_others_name_too_outlives_a_space(world: World) -> None:
    def fill(editor: Editor) -> None:
        editor.file("shared.bin", b"Shared.\n")
        editor.file("text.md", b"A text here, a file there.\n")

    kept = world.space("Kept", {"intro": "Own.\n", "same": "Same.\n"})
    world.commit(kept, edit=fill)
    pages = {"a": "A text here, a file there.\n", "b": "Same.\n", "c": "Gone.\n", "d": "Shared.\n"}
    gone = world.space("Gone", pages)

    def add_file(editor: Editor) -> None:
        editor.file("gone.bin", b"gone")

    world.commit(gone, edit=add_file)
    world.write(lambda tx: remove_space(tx, gone))

    def left(tx: Tx) -> tuple[set[bytes], int, int]:
        blobs = {row["data"] for row in tx.all("SELECT data FROM blob")}
        strays = tx.value(
            "SELECT count(*) FROM tree WHERE hash NOT IN (SELECT tree_hash FROM revision)"
        )
        return blobs, tx.value("SELECT count(*) FROM page_version"), strays

    texts = {b"Own.\n", b"Same.\n", b"Shared.\n", b"A text here, a file there.\n"}
    assert world.store.read(left) == (texts, 2, 0)


async def test_a_copy_has_the_pages_and_none_of_the_talk(world: World) -> None:
    shelf = world.collection("Shelf")
    space = world.space("H" * 50, {"intro": "Hi.\n", "guides/install": "Do.\n"}, parent=shelf)
    after = world.space("After", parent=shelf)
    world.comment(space)
    world.change_request(space, {"intro": "Hello.\n"})
    async with world.client() as client:
        made = await client.post(f"/spaces/{space}/duplicate")
        copy = made.json()
        pages = (await client.get(f"/spaces/{copy['id']}/content/pages")).json()["pages"]
        inside = (await client.get(f"/collections/{shelf}/spaces")).json()["items"]
        install = pages[1]["pages"][0]
        text = await client.get(
            f"/spaces/{copy['id']}/content/page/{install['id']}", params={"format": "markdown"}
        )
    assert made.status_code == 201
    assert made.headers["location"] == copy["urls"]["location"]
    assert copy["title"] == "H" * 43 + " (copy)"
    assert (copy["comments"], copy["changeRequests"]) == (0, 0)
    assert [item["id"] for item in inside] == [space, copy["id"], after]
    assert text.json()["markdown"] == "Do.\n"
    assert install["id"] != world.page_id(space, "guides/install")


async def test_a_copy_takes_the_right_to_create(world: World) -> None:
    space = world.space()
    bo = world.user("bo", "edit")
    async with world.client(bo) as client:
        assert (await client.post(f"/spaces/{space}/duplicate")).status_code == 403
    async with world.client(world.user("cy", "create")) as client:
        made = (await client.post(f"/spaces/{space}/duplicate")).json()
    assert made["permissions"]["admin"]


async def test_a_space_moves_among_its_siblings(world: World) -> None:
    one, two, three = (world.space(title) for title in ("One", "Two", "Three"))
    async with world.client() as client:
        path = f"/spaces/{three}/move"
        first = await client.post(path, json={"position": beside("before", one)})
        assert await listed(world) == [three, one, two]
        same = await client.post(path, json={"position": beside("before", one)})
        between = await client.post(path, json={"position": beside("after", one)})
    assert [a.status_code for a in (first, same, between)] == [200, 409, 200]
    assert await listed(world) == [one, three, two]


async def test_a_space_moves_into_a_collection_and_out(world: World) -> None:
    shelf = world.collection("Shelf")
    inside = world.space("Inside", parent=shelf)
    space = world.space("Space")
    async with world.client() as client:
        path = f"/spaces/{space}/move"
        put = await client.post(path, json={"parent": shelf, "position": beside("before", inside)})
        shelved = (await client.get(f"/collections/{shelf}/spaces")).json()["items"]
        again = await client.post(path, json={"parent": shelf})
        out = await client.post(path, json={"parent": None})
    assert put.json()["parent"] == shelf
    assert [item["id"] for item in shelved] == [space, inside]
    assert again.status_code == 409
    assert "parent" not in out.json()


async def test_what_only_a_collection_lets_see_turns_private_outside(world: World) -> None:
    shelf = world.collection("Shelf")
    space = world.space("Space", parent=shelf, visibility="in-collection")
    async with world.client() as client:
        out = await client.post(f"/spaces/{space}/move", json={"parent": None})
    assert out.json()["visibility"] == "private"


async def test_wrong_places_are_refused(world: World) -> None:
    shelf = world.collection("Shelf")
    inside = world.space("Inside", parent=shelf)
    foreign = world.collection("Foreign", organization=world.organization("Other", world.ana))
    space, trashed = world.space("Space"), world.space("Trashed")
    async with world.client() as client:
        await client.delete(f"/spaces/{trashed}")
        path = f"/spaces/{space}/move"
        answers = [
            await client.post(path, json={"position": beside("after", inside)}),
            await client.post(path, json={"position": beside("after", space)}),
            await client.post(path, json={"position": beside("after", trashed)}),
            await client.post(path, json={"position": beside("after", "none")}),
            await client.post(path, json={"position": {}}),
            await client.post(path, json={"parent": foreign}),
            await client.post(path, json={"parent": "none"}),
            await client.post(path, json={}),
        ]
    assert [answer.status_code for answer in answers] == [400, 400, 400, 400, 400, 404, 404, 409]


async def test_moving_takes_the_right_to_create_there(world: World) -> None:
    bo = world.user("bo")
    shelf = world.collection("Shelf")
    space = world.space("Space")
    world.grant(space, bo, "admin")
    async with world.client(bo) as client:
        body = {"parent": shelf}
        assert (await client.post(f"/spaces/{space}/move", json=body)).status_code == 403
        world.grant(shelf, bo, "create")
        assert (await client.post(f"/spaces/{space}/move", json=body)).status_code == 200


async def test_a_space_is_handed_over(world: World) -> None:
    bo = world.user("bo")
    other = world.organization("Other", world.ana)
    space = world.space("Space", {"intro": "Hi.\n"}, parent=world.collection("Shelf"))
    request = world.change_request(space, {"intro": "Hello.\n"})
    world.grant(space, bo, "admin")
    async with world.client() as client:
        path = f"/spaces/{space}/transfer"
        moved = await client.post(path, json={"organization": other})
        again = await client.post(path, json={"organization": other})
        unknown = await client.post(path, json={"organization": "none"})
    assert (moved.json()["organization"], "parent" in moved.json()) == (other, False)
    assert (again.status_code, unknown.status_code) == (409, 404)
    assert again.json()["error"]["message"].startswith("'Space' belongs to this organization")
    assert world.row("change_request", request)["organization_id"] == other
    assert await listed(world) == []
    async with world.client(bo) as client:
        assert (await client.get(f"/spaces/{space}")).status_code == 404


async def test_handing_over_takes_rights_in_both(world: World) -> None:
    bo = world.user("bo", "admin")
    other = world.organization("Other")
    space = world.space()
    async with world.client(bo) as client:
        body = {"organization": other}
        path = f"/spaces/{space}/transfer"
        assert (await client.post(path, json=body)).status_code == 404
        world.member(other, bo, "edit")
        assert (await client.post(path, json=body)).status_code == 403


async def test_what_a_site_shows_or_a_rule_binds_stays(world: World) -> None:
    other = world.organization("Other", world.ana)
    shown = world.space("Shown")
    rule = {"rule": "require_specific_reviewers", "users": [world.user("bo")]}
    bound = world.space("Bound", merge_rules={"type": "rules", "rules": [rule]})
    async with world.client() as client:
        made = await client.post(
            f"/orgs/{world.home}/sites", json={"title": "Docs", "spaces": [shown]}
        )
        assert made.status_code == 201
        body = {"organization": other}
        on_site = await client.post(f"/spaces/{shown}/transfer", json=body)
        ruled = await client.post(f"/spaces/{bound}/transfer", json=body)
    assert (on_site.status_code, ruled.status_code) == (412, 412)
    assert "'Docs'" in on_site.json()["error"]["message"]


async def test_a_space_on_a_site_can_be_deleted_and_purged(world: World) -> None:
    shown, next_one = world.space("Shown"), world.space("Next")
    sites = f"/orgs/{world.home}/sites"
    async with world.client() as client:
        made = await client.post(sites, json={"title": "Docs", "spaces": [shown, next_one]})
        site = f"{sites}/{made.json()['id']}"

        async def look() -> tuple[list[tuple[str, bool]], list[str], int, int]:
            found = (await client.get(f"{site}/site-spaces")).json()["items"]
            query = {"default": True}
            first = (await client.get(f"{site}/site-spaces", params=query)).json()["items"]
            return (
                [(each["space"]["title"], each["default"]) for each in found],
                [each["space"]["title"] for each in first],
                (await client.get(site)).json()["siteSpaces"],
                (await client.get(sites, params={"space": shown})).json()["count"],
            )

        assert (await client.delete(f"/spaces/{shown}")).status_code == 205
        assert await look() == ([("Shown", True), ("Next", False)], ["Shown"], 2, 1)
        world.clock.now += timedelta(days=8)
        # It is gone whether or not something was written since.
        gone = ([("Next", True)], ["Next"], 1, 0)
        assert await look() == gone
        assert (await client.post(f"/orgs/{world.home}/spaces", json={})).status_code == 201
        assert await look() == gone
        assert (await client.delete(f"/spaces/{next_one}")).status_code == 205
        world.clock.now += timedelta(days=8)
        assert (await client.post(f"/orgs/{world.home}/spaces", json={})).status_code == 201
        assert await look() == ([], [], 0, 0)

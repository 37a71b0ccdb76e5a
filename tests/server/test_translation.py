"""Translations, over HTTP: what a run makes, what it leaves alone, who may do what."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import httpx
import pytest

from copydesk.server import content
from copydesk.server.desk_writes import Editor
from tests.world import World

PAGES = {"start": "Hello there", "guide": "# Guide", "guide/pay": "How to pay", "guide/end": "Bye"}
INSTRUCTIONS = {
    "object": "document",
    "data": {"schemaVersion": 9},
    "nodes": [{"object": "block", "type": "paragraph", "nodes": []}],
}


def path(world: World, *more: str) -> str:
    return "/".join((f"/orgs/{world.home}/translations", *more))


def sentence(answer: httpx.Response) -> str:
    message: str = answer.json()["error"]["message"]
    return message


async def make(world: World, client: httpx.AsyncClient, space: str, **more: Any) -> dict[str, Any]:
    answer = await client.post(
        path(world), json={"language": "de", "source": {"space": space}, **more}
    )
    assert answer.status_code == 201, answer.text
    world.settle()
    return await get(world, client, answer.json()["id"])


async def get(world: World, client: httpx.AsyncClient, key: str) -> dict[str, Any]:
    found: dict[str, Any] = (await client.get(path(world, key))).json()
    return found


async def run(world: World, client: httpx.AsyncClient, key: str) -> dict[str, Any]:
    answer = await client.post(path(world, key, "run"))
    assert answer.status_code == 204, answer.text
    world.settle()
    return await get(world, client, key)


async def texts(client: httpx.AsyncClient, space: str) -> dict[str, str]:
    """Return the text of every page by path, in reading order."""
    found: dict[str, str] = {}
    waiting = list((await client.get(f"/spaces/{space}/content/pages")).json()["pages"])
    while waiting:
        page = waiting.pop(0)
        answer = await client.get(
            f"/spaces/{space}/content/page/{page['id']}", params={"format": "markdown"}
        )
        found[page["path"]] = answer.json().get("markdown", "")
        waiting[:0] = page.get("pages", [])
    return found


async def test_a_run_carries_a_space_over_and_tells_every_field(world: World) -> None:
    shelf = world.collection("Shelf")
    space = world.space("Handbook", PAGES, parent=shelf, language="en", emoji="📘")
    world.grant(space, world.user("bo"), "review")
    world.space("After", parent=shelf)
    async with world.client() as client:
        body = {"language": "de", "source": {"space": space}, "instructions": INSTRUCTIONS}
        made = await client.post(path(world), json=body)
        world.settle()
        found = (await client.get(made.headers["location"])).json()
        result = found["result"]["space"]
        there = (await client.get(f"/spaces/{result}")).json()
        shelved = (await client.get(f"/collections/{shelf}/spaces")).json()["items"]
        carried, original = await texts(client, result), await texts(client, space)
    begun = made.json()
    assert made.status_code == 201
    nothing = {
        "runs": 0,
        "totalWords": 0,
        "totalPages": 0,
        "totalDuration": 0,
        "latestRunDuration": 0,
        "latestPages": 0,
        "latestWords": 0,
    }
    assert begun == {
        "object": "translation",
        "id": begun["id"],
        "status": "pending",
        "source": {"space": space, "language": "en"},
        "language": "de",
        "instructions": INSTRUCTIONS,
        "createdAt": begun["createdAt"],
        "updatedAt": begun["createdAt"],
        "stats": nothing,
        "permissions": {"view": True, "edit": True},
        "urls": {"location": f"http://desk/v1{path(world, begun['id'])}"},
    }
    assert found == begun | {
        "status": "completed",
        "updatedAt": found["updatedAt"],
        "result": {"space": result, "revision": there["revision"], "language": "de"},
        "stats": {
            "runs": 1,
            "totalWords": 8,
            "totalPages": 4,
            "totalDuration": 1.0,
            "latestRunDuration": 1.0,
            "latestPages": 4,
            "latestWords": 8,
        },
    }
    assert carried == original == PAGES
    assert there["title"] == "Handbook (de)"
    assert (there["language"], there["emoji"], there["parent"]) == ("de", "📘", shelf)
    assert there["visibility"] == "in-collection"
    assert [each["title"] for each in shelved] == ["Handbook", "Handbook (de)", "After"]
    assert (
        world.store.read(
            lambda tx: tx.value("SELECT level FROM access_grant WHERE container_id = ?", result)
        )
        == "review"
    )


async def test_later_runs_carry_what_changed_and_leave_what_people_did(world: World) -> None:
    space = world.space("Handbook", PAGES)
    async with world.client() as client:
        made = await make(world, client, space)
        key, result = made["id"], made["result"]["space"]
        idle = await run(world, client, key)

        world.commit(result, {"guide/pay": "Wie man zahlt", "eigene": "Ours", "start": None})
        world.commit(
            space, {"guide/pay": "How to pay now", "guide/end": "Bye bye now", "guide/new": "New"}
        )
        second = await run(world, client, key)
        after_second = await texts(client, result)

        def rearrange(editor: Editor) -> None:
            editor.remove(editor.find("guide/end"))
            editor.remove(editor.find("guide/pay"))
            editor.move(editor.find("guide/new"), None, 0)
            editor.page("Eigene", "Theirs", slug="eigene")

        world.commit(space, edit=rearrange)
        third = await run(world, client, key)
        after_third = await texts(client, result)
    assert idle["stats"] | {"totalDuration": 1.0} == made["stats"] | {
        "runs": 2,
        "latestPages": 0,
        "latestWords": 0,
    }
    assert idle["result"] == made["result"]
    assert after_second == {
        "guide": "# Guide",
        "guide/pay": "Wie man zahlt",
        "guide/end": "Bye bye now",
        "guide/new": "New",
        "eigene": "Ours",
    }
    assert second["result"]["revision"] != made["result"]["revision"]
    stats = second["stats"]
    assert (stats["latestPages"], stats["latestWords"]) == (2, 4)
    assert (stats["totalPages"], stats["totalWords"], stats["runs"]) == (6, 12, 3)
    assert after_third == {
        "new": "New",
        "guide": "# Guide",
        "guide/pay": "Wie man zahlt",
        "eigene": "Theirs",
        "eigene-2": "Ours",
    }
    assert third["stats"]["latestPages"] == 1


async def test_files_are_carried_until_somebody_puts_their_own(world: World) -> None:
    def put(name: str, data: bytes) -> Any:
        return lambda editor: editor.file(name, data)

    def drop(editor: Editor) -> None:
        del editor.draft.files["c.png"]

    def blobs(space: str) -> dict[str, bytes]:
        return world.store.read(
            lambda tx: {
                file.path: content.blob(tx, file.blob)
                for file in content.load(
                    tx, tx.value("SELECT revision_id FROM space WHERE id = ?", space)
                ).files
            }
        )

    space = world.space("Handbook", PAGES)
    for name in ("a.png", "b.png", "c.png"):
        world.commit(space, edit=put(name, b"one"))
    async with world.client() as client:
        made = await make(world, client, space)
        result = made["result"]["space"]
        assert blobs(result) == {"a.png": b"one", "b.png": b"one", "c.png": b"one"}
        world.commit(result, edit=put("b.png", b"eins"))
        world.commit(result, edit=drop)
        for name in ("a.png", "b.png", "c.png", "d.png"):
            world.commit(space, edit=put(name, b"two"))
        await run(world, client, made["id"])
    assert blobs(result) == {"a.png": b"two", "b.png": b"eins", "d.png": b"two"}


async def test_a_result_that_is_gone_is_made_again_and_a_source_is_not(world: World) -> None:
    space = world.space("Handbook", PAGES)
    async with world.client() as client:
        made = await make(world, client, space)
        key, result = made["id"], made["result"]["space"]
        assert (await client.delete(f"/spaces/{result}")).status_code == 205
        assert "result" not in await get(world, client, key)
        again = await run(world, client, key)
        assert again["result"]["space"] != result
        assert again["stats"]["latestPages"] == 4
        await client.patch(f"/spaces/{again['result']['space']}", json={"editMode": "locked"})
        locked = await client.post(path(world, key, "run"))
        await client.delete(f"/spaces/{space}")
        gone = await client.post(path(world, key, "run"))
        world.clock.now += timedelta(days=8)
        await client.delete(f"/spaces/{again['result']['space']}")
        left = await get(world, client, key)
        answers = [await client.delete(path(world, key)) for _ in range(2)]
    assert (locked.status_code, gone.status_code) == (412, 412)
    assert "locked" in sentence(locked)
    assert "no longer" in sentence(gone)
    assert left["source"] == {}
    assert "result" not in left
    assert [answer.status_code for answer in answers] == [205, 204]


async def test_a_run_that_was_cut_off_is_made_again_and_two_never_overlap(world: World) -> None:
    space = world.space("Handbook", PAGES)
    async with world.client() as client:
        made = await make(world, client, space)
        key = made["id"]
        world.write(
            lambda tx: tx.run("UPDATE translation SET status = 'running', taken_at = ?", tx.now)
        )
        overlapping = await client.post(path(world, key, "run"))
        running = await get(world, client, key)
        world.settle()
        world.clock.now += timedelta(minutes=3)
        await client.get(path(world))
        world.settle()
        ended = await get(world, client, key)
    assert overlapping.status_code == 409
    assert running["status"] == "running"
    assert (ended["status"], ended["stats"]["runs"]) == ("completed", 2)


async def test_limits_and_shapes(world: World) -> None:
    space = world.space("Handbook", language="en")
    elsewhere = world.space("Theirs", organization=world.organization("Other", world.ana))
    cases: list[tuple[dict[str, Any], int, str]] = [
        ({}, 400, "language"),
        ({"language": "xx", "source": {"space": space}}, 400, "language"),
        ({"language": "de"}, 400, "source"),
        ({"language": "de", "source": {}}, 400, "space"),
        ({"language": "de", "source": {"space": space, "language": "xx"}}, 400, "language"),
        ({"language": "en", "source": {"space": space}}, 400, "already"),
        ({"language": "de", "source": {"space": space, "language": "de"}}, 400, "already"),
        ({"language": "de", "source": {"space": "nothing"}}, 404, "nothing"),
        ({"language": "de", "source": {"space": elsewhere}}, 404, elsewhere),
        ({"language": "de", "source": {"space": space}, "x": 1}, 400, "x"),
    ]
    async with world.client() as client:
        for body, status, says in cases:
            answer = await client.post(path(world), json=body)
            assert answer.status_code == status, body
            assert says in sentence(answer)
        made = await make(world, client, space, instructions=INSTRUCTIONS)
        body = {"language": made["language"], "source": {"space": space}}
        again = await client.post(path(world), json=body)
        assert (again.status_code, made["id"] in sentence(again)) == (409, True)
        cleared = await client.put(path(world, made["id"]), json={})
        given = await client.put(path(world, made["id"]), json={"instructions": INSTRUCTIONS})
        null = await client.put(path(world, made["id"]), json={"instructions": None})
        listed = (await client.get(path(world), params={"limit": 1})).json()
    assert (cleared.status_code, given.status_code, null.status_code) == (200, 200, 400)
    assert "instructions" not in cleared.json()
    assert given.json()["instructions"] == INSTRUCTIONS
    assert given.json()["stats"]["runs"] == 1
    assert (listed["count"], listed["items"]) == (1, [given.json()])


@pytest.mark.parametrize("hidden", [False, True])
async def test_who_may_see_and_change_a_translation(world: World, hidden: bool) -> None:
    reader, maker = world.user("bo", "edit"), world.user("cleo", "create")
    space = world.space("Handbook", PAGES, default_level=None if hidden else "inherit")
    if hidden:
        world.grant(space, maker, "read")
    async with world.client(maker) as client:
        made = await make(world, client, space)
        assert made["permissions"] == {"view": True, "edit": True}
        result = (await client.get(f"/spaces/{made['result']['space']}")).json()
        assert result["permissions"]["admin"]
    async with world.client(reader) as client:
        found = await client.get(path(world, made["id"]))
        listed = (await client.get(path(world))).json()
        refused = [
            await client.put(path(world, made["id"]), json={}),
            await client.post(path(world, made["id"], "run")),
            await client.delete(path(world, made["id"])),
        ]
        adding = await client.post(path(world), json={"language": "fr", "source": {"space": space}})
    assert adding.status_code == 403
    assert "createContent" in sentence(adding)
    if hidden:
        assert (listed["count"], listed["items"]) == (0, [])
        assert [answer.status_code for answer in (found, *refused)] == [404] * 4
    else:
        assert listed["items"] == [found.json()]
        assert found.json()["permissions"] == {"view": True, "edit": False}
        assert [answer.status_code for answer in refused] == [403] * 3

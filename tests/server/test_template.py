"""Filling spaces and change requests from a template, over HTTP."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from copydesk.server.desk_writes import Editor
from tests.world import World

START = "See [the guide](ref:guide), ![it](<ref:logo>) and [spec](ref:api).\n"


@pytest.fixture
def template(world: World) -> str:
    def fill(editor: Editor) -> None:
        start = editor.page("Start", START, slug="start", emoji="1f680")
        editor.page("Deeper", "Text ref:none\n", parent=start)
        editor.page("Group", type="group")
        editor.file("logo.png", b"template's")
        editor.file("other.png", b"other")

    space = world.space("Template")
    world.commit(space, edit=fill)
    return space


@pytest.fixture
def space(world: World) -> str:
    def fill(editor: Editor) -> None:
        editor.page("Start", "Mine.\n", slug="start")
        editor.page("Guide", "Mine.\n")
        editor.file("logo.png", b"mine")
        editor.file("my pictures/(1).png", b"png")

    space = world.space("Handbook")
    world.commit(space, edit=fill)
    return space


async def apply(world: World, space: str, **body: Any) -> httpx.Response:
    async with world.client() as client:
        return await client.post(f"/spaces/{space}/content/template", json=body)


async def references(world: World, space: str) -> dict[str, Any]:
    async with world.client() as client:
        files = (await client.get(f"/spaces/{space}/content/files")).json()["items"]
        spec = {"slug": "petstore", "source": {"text": '{"openapi": "3.1.0"}'}}
        await client.post(f"/orgs/{world.home}/openapi", json=spec)
    file = next(file["id"] for file in files if file["name"] == "(1).png")
    return {
        "guide": {"kind": "page", "page": world.page_id(space, "guide")},
        "logo": {"kind": "file", "file": file, "space": space},
        "api": {"kind": "openapi", "spec": "petstore"},
    }


async def test_its_pages_and_files_are_added_with_references_in_place(
    world: World, space: str, template: str
) -> None:
    refs = await references(world, space)
    answer = await apply(world, space, id=template, params={"contentRefs": refs})
    assert (answer.status_code, answer.content) == (201, b"")
    assert answer.headers["location"] == f"http://desk/v1/spaces/{space}/content"
    async with world.client() as client:
        tree = (await client.get(f"/spaces/{space}/content/pages")).json()["pages"]
        page = tree[2]
        url = f"/spaces/{space}/content/page/{page['id']}"
        text = (await client.get(url, params={"format": "markdown"})).json()["markdown"]
        links = (await client.get(f"{url}/links")).json()
        files = (await client.get(f"/spaces/{space}/content/files")).json()["items"]
    assert [p["path"] for p in tree] == ["start", "guide", "start-2", "group"]
    assert [p["path"] for p in page["pages"]] == ["start-2/deeper"]
    assert page["emoji"] == "1f680"
    assert text == (
        "See [the guide](/guide), ![it](</my%20pictures/%281%29.png>) and "
        f"[spec](http://desk/v1/orgs/{world.home}/openapi/petstore).\n"
    )
    assert [link["status"] for link in links["items"]] == ["ok", "ok", "in-app"]
    assert [file["name"] for file in files] == ["logo.png", "(1).png", "other.png"]
    assert page["id"] != world.page_id(template, "start")


async def test_a_change_request_is_filled_in_its_place(
    world: World, space: str, template: str
) -> None:
    key = world.change_request(space, {"guide": "Changed.\n"})
    refs = await references(world, space)
    answer = await apply(
        world, space, id=template, params={"contentRefs": refs}, changeRequestId="1"
    )
    assert answer.status_code == 201, answer.text
    assert world.page_id(space, "start-2", change_request=key)
    with pytest.raises(KeyError):
        world.page_id(space, "start-2")
    async with world.client() as client:
        body = {"template": {"id": template, "params": {"contentRefs": {}}}}
        refused = await client.post(f"/spaces/{space}/change-requests", json=body)
        body = {"template": {"id": world.space("Bare", {"fresh": "New.\n"})}}
        opened = await client.post(f"/spaces/{space}/change-requests", json=body)
    assert (refused.status_code, opened.status_code) == (400, 201)
    assert "body.template.params" in refused.json()["error"]["message"]
    assert world.page_id(space, "fresh", change_request=opened.json()["id"])
    world.write(lambda tx: tx.run("UPDATE change_request SET status = 'archived'"))
    shut = await apply(world, space, id=template, params={"contentRefs": refs}, changeRequestId=key)
    assert shut.status_code == 412


async def test_what_cannot_be_filled_says_why(world: World, space: str, template: str) -> None:
    refs = await references(world, space)
    gone = {**refs, "guide": {"kind": "page", "page": "gone"}}
    missing = await apply(world, space, id=template)
    nowhere = await apply(world, space, id=template, params={"contentRefs": gone})
    unknown = await apply(world, space, id="none")
    spec = {**refs, "api": {"kind": "openapi", "spec": "none"}}
    no_spec = await apply(world, space, id=template, params={"contentRefs": spec})
    assert no_spec.status_code == 400
    assert "contentRefs.api" in no_spec.json()["error"]["message"]
    no_request = await apply(
        world, space, id=template, params={"contentRefs": refs}, changeRequestId="9"
    )
    world.write(lambda tx: tx.update("space", space, edit_mode="locked"))
    locked = await apply(world, space, id=template, params={"contentRefs": refs})
    assert [a.status_code for a in (missing, nowhere, unknown, no_request, locked)] == [
        *(400, 400, 400, 404, 412)
    ]
    assert "api, guide, logo" in missing.json()["error"]["message"]
    assert "contentRefs.guide" in nowhere.json()["error"]["message"]
    assert "body.id" in unknown.json()["error"]["message"]


async def test_it_takes_edit_and_a_template_that_one_may_see(world: World, template: str) -> None:
    space = world.space("Mine")
    secret = world.space("Secret", {"a": "b"}, default_level=None)
    for role, status in (("read", 403), ("edit", 400)):
        async with world.client(world.user(role, role)) as client:
            path = f"/spaces/{space}/content/template"
            assert (await client.post(path, json={"id": secret})).status_code == status

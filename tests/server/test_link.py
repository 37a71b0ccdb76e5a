"""Links and backlinks, over HTTP."""

from __future__ import annotations

import json
from typing import Any

import pytest

from copydesk.server import change_requests
from copydesk.server.desk_writes import Editor
from tests.world import World

INTRO = """\
See [install](guides/install.md), [the same](guides/install), [gone](gone.md), [me](#top),
[web](https://example.org), [desk](http://desk/v1/user) and ![picture](images/one%20two.png).

<img src="images/one two.png">
"""


def fill(editor: Editor) -> None:
    editor.page("Intro", INTRO)
    guides = editor.page("Guides", "[up](../README.md)\n", git_path="guides/README.md")
    editor.page("Install", "[back](./)\n", parent=guides, git_path="guides/install.md")
    editor.page("Home", "[guides](guides)\n", git_path="README.md")
    editor.file("images/one two.png", b"png")


@pytest.fixture
def space(world: World) -> str:
    space = world.space("Handbook")
    world.commit(space, edit=fill)
    return space


def brief(links: dict[str, Any]) -> list[tuple[str, str, str]]:
    return [
        (
            link["status"],
            link["targetReference"]["kind"],
            link["targetReference"][link["targetReference"]["kind"]],
        )
        for link in links["items"]
    ]


async def test_links_of_a_page_say_what_they_lead_to(world: World, space: str) -> None:
    page = world.page_id(space, "intro")
    async with world.client() as client:
        path = f"/spaces/{space}/content/page/{page}/links"
        found = (await client.get(path)).json()
        broken = (await client.get(path, params={"status": "broken"})).json()
        first = (await client.get(path, params={"limit": 2})).json()
        rest = (await client.get(path, params={"page": first["next"]["page"]})).json()
        files = (await client.get(f"/spaces/{space}/content/files")).json()
    install = world.page_id(space, "guides/install")
    assert brief(found) == [
        ("ok", "page", install),
        ("broken", "url", "gone.md"),
        ("ok", "page", page),
        ("ok", "url", "https://example.org"),
        ("in-app", "url", "http://desk/v1/user"),
        ("ok", "file", files["items"][0]),
    ]
    file = found["items"][5]["targetReference"]
    assert file["space"]["id"] == space
    assert file["organization"]["id"] == world.home
    assert found["items"][0]["locationReferences"] == [
        {"kind": "page", "page": page, "space": space}
    ]
    assert found["stats"] == {"total": 6, "broken": {"total": 1, "changeRequest": 0}}
    assert brief(broken) == [("broken", "url", "gone.md")]
    assert broken["stats"] == found["stats"]
    assert first["items"] + rest["items"] == found["items"]


async def test_links_of_a_space_are_gathered_by_target(world: World, space: str) -> None:
    async with world.client() as client:
        found = (await client.get(f"/spaces/{space}/links")).json()
    guides = world.page_id(space, "guides")
    leading = {
        link["targetReference"]["page"]: [at["page"] for at in link["locationReferences"]]
        for link in found["items"]
        if link["targetReference"]["kind"] == "page"
    }
    assert leading[guides] == [world.page_id(space, "guides/install"), world.page_id(space, "home")]
    assert leading[world.page_id(space, "home")] == [guides]


async def test_backlinks_are_the_pages_that_lead_there(world: World, space: str) -> None:
    async with world.client() as client:
        file = (await client.get(f"/spaces/{space}/content/files")).json()["items"][0]["id"]
        page = world.page_id(space, "guides")
        to_page = (await client.get(f"/spaces/{space}/content/page/{page}/backlinks")).json()
        to_file = (await client.get(f"/spaces/{space}/content/files/{file}/backlinks")).json()
        nowhere = await client.get(f"/spaces/{space}/content/page/none/backlinks")
        no_file = await client.get(f"/spaces/{space}/content/files/none/backlinks")
        no_page = await client.get(f"/spaces/{space}/content/page/none/links")
    assert [item["page"]["path"] for item in to_page["items"]] == ["guides/install", "home"]
    (item,) = to_file["items"]
    assert item["kind"] == "page"
    assert item["page"]["path"] == "intro"
    assert item["space"]["id"] == space
    assert item["organization"]["id"] == world.home
    assert item["versionContext"] == {
        "type": "revision",
        "revision": world.row("space", space)["revision_id"],
    }
    assert [a.status_code for a in (nowhere, no_file, no_page)] == [404] * 3


async def test_a_change_request_says_what_it_breaks(world: World, space: str) -> None:
    text = "[old](gone.md) [new](also-gone.md) ![picture](images/one%20two.png)\n"
    world.change_request(space, {"intro": text})
    page = world.page_id(space, "intro")
    base = f"/spaces/{space}/change-requests/1/content"
    async with world.client() as client:
        found = (await client.get(f"{base}/page/{page}/links")).json()
        file = (await client.get(f"{base}/files")).json()["items"][0]["id"]
        back = (await client.get(f"{base}/files/{file}/backlinks")).json()
        missing = await client.get(f"{base}/page/none/links")
    assert found["stats"] == {"total": 3, "broken": {"total": 2, "changeRequest": 1}}
    assert [item["page"]["path"] for item in back["items"]] == ["intro"]
    assert missing.status_code == 404


async def test_pages_of_other_spaces_lead_here_by_address(world: World, space: str) -> None:
    page = world.page_id(space, "guides")
    here = f"http://desk/v1/spaces/{space}/content/page/{page}"
    other = world.space(
        "Other",
        {
            "by-address": f"[guides]({here}#top)\n",
            "by-word": f"Only {page}.\n",
            "near": f"<{here}x>\n",
        },
    )
    world.space("Secret", {"hidden": f"[guides]({here})\n"}, default_level=None)
    bo = world.user("bo")
    path = f"/spaces/{space}/content/page/{page}/backlinks"
    async with world.client() as client:
        for_ana = (await client.get(path)).json()
        first = (await client.get(path, params={"limit": 2})).json()
        rest = (await client.get(path, params={"page": first["next"]["page"]})).json()
        link = (await client.get(f"/spaces/{other}/links", params={"status": "in-app"})).json()
    async with world.client(bo) as client:
        for_bo = (await client.get(path)).json()
    assert [item["page"]["path"] for item in for_bo["items"]] == [
        *("guides/install", "home", "by-address")
    ]
    assert for_bo["items"][2]["space"]["id"] == other
    assert [item["page"]["path"] for item in for_ana["items"]][3:] == ["hidden"]
    assert first["items"] + rest["items"] == for_ana["items"]
    assert len(link["items"]) == 2


async def test_a_merge_a_move_and_a_deletion_change_what_is_broken(world: World) -> None:
    def fill(editor: Editor) -> None:
        editor.page(
            "Start", "[a](a.md) [home](./) [self](#x) [b](/b) [d](/d/)\n", git_path="README.md"
        )
        editor.page("A", "[start](README.md)\n", git_path="a.md")
        editor.page("Of Hugo", git_path="d/_index.md")

    space = world.space("Linked")
    world.commit(space, edit=fill)

    async def broken(base: str) -> list[str]:
        page = world.page_id(space, "start")
        async with world.client() as client:
            found = (await client.get(f"{base}/content/page/{page}/links")).json()
        return [target for status, _, target in brief(found) if status == "broken"]

    here = f"/spaces/{space}"
    assert await broken(here) == ["/b"]
    request = world.change_request(space, {"a": None, "b": "Here.\n"})
    assert await broken(f"{here}/change-requests/1") == ["a.md"]
    world.write(lambda tx: change_requests.merge_branch(tx, request, world.ana))
    assert await broken(here) == ["a.md"]


async def test_links_lead_where_the_site_of_a_repository_publishes_them(world: World) -> None:
    text = (
        "[a](/docs/api) [b](../start/) [c](/) [d](deep/more.md) ![e](/img/a.png) [f](/blog/x) "
        "[g](../LICENSE) [h](/docs/old) [i](/deep/gone) [j](gone) ![k](/gone.png) [l](/name)\n"
        '<a href="{{ x.url }}">m</a> [n](/deep/api/users)\n'
        "[o](@site/docs/API.md) [p](@sitemap.md)\n"
    )
    space = world.space("Site")

    def fill(editor: Editor) -> None:
        editor.page("A", text, git_path="docs/deep/a.mdx")
        editor.page("B", "", git_path="docs/API.md", front_matter="---\nid: api\n---\n")
        editor.page("C", "", git_path="docs/home.md", front_matter='---\nslug: "/"\n---\n')
        editor.page("D", "", git_path="docs/deep/02-more.mdx")
        editor.page("E", "", git_path="docs/deep/start.mdx")
        editor.page("F", "", git_path="docs/f.md", front_matter="---\nslug: /name\n---\n")
        editor.file("docs/static/img/a.png", b"")
        editor.file("docs/LICENSE", b"", kind="source")

    world.commit(space, edit=fill)
    source = json.dumps({"folder": "docs", "summary": None, "made": ["deep/api"]})
    world.write(lambda tx: tx.update("space", space, source=source))
    async with world.client() as client:
        found = (await client.get(f"/spaces/{space}/links", params={"status": "broken"})).json()
    assert [url for _, _, url in brief(found)] == [
        "/docs/old", "/deep/gone", "gone", "/gone.png", "@sitemap.md",
    ]  # fmt: skip


async def test_links_lead_below_the_folder_that_nobody_names(world: World) -> None:
    text = (
        "[a](/guide/start) [b](/docs/2.x/guide/start#one) [c](/guide/gone) [d](/shop/cart) "
        "[e](/blog/2020/02/03/why/) [f](/topics/one) ![g](/img/a.png) ![h](/img/b.png) "
        "[i]({% link x.md %}) [j]([[X]]) [k](~/src/pages/guide/01-start.md) [l](start) "
        "[m](/shop/A.setItem)\n"
    )
    space = world.space("Site")
    ids: list[str] = []

    def fill(editor: Editor) -> None:
        editor.page("A", text, git_path="src/pages/a.md")
        ids.append(editor.page("B", "", git_path="src/pages/fr/guide/start.md"))
        ids.append(editor.page("C", "", git_path="src/pages/guide/01-start.md"))
        editor.page("D", "", git_path="src/_posts/2020-02-03-why.md")
        editor.page("E", "", git_path="src/_topics/one.md")
        editor.file("src/pages/img/a.png", b"")

    world.commit(space, edit=fill)
    source = json.dumps({"folder": "", "summary": None})
    world.write(lambda tx: tx.update("space", space, source=source))
    async with world.client() as client:
        found = (await client.get(f"/spaces/{space}/links", params={"status": "broken"})).json()
        every = (await client.get(f"/spaces/{space}/links")).json()
    assert [url for _, _, url in brief(found)] == [
        "/guide/gone", "/img/b.png", "start",
    ]  # fmt: skip
    assert [key for key in ids if ("ok", "page", key) in brief(every)] == ids[1:]  # the least deep


async def test_docfx_tells_no_capitals_apart_and_names_the_top(world: World) -> None:
    space = world.space("Site")

    def fill(editor: Editor) -> None:
        editor.page("A", "[a](more/b.md) [b](~/docs/More/B.md) [c](c.md)", git_path="docs/A.md")
        editor.page("B", "", git_path="docs/More/B.md")
        editor.file("docs/docfx.json", b"{}", kind="source")

    world.commit(space, edit=fill)
    source = json.dumps({"folder": "", "summary": None})
    world.write(lambda tx: tx.update("space", space, source=source))
    async with world.client() as client:
        found = (await client.get(f"/spaces/{space}/links", params={"status": "broken"})).json()
    assert [url for _, _, url in brief(found)] == ["c.md"]

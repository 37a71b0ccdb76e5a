"""Sites over HTTP: making, changing, publishing, who sees what, adaptive schemas, share links."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from copydesk.domain.access import rank
from copydesk.server import site_writes
from copydesk.server.access import SITE_PERMISSIONS
from tests.world import BASE_URL, World

SCHEMA: dict[str, Any] = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "type": "object",
    "properties": {
        "beta": {"type": "boolean", "description": "In the beta programme"},
        "in-eu": {"type": "boolean"},
        "unsigned": {
            "type": "object",
            "properties": {"mobile": {"type": "boolean"}},
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}


def sites(world: World, *rest: str) -> str:
    return "/".join(["", "orgs", world.home, "sites", *rest])


def make_site(world: World, title: str = "Docs", *spaces: str, **settings: Any) -> str:
    def work(tx: Any) -> str:
        site = site_writes.add_site(tx, home, title, **settings)
        for space in spaces:
            site_writes.add_site_space(tx, site, space)
        return site

    home = world.home
    return world.write(work)


def secret(world: World) -> str:
    """A space that only administrators may see."""
    return world.space("Secret", default_level=None)


async def test_create_shows_spaces_and_is_not_published(world: World) -> None:
    first, second = world.space("Guides"), world.space("Reference")
    async with world.client() as client:
        made = await client.post(
            sites(world),
            json={"title": "Docs", "visibility": "unlisted", "spaces": [first, second]},
        )
        site = made.json()
        assert made.status_code == 201
        assert made.headers["location"] == site["urls"]["location"]
        assert site == {
            "object": "site",
            "id": site["id"],
            "type": "basic",
            "appliedType": "basic",
            "title": "Docs",
            "visibility": "unlisted",
            "defaultLevel": "inherit",
            "permissions": dict.fromkeys(SITE_PERMISSIONS, True),
            "published": False,
            "siteSpaces": 2,
            "createdAt": site["createdAt"],
            "adaptiveContent": {"enabled": False},
            "agentsContext": "included",
            "features": [],
            "urls": {
                "location": f"{BASE_URL}/v1{sites(world, site['id'])}",
                "app": f"{BASE_URL}/app/o/{world.home}/sites/{site['id']}",
                "preview": f"{BASE_URL}/app/o/{world.home}/sites/{site['id']}",
            },
        }
        assert (await client.get(site["urls"]["location"])).json() == site
        shown = (await client.get(sites(world, site["id"], "site-spaces"))).json()
        assert [(s["title"], s["path"], s["default"]) for s in shown["items"]] == [
            ("Guides", "guides", True),
            ("Reference", "reference", False),
        ]


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        ({"title": "D"}, 400, "title"),
        ({"title": "D" * 129}, 400, "title"),
        ({"visibility": "secret"}, 400, "visibility"),
        ({"colour": "red"}, 400, "colour"),
        ({"spaces": ["nowhere"]}, 404, "nowhere"),
    ],
)
async def test_create_refuses(world: World, body: Any, status: int, word: str) -> None:
    async with world.client() as client:
        answer = await client.post(sites(world), json=body)
        assert answer.status_code == status
        assert word in answer.json()["error"]["message"]
        assert (await client.get(sites(world))).json()["items"] == []


async def test_create_refuses_one_space_twice_and_spaces_of_others(world: World) -> None:
    space = world.space()
    elsewhere = world.space("Far", organization=world.organization("Other", admin=world.ana))
    async with world.client() as client:
        twice = await client.post(sites(world), json={"spaces": [space, space]})
        assert twice.status_code == 409
        foreign = await client.post(sites(world), json={"spaces": [elsewhere]})
        assert foreign.status_code == 400
        assert "'Far'" in foreign.json()["error"]["message"]  # of several the one that it is
        assert (await client.get(sites(world))).json()["count"] == 0


@pytest.mark.parametrize("role", ["admin", "create", "edit", "read", None])
async def test_roles(world: World, role: str | None) -> None:
    site = make_site(world)
    async with world.client(world.user("bo", role)) as client:
        may_edit = rank(role) >= rank("create")
        assert (await client.get(sites(world, site))).status_code == 200
        created = await client.post(sites(world), json={})
        assert created.status_code == (201 if may_edit else 403)
        changed = await client.patch(sites(world, site), json={"title": "New"})
        assert changed.status_code == (200 if may_edit else 403)
        links = await client.get(sites(world, site, "share-links"))
        assert links.status_code == (200 if may_edit else 403)
        for action in ("publish", "unpublish"):
            answer = await client.post(sites(world, site, action))
            assert answer.status_code == (200 if role == "admin" else 403)
        gone = await client.delete(sites(world, site))
        assert gone.status_code == (204 if role == "admin" else 403)


async def test_strangers_and_unknown_sites_get_404(world: World) -> None:
    site = make_site(world)
    async with world.client(world.user("eve", member=False)) as client:
        assert (await client.get(sites(world))).status_code == 404
        assert (await client.get(sites(world, site))).status_code == 404
    other = world.organization("Other", admin=world.ana)
    async with world.client() as client:
        assert (await client.get(f"/orgs/{other}/sites/{site}")).status_code == 404
        for method, rest, body in [
            ("GET", [], None),
            ("PATCH", [], {}),
            ("POST", ["publish"], None),
            ("GET", ["published"], None),
            ("GET", ["adaptive-schema"], None),
            ("PUT", ["adaptive-schema"], {"jsonSchema": SCHEMA}),
            ("GET", ["adaptive-schema", "template-conditions"], None),
            ("GET", ["sections"], None),
            ("GET", ["site-spaces"], None),
            ("GET", ["share-links"], None),
        ]:
            answer = await client.request(method, sites(world, "nowhere", *rest), json=body)
            assert answer.status_code == 404, (method, rest)
            assert answer.json()["error"]["code"] == 404
        assert (await client.delete(sites(world, "nowhere"))).status_code == 204


async def test_list_filters_and_pages(world: World) -> None:
    space = world.space()
    made = [make_site(world, f"Docs {number}") for number in range(5)]
    help_site = make_site(world, "Help centre", space, published=True)
    async with world.client() as client:

        async def ids(**query: Any) -> list[str]:
            answer = (await client.get(sites(world), params=query)).json()
            assert answer["count"] == len(answer["items"])
            return [item["id"] for item in answer["items"]]

        assert await ids() == [help_site, *reversed(made)]
        assert await ids(space=space) == [help_site]
        assert await ids(title="CENTRE") == [help_site]
        assert await ids(published="true") == [help_site]
        assert await ids(published="false", title="docs") == list(reversed(made))
        seen: list[str] = []
        query: dict[str, Any] = {"limit": 4}
        while True:
            page = (await client.get(sites(world), params=query)).json()
            assert page["count"] == 6
            seen += [item["id"] for item in page["items"]]
            if "next" not in page:
                break
            query["page"] = page["next"]["page"]
        assert seen == [help_site, *reversed(made)]
        assert (await client.get(sites(world), params={"page": "x"})).status_code == 400
        assert (await client.get(sites(world), params={"limit": 1001})).status_code == 400


async def test_update_sets_what_is_sent(world: World) -> None:
    site = make_site(world, hostname="docs.acme.example")
    async with world.client() as client:
        path = sites(world, site)
        assert (await client.post(sites(world, site, "publish"))).json()["published"] is True
        body = {
            "title": "Acme docs",
            "visibility": "visitor-auth",
            "basename": "help",
            "adaptiveContent": {"enabled": True},
            "agentsContext": "excluded",
            "proxy": "acme.example/docs",
        }
        changed = (await client.patch(path, json=body)).json()
        assert (
            changed.items()
            >= {
                "title": "Acme docs",
                "visibility": "visitor-auth",
                "basename": "help",
                "adaptiveContent": {"enabled": True},
                "agentsContext": "excluded",
                "proxy": {
                    "origin": "acme.example/docs",
                    "target": "https://docs.acme.example/help",
                },
            }.items()
        )
        assert changed["urls"]["published"] == "https://acme.example/docs"
        assert [f["id"] for f in changed["features"]] == ["sites-adaptive-content"]
        again = (await client.patch(path, json={"proxy": None})).json()
        assert "proxy" not in again
        assert again["urls"]["published"] == "https://docs.acme.example/help"
        assert again["title"] == "Acme docs"
        assert (await client.patch(path, json={"basename": "a b"})).status_code == 400
        assert (await client.patch(path, json={"proxy": "no path"})).status_code == 400


async def test_default_of_a_site_without_sections(world: World) -> None:
    one, two = world.space("One"), world.space("Two")
    site = make_site(world, "Docs", one, two)
    async with world.client() as client:
        shown = (await client.get(sites(world, site, "site-spaces"))).json()["items"]
        second = shown[1]["id"]
        answer = await client.patch(sites(world, site), json={"defaultSiteSpace": second})
        assert answer.status_code == 200
        for default, titles in ((True, ["Two"]), (False, ["One"])):
            listed = await client.get(
                sites(world, site, "site-spaces"), params={"default": str(default).lower()}
            )
            assert [s["title"] for s in listed.json()["items"]] == titles
            assert listed.json()["count"] == 1
        answer = await client.patch(sites(world, site), json={"defaultSiteSpace": "nowhere"})
        assert answer.status_code == 404


async def test_a_space_that_one_may_not_see_is_not_shown(world: World) -> None:
    hidden, plain = secret(world), world.space("Plain")
    site = make_site(world, "Docs", hidden, plain, published=True, visibility="share-link")
    async with world.client() as client:
        shown = (await client.get(sites(world, site, "site-spaces"))).json()["items"]
        assert [s["title"] for s in shown] == ["Secret", "Plain"]
        assert (await client.get(sites(world, site))).json()["siteSpaces"] == 2
    async with world.client(world.user("bo", "create")) as client:
        listed = (await client.get(sites(world, site, "site-spaces"))).json()
        assert [s["title"] for s in listed["items"]] == ["Plain"]
        assert listed["count"] == 1
        assert (await client.get(sites(world, site))).json()["siteSpaces"] == 1
        published = (await client.get(sites(world, site, "published"))).json()
        assert [s["title"] for s in published["structure"]["structure"]] == ["Plain"]
        path = sites(world, site, "site-spaces", shown[0]["id"])
        assert (await client.patch(path, json={"hidden": True})).status_code == 404
        assert (await client.delete(path)).status_code == 204
        added = await client.post(sites(world, site, "site-spaces"), json={"spaceId": hidden})
        assert added.status_code == 404
        # Once it is published to everyone, they see that like everyone.
        world.write(lambda tx: tx.update("site", site, visibility="public"))
        published = (await client.get(sites(world, site, "published"))).json()
        assert [s["title"] for s in published["structure"]["structure"]] == ["Secret", "Plain"]
        assert (await client.get(sites(world, site, "site-spaces"))).json()["count"] == 2
    assert world.row("site_space", shown[0]["id"])["hidden"] == 0


async def test_readers_who_are_no_members(world: World) -> None:
    hidden, plain, gone = secret(world), world.space("Plain"), world.space("Gone")
    world.comment(hidden)
    site = make_site(world, "Docs", hidden, plain, gone, published=True, hostname="d.acme.example")
    world.write(lambda tx: tx.update("space", gone, deleted_at=tx.now))
    other = make_site(world, "Elsewhere", published=True)
    async with world.client() as ana:
        made = await ana.post(sites(world, site, "share-links"), json={"name": "Partners"})
        mine = await ana.get(f"/spaces/{hidden}")
        key = world.row("share_link", made.json()["id"])["key"]
        await ana.post(sites(world, other, "share-links"), json={"name": "Others"})
        listed = (await ana.get(f"/orgs/{world.home}/spaces")).json()["items"]
        assert mine.json() in listed
        assert [s["urls"].get("published") for s in listed] == [
            "https://d.acme.example",
            "https://d.acme.example/plain",
        ]
    paths = [sites(world, site, *rest) for rest in (["published"], ["site-spaces"], ["sections"])]
    paths.append(f"/spaces/{hidden}")
    stranger, guest = world.user("zoe", member=False), world.user("gil", None)
    async with world.client(stranger) as zoe, world.client(guest) as gil:

        async def statuses(client: Any, **query: str) -> list[int]:
            return [(await client.get(path, params=query)).status_code for path in paths]

        for visibility, open_to_all in (("public", 200), ("unlisted", 200), ("visitor-auth", 404)):
            async with world.client() as ana:
                await ana.patch(sites(world, site), json={"visibility": visibility})
            assert await statuses(zoe) == [open_to_all] * 4
            assert await statuses(zoe, shareKey="nonsense") == [404] * 4
            assert await statuses(gil) == [200] * 4
        world.write(lambda tx: tx.update("site", site, visibility="share-link"))
        assert await statuses(zoe) == [404] * 4
        assert await statuses(gil) == [200] * 3 + [404]
        assert await statuses(zoe, shareKey="nonsense") == [404] * 4
        assert await statuses(zoe, shareKey=key) == await statuses(gil, shareKey=key) == [200] * 4

        read = (await zoe.get(paths[0], params={"shareKey": key})).json()
        assert read["site"]["siteSpaces"] == 2
        assert read["site"]["urls"] == {
            "location": f"{BASE_URL}/v1{paths[0]}?shareKey={key}",
            "app": f"{BASE_URL}/app/o/{world.home}/sites/{site}",
            "published": f"https://d.acme.example/{key}",
            "preview": f"{BASE_URL}/app/o/{world.home}/sites/{site}",
        }
        assert not any(read["site"]["permissions"].values())
        assert (await zoe.get(read["site"]["urls"]["location"])).json() == read
        first, second = read["structure"]["structure"]
        space = first["space"]
        assert (space["title"], space["visibility"]) == ("Secret", "share-link")
        assert space["urls"]["published"] == first["urls"]["published"]
        assert (await zoe.get(space["urls"]["location"])).json() == space
        assert (space["comments"], space["mergeRules"]) == (0, {"type": "inherit"})
        assert not any(space["permissions"].values())
        for default, shown in ((True, first), (False, second)):
            one = await zoe.get(paths[1], params={"shareKey": key, "default": default})
            assert one.json() == {"items": [shown], "count": 1}
        # Everything else of the organization is still none of their business.
        for path in (sites(world), sites(world, site), f"/spaces/{hidden}/content/pages"):
            assert (await zoe.get(path, params={"shareKey": key})).status_code == 404
        assert (await zoe.get(f"/spaces/{gone}", params={"shareKey": key})).status_code == 404
        world.write(lambda tx: tx.update("share_link", made.json()["id"], active=False))
        assert await statuses(zoe, shareKey=key) == [404] * 4
        world.write(lambda tx: tx.update("site", site, visibility="public", published=False))
        assert await statuses(zoe) == await statuses(zoe, shareKey=key) == [404] * 4
    async with world.client() as ana:
        assert (await ana.get(f"/spaces/{hidden}")).json()["visibility"] == "private"


async def test_published_structure(world: World) -> None:
    one, two = world.space("One"), world.space("Two")
    site = make_site(world, "Docs", one, two)
    async with world.client() as client:
        path = sites(world, site, "published")
        refused = await client.get(path)
        assert refused.status_code == 404
        assert "not published" in refused.json()["error"]["message"]
        await client.post(sites(world, site, "publish"))
        published = (await client.get(path)).json()
        assert published["object"] == "published-content-site"
        assert published["site"]["id"] == site
        assert published["structure"]["type"] == "siteSpaces"
        assert [s["title"] for s in published["structure"]["structure"]] == ["One", "Two"]
        section = {"spaceId": one, "title": "Start"}
        await client.post(sites(world, site, "sections"), json=section)
        published = (await client.get(path)).json()
        assert published["structure"]["type"] == "sections"
        assert [s["title"] for s in published["structure"]["structure"]] == ["Start"]
        world.write(lambda tx: tx.update("space", one, deleted_at=tx.now))
        published = (await client.get(path)).json()
        (start,) = published["structure"]["structure"]
        assert [s["title"] for s in start["siteSpaces"]] == ["Two"]
        listed = (await client.get(sites(world, site, "site-spaces"))).json()["items"]
        assert ["deletedAt" in s["space"] for s in listed] == [True, False]
        trashed = listed[0]["space"]
        assert trashed["urls"].keys() == {"location", "app"}
        assert [name for name, may in trashed["permissions"].items() if may] == ["admin"]
        world.clock.now += timedelta(days=8)
        listed = (await client.get(sites(world, site, "site-spaces"))).json()
        assert ([s["title"] for s in listed["items"]], listed["count"]) == (["Two"], 1)
        assert (await client.get(sites(world, site))).json()["siteSpaces"] == 1


async def test_share_links(world: World) -> None:
    one, two = world.space("One"), world.space("Two")
    site = make_site(
        world, "Docs", one, two, visibility="share-link", hostname="d.acme.example", published=True
    )
    async with world.client() as client:
        path = sites(world, site, "share-links")
        made = await client.post(path, json={"name": "Partners"})
        link = made.json()
        assert made.status_code == 201
        assert made.headers["location"] == f"{BASE_URL}/v1{path}/{link['id']}"
        assert link["active"] is True
        address = link["urls"]["published"]
        key = address.removeprefix("https://d.acme.example/")
        assert len(key) >= 16

        bare = (await client.get(sites(world, site, "site-spaces"))).json()["items"]
        assert [s["urls"] for s in bare] == [{}, {}]
        opened = await client.get(sites(world, site, "site-spaces"), params={"shareKey": key})
        urls = [s["urls"]["published"] for s in opened.json()["items"]]
        assert urls == [address, f"{address}/two"]
        structure = await client.get(sites(world, site, "published"), params={"shareKey": key})
        assert structure.json()["site"]["urls"]["published"] == address

        changed = await client.patch(f"{path}/{link['id']}", json={"active": False, "name": "Old"})
        assert changed.json().items() >= {"name": "Old", "active": False, "urls": {}}.items()
        for wrong in (key, "nonsense"):
            refused = await client.get(sites(world, site, "published"), params={"shareKey": wrong})
            assert refused.status_code == 404
        listed = (await client.get(path)).json()
        assert [item["id"] for item in listed["items"]] == [link["id"]]
        assert (await client.post(path, json={})).status_code == 400
        assert (await client.post(path, json={"name": "x" * 51})).status_code == 400
        assert (await client.delete(f"{path}/{link['id']}")).status_code == 205
        assert (await client.delete(f"{path}/{link['id']}")).status_code == 204
        assert (await client.patch(f"{path}/{link['id']}", json={})).status_code == 404


async def test_share_link_of_a_site_without_a_host_is_read_through_the_desk(world: World) -> None:
    site = make_site(world, "Docs", world.space(), visibility="share-link", published=True)
    async with world.client() as client:
        link = await client.post(sites(world, site, "share-links"), json={"name": "Partners"})
        answer = await client.get(link.json()["urls"]["published"])
        assert answer.status_code == 200
        assert answer.json()["object"] == "published-content-site"


async def test_adaptive_schema(world: World) -> None:
    site = make_site(world)
    async with world.client() as client:
        path = sites(world, site, "adaptive-schema")
        first = (await client.get(path)).json()
        assert first["object"] == "site-adaptive-schema"
        assert first["jsonSchema"]["properties"] == {}
        assert (await client.get(f"{path}/template-conditions")).json() == {"items": []}
        written = (await client.put(path, json={"jsonSchema": SCHEMA})).json()
        assert written["jsonSchema"] == SCHEMA
        assert written["updatedAt"] > first["updatedAt"]
        assert (await client.get(path)).json() == written
        conditions = (await client.get(f"{path}/template-conditions")).json()["items"]
        assert conditions[0] == {
            "description": "In the beta programme: yes",
            "condition": "visitor.claims.beta == true",
        }
        assert [c["condition"] for c in conditions[2:]] == [
            'visitor.claims["in-eu"] == true',
            'visitor.claims["in-eu"] != true',
            "visitor.claims.unsigned.mobile == true",
            "visitor.claims.unsigned.mobile != true",
        ]


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"type": "array"}, "type"),
        ({"properties": []}, "properties"),
        ({"properties": {"beta": {"type": "string"}}}, "properties.beta"),
        ({"properties": {"beta": True}}, "properties.beta"),
        ({"properties": {"beta": {"type": "boolean", "enum": [True]}}}, "enum"),
        ({"properties": {"unsigned": {"type": "boolean"}}}, "unsigned"),
        ({"properties": {"unsigned": 1}}, "unsigned"),
        ({"properties": {f"a{n}": {"type": "boolean"} for n in range(201)}}, "200"),
        ({"additionalProperties": True}, "additionalProperties"),
        ({"$schema": "https://json-schema.org/draft/2020-12/schema"}, "draft 07"),
        ({"patternProperties": {}}, "patternProperties"),
    ],
)
async def test_adaptive_schema_refuses(world: World, change: Any, word: str) -> None:
    site = make_site(world)
    async with world.client() as client:
        path = sites(world, site, "adaptive-schema")
        answer = await client.put(path, json={"jsonSchema": SCHEMA | change})
        assert answer.status_code == 400
        assert word in answer.json()["error"]["message"]


async def test_delete_takes_the_site_and_leaves_the_content(world: World) -> None:
    space = world.space()
    site = make_site(world, "Docs", space)
    async with world.client() as client:
        assert (await client.delete(sites(world, site))).status_code == 204
        assert (await client.get(sites(world, site))).status_code == 404
    assert world.row("space", space)["deleted_at"] is None

"""Publishing integrations, finding them, and who runs them, over HTTP."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.server.integrations import PNG, WHOLE, Json, install, publish
from tests.world import BASE_URL, World


async def names(client: httpx.AsyncClient, **query: Any) -> list[str]:
    answer = await client.get("/integrations", params=query)
    assert answer.status_code == 200, answer.text
    return [item["name"] for item in answer.json()["items"]]


async def test_a_publication_shows_every_field_and_no_secret(world: World) -> None:
    async with world.client() as client:
        first = await publish(client, world, "charts", **WHOLE)
        read = await client.get("/integrations/charts")
        again = await client.post("/integrations/charts", json={"title": "Charts 2"})
        organization = (await client.get(f"/orgs/{world.home}")).json()
    assert read.json() == first
    assert again.json() == first | {"title": "Charts 2", "version": 2}
    assert "hush-hush" not in read.text
    kept = world.row("integration", "charts")
    assert kept["secrets"] == '["TOKEN"]'
    picture = f"data:image/png;base64,{PNG}"
    expected = WHOLE | {
        "object": "integration",
        "name": "charts",
        "version": 1,
        "verified": False,
        "previewImages": [picture],
        "owner": organization,
        "urls": {
            "location": f"{BASE_URL}/v1/integrations/charts",
            "app": (screen := f"{BASE_URL}/app/o/{world.home}/integrations/charts"),
            "icon": picture,
            "assets": f"{screen}/assets",
            "publicEndpoint": f"{screen}/endpoint",
            "publicContentEndpoint": f"{screen}/endpoint",
        },
        "permissions": {"admin": True},
    }
    for hidden in ("runtime", "icon", "script", "secrets"):
        del expected[hidden]
    assert first == expected


async def test_a_first_version_has_an_owner_and_is_private(world: World) -> None:
    async with world.client() as client:
        await client.patch(f"/orgs/{world.home}", json={"hostname": "acme"})
        ownerless = await client.post("/integrations/a", json={})
        by_hostname = await client.post("/integrations/a.b_C-9", json={"organization": "acme"})
        unknown = await client.post("/integrations/a", json={"organization": "nobody"})
        bad_name = await client.post("/integrations/a b", json={"organization": world.home})
        dots = await client.post("/integrations/%2e%2e", json={"organization": world.home})
    assert ownerless.status_code == 400
    assert "organization" in ownerless.json()["error"]["message"]
    assert [a.status_code for a in (unknown, bad_name, dots)] == [404, 400, 400]
    made = by_hostname.json()
    assert made["owner"]["id"] == world.home
    assert [made[key] for key in ("title", "visibility", "target", "version")] == [
        "a.b_C-9",
        "private",
        "all",
        1,
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("runtime", "v9"),
        ("icon", "not base64!"),
        ("previewImages", [PNG, "%"]),
        ("visibility", "secret"),
        ("target", "page"),
        ("categories", ["cooking"]),
        ("blocks", [{"title": "No id"}]),
        ("contentSources", [{}]),
        ("configurations", {"account": []}),
        ("secrets", {"TOKEN": 1}),
        ("contentSecurityPolicy", "default-src 'self'\r\nset-cookie: a=b"),
        ("verified", True),
    ],
)
async def test_what_cannot_be_published_is_a_400(world: World, field: str, value: Any) -> None:
    body = {"organization": world.home, field: value}
    async with world.client() as client:
        answer = await client.post("/integrations/charts", json=body)
        missing = await client.get("/integrations/charts")
    assert answer.status_code == 400
    assert field in answer.json()["error"]["message"]
    assert missing.status_code == 404


async def test_lists_take_every_filter(world: World) -> None:
    other = world.organization("Other", admin=world.ana, hostname="other")
    async with world.client() as client:
        await publish(client, world, "charts", **WHOLE)
        await publish(
            client,
            world,
            "talk",
            organization=other,
            title="Straße",
            target="site",
            categories=["collaboration"],
            scopes=["conversations:ingest"],
            blocks=[],
        )
        await publish(client, world, "bare")
        every = ["bare", "charts", "talk"]
        assert await names(client) == every
        expected: list[tuple[Json, list[str]]] = [
            ({"search": "HART"}, ["charts"]),
            ({"search": "STRASSE"}, ["talk"]),
            ({"search": "100%_"}, []),
            ({"category": "content"}, ["charts"]),
            ({"category": "cont"}, []),
            ({"scope": "conversations:ingest"}, ["talk"]),
            ({"target": "site"}, ["talk"]),
            ({"owner": world.home}, ["bare", "charts"]),
            ({"owner": "other"}, ["talk"]),
            ({"owner": "nobody"}, []),
            ({"blocks": "true"}, ["charts"]),
            ({"blocks": "false"}, ["bare", "talk"]),
            ({"contentSources": "true"}, ["charts"]),
            ({"contentSources": "false"}, ["bare", "talk"]),
            ({"blockDomain": "eu.charts.example"}, ["charts"]),
            ({"blockDomain": "charts.example"}, ["charts"]),
            ({"blockDomain": "PLOTS.example"}, ["charts"]),
            ({"blockDomain": "lots.example"}, []),
            ({"blockDomain": ""}, []),
            ({"blocks": "true", "category": "collaboration"}, []),
        ]
        for query, found in expected:
            assert await names(client, **query) == found, query
        page = (await client.get("/integrations", params={"limit": 2})).json()
        rest = await names(client, page=page["next"]["page"])
        refused = await client.get("/integrations", params={"blocks": "perhaps"})
    assert [item["name"] for item in page["items"]] + rest == every
    assert page["count"] == 3
    assert refused.status_code == 400


async def test_who_sees_an_integration_follows_its_visibility(world: World) -> None:
    stranger = world.user("stranger", member=False)
    far = world.organization("Far", admin=stranger)
    member, guest = world.user("bo", "read"), world.user("guest", None)
    async with world.client() as ours, world.client(stranger) as theirs:
        for visibility in ("public", "unlisted", "private"):
            await publish(ours, world, visibility, visibility=visibility)
        for person, listed, readable in (
            (member, ["private", "public", "unlisted"], 200),
            (guest, ["public"], 404),
            (stranger, ["public"], 404),
        ):
            async with world.client(person) as client:
                assert await names(client) == listed
                assert (await client.get("/integrations/unlisted")).status_code == 200
                assert (await client.get("/integrations/private")).status_code == readable
        # What a stranger learns of the owner is what anybody may know.
        owner = (await theirs.get("/integrations/public")).json()["owner"]
        assert owner["title"] == "Acme"
        assert owner["emailDomains"] == []
        assert not any(owner["permissions"].values())
        # What is installed stays visible, whatever becomes of it.
        await install(theirs, "unlisted", far)
        await ours.post("/integrations/unlisted", json={"visibility": "private"})
        assert await names(theirs) == ["public", "unlisted"]
        # Names are taken even where nobody sees them.
        taken = await theirs.post("/integrations/private", json={"organization": far})
        assert taken.status_code == 403
        hidden = await theirs.delete("/integrations/private")
        assert (hidden.status_code, hidden.content) == (204, b"")
        elsewhere = await ours.post(
            "/integrations/private/installations", json={"organization": far}
        )
        assert elsewhere.status_code == 404
        here = world.organization("Annex", admin=world.ana)
        refused = await ours.post(
            "/integrations/private/installations", json={"organization": here}
        )
        assert refused.status_code == 412


async def test_only_the_owners_administrators_run_an_integration(world: World) -> None:
    member, stranger = world.user("bo", "create"), world.user("stranger", member=False)
    far = world.organization("Far", admin=stranger)
    at = "/integrations/charts"
    dev = {"tunnelUrl": "https://t.example"}
    async with world.client() as client:
        await publish(client, world, "charts")
        await install(client, "charts", world.home)
        event = (await client.get(f"{at}/events")).json()["items"][0]["id"]
    for person in (member, stranger):
        async with world.client(person) as client:
            answers = [
                await client.post(at, json={"title": "Mine"}),
                await client.post(at, json={"organization": far}),
                await client.delete(at),
                await client.get(f"{at}/events"),
                await client.get(f"{at}/events/{event}"),
                await client.put(f"{at}/dev", json=dev),
            ]
            mine = (await client.get(at)).json()
            foreign = await client.post(f"{at}/installations", json={"organization": world.home})
        assert {answer.status_code for answer in answers} == {403}
        assert "'admin'" in answers[2].json()["error"]["message"]
        assert mine["permissions"] == {"admin": False}
        assert foreign.status_code == (403 if person == member else 404)
    async with world.client(stranger) as client:
        await install(client, "charts", far)
        theirs = (await client.get(f"{at}/installations")).json()
        events = (await client.get(f"{at}/events")).json()
        own = await client.get(f"{at}/events/{events['items'][0]['id']}")
        foreign = await client.get(f"{at}/events/{event}")
    async with world.client() as client:
        every = (await client.get(f"{at}/installations")).json()
        refused = await client.post(at, json={"organization": far})
        gone = [await client.delete(at) for _ in range(2)]
        left = [await client.get(at), await client.get(f"{at}/events/{event}")]
    assert (theirs["count"], events["count"], every["count"]) == (1, 1, 2)
    assert (own.status_code, foreign.status_code) == (200, 404)
    assert refused.status_code == 404
    assert [answer.status_code for answer in gone] == [205, 204]
    assert [answer.status_code for answer in left] == [404, 404]
    assert world.store.read(lambda tx: tx.value("SELECT count(*) FROM integration_event")) == 0


async def test_an_integration_can_be_handed_over(world: World) -> None:
    far = world.organization("Far", admin=world.ana)
    async with world.client() as client:
        await publish(client, world, "charts")
        moved = await publish(client, world, "charts", organization=far)
    assert (moved["owner"]["id"], moved["version"]) == (far, 2)

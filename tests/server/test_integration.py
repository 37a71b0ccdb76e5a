"""Integrations, their installations and their events, over HTTP."""

from __future__ import annotations

import base64
from typing import Any

import httpx
import pytest

from copydesk.server import installations, seeding_sites
from tests.world import BASE_URL, World

Json = dict[str, Any]

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n....").decode()

WHOLE: Json = {
    "runtime": "v1",
    "icon": PNG,
    "title": "Chart room",
    "description": "Charts in pages",
    "summary": "# Charts\n\nLong.",
    "previewImages": [PNG],
    "visibility": "public",
    "target": "all",
    "scopes": ["space:content:read"],
    "categories": ["analytics", "content"],
    "blocks": [
        {
            "id": "chart",
            "title": "Chart",
            "description": "One chart",
            "icon": "chart",
            "urlUnfurl": ["https://*.Charts.example/**", "https://plots.example:8080/p?x"],
            "markdown": {"codeblock": "chart", "body": "data"},
        }
    ],
    "contentSources": [{"id": "boards", "title": "Boards", "configuration": {"componentId": "c"}}],
    "configurations": {
        "account": {
            "properties": {
                "zone": {"type": "string", "title": "Zone", "default": "eu", "enum": ["eu", "us"]},
                "api_key": {"type": "string", "completion_url": "https://charts.example/keys"},
            },
            "required": [],
        },
        "space": {"properties": {"color": {"type": "string", "default": "blue"}}, "required": []},
        "site": {"properties": {"banner": {"type": "string", "default": "on"}}, "required": []},
    },
    "externalLinks": [{"url": "https://charts.example", "label": "Home"}],
    "script": "export default {}",
    "secrets": {"TOKEN": "hush-hush"},
    "contentSecurityPolicy": "default-src 'self'",
}


async def publish(client: httpx.AsyncClient, world: World, name: str, **fields: Any) -> Json:
    answer = await client.post(
        f"/integrations/{name}", json={"organization": world.home, "visibility": "public"} | fields
    )
    assert answer.status_code == 200, answer.text
    made: Json = answer.json()
    return made


async def install(client: httpx.AsyncClient, name: str, organization: str) -> Json:
    answer = await client.post(
        f"/integrations/{name}/installations", json={"organization": organization}
    )
    assert answer.status_code == 201, answer.text
    made: Json = answer.json()
    return made


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
        "urls": {"location": f"{BASE_URL}/v1/integrations/charts", "icon": picture},
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
    assert ownerless.status_code == 400
    assert "organization" in ownerless.json()["error"]["message"]
    assert (unknown.status_code, bad_name.status_code) == (404, 400)
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
        ("runtime", "v2"),
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


async def test_installing_configures_counts_and_records(world: World) -> None:
    kept, gone = world.space("Kept"), world.space("Gone")
    async with world.client() as client:
        await publish(client, world, "charts", **WHOLE)
        await client.delete(f"/spaces/{gone}")
        answer = await client.post(
            "/integrations/charts/installations", json={"organization": world.home}
        )
        made = answer.json()
        listed = (await client.get(answer.headers["location"])).json()
        twice = await client.post(
            "/integrations/charts/installations", json={"organization": world.home}
        )
        nowhere = await client.post(
            "/integrations/charts/installations", json={"organization": "x"}
        )
        missing = await client.post("/integrations/charts/installations", json={})
        events = (await client.get("/integrations/charts/events")).json()
        detail = (
            await client.get(f"/integrations/charts/events/{events['items'][0]['id']}")
        ).json()
        unknown = await client.get("/integrations/charts/events/none")
    key = made["id"]
    assert answer.status_code == 201
    assert listed == {"items": [made], "count": 1}
    assert made.pop("createdAt") == made.pop("updatedAt")
    assert made == {
        "id": key,
        "status": "active",
        "space_selection": "all",
        "site_selection": "all",
        "spaces": 1,
        "configuration": {"zone": "eu"},
        "urls": {},
        "externalIds": [],
        "target": {"organization": world.home},
    }
    assert [a.status_code for a in (twice, nowhere, missing, unknown)] == [409, 404, 400, 404]
    (event,) = events["items"]
    assert detail["event"] == event
    assert event.pop("createdAt")
    assert event == {
        "id": event["id"],
        "integrationId": "charts",
        "installationId": key,
        "status": "success",
        "payload": {
            "eventId": event["id"],
            "type": "installation_setup",
            "installationId": key,
            "status": "active",
        },
    }
    logs = detail["trace"]["logs"]
    assert all(log["timestamp"] for log in logs)
    assert [log["level"] for log in logs] == ["debug", "debug", "info"]
    assert "zone" in logs[1]["message"]
    assert kept


async def test_a_new_version_is_set_up_where_it_is_installed(world: World) -> None:
    account = {
        "properties": {"zone": {"default": "us"}, "size": {"default": 3}, "key": {}},
        "required": ["key"],
    }
    async with world.client() as client:
        await publish(client, world, "charts", **WHOLE)
        await install(client, "charts", world.home)
        await client.put(
            "/integrations/charts/dev", json={"tunnelUrl": "https://tunnel.example/charts"}
        )
        await publish(client, world, "charts", configurations={"account": account}, script="")
        newest, oldest = (await client.get("/integrations/charts/events")).json()["items"]
        installed = (await client.get("/integrations/charts/installations")).json()["items"][0]
        trace = (await client.get(f"/integrations/charts/events/{newest['id']}")).json()["trace"]
        page = (await client.get("/integrations/charts/events", params={"limit": 1})).json()
        rest = await client.get(
            "/integrations/charts/events", params={"page": page["next"]["page"]}
        )
    assert (oldest["status"], newest["status"]) == ("success", "failed")
    assert "previous" not in oldest["payload"]
    assert newest["payload"]["previous"] == {"status": "active", "configuration": {"zone": "eu"}}
    assert installed["configuration"] == {"zone": "eu", "size": 3}
    assert installed["updatedAt"] > installed["createdAt"]
    logs = {log["level"]: log["message"] for log in trace["logs"]}
    assert logs["error"].endswith("lacks what is required: key.")
    assert "tunnel" in logs["warn"]
    assert [e["id"] for e in page["items"] + rest.json()["items"]] == [newest["id"], oldest["id"]]


async def test_development_mode_is_for_the_owner_or_for_all(world: World) -> None:
    far = world.organization("Far", admin=world.ana)
    async with world.client() as client:
        await publish(client, world, "charts")
        await install(client, "charts", world.home)
        await install(client, "charts", far)
        answers = [
            await client.put("/integrations/charts/dev", json=body)
            for body in (
                {"tunnelUrl": "https://tunnel.example"},
                {"tunnelUrl": "file:///etc/passwd"},
                {"tunnelUrl": "tunnel"},
                {"all": True},
                {"tunnelUrl": "https://tunnel.example", "all": "yes"},
            )
        ]
        tunnelled = []
        for every in (False, True):
            await client.put(
                "/integrations/charts/dev", json={"tunnelUrl": "https://t.example", "all": every}
            )
            await publish(client, world, "charts")
            events = (await client.get("/integrations/charts/events", params={"limit": 2})).json()
            for event in events["items"]:
                at = f"/integrations/charts/events/{event['id']}"
                logs = (await client.get(at)).json()["trace"]["logs"]
                tunnelled.append(any("tunnel" in log["message"] for log in logs))
    assert [answer.status_code for answer in answers] == [204, 400, 400, 400, 400]
    assert answers[0].content == b""
    assert sorted(tunnelled[:2]) == [False, True]
    assert tunnelled[2:] == [True, True]


async def test_spaces_and_sites_with_an_integration(world: World) -> None:
    home = world.home
    seen = world.space("Seen")
    hidden = world.space("Hidden", default_level=None)
    site = world.write(lambda tx: seeding_sites.add_site(tx, home, "Docs"))
    reader = world.user("bo", "read")
    stranger = world.user("stranger", member=False)
    async with world.client() as client:
        await publish(client, world, "charts", **WHOLE)
        installation = (await install(client, "charts", home))["id"]
        spaces = (await client.get("/integrations/charts/spaces")).json()
        whole = await client.get(
            "/integrations/charts/spaces", params={"extended": True, "limit": 1}
        )
        space = (await client.get(f"/spaces/{hidden}")).json()
        sites = (await client.get("/integrations/charts/sites")).json()
        site_whole = await client.get("/integrations/charts/sites", params={"extended": "true"})
        docs = (await client.get(f"/orgs/{home}/sites/{site}")).json()
        await client.post("/integrations/charts", json={"target": "site"})
        narrowed = [
            (await client.get(f"/integrations/charts/{kind}")).json()["count"]
            for kind in ("spaces", "sites")
        ]
        only = (await client.get("/integrations/charts/installations")).json()["items"][0]
        await client.post("/integrations/charts", json={"target": "all"})
    common = {
        "integration": "charts",
        "installation": installation,
        "status": "active",
        "externalIds": [],
        "urls": {},
    }
    assert spaces["items"] == [
        common | {"configuration": {"color": "blue"}, "space": key} for key in (hidden, seen)
    ]
    assert whole.json()["items"][0]["space"] == space
    assert whole.json()["next"]
    assert sites["items"] == [common | {"configuration": {"banner": "on"}, "site": site}]
    assert site_whole.json()["items"][0]["site"] == docs
    assert narrowed == [0, 1]
    assert (only["spaces"], "space_selection" in only) == (0, False)
    for person, counts in ((reader, [1, 1, 1]), (stranger, [0, 0, 0])):
        async with world.client(person) as client:
            found = [
                (await client.get(f"/integrations/charts/{kind}")).json()["count"]
                for kind in ("installations", "spaces", "sites")
            ]
        assert found == counts


async def test_chosen_spaces_and_external_ids(world: World) -> None:
    home = world.home
    chosen, other = world.space("Chosen"), world.space("Other")
    async with world.client() as client:
        await publish(client, world, "charts", **WHOLE)
        world.write(
            lambda tx: installations.install(
                tx,
                installations.integration_row(tx, "charts"),
                home,
                {"zone": "us"},
                external_ids=["T-1"],
                spaces={chosen: ["repo/9"]},
                sites={},
            )
        )
        lists = {
            (kind, wanted): (
                await client.get(f"/integrations/charts/{kind}", params={"externalId": wanted})
            ).json()["items"]
            for kind in ("installations", "spaces", "sites")
            for wanted in ("T-1", "repo/9", "repo")
        }
        await client.delete(f"/spaces/{chosen}")
        after = (await client.get("/integrations/charts/installations")).json()["items"][0]
    found = {key for key, items in lists.items() if items}
    assert found == {("installations", "T-1"), ("spaces", "repo/9")}
    installation = lists["installations", "T-1"][0]
    assert (installation["spaces"], installation["space_selection"]) == (1, "selected")
    assert installation["configuration"] == {"zone": "us"}
    assert lists["spaces", "repo/9"][0]["space"] == chosen
    assert after["spaces"] == 0
    assert other


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
    async with world.client() as client:
        every = (await client.get(f"{at}/installations")).json()
        refused = await client.post(at, json={"organization": far})
        gone = [await client.delete(at) for _ in range(2)]
        left = [await client.get(at), await client.get(f"{at}/events/{event}")]
    assert (theirs["count"], every["count"]) == (1, 2)
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

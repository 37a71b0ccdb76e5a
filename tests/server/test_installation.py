"""Installing integrations: what that configures, where they work, and its events, over HTTP."""

from __future__ import annotations

from copydesk.server import installations, site_writes
from tests.server.integrations import WHOLE, install, publish
from tests.world import BASE_URL, World


def screen_of(world: World, installation: str) -> str:
    return f"{BASE_URL}/app/o/{world.home}/integrations/charts/installations/{installation}"


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
        "urls": {
            "location": f"{BASE_URL}/v1/integrations/charts/installations/{key}",
            "app": screen_of(world, key),
            "publicEndpoint": f"{screen_of(world, key)}/endpoint",
            "publicContentEndpoint": f"{screen_of(world, key)}/endpoint",
        },
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
    site = world.write(lambda tx: site_writes.add_site(tx, home, "Docs"))
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
    }

    def urls(kind: str, key: str) -> dict[str, str]:
        installed = f"{BASE_URL}/v1/integrations/charts/installations/{installation}"
        return {
            "location": f"{installed}/{kind}/{key}",
            "publicEndpoint": f"{screen_of(world, installation)}/endpoint",
            "publicContentEndpoint": f"{screen_of(world, installation)}/endpoint",
        }

    assert spaces["items"] == [
        common | {"configuration": {"color": "blue"}, "space": key, "urls": urls("spaces", key)}
        for key in (hidden, seen)
    ]
    assert whole.json()["items"][0]["space"] == space
    assert whole.json()["next"]
    assert sites["items"] == [
        common | {"configuration": {"banner": "on"}, "site": site, "urls": urls("sites", site)}
    ]
    assert site_whole.json()["items"][0]["site"] == docs
    assert narrowed == [0, 1]
    assert (only["spaces"], only["space_selection"]) == (0, "selected")
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


async def test_an_installation_is_changed_and_taken_out_place_by_place(world: World) -> None:
    home, far = world.home, world.organization("Far", admin=world.ana)
    kept, left = world.space("Kept"), world.space("Left")
    site = world.write(lambda tx: site_writes.add_site(tx, home, "Docs"))
    reader = world.user("bo", "read")
    world.grant(kept, reader, "admin")
    async with world.client() as client, world.client(reader) as other:
        await publish(client, world, "charts", **WHOLE)
        await publish(client, world, "plots", title="Zoomed", target="space")
        key = (await install(client, "charts", home))["id"]
        plots = (await install(client, "plots", home))["id"]
        await install(client, "charts", far)
        at = f"/integrations/charts/installations/{key}"

        async def covered(kind: str) -> list[str]:
            items = (await client.get(f"/integrations/charts/{kind}s")).json()["items"]
            return sorted(each[kind] for each in items if each["installation"] == key)

        found = {
            asked: [
                each["integration"]["name"]
                for each in (
                    await client.get(f"/orgs/{home}/installations", params={"search": asked})
                ).json()["items"]
            ]
            for asked in ("", "ZOOM", "chart", "none")
        }
        body = {
            "configuration": {"api_key": "k"},
            "externalIds": ["T-1"],
            "site_selection": "selected",
        }
        changed = await client.patch(at, json=body)
        payload = (await client.get("/integrations/charts/events")).json()["items"][0]["payload"]
        sites = await covered("site")
        back = await client.patch(at, json={"site_selection": "all"})
        refused = [
            await client.patch(at, json={"externalIds": list("abcdef")}),
            await client.patch(at, json={"space_selection": "none"}),
            await client.patch(
                f"/integrations/plots/installations/{plots}", json={"site_selection": "all"}
            ),
        ]
        assert await covered("site") == [site]
        # A space's own administrator takes it out of that space, and nowhere else.
        taken = [
            await other.delete(path)
            for path in (f"{at}/spaces/{left}", f"{at}/sites/{site}", at, f"{at}/spaces/{kept}")
        ]
        assert await covered("space") == [left]
        again = await other.delete(f"{at}/spaces/{kept}")
        listed = (await client.get(f"/orgs/{home}/installations")).json()["items"][1]
        new = world.space("New")
        assert await covered("space") == [left]
        assert (await client.patch(at, json={"space_selection": "all"})).is_success
        assert await covered("space") == sorted([kept, left, new])
        gone = [await client.delete(f"{at}/sites/{site}") for _ in range(2)]
        gone += [await client.delete(at) for _ in range(2)]
        lost = await client.patch(at, json={})
        rest = (await client.get("/integrations/charts/installations")).json()["items"]
        events = (await client.get("/integrations/charts/events")).json()["items"]
    assert found == {"": ["plots", "charts"], "ZOOM": ["plots"], "chart": ["charts"], "none": []}
    made = changed.json()
    assert made["configuration"] == {"zone": "eu", "api_key": "k"}
    assert (made["externalIds"], made["site_selection"]) == (["T-1"], "selected")
    assert payload["previous"]["configuration"] == {"zone": "eu"}
    assert (sites, back.json()["site_selection"]) == ([], "all")
    assert [answer.status_code for answer in refused] == [400, 400, 400]
    assert [answer.status_code for answer in taken] == [403, 403, 403, 205]
    assert again.status_code == 204
    assert (listed["installation"]["spaces"], listed["installation"]["space_selection"]) == (
        1, "selected",
    )  # fmt: skip
    assert [answer.status_code for answer in gone] == [205, 204, 205, 204]
    assert lost.status_code == 404
    assert [each["target"]["organization"] for each in rest] == [far]
    assert {each["installationId"] for each in events} == {rest[0]["id"]}

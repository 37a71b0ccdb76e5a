"""What the sample's organizations are connected to, seen through the API by its owner."""

from __future__ import annotations

from datetime import UTC, datetime

import httpx

from copydesk.server.app import create_app
from copydesk.server.sample import build_sample
from copydesk.server.store import Store
from tests.server.integrations import Json

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


async def test_integrations_sign_on_and_the_agent_have_something_to_show() -> None:
    store = Store(None, clock=lambda: NOW, durable=False)
    app = create_app(store, sessions={"owner": build_sample(store)})
    client = httpx.AsyncClient(
        transport=httpx.ASGITransport(app),
        base_url="http://desk/v1",
        headers={"authorization": "Bearer owner"},
    )

    async def get(path: str) -> Json:
        answer = await client.get(path)
        assert answer.status_code == 200, f"{path}: {answer.text}"
        found: Json = answer.json()
        return found

    async def items(path: str) -> list[Json]:
        found: list[Json] = (await get(path))["items"]
        return found

    async with client:
        home = (await items("/orgs"))[0]["id"]
        integrations = await items("/integrations")
        installed: dict[str, list[Json]] = {}
        events: list[Json] = []
        places = 0
        for each in integrations:
            at = f"/integrations/{each['name']}"
            installed[each["name"]] = await items(f"{at}/installations")
            places += len(await items(f"{at}/spaces")) + len(await items(f"{at}/sites"))
            if any(i["target"]["organization"] == home for i in installed[each["name"]]):
                events += [
                    await get(f"{at}/events/{event['id']}") for event in await items(f"{at}/events")
                ]
        providers = await items(f"/orgs/{home}/saml")
        logins = await items(f"/orgs/{home}/sso")
        agent = await get(f"/orgs/{home}/agent-instructions")
        mine = (await get("/user"))["id"]
    store.close()
    assert len({category for each in integrations for category in each["categories"]}) >= 5
    assert {each["visibility"] for each in integrations} == {"public", "private", "unlisted"}
    assert {each["permissions"]["admin"] for each in integrations} == {True, False}
    assert all(installed.values())
    assert any(installation["externalIds"] for each in installed.values() for installation in each)
    assert places > 10
    failed = [event for event in events if event["event"]["status"] == "failed"]
    assert len(failed) >= 2
    assert all(any(log["level"] == "error" for log in e["trace"]["logs"]) for e in failed)
    assert any("previous" in event["event"]["payload"] for event in events)
    assert [provider["status"] for provider in providers] == ["pending", "active"]
    assert [login["label"] for login in logins] == ["Quayside staff"]
    assert agent["updatedBy"] == mine
    assert {"hint", "table"} <= {node["type"] for node in agent["instructions"]["nodes"]}

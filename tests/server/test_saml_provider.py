"""SAML providers, ways to sign in, members by single sign-on, and invite links, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from copydesk.server import desk_writes
from tests.world import BASE_URL, World

WHOLE = {
    "label": "Okta",
    "entityID": "https://idp.example.org/entity",
    "certificate": "-----BEGIN CERTIFICATE-----",
    "ssoURL": "https://idp.example.org/sso",
}


def path(world: World, *more: str) -> str:
    return "/".join((f"/orgs/{world.home}/saml", *more))


async def test_a_provider_shows_every_field_and_becomes_active(world: World) -> None:
    team = world.team("Writers")
    async with world.client() as client:
        made = await client.post(path(world), json={"label": "Okta", "defaultTeam": team})
        key = made.json()["id"]
        at = made.headers["location"]
        read = await client.get(at)
        pending = (await client.get(f"/orgs/{world.home}/sso")).json()
        whole = (await client.patch(at, json=WHOLE | {"defaultRole": "edit"})).json()
        logins = (await client.get(f"/orgs/{world.home}/sso")).json()
        same = (await client.patch(at, json={})).json()
        guest = (await client.patch(at, json={"defaultRole": None, "certificate": ""})).json()
        await client.delete(f"/orgs/{world.home}/teams/{team}")
        teamless = (await client.get(at)).json()
    assert made.status_code == 201
    assert at == f"{BASE_URL}/v1{path(world, key)}"
    assert read.json() == made.json()
    assert (made.json()["status"], made.json()["defaultRole"], pending) == (
        "pending",
        None,
        {"items": []},
    )
    assert whole.pop("createdAt")
    assert whole.pop("defaultTeam")["title"] == "Writers"
    start = f"{BASE_URL}/saml/{key}/start"
    assert whole == WHOLE | {
        "object": "saml-provider",
        "id": key,
        "defaultRole": "edit",
        "status": "active",
        "service": {
            "acsURL": f"{BASE_URL}/saml/{key}/acs",
            "startURL": start,
            "entityID": at,
        },
        "urls": {"location": at},
    }
    assert logins == {"items": [{"id": key, "label": "Okta", "startURL": start}]}
    assert same["status"] == "active"
    assert (guest["status"], guest["defaultRole"]) == ("pending", None)
    assert "certificate" not in guest
    assert "defaultTeam" not in teamless


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "label"),
        ({"label": ""}, "label"),
        ({"label": "x" * 31}, "label"),
        ({"entityID": "x" * 1025}, "entityID"),
        ({"certificate": "x" * 10001}, "certificate"),
        ({"ssoURL": "nowhere"}, "ssoURL"),
        ({"ssoURL": "javascript:alert(1)"}, "ssoURL"),
        ({"ssoURL": "https://x/" + "x" * 2040}, "ssoURL"),
        ({"defaultTeam": "unheard"}, "defaultTeam"),
        ({"defaultRole": "owner"}, "defaultRole"),
        ({"status": "active"}, "status"),
    ],
)
async def test_what_breaks_a_limit_is_a_400_that_names_it(
    world: World, body: dict[str, Any], field: str
) -> None:
    given = body if not body or "label" in body else {"label": "Okta"} | body
    async with world.client() as client:
        answers = [await client.post(path(world), json=given)]
        if body:
            key = (await client.post(path(world), json={"label": "Other"})).json()["id"]
            answers.append(await client.patch(path(world, key), json=body))
        kept = (await client.get(path(world))).json()["items"]
    for answer in answers:
        assert answer.status_code == 400
        assert field in answer.json()["error"]["message"]
    assert [item["label"] for item in kept] == ["Other"] * (len(answers) - 1)


async def test_only_administrators_see_and_change_providers(world: World) -> None:
    other = world.organization("Other", admin=world.ana)
    async with world.client() as client:
        keys = [
            (await client.post(path(world), json={"label": label})).json()["id"]
            for label in ("One", "Two", "Three")
        ]
        first = (await client.get(path(world), params={"limit": 2})).json()
        rest = await client.get(path(world), params={"page": first["next"]["page"]})
        elsewhere = f"/orgs/{other}/saml/{keys[0]}"
        foreign = [
            await client.get(elsewhere),
            await client.patch(elsewhere, json={"label": "Mine"}),
            await client.delete(elsewhere),
        ]
        gone = [await client.delete(path(world, keys[0])) for _ in range(2)]
    listed = [item["id"] for item in first["items"] + rest.json()["items"]]
    assert listed == keys[::-1]
    assert first["count"] == 3
    assert [answer.status_code for answer in foreign] == [404, 404, 204]
    assert [(answer.status_code, answer.content) for answer in gone] == [(205, b""), (204, b"")]
    for person, expected in (
        (world.user("bo", "create"), 403),
        (world.user("stranger", member=False), 404),
    ):
        async with world.client(person) as client:
            answers = [
                await client.get(path(world)),
                await client.post(path(world), json={"label": "Mine"}),
                await client.get(path(world, keys[1])),
                await client.patch(path(world, keys[1]), json={"label": "Mine"}),
                await client.delete(path(world, keys[1])),
            ]
            logins = await client.get(f"/orgs/{world.home}/sso")
        assert {answer.status_code for answer in answers} == {expected}
        assert logins.status_code == (200 if expected == 403 else 404)


async def test_newcomers_by_single_sign_on_get_what_the_provider_says(world: World) -> None:
    team = world.team("Writers")
    first, second = (world.user(name, member=False) for name in ("first", "second"))
    members = f"/orgs/{world.home}/members"
    async with world.client() as client:
        domains = {"emailDomains": ["example.org"]}
        assert (await client.patch(f"/orgs/{world.home}", json=domains)).is_success
        before = (await client.post(f"{members}/{first}/sso")).json()
        await client.post(path(world), json=WHOLE | {"defaultRole": "review", "defaultTeam": team})
        after = (await client.post(f"{members}/{second}/sso")).json()
        again = (await client.post(f"{members}/{first}/sso")).json()
    assert (before["role"], before["teams"], before["sso"]) == (None, 0, True)
    assert (after["role"], after["teams"], after["sso"]) == ("review", 1, True)
    assert again == before


async def test_invite_links_are_deleted_by_administrators(world: World) -> None:
    home = world.home
    link = world.write(lambda tx: desk_writes.add_invite_link(tx, home))
    other = world.organization("Other", admin=world.ana)
    at = f"/orgs/{home}/link-invites/{link}"
    async with world.client(world.user("bo", "create")) as client:
        refused = await client.delete(at)
    async with world.client() as client:
        answers = [
            await client.delete(f"/orgs/{other}/link-invites/{link}"),
            await client.delete(at),
            await client.delete(at),
        ]
    assert refused.status_code == 403
    assert "'admin'" in refused.json()["error"]["message"]
    assert [(a.status_code, a.content) for a in answers] == [(204, b""), (205, b""), (204, b"")]

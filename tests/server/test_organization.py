"""Organizations and the caller, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.world import World


async def test_the_caller_is_who_the_token_belongs_to(world: World) -> None:
    async with world.client() as client:
        found = (await client.get("/user")).json()
    assert found == {
        "object": "user",
        "id": world.ana,
        "displayName": "Ana Silva",
        "email": "ana@example.org",
        "urls": {"location": "http://desk/v1/user"},
    }


async def test_without_a_token_nothing_is_told(world: World) -> None:
    async with world.client(token="") as client:
        answers = [await client.get(path) for path in ("/user", "/orgs", f"/orgs/{world.home}")]
        wrong = await client.get("/user", headers={"authorization": "Bearer nonsense"})
    assert [answer.status_code for answer in (*answers, wrong)] == [401] * 4
    assert wrong.json()["error"]["code"] == 401


async def test_the_list_has_only_the_callers_organizations(world: World) -> None:
    world.organization("Elsewhere")
    other = world.organization("Other", world.ana)
    async with world.client() as client:
        found = (await client.get("/orgs")).json()
    assert [item["id"] for item in found["items"]] == [world.home, other]
    assert found["count"] == 2
    assert "next" not in found


async def test_an_organization_shows_every_field(world: World) -> None:
    async with world.client() as client:
        found = (await client.get(f"/orgs/{world.home}")).json()
    assert found.pop("createdAt").startswith("2026-03-02T09:00:")
    assert all(found.pop("permissions").values())
    assert found == {
        "object": "organization",
        "id": world.home,
        "title": "Acme",
        "emailDomains": [],
        "type": "business",
        "defaultRole": None,
        "sso": False,
        "ai": False,
        "inviteLinks": True,
        "plan": "free_2024",
        "mergeRules": {"type": "none"},
        "urls": {
            "location": f"http://desk/v1/orgs/{world.home}",
            "app": f"http://desk/app/o/{world.home}",
        },
        "trial": {"status": "notapplicable", "count": 0},
    }


async def test_permissions_follow_the_role(world: World) -> None:
    guest = world.user("gil", None)
    reader = world.user("rosa", "read")
    async with world.client(guest) as client:
        for_guest = (await client.get(f"/orgs/{world.home}")).json()["permissions"]
    async with world.client(reader) as client:
        for_reader = (await client.get(f"/orgs/{world.home}")).json()["permissions"]
    assert [name for name, allowed in for_guest.items() if allowed] == ["view", "access"]
    assert for_reader["listMembers"]
    assert not for_reader["createContent"]
    assert not for_reader["admin"]


async def test_an_organization_of_others_is_not_there(world: World) -> None:
    other = world.organization("Other")
    async with world.client() as client:
        refused = [
            await client.get(f"/orgs/{other}"),
            await client.patch(f"/orgs/{other}", json={"title": "Mine"}),
            await client.get("/orgs/nowhere"),
        ]
    assert [answer.status_code for answer in refused] == [404] * 3


async def test_settings_change_and_stay(world: World) -> None:
    bo = world.user("bo")
    rules = {
        "type": "rules",
        "rules": [
            {"rule": "require_specific_reviewers", "users": [bo]},
            {"rule": "require_at_least_one_review"},
        ],
    }
    changes: dict[str, Any] = {
        "title": "Acme Docs",
        "emailDomains": ["Example.org", "example.org", "docs.example.net"],
        "hostname": "acme-docs",
        "defaultRole": "read",
        "defaultContent": "none",
        "logo": "https://example.org/logo.png",
        "sso": True,
        "ai": True,
        "inviteLinks": False,
        "mergeRules": rules,
    }
    async with world.client() as client:
        answer = await client.patch(f"/orgs/{world.home}", json=changes)
        found = (await client.get(f"/orgs/{world.home}")).json()
    assert answer.status_code == 200
    assert answer.json() == found
    assert found["urls"]["logo"] == changes.pop("logo")
    changes["emailDomains"] = ["example.org", "docs.example.net"]
    assert {name: found[name] for name in changes} == changes


async def test_null_takes_away_what_may_be_absent(world: World) -> None:
    async with world.client() as client:
        path = f"/orgs/{world.home}"
        await client.patch(path, json={"defaultRole": "edit", "logo": "https://example.org/l.png"})
        found = (await client.patch(path, json={"defaultRole": None, "logo": None})).json()
        refused = await client.patch(path, json={"title": None})
    assert found["defaultRole"] is None
    assert "logo" not in found["urls"]
    assert refused.status_code == 400


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ({"title": "A"}, "title"),
        ({"title": "A" * 256}, "title"),
        ({"hostname": "No"}, "hostname"),
        ({"logo": "not a uri"}, "logo"),
        ({"logo": "javascript:alert(1)"}, "logo"),
        ({"defaultContent": "no word"}, "defaultContent"),
        ({"emailDomains": ["not a domain"]}, "emailDomains"),
        ({"emailDomains": ["x." * 126 + "example"]}, "emailDomains"),
        ({"defaultContent": {"type": "site", "site": "none"}}, "defaultContent"),
        ({"mergeRules": {"type": "inherit"}}, "mergeRules"),
        (
            {
                "mergeRules": {
                    "type": "rules",
                    "rules": [{"rule": "require_specific_reviewers", "users": ["nobody"]}],
                }
            },
            "nobody",
        ),
        ({"unknown": 1}, "unknown"),
    ],
)
async def test_bad_settings_are_named(world: World, body: dict[str, Any], names: str) -> None:
    async with world.client() as client:
        answer = await client.patch(f"/orgs/{world.home}", json=body)
    assert answer.status_code == 400
    assert names in answer.json()["error"]["message"]


async def test_settings_are_for_administrators(world: World) -> None:
    creator = world.user("cy", "create")
    async with world.client(creator) as client:
        answer = await client.patch(f"/orgs/{world.home}", json={"title": "Mine now"})
    assert answer.status_code == 403
    assert "'admin'" in answer.json()["error"]["message"]


async def test_a_hostname_belongs_to_one_organization(world: World) -> None:
    world.organization("Other", hostname="taken")
    async with world.client() as client:
        path = f"/orgs/{world.home}"
        assert (await client.patch(path, json={"hostname": "taken"})).status_code == 409
        assert (await client.patch(path, json={"hostname": "free"})).status_code == 200
        assert (await client.patch(path, json={"hostname": "free"})).status_code == 200


async def test_joining_takes_an_admitted_domain(world: World) -> None:
    open_to = world.organization("Open", email_domains=["example.org"], default_role="comment")
    closed = world.organization("Closed", email_domains=["example.com"])
    async with world.client() as client:
        joined = await client.post(f"/orgs/{open_to}/join")
        again = await client.post(f"/orgs/{open_to}/join")
        refused = await client.post(f"/orgs/{closed}/join")
        unknown = await client.post("/orgs/nowhere/join")
        member = (await client.get(f"/orgs/{open_to}/members/{world.ana}")).json()
    answers = [answer.status_code for answer in (joined, again, refused, unknown)]
    assert answers == [204, 409, 403, 404]
    assert member["role"] == "comment"

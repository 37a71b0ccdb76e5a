"""Invitations to an organization: people by their e-mail addresses, and links, over HTTP."""

from __future__ import annotations

from typing import Any

from copydesk.server.desk_writes import add_invite_link
from tests.world import World

Json = dict[str, Any]


async def test_people_are_invited_by_e_mail(world: World) -> None:
    bo, zoe = world.user("bo", "edit"), world.user("zoe", member=False)
    path = f"/orgs/{world.home}"
    body = {
        "emails": [
            "new@example.org",
            "bo@example.org",
            {"email": "zoe@example.org", "role": None},
            "new@example.org",
        ],
        "role": "comment",
    }
    async with world.client() as client:
        answer = (await client.post(f"{path}/invites", json=body)).json()
        members = (await client.get(f"{path}/members", params={"order": "asc"})).json()["items"]
        assert answer["invited"] == 2
        assert answer["users"][1] == zoe
        assert "failedSSOEmails" not in answer
        roles = {each["user"]["email"]: each["role"] for each in members}
        assert roles == {
            "ana@example.org": "admin",
            "bo@example.org": "edit",
            "new@example.org": "comment",
            "zoe@example.org": None,
        }
        assert members[-1]["user"]["displayName"] in ("new", "Zoe")
        assert all("lastSeenAt" not in each for each in members[2:])
        # By single sign-on only addresses in a domain of the organization's.
        assert (
            await client.patch(path, json={"emailDomains": ["acme.example"]})
        ).status_code == 200
        asked = {"emails": ["a@acme.example", "b@other.example"], "sso": True}
        answer = (await client.post(f"{path}/invites", json=asked)).json()
        assert (answer["invited"], answer["failedSSOEmails"]) == (1, ["b@other.example"])
        for wrong in ({"emails": ["no address"]}, {"emails": [{"email": "a@b.c"}]}, {}):
            assert (await client.post(f"{path}/invites", json=wrong)).status_code == 400
    async with world.client(bo) as client:
        assert (await client.post(f"{path}/invites", json=body)).status_code == 403


async def test_links_are_made_changed_and_deleted(world: World) -> None:
    space, shelf = world.space("Handbook"), world.collection("Shelf")
    path = f"/orgs/{world.home}/link-invites"
    async with world.client() as client:
        made: list[Json] = []
        for body in (
            {"role": "read"},
            {"role": "edit"},
            {"level": None, "space": space},
            {"level": "review", "collection": shelf},
        ):
            answer = await client.post(path, json=body)
            assert answer.status_code == 201
            assert answer.headers["location"].endswith(f"{path}/{answer.json()['id']}")
            made.append(answer.json())
        assert [each.get("role", "-") for each in made] == ["read", "edit", "-", "-"]
        assert (made[2]["level"], made[2]["space"]["id"]) == (None, space)
        assert (made[3]["level"], made[3]["collection"]["id"]) == ("review", shelf)
        listed = (await client.get(path)).json()
        assert listed["count"] == 4
        assert {each["id"] for each in listed["items"]} == {each["id"] for each in made}
        # One of less is no use beside one of more, and of two alike the older one does.
        redundant = {each["id"]: each["redundant"] for each in listed["items"]}
        assert [redundant[each["id"]] for each in made] == [True, False, False, False]
        first, second, third = (f"{path}/{each['id']}" for each in made[:3])
        assert (await client.patch(first, json={"role": "edit"})).json()["redundant"] is False
        assert (await client.get(second)).json()["redundant"] is True
        assert (await client.patch(third, json={"level": "admin"})).json()["level"] == "admin"
        for address, body, code in (
            (first, {"level": "read"}, 400),
            (first, {}, 400),
            (third, {"role": "read"}, 400),
            (f"{path}/none", {"role": "read"}, 404),
        ):
            assert (await client.patch(address, json=body)).status_code == code
        for wrong, code in (
            ({}, 400),
            ({"role": "read", "space": space}, 400),
            ({"level": "read"}, 400),
            ({"level": "read", "space": space, "collection": shelf}, 400),
            ({"level": "read", "space": "none"}, 404),
        ):
            assert (await client.post(path, json=wrong)).status_code == code, wrong
        assert (await client.delete(first)).status_code == 205
        assert (await client.get(first)).status_code == 404
        # A link to what is gone is gone, and none is made where people are not invited so.
        assert (await client.delete(f"/collections/{shelf}")).status_code == 205
        assert (await client.get(path)).json()["count"] == 2
        await client.patch(f"/orgs/{world.home}", json={"inviteLinks": False})
        assert (await client.post(path, json={"role": "read"})).status_code == 412


async def test_a_list_of_links_reads_the_other_links_once(world: World) -> None:
    home = world.home
    world.write(
        lambda tx: [add_invite_link(tx, home, role=role) for role in ("read", "edit", "edit")]
    )
    async with world.client() as client:
        with world.statements() as said:
            listed = (await client.get(f"/orgs/{home}/link-invites")).json()["items"]
    assert [each["redundant"] for each in listed] == [True, False, True]
    assert sum("FROM invite_link" in sql for sql in said) == 3  # the number, the page, the others


async def test_a_link_stays_behind_when_its_space_goes_to_another_organization(
    world: World,
) -> None:
    space = world.space("Handbook")
    other = world.organization("Other", world.ana)
    path = f"/orgs/{world.home}/link-invites"
    async with world.client() as client:
        body = {"level": "read", "space": space}
        assert (await client.post(f"/orgs/{other}/link-invites", json=body)).status_code == 400
        assert (await client.post(path, json=body)).status_code == 201
        moved = await client.post(f"/spaces/{space}/transfer", json={"organization": other})
        assert moved.status_code == 200
        assert (await client.get(path)).json()["items"] == []

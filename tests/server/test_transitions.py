"""Every state that a thing can be in: which moves are allowed from there, and where they lead."""

from __future__ import annotations

from typing import Any, get_args

import httpx
import pytest

from copydesk.contract.enumerations import SiteVisibility
from copydesk.server import installations, site_writes
from copydesk.server.store import Tx
from tests.world import World

STATES = ("draft", "open", "archived", "merged")


def change(space: str, *rest: str) -> str:
    return "/".join(["/spaces", space, "change-requests", *rest])


def said(answer: httpx.Response) -> str:
    message: str = answer.json()["error"]["message"]
    return message


async def test_every_pair_of_change_request_states(world: World) -> None:
    space = world.space("Handbook", {"intro": "x"})
    async with world.client() as client:
        for before in STATES:
            for after in STATES:
                status = "open" if before == "merged" else before
                key = world.change_request(space, {"intro": before + after}, status=status)
                if before == "merged":
                    assert (await client.post(change(space, key, "merge"))).is_success
                answer = await client.patch(change(space, key), json={"status": after})
                expected = 400 if after == "merged" else 412 if before == "merged" else 200
                assert answer.status_code == expected, (before, after)
                now = (await client.get(change(space, key))).json()["status"]
                assert now == (after if expected == 200 else before)
        shown = (await client.get(f"/spaces/{space}")).json()
        listed = {
            status: (await client.get(change(space), params={"status": status})).json()["count"]
            for status in STATES
        }
    assert listed == {"draft": 4, "open": 4, "archived": 4, "merged": 4}
    assert shown["changeRequests"] == 16
    assert (shown["changeRequestsOpen"], shown["changeRequestsDraft"]) == (4, 4)


@pytest.mark.parametrize("state", STATES)
async def test_what_each_state_of_a_change_request_takes(world: World, state: str) -> None:
    space = world.space("Handbook", {"intro": "x"})
    key = world.change_request(space, {"intro": "y"}, status="open" if state == "merged" else state)
    alive = state in ("draft", "open")
    verdict = {"status": "approved"}
    note = {"body": {"markdown": "Hm"}}
    async with world.client() as client, world.client(world.user("rita", "review")) as reviewer:
        if state == "merged":
            assert (await client.post(change(space, key, "merge"))).json()["result"] == "merge"
        reviewed = await reviewer.post(change(space, key, "reviews"), json=verdict)
        updated = await client.post(change(space, key, "update"))
        talked = await client.post(change(space, key, "comments"), json=note)
        renamed = await client.patch(change(space, key), json={"subject": "Other"})
        merged = await client.post(change(space, key, "merge"))
    assert reviewed.status_code == (201 if alive else 412)
    assert updated.status_code == (200 if alive else 412)
    assert talked.status_code == renamed.status_code == 200
    assert merged.status_code == (200 if state == "open" else 412)
    for refused in (reviewed, updated, merged):
        assert refused.is_success or state in said(refused)


async def test_a_locked_space_is_edited_in_change_requests_only(world: World) -> None:
    space = world.space("Handbook", {"intro": "x"})
    template = world.space("How-to", {"how": "First."})
    async with world.client() as client:
        for mode in ("locked", "live", "locked"):
            shown = (await client.patch(f"/spaces/{space}", json={"editMode": mode})).json()
            assert shown["editMode"] == mode
        key = (await client.post(change(space), json={"subject": "Through here"})).json()["id"]
        world.edit_change_request(key, {"intro": "y"})
        await client.patch(change(space, key), json={"status": "open"})
        assert (await client.post(change(space, key, "merge"))).json()["result"] == "merge"
        before = world.row("space", space)["revision_id"]
        body = {"id": template, "params": {"contentRefs": {}}}
        path = f"/spaces/{space}/content/template"
        refused = await client.post(path, json=body)
        assert refused.status_code == 412
        assert "locked" in said(refused)
        draft = (await client.post(change(space), json={"subject": "Again"})).json()["id"]
        taken = await client.post(path, json=body | {"changeRequestId": draft})
        assert taken.status_code == 201
        changes = (await client.get(change(space, draft, "changes"))).json()["changes"]
        assert [(c["type"], c["page"]["path"]) for c in changes] == [("page_created", "how")]
    assert world.row("space", space)["revision_id"] == before


async def test_a_thread_is_resolved_and_opened_again(world: World) -> None:
    space = world.space()
    comment = world.comment(space)
    path = f"/spaces/{space}/comments/{comment}"
    bo = world.user("bo", "comment")
    async with world.client() as client, world.client(bo) as other:
        resolved = (await other.put(path, json={"resolved": True})).json()
        again = (await client.put(path, json={"resolved": True})).json()
        assert (resolved["status"], resolved["resolvedBy"]["id"]) == ("resolved", bo)
        assert again["resolvedAt"] == resolved["resolvedAt"]
        assert again["resolvedBy"]["id"] == bo
        assert (await client.post(f"{path}/replies", json={"body": {"markdown": "So"}})).is_success
        assert (await client.get(path)).json()["status"] == "resolved"
        for _ in range(2):
            opened = (await client.put(path, json={"resolved": False})).json()
            assert opened["status"] == "open"
            assert not opened.keys() & {"resolvedAt", "resolvedBy"}
            assert (await client.get(f"/spaces/{space}")).json()["comments"] == 1
        await client.put(path, json={"resolved": True})
        assert (await client.delete(path)).status_code == 205
        assert (await client.get(f"/spaces/{space}")).json()["comments"] == 0


async def test_what_a_review_says_is_one_thing_with_its_thread(world: World) -> None:
    space = world.space("Handbook", {"intro": "x"})
    world.change_request(space, {"intro": "y"}, by=world.user("lee"))
    path = change(space, "1")
    body = {"status": "changes-requested", "comment": {"markdown": "Why?"}}
    async with world.client() as client:
        assert (await client.post(f"{path}/reviews", json=body)).status_code == 201

        async def spoken() -> tuple[int, int, str | None]:
            count = (await client.get(path)).json()["comments"]
            listed = (await client.get(f"{path}/comments", params={"status": "open"})).json()
            (review,) = (await client.get(f"{path}/reviews")).json()["items"]
            return count, listed["count"], review.get("comment", {}).get("markdown")

        (thread,) = (await client.get(f"{path}/comments")).json()["items"]
        there = f"{path}/comments/{thread['id']}"
        assert await spoken() == (1, 1, "Why?")
        await client.put(there, json={"body": {"markdown": "What for?"}})
        assert await spoken() == (1, 1, "What for?")
        await client.put(there, json={"resolved": True})
        assert await spoken() == (0, 0, "What for?")
        await client.delete(there)
        assert await spoken() == (0, 0, None)


async def test_who_is_added_and_removed_at_once_is_removed(world: World) -> None:
    bo, cy, di = (world.user(name) for name in ("bo", "cy", "di"))
    team = world.team("Writers", cy)
    path = f"/orgs/{world.home}/teams/{team}/members"
    body = {
        "add": [bo, "cy@example.org", di],
        "remove": ["BO@example.org", cy, "nobody@example.org"],
        "memberships": {bo: {"role": "owner"}, di: {"role": "owner"}},
    }
    async with world.client() as client:
        assert (await client.put(path, json=body)).status_code == 204
        left = (await client.get(path)).json()["items"]
    assert [(m["organization"]["id"], m["team"]["role"]) for m in left] == [(di, "owner")]


@pytest.mark.parametrize("visibility", get_args(SiteVisibility))
async def test_reads_of_published_sites(world: World, visibility: SiteVisibility) -> None:
    home, space = world.home, world.space("Handbook", {"intro": "x"})

    def make(tx: Any) -> tuple[str, str]:
        sites = []
        for name in ("one", "two"):
            site = site_writes.add_site(
                tx, home, name.title(), visibility=visibility, hostname=f"{name}.acme.example"
            )
            site_writes.add_share_link(tx, site, "Partners")
            sites.append(site)
        site_writes.add_site_space(tx, sites[0], space)
        return sites[0], sites[1]

    site, other = world.write(make)
    keys = {
        row["site_id"]: row["key"]
        for row in world.store.read(lambda tx: tx.all("SELECT * FROM share_link"))
    }
    base = f"/orgs/{home}/sites/{site}"
    root = "https://one.acme.example"
    opened = f"{root}/{keys[site]}"
    async with world.client() as client, world.client(world.user("rae", "read")) as reader:

        async def read(key: str | None) -> tuple[int, str | None, str | None]:
            """Return the answer, and the address of the site's space and of the space itself."""
            params = {} if key is None else {"shareKey": key}
            answer = await reader.get(f"{base}/published", params=params)
            listed = await reader.get(f"{base}/site-spaces", params=params)
            sections = await reader.get(f"{base}/sections", params=params)
            space_read = await reader.get(f"/spaces/{space}", params=params)
            alone = space_read.json()["urls"].get("published") if space_read.is_success else None
            address = None
            if answer.is_success:
                assert listed.is_success
                assert answer.json()["structure"]["structure"] == listed.json()["items"]
                (shown,) = listed.json()["items"]
                address = shown["urls"].get("published")
                assert answer.json()["site"]["urls"].get("published") == address
            assert listed.status_code == sections.status_code
            return answer.status_code, address, alone

        assert await read(None) == (404, None, None)
        assert (await client.post(f"{base}/publish")).json()["published"] is True
        secret = visibility == "share-link"
        plain, through = (None, opened) if secret else (root, root)
        assert await read(None) == (200, plain, plain)
        assert await read(keys[site]) == (200, through, through)
        assert await read("nonsense") == (404, None, None)
        assert await read(keys[other]) == (404, None, None)
        (link,) = (await client.get(f"{base}/share-links")).json()["items"]
        assert link["urls"] == ({"published": opened} if secret else {})
        there = f"{base}/share-links/{link['id']}"
        for active in (False, True):
            shown = (await client.patch(there, json={"active": active})).json()
            assert (shown["active"], "published" in shown["urls"]) == (active, active and secret)
            assert (await read(keys[site]))[0] == (200 if active else 404)
        await client.post(f"{base}/unpublish")
        assert (await reader.get(f"{base}/published")).status_code == 404
        assert "published" not in (await reader.get(f"/spaces/{space}")).json()["urls"]


DOCUMENT = {
    "object": "document",
    "data": {"schemaVersion": 2},
    "nodes": [
        {
            "object": "block",
            "type": "paragraph",
            "nodes": [{"object": "text", "leaves": [{"object": "leaf", "text": "Why."}]}],
        }
    ],
}
APPROVED = {"status": "approved"}
AGAINST = {"status": "changes-requested"}

RULES: list[tuple[dict[str, Any], list[tuple[str, str, Any, str | None]]]] = [
    # The rule, then what is done (who, where, with what) and what the refusal says after it; None
    # means that nothing is refused any longer.
    (
        {"rule": "require_specific_reviewers", "users": ["lee", "rita"]},
        [
            ("lee", "reviews", APPROVED, "Rita"),
            ("rita", "reviews", AGAINST, "Rita asked for changes"),
            ("rita", "reviews", APPROVED, None),
        ],
    ),
    (
        {"rule": "require_one_of_specific_reviewers", "users": ["lee", "rita"]},
        [
            ("bo", "reviews", APPROVED, "Lee or Rita"),
            ("lee", "reviews", AGAINST, "Lee asked for changes"),
            ("rita", "reviews", APPROVED, None),
        ],
    ),
    (
        {"rule": "require_at_least_one_review"},
        [
            ("ana", "requested-reviewers", {"users": ["lee"]}, "Lee has not answered"),
            ("ana", "reviews", APPROVED, "approving review"),
            ("lee", "reviews", AGAINST, "Lee asked for changes"),
            ("rita", "reviews", APPROVED, None),
        ],
    ),
    (
        {"rule": "require_all_reviews_approved"},
        [
            ("ana", "requested-reviewers", {"users": ["rita"]}, "Rita has not answered"),
            ("lee", "reviews", AGAINST, "Lee asked for changes, and Rita has not answered"),
            ("rita", "reviews", APPROVED, "Lee asked for changes"),
            ("lee", "reviews", APPROVED, None),
        ],
    ),
    (
        {"rule": "require_up_to_date_change_request"},
        [("ana", "comments", {"body": {"markdown": "?"}}, "update"), ("ana", "update", None, None)],
    ),
    (
        {"rule": "require_change_request_subject"},
        [("ana", "", {"subject": "  "}, "subject"), ("ana", "", {"subject": "Words"}, None)],
    ),
    (
        {"rule": "require_change_request_description"},
        [
            ("ana", "", {"description": {**DOCUMENT, "nodes": []}}, "description"),
            ("ana", "", {"description": DOCUMENT}, None),
        ],
    ),
]


@pytest.mark.parametrize(("rule", "steps"), RULES, ids=[rule["rule"] for rule, _ in RULES])
async def test_each_merge_rule_says_what_and_who(
    world: World, rule: dict[str, Any], steps: list[tuple[str, str, Any, str | None]]
) -> None:
    assert world.home
    people = {"ana": world.ana} | {n: world.user(n, "review") for n in ("lee", "rita", "bo")}

    def with_ids(body: Any) -> Any:
        named = isinstance(body, dict) and "users" in body
        return {**body, "users": [people[name] for name in body["users"]]} if named else body

    space = world.space("Handbook", {"intro": "x"})
    world.change_request(space, {"intro": "y"}, subject="")
    world.commit(space, {"other": "z"})
    path = change(space, "1")
    rules = {"mergeRules": {"type": "rules", "rules": [with_ids(rule)]}}
    async with world.client() as client:
        assert (await client.patch(f"/orgs/{world.home}", json=rules)).is_success
        for who, what, body, words in steps:
            async with world.client(people[who]) as person:
                send = person.post if what else person.patch
                there = f"{path}/{what}" if what else path
                assert (await send(there, json=with_ids(body))).is_success, (who, what)
            answer = await client.post(f"{path}/merge")
            if words is None:
                assert answer.json()["result"] == "merge"
            else:
                assert answer.status_code == 412
                assert words in said(answer)


async def test_a_space_outlives_its_collection_in_the_trash(world: World) -> None:
    async with world.client() as client:
        home = f"/orgs/{world.home}"
        shelf = (await client.post(f"{home}/collections", json={"title": "Shelf"})).json()["id"]
        made = (await client.post(f"{home}/spaces", json={"parent": shelf})).json()
        assert made["visibility"] == "in-collection"
        assert (await client.delete(f"/collections/{shelf}")).status_code == 412
        assert (await client.delete(f"/spaces/{made['id']}")).status_code == 205
        assert (await client.delete(f"/collections/{shelf}")).status_code == 205
        back = (await client.post(f"/spaces/{made['id']}/restore")).json()
        assert (back["visibility"], "parent" in back) == ("private", False)
        assert (await client.get(f"/spaces/{made['id']}")).json() == back


async def test_what_keeps_a_space_from_being_handed_over(world: World) -> None:
    other = world.organization("Other", world.ana)
    lee = world.user("lee")
    rule = {"rule": "require_one_of_specific_reviewers", "users": [lee]}
    space = world.space("Handbook", merge_rules={"type": "rules", "rules": [rule]})
    home, there = f"/orgs/{world.home}", f"/spaces/{space}"

    async def hand_over(client: httpx.AsyncClient, status: int, word: str = "") -> None:
        answer = await client.post(f"{there}/transfer", json={"organization": other})
        assert answer.status_code == status
        assert word in answer.text

    async with world.client() as client:
        site = (await client.post(f"{home}/sites", json={"spaces": [space]})).json()["id"]
        source = {"space": space, "language": "en"}
        body = {"language": "de", "source": source}
        translation = (await client.post(f"{home}/translations", json=body)).json()["id"]
        key = world.change_request(space)
        asked = {"users": [lee]}
        assert (await client.post(change(space, key, "requested-reviewers"), json=asked)).is_success
        await hand_over(client, 412, "Untitled site")
        await client.delete(f"{home}/sites/{site}")
        await hand_over(client, 412, "'de'")
        await client.delete(f"{home}/translations/{translation}")
        await hand_over(client, 412, "merge rule")
        await client.patch(there, json={"mergeRules": {"type": "none"}})
        installation = world.write(lambda tx: install_on(tx, world.home, space))
        path = "/integrations/charts/spaces"
        assert [item["space"] for item in (await client.get(path)).json()["items"]] == [space]
        await hand_over(client, 200)
        await hand_over(client, 409)
        assert (await client.get(path)).json()["items"] == []
        asked_there = (await client.get(change(space, key, "requested-reviewers"))).json()
        assert asked_there["items"] == []
        listed = (await client.get(f"/orgs/{other}/change-requests")).json()["items"]
        assert [item["id"] for item in listed] == [key]
        assert (await client.get(f"{home}/change-requests")).json()["count"] == 0
    assert world.row("installation", installation)["organization_id"] == world.home


def install_on(tx: Tx, organization: str, space: str) -> str:
    fields = {"owner": organization, "title": "Charts", "visibility": "public"}
    integration = installations.publish(tx, "charts", fields)
    return installations.install(tx, integration, organization, spaces={space: []})

"""Every documented field of every resource: there, of its kind, and moved by what must move it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from copydesk.server.access import (
    COLLECTION_PERMISSIONS,
    ORGANIZATION_PERMISSIONS,
    SPACE_PERMISSIONS,
)
from tests.server.everything import Everything, everything
from tests.server.shapes import (
    ABSENT_OUTSIDE,
    CHANGE_REQUEST,
    CLUSTER,
    COLLECTION,
    COMMENT,
    CONVERSATION,
    GROUP,
    ISSUE,
    MEMBER,
    ORGANIZATION,
    REDIRECT,
    REPLY,
    REVIEW,
    ROLE,
    SCHEMA,
    SECTION,
    SHARE_LINK,
    SITE,
    SITE_SPACE,
    SPACE,
    TEAM,
    USER,
    each,
    moment,
    one_of,
    problems,
    url,
    words,
    yes_or_no,
)
from tests.world import BASE_URL, World


@pytest.fixture
async def all_of_it(world: World) -> Everything:
    return await everything(world)


def readings(have: Everything) -> dict[str, tuple[Any, bool]]:
    """Return the shape of what each address answers, and whether it is a list of such."""
    issue_item = {"issue": ISSUE, "conversation": CONVERSATION}
    metadata = {"url": url, "attributes": {"plan": words}, "createdAt": moment}
    part = {"type": words, "role": words, "body": words}
    asked = {
        "object": one_of("change-request-requested-reviewer"),
        "kind": one_of("user"),
        "revision": words,
        "user": USER,
        "requestedBy": USER,
        "createdAt": moment,
    }
    condition = {"description": words, "condition": words}
    sections = {"type": one_of("sections"), "structure": each(SECTION)}
    team_member = {
        "organization": MEMBER,
        "team": {"role": one_of("owner", "member")},
        "permissions": {"view": yes_or_no},
    }
    members_team = {"team": TEAM, "member": {"role": one_of("owner", "member")}}
    outer = {name: shape for name, shape in COLLECTION.items() if name not in ABSENT_OUTSIDE}
    outer |= {f"{name}?": words for name in ABSENT_OUTSIDE}
    threads_at = have.at_space("comments", have.comment)
    conversation = {"conversation": CONVERSATION, "parts": each(part), "metadata": metadata}
    change = have.at_change()
    return {
        "/user": (USER, False),
        "/orgs": (ORGANIZATION, True),
        have.org(): (ORGANIZATION, False),
        have.org("members"): (MEMBER, True),
        have.org("members", have.lee): (MEMBER, False),
        have.org("members", have.lee, "teams"): (members_team, True),
        have.org("members", have.lee, "spaces"): ({"permission": ROLE, "space": SPACE}, True),
        have.org("teams"): (TEAM, True),
        have.org("teams", have.team): (TEAM, False),
        have.org("teams", have.team, "members"): (team_member, True),
        have.org("spaces"): (SPACE, True),
        have.org("collections"): (outer, True),
        f"/collections/{have.collection}": (COLLECTION, False),
        f"/collections/{have.collection}/spaces": (SPACE, True),
        have.at_space(): (SPACE, False),
        have.at_space("comments"): (COMMENT, True),
        threads_at: (COMMENT, False),
        f"{threads_at}/replies": (REPLY, True),
        f"{threads_at}/replies/{have.reply}": (REPLY, False),
        f"{change}/comments/{have.said}": (COMMENT, False),
        f"{change}/commenters": (MEMBER, True),
        change: (CHANGE_REQUEST, False),
        have.at_space("change-requests") + "?status=merged": (CHANGE_REQUEST, True),
        have.org("change-requests") + "?status=merged": (CHANGE_REQUEST, True),
        f"{change}/reviews": (REVIEW, True),
        f"{change}/requested-reviewers": (asked, True),
        have.org("sites"): (SITE, True),
        have.at_site(): (SITE, False),
        have.at_site("sections"): (SECTION, True),
        have.at_site("site-spaces"): (SITE_SPACE, True),
        have.at_site("share-links"): (SHARE_LINK, True),
        have.at_site("redirects"): (REDIRECT, True),
        have.at_site("section-groups"): (GROUP, True),
        have.at_site("structure"): (
            {"type": one_of("sections"), "structure": each(GROUP)},
            False,
        ),
        have.at_site("adaptive-schema"): (SCHEMA, False),
        have.at_site("adaptive-schema/template-conditions"): ({"items": each(condition)}, False),
        have.at_site("published"): (
            {"object": one_of("published-content-site"), "site": SITE, "structure": sections},
            False,
        ),
        have.org("conversations-clusters"): (CLUSTER, True),
        have.org("conversations-clusters", have.cluster): (CLUSTER, False),
        have.org("conversations"): (CONVERSATION, True),
        have.org("conversations/talk-1"): (conversation, False),
        have.org("conversations-issues"): (issue_item, True),
        have.org("conversations-issues", have.issue): (issue_item, False),
    }


def locations(value: Any) -> Iterator[tuple[str, str]]:
    """Yield the address that each object inside gives for itself, with its id."""
    if isinstance(value, dict):
        if "location" in value.get("urls", {}):
            yield value["urls"]["location"], value["id"]
        for inner in value.values():
            yield from locations(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from locations(inner)


async def test_every_field_is_there_and_every_address_resolves(all_of_it: Everything) -> None:
    wrong: list[str] = []
    addresses: dict[str, str] = {}
    async with all_of_it.world.client() as client:
        for path, (shape, listed) in readings(all_of_it).items():
            answer = await client.get(path)
            assert answer.status_code == 200, (path, answer.text)
            found = answer.json()
            addresses |= dict(locations(found))
            if not listed:
                wrong += problems(found, shape, path)
                continue
            assert found.keys() == {"items", "count"}, path
            assert found["count"] == len(found["items"]) > 0, path
            for item in found["items"]:
                wrong += problems(item, shape, path)
        assert wrong == []
        assert len(addresses) >= 14
        for address, key in addresses.items():
            assert address.startswith(f"{BASE_URL}/v1/")
            found = (await client.get(address)).json()
            # An issue and a conversation are answered with what belongs to them.
            ids = {found.get("id"), *(v["id"] for v in found.values() if _object(v))}
            assert key in ids, address


def _object(value: Any) -> bool:
    return isinstance(value, dict) and "id" in value


@dataclass(frozen=True)
class Move:
    """Something done, and a field that it must move: its values before and after."""

    field: str
    read: str
    before: Any
    after: Any
    do: Callable[[httpx.AsyncClient], Awaitable[httpx.Response]]


def moves(have: Everything) -> list[Move]:
    """Return changes one after the other; what one moved is where the next begins."""

    def put(path: str, **body: Any) -> Callable[[httpx.AsyncClient], Awaitable[httpx.Response]]:
        return lambda client: client.put(path, json=body)

    def post(path: str, **body: Any) -> Callable[[httpx.AsyncClient], Awaitable[httpx.Response]]:
        return lambda client: client.post(path, json=body)

    def patch(path: str, **body: Any) -> Callable[[httpx.AsyncClient], Awaitable[httpx.Response]]:
        return lambda client: client.patch(path, json=body)

    def delete(path: str) -> Callable[[httpx.AsyncClient], Awaitable[httpx.Response]]:
        return lambda client: client.delete(path)

    space, talk = have.at_space(), have.at_space("comments", have.comment)
    waiting = have.at_space("change-requests", have.waiting)
    team, lee = have.org("teams", have.team), have.org("members", have.lee)
    cluster = have.org("conversations-clusters", have.cluster)
    site, section = have.at_site(), have.at_site("sections", have.section)
    said = {"markdown": "Again"}
    link = have.at_site("share-links", have.share_link)
    moving = have.org("conversations-issues", "move")
    out = post(moving, issues=[have.issue], cluster=None)
    back = post(moving, issues=[have.issue], cluster=have.cluster)
    return [
        Move("comments", space, 0, 1, post(have.at_space("comments"), body=said)),
        Move("comments", space, 1, 2, put(talk, resolved=False)),
        Move("status", talk, "open", "resolved", put(talk, resolved=True)),
        Move("comments", space, 1, 2, put(talk, resolved=False)),
        Move("replies", talk, 1, 2, post(f"{talk}/replies", body=said)),
        Move("repliers.0.count", talk, 1, 1, post(f"{talk}/replies", body=said)),
        Move("repliers.1.count", talk, 2, 3, post(f"{talk}/replies", body=said)),
        Move("replies", talk, 4, 3, delete(f"{talk}/replies/{have.reply}")),
        Move("reactions.0.count", talk, 1, 1, put(talk, addedReactions=["👍"])),
        Move("reactions", talk, 1, 0, put(talk, removedReactions=["👍"])),
        Move("comments", space, 2, 1, delete(talk)),
        Move("comments", waiting, 0, 1, post(f"{waiting}/comments", body=said)),
        Move("comments", space, 1, 1, post(f"{waiting}/comments", body=said)),
        Move(
            "comments",
            waiting,
            2,
            3,
            post(f"{waiting}/reviews", status="changes-requested", comment=said),
        ),
        Move("outdated", waiting, True, False, post(f"{waiting}/update")),
        Move("changeRequestsOpen", space, 1, 0, patch(waiting, status="draft")),
        Move("changeRequestsDraft", space, 1, 2, post(have.at_space("change-requests"))),
        Move("changeRequests", space, 3, 3, patch(waiting, status="archived")),
        Move("changeRequestsDraft", space, 1, 1, patch(waiting, status="open")),
        Move("updatedAt", space, ..., ..., patch(space, title="Manual")),
        Move("updatedAt", waiting, ..., ..., patch(waiting, subject="Other")),
        Move("lastSeenAt", have.org("members", have.ana), ..., ..., post(have.org("ping"))),
        Move("teams", lee, 1, 2, put(have.org("teams"), title="Two", members=[have.lee])),
        Move("spaces", lee, 1, 2, post(have.org("spaces"), title="Second")),
        Move("members", team, 2, 1, delete(f"{team}/members/{have.lee}")),
        Move("spaces", team, 1, 2, post(have.org("spaces"), parent=have.collection)),
        Move("stats.issues", cluster, 1, 0, out),
        Move("stats.conversations", cluster, 0, 1, back),
        Move("sources.help-desk", cluster, 1, None, out),
        Move("weeklyPulse.12", cluster, 0, 1, back),
        Move("updatedAt", cluster, ..., ..., patch(cluster, label="Other")),
        Move("closedAt", cluster, None, ..., patch(cluster, closed=True)),
        Move("urls.published", link, None, ..., patch(site, visibility="share-link")),
        Move("urls.published", link, ..., None, patch(link, active=False)),
        Move("urls.published", site, None, ..., patch(site, visibility="public")),
        Move("agentsContext", site, "included", "excluded", patch(site, agentsContext="excluded")),
        Move("adaptiveContent.enabled", site, True, False, patch(site, adaptiveContent=OFF)),
        Move("features", site, 0, 0, patch(site, proxy=None)),
        Move("urls.published", section, ..., None, post(f"{site}/unpublish")),
        Move("urls.published", space, None, ..., post(f"{site}/publish")),
        Move("published", site, True, False, post(f"{site}/unpublish")),
        Move("defaultContent", have.org(), ..., None, delete(site)),
    ]


OFF = {"enabled": False}


async def test_fields_follow_what_is_done(all_of_it: Everything) -> None:
    async with all_of_it.world.client() as client:
        for number, move in enumerate(moves(all_of_it)):
            label = f"{number}: {move.field} of {move.read}"
            before = await _read(client, move)
            answer = await move.do(client)
            assert answer.is_success, (label, answer.text)
            after = await _read(client, move)
            for value, expected in ((before, move.before), (after, move.after)):
                assert value is not None if expected is ... else value == expected, (label, value)
            if move.before is ... and move.after is ...:
                assert after > before, label


async def _read(client: httpx.AsyncClient, move: Move) -> Any:
    """Return a field by its path; of a list how long it is."""
    found = await _object_at(client, move.read)
    for part in move.field.split("."):
        found = found[int(part)] if isinstance(found, list) else found.get(part)
        if found is None:
            return None
    return len(found) if isinstance(found, list) else found


async def _object_at(client: httpx.AsyncClient, path: str) -> Any:
    """Return an object, from its list where it has no address of its own."""
    answer = await client.get(path)
    if answer.status_code == 200:
        return answer.json()
    above, _, key = path.rpartition("/")
    listed = (await client.get(above)).json()["items"]
    return next(item for item in listed if item["id"] == key)


ROLES = ("read", "comment", "review", "edit", "create", "admin")


@pytest.mark.parametrize("role", [None, *ROLES])
async def test_permissions_say_what_the_caller_may_do(world: World, role: str | None) -> None:
    """Each permission that an operation takes is one that trying it confirms."""
    space, shelf = world.space("Handbook", {"intro": "x"}), world.collection("Shelf")
    team = world.team("Writers")
    note, talk = {"body": {"markdown": "Hi"}}, world.comment(space)
    someone = world.user("someone", role)
    own = world.comment(space, by=someone)
    told = {"id": "1", "parts": [{"type": "message", "role": "user", "body": "Hi"}]}
    there, home = f"/spaces/{space}", f"/orgs/{world.home}"
    change = f"{there}/change-requests/{world.change_request(space, {'intro': 'y'})}"
    tries: dict[str, list[tuple[str, str, str, Any]]] = {
        home: [
            ("listMembers", "GET", f"{home}/members", None),
            ("listTeams", "GET", f"{home}/teams", None),
            ("createContent", "POST", f"{home}/sites", {}),
            ("createContent", "POST", f"{home}/spaces", {}),
            ("ingestConversations", "POST", f"{home}/conversations", told),
            ("ownTeam", "PUT", f"{home}/teams", {"title": "More"}),
            ("admin", "PATCH", home, {"ai": True}),
        ],
        f"/collections/{shelf}": [
            ("create", "POST", f"{home}/spaces", {"parent": shelf}),
            ("admin", "PATCH", f"/collections/{shelf}", {"title": "Case"}),
        ],
        there: [
            ("view", "GET", f"{there}/content/pages", None),
            ("comment", "POST", f"{there}/comments", note),
            ("review", "POST", f"{change}/reviews", {"status": "approved"}),
            ("edit", "POST", f"{there}/change-requests", {}),
            ("merge", "POST", f"{change}/merge", None),
            ("admin", "PATCH", there, {"emoji": "1f4d6"}),
        ],
        f"{there}/comments/{talk}": [
            ("reply", "POST", f"{there}/comments/{talk}/replies", note),
            ("edit", "PUT", f"{there}/comments/{talk}", note),
            ("delete", "DELETE", f"{there}/comments/{talk}", None),
        ],
        f"{there}/comments/{own}": [
            ("edit", "PUT", f"{there}/comments/{own}", note),
            ("delete", "DELETE", f"{there}/comments/{own}", None),
        ],
        f"{home}/teams/{team}": [
            ("view", "GET", f"{home}/teams/{team}/members", None),
            ("admin", "PATCH", f"{home}/teams/{team}", {"title": "Editors"}),
        ],
    }
    tables = {
        home: ORGANIZATION_PERMISSIONS,
        f"/collections/{shelf}": COLLECTION_PERMISSIONS,
        there: SPACE_PERMISSIONS,
    }
    async with world.client(someone) as client:
        for path, attempts in tries.items():
            shown = await client.get(path)
            may = shown.json()["permissions"] if shown.is_success else {}
            if path in tables and may and role is not None:
                have = ROLES.index(role)
                assert may == {n: have >= ROLES.index(need) for n, need in tables[path].items()}
            for name, method, target, body in attempts:
                answer = await client.request(method, target, json=body)
                assert answer.is_success is may.get(name, False), (role, name, path, answer.text)
                hidden = (403, 404) if may == {} else (403,)
                assert answer.is_success or answer.status_code in hidden, name


async def test_what_is_created_says_where_it_is(all_of_it: Everything) -> None:
    have, site = all_of_it, all_of_it.at_site()
    made = [
        ("POST", have.org("spaces"), {"title": "New"}),
        ("POST", have.at_space("duplicate"), None),
        ("POST", have.org("collections"), {"title": "New"}),
        ("PUT", have.org("teams"), {"title": "New"}),
        ("POST", have.at_space("change-requests"), {"subject": "New"}),
        ("POST", have.org("sites"), {"title": "New"}),
        ("POST", f"{site}/site-spaces", {"spaceId": "new"}),
        ("POST", f"{site}/sections", {"spaceId": "new"}),
        ("POST", f"{site}/share-links", {"name": "New"}),
    ]
    created = ""
    async with have.world.client() as client:
        for method, path, body in made:
            sent = body and {k: created if v == "new" else v for k, v in body.items()}
            answer = await client.request(method, path, json=sent)
            assert answer.status_code == 201, (path, answer.text)
            key = answer.json()["id"]
            created = created or key
            address = answer.headers["location"]
            assert address.endswith(f"/{key}")
            # Without an operation that reads one, it is found in its list and has other methods.
            found = await client.get(address)
            if found.status_code == 200:
                assert found.json() == answer.json(), path
            else:
                assert found.status_code == 405
                listed = (await client.get(address.rpartition("/")[0])).json()["items"]
                assert answer.json() in listed, path

"""What must hold whatever is done: order after moves, one default everywhere, counts that count.

Each test does random things over HTTP and holds the desk against plain lists: a model's or its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, get_args

import httpx
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.contract.enumerations import ChangeRequestStatus
from copydesk.server import conversation_writes, site_writes
from copydesk.server.store import Tx
from tests.world import World

FEW = settings(max_examples=3, deadline=None)
"""Long ways rather than many: a desk takes longer to make than a step on it."""


@contextmanager
def new_world() -> Iterator[World]:
    made = World()
    try:
        yield made
    finally:
        made.close()


SIDES = st.sampled_from(["before", "after", None])
THINGS = [*(f"space {number}" for number in range(4)), *(f"box {number}" for number in range(3))]
PARENTS = st.sampled_from([None, "stay", "box 0", "box 1", "box 2"])
MOVES = st.lists(
    st.tuples(st.sampled_from(THINGS), PARENTS, SIDES, st.sampled_from(THINGS[:4])),
    min_size=15,
    max_size=25,
)


@dataclass
class Shelves:
    """Spaces and collections as plain lists: what each collection (None is the root) holds."""

    holds: dict[str | None, list[str]] = field(default_factory=dict)

    def above(self, thing: str) -> str | None:
        return next(parent for parent, inside in self.holds.items() if thing in inside)

    def is_inside(self, thing: str | None, box: str) -> bool:
        while thing is not None and thing != box:
            thing = self.above(thing)
        return thing == box

    def move(self, thing: str, parent: str | None, side: str | None, anchor: str) -> int:
        """Move something if that is allowed, and return the status that says so."""
        here = self.above(thing)
        target = here if parent == "stay" else parent
        if thing.startswith("box") and self.is_inside(target, thing):
            return 400
        others = [other for other in self.holds[target] if other != thing]
        if side is None:
            if target == here:
                return 409
            place = len(others)
        elif anchor not in others:
            return 400
        else:
            place = others.index(anchor) + (side == "after")
        others.insert(place, thing)
        if target == here and others == self.holds[here]:
            return 409
        self.holds[here] = [other for other in self.holds[here] if other != thing]
        self.holds[target] = others
        return 200


@FEW
@given(MOVES)
async def test_moves_do_what_lists_do(moves: list[tuple[str, str | None, str | None, str]]) -> None:
    with new_world() as world:
        ids: dict[str, str] = {}
        for name in THINGS:
            make = world.space if name.startswith("space") else world.collection
            ids[name] = make(name)
        names = {key: name for name, key in ids.items()}
        model = Shelves({None: list(THINGS), "box 0": [], "box 1": [], "box 2": []})
        async with world.client() as client:
            for thing, parent, side, anchor in moves:
                expected = model.move(thing, parent, side, anchor)
                body: dict[str, Any] = {}
                if parent != "stay":
                    body["parent"] = parent and ids[parent]
                if side is not None:
                    body["position"] = {side: {"type": "space", "space": ids[anchor]}}
                kind = "spaces" if thing.startswith("space") else "collections"
                answer = await client.post(f"/{kind}/{ids[thing]}/move", json=body)
                assert answer.status_code == expected, (thing, parent, side, anchor, answer.text)
                if answer.is_success:
                    assert answer.json().get("parent") == (
                        ids[above] if (above := model.above(thing)) else None
                    )
            for kind, word in (("spaces", "space"), ("collections", "box")):
                found = (await client.get(f"/orgs/{world.home}/{kind}")).json()["items"]
                for parent, inside in model.holds.items():
                    key = ids[parent] if parent else None
                    order = [names[item["id"]] for item in found if item.get("parent") == key]
                    assert order == [name for name in inside if name.startswith(word)]


def deeds(*names: str, least: int, most: int) -> st.SearchStrategy[list[tuple[str, int, int]]]:
    """Return so many things to do one after the other, each with two numbers that tell to what."""
    numbers = st.integers(0, 5)
    step = st.tuples(st.sampled_from(names), numbers, numbers)
    return st.lists(step, min_size=least, max_size=most)


STEPS = deeds(
    "add section",
    "add site space",
    "delete section",
    "delete site space",
    "default section",
    "default site space",
    "move section",
    "move site space",
    "trash",
    "restore",
    least=8,
    most=12,
)


@FEW
@given(STEPS)
async def test_one_default_everywhere(steps: list[tuple[str, int, int]]) -> None:
    with new_world() as world:
        home = world.home
        spaces = [world.space(f"Space {number}") for number in range(4)]
        site = world.write(
            lambda tx: site_writes.add_site(
                tx, home, "Docs", hostname="docs.acme.example", published=True
            )
        )
        async with world.client() as client:
            await check_defaults(client, f"/orgs/{home}/sites/{site}")
            for number, (what, one, two) in enumerate(steps, start=1):
                await step(client, f"/orgs/{home}/sites/{site}", spaces, what, one, two)
                if number % 4 == 0:
                    await check_defaults(client, f"/orgs/{home}/sites/{site}")


async def step(
    client: httpx.AsyncClient, site: str, spaces: list[str], what: str, one: int, two: int
) -> None:
    """Do one thing; whether the desk takes it is not the question here, as long as it answers."""
    sections = [s["id"] for s in (await client.get(f"{site}/sections")).json()["items"]]
    shown = (await client.get(f"{site}/site-spaces")).json()["items"]
    space = spaces[one % len(spaces)]
    section = sections[one % len(sections)] if sections else "none"
    beside_section = sections[two % len(sections)] if sections else "none"
    variant = shown[one % len(shown)] if shown else {"id": "none"}
    beside_variant = shown[two % len(shown)]["id"] if shown else "none"
    # The site's own default may be in any section, a section's only in it.
    inside = f"{site}/sections/{variant['section']}" if "section" in variant and two % 2 else site
    into = {"sectionId": beside_section} if sections else {}
    side = "before" if two % 2 else "after"
    near_section = {side: {"type": "site-section", "siteSection": beside_section}}
    near_variant = {side: {"type": "site-space", "siteSpace": beside_variant}}
    method, path, body = {
        "add section": ("POST", f"{site}/sections", {"spaceId": space}),
        "add site space": ("POST", f"{site}/site-spaces", {"spaceId": space, **into}),
        "delete section": ("DELETE", f"{site}/sections/{section}", None),
        "delete site space": ("DELETE", f"{site}/site-spaces/{variant['id']}", None),
        "default section": ("PATCH", site, {"defaultSiteSection": section}),
        "default site space": ("PATCH", inside, {"defaultSiteSpace": variant["id"]}),
        "move section": ("POST", f"{site}/sections/{section}/move", {"position": near_section}),
        "move site space": (
            "POST",
            f"{site}/site-spaces/{variant['id']}/move",
            {"position": near_variant},
        ),
        "trash": ("DELETE", f"/spaces/{space}", None),
        "restore": ("POST", f"/spaces/{space}/restore", None),
    }[what]
    answer = await client.request(method, path, json=body)
    assert answer.status_code < 500, (what, answer.text)


async def check_defaults(client: httpx.AsyncClient, site: str) -> None:
    """Fail unless there is one default wherever there is something, for editors and for readers."""
    sections = (await client.get(f"{site}/sections")).json()["items"]
    shown = (await client.get(f"{site}/site-spaces")).json()["items"]
    defaults = (await client.get(f"{site}/site-spaces", params={"default": True})).json()["items"]
    others = (await client.get(f"{site}/site-spaces", params={"default": False})).json()["items"]
    assert [s for s in shown if s["default"]] == defaults
    assert [s for s in shown if not s["default"]] == others
    assert (await client.get(site)).json()["siteSpaces"] == len(shown)
    assert len({section["path"] for section in sections}) == len(sections)
    one_default(sections)
    if sections:
        assert all("section" in s for s in shown)
        assert [s for section in sections for s in section["siteSpaces"]] == shown
        for section in sections:
            one_default(section["siteSpaces"])
    else:
        one_default(shown)
    published = (await client.get(f"{site}/published")).json()
    root = published["site"]["urls"]["published"]
    structure = published["structure"]["structure"]
    live = [s["id"] for s in shown if "deletedAt" not in s["space"]]
    one_default(structure)
    assert all(part["urls"]["published"] == root for part in structure if part["default"])
    if published["structure"]["type"] == "sections":
        for section in structure:
            one_default(section["siteSpaces"])
            assert all(
                (s["urls"]["published"] == section["urls"]["published"]) is s["default"]
                for s in section["siteSpaces"]
            )
        structure = [s for section in structure for s in section["siteSpaces"]]
    addresses = [s["urls"]["published"] for s in structure]
    assert len(set(addresses)) == len(addresses)
    assert [s["id"] for s in structure] == live


def one_default(parts: list[dict[str, Any]]) -> None:
    assert sum(part["default"] for part in parts) == (1 if parts else 0)


WORDS = {
    "fail": "Our exports fail every night",
    "slow": "Why is the search slow",
    "other": "Thank you",
}
TALKS = st.lists(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(sorted(WORDS))), min_size=1, max_size=3),
    min_size=3,
    max_size=8,
)


LABELS = {"Exports fail": "fail", "Search slow": "slow"}
"""Clusters, and the words of the conversations that are put into them."""


def add_cluster(organization: str, label: str, tx: Tx) -> str:
    return conversation_writes.add_cluster(tx, organization, label)


@FEW
@given(TALKS)
async def test_clusters_count_what_they_hold(batches: list[list[tuple[int, str]]]) -> None:
    with new_world() as world:
        home = f"/orgs/{world.home}"
        ids = {label: world.write(partial(add_cluster, world.home, label)) for label in LABELS}
        latest: dict[str, str] = {}
        async with world.client() as client:
            for batch in batches:
                talks = [
                    {
                        "id": f"talk-{number}",
                        "metadata": {"attributes": {"source": f"desk-{number % 2}"}},
                        "parts": [{"type": "message", "role": "user", "body": WORDS[words]}],
                    }
                    for number, words in batch
                ]
                body = talks[0] if len(talks) == 1 else talks
                assert (await client.post(f"{home}/conversations", json=body)).status_code == 204
                latest |= {f"talk-{number}": words for number, words in batch}
                found = (await client.get(f"{home}/conversations-issues")).json()["items"]
                for label, word in LABELS.items():
                    moved = [
                        each["issue"]["id"]
                        for each in found
                        if latest[each["conversation"]["id"]] == word
                    ]
                    move = {"issues": moved, "cluster": ids[label]}
                    url = f"{home}/conversations-issues/move"
                    if moved:
                        assert (await client.post(url, json=move)).status_code == 200
            assert (await client.get(f"{home}/conversations")).json()["count"] == len(latest)
            clusters = (await client.get(f"{home}/conversations-clusters")).json()["items"]
            for cluster in clusters:
                params = {"cluster": cluster["id"]}
                listed = (await client.get(f"{home}/conversations-issues", params=params)).json()
                held = [item["conversation"]["id"] for item in listed["items"]]
                stats = {"issues": len(held), "conversations": len(set(held))}
                assert cluster["stats"] == {**stats, "suggestions": 0}
                assert sum(cluster["sources"].values()) == len(set(held))
                assert sum(cluster["weeklyPulse"]) == len(held)
                word = LABELS[cluster["label"]]
                assert {key for key, words in latest.items() if words == word} <= set(held)


DEEDS = deeds(
    "open",
    "status",
    "merge",
    "update",
    "edit",
    "comment",
    "put",
    "delete",
    "reply",
    "delete reply",
    "review",
    least=10,
    most=15,
)


@FEW
@given(DEEDS)
async def test_counts_count(deeds: list[tuple[str, int, int]]) -> None:
    with new_world() as world:
        space = world.space("Handbook", {"intro": "x\n"})
        world.change_request(space, {"intro": "y\n"})
        async with world.client() as client:
            for what, one, two in deeds:
                if what == "edit":
                    world.commit(space, {f"page-{one}": f"{two}\n"})
                else:
                    await deed(client, f"/spaces/{space}", what, one, two)
            await check_counts(client, f"/spaces/{space}")


async def deed(client: httpx.AsyncClient, space: str, what: str, one: int, two: int) -> None:
    """Do one thing to a change request or a thread; the desk may refuse it, but it answers."""
    requests = [
        f"{space}/change-requests/{number + 1}"
        for number in range((await client.get(space)).json()["changeRequests"])
    ]
    request = requests[one % len(requests)]
    place = [space, *requests][two % (len(requests) + 1)]
    spoken = (await client.get(f"{place}/comments")).json()["items"]
    comment = f"{place}/comments/{spoken[one % len(spoken)]['id'] if spoken else 'none'}"
    replies = (await client.get(f"{comment}/replies")).json().get("items")
    reply = f"{comment}/replies/{replies[0]['id'] if replies else 'none'}"
    status = ("draft", "open", "archived")[two % 3]
    note = {"body": {"markdown": "Hm"}}
    verdict = {"status": "approved"} | ({"comment": {"markdown": "Good"}} if two % 2 else {})
    method, path, body = {
        "open": ("POST", f"{space}/change-requests", {}),
        "status": ("PATCH", request, {"status": status}),
        "merge": ("POST", f"{request}/merge", None),
        "update": ("POST", f"{request}/update", None),
        "comment": ("POST", f"{place}/comments", note),
        "put": ("PUT", comment, {"resolved": bool(two % 2)}),
        "delete": ("DELETE", comment, None),
        "reply": ("POST", f"{comment}/replies", note),
        "delete reply": ("DELETE", reply, None),
        "review": ("POST", f"{request}/reviews", verdict),
    }[what]
    answer = await client.request(method, path, json=body)
    assert answer.status_code < 500, (what, answer.text)


async def check_counts(client: httpx.AsyncClient, space: str) -> None:
    """Fail unless every count of a space and its change requests is what its list holds."""
    shown = (await client.get(space)).json()
    by_status = {}
    for status in get_args(ChangeRequestStatus):
        params = {"status": status}
        by_status[status] = (await client.get(f"{space}/change-requests", params=params)).json()
    assert shown["changeRequestsOpen"] == len(by_status["open"]["items"])
    assert shown["changeRequestsDraft"] == len(by_status["draft"]["items"])
    found = [item for listed in by_status.values() for item in listed["items"]]
    assert shown["changeRequests"] == len(found)
    for item in found:
        holds = item.get("revisionMergedAncestor", item["revisionInitial"])
        behind = item["status"] != "merged" and holds != shown["revision"]
        assert item["outdated"] is behind
        assert ("revisionMerged" in item) is (item["status"] == "merged")
    for place, counted in [
        (space, shown["comments"]),
        *((f"{space}/change-requests/{item['id']}", item["comments"]) for item in found),
    ]:
        threads = (await client.get(f"{place}/comments")).json()["items"]
        assert counted == sum(thread["status"] == "open" for thread in threads)
        for thread in threads:
            path = f"{place}/comments/{thread['id']}/replies"
            replies = (await client.get(path)).json()["items"]
            assert thread["replies"] == len(replies)
            assert sum(replier["count"] for replier in thread["repliers"]) == len(replies)

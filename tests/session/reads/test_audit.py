"""Where the events of an audit lead."""

from __future__ import annotations

from typing import Any

import pytest

from copydesk.contract import operations as ops
from copydesk.contract.models.audit_event import AuditEvent, AuditEventTarget
from copydesk.contract.models.space import SpaceUpdate
from copydesk.session.reads.audit import read_facts, read_way, way_to
from copydesk.session.target import Target
from tests.tui.strange import strange
from tests.world import World


@pytest.mark.parametrize(
    ("kind", "ids", "place", "target"),
    [
        ("change-request", {"spaceId": "s"}, "review", {"space": "s", "change_request": "x"}),
        ("comment", {"spaceId": "s"}, "pages", {"space": "s"}),
        ("page", {"spaceId": "s"}, "pages", {"space": "s", "page": "x"}),
        ("space", {}, "pages", {"space": "x"}),
        ("site", {}, "site-structure", {"site": "x"}),
        ("site-redirect", {"siteId": "t"}, "redirects", {"site": "t"}),
        ("share-link", {"siteId": "t"}, "share-links", {"site": "t"}),
        ("collection", {}, "collection-spaces", {"item": "x"}),
        ("team", {}, "team-members", {"item": "x"}),
        ("member", {}, "member", {"item": "x"}),
        ("installation", {"integrationName": "charts"}, "integration", {"item": "charts"}),
        ("openapi-spec", {}, "openapi-specs", {}),
        ("organization", {}, "organization", {}),
    ],
)
def test_an_event_leads_to_the_screen_of_what_it_was_done_to(
    kind: str, ids: dict[str, str], place: str, target: dict[str, str]
) -> None:
    found = way_to("home", AuditEventTarget(type=kind, id="x"), ids)
    assert found == (place, Target("home").but(**target))


def test_an_event_of_something_without_a_screen_leads_nowhere() -> None:
    assert way_to("home", AuditEventTarget(type="weather", id="x"), {}) is None


async def events_of(world: World) -> list[AuditEvent]:
    async with world.api() as api:
        pages = api.pages(ops.list_organization_audit_events, world.home)
        return [each async for each in pages]


async def test_an_event_leads_to_what_it_names_and_tells_the_rest(world: World) -> None:
    space = world.space("Guide\x07", {"a": "A.\n"})
    request = world.change_request(space, {"a": "B.\n"})
    async with world.api() as api:
        await api(ops.update_space, space, SpaceUpdate(title="Guide\x07 two"))
        await api(ops.merge_change_request, space, request)
        merged, updated = await events_of(world)
        home = Target(world.home)
        of_request = home.but(space=space, change_request=request)
        assert await read_way(api, world.home, merged) == ("review", of_request)
        assert await read_way(api, world.home, updated) == ("pages", home.but(space=space))
        assert await read_facts(api, world.home, merged) == []
        assert await read_facts(api, world.home, updated) == [("fields", "title")]


async def test_the_facts_of_an_event_name_its_space_and_what_people_read(world: World) -> None:
    space = world.space("Guide\x07", {"a": "A.\n"})
    async with world.api() as api:
        await api(ops.update_space, space, SpaceUpdate(title="Guide\x07 two"))
    [event] = await events_of(world)
    told = {
        "repository": "acme/docs\x07", "branch": "main", "reason": "", "other": "no",
        "spaceId": space, "fields": ["title", 3, "icon"],
    }  # fmt: skip

    async def facts(event: AuditEvent, **more: object) -> list[tuple[str, str]]:
        def change(value: Any) -> None:
            value["payload"] = {**told, **more}

        async with strange(world, f"/audit-events/{event.id}", change) as api:
            return await read_facts(api, world.home, event)

    words = [("repository", "acme/docs"), ("branch", "main"), ("fields", "title, icon")]
    assert await facts(event) == words
    elsewhere = event.model_copy(
        update={"space": None, "target": AuditEventTarget(type="page", id="p")}
    )
    assert await facts(elsewhere) == [("space", "Guide two"), *words]
    gone = ("space", "one that is gone, or that you may not see")
    assert await facts(elsewhere, spaceId="gone", fields="no list") == [gone, *words[:2]]
    assert await facts(elsewhere, spaceId=5, branch=7) == [words[0], words[2]]
    own = elsewhere.model_copy(update={"target": AuditEventTarget(type="space", id=space)})
    assert await facts(own) == words

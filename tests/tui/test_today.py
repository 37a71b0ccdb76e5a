"""Answers of the shapes that services have today: what they say is seen, and nothing is lost."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from copydesk.cli.clusters import find_cluster
from copydesk.cli.errors import UsageError
from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.present.cluster_report import report_value
from copydesk.server import conversation_writes
from copydesk.server import site_writes as seeds
from copydesk.server.store import Tx
from copydesk.session.reads.cluster_report import read_report
from copydesk.session.target import Target
from copydesk.tui.conversations.findings import FindingsPlace
from tests.drive import Driver, drive
from tests.tui.automation.test_integrations import seed
from tests.tui.conversations.test_clusters import ask
from tests.tui.opening import open_world
from tests.tui.review_world import ReviewWorld
from tests.tui.sites.test_settings import make_site
from tests.tui.strange import strange
from tests.world import BASE_URL, START, World

OTHERS: list[dict[str, Any]] = [
    {
        "type": "reusable_content_edited",
        "reusableContent": {"id": "r1", "title": "Beta notice \x1b[31m"},
        "attributes": {"document": {"before": "d1", "after": "d2"}},
    },
    {"type": "variables_edited", "variables": {"api_version": {"before": 1, "after": 2}}},
    {"type": "tag_created", "tag": {"slug": "beta", "label": "Beta"}},
    {"type": "glossary_entry_edited"},
]
"""Changes of none of which a page or a file knows."""


async def test_a_request_that_changes_no_page_is_not_empty(world: World) -> None:
    space = world.space("API reference", {"overview": "# Overview\n"})
    request = world.change_request(space, subject="New API version")

    api = strange(world, "/changes", lambda answer: {"changes": OTHERS})
    target = Target(world.home, space=space)
    async with drive(open_world(world, "changes", target, api=api), size=(140, 40)) as driver:
        assert " 4 " in driver.line(">   1 ")
        assert "CHANGES NOTHING" not in driver.screen
        assert "READY TO MERGE" in driver.screen
        await driver.press("enter", "2")
        assert "\x1b" not in driver.screen
        for title in ("Reusable content (1)", "Variables (1)", "Tags (1)", "Other changes (1)"):
            assert title in driver.screen, driver.screen
        assert "changes nothing" not in driver.screen
        await driver.press("]")
        assert "2/4 ~ variable api_version" in driver.screen
        assert "value: was “1”, now “2”" in driver.screen, driver.screen
        await driver.press("m")
        assert "1 reusable content; 1 variable; 1 tag; 1 glossary entry" in driver.screen
        assert "changes nothing" not in driver.screen
    assert request


async def test_more_changes_than_were_told_are_said(world: World) -> None:
    review = ReviewWorld(world)
    asked: list[str] = []

    def few(answer: Any) -> Any:
        asked.append("changes")
        return {"changes": answer["changes"][:1], "more": 24}

    api = strange(world, "/changes", few)
    target = Target(world.home, space=review.space, change_request=review.request)
    async with drive(open_world(world, "review", target, api=api), "1") as driver:
        assert "only the first 1 of 25 changes were looked at" in driver.screen, driver.screen
        await driver.press("m")
        assert "and 24 more changes" in driver.screen
        assert "only the first 1 of 25 changes were looked at" in driver.screen
    assert asked


async def test_what_an_edit_and_a_move_are_about_is_told(world: World) -> None:
    """Without older versions the service alone knows what a merged request changed."""
    review = ReviewWorld(world)
    async with world.api() as desk:
        await desk(ops.merge_change_request, review.space, review.request)

    def today(answer: Any) -> Any:
        page = answer["changes"][0]["page"]
        return {
            "changes": [
                {
                    "type": "page_edited",
                    "page": page,
                    "attributes": {
                        "description": {"before": "Short", "after": "Longer"},
                        "emoji": {"after": "1f600"},
                    },
                },
                {
                    "type": "page_moved",
                    "page": page,
                    "parent": {"before": {"id": "x", "title": "Legacy", "path": "legacy"}},
                },
            ]
        }

    api = strange(world, "/changes", today, lacks="/revisions/")
    target = Target(world.home, space=review.space, change_request=review.request)
    async with drive(open_world(world, "review", target, api=api), "2") as driver:
        assert "description: was “Short”, now “Longer”" in driver.screen, driver.screen
        assert "emoji: now “1f600”" in driver.screen
        assert "moved: was under “Legacy”" in driver.screen


def asks_a_team(answer: Any) -> None:
    team = {"object": "team", "id": "t1", "title": "Docs \x1b[31mguild"}
    answer["items"].append(
        {
            "object": "change-request-requested-reviewer",
            "kind": "team",
            "team": team,
            "createdAt": "2026-01-01T00:00:00Z",
        }
    )


async def test_a_team_that_is_asked_for_a_review_is_named_as_one(world: World) -> None:
    review = ReviewWorld(world)
    world.user("mo", display_name="Mo Diaz")
    api = strange(world, "/requested-reviewers", asks_a_team)
    target = Target(world.home, space=review.space)
    async with drive(open_world(world, "changes", target, api=api), size=(140, 40)) as driver:
        assert "waits on team Docs guild" in driver.screen, driver.screen
        await driver.press("w")
        assert "Asked too: team Docs guild" in driver.screen, driver.screen
        await driver.type("Mo")
        await driver.press("space", "ctrl+s")
        assert "Asked: Mo Diaz." in driver.screen, driver.screen
        await driver.press("enter", "1")
        assert "? team Docs guild was asked" in driver.screen, driver.screen
        await driver.press("5")
        assert "team Docs guild for a review" in driver.screen, driver.screen
        assert "\x1b" not in driver.screen


async def test_asking_may_be_answered_with_the_people_alone(world: World) -> None:
    review = ReviewWorld(world)
    mo = world.user("mo", display_name="Mo Diaz")
    api = strange(world, "/requested-reviewers", lambda answer: {"users": [mo]}, method="POST")
    target = Target(world.home, space=review.space)
    async with drive(open_world(world, "changes", target, api=api), "w") as driver:
        await driver.type("Mo")
        await driver.press("space", "ctrl+s")
        assert "Asked: Mo Diaz." in driver.screen, driver.screen
        await driver.press("u")
        assert "not understood" not in driver.screen
    async with world.api() as desk:
        page = await desk.page(ops.list_requested_reviewers, review.space, review.request)
    assert not page.items


CHECKOUT = {"type": "checkout", "url": "https://pay.example/plan?site=1\x1b[31m"}


async def test_a_site_that_takes_a_plan_is_said_not_to_be_published(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = make_site(world, published=False)
    api = Api(BASE_URL, world.token(world.ana), transport=Paid(world, "/publish"))
    target = Target(world.home, site=site)
    app = open_world(world, "site-settings", target, api=api)
    opened: list[str] = []
    monkeypatch.setattr(app, "open_url", lambda url, **more: opened.append(url))
    async with drive(app, "W") as driver:
        await driver.press("y")
        assert "Acme docs is not published" in driver.screen, driver.screen
        assert "Nothing was done. This takes another subscription, sold at:" in driver.screen
        assert "https://pay.example/plan?site=1" in driver.screen
        assert not opened
        await driver.press("y")
        assert opened == ["https://pay.example/plan?site=1"], opened
        assert not world.row("site", site)["published"]
        await driver.press("W", "y", "escape")
        assert len(opened) == 1
        assert "not published" in driver.line("State")


class Paid(httpx.ASGITransport):
    """A desk that publishes nothing before a plan was bought."""

    def __init__(self, world: World, path: str) -> None:
        super().__init__(world.app)
        self._path = path

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST" and request.url.path.endswith(self._path):
            return httpx.Response(200, json=CHECKOUT, request=request)
        return await super().handle_async_request(request)


async def test_an_integration_that_takes_a_plan_is_said_not_to_be_published(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "status.yaml").write_text("name: acme-status\ntitle: Status\n")
    monkeypatch.chdir(tmp_path)
    transport = Paid(world, "/integrations/acme-status")
    api = Api(BASE_URL, world.token(world.ana), transport=transport)
    app = open_world(world, "integrations", Target(world.home), api=api)
    opened: list[str] = []
    monkeypatch.setattr(app, "open_url", lambda url, **more: opened.append(url))
    async with drive(app, "W") as driver:
        await driver.type("status.yaml")
        await driver.press("enter", "y")
        assert "acme-status is not published" in driver.screen, driver.screen
        await driver.press("y")
        assert opened == ["https://pay.example/plan?site=1"]
        assert "acme-status" not in driver.screen


async def test_icons_of_sites_are_told(world: World) -> None:
    site = make_site(world)
    icons: list[Any] = [{"emoji": "1f600"}, {"icon": "rocket"}, {}, "gear"]

    def icon(value: Any) -> None:
        value["icon"] = icons[0]

    api = strange(world, site, icon)
    target = Target(world.home, site=site)
    app = open_world(world, "site-settings", target, api=api)
    async with drive(app, size=(140, 40)) as driver:
        for said in ("😀", "rocket", None, "gear"):
            if said is None:
                assert "icon  " not in driver.screen
            else:
                assert said in driver.line("icon  "), driver.screen
            icons.append(icons.pop(0))
            await driver.press("R")


async def test_variables_that_are_no_texts_are_compared(world: World) -> None:
    review = ReviewWorld(world)
    page = review.page("webhooks/retries")
    values = iter([{"api": 1}, {"api": True}] * 9)

    def changed(value: Any) -> None:
        value["variables"] = next(values)

    api = strange(world, f"/page/{page}", changed)
    target = Target(world.home, space=review.space, change_request=review.request, page=page)
    async with drive(open_world(world, "review", target, api=api), "2") as driver:
        assert "variables: api changed" in driver.screen, driver.screen


async def test_links_are_named_by_what_their_targets_are(world: World) -> None:
    pages = {"start": "# Start\n\nSee [gone](other.md).\n"}
    space = world.space("Guides", pages)

    def expand(value: Any) -> None:
        for link in value["items"]:
            link["targetReference"] = {
                "kind": "file",
                "file": {"id": "f1", "name": "logo.png \x1b[31m"},
                "space": {"object": "space", "id": space, "title": "Guides"},
            }

    api = strange(world, "/links", expand)
    target = Target(world.home, space=space)
    app = open_world(world, "links", target, api=api)
    async with drive(app, size=(140, 40)) as driver:
        assert "file logo.png" in driver.screen, driver.screen
        assert "\x1b" not in driver.screen


async def test_a_policy_by_directives_is_shown_and_kept(world: World) -> None:
    seed(world, "acme-status")

    def change(value: Any) -> None:
        for item in value.get("items", [value]):
            item["contentSecurityPolicy"] = {"default-src": ["'self'", "a.test"], "sandbox": ""}

    api = strange(world, "", change)
    app = open_world(world, "integrations", Target(world.home), api=api)
    async with drive(app, size=(140, 40)) as driver:
        assert "default-src 'self' a.test; sandbox" in driver.screen, driver.screen
        await driver.press("e")
        assert "Content security policy" not in driver.screen


async def test_sources_are_named_and_tasks_counted(world: World) -> None:
    ask(world)

    def change(value: Any) -> None:
        for item in value["items"]:
            item["sources"] = {"integration:zendesk:4f2": 3, "integration:zendesk:9aa": 1}
            item["stats"] |= {"tasksTotal": 7, "tasksDone": 2}

    api = strange(world, "/conversations-clusters", change)
    app = open_world(world, "clusters", Target(world.home), api=api)
    async with drive(app, size=(140, 40)) as driver:
        assert "zendesk 4" in driver.screen, driver.screen
        assert "integration:" not in driver.screen
        assert "7 total, 2 done" in driver.line("tasks"), driver.screen


WEEKS = {
    "Webhooks arrive late": [2] * 12 + [14],
    "Exports are cut off": [6] * 8 + [0] * 5,
    "Sign-in loops": [2] * 13,
}
"""How often each was told of in the weeks of `monday`."""


async def monday(path: Path | None = None) -> tuple[World, Target]:
    """Make a desk of today's: what grows, what a merge has helped, what stays, and a new finding.

    The one that stays has a draft.
    """
    world = World(path, edition="today")
    guide = world.space("Guide", {"webhooks": "Webhooks arrive late.\n"})
    now = START + timedelta(weeks=13)

    def begin(tx: Tx) -> tuple[str, dict[str, str]]:
        site = seeds.add_site(tx, world.home, "Docs")
        seeds.add_site_space(tx, site, guide)
        return site, {name: conversation_writes.add_cluster(tx, world.home, name) for name in WEEKS}

    site, clusters = world.write(begin)

    def tell(tx: Tx, name: str, counts: list[int]) -> None:
        for week, count in enumerate(counts):
            at = now - timedelta(weeks=12 - week, days=3)
            for nth in range(count):
                said: list[Any] = [("user", f"{name}, says mo@acme.example of {week}.{nth}")]
                key = conversation_writes.add_conversation(
                    tx, world.home, said, source="slack", subject=name, created_at=at
                )
                conversation_writes.add_issue(
                    tx, world.home, key, name, cluster_id=clusters[name], created_at=at
                )

    async with world.api() as api:  # what is found now is old on that Monday
        await api.page(ops.list_site_findings, world.home, site)
        world.clock.now = now - timedelta(weeks=4, days=3)
        for name, status in (("Exports are cut off", "open"), ("Sign-in loops", "draft")):
            request = world.change_request(
                guide, {"new": f"{name}\n"}, subject=name, cluster=clusters[name], status=status
            )
            if status == "open":
                await api(ops.merge_change_request, guide, request)
    world.clock.now = now

    def write(tx: Tx) -> None:
        for name, counts in WEEKS.items():
            tell(tx, name, counts)
        clusters["Plans of a team"] = conversation_writes.add_cluster(
            tx, world.home, "Plans of a team"
        )
        tell(tx, "Plans of a team", [0] * 12 + [6])

    world.write(write)
    return world, Target(world.home, site=site)


def listed(driver: Driver) -> set[str]:
    """Return the titles of the findings that are listed."""
    place = driver.place
    assert isinstance(place, FindingsPlace)
    return {row.title for row in place.rows.source.base.shown()}


async def test_a_monday_on_findings(update_golden: bool) -> None:
    world, target = await monday()
    app = open_world(world, "findings", target)
    async with drive(app, size=(140, 40)) as driver:
        assert len(listed(driver)) == 4, driver.screen
        await driver.press("2")
        assert listed(driver) == {"Plans of a team"}, driver.screen
        await driver.press("3")
        assert listed(driver) == {"Webhooks arrive late"}, driver.screen
        driver.golden("findings-growing", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("findings-growing", update=update_golden)
        await driver.resize(140, 40)
        await driver.press("4")
        assert listed(driver) == {"Exports are cut off"}, driver.screen
        assert "▲ merged" in driver.screen
        await driver.press("5")
        assert "Sign-in loops" not in listed(driver), driver.screen
        assert len(listed(driver)) == 3, driver.screen
        await driver.press("x")
        assert listed(driver) == {"Webhooks arrive late", "Plans of a team"}, driver.screen
        await driver.press("3", "x")
        assert "asked about more this week than usual" in driver.screen, driver.screen
    world.close()


async def test_change_requests_are_begun_from_several_findings_and_from_a_question() -> None:
    world, target = await monday()
    async with drive(open_world(world, "findings", target), "5", "space", "space") as driver:
        await driver.press("ctrl+n")
        assert "New change request for 2 findings" in driver.screen, driver.screen
        await driver.press("y")
        assert "Begun #3 in Guide, #4 in Guide" in driver.screen, driver.screen
        assert len(listed(driver)) == 1, driver.screen
        await driver.press("u")
        assert len(listed(driver)) == 3, driver.screen
        await driver.press("7", "ctrl+n")
        assert "New change request for Webhooks arrive late" in driver.screen, driver.screen
        await driver.press("y")
        assert "Begun #5 in Guide" in driver.screen, driver.screen
        await driver.press("L")
        assert "it begins them" in driver.screen, driver.screen
        await driver.press("8", "L")
        assert "does not tell which findings" in driver.screen, driver.screen
    world.close()


async def test_a_report_is_of_findings_where_there_are_no_clusters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    world, target = await monday()
    async with drive(open_world(world, "findings", target)) as driver:
        await driver.press(":")
        await driver.type("report week.md")
        await driver.press("enter")
        assert "Wrote the report" in driver.screen, driver.screen
    text = (tmp_path / "week.md").read_text("utf-8")
    assert "The service has no clusters: this is told of the findings" in text
    assert "| 1 | Webhooks arrive late |" in text
    assert "14, usually 2 (x7.0" in text
    assert "Plans of a team" in text[text.index("## New this week") :]
    assert "6 a week before #1 was merged, 0 since" in text
    assert "> Webhooks arrive late" in text
    assert "acme.example" not in text
    async with world.api() as api:
        read = await read_report(api, world.home, "Acme", 1, api.now)
        with pytest.raises(UsageError, match=r"has no clusters: its sites have findings\."):
            await find_cluster(api, "Webhooks arrive late", None)
    value = report_value(read, masked=True)
    assert (value["of"], value["clusters"], value["top"][0]["lately"]) == ("findings", 4, 14)
    world.close()

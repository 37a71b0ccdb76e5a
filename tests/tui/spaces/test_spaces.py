"""The tree of an organization, driven as a person would."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.client.calls import SentRequest
from copydesk.domain.space_tree import SpaceNode
from copydesk.local.snapshot import ROW_LIMIT, Snapshots
from copydesk.server.site_writes import add_site, add_site_space
from copydesk.session.reads.spaces import SpaceDetails
from copydesk.session.target import Target
from copydesk.tui.spaces.cells import request_facts
from copydesk.tui.spaces.list import SpacesPlace
from copydesk.tui.widgets.facts import Facts
from tests.drive import Driver, drive
from tests.tui.opening import open_world
from tests.tui.steps import words
from tests.world import BASE_URL, START, World


@pytest.fixture
def desk(world: World) -> World:
    """Two collections, one in the other, and two spaces in neither."""
    product = world.collection("Product docs")
    sdks = world.collection("SDKs", parent=product)
    priya = world.user("priya")
    one_review = {"rule": "require_at_least_one_review"}
    reviewers = {"rule": "require_specific_reviewers", "users": [priya]}
    guide = world.space(
        "Platform guide",
        {"start": "# Start"},
        parent=product,
        language="en",
        merge_rules={"type": "rules", "rules": [one_review, reviewers]},
    )
    world.space("Web SDK", {"install": "# Install"}, parent=sdks)
    world.space("Handbook", {"welcome": "# Welcome"}, edit_mode="locked")
    world.space("Legal")
    world.change_request(guide, {"start": "# Begin"}, subject="Reword", status="open")
    world.change_request(guide, {"more": "# More"}, subject="More")
    world.comment(guide)
    site = world.write(lambda tx: add_site(tx, world.home, "Acme Docs", published=True))
    world.write(lambda tx: add_site_space(tx, site, guide))
    return world


def details(driver: Driver) -> str:
    return driver.place.query_one(Facts).plain


async def test_the_screen_at_both_sizes(desk: World, update_golden: bool) -> None:
    for size in ((80, 24), (140, 40)):
        async with drive(open_world(desk), size=size) as driver:
            driver.golden("spaces", update=update_golden)


async def test_a_very_wide_screen_has_a_pane_for_the_change_requests(
    desk: World, update_golden: bool
) -> None:
    sent: list[SentRequest] = []
    async with drive(open_world(desk), size=(140, 40)) as driver:
        (await driver.app.session.ready()).recorder = sent.append
        await driver.resize(200, 60)
        assert [each.name for each in sent if each.name == "list_space_change_requests"]
        driver.golden("spaces", update=update_golden)
        sent.clear()
        await driver.press("j", "j")
        assert "None. Enter goes to the change requests" in driver.screen
        await driver.press("k", "k")
        assert "Reword" in driver.screen
        assert "list_space_change_requests" not in [each.name for each in sent]


def test_what_the_pane_for_change_requests_says_where_there_are_none() -> None:
    node = SpaceNode("space", "a", "A", open=2)

    def said(node: SpaceNode, details: SpaceDetails | None, *, unread: bool = False) -> str:
        facts = request_facts(node, details, START, unread=unread)
        return "; ".join(str(fact.text) for fact in facts)

    assert said(node, None) == said(node, SpaceDetails()) == "reading…"
    assert said(node, SpaceDetails(), unread=True) == "not read: press R to try again"
    assert said(node, SpaceDetails(listed=True)) == "not said by the service"
    assert said(node, SpaceDetails(listed=True, requests=[])) == "and 2 more"
    assert said(replace(node, permissions=()), None) == ""
    assert said(replace(node, kind="collection"), None) == ""


async def test_who_only_reads_is_not_told_how_a_change_request_is_begun(desk: World) -> None:
    app = open_world(desk)
    app.session.read_only = True
    async with drive(app, "j", "j", size=(200, 60)) as driver:
        assert "None. Enter goes to the change requests" in driver.screen
        assert "begins one" not in driver.screen


async def test_the_tree_with_its_counts_and_the_details_of_a_space(desk: World) -> None:
    async with drive(open_world(desk), size=(140, 40)) as driver:
        assert "Product docs  (collection, 2)" in driver.screen
        assert "(no collection)  (2)" in driver.screen
        row = driver.line("  Platform guide  ").split()
        assert row[1:9] == ["Platform", "guide", "2", "0", "1", "2", "rules", "now"]
        await driver.press("/")
        await driver.type("platform")
        await driver.press("enter")
        await driver.press("j")
        said = details(driver)
        assert "requests 2 open, 0 draft, 1 comment on the space" in said
        assert "rules at least one review, approval by Priya" in said
        assert "sites Acme Docs" in said
        assert "you may review, comment, edit, merge and administer" in said
        assert "language English" in said


async def test_who_left_the_organization_is_still_named_in_its_rules(world: World) -> None:
    zoe = world.user("zoe", display_name="Zoe Quist")
    rule = {"rule": "require_specific_reviewers", "users": [zoe, "unknown"]}
    world.space("Guide", merge_rules={"type": "rules", "rules": [rule]})
    other = world.organization("Elsewhere", world.ana)
    world.member(other, zoe, "read")
    world.write(
        lambda tx: tx.run(
            "DELETE FROM member WHERE user_id = ? AND organization_id = ?", zoe, world.home
        )
    )
    async with drive(open_world(world, "members"), "g s", size=(140, 40)) as driver:
        await driver.press("g g", "j")
        assert "approval by Zoe Quist and unknown" in details(driver)


async def test_a_branch_folds_and_stays_folded_in_the_next_run(desk: World) -> None:
    snapshot = Snapshots()
    async with drive(open_world(desk, snapshot=snapshot)) as driver:
        await driver.press("g g")
        assert "Web SDK" in driver.screen
        await driver.press("h")
        assert "Web SDK" not in driver.screen
        await driver.press("l")
        assert "Web SDK" in driver.screen
        await driver.press("j", "j", "enter")
        assert "Web SDK" not in driver.screen
        assert "▸ SDKs" in driver.screen
    async with drive(open_world(desk, snapshot=snapshot)) as driver:
        assert "▸ SDKs" in driver.screen
        assert "Web SDK" not in driver.screen


async def test_a_filter_keeps_the_collection_of_what_matches(desk: World) -> None:
    async with drive(open_world(desk), "/") as driver:
        await driver.type("web")
        for shown in ("Product docs", "SDKs", "Web SDK", "1 match"):
            assert shown in driver.screen
        assert "Handbook" not in driver.screen
        await driver.press("escape")
        assert "Handbook" in driver.screen
        await driver.press("/")
        await driver.type("rules:review")
        assert "Platform guide" in driver.screen
        assert "Web SDK" not in driver.screen
        await driver.press("escape", "/")
        await driver.type("ruels:x")
        assert "There is no ruels: here; did you mean rules:?" in driver.screen


async def test_sorting_keeps_the_cursor_on_its_row(desk: World) -> None:
    snapshot = Snapshots()
    async with drive(open_world(desk, snapshot=snapshot), "G") as driver:
        before = driver.selected
        place = driver.place
        assert isinstance(place, SpacesPlace)
        await driver.press("s")
        await driver.type("title")
        await driver.press("enter")
        assert place.rows.order == "title"
        assert driver.selected == before
        names = [twig.item.title for twig in place.rows.source.shown() if not twig.item.children]
        assert names == ["Platform guide", "Web SDK", "Handbook", "Legal"]
        await driver.press("S")
        names = [twig.item.title for twig in place.rows.source.shown() if not twig.item.children]
        assert names == ["Web SDK", "Platform guide", "Legal", "Handbook"]
        assert driver.selected == before
    async with drive(open_world(desk, snapshot=snapshot)) as driver:
        assert "sort: title, reversed" in driver.screen


async def test_the_rows_of_the_last_run_are_there_before_the_service_answers(desk: World) -> None:
    snapshot = Snapshots()
    async with drive(open_world(desk, snapshot=snapshot)):
        pass
    desk.space("Newcomer")
    app = open_world(desk, snapshot=snapshot)
    async with app.run_test(size=(80, 24)) as pilot:
        place = app.here
        assert isinstance(place, SpacesPlace)
        # Nothing has been asked yet: the client is made after the first frame.
        assert [twig.item.title for twig in place.rows.source.shown()]
        driver = Driver(app, pilot)
        before = driver.selected
        await driver.idle()
        assert driver.selected == before
        assert "1 new (press . to show them)" in driver.screen
        assert "Newcomer" not in driver.screen
        await driver.press(".")
        assert "● " in driver.line("Newcomer")
        assert driver.selected == before


async def test_a_refresh_moves_nothing_under_the_cursor(desk: World) -> None:
    async with drive(open_world(desk), "G") as driver:
        before = driver.selected
        at = driver.screen.splitlines().index(driver.line("Legal"))
        assert before is not None
        for number in range(3):
            desk.change_request(before, {f"p{number}": "x"}, subject="Busy")
        await driver.press("R")
        assert driver.selected == before
        assert ">●      Legal" in driver.screen.splitlines()[at]
        assert " 3 " in driver.line(">●")


async def test_gp_reads_pages_and_a_collection_says_why_not(desk: World) -> None:
    async with drive(open_world(desk), "g g", "g p") as driver:
        assert "Put the cursor on a space first." in driver.screen
        await driver.press("G", "g p")
        assert driver.place.PLACE == "pages"
        await driver.press("escape")
        assert driver.place.PLACE == "spaces"


async def test_an_organization_without_spaces(world: World) -> None:
    assert world.home
    async with drive(open_world(world)) as driver:
        assert "No spaces that you can see in Acme. ctrl+n makes the first one." in driver.screen
        assert "[Spaces]" in driver.screen
    reader = world.user("reader", role="read")
    async with drive(open_world(world, user=reader)) as driver:
        assert "Ask an administrator." in driver.screen


async def test_nobody_anywhere(world: World) -> None:
    stranger = world.user("stranger", member=False)
    async with drive(open_world(world, user=stranger)) as driver:
        assert "You are in no organization yet." in driver.screen


async def test_an_organization_that_is_closed_to_me(desk: World) -> None:
    other = desk.organization("Other")
    async with drive(open_world(desk, target=Target(organization=other))) as driver:
        assert "Press “g o” for your organizations" in words(driver)


async def test_an_organization_that_was_left_since_the_last_run(desk: World) -> None:
    other = desk.organization("Other", admin=desk.ana)
    desk.space("Lost", organization=other)
    snapshot = Snapshots()
    async with drive(
        open_world(desk, target=Target(organization=other), snapshot=snapshot)
    ) as driver:
        assert "Other" in driver.screen
    desk.write(lambda tx: tx.run("DELETE FROM member WHERE organization_id = ?", other))
    async with drive(open_world(desk, snapshot=snapshot)) as driver:
        assert "copydesk  Acme" in driver.screen
        assert "Platform guide" in driver.screen
        assert "Lost" not in driver.screen


async def test_only_the_first_rows_of_a_long_tree_are_kept(world: World, tmp_path: Path) -> None:
    group = world.collection("Many")
    for number in range(ROW_LIMIT + 20):
        world.space(f"Space {number:03}", parent=group if number % 2 else None)
    snapshot = Snapshots(tmp_path, "desk")
    async with drive(open_world(world, snapshot=snapshot)) as driver:
        assert f"[Spaces {ROW_LIMIT + 20}]" in driver.screen
    app = open_world(world, snapshot=snapshot)
    async with app.run_test(size=(80, 24)) as pilot:
        driver = Driver(app, pilot)
        place = driver.place
        assert isinstance(place, SpacesPlace)
        # The sums are those of the whole tree, although only its first rows are there.
        assert place.rows.partial
        assert place.rows.source.loaded <= ROW_LIMIT
        top = place.rows.source.row(0)
        assert top is not None
        assert top.item.spaces == ROW_LIMIT // 2 + 10
        before = driver.selected
        await driver.idle()
        assert driver.selected == before
        assert place.rows.source.loaded == ROW_LIMIT + 22
        assert "press ." not in driver.screen


async def test_tabs_count_and_lead_to_their_places(desk: World) -> None:
    async with drive(open_world(desk)) as driver:
        assert "Needs me 0   Changes 2   Sites 1   Clusters 0" in driver.screen
        await driver.press("3")
        assert driver.place.PLACE == "changes"
        await driver.press("escape")
        assert driver.place.PLACE == "spaces"
        assert "[Spaces 4]" in driver.screen
        await driver.press("]")
        assert driver.place.view == "needs-me"


async def test_enter_on_a_space_shows_its_change_requests(desk: World) -> None:
    async with drive(open_world(desk), "enter") as driver:
        assert driver.place.PLACE == "changes"
        assert driver.place.target.space is not None
        assert "Reword" in driver.screen


async def test_a_service_that_cannot_be_reached(desk: World) -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    def broken() -> Api:
        return Api(BASE_URL, "token", transport=httpx.MockTransport(refuse))

    snapshot = Snapshots()
    async with drive(open_world(desk, snapshot=snapshot)):
        pass
    async with drive(open_world(desk, api=broken)) as driver:
        assert "Offline:" in driver.screen
        assert "offline" in driver.screen.splitlines()[0]
    async with drive(open_world(desk, api=broken, snapshot=snapshot)) as driver:
        assert "Platform guide" in driver.screen
        assert "Offline:" in driver.screen


async def test_what_went_wrong_is_forgotten_once_it_is_asked_again(desk: World) -> None:
    class Closed(httpx.ASGITransport):
        closed = True

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if self.closed:
                body = {"error": {"code": 403, "message": "Closed today."}}
                return httpx.Response(403, json=body, request=request)
            return await super().handle_async_request(request)

    closed = Closed(desk.app)

    def api() -> Api:
        return Api(BASE_URL, desk.token(desk.ana), transport=closed)

    async with drive(open_world(desk, api=api)) as driver:
        assert "Not allowed: Closed today." in driver.line(" Not allowed: ")
        closed.closed = False
        await driver.press("R")
        assert "Closed today" not in driver.screen
        assert "Platform guide" in driver.screen


async def test_what_is_known_of_a_space_stays_when_it_cannot_be_read_again(desk: World) -> None:
    class Cut(httpx.ASGITransport):
        down = False

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if self.down:
                raise httpx.ConnectError("refused")
            return await super().handle_async_request(request)

    line = Cut(desk.app)
    api = Api(BASE_URL, desk.token(desk.ana), transport=line)
    async with drive(open_world(desk, api=api), size=(140, 40)) as driver:
        known = driver.line("sites")
        assert "reading" not in known
        line.down = True
        await driver.press("R")
        assert driver.line("sites") == known
        await driver.press("j", "j")
        assert "press R to try again" in driver.line("sites")


async def test_a_service_without_a_list_of_spaces(desk: World) -> None:
    real = desk.client()

    async def without_extensions(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith(f"/orgs/{desk.home}/spaces") or request.url.path == "/v1/user":
            return httpx.Response(405)
        answer = await real.request(request.method, str(request.url))
        return httpx.Response(answer.status_code, content=answer.content)

    api = Api(BASE_URL, "token", transport=httpx.MockTransport(without_extensions))
    async with drive(open_world(desk, api=api), size=(140, 40)) as driver:
        # Those of collections, sites and requests; nothing mentions the others.
        assert "Platform guide" in driver.screen
        assert "Web SDK" in driver.screen
        assert "Legal" not in driver.screen
        assert "This service lists no spaces" in driver.screen
    await real.aclose()


async def test_a_number_goes_to_the_change_request_of_the_space_at_hand(desk: World) -> None:
    async with drive(open_world(desk)) as driver:
        await driver.press(":")
        await driver.type("999")
        await driver.press("enter")
        assert "There is no #999 in “Platform guide”: g s goes to another space." in driver.screen
        await driver.press(":")
        await driver.type("#1")
        await driver.press("enter")
        assert driver.place.PLACE == "review"
        await driver.press(":")
        await driver.type("spaces foo")
        await driver.press("enter")
        assert "spaces takes nothing after it" in driver.screen
        await driver.press(":")
        await driver.type("q!")
        await driver.press("enter")
        assert driver.app._exit


async def test_hostile_names_stay_names(world: World) -> None:
    world.space("[bold]Guide[/] \x1b[31mred\x1b]0;owned\x07 \u202eltr")
    async with drive(open_world(world)) as driver:
        assert "[bold]Guide[/] red ltr" in driver.screen
        assert "\x1b" not in driver.screen


async def test_another_organization_is_chosen_by_its_name(desk: World) -> None:
    other = desk.organization("Pebble works", admin=desk.ana)
    desk.space("Pebbles", organization=other)
    async with drive(open_world(desk, target=Target(organization=desk.home))) as driver:
        await driver.press("g o")
        assert "YOUR ROLE" in driver.screen
        assert "admin" in driver.line("Acme")
        await driver.press("j", "k", "/")
        await driver.type("pebb")
        await driver.press("enter")
        assert driver.place.PLACE == "spaces"
        assert "copydesk  Pebble works" in driver.screen
        assert "Pebbles" in driver.screen
        assert "Platform guide" not in driver.screen
        assert len(driver.app.screen_stack) == 1
        await driver.press(":")
        await driver.type("org acme")
        await driver.press("enter")
        assert "Platform guide" in driver.screen


async def test_the_organizations_at_both_sizes(desk: World, update_golden: bool) -> None:
    desk.organization("Pebble works", admin=desk.ana)
    for size in ((80, 24), (140, 40)):
        async with drive(open_world(desk), "g o", size=size) as driver:
            driver.golden("organizations", update=update_golden)


async def test_what_has_no_address_can_still_be_copied(desk: World) -> None:
    async with drive(open_world(desk, "members"), "y") as driver:
        assert "This has no address on the web." in driver.screen
        await driver.press("Y")
        await driver.press("enter")
        assert "Copied" in driver.screen
        await driver.press("/")
        await driver.type("nobody of this name")
        await driver.press("enter", "y")
        assert "Nothing is selected." in driver.screen


async def test_esc_comes_back_from_the_details_and_tabs_are_never_cut(desk: World) -> None:
    async with drive(open_world(desk), "/") as driver:
        await driver.type("zzz")
        await driver.press("enter", "i")
        assert driver.place.pane is driver.place.query_one("#space-details")
        await driver.press("escape")
        assert driver.place.pane is driver.place.query_one("#spaces")
        assert "0 matches" in driver.screen
        await driver.press("i", "q", "escape")
        assert "0 matches" not in driver.screen
        place = driver.place
        for number in (1, 12, 123, 1234, 12345):  # the name beside them takes none away
            place.set_views([view._replace(number=number) for view in place.views])
            await driver.settle()
            assert f"Clusters {number}" in driver.line("Needs me").replace(",", "")
        assert "Ana" not in driver.line("Needs me")

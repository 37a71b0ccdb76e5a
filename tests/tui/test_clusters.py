"""Clusters, their issues and conversations, on a real desk."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import timedelta

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.server import branches
from copydesk.server import seeding_sites as seed
from copydesk.server.store import Tx
from copydesk.tui import cluster_requests
from copydesk.tui.app import CopydeskApp
from copydesk.tui.places import Target
from copydesk.tui.session import Session
from tests.drive import Driver, drive
from tests.world import BASE_URL, START, World, texts

WEEKLY = {
    "OAuth sample returns 401": (0, 0, 1, 1, 0, 1, 2, 3, 3, 5, 6, 4, 5),
    "Where is the invoice PDF": (3, 3, 4, 3, 3, 4, 3, 3, 4, 4, 3, 4, 3),
    "SSO loop after logout": (0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3, 5, 9),
    "Rate limit numbers differ": (5, 6, 6, 5, 4, 4, 3, 3, 2, 2, 1, 1, 0),
    "Export stuck": (0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1),
}


@dataclass
class Asked:
    """A world in which people asked for help, and ids by label."""

    world: World
    clusters: dict[str, str]
    space: str


def ask(world: World) -> Asked:
    """Fill a desk with clusters: issues spread over thirteen weeks."""
    world.clock.now = START
    space = world.space("Platform guide", {"oauth": "Use /v1/token"})
    clusters: dict[str, str] = {}

    def write(tx: Tx) -> None:
        for label, pulse in WEEKLY.items():
            summary = f"People struggle: {label.lower()}. Ask ana@example.org."
            clusters[label] = seed.add_cluster(tx, world.home, label, summary=summary)
            for week, count in enumerate(pulse):
                for each in range(count):
                    when = START - timedelta(weeks=12 - week, hours=3 + each)
                    talk = seed.add_conversation(
                        tx, world.home,
                        [
                            ("user", f"<p>Question {each} on <b>{label}</b></p>"
                                     "<p>I am kim@example.org, +49 30 1234567</p>"),
                            ("assistant", "Please check the *secret*."),
                            ("team-member", 'See <a href="https://docs.test/x">the docs</a>.'),
                        ],
                        source=("intercom", "email", "slack")[each % 3],
                        subject=f"Ticket {each}",
                        source_url=f"https://intercom.test/{week}-{each}",
                        attributes={"plan": "pro"},
                        created_at=when,
                    )  # fmt: skip
                    seed.add_issue(
                        tx, world.home, talk, f"{label}, case {week}.{each}",
                        summary="The sample does not work.", cluster_id=clusters[label],
                        created_at=when,
                    )  # fmt: skip
        branches.open_branch(
            tx, space, world.ana, "Fix auth code samples", texts({"oauth": "Use /v2/token"}),
            cluster=clusters["OAuth sample returns 401"],
        )  # fmt: skip

    world.write(write)
    return Asked(world, clusters, space)


def open_app(world: World, cluster: str | None = None, *, user: str | None = None) -> CopydeskApp:
    """Return the program, opened on the clusters."""

    async def connect() -> Api:
        return world.api(user)

    session = Session(connect, clock=lambda: world.clock.now, host="desk")
    return CopydeskApp(session, "clusters", Target(organization=world.home, cluster=cluster))


async def test_both_sizes(world: World, update_golden: bool) -> None:
    ask(world)
    for size in ((80, 24), (140, 40)):
        async with drive(open_app(world), "j", "k", size=size) as driver:
            driver.golden("clusters", update=update_golden)
            await driver.press("enter")
            driver.golden("clusters-issues", update=update_golden)
            await driver.press("enter")
            driver.golden("clusters-talk", update=update_golden)


async def test_columns_are_walked_there_and_back_with_their_cursors(world: World) -> None:
    asked = ask(world)
    async with drive(open_app(world), "enter", "j", "j") as driver:
        issue = driver.selected
        assert "Where is the invoice PDF" in driver.screen
        await driver.press("enter")
        assert "Please check the *secret*." in driver.screen
        await driver.press("h")
        assert driver.selected == issue
        await driver.press("q")
        assert driver.selected == asked.clusters["Where is the invoice PDF"]
        await driver.press("h")
        assert "This is the first column." in driver.screen
        await driver.press("l", "l", "escape", "escape")
        assert driver.selected == asked.clusters["Where is the invoice PDF"]


async def test_bodies_are_plain_and_masked_until_asked(world: World) -> None:
    ask(world)
    async with drive(open_app(world), "enter", "enter", size=(140, 40)) as driver:
        screen = driver.screen
        assert "I am [e-mail], [phone]" in screen
        assert "the docs (https://docs.test/x)" in screen
        assert "<b>" not in screen
        assert "Ask [e-mail]" in screen
        await driver.press("V")
        assert "kim@example.org, +49 30 1234567" in driver.screen
        await driver.press("V")
        assert "kim@" not in driver.screen


async def test_what_is_in_clear_says_so_and_keys_of_the_list_are_its_own(world: World) -> None:
    ask(world)
    async with drive(open_app(world), "s", size=(80, 24)) as driver:
        assert "Sort clusters by" in driver.screen
        await driver.press("escape")
        assert "s sort" in driver.screen
        await driver.press("enter")
        assert "V show masked" in driver.screen
        await driver.press("V", "j")
        assert "IN CLEAR: V masks" in driver.screen
        assert "V mask " in driver.screen
        assert "V show masked" not in driver.screen
        assert "s sort" not in driver.screen
        assert "# numbers" not in driver.screen
        await driver.press("enter")
        assert "In clear   " in driver.screen
        await driver.press("V", "j")
        assert "in clear" not in driver.screen.casefold()
        assert "V show masked" in driver.screen


async def test_orders_of_the_service_and_of_this_screen(world: World) -> None:
    asked = ask(world)
    async with drive(open_app(world)) as driver:
        assert driver.selected == asked.clusters["Where is the invoice PDF"]
        await driver.press("s")
        await driver.type("trend")
        await driver.press("enter", "g g")
        assert driver.selected == asked.clusters["SSO loop after logout"]
        assert "new" in driver.line("SSO loop")
        assert "sort: trend" in driver.screen
        await driver.press("S", "g g")
        assert driver.selected == asked.clusters["Export stuck"]
        await driver.press("s")
        await driver.type("name")
        await driver.press("enter", "g g")
        assert driver.selected == asked.clusters["Export stuck"]
        await driver.press("]")
        assert "sort:" not in driver.screen
        assert "[By conversations]" in driver.screen


async def test_sorted_clusters_are_read_again_without_moving(world: World) -> None:
    ask(world)
    async with drive(open_app(world), "s") as driver:
        await driver.type("name")
        await driver.press("enter", "j")
        before = driver.selected
        world.write(lambda tx: seed.add_cluster(tx, world.home, "Aardvark"))
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert "1 new (press . to fold them in)" in driver.screen
        assert driver.selected == before
        await driver.press(".")
        assert "Aardvark" in driver.screen
        assert driver.selected == before


async def test_numbers_and_one_scale(world: World) -> None:
    ask(world)
    async with drive(open_app(world), "#") as driver:
        assert "0 0 1 1 0 1 2 3 3 5 6 4 5" in driver.line("OAuth")
        await driver.press("#")
        assert "0 0 1 1" not in driver.line("OAuth sample")
        before = driver.line("Export")
        await driver.press(":")
        await driver.type("scale same")
        await driver.press("enter")
        assert "one scale for all" in driver.screen
        assert driver.line("Export") != before


async def test_change_requests_of_a_cluster(world: World) -> None:
    asked = ask(world)
    async with drive(open_app(world), "j", size=(140, 40)) as driver:
        assert driver.line("OAuth sample").split("│")[0].rstrip("┃ ").endswith("1")
        await select(driver, asked.clusters["OAuth sample returns 401"])
        assert "#1 Fix auth code samples" in driver.screen
        await driver.press("g c")
        assert driver.place.PLACE == "changes"
        assert driver.place.target.cluster == asked.clusters["OAuth sample returns 401"]
        assert "Fix auth code samples" in driver.screen


async def select(driver: Driver, row: str) -> None:
    """Put the cursor on a cluster."""
    assert driver.place.pane is not None
    assert driver.place.query_one("#clusters").select(row)  # type: ignore[attr-defined]  # the list
    await driver.idle()


async def test_a_change_request_is_begun_from_a_cluster(world: World) -> None:
    asked = ask(world)
    async with drive(open_app(world)) as driver:
        await select(driver, asked.clusters["SSO loop after logout"])
        await driver.press("ctrl+n", "enter")
        assert "New change request in Platform guide" in driver.screen
        assert "People struggle" in driver.screen
        await driver.type(": say why")
        await driver.press("ctrl+s")
        async with world.api() as api:
            found = await api.page(
                ops.list_organization_change_requests, world.home, status="draft",
                conversations_issues_cluster=asked.clusters["SSO loop after logout"],
            )  # fmt: skip
        [request] = found.items
        assert request.subject == "SSO loop after logout: say why"
        assert request.description is not None
        assert "Begun #2 in Platform guide" in driver.screen


async def test_a_cluster_can_be_gone_to(world: World) -> None:
    asked = ask(world)
    label = "Rate limit numbers differ"
    async with drive(open_app(world, asked.clusters[label])) as driver:
        assert f"Clusters > {label}" in driver.screen
        assert f"{label}, case 11.0" in driver.screen
    async with drive(open_app(world, "nowhere")) as driver:
        assert "no longer there" in driver.screen


class WithoutConversations(httpx.ASGITransport):
    """A desk whose conversations are gone at their source."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer 404 for a conversation."""
        if "/conversations/" in request.url.path:
            body = {"error": {"code": 404, "message": "There is no such conversation."}}
            return httpx.Response(404, json=body, request=request)
        return await super().handle_async_request(request)


async def test_a_conversation_that_is_gone_leaves_the_issue(world: World) -> None:
    ask(world)

    async def connect() -> Api:
        transport = WithoutConversations(world.app)
        return Api(BASE_URL, world.token(world.ana), transport=transport)

    session = Session(connect, clock=lambda: world.clock.now, host="desk")
    app = CopydeskApp(session, "clusters", Target(organization=world.home))
    async with drive(app, "enter", "enter") as driver:
        assert "The sample does not work." in driver.screen
        assert "gone at its source" in driver.screen


async def test_hostile_conversations_are_harmless(world: World) -> None:
    assert world.home

    def write(tx: Tx) -> None:
        cluster = seed.add_cluster(
            tx, world.home, "\x1b[2J[red]Evil[/] \u202elabel", summary="[link=x]\x1b]0;t\x07sum"
        )
        talk = seed.add_conversation(
            tx, world.home,
            [
                ("user", "\x1b[2J[bold]markup[/bold] " + "x" * 200_000),
                ("user", "<p>" * 5_000 + "deep" + "&#27;[31m"),
            ],
            source="[b]slack", subject="\x07[blink]s", attributes={"[k]": "[v]\x1b[1m"},
        )  # fmt: skip
        seed.add_issue(tx, world.home, talk, "[i]issue\x00[/i]", cluster_id=cluster)

    world.write(write)
    async with drive(open_app(world), "enter", "enter", size=(140, 40)) as driver:
        assert "[bold]markup[/bold]" in driver.screen
        assert "[red]Evil[/] label" in driver.screen
        assert "\x1b" not in driver.screen
        await driver.press("G")
        assert "[k]" in driver.line("[v]")


async def test_nothing_yet(world: World) -> None:
    async with drive(open_app(world, user=world.ana)) as driver:
        assert "No clusters yet." in driver.screen
        await driver.press("enter", "l", "s", "ctrl+n", "#")
        assert "There is no cluster here." in driver.screen


async def test_a_filter_looks_at_names_and_summaries(world: World) -> None:
    ask(world)
    async with drive(open_app(world), "/") as driver:
        await driver.type("struggle invoice")
        await driver.press("enter")
        assert "Where is the invoice PDF" in driver.screen
        assert "SSO" not in driver.screen


@pytest.mark.parametrize("size", [(60, 18), (30, 10), (110, 30), (200, 50)])
async def test_any_size(world: World, size: tuple[int, int]) -> None:
    ask(world)
    async with drive(open_app(world), size=size) as driver:
        await driver.press("j", "enter", "j", "enter", "h", "h", "tab")
        await driver.resize(80, 24)
        assert "clusters" in driver.screen.lower()


async def test_requests_are_counted_once_for_what_is_on_screen(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Counted is what is on screen once the rows have rested there, on a busy machine too.
    monkeypatch.setattr(cluster_requests, "REST_SECONDS", 0.5)
    ask(world)

    def write(tx: Tx) -> None:
        for number in range(60):
            seed.add_cluster(tx, world.home, f"Quiet {number:02}")

    world.write(write)
    asked: list[str] = []
    app = open_app(world)

    async def connect() -> Api:
        api = world.api()
        api.recorder = lambda sent: asked.append(sent.name)
        return api

    app.session.connect = connect
    async with drive(app) as driver:
        counts = asked.count("list_organization_change_requests")
        # Those on screen, and the three lists of the one under the cursor.
        assert 10 <= counts <= 16
        await driver.press("j", "k")
        assert asked.count("list_organization_change_requests") <= counts + 3
        await driver.press("G")
        assert "Quiet" in driver.screen
        assert driver.line("Quiet 00").rstrip("┃ ").endswith("0")


async def test_who_may_not_read_them_is_told(world: World) -> None:
    ask(world)
    guest = world.user("gus", None)
    async with drive(open_app(world, user=guest)) as driver:
        assert "Not allowed" in driver.screen


async def test_an_unreachable_service_is_said_and_tried_again(world: World) -> None:
    ask(world)
    broken = True

    class Cut(httpx.ASGITransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if broken and "conversations-clusters" in request.url.path:
                raise httpx.ConnectError("cut", request=request)
            return await super().handle_async_request(request)

    async def connect() -> Api:
        return Api(BASE_URL, world.token(world.ana), transport=Cut(world.app))

    session = Session(connect, clock=lambda: world.clock.now, host="desk")
    app = CopydeskApp(session, "clusters", Target(organization=world.home))
    async with drive(app) as driver:
        assert "Offline" in driver.screen
        broken = False
        await driver.press("enter")
        assert "OAuth sample returns 401" in driver.screen


async def test_spaces_to_choose_from_stand_in_order(world: World) -> None:
    asked = ask(world)
    world.space("alpha", {}, parent=world.collection("Zoo"))
    world.space("Beta", {})

    def offered(driver: Driver) -> list[str]:
        names = ("alpha", "Beta", "Platform guide")
        sheet = driver.screen.partition("In which space?")[2].splitlines()
        return [name for line in sheet for name in names if name in line]

    async with drive(open_app(world), "ctrl+n", size=(140, 40)) as driver:
        assert offered(driver) == ["alpha", "Beta", "Platform guide"]
        assert "Zoo" in driver.line("alpha")
    oauth = asked.clusters["OAuth sample returns 401"]
    async with drive(open_app(world, oauth), "ctrl+n", size=(140, 40)) as driver:
        assert offered(driver) == ["Platform guide", "alpha", "Beta"]


async def test_a_form_stays_with_what_was_typed_until_it_has_arrived(world: World) -> None:
    asked = ask(world)
    answers = ["cut", "no", "subject"]

    class Failing(httpx.ASGITransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if request.method != "POST" or not answers:
                return await super().handle_async_request(request)
            answer = answers.pop(0)
            if answer == "cut":
                raise httpx.ConnectError("cut", request=request)
            code, said = (
                (403, "Frozen until Monday.")
                if answer == "no"
                else (400, "body.subject: is taken already")
            )
            body = {"error": {"code": code, "message": said}}
            return httpx.Response(code, json=body, request=request)

    async def connect() -> Api:
        return Api(BASE_URL, world.token(world.ana), transport=Failing(world.app))

    session = Session(connect, clock=lambda: world.clock.now, host="desk")
    label = "SSO loop after logout"
    target = Target(organization=world.home, cluster=asked.clusters[label])
    async with drive(CopydeskApp(session, "clusters", target), "ctrl+n", "enter") as driver:
        await driver.type(", why")
        await driver.press("ctrl+s")
        assert "ctrl+s sends it" in " ".join(driver.screen.replace("│", " ").split())
        await driver.press("ctrl+s")
        assert "Not allowed: Frozen until Monday." in driver.screen
        await driver.press("ctrl+s")
        assert "is taken already" in driver.line("Subject  ")
        assert "Mend" not in driver.screen
        await driver.press("ctrl+s")
        assert "Mend subject first." in driver.screen
        assert f"{label}, why" in driver.line(f" {label}, w")
        assert list(session.drafts.kept()) == [f"request of cluster {asked.clusters[label]}"]
        await driver.type("?")
        await driver.press("ctrl+s")
        assert "Begun #2 in Platform guide" in driver.screen
        assert not session.drafts.kept()
        await driver.press("ctrl+n", "enter")
        assert "is back" not in driver.screen


async def test_leaving_a_form_that_is_being_sent_asks_once(world: World) -> None:
    ask(world)
    slow, going_on = asyncio.Event(), asyncio.Event()

    class Slow(httpx.ASGITransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if request.method == "POST":
                slow.set()
                await going_on.wait()
            return await super().handle_async_request(request)

    async def connect() -> Api:
        return Api(BASE_URL, world.token(world.ana), transport=Slow(world.app))

    session = Session(connect, clock=lambda: world.clock.now, host="desk")
    app = CopydeskApp(session, "clusters", Target(organization=world.home))
    async with drive(app, "ctrl+n", "enter") as driver:
        await driver.send("ctrl+s")
        await slow.wait()
        await driver.send("escape")
        await driver.settle()
        assert "It is being sent." in driver.screen
        going_on.set()
        await driver.idle()
        assert "Begun #2" in driver.screen

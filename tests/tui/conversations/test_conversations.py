"""All conversations and all issues of an organization, on a real desk."""

from __future__ import annotations

import csv
import json
from datetime import timedelta
from io import StringIO
from pathlib import Path

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.server import conversation_writes
from copydesk.server.store import Tx
from copydesk.session.target import Target
from copydesk.tui.conversations.clusters import ClustersPlace
from copydesk.tui.conversations.conversations import NO_CLUSTER, ConversationsPlace, IssuesPlace
from copydesk.tui.conversations.rows import ConversationRow, hit_cell
from copydesk.tui.widgets.scanned_list import AT_A_TIME, SIFTED_PAGE
from tests.drive import Driver, drive
from tests.tui.conversations_world import WEB, fill
from tests.tui.opening import open_world
from tests.world import BASE_URL, START, World

HOSTILE = "\x1b[2J[red]Evil[/] \u202eword\u200b of kim@example.org"


class Watched(httpx.ASGITransport):
    """A desk that notes what lists were asked for, and fails while it is told to."""

    def __init__(self, world: World) -> None:
        super().__init__(world.app)
        self.asked: list[str] = []
        self.cut = self.analysing = False

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Note it, and answer."""
        if self.cut and "conversations" in request.url.path:
            raise httpx.ConnectError("cut", request=request)
        if request.url.path.endswith(("/conversations", "/conversations-issues")):
            self.asked.append(request.url.query.decode())
        answer = await super().handle_async_request(request)
        if self.analysing and request.url.path.endswith("/conversations"):
            found = json.loads(await answer.aread())
            for each in found["items"]:
                del each["processedAt"]
            return httpx.Response(200, json=found, request=request)
        return answer


def watched(world: World) -> tuple[Watched, Api]:
    """Return a desk that notes what it is asked, and a client for it."""
    desk = Watched(world)
    return desk, Api(BASE_URL, world.token(world.ana), transport=desk)


async def golden(driver: Driver, name: str, update: bool) -> None:
    """Compare both sizes, and stay at the small one."""
    for size in ((140, 40), (80, 24)):
        await driver.resize(*size)
        driver.golden(name, update=update)


async def test_conversations_are_listed_by_source_and_read(
    world: World, update_golden: bool
) -> None:
    fill(world, 12)
    app = open_world(world, "clusters", Target(organization=world.home))
    async with drive(app, "g v") as driver:
        place = driver.place
        assert isinstance(place, ConversationsPlace)
        assert "[All 12]  email   intercom" in driver.screen
        assert "Ticket 0 of [e-mail]" in driver.screen
        assert "STATE" not in driver.screen
        await golden(driver, "conversations", update_golden)

        # What is masked is not found, and is once it shows.
        await driver.press("/")
        await driver.type("kim@")
        await driver.press("enter")
        assert "0 of 12 match" in driver.screen
        await driver.press("V")
        assert "12 of 12 match" in driver.screen
        assert "IN CLEAR: V masks" in driver.screen
        assert "No conversation selected." not in driver.screen
        await driver.press("V")
        assert "No conversation selected." in driver.screen
        await driver.press("escape")

        # What is typed ahead goes to what Enter opens. A search looks from where it began.
        await driver.burst("enter", "/", *"rds", "enter")
        assert "1 match" in driver.screen
        assert driver.line(">user")
        await driver.press("escape", "g g", "/", "r", "d", "x", "enter", "n")
        assert "No match." in driver.screen
        assert driver.line(">subject")
        await driver.press("escape")

        # The conversation is read, the next one too, and copies are masked.
        await driver.press("J", "J")
        assert "Words 2 from [e-mail]" in driver.screen
        assert place.url() == f"{WEB}2"
        copies = dict(place.copies())
        assert copies["subject"] == "Ticket 2 of [e-mail]"
        assert copies["source"] == f"{WEB}2"
        await driver.press("l")
        assert "This is the last column." in driver.screen
        await driver.press("escape", "h")
        assert place.pane is place.rows
        assert "This is the first column." in driver.screen

        # One source: as a view, and by name.
        await driver.press("3")
        assert "[intercom 6]" in driver.screen
        assert "Ticket 1 of" not in driver.screen
        await say(driver, "source EMAIL")
        assert "[email 6]" in driver.screen
        assert "Ticket 0 of" not in driver.screen
        await say(driver, "source fax")
        assert "No conversation came from “fax”. Known: email and intercom." in driver.screen
        world.write(lambda tx: hand_in(tx, world, "fax"))
        await say(driver, "source FÁX!")
        assert "[fax 1]" in driver.screen
        assert "“FÁX!” is filed under fax." in driver.screen
        await driver.press("g k")
        assert driver.place.PLACE == "clusters"
        assert "No issue was found in that conversation. - goes back." in driver.screen
        await driver.press("-")
        place = driver.place
        assert isinstance(place, ConversationsPlace)
        assert "[fax 1]" in driver.screen
        await driver.press(":")
        await driver.type("source in")
        await driver.press("tab")
        assert "source intercom" in driver.screen
        await driver.press("escape")
        await say(driver, "source")
        assert "[All 13]" in driver.screen
        assert place.rows.selected is not None
        await say(driver, "source intercom")
        await driver.press("j", "g k")
        assert isinstance(driver.place, ClustersPlace)
        assert "Issue 2 of [e-mail]" in driver.line("┃>")
        await driver.press("q", "q", "q")
        assert driver.place.PLACE == "clusters"


async def test_from_what_is_in_no_cluster_the_way_leads_to_all(world: World) -> None:
    fill(world, 3, unclustered=1)
    app = open_world(world, "clusters", Target(organization=world.home))
    async with drive(app, "g u", "2") as driver:
        for left, said in ((None, NO_CLUSTER), ("g v", "is in no cluster. - goes back.")):
            if left is not None:
                await driver.press(left)
            await driver.press("j")
            place = driver.place
            before = place.PLACE
            assert isinstance(place, IssuesPlace | ConversationsPlace)
            row = place.rows.selected_id
            await driver.press("g k")
            assert driver.place.PLACE == "clusters"
            assert said in driver.screen
            await driver.press("-")
            place = driver.place
            assert before == place.PLACE
            assert isinstance(place, IssuesPlace | ConversationsPlace)
            assert place.rows.selected_id == row


async def test_every_list_of_talk_is_limited_by_what_the_service_takes(world: World) -> None:
    clusters = fill(world, 12)
    oauth, invoices = clusters.values()
    desk, api = watched(world)
    async with drive(open_world(world, "issues", api=api), size=(80, 24)) as driver:
        place = driver.place
        assert isinstance(place, IssuesPlace)
        first = place.rows.selected
        assert first is not None
        # Chosen from clusters by name; only those of it are asked for, and counted.
        await driver.press("&", "enter")
        assert "Invoices for [e-mail]" in driver.screen
        await driver.type("invoices")
        await driver.press("enter")
        assert "cluster=Invoices for [e-mail]" in driver.line("━ Issues")
        assert f"cluster={invoices}" in desk.asked[-1]
        assert "[All 4]" in driver.screen
        assert "OAuth sample" not in driver.screen
        # What is shown of a part is not what is kept of the list.
        await say(driver, f"where cluster={invoices} conversation={first.conversation}")
        assert "None with cluster=" in driver.screen
        await say(driver, "where")
        assert "[All 12]" in driver.screen
        assert "newest first" in driver.line("━ Issues")
        await say(driver, f"where conversation={first.conversation}")
        assert "[All 1]" in driver.screen
        await say(driver, "where source=email")
        assert "by cluster and conversation, not by source" in " ".join(driver.screen.split())
        assert "/ filters here by anything else." in " ".join(driver.screen.split())
        await say(driver, "where source:email")
        assert "not by source: :where" in " ".join(driver.screen.split())
        await say(driver, "where")
        assert "[All 1]" not in driver.screen
        await say(driver, "where")
        assert "Ask the service for those with" in driver.screen
        await driver.press("enter")
        assert "Invoices" in driver.screen
        await driver.press("escape")
        await say(driver, f"where conversation={first.conversation}")
        assert "[All 1]" in driver.screen

        await driver.press("g v")
        await say(driver, "where source=email")
        assert "[email 6]" in driver.screen
        await driver.press("&", "enter")
        await driver.type("any")
        await driver.press("enter")
        assert "[All 12]" in driver.screen

        # Clusters are limited by their conversations; the issues of one by conversation.
        await driver.press("g k")
        assert driver.place.PLACE == "clusters"
        here = driver.place
        assert isinstance(here, ClustersPlace)
        await driver.press("h", "h")
        assert here.pane is here.clusters
        await driver.press("&")
        assert "those in which this was said" in driver.screen
        await driver.press("escape", "g g", "enter")
        assert here.issues.cluster == oauth
        issue = here.issues.selected
        assert issue is not None
        await say(driver, f"where conversation={issue.conversation}")
        assert f"conversation={issue.conversation}" in driver.line("━ Issues")
        assert f"cluster={oauth}" in desk.asked[-1]
        assert here.issues.source.count == 1
        await say(driver, "where")
        assert here.issues.source.count == 8


async def test_a_search_goes_on_within_a_source_with_all_that_was_asked(world: World) -> None:
    fill(world, 12)
    app = open_world(world, "conversations", Target(organization=world.home))
    async with drive(app, size=(140, 40)) as driver:
        await say(driver, "said words")
        assert "[All 12]" in driver.screen
        await driver.press("2")
        assert "[email 6]" in driver.screen
        assert "words=words source=email" in driver.line("━ Conversations")
        assert "SAID" in driver.screen
        await say(driver, "where since=1d")
        assert "[email 6]" in driver.screen
        assert "words=words source=email since=1d" in driver.line("━ Conversations")
        await driver.press("1")
        assert "[All 12]" in driver.screen
        assert "words=words since=1d" in driver.line("━ Conversations")
        await say(driver, "where source=intercom words= since=")
        assert "[intercom 6]" in driver.screen
        assert "newest first" in driver.line("━ Conversations")
        assert "SAID" not in driver.screen
        await say(driver, "where")
        assert "[All 12]" in driver.screen


def hand_in(tx: Tx, world: World, source: str) -> str:
    """Hand in a conversation and return its id."""
    return conversation_writes.add_conversation(tx, world.home, [("user", "hi")], source=source)


def add_ahead(tx: Tx, world: World) -> None:
    """Add an issue that is dated ahead."""
    when = START + timedelta(days=1500)
    conversation_writes.add_issue(
        tx, world.home, hand_in(tx, world, "email"), "From ahead", created_at=when
    )


async def say(driver: Driver, words: str) -> None:
    """Enter a line after ``:``."""
    await driver.press(":")
    await driver.type(words)
    await driver.press("enter")


async def test_a_filter_looks_at_what_is_loaded_until_the_reader_goes_on(world: World) -> None:
    fill(world, 230)
    desk, api = watched(world)
    desk.analysing = True
    app = open_world(world, "conversations", Target(organization=world.home), api=api)
    async with drive(app) as driver:
        world.write(lambda tx: hand_in(tx, world, "fax"))
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert "[All 231]" in driver.screen
        assert "100 of 231 read" in driver.screen
        await driver.press("/")
        await driver.type("ticket 22")
        await driver.press("enter")
        assert "1 of 100 read match" in driver.screen
        assert "analysing" in driver.line("Ticket 22 of")
        assert "More is read as you go down (j)" in driver.screen
        before = len(desk.asked)
        await driver.press("J")
        assert "Looking for more" in driver.screen
        assert "12 of 230 match" in driver.screen
        assert len(desk.asked) == before + 2
        assert "More is read" not in driver.screen
        await driver.press("escape", "G")
        assert "Ticket 229 of" in driver.screen


async def test_a_very_wide_screen_has_a_pane_for_the_cluster_of_an_issue(world: World) -> None:
    fill(world, 12, clustered=9, unclustered=3)
    desk, api = watched(world)
    app = open_world(world, "issues", Target(organization=world.home), api=api)
    async with drive(app, size=(200, 60)) as driver:
        place = driver.place
        assert isinstance(place, IssuesPlace)
        assert place.about.title == "Cluster   OAuth sample returns 401"
        assert "weeks" in place.about.plain
        asked = len(desk.asked)
        await driver.press("j", "j")
        assert place.about.title == "Cluster   Invoices for [e-mail]", "masked as elsewhere"
        await driver.press("V")
        assert "@" in place.about.title
        loose = next(row for row in place.rows.source.shown() if not row.cluster)
        place.rows.select(loose.id)
        await driver.idle()
        assert "c makes one of it" in place.about.plain
        assert len(desk.asked) == asked, "nothing is asked for it"
        await driver.resize(140, 40)
        assert not place.about.display


async def test_unclustered_issues_are_looked_for_page_by_page(
    world: World, update_golden: bool
) -> None:
    looked = AT_A_TIME * SIFTED_PAGE
    clusters = fill(world, 700, clustered=looked + 10, unclustered=60)
    desk, api = watched(world)
    app = open_world(world, "clusters", Target(organization=world.home), api=api)
    async with drive(app, "g u") as driver:
        place = driver.place
        assert isinstance(place, IssuesPlace)
        await golden(driver, "issues", update_golden)
        assert "[All 700]" in driver.screen
        await driver.press("j")
        desk.asked.clear()
        await driver.press("2")
        assert len(desk.asked) == AT_A_TIME
        assert f"None unclustered among {looked} rows looked at." in driver.screen
        # Going down looks through more, a bounded number each time.
        await driver.press("j")
        assert len(desk.asked) == 2 * AT_A_TIME
        assert f"4 unclustered of {2 * looked} looked at" in driver.screen
        driver.golden("issues-unclustered", update=update_golden)
        await driver.press("j", "j", "j", "J")
        assert f"7 unclustered of {3 * looked} looked at" in driver.screen
        # Reading again moves nothing and reads no more than is shown; G goes to the end.
        desk.asked.clear()
        place.read_again(by_hand=False)
        await driver.idle()
        assert 0 < len(desk.asked) <= 8
        assert f"7 unclustered of {3 * looked} looked at" in driver.screen
        await driver.press("G")
        assert "9 unclustered of 700 looked at" in driver.screen
        assert "[Unclustered 9]" in driver.screen
        assert "Issue 690 of [e-mail]" in driver.line("┃>")
        # A new one waits to be folded in.
        world.write(
            lambda tx: conversation_writes.add_issue(
                tx, world.home, hand_in(tx, world, "email"), "A new one"
            )
        )
        await driver.press("R")
        assert "1 new (press . to show them)" in driver.screen
        await driver.press(".", "g g")
        assert "A new one" in driver.line("┃>")
        await driver.press("enter")
        assert "user       hi" in driver.screen
        await driver.press("escape", "1", "g g", "j", "j", "g k")
        assert driver.place.PLACE == "clusters"
        assert driver.place.target.cluster in clusters.values()
        assert isinstance(driver.place, ClustersPlace)
        assert driver.place.issues.selected_id == driver.place.target.item
        assert "Issue 1 of [e-mail]" in driver.line("┃>")
        await driver.resize(140, 40)
        assert "Words 1 from [e-mail]" in driver.screen


async def test_hostile_subjects_and_sources_are_harmless(world: World) -> None:
    assert world.home
    world.clock.now = START

    def write(tx: Tx) -> None:
        cluster = conversation_writes.add_cluster(tx, world.home, HOSTILE)
        for source in (HOSTILE, HOSTILE.replace("kim", "lee"), "all", "\x1b"):
            talk = conversation_writes.add_conversation(
                tx, world.home, [("user", HOSTILE)], source=source, subject=HOSTILE * 300,
                source_url=f"{WEB}?to=kim@example.org",
            )  # fmt: skip
            conversation_writes.add_issue(
                tx, world.home, talk, HOSTILE, summary=HOSTILE, cluster_id=cluster
            )
        conversation_writes.add_conversation(tx, world.home, [("user", "a")], source="", subject="")

    world.write(write)
    app = open_world(world, "conversations", Target(organization=world.home))
    async with drive(app, size=(140, 40)) as driver:
        await driver.press("enter", "J", "K", "escape")
        for _ in range(5):
            assert not any(sign in driver.screen for sign in ("\x1b", "\u202e", "\u200b", "kim@"))
            assert "[red]Evil[/] word of [e-mail]" in driver.screen
            await driver.press("]")
        await say(driver, "view nowhere")
        assert "kim@" not in driver.screen
        await say(driver, "source all")
        assert "[all 1]" in driver.screen
        await driver.press("1", "G", "j")
        assert "No subject" in driver.screen
        await driver.press("V", "g g")
        assert "kim@example.org" in driver.screen
        await driver.press("g u")
        assert not any(sign in driver.screen for sign in ("\x1b", "\u202e", "\u200b", "kim@"))
        assert driver.line("┃>").split("│")[0].count("[red]Evil") == 2


async def test_what_is_not_there_or_cannot_be_read_says_what_to_do(world: World) -> None:
    assert world.home
    desk, api = watched(world)
    app = open_world(world, "conversations", Target(organization=world.home), api=api)
    async with drive(app) as driver:
        assert "No conversations yet. They come in by an integration" in driver.screen
        await driver.press("enter", "l", "J", "o", "y")
        assert driver.place.PLACE == "conversations"
        await driver.press("g u")
        assert "No issues yet." in driver.screen
        await driver.press("2")
        assert "Every issue is in a cluster, or there is none yet." in driver.screen
        desk.cut = True
        await driver.press("1")
        assert "Enter tries again" in driver.screen
        fill(world, 3)
        desk.cut = False
        await driver.press("enter")
        assert "Issue 0 of [e-mail]" in driver.screen
        # New ones are counted the same everywhere; what was read stays without the service.
        world.write(lambda tx: add_ahead(tx, world))
        driver.place.read_again(by_hand=False)
        await driver.idle()
        await driver.press(".")
        assert "[All 4]" in driver.screen
        assert " in 4 y" in driver.line("From ahead")
        await driver.press("g v")
        desk.cut = True
        await driver.press("g u")
        assert "Issue 0 of [e-mail]" in driver.screen
        assert "From ahead" in driver.screen
        assert "Offline" in driver.screen
        await driver.press("2")
        assert "R or Enter tries again." in driver.screen
        assert "No issue could be read." in driver.screen
    guest = world.user("gus", None)
    app = open_world(world, "issues", Target(organization=world.home), user=guest)
    async with drive(app) as driver:
        assert "Not allowed" in driver.screen


async def test_issues_and_conversations_of_a_view_go_to_a_spreadsheet(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    clusters = fill(world, 12, clustered=3, unclustered=2)
    app = open_world(world, "clusters", Target(organization=world.home))

    async def export(driver: Driver, name: str) -> list[dict[str, str]]:
        await driver.press(":")
        await driver.type(f"export csv {name}")
        await driver.press("enter")
        assert f"to {tmp_path / name}." in driver.screen.replace("\n", "")
        return list(csv.DictReader(StringIO((tmp_path / name).read_text("utf-8-sig"))))

    async with drive(app, "g v", size=(140, 40)) as driver:
        rows = await export(driver, "all.csv")
        assert len(rows) == 12
        assert rows[0]["subject"] == "Ticket 0 of [e-mail]"
        assert rows[0]["clusters"] in clusters
        assert rows[3]["clusters"] == ""
        await driver.press("]")
        assert {each["source"] for each in await export(driver, "email.csv")} == {"email"}
        await driver.press("g u")
        assert len(await export(driver, "issues.csv")) == 12
        await driver.press("]")
        free = await export(driver, "free.csv")
        assert [each["title"] for each in free] == [
            f"Issue {n} of [e-mail]" for n in (3, 5, 7, 9, 11)
        ]
        assert {each["cluster id"] for each in free} == {""}
        await driver.press(":")
        await driver.type("export pdf")
        await driver.press("enter")
        assert "Say :export csv" in driver.screen


def test_what_was_found_is_shown_however_long_what_stands_before_it_is() -> None:
    before, after = "Put the value into single ", " around it, please."
    row = ConversationRow(
        "1", "", "", None, analysed=True, address="", hit=(before, "quotes", after)
    )
    for cells, shown in ((60, f"{before}quotes"), (24, "…ngle quotes around it")):
        assert hit_cell(row, str, cells).plain.startswith(shown)
    assert hit_cell(row, str).plain == f"{before}quotes{after}"

"""Clusters, their issues and conversations, on a real desk."""

from __future__ import annotations

import asyncio
import csv
import json
from dataclasses import dataclass, replace
from datetime import timedelta
from io import StringIO
from os import mkfifo
from pathlib import Path

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.cluster import IssuesCluster
from copydesk.present import cluster as present
from copydesk.present.cluster import helped
from copydesk.server import change_requests, conversation_writes
from copydesk.server.desk_writes import at
from copydesk.server.store import Tx
from copydesk.session import glyphs
from copydesk.session.cluster_rows import ClusterMerge, cluster_row
from copydesk.session.session import Session
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.conversations import cluster_list, clusters
from copydesk.tui.conversations.conversations import ConversationsPlace
from tests.drive import Driver, drive
from tests.tui.opening import open_world
from tests.world import BASE_URL, START, World, texts

OAUTH = "OAuth sample returns 401"

WEEKLY = {
    OAUTH: (0, 0, 1, 1, 0, 1, 2, 3, 3, 5, 6, 4, 5),
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
            clusters[label] = conversation_writes.add_cluster(
                tx, world.home, label, summary=summary
            )
            for week, count in enumerate(pulse):
                for each in range(count):
                    when = START - timedelta(weeks=12 - week, hours=3 + each)
                    talk = conversation_writes.add_conversation(
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
                    conversation_writes.add_issue(
                        tx, world.home, talk, f"{label}, case {week}.{each}",
                        summary="The sample does not work.", cluster_id=clusters[label],
                        created_at=when,
                    )  # fmt: skip
        merged = change_requests.open_branch(
            at(tx, START - timedelta(weeks=8)), space, world.ana, "Name one limit",
            texts({"limits": "40 writes a second"}), cluster=clusters["Rate limit numbers differ"],
        )  # fmt: skip
        change_requests.merge_branch(at(tx, START - timedelta(weeks=7, days=2)), merged, world.ana)
        change_requests.open_branch(
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


async def test_columns_are_walked_there_and_back(world: World, update_golden: bool) -> None:
    asked = ask(world)
    invoices = asked.clusters["Where is the invoice PDF"]
    async with drive(open_app(world), "j", "k", size=(80, 24)) as driver:
        await golden(driver, update_golden)
        await driver.press("h", "j")
        issue = driver.selected
        await driver.press("enter")
        assert "Please check the *secret*." in driver.screen
        await driver.press("h")
        assert driver.selected == issue
        assert "V show masked" in driver.screen
        # What is in clear says so, and the keys of the list are its own.
        await driver.press("V")
        assert "IN CLEAR: V masks" in driver.screen
        assert "V mask " in driver.screen
        assert "V show masked" not in driver.screen
        assert "s sort" not in driver.screen
        assert "# numbers" not in driver.screen
        await driver.press("V", "j")
        assert "in clear" not in driver.screen.casefold()
        await driver.press("q")
        assert driver.selected == invoices
        assert "s sort" in driver.screen
        await driver.press("h")
        assert "This is the first column." in driver.screen
        await driver.press("l", "l", "escape", "escape")
        assert driver.selected == invoices
        await select(driver, asked.clusters["Rate limit numbers differ"])
        driver.golden("clusters-merged", update=update_golden)


async def golden(driver: Driver, update: bool) -> None:
    """Compare the list, the issues of a cluster, and a conversation, entered one by one."""
    driver.golden("clusters", update=update)
    await driver.press("enter")
    driver.golden("clusters-issues", update=update)
    await driver.press("enter")
    driver.golden("clusters-talk", update=update)


async def test_bodies_are_plain_and_masked_until_asked(world: World, update_golden: bool) -> None:
    asked = ask(world)
    async with drive(open_app(world), "j", "k", size=(140, 40)) as driver:
        await golden(driver, update_golden)
        screen = driver.screen
        assert "I am [e-mail], [phone]" in screen
        assert "the docs (https://docs.test/x)" in screen
        assert "<b>" not in screen
        assert "Ask [e-mail]" in screen
        await driver.press("V")
        assert "kim@example.org, +49 30 1234567" in driver.screen
        await driver.press("V")
        assert "kim@" not in driver.screen
        await driver.press("h", "h")
        await select(driver, asked.clusters["Rate limit numbers differ"])
        driver.golden("clusters-merged", update=update_golden)


async def test_orders_and_looks_of_the_list(world: World) -> None:
    asked = ask(world)
    export, last = asked.clusters["Export stuck"], asked.clusters["SSO loop after logout"]
    async with drive(open_app(world), "s") as driver:
        await driver.type("trend")
        await driver.press("enter", "g g")
        assert driver.selected == last
        assert "x2.7" in driver.line("SSO loop")
        assert "sort: trend" in driver.screen
        await driver.press("S", "g g")
        assert driver.selected == asked.clusters["Rate limit numbers differ"]
        await driver.press("s")
        await driver.type("name")
        await driver.press("enter", "g g")
        assert driver.selected == export
        # What is sorted here is read again without moving.
        await driver.press("j")
        before = driver.selected
        world.write(lambda tx: conversation_writes.add_cluster(tx, world.home, "Aardvark"))
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert "1 new (press . to show them)" in driver.screen
        await driver.press(".")
        assert "Aardvark" in driver.screen
        assert driver.selected == before
        # The service sorts by its own orders, and lists page by page then.
        await driver.press("s")
        await driver.type("conv")
        await driver.press("enter")
        assert "sort: conversations" in driver.screen
        assert "▅▆▆▅▄▲▃▃" in driver.line("Rate limit")
        await driver.press("#")
        assert "0 0 1 1 0 1 2 3 3 5 6 4 5" in driver.line("OAuth")
        assert "5 6 6 5 4 4▲3 3 2 2 1 1 0" in driver.line("Rate limit")
        await driver.press("#")
        assert "0 0 1 1" not in driver.line("OAuth sample")
        drawn = driver.line("Export")
        await driver.press(":")
        await driver.type("scale own")
        await driver.press("enter")
        assert "each on its own scale" in driver.screen
        assert driver.line("Export") != drawn
        await driver.press("/")
        await driver.type("struggle invoice")
        await driver.press("enter")
        assert "Where is the invoice PDF" in driver.screen
        assert "SSO" not in driver.screen


async def test_filters_know_fields_and_what_was_said(world: World) -> None:
    asked = ask(world)
    oauth = asked.clusters[OAUTH]
    space = world.space("Docs", {"a": "# A\n"})
    world.change_request(space, status="draft", cluster=oauth)
    app = open_app(world)
    async with drive(app, size=(140, 40)) as driver:
        assert "1o 1d" in driver.line("▃▅▆▄▅")
        for text, found, count in (
            ("trend:growing", "SSO loop", 1),
            ("issues:>40 trend:falling", "Rate limit", 1),
            ("trend:few", "Export stuck", 1),
            ("requests:>=1", "OAuth sample", 1),
        ):
            await driver.press("/")
            await driver.type(text)
            await driver.press("enter")
            assert f"{count} of 5 match" in driver.screen, text
            assert found in driver.screen, text
            await driver.press("escape")
        # What is no field is text, and that is said.
        await driver.press("/")
        await driver.type("sample: oauth")
        assert "There is no sample: here" in driver.screen
        await driver.press("escape")

    async with drive(open_world(world, "conversations"), "enter", size=(140, 40)) as driver:
        place = driver.place
        assert isinstance(place, ConversationsPlace)
        read = place.rows.selected
        assert read is not None
        words = place.reader.text_of(read.id).split()
        assert words, "it was read"
        await driver.press("escape", "/")
        await driver.type(f'"{" ".join(words[:3])}"')
        await driver.press("enter")
        assert place.rows.selected == read
        await driver.press("escape", "/")
        await driver.type("source:nowhere")
        await driver.press("enter")
        assert "0 of" in driver.screen


@pytest.mark.long
async def test_clusters_are_limited_by_what_is_known_of_their_conversations(
    world: World, update_golden: bool
) -> None:
    asked = ask(world)

    def talk(tx: Tx) -> None:
        for nth, when in enumerate((START - timedelta(days=9), START - timedelta(days=60))):
            told = conversation_writes.add_conversation(
                tx, world.home,
                [("user", f"Nothing. The invoice of kim@example.org is {nth} late")],
                source="slack", subject="Late", created_at=when, attributes={"plan": "team"},
            )  # fmt: skip
            conversation_writes.add_issue(
                tx, world.home, told, "It is late", cluster_id=asked.clusters[OAUTH],
                created_at=when,
            )  # fmt: skip

    world.write(talk)
    async with drive(open_app(world), size=(140, 40)) as driver:
        here = driver.place
        assert isinstance(here, clusters.ClustersPlace)
        await driver.press("&")
        for offered in ("source", "words", "language", "since", "until", "attribute"):
            assert offered in driver.screen
        await driver.press("escape", ":")
        await driver.type("where attribute=plan=team")
        await driver.press("enter")
        assert driver.line("━ Clusters").count("attribute=plan=team")
        assert [row.label for row in here.clusters.source.base.shown()] == [OAUTH]
        assert "found      2 of 33 conversations" in driver.screen
        await driver.press(":")
        await driver.type("where since=2w source=slack")
        await driver.press("enter")
        assert "found      1 of 33 conversations" in driver.screen

        # Words are shown where they were said, with nobody's address; other clusters have them too.
        await driver.press(":")
        await driver.type("where")
        await driver.press("enter")
        here.clusters.sift_again()
        await driver.idle()
        assert "[All 5]" in driver.screen
        assert "Closed 0" in driver.screen
        await driver.press(":")
        await driver.type("said invoice")
        await driver.press("enter")
        for size in ((80, 24), (140, 40)):
            await driver.resize(*size)
            driver.golden("clusters-said", update=update_golden)
        assert here.clusters.selected is not None
        await driver.press("s")
        assert "most found" in driver.screen
        await driver.type("name")
        await driver.press("enter", "g g")
        assert here.clusters.selected.label == OAUTH
        assert "2 of 33 conversations: Nothing. The invoice of [e-mail]" in driver.screen
        await driver.press("enter")
        assert [row.title for row in here.issues.source.base.shown()] == ["It is late"] * 2
        assert "of 33   words=invoice" in driver.line("━ Issues")
        assert "Only what was found in it: :where alone shows all" in driver.screen
        await driver.press("j", "l")
        assert here.reader.view.found == "invoice"
        await driver.press(":")
        await driver.type("where attribute=plan=t")
        await driver.press("tab")
        assert "where attribute=plan=team" in driver.screen
        await driver.press("escape", "h", ":")
        await driver.type("where")
        await driver.press("enter")
        assert here.issues.source.count == 33
        assert "newest first" in driver.line("━ Issues")

        await driver.press("h", "h", ":")
        await driver.type("where")
        await driver.press("enter")

        # Gone to from elsewhere, a cluster of which it is not so is there, among all others.
        rates = asked.clusters["Rate limit numbers differ"]
        target = Target(organization=world.home, cluster=rates)
        await driver.app.go("clusters", target)
        await driver.idle()
        await driver.press("h", ":")
        await driver.type("where attribute=plan=team")
        await driver.press("enter")
        assert "FOUND" in driver.screen
        await driver.app.go("clusters", target)
        await driver.idle()
        assert "Clusters > Rate limit numbers differ" in driver.screen
        assert "FOUND" not in driver.screen
        assert "[All 5]" in driver.screen


async def test_clusters_of_which_none_is_so_and_a_condition_that_is_none(world: World) -> None:
    ask(world)
    async with drive(open_app(world), size=(140, 40)) as driver:
        await driver.press(":")
        await driver.type("said nowhere")
        await driver.press("enter")
        assert "None with words=nowhere" in driver.screen
        await driver.press(":")
        await driver.type("said")
        await driver.press("enter")
        assert "[All 5]" in driver.screen
        await driver.press(":")
        await driver.type("where attribute=plan")
        await driver.press("enter")
        assert "attribute: write NAME=VALUE, such as plan=team" in driver.screen


async def test_the_most_found_come_first_and_files_are_on_all_clusters(
    world: World, tmp_path: Path
) -> None:
    ask(world)
    async with drive(open_app(world), size=(140, 40)) as driver:
        here = driver.place
        assert isinstance(here, clusters.ClustersPlace)
        await driver.press(":")
        await driver.type("said question")
        await driver.press("enter")
        assert here.clusters.order == "found"
        rows = here.clusters.source.base.shown()
        some = [replace(each, found=nth) for nth, each in enumerate(rows)]
        assert [row.found for row in present.in_order(some, "found", backwards=False)] == [
            4,
            3,
            2,
            1,
            0,
        ]
        await driver.press(":")
        await driver.type(f"export csv {tmp_path / 'all.csv'}")
        await driver.press("enter")
        assert "Wrote all 5 clusters to" in driver.screen
        await driver.press(":")
        await driver.type(f"report {tmp_path / 'all.md'}")
        await driver.press("enter")
        assert "Wrote the report on all clusters to" in driver.screen


async def test_a_service_that_searches_no_conversations_says_so_of_clusters() -> None:
    world = World(edition="earlier")
    ask(world)
    async with drive(
        open_world(world, "clusters", api=world.api(elsewhere=True)), size=(140, 40)
    ) as driver:
        for _ in range(2):  # asked for, then known
            await driver.press(":")
            await driver.type("where language=de")
            await driver.press("enter")
            assert "does not find clusters by words said, language or attributes" in driver.screen
            assert "[All 5]" in driver.screen
            assert OAUTH in driver.screen
            assert "language=de" not in driver.line("━ Clusters")
        await driver.press("&")
        assert "does not find clusters by words said, language or attributes" in driver.screen
    world.close()


async def test_requests_of_a_cluster_and_the_cluster_of_a_request(world: World) -> None:
    asked = ask(world)
    oauth, rates = (asked.clusters[label] for label in (OAUTH, "Rate limit numbers differ"))
    async with drive(open_app(world, oauth), "h", size=(140, 40)) as driver:
        assert driver.line("▃▅▆▄▅").split("│")[0].rstrip("┃ ").endswith("1o")
        assert "READY TO MERGE" in driver.line("#2 Fix auth code samples")
        await select(driver, rates)
        assert "merged 7 w ago" in driver.line("#1 Name one limit")
        assert "5.2 a week before #1 was merged, 1.7" in driver.screen
        assert "5 6 6 5 4 4▲3 3 2 2 1 1 0" in driver.screen
        await driver.press("g c")
        assert "[Merged 1]" in driver.screen
        await driver.press("escape")
        await select(driver, oauth)
        await driver.press("g c")
        assert driver.place.PLACE == "changes"
        assert driver.place.target.cluster == oauth
        await driver.press("enter")
        assert "OAuth sample" in driver.line(" cluster ")
        # The place that is open already goes to the cluster, wherever its cursor has been since.
        await select(driver, rates, behind=2)
        await driver.press("g k")
        assert f"Clusters > {OAUTH}" in driver.screen
        # There and back as often as one likes: what goes away stops nothing but itself.
        for there in ("changes", "clusters", "changes", "clusters"):
            await driver.press("g c" if there == "changes" else "g k")
            here = driver.place.PLACE
            assert here == there
        await driver.app.go("clusters", Target(organization=world.home, cluster="nowhere"))
        await driver.idle()
        assert "deleted or joined" in driver.screen
        # What others did meanwhile is followed, and what is not listed is counted.
        await select(driver, asked.clusters["Export stuck"])
        assert "none yet" in driver.screen
        world.write(lambda tx: many(tx, asked, asked.clusters["Export stuck"]))
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert "2 more draft: gc lists them" in driver.screen


def many(tx: Tx, asked: Asked, cluster: str) -> None:
    """Begin more change requests for a cluster than are listed."""
    for nth in range(10):
        change_requests.open_branch(
            tx, asked.space, asked.world.ana, f"Draft {nth}", texts({"oauth": f"v{nth}"}),
            cluster=cluster, status="draft",
        )  # fmt: skip


async def select(driver: Driver, row: str, *, behind: int = 0) -> None:
    """Put the cursor on a cluster, also where so many places are on top of it."""
    place = driver.app.screen_stack[-1 - behind]
    assert place.query_one("#clusters").select(row)  # type: ignore[attr-defined]  # the list
    await driver.idle()


def test_merges_are_told_in_words_and_in_ascii() -> None:
    def said(pulse: list[int], *weeks_ago: int) -> list[str]:
        merges = [
            ClusterMerge(str(n), f"#{n}", START - timedelta(weeks=ago, days=1))
            for n, ago in enumerate(weeks_ago, 1)
        ]
        return [line.plain for line in helped(pulse, merges, START)]

    assert said([9] * 13, 0) == [
        "#1 was merged this week: no whole week since to compare with 9 a week before"
    ]
    assert said([9] * 13, 12) == [
        "#1 was merged 12 weeks ago: 9 a week since (12 weeks), too few weeks before to compare"
    ]
    assert said([12] * 7 + [50] + [3] * 5, 5, 5) == [
        "12 a week before #1 and #2 were merged, 3 since (5 weeks): -75% (-86% to -58%)"
    ]
    assert said([4] * 5 + [9] + [4] * 3 + [9] + [1, 0, 0], 3, 7) == [
        "4 a week before #1 was merged, 0.3 since (3 weeks): -92% (-100% to -54%)",
        "4 a week before #2 was merged, 4 until #1 (3 weeks): no change "
        "(-51% to +100%, may be chance)",
    ]
    assert said([0] * 13, 6) == ["0 a week before #1 was merged, 0 since (6 weeks)"]
    assert said([0] * 13, 13) == []
    row = cluster_row(IssuesCluster(id="a", weekly_pulse=[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0, 1]))
    glyphs.use("ascii")
    try:
        assert str(present.chart(row, marks={9})) == ".::|||||#^#.:"
        assert str(present.weeks(row, 0, {9})) == "0 1 2 3 4 5 6 7 8 9^10 0 1"
        # Numbers of any size stay in three cells.
        pulse = [1, 12, 999, 1_200, 99_000, 123_000, 5e6, 2**63 - 1]
        row = cluster_row(IssuesCluster(id="a", weekly_pulse=pulse, sources={"x": 2**63 - 1}))
        assert str(present.weeks(row, 3, (), 8)) == "  1  12 999  1k 99k .1M  5M 99M"
        assert present.cluster_facts(row, START, ())
        assert "1,200" in str(present.weeks(row, 0))
    finally:
        glyphs.use("unicode")


def test_the_address_of_a_cluster_is_masked_as_its_texts_are() -> None:
    row = cluster_row(IssuesCluster(id="a", summary="Kim (kim@example.org) asks"))
    row = replace(row, address="https://docs.test/clusters?from=kim@example.org")
    said = dict(present.cluster_facts(row, START, lists_requests=False))
    assert "requests" not in said
    assert str(said["app"]) == "https://docs.test/clusters?from=[e-mail]"
    assert said[""] == "Kim ([e-mail]) asks"
    said = dict(present.cluster_facts(row, START, masked=False))
    assert str(said["app"]).endswith("from=kim@example.org")
    assert str(said["requests"]) == "reading…"


async def test_clusters_go_to_a_spreadsheet(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(world)
    monkeypatch.chdir(tmp_path)
    world.write(
        lambda tx: conversation_writes.add_cluster(
            tx, world.home, '=HYPERLINK("x"), kim@example.org'
        )
    )
    file = tmp_path / f"clusters-{START:%Y-%m-%d}.csv"

    async def export(driver: Driver, words: str) -> None:
        await driver.press(":")
        await driver.type(words)
        await driver.press("enter")

    async with drive(open_app(world), size=(140, 24)) as driver:
        await export(driver, "export csv")
        assert "Wrote 6 clusters to " in driver.screen
        assert file.stat().st_mode & 0o077 == 0
        lines = list(csv.DictReader(StringIO(file.read_text("utf-8-sig"))))
        assert [line["label"] for line in lines][-1] == '\'=HYPERLINK("x"), [e-mail]'
        [line] = (line for line in lines if line["label"].startswith("Rate limit"))
        assert [line[key] for key in line if key.startswith("week from ")] == list("5665443322110")
        assert list(line)[5] == f"week from {START - timedelta(weeks=13):%Y-%m-%d}"
        assert (line["issues"], line["trend in percent"]) == ("42", "-67")
        assert line["merged"] == f"#1 {START - timedelta(weeks=7, days=2):%Y-%m-%d}"
        assert line["sources"] == "intercom 18; email 14; slack 10"
        # What is there is replaced only after a question.
        file.write_text("mine")
        await export(driver, "export csv")
        assert "Replace the file?" in driver.screen
        await driver.press("escape")
        assert file.read_text() == "mine"
        await export(driver, "export csv")
        await driver.press("y")
        assert file.read_text("utf-8-sig").startswith('"label",')
        await export(driver, "export csv nowhere/x.csv")
        assert "No such file" in driver.screen
        await export(driver, "export csv .")
        assert "it is a folder" in driver.screen
        (tmp_path / "link.csv").symlink_to(file)
        file.unlink()
        await export(driver, "export csv link.csv")
        assert file.read_text("utf-8-sig").startswith('"label",')
        (tmp_path / "link.csv").unlink()
        mkfifo(tmp_path / "pipe")
        await export(driver, "export csv pipe")
        assert "not a regular file" in driver.screen
        (tmp_path / "pipe").unlink()
        assert files(tmp_path) == [file.name]
        await export(driver, "export pdf")
        assert "Say :export csv" in driver.screen
        # A report has what was said in it, masked as on the screen.
        await export(driver, "report")
        assert f"Wrote the report to {tmp_path}" in driver.screen
        text = (tmp_path / f"clusters-{START:%Y-%m-%d}.md").read_text()
        assert "| OAuth sample returns 401 |" in text
        assert "\n> " in text
        await export(driver, "report week.html")
        assert (tmp_path / "week.html").read_text().startswith("<!DOCTYPE html>")
        await export(driver, "report week.html")
        assert "Replace the file?" in driver.screen
        await driver.press("escape")


def files(folder: Path) -> list[str]:
    """Return the names in a folder."""
    return [each.name for each in folder.iterdir()]


class Troubled(httpx.ASGITransport):
    """A desk with troubles: each is on while its name is among them."""

    def __init__(self, world: World, *troubles: str) -> None:
        super().__init__(world.app)
        self.troubles = set(troubles)
        self.issues = asyncio.Event()
        """Without it nobody gets the issues of a cluster."""
        self.issues.set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Answer, or not."""
        path = request.url.path
        if path.endswith("/conversations-issues"):
            await self.issues.wait()
            if "issues" in self.troubles:
                body = {"error": {"code": 403, "message": "No issues for you."}}
                return httpx.Response(403, json=body, request=request)
        if "cut" in self.troubles and "conversations-clusters" in path:
            raise httpx.ConnectError("cut", request=request)
        if "gone" in self.troubles and "/conversations/" in path:
            body = {"error": {"code": 404, "message": "There is no such conversation."}}
            return httpx.Response(404, json=body, request=request)
        if "rules" in self.troubles and path.endswith("/reviews"):
            body = {"error": {"code": 403, "message": "Not for you."}}
            return httpx.Response(403, json=body, request=request)
        answer = await super().handle_async_request(request)
        if "analysing" in self.troubles and path.endswith("/conversations"):
            found = json.loads(await answer.aread())
            for each in found["items"][:2]:
                del each["processedAt"]
            return httpx.Response(200, json=found, request=request)
        return answer


def open_troubled(world: World, transport: Troubled) -> CopydeskApp:
    """Return the program on a desk with troubles."""

    async def connect() -> Api:
        return Api(BASE_URL, world.token(world.ana), transport=transport)

    session = Session(connect, clock=lambda: world.clock.now, host="desk")
    return CopydeskApp(session, "clusters", Target(organization=world.home))


async def test_what_cannot_be_read_is_said_and_tried_again(world: World) -> None:
    asked = ask(world)
    desk = Troubled(world, "cut", "gone", "rules", "analysing")
    async with drive(open_troubled(world, desk), size=(140, 40)) as driver:
        assert "Offline" in driver.screen
        desk.troubles.discard("cut")
        await driver.press("R")
        assert "OAuth sample returns 401" in driver.screen
        assert "2 being analysed: numbers may rise" in driver.screen
        desk.troubles.discard("analysing")
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert "being analysed" not in driver.screen
        await select(driver, asked.clusters[OAUTH])
        assert "READY?" in driver.line("#2 Fix auth code samples")
        # A conversation that is gone leaves its issue.
        await driver.press("enter", "enter")
        assert "The sample does not work." in driver.screen
        assert "gone at its source" in driver.screen


@pytest.mark.parametrize("slow", [60.0, 0.0])
async def test_issues_of_the_cluster_before_stay_only_while_others_come_at_once(
    world: World, monkeypatch: pytest.MonkeyPatch, slow: float
) -> None:
    asked = ask(world)
    desk = Troubled(world)
    async with drive(open_troubled(world, desk), size=(160, 40)) as driver:
        place = driver.place
        assert isinstance(place, clusters.ClustersPlace)
        await select(driver, asked.clusters[OAUTH])
        assert "OAuth sample returns 401, case 12.1" in driver.screen
        monkeypatch.setattr(clusters, "SLOW_SECONDS", slow)
        monkeypatch.setattr(clusters, "REST_SECONDS", 0.0)
        desk.issues.clear()
        assert place.clusters.select(asked.clusters["SSO loop after logout"])
        for _ in range(100):
            if "Reading issues" in driver.screen or (slow and place.reads.under_way("issues")):
                break
            await driver.turn()
        assert ("OAuth sample returns 401, case 12.1" in driver.screen) == bool(slow)
        assert ("Reading issues" in driver.screen) == (not slow)
        desk.issues.set()
        await driver.idle()
        assert "SSO loop after logout, case 12.1" in driver.screen
        assert "OAuth sample returns 401, case 12.1" not in driver.screen
        # Where they cannot be read the list says so, and nothing of others is left.
        desk.troubles.add("issues")
        await select(driver, asked.clusters[OAUTH])
        assert "SSO loop after logout, case 12.1" not in driver.screen
        assert "No issues for you" in driver.screen


async def test_issues_stay_with_who_goes_on_to_another_cluster_and_back(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = ask(world)
    desk = Troubled(world)
    async with drive(open_troubled(world, desk), size=(160, 40)) as driver:
        place = driver.place
        assert isinstance(place, clusters.ClustersPlace)
        await select(driver, asked.clusters[OAUTH])
        monkeypatch.setattr(clusters, "SLOW_SECONDS", 60.0)
        monkeypatch.setattr(clusters, "REST_SECONDS", 0.0)
        desk.issues.clear()
        for label, read in (("SSO loop after logout", True), (OAUTH, False)):
            assert place.clusters.select(asked.clusters[label])
            place.reads.follow(at_once=True)
            assert place.reads.under_way("issues") == read
        desk.issues.set()
        await driver.idle()
        assert "OAuth sample returns 401, case 12.1" in driver.screen


async def test_who_may_not_read_them_is_told(world: World) -> None:
    ask(world)
    guest = world.user("gus", None)
    async with drive(open_app(world, user=guest)) as driver:
        assert "Not allowed" in driver.screen


async def test_nothing_yet(world: World) -> None:
    async with drive(open_app(world, user=world.ana)) as driver:
        assert "No clusters yet." in driver.screen
        await driver.press("enter", "l", "s", "ctrl+n", "#")
        assert "No cluster selected." in driver.screen


async def test_hostile_conversations_are_harmless(world: World) -> None:
    assert world.home

    def write(tx: Tx) -> None:
        cluster = conversation_writes.add_cluster(
            tx, world.home, "\x1b[2J[red]Evil[/] \u202elabel", summary="[link=x]\x1b]0;t\x07sum"
        )
        talk = conversation_writes.add_conversation(
            tx, world.home,
            [
                ("user", "\x1b[2J[bold]markup[/bold] " + "x" * 200_000),
                ("user", "<p>" * 5_000 + "deep" + "&#27;[31m"),
            ],
            source="[b]slack", subject="\x07[blink]s", attributes={"[k]": "[v]\x1b[1m"},
        )  # fmt: skip
        conversation_writes.add_issue(tx, world.home, talk, "[i]issue\x00[/i]", cluster_id=cluster)

    world.write(write)
    async with drive(open_app(world), "enter", "enter", size=(140, 40)) as driver:
        assert "[bold]markup[/bold]" in driver.screen
        assert "[red]Evil[/] label" in driver.screen
        assert "\x1b" not in driver.screen
        await driver.press("G")
        assert "[k]" in driver.line("[v]")


async def test_any_size(world: World) -> None:
    ask(world)
    async with drive(open_app(world), size=(60, 18)) as driver:
        for size in ((60, 18), (30, 10), (110, 30), (200, 50), (80, 24)):
            await driver.resize(*size)
            await driver.press("j", "enter", "j", "enter", "h", "h", "tab", "q")
            assert "clusters" in driver.screen.lower()


async def test_requests_are_counted_once_for_what_is_on_screen(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Counted is what is on screen once the rows have rested there, on a busy machine too.
    monkeypatch.setattr(cluster_list, "REST_SECONDS", 0.5)
    ask(world)

    def write(tx: Tx) -> None:
        for number in range(60):
            conversation_writes.add_cluster(tx, world.home, f"Quiet {number:02}")

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
        await driver.press("escape")
        await select(driver, asked.clusters[OAUTH])
        await driver.press("ctrl+n")
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
        assert "New change request in Platform guide" in driver.screen
        assert "People struggle" in driver.screen
        await driver.type(", why")
        await driver.press("ctrl+s")
        assert "Waits in the outbox (g x)" in driver.screen
        assert not session.drafts.texts()
        # Dropped there it is a draft again, that the form opens with.
        await driver.press("g x", "D")
        assert "Discarded. u puts it back." in driver.screen
        await driver.press("q", "ctrl+n", "enter")
        assert f"{label}, why" in driver.screen
        await driver.press("ctrl+s")
        assert "Not allowed: Frozen until Monday." in driver.screen
        await driver.press("ctrl+s")
        assert "is taken already" in driver.line("Subject  ")
        assert "Mend" not in driver.screen
        await driver.press("ctrl+s")
        assert "Mend “Subject” first." in driver.screen
        assert f"{label}, why" in driver.line(f" {label}, w")
        assert list(session.drafts.texts()) == [
            f"change request of cluster {asked.clusters[label]}"
        ]
        await driver.type("?")
        await driver.press("ctrl+s")
        assert "Begun #3 in “Platform guide”" in driver.screen
        assert not session.drafts.texts()
        async with world.api() as api:
            found = await api.page(
                ops.list_organization_change_requests, world.home, status="draft",
                conversations_issues_cluster=target.cluster,
            )  # fmt: skip
        [request] = found.items
        assert request.subject == f"{label}, why?"
        assert request.description is not None
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
        assert "Being sent." in driver.screen
        going_on.set()
        await driver.idle()
        assert "Begun #3" in driver.screen

"""The findings of a site: worked through, acted on and written to a table, as sent to the desk."""

from __future__ import annotations

import csv
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.domain.finding_inverses import requests_begun
from copydesk.server import conversation_writes
from copydesk.server import site_writes as seed
from copydesk.server.store import Tx
from copydesk.session.reads.findings import ASKED, find_begun_for
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from copydesk.tui.changes.screen import ChangesPlace
from copydesk.tui.conversations import findings
from copydesk.tui.conversations.findings import FindingsPlace
from tests.drive import Driver, drive, eventually
from tests.tui.opening import open_world
from tests.world import BASE_URL, START, World

HOSTILE = "Call \x1b[31m+351 912 345 678\x1b[0m or ann@acme.example\u202e"


FAR = "../../billing/.gitbook/assets/retries-by-hand.png"


class Support:
    """A site with a broken link, and clusters of conversations of which one holds personal data."""

    def __init__(self, world: World) -> None:
        self.world = world
        pages = {
            "webhooks": "Webhooks arrive late. See [replay](replay.md).\n",
            "setup": "Begin.\n",
        }
        self.guide = world.space("Guide", pages)

        def build(tx: Tx) -> tuple[str, str]:
            site = seed.add_site(tx, world.home, "Docs")
            seed.add_site_space(tx, site, self.guide, title="Current")
            late = conversation_writes.add_cluster(
                tx, world.home, "Webhooks arrive late", summary="They wait."
            )
            odd = conversation_writes.add_cluster(tx, world.home, HOSTILE)
            for number in range(6):
                title = "Why are webhooks late?" if number else "Is there a replay?"
                tell(tx, world.home, f"late-{number}", title, late, "slack")
            tell(tx, world.home, "odd-0", HOSTILE, odd, "zendesk")
            return site, late

        self.site, self.late = world.write(build)

    @property
    def home(self) -> Target:
        return Target(organization=self.world.home)

    def finding(self, title: str) -> Any:
        return self.world.store.read(
            lambda tx: tx.one("SELECT * FROM finding WHERE title LIKE ?", f"%{title}%")
        )


def tell(tx: Tx, home: str, key: str, title: str, cluster: str | None, source: str) -> None:
    parts: list[Any] = [("user", title), ("assistant", "Like this.")]
    address = f"https://desk.example/{key}"
    conversation_writes.add_conversation(
        tx, home, parts, source=source, subject=title, conversation_id=key, source_url=address
    )
    conversation_writes.add_issue(tx, home, key, title, cluster_id=cluster)


def note_request(tx: Tx, request: str, finding: str) -> str:
    """Note that a change request was begun for a finding; return its id."""
    tx.insert("finding_request", change_request_id=request, finding_id=finding)
    return request


async def send(driver: Driver, command: str) -> None:
    await driver.press(":")
    await driver.type(command)
    await driver.press("enter")


async def back(driver: Driver, name: str) -> None:
    """Step back until the screen of that name is in front."""
    for _ in range(4):
        if name != driver.place.PLACE:
            await driver.press("q")
    assert name == driver.place.PLACE


async def look_wide(driver: Driver, finding: str) -> None:
    """See what a finding holds, masked too, and that a tab of what holds nothing has no pane."""
    place = driver.place
    assert isinstance(place, FindingsPlace)
    await driver.resize(200, 60)
    assert place.rows.select(finding)
    await eventually(lambda: "zendesk Call" in place.contents.plain, driver.idle)
    assert "+351 912" not in driver.screen
    await driver.press("8")  # the records
    assert "-holds-none" in place.classes
    await driver.press("1")
    assert "-holds-none" not in place.classes
    await driver.resize(140, 40)


async def write_a_table(driver: Driver, told: Callable[[], str]) -> None:
    """Write what is listed into table.csv, masked as the screen is, and once more in clear."""
    first = "Webhooks arrive late"
    await send(driver, "export csv table.csv")
    text = told()
    assert '"Webhooks arrive late","other","medium","open",6,0' in text
    heads, late = (
        dict(enumerate(row)) for row in csv.reader(StringIO(text)) if row[0] in ("finding", first)
    )
    told_of = {name: late[at] for at, name in heads.items()}
    assert told_of["trend in percent"] == "new"
    assert told_of["week from 2026-02-23"] == "6"
    assert told_of["pages"] == "1"
    assert told_of["first"] == "2026-03-02"
    assert told_of["description"] == "They wait."
    assert "ann@acme.example" not in text
    await driver.press("V")
    assert "+351 912" in driver.screen
    assert "IN CLEAR" in driver.screen
    await send(driver, "export csv table.csv")
    assert "Replace the file?" in driver.screen
    await driver.press("y")
    assert "ann@acme.example" in told()


async def test_a_support_lead_works_through_findings(
    world: World, update_golden: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    table = tmp_path / "table.csv"
    support = Support(world)
    world.commit(support.guide, {"far": f"[Retries]({FAR})\n"})
    async with drive(open_world(world, "spaces", support.home), size=(140, 40)) as driver:
        await driver.press("g q")
        assert isinstance(driver.place, FindingsPlace)
        driver.golden("findings", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("findings", update=update_golden)
        await driver.resize(140, 40)
        assert "+351 912" not in driver.screen

        # One that is open is done, and open again; a candidate is taken up.
        late = "Webhooks arrive late"
        await driver.press("x")
        assert support.finding(late)["status"] == "done"
        await driver.press("u")
        assert support.finding(late)["status"] == "open"
        await driver.press("x", "x")
        assert support.finding(late)["status"] == "open"
        await driver.press("a")
        assert "The finding is open, not a candidate." in driver.screen
        assert driver.place.rows.select(support.finding("Call")["id"])
        await driver.press("a")
        assert support.finding("Call")["status"] == "open"
        await driver.press("u")
        assert support.finding("Call")["status"] == "candidate"

        # A broken link opens on its pages, and is known by its end.
        await driver.resize(80, 24)
        assert "Broken link" in driver.line("by-hand.png")
        assert driver.place.rows.select(support.finding(FAR)["id"])
        await driver.press("enter")
        driver.golden("finding-pages", update=update_golden)
        await driver.resize(140, 40)
        driver.golden("finding-pages", update=update_golden)
        await back(driver, "findings")

        # A change request is begun, and gone to from the finding.
        await driver.press("home", "ctrl+n")
        driver.golden("finding-begin", update=update_golden)
        await driver.press("y")
        assert "Begun #1 in Guide. gc goes to it, u archives it." in driver.screen
        assert f"#1 {late}" in driver.screen
        await driver.press("g c")
        assert driver.place.PLACE == "review"
        await back(driver, "findings")
        await driver.press("u")
        [row] = world.store.read(lambda tx: tx.all("SELECT * FROM change_request"))
        assert (row["status"], row["cluster_id"]) == ("archived", support.late)

        await driver.press("g c")
        assert driver.place.PLACE == "finding"
        assert "Guide" in driver.line("archived")
        await back(driver, "findings")
        await driver.press("enter")
        assert driver.place.PLACE == "finding"
        assert "Why are webhooks late?" in driver.screen
        await driver.press("]", "g j")
        assert '"context-record"' in driver.screen
        await driver.press("escape", "]", "enter")
        assert driver.place.PLACE == "pages"
        await back(driver, "finding")
        await driver.press("]")
        assert "#1" in driver.screen
        await driver.press("enter")
        assert driver.place.PLACE == "review"
        await driver.press("[")
        assert f"{late}   gq opens it" in driver.screen
        driver.golden("review-finding", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("review-finding", update=update_golden)
        await driver.resize(140, 40)
        await driver.press("g q")
        assert driver.place.PLACE == "finding"
        assert f"Acme > {late} > " in driver.screen
        await back(driver, "findings")

        await driver.press("g j")
        assert '"site-finding"' in driver.screen
        await driver.press("escape")

        await look_wide(driver, support.finding("Call")["id"])
        await write_a_table(driver, lambda: table.read_text("utf-8-sig"))


LATE = "Webhooks arrive late"


async def test_change_requests_lead_to_the_finding_that_they_were_begun_for(world: World) -> None:
    support = Support(world)
    world.commit(support.guide, {"far": f"[Retries]({FAR})\n"})
    async with drive(open_world(world, "findings", support.home), size=(140, 40)) as driver:
        assert isinstance(driver.place, FindingsPlace)
        # One for a broken link names no finding, and leads back to it all the same.
        assert driver.place.rows.select(support.finding(FAR)["id"])
        await driver.press("ctrl+n", "y", "g c", "[")
        assert "finding  Broken link to" in driver.screen
        assert "opens it" in driver.screen
        assert isinstance(driver.app, CopydeskApp)
        driver.app.session.left.clear()
        await driver.press("g q")
        assert driver.place.PLACE == "finding"
        assert "by-hand.png" in driver.line("Acme > ")
        # The list of change requests names the finding too.
        begun = world.change_request(support.guide, {"setup": "More.\n"}, subject="By hand")
        named = support.finding(LATE)["id"]
        key = world.write(lambda tx: note_request(tx, begun, named))
        await driver.press("g n", "g c")
        changes = driver.app.screen
        assert isinstance(changes, ChangesPlace)
        await driver.press("R")
        assert changes.rows.select(key)
        await driver.press("R")
        assert f"{LATE}   gq opens it" in driver.screen
        await driver.press("g q")
        assert driver.place.PLACE == "finding"


async def test_a_finding_is_looked_for_with_few_requests(world: World) -> None:
    support = Support(world)
    links = "".join(f"[{number}](missing/{number}.md)\n\n" for number in range(ASKED + 1))
    world.commit(support.guide, {"far": links})
    ids = (world.home, support.site)
    async with world.api() as api:
        found = [each async for each in api.pages(ops.list_site_findings, *ids)]
        broken = [each.id for each in found if each.topic is None]
        begun = [
            world.change_request(support.guide, {"setup": f"{number}\n"}, subject="By hand")
            for number in range(ASKED + 1)
        ]

        def note(tx: Tx) -> None:
            for request, finding in zip(begun, broken, strict=False):
                note_request(tx, request, finding)

        world.write(note)
        told = [await find_begun_for(api, world.home, each) for each in begun]
    assert len(broken) > ASKED
    first = [((support.site, each), True) for each in broken[:ASKED]]
    assert told == [*first, (None, False)]


async def test_topics_questions_and_records_of_a_site(
    world: World, update_golden: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    support = Support(world)
    async with drive(open_world(world, "findings", support.home), size=(140, 40)) as driver:
        await driver.press("6")
        driver.golden("topics", update=update_golden)
        await send(driver, "export csv topics.csv")
        assert "Wrote 2 topics" in driver.screen
        await driver.press("s", *"topic", "enter")
        late = driver.line("Webhooks arrive late")
        assert "Webhooks" in late
        assert isinstance(driver.place, FindingsPlace)
        assert driver.place.rows.select(support.late)
        await driver.press("g j")
        assert '"context-topic"' in driver.screen
        await driver.press("escape", "e")

        def used() -> int:
            row = world.store.read(lambda tx: tx.one("SELECT * FROM topic_usage"))
            assert row is not None
            return int(row["change_requests"])

        assert used() == 1
        await driver.press("u")
        assert used() == 0
        await driver.press("enter")
        assert "Docs > Webhooks arrive late > Findings" in driver.screen
        assert "Broken link" not in driver.screen
        await driver.press("6")
        assert "Why are webhooks late?" in driver.screen
        assert "or ***" not in driver.screen

        await driver.press("escape", "]")
        driver.golden("questions", update=update_golden)
        await send(driver, "export csv questions.csv")
        assert "Wrote 3 questions" in driver.screen
        await send(driver, "where answered=no")
        assert "None with answered=no" in driver.screen
        await send(driver, "where")
        await driver.press("end", "g j")
        assert '"site-question"' in driver.screen
        await driver.press("escape", "enter")
        assert driver.place.PLACE == "question"
        driver.golden("question", update=update_golden)
        await driver.press("g j")
        assert '"site-question-answer"' in driver.screen
        # An answer and a record lead to the conversation, and that to all others.
        await driver.press("escape", "enter")
        assert driver.place.PLACE == "conversations"
        assert "This one 1" in driver.screen
        assert "Like this." in driver.screen
        await driver.press("1")
        assert "All 7" in driver.screen
        await back(driver, "question")
        await driver.press("]")
        assert "record   api" in driver.line("Why are webhooks late?   ")
        await driver.press("enter")
        assert "This one 1" in driver.screen
        await back(driver, "question")
        await driver.press("escape", "]", "enter")
        assert "This one 1" in driver.screen
        await back(driver, "findings")
        driver.golden("records", update=update_golden)
        await send(driver, "export csv records.csv")
        assert "Wrote 7 records" in driver.screen
        await driver.press("g j")
        assert '"context-record"' in driver.screen
        await driver.press("escape", "ctrl+n")
        await driver.type("bo@mail.example")
        await driver.press("tab", "right", "right", "tab")
        await driver.type("Webhooks arrive late")
        await driver.press("tab", "tab")
        await driver.type("Why")
        await driver.press("ctrl+s")
        row = world.store.read(
            lambda tx: tx.one("SELECT * FROM conversation WHERE id = 'bo@mail.example'")
        )
        assert row is not None
        assert (row["type"], row["subject"]) == ("document", "Webhooks arrive late")
        assert "Webhooks arrive late" in driver.screen
        await send(driver, "export csv more.csv")
        assert "Wrote 8 records" in driver.screen
        # A sender's own id may be an address.
        assert "bo@mail.example" not in (tmp_path / "more.csv").read_text(encoding="utf-8")


def view(support: Support, many: int) -> list[str]:
    """Have readers view pages, and find links that lead nowhere on so many more of them."""
    world, day = support.world, START.date().isoformat()
    pages = [(support.guide, world.page_id(support.guide, path)) for path in ("webhooks", "setup")]
    more = {f"more-{n}": f"See [it](nowhere-{n}.md).\n" for n in range(many)}
    if more:
        space = world.space("More", more)
        world.write(lambda tx: seed.add_site_space(tx, support.site, space))
        pages += [(space, world.page_id(space, path)) for path in more]

    def write(tx: Tx) -> None:
        for at, (space, page) in enumerate(pages):
            views = 49_600 if not at else 40 * at
            seed.add_events(tx, support.site, space, page, day, events=views, visitors=views)

    world.write(write)
    return [page for _, page in pages]


async def test_findings_stand_by_how_often_their_pages_are_viewed(
    world: World, update_golden: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    support = Support(world)
    view(support, 3)
    async with drive(open_world(world, "findings", support.home), size=(140, 40)) as driver:
        assert "12.4k" in driver.line("replay.md")
        assert driver.line("medium").split("┃")[1].split()[-3:-1] == ["12.4k", "new"]
        assert "12.4k views a week" in driver.line("traffic")
        await driver.press("s", *"views", "enter")
        driver.golden("findings-views", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("findings-views", update=update_golden)
        links = [row for row in driver.screen.splitlines() if "broken link" in row]
        assert [row.split()[-3] for row in links] == ["12.4k", "40", "30", "20"]
        await driver.press("S")
        assert "sort: views, reversed" in driver.screen


class Way(httpx.AsyncBaseTransport):
    """The way to a desk, which knows what was asked, and may lack traffic."""

    def __init__(self, world: World, *, counts: bool = True) -> None:
        self._desk = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        self._counts = counts
        self.paths: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.paths.append(request.url.path)
        if request.url.path.endswith("/aggregate") and not self._counts:
            return httpx.Response(404, text="Not found", request=request)
        return await self._desk.handle_async_request(request)

    def asked(self, end: str) -> int:
        return sum(path.endswith(end) for path in self.paths)


async def test_views_are_read_of_the_findings_on_screen_and_kept(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    support, way = Support(world), Way(world)
    view(support, 60)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    async with drive(open_world(world, "findings", support.home, api=api)) as driver:
        assert "VIEWS" in driver.screen
        assert way.asked("/aggregate") == 1
        shown = way.asked("/pages")
        assert isinstance(driver.place, FindingsPlace)
        assert 0 < shown <= driver.place.rows.page_lines + 1
        before = len(way.paths)
        with monkeypatch.context() as patch:
            patch.setattr(findings, "REST_SECONDS", 5.0)  # however slow the machine is
            await driver.send("j", "j", "j")
            assert len(way.paths) == before
        await driver.press("k", "k", "k", "x", "x")
        assert way.asked("/aggregate") == 1
        await driver.press("G")
        assert way.asked("/aggregate") == 1
        assert shown < way.asked("/pages") < 60
        await driver.press("8")
        assert driver.place.rows.selected is not None
        driver.place.traffic.look()  # asked for before the tab was turned


async def test_a_service_without_traffic_shows_no_column_of_views(world: World) -> None:
    support, way = Support(world), Way(world, counts=False)
    view(support, 0)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    async with drive(open_world(world, "findings", support.home, api=api)) as driver:
        assert way.asked("/aggregate") == 1
        assert "VIEWS" not in driver.screen
        await driver.press("s")
        assert "views" not in driver.screen
        await driver.press("escape", "j", "R")
        assert way.asked("/aggregate") == 1


async def test_who_may_not_change_anything_reads(world: World) -> None:
    support = Support(world)
    reader = world.user("rea", "read")
    api = world.api(reader)
    async with drive(open_world(world, "findings", support.home, api=api)) as driver:
        assert "Webhooks arrive late" in driver.screen
        await driver.press("x")
        assert "That takes the role create in Acme." in driver.screen
        assert "new change request" not in driver.screen
        await driver.press("ctrl+n")
        assert "That takes the role edit in a space of Docs." in driver.screen
        assert "New change request" not in driver.screen


async def test_of_several_sites_one_is_chosen_and_remembered(world: World) -> None:
    support = Support(world)
    world.write(lambda tx: seed.add_site(tx, world.home, "Portal"))
    async with drive(open_world(world, "spaces", support.home)) as driver:
        await driver.press("g q")
        assert "Of which site?" in driver.screen
        await driver.press("escape")
        assert "Which site? g q or :site chooses one." in driver.screen
        await driver.press("g q")
        assert "Of which site?" in driver.screen
        await driver.press("escape", "g s", "g q")
        assert "Of which site?" in driver.screen
        await driver.press("escape")
        await send(driver, "site")
        await driver.type("Docs")
        await driver.press("enter")
        assert "Webhooks arrive late" in driver.screen
        await driver.press("g s", "g q")
        assert "Webhooks arrive late" in driver.screen


def test_nothing_is_archived_where_no_change_request_is_known() -> None:
    assert requests_begun([]) is None

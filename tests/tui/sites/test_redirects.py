"""The redirects of a site: made, changed, removed, taken back, imported and tested."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.redirect import SiteRedirectCreate, SiteRedirectUpdate
from copydesk.domain.layout import Item, Layout
from copydesk.domain.site_arrangement import SiteArrangement, layout_of
from copydesk.domain.site_plan import LED_NOTE
from copydesk.server import site_writes as seed
from copydesk.session.reads.sites import read_structure
from copydesk.session.target import Target
from copydesk.tui.sites.redirects import RedirectsPlace
from tests.drive import Driver, drive
from tests.tui.lossy import Lossy
from tests.tui.opening import open_world, typed
from tests.tui.site_world import Published, publish
from tests.world import BASE_URL, World

HOSTILE = "https://films.example/[bold]%1b[2J;$(reboot)"

Json = dict[str, Any]


async def made(docs: Published, source: str, to: str | Json, **more: Any) -> str:
    """Make a redirect over the API and return its id."""
    destination = {"kind": "external", "url": to} if isinstance(to, str) else to
    body = SiteRedirectCreate.model_validate({"source": source, "destination": destination, **more})
    async with docs.world.api() as api:
        return (await api(ops.create_site_redirect, docs.world.home, docs.site, body)).id


async def held(docs: Published, *, draft: bool = False) -> dict[str, Json]:
    """Return the redirects that hold, or the drafts, by their sources."""
    async with docs.world.api() as api:
        pages = api.pages(ops.list_site_redirects, docs.world.home, docs.site, draft=draft)
        return {each.source: each.to_dict() async for each in pages}


def at(docs: Published) -> Target:
    return Target(organization=docs.world.home, site=docs.site)


async def fill(driver: Driver, source: str, to: str) -> None:
    """Fill in both paths of the form of a redirect and send it."""
    await driver.burst(*typed(source))
    await driver.press("tab")
    await driver.burst(*typed(to))
    await driver.press("ctrl+s")


async def test_redirects_are_made_changed_turned_removed_and_taken_back(
    world: World, update_golden: bool
) -> None:
    docs = publish(world)
    section = {"kind": "site-section", "siteSectionId": docs.ids["API reference"]}
    await made(docs, "/start", "https://docs.acme.test/learn")
    await made(docs, "/learn/*", section, captureWildcard=True, permanent=True)
    await made(docs, "/legal", HOSTILE)
    gone = {"kind": "site-space", "siteSpaceId": docs.ids["Guides/German"]}
    await made(docs, "/deutsch", gone)
    world.write(lambda tx: tx.run("DELETE FROM site_space WHERE id = ?", docs.ids["Guides/German"]))
    async with drive(open_world(world, "redirects", at(docs)), size=(140, 40)) as driver:
        driver.golden("redirects", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("redirects", update=update_golden)
        assert "chain" in driver.line("/start")
        assert "gone" in driver.line("/deutsch")
        assert "shadowed" in driver.line("/legal")
        assert "4 redirects, 3 to look at" in driver.screen

        await driver.press("ctrl+n")
        driver.golden("redirects-new", update=update_golden)
        assert "draft restored" not in driver.screen
        await fill(driver, "tour", "/nothing/here")
        assert "write a path such as /guides/start" in driver.screen
        await driver.press("escape", "ctrl+n")
        assert "New redirect: draft restored" in driver.screen
        assert "what you typed before is back" in driver.screen
        await driver.press(*["backspace"] * 4)
        await fill(driver, "/tour", "")
        assert "the site shows nothing at /nothing/here" in driver.screen
        await driver.press(*["backspace"] * len("/nothing/here"))
        await driver.burst(*typed("https://docs.acme.test/tour"))
        await driver.press("ctrl+s")
        assert "loop: /tour to /tour" in driver.screen
        await driver.press(*["backspace"] * len("https://docs.acme.test/tour"))
        await driver.burst(*typed("/french"))
        await driver.press("ctrl+s")
        there = (await held(docs))["/tour"]
        assert there["destination"] == {
            "kind": "site-space", "siteSpaceId": docs.ids["Guides/French"]
        }  # fmt: skip
        assert there["permanent"]
        assert driver.selected == there["id"]

        await driver.press("e")
        await driver.press("tab", *["backspace"] * 7)
        await driver.burst(*typed("https://films.example/"))
        await driver.press("ctrl+s")
        assert (await held(docs))["/tour"]["destination"]["url"] == "https://films.example/"
        await driver.press("W")
        assert "/tour" in await held(docs, draft=True)
        assert "draft" in driver.line("/tour")
        await driver.press("u")
        assert "/tour" in await held(docs)
        await driver.press("u")
        assert (await held(docs))["/tour"]["destination"]["kind"] == "site-space"
        await driver.press("D")
        assert "u makes it again." in driver.screen
        await driver.press("y")
        assert "/tour" not in await held(docs)
        await driver.press("u")
        assert (await held(docs))["/tour"]["permanent"]
        await driver.press("u", "u")


async def test_a_file_is_a_plan_before_it_is_sent_and_bad_lines_are_named(
    world: World, tmp_path: Path, update_golden: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    docs = publish(world)
    await made(docs, "/guides-2025", "https://old.example/", permanent=True)
    await made(docs, "/bye", "https://old.example/")
    path = tmp_path / "moved.csv"
    path.write_text(
        "from,to,kind,rest,state\n"
        "/a,https://docs.acme.test/b,permanent\n"
        "/b,/legal\n"
        "\n"
        "no path,/legal\n"
        "/c,\n"
        "/d,/not/there\n"
        "/guides-2025,/,\n"
        "/bye,-\n"
        "/b,/status\n"
        "/e/*,https://new.example/e,perhaps\n"
        '/f,"https://new.example/\x1b[2J"\n'
        "/g/*,/changelog,temporary,keep,draft\n"
        "/h,https://docs.acme.test/z\n"
    )
    app = open_world(world, "redirects", at(docs))
    async with drive(app, size=(80, 24)) as driver:
        await driver.press(":")
        await driver.burst(*typed(f"import {tmp_path / 'none.csv'}"))
        await driver.press("enter")
        assert "Not read: there is no such file" in driver.screen
        await driver.press(":")
        await driver.burst(*typed("import ~"))
        await driver.press("enter")
        assert "Not read: that is a folder" in driver.screen
        await driver.press(":")
        await driver.burst(*typed("import ~/moved.csv"))
        await driver.press("enter")
        driver.golden("redirects-import", update=update_golden)
        await driver.resize(140, 40)
        driver.golden("redirects-import", update=update_golden)
        assert sorted(await held(docs)) == ["/bye", "/guides-2025"]
        for said in (
            "1  add /a to /b", "change /guides-2025 to /", "remove /bye", "a draft",
            "!  /a: chain: /a to /b to /legal", "add /h to /z, permanent",
            "line 5: no path: write a path such as /guides/start",
            "line 6: /c has no destination; - removes a redirect",
            "line 7: /not/there: the site shows nothing at /not/there",
            "line 10: /b is on line 3 already",
            "line 11: perhaps is not a kind: write permanent or temporary",
            "line 12: https://new.example/<U+001B>[2J: U+001B is a control",
        ):  # fmt: skip
            assert said in driver.screen, said
        await made(docs, "/z", "https://docs.acme.test/h")  # by another, since the plan was made
        await driver.press("y")
        assert "The service refused" in driver.screen
        assert "line 14: /h: body.destination: it redirects in a circle" in driver.screen
        await driver.press("escape")
        assert sorted(await held(docs)) == ["/a", "/b", "/guides-2025", "/z"]
        assert (await held(docs))["/guides-2025"]["permanent"]  # the file says nothing of it
        assert list(await held(docs, draft=True)) == ["/g/*"]
        # Once more changes nothing, and all of it is taken back at once.
        path.write_text("/a;https://docs.acme.test/b;permanent\n")
        await driver.press(":")
        await driver.burst(*typed(f"import {path}"))
        await driver.press("enter")
        assert "1 redirect is there already" in driver.screen
        await driver.press("escape", "u")
        assert sorted(await held(docs)) == ["/bye", "/guides-2025", "/z"]
        assert await held(docs, draft=True) == {}
        assert (await held(docs))["/guides-2025"]["destination"]["url"] == "https://old.example/"


async def test_a_path_is_tested_as_the_service_finds_it(world: World) -> None:
    docs = publish(world)
    await made(docs, "/start", "https://docs.acme.test/learn?from=start")
    section = {"kind": "site-section", "siteSectionId": docs.ids["Legal"]}
    await made(docs, "/learn/*", section)
    async with drive(open_world(world, "redirects", at(docs)), size=(80, 24)) as driver:
        for asked, said in (
            ("/start", "/start leads to /legal (Legal): a chain, /start to /learn/*."),
            ("https://docs.acme.test/learn/x?y", "/learn/x leads to /legal (Legal), by /learn/*."),
            ("/legal", "/legal is shown by the site (Legal): no redirect holds there."),
            ("/none", "No redirect holds for /none."),
            ("/a b", "/a b: a blank cannot be in a path: write /a%20b."),
            ("https://other.example/", "Say which path of this site"),
        ):
            await driver.press(":")
            await driver.burst(*typed(f"test {asked}"))
            await driver.press("enter")
            assert said in driver.screen, (asked, driver.screen)


async def test_a_redirect_leads_to_a_page_wherever_that_goes(world: World) -> None:
    space = world.space("Handbook", {"intro": "One.\n", "guide": "Two.\n"})
    site = world.write(lambda tx: seed.add_site(tx, world.home, "Book"))
    shown = world.write(lambda tx: seed.add_site_space(tx, site, space))
    book = Published(world, site, {})
    ids = {name: world.page_id(space, name) for name in ("intro", "guide")}
    page = {"kind": "site-page", "siteSpaceId": shown, "pageId": ids["intro"]}
    await made(book, "/first", page)
    async with drive(open_world(world), "g r", size=(80, 24)) as driver:
        assert "/intro" in driver.line("/first")
        await driver.press("e", "tab", *["backspace"] * len("intro"))
        await driver.burst(*typed("guide"))
        await driver.press("ctrl+s")
        assert (await held(book))["/first"]["destination"] == {**page, "pageId": ids["guide"]}
        assert "/guide" in driver.line("/first")
        await driver.press("enter")
        assert driver.place.PLACE == "pages"
        assert driver.place.target.page == ids["guide"]


async def test_pages_that_the_site_shows_go_before_redirects(world: World) -> None:
    space = world.space("Handbook", {"intro": "One.\n", "guide": "Two.\n"})
    site = world.write(lambda tx: seed.add_site(tx, world.home, "Book"))
    shown = world.write(lambda tx: seed.add_site_space(tx, site, space))
    book = Published(world, site, {})
    page = {"kind": "site-page", "siteSpaceId": shown, "pageId": world.page_id(space, "intro")}
    await made(book, "/first", page)
    await made(book, "/in*", {**page, "pageId": world.page_id(space, "guide")})
    await made(book, "/guide", "https://films.example/")
    await made(book, "/book", {"kind": "site-space", "siteSpaceId": shown})
    async with drive(open_world(world, "redirects", at(book)), size=(200, 40)) as driver:
        place = driver.place
        assert isinstance(place, RedirectsPlace)
        assert place.read is not None
        told = {row.source: row.trouble for row in place.read.rows}
        assert told["/first"] == ""
        assert told["/guide"].startswith("shadowed: the site shows ")
        assert "One." in driver.screen, "the first page of the space"
        await driver.press("j", "j")
        assert "elsewhere: not read" in driver.screen


async def test_addresses_of_the_site_itself_are_drawn_as_they_may_be(world: World) -> None:
    docs = publish(world)
    await made(docs, "/escape", "https://docs.acme.test/x")
    hostile = "https://docs.acme.test/x\x1b[2J\u202ey"  # which this desk would not take
    world.store.write(lambda tx: tx.run("UPDATE site_redirect SET url = ?", hostile))
    async with drive(open_world(world, "redirects", at(docs)), size=(100, 24)) as driver:
        place = driver.place
        assert isinstance(place, RedirectsPlace)
        assert place.redirect is not None
        assert place.redirect.to == "/xy"
        await driver.press(":")
        await driver.burst(*typed("test /escape"))
        await driver.press("enter")
        assert place.said.startswith("/escape leads to /xy")


async def test_who_may_not_change_them_and_a_service_without_them_are_told(
    world: World, update_golden: bool
) -> None:
    docs = publish(world)
    reader = world.user("rea", "read")
    app = open_world(world, "redirects", at(docs), user=reader)
    async with drive(app, "ctrl+n", size=(80, 24)) as driver:
        driver.golden("redirects-empty", update=update_golden)
        assert "Changing a site needs the role create or admin" in driver.screen
    # The list is missing on this service, as on all before redirects came.
    way = Without(world)
    api = Api(BASE_URL, world.token(world.ana), transport=way)
    async with drive(open_world(world, "redirects", at(docs), api=api), size=(80, 24)) as driver:
        driver.golden("redirects-missing", update=update_golden)
        await driver.press("ctrl+n")
        assert "This service has no redirects." in driver.screen
    broken = Lossy(world)
    api = Api(BASE_URL, world.token(world.ana), transport=broken)
    broken.broken = True
    async with drive(open_world(world, "redirects", at(docs), api=api), size=(80, 24)) as driver:
        driver.golden("redirects-failing", update=update_golden)


class Without(httpx.AsyncBaseTransport):
    """The way to a desk of before redirects."""

    def __init__(self, world: World) -> None:
        self._way = Lossy(world)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        if "/redirect" in request.url.path:
            return httpx.Response(404, request=request)
        return await self._way.handle_async_request(request)


@pytest.mark.long
async def test_a_path_that_changes_offers_its_redirect_in_the_same_plan(
    world: World, update_golden: bool
) -> None:
    docs = publish(world)
    app = open_world(world, "site-structure", at(docs))
    async with drive(app, size=(140, 40)) as driver:
        await driver.press(*["j"] * 6)
        assert driver.selected == docs.ids["Legal"]
        await driver.press("e", "tab")
        await driver.burst(*typed("-notices"))
        assert "leads from /legal/*" in driver.screen
        driver.golden("structure-redirect", update=update_golden)
        await driver.press("ctrl+s", "ctrl+s")
        driver.golden("structure-redirect-plan", update=update_golden)
        assert "Redirect /legal/* to Legal, permanent" in driver.screen
        await driver.press("y")
        assert driver.place.said == "2 calls sent. u undoes them."
        (made,) = (await held(docs)).values()
        section = {"kind": "site-section", "siteSectionId": docs.ids["Legal"]}
        assert (made["source"], made["destination"]) == ("/legal/*", section)
        assert (made["captureWildcard"], made["permanent"]) == (True, True)
        assert world.row("site_section", docs.ids["Legal"])["path"] == "legal-notices"
        await driver.press("escape", "u", "y")
        assert await held(docs) == {}
        assert world.row("site_section", docs.ids["Legal"])["path"] == "legal"
        # Without it where it is not wanted, and no longer where the path is as it was.
        await driver.press("e", "tab")
        await driver.burst(*typed("-old"))
        await driver.press("tab", "right", "ctrl+s")
        await driver.resize(80, 24)
        assert "legal-old" in driver.screen
        await driver.press("ctrl+s")
        assert "links that readers kept may break" in driver.screen
        assert "Redirect /legal" not in driver.screen
        await driver.press("escape", "e", "tab", "tab", "left", "ctrl+s", "ctrl+s")
        driver.golden("structure-redirect-plan", update=update_golden)
        await driver.press("escape", "e", "tab", *["backspace"] * 4)
        await driver.press("ctrl+s", "ctrl+s")
        assert "Nothing is staged" in driver.screen
        # What is first has no path in its address, and keeps it.
        await driver.press("g g", "e")
        assert "Edit Guides" in driver.screen
        assert "leads from" not in driver.screen


async def test_no_redirect_leads_from_an_address_that_another_takes_over(world: World) -> None:
    docs = publish(world)
    async with world.api() as api:
        structure = await read_structure(api, world.home, docs.site)
    legal, status = docs.ids["Legal"], docs.ids["Status"]
    staged = SiteArrangement.on(layout_of(structure), world.home, docs.site)
    staged = staged.change_all(
        {
            legal: {"path": "status", "redirect": "/legal/*"},
            status: {"path": "legal", "redirect": "/status/*"},
        }
    )
    assert not [call for call in staged.calls() if call.what == "Redirect"]
    apart = staged.change(status, {"path": "state"})
    lines = [call.line for call in apart.calls()]
    assert lines == [
        "Status: path /status → /state",
        "Legal: path /legal → /status",
        "Redirect /legal/* to Legal, permanent",
    ]

    # Others gave it another path meanwhile: ours on top leads from that, else to theirs.
    def lines_of(arrangement: SiteArrangement) -> list[str]:
        return [call.line for call in arrangement.calls()]

    def published(paths: Mapping[str, str]) -> Layout:
        items = apart.base.items
        changed = {row: {**items[row].values, "path": path} for row, path in paths.items()}
        return apart.base.with_items(Item(row, "section", each) for row, each in changed.items())

    staged = SiteArrangement.on(apart.base, *apart.ids)
    staged = staged.change(legal, {"path": "terms", "redirect": "/legal/*"})
    rebased = staged.rebase(published({legal: "imprint"}))
    assert lines_of(rebased.arrangement) == [
        "Legal: path /imprint → /terms",
        "Redirect /imprint/* to Legal, permanent",
    ]
    (call,) = rebased.taking_theirs().calls()
    assert call.line == "Redirect /legal/* to Legal, permanent"
    assert call.note == LED_NOTE
    # Where another has that address by now, nothing stays staged.
    rebased = staged.rebase(published({legal: "imprint", status: "legal"}))
    assert not rebased.taking_theirs().dirty
    # What was not sent after its path is staged still.
    sent, left = staged.calls()
    done = published({legal: "terms"})
    assert (
        staged.after_sending(done, [sent], [left], {}).rebase(done).arrangement.calls()[0] == call
    )


async def test_an_import_is_taken_back_with_what_was_made_again_meanwhile(
    world: World, tmp_path: Path
) -> None:
    docs = publish(world)
    path = tmp_path / "moved.csv"
    path.write_text("".join(f"/{name},https://new.example/{name}\n" for name in "abcde"))
    async with drive(open_world(world, "redirects", at(docs)), size=(100, 30)) as driver:

        async def send() -> None:
            await driver.press(":")
            await driver.burst(*typed(f"import {path}"))
            await driver.press("enter", "y")
            assert sorted(await held(docs)) == ["/a", "/b", "/c", "/d", "/e"]

        await send()
        first = (await held(docs))["/a"]["id"]
        await driver.press("W", "D", "y")
        assert await held(docs, draft=True) == {}
        await driver.press("u")
        assert (await held(docs, draft=True))["/a"]["id"] != first
        await driver.press("u")  # the write on it is taken back, though it has another id
        assert "changed or removed" not in driver.screen
        assert await held(docs, draft=True) == {}
        assert "/a" in await held(docs)
        await driver.press("u")
        assert await held(docs) == {}
        assert "Undone: Import 5 redirects" in driver.screen
        # What another made of one meanwhile stays, and that is said.
        await send()
        async with world.api() as api:
            changed = SiteRedirectUpdate.model_validate({"draft": True})
            each = (await held(docs))["/c"]["id"]
            await api(ops.update_site_redirect, world.home, docs.site, each, changed)
        await driver.press("u")
        assert await held(docs) == {}
        assert list(await held(docs, draft=True)) == ["/c"]
        assert "Not undone" in driver.screen
        assert "/c: " in driver.screen
        await driver.press("escape")
        assert "5 redirects, except 1. /c: " in driver.screen


async def test_a_path_that_no_browser_asks_for_is_named(world: World) -> None:
    docs = publish(world)
    async with drive(open_world(world, "redirects", at(docs)), "ctrl+n", size=(100, 30)) as driver:
        await driver.burst(*typed("/guides/../old"))
        assert "never used: browsers take . and .. out of an address" in driver.screen
        await driver.press(*["backspace"] * len("../old"))
        await driver.burst(*typed("..old"))
        assert "never used" not in driver.screen


async def test_a_redirect_made_again_is_known_by_its_path(world: World) -> None:
    docs = publish(world)
    async with drive(open_world(world, "redirects", at(docs)), "ctrl+n", size=(100, 30)) as driver:
        await fill(driver, "/tour", "/french")
        await driver.press("e", "tab", *["backspace"] * 7)
        await driver.burst(*typed("https://films.example/"))
        await driver.press("ctrl+s", "D", "y", "u")
        assert (await held(docs))["/tour"]["destination"]["url"] == "https://films.example/"
        await driver.press("u")
        assert (await held(docs))["/tour"]["destination"]["kind"] == "site-space"
        await driver.press("ctrl+r")
        assert (await held(docs))["/tour"]["destination"]["url"] == "https://films.example/"
        await driver.press("u", "u")
        assert await held(docs) == {}


async def test_lines_that_lead_to_each_other_are_a_chain_or_a_loop(
    world: World, tmp_path: Path
) -> None:
    docs = publish(world)
    await made(docs, "/old", "https://old.example/")
    path = tmp_path / "moved.csv"
    path.write_text(
        "/a,/b\n/b,/a\n/c,/d\n/d,/e\n/e,/legal\n/f,/g\n/g,/none\n/h,/old\n/i,/a\n/j*,/j2\n"
        "/k,/l\n/l,/french,temporary\n/m,/m\n"
    )
    async with drive(open_world(world, "redirects", at(docs)), size=(140, 40)) as driver:
        await driver.press(":")
        await driver.burst(*typed(f"import {path}"))
        await driver.press("enter")
        for said in (
            "line 1: /b: a loop of lines 1 and 2: /a to /b to /a",
            "line 2: /a: a loop of lines 1 and 2: /b to /a to /b",
            "!  /c: chain: /c to /d to /e to /legal",
            "line 6: /g: the site shows nothing at /none",
            "line 7: /none: the site shows nothing at /none",
            "line 9: /a: it leads into a loop of lines 1 and 2: /a to /b to /a",
            "line 10: /j2: a loop of line 10: /j* to /j*",
            "line 13: /m: a loop of line 13: /m to /m",
            "add /h to /old, permanent",
            "add /k to /l, permanent",
            "add /l to /french, temporary",
        ):
            assert said in driver.screen, (said, driver.screen)
        await driver.press("y")
        now = await held(docs)
        assert sorted(now) == ["/c", "/d", "/e", "/h", "/k", "/l", "/old"]
        assert [now[each]["permanent"] for each in ("/c", "/l")] == [True, False]
        assert now["/c"]["destination"] == {"kind": "external", "url": "https://docs.acme.test/d"}
        await driver.press(":")
        await driver.burst(*typed(f"import {path}"))
        await driver.press("enter")
        assert "6 redirects are there already" in driver.screen

"""Searching pages: typed words, what is found, where it opens, and what cannot be looked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from copydesk.client.api import Api
from copydesk.contract.models.search import SearchSection, SpaceSearchItem
from copydesk.present.search import excerpt, lit, page_title, says
from copydesk.server import site_writes
from copydesk.session.reads.search import Hit
from copydesk.session.target import Target
from tests.drive import drive
from tests.tui.lossy import Lossy
from tests.tui.opening import open_world, typed
from tests.tui.site_world import publish
from tests.tui.steps import words
from tests.world import BASE_URL, World

NOW = datetime(2026, 3, 2, tzinfo=UTC)

TEXT = (
    "# Refunds\n\n"
    + "Nothing here.\n\n" * 40
    + "## Partial refunds\n\nA fee of ten is kept.\n\n"
    + "And more.\n\n" * 40
)


def test_words_are_lit_whatever_their_case_and_accents() -> None:
    text = lit("Café fees: a FEE \x1b[2Jis [bold]kept", "cafe fee")
    assert [text.plain[span.start : span.end] for span in text.spans] == ["Café", "fee", "FEE"]
    text = lit("文档平台的搜索 नमस्ते तब", "搜索 नमस्ते")
    assert [text.plain[span.start : span.end] for span in text.spans] == ["搜索", "नमस्ते"]
    assert "\x1b" not in text.plain
    page = SpaceSearchItem(id="P", title="Costs", path="costs")
    body = "Nine \\(9\\) costs. " + "Nothing of that here. " * 60 + "Then a late fee is due."
    hit = Hit("S", "Space", page, SearchSection(id="x", title="Late", body=body), 0, "fee")
    assert page_title(hit, NOW).plain == "Costs # Late"
    assert str(says(hit, NOW)).endswith("a late fee is due.")
    assert str(excerpt(replace(hit, words="costs"), NOW)).startswith("Nine (9) costs.")


async def test_results_follow_what_is_typed_and_open_where_they_point(
    world: World, update_golden: bool
) -> None:
    space = world.space(
        "Handbook", {"refunds": TEXT, "start": "# Start\n\nHello [bold]fee[/bold]."}
    )
    world.space("Guides", {"fees/deep": "# Deep\n\nWhat a fee is."})
    app = open_world(world)
    async with drive(app, size=(140, 40)) as driver:
        assert driver.place.rows.select(space)  # type: ignore[attr-defined]
        await driver.press("g /")
        assert "Type what to look for" in driver.screen
        await driver.burst(*"fee")
        await driver.settle()
        assert "Refunds # Partial refunds" in driver.screen
        assert "What a fee is." in driver.screen
        driver.golden("search", update=update_golden)
        await driver.resize(80, 24)
        await driver.burst(*typed(" of kept"))
        await driver.settle()
        assert "What a fee is." not in driver.screen
        await driver.press("enter")
        assert "“fee of kept”" in driver.line("copydesk")
        await driver.press("g j")
        assert "Partial refunds" in driver.screen
        await driver.press("q", "enter")
        assert driver.place.PLACE == "pages"
        assert driver.place.pane.id == "page-text"  # type: ignore[union-attr]
        assert "A fee of ten is kept." in driver.screen
        assert driver.place.text.scroll_offset.y > 20  # type: ignore[attr-defined]
        await driver.press("q", ":")
        await driver.burst(*typed("search fee"))
        await driver.press("enter")
        assert "What a fee is." in driver.screen
        # In one space, which is chosen; nothing found; too little; no such word.
        await driver.press("e")
        await driver.burst(*"hello")
        await driver.press("enter")
        assert "What a fee is." not in driver.screen
        await driver.press("f")
        await driver.burst(*"Handb")
        await driver.press("enter")
        assert "Hello [bold]fee" in driver.screen
        driver.golden("search", update=update_golden)
        await driver.press("e")
        await driver.burst(*"s xy")
        await driver.press("enter")
        await driver.settle()
        assert "No page of this space has all of these words." in words(driver)
        await driver.press("1")
        assert "No page of this organization has all of these words." in words(driver)
        assert "One or two letters are found as a whole word only." in words(driver)
    way = Lossy(world)
    way.broken = True

    def api() -> Api:
        return Api(BASE_URL, world.token(world.ana), transport=way)

    app = open_world(world, "search", Target(world.home, item="fee"), api=api)
    async with drive(app, size=(80, 24)) as driver:
        assert "Broken." in driver.screen


async def test_one_site_is_searched_and_a_hit_leads_to_its_page(world: World) -> None:
    docs = publish(world)
    world.space("Elsewhere", {"fees": "# Fees\n\nA zebra fee."})
    shown = world.space("Shown", {"fees": "# Fees\n\nA zebra fee."})
    home = world.home
    world.write(lambda tx: site_writes.add_site_space(tx, docs.site, shown))
    app = open_world(world, "search", Target(home, item="zebra"))
    async with drive(app, size=(80, 24)) as driver:
        assert "2 results" in driver.screen
        await driver.press("f")
        assert driver.line("Acme docs").rstrip("│ ┃").endswith("site")
        await driver.burst(*typed("Acme docs"))
        await driver.press("enter")
        assert "[In Acme docs]" in driver.screen
        assert "1 result" in driver.screen
        await driver.press("enter")
        assert driver.place.PLACE == "pages"
        assert driver.place.target.space == shown
        await driver.press("q")
        while driver.place.PLACE == "pages":
            await driver.press("q")
        await driver.press("e", "ctrl+u")
        await driver.burst(*typed("nothing"))
        await driver.press("enter")
        await driver.settle()
        assert "No page of this site has this word." in driver.screen

"""Blocks, tables and front matter where pages are read and where changes are reviewed."""

from __future__ import annotations

from copydesk.server.desk_writes import Editor
from copydesk.session.target import Target
from copydesk.tui.review.diff import DiffView
from copydesk.tui.widgets.text import TextView
from tests.drive import drive
from tests.present.test_blocks_of_pages import EVERY_BLOCK
from tests.tui.opening import open_world
from tests.tui.review.test_diff import changed
from tests.world import World

WIDE = """\
| Plan | Requests a minute | Burst | Regions | Support | Storage | Price |
|------|-------------------|-------|---------|---------|---------|-------|
| Free | sixty, and not one more | 20 in a second | the north | by mail alone | a gigabyte | none |
| Team | six hundred of them | 200 in a second | wherever | by telephone | a hundred | ten |
"""
"""A table that is too wide for 80 cells and fits into 140."""


async def test_a_page_of_every_block_at_both_sizes(world: World, update_golden: bool) -> None:
    space = world.space("Guide", {"all": EVERY_BLOCK.partition("---\n\n")[2]})
    for size in ((80, 24), (140, 40)):
        app = open_world(world, "pages", Target(organization=world.home, space=space))
        async with drive(app, "enter", size=size) as driver:
            driver.golden("pages-every-block", update=update_golden)


async def test_a_wide_table_turns_and_goes_sideways(world: World) -> None:
    space = world.space("Guide", {"wide": f"# Wide\n\n{WIDE}\n"})
    app = open_world(world, "pages", Target(organization=world.home, space=space))
    async with drive(app, "enter") as driver:
        assert "Requests a minute: sixty, and not one more" in driver.screen
        await driver.press("z l")
        assert "No table here goes on at the right." in driver.screen
        await driver.press("z t")
        assert "more column" in driver.screen
        assert "Price" not in driver.screen
        await driver.press("z h")
        assert "No table here begins further left." in driver.screen
        await driver.press("z l")
        assert "1 column before: zh" in driver.screen
        assert [name in driver.screen for name in ("Plan", "Requests", "Price")] == [
            True, False, True,
        ]  # fmt: skip
        await driver.press("z h")
        assert "Requests a" in driver.screen
        assert "before: zh" not in driver.screen
        await driver.press("z t")
        assert "Price: ten" in driver.screen
    async with drive(
        open_world(world, "pages", Target(organization=world.home, space=space)), size=(140, 40)
    ) as driver:
        await driver.press("l", "z t")
        assert "Price: ten" in driver.screen


async def test_what_is_set_of_a_page_reads_as_facts_and_turns_to_its_source(world: World) -> None:
    def edit(editor: Editor) -> None:
        editor.page("Plain", "# Plain\n\nText.\n", slug="plain")
        editor.page("Limits", "# Most\n\nText.\n", slug="limits", hidden=True, icon="gauge",
                    description='How "much": all')  # fmt: skip

    space = world.space("Guide")
    world.commit(space, edit=edit)
    app = open_world(world, "pages", Target(organization=world.home, space=space))
    async with drive(app, "enter", "z t") as driver:
        assert "No table and no front matter is in view." in driver.screen
        await driver.press("]")
        assert 'title Limits    slug /limits    description How "much": all' in driver.screen
        assert "icon gauge" in driver.screen
        assert "hidden true" in driver.screen
        await driver.press("z t")
        assert "│ icon: gauge" in driver.screen


async def test_code_has_colours_once_a_thread_found_them(world: World) -> None:
    source = "# C\n\n```python\ndef f():\n    return 1\n```\n\nOld.\n"
    review = changed(world, source, source.replace("Old", "New"))
    async with drive(review.app(), "z R", size=(140, 40)) as driver:
        diff = driver.place.pane
        assert isinstance(diff, DiffView)
        drawn = {text: tone for at in range(diff.rows) for line in diff.draw(at, 60)
                 for text, tone in line}  # fmt: skip
        assert drawn["def"] == "keyword"
        assert drawn["1"] == "accent"
    space = world.space("Guide", {"c": source})
    app = open_world(world, "pages", Target(organization=world.home, space=space))
    async with drive(app, "enter") as driver:
        shown = driver.place.pane
        assert isinstance(shown, TextView)
        assert "def f()" in driver.screen  # it is drawn, and that begins it
        await driver.idle()
        style = next(part.style for y in range(8) for part in shown.render_line(y)
                     if part.text == "def")  # fmt: skip
        assert style is not None
        assert style.color == shown.tone("keyword").color


async def test_a_changed_table_is_compared_cell_by_cell(world: World, update_golden: bool) -> None:
    after = WIDE.replace("sixty, and not one", "a hundred, and not one").replace("ten |", "9 |")
    review = changed(world, f"# Wide\n\n{WIDE}\n", f"# Wide\n\n{after}\n")
    async with drive(review.app(), size=(140, 40)) as driver:
        driver.golden("review-table", update=update_golden)
        await driver.press("|")
        assert "Price: {+9+}" in driver.screen
    async with drive(review.app()) as driver:
        driver.golden("review-table", update=update_golden)
        assert "Burst: 20" not in driver.screen, "what is the same is counted"
        await driver.press("z t")
        assert "Price" not in driver.screen
        assert "it differs in a column that is left out" in driver.screen, "ten is 9 there"
        await driver.press("z l")
        assert "{+a hundre" not in driver.screen
        assert "20 in a" in driver.screen
        await driver.press("z h")
        assert "{+a hundre" in driver.screen

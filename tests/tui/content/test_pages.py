"""Reading pages, driven as a person would."""

from __future__ import annotations

import pytest

from copydesk.server.desk_writes import Editor
from copydesk.session.target import Target
from copydesk.tui.content.pages import PagesPlace
from copydesk.tui.framework.place import Place
from copydesk.tui.widgets.text import TextView
from tests.drive import Driver, drive
from tests.tui.opening import open_world
from tests.world import World

PAGES = {
    "start": "# Start\n\nSee [the limits](reference/limits.md) and [us](https://acme.test).\n",
    "reference": "# Reference\n\nEverything there is.\n",
    "reference/limits": "# Limits\n\nTen requests a minute.\n\nTen more at night.\n",
    "reference/errors": "# Errors\n\nThere are none.\n",
    "end": "# End\n\nThat was it.\n",
}


@pytest.fixture
def guide(world: World) -> str:
    return world.space("Guide", PAGES)


def target(world: World, space: str, **more: str) -> Target:
    return Target(organization=world.home, space=space, **more)


def pages(driver: Driver) -> PagesPlace:
    assert isinstance(driver.place, PagesPlace)
    return driver.place


def shown(driver: Driver) -> str:
    page = pages(driver).shown_page
    return "" if page is None else page.path


async def test_the_screen_at_both_sizes(world: World, guide: str, update_golden: bool) -> None:
    for size in ((80, 24), (140, 40)):
        app = open_world(world, "pages", target(world, guide))
        async with drive(app, "j", "j", size=size) as driver:
            driver.golden("pages", update=update_golden)


async def test_narrow_the_tree_comes_first_then_the_page_then_back(
    world: World, guide: str
) -> None:
    async with drive(open_world(world, "pages", target(world, guide))) as driver:
        assert "▾ Reference" in driver.screen
        assert "Ten requests" not in driver.screen
        await driver.press("j", "j", "enter")
        assert "Ten requests a minute." in driver.screen
        assert "▾ Reference" not in driver.screen
        await driver.press("escape")
        assert "▾ Reference" in driver.screen
        await driver.press("escape")
        assert "This is the first screen. q quits." in driver.screen


async def test_next_and_previous_page_cross_the_borders_of_branches(
    world: World, guide: str
) -> None:
    app = open_world(world, "pages", target(world, guide))
    async with drive(app, size=(140, 40)) as driver:
        read = [shown(driver)]
        for _ in range(4):
            await driver.press("]")
            read.append(shown(driver))
        assert read == list(PAGES)
        await driver.press("]")
        assert "This is the last page." in driver.screen
        await driver.press("[")
        assert shown(driver) == "reference/errors"
        assert "page 4 of 5" in driver.screen
        await driver.press("h", "h")
        assert "Errors" not in driver.line("▸ Reference")
        await driver.press("]")
        assert shown(driver) == "reference/limits"


async def test_searching_in_the_page_and_filtering_the_tree(world: World, guide: str) -> None:
    async with drive(open_world(world, "pages", target(world, guide)), "/") as driver:
        await driver.type("lim")
        assert "Limits" in driver.screen
        assert "Errors" not in driver.screen
        await driver.press("enter", "j", "enter")
        await driver.press("/")
        await driver.type("night")
        await driver.press("enter")
        text = driver.place.pane
        assert isinstance(text, TextView)
        assert text.found == "night"
        await driver.press("escape")
        assert text.found == ""
        assert driver.place.pane is text


async def test_links_are_listed_and_followed(world: World, guide: str) -> None:
    world.commit(guide, {"end": "# End\n\n[gone](nowhere.md)\n"})
    app = open_world(world, "pages", target(world, guide))
    async with drive(app, "i") as driver:
        assert "page" in driver.line("Reference / Limits")
        await driver.press("j")
        assert driver.place.url() == "https://acme.test"
        await driver.press("enter")
        assert "“https://acme.test” is elsewhere" in driver.screen
        await driver.press("k", "enter")
        assert shown(driver) == "reference/limits"
        assert "Ten requests a minute." in driver.screen
        await driver.press("escape", "G", "i")
        assert "Links 1, 1 broken" in driver.screen
        await driver.press("enter")
        assert "nowhere.md” is a broken link; the text shows where. e edits it." in driver.screen
        text = driver.place.pane
        assert isinstance(text, TextView), "it is lit in the text"
        assert text.found == "nowhere.md"
        await driver.press("escape", "i")
        assert driver.place.url() is None, "o opens no page in place of the link"
        assert dict(driver.place.copies()) == {"link": "nowhere.md"}
        await driver.press("escape")
        assert "▾ Reference" in driver.screen


async def test_the_way_back_along_links(world: World, guide: str) -> None:
    world.commit(guide, {"reference/limits": "# Limits\n\nThen [the end](../end.md).\n"})
    app = open_world(world, "pages", target(world, guide))
    async with drive(app, "-", size=(140, 40)) as driver:
        assert shown(driver) == "start"
        await driver.press("i", "enter")
        assert shown(driver) == "reference/limits"
        read = []
        for key in ("-", "-"):
            await driver.press(key)
            read.append(shown(driver))
        assert read == ["start", "reference/limits"]
        await driver.press("i", "enter")
        assert shown(driver) == "end"
        read = []
        for key in ("-", "-", "-"):
            await driver.press(key)
            read.append(shown(driver))
        assert read == ["reference/limits", "start", "end"]
        await driver.press("[", "-")
        assert shown(driver) == "reference/errors"


async def test_what_others_change_is_announced_and_read_by_hand(world: World, guide: str) -> None:
    async with drive(open_world(world, "pages", target(world, guide)), size=(140, 40)) as driver:
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert "changed since they were read" not in driver.screen
        world.commit(guide, {"start": "# Start\n\nAnew.\n"})
        driver.place.read_again(by_hand=False)
        await driver.idle()
        assert "These pages changed since they were read" in driver.screen
        assert "Anew." not in driver.screen
        await driver.press("R")
        assert "Anew." in driver.screen
        assert "changed since they were read" not in driver.screen


async def test_a_page_by_name_and_one_that_is_gone(world: World, guide: str) -> None:
    app = open_world(world, "pages", target(world, guide, page="reference/errors"))
    async with drive(app, size=(140, 40)) as driver:
        assert shown(driver) == "reference/errors"
        await driver.press(":")
        await driver.type("page limits")
        await driver.press("enter")
        assert shown(driver) == "reference/limits"
        await driver.press(":")
        await driver.type("page nowhere")
        await driver.press("enter")
        assert "No page here has the name 'nowhere'." in driver.screen
        # What came since the pages were read the service finds by its path.
        world.commit(guide, {"since": "# Since\n"})
        await driver.press(":")
        await driver.type("page /since")
        await driver.press("enter")
        assert shown(driver) == "since"
        number = world.change_request(guide, {"later": "# Later\n"})
        of_request = Target(world.home, space=guide, change_request=number)
        await driver.place.desk.go("pages", of_request)
        await driver.idle()
        world.edit_change_request(number, {"latest": "# Latest\n"})
        await driver.press(":")
        await driver.type("page latest")
        await driver.press("enter")
        assert shown(driver) == "latest"
    async with drive(open_world(world, "pages", target(world, guide, page="gone"))) as driver:
        assert "Not found: the page was deleted or moved." in driver.screen


async def test_groups_links_and_hidden_pages_say_what_they_are(world: World) -> None:
    def edit(editor: Editor) -> None:
        group = editor.page("Basics", type="group", slug="basics")
        editor.page("One", "# One\n", parent=group, slug="one")
        editor.page("Elsewhere", type="link", slug="elsewhere", href="https://else.test")
        editor.page("Secret", "# Secret\n", slug="secret", hidden=True)

    space = world.space("Guide")
    world.commit(space, edit=edit)
    app = open_world(world, "pages", target(world, space))
    async with drive(app, size=(140, 40)) as driver:
        assert "Elsewhere → https://else.test" in driver.screen
        assert "Secret  hidden" in driver.screen
        assert "A group of 1 page, without text." in driver.screen
        await driver.press("enter")
        assert "▸ Basics" in driver.screen
        await driver.press("G", "k", "enter")
        assert "“Elsewhere” leads to “https://else.test”." in driver.screen


async def test_the_pages_of_a_change_request(world: World, guide: str) -> None:
    request = world.change_request(guide, {"reference/limits": "# Limits\n\nTwenty.\n"})
    app = open_world(world, "pages", target(world, guide, change_request=request))
    async with drive(app, "j", "j", "enter") as driver:
        assert "Twenty." in driver.screen
        assert "change request" in driver.screen.splitlines()[0]


async def test_a_refresh_shows_the_new_text_where_the_reader_is(world: World, guide: str) -> None:
    async with drive(open_world(world, "pages", target(world, guide)), "G", "enter") as driver:
        assert "That was it." in driver.screen
        world.commit(guide, {"end": "# End\n\nNo, it goes on.\n"})
        await driver.press("R")
        assert "No, it goes on." in driver.screen


async def test_no_pages_no_space_and_no_access(world: World) -> None:
    empty = world.space("Empty")
    async with drive(open_world(world, "pages", target(world, empty))) as driver:
        assert "This space has no pages yet." in driver.screen
        await driver.press("]")
        assert "This space has no pages to read." in driver.screen
    async with drive(open_world(world, "pages", target(world, "gone"))) as driver:
        assert "Not found: deleted or moved." in driver.screen
    world.space("Another")
    async with drive(open_world(world, "pages", Target(organization=world.home))) as driver:
        assert "No space is chosen." in driver.screen


@pytest.mark.long
async def test_a_megabyte_opens_and_hostile_text_stays_text(world: World) -> None:
    words = " and on it goes" * 8
    big = "# Big\n\n" + "\n\n".join(f"Line {n} [red]\x1b[31m{words}" for n in range(8_000))
    assert len(big) > 1_000_000
    space = world.space("Guide", {"big": big})
    async with drive(open_world(world, "pages", target(world, space)), "enter") as driver:
        assert "Line 0 [red]" in driver.screen
        await driver.press("G")
        assert "\x1b" not in driver.screen


def test_pages_is_a_place() -> None:
    assert issubclass(PagesPlace, Place)


async def test_gp_reads_the_pages_of_the_space_at_hand(world: World, guide: str) -> None:
    world.change_request(guide, {"end": "# End\n\nStill.\n"}, subject="Not the end")
    within = Target(organization=world.home, space=guide)
    for name, at in (
        ("changes", within),
        ("changes", Target(organization=world.home)),
        ("files", within),
        ("spaces", Target(organization=world.home)),
    ):
        async with drive(open_world(world, name, at)) as driver:
            await driver.press("g", "p")
            assert pages(driver).target.space == guide
            assert "▾ Reference" in driver.screen


async def test_gp_where_no_space_is_at_hand_takes_the_only_one_or_says_how_to_choose(
    world: World, guide: str
) -> None:
    async with drive(open_world(world, "changes")) as driver:
        await driver.press("g", "p")
        assert pages(driver).target.space == guide
        assert "▾ Reference" in driver.screen
    world.space("Another")
    async with drive(open_world(world, "news")) as driver:
        await driver.press("g", "p")
        assert "No space is chosen. gs lists them; gp there reads one." in driver.screen


async def test_a_space_without_change_requests_leads_to_its_pages(world: World, guide: str) -> None:
    async with drive(open_world(world, "changes", Target(world.home, guide))) as driver:
        assert "Nothing is open. ctrl+n starts a change request. gp reads the pages." in (
            driver.screen
        )
        await driver.press("g", "p")
        assert "▾ Reference" in driver.screen

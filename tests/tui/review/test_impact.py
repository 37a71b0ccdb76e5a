"""The impact of a change request: who links to what it changes, and what it breaks."""

from __future__ import annotations

import re

from copydesk.server.desk_writes import Editor
from copydesk.session.target import Target
from copydesk.tui.app import CopydeskApp
from tests.drive import drive
from tests.tui.opening import open_world
from tests.world import World

PAGES = {
    "start": "# Start\n\n[Guide](guide.md), [again](guide.md), [old](old.md).\n",
    "guide": "# Guide\n\nSee [start](start.md) and [nothing](never-was.md).\n",
    "old": "# Old\n\nIt links to the [guide](guide.md).\n",
    "still": "# Still\n\nNothing.\n",
}


def change(editor: Editor) -> None:
    editor.remove(editor.find("old"))
    editor.write(
        editor.find("guide"),
        "# Guide\n\nSee [start](start.md), [nothing](never-was.md), [more](nor-this.md).\n",
    )


def opened(world: World, *, empty: bool = False) -> CopydeskApp:
    space = world.space("Manual", PAGES)
    guide = world.page_id(space, "guide")
    world.space("Other", {"far": f"# Far\n\n[there](/spaces/{space}/pages/{guide})\n"})

    def edit(editor: Editor) -> None:
        if empty:
            editor.write(editor.find("still"), "# Still\n\nNothing at all.\n")
        else:
            change(editor)

    request = world.change_request(space, edit=edit, subject="Tidy up")
    return open_world(world, "review", Target(space=space, change_request=request))


async def test_from_a_review_to_the_links_that_break_and_those_that_point_here(
    world: World,
) -> None:
    async with drive(opened(world), "i", size=(140, 40)) as driver:
        screen = driver.screen
        # What was broken before is not the change's doing.
        assert "never-was" not in screen
        assert "breaks" in driver.line("nor-this")
        broken = [line for line in screen.splitlines() if "breaks" in line]
        assert [re.split(r"\s{2,}", line.strip("┃│ >"))[0] for line in broken] == ["Guide", "Start"]
        # One link is one row: that its target goes is why it breaks.
        assert "- Old" not in screen
        assert "a #heading exists is not checked" in screen
        # The old guide goes with the change: that it links to the guide matters to nobody.
        assert sum("~ Guide" in line for line in screen.splitlines()) == screen.count("is edited")
        assert "links broken" in screen
        await driver.press("2")
        assert "its target" not in driver.screen
        await driver.press("enter")
        assert driver.place.PLACE == "pages"
        assert "nor-this" in driver.screen, "the page as the change request has it"


async def test_a_request_that_touches_no_link_says_so(world: World) -> None:
    async with drive(opened(world, empty=True), "i") as driver:
        assert "No page links to what this change request changes" in driver.screen
        assert "0 pages link here, 0 links broken" in driver.screen

"""Reusable content, its text, its users and what a change request does to it, by keyboard."""

from __future__ import annotations

import pytest

from copydesk.server.desk_writes import Editor
from copydesk.session.target import Target
from tests.drive import drive
from tests.tui.opening import open_world
from tests.world import World

HOSTILE = "Bank\x1b[2J‮ [bold]film 🦊"
NOTE = ".gitbook/includes/note.md"


@pytest.fixture
def space(world: World) -> str:
    include = '{% include "../.gitbook/includes/note.md" %}\n'

    def fill(editor: Editor) -> None:
        editor.page("Guide", f"# Guide\n\n{include}", git_path="docs/guide.md")
        editor.page(HOSTILE, f"# It\n\n{include}", git_path="docs/it.md")
        editor.page("Else", '{% include "gone.md" %}\n', git_path="docs/else.md")
        head = f"---\ntitle: A note {HOSTILE}\n---\n".encode()
        editor.file(NOTE, head + b"Mind the *gap*.\n", kind="source")
        editor.file(".gitbook/includes/b.md", b"No one shows this.\n", kind="source")

    space = world.space("Manual")
    world.commit(space, edit=fill)
    return space


def edit(editor: Editor) -> None:
    editor.file(NOTE, b"---\ntitle: A note\n---\nMind the gaps.\n", kind="source")


async def test_reusable_content_is_shown_with_the_pages_that_use_it(
    world: World, space: str, update_golden: bool
) -> None:
    async with drive(open_world(world), "G", "g R", size=(140, 40)) as driver:
        assert driver.place.PLACE == "reusable"
        await driver.press("G", "g j")
        assert "get_space_reusable_content" in driver.screen
        await driver.press("escape")
        assert "i reads the pages that use it." in driver.screen
        await driver.press("i")
        driver.golden("reusable", update=update_golden)
        await driver.resize(80, 24)
        driver.golden("reusable", update=update_golden)
        await driver.press("escape", "k", "i")
        assert "No page uses it." in driver.screen
        await driver.press("escape", "j", "i", "enter")
        assert driver.place.PLACE == "pages"
        assert "Guide" in driver.screen


async def test_a_change_request_shows_what_it_does_to_it(world: World, space: str) -> None:
    request = world.change_request(space, edit=edit)
    base = world.row("space", space)["revision_id"]
    at = Target(world.home, space, change_request=request)
    async with drive(open_world(world, "review", at), size=(140, 40)) as driver:
        await driver.press("]")
        assert "Mind the [-*gap*-]." in driver.screen
        assert "Mind the {+gaps+}." in driver.screen
    async with drive(open_world(world, "pages", at), "g R") as driver:
        assert driver.place.PLACE == "reusable"
        await driver.press("G")
        assert "Mind the gaps." in driver.screen
        await driver.press("g j")
        assert "get_change_request_reusable_content" in driver.screen
    head = world.row("change_request", request)["revision_id"]
    target = Target(world.home, space, revision=head, item=base)
    async with drive(open_world(world, "comparison", target), size=(140, 40)) as driver:
        assert "Mind the {+gaps+}." in driver.screen


async def test_a_space_without_any_or_without_rights_says_so(world: World) -> None:
    at = Target(world.home, world.space("Empty"))
    async with drive(open_world(world, "pages", at), "g R") as driver:
        assert "This space has no reusable content" in driver.screen
    app = open_world(world, "reusable", at, user=world.user("eva", None))
    async with drive(app) as driver:
        assert "There is no space" in driver.screen

"""Links and files of a space, what leads to a page, templates and PDFs on a real desk."""

from __future__ import annotations

from pathlib import Path

import pytest

from copydesk.contract import operations as ops
from copydesk.domain.page_tree import flatten
from copydesk.server.desk_writes import Editor
from copydesk.session.target import Target
from copydesk.tui.dialogs.form import Form
from tests.drive import Driver, drive
from tests.tui.opening import open_world, typed
from tests.world import BASE_URL, World

HOSTILE = "Bank\x1b[2J\u202e [bold]film 🦊 and more of it"

PAGES = {
    "start": "# Start\n\n[Guide](guide.md), [gone](gone.md), ![one](images/one.png).\n",
    "guide": "# Guide\n\nSee [start](start.md), [gone](gone.md) and [far](https://example.org/a).\n",
    "old": "# Old\n\nIt links to the [guide](guide.md).\n",
}


def furnish(world: World) -> str:
    """Make a space whose pages have links of each kind and two files."""
    space = world.space("Manual", PAGES)
    other = world.space("Other", {"far": "# Far\n\nNothing.\n"})

    def edit(editor: Editor) -> None:
        editor.file("images/one.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 3000)
        editor.file(f"x/{HOSTILE}.txt", b"Notes")
        editor.page(HOSTILE, f"# It\n\n[in]({BASE_URL}/v1/spaces/{other})[bad](<{HOSTILE}>)\n")

    world.commit(space, edit=edit)
    address = f"{BASE_URL}/v1/spaces/{space}/content/page/{world.page_id(space, 'guide')}"
    world.commit(other, {"far": f"# Far\n\n[there]({address})\n"})
    return space


async def send(driver: Driver, line: str) -> None:
    await driver.press(":")
    await driver.burst(*typed(line))
    await driver.press("enter")


async def titles(world: World, space: str, request: str | None = None) -> list[str]:
    """Return the pages of a space or of a change request."""
    async with world.api() as api:
        if request is None:
            tree = await api(ops.list_space_pages, space)
        else:
            tree = await api(ops.list_change_request_pages, space, request)
    return [page.title for page in flatten(tree.pages)]


async def keep_typed(driver: Driver) -> None:
    """Keep what is typed in the form in front now and not in a moment: the screen counts drafts."""
    if isinstance(driver.app.screen, Form):
        driver.app.screen.keep()
        driver.app.session.touched()
        await driver.idle()


async def test_the_only_space_is_not_asked_for(world: World) -> None:
    space = world.space("Handbook")
    async with drive(open_world(world), ":") as driver:
        await driver.burst(*"files")
        await driver.press("enter")
        assert driver.place.PLACE == "files"
        assert driver.place.target.space == space
        # Who asks for the choice has it.
        await driver.press(":")
        await driver.burst(*"of")
        await driver.press("enter")
        assert "Of which space?" in driver.screen


async def test_links_and_files_lead_to_the_pages_they_stand_on(
    world: World, update_golden: bool
) -> None:
    furnish(world)
    async with drive(open_world(world), "g l", size=(140, 40)) as driver:
        driver.golden("links", update=update_golden)
        await driver.press(":")
        await driver.burst(*"of")
        await driver.press("enter", "enter")
        await driver.press("]", "]", "]")
        assert "in-app" in driver.line("Bank")
        # Page by page.
        await driver.press("s", "down", "enter")
        driver.golden("links-all", update=update_golden)
        await driver.press("/")
        await driver.burst(*"status:brok")
        await driver.press("enter")
        await driver.resize(80, 24)
        driver.golden("links-broken", update=update_golden)
        await driver.press("g j")
        assert '"locationReferences"' in driver.screen
        await driver.press("escape", "enter")
        assert driver.place.PLACE == "pages"
        assert "page 1 of 4" in driver.screen
        await driver.press("g f")
        assert driver.place.PLACE == "files"
        await driver.press("-")
        assert driver.place.PLACE == "pages"
        # What leads to the guide, from its own space and from another.
        await driver.press("escape", "j", "i", "i")
        assert driver.place.PLACE == "backlinks"
        driver.golden("backlinks", update=update_golden)
        await driver.press("G", "enter")
        assert "Far" in driver.screen
        await driver.press("q", "q", "g f")
        assert driver.place.PLACE == "files"
        await driver.resize(140, 40)
        driver.golden("files", update=update_golden)
        await driver.press("j")
        await driver.resize(80, 24)
        driver.golden("files", update=update_golden)
        assert "No page uses it." in driver.screen
        await driver.press("g j")
        assert '"downloadURL"' in driver.screen
        await driver.press("escape", "k", "enter", "enter")
        assert driver.place.PLACE == "pages"
        assert "page 1 of 4" in driver.screen
        await send(driver, "pdf")
        assert "the whole space" in driver.screen
        await driver.press("down", "enter")
        assert "save it to a file" in driver.screen
        await driver.press("down", "enter")
        assert "Opened in the browser" in driver.screen


async def test_lists_without_rows_and_without_rights_say_so(world: World) -> None:
    empty = world.space("Empty", {})
    eva = world.user("eva", None)
    at = Target(organization=world.home, space=empty)
    async with drive(open_world(world, "links", at), size=(80, 24)) as driver:
        assert "No link is broken." in driver.screen
        await driver.press("g f")
        assert "No files yet" in driver.screen
    async with drive(open_world(world, "files", at, user=eva), size=(80, 24)) as driver:
        assert "There is no space" in driver.screen
        assert "No files yet" not in driver.screen


async def test_a_change_request_has_its_files_links_and_pdf(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, update_golden: bool
) -> None:
    space = furnish(world)

    def edit(editor: Editor) -> None:
        editor.write(editor.find("start"), "# Start\n\n![two](images/two.png) [no](nope.md)\n")
        editor.file("images/two.png", b"\x89PNG\r\n\x1a\n" + b"\0" * 20)

    request = world.change_request(space, edit=edit, subject=HOSTILE)
    monkeypatch.chdir(tmp_path)
    there = tmp_path / "change-request-1.pdf"
    there.write_text("mine")
    app = open_world(world, "review", Target(world.home, space, change_request=request))
    async with drive(app, size=(80, 24)) as driver:
        await driver.press("g f")
        assert "two.png" in driver.screen
        await driver.press("G")
        driver.golden("files-of-request", update=update_golden)
        await driver.press("g j")
        assert '"downloadURL"' in driver.screen
        await driver.press("escape", "q", "g l")
        assert driver.place.PLACE == "pages"
        assert "change request" in driver.screen
        await driver.press("i")
        assert "nope.md" in driver.screen
        await driver.press("i")
        assert driver.place.PLACE == "backlinks"
        assert "Guide" in driver.screen
        await driver.press("q", "q", "q")
        await send(driver, "pdf")
        driver.golden("pdf", update=update_golden)
        await driver.press("down", "down", "enter")
        assert "save it to a file" in driver.screen
        await driver.press("enter")
        assert "Path of the new file" in driver.screen
        await driver.press("enter")
        driver.golden("pdf-saved", update=update_golden)
        assert "it is not replaced" in driver.screen
        # A path that takes none is told before anything is made for it.
        await driver.press("ctrl+u")
        await driver.burst(*typed("/dev/fd/x.pdf"))
        await driver.press("enter")
        assert "no file can be made there" in driver.screen
        await driver.press("ctrl+u")
        await driver.burst(*"new.pdf")
        await driver.press("enter")
        assert "Saved new.pdf" in driver.screen
        assert (tmp_path / "new.pdf").read_bytes().startswith(b"%PDF")
        assert there.read_text() == "mine"
        await send(driver, "pdf")
        await driver.press("enter")
        assert "save it to a file" in driver.screen
        await driver.press("down", "enter")
        assert "Opened in the browser" in driver.screen


async def test_a_template_fills_a_space_or_a_change_request(
    world: World, update_golden: bool
) -> None:
    space = world.space("Manual", {"start": "# Start\n"})
    source = world.space("Handbook kit", {"welcome": "# Welcome\n", "rules": "# [x](ref:logo)\n"})
    request = world.change_request(space, {"start": "# Start\n\nMore.\n"})
    rui = world.user("rui", "read")
    target = Target(world.home, space)
    async with drive(open_world(world, "pages", target), size=(80, 24)) as driver:
        await send(driver, "template")
        await driver.press("ctrl+s")
        assert "has to be filled in" in driver.line("Template")
        await driver.burst(*"nope")
        await driver.press("ctrl+s")
        assert "there is no such space" in driver.screen
        await driver.burst(*["backspace"] * 4)
        await driver.press("ctrl+o")
        await driver.burst(*"kit")
        await driver.press("enter")
        await keep_typed(driver)
        driver.golden("template", update=update_golden)
        await driver.press("ctrl+s")
        assert "From “Handbook kit” 2 pages and the files with them" in driver.screen
        assert "You named nothing for placeholders" in driver.screen
        await keep_typed(driver)
        driver.golden("template-asked", update=update_golden)
        await driver.press("escape")
        assert "WriteError: Not" not in driver.screen
        assert "Not sent: what you typed is kept." in driver.screen
        await driver.press("ctrl+s", "y")
        # The service tells what the template needs, and it is shown at the field.
        assert "the template needs logo" in driver.screen
        page = world.page_id(space, "start")
        await driver.burst(*typed('{"logo": {"kind": "page", "page": "' + page + '"}}'))
        await driver.press("tab", "ctrl+o")
        assert "#1 A change" in driver.screen
        await driver.press("escape", "ctrl+s", "y")
        assert "Welcome" in driver.screen
        assert await titles(world, space) == ["Start", "Welcome", "Rules"]
        await driver.press("u")
        assert "cannot be undone" in driver.screen
    app = open_world(world, "pages", target.but(change_request=request))
    async with drive(app, size=(140, 40)) as driver:
        await send(driver, "revision")
        assert '"object": "revision"' in driver.screen
        await driver.press("escape")
        await send(driver, "template")
        await driver.burst(*source)
        await driver.press("tab")
        await driver.burst(*typed('{"logo": {"kind": "page", "page": "' + page + '"}}'))
        await keep_typed(driver)
        driver.golden("template", update=update_golden)
        await driver.press("ctrl+s", "y")
        assert "Welcome" in await titles(world, space, request)
    async with drive(open_world(world, "spaces", user=rui), size=(80, 24)) as driver:
        await driver.press("G")
        await send(driver, "template")
        assert "takes the role editor" in driver.screen
        await send(driver, "revision")
        assert '"object": "revision"' in driver.screen

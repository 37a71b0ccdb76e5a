"""What a review reads of requests that touch all kinds of things: all in ``review_reads.json``.

Files, reusable contents, pages that main changed, moved and removed since, with the extensions and
without, before the merge and after it.
"""

from __future__ import annotations

from typing import Any

from copydesk.client.api import Api
from copydesk.domain.merge_run import RunItem
from copydesk.server.desk_writes import Editor
from copydesk.session.checks import read_pages
from copydesk.session.reads import conflicts, review
from tests.golden_json import compare
from tests.session.reads import told
from tests.session.reads.test_reads import Bare, of_one
from tests.session.reads.told import plain, read
from tests.tui.strange import strange
from tests.world import BASE_URL, World

NOTE = ".gitbook/includes/note.md"
PAGES = {
    name: f"# {name.title()}\n\nThe text of {name}.\n"
    for name in ("kept", "emptied", "moved", "lost", "both", "old", "twin", "again")
}


class Desk:
    """A space with a request that changes some of everything, and main that moves on."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.lee = world.user("lee", display_name="Lee Park")
        self.space = world.space("Guide", PAGES)
        world.commit(self.space, edit=self._files)
        self.request = world.change_request(self.space, edit=self._edit, subject="All of it")
        self.quiet = world.change_request(self.space, {"again": "# Again\n\nThe text of again.\n"})
        self.fine = world.change_request(self.space, edit=self._fine, subject="Fine")
        world.settle()

    @staticmethod
    def _fine(editor: Editor) -> None:
        editor.write(editor.find("again"), "# Again\n\nWritten anew.\n")
        editor.write(editor.find("twin"), "# Twin\n\nTwice.\n")
        editor.page("Fresh", "# Fresh\n\nNew here.\n")
        editor.file(NOTE, b"A finer note.\n", kind="source")
        editor.file("d.png", b"d")

    @staticmethod
    def _files(editor: Editor) -> None:
        editor.file("a.png", b"old")
        editor.file("b.png", b"b")
        editor.file(NOTE, b"A note.\n", kind="source")

    @staticmethod
    def _edit(editor: Editor) -> None:
        editor.file("a.png", b"new and longer")
        editor.file("c.png", b"c")
        del editor.draft.files["b.png"]
        editor.file(NOTE, b"Another note.\n", kind="source")
        editor.write(editor.find("emptied"), "")
        editor.move(editor.find("moved"), editor.find("kept"))
        editor.write(editor.find("both"), "# Both\n\nWritten here.\n")
        editor.write(editor.find("lost"), "# Lost\n\nWritten here.\n")
        editor.remove(editor.find("old"))
        editor.rename(editor.find("twin"), "Twin \x1b[2Jagain", "twin-again")
        editor.page("New", "# New\n\nAll of it.\n", parent=editor.find("kept"))

    def move_on(self) -> None:
        """Have main change what the request changes, too."""

        def edit(editor: Editor) -> None:
            editor.write(editor.find("both"), "# Both\n\nWritten there.\n")
            editor.remove(editor.find("lost"))
            editor.write(editor.find("kept"), "# Kept\n\nOnly there.\n")

        self.world.commit(self.space, edit=edit)
        self.world.settle()

    def run_item(self, request: str) -> RunItem:
        return RunItem(self.space, request, "#1", "All of it")

    async def merge(self) -> None:
        """Merge what is not in conflict, and have main move on again."""
        async with self.world.api() as api:
            await conflicts.merge(api, self.space, self.fine)
        self.world.commit(self.space, {"again": None, "twin": "# Twin\n\nMore.\n"})
        self.world.settle()


async def seen(desk: Desk, api: Api, request: str) -> dict[str, Any]:
    found = await of_one(desk, api, request, desk.space)
    opened = await review.read_request(api, desk.space, request)
    checked = await read(read_pages(api, opened))
    flags = opened.merged, opened.untold, [opened.lost(each) for each in opened.changes]
    return {**found, "checked": checked, "flags": plain(flags)}


async def test_without_older_versions_a_merge_is_told_by_the_list_of_its_changes(
    world: World,
) -> None:
    space = world.space("Guide", {"kept": "# Kept\n", "old": "# Old\n"})
    request = world.change_request(space, {"old": None, "kept": "# New\n"})

    def few(answer: Any) -> Any:
        told = [each for each in answer["changes"] if each["type"] == "page_deleted"]
        return {"changes": told, "more": 24}

    async with strange(world, "/changes", few, lacks="/revisions/") as api:
        await conflicts.merge(api, space, request)
        opened = await review.read_request(api, space, request)
        [change] = opened.changes
        text = await review.read_page(api, opened, change)
    assert opened.untold
    assert opened.unlooked == "only the first 1 of 25 changes were looked at"
    assert text.notes == ("This page is deleted.", review.MERGED_GONE)


async def test_what_both_texts_show_is_not_told_once_more(world: World) -> None:
    space = world.space("Guide", {"kept": "# Kept\n"})
    request = world.change_request(space, {"kept": "# New\n"})

    def more(answer: Any) -> None:
        answer["changes"][0]["attributes"] = {"icon": {"after": "gear"}}

    async with strange(world, "/changes", more) as api:
        opened = await review.read_request(api, space, request)
        [change] = opened.changes
        text = await review.read_page(api, opened, change)
    assert (change.notes, text.notes) == (("icon: now “gear”",), ())


async def test_a_review_says_of_everything_what_it_did(world: World, update_golden: bool) -> None:
    desk = Desk(world)
    service = told.Desk(world)
    bare = Api(BASE_URL, world.token(world.ana), transport=Bare(service))
    found: dict[str, Any] = {}

    async def look(when: str, request: str) -> None:
        for name, api in (("", full), (", bare", bare)):
            found[f"{when}{name}"] = await seen(desk, api, request)

    async with service.api() as full, bare:
        await look("fresh", desk.request)
        await look("the same text", desk.quiet)
        desk.move_on()
        await look("behind", desk.request)
        found["in conflict"] = await read(conflicts.merge(full, desk.space, desk.request))
        await desk.merge()
        await look("merged", desk.fine)
    compare("review_reads", found, update=update_golden, folder="session/reads")

"""What a review reads of requests that touch all kinds of things: all in ``review_reads.json``.

Files, reusable contents, pages that main changed, moved and removed since, with the extensions and
without, before the merge and after it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import MovedOut
from copydesk.domain.merge_run import RunItem
from copydesk.server.desk_writes import Editor
from copydesk.session.checks import read_pages
from copydesk.session.page_changes import REUSABLE
from copydesk.session.reads import review
from copydesk.session.writes import merges
from tests.golden_json import compare
from tests.session.reads import told
from tests.session.reads.test_reads import Bare, of_one
from tests.session.reads.told import Lacking, plain, read
from tests.tui.strange import strange
from tests.world import BASE_URL, START, World

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
            await merges.merge(api, self.space, self.fine)
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
        await merges.merge(api, space, request)
        opened = await review.read_request(api, space, request)
        [change] = opened.changes
        text = await review.read_page(api, opened, change)
    assert opened.untold
    assert opened.unlooked == "only the first 1 of 25 changes were looked at"
    assert text.notes == ("This page is deleted.", review.MERGED_GONE)


async def test_files_are_compared_with_those_that_a_request_began_with(world: World) -> None:
    space = world.space("Guide", {"kept": "# Kept\n"})

    def put(name: str) -> Callable[[Editor], None]:
        def edit(editor: Editor) -> None:
            editor.file(name, b"text")

        return edit

    world.commit(space, edit=put("a.png"))
    request = world.change_request(space, edit=put("b.png"))
    world.commit(space, edit=put("c.png"))
    async with strange(world, "?", lambda answer: answer, lacks="/changes") as api:
        opened = await review.read_request(api, space, request)
    assert [(each.node.title, each.kinds) for each in opened.changes] == [("b.png", ("added",))]


async def test_pages_that_readers_would_lose_are_told(world: World) -> None:
    space = world.space("Guide", {"kept": "# Kept\n", "old": "# Old\n"})
    request = world.change_request(space, {"old": None})

    def moved(answer: Any) -> None:
        answer["changes"][0]["movedOut"] = {"space": "s", "number": 7, "broken": []}

    async with strange(world, "/changes", moved) as api:
        opened = await review.read_request(api, space, request)
    [lost] = opened.losses
    assert lost.startswith("Old is ")


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
            service.asked()
            found[f"{when}{name}"] = await seen(desk, api, request)
            found[f"{when}{name}, asked for"] = service.asked()

    async with service.api() as full, bare:
        await look("fresh", desk.request)
        await look("the same text", desk.quiet)
        desk.move_on()
        await look("behind", desk.request)
        found["in conflict"] = await read(merges.merge(full, desk.space, desk.request))
        await desk.merge()
        await look("merged", desk.fine)
    compare("review_reads", found, update=update_golden, folder="session/reads")


async def opened_of(api: Api, space: str, request: str) -> review.OpenedRequest:
    return await review.read_request(api, space, request)


async def test_a_page_whose_text_is_not_there_is_shown_by_the_other_side(world: World) -> None:
    space = world.space("Guide", {"kept": "# Kept\n\nOld.\n", "old": "# Old\n"})
    request = world.change_request(space, {"kept": "# Kept\n\nNew.\n", "old": None})
    async with world.api() as api:
        opened = await opened_of(api, space, request)
        assert opened.version == (opened.request.revision, opened.space.revision)
        kept, old = opened.changes
        text = await review.read_page(Lacking(api, ops.get_space_page).api, opened, kept)
        assert (text.before, text.after.rstrip()) == ("", "# Kept\n\nNew.")
        assert text.notes == ("Main no longer has this page: someone deleted it since.",)
        assert await review.read_now(api, opened, kept) == "# Kept\n\nNew.\n"
        assert await review.read_now(api, opened, old) == ""
        gone = Lacking(api, ops.get_change_request_page).api
        assert await review.read_now(gone, opened, kept) == ""
        removed = await review.read_page(api, opened, old)
        assert (removed.before.rstrip(), removed.after) == ("# Old", "")
        moved = replace(kept, moved=MovedOut.model_validate({"space": "s", "text": "Moved.\n"}))
        assert (await review.read_page(api, opened, moved)).after == "Moved.\n"
        silent = replace(kept, moved=MovedOut.model_validate({"space": "s"}))
        assert (await review.read_page(api, opened, silent)).after == ""


async def test_a_merge_of_a_service_without_older_versions_is_shown_as_it_left_the_page(
    world: World,
) -> None:
    pages = {"kept": "# Kept\n", "old": "# Old\n"}
    space = world.space("Guide", pages)
    request = world.change_request(space, {"kept": "# New\n", "old": None, "added": "# Added\n"})

    async with strange(world, "?", lambda found: found, lacks="/revisions/") as api:
        await merges.merge(api, space, request)
        opened = await opened_of(api, space, request)
        texts = {
            change.node.path: await review.read_page(api, opened, change)
            for change in opened.changes
        }
        bare = Lacking(api, ops.get_change_request_page).api
        lost = await review.read_page(bare, opened, opened.changes[0])
    assert opened.untold
    shown = {path: (text.before.rstrip(), text.after.rstrip()) for path, text in texts.items()}
    assert shown == {
        "kept": ("# New", "# New"), "old": ("", ""), "added": ("", "# Added"),
    }  # fmt: skip
    assert review.MERGED in texts["kept"].notes
    assert review.MERGED_GONE in texts["old"].notes
    assert texts["added"].notes == ("New page.",)
    assert review.MERGED_GONE in lost.notes


async def test_a_reusable_content_is_compared_as_far_as_it_is_there(world: World) -> None:
    desk = Desk(world)
    async with world.api() as api:
        opened = await opened_of(api, desk.space, desk.request)
        [part] = [each for each in opened.changes if each.thing == REUSABLE]
        text = await review.read_page(api, opened, part)
        assert ("A note." in text.before, "Another note." in text.after) == (True, True)
        added = await review.read_page(api, opened, replace(part, before=None))
        assert (added.before, "Another note." in added.after) == ("", True)
        removed = await review.read_page(api, opened, replace(part, after=None))
        assert ("A note." in removed.before, removed.after) == (True, "")
        bare = Lacking(api, ops.get_space_reusable_content).api
        unread = await review.read_page(bare, opened, part)
        assert (unread.before, unread.after) == ("", "")
        untold = replace(opened, request=opened.request.model_copy(update={"status": "merged"}))
        assert untold.untold
        unread = await review.read_page(api, untold, part)
        assert (unread.before, unread.after) == ("", "")


async def test_the_newest_sides_say_what_main_wrote_since(world: World) -> None:
    desk, service = Desk(world), told.Desk(world)
    async with service.api() as api:
        opened = await opened_of(api, desk.space, desk.request)
        service.asked()
        alone = await review.read_sides(api, opened)
        assert service.trees() == {told.BARE}
        assert alone.main is None
        assert alone.request.revision == opened.request.revision
        world.clock.now += timedelta(minutes=1)
        desk.move_on()
        opened = await opened_of(api, desk.space, desk.request)
        service.asked()
        sides = await review.read_sides(api, opened)
        assert service.trees() == {told.BARE, "computed=false"}, "of main, when pages were written"
        assert sides.main is not None
        assert (sides.main.revision, sides.request.revision) == opened.version[::-1]
        assert set(sides.main.written) == {"Both", "Kept"}
        assert sides.request.written == ()
        assert opened.main_changed
        git = {"git": {"message": "Synced\x07"}}
        async with strange(world, "/content", lambda answer: answer | git) as synced:
            sides = await review.read_sides(synced, opened)
        assert (sides.request.message, sides.main and sides.main.message) == ("Synced", "Synced")
        lost = next(each for each in opened.changes if each.node.path == "lost")
        assert not opened.lost(lost), "its former text is read"


@pytest.mark.parametrize("written", ["soon", "2026-03-02T09:00:00", None])
def test_what_was_written_at_no_moment_was_not_written_since(written: Any) -> None:
    assert not review._after(written, START)
    assert review._after((START + timedelta(seconds=1)).isoformat(), START)
    assert not review._after(START.isoformat(), START)

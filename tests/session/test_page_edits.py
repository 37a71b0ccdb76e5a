"""Staged edits of pages on a real desk: compared, sent with one request, looked up, taken back."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from copydesk.client.api import Api
from copydesk.client.errors import NotFound
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequestCreate
from copydesk.domain.page_edits import MOST, PageEdit, Standing
from copydesk.domain.page_tree import flatten
from copydesk.local.journal import Journal
from copydesk.local.marks import DeskSnoozes
from copydesk.local.page_edits import DeskEdits, StagedElsewhereError
from copydesk.local.state import State
from copydesk.server.desk_writes import Editor
from copydesk.session.marks import Snoozes
from copydesk.session.page_edits import (
    EditCheck,
    SentEdits,
    StagedPages,
    check_edits,
    empty_requests,
    find_sent,
    read_main_source,
    read_source,
    requests_for,
    send_all,
    send_edits,
    unchecked,
    waits,
)
from copydesk.session.page_files import (
    LARGEST,
    FileRefusedError,
    batches,
    keep,
    pick,
    send_files,
    staged_files,
)
from copydesk.session.session import Session
from copydesk.session.writes.log import ChangedSinceError, QueuedError, UnansweredError, WriteError
from tests.session.reads import told
from tests.tui.arranging_world import Way
from tests.tui.strange import strange
from tests.world import BASE_URL, World

PNG = b"\x89PNG\r\n\x1a\n" + struct.pack(">I4sII", 13, b"IHDR", 640, 480) + b"\x08\x02"

TEXT = "# Retries\r\n\r\nAfter five failures it is dropped.\r\n\r\nAsk us.\r\n\r\nThe end."
PAGES = {
    "retries": TEXT,
    "limits": "# Limits\n\nNone.\n",
    "limits/burst": "# Burst\n\nA few.\n",
    "limits/daily": "# Daily\n\nMany.\n",
    "webhooks": "# Webhooks\n\nHooks.\n",
}


class Desk:
    """A change request, and a program that stages edits of its pages; its state is on a disk."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder = world, folder
        self.space = world.space("Handbook", PAGES)
        self.request = world.change_request(self.space, {"webhooks": "# Webhooks\n\nHooks!\n"})
        self.way = Way(world)
        self.begin()

    def begin(self) -> None:
        """Start the program, again."""
        api = Api(BASE_URL, self.world.token(self.world.ana), transport=self.way)

        async def connect() -> Api:
            return api

        self.store = State(self.folder / "state.db")
        self.session = Session(
            connect, journal=Journal(self.store, "d"), staged=DeskEdits(self.store, "d")
        )
        self.staged = StagedPages(self.session, self.space, self.request)

    def page(self, path: str) -> str:
        return self.world.page_id(self.space, path, change_request=self.request)

    async def edit(self, path: str, old: str, new: str) -> None:
        """Stage another text in a page."""
        page = self.page(path)
        api = await self.session.ready()
        revision, source = await read_source(api, self.space, self.request, page)
        assert old in source
        edit = PageEdit("update", revision, source, source.replace(old, new), title=path)
        await self.staged.stage({page: edit})

    async def others(self, path: str, text: str) -> None:
        """Let somebody else write a page."""
        self.world.edit_change_request(self.request, {path: text})

    async def send(self) -> SentEdits:
        """Compare and send what is staged."""
        api = await self.session.ready()
        check = await check_edits(api, self.space, self.request, self.staged.edits)
        await self.staged.stage(check.rebased)
        assert not check.open
        return await send_edits(self.staged, check, target="#1")

    async def text(self, path: str) -> str:
        """Return the Markdown of a page by now."""
        api = await self.session.ready()
        page = self.page(path)
        read = await api(
            ops.get_change_request_page, self.space, self.request, page, format="markdown"
        )
        return read.markdown or ""

    async def tree(self) -> list[tuple[str, str, str]]:
        """Return path, id and title of every page."""
        api = await self.session.ready()
        found = await api(ops.list_change_request_pages, self.space, self.request)
        return [(node.path, node.id, node.title) for node in flatten(found.pages)]


@pytest.fixture
def desk(world: World, tmp_path: Path) -> Desk:
    return Desk(world, tmp_path)


async def stage_all(desk: Desk) -> None:
    """Stage an edit, a title, a new page, a page deleted with those below it, and a move."""
    await desk.edit("retries", "five", "eight")
    await desk.edit("webhooks", "title: Webhooks", "title: Hooks\nicon: anchor")
    revision = desk.staged.edits[desk.page("retries")].base_revision
    await desk.staged.stage(
        {
            desk.staged.new_page(): PageEdit(
                "insert", revision, text="---\ntitle: Letters\n---\n# Letters\r\n", at=0
            ),
            desk.page("limits"): PageEdit("delete", revision, title="Limits"),
        }
    )


async def test_all_goes_with_one_request_and_one_step_takes_it_back(desk: Desk) -> None:
    before = await desk.tree()
    await stage_all(desk)
    staged = dict(desk.staged.edits)
    sent = await desk.send()
    assert len(desk.way.writes) == 1
    assert desk.staged.edits == {}
    assert [path for path, *_ in await desk.tree()] == ["letters", "retries", "webhooks"]
    assert await desk.text("retries") == TEXT.replace("five", "eight")
    assert await desk.text("letters") == "# Letters\r\n"
    assert ("webhooks", desk.page("webhooks"), "Hooks") in await desk.tree()
    assert desk.page("letters") in sent.made.values()
    assert await desk.session.reversals.undo()
    assert len(desk.way.writes) == 2
    assert await desk.tree() == before
    for path, text in PAGES.items():
        assert await desk.text(path) == text.replace("Hooks.", "Hooks!")
    await desk.staged.read()
    assert desk.staged.edits == staged


async def test_what_one_sends_and_undoes_is_read(desk: Desk) -> None:
    snoozed, api = desk.session.snoozed, await desk.session.ready()

    async def is_read() -> bool:
        now = await api(ops.get_change_request, desk.space, desk.request)
        return await snoozed.is_read(desk.request, now.revision)

    assert not await is_read()
    now = await api(ops.get_change_request, desk.space, desk.request)
    snoozed.look(desk.request, desk.session.now, now.revision)
    await desk.edit("retries", "five", "six")
    await desk.send()
    assert await is_read()
    await desk.session.reversals.undo()
    assert len(desk.way.writes) == 2
    assert await is_read()
    await desk.staged.read()
    await desk.send()
    await desk.others("limits", "# Limits\n\nMany.\n")
    assert not await is_read()
    with pytest.raises(ChangedSinceError) as told:
        await desk.session.reversals.undo()
    pasts = [each.past for each in told.value.obstacles]
    await desk.session.reversals.take_back(pasts, anyway=True)
    assert len(desk.way.writes) == 4
    assert not await is_read(), "what others wrote was not read"


async def test_a_page_of_main_is_read_with_its_revision(desk: Desk) -> None:
    api = await desk.session.ready()
    page = desk.world.page_id(desk.space, "retries")
    revision, source = await read_main_source(api, desk.space, page)
    assert revision == desk.world.row("space", desk.space)["revision_id"]
    assert "five failures" in source


async def test_a_moved_page_goes_back_to_its_place(desk: Desk) -> None:
    before = await desk.tree()
    page = desk.page("limits/daily")
    revision, source = await read_source(await desk.session.ready(), desk.space, desk.request, page)
    edit = PageEdit("update", revision, source, source, into=None, at=0, moved=True)
    await desk.staged.stage({page: edit})
    await desk.send()
    assert (await desk.tree())[0][0] == "daily"
    await desk.session.reversals.undo()
    assert await desk.tree() == before


async def test_what_others_wrote_elsewhere_on_the_page_is_kept(desk: Desk) -> None:
    await desk.edit("retries", "five", "eight")
    await desk.others("retries", TEXT.replace("The end.", "An end."))
    api = await desk.session.ready()
    check = await check_edits(api, desk.space, desk.request, desk.staged.edits)
    assert list(check.merged) == [desk.page("retries")]
    assert check.who == "Ana Silva"
    await desk.send()
    assert await desk.text("retries") == TEXT.replace("five", "eight").replace("The e", "An e")


async def test_the_same_lines_are_not_sent(desk: Desk) -> None:
    await desk.edit("retries", "five", "eight")
    await desk.edit("limits", "None", "Some")
    await desk.others("retries", TEXT.replace("five", "nine"))
    api = await desk.session.ready()
    check = await check_edits(api, desk.space, desk.request, desk.staged.edits)
    page = desk.page("retries")
    assert list(check.open) == [page]
    assert check.open[page].how == "clash"
    assert page not in check.ready
    assert desk.way.writes == []


async def test_an_edit_of_a_deleted_page_and_a_page_below_one_are_told(desk: Desk) -> None:
    await desk.edit("limits/daily", "Many", "More")
    revision = next(iter(desk.staged.edits.values())).base_revision
    new = PageEdit("insert", revision, text="# Hourly\n", into=desk.page("limits"))
    await desk.staged.stage({"new:1": new, desk.page("limits/burst"): PageEdit("delete", revision)})

    def remove(editor: Editor) -> None:
        editor.remove(editor.find("limits"))

    desk.world.edit_change_request(desk.request, edit=remove)
    api = await desk.session.ready()
    check = await check_edits(api, desk.space, desk.request, desk.staged.edits)
    assert [each.how for each in check.standings.values()] == ["gone", "gone", "there"]


@pytest.mark.parametrize("again", [False, True])
async def test_a_lost_answer_is_looked_up(desk: Desk, again: bool) -> None:
    await stage_all(desk)
    desk.way.trouble = {1: "lost"}
    if again:  # neither is it known by reading: the next look finds it there
        desk.way.trouble = {1: "blind"}
        with pytest.raises(WriteError) as error:
            await desk.send()
        assert error.value.unknown
        desk.way.reads = ""
        desk.begin()
        await desk.staged.read()
        api = await desk.session.ready()
        check = await check_edits(api, desk.space, desk.request, desk.staged.edits)
        assert {each.how for each in check.standings.values()} == {"there"}
        return
    sent = await desk.send()
    assert len(desk.way.writes) == 1
    assert [*sent.made.values()] == [desk.page("letters")]
    await desk.session.reversals.undo()
    assert "letters" not in [path for path, *_ in await desk.tree()]


@pytest.mark.parametrize("text", ["", "Many", "More"])
async def test_a_lost_answer_of_a_move_is_looked_up(desk: Desk, text: str) -> None:
    page = desk.page("limits/daily")
    await desk.edit("limits/daily", "Many", text)
    edit = desk.staged.edits.get(page) or PageEdit("update", "")
    texts = (edit.base_text, edit.text) if text else ("", "")
    await desk.staged.stage(
        {page: PageEdit("update", edit.base_revision, *texts, at=0, moved=True, title="Daily")}
    )
    desk.way.trouble = {1: "lost"}
    await desk.send()
    assert len(desk.way.writes) == 1
    assert desk.staged.edits == {}
    assert (await desk.tree())[0][:2] == ("daily", page)
    assert (text or "Many") in await desk.text("daily")


async def test_what_others_did_meanwhile_is_not_taken_for_what_was_sent(desk: Desk) -> None:
    page = desk.page("limits/daily")
    await desk.edit("limits/daily", "Many", "More")
    edit = replace(desk.staged.edits[page], moved=True, into=None, at=0)
    api = await desk.session.ready()
    check = await check_edits(api, desk.space, desk.request, {page: edit})
    ids = desk.space, desk.request
    service = told.Desk(desk.world)
    assert await find_sent(service.api(), *ids, {page: edit}, check) is None
    assert service.trees() == {told.BARE}
    await desk.others("retries", "# Retries\n\nNever.\n")
    assert await find_sent(api, *ids, {page: edit}, check) is None
    # They moved it to the same place, and wrote something else in it.
    desk.world.edit_change_request(desk.request, edit=lambda editor: editor.move(page, None, 0))
    await desk.others("daily", "# Daily\n\nMost.\n")
    with pytest.raises(UnansweredError):
        await find_sent(api, *ids, {page: edit}, check)


async def test_the_text_of_a_page_that_is_only_moved_is_not_compared(desk: Desk) -> None:
    page = desk.page("limits/daily")
    revision, source = await read_source(await desk.session.ready(), desk.space, desk.request, page)
    edit = PageEdit("update", revision, source, source, at=0, moved=True)
    await desk.others("limits/daily", "# Daily\n\nMost.\n")
    service = told.Desk(desk.world)
    async with service.api() as api:
        check = await check_edits(api, desk.space, desk.request, {page: edit})
    request = f"/spaces/{desk.space}/change-requests/{desk.request}"
    assert service.asked() == [f"GET {request}/content metadata=false computed=false"]
    assert check.standings[page].how == "same"
    assert (check.ready[page].base_text, check.ready[page].text) == ("", "")
    alone = unchecked({page: edit}, "r", check.tree)
    assert (alone.ready, alone.standings) == ({page: edit}, {page: Standing("same", edit)})


async def test_a_request_that_got_lost_is_not_taken_for_done(desk: Desk) -> None:
    await desk.edit("retries", "five", "eight")
    desk.way.trouble = {1: 500}
    with pytest.raises(WriteError):
        await desk.send()
    assert len(desk.staged.edits) == 1
    assert await desk.text("retries") == TEXT
    await desk.send()
    assert await desk.text("retries") == TEXT.replace("five", "eight")


async def test_undo_asks_where_somebody_edited_since(desk: Desk) -> None:
    await desk.edit("retries", "five", "eight")
    await desk.send()
    await desk.others("webhooks", "# Webhooks\n")
    with pytest.raises(WriteError, match="edited since"):
        await desk.session.reversals.undo()
    assert len(desk.way.writes) == 1


async def test_what_is_staged_is_there_after_a_start_and_not_overwritten(desk: Desk) -> None:
    await stage_all(desk)
    staged = dict(desk.staged.edits)
    other = desk.staged
    desk.begin()
    await desk.staged.read()
    assert desk.staged.edits == staged
    await desk.edit("retries", "five", "nine")
    with pytest.raises(StagedElsewhereError):
        await other.stage({desk.page("retries"): None})
    assert await desk.staged.take_back() == [desk.page("retries")]
    assert desk.staged.edits == staged
    await desk.staged.stage(dict.fromkeys(staged))
    assert desk.staged.edits == {}
    await desk.staged.take_back()
    assert desk.staged.edits == staged


async def test_what_takes_several_requests_goes_part_by_part_and_comes_back(desk: Desk) -> None:
    before = await desk.tree()
    revision, _ = await read_source(
        await desk.session.ready(), desk.space, desk.request, desk.page("retries")
    )
    new = {
        f"new:{nth}": PageEdit("insert", revision, text=f"# Page {nth}\n", at=nth)
        for nth in range(MOST)
    }
    below = PageEdit("insert", revision, text="# Below\n", into="new:7")
    page = desk.page("limits/daily")
    moved = PageEdit("update", revision, into="new:8", at=0, moved=True, title="Daily")
    await desk.staged.stage({**new, "new:below": below, page: moved})
    api = await desk.session.ready()
    check = await check_edits(api, desk.space, desk.request, desk.staged.edits)
    assert [len(part) for part in requests_for(check)] == [50, 2]
    desk.session.recall_seconds = 0.01
    waited: list[object] = []
    desk.session.watch(lambda: waited.extend(desk.session.writes.waits))
    sent = await send_all(desk.staged, check, target="#1")
    assert waited == [], "a program waits for no one"
    assert len(desk.way.writes) == 2
    assert desk.staged.edits == {}
    paths = [path for path, *_ in await desk.tree()]
    assert paths[:3] == ["page-0", "page-1", "page-2"]
    assert "page-7/below" in paths
    assert "page-8/daily" in paths
    assert sent.made["new:below"] == desk.page("page-7/below")
    await desk.session.reversals.undo()
    assert await desk.tree() == before
    await desk.staged.read()
    assert desk.staged.edits.keys() == {*new, "new:below", page}
    assert desk.staged.edits["new:below"].into == "new:7"
    await desk.staged.stage({page: moved})
    await desk.send()
    assert waited


@pytest.mark.parametrize("answered", [True, False])
async def test_files_go_first_and_pages_name_them_by_what_the_service_says(
    desk: Desk, tmp_path: Path, answered: bool
) -> None:
    picture = tmp_path / "Big picture.png"
    picture.write_bytes(PNG)
    file = pick(f"{picture}")
    assert file.said == "Big-picture.png, 26 bytes, 640 x 480"
    folder = desk.staged.files()
    assert keep(folder, file) == keep(folder, file) == "Big-picture.png"
    picture.write_bytes(PNG + b"!")
    assert keep(folder, pick(f"{picture}")) == "Big-picture-2.png"
    await desk.edit("retries", "Ask us.", "![One](staged:Big-picture.png) Ask us.")
    await desk.edit("limits", "None", "![Two](staged:Big-picture-2.png)")
    desk.begin()  # another start has them too
    await desk.staged.read()
    desk.way.trouble = {} if answered else {1: "lost"}
    await send_files(desk.staged, target="#1")
    assert len(desk.way.writes) == 1
    texts = [edit.text for edit in desk.staged.edits.values()]
    assert not any("staged:" in text for text in texts)
    desk.way.trouble = {2: "lost"}  # the service names the picture in another way when it is read
    page, api = desk.page("retries"), await desk.session.ready()
    edit = desk.staged.edits[page]
    await desk.send()
    assert "![One](.gitbook/assets/" in await desk.text("retries")
    more = {page: replace(edit, text=edit.text.replace("The end", "An end"))}
    check = await check_edits(api, desk.space, desk.request, more)
    assert list(check.merged) == [page], "the picture is no change by others"
    await send_files(desk.staged, target="#1")
    assert len(desk.way.writes) == 2, "what has arrived is not sent again"


@pytest.mark.long
def test_a_process_that_is_killed_leaves_the_same_bytes() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.tui.killing_edits", "--few"],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.count("the same") == 5


async def test_edits_move_to_another_request_all_or_none(desk: Desk) -> None:
    await desk.edit("retries", "five", "eight")
    await desk.edit("limits", "None", "Some")
    other = StagedPages.of(desk.session, desk.space, "other")
    assert not other.trouble
    taken = desk.staged.edits[desk.page("limits")]
    await other.stage({desk.page("limits"): taken})
    with pytest.raises(StagedElsewhereError):
        await desk.staged.move_to("other")
    assert len(desk.staged.edits) == 2
    assert len(desk.session.staged.of(desk.space, "other")) == 1
    await other.stage({desk.page("limits"): None})
    await desk.staged.move_to("other")
    assert (desk.staged.edits, desk.staged.steps) == ({}, False)
    assert other.edits.keys() == {desk.page("retries"), desk.page("limits")}
    assert len(await other.take_back()) == 2


def test_what_is_no_file_to_insert_is_not_read(tmp_path: Path) -> None:
    large, link, pipe = tmp_path / "large.bin", tmp_path / "link.png", tmp_path / "pipe"
    with large.open("wb") as file:
        file.truncate(LARGEST + 1)
    link.symlink_to(large)
    os.mkfifo(pipe)
    (tmp_path / "empty").touch()
    for path, why in (
        (large, "large.bin has 20 MB: more than 20 MB are not taken."),
        (link, "link.png is a symbolic link: name the file that it leads to."),
        (tmp_path, "is a folder: name a file in it."),
        (pipe, "pipe is not a file that can be read as a whole."),
        (tmp_path / "empty", "empty is empty."),
        (tmp_path / "gone\x1b", "cannot be read: No such file or directory."),
        ("a\0b", "cannot be read: no file can have this path."),
        (f"~{'x' * 40}/a", "cannot be read: No such file or directory."),
    ):
        with pytest.raises(FileRefusedError) as error:
            pick(str(path))
        assert why in str(error.value)
        assert "\x1b" not in str(error.value)


def test_files_are_parted_by_count_and_by_bytes() -> None:
    assert list(map(len, batches(dict.fromkeys(map(str, range(41)), 10)))) == [20, 20, 1]
    assert batches({"a": LARGEST, "b": 1, "c": LARGEST - 1}) == [["a"], ["b", "c"]]


async def test_drafts_without_pages_are_found_among_many(world: World) -> None:
    space = world.space("Handbook", PAGES)
    world.change_request(space, {"limits": "# Limits\n\nSome.\n"}, status="draft")
    async with world.api() as api, world.api(world.user("lee")) as lee:
        begin, body = ops.create_change_request, ChangeRequestCreate()
        mine = [(await api(begin, space, body)).id for _ in range(60)]
        await lee(begin, space, body)
        found = await empty_requests(api, space, await api(ops.get_current_user))
        assert {each.id for each in found} == {*mine}
        assert await empty_requests(api, space, None) == []


async def test_what_is_staged_and_cannot_be_read_is_told_and_what_is_known_stays(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await desk.edit("retries", "five", "eight")
    known, store = dict(desk.staged.edits), desk.session.staged
    reports: list[tuple[str, str]] = []
    monkeypatch.setattr(desk.session, "report", lambda *said: reports.append(said))
    for error, why in (
        (OSError(5, "Input/output error"), "Input/output error"),
        (OSError("It is gone"), "It is gone"),
    ):
        with monkeypatch.context() as broken:
            broken.setattr(store, "step", refusing(error))
            await desk.staged.read()
        assert (desk.staged.trouble, desk.staged.edits) == (why, known)
        said = f"Not all that is staged here can be read: {why}. It is kept as it is."
        assert reports[-1] == (said, "bad")
    await desk.staged.read()
    assert desk.staged.trouble == ""
    text = known[desk.page("retries")].to_text()
    monkeypatch.setattr(store, "of", lambda *_: {"odd": "{}", desk.page("retries"): text})
    await desk.staged.read()
    assert desk.staged.trouble == "what is staged of a page was kept by another version"
    assert desk.staged.edits == known
    await desk.staged.read()
    assert len(reports) == 3, "it is said once"
    monkeypatch.setattr(store, "undone", refusing(OSError(5, "Input/output error")))
    await desk.staged.stage({desk.page("retries"): None})
    assert desk.staged.edits == {}, "only what can be redone is not known"


def refusing(error: Exception) -> Any:
    def refuse(*_: object) -> None:
        raise error

    return refuse


async def test_a_step_that_was_undone_is_staged_again(desk: Desk) -> None:
    await desk.staged.read()
    assert (desk.staged.steps, desk.staged.undone) == (False, False)
    await desk.edit("retries", "five", "eight")
    await desk.edit("limits", "None", "Some")
    both = dict(desk.staged.edits)
    assert (desk.staged.steps, desk.staged.undone) == (True, False)
    assert await desk.staged.take_back() == [desk.page("limits")]
    assert (desk.staged.steps, desk.staged.undone) == (True, True)
    assert [*desk.staged.edits] == [desk.page("retries")]
    assert await desk.staged.take_again() == [desk.page("limits")]
    assert desk.staged.edits == both
    assert (desk.staged.steps, desk.staged.undone) == (True, False)
    assert await desk.staged.take_again() == []
    await desk.staged.take_back()
    await desk.staged.stage({desk.page("webhooks"): both[desk.page("retries")]})
    assert desk.staged.undone, "another page keeps nothing from being staged again"
    await desk.staged.stage({desk.page("limits"): both[desk.page("retries")]})
    assert not desk.staged.undone


def test_a_check_says_what_is_ready_open_and_unsettled() -> None:
    def edit(text: str) -> PageEdit:
        return PageEdit("update", "r", "# A\n", text)

    both = "# A\n\n<<<<<<< mine\n"
    standings = {
        "there": Standing("there", edit("# B\n")),
        "same": Standing("same", edit("# C\n")),
        "merged": Standing("merged", edit(both)),
        "clash": Standing("clash", edit("# D\n")),
    }
    check = EditCheck("r", [], standings)
    assert [*check.open] == ["clash"]
    assert [*check.merged] == ["merged"]
    assert [*check.ready] == ["same", "merged"]
    assert check.rebased["there"] is None
    assert check.unsettled == {"merged": 3}


async def test_nothing_is_sent_over_what_others_wrote_while_the_plan_was_looked_at(
    desk: Desk,
) -> None:
    await desk.edit("retries", "five", "eight")
    own = await desk.session.ready()
    check = await check_edits(own, desk.space, desk.request, desk.staged.edits)
    assert [each.how for each in check.standings.values()] == ["same"], "nobody wrote"
    assert check.unsettled == {}
    await desk.others("retries", TEXT.replace("five", "nine"))
    service = told.Desk(desk.world)
    asked = f"GET /spaces/{desk.space}/change-requests/{desk.request}"

    def nobody(answer: Any) -> None:
        answer.pop("createdBy")

    for api, who in (
        (own, "Ana Silva"),
        (service.api(), "Ana Silva"),
        (strange(desk.world, "/content", nobody), "Someone"),
        (strange(desk.world, "/content", lambda answer: {}), "Someone"),
    ):

        async def ready(api: Api = api) -> Api:
            return api

        desk.session.ready = ready  # type: ignore[method-assign]
        with pytest.raises(WriteError) as refused:
            await send_edits(desk.staged, check, target="#1", again="s shows it")
        assert str(refused.value) == f"{who} edited #1 meanwhile, nothing is sent: s shows it."
        assert desk.way.writes == []
        assert desk.staged.edits == check.ready, "it is staged still"
    assert service.asked() == [asked, f"{asked}/content metadata=false computed=false"]


async def test_a_service_that_does_not_say_what_it_made_is_not_asked_to_undo_it(
    desk: Desk,
) -> None:
    revision, _ = await read_source(
        await desk.session.ready(), desk.space, desk.request, desk.page("retries")
    )
    new = PageEdit("insert", revision, text="# Letters\n", at=0)
    await desk.staged.stage({"new:1": new})

    def alone(answer: Any) -> Any:
        return answer["changeRequest"]

    api = strange(desk.world, "/content", alone, method="POST")

    async def ready() -> Api:
        return api

    desk.session.ready = ready  # type: ignore[method-assign]
    sent = await desk.send()
    assert sent.made == {}
    assert sent.revision == desk.world.row("change_request", desk.request)["revision_id"]
    assert desk.session.reversals.undoable() is None
    assert desk.staged.edits == {}


async def test_where_the_disk_refuses_what_arrived_is_found_there_by_the_next_look(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await desk.edit("retries", "five", "eight")
    monkeypatch.setattr(desk.session.staged, "sent", refusing(OSError(28, "No space left")))
    await desk.send()
    assert desk.session.log[-1].state == "done"
    api = await desk.session.ready()
    check = await check_edits(api, desk.space, desk.request, desk.staged.edits)
    assert {each.how for each in check.standings.values()} == {"there"}


async def test_only_a_page_with_the_title_and_the_text_is_the_one_that_was_made(
    desk: Desk,
) -> None:
    api = await desk.session.ready()
    ids = desk.space, desk.request
    revision, _ = await read_source(api, *ids, desk.page("retries"))
    new = PageEdit("insert", revision, text="# Letters\n", at=0)
    gone = replace(new, kind="update", base_text="# Gone\n")
    check = unchecked({}, revision, flatten((await api(ops.list_change_request_pages, *ids)).pages))

    def add(editor: Editor) -> None:
        editor.page("Letters", "# Letters\n\nOther.\n", slug="letters")

    desk.world.edit_change_request(desk.request, edit=add)
    assert await find_sent(api, *ids, {"new:1": new}, check) is None
    assert await find_sent(api, *ids, {"gone": gone}, check) is None
    await desk.others("letters", "# Letters\n")
    sent = await find_sent(api, *ids, {"new:1": new}, check)
    assert sent is not None
    assert sent.made == {"new:1": desk.page("letters")}
    with pytest.raises(UnansweredError):
        await find_sent(api, *ids, {"new:1": new, "gone": gone}, check)


async def test_a_page_that_goes_while_it_is_read_is_gone(desk: Desk) -> None:
    await desk.edit("retries", "five", "eight")
    page = desk.page("retries")
    await desk.others("limits", "# Limits\n")
    service = await desk.session.ready()

    async def api(operation: Any, *given: Any, **more: Any) -> Any:
        if operation is ops.get_change_request_page:
            raise NotFound("It is gone.", status=404)
        return await service(operation, *given, **more)

    edits = desk.staged.edits
    check = await check_edits(cast("Api", api), desk.space, desk.request, edits)
    assert check.standings[page].how == "gone"


async def test_a_content_write_that_waits_is_known_by_its_request(desk: Desk) -> None:
    await desk.edit("retries", "five", "eight")
    desk.way.trouble = dict.fromkeys(range(1, 10), "down")
    with pytest.raises(QueuedError):
        await desk.send()
    assert waits(desk.session, desk.request)
    assert not waits(desk.session, "other")
    [entry] = desk.session.outbox.items.values()
    desk.session.outbox.items[entry.id] = replace(
        entry, request={**(entry.request or {}), "name": "update_change_request"}
    )
    assert not waits(desk.session, desk.request)
    desk.session.outbox.items[entry.id] = replace(entry, request=None)
    assert not waits(desk.session, desk.request)


@pytest.mark.parametrize("meanwhile", ["", "webhooks", "retries"])
@pytest.mark.parametrize("arrives", [True, False])
async def test_another_start_finds_out_whether_an_edit_arrived(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, arrives: bool, meanwhile: str
) -> None:
    monkeypatch.setattr("copydesk.session.writes.outbox.QUIET_SECONDS", 0.0)
    await desk.edit("retries", "five", "eight")
    held = dict(desk.staged.edits)
    desk.way.trouble = {1: "blind" if arrives else "sunk"}
    with pytest.raises(WriteError):
        await desk.send()
    desk.way.reads, desk.way.trouble = "", {}
    desk.begin()
    if meanwhile:
        await desk.others(meanwhile, "# Theirs\n")
    await desk.session.ready()
    said = await desk.session.outbox.send()
    await desk.staged.read()
    outbox = desk.session.outbox
    if meanwhile == "retries":  # nobody can tell what was there before
        assert (said, outbox.asks, desk.staged.edits) == ("", 1, held)
        [entry] = outbox.items.values()
        await outbox.send(entry.id, sure=True)
        assert "edited since" in outbox.items[entry.id].sentence
        assert await desk.text("retries") == "# Theirs\n", "that is told before it is overwritten"
    elif arrives:
        assert said == "No answer had come, but it had arrived: Edit pages of #1."
        assert (outbox.count, desk.staged.edits, len(desk.way.writes)) == (0, {}, 1)
    elif meanwhile:
        assert said == "Waits in the outbox (g x): Edit pages of #1."
        assert (outbox.asks, desk.staged.edits) == (1, held)
    else:
        assert said == "Sent from the outbox: Edit pages of #1."
        assert (outbox.count, desk.staged.edits) == (0, {})


async def test_what_another_start_sends_is_staged_no_more(desk: Desk) -> None:
    await desk.edit("retries", "five", "eight")
    await desk.edit("limits", "None", "Some")
    desk.way.trouble = dict.fromkeys(range(1, 10), "down")
    with pytest.raises(QueuedError):
        await desk.send()
    desk.begin()
    desk.way.trouble = {}
    await desk.staged.read()
    kept = desk.staged.edits[desk.page("limits")]
    again = replace(kept, text=kept.text.replace("Some", "Some more"))
    await desk.staged.stage({desk.page("limits"): again})
    assert await desk.session.outbox.send() == "Sent from the outbox: Edit pages of #1."
    await desk.staged.read()
    assert desk.staged.edits == {desk.page("limits"): again}, "it was edited since"
    assert await desk.text("retries") == TEXT.replace("five", "eight")


async def test_what_another_start_sends_is_read(desk: Desk) -> None:
    api = await desk.session.ready()
    snoozes = DeskSnoozes(desk.store, "d")
    now = await api(ops.get_change_request, desk.space, desk.request)
    snoozes.look(desk.request, desk.session.now, now.revision)
    await desk.edit("retries", "five", "eight")
    desk.way.trouble = dict.fromkeys(range(1, 10), "down")
    with pytest.raises(QueuedError):
        await desk.send()
    desk.begin()
    desk.session.snoozed = Snoozes(snoozes)
    desk.way.trouble = {}
    assert await desk.session.outbox.send() == "Sent from the outbox: Edit pages of #1."
    sent = await api(ops.get_change_request, desk.space, desk.request)
    assert sent.revision != now.revision
    assert snoozes.is_read(desk.request, sent.revision)


def test_the_files_that_go_first_are_told_with_their_sizes(tmp_path: Path) -> None:
    (tmp_path / "a.png").write_bytes(b"12345")
    (tmp_path / "b.png").write_bytes(b"123")
    edits = {
        "p": PageEdit("update", "r", "", "![A](staged:a.png) ![B](staged:b.png)"),
        "q": PageEdit("update", "r", "", "![A](staged:a.png) ![C](staged:c.png)"),
    }
    found = staged_files(tmp_path, edits)
    assert (found.sizes, found.gone) == ({"a.png": 5, "b.png": 3}, ["c.png"])
    assert found.line == "2 files first, 8 bytes: a.png, b.png"
    assert staged_files(tmp_path, {}).line == ""


@pytest.mark.parametrize(("trouble", "unknown"), [("lost", True), ("sunk", False)])
async def test_files_that_cannot_be_told_apart_are_not_taken_for_one_another(
    desk: Desk, trouble: str, unknown: bool
) -> None:
    folder = desk.staged.files()
    for name in ("a.png", "b.png"):
        (folder / name).write_bytes(PNG)
    await desk.edit("retries", "Ask us.", "![A](staged:a.png) ![B](staged:b.png)")
    desk.way.trouble = dict.fromkeys(range(1, 10), trouble)
    with pytest.raises(WriteError) as failed:
        await send_files(desk.staged, target="#1")
    assert failed.value.unknown is unknown
    [line] = desk.session.log
    assert (line.what, line.target) == ("Insert", "2 files to #1")
    [edit] = desk.staged.edits.values()
    assert "staged:a.png" in edit.text, "it is staged still"

"""Taking back a merge: main is as before it then, but for what was edited since."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequest, ChangeRequestUpdate
from copydesk.domain.page_tree import flatten
from copydesk.domain.plain_documents import document_text
from copydesk.server.desk_writes import Editor
from copydesk.session.errors import NotDoneError
from copydesk.session.merge_revert import (
    MergeRevert,
    begin_merge_revert,
    read_merge_revert,
    waits_to_be_settled,
)
from copydesk.session.page_edits import source_of
from copydesk.session.reads.spaces import read_me
from copydesk.session.settlement import NOT_ALLOWED, Settlement
from copydesk.session.writes.log import WriteError
from tests.session.reads import told
from tests.session.test_settlement import Desk
from tests.tui.strange import strange
from tests.world import World

WHY = "The numbers were wrong."


@pytest.fixture
def desk(world: World, tmp_path: Path) -> Desk:
    return Desk(world, tmp_path)


async def tree(desk: Desk) -> list[tuple[str, str | None, str]]:
    """Return id, place and text of every page of main, in order."""
    api = desk.world.api()
    nodes = flatten((await api(ops.list_space_pages, desk.space)).pages)
    found = []
    for node in nodes:
        page = await api(ops.get_space_page, desk.space, node.id, format="markdown")
        found.append((node.id, node.parent, source_of(page)))
    return found


async def merge(desk: Desk, request: str) -> None:
    api = desk.world.api()
    if (await api(ops.get_change_request, desk.space, request)).status == "draft":
        await api(
            ops.update_change_request, desk.space, request, ChangeRequestUpdate(status="open")
        )
    assert (await api(ops.merge_change_request, desk.space, request)).result == "merge"


async def taking(desk: Desk) -> MergeRevert:
    me = await read_me(desk.api)
    return await read_merge_revert(desk.session, desk.space, desk.request, me)


async def begin(desk: Desk, found: MergeRevert) -> tuple[ChangeRequest, Settlement]:
    made = found.begun
    if made is None:
        body = found.body(WHY, desk.session.clock())
        made = await desk.world.api()(ops.create_change_request, desk.space, body)
    return made, await begin_merge_revert(desk.session, found, made)


async def test_merge_taken_back_and_merged_gives_the_tree_before(desk: Desk) -> None:
    before = await tree(desk)
    await merge(desk, desk.request)
    assert await tree(desk) != before
    service = told.Desk(desk.world)
    desk.session._api = service.api()
    found = await taking(desk)
    assert told.BARE in service.trees()
    assert found.lines() == ["7 pages: 4 edited back, 2 deleted, 1 put back."]
    untold = replace(found, merged=found.merged.model_copy(update={"merged_at": None}))
    said = untold.body(WHY, desk.session.clock()).description
    assert document_text(said) == f"Reverts #1. Why: {WHY}"
    made, work = await begin(desk, found)
    assert work.open == []
    desk.world.clock.now += timedelta(minutes=1)
    again = await begin_merge_revert(desk.session, found, made)
    assert again.kept == work.kept
    await work.send()
    assert (made.subject, made.status) == ("Revert #1 A change", "draft")
    await merge(desk, made.id)
    assert await tree(desk) == before
    with pytest.raises(NotDoneError, match=r"^main is already as before #1"):
        await taking(desk)


async def test_a_page_comes_back_to_its_place_where_others_on_its_level_were_new(
    desk: Desk,
) -> None:
    def edit(editor: Editor) -> None:
        editor.page("New", "# New\n\nText.\n", index=1, slug="new")
        editor.remove(editor.find("events"))
        editor.remove(editor.find("limits/burst"))
        editor.page("Hourly", "# Hourly\n\nText.\n", parent=editor.find("limits"), index=0)

    desk.request = desk.world.change_request(desk.space, edit=edit)
    before = await tree(desk)
    await merge(desk, desk.request)
    made, work = await begin(desk, await taking(desk))
    await work.send()
    await merge(desk, made.id)
    assert await tree(desk) == before


async def test_a_file_that_the_merge_added_is_said_to_stay(desk: Desk) -> None:
    def edit(editor: Editor) -> None:
        editor.file(".gitbook/assets/pic.png", b"\x89PNG\r\n\x1a\n1")
        editor.write(editor.find("apart"), "# Apart\n\n![](.gitbook/assets/pic.png)\n")

    desk.request = desk.world.change_request(desk.space, edit=edit)
    await merge(desk, desk.request)
    found = await taking(desk)
    assert found.lines() == ["1 page: 1 edited back.", "1 file stays: pic.png."]
    description = found.body(WHY, desk.session.clock()).description
    assert "1 file stays: pic.png." in str(description)
    made, work = await begin(desk, found)
    await work.send()
    await merge(desk, made.id)
    with pytest.raises(NotDoneError, match=r"already as before #2, but 1 file stays: pic\.png$"):
        await taking(desk)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ("ab", "2 files stay: a.png and b.png."),
        ("abc", "3 files stay: a.png, b.png and c.png."),
        ("abcd", "4 files stay: a.png, b.png, c.png and 1 more."),
        ("abcde", "5 files stay: a.png, b.png, c.png and 2 more."),
    ],
)
async def test_so_many_files_that_stay_are_named(desk: Desk, files: str, said: str) -> None:
    def edit(editor: Editor) -> None:
        editor.write(editor.find("apart"), "# Apart\n\nText.\n")
        for name in files:
            editor.file(f"{name}.png", name.encode())

    desk.request = desk.world.change_request(desk.space, edit=edit)
    await merge(desk, desk.request)
    assert (await taking(desk)).lines()[1:] == [said]


async def test_what_is_not_merged_or_told_is_refused(desk: Desk) -> None:
    with pytest.raises(NotDoneError, match=r"^#1 is not merged"):
        await taking(desk)
    await merge(desk, desk.request)
    async with strange(desk.world, "?", lambda value: value, lacks="/revisions/") as bare:
        desk.session._api = bare
        with pytest.raises(
            NotDoneError, match=r"^This service shows no revisions: undo it in the app\.$"
        ):
            await taking(desk)


@pytest.mark.parametrize("letter", ["x", "語", "e\u0301"])
async def test_a_subject_is_cut_to_what_a_service_takes(desk: Desk, letter: str) -> None:
    long = (letter * 100)[:100]
    api = desk.world.api()
    await api(
        ops.update_change_request, desk.space, desk.request, ChangeRequestUpdate(subject=long)
    )
    await merge(desk, desk.request)
    made, _ = await begin(desk, await taking(desk))
    assert made.subject.startswith(f"Revert #1 {letter}")
    assert made.subject.endswith("…")
    again = await taking(desk)
    assert again.begun is not None


async def test_an_edit_between_stays_and_what_it_meets_is_settled(desk: Desk) -> None:
    before = await tree(desk)
    await merge(desk, desk.request)

    def between(editor: Editor) -> None:
        page = editor.find("retries")
        editor.write(page, editor.read(page).replace("Ask us.", "Ask Kofi."))
        editor.write(editor.find("limits"), "# Limits\n\nMuch more.\n")

    desk.world.commit(desk.space, edit=between)
    found = await taking(desk)
    assert found.lines()[1:] == ["Limits was edited since: you settle it next."]
    made, work = await begin(desk, found)
    with pytest.raises(NotDoneError, match=r"^1 hunk is open"):
        await work.send()
    await desk.world.api()(ops.get_change_request, desk.space, made.id)
    desk.work = work
    await desk.choose("main")
    await work.send()
    await merge(desk, made.id)
    now = {page: text for page, _, text in await tree(desk)}
    said = {page: text for page, _, text in before}
    changed = [page for page in said if now[page] != said[page]]
    assert len(now) == len(said)
    assert sorted("Kofi" in now[page] or "Much more" in now[page] for page in changed) == [
        True,
        True,
    ]


@pytest.mark.parametrize("trouble", ["down", "lost", 500])
async def test_a_cut_takes_nothing_away(desk: Desk, trouble: str | int) -> None:
    before = await tree(desk)
    await merge(desk, desk.request)
    made, _ = await begin(desk, await taking(desk))
    desk.begin()
    again, work = await begin(desk, await taking(desk))
    assert again.id == made.id, "one that has no pages yet goes on"
    desk.way.trouble = {len(desk.way.writes) + 1: trouble}
    try:
        await work.send()
    except WriteError:
        assert trouble != "lost"
    desk.way.trouble = {}
    desk.begin()
    work = Settlement(desk.session, desk.space, made.id)
    await work.read()
    if work.stopped:
        await work.send()
    await merge(desk, made.id)
    assert await tree(desk) == before


async def test_settings_beyond_the_text_are_taken_back_and_put_back_as_main_has_them(
    desk: Desk,
) -> None:
    page = desk.world.page_id(desk.space, "apart")

    def edit(editor: Editor) -> None:
        editor.draft.edit(page, layout={"coverSize": "hero"})

    desk.request = desk.world.change_request(desk.space, edit=edit)
    await merge(desk, desk.request)
    made, work = await begin(desk, await taking(desk))
    await work.send()
    api, read = desk.world.api(), ops.get_change_request_page
    back = await api(read, desk.space, made.id, page, format="markdown")
    assert not any(each.sides.shifted for each in work.pages), "it is where it was"
    assert back.layout is not None
    assert back.layout.cover_size == "full"
    await work.put_back()
    back = await api(read, desk.space, made.id, page, format="markdown")
    assert back.layout is not None
    assert back.layout.cover_size == "hero"


async def test_pages_that_are_put_back_stand_in_the_order_that_main_has(desk: Desk) -> None:
    def edit(editor: Editor) -> None:
        editor.move(editor.find("apart"), None, 0)

    async def order(request: str | None = None) -> list[str]:
        api = desk.world.api()
        if request is None:
            found = await api(ops.list_space_pages, desk.space)
        else:
            found = await api(ops.list_change_request_pages, desk.space, request)
        return [node.path for node in flatten(found.pages)]

    before = await order()
    desk.request = desk.world.change_request(desk.space, edit=edit)
    await merge(desk, desk.request)
    main = await order()
    assert main == ["apart", *(path for path in before if path != "apart")]
    made, work = await begin(desk, await taking(desk))
    assert [(page.title, page.sides.shifted) for page in work.pages] == [("Apart", True)]
    await work.send()
    assert await order(made.id) == before
    await work.put_back()
    assert await order(made.id) == main
    kept = work.kept
    assert kept is not None
    assert (kept.state, kept.wanted, kept.known, kept.restored) == ("open", (), "", ())


@pytest.mark.long
def test_a_process_that_is_killed_leaves_the_same_pages() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.tui.killing_settling", "--few"],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.count("the same") == 5


async def test_what_takes_a_merge_back_already_is_told(desk: Desk) -> None:
    await merge(desk, desk.request)
    found = await taking(desk)
    assert (found.begun, found.other) == (None, None)
    made, work = await begin(desk, found)
    assert await waits_to_be_settled(desk.session, made)
    again = await taking(desk)
    assert again.begun is not None
    assert again.lines()[-1] == f"#{made.number} was begun for it and has no pages yet: it goes on."
    await work.send()
    now = await desk.world.api()(ops.get_change_request, desk.space, made.id)
    assert not await waits_to_be_settled(desk.session, now), "it has pages"
    assert not await waits_to_be_settled(desk.session, made), "it was settled"
    other = await taking(desk)
    assert (other.begun, other.other and other.other.id) == (None, made.id)
    assert other.lines()[-1] == f"#{made.number} reverts it already: this begins another one."


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("/change-requests/{request}", {"revisionMerged": None}),
        ("/revisions/{merged}", {"parents": []}),
    ],
)
async def test_a_merge_whose_revisions_are_not_told_is_not_taken_back(
    desk: Desk, path: str, change: dict[str, object]
) -> None:
    await merge(desk, desk.request)
    row = desk.world.row("change_request", desk.request)
    space = desk.world.row("space", desk.space)
    at = path.format(request=desk.request, merged=space["revision_id"])
    assert row["status"] == "merged"
    async with strange(desk.world, at, lambda answer: answer | change) as bare:
        desk.session._api = bare
        with pytest.raises(NotDoneError, match=r"^This service shows no revisions: undo it in"):
            await taking(desk)


async def test_who_may_not_write_takes_nothing_back(desk: Desk) -> None:
    await merge(desk, desk.request)
    mine = {"permissions": {"edit": False}}
    async with strange(desk.world, f"/spaces/{desk.space}", lambda found: found | mine) as bare:
        desk.session._api = bare
        with pytest.raises(NotDoneError) as refused:
            await taking(desk)
    assert str(refused.value) == NOT_ALLOWED.removesuffix(".")

"""Settling on a real desk: an update never conflicts, and every page is what was chosen of it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequestUpdate, Conflict
from copydesk.contract.models.content import File
from copydesk.domain.hunks import Choice, Hunk, Side
from copydesk.domain.page_tree import flatten
from copydesk.domain.settlement import Now, Settling, Wanted
from copydesk.local.journal import Journal
from copydesk.local.runs import Settlings
from copydesk.local.state import State
from copydesk.server import change_requests, content
from copydesk.server.content import PageData
from copydesk.server.desk_writes import Editor
from copydesk.server.transaction import Tx
from copydesk.session import settlement
from copydesk.session.errors import NotDoneError
from copydesk.session.page_edits import source_of
from copydesk.session.reads.base_revision import RevisionOutline, read_revision
from copydesk.session.session import Session
from copydesk.session.settlement import (
    EditedError,
    Settlement,
    _files_of_both,
    find_cut_off,
    is_cut_off,
    keep_joined,
    update_whole,
)
from copydesk.session.writes.log import HAD_ARRIVED, RecalledError, WriteError
from copydesk.session.writes.merges import ConflictedError
from tests.drive import eventually
from tests.golden_json import compare
from tests.session.reads.told import plain
from tests.tui.arranging_world import Way
from tests.tui.strange import strange
from tests.world import BASE_URL, World

PAGES = {
    "retries": (
        "# Retries\n\nWe try again for three days.\n\nAsk us.\n\n- red apples\n- green pears\n"
    ),
    "limits": "# Limits\n\nNone.\n",
    "limits/burst": "# Burst\n\nA few.\n",
    "limits/daily": "# Daily\n\nMany.\n",
    "webhooks": "# Webhooks\n\nHooks.\n",
    "events": "# Events\n\nSome.\n",
    "apart": "# Apart\n\nOne.\n\nTwo.\n\nThree.\n",
}


def main_side(editor: Editor) -> None:
    editor.write(
        editor.find("retries"),
        PAGES["retries"].replace("three", "three working").replace("red", "ripe red"),
    )
    editor.remove(editor.find("limits"))
    editor.write(editor.find("events"), "# Events\n\nMany events.\n")
    editor.move(editor.find("webhooks"), editor.find("events"), 0)
    editor.draft.edit(editor.find("apart"), title="Far apart")
    editor.write(editor.find("apart"), PAGES["apart"].replace("One", "Main"))
    editor.page("Glossary", "# Glossary\n\nMain's.\n", slug="glossary")


def request_side(editor: Editor) -> None:
    editor.write(
        editor.find("retries"),
        PAGES["retries"].replace("three", "five").replace("green", "ripe green"),
    )
    editor.write(editor.find("limits"), "# Limits\n\nA lot.\n")
    editor.page("Weekly", "# Weekly\n\nMore.\n", parent=editor.find("limits"), slug="weekly")
    editor.remove(editor.find("events"))
    editor.move(editor.find("webhooks"), editor.find("retries"), 0)
    editor.draft.edit(editor.find("apart"), title="Apart from it")
    editor.write(editor.find("apart"), PAGES["apart"].replace("Three", "Request"))
    editor.page("Words", "# Words\n\nThe request's.\n", slug="glossary")


class Desk:
    """A request that conflicts with main, and a program that settles it; its state is on disk."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder = world, folder
        self.space = world.space("Handbook", PAGES)
        self.request = world.change_request(self.space, edit=request_side)
        self.way = Way(world)
        self.begin()

    def begin(self) -> None:
        """Start the program, again."""
        self.api = Api(BASE_URL, self.world.token(self.world.ana), transport=self.way)

        async def connect() -> Api:
            return self.api

        self.store = State(self.folder / "state.db")
        self.session = Session(
            connect, journal=Journal(self.store, "d"), settlings=Settlings(self.store, "d"),
            clock=lambda: self.world.clock.now,
        )  # fmt: skip
        self.work = Settlement(self.session, self.space, self.request)

    async def merge_main(self, edit: Callable[[Editor], None] = main_side) -> None:
        """Let another request be merged."""
        other = self.world.change_request(self.space, edit=edit)
        result = await self.world.api()(ops.merge_change_request, self.space, other)
        assert result.result == "merge"

    async def choose(self, pick: Random | Side) -> None:
        sides: tuple[Side, ...] = ("before", "request", "main", "both", "turned")
        for _, hunk in self.work.open:
            side = pick.choice(sides) if isinstance(pick, Random) else pick
            await self.work.choose({hunk.key: Choice(side)})

    async def pages(self) -> dict[str, tuple[str, str | None]]:
        """Return text and place of every page of the request, by id."""
        api = self.world.api()
        tree = await api(ops.list_change_request_pages, self.space, self.request)
        found = {}
        for node in flatten(tree.pages):
            page = await api(
                ops.get_change_request_page, self.space, self.request, node.id, format="markdown"
            )
            found[node.id] = source_of(page), node.parent
        return found

    async def matches(self, wanted: tuple[Wanted, ...]) -> None:
        """See that the request has all of main, and its pages are as wanted."""
        request = await self.world.api()(ops.get_change_request, self.space, self.request)
        assert not request.outdated
        pages = await self.pages()
        for each in wanted:
            if each.source is None:
                assert each.id not in pages
                continue
            source, parent = pages[each.id]
            assert source == each.source
            assert parent == (each.parent if each.parent in pages else None)


@pytest.fixture
def desk(world: World, tmp_path: Path) -> Desk:
    return Desk(world, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("pick", ["request", "main", "before", "both", 1, 2, 3])
async def test_every_choice_is_what_the_request_has_then(desk: Desk, pick: Side | int) -> None:
    await desk.merge_main()
    await desk.work.read()
    fields = sorted({hunk.field for _, hunk in desk.work.open})
    assert fields == ["", "address", "page", "place", "title"]
    with pytest.raises(NotDoneError, match="hunks are open"):
        await desk.work.send()
    assert desk.way.writes == []
    await desk.choose(Random(pick) if isinstance(pick, int) else pick)
    await desk.work.send()
    assert desk.work.kept is not None
    await desk.matches(desk.work.kept.wanted)
    pages = {
        source.partition("slug: ")[2].split("\n")[0]: source
        for source, _ in (await desk.pages()).values()
    }
    assert "- ripe red apples\n- ripe green pears\n" in pages["retries"]
    assert "Main" in pages["apart"]
    assert "Request" in pages["apart"]
    if pick == "request":
        assert "for five days" in pages["retries"]
        assert "More." in pages["weekly"]
        assert "The request's." in pages["glossary"]
    if pick == "main":
        assert "for three working days" in pages["retries"]
        assert "Many events." in pages["events"]
        assert "Main's." in pages["glossary"]
    merged = await desk.world.api()(ops.merge_change_request, desk.space, desk.request)
    assert merged.result == "merge"


async def test_a_page_that_is_put_back_leaves_its_address_to_main(desk: Desk) -> None:
    work = desk.work
    assert (work.pages, work.files, work.others, work.open) == ([], [], [], [])
    await desk.merge_main()
    await work.read()
    await desk.choose("request")
    await work.send()
    await work.put_back()
    words = desk.world.page_id(desk.space, "glossary-2", change_request=desk.request)
    source, _ = (await desk.pages())[words]
    assert "slug: glossary-2" in source
    assert "The request's." in source


async def test_choices_survive_and_main_may_move_on(desk: Desk) -> None:
    await desk.merge_main()
    await desk.work.read()
    await desk.choose("request")
    assert desk.work.open == []
    await desk.work.undo()
    assert len(desk.work.open) == 1
    desk.begin()
    await desk.work.read()
    assert len(desk.work.open) == 1
    await desk.choose("main")

    def more(editor: Editor) -> None:
        page = editor.find("apart")
        editor.write(page, editor.read(page).replace("Three", "Three of main"))

    await desk.merge_main(more)
    with pytest.raises(NotDoneError, match=r"^main moved on: R reads it; your choices stay$"):
        await desk.work.send()
    await desk.work.read()
    assert [page.title for page, _ in desk.work.open] == ["Apart from it"]
    await desk.choose("both")
    await desk.work.send()
    assert desk.work.kept is not None
    await desk.matches(desk.work.kept.wanted)


@pytest.mark.long
@pytest.mark.parametrize("trouble", ["down", "lost", "blind", 500])
async def test_wherever_it_is_cut_off_it_goes_on_or_back(desk: Desk, trouble: str | int) -> None:
    await desk.merge_main()
    before = await desk.pages()
    for at in (1, 2, 3):
        desk.begin()
        await desk.work.read()
        await desk.choose("request")
        desk.way.trouble = {len(desk.way.writes) + at: trouble}
        try:
            await desk.work.send()
        except (WriteError, NotDoneError, OSError):
            pass
        else:
            assert trouble == "lost"
        desk.way.trouble, desk.way.reads = {}, ""
        desk.begin()
        await desk.work.read()
        if at == 3:
            if desk.work.stopped:
                await desk.work.send()
            assert desk.work.kept is not None
            await desk.matches(desk.work.kept.wanted)
        elif desk.work.stopped:
            await desk.work.put_back()
            now = await desk.pages()
            assert {page: now[page] for page in before} == before


async def test_what_a_service_joined_in_spite_of_conflicts_is_settled_by_one_write(
    desk: Desk,
) -> None:
    before = await desk.api(ops.get_change_request, desk.space, desk.request)
    await desk.merge_main()
    main = (await desk.api(ops.get_space, desk.space)).revision
    page = desk.world.page_id(desk.space, "retries", change_request=desk.request)
    desk.world.write(
        lambda tx: change_requests.edit_branch(
            tx, desk.request, desk.world.ana,
            lambda editor: editor.write(page, "Both of it.\n"), contains=main,
        )
    )  # fmt: skip
    now = await desk.api(ops.get_change_request, desk.space, desk.request)
    both = Conflict.model_validate({"page": {"id": page, "title": "Retries", "path": "retries"}})
    clash = ConflictedError("updated, but not clean", [both, Conflict()], now)
    await keep_joined(desk.session, clash, before.revision_initial or "", before.revision)
    kept = desk.session.settlings.load(f"{desk.space} {desk.request}")
    assert kept is not None
    assert (kept.how, kept.named, kept.head) == ("joined", (page,), before.revision)
    await desk.merge_main(files(later=1))
    await desk.work.read()
    assert desk.work.kept is not None
    assert desk.work.kept.main == main, "what main became since was not joined"
    assert "retries" in {each.title.lower() for each, _ in desk.work.open}
    await desk.choose("main")
    await desk.work.send()
    assert len(desk.way.writes) == 1
    assert "for three working days" in (await desk.pages())[page][0]
    assert desk.work.restored is True
    await desk.session.reversals.undo()
    assert "for five days" in (await desk.pages())[page][0]


async def test_undo_gives_no_page_an_address_that_a_page_of_main_has(desk: Desk) -> None:
    await desk.merge_main()
    await desk.work.read()
    await desk.choose("main")
    await desk.work.send()
    assert desk.work.restored
    await desk.session.reversals.undo()
    tree = await desk.world.api()(ops.list_change_request_pages, desk.space, desk.request)
    there = {node.slug: node.id for node in flatten(tree.pages)}
    texts = {page: text for page, (text, _) in (await desk.pages()).items()}
    assert "Main's." in texts[there["glossary"]]
    assert [slug for slug, page in there.items() if "The request's." in texts[page]] == [
        "glossary-2"
    ]
    assert "for five days" in texts[there["retries"]]


async def test_what_one_write_cannot_give_back_is_not_undone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await desk.merge_main()
    monkeypatch.setattr(settlement, "MOST", 1)
    await desk.work.read()
    await desk.choose("main")
    await desk.work.send()
    assert desk.work.kept is not None
    await desk.matches(desk.work.kept.wanted)
    assert not desk.work.restored
    assert desk.session.reversals.undoable() is None


async def test_what_somebody_edits_meanwhile_is_not_lost(desk: Desk) -> None:
    await desk.merge_main()
    await desk.work.read()
    await desk.choose("request")
    desk.way.trouble = {2: 500}
    with pytest.raises(WriteError):
        await desk.work.send()
    assert [line.what for line in desk.session.log] == ["Begin to settle conflicts of"] * 2
    page = desk.world.page_id(desk.space, "retries", change_request=desk.request)
    desk.world.edit_change_request(desk.request, edit=lambda editor: editor.write(page, "Lee's.\n"))
    with pytest.raises(EditedError, match=r"^Retries was edited meanwhile$"):
        await desk.work.send()
    assert (await desk.pages())[page][0].endswith("Lee's.\n")
    assert desk.work.stopped
    assert await desk.work.put_back() == ["Retries"]
    assert (await desk.pages())[page][0].endswith("Lee's.\n")
    await goes_on_with(desk, "Lee's.")


async def goes_on_with(desk: Desk, said: str) -> None:
    """See that what somebody edited is read again, chosen and sent."""
    assert not desk.work.stopped
    await desk.work.read()
    await desk.choose("request")
    await desk.work.send()
    page = desk.world.page_id(desk.space, "retries", change_request=desk.request)
    assert said in (await desk.pages())[page][0]


async def test_what_is_edited_before_anything_is_sent_is_read_again(desk: Desk) -> None:
    await desk.merge_main()
    await desk.work.read()
    await desk.choose("request")
    page = desk.world.page_id(desk.space, "retries", change_request=desk.request)
    desk.world.edit_change_request(desk.request, edit=lambda editor: editor.write(page, "Lee's.\n"))
    with pytest.raises(EditedError, match=r"^Retries was edited meanwhile: R reads it; your"):
        await desk.work.send()
    assert desk.way.writes == []
    await goes_on_with(desk, "Lee's.")


def files(**sizes: int) -> Callable[[Editor], None]:
    """Return an edit that writes pictures of so many bytes, or with 0 takes one away."""

    def edit(editor: Editor) -> None:
        for name, size in sizes.items():
            path = f"{name}\x1b[31m.png"
            if size:
                editor.file(path, b"x" * size)
            else:
                del editor.draft.files[path]

    return edit


def both(*edits: Callable[[Editor], None]) -> Callable[[Editor], None]:
    """Return edits as one."""

    def edit_all(editor: Editor) -> None:
        for edit in edits:
            edit(editor)

    return edit_all


async def with_files(desk: Desk) -> None:
    """Begin with two pictures that both sides change, one that main drops, and one of each."""
    await desk.merge_main(files(one=5, two=6, gone=7))
    desk.request = desk.world.change_request(
        desk.space, edit=both(request_side, files(one=1_200, two=20, gone=30, new=40))
    )
    await desk.merge_main(both(main_side, files(one=70, two=80, gone=0, new=90)))
    desk.begin()


async def sizes(desk: Desk) -> dict[str, int]:
    found = desk.world.api().pages(ops.list_change_request_files, desk.space, desk.request)
    return {file.name[0]: file.size or 0 async for file in found}


@pytest.mark.parametrize("trouble", [None, 1, 2, 3, 4])
async def test_files_that_both_changed_are_taken_from_the_side_that_is_chosen(
    desk: Desk, trouble: int | None
) -> None:
    await with_files(desk)
    await desk.work.read()
    said = {file.title: file.said for file in desk.work.files}
    assert said["one.png"] == {"before": "5 bytes", "request": "1,200 bytes", "main": "70 bytes"}
    assert said["gone.png"]["main"] == said["new.png"]["before"] == "not there"
    sides: dict[str, Side] = {"one.png": "request", "new.png": "request"}
    for part, hunk in desk.work.open:
        await desk.work.choose({hunk.key: Choice(sides.get(part.title, "main"))})
    await desk.work.undo()
    with pytest.raises(NotDoneError, match=r"^1 hunk is open"):
        await desk.work.send()
    for part, hunk in desk.work.open:
        await desk.work.choose({hunk.key: Choice(sides.get(part.title, "main"))})
    if trouble is not None:
        desk.way.trouble = {trouble: 500}
        with suppress(WriteError):
            await desk.work.send()
        desk.way.trouble = {}
        desk.begin()
        await desk.work.read()
    await desk.work.send()
    assert await sizes(desk) == {"o": 1_200, "t": 80, "n": 40}
    request = await desk.world.api()(ops.get_change_request, desk.space, desk.request)
    assert not request.outdated
    assert (await desk.world.api()(ops.merge_change_request, desk.space, desk.request)).revision


async def test_a_file_that_was_edited_after_the_choice_is_not_thrown_away(desk: Desk) -> None:
    await with_files(desk)
    await desk.work.read()
    for _, hunk in desk.work.open:
        await desk.work.choose({hunk.key: Choice("main")})
    desk.world.edit_change_request(desk.request, {"zebra": "# Zebra\n"})
    desk.world.edit_change_request(desk.request, edit=files(one=999))
    kept, now, gone = desk.work.kept, desk.work.now, Now({}, {}, {})
    assert kept is not None
    assert now is not None
    there = desk.work.files
    removed = Hunk("was", "main's", "", field="file")
    desk.work.files = [replace(there[0], ids={"main": "f"}, hunks=(removed,))]
    desk.work._look_at_others(replace(kept, known="older"), now, gone, {"other": "content"})
    desk.work.files = there
    with pytest.raises(NotDoneError, match="png was edited meanwhile"):
        await desk.work.send()
    assert desk.way.writes == []
    await desk.work.read()
    assert [part.title for part, _ in desk.work.open] == ["one.png"]
    for _, hunk in desk.work.open:
        await desk.work.choose({hunk.key: Choice("request")})
    desk.world.edit_change_request(desk.request, {"zebra": "# Zebras\n"})
    await desk.work.send()
    assert (await sizes(desk))["o"] == 999


async def test_a_file_whose_size_no_one_tells_is_of_unknown_size(desk: Desk) -> None:
    await with_files(desk)

    def without_sizes(revision: dict[str, Any]) -> None:
        for file in revision["files"]:
            file.pop("size", None)

    main = (await desk.api(ops.get_space, desk.space)).revision
    async with strange(desk.world, f"/revisions/{main}", without_sizes) as service:
        desk.session._api = service
        await desk.work.read()
    said = {file.title: file.said["main"] for file in desk.work.files}
    assert said == {
        "gone.png": "not there", "new.png": "of unknown size",
        "one.png": "of unknown size", "two.png": "of unknown size",
    }  # fmt: skip


def test_files_that_both_added_at_one_path_are_one_where_their_contents_differ() -> None:
    def outline(*files: tuple[str, str, int]) -> RevisionOutline:
        made = [
            {"id": key, "name": path, "size": size, "git": {"oid": "", "path": path}}
            for key, path, size in files
        ]
        return RevisionOutline("r", (), [File.model_validate(each) for each in made])

    old = ("old", "old.png", 1)
    found = _files_of_both(
        outline(old),
        outline(old, ("m1", "one.png", 1), ("m2", "two.png", 2), ("m3", "", 3), ("m4", "m.png", 4)),
        outline(old, ("r1", "one.png", 5), ("r2", "two.png", 2), ("r3", "", 6), ("r4", "r.png", 4)),
    )
    assert [(file.title, file.ids, file.said) for file in found] == [
        (
            "one.png",
            {"request": "r1", "main": "m1"},
            {"before": "not there", "request": "5 bytes", "main": "1 byte"},
        )
    ]


async def test_a_service_without_a_choice_of_files_has_them_settled_elsewhere(desk: Desk) -> None:
    await with_files(desk)
    desk.api.routes._note({ops.pull_change_request_updates_with_files.route: False})
    await desk.work.read()
    assert desk.work.files == []
    assert [file.title for file in desk.work.others] == [
        "gone.png", "new.png", "one.png", "two.png",
    ]  # fmt: skip
    assert desk.work.others[2].elsewhere == (
        "Both changed one.png. Settle it in the app (o): "
        "before 5 bytes, this change request 1,200 bytes, main 70 bytes."
    )
    await desk.choose("request")
    with pytest.raises(NotDoneError, match=r"gone.png\. Settle it in the app .*[^.]$"):
        await desk.work.send()
    assert desk.way.writes == []


def layout(size: str, **others: object) -> Callable[[Editor], None]:
    """Return an edit of a page whose text conflicts, with other settings."""

    def edit(editor: Editor) -> None:
        page = editor.find("retries")
        editor.draft.edit(page, layout={"coverSize": size}, **others)
        editor.write(page, PAGES["retries"].replace("three", f"{size} three"))

    return edit


def with_main(editor: Editor) -> None:
    page = editor.find("retries")
    editor.draft.edit(page, cover={"yPos": 7})
    editor.write(page, PAGES["retries"].replace("three", "four"))


def with_front(editor: Editor) -> None:
    page = editor.find("retries")
    editor.draft.edit(page, front_matter="---\nlabel: main\n---\n")
    editor.write(page, PAGES["retries"].replace("three", "four"))


def data_of(desk: Desk, request: str) -> PageData:
    """Return the page that conflicts as the desk keeps it in a request."""
    page = desk.world.page_id(desk.space, "retries", change_request=request)

    def read(tx: Tx) -> PageData:
        revision = tx.value("SELECT revision_id FROM change_request WHERE id = ?", request)
        return content.open_draft(tx, content.load(tx, revision)).pages[page]

    return desk.world.write(read)


async def other_settling(desk: Desk, edit: Callable[[Editor], None]) -> Settlement:
    request = desk.world.change_request(desk.space, edit=edit)
    desk.request = request
    return Settlement(desk.session, desk.space, request)


async def test_settings_beyond_the_text_are_merged_by_name(desk: Desk) -> None:
    work = await other_settling(desk, layout("hero", front_matter="---\nlabel: mine\n---\n"))
    await desk.merge_main(with_main)
    await work.read()
    assert {hunk.field for _, hunk in work.open} == {""}
    await work.choose({hunk.key: Choice("request") for _, hunk in work.open})
    await work.send()
    page = data_of(desk, desk.request)
    assert (page.layout, page.cover) == ({"coverSize": "hero"}, {"yPos": 7})
    assert page.front_matter == "---\nlabel: mine\n---\n"


@pytest.mark.parametrize("side", ["request", "main"])
async def test_settings_that_both_changed_are_asked(desk: Desk, side: Side) -> None:
    work = await other_settling(desk, layout("hero"))
    await desk.merge_main(layout("background"))
    await work.read()
    assert {hunk.field for _, hunk in work.open} == {"", "layout"}
    before = data_of(desk, desk.request)
    await work.choose({hunk.key: Choice(side) for _, hunk in work.open})
    desk.way.trouble = {len(desk.way.writes) + 2: 500}
    with pytest.raises(WriteError):
        await work.send()
    desk.way.trouble = {}
    assert data_of(desk, desk.request).layout == {"coverSize": "background"}
    await work.put_back()
    assert work.kept is not None
    assert work.kept.wanted == ()
    assert data_of(desk, desk.request).layout == before.layout
    await work.read()
    await work.send()
    size = "hero" if side == "request" else "background"
    assert data_of(desk, desk.request).layout == {"coverSize": size}


async def test_settings_that_no_write_makes_are_told_before_anything_is_sent(desk: Desk) -> None:
    work = await other_settling(desk, layout("hero"))

    def main(editor: Editor) -> None:
        layout("background", cover={"yPos": 7})(editor)

    await desk.merge_main(main)
    await work.read()
    await work.choose({hunk.key: Choice("request") for _, hunk in work.open})
    with pytest.raises(NotDoneError, match=r"^No call writes layout, cover of Retries together"):
        await work.send()
    assert desk.way.writes == []


@pytest.mark.parametrize(("side", "size"), [("request", "hero"), ("before", "")])
async def test_settings_that_nobody_tells_are_asked_when_an_update_conflicts(
    desk: Desk, side: Side, size: str
) -> None:
    mine, shown = "---\nlabel: mine\n---\n", {"coverSize": size} if size else None

    def edit(editor: Editor) -> None:
        page = editor.find("retries")
        editor.draft.edit(page, front_matter=mine, layout=shown)
        editor.write(page, PAGES["retries"].replace("three", "five"))

    work = await other_settling(desk, edit)
    await desk.merge_main(with_front)
    await work.read()
    await work.choose({hunk.key: Choice("request") for _, hunk in work.open})
    with pytest.raises(WriteError, match="conflict"):
        await work.send()
    assert [hunk.field for _, hunk in work.open] == ["settings"]
    await work.choose({hunk.key: Choice(side) for _, hunk in work.open})
    await work.send()
    page = data_of(desk, desk.request)
    assert (page.front_matter, page.layout) == (mine if size else None, shown)


async def test_without_what_both_sides_began_with_all_that_differs_is_asked(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await desk.merge_main()
    began = (await desk.api(ops.get_change_request, desk.space, desk.request)).revision_initial

    async def newer(api: Api, space: str, revision: str) -> RevisionOutline | None:
        return None if revision == began else await read_revision(api, space, revision)

    monkeypatch.setattr(settlement, "read_revision", newer)
    await desk.work.read()
    asked = {(page.title, hunk.field) for page, hunk in desk.work.open}
    assert asked == {("Retries", ""), ("Apart from it", ""), ("Apart from it", "title")}


@pytest.mark.parametrize("pick", ["main", 4])
async def test_settling_reads_both_sides_and_sends_what_was_chosen(
    desk: Desk, pick: Side | int, update_golden: bool
) -> None:
    await with_files(desk)
    work = desk.work
    await work.read()
    assert not work.stopped
    found = {
        "pages": plain(work.pages), "files": plain(work.files), "kept": plain(work.kept),
        "staying": work.staying, "idle": work.idle, "elsewhere": work.elsewhere,
        "names": [work.page_name(page.id) for page in work.pages], "refused": work.refused,
    }  # fmt: skip
    assert work.page_name("gone\x07") == "gone"
    await desk.choose(Random(pick) if isinstance(pick, int) else pick)
    told: list[bool] = []
    await work.send(tell=lambda: told.append(work.under_way))
    assert set(told) == {True}
    assert not work.under_way
    assert all(line.now for line in desk.session.log), "none waits in the outbox"
    found["sent"] = desk.way.sent
    found["asked"] = sorted(each for each in desk.way.queries if desk.space in each)
    found["log"] = [f"{line.what} {line.target}: {line.state}" for line in desk.session.log]
    found["after"] = plain(work.kept)
    await work.read()
    found["read again"] = [plain(work.kept), plain(work.pages), work.new]
    compare(f"settling-{pick}", found, update=update_golden, folder="session")


@pytest.mark.parametrize("moment", ["before", "after"])
async def test_the_next_program_is_led_back_to_what_was_cut_off(desk: Desk, moment: str) -> None:
    await desk.merge_main()
    await desk.work.read()
    await desk.choose("request")
    assert not await is_cut_off(desk.session, desk.space, desk.request)
    assert await find_cut_off(desk.session) == ""
    desk.way.trouble = {1: moment}
    sending = asyncio.create_task(desk.work.send())
    await desk.way.held_up.wait()
    desk.store.close()
    desk.begin()
    number = desk.world.row("change_request", desk.request)["number"]
    assert await is_cut_off(desk.session, desk.space, desk.request)
    assert not await is_cut_off(desk.session, desk.space, "another")
    assert (await find_cut_off(desk.session)).startswith(f"Settling #{number}")
    writes = len(desk.way.writes)
    with pytest.raises(NotDoneError, match=r"^settling it was cut off"):
        await update_whole(desk.session, desk.api, desk.space, desk.request)
    assert len(desk.way.writes) == writes
    await desk.work.read()
    assert desk.work.stopped
    await desk.work.send()
    assert desk.work.kept is not None
    await desk.matches(desk.work.kept.wanted)
    assert not await is_cut_off(desk.session, desk.space, desk.request)
    assert await find_cut_off(desk.session) == ""
    sending.cancel()


@pytest.mark.parametrize("state", ["archived", "gone", "unread"])
async def test_nothing_leads_back_to_a_request_that_is_over(desk: Desk, state: str) -> None:
    await desk.merge_main()
    await desk.work.read()
    await desk.choose("request")
    desk.way.trouble = {1: 500}
    with pytest.raises(WriteError):
        await desk.work.send()
    kept = desk.work.kept
    assert kept is not None
    assert (kept.state, kept.known) == ("sending", kept.head)
    label = kept.label
    if state == "archived":
        desk.world.write(lambda tx: tx.update("change_request", desk.request, status="archived"))
    elif state == "gone":
        desk.world.write(lambda tx: tx.run("DELETE FROM space WHERE id = ?", desk.space))
    else:
        desk.way.reads = "down"
    said = await find_cut_off(desk.session)
    led = f"Settling {label} stopped on its way: U in its review goes on."
    assert said == (led if state == "unread" else "")


async def test_a_request_whose_pages_are_its_own_is_updated_whole(desk: Desk) -> None:
    request = desk.world.change_request(desk.space, {"new": "# New\n"})
    await desk.merge_main()
    before = await desk.api(ops.get_change_request, desk.space, request)
    desk.session.snoozed.look(request, desk.session.now, before.revision)
    updated = await update_whole(desk.session, desk.api, desk.space, request)
    assert (updated.id, updated.outdated) == (request, False)
    assert updated.revision != before.revision
    assert await desk.session.snoozed.is_read(request, updated.revision), "one did that oneself"


async def test_what_cannot_be_sent_says_why_and_nothing_is_sent(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.merge_main()
    work = desk.work
    assert work.label == desk.request
    await work.read()
    assert work.label == "#1 A change"
    assert not await work.undo(), "nothing was chosen"
    with pytest.raises(NotDoneError, match=r"^\d+ hunks are open$"):
        await work.send()
    await desk.choose("request")
    assert await work.undo()
    assert len(work.open) == 1
    with pytest.raises(NotDoneError, match=r"^1 hunk is open$"):
        await work.send()
    await desk.choose("request")
    name = f"{desk.space} {desk.request}"
    with pytest.MonkeyPatch.context() as other:
        other.setattr(desk.session.settlings, "claim", lambda run: run != name)
        with pytest.raises(NotDoneError, match=r"^Another copydesk is sending this$"):
            await work.send()
    assert desk.way.writes == []
    assert not work.under_way
    async with world.api() as api:
        body = ChangeRequestUpdate(status="archived")
        await api(ops.update_change_request, desk.space, desk.request, body)
    with pytest.raises(NotDoneError, match=r"^The change request is archived$"):
        await work.send()
    assert desk.way.writes == []


async def test_a_first_write_that_is_recalled_leaves_the_choices(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    await desk.merge_main()
    await desk.work.read()
    await desk.choose("main")
    kept = desk.work.kept
    desk.session.recall_seconds = 600.0
    sending = asyncio.create_task(desk.work.send(recall=True))
    await eventually(lambda: bool(desk.session.writes.waits), lambda: asyncio.sleep(0))
    assert desk.work.under_way
    desk.session.writes.recall()
    with pytest.raises(RecalledError):
        await sending
    assert desk.way.writes == []
    assert desk.work.kept == kept
    assert desk.session.settlings.load(f"{desk.space} {desk.request}") == kept
    assert not await is_cut_off(desk.session, desk.space, desk.request)
    told: list[bool] = []
    sending = asyncio.create_task(
        desk.work.send(recall=True, tell=lambda: told.append(desk.work.under_way))
    )
    await eventually(lambda: bool(desk.session.writes.waits), lambda: asyncio.sleep(0))
    desk.session.writes.send_now()
    await sending
    assert told
    assert all(told)
    assert desk.work.kept is not None
    assert desk.work.kept.state == "sent"


async def test_an_update_that_is_sent_first_can_be_recalled(world: World, tmp_path: Path) -> None:
    desk = Desk(world, tmp_path)
    await desk.merge_main(files(one=5))
    desk.request = world.change_request(desk.space, edit=files(one=6))
    await desk.merge_main(files(one=7))
    desk.begin()
    await desk.work.read()
    await desk.choose("request")
    desk.session.recall_seconds = 600.0
    sending = asyncio.create_task(desk.work.send(recall=True))
    await eventually(lambda: bool(desk.session.writes.waits), lambda: asyncio.sleep(0))
    recalled = desk.session.writes.recall()
    assert recalled is not None
    assert recalled.what == "Update from main"
    with pytest.raises(RecalledError):
        await sending
    assert desk.way.writes == []


@pytest.mark.parametrize("at", [1, 2, 3])
async def test_a_lost_answer_does_not_keep_it_from_going_on(desk: Desk, at: int) -> None:
    await desk.merge_main()
    await desk.work.read()
    await desk.choose("request")
    desk.way.trouble = {at: "lost"}
    await desk.work.send()
    assert desk.work.kept is not None
    await desk.matches(desk.work.kept.wanted)
    assert [line.message for line in desk.session.log].count(HAD_ARRIVED) == 1
    assert {line.state for line in desk.session.log} == {"done"}


@pytest.mark.parametrize(("edit", "refused"), [(True, ""), (False, settlement.NOT_ALLOWED)])
async def test_who_may_only_review_is_told_who_can_settle_it(
    desk: Desk, *, edit: bool, refused: str
) -> None:
    await desk.merge_main()

    def change(space: dict[str, Any]) -> None:
        space["permissions"]["edit"] = edit

    async with strange(desk.world, f"/spaces/{desk.space}", change) as service:
        desk.session._api = service
        await desk.work.read()
    assert desk.work.refused == refused


async def test_two_screens_send_it_once(world: World, tmp_path: Path) -> None:
    desk = Desk(world, tmp_path)
    await desk.merge_main()
    await desk.work.read()
    await desk.choose("main")
    other = Settlement(desk.session, desk.space, desk.request)
    await other.read()
    first, second = await asyncio.gather(desk.work.send(), other.send(), return_exceptions=True)
    assert (first, str(second)) == (None, "It is being sent already")
    assert desk.session.settling == {}


async def test_where_the_disk_cannot_be_read_no_settling_is_taken_for_over(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(world, tmp_path)
    kept = Settling(
        f"{desk.space} {desk.request}", 1.0, desk.space, desk.request, "b", "m", "h",
        state="sending",
    )  # fmt: skip
    desk.session.settlings.save(kept)
    said = "Settling a change request stopped on its way: U in its review goes on."
    assert await find_cut_off(desk.session) == said
    desk.way.reads = "down"
    assert await find_cut_off(desk.session) == said
    desk.way.reads = 404
    assert await find_cut_off(desk.session) == "", "it is gone"
    desk.way.reads = ""
    with pytest.raises(NotDoneError, match=re.escape(settlement.CUT_OFF)):
        await update_whole(desk.session, desk.api, desk.space, desk.request)
    with monkeypatch.context() as other:
        other.setattr(desk.session.settlings, "claim", lambda run: False)
        assert await find_cut_off(desk.session) == "", "another copydesk goes on with it"

    def refused() -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(desk.session.settlings, "all", refused)
    assert await find_cut_off(desk.session) == (
        "Whether settling was cut off cannot be read: [Errno 5] Input/output error"
    )


async def test_a_service_that_writes_no_content_or_tells_no_revisions_settles_nothing(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk(world, tmp_path)
    await desk.merge_main()
    monkeypatch.setattr(
        desk.api, "has", lambda operation: operation is not ops.update_change_request_content
    )
    await desk.work.read()
    assert desk.work.refused == "This service cannot write content: settle it in the app (o)."
    monkeypatch.undo()

    async def none(*_: object) -> None:
        return None

    monkeypatch.setattr(settlement, "read_revision", none)
    with pytest.raises(NotDoneError, match=re.escape(settlement.NO_REVISIONS)):
        await Settlement(desk.session, desk.space, desk.request).read()

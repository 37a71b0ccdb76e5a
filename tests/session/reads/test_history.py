"""Reading the revisions of a space."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.client.errors import ApiError, Forbidden, NotFound
from copydesk.contract import operations as ops
from copydesk.contract.models.content import ReusableContent, Revision
from copydesk.server.desk_writes import Editor
from copydesk.session.errors import NotDoneError
from copydesk.session.reads import history
from tests.session.reads import told
from tests.session.reads.told import Lacking
from tests.world import World


async def test_a_revision_that_may_have_changed_a_page_stays_in_its_history(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = world.space("Handbook", {"a": "One.", "b": "One."})
    world.commit(space, {"a": "Two.", "b": "Two."})
    monkeypatch.setattr(history, "MOST", 1)
    for path in ("a", "b"):
        async with world.api() as api:
            page = world.page_id(space, path)
            found = await history.read_revisions(api, space, None, 10, page)
        newest = newest_of(world, space)
        assert found.items[0].id == newest


async def test_a_reusable_content_without_its_text_says_so() -> None:
    told, untold = (ReusableContent(id="c", markdown=each) for each in ("One.\n", None))
    for was, now in ((untold, told), (told, untold), (None, untold)):
        text = await history.part_text(was, now, ["a note"])
        assert (text.before, text.source, text.notes) == ("", "", ("a note", history.TEXT_UNTOLD))
    text = await history.part_text(None, told, ["a note"])
    assert (text.before, text.source, text.notes) == ("", "One.\n", ("a note",))


def test_a_revision_is_of_who_made_it_or_else_of_who_merged_or_began_its_request() -> None:
    kim, lee, ana = ({"id": name, "displayName": name} for name in ("kim", "lee", "ana"))
    at = "2026-03-02T12:00:00Z"
    request = {"id": "c", "number": 7, "subject": "Fix\x07", "createdAt": at, "updatedAt": at}

    def row(**more: Any) -> history.RevisionRow:
        return history._row(Revision.model_validate({"id": "r", "createdAt": at, **more}))

    began = {**request, "createdBy": lee}
    assert row(createdBy=kim, mergedFrom={**began, "mergedBy": ana}).who == "kim"
    assert row(mergedFrom={**began, "mergedBy": ana}).who == "ana"
    told = row(mergedFrom=began)
    assert (told.who, told.number, told.request, told.subject) == ("lee", 7, "c", "Fix")
    assert (row().who, row().number, row().imported_first) == ("", None, False)
    assert row(git={"message": "All.\n"}).imported_first
    assert not row(git={"message": "All.\n"}, parents=["q"]).imported_first


async def test_a_page_that_was_only_renamed_is_shown_with_its_text(world: World) -> None:
    space = world.space("Handbook", {"a": "One."})
    before = newest_of(world, space)
    world.commit(space, edit=lambda editor: editor.rename(editor.find("a"), "Ah", "a"))
    async with world.api() as api:
        compared = await history.read_comparison(api, space, before, newest_of(world, space))
        [change] = compared.changes
        text = await history.read_compared(api, compared, change)
    assert (text.before, text.after, text.alike) == ("One.", "One.", True)
    assert text.notes == ("renamed: was “A”, now “Ah”",)


def newest_of(world: World, space: str) -> str:
    revision: str = world.row("space", space)["revision_id"]
    return revision


async def test_older_revisions_that_are_not_told_end_the_list_or_are_said_to_be_none(
    world: World,
) -> None:
    space = world.space("Handbook", {"a": "One.", "b": "One."})
    first = newest_of(world, space)
    second = world.commit(space, {"a": "Two."}) and newest_of(world, space)
    world.commit(space, {"b": "Two."})
    service = told.Desk(world)
    async with service.api() as api:
        bare = Lacking(api, ops.get_revision, error=Forbidden)
        with pytest.raises(NotDoneError) as none:
            await history.read_revisions(bare.api, space, None, 10)
        assert str(none.value) == history.NO_OLDER
        gone = await history.read_revisions(bare.api, space, first, 10)
        assert (gone.items, gone.next) == ([], None)
        short = Lacking(api, first, ops.get_revision_changes, error=Forbidden)
        found = await history.read_revisions(short.api, space, None, 10)
        assert [(row.id, row.changed, row.more) for row in found.items] == [
            (newest_of(world, space), None, 0), (second, None, 0),
        ]  # fmt: skip
        assert found.next is None
        one = await history.read_revisions(api, space, None, 1)
        assert [(row.changed, row.more) for row in one.items] == [(("B",), 0)]
        assert one.next is not None
        assert one.next.page == second
        of_a = await history.read_revisions(api, space, None, 10, world.page_id(space, "a"))
        assert [row.id for row in of_a.items][:2] == [second, first]
        both = await history.read_revisions(bare.api, space, None, 0)
        assert both.items == []
        assert service.trees() == {"computed=false"}


async def test_what_brought_each_block_is_known_as_far_as_older_texts_are(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = world.space("Handbook", {"a": "One.\n", "b": "B.\n"})
    first = newest_of(world, space)
    world.commit(space, {"a": "One.\n\nTwo.\n"})
    second, page = newest_of(world, space), world.page_id(space, "a")
    world.commit(space, {"b": "C.\n"})
    assert history.BlameReading(space, page).rows() == []

    service = told.Desk(world)

    async def brought(*lacks: Any, error: type[ApiError] = NotFound) -> list[Any]:
        async with service.api() as api:
            bare = Lacking(api, *lacks, error=error).api
            rows = await history.read_blame(bare, space, page)
        return [(row.text, row.line, row.revision and row.revision.id) for row in rows]

    both = [("One.", 0, first), ("Two.", 2, second)]
    assert await brought() == both
    assert await brought(ops.get_revision_changes) == both
    unknown = [("One.", 0, None), ("Two.", 2, None)]
    assert await brought(ops.get_revision_page, error=Forbidden) == unknown
    assert await brought(ops.get_revision_page) == [("One.", 0, second), ("Two.", 2, second)]
    assert await brought(first) == unknown, "it may have been there"
    assert service.trees() == {"computed=false"}
    async with world.api() as api:
        monkeypatch.setattr(history, "AT_ONCE", 1)
        reading = history.BlameReading(space, page)
        await reading.read_on(api, most=1)
        assert (reading.goes_on, reading.read) == (True, 1)
        await reading.read_on(api)
        assert (reading.goes_on, reading.read) == (False, 3)
        [then] = await history.read_blame(api, space, page, first)
        assert (then.text, then.revision and then.revision.id) == ("One.", first)
        with pytest.raises(NotFound):
            await history.read_blame(api, space, "gone")
        mine = await history.read_blame(api, space, "gone", newer=[("New.\n", history.MINE)])
        assert [(row.text, row.revision) for row in mine] == [("New.", history.MINE)]


class Together(Lacking):
    """A client whose answers to some calls wait until others were asked beside them."""

    def __init__(self, api: Api, meeting: Mapping[Any, asyncio.Barrier]) -> None:
        super().__init__(api)
        self._meeting = meeting

    async def __call__(self, operation: Any, *given: Any, **more: Any) -> Any:
        if operation in self._meeting:
            async with asyncio.timeout(20):
                await self._meeting[operation].wait()
        return await super().__call__(operation, *given, **more)


async def test_what_a_revision_changed_is_read_beside_it_and_texts_beside_each_other(
    world: World,
) -> None:
    space = world.space("Handbook", {"a": "One.\n"})
    world.commit(space, {"a": "One.\n\nTwo.\n"})
    world.commit(space, {"a": "One.\n\nTwo.\n\nThree.\n"})
    both, texts = asyncio.Barrier(2), asyncio.Barrier(2)
    meeting = {
        ops.get_revision: both, ops.get_revision_changes: both, ops.get_revision_page: texts,
    }  # fmt: skip
    async with world.api() as api:
        together = Together(api, meeting).api
        rows = await history.read_blame(together, space, world.page_id(space, "a"))
    assert [row.text for row in rows] == ["One.", "Two.", "Three."]
    assert len({row.revision and row.revision.id for row in rows}) == 3


async def test_a_change_request_brings_what_it_says_as_a_revision(world: World) -> None:
    lee = world.user("lee", display_name="Lee\x07 Park")
    space = world.space("Handbook", {"a": "One."})
    request = world.change_request(space, {"a": "Two."}, subject="Two\x07", by=lee)
    async with world.api() as api:
        now = await api(ops.get_change_request, space, request)
    row = history.request_row(now)
    assert (row.id, row.parent, row.at, row.kind) == (now.revision, None, now.updated_at, "edits")
    assert (row.who, row.number, row.request, row.subject) == ("Lee Park", 1, request, "Two")
    assert history.request_row(now.model_copy(update={"created_by": None})).who == ""


async def test_what_a_revision_did_to_files_and_settings_is_told_without_a_text(
    world: World,
) -> None:
    space = world.space("Handbook", {"a": "One."})

    def keep(editor: Editor) -> None:
        editor.file("kept.png", b"old")

    world.commit(space, edit=keep)
    before = newest_of(world, space)

    def edit(editor: Editor) -> None:
        editor.file("a.png", b"new")
        editor.draft.edit(editor.find("a"), layout={"coverSize": "hero"})

    world.commit(space, edit=edit)
    async with world.api() as api:
        compared = await history.read_comparison(api, space, before, newest_of(world, space))
        texts = {
            change.node.title: await history.read_compared(api, compared, change)
            for change in compared.changes
        }
        whole = await history.read_comparison(api, space, None, before)
        change, kept = whole.changes
        assert (whole.before, kept.node.title) == (None, "kept.png")
        first = await history.read_compared(api, whole, change)
        with pytest.raises(NotDoneError):
            await history.read_comparison(api, space, "gone", before)
    assert texts.keys() == {"A", "a.png"}
    assert (texts["a.png"].before, texts["a.png"].after) == ("", "")
    assert texts["A"].alike
    assert "layout: cover size was full, now hero" in texts["A"].notes
    assert (first.before, first.after, first.alike) == ("", "One.", False)


async def test_more_changes_than_are_named_are_counted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = world.space("Handbook", dict.fromkeys("abc", "One."))
    world.commit(space, dict.fromkeys("abc", "Two."))
    monkeypatch.setattr(history, "NAMED", 1)
    async with world.api() as api:
        [row] = (await history.read_revisions(api, space, None, 1)).items
    assert row.changed is not None
    assert (len(row.changed), row.more) == (1, 2)

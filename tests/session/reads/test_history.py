"""Reading the revisions of a space."""

from __future__ import annotations

import pytest

from copydesk.contract.models.content import ReusableContent
from copydesk.session.reads import history
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

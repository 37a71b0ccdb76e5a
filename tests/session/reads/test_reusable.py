"""Which pages show a reusable content, however they name it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from copydesk.client.api import Api
from copydesk.client.errors import Forbidden
from copydesk.contract.models.content import ContentPage, ReusableContent
from copydesk.server.desk_writes import Editor
from copydesk.session.reads import reusable
from copydesk.session.reads.reusable import Use, read_part, read_parts, read_uses
from tests.session.reads import told
from tests.session.reads.told import Lacking
from tests.world import World


@pytest.mark.parametrize("merged", [True, False])
async def test_a_page_names_what_it_shows_by_its_id(world: World, merged: bool) -> None:
    pages = {"a": '{% include "/reusable/note" %}\n', "b": '{% include "/reusable/notes" %}\n'}
    space = world.space("Guide", pages if merged else {})
    request = None if merged else world.change_request(space, pages)
    steps: list[tuple[int, int]] = []
    async with world.api() as api:
        parts = [ReusableContent(id="note", title="Note")]
        uses = await read_uses(
            api, space, request, parts, lambda ended, of: steps.append((ended, of))
        )
    page = world.page_id(space, "a", change_request=request)
    assert (uses.pages, uses.unread) == ({"note": [Use(page, "A", "a")]}, 0)
    assert steps == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("at", "target", "shows"),
    [
        ("docs/guide.md", "../.gitbook/includes/note.md", True),
        ("docs/guide.md", ".gitbook/includes/note.md", True),
        ("docs/deep/guide.md", "../../x/.gitbook/includes/note.md", True),
        ("docs/guide.md", "../.gitbook/includes/x/.gitbook/includes/note.md", True),
        ("docs/guide.md", "../.gitbook/includes/notes.md", False),
        ("docs/guide.md", "../other/note.md", False),
        ("docs/guide.md", "/part/key", True),
    ],
)
def test_what_is_included_is_found_by_its_path_its_name_or_its_id(
    at: str, target: str, shows: bool
) -> None:
    part = ReusableContent.model_validate(
        {"id": "key", "title": "Note", "git": {"path": ".gitbook/includes/note.md"}}
    )
    page = ContentPage.model_validate(
        {"id": "p", "markdown": f'{{% include "{target}" %}}\n', "git": {"path": at}}
    )
    assert reusable._shows(page, part) is shows
    assert not reusable._shows(page.model_copy(update={"markdown": None}), part)


async def test_what_can_be_reused_is_read_of_main_or_of_a_change_request(world: World) -> None:
    space = world.space("Guide")

    def put(text: bytes) -> Callable[[Editor], None]:
        def edit(editor: Editor) -> None:
            editor.file(".gitbook/includes/note.md", text, kind="source")

        return edit

    world.commit(space, edit=put(b"One.\n"))
    request = world.change_request(space, edit=put(b"Two.\n"))
    service = told.Desk(world)
    async with service.api() as api:
        for of, text in ((None, "One."), (request, "Two.")):
            service.asked()
            [part] = await read_parts(api, space, of)
            assert service.trees() == {"computed=false"}
            assert text in str((await read_part(api, space, of, part.id)).markdown)
            assert (await read_uses(api, space, of, [part], lambda *_: None)).pages == {}
            assert service.trees() == {"computed=false"}


async def test_pages_that_cannot_be_looked_through_are_counted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = dict.fromkeys("abc", '{% include "/reusable/note" %}\n')
    space = world.space("Guide", pages)
    first, second, _ = (world.page_id(space, each) for each in "abc")
    parts = [ReusableContent(id="note", title="Note")]
    steps: list[tuple[int, int]] = []

    async def uses(api: Api) -> tuple[list[str], int]:
        found = await read_uses(api, space, None, parts, lambda *step: steps.append(step))
        return [use.id for use in found.pages.get("note", ())], found.unread

    async with world.api() as api:
        assert await uses(Lacking(api, first, error=Forbidden).api) == (
            [world.page_id(space, each) for each in "bc"], 1,
        )  # fmt: skip
        monkeypatch.setattr(reusable, "MOST", 2)
        steps.clear()
        assert await uses(api) == ([first, second], 1)
        assert steps == [(1, 2), (2, 2)]

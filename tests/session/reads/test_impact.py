"""What a change request does to links, where not all of it can be read."""

from __future__ import annotations

from typing import Any

from copydesk.client.errors import Forbidden
from copydesk.domain.impact import Impact
from copydesk.server.desk_writes import Editor
from copydesk.session.page_changes import FILE
from copydesk.session.reads.impact import LINKS, read_impact
from copydesk.session.reads.review import read_request
from tests.session.reads import told
from tests.session.reads.told import Lacking
from tests.tui.strange import strange
from tests.world import World


async def test_a_service_without_links_is_said_to_have_none(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n", "b": "See [a](a.md).\n"})
    request = world.change_request(space, {"a": None})
    async with strange(world, "?", lambda answer: answer, lacks="links") as api:
        opened = await read_request(api, space, request)
        found = await read_impact(api, space, request, opened.changes)
    async with world.api() as api:
        linked = await read_impact(api, space, request, opened.changes)
    assert [(each.title, each.leads) for each in linked.broken] == [("B", "a.md")]
    assert found == Impact([], [], lacks=found.lacks)
    assert found.lacks.startswith("This service has no ")


async def test_a_page_without_a_title_that_leads_to_a_change_is_called_untitled(
    world: World,
) -> None:
    space = world.space("Guide", {"a": "# A\n"})

    def link(editor: Editor) -> None:
        editor.page("\x07", "See [a](a.md).\n", slug="b")

    world.commit(space, edit=link)
    request = world.change_request(space, {"a": "# A\n\nMore.\n"})
    async with world.api() as api:
        opened = await read_request(api, space, request)
        seen: list[tuple[int, int]] = []
        found = await read_impact(
            api, space, request, opened.changes, lambda *far: seen.append(far)
        )
        assert seen == [(1, 1), (2, 2)], "its links, and the page that leads to it"
        hidden = Lacking(api, world.page_id(space, "a"), error=Forbidden).api
        unread = await read_impact(hidden, space, request, opened.changes)
    assert [(each.title, each.here) for each in found.pointers] == [("Untitled", True)]
    assert (found.unread, unread.unread, [*unread.pointers]) == (0, 2, [])


async def test_a_page_that_shows_a_changed_file_leads_to_it(world: World) -> None:
    space, name = world.space("Guide"), ".gitbook/assets/a.png"

    def show(editor: Editor) -> None:
        editor.file(name, b"one")
        editor.page("Shows", f"![]({name})\n")

    def change_it(editor: Editor) -> None:
        editor.file(name, b"other")

    world.commit(space, edit=show)
    request = world.change_request(space, edit=change_it)
    async with world.api() as api:
        opened = await read_request(api, space, request)
        [change] = opened.changes
        found = await read_impact(api, space, request, opened.changes)
    assert [(each.title, each.changed) for each in found.pointers] == [("Shows", change.id)]

    def remove_it(editor: Editor) -> None:
        del editor.draft.files[name]

    request, service = world.change_request(space, edit=remove_it), told.Desk(world)
    async with service.api() as api:
        opened = await read_request(api, space, request)
        service.asked()
        found = await read_impact(api, space, request, opened.changes)
    assert [each.title for each in found.pointers] == ["Shows"]
    links = f"content/files/{change.id.removeprefix(FILE)}/backlinks limit={LINKS}"
    assert [each for each in service.asked() if "/backlinks" in each] == [
        f"GET /spaces/{space}/change-requests/{request}/{links}", f"GET /spaces/{space}/{links}",
    ]  # fmt: skip


async def test_a_page_of_another_space_that_leads_here_is_told_with_its_space(
    world: World,
) -> None:
    space = world.space("Guide", {"a": "# A\n", "b": "See [a](a.md).\n"})
    request = world.change_request(space, {"a": "# A\n\nMore.\n"})

    def elsewhere(answer: Any) -> None:
        for each in answer["items"]:
            each["space"] |= {"id": "other", "title": "Other"}

    async with world.api() as api:
        opened = await read_request(api, space, request)
        here = await read_impact(api, space, request, opened.changes)
    async with strange(world, "/backlinks", elsewhere) as api:
        found = await read_impact(api, space, request, opened.changes)

    def nowhere(answer: Any) -> None:
        for each in answer["items"]:
            del each["space"]

    async with strange(world, "/backlinks", nowhere) as api:
        [untold] = (await read_impact(api, space, request, opened.changes)).pointers
    assert (untold.space, untold.space_title, untold.here) == (space, "", True)
    assert [(each.space, each.title) for each in here.pointers] == [(space, "B")]
    [pointer] = found.pointers
    assert (pointer.space, pointer.space_title, pointer.here) == ("other", "Other", False)

"""Which pages show a reusable content, however they name it."""

from __future__ import annotations

import pytest

from copydesk.contract.models.content import ReusableContent
from copydesk.session.reads.reusable import Use, read_uses
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

"""What undo looks at before it sends anything: all that its way back expects."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

import pytest

from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequestUpdate
from copydesk.contract.models.site_space import SiteSpaceCreate
from copydesk.domain.arrange_run import ArrangeRun
from copydesk.domain.finding_inverses import requests_begun
from copydesk.domain.reversal import Step
from copydesk.domain.site_inverses import site_row_changed, space_shown
from copydesk.domain.site_tree import SiteNode
from copydesk.local.journal import Journal
from copydesk.local.state import State
from copydesk.session.session import Session
from copydesk.session.writes.log import ChangedSinceError
from copydesk.session.writes.recovery import recover
from copydesk.session.writes.undo import PAGE, Way
from tests.drive import eventually
from tests.session.reads import told
from tests.tui.arranging_world import BEFORE, PLACE, Desk
from tests.tui.killing_arrangements import group, ungrouped
from tests.world import World


class Begun:
    """A finding's two change requests, which are drafts, and the session that began them."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world = world
        self.space = world.space("Guide", {"a": "# A\n"})
        self.made = [
            (self.space, world.change_request(self.space, {"a": f"# {name}\n"}, status="draft"))
            for name in ("B", "C")
        ]

        async def connect() -> object:
            return world.api()

        self.session = Session(
            connect,  # type: ignore[arg-type]
            journal=Journal(State(folder / "state.db"), "desk"),
            clock=lambda: world.clock.now,
        )

    async def send(self) -> None:
        """Note the write that began them."""

        async def began() -> None: ...

        way = requests_begun(self.made)
        await self.session.writes.perform("Begin", "finding", began, reversal=way)

    async def turn(self, request: str, status: str) -> None:
        """Give one of them another status, as somebody else does."""
        async with self.world.api() as api:
            body = ChangeRequestUpdate.model_validate({"status": status})
            await api(ops.update_change_request, self.space, request, body)

    @property
    def statuses(self) -> list[str]:
        return [self.world.row("change_request", each)["status"] for _, each in self.made]


@pytest.mark.parametrize("which", [0, 1])
async def test_one_of_several_that_was_changed_since_keeps_all_of_them(
    world: World, tmp_path: Path, which: int
) -> None:
    begun = Begun(world, tmp_path)
    await begun.send()
    await begun.send()
    await begun.turn(begun.made[which][1], "open")
    with pytest.raises(ChangedSinceError, match="open"):
        await begun.session.reversals.undo()
    assert begun.statuses == ["open" if at == which else "draft" for at in (0, 1)]
    both = list(begun.session.history.known.values())
    with pytest.raises(ChangedSinceError, match="open") as error:
        await begun.session.reversals.take_back(both)
    assert [each.past for each in error.value.obstacles] == both
    await begun.session.reversals.take_back(both[:1], anyway=True)
    assert begun.statuses == ["archived", "archived"]


async def test_what_somebody_else_took_back_as_a_whole_is_only_noted(
    world: World, tmp_path: Path
) -> None:
    begun = Begun(world, tmp_path)
    await begun.send()
    await begun.turn(begun.made[1][1], "archived")
    way, api = Way({}), await begun.session.ready()
    [past] = begun.session.history.known.values()
    found = await way.obstacle(api, past)
    assert found is not None
    assert (found.done, found.gone) == (False, False), "one of them is a draft still"
    assert await way.became(api, past.reversal) is None
    await begun.turn(begun.made[0][1], "archived")
    assert await way.became(api, past.reversal) is False
    await begun.session.reversals.undo()
    assert past.by_others


async def test_a_write_is_being_undone_until_the_service_has_answered(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    where = (world.home, desk.plan.site)
    node = SiteNode(desk.plan.ids["Status"], "section", "Status")
    way = site_row_changed(where, node, {"title": "Status"}, {"title": "State"})
    session, api = desk.session, await desk.session.ready()
    await session.writes.perform(
        "Rename", "Status", lambda: session.way.take(api, way.forth[0]), reversal=way
    )
    [past] = session.history.known.values()

    async def standing(turning: Coroutine[Any, Any, object]) -> tuple[str, str]:
        """Return how the write stands while it is turned, and then."""
        desk.way.hold = asyncio.Event()
        writes = len(desk.way.writes)
        task = asyncio.create_task(turning)
        await eventually(lambda: len(desk.way.writes) > writes, lambda: asyncio.sleep(0))
        found = past.standing
        desk.way.hold.set()
        await task
        return found, past.standing

    assert await standing(session.reversals.undo()) == ("undoing", "undone")
    redo = session.reversals.take_back([past], again=True)
    assert await standing(redo) == ("redoing", "done")


async def test_what_an_undo_made_again_before_it_was_cut_off_is_not_made_twice(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    where, groups = (world.home, desk.plan.site), await group(desk.plan)
    calls = await ungrouped(desk.plan, groups[1:])
    await desk.arranger.go(
        ArrangeRun.of(PLACE, desk.plan.site, "Acme docs", calls, organization=world.home)
    )
    desk.way.trouble = {len(desk.way.writes) + 1: "after"}
    await desk.dies(desk.session.reversals.undo())
    desk.session.begins = lambda: True
    said = await recover(desk.session, await desk.arranger.groups())
    assert said == "2 writes of a cut-off undo left: u undoes them."
    await desk.session.reversals.take_back(desk.session.reversals.left_over())
    rows = (await (await desk.session.ready())(ops.get_site_structure, *where)).rows()
    assert [row["localizedTitle"] for row in rows if row["title"] == "Inner"] == [{"de": "Innen"}]


async def test_what_undo_removed_again_is_told_in_the_order_in_which_it_was_made(
    world: World, tmp_path: Path
) -> None:
    desk = Desk(world, tmp_path)
    where = (world.home, desk.plan.site)
    session, api = desk.session, await desk.session.ready()

    async def show(title: str) -> None:
        body = SiteSpaceCreate(space_id=desk.plan.french, section_id=desk.plan.ids[title])
        await session.writes.perform(
            "Show a space", title, lambda: api(ops.add_site_space, *where, body),
            reversal=lambda made: space_shown(where, made.id), group="both",
        )  # fmt: skip

    await show("Legal")
    await show("Guides")
    await session.reversals.undo()
    assert desk.shown == BEFORE
    assert [past.entry.target for past in session.reversals.unmade()] == ["Legal", "Guides"]
    assert session.reversals.redoable() == []


async def test_a_list_is_read_in_long_pages_where_one_may_say_how_long(world: World) -> None:
    world.space("Guide")
    service = told.Desk(world)
    async with service.api() as api:
        step = Step("list_organization_spaces", {"organization_id": world.home})
        found = await Way({}).answer(api, step)
    assert [each["title"] for each in found["items"]] == ["Guide"]
    assert service.asked() == [f"GET /orgs/{world.home}/spaces limit={PAGE}"]

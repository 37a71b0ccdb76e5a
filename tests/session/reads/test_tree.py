"""The tree of collections and spaces: its trash, and the steps that put it back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.client.errors import Forbidden, NotFound
from copydesk.contract import operations as ops
from copydesk.domain.space_tree import SpaceNode
from copydesk.domain.tree_inverses import space_deleted, space_made
from copydesk.local.journal import Journal, Notes
from copydesk.local.snapshot import Snapshots
from copydesk.local.state import State
from copydesk.server import site_writes as seed
from copydesk.server.store import Tx
from copydesk.server.transaction import timestamp
from copydesk.session.errors import NotDoneError
from copydesk.session.reads.tree import (
    LOOKED_UP,
    TrashedSpace,
    deleted_here,
    read_gone,
    read_trash,
    read_tree,
    remember_gone,
    sites_showing,
)
from copydesk.session.runs.tree_steps import tree_steps
from copydesk.session.session import Session
from tests.session.reads.told import Lacking
from tests.tui.arranging_world import Rearranged
from tests.tui.killing_arrangements import group
from tests.world import BASE_URL, START, World


class Unlisted(httpx.AsyncBaseTransport):
    """A desk that does not list the spaces of an organization."""

    def __init__(self, world: World) -> None:
        self._desk = httpx.ASGITransport(world.app, raise_app_exceptions=False)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if path.endswith("/spaces") and "/orgs/" in path:
            return httpx.Response(404, text="Not found")
        return await self._desk.handle_async_request(request)


def node(row: str, kind: Any = "space") -> SpaceNode:
    return SpaceNode(kind, row, row)


def test_so_many_spaces_that_are_listed_no_more_are_remembered(tmp_path: Path) -> None:
    kept = Snapshots(tmp_path, "desk")
    remember_gone(kept, "o", [node("a"), node("b")], [node("a"), node("b")])
    assert read_gone(kept, "o") == []
    remember_gone(kept, "o", [node("a"), node("b"), node("B", "collection")], [node("a")])
    remember_gone(kept, "o", [node("a"), node("c")], [node("b")])
    assert read_gone(kept, "o") == ["a", "c", "b"]
    assert read_gone(kept, "other") == []
    remember_gone(kept, "o", [node("b")], [])
    assert read_gone(kept, "o") == ["b", "a", "c"]
    remember_gone(kept, "o", [node(f"n{nth}") for nth in range(LOOKED_UP)], [])
    assert read_gone(kept, "o") == [f"n{nth}" for nth in range(LOOKED_UP)]


async def test_what_may_be_in_the_trash_is_looked_up(world: World, tmp_path: Path) -> None:
    box = world.collection("Box")
    names = ("Here", "Shown\x07", "Listed before", "Not deleted", "Old")
    ids = [world.space(name, parent=box if name == "Here" else None) for name in names]
    here, shown, before, there, old = ids
    elsewhere = world.space("Far", organization=world.organization("Other", world.ana))

    def write(tx: Tx) -> None:
        for title in ("Docs\x07", "Manual"):
            seed.add_site_space(tx, seed.add_site(tx, world.home, title), shown)
        for nth, each in enumerate((here, shown, before, elsewhere)):
            tx.update("space", each, deleted_at=timestamp(START + timedelta(hours=nth)))

    world.write(write)
    async with world.api() as api:

        async def connect() -> Api:
            return api

        store = State(tmp_path / "state.db")
        snapshot = Snapshots(tmp_path, "desk")
        session = Session(connect, journal=Journal(store, "desk"), snapshot=snapshot)
        assert await read_trash(session, api, world.home, [], sites=False) == ()
        for row in (old, here):
            way = space_deleted(row)
            session.journal.begin("Delete", "It", Notes(reversal=way.to_dict()))
        assert deleted_here(session) == [here, old]
        remember_gone(snapshot, world.home, [node(each) for each in (before, there, elsewhere)], [])
        found = await read_trash(session, api, world.home, [old])
        found = tuple(
            replace(each, shown_by=tuple(sorted(each.shown_by, reverse=True))) for each in found
        )
        assert found == (
            TrashedSpace(before, "Listed before", START + timedelta(hours=2)),
            TrashedSpace(shown, "Shown", START + timedelta(hours=1), ("Manual", "Docs")),
            TrashedSpace(here, "Here", START, (), box),
        )
        assert read_gone(snapshot, world.home) == [before, shown, here]
        again = await read_trash(session, api, world.home, [], sites=False)
        assert [each.id for each in again] == [before, shown, here]
        assert again[1].shown_by == ()
        assert await sites_showing(api, world.home, shown) == ["Manual", "Docs"]
        days = [found[2].days_left(START + timedelta(days=after)) for after in (0, 1, 6.5, 7, 9)]
        assert days == [7, 6, 1, 0, 0]
        way = space_made(world.home, there)  # which undo puts in the trash
        session.journal.begin("Make", "It", Notes(reversal=way.to_dict()))
        session.journal.begin("Rename", "It", Notes())
        assert deleted_here(session) == [there, here, old]
        session.clock = lambda: session.journal.entries()[-1].moment + timedelta(days=9)
        assert deleted_here(session) == []


async def order(world: World, parent: str | None) -> list[str]:
    """Return the titles of a level, collections first."""
    async with world.api() as api:
        read = await read_tree(api, world.home)
        nodes = [read.nodes[row] for row in read.layout.levels[parent or ""] if row in read.nodes]
    return [each.title for each in nodes]


@pytest.mark.parametrize("listed", [True, False])
async def test_steps_put_a_tree_back(world: World, listed: bool) -> None:
    box = world.collection("Box")
    inner = {name: world.collection(name, parent=box) for name in ("C1", "C2", "C3")}
    spaces = {name: world.space(name, parent=box) for name in ("s1", "s2", "s3")}
    empty = world.collection("Empty")
    tops = {name: world.collection(name) for name in ("T1", "T2")}
    top = world.space("Top")
    world.space("Top 2")
    way: httpx.AsyncBaseTransport = Unlisted(world)
    if listed:
        way = httpx.ASGITransport(world.app, raise_app_exceptions=False)
    api = Api(BASE_URL, world.token(world.ana), transport=way)

    async def ready() -> Api:
        return api

    steps = tree_steps(ready)

    async def put(space: str, parent: str, order: Sequence[str]) -> None:
        await steps["put_space"](
            organization_id=world.home, space_id=space, parent=parent, order=order
        )

    async def arrange(parent: str, order: Sequence[str]) -> None:
        await steps["order_collections"](organization_id=world.home, parent=parent, order=order)

    assert await order(world, box) == ["C1", "C2", "C3", "s1", "s2", "s3"]
    await arrange(box, [inner["C3"], "gone", inner["C1"], inner["C2"]])
    assert (await order(world, box))[:3] == ["C3", "C1", "C2"]
    await arrange(box, [inner["C3"], inner["C1"]])
    await arrange(empty, ["gone"])
    await steps["line_up"](collection_id=inner["C3"], parent=box, anchor=spaces["s1"])
    await steps["line_up"](collection_id=inner["C3"], parent=box, anchor=spaces["s1"])
    assert (await order(world, box))[:3] == ["C1", "C2", "C3"]
    s1, s2, s3 = spaces.values()
    await put(s3, box, [s1, s3, s2])
    assert (await order(world, box))[3:] == ["s1", "s3", "s2"]
    await put(s3, box, [s1, s3, s2])
    await put(s2, box, [s2, s1, s3])
    assert (await order(world, box))[3:] == ["s2", "s1", "s3"]
    await put(s2, box, [s1, "gone", s2, s3])
    assert (await order(world, box))[3:] == ["s1", "s2", "s3"]
    await put(s3, box, ["gone", s3])
    assert (await order(world, box))[3:] == ["s1", "s2", "s3"]
    await put(s3, "", [s3, top])
    assert [each for each in await order(world, None) if each[0] in "sT"][-3:] == [
        "s3", "Top", "Top 2"
    ]  # fmt: skip
    await put(s3, "", [top, "gone", s3])
    assert (await order(world, None))[-3:] == (
        ["Top", "s3", "Top 2"] if listed else ["s3", "Top", "Top 2"]
    )
    await arrange("", [tops["T2"], tops["T1"], box, empty])
    first = (await order(world, None))[:4]
    assert first == (["T2", "T1", "Box", "Empty"] if listed else ["Box", "Empty", "T1", "T2"])
    with pytest.raises(NotDoneError, match=r"^What it was in is gone: it stays where it is\.$"):
        await put(s3, "gone", [s3])
    async with world.api() as other:
        await other(ops.delete_space, s3)
    world.write(lambda tx: tx.run("DELETE FROM space WHERE id = ?", s3))
    with pytest.raises(NotFound):
        await put(s3, box, [s3])
    await api.aclose()


async def test_an_entry_that_did_not_come_back_in_its_group_is_told(world: World) -> None:
    plan = Rearranged(world)
    groups = await group(plan)
    api = world.api()

    async def ready() -> Api:
        return api

    async def look(section: str, group_id: str) -> None:
        await tree_steps(ready)["came_along"](
            organization_id=world.home, site_id=plan.site, row=plan.ids[section], group=group_id
        )

    await look("Legal", groups[0])
    await look("Status", groups[1])
    why = "Not in its group: that was not made again, or it was moved."
    for section, group_id in (("Legal", groups[1]), ("Legal", "gone"), ("Guides", groups[0])):
        with pytest.raises(NotDoneError, match=f"^{re.escape(why)}$"):
            await look(section, group_id)
    await api.aclose()


async def test_who_may_arrange_the_tree_is_an_administrator_of_something_in_it(
    world: World,
) -> None:
    space = world.space("Guide\x07")
    said = "You may only look: this takes the role admin in a space or a collection."
    for role, granted, refused, creates in (
        ("admin", "", "", True), ("create", "", "", True), ("read", "", said, False),
        ("read", "admin", "", False), ("read", "edit", said, False),
    ):  # fmt: skip
        user = world.user(f"{role}{granted}", role)
        if granted:
            world.grant(space, user, granted)
        async with world.api(user) as api:
            read = await read_tree(api, world.home)
        assert (read.refused, read.creates) == (refused, creates), (role, granted)
    assert (read.title, read.listed, read.hidden) == ("Acme", True, 0)
    assert read.nodes[space].title == "Guide"


async def test_of_the_trash_and_its_sites_nothing_is_told_that_may_not_be_seen(
    world: World, tmp_path: Path
) -> None:
    kept, gone = world.space("Kept\x07"), world.space("Gone")

    def show(tx: Tx) -> None:
        for title, space in ((" \x07", kept), ("Docs", gone)):
            seed.add_site_space(tx, seed.add_site(tx, world.home, title), space)

        for at, space in enumerate((gone, kept)):
            tx.update("space", space, deleted_at=timestamp(START + timedelta(seconds=at)))

    world.write(show)

    async def connect() -> Api:
        return world.api()

    ours = Session(connect, snapshot=Snapshots(tmp_path))
    async with world.api() as api:
        assert await sites_showing(api, world.home, gone) == ["Docs"]
        lacking = Lacking(api, ops.list_sites, error=Forbidden).api
        assert await sites_showing(lacking, world.home, gone) == []
        assert await read_trash(ours, lacking, world.home, ()) == ()
        found = await read_trash(ours, api, world.home, ())
        assert [(each.id, each.title, each.shown_by) for each in found] == [
            (kept, "Kept", ("Untitled",)), (gone, "Gone", ("Docs",)),
        ]  # fmt: skip
        assert read_gone(ours.snapshot, world.home) == [kept, gone]
        again = await read_trash(ours, lacking, world.home, {kept}, sites=False)
        assert [(each.id, each.shown_by) for each in again] == [(gone, ())]
        hidden = Lacking(api, gone, error=Forbidden).api
        [seen] = await read_trash(ours, hidden, world.home, ())
        assert seen.id == kept
        other = await read_trash(ours, api, "other", ())
        assert other == ()

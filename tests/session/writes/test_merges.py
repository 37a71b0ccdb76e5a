"""Merges and updates that conflict, and the other requests that touch the same pages."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from copydesk.client.errors import (
    ApiError,
    Forbidden,
    OperationMissing,
    ServerFault,
)
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import Conflict
from copydesk.session.errors import NotDoneError
from copydesk.session.writes import merges
from copydesk.session.writes.merges import ConflictedError, Overlap, Overlaps, how_many
from tests.session.reads import told
from tests.session.reads.told import Lacking
from tests.tui.strange import strange
from tests.world import World


def clash(page: str = "", file: str = "", path: str = "") -> Conflict:
    return cast(
        "Conflict",
        SimpleNamespace(
            page=SimpleNamespace(id=page) if page else None,
            file=SimpleNamespace(id=file, path=path) if file else None,
        ),
    )


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([], "it conflicts with main"),
        ([clash("a")], "1 page conflicts"),
        ([clash("a"), clash("a")], "1 page conflicts"),
        ([clash("a"), clash("b")], "2 pages conflict"),
        ([clash(file="f")], "1 file conflicts"),
        ([clash("a"), clash(file="f", path="x"), clash(file="g", path="x")],
         "1 page and 1 file conflict"),
    ],
)  # fmt: skip
def test_conflicts_are_counted_by_page_and_file(found: list[Conflict], said: str) -> None:
    assert how_many(found) == said


class Clash:
    """A request whose page main changes too."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.space = world.space("Guide", {"a": "# A\n\nOne.\n", "b": "# B\n"})
        self.request = world.change_request(self.space, {"a": "# A\n\nMine.\n"}, subject="Mine")

    def move_on(self) -> None:
        self.world.commit(self.space, {"a": "# A\n\nTheirs.\n"})


async def test_a_conflict_says_at_which_moment_it_was(world: World) -> None:
    clash = Clash(world)
    async with world.api() as api:
        assert await merges.merged(api, clash.space, clash.request) is None
        clash.move_on()
        main = (await api(ops.get_space, clash.space)).revision
        now = await api(ops.get_change_request, clash.space, clash.request)
        with pytest.raises(ConflictedError, match=r"^not merged: 1 page conflicts$") as refused:
            await merges.merge(api, clash.space, clash.request, main)
        assert refused.value.moment == (clash.request, now.revision, main)
        with pytest.raises(ConflictedError, match=r"^not merged") as refused:
            await merges.merge(api, clash.space, clash.request)
        assert refused.value.moment is None
        with pytest.raises(ConflictedError, match=r": 1 page conflicts$") as stuck:
            await merges.update(api, clash.space, clash.request)
        assert str(stuck.value).startswith("not updated: ")
        assert stuck.value.moment is not None
        assert stuck.value.moment[2] == main
        assert [each.page and each.page.id for each in stuck.value.conflicts] == [
            world.page_id(clash.space, "a")
        ]
    path = f"/change-requests/{clash.request}"
    async with strange(world, path, lambda found: found | {"outdated": False}) as api:
        with pytest.raises(ConflictedError, match=r"^updated, but not clean: 1 page conflicts$"):
            await merges.update(api, clash.space, clash.request)


async def test_an_update_without_an_answer_is_only_known_not_to_have_happened(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n", "b": "# B\n"})
    request = world.change_request(space, {"a": "# Ah\n"})
    world.commit(space, {"b": "# Be\n"})
    async with world.api() as api:
        await merges.not_updated(api, space, request)
        await merges.update(api, space, request)
        with pytest.raises(NotDoneError, match="whether that is clean"):
            await merges.not_updated(api, space, request)


async def test_a_merge_that_cannot_be_read_afterwards_has_happened_all_the_same(
    world: World,
) -> None:
    clash = Clash(world)

    def fail(value: Any) -> None:
        raise ServerFault("It is broken.", status=500)

    path = f"/change-requests/{clash.request}"
    async with strange(world, path, fail) as api:
        with pytest.raises(ApiError) as lost:
            await merges.merge(api, clash.space, clash.request)
    assert lost.value.sent
    async with world.api() as api:
        result = await merges.merged(api, clash.space, clash.request)
    assert result is not None
    assert (result[0], result[1].status) == (None, "merged")


async def test_a_merge_is_one_though_it_is_read_as_it_was_before(world: World) -> None:
    clash = Clash(world)

    def late(value: Any) -> None:
        value["status"] = "open"

    async with strange(world, f"/change-requests/{clash.request}", late) as api:
        result, now = await merges.merge(api, clash.space, clash.request)
    assert result is not None
    assert (result.result, now.status) == ("merge", "open")


async def test_other_open_requests_of_the_same_pages_are_named(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    clash = Clash(world)
    for edits, more in (
        ({"a": "# A\n\nToo.\n", "b": "# B\n\nToo.\n"}, {"subject": "Both\x07"}),
        ({"b": "# B\n\nElse.\n"}, {"subject": "Other"}),
        ({"a": "# A\n\nDraft.\n"}, {"subject": "Draft", "status": "draft"}),
    ):
        world.change_request(clash.space, edits, **more)  # type: ignore[arg-type]
    overlaps = Overlaps([Overlap(2, "Both", ["A"])], 2, 0)
    service = told.Desk(world)
    async with service.api() as api:
        ids = clash.space, clash.request
        changes = await api(ops.get_change_request_changes, *ids, limit=1000)
        service.asked()
        assert await merges.read_overlaps(api, *ids, changes) == overlaps
        assert not [each for each in service.asked() if f"{clash.request}/changes" in each]
        assert await merges.read_overlaps(api, *ids, None) == overlaps
        monkeypatch.setattr(merges, "MOST", 1)
        assert await merges.read_overlaps(api, *ids, changes) == Overlaps([], 1, 1)


async def test_a_request_that_is_hidden_overlaps_with_nothing(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n", "b": "# B\n"})
    mine = world.change_request(space, {"a": "# C\n"})
    theirs = world.change_request(space, {"a": "# D\n", "b": "# D\n"}, subject="Theirs\x07")
    async with world.api() as api:
        changes, trees = ops.get_change_request_changes, ops.list_change_request_pages
        for lacks in ((), (changes,)):
            bare = Lacking(api, *lacks, error=OperationMissing).api
            found = await merges.read_overlaps(bare, space, mine, None)
            [other] = found.found
            assert (other.number, other.subject, other.titles) == (2, "Theirs", ["A"])
            assert (found.looked, found.more) == (1, 0)
        bare = Lacking(api, theirs, error=Forbidden).api
        assert (await merges.read_overlaps(bare, space, mine, None)).found == []
        bare = Lacking(api, trees, error=Forbidden).api
        bare = Lacking(bare, changes, error=OperationMissing).api
        assert (await merges.read_overlaps(bare, space, mine, None)).found == []

"""The list of change requests asks the service for little: what rows share once, a row in three."""

from __future__ import annotations

import gc
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from copydesk.client.api import Api
from copydesk.client.calls import SentRequest
from copydesk.contract import operations as ops
from copydesk.local.memory import COLLECTED_AT_LAST
from copydesk.server import threads
from copydesk.server.transaction import Tx
from copydesk.session import change_rows
from copydesk.session.change_rows import PAGES, RULES, SIDES, TEXT, THREADS, KnownRequests, row_of
from copydesk.session.reads import change_requests
from copydesk.session.reads.change_requests import Scope, Spaces, read_parts
from copydesk.tui.changes import reader, triage
from copydesk.tui.framework.line_field import Prompt
from copydesk.tui.widgets.list import VirtualList
from tests.drive import drive
from tests.tui.opening import open_world
from tests.tui.review_world import Faults
from tests.world import BASE_URL, World

RESTED = {RULES, PAGES, TEXT, THREADS, SIDES}


def written(world: World, requests: int) -> str:
    space = world.space("Guide", {"a": "# A\n\nOne.\n"})
    for n in range(requests):
        world.change_request(space, {"a": f"# A\n\nOne {n}.\n"}, subject=f"Edit {n:02}")
    return space


async def test_a_row_takes_three_requests_and_what_rows_share_is_read_once(world: World) -> None:
    space, spaces, sent = written(world, 3), Spaces(), []
    async with world.api() as api:
        rows = [row_of(each) async for each in api.pages(ops.list_space_change_requests, space)]
        for row in rows:
            before = api.answers
            found = await read_parts(api, Scope(world.home, space), row, RESTED, spaces=spaces)
            sent.append(api.answers - before)
            assert found.parts == RESTED
            assert found.pages is not None
            assert found.rules == []
    # The first one reads its space, and the rules of the organization.
    assert sent == [3 + 2, 3, 3]


async def test_a_row_that_was_kept_on_disk_is_read_for_its_description(world: World) -> None:
    from dataclasses import replace

    from copydesk.domain.documents import markdown_to_document

    space = world.space("Guide", {"a": "# A\n\nOne.\n"})
    described = markdown_to_document("Why it is.").to_dict()
    world.change_request(space, {"a": "# A\n\nTwo.\n"}, description=described)
    async with world.api() as api:
        (request,) = [each async for each in api.pages(ops.list_space_change_requests, space)]
        row = row_of(request)
        assert (row.description, row.whole) == ("Why it is.", True)
        kept = replace(row, description="", whole=False)
        found = await read_parts(api, Scope(world.home, space), kept, {TEXT})
    assert found.description == "Why it is."


async def test_going_back_over_known_rows_sends_nothing(world: World) -> None:
    written(world, 6)
    async with drive(open_world(world, "changes"), "j", "j") as driver:
        api = await driver.app.session.ready()
        before = api.answers
        await driver.press("k", "k", "j", "j", "j")
        assert api.answers == before


async def test_very_many_threads_are_read_by_nobody_who_did_not_ask(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = written(world, 2)
    request = world.change_request(space, {"a": "# A\n\nMany.\n"}, subject="Talked of")
    for n in range(3):
        world.comment(space, f"Is it so, {n}?", change_request=request)
    for module in (reader, triage):
        monkeypatch.setattr(module, "MOST_THREADS", 2)
    sent: list[SentRequest] = []
    async with drive(open_world(world, "changes")) as driver:
        (await driver.app.session.ready()).recorder = sent.append
        await driver.press("j", "k", "R")
    asked = Counter(each.name for each in sent)
    assert asked["list_change_request_reviews"] > 0
    assert asked["list_change_request_comments"] == 0


async def test_the_way_to_the_end_says_what_it_reads(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "PAGE", 8)
    written(world, 80)
    async with drive(open_world(world, "changes"), size=(80, 24)) as driver:
        await driver.send("G")
        assert "gives this list from its top only: reading " in driver.screen
        await driver.idle()
        assert "Edit 00" in driver.screen


async def test_keys_that_move_wait_for_no_row_on_the_way_to_the_end(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "PAGE", 8)
    written(world, 80)
    way = Faults(world)
    app = open_world(world, "changes", api=Api(BASE_URL, world.token(world.ana), transport=way))
    async with drive(app, size=(80, 24)) as driver:
        way.slow = "GET"
        await driver.send("G", "k", "k", "g", "g", ":")
        assert "typed ahead" not in driver.screen
        assert driver.place.query(Prompt)
        assert driver.place.query_one(VirtualList).cursor == 0
        await driver.send("escape")
        way.let.set()


async def test_all_objects_are_looked_through_only_while_no_key_comes(world: World) -> None:
    async with drive(open_world(world, "changes"), "j") as driver:
        before = gc.get_threshold()
        gc.disable()
        try:
            driver.app.garbage.settle()
            assert gc.get_threshold()[2] == COLLECTED_AT_LAST
            gc.set_threshold(1, 1, COLLECTED_AT_LAST)
            kept = [[each] for each in range(100)]
            assert gc.get_count()[2] > 10
            driver.app.keyboard.key_at += 60  # the last key came just now, on a slow machine too
            driver.app.collect_garbage()
            assert gc.get_count()[2] > 10
            driver.app.keyboard.key_at -= 120
            driver.app.collect_garbage()
            assert gc.get_count()[2] <= 1
            assert kept
        finally:
            gc.set_threshold(*before)
            gc.enable()


async def test_what_main_changed_too_comes_while_the_cursor_stays(world: World) -> None:
    lee = world.user("lee", "edit")
    space = world.space("Guide", {"a": "# A\n\nOne.\n"})
    request = world.change_request(space, {"a": "# A\n\nTwo.\n"}, subject="Reword", by=lee)
    world.write(lambda tx: threads.request_review(tx, request, world.ana, lee))
    world.commit(space, {"a": "# A\n\nThree.\n"})
    async with drive(open_world(world, "spaces"), "g n") as driver:
        assert "Reword" in driver.screen
        assert "out of date, may conflict in A" in driver.screen


async def test_of_very_many_asked_reviews_a_poll_reads_how_many_there_are(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = world.space("Guide", {"a": "# A\n\nOne.\n"})
    asked = [world.change_request(space, {"a": f"# A\n\nOne {n}.\n"}) for n in range(4)]

    def ask(tx: Tx) -> None:
        for each in asked:
            threads.request_review(tx, each, world.ana, world.ana)

    world.write(ask)
    monkeypatch.setattr(change_rows, "FEW_ASKED", 2)
    moments, read = [datetime(2026, 3, 2, 12, tzinfo=UTC)], list[int]()
    whole = change_requests.read_asked

    async def noted(*args: Any) -> frozenset[str]:
        found = await whole(*args)
        read.append(len(found))
        return found

    monkeypatch.setattr(change_requests, "read_asked", noted)
    known = KnownRequests(me=lambda: world.ana, now=lambda: moments[0], clock=lambda: moments[0])
    async with world.api() as api:
        scope = Scope(world.home)
        assert await known.ask_again(api, scope)
        assert not await known.ask_again(api, scope)
        assert read == [4], "as many as before: who they are is not read"
        moments[0] += timedelta(seconds=change_rows.MANY_ASKED_SECONDS)
        assert not await known.ask_again(api, scope)
        assert read == [4, 4], "but once in a while"
        await api(ops.merge_change_request, space, asked[0])
        assert await known.ask_again(api, scope)
    assert read == [4, 4, 3]

"""The details of change requests that are kept: what is due, and what is read once for many."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.review import ReviewersRequest
from copydesk.session import change_rows
from copydesk.session.change_rows import (
    ALL_PARTS,
    KEPT_DETAILS,
    PAGES,
    RULES,
    SIDES,
    TEXT,
    THREADS,
    ChangeRow,
    KnownRequests,
    OpenThreads,
    RequestDetails,
    row_of,
)
from copydesk.session.reads.change_requests import Scope, Spaces
from tests.session.rows import NOW, row
from tests.world import BASE_URL, World


class Clock:
    now = NOW

    def __call__(self) -> datetime:
        return self.now


def known(me: str = "me", clock: Clock | None = None) -> KnownRequests:
    clock = clock or Clock()
    return KnownRequests(lambda: me, lambda: NOW, clock)


def test_parts_are_due_until_they_were_read_and_again_once_forgotten() -> None:
    held, one, other = known(), row(1), row(2)
    both = (RULES, TEXT)
    assert (held.details(one), held.last_details(one)) == (None, None)
    assert held.due(one, [*both, "odd"]) == {*both}
    rules = RequestDetails(parts=frozenset({RULES}), against=("Lee",), moment=("a", "b", "c"))
    held.keep(one, rules)
    assert held.due(one, ALL_PARTS) == ALL_PARTS - {RULES}
    assert held.details(one) == replace(rules, read_at=NOW)
    held.keep(one, RequestDetails(parts=frozenset({TEXT}), description="Why"))
    both_read = held.details(one)
    assert both_read is not None
    assert both_read == replace(
        rules, parts=frozenset(both), description="Why", read_at=NOW, against=("Lee",)
    )
    held.keep(one, RequestDetails(parts=frozenset({RULES}), against=(), moment=("d", "e", "f")))
    newest = held.details(one)
    assert newest is not None
    assert (newest.against, newest.description, newest.moment) == ((), "Why", ("d", "e", "f"))
    # A row that changed has nothing that holds; what was known stays to be seen.
    edited = replace(one, updated=NOW + timedelta(seconds=1))
    assert held.details(edited) is None
    assert held.last_details(edited) == newest
    assert held.due(edited, both) == {*both}
    held.forget(other)
    held.forget(one)
    assert held.due(one, [PAGES]) == {PAGES, RULES}
    held.keep(other, RequestDetails(missing="Gone."))
    assert held.due(other, ALL_PARTS) == frozenset()
    held.keep(other, RequestDetails(parts=frozenset({TEXT}), description="There"))
    assert held.details(other) == RequestDetails(
        parts=frozenset({TEXT}), description="There", read_at=NOW
    )
    held.forget()
    assert held.due(other, [RULES]) == {RULES}
    assert held.due(one, [TEXT]) == {TEXT, RULES}


def test_each_part_brings_its_own_fields() -> None:
    fields: dict[str, dict[str, Any]] = {
        RULES: {"asked": ("Lee",), "against": ("Mia",)}, PAGES: {"more_pages": 3, "losing": ("P",)},
        THREADS: {"waiting": OpenThreads()}, TEXT: {"description": "W", "cluster": "C"},
        SIDES: {"both_sides": ("Q",)},
    }  # fmt: skip
    assert change_rows.FIELDS_OF.keys() == fields.keys()
    held = known()
    for part, values in fields.items():
        held.keep(row(), RequestDetails(parts=frozenset({part}), **values))
    found = held.details(row())
    assert found is not None
    assert found.parts == fields.keys()
    for values in fields.values():
        assert {name: getattr(found, name) for name in values} == values


def test_only_so_many_are_kept_the_newest() -> None:
    held = known()
    rows = [row(number) for number in range(KEPT_DETAILS + 1)]
    for each in rows[:-1]:
        held.keep(each, RequestDetails(parts=frozenset({TEXT})))
    held.keep(rows[0], RequestDetails(parts=frozenset({RULES})))
    held.keep(rows[-1], RequestDetails(parts=frozenset({TEXT})))
    assert held.details(rows[1]) is None
    assert all(held.details(each) is not None for each in (rows[0], rows[2], rows[-1]))


def test_what_is_known_of_a_row_itself() -> None:
    held = known("p")
    assert held.mine(row(author_id="p"))
    assert not held.mine(row(author_id="q"))
    assert not known("").mine(row(author_id=""))
    assert known("").asked_me(row()) is False
    assert held.asked_me(row()) is None
    assert not held.snoozed(row())
    assert held.may(row(), "edit") is None
    held.titles["s"] = "As it was"
    assert (held.space_title("s"), held.space_title("t")) == ("As it was", "")


class Counted(httpx.AsyncBaseTransport):
    """The way to a desk, which may list no spaces, by which each request is told."""

    lists = True

    def __init__(self, world: World) -> None:
        self._desk = httpx.ASGITransport(world.app, raise_app_exceptions=False)
        self.asked: list[str] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request.url.path)
        if not self.lists and "/orgs/" in request.url.path:
            return httpx.Response(404, text="Not found")
        return await self._desk.handle_async_request(request)


async def test_what_the_reader_is_asked_for_is_read_when_it_is_due(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    lee = world.user("lee")
    space = world.space("Guide", {"a": "# A\n"})
    ids = [
        world.change_request(space, {"a": f"# {nth}\n"}, subject=f"No {nth}", by=lee)
        for nth in range(3)
    ]
    rows: list[ChangeRow] = []

    async def ask(request: str, who: str) -> None:
        async with world.api(lee) as api:
            people = ReviewersRequest(users=[who])
            await api(ops.request_reviewers, space, request, people)

    await ask(ids[0], world.ana)
    scope, clock, way = Scope(world.home, space), Clock(), Counted(world)
    held = known(world.ana, clock)
    async with Api(BASE_URL, world.token(world.ana), transport=way) as api:
        rows += [row_of(await api(ops.get_change_request, space, each)) for each in ids]
        assert not await known("").know_asked(api, scope)
        assert not await known("").ask_again(api, scope)
        assert await held.know_asked(api, scope)
        assert [held.asked_me(each) for each in rows] == [True, False, False]
        way.asked.clear()
        assert not await held.know_asked(api, scope)
        assert way.asked == []
        held.forget_asked()
        assert await held.know_asked(api, scope)
        assert not await held.ask_again(api, scope)
        await ask(ids[1], world.ana)
        assert await held.ask_again(api, scope)
        assert [held.asked_me(each) for each in rows] == [True, True, False]
        # Very many are counted, and read again once in a while.
        monkeypatch.setattr(change_rows, "FEW_ASKED", 1)
        way.asked.clear()
        assert not await held.ask_again(api, scope)
        counted = len(way.asked)
        await ask(ids[2], world.ana)
        assert await held.ask_again(api, scope)
        assert len(way.asked) > 2 * counted
        way.asked.clear()
        clock.now += timedelta(seconds=change_rows.MANY_ASKED_SECONDS)
        assert not await held.ask_again(api, scope)
        assert len(way.asked) >= counted
        held.forget()
        assert await held.know_asked(api, scope)

        await held.read_rows(api, scope, rows, [TEXT, THREADS])
        assert all(held.due(each, [TEXT, THREADS]) == frozenset() for each in rows)
        way.asked.clear()
        await held.read_rows(api, scope, rows, [TEXT])
        assert [path for path in way.asked if "change-requests/" in path] == []
        await held.spaces.learn(api, world.home, [space])
        assert (held.space_title(space), held.may(rows[0], "edit")) == ("Guide", True)
        gone = await held.read(api, scope, replace(rows[0], id="gone"), ALL_PARTS)
        assert gone.missing.startswith("Not found")
        assert gone.waiting == OpenThreads()
        answering = await held.read(api, scope, replace(rows[0], cluster="c"), {TEXT})
        assert answering.cluster == "one that is gone, or that you may not see"


@pytest.mark.parametrize("listed", [True, False])
async def test_spaces_are_listed_once_where_several_are_wanted(world: World, listed: bool) -> None:
    guide, other = world.space("Guide"), world.space("Other\x07")
    far = world.space("Far", organization=world.organization("Away"))
    way = Counted(world)
    async with Api(BASE_URL, world.token(world.ana), transport=way) as api:
        spaces = Spaces()
        assert (spaces.title(guide), spaces.may(guide, "edit")) == ("", None)
        way.lists = listed
        await spaces.learn(api, world.home, [guide, other, far, "", "gone"])
        assert [spaces.title(each) for each in (guide, other, far, "gone")] == [
            "Guide", "Other", "(no access)", "(no access)",
        ]  # fmt: skip
        assert [spaces.may(each, "edit") for each in (guide, far)] == [True, False]
        assert sum(path.endswith(f"/orgs/{world.home}/spaces") for path in way.asked) == 1
        way.asked.clear()
        await spaces.learn(api, world.home, [guide, other, "gone"])
        model = await spaces.space(api, guide)
        assert model.organization == world.home
        assert way.asked == []
        spaces.forget()
        assert await spaces.space(api, guide) is await spaces.space(api, guide)
        assert len(way.asked) == 1
        assert spaces.title(guide) == "Guide"
        rules = await spaces.rules(api, model)
        way.asked.clear()
        assert await spaces.rules(api, model) is rules
        assert way.asked == []

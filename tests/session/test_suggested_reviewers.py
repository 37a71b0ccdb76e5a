"""Who is suggested for a review, and why."""

from __future__ import annotations

from typing import Any

import pytest

from copydesk.client.errors import Forbidden
from copydesk.contract import operations as ops
from copydesk.contract.models.user import User
from copydesk.domain.owners import Owned
from copydesk.session import suggested_reviewers
from copydesk.session.suggested_reviewers import (
    CHANGES,
    REVISIONS,
    USES,
    Reason,
    read_writers,
    reasons,
)
from tests.session.reads import told
from tests.session.reads.told import Lacking
from tests.tui.strange import strange
from tests.world import World

PAGES = {"a": "A.", "b": "B.", "c": "C."}


async def test_who_wrote_in_the_pages_is_read_from_the_newest_revisions(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = world.space("Handbook", PAGES)
    lee, mia = world.user("lee"), world.user("mia")
    world.commit(space, {"a": "A, old."}, by=mia)
    revisions = []
    for edits, by in (
        ({"a": "A1.", "c": "C1."}, lee),
        ({"b": "B1."}, world.ana),
        ({"b": "B2."}, lee),
        ({"c": "C2."}, mia),
    ):
        world.commit(space, edits, by=by)
        revisions.append(str(world.row("space", space)["revision_id"]))
    a, b = (world.page_id(space, path) for path in "ab")
    monkeypatch.setattr(suggested_reviewers, "REVISIONS", 4)
    service = told.Desk(world)
    async with service.api() as api:
        assert await read_writers(api, space, revisions[-1], {a, b, "gone"}) == {
            lee: {a, b},
            world.ana: {b},
        }
        base = f"GET /spaces/{space}/revisions"
        assert service.asked() == sorted(
            [f"{base}/{each} computed=false" for each in revisions]
            + [f"{base}/{each}/changes limit={CHANGES}" for each in revisions]
        )
        # One older is looked at where there is room for it; an unreadable one ends it.
        monkeypatch.setattr(suggested_reviewers, "REVISIONS", REVISIONS)
        assert (await read_writers(api, space, revisions[-1], {a}))[mia] == {a}
        assert await read_writers(api, space, "gone", {a}) == {}
        assert await read_writers(api, space, revisions[-1], set()) == {}
    assert len(revisions) < REVISIONS
    assert {each.name for each in (ops.get_revision, ops.get_revision_changes)} == {*USES}


async def test_a_merge_is_the_work_of_who_asked_for_it(world: World) -> None:
    space = world.space("Handbook", PAGES)
    lee = world.user("lee")
    request = world.change_request(space, {"a": "A1."}, by=lee)
    a = world.page_id(space, "a")
    async with world.api() as api:
        await api(ops.merge_change_request, space, request)
        newest = str(world.row("space", space)["revision_id"])
        assert (await read_writers(api, space, newest, {a}))[lee] == {a}


def user(key: str, name: str, email: str | None = None) -> User:
    return User.model_validate({"id": key, "displayName": name, "email": email})


def test_owners_come_first_then_who_wrote_most() -> None:
    people = {
        each.id: each
        for each in (
            user("l", "Lee Park", "lee@acme.example"), user("m", "Mia"), user("m2", "Mia"),
            user("n", "Nil", "nil@acme.example"),
        )
    }  # fmt: skip
    rules = [
        Owned("*", ("NIL@acme.example",)),
        Owned("guide", ("LEE@acme.example", "mia", "Zoe")),
        Owned("free", ()),
    ]
    paths = ["guide/one", "guide/two", "free", "start"]
    found, strangers = reasons(people, paths, rules, {"m": {"p", "q"}, "m2": {"p"}})
    assert found == {
        "l": Reason(2, "guide"),
        "m": Reason(2, "guide", 2),
        "m2": Reason(wrote=1),
        "n": Reason(1, "*"),
    }
    assert strangers == ["Zoe"]
    assert sorted(found, key=lambda key: found[key].rank) == ["m", "l", "n", "m2"]
    assert reasons(people, [], rules, {}) == (dict.fromkeys(people, Reason()), [])
    assert reasons(people, paths, rules[2:], {}) == (dict.fromkeys(people, Reason()), [])


def test_a_reason_says_what_it_is_the_owner_before_the_writer() -> None:
    assert Reason().words == ""
    assert Reason(wrote=1_200).words == "wrote in 1,200 of these pages"
    assert Reason(2, "gui\x07de", 3).words == "owns guide (2 pages)"
    assert Reason(1, "x" * 60).words == f"owns {'x' * 40} (1 page)"


async def test_what_cannot_be_read_of_the_history_is_nobodys_work(world: World) -> None:
    space, lee = world.space("Handbook", PAGES), world.user("lee")
    world.commit(space, {"a": "A1."}, by=lee)
    newest = str(world.row("space", space)["revision_id"])
    page = world.page_id(space, "a")

    def imported(answer: Any) -> None:
        answer |= {"parents": [], "git": {"message": "All."}}

    async with world.api() as api:
        assert await read_writers(api, space, newest, {page}) == {lee: {page}}
        for lacks in (ops.get_revision, ops.get_revision_changes):
            bare = Lacking(api, lacks, error=Forbidden).api
            assert await read_writers(bare, space, newest, {page}) == {}
    async with strange(world, f"/revisions/{newest}", imported) as api:
        assert await read_writers(api, space, newest, {page}) == {}, "it has all pages at once"

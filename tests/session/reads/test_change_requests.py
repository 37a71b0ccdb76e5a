"""Lists of change requests: of an organization, of a space, of a cluster."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any, Literal

import pytest

from copydesk.client.api import Api
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequestUpdate, MovedOut
from copydesk.contract.models.review import ReviewCreate, ReviewersRequest
from copydesk.contract.models.space import SpaceUpdate
from copydesk.domain.merge_run import RunItem
from copydesk.domain.page_tree import PageNode
from copydesk.server import threads
from copydesk.server.store import Tx
from copydesk.session.change_rows import ALL_PARTS, PAGES, THREADS, row_of
from copydesk.session.listings import LISTINGS, Listing
from copydesk.session.page_changes import ReviewChange, whereto
from copydesk.session.reads import change_requests
from copydesk.session.reads.change_requests import (
    Scope,
    Spaces,
    count_asked,
    count_needing,
    read_all,
    read_asked,
    read_count,
    read_page,
    read_parts,
)
from copydesk.session.reads.merge import read_rules, why_not_mergeable
from copydesk.session.reads.merge_run import read_standing
from tests.session.reads import told
from tests.tui.strange import strange
from tests.world import World


async def test_a_cluster_is_asked_for_where_its_requests_are_listed(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    world.change_request(space, {"a": "# B\n"})
    everything = LISTINGS[0]
    async with world.api() as api:
        for of in (None, space):
            assert await read_count(api, Scope(world.home, of), everything, world.ana) == 1
            assert not await read_count(api, Scope(world.home, of, "none"), everything, world.ana)


async def test_who_was_asked_and_has_not_answered_is_told_since_when(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    request = world.change_request(space, {"a": "# B\n"})
    lee, mia = (world.user(name, display_name=name.title()) for name in ("lee", "mia"))
    at = []
    async with world.api() as api, world.api(mia) as theirs:
        for user in (mia, lee):
            world.clock.now += timedelta(hours=1)
            await api(ops.request_reviewers, space, request, ReviewersRequest(users=[user]))
            at.append(world.clock.now)

        async def judge(by: Api, status: Literal["approved", "changes-requested"]) -> None:
            world.clock.now += timedelta(hours=1)
            await by(ops.create_change_request_review, space, request, ReviewCreate(status=status))

        async def details() -> tuple[object, ...]:
            row = replace(row_of(await api(ops.get_change_request, space, request)), whole=False)
            found = await read_parts(api, Scope(world.home), row, ALL_PARTS, me=mia)
            verdicts = [(each.name, each.approved, each.mine) for each in found.verdicts or ()]
            return found.asked, found.asked_since, verdicts, found.against

        assert await details() == (["Mia", "Lee"], at[0], [], [])
        await judge(theirs, "changes-requested")
        assert await details() == (["Lee"], at[1], [("Mia", False, True)], ["Mia"])
        await judge(theirs, "approved")
        assert await details() == (["Lee"], at[1], [("Mia", True, True)], [])
        world.edit_change_request(request, {"a": "# C\n"})
        standing = await read_standing(api, RunItem(space, request, "#1", "A change"))
        assert standing.warnings == ("approved before the latest change: by Mia",)
        row = row_of(await api(ops.get_change_request, space, request))
        some = await read_parts(api, Scope(world.home), row, {THREADS})
        assert (some.approximate, some.parts) == (False, frozenset({THREADS}))


async def test_why_a_request_cannot_be_merged_is_said(world: World) -> None:
    space = world.space("Guide\x07", {"a": "# A\n"})
    request = world.change_request(space, {"a": "# B\n"}, status="draft")
    world.grant(space, guest := world.user("guest", None), "comment")

    async def why(user: str | None = None) -> str | None:
        async with world.api(user) as api:
            now = await api(ops.get_change_request, space, request)
            there = await api(ops.get_space, space)
            return why_not_mergeable(now, there, await read_rules(api, now, there))

    assert await why() == "Only an open change request can be merged; this one is draft."
    async with world.api() as api:
        body = ChangeRequestUpdate(status="open")
        await api(ops.update_change_request, space, request, body)
        assert await why() is None
        assert await why(guest) == "You may not merge in Guide."
        rules = [{"rule": "require_at_least_one_review"}]
        ruled = SpaceUpdate.model_validate({"mergeRules": {"type": "rules", "rules": rules}})
        await api(ops.update_space, space, ruled)
        assert "no one was asked" in str(await why())
        asked = ReviewersRequest(users=[world.user("lee", display_name="Lee")])
        await api(ops.request_reviewers, space, request, asked)
        assert "Lee has not answered" in str(await why())


async def test_what_rows_share_of_a_space_is_read_once_and_is_its_own(world: World) -> None:
    one, other, alike = (world.space(title, {"a": "A."}) for title in ("One\x07", "Other", "\x07"))
    hidden = world.space("Hidden", {"a": "A."})
    rules = [{"rule": "require_at_least_one_review"}]
    ruled = SpaceUpdate.model_validate({"mergeRules": {"type": "rules", "rules": rules}})
    guest = world.user("guest", None)
    async with world.api() as api:
        for space in (other, alike):
            await api(ops.update_space, space, ruled)
    for space in (one, other, alike):
        world.grant(space, guest, "edit")
    service = told.Desk(world)
    spaces = Spaces()
    async with service.api(guest) as api:
        await spaces.learn(api, world.home, [one, other, alike, hidden, ""])
        assert [spaces.title(each) for each in (one, other, alike, hidden, "gone")] == [
            "One", "Other", "Untitled", "(no access)", "",
        ]  # fmt: skip
        service.asked()
        await spaces.learn(api, world.home, [one, other, hidden])
        first, second, third = [await spaces.space(api, each) for each in (one, other, alike)]
        assert service.asked() == []
    assert [each.merge_rules.type for each in (first, second, third)] == [
        "inherit", "rules", "rules",
    ]  # fmt: skip
    assert second.merge_rules is third.merge_rules, "what is alike is kept once"
    assert first.revision == world.row("space", one)["revision_id"]
    assert "edit" in (spaces.known[one].rights or ())


async def test_a_moved_file_is_told_with_where_it_was(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    request = world.change_request(space, {"a": "# B\n"})

    def moved(answer: Any) -> Any:
        file = {"id": "f", "name": "a.png", "path": "new/a.png"}
        before, after = ({"title": "a.png", "path": f"{at}/a.png"} for at in ("old", "new"))
        change = {"type": "file_moved", "file": file, "before": before, "after": after}
        return {"changes": [change]}

    async with strange(world, "/changes", moved) as api:
        row = row_of(await api(ops.get_change_request, space, request))
        found = await read_parts(api, Scope(world.home), row, {PAGES})
    [listed] = found.pages or ()
    assert (listed.title, listed.was) == ("file new/a.png", "old/a.png")
    assert (listed.out, listed.file) == ("", "")
    node = PageNode("p", "P\x07", "p", "at/p")
    away = MovedOut.model_validate({"space": "s", "text": "T"})
    out = ReviewChange("p", ("moved",), node, node, moved=away, files=("a.md", "b\x07.md"))
    added = ReviewChange("p", ("added", "moved"), None, node)
    line, new = change_requests.page_lines([out, added])
    assert (new.was, line.was) == ("", "")
    assert (line.title, line.kinds, line.above) == ("P", ("moved",), "at")
    assert (line.out, line.file) == (whereto(away), "b.md")


async def test_a_view_of_several_statuses_is_read_one_after_the_other_in_pages(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    ids = [world.change_request(space, {"a": f"# {at}\n"}) for at in range(2)]
    ids += [world.change_request(space, {"a": "# C\n"}, status="draft")]
    scope, listing = Scope(world.home), Listing("x", "X", ("open", "draft"), "")
    async with world.api() as api:
        rows, token, total = await read_page(api, scope, listing, "me", token=None, limit=1)
        assert (len(rows), total) == (1, 3)
        assert token is not None
        assert token.startswith("0:")
        rows, token, total = await read_page(api, scope, listing, "me", token=token, limit=1)
        assert (len(rows), token, total) == (1, "1:", None)
        rows, token, total = await read_page(api, scope, listing, "me", token=token, limit=1)
        assert ([row.id for row in rows], token, total) == ([ids[2]], None, None)
        only = replace(listing, statuses=("draft",))
        assert (await read_page(api, scope, only, "me", token=None, limit=1))[2] == 1
        monkeypatch.setattr(change_requests, "AT_ONCE", 1)
        told: list[int] = []
        rows = await read_all(api, scope, listing, "me", told.append)
        assert sorted(row.id for row in rows) == sorted(ids)
        assert told == [1, 2, 3]

    def uncounted(answer: Any) -> None:
        answer.pop("count", None)

    async with strange(world, "/change-requests", uncounted) as api:
        assert await read_count(api, scope, listing, "me") is None
        assert await count_asked(api, scope, world.ana) is None


async def test_what_waits_on_someone_is_counted_where_it_is_not_too_much_to_read(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    lee = world.user("lee", display_name="Lee Park")
    space = world.space("Guide", {"a": "# A\n"})
    asked, other, mine, quiet = (
        world.change_request(space, {"a": f"# {at}\n"}, by=by)
        for at, by in enumerate((lee, lee, world.ana, lee))
    )

    def ask(tx: Tx) -> None:
        for each in (asked, other):
            threads.request_review(tx, each, world.ana, lee)

    world.write(ask)
    world.comment(space, "Why?", by=lee, change_request=mine)
    world.comment(space, "Hm.", by=lee, change_request=quiet)
    monkeypatch.setattr(change_requests, "AT_ONCE", 1)
    async with world.api() as api:
        assert await read_asked(api, Scope(world.home), world.ana) == {asked, other}
        assert await count_asked(api, Scope(world.home), world.ana) == 2

        async def needing(*asleep: str) -> int | None:
            return await count_needing(api, world.home, world.ana, lambda row: row.id in asleep)

        assert await needing() == 3
        assert await needing(asked) == 2
        assert await needing(asked, other, mine) == 0
        for name, most in (("COUNTED_ROWS", 4), ("THREADS_READ", 2), ("MOST_THREADS", 1)):
            with monkeypatch.context() as few:
                few.setattr(change_requests, name, most)
                assert await needing() == 3, name
                few.setattr(change_requests, name, most - 1)
                assert await needing() is None, name


async def test_the_author_that_a_rule_names_is_called_by_name(world: World) -> None:
    lee = world.user("lee", display_name="Lee Park")
    rules = [{"rule": "require_specific_reviewers", "users": [lee]}]
    space = world.space("Guide", {"a": "# A\n"}, merge_rules={"type": "rules", "rules": rules})
    request = world.change_request(space, {"a": "# B\n"}, by=lee)
    service = told.Desk(world)
    async with service.api() as api:
        now = await api(ops.get_change_request, space, request)
        there = await api(ops.get_space, space)
        service.asked()
        [rule] = (await read_rules(api, now, there)).results
        assert "Lee Park" in rule.sentence
        assert not [each for each in service.asked() if "/members/" in each], "it is known"

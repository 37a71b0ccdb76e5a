"""What is told of a request of a merge run: what is in its way, and why it was not merged."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from copydesk.client.errors import (
    Blocked,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    RateLimited,
    ServerFault,
    Unreachable,
)
from copydesk.contract import operations as ops
from copydesk.contract.models.change_request import ChangeRequest
from copydesk.contract.models.change_request import Conflict as Conflicting
from copydesk.domain.merge_run import Found, RunItem
from copydesk.server import threads
from copydesk.session.errors import NotDoneError
from copydesk.session.reads.merge_run import (
    SAID,
    PlannedState,
    conflicting,
    read_found,
    read_standing,
    why_not_read,
    why_not_written,
)
from copydesk.session.writes.log import UnansweredError
from copydesk.session.writes.merges import ConflictedError
from tests.session.reads import told
from tests.tui.strange import strange
from tests.world import START, World


def conflict(**told: Any) -> Conflicting:
    return Conflicting.model_validate(told)


def page(title: str) -> Conflicting:
    return conflict(page={"id": f"p {title}", "title": title, "path": f"at/{title}"})


@pytest.mark.parametrize(
    ("conflicts", "said"),
    [
        ([], "the same; the service does not say which"),
        ([page("A\x07")], "A"),
        ([page("A"), page("A")], "A"),
        ([page("")], "at/"),
        ([conflict(page={"id": "p"})], "p"),
        ([page("A"), conflict(file={"id": "f", "path": "a/b.png"})], "A and a/b.png"),
        ([conflict(file={"id": "f", "name": "b.png"}), conflict(file={"id": "g"})], "b.png and g"),
        ([page(each) for each in "ABCDE"], "A, B, C and 2 more"),
    ],
)
def test_what_conflicts_is_named(conflicts: list[Conflicting], said: str) -> None:
    assert conflicting(conflicts) == said


def clash(*, outdated: bool) -> ConflictedError:
    request = ChangeRequest(
        id="c", number=1, outdated=outdated, space="s", created_at=START, updated_at=START
    )
    return ConflictedError("Both.", [page("A")], request)


@pytest.mark.parametrize(
    ("what", "error", "reason", "said"),
    [
        ("Merge", clash(outdated=False), "conflict", "Not merged: both sides changed A."),
        ("Update", clash(outdated=True), "conflict", "Not updated: both sides changed A."),
        ("Update", clash(outdated=False), "conflict", "Not updated: both sides changed A. They are "
         "in it now."),
        ("Merge", Blocked("Ask Mia."), "rule", "Not merged: the service refused it by a rule. "
         "Ask Mia."),
        ("Merge", NotFound("x"), "gone", "Not found: deleted, or you may no longer see it."),
        ("Merge", Forbidden("No."), "refused", "Not merged. Not allowed: No."),
        ("Update", Invalid("No."), "refused", "Not updated. The service did not accept it: No."),
        ("Merge", Conflict("No."), "refused", "Not merged. Nothing was changed. No."),
        ("Merge", UnansweredError("x"), "unknown", "No answer came: it is not known whether it "
         "was merged. r reads first."),
        ("Update", UnansweredError("x"), "unknown", "No answer came: it is not known whether it "
         "was updated. r reads first."),
        ("Update", NotDoneError("x"), "failed", "No clear answer came; read again, it was not "
         "updated."),
        ("Merge", NotDoneError("x"), "failed", "No clear answer came; read again, it was not "
         "merged."),
        ("Merge", RateLimited("Oh."), "failed", "Not merged. API limit reached. Nothing was lost. "
         "r tries again."),
        ("Merge", ServerFault("Oh."), "unknown", "No answer came: it is not known whether it was "
         "merged. r reads first."),
    ],
)  # fmt: skip
def test_why_a_request_was_not_merged_or_updated_is_told(
    what: str, error: Exception, reason: str, said: str
) -> None:
    assert why_not_written(what, error) == (reason, said)


def test_why_a_request_could_not_be_read_is_told() -> None:
    gone = "Not found: deleted, or you may no longer see it."
    assert why_not_read(NotFound("x")) == ("gone", gone)
    assert why_not_read(Unreachable("No route.")) == (
        "failed",
        "Could not be read: nothing was sent. Offline: No route. r tries again.",
    )


def test_what_is_in_the_way_of_a_request() -> None:
    found = Found("open", "r", failing="It needs a review.")
    assert PlannedState(found, {}).in_the_way == "It needs a review."
    assert PlannedState(replace(found, off="It is empty."), {}).in_the_way == "It is empty."
    merged = replace(found, status="merged")
    assert PlannedState(merged, {}).in_the_way == "The change request is merged already."


async def test_what_a_request_is_based_on_is_what_it_had_of_main_last(world: World) -> None:
    space = world.space("Guide", {"a": "# A\n"})
    request = world.change_request(space, {"a": "# B\n"})
    initial = world.row("space", space)["revision_id"]
    item = RunItem(space, request, "#1", "One")

    def based(**bases: str | None) -> Any:
        return lambda answer: answer | bases

    for bases, base in (
        ({}, initial),
        ({"revisionMergedAncestor": "m"}, "m"),
        ({"revisionMergedAncestor": None, "revisionInitial": None}, ""),
    ):
        async with strange(world, f"/change-requests/{request}", based(**bases)) as api:
            assert (await read_found(api, item)).base == base
    service = told.Desk(world)
    async with service.api() as api:
        before = (await read_found(api, item)).revision
        sent = replace(item, sent="update", revision=before)
        world.commit(space, {"b": "# B\n"})
        await api(ops.pull_change_request_updates, space, request)
        assert (await read_found(api, sent)).pulled_into == before
        assert service.trees() == {told.BARE}
        world.edit_change_request(request, {"a": "# C\n"})
        assert (await read_found(api, sent)).pulled_into == "", "it was edited instead"


async def test_what_speaks_against_a_request_of_a_plan_is_told_before_it_begins(
    world: World,
) -> None:
    lee = world.user("lee", display_name="Lee\x07 Park")
    space = world.space("Guide", {"a": "# A\n", "b": "# B\n"})
    request = world.change_request(space, {"a": "# A\n\nMore.\n", "b": None}, subject="One")
    item = RunItem(space, request, "#1", "One")
    world.write(lambda tx: threads.add_review(tx, request, lee, "changes-requested"))
    first = world.comment(space, "What of it?", change_request=request)

    def more(answer: Any) -> None:
        answer["more"] = 2

    async with strange(world, "/changes", more) as api:
        found = await read_standing(api, item)
    assert found.warnings[0] == "1 thread is open"
    assert "Lee Park" in found.warnings[1]
    assert found.warnings[-1] == "2 more changes than could be looked at"
    assert (found.more, found.about) == (2, False)
    assert sorted(found.touched.values()) == ["A", "B"]
    assert found.found.comments[0] == (first, 0)
    assert found.found.comments[1][0].startswith("review ")
    assert found.found.open_threads == 1
    world.comment(space, "And this.\x07 ", change_request=request, by=lee)
    async with world.api() as api:
        seen = replace(item, comments=found.found.comments)
        found = await read_standing(api, seen)
        assert found.warnings[0] == "2 threads are open"
        assert found.found.said_by == "Lee Park: “And this”"
        world.reply(first, "No\nmore.", by=lee)
        seen = replace(item, comments=found.found.comments)
        assert (await read_found(api, seen)).said_by == "Lee Park: “No more”"
        seen = replace(item, comments=(await read_found(api, seen)).comments)
        assert (await read_found(api, seen)).said_by == ""
        world.comment(space, "o" * (SAID + 1), change_request=request, by=lee)
        assert (await read_found(api, seen)).said_by == f"Lee Park: “{'o' * SAID}”"
        seen = replace(item, comments=(await read_found(api, seen)).comments)
        world.comment(space, " . ", change_request=request, by=lee)
        assert (await read_found(api, seen)).said_by == "Lee Park"
        await api(ops.merge_change_request, space, request)
        merged = await read_found(api, item)
        assert merged.status == "merged"
        assert merged.merged == world.row("space", space)["revision_id"]

"""Rows of change requests: what they hold, and what is kept of them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from copydesk.contract.models.change_request import ChangeRequest as Request
from copydesk.contract.models.document import Document
from copydesk.contract.models.user import User
from copydesk.domain.merge_rules import Outcome, RuleResult
from copydesk.local.snapshot import Snapshots
from copydesk.session.change_rows import (
    DESCRIPTION,
    KeptView,
    RequestDetails,
    behind_main,
    keep,
    known_requests,
    readiness,
    readiness_of,
    recall,
    row_of,
    snapshot_name,
)
from copydesk.session.target import Target
from tests.session.rows import NOW, row
from tests.session.test_session import session


def test_a_row_holds_clean_text_and_names_what_has_no_name() -> None:
    request = Request(
        id="1", number=7, subject="\x1b[31m\u202e ", created_at=NOW, updated_at=NOW, space="s"
    )
    made = row_of(request)
    assert made.subject == "(no subject)"
    assert made.author == "someone"
    assert made.label == "#7"
    text = {"object": "text", "leaves": [{"object": "leaf", "text": " One\nline.\x07"}]}
    block = {"object": "block", "type": "paragraph", "nodes": [text]}
    request.description = Document.model_validate({"nodes": [block, block]})
    assert row_of(request).description == "One\nline.\n\n One\nline."
    text["leaves"] = [{"object": "leaf", "text": "x" * (DESCRIPTION + 1)}]
    request.description = Document.model_validate({"nodes": [block]})
    assert row_of(request).description == "x" * DESCRIPTION


def test_rows_are_kept_as_plain_data_and_nothing_broken_comes_back() -> None:
    snapshot = Snapshots()
    rows = [row(1, cluster="c"), row(2, outdated=True, threads=3)]
    view = KeptView(
        rows,
        {"s": "Platform"},
        9,
        {"open": 9, "ready": 2},
        ["7 are outside."],
        {row.id: {"rules": ("1/2", "warn")} for row in rows},
    )
    keep(snapshot, "changes", view)
    assert recall(snapshot, "changes") == view
    json.dumps(list(snapshot.read("changes")))
    keep(snapshot, "untitled", KeptView(rows, {}))
    assert [each["title"] for each in snapshot.read("untitled")[1:]] == ["", ""]
    whole = dict(snapshot.read("changes")[1])
    for broken in ({"id": 5}, {"updated": "soon"}, {"threads": True}, {"created": None}):
        snapshot.write("changes", [{"total": 2}, whole | broken, {}, whole])
        assert recall(snapshot, "changes").rows == rows[:1]
    snapshot.write("changes", [{"total": 1}, whole | {"subject": "\x1b[31mred"}])
    assert recall(snapshot, "changes").rows[0].subject == "red"
    snapshot.write("changes", [{"total": 1}, {k: v for k, v in whole.items() if k != "title"}])
    assert recall(snapshot, "changes").titles == {"s": ""}
    bare = KeptView(rows[:1], {"s": "Platform"}, cells={rows[0].id: {}})
    for odd in ({"total": "9"}, {"counts": [1]}, {"counts": {"a": "b"}}, {"last_lines": 7}):
        for cells in (7, {"rules": ["1/2"]}, {"rules": ["1/2", "blink"]}, {"rules": [1, "warn"]}):
            snapshot.write("changes", [{"total": None} | odd, whole | {"cells": cells}])
            assert recall(snapshot, "changes") == bare
    snapshot.write("changes", [{"total": None, "last_lines": ["\x1b[31mred"]}, whole])
    assert recall(snapshot, "changes").last_lines == ["red"]
    # Without that it is not known to be what was shown of the view.
    snapshot.write("changes", [whole])
    assert recall(snapshot, "changes") == KeptView()


def test_how_many_rules_pass_and_whether_nothing_changes_is_known_once_it_is_read() -> None:
    rules = [RuleResult("r", outcome, "") for outcome in ("pass", "fail", "pass", "unknown")]
    assert (RequestDetails(rules=rules).passed, RequestDetails().passed) == (2, 0)
    assert RequestDetails(pages=[]).empty
    assert not RequestDetails().empty
    assert not RequestDetails(pages=[], more_pages=1).empty
    assert not RequestDetails(pages=[], unlooked="not looked at").empty


def test_a_view_of_a_place_is_kept_under_its_own_name() -> None:
    names = [
        snapshot_name(target, "o", "open")
        for target in (Target(), Target(space="s"), Target(cluster="c"))
    ]
    assert names == ["changes o - - open", "changes o s - open", "changes o - c open"]


async def test_what_is_known_of_requests_is_of_the_session() -> None:
    ours = session()
    known = known_requests(ours)
    assert (known.me(), known.clock()) == ("", ours.clock())
    ours.me = User(id="me")
    assert known.me() == "me"
    assert known.now() == ours.now
    asleep = row(1)
    assert not known.snoozed(asleep)
    assert not known.marks(asleep)


def rule(
    outcome: Outcome, sentence: str = "", kind: str = "require_change_request_subject"
) -> RuleResult:
    return RuleResult(kind, outcome, sentence or f"it is a {outcome}")


MET = [rule("pass"), rule("pass")]
FAILS = [rule("pass"), rule("fail", "needs a subject"), rule("unknown", "two moons")]


@pytest.mark.parametrize(
    ("sides", "said"),
    [
        (None, "^ out of date, may conflict"),
        ([], "^ out of date, but main changed none of its pages"),
        (["A\x1b"], "^ out of date, may conflict in A"),
        (["A", "B"], "^ out of date, may conflict in A and B"),
        (["A", "B", "C", "D"], "^ out of date, may conflict in A, B and 2 more"),
        (["x" * 50], f"^ out of date, may conflict in {'x' * 39}…"),
    ],
)
def test_what_being_behind_means(sides: list[str] | None, said: str) -> None:
    assert behind_main(sides) == said


@pytest.mark.parametrize(
    ("results", "more", "word", "tone", "why"),
    [
        (MET, {}, "READY TO MERGE", "good", "2 rules met"),
        ([rule("pass")], {}, "READY TO MERGE", "good", "1 rule met"),
        ([], {}, "READY TO MERGE", "good", "no rules here"),
        (MET, {"outdated": True, "both_sides": []}, "READY TO MERGE", "good",
         "2 rules met   ^ out of date, but main changed none of its pages"),
        (MET, {"outdated": True}, "READY?", "accent", "^ out of date, may conflict"),
        (None, {}, "READY?", "accent", "its rules are not known"),
        (None, {"unlooked": "only some were"}, "READY?", "accent",
         "its rules are not known; only some were"),
        (MET, {"against": ["Lee"]}, "READY !", "warn",
         "Lee asked for changes; no one has approved it since"),
        (MET, {"against": ["Lee"], "outdated": True, "both_sides": []}, "READY !", "warn",
         "Lee asked for changes; no one has approved it since"
         "   ^ out of date, but main changed none of its pages"),
        (None, {"against": ["Lee"]}, "READY?", "warn",
         "! Lee asked for changes; no one has approved it since; its rules are not known"),
        (FAILS, {}, "1 of 3 rules met", "warn", "needs a subject"),
        (FAILS, {"losing": ["A is gone"], "outdated": True}, "1 of 3 rules met", "warn",
         "needs a subject; ! A is gone   ^ out of date, may conflict"),
        (MET, {"losing": ["A is gone", "B is gone"]}, "LOSES PAGES", "warn",
         "A is gone; ! B is gone"),
        ([rule("unknown", "two moons")], {"losing": ["A is gone"], "outdated": True},
         "LOSES PAGES", "warn",
         "A is gone; two moons   ^ out of date, may conflict"),
        (MET, {"empty": True}, "CHANGES NOTHING", "warn", "there is nothing to merge"),
        (FAILS, {"empty": True}, "CHANGES NOTHING", "warn",
         "there is nothing to merge; needs a subject"),
        (MET, {"stuck": True, "outdated": True}, "CONFLICTS", "bad",
         "an update met the same lines changed on both sides   ^ out of date"),
        (FAILS, {"stuck": True, "against": ["Lee"], "losing": ["A is gone"]}, "CONFLICTS", "bad",
         "an update met the same lines changed on both sides; needs a subject; ! A is gone; "
         "! Lee asked for changes; no one has approved it since   ^ out of date"),
    ],
)  # fmt: skip
def test_how_ready_an_open_one_is(
    results: list[RuleResult] | None, more: dict[str, Any], word: str, tone: str, why: str
) -> None:
    found = readiness("open", results, **{"outdated": False, **more})
    assert (found.word, found.tone, found.why) == (word, tone, why)
    updates = why.endswith("may conflict")
    assert found.do == ("U updates" if updates else "")


@pytest.mark.parametrize(
    ("status", "tone", "do"),
    [("draft", "muted", "W makes it open"), ("merged", "good", ""), ("archived", "muted", "")],
)
def test_one_that_is_not_open_says_so(status: str, tone: str, do: str) -> None:
    found = readiness(status, None, outdated=True)
    assert (found.word, found.tone, found.why, found.do) == (status, tone, "", do)


def test_the_details_of_a_row_say_how_ready_it_is() -> None:
    for details, more in (
        (RequestDetails(rules=MET), {}),
        (RequestDetails(rules=FAILS), {}),
        (RequestDetails(rules=MET, losing=("“A” goes",)), {"losing": ("“A” goes",)}),
        (RequestDetails(rules=MET, against=("Lee",)), {"against": ("Lee",)}),
        (RequestDetails(rules=MET, unlooked="only some"), {"unlooked": "only some"}),
        (RequestDetails(rules=MET, pages=()), {"empty": True}),
        (
            RequestDetails(rules=MET, stuck=True, both_sides=("A",)),
            {"stuck": True, "both_sides": ("A",)},
        ),
    ):
        for outdated in (False, True):
            told = readiness("open", details.rules, outdated=outdated, **more)
            assert readiness_of(row(outdated=outdated), details) == told

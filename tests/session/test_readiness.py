"""Whether a change request can be merged, in a word and with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from copydesk.domain.merge_rules import Outcome, RuleResult
from copydesk.session.change_rows import Details
from copydesk.session.readiness import behind_main, readiness, readiness_of
from tests.session.rows import row


def rule(
    outcome: Outcome, sentence: str = "", kind: str = "require_change_request_subject"
) -> RuleResult:
    return RuleResult(kind, outcome, sentence or f"it is a {outcome}")


MET = [rule("pass"), rule("pass")]
FAILS = [rule("pass"), rule("fail", "needs a subject"), rule("unknown", "two moons")]


@pytest.mark.parametrize(
    ("sides", "said"),
    [
        (None, "^ out of date, may conflict: U updates"),
        ([], "^ out of date, but main changed none of its pages"),
        (["A\x1b"], "^ out of date, may conflict in A: U updates"),
        (["A", "B"], "^ out of date, may conflict in A and B: U updates"),
        (["A", "B", "C", "D"], "^ out of date, may conflict in A, B and 2 more: U updates"),
        (["x" * 50], f"^ out of date, may conflict in {'x' * 39}…: U updates"),
    ],
)
def test_what_being_behind_means(sides: list[str] | None, said: str) -> None:
    assert behind_main(sides) == said
    assert behind_main(sides, keys=False) == said.removesuffix(": U updates")


@pytest.mark.parametrize(
    ("results", "more", "word", "tone", "why"),
    [
        (MET, {}, "READY TO MERGE", "good", "2 rules met"),
        ([rule("pass")], {}, "READY TO MERGE", "good", "1 rule met"),
        ([], {}, "READY TO MERGE", "good", "no rules here"),
        (MET, {"outdated": True, "both_sides": []}, "READY TO MERGE", "good",
         "2 rules met   ^ out of date, but main changed none of its pages"),
        (MET, {"outdated": True}, "READY?", "accent", "^ out of date, may conflict: U updates"),
        (MET, {"outdated": True, "keys": False}, "READY?", "accent", "^ out of date, may conflict"),
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
         "needs a subject; ! A is gone   ^ out of date, may conflict: U updates"),
        (MET, {"losing": ["A is gone", "B is gone"]}, "LOSES PAGES", "warn",
         "A is gone; ! B is gone"),
        ([rule("unknown", "two moons")], {"losing": ["A is gone"], "outdated": True},
         "LOSES PAGES", "warn",
         "A is gone; two moons   ^ out of date, may conflict: U updates"),
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


@pytest.mark.parametrize(
    ("status", "tone", "why"),
    [("draft", "muted", "W makes it open"), ("merged", "good", ""), ("archived", "muted", "")],
)
def test_one_that_is_not_open_says_so(status: str, tone: str, why: str) -> None:
    found = readiness(status, None, outdated=True)
    assert (found.word, found.tone, found.why) == (status, tone, why)
    assert readiness(status, None, outdated=True, keys=False).why == ""


def test_the_details_of_a_row_say_how_ready_it_is() -> None:
    for details, more in (
        (Details(rules=MET), {}),
        (Details(rules=FAILS), {}),
        (Details(rules=MET, losing=("“A” goes",)), {"losing": ("“A” goes",)}),
        (Details(rules=MET, against=("Lee",)), {"against": ("Lee",)}),
        (Details(rules=MET, unlooked="only some"), {"unlooked": "only some"}),
        (Details(rules=MET, pages=()), {"empty": True}),
        (Details(rules=MET, stuck=True, both_sides=("A",)), {"stuck": True, "both_sides": ("A",)}),
    ):
        for outdated in (False, True):
            told = readiness("open", details.rules, outdated=outdated, **more)
            assert readiness_of(row(outdated=outdated), details) == told

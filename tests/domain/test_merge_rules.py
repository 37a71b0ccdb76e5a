from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from pydantic import TypeAdapter

from copydesk.contract.enumerations import MergeRuleKind
from copydesk.contract.models.base import read_leniently
from copydesk.contract.models.merge_rules import MergeRule, MergeRules
from copydesk.contract.models.review import Review
from copydesk.domain.merge_rules import (
    CHECKS,
    LABELS,
    MergeFacts,
    Outcome,
    RuleResult,
    Verdict,
    blocking,
    effective,
    evaluate,
    label,
    objection,
    objectors,
    verdicts_of,
)
from copydesk.domain.space_tree import rule_list

NAMES = {"p": "Priya", "l": "Lee", "s": "Sam"}
START = datetime(2025, 3, 1, tzinfo=UTC)


def verdict(reviewer: str, status: str = "approved", day: int = 0, old: bool = False) -> Verdict:
    return Verdict(reviewer, status, old, START + timedelta(days=day))


def facts(*verdicts: Verdict, requested: tuple[str, ...] = ()) -> MergeFacts:
    return MergeFacts("Fix", True, False, verdicts, requested, NAMES)


def result(rule: str, known: MergeFacts, *users: str) -> RuleResult:
    (found,) = evaluate([MergeRule(rule=rule, users=list(users) or None)], known)
    return found


def test_kinds_that_only_hosted_services_have() -> None:
    rule = MergeRule.model_validate
    read = [
        rule({"rule": "require_at_least_one_approved_review"}),
        rule({"rule": "custom", "expression": "1 > 2", "message": "Ask\x1b[1m twice\n"}),
    ]
    failing = evaluate(read, facts(verdict("p", NO)))
    assert [each.outcome for each in failing] == ["fail", "unknown"]
    assert failing[1].sentence == "Ask twice: only the service can tell"
    long = evaluate([rule({"rule": "custom", "message": "x" * 999})], facts())
    assert long[0].sentence == f"{'x' * 200}: only the service can tell"
    assert blocking(failing) is not None
    passed = evaluate([*read, rule({"rule": "allow_bypass", "users": ["l"]})], facts())
    assert (passed[2].outcome, "Lee merge" in passed[2].sentence) == ("pass", True)
    assert blocking(passed) is None


def test_every_kind_of_the_contract_is_checked() -> None:
    assert set(CHECKS) == set(get_args(MergeRuleKind)) == set(LABELS)


NO = "changes-requested"


@pytest.mark.parametrize(
    ("rule", "users", "known", "outcome", "sentence", "people"),
    [
        ("require_specific_reviewers", "pl", facts(verdict("p"), verdict("l")), "pass",
         "is approved by Priya and Lee", ""),
        ("require_specific_reviewers", "pl", facts(verdict("p")), "fail",
         "needs an approval by Priya and Lee; Lee has not approved", "l"),
        ("require_specific_reviewers", "pl", facts(verdict("s")), "fail",
         "needs an approval by Priya and Lee; no approval yet", "pl"),
        ("require_specific_reviewers", "p", facts(verdict("p", NO)), "fail",
         "needs an approval by Priya; Priya asked for changes", "p"),
        ("require_one_of_specific_reviewers", "pl", facts(), "fail",
         "needs an approval by Priya or Lee; no approval yet", "pl"),
        ("require_one_of_specific_reviewers", "pl", facts(verdict("l", old=True)), "pass",
         "is approved by Lee, before the latest change", ""),
        ("require_one_of_specific_reviewers", "x", facts(), "fail",
         "needs an approval by x; no approval yet", "x"),
        ("require_at_least_one_review", "", facts(), "fail",
         "needs an approving review; no approval yet and no one was asked", ""),
        ("require_at_least_one_review", "", facts(requested=("p", "l")), "fail",
         "needs an approving review; Priya and Lee have not answered", "pl"),
        ("require_at_least_one_review", "", facts(verdict("s", NO)), "fail",
         "needs an approving review; Sam asked for changes", "s"),
        ("require_at_least_one_review", "", facts(verdict("s"), verdict("p", old=True)), "pass",
         "is approved by Sam and Priya (Priya before the latest change)", ""),
        ("require_all_reviews_approved", "", facts(verdict("s"), verdict("p", NO),
         requested=("l",)), "fail",
         "needs every review to approve; Priya asked for changes, and Lee has not answered", "pl"),
        ("require_all_reviews_approved", "", facts(), "pass", "has no review waiting", ""),
        ("require_all_reviews_approved", "", facts(verdict("s"), requested=("s",)), "pass",
         "is approved by Sam", ""),
        ("require_all_reviews_approved", "", MergeFacts(verdicts=()), "unknown",
         "needs every review to approve; it is not known who was asked", ""),
        ("require_up_to_date_change_request", "", MergeFacts(outdated=True), "fail",
         "needs to be up to date; main has moved on, update it first", ""),
        ("require_up_to_date_change_request", "", facts(), "pass",
         "is up to date with main", ""),
        ("require_change_request_subject", "", MergeFacts(subject=" "), "fail",
         "needs a subject; the subject is empty", ""),
        ("require_change_request_subject", "", facts(), "pass", "has a subject", ""),
        ("require_change_request_description", "", MergeFacts(described=False), "fail",
         "needs a description; the description is empty", ""),
        ("require_change_request_description", "", facts(), "pass", "has a description", ""),
        ("require_two_moons", "", facts(), "unknown", "two moons: only the service can tell", ""),
    ],
)  # fmt: skip
def test_rules_say_which_and_who(
    rule: str, users: str, known: MergeFacts, outcome: Outcome, sentence: str, people: str
) -> None:
    assert result(rule, known, *users) == RuleResult(rule, outcome, sentence, tuple(people))


@pytest.mark.parametrize("rule", get_args(MergeRuleKind))
def test_what_is_not_known_is_neither_met_nor_broken(rule: str) -> None:
    assert result(rule, MergeFacts(), "p").outcome == "unknown"


def test_the_newest_verdict_of_a_person_counts() -> None:
    changed_mind = facts(verdict("p", NO, day=2), verdict("p", day=1))
    assert result("require_at_least_one_review", changed_mind).outcome == "fail"
    satisfied = facts(verdict("p", day=3), verdict("p", NO, day=2))
    assert result("require_at_least_one_review", satisfied).outcome == "pass"


def test_who_objects_after_an_approval_is_named() -> None:
    assert objectors([verdict("l", NO, day=2), verdict("p", day=1)]) == ("l",)
    assert objectors([verdict("l", NO, day=1), verdict("p", NO)]) == ("l", "p")
    assert objectors([verdict("p", day=2), verdict("l", NO, day=1)]) == ()
    assert objectors([verdict("p", day=2), verdict("l", NO, day=1)], author="p") == ("l",)
    assert objectors([verdict("l", day=3), verdict("l", NO, day=2)]) == ()
    assert objectors([verdict("l", NO), verdict("p")]) == ("l",), "the newest stands first"


def test_a_refusal_names_every_rule_that_fails() -> None:
    rules = [MergeRule(rule=kind, users=["p"]) for kind in get_args(MergeRuleKind)]
    results = evaluate(rules, MergeFacts("", True, True, (), (), NAMES))
    assert blocking(results) == (
        "This change request cannot be merged. It needs an approval by Priya; no approval yet. "
        "It needs an approval by Priya; no approval yet. It needs an approving review; no "
        "approval yet and no one was asked. It needs to be up to date; main has moved on, update "
        "it first. It needs a subject; the subject is empty."
    )
    assert blocking(evaluate(rules[-1:], facts())) is None


def test_a_space_inherits_replaces_or_has_no_rules() -> None:
    one = MergeRule(rule="require_change_request_subject")
    two = MergeRule(rule="require_at_least_one_review")
    organization = MergeRules(type="rules", rules=[one])
    assert effective(MergeRules(type="inherit"), organization) == (one,)
    assert effective(None, organization) == (one,)
    assert effective(MergeRules(type="rules", rules=[two]), organization) == (two,)
    assert effective(MergeRules(type="none"), organization) == ()
    assert effective(MergeRules(type="inherit"), MergeRules(type="inherit")) == ()
    assert effective(None, None) == ()


def test_labels() -> None:
    assert label("require_up_to_date_change_request") == "up to date"
    assert label("require_") == "a rule that cannot be read"


def test_reviews_become_verdicts() -> None:
    review = Review.model_validate(
        {
            "id": "r",
            "status": "approved",
            "outdated": True,
            "createdAt": START.isoformat(),
            "reviewer": {"object": "user", "id": "p", "displayName": "Priya"},
        }
    )
    assert verdicts_of([review]) == (verdict("p", old=True),)


@pytest.mark.parametrize(
    ("rule", "users", "known", "outcome", "sentence"),
    [
        ("require_specific_reviewers", "", facts(), "pass", "names no one to ask"),
        ("require_specific_reviewers", "p", MergeFacts(), "unknown",
         "needs an approval by p; its reviews are not known"),
        ("require_specific_reviewers", "pls", facts(verdict("p")), "fail",
         "needs an approval by Priya, Lee and Sam; Lee and Sam have not approved"),
        ("require_one_of_specific_reviewers", "", facts(), "pass", "names no one to ask"),
        ("require_one_of_specific_reviewers", "pl", facts(verdict("l", NO)), "fail",
         "needs an approval by Priya or Lee; Lee asked for changes"),
        ("require_one_of_specific_reviewers", "p", MergeFacts(), "unknown",
         "needs an approval by p; its reviews are not known"),
        ("require_at_least_one_review", "", MergeFacts(), "unknown",
         "needs an approving review; its reviews are not known"),
        ("require_at_least_one_review", "", facts(requested=("p",)), "fail",
         "needs an approving review; Priya has not answered"),
        ("require_all_reviews_approved", "", MergeFacts(), "unknown",
         "needs every review to approve; its reviews are not known"),
        ("require_up_to_date_change_request", "", MergeFacts(), "unknown",
         "needs to be up to date; not known if it is"),
        ("require_change_request_subject", "", MergeFacts(), "unknown",
         "needs a subject; not known if it has one"),
        ("require_change_request_description", "", MergeFacts(), "unknown",
         "needs a description; not known if it has one"),
    ],
)  # fmt: skip
def test_what_a_rule_says_of_nobody_and_of_what_is_not_known(
    rule: str, users: str, known: MergeFacts, outcome: Outcome, sentence: str
) -> None:
    found = result(rule, known, *users)
    assert (found.outcome, found.sentence) == (outcome, sentence)
    assert found.named == tuple(users)


def test_the_authors_own_approval_does_not_count() -> None:
    own = MergeFacts(verdicts=(verdict("p"),), requested=(), names=NAMES, author="p")
    for rule, users in (
        ("require_specific_reviewers", "p"),
        ("require_one_of_specific_reviewers", "p"),
        ("require_at_least_one_review", ""),
    ):
        found = result(rule, own, *users)
        assert found.outcome == "fail"
        assert "; its author's own does not count" in found.sentence


def test_who_stands_against_a_merge_is_told_where_no_rule_says_so() -> None:
    failing = evaluate([MergeRule(rule="require_at_least_one_review")], facts(verdict("p", NO)))
    passing = evaluate([MergeRule(rule="require_change_request_subject")], facts())
    said = "Priya and Lee asked for changes; no one has approved it since"
    assert objection(["Priya", "Lee"], passing) == objection(["Priya", "Lee"], None) == said
    assert objection(["Priya"], failing) == ""
    assert objection([], passing) == ""
    subject = evaluate([MergeRule(rule="require_change_request_subject")], MergeFacts(subject=""))
    assert objection(["Priya", "Lee"], subject) == said


def test_whether_a_team_has_answered_is_not_known() -> None:
    rules = [
        MergeRule(rule="require_all_reviews_approved"),
        MergeRule(rule="require_at_least_one_review"),
    ]
    asked = MergeFacts(verdicts=(), requested=(), teams=("team Docs",))
    every, one = evaluate(rules, asked)
    assert every.outcome == "unknown"
    assert (
        every.sentence == "needs every review to approve; whether team Docs answered is not known"
    )
    assert (one.outcome, one.people) == ("fail", ())
    assert one.sentence == "needs an approving review; team Docs has not answered"


@pytest.mark.parametrize(
    ("answer", "labels"),
    [
        ('{"type": "rules", "rules": [{"rule": 1}, {"rule": "require_up_to_date_change_request"}]}',
         ["a rule that cannot be read", "up to date"]),
        ('{"type": "rules", "rules": [{"rule": "require_specific_reviewers", "users": 7}]}',
         ["a rule that cannot be read"]),
        ('{"type": "rules", "rules": "x"}', ["a rule that cannot be read"]),
        ('{"type": "rules"}', ["a rule that cannot be read"]),
        ('{"type": 3}', ["a rule that cannot be read"]),
        ('{"type": "other"}', ["a rule that cannot be read"]),
        ('"none"', ["a rule that cannot be read"]),
        ("[]", ["a rule that cannot be read"]),
        ('{"type": "rules", "rules": []}', []),
        ('{"type": "none"}', []),
        ("{}", []),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_a_rule_of_which_only_the_service_can_tell(
    answer: str, labels: list[str]
) -> None:
    rules, _ = read_leniently(TypeAdapter(MergeRules), answer.encode())
    kind, listed = rule_list(rules)
    assert [label(rule) for rule, _ in listed] == labels
    assert kind == ("rules" if labels or '"rules"' in answer else rules.type)
    outcomes = evaluate(effective(rules, None), MergeFacts(outdated=False))
    assert [each.outcome for each in outcomes] == [
        "unknown" if name.endswith("read") else "pass" for name in labels
    ]

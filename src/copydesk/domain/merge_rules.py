"""Merge rules: whether a change request meets them, and who has to do what when it does not.

The embedded desk refuses a merge with these sentences and the screen shows the same ones. All rules
must pass (docs/api-notes.md, Merge rules). Where the API says no more than a rule's name, this is
how it is read: a review counts by its newest verdict per person, and only an approval meets a rule
that asks for a review. An approval of an earlier revision still counts, or pulling in primary
content would undo every review; the sentence says that it is of an earlier one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal, TypeAlias

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean, listed

if TYPE_CHECKING:
    from copydesk.contract.models.merge_rules import MergeRule, MergeRules
    from copydesk.contract.models.review import Review

Outcome: TypeAlias = Literal["pass", "fail", "unknown"]

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Verdict:
    """A review as rules see it: who, "approved" or "changes-requested", when, of which state."""

    reviewer: str
    status: str
    outdated: bool = False
    at: datetime | None = None


@dataclass(frozen=True)
class MergeFacts:
    """The known facts about a change request. None is "not known", which no rule takes for a no.

    ``verdicts`` may be in any order. ``requested`` are the ids of people asked for a review,
    ``teams`` the names of teams: which of them have answered is not known.
    ``names`` maps ids of people to their names; an id without a name stands for itself. ``author``
    is whose change request it is: no rule counts what they say of their own work.
    """

    subject: str | None = None
    described: bool | None = None
    outdated: bool | None = None
    verdicts: Sequence[Verdict] | None = None
    requested: Collection[str] | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    author: str | None = None
    teams: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class RuleResult:
    """How one rule came out.

    ``sentence`` says why, without a full stop, so that it can go on: "needs an approval by
    Priya or Lee; no approval yet". ``people`` are the ids of those who can do something about it,
    ``named`` those of whom the rule itself speaks.
    """

    rule: str
    outcome: Outcome
    sentence: str
    people: tuple[str, ...] = ()
    named: tuple[str, ...] = field(default=(), compare=False)


def effective(
    space_rules: MergeRules | None, organization_rules: MergeRules | None
) -> tuple[MergeRule, ...]:
    """Return the rules that hold in a space: its own, or its organization's when it inherits."""
    rules = space_rules
    if rules is None or rules.type == "inherit":
        rules = organization_rules
    if rules is None or rules.type in ("inherit", "none"):
        return ()
    return tuple(rules.rules or ())


def verdicts_of(reviews: Iterable[Review]) -> tuple[Verdict, ...]:
    """Return reviews as rules see them."""
    return tuple(
        Verdict(review.reviewer.id, review.status, review.outdated, review.created_at)
        for review in reviews
    )


def objectors(verdicts: Sequence[Verdict], author: str | None = None) -> tuple[str, ...]:
    """Return who stands against a merge after whoever approved it last, the newest first.

    A rule that one approval meets does not ask for those: they are what its approval did not know
    of. ``verdicts`` are the newest first where two have the same time. An approval by the author
    stands for nothing.
    """
    found: list[str] = []
    heard: set[str] = set()
    for verdict in sorted(verdicts, key=_when, reverse=True):
        if verdict.reviewer in heard:
            continue
        heard.add(verdict.reviewer)
        if verdict.status == "changes-requested":
            found.append(verdict.reviewer)
        elif verdict.status == "approved" and verdict.reviewer != author:
            break
    return tuple(found)


def evaluate(rules: Iterable[MergeRule], facts: MergeFacts) -> list[RuleResult]:
    """Return how each rule comes out, in the order of the rules.

    A rule of a kind that this version does not know is "unknown": the service decides.
    """
    results: list[RuleResult] = []
    for rule in rules:
        check = CHECKS.get(rule.rule) or _HOSTED.get(rule.rule)
        if check is None:
            sentence = f"{said_of(rule)}: only the service can tell"
            results.append(RuleResult(rule.rule, "unknown", sentence))
            continue
        named = tuple(rule.users or ())
        outcome, sentence, people = check(_Situation(facts), named)
        results.append(RuleResult(rule.rule, outcome, sentence, people, named))
    return results


def blocking(results: Sequence[RuleResult]) -> str | None:
    """Return why a merge is refused, a sentence for each rule, or None when no rule fails.

    None too where someone may merge without the rules: the service knows who.
    """
    reasons = [result.sentence for result in results if result.outcome == "fail"]
    if not reasons or any(result.rule == BYPASS for result in results):
        return None
    return " ".join(["This change request cannot be merged.", *(f"It {why}." for why in reasons)])


def label(rule: str) -> str:
    """Return the short name of a kind of rule: "up to date". One that is not known is cleaned."""
    if rule in LABELS:
        return LABELS[rule]
    return clean(rule).removeprefix("require_").replace("_", " ") or "a rule that cannot be read"


def said_of(rule: MergeRule) -> str:
    """Return what a rule says of itself, else its short name; clean text."""
    return " ".join(clean(rule.message or "", limit=200).split()) or label(rule.rule)


class _Situation:
    """The facts with the questions that rules ask of them."""

    def __init__(self, facts: MergeFacts) -> None:
        self.facts = facts
        newest: dict[str, Verdict] = {}
        for verdict in sorted(facts.verdicts or (), key=_when):
            newest[verdict.reviewer] = verdict
        self.known = facts.verdicts is not None
        own = newest.pop(facts.author, None) if facts.author is not None else None
        self.newest = newest
        self.none = "no approval yet" if own is None else "its author's own does not count"

    def names(self, people: Iterable[str], last: str = "and") -> str:
        return listed([self.facts.names.get(person, person) for person in people], last)

    def approvals(self, people: Collection[str] | None = None) -> tuple[str, ...]:
        return tuple(
            person
            for person, verdict in self.newest.items()
            if verdict.status == "approved" and (people is None or person in people)
        )

    def approved_by(self, people: Sequence[str]) -> str:
        old = [person for person in people if self.newest[person].outdated]
        sentence = f"is approved by {self.names(people)}"
        if len(old) == len(people):
            return f"{sentence}, before the latest change"
        return f"{sentence} ({self.names(old)} before the latest change)" if old else sentence

    def objections(self, people: Collection[str] | None = None) -> tuple[str, ...]:
        return tuple(
            person
            for person, verdict in self.newest.items()
            if verdict.status != "approved" and (people is None or person in people)
        )


_Answer: TypeAlias = tuple[Outcome, str, tuple[str, ...]]
_Check: TypeAlias = Callable[[_Situation, tuple[str, ...]], _Answer]


def _when(verdict: Verdict) -> datetime:
    return verdict.at or _LONG_AGO


def _have(people: Sequence[str]) -> str:
    return "has" if len(people) == 1 else "have"


def _unknown_reviews(need: str) -> _Answer:
    return "unknown", f"{need}; its reviews are not known", ()


def _specific_reviewers(now: _Situation, users: tuple[str, ...]) -> _Answer:
    need = f"needs an approval by {now.names(users)}"
    if not now.known:
        return _unknown_reviews(need)
    given = now.approvals(users)
    missing = tuple(person for person in users if person not in given)
    if not missing:
        return "pass", now.approved_by(given) if given else "names no one to ask", ()
    against = now.objections(missing)
    if against:
        return "fail", f"{need}; {now.names(against)} asked for changes", missing
    if given:
        return "fail", f"{need}; {now.names(missing)} {_have(missing)} not approved", missing
    return "fail", f"{need}; {now.none}", missing


def _one_of_specific_reviewers(now: _Situation, users: tuple[str, ...]) -> _Answer:
    need = f"needs an approval by {now.names(users, 'or')}"
    if not now.known:
        return _unknown_reviews(need)
    if given := now.approvals(users):
        return "pass", now.approved_by(given), ()
    if not users:
        return "pass", "names no one to ask", ()
    against = now.objections(users)
    reason = f"{now.names(against)} asked for changes" if against else now.none
    return "fail", f"{need}; {reason}", users


def _bypass(now: _Situation, users: tuple[str, ...]) -> _Answer:
    return "pass", f"lets {now.names(users) or 'no one'} merge without the other rules", ()


def _at_least_one_review(now: _Situation, users: tuple[str, ...]) -> _Answer:
    need = "needs an approving review"
    if not now.known:
        return _unknown_reviews(need)
    if given := now.approvals():
        return "pass", now.approved_by(given), ()
    asked = tuple(now.facts.requested or ())
    if against := now.objections():
        return "fail", f"{need}; {now.names(against)} asked for changes", against
    if silent := (*asked, *now.facts.teams):
        return "fail", f"{need}; {now.names(silent)} {_have(silent)} not answered", asked
    return "fail", f"{need}; {now.none} and no one was asked", ()


def _all_reviews_approved(now: _Situation, users: tuple[str, ...]) -> _Answer:
    need = "needs every review to approve"
    if not now.known:
        return _unknown_reviews(need)
    against = now.objections()
    silent = tuple(p for p in now.facts.requested or () if p not in now.newest)
    reasons = []
    if against:
        reasons.append(f"{now.names(against)} asked for changes")
    if silent:
        reasons.append(f"{now.names(silent)} {_have(silent)} not answered")
    if reasons:
        return "fail", f"{need}; {', and '.join(reasons)}", (*against, *silent)
    if now.facts.requested is None:
        return "unknown", f"{need}; it is not known who was asked", ()
    if teams := tuple(now.facts.teams):
        return "unknown", f"{need}; whether {now.names(teams)} answered is not known", ()
    given = now.approvals()
    return "pass", now.approved_by(given) if given else "has no review waiting", ()


def _up_to_date(now: _Situation, users: tuple[str, ...]) -> _Answer:
    if now.facts.outdated is None:
        return "unknown", "needs to be up to date; not known if it is", ()
    if now.facts.outdated:
        return "fail", "needs to be up to date; main has moved on, update it first", ()
    return "pass", "is up to date with main", ()


def _subject(now: _Situation, users: tuple[str, ...]) -> _Answer:
    subject = now.facts.subject
    return _is_there("subject", None if subject is None else bool(subject.strip()))


def _description(now: _Situation, users: tuple[str, ...]) -> _Answer:
    return _is_there("description", now.facts.described)


def _is_there(what: str, there: bool | None) -> _Answer:
    if there is None:
        return "unknown", f"needs a {what}; not known if it has one", ()
    return ("pass", f"has a {what}", ()) if there else (
        "fail", f"needs a {what}; the {what} is empty", (),
    )  # fmt: skip


_RULES: Mapping[str, tuple[str, _Check]] = {
    "require_specific_reviewers": ("specific reviewers", _specific_reviewers),
    "require_one_of_specific_reviewers": ("one of specific reviewers", _one_of_specific_reviewers),
    "require_at_least_one_review": ("at least one review", _at_least_one_review),
    "require_all_reviews_approved": ("all reviews approved", _all_reviews_approved),
    "require_up_to_date_change_request": ("up to date", _up_to_date),
    "require_change_request_subject": ("subject", _subject),
    "require_change_request_description": ("description", _description),
}
LABELS: Mapping[str, str] = {rule: name for rule, (name, _) in _RULES.items()}
"""The short name of each kind of rule."""

CHECKS: Mapping[str, _Check] = {rule: check for rule, (_, check) in _RULES.items()}
"""How each kind of rule is checked; a test holds it against the enumeration of the contract."""

BYPASS = "allow_bypass"
_HOSTED: Mapping[str, _Check] = {
    BYPASS: _bypass,
    "require_at_least_one_approved_review": _at_least_one_review,
}
"""Those that hosted services have besides, and that are not written here."""


def objection(against: Sequence[str], results: Sequence[RuleResult] | None) -> str:
    """Return who stands ``against`` a merge that no rule holds up for it; "" for nobody."""
    told = any(each.outcome == "fail" and "review" in each.rule for each in results or ())
    if not against or told:
        return ""
    return f"{listed(against)} asked for changes; no one has approved it since"

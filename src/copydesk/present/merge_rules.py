"""The merge rules of a change request one by one: the result, the reason, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.merge_rules import label, objection
from copydesk.domain.moments import ago
from copydesk.domain.text import clean, few, listed, plural, shorten
from copydesk.present.facts import hint
from copydesk.session.glyphs import glyphs
from copydesk.session.names import asked_name, person_name
from copydesk.session.reads.review import RevisionSide

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.review import RequestedReviewer, Review
    from copydesk.domain.merge_rules import RuleResult
    from copydesk.session.reads.merge import RulesRead

Lines = list[tuple[str, Text | str]]
"""Facts: a label (empty for a line of its own, blank to stand below the one before) and a text."""

UP_TO_DATE = "require_up_to_date_change_request"
OUTCOMES = {"pass": "passes", "fail": "fails", "unknown": "not known here"}
ABOUT_WORDS = frozenset({"require_change_request_subject", "require_change_request_description"})
NOBODY = "no one asked"
NAMED = 4
"""The number of pages in a line."""


@dataclass(frozen=True, slots=True)
class RuleContext:
    """The data that explain rules.

    ``me`` is my id, None where the service does not say it. ``main`` is what primary content moved
    to, None while it is not known or has not moved. ``threads`` is how many are open, None while
    that is not known. ``unseen`` is how many pages I have not read, of how many.
    """

    now: datetime
    me: str | None = None
    main: RevisionSide | None = None
    threads: int | None = None
    unseen: tuple[int, int] = (0, 0)
    may_merge: bool = True
    stuck: bool = False
    impact: str = ""


def rule_sign(result: RuleResult) -> tuple[str, str]:
    """Return the sign and tone of the result of a rule."""
    signs = {"pass": (glyphs().passed, "good"), "fail": (glyphs().failed, "bad")}
    return signs.get(result.outcome, ("?", "warn"))


def rule_lines(request: ChangeRequest, rules: RulesRead, standing: RuleContext) -> Lines:
    """Return the rules one by one, each with its data and what to do; then the rest."""
    lines: Lines = []
    for result in rules.results:
        mark, tone = rule_sign(result)
        head = Text.assemble((f"{mark} ", tone), (clean(label(result.rule)), "strong"))
        head.append(f"   {OUTCOMES.get(result.outcome, '')}", style=tone)
        lines += [("", head), ("why", clean(result.sentence))]
        lines += rule_data(request, rules, result, standing)
        if said := what_to_do(request, rules, result, standing):
            lines.append(("do", hint(said, style="accent")))
        lines.append(("", ""))
    if not rules.results:
        lines += [("", Text("This space has no merge rules.", style="muted")), ("", "")]
    lines.append(("", Text("Besides the rules", style="muted")))
    lines += _besides(request, rules, standing)
    return lines


def said_and_asked(
    request: ChangeRequest, rules: RulesRead, result: RuleResult, now: datetime
) -> list[Text]:
    """Return the reviews and review requests of a rule about reviews."""
    if "review" not in result.rule:
        return []
    lines: list[Text | str] = []
    if rules.reviews:
        lines += [text for _, text in _reviews(request, rules.reviews, result, now)]
    if rules.requested:
        asked = _asked(rules.requested, rules.reviews, result, now)
        lines += [Text.assemble(("asked ", "muted"), text) for _, text in asked]
    return [line for line in map(Text.assemble, lines) if line.plain not in ("none", NOBODY)]


def rule_data(
    request: ChangeRequest, rules: RulesRead, result: RuleResult, standing: RuleContext
) -> Lines:
    """Return the data of a rule: reviews, review requests, changes of main."""
    if result.rule == UP_TO_DATE:
        return _behind(request, standing)
    if "review" not in result.rule:
        return []
    lines = list(_reviews(request, rules.reviews, result, standing.now))
    asked = _asked(rules.requested, rules.reviews, result, standing.now)
    return lines + list(asked)


def _reviews(
    request: ChangeRequest, reviews: Sequence[Review] | None, result: RuleResult, now: datetime
) -> Iterator[tuple[str, Text | str]]:
    if reviews is None:
        yield "reviews", Text("The service does not tell them.", style="muted")
        return
    author = request.created_by.id if request.created_by else None
    heard: set[str] = set()
    for review in reviews:
        who = review.reviewer
        if who.id in heard or (result.named and who.id not in result.named):
            continue
        text, good = Text.assemble((person_name(who), "who")), review.status == "approved"
        said = {"approved": " approved", "changes-requested": " asked for changes"}
        text.append(said.get(review.status, f" {clean(review.status)}"), "good" if good else "bad")
        if review.created_at is not None:
            text.append(f", {ago(review.created_at, now)}", style="muted")
        if review.outdated:
            text.append(", before the latest change", style="warn")
        if who.id == author:
            text.append(" (its author: that counts for no rule)", style="muted")
        yield (" " if heard else "reviews"), text
        heard.add(who.id)
    if not heard:
        yield "reviews", Text("none", style="muted")


def _asked(
    requested: Sequence[RequestedReviewer] | None,
    reviews: Sequence[Review] | None,
    result: RuleResult,
    now: datetime,
) -> Iterator[tuple[str, Text | str]]:
    if requested is None:
        yield "asked", Text("The service does not tell who was asked.", style="muted")
        return
    answered = {review.reviewer.id for review in reviews or ()}
    first = True
    for each in requested:
        if result.named and (each.user is None or each.user.id not in result.named):
            continue
        text = Text.assemble((asked_name(each), "who"))
        if each.requested_by is not None:
            text.append(" by ").append(person_name(each.requested_by), style="who")
        if each.created_at is not None:
            text.append(f", {ago(each.created_at, now)}", style="muted")
        if reviews is not None and each.user is not None and each.user.id not in answered:
            text.append(", no answer yet", style="warn")
        yield ("asked" if first else " "), text
        first = False
    if first:
        yield "asked", Text("no one", style="muted")


def _short(title: str) -> str:
    return shorten(title, 40, glyphs().more)


def _behind(request: ChangeRequest, standing: RuleContext) -> Lines:
    main = standing.main
    if not request.outdated or main is None:
        return []
    text = Text.assemble("moved to ", (main.revision[:12], "strong"))
    if main.at is not None:
        text.append(f", {ago(main.at, standing.now)}", style="muted")
    if main.message:
        text.append(f": {shorten(main.message.splitlines()[0], 80, glyphs().more)}")
    lines: Lines = [("main", text)]
    if main.written:
        names = few(main.written, NAMED, _short)
        lines.append((" ", f"written there since this was started: {names}"))
    return lines


def what_to_do(
    request: ChangeRequest, rules: RulesRead, result: RuleResult, standing: RuleContext
) -> str:
    """Return what to do about a failing rule, with the key; else ""."""
    if result.outcome == "pass" or request.status not in ("open", "draft"):
        return ""
    if result.outcome == "unknown" and result.rule != UP_TO_DATE:
        return "Only the service can tell: m, then y asks it to merge."
    if result.rule == UP_TO_DATE:
        if standing.stuck:
            return "An update conflicts in pages that both sides changed: U settles them."
        return "U updates it from main."
    if result.rule in ABOUT_WORDS:
        return "e edits subject and description in the list of change requests (g c)."
    author = request.created_by
    mine = author is not None and author.id == standing.me
    if mine:
        return "You wrote it, so others have to review it: w asks them."
    may = standing.me is not None and (not result.named or standing.me in result.named)
    said = "a approves it, A asks for changes" if may else _waits_on(rules, result)
    return said + ("." if rules.requested is None else "; w asks people.")


def _waits_on(rules: RulesRead, result: RuleResult) -> str:
    """Return the people it waits on whose names are known."""
    known = [asked.user for asked in rules.requested or () if asked.user is not None]
    known += [review.reviewer for review in rules.reviews or ()]
    names = {user.id: person_name(user) for user in known if user.id in result.people}
    return f"It waits on {listed(list(names.values()))}" if names else "It takes others"


def _besides(request: ChangeRequest, rules: RulesRead, standing: RuleContext) -> Lines:
    good, bad, warn = (glyphs().passed, "good"), (glyphs().failed, "bad"), ("!", "warn")

    def line(mark: tuple[str, str], said: str) -> tuple[str, Text | str]:
        return "", Text.assemble((f"{mark[0]} ", mark[1]), hint(said, ""))

    lines: Lines = []
    open_now = request.status == "open"
    words = {"draft": "it is a draft: W makes it open", "open": "it is open"}
    said = words.get(request.status, f"it is {clean(request.status)}")
    lines.append(line(good if open_now or request.status == "merged" else bad, said))
    if request.status not in ("open", "draft"):
        return lines
    if not standing.may_merge:
        lines.append(line(bad, "you may not merge in this space"))
    if request.outdated:
        said, mark = "main has moved on since", warn
        if standing.stuck:
            said += ", and an update conflicts"
        elif rules.both_sides:
            said += f", also in {few(rules.both_sides, NAMED, _short)}"
        elif rules.both_sides is not None:
            said, mark = f"{said}, but changed none of its pages", good
        lines.append(line(mark, said))
        if all(result.rule != UP_TO_DATE for result in rules.results):
            lines += _behind(request, standing)
    else:
        lines.append(line(good, "it has all of main"))
    if standing.threads is not None:
        mark = warn if standing.threads else good
        lines.append(line(mark, f"{plural(standing.threads, 'open thread')}"))
    unseen, pages = standing.unseen
    if pages:
        said = (
            f"{unseen} of {plural(pages, 'page')} not read by you" if unseen else "all pages read"
        )
        lines.append(line(warn if unseen else good, said))
    if said := objection(rules.against, rules.results):
        lines.append(line(warn, said))
    if rules.stale_approvals:
        names = ", ".join(person_name(user) for user in rules.stale_approvals)
        lines.append(line(warn, f"approved before the latest change: by {names}"))
    if standing.impact:
        broken = ", 0 links broken" not in standing.impact
        lines.append(line(warn if broken else good, standing.impact))
    return lines

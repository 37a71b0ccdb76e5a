"""The details of a change request as cells, facts and sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.age import age, moment
from copydesk.domain.text import clean, listed
from copydesk.present.change_filter import open_threads
from copydesk.present.change_request import UNKNOWN
from copydesk.present.facts import Fact, readiness_text
from copydesk.present.page_changes import counted
from copydesk.session.change_rows import PAGES, RULES, ChangeRow, Details, PageLine
from copydesk.session.errors import LACKS
from copydesk.session.glyphs import glyphs
from copydesk.session.marks import NONE, NOTE, STARRED, labels_of
from copydesk.session.readiness import readiness_of

if TYPE_CHECKING:
    from copydesk.domain.merge_rules import RuleResult
    from copydesk.domain.page_tree import ChangeKind


# Cells


def pages(details: Details | None) -> str | Text:
    """Return the number of changed pages."""
    if details is None or details.pages is None:
        return Text(UNKNOWN, style="muted")
    return str(len(details.pages) + details.more_pages)


def rules(details: Details | None) -> str | Text:
    """Return the number of merge rules that pass; ``?`` when only the service knows some."""
    if details is None or details.rules is None:
        return Text(UNKNOWN, style="muted")
    if not details.rules:
        return Text("-", style="muted")
    outcomes = [rule.outcome for rule in details.rules]
    said = f"{details.passed}/{len(outcomes)}" + ("?" if "unknown" in outcomes else "")
    return Text(said, style="warn" if "fail" in outcomes else "good")


# Facts


def facts(
    row: ChangeRow,
    space: str,
    now: datetime,
    details: Details | None,
    looked: datetime | None = None,
    *,
    asked: bool | None = None,
    keys: bool = True,
    marks: Mapping[str, str] = NONE,
) -> list[Fact]:
    """Return the facts of a change request: the decisive ones first, then each part in full.

    ``looked`` is the reader's last view of it, ``asked`` whether their review is requested.
    ``keys`` adds the keys that help, ``marks`` are the reader's own.
    """
    found = [Fact("", _who(row, space, now)), *mark_facts(marks)]
    if row.status == "open" and (need := needs_you(details, asked=asked, now=now)):
        found.append(Fact("needs you", Text(need, style="accent")))
    if details is not None and details.missing:
        return [*found, Fact("", Text(details.missing, style="warn"))]
    known = details or Details(parts=frozenset())
    reading = Text("reading…", style="muted")
    rules_read, pages_read = RULES in known.parts, PAGES in known.parts
    both_read = rules_read and pages_read
    found.append(Fact("merge", merge_state(row, known, keys=keys) if both_read else reading))
    if pages_read:
        found.append(Fact("changes", page_summary(known)))
    if rules_read:
        found.append(Fact("reviews", review_summary(known)))
    found.append(Fact("threads", _threads(row, known)))
    details = known
    if details.cluster:
        opens = "" if details.cluster.startswith(LACKS) else "   gk opens it"
        found.append(Fact("cluster", f"{details.cluster}{opens}"))
    if details.finding:
        opens = "" if details.finding.startswith(LACKS) else "   gq opens it"
        found.append(Fact("finding", f"{details.finding}{opens}"))
    if details.rules:
        found += [Fact("", ""), Fact("", Text("Rules", style="strong"))]
        found += [Fact("", rule_line(rule)) for rule in details.rules]
    if news := news_lines(row, details, looked, now):
        since = moment(looked, now)
        found += [Fact("", ""), Fact("", Text(f"New since you looked ({since})", style="strong"))]
        found += [Fact("", line) for line in news]
    if details.pages:
        found += [Fact("", ""), Fact("", Text("Changes", style="strong"))]
        found += [Fact("", page_line(page)) for page in details.pages]
        if details.more_pages:
            found.append(Fact("", Text(f"and {details.more_pages} more", style="muted")))
    if details.pages and row.status != "merged":
        said = details.impact or Text("i reads who links to these pages", style="muted")
        found += [Fact("", ""), Fact("impact", said)]
    if details.description:
        found += [Fact("", ""), Fact("", Text("Description", style="strong"))]
        found += [Fact("", line) for line in details.description.split("\n")]
    return found


def mark_facts(marks: Mapping[str, str]) -> list[Fact]:
    """Return the reader's own marks of a change request: its star, labels and note."""
    star = glyphs().starred if STARRED in marks else ""
    found = []
    if shown := " ".join(filter(None, [star, *labels_of(marks)])):
        found.append(Fact("mine", Text(clean(shown), style="accent")))
    if note := marks.get(NOTE):
        found.append(Fact("my note", clean(note, lines=True)))
    return found


def needs_you(details: Details | None, *, asked: bool | None, now: datetime) -> str:
    """Return why a request waits on the reader; "" when it does not, or that is unknown.

    The same as `copydesk.present.change_filter.waiting`, in words.
    """
    reasons: list[str] = []
    if asked:
        mine = next((v for v in (details and details.verdicts) or () if v.mine), None)
        if mine is None:
            reasons.append("your review is asked for")
        elif mine.outdated:
            reasons.append("it changed since your review, which is still asked for")
        else:
            said = "approved it" if mine.approved else "asked for changes"
            when = f" {_ago(mine.at, now)}" if mine.at is not None else ""
            reasons.append(f"you {said}{when}, and are still on its list of reviewers")
    whys = details.waiting.whys if details is not None and details.waiting is not None else ()
    for why, one, many in (
        ("answered", "your thread was answered", "of your threads were answered"),
        ("yours", "a thread on it asks you, its author", "threads on it ask you, its author"),
    ):
        if count := sum(each == why for each in whys):
            reasons.append(one if count == 1 else f"{count} {many}")
    return "; ".join(reasons)


def news_lines(
    row: ChangeRow, details: Details, looked: datetime | None, now: datetime
) -> list[Text]:
    """Return the news since the reader's last view, the newest first; none without a view."""
    if looked is None:
        return []
    found: list[tuple[datetime, str]] = []
    for verdict in details.verdicts or ():
        said = "approved by" if verdict.approved else "changes asked for by"
        if verdict.at is not None:
            found.append((verdict.at, f"{said} {verdict.name}"))
    if details.waiting is not None:
        found += [(at, f"{who} wrote in a thread") for at, who in details.waiting.words]
    if details.asked_since is not None and details.asked:
        found.append((details.asked_since, f"asked for a review: {listed(details.asked)}"))
    found.append((row.updated, "changed   d shows what it changes"))
    return [
        Text.assemble((f"{moment(at, now):<6} ", "muted"), said)
        for at, said in sorted(found, reverse=True)
        if at > looked
    ]


def _who(row: ChangeRow, space: str, now: datetime) -> Text:
    text = Text.assemble((row.author, "who"), f", opened {_ago(row.created, now)}")
    if row.updated > row.created:
        text.append(f", changed {_ago(row.updated, now)}")
    text.append(f", in {space}" if space else "", style="muted")
    return text


def _ago(then: datetime, now: datetime) -> str:
    since = age(then, now)
    return "just now" if since == "now" else f"{since} ago"


def _threads(row: ChangeRow, details: Details) -> Text | str:
    count = open_threads(row, details)
    if not count:
        return Text("not known" if count is None else "none open", style="muted")
    text = Text(f"{count} open")
    if details.waiting is not None and details.waiting.mine is not None:
        text.append("   one waits on you", style="accent")
    elif details.waiting is not None and details.waiting.author is not None:
        text.append("   one waits on the author", style="muted")
    return text


def merge_state(row: ChangeRow, details: Details, *, keys: bool = True) -> Text:
    """Return whether it can be merged, with the reason."""
    found = readiness_of(row, details, keys=keys)
    if row.status == "archived" and keys:
        found = replace(found, why="x reopens it")
    return readiness_text(found)


def rule_line(rule: RuleResult) -> Text:
    """Return a rule with its result."""
    signs = glyphs()
    sign, tone = {
        "pass": (signs.passed, "good"), "fail": (signs.failed, "bad"),
    }.get(rule.outcome, ("?", "warn"))  # fmt: skip
    return Text.assemble((f"{sign} ", tone), rule.sentence)


SIGNS: Mapping[ChangeKind, tuple[str, str]] = {
    "added": ("+", "good"),
    "deleted": ("-", "bad"),
    "moved out": ("->", "moved"),
    "moved": ("--", "moved"),
    "renamed": ("~", "changed"),
    "file moved": ("--", "moved"),
    "edited": ("~", "changed"),
}
"""The sign and tone of each kind of change, the most important first."""


def page_summary(details: Details) -> Text | str:
    """Return the number of changed pages by kind."""
    if details.pages is None:
        return Text("not said by the service", style="muted")
    if not details.pages:
        return Text("nothing changes yet", style="muted")
    text = Text(counted(page.kinds for page in details.pages))
    if details.more_pages:
        text.append(f", and {details.more_pages} more")
    if details.approximate:
        text.append("  (against main as it is now)", style="muted")
    return text


def page_line(page: PageLine) -> Text:
    """Return a changed page with its sign and the details of the change."""
    sign, tone = next((SIGNS[kind] for kind in SIGNS if kind in page.kinds), SIGNS["edited"])
    above = f"{page.above}/" if page.above else ""
    text = Text.assemble((f"{sign:<2} ", tone), (above, "muted"), page.title)
    if page.out:
        return text.append(f"  {page.out}", style="muted")
    words = [word for word in page.kinds if word not in ("edited", "file moved")]
    said = listed(words) + (f" from {page.was}" if page.was else "")
    said += (", " if said else "") + f"file moved to {page.file}" if page.file else ""
    return text.append(f"  {said}", style="muted") if said else text


def review_summary(details: Details) -> Text | str:
    """Return who approved, who asked for changes, and on whom it waits."""
    if details.verdicts is None:
        return Text("not said by the service", style="muted")
    text = Text()
    for verdict in details.verdicts:
        text.append(", " if text else "")
        sign, tone = (glyphs().passed, "good") if verdict.approved else (glyphs().failed, "bad")
        text.append(f"{sign} ", style=tone)
        text.append(verdict.name + (" (before the latest change)" if verdict.outdated else ""))
    if details.asked:
        text.append("; " if text else "")
        text.append(f"waits on {listed(details.asked)}", style="accent")
    return text or Text("none, nobody was asked", style="muted")

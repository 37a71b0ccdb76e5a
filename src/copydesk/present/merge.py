"""The texts of the merge dialog: reasons for and against it, and its result."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.merge_rules import label, objection
from copydesk.domain.text import clean, few, listed, plural, shorten, shown_subject
from copydesk.present.facts import hint
from copydesk.present.merge_rules import said_and_asked
from copydesk.present.review import conflict_lines, rule_text, status_text, summary
from copydesk.session.glyphs import glyphs
from copydesk.session.marks import CHANGED
from copydesk.session.names import person_name
from copydesk.session.page_changes import changed_pages, changed_things, losses, not_looked_at
from copydesk.session.writes.log import HAD_ARRIVED
from copydesk.session.writes.merges import Overlaps

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import ChangeRequest, MergeResult
    from copydesk.domain.merge_rules import RuleResult
    from copydesk.session.reads.merge import SpokenFor

Lines = list[Text | str]

TITLE = 40
"""Cells of a title in a sentence."""

NAMED = 3
"""The number of titles in a sentence."""

OTHERS = 6
"""The number of other change requests that are named."""


@dataclass(frozen=True, slots=True)
class MergeNotes:
    """Facts read after the rules: overlapping requests, and the links around the changes.

    ``why`` is the reason where they cannot be read.
    """

    overlaps: Overlaps | None = None
    impact: str = ""
    broken: bool = False
    reading: bool = False
    why: str = ""


def fact_lines(read: SpokenFor, now: datetime) -> Lines:
    """Return the two sides of the merge, and the rules one by one with their data."""
    request, space, changes = read.request, read.space, read.changes
    facts: Lines = [
        Text.assemble(
            (f"#{request.number} ", "muted"),
            (shown_subject(request.subject), "strong"),
        ),
        Text.assemble(
            "into ",
            (clean(space.title), "strong"),
            "  by ",
            (person_name(request.created_by), "who"),
            "  ",
            status_text(request),
        ),
    ]
    if changes is not None:
        told = changed_pages([], [], changes, told_only=True)
        others = changed_things(None, None, changes)
        more = f", and {plural(changes.more, 'more change')}" if changes.more else ""
        facts.append(f"Changes {summary([*told, *others])}{more}")
    facts.append("")
    for result in read.rules.results:
        facts.append(rule_text(result))
        data = said_and_asked(request, read.rules, result, now)
        facts += [Text.assemble("    ", each) for each in data]
    if not read.rules.results:
        facts.append(Text("This space has no merge rules.", style="muted"))
    return facts


def warnings(
    read: SpokenFor, unseen: tuple[int, int] | None, *, clashed: bool, edited: bool
) -> list[Text]:
    """Return reasons against a merge that do not forbid it.

    ``unseen`` counts (pages not seen, all); ``clashed`` says that an update conflicted, ``edited``
    that it was edited, or updated, since the reader read it.
    """
    request = read.request
    found: list[Text | str] = [CHANGED] if edited else []
    found += [f"readers lose a page: {said}" for said in losses(read.changes)]
    if read.changes is not None and not (read.changes.changes or read.changes.more):
        found.append("it changes nothing: there is nothing to merge")
    if unlooked := not_looked_at(read.changes):
        found.append(f"{unlooked}: readers may lose a page")
    if said := objection(read.rules.against, read.rules.results):
        found.append(said)
    if read.open_threads:
        verb = "is" if read.open_threads == 1 else "are"
        found.append(f"{plural(read.open_threads, 'thread')} {verb} open")
    if read.rules.stale_approvals:
        names = listed([person_name(user) for user in read.rules.stale_approvals])
        found.append(f"approved before the latest change: by {names}")
    if unseen is not None and unseen[0]:
        found.append(f"{unseen[0]} of {plural(unseen[1], 'page')} not read by you")
    if request.outdated:
        apart = read.rules.both_sides is not None and not read.rules.both_sides
        found.append(
            "main has moved on since, and the last update conflicted"
            if clashed
            else "main has moved on since, but changed none of its pages"
            if apart
            else hint("main has moved on since; U updates first", "")
        )
    if both := read.rules.both_sides:
        count = plural(len(both), "page")
        found.append(f"may conflict: {count} changed on both sides: {_titles(both)}")
    return [Text.assemble("! ", said, style="warn") for said in found]


def beside_lines(beside: MergeNotes) -> list[Text]:
    """Return the overlapping requests, and the effect of a merge on the links around it."""
    if beside.reading:
        said = f"Looking for other open change requests on these pages{glyphs().more}"
        return [Text(f"  {said}", style="muted")]
    if beside.why:
        said = "Whether other open change requests touch these pages is not known"
        return [Text(f"? {said}: {beside.why}", style="warn")]
    lines: list[Text] = []
    if beside.overlaps is not None:
        lines += _overlaps(beside.overlaps)
    if beside.impact:
        mark = "! " if beside.broken else f"{glyphs().passed} "
        lines.append(Text(f"{mark}{beside.impact}", style="warn" if beside.broken else "muted"))
    return lines


def _overlaps(overlaps: Overlaps) -> list[Text]:
    lines = [
        Text.assemble(
            ("! same page as ", "warn"),
            (f"#{each.number} ", "muted"),
            shorten(shown_subject(each.subject), TITLE, glyphs().more),
            (f": {_titles(each.titles)}", "muted"),
        )
        for each in overlaps.found[:OTHERS]
    ]
    more = len(overlaps.found) - OTHERS
    if more > 0:
        lines.append(Text(f"! and {plural(more, 'more change request')} on these pages", "warn"))
    if overlaps.more:
        said = f"{plural(overlaps.more, 'open change request')} not looked at for the same pages"
        lines.append(Text(f"? {said}", style="warn"))
    elif not overlaps.found and overlaps.looked:
        said = "no other open change request touches these pages"
        lines.append(Text(f"{glyphs().passed} {said}", style="muted"))
    return lines


def _titles(titles: Sequence[str]) -> str:
    return few(titles, NAMED, lambda title: shorten(clean(title), TITLE, glyphs().more))


def guesses(before: Sequence[RuleResult], now: Sequence[RuleResult]) -> list[Text]:
    """Return the wrong predictions about a refused merge.

    ``before`` are the predicted rules, ``now`` the rules after another read.
    """
    was = {result.rule: result for result in before}
    lines: list[Text] = []
    for result in now:
        old = was.get(result.rule)
        if result.outcome != "fail" or (old is not None and old.outcome == "fail"):
            continue
        taken = {"pass": "it seemed met", "unknown": "it was not known"}
        said = taken.get(old.outcome, "") if old is not None else "it was not a rule yet"
        lines.append(
            Text.assemble(
                (f"{glyphs().failed} {clean(label(result.rule))}", "bad"),
                f": {said}; read again, {clean(result.sentence)}",
            )
        )
    if lines:
        return lines
    unknown = [clean(label(each.rule)) for each in now if each.outcome == "unknown"]
    if unknown:
        said = f"Perhaps what only the service can tell: {listed(unknown)}."
    else:
        said = "Every rule that can be checked here passes; the service checks all of them."
    return [Text(said, style="muted")]


def result_lines(result: MergeResult | None, now: ChangeRequest) -> Lines:
    """Return the result of a merge. ``result`` is None where its answer was lost."""
    clashes = [] if result is None else conflict_lines(result.conflicts or ())
    if result is not None and result.result != "merge" and clashes:
        said = "Merged with conflicts: it is live. Resolve them in its pages."
        return [Text(said, style="bad"), "", *clashes]
    revision = (result and result.revision) or now.revision_merged or ""
    lines: Lines = [Text(f"{glyphs().passed} Merged. It is live now.", style="good")]
    lines += [HAD_ARRIVED] if result is None else []
    lines += [f"revision {clean(revision)}"] if revision else []
    lines += [clean(now.urls.app)] if now.urls.app else []
    return lines

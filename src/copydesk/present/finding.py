"""Findings, topics, questions and records of a site as cells and facts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.moments import moment
from copydesk.domain.plain_documents import document_text, is_plain
from copydesk.domain.text import clean, plural, shown_subject
from copydesk.domain.trend import rate, sane, spark
from copydesk.present import cluster
from copydesk.present.cluster import rate_cell
from copydesk.present.facts import Fact, hint
from copydesk.session.cluster_rows import ClusterMerge, finding_row, merge_of
from copydesk.session.glyphs import UNICODE, glyphs

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.document import Document
    from copydesk.contract.models.finding import SiteFinding
    from copydesk.contract.models.question import QuestionStats
    from copydesk.session.reads.findings import AnswerDetails, FindingDetails

KINDS = {
    "content-gap": "gap",
    "content-incorrect": "incorrect",
    "content-outdated": "outdated",
    "broken-link": "broken link",
    "outbound-link-error": "dead address",
    "other": "other",
}
"""The types of findings in words."""

SEVERITIES = ("low", "medium", "high")
"""From the least to the most."""

_TONES = {"high": "warn", "open": "strong", "candidate": "warn"}

LONGEST = 4_000
"""Characters of a description among the details."""

SHOWN = 10
"""So many pages, change requests and answers of a thread are among the details."""


VIEWS: Mapping[str, str] = {
    name: cluster.VIEWS[name] for name in ("new", "grows", "helped", "untaken")
}
"""The views of findings besides all of them, called as those of clusters."""

VIEWS_MEAN: Mapping[str, str] = {
    "new": "found in the last 7 days",
    "grows": "asked about more this week than usual, beyond chance",
    "helped": "asked about less since a change request for it was merged, beyond chance",
    "untaken": cluster.VIEWS_MEAN["untaken"],
}
"""The findings of each view. Those that are done or canceled are only among those that helped."""

NEW = timedelta(weeks=1)


def in_view(
    finding: SiteFinding,
    view: str,
    pulse: Sequence[float],
    requests: Sequence[ChangeRequest] | None,
    now: datetime,
) -> bool:
    """Whether a finding is in one of `VIEWS`; ``requests`` are None where they are not known."""
    row = finding_row(finding, pulse)
    if view == "new":
        found = finding.created_at
        return row.closed is None and found is not None and now - found <= NEW
    if view == "helped":
        return cluster.has_helped(row, merges_of(requests or ()), now)
    taken = None if requests is None else any(each.status in ("open", "draft") for each in requests)
    return cluster.in_view(row, view, (), now, taken=taken)


def merges_of(requests: Iterable[ChangeRequest]) -> list[ClusterMerge]:
    """Return the merges among change requests."""
    return [merge for each in requests if (merge := merge_of(each)) is not None]


def kind_text(finding: SiteFinding) -> str:
    """Return what a finding says of the content."""
    return KINDS.get(finding.type, clean(finding.type))


def toned(word: str) -> Text:
    """Return a severity or status in its tone."""
    return Text(clean(word), style=_TONES.get(word, "muted"))


def pulse_cell(pulse: Sequence[float], marks: Collection[int] = ()) -> Text | None:
    """Return 13 weeks as a small chart; None where nothing was asked in them.

    In the weeks ``marks`` something was merged: a sign replaces the bar.
    """
    weeks = [sane(week) for week in pulse]
    if not any(weeks):
        return None
    text = Text()
    drawn = spark(weeks, ascii=glyphs().spark != UNICODE.spark)
    for at, (week, cell) in enumerate(zip(weeks, drawn, strict=True)):
        if at in marks:
            text.append(glyphs().merged, style="strong")
        else:
            text.append(cell, style="accent" if week > 0 else "muted")
    return text


def trend_text(pulse: Sequence[float]) -> Text | None:
    """Return this week against the usual; None where there is too little to tell."""
    found = rate(pulse)
    return None if found.move == "few" else rate_cell(found)


def asked_fact(pulse: Sequence[float], marks: Collection[int] = ()) -> Fact | None:
    """Return the chart of 13 weeks with its trend, and ``marks`` where something was merged."""
    chart, change = pulse_cell(pulse, marks), trend_text(pulse)
    if chart is None:
        return None
    return Fact("asked", chart if change is None else Text("  ").join((chart, change)))


def answered_text(stats: QuestionStats) -> str:
    """Return how many of the times that something was asked it was answered."""
    return f"{stats.answered.yes} of {stats.answers}" if stats.answers else ""


def counts_of(counts: dict[str, float]) -> str:
    """Return numbers by name, the most first."""
    most = sorted(counts.items(), key=lambda pair: -sane(pair[1]))
    return ", ".join(f"{connector_text(name)} {sane(count):.0f}" for name, count in most)


def connector_text(connector: str) -> str:
    """Return what brings records: "builtin:zendesk" is "zendesk"."""
    return clean(connector.partition(":")[2] or connector)


def told(document: Document | None) -> str:
    """Return a document as clean Markdown, as long as details show it.

    Where it has nothing but words these stand as they are: no sign in them is one of Markdown.
    """
    from copydesk.domain.documents import document_to_markdown

    if document is None:
        return ""
    said = document_text(document) if is_plain(document) else document_to_markdown(document)
    return clean(said, lines=True, limit=LONGEST).strip()


def finding_details(finding: SiteFinding, now: datetime) -> Iterator[tuple[str, str | Text]]:
    """Yield what a finding says of itself, not masked."""
    if said := told(finding.description):
        yield "", said
    if finding.records or finding.questions:
        asked = plural(finding.questions, "question")
        yield "told in", f"{plural(finding.records, 'record')}, {asked}"
    if (elsewhere := finding.outbound_link) is not None:
        why = elsewhere.http_status or elsewhere.failure_kind or ""
        yield "address", clean(f"{elsewhere.url} {elsewhere.status} {why}").strip()
    if (mend := finding.broken_link_action) is not None:
        yield "redirect", clean(f"{mend.source} to {mend.destination.path} would mend it")
    if finding.created_at is not None:
        yield "found", moment(finding.created_at, now)
    if finding.updated_at is not None:
        yield "changed", moment(finding.updated_at, now)


def finding_facts(
    found: FindingDetails | None,
    now: datetime,
    shown: Callable[[str], str],
    none: Text | None = None,
) -> list[Fact]:
    """Return the facts of a finding that are read once the cursor rests on it; ``shown`` masks.

    ``none`` is said where it has no change request.
    """
    if found is None:
        return []
    pulse, merges = found.pulse, merges_of(found.requests)
    marks = cluster.merge_weeks(merges, now, len(pulse))
    facts = [fact] if (fact := asked_fact(pulse, marks)) is not None else []
    if facts and (effects := cluster.helped(pulse, merges, now)):
        facts.append(Fact(f"{glyphs().merged} merged", Text("\n").join(effects)))
    requests = Text()
    for request in found.requests[:SHOWN]:
        requests.append("\n" if requests else "").append(f"#{request.number} ", style="strong")
        subject = shown_subject(request.subject)
        requests.append(f"{shown(subject)}   ").append_text(toned(request.status))
    facts.append(Fact("requests", requests or none or hint("none yet   ctrl+n begins one")))
    pages = [clean(each.page.title).strip() or clean(each.page.id) for each in found.pages]
    more = f"\n{plural(len(pages) - SHOWN, 'more page')}" if len(pages) > SHOWN else ""
    if pages:
        facts.append(Fact("on", "\n".join(pages[:SHOWN]) + more))
    most = sorted(found.questions, key=lambda each: -sane(each.stats.answers))[:SHOWN]
    if most:
        lines = (f"{each.stats.answers} {shown(clean(each.question))}" for each in most)
        facts.append(Fact("asked as", "\n".join(lines)))
    return facts


def answer_facts(
    found: AnswerDetails | None, now: datetime, shown: Callable[[str], str]
) -> list[Fact]:
    """Return the words of an answer, those around it, and what it was made from."""
    from copydesk.domain.documents import document_to_markdown

    if found is None:
        return []
    facts = []
    for each in found.thread[:SHOWN]:
        asked = clean(each.input.raw or each.input.text, lines=True, limit=LONGEST)
        facts.append(Fact("asked", shown(asked)))
        said = document_to_markdown(each.response.document)
        said = clean(said, lines=True, limit=LONGEST).strip()
        facts.append(Fact("answer", shown(said) or Text("no one answered", style="muted")))
    sources = [shown(clean(each.title) or clean(each.id)) for each in found.sources[:SHOWN]]
    if sources:
        facts.append(Fact("from", "\n".join(sources)))
    return facts

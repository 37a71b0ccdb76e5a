"""A change request as sentences: the overview, its rules and reviews, conflicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.moments import age, ago
from copydesk.domain.plain_documents import document_text
from copydesk.domain.text import clean, few, plural, shown_subject
from copydesk.present.change_request import readiness_text
from copydesk.present.facts import Fact, hint
from copydesk.present.markdown import wrap_exact
from copydesk.present.merge_rules import rule_sign
from copydesk.present.page_changes import counted
from copydesk.session.errors import LACKS
from copydesk.session.glyphs import glyphs
from copydesk.session.names import asked_name, person_name
from copydesk.session.page_changes import ReviewChange
from copydesk.session.reads.merge import RulesRead

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import ChangeRequest, Conflict, Contributor
    from copydesk.contract.models.space import Space
    from copydesk.contract.models.user import User
    from copydesk.domain.merge_rules import RuleResult
    from copydesk.session.change_rows import Readiness

REVERTS = ":revert reverts the merge."
"""What is told of a merged change request wherever ``u`` may mean something else."""

ROOM = 50
"""The width of a line of a conflict beside its side, so that wrapped lines keep their column."""

Lines = list[tuple[str, Text | str]]
"""Facts: a label (empty for a line of its own, blank to stand below the one before) and a text."""


def status_text(request: ChangeRequest) -> Text:
    """Return the status as a word with its tone."""
    tone = {"open": "strong", "merged": "moved", "draft": "muted", "archived": "muted"}
    text = Text(clean(request.status), style=tone.get(request.status, ""))
    if request.outdated and request.status in ("open", "draft"):
        text.append(f"  {glyphs().outdated} out of date", style="warn")
    return text


def rule_text(result: RuleResult) -> Text:
    """Return a rule with its result: passed, failed, or a question mark."""
    mark, tone = rule_sign(result)
    return Text.assemble((f"{mark} ", tone), clean(result.sentence))


def summary(changes: Sequence[ReviewChange]) -> str:
    """Return a summary of the changes: "4 pages: 1 added, 3 edited; 1 file"."""
    pages = [change for change in changes if not change.thing]
    said = counted(change.kinds for change in pages)
    things = Counter(clean(change.thing) for change in changes if change.thing)
    told = [plural(len(pages), "page") + (f": {said}" if said else "")] * bool(pages or not things)
    return "; ".join([*told, *(_counted(count, thing) for thing, count in things.items())])


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}" if thing == "reusable content" else plural(count, thing)


def overview(
    request: ChangeRequest,
    space: Space,
    changes: Sequence[ReviewChange] | None,
    rules: RulesRead | None,
    threads: tuple[int, int] | None,
    seen: tuple[int, int],
    now: datetime,
    ready: Readiness | None = None,
    impact: str = "",
    cluster: str = "",
    unlooked: str = "",
    finding: str = "",
    contributors: Sequence[Contributor] = (),
) -> Lines:
    """Return the text of the first tab. ``threads`` and ``seen`` count (open, all), (seen, all).

    ``impact`` is the effect on the links around it, ``cluster`` the questions it answers,
    ``finding`` what it was begun for, ``unlooked`` the sentence for an incomplete list of changes,
    ``contributors`` who worked on it.
    """
    by = person_name(request.created_by)
    lines: Lines = [
        ("", Text(shown_subject(request.subject), style="strong")),
        ("", ""),
        ("status", status_text(request)),
        (
            "author",
            Text.assemble(
                (by, "who"),
                f", opened {ago(request.created_at, now)}",
                f", changed {ago(request.updated_at, now)}",
            ),
        ),
        *_worked_on(request, contributors),
        ("space", clean(space.title)),
    ]
    if ready is not None:
        lines.append(("merge", readiness_text(ready)))
    if request.conversations_issues_cluster:
        said = cluster or "made for a cluster of questions"
        lines.append(("cluster", _with_key(said, "   gk opens it")))
    if finding or (request.site_topic is not None and request.site_topic.finding is not None):
        said = finding or "begun for a finding"
        lines.append(("finding", _with_key(said, "   gq opens it")))
    if rules is not None:
        lines += [
            (" " if nth else "rules", rule_text(each)) for nth, each in enumerate(rules.results)
        ]
    lines += _reviewers(rules, now, asks=request.status in ("open", "draft"))
    if changes is not None:
        lines.append(("changes", f"{summary(changes)} ({seen[0]} of {seen[1]} read)"))
        if unlooked and (ready is None or unlooked not in ready.why):
            lines.append((" ", Text(unlooked, style="warn")))
    if impact:
        lines.append(("links", _with_key(impact, " (i shows them)")))
    if threads is not None:
        lines.append(("threads", f"{threads[0]} open, {threads[1] - threads[0]} resolved"))
    lines.append(("", ""))
    described = clean(document_text(request.description), lines=True, limit=50_000).strip()
    if described:
        lines += [("", part) for part in described.split("\n")]
    else:
        lines.append(("", Text("No description.", style="muted")))
    return lines


def _with_key(said: str, key: str) -> Text:
    """Return a sentence with the key that shows more, or alone where the service lacks that."""
    return Text(said) if said.startswith(LACKS) else Text(said).append_text(hint(key, ""))


WORKED = 8
"""So many people who worked on a change request are named."""


def _worked_on(request: ChangeRequest, contributors: Sequence[Contributor]) -> Lines:
    """Return who edited a change request and who commented on it, unless it was its author alone.

    The latest come first.
    """
    author = request.created_by.id if request.created_by is not None else ""
    if {each.user.id for each in contributors} <= {author}:
        return []
    said = [
        f"{kind}s by {names}"
        for kind in ("edit", "comment")
        if (names := _named(each.user for each in contributors if each.action_type == kind))
    ]
    return [("work", "; ".join(said))] if said else []


def _named(people: Iterable[User]) -> str:
    return few(list(dict.fromkeys(person_name(each) for each in people)), WORKED)


def _reviewers(rules: RulesRead | None, now: datetime, *, asks: bool) -> Lines:
    if rules is None or rules.reviews is None:
        return []
    lines: list[Text] = []
    answered: set[str] = set()
    for review in rules.reviews:
        if review.reviewer.id in answered:
            continue
        answered.add(review.reviewer.id)
        good = review.status == "approved"
        said = {"approved": "approved", "changes-requested": "asked for changes"}
        text = Text.assemble(
            (glyphs().passed if good else glyphs().failed, "good" if good else "bad"),
            " ",
            (person_name(review.reviewer), "who"),
            f" {said.get(review.status, clean(review.status))}",
        )
        if review.created_at is not None:
            text.append(f"  {age(review.created_at, now)}", style="muted")
        if review.outdated:
            text.append("  before the latest change", style="muted")
        lines.append(text)
        if review.comment is not None and review.comment.markdown:
            lines.append(Text(f"  {clean(review.comment.markdown, limit=400)}", style="muted"))
    lines.extend(
        Text.assemble(("? ", "warn"), (asked_name(asked), "who"), " was asked")
        for asked in rules.requested or ()
        if asked.user is None or asked.user.id not in answered
    )
    if not lines:
        nobody = "none, and no one was asked" + (" (w asks)" if asks else "")
        return [("reviews", hint(nobody))]
    return [(" " if nth else "reviews", line) for nth, line in enumerate(lines)]


def conflict_facts(conflicts: Sequence[Conflict]) -> list[Fact]:
    """Return conflicts in full: the page, the kind, and the lines of both sides."""
    found = []
    for conflict in conflicts:
        found.append(Fact("", conflict_head(conflict)))
        for lines in conflict.lines or ():
            found.append(Fact("line", str(lines.start)))
            sides = (("before", lines.base), ("here", lines.change), ("main", lines.primary))
            for side, texts in sides:
                said = [Text(clean(text, limit=2_000)) for text in texts]
                found += [
                    Fact(side if not nth else " ", text)
                    for nth, text in enumerate(said or [Text("(nothing)", style="muted")])
                ]
    return found


def conflict_lines(conflicts: Sequence[Conflict]) -> list[Text]:
    """Return `conflict_facts` as lines, each side's wrapped beside its name."""
    found = []
    for label, text in conflict_facts(conflicts):
        if isinstance(text, str):
            found.append(Text(f"   {label} {text}", style="muted"))
            continue
        if not label:
            found.append(text)
            continue
        parts = wrap_exact([(text.plain, str(text.style))], ROOM)
        for nth, part in enumerate(parts):
            lead = label if not nth else ""
            found.append(Text.assemble((f"     {lead:9}", "muted"), *part))
    return found


CONFLICT_SAID: Mapping[str, str] = {
    "edited": "both sides edited the same lines",
    "edited-deleted": "edited here, removed in main",
    "deleted-edited": "removed here, edited in main",
    "moved": "both sides moved it",
    "renamed": "both sides renamed it",
    "added": "both sides added it",
}
"""The meanings of the kinds of conflicts."""

HOW_TO_SETTLE = (
    "In its review U settles them. On a platform, edit these pages in the change request. What "
    "came from git: “copydesk desk export” into a checkout of its main branch, commit, merge that "
    "into the change request's branch (or rebase the branch on it), and “copydesk desk import” "
    "once more. An update does not help. Or archive it."
)
"""How to resolve a conflict."""


def conflict_name(conflict: Conflict) -> str:
    """Return the object of a conflict; "" where the service does not name it."""
    if conflict.page is not None:
        return clean(conflict.page.title or conflict.page.path or conflict.page.id)
    if conflict.file is not None:
        return clean(conflict.file.path or conflict.file.name or conflict.file.id)
    return ""


def conflict_head(conflict: Conflict) -> Text:
    """Return the object of a conflict and its kind."""
    return Text.assemble(
        (f"{glyphs().failed} ", "bad"),
        (conflict_name(conflict) or "something", "strong"),
        f": {CONFLICT_SAID.get(conflict.kind, clean(conflict.kind))}",
    )

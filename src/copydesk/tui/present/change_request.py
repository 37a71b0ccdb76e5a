"""Change requests as rows, cells and sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.text import Text

from copydesk.domain.age import age
from copydesk.domain.filter import Fields, fold
from copydesk.domain.text import clean, listed, plural
from copydesk.tui.glyphs import glyphs
from copydesk.tui.widgets.facts import Fact

if TYPE_CHECKING:
    # Models are not loaded for the sake of an annotation: a place draws its frame without them.
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.user import User
    from copydesk.domain.merge_rules import RuleResult

UNKNOWN = "."
"""What a cell shows that has not been read yet: never a zero (interaction.md 3.4)."""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """What a list keeps of a change request; its texts are clean."""

    id: str
    number: int
    subject: str
    status: str
    space: str
    author: str
    author_id: str
    created: datetime
    updated: datetime
    threads: int
    outdated: bool
    cluster: str
    url: str

    @property
    def label(self) -> str:
        """How a sentence names it."""
        return f"#{self.number}"


@dataclass(frozen=True, slots=True)
class Listing:
    """One view: which change requests it holds, and what to say when there are none.

    ``who`` is the query parameter that the reader's own id goes into, empty for none. The lists of
    several ``statuses`` follow one another.
    """

    id: str
    title: str
    statuses: tuple[str, ...]
    empty: str
    who: str = ""


LISTINGS: Sequence[Listing] = (
    Listing("open", "Open", ("open",), "Nothing is open. ctrl+n starts a change request."),
    Listing("draft", "Draft", ("draft",), "No drafts. ctrl+n starts a change request."),
    Listing("merged", "Merged", ("merged",), "Nothing has been merged yet."),
    Listing("archived", "Archived", ("archived",), "Nothing is archived."),
    Listing(
        "mine", "Mine", ("open", "draft"),
        "You have nothing open and no drafts. ctrl+n starts a change request.", "creator",
    ),
    Listing(
        "needs-me", "Needs me", ("open",),
        "Nothing waits on you. 1 shows everything that is open.", "requested_reviewer",
    ),
)  # fmt: skip
"""The views, in the order of their keys."""

SORTS: Mapping[str, str] = {
    "updated": "updated",
    "created": "opened",
    "number": "number",
    "subject": "subject",
    "space": "space",
}
"""How the list may be ordered, and what each order is called. The first is the service's own."""

SERVED = "updated"
"""The order that lists come in; any other needs the whole list."""

DESCENDING = frozenset({"updated", "created", "number"})
"""The orders in which the later or higher comes first unless they are reversed."""

Titles = Callable[[str], str]
"""Takes the id of a space and returns its title, "" while that is not known."""

SORT_KEYS: Mapping[str, Callable[[ChangeRow, Titles], Any]] = {
    "updated": lambda row, title: (row.updated, row.id),
    "created": lambda row, title: (row.created, row.id),
    "number": lambda row, title: (row.number, row.id),
    "subject": lambda row, title: (fold(row.subject), row.number),
    "space": lambda row, title: (fold(title(row.space)), -row.number),
}
"""What each order compares."""


def sorted_rows(
    rows: Iterable[ChangeRow], sort: str, title: Titles, *, backwards: bool
) -> list[ChangeRow]:
    """Return rows in an order of ``SORTS``, turned round if asked."""
    compare = SORT_KEYS[sort]
    return sorted(
        rows, key=lambda row: compare(row, title), reverse=(sort in DESCENDING) != backwards
    )


def row_of(request: ChangeRequest) -> ChangeRow:
    """Return a change request as a row."""
    return ChangeRow(
        id=request.id,
        number=request.number,
        subject=clean(request.subject).strip() or "(no subject)",
        status=clean(request.status),
        space=request.space,
        author=person(request.created_by),
        author_id=request.created_by.id if request.created_by else "",
        created=request.created_at,
        updated=request.updated_at,
        threads=request.comments,
        outdated=request.outdated,
        cluster=request.conversations_issues_cluster or "",
        url=clean(request.urls.app or ""),
    )


def person(user: User | None) -> str:
    """Return what a person is called; nobody is known when an account is gone."""
    if user is None:
        return "someone"
    return clean(user.display_name or user.email or user.id).strip() or "someone"


def short_name(name: str, cells: int = 10) -> str:
    """Return a name as a narrow column shows it: whole if it fits, else "Priya R"."""
    first, _, rest = name.partition(" ")
    if len(name) <= cells or not rest or len(first) > cells - 2:
        return name
    return f"{first} {rest.split()[-1][:1]}"


def _marks(row: ChangeRow) -> list[str]:
    facts = [(row.outdated, "outdated"), (row.threads > 0, "discussed"), (True, row.status)]
    return [word for true, word in facts if true]


def _has(row: ChangeRow) -> list[str]:
    return [w for true, w in ((row.threads > 0, "threads"), (row.cluster != "", "cluster")) if true]


def fields(title: Titles) -> Fields[ChangeRow]:
    """Return what the list can be filtered by."""
    return Fields(
        words=lambda row: f"#{row.number} {row.subject} {title(row.space)} {row.author}",
        keys={
            "author": lambda row: row.author,
            "by": lambda row: row.author,
            "subject": lambda row: row.subject,
            "space": lambda row: title(row.space),
            "status": lambda row: row.status,
            "number": lambda row: str(row.number),
            "is": _marks,
            "has": _has,
        },
    )


# Details


@dataclass(frozen=True, slots=True)
class PageLine:
    """A page or file that a change request touches, and what happens to it.

    ``kinds`` are of added, deleted, moved, renamed, edited; ``was`` is its former title or path,
    ``above`` the path of what it is in.
    """

    title: str
    kinds: tuple[str, ...]
    was: str = ""
    above: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The newest review of one person."""

    name: str
    approved: bool
    outdated: bool
    at: datetime | None


@dataclass(frozen=True)
class Details:
    """What is read for the change request under the cursor; None is what the service cannot say.

    ``approximate`` is true when pages come from comparing with primary content as it is now, which
    for an outdated request shows more than it changes. ``asked`` are people who have not answered.
    """

    description: str = ""
    pages: Sequence[PageLine] | None = None
    more_pages: int = 0
    approximate: bool = False
    rules: Sequence[RuleResult] | None = None
    verdicts: Sequence[Verdict] | None = None
    asked: Sequence[str] | None = None
    cluster: str = ""
    missing: str = ""
    """Why nothing of this is known: a sentence."""

    @property
    def passed(self) -> int:
        """How many rules pass."""
        return sum(rule.outcome == "pass" for rule in self.rules or ())


# Cells


def since(row: ChangeRow, now: datetime) -> str:
    """Return how long ago it last changed."""
    return age(row.updated, now)


def subject(row: ChangeRow, listing: Listing) -> str | Text:
    """Return the subject; with its status where that is no longer the one of the view."""
    if row.status in listing.statuses and len(listing.statuses) == 1:
        return row.subject
    text = Text(row.subject)
    if row.status not in listing.statuses:
        text = Text.assemble((f"[{row.status}] ", "warn"), text)
    elif row.status == "draft":
        text = Text.assemble(("[draft] ", "muted"), text)
    return text


def threads(row: ChangeRow) -> str | Text:
    """Return how many threads are open; none is dim."""
    return str(row.threads) if row.threads else Text("0", style="muted")


def pages(details: Details | None) -> str | Text:
    """Return how many pages change."""
    if details is None or details.pages is None:
        return Text(UNKNOWN, style="muted")
    return str(len(details.pages) + details.more_pages)


def rules(details: Details | None) -> str | Text:
    """Return how many of the merge rules pass; ``?`` when some only the service can tell."""
    if details is None or details.rules is None:
        return Text(UNKNOWN, style="muted")
    if not details.rules:
        return Text("-", style="muted")
    outcomes = [rule.outcome for rule in details.rules]
    said = f"{details.passed}/{len(outcomes)}" + ("?" if "unknown" in outcomes else "")
    return Text(said, style="warn" if "fail" in outcomes else "good")


# Facts


def facts(row: ChangeRow, space: str, now: datetime, details: Details | None) -> list[Fact]:
    """Return what to know about a change request: first what decides, then each part in full."""
    found = [Fact("", _who(row, space, now))]
    if details is None:
        found.append(Fact("merge", Text("reading…", style="muted")))
        found.append(Fact("threads", _threads(row)))
        return found
    if details.missing:
        return [*found, Fact("", Text(details.missing, style="warn"))]
    found.append(Fact("merge", merge_state(row, details)))
    found.append(Fact("changes", page_summary(details)))
    found.append(Fact("reviews", review_summary(details)))
    found.append(Fact("threads", _threads(row)))
    if details.cluster:
        found.append(Fact("cluster", f"{details.cluster}   gk opens it"))
    if details.rules:
        found += [Fact("", ""), Fact("", Text("Rules", style="strong"))]
        found += [Fact("", rule_line(rule)) for rule in details.rules]
    if details.pages:
        found += [Fact("", ""), Fact("", Text("Changes", style="strong"))]
        found += [Fact("", page_line(page)) for page in details.pages]
        if details.more_pages:
            found.append(Fact("", Text(f"and {details.more_pages} more", style="muted")))
    if details.description:
        found += [Fact("", ""), Fact("", Text("Description", style="strong"))]
        found += [Fact("", line) for line in details.description.split("\n")]
    return found


def _who(row: ChangeRow, space: str, now: datetime) -> Text:
    text = Text.assemble((row.author, "who"), f", opened {_ago(row.created, now)}")
    if row.updated > row.created:
        text.append(f", changed {_ago(row.updated, now)}")
    text.append(f", in {space}" if space else "", style="muted")
    return text


def _ago(then: datetime, now: datetime) -> str:
    since = age(then, now)
    return "just now" if since == "now" else f"{since} ago"


def _threads(row: ChangeRow) -> Text | str:
    return f"{row.threads} open" if row.threads else Text("none open", style="muted")


def merge_state(row: ChangeRow, details: Details) -> Text:
    """Return whether it can be merged, and if not the first thing that stands in the way."""
    if row.status != "open":
        said = {"merged": "merged", "archived": "archived: x reopens it", "draft": "still a draft: "
                "W makes it open"}.get(row.status, row.status)
        return Text(said, style="good" if row.status == "merged" else "muted")
    results = details.rules or ()
    failing = [rule for rule in results if rule.outcome == "fail"]
    unsure = [rule for rule in results if rule.outcome == "unknown"]
    if failing:
        text = Text(f"{details.passed} of {len(results)} rules pass", style="warn")
        text.append(": " + "; ".join(rule.sentence for rule in failing))
    elif unsure:
        text = Text("ready as far as is known", style="good")
        text.append(": " + "; ".join(rule.sentence for rule in unsure), style="muted")
    else:
        text = Text("READY TO MERGE", style="good")
        if results:
            text.append(f"   {plural(len(results), 'rule')} met", style="muted")
        elif details.rules is not None:
            text.append("   no rules here", style="muted")
    if row.outdated:
        text.append(f"   {glyphs().outdated} out of date, U updates", style="accent")
    return text


def rule_line(rule: RuleResult) -> Text:
    """Return a rule with how it came out."""
    signs = glyphs()
    sign, tone = {
        "pass": (signs.passed, "good"), "fail": (signs.failed, "bad"),
    }.get(rule.outcome, ("?", "warn"))  # fmt: skip
    return Text.assemble((f"{sign} ", tone), rule.sentence)


SIGNS: Mapping[str, tuple[str, str]] = {
    "added": ("+", "good"),
    "deleted": ("-", "bad"),
    "moved": ("--", "moved"),
    "renamed": ("~", "changed"),
    "edited": ("~", "changed"),
}
"""The sign and the tone of each kind of change, the weightiest first."""


def page_summary(details: Details) -> Text | str:
    """Return how many pages change, and how."""
    if details.pages is None:
        return Text("not said by the service", style="muted")
    if not details.pages:
        return Text("nothing changes yet", style="muted")
    counts = {kind: sum(kind in page.kinds for page in details.pages) for kind in SIGNS}
    said = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    text = Text(said)
    if details.more_pages:
        text.append(f", and {details.more_pages} more")
    if details.approximate:
        text.append("  (against primary content as it is now)", style="muted")
    return text


def page_line(page: PageLine) -> Text:
    """Return a changed page with its sign, and in words what a sign cannot say."""
    kind = next((kind for kind in SIGNS if kind in page.kinds), "edited")
    sign, tone = SIGNS[kind]
    above = f"{page.above}/" if page.above else ""
    text = Text.assemble((f"{sign:<2} ", tone), (above, "muted"), page.title)
    words = [word for word in page.kinds if word != "edited"]
    if words:
        was = f" from {page.was}" if page.was else ""
        text.append(f"  {listed(words)}{was}", style="muted")
    return text


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

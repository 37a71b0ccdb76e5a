"""Change requests as rows of a list: the orders and the cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from copydesk.domain.filter import UNKNOWN, Fields, Measure, Number, Query, States, Value, fold
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import age, moment, told_ago
from copydesk.domain.text import clean, listed, plural
from copydesk.present.facts import Fact, hint
from copydesk.present.markdown import inline
from copydesk.present.page_changes import counted
from copydesk.session.change_rows import (
    ASKED,
    PAGES,
    READY,
    RULES,
    THREADS,
    ChangeRow,
    PageLine,
    Readiness,
    RequestDetails,
    Titles,
    readiness_of,
)
from copydesk.session.errors import LACKS
from copydesk.session.glyphs import glyphs
from copydesk.session.listings import MOST_THREADS, SERVED, STATUSES, Listing
from copydesk.session.marks import NONE, NOTE, STARRED, labels_of

if TYPE_CHECKING:
    from copydesk.domain.merge_rules import RuleResult
    from copydesk.domain.page_tree import ChangeKind
    from copydesk.session.change_rows import KnownRequests

UNREAD = "."
"""The text of an unread cell: never a zero."""


Known = Callable[["ChangeRow"], "RequestDetails | None"]
"""Returns the details of a row, if they were read."""


@dataclass(frozen=True, slots=True)
class ListOrder:
    """An order of the list: its name, and what rows are compared by.

    ``needs`` are the parts that must be read of every row for it. Unless it is reversed, an order
    that is ``falling`` shows the later or higher first.
    """

    title: str
    key: Callable[[ChangeRow, Titles, RequestDetails | None], Any]
    needs: frozenset[str] = frozenset()
    falling: bool = False


ORDERS: Mapping[str, ListOrder] = {
    "updated": ListOrder("updated", lambda row, title, found: (row.updated, row.id), falling=True),
    "created": ListOrder("opened", lambda row, title, found: (row.created, row.id), falling=True),
    "waiting": ListOrder(
        "waiting longest",
        lambda row, title, found: (waiting_since(row, found), row.id),
        frozenset({RULES, THREADS}),
    ),
    "number": ListOrder("number", lambda row, title, found: (row.number, row.id), falling=True),
    "subject": ListOrder("subject", lambda row, title, found: (fold(row.subject), row.number)),
    "space": ListOrder("space", lambda row, title, found: (fold(title(row.space)), -row.number)),
    "author": ListOrder("author", lambda row, title, found: (fold(row.author), -row.number)),
    "threads": ListOrder(
        "open threads",
        lambda row, title, found: (open_threads(row, found) or 0, row.id),
        frozenset({THREADS}),
        falling=True,
    ),
    "pages": ListOrder(
        "pages", lambda row, title, found: (_many(found), row.id), frozenset({PAGES}), falling=True
    ),
    "rules": ListOrder(
        "rules", lambda row, title, found: (_met(found), row.id), frozenset({RULES}), falling=True
    ),
}
"""The orders of the list. The first is the service's own.

Unknown values come last, or first when reversed.
"""


def _many(found: RequestDetails | None) -> int:
    if found is None or found.pages is None:
        return -1
    return len(found.pages) + found.more_pages


def _met(found: RequestDetails | None) -> float:
    if found is None or found.rules is None:
        return -1.0
    return found.passed / len(found.rules) if found.rules else 1.0


def waiting_since(row: ChangeRow, found: RequestDetails | None) -> datetime:
    """Return since when it waits on somebody; else its last change."""
    if found is None:
        return row.updated
    waiting = found.waiting
    said = [found.asked_since]
    if waiting is not None:
        said += [waiting.mine, waiting.author]
    said += [each.at for each in found.verdicts or () if not each.approved and not each.outdated]
    return min((at for at in said if at is not None), default=row.updated)


def sorted_rows(
    rows: Iterable[ChangeRow],
    sort: str,
    title: Titles,
    *,
    backwards: bool,
    known: Known = lambda row: None,
) -> list[ChangeRow]:
    """Return rows in one of `ORDERS`, reversed on demand."""
    order = ORDERS[sort]
    return sorted(
        rows,
        key=lambda row: order.key(row, title, known(row)),
        reverse=order.falling != backwards,
    )


NAME_CELLS = 10
"""The minimum width of the column of names."""

MOST_NAME_CELLS = 16
"""The maximum width of the column of names."""


def short_name(name: str, cells: int = NAME_CELLS, among: frozenset[str] = frozenset()) -> str:
    """Return a name for a narrow column: whole if it fits, else "Priya R".

    Where that looks like somebody else's ``among`` these names, it is cut differently.
    """
    if cell_len(name) <= cells:
        return name
    more = glyphs().more
    rivals = _written(among | {name}, cells, more)
    forms = _name_forms(name, cells, more)
    return next((form for form in forms if rivals[form] == 1), forms[-1])


@lru_cache(maxsize=8)
def _written(names: frozenset[str], cells: int, more: str) -> Counter[str]:
    """Return the number of people with each short form."""
    return Counter(form for name in names for form in set(_name_forms(name, cells, more)))


def _name_forms(name: str, cells: int, more: str) -> list[str]:
    """Return the short forms of a name for this width, the best first."""
    if cell_len(name) <= cells:
        return [name]
    first, _, rest = name.partition(" ")
    forms = []
    if rest and cell_len(first) <= cells - 2:
        forms.append(f"{first} {rest.split()[-1][:1]}")
    forms.append(set_cell_size(name, cells - 1).rstrip() + more)
    for letters in range(2, cells - 2):
        tail = name[-letters:]
        if cell_len(tail) < cells - 1:
            forms.append(set_cell_size(name, cells - 1 - cell_len(tail)).rstrip() + more + tail)
    return forms


def name_cells(names: Iterable[str]) -> int:
    """Return the width of a column for these names, within its bounds."""
    return max(NAME_CELLS, *(min(MOST_NAME_CELLS, cell_len(name)) for name in (*names, "")))


# Cells


TIMES: Mapping[str, str] = {"created": "AGE", "waiting": "WAITING"}
"""The headings of the column of times by order; else it is UPDATED."""


def since(
    row: ChangeRow, now: datetime, sort: str = SERVED, found: RequestDetails | None = None
) -> str:
    """Return its age by the order of the list: since the last change, the opening, or waiting."""
    if sort == "created":
        return age(row.created, now)
    return age(waiting_since(row, found) if sort == "waiting" else row.updated, now)


WAITS, STOPPED = "M", "M!"
"""Stand before the subject of a request that is merged when ready, and of one that stopped so."""


def subject(
    row: ChangeRow,
    listing: Listing,
    *,
    asleep: bool = False,
    starred: bool = False,
    waits: bool | None = None,
) -> str | Text:
    """Return the subject, with its status where that is no longer the view's.

    ``waits`` says that it is merged when ready; False that this was stopped.
    """
    if waits is not None:
        sign = (f"{WAITS} ", "good") if waits else (f"{STOPPED} ", "bad")
        return Text.assemble(sign, subject(row, listing, asleep=asleep, starred=starred))
    if starred:
        star = Text(f"{glyphs().starred} ", style="accent")
        return Text.assemble(star, subject(row, listing, asleep=asleep))
    if asleep:
        return Text.assemble(("[snoozed] ", "muted"), row.subject)
    if row.status in listing.statuses and len(listing.statuses) == 1:
        return row.subject
    text = Text(row.subject)
    if row.status not in listing.statuses:
        text = Text.assemble((f"[{row.status}] ", "warn"), text)
    elif row.status == "draft":
        text = Text.assemble(("[draft] ", "muted"), text)
    return text


def subject_told(row: ChangeRow, said: str) -> str:
    """Return what a cell of `subject` says, with words for the signs before it."""
    if not said.endswith(row.subject):
        return said
    signs = {
        glyphs().starred: "starred",
        WAITS: "merged once its rules are met",
        STOPPED: "no longer waits for its rules",
    }
    lead = said.removesuffix(row.subject).split()
    return ", ".join([*(signs.get(each, each.strip("[]")) for each in lead), row.subject])


def threads(row: ChangeRow, found: RequestDetails | None = None) -> str | Text:
    """Return the number of open threads, with ``!`` when one waits on the reader; 0 is dim."""
    count = open_threads(row, found)
    if not count:
        return Text(UNREAD if count is None else "0", style="muted")
    if found is not None and found.waiting is not None and found.waiting.mine is not None:
        return Text(f"{count}!", style="accent")
    return str(count)


# Cells


def pages(details: RequestDetails | None) -> str | Text:
    """Return the number of changed pages."""
    if details is None or details.pages is None:
        return Text(UNREAD, style="muted")
    return str(len(details.pages) + details.more_pages)


def rules(details: RequestDetails | None) -> str | Text:
    """Return the number of merge rules that pass; ``?`` when only the service knows some."""
    if details is None or details.rules is None:
        return Text(UNREAD, style="muted")
    if not details.rules:
        return Text("-", style="muted")
    outcomes = [rule.outcome for rule in details.rules]
    said = f"{details.passed}/{len(outcomes)}" + ("?" if "unknown" in outcomes else "")
    return Text(said, style="warn" if "fail" in outcomes else "good")


def threads_told(_row: object, said: str) -> str:
    """Return what a cell of `threads` says in words."""
    count = said.removesuffix("!")
    if not count.isdecimal() or not int(count):
        return ""
    return f"{plural(int(count), 'thread')} open{', waiting for you' if count != said else ''}"


def rules_told(_row: object, said: str) -> str:
    """Return what a cell of `rules` says in words."""
    met, _, every = said.removesuffix("?").partition("/")
    if not every:
        return ""
    missing = int(every) - int(met)
    return f"{plural(missing, 'rule')} missing" if missing else f"{plural(int(met), 'rule')} met"


# Facts


def facts(
    row: ChangeRow,
    space: str,
    now: datetime,
    details: RequestDetails | None,
    looked: datetime | None = None,
    *,
    asked: bool | None = None,
    keys: bool = True,
    listed: bool = True,
    marks: Mapping[str, str] = NONE,
) -> list[Fact]:
    """Return the facts of a change request: the decisive ones first, then each part in full.

    ``looked`` is the reader's last view of it, ``asked`` whether their review is requested.
    ``keys`` adds the keys that change it, ``listed`` those of a list of change requests that look
    further. ``marks`` are the reader's own.
    """
    found = [Fact("", _who(row, space, now)), *mark_facts(marks)]
    if row.status == "open" and (need := needs_you(details, asked=asked, now=now)):
        found.append(Fact("needs you", Text(need, style="accent")))
    if details is not None and details.missing:
        return [*found, Fact("", Text(details.missing, style="warn"))]
    known = details or RequestDetails(parts=frozenset())
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
        opens = "   gk opens it" if listed and not details.cluster.startswith(LACKS) else ""
        found.append(Fact("cluster", f"{details.cluster}{opens}"))
    if details.finding:
        opens = "   gq opens it" if listed and not details.finding.startswith(LACKS) else ""
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
    if listed and details.pages and row.status != "merged":
        said = details.impact or hint("i reads who links to these pages")
        found += [Fact("", ""), Fact("affects", said)]
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


def needs_you(details: RequestDetails | None, *, asked: bool | None, now: datetime) -> str:
    """Return why a request waits on the reader; "" when it does not, or that is unknown.

    The same as `copydesk.present.change_request.waiting`, in words.
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
            when = f" {told_ago(mine.at, now)}" if mine.at is not None else ""
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
    row: ChangeRow, details: RequestDetails, looked: datetime | None, now: datetime
) -> list[Text]:
    """Return the news since the reader's last view, the newest first; none without a view."""
    if looked is None:
        return []
    found: list[tuple[datetime, str | Text]] = []
    for verdict in details.verdicts or ():
        said = "approved by" if verdict.approved else "changes asked for by"
        if verdict.at is not None:
            found.append((verdict.at, f"{said} {verdict.name}"))
    if details.waiting is not None:
        found += [(at, f"{who} wrote in a thread") for at, who in details.waiting.words]
    if details.asked_since is not None and details.asked:
        found.append((details.asked_since, f"asked for a review: {listed(details.asked)}"))
    found.append((row.updated, hint("changed   d shows what it changes", "")))
    return [
        Text.assemble((f"{moment(at, now):<6} ", "muted"), said)
        for at, said in sorted(found, key=lambda each: (each[0], str(each[1])), reverse=True)
        if at > looked
    ]


def _who(row: ChangeRow, space: str, now: datetime) -> Text:
    text = Text.assemble((row.author, "who"), f", opened {told_ago(row.created, now)}")
    if row.updated > row.created:
        text.append(f", changed {told_ago(row.updated, now)}")
    text.append(f", in {space}" if space else "", style="muted")
    return text


def _threads(row: ChangeRow, details: RequestDetails) -> Text | str:
    count = open_threads(row, details)
    if not count:
        return Text("not known" if count is None else "none open", style="muted")
    text = Text(f"{count} open")
    if details.waiting is not None and details.waiting.mine is not None:
        text.append("   one waits on you", style="accent")
    elif details.waiting is not None and details.waiting.author is not None:
        text.append("   one waits on the author", style="muted")
    return text


def thread_facts(row: ChangeRow, details: RequestDetails | None, now: datetime) -> list[Fact]:
    """Return the open threads of a change request, each with its first comment."""
    count = open_threads(row, details)
    if count == 0:
        none = "No open threads. Enter opens the change request; c starts one there."
        return [Fact("", hint(none))]
    if count is None:
        if details is not None and details.missing:
            return []  # the details say why
        many = "Too many to be read here. Enter opens the change request."
        said = hint(many) if row.threads > MOST_THREADS else Text("reading…", style="muted")
        return [Fact("", said)]
    found: list[Fact] = []
    threads = details.waiting.threads if details and details.waiting else ()
    for thread in threads:
        lead = Text.assemble((thread.who, "who"), (f"  {age(thread.at, now)}", "muted"))
        if thread.mine:
            lead.append("   waits on you", style="accent")
        lines = inline(thread.text).split("\n", allow_blank=True)
        found += [Fact("", lead), *(Fact("", line) for line in lines)]
        if thread.last_at is not None:
            replies = plural(thread.replies, "reply")
            last = f"{replies}, the last by {thread.last}, {age(thread.last_at, now)}"
            found.append(Fact("", Text(f"  {glyphs().branch} {last}", style="muted")))
        found.append(Fact("", ""))
    if count > len(threads):
        found.append(Fact("", Text(f"and {count - len(threads)} more", style="muted")))
    return found


def readiness_text(ready: Readiness, *, keys: bool = True) -> Text:
    """Return the word in its tone, with the reason; ``keys`` adds the key that helps."""
    found, tone = Text(ready.word, style=ready.tone), "" if ready.tone == "warn" else "muted"
    found.append(f"   {ready.why}" if ready.why else "", style=tone)
    if ready.do and keys:
        found.append_text(hint(f"{':' if ready.why else '  '} {ready.do}", tone))
    return found


def merge_state(row: ChangeRow, details: RequestDetails, *, keys: bool = True) -> Text:
    """Return whether it can be merged, with the reason."""
    found = readiness_of(row, details)
    if row.status == "archived":
        found = replace(found, do="x reopens it")
    return readiness_text(found, keys=keys)


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


def page_summary(details: RequestDetails) -> Text | str:
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


def review_summary(details: RequestDetails) -> Text | str:
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
    return text or Text("none, no one was asked", style="muted")


FILTER_NEEDS: Mapping[str, frozenset[str]] = {
    "rule": frozenset({RULES, PAGES}),
    "review": frozenset({RULES}),
    "asked": frozenset({RULES}),
    "page": frozenset({PAGES}),
    "changed": frozenset({PAGES}),
    "threads": frozenset({THREADS}),
    "has": frozenset({THREADS}),
    "is": frozenset({THREADS}),
    "waiting": frozenset({RULES, THREADS, ASKED}),
}
"""The parts of a row that each field of the filter needs.

`needs` drops the ones a value can do without.
"""


_OF_THREADS = {"has": "threads", "is": "discussed"}


def needs(query: Query[ChangeRow]) -> frozenset[str]:
    """Return the parts of rows that a filter needs."""
    found: set[str] = set()
    for term in query.terms:
        asked = FILTER_NEEDS.get(term.key or "", frozenset())
        if term.key == "waiting" and "me".startswith(term.value):
            asked -= {RULES}
        if term.key == "asked" and term.value == "me":
            asked = frozenset({ASKED})
        if term.key in ("has", "is") and term.value not in _OF_THREADS[term.key]:
            asked = frozenset()
        found |= asked
    return frozenset(found)


def fields(
    known: KnownRequests, offers: Callable[[str], Iterable[str]] = lambda key: ()
) -> Fields[ChangeRow]:
    """Return what a list can be filtered by; ``offers`` are the values worth typing for a key."""

    def details(row: ChangeRow, part: str) -> RequestDetails | None:
        found = known.last_details(row)
        return found if found is not None and part in found.parts else None

    def rule(row: ChangeRow) -> Value:
        found = details(row, RULES)
        if found is None:
            return UNKNOWN
        outcomes = {each.outcome for each in found.rules or ()}
        if "fail" in outcomes or row.status != "open" or found.stuck:
            return "failing"
        if found.rules is None or "unknown" in outcomes:
            return "unknown"
        if details(row, PAGES) is None:
            return UNKNOWN  # a page may be lost, or nothing changed
        return "ready" if readiness_of(row, found).word == READY else None

    def review(row: ChangeRow) -> Value:
        found = details(row, RULES)
        if found is None or found.verdicts is None:
            return UNKNOWN if found is None else None
        said = {"approved" if each.approved else "changes" for each in found.verdicts}
        return said or "none"

    def asked(row: ChangeRow) -> Value:
        found = details(row, RULES)
        return UNKNOWN if found is None else found.asked

    def page(row: ChangeRow) -> Value:
        found = details(row, PAGES)
        if found is None:
            return UNKNOWN
        return [f"{each.above}/{each.title}" for each in found.pages or ()]

    def changed(row: ChangeRow) -> Number:
        found = details(row, PAGES)
        if found is None:
            return UNKNOWN
        return None if found.pages is None else len(found.pages) + found.more_pages

    def threads(row: ChangeRow) -> Number:
        count = open_threads(row, known.last_details(row))
        return UNKNOWN if count is None else count

    return Fields(
        words=lambda row: " ".join(
            (row.label, row.subject, known.space_title(row.space), row.author)
        ),
        keys={
            "author": lambda row: row.author,
            "by": lambda row: row.author,
            "subject": lambda row: row.subject,
            "space": lambda row: known.space_title(row.space),
            "label": lambda row: labels_of(known.marks(row)),
            "status": lambda row: row.status,
            "is": lambda row: _marks(row, known),
            "has": lambda row: {"threads": _discussed(row, known), "cluster": row.cluster != ""},
            "can": lambda row: {"merge": known.may(row, "merge"), "edit": known.may(row, "edit")},
            "waiting": lambda row: waiting(row, known),
            "rule": rule,
            "review": review,
            "asked": asked,
            "page": page,
        },
        values={
            "status": STATUSES,
            "is": ("outdated", "discussed", "mine", "snoozed", "starred", *STATUSES),
            "has": ("threads", "cluster"),
            "can": ("merge", "edit"),
            "waiting": ("me", "author"),
            "rule": ("ready", "failing", "unknown"),
            "review": ("approved", "changes", "none"),
        },
        numbers={
            "number": Measure(lambda row: row.number),
            "age": Measure(lambda row: _seconds(row.created, known.now()), "time"),
            "idle": Measure(lambda row: _seconds(row.updated, known.now()), "time"),
            "threads": Measure(threads),
            "changed": Measure(changed),
        },
        offers=offers,
        me={"author": known.mine, "by": known.mine, "asked": known.asked_me},
    )


def waiting(row: ChangeRow, known: KnownRequests) -> States:
    """Return whether it waits on the reader, and on its author; None is not known."""
    if row.status != "open":
        return {"me": False, "author": False}
    found = known.last_details(row)
    waiting = None if found is None else found.waiting
    asked = known.asked_me(row)
    threads_me = False if not row.threads else None if waiting is None else waiting.mine is not None
    verdicts = found.verdicts if found is not None and RULES in found.parts else None
    sent_back: bool | None = None
    if found is not None and RULES in found.parts:
        sent_back = any(not each.approved and not each.outdated for each in verdicts or ())
    answer = False if not row.threads else None if waiting is None else waiting.author is not None
    return {"me": _either(asked, threads_me), "author": _either(sent_back, answer)}


def _either(one: bool | None, other: bool | None) -> bool | None:
    if one or other:
        return True
    return None if one is None or other is None else False


def open_threads(row: ChangeRow, details: RequestDetails | None) -> int | None:
    """Return the number of open threads as in the review; None until they were read.

    The service's own count may include comments of verdicts.
    """
    if not row.threads:
        return 0
    return None if details is None or details.waiting is None else details.waiting.open


def _discussed(row: ChangeRow, known: KnownRequests) -> bool | None:
    count = open_threads(row, known.last_details(row))
    return None if count is None else count > 0


def _marks(row: ChangeRow, known: KnownRequests) -> States:
    return {
        "outdated": row.outdated,
        "discussed": _discussed(row, known),
        "mine": known.mine(row),
        "snoozed": known.snoozed(row),
        "starred": STARRED in known.marks(row),
        row.status: True,
    }


def _seconds(then: datetime, now: datetime) -> Number:
    return max(0.0, (now - then).total_seconds())

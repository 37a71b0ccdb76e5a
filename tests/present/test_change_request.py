"""Change requests as cells and sentences, and their text as it is edited: without a terminal."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from rich.cells import cell_len
from rich.text import Text

from copydesk.contract.models.change_request import (
    Change,
    ChangedFile,
    ChangedPage,
    Changes,
    Placement,
)
from copydesk.domain.filter import Query
from copydesk.domain.merge_rules import RuleResult
from copydesk.domain.moments import is_age, spelled
from copydesk.present.change_request import (
    facts,
    fields,
    merge_state,
    name_cells,
    needs,
    page_line,
    page_summary,
    pages,
    review_summary,
    rules,
    rules_told,
    short_name,
    sorted_rows,
    subject,
    thread_facts,
    threads,
    threads_told,
)
from copydesk.present.page_changes import counted
from copydesk.session.change_rows import (
    PAGES,
    RULES,
    THREADS,
    KnownRequests,
    LastReview,
    OpenThreads,
    PageLine,
    RequestDetails,
    ThreadWords,
)
from copydesk.session.listings import LISTINGS, MOST_THREADS
from copydesk.session.page_changes import changed_pages, changed_things
from copydesk.session.reads.change_requests import Scope, SpaceInfo, page_lines
from tests.session.rows import NOW, row, title


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("Lee Park", "Lee Park"),
        ("Priya Raman", "Priya R"),
        ("Ruben de Vries", "Ruben V"),
        ("Bartholomew Long", "Bartholom…"),
        ("bot", "bot"),
    ],
)
def test_names_in_a_narrow_column(name: str, short: str) -> None:
    assert short_name(name) == short


def test_short_names_tell_people_apart() -> None:
    people = frozenset(
        {
            "Author 2cd3",
            "Author 2cd4",
            "Author f1e3",
            "Priya Raman",
            "Maximiliane A",
            "文字文字文字",
        }
    )
    for cells in (8, 10):
        short = [short_name(name, cells, people) for name in people]
        assert len(set(short)) == len(people)
        assert all(cell_len(name) <= cells for name in short)
    assert short_name("Priya Raman", 10, people) == "Priya R"
    assert short_name("Author 2cd3", 10, people).endswith("d3")
    assert short_name("Author 2cd3", 11, people) == "Author 2cd3"
    assert name_cells(people) == 13
    assert (name_cells([]), name_cells(["x" * 40])) == (10, 16)


def test_what_is_not_known_is_a_dot_and_never_a_zero() -> None:
    assert str(pages(None)) == str(rules(None)) == "."
    assert str(pages(RequestDetails())) == str(rules(RequestDetails())) == "."
    assert str(pages(RequestDetails(pages=[]))) == "0"
    assert str(rules(RequestDetails(rules=[]))) == "-"
    assert str(threads(row())) == "0"


def test_a_cell_is_told_in_words() -> None:
    assert [threads_told(None, each) for each in ("·", "0", "1", "2!")] == [
        "", "", "1 thread open", "2 threads open, waiting for you",
    ]  # fmt: skip
    assert [rules_told(None, each) for each in ("-", "1/3", "1/2?", "1/1")] == [
        "", "2 rules missing", "1 rule missing", "1 rule met",
    ]  # fmt: skip
    assert spelled("Opened 1 d ago, 12 mo ago; kept 3 d") == (
        "Opened 1 day ago, 12 months ago; kept 3 d"
    )
    assert [is_age(each) for each in ("3 w", "in 3 w", "now", "30 items")] == [True, *[False] * 3]


def test_a_row_that_left_its_view_says_what_it_is_now() -> None:
    opened, mine = (next(v for v in LISTINGS if v.id == name) for name in ("open", "mine"))
    assert str(subject(row(), opened)) == "Fix samples"
    assert str(subject(row(status="archived"), opened)) == "[archived] Fix samples"
    assert str(subject(row(status="draft"), mine)) == "[draft] Fix samples"


def test_orders() -> None:
    later = NOW + timedelta(hours=1)
    rows = [row(1, subject="b"), row(2, subject="a", space="t", updated=later), row(3, subject="Ä")]

    def numbers(sort: str, *, backwards: bool = False) -> list[int]:
        return [each.number for each in sorted_rows(rows, sort, title, backwards=backwards)]

    assert numbers("updated") == [2, 3, 1]
    assert numbers("number") == [3, 2, 1]
    assert numbers("number", backwards=True) == [1, 2, 3]
    assert numbers("subject") == [2, 3, 1]
    assert numbers("space") == [2, 3, 1]


def known_of(details: RequestDetails | None = None, *, asked: bool | None = None) -> KnownRequests:
    """Return what a list knows of any row: what it was given, and the rest is not known."""
    known = KnownRequests(
        me=lambda: "me", now=lambda: NOW + timedelta(days=3, hours=1), clock=lambda: NOW
    )
    known.spaces.known["s"] = SpaceInfo(title("s"), frozenset({"merge"}))
    if details is not None:
        known.keep(row(), details)
    if asked is not None:
        known._asked[Scope("o")] = frozenset({row().id} if asked else ())
    return known


def judged(text: str, known: KnownRequests, **changes: Any) -> bool | None:
    query = Query.parse(text, fields(known))
    assert not query.problems
    return query.judge(row(**changes))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#118", True), ("author:raman", True), ("by:lee", False), ("space:plat", True),
        ("is:outdated", True), ("-is:outdated", False), ("has:threads", None),
        ("platform fix", True), ("age:>3d", True), ("age:3d", True), ("age:<3d", False),
        ("idle:<=3d", True), ("threads:2", None), ("-is:discussed", None), ("can:merge", True),
        ("can:edit", False), ("rule:ready", None), ("-rule:ready", None), ("changed:>2", None),
        ('page:"x y"', None), ("waiting:me", None), ("rule:ready by:lee", False),
        ("rule:ready -by:lee", None),
    ],
)  # fmt: skip
def test_filters_before_anything_else_is_read(text: str, found: bool | None) -> None:
    assert judged(text, known_of(), outdated=True, threads=2) is found


def test_filters_by_what_was_read() -> None:
    ready = RequestDetails(
        rules=[result("pass", "a"), result("unknown", "b")],
        pages=[PageLine("Retries", ("edited",), above="guides"), PageLine("New", ("added",))],
        more_pages=3,
        verdicts=[LastReview("Lee", False, False, NOW)],
        asked=["Ana Silva"],
        waiting=OpenThreads(mine=NOW),
    )
    known = known_of(ready, asked=False)
    for text in (
        "-rule:ready", "rule:unknown", "-rule:failing", 'page:"guides/retries"', "changed:5",
        "changed:>4", "-changed:>5", "review:changes", "asked:ana", "waiting:author",
    ):  # fmt: skip
        assert judged(text, known) is True, text
    assert judged("waiting:me", known) is False  # no thread is open
    assert judged("waiting:me", known, threads=1) is True
    assert judged("waiting:me", known, threads=1, status="draft") is False
    failing = known_of(
        RequestDetails(rules=[result("fail", "a")], verdicts=[], waiting=OpenThreads()), asked=True
    )
    assert judged("rule:failing review:none waiting:me", failing) is True
    assert judged("waiting:author", failing, threads=1) is False
    # What the service cannot say is not what was not read.
    assert judged("rule:unknown -page:x -changed:>0", known_of(RequestDetails())) is True
    # What was said with a verdict is no open thread, though a service counts it as one.
    assert judged(
        "threads:1 has:threads is:discussed",
        known_of(RequestDetails(waiting=OpenThreads(open=1))),
        threads=2,
    )
    assert judged(
        "threads:0 -has:threads -is:discussed",
        known_of(RequestDetails(waiting=OpenThreads(open=0))),
        threads=2,
    )
    # Only what a filter turns on is read.
    assert needs(Query.parse("has:cluster is:outdated", fields(known))) == set()
    for text in ("has:threads", "is:discussed", "threads:>1"):
        assert needs(Query.parse(text, fields(known))) == {THREADS}
    assert needs(Query.parse("waiting:me fix", fields(known))) == {THREADS, "asked"}
    assert needs(Query.parse("rule:ready can:merge", fields(known))) == {RULES, PAGES}


@pytest.mark.parametrize(
    ("details", "outdated", "found"),
    [
        (RequestDetails(), False, True),
        (RequestDetails(losing=["A is moved out"]), False, False),
        (RequestDetails(unlooked="only the first 1 of 2"), False, False),
        (RequestDetails(against=["Lee"]), False, False),
        (RequestDetails(pages=[]), False, False),
        (RequestDetails(), True, False),
        (RequestDetails(both_sides=[]), True, True),
        (RequestDetails(rules=[RuleResult("house", "unknown", "is not known")]), False, False),
        (RequestDetails(parts=frozenset({RULES})), False, None),
    ],
)
def test_ready_is_what_the_details_call_ready(
    details: RequestDetails, outdated: bool, found: bool | None
) -> None:
    pages = [PageLine("A", ("edited",))] if details.pages is None else details.pages
    read = replace(details, rules=details.rules or [], pages=pages)
    assert judged("rule:ready", known_of(read), outdated=outdated) is found
    if found is not None:
        said = str(merge_state(row(outdated=outdated), read))
        assert said.startswith("READY TO MERGE") is found


def result(outcome: str, sentence: str) -> RuleResult:
    return RuleResult("rule", outcome, sentence)  # type: ignore[arg-type]  # a known outcome


def test_whether_it_can_be_merged() -> None:
    passes, fails = (
        result("pass", "is up to date"),
        result("fail", "needs a subject; the subject is empty"),
    )
    unknown = result("unknown", "house rule: only the service can tell")

    def state(details: RequestDetails, status: str = "open", *, outdated: bool = False) -> str:
        return str(merge_state(row(status=status, outdated=outdated), details))

    assert state(RequestDetails(rules=[passes])) == "READY TO MERGE   1 rule met"
    assert state(RequestDetails(rules=[])) == "READY TO MERGE   no rules here"
    said = state(RequestDetails(rules=[passes, fails]))
    assert said == "1 of 2 rules met   needs a subject; the subject is empty"
    against = RequestDetails(rules=[passes], against=["Lee"])
    objected = "Lee asked for changes; no one has approved it since"
    assert state(against) == f"READY !   {objected}"
    assert state(against, outdated=True).startswith(f"READY?   ! {objected}; ^ out of date")
    refused = RuleResult("require_at_least_one_review", "fail", "needs one; Lee asked for changes")
    once = RequestDetails(rules=[refused], against=["Lee"])
    assert state(once).count("Lee") == 1, "the rule says it already"
    assert "needs a subject" in state(RequestDetails(rules=[fails]), outdated=True)
    assert "may conflict" in state(RequestDetails(rules=[fails]), outdated=True)
    assert str(rules(RequestDetails(rules=[passes, unknown]))) == "1/2?"
    assert state(RequestDetails(rules=[passes]), status="draft") == "draft   W makes it open"
    assert state(RequestDetails(rules=[]), status="archived") == "archived   x reopens it"


def test_what_only_the_service_knows_is_not_promised() -> None:
    passes = result("pass", "is up to date")
    unknown = result("unknown", "house rule: only the service can tell")
    for details, why in (
        (RequestDetails(rules=[passes, unknown]), "house rule: only the service can tell"),
        (RequestDetails(rules=None), "its rules are not known"),
    ):
        assert str(merge_state(row(), details)) == f"READY?   {why}"
    said = str(merge_state(row(outdated=True), RequestDetails(rules=[passes])))
    assert said == "READY?   ^ out of date, may conflict: U updates"
    stuck = str(merge_state(row(outdated=True), RequestDetails(rules=[passes], stuck=True)))
    assert stuck.startswith("CONFLICTS   an update met the same lines")
    assert "U updates" not in stuck


def test_reviews_in_a_line() -> None:
    details = RequestDetails(
        verdicts=[LastReview("Lee", True, True, NOW), LastReview("Sam", False, False, NOW)],
        asked=["Ana", "Kim"],
    )
    said = str(review_summary(details))
    assert said == "✓ Lee (before the latest change), ✗ Sam; waits on Ana and Kim"
    assert str(review_summary(RequestDetails(verdicts=[], asked=[]))) == "none, no one was asked"
    assert str(review_summary(RequestDetails())) == "not said by the service"


def test_facts_say_why_nothing_is_known() -> None:
    assert "reading…" in str(facts(row(), "Platform", NOW, None))
    assert str(facts(row(), "", NOW, RequestDetails(missing="Gone."))[-1].text) == "Gone."


def placed(title: str, path: str) -> Placement:
    return Placement(title=title, path=path)


def test_changes_of_one_page_are_one_line() -> None:
    oauth = ChangedPage(id="1", title="OAuth", path="connect/oauth")
    old, new = placed("Old \x1b[1mname", "auth/old"), placed("OAuth", "connect/oauth")
    told = Changes(
        changes=[
            Change(type="page_moved", page=oauth, before=old, after=new),
            Change(type="page_edited", page=oauth, before=old, after=new, text_changed=False),
            Change(type="page_created", page=ChangedPage(id="2", title="New", path="new")),
            Change(type="file_deleted", file=ChangedFile(id="3", name="logo.png")),
            Change(type="page_edited", page=ChangedPage(id="4", title="Edited", path="edited")),
            Change(type="something_else"),
        ]
    )
    changes = changed_pages([], [], told, told_only=True)
    lines = page_lines([*changes, *changed_things(None, None, told)])
    assert lines == [
        PageLine("OAuth", ("moved", "renamed"), "auth/old", "connect"),
        PageLine("New", ("added",)),
        PageLine("Edited", ("edited",)),
        PageLine("file logo.png", ("deleted",)),
        PageLine("something else", ("edited",)),
    ]
    assert str(page_line(lines[0])) == "-- connect/OAuth  moved and renamed from auth/old"
    assert str(page_line(lines[2])) == "~  Edited"
    summary = str(page_summary(RequestDetails(pages=lines, more_pages=4)))
    assert summary == "1 added, 1 deleted, 1 moved, 1 renamed, 2 edited, and 4 more"


def test_open_threads_are_told_without_the_marks_of_markdown() -> None:
    said = "Could *late payment* link to [debits](https://docs.test/a)?\n\n<b>`x`</b>"
    waiting = OpenThreads(open=3, threads=(ThreadWords("Ruben", NOW, said, mine=True),))
    found = thread_facts(row(threads=3), RequestDetails(waiting=waiting), NOW)
    assert [str(fact.text) for fact in found] == [
        "Ruben  now   waits on you",
        "Could late payment link to debits (https://docs.test/a)?",
        "",
        "<b>x</b>",
        "",
        "and 2 more",
    ]
    shown = found[1].text
    assert isinstance(shown, Text)
    assert [str(span.style) for span in shown.spans] == ["emphasis", "link", "muted"]


@pytest.mark.parametrize(
    ("threads", "details", "said"),
    [
        (0, None, "No open threads. Enter opens the change request; c starts one there."),
        (2, RequestDetails(waiting=OpenThreads(open=0)), "No open threads. Enter opens"),
        (2, None, "reading…"),
        (
            MOST_THREADS + 1,
            RequestDetails(),
            "Too many to be read here. Enter opens the change request.",
        ),
        (2, RequestDetails(missing="You may not see it."), ""),
    ],
)
def test_why_there_are_no_threads_to_be_seen(
    threads: int, details: RequestDetails | None, said: str
) -> None:
    found = thread_facts(row(threads=threads), details, NOW)
    assert "".join(str(fact.text) for fact in found).startswith(said)
    assert bool(found) is bool(said)


def test_kinds_of_changes_are_counted() -> None:
    one, two = ("file moved", "edited"), ("renamed", "file moved")
    assert counted([one]) == "1 file moved, 1 edited"
    assert counted([one, two]) == "1 renamed, 2 files moved, 1 edited"

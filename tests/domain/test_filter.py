from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.filter import UNKNOWN, Fields, Measure, Query, fold, places, quoted, typed_from


@dataclass
class Row:
    subject: str
    author: str = ""
    status: str = "open"
    pages: list[str] = field(default_factory=list)
    cluster: str | None = None


FIELDS: Fields[Row] = Fields(
    words=lambda row: f"{row.subject} {row.author}",
    keys={
        "author": lambda row: row.author,
        "status": lambda row: row.status,
        "page": lambda row: row.pages,
        "cluster": lambda row: row.cluster,
    },
)
ROWS = [
    Row("Fix auth code samples", "Jonas", pages=["Guides/OAuth", "API ref"]),
    Row("Webhook retries and dead letters", "Lee", cluster="Deliveries"),
    Row("Préface naïve", "Ana", "draft"),
]


def shown(text: str) -> list[str]:
    query = Query.parse(text, FIELDS)
    return [row.author for row in ROWS if query.matches(row)]


@pytest.mark.parametrize(
    ("text", "authors"),
    [
        ("", ["Jonas", "Lee", "Ana"]),
        ("  AUTH ", ["Jonas"]),
        ("dead retr", ["Lee"]),
        ("dead auth", []),
        ("preface NAIVE", ["Ana"]),
        ("author:lee", ["Lee"]),
        ("Author:Lee retries", ["Lee"]),
        ("-author:lee", ["Jonas", "Ana"]),
        ("-retries", ["Jonas", "Ana"]),
        ('page:"api ref"', ["Jonas"]),
        ('"code samples"', ["Jonas"]),
        ('"samples code"', []),
        ("status:open -author:jonas", ["Lee"]),
        ("cluster:deliv", ["Lee"]),
        ("-cluster:deliv", ["Jonas", "Ana"]),
        ("author:", ["Jonas", "Lee", "Ana"]),
        ("-", []),
    ],
)
def test_what_matches(text: str, authors: list[str]) -> None:
    assert shown(text) == authors


def test_an_unknown_key_is_named_with_its_place_and_the_nearest_one() -> None:
    query = Query.parse("retries autor:lee", FIELDS)
    (problem,) = query.problems
    assert problem.sentence == "There is no autor: here; did you mean author:?"
    assert (problem.start, problem.stop, problem.nearest) == (8, 13, "author")
    # It is text then, as in "Note: retries", and nothing is wrong.
    assert query.wrong is None
    assert query.note == f"{problem.sentence} Searched as text."
    assert not any(query.matches(row) for row in ROWS)
    noted = Row("Deliveries: retries, Autor:Lee")
    assert query.matches(noted)
    # All but what has such a text would be every row: marks would reach them all.
    negated = Query.parse("retries -autor:lee", FIELDS)
    assert negated.wrong == problem.sentence
    assert [term.value for term in negated.terms] == ["retries"]
    assert Query.parse("Deliveries: retries", FIELDS).matches(noted)
    assert Query.parse('autor:"lee"', FIELDS).matches(noted)


def test_a_key_like_no_other_lists_the_known_ones() -> None:
    (problem,) = Query.parse("zzz:1", FIELDS).problems
    assert problem.nearest is None
    assert problem.sentence == "There is no zzz: here; known are author, cluster, page, status."
    (problem,) = Query.parse("zzz:1", Fields[Row](lambda row: row.subject, {})).problems
    assert problem.sentence.endswith("this list has only words.")


def test_an_open_quotation_filters_while_it_is_typed() -> None:
    query = Query.parse('author:"le', FIELDS)
    assert [row.author for row in ROWS if query.matches(row)] == ["Lee"]
    assert query.problems[0].start == 7


def test_an_address_is_words_and_terms_know_their_place() -> None:
    query = Query.parse("https://x.example status:open", FIELDS)
    assert [(t.key, t.value, t.start, t.stop) for t in query.terms] == [
        (None, "https://x.example", 0, 17),
        ("status", "open", 18, 29),
    ]
    assert not query.problems
    assert not query.empty
    assert Query.parse(" author: ", FIELDS).empty


@given(st.text(alphabet='ab -:"é\u0301İßﬁ\n', max_size=30), st.text(max_size=20))
def test_any_text_is_a_filter(text: str, subject: str) -> None:
    query = Query.parse(text, FIELDS)
    query.matches(Row(subject))
    places = [(term.start, term.stop) for term in query.terms]
    places += [(problem.start, problem.stop) for problem in query.problems]
    assert all(0 <= start < stop <= len(text) for start, stop in places)


@given(st.text(max_size=40))
def test_folding_twice_changes_nothing_and_case_does_not_matter(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(st.text(alphabet="abcXYZ 123é", min_size=1, max_size=20))
def test_a_row_is_found_by_its_own_words(subject: str) -> None:
    quoted = Query.parse(f'"{subject.upper()}"', FIELDS)
    assert quoted.matches(Row(subject))


def test_a_number_that_is_wrong_says_what_it_takes_and_one_half_typed_waits() -> None:
    counted: Fields[Row] = Fields(
        words=lambda row: row.subject,
        keys={"author": lambda row: row.author},
        numbers={
            "pages": Measure(lambda row: len(row.pages)),
            "age": Measure(lambda row: None, "time"),
        },
        offers=lambda key: ["Lee Park", "Ana", 'Q "x"'] if key == "author" else [],
    )
    for text, sentence in (
        ("pages:many", "pages: takes a number such as >20, <=3 or 4."),
        ("pages:>3d", "pages: takes a number such as >20, <=3 or 4."),
        ("age:>3q", "age: needs a unit: min, h, d, w, mo, y."),
    ):
        assert Query.parse(text, counted).wrong == sentence
    for text in ("pages:", "pages:>", "age:>3", "age:3m"):
        query = Query.parse(text, counted)
        assert (query.wrong, query.empty) == (None, True)
    assert [Query.parse(f"pages:{text}", counted).matches(ROWS[0]) for text in (">1", "<2")] == [
        True,
        False,
    ]
    assert not Query.parse("age:>0d", counted).matches(ROWS[0])
    # Completion knows keys and values, quotes what has blanks, and leaves the rest of the line.
    assert counted.following("retry pa") == ["pages:"]
    assert counted.following("retry -author:") == ['-author:"Lee Park"', "-author:Ana", "-author:Q"]
    assert counted.following('author:"lee p') == ['author:"Lee Park"']
    assert counted.following("author:park") == ['author:"Lee Park"']
    assert typed_from('retry author:"lee p') == 6


KNOWN: Fields[dict[str, Any]] = Fields(
    words=lambda row: row.get("words", ""),
    keys={
        "author": lambda row: row.get("author"),
        "status": lambda row: row.get("status"),
        "page": lambda row: row.get("page"),
    },
    values={"status": ["open", "draft"]},
    numbers={
        "changed": Measure(lambda row: row.get("changed")),
        "age": Measure(lambda row: row.get("age"), "time"),
    },
    me={"author": lambda row: row.get("mine")},
    folded=True,
)


@pytest.mark.parametrize(
    ("text", "row", "shown"),
    [
        ("page:one", {"page": UNKNOWN}, None),
        ("-page:one", {"page": UNKNOWN}, None),
        ("page:one words", {"page": UNKNOWN}, False),
        ("page:one", {"page": {"One": None, "Two": True}}, None),
        ("page:o", {"page": {"One": None, "Two": True}}, True),
        ("page:o", {"page": {"One": False, "Two": None}}, None),
        ("page:one", {"page": {"One": False}}, False),
        ("page:one", {"page": ["Two", "one"]}, True),
        ("page:one", {}, False),
        ("-page:one", {}, True),
        ("author:me", {"mine": True, "author": "Lee"}, True),
        ("author:me", {"mine": False, "author": "Melanie"}, False),
        ("author:me", {"mine": None}, None),
        ("-author:me", {"mine": False}, True),
        ("age:3d", {"age": UNKNOWN}, None),
        ("age:3d", {"age": None}, False),
        ("HEAD", {"words": "head"}, True),
        ("head", {"words": "Head"}, False),
        ("status:draft", {"status": "draft"}, True),
        ("status:dra", {"status": "draft"}, True),
    ],
)
def test_what_is_not_known_yet_neither_matches_nor_fails(
    text: str, row: dict[str, Any], shown: bool | None
) -> None:
    query = Query.parse(text, KNOWN)
    assert query.judge(row) is shown
    assert query.matches(row) is (shown is True)


@pytest.mark.parametrize(
    ("text", "least", "below"),
    [
        ("changed:4", 4, 5), ("changed:=4", 4, 5), ("changed:>4", 5, None),
        ("changed:>=4", 4, None), ("changed:<4", None, 4), ("changed:<=4", None, 5),
        ("age:3d", 259_200, 345_600), ("age:>3D", 259_200, None), ("age:>=1min", 60, None),
        ("age:<2h", None, 7_200), ("age:<=2h", None, 10_800), ("age:1mo", 2_592_000, 5_184_000),
        ("age:1y", 31_536_000, 63_072_000), ("age:1w", 604_800, 1_209_600),
    ],
)  # fmt: skip
def test_a_number_is_compared_in_whole_units(
    text: str, least: int | None, below: int | None
) -> None:
    query = Query.parse(text, KNOWN)
    key = text.partition(":")[0]
    assert not query.problems
    low, high = least or 0, below or 10**9
    for value in (low - 1, low, high - 1, high):
        held = (least is None or value >= low) and (below is None or value < high)
        assert query.matches({key: value}) is held, value
        assert Query.parse(f"-{text}", KNOWN).matches({key: value}) is not held


def test_a_value_that_no_row_can_have_is_a_mistake() -> None:
    query = Query.parse("words status:merged", KNOWN)
    (problem,) = query.problems
    assert query.wrong == "There is no status:merged; known are open, draft."
    assert (problem.start, problem.stop, problem.as_text, problem.unfinished) == (
        6,
        19,
        False,
        False,
    )
    assert [term.key for term in query.terms] == [None]
    assert query.note is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('"open', ('The quotation is open: close it with ".', 0, 5, True)),
        ('a -author:"le', ('The quotation is open: close it with ".', 10, 13, True)),
        ("a changed:x", ("changed: takes a number such as >20, <=3 or 4.", 2, 11, False)),
        ("changed:>x", ("changed: takes a number such as >20, <=3 or 4.", 0, 10, False)),
        ("changed:", ("changed: takes a number such as >20, <=3 or 4.", 0, 8, True)),
        ("age:d", ("age: takes a time such as >3d, <2h or 4w.", 0, 5, False)),
        ("age:>3", ("age: needs a unit: min, h, d, w, mo, y.", 0, 6, True)),
        ("-age:3m", ("age: needs a unit: min, h, d, w, mo, y.", 1, 7, True)),
        ("age:3x", ("age: needs a unit: min, h, d, w, mo, y.", 0, 6, False)),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, problem: tuple[str, int, int, bool]) -> None:
    (found,) = Query.parse(text, KNOWN).problems
    assert (found.sentence, found.start, found.stop, found.unfinished) == problem
    assert not found.as_text


def test_a_row_is_asked_once_however_often_a_filter_says_a_condition() -> None:
    asked: list[str] = []

    class Text(str):
        def isascii(self) -> bool:
            asked.append("folded")
            return super().isascii()

    def author(row: Row) -> str:
        asked.append("read")
        return Text(row.author)

    fields: Fields[Row] = Fields(words=lambda row: row.subject, keys={"author": author})
    query = Query.parse("author:e -author:x author:e " * 50, fields)
    assert query.matches(Row("A", "Lee"))
    assert asked == ["read", "folded", "folded"]
    assert len(query.terms) == 150


def test_completion_offers_what_begins_like_the_last_term() -> None:
    fields = replace(KNOWN, offers=lambda key: ["", "Zoe Amber", "Ann", "Ann"])
    assert fields.following("") == ["author:", "status:", "page:", "changed:", "age:"]
    assert fields.following("words -A") == ["-author:", "-age:"]
    assert fields.following("status:") == ["status:open", "status:draft"]
    assert fields.following("author:") == ["author:me", 'author:"Zoe Amber"', "author:Ann"]
    assert fields.following("author:am") == ['author:"Zoe Amber"']
    assert fields.following("PAGE:ann") == ["page:Ann"]
    assert fields.following("author:me ") == fields.following("")


@pytest.mark.parametrize(
    ("text", "start"),
    [("", 0), ("a", 0), ("a ", 2), ("a b", 2), ('a "b c', 2), ('"a" b', 4), ('a"', 1)],
)
def test_where_the_last_term_begins(text: str, start: int) -> None:
    assert typed_from(text) == start


def test_a_value_with_blanks_is_quoted() -> None:
    assert quoted("a b") == '"a b"'
    assert quoted("a\tb") == '"a\tb"'
    assert quoted("ab") == "ab"


def test_marks_that_folding_brings_back_are_taken_off() -> None:
    assert fold("İstanbul ﬁx Ç") == "istanbul fix c"


@pytest.mark.parametrize(
    ("text", "sought", "found"),
    [
        ("in Straße, STRASSE", "strasse", ["Straße", "STRASSE"]),
        ("か\u3099くが", "が", ["か\u3099", "が"]),
        ("ＡＰＩ ﾃｽﾄ", "テスト", ["ﾃｽﾄ"]),
        ("İstanbul e\u0301a", "ea", ["e\u0301a"]),
        ("plain text", "TEXT", ["text"]),
        ("ß", "s", ["ß", "ß"]),
    ],
)
def test_what_is_sought_is_found_as_it_is_written(text: str, sought: str, found: list[str]) -> None:
    assert [text[start:stop] for start, stop in places(text, re.compile(fold(sought)))] == found

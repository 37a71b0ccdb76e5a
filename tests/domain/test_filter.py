from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.filter import Fields, Measure, Query, fold, typed_from


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
    assert query.note == f"{problem.sentence} It is sought as text."
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

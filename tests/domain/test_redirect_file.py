"""Redirects in a CSV file, and what is wrong with its lines."""

from __future__ import annotations

import csv

import pytest

from copydesk.domain.redirect_file import BadLine, Wanted, read_redirects_file
from copydesk.domain.redirects import SOURCE_RULE


def test_a_file_is_read_by_its_columns() -> None:
    wanted, bad = read_redirects_file(
        "\n\n# FROM, to\n/a,/b\n\n/c,/d,temporary,keep,draft\n,,\n /e , /f ,PERMANENT,Drop,live,\n"
        '/g,"https://x.example/a,""b"""\n/a,-,,,draft\n/h,/i,,DISCARD\n'
    )
    assert wanted == [
        Wanted(4, "/a", "/b"),
        Wanted(6, "/c", "/d", False, True, True),
        Wanted(8, "/e", "/f", True),
        Wanted(9, "/g", 'https://x.example/a,"b"'),
        Wanted(10, "/a", "-", draft=True),
        Wanted(11, "/h", "/i"),
    ]
    assert bad == []
    assert read_redirects_file("") == ([], [])


@pytest.mark.parametrize(
    "head",
    ["Source\tDestination\tPermanent\tCapture Wildcard\tState",
     "path;TARGET;type;wild_card;draft", "From,URL,Kind,rest,STATE"],
)  # fmt: skip
def test_other_programs_name_the_columns_their_way(head: str) -> None:
    sign = next(sign for sign in "\t;," if sign in head)
    line = sign.join(["/a", "/b", "301", "yes", "true"])
    there = Wanted(2, "/a", "/b", True, True, True)
    assert read_redirects_file(f"{head}\n{line}\n") == ([there], [])
    swapped = head.split(sign)[:2][::-1]
    assert read_redirects_file(f"{sign.join(swapped)}\n/b{sign}/a\n") == (
        [Wanted(2, "/a", "/b")], []
    )  # fmt: skip


def test_every_word_of_a_choice_is_known() -> None:
    for word, permanent in (
        ("permanent", True), ("301", True), ("308", True), ("true", True), ("yes", True),
        ("temporary", False), ("302", False), ("307", False), ("false", False), ("no", False),
    ):  # fmt: skip
        assert read_redirects_file(f"/a,/b,{word}")[0] == [Wanted(1, "/a", "/b", permanent)]
    for rest, draft, is_on in (
        ("keep", "draft", True), ("yes", "yes", True), ("true", "true", True),
        ("discard", "live", False), ("no", "no", False), ("false", "false", False),
    ):  # fmt: skip
        found = [Wanted(1, "/a", "/b", None, is_on, is_on)]
        assert read_redirects_file(f"/a,/b,,{rest},{draft}")[0] == found


def test_a_line_that_ends_before_the_path_has_none() -> None:
    assert read_redirects_file("to,from\n/b\n") == (
        [],
        [BadLine(2, f"no path: write {SOURCE_RULE}")],
    )
    assert read_redirects_file("/XXX,/b") == ([Wanted(1, "/XXX", "/b")], [])


HIDDEN = "is a control or invisible character: delete it"


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("/z,/b,permanent,keep,live,more", "6 columns; 5 are known"),
        (",/b", f"no path: write {SOURCE_RULE}"),
        ("z,/b", f"z: write {SOURCE_RULE}"),
        ("/z", "/z has no destination; - removes a redirect"),
        ("/z,/b,forever", "forever is not a kind: write permanent or temporary"),
        ("/z,/b,,some", "some is not a rest: write keep or discard"),
        ("/z,/b,,,open", "open is not a state: write draft or live"),
        ("/y,/c", "/y is on line 2 already"),
        ("/z\x07,/b", f"/z<U+0007>: U+0007 {HIDDEN}"),
        ('/z,"/b', "a quote is not closed"),
        ("/z,/b\u200b", f"/b<U+200B>: U+200B {HIDDEN}"),
    ],
)
def test_a_bad_line_says_why_and_the_others_are_taken(line: str, why: str) -> None:
    wanted, bad = read_redirects_file(f"/x,/b\n/y,/b\n{line}\n/last,/b\n")
    assert [each.source for each in wanted] == ["/x", "/y", "/last"]
    assert bad == [BadLine(3, why)]
    assert wanted[-1].line == 4


def test_a_field_that_is_too_large_to_be_read_spoils_its_line_alone() -> None:
    before = csv.field_size_limit(100)
    try:
        wanted, bad = read_redirects_file(f"/x,/b\n/{'y' * 101},/b\n/z,/b\n")
    finally:
        csv.field_size_limit(before)
    assert [each.source for each in wanted] == ["/x", "/z"]
    assert bad == [BadLine(2, "not CSV: field larger than field limit (100)")]


@pytest.mark.parametrize("length", [10_001, 120_000])
def test_a_field_that_is_no_address_is_said_by_its_line(length: int) -> None:
    wanted, bad = read_redirects_file(f"/a,/b\n/c,{'x' * length}\n/d,/e\n")
    assert [each.source for each in wanted] == ["/a", "/d"]
    assert bad == [BadLine(2, "a field has more than 10,000 characters")]
    (long,) = read_redirects_file(f"{'a' * 600},/b")[1]
    assert len(long.why) == 300


def test_characters_that_nobody_sees_are_refused_by_their_line() -> None:
    wanted, bad = read_redirects_file(
        "/a,https://x.example/\u202emoc\n/b,https://x.example/\x1b[2J\n/c,/d\u200b\n"
        '/e\u2067,/d\n/f,/d \n/g,\u2028/d\n/h,"/d\n"\n'
    )
    assert [each.source for each in wanted] == ["/f"]
    assert [each.line for each in bad] == [1, 2, 3, 4, 6, 7, 8]
    assert bad[0].why == (
        "https://x.example/<U+202E>moc: U+202E is a control or invisible character: delete it"
    )

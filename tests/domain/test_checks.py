"""What commands answer: each format is read back, and nothing that one writes ends the reader."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.checks import (
    FORMATS,
    LONGEST,
    MOST,
    Check,
    CheckedFile,
    Finding,
    Fix,
    Format,
    commands_with,
    read_answer,
)
from copydesk.domain.text import clean

PAGE = ["# Retries", "", "We retry 𐐀 five times, näive.", "Then it is dropped."]
FILES = {
    "webhooks/retries.md": CheckedFile("p1", PAGE),
    "retries.md": CheckedFile("p2", ["Old."]),
}

WORDS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=20
).filter(lambda text: clean(text).strip() != "")
LINE = st.integers(1, len(PAGE))
PATH = st.sampled_from(
    ["webhooks/retries.md", "./webhooks/retries.md", "/any/copydesk-check-x1/webhooks/retries.md"]
)  # fmt: skip
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


def read(reads: Format, output: str) -> tuple[list[tuple[str, int, str]], list[str], str]:
    answer = read_answer(Check("prose", ("x",), reads), output, FILES)
    found = [(each.page, each.line, each.text) for each in answer.findings]
    return found, answer.unread, answer.trouble


@st.composite
def stretches(draw: st.DrawFn) -> tuple[int, int, int, int]:
    """A place of the page: line and column (from 0), to line and column."""
    first = draw(st.integers(0, len(PAGE) - 1))
    last = draw(st.integers(first, len(PAGE) - 1))
    start = draw(st.integers(0, len(PAGE[first])))
    end = draw(st.integers(start if first == last else 0, len(PAGE[last])))
    return first, start, last, end


def replaced(place: tuple[int, int, int, int], text: str) -> list[str]:
    """Return the page with other words at a place, character by character."""
    first, start, last, end = place
    new = re.split(r"\r\n|\r|\n", f"{PAGE[first][:start]}{text}{PAGE[last][end:]}")
    return [*PAGE[:first], *new, *PAGE[last + 1 :]]


def fixed(fix: Fix | None) -> list[str]:
    assert fix is not None
    made = fix.lines(PAGE)
    assert made is not None
    first, last, new = made
    return [*PAGE[:first], *new, *PAGE[last + 1 :]]


@given(st.lists(st.tuples(PATH, LINE, st.booleans(), WORDS), max_size=6))
def test_lines(told: list[tuple[str, int, bool, str]]) -> None:
    output = "".join(
        f"{path}:{line}:{'7:' if column else ''} {text}\n" for path, line, column, text in told
    )
    found, unread, trouble = read("lines", output)
    assert [(page, line) for page, line, _ in found] == [("p1", line) for _, line, _, _ in told]
    for (_, _, said), (_, _, _, text) in zip(found, told, strict=True):
        assert said == clean(text).strip().lstrip(":").strip() or said in clean(text)
    assert (unread, trouble) == ([], "")


def test_a_line_of_no_page_is_told_as_not_read() -> None:
    found, unread, _ = read("lines", "2 problems\nother.md:3: x\nretries.md:99: At its end\n")
    assert found == [("p2", 1, "At its end")]
    assert unread == ["2 problems", "other.md: x"]


def rdf(
    line: int, text: str, place: tuple[int, int, int, int] | None = None, new: str = ""
) -> dict[str, object]:
    told: dict[str, object] = {
        "message": text,
        "location": {"path": "webhooks/retries.md", "range": {"start": {"line": line}}},
        "code": {"value": "Rule.1"},
    }
    if place is not None:
        first, start, last, end = place
        told["suggestions"] = [
            {
                "range": {
                    "start": {"line": first + 1, "column": len(PAGE[first][:start].encode()) + 1},
                    "end": {"line": last + 1, "column": len(PAGE[last][:end].encode()) + 1},
                },
                "text": new,
            }
        ]
    return told


@given(st.lists(st.tuples(LINE, WORDS, stretches(), TEXT), max_size=4), st.booleans())
def test_rdjson(told: list[tuple[int, str, tuple[int, int, int, int], str]], lines: bool) -> None:
    values = [rdf(*each) for each in told]
    output = "\n".join(map(json.dumps, values)) if lines else json.dumps({"diagnostics": values})
    answer = read_answer(Check("x", (), "rdjsonl" if lines else "rdjson"), output, FILES)
    assert (answer.unread, answer.trouble) == ([], "")
    for finding, (line, text, place, new) in zip(answer.findings, told, strict=True):
        assert (finding.page, finding.line, finding.rule) == ("p1", line, "Rule.1")
        assert finding.text == clean(text, limit=LONGEST).strip()
        assert fixed(finding.fix) == replaced(place, new)


@given(stretches(), TEXT, WORDS)
def test_vale(place: tuple[int, int, int, int], new: str, text: str) -> None:
    line, start, _, _ = place
    end = len(PAGE[line])
    alert = {
        "Action": {"Name": "replace", "Params": [new]},
        "Span": [start + 1, end],
        "Check": "Vale.Terms",
        "Message": text,
        "Severity": "warning",
        "Match": PAGE[line][start:end],
        "Line": line + 1,
    }
    said = json.dumps({"retries.md": [], "./webhooks/retries.md": [alert]})
    answer = read_answer(Check("x", (), "vale"), said, FILES)
    (finding,) = answer.findings
    assert (finding.page, finding.line, finding.rule) == ("p1", line + 1, "Vale.Terms")
    if start < end and new:
        assert fixed(finding.fix) == replaced((line, start, line, end), new)
    else:
        assert finding.fix is None


def test_a_fix_whose_columns_are_not_those_of_its_words_is_none() -> None:
    alert = {"Line": 3, "Span": [4, 8], "Match": "retry", "Message": "Say try.", "Check": "A.B",
             "Action": {"Name": "replace", "Params": ["try"]}}  # fmt: skip
    for more, there in (
        ({}, True),
        ({"Match": "etry "}, False),
        ({"Line": 99}, False),
        ({"Action": {"Name": "suggest", "Params": ["try"]}}, False),
    ):
        said = json.dumps({"webhooks/retries.md": [{**alert, **more}]})
        (finding,) = read_answer(Check("x", (), "vale"), said, FILES).findings
        assert (finding.fix is not None) is there
    within = {"start": {"line": 3, "column": 11}, "end": {"line": 3, "column": 12}}  # of 𐐀
    told = {**rdf(3, "x"), "suggestions": [{"range": within, "text": "y"}]}
    answer = read_answer(Check("x", (), "rdjson"), json.dumps({"diagnostics": [told]}), FILES)
    assert answer.findings[0].fix is None


def test_whole_lines_are_replaced_where_no_columns_are_told() -> None:
    span = {"start": {"line": 3}, "end": {"line": 4}}
    told = {**rdf(3, "x"), "suggestions": [{"range": span, "text": "Gone.\n"}]}
    answer = read_answer(Check("x", (), "rdjsonl"), json.dumps(told), FILES)
    assert fixed(answer.findings[0].fix) == [*PAGE[:2], "Gone."]


def test_vale_that_fails_says_why() -> None:
    said = '{"Line": 0, "Path": "", "Text": "no such style", "Code": "E100", "Span": 0}'
    assert read("vale", said) == ([], [], "no such style")


@given(st.sampled_from(FORMATS), st.text(max_size=200))
def test_any_text_is_taken(reads: Format, output: str) -> None:
    read(reads, output)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["diagnostics", "location", "path", "message", "range", "start", "line",
                         "suggestions", "retries.md", "Line", "Span", "Action", "Text", "Code"]),
        inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(st.sampled_from(FORMATS), JSON)
def test_any_json_is_taken(reads: Format, value: object) -> None:
    read(reads, json.dumps(value))


@pytest.mark.parametrize("reads", FORMATS)
def test_what_is_made_to_hurt_ends(reads: Format) -> None:
    deep = "[" * 100_000
    assert read(reads, deep)[0] == []
    half = json.dumps(
        {"retries.md": [{"Line": 1, "Message": "\ud800 x\x1b[2J\u202e", "Check": "\ud800"}]}
    )
    for _, _, text in read(reads, half)[0]:
        assert text == clean(text)
    many = "\n".join(["retries.md:1: x"] * (MOST + 5))
    found, _, trouble = read("lines", many)
    assert (len(found), trouble) == (MOST, "more than 5,000 findings: the rest is left out")


def test_what_is_said_at_length_is_cut() -> None:
    long = "x" * 3_000
    cut = long[:LONGEST]
    said = {"retries.md": [{"Line": 1, "Message": long, "Check": long}], "other.md": [{}]}
    [finding] = read_answer(Check("prose", (), "vale"), json.dumps(said), FILES).findings
    assert (finding.text, finding.rule) == (cut, long[:80])
    assert read("vale", json.dumps({"Text": long, "Code": "E100"})) == ([], [], cut)
    assert read("lines", f"{long}\nretries.md:1: {long}") == ([("p2", 1, cut)], [cut], "")
    assert read("rdjson", json.dumps({"diagnostics": [long]})) == ([], [f'"{cut}'[:LONGEST]], "")


def test_a_hidden_finding_is_known_as_long_as_its_line_is_the_same() -> None:
    (one,) = read_answer(Check("x", ()), "retries.md:1: Say more", FILES).findings
    assert one.key(["Old."]) == one.key(["Old."])
    assert one.key(["Old."]) != one.key(["New."])


def test_names_stand_where_they_are_wanted() -> None:
    files = ["a b.md", "c.md"]
    assert list(commands_with(["x", "{files}", "-y"], files)) == ["x", "a b.md", "c.md", "-y"]
    assert list(commands_with(["x", "-y"], files)) == ["x", "-y", "a b.md", "c.md"]


def test_no_name_is_taken_for_an_option() -> None:
    found = list(commands_with(["x"], ["--config=a.md", "@b.md", "c/-d.md"]))
    assert found == ["x", "./--config=a.md", "./@b.md", "c/-d.md"]


def test_a_file_is_known_by_its_name_below_any_folder() -> None:
    output = "./--config=a.md:1: A\n/any/x/webhooks/retries.md:1: B\n/any/x/retries.md:1: C\n"
    files = {**FILES, "--config=a.md": CheckedFile("p3", ["Old."])}
    found = read_answer(Check("x", ("x",)), output, files)
    assert [each.page for each in found.findings] == ["p3", "p1", "p2"]
    assert not found.unread


@pytest.mark.parametrize(
    ("fix", "lines"),
    [
        (Fix(0, 2, 0, 9, "Tries\nOnce"), (0, 0, ["# Tries", "Once"])),
        (Fix(2, 3, 3, 0, ""), (2, 3, ["We Then it is dropped."])),
        (Fix(0, 9, 0, 9, "!"), (0, 0, ["# Retries!"])),
        (Fix(0, 10, 0, 10, ""), None),
        (Fix(0, 0, 0, 10, ""), None),
        (Fix(0, 5, 0, 4, ""), None),
        (Fix(3, 0, 4, 0, ""), None),
        (Fix(1, 0, 0, 0, ""), None),
        (Fix(-1, 0, 0, 0, ""), None),
        (Fix(2, 4, 3, 2, ""), (2, 3, ["We ren it is dropped."])),
    ],
)
def test_a_fix_changes_a_stretch_that_is_there(
    fix: Fix, lines: tuple[int, int, list[str]] | None
) -> None:
    assert fix.lines(PAGE) == lines


def test_a_finding_is_said_with_its_rule_where_it_has_one() -> None:
    found = Finding("p", 1, "vale", "Google.We", "Say who.")
    assert found.said == "vale Google.We: Say who."
    assert replace(found, rule="").said == "vale: Say who."


@pytest.mark.parametrize(
    ("span", "text"),
    [
        ({"start": {"line": 1, "column": 3}, "end": {"line": 1, "column": 10}}, "Tries"),
        ({"start": {"line": 1, "column": 11}}, None),
        ({"start": {"line": 1, "column": 3}, "end": {"line": 1, "column": 12}}, None),
        ({"start": {"line": 9, "column": 1}}, None),
        ({"start": {"line": 0, "column": 1}}, None),
        ({"start": {"line": 3, "column": 11}}, None),  # within a letter
    ],
)
def test_a_suggestion_outside_of_the_page_is_no_fix(
    span: dict[str, object], text: str | None
) -> None:
    told = {
        "message": "Not so.",
        "location": {"path": "webhooks/retries.md", "range": {"start": {"line": 1}}},
        "suggestions": [{"range": span, "text": "Tries"}],
    }
    for lines in ("", "\n \n"):  # empty ones are nothing
        answer = read_answer(Check("c", (), "rdjsonl"), f"{lines}{json.dumps(told)}\n", FILES)
        [found] = answer.findings
        assert (found.fix and found.fix.text) == text
        assert not answer.unread


def test_a_finding_behind_the_end_of_its_page_has_a_key_too() -> None:
    ends, begins = (Finding("p", line, "vale", "Rule", "Say it.") for line in (2, 1))
    assert ends.key(["One"]) == ends.key([]) != begins.key(["One"])

"""Small things that screens and commands share: spans of time, columns of lists, unread items."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.changed_words import tokens
from copydesk.domain.hunks import Hunk, named
from copydesk.domain.list_columns import ListColumns, unknown_columns
from copydesk.domain.request_context import MOST_ANSWERS, WHOLE, Misread, whole_answers
from copydesk.domain.span import SPAN_RULE, span
from copydesk.domain.staged_files import file_block, sent_files, with_file_ids
from copydesk.domain.text import SLICE, slices


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("4w", timedelta(days=28)),
        (" 12 H ", timedelta(hours=12)),
        ("1d", timedelta(days=1)),
        ("2m", timedelta(days=60)),
        ("1y", timedelta(days=365)),
        ("999d", timedelta(days=999)),
    ],
)
def test_a_span_is_a_number_and_a_unit(text: str, length: timedelta) -> None:
    assert span(text) == length


@pytest.mark.parametrize("text", ["", "4", "w", "0w", "1000d", "4 x", "-4w", "4w 2d", "٤w", "1.5d"])
def test_anything_else_is_no_span(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(SPAN_RULE)):
        span(text)


def test_a_column_that_a_list_does_not_have_is_told_with_the_one_that_is_meant() -> None:
    wanted = ListColumns("changes", ("age", "titel", "x\x07y"))
    assert unknown_columns(wanted, ["title", "age"]) == [
        "lists.changes has no column titel. Did you mean title?",
        "lists.changes has no column xy. It has title, age.",
    ]
    assert unknown_columns(wanted, ["age", "titel", "x\x07y"]) == []
    [unnamed] = unknown_columns(ListColumns("changes", ("",)), ["age"])
    assert unnamed == "lists.changes has no column ''. It has age."
    [long] = unknown_columns(ListColumns("changes", ("z" * 99,)), ["age"])
    assert long == f"lists.changes has no column {'z' * 40}. It has age."


def test_unread_items_are_those_of_the_last_answers_each_once() -> None:
    misread = Misread()
    assert (misread.items, misread.said) == ((), "")
    misread.note("a", [{"id": 1}, {"id": 2}])
    misread.note("b", [{"id": 2}])
    assert list(misread.items) == [{"id": 1}, {"id": 2}]
    assert misread.said == "2 items could not be read."
    misread.note("a", [])
    assert list(misread.items) == [{"id": 2}]
    assert misread.said == "1 item could not be read."
    misread.forget()
    assert misread.said == ""
    for number in range(MOST_ANSWERS + 2):
        misread.note(str(number), [number])
    assert list(misread.items) == [*range(2, MOST_ANSWERS + 2)]


def test_answers_are_wanted_whole_only_within() -> None:
    with whole_answers():
        assert WHOLE.get()
        with pytest.raises(KeyError), whole_answers():
            raise KeyError
        assert WHOLE.get()
    assert not WHOLE.get()


@pytest.mark.parametrize(
    ("name", "words", "block"),
    [
        ("a.png", "A  flow\nof", "![A flow of](staged:a.png)"),
        ("A.SVG", "", "![](staged:A.SVG)"),
        ("a.pdf", "The terms", "[The terms](staged:a.pdf)"),
        ("a.pdf", " ", "[a.pdf](staged:a.pdf)"),
    ],
)
def test_a_picture_is_shown_and_another_file_is_offered(name: str, words: str, block: str) -> None:
    assert file_block(name, words) == block


def test_files_are_named_by_their_ids_once_they_are_sent() -> None:
    text = "![a](../.gitbook/assets/a.png) [b](.gitbook/assets/b.pdf) ![c](/files/c-1)"
    found = with_file_ids(text, {"a.png": "x_1"})
    assert found == "![a](/files/x_1) [b](.gitbook/assets/b.pdf) ![c](/files/c-1)"
    assert sent_files(found) == {"x_1", "c-1"}
    for own in ("](assets/{})", "](<../../assets/{}>)", "src='assets/{}'", "](.gitbook/assets/{})"):
        put = with_file_ids(own.format("a.png"), {"a.png": "x_1"})
        assert put == re.sub(r"[.\w/]*\{\}", "/files/x_1", own)


@pytest.mark.parametrize(
    "before",
    [
        "https://cdn.example/",
        "https://cdn.example/.gitbook/",
        "my-",
        "/x/",
        "x.",
        "ü",
        "a%20",
        "../x/",
    ],
)
def test_a_file_of_another_address_is_not_taken_for_one_that_was_sent(before: str) -> None:
    text = f"![logo]({before}assets/a.png)"
    assert with_file_ids(text, {"a.png": "x_1"}) == text


@given(st.text("ab \ud800"), st.text("ab \ud800"))
def test_a_hunk_is_called_by_its_page_and_its_texts(one: str, other: str) -> None:
    hunks = [Hunk("a", one, other), Hunk("a", other, one), Hunk("a", one, other)]
    first, second, third = (each.key for each in named(hunks, "p"))
    assert len({first, second, third}) == 3
    assert first.endswith(".1")
    assert third == f"{first[:-1]}{3 if one == other else 2}"
    assert (second[:-2] == first[:-2]) is (one == other)
    assert named(hunks, "p") == named(hunks, "p")
    assert named(hunks)[0].key != first


@pytest.mark.parametrize("length", [10, SLICE, SLICE + 1, 3 * SLICE])
def test_a_long_text_is_worked_on_in_parts_that_are_all_of_it(length: int) -> None:
    text = "word " * (length // 5 + 1)
    parts = list(slices(text, re.compile("(?=w)")))
    assert "".join(parts) == text
    assert all(part.startswith("word") for part in parts)
    assert [len(part) for part in parts[:-1]] == [SLICE + -SLICE % 5] * (len(text) // (SLICE + 1))
    assert list(slices("a" * length, re.compile("b"))) == ["a" * length]


@pytest.mark.parametrize("unit", ["word ", "verylongword" * 9 + " ", "no-spaces-at-all", "漢字"])
def test_a_text_of_any_length_is_cut_into_the_same_words(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    found = tokens(text)
    assert "".join(found) == text
    assert found == tokens(unit) * (200_000 // len(unit)) or " " not in unit

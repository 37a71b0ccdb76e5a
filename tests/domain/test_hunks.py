"""Hunks of three texts: whatever is chosen is in the result, and equal changes never ask."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copydesk.domain.hunks import (
    Choice,
    Hunk,
    Side,
    chosen,
    joined,
    marked,
    marker_left,
    result_of,
    text_hunks,
)

LINES = st.lists(
    st.sampled_from([
        "a\n", "b\n", "c\r\n", "\n", "- one thing\n", "- one other thing\n", "- two things\n",
        "| a | b |\n", "|---|---|\n", "| c | d |\n", "# Head\n", "```\n", "text of a paragraph\n",
        "text of another paragraph\n", "    code\n", "<<<<<<< request\n", "a\rb\n", "a\u2028b\n",
    ]),
    max_size=14,
)  # fmt: skip
TEXTS = st.builds(lambda lines, end: "".join(lines) + end, LINES, st.sampled_from(["", "end", "a"]))
SIDES: tuple[Side, ...] = ("before", "request", "main", "both", "turned")
OPEN = Choice("text", "mine\n")


@pytest.mark.long
@settings(max_examples=300)
@given(TEXTS, TEXTS, TEXTS, st.data())
def test_the_result_is_what_is_chosen_hunk_by_hunk(
    before: str, main: str, request: str, data: st.DataObject
) -> None:
    hunks = text_hunks(before, main, request)
    for side, text in (("before", before), ("main", main), ("request", request)):
        assert "".join(getattr(hunk, side) for hunk in hunks) == text
    assert len({hunk.key for hunk in hunks}) == len(hunks)
    conflicts = [hunk for hunk in hunks if hunk.conflicts]
    for hunk in conflicts:
        assert len({hunk.before, hunk.main, hunk.request}) == 3
    choices = {
        hunk.key: data.draw(st.sampled_from([Choice(side) for side in SIDES] + [OPEN]))
        for hunk in conflicts
    }
    said = []
    for hunk in hunks:
        if hunk.conflicts:
            said.append(chosen(hunk, choices[hunk.key]) or "")
        else:
            alike = hunk.main == hunk.request
            said.append(hunk.request if alike or hunk.main == hunk.before else hunk.main)
    assert result_of(hunks, choices) == joined(said)
    if conflicts:
        choices.pop(conflicts[-1].key)
        assert result_of(hunks, choices) is None


@settings(max_examples=150)
@given(TEXTS, TEXTS)
def test_equal_changes_and_those_of_one_side_never_ask(before: str, after: str) -> None:
    assert result_of(text_hunks(before, after, after), {}) == after
    assert result_of(text_hunks(before, after, before), {}) == after
    assert result_of(text_hunks(before, before, after), {}) == after


@settings(max_examples=150)
@given(TEXTS, TEXTS, TEXTS)
def test_the_sides_are_told_alike_whichever_is_which(before: str, one: str, other: str) -> None:
    hunks = text_hunks(before, one, other)
    turned = text_hunks(before, other, one)
    assert [(h.before, h.main, h.request) for h in hunks] == [
        (h.before, h.request, h.main) for h in turned
    ]


@pytest.mark.parametrize(
    ("before", "main", "request_", "merged"),
    [
        pytest.param(
            "- red apples here\n- green pears here\n",
            "- red apples there\n- green pears here\n",
            "- red apples here\n- green pears there\n",
            "- red apples there\n- green pears there\n",
            id="items",
        ),
        pytest.param(
            "- red apples\n- green pears\n",
            "- red plums\n- green figs\n",
            "- red apples\n- green figs\n",
            "- red plums\n- green figs\n",
            id="items that share half of their words",
        ),
        pytest.param(
            "- red\ud800 apples\n- green pears\n",
            "- red\ud800 apples there\n- green pears\n",
            "- red\ud800 apples\n- green pears there\n",
            "- red\ud800 apples there\n- green pears there\n",
            id="half a character",
        ),
        pytest.param(
            "| a | b |\n|---|---|\n| one | two words |\n| three | four words |\n",
            "| a | b |\n|---|---|\n| one | two signs words |\n| three | four words |\n",
            "| a | b |\n|---|---|\n| one | two words |\n| three | four signs words |\n",
            "| a | b |\n|---|---|\n| one | two signs words |\n| three | four signs words |\n",
            id="rows",
        ),
        pytest.param(
            "# Some old head\nOne paragraph of it.\n",
            "# Some new head\nOne paragraph of it.\n",
            "# Some old head\nOne paragraph of all.\n",
            "# Some new head\nOne paragraph of all.\n",
            id="blocks",
        ),
        pytest.param(
            "- the last item\n",
            "- the last item\n- a new one\n",
            "- the very last item\n",
            "- the very last item\n- a new one\n",
            id="put beside",
        ),
        pytest.param(
            "- one thing\n- two things\n",
            "- two things\n",
            "- one thing\n- two other things\n",
            "- two other things\n",
            id="deleted beside",
        ),
    ],
)
def test_what_touches_other_blocks_is_merged(
    before: str, main: str, request_: str, merged: str
) -> None:
    hunks = text_hunks(before, main, request_)
    assert result_of(hunks, {}) == merged
    assert any(hunk.near for hunk in hunks)


@pytest.mark.parametrize(
    ("before", "main", "request_", "asked"),
    [
        pytest.param(
            "one line of it\nanother line of it\n",
            "one line of mine\nanother line of it\n",
            "one line of it\nanother line of yours\n",
            1,
            id="a paragraph is one block",
        ),
        pytest.param(
            "```\nfirst(1)\nsecond(2)\n```\n",
            "```\nfirst(3)\nsecond(2)\n```\n",
            "```\nfirst(1)\nsecond(4)\n```\n",
            1,
            id="code is one block",
        ),
        pytest.param(
            "- red apples\n- green pears\n- blue plums\n",
            "- green pears\n- blue plums\n- red apples\n",
            "- red apples here\n- green pears\n- blue plums\n",
            1,
            id="an item that was moved and edited",
        ),
        pytest.param("", "mine\n", "yours\n", 1, id="two put in one place"),
    ],
)
def test_what_touches_the_same_is_asked(before: str, main: str, request_: str, asked: int) -> None:
    hunks = text_hunks(before, main, request_)
    assert sum(hunk.conflicts for hunk in hunks) == asked


def test_lines_that_both_wrote_alike_are_not_asked_again() -> None:
    hunks = text_hunks("old\n", "same\nmine\nend\n", "same\nyours\nend\n")
    assert [(h.before, h.main, h.request) for h in hunks if h.conflicts] == [
        ("old\n", "mine\n", "yours\n")
    ]
    both = {hunk.key: Choice("both") for hunk in hunks}
    turned = {hunk.key: Choice("turned") for hunk in hunks if hunk.conflicts}
    assert result_of(hunks, {k: c for k, c in both.items() if k in turned}) == (
        "same\nyours\nmine\nend\n"
    )
    assert result_of(hunks, turned) == "same\nmine\nyours\nend\n"


@given(TEXTS, TEXTS, TEXTS)
def test_markers_are_longer_than_any_in_the_texts(before: str, main: str, request: str) -> None:
    text, markers = marked(Hunk(before, main, request))
    assert marker_left(text, markers) == 1
    assert not any(marker_left(each, markers) for each in (before, main, request))
    assert text.split("\n").count(markers[0]) + text.split("\r\n").count(markers[0]) >= 1
    kept = [line for line in text.splitlines(True) if line.rstrip() not in markers]
    assert marker_left("".join(kept), markers) == 0


def test_both_of_a_setting_is_one_value() -> None:
    hunk = Hunk("a", "b", "c", field="title")
    assert chosen(hunk, Choice("both")) == "c"
    assert chosen(hunk, Choice("turned")) == "b"


@pytest.mark.parametrize(
    ("before", "main", "request_", "both", "turned"),
    [
        ("One.\n", "Main.\n", "Mine.\n", "Mine.\n\nMain.\n", "Main.\n\nMine.\n"),
        ("One.", "Main.", "Mine.", "Mine.\n\nMain.", "Main.\n\nMine."),
        ("One.\r\n", "Main.\r\n", "Mine.\r\n", "Mine.\r\n\r\nMain.\r\n",
         "Main.\r\n\r\nMine.\r\n"),
        ("- one\n", "- main\n", "- mine\n", "- mine\n- main\n", "- main\n- mine\n"),
        ("```\none\n```\n", "```\nmain\n```\n", "```\nmine\n```\n",
         "```\nmine\nmain\n```\n", "```\nmain\nmine\n```\n"),
        ("All\nof one\nis so.\n", "All\nof main\nis so.\n", "All\nof mine\nis so.\n",
         "All\nof mine\nof main\nis so.\n", "All\nof main\nof mine\nis so.\n"),
    ],
    ids=["paragraphs", "no line end", "crlf", "items", "code", "a line of a paragraph"],
)  # fmt: skip
def test_both_of_two_paragraphs_stay_two(
    before: str, main: str, request_: str, both: str, turned: str
) -> None:
    hunks = text_hunks(before, main, request_)
    for choice, text in ((Choice("both"), both), (Choice("turned"), turned)):
        choices = {hunk.key: choice for hunk in hunks if hunk.conflicts}
        assert result_of(hunks, choices) == text

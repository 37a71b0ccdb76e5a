"""Suggestions: the block is found again in any comment, and applying it is the edit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.blocks import anchor
from copydesk.domain.suggestion import (
    EDITED,
    IDLE,
    NO_LINE,
    PAGE_GONE,
    TWICE,
    UNREADABLE,
    Fit,
    SourceLines,
    Suggestion,
    Taken,
    apply,
    block,
    credit,
    judge,
    outcome,
    parts_of,
    suggest,
    suggestions_in,
    words_in,
)

LINE = st.one_of(
    st.sampled_from(
        ["", "  ", "\t- x", "```", "````suggestion", "~~~", "  ```py", "# A", "| a | b |", "- item",
         "> q", "---", "{% hint %}", "<tr><td>1</td></tr><tr><td>2</td></tr>", "A \u202e b", "a  "]
    ),
    st.text(
        st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=12
    ),
)  # fmt: skip
LINES = st.lists(LINE, min_size=1, max_size=12)
END = st.sampled_from(["\n", "\r\n"])


@st.composite
def pages(draw: st.DrawFn) -> str:
    """A page with any line ends, or none after its last line."""
    lines, end = draw(LINES), draw(END)
    mark = draw(st.sampled_from(["", "", "\ufeff"]))
    last = draw(st.sampled_from(["", end]))
    return mark + end.join(lines) + last


def lines_of(text: str) -> list[str]:
    return SourceLines(text).lines


@given(
    LINES, st.integers(0, 9), st.integers(0, 9), st.sampled_from(["", "Why not?", "~~~\nx\n~~~"])
)
def test_any_lines_come_out_of_the_block_as_they_went_in(
    lines: list[str], above: int, below: int, words: str
) -> None:
    said = f"{words}\n\n{block(lines, above, below)}\n\nThat is all."
    assert suggestions_in(said) == [Suggestion(tuple(lines), above, below)]
    assert words_in(said) == f"{words}\n\nThat is all.".strip()
    assert suggestions_in(said.replace("\n", "\r\n")) == suggestions_in(said)


@given(st.text())
def test_any_comment_can_be_read(said: str) -> None:
    for text in (said, f"```suggestion\n{said}", f"````suggestion:-1+1\n{said}\n````"):
        for part in parts_of(text):
            assert part == "" or part


@pytest.mark.parametrize(
    "said",
    [
        "```suggestion\nnever ends",
        "````md\n```suggestion\na\n```\n````",
        "> ```suggestion\n> a\n> ```",
        "```suggestion:-1\na\n```",
        "```suggestion:-99999+0\na\n```",
        "``suggestion\na\n``",
        "    ```suggestion\n    a\n    ```",
    ],
)
def test_what_only_looks_like_a_suggestion_is_none(said: str) -> None:
    assert suggestions_in(said) == []
    assert words_in(said) == said


def test_an_empty_block_deletes_and_a_blank_line_is_one() -> None:
    assert suggestions_in("```suggestion\n```") == [Suggestion(())]
    assert suggestions_in("~~~ suggestion \n\n~~~~") == [Suggestion(("",))]
    assert suggestions_in("  ```suggestion\n   a\n  ```") == [Suggestion((" a",))]
    less = "  ```suggestion\n   a\nbcd\n efg\n\n \n  ```"
    assert suggestions_in(less) == [Suggestion((" a", "bcd", "efg", "", ""))]


@given(pages(), st.data())
def test_applying_a_suggestion_is_the_edit(text: str, data: st.DataObject) -> None:
    before = lines_of(text)
    first = data.draw(st.integers(0, len(before) - 1)) if before else 0
    last = data.draw(st.integers(first, max(first, len(before) - 1)))
    new = data.draw(st.lists(LINE, max_size=4))
    made = suggest(text, first, last, new) if before else None
    if made is None:
        return
    node, said = made
    [found] = suggestions_in(said)
    source = SourceLines(text)
    fit = judge(found, node, source, SourceLines(text))
    if tuple(new) == tuple(before[first : last + 1]):
        assert fit.why == IDLE
        return
    assert (fit.start, fit.stop, fit.why) == (first, last + 1, "")
    edited, clashing = apply(text, {"a": (fit, found)})
    assert clashing == {}
    kept = source.mark + "".join(source.raw[:first])
    rest = "".join(source.raw[last + 1 :])
    assert edited.startswith(kept)
    assert edited.endswith(rest)
    middle = edited[len(kept) : len(edited) - len(rest)]
    assert lines_of(middle) == new or (new and new[-1] == "" and lines_of(middle) == new[:-1])
    assert ("\r\n" in middle) <= ("\r\n" in text)


@given(pages(), st.data())
def test_suggestions_that_are_apart_give_one_text_in_any_order(
    text: str, data: st.DataObject
) -> None:
    source = SourceLines(text)
    found: dict[str, tuple[Fit, Suggestion]] = {}
    at = 0
    while at < len(source.lines):
        stop = data.draw(st.integers(at + 1, len(source.lines)))
        new = Suggestion(tuple(data.draw(st.lists(LINE, max_size=3))))
        if data.draw(st.booleans()):
            found[str(at)] = Fit(at, stop), new
        at = stop
    edited, clashing = apply(text, found)
    assert clashing == {}
    order = data.draw(st.permutations(list(found)))
    assert apply(text, {key: found[key] for key in order}) == (edited, {})


PAGE = "# Retries\n\nAfter five failures it is dropped.\n\nAsk us.\nAsk them.\n\nThe end.\n"


def fit_of(new: str, quote: str, now: str | None, *, above: int = 0, below: int = 0) -> Fit:
    then = SourceLines(PAGE)
    node = anchor(then.lines, then.lines.index(quote))
    suggestion = Suggestion(tuple(new.split("\n")), above, below)
    return judge(suggestion, node, then, None if now is None else SourceLines(now))


def test_it_fits_where_its_lines_are_or_stand_once_elsewhere() -> None:
    ask = "Ask us.\nAsk them.\n"
    assert fit_of("Ask.", "Ask us.", PAGE, below=1).fits
    shifted = fit_of("Ask.", "Ask us.", f"New.\n\n{PAGE}", below=1)
    assert (shifted.start, shifted.stop, shifted.why) == (6, 8, "")
    moved = fit_of("Ask.", "Ask us.", ask + PAGE.replace(ask, ""), below=1)
    assert (moved.start, moved.stop, moved.why) == (0, 2, "")
    assert fit_of("Ask.", "Ask us.", PAGE.replace("\n", "\r\n"), below=1).fits
    assert shifted.where == "lines 7-8"
    assert Fit(12, 13).where == "line 13"


def test_it_says_why_it_does_not_fit() -> None:
    assert fit_of("Ask.", "Ask us.", PAGE.replace("them", "him"), below=1).why == EDITED
    assert fit_of("Ask.", "Ask us.", None).why == PAGE_GONE
    assert fit_of("Ask us.", "Ask us.", PAGE).why == IDLE
    assert fit_of("Ask.", "Ask us.", PAGE, above=9).why == EDITED
    twice = PAGE.replace("Ask us.\nAsk them.", "A.") + "Ask us.\nB.\nAsk us.\n"
    fit = fit_of("Ask.", "Ask us.", twice)
    assert (fit.why, fit.old) == (TWICE, ("Ask us.",))
    twice = PAGE.replace("Ask us.\nAsk them.\n", "") + "Ask us.\nAsk them.\n" * 2
    assert fit_of("Ask.", "Ask us.", "Ask us.\nAsk them.\n" + twice, below=1).why == TWICE
    for node in (None, "block-of-the-service"):
        assert judge(Suggestion(("A",)), node, SourceLines(PAGE), SourceLines(PAGE)).why == NO_LINE


def test_equal_lines_are_told_apart_by_what_is_around_them() -> None:
    then = SourceLines("Done.\n\nMore.\n\nDone.\n\nLast.\n")
    node = anchor(then.lines, 4)
    one_left = SourceLines("Done.\n\nMore.\n\nLast.\n")
    assert judge(Suggestion(("Ready.",)), node, then, one_left).why == EDITED
    above = SourceLines("Done.\n\nNew.\n\nDone.\n\nMore.\n\nDone.\n\nLast.\n")
    assert judge(Suggestion(("Ready.",)), node, then, above) == Fit(8, 9, ("Done.",))


def test_without_its_revision_only_a_single_line_is_known() -> None:
    now = SourceLines(PAGE)
    node = anchor(now.lines, 4)
    assert judge(Suggestion(("Ask.",)), node, None, now) == Fit(4, 5, ("Ask us.",))
    assert judge(Suggestion(("Ask us.",)), node, None, now).why == IDLE
    assert judge(Suggestion(("Ask.",), 0, 1), node, None, now).why == UNREADABLE
    assert judge(Suggestion(("Ask.",)), node, None, SourceLines("Gone.\n")).why == UNREADABLE
    assert judge(Suggestion(("Ask.",)), node, None, SourceLines(PAGE * 2)).why == TWICE
    assert judge(Suggestion(("Ask.",)), node, None, None).why == PAGE_GONE


def test_a_comment_on_a_whole_paragraph_is_about_all_its_lines() -> None:
    page = "# A\n\nOne line\nand another.\n\nEnd.\n"
    node = anchor(["One line and another."], 0)
    fit = judge(Suggestion(("One.",)), node, SourceLines(page), SourceLines(page))
    assert (fit.start, fit.stop, fit.why) == (2, 4, "")


def test_of_two_that_overlap_the_first_goes_and_equal_ones_are_one() -> None:
    one, other = (Fit(4, 6), Suggestion(("A",))), (Fit(5, 6), Suggestion(("B",)))
    text, clashing = apply(PAGE, {"one": one, "other": other, "same": one})
    assert text == PAGE.replace("Ask us.\nAsk them.\n", "A\n")
    assert clashing == {"other": "one"}


def test_one_that_adds_lines_does_not_move_the_others() -> None:
    longer, shorter = (Fit(0, 1), Suggestion(("# A", "", "B"))), (Fit(7, 8), Suggestion(("End.",)))
    text, _ = apply(PAGE, {"longer": longer, "shorter": shorter})
    assert text == PAGE.replace("# Retries\n", "# A\n\nB\n").replace("The end.", "End.")


def test_who_suggested_is_named_with_the_lines() -> None:
    taken = [
        ("Mara", "Retries", Fit(19, 22)), ("Kofi", "Limits", Fit(0, 1)),
        ("Mara", "Retries", Fit(12, 13)), ("Mara", "Limits", Fit(2, 3)),
    ]  # fmt: skip
    assert credit(taken) == [
        "Suggested by Mara: Retries, line 13, lines 20-22; Limits, line 3.",
        "Suggested by Kofi: Limits, line 1.",
    ]
    one = Taken("thread", "page", "Mara", "Retries", 19, 22)
    assert one.said == taken[0]
    assert outcome(2, [EDITED]) == "2 applied, 1 not: The lines were edited since."
    assert outcome(1, []) == "1 suggestion applied."


def test_a_block_ends_with_the_first_fence_of_its_kind_that_is_long_enough() -> None:
    said = "````suggestion\n```\n~~~~\n````x\n````` \t\n~~~suggestion\nA\n```\n~~~\n````suggestion"
    assert parts_of(said) == [
        Suggestion(("```", "~~~~", "````x")),
        Suggestion(("A", "```")),
        "````suggestion",
    ]


def test_a_comment_of_blocks_that_never_end_is_words() -> None:
    """One of strangers may be long: each line is looked at once."""
    said = "```suggestion\n" * 30_000 + "```" + " a" + " " * 60_000 + "b"
    assert parts_of(said) == [said]


def test_a_suggestion_for_a_line_alone_names_no_range() -> None:
    assert block(["a"]) == "```suggestion\na\n```"
    assert block(["```", "b"], 1) == "````suggestion:-1+0\n```\nb\n````"

"""A page's two texts: what differs unseen, and where on it the anchors of threads are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.blocks import anchor
from copydesk.domain.diff import compare
from copydesk.domain.page_text import TOLD, PageText, page_text, unseen_changes
from copydesk.domain.text import exposed

ZERO = "\u200b"
TAG = "\U000e0041"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("One.\n\nTwo.\n", "One.\n\nTwo.\n", []),
        (f"One.\n\nTwo{ZERO}.\n", f"One.\n\nTwo{ZERO}.\n", []),
        ("One.\n\nTwo.\n", f"One.\n\nT{ZERO}wo.\n", [3]),
        (f"One{ZERO}.\n\nTwo.\n", "One.\n\nTwo.\n", [1]),
        ("One.\n", f"One.\n\nTh{ZERO}ree.\n", [3]),
        (f"On{ZERO}e.\n\nTwo.\n", "Two.\n", []),
        ("One\ntwo.\n", f"One\ntw{ZERO}o.\n", [2]),
        (f"A{ZERO}\nb{ZERO}\nc\n", f"A\nb{ZERO}\nc{ZERO}\n", []),
        (f"A{ZERO}\nb\nc\n", f"A\nb{ZERO}\nc{ZERO}\n", [1, 2, 3]),
        ("One\ntwo.\n", f"One tw{ZERO}o.\n", [1]),
        ("One.\r\n\r\nTwo.\r\n", f"One.\n\nTw{ZERO}o.\n", [3]),
    ],
)
def test_lines_with_other_unseen_characters_are_told(
    before: str, after: str, lines: list[int]
) -> None:
    diff = compare(exposed(before), exposed(after))
    assert unseen_changes(diff, before, after) == lines


UNIX = "All line ends changed: they were those of Windows (CRLF), now they are those of Unix."
WINDOWS = "All line ends changed: they were those of Unix, now they are those of Windows (CRLF)."
QUIET = (
    "The words are the same. What differs are line breaks, blanks or escapes, which readers do "
    "not see."
)
UNREAD = (
    "Not read as Markdown: the code that begins in line 3 never ends. "
    "Lines and their words are compared."
)


@pytest.mark.parametrize(
    ("before", "after", "notes"),
    [
        ("One.\n", "Two.\n", ()),
        ("One.\n", "One.\n", ()),
        ("One.\r\n", "Two.\n", (UNIX,)),
        ("One.\n", "One.\r\n", (WINDOWS,)),
        ("", "One.\r\n", ()),
        ("One.\r\n", "", ()),
        ("One\ntwo.\n", "One two.\n", (QUIET,)),
        ("One.\n\nTwo.\n", f"One.\n\nT{ZERO}wo.\n", ("Invisible characters changed on line 3.",)),
        ("A\n\n```\nB\n```\n", "A\n\n```\nC\n", (UNREAD,)),
    ],
)
def test_what_differs_unseen_is_told_in_a_note(
    before: str, after: str, notes: tuple[str, ...]
) -> None:
    assert page_text(before, after).notes == notes
    assert page_text(before, after, ["Renamed."]).notes == ("Renamed.", *notes)


def test_only_so_many_lines_are_named() -> None:
    def note(count: int) -> str:
        before = [f"Line {n} of it.\n\n" for n in range(count)]
        after = [line.replace("of", f"o{ZERO}f") for line in before]
        (said,) = page_text("".join(before), "".join(after)).notes
        return said

    lines = "1, 3, 5, 7, 9"
    assert note(2) == "Invisible characters changed on lines 1 and 3."
    assert note(TOLD) == f"Invisible characters changed on lines {lines} and 11."
    assert note(TOLD + 2) == f"Invisible characters changed on lines {lines}, 11 and 2 more."


BEFORE = (
    "# Head\n\nFirst\ngoes on.\n\nOld text stands here.\n\nWhat was here is removed.\n\n"
    "Moved from here to there.\n"
)
AFTER = "# Head\n\nMoved from here to there.\n\nFirst\ngoes on.\n\nNew text stands here.\n\nLast.\n"


def anchored(*lines: str) -> str:
    """Return the anchor of the last of some lines."""
    found = anchor(lines, len(lines) - 1)
    assert found is not None
    return found


def shown(page: PageText) -> list[str]:
    return [page.line_text(at) for at in range(len(page.diff))]


def test_a_row_is_found_by_its_anchor() -> None:
    page = page_text(BEFORE, AFTER)
    rows = shown(page)
    for text in (
        "# Head",
        "First goes on.",
        "New text stands here.",
        "Last.",
        "What was here is removed.",
    ):
        at = rows.index(text)
        name = page.anchor(at)
        assert name is not None
        assert page.find(name) == at
        assert page.find(name) == at, "also when it is asked for again"
    assert page.find("nothing") is None


def test_of_equal_rows_it_is_the_one_that_was_anchored_though_that_was_edited() -> None:
    before = "Same.\n\nOther.\n\nSame.\n"
    page = page_text(before, before[: -len("Same.\n")] + "Edited.\n")
    second = anchored("Same.", "Other.", "Same.")
    at = page.find(second)
    assert at is not None
    assert (page.line_text(at), page.diff[at].kind) == ("Same.", "removed")
    gone = page_text("Other.\n", "Same.\n\nOther.\n")
    assert gone.find(second) is not None, "neither text has two of them"


def test_an_edited_row_is_anchored_as_it_is_now() -> None:
    page = page_text(BEFORE, AFTER)
    old, new = (shown(page).index(f"{word} text stands here.") for word in ("Old", "New"))
    assert page.pair(old) == page.pair(new) == (old, new)
    assert page.anchor(old) == page.anchor(new)
    gone = shown(page).index("What was here is removed.")
    assert page.pair(gone) == (gone,)
    assert page.find(anchored("# Head", "", "Old text stands here.")) in (old, new)


def test_rows_that_are_staged_are_told_from_what_they_replace() -> None:
    page = page_text(BEFORE, AFTER)
    assert not any(map(page.is_mine, range(len(page.diff))))
    page.mine = page.diff.new_rows
    mine = [text for at, text in enumerate(shown(page)) if text and page.is_mine(at)]
    assert mine == ["New text stands here.", "Last."]


def test_what_only_says_where_text_went_has_no_anchor() -> None:
    page = page_text(BEFORE, AFTER)
    kinds = [line.kind for line in page.diff]
    moved = [at for at, kind in enumerate(kinds) if kind in ("from", "to")]
    assert len(moved) == 2
    assert [page.anchor(at) for at in moved] == [None, None]


def test_what_was_anchored_on_a_line_of_a_wrapped_paragraph_is_on_the_paragraph() -> None:
    page = page_text("", "# Head\n\nFirst\ngoes on.\n")
    assert page.find(anchored("# Head", "", "First", "goes on.")) == shown(page).index(
        "First goes on."
    )
    assert page.find(anchored("other")) is None


def test_unseen_characters_do_not_change_an_anchor() -> None:
    page = page_text("", f"One{ZERO} line.\n")
    (at,) = (at for at, text in enumerate(shown(page)) if text)
    assert page.find(anchored("One line.")) == at
    assert page.anchor(at) == anchored("One line.")


def test_a_page_folds_where_it_was_changed_and_is_read_as_it_is_now() -> None:
    assert page_text(BEFORE, AFTER).folds
    assert not page_text(BEFORE, BEFORE).folds
    assert page_text(BEFORE, BEFORE, alike=True).folds
    assert page_text(BEFORE, AFTER).now == AFTER
    assert page_text(BEFORE, "").now == BEFORE


MARKDOWN = st.lists(
    st.sampled_from(["", "", "One.", "Two words", "# A", "- a", "  - b", "| a | b |", "|---|---|",
                     "```", "> q", "---"]),
    max_size=14,
).map("\n".join)  # fmt: skip


@given(MARKDOWN, MARKDOWN)
def test_every_line_is_shown_by_the_row_that_it_is_in(before: str, after: str) -> None:
    page = page_text(before, after)
    lines = range(1, after.count("\n") + 2)
    shown = page.rows_of_lines(lines)
    assert sorted(shown) == list(lines)
    for line in lines:
        row = page.row_of_source(line)
        at = None if row is None else page.diff.row_of(row, after=True)
        if at is not None:
            assert shown[line] == at


def test_rows_of_the_diff_and_lines_of_the_text_are_found_from_each_other() -> None:
    text = page_text("One.\n\nTwo\nlines.\n\nThree.\n", "One.\n\nTwo\nrows.\n\nFour words.\n")
    rows = [(row.kind, row.text) for row in text.diff]
    assert text.lines_after(0, len(rows) - 1) == (0, 5)
    assert text.lines_after(0, 0) == (0, 0)
    assert page_text("One.\n\nGone.\n", "One.\n").lines_after(1, 1) is None
    assert text.rows_with("Two rows") == [text.row_of_source(4)]
    assert text.rows_with("Three") == []
    row = text.row_of_source(6)
    assert row is not None
    assert text.anchor_after(row) == anchor(["Four words."], 0)
    assert text.row_of_source(99) is None

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from copydesk.domain.text import (
    _pile,
    _unseen,
    clean,
    exposed,
    listed,
    ordinal,
    plural,
    same_name,
    shorten,
    shorten_middle,
    shown_subject,
    shown_title,
    size_words,
    typed,
    unseen,
)

HOSTILE = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("\x1b\x9b\x9d\x9c\x07[]0;mP\\\r\n\t\u202e\u200b\u0301\u20dd\U000e0041 a界"),
    )
)
HIDDEN_CATEGORIES = {"Cc", "Cf", "Cs", "Zl", "Zp"}


@pytest.mark.parametrize(
    ("dirty", "seen"),
    [
        ("Plain title", "Plain title"),
        ("red \x1b[31;1mtext\x1b[0m", "red text"),
        ("\x1b]0;owned\x07Title", "Title"),
        ("\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b31mred", "red"),
        ("\x9d0;owned\x9cTitle", "Title"),
        ("\x1bPpayload\x1b\\after", "after"),
        ("\x1bcreset", "reset"),
        ("an unfinished \x1b]0;title is shown", "an unfinished 0;title is shown"),
        ("an unfinished \x1b[", "an unfinished "),
        ("invoice\u202egpj.exe", "invoicegpj.exe"),
        ("zero\u200bwidth\u2060here\ufeff", "zerowidthhere"),
        ("tag\U000e0068\U000e0069", "tag"),
        ("lone\ud800surrogate", "lonesurrogate"),
        ("a\nb\r\nc\rd\u2028e\tf", "a b c d e f"),
        ("e" + "\u0301" * 50 + "f", "e" + "\u0301" * 6 + "f"),
        ("လျှို့ဝှက်", "လျှို့ဝှက်"),  # Burmese: secret
        ("bell\x07 nul\x00 del\x7f", "bell nul del"),
        ("日本語 ✓ é naïve", "日本語 ✓ é naïve"),
    ],
)
def test_what_is_dangerous_goes_and_the_rest_stays(dirty: str, seen: str) -> None:
    assert clean(dirty) == seen


def test_a_title_is_drawn_on_one_line_or_said_to_be_none() -> None:
    assert shown_title(" A\n\x1b[2JB ") == "A B"
    assert shown_title("Title", limit=2) == "Ti"
    assert shown_title(" \x07") == "Untitled"
    assert shown_subject(" A\n\x1b[2JB ") == "A B"
    assert shown_subject(" \x07\u200b  ") == "(no subject)"


def test_lines_keep_their_ends_and_tabs_become_spaces() -> None:
    assert clean("a\r\nb\rc\n\td", lines=True) == "a\nb\nc\n    d"


@given(HOSTILE, st.booleans())
def test_nothing_invisible_is_left_and_cleaning_twice_changes_nothing(
    text: str, lines: bool
) -> None:
    seen = clean(text, lines=lines)
    assert clean(seen, lines=lines) == seen
    assert not _unseen().search(seen)
    assert "\t" not in seen
    assert lines or "\n" not in seen
    seen.encode("utf-8", "strict")
    marks = "".join("m" if unicodedata.category(c) in {"Mn", "Me"} else "." for c in seen)
    assert "m" * 7 not in marks


@given(st.text(st.characters(categories=("L", "N", "P", "Zs", "Sm", "Sc"))))
def test_letters_and_signs_are_never_touched(text: str) -> None:
    assert clean(text) == _unseen().sub("", text)


def test_every_control_format_and_separator_of_unicode_goes() -> None:
    # Signs that Unicode files under "format" but that are drawn before or around digits.
    drawn = {c for c in range(0x600, 0x8E3) if unicodedata.category(chr(c)) == "Cf"} - {0x61C}
    drawn |= {0x110BD, 0x110CD, *range(0x13430, 0x13460)}
    left = [
        hex(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in HIDDEN_CATEGORIES
        and code not in drawn
        and clean(chr(code)) not in {"", " "}
    ]
    assert left == []


def test_the_coarse_ranges_miss_no_combining_mark() -> None:
    missed = [
        hex(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in {"Mn", "Me"}
        and not _unseen().search(chr(code))
        and not _pile().search(chr(code) * 7)
    ]
    assert missed == []


@pytest.mark.long
@pytest.mark.parametrize(
    "unit",
    ["\x1b]", "\x1b[", "\x1b[1;", "\x9d", "\x1b", "\u0301", "\u202e", "e\u0301\n", "\x1bP\x9b"],
)
def test_a_hostile_megabyte_is_cleaned(unit: str) -> None:
    # In more than linear time this would outlast what a test has.
    cleaned = clean(unit * (1_000_000 // len(unit)), lines=True)
    assert "\x1b" not in cleaned
    assert len(cleaned) <= 1_000_000


def test_a_limit_bounds_what_is_read() -> None:
    assert clean("ab\x07cdef", limit=4) == "abc"
    assert clean("a" * 197 + "\x1b[31mB", limit=200) == "a" * 197
    assert clean("\x1b[1;31m" * 30, limit=200) == ""
    assert clean("ab\x1b]0;owned\x1b\\c", limit=12) == "ab"
    assert clean("ab\x1b]0;said", limit=7) == "ab0;s", "of one without an end only its opening goes"
    assert clean("\x1b[31mabc\x1b[0m", limit=6) == "a"
    assert clean(f"ab\x1b]0;{'x' * 4_000}\x07", limit=200) == "ab"


@given(HOSTILE, st.integers(0, 40))
def test_what_a_limit_leaves_is_how_the_whole_begins(text: str, limit: int) -> None:
    text = re.sub("\r\n|[\t\u0300-\u036f\u20dd]", "", text)  # a line end may be cut, a pile too
    assert clean(text).startswith(clean(text, limit=limit))


@given(HOSTILE, st.integers(0, 40), st.sampled_from(["…", "...", ""]))
def test_shortened_text_fits_and_starts_the_same(text: str, cells: int, end: str) -> None:
    seen = clean(text)
    short = shorten(seen, cells, end)
    assert cell_len(short) <= cells
    if cell_len(seen) <= cells:
        assert short == seen
    elif cells >= cell_len(end):
        assert short.endswith(end)
        assert seen.startswith(short.removesuffix(end) if end else short)


def test_shortening_counts_cells_and_keeps_accents_with_their_letter() -> None:
    assert shorten("Fix auth code samples", 10) == "Fix auth …"
    assert shorten("日本語ドキュメント", 6) == "日本…"
    marks = "\u0301" * 30
    assert [shorten(f"a{marks}", 1), shorten(f"a{marks}b", 1), shorten(f"a{marks}b", 2)] == [
        f"a{marks}", "…", f"a{marks}b",
    ]  # fmt: skip
    assert shorten("e\u0301a\u0301o\u0301", 2) == "e\u0301…"
    assert shorten("abc", 1, "...") == "."
    assert shorten("x" * 1_000_000, 3) == "xx…"


@pytest.mark.parametrize(
    ("count", "noun", "many", "said"),
    [
        (1, "request", None, "1 request"),
        (0, "request", None, "0 requests"),
        (2, "reply", None, "2 replies"),
        (3, "branch", None, "3 branches"),
        (2, "day", None, "2 days"),
        (1204, "person", "people", "1,204 people"),
    ],
)
def test_counts_agree_with_their_nouns(count: int, noun: str, many: str | None, said: str) -> None:
    assert plural(count, noun, many) == said


def test_words_are_listed_as_in_a_sentence() -> None:
    assert listed([]) == ""
    assert listed(["Priya"]) == "Priya"
    assert listed(["Priya", "Lee"], "or") == "Priya or Lee"
    assert listed(["Priya", "Lee", "Sam"]) == "Priya, Lee and Sam"
    assert not re.search(",$", listed(["a", "b"]))


@given(HOSTILE)
def test_exposed_text_is_safe_and_what_it_leaves_out_is_told(text: str) -> None:
    shown = exposed(text)
    assert clean(shown, lines=True) == shown == exposed(shown)
    if shown != text and not re.search("[\r\t]", text):
        assert unseen(text)
    assert not unseen(shown)


@pytest.mark.parametrize(
    ("text", "cells"),
    [("दुनिया", 5), ("ကျွန်", 3), ("สวัสดี", 4), ("か\u3099", 2), ("👍🏿", 4), ("🇩🇪", 2)],
)
def test_what_terminals_do_not_agree_upon_has_the_room_that_most_give_it(
    text: str, cells: int
) -> None:
    assert cell_len(text) == cells


def test_a_name_is_what_is_shown_whatever_its_case_and_form() -> None:
    assert same_name(
        " カ\u3099イト\u3099 \U0001f468\u200d\U0001f469\u200f", "ガイド \U0001f468\U0001f469"
    )
    assert same_name("Straße E\u0301", "STRASSE \u00e9")
    assert not same_name("カイド", "ガイド")


def test_heaps_of_accents_are_not_seen_and_single_ones_are() -> None:
    heap = "e" + "\u0301" * 40
    assert unseen("e\u0301 and \u00e9") == ""
    assert unseen(f"a{heap}b")
    assert unseen(f"e\u0301 a{heap}b") == heap[1:]
    flag = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    assert exposed(f"1\ufe0f\u20e3 {flag}") == "1\u20e3 \U0001f3f4"
    assert exposed("1\ufe0f") == "1<U+FE0F>"
    assert exposed("a\rb\r\nc\td") == "a\nb\nc    d"
    assert unseen("\u202ea\u200bb") == "\u202e\u200b"


MEANT = re.compile("[\u200c\u200d\ufe00-\ufe0f\U000e0020-\U000e007f\U000e0100-\U000e01ef]")


@given(HOSTILE, st.booleans())
def test_in_a_field_is_nothing_but_what_is_drawn_and_what_joins_it(text: str, lines: bool) -> None:
    there = typed(text, lines=lines)
    assert typed(there, lines=lines) == there
    assert not _unseen().search(MEANT.sub("", there))
    assert lines or not re.search("[\t\n]", there)
    seen = clean(text, lines=True)
    assert typed(seen, lines=True) == seen


@pytest.mark.parametrize(
    "text",
    ["\U0001f468\u200d\U0001f469\u200d\U0001f467", "\u2764\ufe0f\u200d\U0001f525", "1\ufe0f\u20e3",
     "\u0645\u06cc\u200c\u062e", "\u845b\U000e0100", "a\tb\n\u5c45", "e\u0301",
     "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"],
)  # fmt: skip
def test_what_somebody_writes_stays_as_it_is_in_a_field(text: str) -> None:
    assert typed(text, lines=True) == text
    assert typed(f"a\u200d\x1b[2J\u202e{text}\x07\r", lines=True) == f"a{text}\n"


@pytest.mark.parametrize(
    ("size", "said"),
    [
        (None, ""), (0, "0 bytes"), (7, "7 bytes"), (999, "999 bytes"), (1000, "1.0 kB"),
        (9_949, "9.9 kB"), (10_000, "10 kB"), (999_499, "999 kB"), (999_500, "1.0 MB"),
        (23_000_000, "23 MB"), (4_200_000_000, "4.2 GB"), (5 * 10**12, "5.0 TB"),
        (12_345 * 10**12, "12345 TB"),
    ],
)  # fmt: skip
def test_sizes_are_said_as_a_person_reads_them(size: int | None, said: str) -> None:
    assert size_words(size) == said


@pytest.mark.parametrize(
    ("text", "cells", "cut"),
    [
        ("to a/b/c.png", 12, "to a/b/c.png"),
        ("Broken link to a/b/c.png", 13, "Broken…/c.png"),
        ("日本語の画像.png", 9, "日本….png"),
        ("Guides / Linux / Install by RPM", 18, "… / Install by RPM"),
        ("Guides / Linux / Install by RPM", 17, "Guides /…l by RPM"),
        ("abc", 1, "…"),
        ("abc", 0, ""),
    ],
)
def test_a_path_is_cut_in_its_middle(text: str, cells: int, cut: str) -> None:
    assert shorten_middle(text, cells) == cut
    assert cell_len(cut) <= cells


def test_a_place_in_a_list_is_a_number_that_one_counts_to() -> None:
    assert [ordinal(text) for text in ("3", "0", "", "-1", "3.", "²", "1" * 5000)] == [3] + [0] * 6

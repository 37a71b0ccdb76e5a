import random
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.changed_words import compare_cells, compare_words
from copydesk.domain.diff import BREAK, Line, Move, Span, TextDiff, compare, whole_words
from tests.domain.patch import apply, reverse

NASTY = [
    "\r\n", "\n", "\r", "\t", " ", "\x00", "\x1b[2J", "\u2028", "```\n", "~~~", "---\n", "===\n",
    "> q\n", "* i\n", "1. n\n", "    code\n", "|a|b|\n", "|-|-|\n", "{% tab %}\n", "<!--\n",
    "-->\n", "<div>\n", "two words\n", "a\\_b \\\n",
    "Deliveries are retried when your endpoint fails, and then again.\n\n",
]  # fmt: skip

PAGES = st.lists(
    st.sampled_from(
        [
            "",
            "# Retries",
            "We retry five times over one hour.",
            "We retry eight times over 24 hours.",
            "See the old guide.",
            "| Field | Type |",
            "| attempt | int |",
            "日本語のページ",
        ]
    ),
    max_size=30,
).map("\n".join)


TEXTS = st.one_of(
    PAGES,
    st.text(max_size=60),
    st.text("a \t\r\n\\|`>#*-1.{%}<!", max_size=60),
    st.lists(st.sampled_from(NASTY), max_size=12).map("".join),
)


def marked(spans: tuple[Span, ...]) -> str:
    signs = {"same": "{}", "removed": "[-{}-]", "added": "{{+{}+}}"}
    return "".join(signs[span.kind].format(span.text) for span in spans)


def shown(diff: TextDiff) -> list[str]:
    signs = {"same": " ", "added": "+", "removed": "-", "moved": ">", "from": "<<", "to": ">>"}
    return [
        f"{signs[line.kind]} {marked(line.spans) if line.paired else line.text}".rstrip()
        for line in diff
        if line.text or line.move is not None
    ]


@given(TEXTS, TEXTS)
def test_the_old_text_becomes_the_new_one_and_the_new_one_the_old(before: str, after: str) -> None:
    diff = compare(before, after)
    assert apply(diff, before) == after
    assert apply(reverse(diff), after) == before
    assert apply(compare(after, before), after) == before
    if before != after:
        with pytest.raises(ValueError, match="another text"):
            apply(diff, after)


@given(TEXTS, TEXTS)
def test_every_row_of_both_texts_is_shown_once(before: str, after: str) -> None:
    diff = compare(before, after)
    for text, sides in ((diff.before, ("removed",)), (diff.after, ("added",))):
        said = Counter(text.said(row) for row in range(len(text)) if text.said(row))
        new = text is diff.after
        found = Counter(
            line.text for line in diff if line.text and line.kind in ("same", "moved", *sides)
        )
        if new:
            assert found == said
        else:
            # What was moved or reads the same is shown as it is now.
            assert sum(found.values()) == sum(said.values())
    told = [line.kind for at, line in enumerate(diff) if not diff.is_blank(at)]
    assert (diff.added, diff.removed) == (told.count("added"), told.count("removed"))
    assert diff.changed == any(line.kind != "same" for line in diff)
    assert [n for n in (line.after_number for line in diff) if n] == sorted(
        {n for n in (line.after_number for line in diff) if n}
    )
    for line in diff:
        assert all(span.text for span in line.spans)
        assert {span.kind for span in line.spans} <= {"same", line.kind}


LINES = st.text("ab .,|\\-'é日本\u0301", max_size=40)


@given(st.one_of(st.tuples(TEXTS, TEXTS), st.tuples(LINES, LINES)), st.booleans())
def test_what_is_unmarked_on_one_side_is_unmarked_on_the_other(
    texts: tuple[str, str], table: bool
) -> None:
    def unmarked(*rows: tuple[Span, ...]) -> str:
        return "".join("".join(s.text for row in rows for s in row if s.kind == "same").split())

    diff = compare(*texts)
    change: tuple[list[Line], list[Line]] = ([], [])
    for at, line in enumerate(diff):
        if line.marks:
            change[line.kind == "added"].append(line)
        if line.marks and not line.paired:
            exact = "".join(s.text for s in line.spans).rstrip(" ")
            assert "".join(s.text for s in line.marks).removesuffix(f" {BREAK}") == exact
        # The rows of one block stand together.
        if at + 1 == len(diff) or not line.marks:
            for each in ([line.spans for line in side] for side in change):
                assert all(span.text for row in each for span in row)
            for drawn in (False, True):
                was, now = ([row.marks if drawn else row.spans for row in side] for side in change)
                assert unmarked(*was).replace(BREAK, "") == unmarked(*now).replace(BREAK, "")
            change = ([], [])
    for exact_marks in (compare_words(*texts), compare_cells(*texts)):
        grown = whole_words(*exact_marks, table=table)
        assert [("".join(s.text for s in side)) for side in grown] == list(texts)
        assert unmarked(grown[0]) == unmarked(grown[1])
        for fine, whole in zip(exact_marks, grown, strict=True):
            assert len(unmarked(whole)) <= len(unmarked(fine))


@pytest.mark.parametrize(
    ("before", "after", "grown"),
    [
        (", x y if b of", ", , b", (", [x y if ]b[ of]", ", [, ]b")),
        (", a b , a", ", , ,", (", [a b ],[ a]", ", [, ],")),
        (", b b", "  . b   if b", ("[, ]b b", "[  . ]b[   if] b")),
        ("so a b", "so x b y", ("so [a] b", "so [x] b[ y]")),
        ("tea, milk", "some  , tea", ("[tea, milk]", "[some  , tea]")),
        ("so a b c then", "so x b y then", ("so [a] b [c] then", "so [x] b [y] then")),
    ],
)
def test_marks_join_only_over_what_both_sides_mark_around(
    before: str, after: str, grown: tuple[str, str]
) -> None:
    def drawn(spans: Sequence[Span]) -> str:
        return "".join(each.text if each.kind == "same" else f"[{each.text}]" for each in spans)

    was, now = whole_words(*compare_words(before, after, exact=False), table=True)
    assert (drawn(was), drawn(now)) == grown


def test_rows_of_one_block_that_have_little_in_common_are_none_edited() -> None:
    before, after = (
        "```\n" + rows + "\n```\n" for rows in ("blue moon\nfish cat", "a blue fish a")
    )
    told = [f"{line.kind} {line.text}" for line in compare(before, after)]
    assert told[1:-1] == ["removed blue moon", "removed fish cat", "added a blue fish a"]


def test_a_heading_and_a_paragraph_are_one_edited_only_where_they_say_nearly_the_same() -> None:
    def kinds(heading: str, paragraph: str) -> list[str]:
        texts = (f"Intro.\n\n{each}\n\nEnd of it.\n" for each in (heading, paragraph))
        return [line.kind for line in compare(*texts) if line.text]

    assert kinds("# of and are by", "some and other some") == [
        "same", "removed", "added", "same",
    ]  # fmt: skip
    assert kinds("# One two three four five", "One two three four six") == kinds(
        "One two three four five", "One two three four six"
    )


@given(st.permutations(range(7)), st.lists(st.integers(0, 6), unique=True, max_size=3))
def test_blocks_in_another_order_are_moved_and_none_is_lost(
    order: list[int], edited: list[int]
) -> None:
    said = [
        f"Part {n} speaks of the thing number {n * n}, of that, and of no other." for n in range(7)
    ]
    before = "\n\n".join(said)
    for n in edited:
        said[n] = said[n].replace("speaks", "tells you")
    after = "\n\n".join(said[n] for n in order) + "\n"
    diff = compare(before, after)
    assert apply(diff, before) == after
    assert apply(reverse(diff), after) == before
    assert Counter(
        line.text for line in diff if line.kind in ("same", "moved", "added")
    ) == Counter(
        [*said, *(line.text for line in diff if line.kind in ("same", "added") and not line.text)]
    )
    if not edited:
        assert (diff.added, diff.removed) == (0, 0)
        assert bool(diff.moves) == (order != sorted(order))
        for kind in ("from", "to"):
            told = [line.move for line in diff if line.kind == kind]
            assert sorted(told, key=repr) == sorted(diff.moves, key=repr)


@given(PAGES)
def test_a_text_does_not_differ_from_itself(page: str) -> None:
    diff = compare(page, page)
    assert not diff.changed
    assert diff.changes == ()


@given(PAGES, PAGES, st.integers(0, 5))
def test_hunks_cover_every_row_once_and_fold_only_what_is_same(
    before: str, after: str, context: int
) -> None:
    diff = compare(before, after)
    rows: list[int] = []
    for hunk in diff.hunks(context):
        rows += range(hunk.start, hunk.stop)
        if hunk.folded:
            assert hunk.stop - hunk.start >= 2
            kinds = {line.kind for line in diff[hunk.start : hunk.stop] if line.text}
            assert kinds <= {"same"} or kinds <= {"moved"}
    assert rows == list(range(len(diff)))
    assert len(set(diff.changes)) == len(diff.changes)
    assert all(diff[start].kind != "same" for start in diff.changes)
    assert bool(diff.changes) == diff.changed


@given(st.text("ab .,|é日\u0301", max_size=40), st.text("ab .,|é日\u0301", max_size=40))
def test_marked_words_join_to_the_lines(before: str, after: str) -> None:
    old, new = compare_words(before, after)
    assert "".join(span.text for span in old) == before
    assert "".join(span.text for span in new) == after
    assert [s.text for s in old if s.kind == "same"] == [
        s.text for s in new if s.kind == "same"
    ] or (
        "".join(s.text for s in old if s.kind == "same")
        == "".join(s.text for s in new if s.kind == "same")
    )


@pytest.mark.parametrize(
    ("before", "after", "old", "new"),
    [
        (
            "We retry five times over one hour.",
            "We retry eight times over 24 hours.",
            "We retry [-five-] times over [-one hour-].",
            "We retry {+eight+} times over {+24 hours+}.",
        ),
        (
            "| attempt | int | 1 to 5 |",
            "| attempt | int | 1 to 8 |",
            None,
            "| attempt | int | 1 to {+8+} |",
        ),
        ("a b", "a new b", "a b", "a {+new +}b"),
        ("設定を開く", "設定を閉じる", "設定を[-開く-]", "設定を{+閉じる+}"),
        ("run get_user_id now", "run get_user_name now", None, "run get_user_{+name+} now"),
        ("cafe\u0301 one", "cafe\u0301 two", "cafe\u0301 [-one-]", "cafe\u0301 {+two+}"),
    ],
)
def test_words_are_marked_as_a_person_would(
    before: str, after: str, old: str | None, new: str
) -> None:
    was, now = compare_words(before, after)
    assert marked(now) == new
    assert old is None or marked(was) == old


BLOCKS = {
    "edited": (
        "Deliveries are retried.\n\nWe retry five times over one hour.\n\nSee the old guide.\n",
        "Deliveries are retried.\n\nWe retry eight times over 24 hours.\n\n"
        "After that the event goes to a queue.\n\nSee Event delivery.\n",
        [
            "  Deliveries are retried.",
            "- We retry [-five-] times over [-one hour-].",
            "+ We retry {+eight+} times over {+24 hours+}.",
            "+ After that the event goes to a queue.",
            "- See [-the old guide-].",
            "+ See {+Event delivery+}.",
        ],
    ),
    "wrapped anew": (
        "The event goes to the queue\nafter the last\nattempt of all.\n",
        "The event goes\nto the queue after the first attempt\nof all.\n",
        [
            "- The event goes to the queue after the [-last-] attempt of all.",
            "+ The event goes to the queue after the {+first+} attempt of all.",
        ],
    ),
    "only wrapped, escaped, padded, numbered": (
        "One two\nthree get\\_user.\n\n1. a\n2. b\n\n|a|b|\n|-|-|\n|c|d|\n",
        "One two three\nget_user.\n\n\n1. a\n1. b\n\n| a | b |\n| --- | --- |\n|  c|d |\n",
        [
            "  One two three get_user.", "  1. a", "  1. b",
            "  | a | b |", "  | --- | --- |", "  |  c|d |",
        ],
    ),
    "an escape that matters": (
        "Press \\*all\\* keys.", "Press *all* keys.",
        ["- Press [-\\-]*all[-\\-]* keys.", "+ Press *all* keys."],
    ),
    "cells": (
        "| Field | Type | Mean |\n|---|---|---|\n| attempt | int | 1 to 5 |\n| at | date | now |\n",
        "| Field | Type | Mean |\n|---|---|---|\n| attempt | int | 1 to 8 |\n| at | date | now |\n"
        "| by | id | who |\n",
        [
            "  | Field | Type | Mean |", "  |---|---|---|",
            "- | attempt | int | 1 to [-5-] |", "+ | attempt | int | 1 to {+8+} |",
            "  | at | date | now |", "+ | by | id | who |",
        ],
    ),
    "code by line": (
        "```ruby\na = 1\n  b = 2\n\nc\n```\n", "```ruby\na = 1\n    b = 2\n\nc\nd\n```\n",
        [
            "  ```ruby", "  a = 1", "- [-  -]b = 2", "+ {+    +}b = 2", "  c", "+ d", "  ```",
        ],
    ),
    "front matter and tags": (
        "---\nicon: bolt\nhidden: true\n---\n\n# A\n\n"
        '{% hint style="info" %}\nMind it.\n{% endhint %}\n',
        "---\nicon: book\nhidden: true\n---\n\n# A\n\n"
        '{% hint style="danger" %}\nMind it.\n{% endhint %}\n',
        [
            "  ---", "- icon: [-bolt-]", "+ icon: {+book+}", "  hidden: true", "  ---", "  # A",
            '- {% hint style="[-info-]" %}', '+ {% hint style="{+danger+}" %}',
            "  Mind it.", "  {% endhint %}",
        ],
    ),
    "moved": (
        "# A\n\n## Events\n\nWhere the dead letters go, and why.\n\n* x\n\n"
        "## Order\n\nFirst come.\n\nEnd.\n",
        "# A\n\n## Events\n\n## Order\n\nFirst come.\n\nEnd.\n\n"
        "Where the dead letters go, and why.\n\n* x\n",
        [
            "  # A", "  ## Events", ">>", "  ## Order", "  First come.", "  End.", "<<",
            "> Where the dead letters go, and why.", "> * x",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("before", "after", "rows"), BLOCKS.values(), ids=BLOCKS)
def test_blocks_are_shown_as_a_person_would(before: str, after: str, rows: list[str]) -> None:
    diff = compare(before, after)
    assert shown(diff) == rows
    assert [diff.text_of(row) for row in range(len(diff))] == [line.text for line in diff]
    assert apply(diff, before) == after
    changed = any(row[0] != " " for row in rows)
    assert (diff.changed, diff.quiet) == (changed, not changed)


def test_a_cell_that_only_one_row_has_is_removed_or_added() -> None:
    long, short = "| a | b |", "| a |"
    was, now = compare_cells(long, short)
    assert was == (Span("| a ", "same"), Span("| b ", "removed"), Span("|", "same"))
    assert now == (Span("| a |", "same"),)
    was, now = compare_cells(short, long)
    assert was == (Span("| a |", "same"),)
    assert now == (Span("| a ", "same"), Span("| b ", "added"), Span("|", "same"))


def test_moved_blocks_say_where_they_were_and_what_changed_in_them() -> None:
    before, after, _ = BLOCKS["moved"]
    diff = compare(before, after)
    said = "Where the dead letters go, and why."
    assert diff.moves == (Move("Events", "Order", said, 2, 0),)
    assert (diff.added, diff.removed, len(diff.changes)) == (0, 0, 2)
    long = "Where all of the dead letters go when no one wants them any more, and why that is so."
    old = f"# A\n\n{long}\n\n# B\n\nOne thing stays here.\n\n# C\n\nAnother thing.\n"
    new = old.replace(f"{long}\n\n", "") + f"\n{long.replace('wants', 'needs')}\n"
    diff = compare(old, new)
    assert [(m.was_under, m.now_under, m.words, m.up) for m in diff.moves] == [("A", "C", 1, False)]
    assert (diff.added, diff.removed) == (1, 1)
    assert apply(reverse(diff), new) == old
    many = "".join(f"Block {n} says one thing and {n * 7} other things.\n\n" for n in range(30))
    stays = "".join(f"What stays here says {n} and is more than what went.\n\n" for n in range(90))
    diff = compare(many + stays, stays + many)
    assert [(m.blocks, m.words) for m in diff.moves] == [(30, 0)]
    folds = [hunk for hunk in diff.hunks() if hunk.folded]
    assert [diff.sentence(hunk.start, hunk.stop) for hunk in folds] == [
        "86 unchanged blocks",
        "28 moved blocks",
    ]
    back = compare(stays + many, many + stays)
    folds = [hunk for hunk in back.hunks() if hunk.folded]
    assert [back.sentence(hunk.start, hunk.stop).split()[1] for hunk in folds] == [
        "moved",
        "unchanged",
    ]


def test_code_that_moved_is_named_by_its_first_line_and_not_by_its_language() -> None:
    code = "```ruby\nputs orders.first.total.to_s\nputs orders.last.total.to_s\n```\n"
    one, two = ("# A\n\nOne goes first here.\n", "# B\n\nTwo comes after that one.\n")
    diff = compare(f"{one}\n{code}\n{two}", f"{one}\n{two}\n{code}")
    assert [m.said for m in diff.moves] == ["puts orders.first.total.to_s"]


def test_a_fence_that_only_one_text_closes_is_said_and_costs_no_match() -> None:
    before = "# A\n\n```\ncode\n```\n\nOne.\n\nTwo.\n"
    diff = compare(before, before.replace("code\n```", "code"))
    assert diff.unclosed == 3
    assert (diff.added, diff.removed) == (0, 1)
    assert compare("```\na", "```\nb").unclosed is None


def test_lines_with_nothing_in_common_are_marked_whole() -> None:
    diff = compare("Contact the billing team by e-mail", "Every webhook has its own secret")
    assert [(line.paired, len(line.spans)) for line in diff] == [(False, 1), (False, 1)]


def test_a_block_finds_its_partner_far_down_a_new_text() -> None:
    new = [f"Section {n} speaks of things never said before {n}" for n in range(900)]
    new[700] = "We retry eight times over 24 hours."
    diff = compare("We retry five times over one hour.", "\n\n".join(new))
    assert [line.after_number for line in diff if line.paired] == [None, 1401]


def test_numbers_counts_and_folds() -> None:
    before = [f"* line {n}" for n in range(40)]
    after = [*before[:20], "* a new thing", *before[20:]]
    diff = compare("\n".join(before), "\n".join(after))
    assert (diff.added, diff.removed, diff.changes, len(diff)) == (1, 0, (20,), 41)
    assert [(h.start, h.stop, h.folded) for h in diff.hunks()] == [
        (0, 18, True),
        (18, 23, False),
        (23, 41, True),
    ]
    assert diff.hunks() is diff.hunks(), "a page is cut once"
    assert diff.sentence(0, 18) == "18 unchanged blocks"
    last = diff[-1]
    assert (last.kind, last.before_number, last.after_number) == ("same", 40, 41)
    assert (last.before_block, last.after_block, last.text) == (40, 41, "* line 39")
    with pytest.raises(IndexError, match="row 41"):
        diff[41]
    code = "```\n" + "\n".join(map(str, range(40))) + "\n```\n"
    diff = compare(code, code.replace("\n20\n", "\nx\n"))
    assert diff.sentence(0, 10) == "10 unchanged lines"


@pytest.mark.parametrize(
    ("before", "after", "added", "removed", "quiet"),
    [
        ("", "* a\nb\n", 1, 0, False),
        ("* a\n* b\n", "", 0, 2, False),
        ("", "", 0, 0, False),
        ("a\n", "a\n", 0, 0, False),
        ("a", "a\n", 0, 0, True),
        ("a\r\nb\r\n", "a\nb\n", 0, 0, True),
        ("\n\n\n", "\n", 0, 0, True),
        ("a\n\nb", "a\n\n\n\nb\n\n", 0, 0, True),
    ],
)
def test_what_readers_do_not_see_is_no_change(
    before: str, after: str, added: int, removed: int, quiet: bool
) -> None:
    diff = compare(before, after)
    assert (diff.added, diff.removed, diff.quiet) == (added, removed, quiet)


def test_the_words_of_a_long_row_are_compared_when_asked_for() -> None:
    page = " ".join(prose(5, 3000))
    diff = compare(page, page.replace("a", "b", 1))
    assert [line.compared for line in diff] == [False, False]
    assert [[span.kind for span in line.spans] for line in diff] == [["removed"], ["added"]]
    assert diff.words_wait(0)
    beside = compare(f"Same.\n\n{page}\n\nGone.\n", f"Same.\n\n{page}x\n\n")
    assert [beside.words_wait(row) for row in range(len(beside))].count(True) == 2
    diff.find_words(0)
    assert not diff.words_wait(1)
    assert [line.compared for line in diff] == [True, True]
    assert len(diff[0].spans) > 1


def prose(seed: int, lines: int) -> list[str]:
    chance = random.Random(seed)
    words = ["".join(chance.choices("abcdefghij", k=chance.randint(2, 9))) for _ in range(3000)]
    return [" ".join(chance.choices(words, k=12)) if n % 2 == 0 else "" for n in range(lines)]


def read(diff: TextDiff) -> None:
    """Read what a screen does: the first rows, and those at the first changes."""
    for start in (0, *diff.changes[:3]):
        diff[start : start + 50]
    diff.hunks()


def test_small_edits_in_a_long_page() -> None:
    page = prose(2, 9_000)
    edited = list(page)
    for place in range(0, len(edited), 300):
        edited[place] += " and more"
    diff = compare("\n".join(page), "\n".join(edited))
    read(diff)
    assert diff.added == diff.removed == 30


@pytest.mark.long
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\n".join(prose(3, 2_000)), "\n".join(prose(4, 2_000))),
        ("x\n" + "a\n" * 25_000 + "y", "z\n" + "a\n" * 30_000 + "w"),
        (" ".join(prose(6, 2_000)), " ".join(prose(7, 2_000))),
        ("a b " * 20_000, "b b a " * 14_000),
        ("x" * 1_000_000, "x" * 999_999 + "y"),
        (("long " * 10_000 + "one\n\n") * 5, ("long " * 10_000 + "two\n\n") * 5),
        ("\n" * 80_000, "\n" * 79_000),
        ("* a\n" * 3_000, "* b\n" * 3_000),
        ("a\n\n" * 5_000, "b\n\n" + "a\n\n" * 4_900 + "c"),
        ("|a|b|\n|-|-|\n" + "|a|b|\n" * 4_000, "|a|b|\n|-|-|\n" + "|a|c|\n" * 4_000),
        ("\\*a " * 15_000, "*a " * 15_000),
    ],
    ids=[
        "all-other", "repeated", "long-other", "long-repeated", "one-word", "many-long", "blank",
        "items", "paragraphs", "cells", "escapes",
    ],
)  # fmt: skip
def test_the_worst_cases_come_to_an_end(before: str, after: str) -> None:
    # Compared in more than linear time, each would outlast what a test has.
    diff = compare(before, after)
    read(diff)
    for start in diff.changes[:3]:
        diff.find_words(start)
    assert apply(diff, before) == after

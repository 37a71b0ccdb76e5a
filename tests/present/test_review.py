"""What a review draws, as values: rows of a diff, messages, changed pages, rules."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from copydesk.contract.models.change_request import Changes, Conflict
from copydesk.contract.models.comment import Comment
from copydesk.contract.models.content import PageTree
from copydesk.domain.blocks import anchor_of_quote
from copydesk.domain.merge_rules import Outcome, RuleResult
from copydesk.domain.page_text import page_text
from copydesk.domain.page_tree import PageNode, flatten
from copydesk.present import diff, markdown, review
from copydesk.present import page_changes as changed
from copydesk.present import threads as comment
from copydesk.present.merge import guesses
from copydesk.session import glyphs
from copydesk.session.page_changes import ReviewChange, changed_pages, changed_things

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def plain(lines: list[list[tuple[str, str]]]) -> list[str]:
    return ["".join(text for text, _ in line).rstrip() for line in lines]


def drawn(before: str, after: str, width: int = 60) -> list[str]:
    page = page_text(before, after)
    return [
        line for at in range(len(page.diff)) for line in plain(diff.draw_line(page.diff[at], width))
    ]


# Lines


def test_changed_words_are_marked_without_colour() -> None:
    assert drawn("We retry five times.\n", "We retry eight times.\n") == [
        "   1     - We retry [-five-] times.",
        "       1 + We retry {+eight+} times.",
    ]


def test_lines_have_their_old_and_new_numbers_and_none_is_cut() -> None:
    before = "```\n" + "".join(f"line {n}\n" for n in range(2, 1_203)) + "```\n"
    page = page_text(before, "first\n" + before.replace("line 1201\n", "row 1201\n"))

    def leads(width: int) -> list[str]:
        gutter = diff.gutter_of(page, width)
        lines = [
            line
            for at in (0, 1, 1_201, 1_202, 1_203)
            for line in plain(diff.draw_line(page.diff[at], width, gutter=gutter))
        ]
        assert all(line[gutter.cells - 1] == " " for line in lines)
        return [line[: gutter.cells - 1] for line in lines]

    assert leads(60) == [
        "         1 +",
        "    1    2  ",
        " 1201      -",
        "      1202 +",
        " 1202 1203  ",
    ]
    assert leads(40) == ["    1 +", "    2  ", " 1201 -", " 1202 +", " 1203  "]
    assert not diff.gutter_of(page_text("", "new\n"), 80).both


def test_marks_stand_on_whole_words_and_close_ones_are_one() -> None:
    was = "See the page that [Calyptia, Inc.](https://calyptia.com/en/about) has for you all.\n"
    now = "See the page that [Chronosphere](https://chronosphere.io/en/about) has for you all.\n"
    before, after = drawn(was, now, width=140)
    assert "://[-calyptia.com-]/en/about" in before
    assert "://{+chronosphere.io+}/en/about" in after
    assert before.count("[-") == after.count("{+") == 2
    assert drawn("この設定を開くことができます。\n", "この設定を閉じることができます。\n")[
        1
    ].endswith("この設定を{+閉じる+}ことができます。")
    _, after = drawn("สระและวรรณยุกต์ที่อยู่\n", "สระและวรรณยุกต์ทั้งหมดที่อยู่\n")
    assert after.endswith("สระและวรรณยุกต์{+ทั้งหมด+}ที่อยู่")
    before, after = drawn("ab internationally cd\n", "ab straightforward cd\n")
    assert "[-ab internationally cd-]" in before
    assert "{+ab straightforward cd+}" in after


def test_long_lines_wrap_and_keep_their_sign() -> None:
    lines = drawn("", "After the last attempt the event goes to the queue.\n", width=40)
    assert lines == [
        "       1 + After the last attempt the",
        "         + event goes to the queue.",
    ]


def test_wrapping_keeps_every_character() -> None:
    parts = [("ab cd ", ""), ("  efg", "good"), ("h" * 30, "bad"), ("日本語のテキスト", "")]
    for width in (8, 9, 13, 80):
        lines = markdown.wrap_exact(parts, width)
        assert "".join(text for line in lines for text, _ in line) == "".join(t for t, _ in parts)
        assert all(len("".join(text for text, _ in line)) <= width for line in lines)


def test_a_mark_stands_at_the_right_end_of_the_first_line() -> None:
    page = page_text("", "word " * 20)
    lines = plain(diff.draw_line(page.diff[0], 40, mark="[2]"))
    assert lines[0].endswith("[2]")
    assert len(lines[0]) == 39
    assert not any(line.endswith("[2]") for line in lines[1:])


def test_a_line_without_end_is_cut_and_counted() -> None:
    page = page_text("", "x" * 30_000)
    lines = plain(diff.draw_line(page.diff[0], 110))
    assert "10,000 characters more" in lines[-1]


def test_unchanged_lines_are_folded_except_where_threads_are() -> None:
    before = "".join(f"* line {n}\n" for n in range(40))
    page = page_text(before, before.replace("line 20\n", "row 20\n"))
    shown = diff.rows(page, all_lines=False)
    assert [row.kind for row in shown if row.kind != "line"] == ["fold", "fold"]
    assert (shown[0].at, shown[0].stop) == (0, 18)
    assert page.diff.sentence(0, 18) == "18 unchanged blocks"
    kept = diff.rows(page, keep=[5], all_lines=False)
    assert [row.at for row in kept if row.kind == "line"][:3] == [4, 5, 6]
    assert next(row for row in kept if row.kind == "fold") == ("fold", 0, 4)
    opened = diff.rows(page, unfolded=[0], all_lines=False)
    assert opened[0].kind == "line"
    assert all(row.kind == "line" for row in diff.rows(page, all_lines=True))


def test_anchors_find_their_row_as_it_is_or_as_it_was() -> None:
    page = page_text("* a\n* old words stay\n* gone\n", "* a\n* new words stay\n")
    edited = page.anchor(1)
    assert edited == page.anchor(2)
    assert edited is not None
    assert page.find(edited) == 2
    wrapped = page_text("", "# A\n\nOne line\nand another.\n")
    assert wrapped.find(anchor_of_quote(wrapped.after, "and another")) == 2
    assert wrapped.find(wrapped.anchor(2) or "") == 2
    assert wrapped.line_text(2) == "One line and another."
    removed = page.anchor(3)
    assert removed is not None
    assert page.find(removed) == 3
    assert page.find("b7") is None


def test_what_is_not_drawn_cannot_hide_a_change() -> None:
    assert drawn("", "\x1b[31mred\u202e\tblue\n") == ["       1 + <U+001B>[31mred<U+202E>    blue"]
    assert drawn("Access (admin) only.\n", "Access (\u202eadmin) only.\n")[1].endswith(
        "+ Access ({+<U+202E>+}admin) only."
    )
    hidden = ["hel\u200blo", "a \u2764", "k", "<U+200B>", "x\u2028y", "\tcode", "e\u0301"]
    for was, now, note in (
        ("hello", hidden[0], "Invisible characters changed on line 3."),
        (hidden[1], hidden[1] + "\ufe0f", "Invisible characters changed on line 3."),
        ("k", "k\x07", "Invisible characters changed on line 3."),
        ("\u200b", "<U+200B>", "Invisible characters changed on line 3."),
        ("x y", hidden[4], "Invisible characters changed on line 3."),
        ("```\n    code\n```", "```\n\tcode\n```", "The words are the same."),
        ("a" + "\u0301\u0302" * 4, "a" + "\u0301\u0302" * 3, "Invisible"),
        ("\u30ac", "\u30ab\u3099", "The letters are the same."),
        ("one\ntwo\n", "one\r\ntwo\r\n", "All line ends changed: they were those of Unix"),
    ):
        page = page_text(f"# A\n\n{was}\n", f"# A\n\n{now}\n")
        assert page.notes[0].startswith(note), (was, now)
    picture = page_text("a", "a\n\n* \u2764\ufe0f \U0001f468\u200d\U0001f469\n")
    assert not picture.notes
    assert "<U+" not in picture.now


def test_an_anchor_finds_its_line_with_and_without_what_is_not_drawn() -> None:
    page = page_text("", "The page\u200b of all.\n")
    assert page.find(anchor_of_quote("The page of all.", "page")) == 0
    assert page.anchor(0) == anchor_of_quote("The page of all.", "page")


def test_marks_stay_beside_their_word_where_a_row_wraps() -> None:
    rng = "この家族は長い間ここに住んでいる。"
    page = page_text(f"{rng * 3}\n", f"{rng.replace('家族', '友人') * 3}\n")
    for width in range(24, 60):
        for line in page.diff:
            for part in plain(diff.draw_line(line, width)):
                said = part.strip()
                assert not said.endswith(("[-", "{+", "[", "{")), said
                assert not said.startswith(("-]", "+}", "]", "}")), said


def test_the_mark_of_a_thread_moves_no_column() -> None:
    page = page_text("One two three.\n", "One two four.\n")
    bare, marked = (
        plain(diff.draw_beside(page.diff[0], page.diff[1], 110, mark=mark)) for mark in ("", "[3]")
    )
    assert marked[0].endswith(" [3]")
    assert marked[0].startswith(bare[0])
    assert len(marked[0]) <= 110


# Messages


def message(text: str, **fields: object) -> Comment:
    return Comment.model_validate(
        {
            "id": "c1",
            "postedAt": NOW,
            "postedBy": {"object": "user", "id": "u1", "displayName": "Ana\x1b[2J"},
            "body": {"markdown": text},
            **fields,
        }
    )


def test_a_message_says_who_when_and_what() -> None:
    lines = plain(comment.draw_message(message("Is it **24** hours?"), 40, NOW, label="[2]"))
    assert lines == [" [2] Ana  now", "     Is it 24 hours?"]


def test_a_suggestion_in_a_reply_is_drawn_as_one_and_cannot_be_applied() -> None:
    said = message("Or so:\n\n```suggestion\nAfter eight.\n```")
    lines = plain(comment.draw_message(said, 60, NOW, reply=True))
    assert [line.strip() for line in lines[1:]] == [
        "Or so:", "suggests", "+ After eight.",
        "does not fit: In a reply: edit the page by hand.",
    ]  # fmt: skip


def test_reactions_are_counted_and_code_points_read() -> None:
    user = {"object": "user", "id": "u1", "displayName": "Ana"}
    reactions = [{"emoji": "1f44d", "count": 2, "users": [{"user": user}]}, {"emoji": " "}]
    lines = plain(comment.draw_message(message("Yes", reactions=reactions), 40, NOW))
    assert lines[-1].strip() == "👍 2 Ana, 1 more"


def test_reactions_have_an_ascii_form() -> None:
    glyphs.use("ascii")
    try:
        assert comment.emoji_text("👍") == ":thumbs up:"
    finally:
        glyphs.use("unicode")


def test_threads_are_numbered_and_walked_in_reading_order() -> None:
    def on(key: str, minute: int, page: str | None, node: str | None = None) -> Comment:
        return Comment.model_validate(
            {
                "id": key,
                "postedAt": NOW.replace(minute=minute),
                "target": {
                    "page": page and {"id": page},
                    "node": node and {"id": node},
                },
            }
        )

    threads = comment.Threads()
    threads.take([on("late", 3, "p2"), on("line", 2, "p1", "line:x:0:q"), on("first", 1, "p1")])
    threads.put(on("whole", 0, None))
    threads.put(on("block", 4, "p1", "a block of the service"))
    threads.renumber(["p1", "p2"], lambda thread: 7)
    numbered = [(thread.number, thread.id) for thread in threads]
    order = ["whole", "first", "block", "line", "late"]
    assert numbered == list(enumerate(order, 1))
    walked = threads.walk(["p1", "p2"], lambda thread: 7)
    assert [thread.id for thread in walked] == order
    shown = comment.page_groups(threads.on_page("p1"), None)
    assert [thread.id for group in shown for thread in group.threads] == order[1:4]
    threads.take([on("line", 2, "p1", "line:x:0:q")])
    threads.put(on("new", 5, None))
    threads.renumber(["p1"], lambda thread: None)
    kept = [(thread.id, thread.number) for thread in threads]
    assert kept == [("new", 6), ("line", 4)], "a number that was told is no other thread's"


# Changed pages


def tree(*titles: str) -> tuple[PageNode, ...]:
    pages = [{"id": title, "title": title, "path": title.lower()} for title in titles]
    return flatten(PageTree.model_validate({"pages": pages}).pages)


def test_without_a_hint_the_trees_decide() -> None:
    found = changed_pages(tree("A", "B"), tree("A", "C"), None)
    assert {(c.id, c.kinds) for c in found} == {("B", ("deleted",)), ("C", ("added",))}


def test_with_a_hint_only_the_authors_changes_are_shown() -> None:
    hint = Changes.model_validate(
        {
            "changes": [
                {
                    "type": "page_edited",
                    "page": {"id": "A", "title": "A", "path": "a"},
                    "before": {"title": "Old", "path": "old"},
                    "after": {"title": "A", "path": "a"},
                    "textChanged": False,
                },
                {"type": "page_moved", "page": {"id": "A", "title": "A", "path": "a"}},
                {"type": "something_new", "page": {"id": "A"}},
                {"type": "file_created", "file": {"id": "f", "name": "x.png"}},
            ]
        }
    )
    found = changed_pages(tree("A", "Mains"), tree("A"), hint)
    assert [(c.id, c.kinds) for c in found] == [("A", ("renamed", "moved", "edited"))]
    files = changed_things(None, None, hint)
    assert [(c.id, c.kinds) for c in files] == [("file:f", ("added",))]


def test_removed_pages_stand_where_they_stood() -> None:
    before, after = tree("A", "B", "C"), tree("A", "C")
    roots = changed.entries(after, changed_pages(before, after, None), everything=True)
    assert [entry.id for entry in roots] == ["A", "B", "C"]
    assert [change.id for change in changed.in_order(roots)] == ["B"]


def test_a_page_deeper_than_python_goes_is_no_problem() -> None:
    nodes = [PageNode(f"p{n}", f"p{n}", parent=f"p{n - 1}" if n else None) for n in range(5_000)]
    added = ReviewChange("p4999", ("added",), None, nodes[-1])
    assert changed.in_order(changed.entries(nodes, [added])) == [added]


# Conflicts


@pytest.mark.parametrize("kind", ["edited", "moved", "a-kind-of-tomorrow"])
def test_conflicts_name_the_page_and_both_sides(kind: str) -> None:
    conflict = Conflict.model_validate(
        {
            "kind": kind,
            "page": {"id": "p", "title": "Retries\x1b[0m", "path": "retries"},
            "lines": [{"start": 3, "base": ["a"], "primary": ["b"], "change": ["c"]}],
        }
    )
    lines = [line.plain for line in review.conflict_lines([conflict])]
    assert "Retries" in lines[0]
    assert any("here" in line and line.endswith("c") for line in lines)
    assert any("main" in line and line.endswith("b") for line in lines)


def test_the_lines_of_a_conflict_stand_beside_their_side() -> None:
    lines = {"start": 3, "base": [], "primary": ["b " * 40], "change": ["c", "d"]}
    conflict = Conflict.model_validate(
        {"kind": "edited", "page": {"id": "p", "title": "Retries", "path": "r"}, "lines": [lines]}
    )
    facts = [(label, str(text)) for label, text in review.conflict_facts([conflict])][1:]
    assert facts == [
        ("line", "3"), ("before", "(nothing)"), ("here", "c"), (" ", "d"), ("main", "b " * 40)
    ]  # fmt: skip
    shown = [line.plain for line in review.conflict_lines([conflict])][-2:]
    assert shown[0].startswith("     main     b b")
    assert shown[1].startswith(" " * 14 + "b"), "a line that is wrapped goes on in its column"


def test_a_refusal_says_which_guess_was_wrong() -> None:
    def result(rule: str, outcome: Outcome, said: str = "said") -> RuleResult:
        return RuleResult(rule, outcome, said)

    subject, review_rule = "require_change_request_subject", "require_at_least_one_review"
    before = [result(subject, "pass"), result(review_rule, "unknown")]
    now = [result(subject, "fail", "needs a subject"), result(review_rule, "unknown")]
    (line,) = guesses(before, now)
    assert "subject: it seemed met; read again, needs a subject" in line.plain
    (line,) = guesses(before, before)
    assert "only the service can tell: at least one review." in line.plain
    (line,) = guesses(before[:1], before[:1])
    assert "the service checks all of them" in line.plain

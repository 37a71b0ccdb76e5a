"""Reviews as files: what is read of one, and how each mistake is told with its line."""

from __future__ import annotations

import pytest

from copydesk.domain.review_file import Entry, ReviewFile, read_review
from copydesk.domain.yaml_lines import FileError

WHOLE = """\
verdict: ask
text: Nearly.
comments:
  - text: On all of it.
  - {page: a, text: On the page}
  - {page: a, line: 13, text: On a line}
  - {page: a, quote: five, text: On its line}
  - {thread: t, text: A reply}
  - page: a
    line: 13
    last: 15
    suggestion: |
      After eight.
      Then wait.
  - {page: a, quote: five, suggestion: "", text: Out.}
"""


def test_a_review_is_read_with_the_line_of_each_comment() -> None:
    assert read_review(WHOLE) == ReviewFile(
        "changes-requested",
        "Nearly.",
        (
            Entry(4, "On all of it."),
            Entry(5, "On the page", "a"),
            Entry(6, "On a line", "a", 13),
            Entry(7, "On its line", "a", quote="five"),
            Entry(8, "A reply", thread="t"),
            Entry(9, "", "a", 13, last=15, suggestion=("After eight.", "Then wait.")),
            Entry(15, "Out.", "a", quote="five", suggestion=()),
        ),
    )


@pytest.mark.parametrize(
    ("text", "review"),
    [
        ("verdict: approve", ReviewFile("approved")),
        ("verdict: approve\ncomments:", ReviewFile("approved")),
        ("verdict: approve\ncomments: []\ntext: ''", ReviewFile("approved")),
        ('{"comments": [{"text": " 404 "}]}', ReviewFile(entries=(Entry(1, "404"),))),
        (
            'comments: [{page: a, line: 1, last: 1, suggestion: "a\\r\\nb\\rc"}]',
            ReviewFile(entries=(Entry(1, "", "a", 1, last=1, suggestion=("a", "b", "c")),)),
        ),
    ],
)
def test_what_is_left_out_is_not_there(text: str, review: ReviewFile) -> None:
    assert read_review(text) == review


FIELDS = "page, line, last, quote, thread, text"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("verdict: approved", "line 1: verdict is approve or ask"),
        ("verdict: [ask]", "line 1: verdict is a text"),
        ("\ntext: Fine.", "line 2: this is the text of a review: set verdict to approve or ask"),
        ("{}", "line 1: it has neither a verdict nor a comment"),
        ("comments: []", "line 1: it has neither a verdict nor a comment"),
        (
            "- a",
            "line 1: the file is made of fields: verdict, text or comments, each with a colon",
        ),
        (
            "comments:\n- a",
            f"line 2: a comment is made of fields: {FIELDS} or suggestion, each with a colon",
        ),
        ("comments: a", "line 1: comments is a list: each begins with a dash"),
        ("comments:\n- page: a", "line 2: a comment needs its text"),
        ("comments:\n- {text: A, texts: B}", f"line 2: there is no “texts” here, only {FIELDS} and "
         "suggestion"),
        ("comments:\n- {text: A, [b]: B}", f"line 2: there is no “” here, only {FIELDS} and "
         "suggestion"),
        ("verdict: ask\nverdict: ask", "line 2: verdict is here twice"),
        *(
            (f"comments:\n- {{page: a, text: A, line: {bad}}}",
             "line 2: line is the number of a line, from 1")
            for bad in ("0", "-1", "1.5", "one", "²", "٣", "9" * 5000)
        ),
        (
            "comments:\n- {page: a, line: 2, suggestion: B, last: x}",
            "line 2: last is the number of a line, from 1",
        ),
        *(
            (f"comments:\n- {{page: a, text: A, {more}}}",
             "line 2: last is the last line of a suggestion, from its line on")
            for more in ("line: 2, last: 3", "line: 3, last: 2, suggestion: B",
                         "quote: A, last: 2, suggestion: B")
        ),
        ("comments:\n- {page: a, suggestion: B}", "line 2: a suggestion is for a line of a page: "
         "name it by line or quote"),
        ("comments:\n- {text: A, line: 1}", "line 2: a line is one of a page: name the page"),
        ("comments:\n- {text: A, quote: b}", "line 2: a line is one of a page: name the page"),
        ("comments:\n- {page: a, text: A, line: 1, quote: b}", "line 2: line and quote both name "
         "a line: leave one out"),
        ("comments:\n- {page: a, text: A, thread: t}", "line 2: a reply is in its thread: leave "
         "out the page"),
        *(
            (f"comments:\n- {{page: a, line: 1, suggestion: {bad}, text: A}}",
             'line 2: suggestion is a text; "" deletes the lines')
            for bad in ("[a]", "", "~")
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_its_line(text: str, said: str) -> None:
    with pytest.raises(FileError) as refused:
        read_review(text)
    assert str(refused.value) == said


def test_every_mistake_is_told() -> None:
    with pytest.raises(FileError) as refused:
        read_review("verdict: no\ncomments:\n- {}\n- {text: A, line: 0}\nmore: B\n")
    assert [problem.line for problem in refused.value.problems] == [1, 3, 4, 5]

"""What a person wrote in a message, and nothing else of it."""

import pytest

from copydesk.domain.own_words import own_words


@pytest.mark.parametrize("body", ["", " ", "\n", "\n \t\n"])
def test_a_message_without_words_has_none(body: str) -> None:
    assert own_words(body) == ""


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("Hello there,\n\nIt   fails.\n", "It fails."),
        ("It fails.\n```\nERROR at 5\n```\nStill.", "It fails.\nStill."),
        ("```\nERROR at 5\n```", "ERROR at 5"),
        ("It fails.\n2026-03-02T09:00:00 ERROR x\n    at com.a.B (C.java:1)", "It fails."),
        ("It fails.\n\nKind regards\nKim", "It fails."),
        ("Thanks\n\nIt fails.", "Thanks\nIt fails."),
        (
            "<!-- Please\nfill in -->\n- [x] I searched\n<details>\nIt fails.\n</details>",
            "It fails.",
        ),
        ("It fails.\n<!-- no end", "It fails."),
        ("### What happened?\nIt fails.\n## Steps", "It fails."),
        ("# It fails\nSince #12 ## was merged", "# It fails\nSince #12 ## was merged"),
        ("- [ ] It fails.", "- [ ] It fails."),
        ("It fails <b>here</b>.", "It fails <b>here</b>."),
        ("It fails.\n> It works.\nOn Monday Kim wrote:\nOld words.", "It fails."),
        ("It fails.\n-----Original Message-----\nOld words.", "It fails."),
    ],
)
def test_greetings_logs_quotes_and_signatures_are_no_words_of_ones_own(
    body: str, said: str
) -> None:
    assert own_words(body) == said

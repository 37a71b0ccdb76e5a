"""What a finding says, as details and tables show it."""

from __future__ import annotations

import pytest

from copydesk.domain.documents import markdown_to_document
from copydesk.present.finding import told
from copydesk.server.queries.question import paragraphs


@pytest.mark.parametrize("said", ["The list a[0] of create_table *stops*", "# no heading", "1. no"])
def test_words_alone_stand_as_they_are(said: str) -> None:
    assert told(paragraphs([said, "More"])) == f"{said}\n\nMore"


def test_an_empty_paragraph_takes_no_lines() -> None:
    assert told(paragraphs(["Before", "", "After"])) == "Before\n\nAfter"


@pytest.mark.parametrize(
    "markdown", ["See [the page](https://example.org/a).", "It **stops**.", "* one\n* two", ""]
)
def test_what_has_links_marks_or_lists_is_markdown(markdown: str) -> None:
    assert told(markdown_to_document(markdown)) == markdown


def test_of_nothing_there_are_no_words() -> None:
    assert told(None) == ""

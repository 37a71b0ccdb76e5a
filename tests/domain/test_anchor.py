"""Anchors of threads: they go with their line, and remember it when it is gone."""

from __future__ import annotations

import pytest

from copydesk.domain.blocks import AnchoredLines, anchor, anchor_of_quote, is_anchor, quoted

LINES = ["# Retries", "", "We retry five times.", "- again", "- again", ""]


def test_a_line_is_found_wherever_it_went() -> None:
    node = anchor(LINES, 2)
    assert node is not None
    assert AnchoredLines(LINES).find(node) == 2
    half = ["Half a character: \ud83d", *LINES]
    assert AnchoredLines(half).find(anchor(half, 0) or "") == 0
    moved = ["New first line", *LINES[3:], "We  retry five times. "]
    assert AnchoredLines(moved).find(node) == 4


def test_equal_lines_are_told_apart_by_their_order() -> None:
    second = anchor(LINES, 4)
    assert second is not None
    assert AnchoredLines(LINES).find(second) == 4
    assert AnchoredLines(LINES[:4]).find(second) == 3


def test_an_anchor_without_a_number_is_that_of_the_first_line() -> None:
    node = anchor(LINES, 4)
    assert node is not None
    kind, digest, nth, said = node.split(":", 3)
    assert nth == "1"
    for odd in ("", "x", "-1", "²", "1" * 10):
        assert AnchoredLines(LINES).find(f"{kind}:{digest}:{odd}:{said}") == 3


def test_a_line_that_was_edited_is_gone_and_its_text_is_kept() -> None:
    node = anchor(LINES, 2)
    assert node is not None
    assert AnchoredLines(["We retry eight times."]).find(node) is None
    assert quoted(node) == "We retry five times."


def test_text_with_colons_is_quoted_whole() -> None:
    node = anchor(["note: see https://example.org:8080"], 0)
    assert node is not None
    assert quoted(node) == "note: see https://example.org:8080"


def test_blank_lines_have_no_anchor() -> None:
    assert anchor(LINES, 1) is None


def test_ids_of_the_service_are_no_anchors() -> None:
    assert not is_anchor("b3")
    assert quoted("b3") == ""
    assert AnchoredLines(LINES).find("b3") is None
    assert AnchoredLines(LINES).find("line:x:y:z") is None


def test_a_quote_finds_its_line() -> None:
    assert anchor_of_quote("a\nb c\n", "c") == anchor(["a", "b c"], 1)
    with pytest.raises(ValueError, match="no line says"):
        anchor_of_quote("a", "b")

"""The texts that reach a person keep to the words of `docs/words.md`."""

from __future__ import annotations

import re
from functools import cache

import pytest

from tests.strings import ROOT, Shown, shown_texts

PAGE = (ROOT / "docs" / "words.md").read_text()
ROWS = re.findall(r"^\| (.+?) \| (.+?) \|$", PAGE.partition("## Old words")[2], re.MULTILINE)[1:]
OLD = [(old, new) for olds, new in ROWS for old in olds.split(", ") if not olds.startswith("---")]

FIELD_OF_A_FILE = ("the verdict", "a verdict", "verdicts")
"""Words of which one is a name in the file of a review, which messages about that file use."""


@cache
def _texts() -> tuple[Shown, ...]:
    return tuple(shown_texts())


def _pattern(old: str) -> re.Pattern[str]:
    words = re.escape(old).replace("…", r"(?:\S+ ){0,2}\S+")
    if old.endswith("is no"):
        words += r"(?! (?:longer|more|such|one|way|other)\b)"
    return re.compile(rf"(?<![\w-]){words}(?![\w-])", re.IGNORECASE)


@pytest.mark.long
def test_texts_are_found() -> None:
    found = {each.text for each in _texts()}
    assert len(found) > 5000
    assert "Discard all that is staged. It asks, and ``u`` brings it back." in found  # help
    assert "No conversation selected." in found  # a message
    assert "no space has the name {}. There are: {}." in found  # one with fields


@pytest.mark.parametrize(("old", "new"), OLD)
def test_no_text_has_a_word_that_another_one_replaced(old: str, new: str) -> None:
    pattern = _pattern(old)
    found = [
        str(each)
        for each in _texts()
        if pattern.search(each.text)
        and not (old in FIELD_OF_A_FILE and each.path == "domain/review_file.py")
    ]
    assert found == [], f"{old!r} is now: {new}"

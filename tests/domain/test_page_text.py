"""What differs in characters that nobody sees."""

from __future__ import annotations

import pytest

from copydesk.domain.diff import compare
from copydesk.domain.page_text import unseen_changes
from copydesk.domain.text import exposed

ZERO = "\u200b"


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        ("One.\n\nTwo.\n", "One.\n\nTwo.\n", []),
        (f"One.\n\nTwo{ZERO}.\n", f"One.\n\nTwo{ZERO}.\n", []),
        ("One.\n\nTwo.\n", f"One.\n\nT{ZERO}wo.\n", [3]),
        (f"One{ZERO}.\n\nTwo.\n", "One.\n\nTwo.\n", [1]),
        ("One.\n", f"One.\n\nTh{ZERO}ree.\n", [3]),
        (f"On{ZERO}e.\n\nTwo.\n", "Two.\n", []),
    ],
)
def test_lines_with_other_unseen_characters_are_told(
    before: str, after: str, lines: list[int]
) -> None:
    diff = compare(exposed(before), exposed(after))
    assert unseen_changes(diff, before, after) == lines

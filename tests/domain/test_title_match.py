"""What choices are narrowed to by a few letters."""

from __future__ import annotations

import pytest

from copydesk.domain.title_match import rank

PALETTE = (
    "Merge run: Go to the merge run: what is planned, how far it is, where it stopped.",
    "Merge: Merge the selected change request into its space.",
    "Update: Take in what main has now; theme it as the merge does.",
    "Down: Emerge below.",
    "Go to Needs me",
    "Go to Merge run",
    "Filter: The main field of the list.",
    "Go to テ\u3099ータ ＡＰＩ",
)


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("merge", [0, 1, 5, 2, 3]),
        ("merge run", [0, 5]),
        ("run merge", [0, 5]),
        ("theme", [2]),
        ("emerge", [3]),
        ("tnm", [4]),
        ("mrge", [0, 1, 5]),
        ("needs", [4]),
        ("xyz", []),
        ("データ api", [7]),
        ("a\u0000b(", []),
    ],
)
def test_what_begins_with_it_comes_first_and_loose_letters_do_not_fit(
    typed: str, found: list[int]
) -> None:
    ranked = [
        (at, nth) for nth, title in enumerate(PALETTE) if (at := rank(typed, title)) is not None
    ]
    assert [nth for _, nth in sorted(ranked)] == found


def test_nothing_that_is_typed_leaves_all_as_they_are() -> None:
    assert {rank("  ", title) for title in PALETTE} == {0}

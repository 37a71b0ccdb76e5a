"""What breaks because of a change, and what was broken before."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.impact import Impact, Pointer, newly

LINKS = st.lists(st.sampled_from("abcd"), max_size=12)


@given(LINKS, LINKS)
def test_what_is_new_is_the_difference_of_both_counts(after: list[str], before: list[str]) -> None:
    found = newly(after, before)
    assert Counter(found) == Counter(after) - Counter(before)
    rest = iter(after)
    assert all(link in rest for link in found), "their order is that of the page"


def test_a_page_that_leads_to_two_changes_is_one_page() -> None:
    one = Pointer("changed", "page", "from", "From", "space", "Space", here=True)
    other = Pointer("moved", "page", "from", "From", "space", "Space", here=True)
    elsewhere = Pointer("moved", "page", "from", "From", "other", "Other", here=False)
    assert Impact([one, other, elsewhere], []).linking == 2

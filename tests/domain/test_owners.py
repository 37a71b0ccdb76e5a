"""Owners of pages by their paths."""

from __future__ import annotations

import pytest

from copydesk.domain.owners import Owned, rule_of


@pytest.mark.parametrize(
    ("pattern", "path", "matches"),
    [
        ("guides", "guides", True),
        ("guides", "guides/a/b", True),
        ("guides", "guidelines", False),
        ("/guides/", "guides/a", True),
        ("guides/*", "guides", False),
        ("guides/*", "guides/a/b", True),
        ("*/billing", "guides/billing", True),
        ("*/billing", "guides/a/billing", False),
        ("**/billing", "guides/a/billing", True),
        ("**/billing", "billing", True),
        ("**", "any/thing", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("a.c", "abc", False),
        ("[a]", "a", False),
    ],
)
def test_a_pattern_owns_what_it_names_and_all_below(pattern: str, path: str, matches: bool) -> None:
    assert (rule_of(path, [Owned(pattern, ("a",))]) is not None) is matches


def test_the_last_rule_that_matches_wins() -> None:
    rules = [Owned("**", ("a",)), Owned("guides", ("b",)), Owned("guides/x", ("c",))]
    found = [rule_of(path, rules) for path in ("other", "guides/y", "guides/x")]
    assert found == rules

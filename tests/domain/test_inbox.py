"""Which threads wait on a person, and why."""

from __future__ import annotations

import pytest

from copydesk.domain.inbox import Why, Word, why_waits


@pytest.mark.parametrize(
    ("starter", "author", "last", "named", "asked", "why"),
    [
        ("lee", "lee", "lee", True, True, "named"),
        ("me", "lee", "lee", False, True, "answered"),
        ("me", "me", "lee", False, False, "answered"),
        ("lee", "me", "lee", False, True, "yours"),
        ("lee", "lee", "lee", False, True, "asked"),
        ("lee", "lee", "lee", False, False, None),
        ("me", "me", "me", True, True, None),
    ],
)
def test_a_thread_waits_for_the_strongest_reason(
    starter: str, author: str, last: str, named: bool, asked: bool, why: Why | None
) -> None:
    word = Word(last)
    found = why_waits("me", starter=starter, author=author, last=word, named=named, asked=asked)
    assert found == why


def test_nothing_waits_on_nobody() -> None:
    assert why_waits("", starter="", author="", last=Word("lee"), named=True, asked=True) is None

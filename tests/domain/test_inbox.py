"""Which threads wait on a person, and why."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from copydesk.domain.inbox import Why, Word, last_word, waits_on, why_waits


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


def test_one_that_is_followed_waits_for_no_stronger_reason_and_after_others_spoke() -> None:
    def why(last: str, *, asked: bool = False) -> Why | None:
        return why_waits(
            "me", starter="lee", author="lee", last=Word(last), asked=asked, followed=True
        )

    assert (why("lee"), why("lee", asked=True), why("me")) == ("followed", "asked", None)


def test_nothing_waits_on_nobody() -> None:
    assert why_waits("", starter="", author="", last=Word("lee"), named=True, asked=True) is None


def at(by: str, day: int | None = None) -> Word:
    return Word(by, None if day is None else datetime(2026, 3, day, tzinfo=UTC))


@pytest.mark.parametrize(
    ("start", "replies", "last"),
    [
        (at("a", 1), [], "a"),
        (at("a", 9), [at("b", 2)], "b"),
        (at("a", 1), [at("b", 3), at("c", 2)], "b"),
        (at("a", 1), [at("b", 2), at("c", 3)], "c"),
        (at("a", 1), [at("b", 2), at("c", 2)], "c"),
        (at("a", 1), [at("b", 2), at("c")], "c"),
        (at("a", 1), [at("b"), at("c", 2)], "c"),
    ],
)
def test_the_last_word_is_that_of_the_latest_reply(
    start: Word, replies: list[Word], last: str
) -> None:
    assert last_word(start, replies).by == last


def test_a_thread_waits_on_who_began_it_or_is_asked_by_it() -> None:
    lee = Word("lee")
    assert waits_on("me", starter="me", author="", last=lee)
    assert waits_on("me", starter="lee", author="me", last=lee)
    assert not waits_on("me", starter="lee", author="lee", last=lee)
    assert not waits_on("me", starter="me", author="me", last=Word("me"))
    assert not waits_on("", starter="", author="", last=lee)

"""Where the keys of drafts say that their text belongs."""

from __future__ import annotations

import pytest

from copydesk.domain.access import Change, staged_text
from copydesk.session.draft_keys import (
    about_key,
    belonging,
    levels,
    new_request_key,
    review_key,
    source_key,
)


@pytest.mark.parametrize(
    ("key", "place", "words"),
    [
        (review_key("S", "C", "request"), "review", "comment on the change request"),
        (review_key("S", "C", "verdict approved"), "review", "approval"),
        (review_key("S", "C", "verdict changes-requested"), "review", "review asking for changes"),
        (review_key("S", "C", "reply T"), "review", "reply"),
        (review_key("S", "C", "edit M"), "review", "edit of a message"),
        (review_key("S", "C", "P/page"), "review", "comment on a page"),
        (review_key("S", "", "space"), "space-comments", "comment on the space"),
        (review_key("S", "", "reply T"), "space-comments", "reply"),
        (review_key("S", "", "P/page"), "space-comments", "comment on a page"),
        (review_key("S", "C", "P/N/with slash"), "review", "comment on a line"),
        ("structure X", "site-structure", "staged for a site"),
        (about_key("S", "C"), "changes", "description"),
        (new_request_key("S", None), "changes", "new change request"),
        ("request of cluster K", "clusters", "change request for a cluster"),
        ("site row S R", "site-structure", "row of a site's structure"),
    ],
)
def test_every_key_says_where_it_belongs(key: str, place: str, words: str) -> None:
    found = belonging(key)
    assert found is not None
    assert (found.place, found.words) == (place, words)


def test_staged_levels_are_told_line_by_line() -> None:
    staged = [
        Change("user", "u", "Lee\x07", "read", "edit"),
        Change("email", "new@example.org", "new@example.org", None, "read"),
    ]
    assert levels(staged_text(staged)).splitlines() == [
        "2 changes staged", "", "- Lee: edit, had read",
        "- new@example.org: read, invited as a guest first",
    ]  # fmt: skip
    assert levels("").strip() == "0 changes staged"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (
            "---\ntitle: Limits\nslug: limits\n---\n# Limits\n\n---\nA lot.\n",
            "# Limits\n\n---\nA lot.\n\n\n```\ntitle: Limits\nslug: limits\n```",
        ),
        ("# Limits\n", "# Limits\n"),
        ("\ufeff# Limits\n", "# Limits\n"),
        ("\ufeff---\ntitle: A -\n---\nB\n", "B\n\n\n```\ntitle: A -\n```"),
        ("---\ntitle: Limits\n---\n", "\n\n```\ntitle: Limits\n```"),
        ("", ""),
    ],
)
def test_an_edited_page_is_read_with_its_settings_below(text: str, read: str) -> None:
    found = belonging(source_key("S", "C", "P"))
    assert found is not None
    assert found.summary(text) == read


@pytest.mark.parametrize("key", ["", "a", "a/b", "a/b/c", "/b/request", "structure"])
def test_other_keys_belong_nowhere(key: str) -> None:
    assert belonging(key) is None


def test_a_thread_and_a_page_are_gone_to() -> None:
    reply, line = belonging("S/C/reply T"), belonging("S/C/P/N")
    assert reply is not None
    assert line is not None
    assert (reply.target.thread, reply.part) == ("T", "reply T")
    assert (line.target.page, line.part) == ("P", "P/N")

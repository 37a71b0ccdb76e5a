"""The URL form of titles."""

from __future__ import annotations

import pytest

from copydesk.domain.slug import NUMBERED, is_slug, named, slugify

LONG = "a" * 120


@pytest.mark.parametrize(
    ("heading", "parts"),
    [
        ("Wait?  { #in-a-hurry }", ("Wait?", "in-a-hurry")),
        ("Wait {#a .wide}", ("Wait", "a")),
        ("Wait {: .wide #a}", ("Wait", "a")),
        ("Wait {.wide}", ("Wait {.wide}", "")),
        ("Wait {.unnumbered .unlisted}", ("Wait", "")),
        ("Wait {-}", ("Wait", "")),
        ("Call {#each} twice", ("Call {#each} twice", "")),
        ("Wait", ("Wait", "")),
    ],
)
def test_an_anchor_is_no_part_of_the_words_of_a_heading(
    heading: str, parts: tuple[str, str]
) -> None:
    assert named(heading) == parts


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Rate limits", "rate-limits"), ("  --Über: 2.0!  ", "uber-2-0"), ("A_b/C", "a-b-c"),
        ("日本 ガイド", "日本-ガイド"), ("Й – Straße", "й-strasse"), ("हिन्दी", "हिन्दी"),
        ("🎉\u202e", "page"), ("", "page"), (LONG, "a" * 100),
    ],
)  # fmt: skip
def test_a_title_has_an_address(title: str, slug: str) -> None:
    assert slugify(title) == slug


@pytest.mark.parametrize(
    ("path", "title", "may_be"),
    [
        ("rate-limits", "Rate limits", True), ("rate-limits-2", "Rate limits", True),
        ("rate-limits-x", "Rate limits", False), ("rate-2", "Rate limits", False),
        ("limits", "Rate limits", False), ("2", "Rate limits", False), ("page-3", "", True),
        ("a" * NUMBERED + "-2", LONG, True), ("a" * 100 + "-2", LONG, False),
    ],
)  # fmt: skip
def test_a_path_may_be_made_from_a_title(path: str, title: str, may_be: bool) -> None:
    assert is_slug(path, title) is may_be

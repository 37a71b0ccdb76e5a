"""Passwords and tokens in addresses are left out where an address is kept."""

from __future__ import annotations

import pytest

from copydesk.domain.secret_values import lacks_password, without_password


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("https://bo:s3cret@git.example.org/docs", "https://***@git.example.org/docs"),
        ("https://ghp_12345@git.example.org/docs", "https://***@git.example.org/docs"),
        ("https://bo:s3@cret@git.example.org/docs", "https://***@git.example.org/docs"),
        ("ssh://git:s3cret@git.example.org/docs", "ssh://***@git.example.org/docs"),
        ("https://a.example/x?access_token=s3cret&b=1", "https://a.example/x?access_token=***&b=1"),
        ("https://bo@a.example/x?sig=s3cret#top", "https://***@a.example/x?sig=***#top"),
    ],
)
def test_what_signs_in_is_left_out_of_an_address(address: str, kept: str) -> None:
    assert without_password(address) == kept
    assert without_password(kept) == kept
    assert lacks_password(kept)
    assert not lacks_password(address)


@pytest.mark.parametrize(
    "text",
    [
        "ssh://git@git.example.org/docs",
        "git+ssh://git@git.example.org/docs",
        "https://git.example.org/docs?page=2&keyboard=us",
        "/srv/docs.git",
        "https://git.example.org?to=bo@example.org",
        "Sign in at https://bo:password@docs.example.org as the page says",
        "bo@example.org",
        "a *** in a title",
        "",
    ],
)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert without_password(text) == text
    assert not lacks_password(text)

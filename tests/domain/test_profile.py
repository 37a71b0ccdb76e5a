"""Profiles, and the keys of what is kept for them."""

from __future__ import annotations

import pytest

from copydesk.domain.profile import (
    DEFAULT,
    Profile,
    named_profile,
    service_address,
    service_of_key,
    wrong_name,
)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        (Profile(DEFAULT, "https://a.example").key, "https://a.example"),
        (Profile("work", "https://a.example").key, "work https://a.example"),
        ("desk:/home/me/desk.db", "desk:/home/me/desk.db"),
        ("other", "other"),
    ],
)
def test_a_key_reads_as_the_service_or_the_profile(key: str, said: str) -> None:
    assert service_of_key(key) == said


def test_the_address_in_a_key_is_that_of_its_profile_only() -> None:
    for name in (DEFAULT, "work"):
        assert service_address(name, Profile(name, "https://a.example").key) == "https://a.example"
    assert service_address("home", Profile("work", "https://a.example").key) == ""


@pytest.mark.parametrize("name", ["a", "9", "a.b_c-1", "x" * 40, "desks", DEFAULT])
def test_a_name_for_a_profile(name: str) -> None:
    assert wrong_name(name) == ""


@pytest.mark.parametrize("name", ["", "A", ".a", "a b", "x" * 41, "ä", "a\n"])
def test_what_is_no_name_for_a_profile(name: str) -> None:
    assert wrong_name(name) == (
        "a profile's name has up to 40 small letters, digits, dots, hyphens and underscores, "
        "and begins with a letter or a digit"
    )


def test_a_name_of_any_length_is_said_in_part() -> None:
    assert named_profile("x\x1b[1m" + "y" * 99) == f"profile x{'y' * 55}"


def test_no_profile_is_called_as_the_embedded_desk() -> None:
    assert wrong_name("desk") == "desk is your own desk: give the profile another name"

"""Profiles, and the keys of what is kept for them."""

from __future__ import annotations

import pytest

from copydesk.domain.profile import DEFAULT, Profile, service_of_key


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

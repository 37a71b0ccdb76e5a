"""People named in a text."""

from __future__ import annotations

import pytest

from copydesk.domain.mention import Named, names, names_somebody

ANA = Named("1", "Ana  Silva", "asilva@example.org")
COSTA = Named("2", "Ana Costa")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("@Ana Silva, look", True),
        ("See @ana", True),
        ("ask @ASilva!", True),
        ("@ana\nsilva", True),
        ("@Ana Costa, look", False),
        ("@Anastasia", False),
        ("@ana_b", False),
        ("mail ana@ana.example", False),
        ("`@ana` and ``@ana``", False),
        ("```\n@ana\n```\nno", False),
        ("a`x`@ana", True),
        ("Ana Silva", False),
        ("", False),
    ],
)
def test_who_is_named(text: str, named: bool) -> None:
    assert names(text, ANA, [ANA, COSTA]) is named


def test_a_name_may_be_broken_by_code_and_no_name_names_nobody() -> None:
    assert names("@Ana`x`", ANA)
    assert names("@Ana `x` Silva", Named("3", "Ana Silva"))
    assert not names("@ ", Named("1", "", ""))
    assert names("@Ana Costa", ANA), "no one else is called so"


def test_an_at_outside_of_code_may_name_somebody() -> None:
    assert names_somebody("hello @you")
    assert not names_somebody("`@you` me@you.example")

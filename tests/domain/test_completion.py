"""What is offered while somebody types a name or an emoji."""

from __future__ import annotations

import pytest

from copydesk.domain.completion import MOST, Begun, Offer, begun, emoji, people, signs
from copydesk.domain.mention import Named

KNOWN = [
    ("smile", "😄"), ("smiley", "😃"), ("cat with a smile", "😸"), ("grin", "😄"),
    ("family smile", "👨\u200d👩"),
]  # fmt: skip


def test_signs_that_begin_so_come_first_and_each_once() -> None:
    assert signs("smile", KNOWN) == [
        ("smile", "😄"), ("smiley", "😃"), ("family smile", "👨\u200d👩"),
        ("cat with a smile", "😸"),
    ]  # fmt: skip
    assert signs("smile", KNOWN, most=2) == [("smile", "😄"), ("smiley", "😃")]
    assert signs("none", KNOWN) == []


def test_an_offer_shows_the_sign_where_a_terminal_can_and_writes_it_always() -> None:
    first, *_, joined = emoji("smile", KNOWN[::2] + KNOWN[-1:])
    assert first == Offer("😄 smile", "😄 ")
    assert emoji("smile", KNOWN[:1], plain=True) == [Offer("smile", "😄 ")]
    assert joined.text != ""
    assert emoji("family", KNOWN) == [Offer("family smile", "👨\u200d👩 ")]


def test_people_by_any_word_of_their_name() -> None:
    known = [Named(str(nth), f"Ana {nth}") for nth in range(MOST)]
    found = people("an", [Named("x", "Lee Anders"), *known])
    assert found[0] == Offer("Ana 0", "@Ana 0 ")
    assert len(found) == MOST
    assert people("an", [Named("x", "Lee Anders")]) == [Offer("Lee Anders", "@Lee Anders ")]
    assert people("Lee Anders", [Named("x", "Lee Anders"), Named("y", "Lee Anders Oh")]) == []


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("Thanks @Ana S", Begun("person", "Ana S", 7)),
        ("@", Begun("person", "", 0)),
        ("me@example", None),
        ("`@ana", None),
        ("@ ana", None),
        ("@ana, and", None),
        (f"@{'x' * 40}", Begun("person", "x" * 40, 0)),
        (f"@{'x' * 41}", None),
        ("well :SMi", Begun("emoji", "smi", 5)),
        ("see: s", None),
        (":s", None),
        ("10:30", None),
        (f":{'x' * 41}", None),
        ("done", None),
    ],
)
def test_a_word_that_can_be_completed_ends_at_the_cursor(line: str, word: Begun | None) -> None:
    assert begun(line) == word

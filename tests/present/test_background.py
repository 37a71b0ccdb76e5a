"""What a terminal answers on its background: in time, late, in parts, among keys, never."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.present.background import HOLD_SECONDS, LIMIT_SECONDS, Background, is_light

LIGHT = "\x1b]11;rgb:ffff/ffff/ffff\x1b\\"


class Asked:
    """A terminal that was asked, at a time that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0
        self.told: list[tuple[bool, bool]] = []
        self.background = Background(lambda *told: self.told.append(told), lambda: self.now)

    def read(self, *parts: str) -> str:
        """Return the keys in what is read in these parts."""
        return "".join(map(self.background.take, parts))


@given(st.integers(0, len(LIGHT)), st.integers(0, len(LIGHT)))
def test_an_answer_in_parts_is_no_key(one: int, other: int) -> None:
    asked, text = Asked(), LIGHT
    first, second = sorted((one, other))
    assert asked.read("j", text[:first], text[first:second], text[second:], "k") == "jk"
    assert asked.told == [(True, True)]


def test_a_late_answer_is_no_key_and_says_that_it_is_late() -> None:
    asked = Asked()
    asked.now = LIMIT_SECONDS + 60
    assert asked.read("jk" + LIGHT + "\x1b[A" + "x") == "jk\x1b[Ax"
    assert asked.told == [(True, False)]


def test_without_an_answer_every_key_comes_through() -> None:
    asked = Asked()
    assert asked.read("j", "\x1b[A", "\x1b") == "j\x1b[A"
    assert asked.background.release() == "\x1b"
    asked.now = HOLD_SECONDS + 1
    assert asked.read("\x1b", "k") == "\x1bk"
    assert asked.background.release() == ""


def test_a_second_answer_is_no_key_either() -> None:
    assert Asked().read(LIGHT, "\x1b[?62;4c", LIGHT) == "\x1b[?62;4c"


@pytest.mark.parametrize(
    ("rgb", "light"),
    [
        ("ffff/ffff/ffff", True),
        ("fb/fa/f7", True),
        ("14/17/1c", False),
        ("0/0/0", False),
        ("fdfd/f6f6/e3e3/ffff", True),
        ("0000/0000/ffff", False),
        ("ffff/ffff", None),
        ("fffff/0/0", None),
        ("//", None),
    ],
)
def test_a_colour_is_light_or_dark_or_none(rgb: str, light: bool | None) -> None:
    assert is_light(rgb) is light


@pytest.mark.parametrize("answer", ["\x1b]11;?\x07", "\x1b]11;rgb:zz\x07", "\x1b]11;\x1b\\"])
def test_what_is_no_colour_is_no_key_either(answer: str) -> None:
    asked = Asked()
    assert asked.read(answer + "j") == "j"
    assert not asked.told


@given(st.integers(0, 20), st.integers(0, 20))
def test_a_change_of_colours_in_parts_is_no_key_however_late(one: int, other: int) -> None:
    asked, text = Asked(), "\x1b[?997;2nj\x1b[?997;1n"
    asked.now = LIMIT_SECONDS + 60
    first, second = sorted((one, other))
    parts = [part for part in (text[:first], text[first:second], text[second:]) if part]
    if any(part.endswith(("\x1b", "\x1b[", "\x1b[?")) for part in parts):
        return  # so short a beginning may be a key
    assert asked.read(*parts) == "j"
    assert asked.told == [(True, True), (False, True)]

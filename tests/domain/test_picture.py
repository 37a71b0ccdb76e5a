"""Pictures: which a text shows, which file an address names, and what the first bytes say."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from copydesk.domain.picture import (
    LARGEST,
    Shown,
    files_named,
    image_size,
    may_show,
    pictures_of,
    too_large,
)


def test_the_pictures_of_a_text_are_found_in_both_spellings() -> None:
    text = 'a ![one](x/a.png "T") <img alt=\'two\' src="b.gif"> ![](<c d.png>) ![no]() [l](d.png)'
    assert pictures_of(text) == [
        Shown("x/a.png", "one"), Shown("b.gif", "two"), Shown("c d.png", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('<img data-src="b.png" src="a.png" data-alt="No">', [Shown("a.png", "")]),
        ('<img src="a.png" data-src="b.png">', [Shown("a.png", "")]),
        ('<IMG ALT="A" SRC="a.png"/>', [Shown("a.png", "A")]),
        ("<img>", []),
        ("<image src='a.png'>", []),
        ("![a]()", []),
    ],
)
def test_the_address_of_a_picture_is_that_of_its_own_attribute(
    text: str, shown: list[Shown]
) -> None:
    assert pictures_of(text) == shown
    assert may_show(text) or not shown


@given(st.text("![]()<img src='alt=a\"> "))
def test_what_cannot_show_pictures_has_none(text: str) -> None:
    assert may_show(text) or pictures_of(text) == []


@pytest.mark.long
@pytest.mark.parametrize("unit", ["![](", "![](<", "<img ", "!["])
def test_hostile_texts_are_looked_through_in_little_time(unit: str) -> None:
    # In more than linear time this would outlast what a test has.
    assert [pictures_of(unit * 10_000) for _ in range(12)] == [[]] * 12


def test_a_hostile_text_is_looked_through_to_a_bound() -> None:
    assert pictures_of("![" * 1_000_000 + "![a](b.png)") == []


@pytest.mark.parametrize(
    ("address", "found"),
    [
        ("../images/one%20a.png", "1"),
        ("./two.png", "2"),
        ("images/deep/two.png", "3"),
        ("same.png", "45"),
        ("o.png", ""),
        ("../../etc/passwd", ""),
    ],
)
def test_a_file_is_the_one_whose_path_ends_so(address: str, found: str) -> None:
    paths = {"1": "images/one a.png", "2": "two.png", "3": "images/deep/two.png",
             "4": "a/same.png", "5": "b/same.png"}  # fmt: skip
    assert "".join(files_named(address, paths)) == found


@pytest.mark.parametrize("size", [(301, 77), (16_383, 1), (1, 16_383)])
@pytest.mark.parametrize("more", [{"quality": 5}, {"lossless": True}, {"exif": b"Exif\0\0x"}])
def test_the_size_of_a_webp_is_told_by_its_first_bytes(
    size: tuple[int, int], more: dict[str, Any]
) -> None:
    data = BytesIO()
    Image.new("RGB", size, "blue").save(data, "WEBP", **more)
    assert image_size(data.getvalue()[:40]) == size


@pytest.mark.parametrize("kind", ["PNG", "GIF", "JPEG"])
@pytest.mark.parametrize("size", [(65_000, 1), (1, 65_000)])
def test_a_picture_may_be_as_wide_or_as_high_as_its_kind_allows(
    size: tuple[int, int], kind: str
) -> None:
    data = BytesIO()
    Image.new("RGB", size, "blue").save(data, kind)
    assert image_size(data.getvalue()[:700]) == size


@pytest.mark.parametrize("kind", ["PNG", "GIF", "JPEG"])
@pytest.mark.parametrize("more", [{}, {"progressive": True, "exif": b"Exif\0\0" + bytes(70)}])
def test_the_size_of_a_picture_is_told_by_its_first_bytes(kind: str, more: dict[str, Any]) -> None:
    data = BytesIO()
    Image.new("RGB", (301, 77), "blue").save(data, kind, **more)
    head = data.getvalue()
    assert image_size(head) == (301, 77)
    found = {image_size(head[:length]) for length in range(len(head))}
    assert found == {None, (301, 77)}, "cut off anywhere it has this size or none"


@pytest.mark.parametrize("head", [b"", b"<svg", b"RIFF....WEBPVP9 ", b"\xff\xd8\xfe\xc0\0\4"])
def test_what_is_no_picture_has_no_size(head: bytes) -> None:
    assert image_size(head + bytes(40)) is None


def test_a_file_that_has_the_whole_address_comes_before_those_that_end_so() -> None:
    paths = {"1": "a/b.png", "2": "b.png"}
    assert files_named("b.png", paths) == ["2"]
    assert files_named("/../b.png", paths) == ["2"]
    assert files_named("a/./b.png", paths) == ["1"]


def test_a_picture_that_is_not_shown_is_told_with_its_size() -> None:
    assert too_large(LARGEST + 50_000) == "The picture has 8.1 MB: more than 8.0 MB are not shown."

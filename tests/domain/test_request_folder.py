"""The pages of a change request as files: how they are named, and the record beside them."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from copydesk.domain.page_tree import PageNode
from copydesk.domain.request_folder import (
    LONGEST_NAME,
    KeptPage,
    RequestFolder,
    digest,
    file_names,
    folder_of,
)

FOLDER = RequestFolder("desk", "s", "r", 7, "v", {"a.md": KeptPage("p", "d")}, {"p": "e"})
KEPT = {"version": 1, **asdict(FOLDER)}


def test_the_record_is_read_as_it_was_written() -> None:
    assert folder_of(FOLDER.to_text()) == FOLDER
    assert json.loads(FOLDER.to_text()) == KEPT
    assert FOLDER.to_text().endswith("}\n")
    assert '\n "number": 7,\n' in FOLDER.to_text()
    bare = RequestFolder("desk", "s", "r", 7, "v")
    assert folder_of(bare.to_text()) == bare


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"version": 2}, "it was written by another version"),
        ({"version": None}, "it was written by another version"),
        ({"pages": []}, "something is missing in it"),
        ({"pages": {"a.md": []}}, "something is missing in it"),
        ({"pages": {"a.md": {"id": "p"}}}, "something is missing in it"),
        ({"pages": {"a.md": {"id": "p", "digest": 1}}}, "something in it is not text"),
        ({"number": True}, "something is missing in it"),
        ({"number": "7"}, "something is missing in it"),
        ({"staged": ["p"]}, "something is missing in it"),
        ({"staged": {"p": None}}, "something in it is not text"),
        ({"desk": None}, "something in it is not text"),
        ({"space": 1}, "something in it is not text"),
        ({"request": []}, "something in it is not text"),
        ({"revision": {}}, "something in it is not text"),
        ({"more": 1}, "something is missing in it"),
    ],
)
def test_another_record_is_refused(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=f"^{said}$"):
        folder_of(json.dumps(KEPT | changes))


@pytest.mark.parametrize("name", ["desk", "space", "request", "number", "revision", "pages"])
def test_a_record_that_lacks_something_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"^something is missing in it$"):
        folder_of(json.dumps({key: value for key, value in KEPT.items() if key != name}))


def pages(*paths: str) -> list[PageNode]:
    return [PageNode(f"page{at}", "Title", path=path) for at, path in enumerate(paths)]


def named(at: int) -> str:
    return f"page-{digest(f'page{at}'.encode())[:16]}.md"


@pytest.mark.parametrize(
    "path",
    ["", ".git", "../a", "a/../b", "a//b", "/a", "a\\b", "a:b", 'a"b', "a\x07b", "a\x7f", "a|b",
     "con", "a/Nul.txt", "LPT1", "b" * (LONGEST_NAME + 1), "é" * (LONGEST_NAME // 2 + 1), "a\ud800",
     "a./b", "a /b"],
)  # fmt: skip
def test_an_address_that_is_no_name_on_every_system_is_not_used(path: str) -> None:
    assert file_names(pages("a", path)) == {"page0": "a.md", "page1": named(1)}


@pytest.mark.parametrize(
    "path", ["console", "a/b.c", "b-c d", "ü", "b" * LONGEST_NAME, "é" * (LONGEST_NAME // 2)]
)
def test_another_is_used_as_it_is(path: str) -> None:
    assert file_names(pages(path)) == {"page0": f"{path}.md"}


def test_the_name_of_another_page_or_folder_is_not_used() -> None:
    assert file_names(pages("a", "A", "a/b", "a.md/c")) == {
        "page0": "a.md", "page1": named(1), "page2": "a/b.md", "page3": named(3),
    }  # fmt: skip
    assert file_names(pages("A.md/c", "a")) == {"page0": "A.md/c.md", "page1": named(1)}
    assert file_names([PageNode("p", "Title", slug="b")]) == {"p": "b.md"}


@given(st.lists(st.text("aA.md/ b", max_size=8), max_size=8))
@example(["a.md/b", "a"])
def test_all_pages_can_be_written_side_by_side(paths: list[str]) -> None:
    names = file_names(pages(*paths))
    assert len({name.casefold() for name in names.values()}) == len(paths)
    with TemporaryDirectory() as folder:
        for name in names.values():
            path = Path(folder) / name.casefold()
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x"):
                pass

"""The manifest of an integration, in YAML and in JSON: its values, its lines, its mistakes."""

from __future__ import annotations

import json

import pytest

from copydesk.domain.integration_manifest import (
    ManifestText,
    files_named,
    is_name,
    is_path,
    read_manifest,
)
from copydesk.domain.json_text import where
from copydesk.domain.yaml_lines import FileError

YAML = """\
name: my-one
title: "12"
version: 12
weight: -1.5
organization: true
runtime:
script: ./src/index.ts
blocks:
  - id: one
    title: One
  - id: two
    open: false
"""


def problems(text: str, *, is_json: bool = False) -> list[tuple[int, str]]:
    """Return the lines and sentences of what is wrong with a manifest."""
    try:
        found = read_manifest(text, is_json=is_json).problems
    except FileError as error:
        found = tuple(error.problems)
    return [(each.line, each.sentence) for each in found]


def test_yaml_says_numbers_booleans_and_texts() -> None:
    manifest = read_manifest(YAML, is_json=False)
    assert manifest.value == {
        "name": "my-one",
        "title": "12",
        "version": 12,
        "weight": -1.5,
        "organization": True,
        "script": "./src/index.ts",
        "blocks": [{"id": "one", "title": "One"}, {"id": "two", "open": False}],
    }
    assert manifest.value["organization"] is True


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 1),
        (("blocks",), 8),
        (("blocks", 0), 9),
        (("blocks", 0, "title"), 10),
        (("blocks", 1, "open"), 12),
        (("blocks", 1, "missing"), 11),
        (("blocks", 7, "missing"), 8),
        (("missing",), 0),
        ((), 0),
    ],
)
def test_a_part_has_the_line_it_stands_on_or_that_of_what_it_would_be_in(
    path: tuple[str | int, ...], line: int
) -> None:
    assert read_manifest(YAML, is_json=False).line(path) == line


def test_json_says_the_same_with_lines_of_its_own() -> None:
    text = '\ufeff{"name": "a",\n "blocks": [\n{"id": 1,\n "to": {"x": [2]}}]}'
    manifest = read_manifest(text, is_json=True)
    assert manifest.value == {"name": "a", "blocks": [{"id": 1, "to": {"x": [2]}}]}
    assert manifest.lines == {
        ("name",): 1,
        ("blocks",): 2,
        ("blocks", 0): 3,
        ("blocks", 0, "id"): 3,
        ("blocks", 0, "to"): 4,
        ("blocks", 0, "to", "x"): 4,
        ("blocks", 0, "to", "x", 0): 4,
    }


NAMED = "it takes letters, digits, - _ and . only (and is not . or ..)"
EMPTY = "there is nothing here: fill it in, or leave it out"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (YAML, [(6, f"runtime: {EMPTY}")]),
        ("title: One\n", [(0, "name is missing: give the integration one")]),
        ("name:\ntitle: x\n", [(1, f"name: {EMPTY}")]),
        ("title: x\nname: my one\n", [(2, f"name: {NAMED}")]),
        ("name: 12\n", [(1, f"name: {NAMED}")]),
        ("- one\n", [(1, "a manifest begins with names, such as name: my-one")]),
        (
            "name: a\nname: b\nblocks:\n  - id: 1\n    id: 2\n",
            [(2, "name: written twice: keep one"), (5, "blocks[0].id: written twice: keep one")],
        ),
        ("name: a\n? [b]\n: c\n", [(2, "a name has to be one word or text")]),
    ],
)
def test_mistakes_in_yaml_are_told_with_line_and_name(
    text: str, told: list[tuple[int, str]]
) -> None:
    assert problems(text) == told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[]", [(1, "a manifest is an object with a name")]),
        (
            '{"name": "a",\n"name": "b",\n"x": {"y": 1, "y": 2}}',
            [(2, "name: written twice: keep one"), (3, "x.y: written twice: keep one")],
        ),
        ('{"name": null}', [(1, f"name: {EMPTY}")]),
        ('{"name": "a/b"}', [(1, f"name: {NAMED}")]),
        ("[" * 99, [(1, "column 65: not JSON: it is nested more than 64 deep")]),
    ],
)
def test_mistakes_in_json_are_told_with_line_and_name(
    text: str, told: list[tuple[int, str]]
) -> None:
    assert problems(text, is_json=True) == told


def test_broken_json_is_told_with_its_column() -> None:
    ((line, said),) = problems('{"name": "a",\n  oops}', is_json=True)
    assert line == 2
    assert said.startswith("column 3: not JSON: ")


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("false", False), ("True", "True"), ("+5", 5), ("-0", 0), ("012", "012"),
        ("1.5e3", 1500.0), ("1.", "1."), (".5", ".5"), ("1_000", "1_000"), ("'7'", "7"),
        ('""', ""), ("9" * 18, int("9" * 18)), ("9" * 19, "9" * 19),
    ],
)  # fmt: skip
def test_a_word_without_quotes_may_be_a_number(word: str, value: object) -> None:
    said = read_manifest(f"name: a\nx: {word}\n", is_json=False).value["x"]
    assert (said, type(said)) == (value, type(value))


@pytest.mark.parametrize(
    ("name", "fits"),
    [("my-one_2.x", True), ("", False), (".", False), ("..", False), ("...", True), (7, False),
     ("a b", False), ("a\n", False)],
)  # fmt: skip
def test_names_of_integrations(name: object, fits: bool) -> None:
    assert is_name(name) is fits


@pytest.mark.parametrize(
    ("field", "text", "path"),
    [
        ("script", "dist/index.js", True), ("script", "", False), ("script", "x=1", False),
        ("script", "run()", False), ("icon", "./icon", True), ("icon", "../icon", True),
        ("icon", "assets/Icon.PNG", True), ("icon", "iVBORw0KGgo", False), ("icon", "a.svg", True),
    ],
)  # fmt: skip
def test_what_names_a_file_and_what_is_its_content(field: str, text: str, path: bool) -> None:
    assert is_path(field, text) is path


def test_the_files_of_a_manifest() -> None:
    named = {
        "script": "a.js",
        "icon": "./i",
        "summary": "./no.png",
        "previewImages": ["iVBORw0KGgo", 5, "b.png"],
    }
    assert list(files_named(named)) == [
        (("script",), "a.js"),
        (("icon",), "./i"),
        (("previewImages", 2), "b.png"),
    ]
    assert list(files_named({"script": 5, "icon": "iVBO", "previewImages": "b.png"})) == []


def test_the_place_of_a_part_in_words() -> None:
    assert where(("blocks", 0, "title")) == "blocks[0].title"
    assert where(()) == ""
    assert where((3,)) == "[3]"
    assert where(("x" * 100,)) == "x" * 59 + "…"
    assert where(("a\x1b[1m",)) == "a"


def test_a_problem_of_the_whole_has_no_name() -> None:
    manifest = ManifestText({}, {("a",): 3})
    assert manifest.problem((), "it is wrong") == manifest.problem((), "it is wrong")
    assert (manifest.problem((), "it is wrong").sentence) == "it is wrong"
    assert manifest.problem(("a", "b"), "it is wrong").line == 3
    assert manifest.problem(("a", "b"), "it is wrong").sentence == "a.b: it is wrong"


def test_no_mistake_tells_a_secret() -> None:
    secret = "hunter2"
    text = json.dumps({"name": secret + " ", "secret": None, "x": secret})
    assert secret not in repr(problems(text, is_json=True))

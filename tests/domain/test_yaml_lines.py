"""YAML with the line of everything, and texts as they are written into it."""

from __future__ import annotations

import pytest

from copydesk.domain.yaml_lines import (
    DEEPEST,
    LONGEST,
    Fields,
    FileError,
    Items,
    Node,
    Problem,
    Word,
    read,
    word,
    writable,
)


def plain(node: Node) -> object:
    """Return a node with its lines, as plain data."""
    if isinstance(node, Word):
        return (node.line, node.text, node.plain, node.empty)
    if isinstance(node, Items):
        return (node.line, [plain(each) for each in node.items])
    return (node.line, [(plain(name), plain(value)) for name, value in node.pairs])


def test_everything_has_the_line_on_which_it_begins() -> None:
    found = read(
        "\ufeffa: 1\nb:\n  - x\n  - 'y'\n  - [z, {q: }]\nc: |\n  one\n  two\n\nd: >\n  e\n"
    )
    assert plain(found) == (
        1,
        [
            ((1, "a", True, False), (1, "1", True, False)),
            (
                (2, "b", True, False),
                (
                    3,
                    [
                        (3, "x", True, False),
                        (4, "y", False, False),
                        (
                            5,
                            [
                                (5, "z", True, False),
                                (5, [((5, "q", True, False), (5, "", True, True))]),
                            ],
                        ),
                    ],
                ),
            ),
            ((6, "c", True, False), (6, "one\ntwo", False, False)),
            ((10, "d", True, False), (10, "e", False, False)),
        ],
    )
    assert isinstance(found, Fields)


@pytest.mark.parametrize(
    ("text", "is_plain", "empty"),
    [("~", True, True), ("null", True, True), ("NULL", True, True), ("~", False, False),
     ("", True, True), ("", False, True), ("none", True, False)],
)  # fmt: skip
def test_what_stands_for_nothing(text: str, is_plain: bool, empty: bool) -> None:
    assert Word(1, text, plain=is_plain).empty is empty


def test_nothing_is_an_empty_word() -> None:
    assert read("") == read("# only this\n") == Word(1, "")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("a: [\n", 2, "this is not YAML: "),
        ("a: b: c\n", 1, "this is not YAML: mapping values are not allowed in this context"),
        ("a: 1\nb: \x07\n", 2, "this is not YAML: control characters are not allowed"),
        ("a: *x\n", 1, "this is not YAML: "),
        ("a: &x 1\nb: *x\n", 2, "*names of other parts are not read here"),
        ("a: 1\n---\nb: 2\n", 2, "a second document begins; the file holds one"),
        ("a: !!str 1\n", 1, "!tags are not read here"),
        ("a: !x [1]\n", 1, "!tags are not read here"),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), 1, "this is more than 60 levels deep"),
    ],
)
def test_what_is_not_read_is_told_with_its_line(text: str, line: int, said: str) -> None:
    with pytest.raises(FileError) as raised:
        read(text)
    (problem,) = raised.value.problems
    if "*x" not in text or "&x" in text:
        assert problem.sentence.startswith(said)
        assert problem.line == line


def test_as_deep_and_as_long_as_may_be_is_read() -> None:
    assert isinstance(read("[" * DEEPEST + "]" * DEEPEST), Items)
    with pytest.raises(FileError) as refused:
        read("x" * (LONGEST + 1))
    assert list(refused.value.problems) == [Problem(0, "it is longer than 16 MB")]


def test_problems_are_told_in_the_order_of_their_lines() -> None:
    error = FileError([Problem(3, "c"), Problem(0, "a"), Problem(1, "b"), Problem(3, "d")])
    assert str(error) == "a\nline 1: b\nline 3: c\nline 3: d"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("Guides", "Guides"), ("a b/c (d) & e's", "a b/c (d) & e's"), ("", "''"), ("yes", "'yes'"),
        ("No", "'No'"), ("null", "'null'"), ("404", "'404'"), ("1.5", "'1.5'"),
        ("2026-01-01", "'2026-01-01'"),
        ("0x1f", "'0x1f'"), ("1_000", "'1_000'"), ("12:30", "'12:30'"), ("4 you", "4 you"),
        ("a: b", "'a: b'"), ("- a", "'- a'"), ("#a", "'#a'"), ("a #b", "'a #b'"), ("_a", "'_a'"),
        ("a,", "'a,'"), ("it's: x", '"it\'s: x"'), ("'a", '"\'a"'), ('say "x"', 'say "x"'),
        ('"x" y', "'\"x\" y'"),
        ("a\nb", '"a\\nb"'), ("a\tb", '"a\\tb"'), ("a\\b", '"a\\\\b"'), ("\x07", '"\\x07"'),
        ("ü", "ü"),
        ("a\xa0b", '"a\\xA0b"'), ("a\u200bb", '"a\\u200Bb"'), ("\ufeff", '"\\uFEFF"'),
        ("\U000e0041", '"\\U000E0041"'), ("\ud800", "'\ufffd'"), (" a", "' a'"), ("a ", "'a '"),
        ("日本", "日本"), ("\U0001f600", "'\U0001f600'"),
    ],
)  # fmt: skip
def test_a_text_is_quoted_only_where_it_has_to_be(text: str, written: str) -> None:
    assert word(text) == written
    value = read(f"a: {written}")
    assert isinstance(value, Fields)
    said = value.pairs[0][1]
    assert isinstance(said, Word)
    assert said.text == writable(text)

"""JSON that a person typed: where its parts stand, and what is wrong with it."""

from __future__ import annotations

import pytest

from copydesk.domain.json_text import DEEPEST, LONGEST, JsonTextError, place_of, read_json

TEXT = '{"a": 1,\n "b": [true, {"c": "x"}],\n "a": {"d": null}}'


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ((), (1, 1)), (("b",), (2, 2)), (("b", 0), (2, 8)), (("b", 1), (2, 14)),
        (("b", 1, "c"), (2, 15)), (("b", 7), (2, 2)), (("b", 1, "z"), (2, 14)),
        (("a",), (3, 2)), (("a", "d"), (3, 8)), (("z", "y"), (1, 1)),
    ],
)  # fmt: skip
def test_each_part_has_its_place(path: tuple[str | int, ...], place: tuple[int, int]) -> None:
    assert read_json(TEXT).where(path) == place


def test_what_stands_twice_is_told_and_the_last_counts() -> None:
    found = read_json(TEXT)
    assert found.value == {"a": {"d": None}, "b": [True, {"c": "x"}]}
    assert found.twice == ((("a",), TEXT.rindex('"a"')),)
    assert found.text == TEXT
    inner = read_json('[{"k": 1, "\\u006b": 2}, {"k": 3}]')
    assert [path for path, _ in inner.twice] == [(0, "k")]
    assert read_json('{"a": {"b": 1}, "c": {"b": 2}}').twice == ()


@pytest.mark.parametrize(
    ("text", "said", "place"),
    [
        ("", "a value is missing", (1, 1)),
        ('{"a": }', "a value is missing", (1, 7)),
        ("{a: 1}", "a name in double quotes is missing (or a comma before it is one too many)",
         (1, 2)),
        ('{"a" 1}', "a colon is missing", (1, 6)),
        ('{"a": 1\n"b": 2}', "a comma is missing", (2, 1)),
        ("[1] x", "there is more after the end", (1, 5)),
        ('["a', "this text has no closing quote", (1, 2)),
        ('["a\tb"]', "a line end or a tab in a text has to be written as \\n or \\t", (1, 4)),
        ('["\\x"]', "invalid \\escape", (1, 3)),
        ('[1, NaN]', "NaN is not a JSON value", (1, 5)),
        ("[\n-Infinity]", "-Infinity is not a JSON value", (2, 1)),
        (f"[{'9' * 5000}]", "a number too long is not a JSON value", (1, 1)),
        ('["\\ud83d"]', "\\ud83d: incomplete character, its other half is missing", (1, 3)),
        ("[" * (DEEPEST + 1), f"it is nested more than {DEEPEST} deep", (1, DEEPEST + 1)),
        (" " * (LONGEST + 1), "it is longer than 1,000,000 characters", (1, 1)),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_in_words_with_its_place(
    text: str, said: str, place: tuple[int, int]
) -> None:
    with pytest.raises(JsonTextError) as error:
        read_json(text)
    assert (str(error.value), error.value.line, error.value.column) == (said, *place)


def test_as_long_and_as_deep_as_may_be_is_read() -> None:
    assert read_json(" " * (LONGEST - 1) + "1").value == 1
    deep = read_json("[" * DEEPEST + "]" * DEEPEST)
    assert deep.where((0,) * (DEEPEST - 1)) == (1, DEEPEST)
    assert read_json('["\\ud83d\\ude00"]').value == ["\U0001f600"]


def test_the_place_of_a_character() -> None:
    assert [place_of("ab\n\nc", at) for at in range(5)] == [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1)]

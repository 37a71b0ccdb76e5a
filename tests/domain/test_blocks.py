import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from copydesk.domain.blocks import BlockText, cells

PIECES = ["a b", "# h", "* i", "  * j", "1. n", "> q", ">", "```", "    c", "|a|", "|-|", "{% x %}",
          "<div>", "<!--", "-->", "---", "===", "[r]: u", "", "\t", "\r", "\\", "  "]  # fmt: skip


@given(st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=40).map("\n".join)))
def test_rows_joined_are_the_text_and_blocks_cover_all_but_blank_lines(text: str) -> None:
    for plain in (False, True):
        parsed = BlockText(text, plain=plain)
        assert "".join(parsed.source(row) for row in range(len(parsed))) == text
        covered = [row for block in parsed.blocks for row in range(block.first, block.stop)]
        assert covered == sorted(set(covered))
        outside = set(range(len(parsed))) - set(covered)
        assert all(parsed.row(row).kind == "blank" for row in outside)
        for at, block in enumerate(parsed.blocks):
            assert block.first < block.stop
            assert parsed.block_of(block.first) == at
        for row in range(len(parsed)):
            start, stop = parsed.span(row)
            assert text[start:stop] == parsed.source(row)
            assert parsed.row_of_line(parsed.row(row).start) == row


def kinds(text: str) -> list[tuple[str, list[str]]]:
    parsed = BlockText(text)
    return [
        (block.kind, [parsed.said(row) for row in range(block.first, block.stop)])
        for block in parsed.blocks
    ]


PAGE = """---
icon: bolt
---

# Retries
One paragraph
wrapped here,\x20\x20
broken there.
* an item
  that goes on
  * below it

    ```ruby
    code

    ```
1. one
2. two

> quoted
> on
> * item

| a | b |
|---|:-:|
| `x` | 1 \\| 2 |
{% hint style="info" %}
Mind it.
{% endhint %}

Title
-----
<figure><img src="a.png"></figure>

    indented

    code
after [a link][r].

[r]: https://example.org
***
"""

LETTERS = [
    "X",
    "X X",
    "X\t",
    "  X  ",
    "|X|X|",
    "X|X",
    "|-|-|",
    "$$",
    "X$$",
    "$$X",
    "X\\",
    "- X",
    "  X: X",
]


@given(st.lists(st.sampled_from([*PIECES, *LETTERS]), max_size=12).map("\n".join))
@example(re.sub(r"[a-z]\b|\b[a-z]", "X", PAGE))
@example("\n\n".join(f"{piece}\n{letter}\n{piece}" for piece in PIECES for letter in LETTERS))
@example("X$$\na\n$$\n\n$$\na\nX$$\nb\n$$\n\n$$X\na\n$$\n\nX# h\n\na\nX---\n\n|a|\nX|-|\n|b|")
def test_no_letter_means_more_than_another(text: str) -> None:
    def read(text: str) -> list[tuple[object, ...]]:
        cut = BlockText(text)
        rows = [(cut.row(row).kind, cut.said(row), cut.key(row)) for row in range(len(cut))]
        return [*rows, *((block.kind, block.first, block.stop) for block in cut.blocks)]

    assert repr(read(text)).replace("X", "Y") == repr(read(text.replace("X", "Y")))


def test_what_stands_in_documentation_is_told_apart() -> None:
    assert kinds(PAGE) == [
        ("front", ["---", "icon: bolt", "---"]),
        ("heading", ["# Retries"]),
        ("paragraph", ["One paragraph wrapped here,", "broken there."]),
        ("item", ["* an item that goes on"]),
        ("item", ["  * below it"]),
        ("code", ["    ```ruby", "    code", "", "    ```"]),
        ("item", ["1. one"]),
        ("item", ["2. two"]),
        ("quote", ["> quoted on", "> * item"]),
        ("table", ["| a | b |", "|---|:-:|", "| `x` | 1 \\| 2 |"]),
        ("tag", ['{% hint style="info" %}']),
        ("paragraph", ["Mind it."]),
        ("tag", ["{% endhint %}"]),
        ("heading", ["Title", "-----"]),
        ("html", ['<figure><img src="a.png"></figure>']),
        ("code", ["    indented", "", "    code"]),
        ("paragraph", ["after [a link][r]."]),
        ("paragraph", ["[r]: https://example.org"]),
        ("rule", ["***"]),
    ]
    assert cells("| `x` | 1 \\| 2 |") == ["", " `x` ", " 1 \\| 2 ", ""]
    nested = "> quote\n> > deeper\n> > and on\nlazy\n> out\n"
    assert kinds(nested) == [("quote", ["> quote", "> > deeper and on lazy", "> out"])]
    assert BlockText("a\n```\nb").unclosed == 1
    assert BlockText("```\nb\n```").unclosed is None


@pytest.mark.parametrize(
    "piece",
    [
        "* a\n\n",
        "<!-- \n\n",
        "> ",
        "- ",
        "[",
        "|",
        "```\n",
        "    a\n\n",
        "{% ",
        "%} ",
        "a\n",
        "_ ",
        "<table>\n\n",
        "<table>\n<tr>\n",
        "<Ab\n",
        "<Ab c='\n\n",
        "{/*\n\n",
        "> ```\n",
        "[^a]: b\n",
    ],
)
def test_a_long_text_is_read_whatever_is_in_it(piece: str) -> None:
    # Read in more than linear time, it would outlast what a test has.
    text = piece * (200_000 // len(piece))
    parsed = BlockText(text)
    assert "".join(parsed.source(row) for row in range(len(parsed))) == text


def test_a_component_of_mdx_is_read_line_by_line_and_not_as_a_quote() -> None:
    tag = ["<Tabs", "  values={[", "    {label: 'A'},", "  ]}", ">", '  <Tab value="a">A</Tab>']
    cut = BlockText("\n".join([*tag, "</Tabs>", "", "B", "b", ""]))
    assert [block.kind for block in cut.blocks] == ["tag", "paragraph", "tag", "paragraph"]
    assert [cut.said(row) for row in range(len(tag))] == tag


@pytest.mark.parametrize(
    "lines",
    [
        ["import A from 'x'", 'import B from "y";', "export const x = 1"],
        [":::note Title", "Some text.", ":::"],
        ['!!! note "Title"', "    Some text."],
        ['{{< tabs name="a" >}}', "Text.", "{{% /tabs %}}"],
        ["Term", ": One", ": Two"],
        ["*[A]: x", "*[B]: y"],
        ["/// tip", "Text.", "///"],
    ],
)
def test_a_sign_of_another_markdown_is_a_row_of_its_own(lines: list[str]) -> None:
    cut = BlockText("\n".join(lines))
    assert [cut.said(row) for row in range(len(cut))] == lines


def test_words_that_only_look_like_signs_are_joined() -> None:
    for text in ("What we\nimport from 'x' is used", "A ratio of\n3:1 holds", "See\n//// that"):
        assert len(BlockText(text)) == 1


def test_a_table_is_one_only_with_a_line_of_dashes_and_nothing_else() -> None:
    assert "table" in dict(kinds("|a|\n|-| \t\n|b|\n"))
    assert "table" not in dict(kinds("|a|\n|-|\u00a0\n|b|\n"))

"""Every block that a page can have, drawn: one page has them all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from copydesk.domain.block_tags import KINDS, read_tag
from copydesk.domain.blocks import BlockText
from copydesk.domain.html_table import MOST_COLUMNS
from copydesk.domain.page_text import page_text
from copydesk.present.code_colours import coloured
from copydesk.present.diff import DiffTables, draw_line
from copydesk.present.markdown import Look, MarkdownBlock, blocks, draw, row_lines
from copydesk.present.tables import TableColumns
from copydesk.session import glyphs
from tests.drive import compare_golden

EVERY_BLOCK = (Path(__file__).parent / "every_block.md").read_text(encoding="utf-8")

UNSAID = re.compile(
    r"\{%\s*end[\w-]+\s*%\}"
    r"|\{%\s*(?:content-ref|include|stepper|if|else|openapi(?:-operation)?)\b"
    r"|(?<=\s)(?:title|style|url|src|spec|path|method|date|description)=(?=\")"
    r"|</?(?:table|thead|tbody|tr|th|td|details|summary|strong|code|mark|figure|figcaption|p|img|a)"
    r"(?:\s(?:data-[a-z-]+|class|style)(?:=\"[^\"]*\")?)*|\b(?:alt|href)=(?=\")|\bclass=\"[^\"]*\""
)
"""What readers are told by signs and words of ours, or by where a thing stands."""


COLUMNS = Look(0)


def text_of(drawn: list[list[tuple[str, str]]]) -> list[str]:
    return ["".join(part for part, _ in line).rstrip() for line in drawn]


def lines(source: str, width: int, look: Look = COLUMNS) -> list[str]:
    return [said for each in blocks(source) for said in text_of(draw(each, width, look=look))]


@pytest.fixture
def style() -> Iterator[None]:
    yield
    glyphs.use("unicode")


@pytest.mark.parametrize("signs", ["unicode", "ascii"])
@pytest.mark.parametrize("width", [76, 136])
def test_every_block_is_drawn_as_what_it_is(
    width: int, signs: str, style: None, update_golden: bool
) -> None:
    glyphs.use(signs)
    shown = lines(EVERY_BLOCK, width)
    assert signs == "unicode" or "\n".join(shown).isascii()
    assert max(map(cell_len, shown)) <= width
    name = f"every-block.{width}{'' if signs == 'unicode' else '-ascii'}"
    compare_golden(name, "\n".join(shown), update=update_golden)


@pytest.mark.parametrize("look", [Look(0), Look(0, turned=True), Look()])
@pytest.mark.parametrize("width", [40, 76, 136])
def test_each_word_of_the_source_is_drawn(width: int, look: Look) -> None:
    steps = range(8) if look.column == 0 else (0,)
    seen = "".join("".join(lines(EVERY_BLOCK, width, look._replace(column=at) if
                   look.column is not None else look)) for at in steps)  # fmt: skip
    joined = re.sub(r"[\s│▎]+", "", seen)
    words = re.findall(r"\w+", UNSAID.sub(" ", EVERY_BLOCK))
    assert [word for word in words if word not in joined] == []


def test_in_a_change_tags_read_as_what_they_are_and_say_what_differs() -> None:
    before = '# T\n\n{% hint style="info" icon="bell" %}\nMind.\n{% endhint %}\n'
    page = page_text(before, before.replace("info", "danger"))
    drawn = [said.strip() for at in range(len(page.diff)) for said in
             text_of(draw_line(page.diff[at], 70))]  # fmt: skip
    assert [said.split(maxsplit=2)[-1] for said in drawn if "hint" in said] == [
        "▎ hint: [-info-], icon bell",
        "▎ hint: {+danger+}, icon bell",
        "▎ end of hint",
    ]
    code = "```\n{% hint %}\n```\n"
    page = page_text(code, code + "More.\n")
    assert any("{% hint %}" in said for at in range(len(page.diff))
               for said in text_of(draw_line(page.diff[at], 70)))  # fmt: skip


def diff_lines(before: str, after: str, width: int = 76) -> list[str]:
    """Return a change as it is drawn, without numbers."""
    page = page_text(before, after)
    tables = DiffTables(page.diff)
    found: list[str] = []
    for at in range(len(page.diff)):
        line = page.diff[at]
        table = tables.of(at, COLUMNS) if line.table else None
        found += [said[9:] for said in text_of(draw_line(line, width, table=table))]
    return found


def test_html_reads_in_a_change_as_what_it_is() -> None:
    before = """\
<details>

<summary>Why <b>is</b> that?</summary>

Because.

</details>

<table data-view="cards"><thead><tr><th width="90">Plan</th><th>Price</th></tr></thead><tbody>
<tr><td>Free</td><td valign="top">none</td></tr></tbody></table>

<figure><img src="f.png" alt="Flow of money" width="40"><figcaption><p>A flow</p></figcaption>
</figure>

$$
a = b
- c
$$

{% hint %}
<details>
<summary>In</summary>
</details>
{% endhint %}
"""
    after = before.replace("that?", "this?").replace("none", "ten").replace("of money", "of coins")
    assert [said for said in diff_lines(before, after.replace("- c", "- d")) if said.strip()] == [
        "  ▸ expandable",
        "- ▸ title: Why is [-that-]?",
        "+ ▸ title: Why is {+this+}?",
        "  Because.",
        "  ▸ end of expandable",
        "  ▦ cards",
        "  Plan │ Price",
        "  ▪ rows",
        "- Free │ {valign=top} [-none-]",
        "+ Free │ {valign=top} {+ten+}",
        "  ▪ end of table",
        "- ⧉ figure: [image: Flow of [-money-]] (f.png) A flow, width 40",
        "+ ⧉ figure: [image: Flow of {+coins+}] (f.png) A flow, width 40",
        "  ⧉ end of figure",
        "  │ math: a = b",
        "- │ - [-c-]",
        "+ │ - {+d+}",
        "  ▎ hint",
        "  ▸ expandable",
        "  ▸ title: In",
        "  ▸ end of expandable",
        "  ▎ end of hint",
    ]


EDITS = {
    "bolt": "gear", "Why is": "Why was", "Five minutes": "Ten minutes", "x \\times": "y \\times",
    "Flow of money": "Flow of coins", "<th>Field": "<th>Name", "warning": "danger",
    "600": "900", "fifth value": "another", "Start it": "Run it",
}  # fmt: skip


@pytest.mark.parametrize("signs", ["unicode", "ascii"])
@pytest.mark.parametrize("width", [76, 136])
def test_every_block_is_drawn_in_a_change_as_what_it_is(
    width: int, signs: str, style: None, update_golden: bool
) -> None:
    glyphs.use(signs)
    after = EVERY_BLOCK
    for old, new in EDITS.items():
        assert old in after
        after = after.replace(old, new, 1)
    shown = diff_lines(EVERY_BLOCK, after, width)
    assert signs == "unicode" or "\n".join(shown).isascii()
    assert max(map(cell_len, shown)) <= width
    name = f"every-block-change.{width}{'' if signs == 'unicode' else '-ascii'}"
    compare_golden(name, "\n".join(shown), update=update_golden)


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("<details>", "<details open>", ["+ ▸ expandable: {+open+}"]),
        ("<summary>Why</summary>", "<summary><b>Why</b></summary>", ["<b>"]),
        ('<img src="a.png" alt="A">', '<img src="b.png" alt="A">', ["{+b.png+}"]),
        ("<table data-x>", "<table data-view=cards>", ["table: [-data-x-]", "<table {+"]),
        ("</details>x", "</details>y", ["</details>"]),
        ("$$\na\n\nb\n$$", "$$\na\n\nc\n$$", ["$$ a"]),
        ("$$x$$", "$$y$$", ["+ │ math: {+y+}"]),
    ],
)
def test_what_differs_in_html_is_seen(before: str, after: str, shown: list[str]) -> None:
    said = "\n".join(diff_lines(before + "\n", after + "\n"))
    assert [each for each in shown if each not in said] == []


@pytest.mark.parametrize("width", [50, 76, 136])
def test_each_word_of_the_source_is_drawn_in_a_change(width: int) -> None:
    joined = re.sub(r"[\s│▎]+", "", "".join(diff_lines(EVERY_BLOCK, f"{EVERY_BLOCK}\nNew.", width)))
    words = re.findall(r"\w+", UNSAID.sub(" ", EVERY_BLOCK))
    assert [word for word in words if word not in joined] == []


@given(st.text("<>/=\"' adeilmst$\n", max_size=80), st.integers(20, 60))
def test_no_letter_of_broken_html_is_lost_in_a_change(text: str, width: int) -> None:
    for tag in ("<details>", "<summary>", "</summary>", "<img src='x'>", "</figure>", "$$"):
        source = f"{tag}Word{text}\n"
        assert "Word" in "".join("".join(diff_lines(source, f"{source}\nNew.", width)).split())


def test_parts_are_counted_in_what_they_are_part_of() -> None:
    source = """{% stepper %}
{% step %}
{% columns %}
{% column %}
{% endcolumn %}
{% endcolumns %}
{% endstep %}
{% step %}
"""
    said = [each for each in lines(source, 60) if each.strip("▎ ")]
    assert said == ["▷ steps", "▷ step 1/2", "▎ ◫ columns", "▎ ◫ column 1/1", "▷ step 2/2"]


def test_what_ends_nothing_and_what_nobody_knows_stays_as_it_was_written() -> None:
    source = "{% endhint %}\n\n{% any *thing* %}\nnext\n\n---\n\nIt: is not a front matter.\n\n---"
    shown = lines(source, 60)
    assert shown[0] == "{% endhint %}"
    assert shown[2:4] == ["{% any *thing* %}", "next"]
    assert "It: is not a front matter." in shown


PIECES = st.sampled_from(
    [
        *("{% hint %}", "{% endhint %}", "{% tabs %}", '{% tab title="a" %}', "{% endtab %}"),
        *("{% endtabs %}", "{% if x %}", "{% else %}", "{% endif %}", "{% embed %}"),
        *("{% endembed %}", "<details>", "<summary>s</summary>", "</details>", "$$", "$$x$$"),
        *("---", "a: b", "```", "text", "", "| a | b |", "|---|---|", "{%", "{% %}", "- item"),
        "<table><tr><td>1</td></tr></table>",
    ]
)


@given(st.lists(PIECES, max_size=30), st.integers(8, 90), st.booleans(), st.integers(0, 3))
def test_whatever_is_nested_is_drawn_within_its_width(
    pieces: list[str], width: int, turned: bool, column: int
) -> None:
    found = blocks("\n".join(pieces))
    shown = [said for each in found for said in
             text_of(draw(each, width, look=Look(column, turned)))]  # fmt: skip
    assert all(cell_len(said) <= max(width, 8) + 14 for said in shown)
    assert "".join("".join(shown).split()).count("text") == "".join(pieces).count("text")


def test_openings_without_end_are_cut_in_one_pass() -> None:
    deep = blocks("{% embed %}\n{% hint %}\n" * 3_000 + "{% endtabs %}\n{% step %}\n" * 3_000)
    assert max(each.bars for each in deep) == 6
    assert isinstance(deep[0], MarkdownBlock)


def test_every_kind_has_a_sign() -> None:
    for name, kind in KINDS.items():
        assert getattr(glyphs.glyphs(), kind.sign)
        tag = read_tag(f"{{% {name} %}}")
        assert tag is not None
        assert not tag.ends


def test_only_code_of_known_languages_and_of_some_length_is_coloured() -> None:
    assert coloured("python", ["x = 1  # b"]) == [
        [("x", ""), (" ", ""), ("=", ""), (" ", ""), ("1", "accent"),
         ("  ", ""), ("# b", "muted")]
    ]  # fmt: skip
    assert coloured("python title=a.py", ["1"]) == [[("1", "accent")]]
    assert coloured("brainfuck", ["+"]) is None
    assert coloured("python", ["x" * 30_000]) is None
    for lines in ([""], ["", "", "a"], ["a\x0cb"], ['"""', "open"]):
        found = coloured("python", lines)
        assert found is None or ["".join(text for text, _ in line) for line in found] == lines


def test_a_long_table_in_html_is_read_row_by_row_with_its_broken_rows() -> None:
    rows = "".join(f"<tr><td>name {n}</td><td><b>about</b> {n}</td></tr>" for n in range(400))
    head = "<table><thead><tr><th>One</th><th>Two</th></tr></thead><tbody>"
    source = f"{head}{rows}<tr><td>lost <b>word</td></tr></tbody></table>"
    found = blocks(source)
    assert {each.kind for each in found} == {"table"}
    assert sum(len(each.lines) for each in found) == 401
    shown = lines(source, 60)
    assert shown[0].split() == ["One", "│", "Two"]
    assert shown[2].split() == ["name", "0", "│", "about", "0"]
    assert "word" in "".join(shown[-8:])


def test_a_table_of_very_many_columns_has_no_more_than_can_be_shown() -> None:
    wide = f"|{'a|' * 5_000}\n|{'-|' * 5_000}\n|{'b|' * 5_000}\n"
    (table,) = (each.table for each in blocks(wide) if each.table is not None)
    assert table.count == MOST_COLUMNS
    said = "".join(lines(wide, 76, Look()))
    assert said.count("b") == 5_000
    page = page_text(wide, wide.replace("b|", "c|", 1))
    tables = DiffTables(page.diff)
    for at in range(len(page.diff)):
        drawn = text_of(draw_line(page.diff[at], 76, table=tables.of(at, COLUMNS)))
        assert len(drawn) < 400


def test_lines_without_blanks_are_filled_and_begin_with_no_sign_that_ends_one() -> None:
    assert lines("让我们开始 Rust 之旅吧！需要学习的内容有很多（很多）`rust`，**很多**。", 21) == [
        "让我们开始 Rust 之旅", "吧！需要学习的内容有", "很多（很多）rust，很", "多。",
    ]  # fmt: skip
    assert lines("ยากกว่าและเก้าอี้", 8) == ["ยากกว่า", "และเก้าอี้"]
    assert lines("ကြွေးကျော်ပါ" * 2, 13) == ["ကြွေးကျော်ပါ"] * 2
    assert diff_lines("", "让我们开始，学习吧", 22) == ["+ 让我们开", "+ 始，学习吧"]
    assert diff_lines("", "次は[مرحبا]へ次は[مرحبا]へ", 30) == [
        "+ 次は[مرحبا]へ次は",
        "+ [مرحبا]へ",
    ]


INDENTED = """\
1.  Set it up:

    ``` yaml
    theme:
      name: own
    ```

2.  ``` sh
    make
    ```

!!! tip "Readable"

    What stands in a note is text,
    not code.

    === "Python"

        ~~~py
        if it:
            go()
        ~~~

        Also text.

:   A definition

    goes on.

[^1]: A footnote

    goes on, too.

What follows is code:

    first:
      - second

\tthird

import { Tabs } from './tabs';
<Tabs of={1}>
    Text in a component.

    More of it.
</Tabs>

    code()

<Card>

    Text below a blank line.

    <Lone />

        own()

</Card>

<TABLE>
<TR><TD>One</TD></TR>
</TABLE>

::: note
Text of a note
:::

      - an item

See one and two.

[one]: a.md
[two]: b.md
"""


def test_code_that_is_indented_is_code_and_signs_of_other_tools_stand_by_themselves() -> None:
    found = [(block.kind, block.mark, block.lines) for block in blocks(INDENTED)]
    assert [each for each in found if each[0] != "blank"] == [
        ("item", "1.", ("Set it up:",)),
        ("code", "yaml", ("theme:", "  name: own")),
        ("item", "2.", ()),
        ("code", "sh", ("make",)),
        ("tag", "", ('!!! tip "Readable"',)),
        ("paragraph", "", ("What stands in a note is text, not code.",)),
        ("tag", "", ('=== "Python"',)),
        ("code", "py", ("if it:", "    go()")),
        ("paragraph", "", ("Also text.",)),
        ("paragraph", "", (":   A definition",)),
        ("paragraph", "", ("goes on.",)),
        ("paragraph", "", ("[^1]: A footnote",)),
        ("paragraph", "", ("goes on, too.",)),
        ("paragraph", "", ("What follows is code:",)),
        ("code", "", ("first:", "  - second", "", "third")),
        ("tag", "", ("import { Tabs } from './tabs';",)),
        ("tag", "", ("<Tabs of={1}>",)),
        ("paragraph", "", ("Text in a component.",)),
        ("paragraph", "", ("More of it.",)),
        ("tag", "", ("</Tabs>",)),
        ("code", "", ("code()",)),
        ("tag", "", ("<Card>",)),
        ("paragraph", "", ("Text below a blank line.",)),
        ("tag", "", ("<Lone />",)),
        ("code", "", ("own()",)),
        ("tag", "", ("</Card>",)),
        ("table", "", ("| One |",)),
        ("tag", "", ("::: note",)),
        ("paragraph", "", ("Text of a note",)),
        ("tag", "", (":::",)),
        ("item", "-", ("an item",)),
        ("paragraph", "", ("See one and two.",)),
        ("paragraph", "", ("[one]: a.md",)),
        ("paragraph", "", ("[two]: b.md",)),
    ]
    numbered = INDENTED.split("\n")
    for block in blocks(INDENTED):
        if block.lines and block.kind != "table":
            assert block.lines[0].partition(",")[0].strip() in numbered[block.line]


OTHERS = """\
---
# A comment.
ms.date: 2026
external help file: a.xml
---

# C#

## Closed ##

Broken \x20
by blanks\\
or<br>
in three ways.
| a |
|---|
| b |
more

<div>

<p align="center">
Text in HTML
- item
</p>

</div>

<!-- One. -->

<!--
- Not an item.

```
-->

{/*
# No heading
*/}

<pre class="language-sh"><code>  as &#x3C;b>

it <strong>is</strong>
</code></pre>

<Tabs
  of={[1]}
>
Text in it.
</Tabs>

<Lone
  of={1}
/>

    code()

<DIV>Loud</DIV>
<a href="b.md">
<Card title="B" />
</a>

<table><tr>

<td><ul>Not
one</ul></td>

</tr></table>

<table><tr><td>

Text

</td></tr></table>

<details>

<summary>Title</summary>
- In it.
</details>

> Wrapped
> words
> 1. item
> 2. next
> ```
> a
> b
> ```
lazy -> line

- a
-
  1. b
  2. c

    - far in
"""


def test_what_a_page_has_is_drawn_as_a_comparison_reads_it() -> None:
    found = [(block.kind, block.lines) for block in blocks(OTHERS)]
    assert [each for each in found if each[0] != "blank"] == [
        ("front", ("# A comment.", "ms.date: 2026", "external help file: a.xml")),
        ("heading", ("C#",)),
        ("heading", ("Closed",)),
        ("paragraph", ("Broken", "by blanks", "or", "in three ways.")),
        ("table", ("| b |", "more")),
        ("paragraph", ('<p align="center"> Text in HTML',)),
        ("item", ("item",)),
        ("paragraph", ("<!-- One. -->",)),
        ("code", ("<!--", "- Not an item.", "", "```", "-->")),
        ("code", ("{/*", "# No heading", "*/}")),
        ("code", ("  as <b>", "", "it is")),
        ("tag", ("<Tabs", "of={[1]}", ">")),
        ("paragraph", ("Text in it.",)),
        ("tag", ("</Tabs>",)),
        ("tag", ("<Lone", "of={1}", "/>")),
        ("code", ("code()",)),
        ("paragraph", ('<DIV>Loud</DIV> <a href="b.md">',)),
        ("tag", ('<Card title="B" />',)),
        ("table", ("| Not one |",)),
        ("paragraph", ("Text",)),
        ("tag", ("Title",)),
        ("item", ("In it.",)),
        ("quote", ("Wrapped words", "1. item", "2. next", "```", "a", "b", "```", "lazy -> line")),
        ("item", ("a",)),
        ("item", ("",)),
        ("item", ("b",)),
        ("item", ("c",)),
        ("item", ("far in",)),
    ]
    assert [lines for kind, lines in found if kind == "blank"] == [()] * 18
    assert [block.mark for block in blocks(OTHERS) if block.mark == "sh"] == ["sh"]
    shown = lines(OTHERS, 60)
    assert shown[0] == "# A comment.    ms.date 2026    external help file a.xml"
    assert "Loud (b.md)" in shown


def test_a_message_has_the_same_blocks_and_its_html_as_it_was_written() -> None:
    source = "---\na: b\n---\n<div>\na\n</div>\n\n<!--\n- b\n-->\n\n!!! note\n<b>c</b>"
    assert [(block.kind, block.lines) for block in blocks(source, literal=True)] == [
        ("code", ("---", "a: b", "---")),
        ("paragraph", ("<div> a </div>",)),
        ("blank", ()),
        ("code", ("<!--", "- b", "-->")),
        ("blank", ()),
        ("paragraph", ("!!! note",)),
        ("paragraph", ("<b>c</b>",)),
    ]


@given(st.lists(st.sampled_from(OTHERS.split("\n") + INDENTED.split("\n")), max_size=40))
def test_a_page_and_a_comparison_have_the_same_blocks(lines: list[str]) -> None:
    same = ("front", "heading", "rule", "quote", "paragraph", "item")
    text = "\n".join(lines)
    cut = BlockText(text)
    drawn = {(block.kind, block.line) for block in blocks(text)}
    read = {(block.kind, cut.line_of(cut.row(block.first).start)) for block in cut.blocks}
    assert {each for each in read if each[0] in same} <= drawn


def test_a_line_of_signs_that_begins_no_code_is_read_at_once() -> None:
    line = "`" * 1_000_000 + "a`"
    assert [block.kind for block in blocks(f"{line}\n- {line}")] == ["paragraph", "item"]


def test_a_link_that_names_its_target_is_shown_with_it() -> None:
    page = (
        "# The [`Vec`] type\n\n"
        "See [the *book*][Book], [book][], [BOOK  ] and ![a logo][logo].\n"
        "Not `[book]`, \\[book], [nothing][else], [^1], [ ] or [a](b).\n\n"
        "| [book] |\n| - |\n| [it][book] |\n\n"
        '[Book]: https://book.example/a(b) "Title"\n[`vec`]: <std/a vec.html>\n'
        "[logo]: logo.png\n[book]: https://second.example\n[^1]: A note\n"
    )
    shown = [line.rstrip() for line in lines(page, 160)]
    assert shown[0] == "# The Vec (std/a vec.html) type"
    assert shown[2] == (
        "See the book (https://book.example/a(b)), book (https://book.example/a(b)), "
        "BOOK (https://book.example/a(b)) and [image: a logo] (logo.png). "
        "Not [book], [book],"
    )
    assert "it (https://book.example/a(b))" in shown
    assert '[Book]: https://book.example/a(b) "Title"' in shown


CELLS = st.lists(st.tuples(st.text("ab {+}- ", min_size=1, max_size=9), st.just("")), max_size=4)


@given(st.tuples(CELLS, CELLS), st.tuples(st.integers(4, 9), st.integers(4, 9)))
def test_changed_cells_stand_below_each_other_wherever_they_wrap(
    cells: tuple[list[tuple[str, str]], ...], widths: tuple[int, int]
) -> None:
    drawn = row_lines(cells, TableColumns(range(2), widths), exact=True)
    assert {cell_len("".join(text for text, _ in line)) for line in drawn} == {sum(widths) + 3}

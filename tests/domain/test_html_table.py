"""Tables, cards and buttons in HTML as rows and cells, and what is broken as it was written."""

from __future__ import annotations

import re
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copydesk.domain.blocks import BlockText
from copydesk.domain.diff import compare
from copydesk.domain.html_table import (
    MOST,
    MOST_COLUMNS,
    MOST_OF_TABLE,
    link_text,
    read_table,
    row_text,
)
from tests.domain.patch import apply
from tests.domain.written import CARDS

PIECES = (
    "<table>", "<table ", "</table>", "<tr>", "<tr", "</tr>", "</TR >", "<td>", '<td a="1">',
    "</td>", "<th>", "</th>", "<strong>", "</strong>", '<a href="x">', "</a>", "<br>",
    '<img src="i">', "<!-- ", "-->", "<", ">", "&amp;", "&", "|", '"', "\n", "\n\n", "\r\n", " ",
    "one", "two*", "_three_", "`", "<script>", "</script>", "<x y>", "é",
)  # fmt: skip


def said(text: str) -> list[str]:
    found = BlockText(text)
    return [found.said(row) for row in range(len(found))]


def test_rows_of_cards_are_rows_with_their_links_and_attributes() -> None:
    assert said(CARDS) == [
        '<table data-view="cards"><thead>',
        "|  |  | {data-hidden data-card-target data-type=content-ref} |",
        "</thead><tbody>",
        "| **Install** | How to install. | [install.md](install.md) |",
        "| **Use** | How to use it. | [use.md](use.md) |",
        "</tbody></table>",
    ]


def test_a_changed_word_is_marked_in_its_cell() -> None:
    after = CARDS.replace("How to use it.", "How to use it well.").replace("use.md", "used.md", 1)
    diff = compare(f"# T\n\n{CARDS}\nEnd.\n", f"# T\n\n{after}\nEnd.\n")
    marked = [
        "".join(f"[{span.text}]" if span.kind != "same" else span.text for span in line.spans)
        for line in (diff[at] for at in range(len(diff)))
        if line.kind in ("added", "removed")
    ]
    assert marked == [
        "| **Use** | How to use it. | [use.md]([use].md) |",
        "| **Use** | How to use it[ well]. | [use.md]([used].md) |",
    ]
    numbers = [diff[at].after_number for at in range(len(diff))]
    assert numbers[-1] == 5, "lines are counted as the text has them"
    assert set(numbers[2:-2]) <= {3, None}


def test_what_no_cell_shows_is_shown_as_it_was_written() -> None:
    before = "<table>\n<tr><td>One</td></tr>\n</table>\n"
    diff = compare(before, before.replace("<td>One</td>", "<th>One</th>"))
    lines = [diff[at].text for at in range(len(diff)) if diff[at].kind in ("added", "removed")]
    assert lines == ["<tr><td>One</td></tr>", "<tr><th>One</th></tr>"]


def test_rows_over_several_lines_are_rows() -> None:
    text = (
        "<table>\n  <tr>\n    <td>One</td>\n    <td><p>Two</p><p>a|b</p></td>\n  </tr>\n</table>\n"
    )
    assert said(text) == ["<table>", "| One | Two a\\|b |", "</table>"]


def test_a_button_reads_as_a_link() -> None:
    text = 'See <a href="https://x.example" class="button primary">Start</a> 1 < 2.'
    assert link_text(text) == "See [Start](https://x.example){class=button primary} 1 < 2."
    assert said(text) == [link_text(text)]
    code = 'Write `<a href="x">y</a>`.'
    assert said(code) == [code]


@pytest.mark.parametrize(
    "broken",
    [
        "<tr><td>a<b</td></tr>",
        "<tr>loose<td>x</td></tr>",
        "<tr><td><strong>x</td></tr>",
        "<tr><td>x</td",
        "<tr><td><!-- c --></td></tr>",
        "<tr><td></b>x</td></tr>",
        "<tr></tr>",
        "<tr><td><table><tr><td>x</td></tr></table></td></tr>",
        "<tr><td>" + "x" * 50_000 + "</td></tr>",
    ],
)
def test_a_broken_row_stays_as_it_was_written(broken: str) -> None:
    assert row_text(broken) is None
    assert "".join(said(f"<table>\n{broken}\n</table>")).count("x") == broken.count("x")


def test_a_table_is_read_whole_or_not() -> None:
    table = read_table(CARDS)
    assert table is not None
    assert not table.head
    assert table.rows[0] == ["**Install**", "How to install.", "[install.md](install.md)"]
    table = read_table("<table><tr><th>A</th><th>B</th></tr><tr><td>a_b*</td></tr></table>")
    assert table == (["A", "B"], [["a\\_b\\*", ""]])
    table = read_table("<table><tr><td>tr</td><td>table</td></tr></table>")
    assert table == ([], [["tr", "table"]])
    assert read_table("<table><caption>C</caption><tr><td>1</td></tr></table>") is None
    assert read_table("<table></table>") is None


def test_a_short_head_is_filled_and_cells_end_with_what_is_around_them() -> None:
    wide = "<table><tr><th>A</th></tr><tr><td>1</td><td>2</td></tr></table>"
    assert read_table(wide) == (["A", ""], [["1", "2"]])
    open_end = "<table><tbody><tr><td>1<td>2</tbody><tbody><tr><td>3</tbody></table>"
    assert read_table(open_end) == ([], [["1", "2"], ["3", ""]])
    unnamed = "<table><tr><th></th></tr><tr><td>1</td><td>2</td></tr></table>"
    assert read_table(unnamed) == ([], [["1", "2"]])


def test_attributes_of_marks_are_told_where_all_is() -> None:
    row = '<tr><td><strong class="a">b</strong><span id="c">d</span></td></tr>'
    assert row_text(row) == "| **{class=a}b**{id=c}d |"
    table = read_table(f"<table>{row}</table>")
    assert table == ([], [["**b**d"]])


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.integers(0, 40), st.integers(0, 40))
def test_nothing_is_lost_of_any_html(pieces: list[str], start: int, stop: int) -> None:
    before = "<table>\n<tr>" + "".join(pieces)
    after = "<table>\n<tr>" + "".join([*pieces[:start], "new", *pieces[stop:]])
    diff = compare(before, after)
    assert apply(diff, before) == after
    for text in (before, after):
        rows = BlockText(text)
        assert "".join(rows.source(row) for row in range(len(rows))) == text
        words = re.findall("one|two|three|new|é", text)
        shown = "\n".join(rows.said(row) for row in range(len(rows)))
        assert re.findall("one|two|three|new|é", shown) == words
    if before != after:
        assert diff.changed or diff.quiet or before.split() == after.split()


def test_a_cell_that_spans_others_leaves_the_rest_under_their_heads() -> None:
    source = (
        "<table><thead><tr><th>A</th><th>B</th><th>C</th></tr></thead><tbody>"
        '<tr><td colspan="2">wide</td><td>c</td></tr>'
        '<tr><td rowspan="2">deep</td><td>b</td><td>c</td></tr>'
        "<tr><td>below</td><td>right</td></tr>"
        '<tr><td>a</td><td colspan="many">b</td><td rowspan="0">c</td></tr>'
        "</tbody></table>"
    )
    table = read_table(source)
    assert table is not None
    assert list(table.head) == ["A", "B", "C"]
    assert [list(row) for row in table.rows] == [
        ["wide", "", "c"],
        ["deep", "b", "c"],
        ["", "below", "right"],
        ["a", "b", "c"],
    ]


def test_a_table_wider_than_a_screen_stays_as_it_was_written() -> None:
    cells = '<td colspan="99999" rowspan="99999">x</td>' * 9
    assert read_table(f"<table><tr>{cells}</tr></table>") is None


def test_few_tags_that_ask_for_very_many_cells_take_little_memory() -> None:
    cells = '<td colspan="99" rowspan="9999"></td>' * 300
    tracemalloc.start()
    try:
        assert read_table(f"<table><tr>{cells}</tr>{'<tr></tr>' * 300}</table>") is None
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("a <b>b</b> <i>c</i> <em>d</em> <code>e</code> <del>f</del> <s>g</s>",
         "a **b** *c* *d* `e` ~~f~~ ~~g~~"),
        ("<p>a</p><p>b</p>", "a b"), ("a<br>b<br/>c", "a b c"),
        ("<ul><li>a</li><li>b</li></ul>", "- a - b"),
        ("<span>a</span>", "a"), ("<u>a</u>", "<u>a</u>"), ('<u x="|">a</u>', '<u x="\\|">a</u>'),
        ("a|b", r"a\|b"), ("&amp; &#65; &x", "&amp; &#65; &x"), ("a<hr>b", "a<hr>b"),
        ('<a href="x y">z</a>', "[z](<x y>)"), ('<a href="x(y)">z</a>', "[z](<x(y)>)"),
        ('<a href="a|b" title="t">z</a>', r"[z](a\|b){title=t}"), ("<a>z</a>", "<a>z</a>"),
        ('<a href>z</a>', "<a href>z</a>"), ('<a href="">z</a>', "[z]()"),
        ('<img src="a b" alt="c]|">', r"![c\]\|](<a b>)"),
        ('<img src="a" width="5" data-x>', "![](a){width=5 data-x}"), ("<img>", "<img>"),
        ('<p id="a">b</p>', "{id=a} b"), ('<li class="c">d</li>', "- {class=c}d"),
        ('<b title="x|y">z</b>', r"**{title=x\|y}z**"), ("a\n\t b", "a b"), ("", ""),
    ],
)  # fmt: skip
def test_what_a_cell_holds_reads_as_markdown(cell: str, text: str) -> None:
    assert row_text(f"<tr><td>{cell}</td></tr>") == f"| {text} |"


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("*a* [b] `c` ~d~ \\e", r"\*a\* \[b\] \`c\` \~d\~ \\e"),
        ('<p id="a">b</p>', "b"), ('<a href="x" title="t">z</a>', "[z](x)"),
        ('<img src="a" width="5">', "![](a)"),
    ],
)  # fmt: skip
def test_a_cell_of_a_table_that_is_shown_tells_no_attributes(cell: str, text: str) -> None:
    assert read_table(f"<table><tr><td>{cell}</td></tr></table>") == ([], [[text]])


@pytest.mark.parametrize(
    "row",
    [
        "<tr><td>a</td></tr><tr><td>b</td></tr>", "<td>a</td>", "x<tr><td>a</td></tr>",
        "<tr><td>a</td></tr>x", "<tr><td>a</b></td></tr>", "<tr><td><b>a</i></td></tr>",
        "<tr><td>a</br></td></tr>", "<tr><td><!DOCTYPE x></td></tr>", "<tr><td><?x?></td></tr>",
        "<tr><td><![CDATA[x]]></td></tr>", '<tr><td a=b"><!-- "--></td></tr>',
        '<tr><td a=b"><!DOCTYPE "></td></tr>', '<tr><td a=b"><?"></td></tr>',
        "<p></p><tr><td>a</td></tr>", "<tr><td>a</td x></tr>",
        '<tr><td><b title="<>">a</b', "<tr><td>a", "<tr><td><tr></td></tr>", "",
    ],
)  # fmt: skip
def test_what_is_no_single_whole_row_is_left_as_it_was_written(row: str) -> None:
    assert row_text(row) is None


def test_rows_say_their_own_attributes_and_those_of_their_cells() -> None:
    assert row_text('<tr class="x"><td colspan="2">a</td><th>b</th></tr>') == (
        "{class=x}| {colspan=2} a | b |"
    )
    assert row_text("<TR><TD>a</TD ></TR>") == "| a |"
    assert row_text("  <tbody><tr><td>a</td></tr></tbody> ") == "| a |"


def test_so_many_characters_and_columns_are_read() -> None:
    row = "<tr><td>{}</td></tr>"
    room = MOST - len(row.format(""))
    assert row_text(row.format("x" * room)) == f"| {'x' * room} |"
    assert row_text(row.format("x" * (room + 1))) is None
    assert row_text(row.format("x " + " " * (2 * MOST))) is None
    assert row_text(row.format("x" + " " * MOST)) == "| x |"
    assert read_table(f"<table><tr><td>{'x' * 3 * MOST}</td></tr></table>") is not None
    assert read_table(f"<table><tr><td>{'x' * MOST_OF_TABLE}</td></tr></table>") is None
    table = read_table(f"<table><tr>{'<td>x</td>' * MOST_COLUMNS}</tr></table>")
    assert table is not None
    assert len(table.rows[0]) == MOST_COLUMNS
    assert read_table(f"<table><tr>{'<td>x</td>' * (MOST_COLUMNS + 1)}</tr></table>") is None
    assert read_table(f"<table><tr><td colspan='{MOST_COLUMNS}'>x</td></tr></table>") is not None
    assert read_table(f"<table><tr><td colspan='{MOST_COLUMNS + 1}'>x</td></tr></table>") is None


def test_a_head_is_one_whose_cells_all_are() -> None:
    mixed = "<table><tr><th>A</th><td>B</td></tr><tr><th>1</th><th>2</th></tr></table>"
    assert read_table(mixed) == ([], [["A", "B"], ["1", "2"]])
    both = "<table><tr><th>A</th><th>B</th></tr><tr><th>1</th><td>2</td></tr></table>"
    assert read_table(both) == (["A", "B"], [["1", "2"]])


def test_a_cell_that_reaches_down_at_the_end_of_a_row_fills_the_rows_below() -> None:
    source = (
        '<table><tr><td>a</td><td rowspan="3" colspan="2">b</td></tr><tr><td>c</td></tr>'
        "<tr></tr><tr><td>d</td><td>e</td><td>f</td></tr></table>"
    )
    table = read_table(source)
    assert table is not None
    assert [list(row) for row in table.rows] == [
        ["a", "b", ""], ["c", "", ""], ["", "", ""], ["d", "e", "f"],
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("no link", "no link"), ('<a href="x">y</a> z', "[y](x) z"),
        ("<a href='x'>y", "<a href='x'>y"),
        ("<b>x</b> <a href='y'><b>z</b></a>", "<b>x</b> [**z**](y)"),
        ("<a href='x'>1</a><a href='y'>2</a>", "[1](x)[2](y)"), ("a < b", "a < b"),
        ("<a href='x'>y<a href='z'>w</a>", "<a href='x'>y[w](z)"), ("<!-- x -->", "<!-- x -->"),
        ("<a href='x'>y<table></a> z", "<a href='x'>y<table></a> z"),
        ("<a href='x'>a_b*</a>", "[a_b*](x)"), ("<a href='x'>y</a><br>", "[y](x)<br>"),
    ],
)  # fmt: skip
def test_links_in_prose_read_as_links_do(source: str, text: str) -> None:
    assert link_text(source) == text

"""Tables, cards and buttons in HTML as a page draws them."""

from __future__ import annotations

from rich.cells import cell_len

from copydesk.present.markdown import blocks, draw
from tests.domain.written import CARDS


def drawn(text: str, width: int) -> list[str]:
    lines = [
        "".join(part for part, _ in line) for each in blocks(text) for line in draw(each, width)
    ]
    assert all(cell_len(line) <= width for line in lines)
    return [line.rstrip() for line in lines]


def test_cards_are_drawn_as_cards_at_any_width() -> None:
    assert drawn(CARDS, 76) == [
        "▦ card 1/2: Install",
        "▎ How to install.",
        "▎ install.md",
        "▦ card 2/2: Use",
        "▎ How to use it.",
        "▎ use.md",
        "",
    ]
    long = CARDS.replace(
        "How to install.", "How to install it, in words that do not fit in a cell."
    )
    assert drawn(long, 44)[1:3] == [
        "▎ How to install it, in words that do not",
        "▎ fit in a cell.",
    ]


def test_a_head_stands_over_its_rule() -> None:
    table = (
        "<table>\n<tr><th>Name</th><th>What &amp; why</th></tr>\n<tr><td>a_b</td>"
        "<td><code>c_d</code></td></tr>\n</table>"
    )
    assert drawn(table, 40) == ["Name │ What & why", "─────────────────", "a_b  │ c_d"]


def test_a_button_is_drawn_as_one() -> None:
    text = '<a href="https://x.example" class="button primary">Start</a>'
    assert drawn(text, 60) == ["[ Start ] (https://x.example)"]


def test_a_table_that_is_no_table_loses_no_word() -> None:
    for text in (
        "<table><tr><td>one <b>two</td></tr></table> three",
        "<table>\n<tr><td>one two three",
        "<table><caption>one</caption><tr><td>two<table>three</table></td></tr></table>",
    ):
        said = " ".join(drawn(text, 40))
        assert [word for word in ("one", "two", "three") if word in said] == ["one", "two", "three"]

"""Long text: blocks, lines, and the view that draws them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import ComposeResult

from copydesk.domain.text import clean
from copydesk.present.markdown import blocks, draw, spans
from copydesk.session.session import Session
from copydesk.tui.app import CopydeskApp
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.widgets.text import TextView
from tests.drive import Driver, drive
from tests.tui.desk_place import NOON

PAGE = """# Authentication

Send the **token** with `Authorization`, see [the guide](https://docs.test/auth "title")
or ![a diagram](img/flow.png). ~~Old~~ *new*.

{% hint style="warning" %}
Tokens expire.
{% endhint %}

* first
  goes on
* second
    1. nested
- [x] done

> quoted
> on

| Field | Type |
|:------|-----:|
| attempt | int |
| next_at | date |

```sh
curl -H "x" https://api.test
```

***

Last
====
"""


def text_of(line: list[tuple[str, str]]) -> str:
    return "".join(text for text, _ in line)


def drawn(source: str, width: int = 60) -> list[str]:
    return [text_of(line) for block in blocks(source) for line in draw(block, width)]


def test_every_kind_of_block_is_drawn() -> None:
    lines = drawn(PAGE)
    assert lines[0] == "# Authentication"
    joined = "\n".join(lines)
    assert "the guide (https://docs.test/auth)" in joined.replace("\n", " ")
    assert "[image: a diagram] (img/flow.png)" in joined.replace("\n", " ")
    assert "▎ hint: warning" in lines
    assert "▎ Tokens expire." in lines
    assert "• first goes on" in lines
    assert "    1. nested" in lines
    assert "[x] done" in lines
    assert "▎ quoted on" in lines
    assert "Field   │ Type" in lines
    assert "attempt │  int" in lines
    assert '│ curl -H "x" https://api.test' in lines
    assert "# Last" in lines


def test_inline_tones() -> None:
    tones = dict(spans("a **b** `c` [d](e) _f_ snake_case_name \\*g\\*"))
    assert tones["b"] == "strong"
    assert tones["c"] == "code"
    assert tones["d"] == "link"
    assert tones["f"] == "emphasis"
    assert "snake_case_name" in "".join(tones)
    assert "*" in tones


@given(st.text(max_size=400), st.integers(8, 90))
@settings(deadline=None)
def test_no_line_is_wider_than_asked(source: str, width: int) -> None:
    for block in blocks(clean(source, lines=True)):
        for parts in draw(block, width):
            line = "".join(text for text, _ in parts)
            assert cell_len(line) <= max(width, 8) + 6
            assert "\n" not in line


@given(st.lists(st.sampled_from(["word", "**bold**", "`a b`", "[x](y)", "日本語", "\n", "- "])))
@settings(deadline=None)
def test_words_survive(parts: list[str]) -> None:
    text = " ".join(parts)
    shown = "".join("".join(drawn(text, 40)).split())
    assert shown.count("word") == text.count("word")
    assert shown.count("bold") == text.count("bold")


def test_no_word_is_lost_with_a_tag() -> None:
    source = "# Use <kbd>\n\n- [/] <script> @Mara  \n<b>x</b> `<i>`\n\n> **<your-token>**<br>z"
    said = [
        text_of(line) for block in blocks(source) for line in draw(block, 60, literal=True) if line
    ]
    assert said == [
        "# Use <kbd>",
        "\u2022 [/] <script> @Mara",
        "  <b>x</b> <i>",
        "\u258e <your-token><br>z",
    ]
    shown = "\n".join(line for line in drawn(source) if line)
    assert "# Use\n" in shown, "on a page what only styles text gives way to it"
    assert "\u2022 [/] <script> @Mara\n  x <i>\n\u258e <your-token>\n\u258e z" in shown


@pytest.mark.long
@pytest.mark.parametrize("unit", ["[](", "[](<", "![", "[", "`", "**a ", "<a ", '<a href="">'])
def test_hostile_markup_comes_to_an_end(unit: str) -> None:
    # In more than linear time this would outlast what a test has.
    text = "x" + unit * (100_000 // len(unit))
    assert text_of([*spans(text, literal=True)]) == text


@pytest.mark.parametrize(
    ("before", "unit", "after"),
    [
        ("[", " ", "](b)"),
        ("# ", "#", " a"),
        ("# ", " ", "a"),
        ("```", " ", "`"),
        ("a | b\n-", " ", "x"),
        ("<details>", " ", "x"),
        ("> ", "\t", ""),
        ("", "“", ""),
    ],
)
def test_hostile_lines_come_to_an_end(before: str, unit: str, after: str) -> None:
    assert drawn(f"{before}{unit * 200_000}{after}")


def test_long_paragraphs_are_read_sentence_by_sentence() -> None:
    text = "It was **sent** by `us` to [them](/a). " * 200
    found = [*spans(text)]
    assert text_of(found) == "It was sent by us to them (/a). " * 200
    assert [part for part, tone in found if tone == "strong"] == ["sent"] * 200


@pytest.mark.parametrize(
    ("source", "code"),
    [("`a`", ["a"]), ("``a `b` c``", ["a `b` c"]), ("``a`", []), ("\\``a`", ["a"]), ("`a``", [])],
)
def test_code_ends_with_as_many_marks_as_it_begins_with(source: str, code: list[str]) -> None:
    assert [part for part, tone in spans(source) if tone == "code"] == code


def test_emphasis_that_never_ends_takes_no_time() -> None:
    assert drawn("*" * 5000 + "a" + "_" * 5000)
    assert drawn("[" * 3000)
    assert drawn("<a " * 3000)


@place("desk-text", title="Text")
class TextPlace(Place):
    """Shows one text."""

    def panes(self) -> ComposeResult:
        self.text = TextView(SOURCE[0], title="Page")
        yield Part("main", self.text)


SOURCE = [PAGE]


def app_of(source: str) -> CopydeskApp:
    SOURCE[0] = source

    async def connect() -> Any:
        return None

    async def nobody(session: Session, api: Any) -> None:
        session.organization_title = "acme-docs"

    return CopydeskApp(Session(connect, identify=nobody, clock=lambda: NOON), "desk-text")


def view(driver: Driver) -> TextView:
    assert isinstance(driver.place, TextPlace)
    return driver.place.text


@pytest.mark.long
async def test_a_megabyte_opens_scrolls_and_is_searched() -> None:
    about = "about retries " * 18
    paragraphs = [f"## Part {i}\n\nWords of part {i} {about}.\n" for i in range(4_000)]
    async with drive(app_of("\n".join(paragraphs))) as driver:
        assert "Words of part 0" in driver.screen
        await driver.press("G")
        assert "Words of part 3999" in driver.screen
        await driver.press("g g", "/")
        await driver.type("part 3000 ")
        await driver.press("enter")
        assert "Words of part 3000" in driver.screen
        await driver.press("escape")
        assert view(driver).found == ""


async def test_the_passage_stays_on_resize() -> None:
    long = "\n\n".join(f"Paragraph {i}. " + "word " * 60 for i in range(300))
    async with drive(app_of(long), size=(140, 40)) as driver:
        await driver.press("/")
        await driver.type("Paragraph 200.")
        await driver.press("enter")
        first = driver.screen.splitlines()[2]
        assert "Paragraph 200." in first
        await driver.resize(80, 24)
        assert "Paragraph 200." in driver.screen.splitlines()[2]


async def test_a_text_is_laid_out_for_its_width_though_nobody_said_that_it_was_shown() -> None:
    async with drive(app_of("")) as driver:
        text = view(driver)
        text.display = False
        await driver.idle()
        text.set_text("One line of several words, which fits.")
        text.display = True
        # Drawn, and asked where it is, before the screen is laid out: Textual sends no Resize then.
        driver.place.screen._compositor.update_widgets({text})
        assert text.region
        await driver.idle()
        assert "One line of several words, which fits." in driver.screen


async def test_n_goes_around(update_golden: bool) -> None:
    async with drive(app_of(PAGE)) as driver:
        driver.golden("text", update=update_golden)
        await driver.press("/")
        await driver.type("token")
        await driver.press("enter", "n", "n", "n")
        assert "No other match" not in driver.screen


@pytest.mark.parametrize("size", [(30, 8), (60, 11), (80, 18), (20, 5)])
async def test_small_terminals(size: tuple[int, int]) -> None:
    async with drive(app_of(PAGE), "j", "ctrl+d", "G", size=size) as driver:
        assert driver.screen


async def test_a_search_says_that_it_found_nothing_and_that_it_went_around() -> None:
    lines = [f"Line {at} of the text." for at in range(60)]
    text = "\n\n".join([*lines, "A lamp at the end.", "Another lamp."])
    async with drive(app_of(text), size=(80, 24)) as driver:
        await driver.press("/")
        await driver.type("candle")
        assert "No match." in driver.screen
        await driver.press("enter")
        assert "No match." in driver.screen
        await driver.press("escape", "g g", "/")
        await driver.type("lamp")
        await driver.press("enter")
        assert "No match" not in driver.screen
        assert "Another lamp." in driver.screen
        await driver.press("n")
        assert "The search went on from the top." in driver.screen, "all of them were on screen"
        await driver.press("escape", "/")
        await driver.type("line 2 of")
        await driver.press("enter")
        assert "Line 2 of" in driver.screen

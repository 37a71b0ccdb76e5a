"""Hunks as lines: both sides beside each other or one of them, strangers' text made harmless."""

from __future__ import annotations

import json

from copydesk.domain.hunks import Choice
from copydesk.domain.settlement import PageSide, PageSides, settled_page
from copydesk.present.settlement import hunk_lines

BEFORE = "# Retries\n\nWe retry five times.\n\nThe end.\n"
MAIN = BEFORE.replace("five", "nine \x1b[31mred")
MINE = BEFORE.replace("five times", "eight times " + "and again " * 20)


def drawn(width: int, choice: Choice | None = None) -> list[str]:
    sides = PageSides("p", PageSide(BEFORE), PageSide(MAIN), PageSide(MINE))
    page = settled_page(sides)
    at = next(place for place, hunk in enumerate(page.hunks) if hunk.conflicts)
    known = {} if choice is None else {page.hunks[at].key: choice}
    lines = hunk_lines(page, at, known, width)
    return ["".join(text for text, _ in line) for line in lines]


def test_three_texts_stand_beside_each_other_where_there_is_room() -> None:
    lines = drawn(120)
    line = next(line for line in lines if "We retry five times." in line)
    assert "We retry eight times" in line
    assert "We retry nine" in line
    assert "  <<< 1 | 2 | 3 | e >>>" in lines
    assert "  # Retries" in lines
    assert "  The end." in lines
    assert not any("\x1b" in line for line in lines)
    assert all(len(line.rstrip()) <= 120 for line in lines)
    for width in range(100, 140):  # also where a blank falls on the end of a column
        beside = [line for line in drawn(width) if line.count("│") == 2]
        assert len({line.index("│") for line in beside}) == 1
        assert len({line.rindex("│") for line in beside}) == 1


def test_of_a_setting_of_several_parts_those_stand_there_that_differ() -> None:
    def side(**layout: object) -> PageSide:
        return PageSide(BEFORE, others={"layout": json.dumps({"title": True, **layout})})

    page = settled_page(PageSides("p", side(), side(width="wide"), side(width=3, tags=False)))
    [at] = [place for place, hunk in enumerate(page.hunks) if hunk.field == "layout"]
    line = next(line for line in hunk_lines(page, at, {}, 120) if "wide" in str(line))
    said = "".join(text for text, _ in line)
    assert [part.strip() for part in said.split("│")] == [
        'layout: none of these', "layout: width 3, tags false", "layout: width wide",
    ]  # fmt: skip
    [name] = [hunk for hunk in page.hunks if hunk.field == "layout"]
    wide = hunk_lines(page, at, {name.key: Choice("main")}, 60)
    assert [("  layout: width wide", "")] in wide


def test_one_side_stands_below_the_result_where_there_is_not() -> None:
    lines = drawn(60, Choice("main"))
    assert lines[0] == "Result: 2 main"
    assert any(line.startswith("  We retry nine") for line in lines)
    assert "1  This change request" in lines
    assert not any("five" in line for line in lines)
    assert all(len(line.rstrip()) <= 60 for line in lines)
    assert "  (nothing)" in drawn(60, Choice("text"))


def test_where_one_side_has_room_each_choice_says_what_it_makes() -> None:
    def lines(main: PageSide | None, field: str) -> list[str]:
        page = settled_page(PageSides("p", PageSide(BEFORE), main, PageSide(MINE, "guides")))
        [at] = [place for place, hunk in enumerate(page.hunks) if hunk.field == field]
        found = hunk_lines(page, at, {}, 76, name=lambda page: page.title())
        return ["".join(text for text, _ in line) for line in found]

    assert lines(None, "page")[:4] == [
        "Result: open", "1 here: keep, edited", "2 main: delete", "0 before: the page as it was",
    ]  # fmt: skip
    assert lines(PageSide(BEFORE, "limits\x1b"), "place")[1:4] == [
        "1 here: below Guides", "2 main: below Limits", "0 before: at the top",
    ]  # fmt: skip

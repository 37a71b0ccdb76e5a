"""The colours of the themes: readable, and each with one meaning."""

from __future__ import annotations

import pytest
from rich.style import Style
from textual.color import Color
from textual.theme import Theme

from copydesk.tui.app import theme_names
from copydesk.tui.framework.theme import (
    DARK,
    LIGHT,
    MONO,
    SAFE_DARK,
    SAFE_LIGHT,
    THEMES,
    tones,
    with_derived,
)
from copydesk.tui.widgets.list import over

MEANINGS = ("good", "warn", "bad", "muted", "mine", "link")
PLAIN = ("accent", "title", "who", "strong")
"""Tones of keys, titles and people."""


def contrast(one: Color, two: Color) -> float:
    """Return the contrast of two colours as WCAG 2 defines it, from 1 to 21."""

    def light(colour: Color) -> float:
        parts = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in colour.normalized
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted((light(one), light(two)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [DARK, LIGHT, SAFE_DARK, SAFE_LIGHT], ids=lambda each: each.name)
def test_every_colour_can_be_read_on_the_background(theme: Theme) -> None:
    background = Color.parse(theme.background or "")
    named = tones(theme).styles
    colours = {name: named[name].color for name in MEANINGS}
    colours["text"] = Style.parse(theme.foreground or "").color
    for name, colour in colours.items():
        assert colour is not None
        ratio = contrast(background, Color.from_rich_color(colour))
        assert ratio > 5, f"{name}: {ratio:.2f}"


@pytest.mark.parametrize("theme", [DARK, LIGHT, SAFE_DARK, SAFE_LIGHT], ids=lambda each: each.name)
def test_every_colour_can_be_read_where_else_it_is_drawn(theme: Theme) -> None:
    background = Color.parse(theme.background or "")
    colours = {name: getattr(theme, name) for name in ("foreground", "primary", "success", "error",
                                                      "background", "surface")}  # fmt: skip
    derived = with_derived({**colours, **theme.variables})

    def mixed(variable: str) -> Color:
        colour, _, share = derived[variable].partition(" ")
        return background.blend(Color.parse(colour), float(share.rstrip("%")) / 100)

    grounds = {
        "surface": (Color.parse(theme.surface or ""), 4.5),
        "panel": (Color.parse(theme.panel or ""), 4),
        "row under the cursor, in bold": (mixed("cursor-background"), 3),
        "row of another pane": (mixed("away-background"), 4),
        "range": (mixed("range-background"), 3.5),
        "added": (mixed("added-background"), 4),
        "removed": (mixed("removed-background"), 4),
    }
    named = tones(theme).styles
    for where, (ground, least) in grounds.items():
        for name in MEANINGS:
            colour = named[name].color
            assert colour is not None
            ratio = contrast(ground, Color.from_rich_color(colour))
            assert ratio > least, f"{name} on {where}: {ratio:.2f}"


@pytest.mark.parametrize("theme", THEMES, ids=lambda each: each.name)
def test_amber_is_that_someone_must_act_and_nothing_else(theme: Theme) -> None:
    named = tones(theme).styles
    if theme is not MONO:
        amber = named["warn"]
        others = [name for name, style in named.items() if style.color == amber.color]
        if amber.bgcolor is None:
            assert others == ["warn"]
        looks = {str(named[name]) for name in MEANINGS}
        assert len(looks) == len(MEANINGS)
    for name in PLAIN:
        assert named[name].color in (None, Style.parse(
            (theme.foreground or "").replace("ansi_", "")).color)  # fmt: skip


def test_mono_has_no_colour_at_all() -> None:
    for name, style in tones(MONO).styles.items():
        for colour in (style.color, style.bgcolor):
            assert colour is None or colour.is_default, name


def test_what_someone_must_act_on_and_what_failed_differ_without_a_colour() -> None:
    looks = {name: str(tones(MONO).styles[name]) for name in MEANINGS}
    assert len({*looks.values()}) == len(MEANINGS), looks


def test_a_row_that_is_drawn_reversed_has_one_colour() -> None:
    row = Style(reverse=True, bold=True)
    for own in (Style(color="red"), Style(dim=True), Style(underline=True, color="blue")):
        drawn = over(row, own)
        assert drawn.color is None
        assert not drawn.dim
        assert drawn.underline is own.underline
    assert over(Style(bold=True), Style(color="red")).color is not None


def test_the_names_of_the_settings_are_those_of_the_themes() -> None:
    assert {"dark", "light", "colour-blind", "ansi", "mono"} <= set(theme_names())

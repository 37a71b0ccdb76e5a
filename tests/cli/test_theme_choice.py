"""Which theme is drawn, by the setting and by what the environment tells of the terminal."""

from __future__ import annotations

import os

import pytest
from textual.app import App

from copydesk.cli.terminal import all_colours, theme_of


@pytest.mark.parametrize(
    ("wanted", "environment", "theme"),
    [
        ("auto", {}, "dark"),
        ("", {}, "dark"),
        ("auto", {"NO_COLOR": "1", "TERM": "linux"}, "mono"),
        ("auto", {"TERM": "linux"}, "ansi"),
        ("auto", {"TERM": "vt102"}, "ansi"),
        ("auto", {"TERM": "xterm-color"}, "ansi"),
        ("auto", {"TERM": "vte"}, "dark"),
        ("auto", {"TERM": "linux", "COLORFGBG": "0;15"}, "ansi-light"),
        ("auto", {"COLORFGBG": "0;default;15"}, "light"),
        ("auto", {"COLORFGBG": "15;0"}, "dark"),
        ("colour-blind", {"COLORFGBG": "0;7"}, "colour-blind-light"),
        ("colour-blind", {"NO_COLOR": "1"}, "colour-blind"),
        ("dark", {"NO_COLOR": "1", "COLORFGBG": "0;15", "TERM": "linux"}, "dark"),
        ("nord", {"COLORFGBG": "0;15"}, "nord"),
        ("copydesk-dark", {"COLORFGBG": "0;15"}, "dark"),
        ("copydesk-light", {}, "light"),
    ],
)
def test_a_named_theme_wins_and_auto_follows_the_terminal(
    monkeypatch: pytest.MonkeyPatch, wanted: str, environment: dict[str, str], theme: str
) -> None:
    for name in ("NO_COLOR", "COLORFGBG", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert theme_of(wanted) == theme


def test_what_the_terminal_answers_goes_before_what_the_environment_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORFGBG", "0;15")
    assert theme_of("auto", light=False) == "dark"
    monkeypatch.delenv("COLORFGBG")
    assert theme_of("auto", light=True) == "light"


@pytest.mark.parametrize(
    ("told", "system"),
    [
        ({"TERM": "xterm"}, "256"),
        ({"TERM": "screen", "NO_COLOR": "1"}, "256"),
        ({"TERM": "alacritty"}, "256"),  # elsewhere than where COLORTERM is told too, as with ssh
        ({"TERM": "alacritty", "COLORTERM": "truecolor"}, "truecolor"),
        ({"TERM": "linux"}, "standard"),
        ({"TERM": "xterm-16color"}, "standard"),
        ({}, "standard"),
    ],
)
def test_a_theme_has_as_many_colours_as_the_terminal(
    monkeypatch: pytest.MonkeyPatch, told: dict[str, str], system: str
) -> None:
    for name in ("NO_COLOR", "COLORTERM", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in told.items():
        monkeypatch.setenv(name, value)
    before = dict(os.environ)
    with all_colours():
        app: App[None] = App()
    assert (app.console.color_system, app.no_color) == (system, False)
    assert dict(os.environ) == before

"""Themes, and the tones that row and text renderers use by name.

Renderers write ``Text("ready", style="good")`` and know nothing of colours; the names below follow
the Textual theme, which the user can change.
"""

from __future__ import annotations

from rich.theme import Theme as RichTheme
from textual.theme import Theme

DARK = Theme(
    name="copydesk-dark",
    primary="#7aa2d6",
    secondary="#9d8fd1",
    accent="#e0af5a",
    foreground="#d6dae0",
    background="#14171c",
    surface="#191d24",
    panel="#232932",
    success="#86b97b",
    warning="#e0af5a",
    error="#e0736f",
    dark=True,
    variables={"border-blurred": "#3a4350", "footer-key-foreground": "#e0af5a"},
)

LIGHT = Theme(
    name="copydesk-light",
    primary="#2b5f9e",
    secondary="#6a4fa3",
    accent="#9a5b00",
    foreground="#22262c",
    background="#fbfaf7",
    surface="#f3f1ec",
    panel="#e6e3db",
    success="#2f7a3c",
    warning="#8f5a00",
    error="#b3302b",
    dark=False,
    variables={"border-blurred": "#c3beb2", "footer-key-foreground": "#9a5b00"},
)

THEMES = (DARK, LIGHT)


def tones(theme: Theme) -> RichTheme:
    """Return the named styles for ``rich.text.Text`` under a theme.

    ``good warn bad muted accent strong emphasis title code link who added removed moved changed
    match``.
    Added is underlined and removed struck through, so that colour is never the only sign.
    """
    foreground = theme.foreground or ("#e0e0e0" if theme.dark else "#202020")
    muted = "#8a93a0" if theme.dark else "#6b6b66"
    good, bad = theme.success or "green", theme.error or "red"
    accent, primary = theme.accent or "yellow", theme.primary
    named = {
        "good": good,
        "warn": theme.warning or "yellow",
        "bad": bad,
        "muted": muted,
        "accent": accent,
        "strong": f"bold {foreground}",
        "title": f"bold {primary}",
        "code": theme.secondary or "magenta",
        "link": f"underline {primary}",
        "who": primary,
        "added": f"underline {good}",
        "removed": f"strike {bad}",
        "moved": theme.secondary or "magenta",
        "changed": accent,
        "emphasis": "italic",
        "match": "reverse",
    }
    safe = {name: _hex(style) for name, style in named.items()}
    return RichTheme(safe, inherit=False)


def _hex(style: str) -> str:
    """Themes may name ANSI colours as Textual does (``ansi_red``); Rich says ``red``."""
    return style.replace("ansi_", "")

"""Themes, and the tones that row and text renderers use by name.

Renderers write ``Text("ready", style="good")`` and know nothing of colours. Each colour has one
meaning: blue is where I am, amber that someone must act, green done, red failed or removed, violet
mine and not sent yet. Titles, keys and people are plain or bold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.theme import Theme as RichTheme
from textual.theme import Theme

from copydesk.domain.sure import sure

if TYPE_CHECKING:
    from copydesk.domain.own_theme import OwnTheme

DARK = Theme(
    name="dark",
    primary="#7aa2d6",
    secondary="#9d8fd1",
    accent="#7aa2d6",
    foreground="#d6dae0",
    background="#14171c",
    surface="#191d24",
    panel="#232932",
    success="#86b97b",
    warning="#e0af5a",
    error="#e0736f",
    dark=True,
    variables={"border-blurred": "#3a4350", "muted": "#8a93a0"},
)

LIGHT = Theme(
    name="light",
    primary="#2b5f9e",
    secondary="#6a4fa3",
    accent="#2b5f9e",
    foreground="#22262c",
    background="#fbfaf7",
    surface="#f3f1ec",
    panel="#e6e3db",
    success="#2f7a3c",
    warning="#8f5a00",
    error="#b3302b",
    dark=False,
    variables={"border-blurred": "#c3beb2", "muted": "#6b6b66"},
)


def _strong(here: str) -> dict[str, str]:
    """Return backgrounds with so little of a strong colour that words on them can be read."""
    return {"cursor-background": f"{here} 18%", "range-background": f"{here} 14%"}


SAFE_DARK = replace(
    DARK,
    name="colour-blind",
    primary="#ffffff",
    secondary="#cc79a7",
    accent="#ffffff",
    success="#56b4e9",
    warning="#f0e442",
    error="#e8702a",
    variables={**DARK.variables, **_strong("#ffffff")},
)

SAFE_LIGHT = replace(
    LIGHT,
    name="colour-blind-light",
    primary="#000000",
    secondary="#8b3a6b",
    accent="#000000",
    success="#005a9c",
    warning="#6b5800",
    error="#a63d00",
    variables={**LIGHT.variables, **_strong("#000000")},
)

_REVERSED = {
    "cursor-background": "ansi_default",
    "cursor-style": "bold reverse",
    "away-background": "ansi_default",
    "away-style": "underline",
    "added-background": "ansi_default",
    "removed-background": "ansi_default",
    "range-background": "ansi_default",
    "range-style": "reverse",
}
"""What stands for backgrounds that mix two colours, where there is nothing to mix."""

ANSI_DARK = Theme(
    name="ansi",
    primary="ansi_bright_blue",
    secondary="ansi_bright_magenta",
    accent="ansi_bright_blue",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    success="ansi_green",
    warning="ansi_yellow",
    error="ansi_bright_red",
    dark=True,
    ansi=True,
    variables={
        **_REVERSED,
        # Not the bright black: several palettes have it as their background.
        "border-blurred": "ansi_default",
        "muted": "ansi_default",
        "muted-style": "dim",
        "scrollbar-thumb": "ansi_default",
    },
)

ANSI_LIGHT = replace(
    ANSI_DARK,
    name="ansi-light",
    primary="ansi_blue",
    secondary="ansi_magenta",
    accent="ansi_blue",
    error="ansi_red",
    dark=False,
)

MONO = replace(
    ANSI_DARK,
    name="mono",
    primary="ansi_default",
    secondary="ansi_default",
    accent="ansi_default",
    success="ansi_default",
    warning="ansi_default",
    error="ansi_default",
    variables={**ANSI_DARK.variables, "current-style": "bold reverse"},
)

THEMES = (DARK, LIGHT, SAFE_DARK, SAFE_LIGHT, ANSI_DARK, ANSI_LIGHT, MONO)

_OWN: dict[str, Theme] = {}


def use_own(themes: Sequence[OwnTheme]) -> None:
    """Have themes of a person's own beside these, in place of those before."""
    bases = {theme.name: theme for theme in THEMES}
    _OWN.clear()
    _OWN.update((each.name, _made(each, bases[each.base])) for each in themes)


def all_themes() -> Sequence[Theme]:
    """Return the themes of copydesk, and those of a person's own."""
    return (*THEMES, *_OWN.values())


def _made(own: OwnTheme, base: Theme) -> Theme:
    colour = own.colours.get
    background = colour("background", base.background)
    here = sure(colour("here", base.primary))
    return replace(
        base,
        name=own.name,
        primary=here,
        accent=colour("here", base.accent),
        secondary=colour("mine", base.secondary),
        foreground=colour("text", base.foreground),
        background=background,
        surface=colour("surface", colour("background", base.surface)),
        panel=colour("panel", base.panel),
        success=colour("good", base.success),
        warning=colour("act", base.warning),
        error=colour("bad", base.error),
        variables={**base.variables, "muted": colour("dim", base.variables["muted"])},
    )


_TONES = {
    MONO.name: {
        "good": "none",
        "warn": "bold",
        "bad": "bold underline",
        "mine": "italic",
        "keyword": "bold",
        "link": "underline",
        "added": "underline",
        "removed": "strike",
    },
    ANSI_LIGHT.name: {"good": "bold green", "warn": "black on yellow"},
}
"""What a theme says other than by its colours."""


def with_derived(colours: dict[str, str]) -> dict[str, str]:
    """Return colours with those that a theme need not say, made of the others; none of none."""
    if not colours:
        return colours
    text, here = colours["foreground"], colours["primary"]
    return {
        "muted": f"{text} 55%",
        "muted-style": "none",
        "current-style": "bold",
        "cursor-background": f"{here} 25%",
        "cursor-style": "bold",
        "away-background": f"{text} 10%",
        "away-style": "none",
        "added-background": f"{colours['success']} 9%",
        "removed-background": f"{colours['error']} 9%",
        "range-background": f"{here} 18%",
        "range-style": "none",
        "scrollbar-thumb": f"{text} 30%",
        # Textual's own style sheets use these, and its ANSI themes do not have them.
        "ansi-background": colours["background"],
        "ansi-foreground": text,
        "foreground-disabled": text,
        "surface-active": colours["surface"],
        **colours,
    }


def tones(theme: Theme) -> RichTheme:
    """Return the named styles for ``rich.text.Text`` under a theme.

    ``good warn bad muted mine accent strong emphasis title code keyword link who added removed
    moved changed match``.
    Added is underlined and removed struck through, so that colour is never the only sign.
    """
    foreground = theme.foreground or ("#e0e0e0" if theme.dark else "#202020")
    muted = theme.variables.get("muted") or ("#8a93a0" if theme.dark else "#6b6b66")
    if (weight := theme.variables.get("muted-style", "none")) != "none":
        muted = weight
    good, bad = theme.success or "green", theme.error or "red"
    mine = theme.secondary or "magenta"
    named = {
        "good": good,
        "warn": theme.warning or "yellow",
        "bad": bad,
        "muted": muted,
        "mine": mine,
        "accent": "bold",
        "strong": f"bold {foreground}",
        "title": "bold",
        "code": "none" if theme.ansi or not theme.panel else f"on {theme.panel}",
        "link": f"underline {theme.primary}",
        "who": "none",
        "keyword": mine,
        "added": f"underline {good}",
        "removed": f"strike {bad}",
        "moved": mine,
        "changed": "bold",
        "emphasis": "italic",
        "match": "reverse",
        **_TONES.get(theme.name, {}),
    }
    if theme.name == MONO.name:
        named["moved"] = named["mine"]
    safe = {name: style.replace("ansi_", "") for name, style in named.items()}
    return RichTheme(safe, inherit=False)

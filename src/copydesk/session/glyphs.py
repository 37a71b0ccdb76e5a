"""Every sign that copydesk draws, with its ASCII form, and the names of emoji."""

from __future__ import annotations

from dataclasses import fields
from functools import cache

from copydesk.domain.late_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The signs of one style; every one but ``spark`` fills one cell."""

    live: str = "●"
    changed: str = "●"
    marked: str = "*"
    outdated: str = "^"
    cursor: str = ">"
    folded: str = "▸"
    unfolded: str = "▾"
    more: str = "…"
    passed: str = "✓"
    failed: str = "✗"
    bullet: str = "•"
    rule: str = "─"
    quote: str = "▎"
    up: str = "↑"
    down: str = "↓"
    right: str = "→"
    shifted: str = "⇅"
    branch: str = "└"
    gap: str = "⋯"
    bar: str = "│"
    dot: str = "·"
    merged: str = "▲"
    waits: str = "»"
    news: str = "◆"
    left: str = "←"
    tabs: str = "▣"
    step: str = "▷"
    card: str = "▦"
    column: str = "◫"
    embed: str = "⧉"
    block: str = "▪"
    starred: str = "★"
    spark: str = "▁▂▃▄▅▆▇█"


UNICODE = Glyphs()
ASCII = Glyphs(
    live="*",
    changed="o",
    marked="*",
    outdated="^",
    cursor=">",
    folded="+",
    unfolded="-",
    more="~",
    passed="v",
    failed="x",
    bullet="*",
    rule="-",
    quote="|",
    up="^",
    down="v",
    right=">",
    shifted="%",
    branch="`",
    gap="~",
    bar="|",
    dot=".",
    starred="*",
    merged="^",
    waits="w",
    news="!",
    left="<",
    tabs="=",
    step=">",
    card="#",
    column=":",
    embed="@",
    block="%",
    spark="..::||##",
)

_current = UNICODE


def glyphs() -> Glyphs:
    """Return the signs in use."""
    return _current


def use(style: str) -> None:
    """Choose ``"unicode"`` or ``"ascii"``. Raises ValueError for anything else."""
    global _current
    if style not in ("unicode", "ascii"):
        raise ValueError(f'glyphs: {style!r} is not known; use "unicode" or "ascii"')
    _current = UNICODE if style == "unicode" else ASCII


def pairs() -> list[tuple[str, str, str]]:
    """Return (name, sign, ASCII form) of every glyph, for the documentation and its test."""
    return [(f.name, getattr(UNICODE, f.name), getattr(ASCII, f.name)) for f in fields(Glyphs)]


@cache
def emoji_names() -> tuple[tuple[str, str], ...]:
    """Return (name, sign) of every emoji, without variants of skin tone.

    The first call imports a large table: make it in a thread.
    """
    from emoji import EMOJI_DATA, STATUS

    found = []
    for sign, known in EMOJI_DATA.items():
        if known["status"] != STATUS["fully_qualified"] or "skin_tone" in known["en"]:
            continue
        names = (known["en"], *known.get("alias", ()))
        found += [(name.strip(":").casefold(), sign) for name in names]
    return tuple(found)

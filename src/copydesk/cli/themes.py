"""The colour themes that the settings may name."""

from __future__ import annotations


def why_no_theme(name: str) -> str:
    """Return why a theme cannot be used, as a sentence with those that can; "" where it can."""
    if not name:
        return ""
    from textual.theme import BUILTIN_THEMES

    from copydesk.domain.text import clean, listed, shorten
    from copydesk.tui.theme import THEMES

    known = sorted({*BUILTIN_THEMES, *(theme.name for theme in THEMES)})
    if name in known:
        return ""
    return (
        f"theme is {shorten(clean(name), 60)!r}: there is no such theme. Use {listed(known, 'or')}"
    )

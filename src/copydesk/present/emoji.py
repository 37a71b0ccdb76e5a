"""Emoji of titles, drawn only if every terminal agrees on their width."""

from __future__ import annotations

from rich.cells import cell_len

from copydesk.session.glyphs import ASCII, glyphs


def before(emoji: str, title: str) -> str:
    """Return a title with its emoji in front.

    Flags and joined signs are one, two or four cells wide depending on the terminal, which would
    misalign the columns behind them: they are left out.
    """
    if len(emoji) != 1 or emoji.isascii() or glyphs() is ASCII:
        return title
    return f"{emoji}{' ' * (3 - cell_len(emoji))}{title}" if cell_len(emoji) else title

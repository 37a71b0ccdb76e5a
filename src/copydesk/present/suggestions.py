"""Suggestions as text: the lines as they are and as they should be, and whether they fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.domain.suggestion import Fit, Suggestion
from copydesk.domain.text import exposed, plural
from copydesk.present.markdown import wrap_exact
from copydesk.session.glyphs import glyphs

if TYPE_CHECKING:
    from copydesk.domain.diff import Line as Compared
    from copydesk.present.markdown import Line

MOST_LINES = 60
"""Lines of a suggestion that are drawn; the rest is counted."""

LONGEST_LINE = 2_000
"""Characters of a line that are drawn."""

SIGNS = {"added": ("+", "good"), "removed": ("-", "bad")}


IN_REPLY = Fit(why="In a reply: edit the page by hand.")
"""How any suggestion in a reply stands: a comment alone is on a line."""


def standing(fit: Fit) -> tuple[str, str]:
    """Return whether a suggestion fits, or why not, and its tone."""
    return ("fits", "good") if fit.fits else (f"does not fit: {fit.why}", "warn")


def place(fit: Fit | None) -> str:
    """Return which lines a suggestion is about: "suggests, line 13"."""
    return f"suggests, {fit.where}" if fit is not None and fit.old else "suggests"


def compared(suggestion: Suggestion, fit: Fit | None) -> tuple[list[Compared], int]:
    """Return the lines of a suggestion as a diff, and how many more there are.

    Where the old lines are not known, all are new.
    """
    from copydesk.domain.diff import compare

    old = () if fit is None else fit.old
    shown = [
        exposed("\n".join(line[:LONGEST_LINE] for line in lines[:MOST_LINES]))
        for lines in (old, suggestion.lines)
    ]
    more = max(0, len(old) - MOST_LINES) + max(0, len(suggestion.lines) - MOST_LINES)
    found = compare(*shown)
    kinds = ("same", "added", "removed", "moved")
    return [line for line in found if line.kind in kinds], more


def draw_suggestion(suggestion: Suggestion, fit: Fit | None, width: int) -> list[Line]:
    """Return the lines of a suggestion: a diff, and whether it fits."""
    from copydesk.present.diff import marked

    lines, more = compared(suggestion, fit)
    shown: list[Line] = []
    for line in lines:
        sign, tone = SIGNS.get(line.kind, (" ", "muted"))
        for part in wrap_exact(marked(line, tone), max(8, width - 2)):
            shown.append([(f"{sign} ", tone), *part])
            sign = " "
    if not suggestion.lines and (fit is None or not fit.old):
        shown.append([("- deletes the lines", "bad")])
    if more:
        shown.append([(f"  {glyphs().more} {plural(more, 'line')} more", "muted")])
    if fit is not None:
        shown += wrap_exact([standing(fit)], width)
    return shown


def suggestion_lines(suggestion: Suggestion, fit: Fit | None) -> list[str]:
    """Return the same as plain lines, for a command."""
    lines, more = compared(suggestion, fit)
    said = [f"{SIGNS.get(line.kind, (' ', ''))[0]} {line.text}".rstrip() for line in lines]
    return [*said, *([f"  {plural(more, 'line')} more"] if more else [])]

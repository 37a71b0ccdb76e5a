"""What changed in rich text, as the facts of a sheet."""

from __future__ import annotations

from rich.text import Text

from copydesk.domain.diff import compare
from copydesk.domain.text import exposed, plural
from copydesk.session.glyphs import glyphs

MOST_ROWS = 300
"""Rows of a change that a sheet shows; the others are counted."""

LONGEST_ROW = 2_000
"""Characters of one row that are shown."""

_SIGNS = {"added": ("+ ", "good"), "removed": ("- ", "bad")}


def change_lines(before: str, after: str) -> list[Text]:
    """Return what differs between two texts, a fact for each row, with a little around it."""
    found = compare(exposed(before), exposed(after))
    lines: list[Text] = []
    rows = 0
    for hunk in found.hunks():
        if hunk.folded:
            same = plural(hunk.stop - hunk.start, "line")
            lines.append(Text(f"  {glyphs().more} {same} the same", style="muted"))
            continue
        for index in range(hunk.start, hunk.stop):
            rows += 1
            if rows > MOST_ROWS:
                continue
            line = found[index]
            sign, tone = _SIGNS.get(line.kind, ("  ", ""))
            text = line.text
            more = f" {glyphs().more}" if len(text) > LONGEST_ROW else ""
            if line.kind in ("from", "to"):
                text, tone = "(stands elsewhere now)", "muted"
            lines.append(Text(f"{sign}{text[:LONGEST_ROW]}{more}", style=tone))
    if rows > MOST_ROWS:
        lines.append(
            Text(f"{glyphs().more} {plural(rows - MOST_ROWS, 'line')} more", style="muted")
        )
    if not found.changed:
        lines = [Text("Only what is not seen differs: how it is spelled, or its parts.", "muted")]
    return lines

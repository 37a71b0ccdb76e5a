"""A conflict as text: its kind, and the texts of both sides, beside or below each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.text import clean
from copydesk.domain.words import compare_words
from copydesk.present.diff import wrap_exact
from copydesk.present.markdown import Line
from copydesk.session.glyphs import glyphs

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import Conflict, ConflictLines
    from copydesk.domain.words import Spans

SAID: Mapping[str, str] = {
    "edited": "both sides edited the same lines",
    "edited-deleted": "edited here, removed in main",
    "deleted-edited": "removed here, edited in main",
    "moved": "both sides moved it",
    "renamed": "both sides renamed it",
    "added": "both sides added it",
}
"""The meanings of the kinds of conflicts."""

HOW_TO_SETTLE = (
    "On a platform, edit these pages in the change request. What came from git: “copydesk desk "
    "export” into a checkout of its main branch, commit, merge that into the request's branch (or "
    "rebase the branch on it), and “copydesk desk import” once more. An update does not help. "
    "Or archive it."
)
"""How to resolve a conflict."""

BESIDE = 76
"""The width from which the two sides stand beside each other."""

GAP = 3
"""Cells between them."""

MAIN, HERE, BASE = "main", "this request", "before"

SIDE = max(map(len, (MAIN, HERE, BASE)))
"""Cells of the name of a side, where sides stand below each other."""

MOST_LINES = 400
"""The number of lines of one side of a hunk."""


def conflict_name(conflict: Conflict) -> str:
    """Return the object of a conflict; "" where the service does not name it."""
    if conflict.page is not None:
        return clean(conflict.page.title or conflict.page.path or conflict.page.id)
    if conflict.file is not None:
        return clean(conflict.file.path or conflict.file.name or conflict.file.id)
    return ""


def conflict_head(conflict: Conflict) -> Text:
    """Return the object of a conflict and its kind."""
    return Text.assemble(
        (f"{glyphs().failed} ", "bad"),
        (conflict_name(conflict) or "something", "strong"),
        f": {SAID.get(conflict.kind, clean(conflict.kind))}",
    )


def both_sides(hunks: Sequence[ConflictLines], width: int) -> list[Text]:
    """Return the texts of both sides, hunk by hunk, in lines of at most ``width`` cells."""
    return [line for hunk in hunks for line in _hunk(hunk, width)]


def _hunk(hunk: ConflictLines, width: int) -> Iterator[Text]:
    yield Text(f"line {hunk.start}", style="muted")
    if hunk.base:
        yield from _stacked(BASE, [_plain(line) for line in hunk.base], width)
    main, here = _marked(hunk.primary, hunk.change)
    if width < BESIDE:
        yield from _stacked(MAIN, main, width)
        yield from _stacked(HERE, here, width)
        yield Text()
        return
    column = (width - GAP) // 2
    yield _beside([(MAIN, "muted")], [(HERE, "muted")], column)
    left = [part for line in main or [_nothing()] for part in wrap_exact(line, column)]
    right = [part for line in here or [_nothing()] for part in wrap_exact(line, column)]
    for at in range(max(len(left), len(right))):
        yield _beside(
            left[at] if at < len(left) else [], right[at] if at < len(right) else [], column
        )
    yield Text()


def _beside(left: Line, right: Line, column: int) -> Text:
    text = Text.assemble(*left)
    text.append(" " * max(0, column - text.cell_len))
    text.append(f" {glyphs().bar} ", style="muted")
    return text.append_text(Text.assemble(*right))


def _stacked(side: str, lines: Sequence[Line], width: int) -> Iterator[Text]:
    lead = f"  {side:<{SIDE}}  "
    for line in lines or [_nothing()]:
        for part in wrap_exact(line, max(8, width - len(lead))):
            yield Text.assemble((lead, "muted"), *part)
            lead = " " * len(lead)


def _nothing() -> Line:
    return [("(nothing)", "muted")]


def _plain(line: str) -> Line:
    return [(clean(line, limit=2_000), "")]


def _marked(main: Sequence[str], here: Sequence[str]) -> tuple[list[Line], list[Line]]:
    """Return the lines of both sides with marked differences, line by line."""
    old, new = _cut(main), _cut(here)
    if len(old) != len(new):
        return [_plain(line) for line in old], [_plain(line) for line in new]
    pairs = [compare_words(one, other) for one, other in zip(old, new, strict=True)]
    return [_signed(one) for one, _ in pairs], [_signed(other) for _, other in pairs]


def _signed(spans: Spans) -> Line:
    return [(span.text, "" if span.kind == "same" else "changed") for span in spans]


def _cut(lines: Sequence[str]) -> list[str]:
    shown = [clean(line, limit=2_000) for line in lines[:MOST_LINES]]
    more = len(lines) - len(shown)
    return [*shown, f"({more} more lines)"] if more > 0 else shown

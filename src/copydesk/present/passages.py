"""Parts of a text to copy: a thread and a table as Markdown, a hunk as a diff."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple

from copydesk.domain.blocks import QUOTED, quoted
from copydesk.domain.git_patch import Side, file_patch
from copydesk.domain.request_folder import ENDING
from copydesk.domain.text import clean
from copydesk.present.markdown import MarkdownBlock, blocks
from copydesk.session.names import person_name

if TYPE_CHECKING:
    from copydesk.domain.page_text import PageText
    from copydesk.present.threads import Thread
    from copydesk.session.page_changes import ReviewChange

_RANGES = re.compile(rb"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")


class Passage(NamedTuple):
    """A part of a text that can be copied: its name, a note, and what makes its text.

    The text is made only when it is chosen: that may take a request, or a while.
    """

    name: str
    note: str
    text: Callable[[], Awaitable[str]]


def thread_text(thread: Thread, where: str) -> str:
    """Return a thread as Markdown: what it is about, and each message with its author and time.

    ``where`` names the page or the change request that it is on; "" where that is not told.
    """
    comment = thread.comment
    state = "" if thread.open or thread.verdict else " (resolved)"
    said = [f"On {where}{state}:"] if where else []
    if thread.node is not None and (line := quoted(thread.node)):
        more = "…" if len(line) == QUOTED else ""
        said.append(f"> {clean(line)}{more}")
    for message in (comment, *(thread.replies or ())):
        at = f"{message.posted_at:%Y-%m-%d %H:%M %Z}".strip()
        said.append(f"**{person_name(message.posted_by)}**, {at}:")
        said.append((message.body.markdown or "").strip())
    return "\n\n".join(part for part in said if part) + "\n"


def line_passages(change: ReviewChange, text: PageText, at: int) -> list[Passage]:
    """Return what can be copied of the text around a row of a page's diff: its hunk, its table."""
    found: list[Passage] = []
    was = None if change.before is None else f"{change.before.path}{ENDING}"
    now = None if change.after is None else f"{change.after.path}{ENDING}"
    if text.diff.changed:

        async def hunk() -> str:
            return await asyncio.to_thread(hunk_text, text, at, was, now)

        found.append(Passage("hunk", "the changed lines here, as a diff", hunk))
    if text.diff[at].table:

        async def table() -> str:
            return await asyncio.to_thread(table_at, text, at)

        found.append(Passage("table", "the table here, as Markdown", table))
    return found


def hunk_text(text: PageText, at: int, was: str | None, now: str | None) -> str:
    """Return the hunk that a row of a page's diff is in, or the nearest, as a diff.

    ``was`` and ``now`` are the paths of the page; None where there is none on that side. The lines
    are those on screen, in which invisible characters have names. Takes time linear to the texts.
    """
    old = None if was is None else text.before.encode("utf-8", "replace")
    new = None if now is None else text.after.encode("utf-8", "replace")
    patch = b"".join(file_patch(Side(was or "", old), Side(now or "", new)))
    found = [*_RANGES.finditer(patch)]
    # Every line of a patch begins with a sign: what looks like a header is one.
    heads = [each for each in found if patch[: each.start()].endswith(b"\n")]
    if not heads:
        return ""
    after, line = _line_of(text, at)
    side = 3 if after else 1

    def away(head: re.Match[bytes]) -> int:
        start, count = int(head[side]), int(head[side + 1])
        return max(start - line, line - (start + max(count, 1) - 1), 0)

    chosen = min(heads, key=away)
    stop = next((each.start() for each in heads if each.start() > chosen.start()), len(patch))
    names = patch[: heads[0].start()]
    begins = names.index(b"\n--- ") + 1
    return (names[begins:] + patch[chosen.start() : stop]).decode("utf-8", "replace")


def _line_of(text: PageText, at: int) -> tuple[bool, int]:
    """Return the line (from 1) that a row of a diff is, and whether it is one of the text after."""
    segment, step = text.diff.place(text.pair(at)[-1])
    step = step // 2 if segment.kind == "edited" else step
    after = segment.after >= 0
    side = text.diff.after if after else text.diff.before
    row = max(segment.after if after else segment.before, 0)
    _, start, _ = side.row(row + step)
    return after, side.line_of(start) + 1


def table_at(text: PageText, at: int) -> str:
    """Return the table that a row of a diff is in, as Markdown; empty where it is in none.

    It is the table as it is now, or as it was where it is deleted.
    """
    segment, step = text.diff.place(text.pair(at)[-1])
    step = step // 2 if segment.kind == "edited" else step
    after = segment.after >= 0
    side, row = (text.diff.after, segment.after) if after else (text.diff.before, segment.before)
    block = side.block_of(row + step) if row >= 0 else None
    if block is None:
        return ""
    rows = range(side.blocks[block].first, side.blocks[block].stop)
    return table_text(blocks(dedent("".join(side.source(each) for each in rows))))


def table_text(pieces: Iterable[MarkdownBlock]) -> str:
    """Return the first table among blocks as one of Markdown; empty where there is none."""
    found = [piece for piece in pieces if piece.table is not None]
    table = found[0].table if found else None
    if table is None:
        return ""
    rows = [table.cells(row) for piece in found if piece.table is table for row in piece.lines]
    head = [*table.head, *[""] * (table.count - len(table.head))]
    rules = [*["---:" if right else "---" for right in table.right], *["---"] * table.count]
    return "".join(_row(each) for each in (head, rules[: table.count], *rows))


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"

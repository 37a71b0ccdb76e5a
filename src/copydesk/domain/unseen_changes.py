"""Where two texts differ in characters that nobody sees: what a comparison must not hide."""

from __future__ import annotations

from copydesk.domain.blocks import BlockText
from copydesk.domain.diff import TextDiff
from copydesk.domain.text import NUMBER, unseen


def unseen_changes(diff: TextDiff, before: str, after: str) -> list[int]:
    """Return the lines of the text after (from 1) that have other unseen characters than before.

    ``diff`` compares the two as `copydesk.domain.text.exposed` has them. Rows that are gone are not
    looked at.
    """
    if not unseen(before) and not unseen(after):
        return []
    old, new = _lines(before), _lines(after)
    found: set[int] = set()
    for kind, was, now, size, _ in diff.segments:
        for step in range(size if now >= 0 and kind not in ("from", "to") else 0):
            _, start, stop = diff.after.row(now + step)
            if kind == "added":
                found.update(
                    diff.after.line_of(at) + 1
                    for at in range(start, stop)
                    if NUMBER.search(diff.after.lines[at])
                )
            elif was >= 0:
                row = diff.before.row(was + step)
                lines = _of(diff.before, row.start, row.stop), _of(diff.after, start, stop)
                (a, b), (c, d) = lines
                found.update(_differing(old[a:b], new[c:d], c + 1))
    return sorted(found)


def _lines(text: str) -> list[str]:
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def _of(text: BlockText, start: int, stop: int) -> tuple[int, int]:
    """Return which lines of a text some of its ``lines`` are of."""
    return text.line_of(start), text.line_of(stop - 1) + 1


def _differing(old: list[str], new: list[str], first: int) -> list[int]:
    was, now = [unseen(line) for line in old], [unseen(line) for line in new]
    if "".join(was) == "".join(now):
        return []
    if len(was) != len(now):
        return [first]
    return [first + at for at in range(len(was)) if was[at] != now[at]]

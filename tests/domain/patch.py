"""A difference that can be applied: which pieces of a text stay, where they go, and which are new.

It shows the rows of a `TextDiff` with every character: blanks, line ends and escapes that the rows
leave out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2s
from typing import NamedTuple, TypeAlias

from copydesk.domain.blocks import BlockText
from copydesk.domain.changed_words import matching_tokens, tokens
from copydesk.domain.diff import TextDiff


class Copy(NamedTuple):
    """Characters ``start`` up to ``stop`` of the text that the patch is applied to."""

    start: int
    stop: int


Step: TypeAlias = Copy | str
"""The next part of the new text: a piece of the old one, or new characters."""


@dataclass(frozen=True, slots=True)
class Patch:
    """The steps that make the new text of the old one. ``digest`` is that of the old."""

    digest: str
    steps: tuple[Step, ...]

    @property
    def written(self) -> int:
        """How many characters are new."""
        return sum(len(step) for step in self.steps if isinstance(step, str))


class _Kept(NamedTuple):
    """``size`` equal characters."""

    before: int
    after: int
    size: int


def patch(diff: TextDiff) -> Patch:
    """Return what makes the text after of the text before."""
    return _made(diff.before.text, diff.after.text, _kept(diff))


def reverse(diff: TextDiff) -> Patch:
    """Return what makes the text before of the text after."""
    back = sorted(_Kept(after, before, size) for before, after, size in _kept(diff))
    return _made(diff.after.text, diff.before.text, sorted(back, key=lambda kept: kept.after))


def apply(diff: TextDiff | Patch, text: str) -> str:
    """Return the new text. Raises ``ValueError`` when the text is not the one that was compared."""
    made = patch(diff) if isinstance(diff, TextDiff) else diff
    if made.digest != _digest(text):
        raise ValueError("This patch is for another text.")
    return "".join(step if isinstance(step, str) else text[step.start : step.stop]
                   for step in made.steps)  # fmt: skip


def _kept(diff: TextDiff) -> list[_Kept]:
    """Return what both texts have, in the order of the text after."""
    found: list[_Kept] = []
    old, new = diff.before, diff.after
    for kind, before, after, size, _ in diff.segments:
        if kind in ("from", "to", "added", "removed") or before < 0 or after < 0:
            continue
        for step in range(size):
            found.extend(_of_rows(old, before + step, new, after + step))
    return sorted(found, key=lambda kept: kept.after)


def _of_rows(old: BlockText, before: int, new: BlockText, after: int) -> Iterable[_Kept]:
    (a, _), (b, _) = old.span(before), new.span(after)
    was, now = old.source(before), new.source(after)
    if was == now:
        yield _Kept(a, b, len(was))
        return
    old_words, new_words = tokens(was), tokens(now)
    at_old = at_new = 0
    for run in matching_tokens(old_words, new_words):
        a += sum(map(len, old_words[at_old : run.before]))
        b += sum(map(len, new_words[at_new : run.after]))
        size = sum(map(len, old_words[run.before : run.before + run.size]))
        yield _Kept(a, b, size)
        a, b = a + size, b + size
        at_old, at_new = run.before + run.size, run.after + run.size


def _made(before: str, after: str, kept: list[_Kept]) -> Patch:
    steps: list[Step] = []
    at = 0
    for start, place, size in kept:
        if place > at:
            steps.append(after[at:place])
        last = steps[-1] if steps else None
        if isinstance(last, Copy) and last.stop == start:
            steps[-1] = Copy(last.start, start + size)
        else:
            steps.append(Copy(start, start + size))
        at = place + size
    if at < len(after):
        steps.append(after[at:])
    return Patch(_digest(before), tuple(steps))


def _digest(text: str) -> str:
    return blake2s(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()

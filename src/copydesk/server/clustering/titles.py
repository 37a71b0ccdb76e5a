"""What a cluster is called, and what it is about in short."""

from __future__ import annotations

from collections.abc import Sequence

from copydesk.server.clustering.problems import SUMMARY_LENGTH, sentences, shorten

LONGEST = 80
"""The longest title of a cluster, in characters."""


def title_of(said: Sequence[str]) -> str:
    """Return the title of a cluster from what its issues say, the most central first."""
    first = next(sentences(said[0]), "") if said else ""
    return shorten(first.strip(" .,;:-"), LONGEST)


def summary_of(said: Sequence[str]) -> str:
    """Return what the three most central issues of a cluster say."""
    lines = [shorten(text, SUMMARY_LENGTH // 3 - 3) for text in said[:3]]
    return " · ".join(lines)

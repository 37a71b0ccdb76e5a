"""Comparing the pages that real change requests edit: how long it takes, how many words it marks.

``python -m benchmarks diff`` reads the repository that ``BENCHMARK_REPOSITORY`` names (a folder, a
git repository or a bundle; `benchmarks.diff` alone takes its path as an argument) and compares, for
every branch, each page that it edits with what it was. Beside it stand ``difflib`` and
``git diff --word-diff`` on the same texts. Without a repository it compares pages made up here.
"""

from __future__ import annotations

import difflib
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.terminal import middle, table
from copydesk.domain.changed_words import count_words, tokens
from copydesk.domain.diff import compare
from copydesk.server.sources.git import Repository

TURNS = 5
REPOSITORY = "BENCHMARK_REPOSITORY"
TARGET_WORDS, TARGET_MS = 5_000, 150

Pair = tuple[str, str]
Marked = tuple[int, int]
"""Words marked as gone, and as new."""


def run() -> None:
    """Measure and print the ratios."""
    place = os.environ.get(REPOSITORY, "")
    pairs = _edited(Path(place)) if place else _made()
    where = f"{len(pairs)} pages edited by real change requests" if place else "made up pages"
    ways: list[tuple[str, Callable[[Sequence[Pair]], tuple[list[float], Marked]]]] = [
        ("copydesk", lambda found: _each(found, _ours)),
        ("difflib, by word", lambda found: _each(found, _difflib)),
        ("git diff --word-diff", _git),
    ]
    measured = [(name, *way(pairs)) for name, way in ways]
    ours = sum(measured[0][1])
    table(
        f"Comparing {where} (each the median of {TURNS}, added up)",
        ("what", "ratio", "ms", "slowest page, ms", "words gone", "words new"),
        [
            (
                name,
                f"{sum(times) / ours:.2f}",
                f"{sum(times) * 1000:.0f}",
                f"{max(times) * 1000:.0f}",
                str(marked[0]),
                str(marked[1]),
            )
            for name, times, marked in measured
        ],
    )
    print("  git's time is that of a process for each page; its words are between blanks.")
    long, edited = _long(TARGET_WORDS)
    (took,), _ = _each([(long, edited)], _ours)
    (theirs,), _ = _each([(long, edited)], _difflib)
    table(
        f"A page of {TARGET_WORDS:,} words with a word changed in every third paragraph",
        ("what", "ratio", "ms"),
        [
            (f"copydesk (target {TARGET_MS} ms)", "1.00", f"{took * 1000:.0f}"),
            ("difflib, by word", f"{theirs / took:.2f}", f"{theirs * 1000:.0f}"),
        ],
    )


def _each(pairs: Sequence[Pair], way: Callable[[str, str], Marked]) -> tuple[list[float], Marked]:
    times: list[float] = []
    gone = new = 0
    for before, after in pairs:
        turns: list[float] = []
        for _ in range(TURNS):
            started = time.perf_counter()
            marked = way(before, after)
            turns.append(time.perf_counter() - started)
        times.append(middle(turns))
        gone, new = gone + marked[0], new + marked[1]
    return times, (gone, new)


def _ours(before: str, after: str) -> Marked:
    """Compare, and mark every word of every row, whether a screen would show it or not."""
    gone = new = 0
    for line in compare(before, after):
        if line.kind == "removed":
            gone += count_words(line.spans)
        elif line.kind == "added":
            new += count_words(line.spans)
    return gone, new


def _difflib(before: str, after: str) -> Marked:
    old, new = tokens(before), tokens(after)
    found = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    changed = [(a1, a2, b1, b2) for tag, a1, a2, b1, b2 in found if tag != "equal"]
    return (
        sum(_is_word(word) for a1, a2, _, _ in changed for word in old[a1:a2]),
        sum(_is_word(word) for _, _, b1, b2 in changed for word in new[b1:b2]),
    )


def _git(pairs: Sequence[Pair]) -> tuple[list[float], Marked]:
    with tempfile.TemporaryDirectory() as folder:
        old, new = Path(folder) / "old.md", Path(folder) / "new.md"

        def way(before: str, after: str) -> Marked:
            # "porcelain" gives a line for each run of words, with its sign.
            said = subprocess.run(
                ["git", "diff", "--no-index", "--word-diff=porcelain", str(old), str(new)],
                capture_output=True, text=True, check=False,
            ).stdout  # fmt: skip
            body = said.partition("\n@@")[2].splitlines()
            found = {
                sign: sum(_is_word(w) for line in body if line[:1] == sign for w in tokens(line))
                for sign in "-+"
            }
            return found["-"], found["+"]

        times: list[float] = []
        gone = added = 0
        for before, after in pairs:
            old.write_text(before)
            new.write_text(after)
            took, marked = _each([(before, after)], way)
            times += took
            gone, added = gone + marked[0], added + marked[1]
    return times, (gone, added)


def _is_word(token: str) -> bool:
    return re.search(r"\w", token) is not None


def _edited(place: Path) -> list[Pair]:
    """Return each page that a branch edits, as it was where the branch began and as it is."""
    pairs: list[Pair] = []
    with Repository.open(place) as repository:
        for branch in repository.branches():
            ahead = repository.ahead(branch)
            if ahead is None:
                continue
            was, now = repository.files(ahead.base), repository.files(branch.oid)
            for change in repository.changes(ahead.base, branch.oid):
                old = change.old_path or change.path
                if change.path.endswith(".md") and old in was and change.path in now:
                    pairs.append((was[old].read().decode(), now[change.path].read().decode()))
    return pairs


def _made() -> list[Pair]:
    return [_long(words) for words in (300, 1_000, 3_000)]


def _long(words: int) -> Pair:
    chance = random.Random(words)
    known = ["".join(chance.choices("abcdefghij", k=chance.randint(2, 9))) for _ in range(3000)]
    page = [" ".join(chance.choices(known, k=12)) for _ in range(words // 12)]
    edited = [text.replace("a", "aa", 1) if n % 3 == 0 else text for n, text in enumerate(page)]
    return "\n\n".join(page), "\n\n".join(edited)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        os.environ[REPOSITORY] = sys.argv[1]
    run()

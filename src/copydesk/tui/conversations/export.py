"""Clusters as a table for spreadsheets: CSV, and the file that it goes to."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime, timedelta
from io import StringIO
from pathlib import Path

from copydesk.local.durable import PRIVATE, write_file
from copydesk.present.cluster import number
from copydesk.session.cluster_rows import WEEKS, ClusterRow, Merge

FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r")
"""What a spreadsheet takes for the beginning of a formula, some in their wide form too."""


def defused(text: str) -> str:
    """Return text that no spreadsheet runs as a formula: an apostrophe goes before such a start.

    Blanks before it do not help, spreadsheets skip them.
    """
    return f"'{text}" if text.startswith(FORMULA) or text.lstrip().startswith(FORMULA) else text


def table(
    rows: Sequence[ClusterRow],
    now: datetime,
    merges: Mapping[str, Collection[Merge]],
    shown: Callable[[str], str],
) -> str:
    """Return clusters as CSV: one line each, under the first days of their 13 weeks.

    A week begins seven days after the one before, the latest seven days before ``now``. The trend
    is in percent, or "new"; it is empty where there are too few issues to tell. ``shown`` masks
    what is masked on screen.
    """
    starts = [now - timedelta(weeks=WEEKS - week) for week in range(WEEKS)]
    out = StringIO()
    # Quoted: where cells are separated by ";", one in a name begins no other cell.
    lines = csv.writer(out, quoting=csv.QUOTE_NONNUMERIC)
    lines.writerow(
        ["label", "issues", "conversations", "trend in percent", "sources"]
        + [f"week from {start:%Y-%m-%d}" for start in starts]
        + ["merged", "first", "last updated", "id"]
    )
    for row in rows:
        sources = "; ".join(f"{shown(name)} {number(count)}" for name, count in row.sources)
        merged = (f"{each.label} {each.at:%Y-%m-%d}" for each in merges.get(row.id, ()))
        lines.writerow(
            [
                defused(shown(row.label)), row.issues, row.conversations, _percent(row),
                defused(sources), *map(number, row.pulse),
                "; ".join(merged), _day(row.created), _day(row.updated), defused(row.id),
            ]
        )  # fmt: skip
    return out.getvalue()


def _percent(row: ClusterRow) -> str | int:
    found = row.trend
    return found.text if found.percent is None else found.percent


def _day(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment:%Y-%m-%d}"


def path_of(name: str, now: datetime) -> Path:
    """Return where a table goes: the file named, else ``clusters-DATE.csv`` in this folder.

    A link is followed: what it leads to is written, and the link stays. Raises ``RuntimeError``
    where ``~`` stands for nobody's home folder.
    """
    path = Path(name or f"clusters-{now:%Y-%m-%d}.csv").expanduser()
    return Path(os.path.realpath(path))


def put(path: Path, text: str, *, replacing: bool = False) -> None:
    """Write a table to a file, as UTF-8 with a mark by which spreadsheets know it.

    Raises ``FileExistsError`` where there is one and it is not ``replacing``, and ``OSError`` where
    it cannot be written; nothing is left behind then.
    """
    if not replacing:
        path.touch(PRIVATE, exist_ok=False)  # the name is ours from here on
    try:
        write_file(path, text.encode("utf-8-sig"))
    except BaseException:
        if not replacing:
            path.unlink(missing_ok=True)
        raise

"""Redirects in a CSV file, one a line; faults are reported by line."""

from __future__ import annotations

import csv
import io

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.redirects import wrong_source
from copydesk.domain.text import clean, exposed, unseen

REMOVED = "-"
"""The destination of a line that removes a redirect."""

LONGEST = 10_000
"""Characters of a field: no address is so long."""

COLUMNS = ("from", "to", "kind", "rest", "state")
"""The columns, in their order where the file has no line with their names."""

_NAMES = {
    "source": "from", "path": "from", "destination": "to", "target": "to", "url": "to",
    "permanent": "kind", "type": "kind", "wildcard": "rest", "capturewildcard": "rest",
    "draft": "state",
}  # fmt: skip
"""Other names of the columns, as other programs write them."""

_PERMANENT = {"permanent": True, "temporary": False, "301": True, "308": True, "302": False,
              "307": False, "true": True, "false": False, "yes": True, "no": False}  # fmt: skip
_REST = {"keep": True, "discard": False, "drop": False, "true": True, "false": False, "yes": True,
         "no": False}  # fmt: skip
_DRAFT = {"draft": True, "live": False, "true": True, "false": False, "yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class Wanted:
    """One line: what a path shall lead to; ``to`` is `REMOVED` where it shall lead nowhere.

    ``permanent`` is None where the line says nothing of it: a new one is permanent then.
    """

    line: int
    source: str
    to: str
    permanent: bool | None = None
    capture: bool = False
    draft: bool = False


@dataclass(frozen=True, slots=True)
class BadLine:
    """A line that says nothing that could be sent, and why; clean."""

    line: int
    why: str


def read_redirects_file(text: str) -> tuple[list[Wanted], list[BadLine]]:
    """Return the redirects of a CSV file, and the faulty lines.

    Columns are separated by commas, semicolons or tabs; blank lines and those that begin with ``#``
    are left out. A path that comes twice is taken once. A character that is not drawn makes a line
    a bad one.
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(",;\t", key=first.count)
    wanted: list[Wanted] = []
    bad: list[BadLine] = []
    seen: dict[tuple[str, bool], int] = {}
    columns: tuple[str, ...] | None = None
    for start, line in enumerate(io.StringIO(text, newline=""), 1):
        # Each line by itself: a quote that is not closed would take all that follow.
        reader = csv.reader([line.rstrip("\r\n") + "\n", '"'], delimiter=separator)
        try:
            raw = next(reader)
        except csv.Error as error:
            bad.append(BadLine(start, f"not CSV: {clean(str(error))}"))
            continue
        if reader.line_num > 1:
            bad.append(BadLine(start, "a quote is not closed"))
            continue
        if any(len(cell) > LONGEST for cell in raw):
            bad.append(BadLine(start, f"a field has more than {LONGEST:,} characters"))
            continue
        cells = [cell.strip() for cell in raw]
        if not any(cells) or cells[0].startswith("#"):
            continue
        if columns is None:
            columns = _header(cells)
            if columns is not None:
                continue
            columns = COLUMNS
        try:
            _check_seen(raw)
            found = _wanted(start, dict(zip(columns, cells, strict=False)), cells, columns)
            before = seen.setdefault((found.source, found.draft), start)
            if before != start:
                raise ValueError(f"{found.source} is on line {before} already")
        except ValueError as error:
            bad.append(BadLine(start, clean(str(error), limit=300)))
        else:
            wanted.append(found)
    return wanted, bad


def _header(cells: list[str]) -> tuple[str, ...] | None:
    """Return the columns that a first line names; None where it is a redirect already."""
    plain = [cell.lower().replace(" ", "").replace("_", "") for cell in cells]
    names = tuple(_NAMES.get(name, name) for name in plain)
    return names if {"from", "to"} <= set(names) else None


def _check_seen(cells: list[str]) -> None:
    """Raise ``ValueError`` for an invisible character: nothing unseen is sent."""
    for cell in cells:
        hidden = next((each for each in cell.strip(" \t") if each == "\t" or unseen(each)), "")
        if hidden:
            at = f"U+{ord(hidden):04X}"
            raise ValueError(
                f"{exposed(cell).strip()}: {at} is a control or invisible character: delete it"
            )


def _wanted(line: int, row: dict[str, str], cells: list[str], columns: tuple[str, ...]) -> Wanted:
    if len([cell for cell in cells[len(columns) :] if cell]):
        raise ValueError(f"{len(cells)} columns; {len(columns)} are known")
    source, to = row.get("from", ""), row.get("to")
    if (why := wrong_source(source)) is not None:
        raise ValueError(f"{source or 'no path'}: {why}")
    if not to:
        raise ValueError(f"{source} has no destination; {REMOVED} removes a redirect")
    said = row.get("kind", "")
    return Wanted(
        line,
        source,
        to,
        _choice("kind", said, _PERMANENT) if said else None,
        _choice("rest", row.get("rest") or "discard", _REST),
        _choice("state", row.get("state") or "live", _DRAFT),
    )


def _choice(column: str, said: str, known: dict[str, bool]) -> bool:
    if said.lower() not in known:
        words = [word for word in known if not word.isdigit()][:2]
        raise ValueError(f"{said} is not a {column}: write {' or '.join(words)}")
    return known[said.lower()]

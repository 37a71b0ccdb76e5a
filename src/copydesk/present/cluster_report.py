"""A report on clusters: what users struggled with, what was done about it, and whether it helped.

It is made once, as blocks, and written as Markdown or HTML. Whatever strangers wrote stands in the
text of a `TextRun`: each writer escapes those and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from math import inf
from typing import Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.personal_data import mask_kept
from copydesk.domain.secret_values import without_password
from copydesk.domain.text import clean, plural, shorten
from copydesk.domain.trend import Rate, spark
from copydesk.present.cluster import helped, merge_weeks, number, rate_said
from copydesk.present.conversation import shown_address
from copydesk.session.cluster_rows import WEEKS, ClusterRow
from copydesk.session.reads.cluster_report import (
    Quote,
    ReportedCluster,
    ReportRead,
    Request,
    lately,
)

QUOTED = 240
"""Cells of a quote."""

SUMMARY = 600
"""Cells of a summary."""

LISTED = 20
"""Clusters that a list names; more are counted."""

NOWHERE = ".invalid"
"""Ends the name of a host that no browser finds: that of a desk in this process."""


@dataclass(frozen=True, slots=True)
class TextRun:
    """Words of a line, as they are; with an ``address`` a link."""

    text: str
    address: str = ""
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Pulse:
    """The issues of each week as a small chart, drawn up to ``top``; ``merged`` are weeks of it."""

    weeks: tuple[float, ...]
    top: float
    merged: tuple[int, ...] = ()

    @property
    def said(self) -> str:
        """The same in words."""
        return f"issues a week, the latest last: {' '.join(str(number(w)) for w in self.weeks)}"

    @property
    def bars(self) -> str:
        """The same in one character a week."""
        drawn = spark(self.weeks, top=self.top)
        return "".join("▲" if at in self.merged else bar for at, bar in enumerate(drawn))


Line = Sequence[TextRun | Pulse]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a level, 1 for the whole report."""

    level: int
    line: Line


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    line: Line


@dataclass(frozen=True, slots=True)
class ReportList:
    """A list."""

    lines: Sequence[Line]


@dataclass(frozen=True, slots=True)
class ReportQuote:
    """What somebody said, and below it who and when."""

    words: str
    line: Line


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows of cells under their headings; the columns ``right`` hold numbers."""

    headings: Sequence[str]
    rows: Sequence[Sequence[Line]]
    right: frozenset[int] = frozenset()


Block = Heading | Paragraph | ReportList | ReportQuote | ReportTable


def report_blocks(read: ReportRead, *, masked: bool) -> list[Block]:
    """Return a report; addresses, numbers and secrets are masked unless it is said not to."""
    return list(_Report(read, masked=masked).blocks())


def report_title(read: ReportRead) -> str:
    """Return what a report is about: the first and the last day of it."""
    return f"What users struggled with, {_dates(read.since, read.now)}"


class _Report:
    """The parts of a report."""

    def __init__(self, read: ReportRead, *, masked: bool) -> None:
        self._read = read
        self._masked = masked
        self._top = max((week for told in read.top for week in told.row.pulse), default=0.0)

    def blocks(self) -> Iterator[Block]:
        """Yield the report from its title to its end."""
        read = self._read
        yield Heading(1, [TextRun(report_title(read))])
        yield Paragraph(
            [TextRun(self._hide(read.organization), strong=True), TextRun(f". {self._made()}")]
        )
        if read.note:
            yield Paragraph([TextRun(read.note)])
        yield ReportList([*self._numbers()])
        yield Heading(2, [TextRun("What came up most")])
        if not read.top:
            yield Paragraph([TextRun(f"No {read.unit} of a {read.noun} came up {self._lately}.")])
        else:
            yield self._table()
            yield Paragraph([TextRun(self._scale())])
            for nth, told in enumerate(read.top, 1):
                yield from self._cluster(nth, told)
        yield from self._merged()
        yield from self._new()

    @property
    def _lately(self) -> str:
        weeks = self._read.weeks
        return "this week" if weeks == 1 else f"in the last {weeks} weeks"

    def _count(self, count: float) -> str:
        whole, unit = number(count), self._read.unit
        return plural(whole, unit) if isinstance(whole, int) else f"{whole:,} {unit}s"

    def _hide(self, text: str) -> str:
        return mask_kept(text) if self._masked else text

    def _address(self, url: str) -> str:
        """Return an address that a browser may follow, without a password; "" for none."""
        return shown_address(reachable(url), masked=self._masked)

    def _made(self) -> str:
        masked = "e-mail addresses and phone numbers are masked"
        if not self._masked:
            masked = "e-mail addresses and phone numbers are not masked"
        return f"Made {self._read.now:%Y-%m-%d %H:%M} UTC by copydesk; {masked}."

    def _numbers(self) -> Iterator[Line]:
        read = self._read
        late = sum(lately(row, read.weeks) for row in read.clusters)
        came = [row for row in read.clusters if lately(row, read.weeks) > 0]
        yield [
            TextRun(self._count(late), strong=True),
            TextRun(f" came up {self._lately}, in {plural(len(came), read.noun)} "),
            TextRun(f"of {len(read.clusters):,}."),
        ]
        nobody = [told for told in read.top if not told.requests and not told.more]
        if nobody:
            has = "has" if len(nobody) == 1 else "have"
            yield [
                TextRun(plural(len(nobody), read.noun), strong=True),
                TextRun(f" of the {len(read.top)} below {has} no change request: "),
                TextRun("; ".join(self._hide(told.row.label) for told in nobody) + "."),
            ]
        new = new_clusters(read)
        if new:
            which = "is new" if len(new) == 1 else "are new"
            yield [
                TextRun(plural(len(new), read.noun), strong=True),
                TextRun(f" {which}: the first {read.unit} came {self._lately}."),
            ]
        grow = [row for row in read.clusters if row.rate.move == "grows"]
        if grow:
            yield [
                TextRun(plural(len(grow), read.noun), strong=True),
                TextRun(f" had more {read.unit}s this week than chance explains: "),
                TextRun("; ".join(self._hide(row.label) for row in grow[:LISTED]) + "."),
            ]
        merges = [
            merge for each in read.merges.values() for merge in each if merge.at >= read.since
        ]
        if merges:
            numbers = dict.fromkeys(merge.label for merge in merges)
            yield [
                TextRun(plural(len(numbers), "change request"), strong=True),
                TextRun(f" for {read.noun}s merged {self._lately}: {', '.join(numbers)}."),
            ]

    def _table(self) -> ReportTable:
        several = self._read.weeks > 1
        rows: list[Sequence[Line]] = []
        for nth, told in enumerate(self._read.top, 1):
            row = told.row
            late = [TextRun(f"{number(lately(row, self._read.weeks)):,}")]
            rows.append(
                [
                    [TextRun(str(nth))],
                    [TextRun(self._hide(row.label))],
                    [self._pulse(row)],
                    *([late] if several else []),
                    [TextRun(rate_said(row.rate))],
                    [TextRun(requests_said(told))],
                ]
            )
        headings = [
            *("", self._read.noun.capitalize(), "13 weeks"),
            *([f"{self._read.weeks} weeks"] if several else []),
            *("This week", "Change requests"),
        ]
        return ReportTable(headings, rows, frozenset({0, 3} if several else {0}))

    def _scale(self) -> str:
        first = self._read.now - timedelta(weeks=WEEKS)
        said = (
            f"Each bar is a week, the first from {_date(first)}; all have one scale, the highest "
            f"is {self._count(self._top)}. In brackets is how many times the usual this week is, "
            "and between what that probably is: in 9 of 10 cases."
        )
        if any(self._read.merges.get(told.row.id) for told in self._read.top):
            said += (
                f" ▲ marks a week in which a change request for the {self._read.noun} was merged."
            )
        return said

    def _pulse(self, row: ClusterRow) -> Pulse:
        merges = self._read.merges.get(row.id, ())
        marks = merge_weeks(merges, self._read.now, len(row.pulse))
        return Pulse(row.pulse, self._top, tuple(sorted(marks)))

    def _cluster(self, nth: int, told: ReportedCluster) -> Iterator[Block]:
        row = told.row
        label = TextRun(self._hide(row.label), self._address(row.address))
        yield Heading(3, [TextRun(f"{nth}. "), label])
        if row.summary:
            yield Paragraph([TextRun(_short(self._hide(row.summary), SUMMARY))])
        sources = ", ".join(f"{self._hide(name)} {number(count)}" for name, count in row.sources)
        source = self._read.source
        lines: list[Line] = [
            [TextRun(f"This week: {rate_said(row.rate)}.")],
            [
                TextRun(f"{self._count(row.issues)} from {plural(row.conversations, source)}"),
                TextRun(f" in all ({sources})." if sources else " in all."),
            ],
        ]
        if self._read.weeks > 1:
            late = lately(row, self._read.weeks)
            lines.insert(0, [TextRun(f"{self._count(late)} {self._lately}.")])
        merges = self._read.merges.get(row.id, ())
        lines += [[TextRun(f"{line}.")] for line in helped(row.pulse, merges, self._read.now)]
        lines += [self._request(request) for request in told.requests]
        if told.more:
            lines.append([TextRun(f"There are {told.more}.")])
        if not told.requests:
            lines.append([TextRun("No change request answers it.")])
        yield ReportList(lines)
        for quote in told.quotes:
            yield ReportQuote(_short(self._hide(quote.words), QUOTED), self._by(quote))

    def _request(self, request: Request) -> Line:
        return [
            TextRun(
                f"#{request.number} {self._hide(request.subject)}", self._address(request.address)
            ),
            TextRun(f", {request.status}"),
        ]

    def _by(self, quote: Quote) -> Line:
        said = [self._hide(quote.source), _day(quote.at)]
        where = self._address(quote.address)
        link = [TextRun(", "), TextRun(self._read.source, where)] if where else []
        return [TextRun(", ".join(filter(None, said)) or "unknown source"), *link]

    def _merged(self) -> Iterator[Block]:
        """Yield what came of merged change requests, also for clusters below the first ten."""
        read = self._read
        told = {
            row: lines
            for row in read.clusters
            if (lines := helped(row.pulse, read.merges.get(row.id, ()), read.now))
        }
        if not told:
            return
        yield Heading(2, [TextRun("What came of change requests")])
        yield ReportList(
            [
                [
                    TextRun(self._hide(row.label), strong=True),
                    TextRun(f": {'; '.join(map(str, lines))}."),
                ]
                for row, lines in list(told.items())[:LISTED]
            ]
        )
        if len(told) > LISTED:
            yield Paragraph(
                [TextRun(f"{plural(len(told) - LISTED, f'more {read.noun}')} had some merged.")]
            )

    def _new(self) -> Iterator[Block]:
        new = new_clusters(self._read)
        if not new:
            return
        yield Heading(2, [TextRun(f"New {self._lately}")])
        yield ReportList(
            [
                [
                    TextRun(self._hide(row.label), self._address(row.address)),
                    TextRun(f": {self._count(row.issues)}"),
                ]
                for row in new[:LISTED]
            ]
        )
        if len(new) > LISTED:
            yield Paragraph(
                [TextRun(f"{plural(len(new) - LISTED, f'more {self._read.noun}')} began.")]
            )


def new_clusters(read: ReportRead) -> list[ClusterRow]:
    """Return the clusters whose first issue came within the time of a report, the largest first."""
    new = [row for row in read.clusters if 0 < row.issues <= lately(row, read.weeks)]
    return sorted(new, key=lambda row: (-row.issues, row.label))


def requests_said(told: ReportedCluster) -> str:
    """Return how many change requests a cluster has, by status: "1 open, 2 draft"; "none"."""
    counts = {
        status: sum(request.status == status for request in told.requests)
        for status in ("open", "draft", "merged")
    }
    said = [f"{count} {status}" for status, count in counts.items() if count]
    return ", ".join([*said, told.more] if told.more else said) or "none"


def reachable(url: str) -> str:
    """Return an address without a password in it; "" where no browser finds it."""
    host = re.match(r"https?://([^/:?#]+)", url)
    return "" if host is None or host[1].endswith(NOWHERE) else without_password(url)


def _short(text: str, cells: int) -> str:
    return shorten(" ".join(clean(text, lines=True).split()), cells)


def _date(moment: datetime) -> str:
    return f"{moment.day} {moment:%B %Y}"


def _dates(first: datetime, last: datetime) -> str:
    """Return two dates: "3 to 10 March 2026", "24 February to 3 March 2026"."""
    if first.year != last.year:
        return f"{_date(first)} to {_date(last)}"
    begin = f"{first.day}" if first.month == last.month else f"{first.day} {first:%B}"
    return f"{begin} to {_date(last)}"


def _day(moment: datetime | None) -> str:
    return "" if moment is None else f"{moment.day} {moment:%b %Y}"


def rate_value(rate: Rate) -> dict[str, Any]:
    """Return this week against the usual for scripts; None is what cannot be told."""
    found = rate.ratio
    bounds = (found.factor, found.low, found.high) if found is not None else (inf, inf, inf)
    factor, low, high = (round(each, 3) if each < inf else None for each in bounds)
    return {
        "move": rate.move,
        "week": number(rate.week),
        "usual": round(rate.usual, 3) if rate.weeks else None,
        "factor": factor,
        "low": low,
        "high": high,
    }


def report_value(read: ReportRead, *, masked: bool) -> dict[str, Any]:
    """Return a report for scripts: what its text says, in fields."""

    def hide(text: str) -> str:
        return mask_kept(text) if masked else text

    def link(url: str) -> str | None:
        return shown_address(reachable(url), masked=masked) or None

    def cluster(row: ClusterRow) -> dict[str, Any]:
        merges = read.merges.get(row.id, ())
        return {
            "id": row.id,
            "label": hide(row.label),
            "issues": row.issues,
            "lately": number(lately(row, read.weeks)),
            "weeklyPulse": [number(week) for week in row.pulse],
            "rate": rate_value(row.rate),
            "effects": [str(line) for line in helped(row.pulse, merges, read.now)],
        }

    def told_value(told: ReportedCluster) -> dict[str, Any]:
        return {
            **cluster(told.row),
            "summary": hide(told.row.summary),
            "conversations": told.row.conversations,
            "sources": {hide(name): number(count) for name, count in told.row.sources},
            "link": link(told.row.address),
            "changeRequests": [
                {
                    "number": each.number,
                    "subject": hide(each.subject),
                    "status": each.status,
                    "link": link(each.address),
                }
                for each in told.requests
            ],
            "moreChangeRequests": told.more or None,
            "quotes": [
                {
                    "words": _short(hide(each.words), QUOTED),
                    "source": hide(each.source),
                    "at": None if each.at is None else each.at.isoformat(timespec="seconds"),
                    "link": link(each.address),
                }
                for each in told.quotes
            ],
        }

    return {
        "organization": hide(read.organization),
        "since": read.since.isoformat(timespec="seconds"),
        "until": read.now.isoformat(timespec="seconds"),
        "of": f"{read.noun}s",
        "note": read.note or None,
        "clusters": len(read.clusters),
        "top": [told_value(told) for told in read.top],
        "new": [cluster(row) for row in new_clusters(read)],
        "merged": [cluster(row) for row in read.clusters if read.merges.get(row.id)],
    }


# Markdown

_SPECIAL = re.compile(
    r"([\\`*\[\]<>|~!$&@]|#(?!\d)|(?<!\w)_|_(?!\w)|\{(?=[%{])|:(?=//|[a-z_+-]+:)|(?<=www)\.)",
    re.IGNORECASE,
)
"""Signs that make markup, or a link or a picture of plain words where Markdown is shown."""

_BEGINS = re.compile(r"^(?:([-+=](?=[\s=-]|$))|(\d{1,9})(?=[.)](?:\s|$)))")


def markdown(blocks: Iterable[Block]) -> str:
    """Return a report as Markdown; what strangers wrote makes no markup and no link."""
    return "\n\n".join(map(_markdown_block, blocks)) + "\n"


def _markdown_block(block: Block) -> str:
    match block:
        case Heading(level, line):
            return f"{'#' * level} {_markdown_cell(line)}"
        case Paragraph(line):
            return _markdown_line(line)
        case ReportList(lines):
            return "\n".join(f"- {_markdown_line(line)}" for line in lines)
        case ReportQuote(words, line):
            return f"> {_markdown_line([TextRun(words)])}\n>\n> {_markdown_line(line)}"
        case ReportTable(headings, rows, right):
            rules = ["--:" if at in right else "---" for at in range(len(headings))]
            cells = [headings, rules, *([*map(_markdown_cell, row)] for row in rows)]
            return "\n".join(f"| {' | '.join(row)} |" for row in cells)


def _markdown_line(line: Line) -> str:
    """Return a line that begins a block, and is no list because of how it begins."""
    text = _markdown_cell(line)
    return _BEGINS.sub(lambda start: f"\\{start[1]}" if start[1] else f"{start[2]}\\", text)


def _markdown_cell(line: Line) -> str:
    return "".join(map(_markdown_part, line))


def _markdown_part(part: TextRun | Pulse) -> str:
    if isinstance(part, Pulse):
        return part.bars
    text = _SPECIAL.sub(r"\\\1", " ".join(part.text.split("\n")))
    inner = text.strip()
    if part.strong and inner:
        text = text.replace(inner, f"**{inner}**", 1)
    return f"[{text}](<{_target(part.address)}>)" if part.address else text


def _target(address: str) -> str:
    return re.sub(r"[<>\\\s|]", lambda sign: f"%{ord(sign[0]):02X}", address)

"""A report on clusters as one HTML file: nothing is loaded, nothing runs, everything is escaped."""

from __future__ import annotations

from collections.abc import Iterable
from xml.etree.ElementTree import Element, SubElement, tostring

from copydesk.present.cluster_report import (
    Block,
    Heading,
    Line,
    Paragraph,
    Pulse,
    ReportList,
    ReportQuote,
    ReportTable,
    TextRun,
    markdown,
    report_blocks,
    report_title,
)
from copydesk.session.reads.cluster_report import ReportRead

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  color: #1c1c1c; background: #fff; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2.5rem; } h3 { margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; overflow-wrap: normal; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem;
  border-bottom: 1px solid #ddd; }
.number { text-align: right; }
blockquote { margin: 1rem 0; padding: .2rem 1rem; border-left: .25rem solid #bbb; }
blockquote p { margin: .3rem 0; } footer { color: #555; font-size: .85rem; }
a { color: #0b57d0; } svg { display: block; } .week { fill: #4a76c7; } .none { fill: #ccc; }
.merged { fill: #1a7f37; }
@media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #161616; }
  th, td { border-color: #3a3a3a; } blockquote { border-color: #555; } footer { color: #aaa; }
  a { color: #8ab4f8; } .week { fill: #7da2e8; } .none { fill: #555; } .merged { fill: #57c26e; } }
"""

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What a browser may load for it: nothing."""

BAR, GAP, HEIGHT, FOOT = 6, 2, 28, 6
"""Pixels: a bar, the space between two, the highest bar, and below them the marks of merges."""


def report_file(read: ReportRead, *, html: bool, masked: bool) -> bytes:
    """Return a report as a file: HTML, or else Markdown."""
    blocks = report_blocks(read, masked=masked)
    text = page(report_title(read), blocks) if html else markdown(blocks)
    return text.encode()


def page(title: str, blocks: Iterable[Block]) -> str:
    """Return a report as an HTML page."""
    root = Element("html", lang="en")
    head = SubElement(root, "head")
    SubElement(head, "meta", charset="utf-8")
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": POLICY})
    SubElement(head, "meta", name="referrer", content="no-referrer")
    SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    SubElement(head, "title").text = title
    SubElement(head, "style").text = STYLE
    body = SubElement(root, "body")
    for block in blocks:
        _put_block(body, block)
    # Only around blocks: within a line blanks are seen.
    for each in (root, head, body):
        each.text, last = "\n", None
        for last in each:
            last.tail = "\n"
    return f"<!DOCTYPE html>\n{tostring(root, encoding='unicode', method='html')}\n"


def _put_block(body: Element, block: Block) -> None:
    match block:
        case Heading(level, line):
            _put_line(SubElement(body, f"h{level}"), line)
        case Paragraph(line):
            _put_line(SubElement(body, "p"), line)
        case ReportList(lines):
            listing = SubElement(body, "ul")
            for line in lines:
                _put_line(SubElement(listing, "li"), line)
        case ReportQuote(words, line):
            quote = SubElement(body, "blockquote")
            SubElement(quote, "p", dir="auto").text = words
            _put_line(SubElement(quote, "footer"), line)
        case ReportTable():
            _put_table(SubElement(body, "table"), block)


def _put_table(table: Element, block: ReportTable) -> None:
    head = SubElement(SubElement(table, "thead"), "tr")
    for at, heading in enumerate(block.headings):
        SubElement(head, "th", _number(block, at)).text = heading
    rows = SubElement(table, "tbody")
    for row in block.rows:
        cells = SubElement(rows, "tr")
        for at, line in enumerate(row):
            _put_line(SubElement(cells, "td", _number(block, at)), line)


def _number(block: ReportTable, at: int) -> dict[str, str]:
    return {"class": "number"} if at in block.right else {}


def _put_line(parent: Element, line: Line) -> None:
    for part in line:
        if isinstance(part, Pulse):
            _put_pulse(parent, part)
        else:
            _put_run(parent, part)


def _put_run(parent: Element, run: TextRun) -> None:
    # What stands in it may be of a script that runs to the left: it moves nothing beside it.
    if run.address:
        inner = SubElement(parent, "a", href=run.address, rel="noopener noreferrer", dir="auto")
    else:
        inner = SubElement(parent, "strong" if run.strong else "bdi")
    inner.text = run.text


def _put_pulse(parent: Element, pulse: Pulse) -> None:
    width = len(pulse.weeks) * (BAR + GAP)
    height = HEIGHT + FOOT
    drawing = SubElement(
        parent, "svg", width=str(width), height=str(height), viewBox=f"0 0 {width} {height}",
        role="img",
    )  # fmt: skip
    SubElement(drawing, "title").text = pulse.said
    for at, week in enumerate(pulse.weeks):
        tall = max(2, round(min(1.0, week / pulse.top) * HEIGHT)) if week and pulse.top else 1
        left = at * (BAR + GAP)
        SubElement(
            drawing, "rect", {"class": "week" if week else "none"}, x=str(left),
            y=str(HEIGHT - tall), width=str(BAR), height=str(tall),
        )  # fmt: skip
        if at in pulse.merged:
            points = f"{left},{height} {left + BAR / 2:g},{HEIGHT + 1} {left + BAR},{height}"
            SubElement(drawing, "polygon", {"class": "merged"}, points=points)

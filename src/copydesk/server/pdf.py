"""Pages as a PDF: a title page, a table of contents, then every page's Markdown as it reads.

Takes plain values and knows no database. Only pictures that are given as bytes are shown; nothing
that a page says is ever fetched or opened.

The fonts built into PDF readers know Western European letters only. For anything else the fonts of
this machine are used where they are, embedded with just the letters needed. Without any, letters
that cannot be set are written as question marks.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import Final

from fpdf import FPDF
from fpdf.enums import WrapMode, XPos, YPos
from fpdf.errors import FPDFException
from fpdf.fonts import FontFace
from fpdf.outline import TableOfContents
from PIL import Image

from copydesk.contract.models.document import Node
from copydesk.domain.documents import markdown_to_document, plain_text
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean

_SIZE: Final = 10.5
_LINE: Final = 5.6
_STEP: Final = 7.0
_DEEPEST: Final = 12
"""Blocks nested deeper than this are no longer indented: the line would get too narrow."""
_NARROWEST: Final = 12
"""The narrowest column of a table in millimetres; one with narrower ones is printed as lines."""
_LETTER: Final = 2.6
_MOST_LINES: Final = 36
MOST_PIXELS: Final = 20_000_000
"""Pictures with more pixels are named only."""
_WEB = re.compile(r"(?:https?|mailto):", re.IGNORECASE)
_HTML_TAG = re.compile(r"<[^<>]*>")
_HEADING_SIZES = {1: 17.0, 2: 14.0, 3: 12.0}

# Letters that no font has are no event: the text goes on without them.
logging.getLogger("fpdf").setLevel(logging.ERROR)
logging.getLogger("fontTools").setLevel(logging.ERROR)


@dataclass(frozen=True, slots=True)
class PrintedPage:
    """A page to print. ``links`` says for an address in its text which page of the PDF it is, and
    ``pictures`` which image it is; addresses of nothing are in neither.
    """

    id: str
    title: str
    depth: int
    description: str = ""
    markdown: str = ""
    links: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, bytes] = field(default_factory=dict)


def _check_picture(data: bytes) -> None:
    """Raise ``ValueError`` for a picture that would be more pixels than its head says.

    A frame of a GIF may be larger, and a JPEG may say its size twice. Raises what Pillow raises for
    what is none.
    """
    with Image.open(BytesIO(data), formats=("PNG", "GIF", "JPEG")) as opened:
        width, height = opened.size
    if width * height > MOST_PIXELS:
        raise ValueError(f"{width:,} x {height:,} pixels")


def make_pdf(title: str, lines: Sequence[str], pages: Sequence[PrintedPage]) -> bytes:
    """Return a PDF of pages in their order, under a title page that says ``title`` and ``lines``.

    The table of contents is left out when there is one page only.
    """
    everything = "".join((title, *lines, *(p.title + p.description + p.markdown for p in pages)))
    printer = _Printer(everything)
    return printer.book(title, lines, pages)


class _Sheet(FPDF):
    """Numbered pages; the first, with the title, has no number."""

    family = "helvetica"

    def footer(self) -> None:
        if self.page_no() > 1:
            self.set_y(-15)
            self.set_font(self.family, "", 8)
            self.set_text_color(120)
            self.cell(0, 8, str(self.page_no()), align="C")
            self.set_text_color(0)


class _Printer:
    def __init__(self, everything: str) -> None:
        self.sheet = _Sheet(format="A4")
        self.sheet.set_margins(22, 20, 22)
        self.sheet.set_auto_page_break(True, margin=20)
        self.margin = self.sheet.l_margin
        self.mono = "courier"
        faces = None if is_western(everything) else machine_faces()
        self.western = faces is None
        if faces is not None:
            for style, path in (("", faces.regular), ("B", faces.bold), ("I", faces.italic)):
                self.sheet.add_font("body", style, path)
            self.sheet.add_font("body", "BI", faces.bold)
            for style in ("", "B", "I", "BI"):
                self.sheet.add_font("mono", style, faces.mono)
            others = faces.fallbacks if needs_fallbacks(everything) else ()
            for number, path in enumerate(others):
                self.sheet.add_font(f"other{number}", "", path)
            self.sheet.set_fallback_fonts(
                ["body", *(f"other{number}" for number in range(len(others)))], exact_match=False
            )
            self.sheet.family, self.mono = "body", "mono"
        self.targets: dict[str, int] = {}
        self.page = PrintedPage("", "", 0)

    def book(self, title: str, lines: Sequence[str], pages: Sequence[PrintedPage]) -> bytes:
        sheet = self.sheet
        sheet.set_title(self.said(title))
        sheet.set_creator("copydesk")
        sheet.add_page()
        sheet.set_y(90)
        self.line(title, 26, "B")
        sheet.ln(4)
        for line in lines:
            self.line(line, 12)
        self.targets = {page.id: sheet.add_link() for page in pages}
        sheet.set_font(sheet.family, "", _SIZE)
        if len(pages) > 1:
            sheet.add_page()
            self.line("Contents", _HEADING_SIZES[1], "B")
            sheet.set_font(sheet.family, "", _SIZE)
            sheet.insert_toc_placeholder(TableOfContents().render_toc, allow_extra_pages=True)
        for number, page in enumerate(pages):
            if number or len(pages) == 1:
                sheet.add_page()
            self.print_page(page)
        return bytes(sheet.output())

    def print_page(self, page: PrintedPage) -> None:
        self.page = page
        sheet = self.sheet
        sheet.set_link(self.targets[page.id])
        sheet.start_section(self.said(page.title) or "-", min(page.depth, 6), strict=False)
        self.line(page.title, 20, "B")
        if page.description:
            self.line(page.description, 12, "I")
        sheet.ln(3)
        self.blocks(markdown_to_document(page.markdown, None).nodes, 0)

    def said(self, text: str) -> str:
        """Return a text as the fonts can set it."""
        text = clean(text, lines=True)
        return western(text) if self.western else text

    def line(self, text: str, size: float, style: str = "") -> None:
        self.sheet.set_font(self.sheet.family, style, size)
        self.sheet.multi_cell(
            0, size * 0.52, self.said(text), align="L", new_x=XPos.LMARGIN, new_y=YPos.NEXT
        )

    def blocks(self, nodes: Sequence[Node], depth: int) -> None:
        for node in nodes:
            self.at(depth)
            self.block(node, depth)
        self.at(depth)

    def at(self, depth: int) -> None:
        self.sheet.set_left_margin(self.margin + _STEP * min(depth, _DEEPEST))
        self.sheet.set_x(self.sheet.l_margin)

    def block(self, node: Node, depth: int) -> None:
        kind, nodes, data = node.type or "", node.nodes or [], node.data or {}
        if kind.startswith("heading-"):
            size = _HEADING_SIZES.get(int(kind[-1]) if kind[-1].isdecimal() else 3, 12.0)
            self.sheet.ln(2)
            self.inlines(nodes, size, ("bold",))
            self.sheet.ln(size * 0.55 + 1)
        elif kind == "code":
            self.code("\n".join(plain_text(line) for line in nodes))
        elif kind == "table":
            self.table(nodes)
        elif kind == "divider":
            y = self.sheet.get_y() + 2
            self.sheet.line(self.sheet.l_margin, y, self.sheet.w - self.sheet.r_margin, y)
            self.sheet.ln(5)
        elif kind == "html":
            self.text(_HTML_TAG.sub("", str(data.get("html", ""))).strip())
        elif kind == "images":
            for image in nodes:
                self.image(image)
        elif kind in ("list-ordered", "list-unordered", "list-tasks"):
            self.list(node, depth)
        elif kind == "embed":
            url = str(data.get("url", ""))
            self.write(url, (), url)
            self.sheet.ln(_LINE + 1.5)
        elif nodes and all(child.object != "block" for child in nodes):
            self.inlines(nodes)
            self.sheet.ln(_LINE + 1.5)
        else:
            self.container(node, depth)

    def container(self, node: Node, depth: int) -> None:
        """Print a quote, a hint, a tab or whatever else holds blocks, set in from the left."""
        data, kind = node.data or {}, node.type or ""
        title = str(data.get("title") or data.get("summary") or "")
        if kind == "hint":
            title = str(data.get("style", "info")).capitalize()
        if title:
            self.write(title, ("bold",))
            self.sheet.ln(_LINE + 0.5)
        held = kind in ("blockquote", "hint", "tab", "expandable", "step")
        self.blocks(node.nodes or [], depth + held)

    def list(self, node: Node, depth: int) -> None:
        start = (node.data or {}).get("start")
        number = start if isinstance(start, int) else 1
        for item in node.nodes or []:
            mark = "\u2022"
            if node.type == "list-ordered":
                mark = f"{number}."
                number += 1
            elif node.type == "list-tasks":
                mark = "[x]" if (item.data or {}).get("checked") else "[ ]"
            self.at(depth)
            self.sheet.set_font(self.sheet.family, "", _SIZE)
            self.sheet.cell(_STEP, _LINE, self.said(mark))
            first, *rest = item.nodes or [Node(type="paragraph", nodes=[])]
            # The first line stands beside its mark, the others below it.
            self.sheet.set_left_margin(self.margin + _STEP * min(depth + 1, _DEEPEST))
            self.block(first, depth + 1)
            self.blocks(rest, depth + 1)

    def code(self, text: str) -> None:
        self.sheet.set_font(self.mono, "", 9)
        self.sheet.set_fill_color(244)
        self.sheet.multi_cell(
            0, 4.6, self.said(text) or " ", fill=True, align="L",
            new_x=XPos.LMARGIN, new_y=YPos.NEXT, wrapmode=WrapMode.CHAR,
        )  # fmt: skip
        self.sheet.ln(3)

    def table(self, rows: Sequence[Node]) -> None:
        columns = max((len(row.nodes or []) for row in rows), default=0)
        if not columns:
            return
        self.sheet.set_font(self.sheet.family, "", 9)
        width = self.sheet.w - self.sheet.r_margin - self.sheet.l_margin
        in_line = max(1, int(width / columns / _LETTER))
        tallest = max(
            (len(text) / in_line + text.count("\n") for row in rows for text in _texts(row)),
            default=0,
        )
        if columns * _NARROWEST > width or tallest > _MOST_LINES:
            # A table cannot be wider than its page, nor a row of it taller: each row as a line.
            for row in rows:
                self.text(" | ".join(_texts(row)))
            return
        with self.sheet.table(
            text_align="LEFT", line_height=5, padding=1, headings_style=FontFace(emphasis="BOLD"),
            width=int(width), align="LEFT",
        ) as table:  # fmt: skip
            for row in rows:
                printed = table.row()
                texts = _texts(row)
                for text in texts + [""] * (columns - len(texts)):
                    printed.cell(self.said(text))
        self.sheet.ln(3)

    def image(self, node: Node) -> None:
        data = node.data or {}
        ref = data.get("ref")
        url = str(ref.get("url", "")) if isinstance(ref, dict) else ""
        alt = str(data.get("alt") or data.get("caption") or url)
        picture = self.page.pictures.get(url)
        if picture is not None:
            width = self.sheet.w - self.sheet.r_margin - self.sheet.l_margin
            try:
                _check_picture(picture)
                self.sheet.image(BytesIO(picture), w=width, h=width * 0.7, keep_aspect_ratio=True)
            except (
                OSError, ValueError, SyntaxError, FPDFException, Image.DecompressionBombError,
            ):  # fmt: skip
                # What says it is a picture need not be one.
                picture = None
            else:
                self.sheet.ln(3)
        if picture is None:
            self.write(f"[{alt}]", ("italic",), url)
            self.sheet.ln(_LINE + 1.5)

    def text(self, text: str) -> None:
        if text:
            self.write(text)
            self.sheet.ln(_LINE + 1.5)

    def inlines(
        self, nodes: Sequence[Node], size: float = _SIZE, marks: tuple[str, ...] = (), url: str = ""
    ) -> None:
        for node in nodes:
            data = node.data or {}
            ref = data.get("ref")
            for leaf in node.leaves or ():
                own = tuple(
                    str(mark.get("type"))
                    for mark in leaf.get("marks") or ()
                    if isinstance(mark, dict)
                )
                text = str(leaf.get("text", ""))
                self.write(
                    _HTML_TAG.sub("", text) if "html" in own else text, marks + own, url, size
                )
            if node.type == "image":
                self.write(f"[{data.get('alt') or 'picture'}]", (*marks, "italic"), url, size)
            else:
                target = str(ref.get("url", "")) if isinstance(ref, dict) else url
                self.inlines(node.nodes or [], size, marks, target)

    def write(
        self, text: str, marks: tuple[str, ...] = (), url: str = "", size: float = _SIZE
    ) -> None:
        style = "".join(
            sign for mark, sign in (("bold", "B"), ("italic", "I"), ("strikethrough", "S"))
            if mark in marks
        )  # fmt: skip
        family = self.mono if "code" in marks else self.sheet.family
        link: str | int = ""
        if url in self.page.links and self.page.links[url] in self.targets:
            link = self.targets[self.page.links[url]]
        elif _WEB.match(url):
            link = clean(url)
        if link:
            self.sheet.set_text_color(20, 80, 160)
        self.sheet.set_font(family, style, size)
        self.sheet.write(max(_LINE, size * 0.5), self.said(text), link)
        self.sheet.set_text_color(0)


def _texts(row: Node) -> list[str]:
    return [plain_text(cell) for cell in row.nodes or []]


_FAMILIES = (
    ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSans-Oblique.ttf", "DejaVuSansMono.ttf"),
    ("NotoSans-Regular.ttf", "NotoSans-Bold.ttf", "NotoSans-Italic.ttf",
     "NotoSansMono-Regular.ttf"),
    ("LiberationSans-Regular.ttf", "LiberationSans-Bold.ttf", "LiberationSans-Italic.ttf",
     "LiberationMono-Regular.ttf"),
    ("Arial.ttf", "Arial Bold.ttf", "Arial Italic.ttf", "Courier New.ttf"),
    ("arial.ttf", "arialbd.ttf", "ariali.ttf", "cour.ttf"),
)  # fmt: skip
"""File names of a regular, a bold, an italic and a fixed-width face, the widest coverage first."""

_FALLBACKS = (
    "NotoSansCJK-Regular.ttc", "Arial Unicode.ttf", "msgothic.ttc", "malgun.ttf", "msyh.ttc",
    "DroidSansFallbackFull.ttf", "NotoSansDevanagari-Regular.ttf", "NotoSansThai-Regular.ttf",
    "NotoSansArabic-Regular.ttf", "NotoSansHebrew-Regular.ttf", "nirmala.ttf", "leelawui.ttf",
)  # fmt: skip
"""Faces for letters that the family lacks: East Asian, Indic, Thai, Arabic and Hebrew scripts."""

_WESTERN = str.maketrans({
    "\u2013": "-", "\u2014": "-", "\u2212": "-", "\u2018": "'", "\u2019": "'", "\u201c": '"',
    "\u201d": '"', "\u201e": '"', "\u2022": "\u00b7", "\u2026": "...", "\u2192": "->",
    "\u2190": "<-", "\u2191": "^", "\u2713": "x", "\u2610": "[ ]", "\u2611": "[x]", "\u20ac": "EUR",
    "\u2122": "(TM)", "\u2009": " ", "\u202f": " ", "\ufeff": "",
})  # fmt: skip
"""What stands for common signs in fonts that lack them."""

_RARE = re.compile("[\u0590-\u1cff\u2c00-\ud7ff\uf900-\ufeff\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Faces:
    """The files of a family; ``fallbacks`` are asked for letters that it has not."""

    regular: Path
    bold: Path
    italic: Path
    mono: Path
    fallbacks: tuple[Path, ...]


def western(text: str) -> str:
    """Return a text as the fonts that every PDF reader has can set it."""
    return text.translate(_WESTERN).encode("latin-1", "replace").decode("latin-1")


def is_western(text: str) -> bool:
    """Say whether the fonts that every PDF reader has can set a text without losing a letter."""
    try:
        text.translate(_WESTERN).encode("latin-1")
    except UnicodeEncodeError:
        return False
    return True


def needs_fallbacks(text: str) -> bool:
    """Say whether a text has letters of scripts that a family seldom holds.

    Faces for those are large, and take seconds to read.
    """
    return _RARE.search(text) is not None


@cache
def machine_faces() -> Faces | None:
    """Return the faces found on this machine, None when it has no family that will do."""
    found = {path.name: path for path in sorted(_font_files(), reverse=True)}
    fallbacks = tuple(found[name] for name in _FALLBACKS if name in found)
    for regular, bold, italic, mono in _FAMILIES:
        if regular in found:
            base = found[regular]
            return Faces(
                regular=base,
                bold=found.get(bold, base),
                italic=found.get(italic, base),
                mono=found.get(mono, base),
                fallbacks=fallbacks,
            )
    return None


def _font_files() -> Iterator[Path]:
    wanted = {name for family in _FAMILIES for name in family} | set(_FALLBACKS)
    for folder in _folders():
        for where, _, names in os.walk(folder):
            for name in wanted.intersection(names):
                yield Path(where) / name


def _folders() -> tuple[Path, ...]:
    try:
        home = Path.home()
    except RuntimeError:  # in a container somebody may have none
        home = Path()
    if sys.platform == "darwin":
        return (Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts")
    if sys.platform == "win32":
        return (Path(os.environ.get("WINDIR", r"C:\Windows")) / "Fonts",)
    return (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"), home / ".local/share/fonts")

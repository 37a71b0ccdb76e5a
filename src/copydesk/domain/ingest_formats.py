"""What a file with conversations is, told by what stands in it and never by its name."""

from __future__ import annotations

import io
import re
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from typing import BinaryIO, Literal, TypeAlias

from copydesk.domain.ingest_exports import Vendor, find_vendor, read_exports
from copydesk.domain.ingest_file import Item, read_items
from copydesk.domain.ingest_frames import PIECE, Complaint
from copydesk.domain.ingest_mail import MailReader, is_mail, is_mailbox
from copydesk.domain.ingest_records import are_records, write_table
from copydesk.domain.ingest_table import Shape, TableReader, find_shape, sure_columns
from copydesk.domain.late_dataclass import dataclass

HEAD = 64 * 1024
"""Bytes from which a file is known."""

Reader: TypeAlias = Callable[[BinaryIO], Iterator[Item | Complaint]]
"""Reads the conversations of a file from its beginning."""

Kind: TypeAlias = Literal[
    "json", "export", "records", "table", "mailbox", "mail", "foreign", "other"
]

NONE_OF_THEM = (
    "not in a known format: CSV, exports of help desks, mailboxes, mails and JSON are read"
)

UNKNOWN_ENCODING = (
    "neither UTF-8 nor what Windows writes in Western Europe; “copydesk conversations send "
    "--encoding cp932” reads Japanese, gb18030 Chinese, cp949 Korean, cp1251 Cyrillic"
)
"""Why a table is not read that is in an encoding that is not known: its words would be wrong."""

_WESTERN = 0.4
"""The most of the letters of a text in Western Europe that are not of the English alphabet."""

_BEGINNINGS = (
    (
        b"PK\x03\x04",
        "a spreadsheet (XLSX, ODS) or an archive (ZIP): save the table as CSV, or unpack it",
    ),
    (b"\xd0\xcf\x11\xe0", "a spreadsheet (XLS): save the table as CSV"),
    (b"\x1f\x8b", "compressed: unpack it first"),
    (b"{\\rtf", "a document (RTF): export the conversations as CSV or JSON"),
    (b"<", "HTML or XML: export it as CSV or JSON"),
)
"""What files begin with that users export and that are not read, and what to do with each."""

_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""What begins a text in UTF-16, as spreadsheets save it."""

_JSON = re.compile(
    rb"""[{\[]\s*(?:["'{}\[\],]|\Z)"""
    rb"""|\[\s*(?:null|true|false|-?(?:0|[1-9]\d*)(?:\.\d+)?)\s*(?:,|\]\s*\Z)"""
    rb"""|[{\[].*?[{,]\s*"[^"\n]+"\s*:""",
    re.DOTALL,
)
"""How JSON begins, also with a mistake: a bracket alone begins also chats (``[10:00] Ana:``)."""


@dataclass(frozen=True)
class Format:
    """What a file is; JSON of our own is what begins like JSON and is no export."""

    kind: Kind
    vendor: Vendor | None = None
    shape: Shape | None = None
    is_utf_8: bool = True
    refusal: str = ""
    """Why it is not read, and what to do; "" where it is."""

    @property
    def title(self) -> str:
        """What people call it."""
        match self.kind:
            case "export":
                return f"export of {self.vendor.title}" if self.vendor else "export"
            case "records":
                return "JSON, read by the names of its fields"
            case "table":
                between = self.shape.delimiter if self.shape else ","
                name = {";": "semicolons", "\t": "tabs", "|": "bars"}.get(between, "commas")
                other = (
                    ""
                    if self.is_utf_8
                    else ", Windows-1252 where it is not UTF-8: --encoding names another"
                )
                return f"table (CSV with {name}{other})"
            case "mailbox":
                return "mailbox (mbox)"
            case "mail":
                return "mail"
            case "foreign" | "other":
                return "no conversations"
        return "conversations as JSON"


def in_utf_8(
    file: BinaryIO, empty: Callable[[], BinaryIO] = io.BytesIO, encoding: str = ""
) -> BinaryIO:
    """Return a file as it is, or a copy in UTF-8 of one in UTF-16, or in an ``encoding``.

    Lines that end as on old Macs end as elsewhere in the copy. ``empty`` makes the file that it is
    written to. UTF-16 is known by its first bytes.
    """
    file.seek(0)
    head = file.read(HEAD)
    file.seek(0)
    if head[:2] in _UTF_16:
        encoding = "utf-16"
    old_mac = b"\r" in head and b"\n" not in head
    if encoding in ("", "utf-8") and not old_mac:
        return file
    decoder = getincrementaldecoder(encoding)("replace") if encoding else None
    copy = empty()
    more = True
    while more:
        piece = file.read(PIECE)
        more = bool(piece)
        if decoder is not None:
            piece = decoder.decode(piece, final=not more).encode(errors="replace")
        copy.write(piece.replace(b"\r", b"\n") if old_mac else piece)
    copy.seek(0)
    return copy


def begins_as_json(head: bytes) -> bool:
    """Whether a file begins as JSON with conversations does; ``[Login] fails`` does not."""
    return _JSON.match(head.removeprefix(_BOM).lstrip()) is not None


def find_format(file: BinaryIO) -> Format:
    """Return what a file is. It is read from its beginning, as far as that takes."""
    file = in_utf_8(file)
    head = file.read(HEAD)
    is_cut = len(head) == HEAD
    text = head.removeprefix(_BOM).lstrip()
    if begins_as_json(head):
        file.seek(0)
        if vendor := find_vendor(file):
            return Format("export", vendor=vendor)
        file.seek(0)
        return Format("records" if are_records(file) else "json")
    if not text:
        return Format("json")
    if is_mailbox(head):
        return Format("mailbox")
    if is_mail(head):
        return Format("mail")
    refusal = next((why for known, why in _BEGINNINGS if text.startswith(known)), NONE_OF_THEM)
    may_be_table = refusal == NONE_OF_THEM or text.startswith(b"<")
    if may_be_table and text >= b" " and (shape := find_shape(head, cut=is_cut)) is not None:
        encoding = _encoding_of(head, cut=is_cut)
        if not encoding:
            return Format("foreign", refusal=UNKNOWN_ENCODING)
        return Format("table", shape=shape, is_utf_8=encoding == "utf-8")
    return Format("other", refusal=refusal)


def _encoding_of(head: bytes, *, cut: bool) -> Literal["utf-8", "cp1252", ""]:
    """Return how the first bytes of a table are written; "" where that cannot be known.

    Each line is read by itself, as the table is: what was put together may be in both. ``cut``
    says that the last one may end in the middle of a sign.
    """
    *lines, last = head.split(b"\n")
    others = [line for line in lines if not _is_utf_8(line)]
    if not _is_utf_8(last, cut=cut):
        others.append(last)
    if not others:
        return "utf-8"
    # Bytes that are no sign there count as letters that are not English.
    signs = b"\n".join(others).decode("cp1252", "replace")
    letters = [sign for sign in signs if sign.isalpha() or sign == "\ufffd"]
    foreign = sum(not sign.isascii() for sign in letters)
    return "cp1252" if foreign <= _WESTERN * len(letters) else ""


def _is_utf_8(line: bytes, *, cut: bool = False) -> bool:
    try:
        getincrementaldecoder("utf-8")().decode(line, final=not cut)
    except UnicodeDecodeError:
        return False
    return True


def read_any(file: BinaryIO) -> Iterator[Item | Complaint]:
    """Yield the conversations of a file of any format, where nobody says anything of it."""
    file = in_utf_8(file)
    found = find_format(file)
    file.seek(0)
    shape, records = found.shape, None
    if found.kind == "records":
        table = io.BytesIO()
        records = write_table(file, table)
        file, shape = table, records.shape
    if shape is not None and (columns := sure_columns(shape)) is not None:
        read = TableReader(shape, columns).items(file)
        yield from records.items(read) if records is not None else read
    elif shape is not None:
        yield Complaint(
            1,
            "no column name says what people write; “copydesk conversations send” takes --columns",
        )
    elif found.kind in ("foreign", "other"):
        yield Complaint(1, found.refusal)
    elif found.kind == "export":
        yield from read_exports(file)
    elif found.kind in ("mailbox", "mail"):
        yield from MailReader().items(file)
    else:
        yield from read_items(file)

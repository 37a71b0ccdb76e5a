"""What a file with conversations is, told by what stands in it and never by its name."""

from __future__ import annotations

import io
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator
from typing import BinaryIO, Literal, TypeAlias

from copydesk.domain.ingest_exports import Vendor, find_vendor, read_exports
from copydesk.domain.ingest_file import Item, read_items
from copydesk.domain.ingest_frames import Complaint
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

FOREIGN = (
    "neither UTF-8 nor what Windows writes in Western Europe; “copydesk conversations send "
    "--encoding cp932” reads Japanese, gb18030 Chinese, cp949 Korean, cp1251 Cyrillic"
)
"""Why a table is not read whose words nobody could read then."""

_NO = "\ufffd"
_WESTERN = 0.4
"""The most of the letters of a text in Western Europe that are not of the English alphabet."""

_BEGINNINGS = (
    (b"PK", "a spreadsheet (XLSX, ODS) or an archive (ZIP): save the table as CSV, or unpack it"),
    (b"\xd0\xcf\x11\xe0", "a spreadsheet (XLS): save the table as CSV"),
    (b"\x1f\x8b", "compressed: unpack it first"),
    (b"<", "HTML or XML: export it as CSV or JSON"),
)
"""What files begin with that users export and that are not read, and what to do with each."""

UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""What begins a text in UTF-16, as spreadsheets save it: it is turned into UTF-8 first."""


@dataclass(frozen=True)
class Format:
    """What a file is; JSON of our own is what begins like JSON and is no export."""

    kind: Kind
    vendor: Vendor | None = None
    shape: Shape | None = None
    is_utf_8: bool = True
    why: str = NONE_OF_THEM
    """Of what is not read: why, and what to do."""

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


def find_format(file: BinaryIO) -> Format:
    """Return what a file is. It is read from its beginning, as far as that takes."""
    file.seek(0)
    head = file.read(HEAD)
    begins = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    if begins in (b"{", b"[") or not begins:
        file.seek(0)
        if begins and (vendor := find_vendor(file)):
            return Format("export", vendor=vendor)
        file.seek(0)
        return Format("records" if begins and are_records(file) else "json")
    if is_mailbox(head):
        return Format("mailbox")
    if is_mail(head):
        return Format("mail")
    if begins >= b" " and (shape := find_shape(head, cut=len(head) == HEAD)) is not None:
        written = _written_in(head)
        if not written:
            return Format("foreign", why=FOREIGN)
        return Format("table", shape=shape, is_utf_8=written == "utf-8")
    why = next((why for known, why in _BEGINNINGS if head.lstrip().startswith(known)), NONE_OF_THEM)
    return Format("other", why=why)


def _written_in(head: bytes) -> Literal["utf-8", "cp1252", ""]:
    """Return how the first bytes of a table are written; "" where that cannot be known.

    Each line is read by itself, as the table is: what was put together may be in both.
    """
    rest = b"\n".join(line for line in head.split(b"\n") if not _is_utf_8(line))
    letters = [sign for sign in rest.decode("cp1252", "replace") if sign.isalpha() or sign == _NO]
    foreign = sum(not sign.isascii() for sign in letters)
    if not rest:
        return "utf-8"
    return "cp1252" if foreign <= _WESTERN * len(letters) else ""


def _is_utf_8(line: bytes) -> bool:
    try:
        getincrementaldecoder("utf-8")().decode(line)  # the last sign of the head may be cut
    except UnicodeDecodeError:
        return False
    return True


def read_any(file: BinaryIO) -> Iterator[Item | Complaint]:
    """Yield the conversations of a file of any format, where nobody says anything of it."""
    file.seek(0)
    if file.read(2) in UTF_16:
        file.seek(0)
        file = io.BytesIO(file.read().decode("utf-16", "replace").encode("utf-8", "replace"))
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
        yield Complaint(1, found.why)
    elif found.kind == "export":
        yield from read_exports(file)
    elif found.kind in ("mailbox", "mail"):
        yield from MailReader().items(file)
    else:
        yield from read_items(file)

"""The files with conversations: opened, recognised, and shown as they are understood."""

from __future__ import annotations

import codecs
import errno
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import BinaryIO

from copydesk.cli.errors import UsageError, agreed, asked, kept_state, say
from copydesk.cli.given_file import STANDARD_INPUT, is_piped, named
from copydesk.cli.output import room
from copydesk.domain.ingest_conversation import masked
from copydesk.domain.ingest_exports import read_exports
from copydesk.domain.ingest_file import Item, read_items
from copydesk.domain.ingest_formats import (
    HEAD,
    Format,
    Reader,
    begins_as_json,
    find_format,
    in_utf_8,
)
from copydesk.domain.ingest_frames import PIECE, Complaint
from copydesk.domain.ingest_mail import MailReader
from copydesk.domain.ingest_records import Records, write_table
from copydesk.domain.ingest_table import (
    MEANINGS,
    Columns,
    ColumnsError,
    Shape,
    TableReader,
    find_shape,
    likely_columns,
    read_columns,
    sure_columns,
    written_columns,
)
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.personal_data import mask
from copydesk.domain.text import clean, few, listed, plural, shorten
from copydesk.domain.written_moment import Order
from copydesk.local.known_columns import KnownColumns
from copydesk.local.paths import expanded

SHOWN = 3
"""So many conversations of a file are shown before they are sent."""

UNREAD_SHOWN = 8
"""So many columns that are not read are named."""

_CELLS = 100
_EXAMPLE_CELLS = 30
_ENVELOPE = b"From - Thu Jan  1 00:00:00 1970\n"


@dataclass(frozen=True)
class Choices:
    """What whoever sends files says of them.

    ``columns`` and ``order`` (of dates) are of tables, ``source`` is where the conversations are
    from, but for those of our own JSON, ``team`` are addresses and domains of the own people,
    ``hide`` masks what is personal, ``yes``: nobody is asked. ``encoding`` is that of text that is
    not UTF-8.
    """

    columns: str = ""
    source: str = ""
    team: tuple[str, ...] = ()
    order: Order | None = None
    hide: bool = False
    yes: bool = False
    encoding: str = ""


@dataclass(frozen=True)
class Input:
    """A file that is read several times; what can be read only once is ``kept`` as it was."""

    name: str
    kept: BinaryIO | None = None
    reads: Reader = read_items
    format: Format = Format("json")
    hide: bool = False
    table: TableReader | None = None
    records: Records | None = None
    """Where the rows of the table stand in the JSON that it was made of."""
    chosen: bool = False
    """Whether a person said which columns of a table say what."""

    def remember(self) -> None:
        """Keep for the next table of this kind which columns say what, if a person said it.

        Tables without names of columns are of no kind: they have nothing but their width in common.
        """
        if self.table is not None and self.chosen and not self.table.shape.nameless:
            shape = self.table.shape
            told = written_columns(self.table.columns, shape.header)
            KnownColumns(kept_state()).keep(shape.key, told)

    @contextmanager
    def opened(self) -> Iterator[BinaryIO]:
        """Give what there is, from the beginning."""
        if self.kept is not None:
            self.kept.seek(0)
            yield self.kept
        else:
            with expanded(self.name).open("rb") as file:
                yield file

    @property
    def holds_parts(self) -> bool:
        """Whether what is in it may be a part of a conversation; known once it was read."""
        if self.records is not None and self.records.whole:
            return False
        messages = self.table is not None and self.table.holds_messages
        return messages or self.format.kind in ("mailbox", "mail")

    def items(self, file: BinaryIO) -> Iterator[Item | Complaint]:
        """Yield the conversations in it as they are sent, and problems at their places."""
        found = self.reads(file)
        if self.records is not None:
            found = self.records.items(found)
        if not self.hide:
            return found
        return (masked(each) if isinstance(each, Item) else each for each in found)


def find_inputs(names: Sequence[str], stack: ExitStack, choices: Choices) -> list[Input]:
    """Return the files, with how each is read. Raises ``UsageError`` with all that cannot be read.

    Several mailboxes and mails are one: an answer lies in another than what it answers.
    """
    problems: list[str] = []
    found: list[Input] = []
    encoding = _encoding(choices.encoding)
    for name in dict.fromkeys(names):
        try:
            opened = _opened(name, stack, encoding)
            with opened.opened() as file:
                kind = find_format(file)
            found.append(Input(opened.name, opened.kept, format=kind, hide=choices.hide))
        except OSError as error:
            problems.append(f"{name} cannot be read: {error.strerror or error}")
        except UnicodeError:  # of most encodings what is not in them is replaced, but not of all
            problems.append(f"{name} cannot be read as {encoding}.")
    if problems:
        raise UsageError("\n".join([*problems, "Nothing was sent."]))
    found = [_as_table(each, stack) for each in _as_one_mailbox(found, stack)]
    return [_with_reader(each, choices) for each in found]


def can_ask(inputs: Sequence[Input], choices: Choices) -> bool:
    """Whether somebody is there who has not said yes yet, and did not type the conversations."""
    typed = any(each.name == named(STANDARD_INPUT) for each in inputs)
    return not (choices.yes or typed) and sys.stdin is not None and sys.stdin.isatty()


# Opening


def _encoding(named: str) -> str:
    """Return an encoding as it is decoded; "" for none. Raises ``UsageError``."""
    try:
        "".encode(named or "utf-8")
    except (LookupError, UnicodeError) as error:  # one that is called undefined
        raise UsageError(
            f"there is no encoding “{clean(named)}”; there are utf-8, cp1252, cp932, gb18030, "
            "cp949, cp1251 and others. Nothing was sent."
        ) from error
    known = codecs.lookup(named).name if named else ""
    return _WIDER.get(known, known)


_WIDER = {"shift_jis": "cp932", "gb2312": "gb18030", "gbk": "gb18030", "euc_kr": "cp949"}
"""What Windows writes where people name the standard: the same, and more signs."""


def _opened(name: str, stack: ExitStack, encoding: str) -> Input:
    empty = partial(_empty, stack)
    if is_piped(name):
        if sys.stdin is None:
            raise OSError(errno.EBADF, "there is no standard input")
        if sys.stdin.isatty():
            say("Reading what is typed, up to ctrl+d at the beginning of a line; ctrl+c stops.")
        typed = _kept(sys.stdin.buffer, stack)
        return Input(named(name), in_utf_8(typed, empty, encoding))
    path = expanded(name)
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder; name the files in it")
    with path.open("rb") as file:
        endless = stat.S_ISCHR(mode) and not path.samefile(os.devnull)
        if endless and not file.isatty():
            raise OSError(errno.EINVAL, "it is a device, which may never end; name a file")
        if not stat.S_ISREG(mode):
            return Input(name, in_utf_8(_kept(file, stack), empty, encoding))
        file_in_utf_8 = in_utf_8(file, empty, encoding)
        return Input(name, None if file_in_utf_8 is file else file_in_utf_8)


def _empty(stack: ExitStack) -> BinaryIO:
    """Return a file without a name, which ends with us."""
    return stack.enter_context(tempfile.TemporaryFile())


def _kept(file: BinaryIO, stack: ExitStack) -> BinaryIO:
    """Return a copy of a pipe's contents."""
    kept = _empty(stack)
    # Fewer bytes than were asked for are the end: a terminal would begin anew after its end.
    while len(piece := file.read(PIECE)) == PIECE:
        kept.write(piece)
    kept.write(piece)
    return kept


def _as_one_mailbox(inputs: Sequence[Input], stack: ExitStack) -> list[Input]:
    """Return the inputs with all mailboxes and mails as one mailbox, where the first of them is."""
    mails = [each for each in inputs if each.format.kind in ("mailbox", "mail")]
    if len(mails) < 2:
        return list(inputs)
    kept = _empty(stack)
    for each in mails:
        is_one = each.format.kind == "mail"
        if is_one:
            kept.write(_ENVELOPE)
        with each.opened() as file:
            while line := file.readline(PIECE):
                kept.write(b">" + line if is_one and line.startswith(b"From ") else line)
        kept.write(b"\n\n")
    name = f"{mails[0].name} and {plural(len(mails) - 1, 'other file')}"
    whole = Input(name, kept, format=Format("mailbox"), hide=mails[0].hide)
    others = [each for each in inputs if each not in mails]
    return [*others, whole]


def _as_table(given: Input, stack: ExitStack) -> Input:
    """Return an input with the table of its fields, where it is JSON of another program."""
    if given.format.kind != "records":
        return given
    kept = _empty(stack)
    with given.opened() as file:
        records = write_table(file, kept)
    return replace(given, kept=kept, records=records, format=Format("records", shape=records.shape))


# How each is read


def _with_reader(given: Input, choices: Choices) -> Input:
    read: Reader = read_items
    match given.format.kind:
        case "export":
            read = partial(read_exports, source=choices.source)
        case "mailbox" | "mail":
            read = MailReader(choices.team, choices.source).items
        case "table" | "records" | "other" if (shape := _shape(given, choices)) is not None:
            may_ask = can_ask([given], choices)
            columns = _columns(given.name, shape, choices, may_ask=may_ask)
            table = TableReader(shape, columns, choices.source, choices.order, choices.team)
            kind = given.format if given.format.shape else Format("table", shape=shape)
            chosen = may_ask or bool(choices.columns)
            return replace(given, reads=table.items, format=kind, table=table, chosen=chosen)
        case "foreign" | "other":
            raise UsageError(f"{given.name}: {given.format.refusal}. Nothing was sent.")
    if choices.columns:
        say(f"{given.name}: {given.format.title}: --columns is left out.")
    if choices.source and given.format.kind == "json":
        say(f"{given.name}: --source is left out: each conversation says where it is from.")
    return replace(given, reads=read)


def _shape(given: Input, choices: Choices) -> Shape | None:
    """Return the shape of a table: also of one that is known for one only because it was said."""
    if given.format.shape is not None or not choices.columns:
        return given.format.shape
    with given.opened() as file:
        head = file.read(HEAD)
    if begins_as_json(head):
        return None
    return find_shape(head, cut=len(head) == HEAD)


def _columns(name: str, shape: Shape, choices: Choices, *, may_ask: bool) -> Columns:
    """Return which columns say what: as it was said, as it was said once, as they are called.

    Raises ``UsageError``.
    """
    try:
        if choices.columns:
            return read_columns(choices.columns, shape.header)
        told = None if shape.nameless else KnownColumns(kept_state()).find(shape.key)
        if told is not None:
            say(f"{name}: columns as last time: {told} (--columns says others)")
            return read_columns(told, shape.header)
    except ColumnsError as error:
        raise UsageError(f"{name}: {error}. Nothing was sent.") from error
    columns = likely_columns(shape)
    written = "" if columns is None else written_columns(columns, shape.header)
    if may_ask:
        if columns is not None:
            _say_unread(name, columns, shape.header)
        if shape.nameless:
            say(f"{name}: {_NAMELESS.format(many=len(shape.header))}.")
        if columns is None or not agreed(f"{name}: read these columns? {clean(written)}"):
            columns = _asked(shape.header)
        return columns
    if (sure := sure_columns(shape)) is None:
        why = _NAMELESS if shape.nameless else _UNNAMED
        raise UsageError(
            f"{name} is a table, and {why.format(many=len(shape.header))}. Say which does, "
            f'{"perhaps" if written else "as in"}: --columns "{clean(written) or _EXAMPLE}". '
            f"The columns are {listed(shape.header[:40])}. Nothing was sent."
        )
    by = "by their names"
    if sure.meant["body"] == sure.meant.get("subject"):
        by += ", with the subjects in place of what people write (--columns names another)"
    say(f"{name}: columns {by}: {written}")
    _say_unread(name, sure, shape.header)
    return sure


def _say_unread(name: str, columns: Columns, header: Sequence[str]) -> None:
    read = {*columns.meant.values(), *columns.kept}
    if unread := [clean(each) for at, each in enumerate(header) if each and at not in read]:
        say(f"{name}: not read: {few(unread, UNREAD_SHOWN)} (--columns names them)")


_UNNAMED = "no column name says what people write"
_NAMELESS = "its first row names no columns, so they have numbers, 1 to {many}"
_EXAMPLE = "body=…, subject=…, id=…, created=…"


def _asked(header: Sequence[str]) -> Columns:
    """Ask which column says what. Raises ``UsageError``."""
    for number, name in enumerate(header, 1):
        say(f"{number:>4}  {clean(name)}")
    say("Which column says it? A number or a name; enter for none.")
    said: list[str] = []
    for meaning, words in MEANINGS.items():
        while True:
            typed = asked(f"{meaning}: {words}?")
            answer = typed.strip().replace('"', "")
            if typed and not answer and meaning == "body":
                say("Some column has to say it: without it there is nothing to send.")
                continue
            told = [*said, f'"{meaning}={answer}"'] if answer else said
            try:
                # The body is asked for after others: it is only held against the header here.
                read_columns(", ".join([*told, "body=1"]), header)
            except ColumnsError as error:
                say(f"{error}.")
                if typed:
                    continue
            said = told
            break
    try:
        return read_columns(", ".join(said), header)
    except ColumnsError as error:
        raise UsageError(f"{error}. Nothing was sent.") from error


# Showing


def show(given: Input) -> None:
    """Say what a file is, and show its first conversations as they are understood, masked."""
    say(f"{given.name}: {given.format.title}")
    cells = min(_CELLS, room() or _CELLS) - 4
    with given.opened() as file:
        items = (each for each in given.items(file) if isinstance(each, Item))
        for item in islice(items, SHOWN):
            conversation, metadata = item.conversation, item.conversation.metadata
            created = metadata.created_at if metadata is not None else None
            roles = [part.role for part in conversation.parts]
            said = [
                mask(clean(item.who)) or "no one named",
                f"{created:%Y-%m-%d %H:%M} UTC" if created is not None else "no date",
                ", ".join(roles[:4]) + (f", … ({len(roles)})" if len(roles) > 4 else ""),
            ]
            words = next((part.body for part in conversation.parts if part.role == "user"), "")
            say(f"  {shorten(mask(clean(conversation.subject or '(no subject)')), cells)}")
            say(f"    {shorten(' · '.join(said), cells)}")
            say(
                f"    {shorten(mask(clean(words or conversation.parts[0].body, limit=400)), cells)}"
            )
    if given.table is not None and not given.table.names_source:
        say("  source: api; --source names another")
    if given.table is not None and given.table.no_dates:
        such = shorten(mask(clean(given.table.no_date)), _EXAMPLE_CELLS)
        many = plural(given.table.no_dates, "date")
        say(f"  {many} cannot be read, such as “{such}”: no date counts as today's.")
    if given.table is not None and given.table.open_dates:
        say(
            "  Its dates may begin with the month or with the day. They are read month first; "
            "--dates dmy reads them day first."
        )

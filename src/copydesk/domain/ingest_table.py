"""Conversations in tables: CSV of any delimiter, a conversation or a message in each row.

Which column says what is told by whoever sends the table, or by the names of the columns. Rows with
the same id are one conversation, wherever in the file they stand: where each begins is noted first,
and no more than one conversation is held.
"""

from __future__ import annotations

import csv
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from io import StringIO
from typing import BinaryIO
from unicodedata import combining, normalize

from copydesk.contract.enumerations import PartRole
from copydesk.domain.conversation import html_text, looks_like_html
from copydesk.domain.ingest_conversation import Exported, digest_of
from copydesk.domain.ingest_file import Item
from copydesk.domain.ingest_frames import LARGEST, Complaint
from copydesk.domain.ingest_quotes import BROKEN, NO_END, NOT_DOUBLED, TOO_FAR, RowCheck, quote_line
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.source_name import id_of
from copydesk.domain.text import listed, ordinal
from copydesk.domain.written_moment import Order, is_open, order_of, read_cell, read_moment

DELIMITERS = ",;\t|"

_LONGEST_NAME = 200
"""Characters of what is a sentence and no name of a column."""

MOST_COLUMNS = 1000
MOST_BROKEN = 20
"""So often as much as a row may have is read again behind a quotation mark without an end."""

_SPEAKS = 4
"""Words of a cell in which somebody says something."""

LOOKED_AT = 20
"""Rows that are looked at to find which columns say what."""

_WRITTEN = ("body", "subject")
"""What a column says in which people write."""

_SURELY = 2
"""Columns with known names that a row below others has to have to name the columns."""

MEANINGS: Mapping[str, str] = {
    "id": "its number (rows with the same one are one conversation)",
    "subject": "its subject",
    "body": "what someone writes",
    "reply": "what the team answers, in the same row",
    "created": "when",
    "author": "who writes",
    "role": "whether it is a user, the team, a bot or a note",
    "url": "its address",
    "source": "where it comes from",
    "language": "its language",
}
"""What a column may say, by the names that ``--columns`` takes."""

_NAMES = """
id: id|ticket id|ticket number|ticket|ticket no|ticket nr|case id|case number|conversation id
    |conversation|number|request id|issue id|question id|topic id|thread id|thread ts|issue key|key
    |external id|ticketnummer|nr|numero|チケット番号|問い合わせ番号|番号
subject: subject|title|ticket subject|summary|topic|betreff|titel|asunto|sujet|objet|oggetto|assunto
    |件名|タイトル
body: body|description|message|text|content|comment|question|message body|ticket description|details
    |message text|description text|body text|plain body|extract|first message|customer message
    |preview|cooked|raw|selftext|html body|body html|nachricht|beschreibung|inhalt|anfrage|frage
    |mensaje|descripcion|corps|messaggio|mensagem|内容|本文|説明|問い合わせ内容
reply: reply|answer|response|agent reply|agent response|first reply|antwort|respuesta|reponse
    |risposta|回答|返信
created: created|created at|created on|created time|created date|creation date|date|date created
    |timestamp|time|ts|createdate|created datetime|created utc|sent at|message date|opened
    |opened at|date opened|opened date|date/time opened|received at|submitted at|started at
    |requested|datum|erstellt|erstellt am|fecha|date de creation
    |data|作成日|作成日時|受付日|受付日時|日時
author: author|from|sender|requester|requester name|customer|customer name|contact|contact name|name
    |full name|requester email|email|e mail|from email|user|username|author login|user login
    |author name|user name|author username|user username|author email|author display name
    |owner display name|reporter|reporter display name|creator|user id|absender|von|kunde|cliente
    |client|顧客名|名前|差出人
role: role|author role|author type|sender type|direction|message type|from type|rolle
url: html url|url|link|ticket url|permalink|adresse
source: source|origin|quelle
language: language|locale|lang|sprache|idioma|langue|lingua|言語
"""


@lru_cache(maxsize=4096)
def _plain_name(name: str) -> str:
    """Return what a column is called without signs, accents and capitals: "createdAt" is two words.

    The sign between the fields of JSON counts as a blank: "author.login".
    """
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    plain = "".join(c for c in normalize("NFKD", apart) if not combining(c))
    return re.sub(r"[\s_.:*#()-]+", " ", plain).strip().casefold()


_CALLED: Mapping[str, Sequence[str]] = {
    meaning: [_plain_name(name) for name in names.split("|")]
    for meaning, _, names in (
        line.partition(": ") for line in _NAMES.replace("\n    ", "").strip().splitlines()
    )
}
"""What programs and people call the columns, the likeliest first."""

_KEPT = re.compile(
    r"status|state|priority|type|tags?|channel|group|team|category|product|plan|version|country|region"
    r"|severity|platform|os|browser|via|queue|brand|component|labels?|kategorie|produkt|prioritat"
)
"""Columns that are kept as attributes where nobody says which are: none of them is of a person."""

_ROLES: Sequence[tuple[str, PartRole, bool]] = (
    ("note|internal|private|notiz|intern", "team-member", True),
    ("bot|assistant|system|ai|automation|workflow|trigger|auto.*", "assistant", False),
    (
        "user|end[-_ ]?user|customer|requester|contact|client|visitor|lead|guest|buyer|inbound"
        "|incoming|in|received|kunde|kundin|cliente|eingehend",
        "user",
        False,
    ),
    (
        "agent|admin|support|team|team[-_ ]?member|teammate|staff|operator|employee|owner|outbound"
        "|outgoing|out|sent|reply|answer|mitarbeiter|ausgehend",
        "team-member",
        False,
    ),
)
"""What the cells of a column of roles say, who that is, and whether it is a note."""


@dataclass(frozen=True)
class Columns:
    """Which column says what: numbers of columns by meaning, and those that are attributes."""

    meant: Mapping[str, int]
    kept: tuple[int, ...] = ()


@dataclass(frozen=True)
class Shape:
    """A table: what stands between its columns, their names, and its first rows of that length.

    Where its first row names none but says something, its columns are named by their numbers.
    ``above`` are the rows of a report's title that stand above their names.
    """

    delimiter: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = ()
    nameless: bool = False
    above: int = 0

    @property
    def key(self) -> str:
        """What tables with the same columns have in common."""
        return digest_of([self.delimiter, *self.header])


class ColumnsError(ValueError):
    """Columns that were named are not there; the message is for people."""


def find_shape(head: bytes, *, cut: bool = False) -> Shape | None:
    """Return the shape of a table from its first bytes; None for another kind of file.

    ``cut`` says that there is more: a row may end in the middle.
    """
    text = _decoded(head.removeprefix(b"\xef\xbb\xbf"))
    if "\0" in text.partition("\n")[0]:
        return None
    best: tuple[tuple[int, int, bool], Shape] | None = None
    for delimiter in DELIMITERS:
        rows = _first_rows(text, delimiter, cut=cut)
        above = _above(rows)
        rows = rows[above:]
        if not rows or len(rows[0]) > MOST_COLUMNS:
            continue
        names = [" ".join(name.split()) for name in rows[0]]
        if any(len(name) > _LONGEST_NAME for name in names):
            continue
        known = guess(names).meant
        # One column is a table where its name says so, and something is in it.
        if sum(map(bool, names)) < 2 and (len(rows) < 2 or known.keys().isdisjoint(_WRITTEN)):
            continue
        fits = len(rows) > 1 and all(len(row) == len(names) for row in rows[1:])
        nameless = fits and not known and any(map(_says_something, names))
        fits = fits or _opens_quotation(text, delimiter, len(names))
        if not known and not fits:
            continue
        worth = len(known), len(names), fits
        if best is None or worth > best[0]:
            if nameless:
                header = tuple(f"column {at + 1}" for at in range(len(names)))
            else:
                header, rows = tuple(names), rows[1:]
            first = tuple(tuple(row) for row in rows if len(row) == len(names))
            best = worth, Shape(delimiter, header, first, nameless, above)
    return best[1] if best is not None else None


def _above(rows: Sequence[Sequence[str]]) -> int:
    """Return how many rows stand above the names of columns, as reports have their title there.

    They have fewer cells with words in them, and name no column.
    """
    filled = [sum(bool(cell.strip()) for cell in row) for row in rows]
    for at, row in enumerate(rows):
        known = len(guess(row).meant)
        if known >= _SURELY or (known and not at):
            return at if all(each < filled[at] for each in filled[:at]) else 0
    return 0


def guess(header: Sequence[str]) -> Columns:
    """Return which columns say what, by their names alone."""
    places: dict[str, int] = {}
    for at, name in enumerate(header):
        places.setdefault(_plain_name(name), at)
    meant: dict[str, int] = {}
    for meaning, names in _CALLED.items():
        for name in names:
            found = places.get(name)
            if found is not None and found not in meant.values():
                meant[meaning] = found
                break
    kept = [
        at
        for at, name in enumerate(header)
        if at not in meant.values() and _KEPT.fullmatch(_plain_name(name.rpartition(".")[2]))
    ]
    return Columns(meant, tuple(kept))


def sure_columns(shape: Shape) -> Columns | None:
    """Return which columns say what by their names; None where these do not tell what is written.

    Of tickets without a description their subjects are what is written.
    """
    columns = guess(shape.header)
    if "body" in columns.meant:
        return columns
    subject = columns.meant.get("subject")
    if subject is None or _most_written(shape, columns) is not None:
        return None
    return Columns({**columns.meant, "body": subject}, columns.kept)


def likely_columns(shape: Shape) -> Columns | None:
    """Return which columns probably say what, also by what is in them; None where nothing tells."""
    columns = sure_columns(shape)
    if columns is not None:
        return columns
    named = guess(shape.header)
    meant, body = dict(named.meant), _most_written(shape, named)
    if body is None:
        return None
    meant["body"] = body
    for meaning, holds in (("created", _all_moments), ("id", _all_keys)):
        free = (at for at in range(len(shape.header)) if at not in meant.values())
        found = next((at for at in free if holds([row[at].strip() for row in shape.rows])), None)
        if meaning not in meant and found is not None:
            meant[meaning] = found
    return Columns(meant, tuple(at for at in named.kept if at not in meant.values()))


def _most_written(shape: Shape, columns: Columns) -> int | None:
    """Return the column without a meaning in which people write most; None where they do not."""
    words = {
        at: sum(len(row[at].split()) for row in shape.rows) / len(shape.rows)
        for at in range(len(shape.header))
        if shape.rows and at not in columns.meant.values() and at not in columns.kept
    }
    most = max(words, key=words.__getitem__, default=None)
    return None if most is None or words[most] < _SPEAKS else most


def _all_moments(cells: Sequence[str]) -> bool:
    return all(read_moment(cell) is not None for cell in cells)


def _all_keys(cells: Sequence[str]) -> bool:
    one_word = all(cell and len(cell.split()) == 1 for cell in cells)
    return one_word and len(set(cells)) == len(cells)


def _says_something(cell: str) -> bool:
    """Whether a cell cannot be the name of a column: a number, a date, an address, a sentence."""
    plain = cell.strip()
    if len(plain.split()) >= _SPEAKS or "@" in plain or "://" in plain:
        return True
    return bool(re.fullmatch(r"#?\d+", plain)) or read_moment(plain) is not None


def read_columns(said: str, header: Sequence[str]) -> Columns:
    """Return the columns that somebody named: ``body=Description, id=Ticket ID, keep=Plan``.

    A column is named by its heading or its number from 1. Raises `ColumnsError`.
    """
    meant: dict[str, int] = {}
    kept: list[int] = []
    for part in next(csv.reader(StringIO(said), skipinitialspace=True), []):
        meaning, equals, name = part.partition("=")
        meaning = meaning.strip().casefold()
        if not equals or (meaning not in MEANINGS and meaning != "keep"):
            raise ColumnsError(
                f"“{part.strip()}” names no column: write MEANING=COLUMN, with "
                f"{listed([*MEANINGS, 'keep'], 'or')} for the meaning"
            )
        at = _column(name.strip(), header)
        if meaning == "keep":
            kept.append(at)
        else:
            meant[meaning] = at
    if "body" not in meant:
        raise ColumnsError("no column is named for body, which is what someone writes")
    return Columns(meant, tuple(kept))


def written_columns(columns: Columns, header: Sequence[str]) -> str:
    """Return columns as `read_columns` reads them."""
    names = [
        name if _place(name.strip(), header) == at else str(at + 1)
        for at, name in enumerate(header)
    ]
    told = [f"{meaning}={names[at]}" for meaning, at in columns.meant.items()]
    told += [f"keep={names[at]}" for at in columns.kept]
    out = StringIO()
    csv.writer(out, lineterminator="").writerow(told)
    return out.getvalue()


def _column(name: str, header: Sequence[str]) -> int:
    at = _place(name, header)
    if at is None:
        raise ColumnsError(f"there is no column “{name}”; there are {listed(header[:40])}")
    return at


def _place(name: str, header: Sequence[str]) -> int | None:
    """Return the column with this heading or, counted from 1, this number; None for none."""
    wanted = name.casefold()
    for at, each in enumerate(header):
        if each.casefold() == wanted:
            return at
    return number - 1 if 0 < (number := ordinal(name)) <= len(header) else None


@dataclass(frozen=True, slots=True)
class _Row:
    begin: int
    line: int
    cells: list[str]


class TableReader:
    """The conversations of a table. ``source`` names where they are from, where no column does.

    ``team`` are addresses and domains of the own people: what they write is the team's. ``order``
    is that of dates; without one it is that of those dates of the table that have only one.
    """

    def __init__(
        self,
        shape: Shape,
        columns: Columns,
        source: str = "",
        order: Order | None = None,
        team: Sequence[str] = (),
    ) -> None:
        self.shape = shape
        self.columns = columns
        self.order = order
        self._source = source
        self._team = frozenset(each.casefold().removeprefix("@") for each in team)
        meant = columns.meant
        self._check = RowCheck(
            shape.delimiter, len(shape.header), meant.get("id"), meant.get("created")
        )
        self._rows_of: dict[int, array[int]] | None = None
        self.open_dates = False
        """Whether no date tells which of its numbers is the month."""
        self.dates_both_ways = False
        """Whether a date may be read with the day or with the month first."""
        self.no_dates = 0
        """How many rows have something for a date that cannot be read as one."""
        self.no_date = ""
        """What the first of them says."""

    @property
    def names_source(self) -> bool:
        """Whether it is known where the conversations are from."""
        return bool(self._source) or "source" in self.columns.meant

    def items(self, file: BinaryIO) -> Iterator[Item | Complaint]:
        """Yield the conversations in the order of their first rows."""
        if self._rows_of is None:
            self._rows_of = self._look_over(file)
        several = self._rows_of
        for number, row in enumerate(_rows(file, self.shape, check=self._check), 1):
            if isinstance(row, Complaint):
                yield row
                continue
            key = self._cell(row, "id")
            places = several.get(hash(key)) if key else None
            if places is None:
                yield self._read(number, [row])
            elif places[0] == row.begin:
                back = file.tell()
                rows, size = [row], 0
                for at in places[1:]:
                    found = _row_at(file, self.shape, at)
                    if found is not None:
                        rows.append(found)
                        size += sum(map(len, found.cells))
                    if size > LARGEST:  # more than a conversation may have: it is complained about
                        break
                file.seek(back)
                yield self._read(number, rows)

    @property
    def holds_messages(self) -> bool:
        """Whether a row is a message of a conversation, of which others may be elsewhere."""
        return "id" in self.columns.meant and ("role" in self.columns.meant or bool(self._rows_of))

    def _look_over(self, file: BinaryIO) -> dict[int, array[int]]:
        """Return where the rows of each id begin that has several, and find the order of dates."""
        first: dict[int, int] = {}
        several: dict[int, array[int]] = {}
        orders: Counter[Order] = Counter()
        is_left_open = False
        for row in _rows(file, self.shape, check=self._check):
            if isinstance(row, Complaint):
                continue
            written = self._cell(row, "created")
            if (order := order_of(written)) is not None:
                orders[order] += 1
            is_left_open = is_left_open or is_open(written)
            if written and read_cell(written) is None:
                self.no_dates += 1
                self.no_date = self.no_date or written
            if not (key := self._cell(row, "id")):
                continue
            known = hash(key)
            begin = first.setdefault(known, row.begin)
            if begin != row.begin:
                several.setdefault(known, array("q", [begin])).append(row.begin)
        if self.order is None and orders:
            self.order = orders.most_common(1)[0][0]
        self.open_dates = is_left_open and self.order is None
        self.dates_both_ways = is_left_open
        return several

    def _cell(self, row: _Row, meaning: str) -> str:
        at = self.columns.meant.get(meaning)
        return row.cells[at].strip() if at is not None and at < len(row.cells) else ""

    def _read(self, number: int, rows: list[_Row]) -> Item | Complaint:
        first = rows[0]
        if len(first.cells) > len(self.shape.header) + 1:
            said = (
                f"this row has {len(first.cells)} columns, the first has {len(self.shape.header)}: "
                "a quotation mark is missing, perhaps"
            )
            return Complaint(first.line, said, number, self._cell(first, "id")[:60])
        moments = [read_cell(self._cell(row, "created"), self.order) for row in rows]
        known = [moment for moment in moments if moment is not None]
        if len(known) == len(rows) > 1:
            places = sorted(range(len(rows)), key=lambda at: known[at])
            rows = [rows[at] for at in places]
            known.sort()
        key = self._cell(first, "id")
        if key and self._source:
            key = id_of(self._source, key)  # as those of an export of it are called
        exported = Exported(first.line, number, key)
        exported.created = known[0] if known else None
        names = ("subject", "url", "source", "author", "language")
        told = {
            name: next((said for row in rows if (said := self._cell(row, name))), "")
            for name in names
        }
        exported.subject, exported.url, exported.who = told["subject"], told["url"], told["author"]
        exported.source = told["source"] or self._source
        if told["language"]:
            exported.note("language", told["language"])
        for at in self.columns.kept:
            if at < len(first.cells):
                exported.note(self.shape.header[at] or f"column {at + 1}", first.cells[at])
        for row in {
            tuple(row.cells): row for row in rows
        }.values():  # the same row again says nothing
            role, note = self._role(row, exported.who)
            exported.say(role, _plain(self._cell(row, "body")), note=note)
            exported.say("team-member", _plain(self._cell(row, "reply")))
        if not exported.id and exported.parts:
            # The same row is the same conversation in the next export as well.
            bodies = [body for _, body in exported.parts]
            exported.id = "row-" + digest_of(
                [str(exported.created), exported.who, exported.subject, *bodies]
            )
        return exported.finished()

    def _role(self, row: _Row, began: str) -> tuple[PartRole, bool]:
        """Return who a row is of, and whether it is a note."""
        said = self._cell(row, "role").casefold()
        for words, role, note in _ROLES:
            if said and re.fullmatch(words, said):
                return role, note
        author = self._cell(row, "author")
        if self._team:
            address = author.casefold().rstrip(">").rpartition("<")[2]
            ours = {address, address.rpartition("@")[2]} & self._team
            return ("team-member" if ours else "user"), False
        return ("user" if not author or author == began else "team-member"), False


def _plain(body: str) -> str:
    body = body.replace("\r\n", "\n").replace("\r", "\n")
    return html_text(body) if looks_like_html(body) else body


# Rows


def _decoded(data: bytes) -> str:
    """Return a piece of a table: UTF-8, or else what Windows writes in Western Europe."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _first_rows(text: str, delimiter: str, *, cut: bool) -> list[list[str]]:
    rows: list[list[str]] = []
    lines = text.splitlines(keepends=True)
    if len(lines) > 1 and not lines[-1].endswith(("\r", "\n")):
        del lines[-1]  # it may be cut
    try:
        for row in csv.reader(lines, delimiter=delimiter):
            if any(row) and not _names_delimiter(row):
                rows.append(row)
            if len(rows) == LOOKED_AT:
                return rows
    except csv.Error:
        return rows[:1]
    # A quotation that goes on behind the cut ends the last row too early.
    return rows[:-1] if cut and len(rows) > 1 else rows


def _opens_quotation(text: str, delimiter: str, width: int) -> bool:
    """Whether the row below the header of a table begins a quotation that hides its other cells."""
    first = next((line for line in text.splitlines()[1:] if line.strip()), "")
    begun = first.partition(delimiter + '"')
    before = begun[0].count(delimiter) + 1
    return bool(begun[1]) and '"' not in begun[2] and width >= 3 and before < width


def _names_delimiter(cells: Sequence[str]) -> bool:
    """Whether a row is the one in which Excel says what stands between columns: ``sep=;``."""
    return cells[0].casefold() == "sep="


class _Lines:
    """The lines of a file from ``at`` on, as text; what stands where is counted."""

    def __init__(self, file: BinaryIO, at: int = 0, line: int = 1) -> None:
        self._file = file
        self.at = at
        self.line = line
        self.taken = 0
        """Bytes of the row under way."""
        self.row: list[str] = []
        """Its lines."""

    def begin_row(self) -> None:
        """Forget the lines of the row before."""
        self.taken = 0
        self.row.clear()

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        self._file.seek(self.at)
        data = self._file.readline(LARGEST + 1)
        if not data:
            raise StopIteration
        self.taken += len(data)
        if self.taken > LARGEST:
            raise csv.Error(_TOO_LARGE)
        begins = self.at == 0
        self.at += len(data)
        self.line += 1
        text = _decoded(data.removeprefix(b"\xef\xbb\xbf") if begins else data)
        self.row.append(text.replace("\0", ""))
        return self.row[-1]


_TOO_LARGE = f"this row is larger than {LARGEST // 2**20} MiB, or a quotation mark has no end"


def _rows(
    file: BinaryIO, shape: Shape, at: int = 0, line: int = 1, check: RowCheck | None = None
) -> Iterator[_Row | Complaint]:
    """Yield the rows, without those up to the one that names the columns.

    Behind a row with a broken quotation it goes on with the next line that has as many cells as
    the first row.
    """
    lines = _Lines(file, at, line)
    reader = _reader(lines, shape)
    read_again = told = 0
    above = shape.above if at == 0 else 0
    header, lost, ragged = at == 0 and not shape.nameless, False, False
    while True:
        begin, first = lines.at, lines.line
        lines.begin_row()
        wrong: Complaint | None = None
        cells: list[str] = []
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            wrong = _broken(error, first, lines, shape)
        quoted = any('"' in each for each in lines.row)
        if wrong is None and not header and check is not None and quoted:
            cell = check.swallows(cells, ragged=ragged)
            if cell is not None:
                before = sum(each.count("\n") for each in cells[:cell])
                wrong = Complaint(first + before, TOO_FAR)
        if wrong is not None:
            if wrong.line != told:  # the lines of a broken row are read once more
                yield wrong
            told = wrong.line
            read_again += lines.taken
            if read_again > MOST_BROKEN * LARGEST:
                yield Complaint(first, "the rest of the file is not read: too much of it is broken")
                return
            file.seek(begin)
            while (piece := file.readline(LARGEST)) and not piece.endswith(b"\n"):
                pass
            lines.at, lines.line = file.tell(), first + 1
            reader = _reader(lines, shape)
            lost = True
        elif header:
            if any(cells) and not _names_delimiter(cells):
                header = above > 0
                above -= 1
        elif any(map(str.strip, cells)):
            fits = len(cells) == len(shape.header)
            ragged = ragged or not (fits or quoted or lost)
            lost = lost and not fits
            if not lost:
                yield _Row(begin, first, cells)


def _broken(error: csv.Error, first: int, lines: _Lines, shape: Shape) -> Complaint:
    """Say what is wrong with a row that cannot be read, and where its quotation begins."""
    said = str(error)
    if said == _TOO_LARGE or "field larger" in said:
        return Complaint(first, _TOO_LARGE)
    sentence = {"unexpected end of data": NO_END}.get(
        said, NOT_DOUBLED if "expected after" in said else ""
    )
    if not sentence:
        return Complaint(first, BROKEN if said.startswith("new-line") else said)
    return Complaint(first + quote_line("".join(lines.row), shape.delimiter), sentence)


def _row_at(file: BinaryIO, shape: Shape, at: int) -> _Row | None:
    found = next(_rows(file, shape, at), None)
    return found if isinstance(found, _Row) else None


def _reader(lines: _Lines, shape: Shape) -> Iterator[list[str]]:
    csv.field_size_limit(LARGEST)  # of all readers: nothing else here reads fields so large
    return csv.reader(lines, delimiter=shape.delimiter, strict=True)

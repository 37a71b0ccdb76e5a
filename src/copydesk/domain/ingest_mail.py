"""Conversations in mailboxes (mbox) and single mails (.eml), threaded by what they answer.

A mailbox is gone through once for where each mail begins and which it answers, and its threads are
then read one at a time: however large it is, one thread is held. `mailbox.mbox` reads the mails of
a mailbox by their numbers only, keeps a second index, and takes a line of prose for a new mail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.utils import parseaddr, parsedate_to_datetime
from typing import BinaryIO

from copydesk.contract.enumerations import PartRole
from copydesk.domain.ingest_conversation import Exported, digest_of
from copydesk.domain.ingest_file import Item
from copydesk.domain.ingest_frames import LARGEST, Complaint
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.mail_words import own_subject, own_words, own_words_of_html
from copydesk.domain.text import decoded_as

SOURCE = "email"

LONGEST_HEAD = 256 * 1024
"""Bytes of the head of a mail that are read for what it answers."""

LONGEST_FIELD = 4000
"""Characters of a field of a head that are read."""

LONGEST_DATE = 100

MOST_ANSWERED = 50
"""So many references of a mail count: its first and its last."""

_LINE = 64 * 1024
_BEGINS = re.compile(rb"From \S.*\d\d:\d\d.*\d{4}\s*\Z")
_FIELD = re.compile(
    rb"^(message-id|in-reply-to|references|x-gm-thrid)[ \t]*:[ \t]*((?:[^\n]*)(?:\n[ \t][^\n]*)*)",
    re.MULTILINE | re.IGNORECASE,
)
_ID = re.compile(rb"<([^<>\s]{1,500})>")
_HEAD = re.compile(rb"(?:[\x21-\x39\x3b-\x7e]+:[^\n]*\n(?:[ \t][^\n]*\n)*)+")
_KNOWN = re.compile(
    rb"^(?:from|to|date|subject|message-id|received|return-path|mime-version|delivered-to)[ \t]*:",
    re.MULTILINE | re.IGNORECASE,
)
_MACHINES = re.compile(
    r"(?:no-?reply|do-?not-?reply|mailer-daemon|postmaster|notifications?)@", re.IGNORECASE
)


def is_mailbox(head: bytes) -> bool:
    """Whether a file begins as a mailbox does."""
    return _BEGINS.match(head.partition(b"\n")[0]) is not None


def is_mail(head: bytes) -> bool:
    """Whether a file begins as a mail does."""
    found = _HEAD.match(head.replace(b"\r\n", b"\n"))
    return found is not None and len(_KNOWN.findall(found[0])) >= 2


@dataclass(frozen=True, slots=True)
class _Mail:
    """Where a mail stands, and of which thread it is."""

    begin: int
    end: int
    line: int
    key: str
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Said:
    """What a mail says, by whom and when. ``automatic``: a program wrote it."""

    name: str
    address: str
    moment: datetime | None
    subject: str
    words: str
    automatic: bool


class MailReader:
    """The conversations of a mailbox. ``team`` are addresses and domains of the own people.

    Without them whoever began a thread is the user, and everybody else of the team.
    """

    def __init__(self, team: Sequence[str] = (), source: str = "") -> None:
        self._source = source or SOURCE
        self._team = frozenset(each.casefold().removeprefix("@") for each in team)
        self._threads: list[list[_Mail]] | None = None

    def items(self, file: BinaryIO) -> Iterator[Item | Complaint]:
        """Yield the conversations in the order in which they begin."""
        file.seek(0)
        if self._threads is None:
            self._threads = _threads(list(_mails(file)))
        for number, thread in enumerate(self._threads, 1):
            yield self._read(file, number, thread)

    def _read(self, file: BinaryIO, number: int, thread: list[_Mail]) -> Item | Complaint:
        first = thread[0]
        root = first.answers[0] if first.answers else first.key
        exported = Exported(first.line, number, f"mail-{digest_of([root])}", self._source)
        said: list[_Said] = []
        size = 0
        for mail in thread:
            said.append(_said(_parsed(file, mail)))
            size += len(said[-1].words)
            if size > LARGEST:  # more than a conversation may have: it is complained about
                break
        said.sort(key=lambda each: each.moment or datetime.max.replace(tzinfo=UTC))
        exported.who = said[0].name or said[0].address
        exported.created = said[0].moment
        exported.updated = said[-1].moment
        exported.subject = next((each.subject for each in said if each.subject), "")
        for each in said:
            exported.say(self._role(each, said[0].address), each.words)
        return exported.finished()

    def _role(self, said: _Said, began: str) -> PartRole:
        address = said.address
        if said.automatic:
            return "assistant"
        if self._team:
            ours = {address, address.rpartition("@")[2]} & self._team
            return "team-member" if ours else "user"
        return "user" if address == began else "team-member"


# Where mails begin, and what they answer


def _mails(file: BinaryIO) -> Iterator[_Mail]:
    """Yield the mails of a file in their order; one that is no mailbox is one mail."""
    position = line = 0
    begin, first, in_head, blank = 0, 1, True, True
    head: list[bytes] = []
    size = 0
    whole = True  # whether a line begins here: a long one comes in pieces
    while piece := file.readline(_LINE):
        if whole and blank and _BEGINS.match(piece):
            if position > begin:
                yield _mail(begin, position, first, head)
            begin, first, in_head, head, size = position, line + 1, True, [], 0
        elif in_head:
            if piece in (b"\n", b"\r\n"):
                in_head = False
            elif size < LONGEST_HEAD:
                head.append(piece)
                size += len(piece)
        blank = piece in (b"\n", b"\r\n")
        whole = piece.endswith(b"\n")
        line += whole
        position += len(piece)
    if position > begin:
        yield _mail(begin, position, first, head)


def _latin(data: bytes) -> str:
    """Return any bytes as text, each as one character."""
    return data.decode("latin-1")


def _mail(begin: int, end: int, line: int, lines: list[bytes]) -> _Mail:
    head = b"".join(lines).replace(b"\r\n", b"\n")
    found: dict[bytes, bytes] = {}
    for name, value in _FIELD.findall(head):
        found.setdefault(name.lower(), value)
    own = list(map(_latin, _ID.findall(found.get(b"message-id", b""))))
    key = own[0] if own else digest_of([_latin(head)])
    answers = [
        _latin(each)
        for name in (b"references", b"in-reply-to")
        for each in _ID.findall(found.get(name, b""))
    ]
    if thread := found.get(b"x-gm-thrid", b"").strip():
        answers.insert(0, f"x-gm-thrid {_latin(thread)}")
    if len(answers) > MOST_ANSWERED:
        answers = [*answers[:1], *answers[1 - MOST_ANSWERED :]]
    return _Mail(begin, end, line, key, tuple(answers))


def _threads(mails: list[_Mail]) -> list[list[_Mail]]:
    """Return the mails by threads, each mail once, in the order in which the threads begin."""
    leads: dict[str, str] = {}

    def lead(key: str) -> str:
        way = []
        while (above := leads.get(key, key)) != key:
            way.append(key)
            key = above
        leads.update((each, key) for each in way)
        return key

    for mail in mails:
        for each in mail.answers:
            leads[lead(each)] = lead(mail.key)
    found: dict[str, dict[str, _Mail]] = {}
    for mail in mails:
        found.setdefault(lead(mail.key), {}).setdefault(mail.key, mail)
    return [_in_order(list(each.values())) for each in found.values()]


def _in_order(thread: list[_Mail]) -> list[_Mail]:
    """Return a thread with the mail first that answers least: its root names the conversation."""
    return sorted(thread, key=lambda mail: (len(mail.answers), mail.begin))


# Reading one


def _parsed(file: BinaryIO, mail: _Mail) -> Message:
    file.seek(mail.begin)
    data = file.read(min(mail.end - mail.begin, LARGEST))
    if _BEGINS.match(data.partition(b"\n")[0]):
        data = data.partition(b"\n")[2].replace(b"\n>From ", b"\nFrom ")
    try:
        return message_from_bytes(data)
    except (MessageError, ValueError, LookupError, RecursionError):
        return Message()


def _text(message: Message, name: str) -> str:
    try:
        value = str(message[name] or "")[:LONGEST_FIELD]
    except (MessageError, ValueError, LookupError):
        return ""
    try:
        return str(make_header(decode_header(value))).strip()
    except (MessageError, ValueError, LookupError):
        return value.encode(errors="replace").decode()


def _sender(message: Message) -> tuple[str, str]:
    """Return the name and the address of who wrote a mail; a form on a page sends in their name."""
    try:
        name, address = parseaddr(_text(message, "From"))
        if _MACHINES.match(address) and message.get("Reply-To"):
            name, address = parseaddr(_text(message, "Reply-To"))
    except RecursionError:  # comments in comments
        return "", ""
    return name, address.casefold()


def _moment(message: Message) -> datetime | None:
    try:
        moment = parsedate_to_datetime(_text(message, "Date")[:LONGEST_DATE])
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _words(message: Message, *, reply: bool) -> str:
    """Return what was written: the plain text, or else the HTML."""
    html = ""
    try:
        parts = list(message.walk())
    except RecursionError:
        return ""
    for part in parts:
        for name in ("Content-Type", "Content-Disposition"):
            # The library takes time by the square for what a long one is made of.
            if len(str(part[name])) > LONGEST_FIELD:
                del part[name]
        if part.is_multipart() or part.get_filename() or _is_attached(part):
            continue
        kind = part.get_content_type()
        if kind == "text/plain":
            words = own_words(_content(part), reply=reply)
            if words:
                return words
        elif kind == "text/html" and not html:
            html = _content(part)
    return own_words_of_html(html, reply=reply) if html else ""


def _said(message: Message) -> _Said:
    name, address = _sender(message)
    reply = bool(message.get("In-Reply-To") or message.get("References"))
    automatic = _text(message, "Auto-Submitted").casefold().startswith("auto")
    return _Said(
        name,
        address,
        _moment(message),
        own_subject(_text(message, "Subject")),
        _words(message, reply=reply),
        automatic or _MACHINES.match(address) is not None,
    )


def _is_attached(part: Message) -> bool:
    return str(part["Content-Disposition"]).strip().lower().startswith("attachment")


def _content(part: Message) -> str:
    try:
        payload = part.get_payload(decode=True)
    except (ValueError, LookupError):
        return ""
    if not isinstance(payload, bytes):
        return ""
    for name in (_charset(part), "utf-8", "cp1252"):
        try:
            return decoded_as(payload, name)
        except (LookupError, ValueError):
            continue
    return _latin(payload)


def _charset(part: Message) -> str:
    """Return the charset that a part says it is in; "" where it says none."""
    try:
        return str(part.get_content_charset(""))
    except (LookupError, ValueError):
        return ""

"""A conversation as an export has it, made fit to be sent.

Exports are written by programs for themselves: what the API does not take (a subject that is too
long, an invalid address) is cut or left out here, and only where nobody says anything, or too
much, something is complained about.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime
from typing import Any, TypeAlias, get_args

from copydesk.contract.enumerations import PartRole
from copydesk.contract.models.base import EARLIEST, LATEST
from copydesk.contract.models.conversation import (
    ConversationDetail,
    ConversationIngest,
    ConversationMetadata,
    MetadataIngest,
    PartIngest,
)
from copydesk.domain.conversation import html_text
from copydesk.domain.ingest_file import Item, item_of
from copydesk.domain.ingest_frames import LARGEST, Complaint
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.personal_data import mask_emails, mask_kept
from copydesk.domain.text import clean_long, shorten
from copydesk.domain.written_moment import read_moment

NOTE = "[Internal note] "
"""Begins what the team wrote for itself: the API knows no notes."""

_NOTHING_SAID = "no text in it"

MOST_ATTRIBUTES = 40
LONGEST_ATTRIBUTE = 500
"""Characters of an attribute that are kept."""

_SUBJECT, _ID, _URL = 512, 255, 2048
"""How long the API takes them."""

_NO_TEXT = re.compile("[\0\ud800-\udfff]")
_ADDRESS = re.compile(r"https?://[^\s/?#]\S*", re.IGNORECASE)

Words: TypeAlias = tuple[PartRole, str]
"""Who says something, and what."""


@dataclass
class Exported:
    """A conversation that was found in an export. ``line`` and ``number`` as an item has them.

    ``id`` is the one of the program that wrote it; ``who`` began it, and when it was ``updated``
    last, is not sent.
    """

    line: int
    number: int
    id: str
    source: str = ""
    subject: str = ""
    created: datetime | None = None
    url: str = ""
    who: str = ""
    updated: datetime | None = None
    attributes: dict[str, str] = field(default_factory=dict)
    parts: list[Words] = field(default_factory=list)

    def say(self, role: PartRole, body: str, *, note: bool = False) -> None:
        """Add what somebody says, unless it is nothing."""
        body = _NO_TEXT.sub("", body).strip()
        if body:
            self.parts.append((role, f"{NOTE if note else ''}{body}"))

    def note(self, name: str, value: object) -> None:
        """Add an attribute, unless there is none or it is known already."""
        said = words_of(value)
        if said and name not in self.attributes and len(self.attributes) < MOST_ATTRIBUTES:
            self.attributes[name] = said[:LONGEST_ATTRIBUTE]

    def finished(self) -> Item | Complaint:
        """Return what can be sent, or why nothing can be."""
        key = fit_id(self.id)
        if not self.parts:
            return Complaint(self.line, _NOTHING_SAID, self.number, key)
        if not key:
            return Complaint(self.line, "it has no id", self.number)
        created = self.created
        if created is not None and not EARLIEST < created < LATEST:
            created = None
        url = self.url.strip()
        metadata: dict[str, Any] = {
            "url": url if len(url) <= _URL and _ADDRESS.fullmatch(url) else None,
            "created_at": created,
            "attributes": self.attributes | ({"source": self.source} if self.source else {}),
        }
        item = item_of(
            self.line,
            self.number,
            _conversation(key, self.subject, metadata, self.parts),
            self.who,
            self.updated or EARLIEST,
        )
        if item.size > LARGEST:
            sentence = f"this is larger than {LARGEST // 2**20} MiB"
            return Complaint(self.line, sentence, self.number, key)
        return item


def fit_id(key: str) -> str:
    """Return an id as it can be part of an address: a digest where it cannot; "" for none."""
    key = _NO_TEXT.sub("", key).strip()
    if len(key) > _ID or "/" in key or key in (".", "..") or any(not c.isprintable() for c in key):
        return digest_of([key])
    return key


def digest_of(parts: Iterable[str]) -> str:
    """Return an id that is made of texts."""
    told = "\0".join(parts).encode(errors="surrogatepass")
    return hashlib.sha256(told).hexdigest()[:24]


def words_of(value: object) -> str:
    """Return what a value says: a text, a number, or a list of them or of what has names."""
    match value:
        case bool():
            return "yes" if value else "no"
        case str():
            return _NO_TEXT.sub("", value).strip()
        case int() | float():
            return str(value)
        case {"name": str(name)} | {"tag": str(name)} | {"value": str(name)}:
            return words_of(name)
        case list():
            plain = [
                words_of(each) for each in value[:MOST_ATTRIBUTES] if not isinstance(each, list)
            ]
            return ", ".join(filter(None, plain))
    return ""


def text_of(value: object, *, html: bool = False) -> str:
    """Return a body as plain text; ``html`` is known to be HTML."""
    if not isinstance(value, str):
        return ""
    if html and ("<" in value or "&" in value):
        return html_text(value)
    return value.replace("\r\n", "\n").replace("\r", "\n")


def masked(item: Item) -> Item | Complaint:
    """Return a conversation without e-mail addresses, numbers and secrets of people.

    One whose id would tell somebody's address gets an id that is made of it. Of one that says
    nothing that can be seen there is nothing to send.
    """
    hidden = _hidden(item.conversation)
    if not hidden.parts:
        return Complaint(item.line, _NOTHING_SAID, item.number, hidden.id)
    return item_of(item.line, item.number, hidden, item.who, item.updated)


def _hidden(given: ConversationIngest) -> ConversationIngest:
    metadata = given.metadata

    def hide(text: str) -> str:
        return mask_kept(clean_long(text))

    told: dict[str, Any] = {}
    if metadata is not None:
        told["created_at"] = metadata.created_at
        if metadata.url is not None and mask_emails(metadata.url) == metadata.url:
            told["url"] = metadata.url
        if metadata.attributes is not None:
            kept: dict[str, list[str]] = {}
            for name, value in metadata.attributes.items():  # names may be masked alike
                kept.setdefault(hide(name), []).append(hide(value))
            told["attributes"] = {
                name: ", ".join(dict.fromkeys(values)) for name, values in kept.items()
            }
    key = given.id if hide(given.id) == given.id else digest_of([given.id])
    said = [(part.role, hide(part.body)) for part in given.parts]
    parts = [(role, body) for role, body in said if body.strip()]
    return _conversation(key, hide(given.subject or ""), told, parts)


def with_earlier(
    sent: ConversationIngest, found: ConversationDetail, *, hide: bool = False
) -> ConversationIngest:
    """Return a part of a thread with what a service has of the thread besides, in order.

    ``sent`` counts where both say the same, masked or not. What only the service has stands where
    it stood among what both have, otherwise on its side of ``sent`` by when they began. ``hide``
    masks it.
    """
    metadata, known = sent.metadata or MetadataIngest(), found.metadata or ConversationMetadata()
    url, earlier = known.url or "", known.created_at
    had = _conversation(
        sent.id,
        found.conversation.subject or "",
        {
            "url": url if len(url) <= _URL and _ADDRESS.fullmatch(url) else None,
            "attributes": known.attributes,
        },
        [
            (role, part.body)
            for part in found.parts
            for role in get_args(PartRole)
            if role == part.role and part.body
        ],
    )
    if hide:
        had = _hidden(had)
    begins = metadata.created_at
    is_first = earlier is None or begins is None or earlier <= begins
    told = had.metadata or MetadataIngest()
    both: dict[str, Any] = {
        "url": metadata.url or told.url,
        "created_at": min((each for each in (earlier, begins) if each is not None), default=None),
        "attributes": (told.attributes or {}) | (metadata.attributes or {}),
    }
    subject = (is_first and had.subject) or sent.subject or had.subject or ""
    return _conversation(sent.id, subject, both, _in_order(had.parts, sent.parts, is_first))


def _in_order(had: Sequence[PartIngest], sent: Sequence[PartIngest], is_first: bool) -> list[Words]:
    """Return all that is sent, and what else there was; ``is_first``: that goes before the rest."""
    places: dict[str, list[int]] = {}
    for place, part in enumerate(sent):
        places.setdefault(_told(part), []).append(place)
    begin, ordered, waiting = 0, list[PartIngest](), list[PartIngest]()
    met = Counter[str]()
    for part in had:
        met[told := _told(part)] += 1
        among = places.get(told, ())
        if met[told] > len(among):  # said more often than what is sent says it
            waiting.append(part)
        elif (at := bisect_left(among, begin)) < len(among):
            between = sent[begin : among[at]]
            ordered += [*waiting, *between] if is_first else [*between, *waiting]
            ordered.append(sent[among[at]])
            begin, waiting = among[at] + 1, []
    rest = sent[begin:]
    ordered += [*waiting, *rest] if is_first else [*rest, *waiting]
    return [(part.role, part.body) for part in ordered]


def _told(part: PartIngest) -> str:
    return mask_kept(clean_long(part.body)).strip()


def _conversation(
    key: str, subject: str, metadata: Mapping[str, Any], parts: Iterable[Words]
) -> ConversationIngest:
    said = [PartIngest(type="message", role=role, body=body) for role, body in parts]
    more: dict[str, Any] = {}
    subject = " ".join(_NO_TEXT.sub("", subject).split())
    if subject:
        more["subject"] = shorten(subject, _SUBJECT) if len(subject) > _SUBJECT else subject
    known = {name: value for name, value in metadata.items() if value}
    if known:
        more["metadata"] = MetadataIngest(**known)
    return ConversationIngest(id=key, parts=said, **more)


def first_moment(*written: object) -> datetime | None:
    """Return the first of some moments that can be read."""
    return next((moment for each in written if (moment := read_moment(each)) is not None), None)

"""Conversations in what help desks export as JSON, each known by the fields that it has.

The fields are those of the public interfaces of Zendesk, Intercom, Freshdesk, Help Scout and Front,
which their exports and the tools that fetch them write out: as pages, as a list, or one on a line.
What is not there is left out; nothing else of a vendor is needed to read one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from copydesk.contract.enumerations import PartRole
from copydesk.domain.ingest_conversation import Exported, first_moment, text_of, words_of
from copydesk.domain.ingest_file import Item
from copydesk.domain.ingest_frames import LARGEST, ROOM, Complaint, Frame, Readable, pages
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.source_name import id_of

Fields: TypeAlias = Mapping[str, Any]

LISTS = frozenset({"tickets", "conversations", "results", "_results", "data", "messages", "items"})
"""What a page calls the conversations, or messages, on it."""

LOOKED_AT = 20
"""So many elements are looked at to tell who wrote a file."""


@dataclass(frozen=True)
class Vendor:
    """A help desk: how people call it, how a source, and how one of its conversations is read."""

    title: str
    source: str
    read: Callable[[Fields, Exported], None]


def vendor_of(value: Fields) -> Vendor | None:
    """Return who wrote a conversation out, by its fields; None where nobody is known."""
    names = value.keys()
    if "parts" in names:
        return None
    if isinstance(value.get("ticket"), dict):
        return vendor_of(value["ticket"])
    if "helpdesk_ticket" in names or ("requester_id" in names and names & _OF_FRESHDESK):
        return FRESHDESK
    if names & {"submitter_id", "raw_subject"} or (
        "comments" in names and names & {"requester_id", "requester"}
    ):
        return ZENDESK
    source = value.get("source")
    if names & {"conversation_parts", "conversation_message"} or (
        isinstance(source, dict) and "delivered_as" in source
    ):
        return INTERCOM
    if _threads(value) and names & _OF_HELP_SCOUT:
        return HELP_SCOUT
    key = _words(value.get("id"))
    # One within a conversation that was cut off has no links.
    alone = key.startswith("msg_") and isinstance(value.get("_links"), dict)
    if key.startswith("cnv_") or ("is_inbound" in names and (alone or _front_conversation(value))):
        return FRONT
    return None


def find_vendor(file: Readable) -> Vendor | None:
    """Return who wrote a file, by its first conversations; None where it is no known export."""
    for number, found in enumerate(pages(file, LISTS)):
        value = found.value() if isinstance(found, Frame) else found
        if not isinstance(value, Complaint):
            if "parts" in value:
                return None
            if (vendor := vendor_of(value)) is not None:
                return vendor
        if number >= LOOKED_AT:
            return None
    return None


def read_exports(file: Readable, source: str = "") -> Iterator[Item | Complaint]:
    """Yield the conversations of a file that help desks wrote, in their order.

    Messages of one conversation that follow each other (as Front's are fetched) become one.
    One that names no conversation is one by itself.
    ``source`` tells one account of a help desk from another.
    """
    gathered: list[tuple[Frame, Fields]] = []
    size = 0
    for found in pages(file, LISTS):
        if isinstance(found, Complaint):
            yield found
            continue
        value = found.value()
        message = None if isinstance(value, Complaint) or "is_inbound" not in value else value
        of = "" if message is None else _front_conversation(message)
        if gathered and (not of or _front_conversation(gathered[0][1]) != of):
            yield _read(gathered[0][0], _joined(gathered), source)
            gathered, size = [], 0
        if message is None:
            yield _read(found, value, source)
            continue
        size += len(found.data)
        if size <= ROOM * LARGEST:
            gathered.append((found, message))
    if gathered:
        yield _read(gathered[0][0], _joined(gathered), source)


def _read(frame: Frame, value: Fields | Complaint, source: str) -> Item | Complaint:
    if isinstance(value, Complaint):
        return value
    vendor = vendor_of(value)
    if vendor is None:
        said = "this lacks the fields that a help desk writes of a conversation"
        return Complaint(frame.line, said, frame.number, words_of(value.get("id"))[:60])
    inner = _dict(value.get("ticket"))
    source = source or vendor.source
    exported = Exported(frame.line, frame.number, "", source)
    # What was said may stand beside the ticket.
    fields = {**value, **inner} if inner else _dict(value.get("helpdesk_ticket")) or value
    if fields.get("spam") is True or fields.get("deleted") is True or _status(fields) in _GONE:
        said = f"left out: it is spam in {vendor.title}, or deleted there"
        return Complaint(
            frame.line, said, frame.number, words_of(fields.get("id"))[:60], loses=False
        )
    vendor.read(fields, exported)
    moments = (fields.get(name) for name in ("updated_at", "userUpdatedAt", "closedAt"))
    exported.updated = first_moment(*moments) or exported.created
    if exported.id:
        exported.id = id_of(source, exported.id)
    return exported.finished()


_GONE = frozenset({"deleted", "spam"})
"""The states of conversations that nobody answers: they are not sent."""


# Reading what may be anything


def _status(value: Fields) -> str:
    """Return the state of a conversation in small letters."""
    return _words(value.get("status")).casefold()


def _dict(value: object) -> Fields:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[Fields]:
    """Return the objects of a list, or of what a page wraps it in."""
    if isinstance(value, dict):
        value = value.get("_results", value.get("data"))
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _words(value: object) -> str:
    return words_of(value) if isinstance(value, str | int) else ""


def _person(value: object) -> str:
    """Return what somebody is called."""
    given = _dict(value)
    first = _words(given.get("first_name") or given.get("first") or given.get("firstName"))
    last = _words(given.get("last_name") or given.get("last") or given.get("lastName"))
    called = given.get("name") or f"{first} {last}".strip() or given.get("username")
    return _words(called or given.get("email") or given.get("handle"))


def _notes(exported: Exported, value: Fields, names: Iterable[str]) -> None:
    """Keep some fields as attributes: ``group.name`` as group, ``via.channel`` as channel."""
    for name in names:
        at: object = value
        for part in name.split("."):
            at = _dict(at).get(part)
        exported.note(re.sub(r"[._]name$", "", name).rpartition(".")[2], at)


def _by_moment(said: Iterable[Fields], *names: str) -> list[Fields]:
    """Return what was said in the order in which it was, where all of it has a moment."""
    found = [(first_moment(*(each.get(name) for name in names)), each) for each in said]
    if all(moment is not None for moment, _ in found):
        found.sort(key=lambda each: each[0] or 0)
    return [each for _, each in found]


_ROLES: Mapping[str, PartRole] = {
    "user": "user", "lead": "user", "contact": "user", "visitor": "user", "customer": "user",
    "end-user": "user", "end_user": "user",
    "bot": "assistant", "operator": "assistant", "ai": "assistant", "system": "assistant",
}  # fmt: skip


def _role(kind: object) -> PartRole:
    """Return who somebody is; whoever is no user and no machine is of the team."""
    return _ROLES.get(kind, "team-member") if isinstance(kind, str) else "team-member"


# Zendesk


_ZENDESK_MACHINES = {"system", "rule", "answer_bot_for_agents"}
"""Channels of what Zendesk writes by itself, also where it names a person, as in a merge."""


def _zendesk(value: Fields, exported: Exported) -> None:
    requester = _dict(value.get("requester"))
    asked = value.get("requester_id", requester.get("id"))
    exported.id = _words(value.get("id"))
    exported.subject = _words(value.get("subject") or value.get("raw_subject"))
    exported.created = first_moment(value.get("created_at"))
    exported.url = _words(value.get("url")).replace("/api/v2/tickets/", "/agent/tickets/")
    exported.url = exported.url.removesuffix(".json")
    sent = _dict(_dict(value.get("via")).get("source"))
    exported.who = _person(requester) or _person(sent.get("from"))
    _notes(
        exported, value,
        ("status", "priority", "type", "tags", "via.channel", "brand.name", "group.name",
         "organization.name", "requester.locale", "satisfaction_rating.score"),
    )  # fmt: skip
    if "locale" in exported.attributes:
        exported.attributes["language"] = exported.attributes.pop("locale")[:2]
    for each in _by_moment(_dicts(value.get("comments")), "created_at"):
        author = each.get("author_id", _dict(each.get("author")).get("id"))
        kind = _dict(each.get("author")).get("role")
        role: PartRole = "user" if author is not None and author == asked else _role(kind)
        if author == -1 or _dict(each.get("via")).get("channel") in _ZENDESK_MACHINES:
            role = "assistant"
        body = each.get("plain_body") or each.get("body")
        if not body:
            body = text_of(each.get("html_body"), html=True)
        exported.say(role, text_of(body), note=each.get("public") is False)
    if not exported.parts:
        exported.say("user", text_of(value.get("description")))


# Intercom


def _intercom(value: Fields, exported: Exported) -> None:
    first = _dict(value.get("source") or value.get("conversation_message"))
    subject = text_of(first.get("subject"), html=True)
    exported.id = _words(value.get("id"))
    exported.subject = _words(value.get("title")) or subject
    exported.created = first_moment(value.get("created_at"))
    exported.url = _words(first.get("url"))
    exported.who = _person(first.get("author"))
    attributes = {**_dict(value.get("custom_attributes"))}
    attributes["tags"] = _dict(value.get("tags")).get("tags")
    attributes |= {name: value.get(name) for name in ("state", "priority") if name in value} | {
        "channel": first.get("type")
    }
    for name, each in attributes.items():
        exported.note("language" if name.casefold() == "language" else name, each)
    exported.say(
        _role(_dict(first.get("author")).get("type")), text_of(first.get("body"), html=True)
    )
    inner = value.get("conversation_parts")
    said = (
        _dicts(_dict(inner).get("conversation_parts")) if isinstance(inner, dict) else _dicts(inner)
    )
    for each in _by_moment(_dicts(said), "created_at"):
        role = _role(_dict(each.get("author")).get("type"))
        note = _words(each.get("part_type")).startswith("note")
        exported.say(role, text_of(each.get("body"), html=True), note=note)


# Freshdesk

_OF_FRESHDESK = frozenset(
    {"responder_id", "description_text", "fr_escalated", "display_id", "cc_emails", "fwd_emails"}
)


def _freshdesk(value: Fields, exported: Exported) -> None:
    asked = value.get("requester_id")
    exported.id = _words(value.get("display_id") or value.get("id"))
    exported.subject = _words(value.get("subject"))
    exported.created = first_moment(value.get("created_at"))
    exported.who = _person(value.get("requester")) or _words(value.get("requester_name"))
    _notes(
        exported, value,
        ("status_name", "status", "priority_name", "priority", "source_name", "ticket_type", "type",
         "tags", "product_name", "group_name", "language"),
    )  # fmt: skip
    if named := exported.attributes.pop("source", ""):
        exported.attributes["channel"] = named
    written = text_of(value.get("description_text"))
    exported.say("user", written or text_of(value.get("description_html"), html=True)
              or text_of(value.get("description"), html=True))  # fmt: skip
    said = value.get("conversations") or value.get("notes") or value.get("helpdesk_notes")
    given = [_dict(each.get("helpdesk_note") or each.get("note") or each) for each in _dicts(said)]
    for each in _by_moment(given, "created_at"):
        if each.get("deleted") is True:
            continue
        incoming = each.get("incoming") is True or (
            asked is not None and each.get("user_id") == asked
        )
        body = text_of(each.get("body_text")) or text_of(each.get("body_html"), html=True)
        role: PartRole = "user" if incoming else "team-member"
        exported.say(
            role, body or text_of(each.get("body"), html=True), note=each.get("private") is True
        )


# Help Scout

_OF_HELP_SCOUT = frozenset(
    {"mailbox", "mailboxId", "primaryCustomer", "customer", "threadCount", "folderId", "createdAt"}
)
_SILENT = frozenset({"lineitem", "line_item", "workflow"})


def _threads(value: Fields) -> list[Fields]:
    return _dicts(_dict(value.get("_embedded")).get("threads")) or _dicts(value.get("threads"))


def _help_scout(value: Fields, exported: Exported) -> None:
    exported.id = _words(value.get("id"))
    exported.subject = _words(value.get("subject"))
    exported.created = first_moment(value.get("createdAt"), value.get("userUpdatedAt"))
    exported.url = _words(_dict(_dict(value.get("_links")).get("web")).get("href"))
    exported.who = _person(
        value.get("primaryCustomer") or value.get("customer") or value.get("createdBy")
    )
    _notes(exported, value, ("status", "tags", "type", "mailbox.name"))
    for each in _by_moment(_threads(value), "createdAt"):
        kind = _words(each.get("type"))
        if kind in _SILENT or each.get("state") in ("draft", "hidden"):
            continue
        author = _dict(each.get("createdBy")).get("type")
        role: PartRole = "user" if "customer" in (kind, author) else "team-member"
        if kind in ("beaconbot", "ai") or author in ("ai", "system"):
            role = "assistant"
        exported.say(role, text_of(each.get("body"), html=True), note=kind == "note")


# Front


def _front_conversation(message: Fields) -> str:
    """Return the id of the conversation that a message is in."""
    link = _dict(_dict(message.get("_links")).get("related")).get("conversation")
    return _words(message.get("conversation_id")) or _words(link).rstrip("/").rpartition("/")[2]


def _joined(gathered: list[tuple[Frame, Fields]]) -> Fields:
    """Return messages of one conversation as the conversation that has them."""
    first = gathered[0][1]
    messages = [each for _, each in gathered]
    conversation = _front_conversation(first)
    return {
        "_links": first.get("_links"),
        "id": conversation or _words(first.get("id")),
        "subject": next((each["subject"] for each in messages if each.get("subject")), ""),
        "is_inbound": True,
        "conversation_id": conversation,
        "messages": messages,
    }


def _front(value: Fields, exported: Exported) -> None:
    messages = _dicts(value.get("messages"))
    if not messages and "last_message" in value:
        messages = [_dict(value["last_message"])]
    exported.id = _words(value.get("id"))
    exported.subject = _words(value.get("subject"))
    said = _by_moment([*messages, *_dicts(value.get("comments"))], "created_at", "posted_at")
    exported.created = first_moment(
        value.get("created_at"), *(each.get("created_at") for each in said)
    )
    exported.who = _person(value.get("recipient"))
    _notes(exported, value, ("status", "tags"))
    if messages:
        exported.note("channel", messages[0].get("type"))
    for each in said:
        if each.get("is_draft") is True:
            continue
        if "is_inbound" not in each:  # a comment: what the team says among itself
            exported.say("team-member", text_of(each.get("body")), note=True)
            continue
        inbound = each.get("is_inbound") is True
        body = text_of(each.get("text")) or text_of(each.get("body"), html=True)
        if inbound and not exported.who:
            people = _dicts(each.get("recipients"))
            exported.who = next((_person(one) for one in people if one.get("role") == "from"), "")
        exported.say("user" if inbound else "team-member", body or text_of(each.get("blurb")))


ZENDESK = Vendor("Zendesk", "zendesk", _zendesk)
INTERCOM = Vendor("Intercom", "intercom", _intercom)
FRESHDESK = Vendor("Freshdesk", "freshdesk", _freshdesk)
HELP_SCOUT = Vendor("Help Scout", "help-scout", _help_scout)
FRONT = Vendor("Front", "front", _front)

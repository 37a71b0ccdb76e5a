"""Conversations in a file: an object, a list, objects one after another, or one on every line.

Every conversation is checked against what the API accepts, and what is wrong is said with its line
and its field, never with what the conversation says.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NoReturn

from pydantic import ValidationError

from copydesk.contract.models.conversation import ConversationDetail, ConversationIngest
from copydesk.domain.ingest_frames import Complaint, Readable, frames
from copydesk.domain.ingest_rules import Problem, why_unfit
from copydesk.domain.json_text import LONGEST, JsonText, JsonTextError, Path, read_json, where
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import listed

_OPTIONAL = ("url", "attributes", "createdAt")

SAID = 5
"""So many problems of one conversation are named; the rest are counted."""


@dataclass(frozen=True, slots=True)
class Item:
    """A conversation that can be sent. ``line`` and ``number`` (in its file) count from 1.

    ``digest`` tells contents apart; ``size`` is how many bytes a request needs for it. Not sent is
    who began it, and when it was ``updated`` last: of several with one id the newest counts. None
    where it is a mistake that there are several.
    """

    line: int
    number: int
    conversation: ConversationIngest
    digest: bytes
    size: int
    who: str = ""
    updated: datetime | None = None

    @property
    def id(self) -> str:
        """The sender's own id."""
        return self.conversation.id

    @property
    def began(self) -> int | None:
        """When the conversation began, in seconds since 1970; None where it does not say it."""
        metadata = self.conversation.metadata
        created = metadata.created_at if metadata is not None else None
        return None if created is None else int(created.timestamp())

    @property
    def first_words(self) -> bytes:
        """A digest of the text of the first part."""
        return hashlib.sha256(self.conversation.parts[0].body.encode()).digest()[:8]


def read_items(file: Readable) -> Iterator[Item | Complaint]:
    """Yield the conversations of a file in their order, and problems at their places."""
    for found in frames(file):
        if isinstance(found, Complaint):
            yield found
        else:
            yield _checked(found.number, found.line, found.data)


def is_there(sent: ConversationIngest, found: ConversationDetail) -> bool:
    """Whether a service has the conversation that was sent; it may not give back all of it."""
    if (sent.subject or "") != (found.conversation.subject or ""):
        return False
    words = [(part.type, part.role, part.body) for part in sent.parts]
    if words != [(part.type, part.role, part.body) for part in found.parts]:
        return False
    known, had = sent.metadata, found.metadata
    if known is None:
        return True
    attributes = (had.attributes if had else None) or {}
    return (
        (known.url is None or (had is not None and known.url == had.url))
        and (known.attributes or {}).items() <= attributes.items()
        and (known.created_at is None or _near(known.created_at, had.created_at if had else None))
    )


# Checking one


def _near(sent: datetime, had: datetime | None) -> bool:
    """Whether a moment is the one that was sent; a service may keep seconds only."""
    return had is not None and abs(sent - had) < timedelta(seconds=1)


def _checked(number: int, line: int, data: bytes) -> Item | Complaint:
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        at = line + data.count(b"\n", 0, error.start)
        return Complaint(at, "this is not UTF-8 text. Save it as UTF-8.", number)
    try:
        value = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
        given = json.dumps(value) if _without_nulls(value) else text
        conversation = ConversationIngest.model_validate_json(given, strict=True)
    except ValidationError as error:
        return _complaint(number, line, text, _problems(error))
    except (ValueError, RecursionError):
        return _complaint(number, line, text, [])
    if unfit := why_unfit(conversation):
        return _complaint(number, line, text, unfit)
    return item_of(line, number, conversation)


def item_of(
    line: int,
    number: int,
    conversation: ConversationIngest,
    who: str = "",
    updated: datetime | None = None,
) -> Item:
    """Return a conversation as it can be sent."""
    if conversation.metadata is not None and conversation.metadata.attributes:
        # Their order says nothing, and must not make one content look like two.
        attributes = conversation.metadata.attributes
        conversation.metadata.attributes = {name: attributes[name] for name in sorted(attributes)}
    sent = conversation.to_json()
    digest = hashlib.sha256(sent).digest()
    return Item(line, number, conversation, digest, len(sent), who, updated)


def _without_nulls(value: Any) -> bool:
    """Leave out optional fields that are null, as exports write them; return whether there was."""
    found = False
    if isinstance(value, dict):
        metadata = value.get("metadata")
        for held, names in ((metadata, _OPTIONAL), (value, ("subject", "metadata"))):
            if not isinstance(held, dict):
                continue
            for name in names:
                if name in held and held[name] is None:
                    del held[name]
                    found = True
    return found


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is written twice in one object")
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a JSON number")


def _problems(error: ValidationError) -> list[Problem]:
    found = error.errors(include_url=False, include_input=False)
    return [(each["loc"], _sentence(each)) for each in found]


def _complaint(number: int, line: int, text: str, found: Sequence[Problem]) -> Complaint:
    """Return the problems of a conversation; the line is that of the first problem."""
    try:
        read = read_json(text)
    except JsonTextError as wrong:
        if len(text) <= LONGEST:
            at = line + wrong.line - 1
            return Complaint(at, f"column {wrong.column}: not JSON: {wrong}", number)
        # Too long to be walked through: the line on which it begins has to do.
        if not found:
            return Complaint(line, f"not JSON: {_why_no_json(text)}", number)
        read = JsonText(None, "")
    value = read.value
    named = value.get("id") if isinstance(value, dict) else None
    problems = [
        (path, f"{_field(path)}written twice in one object: keep one") for path, _ in read.twice
    ]
    problems.extend((path, _field(path) + sentence) for path, sentence in found)
    if not problems:
        return Complaint(line, "not JSON that can be sent", number)
    first = line + read.where(problems[0][0])[0] - 1
    sentences = [
        _at(line + read.where(path)[0] - 1, first) + said for path, said in problems[:SAID]
    ]
    if len(problems) > SAID:
        sentences.append(f"and {len(problems) - SAID} more")
    return Complaint(first, "; ".join(sentences), number, named if isinstance(named, str) else "")


def _why_no_json(text: str) -> str:
    try:
        json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
    except RecursionError:
        return "it is nested too deep"
    except ValueError as error:
        return str(error)
    return "it has a character that no text can have"


def _at(line: int, first: int) -> str:
    return f"line {line}: " if line != first else ""


def _field(path: Path) -> str:
    said = where(path)
    return f"{said}: " if said else ""


def _sentence(problem: Any) -> str:
    """Return a problem in words for people, without the wrong value."""
    match problem["type"]:
        case "missing":
            return "this is missing"
        case "extra_forbidden":
            return "there is no such field"
        case "string_type":
            return "this has to be a text, in quotation marks"
        case "string_too_short":
            return "this is empty"
        case "string_too_long":
            return f"this is longer than {problem['ctx']['max_length']} characters"
        case "string_pattern_mismatch":
            return "this has to be a web address (http or https)"
        case "literal_error":
            choices = re.findall(r"'([^']*)'", problem["ctx"]["expected"])
            return f"this has to be {listed(choices, 'or')}"
        case "list_type":
            return "this has to be a list"
        case "dict_type" | "model_type":
            return "this has to be an object"
        case "datetime_type" | "datetime_parsing" | "datetime_from_date_parsing":
            return "not a date and time, such as 2026-03-02T09:00:00Z"
        case "json_invalid":  # of what Python reads
            nested = "recursion" in problem["msg"]
            what = "is nested too deep" if nested else "has a character that no text can have"
            return f"not JSON: it {what}"
    return str(problem["msg"])

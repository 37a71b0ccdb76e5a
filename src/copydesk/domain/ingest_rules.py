"""What a conversation must be besides well-formed, for the desk and for who sends it files.

Declared once for both sides: what the desk would refuse is told before anything is sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from copydesk.contract.models.conversation import ConversationIngest
from copydesk.domain.json_text import Path

Problem: TypeAlias = tuple[Path, str]
"""Where something is wrong, and what."""


def why_unfit(conversation: ConversationIngest) -> list[Problem]:
    """Return what keeps a well-formed conversation from being taken in, nothing where it is fit.

    It has to be found again under its id, which is a part of an address then; it has to say
    something; and no text may hold a NUL, for no database of texts keeps one.
    """
    problems: list[Problem] = []
    key = conversation.id
    if "/" in key or key in (".", ".."):
        said = "this cannot be part of an address; leave out '/' and do not use '.' or '..' alone"
        problems.append((("id",), said))
    if not any(part.body.strip() for part in conversation.parts):
        problems.append((("parts",), "no text: give one part a body"))
    nul = "this holds a NUL character"
    problems.extend((path, nul) for path, text in _texts(conversation) if "\0" in text)
    return problems


def _texts(conversation: ConversationIngest) -> Iterator[tuple[Path, str]]:
    yield ("id",), conversation.id
    yield ("subject",), conversation.subject or ""
    for number, part in enumerate(conversation.parts):
        yield ("parts", number, "body"), part.body
    metadata = conversation.metadata
    if metadata is not None:
        yield ("metadata", "url"), metadata.url or ""
        for name, value in (metadata.attributes or {}).items():
            yield ("metadata", "attributes", name), name + value

"""Issues and the conversations that they were found in, as cells and text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.address import web_address
from copydesk.domain.age import age, moment
from copydesk.domain.conversation import mask, readable
from copydesk.domain.text import clean, plural
from copydesk.tui.widgets.facts import Fact

if TYPE_CHECKING:
    from copydesk.contract.models.conversation import ConversationDetail, ConversationIssueItem

ROLES: Mapping[str, tuple[str, str]] = {
    "user": ("user", "strong"),
    "assistant": ("assistant", "accent"),
    "team-member": ("team", "good"),
}
"""What a role is called here, and its tone."""

PARTS_SHOWN = 200
"""Messages of one conversation that are shown; a longer one is read at its source."""

ATTRIBUTES_SHOWN = 40
"""What is known besides the words, at most so many of them."""


@dataclass(frozen=True, slots=True)
class IssueRow:
    """One issue with where it was found; texts are clean, nothing is masked yet."""

    id: str
    title: str
    summary: str
    conversation: str
    source: str
    created: datetime | None
    address: str


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as it is read: (role, words, characters left out), clean, not masked yet."""

    id: str
    subject: str
    source: str
    created: datetime | None
    address: str
    parts: tuple[tuple[str, str, int], ...]
    left_out: int
    attributes: tuple[tuple[str, str], ...]


def issue_row(item: ConversationIssueItem) -> IssueRow:
    """Return the row of an issue."""
    issue, found_in = item.issue, item.conversation
    return IssueRow(
        issue.id,
        clean(issue.title).strip() or "Untitled",
        clean(issue.summary or "", lines=True, limit=4_000).strip(),
        issue.conversation or (found_in.id if found_in is not None else ""),
        clean(found_in.source or "") if found_in is not None else "",
        issue.created_at,
        web_address(found_in.urls.source if found_in is not None else None),
    )


def talk_of(detail: ConversationDetail) -> Talk:
    """Return a conversation, its bodies as plain text. Long: call it off the event loop."""
    conversation, metadata = detail.conversation, detail.metadata
    parts = detail.parts[:PARTS_SHOWN]
    attributes = list((metadata.attributes if metadata is not None else {}).items())
    return Talk(
        conversation.id,
        clean(conversation.subject or ""),
        clean(conversation.source or ""),
        conversation.created_at,
        web_address(conversation.urls.source or (metadata.url if metadata is not None else None)),
        tuple((clean(str(part.role)), *readable(part.body)) for part in parts),
        len(detail.parts) - len(parts),
        tuple(
            (clean(name, limit=60), clean(value, limit=400))
            for name, value in attributes[:ATTRIBUTES_SHOWN]
        ),
    )


def shown(text: str, *, masked: bool) -> str:
    """Return text as it may be seen now."""
    return mask(text) if masked else text


def since(row: IssueRow, now: datetime) -> str:
    """Return how long ago an issue came up."""
    return age(row.created, now)


def talk_title(talk: Talk, now: datetime) -> str:
    """Return the title over a conversation: its source, its age, how long it is."""
    when = age(talk.created, now)
    steps = [
        "Conversation",
        talk.source,
        "" if not when else when if when == "now" else f"{when} ago",
        plural(len(talk.parts) + talk.left_out, "message"),
    ]
    return "   ".join(step for step in steps if step)


def talk_facts(
    talk: Talk, now: datetime, *, masked: bool, issue: IssueRow | None = None
) -> list[Fact]:
    """Return a conversation to read: who said what, then what is known besides."""
    found: list[Fact] = []
    if talk.subject and (issue is None or talk.subject != issue.title):
        found.append(Fact("", Text(shown(talk.subject, masked=masked), style="strong")))
    if issue is not None:
        found += _about(issue, masked=masked)
    for role, words, left_out in talk.parts:
        label, tone = ROLES.get(role, (role, ""))
        text = Text(shown(words, masked=masked) or "(no words)")
        if left_out:
            text.append(f"\n{left_out:,} more characters: o reads them at the source", "warn")
        found += [Fact("", ""), Fact(Text(label, style=tone).plain, text)]
    if talk.left_out:
        more = f"{plural(talk.left_out, 'more message')}: o reads them at the source"
        found.append(Fact("", Text(more, style="warn")))
    found.append(Fact("", ""))
    if talk.created is not None:
        found.append(Fact("when", moment(talk.created, now)))
    found += [
        Fact(name, shown(value, masked=masked))
        for name, value in talk.attributes
        if value != talk.source
    ]
    if talk.address:
        found.append(Fact("link", Text(talk.address, style="link")))
    return found


def _about(issue: IssueRow, *, masked: bool) -> Sequence[Fact]:
    text = Text(shown(issue.title, masked=masked), style="strong")
    if issue.summary:
        text.append(f"\n{shown(issue.summary, masked=masked)}", style="not bold")
    return [Fact("issue", text)]


def issue_facts(issue: IssueRow, said: str, *, masked: bool) -> list[Fact]:
    """Return an issue whose conversation cannot be shown, and why."""
    return [*_about(issue, masked=masked), Fact("", ""), Fact("", Text(said, style="warn"))]

"""Issues and their conversations, as rows and as blocks to read.

Texts are prepared on demand: a conversation may have ten thousand parts of a megabyte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from copydesk.domain.address import web_address
from copydesk.domain.conversation import readable
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import age_or_ahead, moment
from copydesk.domain.personal_data import mask, mask_emails
from copydesk.domain.source_name import source_label
from copydesk.domain.text import clean, plural
from copydesk.session.cluster_rows import IssueRow, shown

if TYPE_CHECKING:
    from copydesk.contract.models.conversation import ConversationDetail

ROLES: Mapping[str, tuple[str, str]] = {
    "user": ("user", "strong"),
    "assistant": ("assistant", "accent"),
    "team-member": ("team", "good"),
}
"""The name and tone of each role."""

NAME_LIMIT = 200
"""Characters of a role, a source or an attribute's name."""

LONG = 3_000
"""The length in characters from which a message is folded at first."""

LONG_LINES = 40
"""The length in lines from which a message is folded at first."""

PIECE = 1_000
"""The approximate number of characters of a long message in one row."""

LINE_PIECE = 4_000
"""The number of characters of a line in one row; a longer line is cut at a blank."""

PIECE_LINES = 12
"""The largest number of lines in one row."""


class LabelledText(NamedTuple):
    """A text with a label: a message, or a fact. Raw: not clean."""

    kind: Literal["issue", "subject", "part", "fact", "link", "said"]
    label: str
    raw: str
    tone: str = ""


class Words(NamedTuple):
    """The clean text of a block, plain and masked; a long one also cut into rows."""

    clear: str
    masked: str
    clear_pieces: tuple[str, ...]
    masked_pieces: tuple[str, ...]

    def text(self, *, masked: bool) -> str:
        """Return the whole text, masked on demand."""
        return self.masked if masked else self.clear

    def pieces(self, *, masked: bool) -> tuple[str, ...]:
        """Return its rows: one, unless it is long."""
        return self.masked_pieces if masked else self.clear_pieces


@dataclass(frozen=True, slots=True)
class RawConversation:
    """A raw conversation: its parts are (role, body), its attributes (name, value).

    Those are not clean; the other texts are, but not masked.
    """

    id: str
    subject: str
    source: str
    created: datetime | None
    address: str
    parts: tuple[tuple[str, str], ...]
    attributes: tuple[tuple[str, str], ...]
    size: int
    """Characters of its parts."""


def conversation_of(detail: ConversationDetail) -> RawConversation:
    """Return a conversation."""
    conversation, metadata = detail.conversation, detail.metadata
    attributes = metadata.attributes if metadata is not None else {}
    return RawConversation(
        conversation.id,
        clean(conversation.subject or "").strip(),
        clean(source_label(conversation.source or ""), limit=NAME_LIMIT),
        conversation.created_at,
        web_address(conversation.urls.source or (metadata.url if metadata is not None else None)),
        tuple((str(part.role), part.body) for part in detail.parts),
        tuple(attributes.items()),
        sum(len(part.body) for part in detail.parts),
    )


def shown_address(url: str, *, masked: bool) -> str:
    """Return a web address, masked on demand; numbers in it are ids, and stay."""
    return mask_emails(url) if masked else url


def since(row: IssueRow, now: datetime) -> str:
    """Return the age of an issue."""
    return age_or_ahead(row.created, now)


def conversation_title(conversation: RawConversation, now: datetime, *, masked: bool) -> str:
    """Return the title of a conversation: its source, age and length."""
    when = age_or_ahead(conversation.created, now)
    past = when and when != "now" and not when.startswith("in ")
    steps = [
        "Conversation",
        shown(conversation.source, masked=masked),
        f"{when} ago" if past else when,
        plural(len(conversation.parts), "message"),
    ]
    return "   ".join(step for step in steps if step)


def conversation_blocks(
    conversation: RawConversation, now: datetime, issue: IssueRow | None = None
) -> list[LabelledText]:
    """Return a conversation as blocks: the messages, then the facts."""
    found: list[LabelledText] = []
    if conversation.subject and (issue is None or conversation.subject != issue.title):
        found.append(LabelledText("subject", "subject", conversation.subject, "strong"))
    if issue is not None:
        found += _about(issue)
    for role, body in conversation.parts:
        label, tone = ROLES.get(role, (role, ""))
        found.append(LabelledText("part", label, body, tone))
    if not conversation.parts:
        found.append(LabelledText("said", "", "No messages.", "muted"))
    if conversation.created is not None:
        found.append(LabelledText("said", "when", moment(conversation.created, now)))
    found += [
        LabelledText("fact", name, value)
        for name, value in conversation.attributes
        if value != conversation.source
    ]
    if conversation.address:
        found.append(LabelledText("link", "link", conversation.address, "link"))
    return found


def _about(issue: IssueRow) -> Sequence[LabelledText]:
    found = [LabelledText("issue", "issue", issue.title, "strong")]
    if issue.summary:
        found.append(LabelledText("issue", "", issue.summary))
    return found


def issue_blocks(issue: IssueRow | None, said: str) -> list[LabelledText]:
    """Return an issue without its conversation, and the reason."""
    return [*(_about(issue) if issue is not None else ()), LabelledText("said", "", said, "warn")]


def label_of(block: LabelledText, *, masked: bool) -> str:
    """Return the label of a block."""
    return shown(clean(block.label, limit=NAME_LIMIT).strip(), masked=masked)


def words_of(block: LabelledText) -> Words:
    """Return the text of a block. For a megabyte, call it off the event loop."""
    if block.kind in ("part", "issue", "subject"):
        # An issue and a subject are often the first words of a message, with tags.
        clear = readable(block.raw) or "(no words)"
    else:
        clear = clean(block.raw, lines=True).strip()
    if block.kind == "said":
        masked = clear
    else:
        masked = mask_emails(clear) if block.kind == "link" else mask(clear)
    pieces = tuple(_pieces(clear))
    return Words(clear, masked, pieces, pieces if masked == clear else tuple(_pieces(masked)))


def _pieces(text: str) -> Iterator[str]:
    """Cut a long text into rows."""
    if len(text) <= LONG and text.count("\n") <= LONG_LINES:
        yield text
        return
    lines: list[str] = []
    size = 0
    for whole in text.split("\n"):
        for line in _parts_of(whole):
            if lines and (size + len(line) > PIECE or len(lines) >= PIECE_LINES):
                yield "\n".join(lines)
                lines, size = [], 0
            lines.append(line)
            size += len(line)
    yield "\n".join(lines)


def _parts_of(line: str) -> Iterator[str]:
    at = 0
    while len(line) - at > LINE_PIECE:
        blank = line.rfind(" ", at + LINE_PIECE // 2, at + LINE_PIECE)
        stop = blank + 1 if blank >= 0 else at + LINE_PIECE
        yield line[at:stop]
        at = stop
    yield line[at:]

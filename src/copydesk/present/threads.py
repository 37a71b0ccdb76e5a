"""Threads: their reading order, and the drawing of messages."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.cells import cell_len

from copydesk.domain.blocks import QUOTED, is_anchor, quoted
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import age
from copydesk.domain.suggestion import Fit, Suggestion, parts_of
from copydesk.domain.text import clean, shorten
from copydesk.present.markdown import Line, blocks, draw, inline, wrap_exact
from copydesk.present.suggestions import IN_REPLY, draw_suggestion, place
from copydesk.session.glyphs import glyphs
from copydesk.session.names import person_name

if TYPE_CHECKING:
    from copydesk.contract.models.comment import Comment, CommentReply, Reaction
    from copydesk.domain.page_text import PageText

THUMBS_UP = "👍"

EMOJI: Mapping[str, str] = {
    "thumbs up": THUMBS_UP,
    "thumbs down": "👎",
    "heart": "❤",
    "party": "🎉",
    "rocket": "🚀",
    "eyes": "👀",
    "smile": "😄",
    "thinking": "🤔",
    "confused": "😕",
    "clap": "👏",
    "pray": "🙏",
    "fire": "🔥",
    "hundred": "💯",
    "check": "✅",
    "warning": "⚠",
    "bug": "🐛",
    "bulb": "💡",
    "memo": "📝",
    "question": "❓",
    "wave": "👋",
}
"""The reactions to choose from, by the names people type."""


GONE = 1 << 60
"""A line below all others, for deleted text."""


@dataclass(slots=True)
class Thread:
    """A comment with its replies, which are None until they were read.

    ``number`` is its number on screen: "[2]", its place in reading order (0: it stands alone).
    """

    comment: Comment
    number: int
    replies: list[CommentReply] | None = None

    @property
    def id(self) -> str:
        """The id of its first comment."""
        return self.comment.id

    @property
    def open(self) -> bool:
        """Whether it is open; a comment of a verdict is not."""
        return self.comment.status != "resolved" and not self.verdict

    @property
    def verdict(self) -> bool:
        """Whether it is the comment of a verdict, which stands under the reviews."""
        return self.comment.target.review is not None

    @property
    def page(self) -> str | None:
        """Its page; None for the whole change request."""
        return self.comment.target.page.id if self.comment.target.page else None

    @property
    def node(self) -> str | None:
        """The anchor on its page; None for the whole page."""
        return self.comment.target.node.id if self.comment.target.node else None

    def height(self, line: Callable[[Thread], int | None]) -> int:
        """Return its line on the page: -1 for the whole page, `GONE` for deleted text.

        Node ids that are no anchors name blocks of the service, which have no line here.
        """
        if self.node is None or not is_anchor(self.node):
            return -1
        at = line(self)
        return GONE if at is None else at

    @property
    def label(self) -> str:
        """Its name on screen."""
        return f"[{self.number}]"


class Threads:
    """All threads of a change request, the oldest first until `renumber` puts them in order."""

    def __init__(self) -> None:
        self._by_id: dict[str, Thread] = {}
        self._numbered = 0
        self._first: frozenset[str] | None = None
        """The first threads: only these may be reordered."""
        self._open: int | None = None

    def __iter__(self) -> Iterator[Thread]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def get(self, thread_id: str | None) -> Thread | None:
        """Return a thread by the id of its comment."""
        return None if thread_id is None else self._by_id.get(thread_id)

    def take(self, comments: Iterable[Comment]) -> None:
        """Take over comments: known threads keep their replies, if their number is unchanged."""
        known, self._by_id, self._open = self._by_id, {}, None
        for comment in sorted(comments, key=lambda comment: comment.posted_at):
            before = known.get(comment.id)
            self._by_id[comment.id] = thread = before or self._new(comment)
            if thread.replies is not None and comment.replies != len(thread.replies):
                thread.replies = None
            thread.comment = comment

    def put(self, comment: Comment) -> Thread:
        """Take over the new state of a comment."""
        thread = self._by_id.get(comment.id)
        if thread is None:
            thread = self._by_id[comment.id] = self._new(comment)
        thread.comment = comment
        self._open = None
        return thread

    def _new(self, comment: Comment) -> Thread:
        self._numbered += 1
        return Thread(comment, self._numbered)

    def remove(self, thread_id: str) -> None:
        """Remove a thread."""
        self._by_id.pop(thread_id, None)
        self._open = None

    @property
    def open_count(self) -> int:
        """The number of open threads, recounted after a change."""
        if self._open is None:
            self._open = sum(thread.open for thread in self)
        return self._open

    @property
    def count(self) -> int:
        """The number of threads without the comments of verdicts."""
        return sum(not thread.verdict for thread in self)

    def on_page(self, page: str | None) -> list[Thread]:
        """Return the threads of a page (None: of the whole request), in their order."""
        return [thread for thread in self if thread.page == page]

    def open_by_page(self) -> dict[str | None, int]:
        """Return the number of open threads by page."""
        counts: dict[str | None, int] = {}
        for thread in self:
            if thread.open:
                counts[thread.page] = counts.get(thread.page, 0) + 1
        return counts

    def walk(self, pages: Sequence[str], line: Callable[[Thread], int | None]) -> list[Thread]:
        """Return the open threads in reading order: of the request, then by page and line.

        ``line`` gives the line of a thread, None when unknown or deleted.
        """
        return [thread for thread in self._in_order(pages, line) if thread.open]

    def renumber(self, pages: Sequence[str], line: Callable[[Thread], int | None]) -> None:
        """Put the threads in the order of `walk`, so that their numbers rise along it.

        Later threads get the next numbers and keep them, and removed ones take theirs along: a
        number that was shown always names the same thread.
        """
        threads = self._in_order(pages, line)
        if self._first is None and threads:
            self._first = frozenset(self._by_id)
        first = [thread for thread in threads if thread.id in (self._first or ())]
        numbers = sorted(thread.number for thread in first)
        for number, thread in zip(numbers, first, strict=True):
            thread.number = number
        self._by_id = {thread.id: thread for thread in threads}

    def _in_order(self, pages: Sequence[str], line: Callable[[Thread], int | None]) -> list[Thread]:
        order = {page: at for at, page in enumerate(pages)}
        far = len(order)

        def place(thread: Thread) -> tuple[int, str, int, datetime, str]:
            page = -1 if thread.page is None else order.get(thread.page, far)
            apart = thread.page or "" if page == far else ""
            return page, apart, thread.height(line), thread.comment.posted_at, thread.id

        return sorted(self, key=place)


@dataclass(frozen=True, slots=True)
class ThreadGroup:
    """Threads under a heading ("" for none). ``quotes`` are the quoted lines of each."""

    heading: str
    threads: Sequence[Thread]
    quotes: Sequence[str] = ()


NAMED = 3
"""The number of people named beside a reaction."""

LABELS = 3
"""The number of threads named beside a line."""


def mark_of(threads: Sequence[Thread]) -> tuple[str, bool]:
    """Return the mark of a line with these threads, and whether one of them is open."""
    label = "".join(thread.label for thread in threads[:LABELS])
    if len(threads) > LABELS:
        label = f"[{len(threads)} threads]"
    return label, any(thread.open for thread in threads)


def page_groups(threads: Sequence[Thread], page: PageText | None) -> list[ThreadGroup]:
    """Return the threads of a page: on the whole page, line by line, on deleted text."""
    whole: list[Thread] = []
    lines: list[tuple[int, int, Thread]] = []
    gone: list[Thread] = []
    for thread in threads:
        # Node ids that are no anchors name blocks of the service, which have no line here.
        if thread.node is None or not is_anchor(thread.node):
            whole.append(thread)
            continue
        line = 0 if page is None else page.find(thread.node)
        if line is None:
            gone.append(thread)
        else:
            lines.append((line, thread.number, thread))
    return [
        ThreadGroup("On the page" if whole and (lines or gone) else "", whole),
        ThreadGroup("On its lines" if whole and lines else "", [t for _, _, t in sorted(lines)]),
        ThreadGroup("On text that is gone", gone, [gone_text(thread) for thread in gone]),
    ]


def all_groups(
    threads: Threads,
    waiting: Sequence[Thread],
    titles: Mapping[str, str],
    gone: Callable[[Thread], bool] = lambda thread: False,
) -> list[ThreadGroup]:
    """Return all threads, the open ones first; ``titles`` has the paths of pages.

    ``gone`` says of a thread whether its text is known to be deleted.
    """
    above = {thread.id for thread in waiting}
    closed = [thread for thread in threads if not thread.open and thread.id not in above]
    said = [thread for thread in closed if thread.verdict]
    resolved = [thread for thread in closed if not thread.verdict]

    def about(thread: Thread) -> str:
        if thread.page is None:
            return "the change request"
        where = titles.get(thread.page, "a page that is gone")
        quote = gone_text(thread)
        return f"{where}: {quote}" if quote else where

    lost = [thread for thread in waiting if thread.page not in (None, *titles) or gone(thread)]
    known = {thread.id for thread in lost}
    there = [thread for thread in waiting if thread.id not in known]
    return [
        ThreadGroup("", there, [about(thread) for thread in there]),
        ThreadGroup("On text that is gone", lost, [about(thread) for thread in lost]),
        ThreadGroup("Said with a review", said, [about(thread) for thread in said]),
        ThreadGroup("Resolved", resolved, [about(thread) for thread in resolved]),
    ]


def emoji_text(emoji: str) -> str:
    """Return a reaction as text. Some services send code points in hexadecimal."""
    parts = emoji.split("-")
    if all(4 <= len(part) <= 6 and set(part) <= set(string.hexdigits) for part in parts):
        points = [int(part, 16) for part in parts]
        if all(0x2000 <= point <= 0x1FAFF for point in points):
            emoji = "".join(map(chr, points))
    said = clean(emoji, limit=50)
    if glyphs().gap.isascii():
        return next((f":{name}:" for name, sign in EMOJI.items() if sign == said), said)
    return said


def draw_message(
    message: Comment | CommentReply,
    width: int,
    now: datetime,
    *,
    label: str = "",
    reply: bool = False,
    resolved: bool = False,
    me: str | None = None,
    note: str = "",
    fresh: bool = False,
    fit: Fit | None = None,
    ticked: bool | None = None,
) -> list[Line]:
    """Return the lines of a comment or reply: author and time, the text, the reactions.

    ``fresh`` marks a message that came while the reader was here. ``fit`` says where its suggestion
    goes, where that is known, and ``ticked`` whether that is marked; None where it cannot be.
    """
    lead = f"   {glyphs().branch} " if reply else f" {label} " if label else " "
    indent = " " * cell_len(lead)
    tone = "muted" if resolved else ""
    head: Line = [(lead, "muted" if resolved or reply else "accent")]
    if ticked is not None:
        head.append(("[x] " if ticked else "[ ] ", "accent" if ticked else "muted"))
    who = shorten(person_name(message.posted_by), max(8, width - len(lead) - 14), glyphs().more)
    head += [(who, "muted" if resolved else "who"), (f"  {age(message.posted_at, now)}", "muted")]
    if message.edited_at is not None:
        head.append(("  edited", "muted"))
    if fresh:
        head.append((f"  {glyphs().changed} new", "accent"))
    lines = [head]
    if note:
        said, look = f"  {note}", "good" if resolved else "muted"
        if sum(cell_len(part) for part, _ in head) + cell_len(said) <= width:
            head.append((said, look))
        else:
            parts = wrap_exact([(note, look)], max(8, width - cell_len(indent)))
            lines += [[(indent, ""), *part] for part in parts]
    text = clean(message.body.markdown or "", lines=True, limit=100_000)
    room = max(12, width - len(indent) - 1)
    if reply:
        fit = IN_REPLY
    for each in parts_of(text):
        if isinstance(each, Suggestion):
            lines += [[(indent, ""), (place(fit), tone or "strong")]]
            lines.extend([(indent, ""), *line] for line in draw_suggestion(each, fit, room))
            continue
        for block in blocks(each, literal=True):
            lines.extend(
                [(indent, ""), *((part, own or tone) for part, own in line)]
                for line in draw(block, room, literal=True)
            )
    while len(lines) > 1 and not any(part.strip() for part, _ in lines[-1]):
        lines.pop()
    if shown := _reactions(message.reactions, me, room):
        lines.append([(indent, ""), *shown])
    return lines


def _reactions(reactions: Sequence[Reaction], me: str | None, room: int) -> Line:
    """Return the reactions, with the names that there is room for."""
    counted: list[tuple[str, str, bool]] = []
    for reaction in reactions:
        count = reaction.count or len(reaction.users)
        if count <= 0 or not reaction.emoji.strip():
            continue
        mine = any(reactor.user.id == me for reactor in reaction.users)
        counted.append((f"{emoji_text(reaction.emoji)} {count}", _who(reaction, me), mine))
    room -= sum(cell_len(sign) + 2 for sign, _, _ in counted)
    shown: Line = []
    for sign, who, mine in counted:
        shown.append((sign, "accent" if mine else "muted"))
        if who and cell_len(who) + 1 <= room:
            shown.append((f" {who}", "muted"))
            room -= cell_len(who) + 1
        shown.append(("  ", ""))
    return shown


def _who(reaction: Reaction, me: str | None) -> str:
    """Return the people of a reaction: me first, three by name, the others by number."""
    users = sorted((each.user for each in reaction.users), key=lambda user: user.id != me)
    named = ["you" if user.id == me else person_name(user) for user in users[:NAMED]]
    more = max(reaction.count, len(users)) - len(named)
    if more > 0 and named:
        named.append(f"{more} more")
    return ", ".join(named)


def who_reacted(reactions: Sequence[Reaction]) -> list[tuple[str, str]]:
    """Return (reaction, names) for each reaction."""
    return [
        (emoji_text(reaction.emoji), ", ".join(person_name(each.user) for each in reaction.users))
        for reaction in reactions
    ]


def mine(message: Comment | CommentReply, emoji: str, me: str | None) -> bool:
    """Whether the reader reacted with an emoji."""
    return any(
        reaction.emoji == emoji and any(reactor.user.id == me for reactor in reaction.users)
        for reaction in message.reactions
    )


def answer_name(called: Callable[[str], str], text: str, thread: str) -> str:
    """Return the name of a reply in the log: its first words, then those of its thread.

    ``called`` returns the first words of a message.
    """
    return f"{called(clean(text, limit=24))} in “{inline(clean(thread, limit=16)).plain}”"


def gone_text(thread: Thread) -> str:
    """Return the deleted text of a thread, if its anchor has it."""
    said = quoted(thread.node or "")
    if len(said) == QUOTED:  # the anchor keeps no more: end it with a word
        said = f"{said.rpartition(' ')[0] or said} {glyphs().more}"
    return clean(said)

"""What others did in the threads of a review since they were read, told without showing it yet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from copydesk.domain.text import plural

if TYPE_CHECKING:
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.present.threads import Threads


@dataclass(frozen=True, slots=True)
class ThreadNews:
    """The threads as they are now, and how they differ from those on screen.

    ``replies`` are those of threads that got some. ``messages`` are the ids of what is new, which
    may be more than are known by id; ``changed`` counts threads that were edited, resolved, opened
    again, reacted to, or that lost replies; ``gone`` those that were deleted.
    """

    comments: Sequence[Comment]
    replies: Mapping[str, Sequence[CommentReply]]
    messages: frozenset[str]
    changed: int
    gone: int

    @property
    def sentence(self) -> str:
        """Say what happened: "2 new messages, 1 thread changed"."""
        counts = (
            (len(self.messages), "new message", ""),
            (self.changed, "thread", " changed"),
            (self.gone, "thread", " gone"),
        )
        return ", ".join(f"{plural(count, noun)}{verb}" for count, noun, verb in counts if count)


def answered(threads: Threads, comments: Iterable[Comment]) -> list[str]:
    """Return the known threads that have more or fewer replies than are known of."""
    found = []
    for comment in comments:
        known = threads.get(comment.id)
        if known is not None and known.comment.replies != comment.replies:
            found.append(comment.id)
    return found


def news_of(
    threads: Threads,
    comments: Sequence[Comment],
    replies: Mapping[str, Sequence[CommentReply]],
) -> ThreadNews | None:
    """Return how what was read now differs from ``threads``; None when it does not."""
    messages: set[str] = set()
    changed = 0
    for comment in comments:
        thread = threads.get(comment.id)
        if thread is None:
            messages.add(comment.id)
            continue
        read = sorted(replies.get(comment.id, ()), key=lambda reply: reply.posted_at)
        if thread.replies is None:
            more = comment.replies - thread.comment.replies
            new = [reply.id for reply in read[-more:]] if more > 0 else []
        else:
            known = {reply.id for reply in thread.replies}
            new = [reply.id for reply in read if reply.id not in known]
        messages.update(new)
        if not new and _otherwise(thread.comment, comment):
            changed += 1
    kept = {comment.id for comment in comments}
    gone = sum(thread.id not in kept for thread in threads)
    if not (messages or changed or gone):
        return None
    return ThreadNews(comments, replies, frozenset(messages), changed, gone)


def _otherwise(before: Comment, now: Comment) -> bool:
    return (before.status, before.edited_at, before.replies, before.reactions) != (
        now.status, now.edited_at, now.replies, now.reactions,
    )  # fmt: skip

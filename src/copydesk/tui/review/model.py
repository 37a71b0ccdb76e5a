"""A change request under review: what was read of it, and which of its pages is in front."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import plural
from copydesk.present.threads import Threads
from copydesk.session.change_rows import Readiness, readiness

if TYPE_CHECKING:
    from copydesk.contract.models.change_request import Contributor
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.domain.page_edits import PageEdit
    from copydesk.domain.page_text import PageText
    from copydesk.session.change_rows import ChangeRow
    from copydesk.session.marks import SeenPages
    from copydesk.session.page_changes import ReviewChange
    from copydesk.session.page_edits import StagedPages
    from copydesk.session.reads.merge import RulesRead
    from copydesk.session.reads.review import OpenedRequest

Showing = Literal["mine", "staged", "sent"]
"""What is shown of a page with something staged: all of it against main, only what is staged, or
the page as it is sent."""

KEPT_PAGES = 24
"""How many pages have their texts kept; the others are read again."""


@dataclass(frozen=True, slots=True)
class StagedPage:
    """What is staged of a page, compared with main and with what is sent: with its ``text``."""

    edit: PageEdit
    text: PageText
    shown: Mapping[Showing, PageText]


class ReviewModel:
    """What a review knows; it draws and reads nothing."""

    def __init__(self) -> None:
        self.opened: OpenedRequest | None = None
        """The request, its space and its pages, once they are read."""
        self.listed: ChangeRow | None = None
        """The row of a list, where the request itself could not be read."""
        self.changes: list[ReviewChange] = []
        """Changed pages and files as they stand in the tree."""
        self.shown: list[ReviewChange] = []
        """Those, with the pages of which only I staged something, which is not sent."""
        self.staged: StagedPages | None = None
        self.mine: dict[str, StagedPage] = {}
        """What is staged of pages that were read."""
        self.showing: Showing = "mine"
        """What is shown of a page that has something staged."""
        self.rules: RulesRead | None = None
        self.threads = Threads()
        self.threads_read = False
        self.open_counts: dict[str | None, int] = {}
        """Open threads by page; counted when they change, not when they are drawn."""
        self.news: ThreadNews | None = None
        """What others wrote since the threads were read; None when that is nothing."""
        self.behind = False
        """Whether others changed the request since it was read."""
        self.edited_since = False
        """Whether they edited its pages."""
        self.unsettled = False
        """Whether it takes back a merge and has no pages until what was edited since is settled."""
        self.left_to_settle = False
        """Whether one went from here to where it is settled: it is read again afterwards."""
        self.merged_since = False
        """Whether they merged it."""
        self.cluster = ""
        """The name of the cluster that the request answers, once that is read."""
        self.contributors: Sequence[Contributor] = ()
        """Who worked on it, once that is read."""
        self.finding = ""
        """The title of the finding that it was begun for, once that is read."""
        self.page_id: str | None = None
        """The page in front."""
        self.inserted = ""
        """The title of the page in front that was sent as a new one, until it is listed."""
        self.texts: dict[str, PageText] = {}
        self.since = False
        """Whether the page is compared with its text when it was marked as seen."""
        self.seen: SeenPages | None = None
        self.drafts: dict[str, str] = {}
        """The texts about this request that are not sent, by key."""

    @property
    def known(self) -> OpenedRequest:
        """The request; call this only once it is read."""
        assert self.opened is not None
        return self.opened

    @property
    def ids(self) -> tuple[str, str]:
        """The space and the change request."""
        return self.known.space.id, self.known.request.id

    @property
    def numbered(self) -> str:
        """How sentences name the request: "#118"."""
        return f"#{self.opened.request.number}" if self.opened is not None else "the change request"

    @property
    def closed(self) -> bool:
        """Whether the request is merged or archived."""
        return self.opened is not None and self.opened.request.status in ("merged", "archived")

    @property
    def no_changes(self) -> str:
        """The sentence that stands in the place of changed pages."""
        if self.opened is not None and self.opened.untold:
            return "Merged. The service does not tell which pages it changed; t lists all pages."
        if self.unsettled:
            return "This change request changes nothing yet: U settles what was edited since."
        return "This change request changes nothing yet."

    # Pages

    @property
    def change(self) -> ReviewChange | None:
        """The page in front."""
        return self.find(self.page_id)

    def find(self, page: str | None) -> ReviewChange | None:
        """Return a changed page by its id."""
        return next((change for change in self.shown if change.id == page), None)

    @property
    def page_at(self) -> int:
        """The place of the page in front among those that are shown; -1 for none."""
        return next((at for at, c in enumerate(self.shown) if c.id == self.page_id), -1)

    @property
    def text(self) -> PageText | None:
        """The text of the page in front, as it is sent."""
        return self.texts.get(self.page_id or "")

    # What is staged

    @property
    def edits(self) -> Mapping[str, PageEdit]:
        """What is staged of the request, by page."""
        return {} if self.staged is None else self.staged.edits

    @property
    def edit(self) -> PageEdit | None:
        """What is staged of the page in front, where that is what is shown."""
        return None if self.showing == "sent" else self.edits.get(self.page_id or "")

    def order(self, shown: list[ReviewChange]) -> None:
        """Take the pages in the order of the tree, with those of which something is staged."""
        known = {change.id: change for change in self.known.changes}
        self.shown = shown
        self.changes = [known[change.id] for change in shown if change.id in known]

    def mine_of(self, page: str, text: PageText) -> StagedPage | None:
        """Return what is staged of a page, once it is compared with its text."""
        mine, edit = self.mine.get(page), self.edits.get(page)
        if mine is None or edit is None:
            return None
        return mine if mine.edit == edit and mine.text is text else None

    def newest(self, page: str) -> PageText | None:
        """Return the text of a page with what is staged of it; None while it is not read."""
        text = self.texts.get(page)
        mine = None if text is None else self.mine_of(page, text)
        return text if mine is None else mine.shown["mine"]

    def as_shown(self, page: str, text: PageText) -> PageText:
        """Return the text of the page in front with what is staged of it, as it is to be shown."""
        mine = self.mine_of(page, text)
        return text if mine is None else mine.shown.get(self.showing, text)

    def keep_text(self, page: str, text: PageText) -> None:
        """Keep the text of a page as the newest."""
        self.texts.pop(page, None)
        self.texts[page] = text
        while len(self.texts) > KEPT_PAGES:
            self.texts.pop(next(iter(self.texts)))

    @property
    def seen_count(self) -> int:
        """How many changed pages are marked as seen and have not changed since."""
        return 0 if self.seen is None else self.seen.count(change.id for change in self.changes)

    def seen_state(self, page: str | None) -> str:
        """Return whether a page is "seen", "unseen", or "changed" since it was seen."""
        return "unseen" if self.seen is None else self.seen.state(page or "")

    # Rules

    @property
    def rules_met(self) -> str:
        """How many of the merge rules pass: "1/3"; empty without rules and while not read."""
        rules = self.rules
        return f"{rules.passed}/{len(rules.results)}" if rules and rules.results else ""

    def is_stuck(self, stuck: Collection[tuple[str, str, str]]) -> bool:
        """Whether an update conflicted at the versions that both sides have now."""
        opened = self.opened
        return bool(stuck and opened and (opened.request.id, *opened.version) in stuck)

    def readiness(self, stuck: Collection[tuple[str, str, str]]) -> Readiness | None:
        """Return whether the request can be merged; None while its rules are not read."""
        opened, rules = self.opened, self.rules
        if opened is None or rules is None:
            return None
        request = opened.request
        return readiness(
            request.status,
            rules.results,
            outdated=request.outdated,
            stuck=self.is_stuck(stuck),
            against=rules.against,
            losing=opened.losses,
            unlooked=opened.unlooked,
            both_sides=rules.both_sides,
            empty=not opened.changes and not opened.unlooked,
        )


@dataclass(frozen=True, slots=True)
class ThreadNews:
    """The threads as they are now, and how they differ from those on screen.

    ``replies`` are those of threads that got some. ``messages`` are the ids of new messages, also
    of threads that are not known yet; ``changed`` counts threads that were edited, resolved, opened
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

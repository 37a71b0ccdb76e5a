"""Threads on a space: on its primary content, page by page, and on the space as a whole."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text
from textual.widget import Widget

from copydesk.contract.models.comment import Comment, CommentReply
from copydesk.domain.address import web_address
from copydesk.domain.moments import age
from copydesk.domain.page_tree import flatten
from copydesk.domain.text import clean, plural, shown_title
from copydesk.present.markdown import inline
from copydesk.present.raw_json import Raw, message_raw
from copydesk.present.threads import Thread, ThreadGroup, Threads, emoji_text, gone_text
from copydesk.session.names import first_words, person_name
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads.inbox import read_thread
from copydesk.session.target import Target
from copydesk.session.writes.log import WriteError
from copydesk.session.writes.outbox import waiting_threads
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.actions import NotYet, action
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.paged_source import PagedSource
from copydesk.tui.framework.place import View
from copydesk.tui.framework.source import ListSource
from copydesk.tui.resource.place import REST_SECONDS, ResourcePlace, nothing_selected
from copydesk.tui.resource.resource import Condition, Facet, ListQuery, Resource, ServiceOrder
from copydesk.tui.threads.commands import (
    MessageCommands,
    Subject,
    ThreadCommands,
    draft_key,
    may_not_comment,
)
from copydesk.tui.threads.pane import ThreadView

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.enumerations import CommentStatusFilter
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.comment import Comment
    from copydesk.contract.models.space import Space
    from copydesk.domain.page_tree import PageNode
    from copydesk.session.target import Target


TEXT = 300
"""Characters of a comment that its row shows at most."""

STATUSES: Mapping[str, CommentStatusFilter] = {"open": "open", "resolved": "resolved", "all": "all"}
"""What the service is asked for, by the view."""


async def _pages(api: Api, target: Target, asked: ListQuery) -> Page[Comment]:
    return await api.page(
        ops.list_space_comments,
        target.space or "",
        status=STATUSES.get(asked.view, "open"),
        format="markdown",
        **asked.paging,
        **asked.order,
        **asked.conditions,
    )


def _by(comment: Comment, now: datetime) -> Text:
    return Text(person_name(comment.posted_by), style="who")


def _reactions(comment: Comment, now: datetime) -> str | None:
    counted = ((emoji_text(each.emoji), each.count) for each in comment.reactions)
    return "  ".join(f"{sign} {count}" for sign, count in counted if count) or None


def _latest(comment: Comment, now: datetime) -> str | None:
    at = [each.updated_at for each in comment.repliers if each.updated_at is not None]
    return age(max(at), now) if at else None


def _replies(comment: Comment, now: datetime) -> str | None:
    return str(comment.replies) if comment.replies else None


SPACE_COMMENTS: Resource[Comment] = Resource(
    noun="comment",
    title="Comments",
    pages=_pages,
    key=lambda comment: comment.id,
    label=lambda comment: first_words(comment, 60),
    shown=(
        Facet("text", "THREAD", lambda comment, now: inline(first_words(comment, TEXT)), flex=3,
              minimum=20),
        Facet("by", "BY", _by, 12, drop=2),
        Facet("page", "ON", lambda comment, now: None, 16, drop=3),
        Facet("replies", "REPLIES", _replies, 7, align="right", drop=1),
        Facet("reactions", "REACTIONS", _reactions, 10, drop=5),
        Facet("posted", "POSTED", lambda comment, now: age(comment.posted_at, now), 8),
        Facet("answered", "ANSWERED", _latest, 8, drop=4),
        Facet("status", "STATUS", lambda comment, now: comment.status, values=("open", "resolved")),
    ),
    empty="No one has commented on this space. c starts a thread.",
    of="space",
    get="get_space_comment",
    arguments=lambda target, comment: (target.space or "", comment.id),
    url=lambda comment: web_address(comment.urls.app) or None,
    views=(View("open", "Open"), View("resolved", "Resolved"), View("all", "All")),
    orders=(
        ServiceOrder("newest", "newest first", {"order": "desc"}, {"order": "asc"}),
        ServiceOrder("oldest", "oldest first", {"order": "asc"}, {"order": "desc"}),
    ),
    conditions=(
        Condition("target_page", "threads on the page with this id"),
        Condition("authors", "threads that people with these ids began, with commas between them",
                  read=lambda text: [each for each in text.split(",") if each]),
    ),
    dim=lambda comment: comment.status == "resolved",
)  # fmt: skip
"""Threads on the primary content of a space, or on the space as a whole."""

WHOLE = "space"
"""The part of the draft of a comment on the space as a whole, and its id in a choice."""

EVERY = ""
"""The id, in a choice, of all pages together."""


def no_pages(here: SpaceCommentsPlace) -> str | None:
    """Say so when there is no page to choose."""
    return None if here.pages else "The pages of this space are not read, or it has none."


def _answers(here: SpaceCommentsPlace) -> dict[str, str]:
    """Return the replies that are drafts, by the id of their thread."""
    lead, writes = draft_key(here, "reply") + " ", here.session.writes
    return {
        key.removeprefix(lead): text
        for key, text in here.session.drafts.texts().items()
        if key.startswith(lead) and not writes.is_on_its_way(key, text)
    }


@place(
    "space-comments",
    key="C",
    title="Comments on the space",
    uses=("list_space_comments", "list_space_comment_replies", "get_space", "list_space_pages"),
)
class SpaceCommentsPlace(ResourcePlace["Comment"], scope="space_comments"):
    """The threads on what a space publishes, and the whole of the one under the cursor."""

    RESOURCE = SPACE_COMMENTS
    RAW = ("get_space_comment_reply",)
    COMMAND_CLASSES = (ThreadCommands, MessageCommands)

    no_thread_here = "No thread selected. c starts one."

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._writing = self.commands_of(ThreadCommands)
        self.threads = Threads()
        self.space: Space | None = None
        self.pages: dict[str, PageNode] = {}
        """The pages of the space by their id, in reading order."""
        self._wanted_thread = target.thread
        self._unlisted = False
        """Whether the service lists no replies of threads on spaces (extension E7)."""

    def beside(self) -> Iterable[Widget]:
        self.thread = ThreadView(title="Thread", empty="No thread is selected.", id="thread")
        yield self.thread

    def within(self) -> Iterable[str]:
        if self.space is not None:
            yield clean(self.space.title)

    # Reading

    def opened(self) -> None:
        """Look among all threads for one that was asked for."""
        super().opened()
        if self._wanted_thread is not None and self.target.view is None:
            self.choose_view("all")

    def reload(self) -> None:
        """Read the threads, and what the pages are called that they are on."""
        super().reload()
        space = self.target.space
        if space is None:
            return

        async def read(api: Api) -> tuple[Space, Sequence[PageNode]]:
            found, tree = await asyncio.gather(
                api(ops.get_space, space), api(ops.list_space_pages, space)
            )
            return found, flatten(tree.pages)

        self.reads.load("space", read, self._space_came, what="Reading the space")

    def _space_came(self, read: tuple[Space, Sequence[PageNode]]) -> None:
        self.space, pages = read
        self.pages = {page.id: page for page in pages}
        self.limits.titles.update((("target_page", page.id), clean(page.title)) for page in pages)
        self.texts.forget()
        self.rows.refresh_rows()
        if self.rows.source.base.complete or self.rows.source.base.loaded:
            self.came()

    def came(self) -> None:
        if self._wanted_thread is not None and self.rows.select(self._wanted_thread):
            self._wanted_thread = None
        super().came()

    def text_of(self, shown: Facet[Comment], item: Comment) -> str | Text | None:
        """Return a cell of a thread; only this screen knows its page."""
        return self.place_of(item) if shown.name == "page" else super().text_of(shown, item)

    def place_of(self, comment: Comment) -> str:
        """Return what a thread is on: the name of a page, or the space; clean."""
        page = comment.target.page
        if page is None:
            return "the space"
        node = self.pages.get(page.id)
        if node is not None:
            return clean(node.title) or "a page without a title"
        return "a page that is gone" if self.pages else ""

    # The thread beside the list

    def show_item(self) -> None:
        """Show the thread under the cursor, with its replies once the cursor rests."""
        item, (space, _) = self.item, self.thread_ids
        self.reads.cancel("thread")
        self.thread.title = "Thread"
        if item is None:
            self._draw(None)
            return
        thread = self.threads.put(item)
        thread.number = 0
        if not item.replies or self._unlisted:
            thread.replies = []
        elif thread.replies is not None and len(thread.replies) != item.replies:
            thread.replies = None
        self._draw(thread)
        if thread.replies is not None:
            return

        def arrived(replies: list[CommentReply]) -> None:
            thread.replies = replies
            self._unlisted = not replies
            self._draw(thread)

        self.reads.load(
            "thread",
            lambda api: read_thread(api, space, "", thread.id),
            arrived,
            what="Reading replies",
            of=thread.id,
            after=REST_SECONDS,
        )

    def _draw(self, thread: Thread | None) -> None:
        waits = len(waiting_threads(self.session.outbox, self.thread_ids[0]))
        if thread is None:
            self.thread.show([], waits=waits)
            return
        if self._unlisted and thread.comment.replies:
            count = plural(thread.comment.replies, "reply")
            self.thread.title = f"Thread: {count}, which this service does not list"
        quote, gone = self.place_of(thread.comment), gone_text(thread)
        quote = f"{quote}: {gone}" if gone else quote
        groups = [ThreadGroup("", [thread], [quote])]
        self.thread.show(groups, waits=waits, answers=_answers(self))

    def open_item(self, item: Comment) -> None:
        """Go to the thread beside the list."""
        self.remove_class("-no-side")
        self.show_pane(self.thread)

    def on_thread_view_opened(self, event: ThreadView.Opened) -> None:
        """Go to the page that the thread is about."""
        item = self.item
        page = item.target.page if item is not None else None
        if item is None or page is None:
            self.say("About the space as a whole: this is all of it. r replies, x resolves.")
            return
        target = Target(self.organization, self.target.space, page=page.id, thread=item.id)
        self.desk.go_soon("pages", target)

    def raw(self) -> Raw | None:
        item = self.item
        return message_raw(self.thread_ids, item.id, self.current_message()) if item else None

    # What the actions on threads ask for

    @property
    def closed(self) -> bool:
        return False

    @property
    def thread_ids(self) -> tuple[str, str]:
        return self.target.space or "", ""

    @property
    def threads_known(self) -> bool:
        return not isinstance(nothing_selected(self), NotYet)

    def commenting_refused(self) -> str | None:
        space = self.space
        if space is None:
            return NotYet("The space is not read yet.")
        if space.permissions is not None and not space.permissions.comment:
            return f"You may not comment in {clean(space.title)}."
        return None

    def current_thread(self) -> Thread | None:
        item = self.item
        return None if item is None else self.threads.get(item.id)

    def current_message(self) -> Comment | CommentReply | None:
        """Return the message under the cursor; in the list, the first of the thread."""
        return self.thread.message if self.focused is self.thread else self.item

    def called(self, words: str) -> str:
        return f"{clean(self.space.title) if self.space else 'space'} “{inline(words).plain}”"

    def thread_name(self, thread: Thread) -> str:
        return f"“{inline(first_words(thread.comment, 30)).plain}”"

    def show_threads(self, *, same: bool = False) -> None:
        """Show the thread under the cursor as it is now, in the list too."""
        thread = self.current_thread()
        if thread is not None:
            self._update(thread.comment)
        self.show_item()
        self.refresh_frame()

    def _update(self, comment: Comment) -> None:
        source = self.rows.source.base
        if isinstance(source, ListSource | PagedSource):
            source.update(comment)

    async def drafts_changed(self) -> None:
        self._draw(self.current_thread())

    def waits_changed(self) -> None:
        self._writing.waits_changed()

    def on_screen_resume(self) -> None:
        """Show changes that waited while a dialog was open above it."""
        self._writing.show_drafts_soon()

    def forget_draft(self, key: str) -> None:
        """Hide a draft: it is drawn from the saved drafts."""

    def message_arrived(self, thread: str, *, read: bool) -> None:
        self.show_threads()
        self.read_written(thread)

    def show_sent(self, message: Comment | CommentReply) -> None:
        if isinstance(message, CommentReply):
            self.thread.select(message.id)

    def message_removed(self, thread: Thread, message: Comment | CommentReply) -> None:
        if isinstance(message, CommentReply):
            self._update(thread.comment)
        else:
            self.read_written()

    # Starting a thread, and choosing a page

    @action("c", "comment", unless=may_not_comment, danger=1, uses="create_space_comment", show=14,
            group="Threads", also=("ctrl+n",), types=True)  # fmt: skip
    async def comment(self) -> None:
        """Comment on the space as a whole; ctrl+r in the field makes it one of its pages."""
        await self._start(WHOLE)

    async def _start(self, part: str) -> None:
        """Let the user write the first comment of the thread that a draft is of."""
        await self._writing.start_thread(self._subject(part), self._other)

    def _subject(self, part: str) -> Subject:
        page, _, node = part.partition("/")
        if part == WHOLE:
            title = clean(self.space.title) if self.space is not None else "the space"
            said = "The comment is about the space as a whole: ctrl+r chooses a page."
            return Subject(f"Comment on {title}", part, instead=said)
        known = self.pages.get(page)
        title = f"the page {clean(known.title)}" if known is not None else "a page that is gone"
        if node != "page":
            return Subject(f"Comment on {title}", part, page, node)
        said = "ctrl+r chooses another page, or the space as a whole."
        return Subject(f"Comment on {title}", part, page, instead=said)

    async def _other(self, about: Subject) -> Subject | None:
        options = [Option(WHOLE, "the space as a whole"), *self._page_options()]
        sheet = Choice("Comment on", options, current=about.page or WHOLE, before_text=True)
        chosen: str | None = await self.desk.push_screen_wait(sheet)
        return (
            None
            if chosen is None
            else self._subject(WHOLE if chosen == WHOLE else f"{chosen}/page")
        )

    async def _go_on(self, part: str) -> None:
        try:
            await self._start(part)
        except WriteError as error:
            self.tell(str(error), "bad")

    def _page_options(self) -> Sequence[Option]:
        return [
            Option(page.id, shown_title(page.place), clean(page.path))
            for page in self.pages.values()
        ]

    @action("f", "of a page", unless=no_pages, show=5, group="Look", uses="list_space_comments")
    async def of_page(self) -> None:
        """Show the threads on one page, or on all of them again."""
        current = str(self.limits.conditions.get("target_page", EVERY))
        options = [Option(EVERY, "all pages, and the space"), *self._page_options()]
        chosen = await self.desk.push_screen_wait(
            Choice("Threads on which page?", options, current=current)
        )
        if chosen is not None:
            self.limits.limit({**self.limits.chosen, "target_page": chosen})

    def resume(self, part: str) -> None:
        if self.space is None:
            self.resuming = part
            return
        what, _, item = part.partition(" ")
        method = {"reply": "reply", "edit": "edit_message"}.get(what)
        if method is None:
            begin(self, self._go_on, part, name="resume draft")
        elif self.rows.select(item):
            self.do_soon(method)
        elif self.view != "all":
            self.resuming = part
            self.choose_view("all")
            self.read_again()
        else:
            self.say("The thread of this draft is not here. What you typed is kept (:drafts).")

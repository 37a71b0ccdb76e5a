"""Every open thread of the organization that waits on the reader."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.app import ComposeResult

from copydesk.contract.models.comment import Comment, CommentReply
from copydesk.domain.address import web_address
from copydesk.domain.inbox import WHYS, Why
from copydesk.domain.moments import age
from copydesk.domain.own_command import Thing
from copydesk.domain.text import plural
from copydesk.present.change_request import facts
from copydesk.present.facts import Fact
from copydesk.present.markdown import inline
from copydesk.present.raw_json import OF_MESSAGE, Raw, message_raw, thread_raw
from copydesk.present.threads import Thread, ThreadGroup, Threads
from copydesk.session.change_rows import PARTS, TEXT, THREADS, RequestDetails, known_requests
from copydesk.session.glyphs import glyphs
from copydesk.session.inbox_rows import InboxRow, keep, recall
from copydesk.session.listings import MOST_THREADS
from copydesk.session.marks import DONE, MUTED, YES, marks_reversal
from copydesk.session.options import Option
from copydesk.session.reads import inbox as inbox_reading
from copydesk.session.reads.change_requests import Scope
from copydesk.session.reads.inbox import read_comment, read_page_title, read_thread
from copydesk.session.target import Target
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.actions import NoRowYet, action
from copydesk.tui.framework.commands import DetailsCommands
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import VAST, Part, Place, View
from copydesk.tui.framework.source import ListSource
from copydesk.tui.threads.commands import ThreadCommands
from copydesk.tui.threads.pane import ThreadView
from copydesk.tui.widgets.facts import WideFacts
from copydesk.tui.widgets.list import Column, VirtualList, no_row

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.user import User
    from copydesk.session.change_rows import ChangeRow
    from copydesk.session.reads.inbox import KnownThreads


VIEWS: Mapping[str, str] = {
    "all": "All",
    "named": "Mentions",
    "answered": "Answers",
    "yours": "On my change requests",
    "asked": "To review",
    "followed": "Followed",
}
"""The views, by id: everything, and one for each reason."""

WORDS: Mapping[Why, tuple[str, str]] = {
    "named": ("@ names you", "accent"),
    "answered": ("answered you", ""),
    "yours": ("your {}", ""),
    "asked": ("to review", "muted"),
    "followed": ("you follow", "muted"),
}
"""Each reason as the column says it, {} being the number of the change request; and its tone."""

SORTS: Mapping[str, str] = {
    "newest": "last word, newest first",
    "longest": "waiting longest",
    "space": "space",
    "why": "why it waits",
}
"""How the rows can be in order, by id."""


def why_words(row: InboxRow, away: str = "") -> Text:
    """Return why a thread waits, or how it was settled; ``away`` is how it was put away."""
    if row.done or away:
        return Text(f"{glyphs().passed} {row.done or away}", style="good")
    words, tone = WORDS[row.why]
    return Text(words.format(row.where), style=tone)


def in_order(rows: Iterable[InboxRow], sort: str, *, backwards: bool = False) -> list[InboxRow]:
    """Return rows in the order of one of `SORTS`; among equals the newest comes first."""
    newest = sorted(rows, key=lambda row: (row.at, row.id), reverse=True)
    keys: dict[str, Callable[[InboxRow], Any]] = {
        "longest": lambda row: row.at,
        "space": lambda row: (row.space_title.casefold(), row.space, row.number),
        "why": lambda row: WHYS.index(row.why),
    }
    found = sorted(newest, key=keys[sort]) if sort in keys else newest
    return found[::-1] if backwards else found


NOTHING = "No thread waits on you."

EMPTY = f"{NOTHING} Mentions, answers, and open threads of what you wrote or review come here."
"""Stands where no thread is listed."""
NOBODY = "The service does not say who you are, so the inbox is not known."

NOWHERE = "No organization is chosen. g o goes to them."


def no_row_here(here: InboxPlace) -> str | None:
    """Say so when the cursor is on no thread."""
    return None if here.row is not None else no_row(here.rows, NOTHING)


def nothing_away(here: InboxPlace) -> str | None:
    """Say so when no thread is put away."""
    if here.shows_away or any(here.away(row) for row in here.known_rows):
        return None
    return "No thread is put away. b does so until someone writes."


def away_label(here: InboxPlace) -> str:
    """Return what b makes of the thread."""
    away = "" if here.row is None else here.away(here.row)
    return {"": "done", DONE: "mute", MUTED: "back"}[away]


def _page_of(row: InboxRow) -> tuple[str, str, str]:
    return row.space, row.request, row.page


REST_SECONDS = 0.15
"""How long the cursor rests on a row before its thread is read."""


class RequestFacts(WideFacts):
    """The change request that the thread under the cursor is on, on a very wide screen."""

    def __init__(self, inbox: InboxPlace) -> None:
        super().__init__(self._facts_now, empty="No thread is selected.", id="inbox-request")
        self._inbox = inbox
        self.known = known_requests(inbox.session)

    def look(self) -> None:
        """Show what is known of it, and read the rest once the cursor rests."""
        if not self.display:
            return
        self.show_again()
        inbox, known, request = self._inbox, self.known, self._inbox.request
        inbox.reads.cancel("request")
        if request is None:
            return
        parts = (PARTS | {TEXT}) - ({THREADS} if request.threads > MOST_THREADS else set())
        due = known.due(request, parts)
        if inbox.reads.left_behind("request", request.id):
            due = parts
        if not due:
            return

        def arrived(found: RequestDetails) -> None:
            known.keep(request, found)
            self.show_again()

        inbox.reads.load(
            "request", lambda api: known.read(api, Scope(inbox.organization or ""), request, due),
            arrived, what=f"Reading {request.label}", of=request.id, after=REST_SECONDS, quiet=True,
            failed=lambda said: arrived(RequestDetails(missing=said)),
        )  # fmt: skip

    def on_show(self) -> None:
        """Show and read what there was no room for before."""
        self.look()

    def _facts_now(self) -> tuple[list[Fact], str, str]:
        row, request, title = self._inbox.row, self._inbox.request, "Change request"
        if row is None:
            return [], title, ""
        if request is None:
            said = f"reading{glyphs().more}" if row.number else "The thread is on the space itself."
            return [Fact("", Text(said, style="muted"))], title, row.id
        now, known = self._inbox.session.now, self.known
        told = known.details(request)
        found = facts(
            request, row.space_title, now, told, keys=False, listed=False,
            marks=known.marks(request),
        )  # fmt: skip
        return found, f"{request.label} {request.subject}", request.id


@place("inbox", key="i", title="Inbox")
class InboxPlace(Place, scope="inbox"):
    """The open threads that wait on you, with the reason, over all spaces and change requests."""

    COLUMNS = ("why", "last", "text", "where", "about", "space", "age")
    COMMAND_CLASSES = (ThreadCommands, DetailsCommands)
    HORIZONTAL_BREAKPOINTS = VAST
    RAW = OF_MESSAGE

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        threads = self.commands_of(ThreadCommands)
        threads.where, threads.fields = self._place_of, self._reply_fields
        self.threads = Threads()
        """The threads of the rows that were read, without a number of their own."""
        self.sort = "newest"
        self.backwards = False
        self._all: dict[str, InboxRow] = {}
        self._whole = False
        """Whether everything was read."""
        self._known: KnownThreads | None = None
        """What the readings told, for the next poll."""
        self._left_at: InboxRow | None = None
        self._pages: dict[tuple[str, str, str], str] = {}
        """The titles of the pages that threads are on, as far as they were read."""
        self.shows_away = False
        self._held = dict(self.session.marks.held)
        """The marks as they were shown last."""
        self._just_put: set[str] = set()
        """The threads that were put away here, which stay until the list is read again."""

    def away(self, row: InboxRow) -> str:
        """Return how a thread is put away, "" if it is not."""
        return self.session.marks.put_away(row.id, row.at)

    @property
    def known_rows(self) -> Iterable[InboxRow]:
        """All threads that wait, also those that are put away."""
        return self._all.values()

    def _reply_fields(self) -> Mapping[str, str]:
        if (row := self.row) is None:
            return {}
        return {
            "author": row.author,
            "number": row.where if row.number else "",
            "page": self._pages.get(_page_of(row), ""),
            "space": row.space_title,
            "subject": row.subject,
        }

    def _place_of(self, thread: Thread) -> str:
        row = self._all.get(thread.id)
        return "" if row is None else f"{row.where} {row.about}"

    def panes(self) -> ComposeResult:
        self.rows: VirtualList[InboxRow] = VirtualList(
            ListSource(key=lambda row: row.id),
            [
                Column("why", "WHY", lambda row: why_words(row, self.away(row)), 12),
                Column("last", "LAST BY", lambda row: Text(row.last, style="who"), 14, drop=2),
                Column("text", "THREAD", lambda row: inline(row.text), flex=3, minimum=16),
                Column("where", "ON", lambda row: row.where, 6),
                Column("about", "ABOUT", lambda row: row.about, flex=2, minimum=12, drop=3),
                Column("space", "SPACE", lambda row: row.space_title, 16, drop=4),
                Column("age", "AGE", self._age, 6, align="right", drop=1),
            ],
            title="Inbox",
            empty=EMPTY,
            reading=f"Reading threads{glyphs().more}",
            dim=lambda row: bool(row.done or self.away(row)),
            id="inbox",
        )
        self.thread = ThreadView(title="Thread", empty="No thread is selected.", id="thread")
        yield Part("main", self.rows)
        self.about = RequestFacts(self)
        yield Part("side", self.thread, self.about)

    def _age(self, row: InboxRow) -> Text:
        return Text(age(row.at, self.session.now), style="muted")

    @property
    def row(self) -> InboxRow | None:
        """The thread under the cursor."""
        return self.rows.selected

    @property
    def request(self) -> ChangeRow | None:
        """The change request of that thread, once it is read."""
        known = self._known.requests if self._known is not None else {}
        return None if self.row is None else known.get(self.row.request)

    @property
    def _source(self) -> ListSource[InboxRow]:
        return self.rows.source.listed

    def things(self) -> Sequence[Thing]:
        row = self.row
        if row is None:
            return []
        told = {"id": row.id, "number": str(row.number or ""), "title": row.text}
        who = {"author": row.last, "space": row.space_title, "status": row.done or "open"}
        return [Thing("thread", {**told, **who, "url": self.url() or ""})]

    def copies(self) -> Sequence[tuple[str, str]]:
        found = [] if self.url() is None else [("address", self.url() or "")]
        return [*found, ("text", self.row.text)] if self.row is not None else []

    def raw(self) -> Raw | None:
        row = self.row
        if row is None:
            return None
        if self.focused is self.thread and self.thread.message is not None:
            return message_raw((row.space, row.request), row.id, self.thread.message)
        return thread_raw(row.space, row.request, row.id)

    def url(self) -> str | None:
        thread = self.current_thread()
        return None if thread is None else web_address(thread.comment.urls.app) or None

    # Reading

    def opened(self) -> None:
        """Show what waited last time, and read anew."""
        kept = recall(self.session.snapshot, self._organization)
        if kept:
            self.cached = True
            self._all = {row.id: row for row in kept}
            self._source.set(self._shown())
        self._count()
        self.reads.load(
            "marks",
            lambda api: self.session.marks.read(),
            lambda _: self._marked(),
            what="Reading what was put away",
            local=True,
        )

    def _marked(self) -> None:
        """Show the threads anew: another one is put away or followed."""
        self._held = dict(self.session.marks.held)
        self._source.set(self._shown())
        self._count()
        self.rows.refresh_rows()

    @property
    def _organization(self) -> str:
        return self.organization or ""

    def reload(self) -> None:
        """Read all threads again; what came since waits for ``.``, as everywhere."""
        self.about.known.forget()
        self.rows.empty = self.rows.reading
        self.rows.refresh_rows()
        self.reads.load(
            "inbox", self._read, self._arrived, what="Reading threads", failed=self._could_not
        )

    def poll(self) -> None:
        """Read quietly what came, in the places that tell of it and in some of the others."""
        if self._whole and not self.reads.loads:
            self.reads.load(
                "inbox", lambda api: self._read(api, polled=True), self._polled,
                what="Reading again",
            )  # fmt: skip

    def _polled(self, read: tuple[User | None, dict[str, InboxRow], int]) -> None:
        me, rows, _ = read
        if me is None or rows == self._all:
            return
        row, self._all = self.row, rows
        if self._source.loaded:
            self._source.merge(self._shown())
        else:
            self._source.set(self._shown())
        self._count()
        self.rows.refresh_rows()
        if row != self.row or (row is not None and rows.get(row.id) != row):
            self._look(after=0)

    async def _read(
        self, api: Api, *, polled: bool = False
    ) -> tuple[User | None, dict[str, InboxRow], int]:
        me, organization = self.session.me, self._organization
        if me is None or not organization:
            return None, {}, 0
        rows: dict[str, InboxRow] = {}
        first, key_at = not self._whole and not self.cached, self.desk.keyboard.key_at

        def found(row: InboxRow, comment: Comment) -> None:
            rows[row.id] = row
            self._put(comment)
            if first:
                on_first = not self.rows.cursor and self.desk.keyboard.key_at == key_at
                self._all = rows
                self._source.set(self._shown())
                if on_first and not self.begins_at:
                    self.rows.move_first()
                self._count()

        if self._known is None or not polled:
            self._known = inbox_reading.KnownThreads()
        progress = self._progress if not polled else lambda ended, spaces: None
        with suppress(OSError):  # the threads are there all the same
            await self.session.marks.read()
        unread = await inbox_reading.read_inbox(
            api,
            organization,
            me,
            self.session.members,
            found,
            progress,
            self._known,
            followed=self.session.marks.followed,
            polled=polled,
        )
        return me, rows, unread

    def _progress(self, ended: int, spaces: int) -> None:
        self.rows.note = f"read {ended} of {plural(spaces, 'space')}"
        self.rows.retitle()

    def _could_not(self, sentence: str) -> None:
        self.rows.empty, self.rows.note = sentence, "not all was read"
        self.rows.refresh_rows()
        self.rows.retitle()

    def _arrived(self, read: tuple[User | None, dict[str, InboxRow], int]) -> None:
        me, rows, unread = read
        self.rows.empty = EMPTY
        if me is None:
            self.rows.empty = NOBODY if self.session.me is None else NOWHERE
        self.rows.note = f"{plural(unread, 'place')} could not be read" if unread else ""
        self._just_put.clear()
        fill = not self._source.loaded
        self._whole, self._all = True, rows
        if fill:
            self._source.set(self._shown())
        else:
            self._source.merge(self._shown())
        self._count()
        self.rows.refresh_rows()
        self._look(after=0)
        self.reads.load(
            "keep",
            lambda api: asyncio.to_thread(
                keep,
                self.session.snapshot,
                self._organization,
                [row for row in rows.values() if not self.away(row)],
            ),
            lambda _: None,
            what="Keeping the inbox",
            local=True,
        )

    def _shown(self) -> list[InboxRow]:
        of_view = (
            row
            for row in self._all.values()
            if self.view in ("", "all", row.why)
            and (self.shows_away or row.id in self._just_put or not self.away(row))
        )
        return in_order(of_view, self.sort, backwards=self.backwards)

    def _count(self) -> None:
        known = [row for row in self._all.values() if not row.done and not self.away(row)]
        views = [name for name in VIEWS if name != "followed" or self.session.marks.followed]
        self.set_views(
            [
                View(
                    name,
                    VIEWS[name],
                    sum(name in ("all", row.why) for row in known)
                    if known or self._whole
                    else None,
                )
                for name in views
            ]
        )

    def view_changed(self) -> None:
        self._just_put.clear()
        self._source.set(self._shown())
        self.rows.refresh_rows()
        self._look(after=0)

    def on_screen_suspend(self) -> None:
        """Read no further while another place is in front."""
        if isinstance(self.app.screen, Place) and self.app.screen is not self:
            self.reads.cancel("inbox")

    def on_screen_resume(self) -> None:
        """Go on reading; show what became of the thread that was gone to."""
        super().on_screen_resume()
        row, self._left_at = self._left_at, None
        if self.reads.asked_at is not None and not self._whole and not self.reads.loads:
            self.reload()
        elif row is not None:
            self._read_row(row)

    def _read_row(self, row: InboxRow) -> None:
        def arrived(now: Comment | None) -> None:
            me = self.session.me
            if now is None or now.status == "resolved":
                self._done(row, "gone" if now is None else "resolved")
            elif now.replies > row.replies and any(me and r.user.id == me.id for r in now.repliers):
                self._done(row, "answered")

        self.reads.load(
            "row",
            lambda api: read_comment(api, row.space, row.request, row.id),
            arrived,
            what="Reading the thread again",
            kept="never",
        )

    # The thread beside the list

    def follow_cursor(self, rows: Pane) -> None:
        self._look(after=REST_SECONDS)

    def _put(self, comment: Comment) -> None:
        thread = self.threads.put(comment)
        thread.number = 0
        if not comment.replies:
            thread.replies = []
        elif thread.replies is not None and len(thread.replies) != comment.replies:
            thread.replies = None

    def _look(self, *, after: float) -> None:
        row, thread = self.row, self.current_thread()
        self._show_thread()
        self.about.look()
        if row is None or thread is None:
            self.reads.cancel("thread")
            return
        self._look_for_page(row, after=after)
        known = thread.replies is not None and not self.reads.left_behind("thread", row.id)
        if not thread.comment.replies or (known and after):
            return

        def arrived(replies: list[CommentReply]) -> None:
            thread.replies = replies
            self._show_thread()

        self.reads.load(
            "thread",
            lambda api: read_thread(api, row.space, row.request, row.id),
            arrived,
            what="Reading replies",
            of=row.id,
            after=after,
        )

    def _look_for_page(self, row: InboxRow, *, after: float) -> None:
        """Read the title of the page that a thread is on, where it is not known."""
        if not row.page or _page_of(row) in self._pages:
            return

        def arrived(title: str) -> None:
            self._pages[_page_of(row)] = title
            self._show_thread()

        self.reads.load(
            "page", lambda api: read_page_title(api, *_page_of(row)), arrived,
            what="Reading the title of its page", of=row.page, after=after, quiet=True,
        )  # fmt: skip

    def _show_thread(self) -> None:
        row, thread = self.row, self.current_thread()
        if row is None or thread is None:
            self.thread.show([])
            return
        quote = f"{row.space_title} {row.where} {row.subject}" if row.number else row.space_title
        page = self._pages.get(_page_of(row), "")
        self.thread.show([ThreadGroup("", [thread], [quote, *([page] if page else [])])])

    # Acting

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        self._go_there()

    def on_thread_view_opened(self, event: ThreadView.Opened) -> None:
        """Go to the thread where it stands."""
        self._go_there()

    def _go_there(self) -> None:
        row = self.row
        if row is None:
            return
        target = Target(organization=self.target.organization, space=row.space)
        if row.request:
            target = target.but(change_request=row.request, thread=row.id)
            self._left_at = row
            self.desk.go_soon("review", target)
        elif row.page:
            self._left_at = row
            self.desk.call_later(self._show_page, target.but(page=row.page, thread=row.id))
        else:
            self.thread.focus()
            self.say("About the space as a whole: this is all of it. r replies, x resolves.")

    async def _show_page(self, target: Target) -> None:
        """Show the text that a thread of a space is about, below the thread."""
        await self.desk.go("pages", target)
        if self.desk.here is not None and self.desk.here is not self:
            self.desk.here.say("q goes back: there r replies, x resolves.")

    def _done(self, row: InboxRow, said: str) -> None:
        """Show that a thread does not wait any more; it stays where it is until R."""
        known = self._all.get(row.id, row)
        if self._known is not None:
            self._known.forget(row)
        self._all[row.id] = replace(known, done=said)
        if self.is_attached:
            self._source.update(self._all[row.id])
            self._count()

    # What the actions on threads ask for

    closed = False
    """Whether the request is closed is not known here: the service is asked when it matters."""

    @property
    def thread_ids(self) -> tuple[str, str]:
        return (self.row.space, self.row.request) if self.row is not None else ("", "")

    @property
    def threads_known(self) -> bool:
        return self.row is None and not isinstance(no_row(self.rows, ""), NoRowYet)

    @property
    def no_thread_here(self) -> str:
        return "No thread selected." if self.row is None else "This thread is not read yet."

    def commenting_refused(self) -> str | None:
        return None

    def current_thread(self) -> Thread | None:
        return self.threads.get(self.row.id) if self.row is not None else None

    def current_message(self) -> Comment | CommentReply | None:
        thread = self.current_thread()
        return thread.comment if thread is not None else None

    def called(self, words: str) -> str:
        return f"{self.row.where if self.row is not None else ''} “{inline(words).plain}”"

    def thread_name(self, thread: Thread) -> str:
        row = self._all.get(thread.id)
        return f"the thread on {row.where}" if row is not None else "the thread"

    def show_threads(self, *, same: bool = False) -> None:
        for row in list(self._all.values()):
            thread = self.threads.get(row.id)
            over = thread is not None and thread.comment.status == "resolved"
            if over != (row.done == "resolved"):
                self._done(row, "resolved" if over else "")
        self._count()
        self._show_thread()

    async def drafts_changed(self) -> None:
        """Do nothing: drafts are not shown in the inbox."""

    def forget_draft(self, key: str) -> None:
        """Do nothing: drafts are not shown in the inbox."""

    def show_sent(self, message: Comment | CommentReply) -> None:
        self.thread.select(message.id)

    def message_arrived(self, thread: str, *, read: bool) -> None:
        """Show that a thread was answered from here, unless somebody spoke since."""
        row = self._all.get(thread)
        if row is not None and not read:
            self._done(row, "answered")
        self._show_thread()

    def message_removed(self, thread: Thread, message: Comment | CommentReply) -> None:
        """Do nothing: no message is deleted in the inbox."""

    # Acting

    def turned(self, results: Sequence[Any]) -> None:
        """Show a thread after an undo; parts missing in the results are read again."""
        known = [each for each in results if getattr(each, "id", "") in self._all]
        for each in known:
            if isinstance(each, Comment):
                self._put(each)
            status = getattr(each, "status", "")
            self._done(self._all[each.id], "resolved" if status == "resolved" else "")
        if not known and self.session.marks.held == self._held:
            super().turned(results)
        self._marked()

    async def _mark(self, row: InboxRow, what: str, marks: Mapping[str, str], done: str) -> None:
        """Set marks of a thread, which ``u`` takes back. Raises `WriteError`."""
        before = {kind: self.session.marks.of(row.id).get(kind, "") for kind in marks}
        await self.writer.perform(
            what,
            self.called(row.text),
            lambda api: self.session.marks.put(row.id, marks),
            reversal=marks_reversal(row.id, before, marks),
            done=done,
        )

    @action("b", "done", word="done", unless=no_row_here, show=5, group="Threads", now=away_label)
    async def put_away(self) -> None:
        """Put a thread away until someone writes; again: mute it for good; again: neither.

        That is saved on this machine only. ``B`` shows what is put away, ``u`` undoes it.
        """
        row = self.row
        if row is None:
            return
        self._just_put.add(row.id)
        match self.away(row):
            case "":
                marks = {DONE: row.at.isoformat(), MUTED: ""}
                await self._mark(row, "Done", marks, "Done until someone writes; b again: mute.")
            case "done":
                marks = {DONE: "", MUTED: YES}
                await self._mark(row, "Mute", marks, "Muted for good; b again: back.")
            case _:
                await self._mark(row, "Back", {DONE: "", MUTED: ""}, "The thread is back.")
        self._marked()

    @action("B", "show put away", unless=nothing_away, show=False, group="Look")
    def show_put_away(self) -> None:
        """Show what is done or muted too, or hide it again."""
        self.shows_away = not self.shows_away
        self._just_put.clear()
        self._marked()
        self.say("What is put away is shown." if self.shows_away else "What is put away is hidden.")

    @action("s", "sort", word="sort", show=6, group="Look")
    async def choose_sort(self) -> None:
        """Choose the order of the threads."""
        options = [Option(name, title) for name, title in SORTS.items()]
        chosen = await self.desk.push_screen_wait(
            Choice("Sort threads by", options, current=self.sort)
        )
        if chosen is not None:
            self.sort, self.backwards = chosen, False
            self._source.set(self._shown())
            self.say(f"Sorted by {SORTS[self.sort]}.")

    @action("S", "reverse sort", show=False, group="Look")
    def reverse_sort(self) -> None:
        """Turn the order round."""
        self.backwards = not self.backwards
        self._source.set(self._shown())

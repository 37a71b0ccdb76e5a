"""Threads with their replies: a comment, the answers below it, one after the other."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

from copydesk.domain.suggestion import Fit
from copydesk.domain.text import clean, plural, shorten
from copydesk.present.markdown import Line, wrap_exact
from copydesk.present.threads import Thread, ThreadGroup, draw_message
from copydesk.session.glyphs import glyphs
from copydesk.session.names import person_name
from copydesk.session.writes.outbox import threads_wait, waiting_about
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.desk_app import desk_of
from copydesk.tui.framework.pane import offered
from copydesk.tui.widgets.wrapped_list import WrappedList

if TYPE_CHECKING:
    from copydesk.contract.models.comment import Comment, CommentReply


QUOTED = 3
"""Lines that are shown of what a thread is about."""


class _Row(NamedTuple):
    kind: Literal["heading", "comment", "reply", "more", "draft", "waits", "blank"]
    thread: Thread | None = None
    reply: CommentReply | None = None
    text: str = ""


def no_thread(view: ThreadView) -> str | None:
    """Say so when there is no thread to go to."""
    return None if view.thread is not None else "No thread selected."


def _words(text: str) -> str:
    return shorten(" ".join(clean(text, limit=400).split()), 60, glyphs().more)


def _replies(thread: Thread) -> list[_Row]:
    if thread.replies is None:
        return [_Row("more", thread)] if thread.comment.replies else []
    return [_Row("reply", thread, reply) for reply in thread.replies]


class ThreadView(WrappedList, scope="threads"):
    """Shows groups of threads; the cursor stops at messages. Resolved threads are dim."""

    leads = "Threads"

    class Opened(WrappedList.Moved):
        """The reader wants to see what a thread is about."""

    def __init__(
        self, *, title: str = "", empty: str = "No threads.", id: str | None = None
    ) -> None:
        super().__init__(title=title, empty=empty, id=id)
        self._groups: Sequence[ThreadGroup] = ()
        self._rows: list[_Row] = []
        self.fresh: AbstractSet[str] = frozenset()
        """The ids of messages that came while the reader was here."""
        self._left: Sequence[tuple[str, str]] = ()
        self._waits = 0
        self._answers: Mapping[str, str] = {}
        self.fits: Mapping[str, Fit] = {}
        """Where the suggestions of threads fit, by thread; judged ones only."""
        self.ticked: AbstractSet[str] = frozenset()
        """The threads whose suggestions are marked."""

    def show(
        self,
        groups: Sequence[ThreadGroup],
        *,
        left: Sequence[tuple[str, str]] = (),
        waits: int = 0,
        answers: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Show threads; the cursor stays on its message.

        Texts that wait to be sent stand where they belong: ``left`` are (key, text) of new threads,
        ``waits`` is how many of these wait in the outbox, ``answers`` are replies by the id of
        their thread.
        """
        here = self.selected_id
        self._groups, self._left, self._answers = groups, left, answers
        self._waits = waits
        self._rows = list(self._laid_out())
        self.changed()
        if here is not None:
            self.select(here)

    def waits_changed(self) -> None:
        self.show(self._groups, left=self._left, waits=self._waits, answers=self._answers)

    def put_replies(self, threads: Container[str]) -> None:
        """Put in the replies of threads in view, which have just been read."""
        here = self.selected_id
        expanded = False
        for at in reversed(self.in_view):
            kind, thread, *_ = self._rows[at]
            if kind == "more" and thread is not None and thread.id in threads:
                self._rows[at : at + 1] = _replies(thread)
                expanded = True
        if expanded:
            self.changed()
            if here is not None:
                self.select(here)

    def _laid_out(self) -> list[_Row]:
        found: list[_Row] = []
        if said := threads_wait(self._waits):
            found += [_Row("waits", None, text=self._offered(said)), _Row("blank")]
        for key, text in self._left:
            found += [_Row("draft", None, text=self._goes_on(text, key)), _Row("blank")]
        for group in self._groups:
            if not group.threads:
                continue
            if group.heading:
                found.append(_Row("heading", text=group.heading))
            for nth, thread in enumerate(group.threads):
                quote = group.quotes[nth] if nth < len(group.quotes) else ""
                found.append(_Row("comment", thread, text=quote))
                found.extend(_replies(thread))
                ids = (thread.id, *(reply.id for reply in thread.replies or ()))
                if said := waiting_about(self.app if self.is_attached else None, *ids):
                    found.append(_Row("waits", thread, text=said))
                if thread.id in self._answers:
                    said = self._goes_on(self._answers[thread.id], "r")
                    found.append(_Row("draft", thread, text=said))
                found.append(_Row("blank"))
        if found:
            found.pop()
        return found

    def _offered(self, said: str) -> str:
        return offered(self, said) if self.is_attached else said

    def _goes_on(self, text: str, key: str) -> str:
        """Return the words of a draft, and by which key one goes on with it."""
        return f"{_words(text)}{self._offered(f' ({key} goes on)')}"

    # What is selected

    def _row(self) -> _Row | None:
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    @property
    def threads(self) -> list[Thread]:
        """All its threads, in their order."""
        firsts = (row.thread for row in self._rows if row.kind == "comment")
        return [each for each in firsts if each is not None]

    @property
    def quote(self) -> str:
        """The text that the thread under the cursor is about; "" where that is not known."""
        here = self.thread
        quoted = (row for row in self._rows if row.kind == "comment" and row.thread is here)
        return next((row.text for row in quoted), "")

    @property
    def thread(self) -> Thread | None:
        """The thread under the cursor."""
        row = self._row()
        return None if row is None else row.thread

    @property
    def message(self) -> Comment | CommentReply | None:
        """The comment or reply under the cursor."""
        row = self._row()
        if row is None or row.thread is None:
            return None
        return row.reply or row.thread.comment

    @property
    def selected_id(self) -> str | None:
        """The id of the message under the cursor."""
        message = self.message
        return None if message is None else message.id

    def select(self, message_id: str) -> bool:
        """Put the cursor on a comment or reply; False when it is not shown."""
        for at, row in enumerate(self._rows):
            if row.kind not in ("comment", "reply") or row.thread is None:
                continue
            if (row.reply or row.thread.comment).id == message_id:
                self.go_to(at)
                return True
        return False

    def select_thread(self, thread_id: str) -> bool:
        """Put the cursor on the first message of a thread, which comes to the top of the pane."""
        if not self.select(thread_id):
            return False
        self.scroll_to(y=self.cursor, animate=False)
        return True

    @property
    def waiting(self) -> list[Thread]:
        """The threads in view whose replies have not been read."""
        rows = [self._rows[at] for at in self.in_view if at < len(self._rows)]
        return [row.thread for row in rows if row.kind == "more" and row.thread is not None]

    @action("enter", "go to text", unless=no_thread, show=16, group="Threads")
    def open(self) -> None:
        """Go to the text that the thread is about."""
        self.post_message(self.Opened(self))

    # Drawing

    @property
    def rows(self) -> int:
        return len(self._rows)

    def stops(self, row: int) -> bool:
        """Messages can be selected."""
        return self._rows[row].kind in ("comment", "reply")

    def draw(self, row: int, width: int) -> list[Line]:
        kind, thread, reply, text = self._rows[row]
        if kind == "heading":
            return [*([[("", "")]] if row else []), [(f" {text}", "title")]]
        if kind == "waits":
            signs = glyphs()
            lead = f"   {signs.branch} " if thread is not None else " "
            parts = wrap_exact([(f"{signs.waits} {text}", "accent")], width - len(lead))
            return [
                [(lead if not nth else " " * len(lead), "muted"), *part]
                for nth, part in enumerate(parts)
            ]
        if kind == "draft":
            lead = f"   {glyphs().branch} " if thread is not None else " "
            parts = wrap_exact([("your draft: ", "accent"), (text, "muted")], width - len(lead))
            return [
                [(lead if not nth else " " * len(lead), "muted"), *part]
                for nth, part in enumerate(parts)
            ]
        if kind == "blank" or thread is None:
            return [[("", "")]]
        if kind == "more":
            count = plural(thread.comment.replies, "reply")
            return [[(f"   {glyphs().branch} {count}, reading{glyphs().more}", "muted")]]
        session = desk_of(self).session
        me, now = (session.me.id if session.me else None), session.now
        if reply is not None:
            return draw_message(
                reply,
                width,
                now,
                reply=True,
                resolved=not thread.open,
                me=me,
                fresh=reply.id in self.fresh,
            )
        note = ""
        if thread.verdict:
            note = "said with a review"
        elif not thread.open:
            who = thread.comment.resolved_by
            note = f"resolved by {person_name(who)}" if who else "resolved"
        lines: list[Line] = []
        if text:
            quoted = wrap_exact([(text, "muted")], max(8, width - 4))
            if len(quoted) > QUOTED:
                quoted = [*quoted[: QUOTED - 1], [*quoted[QUOTED - 1], (glyphs().more, "muted")]]
            lines += [[(f" {glyphs().quote} ", "muted"), *line] for line in quoted]
        return lines + draw_message(
            thread.comment,
            width,
            now,
            label=thread.label if thread.number else "",
            resolved=not thread.open,
            me=me,
            note=note,
            fresh=thread.id in self.fresh,
            fit=self.fits.get(thread.id),
            ticked=thread.id in self.ticked if thread.id in self.fits else None,
        )

"""Going on with a text that was left: the field it was typed in opens again."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, cast

from copydesk.domain.text import clean, plural
from copydesk.session.writes.comments import pending_line, review_drafts
from copydesk.session.writes.log import WriteError
from copydesk.tui.dialogs.run import RunSheet
from copydesk.tui.framework.actions import command
from copydesk.tui.framework.keyboard import because
from copydesk.tui.framework.read_only import away, refusal
from copydesk.tui.framework.workers import begin
from copydesk.tui.review.guards import ReviewCommands, may_not_comment
from copydesk.tui.review.pages import PageReader
from copydesk.tui.review.threads import WalkCommands
from copydesk.tui.threads.commands import Subject

if TYPE_CHECKING:
    pass

VERDICTS = {"approved": "approve", "changes-requested": "ask_for_changes"}
"""The action that gives a verdict, by the verdict."""


class DraftCommands(ReviewCommands, scope="review"):
    """Opens a draft once what it belongs to has been read, and sends drafts together."""

    @command(
        "send",
        "drafts",
        complete=lambda here: ("drafts",),
        uses=("create_change_request_comment", "create_change_request_comment_reply"),
    )
    async def send_drafts(self, rest: str) -> None:
        """Send all comments and replies that wait here, after showing them; u takes all back."""
        why = may_not_comment(self.here)
        if rest.strip() != "drafts" or why is not None:
            self.place.say(why or "Say :send drafts.", "warn")
            return
        self.place.session.asks()
        drafts = await asyncio.to_thread(review_drafts, self.place.session, *self.model.ids)
        if not drafts:
            self.place.say(f"Nothing about {self.model.numbered} waits to be sent.", "warn")
            return
        group = secrets.token_hex(8)

        async def send(number: int) -> None:
            await self.writing.deliver(drafts[number], recall=False, group=group)

        sheet = RunSheet(
            f"Send {plural(len(drafts), 'draft')} about {self.model.numbered}",
            [pending_line(draft) for draft in drafts],
            send,
            verb="send",
            left="keep the rest as drafts",
        )
        sent = cast("int | None", await self.place.desk.push_screen_wait(sheet))
        if sent:
            self.place.tell(f"Sent {plural(sent, 'draft')}. u takes them back.", "good")

    def resume_draft(self, part: str) -> bool:
        """Open the field that ``part`` names (`session.draft_keys`) as soon as possible."""
        self.place.resuming = part
        self.go_on()
        return True

    def go_on(self) -> None:
        """Open the field that waits for what has come by now: the threads, or a page."""
        part = self.place.resuming
        if not part or not self.model.threads_read or self.app.screen is not self.place:
            return
        match part.split(" "):
            case ["reply", thread_id]:
                self._at_message(thread_id, "reply")
            case ["edit", message_id]:
                self._at_message(message_id, "edit_message")
            case ["verdict", verdict]:
                self.place.resuming = ""
                self.place.do_soon(VERDICTS.get(verdict, ""))
            case _ if not self._page_awaited(part):
                self.place.resuming = ""
                self._comment(part)

    def _page_awaited(self, part: str) -> bool:
        """Whether the line that a comment quotes is on a page that is still to be read."""
        page, _, node = part.partition("/")
        if node in ("", "page") or page in self.model.texts:
            return False
        if all(change.id != page for change in self.model.changes):
            return False
        if self.model.page_id != page:
            self.place.commands_of(PageReader).show_page(page)
        return True

    def _at_message(self, message: str, method: str) -> None:
        thread = self.model.threads.get(message)
        if thread is None:
            self.place.resuming = ""
            self.place.say(
                "The thread of this draft is not here. Put the cursor on its message.", "warn"
            )
            return
        if self.here.discussion.current_thread() is not thread:
            self.here.discussion.go_to(thread)
        if (
            self.here.discussion.current_thread() is thread
        ):  # else its page is being read: once more then
            self.place.resuming = ""
            self.place.do_soon(method)

    def _comment(self, part: str) -> None:
        comment = WalkCommands.ACTIONS["comment_line"]
        why = may_not_comment(self.here)
        if away(self.place.session, comment):
            why = refusal(self.place.session, comment.label)
        if why is not None:
            self.place.say(why, "warn")
            return
        with because(self.place, comment.id):
            self._comment_on(part)

    def _comment_on(self, part: str) -> None:
        page, _, node = part.partition("/")
        change = next((each for each in self.model.changes if each.id == page), None)
        if part == "request":
            self._start(Subject(f"Comment on {self.model.numbered}", part))
        elif change is None:
            self.place.say(
                "The page of this draft is not changed by this request any more.", "warn"
            )
        elif node == "page":
            self._start(Subject(f"Comment on the page {clean(change.node.title)}", part, page))
        else:
            text = self.model.texts.get(page)
            line = text.find(node) if text is not None else None
            quote = text.line_text(line).strip() if text is not None and line is not None else ""
            title = f"Comment on a line of {clean(change.node.title)}"
            self._start(Subject(title, part, page, node, quote))

    def _start(self, about: Subject) -> None:
        async def write() -> None:
            try:
                await self.writing.start_thread(about)
            except WriteError as error:
                self.place.tell(str(error), "bad")

        begin(self.place, write, name="resume draft")

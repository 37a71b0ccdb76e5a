"""Going on with a text that was left: the field it was typed in opens again."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, cast

from copydesk.domain.text import clean, plural
from copydesk.session.session import WriteError
from copydesk.session.writes.comments import pending_line, review_drafts
from copydesk.tui.dialogs.run import RunSheet
from copydesk.tui.framework.actions import command
from copydesk.tui.framework.keyboard import because, run
from copydesk.tui.framework.read_only import away, refusal
from copydesk.tui.framework.workers import begin
from copydesk.tui.review.guards import may_not_comment
from copydesk.tui.review.threads import ReviewThreads
from copydesk.tui.threads.commands import Subject

if TYPE_CHECKING:
    from copydesk.contract.models.comment import Comment

VERDICTS = {"approved": "approve", "changes-requested": "ask_for_changes"}
"""The action that gives a verdict, by the verdict."""


class ReviewDrafts(ReviewThreads, scope="review_drafts"):
    """Opens a draft once what it belongs to has been read, and sends drafts together."""

    @command(
        "send",
        "drafts",
        complete=lambda here: ("drafts",),
        uses=("create_change_request_comment", "create_change_request_comment_reply"),
    )
    async def send_drafts(self, rest: str) -> None:
        """Send all comments and replies that wait here, after showing them; u takes all back."""
        why = may_not_comment(self)
        if rest.strip() != "drafts" or why is not None:
            self.say(why or "Say :send drafts.", "warn")
            return
        self.session.asks()
        drafts = await asyncio.to_thread(review_drafts, self.session, *self.thread_ids)
        if not drafts:
            self.say(f"Nothing about {self.numbered} waits to be sent.", "warn")
            return
        group = secrets.token_hex(8)

        async def send(number: int) -> None:
            await self.deliver(drafts[number], recall=False, group=group)

        sheet = RunSheet(
            f"Send {plural(len(drafts), 'draft')} about {self.numbered}",
            [pending_line(draft) for draft in drafts],
            send,
            verb="send",
            left="keep the rest as drafts",
        )
        sent = cast("int | None", await self.desk.push_screen_wait(sheet))
        if sent:
            self.tell(f"Sent {plural(sent, 'draft')}. u takes them back.", "good")

    def resume_draft(self, part: str) -> None:
        """Open the field that ``part`` names (`session.draft_keys`) as soon as possible."""
        self.resuming = part
        self._resume()

    def _threads_came(self, comments: list[Comment]) -> None:
        super()._threads_came(comments)
        self._resume()

    def page_came(self) -> None:
        """Go on with a reply whose thread is on the page that came."""
        super().page_came()
        self._resume()

    def _resume(self) -> None:
        part = self.resuming
        if not part or not self.threads_read or self.app.screen is not self:
            return
        match part.split(" "):
            case ["reply", thread_id]:
                self._at_message(thread_id, "reply")
            case ["edit", message_id]:
                self._at_message(message_id, "edit_message")
            case ["verdict", verdict]:
                self.resuming = ""
                self._act(VERDICTS.get(verdict, ""))
            case _ if not self._page_awaited(part):
                self.resuming = ""
                self._comment(part)

    def _page_awaited(self, part: str) -> bool:
        """Whether the line that a comment quotes is on a page that is still to be read."""
        page, _, node = part.partition("/")
        if node in ("", "page") or page in self.texts:
            return False
        if all(change.id != page for change in self.changes):
            return False
        if self.page_id != page:
            self.show_page(page)
        return True

    def _act(self, method: str) -> None:
        found = next((each for each in self.ACTIONS.values() if each.method == method), None)
        if found is not None:
            self.call_later(run, self, found)

    def _at_message(self, message: str, method: str) -> None:
        thread = self.threads.get(message)
        if thread is None:
            self.resuming = ""
            self.say("The thread of this draft is not here. Put the cursor on its message.", "warn")
            return
        if self.current_thread() is not thread:
            self.go_to_thread(thread)
        if self.current_thread() is thread:  # else its page is being read, and comes back to this
            self.resuming = ""
            self._act(method)

    def _comment(self, part: str) -> None:
        comment = self.ACTIONS["comment_line"]
        why = may_not_comment(self)
        if away(self.session, comment):
            why = refusal(self.session, comment.label)
        if why is not None:
            self.say(why, "warn")
            return
        with because(self, comment.id):
            self._comment_on(part)

    def _comment_on(self, part: str) -> None:
        page, _, node = part.partition("/")
        change = next((each for each in self.changes if each.id == page), None)
        if part == "request":
            self._start(Subject(f"Comment on {self.numbered}", part))
        elif change is None:
            self.say("The page of this draft is not changed by this request any more.", "warn")
        elif node == "page":
            self._start(Subject(f"Comment on the page {clean(change.node.title)}", part, page))
        else:
            text = self.texts.get(page)
            line = text.find(node) if text is not None else None
            quote = text.line_text(line).strip() if text is not None and line is not None else ""
            title = f"Comment on a line of {clean(change.node.title)}"
            self._start(Subject(title, part, page, node, quote))

    def _start(self, about: Subject) -> None:
        async def write() -> None:
            try:
                await self.start_thread(about)
            except WriteError as error:
                self.tell(str(error), "bad")

        begin(self, write, name="resume draft")

"""What one does with the threads of a review: walk through them, start one, go on with drafts."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import replace
from typing import cast

from copydesk.domain.text import clean, plural
from copydesk.present.threads import Thread
from copydesk.session.errors import failure_types, sentence
from copydesk.session.options import Option
from copydesk.session.target import Target
from copydesk.session.writes.comments import pending_line, review_drafts
from copydesk.session.writes.log import WriteError
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.run import RunSheet
from copydesk.tui.framework.actions import action, away, command, refusal
from copydesk.tui.framework.keyboard import because
from copydesk.tui.framework.workers import begin
from copydesk.tui.review.guards import ReviewCommands, may_not_comment, no_line, none_open
from copydesk.tui.review.pages import PageReader
from copydesk.tui.threads.commands import Subject


class WalkCommands(ReviewCommands, scope="review"):
    """Walking through the threads of a review, and starting one."""

    @action("}", "next open thread", unless=none_open, show=9, group="Threads")
    def next_thread(self) -> None:
        """Go to the next open thread, over the borders of pages; wraps once and says so."""
        self._step_thread(1)

    @action("{", "previous open thread", unless=none_open, show=False, group="Threads")
    def previous_thread(self) -> None:
        """Go to the previous open thread, over the borders of pages."""
        self._step_thread(-1)

    def _step_thread(self, by: int) -> None:
        order = self._walk_order()
        here = self.here.discussion.current_thread()
        at = next((n for n, thread in enumerate(order) if thread is here), None)
        following = self._near(order, by) if at is None else at + by
        wrapped = not 0 <= following < len(order)
        following %= len(order)
        thread = order[following]
        page = thread.page
        unread = page is not None and page not in self.model.texts
        if page is not None and unread and any(change.id == page for change in self.model.changes):
            # Which thread is the first on it is known once its text is.
            self.place.choose_view("changes")
            reader = self.place.commands_of(PageReader)
            reader.show_page(page, lambda: self._arrive(page, by, wrapped))
        else:
            self._go(order, following, by, wrapped)

    def _arrive(self, page: str, by: int, wrapped: bool) -> None:
        """Go to the first open thread of a page that has just been read, or to the last."""
        order = self._walk_order()
        there = [at for at, thread in enumerate(order) if thread.page == page]
        if there:
            self._go(order, there[0] if by > 0 else there[-1], by, wrapped)

    def _go(self, order: list[Thread], at: int, by: int, wrapped: bool) -> None:
        self.here.discussion.go_to(order[at])
        said = f"Open thread {at + 1} of {len(order)}"
        if wrapped:
            self.place.say(f"{said}: from the {'start' if by > 0 else 'end'} again.", "warn")
        else:
            self.place.say(f"{said}.")

    def _walk_order(self) -> list[Thread]:
        return self.model.threads.walk(
            [change.id for change in self.model.changes], self.here.discussion.line_of
        )

    def _near(self, order: list[Thread], by: int) -> int:
        """Return the place of the open thread after (or before) the cursor of the diff."""
        pages = [change.id for change in self.model.changes]
        line = self.here.diff.line if self.here.diff.line is not None else 0
        here = (self.model.page_at if self.place.view != "overview" else -1, line)
        places = []
        for thread in order:
            page = pages.index(thread.page) if thread.page in pages else len(pages)
            if thread.page is None:
                page = -1
            places.append((page, thread.height(self.here.discussion.line_of)))
        if by > 0:
            return next((n for n, place in enumerate(places) if place > here), len(order))
        return next((n for n in reversed(range(len(places))) if places[n] < here), -1)

    @command("commenters", uses="list_change_request_commenters")
    async def commenters(self, rest: str) -> None:
        """List who commented on this change request; Enter goes to one of them."""
        if self.model.opened is None:
            self.place.say("The change request is not read yet.", "warn")
            return
        ids = self.model.ids

        async def read() -> list[Option]:
            from copydesk.contract import operations as ops

            api = await self.place.session.ready()
            return [
                Option(each.id, clean(each.user.display_name), clean(each.user.email or ""))
                async for each in api.pages(ops.list_change_request_commenters, *ids)
            ]

        try:
            found = await self.place.reads.now("commenters", read, "Reading who commented")
        except failure_types() as error:
            self.place.tell(sentence(error), "bad")
            return
        if found is None:
            return
        if not found:
            self.place.say("No one has commented on this change request.")
            return
        chosen = await self.place.desk.push_screen_wait(Choice("Who commented", found))
        if chosen:
            await self.app.go("member", Target(self.place.target.organization, item=chosen))

    @action(
        "c",
        "comment",
        unless=(may_not_comment, no_line),
        danger=1,
        uses="create_change_request_comment",
        show=14,
        group="Threads",
        types=True,
    )
    async def comment_line(self) -> None:
        """Comment on the line under the cursor; from a blank one, on the nearest with words.

        Where a check found something, the field begins with what it says.
        """
        page, line, change = self.here.diff.page, self.here.diff.text_line, self.model.change
        assert page is not None
        assert line is not None
        assert change is not None
        self.here.diff.go_to_line(line)
        node = page.anchor(line)
        quote = page.line_text(line).strip()
        title = f"Comment on a line of {clean(change.node.title)}"
        given = "\n\n".join(each.text for each in self.here.diff.findings.here)
        await self.writing.start_thread(
            Subject(title, f"{change.id}/{node}", change.id, node, quote, given=given)
        )

    @action(
        "C",
        "comment on whole",
        unless=may_not_comment,
        danger=1,
        uses="create_change_request_comment",
        show=5,
        group="Threads",
        types=True,
    )
    async def comment_whole(self) -> None:
        """Comment on the page in front; ctrl+r makes it the change request as a whole, and back.

        Before the request has been read, and beside its pages, it is the request as a whole.
        """
        change = self.model.change
        whole = Subject(f"Comment on {self.model.numbered}", "request")
        if change is None or change.thing or self.place.view != "changes":
            await self.writing.start_thread(whole)
            return
        name = f"the page {clean(change.node.title)}"
        page = Subject(
            f"Comment on {name}",
            f"{change.id}/page",
            change.id,
            instead=f"ctrl+r makes it a comment on the change request {self.model.numbered}.",
        )
        whole = replace(whole, instead=f"ctrl+r makes it a comment on {name}.")

        async def other(about: Subject) -> Subject:
            return page if about is whole else whole

        await self.writing.start_thread(
            whole if self.place.desk.keyboard.ahead.waited else page, other
        )


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

"""What one does with the request as a whole: verdicts, reviewers, status, update, merge, impact."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast
from uuid import uuid4

from rich.text import Text

from copydesk.contract.enumerations import ChangeRequestWritableStatus, ReviewStatus
from copydesk.contract.models.review import Review
from copydesk.domain.own_command import Thing
from copydesk.domain.sure import sure
from copydesk.domain.text import clean, plural, shown_subject
from copydesk.present.facts import hint
from copydesk.present.threads import Thread
from copydesk.session import merge_revert, suggested_reviewers
from copydesk.session.change_rows import base_of, request_thing, row_of
from copydesk.session.draft_keys import revert_key, review_key
from copydesk.session.errors import failure_types, sentence
from copydesk.session.names import person_name
from copydesk.session.options import Option
from copydesk.session.reads.spaces import read_me
from copydesk.session.settlement import is_cut_off, keep_joined, update_whole
from copydesk.session.target import Target
from copydesk.session.writes import merges
from copydesk.session.writes.bulk import BulkItem, BulkRun
from copydesk.session.writes.comments import (
    PendingDraft,
    draft_words,
    pending_line,
    review_drafts,
)
from copydesk.session.writes.log import RecalledError, WriteError
from copydesk.session.writes.merges import ConflictedError, not_updated
from copydesk.session.writes.requests import (
    FINAL,
    OWN,
    VERBS,
    begin_request,
    is_as_read,
    verdict,
)
from copydesk.tui.conversations.rows import LOOKED_FOR, go_to_cluster, go_to_finding
from copydesk.tui.dialogs.bulk import BulkSheet
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.composer import WriteSheet
from copydesk.tui.dialogs.dialog import Confirm
from copydesk.tui.dialogs.run import RunSheet
from copydesk.tui.framework.actions import action, away, command, refusal, while_free
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.keyboard import because, tell_failures
from copydesk.tui.merge.dialog import MergeSheet
from copydesk.tui.merge.request_edits import USES, ask_reviewers, edit_marks, set_status
from copydesk.tui.merge.settle import MERGES
from copydesk.tui.review.guards import (
    HasReview,
    ReviewCommands,
    is_merged,
    may_not_change,
    may_not_comment,
    may_not_edit,
    may_not_review,
    no_line,
    no_reviewers,
    no_reviews,
    none_open,
    not_read,
    up_to_date,
)
from copydesk.tui.review.pages import PageReader
from copydesk.tui.threads.commands import Subject


class RequestCommands(ReviewCommands, scope="review"):
    """The actions on the change request as a whole."""

    def things(self) -> Sequence[Thing]:
        opened = self.model.opened
        if opened is None:
            return []
        return [request_thing(row_of(opened.request), clean(opened.space.title))]

    def reply_values(self) -> Mapping[str, str]:
        opened, thread = self.model.opened, self.here.discussion.current_thread()
        if opened is None:
            return {}
        page = self.model.page_id if self.place.view == "changes" else None
        change = self.model.find(page if thread is None else thread.page)
        author = opened.request.created_by
        return {
            "author": "" if author is None else person_name(author),
            "number": self.model.numbered,
            "page": "" if change is None else clean(change.node.title),
            "space": clean(opened.space.title),
            "subject": clean(opened.request.subject),
        }

    # Verdicts

    @action(
        "a",
        "approve",
        unless=may_not_review,
        danger=1,
        show=11,
        uses=("create_change_request_review", "list_change_request_reviews", "get_change_request"),
        group="Request",
        now=while_free("approve", is_merged, no_reviews),
        types=True,
    )
    async def approve(self) -> None:
        """Approve the change request, with a comment or without."""
        await self._verdict("approved")

    @action(
        "A",
        "ask for changes",
        unless=may_not_review,
        danger=1,
        show=4,
        uses=("create_change_request_review", "get_change_request"),
        group="Request",
        now=while_free("ask for changes", is_merged, no_reviews),
        types=True,
    )
    async def ask_for_changes(self) -> None:
        """Ask for changes, with a comment or without."""
        await self._verdict("changes-requested")

    async def _verdict(self, status: ReviewStatus) -> None:
        opened = self.model.known
        space, request = opened.space.id, opened.request
        key = review_key(*self.model.ids, f"verdict {status}")
        facts: list[str | Text] = [Text(f"#{request.number} {clean(request.subject)}")]
        me, author = self.place.session.me, request.created_by
        if me is not None and author is not None and author.id == me.id:
            facts.append(Text(OWN, "warn"))
        pages = len(self.model.changes)
        unseen = pages - self.model.seen_count
        left = []
        if unseen:
            left.append(f"{unseen} of {plural(pages, 'page')} not marked as read")
        if self.model.threads.open_count:
            left.append(plural(self.model.threads.open_count, "open thread"))
        if left:
            facts.append(", ".join(left))
        if warned := self.model.edited_since:
            facts.append(hint("It was edited since you read it here: R reads it.", "warn"))
        facts.append(FINAL)
        drafts: list[PendingDraft] = []
        if may_not_comment(self.here) is None:
            drafts = await asyncio.to_thread(review_drafts, self.place.session, space, request.id)
        sheet = WriteSheet(
            VERBS[status],
            key,
            facts=tuple(facts),
            verdict=True,
            drafts=drafts,
            where=self._where_draft_goes,
        )
        said = cast("str | None", await self.place.desk.push_screen_wait(sheet))
        if said is None:
            await self.here.discussion.drafts_changed()
            return
        try:
            as_read = await is_as_read(self.place.session, row_of(request), warned=warned)
        except WriteError:
            await self.here.discussion.drafts_changed()
            raise
        if going := sheet.going:
            await self._send_with(status, said, going, aged=not as_read)
        else:
            await self._give(status, said, recall=True, aged=not as_read)
        if self.place.is_attached:
            self.here.request_tabs.read_rules()
            self.here.discussion.read()

    def _where_draft_goes(self, draft: PendingDraft) -> str:
        thread = self.model.threads.get(draft.thread)
        if draft.thread is not None:
            return f"reply in {thread.label}" if thread is not None else "reply"
        if draft.page is None:
            return "on the change request"
        change = self.model.find(draft.page)
        return f"on {clean(change.node.title)}" if change is not None else "on a page"

    async def _give(
        self, status: ReviewStatus, said: str, *, aged: bool, recall: bool = False, group: str = ""
    ) -> Review:
        """Give a verdict. Raises `WriteError`."""
        opened = self.model.known
        key = review_key(*self.model.ids, f"verdict {status}")
        return await self.place.writer.send(
            verdict(row_of(opened.request), status, said, self.place.session.me),
            draft=key,
            recall=recall,
            group=group,
            aged=aged,
            then=lambda _: self.here.discussion.forget_draft(key),
        )

    async def _send_with(
        self, status: ReviewStatus, said: str, drafts: Sequence[PendingDraft], *, aged: bool
    ) -> None:
        """Send drafts one by one, then the verdict.

        The verdict comes last because it is the only one that cannot be taken back: it waits
        until all that was to go with it has arrived. What is refused stays a draft.
        """
        group, final = uuid4().hex, "verdict"
        waiting = {draft.key: draft for draft in drafts}
        items = [
            BulkItem(key, self._where_draft_goes(draft), clean(draft_words(draft), limit=60))
            for key, draft in waiting.items()
        ]
        good = status == "approved"
        items.append(BulkItem(final, "review", "approved" if good else "changes asked for"))

        async def send(item: BulkItem) -> None:
            if sheet.recalled:
                raise WriteError("Recalled: it was not sent.")
            key = review_key(*self.model.ids, f"verdict {status}") if item.id == final else item.id
            if self.place.session.writes.unknown_of(key) is not None:
                raise WriteError("This may have arrived: R reads whether, before it is sent again.")
            first = not any(each.state == "done" for each in run.items)
            if item.id != final:
                try:
                    await self.writing.deliver(waiting[item.id], recall=first, group=group)
                except RecalledError:
                    sheet.recalled = True  # also by u once the sheet was left: all is one
                    raise
                return
            left = run.count("failed")
            if left:
                raise WriteError(f"The review waits: {plural(left, 'draft')} could not be sent.")
            await self._give(status, said, aged=aged, group=group)

        def ended() -> None:
            last = run.items[-1]
            if sheet.recalled:
                said = "Recalled: nothing was sent. All that you wrote is kept (:drafts)."
                self.place.tell(said, "warn")
            elif last.state == "done":
                done = "Approved" if good else "Asked for changes in"
                sent = plural(len(drafts), "draft")
                said = f"{done} {self.model.numbered}, with {sent}; a review cannot be undone."
                self.place.tell(said, "good")
            elif not sheet.is_attached:  # else it shows what came of each
                self.place.tell(f"The review was not sent. {last.message}", "bad")

        run = BulkRun("Send", items, send, ended)
        sheet = BulkSheet(run, session=self.place.session)
        await self.place.desk.push_screen_wait(sheet)

    @action("w", "reviewers", unless=(is_merged, no_reviewers), danger=1, show=3, group="Request",
            now=while_free("reviewers", is_merged, no_reviewers),
            uses=(*USES, *suggested_reviewers.USES))  # fmt: skip
    async def reviewers(self) -> None:
        """Choose who is asked for a review; who owns the pages or wrote in them comes first.

        Ticked people are asked, others no longer.
        """
        opened, rules = self.model.known, sure(self.model.rules)
        request = opened.request
        await ask_reviewers(
            self.place,
            organization=opened.space.organization,
            space=opened.space.id,
            request=request.id,
            label=f"#{request.number}",
            author=request.created_by.id if request.created_by else "",
            before=rules.requested or (),
            sent=self.here.request_tabs.read_rules,
            since=self.place.reads.kept_at,
            changed=self.model.changes,
            revision=opened.space.revision,
        )

    # Status

    @action(
        "W",
        "draft or open",
        word="draft",
        unless=(is_merged, may_not_change),
        show=2,
        uses=("update_change_request", "get_change_request"),
        group="Request",
        now=while_free("draft or open", is_merged),
    )
    async def toggle_draft(self) -> None:
        """Make a draft open for review, or an open one a draft again."""
        opened = self.model.known
        await self._set_status("open" if opened.request.status != "open" else "draft")

    @command("archive", uses=("update_change_request", "get_change_request"))
    async def archive(self, rest: str) -> None:
        """Archive this change request; :reopen brings it back."""
        await self._set_status("archived")

    @command("reopen", uses=("update_change_request", "get_change_request"))
    async def reopen(self, rest: str) -> None:
        """Open this change request again."""
        await self._set_status("open")

    @command("draft", uses=("update_change_request", "get_change_request"))
    async def make_draft(self, rest: str) -> None:
        """Make this change request a draft."""
        await self._set_status("draft")

    async def _set_status(self, status: ChangeRequestWritableStatus) -> None:
        opened = self.model.opened
        why = is_merged(self.here) or may_not_change(self.here)
        if opened is None or why is not None:
            self.place.say(why or "", "warn")
            return
        before = opened.request.status
        if before == status:
            self.place.say(f"{self.model.numbered} is {status} already.", "warn")
            return
        row, words = row_of(opened.request), {"open": "Open", "draft": "Make a draft"}
        what = words.get(status, "Archive")
        await set_status(self.place, row, status, what, f"{row.label} is {status} now.")
        self.place.reload()

    # Update and merge

    @action(
        "U",
        "update",
        unless=(up_to_date, may_not_edit),
        danger=2,
        show=7,
        uses=merges.UPDATE_USES,
        group="Request",
        now=while_free("update", is_merged),
    )
    async def update(self) -> None:
        """Pull what happened in main into this change request, after asking.

        Where it is known to conflict it leads to where that is settled.
        """
        await self._update()

    async def _update(self) -> None:
        opened = self.model.known
        space, request = opened.space.id, opened.request
        session = self.place.session
        known = self.model.unsettled or self.model.is_stuck(session.stuck)
        if known or await is_cut_off(session, space, request.id):
            await self._settle("")
            return
        sheet = Confirm(
            f"Update #{request.number} from main",
            [
                Text(shown_subject(request.subject)),
                f"What changed in {clean(opened.space.title)} since is pulled into it.",
                "Where both sides changed the same lines, you settle that next.",
            ],
            verb="update",
        )
        if not await self.place.desk.push_screen_wait(sheet):
            return

        target = f"#{request.number} {clean(request.subject)}"
        done = f"Updated #{request.number} from main."
        try:
            await self.place.writer.perform(
                "Update from main",
                target,
                lambda api: update_whole(session, api, space, request.id),
                look=lambda api: not_updated(api, space, request.id),
                done=done,
                recall=True,
            )
        except WriteError as error:
            clash = error.__cause__
            if not isinstance(clash, ConflictedError):
                raise
            self.place.session.hold_stuck(clash.moment)
            before = opened.request
            await keep_joined(self.place.session, clash, base_of(before), before.revision)
            self.place.reload()
            await self._settle("")
            return
        self.place.reload()

    @action("m", "merge", unless=is_merged, danger=2, uses="merge_change_request", show=8,
            group="Request", now=while_free("merge", is_merged))  # fmt: skip
    async def merge(self) -> None:
        """Merge into main, with a dialog of rules, warnings and the result."""
        opened = self.model.known
        cut_off = await is_cut_off(self.place.session, opened.space.id, opened.request.id)
        if cut_off or self.model.unsettled:
            await self._settle(MERGES)
            return
        pages = len(self.model.changes)
        sheet = MergeSheet(
            opened.space.id, opened.request.id, unseen=(pages - self.model.seen_count, pages)
        )
        result = cast("str | None", await self.place.desk.push_screen_wait(sheet))
        if result == "update":
            await self._update()
            return
        self.place.reload()
        if result == "conflicts":
            await self._settle(MERGES)

    async def _settle(self, then: str) -> None:
        """Go to the screen that settles conflicts with main; ``then`` is what follows there."""
        space, request = self.model.ids
        target = Target(self.place.organization, space=space, change_request=request)
        await self.place.desk.go("settle", target.but(view=then or None))
        self.model.left_to_settle = True

    @action("T", "label", word="label",
            unless=not_read, danger=1, show=False, group="Request", types=True)  # fmt: skip
    async def mark(self) -> None:
        """Star it, label it or note something about it, on this machine only.

        The list of change requests shows that, and finds it: ``is:starred``, ``label:``.
        """
        opened = self.model.known
        request = opened.request
        name = f"#{request.number} {clean(request.subject)}"
        await edit_marks(self.place, opened.space.id, request.id, name)

    @command("revert", uses=(*merge_revert.USES, *merge_revert.SENDS, "get_current_user"),
            takes="none")  # fmt: skip
    async def revert(self, rest: str) -> None:
        """Revert a merge: a change request makes its pages what they were before it."""
        await self.take_back(rest.strip())

    def resume_draft(self, part: str) -> bool:
        """Ask again why a merge is taken back."""
        if part != "revert":
            return False

        async def ask() -> None:
            await tell_failures(self.place, self.take_back())

        begin(self.place, ask, name="resume draft")
        return True

    async def take_back(self, why: str = "") -> None:
        """Ask for the reason, make the change request, and go to it or to what is to be settled."""
        # The address is enough: the request itself may not be read yet.
        space, request = self.place.target.space, self.place.target.change_request
        if space is None or request is None:
            self.place.say("No change request is chosen.", "warn")
            return
        session = self.place.session
        if not await self.takes_content():
            return

        async def read() -> merge_revert.MergeRevert:
            me = await read_me(await session.ready())
            return await merge_revert.read_merge_revert(session, space, request, me)

        found = await self.place.reads.now("plan", read, "Reading what the merge changed")
        if found is None:
            return
        key = revert_key(space, found.merged.id)
        facts = (*found.lines(), "Nothing changes for readers until it is merged.")
        sheet = WriteSheet(
            f"Revert #{found.merged.number} {clean(found.merged.subject)}: why?",
            key,
            text=why,
            facts=facts,
            verb="make a change request",
        )
        said = cast("str | None", await self.place.desk.push_screen_wait(sheet))
        if said is None:
            return
        made = found.begun
        if made is None:
            me = await read_me(await session.ready())
            body = found.body(said, session.clock())
            made = await begin_request(self.place.writer.send, space, body, me, draft=key)
        work = await merge_revert.begin_merge_revert(session, found, made)
        target = Target(self.place.organization, space=space, change_request=made.id)
        if work.open:
            await self.place.desk.go("settle", target)
            return
        await work.send()
        await self.place.desk.go("review", target)
        self.place.tell(f"#{made.number} reverts it once it is merged.", "good")

    @action("g k", "its cluster", word="cluster", show=False, group="Go", inline=True)
    async def go_cluster(self) -> None:
        """Go to the cluster of questions that this change request answers, else to all clusters."""
        opened = self.model.opened
        cluster = opened.request.conversations_issues_cluster if opened else None
        target = Target(organization=self.place.session.organization, cluster=cluster)
        why = f"#{opened.request.number} answers no cluster. - goes back." if opened else ""
        await go_to_cluster(self.place.desk, target, why)

    @action("g q", "its finding", word="finding",
            show=False, group="Go", inline=True, uses=LOOKED_FOR)  # fmt: skip
    async def go_finding(self) -> None:
        """Go to the finding that this was begun for, else to its topic, or to all findings."""
        desk, opened = self.place.desk, self.model.opened
        topic = opened.request.site_topic if opened else None
        target = Target(organization=self.place.session.organization)
        if opened is None:
            await desk.go("findings", target)
        elif topic is not None and topic.finding is None:
            await desk.go("findings", target.but(site=topic.site, item=topic.topic))
        else:
            known = () if topic is None else (topic.site, topic.finding or "")
            await go_to_finding(self.place, opened.request.id, f"#{opened.request.number}", known)


def no_linked_page(here: HasReview) -> str | None:
    """Say why there is no page in front that has links in this request."""
    change = here.model.change
    if change is None:
        return "Go to a page first."
    if change.thing:
        return f"This is not a page but a {clean(change.thing)}: it has no links."
    if change.after is None:
        return "The change request removes this page: it has no links in it."
    return None


class ImpactCommands(ReviewCommands, scope="review"):
    """The ways from a review to the impact of the request, and to the links of its page."""

    @action("i", "affected pages", word="affected_pages", unless=not_read, show=3, group="Look",
            uses="list_space_page_backlinks")  # fmt: skip
    async def show_impact(self) -> None:
        """See which pages link to what this change request changes, and which links it breaks."""
        await self.place.desk.go("impact", self._target())

    @action("g l", "links of the page", unless=(not_read, no_linked_page), show=False, group="Go",
            word="links", uses="list_change_request_page_links")  # fmt: skip
    async def show_page_links(self) -> None:
        """Read the page as the change request makes it, with its links beside it."""
        await self.place.desk.go("pages", self._target().but(page=self.model.page_id))

    def _target(self) -> Target:
        space, request = self.model.ids
        organization = self.place.organization
        return Target(organization, space=space, change_request=request)


class WalkCommands(ReviewCommands, scope="review"):
    """Walking through the threads of a review, and starting one."""

    @action("}", "next open thread", unless=none_open, show=9, group="Threads")
    def next_thread(self) -> None:
        """Go to the next open thread, over the borders of pages; after the last the first."""
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
                Option(each.id, person_name(each.user), clean(each.user.email or ""))
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

    @action("c", "comment", word="comment", unless=(may_not_comment, no_line), danger=1,
            uses="create_change_request_comment", show=14, group="Threads", types=True)  # fmt: skip
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

    @action("C", "comment on whole", word="comment_on_whole", unless=may_not_comment, danger=1,
            uses="create_change_request_comment", show=5, group="Threads", types=True)  # fmt: skip
    async def comment_whole(self) -> None:
        """Comment on the page in front; ctrl+r makes it the change request as a whole, and back.

        Before the change request has been read, and beside its pages, it is that as a whole.
        """
        change = self.model.change
        whole = Subject(f"Comment on {self.model.numbered}", "request")
        if change is None or change.thing or self.place.view != "changes":
            await self.writing.start_thread(whole)
            return
        title = clean(change.node.title)
        page = Subject(
            f"Comment on the page {title}",
            f"{change.id}/page",
            change.id,
            instead=f"ctrl+r makes it a comment on the change request {self.model.numbered}.",
        )
        whole = replace(whole, instead=f"ctrl+r makes it a comment on the page “{title}”.")

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
        """Send all comments and replies that wait here, after showing them; u undoes them."""
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
            left="leave the rest as drafts",
        )
        sent = cast("int | None", await self.place.desk.push_screen_wait(sheet))
        if sent:
            self.place.tell(f"Sent {plural(sent, 'draft')}. u undoes them.", "good")

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
                "The page of this draft is no longer changed by this change request.", "warn"
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

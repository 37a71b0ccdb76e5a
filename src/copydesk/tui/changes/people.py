"""Verdicts and reviewers from the list of change requests, as in the review of one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from rich.text import Text

from copydesk.domain.text import listed, plural
from copydesk.present.change_filter import open_threads
from copydesk.session.cached_reads import live_or_cached
from copydesk.session.change_rows import RULES, ChangeRow
from copydesk.session.draft_keys import marked_verdict_key, review_key
from copydesk.session.members import name_of
from copydesk.session.operations import ops
from copydesk.session.writes.bulk import Bulk
from copydesk.session.writes.comments import review_drafts
from copydesk.session.writes.requests import FINAL, NO_REVIEWS, VERBS, verdict
from copydesk.tui.changes.guards import nothing_selected
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.merge import requests
from copydesk.tui.widgets.marks import unless_marked

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.enumerations import ReviewStatus
    from copydesk.contract.models.review import RequestedReviewer
    from copydesk.tui.changes.screen import ChangesPlace

NAMED = 6
"""So many of the marked change requests are named where words for all are written."""


def may_not_review(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when the reader may give no verdict on the row, or there are none."""
    row = row or here.rows.selected
    known = None if row is None else here.known.details(row)
    if row is None:
        return None
    if known is not None and RULES in known.parts and known.verdicts is None:
        return NO_REVIEWS
    if row.status not in ("open", "draft"):
        return f"{row.label} is {row.status} and takes no review."
    if here.known.may(row, "review") is False:
        return f"You may not review in {here.known.space_title(row.space)}."
    return None


def nobody_is_asked(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when the service asks nobody for reviews."""
    row = row or here.rows.selected
    known = None if row is None else here.known.details(row)
    if known is not None and RULES in known.parts and known.asked is None:
        return "This service does not ask people for reviews."
    if row is not None and row.status not in ("open", "draft"):
        return f"{row.label} is {row.status} and takes no review."
    return None


class PeopleCommands(Commands, scope="changes"):
    """Gives verdicts, and asks others for theirs."""

    place: ChangesPlace

    def reply_values(self) -> Mapping[str, str]:
        row = self.place.rows.selected
        if row is None or self.place.rows.marks:  # what is written goes to each of the marked
            return {}
        space = self.place.known.space_title(row.space)
        return {
            "author": row.author, "number": row.label, "space": space, "subject": row.subject,
        }  # fmt: skip

    @action(
        "a", "approve", unless=unless_marked(nothing_selected, may_not_review), danger=1, show=17,
        group="Write", uses=("create_change_request_review",), types=True, takes="marked",
    )  # fmt: skip
    async def approve(self) -> None:
        """Approve it, with a comment or without; ctrl+s in the sheet sends that.

        With marked rows: all of these, with one comment for all, behind a sheet.
        """
        await self._verdict("approved")

    @action(
        "A", "ask for changes", unless=unless_marked(nothing_selected, may_not_review), danger=1,
        show=5, group="Write", uses=("create_change_request_review",), types=True, takes="marked",
    )  # fmt: skip
    async def ask_for_changes(self) -> None:
        """Ask for changes, with a comment or without.

        With marked rows: in all of these, with one comment for all, behind a sheet.
        """
        await self._verdict("changes-requested")

    async def _verdict(self, status: ReviewStatus) -> None:
        from copydesk.tui.dialogs.composer import WriteSheet

        if self.place.rows.marks:
            await self._verdict_on_marked(status)
            return
        row = self.place.rows.selected
        if row is None:
            return
        key = review_key(row.space, row.id, f"verdict {status}")
        waiting = await asyncio.to_thread(review_drafts, self.place.session, row.space, row.id)
        sheet = WriteSheet(VERBS[status], key, facts=self._facts(row, len(waiting)), verdict=True)
        said = cast("str | None", await self.place.desk.push_screen_wait(sheet))
        if said is None:
            return
        write = verdict(row, status, said, self.place.session.me)
        await self.place.writer.send(write, draft=key, recall=True)
        self._others_now(row)

    def _label(self, row: ChangeRow, *, several: bool) -> str:
        """Return how one of the marked is named: numbers are counted in each space."""
        title = self.place.known.space_title(row.space) if several else ""
        return f"{row.label} in {title}" if title else row.label

    async def _verdict_on_marked(self, status: ReviewStatus) -> None:
        """Ask for the words, then give the verdict on all marked rows, each with its result."""
        from copydesk.tui.dialogs.composer import WriteSheet

        rows, key = self.place.rows.marked_rows(), marked_verdict_key(status)
        verb = VERBS[status]
        several = len({row.space for row in rows}) > 1
        labels = [self._label(row, several=several) for row in rows[:NAMED]]
        if len(rows) > NAMED:
            labels.append(f"{len(rows) - NAMED} more")
        facts = (
            Text(f"{plural(len(rows), 'marked change request')}: {listed(labels)}", style="strong"),
            "What you write goes to each. Nothing is sent yet: the next sheet lists them.",
        )
        sheet = WriteSheet(verb, key, facts=facts, verdict=True)
        said = cast("str | None", await self.place.desk.push_screen_wait(sheet))
        if said is None:
            return

        async def send(row: ChangeRow, group: str) -> None:
            write = verdict(row, status, said, self.place.session.me)
            await self.place.writer.send(write, group=group)
            self.place.known.forget(row)

        def ended(failed: bool) -> None:
            if not failed:
                self.place.session.drafts.drop(key)
            self._marked_now()

        await self.place.do_to_marked(Bulk(verb, (may_not_review,), send, FINAL, ended))

    def _facts(self, row: ChangeRow, waiting: int) -> tuple[str | Text, ...]:
        facts: list[str | Text] = [Text(row.named, style="strong")]
        if count := open_threads(row, self.place.known.details(row)):
            facts.append(plural(count, "open thread"))
        if waiting:
            facts.append(
                f"{plural(waiting, 'comment')} of yours not sent: they go along in the review "
                "(Enter)."
            )
        facts.append(FINAL)
        return tuple(facts)

    def _others_now(self, row: ChangeRow) -> None:
        """Read again what depends on reviews: these change no row."""
        self.place.known.forget(row)
        self._marked_now()

    def _marked_now(self) -> None:
        """Do the same for rows whose details are forgotten already."""
        self.place.known.forget_asked()
        if self.place.is_attached:
            self.place.after_write()
            self.place.triage.check()
            self.place.look()

    @action(
        "w", "reviewers", unless=unless_marked(nothing_selected, nobody_is_asked), danger=1, show=4,
        group="Write", uses=requests.USES, takes="marked",
    )  # fmt: skip
    async def reviewers(self) -> None:
        """Choose who is asked for a review: ticked people are asked, others no longer.

        With marked rows: ticked people are asked for all of these too, and nobody is taken off.
        """
        if self.place.rows.marks:
            await self._ask_for_marked()
            return
        row = self.place.rows.selected
        if row is None:
            return

        async def asked(api: Api) -> list[RequestedReviewer]:
            pages = api.pages(ops.list_requested_reviewers, row.space, row.id, limit=100)
            return [each async for each in pages]

        found = await live_or_cached(self.place.session, asked)
        await self.place.session.ready()
        organization = self.place.scope.organization
        await requests.ask_reviewers(
            self.place,
            organization=organization,
            space=row.space,
            request=row.id,
            label=row.label,
            author=row.author_id,
            before=found.result,
            sent=lambda: self._others_now(row),
            since=found.at,
        )

    async def _ask_for_marked(self) -> None:
        """Let the reader tick who is asked for a review of all marked rows, and ask them."""
        await self.place.session.ready()
        organization = self.place.scope.organization
        count = plural(len(self.place.rows.marks), "marked change request")
        people = await requests.choose_reviewers(
            self.place, organization, f"Ask to review {count} (nobody is taken off)"
        )
        if not people:
            return
        names = listed([name_of(user) for user in people.values()])

        async def send(row: ChangeRow, group: str) -> None:
            await requests.ask_more(
                self.place, row.space, row.id, row.label, row.author_id, people, group=group
            )
            self.place.known.forget(row)

        said = f"This asks {names} for a review; u takes it back."
        await self.place.do_to_marked(
            Bulk("Ask", (nobody_is_asked,), send, said, lambda failed: self._marked_now())
        )

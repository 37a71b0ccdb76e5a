"""Verdicts and reviewers from the list of change requests, as in the review of one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Literal, cast

from rich.text import Text

from copydesk.domain.text import plural
from copydesk.tui import reviewers
from copydesk.tui.actions import action
from copydesk.tui.draft_keys import review_key
from copydesk.tui.present.change_filter import RULES
from copydesk.tui.present.change_request import ChangeRow, open_threads
from copydesk.tui.screens.changes_bulk import ChangesBulk
from copydesk.tui.screens.changes_guards import nothing_selected

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.review import Review
    from copydesk.contract.models.user import User


def may_not_review(here: ChangesPeople) -> str | None:
    """Say so when the reader may give no verdict on the row, or there are none."""
    row = here.rows.selected
    known = None if row is None else here.known(row)
    if row is None:
        return None
    if known is not None and RULES in known.parts and known.verdicts is None:
        return "This service offers no reviews."
    if row.status not in ("open", "draft"):
        return f"{row.label} is {row.status} and takes no review."
    if here.may(row, "review") is False:
        return f"You may not review in {here.space_title(row.space)}."
    return None


def nobody_is_asked(here: ChangesPeople) -> str | None:
    """Say so when the service asks nobody for reviews."""
    row = here.rows.selected
    known = None if row is None else here.known(row)
    if known is not None and RULES in known.parts and known.asked is None:
        return "This service does not ask people for reviews."
    if row is not None and row.status not in ("open", "draft"):
        return f"{row.label} is {row.status} and takes no review."
    return None


class ChangesPeople(ChangesBulk, scope="changes_people"):
    """Gives verdicts, and asks others for theirs."""

    @action(
        "a", "approve", unless=(nothing_selected, may_not_review), danger=1, show=17,
        group="Write", uses=("create_change_request_review",), types=True,
    )  # fmt: skip
    async def approve(self) -> None:
        """Approve it, with a comment or without; ctrl+s in the sheet sends that."""
        await self._verdict("approved")

    @action(
        "A", "ask for changes", unless=(nothing_selected, may_not_review), danger=1, show=5,
        group="Write", uses=("create_change_request_review",), types=True,
    )  # fmt: skip
    async def ask_for_changes(self) -> None:
        """Ask for changes, with a comment or without."""
        await self._verdict("changes-requested")

    async def _verdict(self, status: Literal["approved", "changes-requested"]) -> None:
        from copydesk.contract import operations as ops
        from copydesk.contract.models.comment import MarkdownBody
        from copydesk.contract.models.review import ReviewCreate
        from copydesk.domain.rechecks import still_judged, verdict_trace
        from copydesk.tui.pending import review_drafts
        from copydesk.tui.widgets.verdict_sheet import VerdictSheet

        row = self.rows.selected
        if row is None:
            return
        good, me = status == "approved", self.session.me
        key = review_key(row.space, row.id, f"verdict {status}")
        waiting = await asyncio.to_thread(review_drafts, self.session, row.space, row.id)
        sheet = VerdictSheet(
            "Approve" if good else "Ask for changes", key, facts=self._facts(row, len(waiting))
        )
        said = cast("str | None", await self.desk.push_screen_wait(sheet))
        if said is None:
            return
        body = ReviewCreate(status=status)
        if said:
            body = ReviewCreate(status=status, comment=MarkdownBody(markdown=said))

        async def send(api: Api) -> Review:
            return await api(ops.create_change_request_review, row.space, row.id, body)

        done = f"Approved {row.label}" if good else f"Asked for changes in {row.label}"
        await self.perform(
            "Approve" if good else "Ask for changes",
            row.named,
            send,
            done=f"{done}; a verdict cannot be undone.",
            expects=still_judged(
                row.space, row.id, row.revision, subject=row.said, status=row.status
            ),
            trace=None
            if me is None
            else verdict_trace(
                row.space, row.id, row.revision, me=me.id, status=status, words=said
            ),
            draft=key,
            recall=True,
        )
        self._others_now(row)

    def _facts(self, row: ChangeRow, waiting: int) -> tuple[str | Text, ...]:
        facts: list[str | Text] = [Text(row.named, style="strong")]
        if count := open_threads(row, self.known(row)):
            facts.append(plural(count, "open thread"))
        if waiting:
            facts.append(
                f"{plural(waiting, 'comment')} of yours not sent: they go along in the review "
                "(Enter)."
            )
        facts.append("A verdict cannot be taken back, only replaced by another.")
        return tuple(facts)

    def _others_now(self, row: ChangeRow) -> None:
        """Read again what depends on reviews: these change no row."""
        self.forget_details(row)
        self._asked_old = True
        if self.is_attached:
            self.after_write()
            self.check()
            self.look()

    @action(
        "w", "reviewers", unless=(nothing_selected, nobody_is_asked), danger=1, show=4,
        group="Write", uses=reviewers.USES,
    )  # fmt: skip
    async def reviewers(self) -> None:
        """Choose who is asked for a review: ticked people are asked, others no longer."""
        from copydesk.contract import operations as ops
        from copydesk.tui.kept import live_or_kept

        row = self.rows.selected
        if row is None:
            return

        async def asked(api: Api) -> dict[str, User]:
            pages = api.pages(ops.list_requested_reviewers, row.space, row.id, limit=100)
            return {each.user.id: each.user async for each in pages}

        found = await live_or_kept(self.session, asked)
        organization = (await self.scope(await self.session.ready())).organization
        await reviewers.ask_reviewers(
            self,
            organization=organization,
            space=row.space,
            request=row.id,
            label=row.label,
            author=row.author_id,
            before=found.result,
            sent=lambda: self._others_now(row),
            since=found.at,
        )

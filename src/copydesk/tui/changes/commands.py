"""What can be done with change requests from their list: open, order, write, merge, snooze."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias, cast

from rich.text import Text

from copydesk.domain.own_command import Thing
from copydesk.domain.snooze import LENGTHS, next_snooze, snooze_of
from copydesk.domain.text import few, listed, plural
from copydesk.present import change_request as present
from copydesk.present.change_request import open_threads
from copydesk.present.facts import hint
from copydesk.session.cached_reads import live_or_cached
from copydesk.session.change_rows import RULES, ChangeRow, request_thing
from copydesk.session.draft_keys import marked_verdict_key, review_key
from copydesk.session.marks import snooze_reversal
from copydesk.session.names import person_name
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.target import Target
from copydesk.session.writes.bulk import REVERSIBLE, Bulk, NothingToDoError
from copydesk.session.writes.comments import review_drafts
from copydesk.session.writes.log import WriteError
from copydesk.session.writes.requests import (
    FINAL,
    NO_REVIEWS,
    OWN,
    VERBS,
    is_as_read,
    not_yours,
    verdict,
)
from copydesk.tui.conversations.rows import go_to_cluster
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import Confirm
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.merge import request_edits
from copydesk.tui.widgets.list import no_row, unless_marked

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.enumerations import ReviewStatus
    from copydesk.contract.models.review import RequestedReviewer
    from copydesk.domain.snooze import Snooze
    from copydesk.tui.changes.screen import ChangesPlace


Why: TypeAlias = "Callable[[ChangesPlace, ChangeRow | None], str | None]"
"""Why an action on a row is off, or None; without a row it is asked of the one under the cursor."""


def nothing_selected(here: ChangesPlace) -> str | None:
    """Say so when the cursor is on no change request."""
    return no_row(here.rows, "Put the cursor on a change request first.")


def is_merged(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when it is merged: that is the end of it."""
    row = row or here.rows.selected
    return f"{row.label} is merged: that cannot change." if row and row.status == "merged" else None


def is_archived(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when it is archived."""
    row = row or here.rows.selected
    return f"{row.label} is archived: x reopens it." if row and row.status == "archived" else None


def is_draft(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when it is a draft, which cannot merge."""
    row = row or here.rows.selected
    return f"{row.label} is a draft: W makes it open." if row and row.status == "draft" else None


def is_current(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when there is nothing to pull in."""
    row = row or here.rows.selected
    return f"{row.label} is up to date." if row is not None and not row.outdated else None


def is_stuck(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when an update conflicted and would again."""
    row = row or here.rows.selected
    if row is None or not here.details.stuck(row):
        return None
    return f"{row.label} conflicts with main; to update it again changes nothing."


def _lacks(here: ChangesPlace, right: str, row: ChangeRow | None) -> str | None:
    row = row or here.rows.selected
    if row is None or here.known.may(row, right) is not False:
        return None
    return f"You may not {right} in {here.known.space_title(row.space)}."


def may_not_edit(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when the reader may not edit in its space."""
    return _lacks(here, "edit", row)


def may_not_merge(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when the reader may not merge in its space."""
    return _lacks(here, "merge", row)


def may_not_change(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when it is not the reader's own, and the reader may not merge either."""
    row, me = row or here.rows.selected, here.session.me
    own = row is not None and me is not None and row.author_id == me.id
    if own:
        return may_not_edit(here, row)
    why = may_not_merge(here, row)
    return why and not_yours(why)


def no_rows(here: ChangesPlace) -> str | None:
    """Say so when there is nothing to order."""
    return None if here.rows.length else "There is nothing to sort."


def is_open(here: ChangesPlace, row: ChangeRow | None = None) -> str | None:
    """Say so when it is open already."""
    row = row or here.rows.selected
    return f"{row.label} is open already." if row and row.status == "open" else None


class ChangeCommands(Commands, scope="changes"):
    """Opens change requests, orders them, and writes what all of them can be."""

    place: ChangesPlace

    # Opening

    @action("d", "diff", word="diff", unless=nothing_selected, show=29, group="Go",
            uses=("get_change_request", "get_change_request_changes"))  # fmt: skip
    async def open_changes(self) -> None:
        """Open the review straight on what changes; Enter opens it on its overview."""
        row = self.place.rows.selected
        if row is not None:
            await self.place.desk.go("review", self.place.aim(row, "changes"))

    @action("g k", "cluster", word="cluster", show=False, group="Go")
    async def open_cluster(self) -> None:
        """Go to the cluster that this change request answers, or to all clusters."""
        row = self.place.rows.selected
        organization = self.place.organization
        cluster = row.cluster if row is not None and row.cluster else None
        target = Target(organization=organization, cluster=cluster)
        why = "" if row is None else f"#{row.number} answers no cluster. - goes back."
        await go_to_cluster(self.place.desk, target, why)

    @action("g q", "finding", word="finding", show=False, group="Go")
    async def open_finding(self) -> None:
        """Go to the finding that this change request names, or to all findings."""
        row = self.place.rows.selected
        target = Target(organization=self.place.organization)
        if row is None or not row.finding:
            await self.place.desk.go("findings", target)
        else:
            site, finding = row.finding.split(" ")
            await self.place.desk.go("finding", target.but(site=site, item=finding))

    @action("i", "details", show=False, group="Look")
    def details(self) -> None:
        """Go to the details; Tab comes back."""
        self.place.remove_class("-no-side")
        self.place.desk.step_pane(1)
        self.place.details.look_at_links()

    @action(
        "Y", "copy…", unless=unless_marked(nothing_selected), show=False, group="Share",
        override=True, takes="marked",
    )  # fmt: skip
    async def copy_menu(self) -> None:
        """Choose what to copy: number, subject, id; the address and a link where there is one.

        Of marked rows one below the other.
        """
        await self.place.common.copy_menu()

    # Order

    @action("s", "sort", word="sort", unless=no_rows, show=8, group="Look")
    async def choose_sort(self) -> None:
        """Choose the order. Any but the last updated first reads the whole list."""
        options = [
            Option(sort, order.title)
            for sort, order in present.ORDERS.items()
            if sort != "space" or self.place.target.space is None
        ]
        chosen = await self.place.desk.push_screen_wait(
            Choice("Sort change requests by", options, current=self.place.sort)
        )
        if chosen is not None:
            self.place.sort_by(chosen, backwards=False)

    @action("S", "reverse sort", unless=no_rows, show=False, group="Look")
    def reverse_sort(self) -> None:
        """Turn the order round."""
        self.place.sort_by(self.place.sort, backwards=not self.place.backwards)

    # Writing

    async def set_status(
        self,
        row: ChangeRow,
        status: Literal["open", "draft", "archived"],
        what: str,
        done: str,
        group: str = "",
    ) -> None:
        """Give a row another status. Raises `WriteError`."""
        await request_edits.set_status(
            self.place, row, status, what, done, group=group, then=self.place.adopt
        )
        if not group:
            self.place.after_write()

    def _bulk_status(
        self,
        verb: str,
        status: Literal["open", "draft", "archived"],
        unless: Sequence[Why],
    ) -> Bulk:
        async def send(row: ChangeRow, group: str) -> None:
            await self.set_status(row, status, verb, f"{verb}: {row.label}", group)

        return Bulk(verb, unless, send, REVERSIBLE)

    @action(
        "x", "archive/reopen",
        unless=unless_marked(nothing_selected, is_merged, may_not_change), show=18,
        group="Write", uses="update_change_request", takes="marked",
    )  # fmt: skip
    async def archive(self) -> None:
        """Archive it, or reopen one that is archived; u undoes it.

        With marked rows: all of these, with a dialog.
        """
        row, rows = self.place.rows.selected, self.place.rows.marked_rows()
        if rows and all(each.status == "archived" for each in rows):
            reopen = self._bulk_status("Reopen", "open", (is_merged, may_not_change))
            await self.place.do_to_marked(reopen)
        elif rows:
            await self.place.do_to_marked(
                self._bulk_status("Archive", "archived", (is_merged, is_archived, may_not_change))
            )
        elif row is None:
            return
        elif row.status == "archived":
            await self.set_status(row, "open", "Reopen", f"{row.label} is open again.")
        else:
            await self.set_status(row, "archived", "Archive", f"Archived {row.label}.")

    @action(
        "W", "draft/open", word="draft",
        unless=unless_marked(nothing_selected, is_merged, is_archived, may_not_change),
        show=12, group="Write", uses="update_change_request", takes="marked",
    )  # fmt: skip
    async def toggle_draft(self) -> None:
        """Make a draft open for review, or an open one a draft; u undoes it.

        With marked rows: the drafts among them are made open; where there are none, all are drafts.
        """
        row, rows = self.place.rows.selected, self.place.rows.marked_rows()
        if any(each.status == "draft" for each in rows):
            await self.place.do_to_marked(
                self._bulk_status("Open", "open", (is_merged, is_archived, is_open, may_not_change))
            )
        elif rows:
            await self.place.do_to_marked(
                self._bulk_status("Make a draft", "draft", (is_merged, is_archived, may_not_change))
            )
        elif row is None:
            return
        elif row.status == "draft":
            await self.set_status(row, "open", "Open", f"{row.label} is open for review.")
        else:
            await self.set_status(row, "draft", "Make a draft", f"{row.label} is a draft.")

    @action(
        "U", "update",
        unless=unless_marked(nothing_selected, is_merged, is_archived, is_current, may_not_edit),
        danger=2, show=14, group="Write",
        uses=("pull_change_request_updates", "get_change_request", "get_space"), takes="marked",
    )  # fmt: skip
    async def update(self) -> None:
        """Pull main into it. Where both changed the same lines, nothing changes.

        With marked rows: all of these, with a dialog.
        """
        row = self.place.rows.selected
        if self.place.rows.marks:
            await self.place.do_to_marked(
                Bulk(
                    "Update",
                    (is_merged, is_archived, is_current, is_stuck, may_not_edit),
                    lambda each, group: _pull(
                        self.place, each, f"Updated {each.label}.", group=group
                    ),
                    "An update cannot be undone. Where both sides changed the same lines, "
                    "nothing is written.",
                )
            )
        elif row is not None:
            await update_row(self.place, row)


async def _pull(
    place: ChangesPlace, row: ChangeRow, done: str, *, group: str = "", recall: bool = False
) -> None:
    """Pull main into a row. Raises `WriteError`, from `ConflictedError` where it conflicts."""
    from copydesk.session.settlement import update_whole
    from copydesk.session.writes import merges

    try:
        now = await place.writer.perform(
            "Update",
            row.named,
            lambda api: update_whole(place.session, api, row.space, row.id),
            look=lambda api: merges.not_updated(api, row.space, row.id),
            group=group,
            recall=recall,
            done=done,
        )
    except WriteError as error:
        clash = error.__cause__
        if isinstance(clash, merges.ConflictedError):
            place.session.hold_stuck(clash.moment)
            place.known.forget(row)
            place.adopt(clash.request)
        raise
    place.adopt(now)


async def update_row(place: ChangesPlace, row: ChangeRow) -> None:
    """Pull main into a row after a ``y``; what conflicts is shown. Raises `WriteError`."""
    from copydesk.session.settlement import is_cut_off, keep_joined
    from copydesk.session.writes import merges

    if place.details.stuck(row) or await is_cut_off(place.session, row.space, row.id):
        await settle_row(place, row)
        return
    sheet = Confirm(
        f"Update {row.label} from main",
        [
            Text(row.subject, style="strong"),
            "",
            f"Main of {place.known.spaces.title(row.space)} has moved on since this was "
            "started or last updated. What changed there is merged in, page by page and line "
            "by line.",
            "Where both changed the same lines, nothing is written and you see the conflicts.",
        ],
        verb="update",
        warning="An update cannot be undone.",
    )
    if not await place.desk.push_screen_wait(sheet):
        return

    try:
        await _pull(place, row, f"Updated {row.label}: it has all of main now.", recall=True)
    except WriteError as error:
        clash = error.__cause__
        if not isinstance(clash, merges.ConflictedError):
            raise
        await keep_joined(place.session, clash, row.base, row.revision)
        place.after_write()
        await settle_row(place, row)
    else:
        place.after_write()


async def settle_row(place: ChangesPlace, row: ChangeRow, then: str | None = None) -> None:
    """Go to where what conflicts with main is settled, and what follows that."""
    target = Target(space=row.space, change_request=row.id, view=then)
    await place.desk.go("settle", target)


NAMED_LEFT_OUT = 4
"""So many of the rows that are left out are named."""


def merge_label(here: ChangesPlace) -> str:
    """Return the label of m by what it does now."""
    return f"merge {len(here.rows.marks)}" if here.rows.marks else "merge"


ONE = (nothing_selected, is_merged, is_archived, is_draft, may_not_merge)
"""What keeps the request under the cursor from being merged."""


class MergeCommands(Commands, scope="changes"):
    """Merging one, or the marked ones one after the other: that is planned in the merge run."""

    place: ChangesPlace

    @action(
        "m", "merge",
        unless=unless_marked(*ONE),
        danger=2, show=20, group="Write", now=merge_label,
        uses=("merge_change_request", "get_change_request"), takes="marked",
    )  # fmt: skip
    async def merge(self) -> None:
        """Merge it with a dialog that shows its rules; marked ones are planned as a merge run."""
        if self.place.rows.marks:
            await self._plan()
        else:
            await self._merge_one()

    @action("M", "merge run", word="merge_run", show=9, group="Go", override=True, takes="marked")
    async def open_merge_run(self) -> None:
        """Go to the merge run; marked rows join its plan first, in the order of the list."""
        if self.place.rows.marks:
            await self._plan()
        else:
            await self.place.common.open_merge_run()

    async def _merge_one(self) -> None:
        """Merge the one under the cursor, behind a sheet that shows its rules and the result."""
        from copydesk.session.settlement import is_cut_off
        from copydesk.tui.merge.dialog import MergeSheet
        from copydesk.tui.merge.settle import MERGES

        row = self.place.rows.selected
        if row is None:
            return
        if await is_cut_off(self.place.session, row.space, row.id):
            await settle_row(self.place, row, MERGES)
            return
        result: str | None = await self.place.desk.push_screen_wait(MergeSheet(row.space, row.id))
        if result == "update":
            await update_row(self.place, row)
            return
        await self.place.reread(await self.place.session.ready(), row)
        self.place.after_write()
        if result == "conflicts":
            await settle_row(self.place, row, MERGES)

    async def _plan(self) -> None:
        rows, left_out = self._marked_rows()
        if not rows:
            self.place.say(f"None of them can be merged: {left_out}", "warn")
            return
        self.place.session.asks()
        if why := await self.place.desk.merging.plan(rows, self.place.known.space_title):
            self.place.say(why, "warn")
            return
        shown = self.place.rows.source.index_of
        hidden = sum(shown(row.id) is None for row in rows)
        self.place.rows.set_marks(())
        await self.place.desk.go("merge-run")
        there = self.place.desk.here
        if there is not None and (left_out or hidden):
            said = plural(len(rows), "change request") + " queued"
            said += f", {hidden} of them hidden by the filter." if hidden else "."
            there.say(f"{said} Left out: {left_out}" if left_out else said, "warn")

    def _marked_rows(self) -> tuple[list[ChangeRow], str]:
        """Return the marked rows that can be queued, and what to say of the others."""
        rows, others = [], []
        for row in self.place.rows.marked_rows():
            if row.status == "open":
                rows.append(row)
            else:
                others.append(f"{row.label} is {row.status}")
        if len(others) > NAMED_LEFT_OUT:
            others[NAMED_LEFT_OUT:] = [f"{len(others) - NAMED_LEFT_OUT} more are not open"]
        return rows, f"{listed(others)}." if others else ""


AWAKE = "not snoozed"
"""Stands among the lengths for no sleep at all."""


def _next(snooze: Snooze) -> str:
    """Return what asking once more makes of it."""
    after = snooze.step + 1
    return LENGTHS[after][0] if after < len(LENGTHS) else AWAKE


def nothing_sleeps(here: ChangesPlace) -> str | None:
    """Say so when nothing sleeps."""
    return (
        None
        if here.triage.sleepers or here.triage.show_snoozed
        else "Nothing is snoozed. b snoozes."
    )


class SnoozeCommands(Commands, scope="changes"):
    """Puts change requests aside: what sleeps is not shown, unless the reader wants to see it."""

    place: ChangesPlace

    @action(
        "b", "snooze", unless=unless_marked(nothing_selected), show=16, group="Write",
        takes="marked",
    )  # fmt: skip
    async def snooze(self) -> None:
        """Put it aside until it is edited; again for 1 day, 3 days, 1 week, and then wake it.

        Comments do not wake it: the service does not count them as a change. That is saved on this
        machine only. It goes with ``.`` and comes back by itself; ``B`` shows what sleeps, ``u``
        undoes it. With marked rows: choose for how long, for all of these.
        """
        if self.place.rows.marks:
            await self._snooze_marked()
            return
        row = self.place.rows.selected
        if row is None:
            return
        before = self.place.triage.sleepers.get(row.id)
        after = next_snooze(before, row.updated, self.place.session.clock())
        await self._put(row, after, "" if after is None else f"; b again: {_next(after)}")
        self.slept()

    async def _put(
        self, row: ChangeRow, after: Snooze | None, again: str = "", group: str = ""
    ) -> None:
        """Let a row sleep, or wake it. Raises `WriteError` when the disk refuses."""
        sleepers = self.place.session.snoozed
        before = sleepers.held.get(row.id)

        async def send(api: Api) -> None:
            await sleepers.put(row.id, after)

        await self.place.writer.perform(
            "Wake" if after is None else "Snooze",
            row.named,
            send,
            reversal=snooze_reversal(row.id, before, after),
            group=group,
            done=(
                f"{row.label} is not snoozed any more."
                if after is None
                else f"Snoozed {row.label} {LENGTHS[after.step][0]}{again}."
            ),
        )

    async def _snooze_marked(self) -> None:
        """Choose for how long the marked rows sleep, or wake them; each has its result."""
        count = plural(len(self.place.rows.marks), "marked change request")
        options = [Option(str(step), length) for step, (length, _) in enumerate(LENGTHS)]
        options.append(Option(AWAKE, "wake them"))
        chosen = await self.place.desk.push_screen_wait(Choice(f"Snooze {count}", options))
        if not chosen:
            return

        async def send(row: ChangeRow, group: str) -> None:
            if chosen == AWAKE and row.id not in self.place.triage.sleepers:
                raise NothingToDoError("it is not snoozed")
            now = self.place.session.clock()
            after = None if chosen == AWAKE else snooze_of(int(chosen), row.updated, now)
            await self._put(row, after, group=group)

        verb = "Wake" if chosen == AWAKE else f"Snooze {LENGTHS[int(chosen)][0]}"
        await self.place.do_to_marked(Bulk(verb, (), send, REVERSIBLE, lambda failed: self.slept()))

    def slept(self) -> None:
        """Show that something sleeps or woke, where it is."""
        if not self.place.is_attached:
            return
        self.place.rows.refresh_rows()
        if not self.place.rows.source.filtering:
            self.place.triage.judge_again(keep=True)
        else:
            self.place.rows.source.base.notify("rows")
        self.place.triage.count_views()

    @action("B", "show snoozed", unless=nothing_sleeps, show=False, group="Look")
    def show_snoozed(self) -> None:
        """Show what sleeps too, or hide it again."""
        self.place.triage.show_snoozed = not self.place.triage.show_snoozed
        self.place.triage.judge_again()
        self.place.say(
            "What is snoozed is shown."
            if self.place.triage.show_snoozed
            else "What is snoozed is hidden."
        )


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


_JUDGED_BY = ("create_change_request_review", "get_change_request")


class PeopleCommands(Commands, scope="changes"):
    """Gives verdicts, and asks others for theirs."""

    place: ChangesPlace

    def things(self) -> Sequence[Thing]:
        known = self.place.known
        chosen = self.place.rows.chosen()
        return [request_thing(row, known.space_title(row.space)) for row in chosen]

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
        group="Write", uses=_JUDGED_BY, types=True, takes="marked",
    )  # fmt: skip
    async def approve(self) -> None:
        """Approve it, with a comment or without; ctrl+s in the dialog sends that.

        With marked rows: all of these, with one comment for all, with a dialog.
        """
        await self._verdict("approved")

    @action(
        "A", "ask for changes", unless=unless_marked(nothing_selected, may_not_review), danger=1,
        show=5, group="Write", uses=_JUDGED_BY, types=True, takes="marked",
    )  # fmt: skip
    async def ask_for_changes(self) -> None:
        """Ask for changes, with a comment or without.

        With marked rows: in all of these, with one comment for all, with a dialog.
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
        facts = (*self._facts(row, len(waiting)), *await self._edited([row]), FINAL)
        sheet = WriteSheet(VERBS[status], key, facts=facts, verdict=True)
        said = cast("str | None", await self.place.desk.push_screen_wait(sheet))
        if said is None:
            return
        as_read = await is_as_read(self.place.session, row)
        write = verdict(row, status, said, self.place.session.me)
        await self.place.writer.send(write, draft=key, recall=True, aged=not as_read)
        self._others_now(row)

    def _labels(self, rows: Sequence[ChangeRow], marked: Sequence[ChangeRow]) -> str:
        """Return what some of the marked are called: numbers are counted in each space."""
        several = len({row.space for row in marked}) > 1
        labels = []
        for row in rows:
            title = self.place.known.space_title(row.space) if several else ""
            labels.append(f"{row.label} in {title}" if title else row.label)
        return few(labels, NAMED)

    async def _verdict_on_marked(self, status: ReviewStatus) -> None:
        """Ask for the words, then give the verdict on all marked rows, each with its result."""
        from copydesk.tui.dialogs.composer import WriteSheet

        rows, key = self.place.rows.marked_rows(), marked_verdict_key(status)
        verb = VERBS[status]
        labels = self._labels(rows, rows)
        facts = (
            Text(f"{plural(len(rows), 'marked change request')}: {labels}", style="strong"),
            *await self._edited(rows),
            "What you write goes to each. Nothing is sent yet: the next dialog lists them.",
        )
        sheet = WriteSheet(verb, key, facts=facts, verb="goes on", verdict=True)
        said = cast("str | None", await self.place.desk.push_screen_wait(sheet))
        if said is None:
            return

        async def send(row: ChangeRow, group: str) -> None:
            as_read = await is_as_read(self.place.session, row)
            write = verdict(row, status, said, self.place.session.me)
            await self.place.writer.send(write, group=group, aged=not as_read)
            self.place.known.forget(row)

        def ended(failed: bool) -> None:
            if not failed:
                self.place.session.drafts.drop(key)
            self._marked_now()

        await self.place.do_to_marked(Bulk(verb, (may_not_review,), send, FINAL, ended))

    def _facts(self, row: ChangeRow, waiting: int) -> list[str | Text]:
        facts: list[str | Text] = [Text(row.named, style="strong")]
        me = self.place.session.me
        if me is not None and row.author_id == me.id:
            facts.append(Text(OWN, "warn"))
        if count := open_threads(row, self.place.known.details(row)):
            facts.append(plural(count, "open thread"))
        if waiting:
            facts.append(
                f"{plural(waiting, 'comment')} of yours not sent: they go along in the review "
                "(Enter)."
            )
        return facts

    async def _edited(self, rows: Sequence[ChangeRow]) -> list[str | Text]:
        """Return the line for those of the rows that changed since the reader read them."""
        now = {row.id: row.revision for row in rows}
        edited = await self.place.session.snoozed.edited(now)
        found = [row for row in rows if row.id in edited]
        if not found:
            return []
        them = "it" if len(found) == 1 else "them"
        said = Text(f"{self._labels(found, rows)} changed since you read {them}: ", style="warn")
        return [said.append_text(hint(f"d shows {them}.", "warn"))]

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
        group="Write", uses=request_edits.USES, takes="marked",
    )  # fmt: skip
    async def reviewers(self) -> None:
        """Choose who is asked for a review: ticked people are asked, others no longer.

        With marked rows: ticked people are asked for all of these too, and no one is taken off.
        """
        if self.place.rows.marks:
            await self._ask_for_marked()
            return
        row = self.place.rows.selected
        if row is None:
            return

        async def asked(api: Api) -> list[RequestedReviewer]:
            return await api.every(ops.list_requested_reviewers, row.space, row.id)

        found = await self.place.reads.now(
            "people", lambda: live_or_cached(self.place.session, asked), "Reading who is asked"
        )
        if found is None:
            return
        organization = self.place.scope.organization
        await request_edits.ask_reviewers(
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
        people = await request_edits.choose_reviewers(
            self.place, organization, f"Ask to review {count} (no one is taken off)"
        )
        if not people:
            return
        names = listed([person_name(user) for user in people.values()])

        async def send(row: ChangeRow, group: str) -> None:
            await request_edits.ask_more(
                self.place, row.space, row.id, row.label, row.author_id, people, group=group
            )
            self.place.known.forget(row)

        said = f"This asks {names} for a review; u undoes it."
        await self.place.do_to_marked(
            Bulk("Ask", (nobody_is_asked,), send, said, lambda failed: self._marked_now())
        )

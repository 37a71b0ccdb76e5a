"""What can be done with change requests from their list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from rich.text import Text

from copydesk.domain.inverses import request_changed
from copydesk.present import change_request as present
from copydesk.session.change_rows import ChangeRow, row_of
from copydesk.session.target import Target
from copydesk.session.views import SERVED, Listing
from copydesk.session.writes.bulk import REVERSIBLE, Bulk
from copydesk.tui.changes.guards import (
    Why,
    is_archived,
    is_current,
    is_merged,
    is_open,
    is_stuck,
    may_not_change,
    may_not_edit,
    no_rows,
    nothing_selected,
)
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.place import Place
from copydesk.tui.widgets.marks import unless_marked

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.session.reads.change_requests import Scope, SpaceInfo, Spaces
    from copydesk.tui.changes.list import ChangesList
    from copydesk.tui.widgets.facts import Facts


class ChangesActions(Place, scope="changes"):
    """The actions of the list of change requests; what they need of it is declared here."""

    rows: ChangesList
    facts: Facts

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.sort = SERVED
        self.backwards = False
        self.left: set[str] = set()
        """Ids of rows that no longer belong to the view, shown until it is read anew."""

    @property
    def listing(self) -> Listing:
        """The view that is shown."""
        raise NotImplementedError

    @property
    def spaces(self) -> Spaces:
        """What is known of the spaces that rows are in."""
        raise NotImplementedError

    def stuck(self, row: ChangeRow) -> bool:
        """Whether an update of it conflicted, and neither side has moved since."""
        raise NotImplementedError

    def forget_details(self, row: ChangeRow | None = None) -> None:
        """Read the details of a row, or of all, again when they are looked at."""
        raise NotImplementedError

    def space_of(self, row: ChangeRow) -> SpaceInfo | None:
        """Return what is known of the space of a row."""
        raise NotImplementedError

    async def scope(self, api: Api) -> Scope:
        """Return whose change requests these are."""
        raise NotImplementedError

    def show_order(self) -> None:
        """Show the view in its order."""
        raise NotImplementedError

    def put(self, row: ChangeRow) -> None:
        """Show a row as it is now."""
        raise NotImplementedError

    def after_write(self) -> None:
        """Bring the counts up to date."""
        raise NotImplementedError

    def look_at_links(self) -> None:
        """Read what the row under the cursor does to the links around it."""
        raise NotImplementedError

    async def do_to_marked(self, bulk: Bulk) -> None:
        """Show what would be done to the marked rows, and do it after a ``y``."""
        raise NotImplementedError

    def take_in(self) -> None:
        """Read the rows again and bring in what is new."""
        raise NotImplementedError

    def aim(self, row: ChangeRow, view: str | None = None) -> Target:
        """Return the target that names a change request to other places."""
        return Target(
            organization=self.target.organization or self.session.organization,
            space=row.space,
            change_request=row.id,
            view=view,
        )

    # Opening

    @action(
        "d",
        "diff",
        unless=nothing_selected,
        show=29,
        group="Go",
        uses=("get_change_request", "get_change_request_changes"),
    )
    async def open_changes(self) -> None:
        """Open the review straight on what changes; Enter opens it on its overview."""
        row = self.rows.selected
        if row is not None:
            await self.desk.go("review", self.aim(row, "changes"))

    @action("g k", "cluster", show=False, group="Go")
    async def open_cluster(self) -> None:
        """Go to the cluster that this change request answers, or to all clusters."""
        from copydesk.tui.conversations.cluster_links import go_to_cluster

        row = self.rows.selected
        organization = self.target.organization or self.session.organization
        cluster = row.cluster if row is not None and row.cluster else None
        target = Target(organization=organization, cluster=cluster)
        why = "" if row is None else f"#{row.number} answers no cluster. - goes back."
        await go_to_cluster(self.desk, target, why)

    @action("i", "details", show=False, group="Look")
    def details(self) -> None:
        """Go to the details; Tab comes back."""
        self.remove_class("-no-side")
        self.desk.step_pane(1)
        self.look_at_links()

    @action(
        "Y", "copy…", unless=unless_marked(nothing_selected), show=False, group="Share",
        override=True, takes="marked",
    )  # fmt: skip
    async def copy_menu(self) -> None:
        """Choose what to copy: number, subject, id; the address and a link where there is one.

        Of marked rows one below the other.
        """
        await super().copy_menu()

    # Order

    @action("s", "sort", unless=no_rows, show=8, group="Look")
    async def choose_sort(self) -> None:
        """Choose the order. Any but the last updated first reads the whole list."""
        from copydesk.session.options import Option
        from copydesk.tui.dialogs.choice import Choice

        options = [
            Option(sort, title)
            for sort, title in present.SORTS.items()
            if sort != "space" or self.target.space is None
        ]
        chosen = await self.desk.push_screen_wait(
            Choice("Sort change requests by", options, current=self.sort)
        )
        if chosen is not None:
            self.sort_by(chosen, backwards=False)

    @action("S", "reverse sort", unless=no_rows, show=False, group="Look")
    def reverse_sort(self) -> None:
        """Turn the order round."""
        self.sort_by(self.sort, backwards=not self.backwards)

    def sort_by(self, sort: str, *, backwards: bool) -> None:
        """Show the list in another order."""
        self.sort, self.backwards = sort, backwards
        self.show_order()

    # Writing

    async def reread(self, api: Api, row: ChangeRow) -> ChangeRow:
        """Read one row again and show it. Raises ``ApiError``."""
        from copydesk.contract import operations as ops

        request = await api(ops.get_change_request, row.space, row.id)
        self.adopt(request)
        return row_of(request)

    def adopt(self, request: ChangeRequest) -> None:
        """Show a request as it is now, where it is."""
        if self.is_attached:
            self.put(row_of(request))

    async def set_status(
        self,
        row: ChangeRow,
        status: Literal["open", "draft", "archived"],
        what: str,
        done: str,
        group: str = "",
    ) -> None:
        """Give a row another status. Raises `WriteError`."""
        from copydesk.contract import operations as ops
        from copydesk.contract.models.change_request import ChangeRequestUpdate

        async def send(api: Api) -> ChangeRequest:
            return await api(
                ops.update_change_request, row.space, row.id, ChangeRequestUpdate(status=status)
            )

        async def look(api: Api) -> ChangeRequest | None:
            now = await api(ops.get_change_request, row.space, row.id)
            return now if now.status == status else None

        await self.perform(
            what,
            row.named,
            send,
            reversal=request_changed(row.space, row.id, {"status": row.status}, {"status": status}),
            expects=row.judged_by,
            group=group,
            done=done,
            look=look,
            then=self.adopt,
        )
        if not group:
            self.after_write()

    def turned(self, results: Sequence[Any]) -> None:
        """Show what a write gave that was taken back or done again, where it is."""
        from copydesk.contract.models.change_request import ChangeRequest

        for result in results:
            if isinstance(result, ChangeRequest):
                self.adopt(result)
        super().turned(results)

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
        """Archive it, or reopen one that is archived; u takes it back.

        With marked rows: all of these, behind a sheet.
        """
        row, rows = self.rows.selected, self.rows.marked_rows()
        if rows and all(each.status == "archived" for each in rows):
            reopen = self._bulk_status("Reopen", "open", (is_merged, may_not_change))
            await self.do_to_marked(reopen)
        elif rows:
            await self.do_to_marked(
                self._bulk_status("Archive", "archived", (is_merged, is_archived, may_not_change))
            )
        elif row is None:
            return
        elif row.status == "archived":
            await self.set_status(row, "open", "Reopen", f"{row.label} is open again.")
        else:
            await self.set_status(row, "archived", "Archive", f"Archived {row.label}.")

    @action(
        "W", "draft/open",
        unless=unless_marked(nothing_selected, is_merged, is_archived, may_not_change),
        show=12, group="Write", uses="update_change_request", takes="marked",
    )  # fmt: skip
    async def toggle_draft(self) -> None:
        """Make a draft open for review, or an open one a draft; u takes it back.

        With marked rows: the drafts among them are made open; where there are none, all are drafts.
        """
        row, rows = self.rows.selected, self.rows.marked_rows()
        if any(each.status == "draft" for each in rows):
            await self.do_to_marked(
                self._bulk_status("Open", "open", (is_merged, is_archived, is_open, may_not_change))
            )
        elif rows:
            await self.do_to_marked(
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
        unless=unless_marked(
            nothing_selected, is_merged, is_archived, is_current, is_stuck, may_not_edit
        ),
        danger=2, show=14, group="Write",
        uses=("pull_change_request_updates", "get_change_request", "get_space"), takes="marked",
    )  # fmt: skip
    async def update_from_main(self) -> None:
        """Pull main into it. Where both changed the same lines, nothing changes.

        With marked rows: all of these, behind a sheet.
        """
        row = self.rows.selected
        if self.rows.marks:
            await self.do_to_marked(
                Bulk(
                    "Update",
                    (is_merged, is_archived, is_current, is_stuck, may_not_edit),
                    self._update_one,
                    "An update cannot be taken back. Where both sides changed the same lines, "
                    "nothing is written.",
                )
            )
        elif row is not None:
            await self._update(row)

    async def _update_one(self, row: ChangeRow, group: str) -> None:
        """Pull main into a row, without asking. Raises `WriteError`."""
        from copydesk.session.reads import conflicts
        from copydesk.session.session import WriteError

        try:
            now = await self.perform(
                "Update",
                row.named,
                lambda api: conflicts.update(api, row.space, row.id),
                group=group,
                done=f"Updated {row.label}.",
            )
        except WriteError as error:
            clash = error.__cause__
            if isinstance(clash, conflicts.ConflictedError):
                self.session.hold_stuck(clash.moment)
                self.forget_details(row)
                self.adopt(clash.request)
            raise
        self.adopt(now)

    async def _update(self, row: ChangeRow) -> None:
        from copydesk.session.reads import conflicts
        from copydesk.session.session import WriteError
        from copydesk.tui.dialogs.dialog import Confirm
        from copydesk.tui.merge.conflicts import ConflictSheet

        sheet = Confirm(
            f"Update {row.label} from main",
            [
                Text(row.subject, style="strong"),
                "",
                f"Main of {self.spaces.title(row.space)} has moved on since this was "
                "started or last updated. What changed there is merged in, page by page and line "
                "by line.",
                "Where both changed the same lines, nothing is written and you see the conflicts.",
            ],
            verb="update",
            warning="An update cannot be taken back.",
        )
        if not await self.desk.push_screen_wait(sheet):
            return

        try:
            now = await self.perform(
                "Update",
                row.named,
                lambda api: conflicts.update(api, row.space, row.id),
                done=f"Updated {row.label}: it has all of main now.",
                recall=True,
            )
        except WriteError as error:
            clash = error.__cause__
            if not isinstance(clash, conflicts.ConflictedError):
                raise
            self.session.hold_stuck(clash.moment)
            self.forget_details(row)
            self.adopt(clash.request)
            self.after_write()
            self.tell(f"{row.label} {clash}", "bad")
            answer = await self.desk.push_screen_wait(ConflictSheet.of_update(row.label, clash))
            self._read_conflicting(row, answer)
            return
        self.adopt(now)
        self.after_write()

    async def merge_one(self) -> None:
        """Merge the one under the cursor, behind a sheet that shows its rules and the result."""
        from copydesk.tui.merge.dialog import MergeSheet

        row = self.rows.selected
        if row is None:
            return
        result: str | None = await self.desk.push_screen_wait(MergeSheet(row.space, row.id))
        if result == "update":
            await self._update(row)
            return
        await self.reread(await self.session.ready(), row)
        self.after_write()
        self._read_conflicting(row, result)

    def _read_conflicting(self, row: ChangeRow, answer: str | None) -> None:
        """Read the page in the review that a sheet of conflicts answered with."""
        from copydesk.tui.merge.conflicts import page_wanted

        if page := page_wanted(answer):
            target = Target(space=row.space, change_request=row.id, page=page)
            self.desk.go_soon("review", target.but(view="changes"))

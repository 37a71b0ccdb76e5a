"""What can be done with change requests from their list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from rich.text import Text

from copydesk.domain.text import clean
from copydesk.tui.actions import action
from copydesk.tui.place import Place
from copydesk.tui.places import Target
from copydesk.tui.present import change_request as present
from copydesk.tui.present.change_request import SERVED, ChangeRow, Listing
from copydesk.tui.screens.changes_guards import (
    is_archived,
    is_current,
    is_draft,
    is_merged,
    is_stuck,
    may_not_change,
    may_not_edit,
    may_not_merge,
    no_rows,
    nothing_selected,
)

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.tui.change_request_reading import Scope, SpaceInfo, Spaces
    from copydesk.tui.widgets.facts import Facts
    from copydesk.tui.widgets.virtual_list import VirtualList

READS = (
    "list_organization_change_requests", "list_space_change_requests", "list_organization_spaces",
    "get_space", "get_change_request", "get_change_request_changes", "list_space_pages",
    "list_change_request_pages", "list_change_request_reviews", "list_requested_reviewers",
    "get_organization", "get_member", "get_issues_cluster", "list_issues_clusters",
)  # fmt: skip
"""The operations that the list and its details are read with."""


class ChangesActions(Place, scope="changes"):
    """The actions of the list of change requests; what they need of it is declared here."""

    rows: VirtualList[ChangeRow]
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

    @action("d", "diff", unless=nothing_selected, show=29, group="Go", uses=READS)
    async def open_changes(self) -> None:
        """Open the review straight on what changes; Enter opens it on its overview."""
        row = self.rows.selected
        if row is not None:
            await self.desk.go("review", self.aim(row, "changes"))

    @action("g k", "cluster", show=False, group="Go")
    async def open_cluster(self) -> None:
        """Go to the cluster that this change request answers, or to all clusters."""
        row = self.rows.selected
        organization = self.target.organization or self.session.organization
        cluster = row.cluster if row is not None and row.cluster else None
        await self.desk.go("clusters", Target(organization=organization, cluster=cluster))

    @action("i", "details", show=False, group="Look")
    def details(self) -> None:
        """Go to the details; Tab comes back."""
        self.remove_class("-no-side")
        self.desk.step_pane(1)

    @action("Y", "copy…", unless=nothing_selected, show=False, group="Share", override=True)
    async def copy_menu(self) -> None:
        """Choose what to copy: number, subject, id; the address and a link where there is one."""
        await super().copy_menu()

    # Order

    @action("s", "sort", unless=no_rows, show=8, group="Look")
    async def choose_sort(self) -> None:
        """Choose the order. Any but the last updated first reads the whole list."""
        from copydesk.tui.widgets.choice import Choice, Option

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
        return self._adopt(request)

    def _adopt(self, request: ChangeRequest) -> ChangeRow:
        fresh = present.row_of(request)
        if self.is_attached:
            self.put(fresh)
        return fresh

    def _adopt_soon(self, request: ChangeRequest) -> None:
        """Show a request as a write left it."""
        self._adopt(request)

    async def _set_status(
        self, row: ChangeRow, status: Literal["open", "draft", "archived"], what: str, done: str
    ) -> None:
        from copydesk.contract import operations as ops
        from copydesk.contract.models.change_request import ChangeRequestUpdate

        before = row.status

        async def send(api: Api) -> ChangeRequest:
            return await api(
                ops.update_change_request, row.space, row.id, ChangeRequestUpdate(status=status)
            )

        async def back(api: Api) -> ChangeRequest:
            from copydesk.client.errors import Conflict

            now = await api(ops.get_change_request, row.space, row.id)
            if now.status != status:
                raise Conflict(f"{row.label} is {clean(now.status)} by now.")
            found = await api(
                ops.update_change_request,
                row.space,
                row.id,
                ChangeRequestUpdate.model_validate({"status": before}),
            )
            self._adopt(found)
            return found

        async def look(api: Api) -> ChangeRequest | None:
            now = await api(ops.get_change_request, row.space, row.id)
            return now if now.status == status else None

        await self.perform(
            what, row.label, send, undo=back, done=done, look=look, then=self._adopt_soon
        )
        self.after_write()

    @action(
        "x", "archive/reopen", unless=(nothing_selected, is_merged, may_not_change), show=18,
        group="Write", uses=("update_change_request", "get_change_request"),
    )  # fmt: skip
    async def archive(self) -> None:
        """Archive it, or reopen one that is archived; u takes it back."""
        row = self.rows.selected
        if row is None:
            return
        if row.status == "archived":
            await self._set_status(row, "open", "Reopen", f"{row.label} is open again.")
        else:
            await self._set_status(row, "archived", "Archive", f"Archived {row.label}.")

    @action(
        "W", "draft/open", unless=(nothing_selected, is_merged, is_archived, may_not_change),
        show=12, group="Write", uses=("update_change_request", "get_change_request"),
    )  # fmt: skip
    async def toggle_draft(self) -> None:
        """Make a draft open for review, or an open one a draft; u takes it back."""
        row = self.rows.selected
        if row is None:
            return
        if row.status == "draft":
            await self._set_status(row, "open", "Open", f"{row.label} is open for review.")
        else:
            await self._set_status(row, "draft", "Make a draft", f"{row.label} is a draft.")

    @action(
        "U", "update",
        unless=(nothing_selected, is_merged, is_archived, is_current, is_stuck, may_not_edit),
        danger=2, show=14, group="Write",
        uses=("pull_change_request_updates", "get_change_request", "get_space"),
    )  # fmt: skip
    async def update_from_main(self) -> None:
        """Pull primary content into it. Where both changed the same lines, nothing changes."""
        row = self.rows.selected
        if row is not None:
            await self._update(row)

    async def _update(self, row: ChangeRow) -> None:
        from copydesk.tui import conflicts
        from copydesk.tui.session import WriteError
        from copydesk.tui.widgets.merge_sheet import ConflictSheet
        from copydesk.tui.widgets.sheet import Confirm

        sheet = Confirm(
            f"Update {row.label} from primary content",
            [
                Text(row.subject, style="strong"),
                "",
                f"Primary content of {self.spaces.title(row.space)} has moved on since this was "
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
                row.label,
                lambda api: conflicts.update(api, row.space, row.id),
                done=f"Updated {row.label}: it has all of primary content now.",
            )
        except WriteError as error:
            clash = error.__cause__
            if not isinstance(clash, conflicts.ConflictedError):
                raise
            self.session.hold_stuck(clash.moment)
            self.forget_details(row)
            self._adopt(clash.request)
            self.after_write()
            self.tell(f"{row.label} {clash}", "bad")
            await self.desk.push_screen_wait(ConflictSheet.of_update(row.label, clash))
            return
        self._adopt(now)
        self.after_write()

    @action(
        "m", "merge", unless=(nothing_selected, is_merged, is_archived, is_draft, may_not_merge),
        danger=2, show=20, group="Write", uses=("merge_change_request", "get_change_request"),
    )  # fmt: skip
    async def merge(self) -> None:
        """Merge it into primary content, behind a sheet that shows its rules and the result."""
        from copydesk.tui.widgets.merge_sheet import MergeSheet

        row = self.rows.selected
        if row is None:
            return
        result: str | None = await self.desk.push_screen_wait(MergeSheet(row.space, row.id))
        if result == "update":
            await self._update(row)
            return
        await self.reread(await self.session.ready(), row)
        self.after_write()

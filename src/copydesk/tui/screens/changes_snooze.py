"""Putting change requests aside until they change, or for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.domain.snooze import LENGTHS, next_snooze
from copydesk.tui.actions import action
from copydesk.tui.places import Target
from copydesk.tui.present.change_request import ChangeRow
from copydesk.tui.screens.changes_details import ChangesDetails
from copydesk.tui.screens.changes_guards import nothing_selected
from copydesk.tui.snoozing import reversal_of

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.snooze import Snooze


def nothing_sleeps(here: ChangesSnooze) -> str | None:
    """Say so when nothing sleeps."""
    return None if here.sleepers or here.show_snoozed else "Nothing is snoozed. b snoozes."


class ChangesSnooze(ChangesDetails, scope="changes_snooze"):
    """What sleeps is not shown, unless the reader wants to see it."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.show_snoozed = False

    def judge_again(self, *, keep: bool = False) -> None:
        """Judge every row anew; with ``keep`` what is shown stays until it is folded."""
        raise NotImplementedError

    def read_sleepers(self) -> None:
        """Read what sleeps on this machine."""

        async def read(api: Api) -> None:
            await self.session.sleepers.read()

        def arrived(nothing: None) -> None:
            if self.sleepers:
                self.judge_again()

        self.load("snoozes", read, arrived, what="Reading what is snoozed", local=True)

    @property
    def sleepers(self) -> dict[str, Snooze]:
        """What was put aside, whether it still sleeps or not."""
        return self.session.sleepers.held

    def snoozed(self, row: ChangeRow) -> bool:
        """Return whether it sleeps."""
        return bool(self.sleepers) and self.session.sleepers.asleep(
            row.id, row.updated, self.session.clock()
        )

    @action("b", "snooze", unless=nothing_selected, show=16, group="Write")
    async def snooze(self) -> None:
        """Put it aside until it is edited; again for 1 day, 3 days, 1 week, and then wake it.

        Comments do not wake it: the service does not count them as a change. That is kept on this
        machine only. It goes with ``.`` and comes back by itself; ``B`` shows what sleeps, ``u``
        takes it back.
        """
        row = self.rows.selected
        if row is None:
            return
        sleepers = self.session.sleepers
        before = sleepers.held.get(row.id)
        after = next_snooze(before, row.updated, self.session.clock())

        async def send(api: Api) -> None:
            await sleepers.put(row.id, after)

        await self.perform(
            "Wake" if after is None else "Snooze",
            row.named,
            send,
            reversal=reversal_of(row.id, before, after),
            done=(
                f"{row.label} is awake."
                if after is None
                else f"Snoozed {row.label} {LENGTHS[after.step][0]}; b again: "
                f"{LENGTHS[after.step + 1][0] if after.step + 1 < len(LENGTHS) else 'awake'}."
            ),
        )
        self.slept()

    def slept(self) -> None:
        """Show that something sleeps or woke, where it is."""
        self.rows.refresh_rows()
        if not self.rows.source.filtering:
            self.judge_again(keep=True)
        else:
            self.rows.source.base.notify("rows")
        self.count_views()

    @action("B", "show snoozed", unless=nothing_sleeps, show=False, group="Look")
    def toggle_snoozed(self) -> None:
        """Show what sleeps too, or hide it again."""
        self.show_snoozed = not self.show_snoozed
        self.judge_again()
        self.say("What is snoozed is shown." if self.show_snoozed else "What is snoozed is hidden.")

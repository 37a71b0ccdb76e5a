"""Putting change requests aside until they change, or for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.domain.snooze import LENGTHS, next_snooze, snooze_of
from copydesk.domain.text import plural
from copydesk.session.change_rows import ChangeRow
from copydesk.session.snooze import reversal_of
from copydesk.session.writes.bulk import REVERSIBLE, Bulk, NothingToDoError
from copydesk.tui.changes.guards import nothing_selected
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.widgets.marks import unless_marked

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.snooze import Snooze
    from copydesk.tui.changes.screen import ChangesPlace

AWAKE = "awake"
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

        Comments do not wake it: the service does not count them as a change. That is kept on this
        machine only. It goes with ``.`` and comes back by itself; ``B`` shows what sleeps, ``u``
        takes it back. With marked rows: choose for how long, for all of these.
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
            reversal=reversal_of(row.id, before, after),
            group=group,
            done=(
                f"{row.label} is awake."
                if after is None
                else f"Snoozed {row.label} {LENGTHS[after.step][0]}{again}."
            ),
        )

    async def _snooze_marked(self) -> None:
        """Choose for how long the marked rows sleep, or wake them; each has its result."""
        from copydesk.session.options import Option
        from copydesk.tui.dialogs.choice import Choice

        count = plural(len(self.place.rows.marks), "marked change request")
        options = [Option(str(step), length) for step, (length, _) in enumerate(LENGTHS)]
        options.append(Option(AWAKE, "wake them"))
        chosen = await self.place.desk.push_screen_wait(Choice(f"Snooze {count}", options))
        if not chosen:
            return

        async def send(row: ChangeRow, group: str) -> None:
            if chosen == AWAKE and row.id not in self.place.triage.sleepers:
                raise NothingToDoError("it is awake")
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
    def toggle_snoozed(self) -> None:
        """Show what sleeps too, or hide it again."""
        self.place.triage.show_snoozed = not self.place.triage.show_snoozed
        self.place.triage.judge_again()
        self.place.say(
            "What is snoozed is shown."
            if self.place.triage.show_snoozed
            else "What is snoozed is hidden."
        )

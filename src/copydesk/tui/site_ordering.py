"""Putting the structure of a site in another order: staged here, then sent.

A mixin of the place that shows the structure, apart from it for length.
"""

from __future__ import annotations

import asyncio
from secrets import token_hex
from typing import TYPE_CHECKING

from textual.timer import Timer

from copydesk.domain.inverses import row_moved
from copydesk.domain.order import applied
from copydesk.domain.site_tree import TOP, Structure
from copydesk.domain.staged import MoveError, Rebased, Staged, Step
from copydesk.domain.text import plural
from copydesk.tui.actions import action, command
from copydesk.tui.common_actions import nothing_to_redo as no_write_to_redo
from copydesk.tui.common_actions import nothing_to_undo
from copydesk.tui.draft_keys import structure_key
from copydesk.tui.places import Target
from copydesk.tui.present import site as present
from copydesk.tui.site_editing import SiteEditing, no_row, not_allowed
from copydesk.tui.site_reading import SiteRead
from copydesk.tui.widgets.sheet import Confirm

if TYPE_CHECKING:
    from copydesk.domain.reversal import Reversal


KEEP_SECONDS = 0.5
"""How long after the last step the staged order is kept: no key waits for the disk."""


def filtered(here: SiteOrdering) -> str | None:
    """Say so while a filter hides rows between which one would move."""
    return "Clear the filter to move: Esc." if here.rows.tree_source.filtering else None


def nothing_staged(here: SiteOrdering) -> str | None:
    """Say so when the order on screen is the published one."""
    return None if here.staged.dirty else "Nothing is staged. J and K move a row."


def nothing_to_take_back(here: SiteOrdering) -> str | None:
    """Say so when there is neither a staged step nor a write to take back."""
    return None if here.staged.past else nothing_to_undo(here)


def nothing_to_redo(here: SiteOrdering) -> str | None:
    """Say so when neither a staged step nor a write was taken back."""
    return None if here.staged.future else no_write_to_redo(here)


class SiteOrdering(SiteEditing, scope="site_ordering"):
    """The place of a site's structure, as far as its order goes."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.staged = Staged.on({TOP: ()})
        self.steps: list[Step] = []
        """The requests that would make the staged order."""
        self._kept = ""
        """The staged order as it is kept on this machine."""
        self._unkept = ""
        """Why the order could not be kept on disk; empty when it was."""
        self._keeping: Timer | None = None

    def show_order(self, cursor: str | None = None) -> None:
        """Show the staged order; the cursor goes with its row."""
        raise NotImplementedError

    def _stage(self, staged: Staged) -> None:
        if staged is self.staged:
            return
        cursor = self.rows.selected_id
        self.staged = staged
        if self._keeping is not None:
            self._keeping.stop()
        self._keeping = self.set_timer(KEEP_SECONDS, self.keep_staged)
        self.show_order(cursor)

    def on_screen_suspend(self) -> None:
        """Keep what is staged before another place is in front, and say there that it is kept."""
        if self._keeping is not None:
            self._keeping.stop()
            self._keeping = None
            self.keep_staged()
        elif self._unkept:
            self._keep()
        front = self.desk.here
        # A sheet above this place is no leaving of it.
        if self.steps and front is not None and front is not self:
            count = plural(len(self.steps), "move")
            where = self.read.site.title if self.read is not None else "the site"
            said, tone = f"Kept: {count} staged in {where}; nothing was sent.", ""
            if self._unkept:
                said = f"Not kept: {count} staged in {where}: {self._unkept}."
                tone = "bad"
            front.call_after_refresh(front.say, said, tone)

    def keep_staged(self) -> None:
        """Keep what is staged; say so when that takes the place of somebody else's."""
        if self._overtaken() is not None:
            self.say(
                "Another copydesk staged an order here too: the one kept for later is yours now.",
                "warn",
            )
        self._keep()

    def _overtaken(self) -> list[str] | None:
        """Return what another program keeps staged here by now, or None: it is what we kept.

        It is one line for each move; none where it sent or dropped what was staged.
        """
        found = self.session.drafts.load(self._draft_key) or ""
        if found == self._kept:
            return None
        return [line for line in found.splitlines() if line.startswith("- ")]

    async def _overtaken_facts(self) -> list[str]:
        """Say for a sheet what another program did meanwhile with the order that is kept."""
        lines = await asyncio.to_thread(self._overtaken)
        if lines is None:
            return []
        if not lines:
            return ["Another copydesk has sent or dropped the order that was kept; this is yours."]
        shown = "; ".join(line.removeprefix("- ") for line in lines)
        return [f"Another copydesk staged this meanwhile, it will be forgotten: {shown}."]

    def _keep(self) -> None:
        """Keep what is staged on this machine, or forget it when nothing is."""
        text = ""
        if self.staged.dirty:
            steps, structure = self.staged.plan(), self.structure
            text = self.staged.to_text([f"- {present.step_line(s, structure)}" for s in steps])
        if text == self._kept:
            return
        try:
            if text:
                self.session.drafts.save(self._draft_key, text)
            else:
                self.session.drafts.drop(self._draft_key)
            self._kept, self._unkept = text, ""
        except OSError as error:
            self._unkept = error.strerror or str(error)
            self.say(f"Staged here, but not kept on disk: {self._unkept}.", "warn")

    def _order(self, by: int) -> None:
        node = self.node
        if node is None:
            return
        try:
            self._stage(self.staged.move(node.level, [node.id], by))
        except MoveError as stuck:
            self.say(str(stuck), "warn")

    @action(
        "J",
        "move down",
        unless=(not_allowed, no_row, filtered),
        show=40,
        group="Order",
        also=("alt+down",),
    )
    def order_down(self) -> None:
        """Move the row down within its level. Staged here, nothing is sent."""
        self._order(1)

    @action(
        "K",
        "move up",
        unless=(not_allowed, no_row, filtered),
        show=39,
        group="Order",
        also=("alt+up",),
    )
    def order_up(self) -> None:
        """Move the row up within its level. Staged here, nothing is sent."""
        self._order(-1)

    @command("move", "POSITION")
    def move_to(self, rest: str) -> None:
        """Move the row to a position of its level: ``:move 3``."""
        node = self.node
        why = not_allowed(self) or no_row(self) or filtered(self)
        if why is not None or node is None:
            self.say(why or "", "warn")
        elif not rest.isdigit():
            self.say("Say where to: :move 3", "warn")
        else:
            try:
                self._stage(self.staged.place(node.level, node.id, int(rest)))
            except MoveError as stuck:
                self.say(str(stuck), "warn")

    @action("u", "undo", unless=nothing_to_take_back, show=12, group="Order", override=True)
    async def undo(self) -> None:
        """Take back the last staged step; with none, the order or the change that was sent last."""
        if self.staged.past:
            self._stage(self.staged.undo())
            return
        await super().undo()

    @action(
        "ctrl+r", "redo", unless=nothing_to_redo, show=11, group="Order", also=("Z",), override=True
    )
    async def redo(self) -> None:
        """Stage again what was undone last; with nothing, do a write again that was taken back."""
        if self.staged.future:
            self._stage(self.staged.redo())
        else:
            await super().redo()

    @action("X", "drop staged", unless=nothing_staged, danger=2, show=13, group="Order")
    async def drop_staged(self) -> None:
        """Drop all that is staged. It asks, and ``u`` brings it back."""
        staged = self.staged
        lines = [present.step_line(step, self.structure) for step in staged.plan()]
        facts = [
            *lines,
            "",
            *await self._overtaken_facts(),
            "The order on screen becomes the published one. u brings it back.",
        ]
        if await self.desk.push_screen_wait(Confirm("Drop what is staged?", facts, verb="drop")):
            self._stage(self.staged.drop())
            self.tell("Dropped. u brings it back.")

    # Sending

    @action(
        "ctrl+s",
        "send",
        unless=(not_allowed, nothing_staged),
        danger=2,
        show=38,
        group="Order",
        uses=("move_site_section", "move_site_space", "list_site_sections", "list_site_spaces"),
    )
    async def apply(self) -> None:
        """Send the staged order, after reading the published one again. It shows the plan first."""
        from copydesk.tui import site_reading as reading

        organization, site = self.target.organization or "", self.target.site or ""
        api = await self.session.ready()
        fresh = await reading.read_structure(api, organization, site)
        self.session.fresh()
        rebased = self._take(fresh)
        if rebased.changed:
            self.show_order()
            self._keep()
            self._tell_changed(rebased)
            return
        await self._send_all(organization, site)

    def _take(self, fresh: Structure) -> Rebased:
        assert self.read is not None
        self.read = SiteRead(self.read.site, fresh, self.read.refused)
        return self.rebase(fresh)

    def _tell_changed(self, rebased: Rebased) -> None:
        lead = "Others changed the structure meanwhile; nothing was sent. "
        if rebased.dropped:
            count = plural(len(rebased.dropped), "move")
            self.tell(f"{lead}{count} no longer fits and was dropped. Look, then ctrl+s.", "warn")
        else:
            self.tell(f"{lead}Your moves are on top of it now. Look, then ctrl+s.", "warn")

    async def _send_all(self, organization: str, site: str) -> None:
        from copydesk.tui.site_reading import send_step
        from copydesk.tui.widgets.run_sheet import RunSheet

        staged, structure, steps = self.staged, self.structure, self.staged.plan()
        lines = [present.step_line(step, structure) for step in steps]
        lasting = sum(back is None for back in staged.backs())
        facts = ["Readers see the new order at once; there is no draft of it on the service."]
        if lasting:
            facts.append(f"{lasting} of these cannot be taken back: only a group was beside it.")
        elif steps:
            facts.append("u afterwards takes it all back.")
        facts[:0] = await self._overtaken_facts()
        ways = self._ways_back((organization, site), staged)
        group = token_hex(6)

        async def send(at: int) -> None:
            step = steps[at]
            node = structure.nodes[step.move.id]
            await self.perform(
                "Move", lines[at],
                lambda api: send_step(api, organization, site, step, node),
                reversal=ways[at], group=group,
            )  # fmt: skip

        count = plural(len(steps), "request")
        title = f"Send the new order of {self.read.site.title if self.read else 'the site'}"
        sent = await self.desk.push_screen_wait(
            RunSheet(title, lines, send, verb=f"send {count}", facts=facts)
        )
        if not sent:
            self.tell("Nothing was sent; it stays staged.")
            return
        api = await self.session.ready()
        from copydesk.tui.site_reading import read_structure

        self._take(await read_structure(api, organization, site))
        if sent == len(steps):
            # What is published now is what was wanted: there is no step left to undo here.
            self.staged = Staged.on(self.structure.levels, self.structure.groups)
            self.tell(f"{plural(sent, 'move')} sent. u takes it back.", "good")
        else:
            left = len(self.staged.plan())
            self.tell(f"{sent} of {len(steps)} sent, {left} kept staged.", "warn")
        self._keep()
        self.show_order()

    def _ways_back(self, ids: tuple[str, str], staged: Staged) -> list[Reversal | None]:
        """Return for each request of a plan how it is taken back, where it can be."""
        orders = {level: list(rows) for level, rows in staged.base.items()}
        ways: list[Reversal | None] = []
        for step, back in zip(staged.plan(), staged.backs(), strict=True):
            before = orders[step.level]
            after = orders[step.level] = applied(before, [step.move])
            node = self.structure.nodes[step.move.id]
            plain = [[row for row in order if row not in staged.fixed] for order in (before, after)]
            ways.append(
                None if back is None else row_moved(ids, node, step.move, back.move, *plain)
            )
        return ways

    @command("w", uses=("move_site_section", "move_site_space"))
    async def write(self, rest: str) -> None:
        """Send the staged order, as ctrl+s does."""
        why = not_allowed(self) or nothing_staged(self)
        if why is not None:
            self.say(why, "warn")
        else:
            await self.apply()

    def begin(self, structure: Structure) -> None:
        """Begin with a published order, and with what was staged on it in an earlier run."""
        self.staged = Staged.on(structure.levels, structure.groups)
        text = self.session.drafts.load(self._draft_key)
        kept = Staged.from_text(text, structure.groups) if text else None
        if kept is not None:
            self._kept = text or ""
            rebased = kept.rebase(structure.levels, structure.groups)
            self.staged = rebased.staged
            if self.staged.dirty:
                count = plural(len(self.staged.plan()), "staged move")
                self.say(f"{count} of last time restored. X drops them.")
            self.say_rebased(rebased)

    @property
    def _draft_key(self) -> str:
        return structure_key(self.target.site or "")

    def rebase(self, structure: Structure) -> Rebased:
        """Put what is staged on top of another published order."""
        rebased = self.staged.rebase(structure.levels, structure.groups)
        self.staged = rebased.staged
        return rebased

    def say_rebased(self, rebased: Rebased) -> None:
        """Say what of the staged moves no longer fits."""
        if rebased.dropped:
            lost = plural(len(rebased.dropped), "staged move")
            self.say(
                f"The structure was changed since: {lost} no longer fit and went away.", "warn"
            )

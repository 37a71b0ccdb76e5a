"""Merging one change request: what speaks for and against it, a way to stop it, and what came.

The sheet reads everything itself, so that any place can open it with two ids.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Label, Static

from copydesk.contract.models.change_request import Changes, MergeResult
from copydesk.domain.address import is_unserved, web_address
from copydesk.domain.text import clean
from copydesk.present.facts import hint
from copydesk.present.impact import impact_line
from copydesk.present.merge import (
    MergeNotes,
    beside_lines,
    fact_lines,
    guesses,
    result_lines,
    warnings,
)
from copydesk.session.errors import NotDoneError, failure_types
from copydesk.session.glyphs import glyphs
from copydesk.session.marks import SeenPages
from copydesk.session.own_commands import tell_merged
from copydesk.session.page_changes import changed_pages, changed_things
from copydesk.session.reads import merge as merge_facts
from copydesk.session.reads.impact import read_impact
from copydesk.session.reads.merge import RulesRead, SpokenFor, why_not_mergeable
from copydesk.session.runs.merge import FOUND_BY
from copydesk.session.runs.waiting import reversal_of, when_ready
from copydesk.session.writes import merges
from copydesk.session.writes.log import RecalledError, WriteError
from copydesk.session.writes.merges import ConflictedError, read_overlaps
from copydesk.tui.dialogs.dialog import ScrollingSheet, scrolled
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.commands import UNSERVED
from copydesk.tui.framework.place import place_of

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.tui.framework.place import Place

READS = (
    "get_change_request", "get_organization", "get_space", "get_change_request_changes",
    "get_revision", "list_change_request_reviews", "list_requested_reviewers",
)  # fmt: skip
"""The operations that every merge is read with."""

LIVE = "This goes live at once; :revert reverts the merge."

ALREADY = "The change request is merged already."

DRAFT = "The change request is a draft: close this, W opens it for review."

UNDER_WAY = "The merge is under way."
LOOKED_AT = 25
"""Up to so many changed pages the links around them are read for the sheet."""

TICK_SECONDS = 0.5
"""How often the seconds that are left are counted."""


def not_unknown(sheet: MergeSheet) -> str | None:
    """Say so when there is nothing to find out."""
    return None if sheet.unknown else "What became of it is known already."


def not_merged(sheet: MergeSheet) -> str | None:
    """Say so while there is nothing to look at."""
    if not sheet.address:
        return "Not merged yet, or it has no address."
    return UNSERVED if is_unserved(sheet.address) else None


class MergeSheet(ScrollingSheet[str], scope="merge_sheet"):
    """Asks before a merge, with all that speaks for and against it, and shows the result.

    ``unseen`` is (pages not seen, all pages) where that is known; else the marks are read.
    The result is ``"merged"``, ``"update"`` (the user wants to update from main first),
    ``"conflicts"`` (what conflicts is to be settled), or None.
    """

    DANGER = 2

    def __init__(
        self, space_id: str, change_request_id: str, *, unseen: tuple[int, int] | None = None
    ) -> None:
        super().__init__("Merge")
        self._space_id = space_id
        self._change_request = change_request_id
        self._unseen = unseen
        self._edited = False
        self._spoken: SpokenFor | None = None
        self._beside = MergeNotes()
        self._above: list[Text | str] = []
        """What is said over the facts: why it was refused."""
        self._status = Text()
        """What stands above the keys, in sight however long the facts are."""
        self._result: list[Text | str] | None = None
        """What replaces the facts once it is merged."""
        self._merged = False
        self._clashed = False
        """Whether it is known to conflict: then an update comes to the same."""
        self._waits = False
        """Whether the merge can still be stopped."""
        self._early = False
        """Whether it was read while writes were on their way, which may change what it shows."""
        self._unwatch: Callable[[], None] = lambda: None
        self.address = ""
        """Where the merged request is shown in the platform."""
        self.unknown = False
        """Whether a merge was sent and its outcome is not known."""
        self.off: str | None = "Still reading what the merge depends on."
        """Why it cannot be merged now; None when it can."""

    def body(self) -> ComposeResult:
        yield scrolled(Static(id="merge-facts"))
        yield Label(id="merge-keys", classes="keys")

    @property
    def stands(self) -> bool:
        """Whether it is there to be drawn on; not while it is taken down."""
        return self.is_attached and self in self.app.screen_stack

    def show(self, lines: Sequence[Text | str], keys: Text) -> None:
        """Show other lines and keys."""
        text = Text("\n").join(line if isinstance(line, Text) else Text(line) for line in lines)
        self.query_one("#merge-facts", Static).update(self.paint(text))
        self.change_keys(keys)

    def change_keys(self, keys: Text) -> None:
        """Show other keys below the lines."""
        self.query_one("#merge-keys", Label).update(self.paint(keys))

    @property
    def place(self) -> Place:
        """The place that the sheet stands on."""
        return place_of(self)

    @property
    def _request(self) -> ChangeRequest | None:
        return None if self._spoken is None else self._spoken.request

    def why_not_when_ready(self) -> str | None:
        """Return why the request cannot wait until its rules hold; None where it can."""
        spoken = self._spoken
        if spoken is None or self.off == UNDER_WAY or self.unknown or self._merged:
            return self.off
        if self._clashed:
            return "Conflicts with main: U settles that first."
        others = why_not_mergeable(spoken.request, spoken.space, RulesRead((), None, None))
        return others or (None if self.off else "No rule is in its way: y merges it.")

    def on_mount(self) -> None:
        """Read what the merge depends on; count the seconds while it can be stopped."""
        self._unwatch = self.place.session.watch(self._ticked)
        if self.place.session.recall_seconds:
            self.set_interval(TICK_SECONDS, self._ticked)
        self.read()

    def on_unmount(self) -> None:
        """Stop counting."""
        self._unwatch()

    # Reading

    @action(
        "R", "look again", word="refresh", unless=not_unknown, show=False,
        uses=READS,
    )  # fmt: skip
    def read(self) -> None:
        """Read what the merge depends on, and whether it is merged."""
        self.show([f"Reading{glyphs().more}"], self._keys())
        self._early = bool(self.place.session.writes.writing)
        self.place.reads.load(
            "merge dialog",
            self._read,
            self._came,
            what="Reading the merge rules",
            failed=self._failed,
            kept="never",
        )

    async def _read(self, api: Api) -> SpokenFor:
        read = await merge_facts.read_all(api, self._space_id, self._change_request)
        now = {read.request.id: read.request.revision}
        self._edited = bool(await self.place.session.snoozed.edited(now))
        if read.changes is not None and (self._unseen is None or self._edited):
            self._unseen = await self._not_seen(read.request.id, read.changes)
        return read

    async def _not_seen(self, request_id: str, changes: Changes) -> tuple[int, int] | None:
        """Return how many changed pages have no mark, of how many; None if that is not known."""
        pages = {change.page.id for change in changes.changes if change.page is not None}
        seen = SeenPages(self.place.session.seen, request_id)
        await seen.read()
        if seen.trouble:
            return None
        return len(pages) - seen.count(pages), len(pages)

    def _failed(self, said: str) -> None:
        if self.stands:
            self.off = said
            self.show([hint(said, "bad")], self._keys())

    def _came(self, read: SpokenFor) -> None:
        if not self.stands:
            return
        self._take(read)
        if self._merged:
            # What would speak against a merge is past.
            self.off = ALREADY
            self._status = Text(ALREADY, style="good")
        else:
            self.off = why_not_mergeable(read.request, read.space, read.rules)
            failed = any(result.outcome == "fail" for result in read.rules.results)
            self._status = Text(LIVE, style="warn")
            if self.off is not None:
                # The failed rules are listed above; what else is in the way is not.
                if read.request.status == "draft":
                    self.off = DRAFT
                failed = failed and self.off != DRAFT
                said = "Not to be merged while a rule is not met." if failed else self.off
                self._status = hint(said, "bad")
                if self.why_not_when_ready() is None:
                    count = len(read.rules.results)
                    self._status.append(" ").append_text(hint(f"M {when_ready(count)}.", "warn"))
            self._look_beside(read)
        self._draw()

    def _take(self, read: SpokenFor) -> None:
        self._spoken, self._result, self.unknown = read, None, False
        self._merged = read.request.status == "merged"
        moment = (read.request.id, read.request.revision, read.space.revision)
        self._clashed = moment in self.place.session.stuck

    def _look_beside(self, read: SpokenFor) -> None:
        """Read what takes longer: who else touches these pages, and what links to them."""
        self._beside = MergeNotes(reading=True)
        self.place.reads.load(
            "beside the merge",
            lambda api: self._read_beside(api, read),
            self._beside_came,
            what="Looking for other change requests on these pages",
            failed=lambda said: self._beside_came(MergeNotes(why=said)),
            kept="never",
        )

    async def _read_beside(self, api: Api, read: SpokenFor) -> MergeNotes:
        space, request = read.space.id, read.request.id
        overlaps = await read_overlaps(api, space, request, read.changes)
        if read.changes is None:
            return MergeNotes(overlaps=overlaps)
        pages = changed_pages([], [], read.changes, told_only=True)
        changes = [*pages, *changed_things(None, None, read.changes)]
        if not 0 < len(changes) <= LOOKED_AT:
            return MergeNotes(overlaps=overlaps)
        try:
            impact = await read_impact(api, space, request, changes)
        except failure_types():
            return MergeNotes(overlaps=overlaps)  # the other half is known all the same
        return MergeNotes(overlaps=overlaps, impact=impact_line(impact), broken=bool(impact.broken))

    def _beside_came(self, beside: MergeNotes) -> None:
        self._beside = beside
        if self.stands and self._result is None and not self._waits:
            self._draw()

    # Drawing

    def _draw(self, said: Text | str = "") -> None:
        if not self.stands or self._spoken is None:
            return
        if self._result is not None:
            self.show(self._result, self._keys(said))
            return
        lines = fact_lines(self._spoken, self.place.session.now)
        if not self._merged:
            against = warnings(
                self._spoken, self._unseen, clashed=self._clashed, edited=self._edited
            )
            against += beside_lines(self._beside)
            lines += ["", *against] if against else []
        status = Text.assemble(self._status, "\n") if self._status else Text()
        self.show([*self._above, *lines], status.append_text(self._keys(said)))

    def _keys(self, said: Text | str = "") -> Text:
        said = hint(said, "warn") if isinstance(said, str) else said
        text = Text.assemble(said, "  ", style="warn") if said else Text(style="warn")
        request = self._request
        if self._waits:
            keys = Text.assemble(("u", "accent"), " or ", ("esc", "accent"), " stops it")
            return text.append_text(keys)
        if self._merged or self.off == UNDER_WAY:
            if not_merged(self) is None:
                text.append("o", style="accent").append(" shows it in the browser   ")
            return text.append("esc", style="accent").append(" close")
        if self.unknown:
            return Text.assemble(
                text, ("R", "accent"), " look whether it is merged   ", ("esc", "accent"), " close"
            )
        if self.wants_no_update() is None and request is not None and request.status == "open":
            does = "settle what conflicts" if self._clashed else "update from main first"
            text.append("U", style="accent").append(f" {does}   ")
        if self.why_not_when_ready() is None:  # y merges nothing then
            text.append("M", style="accent").append(" merge when ready   ")
        elif self.off != DRAFT:
            off = self.off is not None
            text.append_text(hint("y", "muted" if off else "accent"))
            text.append(" merge   ", style="muted" if off else "")
        return text.append("esc", style="accent").append(" cancel")

    def _ticked(self) -> None:
        """Say how long the merge can still be stopped, then that it is under way.

        Before that, read again once what was on its way has arrived.
        """
        if self._early and self.stands and not self.place.session.writes.writing:
            self.read()
        if not self._waits or not self.stands:
            return
        waits = self.place.session.writes.waits
        said = f"Merging in {waits[-1].seconds} s. Nothing is sent yet." if waits else ""
        if not waits:
            self._waits, said = False, f"Merging{glyphs().more}"
        self._status = Text(said, style="warn")
        self._draw()

    # Writing

    @action("y", "merge", word="confirm", danger=2, uses=("merge_change_request", *READS))
    async def merge(self) -> None:
        """Merge it, after some seconds in which it can be stopped. While it cannot, say why."""
        spoken = self._spoken
        if self.off is not None or spoken is None:
            if spoken is None:
                self.change_keys(self._keys(self.off or ""))
            else:
                said = self.off or ""
                again = said in self._status.plain
                self._draw(hint("y merges nothing yet.", "warn") if again else said)
            return
        request, main = spoken.request, spoken.space.revision
        title = clean(spoken.space.title)
        self.off, self._early = UNDER_WAY, False
        self._above, self._status = [], Text(f"Merging{glyphs().more}", style="warn")
        self._waits = self.place.session.recall_seconds > 0
        self._draw()
        place = self.place
        try:
            result, now = await place.writer.perform(
                "Merge",
                f"#{request.number} {clean(request.subject)}",
                lambda api: merges.merge(api, self._space_id, request.id, main),
                look=lambda api: merges.merged(api, self._space_id, request.id),
                then=lambda answer: tell_merged(place.session, answer[1], title),
                recall=True,
            )
        except RecalledError:
            self._stopped()
        except WriteError as error:
            self._waits = False
            clash = error.__cause__
            if isinstance(clash, ConflictedError):
                place.session.hold_stuck(clash.moment)
                place.tell(f"#{request.number} {clash}", "bad")
                self._conflicted()
            else:
                self.unknown = error.unknown
                await self._refused(spoken, str(error))
        else:
            self._waits = False
            self._done(result, now)

    @action("M", "merge when ready", danger=2, stages=True, uses=FOUND_BY)
    async def merge_when_ready(self) -> None:
        """Let it wait in the merge run, and merge it once its rules hold, as it was seen here.

        An edit, a comment, another review or a conflict stops it. It is looked at each minute
        while copydesk or ``copydesk watch`` runs. ``u`` undoes it. Where it cannot
        wait, say why.
        """
        spoken, place = self._spoken, self.place
        why = self.why_not_when_ready()
        if spoken is None:
            self.change_keys(self._keys(self.off or ""))
            return
        if why is not None:
            self._draw(hint(why, "warn"))
            return
        merges = place.session.waiting_merges
        try:
            run = await merges.plan(spoken.request, spoken.space.title)
        except NotDoneError as error:
            self._above = [hint(str(error), "bad"), ""]
            self.read()
            return
        kept, former = merges.as_json(run), merges.of(self._space_id, spoken.request.id)
        if former in merges.waiting:
            self._draw("Waits already.")
            return
        await place.writer.perform(
            "Merge when ready",
            run.items[0].name,
            lambda api: merges.put(run.id, kept),
            reversal=reversal_of(run.id, None, kept),
            done=f"{run.items[0].label} {when_ready(len(spoken.rules.results))}.",
        )
        if self.stands:
            self.dismiss(None)

    def _stopped(self) -> None:
        self._waits, self.off = False, None
        self._status = Text.assemble(("Stopped: nothing was merged. ", "good"), (LIVE, "warn"))
        self._draw()

    def _done(self, result: MergeResult | None, now: ChangeRequest) -> None:
        self._merged = now.status == "merged"
        self.off, self.address = ALREADY, web_address(now.urls.app) or ""
        self._result = result_lines(result, now)
        self._draw()

    def _conflicted(self) -> None:
        """Lead to where conflicts are settled; the merge goes on there."""
        self.off = "Conflicts with main."
        self._clashed = True
        if self.stands:
            self.dismiss("conflicts")

    async def _refused(self, spoken: SpokenFor, said: str) -> None:
        """Show what the service said, and which guess of this machine was wrong."""
        self.off = said
        self._above = [hint(said, "bad"), ""]
        self._status = Text("Whether it is merged is not known." if self.unknown else "Not merged.")
        self._status.stylize("bad")
        self._draw()
        if self.unknown:
            return
        try:
            api = await self.place.session.ready()
            now = await merge_facts.read_all(api, self._space_id, self._change_request)
        except failure_types():
            return
        self._above = [*self._above[:1], *guesses(spoken.rules.results, now.rules.results), ""]
        self._take(now)
        self._draw()

    def wants_no_update(self) -> str | None:
        """Say why U does nothing here."""
        request = self._request
        if request is None or not request.outdated or self._merged:
            return "Up to date with main."
        return UNDER_WAY if self.off == UNDER_WAY else None

    @action("U", "update first", unless=wants_no_update, show=False)
    def update(self) -> None:
        """Leave this dialog and update the change request from main, or settle what conflicts."""
        self.dismiss("conflicts" if self._clashed else "update")

    @action("u", "stop it", unless=lambda sheet: sheet.nothing_to_stop(), show=False)
    def stop(self) -> None:
        """Stop the merge before it is sent."""
        self.place.session.writes.recall()

    def nothing_to_stop(self) -> str | None:
        """Say so when the merge does not wait."""
        return None if self._waits else "Nothing waits here that could be stopped."

    @action("o", "browser", word="browser", unless=not_merged, show=False)
    def open_address(self) -> None:
        """Show the merged change request in the browser, with its version history."""
        self.place.desk.open_url(self.address)

    @action("enter", "confirms nothing", show=False)
    def enter(self) -> None:
        """Say that Enter confirms nothing here; once merged, close."""
        if self._merged:
            self.dismiss("merged")
        else:
            self.say_of_key("Enter confirms nothing.")

    @action("escape", "close", word="back", show=False, override=True, also=("q",))
    def close_sheet(self) -> None:
        """Stop a merge that waits; else leave the dialog."""
        if self._waits:
            self.place.session.writes.recall()
        else:
            self.dismiss("merged" if self._merged else None)

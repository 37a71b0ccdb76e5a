"""Merging one change request, and what it came to; conflicts in full.

The sheet reads everything itself, so that any place can open it with two ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Label, Static

from copydesk.contract.models.change_request import Changes, Conflict, MergeResult
from copydesk.domain.text import clean, listed, plural, shorten
from copydesk.tui import conflicts, merge_facts
from copydesk.tui.actions import action
from copydesk.tui.conflicts import ConflictedError
from copydesk.tui.glyphs import glyphs
from copydesk.tui.merge_facts import RulesRead, SpokenFor, why_not_mergeable
from copydesk.tui.present.comment import name_of
from copydesk.tui.present.review import conflict_lines, rule_text, status_text
from copydesk.tui.seen import SeenPages
from copydesk.tui.session import HAD_ARRIVED, WriteError
from copydesk.tui.widgets.sheet import Sheet

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.tui.app import CopydeskApp
    from copydesk.tui.place import Place

LIVE = "This goes live at once and cannot be undone here."


ALREADY = "It is merged already."

HOW_TO_SETTLE = (
    "To settle them, its author edits these pages in the change request on the platform, or in "
    "the source and has it imported again. An update does not help. Or archive it."
)


def _settling(conflicts: Sequence[Conflict]) -> list[Text]:
    """Return how conflicts are settled, and the conflicts in full."""
    found = conflict_lines(conflicts) or [Text("The service does not say which.")]
    return [Text(HOW_TO_SETTLE, style="muted"), Text(), *found]


def not_unknown(sheet: MergeSheet) -> str | None:
    """Say so when there is nothing to find out."""
    return None if sheet.unknown else "It is known what became of it."


class _Scrolling(Sheet[str]):
    """A sheet of lines that may be longer than the screen."""

    DANGER = 2

    def body(self) -> ComposeResult:
        """The lines, then the keys."""
        with VerticalScroll(classes="facts", can_focus=False):
            yield Static(id="merge-facts")
        yield Label(id="merge-keys", classes="keys")

    def show(self, lines: Sequence[Text | str], keys: Text) -> None:
        """Show other lines and keys."""
        text = Text("\n").join(line if isinstance(line, Text) else Text(line) for line in lines)
        self.query_one("#merge-facts", Static).update(self.paint(text))
        self.query_one("#merge-keys", Label).update(self.paint(keys))

    def scroll(self, by: int) -> None:
        """Scroll the lines."""
        self.query_one(VerticalScroll).scroll_relative(y=by, animate=False)


class MergeSheet(_Scrolling, scope="merge_sheet"):
    """Asks before a merge, with all that speaks for and against it, and shows the result.

    ``unseen`` is (pages not seen, all pages) where that is known; else the marks are read.
    The result is ``"merged"``, ``"update"`` (the user wants to update from main first), or None.
    """

    def __init__(
        self, space_id: str, change_request_id: str, *, unseen: tuple[int, int] | None = None
    ) -> None:
        super().__init__("Merge")
        self._space_id = space_id
        self._change_request = change_request_id
        self._unseen = unseen
        self._request: ChangeRequest | None = None
        self._rules: RulesRead | None = None
        self._facts: list[Text | str] = []
        self._merged = False
        self._clashed = False
        """Whether it is known to conflict: then an update comes to the same."""
        self.unknown = False
        """Whether a merge was sent of which nobody knows whether it happened."""
        self.off: str | None = "Still reading what speaks for and against it."
        """Why it cannot be merged now; None when it can."""

    @property
    def _place(self) -> Place:
        place = cast("CopydeskApp", self.app).here
        assert place is not None
        return place

    def on_mount(self) -> None:
        """Read what the merge depends on."""
        self.read()

    @action(
        "R", "look again", unless=not_unknown, show=False,
        uses=("get_change_request", *merge_facts.USES),
    )  # fmt: skip
    def read(self) -> None:
        """Read what the merge depends on, and whether it is merged."""
        self.show([f"Reading{glyphs().more}"], self._keys())
        self._place.load(
            "merge sheet",
            self._read,
            self._came,
            what="Reading the merge rules",
            failed=self._failed,
        )

    async def _read(self, api: Api) -> SpokenFor:
        read = await merge_facts.read_all(api, self._space_id, self._change_request)
        if self._unseen is None and read.changes is not None:
            self._unseen = await self._not_seen(read.request.id, read.changes)
        return read

    async def _not_seen(self, request_id: str, changes: Changes) -> tuple[int, int] | None:
        """Return how many changed pages have no mark, of how many; None if that is not known."""
        pages = {change.page.id for change in changes.changes if change.page is not None}
        seen = SeenPages(self._place.session.seen, request_id)
        try:
            await seen.read()
        except OSError:
            return None
        return len(pages) - seen.count(pages), len(pages)

    def _failed(self, said: str) -> None:
        if self.is_attached:
            self.off = said
            self.show([Text(said, style="bad")], self._keys())

    def _came(self, read: SpokenFor) -> None:
        if not self.is_attached:
            return
        request, space, rules, changes = read.request, read.space, read.rules, read.changes
        self.unknown = False
        self._merged = request.status == "merged"
        self._request, self._rules = request, rules
        stuck = (request.id, request.revision, space.revision) in self._place.session.stuck
        self._clashed = stuck
        facts: list[Text | str] = [
            Text.assemble(
                (f"#{request.number} ", "muted"),
                (clean(request.subject) or "(no subject)", "strong"),
            ),
            Text.assemble(
                "into ",
                (clean(space.title), "strong"),
                "  by ",
                (name_of(request.created_by), "who"),
                "  ",
                status_text(request),
            ),
        ]
        if changes is not None:
            touched = {c.page.id for c in changes.changes if c.page is not None}
            more = " or more" if changes.more else ""
            facts.append(f"{plural(len(touched), 'changed page')}{more}")
        facts.append("")
        facts += [rule_text(result) for result in rules.results]
        if not rules.results:
            facts.append(Text("No merge rules hold in this space.", style="muted"))
        if self._merged:
            # What would speak against a merge is past.
            self.off = ALREADY
            self.show([*facts, "", Text(ALREADY, style="good")], self._keys())
            return
        warnings = self._warnings(read)
        if warnings:
            facts += ["", *(Text(f"! {said}", style="warn") for said in warnings)]
        self._facts = facts
        self.off = why_not_mergeable(request, space, rules)
        if self.off is not None:
            # The failed rules are listed above; what else is in the way is not.
            failed = any(result.outcome == "fail" for result in rules.results)
            said = "It cannot be merged while a rule is not met." if failed else self.off
            self.show([*facts, "", Text(said, style="bad")], self._keys())
        else:
            self.show([*facts, "", Text(LIVE, style="warn")], self._keys())

    def _warnings(self, read: SpokenFor) -> list[str]:
        request = read.request
        found = []
        if read.open_threads:
            verb = "is" if read.open_threads == 1 else "are"
            found.append(f"{plural(read.open_threads, 'thread')} {verb} open")
        if read.rules.stale_approvals:
            names = listed([name_of(user) for user in read.rules.stale_approvals])
            found.append(f"approved before the latest change: by {names}")
        if self._unseen is not None and self._unseen[0]:
            found.append(f"{self._unseen[0]} of {plural(self._unseen[1], 'page')} not seen by you")
        if request.outdated:
            found.append(
                "primary content has moved on since, and the last update conflicted"
                if self._clashed
                else "primary content has moved on since; U updates first"
            )
        if read.both_sides:
            titles = ", ".join(shorten(clean(t), 40, glyphs().more) for t in read.both_sides[:3])
            more = len(read.both_sides) - 3
            titles += f" and {more} more" if more > 0 else ""
            count = plural(len(read.both_sides), "page")
            found.append(f"may conflict: {count} changed on both sides: {titles}")
        return found

    def _keys(self, said: str = "") -> Text:
        text = Text(f"{said}  " if said else "", style="warn")
        request = self._request
        if self._merged:
            return Text.assemble(text, ("esc", "accent"), " close")
        if self.unknown:
            return Text.assemble(
                text, ("R", "accent"), " look whether it is merged   ", ("esc", "accent"), " close"
            )
        if self.wants_no_update() is None and request is not None and request.status == "open":
            text.append("U", style="accent").append(" update from main first   ")
        off = self.off is not None
        text.append("y", style="muted" if off else "accent")
        text.append(" merge   ", style="muted" if off else "")
        return text.append("esc", style="accent").append(" cancel")

    @action(
        "y",
        "merge",
        danger=2,
        uses=("merge_change_request", "get_change_request", *merge_facts.USES),
    )
    async def merge(self) -> None:
        """Merge it. This goes live at once. While it cannot be merged, say why."""
        request = self._request
        if self.off is not None or request is None:
            keys = self.query_one("#merge-keys", Label)
            keys.update(self.paint(self._keys(self.off or "")))
            return
        self.off = "The merge is under way."
        merging = Text(f"Merging{glyphs().more}", style="warn")
        self.show([*self._facts, "", merging], Text(""))

        target = f"#{request.number} {clean(request.subject)}"
        try:
            result, now = await self._place.perform(
                "Merge",
                target,
                lambda api: conflicts.merge(api, self._space_id, request.id),
                look=lambda api: conflicts.merged(api, self._space_id, request.id),
            )
        except WriteError as error:
            clash = error.__cause__
            if isinstance(clash, ConflictedError):
                self._place.tell(f"#{request.number} {clash}", "bad")
                self._conflicted(clash)
            else:
                self.unknown = error.unknown
                self._refused(str(error))
            return
        self._merged = now.status == "merged"
        self.off = ALREADY
        self._result(result, now)

    def _result(self, result: MergeResult | None, now: ChangeRequest) -> None:
        if not self.is_attached:
            return
        clashes = [] if result is None else conflict_lines(result.conflicts or ())
        lines: list[Text | str] = []
        if result is None or result.result == "merge" or not clashes:
            revision = (result and result.revision) or now.revision_merged or ""
            lines = [Text(f"{glyphs().passed} Merged. It is live now.", style="good")]
            lines += [HAD_ARRIVED] if result is None else []
            lines += [f"revision {clean(revision)}"] if revision else []
            lines += [clean(now.urls.app)] if now.urls.app else []
        else:
            lines = [
                Text("Merged, with conflicts: it is live, and needs hands.", style="bad"),
                "",
                *clashes,
            ]
        self.show(lines, self._keys())

    def _conflicted(self, clash: ConflictedError) -> None:
        self.off = "It conflicts with primary content; see above."
        self._clashed = True
        if not self.is_attached:
            return
        said = "Not merged: both sides changed the same things.\nNothing was changed."
        self.show([Text(said, style="bad"), *_settling(clash.conflicts)], self._keys())

    def _refused(self, said: str) -> None:
        if not self.is_attached:
            return
        rules = self._rules
        lines: list[Text | str] = [Text(said, style="bad")]
        passing = rules is not None and all(each.outcome == "pass" for each in rules.results)
        if passing and not self.unknown:
            lines += [
                "",
                Text(
                    "By what is known here every rule passes; the service knows more.",
                    style="muted",
                ),
            ]
        self.off = said
        self.show([*self._facts, "", *lines], self._keys())

    def wants_no_update(self) -> str | None:
        """Say why U does nothing here."""
        request = self._request
        if request is None or not request.outdated or self._merged:
            return "It is up to date with primary content."
        if self._clashed:
            return "An update meets the same conflicts and changes nothing."
        return None

    @action("U", "update first", unless=wants_no_update, show=False)
    def update_first(self) -> None:
        """Leave this sheet and update the change request from main."""
        self.dismiss("update")

    @action("enter", "confirms nothing", show=False)
    def enter(self) -> None:
        """Say that Enter confirms nothing here; once merged, close."""
        if self._merged:
            self.dismiss("merged")
        else:
            keys = self.query_one("#merge-keys", Label)
            keys.update(self.paint(self._keys("Enter confirms nothing.")))

    @action("escape", "close", show=False, override=True, also=("q",))
    def close_sheet(self) -> None:
        """Leave the sheet."""
        self.dismiss("merged" if self._merged else None)

    @action("j", "down", show=False, also=("down",))
    def down(self) -> None:
        """Scroll down."""
        self.scroll(1)

    @action("k", "up", show=False, also=("up",))
    def up(self) -> None:
        """Scroll up."""
        self.scroll(-1)


class ConflictSheet(_Scrolling, scope="conflict_sheet"):
    """Shows conflicts in full, under a sentence that says what happened."""

    def __init__(self, title: str, said: str, conflicts: Sequence[Conflict]) -> None:
        super().__init__(title)
        self._said = said
        self._conflicts = conflicts

    @classmethod
    def of_update(cls, label: str, clash: ConflictedError) -> ConflictSheet:
        """Return the sheet of an update that conflicted."""
        said = "Not updated: both sides changed the same things.\nNothing was changed."
        if not clash.request.outdated:
            said = "Updated, with conflicts: they are in the change request now and need hands."
        return cls(f"Update {label}", said, clash.conflicts)

    def on_mount(self) -> None:
        """Show them."""
        self.show(
            [Text(self._said, style="bad"), *_settling(self._conflicts)],
            Text.assemble(("j k", "accent"), " scroll   ", ("esc", "accent"), " close"),
        )

    @action("j", "down", show=False, also=("down",))
    def down(self) -> None:
        """Scroll down."""
        self.scroll(1)

    @action("k", "up", show=False, also=("up",))
    def up(self) -> None:
        """Scroll up."""
        self.scroll(-1)

    @action("q", "close", show=False, also=("enter",))
    def close_sheet(self) -> None:
        """Close it."""
        self.dismiss(None)

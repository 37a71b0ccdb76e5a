"""The sheet of a verdict: like any other writing, but a verdict needs no words.

What waits to be sent about the request is listed in it and goes along, unless it is unticked.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Label, Static

from copydesk.domain.text import clean, plural
from copydesk.session.writes.comments import PendingDraft
from copydesk.tui.dialogs.composer import Composer, WriteSheet
from copydesk.tui.dialogs.dialog import Fact, fact_lines
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.sources import ListSource
from copydesk.tui.widgets.list import Column, VirtualList

SHOWN = 5
"""Drafts that are shown at once."""


class VerdictComposer(Composer, scope="verdict_composer"):
    """A field that may be sent empty."""

    @action("ctrl+s", "send", danger=1, override=True)
    def send(self) -> None:
        """Send the verdict, with what was written or without a word."""
        self.keep()
        self.send_text(self.text.strip())


class DraftTicks(VirtualList[PendingDraft], scope="draft_ticks"):
    """The drafts; what is ticked goes along."""

    @action("space", "tick", show=20, also=("enter",), override=True)
    def tick(self) -> None:
        """Take the draft along, or leave it where it is; then go to the next."""
        if self.selected_id is not None:
            self.set_marks(self.marks ^ {self.selected_id})
            self.move(1)


class VerdictSheet(WriteSheet, scope="verdict_sheet"):
    """Level 1: ctrl+s gives the verdict. The result is what was written (maybe ""), or None.

    ``drafts`` are listed, with what ``where`` says of each; `going` are those that go along.
    """

    def __init__(
        self,
        title: str,
        draft_key: str,
        *,
        facts: tuple[Fact, ...] = (),
        drafts: Sequence[PendingDraft] = (),
        where: Callable[[PendingDraft], str] = lambda draft: "",
    ) -> None:
        super().__init__(title, draft_key, facts=facts)
        self.composer = VerdictComposer(draft_key, self.dismiss)
        self._drafts = list(drafts)
        self.ticks = DraftTicks(
            ListSource(self._drafts, key=lambda draft: draft.key),
            [
                Column("where", "", where, width=26, drop=1),
                Column("text", "", self._text, flex=1, minimum=20),
            ],
            header=False,
        )
        self.ticks.marks = {draft.key for draft in self._drafts}

    @staticmethod
    def _text(draft: PendingDraft) -> Text:
        text = Text(clean(draft.text, limit=400))
        if draft.why:
            text = Text.assemble(("not sent: ", "bad"), (clean(draft.why, limit=200), "bad"))
            text.append(f"  {clean(draft.text, limit=400)}")
        return text

    @property
    def going(self) -> list[PendingDraft]:
        """The drafts that go along, in the order in which they were written."""
        return [draft for draft in self._drafts if draft.key in self.ticks.marks]

    def body(self) -> ComposeResult:
        """What it is about, the field, what goes along, and the keys."""
        self.add_class("write")
        yield Static(self.paint(fact_lines(self._facts)), classes="facts")
        yield self.composer
        self._preview.display = False
        yield self._preview
        if self._drafts:
            self.add_class("long")
            yield Static(self.paint(self._along()), id="along")
            self.ticks.styles.height = min(len(self._drafts), SHOWN)
            yield self.ticks
        words = "" if self._drafts else ", with a comment or without"
        keys = Text.assemble(("ctrl+s", "accent"), f" gives it{words}   ")
        if self._drafts:
            keys.append_text(Text.assemble(("tab", "accent"), " to the drafts   "))
            keys.append_text(Text.assemble(("space", "accent"), " ticks   "))
        keys.append_text(Text.assemble(("esc", "accent"), " cancel"))
        yield Label(self.paint(keys), classes="keys")

    def _along(self) -> Text:
        going, all_of_them = len(self.ticks.marks), plural(len(self._drafts), "draft")
        if not going:
            return Text(f"{all_of_them}, none goes along", style="muted")
        text = Text(f"{going} of {all_of_them} first", style="strong")
        return text.append(", then the verdict; it waits for them", style="muted")

    def on_virtual_list_marks_changed(self, event: VirtualList.MarksChanged) -> None:
        """Count what goes along."""
        event.stop()
        self.query_one("#along", Static).update(self.paint(self._along()))

    @action("tab", "to the drafts", show=False, also=("shift+tab",))
    def other_part(self) -> None:
        """Go from the field to the drafts, or back."""
        (self.composer if self.ticks.has_focus or not self._drafts else self.ticks).focus()

    @action("ctrl+s", "give it", danger=1, override=True)
    def send_from_preview(self) -> None:
        """Give the verdict, wherever the cursor is."""
        self.composer.send()

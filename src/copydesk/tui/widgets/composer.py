"""Where text is written: comments, replies, descriptions. What was typed is never lost.

The text is kept as a draft within a second of the last key, on Esc, and when the sheet closes for
any reason but sending. `Composer` is the field; `WriteSheet` is the sheet around it (level 1).
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual.app import ComposeResult, SuspendNotSupported
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Label, Static, TextArea

from copydesk.tui.actions import Acts, action
from copydesk.tui.widgets.sheet import Fact, ScrollingSheet, fact_lines
from copydesk.tui.widgets.text_view import TextView

if TYPE_CHECKING:
    from copydesk.tui.app import CopydeskApp
    from copydesk.tui.drafts import DraftStore

AUTOSAVE_SECONDS = 0.7
"""How long after the last key the draft is kept."""

SCISSORS = "<!-- Everything below this line is only for reading and is not sent. -->"


def nothing_written(composer: Composer) -> str | None:
    """Say so when there is nothing to send."""
    return None if composer.text.strip() else "There is nothing to send yet."


class Composer(Acts, TextArea, scope="composer"):
    """A text field that keeps a draft under ``draft_key``; ``at_start`` begins before the text.

    Posts `Sent` on ctrl+s and `Left` on Esc (the draft is kept by then). Call `accepted` once the
    text has arrived, which drops the draft.
    """

    TYPES_TEXT = True

    class Sent(Message):
        """The text is to be sent."""

        def __init__(self, composer: Composer, text: str) -> None:
            super().__init__()
            self.composer = composer
            self.text = text

        @property
        def control(self) -> Composer:
            """The field."""
            return self.composer

    class Left(Message):
        """The field is left; the draft is kept."""

        def __init__(self, composer: Composer) -> None:
            super().__init__()
            self.composer = composer

        @property
        def control(self) -> Composer:
            """The field."""
            return self.composer

    def __init__(
        self,
        draft_key: str,
        *,
        text: str = "",
        quote: str = "",
        at_start: bool = False,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id, soft_wrap=True, show_line_numbers=False, tab_behavior="focus")
        self.draft_key = draft_key
        self.quote = quote
        self._given = text
        self._at_start = at_start
        self._timer: Timer | None = None
        self._kept: str | None = None
        self._done = False

    @property
    def _drafts(self) -> DraftStore:
        return cast("CopydeskApp", self.app).session.drafts

    def on_mount(self) -> None:
        """Begin with the draft, else with the text given."""
        draft = self._drafts.load(self.draft_key)
        self._kept = draft
        self.load_text(self._given if draft is None else draft)
        if not self._at_start:
            self.move_cursor(self.document.end)
        self._title("draft restored" if draft else "")

    def on_unmount(self) -> None:
        """Keep what was typed, however the field went away."""
        self.keep()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Keep the draft soon."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(AUTOSAVE_SECONDS, self.keep)

    def keep(self) -> None:
        """Keep the draft now. An unchanged or empty text makes no draft."""
        text = self.text
        if self._done or text == (self._kept if self._kept is not None else self._given):
            return
        if text.strip():
            self._drafts.save(self.draft_key, text)
        else:
            self._drafts.drop(self.draft_key)
        self._kept = text
        if self.is_attached:
            now = cast("CopydeskApp", self.app).session.clock().astimezone()
            self._title(f"saved {now:%H:%M}")

    def accepted(self) -> None:
        """Forget the draft: the text has arrived."""
        self._done = True
        self._drafts.drop(self.draft_key)

    def _title(self, said: str) -> None:
        self.border_subtitle = Content(said) if said else None

    @action("ctrl+s", "send", unless=nothing_written, danger=1)
    def send(self) -> None:
        """Send what was written."""
        self.keep()
        self.post_message(self.Sent(self, self.text.strip()))

    @action("escape", "keep as draft")
    def leave(self) -> None:
        """Keep the draft and leave."""
        self.keep()
        self.post_message(self.Left(self))

    @action("ctrl+o", "$EDITOR")
    def edit_outside(self) -> None:
        """Write in $EDITOR; the quoted text is in the file, below a line, for reading."""
        edited = edit_in_editor(cast("CopydeskApp", self.app), self.text, self.quote)
        if edited is None:
            self._title("$EDITOR is not set, or failed")
        else:
            self.load_text(edited)
            self.move_cursor(self.document.end)
            self.keep()


def edit_in_editor(app: CopydeskApp, text: str, quote: str = "") -> str | None:
    """Let the user edit text in ``$VISUAL`` or ``$EDITOR``; None when that does not work."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        return None
    body = text
    if quote:
        quoted = "\n".join(f"> {line}" for line in quote.splitlines())
        body = f"{text}\n\n{SCISSORS}\n{quoted}\n"
    with tempfile.TemporaryDirectory(prefix="copydesk-") as folder:
        path = Path(folder) / "text.md"
        path.write_text(body, encoding="utf-8")
        try:
            with app.suspend():
                status = subprocess.run([*shlex.split(editor), str(path)], check=False)  # noqa: S603 - the user's own editor
        except (OSError, SuspendNotSupported):
            return None
        if status.returncode != 0:
            return None
        edited = path.read_text(encoding="utf-8", errors="replace")
    app.redraw()
    return edited.split(SCISSORS, 1)[0].rstrip("\n")


class WriteSheet(ScrollingSheet[str], scope="write_sheet"):
    """Level 1: write and send with ctrl+s. The result is the text, or None (the draft is kept).

    Send the text with `Place.perform` and, once it has arrived, call ``session.drafts.drop(key)``:
    until then the draft stays, so that nothing is lost when the service refuses it.
    """

    DANGER = 1

    def __init__(
        self,
        title: str,
        draft_key: str,
        *,
        text: str = "",
        quote: str = "",
        facts: tuple[Fact, ...] = (),
        verb: str = "send",
        at_start: bool = False,
    ) -> None:
        super().__init__(title)
        self._facts = facts
        self._verb = verb
        self.composer = Composer(draft_key, text=text, quote=quote, at_start=at_start)
        self._preview = TextView(title="Preview", empty="Nothing written yet.")

    def body(self) -> ComposeResult:
        """What it is about, the field, the preview, and the keys."""
        self.add_class("write")
        if self._facts:
            yield Static(self.paint(fact_lines(self._facts)), classes="facts")
        yield self.composer
        self._preview.display = False
        yield self._preview
        keys = Text.assemble(
            ("ctrl+s", "accent"),
            f" {self._verb}   ",
            ("ctrl+t", "accent"),
            " preview   ",
            ("ctrl+o", "accent"),
            " $EDITOR   ",
            ("esc", "accent"),
            " keeps the draft",
        )
        yield Label(self.paint(keys), classes="keys")

    def on_mount(self) -> None:
        """Write at once."""
        self.composer.focus()

    @action("ctrl+t", "preview")
    def preview(self) -> None:
        """Show how it will read; again to write on."""
        show = not self._preview.display
        self._preview.display = show
        self.composer.display = not show
        if show:
            self._preview.set_text(self.composer.text)
            self.call_after_refresh(self._preview.focus)
        else:
            self.call_after_refresh(self.composer.focus)

    @action("ctrl+s", "send", danger=1, unless=lambda sheet: nothing_written(sheet.composer))
    def send_from_preview(self) -> None:
        """Send what was written, also while its preview is shown."""
        self.composer.send()

    def on_composer_sent(self, event: Composer.Sent) -> None:
        """Answer with the text; the caller sends it."""
        event.stop()
        self.dismiss(event.text)

    def on_composer_left(self, event: Composer.Left) -> None:
        """Leave without sending."""
        event.stop()
        self.dismiss(None)

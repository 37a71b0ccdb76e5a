"""A sheet that asks for one line: a title, a path, a number. What was typed is never lost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Input, Label

from copydesk.domain.text import typed
from copydesk.session.errors import failure_types, write_sentence
from copydesk.session.writes.log import QueuedError, WriteError
from copydesk.tui.dialogs.dialog import Sheet
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.desk_app import begin, desk_of
from copydesk.tui.framework.line_field import LineField

if TYPE_CHECKING:
    from textual.timer import Timer

    from copydesk.session.drafts import CountedDrafts

KEEP_SECONDS = 0.7
"""How long after a key the typed text is saved."""

KEYS = Text.assemble(
    ("enter", "accent"), " or ", ("ctrl+s", "accent"), " take   ", ("esc", "accent"),
    " leave, keeps it",
)  # fmt: skip


class AskInput(LineField, scope="ask_input"):
    """The field of an `Ask`."""

    @action("ctrl+s", "take", show=False, danger=1)
    def send(self) -> None:
        """Take the line, as Enter does."""
        cast("Ask", self.screen).take(self.value)

    @action("escape", "cancel", word="back", show=False)
    def cancel_ask(self) -> None:
        """Leave it as it was."""
        cast("Ask", self.screen).dismiss(None)


class Ask(Sheet[str]):
    """Ask for a line of text. The result is the line, or None.

    The line is kept under ``draft_key`` when the sheet closes and is there when it opens again,
    until the caller drops the draft: once what was typed has arrived.

    ``check`` takes the text and returns None, or what is wrong with it as a sentence. Enter takes
    the text, and so does ctrl+s, which sends longer ones: use it only for what can be undone, or
    ask again with `Confirm` afterwards. With ``send`` it sends the text itself, stays with the
    reason when that fails, and drops the draft once it has arrived.
    """

    TAKES_TEXT = True

    def __init__(
        self,
        title: str,
        label: str,
        *,
        draft_key: str,
        value: str = "",
        check: Callable[[str], str | None] = lambda text: None,
        send: Callable[[str], Awaitable[Any]] | None = None,
    ) -> None:
        super().__init__(title)
        self._send = send
        self._label = label
        self._draft_key = draft_key
        self._value = self._typed = typed(value)
        self._check = check
        self._taken = False
        self._timer: Timer | None = None
        self.under_way = False
        """Whether it is being sent: Enter again sends nothing."""

    def body(self) -> ComposeResult:
        yield Label(self._label, markup=False)
        self._drafts.opened(self._draft_key)
        draft = self._drafts.load(self._draft_key)
        self._typed = self._value if draft is None else typed(draft)
        field = AskInput(self._typed, compact=True)
        # Typing goes on after what is there: it is no suggestion to be replaced.
        field.select_on_focus = False
        yield field
        lead = Text("what you typed before is back   " if draft else "", style="warn")
        yield Label(self.paint(Text.assemble(lead, KEYS)), classes="keys", id="ask-keys")

    @property
    def _drafts(self) -> CountedDrafts:
        return desk_of(self).session.drafts

    def on_unmount(self) -> None:
        """Save the typed text, however the dialog was closed."""
        self.keep_typed()
        self._drafts.closed(self._draft_key)

    def keep_typed(self) -> None:
        """Save the typed text, unless it was taken."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        if not self._taken:
            self._keep()

    def _keep(self) -> None:
        text = self._typed.strip()
        if text and text != self._value.strip():
            self._drafts.save(self._draft_key, text)
        else:
            self._drafts.drop(self._draft_key)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value == self._typed:
            return
        self._typed = event.value
        self._say(self._check(event.value.strip()))
        if self._timer is None:  # not put off by the keys that follow
            self._timer = self.set_timer(KEEP_SECONDS, self.keep_typed)

    def _say(self, said: str | None) -> None:
        line = KEYS if said is None else Text(said, style="warn")
        self.query_one("#ask-keys", Label).update(self.paint(line))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.take(event.value)

    def take(self, line: str) -> None:
        """Take a line if nothing is wrong with it."""
        text = line.strip()
        self._typed = text
        wrong = self._check(text)
        if wrong is not None:
            self._say(wrong)
        else:
            # Kept before the caller sends it, which drops it when it has arrived.
            self._keep()
            if self._send is None:
                self._taken = True
                self.dismiss(text)
            else:
                begin(self, self._deliver, self._send, text)

    async def _deliver(self, send: Callable[[str], Awaitable[Any]], text: str) -> None:
        if self.under_way:
            return
        self.under_way = True
        self._say("Sending.")
        try:
            await send(text)
        except QueuedError as error:
            self._taken = True
            self._drafts.drop(self._draft_key)
            self.dismiss(None)
            if (here := desk_of(self).here) is not None:
                here.tell(str(error), "warn")
        except WriteError as error:
            self._say(write_sentence(error.__cause__ or error, again="enter"))
        except failure_types() as error:
            self._say(write_sentence(error, again="enter"))
        else:
            self._taken = True
            self._drafts.drop(self._draft_key)
            self.dismiss(text)
        finally:
            self.under_way = False

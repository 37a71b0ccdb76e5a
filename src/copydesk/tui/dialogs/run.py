"""A sheet that sends a list of requests one by one, and says how far it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import Literal

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Label, Static

from copydesk.present.facts import hint
from copydesk.session.glyphs import glyphs
from copydesk.session.writes.log import WriteError
from copydesk.tui.dialogs.dialog import Fact, ScrollingSheet, fact_lines, scrolled
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.desk_app import begin

State = Literal["asking", "sending", "stopped"]

Send = Callable[[int], Awaitable[None]]
"""Sends one of the list, by its place; raises `WriteError` with what to tell."""


def not_asking(sheet: RunSheet) -> str | None:
    """Say so when the question has been answered."""
    return None if sheet.state == "asking" else "Sending has begun."


def not_stopped(sheet: RunSheet) -> str | None:
    """Say so when nothing has failed."""
    return None if sheet.state == "stopped" else "Nothing has failed."


def no_way_back(sheet: RunSheet) -> str | None:
    """Return why the sent steps cannot be undone; None where they can."""
    return None if sheet.goes_back else "This cannot be undone."


class RunSheet(ScrollingSheet[int], scope="run"):
    """Level 2: the list, then ``y``. It stops at the first failure: ``r`` sends that one again.

    With ``back`` the key ``b`` takes back then what was sent. What was ``agreed`` to before begins
    at once. The result is how many were sent, or None when it was left before anything was.
    """

    DANGER = 2

    def __init__(
        self,
        title: str,
        lines: Sequence[str],
        send: Send,
        *,
        verb: str,
        facts: Sequence[Fact] = (),
        left: str = "pause, the rest stays staged",
        back: Callable[[], Awaitable[None]] | None = None,
        agreed: bool = False,
    ) -> None:
        super().__init__(title)
        self._back = back
        self._agreed = agreed
        self._left = left
        self._lines = lines
        self._send = send
        self._verb = verb
        self._facts = facts
        self._took: list[float] = []
        self._failure = ""
        self._stop = False
        self.state: State = "asking"

    @property
    def goes_back(self) -> bool:
        """Whether something was sent that can be taken back."""
        return self._back is not None and bool(self._took)

    def body(self) -> ComposeResult:
        yield scrolled(Static(self._list(), id="run-lines"))
        if self._facts:
            yield Static(self.paint(fact_lines(self._facts)), classes="warning")
        yield Static("", id="run-failure", classes="warning")
        yield Label(self._keys(), classes="keys", id="run-keys")

    def on_mount(self) -> None:
        """Show no failure yet, and begin where that was agreed to."""
        self.query_one("#run-failure").display = False
        if self._agreed:
            begin(self, self._run)

    def _list(self) -> Content:
        signs = glyphs()
        number = len(str(len(self._lines)))
        text = Text()
        for at, line in enumerate(self._lines):
            if at:
                text.append("\n")
            text.append(f"{at + 1:>{number}}  ", style="muted")
            text.append(line)
            if at < len(self._took):
                text.append(f"  {signs.passed} {self._took[at]:.1f} s", style="good")
            elif at == len(self._took) and self.state == "sending":
                text.append(f"  {signs.more}", style="accent")
            elif at == len(self._took) and self.state == "stopped" and self._failure:
                text.append(f"  {signs.failed}", style="bad")
        return self.paint(text)

    def _keys(self, said: str = "") -> Content:
        keys = Text(f"{said}  " if said else "", style="warn")
        if self.state == "asking":
            keys.append_text(
                Text.assemble(("y", "accent"), f" {self._verb}   ", ("esc", "accent"), " not now")
            )
        elif self.state == "sending":
            keys.append(f"{len(self._took)} of {len(self._lines)} sent   ")
            keys.append_text(Text.assemble(("esc", "accent"), " stop after this one"))
        else:
            keys.append_text(
                Text.assemble(
                    ("r", "accent"),
                    " go on   " if not self._failure else " try again   ",
                    ("p", "accent"),
                    f" {self._left}",
                )
            )
            if self.goes_back:
                keys.append_text(Text.assemble(("   b", "accent"), " undo what was sent"))
        return self.paint(keys)

    def _show(self, said: str = "") -> None:
        if not self.is_attached:
            return
        self.query_one("#run-lines", Static).update(self._list())
        lines = self.query_one(VerticalScroll)
        if self.state != "asking":
            lines.scroll_to(y=len(self._took) - lines.size.height // 2, animate=False)
        failure = self.query_one("#run-failure", Static)
        failure.display = bool(self._failure)
        failure.update(self.paint(hint(self._failure, "bad")))
        self.query_one("#run-keys", Label).update(self._keys(said))

    @action("y", "send", unless=not_asking, danger=2)
    async def confirm(self) -> None:
        """Send them one by one."""
        await self._run()

    @action("r", "try again", word="retry", unless=not_stopped, danger=2)
    async def again(self) -> None:
        """Send the one that failed again, and go on."""
        await self._run()

    @action("b", "undo", word="undo", unless=(not_stopped, no_way_back), danger=2)
    async def take_back(self) -> None:
        """Undo the sent steps."""
        assert self._back is not None
        try:
            await self._back()
        except WriteError as error:
            self._failure = str(error)
            self._show()
        else:
            self.dismiss(0)

    @action("p", "pause", word="pause", unless=not_stopped)
    def keep_rest(self) -> None:
        """Leave the sent steps as they are; the rest stays staged."""
        self.dismiss(len(self._took))

    @action("escape", "not now", word="back", show=False, override=True)
    def cancel(self) -> None:
        """Before anything is sent, leave; while sending, stop after the call under way."""
        if self.state == "sending":
            self._stop = True
            self._show("Stopping.")
        else:
            self.dismiss(len(self._took) if self._took else None)

    async def _run(self) -> None:
        self.state, self._failure, self._stop = "sending", "", False
        self._show()
        while len(self._took) < len(self._lines):
            began = monotonic()
            try:
                await self._send(len(self._took))
            except WriteError as error:
                self.state, self._failure = "stopped", str(error)
                self._show()
                return
            self._took.append(monotonic() - began)
            if self._stop and len(self._took) < len(self._lines):
                self.state = "stopped"
                self._show()
                return
            self._show()
        if self.is_attached:
            self.dismiss(len(self._took))

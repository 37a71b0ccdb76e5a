"""Sheets that ask before a write, shaped after the danger (docs/tui.md, Dialogs).

Level 0 does not ask. Level 1 is the sheet in which something is written: ``ctrl+s`` sends it
(`copydesk.tui.dialogs.composer`). Level 2 (`Confirm`) shows facts and takes ``y``. Level 3
(`TypeToConfirm`) takes a typed count or name. Each looks different, so that no habit carries a hand
from one to the next, and Enter confirms none of them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar, cast

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.await_complete import AwaitComplete
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Label, Static

from copydesk.client.errors import CheckoutNeeded
from copydesk.domain.address import web_address
from copydesk.domain.request_context import CAUSE
from copydesk.domain.text import clean
from copydesk.session.glyphs import glyphs
from copydesk.tui.framework.actions import Acts, action
from copydesk.tui.framework.desk_app import keyboard_of
from copydesk.tui.framework.inside_textual import SteadyScreen
from copydesk.tui.framework.line_field import LineField
from copydesk.tui.framework.pane import HEIGHTS, Pane, is_bare, keyed
from copydesk.tui.framework.place import style_path

if TYPE_CHECKING:
    from copydesk.session.writes.log import WriteError
    from copydesk.tui.framework.place import Place

R = TypeVar("R")

Fact = str | Text


class Box(VerticalScroll, can_focus=False):
    """The frame of a sheet: what does not fit scrolls, and it says so on its lower edge."""

    def __init__(self, title: str, classes: str) -> None:
        super().__init__(classes=classes)
        self.title, self.said = title, ""
        self.border_title = Content(title)

    def entitle(self, title: str) -> None:
        """Put another title above it."""
        self.title = title
        self.border_title = Content(title)

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Show how many lines are above and below now."""
        super().watch_scroll_y(old_value, new_value)
        self.say_more()

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._settle)

    def _settle(self) -> None:
        """Keep the field in focus in sight where the screen shrank, and say what is beside it."""
        field = self.screen.focused if self.is_attached else None
        if field is not None and self in field.ancestors:
            self.scroll_to_widget(field, animate=False)
        self.say_more()

    def watch_virtual_size(self) -> None:
        self.call_after_refresh(self.say_more)

    def say_more(self) -> None:
        """Show on its edge what was said, or how much is above and below."""
        if not self.is_attached:
            return  # the sheet closed meanwhile
        above, below = self.scroll_y > 0, self.scroll_y < self.max_scroll_y
        signs = glyphs()
        said = f"{signs.up if above else ''}{signs.down if below else ''}"
        edge = self.said or (f"{said} more (up, down)" if said else "")
        self.border_subtitle = Content(edge) if edge else None
        # A very low terminal leaves the upper edge alone.
        more = f"  {said}" if said and self.screen.has_class("-bare") else ""
        self.border_title = Content(f"{self.title}{more}")


class Sheet(Acts, ModalScreen[R], SteadyScreen[R], Generic[R], scope="sheet"):
    """A modal box. Esc leaves it without effect; its result is None then."""

    CSS_PATH = style_path("sheets")
    DANGER: int = 1
    ASKS: ClassVar[bool] = True
    """Whether it wants an answer: then it does not open over what its user went on to."""
    TAKES_TEXT: ClassVar[bool] = False
    """Whether it is there for text: what its user typed before it came is for it."""
    DECIDES: ClassVar[bool] = False
    """Whether its keys agree to something: none that was typed before it came is for it."""
    VERTICAL_BREAKPOINTS = HEIGHTS

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title
        self.cause = CAUSE.get()
        """The actions that opened it."""
        self._leaving_with: tuple[R | None] | None = None
        self.seen_at: float | None = None
        """When it was drawn first, on the clock of the keys; None before that."""
        self.under_way = False
        """Whether its text is being sent: keys are for the next screen."""

    @property
    def heading(self) -> str:
        """What stands above it."""
        return self._title

    def compose(self) -> ComposeResult:
        """A titled box around the body."""
        self._box = Box(self._title, f"sheet -danger-{self.DANGER}")
        with self._box:
            yield from self.body()

    def dismiss(self, result: R | None = None) -> AwaitComplete:
        """Leave it with a result: once, and where something lies upon it, when that has gone.

        Textual takes away what is in front, whichever screen asks for it: the second of two quick
        keys would take the place below.
        """
        if self.is_active:
            return super().dismiss(result)
        if self in self.app.screen_stack and self._leaving_with is None:
            self._leaving_with = (result,)
        return AwaitComplete()

    def on_mount(self) -> None:
        """Take the keys typed before it opened."""
        self.call_after_refresh(self._was_drawn)
        if (keyboard := keyboard_of(self)) is not None:
            keyboard.ahead.came(self, field=self.TAKES_TEXT)

    def _was_drawn(self) -> None:
        keyboard = keyboard_of(self)
        self.seen_at = None if keyboard is None else keyboard.clock()

    def say_of_key(self, said: str) -> None:
        """Say on its lower edge what a key came to, until the next one."""
        keyboard = keyboard_of(self)
        said = said if keyboard is None else keyboard.said(said, self)
        if self.is_mounted and said != self._box.said:
            self._box.said = said
            self._box.say_more()

    def clear_message(self) -> None:
        """Take away what was said of the key before."""
        self.say_of_key("")

    def on_screen_resume(self) -> None:
        """Leave it now that it is in front, if that was asked for."""
        if self._leaving_with is not None:
            self.dismiss(*self._leaving_with)

    def on_resize(self, event: events.Resize) -> None:
        self.set_class(is_bare(event.size), "-bare")

    @abstractmethod
    def body(self) -> ComposeResult:
        """Yield the widgets of the box."""

    def paint(self, text: Text) -> Content:
        """Return text with its tones and this user's keys, for Textual's own widgets."""
        return Content.from_rich_text(keyed(self, text), console=self.app.console)

    @action("escape", "cancel", word="back", show=False)
    def cancel(self) -> None:
        """Leave the dialog; nothing is sent."""
        self.dismiss(None)


BEYOND = 1_000_000
"""More lines than anything has that is shown in a sheet."""


class ScrollingSheet(Sheet[R], scope="scrolling_sheet"):
    """A sheet whose content may be longer than the box, moved through as in a place."""

    @action("j", "down", show=False, also=("down",), group="Move")
    def down(self) -> None:
        """Go down."""
        self._scroll(lines=1)

    @action("k", "up", show=False, also=("up",), group="Move")
    def up(self) -> None:
        """Go up."""
        self._scroll(lines=-1)

    @action("ctrl+d", "half page down", show=False, also=("pagedown",), group="Move")
    def half_down(self) -> None:
        """Go down half a page."""
        self._scroll(pages=0.5)

    @action("ctrl+u", "half page up", show=False, also=("pageup",), group="Move")
    def half_up(self) -> None:
        """Go up half a page."""
        self._scroll(pages=-0.5)

    @action("g g", "top", word="first", show=False, also=("home",), group="Move")
    def to_top(self) -> None:
        """Go to the top."""
        self._scroll(lines=-BEYOND)

    @action("G", "end", word="last", show=False, also=("end",), group="Move")
    def to_end(self) -> None:
        """Go to the end."""
        self._scroll(lines=BEYOND)

    def _scroll(self, *, lines: int = 0, pages: float = 0.0) -> None:
        """Move what can be moved: the pane in focus, the only pane, or the facts."""
        focused = self.focused
        pane = focused if isinstance(focused, Pane) else next(iter(self.query(Pane)), None)
        if pane is not None:
            pane.move(lines) if lines else pane.move_page(pages)
            return
        box = self.query_one(Box)
        step = lines or int(max(1, box.size.height * abs(pages))) * (1 if pages > 0 else -1)
        box.scroll_relative(y=step, animate=False)


def scrolled(content: Static) -> VerticalScroll:
    """Return the part of a dialog that scrolls, which never has the focus."""
    return VerticalScroll(content, classes="facts", can_focus=False)


def fact_lines(facts: Sequence[Fact]) -> Text:
    """Join facts, one a line. No word of one is a key of ours, except in a `hint`."""
    return Text("\n").join(fact if isinstance(fact, Text) else Text(fact) for fact in facts)


class Confirm(ScrollingSheet[bool], scope="confirm"):
    """Level 2: facts, then ``y``. The result is True, or None when it was left.

    ``leaves`` is what Esc does, in a word, where it is not simply that nothing is done.
    """

    DANGER = 2
    DECIDES = True

    def __init__(
        self,
        title: str,
        facts: Sequence[Fact],
        *,
        verb: str,
        warning: Fact = "",
        leaves: str = "cancel",
    ) -> None:
        super().__init__(title)
        self._leaves = leaves
        self._facts = facts
        self._verb = verb
        self._warning = warning

    def body(self) -> ComposeResult:
        yield scrolled(Static(self.paint(fact_lines(self._facts))))
        if self._warning:
            yield Static(self.paint(fact_lines([self._warning])), classes="warning")
        yield Label(self.paint(self._keys()), classes="keys")

    def _keys(self) -> Text:
        return Text.assemble(
            ("y", "accent"), f" {self._verb}   ", ("esc", "accent"), f" {self._leaves}"
        )

    @action("y", "confirm", danger=2)
    def confirm(self) -> None:
        """Do it."""
        self.dismiss(True)


class Notice(ScrollingSheet[None], scope="notice"):
    """Facts to read, with nothing to decide: esc closes it."""

    ASKS = False

    def __init__(self, title: str, facts: Sequence[Fact]) -> None:
        super().__init__(title)
        self._facts = facts

    def body(self) -> ComposeResult:
        yield scrolled(Static(self.paint(fact_lines(self._facts))))
        keys = Text.assemble(("esc", "accent"), " close")
        yield Label(self.paint(keys), classes="keys")

    @action("escape", "close", word="back", show=False, override=True)
    def cancel(self) -> None:
        """Close it."""
        self.dismiss(None)


LONGEST_TYPED = 36
"""Characters that anybody is asked to type."""


def typable(name: str) -> str:
    """Return what of a name can be typed: its letters, digits and plain signs, and not too many.

    A name may be an emoji, or longer than the line in which it would be typed; empty when nothing
    is left of it.
    """
    kept = "".join(sign if sign.isalnum() or sign.isascii() else " " for sign in name)
    words = kept.split()
    while len(words) > 1 and len(" ".join(words)) > LONGEST_TYPED:
        words.pop()
    return " ".join(words)[:LONGEST_TYPED]


async def offer_checkout(place: Place, title: str, error: WriteError) -> bool:
    """Offer to open the checkout that a service answered with; False where it was another answer.

    Nothing was done then: the service wants a plan bought first.
    """
    cause = error.__cause__
    if not isinstance(cause, CheckoutNeeded):
        return False
    url = web_address(cause.url)
    facts = ["Nothing was done. This takes another subscription, sold at:", ""]
    if not url:
        place.tell("Nothing was done: this takes another subscription.", "warn")
    elif await place.desk.push_screen_wait(
        Confirm(title, [*facts, Text(clean(url), style="link")], verb="open it in the browser")
    ):
        place.desk.open_url(url)
        place.say("Opened in the browser. Once the plan is bought, do it again.")
    return True


class ConfirmInput(LineField, scope="confirm_input"):
    """The field in which the count or the name is typed."""

    @action("escape", "cancel", word="back", show=False)
    def cancel_typing(self) -> None:
        """Leave the dialog; nothing is sent."""
        cast("TypeToConfirm", self.screen).dismiss(None)


class TypeToConfirm(ScrollingSheet[bool], scope="type_to_confirm"):
    """Level 3: type the count or the name, then ctrl+s. The result is True, or None.

    Of a name that no keyboard has, or a long one, what is `typable` is enough.
    """

    DANGER = 3

    def __init__(
        self, title: str, facts: Sequence[Fact], *, expect: str, verb: str, what: str = "the name"
    ) -> None:
        super().__init__(title)
        self._facts = facts
        self._expect = typable(expect) or verb
        self._verb = verb
        self._what = what

    def body(self) -> ComposeResult:
        yield scrolled(Static(self.paint(fact_lines(self._facts))))
        ask = Text.assemble(f"Type {self._what} to go on: ", (self._expect, "strong"))
        yield Label(self.paint(ask), classes="ask")
        yield ConfirmInput(classes="typed", compact=True)
        yield Label(self.paint(self._keys()), classes="keys", id="type-keys")

    def _keys(self, said: str = "") -> Text:
        matches = self._typed() == self._expect
        lead = Text(f"{said}  " if said else "", style="warn")
        return Text.assemble(
            lead,
            ("ctrl+s", "accent" if matches else "muted"),
            (f" {self._verb}   ", "" if matches else "muted"),
            ("esc", "accent"),
            " cancel",
        )

    def _typed(self) -> str:
        fields = self.query(ConfirmInput)
        return " ".join(fields.first().value.split()) if fields else ""

    def on_input_changed(self, event: Input.Changed) -> None:
        """Light the key once it matches."""
        event.stop()
        self.query_one("#type-keys", Label).update(self.paint(self._keys()))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        said = self._keys("Enter confirms nothing.")
        self.query_one("#type-keys", Label).update(self.paint(said))

    @action("ctrl+s", "confirm", danger=3)
    def send(self) -> None:
        """Confirm, if the typed word is the one asked for."""
        if self._typed() == self._expect:
            self.dismiss(True)
        else:
            said = f"That is not {self._what}."
            self.query_one("#type-keys", Label).update(self.paint(self._keys(said)))


class ProblemsSheet(ScrollingSheet[bool], scope="problems_sheet"):
    """What is wrong, each with where it is. The result is True to edit again, else None."""

    def __init__(self, title: str, facts: Sequence[Fact]) -> None:
        super().__init__(title)
        self._facts = facts

    def body(self) -> ComposeResult:
        yield scrolled(Static(self.paint(fact_lines(self._facts))))
        kept = Text("Nothing was sent; what you wrote is kept.", style="muted")
        yield Static(self.paint(kept), classes="warning")
        keys = Text.assemble(("r", "accent"), " edit again   ", ("esc", "accent"), " later")
        yield Label(self.paint(keys), classes="keys")

    @action("r", "edit again", word="retry")
    def again(self) -> None:
        """Open the editor again, with the text as it is."""
        self.dismiss(True)

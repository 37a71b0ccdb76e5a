"""The fields of a form: their declaration, and the widgets that edit them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, cast

from rich.text import Text
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import typed
from copydesk.tui.framework.actions import Acts, action
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.line_field import LineField
from copydesk.tui.widgets.text_field import TextField

if TYPE_CHECKING:
    from copydesk.session.options import Option
    from copydesk.tui.dialogs.form import Form


QUIET = ("", "null")
"""The ids that are no value: unset, and null. They are drawn apart from values."""


class FormChoice(Acts, Widget, scope="form_choice", can_focus=True):
    """One of the options, shown between arrows: ``< admin >``.

    ``value`` is the id of the option; left, right and Space go through them, a letter jumps to the
    next that begins with it, ctrl+o opens the list. With ``value`` "" where there is no such
    option, nothing is chosen yet.
    """

    TYPES_TEXT = True
    DEFAULT_CSS = "FormChoice { height: 1; width: 1fr; padding: 0 1; }"

    value: reactive[str] = reactive("", layout=False)

    class Changed(Message):
        """Another option was chosen."""

    def __init__(self, options: Sequence[Option], value: str) -> None:
        super().__init__()
        self.options = options
        ids = [option.id for option in options]
        self.set_reactive(FormChoice.value, value if value in ids else "")

    @property
    def said(self) -> str:
        """The id of the chosen option."""
        return self.value

    def put(self, text: str) -> None:
        """Choose an option by its id."""
        if any(option.id == text for option in self.options):
            self.value = text

    def watch_value(self, old: str, new: str) -> None:
        if old != new:
            self.post_message(self.Changed())

    def render(self) -> Content:
        """The option between arrows, its place among them, and its note."""
        at = self._at()
        if at is None:
            line = Text("choose with left and right", style="muted")
        else:
            option = self.options[at]
            line = Text(option.title, style="emphasis" if option.id in QUIET else "strong")
            if option.note:
                line.append(f"   {option.note}", style="muted")
        arrow = "accent" if self.has_focus else "muted"
        line = Text.assemble(("< ", arrow), line, (" >", arrow))
        if self.has_focus and at is not None:
            line.append(f"   {at + 1} of {len(self.options)}, left and right", style="muted")
        return Content.from_rich_text(line, console=self.app.console)

    def _at(self) -> int | None:
        ids = [option.id for option in self.options]
        return ids.index(self.value) if self.value in ids else None

    def _step(self, by: int) -> None:
        at = self._at()
        if at is None:
            at = -1 if by > 0 else 0
        self.value = self.options[(at + by) % len(self.options)].id

    async def on_key(self, event: events.Key) -> None:
        """Jump to the next option that begins with a letter; the other keys are declared below."""
        letter = event.character
        if letter is None or not letter.isalnum():
            return
        event.stop()
        event.prevent_default()
        start = (self._at() or 0) + 1 if self._at() is not None else 0
        after = [*self.options[start:], *self.options[:start]]
        for option in after:
            if option.title.casefold().startswith(letter.casefold()):
                self.value = option.id
                return
        cast("Form", self.screen).begins_none(letter)

    def put_cursor(self) -> None:
        """Put the real cursor there while it has the focus: it has none of its own."""
        if self.has_focus:
            self.app.cursor_position = self.content_region.offset

    async def on_click(self, event: events.Click) -> None:
        """Open the list."""
        event.stop()
        self.focus()
        begin(self.screen, cast("Form", self.screen).choose_for, self)

    @action("right", "next value", word="right", show=False, also=("space",))
    def next_value(self) -> None:
        """Take the next value; after the last comes the first."""
        self._step(1)

    @action("left", "previous value", word="left", show=False)
    def previous_value(self) -> None:
        """Take the previous value."""
        self._step(-1)

    @action("ctrl+o", "choose", show=False)
    async def choose(self) -> None:
        """Choose the value from a list."""
        await cast("Form", self.screen).choose_for(self)

    @action("escape", "cancel", word="back", show=False)
    def cancel_form(self) -> None:
        """Leave the form; its values are kept."""
        cast("Form", self.screen).leave()

    @action("tab", "next field", show=False, also=("down",))
    def next_field(self) -> None:
        """Go to the next field."""
        self.screen.focus_next()

    @action("enter", "next field", show=False)
    def enter(self) -> None:
        """Go to the next field; in the last one say which key sends them."""
        cast("Form", self.screen).enter(self)

    @action("shift+tab", "previous field", show=False, also=("up",))
    def previous_field(self) -> None:
        """Go to the previous field."""
        self.screen.focus_previous()


def no_offers(field: Any) -> str | None:
    """Say so when there is nothing to choose for a field."""
    form = cast("Form", field.screen)
    return None if form.offers_of(field) is not None else "There is nothing to choose here: type."


class FormInput(LineField, scope="form_input"):
    """A field of one line."""

    @property
    def said(self) -> str:
        return self.value

    def put(self, text: str) -> None:
        """Put a text in it that was chosen; typing goes on after it."""
        self.value = text
        self.cursor_position = len(text)

    @action("escape", "cancel", word="back", show=False)
    def cancel_form(self) -> None:
        """Leave the form; its values are kept."""
        cast("Form", self.screen).leave()

    @action("tab", "next field", show=False, also=("down",))
    def next_field(self) -> None:
        """Go to the next field."""
        self.screen.focus_next()

    @action("enter", "next field", show=False)
    def enter(self) -> None:
        """Go to the next field; in the last one say which key sends them."""
        cast("Form", self.screen).enter(self)

    @action("shift+tab", "previous field", show=False, also=("up",))
    def previous_field(self) -> None:
        """Go to the previous field."""
        self.screen.focus_previous()

    @action("ctrl+o", "choose", unless=no_offers, show=False)
    async def choose(self) -> None:
        """Choose one of the field's options; the text can be changed afterwards."""
        await cast("Form", self.screen).choose_for(self)


class FormText(TextField, scope="form_text"):
    """A field of several lines."""

    @property
    def said(self) -> str:
        return self.text

    def put(self, text: str) -> None:
        """Put a chosen text in it; ctrl+z brings the former text back."""
        self.replace(text, (0, 0), self.document.end)
        self.move_cursor(self.document.end)

    @action("escape", "cancel", word="back", show=False)
    def cancel_form(self) -> None:
        """Leave the form; its values are kept."""
        cast("Form", self.screen).leave()

    @action("tab", "next field", show=False)
    def next_field(self) -> None:
        """Go to the next field."""
        self.screen.focus_next()

    @action("shift+tab", "previous field", show=False)
    def previous_field(self) -> None:
        """Go to the previous field."""
        self.screen.focus_previous()

    @action("ctrl+o", "choose", unless=no_offers, show=False)
    async def choose(self) -> None:
        """Choose some of the field's options; the text can be changed afterwards."""
        await cast("Form", self.screen).choose_for(self)


Entry = FormInput | FormText | FormChoice
"""The widgets that a field may be."""


@dataclass(frozen=True)
class Field:
    """One field: its name in the result, its label, and its first text.

    ``check`` takes the text and returns None, or what is wrong with it as a sentence. ``note``
    takes it too and returns what to know about a text that is different, such as that an address
    changes; where it is always the same it is a text. ``lines`` above 1 makes it a field of that
    height for longer text. ``offers`` reads what can be chosen for it: options whose ids are texts;
    with ``several`` any number of them, which that text stands between. ``options`` make it a
    choice of one of them, by its id. ``help`` and ``limits`` are shown while it has the focus;
    ``empty`` is what it says while nothing is in it, ``nothing`` is said where nothing is offered.
    A ``required`` one may not be sent empty. One that is ``named`` holds ids that are offered: it
    shows what they are called.
    """

    name: str
    label: str
    value: str = ""
    check: Callable[[str], str | None] = lambda text: None
    note: str | Callable[[str], str] = ""
    lines: int = 1
    offers: Callable[[], Awaitable[Sequence[Option]]] | None = None
    several: str = ""
    options: Sequence[Option] = ()
    help: str = ""
    limits: str = ""
    empty: str = ""
    nothing: str = ""
    required: bool = False
    named: bool = False

    def __post_init__(self) -> None:
        """Take of the value what may stand in the field: nothing else is different from it."""
        if not self.options:
            object.__setattr__(self, "value", self._typed(self.value))

    def _typed(self, text: str) -> str:
        return typed(text, lines=self.lines > 1)

    def takes(self, offered: str) -> bool:
        """Whether the id of an option is the same once it stands in the field."""
        return self._typed(offered) == offered

    def joined(self, parts: Sequence[str]) -> str:
        """Return several as one text, or the one that there is."""
        return self.several.join(parts) if self.several else "".join(parts)

    def parts(self, text: str) -> list[str]:
        """Return what of several a text names, or the text where it is one."""
        if not self.several:
            return [text] if text else []
        return [part.strip() for part in text.split(self.several.strip() or "\n") if part.strip()]

    def make(self, value: str) -> Entry:
        """Return the widget for it, with a text in it."""
        if self.options:
            return FormChoice(self.options, value)
        if self.lines > 1:
            text = FormText(
                value, soft_wrap=True, tab_behavior="focus", compact=True, placeholder=self.empty
            )
            text.styles.height = self.lines
            if value.count("\n") < self.lines:
                text.move_cursor(text.document.end)
            return text
        line = FormInput(value, compact=True, placeholder=self.empty)
        # Typing goes on after what is there: a name is mended more often than replaced.
        line.select_on_focus = False
        return line

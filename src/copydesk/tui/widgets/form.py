"""A sheet with several fields: a title, a path, a description. What was typed is kept.

It sends them itself and closes once they have arrived. Until then they are a draft: nothing is
lost by Esc, nor when the service refuses them or cannot be reached.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Label, Static, TextArea

from copydesk.tui.actions import Acts, action
from copydesk.tui.widgets.prompt import PromptInput
from copydesk.tui.widgets.sheet import Fact, Sheet, fact_lines

if TYPE_CHECKING:
    from copydesk.tui.app import CopydeskApp
    from copydesk.tui.drafts import DraftStore
    from copydesk.tui.widgets.choice import Option


KEEP_SECONDS = 0.7
"""How long after a key what is typed is on disk: no more than that is lost with the program."""

REFUSED_FIELD = re.compile(r"\bbody\.(\w+)(?:\.\w+|\[\d+\])*: *(.+)", re.DOTALL)
"""Where the service says which field it does not accept, and why."""

Send = Callable[[Mapping[str, str]], Awaitable[Any]]
"""Sends what is in the fields; raises `WriteError` with what to tell."""


@dataclass(frozen=True)
class Field:
    """One field: its name in the result, its label, and what is in it at first.

    ``check`` takes the text and returns None, or what is wrong with it as a sentence. ``note``
    takes it too and returns what to know about a text that is different, such as that an address
    changes; where it is always the same it is a text. ``lines`` above 1 makes it a field of that
    height for longer text. ``offers`` reads what can be chosen for it: options whose ids are texts.
    """

    name: str
    label: str
    value: str = ""
    check: Callable[[str], str | None] = lambda text: None
    note: str | Callable[[str], str] = ""
    lines: int = 1
    offers: Callable[[], Awaitable[Sequence[Option]]] | None = None


def form_unchanged(form: Form) -> str | None:
    """Say so when every field is as it was."""
    return None if form.new or form.changed() else "Nothing is changed yet."


def no_offers(field: FormInput) -> str | None:
    """Say so when there is nothing to choose for a field."""
    form = cast("Form", field.screen)
    return None if form.offers_of(field) is not None else "There is nothing to choose here: type."


class FormInput(PromptInput, scope="form_input"):
    """A field of one line."""

    TYPES_TEXT = True

    @action("escape", "cancel", show=False, override=True)
    def cancel_form(self) -> None:
        """Leave the form; what was typed is kept."""
        cast("Form", self.screen).leave()

    @action("tab", "next field", show=False, override=True, also=("down",))
    def next_field(self) -> None:
        """Go to the next field."""
        self.screen.focus_next()

    @action("enter", "next field", show=False, override=True)
    def enter(self) -> None:
        """Go to the next field; in the last one say which key sends them."""
        cast("Form", self.screen).enter(self)

    @action("shift+tab", "previous field", show=False, override=True, also=("up",))
    def previous_field(self) -> None:
        """Go to the previous field."""
        self.screen.focus_previous()

    @action("ctrl+o", "choose", unless=no_offers, show=False)
    async def choose(self) -> None:
        """Choose one of what is offered for the field, which can be changed then."""
        from copydesk.tui.widgets.choice import Choice

        form = cast("Form", self.screen)
        options = await form.read_offers(self)
        if options:
            chosen = await self.app.push_screen_wait(Choice("Choose", options, wide=True))
            if chosen is not None and self.is_attached:
                self.value = chosen
                self.cursor_position = len(chosen)


class FormText(Acts, TextArea, scope="form_text"):
    """A field of several lines."""

    TYPES_TEXT = True

    @action("escape", "cancel", show=False)
    def cancel_form(self) -> None:
        """Leave the form; what was typed is kept."""
        cast("Form", self.screen).leave()

    @action("shift+tab", "previous field", show=False)
    def previous_field(self) -> None:
        """Go to the previous field."""
        self.screen.focus_previous()


class Form(Sheet[Mapping[str, str]], scope="form"):
    """Several fields and ctrl+s. The result maps names to texts, or is None when it was left.

    ``send`` sends the fields while the form is still there: when that fails it stays as it is, with
    the reason beside the field that is meant, or under the fields. ``new`` says that what is filled
    in may be sent as it is; otherwise a field must differ first. ``beside`` is kept with what was
    typed, for who opens the form again; ``leaves`` is what Esc does, in a word.
    """

    def __init__(
        self,
        title: str,
        fields: Sequence[Field],
        *,
        draft_key: str,
        send: Send,
        facts: Sequence[Fact] = (),
        verb: str = "save",
        new: bool = False,
        beside: Mapping[str, Any] | None = None,
        leaves: str = "leave",
    ) -> None:
        super().__init__(title)
        self._beside = beside or {}
        self._leaves = leaves
        self._fields = fields
        self._facts = facts
        self._verb = verb
        self.new = new
        self._send = send
        self._refused: dict[str, tuple[str, str]] = {}
        """The text of a field that the service refused, and why."""
        self._draft_key = draft_key
        self._under_way = False
        """Whether the answer of the service is still to come."""
        self._arrived = False
        self._keeping: Timer | None = None
        self._inputs: dict[str, FormInput | FormText] = {}

    def body(self) -> ComposeResult:
        """The facts, the fields with what is wrong with them, and the keys."""
        self.add_class("form")
        draft = _read(cast("CopydeskApp", self.app).session.drafts.load(self._draft_key))
        if self._facts:
            yield Static(self.paint(fact_lines(self._facts)), classes="facts")
        for field in self._fields:
            value = draft.get(field.name, field.value)
            yield Label(self._label(field, value), id=f"label-{field.name}", classes="ask")
            made: FormInput | FormText
            if field.lines > 1:
                made = FormText(value, soft_wrap=True, tab_behavior="focus", compact=True)
                made.styles.height = field.lines
            else:
                made = FormInput(value, compact=True)
                # Typing goes on after what is there: a name is mended more often than replaced.
                made.select_on_focus = False
            self._inputs[field.name] = made
            yield made
        said = "what you typed before is back" if draft else ""
        yield Label(self._keys(said), classes="keys", id="form-keys")

    def _keys(self, said: str = "") -> Content:
        lead = Text(f"{said}\n" if said else "", style="warn")
        keys = Text.assemble(
            lead, ("ctrl+s", "accent"), f" {self._verb}   ", ("tab", "accent"), " next field   ",
            ("esc", "accent"), f" {self._leaves}, keeps what you typed",
        )  # fmt: skip
        return self.paint(keys)

    def on_mount(self) -> None:
        """Begin in the first field."""
        next(iter(self._inputs.values())).focus()

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        """Focus a field and show what it is called too, where the form has to scroll."""
        super().set_focus(widget, False, from_app_focus)
        name = next((name for name, field in self._inputs.items() if field is widget), None)
        if widget is not None and name is not None:
            label = self.query_one(f"#label-{name}", Label)
            for shown in (widget, label):
                self.call_after_refresh(shown.scroll_visible, animate=False)

    def on_unmount(self) -> None:
        """Keep what was typed, however the form went away without its having arrived."""
        if not self._arrived:
            self.keep()

    def leave(self) -> None:
        """Leave the form with what was typed kept; while it is being sent, at the second time."""
        if self._under_way:
            self._under_way = False
            self._say("It is being sent. Wait for the answer, or leave now: @ tells what became.")
        else:
            self.dismiss(None)

    def enter(self, field: FormInput) -> None:
        """Go to the field below; below the last there is none, and Enter sends nothing."""
        if field is list(self._inputs.values())[-1]:
            self._say(f"Enter sends nothing: ctrl+s does ({self._verb}).")
        else:
            self.focus_next()

    def _say(self, said: str) -> None:
        self.query_one("#form-keys", Label).update(self._keys(said))

    @property
    def _drafts(self) -> DraftStore:
        return cast("CopydeskApp", self.app).session.drafts

    def keep(self) -> None:
        """Keep the fields that differ as a draft; with none there is no draft."""
        if self._keeping is not None:
            self._keeping.stop()
            self._keeping = None
        if changed := self.changed():
            self._drafts.save(self._draft_key, json.dumps({**changed, **self._beside}))
        else:
            self._drafts.drop(self._draft_key)

    def _keep_soon(self) -> None:
        # Not put off by the keys that follow: who types on and on is safe too.
        if self._keeping is None and self.changed():
            self._keeping = self.set_timer(KEEP_SECONDS, self._keep_due)

    def _keep_due(self) -> None:
        self._keeping = None
        if not self._arrived and self.is_attached:
            self.keep()

    def values(self) -> dict[str, str]:
        """Return what is in the fields now."""
        return {
            name: (field.value if isinstance(field, FormInput) else field.text).strip()
            for name, field in self._inputs.items()
        }

    def changed(self) -> dict[str, str]:
        """Return the fields that differ from what they were at first."""
        now = self.values()
        return {
            field.name: now[field.name]
            for field in self._fields
            if field.name in now and now[field.name] != field.value.strip()
        }

    def _label(self, field: Field, text: str) -> Content:
        line = Text(field.label, style="muted")
        if field.offers is not None:
            line.append("   ctrl+o", style="accent").append(" chooses", style="muted")
        wrong = self._wrong(field, text.strip())
        if wrong is not None:
            line.append(f"   {wrong}", style="bad")
        elif text.strip() != field.value.strip():
            note = field.note if isinstance(field.note, str) else field.note(text.strip())
            line.append(f"   {note}" if note else "", style="warn")
        return self.paint(line)

    def offers_of(self, widget: Widget) -> Callable[[], Awaitable[Sequence[Option]]] | None:
        """Return what reads the offers for a field, if there are any."""
        named = (field for field in self._fields if self._inputs.get(field.name) is widget)
        return next((field.offers for field in named), None)

    async def read_offers(self, widget: Widget) -> Sequence[Option]:
        """Return what is offered for a field; say why where that is nothing."""
        from copydesk.tui.errors import failure_types, sentence

        read = self.offers_of(widget)
        if read is None:
            return ()
        self._say("Reading what there is to choose.")
        try:
            options = await read()
        except failure_types() as error:
            self._say(f"{sentence(error, 'ctrl+o')} It can be typed.")
            return ()
        if self.is_attached:
            self._say("" if options else "There is nothing to choose from: type it.")
        return options

    def _wrong(self, field: Field, text: str) -> str | None:
        """Return what is wrong with a text, or was when the service last saw it."""
        refused, why = self._refused.get(field.name, (None, ""))
        return why if refused == text else field.check(text)

    def _show_labels(self) -> None:
        now = self.values()
        for field in self._fields:
            if field.name in now:
                label = self.query_one(f"#label-{field.name}", Label)
                label.update(self._label(field, now[field.name]))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Say what is wrong while it is typed."""
        event.stop()
        self._show_labels()
        self._keep_soon()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Say what is wrong while it is typed."""
        event.stop()
        self._show_labels()
        self._keep_soon()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter sends nothing: it goes on to the next field."""
        event.stop()

    @action("ctrl+s", "save", danger=1)
    async def save(self) -> None:
        """Send the fields, unless one of them is wrong; a refusal is told beside its field."""
        from copydesk.tui.errors import failure_types
        from copydesk.tui.session import WriteError

        now = self.values()
        wrong = next((f for f in self._fields if self._wrong(f, now[f.name]) is not None), None)
        if wrong is not None:
            self._inputs[wrong.name].focus()
            self._say(f"Mend {wrong.label.lower()} first.")
            return
        if (why := form_unchanged(self)) is not None:
            self._say(why)
            return
        self.keep()
        self._say("Sending.")
        self._under_way = True
        try:
            await self._send(now)
        except WriteError as error:
            self._tell_refusal(error.__cause__ or error, now)
        except failure_types() as error:
            self._tell_refusal(error, now)
        else:
            self._arrived = True
            self._drafts.drop(self._draft_key)
            if self.is_attached:
                self.dismiss(now)
        finally:
            self._under_way = False

    def _tell_refusal(self, error: BaseException, sent: Mapping[str, str]) -> None:
        from copydesk.tui.errors import write_sentence

        if not self.is_attached:
            return
        said = write_sentence(error, again="ctrl+s")
        found = REFUSED_FIELD.search(said)
        field = next((f for f in self._fields if found and f.name == found[1]), None)
        if field is not None and found is not None:
            self._refused[field.name] = (sent[field.name], found[2])
            self._show_labels()
            self._inputs[field.name].focus()
            said = f"The service did not accept the {field.label.lower()}."
        self._say(said)


def _read(draft: str | None) -> Mapping[str, str]:
    try:
        kept: Any = json.loads(draft) if draft else {}
    except ValueError:
        return {}
    return kept if isinstance(kept, dict) else {}

"""A sheet with several fields: a title, a path, a description. What was typed is kept.

It sends them itself and closes once they have arrived. Until then they are a draft: nothing is
lost by Esc, nor when the service refuses them or cannot be reached.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Input, Label, Static, TextArea

from copydesk.domain.secret_values import MASK, holds_private_key, lacks_password, without_password
from copydesk.domain.text import listed, plural, shorten
from copydesk.present.facts import hint
from copydesk.session.draft_keys import form_text, form_words
from copydesk.session.errors import failure_types, sentence, write_sentence
from copydesk.session.glyphs import glyphs
from copydesk.session.writes.log import QueuedError, WriteError
from copydesk.tui.dialogs.choice import Choice, OrderedChoices
from copydesk.tui.dialogs.dialog import Box, Fact, Sheet, fact_lines
from copydesk.tui.dialogs.form_fields import Entry, FormChoice
from copydesk.tui.dialogs.form_fields import Field as Field
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.desk_app import begin, desk_of
from copydesk.tui.framework.pane import keyed

if TYPE_CHECKING:
    from copydesk.session.drafts import CountedDrafts
    from copydesk.session.options import Option


KEEP_SECONDS = 0.7
"""How long after a key typed text is on disk: no more is lost with the program."""


def _read(draft: str | None) -> Mapping[str, str]:
    try:
        kept: Any = json.loads(draft) if draft else {}
    except ValueError:
        return {}
    return kept if isinstance(kept, dict) else {}


SMALLEST_WITH_HELP = 16
"""The lines that a terminal has more of where help is shown."""

ROOMY = 20
"""Terminals of fewer lines have `FEWEST` for it."""

FEWEST, MOST = 2, 4
"""How many lines it has: of whole sentences, as many as any field of the form needs."""


class FormHelp(Static):
    """The words of help of a field, and its limits; of a height that stays from field to field."""

    DEFAULT_CSS = f"FormHelp {{ height: {FEWEST}; margin: 1 0 0 0; }}"

    def show(self, field: Field, fields: Sequence[Field], screen: int) -> bool:
        """Show the help of a field on a screen of so many lines; True if its height changed."""
        self.display = screen > SMALLEST_WITH_HELP
        foot = self.parent  # which has its width also while this is not shown
        width = max(20, foot.size.width if isinstance(foot, Widget) else 0)
        needed = max(self._count(each.help, each.limits, width) for each in fields)
        lines = min(max(FEWEST, needed), MOST if screen >= ROOMY else FEWEST)
        told = self._fitting(field, width, lines)
        said = Text(told, style="muted").append(" " if told and field.limits else "")
        said.append_text(hint(field.limits, "emphasis"))
        self.update(Content.from_rich_text(keyed(self, said), console=self.app.console))
        height = self.styles.height
        other = height is None or height.value != lines
        if other:
            self.styles.height = lines
        return other

    def _fitting(self, field: Field, width: int, lines: int) -> str:
        """Return as much of the help as there is room for; the limits come first."""
        told = field.help
        while told and self._count(told, field.limits, width) > lines:
            before = told.rpartition(". ")[0]
            told = f"{before}." if before else ""
        if told or not field.help:
            return told
        room = (width - 6) * lines - cell_len(field.limits)
        return shorten(field.help, max(0, room), glyphs().more)

    def _count(self, told: str, limits: str, width: int) -> int:
        return len(Text(f"{told} {limits}".strip()).wrap(self.app.console, width))


REFUSED_FIELD = re.compile(
    r"\bbody\.([\w-]+(?:\.[^\s.:\[\]]+|\[\d+\])*): *(.+?)(?=; body\b|\Z)", re.DOTALL
)
"""Where the service says which field it does not accept, and why; it may name several."""


def refusals(said: str, fields: Sequence[Field]) -> Mapping[str, str]:
    """Return why fields were refused, by their names; nothing where any is not in the form.

    What is told at a field is not told elsewhere: then all of it has to be said in one place.
    """
    wrong: dict[str, str] = {}
    for found in REFUSED_FIELD.finditer(said):
        field = _meant(found[1], fields)
        if field is None:
            return {}
        wrong.setdefault(field.name, found[2].strip())
    return wrong


def _meant(path: str, fields: Sequence[Field]) -> Field | None:
    """Return the field that a place in the body is in, or the first that is in that place."""
    parts = path.replace("[", ".").replace("]", "").split(".")
    names = {tuple(field.name.split(".")): field for field in fields}
    for length in range(len(parts), 0, -1):
        if (field := names.get(tuple(parts[:length]))) is not None:
            return field
    within = (field for name, field in names.items() if list(name[: len(parts)]) == parts)
    return next(within, None)


REQUIRED = "it has to be filled in"

NOT_KEPT = "its password or token is not saved on disk"
"""Stands beside an address that is only kept without one."""

NOTHING = "There is nothing to choose from."

NAMED_CELLS = 40
"""How many cells of a label the titles of chosen things may take."""

Send = Callable[[Mapping[str, str]], Awaitable[Any]]
"""Sends the values of the fields; raises `WriteError` with a message, or `FieldsWrongError`."""


class FieldsWrongError(Exception):
    """Fields cannot be sent as they are: ``wrong`` says why, by their names, ``said`` the rest."""

    def __init__(self, wrong: Mapping[str, str], said: str = "") -> None:
        super().__init__(said or "; ".join(wrong.values()))
        self.wrong = wrong


def form_unchanged(form: Form) -> str | None:
    """Say so when every field is as it was."""
    return None if form.new or form.changed() else "Nothing is changed yet."


class Form(Sheet[Mapping[str, str]], scope="form"):
    """Several fields and ctrl+s. The result maps names to texts, or is None when it was left.

    ``send`` sends the fields while the form is still there: when that fails it stays as it is, with
    the reason beside the field that is meant, or under the fields. ``new`` says that what is filled
    in may be sent as it is; otherwise a field must differ first. ``beside`` is kept with what was
    typed, for who opens the form again; ``leaves`` is what Esc does, in a word. ``names`` are the
    titles of ids that are in fields already.
    """

    TAKES_TEXT = True

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
        names: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(title)
        self.fields = fields
        self._draft_key = draft_key
        self._beside = beside or {}
        self._names: dict[str, str] = dict(names or {})
        """The titles of offered things, by id."""
        self._called: dict[str, str] = {}
        """What stands in fields for ids, by these: no two are called alike."""
        self._offered: dict[str, dict[str, str]] = {}
        """The ids of the things offered for a field, by each unique name."""
        self._inputs: dict[str, Entry] = {}
        self._restored = False
        """Whether it opened with a saved draft."""
        self._arrived = False
        self._keeping: Timer | None = None
        self._told = ""
        """The last message on the draft."""
        self._leaves = leaves
        self._helps = any(field.help or field.limits for field in fields)
        self._facts = facts
        self._verb = verb
        self.new = new
        self._send = send
        self._brief = False
        self._refused: dict[str, tuple[str, str]] = {}
        """The text of a field that the service refused, and why."""
        self._sending = False
        self._under_way = False
        """Whether the answer of the service is still to come, and is waited for."""
        self._labels: dict[str, Label] = {}
        self._labelled: dict[str, Content] = {}
        self._foot: Widget | None = None
        """What stays in sight below the fields: the help of one, and the keys."""
        self._tried = False
        """Whether sending was tried: from then on empty required fields are named."""

    def body(self) -> ComposeResult:
        self.add_class("form")
        self._drafts.opened(self._draft_key)
        draft = self.draft()
        self._restored = bool(draft)
        if self._facts:
            yield Static(self.paint(fact_lines(self._facts)), classes="facts")
        for field in self.fields:
            value = str(draft.get(field.name, field.value))
            label = Label(self._label(field, value), classes="ask")
            self._labels[field.name] = label
            yield label
            self._inputs[field.name] = field.make(self.shown(field, value))
            yield self._inputs[field.name]
        said = (self.shared() or "what you typed before is back") if draft else ""
        keys = Label(self._keys(said), classes="keys", id="form-keys")
        if self._helps:
            self._foot = Vertical(FormHelp(), keys, classes="foot")
        else:
            self._foot = keys
        yield self._foot

    def _keys(self, said: Text | str = "") -> Content:
        lead = Text.assemble(said, "\n", style="warn") if said else Text()
        keys = Text.assemble(
            lead, ("ctrl+s", "accent"), f" {self._verb}   ", ("tab", "accent"), " next field   ",
            ("esc", "accent"), f" {self._leaves}, keeps what you typed",
        )  # fmt: skip
        return self.paint(keys)

    def on_mount(self) -> None:
        """Begin in the first field; ids are named as soon as that is known."""
        if self._restored:
            # Above too: what is said below the fields is overlooked, and makes way for the next.
            self.query_one(Box).entitle(f"{self._title}: draft restored")
        begin(self, self.name_held, name="names")
        for first in self._inputs.values():
            first.focus()
            break

    def set_focus(
        self, widget: Widget | None, scroll_visible: bool = True, from_app_focus: bool = False
    ) -> None:
        """Focus a field and show its label too, where the form has to scroll."""
        super().set_focus(widget, False, from_app_focus)
        name = next((name for name, field in self._inputs.items() if field is widget), None)
        if name is not None:
            self.call_after_refresh(self._reveal, name)
            self.call_after_refresh(self._show_help)

    def _reveal(self, name: str) -> None:
        """Scroll a field with its label into view, above the foot."""
        label, field = self._labels[name], self._inputs[name]
        box, foot = label.parent, self._foot
        if not self.is_attached or not isinstance(box, Box) or foot is None:
            return  # it closed meanwhile
        room = box.scrollable_content_region.height - foot.outer_size.height
        top, bottom = label.virtual_region_with_margin.y, field.virtual_region.bottom
        if not box.scroll_y <= top <= bottom <= box.scroll_y + room:
            lowest = max(bottom - room, 0) if bottom > box.scroll_y + room else top
            box.scroll_to(y=min(top, lowest), animate=False)
        if isinstance(field, FormChoice):
            field.call_after_refresh(field.put_cursor)

    def _reveal_focused(self) -> None:
        """Scroll the field in focus into view, once what changed around it is laid out."""
        if (field := self.field_of(self.focused)) is not None:
            self.call_after_refresh(self._reveal, field.name)

    def _show_help(self) -> None:
        """Show the help of the field in focus."""
        field = self.field_of(self.focused)
        shown = self.query(FormHelp)
        if field is None or not shown:
            return
        if shown.first(FormHelp).show(field, self.fields, self.size.height):
            self.call_after_refresh(self._reveal, field.name)

    def on_resize(self, event: events.Resize) -> None:
        self.call_after_refresh(self._show_help)
        self.call_after_refresh(self._reveal_focused)

    def on_unmount(self) -> None:
        """Save the typed values, however the form was closed before they arrived."""
        self.keep_typed()
        self._drafts.closed(self._draft_key)

    def leave(self) -> None:
        """Leave the form and save the typed values; while it is being sent, on the second press."""
        if self._under_way:
            self._under_way = False
            said = "Being sent. Wait for the answer, or leave now: @ shows the outcome."
            self._say(hint(said, "warn"))
        else:
            self.dismiss(None)

    @action("escape", "leave", word="back", show=False, override=True)
    def cancel(self) -> None:
        """Leave the form; its values are kept. While it is being sent, press twice."""
        self.leave()

    def enter(self, field: Entry) -> None:
        """Go to the field below; below the last there is none, and Enter sends nothing."""
        if field is list(self._inputs.values())[-1]:
            self._say(hint(f"Enter sends nothing: ctrl+s does ({self._verb}).", "warn"))
        else:
            self.focus_next()

    def begins_none(self, letter: str) -> None:
        """Say that no option begins with a letter that was typed on a choice."""
        said = f"No option begins with {letter}: left and right go through them."
        self._say(hint(said, "warn"), briefly=True)

    def _say(self, said: Text | str, *, briefly: bool = False) -> None:
        """Show a message above the keys; a brief one goes with the next change."""
        self._brief = briefly
        self.query_one("#form-keys", Label).update(self._keys(said))
        self._reveal_focused()

    def _label(self, field: Field, text: str) -> Content:
        line = Text(field.label, style="muted")
        if field.offers is not None:
            line.append("   ctrl+o", style="accent").append(" chooses", style="muted")
        wrong = self._wrong(field, text.strip())
        said = wrong or self._note(field, text)
        line.append(f"   {said}" if said else "", style="bad" if wrong is not None else "warn")
        known = [self._names[each] for each in field.parts(text.strip()) if each in self._names]
        if known and wrong is None and not field.named:
            line.append(f"   {shorten(', '.join(known), NAMED_CELLS)}", style="who")
        return self.paint(line)

    def _note(self, field: Field, text: str) -> str:
        """Return what to know about a text that is another than the field had."""
        if text.strip() == field.value.strip():
            return ""
        note = field.note if isinstance(field.note, str) else field.note(text.strip())
        return note or ("" if without_password(text) == text else NOT_KEPT)

    def remark(self, field: Field) -> str:
        """Return what stands beside the label of a field: why it is wrong, or what to know."""
        text = self.values()[field.name]
        return self._wrong(field, text) or self._note(field, text)

    def _wrong(self, field: Field, text: str) -> str | None:
        """Return the fault of a text, by our rules or by the service's last answer."""
        refused, why = self._refused.get(field.name, (None, ""))
        if refused == text:
            return why
        if field.required and not text:
            return REQUIRED if self._tried else None
        if text != field.value.strip() and lacks_password(text):
            return f"type the password in place of {MASK}: it was not kept"
        return field.check(text)

    def _show_labels(self) -> None:
        now = self.values()
        for field in self.fields:
            if field.name in now:
                label, said = self._labels[field.name], self._label(field, now[field.name])
                if said != self._labelled.get(field.name):
                    self._labelled[field.name] = said
                    label.update(said)

    def _edited(self) -> None:
        self._show_labels()
        self._keep_soon()
        if self._brief:
            self._say("")

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._edited()

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self._edited()

    def on_form_choice_changed(self, event: FormChoice.Changed) -> None:
        """Say what follows from a value as soon as it is chosen."""
        event.stop()
        self._edited()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter sends nothing: it goes on to the next field."""
        event.stop()

    @action("ctrl+s", "save", danger=1)
    async def send(self) -> None:
        """Send the fields, unless one of them is wrong; a refusal is told beside its field."""
        if self._sending:
            return
        await self.find_named()
        if self._sending or not self.is_attached:
            return
        now = self.values()
        self._tried = True
        self._show_labels()
        wrong = next((f for f in self.fields if self._wrong(f, now[f.name]) is not None), None)
        if wrong is not None:
            self._inputs[wrong.name].focus()
            self._say(_mend(wrong), briefly=True)
            return
        if (why := form_unchanged(self)) is not None:
            self._say(why, briefly=True)
            return
        self.keep()
        self._say("Sending.")
        failures: tuple[type[Exception], ...] = (FieldsWrongError, WriteError, *failure_types())
        failure: Exception | None = None
        self._under_way = True
        before = self._hold(self.focused)
        try:
            await self._send(now)
        except failures as error:
            failure = error
        finally:
            self._release(before)
            self._under_way = False
        if failure is None or isinstance(failure, QueuedError):
            self._arrived = True
            self.drop_draft()
            if self.is_attached:
                self.dismiss(now if failure is None else None)
            if failure is not None and (here := desk_of(self).here) is not None:
                here.tell(str(failure), "warn")
        elif isinstance(failure, WriteError):
            if failure.__cause__ is not None:
                self._tell_refusal(failure.__cause__, now)
            elif self.is_attached:  # it is a sentence already
                self._say(str(failure))
        elif not isinstance(failure, FieldsWrongError):
            if (here := desk_of(self).here) is not None:
                here.session.learn(failure)
            self._tell_refusal(failure, now)
        elif not self._mark(failure.wrong, now):
            self._say(f"Not sent: {failure}.")

    def _hold(self, focused: Widget | None) -> Widget | None:
        """Let nothing be typed while the fields are sent: the answer would not be about it."""
        self._sending = True
        self.set_focus(None)  # else it would go on to each field that is not held yet
        for field in self._inputs.values():
            field.disabled = True
        return focused

    def _release(self, focused: Widget | None) -> None:
        self._sending = False
        for field in self._inputs.values():
            field.disabled = False
        if self.is_attached:
            self.set_focus(focused)

    def _tell_refusal(self, error: BaseException, sent: Mapping[str, str]) -> None:
        if not self.is_attached:
            return
        said = write_sentence(error, again="ctrl+s")
        wrong = refusals(said, self.fields)
        self._mark(wrong, sent)
        labels = [f"“{field.label}”" for field in self.fields if field.name in wrong]
        if labels:
            self._say(f"The service did not accept {listed(labels)}.", briefly=True)
        else:
            self._say(said)

    def _mark(self, wrong: Mapping[str, str], sent: Mapping[str, str]) -> bool:
        """Show at fields why their texts were not accepted, and go to the first of them.

        False where none of them is a field of this form.
        """
        named = [field for field in self.fields if field.name in wrong]
        for field in named:
            self._refused[field.name] = (sent[field.name], wrong[field.name])
        if named and self.is_attached:
            self._show_labels()
            self._inputs[named[0].name].focus()
            self._say(_mend(named[0]), briefly=True)
        return bool(named)

    # What is offered

    def offers_of(self, widget: Widget) -> Callable[[], Awaitable[Sequence[Option]]] | None:
        """Return what reads the offers for a field, if there are any."""
        field = self.field_of(widget)
        return None if field is None else field.offers

    async def choose_for(self, widget: Entry) -> None:
        """Choose from a list what a field holds, one or several; leaving the list changes nothing.

        Of several what was typed and is not in the list stays.
        """
        field = self.field_of(widget)
        if field is None:
            return
        options = field.options or await self.read_offers(widget)
        if not options:
            return
        chosen: str | None
        if field.several:
            there = field.parts(self.meant(field, widget.said))
            ids = {option.id for option in options}
            sheet = OrderedChoices(
                field.label, options, ticked=[each for each in there if each in ids]
            )
            ticked = await self.app.push_screen_wait(sheet)
            kept = [each for each in there if each not in ids]
            chosen = None if ticked is None else field.joined([*kept, *ticked])
        else:
            current = self.meant(field, widget.said)
            one = Choice(field.label, options, current=current)
            chosen = await self.app.push_screen_wait(one)
        if chosen is not None and widget.is_attached:
            widget.put(self.shown(field, chosen))

    async def name_held(self) -> None:
        """Read what the ids are called that fields hold, where that is not known yet.

        What cannot be read stays as it is, and so does what was changed meanwhile.
        """
        for field in self.fields:
            widget = self._inputs.get(field.name)
            if widget is None or field.offers is None or not field.named:
                continue
            before = widget.said
            if all(part in self._names for part in field.parts(self.meant(field, before))):
                continue
            try:
                self._learn(field, await field.offers())
            except failure_types():
                continue
            if widget.is_attached and widget.said == before:
                said = self.shown(field, before.strip())
                if said != before:
                    widget.put(said)

    async def find_named(self) -> None:
        """Find the things whose names were typed instead of chosen, before the form is sent.

        What cannot be read stays as it is typed: whoever is asked to take it says what it is not.
        """
        for field in self.fields:
            widget = self._inputs.get(field.name)
            if widget is None or field.offers is None or not field.named:
                continue
            if field.name in self._offered:
                continue
            if all(each in self._names for each in field.parts(self.meant(field, widget.said))):
                continue
            try:
                self._learn(field, await field.offers())
            except failure_types():
                continue

    def _learn(self, field: Field, options: Sequence[Option]) -> None:
        """Note what the offers for a field are called, by name and by e-mail address."""
        ids: dict[str, list[str]] = {}
        for each in options:
            if field.takes(each.id):
                self._names[each.id] = each.title
                for name in {each.title, each.note if "@" in each.note else each.title}:
                    ids.setdefault(name.casefold(), []).append(each.id)
        self._offered[field.name] = {name: of[0] for name, of in ids.items() if len(of) == 1}

    async def read_offers(self, widget: Widget) -> Sequence[Option]:
        """Return the options of a field; show why where there are none."""
        read = self.offers_of(widget)
        if read is None:
            return ()
        self._say("Reading what there is to choose.")
        try:
            options = await read()
        except failure_types() as error:
            desk_of(self).session.learn(error)
            self._say(f"{sentence(error, 'ctrl+o')} It can be typed.")
            return ()
        field = self.field_of(widget)
        taken = [each for each in options if field is None or field.takes(each.id)]
        self._names.update({each.id: each.title for each in taken if each.title != each.id})
        if field is not None and field.named:
            self._learn(field, taken)
        if self.is_attached:
            # What would be sent for one of those is not what was chosen.
            left = plural(len(options) - len(taken), "offer") if len(taken) < len(options) else ""
            said = f"Left out: {left} whose id has signs that cannot be drawn." if left else ""
            none = NOTHING if field is not None and field.named else f"{NOTHING[:-1]}: type it."
            self._say(said if options else (field and field.nothing) or none)
        return taken

    # What was typed: a draft until it has arrived

    def field_of(self, widget: Widget | None) -> Field | None:
        """Return the field that a widget edits."""
        named = (field for field in self.fields if self._inputs.get(field.name) is widget)
        return None if widget is None else next(named, None)

    def values(self) -> dict[str, str]:
        """Return the values of the fields, with ids in place of names."""
        return {
            field.name: self.meant(field, self._inputs[field.name].said.strip())
            for field in self.fields
            if field.name in self._inputs
        }

    def shown(self, field: Field, text: str) -> str:
        """Return what a field shows for a text: the known names of its ids.

        A text that stands in it otherwise than its parts say stays as it is.
        """
        parts = field.parts(text)
        if not field.named or (len(parts) > 1 and field.joined(parts) != text):
            return text
        return field.joined([self._name_for(field, part) for part in parts]) if parts else text

    def meant(self, field: Field, text: str) -> str:
        """Return the text that a field stands for: the ids of what it names.

        What is typed counts too, where one thing alone is called so; several may stand on a line.
        """
        if not field.named:
            return text
        parts = field.parts(text)
        ids = {name: each for each, name in self._called.items()}
        offered = self._offered.get(field.name, {})

        def found(part: str) -> str | None:
            return ids.get(part) or offered.get(part.casefold())

        meant: list[str] = []
        for part in parts:
            pieces = [each.strip() for each in part.split(",")] if field.several else []
            if found(part) is None and any(map(found, pieces)):
                meant += [found(each) or each for each in pieces if each]
            else:
                meant.append(found(part) or part)
        return text if meant == parts else field.joined(list(dict.fromkeys(meant)))

    def _name_for(self, field: Field, part: str) -> str:
        if part not in self._names:
            return part
        if part not in self._called:
            name = self._names[part]
            taken = name in self._called.values() or name in self._names
            name = f"{name} ({part})" if taken else name
            fits = field.takes(name) and field.parts(name) == [name]
            self._called[part] = name if fits else part
        return self._called[part]

    def changed(self) -> dict[str, str]:
        """Return the fields that differ from what they were at first."""
        now = self.values()
        return {
            field.name: now[field.name]
            for field in self.fields
            if field.name in now and now[field.name] != field.value.strip()
        }

    @property
    def _drafts(self) -> CountedDrafts:
        return desk_of(self).session.drafts

    def keep(self) -> None:
        """Keep the fields that differ as a draft; with none there is no draft.

        A private key is no such field, and a password in an address is left out: neither is written
        to the disk.
        """
        if self._keeping is not None:
            self._keeping.stop()
            self._keeping = None
        changed = {
            name: without_password(text)
            for name, text in self.changed().items()
            if not holds_private_key(text)
        }
        if changed:
            ids = {
                part for field in self.fields for part in field.parts(changed.get(field.name, ""))
            }
            text = form_text(
                {**changed, **self._beside},
                {field.name: field.label for field in self.fields if field.name in changed},
                {each: title for each, title in self._names.items() if each in ids},
            )
            desk_of(self).session.drafts.save(self._draft_key, text, self._tell_kept)
        else:
            self._drafts.drop(self._draft_key)

    def _tell_kept(self) -> None:
        """Say once where the draft is not on the disk, or another window typed one too."""
        if not self.is_attached or self._arrived:
            return
        drafts = desk_of(self).session.drafts
        why = drafts.refused(self._draft_key)
        said = f"Not on disk: {why}." if why else drafts.shared(self._draft_key)
        if said and said != self._told:
            self._say(said)
        self._told = said

    def shared(self) -> str:
        """Say so where another window typed in the same fields; else empty."""
        return desk_of(self).session.drafts.shared(self._draft_key)

    def keep_typed(self) -> None:
        """Keep what differs, because everything may end now."""
        if not self._arrived:
            self.keep()

    def _keep_soon(self) -> None:
        # Not put off by the keys that follow: who types on and on is safe too.
        if self._keeping is None and self.changed():
            self._keeping = self.set_timer(KEEP_SECONDS, self._keep_due)

    def _keep_due(self) -> None:
        self._keeping = None
        if not self._arrived and self.is_attached:
            self.keep()

    def drop_draft(self) -> None:
        """Keep nothing any more."""
        self._drafts.drop(self._draft_key)

    def draft(self) -> Mapping[str, Any]:
        """Return the saved draft with the titles of chosen things; empty without one."""
        draft = _read(self._drafts.load(self._draft_key))
        self._names = form_words(draft, "names") | self._names
        return draft


def _mend(field: Field) -> str:
    return f"Mend “{field.label}” first."

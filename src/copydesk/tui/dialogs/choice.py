"""A list to choose from, found by a few letters: sorts, organizations, people, emoji."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from rich.cells import cell_len
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.widgets import Input, Label

from copydesk.domain.filter import fold
from copydesk.domain.known_name import rank
from copydesk.session.glyphs import glyphs
from copydesk.session.options import Option
from copydesk.tui.dialogs.dialog import Sheet
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.desk_app import desk_of
from copydesk.tui.framework.line_field import LineField
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import GUTTER, Column, VirtualList

if TYPE_CHECKING:
    from copydesk.tui.framework.place import Place

R = TypeVar("R")

TICK_KEYS = (("space", "ticks"), ("ctrl+s", "takes them"))
"""The keys where several may be chosen."""

WORDS_KEPT = "Nothing has that name yet: it is kept for what you write next."
"""Said of words that were typed before the field for them."""


NARROWEST, WIDEST = 72, 132
"""The fewest and the most cells of a dialog, where the terminal has them."""

EDGES = GUTTER + 10
"""The cells beside the texts of an option: blanks, the frame, a scroll bar."""

NOTHING_TICKED = "Nothing is ticked yet: space ticks the line of the cursor."
"""Said where several may be chosen, and none is."""


def title_cell(option: Option) -> str | Text:
    """Return the title of an option, its name in bold where it says more."""
    name, more = option.title[: option.named], option.title[option.named :]
    return Text.assemble((name, "accent"), more) if name else more


class ChoiceInput(LineField, scope="choice_input"):
    """The field that narrows the list."""

    @action("escape", "cancel", word="back", show=False)
    def cancel_choice(self) -> None:
        """Choose nothing."""
        self._sheet.dismiss(None)

    @action("down", "next", show=False, also=("ctrl+n",))
    def down(self) -> None:
        """Go to the next option."""
        self._sheet.options.move(1)

    @action("up", "previous", show=False, also=("ctrl+p",))
    def up(self) -> None:
        """Go to the previous option."""
        self._sheet.options.move(-1)

    @action("pagedown", "page down", show=False)
    def page_down(self) -> None:
        """Go down a page."""
        self._sheet.options.move_page(1)

    @action("pageup", "page up", show=False)
    def page_up(self) -> None:
        """Go up a page."""
        self._sheet.options.move_page(-1)

    async def on_key(self, event: events.Key) -> None:
        """Act on the keys declared here before anything is typed, each in its turn.

        As bindings they would come after all that was pressed at once. Textual calls this before
        the field's own handler.
        """
        keyboard = desk_of(self).keyboard
        node = keyboard.table([self], jumps=False).get(event.key)
        if node is not None and node.meaning is not None:
            event.stop()
            event.prevent_default()
            # What was typed before this key has its effect before it.
            self._sheet.narrow(self.value)
            await self.action_press(node.meaning.action.method)

    @property
    def _sheet(self) -> Chooser[Any]:
        sheet = self.screen
        assert isinstance(sheet, Chooser)
        return sheet


class Chooser(Sheet[R]):
    """What choosing one and choosing several share; several are chosen where ``ticked`` is given.

    With ``before_text`` a field for text opens after it: sentences typed here are kept for that.

    ``more`` is asked for further options when something is typed: of what are too many to be shown.
    ``preview`` is called with the id of each option that the cursor comes to; ``about`` says what
    to know before one chooses.
    """

    FIELD: ClassVar[type[ChoiceInput]] = ChoiceInput
    KEYS: ClassVar[Sequence[tuple[str, str]]] = (("enter", "takes it"),)
    """The keys that matter in it, and what they do."""

    def __init__(
        self,
        title: str,
        options: Sequence[Option],
        *,
        current: str | None = None,
        more: Callable[[str], Sequence[Option]] = lambda typed: (),
        hint: str = "type to narrow",
        about: str = "",
        before_text: bool = False,
        ticked: Sequence[str] | None = None,
        preview: Callable[[str], None] = lambda option: None,
    ) -> None:
        super().__init__(title)
        self._preview = preview
        self.add_class("choose")
        self._hint, self._about = hint, about
        self._before_text = before_text
        self._narrowed = ""
        self._holds = False
        self._said = ""
        self._more = more
        self._all = list(options)
        self._current = current
        self._source = ListSource(self._all, key=lambda option: option.id)
        longest = max((cell_len(option.title) for option in self._all), default=0)
        note = max((cell_len(option.note) for option in self._all), default=0)
        self._cells = longest + note + EDGES
        self.options: VirtualList[Option] = VirtualList(
            self._source,
            [
                Column("title", "", title_cell, flex=1, minimum=min(longest, 40)),
                Column(
                    "note",
                    "",
                    lambda option: option.note,
                    width=min(note, 24),
                    most=note,
                    drop=1,
                    align="right",
                ),
            ],
            header=False,
            empty="Nothing matches.",
            sign=lambda option: glyphs().dot if option.id == current else "",
        )
        self.options.can_focus = False
        self.options.marks = set(ticked or ())
        self.ticked = list(ticked or ())
        """The ids of ticked options, in the order of the ticks."""
        self._several = ticked is not None

    def body(self) -> ComposeResult:
        if self._about:
            yield Label(self.paint(Text(self._about, style="muted")), classes="about")
        yield self.FIELD(placeholder=self._hint, compact=True)
        yield self.options
        yield Label(self.paint(self._keys()), classes="keys", id="choice-keys")

    def _keys(self) -> Text:
        said = WORDS_KEPT if self._holds else self._said
        keys = Text(f"{said}\n" if said else "", style="warn")
        for key, what in (*self.KEYS, ("esc", "back")):
            keys.append(key, "accent").append(f" {what}   ", "none")
        keys.rstrip()
        return keys

    def on_mount(self) -> None:
        self._box.styles.width = min(max(self._cells, NARROWEST), WIDEST)
        if self._current is not None:
            self.call_after_refresh(self.options.select, self._current)

    def on_resize(self, event: events.Resize) -> None:
        """Show as many options as there is room for below what is said above them."""
        self.options.styles.height = min(max(len(self._all), 1), 16)
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        if over := self._box.max_scroll_y:
            self.options.styles.height = max(1, self.options.size.height - over)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self.narrow(event.value)

    def narrow(self, typed: str) -> None:
        """Show the options that match what is typed, the best first."""
        text = typed.strip()
        if text == self._narrowed:
            return
        self._narrowed = text
        holds = False
        if not text:
            desk_of(self).keyboard.ahead.holds(self, "")
            self._source.set(self._all)
        else:
            ranked = [(rank(text, option.title), option) for option in self._all]
            fitting = [(at, option) for at, option in ranked if at is not None]
            fitting.sort(key=lambda pair: pair[0])
            found = [option for _, option in fitting]
            if more := self._more(text):
                # What has the word itself comes before what only has its letters.
                close = [option for option in found if fold(text) in fold(option.title)]
                found = [*close, *more, *(option for option in found if option not in close)]
            # Sentences name nothing here: they were meant for the field that comes after it.
            words = text if self._before_text and not found and len(text.split()) > 1 else ""
            holds = desk_of(self).keyboard.ahead.holds(self, words) and bool(words)
            self._source.set(self._all if holds else found)
        if holds != self._holds or self._said:
            self._holds = holds
            self._tell("")
        self.options.move_first()

    def look_again(self) -> None:
        """Ask for further options again: there are others now."""
        typed, self._narrowed = self._narrowed, ""
        if typed:
            self.narrow(typed)

    def _tell(self, text: str) -> None:
        """Say something above the keys, until something is typed or ticked."""
        self._said = text
        self.query_one("#choice-keys", Label).update(self.paint(self._keys()))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.chosen()

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        event.stop()
        self.chosen()

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        event.stop()
        if self.options.selected_id is not None:
            self._preview(self.options.selected_id)

    def chosen(self) -> None:
        """Answer with the option under the cursor; one of several is ticked."""
        if self._several:
            self.tick()
        elif self.options.selected_id is not None:
            self.dismiss(cast("R", self.options.selected_id))

    def tick(self) -> None:
        """Tick or untick the option under the cursor, and go on."""
        at = self.options.selected_id
        if at is None:
            return
        if at in self.ticked:
            self.ticked.remove(at)
        else:
            self.ticked.append(at)
        self.options.marks = set(self.ticked)
        self.options.refresh_rows()
        self.options.move(1)
        if self._said:
            self._tell("")


class TickInput(ChoiceInput, scope="tick_input"):
    """The field that narrows a list where several may be chosen: a blank ticks.

    Names are found without their blanks too.
    """

    @action("space", "tick", show=False, also=("tab",))
    def tick(self) -> None:
        """Tick the option, or take the tick away, and go to the next."""
        self._sheet.tick()


class Choice(Chooser[str]):
    """Choose one: the result is its id, or None."""


class Choices(Chooser[frozenset[str]], scope="choices"):
    """Choose several: Space ticks (so do Tab and Enter), ctrl+s answers with the set of ids.

    None when it was left. The set is empty only where ticks that were there were taken away.
    """

    FIELD = TickInput
    KEYS = TICK_KEYS

    def __init__(
        self,
        title: str,
        options: Sequence[Option],
        *,
        ticked: Sequence[str] = (),
        about: str = "",
    ) -> None:
        super().__init__(title, options, ticked=ticked, about=about)
        self._began_ticked = bool(ticked)

    @action("ctrl+s", "take", danger=1)
    def send(self) -> None:
        """Answer with the ticked ones. Where none was ticked at all, say so."""
        if self.ticked or self._began_ticked:
            self.dismiss(frozenset(self.ticked))
        else:
            self._tell(NOTHING_TICKED)


class OrderedChoices(Chooser[tuple[str, ...]], scope="ordered_choices"):
    """Choose several in an order: each tick has its number; the result is a tuple of ids, or None.

    With no tick ctrl+s answers with an empty tuple.
    """

    FIELD = TickInput
    KEYS = TICK_KEYS

    def __init__(
        self, title: str, options: Sequence[Option], *, ticked: Sequence[str] = ()
    ) -> None:
        super().__init__(title, options, ticked=ticked)
        self.options.columns = (
            Column("number", "", self._number, width=3, align="right"),
            *self.options.columns,
        )

    def _number(self, option: Option) -> str:
        return str(self.ticked.index(option.id) + 1) if option.id in self.ticked else ""

    @action("ctrl+s", "take", danger=1)
    def send(self) -> None:
        """Answer with the ticked ones, in the order of their ticks."""
        self.dismiss(tuple(self.ticked))


async def ask_for_site(place: Place, organization: str) -> Option | None:
    """Ask for a site of an organization, and return it; None where none was chosen."""
    from copydesk.session.reads.sites import read_site_options

    api = await place.session.ready()
    options = await place.reads.now(
        "plan", lambda: read_site_options(api, organization), "Reading sites"
    )
    if options == []:
        place.say("There is no site in this organization.", "warn")
    if not options:
        return None
    chosen: str | None = await place.desk.push_screen_wait(
        Choice("Of which site?", options, current=place.target.site or "")
    )
    return next((each for each in options if each.id == chosen), None)

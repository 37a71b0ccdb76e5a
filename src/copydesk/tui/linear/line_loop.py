"""Linear mode: a line is typed, the program acts on it, and what is new is told in words.

The same program as on the screens: a line becomes keys, or goes into the field in focus. What is
told comes from the widgets (`copydesk.tui.linear.sentences`), once nothing is under way any more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from textual import events
from textual.keys import key_to_character
from textual.widgets import Input, TextArea

from copydesk.domain.filter import having_words
from copydesk.domain.text import clean, ordinal, plural, typed
from copydesk.tui.dialogs.choice import Chooser
from copydesk.tui.dialogs.dialog import Sheet, TypeToConfirm
from copydesk.tui.dialogs.form import Form
from copydesk.tui.dialogs.form_fields import FormChoice
from copydesk.tui.framework.actions import shown
from copydesk.tui.framework.frame import STOPS, last_write, waiting_rows
from copydesk.tui.framework.keyboard import keys_of
from copydesk.tui.framework.line_field import PromptInput
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import Place
from copydesk.tui.linear import sentences
from copydesk.tui.linear.sentences import COMMAND, ENDS_TEXT, question_of, told
from copydesk.tui.linear.words import WORDS, keys_in
from copydesk.tui.review.diff import DiffView
from copydesk.tui.system.help import Help, HelpRow, offers, rows
from copydesk.tui.widgets.list import VirtualList
from copydesk.tui.widgets.tree_list import TreeList

if TYPE_CHECKING:
    from textual.screen import Screen
    from textual.widget import Widget

    from copydesk.tui.framework.desk_app import DeskApp

LISTED = 10
"""How many rows are read at once."""

AT_ONCE = 12
"""How many lines are told at once; the rest after an empty line, or ``more``."""

LOOKS_SECONDS = 5.0
"""How long somebody has read what was told before the next key, on the clock of the keys."""

STEP_SECONDS = 0.5
"""How often it is looked how far long work is: each step is told, and no more than that."""

GREETING = "copydesk, linear mode. help explains it, what says what can be done, quit ends it."

ASKS = (
    "That is the whole text: yes sends it, back leaves it as a draft, more goes on, read reads it."
)

OVERALL = frozenset({"Move", "Go", "Commands", "Signs", "Start"})
"""The groups of the help that `what` leaves out unless it is asked for them."""


class LineLoop:
    """Answers lines for a program, by ``say``, once ``settled`` has seen nothing under way."""

    def __init__(
        self, app: DeskApp, say: Callable[[str], None], settled: Callable[[], Awaitable[object]]
    ) -> None:
        self._app, self._tell, self._settled = app, say, settled
        self._answered = False
        """Whether anything was told since the last line."""
        self._later = 0.0
        app.keyboard.clock = lambda: monotonic() + self._later
        app.session.heard = self._hear
        self._heard: list[str] = []
        """What was said in the status line since the last line."""
        self._rest: list[str] = []
        """What was too long to be told at once."""
        self._front: Screen[Any] | None = None
        self._place: Place | None = None
        self._view = ""
        self._focus: tuple[Widget | None, str] = (None, "")
        self._in_sheet: frozenset[str] = frozenset()
        """The lines of the dialog in front that were told."""
        self._news = self._page = self._marked = ""
        self._noted: tuple[Widget | None, str] = (None, "")
        """What stood beside the title of the list in focus."""
        self._header = sentences.header_told(app)
        """What only the header of the screens shows, as it was told last."""
        self._looked = 0.0
        """When it was looked last how far long work is."""
        self._slow: frozenset[str] = frozenset()
        """What was told of slow reads."""
        self._waits: Sequence[str] = ()
        """What could still be recalled when that was told last."""
        self._ended: Screen[Any] | None = None
        """The dialog whose text was ended: yes sends it."""
        self._offered: Sequence[tuple[str, Callable[[], Awaitable[None]]]] = ()
        """Actions that `do` found, by their numbers."""

    @property
    def hides(self) -> bool:
        """Whether what is typed now is a secret, which is not to be seen."""
        focused = self._app.screen.focused
        return isinstance(focused, Input) and focused.password

    def tell_steps(self) -> None:
        """Say how far long work is while it goes on: what a dialog says of it, and slow reads."""
        now = monotonic()
        if now - self._looked < STEP_SECONDS or not self._app.screen_stack:
            return
        self._looked = now
        front, place = self._app.screen, self._here
        if isinstance(front, Sheet) and front is self._front:
            self._announce_front(front)
        slow = frozenset(place.status.slow.values()) if place is not None else frozenset()
        for text in sorted(slow - self._slow):
            self._say(sentences.sentence(text.removesuffix(STOPS)))
        self._slow = slow

    def _hear(self, text: str) -> None:
        if text and text not in self._heard[-1:]:
            self._heard.append(text)

    def _say(self, text: str) -> None:
        self._answered = True
        self._tell(text)

    async def begin(self) -> None:
        """Say where one is."""
        await self._settled()
        self._say(GREETING)
        self._announce()

    async def take(self, line: str) -> None:
        """Act on a line, and say what is new."""
        self._later += LOOKS_SECONDS
        self._answered = False
        offered, self._offered = self._offered, ()
        if line.strip() not in ("", "more"):
            self._rest = []
        front = self._app.screen
        focused = front.focused
        if offered and line.strip().isdecimal():
            await self._do_offered(offered, ordinal(line.strip()))
        elif isinstance(focused, TextArea):
            await self._in_text(focused, line)
        elif isinstance(front, Sheet):
            await self._in_dialog(front, line)
        elif isinstance(focused, Input):
            await self._in_line(focused, line)
        else:
            await self._at_place(line.strip())
        await self._settled()
        self._announce()

    @property
    def _here(self) -> Place | None:
        here = self._app.here
        return here if isinstance(here, Place) else None

    # Acting

    async def press(self, *keys: str) -> None:
        """Press keys, by the names that the keyboard has for them, and wait for what they do."""
        terminal = self._app.terminal
        for key in keys:
            event = events.Key(key, key_to_character(key))
            event.time += self._later
            event.set_sender(self._app)
            if terminal is not None:
                terminal.send_message(event)
        await self._settled()

    async def _press_line(self, line: str) -> bool:
        keys = keys_in(line)
        if keys:
            await self.press(*keys)
        return bool(keys)

    async def _do(self, word: str) -> None:
        """Press the key that an action which is there has in this user's keymap."""
        keyboard = self._app.keyboard
        there = (act for each in keyboard.chain() for act in each.ACTIONS.values())
        for each in there:
            if each.word == word and (keys := keys_of(each, keyboard.keymap)):
                await self._press_line(keys[0])
                return

    async def _at_place(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if not line:
            await self._go_on()
        elif line.isdecimal():
            await self._go_to(ordinal(line))
        elif len(line) > 1 and line[0] in ":/":
            await self.press(keys_in(line[0])[0])
            focused = self._app.screen.focused
            if isinstance(focused, Input):
                await self._in_line(focused, line[1:])
        elif not await self._word(word, rest.strip()) and not await self._press_line(line):
            self._say(f"{clean(line)} is neither a key nor a word here. help lists the words.")

    async def _word(self, word: str, rest: str) -> bool:
        """Do what a word says, wherever one is; whether it is one."""
        place = self._here
        match word.casefold():
            case "next":
                self._rest = []
                await self._go_on()
            case "back":
                await self.press("escape")
            case "open":
                await self.press("enter")
            case "read":
                if rest.isdecimal():
                    await self._go_to(ordinal(rest))
                self._tell_long(self._whole())
            case "list":
                self._list()
            case "more":
                self._more()
            case "where":
                if place is not None:
                    self._say(sentences.place_told(place))
                    if note := sentences.note_told(place.focused):
                        self._say(note)
                if isinstance(self._app.screen, Sheet):
                    self._tell_dialog(self._app.screen)
                self._focus = (None, "")
            case "what":
                found = self._what(rest)
                self._tell_long(found or ["Nothing that can be done here has that name."])
            case "help":
                self._tell_long(_help())
            case "do":
                await self._do_named(rest)
            case "quit":
                self._app.leave()
            case _:
                return False
        return True

    async def _go_on(self) -> None:
        """Read on: what is left of a text, then the next row, change or pane."""
        focused = self._app.screen.focused
        before = _spot(focused)
        if self._rest:
            self._more()
            return
        if isinstance(focused, DiffView) and focused.page is not None:
            page = focused.page
            if not focused.step_change(1):
                focused.move_last()
                await self._do("down")
            if focused.page is not page:
                focused.step_change(1, from_start=True)
        elif sentences.is_text(focused):
            self._say("That is all. back steps back, tab goes to the next part.")
        else:
            await self._do("down")
        if before is not None and _spot(focused) == before:
            self._say("This is the end.")

    async def _go_to(self, number: int) -> None:
        """Go to a row by its number; where there are none it is a key, as of a view."""
        rows = self._rows()
        if rows is None:
            await self._press_line(" ".join(str(number)))
        elif not rows.source.length:
            self._say(told(rows))
        elif not 0 < number <= rows.source.length:
            self._say(f"The rows go from 1 to {rows.source.length}.")
        else:
            rows.move(number - 1 - rows.cursor)
            await self._settled()
            self._focus = (None, "")

    def _rows(self) -> VirtualList[Any] | None:
        screen = self._app.screen
        if isinstance(screen.focused, VirtualList):
            return screen.focused
        lists = screen.query(VirtualList).results(VirtualList)
        return next(iter(lists), None) if isinstance(screen, Sheet) else None

    def _list(self) -> None:
        rows = self._rows()
        if rows is None:
            self._tell_long(self._whole())
            return
        if not rows.source.length:
            self._say(told(rows))
            return
        last = min(rows.source.length, rows.cursor + LISTED)
        for at in range(rows.cursor, last):
            if isinstance(rows, TreeList):
                self._say(f"{at + 1}: {sentences.node_told(rows, at)}")
            else:
                self._say(sentences.row_told(rows, at))
        left = rows.source.length - last
        if left:
            self._say(f"{left} more below: {last + 1} goes on, then list.")

    def _whole(self) -> list[str]:
        """Return all that the pane in focus says, and what is told beside its row."""
        focused = self._app.screen.focused
        if isinstance(focused, TextArea):
            return focused.text.split("\n")
        if sentences.is_text(focused) or isinstance(focused, DiffView):
            assert isinstance(focused, Pane)
            return sentences.text_lines(focused)
        found = [told(focused)]
        place = self._here
        if isinstance(focused, VirtualList) and place is not None:
            for pane in place.query(".-side Pane").results(Pane):
                if sentences.is_text(pane) and pane.display:
                    found += sentences.text_lines(pane)
        return found

    # Fields

    async def _in_line(self, field: Input, line: str) -> None:
        """Put a line into a field of one line, and take it."""
        if await self._command(line):
            return
        if line or isinstance(field, PromptInput):
            field.value = _text(line)
            field.cursor_position = len(field.value)
            await self._settled()
        await self.press("enter")

    async def _in_text(self, field: TextArea, line: str) -> None:
        """Add a line to a text, and keep it; a dot ends the text."""
        if self._ended is self._app.screen:
            await self._after_text(line.strip().casefold())
        elif line == ENDS_TEXT:
            form = self._app.screen
            if isinstance(form, Form):
                await self._next_field(form, field)
            else:
                self._end(form)
        elif not await self._command(line):
            before = field.text and not field.text.endswith("\n")
            field.insert(("\n" if before else "") + _text(line), field.document.end)
            await self._settled()
            self._app.keep_soon()

    async def _command(self, line: str) -> bool:
        """Do what a line says that begins with the sign of commands; two of them are text."""
        if not line.startswith(COMMAND) or line.startswith(COMMAND * 2):
            return False
        word, _, rest = line.removeprefix(COMMAND).strip().partition(" ")
        match word.casefold():
            case "e":
                await self._do("editor")
            case "send" | "yes":
                await self._do("send")
            case "next":
                await self.press("tab")
            case "choose":
                await self._do("choose")
            case "clear":
                field: Any = self._app.screen.focused
                field.clear()
                self._say("The field is empty now.")
            case _ if await self._word(word, rest.strip()):
                pass
            case _ if await self._press_line(f"{word} {rest}"):
                pass
            case _:
                self._say(
                    f"~{clean(word)} is not a command: ~e, ~send, ~back, ~next, ~read, ~clear."
                )
        return True

    def _end(self, screen: Screen[Any]) -> None:
        self._ended = screen
        self._say(ASKS)

    async def _after_text(self, answer: str) -> None:
        """Send what is typed, leave it as a draft, or go on with it."""
        before, self._ended = self._ended, None
        match answer:
            case "yes":
                await self._do("send")
                self._focus = (None, "")  # what was not taken is told with its field
            case "back":
                await self.press("escape")
            case "more":
                self._focus = (None, "")
            case "read":
                self._tell_long(self._whole())
                self._ended = before
            case _:
                self._say(ASKS)
                self._ended = before

    async def _next_field(self, form: Form, field: Widget) -> None:
        here = form.field_of(field)
        if here is not None and here is list(form.fields)[-1]:
            self._end(form)
        else:
            await self.press("tab")

    # Dialogs

    async def _in_dialog(self, sheet: Sheet[Any], line: str) -> None:
        text = line.strip()
        focused = sheet.focused
        if self._ended is sheet:
            await self._after_text(text.casefold())
        elif isinstance(sheet, TypeToConfirm):
            await self._confirm_typed(sheet, text)
        elif isinstance(sheet, Form) and isinstance(focused, Input | FormChoice):
            await self._in_form(sheet, focused, line)
        elif isinstance(sheet, Chooser | Help):
            await self._choose(sheet, text)
        elif isinstance(focused, Input):
            if text or focused.value:
                await self._in_line(focused, line)
            else:
                await self.press("escape")
        else:
            await self._answer(sheet, text)

    async def _answer(self, sheet: Sheet[Any], text: str) -> None:
        """Answer a dialog of choices: yes, a number, a word, a key; else it goes back."""
        asked = question_of(sheet, self._app.keyboard)
        word, _, rest = text.partition(" ")
        if text.casefold() == "yes" and asked.yes[0]:
            await self._press_line(asked.yes[0])
        elif 0 < (number := ordinal(text)) <= len(asked.choices):
            await self._press_line(asked.choices[number - 1][0])
        elif not text and self._rest:
            self._more()
        elif await self._word(word, rest.strip()) if text else False:
            pass
        elif keys_in(text) and any(
            text in (key, shown(key))
            for owner in self._app.keyboard.chain(sheet)
            for each in owner.ACTIONS.values()
            for key in keys_of(each, self._app.keyboard.keymap)
        ):
            await self._press_line(text)
        elif asked.yes[0] and sentences.decides(sheet):
            self._say("Not agreed.")
            await self.press("escape")
        elif not text and self._app.session.writes.waits:
            await self._sent()
        elif not text:
            await self._go_on()
        else:
            self._say(f"{clean(text)} is not an answer here. what says what can be done.")

    async def _sent(self) -> None:
        """Wait until what can be stopped is sent, since nobody stops it."""
        while (writes := self._app.session.writes).waits and self._app.is_running:
            await asyncio.wait(writes.writing)

    async def _confirm_typed(self, sheet: TypeToConfirm, text: str) -> None:
        field = sheet.focused
        if not text or text == "back" or not isinstance(field, Input):
            self._say("Not agreed.")
            await self.press("escape")
            return
        field.value = typed(text)
        await self._settled()
        await self._do("send")

    async def _in_form(self, form: Form, focused: Input | FormChoice, line: str) -> None:
        field, text = form.field_of(focused), line.strip()
        if await self._command(line) or field is None:
            return
        if text and isinstance(focused, FormChoice):
            chosen = [each for each in field.options if each.title.casefold() == text.casefold()]
            if 0 < (number := ordinal(text)) <= len(field.options):
                chosen = [field.options[number - 1]]
            if not chosen:
                self._say(f"{clean(text)} is none of the choices.")
                self._focus = (None, "")
                return
            focused.put(chosen[0].id)
        elif text and isinstance(focused, Input):
            focused.value = _text(text)
        await self._settled()
        self._app.keep_soon()
        await self._next_field(form, focused)

    async def _choose(self, sheet: Chooser[Any] | Help, text: str) -> None:
        rows = self._rows()
        word = text.casefold()
        if rows is None or word == "back":
            await self.press("escape")
        elif text.isdecimal() and isinstance(sheet, Chooser):
            if not 0 < (number := ordinal(text)) <= rows.source.length:
                self._say(f"The choices go from 1 to {rows.source.length}.")
                return
            rows.move(number - 1 - rows.cursor)
            await self.press("enter")
            if self._app.screen is sheet:
                rows.move(number - 1 - rows.cursor)
                self._say(told(rows))
        elif word == "yes":
            await self._do("send")
        elif not text or word in ("more", "next"):
            rows.move(LISTED)
            self._list()
        elif word == "list":
            self._list()
        elif not await self._command(text) and isinstance(field := sheet.focused, Input):
            field.value = _text(text)
            await self._settled()
            rows.move_first()
            self._list()

    # Actions by name

    def _what(self, wanted: str) -> list[str]:
        """Return what can be done here, then what cannot and why."""
        chain = self._app.keyboard.chain()
        has = having_words(wanted)
        found = [
            row
            for row in rows(chain, self._app.keyboard)
            if (wanted or row.group not in OVERALL) and has(row.said)
        ]

        def line(row: HelpRow) -> str:
            label = f"{row.label}. " if row.label else ""  # a word after : may take nothing
            return f"{row.keys}: {label}{row.text.removeprefix('off: ')}"

        on = [line(row) for row in found if not row.off]
        off = [line(row) for row in found if row.off]
        said = ["On here:", *on] if on else []
        return said + (["Off here:", *off] if off else [])

    async def _do_named(self, name: str) -> None:
        """Do an action by its name, or offer those that it may mean."""
        if not name:
            self._say("do what? As: do merge. what lists the actions.")
            return
        wanted = name.casefold()
        every = [(option.title, act) for option, act in offers(self._app)]
        found = [each for each in every if _label(each[0]) == wanted]
        found = found or [each for each in every if wanted in _label(each[0])]
        found = found or [each for each in every if wanted in each[0].casefold()]
        if not found:
            self._say(f"There is no action {clean(name)} now.")
            self._tell_long(self._what(name))
        elif len(found) == 1:
            await self._do_offered(found, 1)
        else:
            self._offered = found
            self._say("Which? Type its number.")
            self._tell_long([f"{n}: {clean(title)}" for n, (title, _) in enumerate(found, 1)])

    async def _do_offered(
        self, offered: Sequence[tuple[str, Callable[[], Awaitable[None]]]], number: int
    ) -> None:
        if not 0 < number <= len(offered):
            self._say(f"The numbers go from 1 to {len(offered)}.")
            self._offered = offered
            return
        await offered[number - 1][1]()

    # Telling

    def _tell_long(self, lines: Sequence[str]) -> None:
        """Tell the first lines, and keep the rest."""
        self._rest = [line for line in lines if line]
        self._more()

    def _more(self) -> None:
        if not self._rest:
            self._say("There is no more.")
            return
        told_now, self._rest = self._rest[:AT_ONCE], self._rest[AT_ONCE:]
        for line in told_now:
            self._say(line)
        if self._rest:
            self._say(f"{plural(len(self._rest), 'more line')}: an empty line reads on.")

    def _tell_dialog(self, sheet: Sheet[Any]) -> None:
        """Tell what a dialog says and, however much that is, how it may be answered."""
        lines = sentences.dialog_told(sheet, self._app.keyboard)
        if (rows := self._rows()) is not None and isinstance(sheet, Chooser | Help):
            one = range(rows.cursor, min(rows.source.length, rows.cursor + LISTED))
            listed = [sentences.row_told(rows, at) for at in one]
            lines = [lines[0], *listed, lines[-1]]
            if left := rows.source.length - rows.cursor - len(listed):
                lines.insert(-1, f"{left} more: an empty line reads on.")
        *said, answers = lines
        self._tell_long(said)
        if answers:
            self._say(answers)

    def _announce(self) -> None:
        """Say what is new: what happened, where one is, what has the focus."""
        app = self._app
        heard, self._heard = self._heard, []
        for text in heard:
            self._say(text)
        if not app.is_running or not app.screen_stack:
            return
        front, place = app.screen, self._here
        if place is not None and place is not self._place:
            self._place, self._view = place, place.view
            if front is place:
                self._say(sentences.place_told(place))
        elif place is not None and place.view != self._view:
            self._view = place.view
            self._say(sentences.view_told(place))
        self._announce_front(front)
        focused = front.focused
        if isinstance(focused, DiffView) and (title := focused.title_line()) != self._page:
            self._page = title
            notes = () if focused.page is None else focused.page.notes
            self._say(" ".join((sentences.title_told(focused), *map(sentences.plain, notes))))
        marked = sentences.marks_told(focused)
        if marked != self._marked:
            self._marked = marked
            if marked or focused is self._focus[0]:
                self._say(marked or "Nothing is marked.")
        if isinstance(focused, VirtualList) and not isinstance(front, Sheet):
            before, self._noted = self._noted, (focused, sentences.note_told(focused))
            if before != self._noted and before[0] is focused and self._noted[1]:
                self._say(self._noted[1])
        now = focused, told(focused)
        chosen = isinstance(front, Chooser | Help)
        if now != self._focus and not (isinstance(front, Sheet) and chosen):
            typing = isinstance(focused, TextArea | Input) and focused is self._focus[0]
            if now[1] and not typing:
                self._say(now[1])
            if isinstance(focused, Pane) and sentences.is_text(focused):
                self._rest = sentences.text_lines(focused)[1:]
                if self._rest:
                    self._say(f"{plural(len(self._rest), 'passage')} more: an empty line reads on.")
        self._focus = now
        if not self._answered and now[1] and not isinstance(focused, TextArea):
            self._say(now[1])  # nothing is new: a line is never without an answer
        if not self._answered and isinstance(front, Sheet):
            said = sentences.answers_told(front, question_of(front, app.keyboard))
            if said:
                self._say(said)
        source = getattr(focused, "source", None)
        news = waiting_rows(source) if getattr(source, "waiting", 0) else ""
        if news and news != self._news:
            self._say(news)
        self._news = news
        self._announce_header()
        waits = [each.doing for each in app.session.writes.waits]
        if waits and waits != self._waits:
            self._say(last_write(app.session, lambda said: app.keyboard.said(said, front)))
        self._waits = waits

    def _announce_header(self) -> None:
        """Say what the header shows since the last line, and nothing on the screen does."""
        before, self._header = self._header, sentences.header_told(self._app)
        for what, said in self._header.items():
            if said and said != before.get(what):
                self._say(said)

    def _announce_front(self, front: Screen[Any]) -> None:
        if not isinstance(front, Sheet):
            if isinstance(self._front, Sheet):
                self._focus = (None, "") if front.focused is not self._focus[0] else self._focus
            self._front, self._ended = front, None
            return
        asked = question_of(front, self._app.keyboard)
        answers = sentences.answers_told(front, asked)
        lines = frozenset((*asked.lines, answers))
        if front is not self._front:
            self._front, self._ended = front, None
            self._tell_dialog(front)
        elif not isinstance(front, Chooser | Help):
            for line in (*asked.lines, answers):
                if line and line not in self._in_sheet:
                    self._say(line)
        self._in_sheet = lines


def _spot(focused: Widget | None) -> object:
    """Return where the cursor is in what has rows, None elsewhere."""
    if isinstance(focused, DiffView):
        return focused.page, focused.cursor
    if isinstance(focused, VirtualList) and focused.source.length:
        return focused.cursor
    return None


def _text(line: str) -> str:
    """Return the text that a line is; the sign of commands is typed twice where it begins one."""
    return typed(line.removeprefix(COMMAND) if line.startswith(COMMAND * 2) else line)


def _label(title: str) -> str:
    return title.partition(":")[0].strip().casefold()


def _help() -> list[str]:
    words = [f"{word}: {does}." for word, does in WORDS.items()]
    return [
        "Type a word, a key as j or g c or ctrl+s, a number, a line that begins with : or with /. "
        "In a list a number is that of a row: ] goes to the next view, :view 2 to the second.",
        *words,
        "In a field each line is text: one that begins with ~ is a command, as ~back, ~e, ~what. "
        "In a text of several lines one with only a dot ends it.",
    ]

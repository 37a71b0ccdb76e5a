"""Where text is written: comments, replies, descriptions. What was typed is never lost.

The text is kept as a draft within a second of every key, on Esc, and when the sheet closes for
any reason but sending. `Composer` is the field; `WriteSheet` is the sheet around it (level 1).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.timer import Timer
from textual.widgets import Label, Static, TextArea

from copydesk.domain import completion
from copydesk.domain.completion import begun
from copydesk.domain.saved_reply import SavedReply
from copydesk.domain.text import clean, plural, typed
from copydesk.local import browser
from copydesk.present.facts import hint
from copydesk.session.drafts import TWO_WINDOWS
from copydesk.session.errors import failure_types, sentence
from copydesk.session.glyphs import emoji_names, glyphs
from copydesk.session.names import person_name
from copydesk.session.writes.comments import PendingDraft, draft_words
from copydesk.tui.dialogs.dialog import Fact, ScrollingSheet, fact_lines
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.desk_app import begin, desk_of
from copydesk.tui.framework.early_keys import TypingAhead
from copydesk.tui.framework.editor import EditorError, edit_in_editor
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import Column, VirtualList
from copydesk.tui.widgets.text import TextView
from copydesk.tui.widgets.text_field import KEYS, Completion, TextField

if TYPE_CHECKING:
    from textual.widget import Widget

    from copydesk.session.drafts import CountedDrafts
    from copydesk.session.session import Session
    from copydesk.tui.framework.place import Place

AUTOSAVE_SECONDS = 0.7
"""How long after a key the draft is kept."""


def nothing_written(composer: Composer) -> str | None:
    """Say so when there is nothing to send."""
    sends = composer.may_be_empty or composer.text.strip()
    return None if sends else "There is nothing to send yet."


def stays(sheet: WriteSheet) -> str | None:
    """Return why the text cannot move to another subject; None where it can."""
    return None if sheet.may_move else "There is nothing else to move it to."


class Composer(TextField, scope="composer"):
    """A text field that keeps a draft under ``draft_key``.

    The cursor begins at the line ``begins`` (from 0), else behind the text.

    ``send`` is given the text on ctrl+s, at once: the key that comes next is for what is in front
    then. Posts `Left` on Esc. The draft is kept by then. Call `accepted` once the text has arrived,
    which drops the draft. What ``may_be_empty`` is sent without a text too, and what is ``exact``
    with the blanks at its ends.
    """

    class Left(Message):
        """The field is left; the draft is kept."""

        def __init__(self, composer: Composer) -> None:
            super().__init__()
            self.composer = composer

        @property
        def control(self) -> Composer:
            return self.composer

    def __init__(
        self,
        draft_key: str,
        send: Callable[[str], object],
        *,
        text: str = "",
        quote: str = "",
        begins: int | None = None,
        may_be_empty: bool = False,
        exact: bool = False,
        id: str | None = None,
    ) -> None:
        super().__init__(id=id, soft_wrap=True, show_line_numbers=False, tab_behavior="focus")
        self.draft_key = draft_key
        self.send_text = send
        self.may_be_empty = may_be_empty or exact
        self._exact = exact
        self.quote = quote
        self._given = typed(text, lines=True)
        self._begins = begins
        self._timer: Timer | None = None
        self._kept: str | None = None
        self._emptied = False
        """Whether an undo left nothing, and nothing was typed since."""
        self._emoji: Sequence[tuple[str, str]] | None = None
        self._replies: Sequence[SavedReply] | None = None
        """The saved replies, while a line begins with a ``/``: each time they are read anew."""
        self.line = Completion()
        """The line below the field."""

    @property
    def offers(self) -> Sequence[Any]:
        """What the word at the cursor may become: Esc and Enter are for that first."""
        return self.line.offers

    @property
    def _session(self) -> Session:
        return desk_of(self).session

    @property
    def _drafts(self) -> CountedDrafts:
        return self._session.drafts

    async def on_mount(self) -> None:
        """Begin with the draft, else with the text given; say why the draft was not sent."""
        assert self.parent is not None
        await cast("Widget", self.parent).mount(self.line, after=self)
        self._drafts.opened(self.draft_key)
        draft = self._drafts.load(self.draft_key)
        if draft and self._session.writes.is_on_its_way(self.draft_key, draft):
            if self._given:  # an edit goes on from the words that are on their way
                self._given = typed(draft, lines=True)
            draft = None  # what is written now is another text
        if draft and (why := self._session.unsent.get(self.draft_key)):
            self.line.say(f"Not sent last time: {why}")
        elif shared := self._session.drafts.shared(self.draft_key):
            self.line.say(shared)
        self._kept = None if draft is None else typed(draft, lines=True)
        self.load_text(self._given if self._kept is None else self._kept)
        begins = self.document.end if self._begins is None else (self._begins, 0)
        self.move_cursor(begins, center=True)
        self._title("draft restored" if draft else "")

    def on_unmount(self) -> None:
        """Save the typed text, however the field was closed."""
        self.keep()
        self._drafts.closed(self.draft_key)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Keep the draft soon, and offer what the word at the cursor may become."""
        if self._emptied and self.text:
            self._emptied = False
            self.line.say("")
        if self.text != (self._given if self._kept is None else self._kept):
            self._session.writes.make_room(self.draft_key)
            self._offer()
        elif not self.text:
            self._replies = None
        if self._timer is None:
            # Not put off by the keys that follow: who types on and on is safe too.
            self._timer = self.set_timer(AUTOSAVE_SECONDS, self.keep)

    def undo(self) -> None:
        """Undo what was typed; where ctrl+z, which suspends elsewhere, leaves nothing, say more."""
        before = self.text
        super().undo()
        if before and not self.text:
            self._emptied = True
            self.line.say("Undone: ctrl+y brings the text back.")

    def keep(self) -> None:
        """Keep the draft now. An unchanged or empty text makes no draft."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        text = self.text
        if text == (self._kept if self._kept is not None else self._given):
            return
        self._session.drafts.save(self.draft_key, text if text.strip() else "", self._tell_kept)
        self._kept = text

    def _tell_kept(self) -> None:
        """Say what became of the draft, once the disk has answered."""
        if self.is_attached:
            drafts = self._session.drafts
            if shared := drafts.shared(self.draft_key):
                self.line.say(shared)
            now, why = self._session.clock().astimezone(), drafts.refused(self.draft_key)
            self._title(f"not on disk: {why}" if why else f"saved {now:%H:%M}")

    def keep_typed(self) -> None:
        """Keep the draft, because everything may end now."""
        self.keep()

    # Completion

    async def on_key(self, event: events.Key) -> None:
        """Handle the keys of the offered words, and Tab after a ``>`` alone on its line.

        Textual calls this before the handler of the text area.
        """
        if self.line.offers and event.key in KEYS:
            self._choose(event.key)
        elif event.key != "tab" or not self._insert_quote():
            return
        event.stop()
        event.prevent_default()

    def on_blur(self) -> None:
        """Offer nothing while something else is written or looked at."""
        self.line.offer(())

    def _before(self) -> str:
        row, column = self.cursor_location
        return self.document.get_line(row)[:column]

    def _after(self) -> str:
        row, column = self.cursor_location
        return self.document.get_line(row)[column:]

    def _offer(self) -> None:
        """Offer completions of the word at the cursor; unread names are read first."""
        word = begun(self._before())
        if word is not None and word.kind == "reply" and self._after():
            word = None  # there are other words on the line
        if word is None or word.kind != "reply":
            self._replies = None
        if word is None or not self.has_focus:
            self.line.offer(())
            return
        if word.kind == "reply":
            self._offer_replies(word.typed)
            return
        if word.kind == "emoji":
            if self._emoji is None:
                self._read_once("emoji", self._read_emoji)
            else:
                plain = glyphs().gap.isascii()
                self.line.offer(completion.emoji(word.typed, self._emoji, plain=plain))
            return
        people = self._session.members.known(self._session.organization)
        if people is None:
            self._read_once("people", self._read_people)
        else:
            self.line.offer(completion.people(word.typed, people))

    def _offer_replies(self, typed: str) -> None:
        if self._replies is None:
            self._read_once("replies", self._read_replies)
        elif self._replies:
            self.line.offer(completion.replies(typed, self._replies, self._values()))
        elif not typed and (folder := self._session.replies.folder) is not None:
            said = f"No saved replies: a file NAME.md in {clean(str(folder))} is one. "
            self.line.say(f"{said}{{author}}, {{page}} and so on are filled in there.")
        else:
            self.line.offer(())

    def _values(self) -> Mapping[str, str]:
        here, me = cast("Place | None", desk_of(self).here), self._session.me
        values = {"me": "" if me is None else person_name(me)}
        for each in () if here is None else here.commands:
            values.update(each.reply_values())
        return values

    async def _read_replies(self) -> None:
        try:
            self._replies = await asyncio.to_thread(self._session.replies.read)
        except OSError as error:
            self._replies = []
            self.line.say(f"The saved replies cannot be read: {error.strerror or error}", "bad")
        else:
            self._offer()

    def _read_once(self, what: str, read: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Begin to read something, unless that is under way."""
        if not any(
            each.name == what and each.node is self and each.is_running for each in self.app.workers
        ):
            begin(self, read, name=what)

    async def _read_emoji(self) -> None:
        self._emoji = await asyncio.to_thread(emoji_names)
        self._offer()

    async def _read_people(self) -> None:
        session = self._session
        try:
            api = await session.ready()
            if session.organization is not None:
                await session.members.read(api, session.organization)
                self._offer()
        except failure_types() as error:
            session.learn(error, quiet=True)
            self.line.say(f"The people could not be read: {sentence(error)}")

    def _choose(self, key: str) -> None:
        chosen, word = self.line.chosen, begun(self._before())
        if key in ("up", "down"):
            self.line.step(1 if key == "down" else -1)
            return
        self.line.offer(())
        if key != "escape" and chosen is not None and word is not None:
            row, column = self.cursor_location
            if chosen.text:
                self.replace(chosen.text, (row, word.start), (row, column))
            if chosen.said:
                self.line.say(chosen.said)

    def _insert_quote(self) -> bool:
        """Put the quoted text in the place of a ``>`` alone on its line; False where none is."""
        row, _ = self.cursor_location
        line = self.document.get_line(row)
        if line.strip() != ">" or not self.quote.strip():
            return False
        quoted = "\n".join(f"> {each}".rstrip() for each in self.quote.strip().splitlines())
        self.replace(f"{quoted}\n\n", (row, 0), (row, len(line)))
        return True

    def _title(self, said: str) -> None:
        self.border_subtitle = Content(said) if said else None

    @action("ctrl+s", "send", unless=nothing_written, danger=1)
    def send(self) -> None:
        """Send the text."""
        self.keep()
        if self.may_be_empty or not self._gone_elsewhere():
            self.send_text(self.text if self._exact else self.text.strip())

    def _gone_elsewhere(self) -> bool:
        """Whether the draft left the disk by another hand: then it may have arrived. Said once.

        Another copydesk may have sent it, or the start found that it had arrived after all.
        """
        if not self._kept or self._drafts.own_text(self.draft_key) is not None:
            return False
        shared = self._drafts.key_of(self.draft_key) in self._drafts.texts()
        self._drafts.save(self.draft_key, self.text)
        said = TWO_WINDOWS if shared else "Sent or discarded elsewhere since: look first"
        self.line.say(f"{said}. ctrl+s sends it all the same")
        return True

    @action("escape", "keep as draft", word="back")
    def leave(self) -> None:
        """Keep the draft and leave."""
        self.keep()
        self.post_message(self.Left(self))

    @action("ctrl+o", "$EDITOR", word="editor")
    def edit_outside(self) -> None:
        """Write in $EDITOR; the quoted text is in the file, below a line, for reading."""
        self.keep()
        try:
            edited = edit_in_editor(desk_of(self), self.text, self.quote)
        except EditorError as error:
            self.line.say(str(error), "bad")
        else:
            self.line.offer(())
            self.load_text(edited)
            self.move_cursor(self.document.end)
            self.keep()


SHOWN = 5
"""Drafts that are shown at once."""


class DraftTicks(VirtualList[PendingDraft], scope="draft_ticks"):
    """Drafts to tick: those ticked are sent too. ``where`` says where each belongs."""

    def __init__(
        self, drafts: Sequence[PendingDraft], where: Callable[[PendingDraft], str]
    ) -> None:
        super().__init__(
            ListSource(drafts, key=lambda draft: draft.key),
            [
                Column("where", "", where, width=26, drop=1),
                Column("text", "", _text_of, flex=1, minimum=20),
            ],
            header=False,
        )
        self._drafts = drafts
        self.marks = {draft.key for draft in drafts}
        self.styles.height = min(len(drafts), SHOWN)

    @property
    def going(self) -> list[PendingDraft]:
        """The drafts that go along, in the order in which they were written."""
        return [draft for draft in self._drafts if draft.key in self.marks]

    @property
    def line(self) -> Text:
        """How many of them go along."""
        going, all_of_them = len(self.marks), plural(len(self._drafts), "draft")
        if not going:
            return Text(f"{all_of_them}, none goes along", style="muted")
        text = Text(f"{going} of {all_of_them} first", style="strong")
        return text.append(", then the review; it waits for them", style="muted")

    @action("space", "tick", show=20, also=("enter",), override=True)
    def tick(self) -> None:
        """Take the draft along, or leave it where it is; then go to the next."""
        if self.selected_id is not None:
            self.set_marks(self.marks ^ {self.selected_id})
            self.move(1)


def _text_of(draft: PendingDraft) -> Text:
    said = clean(draft_words(draft), limit=400)
    text = Text(said)
    if draft.why:
        text = hint(f"not sent: {clean(draft.why, limit=200)}", "bad")
        text.append(f"  {said}")
    return text


class WriteSheet(ScrollingSheet[str], scope="write_sheet"):
    """Level 1: write and send with ctrl+s. The result is the text, or None (the draft is kept).

    Send the text with `Place.perform` and, once it has arrived, call ``session.drafts.drop(key)``:
    until then the draft stays, so that nothing is lost when the service refuses it.

    With ``instead``, a sentence that names ctrl+r, that key leaves it too, and it is ``moving``:
    what is written goes elsewhere. ``why`` warns above it. ``beside`` is a field for words
    beside the text. A ``verdict`` may be given without a text; the ``drafts`` that wait to be sent
    about the same are listed and go along with it (`going`).
    """

    DANGER = 1
    TAKES_TEXT = True

    def __init__(
        self,
        title: str,
        draft_key: str,
        *,
        text: str = "",
        quote: str = "",
        facts: tuple[Fact, ...] = (),
        why: str = "",
        verb: str = "",
        begins: int | None = None,
        instead: str = "",
        verdict: bool = False,
        drafts: Sequence[PendingDraft] = (),
        where: Callable[[PendingDraft], str] = lambda draft: "",
        exact: bool = False,
        beside: Composer | None = None,
    ) -> None:
        super().__init__(title)
        self._beside = beside
        warning = (Text(why, style="warn"),) if why else ()
        self._facts = (*warning, *facts, *([hint(instead, "")] if instead else []))
        self.may_move = bool(instead)
        self.moving = False
        self._verb = verb or ("sends it" if verdict else "send")
        self._verdict = verdict
        self._ticks = DraftTicks(drafts, where) if drafts else None
        self.composer = Composer(
            draft_key, self.dismiss, text=text, quote=quote, begins=begins,
            may_be_empty=verdict, exact=exact,
        )  # fmt: skip
        self._preview: TextView | None = None

    @property
    def going(self) -> list[PendingDraft]:
        """The drafts that go along, in the order in which they were written."""
        return [] if self._ticks is None else self._ticks.going

    def body(self) -> ComposeResult:
        self.add_class("write")
        if self._facts:
            yield Static(self.paint(fact_lines(self._facts)), classes="facts")
        yield self.composer
        if self._beside is not None:
            self.add_class("long")
            yield Label(self.paint(Text("Words beside it (Tab), or none:", style="muted")))
            yield self._beside
        if self._ticks is not None:
            self.add_class("long")
            yield Static(self.paint(self._ticks.line), id="along")
            yield self._ticks
        yield Label(self.paint(self._keys()), classes="keys")

    def _keys(self) -> Text:
        keys: tuple[tuple[str, str], ...]
        if not self._verdict:
            editor = () if browser.window is not None else (("ctrl+o", "$EDITOR"),)
            keys = (("ctrl+s", self._verb), ("ctrl+t", "preview"), *editor,
                    ("@ : /", "names"), ("esc", "keeps it"))  # fmt: skip
            between = "  "
        else:
            words = "" if self._ticks is not None else ", with a comment or without"
            keys = (("tab", "to the drafts"), ("space", "ticks"))
            if self._ticks is None:
                keys = (("/", "replies"),)
            keys = (("ctrl+s", f"{self._verb}{words}"), *keys, ("esc", "cancel"))
            between = "   "
        parts = [Text.assemble((key, "accent"), f" {what}") for key, what in keys]
        return Text(between).join(parts)

    def on_mount(self) -> None:
        self.composer.focus()
        TypingAhead.check(self.cause)

    @action("ctrl+t", "preview")
    def preview(self) -> None:
        """Show how it will read; again to write on."""
        if self._preview is None:
            text, empty = self.composer.text, "Nothing written yet."
            self._preview = TextView(text, title="Preview", empty=empty, literal=True)
            self.mount(self._preview, after=self.composer)
            self.composer.display = False
            self.call_after_refresh(self._preview.focus)
        else:
            self.composer.display = True
            self.set_focus(self.composer)  # what is typed next is for it
            self._preview.remove()
            self._preview = None

    @action("ctrl+s", "send", danger=1, unless=lambda sheet: nothing_written(sheet.composer))
    def send(self) -> None:
        """Send the text, also while its preview is shown."""
        self.composer.send()

    @action("ctrl+r", "on something else", word="elsewhere", unless=stays, danger=1, show=False)
    def move(self) -> None:
        """Move the text to another subject, which the dialog offers."""
        self.composer.keep()
        self.moving = True
        self.dismiss(None)

    def on_composer_left(self, event: Composer.Left) -> None:
        """Leave without sending."""
        event.stop()
        self.dismiss(None)

    def on_virtual_list_marks_changed(self, event: VirtualList.MarksChanged) -> None:
        event.stop()
        if self._ticks is not None:
            self.query_one("#along", Static).update(self.paint(self._ticks.line))

    @action("tab", "to the drafts", show=False, also=("shift+tab",))
    def next_pane(self) -> None:
        """Go from the field to the drafts, or back."""
        if self._ticks is None:
            self.focus_next()
        else:
            (self.composer if self._ticks.has_focus else self._ticks).focus()

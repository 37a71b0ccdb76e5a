"""What has the focus, in words: one function for each kind of thing, from what its widget knows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import age, is_age, spelled
from copydesk.domain.sure import sure
from copydesk.domain.text import capital, clean, plural
from copydesk.present.news import news_line
from copydesk.present.threads import Thread
from copydesk.session.glyphs import glyphs
from copydesk.session.names import person_name
from copydesk.tui.arrange.dialogs import ArrangeSheet, OthersSheet
from copydesk.tui.dialogs.choice import Chooser
from copydesk.tui.dialogs.dialog import Sheet, TypeToConfirm
from copydesk.tui.dialogs.form import Form, FormHelp
from copydesk.tui.dialogs.form_fields import Entry, Field, FormChoice
from copydesk.tui.framework.actions import shown
from copydesk.tui.framework.keyboard import Keyboard, keys_of
from copydesk.tui.framework.line_field import PromptInput
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import Place, place_of
from copydesk.tui.framework.reader import age_line
from copydesk.tui.merge.settle import SettleView
from copydesk.tui.review.diff import DiffView
from copydesk.tui.system.help import Help
from copydesk.tui.threads.pane import ThreadView
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList, said_instead, sign_of, waits_for
from copydesk.tui.widgets.text import TextView
from copydesk.tui.widgets.tree_list import TreeList
from copydesk.tui.widgets.wrapped_list import WrappedList

if TYPE_CHECKING:
    from copydesk.domain.page_text import PageText
    from copydesk.tui.framework.desk_app import DeskApp

WIDE = 400
"""Cells in which lines are laid out that are only read aloud: nothing is cut for room."""

NOTHING_IN = frozenset("-–—·. ")
"""The signs of a cell that says nothing."""

ENDS_TEXT = "."
"""The line that ends a text of several lines."""

COMMAND = "~"
"""What a line begins with that is a command where all others are text."""

PLAIN = frozenset({"at", "did", "keys", "label", "state", "status", "when", "where", "who", "why"})
"""Columns whose cells say by themselves what they are about."""

TIMES = frozenset({"age", "at", "when"})
"""Columns of ages and moments."""

COUNTED = {"requests": "change requests"}
"""What a column counts, where its key is not the word for it (docs/words.md)."""

_BARS = str.maketrans("", "", "▁▂▃▄▅▆▇█│⋯")

_PLACE = re.compile(r"(?<!\S)(\d+)/(\d+) ([~+\-→] )?(?=\S)")
"""Which page, hunk or text it is of how many, and the sign of what became of it."""

_SIGNS = {"~": "edited", "+": "added", "-": "deleted", "→": "moved"}

_BETWEEN = re.compile(r" {2,}|\n")

_ENDED = re.compile(r"([.!?:,;]), ")
"""The end of a sentence or of a label, and the comma after it."""


def header_told(app: DeskApp) -> Mapping[str, str]:
    """Return what only the header of the screens says, by what it is about; "" for nothing."""
    session = app.session
    news, waits, (note, _) = session.unseen_news, session.outbox.count, app.merge_note
    away = session.offline or session.contact.refused or session.contact.limited
    place = app.here
    how = age_line(place, 0)[1][-1] if away and isinstance(place, Place) else ""
    return {
        "news": f"{len(news)} new: {news_line(news[0])}. g N shows the news." if news else "",
        "outbox": f"{plural(waits, 'write')} in the outbox. g x shows them." if waits else "",
        "merge": f"{sentence(note)} M shows the merge run." if note else "",
        "disk": "What you type cannot be saved on the disk." if session.drafts.trouble else "",
        "service": sentence(how) if how else "The service answers again.",
    }


def told(widget: Widget | None) -> str:
    """Return what a widget that has the focus says of itself and of what is under its cursor."""
    match widget:
        case TreeList():
            return node_told(widget)
        case VirtualList():
            return row_told(widget)
        case DiffView():
            return change_told(widget)
        case ThreadView():
            return thread_told(widget)
        case Pane() if is_text(widget):
            return " ".join(filter(None, (title_told(widget), *text_lines(widget)[:1])))
        case Pane():
            return title_told(widget)
        case FormChoice() | Input() | TextArea():
            return entry_told(widget)
    return ""


def title_told(pane: Pane) -> str:
    """Return the title of a pane: of which one it is, and of a change its kind, in words."""
    return sentence(_PLACE.sub(_of_which, pane.title_line()))


def _of_which(found: re.Match[str]) -> str:
    at, whole, sign = found.groups()
    return f"{at} of {whole}  {f'{_SIGNS.get(sign.strip(), sign)}  ' if sign else ''}"


def sentence(*parts: str) -> str:
    """Return parts as one sentence; nothing where none says anything."""
    said = ", ".join(filter(None, map(paused, parts)))
    return said if not said or said[-1] in ".!?:" else f"{said}."


def paused(text: str) -> str:
    """Return what is drawn as one sentence: a comma for the blanks between facts, ages in words."""
    drawn = _BETWEEN.split(text.translate(_BARS).strip())
    first, *more = [said for each in drawn if (said := " ".join(each.split()))] or [""]
    begins = f"{first}:" if first.isdecimal() and more else first
    if more and not any(map(str.isalnum, first)):  # a sign is about what is behind it
        begins, *more = f"{first} {more[0]}", *more[1:]
    return spelled(_ENDED.sub(r"\1 ", ", ".join((begins, *more))))


# Lists and trees


def row_told(rows: VirtualList[Any], index: int | None = None) -> str:
    """Return a row of a list, that of the cursor or another, with its place among them."""
    source = rows.source
    at = rows.cursor if index is None else index
    row = source.row(at) if at < source.length else None
    if row is None:
        return sentence(said_instead(rows))
    whole = source.length if source.filtering or source.count is None else source.count
    return f"{at + 1} of {whole}. {sentence(*cells(rows.columns, row), *_state(rows, row))}"


def node_told(tree: TreeList[Any], index: int | None = None) -> str:
    """Return a node of a tree: its level, its place beside its siblings, what is inside."""
    source = tree.tree_source
    at = tree.cursor if index is None else index
    twig = tree.source.row(at) if at < tree.source.length else None
    if twig is None:
        return sentence(said_instead(tree))
    place = source.place(twig.id)
    where = f"Level {twig.depth + 1}" + (f", {place[0]} of {place[1]}" if place else "")
    inside = source.below(twig.item) or ()
    fold = ("open" if twig.unfolded else "closed") if twig.foldable else ""
    count = f"{len(inside)} inside" if twig.foldable and inside else ""
    said = sentence(*cells(tree.item_columns, twig.item), fold, count, *_state(tree, twig))
    return f"{where}. {said}"


def cells(columns: Sequence[Column[Any]], row: Any) -> Iterator[str]:
    """Yield what the columns say of a row: what they have for it, else words for their cells.

    Numbers are counts of what a column is called after, and 0 is not told; ages are spelled. Short
    texts have the names of their columns before them.
    """
    first = True
    for column in columns:
        drawn = column.render(row)
        text = plain(drawn)
        if isinstance(drawn, Text) and drawn.style in ("added", "removed"):
            text = text[2:-2]  # the signs around a title that is staged: its state says so too
        if column.spoken is not None:
            said = column.spoken(row, text)
        else:
            said = "" if NOTHING_IN.issuperset(text) else _cell_told(column, text)
        if said:
            # A name that begins the sentence is not that of a stranger, whose letters stay.
            yield said.capitalize() if first and said == f"number {text}" else said
            first = False


def _cell_told(column: Column[Any], text: str) -> str:
    name = column.key.replace("_", " ")
    if text == "none":
        return f"no {name}"
    if is_age(text) or (text == "now" and name in TIMES):
        title, ago = column.title.strip().casefold(), text if text == "now" else f"{text} ago"
        verb = title if name in TIMES else name
        return spelled(f"{'' if verb in TIMES else verb} {ago}".strip())
    count = text.replace(",", "")
    if count.isdecimal() and name.endswith("s"):
        noun = re.sub(r"ie$", "y", COUNTED.get(name, name).removesuffix("s"))
        return plural(int(count), noun) if int(count) else ""
    if text.endswith("/w"):
        return f"{text.removesuffix('/w')} {name} a week"
    known = column.flex or name in PLAIN or name.casefold() in text.casefold()
    return f"{name} {text}" if column.title and not known else text


def _state(rows: VirtualList[Any], row: Any) -> Iterator[str]:
    """Yield what the signs before a row mean."""
    if sign := sign_of(rows, row).strip():
        meanings = {glyphs().dot: "as it is now"}
        if isinstance(rows.screen, Place):
            meanings = dict(place_of(rows).signs())
        yield clean(meanings.get(sign, sign))
    if rows.source.key(row) in rows.marks:
        yield rows.MARKED
    if waits_for(rows, row):
        yield "something about it waits to be sent"


def plain(said: str | Text) -> str:
    """Return a text in one line without its tones, and without the bars of small charts."""
    text = clean(said if isinstance(said, str) else said.plain, lines=True)
    return " ".join(text.translate(_BARS).split())


# Changes, threads, texts


def change_told(diff: DiffView) -> str:
    """Return the change that the cursor is in: what it was, what it is now."""
    page, line = diff.page, diff.line
    if page is None or line is None:
        return line_told(diff)
    said = _line_of_change(diff, page, line)
    authors = diff.beside.gutter(page, WIDE).authors or {}
    rows = (page.diff[at] for at in range(line, min(line + 2, len(page.diff))))
    block = next((each.after_block for each in rows if each.after_block), 0)
    who = " ".join(authors.get(block, "").split())
    return f"{who}: {said}" if who else said


def _line_of_change(diff: DiffView, page: PageText, line: int) -> str:
    if page.diff[line].kind == "same":
        return plain(page.line_text(line)) or "A blank line."
    at, whole = diff.change_at
    start = page.diff.changes[at - 1] if at else line
    before: list[str] = []
    now: list[str] = []
    for number in range(start, len(page.diff)):
        each = page.diff[number]
        if each.kind == "same":
            break
        if text := plain(each.text):
            (before if each.kind in ("removed", "from") else now).append(text)
    lead = [f"Change {at} of {whole}", page.diff[start].within or ""]
    moved = page.diff[start].kind in ("from", "to")
    if moved and not (before or now):
        return sentence(*lead, "moved from here", line_told(diff))
    if moved:
        return f"{sentence(*lead, 'moved')} {' '.join((*before, *now))}"
    if not (before and now):
        what = "removed" if before else "added"
        return f"{sentence(*lead, what)} {' '.join(before or now)}"
    words = list(_words(diff, start))
    said = [*words, f"Whole: {' '.join(now)}"]
    if not words:
        said = [f"Before: {' '.join(before)}", f"Now: {' '.join(now)}"]
    return " ".join((sentence(*lead, "edited"), *said))


def _words(diff: DiffView, at: int) -> Iterator[str]:
    """Yield the words that were edited, where one row became one."""
    page = sure(diff.page)
    rows = page.pair(at)
    if len(rows) < 2 or not page.diff[rows[0]].compared:
        return
    for lead, number in zip(("Before", "Now"), rows, strict=True):
        spans = page.diff[number].marks
        words = [said for span in spans if span.kind != "same" and (said := plain(span.text))]
        if words:
            yield sentence(f"{lead}: {', '.join(words)}")


def thread_told(threads: ThreadView) -> str:
    """Return the thread of the cursor with all its messages; further down the message alone."""
    thread, message = threads.thread, threads.message
    if thread is None or message is None:
        return line_told(threads)
    every = threads.threads
    at = next((at for at, each in enumerate(every, 1) if each.id == thread.id), 0)
    quote = plain(threads.quote)
    state = "open" if thread.open else "resolved"
    said = list(_messages(threads, thread))
    whole = (thread.comment, *(thread.replies or ()))
    below = next((n for n, each in enumerate(whole) if each.id == message.id), 0)
    if below:
        return f"Thread {at} of {len(every)}, message {below + 1} of {len(whole)}. {said[below]}"
    lead = sentence(f"Thread {at} of {len(every)}", state, f"on “{quote}”" if quote else "")
    return " ".join((lead, *said))


def _messages(threads: ThreadView, thread: Thread) -> Iterator[str]:
    now = place_of(threads).session.now
    for message in (thread.comment, *(thread.replies or ())):
        when = age(message.posted_at, now)
        when = when if when == "now" else spelled(f"{when} ago")
        who = f"{clean(person_name(message.posted_by))}, {when}"
        yield f"{who}: {plain(message.body.markdown or '')}"


def line_told(rows: WrappedList, row: int | None = None) -> str:
    """Return a row of a list whose rows wrap, that of the cursor or another."""
    if not rows.rows:
        return sentence(rows.nothing_said(rows.empty))
    lines = rows.draw(rows.cursor if row is None else row, WIDE)
    return plain(" ".join("".join(text for text, _ in line) for line in lines))


def is_text(widget: Widget | None) -> bool:
    """Whether something is read from its beginning to its end, and not row by row."""
    listed = isinstance(widget, DiffView | ThreadView)
    return isinstance(widget, TextView | Facts | WrappedList | SettleView) and not listed


def text_lines(text: Pane) -> list[str]:
    """Return all that a pane says, a passage, a fact or a row each."""
    found: list[str] = []
    match text:
        case TextView():
            found = [each.removeprefix(f"{glyphs().bar} ") for each in text.passages]
        case SettleView():
            found = text.told()
        case Facts():
            found = [
                paused(clean(f"{label}: {said}" if label.strip() else str(said), lines=True))
                for label, said in text.told
            ]
        case DiffView() if text.page is not None:
            leads = {"removed": "Removed: ", "added": "Added: "}
            lines = text.page.diff
            found = [
                f"{leads.get(each.kind, '')}{plain(each.text)}"
                for each in lines
                if plain(each.text)
            ]
        case WrappedList():
            found = [line_told(text, row) for row in range(text.rows)]
    empty = getattr(text, "empty", "")
    return list(filter(None, found)) or [text.nothing_said(empty)]


# Fields


def entry_told(widget: Entry | Input | TextArea) -> str:
    """Return a field that has the focus, with what is typed in it."""
    screen = widget.screen
    if isinstance(screen, Form) and (field := screen.field_of(widget)) is not None:
        return field_told(screen, field)
    if isinstance(widget, PromptInput):
        return sentence(f"A line {widget.prompt.sign}", _holds(widget))
    if isinstance(widget, TextArea):
        ends = "each line is kept, one with only a dot ends it, ~e opens the editor"
        return f"{sentence('Text', _holds(widget))} Type it: {ends}."
    said = sentence("A field", _holds(widget), plain(getattr(widget, "placeholder", "")))
    return f"{said} ~back leaves it."


def field_told(form: Form, field: Field) -> str:
    """Return a field of a form: its place, what it is for, what is in it, what may be chosen."""
    at = list(form.fields).index(field) + 1
    parts = [f"Field {at} of {len(form.fields)}", field.label]
    lead = sentence(*parts, "required" if field.required else "", form.remark(field))
    value = form.values()[field.name]
    chosen = next((each.title for each in field.options or () if each.id == value), None)
    now = plain(form.shown(field, value) if chosen is None else chosen)
    said = [lead, f"Now: {now}." if now else "Empty."]
    if field.options:
        offered = (f"{n} {clean(each.title)}" for n, each in enumerate(field.options, 1))
        said.append(f"Choose {', '.join(offered)}.")
    elif field.lines > 1:
        said.append("Text: a line with only a dot ends it.")
    elif field.offers is not None:
        said.append("Type it, or ~choose.")
    return " ".join((*said, *filter(None, (field.help, field.limits))))


def _holds(widget: Entry | Input | TextArea) -> str:
    text = widget.text if isinstance(widget, TextArea) else getattr(widget, "value", "")
    if not text:
        return ""
    if isinstance(widget, Input) and widget.password:
        return "something is in it"
    lines = text.count("\n") + 1
    if lines > 1:
        return f"it has {lines} lines"
    return f"now {plain(text)}"


# Dialogs


@dataclass(frozen=True, slots=True)
class Question:
    """What a dialog says and asks: its lines, what yes does, and the numbered choices.

    ``yes`` is (key, words), with "" for none; so are the ``choices``.
    """

    lines: tuple[str, ...]
    yes: tuple[str, str]
    choices: tuple[tuple[str, str], ...]


def dialog_told(sheet: Sheet[Any], keyboard: Keyboard) -> list[str]:
    """Return a dialog as lines: what it is about, and last what may be answered, if anything."""
    asked = question_of(sheet, keyboard)
    lead = sentence(clean(sheet.heading))
    if isinstance(sheet, ArrangeSheet):
        lead = f"{lead} {plan_told(sheet)}"
    return [lead, *asked.lines, answers_told(sheet, asked)]


def plan_told(sheet: ArrangeSheet) -> str:
    """Return how long a plan is; its calls follow, a line each."""
    return f"Plan, {plural(len(sheet.run.calls), 'call')}."


def answers_told(sheet: Sheet[Any], asked: Question) -> str:
    """Return what may be answered to a dialog; nothing for one of fields, which say so."""
    if isinstance(sheet, Chooser):
        return "Type a number, or some letters to have fewer; back leaves."
    if isinstance(sheet, Help):
        return "Type some letters to have fewer; back leaves."
    said = [f"{n} {words}" for n, (_, words) in enumerate(asked.choices, 1)]
    choices = f"{', '.join(said)}." if said else ""
    if isinstance(sheet, TypeToConfirm):
        return "An empty line goes back."
    if sheet.TAKES_TEXT:
        return ""  # what is typed is text there: its fields say how to end it
    if not asked.yes[0]:
        return f"{choices} back leaves.".strip()
    rest = "anything else goes back" if decides(sheet) else "back leaves"
    return f"{choices} Type yes to {asked.yes[1]}; {rest}.".strip()


def decides(sheet: Sheet[Any]) -> bool:
    """Whether what is no yes to a dialog is a no."""
    return sheet.DECIDES or sheet.DANGER > 1


def question_of(sheet: Sheet[Any], keyboard: Keyboard) -> Question:
    """Return what a dialog says now, from its lines and the keys that it names."""
    lines: list[str] = []
    keys: dict[str, str] = {}
    for widget in sheet.query(Static):
        told_with_field = isinstance(sheet, Form) and widget.has_class("ask")
        if isinstance(widget, FormHelp) or told_with_field or not widget.display:
            continue
        text = clean(_text_of(widget), lines=True)
        if isinstance(sheet, OthersSheet) and widget.id == "others-lines":
            # Side by side each line would have something of both.
            text = clean(
                "\n".join(str(each) for each in sheet.lines(WIDE, beside=False)), lines=True
            )
        if widget.has_class("keys"):
            said, named = _keys_in(text, sheet, keyboard)
            keys |= named
            text = "\n".join(said)
        lines += filter(None, map(_unquoted, text.split("\n")))
    agreed = [
        shown(key) for owner in keyboard.chain(sheet) for each in owner.ACTIONS.values()
        if "y" in each.keys or each.word == "send"
        for key in keys_of(each, keyboard.keymap)
    ]  # fmt: skip
    yes = next((key for key in agreed if key in keys), "")
    left = [(key, words) for key, words in keys.items() if key not in (yes, *_LEAVING)]
    return Question(tuple(lines), (yes, keys.get(yes, "")), tuple(left))


def _unquoted(line: str) -> str:
    """Return a line of a dialog with a word for the sign of what is quoted."""
    said = paused(line)
    if said.startswith(glyphs().quote):
        return f"Quoted: {said[1:].strip()}"
    lead, _, rest = said.partition(" ")
    if lead in _LEADS:  # of a change that is to be sent
        return f"{_LEADS[lead]}: {rest}" if rest else ""
    return said


_LEADS = {"+": "Added", "-": "Removed", "~": "Edited"}
"""What the sign before a line of a change says."""

_LEAVING = frozenset({"esc", "tab", "enter", "q", "space", "@"})
"""Keys that a dialog names and that are no choices here: words do what they do."""


def _keys_in(
    text: str, sheet: Sheet[Any], keyboard: Keyboard
) -> tuple[list[str], Mapping[str, str]]:
    """Return what the line of keys of a dialog says, and its keys with what they do."""
    known = {
        shown(key) for owner in keyboard.chain(sheet) for each in owner.ACTIONS.values()
        for key in (*each.keys, *keys_of(each, keyboard.keymap))
    }  # fmt: skip
    said: list[str] = []
    keys: dict[str, str] = {}
    for part in _BETWEEN.split(text):
        part = part.strip()
        chords = (key for key in known if " " in key and part.startswith(f"{key} "))
        key = next(chords, part.partition(" ")[0])
        words = part.removeprefix(key).strip()
        if key in known | _LEAVING and words:
            keys[key] = words.removeprefix("or esc ")
        elif part:
            said.append(part)
    return said, keys


def _text_of(widget: Static) -> str:
    drawn: Any = widget.render()
    return str(getattr(drawn, "plain", drawn))


# Places


def place_told(place: Place) -> str:
    """Return where one is: the way there, and the view."""
    trail = [clean(step) for step in place.breadcrumb() if step]
    said = (sentence(*trail), view_told(place), sentence(place.nowhere), marks_told(place.focused))
    return " ".join(filter(None, said))


def marks_told(widget: Widget | None) -> str:
    """Return how many rows of a list are marked, and how many of these a filter hides."""
    if not isinstance(widget, VirtualList) or not widget.marks:
        return ""
    hidden = len(widget.hidden_marks)
    return sentence(
        widget.count_marks(), f"{hidden} of them hidden by the filter" if hidden else ""
    )


def note_told(widget: Widget | None) -> str:
    """Return what stands beside the title of a list: its order, and what it was asked for."""
    note = clean(widget.note) if isinstance(widget, VirtualList) else ""
    return sentence(capital(note))


def view_told(place: Place) -> str:
    """Return which view a place shows, and which there are."""
    ids = [view.id for view in place.views]
    if len(ids) < 2 or place.view not in ids:
        return ""
    at = ids.index(place.view)
    return f"View {clean(place.views[at].title)}, {at + 1} of {len(ids)}."

"""The frame around a place: its parts and views, and the lines header, views, status, footer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual import events
from textual.containers import Container
from textual.geometry import Region, Size
from textual.layouts.horizontal import HorizontalLayout
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from copydesk.domain.text import clean, shorten
from copydesk.present.news import news_line
from copydesk.session.errors import LIMITED, NOT_CACHED, OFFLINE, REFUSED, STILL_READING
from copydesk.session.glyphs import glyphs
from copydesk.tui.framework.actions import Action, Acts, Commands, actions_of, away, shown
from copydesk.tui.framework.desk_app import desk_of
from copydesk.tui.framework.inside_textual import LaidOutOnce
from copydesk.tui.framework.keyboard import Meaning, keys_of
from copydesk.tui.framework.pane import is_bare, line_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual.layout import ArrangeResult, Layout

    from copydesk.session.session import Session

FOOT_LINES = 7
"""Below this many lines of the terminal there is no footer."""

HEAD_LINES = 5
"""Below this many there is no header either."""

SMALLEST = Size(20, 3)
"""The smallest terminal in which a row can still be read."""

NAMED_WIDTH = 120
"""From how many cells on the header says what its age is that of."""

NEWS_CELLS = 44
"""Cells of the newest piece of news in the header."""

Said = tuple[str, Sequence[str]]
"""A tone of the line, and the ways to say it, the longest first."""

ERROR_SECONDS = 4.0
"""How long an error stays although keys are pressed."""

MOST_LINES = 3
"""How many lines a message may take."""

ALL_OF_IT = "@ shows all"
"""Ends a message that has no room for more of it."""

NOTE_GAP = "   "
"""Stands between the parts of the note beside the views."""

BESIDE_VIEWS = 4
"""Cells that stay free between the views and that note."""

NAME_CELLS = 16
"""Cells of a profile's name in the header, where there is little room."""

NAME_SHOWN = 16
"""How many cells of the name of a place are to be seen, whatever else the header has to say."""

STOPS = " Esc stops it."
"""Ends what is said of a slow read."""

LEAST_SAID = 16
"""How many cells must be left for what a place has to say, or none of it is shown."""

LINES_EACH = 6
"""How many lines a terminal must have for each line of a message."""


class View(NamedTuple):
    """One way to look at a place, shown in the line of views; ``number`` None is unknown.

    ``short`` is what it is called where there is little room.
    """

    id: str
    title: str
    number: int | None = None
    short: str = ""


Role = Literal["left", "main", "side"]

KEPT = 40
"""The cells that a pane keeps where rows beside it are cut, unless its class says ``KEEPS``."""

MAIN_KEPT = 60
"""The cells that ``main`` keeps at least: a page is read in it."""


class Part(Container):
    """A column of panes.

    ``main`` is always there; ``side`` is at the right, or a drawer below on a narrow terminal;
    ``left`` shows on a wide terminal, and elsewhere while it has the focus.
    """

    def __init__(self, role: Role, *panes: Widget) -> None:
        super().__init__(*panes, classes=f"part -{role}")
        self.role: Role = role
        self.panes = panes
        self.given = 0
        """The cells that other parts gave it when it was last beside them."""
        self._wanted: dict[int, int] = {}
        """The cells that its rows need to be whole, by the width of the terminal."""

    @property
    def wanted(self) -> int:
        """The cells that its rows need; 0 while none was cut at this width of the terminal."""
        return self._wanted.get(self.app.size.width, 0)

    @property
    def kept(self) -> int:
        """The cells that it does not give to rows beside it: in ``main`` what its own rows need."""
        keep = [getattr(pane, "KEEPS", KEPT) for pane in self.panes if pane.display]
        least = sum(keep) if _in_columns(self.layout) else max(keep, default=0)
        return max(self.wanted, least, MAIN_KEPT) if self.role == "main" else least

    @property
    def taken(self) -> int:
        """The cells of its width that other parts gave it for its rows."""
        beside = isinstance(self.parent, Widget) and _in_columns(self.parent.layout)
        return self.given if beside else 0

    def want(self, cells: int) -> None:
        """Take so many cells, as far as the part beside it has them to give."""
        if cells > self.wanted:
            self._wanted[self.app.size.width] = cells
            self.refresh(layout=True)


class Parts(Container):
    """The parts of a place: rows that are cut in one take what another can do without."""

    @property
    def layout(self) -> Layout:
        """How the style sheet lays them out; columns share their room then."""
        laid_out = super().layout
        return _SHARING if _in_columns(laid_out) else laid_out


class _Sharing(HorizontalLayout):
    """Columns as wide as the style sheet says, but for cells that cut rows take from another."""

    def arrange(
        self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True
    ) -> ArrangeResult:
        placed = super().arrange(parent, children, size, greedy)
        parts = {part.role: part for part in children if isinstance(part, Part)}
        cells = {
            each.widget.role: each.region.width for each in placed if isinstance(each.widget, Part)
        }
        alone = dict(cells)
        for taker, giver in (("main", "side"), ("left", "main"), ("side", "main")):
            if taker in parts and giver in parts:
                lacking = parts[taker].wanted - cells[taker]
                given = max(0, min(lacking, cells[giver] - parts[giver].kept))
                cells[taker] += given
                cells[giver] -= given
        for role, part in parts.items():
            part.given = max(0, cells[role] - alone[role])
        moved, x = [], 0
        for each in placed:
            _, y, width, height = each.region
            if isinstance(each.widget, Part):
                width = cells[each.widget.role]
            moved.append(each._replace(region=Region(x, y, width, height)))
            x += width
        return moved


_SHARING = _Sharing()


def _in_columns(layout: Layout) -> bool:
    return isinstance(layout, HorizontalLayout)


class FrameReads(Protocol):
    """The reads of a place, as the lines of its frame know them."""

    @property
    def misread_note(self) -> str:
        """That items of what it shows could not be read."""


class FramedPlace(Protocol):
    """A place, as the lines of its frame know it: what it has to say in each."""

    view: str
    views: Sequence[View]

    @property
    def reads(self) -> FrameReads:
        """What it reads."""

    @property
    def common(self) -> Commands:
        """The actions of every place."""

    def age(self, width: int) -> Said:
        """Return how old what it shows is."""

    def breadcrumb(self) -> Iterable[str]:
        """Yield the steps of the breadcrumb, outermost first; clean text."""

    def choose_view(self, id: str) -> None:
        """Go to a view."""

    def views_note(self) -> str:
        """Return the right part of the line of views."""

    def status_left(self) -> str:
        """Return what to know while nothing happens."""

    def status_right(self) -> str:
        """Return the right part of the status line."""


class FrameLine(LaidOutOnce):
    """One line of text with a left and a right part; drawn again only when they differ.

    Each kind names the tones it uses as its component classes: those of a widget are worked out
    before it is drawn first.
    """

    def __init__(self, place: FramedPlace, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.place = place
        """The place it frames."""
        self._drawn: tuple[Text, Text] | None = None
        self._strip: Strip | None = None
        self._tones: dict[str, Style] = {}

    def parts(self, width: int) -> tuple[Text, Text]:
        """Return what to show on the left and on the right of a line so wide."""
        raise NotImplementedError

    def update(self) -> None:
        """Draw again if there is something else to show."""
        width = self.size.width
        if not self.is_attached or width <= 0:
            return
        parts = self.parts(width)
        if parts != self._drawn:
            self._drawn, self._strip = parts, None
            self.refresh()

    def tone(self, name: str) -> Style:
        """Return the style of a component of the line."""
        tone = self._tones.get(name)
        if tone is None:
            style = self.get_component_rich_style(f"line--{name}")
            tone = self._tones[name] = Style(
                color=style.color, bold=style.bold, dim=style.dim, reverse=style.reverse
            )
        return tone

    def notify_style_update(self) -> None:
        """Follow the theme."""
        super().notify_style_update()
        self._drawn = self._strip = None
        self._tones.clear()
        self.refresh()

    def on_resize(self) -> None:
        """Draw for the new width."""
        self._drawn = self._strip = None

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        if self._strip is not None and self._strip.cell_length == width:
            return self._strip
        left, right = self._drawn or self.parts(width)
        self._drawn = (left, right)
        self._strip = self.draw(left, right, width)
        return self._strip

    def at_start(self) -> Strip | None:
        """Return the line as the next start begins with it; None where that is as it is now."""
        return None

    def draw(self, left: Text, right: Text, width: int) -> Strip:
        """Draw the two parts of one line; the left one is cut where both do not fit."""
        base = self.rich_style
        room = width - 2
        right_cells = right.cell_len if right.cell_len <= room else 0
        left_room = max(0, room - right_cells - (2 if right_cells else 0))
        if left.cell_len > left_room:
            left = left.copy()
            left.truncate(max(0, left_room - 1))
            left.append(glyphs().more)
        console = self.app.console
        segments = [Segment(" ", base)]
        for part, pad in ((left, room - left.cell_len - right_cells), (right, 0)):
            if part is right and not right_cells:
                break
            under = base + console.get_style(part.style) if part.style else base
            segments.extend(
                Segment(text, under + style if style else under)
                for text, style, _ in part.render(console)
                if text and text != "\n"
            )
            if pad > 0:
                segments.append(Segment(" " * pad, base))
        return line_of(segments, width, base)


class Head(FrameLine):
    """Where I am; how old what I see is; how much of the API budget is left."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line--off",
        "line--warn",
        "line--bad",
        "line--good",
        "line--current",
        "line--key",
    }

    def parts(self, width: int) -> tuple[Text, Text]:
        """Breadcrumb left; age, budget and writes under way right."""
        place, session = self.place, desk_of(self).session
        right = Text()
        if session.slow and (budget := session.budget) is not None:
            left_over = f"api {budget.remaining:,}/{budget.limit:,} " if width >= 60 else ""
            right.append(f"  {left_over}slow", style=self.tone("warn"))
        if news := session.unseen_news:
            said = f"{len(news)}"
            if width >= NAMED_WIDTH:
                said = f"{shorten(news_line(news[0]), NEWS_CELLS, glyphs().more)} (g N)"
            right.append(f"  {glyphs().news} {said}", style=self.tone("current"))
        staged = getattr(getattr(place, "draft", None), "calls", ())  # which the trail tells
        told = getattr(place, "draft_key", "") if staged else ""
        if drafts := session.drafts.count_besides(told):
            right.append(f"  drafts {drafts}")
        if session.outbox.count:
            tone = "warn" if session.outbox.asks else ""
            right.append(f"  outbox {session.outbox.count}", style=self.tone(tone) if tone else "")
        if session.drafts.trouble:
            right.append("  not on disk", style=self.tone("bad"))
        note, tone = desk_of(self).merge_note
        if note:
            right.append(f"  {note}", style=self.tone(tone) if tone else "")
        if session.writes.writes_pending:
            right.append(f"  sending {session.writes.writes_pending}", style=self.tone("warn"))
        # A title may be a megabyte; what lies beyond the edge is not measured each second.
        steps = [step[: 4 * width] for step in place.breadcrumb()]
        return self._fit(self._begun(session, width), steps, right, width)

    def at_start(self) -> Strip:
        """Return the line without what it says of this moment."""
        width = self.size.width
        age = self._age("warn", "cached, connecting")
        return self.draw(self.parts(width)[0], age, width)

    def _fit(self, begun: Text, steps: list[str], right: Text, width: int) -> tuple[Text, Text]:
        """Say the age and where this is in so few words that the name of the place is not cut off.

        What the age says besides goes first, then the steps that lead here, then more of the age.
        """
        tone, ages = self.place.age(width)
        ages = tuple(desk_of(self).keyboard.said(age, self) for age in ages)
        shown = min(cell_len(steps[-1]) if steps else 0, NAME_SHOWN)
        leaving = range(len(steps) or 1)
        tries = [(leave, said) for leave in leaving for said in ages[:2]]
        tries += [(leave, said) for said in ages[2:] for leave in leaving]
        for leave, said in tries:
            age = self._age(tone, said).append(right)
            left, before = self._way(begun, steps, leave)
            if before + shown <= width - 2 - age.cell_len - 2:
                break
        return left, age

    def _way(self, begun: Text, steps: list[str], leave: int) -> tuple[Text, int]:
        """Return the way here without its first steps, and how many cells are before its last."""
        left, before = begun.copy(), 0
        for at, step in enumerate(steps[leave:], leave):
            if at:
                left.append(f"{glyphs().more} > " if at == leave else " > ", style=self.tone("off"))
            before = left.cell_len
            left.append(step, style="bold" if at == len(steps) - 1 else "")
        return left, before

    def _age(self, tone: str, said: str) -> Text:
        if tone in ("", "good"):
            live = self.tone(tone or "warn")
            return Text.assemble((glyphs().live + " ", live), said)
        return Text.assemble((said, self.tone(tone)))

    def _begun(self, session: Session, width: int) -> Text:
        """Say for whom this is: the profile in place of the program where there is little room."""
        left = Text()
        name = clean(session.profile or session.called)
        if not name or width >= NAMED_WIDTH:
            left.append("copydesk", style=self.tone("key"))
        if name:
            left.append(f" {name}" if left else shorten(name, NAME_CELLS, glyphs().more),
                        style=self.tone("key"))  # fmt: skip
        if session.read_only:
            left.append(" read-only", style=self.tone("warn"))
        return left.append("  ")


class Views(FrameLine):
    """The views of a place: ``[Needs me 7]  Ready 4``; ``[`` and ``]`` step through them."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line--off", "line--current"}

    def __init__(self, place: FramedPlace, *, id: str | None = None) -> None:
        super().__init__(place, id=id)
        self._spans: list[tuple[int, int, str]] = []
        self._written: tuple[object, Text] = (None, Text())

    def parts(self, width: int) -> tuple[Text, Text]:
        place = self.place
        # Which view this is comes before what is said of it: of that the last part stays.
        said = desk_of(self).keyboard.said(place.views_note(), self)
        notes = said.split(NOTE_GAP)
        last = len(notes[-1]) + BESIDE_VIEWS if notes[-1] else 0
        text = self._text(place.views, place.view, width - last)
        while len(notes) > 1 and text.cell_len + len(NOTE_GAP.join(notes)) + BESIDE_VIEWS > width:
            del notes[0]
        return text, Text(NOTE_GAP.join(notes), style=self.tone("off"))

    def _text(self, views: Sequence[View], view: str, width: int) -> Text:
        """Return the views that fit: the last text if they are still called so."""
        asked = list(views), view, width, self.tone("off"), self.tone("current"), glyphs().more
        if self._written[0] != asked:
            self._written = asked, self._write(views, view, width)
        return self._written[1]

    def _write(self, views: Sequence[View], view: str, width: int) -> Text:
        text, self._spans = Text(), []
        shown_views, form = _that_fit(views, view, width)
        if shown_views and shown_views[0] is not views[0]:
            text.append(glyphs().more, style=self.tone("off"))
        for each in shown_views:
            label = form(each)
            current = each.id == view
            start = text.cell_len
            text.append(
                f"[{label}]" if current else f" {label} ",
                style=self.tone("current") if current else self.tone("off"),
            )
            self._spans.append((start, text.cell_len, each.id))
            text.append(" ")
        text.rstrip()
        if shown_views and shown_views[-1] is not views[-1]:
            text.append(f" {glyphs().more}", style=self.tone("off"))
        return text

    def on_click(self, event: events.Click) -> None:
        """Open the view that was clicked."""
        for start, end, view in self._spans:
            if start <= event.x - 1 < end:
                self.place.choose_view(view)


def _full(view: View) -> str:
    """Return what a view is called, with its count if that is known."""
    return view.title if view.number is None else f"{view.title} {view.number:,}"


def _plain(view: View) -> str:
    return view.title if view.number is None else f"{view.title} {view.number}"


def _short(view: View) -> str:
    title = view.short or view.title
    return title if view.number is None else f"{title} {view.number}"


def _that_fit(
    views: Sequence[View], current: str, width: int
) -> tuple[Sequence[View], Callable[[View], str]]:
    """Return the views whose names fit, and the text of these names.

    Where even the shortest do not all fit, the ones farthest from the current one are left out.
    """

    def cells(form: Callable[[View], str], shown: Sequence[View] = views) -> int:
        return sum(cell_len(form(view)) + 3 for view in shown)

    # The blanks after the last one are cut off.
    room = width - (1 if views and views[-1].id == current else 0)
    for form in (_full, _plain, _short):
        if cells(form) <= room:
            return views, form
    room -= 4  # for the signs that some are left out
    at = next((at for at, view in enumerate(views) if view.id == current), 0)
    low, high = 0, len(views)
    while high - low > 1 and cells(_short, views[low:high]) > room:
        if at - low > high - 1 - at:
            low += 1
        else:
            high -= 1
    return views[low:high], _short


def shape(breakpoints: Sequence[tuple[int, str]], cells: int) -> dict[str, bool]:
    """Return the classes of the shape for a width or height: one of them holds."""
    largest = max(point for point in breakpoints if point[0] <= cells)
    return {name: (least, name) == largest for least, name in breakpoints}


def spared_lines(size: Size) -> dict[str, bool]:
    """Return the classes that leave out of the frame what would take the last lines of the rows."""
    # All at once: every change of classes applies the styles of the whole screen.
    return {
        "-bare": is_bare(size),
        "-no-foot": size.height < FOOT_LINES,
        "-no-head": size.height < HEAD_LINES,
        "-too-small": size.width < SMALLEST.width or size.height < SMALLEST.height,
    }


def waiting_rows(source: Any) -> str:
    """Return how many rows wait to join the rows of a source, or are new in them."""
    if source is None:
        return ""
    base = getattr(source, "base", source)
    gone = len(base.missing)
    new = source.waiting - gone
    if source.waiting:
        said = [f"{new} new"] if new > 0 or not gone else []
        said += [f"{gone} gone"] if gone else []
        return f"{', '.join(said)} (press . to show them)"
    if base.fresh:
        return f"{glyphs().changed} new or changed since you looked"
    return ""


def last_write(session: Session, told: Callable[[str], str] = str) -> str:
    """Return the last write and the key that undoes it; "" while there is none.

    ``told`` gives what names the key with the keys of the settings; what was written is not ours.
    """
    if (wait := next(iter(session.writes.waits[::-1]), None)) is not None:
        return f"{wait.doing}: sent in {wait.seconds} s{told(', u recalls it')}"
    if (lost := session.reversals.unsettled()) is not None:
        entry = lost.cut or lost.entry
        return f"no answer: {entry.what.lower()} {entry.target}{told('   u looks again')}"
    line = session.reversals.undoable()
    if line is None:
        return ""
    waiting = session.reversals.waiting_with(line)
    sent = session.reversals.together(line)
    kinds = [*(entry.what for entry in waiting), *(past.entry.what for past in sent)]
    wrote = f"{line.what.lower()} {line.target}"
    if len(kinds) > 1:
        what = line.what.lower() if len(set(kinds)) == 1 else "change"
        wrote = f"{what} {len(kinds)} at once"
    if waiting and not sent:
        them = "it" if len(kinds) == 1 else "them"
        return f"last: {wrote} (waits){told(f'   u discards {them}')}"
    if session.reversals.final() is not None:
        return f"{told('u undoes:')} {wrote}"
    return f"last: {wrote}{told('   u undo')}"


_CHORD = re.compile(r"(?<![^\s(])(?:[!-~]|f\d+|(?:ctrl|alt)\+\S) (?=[!-~](?:[\s.;:)]|$))")
"""The first key of a chord, with the blank after it, at which no line breaks."""

_ENTRY = re.compile(r"(?<=\S) (?=\S)")
"""The blanks within what a key does: between two keys there are two."""

_JOINED = "\ue000"
"""Stands for that blank as lines are broken: no text has it, and a no-break blank breaks there."""


def ends_with_an_answer(text: str) -> bool:
    """Whether a `sentence` is about the connection: it is untrue once the service has answered."""
    return text.removeprefix(NOT_CACHED).startswith((OFFLINE, REFUSED, LIMITED, STILL_READING))


class Status(FrameLine):
    """What just happened, what a begun chord may become, or what to know about this place."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line--key",
        "line--off",
        "line--warn",
        "line--bad",
        "line--good",
    }

    def __init__(self, place: FramedPlace, *, id: str | None = None) -> None:
        super().__init__(place, id=id)
        self.message = ""
        self.tone_name = ""
        self.keys: str | Text = ""
        self.slow: dict[str, str] = {}
        self._until = 0.0
        self._answers = 0
        self._folded: list[Strip] = []

    def say(self, text: str, tone: str) -> None:
        """Show a message until the next key; an error at least `ERROR_SECONDS`."""
        self.message, self.tone_name = self._said(text), tone
        desk_of(self).session.heard(self.message)
        self._until = monotonic() + (ERROR_SECONDS if tone == "bad" else 0)
        self._answers = self._contact_answers
        self.update()

    @property
    def shows_error(self) -> bool:
        """Whether the message is an error younger than `ERROR_SECONDS`."""
        return bool(self.message) and monotonic() < self._until

    @property
    def _contact_answers(self) -> int:
        return desk_of(self).session.contact.answers

    def update(self) -> None:
        """Forget what an answer has proved untrue; take as many lines as the message needs."""
        if not self.is_attached:  # asked for after a drawing that was the last of its place
            return
        if self._contact_answers > self._answers and ends_with_an_answer(self.message):
            self.message = ""
        super().update()
        self._take_room()

    def _take_room(self) -> None:
        """Wrap text that does not fit into one line, within the lines that the terminal has."""
        width = self.size.width
        height, begun = self.screen.size.height, isinstance(self.keys, Text)
        most = max(1, height // 3 if begun else min(MOST_LINES, height // LINES_EACH))
        folded: list[Strip] = []
        if self._drawn is not None and (self.keys or self.message) and width > 2:
            left, right = self._drawn
            if not right and left.cell_len > width - 2:
                whole = left.copy()
                joined = _ENTRY if begun else _CHORD
                whole.plain = joined.sub(lambda keys: keys[0].replace(" ", _JOINED), left.plain)
                lines = list(whole.wrap(self.app.console, width - 2))
                for line in lines:
                    line.plain = line.plain.replace(_JOINED, " ")
                    line.rstrip()
                if len(lines) > most:
                    lines = [*lines[: most - 1], self._cut(lines[most - 1], width - 2)]
                folded = [self.draw(line, Text(), width) for line in lines]
        if folded != self._folded:
            self._folded = folded
            self.styles.height = max(1, len(folded))
            self.refresh()

    def _cut(self, line: Text, width: int) -> Text:
        """Return the last line that there is room for; a message is whole in the log."""
        more = glyphs().more
        if not self.keys:
            desk_of(self).session.note(self.message)
            more += f" {ALL_OF_IT}"
        line.truncate(max(0, width - len(more)))
        line.rstrip()
        return line.append(more)

    def notify_style_update(self) -> None:
        """Follow the theme with all lines."""
        super().notify_style_update()
        self.call_later(self.update)

    def render_line(self, y: int) -> Strip:
        if y < len(self._folded):
            return self._folded[y]
        return super().render_line(y)

    def on_resize(self) -> None:
        """Fold for the new width, once it is known everywhere."""
        self.call_after_refresh(self.update)

    def clear(self, *, young: bool = False) -> None:
        """Forget the message; an error that is still ``young`` only if that is said."""
        if self.message and (young or not self.shows_error):
            self.message = ""
            self.update()

    def parts(self, width: int) -> tuple[Text, Text]:
        """Chord hints, else the message, else slow reads, else the place's own status."""
        right = Text(self.place.status_right(), style=self.tone("off"))
        if self.keys:
            keys = self.keys
            return (Text(keys, style=self.tone("key")) if isinstance(keys, str) else keys), Text()
        if self.message:
            tone = self.tone(self.tone_name) if self.tone_name else ""
            said = Text(self.message, style=tone)
            # What just happened comes before what can be taken back.
            return said, right if said.cell_len + right.cell_len + 4 <= width else Text()
        if self.slow:
            said = Text(_slow_reads(list(self.slow.values()), width - 2), style=self.tone("warn"))
            return said, right if said.cell_len + right.cell_len + 4 <= width else Text()
        if misread := self.place.reads.misread_note:
            return Text(misread, style=self.tone("warn")), right
        hint = self._said(desk_of(self).hint(width - 2))
        if hint:
            return Text(hint, style=self.tone("off")), Text()
        return self._known(right, width), right

    def at_start(self) -> Strip:
        """Return the line with the place's own status and no message."""
        width = self.size.width
        right = Text(self.place.status_right(), style=self.tone("off"))
        return self.draw(self._known(right, width), right, width)

    def _said(self, text: str) -> str:
        return desk_of(self).keyboard.said(text, self)

    def _known(self, right: Text, width: int) -> Text:
        known = Text(self._said(self.place.status_left()), style=self.tone("off"))
        if known.cell_len + right.cell_len + 4 > width < right.cell_len + LEAST_SAID:
            known = Text()  # so few letters of it would say nothing
        return known


def _slow_reads(said: Sequence[str], room: int) -> str:
    """Return the slow reads; the hint that Esc stops them stands once, never cut off."""
    reads = [each.removesuffix(STOPS) for each in said]
    told = "  ".join(reads) + STOPS
    if len(reads) > 1 and cell_len(told) > room:
        return f"{reads[0]}  and {len(reads) - 1} more.{STOPS}"
    return told


class Foot(FrameLine):
    """The actions that matter here, with this user's keys; always ends with ``? help``."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {"line--key", "line--off"}

    def __init__(self, place: FramedPlace, *, id: str | None = None) -> None:
        super().__init__(place, id=id)
        self._spans: list[tuple[int, int, Meaning]] = []
        self._shows: tuple[object, list[tuple[int, Action, str]]] = (None, [])
        self._written: tuple[object, Text] = (None, Text())

    def parts(self, width: int) -> tuple[Text, Text]:
        """As many actions as fit, those of low priority left out first; dim when off."""
        chain = desk_of(self).keyboard.chain(self.screen)
        if chain and chain[0].TYPES_TEXT:
            # Letters are typed into the line: what they do elsewhere they do not do now.
            del chain[1:]
        room = width - 2
        last: list[tuple[int, Action, str, str]] = []
        by_key: dict[str, tuple[int, Action, str, str]] = {}
        for level, action, key in self._shown_by(chain):
            if label := action.label_for(chain[level]):
                told = level, action, key, label
                if action.method == "help" and not last:
                    last = [told]
                    room -= len(key) + 1 + len(label)
                else:
                    by_key.setdefault(key, told)
        leads = getattr(chain[0], "leads", "") if chain else ""
        common = self.place.common

        def need(entry: tuple[int, Action, str, str]) -> tuple[bool, int, bool, bool]:
            level, action, _, _ = entry
            owner, adds = chain[level], isinstance(chain[level], Commands)
            elsewhere = not leads or action.group != leads
            # First what the pane does, then all places, then this one, and then its commands.
            own = isinstance(owner, Screen) or (adds and owner is not common)
            return elsewhere, -action.show, own, adds

        # What matters most comes first; within one priority, the order of declaration.
        kept: list[tuple[int, Action, str, str]] = []
        for entry in sorted(by_key.values(), key=need):
            room -= len(entry[2]) + len(entry[3]) + 3
            if room < 0:
                break
            kept.append(entry)
        kept += last
        offs = [action.reason(chain[level]) is not None for level, action, *_ in kept]
        return self._text(kept, offs), Text()

    def _shown_by(self, chain: Sequence[Acts]) -> list[tuple[int, Action, str]]:
        """Return what owners of these classes show, with its key: the same at most presses."""
        app = desk_of(self)
        keymap = app.keyboard.keymap
        asked = [type(owner) for owner in chain], app.session.read_only, keymap
        if self._shows[0] != asked:
            self._shows = (
                asked,
                [
                    (level, action, shown(keys[0]))
                    for level, action in actions_of(chain)
                    if action.show
                    and (keys := keys_of(action, keymap))
                    and not away(app.session, action)
                ],
            )
        return self._shows[1]

    def _text(self, entries: list[tuple[int, Action, str, str]], offs: list[bool]) -> Text:
        """Return the text of some entries, of which some are off: at most presses the last one."""
        asked = entries, offs, self.tone("key"), self.tone("off")
        if self._written[0] != asked:
            text, self._spans = Text(), []
            for (level, action, key, label), off in zip(entries, offs, strict=True):
                start = text.cell_len
                text.append(key, style=self.tone("off" if off else "key"))
                text.append(f" {label}", style=self.tone("off") if off else "")
                self._spans.append((start, text.cell_len, Meaning(level, action)))
                text.append("  ")
            text.rstrip()
            self._written = asked, text
        return self._written[1]

    async def on_click(self, event: events.Click) -> None:
        """Do the action that was clicked."""
        keyboard = desk_of(self).keyboard
        for start, end, meaning in self._spans:
            if start <= event.x - 1 < end:
                await keyboard.do(meaning, keyboard.chain(self.screen))
                return

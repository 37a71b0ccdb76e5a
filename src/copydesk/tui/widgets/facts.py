"""Facts with their labels: the details of the selected row, and settings as a list."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple, Protocol, TypeVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.geometry import Region
from textual.strip import Strip

from copydesk.present.facts import Fact
from copydesk.session.glyphs import glyphs
from copydesk.session.writes.outbox import waiting_about
from copydesk.tui.framework.pane import Pane, line_of, offered, offered_text
from copydesk.tui.framework.source import ListSource
from copydesk.tui.widgets.list import Column, VirtualList

LONGEST = 40_000
"""Characters that are drawn in all: a service may give a title of a megabyte."""

GAP = 2
"""Cells between the labels and what they say."""


class Facts(Pane):
    """Draws facts with their labels in a column; long ones wrap beside their label."""

    def __init__(
        self,
        *,
        title: str = "",
        empty: str = "Nothing is selected.",
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        super().__init__(title=title, empty=empty, id=id, classes=classes)
        self._facts: Sequence[Fact] = ()
        self._given: Sequence[Fact] = ()
        self._about: str | None = None
        self._of: str | None = None
        """The id of what its facts are about, also where nothing is said of what waits."""
        self._lines: list[Strip] | None = None
        self._width = -1
        self._none_said = ""
        self._base = Style.null()
        self._looked: object = None
        self._drawn: dict[object, list[Strip]] = {}
        """The lines of each fact as they were drawn last, for ``_looked``."""

    def show(
        self,
        facts: Sequence[Fact],
        *,
        title: str | None = None,
        about: str | None = None,
        of: str | None = None,
    ) -> None:
        """Show other facts, from their top if they are about something else; the same do nothing.

        ``about`` is the id of what they are about: what waits to be sent of it is said first.
        ``of`` is that id for a pane beside another that says so.
        """
        if title is not None:
            self.title = title
        stays = (of or about) is not None and (of or about) == self._of
        self._given, self._about, self._of = facts, about, of or about
        if waits := waiting_about(self.app if self.is_attached else None, about):
            facts = [Fact("", Text(f"{glyphs().waits} {waits}", style="accent")), *facts]
        if list(map(_key, facts)) == list(map(_key, self._facts)):
            return
        self._facts = list(facts)
        if not stays:
            self.scroll_to(y=0, animate=False)
        self._show_changes()

    def waits_changed(self) -> None:
        self.show(self._given, about=self._about, of=self._of)

    @property
    def told(self) -> Sequence[Fact]:
        """The facts that it shows."""
        return self._facts

    @property
    def plain(self) -> str:
        """What it says, as text."""
        return "\n".join(f"{label} {text}".strip() for label, text in self._facts)

    @property
    def lines_wanted(self) -> int:
        """How many lines all that it says takes."""
        known = self.is_attached and self.scrollable_content_region.width > 0
        return max(1, len(self._measured()) if known else len(self._facts))

    def refresh_rows(self) -> None:
        """Draw what it says, or for another width or theme."""
        self._lines = self._looked = None
        self.refresh()
        if self.is_attached and self.scrollable_content_region.width > 0:
            # Measured now and not once drawn, it is laid out and drawn in one go.
            self._measured(resized=True)

    def _show_changes(self) -> None:
        """Draw the lines that say something else now."""
        before, self._lines = self._lines, None
        if before is None or not self.is_attached or self.scrollable_content_region.width <= 0:
            self.refresh_rows()
            return
        now = self._measured(resized=True)
        differing: list[Region] = []
        width, top = self.size.width, self.scroll_offset.y
        for line, (old, new) in enumerate(zip_longest(before, now)):
            if old is not new and old != new:
                differing.append(Region(0, line - top, width, 1))
            elif old is not None:
                now[line] = old  # the same strip is not framed again
        if differing:
            self.refresh(*differing)

    def _measured(self, *, resized: bool = False) -> list[Strip]:
        """Return all lines; how many there are is taken over at once, or after this drawing."""
        width, said = self.line_width, "" if self._facts else self._said_of_none()
        if self._lines is None or (width, said) != (self._width, self._none_said):
            self._width, self._none_said = width, said
            self._lines = self._draw(width)
            if not resized:
                self.call_later(self._take_size)
        if resized:
            self._take_size()
        return self._lines

    def _said_of_none(self) -> str:
        """Return what stands where there are no facts; beside a list that says if all is empty."""
        aside = any(each.has_class("-side") for each in self.ancestors)
        return offered(self, self.empty) if aside else self.nothing_said(self.empty)

    def _take_size(self) -> None:
        if self._lines is not None:
            self.resize_lines(max(1, len(self._lines)))

    def _draw(self, width: int) -> list[Strip]:
        if self._looked is None:
            self._base = self.rich_style
        base = self._base
        muted = base + self.app.console.get_style("muted")
        facts = self._facts or [Fact("", Text(self._none_said, style="muted"))]
        beside = max((cell_len(label) for label, _ in facts if label), default=0)
        beside = beside + GAP if beside else 0
        looks = width, beside, base, muted
        before = self._drawn if looks == self._looked else {}
        self._looked, self._drawn = looks, {}
        lines: list[Strip] = []
        for label, said in bounded(facts):
            text = Text(said) if isinstance(said, str) else offered_text(self, said)
            key = _key(Fact(label, text))
            drawn = before.get(key)
            if drawn is None:
                drawn = self._lines_of(label, text, width, beside if label else 0)
            self._drawn[key] = drawn
            lines += drawn
        return lines

    def _lines_of(self, label: str, text: Text, width: int, indent: int) -> list[Strip]:
        """Draw the lines of one fact."""
        console, base = self.app.console, self._base
        muted = base + console.get_style("muted")
        if text.style:
            # Rich leaves the style of a whole text out where no part has one of its own.
            text = text.copy()
            text.stylize_before(text.style)
        room = max(8, width - indent - 2)
        # Most are short: that they fit is told sooner than they are wrapped.
        fits = "\n" not in text.plain and "\t" not in text.plain and text.cell_len <= room
        lines = []
        for at, line in enumerate([text] if fits else text.wrap(console, room)):
            segments = [Segment(" " + (label if at == 0 else "").ljust(indent), muted)]
            segments.extend(_over(line, base, self))
            lines.append(line_of(segments, width, base))
        return lines

    def render_line(self, y: int) -> Strip:
        """Draw one visible line."""
        lines = self._measured()
        at = self.first_line + y
        if at < len(lines):
            return lines[at]
        return self.blank(self.line_width, self._base)


def _key(fact: Fact) -> object:
    """Return what tells a fact from others: Rich takes texts for equal whose tones differ."""
    label, said = fact
    return fact if isinstance(said, str) else (label, said.plain, said.style, tuple(said.spans))


def bounded(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Yield facts until `LONGEST` characters are out, and say that there is more."""
    left = LONGEST
    for at, (label, said) in enumerate(facts):
        if len(said) > left:
            yield Fact(label, said[:left])
            more = len(said) - left + sum(len(fact.text) for fact in facts[at + 1 :])
            yield Fact("", Text(f"{glyphs().more} {more:,} characters more", style="warn"))
            return
        left -= len(said)
        yield Fact(label, said)


def _over(line: Text, base: Style, pane: Pane) -> list[Segment]:
    return [
        Segment(part, base + style if style else base)
        for part, style, _ in line.render(pane.app.console)
        if part and part != "\n"
    ]


class WideFacts(Facts):
    """Facts that only a very wide screen has room for: none are made while it has none.

    ``make`` returns them, the title over them, and the id of what they are about.
    """

    def __init__(
        self, make: Callable[[], tuple[Sequence[Fact], str, str]], *, empty: str = "", id: str
    ) -> None:
        super().__init__(empty=empty, id=id, classes="vast-only")
        self._make = make

    def show_again(self) -> None:
        """Show what there is to say by now, if there is room for it."""
        if self.display:
            facts, title, of = self._make()
            self.show(facts, title=title, of=of)

    def on_show(self) -> None:
        """Show what there was no room for before."""
        self.show_again()


FRAME_LINES = 2
"""Lines of a pane that its frame takes."""


class Stacked(NamedTuple):
    """A pane and how many lines of it are seen at least, and at most where others need room.

    One that says something else at every step of the cursor is ``steady``: always as high.
    """

    pane: Facts
    least: int
    most: int
    steady: bool = False

    @property
    def wanted(self) -> int:
        """How many lines it wants."""
        return self.most if self.steady else min(self.pane.lines_wanted, self.most)


def heights(room: int, wants: Sequence[tuple[int, int]]) -> list[int]:
    """Share lines among panes, the most important first: the least of each, then what it wants.

    ``wants`` are pairs of both. What then is left goes to the first; where there is not even room
    for the least of all, the last get nothing.
    """
    given = [0] * len(wants)
    for at, (least, _) in enumerate(wants):
        if least <= room:
            given[at] = least
            room -= least
    for at, (least, wanted) in enumerate(wants):
        more = min(max(0, wanted - least), room) if given[at] else 0
        given[at] += more
        room -= more
    given[0] += room
    return given


def stack(room: int, stacked: Sequence[Stacked]) -> None:
    """Give panes their heights, the most important first, where there are ``room`` lines."""
    wants = [(each.least + FRAME_LINES, each.wanted + FRAME_LINES) for each in stacked]
    for at, (each, lines) in enumerate(zip(stacked, heights(room, wants), strict=True)):
        each.pane.styles.display = "block" if lines else "none"
        height = str(lines) if at else "1fr"  # the first fills what is left
        if lines and str(each.pane.styles.height) != height:
            each.pane.styles.height = height


def unstack(stacked: Sequence[Stacked]) -> None:
    """Leave the heights of panes to the style sheet again."""
    for each in stacked:
        each.pane.styles.clear_rule("height")
        each.pane.styles.clear_rule("display")


class Setting(Protocol):
    """One row of such a list."""

    @property
    def id(self) -> str:
        """What tells it from the others."""

    @property
    def label(self) -> str:
        """What it is called."""

    @property
    def shown(self) -> Text | str:
        """What it is now."""


S = TypeVar("S", bound=Setting)


class SettingsList(VirtualList[S]):
    """Settings in their order; ``label`` draws what one is called."""

    def __init__(self, label: Callable[[S], Text | str] = lambda row: row.label) -> None:
        self._settings: ListSource[S] = ListSource(key=lambda row: row.id)
        super().__init__(
            self._settings,
            [
                Column("setting", "SETTING", label, 16),
                Column("now", "NOW", lambda row: row.shown, flex=1, minimum=20),
            ],
            title="Settings",
            empty="Reading the settings…",
            id="settings",
        )

    @property
    def settings(self) -> Sequence[S]:
        return list(self._settings.shown())

    def show(self, settings: Sequence[S]) -> None:
        """Show the settings as they are now; the cursor stays on its row."""
        first = not self.settings
        self._settings.merge(settings)
        self._settings.fold()
        self._settings.fresh.clear()
        if first:
            self.move_first()
        self.refresh_rows()

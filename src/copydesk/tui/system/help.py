"""The help of a place: every key, with the reason where it is off."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.text import Text
from textual.app import ComposeResult
from textual.widgets import Input, Static

from copydesk.domain.filter import having_words
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import capital
from copydesk.present.markdown import Line, wrap_exact
from copydesk.session.glyphs import glyphs
from copydesk.session.options import Option
from copydesk.session.writes.outbox import MEANS
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.dialogs.dialog import Sheet
from copydesk.tui.framework.actions import Acts, action, actions_of, away, shown
from copydesk.tui.framework.commands import CommonCommands
from copydesk.tui.framework.keyboard import Keyboard, keys_of, run
from copydesk.tui.framework.line_field import LineField
from copydesk.tui.framework.navigation import ENTRIES
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import Place
from copydesk.tui.framework.source import ListSource
from copydesk.tui.system.command_line import go_to, words
from copydesk.tui.widgets.list import Column, VirtualList
from copydesk.tui.widgets.wrapped_list import WrappedList

if TYPE_CHECKING:
    from copydesk.domain.filter import Fields
    from copydesk.session.names import NamedThing
    from copydesk.tui.framework.desk_app import DeskApp


@dataclass(frozen=True, slots=True)
class HelpRow:
    """One line of the help."""

    id: str
    keys: str
    label: str
    text: str
    group: str
    off: bool
    about: str

    @property
    def said(self) -> str:
        """What is searched."""
        return f"{self.keys} {self.label} {self.text} {self.group}"


YOURS = [
    (
        "yours service", "login", "your service",
        "copydesk login in the shell connects to one; :profile goes there.", "Start", False,
        "copydesk login asks for the address of a service and for your token, and looks whether it "
        "is accepted. From then on :profile goes there and back. This is the desk on this machine.",
    ),
    (
        "yours files", "import", "your files",
        "copydesk desk import FOLDER in the shell reads Markdown.", "Start", False,
        "copydesk desk import reads a folder, a repository or a bundle of Markdown into this desk.",
    ),
]  # fmt: skip
"""What the help says of the way from the desk on this machine to one's own things."""


def rows(chain: Sequence[Acts], keyboard: Keyboard) -> list[HelpRow]:
    """Return the help for these owners, nearest first, then jumps and command words."""
    found: list[HelpRow] = []
    session = keyboard.app.session
    acts = [*actions_of(chain)]
    for level, owner in enumerate(chain):
        for each in (each for at, each in acts if at == level):
            if away(session, each):
                continue
            why = each.reason(owner)
            keys = " ".join(shown(key) for key in keys_of(each, keyboard.keymap)[:3])
            text = each.summary if why is None else f"off: {why}"
            about = " ".join(part for part in (each.doc, why) if part)
            group = each.group or owner.SCOPE.replace("_", " ").capitalize()
            found.append(HelpRow(each.id, keys, each.label, text, group, why is not None, about))
        if isinstance(owner, Pane) and owner.fields is not None:
            found.append(_filter_row(owner.fields, keyboard))
    found += _sign_rows(chain)
    # What only works here comes first, group by group; what works everywhere follows.
    groups = list(dict.fromkeys(row.group for row in found))
    common = f"{CommonCommands.SCOPE}."
    found.sort(key=lambda row: (row.id.startswith(common), groups.index(row.group)))
    for entry in ENTRIES.values():
        keys = " ".join(shown(key) for key in keys_of(entry.action, keyboard.keymap))
        keys = keys or f":{entry.name}"
        doc = entry.action.doc
        found.append(HelpRow(entry.action.id, keys, entry.title, doc, "Go", False, doc))
    if session.token is None:
        found += [HelpRow(*row) for row in YOURS]
    for word in words(list(chain)).values():
        if word.command is not None and not away(session, word.command):
            summary = word.doc.split("\n", 1)[0]
            found.append(
                HelpRow(
                    word.command.id,
                    f":{word.name}",
                    word.usage,
                    summary,
                    "Commands",
                    False,
                    word.doc,
                )
            )
    told = partial(keyboard.said, where=keyboard.app.screen)
    return [replace(row, text=told(row.text), about=told(row.about)) for row in found]


def _sign_rows(chain: Sequence[Acts]) -> list[HelpRow]:
    """Return what the signs of the place mean."""
    found = []
    for owner in chain:
        if isinstance(owner, Place):
            found += [
                HelpRow(f"sign {sign}", sign, "sign", means, "Signs", False, means)
                for sign, means in owner.signs()
            ]
            sign = glyphs().waits
            found.append(HelpRow("sign outbox", sign, "waits", MEANS, "Signs", False, MEANS))
    return found


def _filter_row(fields: Fields[Any], keyboard: Keyboard) -> HelpRow:
    """Return the row that explains the filter of a list."""
    about = (
        "Words, and what has a name: "
        + ", ".join(
            f"{key}: ({', '.join(fields.values[key])})" if key in fields.values else f"{key}:"
            for key in fields.keys
        )
        + '. All must hold; -is:draft leaves out, space:"two words" keeps words together.'
    )
    known = " ".join(f"{key}:" for key in fields.keys)
    filters = CommonCommands.ACTIONS["search"]
    keys = " ".join(shown(key) for key in keys_of(filters, keyboard.keymap))
    return HelpRow("filter", keys, "filter language", known, "Find", False, about)


class HelpInput(LineField, scope="help_input"):
    """The field that searches the help."""

    @action("escape", "close help", word="back", show=False)
    def close_help(self) -> None:
        """Close the help."""
        self.screen.dismiss(None)

    @action("down", "next line", show=False)
    def down(self) -> None:
        """Go down."""
        self.screen.query_one(HelpView).move(1)

    @action("up", "previous line", show=False)
    def up(self) -> None:
        """Go up."""
        self.screen.query_one(HelpView).move(-1)

    @action("pagedown", "page down", show=False)
    def page_down(self) -> None:
        """Go down a page."""
        self.screen.query_one(HelpView).move_page(1)

    @action("pageup", "page up", show=False)
    def page_up(self) -> None:
        """Go up a page."""
        self.screen.query_one(HelpView).move_page(-1)


class HelpView(WrappedList):
    """The lines of the help, group by group, each with all that it says."""

    def __init__(self, found: Sequence[HelpRow]) -> None:
        super().__init__(empty="No key matches.")
        self.can_focus = False
        self._keys = min(KEY_CELLS, max((cell_len(row.keys) for row in found), default=0))
        self._label = min(LABEL_CELLS, max((cell_len(row.label) for row in found), default=0))
        self._lines_of: list[HelpRow | str] = []
        self.show(found)

    def show(self, found: Iterable[HelpRow]) -> None:
        """Show these, from their top."""
        self._lines_of = []
        group = ""
        for row in found:
            if row.group != group:
                self._lines_of.append(group := row.group)
            self._lines_of.append(row)
        self.changed(top=True)
        self.post_message(self.Moved(self))

    @property
    def selected(self) -> HelpRow | None:
        """The line under the cursor."""
        here = self._lines_of[self.cursor] if self.cursor < len(self._lines_of) else ""
        return None if isinstance(here, str) else here

    @property
    def rows(self) -> int:
        return len(self._lines_of)

    def stops(self, row: int) -> bool:
        return not isinstance(self._lines_of[row], str)

    def draw(self, row: int, width: int) -> list[Line]:
        each = self._lines_of[row]
        if isinstance(each, str):
            return [[("  ", ""), (each, "muted")]]
        dim = "muted" if each.off else ""
        keys, label = min(self._keys, width // 7), min(self._label, width // 5)
        room = width - keys - label - 5
        cells = [
            (each.keys, "muted" if each.off else "accent", keys),
            (each.label, dim, label),
        ]
        below = room < LEAST_CELLS
        if not below:
            cells.append((each.text, dim, room))
        lines = _beside(cells)
        if below:
            lines += [[("    ", ""), *line] for line in wrap_exact([(each.text, dim)], width - 5)]
        return lines


def _beside(cells: Sequence[tuple[str, str, int]]) -> list[Line]:
    """Return texts beside each other, each wrapped to its own width."""
    parts = [
        ["".join(said for said, _ in line).rstrip() for line in wrap_exact([(text, tone)], width)]
        for text, tone, width in cells
    ]
    lines: list[Line] = []
    for at in range(max(map(len, parts))):
        line: Line = [("  ", "")]
        for part, (_, tone, width) in zip(parts, cells, strict=True):
            said = part[at] if at < len(part) else ""
            line += [(said, tone), (" " * (width - cell_len(said) + 1), "")]
        lines.append(line)
    return lines


class Help(Sheet[None]):
    """Lists and searches the keys of a place."""

    def __init__(self, chain: Sequence[Acts], keyboard: Keyboard) -> None:
        super().__init__("Keys here")
        self._rows = rows(chain, keyboard)
        self._source = ListSource(self._rows, key=lambda row: row.id)

    def body(self) -> ComposeResult:
        self.add_class("help")
        self.view = HelpView(self._rows)
        yield HelpInput(placeholder="type to search; esc closes", compact=True)
        yield self.view
        # What linear mode tells, row by row; no one sees it.
        yield VirtualList(
            self._source,
            [
                Column("keys", "KEY", lambda row: row.keys, width=10),
                Column("label", "DOES", lambda row: row.label, width=16),
                Column("text", "", lambda row: row.text, flex=1, minimum=44),
                Column("group", "", lambda row: row.group, width=5, drop=1),
            ],
            empty="No key matches.",
            classes="told",
        )
        yield Static(id="help-about")

    def on_wrapped_list_moved(self, event: WrappedList.Moved) -> None:
        """Show the whole help of the line under the cursor."""
        event.stop()
        row = self.view.selected
        about = Text() if row is None else Text(row.about, style="muted")
        self.query_one("#help-about", Static).update(self.paint(about))

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search keys, labels and texts."""
        event.stop()
        has = having_words(event.value)
        found = [row for row in self._rows if has(row.said)]
        self._source.set(found)
        self.view.show(found)


KEY_CELLS, LABEL_CELLS, LEAST_CELLS = 14, 20, 24
"""Cells that keys and names take at most, and a text beside them at least."""


Act = Callable[[], Awaitable[None]]


def offers(app: DeskApp) -> list[tuple[Option, Act]]:
    """Return the palette's options: available actions, then places; not movement."""
    keyboard = app.keyboard
    found: list[tuple[Option, Act]] = []
    seen: set[str] = set()
    chain = keyboard.chain()
    for level, each in actions_of(chain):
        keys, owner = keys_of(each, keyboard.keymap), chain[level]
        key = next(iter(keys), each.id)
        if each.group == "Move" or key in seen or away(app.session, each):
            continue
        if each.reason(owner) is not None:
            continue
        seen.add(key)
        name = capital(each.label)
        title = f"{name}: {keyboard.said(each.summary, keyboard.app.screen)}"
        note = shown(key) if keys else ""
        found.append((Option(each.id, title, note, len(name)), partial(run, owner, each)))
    for entry in ENTRIES.values():
        keys = keys_of(entry.action, keyboard.keymap)
        note = shown(keys[0]) if keys else f":{entry.name}"
        found.append(
            (Option(entry.action.id, f"Go to {entry.title}", note), partial(app.go, entry.name))
        )
    return found


async def open_palette(app: DeskApp) -> None:
    """Let the user choose, and do it; what is typed also finds what has such a name."""
    offered = {option.id: (option, act) for option, act in offers(app)}
    names = app.session.names
    found: dict[str, NamedThing] = {}

    def more(typed: str) -> list[Option]:
        things = names.found(typed)
        found.update((thing.id, thing) for thing in things)
        return [Option(thing.id, thing.title, thing.note) for thing in things]

    dialog = Choice("What to do", [option for option, _ in offered.values()], more=more)

    async def load() -> None:
        await names.load()
        if dialog.is_mounted:
            dialog.look_again()

    app.run_worker(load(), name="names", group="names", exclusive=True)
    chosen = await app.push_screen_wait(dialog)
    if chosen in found:
        await go_to(app, found[chosen])
    elif chosen is not None:
        await offered[chosen][1]()

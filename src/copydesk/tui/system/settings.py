"""The settings of this machine: what each is, where that is from, and another value for it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.sure import sure
from copydesk.domain.text import capital, plural
from copydesk.local.settings_file import SettingRow
from copydesk.present.facts import Fact, hint
from copydesk.session.draft_keys import setting_key
from copydesk.session.errors import NotDoneError
from copydesk.session.glyphs import glyphs
from copydesk.session.options import Option
from copydesk.session.settings import put_setting, setting_reversal
from copydesk.session.target import Target
from copydesk.tui.dialogs.ask import Ask
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.editor import EditorError, run_editor
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import Part, Place, View
from copydesk.tui.framework.source import ListSource
from copydesk.tui.framework.theme import all_themes
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList, no_row

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.local.settings_file import SettingsFile


def not_simple(here: SettingsPlace) -> str | None:
    """Say why the setting under the cursor cannot be changed here."""
    row = here.rows.selected
    if row is None:
        return no_row(here.rows, "No setting is selected.")
    return "This is not a single value. e edits the file." if row.table or not row.default else None


def no_file(here: SettingsPlace) -> str | None:
    """Say so where this run has no settings file."""
    return None if here.session.settings_file is not None else "This run has no settings file."


def nothing_to_reset(here: SettingsPlace) -> str | None:
    """Say why the setting under the cursor cannot go back to its default."""
    if (why := not_simple(here)) is not None:
        return why
    row = here.rows.selected
    if row is None or row.at_top:
        return None
    return "The setting has its default." if not row.line else f"{row.source}: e edits that."


ALL = View("all", "All")
"""The tab of every setting, and of every key of the file that is none."""

TABS = ("Looks", "Keys", "Lists", "Sending", "Profiles", "Commands")
"""The other tabs, in their order."""


@place("settings", key=",", title="Settings")
class SettingsPlace(Place, scope="settings"):
    """The settings of this machine, with their defaults and where each value is from."""

    OF_DESK = False

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._all: list[SettingRow] = []
        self._wrong = 0
        """How many mistakes are in the file."""

    def panes(self) -> ComposeResult:
        self.rows: VirtualList[SettingRow] = VirtualList(
            ListSource(key=lambda row: row.name),
            [
                Column("name", "NAME", self._shown_name, width=16, most=26),
                Column("value", "VALUE", lambda row: row.value, flex=1, minimum=10),
                Column("from", "FROM", self._source, width=18),
            ],
            title="Settings",
            empty="No settings file belongs to this run.",
            id="settings",
        )
        self.about = Facts(title="Setting", empty="No setting is selected.")
        yield Part("main", self.rows)
        yield Part("side", self.about)

    def _shown_name(self, row: SettingRow) -> Text:
        sign = (f"{glyphs().failed} ", "bad") if row.wrong else ""
        return Text.assemble(sign, row.name)

    def _source(self, row: SettingRow) -> Text:
        return Text(
            row.source, style="bad" if row.wrong else "muted" if row.source == "default" else ""
        )

    def signs(self) -> Sequence[tuple[str, str]]:
        return [(glyphs().failed, "has a mistake: it, or a part of it, is not used")]

    def opened(self) -> None:
        """Name the tabs: all settings, and those of each group with the entries of tables."""
        self.set_views([ALL, *(View(group.lower(), group) for group in TABS)])

    def views_note(self) -> str:
        """Say what is wrong in the file, on every tab."""
        return plural(self._wrong, "mistake") if self._wrong else ""

    def view_changed(self) -> None:
        self._show()

    @property
    def file(self) -> SettingsFile:
        """The file of the settings; `no_file` says where there is none."""
        assert self.session.settings_file is not None
        return self.session.settings_file()

    def reload(self) -> None:
        """Read the file, which other programs write too."""
        if self.session.settings_file is not None:
            self.reads.load(
                "settings", lambda api: asyncio.to_thread(self._read), self._arrived,
                what="Reading the settings", local=True,
            )  # fmt: skip

    def poll(self) -> None:
        """Read nothing: the settings change by the hand that types them."""

    def _read(self) -> tuple[list[SettingRow], int]:
        problems = self.file.in_use().problems
        return [*self.file.rows(), *self.file.entries()], len(problems)

    def _arrived(self, found: tuple[list[SettingRow], int]) -> None:
        first = not self._all
        self._all, self._wrong = found
        self._show()
        if first and not self.rows.cursor:
            self.rows.select(next((row.name for row in self._all if row.wrong), ""))
        if self.resuming:
            self.resume_draft(self.resuming)

    def _show(self) -> None:
        """Show what is on the tab in front, with the cursor on its row."""
        source = self.rows.source.listed
        everything = self.view == ALL.id
        source.set(
            row for row in self._all
            if (not row.entry if everything else row.group.lower() == self.view)
        )  # fmt: skip
        self.refresh_frame()
        self.follow_cursor(self.rows)

    def follow_cursor(self, rows: Pane) -> None:
        """Show what the setting under the cursor is for."""
        row = self.rows.selected
        if row is None:
            self.about.show([])
            return
        facts = [Fact("", Text(row.wrong, style="bad"))] if row.wrong else []
        facts += [Fact("not used", f"{place}: {value}") for place, value in row.instead_of]
        if row.says:
            facts.append(Fact("", Text(f"{capital(row.says)}.")))
            if row.default:
                facts += [
                    Fact("values", row.takes.replace("`", "")),
                    Fact("default", row.default),
                    *([Fact("also", row.also)] if row.also else []),
                ]
            facts.append(Fact("now", row.value))
        facts += [Fact("from", row.source), Fact("file", str(self.file.path))]
        how = "e edits the file." if row.table or not row.default else "Enter changes it."
        self.about.show([*facts, Fact("", hint(how))], title=row.name)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        row = self.rows.selected
        if row is not None:
            name = "edit_file" if not_simple(self) else "change"
            self.do_soon(name)

    def resume_draft(self, part: str) -> None:
        """Ask for the value of the setting that ``part`` names, once the settings are read."""
        self.resuming = part if not self.rows.source.length else ""
        if not self.resuming:
            self.choose_view(ALL.id)
            self.rows.select(part)
            self.do_soon("change")

    @action("c", "change", unless=not_simple, show=False, types=True)
    async def change(self) -> None:
        """Choose or type another value for the setting under the cursor."""
        row = sure(self.rows.selected)
        before = await asyncio.to_thread(self.file.typed, row.name)
        shown = row.value.strip('"')
        if row.name == "theme":
            chosen = await self._choose_theme(shown)
        elif row.choices:
            options = [Option(each, each) for each in row.choices]
            chosen = await self.desk.push_screen_wait(Choice(row.name, options, current=shown))
        else:
            await self._ask_value(row, shown, before)
            return
        if chosen is not None and chosen != before:
            await self._write(row.name, before, chosen)

    async def _ask_value(self, row: SettingRow, shown: str, before: str | None) -> None:
        async def send(value: str) -> None:
            await self._write(row.name, before, value)

        sheet = Ask(f"Setting: {row.name}", f"Its value ({row.takes})?",
                    draft_key=setting_key(row.name), value=shown, send=send)  # fmt: skip
        await self.desk.push_screen_wait(sheet)

    async def _choose_theme(self, current: str) -> str | None:
        """Return the theme that was chosen; each is drawn while the cursor is on it."""
        before, themes = self.app.theme, self.app.available_themes

        def preview(name: str) -> None:
            self.app.theme = name if name in themes else before

        ours = [theme.name for theme in all_themes()]
        options = [Option(each, each) for each in ("auto", *ours, *sorted({*themes} - {*ours}))]
        sheet = Choice("theme", options, current=current, preview=preview)
        chosen = await self.desk.push_screen_wait(sheet)
        self.app.theme = before
        return chosen

    @action("x", "default", unless=nothing_to_reset, show=11)
    async def reset(self) -> None:
        """Give the setting under the cursor its default again; u undoes that."""
        row = sure(self.rows.selected)
        before = await asyncio.to_thread(self.file.typed, row.name)
        await self._write(row.name, before, None)

    async def _write(self, name: str, before: str | None, value: str | None) -> None:
        said = ""

        async def send(api: Api) -> None:
            nonlocal said
            try:
                said = await put_setting(self.session, name, value)
            except (OSError, ValueError) as error:
                raise NotDoneError(str(error)) from None

        way_back = setting_reversal(name, before, value)
        await self.writer.perform("Change setting", name, send, reversal=way_back)
        if said:
            self.tell(f"{name}: {said}", "good")
        self.reload()

    @action("e", "edit file", word="edit", unless=no_file, show=12)
    async def edit_file(self) -> None:
        """Edit the settings file in $EDITOR, from the line of the setting under the cursor on."""
        row = self.rows.selected
        try:
            await asyncio.to_thread(self.file.make)
            run_editor(self.desk, self.file.path, row.line if row is not None else 0)
        except (EditorError, OSError) as error:
            self.say(str(error), "warn")
            return
        for each in await asyncio.to_thread(self.file.rows):
            if not each.table and not each.wrong and each.default:
                self.session.use_setting(each.name)
        self.reload()

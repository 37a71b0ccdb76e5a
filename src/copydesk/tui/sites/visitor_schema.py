"""The adaptive schema of a site: what it may know of its visitors, and conditions over that."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.inverses import draft_dropped
from copydesk.domain.json_text import JSON, JsonText, JsonTextError, read_json
from copydesk.domain.site_inverses import schema_changed
from copydesk.domain.text import clean, plural, shorten
from copydesk.domain.visitor_schema import Changes, Problem, all_problems, changes
from copydesk.present.facts import hint
from copydesk.present.raw_json import Raw
from copydesk.session.draft_keys import schema_key
from copydesk.session.operations import ops
from copydesk.session.reads.visitor_schema import (
    SchemaDraft,
    SchemaRead,
    find_sent,
    read_schema,
    schema_draft,
    send_schema,
)
from copydesk.session.site_rows import SchemaRow
from copydesk.session.target import Target
from copydesk.tui.dialogs.dialog import Confirm, Fact, ProblemsSheet
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.framework.commands import DetailsCommands
from copydesk.tui.framework.editor import EditorError, edit_in_editor
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, Place
from copydesk.tui.framework.source import TreeSource
from copydesk.tui.sites import visitor_schema_cells as present
from copydesk.tui.sites.tabs import PublicationCommands, SiteTabs
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList
from copydesk.tui.widgets.text import TextView
from copydesk.tui.widgets.tree_list import TreeList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.site import Site

DOUBTFUL = "The API document does not have this; the service may refuse it:"

UNFOLD_LIMIT = 6
"""With at most so many attributes, their ready-made conditions are shown unfolded."""

EXAMPLE = '"partner": {"type": "boolean", "description": "Signed in as a partner"}'
"""How an attribute is declared."""

KEPT = "Your edit is kept, not sent: e goes on with it, ctrl+s sends, X discards it."


def not_allowed(here: SiteSchemaPlace) -> str | None:
    """Say why the reader may not change the schema."""
    if here.read is None:
        return "The schema has not been read yet."
    return here.read.refused or None


def nothing_kept(here: SiteSchemaPlace) -> str | None:
    """Say so when no edit is kept."""
    return None if here.kept is not None else "No edit of the schema is kept. e begins one."


def no_attribute(here: SiteSchemaPlace) -> str | None:
    """Say so when the cursor is on nothing that can be copied."""
    row = here.row
    return None if row is not None and row.text else "Put the cursor on an attribute first."


class SchemaEditCommands(Commands, scope="site_schema"):
    """Editing the schema of a site, and dropping an edit."""

    place: SiteSchemaPlace

    def _keep(self, text: str, base: JSON) -> None:
        self.place.session.drafts.save(self.place.draft_key, SchemaDraft(text, base).to_text())
        self.place.take_kept()

    @action("e", "edit JSON", unless=not_allowed, danger=2, show=28, group="Change",
            uses="update_adaptive_schema")  # fmt: skip
    async def edit(self) -> None:
        """Edit the schema in $EDITOR; it is checked, and shown again, before anything is sent."""
        assert self.place.read is not None
        while True:
            self.place.take_kept()
            base = self.place.read.schema if self.place.kept is None else self.place.kept.base
            before = self.place.read.text if self.place.kept is None else self.place.kept.text
            try:
                text = edit_in_editor(self.place.desk, before, suffix=".json")
            except EditorError as error:
                self.place.tell(
                    f"{error} e opens it again." if self.place.kept else str(error), "warn"
                )
                return
            if self.place.kept is None and text.strip() == before.strip():
                self.place.tell("Nothing was changed.")
                return
            self._keep(text, base)
            if not await self._offer(text, base):
                return

    @action("ctrl+s", "send", unless=(not_allowed, nothing_kept), danger=2, show=24, group="Change",
            uses="update_adaptive_schema")  # fmt: skip
    async def send(self) -> None:
        """Send the edit that is kept, after it was checked and shown."""
        self.place.take_kept()
        if self.place.kept is not None and await self._offer(
            self.place.kept.text, self.place.kept.base
        ):
            await self.edit()

    @action("X", "discard edit", word="discard", unless=nothing_kept, show=12, group="Change")
    async def drop(self) -> None:
        """Discard the edit that is saved on this machine; u brings it back."""
        key, drafts = self.place.draft_key, self.place.session.drafts
        sheet = Confirm(
            "Discard the edit of the schema?", ["Nothing was sent of it."], verb="discard it"
        )
        if not await self.place.desk.push_screen_wait(sheet):
            return

        async def discard(api: Api) -> None:
            await asyncio.to_thread(drafts.drop, key)

        await self.place.writer.perform(
            "Discard", "edit of the adaptive schema", discard, reversal=draft_dropped(key),
            done="Discarded. u brings it back.",
        )  # fmt: skip
        self.place.take_kept()

    async def _offer(self, text: str, base: JSON) -> bool:
        """Check a text, show what it changes and send it; True to edit it again."""
        try:
            found = read_json(text)
        except JsonTextError as error:
            where = Text(f"line {error.line}, column {error.column}  ", style="muted")
            line = text.split("\n")[error.line - 1]
            facts: list[Fact] = [
                where.append(f"{error}."),
                Text(_around(line, error.column), "code"),
            ]
            return await self._wrong("Not JSON", facts)
        self.place.session.asks()
        problems = await asyncio.to_thread(all_problems, found.value)
        wrong = [problem for problem in problems if problem.certain]
        if wrong or found.twice:
            lines = [*present.twice_lines(found), *present.problem_lines(wrong, found)]
            count = plural(len(lines), "problem")
            return await self._wrong(f"The schema is not right: {count}", lines)
        await self._confirm(found, [each for each in problems if not each.certain], base)
        return False

    async def _wrong(self, title: str, facts: Sequence[Fact]) -> bool:
        again = await self.place.desk.push_screen_wait(ProblemsSheet(title, facts))
        return again is True

    async def _confirm(self, found: JsonText, doubts: Sequence[Problem], base: JSON) -> None:
        now = await self._read_now()
        made = changes(now.schema, found.value)
        if not made and now.schema == found.value:
            self.place.session.drafts.drop(self.place.draft_key)
            self.place.take_kept()
            self.place.tell("The schema is already like that: nothing to send.")
            return
        facts: list[Fact] = list(present.change_lines(made, now.used))
        theirs = changes(base, now.schema)
        if theirs:
            when = present.changed_at(now.updated, self.place.session.now)
            facts += [
                "",
                Text(f"Someone changed the schema since you began ({when}). They:", style="warn"),
                *present.change_lines(theirs, {}),
                Text("Sending yours puts it in the place of theirs.", style="warn"),
            ]
        if doubts:
            facts += ["", Text(DOUBTFUL, style="warn")]
            facts += present.problem_lines(doubts, found)
        facts += ["", hint("Readers get it at once. u puts the former schema back.", "")]
        title = f"Another schema for {shorten(now.site.title, 40)}"
        if await self.place.desk.push_screen_wait(Confirm(title, facts, verb="send it")):
            await self._send(found.value, now, made)

    async def _read_now(self) -> SchemaRead:
        """Read the schema again. Raises ``ApiError``."""
        api = await self.place.session.ready()
        site = await api(ops.get_site, *self.place.tabs.ids)
        refused = self.place.read.refused if self.place.read is not None else ""
        return await read_schema(api, self.place.tabs.ids[0], site, refused)

    async def _send(self, schema: JSON, now: SchemaRead, made: Changes) -> None:
        ids = self.place.tabs.ids
        try:
            await self.place.writer.perform(
                "Change schema",
                f"{shorten(now.site.title, 30)}: {present.summary(made)}",
                lambda api: send_schema(api, ids, schema, now.schema),
                reversal=schema_changed(ids, now.schema, schema),
                look=lambda api: find_sent(api, ids, schema),
                draft=self.place.draft_key,
            )
        finally:
            self.place.take_kept()
        self.place.read_again()


@place("site-schema", title="Visitor attributes")
class SiteSchemaPlace(Place, scope="site_schema"):
    """What a site may know of its visitors, to show them different things."""

    OF_SITE = True
    RAW = ("get_adaptive_schema",)
    COMMAND_CLASSES = (SchemaEditCommands, DetailsCommands, PublicationCommands)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.tabs = SiteTabs(self)
        self.read: SchemaRead | None = None
        self.kept: SchemaDraft | None = None
        """What was edited and not sent."""
        self._behind = False
        """Whether the schema changed since it was read, by others or from another place."""

    def panes(self) -> ComposeResult:
        source: TreeSource[SchemaRow] = TreeSource(
            key=lambda row: row.id,
            children=lambda row: row.children,
        )
        self.rows: TreeList[SchemaRow] = TreeList(
            source,
            [
                Column("name", "ATTRIBUTE", present.name, flex=3, minimum=36),
                Column("signed", "CLAIM", present.signed, 8, drop=1),
                Column("used", "USED", present.used, 4, align="right", drop=2),
                Column("about", "ABOUT", present.about, flex=2, minimum=14, drop=3),
            ],
            title="Visitor attributes",
            empty="Reading the schema…",
            id="site-schema",
        )
        self.facts = Facts(title="Attribute", id="schema-row")
        self.json = TextView(
            title="JSON", empty="The schema has not been read yet.", plain=True, id="schema-json"
        )
        self.json.add_class("drawer-hidden")
        yield Part("main", self.rows)
        yield Part("side", self.facts, self.json)

    def trail(self) -> Iterable[str]:
        yield from self.tabs.trail()
        if self.read is not None and self.read.refused:
            yield "read-only"
        elif self.kept is not None:
            yield "edit not sent"

    def raw(self) -> Raw | None:
        if self.read is None:
            return None
        return Raw(f"schema of {self.read.site.title}", "get_adaptive_schema", self.tabs.ids)

    def status_left(self) -> str:
        if self.read is None:
            return ""
        if self.read.refused:
            return self.read.refused
        if self.kept is not None:
            return KEPT
        warning = present.warning(self.read.schema, self.read.used, self.read.site)
        return warning or super().status_left() or present.counted(self.read.rows)

    @property
    def row(self) -> SchemaRow | None:
        """The row under the cursor."""
        return self.rows.selected_item

    # Reading

    def reload(self) -> None:
        self.tabs.read("Reading the schema", self._read, self._arrived)

    def poll(self) -> None:
        if self.read is not None:
            self.tabs.read("Reading again", self._read, self._polled)
        else:
            super().poll()

    async def _read(self, api: Api, site: Site) -> SchemaRead:
        rights = await self.tabs.publication.know_rights(api, self.tabs.ids[0])
        return await read_schema(api, self.tabs.ids[0], site, rights.change)

    def _polled(self, found: SchemaRead) -> None:
        self._behind = self.read is not None and found.schema != self.read.schema
        if not self._behind and found != self.read:
            self._arrived(found)
        else:
            self._note()

    def _arrived(self, found: SchemaRead) -> None:
        first, self.read, self._behind = self.read is None, found, False
        self.tabs.publication.published = found.site.published
        self.rows.empty = "The site knows nothing of its visitors yet."
        if not found.refused:
            self.rows.empty += f" e declares an attribute; below properties, as {EXAMPLE}"
        source = self.rows.tree_source
        if first and len(found.rows) <= UNFOLD_LIMIT:
            source.unfolded |= {row.id for row in found.rows}
        here = self.rows.selected_id
        source.set_roots(found.rows)
        if here is not None:
            self.rows.select(here)
        self.json.set_text(found.text, top=first)
        self._note()
        self.take_kept()
        self.show_details()
        if self.resuming:
            self.resume_draft("edit")

    def _note(self) -> None:
        assert self.read is not None
        note = present.schema_note(self.read.updated, self.session.now)
        self.rows.note = "changed since: R shows it" if self._behind else note
        self.rows.retitle()
        self.refresh_frame()

    @property
    def draft_key(self) -> str:
        """The key under which an edit is kept."""
        return schema_key(self.tabs.ids[1])

    def take_kept(self) -> None:
        """Learn whether an edit is kept on this machine."""
        self.kept = schema_draft(self.session.drafts.load(self.draft_key))
        self.refresh_frame()

    def on_screen_resume(self) -> None:
        if self.read is not None:
            self.take_kept()

    def resume_draft(self, part: str) -> None:
        self.resuming = part if self.read is None else ""
        if self.read is not None:
            self.do_soon("edit")

    def show_details(self) -> None:
        row = self.row
        if row is None:
            self.facts.show([], title="Attribute")
        else:
            self.facts.show(present.row_facts(row), title=row.title)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        row = self.row
        if row is not None and row.children:
            self.rows.toggle()
        else:
            self.commands_of(DetailsCommands).details()

    # Looking and copying

    @action("g j", "JSON", word="json", show=14, group="Look", override=True)
    def show_json(self) -> None:
        """Go to the schema as JSON, or back to the attributes."""
        to_json = self.pane is not self.json
        self.json.set_class(not to_json, "drawer-hidden")
        self.facts.set_class(to_json, "drawer-hidden")
        self.remove_class("-no-side")
        self.show_pane(self.json if to_json else self.rows)

    @action("y", "copy", unless=no_attribute, show=20, group="Share", override=True)
    def copy_url(self) -> None:
        """Copy the condition, or what conditions call the attribute."""
        row = self.row
        if row is not None:
            self.desk.copy(row.text)

    def copies(self) -> Sequence[tuple[str, str]]:
        row, found = self.row, []
        if row is not None and row.text:
            found = [("expression" if row.kind == "attribute" else "condition", row.text)]
            found += [("about", row.about)] if row.about else []
            found += [(child.about or child.text, child.text) for child in row.children]
        if self.read is not None:
            found.append(("schema as JSON", json.dumps(self.read.schema)))
        return found


def _around(line: str, column: int) -> str:
    """Return the part of a line around a column, for a sheet."""
    start = max(0, column - 40)
    return clean(line[start : start + 60])

"""Editing the adaptive schema of a site outside, checking it, and sending it.

What was written is kept on disk until it has arrived: when it is wrong, when it is refused, and
when nobody says yes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.text import Text

from copydesk.domain.inverses import draft_dropped
from copydesk.domain.json_text import JSON, JsonText, JsonTextError, read_json
from copydesk.domain.site_audience_inverses import schema_changed
from copydesk.domain.text import clean, plural, shorten
from copydesk.domain.visitor_schema import Changes, Problem, all_problems, changes
from copydesk.session.reads.visitor_schema import (
    KeptSchema,
    SchemaRead,
    find_sent,
    read_schema,
    send_schema,
)
from copydesk.tui.dialogs.dialog import Confirm, Fact
from copydesk.tui.dialogs.problems import ProblemsSheet
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.framework.editor import EditorError, edit_in_editor
from copydesk.tui.sites import schema_cells as present

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.tui.sites.schema import SiteSchemaPlace


DOUBTFUL = "The API document does not have this; the service may refuse it:"


def not_allowed(here: SiteSchemaPlace) -> str | None:
    """Say why the reader may not change the schema."""
    if here.read is None:
        return "The schema has not been read yet."
    return here.read.refused or None


def nothing_kept(here: SiteSchemaPlace) -> str | None:
    """Say so when no edit is kept."""
    return None if here.kept is not None else "No edit of the schema is kept. e begins one."


class EditCommands(Commands, scope="schema_editing"):
    """Editing the schema of a site, and dropping an edit."""

    place: SiteSchemaPlace

    def _keep(self, text: str, base: JSON) -> None:
        self.place.session.drafts.save(self.place.draft_key, KeptSchema(text, base).to_text())
        self.place.take_kept()

    @action(
        "e",
        "edit JSON",
        unless=not_allowed,
        danger=2,
        show=28,
        group="Change",
        uses="update_adaptive_schema",
    )
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

    @action(
        "ctrl+s",
        "send",
        unless=(not_allowed, nothing_kept),
        danger=2,
        show=24,
        group="Change",
        uses="update_adaptive_schema",
    )
    async def send_kept(self) -> None:
        """Send the edit that is kept, after it was checked and shown."""
        self.place.take_kept()
        if self.place.kept is not None and await self._offer(
            self.place.kept.text, self.place.kept.base
        ):
            await self.edit()

    @action("X", "drop edit", unless=nothing_kept, show=12, group="Change")
    async def drop(self) -> None:
        """Drop the edit that is kept on this machine; u brings it back."""
        key, drafts = self.place.draft_key, self.place.session.drafts
        sheet = Confirm("Drop the edit of the schema?", ["Nothing was sent of it."], verb="drop it")
        if not await self.place.desk.push_screen_wait(sheet):
            return

        async def discard(api: Api) -> None:
            await asyncio.to_thread(drafts.drop, key)

        await self.place.perform(
            "Discard", "edit of the adaptive schema", discard, reversal=draft_dropped(key),
            done="Dropped. u brings it back.",
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
            return await self._wrong("This is no JSON", facts)
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
            self.place.tell("The schema is so already: nothing is to be sent.")
            return
        facts: list[Fact] = list(present.change_lines(made, now.used))
        theirs = changes(base, now.schema)
        if theirs:
            when = present.changed_at(now.updated, self.place.session.now)
            facts += [
                "",
                Text(f"Somebody changed the schema since you began ({when}). They:", style="warn"),
                *present.change_lines(theirs, {}),
                Text("Sending yours puts it in the place of theirs.", style="warn"),
            ]
        if doubts:
            facts += ["", Text(DOUBTFUL, style="warn")]
            facts += present.problem_lines(doubts, found)
        facts += ["", "Readers get it at once. u puts the former schema back."]
        title = f"Another schema for {shorten(now.site.title, 40)}"
        if await self.place.desk.push_screen_wait(Confirm(title, facts, verb="send it")):
            await self._send(found.value, now, made)

    async def _read_now(self) -> SchemaRead:
        """Read the schema again. Raises ``ApiError``."""
        from copydesk.contract import operations as ops

        api = await self.place.session.ready()
        site = await api(ops.get_site, *self.place.ids)
        refused = self.place.read.refused if self.place.read is not None else ""
        return await read_schema(api, self.place.ids[0], site, refused)

    async def _send(self, schema: JSON, now: SchemaRead, made: Changes) -> None:
        ids = self.place.ids
        try:
            await self.place.perform(
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


def _around(line: str, column: int) -> str:
    """Return the part of a line around a column, for a sheet."""
    start = max(0, column - 40)
    return clean(line[start : start + 60])

"""Handing in the conversations of a file: checked first, then sent one after the other."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, cast

from copydesk.domain.text import clean, plural, shorten
from copydesk.tui.dialogs.dialog import Confirm
from copydesk.tui.dialogs.run import RunSheet
from copydesk.tui.framework.actions import Commands, command

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.ingest_file import Item
    from copydesk.domain.ingest_frames import Complaint

MOST = 500
"""Conversations that are sent from here; more are for the command line, which sends batches."""

SAID = 12
"""Complaints about a file that are shown."""


class IngestCommands(Commands, scope="talk_ingesting"):
    """Sends conversations that support exported as JSON."""

    @command("ingest", "FILE", uses="ingest_conversation")
    async def ingest(self, rest: str) -> None:
        """Hand in the conversations of a JSON file, after showing them; one sent is replaced."""
        organization = self.place.target.organization or self.place.session.organization
        if organization is None:
            self.place.say("No organization is chosen: g o lists yours.", "warn")
            return
        if not rest:
            self.place.say("Say which file: :ingest FILE, as in :ingest export.json.", "warn")
            return
        try:
            items, complaints = await asyncio.to_thread(_read, rest)
        except (OSError, RuntimeError) as error:  # the latter where ~ is nobody's folder
            why = error.strerror if isinstance(error, OSError) else None
            self.place.say(f"Not read: {clean(why or str(error))}: {clean(rest)}", "warn")
            return
        if not items:
            why = f": {complaints[0]}" if complaints else "."
            self.place.say(f"There is no conversation to send in {clean(rest)}{why}", "warn")
        elif len(items) > MOST:
            self.place.say(
                f"{len(items)} conversations; from here {MOST} at most are sent. “copydesk "
                "conversations send” takes any number.",
                "warn",
            )
        elif not complaints or await self._without(complaints, items):
            await self._hand_in(organization, items)

    async def _without(self, complaints: list[Complaint], items: list[Item]) -> bool:
        """Ask whether to leave out what cannot be sent."""
        said = [str(each) for each in complaints[:SAID]]
        if len(complaints) > SAID:
            said.append(f"and {len(complaints) - SAID} more")
        sheet = Confirm(
            f"{plural(len(complaints), 'complaint')} about the file",
            said,
            verb=f"go on with the other {len(items)}",
        )
        answer: bool | None = await self.app.push_screen_wait(sheet)
        return answer is True

    async def _hand_in(self, organization: str, items: list[Item]) -> None:
        async def send(number: int) -> None:
            await self._send(organization, items[number])

        sheet = RunSheet(
            f"Hand in {plural(len(items), 'conversation')}",
            [_line(item) for item in items],
            send,
            verb="send",
            facts=("There is no way back: the service deletes no conversation.",),
            left="send no more",
        )
        sent = cast("int | None", await self.app.push_screen_wait(sheet))
        if sent:
            self.place.tell(f"Handed in {plural(sent, 'conversation')}.", "good")
            self.place.read_again()

    async def _send(self, organization: str, item: Item) -> None:
        """Send one, and look whether it is there where no answer came. Raises `WriteError`."""
        from copydesk.contract import operations as ops

        async def write(api: Api) -> bool:
            await api(ops.ingest_conversation, organization, item.conversation)
            return True

        async def look(api: Api) -> bool | None:
            from copydesk.client.errors import NotFound
            from copydesk.domain.ingest_file import is_there

            try:
                found = await api(ops.get_conversation, organization, item.id)
            except NotFound:
                return None
            return True if is_there(item.conversation, found) else None

        await self.place.writer.perform("Hand in", _line(item), write, look=look)


def _read(name: str) -> tuple[list[Item], list[Complaint]]:
    """Return the conversations of a file, and what is wrong with others. Raises ``OSError``."""
    from copydesk.domain.ingest_file import read_items
    from copydesk.domain.ingest_frames import Complaint

    items: list[Item] = []
    complaints: list[Complaint] = []
    with Path(name).expanduser().open("rb") as file:
        for found in read_items(file):
            if isinstance(found, Complaint):
                complaints.append(found)
            else:
                items.append(found)
    return items, complaints


def _line(item: Item) -> str:
    """Return what a conversation is called: its id, which is the sender's own; no word of it."""
    return f"conversation {shorten(clean(item.id), 40)}"

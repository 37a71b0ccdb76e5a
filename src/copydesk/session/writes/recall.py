"""Writes that are about to be sent: they can be recalled, and no draft is sent twice.

`Recalling` is the part of `copydesk.session.writes.sender` that knows so, apart from it for length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from copydesk.session.writes.log import Wait, WriteError, Written

if TYPE_CHECKING:
    from copydesk.session.writes.outbox import Outbox


class Recalling:
    """Knows the writes that have not ended. What it needs of the session is declared here."""

    outbox: Outbox
    log: list[Written]
    waits: list[Wait]

    def line_of(self, id: str) -> Written | None:
        """Return the line of the log that an entry of the journal has, if it has one."""
        raise NotImplementedError

    def recall(self) -> Written | None:
        """Stop the newest write that is not sent yet, and return its line."""
        wait = next((each for each in reversed(self.waits) if not each.over.is_set()), None)
        if wait is None:
            return None
        wait.recalled = True
        wait.over.set()
        return wait.line

    def send_now(self) -> None:
        """Send at once what waits."""
        for wait in self.waits:
            wait.over.set()

    def is_on_its_way(self, draft: str, text: str) -> bool:
        """Whether a text from a draft is sent, or is about to be: who writes there now writes
        another one.
        """
        return any(
            line.draft == draft and line.text == text and line.state in ("waiting", "sending")
            for line in self.log
        )

    def make_room(self, draft: str) -> int:
        """Send at once what waits from a draft, as another text is begun there: return how many.

        What is sent is noted on the disk, so that the draft is free for the other text.
        """
        found = [wait for wait in self.waits if draft and wait.line.draft == draft]
        for wait in found:
            wait.over.set()
        return len(found)

    def waits_for(self, owner: object) -> bool:
        """Whether ``owner`` only waits for a write that can still be recalled."""
        return any(wait.owner is owner for wait in self.waits)

    def _apart(self, line: Written) -> None:
        """Keep a text from being sent twice from one draft, while its first sending has not ended.

        Raises `WriteError` then.
        """
        if not line.draft:
            return
        for other in self.log:
            if other is line or other.draft != line.draft or other.text != line.text:
                continue
            if other.state == "waiting":
                raise WriteError("That is about to be sent already: u recalls it.")
            if other.state == "sending":
                raise WriteError("That is being sent already: @ shows what comes of it.")
        for entry in self.outbox.items.values():
            alike = entry.draft == line.draft and entry.text == line.text
            if alike and entry.state == "unknown" and self.line_of(entry.id) is None:
                raise WriteError("It may have arrived by an earlier try: g x, then s finds out.")

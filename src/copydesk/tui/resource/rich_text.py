"""Editing rich text outside, as Markdown or as its JSON, and seeing what changed before it is sent.

What was written is kept on disk until it has arrived: when it is no document, when it is refused,
and when nobody says yes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from copydesk.tui.dialogs.dialog import Confirm, Fact
from copydesk.tui.dialogs.problems import ProblemsSheet
from copydesk.tui.framework.editor import EditorError, edit_in_editor
from copydesk.tui.framework.place import Place

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.document import Document

Read = Callable[["Api"], Awaitable["Document | None"]]
"""Reads the document as it is now; None where there is none yet."""

Send = Callable[["Document | None", "Document"], Awaitable[Any]]
"""Sends a document in the place of what was read last; its draft is dropped by that."""


class RichEditing(Place, scope="rich_editing"):
    """A place with rich text that is edited in ``$EDITOR``."""

    async def edit_rich(
        self, title: str, *, key: str, read: Read, send: Send, facts: Sequence[Fact] = ()
    ) -> bool:
        """Edit a document that ``read`` reads; whether it was sent.

        ``key`` is that of its draft, ``facts`` are told below what changes. It is read again once
        the editor is closed: what changes is told against what is there by then.
        """
        from copydesk.domain.rich_text import RichTextError, rich_text, says_the_same

        api, drafts = await self.session.ready(), self.session.drafts
        begun = await self._document(api, read)
        if begun is None:
            return False
        base = await asyncio.to_thread(rich_text, begun[0])
        while True:
            kept = drafts.load(key)
            try:
                text = edit_in_editor(
                    self.desk, base.text if kept is None else kept, suffix=base.suffix
                )
            except EditorError as error:
                self.tell(str(error), "warn")
                return False
            if text.rstrip() == base.text.rstrip():
                drafts.drop(key)
                self.tell("Nothing was changed.")
                return False
            drafts.save(key, text)
            try:
                after = await asyncio.to_thread(base.read, text)
            except RichTextError as error:
                wrong = ProblemsSheet("It cannot be sent so", [str(error)])
                if await self.desk.push_screen_wait(wrong):
                    continue
                return False
            break
        found = await self._document(api, read)
        if found is None:
            return False
        now = found[0]
        if says_the_same(now, after) and (now is None or now.nodes == after.nodes):
            drafts.drop(key)
            self.tell("It is so already: nothing is to be sent.")
            return False
        told = await asyncio.to_thread(_changes, now, after)
        if not says_the_same(now, begun[0]):
            said = "Somebody changed it since you began: yours would take the place of that."
            told += ["", Text(said, style="warn")]
        if not base.markdown:
            said = "Markdown cannot say all of it, so it was edited as its JSON."
            told += ["", Text(said, style="muted")]
        sheet = Confirm(
            title, [*told, "", *facts], verb="send it", leaves="leave, keeps what you wrote"
        )
        if not await self.desk.push_screen_wait(sheet):
            self.tell("Kept, not sent: e goes on with it.")
            return False
        await send(now, after)
        return True

    async def _document(self, api: Api, read: Read) -> tuple[Document | None] | None:
        """Return what is there, or None when the reader stopped it."""

        async def reading() -> tuple[Document | None]:
            return (await read(api),)

        return await self.read_now("plan", reading, "Reading what is there")


def _changes(before: Document | None, after: Document) -> list[Fact]:
    from copydesk.domain.documents import document_to_markdown
    from copydesk.tui.resource.rich_text_cells import change_lines

    was = "" if before is None else document_to_markdown(before)
    return list(change_lines(was, document_to_markdown(after)))

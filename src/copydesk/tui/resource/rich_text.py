"""Editing rich text outside, as Markdown or as its JSON, and seeing what changed before it is sent.

What was written is kept on disk until it has arrived: when it is no document, when it is refused,
and when nobody says yes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from copydesk.domain.text import exposed, plural
from copydesk.session.glyphs import glyphs
from copydesk.tui.dialogs.dialog import Confirm, Fact, ProblemsSheet
from copydesk.tui.framework.editor import EditorError, edit_in_editor
from copydesk.tui.framework.place import Place

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.document import Document

MOST_ROWS = 300
"""Rows of a change that a sheet shows; the others are counted."""

LONGEST_ROW = 2_000
"""Characters of one row that are shown."""

_SIGNS = {"added": ("+ ", "good"), "removed": ("- ", "bad")}

Read = Callable[["Api"], Awaitable["Document | None"]]
"""Reads the document as it is now; None where there is none yet."""

Send = Callable[["Document | None", "Document"], Awaitable[Any]]
"""Sends a document in the place of the one read last, and drops its draft."""


async def edit_rich(
    here: Place, title: str, *, key: str, read: Read, send: Send, facts: Sequence[Fact] = ()
) -> bool:
    """Edit the document that ``read`` reads, and return whether it was sent.

    ``key`` is that of its draft, ``facts`` stand below the changes. It is read again once the
    editor is closed: the changes are those to the text that is there by then.
    """
    from copydesk.domain.rich_text import RichTextError, rich_text, says_the_same

    api, drafts = await here.session.ready(), here.session.drafts
    begun = await _document(here, api, read)
    if begun is None:
        return False
    base = await asyncio.to_thread(rich_text, begun[0])
    while True:
        kept = drafts.load(key)
        try:
            text = edit_in_editor(
                here.desk, base.text if kept is None else kept, suffix=base.suffix
            )
        except EditorError as error:
            here.tell(str(error), "warn")
            return False
        if text.rstrip() == base.text.rstrip():
            drafts.drop(key)
            here.tell("Nothing was changed.")
            return False
        drafts.save(key, text)
        try:
            after = await asyncio.to_thread(base.read, text)
        except RichTextError as error:
            wrong = ProblemsSheet("It cannot be sent so", [str(error)])
            if await here.desk.push_screen_wait(wrong):
                continue
            return False
        break
    found = await _document(here, api, read)
    if found is None:
        return False
    now = found[0]
    if says_the_same(now, after) and (now is None or now.nodes == after.nodes):
        drafts.drop(key)
        here.tell("It is so already: nothing is to be sent.")
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
    if not await here.desk.push_screen_wait(sheet):
        here.tell("Kept, not sent: e goes on with it.")
        return False
    await send(now, after)
    return True


async def _document(here: Place, api: Api, read: Read) -> tuple[Document | None] | None:
    """Return the document, or None when the user stopped the read."""

    async def reading() -> tuple[Document | None]:
        return (await read(api),)

    return await here.reads.now("plan", reading, "Reading what is there")


def _changes(before: Document | None, after: Document) -> list[Fact]:
    from copydesk.domain.documents import document_to_markdown

    was = "" if before is None else document_to_markdown(before)
    return list(change_lines(was, document_to_markdown(after)))


def change_lines(before: str, after: str) -> list[Text]:
    """Return the difference of two texts, a line for each row, with its context."""
    from copydesk.domain.diff import compare

    found = compare(exposed(before), exposed(after))
    lines: list[Text] = []
    rows = 0
    for hunk in found.hunks():
        if hunk.folded:
            same = plural(hunk.stop - hunk.start, "line")
            lines.append(Text(f"  {glyphs().more} {same} the same", style="muted"))
            continue
        for index in range(hunk.start, hunk.stop):
            rows += 1
            if rows > MOST_ROWS:
                continue
            line = found[index]
            sign, tone = _SIGNS.get(line.kind, ("  ", ""))
            text = line.text
            more = f" {glyphs().more}" if len(text) > LONGEST_ROW else ""
            if line.kind in ("from", "to"):
                text, tone = "(stands elsewhere now)", "muted"
            lines.append(Text(f"{sign}{text[:LONGEST_ROW]}{more}", style=tone))
    if rows > MOST_ROWS:
        lines.append(
            Text(f"{glyphs().more} {plural(rows - MOST_ROWS, 'line')} more", style="muted")
        )
    if not found.changed:
        lines = [Text("Only what is not seen differs: how it is spelled, or its parts.", "muted")]
    return lines

"""Editing texts outside: rich text, as Markdown or as its JSON, and pages with their settings.

What was written of rich text is kept on disk until it has arrived: when it is no document, when it
is refused, and when nobody says yes. What is written of a page is staged, to the byte.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rich.text import Text

from copydesk.domain.page_edits import PageEdit
from copydesk.domain.page_source import body_of, check_slug
from copydesk.domain.text import clean, exposed, plural, typed
from copydesk.domain.yaml_lines import FileError
from copydesk.local.page_edits import StagedElsewhereError
from copydesk.session.draft_keys import source_key
from copydesk.session.glyphs import glyphs
from copydesk.session.page_edits import ELSEWHERE, StagedPages
from copydesk.tui.dialogs.composer import WriteSheet
from copydesk.tui.dialogs.dialog import Confirm, Fact, ProblemsSheet
from copydesk.tui.framework.editor import (
    EditorError,
    drop_file,
    edit_file,
    edit_in_editor,
)
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
            wrong = ProblemsSheet("Not sent. Fix this first", [str(error)])
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
        here.tell("The text is already like that: nothing to send.")
        return False
    told = await asyncio.to_thread(_changes, now, after)
    if not says_the_same(now, begun[0]):
        said = "Someone changed it since you began: yours would take the place of that."
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
                text, tone = "(is elsewhere now)", "muted"
            lines.append(Text(f"{sign}{text[:LONGEST_ROW]}{more}", style=tone))
    if rows > MOST_ROWS:
        lines.append(
            Text(f"{glyphs().more} {plural(rows - MOST_ROWS, 'line')} more", style="muted")
        )
    if not found.changed:
        lines = [Text("Only invisible parts differ, such as how it is written.", "muted")]
    return lines


# Pages


async def stage_edits(
    here: Place, staged: StagedPages, edits: Mapping[str, PageEdit | None]
) -> bool:
    """Stage edits by page, or drop them; False where they could not be kept, and then that is
    said."""
    return await kept(here, staged.stage(edits))


async def kept(here: Place, staging: Awaitable[None]) -> bool:
    """Await that something is staged; False where it could not be kept, and then that is said."""
    try:
        await staging
    except StagedElsewhereError:
        here.tell(ELSEWHERE, "warn")
        return False
    except OSError as error:
        here.tell(f"Not staged: {error.strerror or error}.", "bad")
        return False
    return True


class SourceEditor:
    """Lets a person write the text of a page of a change request, in $EDITOR or in a field.

    What is written is kept on this machine until `forget`: the next time goes on with it.
    """

    def __init__(self, here: Place, space: str, request: str) -> None:
        self._here, self._ids = here, (space, request)

    async def write(self, page: str, edit: PageEdit, line: int = 0) -> PageEdit | None:
        """Return an edit with the text as it was written, from a line of its Markdown on.

        None where it is kept for later, or could not be written, which is said then.
        """
        front = edit.text.count("\n") - body_of(edit.text).count("\n")
        try:
            text = await edit_file(
                self._here.desk, self._file(page, edit), edit.text,
                partial(self._in_field, page, clean(edit.named), max(0, line - 1) + front),
                line and line + front,
            )  # fmt: skip
        except EditorError as error:
            self._here.tell(str(error), "warn")
        except OSError as error:
            self._here.tell(f"Not staged: {error.strerror or error}.", "bad")
        else:
            return None if text is None else replace(edit, text=text)
        return None

    async def _in_field(
        self, page: str, title: str, begins: int, text: str, why: str
    ) -> str | None:
        """Return a text as it was typed here, from a line (from 0) on; None where it is kept."""
        end = "\r\n" if "\r\n" in text else "\n"
        lines = text.replace("\r\n", "\n")
        if typed(lines, lines=True) != lines or lines.replace("\n", end) != text:
            raise EditorError("A sign in it is shown by no field here: set $EDITOR to edit it.")
        sheet = WriteSheet(
            f"Edit {title}", source_key(*self._ids, page), text=lines, why=why, verb="stages it",
            begins=begins, exact=True,
        )  # fmt: skip
        found = cast("str | None", await self._here.desk.push_screen_wait(sheet))
        return None if found is None else found.replace("\n", end)

    def _file(self, page: str, edit: PageEdit) -> Path:
        return self._here.session.staged.editor_file(*self._ids, page, edit.base_text)

    def forget(self, page: str, edit: PageEdit) -> None:
        """Drop what was written, now that it is staged."""
        self._here.session.drafts.drop(source_key(*self._ids, page))
        drop_file(self._file(page, edit))


def why_not_sent(edit: PageEdit) -> str:
    """Return what is wrong with the settings of a text, so that it cannot be sent; "" for none."""
    try:
        if edit.kind == "insert":
            check_slug(edit.text)
        else:
            check_slug(edit.text, edit.base_text)
    except FileError as error:
        return clean(str(error), limit=160)
    return ""

"""``copydesk cr diff``: what a change request changes, by word for people or as a patch for git."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copydesk.cli.connection import OWN, Service
from copydesk.cli.cr import Found, run_on
from copydesk.cli.embedded import open_store
from copydesk.cli.errors import DONE, FAILED, UsageError, kept_state, say
from copydesk.cli.lookup import Wanted
from copydesk.cli.output import put, put_bytes, put_json
from copydesk.cli.terminal import is_terminal
from copydesk.domain.git_patch import Side, file_patch
from copydesk.domain.profile import EMBEDDED
from copydesk.domain.text import exposed, plural
from copydesk.local.marks import DeskSnoozes
from copydesk.present.page_changes import entries, in_order, place_of, sign
from copydesk.session.operations import ops

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.content import ContentPage
    from copydesk.domain.page_text import PageText
    from copydesk.present.diff import DiffLine
    from copydesk.server.export_patch import ChangedFile
    from copydesk.session.page_changes import ReviewChange
    from copydesk.session.reads.review import OpenedRequest

ONLY_TEXT = (
    "This service gives nothing but the text of a page: front matter, SUMMARY.md and other files "
    "are not in the patch."
)


def show_diff(
    *,
    wanted: Wanted,
    patch: bool = False,
    as_json: bool = False,
    service: Service = OWN,
) -> int:
    """Print what a change request changes: the words of each page, or a ``patch``.

    A patch is about the files of the space since the request began, and ``git apply`` takes it: of
    an embedded desk as it exports them, of a service as far as it tells them, which is the Markdown
    of the pages.
    """
    from copydesk.session.reads.review import read_request

    async def show(api: Api, found: Found) -> int:
        given, there = found
        opened = await read_request(api, there.id, given.id)
        changes = in_order(entries(opened.pages, opened.changes))
        if not changes:
            say(f"#{given.number} changes no pages.")
        if not patch and not as_json:
            await _put_words(api, opened, changes)
            with suppress(OSError):  # what was read is known, for a review or a merge
                DeskSnoozes(kept_state(), connection.key).look(given.id, api.now, given.revision)
            return DONE
        if connection.profile == EMBEDDED:
            patches = await asyncio.to_thread(_exported, service.desk, given.id, changes)
        else:
            patches = await told_patches(api, opened, changes)
        if as_json:
            put_json([_value(*each) for each in patches])
        else:
            put_patch(b"".join(patch for _, patch in patches))
            if patches and connection.profile != EMBEDDED:
                say(ONLY_TEXT)
        return DONE

    connection = service.connection()
    return run_on(connection, wanted, show)


# By word


async def _put_words(api: Api, opened: OpenedRequest, changes: Sequence[ReviewChange]) -> None:
    """Print what changes in pages, each as soon as it and those before it are read."""
    from copydesk.present.diff import rows
    from copydesk.session.reads.review import read_page

    reading = [asyncio.create_task(read_page(api, opened, each)) for each in changes]
    try:
        for nth, change in enumerate(changes):
            page = await reading[nth]
            if nth:
                put("")
            put(f"{sign(change)[0]} {place_of(change) or '(untitled)'}", "strong")
            for row in rows(page, all_lines=False):
                _put_row(page, row)
    finally:
        for each in reading:
            each.cancel()
        await asyncio.gather(*reading, return_exceptions=True)


def _put_row(page: PageText, row: DiffLine) -> None:
    from copydesk.present.diff import moved_from, moved_to

    if row.kind == "note":
        put(f"  -- {page.notes[row.at]}")
        return
    if row.kind == "fold":
        put(f"  … {page.diff.sentence(row.at, row.stop)}")
        return
    page.diff.find_words(row.at)
    line = page.diff[row.at]
    if line.move is not None and line.kind in ("from", "to"):
        put(f"  -- {moved_from(line.move) if line.kind == 'from' else moved_to(line.move)}")
        return
    mark, tone = {"added": ("+", "good"), "removed": ("-", "bad"), "moved": (">", "")}.get(
        line.kind, (" ", "")
    )
    around = {"removed": ("[-", "-]"), "added": ("{+", "+}"), "same": ("", "")}
    said = (f"{around[kind][0]}{text}{around[kind][1]}" for text, kind in line.marks)
    put(f"{mark} {''.join(said) if line.marks else line.text}".rstrip(), tone)


# As a patch

Patches = list[tuple["ReviewChange | ChangedFile", bytes]]
"""A change with its patch; a file that the service does not tell is there by its path."""


def _exported(desk: Path | None, request_id: str, changes: Sequence[ReviewChange]) -> Patches:
    """Return what changes in the files of a space, as the embedded desk exports it."""
    from copydesk.server.export_patch import changed_files

    store = open_store(desk, fill=False, make=False, reads=True)
    try:
        files = changed_files(store, request_id)
    finally:
        store.close()
    # A page has two of them where its file went, and it is now in a file of another page.
    left = {(True, each.page) if each.page else (False, each.path): each for each in files}
    found: Patches = []
    for change in changes:
        each = left.pop((False, change.node.title) if change.file else (True, change.id), None)
        found.append((change, b"" if each is None else each.patch))
        if each is not None:
            files.remove(each)
    return [*found, *((each, each.patch) for each in files)]


async def told_patches(api: Api, opened: OpenedRequest, changes: Sequence[ReviewChange]) -> Patches:
    """Return what changes in the texts of pages, as a service tells them."""
    number = opened.request.number
    if opened.untold:
        raise UsageError(
            f"#{number} is merged, and this service keeps no older versions: there is no patch",
            FAILED,
        )
    if lost := [change for change in changes if opened.lost(change)]:
        raise UsageError(
            f"main has changed {plural(len(lost), 'page')} of #{number} too, and the service does "
            "not tell what they said before: update it (U in its review), then there is a patch",
            FAILED,
        )
    patches = await asyncio.gather(*(_patch_of(api, opened, change) for change in changes))
    return list(zip(changes, patches, strict=True))


async def _patch_of(api: Api, opened: OpenedRequest, change: ReviewChange) -> bytes:
    """Return the patch of one page; empty where its Markdown and its path stay the same."""
    if change.thing:
        return b""
    space, page = opened.space.id, change.id

    async def before() -> ContentPage | None:
        if change.before is None:
            return None
        if opened.base is not None:
            return await api(ops.get_revision_page, space, opened.base, page, format="markdown")
        # None where it was removed from main since.
        return await api.find(ops.get_space_page, space, page, format="markdown")

    async def after() -> ContentPage | None:
        if change.after is None:
            return None
        of = space, opened.request.id, page
        return await api(ops.get_change_request_page, *of, format="markdown")

    was, now = await asyncio.gather(before(), after())
    return b"".join(file_patch(_side(was, was), _side(now, was)))


def _side(page: ContentPage | None, before: ContentPage | None) -> Side:
    """Return a page as a file. A page that has not moved has the file that it had before."""
    if page is None or page.type != "document":
        return Side("", None)
    git = page.git.path if page.git is not None else None
    if before is not None and page.path == before.path and before.git is not None:
        git = before.git.path or git
    name = git or f"{page.path or page.slug or page.id}.md"
    parts = [part for part in name.split("/") if part not in ("", ".", "..")]
    return Side(
        "/".join(parts) or f"{page.id}.md", (page.markdown or "").encode("utf-8", "surrogatepass")
    )


def put_patch(patch: bytes) -> None:
    """Print a patch: exactly for git; on a terminal with what nobody would see, as a review is."""
    if not patch:
        return
    if is_terminal(sys.stdout):
        for line in patch.decode("utf-8", "replace").removesuffix("\n").split("\n"):
            shown = exposed(line.replace("\r", "<U+000D>"))
            put(shown, {"+": "good", "-": "bad"}.get(line[:1], ""))
    else:
        put_bytes(patch)


def _value(change: ReviewChange | ChangedFile, patch: bytes) -> dict[str, Any]:
    from copydesk.session.page_changes import FILE, ReviewChange, page_notes

    shown = {"patch": patch.decode("utf-8", "replace")}
    if not isinstance(change, ReviewChange):
        named = {"title": change.path, "path": change.path}
        return {"object": "file", **named, "kinds": list(change.kinds), **shown}
    return {
        "id": change.id.removeprefix(FILE),
        "object": change.thing.replace(" ", "-") or "page",
        "title": change.node.title,
        "path": change.node.path,
        "kinds": list(change.kinds),
        "notes": page_notes(change),
        **shown,
    }

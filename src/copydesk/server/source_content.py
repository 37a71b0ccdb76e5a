"""Between a documentation repository's values and the desk's content, losing nothing either way."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from copydesk.server import content
from copydesk.server.content import Content, Draft, FileData, PageData
from copydesk.server.desk_writes import Editor
from copydesk.server.sources.model import (
    MAX_FILE,
    Blob,
    FileRole,
    SourceError,
    SourceFile,
    SourcePage,
    SourceSpace,
    walk,
)
from copydesk.server.sources.page_paths import placed
from copydesk.server.store import Row, Tx

_KIND_OF_ROLE: Mapping[FileRole, str] = {
    "asset": "file",
    "summary": "summary",
    "config": "source",
    "unlisted": "source",
    "other": "source",
}

AT_ONCE = 50
"""So many texts and files are stored in one transaction."""

Stored: TypeAlias = dict[str, tuple[str, int]]
"""The blobs of files that were read before, with their sizes, by git's id of the bytes."""


def fill(editor: Editor, space: SourceSpace, stored: Stored) -> None:
    """Make an edit leave exactly what a source holds; pages keep their ids by their keys.

    Files whose bytes are ``stored`` already are not read again: most are the same from state to
    state, and they can be large. Raises ``SourceError`` for a file that is too large for a desk.
    """
    known: dict[str, str] = {
        row["source_key"]: row["id"]
        for row in editor.tx.all(
            "SELECT id, source_key FROM page WHERE space_id = ? AND source_key IS NOT NULL",
            editor.space_id,
        )
    }
    editor.draft = Draft()
    _add_pages(editor, space.pages, None, known)
    for file in space.files:
        blob, size = _put_file(editor.tx, file, stored)
        editor.stored_file(
            file.path,
            blob,
            size,
            content_type=file.content_type,
            kind=_KIND_OF_ROLE[file.role],
            git_oid=file.oid,
        )


def _put_file(tx: Tx, file: SourceFile, stored: Stored) -> tuple[str, int]:
    """Store the bytes of a file, unless they are; return their hash and their number."""
    if file.oid not in stored:
        data = file.read()
        if len(data) > MAX_FILE:
            raise SourceError(
                f"{file.path} is larger than 1 GB; no desk keeps that. "
                "Take it out of the repository, or import a branch or a folder without it."
            )
        stored[file.oid] = content.put_blob(tx, data), len(data)
    return stored[file.oid]


def store_ahead(write: Callable[[Callable[[Tx], None]], None], space: SourceSpace) -> Stored:
    """Store the texts and files of a source a few at a time, before they are made content.

    So nobody else who writes has to wait for all of them. Texts are stored by their hash: one that
    is not made content after all is found there the next time.
    """
    stored: Stored = {}
    texts = [page.markdown for page in space.walk() if page.type == "document"]
    files = space.files
    for at in range(0, max(len(texts), len(files)), AT_ONCE):

        def put(tx: Tx, at: int = at) -> None:
            for text in texts[at : at + AT_ONCE]:
                content.put_text(tx, text)
            for file in files[at : at + AT_ONCE]:
                _put_file(tx, file, stored)

        write(put)
    return stored


def still_stored(tx: Tx, stored: Stored) -> Stored:
    """Return the files of `store_ahead` that are there yet, to be called where they are made
    content.

    Nothing names them until then: a space that is removed meanwhile takes along what it had too.
    """
    return {
        oid: (blob, size)
        for oid, (blob, size) in stored.items()
        if tx.one("SELECT 1 FROM blob WHERE hash = ?", blob) is not None
    }


def filled(space: SourceSpace, stored: Stored | None = None) -> Callable[[Editor], None]:
    """Return the edit that leaves what a source holds; see ``fill``."""
    return lambda editor: fill(editor, space, {} if stored is None else stored)


def _add_pages(
    editor: Editor, pages: tuple[SourcePage, ...], parent: str | None, known: dict[str, str]
) -> None:
    for page in pages:
        page_id = known.get(page.key)
        if page_id is None or page_id in editor.draft.pages:
            page_id = content.new_page_id(editor.tx, editor.space_id, page.key)
            known[page.key] = page_id
        editor.draft.add(_page_data(editor.tx, page_id, page), parent)
        _add_pages(editor, page.children, page_id, known)


def _page_data(tx: Tx, page_id: str, page: SourcePage) -> PageData:
    cover: dict[str, Any] | None = None
    if page.cover is not None:
        cover = {"ref": {"kind": "url", "url": page.cover}}
        if page.cover_y is not None:
            cover["yPos"] = page.cover_y
    return PageData(
        id=page_id,
        type=page.type,
        text=content.put_text(tx, page.markdown) if page.type == "document" else None,
        layout=dict(page.layout) or None,
        cover=cover,
        front_matter=page.front_matter or None,
        git_path=page.source_path,
        git_oid=page.oid,
        **_alike(page),
    )


def source_space(tx: Tx, space: Row, stored: Content, remembered: Mapping[str, Any]) -> SourceSpace:
    """Return stored content of a space as a documentation repository holds it.

    ``remembered`` says in which ``folder`` that is, and where its ``summary``.
    """
    draft = content.open_draft(tx, stored)
    keys = {
        row["id"]: row["source_key"]
        for row in tx.all("SELECT id, source_key FROM page WHERE space_id = ?", space["id"])
    }
    return SourceSpace(
        title=space["title"],
        folder=remembered.get("folder", ""),
        pages=_source_pages(
            draft, lambda page: keys.get(page.id) or page.id, lambda text: content.text(tx, text)
        ),
        files=tuple(_source_file(tx, file) for file in stored.files),
        summary_path=remembered.get("summary"),
    )


def page_files(tx: Tx, space_id: str, draft: Draft) -> dict[str, str]:
    """Return the file that each document of a space's content is exported to, by the page's id."""
    if all(page.git_path or page.type != "document" for page in draft.pages.values()):
        return {page.id: page.git_path for page in draft.pages.values() if page.git_path}
    remembered = source_of(tx.row("space", space_id))
    space = SourceSpace(
        title="",
        folder=remembered.get("folder", ""),
        summary_path=remembered.get("summary"),
        pages=_source_pages(draft, lambda page: page.id, lambda _text: ""),
        files=tuple(_source_file(tx, file) for file in draft.files.values()),
    )
    return files_of(space)


def files_of(space: SourceSpace) -> dict[str, str]:
    """Return the file of each document of a space, by the page's key."""
    return {page.key: page.source_path for page in walk(placed(space)) if page.source_path}


def _source_pages(
    draft: Draft, key: Callable[[PageData], str], text: Callable[[str | None], str]
) -> tuple[SourcePage, ...]:
    paths = content.paths(draft)

    def pages(parent: str | None) -> tuple[SourcePage, ...]:
        found = [(draft.pages[page], pages(page)) for page in draft.children.get(parent, ())]
        return tuple(
            _source_page(page, paths[page.id], key(page), text(page.text), below)
            for page, below in found
        )

    return pages(None)


def _source_page(
    page: PageData, path: str, key: str, text: str, children: tuple[SourcePage, ...]
) -> SourcePage:
    cover = page.cover or {}
    return SourcePage(
        key=key,
        path=path,
        type="group" if page.type == "group" else "link" if page.type == "link" else "document",
        source_path=page.git_path,
        oid=page.git_oid,
        front_matter=page.front_matter or "",
        markdown=text,
        cover=cover.get("ref", {}).get("url"),
        cover_y=cover.get("yPos"),
        layout=page.layout or {},
        children=children,
        **_alike(page),
    )


def _alike(page: SourcePage | PageData) -> dict[str, Any]:
    """Return what a page is called and says alike in a source and on a desk."""
    names = ("title", "slug", "href", "description", "emoji", "icon", "hidden")
    return {name: getattr(page, name) for name in (*names, "no_index", "no_robots_index")}


def _source_file(tx: Tx, file: FileData) -> SourceFile:
    role: FileRole = (
        "asset" if file.kind == "file" else "summary" if file.kind == "summary" else "other"
    )
    return SourceFile(
        key=file.path,
        path=file.path,
        name=file.name,
        content_type=file.content_type,
        role=role,
        blob=Blob(lambda: content.blob(tx, file.blob), file.git_oid),
    )


def source_of(row: Any) -> dict[str, Any]:
    """Return what a space remembers of where it was imported from; empty when it was not."""
    return json.loads(row["source"]) if row["source"] else {}

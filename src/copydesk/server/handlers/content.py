"""Content of spaces and change requests.

No page of this desk is computed from something else, so ``computed`` changes nothing.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from copydesk.contract import operations as ops
from copydesk.contract.enumerations import ContentFormat
from copydesk.contract.models.base import Page
from copydesk.contract.models.content import ContentPage, File, GitCommit, PageTree, Revision
from copydesk.contract.models.parts import Urls
from copydesk.domain.documents import MARKS_OF_A_PAGE, markdown_to_document
from copydesk.server import content, substitution
from copydesk.server.content import FileData
from copydesk.server.errors import not_found
from copydesk.server.implementation import Call, implements_on_branch, implements_on_space
from copydesk.server.pagination import slice_page
from copydesk.server.queries.change_request import find_change_request
from copydesk.server.queries.file import file_model, find_file, revision_files
from copydesk.server.queries.page import page_subtree, page_tree


@dataclass(frozen=True)
class _Version:
    """One state of a space's content: its revision, and the URL that it is read at."""

    call: Call
    space_id: str
    revision_id: str
    location: str

    def revision(self, *, metadata: bool) -> Revision:
        call = self.call
        row = call.tx.row("revision", self.revision_id)
        held = content.load(call.tx, self.revision_id)
        git = None if row["git"] is None or not metadata else GitCommit(**json.loads(row["git"]))
        return Revision(
            id=row["id"],
            parents=json.loads(row["parents"]),
            pages=self.pages(metadata=metadata).pages,
            files=[
                self.file_model(file, metadata=metadata)
                for file in revision_files(call, self.revision_id)
            ],
            created_at=row["created_at"],
            reusable_contents=substitution.reusable_contents(call.tx, held, metadata=metadata),
            variables=substitution.space_variables(call.tx, held),
            git=git,
            urls=Urls(location=self.location),
            type=row["type"],
        )

    def pages(self, *, metadata: bool) -> PageTree:
        return PageTree(
            pages=page_tree(self.call, self.revision_id, location=self.location, metadata=metadata)
        )

    def file_model(self, file: FileData, *, metadata: bool) -> File:
        return file_model(self.call, self.space_id, self.revision_id, file, metadata=metadata)


def _primary(call: Call, space_id: str) -> _Version:
    space = call.access.space(space_id)
    location = call.url("spaces", space_id, "content")
    return _Version(call, space_id, space["revision_id"], location)


def _proposed(call: Call, space_id: str, change_request_id: str) -> _Version:
    _, row = find_change_request(call, space_id, change_request_id)
    location = call.url("spaces", space_id, "change-requests", row["id"], "content")
    return _Version(call, space_id, row["revision_id"], location)


def _recorded(call: Call, space_id: str, revision_id: str) -> _Version:
    # Who may read a space may read its change requests too, which is where the others come from.
    call.access.space(space_id)
    row = call.tx.one("SELECT space_id FROM revision WHERE id = ?", revision_id)
    if row is None or row["space_id"] != space_id:
        raise not_found("revision", revision_id)
    location = call.url("spaces", space_id, "revisions", revision_id)
    return _Version(call, space_id, revision_id, location)


@implements_on_space(ops.get_space_revision, _primary)
@implements_on_branch(ops.get_change_request_revision, _proposed)
@implements_on_branch(ops.get_revision, _recorded)
def get_revision(
    call: Call, version: _Version, *, metadata: bool = True, computed: bool = True
) -> Revision:
    return version.revision(metadata=metadata)


@implements_on_space(ops.list_space_pages, _primary)
@implements_on_branch(ops.list_change_request_pages, _proposed)
def list_pages(
    call: Call, version: _Version, *, metadata: bool = True, computed: bool = True
) -> PageTree:
    return version.pages(metadata=metadata)


@implements_on_space(ops.list_space_files, _primary)
@implements_on_branch(ops.list_change_request_files, _proposed)
def list_files(
    call: Call,
    version: _Version,
    *,
    page: str | None = None,
    limit: int | None = None,
    metadata: bool = True,
    computed: bool = True,
) -> Page[File]:
    """Answer with the files by path."""
    chosen = slice_page(
        revision_files(call, version.revision_id),
        lambda file: file.id,
        page=page,
        limit=limit,
    )
    return Page[File](
        items=[version.file_model(file, metadata=metadata) for file in chosen.items],
        next=chosen.next,
        count=chosen.count,
    )


@implements_on_space(ops.get_space_file, _primary)
@implements_on_branch(ops.get_change_request_file, _proposed)
def get_file(
    call: Call, version: _Version, file_id: str, *, metadata: bool = True, computed: bool = True
) -> File:
    file = find_file(call, version.revision_id, file_id)
    return version.file_model(file, metadata=metadata)


@implements_on_space(ops.get_space_page, _primary)
@implements_on_branch(ops.get_change_request_page, _proposed)
@implements_on_branch(ops.get_revision_page, _recorded)
def get_page(
    call: Call,
    version: _Version,
    page_id: str,
    *,
    format: ContentFormat | None = None,
    evaluated: bool | Literal["deterministic-only"] = False,
    dereferenced: bool | Literal["reusable-contents"] = False,
    metadata: bool = True,
    computed: bool = True,
) -> ContentPage:
    """Answer with a page and its text; ``document`` is the format when none is asked for.

    All that a text refers to and all its expressions are known to the desk, so that the values
    that ask for a part of it ask for everything there is.
    """
    page, data = page_subtree(
        call, version.revision_id, page_id, location=version.location, metadata=metadata
    )
    if data.text is not None:
        tx = call.tx
        text = content.text(tx, data.text)
        held = content.load(tx, version.revision_id) if evaluated or dereferenced else None
        if held and dereferenced:
            text = substitution.dereferenced(tx, held, data, text)
        if held and evaluated:
            text = substitution.evaluated(text, substitution.space_variables(tx, held), data)
        if format == "markdown":
            page.markdown = text
        else:
            page.document = markdown_to_document(text, MARKS_OF_A_PAGE)
    return page

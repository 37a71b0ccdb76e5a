"""Content of spaces and change requests.

No page of this desk is computed from something else, so ``computed`` changes nothing.
"""

from __future__ import annotations

import json
from typing import Literal, TypeAlias, Unpack

from copydesk.contract import operations as ops
from copydesk.contract.content import AsText, PageOfShown, Shown
from copydesk.contract.models.base import Page, ShownUrls
from copydesk.contract.models.change_request import ChangeRequest, Changes
from copydesk.contract.models.content import (
    ContentPage,
    File,
    GitCommit,
    PageTree,
    ReusableContent,
    Revision,
)
from copydesk.contract.models.content_update import ContentAtUrl
from copydesk.domain.address import APP, Address, parse_app_url
from copydesk.domain.documents import MARKS_OF_A_PAGE, markdown_to_document
from copydesk.domain.late_dataclass import dataclass
from copydesk.server import content, substitution
from copydesk.server.changes import changes_between, limited_changes
from copydesk.server.content import FileData
from copydesk.server.errors import Refusal, not_found
from copydesk.server.implementation import (
    Call,
    implements,
    implements_on_branch,
    implements_on_space,
)
from copydesk.server.pagination import slice_page
from copydesk.server.queries.change_request import (
    change_request_model,
    change_request_screen,
    find_change_request,
)
from copydesk.server.queries.collection import collection_model
from copydesk.server.queries.file import file_model, find_file, revision_files
from copydesk.server.queries.link import LinkReader
from copydesk.server.queries.page import find_page_by_path, page_subtree, page_tree
from copydesk.server.queries.space import space_model, space_screen
from copydesk.server.queries.user import user_by_id
from copydesk.server.store import Row

Refs: TypeAlias = Literal["relative", "stable"]


@dataclass(frozen=True)
class _Version:
    """One state of a space's content: its revision, where it is read, and where it is shown."""

    call: Call
    space_id: str
    revision_id: str
    location: str
    screen: str

    def revision(self, *, metadata: bool) -> Revision:
        call = self.call
        row = call.tx.row("revision", self.revision_id)
        author = row["author_id"]
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
            urls=ShownUrls(location=self.location, app=self.screen),
            type=row["type"],
            tags=[],
            merged_from=merged_as(call, row),
            created_by=None if author is None else user_by_id(call, author),
        )

    def pages(self, *, metadata: bool) -> PageTree:
        return PageTree(
            pages=page_tree(
                self.call,
                content.load(self.call.tx, self.revision_id),
                location=self.location,
                screen=self.screen,
                metadata=metadata,
            )
        )

    def file_model(self, file: FileData, *, metadata: bool) -> File:
        return file_model(self.call, self.space_id, self.revision_id, file, metadata=metadata)


def merged_as(call: Call, revision: Row) -> ChangeRequest | None:
    """Return the change request that a revision merged, if it did."""
    row = call.tx.get(
        "change_request", revision_merged=revision["id"], space_id=revision["space_id"]
    )
    if row is None:
        return None
    return change_request_model(call, call.tx.row("space", row["space_id"]), row)


def _primary(call: Call, space_id: str) -> _Version:
    space = call.access.space(space_id)
    location = call.url("spaces", space_id, "content")
    return _Version(call, space_id, space["revision_id"], location, space_screen(call, space))


def _proposed(call: Call, space_id: str, change_request_id: str) -> _Version:
    _, row = find_change_request(call, space_id, change_request_id)
    location = call.url("spaces", space_id, "change-requests", row["id"], "content")
    screen = change_request_screen(call, row)
    return _Version(call, space_id, row["revision_id"], location, screen)


def _recorded(call: Call, space_id: str, revision_id: str) -> _Version:
    # Who may read a space may read its change requests too, which is where the others come from.
    space = call.access.space(space_id)
    row = call.tx.one("SELECT space_id FROM revision WHERE id = ?", revision_id)
    if row is None or row["space_id"] != space_id:
        raise not_found("revision", revision_id)
    location = call.url("spaces", space_id, "revisions", revision_id)
    screen = f"{space_screen(call, space)}/~/revisions/{revision_id}"
    return _Version(call, space_id, revision_id, location, screen)


@implements_on_space(ops.get_space_revision, _primary)
@implements_on_branch(ops.get_change_request_revision, _proposed)
@implements_on_branch(ops.get_revision, _recorded)
def get_revision(call: Call, version: _Version, **shown: Unpack[Shown]) -> Revision:
    return version.revision(metadata=shown["metadata"])


@implements_on_space(ops.list_space_pages, _primary)
@implements_on_branch(ops.list_change_request_pages, _proposed)
@implements_on_branch(ops.list_revision_pages, _recorded)
def list_pages(call: Call, version: _Version, **shown: Unpack[Shown]) -> PageTree:
    return version.pages(metadata=shown["metadata"])


@implements_on_space(ops.list_space_files, _primary)
@implements_on_branch(ops.list_change_request_files, _proposed)
@implements_on_branch(ops.list_revision_files, _recorded)
def list_files(call: Call, version: _Version, **shown: Unpack[PageOfShown]) -> Page[File]:
    chosen = slice_page(revision_files(call, version.revision_id), lambda file: file.id, shown)
    return Page[File](
        items=[version.file_model(file, metadata=shown["metadata"]) for file in chosen.items],
        next=chosen.next,
        count=chosen.count,
    )


@implements_on_space(ops.get_space_file, _primary)
@implements_on_branch(ops.get_change_request_file, _proposed)
@implements_on_branch(ops.get_revision_file, _recorded)
def get_file(call: Call, version: _Version, file_id: str, **shown: Unpack[Shown]) -> File:
    file = find_file(call, version.revision_id, file_id)
    return version.file_model(file, metadata=shown["metadata"])


@implements_on_space(ops.get_space_reusable_content, _primary)
@implements_on_branch(ops.get_change_request_reusable_content, _proposed)
@implements_on_branch(ops.get_revision_reusable_content, _recorded)
def get_reusable_content(
    call: Call, version: _Version, reusable_content_id: str, **shown: Unpack[Shown]
) -> ReusableContent:
    held = content.load(call.tx, version.revision_id)
    return substitution.find_reusable_content(
        call.tx, held, reusable_content_id, metadata=shown["metadata"]
    )


@implements(ops.get_revision_changes)
def get_revision_changes(
    call: Call, space_id: str, revision_id: str, *, limit: int | None = None, **shown: Unpack[Shown]
) -> Changes:
    """Answer with what a revision changes in its first parent; without one, with all that it has.

    The limit is that of a change request's changes.
    """
    _recorded(call, space_id, revision_id)
    row = call.tx.row("revision", revision_id)
    parent = next(iter(json.loads(row["parents"])), None)
    found = changes_between(call.tx, parent, revision_id)
    downloads = f"{call.base_url}/files/{space_id}"
    told = limited_changes(found, limit, downloads, parent, revision_id)
    return told.model_copy(update={"merged_from": merged_as(call, row)})


@implements_on_space(ops.get_space_page, _primary)
@implements_on_branch(ops.get_change_request_page, _proposed)
def get_page(call: Call, version: _Version, page_id: str, **text: Unpack[AsText]) -> ContentPage:
    """Answer with a page and its text; ``document`` is the format when none is asked for.

    All that a text refers to and all its expressions are known to the desk, so that the values
    that ask for a part of it ask for everything there is.
    """
    return _page(version, page_id, text)


@implements_on_branch(ops.get_revision_page, _recorded)
def get_revision_page(
    call: Call, version: _Version, page_id: str, *, refs: Refs = "relative", **text: Unpack[AsText]
) -> ContentPage:
    return _page(version, page_id, text, by_ids=refs == "stable")


@implements_on_space(ops.get_space_page_by_path, _primary)
@implements_on_branch(ops.get_change_request_page_by_path, _proposed)
def get_page_by_path(
    call: Call,
    version: _Version,
    page_path: str,
    *,
    refs: Refs = "relative",
    cached_metadata: bool = False,
    **text: Unpack[AsText],
) -> ContentPage:
    """Answer with the page at a path; nothing is cached, so ``cached_metadata`` changes nothing."""
    page_id = find_page_by_path(call, version.revision_id, page_path)
    return _page(version, page_id, text, by_ids=refs == "stable")


def _page(version: _Version, page_id: str, how: AsText, *, by_ids: bool = False) -> ContentPage:
    """Return a page; with ``by_ids`` its Markdown names by their ids what it links to."""
    call, tx = version.call, version.call.tx
    page, data = page_subtree(
        call,
        version.revision_id,
        page_id,
        location=version.location,
        screen=version.screen,
        metadata=how["metadata"],
    )
    if data.text is not None:
        text = content.text(tx, data.text)
        if how["dereferenced"] or how["evaluated"]:
            held = content.load(tx, version.revision_id)
            if how["dereferenced"]:
                text = substitution.dereferenced(tx, held, data, text)
            if how["evaluated"]:
                text = substitution.evaluated(text, substitution.space_variables(tx, held), data)
        if how["format"] != "markdown":
            page.document = markdown_to_document(text, MARKS_OF_A_PAGE)
        elif by_ids:
            reader = LinkReader(call, version.space_id, version.revision_id)
            page.markdown = reader.by_ids(page_id, text)
        else:
            page.markdown = text
    return page


@implements(ops.get_content_by_url)
def get_content_by_url(call: Call, *, url: str) -> ContentAtUrl:
    """Answer with the object at an address of this desk; one the caller may not see is a 404."""
    pointed = parse_app_url(url) if url.startswith(f"{call.base_url}{APP}/") else None
    try:
        if pointed is not None and pointed.collection is not None:
            row = call.access.collection(pointed.collection)
            return ContentAtUrl(collection=collection_model(call, row))
        if pointed is not None and pointed.space is not None:
            return _at_space(call, pointed, call.access.space(pointed.space))
    except Refusal as refusal:
        if refusal.status != 404:
            raise
    raise not_found("content at", url)


def _at_space(call: Call, pointed: Address, space: Row) -> ContentAtUrl:
    found = ContentAtUrl(space=space_model(call, space))
    version = _primary(call, space["id"])
    if pointed.revision is not None:
        version = _recorded(call, space["id"], pointed.revision)
    elif pointed.change_request is not None:
        _, row = find_change_request(call, space["id"], pointed.change_request)
        found.change_request = change_request_model(call, space, row)
        version = _proposed(call, space["id"], row["id"])
    if pointed.page is not None:
        page_id = find_page_by_path(call, version.revision_id, pointed.page)
        found.page, _ = page_subtree(
            call,
            version.revision_id,
            page_id,
            location=version.location,
            screen=version.screen,
            metadata=True,
        )
    return found

"""Files of a space or of a change request, and the pages that use one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING

from textual.widget import Widget

from copydesk.domain.address import web_address
from copydesk.domain.text import clean, plural, shown_subject, size_words
from copydesk.present.raw_json import Raw
from copydesk.session.errors import with_key
from copydesk.session.operations import ops
from copydesk.session.target import Target
from copydesk.tui.content.links import backlink_key, backlink_space, backlink_title
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.source import ListSource
from copydesk.tui.resource.place import REST_SECONDS, ResourcePlace
from copydesk.tui.resource.resource import Facet, ListQuery, Resource
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.content import File
    from copydesk.contract.models.link import Backlink
    from copydesk.session.target import Target


async def _files(api: Api, target: Target, asked: ListQuery) -> Page[File]:
    space, request = target.space or "", target.change_request
    if request is None:
        return await api.page(ops.list_space_files, space, metadata=False, **asked.paging)
    return await api.page(
        ops.list_change_request_files, space, request, metadata=False, **asked.paging
    )


def _dimensions(file: File, now: datetime) -> str | None:
    of = file.dimensions
    if of is None or of.width is None or of.height is None:
        return None
    return f"{of.width:g} by {of.height:g} pixels"


def _exact(file: File, now: datetime) -> list[tuple[str, str]]:
    return [("bytes", f"{file.size:,}")] if file.size is not None and file.size >= 1000 else []


FILES: Resource[File] = Resource(
    noun="file",
    title="Files",
    pages=_files,
    key=lambda file: file.id,
    label=lambda file: file.name,
    shown=(
        Facet("name", "NAME", lambda file, now: file.name, flex=1, minimum=20, detail=False,
              sort=lambda file: file.name),
        Facet("type", "TYPE", lambda file, now: file.content_type, 24, drop=2,
              sort=lambda file: file.content_type),
        Facet("size", "SIZE", lambda file, now: size_words(file.size) or None, 9, align="right",
              drop=1, sort=lambda file: file.size),
        Facet("picture", "PICTURE", _dimensions),
        Facet("id", "ID", lambda file, now: file.id, detail=False),
    ),
    empty="No files yet. Pictures and attachments of pages are listed here.",
    of="space",
    get="get_space_file",
    arguments=lambda target, file: (target.space or "", file.id),
    url=lambda file: web_address(file.download_url) or None,
    copies=lambda file: [("type", file.content_type)],
    more=_exact,
)  # fmt: skip
"""Files, as the service lists them; their contents are never fetched."""


USED_ON = "Used on"
"""What the list is called of the pages that lead to a file or show it."""

UNUSED = "No page uses it."
"""Stands where the pages would."""

MOST = 500
"""So many pages that use one file are listed."""


@place(
    "files",
    key="f",
    title="Files of a space",
    uses=(
        "list_space_files",
        "list_space_file_backlinks",
        "list_change_request_files",
        "list_change_request_file_backlinks",
        "get_space",
        "get_change_request",
    ),
)
class FilesPlace(ResourcePlace["File"], scope="files"):
    """Files, the details of the one under the cursor, and the pages that use it."""

    RESOURCE = FILES
    RAW = ("get_change_request_file",)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._steps: tuple[str, ...] = ()
        """The names of the space and of the change request."""
        self._users: dict[str, tuple[Backlink, ...]] = {}
        """The pages that use files, by file, as they were read last."""

    def within(self) -> Iterable[str]:
        yield from self._steps

    def beside(self) -> Iterable[Widget]:
        yield from super().beside()
        self.users: VirtualList[Backlink] = VirtualList(
            ListSource(key=backlink_key),
            [
                Column("page", "PAGE", lambda link: clean(backlink_title(link)), flex=1),
                Column("space", "SPACE", lambda link: clean(backlink_space(link)), 14, drop=1),
            ],
            title=USED_ON,
            empty="",
            header=False,
            id="users",
        )
        yield self.users

    def reload(self) -> None:
        self._users.clear()
        super().reload()
        space, request = self.target.space, self.target.change_request
        if space is None:
            return

        async def read(api: Api) -> tuple[str, ...]:
            about = clean((await api(ops.get_space, space)).title)
            if request is None:
                return (about,)
            found = await api(ops.get_change_request, space, request)
            return about, f"#{found.number} {shown_subject(found.subject)}"

        def came(steps: tuple[str, ...]) -> None:
            self._steps = steps
            self.refresh_frame()

        self.reads.load("steps", read, came, what="Reading the space")

    def raw(self) -> Raw | None:
        item, space, request = self.item, self.target.space, self.target.change_request
        if item is None or space is None or request is None:
            return super().raw()
        return Raw(f"file {self.label(item)}", "get_change_request_file", (space, request, item.id))

    # The pages that use it

    def show_item(self) -> None:
        super().show_item()
        self.reads.cancel("users")
        item = self.item
        if item is None:
            self._show_users((), "")
            return
        if item.id in self._users and not self.reads.left_behind("users", item.id):
            self._show_users(self._users[item.id], UNUSED)
            return
        self._show_users((), "Reading what uses it…")

        def arrived(found: tuple[Backlink, ...]) -> None:
            self._users[item.id] = found
            self._show_users(found, UNUSED)

        def failed(said: str) -> None:
            self._show_users((), with_key(said))

        self.reads.load(
            "users",
            lambda api: self._read_users(api, item.id),
            arrived,
            what="Reading what uses it",
            of=item.id,
            kept="away",
            failed=failed,
            after=REST_SECONDS,
        )

    async def _read_users(self, api: Api, file: str) -> tuple[Backlink, ...]:
        space, request = self.target.space or "", self.target.change_request
        if request is None:
            found = await api.page(ops.list_space_file_backlinks, space, file, limit=MOST)
        else:
            found = await api.page(
                ops.list_change_request_file_backlinks, space, request, file, limit=MOST
            )
        return tuple(found.items)

    def _show_users(self, found: tuple[Backlink, ...], empty: str) -> None:
        self.users.source.listed.set(found)
        many = "the first " if len(found) == MOST else ""
        self.users.title = f"{USED_ON} {many}{plural(len(found), 'page')}" if found else USED_ON
        self.users.empty = empty
        self.users.retitle()
        self.users.refresh_rows()

    def open_item(self, item: File) -> None:
        self.remove_class("-no-side")
        self.show_pane(self.users)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        if event.list is not self.users:
            super().on_virtual_list_opened(event)
            return
        link = self.users.selected
        if link is None or link.page is None:
            return
        space = link.space.id if link.space is not None else self.target.space
        here = space == self.target.space
        request = self.target.change_request if here else None
        target = Target(self.organization, space, change_request=request, page=link.page.id)
        self.desk.go_soon("pages", target)

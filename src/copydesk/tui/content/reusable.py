"""Reusable content of a space or of a change request: its text, and the pages that use it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.widget import Widget

from copydesk.domain.text import plural, shown_title
from copydesk.present.raw_json import Raw
from copydesk.session.errors import with_key
from copydesk.session.operations import ops
from copydesk.session.target import Target
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part
from copydesk.tui.framework.source import ListSource
from copydesk.tui.resource.place import REST_SECONDS, ResourcePlace
from copydesk.tui.resource.resource import Facet, ListQuery, Resource
from copydesk.tui.widgets.list import Column, VirtualList
from copydesk.tui.widgets.text import TextView

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.content import ReusableContent
    from copydesk.session.reads.reusable import Use, Uses


async def _parts(api: Api, target: Target, asked: ListQuery) -> Page[ReusableContent]:
    from copydesk.contract.models.base import Page
    from copydesk.contract.models.content import ReusableContent
    from copydesk.session.reads.reusable import read_parts

    found = await read_parts(api, target.space or "", target.change_request)
    return Page[ReusableContent].model_construct(items=list(found), next=None, count=len(found))


def _path(part: ReusableContent) -> str | None:
    return part.git.path if part.git is not None else None


REUSABLE: Resource[ReusableContent] = Resource(
    noun="reusable content",
    title="Reusable content",
    pages=_parts,
    key=lambda part: part.id,
    label=lambda part: part.title,
    shown=(
        Facet("title", "TITLE", lambda part, now: part.title or "(untitled)", flex=1, minimum=20,
              detail=False, sort=lambda part: part.title),
        Facet("file", "FILE", lambda part, now: _path(part), flex=1, drop=1, sort=_path),
    ),
    empty="This space has no reusable content: texts that several pages share.",
    of="space",
    get="get_space_reusable_content",
    arguments=lambda target, part: (target.space or "", part.id),
)  # fmt: skip
"""Reusable contents, as a revision has them."""

USED_ON = "Used on"
UNLOOKED = "i reads the pages that use it."
UNUSED = "No page uses it."


class UserList(VirtualList["Use"]):
    """The pages that use a reusable content; they are looked for when somebody goes there."""

    def on_focus(self) -> None:
        """Look for them."""
        if isinstance(self.screen, ReusablePlace):
            self.screen.read_uses()


@place(
    "reusable",
    key="R",
    title="Reusable content of a space",
    uses=("get_space_revision", "get_space_reusable_content", "get_space"),
)
class ReusablePlace(ResourcePlace["ReusableContent"], scope="reusable"):
    """The reusable contents of a space or a change request, and the text of one of them."""

    RESOURCE = REUSABLE
    RAW = ("get_change_request_reusable_content",)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._space_title = ""
        self._uses: Uses | None = None

    def panes(self) -> ComposeResult:
        """The list, the text below it, and who uses it beside them."""
        self.text = TextView(empty="", id="reusable-text")
        _, side = super().panes()
        yield Part("main", self.rows, self.text)
        yield side

    def beside(self) -> Iterable[Widget]:
        self.users: UserList = UserList(
            ListSource(key=lambda use: use.id),
            [
                Column("page", "PAGE", lambda use: use.title, flex=1),
                Column("path", "PATH", lambda use: use.path, 16, drop=1),
            ],
            title=USED_ON,
            empty=UNLOOKED,
            header=False,
            id="users",
        )
        yield self.users
        yield from super().beside()
        self.facts.add_class("drawer-hidden")

    def within(self) -> Iterable[str]:
        if self._space_title:
            yield self._space_title
        if self.target.change_request is not None:
            yield "change request"

    def reload(self) -> None:
        self._uses = None
        super().reload()
        space = self.target.space
        if space is None:
            return

        async def read(api: Api) -> str:
            return shown_title((await api(ops.get_space, space)).title)

        def came(title: str) -> None:
            self._space_title = title
            self.refresh_frame()

        self.reads.load("space", read, came, what="Reading the space")

    def poll(self) -> None:
        """Read nothing: it takes a whole revision, and R reads it when asked."""

    def raw(self) -> Raw | None:
        item, space, request = self.item, self.target.space, self.target.change_request
        if item is None or space is None or request is None:
            return super().raw()
        name = "get_change_request_reusable_content"
        return Raw(f"reusable content {self.label(item)}", name, (space, request, item.id))

    # The text

    def show_item(self) -> None:
        super().show_item()
        self._show_users()
        item = self.item
        self.text.title = self.named(item) if item is not None else "Text"
        self.text.empty = "" if item is None else "Reading…"
        self.text.set_text("")
        if item is None:
            return

        async def read(api: Api) -> str | None:
            from copydesk.session.reads.reusable import read_part

            of = self.target.space or "", self.target.change_request
            return (await read_part(api, *of, item.id)).markdown

        def came(markdown: str | None) -> None:
            from copydesk.session.reads.history import TEXT_UNTOLD

            self.text.empty = TEXT_UNTOLD if markdown is None else "No text."
            self.text.set_text(markdown or "")

        def failed(said: str) -> None:
            self.text.empty = with_key(said)
            self.text.set_text("")

        self.reads.load(
            "text",
            read,
            came,
            what="Reading the text",
            of=item.id,
            failed=failed,
            after=REST_SECONDS,
        )

    # The pages that use it

    def read_uses(self) -> None:
        """Look for the pages that use the listed items, once."""
        if self._uses is not None or self.item is None:
            return
        parts = list(self.rows.source.base.shown())

        def progress(ended: int, known: int) -> None:
            self.users.empty = f"Read {ended} of {plural(known, 'page')}…"
            self.users.refresh_rows()

        async def read(api: Api) -> Uses:
            from copydesk.session.reads.reusable import read_uses

            of = self.target.space or "", self.target.change_request
            return await read_uses(api, *of, parts, progress)

        def came(found: Uses) -> None:
            self._uses = found
            self._show_users()

        def failed(said: str) -> None:
            self.users.say_instead(with_key(said))

        progress(0, 0)
        self.reads.load("uses", read, came, what="Reading what uses it", kept="away", failed=failed)

    def _show_users(self) -> None:
        item, uses = self.item, self._uses
        found: Sequence[Use] = uses.pages.get(item.id, ()) if uses and item else ()
        self.users.source.listed.set(found)
        self.users.title = f"{USED_ON} {plural(len(found), 'page')}" if found else USED_ON
        self.users.note = (
            f"{plural(uses.unread, 'page')} not read" if uses is not None and uses.unread else ""
        )
        self.users.empty = "" if item is None else UNLOOKED if uses is None else UNUSED
        self.users.retitle()
        self.users.refresh_rows()

    def open_item(self, item: ReusableContent) -> None:
        self.show_pane(self.text)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        if event.list is not self.users:
            super().on_virtual_list_opened(event)
            return
        use = self.users.selected
        if use is not None:
            here = self.target.space, self.target.change_request
            target = Target(self.organization, here[0], change_request=here[1], page=use.id)
            self.desk.go_soon("pages", target)

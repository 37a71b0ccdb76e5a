"""The redirects of a site, with their faults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.text import Text
from textual.app import ComposeResult

from copydesk.contract.models.redirect import SiteRedirectUpdate
from copydesk.domain.moments import moment
from copydesk.domain.redirects import SOURCE_RULE, path_on, wrong_source
from copydesk.domain.site_inverses import redirect_changed
from copydesk.domain.sure import sure
from copydesk.domain.text import plural, shorten
from copydesk.present.facts import Fact, hint
from copydesk.session.draft_keys import redirect_key
from copydesk.session.operations import ops
from copydesk.session.options import Option
from copydesk.session.reads.redirects import (
    MISSING,
    RedirectRow,
    RedirectsRead,
    find_way,
    read_redirects,
)
from copydesk.session.target import Target
from copydesk.session.writes.redirects import (
    WrongRedirectError,
    making,
    redirect_body,
    removing,
)
from copydesk.tui.dialogs.dialog import Confirm
from copydesk.tui.dialogs.form import Field, FieldsWrongError, Form
from copydesk.tui.framework.actions import Commands, NoRowYet, NotYet, action, command
from copydesk.tui.framework.commands import DetailsCommands
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import VAST, Part, Place
from copydesk.tui.framework.source import ListSource
from copydesk.tui.resource.page_lines import ELSEWHERE, FIRST, LINES, lines_from
from copydesk.tui.resource.place import HeldItems
from copydesk.tui.resource.resource import Held
from copydesk.tui.sites.redirect_import import ImportCommands
from copydesk.tui.sites.tabs import PublicationCommands, SiteTabs
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.site import Site

READ = ("get_site", "list_site_redirects", "list_site_sections", "list_site_spaces", "get_member",
        "list_space_pages")  # fmt: skip
"""What is sent to read redirects and where they lead."""


def trouble_cell(row: RedirectRow) -> Text:
    """Return the fault of a redirect in a word."""
    return Text(row.trouble.partition(":")[0].replace("leads nowhere", "gone"), style="warn")


def state_cell(row: RedirectRow) -> Text | str:
    """Return whether a redirect holds."""
    return Text("draft", style="warn") if row.draft else "live"


def redirect_facts(row: RedirectRow, now: datetime) -> list[Fact]:
    """Return what to know about a redirect."""
    found = [Fact("from", row.source), Fact("to", row.to)]
    if row.title and row.title != row.to:
        found.append(Fact("title", row.title))
    if row.trouble:
        found.append(Fact("!", Text(row.trouble, style="warn")))
    if row.source.endswith("*"):
        rest = "goes on behind the destination" if row.capture else "is left out"
        found.append(Fact("rest", f"what the * is {rest}"))
    found.append(Fact("kind", row.kind))
    held = "draft: it leads nowhere until W lets it hold" if row.draft else "live"
    found.append(Fact("state", held))
    if row.created is not None:
        found.append(Fact("made", moment(row.created, now)))
    if row.updated is not None:
        found.append(Fact("changed", moment(row.updated, now)))
    return found


def not_allowed(here: RedirectsPlace) -> str | None:
    """Say why the reader may not change the redirects of this site."""
    if here.read is None:
        return NotYet("The redirects have not been read yet.")
    return MISSING if here.read.missing else here.read.refused or None


def not_read(here: RedirectsPlace) -> str | None:
    """Say so when the redirects are not there."""
    if here.read is None:
        return NotYet("The redirects have not been read yet.")
    return MISSING if here.read.missing else None


def no_redirect(here: RedirectsPlace) -> str | None:
    """Say so when the cursor is on no redirect."""
    why = "Put the cursor on a redirect first."
    if here.redirect is not None:
        return None
    return why if here.read is not None else NoRowYet(why)


class RedirectCommands(Commands, scope="redirects"):
    """Making redirects, changing and removing them."""

    place: RedirectsPlace

    @action(
        "ctrl+n",
        "new redirect",
        word="new",
        unless=not_allowed,
        danger=1,
        takes="none",
        show=28,
        group="Change",
        uses=("create_site_redirect", "list_space_pages", "list_site_redirects"),
        types=True,
    )
    async def make(self) -> None:
        """Make a redirect: from a path of the site to another one, or to an address elsewhere."""
        here = self.place
        key = redirect_key(here.tabs.ids[1], "new")

        async def send(values: Mapping[str, str]) -> None:
            body, ids = await here.body(values), here.tabs.ids
            made = await here.writer.send(making(ids, body), draft=key)
            here.wanted = made.id

        form = Form("New redirect", here.fields(None), draft_key=key, send=send, verb="make it")
        if await here.desk.push_screen_wait(form):
            here.read_again()

    @action(
        "e",
        "edit",
        unless=(not_allowed, no_redirect),
        danger=1,
        takes="one",
        show=26,
        group="Change",
        uses=("update_site_redirect", "list_space_pages"),
        types=True,
    )
    async def edit(self) -> None:
        """Change where a redirect leads, from where, and for how long."""
        here, row = self.place, sure(self.place.redirect)
        key = redirect_key(here.tabs.ids[1], row.id)

        async def send(values: Mapping[str, str]) -> None:
            body = await here.body(values, row)
            await self._change(row, "Change redirect", body, key)

        form = Form(
            f"Redirect from {shorten(row.source, 40)}", here.fields(row), draft_key=key, send=send
        )
        if await here.desk.push_screen_wait(form):
            here.read_again()

    @action(
        "W",
        "draft/live",
        word="draft",
        unless=(not_allowed, no_redirect),
        takes="one",
        show=24,
        group="Change",
        uses="update_site_redirect",
        now=lambda here: (
            "let it hold" if here.redirect is not None and here.redirect.draft else "make a draft"
        ),
        override=True,
    )
    async def turn(self) -> None:
        """Let a draft hold, or make a draft of a redirect that holds. u undoes it."""
        row = sure(self.place.redirect)
        what = "Let redirect hold" if row.draft else "Make a draft of redirect"
        await self._change(row, what, {**row.body, "draft": not row.draft})
        self.place.read_again()

    async def _change(
        self, row: RedirectRow, what: str, body: Mapping[str, Any], draft: str = ""
    ) -> None:
        ids = self.place.tabs.ids
        update = SiteRedirectUpdate.model_validate(dict(body))
        await self.place.writer.perform(
            what,
            shorten(row.source, 40),
            lambda api: api(ops.update_site_redirect, *ids, row.id, update),
            reversal=redirect_changed(ids, row.id, row.body, body),
            draft=draft,
        )

    @action("D", "remove", unless=(not_allowed, no_redirect), danger=2, takes="one", show=18,
            group="Change", uses="delete_site_redirect")  # fmt: skip
    async def remove(self) -> None:
        """Remove the redirect; its path leads nowhere from then on. u makes it again."""
        here, row = self.place, sure(self.place.redirect)
        ids = here.tabs.ids
        said = f"{row.source} leads to {row.to} now, and nowhere then. "
        facts = [Text.assemble(said, hint("u makes it again.", ""))]
        sheet = Confirm(f"Remove redirect {shorten(row.source, 40)}", facts, verb="remove")
        if await here.desk.push_screen_wait(sheet):
            await here.writer.send(removing(ids, row))
            here.read_again()

    @command("test", "PATH", uses="get_site_redirect", takes="none")
    async def test(self, rest: str) -> None:
        """Say where a path of the site leads, as the service finds it (:test /guides/start)."""
        here = self.place
        if (why := not_read(here)) is not None or here.read is None:
            here.say(why or "", "warn")
            return
        path = path_on(rest.strip(), here.read.site.address)
        if not path:
            here.say("Say which path of this site, as in :test /guides/start.", "warn")
            return
        try:
            api = await here.session.ready()
            way = await find_way(api, here.tabs.ids, here.read.paths, path)
        except ValueError as error:
            here.say(str(error), "warn")
        else:
            here.say(way.said)


@place("redirects", key="r", title="Redirects", uses=READ)
class RedirectsPlace(Place, scope="redirects"):
    """Where the addresses lead that a site no longer has, or never had."""

    OF_SITE = True
    HORIZONTAL_BREAKPOINTS = VAST
    COMMAND_CLASSES = (RedirectCommands, ImportCommands, DetailsCommands, PublicationCommands)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.tabs = SiteTabs(self)
        self.read: RedirectsRead | None = None
        self.wanted = ""
        """The redirect to go to once they have been read again."""
        self._written = 0
        """How many writes there were when the redirects were read."""

    def panes(self) -> ComposeResult:
        self.rows: VirtualList[RedirectRow] = VirtualList(
            ListSource(key=lambda row: row.id),
            [
                Column("source", "FROM", lambda row: row.source, flex=1, minimum=20),
                Column("to", "TO", lambda row: row.to, flex=1, minimum=20),
                Column("kind", "KIND", lambda row: row.kind, 9, drop=2),
                Column("state", "STATE", state_cell, 5, drop=1),
                Column("trouble", "NOTE", trouble_cell, 8),
            ],
            title="Redirects",
            empty="Reading the redirects…",
            id="redirects",
        )
        self.facts = Facts(title="Redirect", empty="No redirect is selected.", id="redirect")
        self.contents = HeldItems(self, self._held)
        yield Part("main", self.rows)
        yield Part("side", self.facts, self.contents)

    def trail(self) -> Iterable[str]:
        yield from self.tabs.trail()
        if self.read is not None and self.read.refused:
            yield "read-only"

    def status_left(self) -> str:
        if self.read is None or self.read.missing:
            return ""
        if (said := self.read.refused or super().status_left()) != "":
            return said
        rows = self.read.rows
        drafts = sum(row.draft for row in rows)
        wrong = sum(bool(row.trouble) for row in rows)
        told = [plural(len(rows), "redirect"), f"{plural(drafts, 'draft')}" if drafts else ""]
        told.append(f"{wrong} to look at" if wrong else "")
        return ", ".join(each for each in told if each)

    @property
    def redirect(self) -> RedirectRow | None:
        """The redirect under the cursor."""
        return self.rows.selected

    def refusal(self) -> str | None:
        """Say why the reader may not change the redirects of this site."""
        return not_allowed(self)

    # Reading

    def reload(self) -> None:
        self.contents.forget()
        self.tabs.read("Reading redirects", self._read, self._arrived)

    def poll(self) -> None:
        self.tabs.read("Reading again", self._read, self._arrived)

    async def _read(self, api: Api, site: Site) -> RedirectsRead:
        me = self.session.me.id if self.session.me is not None else None
        return await read_redirects(api, self.tabs.ids, me)

    def _arrived(self, found: RedirectsRead) -> None:
        self.read = found
        if found.missing:
            self.rows.say_instead(MISSING)
        else:
            offer = "" if found.refused else " ctrl+n makes one."
            self.rows.say_instead(f"This site has no redirects.{offer}")
        source = self.rows.source.listed
        if self.wanted or len(self.session.log) != self._written:
            # What was written here is shown at once; what others did waits to be folded in.
            source.set(found.rows)
        else:
            source.merge(found.rows)
        self._written = len(self.session.log)
        self.rows.retitle()
        if self.wanted and self.rows.select(self.wanted):
            self.wanted = ""
        self.show_details()
        self.refresh_frame()
        if self.resuming:
            self.resume_draft(self.resuming)

    def show_details(self) -> None:
        row = self.redirect
        if row is None:
            self.facts.show([], title="Redirect")
        else:
            self.facts.show(redirect_facts(row, self.session.now), title=row.source, about=row.id)
        self.contents.look()

    def _leads_to(self, row: RedirectRow) -> Target | None:
        """Return the page, or the space, that a redirect leads to; None for none of this site's."""
        if self.read is None:
            return None
        to, nodes = row.body["destination"], self.read.paths.nodes
        node = nodes.get(str(to.get("siteSectionId") or to.get("siteSpaceId")))
        if node is not None and node.kind == "section":
            inside = [each for each in nodes.values() if each.level == node.id]
            node = next((each for each in inside if each.default), next(iter(inside), None))
        if node is None or not node.space:
            return None
        return Target(self.target.organization, node.space, page=to.get("pageId"))

    def _held(self) -> Held:
        row = self.redirect
        to = None if row is None else self._leads_to(row)
        away = ELSEWHERE if row is not None and (row.leads or "").startswith("http") else ""
        at = away if to is None else lines_from(to.space or "", to.page or FIRST)
        return row, at, (LINES,)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        row = self.redirect
        if row is None or self.read is None:
            return
        if (target := self._leads_to(row)) is None:
            self.say("Nothing of it can be opened here. o opens it in the browser.")
        else:
            self.desk.go_soon("pages", target)

    def url(self) -> str | None:
        row, read = self.redirect, self.read
        if row is None or read is None or not (read.site.published and read.site.address):
            return None
        return read.site.address + row.source.rstrip("*")

    def resume_draft(self, part: str) -> None:
        self.resuming = part if self.read is None else ""
        if self.read is None:
            return
        if part == "new":
            self.do_soon("make")
        elif self.rows.select(part):
            self.do_soon("edit")
        else:
            self.say("The redirect is gone. What you typed is kept (:drafts).", "warn")

    def copies(self) -> Sequence[tuple[str, str]]:
        row = self.redirect
        if row is None:
            return []
        return [("path", row.source), ("destination", row.to), ("id", row.id)]

    # The form

    def fields(self, row: RedirectRow | None) -> list[Field]:
        """Return the fields of a redirect, or of a new one."""
        capture = row is not None and row.capture
        permanent = row is None or row.permanent
        draft = row is not None and row.draft
        return [
            Field(
                "source",
                "From",
                "" if row is None else row.source,
                wrong_source,
                note=self._source_note,
                help=f"The path that leads on: {SOURCE_RULE}.",
                required=True,
            ),
            Field(
                "to",
                "To",
                "" if row is None or row.leads is None else row.leads,
                help="A path that this site shows, or an address with https:// or http://.",
                required=True,
            ),
            Field(
                "rest",
                "Rest",
                "keep" if capture else "discard",
                options=[Option("discard", "left out"), Option("keep", "goes on behind it")],
                help="What becomes of the part of the path in place of the *.",
            ),
            Field(
                "kind",
                "Kind",
                "permanent" if permanent else "temporary",
                options=[Option("permanent", "permanent"), Option("temporary", "temporary")],
                help="Browsers and search engines remember a permanent one.",
            ),
            Field(
                "state",
                "State",
                "draft" if draft else "live",
                options=[Option("live", "live"), Option("draft", "draft")],
                help="A draft leads nowhere until W lets it hold.",
            ),
        ]

    def _source_note(self, text: str) -> str:
        if not {".", ".."}.isdisjoint(text.split("/")):
            return "never used: browsers take . and .. out of an address"
        node = self.read.paths.shown.get(text) if self.read is not None else None
        return "" if node is None else f"never used: the site shows {node.title} there"

    async def body(
        self, values: Mapping[str, str], row: RedirectRow | None = None
    ) -> dict[str, Any]:
        """Return what a form says as a request. Raises ``FieldsWrongError``, ``ApiError``."""
        assert self.read is not None
        try:
            return await redirect_body(
                self.read,
                values["source"].strip(),
                values["to"].strip(),
                keep=values["rest"] == "keep",
                permanent=values["kind"] == "permanent",
                draft=values["state"] == "draft",
                row=row,
            )
        except WrongRedirectError as error:
            raise FieldsWrongError({error.part: str(error)}) from error

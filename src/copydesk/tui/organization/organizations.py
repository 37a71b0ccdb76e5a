"""Choosing an organization: type a few letters of its name, Enter goes there."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult

from copydesk.client.errors import Conflict, Forbidden, NotFound
from copydesk.domain.address import parse_app_url, shown_at
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.moments import instant, told_ago
from copydesk.domain.organization_inverses import joined
from copydesk.domain.own_command import Thing
from copydesk.domain.space_tree import RuleList, rule_list
from copydesk.domain.text import clean, listed, plural, shorten, shown_title
from copydesk.present.facts import Fact
from copydesk.present.raw_json import Raw
from copydesk.session.draft_keys import form_key
from copydesk.session.errors import NotDoneError
from copydesk.session.glyphs import glyphs
from copydesk.session.identity import choose
from copydesk.session.operations import ops
from copydesk.session.reads import spaces as reading
from copydesk.session.target import Target
from copydesk.tui.dialogs.form import Field, Form
from copydesk.tui.framework.actions import action, command
from copydesk.tui.framework.commands import DetailsCommands
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import VAST, Part, Place
from copydesk.tui.framework.source import ListSource
from copydesk.tui.organization.commands import ID_PATTERN, AtHand, OrganizationCommands
from copydesk.tui.resource.place import HeldItems
from copydesk.tui.resource.resource import Facet, Resource, pages_of
from copydesk.tui.spaces.cells import rule_words
from copydesk.tui.spaces.list import SpacesPlace
from copydesk.tui.system.find import SearchPrompt
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.member import Member
    from copydesk.contract.models.organization import Organization
    from copydesk.contract.models.space import Space


RIGHTS = (
    ("create_content", "create content"),
    ("list_members", "list members"),
    ("ingest_conversations", "ingest conversations"),
    ("install_integration", "install integrations"),
    ("admin", "administer"),
)
"""Permissions worth telling, and what they let a person do."""


@dataclass(frozen=True, slots=True)
class OrganizationRow:
    """An organization; ``role`` and ``spaces`` are the reader's there, None while not known."""

    id: str
    title: str
    role: str | None = None
    spaces: int | None = None
    plan: str = ""
    type: str = ""
    created: str = ""
    host: str = ""
    url: str = ""
    rules_type: str = ""
    rules: RuleList = ()
    rights: tuple[str, ...] | None = None
    blocked: str = ""


def organization_row(organization: Organization, member: Member | None = None) -> OrganizationRow:
    """Return an organization as a row, with the reader's role in it where that is known."""
    kind, rules = rule_list(organization.merge_rules)
    granted = organization.permissions
    blocked = organization.blocked
    return OrganizationRow(
        id=organization.id,
        title=shown_title(organization.title),
        role=None if member is None else clean(member.role or "guest"),
        spaces=None if member is None else member.spaces,
        plan=clean(organization.plan or ""),
        type=clean(organization.type),
        created=organization.created_at.isoformat() if organization.created_at else "",
        host=clean(organization.custom_hostname or organization.hostname or ""),
        url=shown_at(organization.urls.app, organization.urls.published),
        rules_type=kind,
        rules=rules,
        rights=None
        if granted is None
        else tuple(words for right, words in RIGHTS if getattr(granted, right)),
        blocked="" if blocked is None else clean(blocked.reason or "blocked"),
    )


def administers(row: OrganizationRow) -> bool | None:
    """Whether the reader administers an organization; None while that is not known."""
    return None if row.rights is None else dict(RIGHTS)["admin"] in row.rights


def own_role(row: OrganizationRow) -> Text | str:
    """Return the reader's role; a dot while it is not known."""
    return Text(".", style="muted") if row.role is None else row.role


def reached_spaces(row: OrganizationRow) -> Text | str:
    """Return how many spaces the reader reaches; a dot while that is not known."""
    return Text(".", style="muted") if row.spaces is None else str(row.spaces)


def organization_facts(row: OrganizationRow, now: datetime) -> list[Fact]:
    """Return what to know about an organization, what matters most first."""
    found = [
        Fact("your role", own_role(row)),
        Fact("spaces", reached_spaces(row)),
        Fact("rules", rule_words(row.rules) if row.rules_type == "rules" else "none"),
    ]
    if row.rights is not None:
        found.append(Fact("you may", listed(row.rights) or "read"))
    if row.plan:
        found.append(Fact("plan", row.plan))
    if row.type:
        found.append(Fact("type", row.type))
    if row.host:
        found.append(Fact("address", row.host))
    if since := told_ago(instant(row.created), now):
        found.append(Fact("made", since))
    if row.blocked:
        found.append(Fact("closed", Text(row.blocked, style="bad")))
    if row.url:
        found.append(Fact("app", Text(row.url, style="link")))
    return found


NO_ORGANIZATION = "this is neither an id nor an address of an organization"

AT_ONCE = 6
"""Requests in flight at once for the reader's role in each organization."""


class ChoosePrompt(SearchPrompt):
    """Narrows the list; the arrows move in it and Enter takes what the cursor is on."""

    def __init__(self, pane: Pane) -> None:
        super().__init__(pane)
        self.input.placeholder = "type a name; Enter goes there, Esc leaves the list as it is"

    def submitted(self, text: str) -> None:
        """Go to the organization under the cursor."""
        self.close()
        pane = self._pane
        if isinstance(pane, VirtualList):
            pane.open_row()

    def recall(self, by: int) -> None:
        self._pane.move(by)


SPACES: Resource[Space] = Resource(
    noun="space",
    title="Spaces, with their open change requests",
    pages=pages_of("list_organization_spaces", "item"),
    key=lambda space: space.id,
    label=lambda space: space.title or "Untitled",
    shown=(Facet("open", "OPEN", lambda space, now: str(space.change_requests_open)),),
    empty="No space in it that you reach.",
    of="item",
    beside=0,
)
"""The spaces of an organization, each with its open change requests."""


@place("organizations", key="o", title="Organizations", uses="list_organizations")
class OrganizationsPlace(Place, scope="organizations"):
    """The organizations that the reader is in."""

    IN_ORGANIZATION = False
    HORIZONTAL_BREAKPOINTS = VAST
    RAW = ("get_organization",)
    COMMAND_CLASSES = (OrganizationCommands, DetailsCommands)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._read_once = False
        self._wanted = ""
        """The organization to go to once they have been read again."""

    @property
    def at_hand(self) -> AtHand | None:
        row = self.rows.selected
        return None if row is None else AtHand(row.id, row.title, administers(row))

    def panes(self) -> ComposeResult:
        self.rows: VirtualList[OrganizationRow] = VirtualList(
            ListSource(key=lambda row: row.id),
            [
                Column("title", "NAME", lambda row: row.title, flex=1, minimum=20),
                Column("role", "YOUR ROLE", own_role, 10),
                Column("spaces", "SPACES", reached_spaces, 6, align="right", drop=1),
                Column("plan", "PLAN", lambda row: row.plan, 16, drop=2),
            ],
            title="Organizations",
            empty="Reading organizations…",
            sign=lambda row: glyphs().passed if row.id == self.session.organization else "",
            id="organizations",
        )
        self.facts = Facts(title="Details", id="organization-details")
        yield Part("main", self.rows)
        self.contents = HeldItems(
            self, lambda: (self.rows.selected, self.rows.selected_id or "", (SPACES,))
        )
        yield Part("side", self.facts, self.contents)

    def breadcrumb(self) -> Iterable[str]:
        """Above all organizations there is only the service, unless the header names it."""
        session = self.session
        if session.host and session.host not in (session.profile, session.called):
            yield session.host
        yield "Organizations"

    def url(self) -> str | None:
        row = self.rows.selected
        return (row.url or None) if row is not None else None

    def things(self) -> Sequence[Thing]:
        row = self.rows.selected
        if row is None:
            return []
        told = {"id": row.id, "title": row.title, "organization": row.title, "url": row.url or ""}
        return [Thing("organization", told)]

    def copies(self) -> Sequence[tuple[str, str]]:
        row = self.rows.selected
        if row is None:
            return []
        return [("address", row.url), ("title", row.title), ("id", row.id)]

    def raw(self) -> Raw | None:
        row = self.rows.selected
        if row is None:
            return None
        return Raw(f"organization {row.title}", "get_organization", (row.id,))

    def signs(self) -> Sequence[tuple[str, str]]:
        return [*super().signs(), (glyphs().passed, "where you are")]

    def status_left(self) -> str:
        """Say what Enter does, and what the sign means."""
        waiting = super().status_left()
        count = self.rows.source.base.loaded
        if waiting or not count:
            return waiting
        return f"{plural(count, 'organization')}   {glyphs().passed} where you are"

    async def open_search(self) -> None:
        """Narrow the list as you type; Enter goes to the organization under the cursor."""
        await self.desk.open_prompt(self, ChoosePrompt(self.rows))

    # Reading

    def reload(self) -> None:
        """Read the organizations; the reader's role in each follows."""
        self.contents.forget()
        self.reads.load(
            "organizations", self._read, self._arrived, what="Reading organizations",
            failed=self.rows.say_instead,
        )  # fmt: skip

    def poll(self) -> None:
        """Read the organizations again quietly; roles are read again by hand only."""
        self.reads.load("organizations", self._read, self._merge, what="Reading again")

    async def _read(self, api: Api) -> list[Organization]:
        if self.session.me is None:
            self.session.me = await reading.read_me(api)
        return await reading.read_organizations(api)

    def _merge(self, found: list[Organization]) -> None:
        known = {row.id: row for row in self.rows.source.base.shown()}
        rows = []
        for organization in found:
            row = organization_row(organization)
            if (before := known.get(row.id)) is not None:
                row = replace(row, role=before.role, spaces=before.spaces)
            rows.append(row)
        self.rows.source.listed.merge(rows)

    def _arrived(self, found: list[Organization]) -> None:
        self._merge(found)
        self.session.organization_titles.update({each.id: clean(each.title) for each in found})
        if not self._read_once:
            self._read_once = True
            if self.session.organization is not None:
                self.rows.select(self.session.organization)
        if self._wanted:
            self.rows.source.base.fold()
            if self.rows.select(self._wanted):
                self._wanted = ""
        self.refresh_frame()
        me = self.session.me
        if me is not None:
            self.reads.load(
                "roles", lambda api: self._read_roles(api, found, me.id), self._put_roles,
                what="Reading your roles",
            )  # fmt: skip

    async def _read_roles(
        self, api: Api, organizations: Sequence[Organization], me: str
    ) -> list[OrganizationRow]:
        gate = asyncio.Semaphore(AT_ONCE)

        async def one(organization: Organization) -> OrganizationRow:
            async with gate:
                try:
                    member = await api(ops.get_member, organization.id, me)
                except (Forbidden, NotFound):
                    return organization_row(organization)
            return organization_row(organization, member)

        return list(await asyncio.gather(*map(one, organizations)))

    def _put_roles(self, rows: list[OrganizationRow]) -> None:
        source = self.rows.source.listed
        for row in rows:
            source.update(row)
        self.refresh_frame()

    # Choosing

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show the details of the row, once keys pause."""
        self.frame_soon()

    def update_frame(self) -> None:
        if self.is_attached:
            self._show_facts()
        super().update_frame()

    def _show_facts(self) -> None:
        row = self.rows.selected
        if row is None:
            self.facts.show([], title="Details")
        else:
            facts = organization_facts(row, self.session.now)
            self.facts.show(facts, title=row.title, about=row.id)
        self.contents.look()

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        row: OrganizationRow | None = event.row
        if row is not None:
            self.app.call_later(self.choose, row)

    async def choose(self, row: OrganizationRow) -> None:
        """Show the spaces of an organization; places of another one are left."""
        await choose(self.session, row.id, row.title)
        below = [screen for screen in self.app.screen_stack if isinstance(screen, SpacesPlace)]
        if below:
            if below[0].target.organization != row.id:
                below[0].show_organization(row.id)
            await self.desk.go("spaces", below[0].target)
        else:
            await self.desk.go("spaces", Target(organization=row.id))

    # Joining

    @action("ctrl+n", "join", danger=1, show=12, group="Change",
            uses=("join_organization", "get_organization"))  # fmt: skip
    async def join(self) -> None:
        """Join an organization that admits the domain of your e-mail address. It asks which."""
        await self._join("")

    @command("join", "ORGANIZATION", uses="join_organization")
    async def join_by_word(self, rest: str) -> None:
        """Join an organization, given by its id or its address in the app."""
        await self._join(rest.strip())

    def resume_draft(self, part: str) -> None:
        """Open the form again in which an organization was named."""
        if part in self.ACTIONS:
            self.do_soon(part)

    async def _join(self, given: str) -> None:
        key = form_key(self.PLACE, Target(), "join")
        me = self.session.me

        async def send(values: Mapping[str, str]) -> None:
            organization = organization_in(values["organization"]) or ""

            async def join_it(api: Api) -> bool:
                # Looked at first: else, when no answer comes, who was in it seems to have joined.
                if await find_joined(api, organization):
                    raise NotDoneError("You are a member of this organization already.")
                return await join(api, organization)

            await self.writer.perform(
                "Join organization",
                shorten(organization, 40),
                join_it,
                reversal=None if me is None else joined(organization, me.id),
                look=lambda api: find_joined(api, organization),
                draft=key,
            )
            self._wanted = organization

        field = Field(
            "organization",
            "Organization",
            given,
            lambda text: None if not text or organization_in(text) else NO_ORGANIZATION,
            help="Its id, or its address in the app: those that you are not in are not listed.",
            required=True,
        )
        form = Form(
            "Join an organization",
            [field],
            draft_key=key,
            facts=["It has to admit the domain of your e-mail address, which has to be verified."],
            send=send,
            verb="join",
            new=True,
        )
        if await self.desk.push_screen_wait(form):
            self.read_again()


def organization_in(text: str) -> str | None:
    """Return the id of the organization that a text names: an id, or an address of the app."""
    if ID_PATTERN.fullmatch(text):
        return text
    found = parse_app_url(text)
    return None if found is None else found.organization


async def join(api: Api, organization: str) -> bool:
    """Join an organization. Raises `NotDoneError` when there is none, or one is in it already."""
    try:
        await api(ops.join_organization, organization)
    except (Conflict, NotFound) as error:
        raise NotDoneError(error.message) from error
    return True


async def find_joined(api: Api, organization: str) -> bool | None:
    """Return True if the caller is in an organization, else None."""
    try:
        await api(ops.get_organization, organization)
    except (Forbidden, NotFound):
        return None
    return True

"""The collections and spaces of an organization."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence, Set
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult

from copydesk.client.errors import ApiError
from copydesk.domain.address import markdown_link, shown_at
from copydesk.domain.filter import Query, fold
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.own_command import Thing
from copydesk.domain.space_tree import (
    DESCENDING,
    LOOSE,
    SORTS,
    TRASH,
    RuleList,
    SpaceNode,
    build_tree,
    rule_list,
    trash_title,
    walk,
)
from copydesk.domain.text import plural, shown_title
from copydesk.present.raw_json import OF_NODE, Raw, node_raw
from copydesk.session.content import ContentOwner
from copydesk.session.identity import choose
from copydesk.session.listings import COUNT_SECONDS
from copydesk.session.names import person_name
from copydesk.session.reads import spaces as reading
from copydesk.session.reads.spaces import (
    SpaceDetails,
    read_counts,
    read_details,
    read_organizations,
)
from copydesk.session.space_snapshot import LastRun, keep_last_run, read_last_run
from copydesk.session.target import Target
from copydesk.tui.content.commands import ContentCommands
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.framework.commands import DetailsCommands
from copydesk.tui.framework.desk_app import begin
from copydesk.tui.framework.frame import BESIDE_VIEWS, ends_with_an_answer
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import VAST, Part, Place, View
from copydesk.tui.framework.source import TreeSource
from copydesk.tui.spaces import cells as present
from copydesk.tui.widgets.facts import Facts, WideFacts
from copydesk.tui.widgets.list import Column, VirtualList
from copydesk.tui.widgets.tree_list import TreeList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.present.facts import Fact
    from copydesk.session.reads.spaces import Desk
    from copydesk.session.reads.tree import TrashedSpace

TABS = (
    View("spaces", "Spaces"),
    View("needs-me", "Needs me"),
    View("changes", "Changes"),
    View("sites", "Sites"),
    View("clusters", "Clusters"),
)
"""The places of an organization, as tabs of this one; their ids are the words after ``:``."""

WIDE = 100
"""Cells from which there is room for more than the tabs and a name."""


def no_space(here: SpacesPlace) -> str | None:
    """Say so when the cursor is on no space."""
    node = here.rows.selected_item
    if node is None or node.kind != "space":
        return "Put the cursor on a space first."
    return "You have no access to this space." if present.no_access(node) else None


def no_rows(here: SpacesPlace) -> str | None:
    """Say so when there is nothing to order."""
    return None if here.rows.nodes else "There are no spaces to sort."


def no_row(here: SpacesPlace) -> str | None:
    """Say so when the cursor is on nothing that could be arranged."""
    node = here.rows.selected_item
    if node is None or node.id == LOOSE:
        return "Put the cursor on a space or a collection first."
    return None


class ArrangingCommands(Commands, scope="spaces"):
    """The ways from the list of spaces to rearranging them."""

    place: SpacesPlace

    def __init__(self, here: SpacesPlace) -> None:
        super().__init__(here)
        self._looked: tuple[str, int] | None = None
        """When it was last looked for deleted spaces: where, and after how many writes."""

    def things(self) -> Sequence[Thing]:
        node = self.place.rows.selected_item
        if node is None or node.kind == "loose":
            return []
        named = {"id": node.id, "title": node.title, "url": self.place.url() or ""}
        return [Thing(node.kind, named | ({"space": node.title} if node.kind == "space" else {}))]

    @action("J", "arrange", unless=no_row, show=False, group="Arrange", also=("alt+down",),
            stages=True)  # fmt: skip
    async def order_down(self) -> None:
        """Go to the tree that is rearranged, and move the row down in it. Nothing is sent."""
        await self._arrange("order_down")

    @action("K", "move up", unless=no_row, show=False, group="Arrange", also=("alt+up",),
            stages=True)  # fmt: skip
    async def order_up(self) -> None:
        """Go to the tree that is rearranged, and move the row up in it. Nothing is sent."""
        await self._arrange("order_up")

    @action("e", "edit", unless=no_row, show=7, group="Arrange", stages=True)
    async def edit(self) -> None:
        """Change title, emoji or description of the row, in the tree that is rearranged."""
        await self._arrange("edit")

    @action("D", "delete", unless=no_row, show=False, group="Arrange", stages=True)
    async def delete(self) -> None:
        """Delete the row, in the tree that is rearranged: it is staged there. Or see the trash."""
        node = self.place.rows.selected_item
        await self._arrange("" if node is not None and node.id == TRASH else "delete_or_restore")

    @action("ctrl+n", "new", word="new", show=6, group="Arrange", stages=True)
    async def arrange_new(self) -> None:
        """Add a collection or a space, in the tree that is rearranged."""
        await self._arrange("add")

    async def _arrange(self, name: str) -> None:
        node = self.place.rows.selected_item
        row = "" if node is None or node.id == LOOSE else node.id
        self.place.session.left[WANTED] = WantedRow(row, name)
        target = Target(organization=self.place.organization)
        await self.place.desk.go("organization-structure", target)

    # The trash

    def look_for_deleted(self, before: Sequence[SpaceNode], after: Sequence[SpaceNode]) -> None:
        """Count the deleted spaces: those that were listed ``before``, and older ones.

        No list of the service tells of them.
        """
        organization = self.place.target.organization or ""
        listed = {node.id for node in after}
        gone = any(node.kind == "space" and node.id not in listed for node in before)
        state = (organization, len(self.place.session.log))
        if not gone and self._looked == state:
            return  # a poll: nothing was seen going
        self._looked = state

        async def read(api: Api) -> tuple[TrashedSpace, ...]:
            from copydesk.session.reads.tree import read_trash, remember_gone

            snapshot = self.place.session.snapshot
            await asyncio.to_thread(remember_gone, snapshot, organization, before, after)
            try:
                return await read_trash(self.place.session, api, organization, listed, sites=False)
            except ApiError:  # a row less is not worth a word
                return ()

        def then(found: tuple[TrashedSpace, ...]) -> None:
            if self.place.rows.trashed != len(found):
                self.place.rows.trashed = len(found)
                self.place.rows.show_nodes(self.place.rows.nodes, partial=self.place.rows.partial)

        self.place.reads.load("trash", read, then, what="Looking for deleted spaces", kept="never")

    def go_to_trash(self) -> None:
        """Go to where deleted spaces are restored."""
        self.app.call_later(self._arrange, "")


@dataclass(frozen=True, slots=True)
class WantedRow:
    """The row to go to for somebody who comes from another place, and the action to begin there."""

    row: str
    action: str = ""


WANTED = "organization-structure"
"""The key of a `WantedRow` in `Session.left`."""


REST_SECONDS = 0.15
"""How long the cursor rests on a row before its details are read."""

PEOPLE = 8
"""So many people that rules name are looked up."""

DETAILS = "details"
"""The name of the read of details; there is one at a time."""


class RestingDetails:
    """The details of spaces that were read; ``changed`` is called when there are more.

    ``lists`` tells whether there is room for the open change requests of a space.
    """

    def __init__(
        self,
        here: Place,
        changed: Callable[[], None],
        lists: Callable[[], bool] = lambda: False,
    ) -> None:
        self._here = here
        self._changed, self._lists = changed, lists
        self._known: dict[str, SpaceDetails] = {}
        self._old: set[str] = set()
        """Whose details are to be read again; they show until others have come."""
        self._unread: set[str] = set()
        """Whose details could not be read."""

    def of(self, space: str) -> SpaceDetails | None:
        """Return the details of a space by its id, if they were read."""
        return self._known.get(space)

    def unread(self, space: str) -> bool:
        """Whether the details of a space could not be read."""
        return space in self._unread

    def read_again(self) -> None:
        """Read the details of every space again; the former ones show until then."""
        self._old, self._unread = set(self._known), set()

    def forget(self) -> None:
        """Know nothing of any space."""
        self._known.clear()
        self._unread.clear()

    def rest(self, node: SpaceNode | None, organization: str, rules: RuleList) -> None:
        """Read the details of a row soon, unless the cursor goes on before.

        ``rules`` are those that a space has which inherits them.
        """
        here = self._here
        here.reads.cancel(DETAILS)
        if node is None or node.kind != "space":
            return
        before = self._known.get(node.id)
        # A screen that became wider has a pane for more.
        known = before is not None and (before.listed or not self._lists())
        if known and node.id not in self._old and not here.reads.left_behind(DETAILS, node.id):
            return
        if here.session.api is not None and not present.no_access(node):
            self._read(node, organization, rules)

    def _read(self, node: SpaceNode, organization: str, inherited: RuleList) -> None:
        session, lists = self._here.session, self._lists()
        me = session.me.id if session.me is not None else None
        rules = node.rules if node.rules_type != "inherit" else inherited
        people = list(dict.fromkeys(user for _, users in rules for user in users))[:PEOPLE]

        def arrived(details: SpaceDetails) -> None:
            self._known[node.id] = details
            self._old.discard(node.id)
            self._unread.discard(node.id)
            self._changed()

        def unread(_: str) -> None:
            self._unread.add(node.id)
            self._changed()

        self._here.reads.load(
            DETAILS,
            lambda api: read_details(api, node, organization, me, people, listed=lists),
            arrived,
            what=f"Reading about {node.title}",
            of=node.id,
            failed=unread,
            after=REST_SECONDS,
        )


def holder_of(node: SpaceNode | None) -> Target:
    """Return the space or the collection of a row, as what levels are given on."""
    if node is None or node.kind not in ("space", "collection"):
        return Target()
    return Target(space=node.id) if node.kind == "space" else Target(item=node.id)


class SpaceTree(TreeList[SpaceNode]):
    """Shows ``nodes``; a branch that was never shown before is unfolded.

    ``clock`` tells the time, for ages. ``partial`` says that ``nodes`` are only the first rows of
    the last run.
    """

    def __init__(self, clock: Callable[[], datetime], *, id: str | None = None) -> None:
        source: TreeSource[SpaceNode] = TreeSource(
            key=lambda node: node.id,
            children=lambda node: node.children,
        )
        super().__init__(
            source,
            _columns(clock),
            title="Spaces",
            empty="",
            dim=present.no_access,
            id=id,
        )
        self.item_filter = _matching
        self.fields = present.FIELDS
        self.nodes: tuple[SpaceNode, ...] = ()
        self.partial = False
        self.trashed = 0
        """How many deleted spaces are known; a last row leads to them."""
        self.order = "open"
        self.backwards = False
        self._seen: set[str] = set()

    def show_nodes(
        self,
        nodes: tuple[SpaceNode, ...],
        *,
        refresh: bool = False,
        partial: bool = False,
        folded: Set[str] = frozenset(),
    ) -> None:
        """Show other nodes, in published order; a ``refresh`` of the same moves nothing."""
        self.nodes, self.partial = nodes, partial
        roots = build_tree(nodes, self.order, backwards=self.backwards, partial=partial)
        if self.trashed and roots:
            roots = (*roots, SpaceNode("loose", TRASH, trash_title(self.trashed)))
        source = self.tree_source
        branches = {node.id for node in walk(roots) if node.kind != "space"}
        source.unfolded |= branches - self._seen - folded
        self._seen |= branches
        # While a filter is on, what matches is shown as it is; nothing waits behind it.
        if refresh and not source.filtering:
            source.merge_roots(roots)
        else:
            source.set_roots(roots)
        self.sort = (self.order, (self.order in DESCENDING) != self.backwards)
        self.note = f"sort: {SORTS[self.order]}" + (", reversed" if self.backwards else "")
        if self.is_attached:
            self.retitle()

    def sort_by(self, order: str, *, backwards: bool) -> None:
        """Show the nodes in another order; the cursor stays on its row."""
        self.order, self.backwards = order, backwards
        self.show_nodes(self.nodes, partial=self.partial)

    def forget(self) -> None:
        """Show nothing, as before the first node."""
        self.find_clear()
        self._seen.clear()
        self.tree_source.unfolded.clear()
        self.show_nodes(())
        self.move_first()

    def select_first_space(self) -> None:
        """Put the cursor on the first space, not on the collection above it."""
        first = next((twig for twig in self.source.shown() if twig.item.kind == "space"), None)
        if first is not None:
            self.select(first.id)

    @property
    def folded(self) -> frozenset[str]:
        """The ids of folded rows."""
        return frozenset(self._seen - self.tree_source.unfolded)

    def count(self, kind: str) -> int:
        """Return how many nodes of a kind there are."""
        return sum(node.kind == kind for node in self.nodes)


class TabCounts:
    """The counts of the tabs of the list of spaces that are known."""

    def __init__(self, place: SpacesPlace) -> None:
        self.place = place
        self.known: dict[str, int] = {}
        self._needing_at: datetime | None = None
        """When it was counted last what needs the reader."""

    def anew(self) -> None:
        """Count what needs the reader with the next reading, however short ago that was."""
        self._needing_at = None

    def show(self) -> None:
        """Count what the rows tell, and show all that is known."""
        rows = self.place.rows
        if rows.nodes and not rows.partial:
            self.known["spaces"] = rows.count("space")
            self.known["changes"] = sum(node.open for node in rows.nodes)
        self.place.set_views(self.tabs(), "spaces")

    def tabs(self) -> list[View]:
        """Return the tabs with how much is behind them."""
        return [tab._replace(number=self.known.get(tab.id)) for tab in TABS]

    def read(self) -> None:
        """Read how much is behind the other tabs; what needs the reader not each time."""
        organization = self.place.target.organization or ""

        def arrived(counts: dict[str, int]) -> None:
            self.known.update(counts)
            self.show()

        self.place.reads.load(
            "counts", lambda api: read_counts(api, organization), arrived, what="Counting"
        )
        now, at = self.place.session.clock(), self._needing_at
        if at is None or now - at >= timedelta(seconds=COUNT_SECONDS):
            self._needing_at = now
            self._read_needing(organization)

    def _read_needing(self, organization: str) -> None:
        """Count what needs the reader as the view of that name does, if there is no hurry."""
        if self.place.session.me is None or not self.place.session.may_spend:
            return
        me, sleepers, now = (
            self.place.session.me.id,
            self.place.session.snoozed,
            self.place.session.clock(),
        )

        async def read(api: Api) -> int | None:
            from copydesk.session.reads.change_requests import count_needing

            with suppress(OSError):
                await sleepers.read()
            with suppress(ApiError):  # a tab without a number is not worth a word
                return await count_needing(
                    api, organization, me, lambda row: sleepers.asleep(row.id, row.updated, now)
                )
            return None

        def arrived(count: int | None) -> None:
            self.known.pop("needs-me", None)
            if count is not None:
                self.known["needs-me"] = count
            self.show()

        self.place.reads.load("needing", read, arrived, what="Counting what needs you")


@place(
    "spaces",
    key="s",
    title="Spaces",
    uses=(
        "list_organization_spaces",
        "list_organization_collections",
        "get_organization",
        "get_user",
    ),
)
class SpacesPlace(Place, scope="spaces"):
    """The tree of an organization, and the details of the row under the cursor."""

    COLUMNS = ("title", "open", "draft", "comments", "rules", "updated")
    IN_ORGANIZATION = False
    HORIZONTAL_BREAKPOINTS = VAST
    RAW = OF_NODE
    COMMAND_CLASSES = (ContentCommands, ArrangingCommands, DetailsCommands)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.counts = TabCounts(self)
        self._rules: tuple[str, RuleList] | None = None
        self._details = RestingDetails(self, self.refresh_frame, lambda: self.open.display)
        self._who = ""
        self._written = 0

    # What a place says of itself

    def panes(self) -> ComposeResult:
        """The tree, and the details of its row. The rows of the last run are there at once."""
        self.rows = SpaceTree(lambda: self.session.now, id="spaces")
        self.facts = Facts(title="Details", id="space-details")
        self.open = WideFacts(
            self._open_requests,
            empty="The open change requests of a space show here.",
            id="space-requests",
        )
        self._show_last_run()
        self.views, self.view = self.counts.tabs(), "spaces"
        yield Part("main", self.rows)
        yield Part("side", self.facts, self.open)

    def trail(self) -> Iterable[str]:
        """Only the organization: this is where everything begins."""
        return ()

    def views_note(self) -> str:
        labels = (f"{tab.title} {'' if tab.number is None else tab.number}" for tab in self.views)
        # Beside all of them: a name takes no tab away.
        room = self.size.width - 2 - BESIDE_VIEWS - sum(cell_len(label) + 3 for label in labels)
        host = self.session.host if self.size.width >= WIDE else ""
        parts = [part for part in (self._who, host) if part]
        while parts and cell_len("  ".join(parts)) > room:
            parts.pop()
        return "  ".join(parts)

    def space_at_hand(self) -> str | None:
        node = self.rows.selected_item
        return node.id if node is not None and node.kind == "space" else None

    def holder_at_hand(self) -> Target:
        return holder_of(self.rows.selected_item)

    def content(self) -> ContentOwner | None:
        node = self.rows.selected_item
        if node is None or node.kind != "space" or present.no_access(node):
            return None
        may = node.permissions is None or "edit" in node.permissions
        refused = "" if may else f"Editing {node.title} takes the role editor in it."
        return ContentOwner(node.id, node.title, refused=refused)

    def raw(self) -> Raw | None:
        return node_raw(self.rows.selected_item)

    def url(self) -> str | None:
        node = self.rows.selected_item
        return (shown_at(node.app_url, node.published_url) or None) if node is not None else None

    def copies(self) -> Sequence[tuple[str, str]]:
        node = self.rows.selected_item
        if node is None or node.kind == "loose":
            return []
        return [
            ("address", node.app_url),
            ("published address", node.published_url),
            ("title", node.title),
            ("markdown link", markdown_link(node.title, self.url() or "") if self.url() else ""),
            ("id", node.id),
        ]

    def on_mount(self) -> None:
        """Begin on a space, not on the collection above it, with its details in the first frame."""
        self.rows.select_first_space()
        self._show_facts()

    def view_changed(self) -> None:
        chosen, self.view = self.view, "spaces"
        self.refresh_frame()
        if chosen != "spaces":
            self.desk.go_soon(chosen)

    def on_screen_resume(self) -> None:
        chosen = self.session.organization
        if chosen is not None and chosen != self.organization:
            self.show_organization(chosen)
        elif len(self.session.log) != self._written:
            self.reload()

    # Reading

    def reload(self) -> None:
        self._written = len(self.session.log)
        self.counts.anew()
        self._details.read_again()
        if not self.rows.nodes:
            self.rows.say_instead(self.rows.reading)
        self.reads.load(
            "spaces", self._read, self._arrived, what="Reading spaces", failed=self._unread
        )

    def poll(self) -> None:
        self.reads.load("spaces", self._read, self._arrived, what="Reading spaces")

    def show_organization(self, organization: str) -> None:
        """Show another organization; its rows of the last run come first."""
        for group in ("spaces", "counts", "needing"):  # what they tell is of the one before
            self.reads.cancel(group)
        self.target = self.target.but(organization=organization)
        self._rules, self.counts.known = None, {}
        self.rows.forget()
        self._show_last_run()
        self.rows.select_first_space()
        self.counts.show()
        self.reload()

    async def _read(self, api: Api) -> tuple[Desk | None, int]:
        async def who() -> None:
            if self.session.me is None:
                self.session.me = await reading.read_me(api)

        wanted = self.organization
        # Only the organization of the last run may be left without a word.
        insist = self.target.organization is not None and not self.cached
        desk = reading.read_first_desk(api, wanted, insist=insist, progress=self._progress)
        found, _ = await asyncio.gather(desk, who())
        return found

    def _progress(self, read: int) -> None:
        if not self.rows.nodes and self.is_attached:
            self.rows.say_instead(f"Reading spaces, {read} so far…")

    def _arrived(self, answer: tuple[Desk | None, int]) -> None:
        found, organizations = answer
        me = self.session.me
        self._who = person_name(me) if me is not None else ""
        if found is None:
            self.rows.forget()
            self.rows.say_instead("")
            return
        organization = found.organization
        title = shown_title(organization.title)
        same = self.target.organization == organization.id
        if not same:
            self.rows.forget()
        at, here = self.session.organization, self.organization
        self.target = self.target.but(organization=organization.id)
        self.session.organization_titles[organization.id] = title
        moved = (organization.id, title) != (at, self.session.organization_title)
        if moved and at in (None, here):  # the reader may be in another one by now
            begin(self, choose, self.session, organization.id, title, group="organization")
        self._rules = rule_list(organization.merge_rules)
        granted = organization.permissions
        how = "Ask an administrator."
        if granted is None or granted.create_content:
            how = "ctrl+n makes the first one."
        self.rows.empty = (
            f"No spaces that you can see in {title}. {how} g o shows other organizations."
        )
        first = not self.rows.nodes
        before = self.rows.nodes if same and found.complete else ()
        self.rows.show_nodes(found.nodes, refresh=not self.rows.partial)
        if first:
            self.rows.select_first_space()
        self.counts.show()
        self.show_details()
        self.counts.read()
        self.commands_of(ArrangingCommands).look_for_deleted(before, found.nodes)
        self._keep_rows()
        if not found.complete:
            self.say(
                "This service lists no spaces: shown are those of collections, sites and change "
                "requests."
            )
        elif organizations > 1:
            self.say(f"You are in {organizations} organizations: g o chooses another.")

    def _unread(self, text: str) -> None:
        if not self.rows.nodes:
            # Other organizations are of no help where the service itself cannot be asked.
            way = "" if ends_with_an_answer(text) else " Press “g o” for your organizations."
            if self.session.contact.refused:
                way = " :profile desk goes to the desk on this machine."
            self.rows.say_instead(text + way)

    # The rows of the last run

    def _show_last_run(self) -> None:
        if self.organization is None:
            return
        run = read_last_run(self.session.snapshot, self.organization)
        self.rows.order, self.rows.backwards = run.sort, run.backwards
        if not run.nodes:
            return
        self.cached = True
        self._who, self.counts.known = run.who, dict(run.counts)
        self.session.organization_titles.setdefault(run.organization, run.title)
        self.target = self.target.but(organization=run.organization)
        self.rows.show_nodes(tuple(run.nodes), partial=run.partial, folded=run.folded)

    def _this_run(self) -> LastRun:
        rows = self.rows
        return LastRun(
            organization=self.target.organization or "",
            title=self.session.title_of(self.target.organization),
            who=self._who,
            sort=rows.order,
            backwards=rows.backwards,
            nodes=rows.nodes,
            folded=rows.folded,
            total=len(rows.nodes),
            counts=dict(self.counts.known),
        )

    def _keep_rows(self) -> None:
        snapshot, run = self.session.snapshot, self._this_run()
        begin(
            self, asyncio.to_thread, keep_last_run, snapshot, run,
            group="snapshot", exit_on_error=False,
        )  # fmt: skip

    def on_unmount(self) -> None:
        if self.rows.nodes and not self.rows.partial:
            keep_last_run(self.session.snapshot, self._this_run())

    # What is under the cursor

    def update_frame(self) -> None:
        """Bring the frame and the details up to date; while keys come fast both wait."""
        if self.is_attached:
            self._show_facts()
        super().update_frame()

    def on_resize(self, event: events.Resize) -> None:
        """Read and show what a wider screen has room for."""
        self.call_after_refresh(self.show_details)

    def show_details(self) -> None:
        rules = () if self._rules is None else self._rules[1]
        self._details.rest(self.rows.selected_item, self.target.organization or "", rules)

    def _show_facts(self) -> None:
        self.open.show_again()
        node = self.rows.selected_item
        if node is None:
            self.facts.show([], title="Details")
            return
        found = present.facts(
            node,
            self.session.now,
            organization_rules=self._rules,
            details=self._details.of(node.id),
            unread=self._details.unread(node.id),
        )
        self.facts.show(found, title=node.title, about=node.id)

    def _open_requests(self) -> tuple[list[Fact], str, str]:
        node = self.rows.selected_item
        if node is None:
            return [], present.OPEN, ""
        details, unread = self._details.of(node.id), self._details.unread(node.id)
        facts = present.request_facts(node, details, self.session.now, unread=unread)
        return facts, present.OPEN, node.id

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        node = self.rows.selected_item
        if node is None:
            return
        if node.id == TRASH:
            self.commands_of(ArrangingCommands).go_to_trash()
        elif node.kind != "space":
            self.rows.toggle()
        elif present.no_access(node):
            self.say("You have no access to this space. Ask whoever administers it.", "warn")
        else:
            self.desk.go_soon("changes", self._space(node))

    def _space(self, node: SpaceNode) -> Target:
        return Target(organization=self.target.organization, space=node.id)

    # Actions

    @action("g p", "pages", word="pages", unless=no_space, uses="list_space_pages", show=20,
            group="Go")  # fmt: skip
    async def read_pages(self) -> None:
        """Read the pages of the space under the cursor."""
        node = self.rows.selected_item
        if node is not None:
            await self.desk.go("pages", self._space(node))

    @action("s", "sort", word="sort", unless=no_rows, show=8, group="Look")
    async def choose_sort(self) -> None:
        """Choose the order of collections and spaces."""
        from copydesk.session.options import Option
        from copydesk.tui.dialogs.choice import Choice

        options = [Option(sort, title) for sort, title in SORTS.items()]
        chosen = await self.desk.push_screen_wait(
            Choice("Sort spaces by", options, current=self.rows.order)
        )
        if chosen is not None:
            self._sort_by(chosen, backwards=False)

    @action("S", "reverse sort", unless=no_rows, show=False, group="Look")
    def reverse_sort(self) -> None:
        """Turn the order round."""
        self._sort_by(self.rows.order, backwards=not self.rows.backwards)

    def _sort_by(self, sort: str, *, backwards: bool) -> None:
        self.rows.sort_by(sort, backwards=backwards)
        self._keep_rows()

    @command("collection", uses="list_collection_spaces")
    async def list_collection(self, rest: str) -> None:
        """List the spaces of the collection under the cursor, or of the one that a space is in."""
        node = self.rows.selected_item
        while node is not None and node.kind != "collection":
            node = next((each for each in self.rows.nodes if each.id == node.parent), None)
        if node is None:
            self.say("Put the cursor on a collection first.", "warn")
            return
        await self.desk.go("collection-spaces", Target(self.target.organization, item=node.id))

    @command("org", "NAME", uses="list_organizations")
    async def go_organization(self, rest: str) -> None:
        """Go to the organization whose name has these words; without any, to the list of them."""
        words = fold(rest).split()
        if not words:
            await self.desk.go("organizations")
            return
        for found in await read_organizations(await self.session.ready()):
            if all(word in fold(found.title) for word in words):
                await choose(self.session, found.id, found.title)
                self.show_organization(found.id)
                return
        self.say(f"You are in no organization called {rest!r}. Press “g o” for yours.", "warn")

    def status_left(self) -> str:
        waiting = super().status_left()
        if waiting or not self.rows.nodes or self.rows.partial:
            return waiting
        said = plural(self.rows.count("space"), "space")
        folders = self.rows.count("collection")
        return f"{said} in {plural(folders, 'collection')}" if folders else said


def _columns(clock: Callable[[], datetime]) -> list[Column[SpaceNode]]:
    return [
        Column("title", "NAME", present.name, flex=1, minimum=20),
        Column(
            "open", "OPEN", lambda node: present.counted(node, node.open), 5,
            align="right", spoken=present.open_told,
        ),
        Column(
            "draft", "DRAFT", lambda node: present.counted(node, node.draft), 6,
            align="right", drop=4, spoken=present.drafts_told,
        ),
        Column(
            "comments", "CMT", lambda node: present.counted(node, node.comments), 5,
            align="right", drop=2,
        ),
        Column("rules", "RULES", present.rules, 7, drop=3, spoken=present.rules_told),
        Column(
            "updated", "UPDATED", lambda node: present.updated(node, clock()), 8,
            align="right", drop=1,
        ),
    ]  # fmt: skip


def _matching(text: str) -> Callable[[SpaceNode], bool]:
    query = Query.parse(text, present.FIELDS)
    if query.wrong is not None:
        raise ValueError(query.wrong)
    return query.matches

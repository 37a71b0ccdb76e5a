"""Place 1: the collections and spaces of an organization (interaction.md 3.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult

from copydesk.domain.filter import Query, fold
from copydesk.domain.space_tree import (
    DESCENDING,
    SORTS,
    RuleList,
    SpaceNode,
    build_tree,
    from_row,
    rule_list,
    to_row,
    walk,
)
from copydesk.domain.text import clean, plural
from copydesk.tui.actions import action, command
from copydesk.tui.place import Part, Place, View
from copydesk.tui.places import Target, place
from copydesk.tui.present import space as present
from copydesk.tui.trees import TreeSource
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.tree_list import TreeList
from copydesk.tui.widgets.virtual_list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.organization import Organization
    from copydesk.tui.space_reading import Desk

SNAPSHOT = "spaces"
"""The key of the snapshot that names the last organization; its rows are under its id."""

REST_SECONDS = 0.15
"""How long the cursor rests on a row before its details are read."""

TABS = (
    View("spaces", "Spaces"),
    View("changes", "Changes"),
    View("sites", "Sites"),
    View("clusters", "Clusters"),
)
"""The places of an organization, as tabs of this one; their ids are names of places."""


def no_space(here: SpacesPlace) -> str | None:
    """Say so when the cursor is on no space."""
    node = here.rows.selected_item
    if node is None or node.kind != "space":
        return "Put the cursor on a space first."
    return "You have no access to this space." if present.no_access(node) else None


def no_rows(here: SpacesPlace) -> str | None:
    """Say so when there is nothing to order."""
    return None if here.nodes else "There are no spaces to sort."


@place("spaces", key="s", title="Spaces")
class SpacesPlace(Place, scope="spaces"):
    """The tree of an organization, and what there is to know about the row under the cursor."""

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.nodes: tuple[SpaceNode, ...] = ()
        self.sort = "open"
        self.backwards = False
        self._seen: set[str] = set()
        """Collections that were shown before; one that is new is unfolded."""
        self._rules: tuple[str, RuleList] | None = None
        self._details: dict[str, present.Details] = {}
        self._who = ""
        self._written = 0

    # What a place says of itself

    def panes(self) -> ComposeResult:
        """The tree, and the details of its row. The rows of the last run are there at once."""
        source: TreeSource[SpaceNode] = TreeSource(
            key=lambda node: node.id,
            children=lambda node: node.children,
            foldable=lambda node: bool(node.children),
        )
        self.rows: TreeList[SpaceNode] = TreeList(
            source,
            [
                Column("title", "NAME", present.name, flex=1, minimum=20),
                Column("open", "OPEN", lambda node: present.number(node.open), 5, align="right"),
                Column(
                    "draft", "DRAFT", lambda node: present.number(node.draft), 6, align="right",
                    drop=4,
                ),
                Column(
                    "comments", "CMT", lambda node: present.number(node.comments), 5,
                    align="right", drop=2,
                ),
                Column("rules", "  RULES", present.rules, 9, drop=3),
                Column(
                    "updated", "UPDATED",
                    lambda node: present.updated(node, self.session.clock()), 8,
                    align="right", drop=1,
                ),
            ],
            title="Spaces",
            empty="",
            dim=present.no_access,
            id="spaces",
        )  # fmt: skip
        self.rows.filter_items(_filter)
        self.facts = Facts(title="Details", id="space-details")
        self._show_last_run()
        yield Part("main", self.rows)
        yield Part("side", self.facts)

    def trail(self) -> Iterable[str]:
        """Only the organization: this is where everything begins."""
        yield self.session.organization_title or "no organization"

    def views_note(self) -> str:
        """Who is reading, and where."""
        return "  ".join(part for part in (self._who, self.session.host) if part)

    def url(self) -> str | None:
        """Return the address of the space or collection in the platform's application."""
        node = self.rows.selected_item
        return (node.app_url or node.published_url or None) if node is not None else None

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers."""
        node = self.rows.selected_item
        if node is None or node.kind == "loose":
            return []
        choices = [
            ("address", node.app_url),
            ("published address", node.published_url),
            ("title", node.title),
            ("markdown link", f"[{node.title}]({self.url()})"),
            ("id", node.id),
        ]
        return [(name, text) for name, text in choices if text]

    def on_mount(self) -> None:
        """Begin on a space, not on the collection above it."""
        super().on_mount()
        self._rest_on_first_space()

    def _rest_on_first_space(self) -> None:
        first = next((twig for twig in self.rows.source.shown() if twig.item.kind == "space"), None)
        if first is not None:
            self.rows.select(first.id)

    def opened(self) -> None:
        """Show the tabs."""
        self.set_views(TABS, "spaces")
        self._count()

    def view_changed(self) -> None:
        """Go to the place that the tab stands for."""
        chosen, self.view = self.view, "spaces"
        self.refresh_frame()
        if chosen != "spaces":
            self.app.call_later(self.desk.go, chosen)

    def on_screen_resume(self) -> None:
        """Follow a change of organization, and writes made elsewhere."""
        super().on_screen_resume()
        if self.session.organization not in (None, self.target.organization):
            self.show_organization(self.session.organization or "")
        elif len(self.session.log) != self._written:
            self.reload()

    # Reading

    def reload(self) -> None:
        """Read the organization and its tree."""
        self._written = len(self.session.log)
        self._details.clear()
        if not self.nodes:
            self.rows.empty = self.rows.reading
        self.load("spaces", self._read, self._arrived, what="Reading spaces", failed=self._unread)

    def show_organization(self, organization: str, title: str = "") -> None:
        """Show another organization; its rows of the last run come first."""
        self.target = self.target.but(organization=organization)
        self.session.organization = organization
        self.session.organization_title = title
        self.nodes, self._seen, self._rules = (), set(), None
        self.rows.find_clear()
        self.rows.tree_source.set_roots(())
        self.rows.move_first()
        self._show_last_run()
        self._rest_on_first_space()
        self._count()
        self.reload()

    async def _read(self, api: Api) -> tuple[Desk | None, Sequence[Organization]]:
        from copydesk.client.errors import Forbidden, NotFound
        from copydesk.tui import space_reading as reading

        async def who() -> None:
            if self.session.me is None:
                self.session.me = await reading.read_me(api)

        async def desk() -> tuple[Desk | None, Sequence[Organization]]:
            wanted = self.target.organization or self.session.organization
            if wanted is not None:
                try:
                    return await reading.read_desk(api, wanted, progress=self._progress), ()
                except (Forbidden, NotFound):
                    # Only the organization of the last run may be left without a word.
                    if self.target.organization is not None and not self.cached:
                        raise
            organizations = await reading.read_organizations(api)
            if not organizations:
                return None, ()
            # Where the reader has the most to do; the service's order among equals.
            first = max(
                organizations,
                key=lambda each: each.permissions is not None and each.permissions.admin,
            )
            return await reading.read_desk(api, first.id, progress=self._progress), organizations

        (found, organizations), _ = await asyncio.gather(desk(), who())
        return found, organizations

    def _progress(self, read: int) -> None:
        if not self.nodes and self.is_attached:
            self.rows.empty = f"Reading spaces, {read} so far…"
            self.rows.refresh()

    def _arrived(self, answer: tuple[Desk | None, Sequence[Organization]]) -> None:
        found, organizations = answer
        me = self.session.me
        self._who = clean(me.display_name or me.email or "") if me is not None else ""
        if found is None:
            self.rows.empty = (
                "You are in no organization yet. Ask an administrator to invite you, "
                "or check whose token this is."
            )
            self.rows.tree_source.set_roots(())
            self.refresh_frame()
            return
        organization = found.organization
        title = clean(organization.title) or "Untitled"
        self.target = self.target.but(organization=organization.id)
        self.session.organization, self.session.organization_title = organization.id, title
        self._rules = rule_list(organization.merge_rules)
        first_rows, self.nodes = not self.nodes, found.nodes
        self.rows.empty = (
            f"No spaces that you can see in {title}. Ask an administrator, "
            "or go to another organization with go."
        )
        self._show_tree(refresh=True)
        if first_rows:
            self._rest_on_first_space()
        self._count()
        self._look()
        self._keep_rows()
        if not found.complete:
            self.say(
                "This service lists no spaces: shown are those of collections, sites and requests."
            )
        elif len(organizations) > 1:
            self.say(f"You are in {len(organizations)} organizations: go chooses another.")

    def _unread(self, text: str) -> None:
        if not self.nodes:
            self.rows.empty = f"{text} go lists your organizations."
            self.rows.refresh()

    def _count(self) -> None:
        spaces = sum(node.kind == "space" for node in self.nodes)
        count = spaces if self.nodes else None
        self.set_views([View("spaces", "Spaces", count), *TABS[1:]], "spaces")

    # The rows of the last run

    def _show_last_run(self) -> None:
        last = self.session.snapshot.read(SNAPSHOT)
        head: Mapping[str, Any] = last[0] if last else {}
        organization = self.target.organization or self.session.organization
        if organization is None and isinstance(head.get("organization"), str):
            organization = head["organization"]
        if organization is None:
            return
        if head.get("sort") in SORTS:
            self.sort, self.backwards = str(head["sort"]), head.get("backwards") is True
        rows = list(self.session.snapshot.read(f"{SNAPSHOT} {organization}"))
        if not rows:
            return
        about, kept = rows[0], list(filter(None, map(from_row, rows[1:])))
        self.nodes = tuple(kept)
        self.cached = True
        self._who = clean(str(about.get("who", "")))
        self.session.organization = organization
        self.session.organization_title = clean(str(about.get("title", "")))
        self.target = self.target.but(organization=organization)
        folded = {row.get("id") for row in rows[1:] if row.get("folded") is True}
        self._seen = {node.id for node in kept if node.id in folded}
        self._show_tree(refresh=False)

    def on_unmount(self) -> None:
        """Keep what is folded for the next run."""
        super().on_unmount()
        if self.nodes and not self.cached:
            self._last_run()()

    def _keep_rows(self) -> None:
        self.run_worker(asyncio.to_thread(self._last_run()), group="snapshot", exit_on_error=False)

    def _last_run(self) -> Callable[[], None]:
        """Return what keeps the rows as they are now; it may run in a thread."""
        organization = self.target.organization
        unfolded = self.rows.tree_source.unfolded
        rows: list[dict[str, Any]] = [
            {"title": self.session.organization_title, "who": self._who}
        ]
        for node in walk(build_tree(self.nodes, self.sort, backwards=self.backwards)):
            if node.kind != "loose":
                folded = node.kind == "collection" and node.id not in unfolded
                rows.append({**to_row(node), **({"folded": True} if folded else {})})
        head = {"organization": organization, "sort": self.sort, "backwards": self.backwards}
        snapshot = self.session.snapshot

        def write() -> None:
            # A snapshot is a convenience: a full disk is no reason to bother anybody.
            with suppress(OSError):
                snapshot.write(f"{SNAPSHOT} {organization}", rows)
                snapshot.write(SNAPSHOT, [head])

        return write

    # The tree

    def _show_tree(self, *, refresh: bool) -> None:
        roots = build_tree(self.nodes, self.sort, backwards=self.backwards)
        source = self.rows.tree_source
        branches = {node.id for node in walk(roots) if node.kind != "space"}
        source.unfolded |= branches - self._seen
        self._seen |= branches
        # While a filter is on, what matches is shown as it is; nothing waits behind it.
        if refresh and not source.filtering:
            source.merge_roots(roots)
        else:
            source.set_roots(roots)
        self.rows.sort = (self.sort, (self.sort in DESCENDING) != self.backwards)
        self.rows.note = f"sort: {SORTS[self.sort]}" + (", reversed" if self.backwards else "")
        if self.rows.is_attached:
            self.rows.retitle()

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show what is known at once, and read the rest when the cursor rests."""
        self._look()

    def _look(self) -> None:
        self._show_facts()
        node = self.rows.selected_item
        self.cancel_load("details")
        if node is not None and node.kind == "space" and node.id not in self._details:
            if self.session.api is None or present.no_access(node):
                return
            self._read_details(node)

    def _show_facts(self) -> None:
        node = self.rows.selected_item
        if node is None:
            self.facts.show([], title="Details")
            return
        found = present.facts(
            node,
            self.session.clock(),
            organization_rules=self._rules,
            details=self._details.get(node.id),
        )
        self.facts.show(found, title=node.title)
        self.refresh_frame()

    def _read_details(self, node: SpaceNode) -> None:
        from copydesk.tui.space_reading import read_details

        organization = self.target.organization or ""
        me = self.session.me.id if self.session.me is not None else None
        rules = node.rules if node.rules_type != "inherit" else (self._rules or ("", ()))[1]
        people = list(dict.fromkeys(user for _, users in rules for user in users))[:8]

        def arrived(details: present.Details) -> None:
            self._details[node.id] = details
            self._show_facts()

        self.load(
            "details",
            lambda api: read_details(api, node, organization, me, people),
            arrived,
            what=f"Reading about {node.title}",
            after=REST_SECONDS,
        )

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Fold a collection; go to the change requests of a space."""
        node = self.rows.selected_item
        if node is None:
            return
        if node.kind != "space":
            self.rows.toggle()
        elif present.no_access(node):
            self.say("You have no access to this space. Ask whoever administers it.", "warn")
        else:
            self.app.call_later(self.desk.go, "changes", self._space(node))

    def _space(self, node: SpaceNode) -> Target:
        return Target(organization=self.target.organization, space=node.id)

    # Actions

    @action(
        "g p", "pages", unless=no_space, uses=("list_space_pages", "get_space_page"), show=20,
        group="Go",
    )
    async def read_pages(self) -> None:
        """Read the pages of the space under the cursor."""
        node = self.rows.selected_item
        if node is not None:
            await self.desk.go("pages", self._space(node))

    @action("s", "sort", unless=no_rows, show=8, group="Look")
    async def choose_sort(self) -> None:
        """Choose the order of collections and spaces."""
        from copydesk.tui.widgets.choice import Choice, Option

        options = [Option(sort, title) for sort, title in SORTS.items()]
        chosen = await self.desk.push_screen_wait(
            Choice("Sort spaces by", options, current=self.sort)
        )
        if chosen is not None:
            self._sort_by(chosen, backwards=False)

    @action("S", "reverse sort", unless=no_rows, show=False, group="Look")
    def reverse_sort(self) -> None:
        """Turn the order round."""
        self._sort_by(self.sort, backwards=not self.backwards)

    def _sort_by(self, sort: str, *, backwards: bool) -> None:
        self.sort, self.backwards = sort, backwards
        self._show_tree(refresh=False)
        self._keep_rows()

    @command("org", "NAME", uses="list_organizations")
    async def go_organization(self, rest: str) -> None:
        """Go to the organization whose name has these words; without any, to the list of them."""
        from copydesk.tui.space_reading import read_organizations

        words = fold(rest).split()
        if not words:
            await self.desk.go("organizations")
            return
        for found in await read_organizations(await self.session.ready()):
            if all(word in fold(found.title) for word in words):
                self.show_organization(found.id, clean(found.title))
                return
        self.say(f"You are in no organization called {rest!r}. go lists them.", "warn")

    @action("i", "details", show=False, group="Look")
    def details(self) -> None:
        """Go to the details; Tab comes back."""
        self.remove_class("-no-side")
        self.desk.step_pane(1)

    def status_left(self) -> str:
        """Say what waits, or what is shown."""
        waiting = super().status_left()
        if waiting or not self.nodes:
            return waiting
        kinds = [node.kind for node in self.nodes]
        said = plural(kinds.count("space"), "space")
        folders = kinds.count("collection")
        return f"{said} in {plural(folders, 'collection')}" if folders else said


def _filter(text: str) -> Callable[[SpaceNode], bool]:
    query = Query.parse(text, present.FIELDS)
    if query.problems and query.empty:
        raise ValueError(query.problems[0].sentence)
    return query.matches

"""Collections and spaces, to be rearranged: their tree, and the trash."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from rich.text import Text
from textual.app import ComposeResult

from copydesk.domain.arrangement import StagingError
from copydesk.domain.layout import TOP, Layout
from copydesk.domain.space_tree import TRASH, SpaceNode
from copydesk.domain.text import plural
from copydesk.domain.tree_arrangement import TreeArrangement
from copydesk.present.facts import Fact
from copydesk.present.json_views import OF_NODE, Raw, node_raw
from copydesk.session.draft_keys import tree_key
from copydesk.session.errors import NotDoneError
from copydesk.session.glyphs import glyphs
from copydesk.session.reads.tree import Trashed, TreeRead
from copydesk.session.target import Target
from copydesk.session.writes.undo import Past
from copydesk.tui.arrange import cells as staged
from copydesk.tui.arrange.cells import Row
from copydesk.tui.arrange.place import VIEWS, ArrangingPlace, not_allowed, nothing_staged
from copydesk.tui.arrange.tree import ArrangedTree
from copydesk.tui.framework.actions import action
from copydesk.tui.framework.keyboard import tell_failures
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part
from copydesk.tui.framework.styles import style_path
from copydesk.tui.framework.trees import TreeSource
from copydesk.tui.spaces import tree_cells as present
from copydesk.tui.spaces.details import RestingDetails
from copydesk.tui.spaces.tree_commands import (
    CreationCommands,
    DeletionCommands,
    EditCommands,
    in_trash,
    lacks,
)
from copydesk.tui.widgets.facts import Facts
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.domain.arrange_run import ArrangeRun
    from copydesk.domain.arrangement import Arrangement


WRITTEN = 12
"""So many writes of this machine are listed beside the tree."""

_TREE_STEPS = frozenset({"local.line_up", "local.order_collections"})
_TREE_OPERATIONS = ("_space", "_collection")


class TreeDetails:
    """The row under the cursor, and what was changed from here."""

    def __init__(self, here: OrganizationStructurePlace) -> None:
        self.here = here
        self._details = RestingDetails(here, self._show_facts)
        self._written: list[Past] = []
        """What this machine changed here and can take back, newest first."""

    def forget(self) -> None:
        """Read the details of every row again."""
        self._details.forget()

    def show_written(self) -> None:
        """Show what this machine changed here."""
        lasting = self.here.session.history.lasting_in(self.here.organization)
        now = self.here.session.clock()
        self.here.written.show(staged.written_facts(self._written, now, lasting))

    def look_back(self) -> None:
        """Find what this machine changed in the tree and can take back."""
        here = {*self.here.known_nodes, *self.here.trashed, self.here.organization}
        mine = [
            past
            for past in self.here.session.history.known.values()
            if any(
                step.operation in _TREE_STEPS
                or (
                    step.operation.endswith(_TREE_OPERATIONS)
                    and any(isinstance(v, str) and v in here for v in step.arguments.values())
                )
                for step in past.reversal.back
            )
        ]
        mine.sort(key=lambda past: (past.entry.at, past.number), reverse=True)
        self._written = mine[:WRITTEN]

    def look(self) -> None:
        """Show what is known of the row; read the rest when the cursor rests."""
        row = self.here.row
        self.here.facts.show(
            self._facts_of(row),
            title="Row" if row is None else row.title,
            about=None if row is None else row.id,
        )
        rules = () if self.here.read is None else self.here.read.rules[1]
        self._details.rest(self.here.node, self.here.organization, rules)

    def _show_facts(self) -> None:
        row = self.here.row
        self.here.facts.show(self._facts_of(row), about=None if row is None else row.id)

    def _facts_of(self, row: Row | None) -> Sequence[Fact]:
        if row is None or self.here.read is None:
            return ()
        if row.id == TRASH:
            return present.TRASH_FACTS
        now = self.here.session.now
        if row.level == TRASH:
            found = self.here.trashed.get(row.id)
            return () if found is None else present.trash_facts(found, now)
        return present.row_facts(
            row,
            self.here.shown,
            self.here.arrangement.base,
            self.here.node,
            now,
            rules=self.here.read.rules,
            details=self._details.of(row.id),
            unread=self._details.unread(row.id),
        )


NOTHING_STAGED = (
    "Nothing is staged: this is how it is.",
    "J and K move a row, > and < into a collection and out, e changes it, ctrl+n adds one.",
    "Nothing is sent until ctrl+s.",
)

AFTER_PLAN = ("If a request fails, it stops and asks.",)

LIVE = "It holds at once for everybody; there is no draft of it on the service."


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody who comes from another place wants: a row, and the action to begin there."""

    row: str
    action: str = ""


WANTED = "organization-structure"
"""The key in `Session.left` of what is `Wanted`."""


@place(
    "organization-structure",
    key="a",
    title="Collections and spaces",
    uses=("list_organization_collections", "list_organization_spaces", "list_site_spaces"),
)
class OrganizationStructurePlace(ArrangingPlace[TreeRead], scope="organization_structure"):
    """The tree of an organization. What is changed in it is staged, then sent."""

    RAW = OF_NODE
    COMMAND_CLASSES = (EditCommands, CreationCommands, DeletionCommands)

    CSS_PATH = style_path("organization_structure")
    what_it_is = "The tree"
    boxes = ("collection",)
    sorts = ("title",)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.arrangement = TreeArrangement.on(Layout({}, {TOP: ()}), self.target.organization or "")
        self.trashed: Mapping[str, Trashed] = {}
        """The spaces in the trash, as far as they are known, by id."""
        self.revealing: str | None = None
        """The row to go to once the tree has been read again."""
        self.details_of_row = TreeDetails(self)
        self._trash_read = False
        self._unfolded: set[str] = {TOP}
        """The collections that were shown before: a new one is unfolded, once."""

    # What a place says of itself

    def panes(self) -> ComposeResult:
        """The tree; beside it the row, the plan, and what was changed here."""
        source: TreeSource[Row] = TreeSource(
            key=lambda row: row.id,
            children=lambda row: row.children,
            foldable=lambda row: bool(row.children),
        )
        self.rows = ArrangedTree(
            source,
            self._columns(),
            title="Collections and spaces",
            empty="Reading the tree…",
            sign=lambda row: staged.sign(row, self.shown),
            id="tree",
        )
        self.rows.pickable = self._not_pickable
        self.facts = Facts(title="Row", id="tree-row")
        self.plan = Facts(title="Plan", id="tree-plan", classes="drawer-hidden")
        self.written = Facts(
            title="Changes made from this machine",
            empty="None that can be taken back.",
            id="tree-written",
        )
        yield Part("main", self.rows)
        yield Part("side", self.facts, self.plan, self.written)

    def _columns(self) -> list[Column[Row]]:
        def state(row: Row) -> Text:
            now = self.session.now
            return present.state_cell(present.state(row, self.shown, self.trashed, now))

        def base() -> Layout:
            return self.arrangement.base

        return [
            Column("now", "NOW", lambda row: present.now(row, self.shown), 4),
            Column("was", "WAS", lambda row: present.was(row, self.shown, base()), 4),
            Column(
                "title", "NAME", lambda row: present.name(row, self.shown, self.known_nodes),
                flex=1, minimum=24,
            ),
            Column("shift", "", lambda row: present.shift(row, self.shown, base()), 4),
            Column("rules", "RULES", lambda row: present.rules(row, self.shown), 8, drop=2),
            Column(
                "open", "OPEN", lambda row: present.open_requests(row, self.known_nodes), 4,
                align="right", drop=3,
            ),
            Column("state", "  STATE", state, 13, drop=1),
        ]  # fmt: skip

    def _not_pickable(self, row: Row) -> str | None:
        if TRASH in (row.id, row.level):
            return "It is in the trash: D restores it."
        if self.shown.state(row).removed:
            return f"{row.title} is going to be deleted. u brings it back."
        return None

    def trail(self) -> Iterable[str]:
        """The organization, that this is its tree, and what is staged."""
        known = self.read.title if self.read is not None else self.session.organization_title
        yield known or "no organization"
        yield "Collections and spaces"
        if self.refused:
            yield "read-only"
        elif self.staged_note:
            yield self.staged_note

    def signs(self) -> Sequence[tuple[str, str]]:
        """Return the signs of the tree."""
        return [*staged.signs(), (glyphs().right, "comes from elsewhere")]

    def status_left(self) -> str:
        """What is staged; what there is, and what is not shown."""
        said = super().status_left()
        if said != VIEWS["base"] or self.read is None:
            return said
        items = self.arrangement.base.items.values()
        count = sum(item.kind == "space" for item in items)
        told = [f"{plural(count, 'space')} in {plural(len(items) - count, 'collection')}"]
        if self.read.hidden:
            told.append(f"{self.read.hidden} in collections that you cannot see are not shown")
        if not self.read.listed:
            told.append("this service lists no spaces: only those found elsewhere are shown")
        return "   ".join(told)

    def raw(self) -> Raw | None:
        """Return where the JSON of the space or collection comes from."""
        return node_raw(self.node)

    def url(self) -> str | None:
        """Return the address of what is under the cursor in the platform's application."""
        node = self.node
        return (node.app_url or node.published_url or None) if node is not None else None

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers."""
        row, node = self.row, self.node
        if row is None or row.id == TRASH:
            return []
        choices = [
            ("address", node.app_url if node is not None else ""),
            ("published address", node.published_url if node is not None else ""),
            ("title", row.title),
            ("id", "" if row.id.startswith("new:") else row.id),
        ]
        return [(name, text) for name, text in choices if text]

    def space_at_hand(self) -> str | None:
        """Return the space under the cursor."""
        node = self.node
        return node.id if node is not None and node.kind == "space" else None

    # What is arranged

    @property
    def node(self) -> SpaceNode | None:
        """What the service told of the row under the cursor; None of one that is only staged."""
        if self.row is None or self.read is None:
            return None
        return self.read.nodes.get(self.row.id)

    @property
    def known_nodes(self) -> Mapping[str, SpaceNode]:
        """What the service told of every row."""
        return {} if self.read is None else self.read.nodes

    @property
    def staged_tree(self) -> TreeArrangement:
        """What is staged."""
        return cast("TreeArrangement", self.arrangement)

    @property
    def organization(self) -> str:
        """The id of the organization."""
        return self.target.organization or self.session.organization or ""

    @property
    def draft_key(self) -> str:
        """The key under which what is staged of the organization is kept."""
        return tree_key(self.organization)

    @property
    def about(self) -> str:
        """The title of the organization."""
        return self.read.title if self.read is not None else "the organization"

    @property
    def run_target(self) -> str:
        """The id of the organization."""
        return self.organization

    def fresh(self, layout: Layout) -> Arrangement:
        """Return nothing staged, on how it is."""
        listed = self.read is None or self.read.listed
        return replace(TreeArrangement.on(layout, self.organization), listed=listed)

    async def read_layout(self, api: Api) -> Layout:
        """Read the tree again."""
        from copydesk.session.reads.tree import read_tree

        self.read = await read_tree(api, self.organization)
        return self.read.layout

    @property
    def beyond(self) -> str:
        """What to say of the trash: it has no order."""
        return in_trash(self) or ""

    def further_rows(self) -> Sequence[Row]:
        """Return the trash, below all that is arranged."""
        if self.showing != "now":
            return ()
        there = self.arrangement.base.items
        return present.trash_rows([each for each in self.trashed.values() if each.id not in there])

    # Staging

    def stage(self, change: Callable[[Arrangement], Arrangement]) -> bool:
        """Stage a change of what the reader may change; False when it cannot be."""
        row = self.row
        if not self.rows.marks and row is not None and TRASH in (row.id, row.level):
            self.say(in_trash(self) or "", "warn")
            return False
        return super().stage(lambda it: self.allowed(change(it)))

    def allowed(self, arrangement: Arrangement) -> Arrangement:
        """Return it, unless the reader's roles do not reach. Raises `StagingError`."""
        now, base = arrangement.now, arrangement.base
        for row, state in arrangement.states.items():
            node = self.known_nodes.get(row)
            if node is not None and lacks(node, "admin"):
                raise StagingError(f"Moving or changing {node.title} takes the role admin in it.")
            if state.new or (state.moved and now.level_of(row) != base.level_of(row)):
                self._check_into(now.level_of(row))
        return arrangement

    def _check_into(self, level: str) -> None:
        node = self.known_nodes.get(level)
        if node is not None and lacks(node, "create"):
            raise StagingError(f"Putting something into {node.title} takes the role create in it.")
        if level == TOP and self.read is not None and not self.read.creates:
            raise StagingError("Putting something at the top takes the right to create content.")

    def stage_or_refuse(self, change: Callable[[], Arrangement]) -> None:
        """Stage something from a sheet; where it cannot be, the sheet says why and stays."""
        try:
            self.staged(self.allowed(change()))
        except StagingError as stuck:
            raise NotDoneError(str(stuck)) from stuck

    def no_box(self, picked: Sequence[str]) -> None:
        """Choose the collection to go into, where none stands above."""
        asking = self.commands_of(CreationCommands).choose_collection()
        self.run_worker(tell_failures(self, asking), group="ask")

    # Reading

    def reload(self) -> None:
        """Read the tree; what is staged is put on top of it. Then the trash is looked up."""
        self.details_of_row.forget()
        self._trash_read = False
        self.load(
            "tree", self.read_first, self._arrived, what="Reading the tree",
            failed=self.not_arrived,
        )  # fmt: skip

    async def read_all(self, api: Api) -> TreeRead | None:
        """Read the tree of the organization."""
        from copydesk.session.reads.tree import read_tree

        organization = self.target.organization or self.session.organization
        if organization is None:
            return None
        found = await read_tree(api, organization)
        self.target = self.target.but(organization=organization)
        if self.session.organization in (None, organization):
            self.session.organization, self.session.organization_title = organization, found.title
        return found

    def _arrived(self, read: tuple[TreeRead, ArrangeRun | None] | None) -> None:
        if read is None:
            self.rows.say_instead("Which organization? go lists them.")
            return
        found, unfinished = read
        self.read, self.refused = found, found.refused
        self.rows.empty = "Nothing that you can see is here yet. ctrl+n adds a collection."
        layout = found.layout
        if self.known:
            self.sender.read_anew(layout)
        else:
            self.sender.begin(layout, unfinished)
            # What was kept does not know what the service can list.
            self.arrangement = replace(self.staged_tree, listed=found.listed)
            self.commands_of(DeletionCommands).read_losing(
                [row for row, item in self.arrangement.removed.items() if item.kind == "space"]
            )
        self.details_of_row.look_back()
        self.show_arrangement()
        if self.revealing is not None:
            self.rows.reveal(self.revealing)
            self.revealing = None
        if self.resuming:
            self.resume_draft(self.resuming)
        self._begin_wanted()
        if not self._trash_read:
            self._trash_read = True
            self._read_trash(found)

    def _read_trash(self, found: TreeRead) -> None:
        from copydesk.session.reads.tree import read_trash

        def arrived(trashed: tuple[Trashed, ...]) -> None:
            self.trashed = {each.id: each for each in trashed}
            self.rows.tree_source.unfolded.add(TRASH)
            self.details_of_row.look_back()
            self.show_arrangement()

        self.load(
            "trash",
            lambda api: read_trash(self.session, api, found.organization, found.layout.items),
            arrived,
            what="Looking into the trash",
            kept="never",
        )

    # Coming from the list of spaces

    def on_screen_resume(self) -> None:
        """Do what somebody came for."""
        super().on_screen_resume()
        if self.known:
            self._begin_wanted()

    def _begin_wanted(self) -> None:
        wanted = self.session.left.pop(WANTED, None)
        if not isinstance(wanted, Wanted) or (wanted.row and not self.rows.reveal(wanted.row)):
            return
        if wanted.action:
            self.do_soon(wanted.action)

    # What is on screen

    def show_arrangement(self, cursor: str | None = None) -> None:
        """Show what is staged; a collection that was never shown before is unfolded."""
        fresh = self.arrangement.now.levels.keys() - self._unfolded
        self.rows.tree_source.unfolded |= fresh
        self._unfolded |= fresh
        super().show_arrangement(cursor)

    def draw(self) -> None:
        """Show the plan, the row, and what was changed from here."""
        losing = self.commands_of(DeletionCommands).losing_lines()
        self.LIVE = "\n".join([LIVE, *losing])
        self.plan.title = staged.plan_title(self.calls)
        after = (*losing, *AFTER_PLAN)
        nothing = NOTHING_STAGED[: 1 if self.session.read_only else None]
        self.plan.show(staged.plan_facts(self.calls, nothing=nothing, after=after))
        # A narrow drawer has room for one: what is staged matters more than a row's details.
        self.facts.set_class(bool(self.calls), "drawer-hidden")
        self.plan.set_class(not self.calls, "drawer-hidden")
        self.details_of_row.show_written()
        self.details_of_row.look()

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show what is known of the row, and read the rest when the cursor rests."""
        self.details_of_row.look()

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        """Drop what is picked; else fold or unfold; restore; go to the requests of a space."""
        row = self.row
        if row is None:
            return
        if self.rows.marks:
            self.drop_picked()
        elif row.level == TRASH:
            self.do_soon("delete_or_restore")
        elif row.children:
            self.rows.toggle()
        elif row.kind == "space" and row.id in self.known_nodes:
            target = Target(organization=self.organization, space=row.id)
            self.desk.go_soon("changes", target)

    @action(
        "ctrl+s", "send", unless=(not_allowed, nothing_staged), danger=2, show=38, group="Order",
        override=True,
        uses=(
            "move_space", "move_collection", "update_space", "update_collection", "create_space",
            "create_collection", "duplicate_space", "delete_space", "delete_collection",
            "list_organization_spaces", "list_organization_collections",
        ),
        takes="none",
    )  # fmt: skip
    async def apply(self) -> None:
        """Send what is staged, after reading the tree again. It shows the plan first."""
        await self.sender.send_staged()
        if self.read is not None:  # what was deleted is in the trash now
            self._read_trash(self.read)

"""Collections and spaces, to be rearranged: their tree, and the trash."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult

from copydesk.domain.address import shown_at, web_address
from copydesk.domain.arrangement import StagingError
from copydesk.domain.layout import TOP, Layout
from copydesk.domain.moments import age
from copydesk.domain.space_tree import TRASH, SpaceNode
from copydesk.domain.text import plural, shown_subject
from copydesk.domain.tree_arrangement import TreeArrangement
from copydesk.present.facts import Fact
from copydesk.present.raw_json import OF_NODE, Raw, node_raw
from copydesk.session.draft_keys import tree_key
from copydesk.session.glyphs import glyphs
from copydesk.session.reads.tree import TrashedSpace, TreeRead, read_trash, read_tree
from copydesk.session.target import Target
from copydesk.tui.arrange import cells as staged
from copydesk.tui.arrange.cells import VIEWS, ArrangedRow, ArrangedTree, PlanPane, WrittenPane
from copydesk.tui.arrange.place import ArrangingPlace
from copydesk.tui.framework.keyboard import tell_failures
from copydesk.tui.framework.navigation import place
from copydesk.tui.framework.place import Part, style_path
from copydesk.tui.resource.place import ResourcePlace
from copydesk.tui.resource.resource import Facet, Resource, pages_of
from copydesk.tui.spaces import tree_cells as present
from copydesk.tui.spaces.cells import OPEN
from copydesk.tui.spaces.list import WANTED, RestingDetails, WantedRow, holder_of
from copydesk.tui.spaces.tree_commands import (
    TreeCreationCommands,
    TreeDeletionCommands,
    TreeEditCommands,
    in_trash,
    lacks,
)
from copydesk.tui.widgets.facts import Facts

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.change_request import ChangeRequest
    from copydesk.contract.models.space import Space
    from copydesk.domain.arrange_run import ArrangeRun
    from copydesk.domain.arrangement import Arrangement
    from copydesk.domain.reversal import Step

_TREE_STEPS = frozenset({"local.line_up", "local.order_collections"})
_TREE_OPERATIONS = ("_space", "_collection")

NOTHING_STAGED = (
    "Nothing is staged: this is how it is.",
    "J and K move a row, > and < into a collection and out, e changes it, ctrl+n adds one.",
    "Nothing is sent until ctrl+s.",
)

AFTER_PLAN = ("If a call fails, it stops and asks.",)

LIVE = "This holds at once for everyone; there is no draft of it on the service."


def check_roles(arrangement: Arrangement, read: TreeRead) -> None:
    """Raise `StagingError` where a staged change takes a role that the reader has not."""
    now, base = arrangement.now, arrangement.base
    for row, state in arrangement.states.items():
        node = read.nodes.get(row)
        if node is not None and lacks(node, "admin"):
            raise StagingError(f"Moving or changing {node.title} takes the role admin in it.")
        if not (state.new or (state.moved and now.level_of(row) != base.level_of(row))):
            continue
        level = now.level_of(row)
        into = read.nodes.get(level)
        if into is not None and lacks(into, "create"):
            raise StagingError(f"Putting something into {into.title} takes the role create in it.")
        if level == TOP and not read.creates:
            raise StagingError("Putting something at the top takes the right to create content.")


@place(
    "organization-structure",
    key="a",
    title="Collections and spaces",
    uses=("list_organization_collections", "list_organization_spaces", "list_site_spaces"),
)
class OrganizationStructurePlace(ArrangingPlace[TreeRead]):
    """The tree of an organization. What is changed in it is staged, then sent."""

    RAW = OF_NODE
    COMMAND_CLASSES = (TreeEditCommands, TreeCreationCommands, TreeDeletionCommands)

    CSS_PATH = style_path("organization_structure")
    what_it_is = "The tree"
    boxes = ("collection",)
    sorts = ("title",)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.trashed: Mapping[str, TrashedSpace] = {}
        """The known spaces in the trash, by id."""
        self.revealing: str | None = None
        """The row to go to once the tree has been read again."""
        self._details = RestingDetails(self, self._show_facts)
        self._trash_read = False
        self._unfolded: set[str] = {TOP}
        """The collections that were shown before: a new one is unfolded, once."""

    # What a place says of itself

    def panes(self) -> ComposeResult:
        self.rows = ArrangedTree(
            present.tree_columns(
                lambda: self.order.shown,
                lambda: self.known_nodes,
                lambda row: present.state(row, self.order.shown, self.trashed, self.session.now),
            ),
            title="Collections and spaces",
            empty="Reading the tree…",
            order=self.order,
            pickable=self._not_pickable,
            id="tree",
        )
        self.facts = Facts(title="Row", id="tree-row")
        self.plan = PlanPane(NOTHING_STAGED, id="tree-plan")
        self.written = WrittenPane(self._is_of_tree, id="tree-written")
        yield Part("main", self.rows)
        yield Part("side", self.facts, self.plan, self.written)

    def _not_pickable(self, row: ArrangedRow) -> str | None:
        if TRASH in (row.id, row.level):
            return "This is in the trash: D restores it."
        if self.order.shown.state(row).removed:
            return f"{row.title} is going to be deleted. u brings it back."
        return None

    def breadcrumb(self) -> Iterable[str]:
        known = self.read.title if self.read is not None else self.session.organization_title
        yield known or "no organization"
        yield "Collections and spaces"
        yield from self.standing()

    def signs(self) -> Sequence[tuple[str, str]]:
        return [*staged.signs(), (glyphs().right, "comes from elsewhere")]

    def status_left(self) -> str:
        said = super().status_left()
        if said != VIEWS["base"] or self.read is None:
            return said
        items = self.draft.arrangement.base.items.values()
        count = sum(item.kind == "space" for item in items)
        told = [f"{plural(count, 'space')} in {plural(len(items) - count, 'collection')}"]
        if self.read.hidden:
            told.append(f"{self.read.hidden} in collections that you cannot see are not shown")
        if not self.read.listed:
            told.append("this service lists no spaces: only those found elsewhere are shown")
        return "   ".join(told)

    def raw(self) -> Raw | None:
        return node_raw(self.node)

    def url(self) -> str | None:
        node = self.node
        return (shown_at(node.app_url, node.published_url) or None) if node is not None else None

    def copies(self) -> Sequence[tuple[str, str]]:
        row, node = self.row, self.node
        if row is None or row.id == TRASH:
            return []
        return [
            ("address", node.app_url if node is not None else ""),
            ("published address", node.published_url if node is not None else ""),
            ("title", row.title),
            ("id", "" if row.id.startswith("new:") else row.id),
        ]

    def space_at_hand(self) -> str | None:
        node = self.node
        return node.id if node is not None and node.kind == "space" else None

    def holder_at_hand(self) -> Target:
        return holder_of(self.node)

    # What is arranged

    @property
    def node(self) -> SpaceNode | None:
        """What the service told of the row under the cursor; None of one that is only staged."""
        return None if self.row is None else self.known_nodes.get(self.row.id)

    @property
    def known_nodes(self) -> Mapping[str, SpaceNode]:
        """What the service told of every row."""
        return {} if self.read is None else self.read.nodes

    @property
    def staged_tree(self) -> TreeArrangement:
        """What is staged."""
        return cast("TreeArrangement", self.draft.arrangement)

    @property
    def home(self) -> str:
        """The id of the organization; empty when none is chosen."""
        return self.organization or ""

    @property
    def draft_key(self) -> str:
        return tree_key(self.home)

    @property
    def about(self) -> str:
        return self.read.title if self.read is not None else "the organization"

    @property
    def run_target(self) -> str:
        return self.home

    def fresh(self, layout: Layout) -> Arrangement:
        listed = self.read is None or self.read.listed
        return replace(TreeArrangement.on(layout, self.home), listed=listed)

    async def read_layout(self, api: Api) -> Layout:
        self.read = await read_tree(api, self.home)
        return self.read.layout

    @property
    def beyond(self) -> str:
        return in_trash(self) or ""

    def further_rows(self) -> Sequence[ArrangedRow]:
        there = self.draft.arrangement.base.items
        return present.trash_rows([each for each in self.trashed.values() if each.id not in there])

    # Staging

    def allowed(self, arrangement: Arrangement) -> Arrangement:
        if self.read is not None:
            check_roles(arrangement, self.read)
        return arrangement

    def no_box(self, picked: Sequence[str]) -> None:
        asking = self.commands_of(TreeCreationCommands).choose_collection()
        self.run_worker(tell_failures(self, asking), group="ask")

    # Reading

    def reload(self) -> None:
        self._details.forget()
        self._trash_read = False
        super().reload()

    async def read_all(self, api: Api) -> TreeRead | None:
        organization = self.organization
        if organization is None:
            return None
        found = await read_tree(api, organization)
        self.target = self.target.but(organization=organization)
        if self.session.organization in (None, organization):
            self.session.organization, self.session.organization_title = organization, found.title
        return found

    @property
    def no_rows(self) -> str:
        return "Nothing that you can see is here yet. ctrl+n adds a collection."

    def begun(self, found: TreeRead) -> None:
        # What was kept does not know what the service can list.
        self.draft.arrangement = replace(self.staged_tree, listed=found.listed)
        self.commands_of(TreeDeletionCommands).read_losing(self.staged_tree.removed)

    def arrived(self, read: tuple[TreeRead, ArrangeRun | None] | None) -> None:
        super().arrived(read)
        if read is None:
            return
        if self.revealing is not None:
            self.rows.reveal(self.revealing)
            self.revealing = None
        self._begin_wanted()
        if not self._trash_read:
            self._trash_read = True
            self.read_trash()

    def read_trash(self) -> None:
        """Read the trash, and show it below the tree."""
        if self.read is None:
            return
        organization, there = self.read.organization, self.read.layout.items

        def arrived(trashed: tuple[TrashedSpace, ...]) -> None:
            self.trashed = {each.id: each for each in trashed}
            self.rows.tree_source.unfolded.add(TRASH)
            self.written.look_back(self.session)
            self.show_arrangement()

        self.reads.load(
            "trash",
            lambda api: read_trash(self.session, api, organization, there),
            arrived,
            what="Looking into the trash",
            kept="never",
        )

    # Coming from the list of spaces

    def on_screen_resume(self) -> None:
        if self.known:
            self._begin_wanted()

    def _begin_wanted(self) -> None:
        wanted = self.session.left.pop(WANTED, None)
        if isinstance(wanted, WantedRow) and (not wanted.row or self.rows.reveal(wanted.row)):
            self.do_soon(wanted.action)

    # What is on screen

    def show_arrangement(self, cursor: str | None = None) -> None:
        """Show the arrangement; a collection that was never shown before is unfolded."""
        fresh = self.draft.arrangement.now.levels.keys() - self._unfolded
        self.rows.tree_source.unfolded |= fresh
        self._unfolded |= fresh
        super().show_arrangement(cursor)

    @property
    def live(self) -> str:
        return "\n".join([LIVE, *self.commands_of(TreeDeletionCommands).losing_lines()])

    @property
    def after_plan(self) -> Sequence[str]:
        return (*self.commands_of(TreeDeletionCommands).losing_lines(), *AFTER_PLAN)

    def _is_of_tree(self, step: Step) -> bool:
        """Whether a step is about something in the tree or the trash."""
        if not step.operation.endswith(_TREE_OPERATIONS):
            return step.operation in _TREE_STEPS
        named = [value for value in step.arguments.values() if isinstance(value, str)]
        known = self.known_nodes, self.trashed, (self.home,)
        return any(value in where for value in named for where in known)

    def show_details(self) -> None:
        row = self.row
        self._show_facts("Row" if row is None else row.title)
        rules = () if self.read is None else self.read.rules[1]
        self._details.rest(self.node, self.home, rules)

    def _show_facts(self, title: str | None = None) -> None:
        row = self.row
        about = None if row is None else row.id
        self.facts.show(self._facts_of(row), title=title, about=about)

    def _facts_of(self, row: ArrangedRow | None) -> Sequence[Fact]:
        if row is None or self.read is None:
            return ()
        if row.id == TRASH:
            return present.TRASH_FACTS
        now = self.session.now
        if row.level == TRASH:
            found = self.trashed.get(row.id)
            return () if found is None else present.trash_facts(found, now)
        return present.row_facts(
            row,
            self.order.shown,
            self.node,
            now,
            rules=self.read.rules,
            details=self._details.of(row.id),
            unread=self._details.unread(row.id),
        )

    def open_row(self, row: ArrangedRow) -> None:
        if row.level == TRASH:
            self.do_soon("delete_or_restore")
        elif row.kind == "space" and row.id in self.known_nodes:
            target = Target(organization=self.organization, space=row.id)
            self.desk.go_soon("changes", target)

    async def send(self) -> None:
        await super().send()
        self.read_trash()


COLLECTION_SPACES: Resource[Space] = Resource(
    noun="space",
    title="Spaces of a collection",
    pages=pages_of("list_collection_spaces", "item"),
    key=lambda space: space.id,
    label=lambda space: space.title,
    shown=(
        Facet("title", "NAME", lambda space, now: space.title or "Untitled", flex=1, minimum=20,
              detail=False, sort=lambda space: space.title),
        Facet("visibility", "VISIBILITY", lambda space, now: space.visibility, 12, drop=1),
        Facet("comments", "COMMENTS", lambda space, now: str(space.comments), 8, align="right",
              drop=2, sort=lambda space: space.comments),
        Facet("open", "OPEN", lambda space, now: str(space.change_requests_open), 5,
              align="right", sort=lambda space: space.change_requests_open),
        Facet("updated", "UPDATED", lambda space, now: age(space.updated_at, now), 8,
              sort=lambda space: space.updated_at),
    ),
    empty="This collection holds no space itself.",
    of="item",
    get="get_space",
    arguments=lambda target, space: (space.id,),
    url=lambda space: web_address(space.urls.app) or None,
    contents=lambda: (OPEN_REQUESTS,),
)  # fmt: skip
"""Spaces that stand in a collection itself, not in one below it."""


OPEN_REQUESTS: Resource[ChangeRequest] = Resource(
    noun="change request",
    title=OPEN,
    pages=pages_of("list_space_change_requests", "item"),
    key=lambda request: request.id,
    label=lambda request: f"#{request.number} {shown_subject(request.subject)}",
    shown=(Facet("age", "AGE", lambda request, now: age(request.updated_at, now)),),
    empty="No change request is open.",
    of="item",
    beside=0,
)
"""The open change requests of a space."""


@place(
    "collection-spaces",
    title="Spaces of a collection",
    uses=("list_collection_spaces", "list_space_change_requests"),
)
class CollectionSpacesPlace(ResourcePlace["Space"], scope="collection_spaces"):
    """The spaces of one collection; :collection on its row in the spaces opens this."""

    NO_ITEM = "No collection is chosen. g s goes to the spaces: :collection on its row opens it."
    RESOURCE = COLLECTION_SPACES

    def space_at_hand(self) -> str | None:
        return self.rows.selected_id

    def open_item(self, item: Space) -> None:
        target = Target(self.organization, item.id)
        self.desk.go_soon("pages", target)

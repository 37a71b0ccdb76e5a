"""The list of a `Resource`: read lazily, filtered, in an order, limited by the service.

What a place of a resource has beside it (`copydesk.tui.resource.place`) stands apart, for length.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from rich.text import Text

from copydesk.domain.cause import CAUSE
from copydesk.session.options import Option
from copydesk.session.target import Target
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.framework.navigation import GO
from copydesk.tui.framework.place import Place
from copydesk.tui.framework.sources import ListSource, PagedSource
from copydesk.tui.resource.columns import ItemTexts, shown_text
from copydesk.tui.resource.limits import LimitCommands
from copydesk.tui.resource.requests import in_order
from copydesk.tui.resource.resource import Asked, Condition, Resource, Shown
from copydesk.tui.widgets.list import VirtualList

if TYPE_CHECKING:
    from copydesk.client.api import Api

T = TypeVar("T")

SORTED_AT_MOST = 20_000
"""Items that are read whole to be put into an order that the service does not know."""

WHOLE = 1_000
"""Items that are asked for at a time where all of a list is read; more than that is not polled."""

SERVICE = "service"
"""What the order is called in which the service gives a list."""


def one_order(here: ResourceList[Any]) -> str | None:
    """Say so when the list has one order only."""
    return None if len(here.orders) > 1 else "This list has one order."


class ResourceList(Place, Generic[T], scope="resource_list"):
    """A place with a list of one kind of thing."""

    RESOURCE: ClassVar[Resource[Any]]
    CONDITIONS: ClassVar[Sequence[Condition]] = ()
    """The conditions of all that the place lists."""
    COMMAND_CLASSES: ClassVar[Sequence[type[Commands]]] = (LimitCommands,)

    rows: VirtualList[T]

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.limits = self.commands_of(LimitCommands)
        self._order = SERVICE
        self._backwards = False
        self._sorting: tuple[str, bool] | None = None
        """The order, and whether backwards, that the list is being read whole for."""
        self._part = ""
        """What is listed, where that is not all: lists are sorted up to a length."""
        self._written = 0
        """How many writes there were when the list was read."""
        self._wanted = ""
        """The item to go to once the list has been read again; it may not be in it."""
        self.resource: Resource[Any] = self.resource_of(self.view)
        """What is listed now."""
        self.texts: ItemTexts[T] = ItemTexts(self.resource, self.text_of)

    @property
    def organization(self) -> str | None:
        """The id of the organization that this is about."""
        return self.target.organization or self.session.organization

    def resource_of(self, view: str) -> Resource[Any]:
        """Return what a view lists, where the views are of different kinds; "" is the first."""
        return self.RESOURCE

    def text_of(self, shown: Shown[T], item: T) -> str | Text | None:
        """Return what is shown of an item."""
        return shown_text(shown, item, self.session.now)

    def missing(self) -> str | None:
        """Return why there is nothing to list here, or None."""
        raise NotImplementedError

    def conditions_known(self) -> Sequence[Condition]:
        """Return what the service limits the view by."""
        return self.resource.conditions

    def came(self) -> None:
        """Show what follows from the list having been read."""
        raise NotImplementedError

    # Reading

    def paged(self) -> PagedSource[T]:
        """Return the rows as the service gives them."""
        resource = self.resource

        async def page(token: str | None, limit: int) -> Any:
            return await self._page(token, limit, resource)

        return PagedSource(page, key=resource.key)

    def _asked(self, token: str | None, limit: int) -> Asked:
        order = next((each for each in self.resource.orders if each.name == self._order), None)
        query: Mapping[str, Any] = {}
        if order is not None:
            query = order.reverse or {} if self._backwards else order.query
        return Asked(token, limit, self.view, query, self.limits.conditions)

    async def _page(
        self, token: str | None, limit: int, resource: Resource[T]
    ) -> tuple[Sequence[T], str | None, int | None]:
        if self.missing() is not None:
            return [], None, 0
        api = await self.session.ready()
        target = self.target.but(organization=self.organization)
        found = await resource.pages(api, target, self._asked(token, limit))
        if self.resource.of != "none" and self.target.organization is None:
            # What is listed stays that of this organization, whichever is chosen later.
            self.target = self.target.but(organization=target.organization)
        self.session.fresh()
        following = None if found.next is None else found.next.page
        return found.items, following, found.count

    def reload(self) -> None:
        self.rows.empty = self.missing() or self._nothing()
        if self._sorting is not None and self.loads:
            self._read_sorted(*self._sorting)
            return
        self._sorting = None
        self.load(
            "rows", self._refresh, self._arrived, what=f"Reading {self.resource.title.lower()}"
        )

    def _nothing(self) -> str:
        if self.limits.chosen:
            return self.limits.none_so()
        if type(self).resource_of is not ResourceList.resource_of:
            return self.resource.empty  # each view is of another kind
        view = next((view.title for view in self.views[1:] if view.id == self.view), "")
        return f"There is nothing in “{view}”." if view else self.resource.empty

    def poll(self) -> None:
        """Read again quietly, unless all of it is being read already, or that takes many pages."""
        if self._sorting is not None and self.loads:
            return
        self._sorting = None
        if self.stands():
            return
        self.load("rows", self._refresh, self._arrived, what="Reading again")

    def stands(self) -> bool:
        """Whether the list is left as it was read until somebody reads it again.

        An order that is made here takes all of a list: a long one would be read whole every few
        seconds, which is more than the service grants. Its note says when it was read.
        """
        source = self.rows.source.base
        return isinstance(source, ListSource) and source.count > WHOLE

    async def _refresh(self, api: Api) -> None:
        source = self.rows.source.base
        if isinstance(source, PagedSource):
            await source.refresh()
        else:
            rows, part = await self._everything()
            if isinstance(source, ListSource) and source is self.rows.source.base:
                self._part = part
                source.merge(self._in_order(rows))

    def _arrived(self, _: None) -> None:
        source = self.rows.source.base
        wanted, self._wanted = self._wanted, ""
        self.texts.forget()
        if wanted or len(self.session.log) != self._written:
            # What was written here is shown at once; what others did waits to be folded in.
            source.fold()
            self._written = len(self.session.log)
        if wanted:
            self.rows.select(wanted)
        if source.fresh:
            source.fresh.intersection_update(map(self.resource.key, source.shown()))
        self._say_note()
        self.came()

    def read_written(self, key: str = "") -> None:
        """Read the list again after a write, and go to the item with that id."""
        self._wanted = key
        self.read_again()

    def arrived_later(self) -> None:
        """Read again: what was written shows at once."""
        self._written = -1
        super().arrived_later()

    def view_changed(self) -> None:
        resource = self.resource_of(self.view)
        # What another view reads is read for being here, as what the first one reads.
        before = CAUSE.set((*CAUSE.get(), f"{GO}{self.PLACE}"))
        try:
            if resource is not self.resource:
                self._show_kind(resource)
                self.came()
            self.ask_anew()
        finally:
            CAUSE.reset(before)

    def _show_kind(self, resource: Resource[Any]) -> None:
        """Give the list what belongs to another kind: columns, title, the keys of its filter."""
        # What is there goes first: it is of the former kind.
        self.rows.source = ListSource((), key=resource.key)
        self.resource, self.texts = resource, ItemTexts(resource, self.text_of)
        self.cancel_load("rows")
        self._sorting, self._part = None, ""
        self._order, self._backwards = SERVICE, False
        self.limits.forget()
        self.rows.columns = tuple(self.texts.columns())
        self.rows.title, self.rows.reading = resource.title, f"Reading {resource.title.lower()}…"
        self.rows.dims(resource.dim)
        self.rows.fields = self.texts.fields
        self.rows.refresh_rows()

    def ask_anew(self) -> None:
        """Read the list from its beginning: something else is asked for.

        An order that is made here comes once all of it is there.
        """
        made = self._sorting or (self._order, self._backwards)
        self._sorting, self._part = None, ""
        self.cancel_load("rows")
        if self._made(made[0]):
            served = next(iter(self.resource.orders), None)
            self._order, self._backwards = served.name if served else SERVICE, False
        self.texts.forget()
        self.rows.empty = self.missing() or self._nothing()
        self.rows.source = self.paged()
        self._say_note()
        self.rows.move_first()
        if self._made(made[0]):
            self._read_sorted(*made, top=True)

    def _say_note(self) -> None:
        order = dict(self.orders).get(self._order, "")
        said = [self.limits.line()]
        if self._order != SERVICE or self._backwards:
            said.append(f"sort: {order}{', reversed' if self._backwards else ''}")
        said.append(self._part)
        self.rows.note = "   ".join(part for part in said if part)
        self.rows.retitle()

    # Orders

    @property
    def orders(self) -> Sequence[tuple[str, str]]:
        """The orders that there are: those of the service, and by what is shown."""
        served = [(each.name, each.title) for each in self.resource.orders]
        here = [(each.name, each.label) for each in self.resource.shown if each.sort is not None]
        return [*(served or [(SERVICE, "as the service lists them")]), *here]

    def _made(self, order: str) -> bool:
        """Whether an order is made here, of the whole list."""
        return any(each.name == order for each in self.resource.shown if each.sort is not None)

    @action("s", "sort", unless=one_order, show=6, group="Look", override=True)
    async def choose_sort(self) -> None:
        """Choose an order. One that the service does not know is made of the whole list."""
        options = [Option(name, title) for name, title in self.orders]
        current = self._order if self._order in dict(self.orders) else options[0].id
        chosen = await self.desk.push_screen_wait(
            Choice(f"Sort {self.resource.title.lower()} by", options, current=current)
        )
        if chosen is not None:
            self._sort_by(chosen, backwards=False)

    @action("S", "reverse", unless=one_order, show=False, group="Look", override=True)
    def reverse_sort(self) -> None:
        """Turn the order round."""
        order, backwards = self._sorting or (self._order, self._backwards)
        if not self._made(order):
            orders = self.resource.orders
            served = next((each for each in orders if each.name == order), next(iter(orders), None))
            if served is None or served.reverse is None:
                self.say("The service lists them in one direction. s chooses another order.")
                return
            order = served.name
        self._sort_by(order, backwards=not backwards)

    def _sort_by(self, order: str, *, backwards: bool) -> None:
        if self._made(order):
            self._read_sorted(order, backwards)
        else:
            self._sorting = None
            self._order, self._backwards = order, backwards
            self.ask_anew()

    def _read_sorted(self, order: str, backwards: bool, top: bool = False) -> None:
        """Read the whole list for an order; until it is there the former one stays."""
        self._sorting = order, backwards

        def failed(said: str) -> None:
            self._sorting = None

        self.load(
            "rows",
            lambda api: self._everything(),
            lambda found: self._sorted(*found, top=top),
            what=f"Reading all {self.resource.title.lower()}",
            failed=failed,
        )

    async def _everything(self) -> tuple[list[T], str]:
        """Return the whole list, and what to know of it where it is long: see `stands`."""
        from copydesk.client.endless_lists import Turning

        rows: list[T] = []
        resource = self.resource
        token: str | None = None
        turning = Turning()
        while True:
            found, token, count = await self._page(token, WHOLE, resource)
            rows.extend(found)
            at = f"as of {self.session.clock().astimezone():%H:%M}" if len(rows) > WHOLE else ""
            if token is None:
                return rows, at
            if len(rows) >= SORTED_AT_MOST:
                of = "" if count is None else f" of {count:,}"
                return rows, f"the first {len(rows):,}{of} only   {at}".rstrip()
            turning.turned(found, token)

    def _in_order(self, rows: Iterable[T]) -> list[T]:
        shown = next(each for each in self.resource.shown if each.name == self._order)
        by = shown.sort
        assert by is not None

        return in_order(rows, by, backwards=self._backwards)

    def _sorted(self, rows: list[T], part: str, *, top: bool) -> None:
        if self._sorting is None:
            return
        (self._order, self._backwards), self._sorting = self._sorting, None
        self._part = part
        here = None if top else self.rows.selected_id
        self.rows.source = ListSource(self._in_order(rows), key=self.resource.key)
        self._say_note()
        if here is None:
            self.rows.move_first()
        else:
            self.rows.select(here)

"""The place of a `Resource`: its list, the details of the item under the cursor, and its JSON.

A place for one is a subclass with ``RESOURCE`` and its verbs as actions:

    @place("teams", key="T", title="Teams", uses="list_teams")
    class TeamsPlace(ResourcePlace[Team], scope="teams"):
        RESOURCE = TEAMS

        @action("D", "delete", unless=(nothing_selected, …), danger=3, uses="delete_team")
        async def delete(self) -> None: ...

Beside it stand its collaborators: the orders of the list (`OrderCommands`), its conditions
(`LimitCommands`), its reading (`ItemReader`), the rights of the reader (`HomeRights`), the work
of the service (`Watch`), and what an item holds (`HeldItems`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from rich.text import Text
from textual.app import ComposeResult
from textual.timer import Timer
from textual.widget import Widget

from copydesk.domain.own_command import FIELDS, Thing
from copydesk.domain.request_context import CAUSE
from copydesk.domain.text import capital, clean, plural, shorten
from copydesk.present.facts import Fact
from copydesk.present.raw_json import Raw
from copydesk.present.space_options import space_options
from copydesk.session.draft_keys import form_key
from copydesk.session.errors import failure_types, sentence
from copydesk.session.glyphs import glyphs
from copydesk.session.options import Option
from copydesk.session.reads.spaces import read_desk
from copydesk.session.target import Target
from copydesk.tui.dialogs.choice import Choice
from copydesk.tui.framework.actions import Commands, action, command
from copydesk.tui.framework.commands import DetailsCommands
from copydesk.tui.framework.keyboard import run_command
from copydesk.tui.framework.navigation import GO, turn_tab
from copydesk.tui.framework.paged_source import PagedSource
from copydesk.tui.framework.pane import Pane
from copydesk.tui.framework.place import VAST, Part, Place, View
from copydesk.tui.framework.source import ListSource
from copydesk.tui.resource.columns import ItemTexts, columns_of, in_order, shown_text
from copydesk.tui.resource.limits import LimitCommands
from copydesk.tui.resource.resource import Condition, Facet, Held, ListQuery, Resource
from copydesk.tui.resource.rights import NO_HOME, HomeRights
from copydesk.tui.widgets.facts import Facts, WideFacts
from copydesk.tui.widgets.list import Marking, VirtualList, no_row

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page

T = TypeVar("T")

SORTED_AT_MOST = 20_000
"""Items that are read whole to be put into an order that the service does not know."""

WHOLE = 1_000
"""Items that are asked for at a time where all of a list is read; more than that is not polled."""

SERVICE = "service"
"""The name of the order in which the service gives a list."""

NAME_CELLS = 40
"""Cells of a name in a title."""

REST_SECONDS = 0.15
"""How long the cursor rests on an item before more of it is read."""

MISSING = {
    "organization": NO_HOME,
    "space": "No space is chosen: :of chooses one.",
    "item": "Nothing is chosen for this list. Esc goes back.",
}
"""The sentences for a list without its organization, space or item."""

HELD = 50
"""Things of each kind that an item holds are shown beside it; of more it is said that there are."""

WATCH_SECONDS = 2.0
"""How often a list is read while the service works on something in it."""


def nothing_selected(here: ResourcePlace[Any]) -> str | None:
    """Say so when the cursor is on no item."""
    return no_row(here.rows, f"Put the cursor on {_a(here.resource.noun)} first.")


def may_not_add(here: ResourcePlace[Any]) -> str | None:
    """Say why the reader can add nothing to the list."""
    return here.missing() or here.rights.lacks(here.resource.adding)


def one_order(here: ResourcePlace[Any]) -> str | None:
    """Say so when the list has one order only."""
    return None if len(here.orders.known) > 1 else "This list has one order."


def _a(noun: str) -> str:
    return f"{'an' if noun[:1].lower() in 'aeio' else 'a'} {noun}"


class OrderCommands(Commands, scope="resource_list"):
    """Choosing the order of a list: one that the service knows, or one made of the whole list."""

    place: ResourcePlace[Any]

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.order, self.backwards = SERVICE, False
        self.wanted: tuple[str, bool] | None = None
        """The order, and whether backwards, that the list is being read whole for."""
        self.part = ""
        """Which part is listed, where that is not all: lists are sorted up to a length."""

    def things(self) -> Sequence[Thing]:
        place, resource = self.place, self.place.resource
        told = [each for each in resource.shown if each.name in FIELDS]
        one = [] if place.item is None else [place.item]
        return [
            Thing(
                resource.noun,
                {
                    **{each.name: str(place.text_of(each, item) or "") for each in told},
                    "id": resource.key(item),
                    "title": place.label(item),
                    "url": resource.url(item) or "",
                },
            )
            for item in (place.rows.chosen() if isinstance(place.rows, Marking) else one)
        ]

    @property
    def known(self) -> Sequence[tuple[str, str]]:
        """The names and titles of the orders: those of the service, and by what is shown."""
        resource = self.place.resource
        served = [(each.name, each.title) for each in resource.orders]
        here = [(each.name, each.label) for each in resource.shown if each.sort is not None]
        return [*(served or [(SERVICE, "as the service lists them")]), *here]

    @property
    def query(self) -> Mapping[str, Any]:
        """The query that asks the service for the order."""
        orders = self.place.resource.orders
        order = next((each for each in orders if each.name == self.order), None)
        if order is None:
            return {}
        return order.reverse or {} if self.backwards else order.query

    @property
    def opposite(self) -> Mapping[str, Any] | None:
        """The query for the opposite of that order; None where the service has none."""
        served = self.place.resource.orders
        order = next((each for each in served if self.order in (SERVICE, each.name)), None)
        if order is None or order.reverse is None:
            return None
        return order.query if self.backwards else order.reverse

    def note(self) -> Sequence[str]:
        """Return the order, and the part that is listed, for beside the title of the list."""
        said = []
        if self.order != SERVICE or self.backwards:
            reversed_ = ", reversed" if self.backwards else ""
            said.append(f"sort: {dict(self.known).get(self.order, '')}{reversed_}")
        return [*said, self.part]

    @property
    def at(self) -> str:
        """The name of the order that the list is in, or is being read whole for."""
        return (self.wanted or (self.order,))[0]

    def forget(self) -> None:
        """Go back to the order of the service, since another kind of thing is listed."""
        self.order, self.backwards = SERVICE, False
        self.wanted, self.part = None, ""

    def restart(self) -> bool:
        """Go back to an order of the service; whether one made here is to follow (`wanted`)."""
        made = self.wanted or (self.order, self.backwards)
        self.wanted, self.part = None, ""
        self.place.reads.cancel("rows")
        if not self._made(made[0]):
            return False
        served = next(iter(self.place.resource.orders), None)
        self.order, self.backwards = served.name if served else SERVICE, False
        self.wanted = made
        return True

    def under_way(self) -> bool:
        """Whether the list is being read whole; where that was stopped, it is forgotten."""
        if self.wanted is not None and not self.place.reads.loads:
            self.wanted = None
        return self.wanted is not None

    def _made(self, order: str) -> bool:
        """Whether an order is made here, of the whole list."""
        return any(e.name == order for e in self.place.resource.shown if e.sort is not None)

    @action("s", "sort", word="sort", unless=one_order, show=6, group="Look")
    async def choose_sort(self) -> None:
        """Choose an order. One that the service does not know is made of the whole list."""
        options = [Option(name, title) for name, title in self.known]
        current = self.order if self.order in dict(self.known) else options[0].id
        chosen = await self.app.push_screen_wait(
            Choice(f"Sort {self.place.resource.title.lower()} by", options, current=current)
        )
        if chosen is not None:
            self._sort_by(chosen, backwards=False)

    @action("S", "reverse", unless=one_order, show=False, group="Look")
    def reverse_sort(self) -> None:
        """Turn the order round."""
        order, backwards = self.wanted or (self.order, self.backwards)
        if not self._made(order):
            orders = self.place.resource.orders
            served = next((each for each in orders if each.name == order), next(iter(orders), None))
            if served is None or served.reverse is None:
                self.place.say("The service lists them in one direction. s chooses another order.")
                return
            order = served.name
        self._sort_by(order, backwards=not backwards)

    def _sort_by(self, order: str, *, backwards: bool) -> None:
        if self._made(order):
            self.wanted = order, backwards
            self.read_whole()
        else:
            self.wanted = None
            self.order, self.backwards = order, backwards
            self.place.ask_anew()

    def read_whole(self, *, top: bool = False) -> None:
        """Read the whole list for the order that is wanted; until then the former one stays."""

        def failed(said: str) -> None:
            self.wanted = None

        self.place.reads.load(
            "rows",
            lambda api: self._everything(),
            lambda found: self._sorted(*found, top=top),
            what=f"Reading all {self.place.resource.title.lower()}",
            failed=failed,
        )

    async def _everything(self) -> tuple[list[Any], str]:
        """Return the whole list, and what to know of it where it is long."""
        from copydesk.client.api import PageGuard

        rows: list[Any] = []
        resource, session = self.place.resource, self.place.session
        token: str | None = None
        guard = PageGuard()
        while True:
            found, token, count = await self.place.row_reader.page(
                token, WHOLE, resource, self.query
            )
            rows.extend(found)
            at = f"as of {session.clock().astimezone():%H:%M}" if len(rows) > WHOLE else ""
            if token is None:
                return rows, at
            if len(rows) >= SORTED_AT_MOST:
                of = "" if count is None else f" of {count:,}"
                return rows, f"the first {len(rows):,}{of} only   {at}".rstrip()
            guard.check(found, token)

    def _in_order(self, rows: Iterable[Any]) -> list[Any]:
        shown = next(each for each in self.place.resource.shown if each.name == self.order)
        assert shown.sort is not None
        return in_order(rows, shown.sort, backwards=self.backwards)

    def _sorted(self, rows: list[Any], part: str, *, top: bool) -> None:
        if self.wanted is None:
            return
        (self.order, self.backwards), self.wanted = self.wanted, None
        self.part = part
        shown = self.place.rows
        here = None if top else shown.selected_id
        shown.source = ListSource(self._in_order(rows), key=self.place.resource.key)
        self.place.row_reader.say_note()
        if here is None:
            shown.move_first()
        else:
            shown.select(here)

    async def refresh(self, source: ListSource[Any]) -> None:
        """Read a list that is in an order made here again."""
        rows, part = await self._everything()
        if source is self.place.rows.source.base:
            self.part = part
            source.merge(self._in_order(rows))


class SpaceCommands(Commands, scope="resource"):
    """Choosing the space of a list."""

    place: ResourcePlace[Any]

    def ask(self) -> None:
        """Ask for the space as ``:of`` does."""
        self.place.call_later(run_command, self, self.LINE_COMMANDS["of"], "")

    @command("of", uses=("list_organization_spaces", "list_organization_collections"))
    async def choose_space(self, rest: str = "") -> None:
        """Choose the space whose list is shown, where it is the list of one."""
        place, organization = self.place, self.place.organization
        if not place.OF_SPACE:
            place.say(":of works in lists of one space.", "warn")
            return
        if organization is None:
            place.say(NO_HOME, "warn")
            return
        try:
            desk = await read_desk(await place.session.ready(), organization)
        except failure_types() as error:
            if place.target.space is None:
                place.rows.empty = sentence(error, ":of")
                place.rows.refresh_rows()
            raise
        options = space_options(desk.nodes, place.target.space, keep=lambda space: True)
        if not options:
            place.say("There is no space in this organization.", "warn")
            return
        chosen: str | None = options[0].id
        if len(options) > 1 or place.target.space is not None:  # else there is nothing to ask
            chosen = await self.app.push_screen_wait(Choice("Of which space?", options))
        if chosen is not None:
            place.target = place.target.but(
                space=chosen, organization=organization, change_request=None
            )
            place.ask_anew()
            place.read_again()


class Watch(Generic[T]):
    """Reading a list again quietly while the service works on something in it."""

    def __init__(self, place: ResourcePlace[T]) -> None:
        self._place = place
        self.bell: Timer | None = None
        """Rings when the list is read again because something in it was under way."""
        self.working: frozenset[str] = frozenset()
        """The keys of the items that the service works on."""
        self._begun: set[str] = set()
        """The keys of items whose work was begun here and has not been seen since."""

    def read_begun(self, key: str) -> None:
        """Read again after a write that begins work: its end is announced, even an early one."""
        self._begun.add(key)
        self._place.read_written(key)

    def look(self) -> None:
        """Announce finished work, and watch the rest."""
        place, work, key = self._place, self._place.resource.work, self._place.resource.key
        if work is None:
            return
        before, working = self.working | self._begun, set()
        for item in place.rows.source.base.shown():
            if work.under_way(item):
                working.add(key(item))
            elif key(item) in before:
                # A poll says nothing of its own; what somebody saw begin is waited for.
                place.call_later(place.say, *work.ended(item))
            self._begun.discard(key(item))
        self.working = frozenset(working)
        if self.bell is not None:
            self.bell.stop()
        self.bell = place.set_timer(WATCH_SECONDS, self.look_again) if working else None

    def look_again(self) -> None:
        """Read the list again, unless that disturbs somebody or nobody sees it."""
        self.bell = None
        if self._place.app.screen is self._place and self._place.reads.may_poll:
            self._place.read_again(by_hand=False)
        else:
            self.bell = self._place.set_timer(WATCH_SECONDS, self.look_again)


class ItemReader(Generic[T]):
    """Reading the list of a place, page by page as the service gives it."""

    def __init__(self, place: ResourcePlace[T]) -> None:
        self._place = place
        self.written = 0
        """How many writes there were when the list was read."""
        self.wanted = ""
        """The item to go to once the list has been read again; it may not be in it."""
        self._written_before = 0
        """How many writes there were when something came in front of the place."""

    def cover(self) -> None:
        """Note how much was written by now, as something comes in front of the place."""
        self._written_before = len(self._place.session.log)

    def uncover(self) -> None:
        """Read again if something was written meanwhile, as the place is in front again.

        What is on its way is read by what writes it, or by the next poll.
        """
        session = self._place.session
        if self._written_before < len(session.log) and not session.writes.writes_pending:
            self._place.read_again()

    @property
    def behind(self) -> bool:
        """Whether something was written here, in any place, since the list was read."""
        return len(self._place.session.log) != self.written

    def paged(self) -> PagedSource[T]:
        """Return the rows as the service gives them."""
        resource = self._place.resource

        async def page(token: str | None, limit: int) -> Any:
            return await self.page(token, limit, resource, self._place.orders.query)

        async def reverse(token: str | None, limit: int) -> Any:
            return await self.page(token, limit, resource, self._place.orders.opposite or {})

        opposite = self._place.orders.opposite
        back = None if opposite is None else reverse
        return PagedSource(
            page,
            key=resource.key,
            reverse=back,
            # Only as it is read: a list tells its columns without a session, too.
            caches=lambda: self._place.session.caches(),
        )

    async def page(
        self, token: str | None, limit: int, resource: Resource[T], order: Mapping[str, Any]
    ) -> tuple[Sequence[T], str | None, int | None]:
        """Return items of the list, the token of the next page, and the length of the list."""
        place = self._place
        api = await place.session.ready()  # before that nothing is known to be missing
        if place.missing() is not None:
            return [], None, 0
        target = place.target.but(organization=place.organization)
        asked = ListQuery(token, limit, place.view, order, place.limits.conditions)
        try:
            found = await place.page(api, resource, target, asked)
        except failure_types():
            if place.session.lacks_any:
                place.reads.turn_back()
            raise
        if resource.of != "none" and place.target.organization is None:
            # What is listed stays that of this organization, whichever is chosen later.
            place.target = place.target.but(organization=target.organization)
        place.session.fresh()
        following = None if found.next is None else found.next.page
        return found.items, following, found.count

    def read(self, what: str) -> None:
        """Read the list again as it is; ``what`` is told while that is under way."""
        self._place.reads.load("rows", self._refresh, self._arrived, what=what)

    async def _refresh(self, api: Api) -> None:
        source = self._place.rows.source.base
        if isinstance(source, PagedSource):
            await source.refresh()
        elif isinstance(source, ListSource):
            await self._place.orders.refresh(source)

    def _arrived(self, _: None) -> None:
        place, source = self._place, self._place.rows.source.base
        wanted, self.wanted = self.wanted, ""
        place.texts.forget()
        if wanted or self.behind:
            # What was written here is shown at once; what others did waits to be folded in.
            source.fold()
            self.written = len(place.session.log)
        if wanted:
            place.rows.select(wanted)
        if source.fresh:
            source.fresh.intersection_update(map(place.resource.key, source.shown()))
        self.say_note()
        place.came()

    def read_anew(self) -> None:
        """Read the list from its beginning; an order made here comes once all of it is there."""
        place, rows = self._place, self._place.rows
        reads_whole = place.orders.restart()
        place.texts.forget()
        rows.empty = place.missing() or place.nothing()
        rows.source = self.paged()
        self.say_note()
        rows.move_first()
        if reads_whole:
            place.orders.read_whole(top=True)

    def show_kind(self, resource: Resource[Any]) -> None:
        """Give the list the columns, title and filter of another kind."""
        place, rows = self._place, self._place.rows
        # What is there goes first: it is of the former kind.
        rows.set_marks(())
        rows.source = ListSource((), key=resource.key)
        place.reads.cancel("rows")
        place.orders.forget()
        place.limits.forget()
        rows.title, rows.reading = resource.title, f"Reading {resource.title.lower()}…"
        rows.dim = resource.dim
        self.show_texts(resource)

    def show_texts(self, resource: Resource[Any]) -> None:
        """Give the list the columns and filter of a resource: of this kind, one with more texts."""
        place, rows = self._place, self._place.rows
        place.resource, place.texts = resource, ItemTexts(resource, place.text_of)
        rows.columns = tuple(place.texts.columns())
        rows.fields = place.texts.fields
        rows.refresh_rows()

    def say_note(self) -> None:
        """Show the conditions and the order beside the title of the list."""
        said = [self._place.limits.line(), *self._place.orders.note()]
        self._place.rows.note = "   ".join(part for part in said if part)
        self._place.rows.retitle()


class HeldItems(WideFacts):
    """The first things that the item under the cursor holds, on a very wide screen.

    They are read once the cursor rests, with a request for each kind (``Resource.contents``), and
    again where the item is another one in the list by now, or the list is read by hand. ``held``
    returns the item, the id that they are asked for by, and the kinds. Without any, as in a tab of
    things that hold nothing, the others have its room.
    """

    def __init__(self, place: Place, held: Callable[[], Held]) -> None:
        super().__init__(self._facts_now, empty="Nothing is selected.", id="contents")
        self._place, self._held = place, held
        self._known: dict[str, tuple[Any, tuple[Page[Any] | str, ...] | str]] = {}
        """By item: the item as it was, and the page of each kind, or why that was not read."""
        self._asked: Any = None
        """The item whose contents are being read."""

    def forget(self) -> None:
        """Read everything again; what was read shows until then."""
        self._known = {key: (None, found) for key, (_, found) in self._known.items()}

    def look(self) -> None:
        """Show what is known of the item under the cursor, and read it once the cursor rests."""
        place, (item, key, kinds) = self._place, self._held()
        place.set_class(not kinds, "-holds-none")
        if not (kinds and self.is_attached and self.display):
            return
        self.show_again()
        if item == self._asked and place.reads.under_way("contents"):
            return
        place.reads.cancel("contents")
        of = f"{self._title(kinds)} {key}"
        known = not key or self._known.get(of, (None, ""))[0] == item
        if known and not place.reads.left_behind("contents", of):
            return
        self._asked = item
        target = place.target.but(organization=place.organization, item=key)

        async def one(api: Api, kind: Resource[Any]) -> Page[Any] | str:
            from copydesk.client.errors import Forbidden, NotFound

            try:
                return await kind.pages(api, target, ListQuery(None, HELD))
            except (Forbidden, NotFound) as error:  # the others may be read all the same
                return sentence(error)

        async def read(api: Api) -> tuple[Page[Any] | str, ...]:
            return tuple(await asyncio.gather(*(one(api, kind) for kind in kinds)))

        def arrived(found: tuple[Page[Any] | str, ...] | str) -> None:
            self._known[of] = item, found
            self.show_again()

        place.reads.load(
            "contents", read, arrived, what=f"Reading {self._title(kinds).lower()}", of=of,
            failed=lambda said: arrived(self._known.get(of, (None, said))[1]),
            after=REST_SECONDS, quiet=True,
        )  # fmt: skip

    def on_show(self) -> None:
        """Show and read what there was no room for before."""
        self.look()

    def _title(self, kinds: tuple[Resource[Any], ...]) -> str:
        return " and ".join([kinds[0].title, *(kind.title.lower() for kind in kinds[1:])])

    def _facts_now(self) -> tuple[list[Fact], str, str]:
        item, key, kinds = self._held()
        title = self._title(kinds)
        if item is None:
            return [], title, ""
        if not key:  # it holds nothing of the kind
            return [Fact("", Text("none", style="muted"))], title, ""
        _, found = self._known.get(f"{title} {key}", (None, f"reading{glyphs().more}"))
        if isinstance(found, str):
            return [Fact("", Text(found, style="muted"))], title, key
        facts: list[Fact] = []
        for kind, page in zip(kinds, found, strict=True):
            if len(kinds) > 1:
                gap = [Fact("", "")] if facts else []
                facts += [*gap, Fact("", Text(kind.title, style="strong"))]
            facts += self._listed(kind, page)
        return facts, title, key

    def _listed(self, kind: Resource[Any], page: Page[Any] | str) -> list[Fact]:
        """Return a line for each thing: one of its texts, and its name."""
        if isinstance(page, str) or not page.items:
            said = page if isinstance(page, str) else "none"
            return [Fact("", Text(said, style="muted"))]
        beside, now = kind.shown[kind.beside], self._place.session.now
        facts = [
            Fact(str(shown_text(beside, each, now) or ""), self._named(kind, each))
            for each in page.items
        ]
        if page.next is not None:
            left = "" if page.count is None else f"{page.count - len(page.items):,} "
            facts.append(Fact("", Text(f"and {left}more", style="muted")))
        return facts

    def _named(self, kind: Resource[T], each: T) -> Text:
        """Return the name of a thing, and that of its organization where it is another one's."""
        place, name, home = self._place, Text(clean(kind.label(each))), kind.home(each)
        if home and home != place.organization:
            name.append(f"   {place.session.title_of(home)}", "muted")
        return name


def _take_from_resources(cls: type[ResourcePlace[Any]]) -> None:
    """Take from the resources that a place declares what they say of it."""
    own = vars(cls)
    resources = [*own["KINDS"].values()] if "KINDS" in own else [own.get("RESOURCE")]
    first = resources[0]
    if first is None:
        return
    cls.RESOURCE = first
    if "KINDS" in own and "COLUMNS" not in own:
        cls.COLUMNS = columns_of(*resources)
    cls.RAW = (*(each.get for each in resources if each.get), *own.get("RAW", ()))
    cls.CONDITIONS = [condition for each in resources for condition in each.conditions]
    cls.OF_SPACE = own.get("OF_SPACE", first.of == "space")
    if first.contents is not None:
        cls.HORIZONTAL_BREAKPOINTS = VAST


class ResourcePlace(Place, Generic[T]):
    """A lazy list of one kind of thing, with the details of the one under the cursor."""

    RESOURCE: ClassVar[Resource[Any]]
    KINDS: ClassVar[Mapping[str, Resource[Any]]] = MappingProxyType({})
    """What each view lists, where they list things of different kinds; the first view is first."""
    CONDITIONS: ClassVar[Sequence[Condition]] = ()
    """The conditions of all that the place lists."""
    ROWS: ClassVar[type[VirtualList[Any]]] = VirtualList
    """The class of the list, as one whose rows can be marked."""
    NO_ITEM: ClassVar[str] = MISSING["item"]  # of the list of an item: where one is chosen
    COMMAND_CLASSES: ClassVar[Sequence[type[Commands]]] = (
        SpaceCommands, OrderCommands, LimitCommands, DetailsCommands,
    )  # fmt: skip

    rows: VirtualList[T]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        _take_from_resources(cls)
        super().__init_subclass__(**kwargs)

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.limits = self.commands_of(LimitCommands)
        self.orders = self.commands_of(OrderCommands)
        self.rights = HomeRights(self, self._rights_known)
        self.watching: Watch[T] = Watch(self)
        self.contents = HeldItems(self, lambda: self.resource.held(self.item))
        self.row_reader: ItemReader[T] = ItemReader(self)
        self.resource: Resource[Any] = self.resource_of(self.view)  # what is listed now
        self.texts: ItemTexts[T] = ItemTexts(self.resource, self.text_of)

    # What a place says of itself

    def resource_of(self, view: str) -> Resource[Any]:
        """Return the resource of a view; "" is the first view."""
        return self.KINDS.get(view, self.RESOURCE)

    def panes(self) -> ComposeResult:
        resource = self.resource
        self.rows = self.ROWS(
            self.row_reader.paged(), self.texts.columns(), title=resource.title,
            empty=resource.empty, reading=f"Reading {resource.title.lower()}…", dim=resource.dim,
            id="resource",
        )  # fmt: skip
        self.rows.about = self.waits_by
        self.rows.fields = self.texts.fields
        self.rows.filter_of = lambda text: self.texts.matching(text)
        yield Part("main", self.rows)
        yield Part("side", *self.beside())

    def beside(self) -> Iterable[Widget]:
        noun = self.resource.noun
        self.facts = Facts(title=capital(noun), empty=f"No {noun} is selected.", id="details")
        yield self.facts
        if self.HORIZONTAL_BREAKPOINTS is VAST:
            yield self.contents

    def trail(self) -> Iterable[str]:
        yield from self.within()
        yield self.resource.title

    def within(self) -> Iterable[str]:
        """Yield the steps between the organization and the list; clean text."""
        return ()

    @property
    def item(self) -> T | None:
        return self.rows.selected

    def label(self, item: T) -> str:
        """Return the name of an item as it may be shown."""
        return clean(self.resource.label(item)) or clean(self.resource.key(item))

    def named(self, item: T) -> str:
        """Return the name of an item, short enough for a title."""
        return shorten(self.label(item), NAME_CELLS)

    def text_of(self, shown: Facet[T], item: T) -> str | Text | None:
        """Return one text of an item."""
        return shown_text(shown, item, self.session.now)

    def url(self) -> str | None:
        item = self.item
        return None if item is None else self.resource.url(item)

    def copies(self) -> Sequence[tuple[str, str]]:
        """Return what ``Y`` offers: address, name, id, and what the resource adds."""
        item = self.item
        return [] if item is None else self.resource.copied(item, self.label(item))

    def raw(self) -> Raw | None:
        item = self.item
        target = self.target.but(organization=self.organization)
        return None if item is None else self.resource.raw(target, item)

    def status_left(self) -> str:
        """Say what waits to be folded in, else how many there are."""
        waiting, count = super().status_left(), self.rows.source.base.count
        if waiting or not count:
            return waiting
        return plural(count, self.resource.noun)

    def missing(self) -> str | None:
        """Return why there is nothing to list here, or None."""
        of, target = self.resource.of, self.target
        owners = {"organization": self.organization, "space": target.space, "item": target.item}
        return {**MISSING, "item": self.NO_ITEM}[of] if owners.get(of, "") is None else None

    def nothing(self) -> str:
        """Return the sentence for an empty list; views may be of other kinds, or places."""
        resource = self.resource
        if self.limits.chosen:
            return self.limits.none_so()
        one_kind = type(self).resource_of is ResourcePlace.resource_of and not self.KINDS
        if one_kind and self.view != self.PLACE:
            view = next((view.title for view in self.views[1:] if view.id == self.view), "")
            if view:
                return f"There is nothing in “{view}”."
        if resource.readers_empty and may_not_add(self) is not None:
            return resource.readers_empty
        return resource.empty

    def opened(self) -> None:
        if views := self.resource.tabs or self.named_views():
            self.set_views(views, self.PLACE if self.resource.tabs else None)
        if self.OF_SPACE and self.target.space is None:
            self.commands_of(SpaceCommands).ask()
        if self.RESOURCE.adding:
            self.rights.read()

    def named_views(self) -> Sequence[View]:
        """Return the views: those of the resource, or one for each kind."""
        kinds = [View(name, kind.title) for name, kind in self.KINDS.items()]
        return self.RESOURCE.views or kinds

    def _rights_known(self) -> None:
        self.rows.say_instead(self.missing() or self.nothing())

    # Reading

    def conditions_known(self) -> Sequence[Condition]:
        return self.resource.conditions

    async def page(self, api: Api, kind: Resource[T], target: Target, asked: ListQuery) -> Page[T]:
        """Read a page of a list; override it to add to the items."""
        return await kind.pages(api, target, asked)

    def reload(self) -> None:
        self.contents.forget()
        self.rows.empty = self.missing() or self.nothing()
        if self.orders.under_way():
            self.orders.read_whole()
        else:
            self.row_reader.read(f"Reading {self.resource.title.lower()}")

    def poll(self) -> None:
        """Read again quietly, unless all of it is being read already, or that takes many pages.

        An order that is made here takes all of a list: a long one would be read whole every few
        seconds, which is more than the service grants. Its note says when it was read.
        """
        source = self.rows.source.base
        long = isinstance(source, ListSource) and source.count > WHOLE
        if not self.orders.under_way() and (self.watching.working or not long):
            self.row_reader.read("Reading again")

    def came(self) -> None:
        """Show the item, and open the form that waits for the list."""
        self.show_item()
        self.refresh_frame()
        if self.resuming:
            part, self.resuming = self.resuming, ""
            self.resume(part)
        self.watching.look()

    def read_written(self, key: str = "") -> None:
        """Read the list again after a write, and go to the item with that id."""
        self.row_reader.wanted = key
        self.read_again()

    def arrived_later(self) -> None:
        """Read again: what was written shows at once."""
        self.row_reader.written = -1
        super().arrived_later()

    def view_changed(self) -> None:
        if self.resource.tabs:
            turn_tab(self)
            return
        resource = self.resource_of(self.view)
        # What another view reads is read for being here, as what the first one reads.
        before = CAUSE.set((*CAUSE.get(), f"{GO}{self.PLACE}"))
        try:
            if resource is not self.resource:
                self.row_reader.show_kind(resource)
                self.came()
            self.ask_anew()
        finally:
            CAUSE.reset(before)

    def ask_anew(self) -> None:
        self.row_reader.read_anew()

    # What was typed in a form

    def draft_key(self, method: str, item: str = "") -> str:
        """Return the key of the draft of an action's form, about an item."""
        target = self.target.but(organization=self.organization)
        return form_key(self.PLACE, target, method, item)

    def resume_draft(self, part: str) -> None:
        """Open the form of a draft again, once the list is read."""
        if self.rows.source.base.complete or self.rows.source.base.loaded:
            self.resume(part)
        else:
            self.resuming = part

    def resume(self, part: str) -> None:
        """Open the form of a draft again."""
        method, _, item = part.partition(" ")
        if item and not self.rows.select(item):
            self.say(f"The {self.resource.noun} is not here. What you typed is kept (:drafts).")
        else:
            self.do_soon(method)

    # Details

    def follow_cursor(self, rows: Pane) -> None:
        if rows is self.rows:
            self.show_item()

    def show_item(self) -> None:
        """Show the details of the item under the cursor, and read more where there is more."""
        item = self.item
        if item is None:
            self.facts.empty = f"No {self.resource.noun} is selected."
            self.facts.refresh_rows()
            self.facts.show([], title=capital(self.resource.noun))
        else:
            self.facts.show(self.facts_of(item), title=self.label(item), about=self.waits_by(item))
        self.contents.look()

    def waits_by(self, item: T) -> str:
        """Return the id of an item in the outbox: the one in the addresses of its requests."""
        return self.resource.key(item)

    def facts_of(self, item: T) -> list[Fact]:
        return self.texts.details(item, self.session.now)

    def on_virtual_list_opened(self, event: VirtualList.Opened) -> None:
        if event.list is self.rows and event.row is not None:
            self.open_item(event.row)

    def open_item(self, item: T) -> None:
        """Open an item: go to its details, where it has nothing of its own."""
        self.remove_class("-no-side")
        self.show_pane(self.facts)

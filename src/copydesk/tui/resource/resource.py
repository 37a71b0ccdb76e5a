"""Resources: one value per kind of thing that is listed.

A `Resource` says how a list of the API is read and what is shown of its items. The list, its
columns, the filter language of ``/``, the orders of ``s``, the details, the raw JSON and what can
be copied all follow from it (`copydesk.tui.resource.place`), so that a place for it needs its verbs
only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean
from copydesk.present.raw_json import Raw
from copydesk.session.operations import ops

if TYPE_CHECKING:
    from datetime import datetime

    from rich.text import Text

    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.session.options import Option
    from copydesk.session.target import Target
    from copydesk.tui.framework.place import View

T = TypeVar("T")


@dataclass(frozen=True)
class Facet(Generic[T]):
    """One text of an item: a column, a line of the details, a key of the filter.

    ``of`` takes the item and the time, and returns its text (which is cleaned for it), a `Text` of
    cleaned parts, or None where there is nothing to say. With neither ``width`` nor ``flex`` it is
    no column. ``values`` are all that it can be, where they are few: others are a mistake in a
    filter. ``sort`` gives what a list that was read whole is sorted by. ``middle`` says of which
    items the text is cut in the middle where a column has no room for it. The rest is as in
    `copydesk.tui.widgets.list.Column`.
    """

    name: str
    heading: str
    of: Callable[[T, datetime], str | Text | None]
    width: int = 0
    flex: int = 0
    drop: int = 0
    align: Literal["left", "right"] = "left"
    minimum: int = 12
    most: int = 0
    detail: bool = True
    filters: bool = True
    values: Sequence[str] = ()
    sort: Callable[[T], Any] | None = None
    middle: Callable[[T], bool] | None = None
    spoken: Callable[[T, str], str] | None = None

    @property
    def column(self) -> bool:
        """Whether it is a column of the list."""
        return bool(self.width or self.flex)

    @property
    def label(self) -> str:
        """Its name among the details."""
        return self.heading.lower()


@dataclass(frozen=True)
class ListQuery:
    """The request for a list: the page, its length, the view, the order and the conditions."""

    token: str | None
    limit: int
    view: str = ""
    order: Mapping[str, Any] = field(default_factory=dict)
    conditions: Mapping[str, Any] = field(default_factory=dict)

    @property
    def paging(self) -> dict[str, Any]:
        """The arguments that every list of the API takes."""
        return {"page": self.token, "limit": self.limit}


@dataclass(frozen=True, slots=True)
class ServiceOrder:
    """An order that the service knows: the query that asks for it, and for its reverse."""

    name: str
    title: str
    query: Mapping[str, Any]
    reverse: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Condition:
    """A condition that the service itself limits a list by (``:where name=value``).

    ``name`` is that of the operation's parameter. ``values`` are what it can be, where they are
    few; ``read`` turns the text into the argument and raises ``ValueError`` with a sentence. Where
    it is an id, ``offers`` reads what there is to choose, with the operations that ``uses`` names.
    ``known`` returns values that were read so far, to complete what is typed.
    """

    name: str
    help: str
    values: Sequence[str] = ()
    read: Callable[[str], Any] = str
    offers: Callable[[Api, str], Awaitable[Sequence[Option]]] | None = None
    """Takes the id of the organization."""
    uses: Sequence[str] = ()
    known: Callable[[], Iterable[str]] = tuple


@dataclass(frozen=True)
class Work(Generic[T]):
    """Work that the service does on an item; ``ended`` returns a sentence and its tone."""

    under_way: Callable[[T], bool]
    ended: Callable[[T], tuple[str, str]]


@dataclass(frozen=True)
class Resource(Generic[T]):
    """A kind of thing that is listed.

    ``noun`` is one of them. ``pages`` reads one page of the list. ``key`` is the id of an item and
    ``label`` its name, neither of them cleaned. ``of`` says whose they are: a list of a space, of
    an organization, of one item (`Target.item`), or of nobody. ``empty`` says what to do where
    there are none. ``get`` names the operation that reads one, and ``arguments`` gives what it
    takes. ``copies`` is what ``Y`` offers beside the address, the name and the id. ``more`` are
    details beyond those that are shown of every item. ``adding`` is the permission that adding an
    item takes, a field of ``OrganizationPermissions``; ``readers_empty`` stands in the place of
    ``empty`` for readers without it. ``work`` is watched until it has ended.
    """

    noun: str
    title: str
    pages: Callable[[Api, Target, ListQuery], Awaitable[Page[T]]]
    key: Callable[[T], str]
    label: Callable[[T], str]
    shown: Sequence[Facet[T]]
    empty: str
    of: Literal["organization", "space", "item", "none"] = "organization"
    get: str = ""
    arguments: Callable[[Target, T], tuple[str, ...]] = lambda target, item: ()
    url: Callable[[T], str | None] = lambda item: None
    views: Sequence[View] = ()
    tabs: Sequence[View] = ()
    """The views of a place whose views are places, named like these."""
    orders: Sequence[ServiceOrder] = ()
    conditions: Sequence[Condition] = ()
    copies: Callable[[T], Sequence[tuple[str, str | None]]] = lambda item: ()
    more: Callable[[T, datetime], Sequence[tuple[str, str | Text]]] = lambda item, now: ()
    dim: Callable[[T], bool] | None = None
    adding: str = ""
    readers_empty: str = ""
    work: Work[T] | None = None
    contents: Callable[[], tuple[Resource[Any], ...]] | None = None
    """The lists of what one holds, each of one item, for a very wide screen; None for nothing."""
    inside: Callable[[T], str] | None = None
    """The id that those are asked for by, where it is not that of the item."""
    beside: int = 1
    """Which of the texts stands beside the name, where it is among what another thing holds."""
    home: Callable[[T], str | None] = lambda item: None
    """The id of the organization that an item is of, where it may be another one's."""
    masked: Callable[[], bool] = lambda: False
    """Whether e-mail addresses and phone numbers are masked in what is shown now."""

    def copied(self, item: T, label: str) -> Sequence[tuple[str, str]]:
        """Return the address, name and id of an item, and its other ``copies``; clean."""
        own = [("address", self.url(item)), ("name", label), ("id", self.key(item))]
        return [(name, clean(text)) for name, text in (*own, *self.copies(item)) if text]

    def held(self, item: T | None) -> Held:
        """Return an item, the id that what it holds is asked for by, and the kinds of that."""
        key = "" if item is None else (self.inside or self.key)(item)
        return item, key, self.contents() if self.contents is not None else ()

    def raw(self, target: Target, item: T) -> Raw:
        """Return where the raw JSON of an item comes from: its own read, else its list."""
        title = f"{self.noun} {self.label(item)}"
        if not self.get:
            return Raw(title, value=item, masked=self.masked())
        return Raw(title, self.get, self.arguments(target, item), masked=self.masked())


def pages_of(
    operation: str, *whose: str, **always: Any
) -> Callable[[Api, Target, ListQuery], Awaitable[Page[Any]]]:
    """Return what reads a page of a list by the name of its operation.

    ``whose`` names the ids of the target that are in its path, in that order; ``always`` is asked
    with every page.
    """

    async def pages(api: Api, target: Target, asked: ListQuery) -> Page[Any]:
        ids = [getattr(target, name) or "" for name in whose]
        given = {**always, **asked.paging, **asked.order, **asked.conditions}
        read: Any = api.page
        found: Page[Any] = await read(getattr(ops, operation), *ids, **given)
        return found

    return pages


Held: TypeAlias = "tuple[Any, str, tuple[Resource[Any], ...]]"
"""An item or None, the id that what it holds is asked for by, and the kinds of that."""

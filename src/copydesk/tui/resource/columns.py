"""How the items of a `Resource` are shown: its columns, and what its list can be filtered by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rich.text import Text

from copydesk.domain.filter import Fields, Query, Value, fold
from copydesk.domain.text import clean
from copydesk.tui.resource.resource import Resource, Shown
from copydesk.tui.widgets.list import Column, VirtualList

if TYPE_CHECKING:
    from copydesk.session.session import Session

T = TypeVar("T")

OFFERED = 1_000
"""How many different texts are kept to be offered after a key of the filter."""


@dataclass(frozen=True, slots=True)
class Texts(Generic[T]):
    """What is shown of an item, by the names of it, and all of that as a filter compares it."""

    item: T
    by_name: Mapping[str, str | None]
    folded: str


class ShowsItems(Generic[T]):
    """A place with a list of items, of which a resource says what is shown."""

    if TYPE_CHECKING:

        @property
        def session(self) -> Session:
            """The state that all places share."""

    resource: Resource[Any]
    rows: VirtualList[T]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._texts: dict[str, Texts[T]] = {}
        """What is shown of items, by their ids: a filter asks for it at each of its letters."""
        self._found: dict[str, set[str]] = {}
        """What a filter has come by, by the names of it: nothing is looked at to offer it."""
        self._found_before: dict[str, set[str]] = {}

    def text_of(self, shown: Shown[T], item: T) -> str | Text | None:
        """Return what is shown of an item."""
        said = shown.of(item, self.session.now)
        return clean(said) if isinstance(said, str) else said

    def column(self, shown: Shown[T]) -> Column[T]:
        """Return the column of something that is shown."""
        return Column(
            shown.name,
            shown.heading,
            lambda item: self.text_of(shown, item) or "",
            width=shown.width,
            flex=shown.flex,
            align=shown.align,
            drop=shown.drop,
            minimum=shown.minimum,
            most=shown.most,
        )

    def columns_of(self, resource: Resource[Any]) -> list[Column[T]]:
        """Return the columns of a kind of thing."""
        return [self.column(shown) for shown in resource.shown if shown.column]

    def forget_texts(self) -> None:
        """Ask anew what is shown of items: the time went on, or something else is shown."""
        self._texts.clear()
        if self._found:
            # Those remain until a filter looks at the items again.
            self._found_before, self._found = self._found, {}

    def _known_texts(self, item: T) -> Texts[T]:
        key = self.resource.key(item)
        known = self._texts.get(key)
        if known is None or known.item is not item:
            said = ((each.name, self.text_of(each, item)) for each in self.resource.shown)
            texts = {name: None if text is None else str(text) for name, text in said}
            folded = fold(" ".join(text for text in texts.values() if text))
            known = self._texts[key] = Texts(item, texts, folded)
            for name, text in texts.items():
                offered = self._found.setdefault(name, set())
                if text and len(offered) < OFFERED:
                    offered.add(text)
        return known

    def fields_of(self) -> Fields[T]:
        """Return what the list can be filtered by: what is shown of an item."""
        shown = {each.name: each for each in self.resource.shown if each.filters}
        self.forget_texts()
        self._found, self._found_before = {}, {}

        def value(name: str) -> Callable[[T], Value]:
            return lambda item: self._known_texts(item).by_name[name]

        def offers(key: str) -> Iterable[str]:
            if key not in shown:
                return ()
            return sorted(self._found.get(key, set()) | self._found_before.get(key, set()))

        return Fields(
            words=lambda item: self._known_texts(item).folded,
            keys={name: value(name) for name in shown},
            values={name: each.values for name, each in shown.items() if each.values},
            offers=offers,
            folded=True,
        )

    def matching(self, text: str) -> Any:
        """Return what tells whether an item matches a filter. Raises ValueError with a sentence."""
        fields = self.rows.fields
        assert fields is not None
        query = Query.parse(text, fields)
        if query.wrong is not None:
            raise ValueError(query.wrong)
        if query.empty:
            # A key is being typed: what may follow it is come by while the list is gone through.
            return lambda item: self._known_texts(item) is not None
        return query.matches

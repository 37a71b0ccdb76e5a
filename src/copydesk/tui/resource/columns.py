"""How the items of a `Resource` are shown: columns, what its list can be filtered by, and masks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rich.text import Text

from copydesk.domain.filter import Fields, Query, Value, fold
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.personal_data import mask
from copydesk.domain.text import clean, shorten_middle
from copydesk.present.facts import Fact
from copydesk.session.glyphs import glyphs
from copydesk.tui.framework.actions import Commands, action
from copydesk.tui.resource.resource import Facet, Resource
from copydesk.tui.widgets.list import Column

if TYPE_CHECKING:
    from copydesk.tui.framework.place import Place
    from copydesk.tui.resource.place import ResourcePlace

T = TypeVar("T")

OFFERED = 1_000
"""The number of different texts that are offered after a key of the filter."""


@dataclass(frozen=True, slots=True)
class FoldedTexts(Generic[T]):
    """The texts of an item by their names, and all of them folded for a filter."""

    item: T
    by_name: Mapping[str, str | None]
    folded: str


def shown_text(shown: Facet[T], item: T, now: datetime) -> str | Text | None:
    """Return one text of an item, clean; None for nothing."""
    said = shown.of(item, now)
    return clean(said) if isinstance(said, str) else said


class ItemTexts(Generic[T]):
    """The texts of items: the columns of their list, its filter, their details.

    ``text_of`` gives what is shown of an item, for each of ``resource.shown``.
    """

    def __init__(
        self, resource: Resource[Any], text_of: Callable[[Facet[T], T], str | Text | None]
    ) -> None:
        self._resource, self._text_of = resource, text_of
        self._texts: dict[str, FoldedTexts[T]] = {}
        """What is shown of items, by their ids: a filter asks for it at each of its letters."""
        self._found: dict[str, set[str]] = {}
        """What a filter has come by, by the names of it: nothing is looked at to offer it."""
        self._found_before: dict[str, set[str]] = {}
        self.fields = self._fields()
        """What the list can be filtered by: what is shown of an item."""

    def columns(self) -> list[Column[T]]:
        return [self._column(shown) for shown in self._resource.shown if shown.column]

    def _column(self, shown: Facet[T]) -> Column[T]:
        middle = shown.middle

        def fitted(item: T, cells: int) -> str | Text:
            said = self._text_of(shown, item) or ""
            if middle is None or not middle(item):
                return said
            cut = shorten_middle(str(said), cells, glyphs().more)
            return Text(cut, said.style) if isinstance(said, Text) else cut

        return Column(
            shown.name,
            shown.heading,
            lambda item: self._text_of(shown, item) or "",
            width=shown.width,
            flex=shown.flex,
            align=shown.align,
            drop=shown.drop,
            minimum=shown.minimum,
            most=shown.most,
            fitted=None if middle is None else fitted,
            spoken=shown.spoken,
        )

    def details(self, item: T, now: datetime) -> list[Fact]:
        """Return the details of an item, also those that are in no column."""
        known = [
            Fact(shown.label, said)
            for shown in self._resource.shown
            if shown.detail and (said := self._text_of(shown, item))
        ]
        more = self._resource.more(item, now)
        return [
            *known,
            *(Fact(name, clean(s, lines=True) if isinstance(s, str) else s) for name, s in more),
        ]

    def forget(self) -> None:
        """Forget the texts: time went on, or other things are shown."""
        self._texts.clear()
        if self._found:
            # Those remain until a filter looks at the items again.
            self._found_before, self._found = self._found, {}

    def _known(self, item: T) -> FoldedTexts[T]:
        key = self._resource.key(item)
        known = self._texts.get(key)
        if known is None or known.item is not item:
            said = ((each.name, self._text_of(each, item)) for each in self._resource.shown)
            texts = {name: None if text is None else str(text) for name, text in said}
            folded = fold(" ".join(text for text in texts.values() if text))
            known = self._texts[key] = FoldedTexts(item, texts, folded)
            for name, text in texts.items():
                offered = self._found.setdefault(name, set())
                if text and len(offered) < OFFERED:
                    offered.add(text)
        return known

    def _fields(self) -> Fields[T]:
        shown = {each.name: each for each in self._resource.shown if each.filters}

        def value(name: str) -> Callable[[T], Value]:
            return lambda item: self._known(item).by_name[name]

        def offers(key: str) -> Iterable[str]:
            if key not in shown:
                return ()
            return sorted(self._found.get(key, set()) | self._found_before.get(key, set()))

        return Fields(
            words=lambda item: self._known(item).folded,
            keys={name: value(name) for name in shown},
            values={name: each.values for name, each in shown.items() if each.values},
            offers=offers,
            folded=True,
        )

    def matching(self, text: str) -> Callable[[T], bool]:
        """Return a predicate for a filter. Raises ValueError with a sentence."""
        query = Query.parse(text, self.fields)
        if query.wrong is not None:
            raise ValueError(query.wrong)
        if query.empty:
            # A key is being typed: what may follow it is come by while the list is gone through.
            return lambda item: self._known(item) is not None
        return query.matches


def in_order(rows: Iterable[T], by: Callable[[T], Any], *, backwards: bool) -> list[T]:
    """Return rows sorted by a value; those without one stand last in either direction."""

    def known(item: T) -> tuple[bool, Any]:
        value = by(item)
        return value is None, fold(value) if isinstance(value, str) else value

    found = [(known(item), item) for item in rows]
    there = sorted((e for e in found if not e[0][0]), key=lambda e: e[0][1])
    if backwards:
        there.reverse()
    return [item for _, item in there] + [item for (absent, _), item in found if absent]


# What strangers wrote


def columns_of(*resources: Resource[Any]) -> Sequence[str]:
    """Return the names of the columns of lists of resources."""
    return [each.name for resource in resources for each in resource.shown if each.column]


class MaskCommands(Commands, scope="resource_list"):
    """Masking e-mail addresses and phone numbers in what strangers wrote, until they are shown."""

    place: ResourcePlace[Any]

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.masked = True
        self._known: dict[int, Resource[Any]] = {}

    @action(
        "V", "mask/show", show=9, group="Look",
        now=lambda here: "mask" if here.shows_secret else "show masked",
    )  # fmt: skip
    def unmask(self) -> None:
        """Show e-mail addresses and phone numbers while this screen is open, or mask them again."""
        self.masked = not self.masked
        self.place.texts.forget()
        self.place.rows.refresh_rows()
        self.place.show_item()
        self.place.refresh_frame()
        said = "Masked again." if self.masked else "E-mails and phone numbers show. V masks."
        self.place.say(said)

    def shown(self, text: str) -> str:
        """Return a clean text as it may be seen now."""
        return mask(text) if self.masked else text

    @property
    def shows_secret(self) -> bool:
        return not self.masked

    def views_note(self) -> str:
        """Say that personal data can be read, for as long as that is so."""
        return "" if self.masked else "IN CLEAR: V masks"

    @property
    def note(self) -> str:
        """Whether personal data is masked, as the status line says it."""
        state = "masked: V shows" if self.masked else "in clear: V masks"
        return f"e-mails and phone numbers are {state} them"

    def of(self, resource: Resource[T]) -> Resource[T]:
        """Return a resource with what is shown of its items masked as it is now.

        An address that would be masked is not shown, opened or copied.
        """
        if id(resource) not in self._known:
            held = resource.contents
            self._known[id(resource)] = replace(
                resource,
                label=lambda item: self.shown(clean(resource.label(item))),
                shown=[self._shown_of(each) for each in resource.shown],
                more=lambda item, now: [
                    (name, self._seen(said) or "") for name, said in resource.more(item, now)
                ],
                url=lambda item: self._address(resource.url(item)),
                contents=held and (lambda: tuple(map(self.of, held()))),
                masked=lambda: self.masked,
            )
        return self._known[id(resource)]

    def _shown_of(self, shown: Facet[T]) -> Facet[T]:
        return replace(shown, of=lambda item, now: self._seen(shown.of(item, now)))

    def _seen(self, said: str | Text | None) -> str | Text | None:
        if said is None or not self.masked:
            return said
        if isinstance(said, str):
            return self.shown(clean(said, lines=True))
        hidden = self.shown(said.plain)
        return said if hidden == said.plain else Text(hidden, style=said.style)

    def _address(self, url: str | None) -> str | None:
        return url if url is None or self.shown(url) == url else None

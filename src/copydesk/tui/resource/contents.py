"""What an item of a list holds, beside its details: who is in a team, what a member reaches."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from rich.text import Text

from copydesk.domain.text import clean
from copydesk.present.facts import Fact
from copydesk.session.glyphs import glyphs
from copydesk.tui.resource.columns import shown_text
from copydesk.tui.resource.resource import Asked
from copydesk.tui.widgets.facts import WideFacts

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.base import Page
    from copydesk.tui.resource.place import ResourcePlace
    from copydesk.tui.resource.resource import Resource

FIRST = 50
"""Things of each kind that are read; of more it is said that there are more."""

REST_SECONDS = 0.15
"""How long the cursor rests on an item before what it holds is read."""


class Contents(WideFacts):
    """The first things that the item under the cursor holds, on a very wide screen.

    They are read once the cursor rests, with a request for each kind (``Resource.contents``), and
    again where the item is another one in the list by now, or the list is read by hand.
    """

    def __init__(self, place: ResourcePlace[Any]) -> None:
        super().__init__(self._facts_now, empty="What it holds shows here.", id="contents")
        self._place = place
        self._known: dict[str, tuple[Any, tuple[Page[Any], ...] | str]] = {}
        """By item: the item as it was, and the pages of each kind, or why they were not read."""

    def forget(self) -> None:
        """Read everything again; what was read shows until then."""
        self._known = {key: (None, found) for key, (_, found) in self._known.items()}

    def look(self) -> None:
        """Show what is known of the item under the cursor, and read it once the cursor rests."""
        place, item, kinds = self._place, self._place.item, self._place.resource.contents()
        if not (kinds and self.is_attached and self.display):
            return
        self.show_again()
        place.reads.cancel("contents")
        if item is None:
            return
        key = place.resource.key(item)
        known = self._known.get(key, (None, ""))[0] == item
        if known and not place.reads.left_behind("contents", key):
            return
        target = place.target.but(organization=place.organization, item=key)

        async def read(api: Api) -> tuple[Page[Any], ...]:
            pages = (kind.pages(api, target, Asked(None, FIRST)) for kind in kinds)
            return tuple(await asyncio.gather(*pages))

        def arrived(found: tuple[Page[Any], ...] | str) -> None:
            self._known[key] = item, found
            self.show_again()

        place.reads.load(
            "contents", read, arrived, what=f"Reading {self._title(kinds).lower()}", of=key,
            failed=arrived, after=REST_SECONDS, quiet=True,
        )  # fmt: skip

    def on_show(self) -> None:
        """Show and read what there was no room for before."""
        self.look()

    def _title(self, kinds: tuple[Resource[Any], ...]) -> str:
        return " and ".join([kinds[0].title, *(kind.title.lower() for kind in kinds[1:])])

    def _facts_now(self) -> tuple[list[Fact], str, str]:
        place, item, kinds = self._place, self._place.item, self._place.resource.contents()
        title = self._title(kinds)
        if item is None:
            return [], title, ""
        key = place.resource.key(item)
        _, found = self._known.get(key, (None, f"reading{glyphs().more}"))
        if isinstance(found, str):
            return [Fact("", Text(found, style="muted"))], title, key
        facts: list[Fact] = []
        for kind, page in zip(kinds, found, strict=True):
            if len(kinds) > 1:
                gap = [Fact("", "")] if facts else []
                facts += [*gap, Fact("", Text(kind.title, style="strong"))]
            facts += self._listed(kind, page)
        return facts, title, key

    def _listed(self, kind: Resource[Any], page: Page[Any]) -> list[Fact]:
        """Return a line for each thing: the first text beside its name, and that."""
        if not page.items:
            return [Fact("", Text("none", style="muted"))]
        beside, now = kind.shown[1], self._place.session.now
        facts = [
            Fact(str(shown_text(beside, each, now) or ""), clean(kind.label(each)))
            for each in page.items
        ]
        if page.next is not None:
            left = "" if page.count is None else f"{page.count - len(page.items):,} "
            facts.append(Fact("", Text(f"and {left}more", style="muted")))
        return facts

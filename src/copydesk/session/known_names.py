"""What one can go to by its name: spaces, sites, pages, people and change requests.

Nothing is asked of the service: the names are those that are kept on this machine. A key looks at a
bounded number of them, found by how their words begin.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import field
from itertools import islice
from typing import get_args

from copydesk.domain.filter import fold
from copydesk.domain.known_name import Kind, KnownName
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import clean
from copydesk.domain.title_match import rank
from copydesk.local.marks import DeskUses
from copydesk.local.state import State
from copydesk.session.target import Target

LOOKED_AT = 300
"""So many names that begin alike are looked at for a key."""

FOUND = 20
"""So many are offered at once."""

LETTERS = 3
"""By so many first letters of a word its name is found at once."""

SCREENS: dict[Kind, str] = {
    "space": "pages",
    "site": "site-structure",
    "change-request": "review",
    "page": "pages",
    "person": "members",
}
"""The screen of each kind."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class NamedThing:
    """A name as it is shown, with the title of its space."""

    name: KnownName
    title: str
    note: str

    @property
    def id(self) -> str:
        """What tells it from others."""
        return f"name.{self.name.kind}.{self.name.id}"

    def target(self, organization: str | None) -> Target:
        """Return what its screen shows."""
        name = self.name
        match name.kind:
            case "space":
                return Target(organization, name.id)
            case "site":
                return Target(organization, site=name.id)
            case "change-request":
                return Target(organization, name.space, change_request=name.id)
            case "page":
                return Target(organization, name.space, page=name.id)
        return Target(organization)


@dataclass
class KnownNames:
    """The names at hand, which `load` reads again; ``source`` gives those of a kind."""

    source: Callable[[Kind], list[KnownName]] = lambda kind: []
    uses: DeskUses = field(default_factory=lambda: DeskUses(State()))
    _index: dict[str, list[tuple[int, NamedThing]]] = field(default_factory=dict)

    async def load(self) -> None:
        """Read the names and uses, in a thread; without the uses where the disk refuses."""
        self._index = await asyncio.to_thread(self._read)

    def _read(self) -> dict[str, list[tuple[int, NamedThing]]]:
        uses: dict[tuple[str, str], int] = {}
        with suppress(OSError):
            uses = self.uses.read()
        names = [name for kind in get_args(Kind) for name in self.source(kind)]
        spaces = {name.id: clean(name.title) for name in names if name.kind == "space"}
        # Those of a kind come with the newest first, and the order of equal ones stays.
        names.sort(key=lambda name: -uses.get((name.kind, name.id), 0))
        index: dict[str, list[tuple[int, NamedThing]]] = {}
        for at, name in enumerate(names):
            thing = _shown(name, spaces)
            for start in _starts(thing.title):
                alike = index.setdefault(start, [])
                if len(alike) < LOOKED_AT:
                    alike.append((at, thing))
        return index

    def found(self, typed: str) -> list[NamedThing]:
        """Return those that fit what is typed: by how well, then by use, then by age."""
        text = fold(typed.strip())
        first = next(iter(_WORD.findall(text)), "")
        near: dict[int, NamedThing] = {}
        for length in range(LETTERS, 0, -1):
            near.update(self._index.get(first[:length], ()) if first else ())
        ranked = sorted(
            (fit, at) for at, thing in near.items() if (fit := rank(text, thing.title)) is not None
        )
        return [near[at] for _, at in islice(ranked, FOUND)]

    async def used(self, thing: NamedThing) -> None:
        """Remember that it was gone to; nothing is remembered where the disk refuses."""
        with suppress(OSError):
            await asyncio.to_thread(self.uses.add, thing.name.kind, thing.name.id)


def _shown(name: KnownName, spaces: dict[str, str]) -> NamedThing:
    title, said = clean(name.title).strip() or name.id, str(name.kind)
    if name.kind == "change-request":
        title, said = f"#{name.number} {title}", "request"
    space = spaces.get(name.space)
    return NamedThing(name, title, f"{said} · {space}" if space else said)


def _starts(title: str) -> set[str]:
    """Return how the words of a title begin, and how its initials do."""
    words = _WORD.findall(fold(title))
    starts = [*words, "".join(word[0] for word in words)]
    return {word[:length] for word in starts for length in range(1, LETTERS + 1)}

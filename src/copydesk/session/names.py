"""Names: what people and their messages are called on the screen, and what leads to something."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import field
from itertools import islice
from typing import TYPE_CHECKING, get_args

from copydesk.client.errors import Forbidden
from copydesk.domain.filter import fold
from copydesk.domain.known_name import Kind, KnownName, rank
from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.request_context import reads_cached
from copydesk.domain.text import clean, shorten
from copydesk.local.marks import DeskUses
from copydesk.local.state import State
from copydesk.session.glyphs import glyphs
from copydesk.session.operations import ops
from copydesk.session.target import Target

if TYPE_CHECKING:
    from copydesk.client.api import Api
    from copydesk.contract.models.comment import Comment, CommentReply
    from copydesk.contract.models.review import RequestedReviewer
    from copydesk.contract.models.user import User
    from copydesk.domain.mention import Named

MOST_MEMBERS = 5_000
"""Members that are read at most; further ones are not offered."""

LONGEST_NAME = 200
"""Characters of a name that are read."""

LONGEST_ID = 40
"""Characters of an id that stands for a name."""

READ = 400
"""Characters of a message in which its first words are looked for."""


class Members:
    """The people that can be mentioned, by organization."""

    def __init__(self) -> None:
        self._read: dict[str, list[Named]] = {}
        self._gate = asyncio.Lock()

    def known(self, organization: str | None) -> Sequence[Named] | None:
        """Return the members, or None while they have not been read."""
        return self._read.get(organization or "")

    async def read(self, api: Api, organization: str) -> Sequence[Named]:
        """Return the members, reading them at the first call. Raises ``ApiError``.

        Names are clean. A caller who may not see the members has nobody to mention.
        """
        async with self._gate:
            found = self._read.get(organization)
            if found is not None:
                return found
            found = []
            try:
                async for member in api.pages(ops.list_members, organization):
                    person = named(member.user)
                    if person.name and not member.disabled:
                        found.append(person)
                    if len(found) == MOST_MEMBERS:
                        break
            except Forbidden:
                pass
            found.sort(key=lambda person: person.name.casefold())
            if not reads_cached():
                self._read[organization] = found
            return found


def person_name(user: User | None) -> str:
    """Return the name of a person for the screen, never empty; "someone" for a deleted account."""
    names = () if user is None else (user.display_name, user.email, user.id)
    return next(filter(None, (_in_one_line(name) for name in names if name)), "someone")


def named(user: User) -> Named:
    """Return a person as texts name them; the name is empty for one who has none."""
    from copydesk.domain.mention import Named

    return Named(user.id, _in_one_line(user.display_name), _in_one_line(user.email or ""))


def _in_one_line(name: str) -> str:
    """Return a name with one blank between its words."""
    return " ".join(clean(name, limit=LONGEST_NAME).split())


def asked_name(asked: RequestedReviewer) -> str:
    """Return the name of who was asked for a review: a person, or "team Docs"."""
    if asked.team is None:
        return person_name(asked.user)
    title = _in_one_line(asked.team.title)
    return f"team {title or clean(asked.team.id, limit=LONGEST_ID)}"


def first_words(message: Comment | CommentReply, limit: int = 60) -> str:
    """Return the beginning of a message, for a title or a log line."""
    text = clean(message.body.markdown or "", limit=READ)
    return shorten(" ".join(text.split()), limit, glyphs().more)


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

"""Where one can go: the register of places, and going from one to another of its tabs.

A place registers itself once with ``@place``; ``:name``, ``g`` + key, the palette and the help
follow. What is said there is also in a generated table (`session.declarations`): the module of a
place is imported when somebody first goes there.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from copydesk.domain.late_dataclass import dataclass
from copydesk.session.declarations import Destination, ways
from copydesk.tui.framework.actions import JUMPS, Action, DeclarationError, Uses
from copydesk.tui.framework.inside_textual import give_way

if TYPE_CHECKING:
    from copydesk.session.target import Target
    from copydesk.tui.framework.place import Place

P = TypeVar("P", bound="type[Place]")

NO_REQUEST = "No change request is chosen. Open one from a list: g c goes there."
"""What the places of a change request say without one."""


@dataclass(frozen=True, slots=True)
class Jump:
    """One more way into a place: a key after ``g``, a word after ``:``, and the view to open.

    ``uses`` are the operations that are sent by going there, where they are not those of the place.
    """

    key: str
    name: str
    title: str
    view: str | None = None
    uses: Sequence[Uses] | None = None


@dataclass(frozen=True, slots=True)
class JumpEntry:
    """A way to go somewhere."""

    name: str
    title: str
    view: str | None
    module: str
    action: Action

    @property
    def place(self) -> type[Place]:
        """The screen; its module is imported the first time."""
        if self.name not in PLACES:
            importlib.import_module(self.module)
        return PLACES[self.name]


GO = "go."
"""What the ids of the actions begin with that go to a place."""


def _entry(way: Destination, uses: Sequence[Uses] = ()) -> JumpEntry:
    keys = (f"g {way.key}",) if way.key else ()
    does = f"Go to {way.title}."
    sends = tuple(uses) or ((way.reads,) if way.reads else ())
    jump = Action(GO.removesuffix("."), way.name, keys, way.title, does, group="Go", uses=sends)
    return JumpEntry(way.name, way.title, way.view, way.module, jump)


ENTRIES: dict[str, JumpEntry] = {way.name: _entry(way) for way in ways()}
"""Every command that goes somewhere, by its word after ``:``; also to screens not imported yet."""

PLACES: dict[str, type[Place]] = {}
"""The places that are imported, by the word after ``:``."""

TARGETS: dict[str, Callable[[Place], Target]] = {}
"""What some places show when they are asked for by their name, by that of the place."""

JUMPS.update((name, (entry.action, ())) for name, entry in ENTRIES.items())


def place(
    name: str,
    *,
    key: str = "",
    title: str,
    jumps: tuple[Jump, ...] = (),
    uses: Uses | Sequence[Uses] = (),
    at: Callable[[Place], Target] | None = None,
) -> Callable[[P], P]:
    """Register a place under ``:name`` and ``g`` + ``key``.

    ``uses`` are the operations that are sent by going there. ``at`` says what it shows when it is
    asked for by its name: of the place that is left, where that is not its space or site. Raises
    `DeclarationError` when a word or key is taken.
    """

    def register(cls: P) -> P:
        cls.PLACE = name
        cls.TITLE = title
        names = (uses,) if isinstance(uses, str) or callable(uses) else tuple(uses)
        _register(cls, Destination(name, title, key, None, cls.__module__), names)
        if at is not None:
            TARGETS[name] = at
        for jump in jumps:
            way = Destination(jump.name, jump.title, jump.key, jump.view, cls.__module__)
            _register(cls, way, names if jump.uses is None else jump.uses)
        return cls

    return register


def _register(cls: type[Place], way: Destination, uses: Sequence[Uses]) -> None:
    taken = PLACES.get(way.name)
    if taken is not None and taken.__qualname__ != cls.__qualname__:
        raise DeclarationError(f"place {way.name!r} is registered twice")
    entry = _entry(way, uses)
    for other in PLACES:
        keys = ENTRIES[other].action.keys
        if keys and entry.action.keys == keys and other != way.name:
            raise DeclarationError(f"{keys[0]!r} goes to {other} and {way.name}")
    ENTRIES[way.name], PLACES[way.name] = entry, cls
    JUMPS[way.name] = entry.action, cls.owner_classes()


def load_all() -> None:
    """Import every place, in the order in which they are listed."""
    for entry in tuple(ENTRIES.values()):
        _ = entry.place


def find(name: str) -> JumpEntry | None:
    """Return the entry called ``name``, with its place imported."""
    entry = ENTRIES.get(name)
    if entry is not None:
        _ = entry.place
    return entry


def turn_tab(place: Place, hand_on: Callable[[Place], None] = lambda other: None) -> None:
    """Go to the tab that was chosen; ``hand_on`` prepares its place where that is made.

    Of places that are tabs of one another the views are called as the places. The other takes the
    room of the one in front, so that Esc leaves all of them at once.
    """
    name, place.view = place.view, place.PLACE
    place.refresh_frame()
    if name != place.PLACE:
        place.desk.call_later(_turn_to, place, name, hand_on)


async def _turn_to(place: Place, name: str, hand_on: Callable[[Place], None]) -> None:
    """Put the place of another tab where this one stands, or go back to it if it is open."""
    desk = place.desk
    entry, target = find(name), place.target.but(view=None)
    if entry is None:
        place.say(f"No screen has the name {name!r}.", "warn")
        return
    for screen in desk.screen_stack:
        if type(screen) is entry.place and screen.target.but(view=None) == target:
            await desk.go(name, target)
            return
    if desk.screen is not place:
        return
    other = entry.place(target)
    hand_on(other)
    if (visit := place.visit()) is not None:
        desk.visits.leave(visit)
    await give_way(place, other)

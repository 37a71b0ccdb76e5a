"""Where one can go: the register of places, and the target that tells a place what to show.

A place registers itself once with ``@place``; ``:name``, ``g`` + key, the palette and the help
follow. Their modules are imported when needed: one for the first frame, the rest behind it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from copydesk.domain.late_dataclass import dataclass
from copydesk.session.declarations import PLACES
from copydesk.tui.framework.actions import JUMPS, Action, DeclarationError, Uses, actions_of

if TYPE_CHECKING:
    from copydesk.tui.framework.place import Place

P = TypeVar("P", bound="type[Place]")


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
class Entry:
    """A registered way to go somewhere."""

    name: str
    title: str
    place: type[Place]
    view: str | None
    action: Action


GO = "go."
"""What the ids of the actions begin with that go to a place."""

ENTRIES: dict[str, Entry] = {}
"""Every way to go somewhere, by the word after ``:``."""

MODULES: dict[str, str] = {}
"""Which module declares a place, by the word after ``:``; `copydesk.tui.places` fills it."""


def place(
    name: str,
    *,
    key: str = "",
    title: str,
    jumps: tuple[Jump, ...] = (),
    uses: Uses | Sequence[Uses] = (),
) -> Callable[[P], P]:
    """Register a place under ``:name`` and ``g`` + ``key``.

    ``uses`` are the operations that are sent by going there. Raises `DeclarationError` when a word
    or key is taken.
    """

    def register(cls: P) -> P:
        cls.PLACE = name
        cls.TITLE = title
        names = (uses,) if isinstance(uses, str) or callable(uses) else tuple(uses)
        owners = cls.owner_classes()
        labels = {each.method: each.label for _, each in actions_of(owners)}
        for jump in (Jump(key, name, title), *jumps):
            taken = ENTRIES.get(jump.name)
            if taken is not None and taken.place.__qualname__ != cls.__qualname__:
                raise DeclarationError(f"place {jump.name!r} is registered twice")
            keys = (f"g {jump.key}",) if jump.key else ()
            for other in ENTRIES.values():
                if keys and other.action.keys == keys and other.name != jump.name:
                    raise DeclarationError(f"{keys[0]!r} goes to {other.name} and {jump.name}")
            action = Action(
                GO.removesuffix("."),
                jump.name,
                keys,
                jump.title,
                f"Go to {jump.title}.",
                group="Go",
                uses=names if jump.uses is None else tuple(jump.uses),
            )
            PLACES[jump.name] = jump.title, labels
            ENTRIES[jump.name] = Entry(jump.name, jump.title, cls, jump.view, action)
            JUMPS[jump.name] = action, owners  # last: from now on a key goes there
        return cls

    return register


def load_all() -> None:
    """Import every module of `MODULES`, which registers the places in it, in their order."""
    for module in dict.fromkeys(MODULES.values()):
        importlib.import_module(module)


def find(name: str) -> Entry | None:
    """Return the entry called ``name``, importing the module that declares it."""
    if name not in ENTRIES and name in MODULES:
        importlib.import_module(MODULES[name])
    return ENTRIES.get(name)

"""Where one can go: the register of places, and the target that tells a place what to show.

A place registers itself once with ``@place``; ``:name``, ``g`` + key, the palette and the help
follow. Modules of ``copydesk.tui.screens`` are imported when needed: one for the first frame, the
rest behind it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from copydesk.tui.actions import Action, DeclarationError, Uses

if TYPE_CHECKING:
    from copydesk.tui.place import Place

P = TypeVar("P", bound="type[Place]")


@dataclass(frozen=True, slots=True)
class Target:
    """What a place shows: ids, and the view. Fields that do not matter stay None."""

    organization: str | None = None
    space: str | None = None
    change_request: str | None = None
    site: str | None = None
    section: str | None = None
    page: str | None = None
    revision: str | None = None
    thread: str | None = None
    cluster: str | None = None
    item: str | None = None
    """What a list of parts is of, where it is none of those above: a team, an integration."""
    view: str | None = None

    def but(self, **changes: str | None) -> Target:
        """Return the same target with some fields changed."""
        return replace(self, **changes)


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


def place(
    name: str,
    *,
    key: str = "",
    title: str,
    jumps: tuple[Jump, ...] = (),
    uses: Uses | Sequence[Uses] = (),
) -> Callable[[P], P]:
    """Register a place under ``:name`` and ``g`` + ``key``.

    ``uses`` are the operations that are sent by going there. The module that holds it should be
    called like the place (``-`` as ``_``), so that the first frame needs to import no other. Raises
    `DeclarationError` when a word or key is taken.
    """

    def register(cls: P) -> P:
        cls.PLACE = name
        cls.TITLE = title
        names = (uses,) if isinstance(uses, str) or callable(uses) else tuple(uses)
        for jump in (Jump(key, name, title), *jumps):
            taken = ENTRIES.get(jump.name)
            if taken is not None and taken.place.__qualname__ != cls.__qualname__:
                raise DeclarationError(f"place {jump.name!r} is registered twice")
            keys = (f"g {jump.key}",) if jump.key else ()
            for other in ENTRIES.values():
                if keys and other.action.keys == keys and other.name != jump.name:
                    raise DeclarationError(f"{keys[0]!r} goes to {other.name} and {jump.name}")
            ENTRIES[jump.name] = Entry(
                jump.name,
                jump.title,
                cls,
                jump.view,
                Action(
                    GO.removesuffix("."),
                    jump.name,
                    keys,
                    jump.title,
                    f"Go to {jump.title}.",
                    group="Go",
                    uses=names if jump.uses is None else tuple(jump.uses),
                ),
            )
        return cls

    return register


def load_all() -> None:
    """Import every module of ``copydesk.tui.screens``, which registers the places in it."""
    import pkgutil

    screens = importlib.import_module("copydesk.tui.screens")
    for module in pkgutil.iter_modules(screens.__path__):
        importlib.import_module(f"copydesk.tui.screens.{module.name}")


def find(name: str) -> Entry | None:
    """Return the entry called ``name``, importing the module of that name, else all of them."""
    if name not in ENTRIES:
        module = "copydesk.tui.screens." + name.replace("-", "_")
        try:
            importlib.import_module(module)
        except ModuleNotFoundError as error:
            if error.name != module:
                raise
            load_all()
    return ENTRIES.get(name)

"""Dataclasses that a start does not have to wait for.

``dataclasses.dataclass`` writes and compiles the source of each method when a class is declared:
for the fifty classes in the modules of the first screen that is a fifth of the time of a start, and
few of them have a value by then. Here the methods are made with the first value, or when something
asks for the fields.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from threading import RLock
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")

_waiting: dict[type, tuple[dict[str, Any], dict[str, Any]]] = {}
"""The classes without methods: the options of each, and the defaults of those with slots."""

_making = RLock()


class _Fields:
    """``__dataclass_fields__`` of a class without methods."""

    def __get__(self, value: object, owner: type) -> object:
        return None if owner is _Late else vars(_made(owner))["__dataclass_fields__"]


class _Late:
    """The base of these classes: it stands in for their methods."""

    __slots__ = ()
    __dataclass_fields__ = _Fields()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        vars(_made(type(self)))["__init__"](self, *args, **kwargs)


def _made(cls: type) -> type:
    """Return the class that was declared here, or is inherited from, with its methods made."""
    declared = next(each for each in cls.__mro__ if _Late in each.__bases__)
    with _making:
        if waiting := _waiting.pop(declared, None):
            options, defaults = waiting
            slots = {name: vars(declared)[name] for name in defaults}
            for name, default in defaults.items():
                setattr(declared, name, default)
            dataclasses.dataclass(**options)(declared)
            for name, slot in slots.items():
                setattr(declared, name, slot)
    return declared


@overload
def dataclass(cls: type[T], /) -> type[T]: ...


@overload
def dataclass(
    *, eq: bool = True, frozen: bool = False, slots: bool = False, kw_only: bool = False
) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(field_specifiers=(dataclasses.field,))
def dataclass(cls: type[T] | None = None, /, *, slots: bool = False, **options: bool) -> Any:
    """Declare a dataclass as ``dataclasses.dataclass`` does, for a class without other bases.

    As there with ``slots``, ``super()`` without arguments cannot be used in its methods, and one
    with slots can be neither copied nor pickled.
    """
    if cls is None:
        return lambda cls: _declared(cls, slots, options)
    return _declared(cls, slots, options)


def _declared(cls: type, slots: bool, options: dict[str, bool]) -> type:
    inside = {k: v for k, v in vars(cls).items() if k not in {"__dict__", "__weakref__"}}
    defaults: dict[str, Any] = {}
    if slots:
        hints = inside.get("__annotations__", {})
        names = [name for name, hint in hints.items() if "ClassVar" not in str(hint)]
        defaults = {name: inside.pop(name) for name in names if name in inside}
        inside["__slots__"] = tuple(names)
    inside["__qualname__"] = cls.__qualname__
    bases = tuple(each for each in cls.__bases__ if each is not object)
    made = type(cls)(cls.__name__, (*bases, _Late), inside)
    _waiting[made] = options, defaults
    return made

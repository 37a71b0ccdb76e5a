"""Dataclasses that a start does not have to wait for.

``dataclasses.dataclass`` writes and compiles the source of each method when a class is declared:
for the fifty classes in the modules of the first screen that is a fifth of the time of a start, and
few of them have a value by then. Here the methods are made with the first value, or when something
asks for the fields, and only ``__init__`` is compiled: the others go through the fields.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from operator import attrgetter
from reprlib import recursive_repr
from threading import RLock
from types import CodeType, FunctionType
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")

_waiting: dict[type, tuple[dict[str, bool], dict[str, Any]]] = {}
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
            frozen, eq = options.pop("frozen", False), options.pop("eq", True)
            slots = {name: vars(declared)[name] for name in defaults}
            for name, default in defaults.items():
                setattr(declared, name, default)
            dataclasses.dataclass(init=False, repr=False, eq=False, **options)(declared)
            for name, slot in slots.items():
                setattr(declared, name, slot)
            _give_methods(declared, frozen=frozen, eq=eq)
    return declared


def _give_methods(cls: type, *, frozen: bool, eq: bool) -> None:
    """Give a class that has its fields the methods of a dataclass that it has not."""
    fields = dataclasses.fields(cls)
    own = vars(cls)
    methods: dict[str, Any] = {"__init__": _initializer(cls, fields, frozen=frozen)}
    if "__repr__" not in own:
        methods["__repr__"] = _teller([each.name for each in fields if each.repr])
    if eq and "__eq__" not in own:
        methods["__eq__"] = _comparer(_values([each.name for each in fields if each.compare]))
    if eq and own.get("__hash__") is None:
        kept = [each.name for each in fields if (each.compare if each.hash is None else each.hash)]
        methods["__hash__"] = _hasher(_values(kept)) if frozen else None
    if frozen:
        names = frozenset(each.name for each in fields)
        methods["__setattr__"], methods["__delattr__"] = _refusers(cls, names)
    for name, method in methods.items():
        if method is not None:
            method.__name__, method.__qualname__ = name, f"{cls.__qualname__}.{name}"
            method.__module__ = cls.__module__
        setattr(cls, name, method)


def _initializer(
    cls: type, fields: tuple[dataclasses.Field[Any], ...], *, frozen: bool
) -> FunctionType:
    """Compile the ``__init__`` of a class, which runs for each row of a list.

    Raises ``TypeError`` for a field that is not given (``init=False``), and for one without a
    default behind one that has it.
    """
    unset = object()
    known: dict[str, Any] = {"_set": object.__setattr__, "_unset": unset}
    lines = ["self.__post_init__()"] if hasattr(cls, "__post_init__") else []
    first: dict[str, Any] = {}
    by_name: dict[str, Any] = {}
    for number, field in enumerate(fields):
        name = value = field.name
        default = field.default
        if field.default_factory is not dataclasses.MISSING:
            known[f"_make_{name}"], default = field.default_factory, unset
            value = f"_make_{name}() if {name} is _unset else {name}"
        (by_name if field.kw_only else first)[name] = default
        line = f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}"
        lines.insert(number, line)
        if not field.init:
            raise TypeError(f"{cls.__qualname__}.{name} has to be given")
    parameters = ["self", *first, *(["*"] if by_name else ()), *by_name]
    body = "\n ".join(lines) or "pass"
    source = compile(f"def __init__({', '.join(parameters)}):\n {body}", __name__, "exec")
    code = next(each for each in source.co_consts if isinstance(each, CodeType))
    defaults = [each for each in first.values() if each is not dataclasses.MISSING]
    if any(v is dataclasses.MISSING for v in list(first.values())[len(first) - len(defaults) :]):
        raise TypeError(f"{cls.__qualname__} has a field without a default behind one that has it")
    made = FunctionType(code, known, argdefs=tuple(defaults))
    named = {k: v for k, v in by_name.items() if v is not dataclasses.MISSING}
    made.__kwdefaults__ = named
    return made


def _values(names: Sequence[str]) -> Callable[[object], object]:
    return attrgetter(*names) if names else lambda _: ()


def _teller(names: Sequence[str]) -> Callable[[object], str]:
    @recursive_repr()
    def told(self: object) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({values})"

    return told


def _comparer(values: Callable[[object], object]) -> Callable[[object, object], object]:
    def compared(self: object, other: object) -> object:
        return values(self) == values(other) if type(self) is type(other) else NotImplemented

    return compared


def _hasher(values: Callable[[object], object]) -> Callable[[object], int]:
    return lambda self: hash(values(self))


def _refusers(cls: Any, names: frozenset[str]) -> tuple[Callable[..., None], Callable[..., None]]:
    """Return what refuses a change of a field, and of a value that is of this very class."""

    def refused(self: object, name: str, value: object) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
        super(cls, self).__setattr__(name, value)

    def kept(self: object, name: str) -> None:
        if type(self) is cls or name in names:
            raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")
        super(cls, self).__delattr__(name)

    return refused, kept


@overload
def dataclass(cls: type[T], /) -> type[T]: ...


@overload
def dataclass(
    *, eq: bool = True, frozen: bool = False, slots: bool = False, kw_only: bool = False
) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(field_specifiers=(dataclasses.field,))
def dataclass(cls: type[T] | None = None, /, *, slots: bool = False, **options: bool) -> Any:
    """Declare a dataclass as ``dataclasses.dataclass`` does, or one that adds to one from here.

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
    if issubclass(cls, _Late):  # whose methods may be there, and are not those of this one
        inside["__init__"], inside["__dataclass_fields__"] = _Late.__init__, _Fields()
    bases = tuple(each for each in cls.__bases__ if each is not object)
    made = type(cls)(cls.__name__, (*bases, _Late), inside)
    _waiting[made] = options, defaults
    return made

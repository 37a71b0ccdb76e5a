"""Dataclasses whose methods are made with the first value: alike in everything but the moment."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, field, fields, is_dataclass, replace
from threading import Barrier
from typing import Any, ClassVar, Generic, TypeVar, cast

import pytest

from copydesk.domain.late_dataclass import dataclass

T = TypeVar("T")


def test_a_frozen_one_with_slots_is_what_a_dataclass_is() -> None:
    @dataclass(frozen=True, slots=True)
    class Point(Generic[T]):
        kind: ClassVar[str] = "point"
        x: T
        y: int = 2
        tags: list[str] = field(default_factory=list)

        @property
        def wide(self) -> bool:
            return self.y > 1

    assert "__init__" not in vars(Point)
    point = Point("a")
    assert (point.x, point.y, point.tags, point.wide, Point.kind) == ("a", 2, [], True, "point")
    assert point == Point("a", 2) != replace(point, y=1)
    assert Point.__qualname__.endswith(".<locals>.Point")
    assert repr(point) == f"{Point.__qualname__}(x='a', y=2, tags=[])"
    assert Point(x="b").tags is not point.tags
    assert not hasattr(point, "__dict__")
    with pytest.raises(FrozenInstanceError):
        setattr(point, fields(Point)[1].name, 3)
    match point:
        case Point(x, 2):
            assert x == "a"


def test_its_fields_are_there_before_its_first_value() -> None:
    @dataclass
    class Setting:
        name: str
        about: str = ""

    assert is_dataclass(Setting)
    assert [each.name for each in fields(Setting)] == ["name", "about"]


def test_a_class_that_inherits_it_begins_with_its_fields() -> None:
    @dataclass(slots=True)
    class Base:
        a: int

    assert "__init__" not in vars(Base)

    class Plain(Base):
        def __init__(self, a: int) -> None:
            super().__init__(a + 1)

    assert Plain(1).a == 2
    assert Base(1).a == 1


def test_one_that_adds_to_another_has_the_fields_of_both() -> None:
    @dataclass(frozen=True, slots=True, kw_only=True)
    class Notes:
        text: str = ""
        by: str = "nobody"

    assert Notes().by == "nobody"

    @dataclass(frozen=True, slots=True)
    class Entry(Notes):
        name: str
        made: str = ""

    assert [each.name for each in fields(Entry)] == ["text", "by", "name", "made"]
    entry = Entry("a", "b", text="c")
    assert (entry.text, entry.by, entry.name, entry.made) == ("c", "nobody", "a", "b")
    assert replace(entry, by="me").by == "me"
    assert entry != Notes(text="c")
    assert not hasattr(entry, "__dict__")


def test_what_a_field_says_of_itself_is_so() -> None:
    @dataclass
    class Part:
        name: str
        seen: int = field(default=0, compare=False)
        inside: Part | None = field(default=None, repr=False)
        known: dict[str, str] = field(default_factory=dict)

        def __post_init__(self) -> None:
            self.known["name"] = self.name

    part = Part("a", seen=1)
    assert part == Part("a", seen=2) != Part("b")
    assert part.known == {"name": "a"}
    assert repr(part).endswith("Part(name='a', seen=1, known={'name': 'a'})")
    with pytest.raises(TypeError, match="unhashable"):
        hash(part)
    with pytest.raises(TypeError, match=r"Part\.__init__\(\) missing"):
        cast("Any", Part)()


def test_a_frozen_one_is_a_key_and_stays_as_it_is() -> None:
    @dataclass(frozen=True)
    class Key:
        name: str
        about: str = field(default="", hash=False)

    assert {Key("a"): 1}[Key("a")] == 1
    assert hash(Key("a", "b")) == hash(Key("a"))
    key = Key("a")
    with pytest.raises(FrozenInstanceError, match="delete"):
        delattr(key, fields(Key)[0].name)

    class Marked(Key):
        """What a class of its own adds may change."""

    marked: Any = Marked("a")
    marked.mark = 1
    assert marked.mark == 1
    del marked.mark
    assert not hasattr(marked, "mark")
    with pytest.raises(FrozenInstanceError, match="assign to field 'name'"):
        marked.name = "b"
    with pytest.raises(FrozenInstanceError, match="delete field 'name'"):
        del marked.name


def test_a_field_in_the_wrong_place_is_refused() -> None:
    @dataclass(kw_only=True)
    class Base:
        a: int = 0

    @dataclass
    class Behind(Base):
        b: int = 0

    cast("Any", Behind).c = field()
    Behind.__annotations__["c"] = "int"
    with pytest.raises(TypeError, match="without a default"):
        Behind()


def test_the_first_values_may_be_made_in_several_threads_at_once() -> None:
    for _ in range(20):

        @dataclass(frozen=True)
        class Value:
            a: int

        with ThreadPoolExecutor(4) as pool:
            together = Barrier(4)

            def make(_: int, cls: type[Value] = Value, together: Barrier = together) -> Value:
                together.wait()
                return cls(1)

            assert list(pool.map(make, range(4))) == [Value(1)] * 4


def plain(of: Any) -> Any:
    @of
    class Made:
        a: int
        b: list[int] = field(default_factory=list, repr=False)
        c: str = "c"

    return Made


def frozen(of: Any) -> Any:
    @of(frozen=True)
    class Made:
        a: int
        b: Any = field(default=2, compare=False)
        c: int = field(default=3, hash=False)

    return Made


def by_name(of: Any) -> Any:
    @of(kw_only=True, slots=True)
    class Made:
        a: int = 1
        b: dict[str, int] = field(default_factory=dict)
        c: int = 4

    return Made


def mixed(of: Any) -> Any:
    @of(frozen=True, slots=True)
    class Made:
        a: int
        b: int = field(kw_only=True)
        c: int = field(default=5, kw_only=True)

    return Made


def as_it_is(of: Any) -> Any:
    @of(eq=False)
    class Made:
        a: int
        b: int = 2

    return Made


def with_methods(of: Any) -> Any:
    @of(frozen=True)
    class Made:
        a: int
        b: int = 2

        def __repr__(self) -> str:
            return f"<{self.a}>"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Made)

        def __hash__(self) -> int:
            return 7

    return Made


def empty(of: Any) -> Any:
    @of(frozen=True)
    class Made:
        """Nothing."""

    return Made


def tried(work: Callable[..., Any], *given: Any, **named: Any) -> Any:
    """Return the result of a call, or the words of the error that it raised."""
    try:
        return work(*given, **named)
    except (TypeError, AttributeError) as error:
        return f"{type(error).__name__}: {error}"


WAYS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((), {}), ((1,), {}), ((1, 2), {}), ((1, 2, 3), {}), ((1, 2, 3, 4), {}), ((), {"a": 1}),
    ((1,), {"b": [2]}), ((), {"a": 1, "b": 2, "c": 3}), ((1,), {"a": 1}), ((1,), {"d": 1}),
]  # fmt: skip


def behaviour(cls: Any) -> list[Any]:
    """Return what can be told of a class and its values."""
    names = [each.name for each in fields(cls)]
    made = [tried(cls, *given, **named) for given, named in WAYS]
    values = [each for each in made if isinstance(each, cls)]
    again = [each for each in (tried(cls, *given, **named) for given, named in WAYS)
             if isinstance(each, cls)]  # fmt: skip
    told: list[Any] = [each if isinstance(each, str) else repr(each) for each in made]
    told += [[one == other for other in [*again, 1]] for one in values]
    told += [[getattr(one, name) for name in names] for one in values]
    told += [hasattr(one, "__dict__") for one in values]
    if cls.__hash__ is not object.__hash__:
        hashes = [[tried(hash, one) for one in some] for some in (values, again)]
        told.append([[one == other for other in hashes[1]] for one in hashes[0]])
    for change in (lambda one, name: setattr(one, name, 9), delattr):
        told.append([tried(change, one, name) for one in values[:1] for name in names])
    for name in ("__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__"):
        if inspect.isfunction(method := vars(cls).get(name)):
            told.append((name, method.__name__, method.__qualname__, method.__module__))
    return told


@pytest.mark.parametrize("declared", [plain, frozen, by_name, mixed, as_it_is, with_methods, empty])
def test_it_does_what_one_of_the_library_does(declared: Callable[[Any], Any]) -> None:
    ours, theirs = (behaviour(declared(of)) for of in (dataclass, dataclasses.dataclass))
    assert ours == theirs

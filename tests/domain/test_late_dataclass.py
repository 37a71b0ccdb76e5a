"""Dataclasses whose methods are made with the first value: alike in everything but the moment."""

from __future__ import annotations

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

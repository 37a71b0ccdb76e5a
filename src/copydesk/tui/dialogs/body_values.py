"""A body while it is filled in: the texts of its fields at first, and the body that they make.

What is edited is told from what is new. Of the former only what differs is set, so that everything
else stays as it is; null, where a field takes it, is what an emptied field says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar, get_args

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from copydesk.contract.enumerations import DefaultLevel, Role
from copydesk.contract.models.base import Body
from copydesk.domain.text import clean, clean_long
from copydesk.session.options import Option
from copydesk.tui.dialogs.body_fields import (
    NotReadableError,
    Slot,
    first_of,
    sentence_of,
    slots_of,
    with_constants,
)
from copydesk.tui.dialogs.form import FieldsWrongError

B = TypeVar("B", bound=Body)

SHOWN = 20_000
"""A value of more characters is not put into a field: typing would be slow."""

LONG = 255
"""A text that may be longer than this many characters has a field of several lines."""

WIDE = 60
"""So many characters fit into a field of one line."""

SEVERAL_LINES = 4
"""The height of a field for longer text."""

LEFT = ""
"""The id of the option without a value: unchanged in an edit, left out of a new object."""

NULL = "null"
"""The id of the option that stands for null."""

NULLS: Mapping[tuple[Any, ...], str] = {
    get_args(Role): "guest (none)",
    get_args(DefaultLevel): "no access (none)",
}
"""What null says among the values of an enumeration."""

CANNOT_BE_EMPTY = "it cannot be empty"


class Filling(Generic[B]):
    """A body that is filled in.

    ``current`` is the JSON of what is edited, None for a new one. ``only`` are the fields that are
    asked for, in their order (all when empty, of a new one those first that it has to have);
    ``fixed`` is JSON that goes with them. Raises ``ValueError`` for a name in ``only`` that the
    body does not have.
    """

    def __init__(
        self,
        model: type[B],
        current: Mapping[str, Any] | None,
        only: Sequence[str] = (),
        fixed: Mapping[str, Any] | None = None,
    ) -> None:
        self.model = model
        self.new = current is None
        self._fixed = fixed or {}
        self.slots = [
            slot for slot in _picked(slots_of(model), only) if slot.path[0] not in self._fixed
        ]
        if self.new and not only:
            self.slots.sort(key=lambda slot: not slot.required)
        self._known: dict[str, Any] = {}
        """The known values of fields on the service."""
        self.first: dict[str, str] = {}
        """The texts of the fields at first."""
        self._parts = {
            name for name, value in (current or {}).items() if isinstance(value, Mapping)
        }
        self.too_long: dict[str, int] = {}
        """How many characters the values have that are not put into their fields."""
        for slot in self.slots:
            self._look_up(slot, current or {})

    def _look_up(self, slot: Slot, current: Mapping[str, Any]) -> None:
        value: Any = current
        self.first[slot.name] = ""
        for part in slot.path:
            if not isinstance(value, Mapping) or part not in value:
                return
            value = value[part]
        value = _as_sent(slot, value)
        if not slot.fits(value):
            return
        self._known[slot.name] = value
        if slot.kind == "choice" and value is None and slot.nullable:
            self.first[slot.name] = NULL
            return
        text = slot.written(value)
        if slot.kind == "list" and value is not None:
            text = "\n".join(line for each in value if (line := clean(each).strip()))
        if len(text) > SHOWN:
            self.too_long[slot.name] = len(text)
        elif self.lines(slot) > 1:
            self.first[slot.name] = clean_long(text).strip()
        else:
            self.first[slot.name] = clean(text).strip()

    def knows(self, slot: Slot) -> bool:
        """Whether what a field holds on the service is known."""
        return slot.name in self._known

    def in_known_part(self, slot: Slot) -> bool:
        """Whether a value is in a part that is known: what that lacks is not there at all."""
        return len(slot.path) > 1 and slot.path[0] in self._parts

    def lines(self, slot: Slot) -> int:
        """Return the height of the field: several lines for text that is or may be long."""
        if slot.kind in ("list", "json"):
            return SEVERAL_LINES if slot.kind == "json" else SEVERAL_LINES - 1
        if slot.kind != "text":
            return 1
        held = self._known.get(slot.name) or ""
        if slot.shaped and len(held) < LONG and "\n" not in held:
            return 1
        long = slot.longest is not None and slot.longest > LONG and not slot.shaped
        return SEVERAL_LINES if long or len(held) > WIDE or "\n" in held else 1

    def options(self, slot: Slot) -> list[Option]:
        """Return the options of an enumeration: no value, null where allowed, and its members."""
        if slot.kind != "choice":
            return []
        options: list[Option] = []
        if self.new and not slot.required:
            default = slot.default
            said = f" ({slot.titled(slot.written(default))})" if default is not None else ""
            options.append(Option(LEFT, f"left out{said}"))
        elif not self.new and self.in_known_part(slot):
            if not slot.needed:
                options.append(Option(LEFT, "left out"))
        elif not self.new and not self.knows(slot):
            options.append(Option(LEFT, "leave as it is"))
        if slot.nullable:
            named = NULLS.get(get_args(slot.annotation), "none")
            options.append(Option(NULL, named))
        options += [Option(each, slot.titled(each)) for each in slot.values]
        held = self.first[slot.name]
        if all(option.id != held for option in options) and held:
            options.append(Option(held, held, "not known here"))
        return options

    def check(self, slot: Slot, text: str) -> str | None:
        """Return what is wrong with the text of a field, by the model's own limits."""
        if text == self.first[slot.name]:
            return None
        if not text and (self.new or len(slot.path) > 1) and not (slot.needed and not self.new):
            return None
        try:
            value = self._value(slot, text)
        except NotReadableError as error:
            return str(error)
        if value is None and slot.nullable:
            return None
        wrong = self._wrong_with(slot, value)
        return CANNOT_BE_EMPTY if wrong and not text else wrong

    def _wrong_with(self, slot: Slot, value: Any) -> str | None:
        nested = value
        for part in reversed(slot.path):
            nested = {part: nested}
        depth = len(slot.path)
        errors = [
            error
            for error in self._errors(nested)
            if error["loc"][:depth] == slot.path or error["type"] == "json_invalid"
        ]
        return sentence_of(first_of(errors, depth), depth) if errors else None

    def _errors(self, value: Mapping[str, Any]) -> list[ErrorDetails]:
        try:
            self.model.model_validate_json(json.dumps(value), strict=True)
        except ValidationError as error:
            return error.errors(include_url=False)
        return []

    def _value(self, slot: Slot, text: str) -> Any:
        """Return what a text stands for; an emptied field is null, or the empty value there is."""
        if slot.kind == "choice" and text == NULL and slot.nullable:
            return None
        if text:
            if slot.kind != "list":
                return slot.read(text)
            held: dict[str, list[str]] = {}
            for each in self._known.get(slot.name) or ():
                held.setdefault(clean(each).strip(), []).append(each)
            unseen = held.pop("", [])  # no line can stand for these, so none takes them away
            return [*slot.read(text, held), *unseen]
        if slot.nullable:
            return None
        if slot.kind in ("text", "list", "ticks"):
            return "" if slot.kind == "text" else []
        raise NotReadableError(CANNOT_BE_EMPTY)

    def body(self, texts: Mapping[str, str]) -> B:
        """Return the body that the texts make. Raises `FieldsWrongError`."""
        whole = with_constants(self.model, {**self.values(texts), **self._fixed})
        try:
            return self.model.model_validate_json(json.dumps(whole), strict=True)
        except ValidationError as error:
            raise self._at_fields(error.errors(include_url=False)) from None

    def values(self, texts: Mapping[str, str]) -> dict[str, Any]:
        """Return the changed fields as JSON, of a new object the filled ones; {} for none.

        A part of a body is sent whole where anything in it differs, and with anything that differs
        what the body has to have. Raises `FieldsWrongError` for texts that are no values.
        """
        made: dict[str, Any] = {}
        wrong: dict[str, str] = {}
        changed = {slot.path[0] for slot in self.slots if self._differs(slot, texts)}
        for slot in self.slots:
            if not self.new and not self._differs(slot, texts):
                goes = slot.path[0] in changed or (slot.required and changed)
                if goes and self._known.get(slot.name) is not None:
                    _put(made, slot.path, self._known[slot.name])
                continue
            text = texts[slot.name]
            if text == LEFT and (self.new or len(slot.path) > 1):
                continue
            try:
                _put(made, slot.path, self._value(slot, text))
            except NotReadableError as error:
                wrong[slot.name] = str(error)
        if wrong:
            raise FieldsWrongError(wrong)
        return made

    def _differs(self, slot: Slot, texts: Mapping[str, str]) -> bool:
        return texts.get(slot.name, "") != self.first[slot.name]

    def _at_fields(self, errors: Sequence[ErrorDetails]) -> FieldsWrongError:
        """Return the errors by the fields that they are about."""
        about: dict[str, tuple[int, list[ErrorDetails]]] = {}
        rest: list[str] = []
        for error in errors:
            place = tuple(str(part) for part in error["loc"])
            slot = next((s for s in self.slots if place[: len(s.path)] == s.path), None)
            slot = slot or next((s for s in self.slots if s.path[: len(place)] == place), None)
            if slot is None or not place:
                rest.append(sentence_of(error, 0))
            else:
                depth = min(len(slot.path), len(place))
                about.setdefault(slot.name, (depth, []))[1].append(error)
        wrong = {
            name: sentence_of(first_of(each, depth), depth) for name, (depth, each) in about.items()
        }
        return FieldsWrongError(wrong, "; ".join(rest))


def _picked(slots: Sequence[Slot], only: Sequence[str]) -> Sequence[Slot]:
    """Return the slots of the names, in their order; the name of a part means all that is in it."""
    if not only:
        return slots
    picked: list[Slot] = []
    for name in only:
        path = tuple(name.split("."))
        found = [slot for slot in slots if slot.path[: len(path)] == path]
        if not found:
            raise ValueError(f"the body has no field {name}")
        picked += found
    return picked


def _as_sent(slot: Slot, value: Any) -> Any:
    """Return a read value as a request sends it: an object by its id where a text is expected."""
    if slot.kind == "text" and isinstance(value, Mapping):
        return value.get("id")
    if slot.kind == "list" and isinstance(value, list):
        return [each.get("id", "") if isinstance(each, Mapping) else each for each in value]
    return value


def _put(whole: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for part in path[:-1]:
        whole = whole.setdefault(part, {})
    whole[path[-1]] = value

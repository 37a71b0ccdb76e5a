"""A form for any body of the contract: its fields, limits and words come from the model.

What is edited is sent as what differs; what is new as what was filled in.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from copydesk.session.options import Option
from copydesk.tui.dialogs.dialog import Fact
from copydesk.tui.dialogs.form import Field, Form

if TYPE_CHECKING:
    from copydesk.contract.models.base import Body, Shape
    from copydesk.tui.dialogs.body_fields import Slot
    from copydesk.tui.dialogs.body_values import Filling

B = TypeVar("B", bound="Body")

Offers = Mapping[str, Callable[[], Awaitable["Sequence[Option]"]]]
"""What reads the options of a field, by its name: those of ``ctrl+o``, their ids being texts."""

_NOTHING: Mapping[str, Any] = {}


def body_form(
    model: type[B],
    *,
    title: str,
    draft_key: str,
    send: Callable[[B], Awaitable[Any]],
    current: Mapping[str, Any] | Shape | None = None,
    only: Sequence[str] = (),
    fixed: Mapping[str, Any] = _NOTHING,
    labels: Mapping[str, str] = _NOTHING,
    offers: Offers = _NOTHING,
    lines: Mapping[str, int] = _NOTHING,
    facts: Sequence[Fact] = (),
    verb: str = "save",
    names: Mapping[str, str] = _NOTHING,
    checks: Mapping[str, Callable[[str], str | None]] = _NOTHING,
    nothing: Mapping[str, str] = _NOTHING,
) -> Form:
    """Return a form that fills in a body and gives it to ``send``, which sends it.

    With ``current``, what is edited (a resource, or its JSON), only what differs is set, and
    nothing is sent while nothing does; a field that ``current`` lacks is left as it is until
    something is put into it. Without it the body is a new one, and what is empty is left out.

    Names are those on the wire, of values in a part ``outer.inner``. ``only`` are the fields asked
    for, in their order; ``fixed`` is JSON that is sent besides, unasked. ``labels`` are for fields
    whose name says too little, and ``lines`` are heights. ``offers`` read what ctrl+o offers; of a
    list several are ticked. ``names`` says what the ids are called that fields hold, as clean text.
    ``checks`` say what is wrong with a text that differs and is one by the model. ``nothing`` is
    said where nothing is offered for a field.
    """
    from copydesk.contract.models.base import Shape
    from copydesk.tui.dialogs.body_fields import words_of
    from copydesk.tui.dialogs.body_values import Filling

    held = current.to_dict() if isinstance(current, Shape) else current
    filling = Filling(model, held, only, fixed)
    fields = [
        _field(
            filling,
            slot,
            label=labels.get(slot.name) or words_of(slot.name),
            offers=offers.get(slot.name),
            lines=lines.get(slot.name, 0),
            check=checks.get(slot.name, lambda text: None),
            nothing=nothing.get(slot.name, ""),
        )
        for slot in filling.slots
    ]

    async def deliver(texts: Mapping[str, str]) -> None:
        await send(filling.body(texts))

    return Form(
        title,
        fields,
        draft_key=draft_key,
        send=deliver,
        facts=facts,
        verb=verb,
        new=filling.new,
        names=names,
    )


def _field(
    filling: Filling[Any],
    slot: Slot,
    *,
    label: str,
    offers: Callable[[], Awaitable[Sequence[Option]]] | None,
    lines: int,
    check: Callable[[str], str | None],
    nothing: str,
) -> Field:
    several, named = {"list": "\n", "ticks": ", "}.get(slot.kind, ""), offers is not None
    if slot.kind == "ticks" and offers is None:
        offers = _values(slot)
    first = filling.first[slot.name]

    def wrong(text: str) -> str | None:
        if found := filling.check(slot, text):
            return found
        left_out = filling.new and not text
        return None if left_out or text == first else check(text)

    return Field(
        slot.name,
        label,
        first,
        wrong,
        lambda text: _note(filling, slot, text),
        lines or filling.lines(slot),
        offers,
        several=several,
        options=filling.options(slot),
        help=slot.about,
        limits=slot.limits,
        empty=_empty(filling, slot),
        nothing=nothing,
        required=slot.required,
        named=named,
    )


def _values(slot: Slot) -> Callable[[], Awaitable[Sequence[Option]]]:
    async def read() -> Sequence[Option]:
        return [Option(each, each) for each in slot.values]

    return read


def _note(filling: Filling[Any], slot: Slot, text: str) -> str:
    """Return what follows from a text that differs, where that is not plain."""
    if filling.new:
        return ""
    if slot.kind == "choice":
        titles = {option.id: option.title for option in filling.options(slot)}
        return f"was {titles[filling.first[slot.name]]}" if filling.knows(slot) else ""
    if text:
        return "replaces what is there" if slot.name in filling.too_long else ""
    if slot.nullable:
        return "will be removed"
    return "will be empty" if len(slot.path) == 1 else "will be left out"


def _empty(filling: Filling[Any], slot: Slot) -> str:
    """Return what a field says while nothing is in it."""
    if slot.name in filling.too_long:
        many = f"{filling.too_long[slot.name]:,}"
        return f"{many} characters, too many to edit here: what you type replaces them"
    if filling.new:
        return "has to be filled in" if slot.required else "left out"
    if filling.in_known_part(slot):
        return "has to be filled in" if slot.needed else "left out"
    if not filling.knows(slot):
        return "left as it is"
    return "none" if slot.nullable else "empty"

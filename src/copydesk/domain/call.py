"""One request of a plan: its line, its operation and body, and its undo.

What a plan makes has no id yet: such a thing goes by a provisional one (``new:1``) in the requests
after it, until the service's answer tells the real one (`Call.made`, `bind`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.reversal import JSON, Expectation, Reversal, Step, value_at

NEW = "new:"
"""What provisional ids begin with; no id of the API does."""

_IN_PATH = re.compile(r"(?<==)[^\]}]+(?=[\]}])")

TEXTS = frozenset({"title", "description", "condition", "icon", "emoji", "subject"})
"""Wire names of what people write: a title may read ``new:1`` and stays."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request of a plan.

    ``key`` names it for as long as it is staged ("move:ID", "change:ID", "add:new:1", "remove:ID").
    ``what`` is the verb for the log, ``target`` the title of the thing it changes, ``line`` both as
    people read them; all are clean. ``step`` and ``reversal`` may hold provisional ids. ``makes``
    is the provisional id of what it makes, ``also`` where in the answer other provisional values
    are found, by path. ``note`` is told to a person first. A ``final`` call cannot be taken back;
    ``arrived`` is then what a read shows once it went through.
    """

    key: str
    what: str
    target: str
    line: str
    step: Step
    reversal: Reversal | None = None
    makes: str = ""
    also: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    final: bool = False
    arrived: Expectation | None = None

    @property
    def lasting(self) -> bool:
        """Whether nothing takes it back."""
        return self.final or self.reversal is None

    def made(self, answer: JSON) -> dict[str, str]:
        """Return what the answer gives instead of provisional values; ``{}`` where it made none."""
        paths = {self.makes: "id", **self.also} if self.makes else dict(self.also)
        found: dict[str, str] = {}
        for name, path in paths.items():
            value = value_at(answer, path)
            if isinstance(value, list):
                value = value[0] if value else None
            if isinstance(value, str) and value:
                found[name] = value
        return found


def bind(call: Call, made: Mapping[str, str]) -> Call:
    """Return a call with real ids in place of the provisional ones that are known by now."""
    if not made:
        return call
    back = call.reversal
    return replace(
        call,
        step=_step(call.step, made),
        reversal=back and bind_reversal(back, made),
        arrived=_expectation(call.arrived, made),
    )


def bind_reversal(back: Reversal, made: Mapping[str, str]) -> Reversal:
    """Return a way back with other ids: in arguments, bodies, orders, and paths of answers."""
    anew = back.anew
    return replace(
        back,
        back=tuple(_step(each, made) for each in back.back),
        forth=tuple(_step(each, made) for each in back.forth),
        still=_expectation(back.still, made),
        before=_expectation(back.before, made),
        anew=anew and replace(anew, id=made.get(anew.id, anew.id)),
    )


def _bound(value: Any, made: Mapping[str, str], name: str = "") -> Any:
    match value:
        case str() if name not in TEXTS:
            return made.get(value, value)
        case dict():
            return {key: _bound(one, made, key) for key, one in value.items()}
        case list() | tuple():
            return [_bound(one, made, name) for one in value]
    return value


def _step(step: Step, made: Mapping[str, str]) -> Step:
    return Step(step.operation, _bound(dict(step.arguments), made), _bound(step.body, made))


def _expectation(expected: Expectation | None, made: Mapping[str, str]) -> Expectation | None:
    if expected is None:
        return None
    fields = {}
    for path, value in expected.fields.items():
        bound = _IN_PATH.sub(lambda found: made.get(found[0], found[0]), path)
        fields[bound] = _bound(value, made, path.rpartition(".")[2])
    without = tuple(made.get(each, each) for each in expected.without)
    read, beside = _step(expected.read, made), made.get(expected.beside, expected.beside)
    return replace(expected, read=read, fields=fields, without=without, beside=beside)

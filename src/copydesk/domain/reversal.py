"""How a write is taken back, and how it is seen that it still can be.

A `Reversal` is a value that goes into the journal as JSON, so that a write can be taken back long
after the program that made it has ended. It names operations of the API by their ids; nothing here
sends them.

Paths into an answer are dotted wire names. After a name, ``[]`` goes through a list in its order,
``{}`` through one whose order means nothing; ``{user.id=u1}`` goes through those of its things that
have that value (``[user.id=u1]`` in their order): ``items{user.id=u1}.user.id`` is ``["u1"]`` where
u1 is in the list, else ``[]``. ``description~text`` is all the text in a document,
``subject~clean`` is a text as lists show it, ``deletedAt~set`` says whether there is anything, and
``status~ended`` whether work on it is over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, fields, replace
from typing import Any, TypeAlias, TypeVar

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.text import capital, clean, shorten

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
    are found, by path. ``note`` is told to a person first. Without a ``reversal``
    nothing takes it back, and ``arrived`` is what a read shows once it went through.
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
    arrived: Expectation | None = None

    @property
    def lasting(self) -> bool:
        """Whether nothing takes it back."""
        return self.reversal is None

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


T = TypeVar("T")

JSON: TypeAlias = Any
"""What JSON can say."""

LOCAL = "local."
"""What the name of a step begins with that is taken on this machine."""

CAME_ALONG = f"{LOCAL}came_along"
"""The step that looks whether an entry came back with the group that it was in."""

SAID_CELLS = 40
"""A longer value is cut in a line, and not quoted in a sentence."""

LONG_ORDER = 100
"""An order of more things is not kept whole with each move: there may be many moves in a plan."""

_SEGMENT = re.compile(r"([^.\[{]*)(?:\[([^\]]*)\]|\{([^}]*)\})?(?:\.|$)")

_TEXT = "~text"
_SET = "~set"
_CLEAN = "~clean"
_ENDED = "~ended"

_OVER = ("merged", "archived", "resolved")
"""The states in which a change request or a thread is done with."""

_WHO = ("resolvedBy", "updatedBy", "editedBy", "modifiedBy")
"""Where answers say who changed a thing last."""


class _Written:
    """A value that goes into the journal as JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, JSON]:
        """Return it as JSON, without the fields that say nothing."""
        named: Any = self  # each subclass is a dataclass
        told = ((each.name, getattr(self, each.name)) for each in fields(named))
        return {name: _json(value) for name, value in told if _says_something(value)}


def _says_something(value: object) -> bool:
    empty = isinstance(value, str | tuple) and not value
    return not (empty or value is None or value is False)


def _json(value: Any) -> JSON:
    match value:
        case _Written():
            return value.to_dict()
        case tuple():
            return [_json(each) for each in value]
        case Mapping():
            return dict(value)
    return value


@dataclass(frozen=True, slots=True)
class Step(_Written):
    """One call: an operation id with its Python parameter names, or ``local.<name>``.

    ``body`` is the JSON of the request, with wire names.
    """

    operation: str
    arguments: Mapping[str, JSON] = field(default_factory=dict)
    body: JSON = None

    @property
    def local(self) -> str:
        """The name of a step on this machine; empty for one of the service."""
        return self.operation.removeprefix(LOCAL) if self.operation.startswith(LOCAL) else ""


def looked_up(read: Step, path: str, otherwise: str) -> JSON:
    """Return an argument of a step that is read when the step is taken.

    What was made again has another id: where the ``path`` in the answer of ``read`` finds it, that
    is the argument, else ``otherwise``, the id that it had.
    """
    return {"read": read.to_dict(), "path": path, "otherwise": otherwise}


def id_of(argument: JSON) -> JSON:
    """Return an argument as it was when the step was made, also of one that is looked up."""
    return argument["otherwise"] if isinstance(argument, dict) else argument


@dataclass(frozen=True, slots=True)
class Difference:
    """A field that is not as it was expected; None is an absent value."""

    path: str
    wanted: JSON
    found: JSON

    def sentence(self) -> str:
        """Return what a person reads of it, without a full stop."""
        name = re.sub(r"\{[^}]*\}|\[[^\]]*\]", "", self.path).rpartition(".")[2]
        name = name.removesuffix(_TEXT).removesuffix(_SET).removesuffix(_ENDED)
        name = name.removesuffix(_CLEAN)
        word = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower() or "it"
        now, before = _short(self.found), _short(self.wanted)
        if now is None or before is None:
            return f"its {word} was changed since"
        return f"its {word} is {now} by now, not {before}"


@dataclass(frozen=True, slots=True)
class Expectation(_Written):
    """What a read must show: ``fields`` maps paths in the answer to the values that they must have.

    With ``gone`` the thing must not be there at all. ``said`` is what a person reads when it does
    not hold, where that says more than the fields do; no full stop. Values in ``without`` may be in
    a list that is found, or not: what the same plan takes away later. With ``beside`` only that
    thing and those next to it count in such a list: a long one is not kept whole. ``also`` is
    another expectation that must hold too.
    """

    read: Step
    fields: Mapping[str, JSON] = field(default_factory=dict)
    gone: bool = False
    said: str = ""
    without: tuple[str, ...] = ()
    beside: str = ""
    also: Expectation | None = None

    @property
    def all(self) -> tuple[Expectation, ...]:
        """It, and what must hold besides: one for each read."""
        return (self,) if self.also is None else (self, *self.also.all)

    def differences(self, answer: JSON) -> tuple[Difference, ...]:
        """Return in what an answer differs; None is the answer that the thing is gone."""
        if answer is None or self.gone:
            both = (self.gone, answer is None)
            return () if both == (True, True) else (Difference("", not self.gone, None),)
        found = ((path, wanted, self._found(answer, path)) for path, wanted in self.fields.items())
        return tuple(
            Difference(path, wanted, value)
            for path, wanted, value in found
            if not _same(path, wanted, value)
        )

    def _found(self, answer: JSON, path: str) -> JSON:
        value = value_at(answer, path)
        if not isinstance(value, list):
            return value
        if self.without:
            value = [each for each in value if each not in self.without]
        return neighbours(value, self.beside) if self.beside else value

    def explain(self, answer: JSON) -> str:
        """Say why it does not hold, and who did that where the answer tells; empty if it holds."""
        differences = self.differences(answer)
        if not differences:
            return ""
        if answer is None:
            return "It is gone."
        if self.gone:
            return f"{capital(self.said)}." if self.said else "It is there."
        told = [self.said] if self.said else [each.sentence() for each in differences]
        said = " and ".join(told)
        who = next((name for key in _WHO if (name := value_at(answer, f"{key}.displayName"))), "")
        by = f" ({clean(str(who), limit=80)} changed it last)" if who else ""
        return f"{capital(said)}{by}."


@dataclass(frozen=True, slots=True)
class Anew(_Written):
    """What the first step of a way back makes again: the thing that had an ``id``.

    It has another id from then on. Among what ``still`` reads it is one that has these ``fields``.
    """

    id: str
    fields: Mapping[str, JSON]

    def among(self, answer: JSON) -> list[str]:
        """Return the ids of the things in an answer that may be it."""
        items = answer.get("items") if isinstance(answer, Mapping) else None
        return [
            str(item["id"])
            for item in items or ()
            if isinstance(item, Mapping) and item.get("id")
            and all(value_at(item, path) == wanted for path, wanted in self.fields.items())
        ]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Reversal(_Written):
    """The way back of a write, and the way forth again.

    ``back`` takes it back, if ``still`` holds: the thing is as the write left it. ``forth`` does it
    again, if ``before`` holds: the thing is as it was. Without ``forth`` it is not done again.
    ``note`` is told after it was taken back, ``asks`` is what a person has to agree to before.
    ``anew`` is what comes back under another id.
    """

    back: tuple[Step, ...]
    forth: tuple[Step, ...] = ()
    still: Expectation | None = None
    before: Expectation | None = None
    note: str = ""
    asks: str = ""
    anew: Anew | None = None

    @property
    def came_along(self) -> bool:
        """Whether what was removed later brings it back when it is made again."""
        return self.back[0].operation == CAME_ALONG

    @property
    def here(self) -> bool:
        """Whether all of it is done on this machine, and nothing is sent."""
        return all(step.local for step in (*self.back, *self.forth))


@dataclass(frozen=True, slots=True)
class Trace(_Written):
    """How a thing is found that may have been made, when no answer came.

    ``read`` lists things of its kind; the one is ours whose ``fields`` have these values, whose
    ``text`` (a path) is what was sent, and which is no older than the write by its ``since``; where
    that is empty things have no age. ``says`` is the text that was sent, where that is not the
    draft.

    Where words were sent besides (as with a verdict), ``words`` is where a thing has them, and
    ``beside`` finds them where it has none.
    """

    read: Step
    fields: Mapping[str, JSON] = field(default_factory=dict)
    text: str = "body.markdown"
    since: str = "postedAt"
    says: str = ""
    words: str = ""
    beside: Trace | None = None

    def is_ours(self, thing: JSON, text: str) -> bool:
        """Whether a thing has the text that was sent, and is where that was sent to."""
        there = value_at(thing, self.text)
        return (
            isinstance(there, str)
            and there.strip() == text.strip()
            and all(value_at(thing, path) == wanted for path, wanted in self.fields.items())
        )

    def other_words(self, thing: JSON) -> bool:
        """Whether a thing was sent with other words than were sent here."""
        there = value_at(thing, self.words) if self.beside is not None else None
        return bool(there) and not self.has_words(thing)

    def has_words(self, thing: JSON) -> bool:
        """Whether a thing has the words that were sent with it, if any were."""
        if self.beside is None:
            return True
        there = value_at(thing, self.words)
        return isinstance(there, str) and there.strip() == self.beside.says.strip()


def reversal_of(value: JSON) -> Reversal:
    """Return the reversal that JSON describes. Raises ``ValueError`` for other JSON."""
    match value:
        case {"back": list(back)} if back:
            return Reversal(
                tuple(step_of(each) for each in back),
                tuple(step_of(each) for each in _list(value.get("forth", []))),
                expectation_of(value.get("still")),
                expectation_of(value.get("before")),
                str(value.get("note", "")),
                str(value.get("asks", "")),
                _anew_of(value.get("anew")),
            )
    raise ValueError("this is not a reversal")


def _anew_of(value: JSON) -> Anew | None:
    match value:
        case None:
            return None
        case {"id": str(id), "fields": dict(fields)}:
            return Anew(id, fields)
    raise ValueError("this is nothing that is made again")


def changed(
    write: str,
    read: str,
    ids: Mapping[str, JSON],
    before: Mapping[str, JSON],
    after: Mapping[str, JSON],
    *,
    shown: Callable[[Mapping[str, JSON]], Mapping[str, JSON]] = dict,
    said: str = "",
    note: str = "",
) -> Reversal:
    """Return the way back of other fields: the former ones are written in their place.

    ``shown`` gives the fields of an answer for those of a request, where these are not the same.
    """
    return swapped(
        lambda values: (Step(write, ids, dict(values)),),
        lambda values: Expectation(Step(read, ids), shown(values), said=said),
        before,
        after,
        note,
    )


def swapped(
    turn: Callable[[T], tuple[Step, ...]],
    there: Callable[[T], Expectation],
    before: T,
    after: T,
    note: str = "",
) -> Reversal:
    """Return the way back from one state to the other, whose steps and looks are of one kind."""
    return Reversal(turn(before), turn(after), there(after), there(before), note)


def made(
    delete: str,
    read: str,
    ids: Mapping[str, JSON],
    fields: Mapping[str, JSON],
    *,
    said: str = "",
    note: str = "",
    asks: str = "",
) -> Reversal:
    """Return the way back of a new thing: it is deleted while it has these fields, for good."""
    reading = Step(read, ids)
    still, before = Expectation(reading, fields, said=said), Expectation(reading, gone=True)
    return Reversal((Step(delete, ids),), (), still, before, note, asks)


def put_here(
    put: str, tell: str, before: JSON, after: JSON, said: str, *, note: str = "", **of: JSON
) -> Reversal:
    """Return the reversal of what is stored on this machine, by two steps of `local_steps`.

    ``put`` takes what it is ``of`` with the values ``before`` or ``after``; ``tell`` answers them.
    """

    def step(values: JSON) -> Step:
        return Step(f"{LOCAL}{put}", {**of, **values})

    def expect(values: JSON) -> Expectation:
        return Expectation(Step(f"{LOCAL}{tell}", of), values, said=said)

    return Reversal((step(before),), (step(after),), expect(after), expect(before), note=note)


def ordered(
    read: Step,
    path: str,
    order: Sequence[str],
    moved: str,
    without: Collection[str],
    *,
    said: str,
    near: bool = False,
) -> Expectation:
    """Return that a list of ids stands in an order; in a long one, that ``moved`` stands there.

    Values in ``without`` do not count. With ``near`` the order is only the neighbours in it.
    """
    leaving = tuple(sorted(without))
    if near:
        return Expectation(read, {path: list(order)}, said=said, without=leaving, beside=moved)
    stay = [each for each in order if each not in leaving]
    if len(stay) <= LONG_ORDER:
        return Expectation(read, {path: list(stay)}, said=said, without=leaving)
    beside = neighbours(stay, moved)
    return Expectation(read, {path: beside}, said=said, without=leaving, beside=moved)


def neighbours(order: Sequence[str], item: str) -> list[str]:
    """Return an item with its neighbours on either side; empty when it is not there."""
    if item not in order:
        return []
    at = order.index(item)
    return list(order[max(0, at - 1) : at + 2])


def message_made(reversal: Reversal) -> str:
    """Return the id of the comment or the reply that a write made; empty where it made none."""
    first = reversal.back[0]
    if not first.operation.startswith("delete_"):
        return ""
    ids = first.arguments
    return str(ids.get("comment_reply_id") or ids.get("comment_id") or "")


def trace_of(value: JSON) -> Trace:
    """Return the trace that JSON describes. Raises ``ValueError`` for other JSON."""
    match value:
        case {"read": read, "fields": dict(fields), "text": str(text)}:
            beside = value.get("beside")
            return Trace(
                step_of(read),
                fields,
                text,
                str(value.get("since", "")),
                str(value.get("says", "")),
                str(value.get("words", "")),
                None if beside is None else trace_of(beside),
            )
    raise ValueError("this is not a trace")


def value_at(answer: JSON, path: str) -> JSON:
    """Return the value at a path of an answer; None when nothing is, a list when it goes through
    one.

    What a ``{}`` went through comes sorted.
    """
    found: list[JSON] = [answer]
    many = any_order = False
    for name, in_order, unordered in _segments(path):
        if name:
            found = [_member(each, name) for each in found]
        where = unordered if in_order is None else in_order
        if where is not None:
            many, any_order = True, any_order or unordered is not None
            found = [one for each in found if isinstance(each, list) for one in each]
        if where:
            key, _, wanted = where.partition("=")
            found = [each for each in found if (value_at(each, key) or "") == wanted]
    if not many:
        return found[0]
    kept = [each for each in found if each is not None and each != ""]
    return sorted(kept, key=_order) if any_order else kept


def _member(value: JSON, name: str) -> JSON:
    if not isinstance(value, dict):
        return None
    if name.endswith(_TEXT):
        return text_in(value.get(name.removesuffix(_TEXT)))
    if name.endswith(_CLEAN):
        return clean(str(value.get(name.removesuffix(_CLEAN)) or ""))
    if name.endswith(_ENDED):
        return value.get(name.removesuffix(_ENDED)) in _OVER
    if name.endswith(_SET):
        return value.get(name.removesuffix(_SET)) is not None
    return value.get(name)


def text_in(value: JSON) -> str:
    """Return all the text in a document, its blocks and leaves apart by a line's end."""
    match value:
        case {"text": str(text)}:
            return text
        case dict():
            inside = [*(value.get("leaves") or ()), *(value.get("nodes") or ())]
            return "\n".join(filter(None, map(text_in, inside)))
    return ""


def _segments(path: str) -> list[tuple[str, str | None, str | None]]:
    segments = []
    at = 0
    while at < len(path):
        match = _SEGMENT.match(path, at)
        if match is None or match.end() == at:
            raise ValueError(f"{path!r} is not a path into an answer")
        segments.append((match[1], match[2], match[3]))
        at = match.end()
    return segments


def _same(path: str, wanted: JSON, found: JSON) -> bool:
    if "{" in path and isinstance(wanted, Sequence) and not isinstance(wanted, str):
        return bool(sorted(wanted, key=_order) == found)
    if isinstance(wanted, str) and isinstance(found, str):
        return wanted.strip() == found.strip()  # services tidy the ends of texts
    # A flag or a text that is left out is an unset one (docs/api-notes.md, Fields).
    return bool(wanted == found) or (not wanted and not found)


def _order(value: JSON) -> str:
    return json.dumps(value, sort_keys=True)


def _short(value: JSON) -> str | None:
    """Return a value in a word, or None when it takes more."""
    match value:
        case True | False:
            return "on" if value else "off"
        case None | "":
            return "empty"
        case str() if "\n" not in value and len(value) <= SAID_CELLS:
            return f"“{shorten(clean(value), SAID_CELLS)}”" if " " in value else clean(value)
        case int():
            return str(value)
    return None


def _list(value: JSON) -> list[JSON]:
    if not isinstance(value, list):
        raise ValueError("these are not steps")
    return value


def step_of(value: JSON) -> Step:
    """Return the step that JSON describes. Raises ``ValueError`` for other JSON."""
    match value:
        case {"operation": str(operation), "arguments": dict(arguments)}:
            return Step(operation, arguments, value.get("body"))
    raise ValueError("this is not a step")


def _as_read(path: str, wanted: JSON) -> tuple[str, JSON]:
    """Return a field of an expectation that may come out of a journal of an earlier version.

    The proxy of a site was taken for the address that requests go on to.
    """
    if path == "proxy.target":
        return "proxy.origin", str(wanted).removeprefix("https://") if wanted else wanted
    return path, wanted


def expectation_of(value: JSON) -> Expectation | None:
    """Return the expectation that JSON describes; None is none. Raises ``ValueError``."""
    if value is None:
        return None
    match value:
        case {"read": read, "fields": dict(fields)}:
            said = value.get("said", "")
            if isinstance(said, str):
                fields = dict(_as_read(path, wanted) for path, wanted in fields.items())
                for path in fields:
                    _segments(path)
                without = tuple(str(each) for each in _list(value.get("without", [])))
                beside = str(value.get("beside", ""))
                gone = value.get("gone") is True
                also = expectation_of(value.get("also"))
                return Expectation(step_of(read), fields, gone, said, without, beside, also)
    raise ValueError("this is not an expectation")

"""The filter that narrows a list as one types: words, and ``key:value`` for what the list knows.

``retry author:lee -status:draft space:"API ref" changed:>20 age:<3d`` keeps the rows that hold the
word, whose author holds "lee", and so on: all must hold. Upper and lower case and accents make no
difference. What looks like a key and is none is sought as text (``Capture:``). Typing passes
through states that are not yet right; they are reported, never raised, and do not empty the list. A
value that is not known yet makes a row neither match nor fail.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from functools import cached_property
from typing import Final, Generic, Literal, Self, TypeAlias, TypeVar

from copydesk.domain.late_dataclass import dataclass

Row = TypeVar("Row")


class Unknown(Enum):
    """The one value that says that something has not been read yet."""

    UNKNOWN = "unknown"


UNKNOWN: Final = Unknown.UNKNOWN
"""What a field of a row holds that has not been read yet."""

States: TypeAlias = Mapping[str, bool | None]
"""Texts with their answer: it matches, it does not, or that is not known yet."""

Value: TypeAlias = str | Iterable[str] | States | None | Unknown
"""What a field of a row holds: one text, several, nothing, or nothing known."""

Number: TypeAlias = float | None | Unknown
"""How much of something a row has; None where there is no such thing."""

Unit: TypeAlias = Literal["count", "time"]
"""Whether a number counts things, or is a time in seconds that is written ``3d``."""

SECONDS: Mapping[str, int] = {
    "min": 60,
    "h": 3_600,
    "d": 86_400,
    "w": 604_800,
    "mo": 2_592_000,
    "y": 31_536_000,
}
"""The units that a time is written in."""

_NEAR = 50
"""How alike a key has to be, of 100, for it to be what was meant."""

_TERM = re.compile(
    r"(?P<negated>-(?=[^\s]))?"
    r"(?:(?P<key>[A-Za-z][A-Za-z-]*):(?!//))?"
    r'(?:"(?P<quoted>[^"]*)(?P<closed>"?)|(?P<plain>[^\s"]+))?'
)

_AMOUNT = re.compile(r"(?P<sign>>=|<=|>|<|=)?(?P<number>\d{1,9})?(?P<unit>[A-Za-z]*)")


@dataclass(frozen=True, slots=True)
class Measure(Generic[Row]):
    """A number that rows are compared by: ``changed:>20``, ``age:<3d``."""

    of: Callable[[Row], Number]
    unit: Unit = "count"


@dataclass(frozen=True)
class Fields(Generic[Row]):
    """What a list can be filtered by.

    ``words`` gives the text that plain words are sought in; ``keys`` gives the values of each key.
    A row matches ``key:value`` when one of its values holds the value. ``values`` lists, for keys
    that have a closed set of them, what there is: anything else is a mistake. ``numbers`` are keys
    that compare; ``offers`` gives values to complete after a key.
    """

    words: Callable[[Row], str]
    keys: Mapping[str, Callable[[Row], Value]]
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    numbers: Mapping[str, Measure[Row]] = field(default_factory=dict)
    offers: Callable[[str], Iterable[str]] = lambda key: ()
    me: Mapping[str, Callable[[Row], bool | None]] = field(default_factory=dict)
    """For keys of people: whether the reader is the one, which ``key:me`` asks."""
    folded: bool = False
    """Whether ``words`` gives text that is folded already, as `fold` does, and kept so."""

    @property
    def names(self) -> Sequence[str]:
        """Every key."""
        return [*self.keys, *self.numbers]

    def following(self, text: str) -> list[str]:
        """Return what the term that is being typed may become; it begins at `typed_from`."""
        word = text[typed_from(text) :]
        sign = "-" if word.startswith("-") else ""
        key, colon, value = word.removeprefix("-").partition(":")
        key = key.lower()
        if not colon:
            return [f"{sign}{each}:" for each in self.names if each.startswith(key)]
        wanted = fold(value.removeprefix('"'))
        known = self.values.get(key) or [*(("me",) if key in self.me else ()), *self.offers(key)]
        found = (each.partition('"')[0].strip() for each in known)
        return [
            f"{sign}{key}:{quoted(each)}"
            for each in dict.fromkeys(found)
            if each and _begins(fold(each), wanted)
        ]


def typed_from(text: str) -> int:
    """Return where the term begins that is being typed at the end of a filter."""
    at, start = 0, len(text)
    while at < len(text):
        found = _TERM.match(text, at)
        if text[at].isspace() or not found or not found.group():
            at, start = at + 1, len(text)
        else:
            at, start = found.end(), at
    return start


def quoted(value: str) -> str:
    """Return a value as it is written after a key: in quotes where it has blanks."""
    return f'"{value}"' if any(sign.isspace() for sign in value) else value


def _begins(value: str, wanted: str) -> bool:
    """Return whether a value, or a word in it, begins like that."""
    return value.startswith(wanted) or f" {wanted}" in value


@dataclass(frozen=True, slots=True)
class Term:
    """One condition. ``key`` is None for a plain word; ``start`` and ``stop`` are its place.

    ``low`` and ``high`` are the bounds of a number: it is at least the one and less than the other.
    """

    key: str | None
    value: str
    negated: bool
    start: int
    stop: int
    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the text that is not understood, and from where to where it stands.

    ``nearest`` is the known key that was probably meant, if any is near; ``unfinished`` is what
    typing on will mend. ``as_text`` are words that are no key here; they are searched for as text.
    """

    sentence: str
    start: int
    stop: int
    nearest: str | None = None
    unfinished: bool = False
    as_text: bool = False


@dataclass(frozen=True)
class Query(Generic[Row]):
    """A filter that was read.

    ``problems`` are the parts that it had to leave out, or to take as text.
    """

    text: str
    terms: tuple[Term, ...]
    problems: tuple[Problem, ...]
    fields: Fields[Row]

    @classmethod
    def parse(cls, text: str, fields: Fields[Row]) -> Self:
        """Read a filter. Always succeeds: see ``problems``."""
        terms: list[Term] = []
        problems: list[Problem] = []
        for found in _TERM.finditer(text):
            if not found.group():  # a blank
                continue
            at = found.end()
            key, quoted = found["key"], found["quoted"]
            value = quoted if quoted is not None else found["plain"] or ""
            if quoted is not None and not found["closed"]:
                problems.append(
                    Problem(
                        'The quotation is open: close it with ".',
                        found.start("quoted") - 1,
                        at,
                        unfinished=True,
                    )
                )
            if key is not None:
                key = key.lower()
                measure = fields.numbers.get(key)
                if measure is not None:
                    bounds = _bounds(key, value, measure.unit, found.start("key"), at)
                    if isinstance(bounds, Problem):
                        problems.append(bounds)
                    else:
                        negated = found["negated"] is not None
                        terms.append(Term(key, value, negated, found.start(), at, *bounds))
                    continue
                if key not in fields.keys:
                    negated = found["negated"] is not None
                    unknown = _unknown(key, fields.names, found.start("key"))
                    # As text a negated one would let every row through.
                    problems.append(replace(unknown, as_text=not negated))
                    if not negated:
                        terms.append(Term(None, fold(f"{key}:{value}"), False, found.start(), at))
                    continue
                known = fields.values.get(key)
                if known is not None and not any(fold(value) in fold(each) for each in known):
                    sentence = f"There is no {key}:{value}; known are {', '.join(known)}."
                    problems.append(Problem(sentence, found.start("key"), at))
                    continue
            if fold(value):
                negated = found["negated"] is not None
                terms.append(Term(key, fold(value), negated, found.start(), at))
        return cls(text, tuple(terms), tuple(problems), fields)

    @property
    def wrong(self) -> str | None:
        """What is wrong with it as a sentence; None where typing on will mend it."""
        found = (each for each in self.problems if not (each.unfinished or each.as_text))
        return next((each.sentence for each in found), None)

    @property
    def note(self) -> str | None:
        """What is good to know of it: that something looks like a key, and is sought as text."""
        found = next((each.sentence for each in self.problems if each.as_text), None)
        return None if found is None else f"{found} Searched as text."

    @property
    def empty(self) -> bool:
        """Whether every row matches."""
        return not self.terms

    @cached_property
    def _conditions(self) -> Collection[Term]:
        """The terms, each once: no row is asked twice for the same."""
        return {(each.key, each.value, each.negated): each for each in self.terms}.values()

    def matches(self, row: Row) -> bool:
        """Return whether a row is known to match."""
        return self.judge(row) is True

    def judge(self, row: Row) -> bool | None:
        """Return whether a row is to be shown; None when that depends on an unknown value."""
        words: str | None = None
        values: dict[str, Value] = {}
        found: bool | None = True
        for term in self._conditions:
            held: bool | None
            if term.key is None:
                if words is None:
                    words = self.fields.words(row)
                    words = words if self.fields.folded else fold(words)
                held = term.value in words
            elif (measure := self.fields.numbers.get(term.key)) is not None:
                held = _within(measure.of(row), term)
            elif term.value == "me" and term.key in self.fields.me:
                held = self.fields.me[term.key](row)
            else:
                if term.key not in values:
                    values[term.key] = self.fields.keys[term.key](row)
                held = _holds(values[term.key], term.value)
            if held is None:
                found = None
            elif held == term.negated:
                return False
        return found


class _Bare(dict[int, int | None]):
    """Each character that was met, and None for a mark: names are folded by the thousand."""

    def __missing__(self, code: int) -> int | None:
        bare = self[code] = None if unicodedata.combining(chr(code)) else code
        return bare


_BARE = _Bare()


def fold(text: str) -> str:
    """Return text as it is compared: without case, accents and compatibility forms."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text).translate(_BARE).casefold()
    # Folding case can bring back a mark (as in the Turkish dotted I), so it is taken off again.
    return unicodedata.normalize("NFKD", plain).translate(_BARE)


def having_words(typed: str) -> Callable[[str], bool]:
    """Return whether a text has every word that is typed, as a predicate."""
    words = fold(typed).split()

    def has(text: str) -> bool:
        folded = fold(text)
        return all(word in folded for word in words)

    return has


WORD = re.compile(r"(?:\w|[^\x00-\u02ff\s\u2000-\u206f\u3000-\u303f])+")
"""A word: letters and digits with their marks, which are no letters."""


def places(text: str, wanted: re.Pattern[str]) -> list[tuple[int, int]]:
    """Return where a text, once folded, has what is sought; with the marks behind it."""
    parts = [fold(each) for each in text]
    starts = [at for at, part in enumerate(parts) for _ in part]
    stops = [*starts, len(text)]
    return [
        (starts[found.start()], max(stops[found.end()], starts[found.end() - 1] + 1))
        for found in wanted.finditer("".join(parts))
    ]


def _within(value: Number, term: Term) -> bool | None:
    if isinstance(value, Unknown):
        return None
    return value is not None and term.low <= value < term.high


def _bounds(
    key: str, value: str, unit: Unit, start: int, stop: int
) -> tuple[float, float] | Problem:
    """Read ``>20``, ``<=3d``, ``4``: at least the one and less than the other."""
    found = _AMOUNT.fullmatch(value)
    wanted = "a time such as >3d, <2h or 4w" if unit == "time" else "a number such as >20, <=3 or 4"
    if found is None or not (found["number"] or found["sign"] or not value):
        return Problem(f"{key}: takes {wanted}.", start, stop)
    if not found["number"]:
        return Problem(f"{key}: takes {wanted}.", start, stop, unfinished=not found["unit"])
    size = 1
    if unit == "time":
        letters = found["unit"].lower()
        if letters not in SECONDS:
            begun = any(each.startswith(letters) for each in SECONDS)
            units = f"{', '.join(SECONDS)}"
            return Problem(f"{key}: needs a unit: {units}.", start, stop, unfinished=begun)
        size = SECONDS[letters]
    elif found["unit"]:
        return Problem(f"{key}: takes {wanted}.", start, stop)
    number = int(found["number"])
    # A whole unit is meant, as ages are shown: 3d is from 3 days to less than 4.
    after, at = (number + 1) * size, number * size
    everything = float("inf")
    match found["sign"]:
        case ">":
            return (after if unit == "count" else at, everything)
        case ">=":
            return at, everything
        case "<":
            return -everything, at
        case "<=":
            return -everything, after
    return at, after


def _holds(value: Value, sought: str) -> bool | None:
    if isinstance(value, Unknown):
        return None
    if value is None:
        return False
    if isinstance(value, str):
        return sought in fold(value)
    if isinstance(value, Mapping):
        said = [held for part, held in value.items() if sought in fold(part)]
        return True if True in said else None if None in said else False
    return any(sought in fold(part) for part in value)


def _unknown(key: str, keys: Iterable[str], start: int) -> Problem:
    # Loaded only for a mistake: the first screen filters, and seldom needs it.
    from rapidfuzz import fuzz, process

    known = sorted(keys)
    near = process.extractOne(key, known, scorer=fuzz.ratio, score_cutoff=_NEAR)
    nearest = near[0] if near else None
    if nearest:
        advice = f"did you mean {nearest}:?"
    elif known:
        advice = f"known are {', '.join(known)}."
    else:
        advice = "this list has only words."
    sentence = f"There is no {key}: here; {advice}"
    return Problem(sentence, start, start + len(key), nearest)

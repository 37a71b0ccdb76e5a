"""The filter that narrows a list as one types: words, and ``key:value`` for what the list knows.

``retry author:lee -status:draft space:"API ref"`` keeps the rows that hold the word, whose author
holds "lee", and so on: all must hold. Upper and lower case and accents make no difference.
Typing passes through states that are not yet right; they are reported, never raised, and do not
empty the list.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, Self, TypeAlias, TypeVar

Row = TypeVar("Row")

Value: TypeAlias = str | Iterable[str] | None
"""What a field of a row holds: one text, several, or nothing."""

_TERM = re.compile(
    r"(?P<negated>-(?=[^\s]))?"
    r"(?:(?P<key>[A-Za-z][A-Za-z-]*):(?!//))?"
    r'(?:"(?P<quoted>[^"]*)(?P<closed>"?)|(?P<plain>[^\s"]+))?'
)


@dataclass(frozen=True)
class Fields(Generic[Row]):
    """What a list can be filtered by.

    ``words`` gives the text that plain words are sought in; ``keys`` gives the values of each key.
    A row matches ``key:value`` when one of its values holds the value. ``values`` lists, for keys
    that have a closed set of them, what there is: anything else is a mistake.
    """

    words: Callable[[Row], str]
    keys: Mapping[str, Callable[[Row], Value]]
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def following(self, text: str) -> list[str]:
        """Return what the last word of a filter that is being typed may become."""
        word = text[text.rfind(" ") + 1 :]
        sign = "-" if word.startswith("-") else ""
        key, colon, value = word.removeprefix("-").lower().partition(":")
        if colon:
            known = self.values.get(key, ())
            return [f"{sign}{key}:{each}" for each in known if each.startswith(value)]
        return [f"{sign}{each}:" for each in self.keys if each.startswith(key)]


@dataclass(frozen=True, slots=True)
class Term:
    """One condition. ``key`` is None for a plain word; ``start`` and ``stop`` are its place."""

    key: str | None
    value: str
    negated: bool
    start: int
    stop: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the text that is not understood, and from where to where it stands.

    ``nearest`` is the known key that was probably meant, if any is near; ``unfinished`` is what
    typing on will mend.
    """

    sentence: str
    start: int
    stop: int
    nearest: str | None = None
    unfinished: bool = False


@dataclass(frozen=True)
class Query(Generic[Row]):
    """A filter that was read. ``problems`` are the parts that it had to leave out."""

    text: str
    terms: tuple[Term, ...]
    problems: tuple[Problem, ...]
    fields: Fields[Row]

    @classmethod
    def parse(cls, text: str, fields: Fields[Row]) -> Self:
        """Read a filter. Always succeeds: see ``problems``."""
        terms: list[Term] = []
        problems: list[Problem] = []
        at = 0
        while at < len(text):
            found = _TERM.match(text, at)
            if text[at].isspace() or not found or not found.group():
                at += 1
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
                if key not in fields.keys:
                    problems.append(_unknown(key, fields.keys, found.start("key")))
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
        return next((each.sentence for each in self.problems if not each.unfinished), None)

    @property
    def empty(self) -> bool:
        """Whether every row matches."""
        return not self.terms

    def matches(self, row: Row) -> bool:
        """Return whether a row is to be shown."""
        words: str | None = None
        for term in self.terms:
            if term.key is None:
                if words is None:
                    words = fold(self.fields.words(row))
                held = term.value in words
            else:
                held = _holds(self.fields.keys[term.key](row), term.value)
            if held == term.negated:
                return False
        return True


def fold(text: str) -> str:
    """Return text as it is compared: without case, accents and compatibility forms."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text)
    plain = "".join(part for part in parts if not unicodedata.combining(part))
    # Folding case can bring back a mark (as in the Turkish dotted I), so it is taken off again.
    folded = unicodedata.normalize("NFKD", plain.casefold())
    return "".join(part for part in folded if not unicodedata.combining(part))


def _holds(value: Value, sought: str) -> bool:
    if value is None:
        return False
    if isinstance(value, str):
        return sought in fold(value)
    return any(sought in fold(part) for part in value)


def _unknown(key: str, keys: Iterable[str], start: int) -> Problem:
    # Loaded only for a mistake: the first screen filters, and seldom needs it.
    from rapidfuzz import fuzz, process

    known = sorted(keys)
    near = process.extractOne(key, known, scorer=fuzz.ratio, score_cutoff=50)
    nearest = near[0] if near else None
    if nearest:
        advice = f"did you mean {nearest}:?"
    elif known:
        advice = f"known are {', '.join(known)}."
    else:
        advice = "this list has only words."
    return Problem(f"There is no {key}: here; {advice}", start, start + len(key), nearest)

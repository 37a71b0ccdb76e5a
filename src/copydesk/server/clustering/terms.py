"""The words that tell a group of texts from the others, as people wrote them.

A term is a word, or several that are written one after the other. It is known by what its words
mean, so that texts of several languages count together, and written as most write it in the
language of the group. It tells a group if many of its texts have it and few of the others.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from copydesk.domain.late_dataclass import dataclass
from copydesk.server.clustering.words import SEAM, lemma, meaning_of, runs_of

Key = tuple[str, ...]
"""What the words of a term mean."""

Told = tuple[str, str]
"""A text, and the language that it is in."""

_MOST = 3  # words of a term
_TOGETHER = 3  # terms that tell a group together
_FEWEST = 2  # texts of a group that have a term
_SHARE = 0.12  # of the texts of a group that have a term
_WHOLE = 0.35  # share of the texts with a word that have a longer term, if that stands for it
_TELLS, _ENOUGH = 0.25, 0.8  # what another term tells at least: a share of the first, or so much
_GROUP, _OTHERS = 100, 1_000  # texts of a group, and of no group, that are read
_LENGTH = 1_200  # characters of a text that are read

_ADDRESS = re.compile(
    r"https?://\S+|\S+@\S+|<[^<>\n]{1,200}>|`[^`\n]*`|\b[\w-]+(?:\.[\w-]+)+\b|[\w.-]*/[\w./-]+"
)
_PIECE = re.compile(r"((?:[^\w\s'’-]|\n|\s[-–—]\s)(?:[^\w'’-]|\s[-–—]\s)*)")
_ENDS = re.compile(r"[.!?\n]\s*$")
_JOINT = re.compile(r"['’]")
_WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?|\b\d{3}\b")


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a group: what it means, how it is written, and how well it tells the group."""

    key: Key
    written: str
    score: float
    texts: int
    """How many texts in the language of the group have it."""


def terms_of(
    groups: Sequence[Sequence[Told]], others: Sequence[Told], languages: Sequence[str]
) -> list[list[Term]]:
    """Return the terms of each group, those that tell it best first, in its language.

    ``others`` are texts in no group.
    """
    groups = [_spread(group, _GROUP) for group in groups]
    others = _spread(others, _OTHERS)
    having: Counter[Key] = Counter()
    found: list[Counter[Key]] = []
    forms: list[defaultdict[Key, Counter[str]]] = []
    for group, wanted in zip(groups, languages, strict=True):
        texts: Counter[Key] = Counter()
        written: defaultdict[Key, Counter[str]] = defaultdict(Counter)
        for text, language in group:
            said = set(_said_in(text, language))
            texts.update({key for key, _ in said})
            if language == wanted:
                for key, form in said:
                    written[key][form] += 1
        having.update(texts)
        found.append(texts)
        forms.append(written)
    for text, language in others:
        having.update({key for key, _ in _said_in(text, language)})
    total = sum(map(len, groups)) + len(others)
    return [
        _ranked(texts, len(group), having, total, written)
        for group, texts, written in zip(groups, found, forms, strict=True)
    ]


def joined(terms: Sequence[Term], longest: int) -> Iterator[Sequence[str]]:
    """Yield the terms that tell a group best, no word in two of them: first one, then one more…

    Together they have at most so many characters, with three between them.
    """
    chosen: list[str] = []
    held: set[str] = set()
    for term in terms:
        if len(chosen) == _TOGETHER or term.score < min(terms[0].score * _TELLS, _ENOUGH):
            return
        whole = _whole(term, terms, held)
        length = sum(map(len, chosen)) + 3 * len(chosen) + len(whole.written)
        # Of "top-up" no other term is "top", and of "ActiveStorage" none is "active storage".
        said = (
            *whole.key,
            *(each for each in whole.written.casefold().split() if SEAM.search(each)),
        )
        words = {part for word in said for part in (word, *SEAM.split(word))}
        words.add(SEAM.sub("", "".join(whole.key)))
        if held.isdisjoint(words) and length <= longest:
            chosen.append(whole.written)
            held |= words
            yield tuple(chosen)


def _whole(word: Term, terms: Sequence[Term], held: set[str]) -> Term:
    """Return the longer term that a word is mostly said in, or the word."""
    longer = [
        each
        for each in terms
        if len(each.key) > len(word.key)
        and set(word.key) <= set(each.key)
        and held.isdisjoint(each.key)
        and each.texts >= word.texts * _WHOLE
    ]
    return max(longer, key=lambda each: (each.texts, -len(each.key), each.score), default=word)


def _spread(texts: Sequence[Told], most: int) -> Sequence[Told]:
    """Return at most so many texts, spread over all."""
    return texts[:: -(-len(texts) // most) or 1]


def _ranked(
    found: Mapping[Key, int],
    size: int,
    having: Mapping[Key, int],
    total: int,
    forms: Mapping[Key, Counter[str]],
) -> list[Term]:
    terms = []
    for key, count in found.items():
        inside, outside = count / size, (having[key] - count + 0.5) / (total - size + 1)
        often = count >= _FEWEST and inside >= _SHARE and inside > outside
        if often and key in forms and (len(key) == 1 or forms[key].total() >= _FEWEST):
            score = inside * math.log(inside / outside)
            terms.append(Term(key, _form(forms[key]), score, forms[key].total()))
    # Rounded: what differs by the order of a sum alone is equal.
    return sorted(terms, key=lambda term: (-round(term.score, 9), len(term.key), term.key))


def _said_in(text: str, language: str) -> Iterator[tuple[Key, str]]:
    """Yield the terms of a text, and how they are written in it."""
    before = "."
    for number, piece in enumerate(_PIECE.split(_ADDRESS.sub("\n", text[:_LENGTH]))):
        if number % 2:
            before = piece
            continue
        words = [run for word in _WORD.findall(piece) for run in runs_of(_bare(word))]
        meant = [meaning_of(word.lower(), language) for word in words]
        if words and words[0].istitle() and language != "de" and _ENDS.search(before):
            words[0] = words[0].lower()  # a capital that begins a sentence tells nothing
        for first in range(len(words)):
            if meant[first] is None:
                continue
            key: list[str] = []
            for last in range(first, min(len(words), first + _MOST)):
                meaning = meant[last]
                key.append(meaning or lemma(words[last].lower(), language))
                if meaning is not None:
                    yield tuple(key), " ".join(words[first : last + 1])


def _bare(word: str) -> str:
    """Return a word without what is joined to it: "l'export", "customer's"."""
    return max(_JOINT.split(word), key=len)


def _form(forms: Counter[str]) -> str:
    """Return how a term is mostly written."""
    return max(forms, key=lambda form: (forms[form], -len(form), form))

"""The words of a text that tell what it is about, brought to one form and one language.

Words are lemmas; those of other languages are joined by their English translations, as far as the
table beside this module knows them. It is made of catalogues of messages by
``python -m benchmarks.translations``.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path

DATA = Path(__file__).parent / "data"
LANGUAGES = ("en", "de", "es", "fr", "it", "pt", "nl")

OWN = 0.4
"""What a word itself counts for beside what it means: two that mean the same need not be alike."""

SELDOM = 0.02
"""The least share of texts that a language has to have."""

ALONE = 0.6
"""What a word that no other text has counts for."""

FEW = 200
"""Fewer texts than this are weighed as if there were so many: of ten, no word is in few."""

_WORD = re.compile(r"[^\W\d_][\w'’-]*\w|\b\d{3}\b")
SEAM = re.compile(r"[-_'’]")
"""Stands between the parts of a word."""

_PLAIN = re.compile(r"[^\W\d_]+")
_EAST = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_RUNS = re.compile(r"[\u30a1-\u30fa\u30fc]{2,}|[\u3005\u3400-\u9fff]{2,}|[A-Za-z]{2,}")
_HAN = re.compile(r"[\u3005\u3400-\u9fff]{3,}")
_ADDRESS = re.compile(r"https?://\S+|[\w.+-]{1,64}@[\w.-]{1,255}|<[^<>\n]{1,200}>")
_LONGEST = 40  # letters of a compound
_SHORTEST_HALF = 4  # letters of one half of a German or Dutch compound


@cache
def common_words() -> Mapping[str, frozenset[str]]:
    """Return for each language the words that tell no problem."""
    lines = (DATA / "common_words.txt").read_text("utf-8").splitlines()
    rows = (line.split() for line in lines if line and not line.startswith("#"))
    return {language: frozenset(words) for language, *words in rows}


@cache
def _all_common() -> frozenset[str]:
    return frozenset().union(*common_words().values())


@cache
def translations() -> Mapping[str, Mapping[str, tuple[tuple[str, float], ...]]]:
    """Return for each language its words' translations into English, with how sure they are."""
    found: dict[str, dict[str, tuple[tuple[str, float], ...]]] = defaultdict(dict)
    table = DATA / "translations.tsv"
    for line in table.read_text("utf-8").splitlines() if table.exists() else ():
        language, word, *meant = line.split("\t")
        pairs = (each.rpartition(" ") for each in meant)
        found[language][word] = tuple((english, int(sure) / 100) for english, _, sure in pairs)
    return found


@cache
def lemma(word: str, language: str) -> str:
    """Return a word's lemma."""
    import simplemma

    return simplemma.lemmatize(word, lang=language).lower()


def languages_of(texts: Sequence[str]) -> list[str]:
    """Return the language of each text; one that hardly any text is in was a wrong guess."""
    guessed = [language_of(text) for text in texts]
    counted = Counter(guessed)
    usual = [each for each in LANGUAGES if counted[each] >= len(texts) * SELDOM]
    return [
        language if language in usual else language_of(text, usual)
        for text, language in zip(texts, guessed, strict=True)
    ]


def language_of(text: str, among: Sequence[str] = LANGUAGES) -> str:
    """Return the language that most of a text's words are of; the first, English, where none is."""
    words = _PLAIN.findall(text.lower())

    def score(language: str) -> float:
        known = _telling(language)
        return sum(known.get(word, 0.0) for word in words) + 0.25 * (language == "en")

    return max(among, key=score)


@cache
def _telling(language: str) -> Mapping[str, float]:
    """Return the words that tell a language, its common words twice as much as the others."""
    table = dict.fromkeys(translations().get(language, {}), 0.5)
    for word in common_words()[language]:
        table[word] = table.get(word, 0.0) + 1.0
    return table


def words_of(text: str, language: str) -> dict[str, float]:
    """Return how often each meaning of a text that tells something is in it."""
    counted: defaultdict[str, float] = defaultdict(float)
    rest = _ADDRESS.sub(" ", text).lower()
    if phrases := _phrases(language):
        for said in phrases.findall(rest):
            for meaning in vocabulary()[language][said]:
                counted[meaning] += 1
        rest = phrases.sub(" ", rest)
    for written in (run for each in _WORD.findall(rest) for run in runs_of(each)):
        is_han = _HAN.fullmatch(written)
        parts = map("".join, pairwise(written)) if is_han else SEAM.split(written)
        for word in dict.fromkeys((written, *parts)):
            if len(word) > 1 and word not in _all_common():
                for meaning, share in _meant(word, language):
                    counted[meaning] += share
    return counted


def runs_of(word: str) -> list[str]:
    """Return the words in what Japanese and Chinese write without blanks: by their kind of signs.

    What other languages write is one word.
    """
    return (_RUNS.findall(word) if _EAST.search(word) else []) or [word]


@cache
def meaning_of(word: str, language: str) -> str | None:
    """Return the likeliest meaning of a word in small letters; None for a common word."""
    if len(word) < 2 or word in _all_common():
        return None
    meant = _meant(word, language)
    return max(meant, key=lambda each: each[1])[0] if meant else None


@cache
def vocabulary() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return for each language its words and phrases of support, with what they mean."""
    found: dict[str, dict[str, tuple[str, ...]]] = {language: {} for language in LANGUAGES}
    for line in (DATA / "vocabulary.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            columns = [column.split() for column in line.split("|")]
            meaning = columns[0][0]
            for language, words in zip(LANGUAGES, columns, strict=True):
                for each in words:
                    said = each.replace("_", " ")
                    held = found[language].get(said, ())
                    if meaning not in held:
                        found[language][said] = (*held, meaning)
    return found


@cache
def _phrases(language: str) -> re.Pattern[str] | None:
    """Return what finds the phrases of several words that mean one thing."""
    phrases = [each for each in vocabulary()[language] if " " in each]
    either = "|".join(map(re.escape, sorted(phrases, key=len, reverse=True)))
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)") if phrases else None


@cache
def _known(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the single words of the vocabulary."""
    return {each: meant for each, meant in vocabulary()[language].items() if " " not in each}


@cache
def _meant(word: str, language: str) -> tuple[tuple[str, float], ...]:
    """Return the meanings of a word with their shares, none for a common word."""
    base = lemma(word, language)
    known = _known(language)
    if meant := known.get(word) or known.get(base):
        shares = [(each, 1 / len(meant)) for each in meant]
        return (*shares, *([] if base in meant else [(base, OWN)]))
    if base in _all_common():
        return ()
    if language == "en":
        return ((base, 1.0),)
    table = translations().get(language, {})
    found = table.get(base) or table.get(word)
    if found:
        total = sum(sure for _, sure in found)
        meanings: defaultdict[str, float] = defaultdict(float)
        meanings[base] += OWN
        for english, sure in found:
            if english not in _all_common():
                for meaning in _known("en").get(english, (english,)):
                    meanings[meaning] += sure / total
        return tuple(meanings.items())
    compound = language in {"de", "nl"} and len(base) <= _LONGEST
    halves = tuple(_halves(base, language)) if compound else ()
    return ((base, 1.0), *halves)


def _halves(word: str, language: str) -> Iterator[tuple[str, float]]:
    """Yield the meanings of the halves of a compound that are known by themselves."""
    known, table = _known(language), translations().get(language, {})
    for cut in range(_SHORTEST_HALF, len(word) - _SHORTEST_HALF + 1):
        for half in dict.fromkeys((word[:cut], word[:cut].rstrip("s"), word[cut:])):
            if len(half) >= _SHORTEST_HALF:
                meant = known.get(half) or tuple(
                    english for english, sure in table.get(half, ())[:1] if sure > 0.5
                )
                for meaning in meant:
                    if meaning not in _all_common():
                        yield meaning, 0.7


def weights(counted: Sequence[Mapping[str, float]]) -> list[dict[str, float]]:
    """Weigh words by how few of the texts have them.

    Words of one text alone count less: they join it to none, but what has many of them is the less
    like the others.
    """
    having = Counter(word for words in counted for word in words)
    total = max(len(counted), FEW)
    rare = {
        word: math.log((total + 1) / (count + 0.5)) * (1 if count > 1 else ALONE)
        for word, count in having.items()
    }
    return [
        {
            word: (1 + math.log(count) if count >= 1 else count) * rare[word]
            for word, count in words.items()
        }
        for words in counted
    ]

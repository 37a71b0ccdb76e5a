"""What a cluster is called, and what it is about in short.

A title is made of the words that tell a cluster from the others, as people wrote them in the
language that most of them use. The sentence that holds most of these words begins its summary, and
is the title where too few words tell it.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from heapq import nlargest

from copydesk.domain.text import capital
from copydesk.server.clustering.problems import SUMMARY_LENGTH, sentences, shorten
from copydesk.server.clustering.terms import Term, joined
from copydesk.server.clustering.words import language_of, lemma, words_of

LONGEST = 60
"""The longest sentence that is a title, in characters."""

WORDS_LONGEST = 50
"""The longest title that is made of words, in characters."""

TOGETHER = " · "
"""Stands between the words of a title, and between what a summary tells."""

_READ = 12  # central issues whose sentences are compared
_TELLING = 12  # words by which a cluster differs that are looked for
_EASY = 9  # words of a sentence that still reads as a title
_FEWEST = 3  # words of a clause that tells something by itself
_ALIKE = 0.6  # share of the words that two of a summary have in common, if they say the same
_TOLD = 3  # issues that a summary tells of
_CLAUSE = re.compile(r"[,;:]\s+|\s+[-–—]\s+|\s\(")
_WORD = re.compile(r"\w+")
_GREETING = re.compile(
    r"(?:hi|hello|hey|dear|hallo|moin|bonjour|salut|hola|guten (?:tag|morgen)|good morning)\b"
    r"(?:\s+(?:there|all|team|everyone|support|zusammen|an alle|à tous))*[\s,!.:–-]+",
    re.IGNORECASE,
)


def title_of(terms: Sequence[Term], sentence: str, taken: Container[str] = ()) -> str:
    """Return the title of a cluster: the terms that tell it best, or a sentence if they are few.

    Titles that are ``taken``, as `plain_title` gives them, are chosen only where there is no other.
    """
    titles = [TOGETHER.join(each) for each in joined(terms, WORDS_LONGEST)]
    told = [title for title in reversed(titles) if " " in title or "-" in title]
    free = (title for title in [*told, sentence] if plain_title(title) not in taken)
    return next(free, sentence)


def plain_title(title: str) -> str:
    """Return a title as people tell it from others: "Exchange rates" is "exchange rate"."""
    language = language_of(title)
    return " ".join(lemma(word, language) for word in _WORD.findall(title.casefold()))


def sentence_of(
    said: Sequence[str], telling: Mapping[str, float], taken: Container[str] = ()
) -> str:
    """Return the most typical sentence from what the issues say, the most central first.

    ``telling`` weighs the words by which the cluster differs from the others. Sentences that are
    ``taken``, as `plain_title` gives them, are chosen only where there is no other.
    """
    best = dict(nlargest(_TELLING, telling.items(), key=lambda each: (each[1], each[0])))
    language = Counter(language_of(text) for text in said).most_common(1)[0][0]
    central = [text for text in said if language_of(text) == language][:_READ]

    def score(sentence: str) -> float:
        held = sum(best.get(word, 0.0) for word in words_of(sentence, language))
        # Rounded: what differs by the order of a sum alone is equal, and the first is taken.
        return round(held / math.sqrt(max(_EASY, len(sentence.split()))), 9)

    told = [part for text in central for each in list(sentences(text))[:3] for part in _parts(each)]
    best_first = sorted(told, key=score, reverse=True)
    titles = [shorten(_begun(each.strip(" .,;:!-–*•\"'")), LONGEST) for each in best_first]
    free = (each for each in titles if plain_title(each) not in taken)
    return next(free, titles[0] if titles else "")


def summary_of(said: Sequence[str]) -> str:
    """Return what sentences and central issues of a cluster say, of those that say the same one."""
    told: list[tuple[str, set[str]]] = []
    for text in said:
        words = set(text.casefold().split())
        if all(len(words & other) < _ALIKE * min(len(words), len(other)) for _, other in told):
            told.append((_apart(text), words))
        if len(told) == _TOLD:
            break
    return TOGETHER.join(shorten(text, SUMMARY_LENGTH // _TOLD - 3) for text, _ in told)


def _apart(text: str) -> str:
    """Return a text on one line, a full stop after its subject: its first line, if more follow.

    A subject that the text begins with is left out.
    """
    subject, _, rest = (" ".join(line.split()) for line in text.strip().partition("\n"))
    if not rest or rest.casefold().startswith(subject.casefold()):
        return rest or subject
    goes_on = rest[:1].islower() or not subject[-1:].isalnum()
    return f"{subject} {rest}" if goes_on else f"{subject}. {rest}"


def _parts(sentence: str) -> Iterator[str]:
    """Yield what may be a title of a sentence: all of it, or its clauses where it is long."""
    told = _GREETING.sub("", sentence, count=1) if _GREETING.match(sentence) else sentence
    clauses = [each for each in _CLAUSE.split(told) if len(each.split()) >= _FEWEST]
    yield from clauses if len(told) > LONGEST and clauses else [told]


def _begun(title: str) -> str:
    """Return a title with a capital, unless its first word is written in a way of its own."""
    first = title.split(" ", 1)[0]
    return capital(title) if first.islower() and first.isalpha() else title

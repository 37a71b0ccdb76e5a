"""What a cluster is called, and what it is about in short.

A title is the sentence of one of its most central issues that holds most of the words by which the
cluster differs from the others, in the language that most of them are told in.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import nlargest

from copydesk.server.clustering.problems import SUMMARY_LENGTH, sentences, shorten
from copydesk.server.clustering.words import language_of, words_of

LONGEST = 72
"""The longest title of a cluster, in characters."""

_READ = 12  # central issues whose sentences are compared
_TELLING = 12  # words by which a cluster differs that are looked for
_EASY = 9  # words of a sentence that still reads as a title


def title_of(said: Sequence[str], telling: Mapping[str, float]) -> str:
    """Return the title of a cluster from what its issues say, the most central first.

    ``telling`` weighs the words by which the cluster differs from the others.
    """
    best = dict(nlargest(_TELLING, telling.items(), key=lambda each: (each[1], each[0])))
    language = Counter(language_of(text) for text in said).most_common(1)[0][0]
    central = [text for text in said if language_of(text) == language][:_READ]

    def score(sentence: str) -> float:
        held = sum(best.get(word, 0.0) for word in words_of(sentence, language))
        return held / math.sqrt(max(_EASY, len(sentence.split())))

    told = [sentence for text in central for sentence in list(sentences(text))[:3]]
    title = max(told, key=score, default="")
    return shorten(_begun(title.strip(" .,;:!-–*•\"'")), LONGEST)


def summary_of(said: Sequence[str]) -> str:
    """Return what the three most central issues of a cluster say."""
    lines = dict.fromkeys(" ".join(text.split()) for text in said)
    return " · ".join(shorten(text, SUMMARY_LENGTH // 3 - 3) for text in list(lines)[:3])


def _begun(title: str) -> str:
    """Return a title with a capital, unless its first word is written in a way of its own."""
    first = title.split(" ", 1)[0]
    return title[:1].upper() + title[1:] if first.islower() and first.isalpha() else title

"""Which issues tell the same problem: tight groups first, then each issue to the nearest.

Texts are compared by the words that tell what they are about (see `words`), a little by their
letters, and by vectors from outside where there are any. Groups begin as cores by average linkage,
among at most `CORE` issues at a time; the words of a group are weighed by how much they tell it
from the others, and each issue goes to the group that it is nearest to without itself. What is
near to none stays alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import AgglomerativeClustering
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from copydesk.domain.late_dataclass import dataclass
from copydesk.server.clustering.boilerplate import without_forms
from copydesk.server.clustering.terms import Term, Told, terms_of
from copydesk.server.clustering.titles import plain_title, sentence_of, summary_of, title_of
from copydesk.server.clustering.words import FEW, languages_of, weights, words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copydesk.server.clustering.vectors import Vectors

CORE = 2_500
"""How many issues are compared with each other at once."""

SMALLEST = 3
"""The fewest issues of a cluster."""

_APART = 0.91  # average distance at which two groups are no longer joined
_NEAR = 0.18  # similarity to a cluster from which an issue belongs to it
_LIKELY = 0.12  # similarity from which it is offered
_SAME = 0.6  # similarity of the words of two groups that are one
_SMALL, _TIGHT = 8, 0.38  # a group of fewer has to be as alike as this
_KNOWN = 40  # issues by which a cluster is known well enough to place others
_ROUNDS = 8  # at most, until no issue moves
_AGAIN = 2  # times that loose groups are left out
_LETTERS = 0.05  # share of the letters in a similarity
_OUTSIDE = 0.4  # share of vectors from outside, where there are any
# Chosen on the conversations of `benchmarks/data`, and on random halves of their problems.


Done: TypeAlias = Callable[[float], None]
"""Is told which share of the issues was looked at."""


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue: what was said, and where it is; by hand is where it stays."""

    id: str
    text: str
    cluster: str | None = None
    by_hand: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """Issues that tell the same problem."""

    issues: tuple[str, ...]
    title: str
    summary: str


@dataclass(frozen=True, slots=True)
class Likely:
    """An issue that may belong to a cluster (the place among the found, or an id)."""

    issue: str
    cluster: int | str
    similarity: float


@dataclass(frozen=True, slots=True)
class Result:
    """All clusters of some issues, the largest first, and what may belong to them."""

    clusters: tuple[Found, ...]
    likely: tuple[Likely, ...] = ()


@dataclass(frozen=True, slots=True)
class Placed:
    """The known clusters that new issues belong to, and those that they may belong to."""

    issues: Mapping[str, str]
    likely: tuple[Likely, ...] = ()


@dataclass(slots=True)
class _Texts:
    """What is compared: a row for each issue."""

    words: Any  # sparse rows of length one
    both: Any  # words, letters and vectors in one, for similarities between issues
    outside: NDArray[np.float32] | None
    vocabulary: list[str]
    languages: Sequence[str]


def find_clusters(
    issues: Sequence[Issue],
    vectors: Vectors | None = None,
    taken: Sequence[str] = (),
    done: Done = lambda share: None,
) -> Result:
    """Group issues; those that were put somewhere by hand stay where they are.

    No title is that of another cluster or one of ``taken``, if there is another that tells.
    ``done`` is told the share of the issues that were looked at.
    """
    # By what they say: the same conversations make the same clusters, whatever their ids are.
    free = sorted(
        (each for each in issues if not (each.by_hand and each.cluster is None)),
        key=lambda each: (each.text, each.id),
    )
    if len(free) < SMALLEST:
        return Result(())
    said = without_forms([each.text for each in free])
    free = [replace(each, text=text) for each, text in zip(free, said, strict=True)]
    texts = _compare(said, vectors, lambda share: done(share / 2))
    fixed = np.array([each.by_hand for each in free])
    cores = _cores(texts, lambda share: done((1 + share) / 2))
    labels = _refined(texts, _seeded(free, cores), fixed)
    for _ in range(_AGAIN):
        labels = _refined(texts, _without_loose(texts, labels, fixed), fixed)
    return _result(free, texts, labels, taken)


def place(
    new: Sequence[Issue],
    known: Mapping[str, Sequence[Issue]],
    vectors: Vectors | None = None,
    done: Done = lambda share: None,
) -> Placed:
    """Give new issues to the known clusters that they are nearest to; ``done`` is told how far."""
    names = [name for name, held in known.items() if held]
    if not new or not names:
        return Placed({})
    old = [
        (index, each)
        for index, name in enumerate(names)
        for each in known[name][:: -(-len(known[name]) // _KNOWN)]
    ]
    said = without_forms([each.text for _, each in old] + [each.text for each in new])
    texts = _compare(said, vectors, done)
    labels = np.array([index for index, _ in old] + [-1] * len(new))
    similarity = _similarity(texts, labels)[len(old) :]
    placed, likely = {}, []
    for each, cluster, near in zip(
        new, similarity.argmax(1).tolist(), similarity.max(1).tolist(), strict=True
    ):
        if each.by_hand:
            continue
        if near >= _NEAR:
            placed[each.id] = names[cluster]
        elif near >= _LIKELY:
            likely.append(Likely(each.id, names[cluster], round(near, 3)))
    return Placed(placed, tuple(sorted(likely, key=lambda each: -each.similarity)))


def _compare(said: Sequence[str], vectors: Vectors | None, done: Done) -> _Texts:
    languages = languages_of(said)
    counted = []
    for text, language in zip(said, languages, strict=True):
        counted.append(words_of(text, language))
        done(len(counted) / len(said))
    weighed = weights(counted)
    vocabulary = sorted({word for words in weighed for word in words})
    place_of = {word: index for index, word in enumerate(vocabulary)}
    rows = np.repeat(np.arange(len(said)), [len(words) for words in weighed])
    columns = np.array([place_of[word] for words in weighed for word in words], dtype=np.int32)
    values = np.array([value for words in weighed for value in words.values()], dtype=np.float32)
    shape = (len(said), max(1, len(vocabulary)))
    words = normalize(sparse.csr_matrix((values, (rows, columns)), shape))
    parts = [words * np.float32((1 - _LETTERS) ** 0.5)]
    if len(said) <= CORE and (letters := _letters(said)) is not None:
        parts.append(letters * np.float32(_LETTERS**0.5))
    both = sparse.hstack(parts).tocsr()
    if vectors is None:
        return _Texts(words, both, None, vocabulary, languages)
    outside = vectors.of(said)
    # What all texts have in common tells none of them from another.
    outside = normalize(outside - outside.mean(0))
    both = both * np.float32((1 - _OUTSIDE) ** 0.5)
    beside = sparse.csr_matrix(outside * np.float32(_OUTSIDE**0.5))
    return _Texts(words, sparse.hstack([both, beside]).tocsr(), outside, vocabulary, languages)


def _letters(said: Sequence[str]) -> Any:
    reader = TfidfVectorizer(
        sublinear_tf=True, analyzer="char_wb", ngram_range=(3, 5), min_df=2, dtype=np.float32
    )
    try:
        return reader.fit_transform(said)
    except ValueError:  # no letters that two texts share
        return None


def _cores(texts: _Texts, done: Done) -> NDArray[Any]:
    """Return the group of each issue, -1 for none: tight groups, by average linkage."""
    labels = np.full(texts.both.shape[0], -1)
    left = np.arange(len(labels))
    while len(left) >= SMALLEST:
        # Spread over all, so that what came in at one time does not stand alone.
        chosen = left[:: -(-len(left) // CORE)]
        rows = texts.both[chosen]
        groups = _linked((rows @ rows.T).toarray())
        if groups.max() < 0:
            break
        labels[chosen] = np.where(groups >= 0, groups + labels.max() + 1, -1)
        if len(chosen) == len(left):
            break
        labels = _joined(texts, labels)
        near = _similarity(texts, labels)
        loose = (labels == -1) & (near.max(1) >= _NEAR)
        labels[loose] = near[loose].argmax(1)
        left = np.setdiff1d(np.flatnonzero(labels == -1), chosen)
        done(1 - len(left) / len(labels))
    return labels


def _linked(near: NDArray[Any]) -> NDArray[Any]:
    """Return the groups of issues that are alike on average, numbered from 0; -1 for the rest."""
    groups = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="average", distance_threshold=_APART
    ).fit_predict(1 - np.clip(near, 0, 1))
    return _numbered(groups, np.bincount(groups) >= SMALLEST)


def _numbered(labels: NDArray[Any], kept: NDArray[Any]) -> NDArray[Any]:
    """Return labels numbered from 0 without those that are not kept."""
    numbers = np.where(kept, np.cumsum(kept) - 1, -1)
    return np.asarray(np.where(labels >= 0, numbers[labels], -1))


def _joined(texts: _Texts, labels: NDArray[Any]) -> NDArray[Any]:
    """Join the groups whose words are the same: they were found among different issues."""
    sharp = normalize(_words_of_groups(texts, labels)[0])
    same = (sharp @ sharp.T) >= _SAME
    _, numbers = connected_components(same, directed=False)
    return np.asarray(np.where(labels >= 0, numbers[labels], -1))


def _seeded(issues: Sequence[Issue], labels: NDArray[Any]) -> NDArray[Any]:
    """Put the issues that were placed by hand together, whatever the machine would do.

    The rest of a group begins with the cluster that half of it was put into by hand.
    """
    hands: dict[str, int] = {}
    seeded = labels.copy()
    for row, issue in enumerate(issues):
        if issue.by_hand and issue.cluster is not None:
            seeded[row] = hands.setdefault(issue.cluster, int(labels.max()) + 1 + len(hands))
    for group in range(int(labels.max()) + 1):
        rows = np.flatnonzero(labels == group)
        names, sizes = np.unique(seeded[rows], return_counts=True)
        most = sizes.argmax()
        if names[most] > labels.max() and sizes[most] * 2 >= len(rows):
            seeded[rows] = np.where(seeded[rows] == group, names[most], seeded[rows])
    return seeded


def _words_of_groups(texts: _Texts, labels: NDArray[Any]) -> tuple[Any, Any]:
    """Return the words of each group, weighed by how much they tell it from the others; and plain.

    Both are sparse with the same places, a row for each group.
    """
    rows = np.flatnonzero(labels >= 0)
    count = int(labels.max()) + 1
    ones = np.ones(len(rows), np.float32)
    plain = sparse.csr_matrix((ones, (labels[rows], rows)), (count, len(labels))) @ texts.words
    plain.sort_indices()
    whole = np.asarray(plain.sum(0)).ravel()
    usual = np.bincount(labels[rows], minlength=count) / max(len(labels), FEW)
    group = np.repeat(np.arange(count), np.diff(plain.indptr))
    share = plain.data / np.maximum(whole[plain.indices], 1e-9)
    lift = np.log(np.maximum(share, 1e-9) / np.maximum(usual[group], 1e-9)).clip(0)
    sharp = plain.copy()
    sharp.data = (plain.data * lift).astype(np.float32)
    return sharp, plain


def _similarity(texts: _Texts, labels: NDArray[Any]) -> NDArray[Any]:
    """Return how near each issue is to each group, without itself in its own."""
    sharp, plain = _words_of_groups(texts, labels)
    found = (texts.words @ normalize(sharp).T).toarray()
    lengths = sparse.linalg.norm(sharp, axis=1) ** 2
    for group in range(sharp.shape[0]):
        own = np.flatnonzero(labels == group)
        mine = texts.words[own]
        line = slice(plain.indptr[group], plain.indptr[group + 1])
        mass = np.zeros(plain.shape[1], np.float32)
        lift = np.zeros(plain.shape[1], np.float32)
        mass[plain.indices[line]] = plain.data[line]
        lift[plain.indices[line]] = sharp.data[line] / np.maximum(plain.data[line], 1e-9)
        left = (mass[mine.indices] - mine.data) * lift[mine.indices]
        before = mass[mine.indices] * lift[mine.indices]
        row = np.repeat(np.arange(len(own)), np.diff(mine.indptr))
        dot = np.bincount(row, mine.data * left, len(own))
        length = lengths[group] + np.bincount(row, left**2 - before**2, len(own))
        found[own, group] = np.where(length > 1e-6, dot / np.sqrt(np.maximum(length, 1e-6)), 0)
    if texts.outside is not None:
        found = (1 - _OUTSIDE) * found + _OUTSIDE * _outside(texts.outside, labels)
    return np.asarray(found)


def _outside(vectors: NDArray[np.float32], labels: NDArray[Any]) -> NDArray[Any]:
    """Return how near vectors are to the middle of each group, without themselves in their own."""
    rows = np.flatnonzero(labels >= 0)
    middle = np.zeros((int(labels.max()) + 1, vectors.shape[1]), np.float32)
    np.add.at(middle, labels[rows], vectors[rows])
    found = vectors @ normalize(middle).T
    rest = normalize(middle[labels[rows]] - vectors[rows])
    found[rows, labels[rows]] = (vectors[rows] * rest).sum(1)
    return np.asarray(found)


def _refined(texts: _Texts, labels: NDArray[Any], fixed: NDArray[Any]) -> NDArray[Any]:
    """Give each issue to its nearest group, until nothing changes; -1 for what is near to none."""
    labels = _without_small(labels, fixed)
    for _ in range(_ROUNDS):
        if labels.max() < 0:
            break
        near = _similarity(texts, labels)
        moved = np.where(near.max(1) >= _NEAR, near.argmax(1), -1)
        moved = _without_small(np.where(fixed, labels, moved), fixed)
        if (moved == labels).all():
            break
        labels = moved
    return labels


def _without_small(labels: NDArray[Any], fixed: NDArray[Any]) -> NDArray[Any]:
    """Leave out groups of too few issues, but for those that were made by hand."""
    held = labels[labels >= 0]
    if not len(held):
        return labels
    hand = np.bincount(labels[fixed & (labels >= 0)], minlength=int(held.max()) + 1) > 0
    return _numbered(labels, (np.bincount(held) >= SMALLEST) | hand)


def _without_loose(texts: _Texts, labels: NDArray[Any], fixed: NDArray[Any]) -> NDArray[Any]:
    """Leave out small groups whose issues are not much alike: noise is like some other noise."""
    held = labels >= 0
    if not held.any():
        return labels
    near = _similarity(texts, labels)[held, labels[held]]
    sizes = np.bincount(labels[held])
    hand = np.bincount(labels[fixed & held], minlength=len(sizes)) > 0
    tight = np.bincount(labels[held], near) / np.maximum(sizes, 1) >= _TIGHT
    return _numbered(labels, tight | (sizes >= _SMALL) | hand)


def _terms(told: Sequence[Told], labels: NDArray[Any]) -> list[list[Term]]:
    """Return the terms of each group in the language of most of its issues."""
    held: list[list[Told]] = [[] for _ in range(int(labels.max()) + 1)]
    rest: list[Told] = []
    for each, group in zip(told, labels.tolist(), strict=True):
        (rest if group < 0 else held[group]).append(each)
    main = [Counter(language for _, language in group).most_common(1)[0][0] for group in held]
    return terms_of(held, rest, main)


def _result(
    issues: Sequence[Issue], texts: _Texts, labels: NDArray[Any], taken: Sequence[str]
) -> Result:
    if labels.max() < 0:
        return Result(())
    near = _similarity(texts, labels)
    sharp, _ = _words_of_groups(texts, labels)
    sizes = np.bincount(labels[labels >= 0])
    ranked = np.argsort(-sizes, kind="stable").tolist()
    clusters = []
    titles = {plain_title(each) for each in taken}
    told = list(zip((each.text for each in issues), texts.languages, strict=True))
    terms = _terms(told, labels)
    for group in ranked:
        rows = np.flatnonzero(labels == group)
        central = rows[np.argsort(-near[rows, group], kind="stable")].tolist()
        said = [issues[row].text for row in central]
        line = sharp[group]
        telling = {
            texts.vocabulary[word]: value
            for word, value in zip(line.indices, line.data, strict=True)
        }
        found = tuple(issues[row].id for row in rows.tolist())
        sentence = sentence_of(said, telling, titles)
        title = title_of(terms[group], sentence, titles)
        titles.add(plain_title(title))
        clusters.append(Found(found, title, summary_of([sentence, *said])))
    places = {group: index for index, group in enumerate(ranked)}
    nearest, similar = near.argmax(1).tolist(), near.max(1)
    likely = [
        Likely(issues[row].id, places[nearest[row]], round(float(similar[row]), 3))
        for row in np.flatnonzero((labels < 0) & (similar >= _LIKELY)).tolist()
    ]
    return Result(tuple(clusters), tuple(sorted(likely, key=lambda each: -each.similarity)))

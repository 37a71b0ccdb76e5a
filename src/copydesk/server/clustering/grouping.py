"""Which issues tell the same problem: tight groups first, then each issue to the nearest.

Texts are compared by the words that tell what they are about (see `words`), a little by their
letters, and by vectors from outside where there are any. Groups begin as cores by average linkage,
among at most `CORE` issues at a time; the words of a group are weighed by how much they tell it
from the others, and each issue goes to the group that it is nearest to without itself. What is
near to none stays alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.cluster import AgglomerativeClustering
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import normalize

from copydesk.domain.late_dataclass import dataclass
from copydesk.server.clustering.titles import summary_of, title_of
from copydesk.server.clustering.words import FEW, language_of, weights, words_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from copydesk.server.clustering.vectors import Vectors

CORE = 2_500
"""How many issues are compared with each other at once."""

SMALLEST = 3
"""The fewest issues of a cluster."""

_SMALLEST_CORE = 3
_APART = 0.92  # average distance at which two cores are no longer joined
_NEAR = 0.20  # similarity to a cluster from which an issue belongs to it
_LIKELY = 0.12  # similarity from which it is offered
_ROUNDS = 8
_LETTERS = 0.15  # share of the letters in a similarity
_OUTSIDE = 0.6  # share of vectors from outside, where there are any


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
    vocabulary: list[str]
    languages: list[str]


def find_clusters(issues: Sequence[Issue], vectors: Vectors | None = None) -> Result:
    """Group issues; those that were put somewhere by hand stay where they are."""
    free = [each for each in issues if not (each.by_hand and each.cluster is None)]
    if len(free) < SMALLEST:
        return Result(())
    texts = _compare([each.text for each in free], vectors)
    labels = _seeded(free, _cores(texts))
    fixed = np.array([each.by_hand for each in free])
    labels, nearest, similar = _refined(texts, labels, fixed)
    return _result(free, texts, labels, nearest, similar)


def place(
    new: Sequence[Issue], known: Mapping[str, Sequence[Issue]], vectors: Vectors | None = None
) -> Placed:
    """Give new issues to the known clusters that they are nearest to."""
    names = [name for name, held in known.items() if held]
    if not new or not names:
        return Placed({})
    old = [(index, each) for index, name in enumerate(names) for each in known[name]]
    texts = _compare([each.text for _, each in old] + [each.text for each in new], vectors)
    labels = np.array([index for index, _ in old] + [-1] * len(new))
    similarity = _similarity(texts, labels, len(names))[len(old) :]
    nearest, similar = similarity.argmax(1), similarity.max(1)
    placed, likely = {}, []
    for each, cluster, near in zip(new, nearest, similar, strict=True):
        if each.by_hand:
            continue
        if near >= _NEAR:
            placed[each.id] = names[cluster]
        elif near >= _LIKELY:
            likely.append(Likely(each.id, names[cluster], round(float(near), 3)))
    return Placed(placed, tuple(sorted(likely, key=lambda each: -each.similarity)))


def _compare(said: Sequence[str], vectors: Vectors | None) -> _Texts:
    languages = [language_of(text) for text in said]
    counted = [words_of(text, language) for text, language in zip(said, languages, strict=True)]
    weighed = weights(counted)
    vocabulary = sorted({word for words in weighed for word in words})
    place_of = {word: index for index, word in enumerate(vocabulary)}
    rows = np.repeat(np.arange(len(said)), [len(words) for words in weighed])
    columns = np.array([place_of[word] for words in weighed for word in words], dtype=np.int32)
    values = np.array([value for words in weighed for value in words.values()], dtype=np.float32)
    shape = (len(said), max(1, len(vocabulary)))
    words = normalize(sparse.csr_matrix((values, (rows, columns)), shape))
    parts = [words * np.sqrt(1 - _LETTERS)]
    if len(said) <= CORE and (letters := _letters(said)) is not None:
        parts.append(letters * np.sqrt(_LETTERS))
    both = sparse.hstack(parts).tocsr()
    if vectors is not None:
        outside = sparse.csr_matrix(vectors.of(said))
        both = sparse.hstack([both * np.sqrt(1 - _OUTSIDE), outside * np.sqrt(_OUTSIDE)]).tocsr()
    return _Texts(words, both, vocabulary, languages)


def _letters(said: Sequence[str]) -> Any:
    reader = TfidfVectorizer(
        sublinear_tf=True, analyzer="char_wb", ngram_range=(3, 5), min_df=2, dtype=np.float32
    )
    try:
        return reader.fit_transform(said)
    except ValueError:  # no letters that two texts share
        return None


def _cores(texts: _Texts) -> NDArray[Any]:
    """Return the group of each issue, -1 for none: tight groups, by average linkage."""
    count = texts.both.shape[0]
    labels = np.full(count, -1)
    left = np.arange(count)
    while len(left) >= _SMALLEST_CORE:
        # Spread over all, so that what came in at one time does not stand alone.
        chosen = left[:: -(-len(left) // CORE)][:CORE]
        near = (texts.both[chosen] @ texts.both[chosen].T).toarray()
        apart = 1 - np.clip(near, 0, 1)
        groups = AgglomerativeClustering(
            n_clusters=None, metric="precomputed", linkage="average", distance_threshold=_APART
        ).fit_predict(apart)
        sizes = Counter(groups.tolist())
        first = labels.max() + 1
        names = {
            name: index for index, name in enumerate(sorted(sizes)) if sizes[name] >= _SMALLEST_CORE
        }
        for row, name in zip(chosen, groups.tolist(), strict=True):
            if name in names:
                labels[row] = first + names[name]
        labels = np.unique(labels, return_inverse=True)[1] - (1 if (labels == -1).any() else 0)
        if len(chosen) == len(left) or labels.max() < 0 or not names:
            break
        similarity = _similarity(texts, labels, labels.max() + 1)
        loose = (labels == -1) & (similarity.max(1) >= _NEAR)
        labels[loose] = similarity[loose].argmax(1)
        left = np.flatnonzero(labels == -1)
    return labels


def _seeded(issues: Sequence[Issue], labels: NDArray[Any]) -> NDArray[Any]:
    """Put the issues that were placed by hand together, whatever the machine would do."""
    hands: dict[str, int] = {}
    for row, issue in enumerate(issues):
        if issue.by_hand and issue.cluster is not None:
            hands.setdefault(issue.cluster, int(labels.max()) + 1 + len(hands))
            labels[row] = -2 - hands[issue.cluster]
    return np.where(labels <= -2, -2 - labels, labels)


def _similarity(texts: _Texts, labels: NDArray[Any], count: int) -> NDArray[Any]:
    """Return how near each issue is to each group, without itself in its own."""
    rows = np.flatnonzero(labels >= 0)
    member = sparse.csr_matrix(
        (np.ones(len(rows), np.float32), (labels[rows], rows)), (count, len(labels))
    )
    mass = (member @ texts.words).toarray()
    sizes = np.maximum(np.bincount(labels[rows], minlength=count), 1)
    share = mass / np.maximum(mass.sum(0), 1e-9)
    base = sizes / max(len(labels), FEW)
    lift = np.clip(np.log(np.maximum(share, 1e-9) / base[:, None]), 0, None).astype(np.float32)
    sharp = mass * lift
    sharp /= np.maximum(np.linalg.norm(sharp, axis=1, keepdims=True), 1e-9)
    found = np.asarray(texts.words @ sharp.T)
    for group in range(count):
        own = rows[labels[rows] == group]
        mine = texts.words[own].toarray()
        others = (mass[group] - mine) * lift[group]
        length = np.linalg.norm(others, axis=1)
        found[own, group] = np.where(
            length > 1e-6, (mine * others).sum(1) / np.maximum(length, 1e-9), 0
        )
    return found


def _refined(
    texts: _Texts, labels: NDArray[Any], fixed: NDArray[Any]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Give each issue to its nearest group, until nothing changes; -1 for what is near to none."""
    nearest, similar = labels.copy(), np.zeros(len(labels))
    for _ in range(_ROUNDS):
        labels = _without_small(labels, fixed)
        if labels.max() < 0:
            break
        similarity = _similarity(texts, labels, labels.max() + 1)
        nearest, similar = similarity.argmax(1), similarity.max(1)
        moved = np.where(fixed, labels, np.where(similar >= _NEAR, nearest, -1))
        if (moved == labels).all():
            break
        labels = moved
    return _without_small(labels, fixed), nearest, similar


def _without_small(labels: NDArray[Any], fixed: NDArray[Any]) -> NDArray[Any]:
    sizes = Counter(labels[labels >= 0].tolist())
    kept = sorted(
        name for name, size in sizes.items() if size >= SMALLEST or fixed[labels == name].any()
    )
    names = {name: index for index, name in enumerate(kept)}
    return np.array([names.get(name, -1) for name in labels.tolist()])


def _result(
    issues: Sequence[Issue],
    texts: _Texts,
    labels: NDArray[Any],
    nearest: NDArray[Any],
    similar: NDArray[Any],
) -> Result:
    sizes = Counter(labels[labels >= 0].tolist())
    ranked = [name for name, _ in sorted(sizes.items(), key=lambda each: (-each[1], each[0]))]
    clusters = []
    for name in ranked:
        rows = np.flatnonzero(labels == name)
        order = rows[np.argsort(-similar[rows], kind="stable")]
        said = [issues[int(row)].text for row in order]
        clusters.append(
            Found(tuple(issues[int(row)].id for row in rows), title_of(said), summary_of(said))
        )
    places = {name: index for index, name in enumerate(ranked)}
    likely = [
        Likely(issues[int(row)].id, places[int(nearest[row])], round(float(similar[row]), 3))
        for row in np.flatnonzero((labels < 0) & (similar >= _LIKELY))
        if int(nearest[row]) in places
    ]
    return Result(tuple(clusters), tuple(sorted(likely, key=lambda each: -each.similarity)))

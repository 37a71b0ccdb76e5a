"""Finding the problems that conversations tell: how well, how fast, in how much memory.

``python -m benchmarks clusters [FILE…]`` reads conversations as they are ingested, one JSON object
to a line, whose attribute ``problem`` says what they tell (``P01``, or ``P01 P07`` for two; nothing
where it is noise) and whose ``language`` in which. Without files it reads those of `data`: a mail
service, a money app, and a smart home. Beside the desk's own clusters stands plain TF-IDF with
HDBSCAN. ``--quick`` leaves out the 20,000 conversations that are made up.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from benchmarks.terminal import table
from copydesk.server.clustering.problems import problems_of
from copydesk.server.ingestion import TELLS

DATA = Path(__file__).parent / "data"
MANY, NEW, MOST_MIB = 20_000, 1_000, 1_024
CHILD = [sys.executable, "-m", "copydesk.server.clustering"]

MUST = {"ARI": 0.30, "purity": 0.65, "B-cubed": 0.48}
GOAL = {"ARI": 0.45, "purity": 0.75, "B-cubed": 0.58, "noise": 0.35, "across": 0.35}
"""At least so much, but for the noise: at most."""


@dataclass(frozen=True, slots=True)
class Told:
    """A problem that is told in a conversation: what it is called (none of noise), and where."""

    text: str
    problem: str | None
    language: str


@dataclass(frozen=True, slots=True)
class Cost:
    """What a child took: seconds, those of the processor, and the most memory that it had."""

    seconds: float
    cpu: float
    mib: float

    def cells(self) -> list[str]:
        return [f"{self.seconds:.1f}", f"{self.cpu:.1f}", f"{self.mib:.0f}"]

    def verdict(self, seconds: float, mib: float) -> str:
        """Say whether it was quick and small; busy where the machine alone made it slow."""
        if self.mib > mib or self.cpu > seconds:
            return "MISS"
        return "pass" if self.seconds <= seconds else "busy"


def run(quick: bool = False, files: Sequence[str] = ()) -> None:
    """Measure and print."""
    for path in [Path(each) for each in files] or sorted(DATA.glob("*.jsonl")):
        told = read(path)
        texts = [each.text for each in told]
        found, cost = ask(texts)
        ways = [("copydesk", found, cost.cells()), ("TF-IDF, HDBSCAN", _plain(texts), [])]
        _show(path.name, told, ways)
    if not quick:
        _many()


def read(path: Path) -> list[Told]:
    """Return the problems that the conversations of a file tell, as the desk finds them."""
    found = []
    for line in filter(str.strip, path.read_text("utf-8").splitlines()):
        conversation = json.loads(line)
        attributes = (conversation.get("metadata") or conversation).get("attributes") or {}
        names = (attributes.get("problem") or "").split() or [None]
        parts = [(TELLS[part["role"]], part["body"]) for part in conversation["parts"]]
        problems = problems_of(conversation.get("subject") or "", parts)
        # What tells nothing is still one of the conversations that are counted.
        for number, text in enumerate([each.text for each in problems] or [""]):
            name = names[min(number, len(names) - 1)]
            found.append(Told(text, name, attributes.get("language", "")))
    return found


def ask(texts: Sequence[str], known: int = 0) -> tuple[list[int], Cost]:
    """Return each text's cluster (-1 for none), and the what that cost.

    With ``known``, the first so many are in clusters already, and only the others are placed.
    """
    issues = [{"id": str(number), "text": text} for number, text in enumerate(texts)]
    request: dict[str, Any] = {"do": "find", "issues": issues}
    if known:
        held: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
        for number, issue in enumerate(issues[:known]):
            held[str(number % 100)].append(issue)
        request = {"do": "place", "issues": issues[known:], "known": held}
    started = time.perf_counter()
    child = subprocess.Popen(CHILD, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdin
    assert child.stdout
    child.stdin.write(json.dumps(request).encode())
    child.stdin.close()
    answer = json.loads(child.stdout.read().splitlines()[-1])  # how far it is stands before
    _, status, used = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - started
    assert not status, answer
    assert "error" not in answer, answer
    clusters = [-1] * len(texts)
    for cluster, found in enumerate(answer.get("clusters", ())):
        for issue in found["issues"]:
            clusters[int(issue)] = cluster
    return clusters, Cost(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def figures(told: Sequence[Told], found: Sequence[int]) -> dict[str, float]:
    """Return how good clusters are; what is in none counts as alone."""
    from sklearn.metrics import adjusted_rand_score

    true = [each.problem or f"alone {number}" for number, each in enumerate(told)]
    made = [str(cluster) if cluster >= 0 else f"alone {n}" for n, cluster in enumerate(found)]
    noise = [cluster >= 0 for each, cluster in zip(told, found, strict=True) if not each.problem]
    inside = [(name, cluster) for name, cluster in zip(true, found, strict=True) if cluster >= 0]
    of_cluster: defaultdict[int, Counter[str]] = defaultdict(Counter)
    for name, cluster in inside:
        of_cluster[cluster][name] += 1
    across = [
        found[one] == found[other] >= 0
        for one, other in combinations(range(len(told)), 2)
        if told[one].problem
        and told[one].problem == told[other].problem
        and told[one].language != told[other].language
    ]
    most = sum(names.most_common(1)[0][1] for names in of_cluster.values())
    return {
        "ARI": float(adjusted_rand_score(true, made)),
        "purity": most / max(1, len(inside)),
        "B-cubed": _b_cubed(true, made),
        "noise": sum(noise) / max(1, len(noise)),
        "across": sum(across) / max(1, len(across)),
        "covered": (len(inside) - sum(noise)) / max(1, len(told) - len(noise)),
        "clusters": len(of_cluster),
    }


def _b_cubed(true: Sequence[str], made: Sequence[str]) -> float:
    both = Counter(zip(true, made, strict=True))
    names, groups = Counter(true), Counter(made)
    precision = sum(count * count / groups[group] for (_, group), count in both.items())
    recall = sum(count * count / names[name] for (name, _), count in both.items())
    return 2 * precision * recall / (precision + recall) / len(true)


def _plain(texts: Sequence[str]) -> list[int]:
    from sklearn.cluster import HDBSCAN
    from sklearn.feature_extraction.text import TfidfVectorizer

    rows = TfidfVectorizer(sublinear_tf=True, min_df=2).fit_transform(texts).toarray()
    labels = HDBSCAN(min_cluster_size=3, metric="cosine", copy=True).fit_predict(rows + 1e-9)
    return [int(each) for each in labels]


def _show(
    name: str, told: Sequence[Told], ways: Sequence[tuple[str, Sequence[int], list[str]]]
) -> None:
    problems = Counter(each.problem for each in told if each.problem)
    noise = sum(not each.problem for each in told)
    rows = []
    for way, found, cost in ways:
        got = figures(told, found)
        numbers = [f"{got[each]:.2f}" for each in (*GOAL, "covered")]
        rows.append([way, *numbers, f"{got['clusters']}", *(cost or ["", "", ""])])
        if way == "copydesk":
            rows.append(["  must", *_verdicts(got, MUST)])
            rows.append(["  goal", *_verdicts(got, GOAL)])
    table(
        f"{name}: {len(told)} issues, {len(problems)} problems of {min(problems.values())} to "
        f"{max(problems.values())}, {noise} of noise",
        ["what", *GOAL, "covered", "clusters", "s", "CPU s", "MiB"],
        rows,
    )


def _verdicts(got: Mapping[str, float], wanted: Mapping[str, float]) -> list[str]:
    def verdict(name: str) -> str:
        if name not in wanted:
            return ""
        less = got[name] <= wanted[name] if name == "noise" else got[name] >= wanted[name]
        return f"{'pass' if less else 'MISS'} {wanted[name]:.2f}"

    return [*(verdict(name) for name in GOAL), *[""] * 5]


def _many() -> None:
    texts = list(made_up(MANY + NEW))
    rows = []
    for what, known, asked, most in (
        (f"{MANY:,} conversations grouped", 0, texts[:MANY], 60),
        (f"{NEW:,} placed among {MANY:,}", MANY, texts, 10),
    ):
        found, cost = ask(asked, known)
        groups = "" if known else f"{max(found) + 1:,}"
        goal = f"<= {most} s, {MOST_MIB:,} MiB"
        rows.append([what, groups, *cost.cells(), goal, cost.verdict(most, MOST_MIB)])
    table("Many, made up", ["what", "clusters", "s", "CPU s", "MiB", "goal", ""], rows)


def made_up(count: int) -> Iterator[str]:
    """Yield texts of 300 problems and of none, of varied words in three languages."""
    chance = random.Random(7)
    lines = [each for path in sorted(DATA.glob("*.jsonl")) for each in read(path)]
    words = sorted({word for each in lines for word in each.text.split()})
    problems = [chance.sample(words, 12) for _ in range(300)]
    for _ in range(count):
        own = chance.choice(problems) if chance.random() < 0.8 else words
        body = (
            chance.sample(own, 5)
            + chance.choice(lines).text.split()[:12]
            + chance.choices(words, k=6)
        )
        chance.shuffle(body)
        yield " ".join([*body, f"ref{chance.randrange(40_000)}"])

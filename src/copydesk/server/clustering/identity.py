"""Which clusters are the same after issues were grouped anew, and which joined or were split.

A cluster is known by what is in it. Whoever reads about one finds it again: it keeps its id and
label as long as most of it stays together. One that a person or a change request holds on to never
ends, and what a person put somewhere stays there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import field

from copydesk.domain.late_dataclass import dataclass

ALIKE = 0.3
"""The share of the smaller of a cluster and a group that both have, if they are the same."""

FEWEST = 2
"""So many issues that go from one cluster to a new one are told as a split."""


@dataclass(frozen=True, slots=True)
class Old:
    """A cluster as it was: its issues, and whether somebody holds on to it."""

    issues: frozenset[str]
    held: bool = False


@dataclass(slots=True)
class Settled:
    """Where issues are now.

    ``kept`` are those of old clusters that go on and ``new`` those of groups (by their places) that
    become clusters; ``heirs`` are the old clusters that the other groups are. ``joined`` names for
    each cluster that ended the old cluster or group that has most of it; None where it was
    scattered. ``split`` are groups that came out of an old cluster.
    """

    kept: dict[str, set[str]] = field(default_factory=dict)
    new: dict[int, set[str]] = field(default_factory=dict)
    heirs: Mapping[int, str] = field(default_factory=dict)
    joined: dict[str, str | int | None] = field(default_factory=dict)
    split: dict[int, str] = field(default_factory=dict)


def settle(
    old: Mapping[str, Old], groups: Sequence[frozenset[str]], pinned: Mapping[str, str | None]
) -> Settled:
    """Return which old clusters the groups are.

    ``pinned`` are the issues that a person put somewhere, and where; they tell, too, which cluster
    a group is, and are in no other one afterwards.
    """
    where = {issue: key for key, each in old.items() for issue in each.issues}
    shared = [Counter(where[issue] for issue in group if issue in where) for group in groups]
    heirs = _heirs(old, groups, shared, pinned)
    result = Settled(heirs=heirs)
    places: dict[str, int] = {key: place for place, key in heirs.items()}
    free = [{issue for issue in group if issue not in pinned} for group in groups]
    for key, each in old.items():
        if key in places:
            continue
        most = max(range(len(groups)), key=lambda at: (shared[at][key], -at), default=None)
        if each.held:
            # It goes on beside the group that most of it is in.
            elsewhere = {issue for at, group in enumerate(free) if at != most for issue in group}
            result.kept[key] = {
                issue for issue in each.issues if issue not in elsewhere and issue not in pinned
            }
            if most is not None:
                free[most] -= result.kept[key]
        elif most is not None and shared[most][key] * 2 >= max(1, len(each.issues)):
            result.joined[key] = heirs.get(most, most)
        else:
            result.joined[key] = None
    for place, issues in enumerate(free):
        if place in heirs:
            result.kept[heirs[place]] = issues
        elif issues:
            result.new[place] = issues
            (source, count), *_ = [*shared[place].most_common(1), ("", 0)]
            if source not in result.joined and count >= max(FEWEST, shared[place].total() / 2):
                result.split[place] = source
    for issue, there in pinned.items():
        if there is not None:
            result.kept.setdefault(there, set()).add(issue)
    for key, target in result.joined.items():
        if isinstance(target, int) and target not in result.new:
            result.joined[key] = None  # what it was left nothing for a cluster of its own
    return result


def _heirs(
    old: Mapping[str, Old],
    groups: Sequence[frozenset[str]],
    shared: Sequence[Counter[str]],
    pinned: Mapping[str, str | None],
) -> dict[int, str]:
    """Return which group goes on with which cluster: by hand first, then by what they share."""
    pairs = []
    for place, group in enumerate(groups):
        hands = Counter(pinned[issue] for issue in group if pinned.get(issue) is not None)
        for key, count in shared[place].items():
            least = min(len(old[key].issues), len(group))
            if hands[key] or count >= ALIKE * least:
                pairs.append((-hands[key], not old[key].held, -count, place, key))
    heirs: dict[int, str] = {}
    taken: set[str] = set()
    for _, _, _, place, key in sorted(pairs):
        if place not in heirs and key not in taken:
            heirs[place] = key
            taken.add(key)
    return heirs

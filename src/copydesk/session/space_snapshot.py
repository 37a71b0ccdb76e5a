"""The tree of spaces of the last run, for the first frame of the next.

One entry holds the order, one per organization its rows and what its tabs count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import field
from typing import TYPE_CHECKING, Any

from copydesk.domain.late_dataclass import dataclass
from copydesk.domain.space_tree import SORTS, SpaceNode, build_tree, from_row, to_row, walk
from copydesk.domain.text import clean

if TYPE_CHECKING:
    from copydesk.local.snapshot import Snapshots

KEY = "spaces"
"""The key of the order; the rows of an organization are under this key and its id."""


@dataclass(frozen=True)
class LastRun:
    """The last screen: the organization, its tree and its order.

    ``total`` is the number of collections and spaces; fewer ``nodes`` may be saved. ``counts`` are
    the numbers of the tabs.
    """

    organization: str
    title: str = ""
    who: str = ""
    sort: str = "open"
    backwards: bool = False
    nodes: Sequence[SpaceNode] = ()
    folded: Set[str] = frozenset()
    total: int = 0
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def partial(self) -> bool:
        """Whether only the first rows were saved."""
        return self.total != sum(node.kind != "loose" for node in self.nodes)


def read_last_run(snapshot: Snapshots, organization: str) -> LastRun:
    """Return the last run in an organization; without nodes where there was none.

    Damaged rows are left out: a snapshot is a convenience.
    """
    last = snapshot.read(KEY)
    head: Mapping[str, Any] = last[0] if last else {}
    rows = snapshot.read(f"{KEY} {organization}")
    about: Mapping[str, Any] = rows[0] if rows else {}
    counts = about.get("counts")
    total = about.get("total")
    return LastRun(
        organization=organization,
        title=clean(str(about.get("title", ""))),
        who=clean(str(about.get("who", ""))),
        sort=str(head["sort"]) if head.get("sort") in SORTS else "open",
        backwards=head.get("backwards") is True,
        nodes=[node for node in map(from_row, rows[1:]) if node is not None],
        folded={str(row.get("id")) for row in rows[1:] if row.get("folded") is True},
        total=total if isinstance(total, int) else 0,
        counts={str(name): count for name, count in counts.items() if isinstance(count, int)}
        if isinstance(counts, Mapping)
        else {},
    )


def keep_last_run(snapshot: Snapshots, run: LastRun) -> None:
    """Save a run."""
    rows: list[dict[str, Any]] = [
        {"title": run.title, "who": run.who, "total": run.total, "counts": dict(run.counts)}
    ]
    for node in walk(build_tree(run.nodes, run.sort, backwards=run.backwards)):
        row = to_row(node)
        if node.id in run.folded:
            row["folded"] = True
        rows.append(row)
    head = {"sort": run.sort, "backwards": run.backwards}
    snapshot.write(f"{KEY} {run.organization}", rows)
    snapshot.write(KEY, [head])

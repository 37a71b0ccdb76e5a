"""Where runs are kept, as the screens see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from copydesk.local.runs import Arrangements, Runs
from copydesk.local.state import MEMORY, State

if TYPE_CHECKING:
    # Not loaded before the first paint, as the session is.
    from copydesk.domain.arrange_run import ArrangeRun
    from copydesk.domain.merge_run import MergeRun

R = TypeVar("R")


class KeptRuns(Protocol[R]):
    """Where runs of one kind are kept. Writing raises ``OSError`` when the disk refuses."""

    def save(self, run: R) -> None:
        """Keep a run durably before returning."""

    def load(self, run_id: str) -> R | None:
        """Return a run as it was saved last, or None."""

    def all(self) -> Sequence[R]:
        """Return the runs, the newest first."""

    def drop(self, run_id: str) -> bool:
        """Forget a run; False, and it stays, while another process is at it."""

    def drop_ended(self, run_id: str) -> bool:
        """Forget a run if it has ended by now and nobody is at it; whether that is so."""

    def claim(self, run_id: str) -> bool:
        """Take a run for this process; False while another is at it."""

    def release(self, run_id: str) -> None:
        """Give a run back."""


RunStore: TypeAlias = "KeptRuns[MergeRun]"

ArrangementStore: TypeAlias = "KeptRuns[ArrangeRun]"


class MemoryRuns(Runs):
    """Merge runs of a process that keeps nothing on disk."""

    def __init__(self) -> None:
        super().__init__(State(MEMORY), "")


class MemoryArrangements(Arrangements):
    """Runs that rearrange something, of a process that keeps nothing on disk."""

    def __init__(self) -> None:
        super().__init__(State(MEMORY), "")

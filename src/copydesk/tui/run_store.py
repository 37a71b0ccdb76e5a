"""Where merge runs are kept, as the screens see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    # Not loaded before the first paint, as the session is.
    from copydesk.domain.merge_run import MergeRun


class RunStore(Protocol):
    """Where merge runs are kept. Writing raises ``OSError`` when the disk refuses."""

    def save(self, run: MergeRun) -> None:
        """Keep a run durably before returning."""

    def load(self, run_id: str) -> MergeRun | None:
        """Return a run as it was saved last, or None."""

    def all(self) -> Sequence[MergeRun]:
        """Return the runs, the newest first."""

    def drop(self, run_id: str) -> None:
        """Forget a run."""

    def claim(self, run_id: str) -> bool:
        """Take a run for this process; False while another is at it."""

    def release(self, run_id: str) -> None:
        """Give a run back."""


class MemoryRuns:
    """Merge runs of a process that keeps nothing on disk."""

    def __init__(self) -> None:
        self._runs: dict[str, MergeRun] = {}

    def save(self, run: MergeRun) -> None:
        """Keep a run for this process."""
        self._runs[run.id] = run

    def load(self, run_id: str) -> MergeRun | None:
        """Return a run as it was saved last, or None."""
        return self._runs.get(run_id)

    def all(self) -> Sequence[MergeRun]:
        """Return the runs, the newest first."""
        return sorted(self._runs.values(), key=lambda run: run.made, reverse=True)

    def drop(self, run_id: str) -> None:
        """Forget a run."""
        self._runs.pop(run_id, None)

    def claim(self, run_id: str) -> bool:
        """Nobody else can be at it."""
        return True

    def release(self, run_id: str) -> None:
        """There is nothing to give back."""

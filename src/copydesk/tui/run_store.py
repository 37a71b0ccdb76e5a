"""Where runs are kept, as the screens see it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar

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


class _Kept(Protocol):
    """What there is in a run of any kind."""

    @property
    def id(self) -> str: ...

    @property
    def state(self) -> str: ...


K = TypeVar("K", bound=_Kept)


class _InMemory(Generic[K]):
    """The runs of one kind of a process that keeps nothing on disk: nobody else can be at one."""

    def __init__(self) -> None:
        self._runs: dict[str, K] = {}

    def made(self, run: K) -> float:
        """Return when a run was made."""
        raise NotImplementedError

    def save(self, run: K) -> None:
        """Keep a run for this process."""
        self._runs[run.id] = run

    def load(self, run_id: str) -> K | None:
        """Return a run as it was saved last, or None."""
        return self._runs.get(run_id)

    def all(self) -> Sequence[K]:
        """Return the runs, the newest first."""
        return sorted(self._runs.values(), key=self.made, reverse=True)

    def drop(self, run_id: str) -> bool:
        """Forget a run."""
        self._runs.pop(run_id, None)
        return True

    def drop_ended(self, run_id: str) -> bool:
        """Forget a run if it has ended."""
        run = self.load(run_id)
        return run is not None and run.state == "finished" and self.drop(run_id)

    def claim(self, run_id: str) -> bool:
        """Nobody else can be at it."""
        return True

    def release(self, run_id: str) -> None:
        """There is nothing to give back."""


class MemoryRuns(_InMemory["MergeRun"]):
    """Merge runs of a process that keeps nothing on disk."""

    def made(self, run: MergeRun) -> float:
        """Return when a run was made."""
        return run.made


class MemoryArrangements(_InMemory["ArrangeRun"]):
    """Runs that rearrange something, of a process that keeps nothing on disk."""

    def made(self, run: ArrangeRun) -> float:
        """Return when a run was made."""
        return run.began

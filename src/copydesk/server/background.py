"""What goes on after an answer was given: a worker that is there only while there is work.

What is to be done stands in the desk's tables, so nothing is lost with the process: whoever reads
something unfinished wakes the worker, and what another process left in the middle is taken up
again once its time is over.
"""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from typing import TypeVar

from copydesk.server.store import Store, Tx, timestamp

T = TypeVar("T")

LEASE = timedelta(minutes=2)
"""After how long something that was begun and not ended is begun again."""

_LOG = logging.getLogger(__name__)


def lease_limit(tx: Tx) -> str:
    """Return the time before which something must have been begun to be taken up again."""
    return timestamp(tx.moment - LEASE)


class DeskClosedError(Exception):
    """The desk was closed while the worker was busy; what it did not write stays to be done."""


class Worker:
    """Runs the jobs of a desk on one thread that ends when nothing is left to do.

    A job does one thing, in transactions through ``write``, and says whether there was one.
    ``beside`` is a worker for jobs that take long; it is woken and waited for with this one.
    """

    def __init__(
        self, store: Store, jobs: Sequence[Callable[[Worker], bool]], beside: Worker | None = None
    ) -> None:
        self._beside = beside
        self._store = store
        self._jobs = jobs
        self._lock = threading.Lock()
        self._gate = threading.Lock()
        self._asked = False
        self._closed = False
        self._thread: threading.Thread | None = None
        self._ends: list[Callable[[], None]] = []
        self._hurried = threading.Event()
        store.before_closing(self.close)

    def wake(self, *, hurry: bool = False) -> None:
        """Wake the worker for work that is due now. Returns at once.

        ``hurry`` says that somebody waits for it: what pauses goes on.
        """
        if self._beside is not None:
            self._beside.wake(hurry=hurry)
        if hurry:
            self._hurried.set()
        with self._lock:
            self._asked = True
            if self._thread is None and not self._closed:
                self._thread = threading.Thread(target=self._run, name="desk-worker", daemon=True)
                self._thread.start()

    def wait(self, seconds: float | None = None) -> None:
        """Block until there is nothing to do, or for so many seconds."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)
        if self._beside is not None:
            self._beside.wait(seconds)

    def close(self) -> None:
        """Write nothing from now on. A transaction that is under way ends first."""
        with self._gate:
            self._closed = True
        self._hurried.set()
        for end in tuple(self._ends):
            end()

    @contextlib.contextmanager
    def ended_by(self, end: Callable[[], None]) -> Iterator[None]:
        """Have something called, from another thread, when the desk is closed meanwhile.

        Raises ``DeskClosedError`` when it is closed already.
        """
        self._ends.append(end)
        try:
            if self._closed:
                raise DeskClosedError
            yield
        finally:
            self._ends.remove(end)

    def pause(self, seconds: float) -> bool:
        """Block for so many seconds, for more to come; return whether somebody is in a hurry.

        Raises ``DeskClosedError`` when the desk is closed meanwhile.
        """
        hurried = self._hurried.wait(seconds)
        if self._closed:
            raise DeskClosedError
        self._hurried.clear()
        return hurried

    def read(self, work: Callable[[Tx], T]) -> T:
        """Run a read on the desk, which keeps nobody from writing.

        Raises ``DeskClosedError`` when it is being closed.
        """
        with self._gate:
            if self._closed:
                raise DeskClosedError
            return self._store.read(work)

    def write(self, work: Callable[[Tx], T]) -> T:
        """Run a write on the desk. Raises ``DeskClosedError`` when it is being closed."""
        with self._gate:
            if self._closed:
                raise DeskClosedError
            return self._store.write(work)

    def _run(self) -> None:
        try:
            while self._still_asked():
                while any(job(self) for job in self._jobs):
                    pass
        except DeskClosedError:
            pass
        except sqlite3.OperationalError:
            # A busy or full disk: the next reader of something unfinished wakes another worker.
            _LOG.exception("The desk's worker stopped")
        finally:
            with self._gate:
                if not self._closed:  # else whoever closes the desk closes what was read through
                    self._store.end_reads()
            with self._lock:
                if self._thread is threading.current_thread():
                    self._thread = None

    def _still_asked(self) -> bool:
        with self._lock:
            asked, self._asked = self._asked, False
            if not asked:
                # In the same breath, so that whoever asks from now on starts another thread.
                self._thread = None
            return asked

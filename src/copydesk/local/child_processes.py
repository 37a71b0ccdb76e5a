"""The programs that copydesk starts: editor, browser, commands for tokens, checks, one's own."""

from __future__ import annotations

import asyncio
import errno
import os
import shutil
import signal
import subprocess
from collections.abc import Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from copydesk.domain.late_dataclass import dataclass

T = TypeVar("T")

WITHHELD = ("COPYDESK_TOKEN", "PYDANTIC_DISABLE_PLUGINS")
"""Variables that are for copydesk alone."""

DRAIN_SECONDS = 2.0
"""How long the rest of what a command wrote is waited for once it has ended."""


def environment(more: Mapping[str, str] | None = None) -> Mapping[str, str]:
    """Return the environment for another program, without a token in it, and with ``more``."""
    kept = {name: value for name, value in os.environ.items() if name not in WITHHELD}
    return {**kept, **(more or {})}


def run(
    command: Sequence[str],
    *,
    given: str | None = None,
    seconds: float | None = None,
    quiet: bool = False,
) -> int:
    """Run a program with ``given`` as its input until it ends; return its exit status.

    ``quiet``: it has no terminal. Raises ``OSError`` when it cannot be started, and
    ``subprocess.TimeoutExpired`` after so many ``seconds``.
    """
    away = subprocess.DEVNULL if quiet else None
    with _looked_for(command[0]):
        return subprocess.run(  # noqa: S603 - the commands are the user's own, or fixed
            command,
            input=None if given is None else given.encode(),
            stdin=away if given is None else None,
            stdout=away,
            stderr=away,
            timeout=seconds,
            check=False,
            env=environment(),
        ).returncode


@contextmanager
def _looked_for(program: str) -> Iterator[None]:
    """Raise ``FileNotFoundError`` for a program that is nowhere.

    The system says of one that it may not be run, where it could not look into a folder of PATH.
    """
    try:
        yield
    except PermissionError as error:
        if os.sep in program or shutil.which(program, os.F_OK):
            raise
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program) from error


def run_on_terminal(command: Sequence[str], *, more: Mapping[str, str] | None = None) -> int:
    """Let a program have the terminal until it ends, as an editor; return its exit status.

    Where it stops (ctrl+z), so does this one, for the shell to have the terminal: ``fg`` goes on
    with both. ctrl+c is for that program alone: it may go on. ``more`` are variables for it alone.
    Raises ``OSError`` when it cannot be started. Not to be used in a thread.
    """
    with beside_another("SIGINT"):
        with _looked_for(command[0]):
            process = subprocess.Popen(command, env=environment(more))  # noqa: S603 - the user's own
        if os.name != "posix":
            return process.wait()
        while True:
            _, status = os.waitpid(process.pid, os.WUNTRACED)
            if not os.WIFSTOPPED(status):
                process.returncode = os.waitstatus_to_exitcode(status)
                return process.returncode
            os.kill(os.getpid(), signal.SIGSTOP)


@contextmanager
def beside_another(*names: str) -> Iterator[None]:
    """Leave keys to the program that has the terminal, by the names of their signals.

    The terminal gives them to both. None is ignored, which that program would do as well. Not to be
    used in a thread.
    """
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = [(number, signal.signal(number, lambda *_: None)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


Why: TypeAlias = Literal["", "time", "flood"]
"""Why a command was ended: it took too long, or wrote too much."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended that was listened to: its exit ``status``, and what it wrote."""

    status: int
    output: bytes
    errors: bytes
    why: Why = ""


class _Listener(asyncio.SubprocessProtocol):
    """Takes in what a command writes, up to so many bytes of its output and of its errors."""

    def __init__(self, most: int) -> None:
        loop = asyncio.get_running_loop()
        self._most = most
        self.written = {1: bytearray(), 2: bytearray()}
        self.over: asyncio.Future[Why] = loop.create_future()
        """Done when the command ends, or has written too much."""
        self.exited: asyncio.Future[None] = loop.create_future()
        self.closed: asyncio.Future[None] = loop.create_future()
        """Done when nobody can write any more."""

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        into = self.written[fd]
        into += data[: self._most - len(into)]
        if len(into) >= self._most and not self.over.done():
            self.over.set_result("flood")

    def process_exited(self) -> None:
        self.exited.set_result(None)
        if not self.over.done():
            self.over.set_result("")

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set_result(None)


async def _outlast(task: asyncio.Task[T]) -> asyncio.CancelledError | None:
    """Wait until a task is done, and return the cancellation that came meanwhile."""
    cancelled = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None and task.exception() is not None:
        raise cancelled
    return cancelled


async def through(work: Coroutine[Any, Any, T]) -> T:
    """Wait for work that must not be left in the middle: it is cancelled only once it is done."""
    task = asyncio.create_task(work)
    if (cancelled := await _outlast(task)) is not None:
        raise cancelled
    return task.result()


async def listen(
    command: Sequence[str],
    folder: Path,
    *,
    seconds: float,
    most: int,
    given: bytes = b"",
    more: Mapping[str, str] | None = None,
) -> Ended:
    """Run a command in a folder, without a shell, and return what it wrote.

    ``given`` is its input, ``more`` are variables for it alone. It is ended after so many
    ``seconds``, when it writes more than ``most`` bytes, and when the task is cancelled, also while
    it is being started. What it started goes with it: all that is in its process group. Raises
    ``OSError`` when it cannot be started.
    """
    loop = asyncio.get_running_loop()

    async def start() -> tuple[asyncio.SubprocessTransport, _Listener]:
        with _looked_for(command[0]):
            return await loop.subprocess_exec(
                lambda: _Listener(most),
                *command,
                cwd=folder,
                env=environment(more),
                stdin=subprocess.PIPE if given else subprocess.DEVNULL,
                start_new_session=True,
            )

    starting = asyncio.create_task(start())
    cancelled = await _outlast(starting)
    transport, listener = starting.result()
    why: Why = "time"
    try:
        if cancelled is not None:
            raise cancelled
        if isinstance(entry := transport.get_pipe_transport(0), asyncio.WriteTransport):
            entry.write(given)
            entry.close()
        done, _ = await asyncio.wait([listener.over], timeout=seconds)
        why = listener.over.result() if done else "time"
    finally:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(transport.get_pid(), signal.SIGKILL)
        await _let_end(transport, listener, wholly=not why)
    status = transport.get_returncode()
    output, errors = (bytes(listener.written[fd]) for fd in (1, 2))
    return Ended(-1 if status is None else status, output, errors, why)


async def _let_end(
    transport: asyncio.SubprocessTransport, listener: _Listener, *, wholly: bool
) -> None:
    """Wait until a command that was ended is gone, however often the task is cancelled meanwhile.

    ``wholly``: until all that it wrote was read, too. It is in the pipes still; what has left its
    group may hold them open for ever.
    """
    loop = asyncio.get_running_loop()
    until, cancelled = loop.time() + DRAIN_SECONDS, None
    last = listener.closed if wholly else listener.exited
    while not last.done() and (left := until - loop.time()) > 0:
        try:
            await asyncio.wait([last], timeout=left)
        except asyncio.CancelledError as error:
            cancelled, last = error, listener.exited
    transport.close()
    if cancelled is not None:
        raise cancelled

"""The process in which clusters are found: started when there is something to do, and ended with
the desk.

It gets what it works on through its standard input, runs behind everything else on the machine,
and has neither the desk nor a token.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, suppress
from importlib.util import find_spec
from queue import Empty, Queue
from threading import Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subprocess import Popen

    from copydesk.domain.clustering import Clustering

DONE = "done"
"""Begins a line of the process that says which share it has done; the last line is its answer."""

NEEDS = ("sklearn", "simplemma")
"""What the extra brings."""

NOT_INSTALLED = (
    "Clusters are not found here: install them with pip install 'copydesk[clusters]'. "
    "Clusters that you make yourself work without."
)
OFF = "Clusters are not found here: the settings say [clusters] off = true."

BEHIND = 10
"""How far behind other programs it runs at least (the system's "nice")."""

_LOOK_SECONDS = 5.0
"""How often whoever waits for the process says that it is still at it, which is written down."""

_TOLD = 500  # characters of what the process says before it fails


class UnavailableError(Exception):
    """Clusters cannot be found; the text is a sentence for a person."""


def environment() -> dict[str, str]:
    """Return the environment for a program that is started here, without what is copydesk's own."""
    return {name: value for name, value in os.environ.items() if "COPYDESK" not in name}


def problem(settings: Clustering) -> str | None:
    """Return why clusters cannot be found here, without starting anything."""
    if settings.off:
        return OFF
    return None if all(find_spec(name) for name in NEEDS) else NOT_INSTALLED


def ask(
    request: Mapping[str, Any],
    settings: Clustering,
    *,
    started: Callable[[Popen[str]], None],
    still: Callable[[float], None],
) -> dict[str, Any]:
    """Start the process, wait for its answer and return that.

    ``started`` gets the process, to end it early; ``still`` is called now and then with the share
    that it has done. Raises ``UnavailableError`` when it cannot answer.
    """
    from subprocess import PIPE, Popen
    from tempfile import TemporaryFile

    answer, done, told = "", 0.0, -math.inf
    with ExitStack() as stack:
        try:
            wrong = stack.enter_context(TemporaryFile())
            process = Popen(
                # -P: a folder that somebody happens to be in is no place to import from.
                [sys.executable, "-P", "-m", "copydesk.server.clustering"],
                stdin=PIPE,
                stdout=PIPE,
                stderr=wrong,
                text=True,
                encoding="utf-8",
                env=environment(),
            )
        except OSError as error:
            said = error.strerror or error
            raise UnavailableError(f"Finding clusters cannot be started: {said}") from None
        with process:
            try:
                started(process)
                if hasattr(os, "setpriority"):
                    # One that already runs behind all others cannot be put before them.
                    behind = max(BEHIND, os.getpriority(os.PRIO_PROCESS, process.pid))
                    os.setpriority(os.PRIO_PROCESS, process.pid, behind)
                _send(process, json.dumps({**request, "settings": _told(settings)}))
                for line in _lines(process):
                    answer, done = (answer, done) if line is None else _read(line, done)
                    if time.monotonic() - told >= _LOOK_SECONDS:
                        still(done)
                        told = time.monotonic()
            except BaseException:
                process.kill()
                raise
        wrong.seek(0)
        said = wrong.read().decode("utf-8", "replace")
    try:
        found: dict[str, Any] = json.loads(answer)
    except ValueError:
        last = (said.strip().splitlines() or [f"status {process.returncode}"])[-1]
        raise UnavailableError(f"Finding clusters failed: {last[:_TOLD]}") from None
    if "error" in found:
        raise UnavailableError(f"Clusters are not found here: {str(found['error'])[:_TOLD]}")
    return found


def _send(process: Popen[str], request: str) -> None:
    """Write a request to a process, which reads it whole before it says anything."""
    assert process.stdin
    with suppress(BrokenPipeError), process.stdin:  # of one that ended, its status says more
        process.stdin.write(request)


def _lines(process: Popen[str]) -> Iterator[str | None]:
    """Yield the lines that a process says, and None now and then while it says nothing."""
    came: Queue[str | None] = Queue()

    def read() -> None:
        assert process.stdout
        with suppress(ValueError):  # it was ended, and its output closed
            for line in process.stdout:
                came.put(line)
        came.put(None)

    Thread(target=read, daemon=True).start()
    while True:
        try:
            line = came.get(timeout=_LOOK_SECONDS)
        except Empty:
            yield None
            continue
        if line is None:
            return
        yield line


def _read(line: str, done: float) -> tuple[str, float]:
    """Return a line if it is the answer, and the share that is done."""
    name, _, share = line.partition(" ")
    return ("", float(share)) if name == DONE else (line, done)


def _told(settings: Clustering) -> dict[str, Any]:
    return {"model": settings.model, "embed": list(settings.embed)}

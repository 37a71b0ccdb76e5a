"""The child process: one request as JSON on standard input, one answer on standard output.

A request is ``{"do": "find", "issues": […], "taken": […], "settings": {…}}``, answered with
``{"clusters": […], "likely": […]}`` whose titles are not those taken; or ``{"do": "place",
"issues": […], "known": {…}, "settings": {…}}``, answered with ``{"issues": {…}, "likely": […]}``.
Before the answer come lines that say which share is done (``done 0.25``).
What cannot be done is answered with ``{"error": "a sentence"}``. It ends when the program
that started it is gone.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from copydesk.server.clustering.process import DONE

LOOK_SECONDS = 1.0
"""How often it is looked whether the program that asked is still there."""


def _end_with(parent: int) -> None:
    """End this process once its parent is another: who was killed ends nothing itself."""
    wait = threading.Event().wait
    while os.getppid() == parent:
        wait(LOOK_SECONDS)
    os._exit(1)


def answer(
    request: Mapping[str, Any], done: Callable[[float], None] = lambda share: None
) -> dict[str, Any]:
    """Do what a request asks; ``done`` is told the share that is."""
    from copydesk.server.clustering.vectors import VectorsError, vectors_from

    try:
        from copydesk.server.clustering.grouping import Issue, find_clusters, place
    except ImportError as error:
        return {"error": f"{error.name} is not installed: pip install 'copydesk[clusters]'"}
    settings = request.get("settings") or {}
    vectors = vectors_from(settings.get("model") or "", settings.get("embed") or ())
    issues = [Issue(**each) for each in request["issues"]]
    try:
        if request["do"] == "place":
            known = {
                cluster: [Issue(**each) for each in held]
                for cluster, held in request["known"].items()
            }
            return asdict(place(issues, known, vectors, done))
        return asdict(find_clusters(issues, vectors, request.get("taken") or (), done))
    except VectorsError as error:
        return {"error": str(error)}


class _Teller:
    """Says on standard output now and then which share is done."""

    def __init__(self) -> None:
        self._at = 0.0

    def __call__(self, share: float) -> None:
        now = time.monotonic()
        if now - self._at >= LOOK_SECONDS:
            self._at = now
            sys.stdout.write(f"{DONE} {share:.4f}\n")
            sys.stdout.flush()


def main() -> None:
    """Answer the request on standard input."""
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    json.dump(answer(json.load(sys.stdin), _Teller()), sys.stdout)


if __name__ == "__main__":
    main()
